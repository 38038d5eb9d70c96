//! The current mode, plan file and session rules, shared by a session and all its subagents (PM-64). The main session
//! updates it on every change; subagents read it before each decision.

use crate::plan::PlanFile;
use crate::sync::LockUnpoisoned;
use cutonce_core::mode::{Mode, ModeState};
use cutonce_core::permission::rules::RuleBehavior;
use std::sync::{Mutex, MutexGuard};

pub(crate) struct LiveMode(Mutex<LiveModeState>);

struct LiveModeState {
    mode: Mode,
    /// How often plan mode was entered.
    plan_visits: u32,
    plan: Option<PlanFile>,
    /// Rule changes made for the session, oldest first (PR-7, HO-1).
    rules: Vec<SharedRule>,
}

/// A rule added to or removed from the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedRule {
    pub behavior: RuleBehavior,
    pub text: String,
    /// The rule was removed.
    pub removed: bool,
}

impl LiveMode {
    pub fn new(state: &ModeState, plan: Option<PlanFile>) -> LiveMode {
        LiveMode(Mutex::new(LiveModeState {
            mode: state.mode(),
            plan_visits: state.visit_number(),
            plan,
            rules: Vec::new(),
        }))
    }

    /// The current mode, and how often plan mode was entered.
    pub fn current(&self) -> (Mode, u32) {
        let inner = self.lock();
        (inner.mode, inner.plan_visits)
    }

    /// Updates the mode and plan file from the main session.
    pub(crate) fn set(&self, state: &ModeState, plan: Option<PlanFile>) {
        let mut inner = self.lock();
        (inner.mode, inner.plan_visits, inner.plan) = (state.mode(), state.visit_number(), plan);
    }

    /// The agent's own file, stored with the session's plan (PM-42); `None` if there is no plan.
    pub(crate) fn file_for_agent(&self, agent_id: &str) -> Option<PlanFile> {
        self.lock().plan.as_ref()?.for_agent(agent_id)
    }

    pub(crate) fn share_rule(&self, rule: SharedRule) {
        self.lock().rules.push(rule);
    }
    /// Rule changes after the first `known` ones.
    pub(crate) fn rules_since(&self, known: usize) -> Vec<SharedRule> {
        self.lock().rules.get(known..).unwrap_or_default().to_vec()
    }

    fn lock(&self) -> MutexGuard<'_, LiveModeState> {
        self.0.lock_unpoisoned()
    }
}

//! What holds for a session and all its agents at this moment (PM-64): the mode, the plan file, and rules that were given
//! for the session. The main session writes it the moment it changes; every agent reads it before each decision.

use crate::plan_files::PlanFile;
use cutonce_core::mode::{Mode, State};
use cutonce_core::rule::Behavior;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) struct Standing(Mutex<Inner>);

struct Inner {
    mode: Mode,
    /// How often plan mode was entered.
    stays: u32,
    plan: Option<PlanFile>,
    /// What was said about rules for the session, oldest first (PR-7, HO-1).
    rules: Vec<SharedRule>,
}

/// A rule that was given for the session, or taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedRule {
    pub behavior: Behavior,
    pub text: String,
    /// It does not hold any more.
    pub gone: bool,
}

impl Standing {
    pub fn new(state: &State, plan: Option<PlanFile>) -> Standing {
        Standing(Mutex::new(Inner { mode: state.mode(), stays: state.stay(), plan, rules: Vec::new() }))
    }

    /// The mode as of now, and how often plan mode was entered so far.
    pub fn now(&self) -> (Mode, u32) {
        let inner = self.inner();
        (inner.mode, inner.stays)
    }

    /// The main session's mode is another one from here on.
    pub(crate) fn set(&self, state: &State, plan: Option<PlanFile>) {
        let mut inner = self.inner();
        (inner.mode, inner.stays, inner.plan) = (state.mode(), state.stay(), plan);
    }

    /// The agent's own file beside the session's plan (PM-42); None before there is one.
    pub(crate) fn plan_of(&self, agent_id: &str) -> Option<PlanFile> {
        self.inner().plan.as_ref()?.of_agent(agent_id)
    }

    pub(crate) fn share(&self, rule: SharedRule) {
        self.inner().rules.push(rule);
    }
    /// What was said about rules since this much was known.
    pub(crate) fn rules_since(&self, known: usize) -> Vec<SharedRule> {
        self.inner().rules.get(known..).unwrap_or_default().to_vec()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The current mode, plan file and session rules, shared by a session and all its subagents (PM-64). The main session
//! updates it on every change; subagents read it before each decision.

use super::budget::SharedBudget;
use crate::plan::{PlanFile, PlannedContents};
use crate::session::SessionEvent;
use cutonce_core::mode::{Mode, ModeState};
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::plan::progress::Evidence;
use cutonce_core::plan::scope::PlanScope;
use cutonce_core::sync::LockUnpoisoned;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::mpsc;

pub(crate) struct LiveMode {
    state: Mutex<LiveModeState>,
    pub(crate) budget: Arc<SharedBudget>,
}

struct LiveModeState {
    mode: Mode,
    /// How often plan mode was entered.
    plan_visits: u32,
    plan: Option<PlanFile>,
    /// Files that the approved plan may change (PC-20, PC-23).
    scope: Option<PlanScope>,
    /// Planned paths, folders and globs that commands may write without a layer (PC-30).
    watched: Vec<String>,
    /// Where evidence for the approved plan is collected, while it is implemented (PC-30).
    collector: Option<mpsc::UnboundedSender<SessionEvent>>,
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
        let state = LiveModeState {
            mode: state.mode(),
            plan_visits: state.visit_number(),
            plan,
            scope: state.scope().cloned(),
            watched: Vec::new(),
            collector: None,
            rules: Vec::new(),
        };
        LiveMode { state: Mutex::new(state), budget: Arc::new(SharedBudget::new()) }
    }

    /// The scope that decides now; `None` in plan mode.
    pub(crate) fn scope(&self) -> Option<PlanScope> {
        self.lock().scope.clone()
    }

    /// Planned files to compare before and after each command.
    pub(crate) fn watch_files(&self, files: Vec<String>) {
        self.lock().watched = files;
    }

    /// Reads the watched files before a command.
    pub(crate) fn watch_command(&self, root: PathBuf) -> PlannedContents {
        let watched = self.lock().watched.clone();
        PlannedContents::read(root, watched)
    }

    /// Sends what the command wrote as evidence.
    pub(crate) fn command_ended(&self, before: PlannedContents) {
        before.compare().into_iter().for_each(|written| self.observed(written));
    }

    /// Collects evidence from the session and its subagents; `None`: no plan is implemented.
    pub(crate) fn collect_evidence(&self, collector: Option<mpsc::UnboundedSender<SessionEvent>>) {
        self.lock().collector = collector;
    }

    /// Sends evidence to the main session, if a plan is implemented.
    pub(crate) fn observed(&self, evidence: Evidence) {
        if let Some(collector) = &self.lock().collector {
            let _ = collector.send(SessionEvent::Evidence(evidence));
        }
    }

    /// The user adds a file to the contract, by an answer to a subagent's ask (PC-24).
    pub(crate) fn extend_scope(&self, path: &str) {
        if let Some(collector) = &self.lock().collector {
            let _ = collector.send(SessionEvent::ScopeExtended(path.to_string()));
        }
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
        inner.scope = state.scope().cloned();
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
        self.state.lock_unpoisoned()
    }
}

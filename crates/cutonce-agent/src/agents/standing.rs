//! What holds for a session and all its agents at this moment (PM-64): the mode, the plan file, and rules that were given
//! for the session. The main session writes it the moment it changes; every agent reads it before each decision.

use crate::plan_files::PlanFile;
use cutonce_core::mode::{Mode, State};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub struct Standing(Mutex<Inner>);

struct Inner {
    mode: Mode,
    /// How often plan mode was entered.
    stays: u32,
    plan: Option<PlanFile>,
    /// «Yes, and don't ask again» for the session, oldest first (PR-7).
    rules: Vec<String>,
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
    pub fn plan_of(&self, agent_id: &str) -> Option<PlanFile> {
        self.inner().plan.as_ref()?.of_agent(agent_id)
    }

    pub(crate) fn add_rule(&self, rule: &str) {
        self.inner().rules.push(rule.to_string());
    }
    /// Rules that were added since this many were known.
    pub(crate) fn rules_since(&self, known: usize) -> Vec<String> {
        self.inner().rules.get(known..).unwrap_or_default().to_vec()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

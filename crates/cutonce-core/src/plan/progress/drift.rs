//! Drift (PC-35): where the implementation differs from the approved plan.

use super::{Evidence, ObservedWrites, PlanProgress, StepState};
use crate::plan::contract::{PlanStep, matches_path};
use crate::plan::scope::{IndexedScope, PlanScope, ScopeVerdict, ScopedPath};
use crate::settings::plan::ScopeMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A check that did not run, or a check of the whole plan that failed, since the last write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckNotRun {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    pub command: String,
    /// The exit code of a check of the whole plan that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What stopped a check of the whole plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

impl PlanProgress {
    /// Files that changed outside the scope and still differ.
    pub(in crate::plan) fn outside(&self) -> Vec<String> {
        let (scope, writes) = (self.whole_scope(), self.evidence.writes());
        let scope = scope.as_ref().map(PlanScope::indexed);
        let outside = |path: &&str| self.is_outside(scope.as_ref(), &writes, path);
        writes.changed().filter(outside).map(str::to_string).collect()
    }

    /// Files that changed inside the scope.
    pub(super) fn changed_inside(&self) -> Vec<String> {
        let (scope, writes) = (self.whole_scope(), self.evidence.writes());
        let scope = scope.as_ref().map(PlanScope::indexed);
        let inside = |path: &&str| !self.is_outside(scope.as_ref(), &writes, path);
        writes.changed().filter(inside).map(str::to_string).collect()
    }

    /// The scope, even if it is not enforced: drift is reported in any case. A plan without files has no border.
    fn whole_scope(&self) -> Option<PlanScope> {
        self.plan.scope(ScopeMode::Ask)
    }

    fn is_outside(&self, scope: Option<&IndexedScope<'_>>, writes: &ObservedWrites, path: &str) -> bool {
        let target = ScopedPath { path: Some(path), is_ignored: writes.is_exempt(path), ..ScopedPath::default() };
        let is_added = || self.accepted.iter().any(|known| known == path);
        scope.is_some_and(|scope| scope.verdict(target) == ScopeVerdict::Outside) && !is_added()
    }

    /// The user added this file to the contract (PC-24).
    pub fn accept(&mut self, path: &str) {
        self.accepted.push(path.to_string());
    }

    /// Planned files of approved steps that did not change.
    pub(in crate::plan) fn untouched(&self) -> Vec<String> {
        let (mut found, mut known): (Vec<String>, BTreeSet<&str>) = Default::default();
        let guessed: BTreeSet<&String> = self.plan.guessed.iter().collect();
        for step in self.plan.approved_steps().filter(|step| !guessed.contains(&step.id)) {
            let changed = self.changed_files(step);
            for file in &step.files {
                let touched = changed.iter().any(|path| matches_path(&file.path, path));
                if !touched && known.insert(&file.path) {
                    found.push(file.path.clone());
                }
            }
        }
        found
    }

    /// Steps that were written before one that their `after` names.
    pub(in crate::plan) fn out_of_order(&self) -> Vec<String> {
        let early = |step: &&PlanStep| {
            let Some(written) = self.writes(step).first() else { return false };
            step.after.iter().filter(|id| self.plan.excluded(id).is_none()).any(|id| {
                let Some(first) = self.plan.contract.step(id).filter(|first| has_evidence(first)) else { return false };
                let place = |at| self.evidence.place(at);
                self.first_done(first).is_none_or(|done| place(written) < place(done))
            })
        };
        self.plan.approved_steps().filter(early).map(|step| step.id.clone()).collect()
    }

    /// Position of the first write of a step, or of the first passed check if it has no files.
    fn first_done(&self, step: &PlanStep) -> Option<usize> {
        let since = self.since(step);
        let first_pass =
            || step.checks.iter().filter_map(|check| self.evidence.first_pass(check, &self.root, since)).min();
        self.writes(step).first().or_else(|| step.files.is_empty().then(first_pass).flatten())
    }

    /// Checks that did not run after the last write; checks of the whole plan also if they failed.
    pub(in crate::plan) fn checks_not_run(&self) -> Vec<CheckNotRun> {
        let mut found = Vec::new();
        for step in self.plan.approved_steps() {
            let last_write = self.writes(step).last();
            for (check, run) in step.checks.iter().zip(self.last_runs(step)) {
                if run.is_none_or(|(at, _)| Some(at) < last_write) {
                    let (step, command) = (Some(step.id.clone()), check.clone());
                    found.push(CheckNotRun { step, command, exit_code: None, stopped: None });
                }
            }
        }
        let last_write = self.evidence.writes().last_counted();
        for check in &self.plan.contract.checks {
            let (exit_code, stopped) = match self.last_run(check, 0) {
                Some((at, run)) if Some(at) > last_write && run.exit_code == Some(0) => continue,
                Some((at, run)) if Some(at) > last_write => (run.exit_code, run.stopped),
                Some(_) | None => (None, None),
            };
            found.push(CheckNotRun { step: None, command: check.clone(), exit_code, stopped });
        }
        found
    }

    /// Paths of denied writes, each once.
    pub(in crate::plan) fn denied(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for piece in self.evidence() {
            if let Evidence::Denied { path } = piece
                && !found.contains(path)
            {
                found.push(path.clone());
            }
        }
        found
    }

    /// True if a step with files is open: the model must write something. Checks alone are run by the program.
    pub fn has_unwritten_steps(&self) -> bool {
        self.unfinished().iter().any(|(step, state)| *state == StepState::Open && !step.files.is_empty())
    }

    /// Approved steps with files or checks that are open or failed. Of other steps the program sees nothing.
    pub fn open_work(&self) -> Vec<(&PlanStep, StepState)> {
        self.unfinished().into_iter().filter(|(step, _)| has_evidence(step)).collect()
    }

    /// True if no approved step names files or checks, and nothing was written: nothing shows that the plan was
    /// implemented.
    pub(in crate::plan) fn shows_nothing(&self) -> bool {
        !self.plan.can_be_followed() && self.evidence.writes().last().is_none()
    }

    /// Approved steps that are open or failed.
    pub fn unfinished(&self) -> Vec<(&PlanStep, StepState)> {
        let states = self.plan.approved_steps().map(|step| (step, self.state(step)));
        states.filter(|(_, state)| matches!(state, StepState::Open | StepState::Failed)).collect()
    }
}

/// True if the program can see whether the step was done.
pub(super) fn has_evidence(step: &PlanStep) -> bool {
    !step.files.is_empty() || !step.checks.is_empty()
}

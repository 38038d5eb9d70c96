//! Progress of an approved plan (PC-30 to PC-37): evidence in, states and drift out. Evidence is what the program
//! observed; the model's claims never change a state.

mod approved;
mod claims;
mod command;
mod drift;
mod observed;
mod reminder;
mod step_index;

pub use approved::{ApprovedContract, StepAnswer, UnknownStep};
pub use claims::UnprovenClaim;
pub use command::is_same_command;
pub use drift::CheckNotRun;

use super::contract::{FindingKind, PlanContract, PlanStep};
use super::{LiveStep, StepProgress};
use observed::{ObservedEvidence, ObservedWrites};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use step_index::StepIndex;

/// State of a step. Only the program sets it, from evidence (PC-30).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepState {
    /// Nothing of it was written.
    #[default]
    Open,
    /// The files of the step were written and differ from before.
    Changed,
    /// All checks of the step exited 0 after the last write to its files.
    Checked,
    /// The last run of a check exited otherwise.
    Failed,
    Parked,
    Dropped,
}

impl StepState {
    pub fn name(self) -> &'static str {
        match self {
            StepState::Open => "open",
            StepState::Changed => "changed",
            StepState::Checked => "checked",
            StepState::Failed => "failed",
            StepState::Parked => "parked",
            StepState::Dropped => "dropped",
        }
    }
}

/// Something that the program observed during the implementation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Evidence {
    /// A file changed. The hashes are of its content; `None` if there is no file.
    Wrote {
        path: String,
        before: Option<String>,
        after: Option<String>,
        /// The plan file, ignored and temporary files: never outside the scope.
        #[serde(default, skip_serializing_if = "is_false")]
        exempt: bool,
        /// The permissions before and after, if only they changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        modes: Option<[u32; 2]>,
        /// One command wrote this file and the one before: they have no order.
        #[serde(default, skip_serializing_if = "is_false")]
        together: bool,
    },
    /// A command ended; no exit code if it was stopped.
    Ran {
        command: String,
        exit_code: Option<i32>,
        /// What stopped it, if it has no exit code: a limit with its value and setting, the user, or a signal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stopped: Option<String>,
        by: CheckRunner,
        at: String,
        /// The end of what it printed. The transcript has it in the call's result.
        #[serde(skip)]
        output: String,
    },
    /// A planned file that someone else changed, as the user accepted it; or one that a hook of the session changed
    /// after its write (PC-13).
    Seen { path: String, after: Option<String> },
    /// A write outside the scope was denied. This is no drift.
    Denied { path: String },
    /// The model was reminded of open steps at the end of its turn (PC-33).
    Reminded,
    /// What a turn of the implementation cost.
    Spent { micro_usd: u64, millis: u64 },
}

impl Evidence {
    /// A file changed its content.
    pub fn wrote(path: impl Into<String>, before: Option<String>, after: Option<String>) -> Evidence {
        Evidence::Wrote { path: path.into(), before, after, exempt: false, modes: None, together: false }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Who ran a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckRunner {
    Model,
    Program,
}

/// The last run of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckRun {
    pub command: String,
    pub exit_code: Option<i32>,
    /// What stopped it, if it has no exit code: a limit with its value and setting, the user, or a signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    pub by: CheckRunner,
    pub at: String,
    /// The end of what it printed, as long as the session runs.
    #[serde(skip)]
    pub output: String,
}

/// The writes to the files of a step: counted as they come, because a step can have many files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct StepWrites {
    /// Position of the last one.
    last: Option<usize>,
    /// Number of files that differ from before the step.
    changed: usize,
}

/// An approved plan with the evidence so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanProgress {
    plan: ApprovedContract,
    /// Root of the workspace, to recognise `cd ROOT`.
    root: String,
    evidence: ObservedEvidence,
    index: StepIndex,
    /// What the writes to the files of a step come to, by its id.
    written: BTreeMap<String, StepWrites>,
    /// Number of pieces of evidence that are older than the step, by id. Steps of an amendment start later.
    since: BTreeMap<String, usize>,
    /// Files that an earlier revision allowed.
    accepted: Vec<String>,
    /// Number of pieces of evidence that are older than the last approval.
    approved_at: usize,
}

impl PlanProgress {
    pub fn new(plan: ApprovedContract, root: impl Into<String>) -> PlanProgress {
        let (evidence, since, accepted, root) = (ObservedEvidence::default(), BTreeMap::new(), vec![], root.into());
        let index = StepIndex::new(&plan.contract.steps, &root);
        let written = BTreeMap::new();
        PlanProgress { plan, root, evidence, index, written, since, accepted, approved_at: 0 }
    }

    pub fn plan(&self) -> &ApprovedContract {
        &self.plan
    }

    /// The steps with their states, for front ends (PC-32).
    pub fn live_steps(&self) -> Vec<LiveStep> {
        let steps = self.plan.contract.steps.iter();
        steps.map(|step| LiveStep { id: step.id.clone(), title: step.title.clone(), state: self.state(step) }).collect()
    }

    pub fn evidence(&self) -> &[Evidence] {
        self.evidence.pieces()
    }

    /// Takes a piece of evidence; returns the steps whose state changed, and those whose check failed once more.
    pub fn observe(&mut self, evidence: Evidence) -> Vec<(String, StepState)> {
        let about = self.index.steps_of(&evidence, &self.root);
        let states = |progress: &PlanProgress| -> Vec<(String, StepState)> {
            let steps = about.iter().filter_map(|at| progress.plan.contract.steps.get(*at));
            steps.map(|step| (step.id.clone(), progress.state(step))).collect()
        };
        let before = states(self);
        let failed = matches!(evidence, Evidence::Ran { exit_code, .. } if exit_code != Some(0));
        match evidence {
            Evidence::Wrote { ref before, ref after, modes: None, .. } if before == after => {}
            Evidence::Wrote { ref path, .. } => {
                let path = path.clone();
                self.count_write(&about, &path, |written, is_changed| {
                    written.changed = written.changed.saturating_sub(usize::from(is_changed));
                });
                let at = self.evidence().len();
                self.evidence.push(evidence, &self.root);
                self.count_write(&about, &path, |written, is_changed| {
                    (written.last, written.changed) = (Some(at), written.changed + usize::from(is_changed));
                });
            }
            other => self.evidence.push(other, &self.root),
        }
        let changed = states(self).into_iter().zip(before);
        changed.filter(|(now, old)| failed || now != old).map(|(now, _)| now).collect()
    }

    /// Updates the counts of these steps; `update` gets whether the file differs from before the step.
    fn count_write(&mut self, steps: &BTreeSet<usize>, path: &str, update: impl Fn(&mut StepWrites, bool)) {
        for step in steps.iter().filter_map(|at| self.plan.contract.steps.get(*at)) {
            let since = self.since.get(&step.id).copied().unwrap_or_default();
            let is_changed = self.evidence.is_changed(path, since);
            update(self.written.entry(step.id.clone()).or_default(), is_changed);
        }
    }

    /// True if this command is a check of an approved step or of the whole plan (PC-31).
    pub fn is_check(&self, command: &str) -> bool {
        let checks = self.plan.approved_steps().flat_map(|step| &step.checks).chain(&self.plan.contract.checks);
        checks.into_iter().any(|check| is_same_command(check, command, &self.root))
    }

    /// The hash of a planned file as this session knows it: from its last write, or from the approval. `None` if it
    /// knows nothing about the file (PC-13).
    pub fn known_content(&self, path: &str) -> Option<Option<&str>> {
        let since_approval = self.evidence().iter().skip(self.approved_at).rev();
        let last = since_approval.filter_map(|evidence| match evidence {
            Evidence::Wrote { path, after, .. } | Evidence::Seen { path, after } => Some((path, after)),
            _ => None,
        });
        let known = last.into_iter().find(|(known, _)| *known == path).map(|(_, after)| after);
        known.or_else(|| self.plan.stamp.get(path)).map(Option::as_deref)
    }

    /// True if this session wrote the file.
    pub fn has_written(&self, path: &str) -> bool {
        self.evidence.has_written(path)
    }

    /// How often the model was reminded of open steps at the end of a turn, since the last approval.
    pub fn end_reminders(&self) -> usize {
        self.evidence().iter().skip(self.approved_at).filter(|evidence| matches!(evidence, Evidence::Reminded)).count()
    }

    /// Dollars that turns since the last approval took, for the budget.
    pub fn spent_of_budget(&self) -> f64 {
        self.spent_since(self.approved_at).0
    }

    /// Dollars and seconds that earlier turns of the implementation took.
    pub fn spent(&self) -> (f64, f64) {
        self.spent_since(0)
    }

    fn spent_since(&self, start: usize) -> (f64, f64) {
        let turns = self.evidence().iter().skip(start).filter_map(|evidence| match evidence {
            Evidence::Spent { micro_usd, millis } => Some((*micro_usd as f64 / 1e6, *millis as f64 / 1e3)),
            _ => None,
        });
        turns.fold((0.0, 0.0), |sum, turn| (sum.0 + turn.0, sum.1 + turn.1))
    }

    /// A step with the evidence for its state, for hosts (PC-32).
    pub fn step_progress(&self, id: &str) -> Option<StepProgress> {
        let step = self.plan.contract.step(id)?;
        let last = self.last_runs(step).into_iter().flatten().max_by_key(|(at, _)| *at).map(|(_, run)| run);
        Some(StepProgress {
            step: step.id.clone(),
            state: self.state(step),
            files: self.changed_files(step),
            exit_code: last.as_ref().and_then(|run| run.exit_code),
            stopped: last.as_ref().and_then(|run| run.stopped.clone()),
            output: last.as_ref().map(|run| run.output.clone()).unwrap_or_default(),
            check: last.map(|run| run.command),
        })
    }

    /// States of all steps, in order.
    pub fn states(&self) -> Vec<(String, StepState)> {
        self.plan.contract.steps.iter().map(|step| (step.id.clone(), self.state(step))).collect()
    }

    /// State of one step (PC-30).
    pub fn state(&self, step: &PlanStep) -> StepState {
        if let Some(state) = self.plan.excluded(&step.id) {
            return state;
        }
        let last_runs = self.last_runs(step);
        let failed = last_runs.iter().flatten().any(|(_, run)| run.exit_code != Some(0));
        let written = self.written.get(&step.id).copied().unwrap_or_default();
        let (last_write, is_changed) = (written.last, written.changed > 0);
        let fresh = |run: &Option<(usize, CheckRun)>| run.as_ref().is_some_and(|(at, _)| Some(*at) > last_write);
        let passed = !last_runs.is_empty() && !failed && last_runs.iter().all(fresh);
        match (failed, is_changed || step.files.is_empty()) {
            (true, _) => StepState::Failed,
            (false, true) if passed => StepState::Checked,
            (false, _) if is_changed => StepState::Changed,
            (false, _) => StepState::Open,
        }
    }

    /// Position of the first evidence of a step.
    fn since(&self, step: &PlanStep) -> usize {
        self.since.get(&step.id).copied().unwrap_or_default()
    }

    /// Writes to the files of a step.
    fn writes(&self, step: &PlanStep) -> ObservedWrites<'_> {
        self.evidence.writes_of(step, self.since(step))
    }

    fn counted_writes(&self, step: &PlanStep) -> StepWrites {
        let writes = self.writes(step);
        StepWrites { last: writes.last(), changed: writes.changed().count() }
    }

    /// Files of a step that differ from before it.
    pub(in crate::plan) fn changed_files(&self, step: &PlanStep) -> Vec<String> {
        self.writes(step).changed().map(str::to_string).collect()
    }

    /// The last run of each check of a step, with its position.
    pub(in crate::plan) fn last_runs(&self, step: &PlanStep) -> Vec<Option<(usize, CheckRun)>> {
        let since = self.since(step);
        step.checks.iter().map(|check| self.last_run(check, since)).collect()
    }

    fn last_run(&self, check: &str, since: usize) -> Option<(usize, CheckRun)> {
        self.evidence.last_run(check, &self.root, since)
    }

    /// Checks that have not passed since the last write, each once (PC-31). The program runs them at the end.
    pub fn pending_checks(&self) -> Vec<String> {
        let mut pending: Vec<String> = Vec::new();
        let steps = self.plan.approved_steps();
        let of_steps = steps.flat_map(|step| {
            let last_write = self.writes(step).last();
            step.checks.iter().zip(self.last_runs(step)).map(move |(check, run)| (check, run, last_write))
        });
        let last_write = self.evidence.writes().last_counted();
        let of_plan = self.plan.contract.checks.iter().map(|check| (check, self.last_run(check, 0), last_write));
        for (check, run, last_write) in of_steps.chain(of_plan) {
            let passed = run.is_some_and(|(at, run)| run.exit_code == Some(0) && Some(at) > last_write);
            if !passed && !pending.contains(check) {
                pending.push(check.clone());
            }
        }
        pending
    }

    /// Replaces the plan by an amended revision (PC-40). Checked steps that are still in the plan keep their files,
    /// checks and evidence; changed and new steps start now.
    pub fn amend(&mut self, mut plan: ApprovedContract) {
        let now = self.evidence().len();
        let mut since = BTreeMap::new();
        for step in &mut plan.contract.steps {
            let old = self.plan.contract.steps.iter().find(|old| is_same_title(&old.title, &step.title));
            let locked = old.filter(|old| self.state(old) == StepState::Checked);
            if let Some(old) = locked {
                step.files.clone_from(&old.files);
                step.checks.clone_from(&old.checks);
            }
            let same = old.filter(|old| old.files == step.files && old.checks == step.checks);
            let start = same.map_or(now, |old| self.since.get(&old.id).copied().unwrap_or_default());
            since.insert(step.id.clone(), start);
        }
        let allowed = self.changed_inside();
        self.accepted.extend(allowed);
        self.index = StepIndex::new(&plan.contract.steps, &self.root);
        (self.plan, self.since, self.approved_at) = (plan, since, now);
        let counted = self.plan.contract.steps.iter().map(|step| (step.id.clone(), self.counted_writes(step)));
        self.written = counted.collect();
    }

    /// Marks the steps of an amendment that are checked already: they are locked; and those that it does not change
    /// (PC-40). `texts`: the approved and the amended plan, if known. That files of known steps are there or gone is
    /// what the implementation did, and no finding.
    pub fn mark_known(&self, contract: &mut PlanContract, texts: Option<(&str, &str)>) {
        let mut known: Vec<Option<String>> = Vec::new();
        for step in &mut contract.steps {
            let old = self.plan.contract.steps.iter().find(|old| is_same_title(&old.title, &step.title));
            let same_fields =
                |old: &PlanStep| (&old.files, &old.checks, &old.after) == (&step.files, &step.checks, &step.after);
            let same_text = |old: &PlanStep| texts.is_none_or(|(before, now)| body(old, before) == body(step, now));
            let is_same = old.is_some_and(|old| same_fields(old) && same_text(old));
            let state = old.map(|old| self.state(old));
            step.state = state.filter(|state| is_same || *state == StepState::Checked);
            known.extend(old.map(|_| Some(step.id.clone())));
        }
        let about_files = |kind| matches!(kind, FindingKind::FileExists | FindingKind::MissingFile);
        contract.findings.retain(|finding| !about_files(finding.kind) || !known.contains(&finding.step));
    }
}

/// What a step says below its first line.
fn body<'a>(step: &PlanStep, plan: &'a str) -> Vec<&'a str> {
    let [first, last] = step.lines.map(|line| line as usize);
    let lines = plan.lines().skip(first).take(last.saturating_sub(first)).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

fn is_same_title(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

#[cfg(test)]
mod tests;

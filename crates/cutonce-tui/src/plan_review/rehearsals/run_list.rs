//! The rehearsals of the plan that waits, as their events tell. The app keeps the list while the review is closed.

use cutonce_core::plan::progress::StepAnswer;
use cutonce_core::plan::rehearsal::{RehearsalEvent, RehearsalNews, RehearsalResult, RehearsedCheck};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Calls that the page of a running rehearsal keeps.
const MAX_CALLS: usize = 500;

pub type SharedRehearsals = Rc<RefCell<RehearsalList>>;

#[derive(Debug, Default)]
pub struct RehearsalList {
    pub(super) runs: Vec<RehearsalRun>,
    /// The user ordered one that has not started yet.
    pub(super) starting: bool,
    /// A message for the review.
    pub notice: Option<String>,
    /// Answers about steps that the next one starts with.
    pub ordered_steps: BTreeMap<String, StepAnswer>,
}

#[derive(Debug, Clone)]
pub(super) struct RehearsalRun {
    pub id: String,
    pub model: Option<String>,
    /// The plan's revision, if it is not the one that waits.
    pub revision: Option<u32>,
    /// The name by which it is kept.
    pub kept_as: Option<String>,
    /// Answers about steps that it started with.
    pub steps: BTreeMap<String, StepAnswer>,
    pub calls: Vec<String>,
    pub call_count: u32,
    pub state: RunState,
    /// Files that are not applied, as the diff names them.
    pub taken_out: BTreeSet<String>,
}

#[derive(Debug, Clone)]
pub(super) enum RunState {
    Running,
    Finished(Arc<FinishedRun>),
    /// Ended without a result.
    Stopped(String),
}

#[derive(Debug)]
pub(super) struct FinishedRun {
    pub passed: bool,
    pub result: RehearsalResult,
    pub checks: Vec<RehearsedCheck>,
}

impl RehearsalRun {
    pub fn is_running(&self) -> bool {
        matches!(self.state, RunState::Running)
    }
}

impl RehearsalList {
    /// Takes an event in. Returns a sentence about a rehearsal that ended, for a user who does not see the review.
    pub fn apply(&mut self, event: &RehearsalEvent) -> Option<String> {
        let id = crate::render::text::one_line(&event.id);
        let at = self.runs.iter().position(|run| run.id == event.id);
        match &event.news {
            RehearsalNews::Started { model, revision } => {
                self.starting = false;
                self.runs.push(RehearsalRun {
                    id: event.id.clone(),
                    model: model.clone(),
                    revision: *revision,
                    kept_as: None,
                    steps: std::mem::take(&mut self.ordered_steps),
                    calls: Vec::new(),
                    call_count: 0,
                    state: RunState::Running,
                    taken_out: BTreeSet::new(),
                });
                None
            }
            RehearsalNews::Progress { text, calls } => {
                let run = self.runs.get_mut(at?)?;
                run.calls.push(text.clone());
                run.calls.drain(..run.calls.len().saturating_sub(MAX_CALLS));
                run.call_count = *calls;
                None
            }
            RehearsalNews::Finished { passed, result, checks } => {
                let finished = FinishedRun { passed: *passed, result: (**result).clone(), checks: checks.clone() };
                self.runs.get_mut(at?)?.state = RunState::Finished(Arc::new(finished));
                let outcome = if *passed { "passed" } else { "did not pass" };
                Some(format!("The rehearsal {id} {outcome}. Your files did not change; ctrl+p shows the result."))
            }
            RehearsalNews::Stopped { why } => {
                let run = self.runs.get_mut(at?)?;
                if !run.is_running() {
                    self.runs.remove(at?);
                    return None;
                }
                run.state = RunState::Stopped(why.clone());
                Some(format!("The rehearsal {id} ended: {}.", crate::render::text::one_line(why)))
            }
            RehearsalNews::Kept { name } => {
                let name = crate::render::text::one_line(name);
                self.runs.get_mut(at?)?.kept_as = Some(name.clone());
                self.notice = Some(format!("kept for `cutonce rehearsals` as {name}"));
                None
            }
            RehearsalNews::NotKept { why } => {
                self.notice = Some(format!("not kept: {why}"));
                None
            }
            RehearsalNews::NotApplied { why } => {
                self.notice = Some(format!("nothing was applied: {why}"));
                None
            }
        }
    }

    /// The order was refused.
    pub fn refused(&mut self, why: &str) {
        self.starting = false;
        self.notice = Some(format!("no rehearsal: {why}"));
    }
}

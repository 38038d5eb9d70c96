//! Plan events for hosts (PM-143). The sender adds session id, time and agent id.

use super::PlanPhase;
use crate::mode::Mode;
use crate::plan::approval::{ChoiceKey, PlanExitRequest, QuotedComment};
use crate::plan::progress::StepState;
use crate::plan::rehearsal::RehearsalEvent;
use crate::plan::report::PlanReport;
use crate::protocol::answerer::Answerer;
use crate::protocol::event::{AskKind, AskView, EventKind};
use crate::protocol::submission::ChangedBy;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum PlanEvent {
    #[serde(rename = "mode.changed")]
    ModeChanged { from: Mode, to: Mode, by: ChangedBy },
    #[serde(rename = "plan.enter")]
    Enter { plan_file_path: String, plan_exists: bool },
    #[serde(rename = "plan.phase")]
    Phase { phase: PlanPhase },
    #[serde(rename = "plan.file")]
    File { sha256: String },
    #[serde(rename = "plan.exit_request")]
    ExitRequest(Box<PlanExitRequest>),
    #[serde(rename = "plan.approved")]
    Approved { choice: ChoiceKey, mode: Mode, edited: bool, by: Answerer },
    #[serde(rename = "plan.denied")]
    Denied { feedback: Option<String>, comments: Vec<QuotedComment>, by: Answerer },
    #[serde(rename = "plan.implement")]
    Implement { plan_file_path: String, plan_content: String },
    /// The state of a step changed (PC-32).
    #[serde(rename = "plan.step")]
    Step(StepProgress),
    /// The program ran a check of the plan (PC-31). The output is its end.
    #[serde(rename = "plan.check")]
    Check {
        command: String,
        exit_code: Option<i32>,
        /// What stopped it, if it has no exit code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stopped: Option<String>,
        output: String,
    },
    /// The implementation ended, or its turn did (PC-35).
    #[serde(rename = "plan.report")]
    Report(Box<PlanReport>),
    /// News of a rehearsal (RH-1, RH-2).
    #[serde(rename = "plan.rehearsal")]
    Rehearsal(Box<RehearsalEvent>),
}

/// A step of the plan that is being implemented, as front ends show it (PC-32).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveStep {
    pub id: String,
    pub title: String,
    pub state: StepState,
}

/// The new state of a step, with the evidence for it (PC-32).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepProgress {
    pub step: String,
    pub state: StepState,
    /// Files of the step that differ from before.
    pub files: Vec<String>,
    /// The check that ran last.
    pub check: Option<String>,
    pub exit_code: Option<i32>,
    /// What stopped it, if it has no exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The end of what that check printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl EventKind {
    /// True if others than the front end may want to look at the session from now on (RV-1).
    pub fn is_reviewable(&self) -> bool {
        matches!(self, EventKind::Ask(_) | EventKind::Plan(PlanEvent::Step(_)))
    }
}

impl PlanEvent {
    /// True for what happens to a plan after its submission: rehearsals, the decision, the implementation.
    pub fn is_progress(&self) -> bool {
        use PlanEvent::{Approved, Denied, Implement, Rehearsal, Report, Step};
        matches!(self, Approved { .. } | Denied { .. } | Implement { .. } | Step(_) | Report(_) | Rehearsal(_))
    }
}

impl AskView {
    /// The plan that this ask wants to be approved, if it is about a plan.
    pub fn exit_request(&self) -> Option<&PlanExitRequest> {
        match &self.kind {
            AskKind::Plan { request, .. } => Some(request),
            AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => None,
        }
    }
    /// The event that comes before the ask: a plan's exit request has its own (PM-143).
    pub fn announcement(&self) -> Option<EventKind> {
        self.exit_request().map(|request| EventKind::Plan(PlanEvent::ExitRequest(Box::new(request.clone()))))
    }
}

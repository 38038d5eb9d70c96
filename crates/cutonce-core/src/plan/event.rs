//! Plan events for hosts (PM-143). The sender adds session id, time and agent id.

use super::PlanPhase;
use crate::mode::Mode;
use crate::plan::approval::{ChoiceKey, PlanExitRequest, QuotedComment};
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
    Approved { choice: ChoiceKey, mode: Mode, edited: bool },
    #[serde(rename = "plan.denied")]
    Denied { feedback: Option<String>, comments: Vec<QuotedComment> },
    #[serde(rename = "plan.implement")]
    Implement { plan_file_path: String, plan_content: String },
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

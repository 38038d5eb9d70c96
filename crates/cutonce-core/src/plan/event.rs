//! The events of a plan's life, as hosts see them (PM-143). Session id, time and agent id are added where they are sent.

use super::Phase;
use crate::approval::{ChoiceKey, QuotedComment, Request};
use crate::mode::Mode;
use crate::submission::By;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum PlanEvent {
    #[serde(rename = "mode.changed")]
    ModeChanged { from: Mode, to: Mode, by: By },
    #[serde(rename = "plan.enter")]
    Enter { plan_file_path: String, plan_exists: bool },
    #[serde(rename = "plan.phase")]
    Phase { phase: Phase },
    #[serde(rename = "plan.file")]
    File { sha256: String },
    #[serde(rename = "plan.exit_request")]
    ExitRequest(Box<Request>),
    #[serde(rename = "plan.approved")]
    Approved { choice: ChoiceKey, mode: Mode, edited: bool },
    #[serde(rename = "plan.denied")]
    Denied { feedback: Option<String>, comments: Vec<QuotedComment> },
    #[serde(rename = "plan.implement")]
    Implement { plan_file_path: String, plan_content: String },
}

//! Messages about a teammate's plan (PM-131 to PM-134): the request, the lead's answer, and what models read of them.

use super::approval_requests::TeamRequest;
use super::content::{ControlMessage, MessageContent};
use super::message::{TeamMessage, is_valid_id};
use super::render::escape_tags;
use crate::mode::Mode;
use crate::plan;
use crate::text::template::fill_template;
use serde::{Deserialize, Serialize};

/// What a teammate observed for the lead's plan (PC-30).
pub use crate::plan::progress::Evidence as WorkEvidence;
/// The scope of the lead's plan, as its teammates get it (PC-23).
pub use crate::plan::scope::PlanScope as LeadScope;

/// A teammate asks the lead to approve its plan (PM-131).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanApprovalRequest {
    pub from: String,
    pub timestamp: String,
    pub plan_file_path: String,
    pub plan_content: String,
    pub sha256: String,
    pub request_id: String,
}

/// The lead's answer (PM-132). `plan_content`: the plan as edited by the lead's user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanApprovalResponse {
    pub request_id: String,
    pub approved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_content: Option<String>,
}

impl PlanApprovalRequest {
    /// Checks that the request is about its sender's plan and that the hash matches.
    pub(super) fn check(&self, message: &TeamMessage) -> Result<(), &'static str> {
        if self.from != message.from {
            return Err("`from` is not the sender");
        }
        if !is_valid_id(&self.request_id) {
            return Err("`requestId` is not a valid id");
        }
        if self.sha256 != plan::sha256_hex(&self.plan_content) {
            return Err("`sha256` does not match the plan");
        }
        if self.plan_file_path.len() > 4096 || !plan::has_content(&self.plan_content) {
            return Err("it contains no plan");
        }
        Ok(())
    }
}

/// Text of a plan approval request for the lead's model; `None` for other messages.
pub(super) fn request_for_model(content: &MessageContent) -> Option<String> {
    let MessageContent::Control(ControlMessage::Request(TeamRequest::Plan(request))) = content else { return None };
    let values = [
        ("from", request.from.as_str()),
        ("request", &request.request_id),
        ("path", &request.plan_file_path),
        ("plan", &request.plan_content),
    ];
    Some(fill_template(include_str!("asked.md").trim_end(), &values))
}

impl PlanApprovalResponse {
    /// What the lead answered, for a user.
    pub fn describe(&self) -> String {
        let decided = if self.approved { "approves" } else { "rejects" };
        match &self.feedback {
            Some(words) => format!("{decided} the plan: {words}"),
            None => format!("{decided} the plan"),
        }
    }
}

/// Result of ExitPlanMode for a teammate that must wait (PM-131).
pub fn wait_for_lead_result(path: &str, request_id: &str) -> String {
    fill_template(include_str!("wait_for_lead.md").trim_end(), &[("path", path), ("request", request_id)])
}

/// Error for a missing plan file (PM-131).
pub fn no_plan_file_error(path: &str) -> String {
    fill_template(include_str!("no_plan_file.md").trim_end(), &[("path", path)])
}

/// Result if the lead is in plan mode itself, or its mode is unknown (PM-133).
pub fn lead_still_plans_result(why: &str) -> String {
    fill_template(include_str!("not_yet_free.md").trim_end(), &[("why", why)])
}

/// Message for the teammate after an approval (PM-132).
pub fn lead_approved_message(mode: Mode, path: &str, feedback: Option<&str>, plan: Option<&str>) -> String {
    let edited = match plan {
        Some(plan) => format!("\n\nThe plan as it was edited and approved:\n{}", escape_tags(plan)),
        None => String::new(),
    };
    let feedback = format_feedback(feedback);
    let values = [("mode", mode.name()), ("path", path), ("feedback", &feedback), ("edited", &edited)];
    fill_template(include_str!("approved.md").trim_end(), &values)
}

/// Message for the teammate after a rejection (PM-132).
pub fn lead_rejected_message(path: &str, feedback: Option<&str>, edited: bool) -> String {
    let feedback = format_feedback(feedback);
    let edited = if edited { "\n\nThe lead's user edited the plan file: read it again." } else { "" };
    fill_template(
        include_str!("rejected.md").trim_end(),
        &[("path", path), ("feedback", &feedback), ("edited", edited)],
    )
}

/// Result if the teammate leaves plan mode by its own choice (PM-133).
pub fn left_plan_mode_result(mode: Mode, path: &str) -> String {
    fill_template(include_str!("free.md").trim_end(), &[("mode", mode.name()), ("path", path)])
}

/// Message if the approved plan is not the current one any more (PM-132).
pub fn stale_approval_message(path: &str) -> String {
    fill_template(include_str!("stale.md").trim_end(), &[("path", path)])
}

fn format_feedback(feedback: Option<&str>) -> String {
    feedback.map(|words| format!("\n\nThe lead says:\n{}", escape_tags(words))).unwrap_or_default()
}

/// Tells the lead's model that its user already answered (PM-134).
pub fn answered_by_user_message(from: &str, request_id: &str, approved: bool) -> String {
    let what = if approved { "approved" } else { "rejected" };
    format!("The user {what} the plan of {from} (request {request_id}). There is nothing left to answer.")
}

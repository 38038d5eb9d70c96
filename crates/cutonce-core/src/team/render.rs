//! Renders team messages and request outcomes as text for a model. Text of others is quoted, so it never
//! reads as an instruction of the program.

use super::content::{MessageContent, parse_content};
use super::message::{MessageKind, TeamMessage};
use crate::plan::mode::Mode;
use crate::text::sanitize::sanitize_for_model;
use crate::text::template::fill_template;

/// Start of a teammate's message; `prompts` uses it to tell such messages from user text.
pub const MESSAGE_TAG_START: &str = "<teammate-message ";

/// Renders a message for the receiver's model.
pub fn render_for_model(message: &TeamMessage) -> String {
    let body = match parse_content(message) {
        MessageContent::PlanApprovalRequest(request) => {
            let values = [
                ("from", request.from.as_str()),
                ("request", &request.request_id),
                ("path", &request.plan_file_path),
                ("plan", &request.plan_content),
            ];
            return quote_message(message, &fill_template(include_str!("asked.md").trim_end(), &values));
        }
        MessageContent::Text
        | MessageContent::PlanApprovalResponse(_)
        | MessageContent::PermissionRequest(_)
        | MessageContent::PermissionResponse(_)
        | MessageContent::PermissionWithdrawn { .. }
        | MessageContent::TeammateStatus { .. }
        | MessageContent::Shutdown
        | MessageContent::Invalid { .. } => &message.text,
    };
    quote_message(message, body)
}

fn quote_message(message: &TeamMessage, body: &str) -> String {
    let quote = wrap_in_message_tag(&message.from, &message.id, &escape_tags(body.trim()));
    match message.kind {
        MessageKind::Words | MessageKind::Control => quote,
        MessageKind::PlanningWords => format!("{quote}\n{}", include_str!("lead_plans.md").trim_end()),
    }
}

/// Wraps a text in the message tag; by the id, a restarted session knows that it already has the message
/// (TM-2).
pub fn wrap_in_message_tag(from: &str, id: &str, text: &str) -> String {
    format!("{MESSAGE_TAG_START}from=\"{from}\" id=\"{id}\">\n{text}\n</teammate-message>")
}

/// Renders a message for the user; a control message becomes a short description.
pub fn render_for_user(message: &TeamMessage) -> String {
    let about = match parse_content(message) {
        MessageContent::Text => return message.text.clone(),
        MessageContent::PlanApprovalRequest(_) => "asks for approval of its plan",
        MessageContent::PlanApprovalResponse(response) => match (response.approved, response.feedback) {
            (_, Some(words)) => {
                return format!("{} the plan: {words}", if response.approved { "approves" } else { "rejects" });
            }
            (true, None) => "approves the plan",
            (false, None) => "rejects the plan",
        },
        MessageContent::PermissionRequest(_) => "asks for permission for a call",
        MessageContent::PermissionResponse(_) => "answers a permission request",
        MessageContent::PermissionWithdrawn { .. } => "withdraws its request",
        MessageContent::TeammateStatus { state } => state.describe(),
        MessageContent::Shutdown => "ends the team",
        MessageContent::Invalid { .. } => "sends an invalid message",
    };
    about.to_string()
}

/// The message id in a rendered text, if it is one.
pub fn rendered_message_id(text: &str) -> Option<&str> {
    let head = text.strip_prefix(MESSAGE_TAG_START)?.lines().next()?;
    head.split_once(" id=\"")?.1.strip_suffix("\">")
}

/// Escapes tags, so that quoted text can't look like the end of the quote or like text of the program.
fn escape_tags(text: &str) -> String {
    let clean = sanitize_for_model(text);
    let tags = ["</teammate-message", "<teammate-message", "<system-reminder", "</system-reminder"];
    tags.iter().fold(clean.into_owned(), |text, tag| text.replace(tag, &tag.replace('<', "&lt;")))
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

/// Team section of a teammate's system prompt.
pub fn team_prompt(team: &str, name: &str, others: &[String], plan_required: bool) -> String {
    let plan = if plan_required { include_str!("plan_required.md").trim_end() } else { "" };
    let others = if others.is_empty() { "none".to_string() } else { others.join(", ") };
    let values = [("team", team), ("name", name), ("others", &others), ("plan", plan)];
    fill_template(include_str!("welcome.md").trim_end(), &values)
}

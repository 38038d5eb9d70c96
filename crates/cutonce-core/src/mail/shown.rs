//! Messages and what becomes of requests, in words for a model. What others say is quoted: it is never an instruction of ours.

use super::content::{Content, content};
use super::message::{Message, MessageKind};
use crate::harmless::for_model;
use crate::mode::Mode;
use crate::template::fill;

/// How a message of a teammate begins; `prompts::said_in` knows by it that these are not the person's words.
pub const OPENING: &str = "<teammate-message ";

/// A message as its reader's model sees it.
pub fn shown(message: &Message) -> String {
    let body = match content(message) {
        Content::PlanApprovalRequest(request) => {
            let values = [
                ("from", request.from.as_str()),
                ("request", &request.request_id),
                ("path", &request.plan_file_path),
                ("plan", &request.plan_content),
            ];
            return quoted(message, &fill(include_str!("asked.md").trim_end(), &values));
        }
        Content::Words
        | Content::PlanApprovalResponse(_)
        | Content::PermissionRequest(_)
        | Content::PermissionResponse(_)
        | Content::PermissionWithdrawn { .. }
        | Content::TeammateStatus { .. }
        | Content::Shutdown
        | Content::Broken { .. } => &message.text,
    };
    quoted(message, body)
}

fn quoted(message: &Message, body: &str) -> String {
    let quote = framed(&message.from, &message.id, &tame(body.trim()));
    match message.kind {
        MessageKind::Words | MessageKind::Control => quote,
        MessageKind::PlanningWords => format!("{quote}\n{}", include_str!("lead_plans.md").trim_end()),
    }
}

/// What the program says about a message, in the same frame: the id tells a restarted session that it was had (TM-2).
pub fn framed(from: &str, id: &str, text: &str) -> String {
    format!("{OPENING}from=\"{from}\" id=\"{id}\">\n{text}\n</teammate-message>")
}

/// A message as people read it: of a control message what it is about, not how it is written.
pub fn told(message: &Message) -> String {
    let about = match content(message) {
        Content::Words => return message.text.clone(),
        Content::PlanApprovalRequest(_) => "asks for an answer to its plan",
        Content::PlanApprovalResponse(response) => match (response.approved, response.feedback) {
            (_, Some(words)) => {
                return format!("{} the plan: {words}", if response.approved { "approves" } else { "rejects" });
            }
            (true, None) => "approves the plan",
            (false, None) => "rejects the plan",
        },
        Content::PermissionRequest(_) => "asks for a call to be allowed",
        Content::PermissionResponse(_) => "answers whether a call is allowed",
        Content::PermissionWithdrawn { .. } => "asks no more",
        Content::TeammateStatus { state } => state.describe(),
        Content::Shutdown => "ends the team",
        Content::Broken { .. } => "sends what can't be read",
    };
    about.to_string()
}

/// The id of the message that a text of the conversation shows.
pub fn shown_id(text: &str) -> Option<&str> {
    let head = text.strip_prefix(OPENING)?.lines().next()?;
    head.split_once(" id=\"")?.1.strip_suffix("\">")
}

/// Nothing inside can look like the end of the quote, or like words of the program.
fn tame(text: &str) -> String {
    let clean = for_model(text);
    let tags = ["</teammate-message", "<teammate-message", "<system-reminder", "</system-reminder"];
    tags.iter().fold(clean.into_owned(), |text, tag| text.replace(tag, &tag.replace('<', "&lt;")))
}

/// PM-131: the result of ExitPlanMode.
pub fn wait_for_lead(path: &str, request_id: &str) -> String {
    fill(include_str!("wait_for_lead.md").trim_end(), &[("path", path), ("request", request_id)])
}

/// PM-131.
pub fn no_plan_file(path: &str) -> String {
    fill(include_str!("no_plan_file.md").trim_end(), &[("path", path)])
}

/// PM-133: the lead plans itself, or nobody knows what it may.
pub fn not_yet_free(why: &str) -> String {
    fill(include_str!("not_yet_free.md").trim_end(), &[("why", why)])
}

/// PM-132.
pub fn approved(mode: Mode, path: &str, feedback: Option<&str>, plan: Option<&str>) -> String {
    let edited = match plan {
        Some(plan) => format!("\n\nThe plan as it was edited and approved:\n{}", tame(plan)),
        None => String::new(),
    };
    let feedback = said(feedback);
    let values = [("mode", mode.name()), ("path", path), ("feedback", &feedback), ("edited", &edited)];
    fill(include_str!("approved.md").trim_end(), &values)
}

/// PM-132.
pub fn rejected(path: &str, feedback: Option<&str>, edited: bool) -> String {
    let feedback = said(feedback);
    let edited = if edited { "\n\nThe lead's user edited the plan file: read it again." } else { "" };
    fill(include_str!("rejected.md").trim_end(), &[("path", path), ("feedback", &feedback), ("edited", edited)])
}

/// PM-133.
pub fn free(mode: Mode, path: &str) -> String {
    fill(include_str!("free.md").trim_end(), &[("mode", mode.name()), ("path", path)])
}

/// PM-132: what was approved is not what is there.
pub fn stale(path: &str) -> String {
    fill(include_str!("stale.md").trim_end(), &[("path", path)])
}

fn said(feedback: Option<&str>) -> String {
    feedback.map(|words| format!("\n\nThe lead says:\n{}", tame(words))).unwrap_or_default()
}

/// PM-134: the lead's model learns that its user was faster.
pub fn answered_by_user(from: &str, request_id: &str, approved: bool) -> String {
    let what = if approved { "approved" } else { "rejected" };
    format!("The user {what} the plan of {from} (request {request_id}). There is nothing left to answer.")
}

/// What a teammate's system prompt says of its place in the team.
pub fn welcome(team: &str, name: &str, others: &[String], plan_required: bool) -> String {
    let plan = if plan_required { include_str!("plan_required.md").trim_end() } else { "" };
    let others = if others.is_empty() { "nobody else".to_string() } else { others.join(", ") };
    let values = [("team", team), ("name", name), ("others", &others), ("plan", plan)];
    fill(include_str!("welcome.md").trim_end(), &values)
}

//! Renders team messages and request outcomes as text for a model. Text of others is quoted, so it never
//! reads as an instruction of the program.

use super::content::parse_content;
use super::message::{MessageKind, TeamMessage};
use super::request_for_model;
use crate::text::sanitize::sanitize_for_model;
use crate::text::template::fill_template;

/// Start of a teammate's message; `prompts` uses it to tell such messages from user text.
pub const MESSAGE_TAG_START: &str = "<teammate-message ";

/// Renders a message for the receiver's model.
pub fn render_for_model(message: &TeamMessage) -> String {
    let request = request_for_model(&parse_content(message));
    quote_message(message, request.as_deref().unwrap_or(&message.text))
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
    parse_content(message).describe().unwrap_or_else(|| message.text.clone())
}

/// The message id in a rendered text, if it is one.
pub fn rendered_message_id(text: &str) -> Option<&str> {
    let head = text.strip_prefix(MESSAGE_TAG_START)?.lines().next()?;
    head.split_once(" id=\"")?.1.strip_suffix("\">")
}

/// Escapes tags, so that quoted text can't look like the end of the quote or like text of the program.
pub(super) fn escape_tags(text: &str) -> String {
    let clean = sanitize_for_model(text);
    let tags = ["</teammate-message", "<teammate-message", "<system-reminder", "</system-reminder"];
    tags.iter().fold(clean.into_owned(), |text, tag| text.replace(tag, &tag.replace('<', "&lt;")))
}

/// Team section of a teammate's system prompt.
pub fn team_prompt(team: &str, name: &str, others: &[String], planning_required: bool) -> String {
    let planning = if planning_required { include_str!("plan_required.md").trim_end() } else { "" };
    let others = if others.is_empty() { "none".to_string() } else { others.join(", ") };
    let values = [("team", team), ("name", name), ("others", &others), ("plan", planning)];
    fill_template(include_str!("welcome.md").trim_end(), &values)
}

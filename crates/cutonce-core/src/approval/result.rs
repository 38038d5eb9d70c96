//! What the model is told about its ExitPlanMode call, and the structured result for hosts (PM-72, PM-73, PM-76 to PM-82).

use super::answer::{Approved, NoAnswer, QuotedComment};
use crate::template::fill;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The structured result for hosts and the transcript (PM-77).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExitResult {
    pub plan: Option<String>,
    pub is_agent: bool,
    pub file_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_task_tool: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_was_edited: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaiting_leader_approval: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl ExitResult {
    pub fn approved(approved: &Approved, path: &str, at_hand: AtHand) -> ExitResult {
        ExitResult {
            plan: approved.plan.clone(),
            file_path: Some(path.into()),
            has_task_tool: at_hand.agents.then_some(true),
            plan_was_edited: approved.edited.then_some(true),
            ..ExitResult::default()
        }
    }
}

/// Which tools the model can use for the implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtHand {
    pub todos: bool,
    pub agents: bool,
}

/// The usual tools.
pub const AT_HAND: AtHand = AtHand { todos: true, agents: true };

/// PM-77, PM-78.
pub fn approved(approved: &Approved, path: &str, at_hand: AtHand) -> String {
    let Some(plan) = &approved.plan else {
        return include_str!("approved_no_plan.md").trim_end().replace("{mode}", approved.mode.name());
    };
    let heading = if approved.edited { "## Approved Plan (edited by user):" } else { "## Approved Plan:" };
    let todos = if at_hand.todos { " Begin with the todo list." } else { "" };
    let agents = if at_hand.agents { include_str!("approved_agents.md").trim_end() } else { "" };
    let agents = if agents.is_empty() { String::new() } else { format!("\n{agents}") };
    let notes = notes(approved.notes.as_deref());
    let comments = comments(&approved.comments);
    let values = [
        ("mode", approved.mode.name()),
        ("todos", todos),
        ("path", path),
        ("agents", &agents),
        ("notes", &notes),
        ("comments", &comments),
        ("heading", heading),
        ("plan", plan),
    ];
    fill(include_str!("approved.md").trim_end(), &values)
}

/// PM-79. `edited`: the user also changed the plan file.
pub fn keep_planning(feedback: Option<&str>, on_lines: &[QuotedComment], edited: bool, path: &str) -> String {
    let feedback = match feedback {
        Some(words) => format!("\n\nFeedback from the user:\n{words}"),
        None if on_lines.is_empty() => {
            "\n\nThe user gave no reason; ask with AskUserQuestion if it is not clear.".into()
        }
        None => String::new(),
    };
    let edited = if edited { include_str!("edited.md").trim_end() } else { "" };
    let comments = comments(on_lines);
    let values = [("feedback", feedback.as_str()), ("comments", &comments), ("edited", edited), ("path", path)];
    fill(include_str!("keep_planning.md").trim_end(), &values)
}

fn notes(notes: Option<&str>) -> String {
    notes.map(|notes| format!("\n\nNotes from the user:\n{notes}")).unwrap_or_default()
}

pub(super) fn comments(comments: &[QuotedComment]) -> String {
    let mut text = String::new();
    if !comments.is_empty() {
        text.push_str("\n\nComments from the user on lines of the plan:");
    }
    for comment in comments {
        let quote = comment.quote.as_deref().unwrap_or("(the plan has no such line)");
        let _ = write!(text, "\n- line {}: `{}`\n  {}", comment.line, quote.trim(), comment.text.replace('\n', "\n  "));
    }
    text
}

/// The user left plan mode by the dialog; the turn ends with this result.
pub fn left(path: &str, on_lines: &[QuotedComment]) -> String {
    let comments = comments(on_lines);
    fill(include_str!("left.md").trim_end(), &[("path", path), ("comments", &comments)])
}

/// PM-72.
pub fn not_in_plan_mode() -> &'static str {
    include_str!("not_in_plan_mode.md").trim_end()
}

/// PM-73.
pub fn unreadable(path: &str, why: &str) -> String {
    fill(include_str!("unreadable.md").trim_end(), &[("path", path), ("why", why)])
}

/// PM-77: the user's edit could not be written, so nothing was approved.
pub fn unsaved(path: &str, why: &str) -> String {
    fill(include_str!("unsaved.md").trim_end(), &[("path", path), ("why", why)])
}

/// PM-82.
pub fn for_agent() -> &'static str {
    include_str!("for_agent.md").trim_end()
}

/// PM-76: a host without a permission callback.
pub fn no_approver(path: &str) -> String {
    fill(include_str!("no_approver.md").trim_end(), &[("path", path)])
}

/// PM-86: for the model and for the user.
pub fn resubmitted() -> (&'static str, &'static str) {
    (
        include_str!("resubmitted.md").trim_end(),
        "The model submitted the plan again without changing it after it was sent back. Tell it what to change.",
    )
}

/// PM-80: the mode was changed by hand while the request was open.
pub fn withdrawn(mode: crate::mode::Mode) -> String {
    fill(include_str!("withdrawn.md").trim_end(), &[("mode", mode.name())])
}

/// PM-80.
pub fn not_approved(why: &NoAnswer, path: &str) -> String {
    let reason = match why {
        NoAnswer::Escape => "the user closed the question".into(),
        NoAnswer::Interrupted => "the user interrupted".into(),
        NoAnswer::HostGone => "whoever was asked is gone".into(),
        NoAnswer::TimedOut => "nobody answered in time".into(),
        NoAnswer::Failed(why) => why.clone(),
        NoAnswer::Unreadable(why) => format!("the answer could not be used: {why}"),
    };
    fill(include_str!("not_approved.md").trim_end(), &[("reason", &reason), ("path", path)])
}

/// PM-81: the one user message that the conversation starts over with.
pub fn implement(approved: &Approved, path: &str) -> String {
    let notes = notes(approved.notes.as_deref());
    let comments = comments(&approved.comments);
    let plan = approved.plan.as_deref().unwrap_or_default();
    let values = [("path", path), ("plan", plan), ("notes", &notes), ("comments", &comments)];
    fill(include_str!("implement.md").trim_end(), &values)
}

//! Results of an ExitPlanMode call: text for the model, structured data for hosts (PM-72, PM-73, PM-76 to
//! PM-82).

use super::answer::{ApprovedPlan, NoAnswer, QuotedComment};
use crate::plan::contract::PlanFinding;
use crate::plan::rehearsal::RehearsalResult;
use crate::text::template::fill_template;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Findings that the model gets at once.
const MAX_SENT_FINDINGS: usize = 20;

/// The structured result for hosts and the transcript (PM-77).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanExitResult {
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

impl PlanExitResult {
    pub fn approved(approved: &ApprovedPlan, path: &str, at_hand: ImplementationTools) -> PlanExitResult {
        PlanExitResult {
            plan: approved.plan.clone(),
            file_path: Some(path.into()),
            has_task_tool: at_hand.agents.then_some(true),
            plan_was_edited: approved.edited.then_some(true),
            ..PlanExitResult::default()
        }
    }
}

/// Tools that the model can use for the implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImplementationTools {
    pub todos: bool,
    pub agents: bool,
}

/// Todo list and agents are available.
pub const ALL_IMPLEMENTATION_TOOLS: ImplementationTools = ImplementationTools { todos: true, agents: true };

/// Result of an approved plan (PM-77), or of leaving without a plan (PM-78).
pub fn approved_result(approved: &ApprovedPlan, path: &str, at_hand: ImplementationTools) -> String {
    let Some(plan) = &approved.plan else {
        return include_str!("approved_no_plan.md").trim_end().replace("{mode}", approved.mode.name());
    };
    let heading = if approved.edited { "## Approved Plan (edited by user):" } else { "## Approved Plan:" };
    let todos = if at_hand.todos { " Begin with the todo list." } else { "" };
    let agents = if at_hand.agents { include_str!("approved_agents.md").trim_end() } else { "" };
    let agents = if agents.is_empty() { String::new() } else { format!("\n{agents}") };
    let notes = format_notes(approved.notes.as_deref());
    let comments = format_comments(&approved.comments);
    let plan = approved.terms.text_for_model(plan);
    let values = [
        ("mode", approved.mode.name()),
        ("todos", todos),
        ("path", path),
        ("agents", &agents),
        ("notes", &notes),
        ("comments", &comments),
        ("heading", heading),
        ("plan", &plan),
    ];
    fill_template(include_str!("approved.md").trim_end(), &values)
}

/// Result of an approval that applied a rehearsal (RH-4).
pub fn applied_result(approved: &ApprovedPlan, result: &RehearsalResult, taken_out: &BTreeSet<String>) -> String {
    let (notes, comments) = (format_notes(approved.notes.as_deref()), format_comments(&approved.comments));
    let (mode, applied) = (approved.mode.name(), result.applied_text(taken_out));
    format!("The user approved your plan and plan mode is off; the mode is now {mode}.{applied}{notes}{comments}")
}

/// Result of "keep planning" (PM-79). `edited`: the user also changed the plan file. `can_ask`: AskUserQuestion is
/// offered.
pub fn keep_planning_result(
    feedback: Option<&str>,
    on_lines: &[QuotedComment],
    edited: bool,
    can_ask: bool,
    path: &str,
) -> String {
    let feedback = match feedback {
        Some(words) => format!("\n\nFeedback from the user:\n{words}"),
        None if on_lines.is_empty() && can_ask => {
            "\n\nThe user gave no reason; ask with AskUserQuestion if it is not clear.".into()
        }
        None if on_lines.is_empty() => "\n\nThe user gave no reason.".into(),
        None => String::new(),
    };
    let edited = if edited { include_str!("edited.md").trim_end() } else { "" };
    let comments = format_comments(on_lines);
    let values = [("feedback", feedback.as_str()), ("comments", &comments), ("edited", edited), ("path", path)];
    fill_template(include_str!("keep_planning.md").trim_end(), &values)
}

fn format_notes(notes: Option<&str>) -> String {
    notes.map(|notes| format!("\n\nNotes from the user:\n{notes}")).unwrap_or_default()
}

pub(super) fn format_comments(comments: &[QuotedComment]) -> String {
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

/// Result if the user left plan mode in the review; the turn ends with it.
pub fn left_result(path: &str, on_lines: &[QuotedComment]) -> String {
    let comments = format_comments(on_lines);
    fill_template(include_str!("left.md").trim_end(), &[("path", path), ("comments", &comments)])
}

/// Error for a call outside plan mode (PM-72).
pub fn not_in_plan_mode_error() -> &'static str {
    include_str!("not_in_plan_mode.md").trim_end()
}

/// Error for an unreadable plan file (PM-73).
pub fn unreadable_plan_error(path: &str, why: &str) -> String {
    fill_template(include_str!("unreadable.md").trim_end(), &[("path", path), ("why", why)])
}

/// Error for a plan with findings, before the user sees it (PC-6).
pub fn with_findings_result(path: &str, findings: &[PlanFinding]) -> String {
    let shown =
        findings.iter().take(MAX_SENT_FINDINGS).map(|finding| format!("- line {}: {}", finding.line, finding.text));
    let more = findings.len().saturating_sub(MAX_SENT_FINDINGS);
    let list: Vec<String> = shown.chain((more > 0).then(|| format!("- and {more} more"))).collect();
    fill_template(include_str!("findings.md").trim_end(), &[("path", path), ("findings", &list.join("\n"))])
}

/// Error if the user's edit could not be saved, so nothing was approved (PM-77).
pub fn unsaved_edit_error(path: &str, why: &str) -> String {
    fill_template(include_str!("unsaved.md").trim_end(), &[("path", path), ("why", why)])
}

/// Result for a subagent that calls ExitPlanMode (PM-82).
pub fn subagent_result() -> &'static str {
    include_str!("for_agent.md").trim_end()
}

/// Result if the host has no permission callback (PM-76).
pub fn no_approver_result(path: &str) -> String {
    fill_template(include_str!("no_approver.md").trim_end(), &[("path", path)])
}

/// Messages about an unchanged resubmission, for the model and for the user (PM-86).
pub fn resubmitted_messages() -> (&'static str, &'static str) {
    (
        include_str!("resubmitted.md").trim_end(),
        "The model submitted the plan again without changing it after it was sent back. Tell it what to change.",
    )
}

/// Result if the user changed the mode while the request was open (PM-80).
pub fn withdrawn_result(mode: crate::mode::Mode) -> String {
    fill_template(include_str!("withdrawn.md").trim_end(), &[("mode", mode.name())])
}

/// Result of a request that ended without an answer (PM-80).
pub fn not_approved_result(why: &NoAnswer, path: &str) -> String {
    let reason = match why {
        NoAnswer::Interrupted => "the user interrupted".into(),
        NoAnswer::Failed(why) => why.clone(),
        NoAnswer::Unreadable(why) => format!("the answer could not be used: {why}"),
    };
    fill_template(include_str!("not_approved.md").trim_end(), &[("reason", &reason), ("path", path)])
}

/// Result of a plan that the user decides about later (PM-80).
pub fn postponed_result() -> &'static str {
    include_str!("postponed.md").trim_end()
}

/// Text for the model before a message that answers a waiting plan (PM-80).
pub fn message_feedback(path: &str) -> String {
    fill_template(include_str!("message_feedback.md").trim_end(), &[("path", path)])
}

/// First user message of the restarted conversation (PM-81).
pub fn implement_message(approved: &ApprovedPlan, path: &str) -> String {
    let notes = format_notes(approved.notes.as_deref());
    let comments = format_comments(&approved.comments);
    let plan = approved.terms.text_for_model(approved.plan.as_deref().unwrap_or_default());
    let values = [("path", path), ("plan", plan.as_str()), ("notes", &notes), ("comments", &comments)];
    fill_template(include_str!("implement.md").trim_end(), &values)
}

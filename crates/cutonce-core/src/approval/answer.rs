//! What an answer means (PM-74, PM-77 to PM-80, PM-84, PM-143). Whatever is not clearly an approval is none.

use super::request::{ChoiceKey, Request};
use crate::mode::{Mode, State};
use crate::plan::{self, Found};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An answer in the words of a host (PM-143).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub ask_id: String,
    pub choice: ChoiceKey,
    /// With `clear`: one of the modes that the other approvals lead to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The plan as the user edited it, or just as it was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A comment on a line of the plan; the first line is 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub line: u32,
    pub text: String,
}

/// A comment with the line it is on; None where the plan has no such line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedComment {
    pub line: u32,
    pub quote: Option<String>,
    pub text: String,
}

impl Answer {
    pub fn new(ask_id: impl Into<String>, choice: ChoiceKey) -> Answer {
        let (ask_id, comments) = (ask_id.into(), Vec::new());
        Answer { ask_id, choice, mode: None, plan: None, feedback: None, comments, notes: None }
    }
    /// Reads what a host sent; the error names the field.
    pub fn read(value: &Value) -> Result<Answer, NoAnswer> {
        serde_path_to_error::deserialize(value).map_err(|error| NoAnswer::Unreadable(error.to_string()))
    }
}

/// Why a request ended without a usable answer (PM-80). All of them end the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    Escape,
    Interrupted,
    /// The host or page that was asked is gone.
    HostGone,
    TimedOut,
    Failed(String),
    Unreadable(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// To be saved first if it was edited, then `mode::Event::Approved`.
    Approved(Approved),
    /// The mode stays; the turn goes on with this. `plan` is the user's edit, to be saved.
    KeepPlanning { feedback: Option<String>, comments: Vec<QuotedComment>, plan: Option<String> },
    /// Nothing runs, the turn ends. `mode` is where `mode::Event::Leave` leads.
    Leave { mode: Mode, comments: Vec<QuotedComment>, plan: Option<String> },
    /// The plan is not what was shown any more: show it again with the diff, and with what the user had written.
    AskAgain { why: String, answer: Answer },
    /// Nothing is approved and the request is closed. What the user had written is kept.
    NotApproved { why: NoAnswer, answer: Option<Answer> },
    /// A late or misdirected answer: nothing happens, an open request stays open.
    Ignored { why: String },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Approved {
    pub choice: ChoiceKey,
    pub mode: Mode,
    /// What was approved, as edited; None where there was no plan (PM-78).
    pub plan: Option<String>,
    /// Its bytes differ from those shown: the file is to be rewritten before anything else.
    pub edited: bool,
    pub notes: Option<String>,
    pub comments: Vec<QuotedComment>,
    /// Start over with the plan alone (PM-81).
    pub clear: bool,
}

pub(super) fn judge(state: &State, request: &Request, answer: Answer, found: &Found) -> Verdict {
    let mode = match mode_after(request, &answer) {
        Ok(mode) => mode,
        Err(why) => return Verdict::NotApproved { why: NoAnswer::Unreadable(why), answer: Some(answer) },
    };
    let edit = answer.plan.clone().filter(|text| request.plan.as_deref().unwrap_or_default() != text);
    let approves =
        matches!(answer.choice, ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear);
    if approves || edit.is_some() {
        if let Found::Unreadable(why) = found {
            let why = NoAnswer::Failed(format!("the plan file {} can't be read: {why}", request.plan_file_path));
            return Verdict::NotApproved { why, answer: Some(answer) };
        }
        if found.sha256() != request.sha256 {
            return Verdict::AskAgain { why: "the plan file changed while the plan was shown".into(), answer };
        }
        if edit.as_deref().is_some_and(|text| !plan::exists(text)) {
            return Verdict::AskAgain { why: "the edited plan is empty".into(), answer };
        }
    }
    let text = edit.as_deref().or(request.plan.as_deref()).unwrap_or_default();
    let comments = quote(answer.comments, text);
    // PM-83: no longer possible since it was shown. The mode machine says so.
    let mode = if state.available(mode).is_ok() { mode } else { Mode::Default };
    match answer.choice {
        ChoiceKey::KeepPlanning => {
            Verdict::KeepPlanning { feedback: said(answer.feedback).or(said(answer.notes)), comments, plan: edit }
        }
        ChoiceKey::Leave => Verdict::Leave { mode, comments, plan: edit },
        ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear => {
            Verdict::Approved(Approved {
                choice: answer.choice,
                mode,
                edited: edit.is_some(),
                plan: edit.or_else(|| request.plan.clone()),
                // Hosts have one field for words: with an approval they are notes.
                notes: said(answer.notes).or(said(answer.feedback)),
                comments,
                clear: answer.choice == ChoiceKey::Clear,
            })
        }
    }
}

/// The mode that the answer leads to: never one that the request did not name.
pub(super) fn mode_after(request: &Request, answer: &Answer) -> Result<Mode, String> {
    let not_offered = || format!("choice `{}` is not offered", name(&answer.choice));
    let shown = match (request.choice(answer.choice), answer.choice) {
        (Some(choice), _) => choice.mode,
        // The earlier mode is one of the first two choices, so it is offered, under another name.
        (None, ChoiceKey::Restore) => request.allowing().ok_or_else(not_offered)?.mode,
        (None, _) => return Err(not_offered()),
    };
    match (answer.choice, answer.mode) {
        (_, None) | (ChoiceKey::KeepPlanning | ChoiceKey::Leave, _) => Ok(shown),
        (ChoiceKey::Clear, Some(mode)) if request.approving(mode).is_some() => Ok(mode),
        (_, Some(mode)) if mode == shown => Ok(shown),
        (_, Some(mode)) => Err(format!("mode `{mode}` does not go with choice `{}`", name(&answer.choice))),
    }
}

fn name(key: &ChoiceKey) -> String {
    serde_json::to_value(key).ok().and_then(|name| name.as_str().map(str::to_string)).unwrap_or_default()
}

fn said(words: Option<String>) -> Option<String> {
    words.filter(|words| !words.trim().is_empty())
}

pub(super) fn quote(comments: Vec<Comment>, plan: &str) -> Vec<QuotedComment> {
    let lines: Vec<&str> = plan.lines().collect();
    let quoted = comments.into_iter().filter(|comment| !comment.text.trim().is_empty()).map(|comment| QuotedComment {
        quote: (comment.line as usize).checked_sub(1).and_then(|at| lines.get(at)).map(|line| line.to_string()),
        line: comment.line,
        text: comment.text,
    });
    quoted.collect()
}

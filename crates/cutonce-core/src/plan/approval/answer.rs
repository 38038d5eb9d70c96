//! Evaluates answers to a plan (PM-74, PM-77 to PM-80, PM-84, PM-143). Only a clear approval approves.

use super::request::{ChoiceKey, PlanExitRequest};
use super::terms::ApprovalTerms;
use crate::mode::{Mode, ModeState};
use crate::model_request::Effort;
use crate::plan::contract::PlanContract;
use crate::plan::progress::StepAnswer;
use crate::plan::rehearsal::RehearsalChoice;
use crate::plan::{self, PlanContent};
use crate::settings::plan::ScopeMode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A host's answer to a plan (PM-143).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanAnswer {
    pub ask_id: String,
    pub choice: ChoiceKey,
    /// Only with `clear`: one of the modes that the other approvals lead to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The plan as edited by the user, or unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<LineComment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Answers about single steps; the others are approved (PC-11).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub steps: BTreeMap<String, StepAnswer>,
    /// Model of the implementation (PC-12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Budget of the implementation in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Instead of the setting `plan.scope`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeMode>,
    /// «Apply exactly this»: the approval applies this rehearsal (RH-3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehearsal: Option<Box<RehearsalChoice>>,
}

/// A comment on a line of the plan; the first line is 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineComment {
    pub line: u32,
    pub text: String,
}

/// A comment with the text of its line; `None` if the plan has no such line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedComment {
    pub line: u32,
    pub quote: Option<String>,
    pub text: String,
}

impl PlanAnswer {
    pub fn new(ask_id: impl Into<String>, choice: ChoiceKey) -> PlanAnswer {
        PlanAnswer {
            ask_id: ask_id.into(),
            choice,
            mode: None,
            plan: None,
            feedback: None,
            comments: Vec::new(),
            notes: None,
            steps: BTreeMap::new(),
            model: None,
            effort: None,
            budget_usd: None,
            scope: None,
            rehearsal: None,
        }
    }
    /// Parses a host's answer; the error names the field.
    pub fn from_json(value: &Value) -> Result<PlanAnswer, NoAnswer> {
        serde_path_to_error::deserialize(value).map_err(|error| NoAnswer::Unreadable(error.to_string()))
    }
}

/// Why a request ended without a usable answer (PM-80). All of them end the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    Interrupted,
    Failed(String),
    Unreadable(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum PlanVerdict {
    /// Approved: save the plan if it was edited, then send the mode event.
    Approved(ApprovedPlan),
    /// The mode stays and the turn continues with this feedback. `plan` is the user's edit, to be saved.
    KeepPlanning { feedback: Option<String>, comments: Vec<QuotedComment>, plan: Option<String> },
    /// Leave plan mode without running anything; the turn ends. `mode` is the mode that follows.
    Leave { mode: Mode, comments: Vec<QuotedComment>, plan: Option<String> },
    /// The plan differs from what was shown: ask again with the diff and the user's draft.
    AskAgain { why: String, answer: PlanAnswer },
    /// Nothing is approved and the request is closed. The user's draft is kept.
    NotApproved { why: NoAnswer, answer: Option<PlanAnswer> },
    /// A late or misdirected answer: no effect, an open request stays open.
    Ignored { why: String },
}

#[derive(Debug, Clone, PartialEq)]
pub struct ApprovedPlan {
    pub choice: ChoiceKey,
    pub mode: Mode,
    /// The approved text, as edited; `None` if there was no plan (PM-78).
    pub plan: Option<String>,
    /// True if the text differs from what was shown: rewrite the file before anything else.
    pub edited: bool,
    pub notes: Option<String>,
    pub comments: Vec<QuotedComment>,
    /// Restart the conversation with only the plan (PM-81).
    pub clear: bool,
    /// What the implementation is bound to (PC-11, PC-12).
    pub terms: ApprovalTerms,
    /// The rehearsal that is applied (RH-3).
    pub rehearsal: Option<Box<RehearsalChoice>>,
}

pub(super) fn judge_answer(
    state: &ModeState,
    request: &PlanExitRequest,
    answer: PlanAnswer,
    found: &PlanContent,
    edited: Option<PlanContract>,
) -> PlanVerdict {
    let mode = match mode_after(request, &answer) {
        Ok(mode) => mode,
        Err(why) => return PlanVerdict::NotApproved { why: NoAnswer::Unreadable(why), answer: Some(answer) },
    };
    let edit = answer.plan.clone().filter(|text| request.plan.as_deref().unwrap_or_default() != text);
    let approves =
        matches!(answer.choice, ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear);
    if answer.rehearsal.is_some() && (!approves || edit.is_some() || answer.choice == ChoiceKey::Clear) {
        let why = "a rehearsal is applied only with an approval of exactly the plan that was rehearsed";
        return PlanVerdict::NotApproved { why: NoAnswer::Unreadable(why.into()), answer: Some(answer) };
    }
    if approves || edit.is_some() {
        if let PlanContent::Unreadable(why) = found {
            let why = NoAnswer::Failed(format!("the plan file {} can't be read: {why}", request.plan_file_path));
            return PlanVerdict::NotApproved { why, answer: Some(answer) };
        }
        if found.sha256() != request.sha256 {
            return PlanVerdict::AskAgain { why: "the plan file changed while the plan was shown".into(), answer };
        }
        if edit.as_deref().is_some_and(|text| !plan::has_content(text)) {
            return PlanVerdict::AskAgain { why: "the edited plan is empty".into(), answer };
        }
    }
    let contract = if edit.is_some() { edited } else { request.contract.clone() };
    let terms = match ApprovalTerms::new(&answer, contract) {
        Err(why) if approves => {
            return PlanVerdict::NotApproved { why: NoAnswer::Unreadable(why.to_string()), answer: Some(answer) };
        }
        terms => terms.unwrap_or_default(),
    };
    let text = edit.as_deref().or(request.plan.as_deref()).unwrap_or_default();
    let comments = quote_comments(answer.comments, text);
    // PM-83: the mode may have become unavailable since the plan was shown.
    let mode = if state.check_available(mode).is_ok() { mode } else { Mode::Default };
    match answer.choice {
        ChoiceKey::KeepPlanning => PlanVerdict::KeepPlanning {
            feedback: non_blank(answer.feedback).or(non_blank(answer.notes)),
            comments,
            plan: edit,
        },
        ChoiceKey::Leave => PlanVerdict::Leave { mode, comments, plan: edit },
        ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear => {
            PlanVerdict::Approved(ApprovedPlan {
                choice: answer.choice,
                mode,
                edited: edit.is_some(),
                plan: edit.or_else(|| request.plan.clone()),
                // Hosts have one text field: with an approval, it contains notes.
                notes: non_blank(answer.notes).or(non_blank(answer.feedback)),
                comments,
                clear: answer.choice == ChoiceKey::Clear,
                terms,
                rehearsal: answer.rehearsal,
            })
        }
    }
}

/// The mode after this answer: only a mode that the request named.
pub(super) fn mode_after(request: &PlanExitRequest, answer: &PlanAnswer) -> Result<Mode, String> {
    let not_offered = || format!("choice `{}` is not offered", answer.choice.name());
    let shown = match (request.find_choice(answer.choice), answer.choice) {
        (Some(choice), _) => choice.mode,
        // The earlier mode is one of the first two choices, so it is offered under another key.
        (None, ChoiceKey::Restore) => request.default_approval().ok_or_else(not_offered)?.mode,
        (None, _) => return Err(not_offered()),
    };
    match (answer.choice, answer.mode) {
        (_, None) | (ChoiceKey::KeepPlanning | ChoiceKey::Leave, _) => Ok(shown),
        (ChoiceKey::Clear, Some(mode)) if request.choice_approving_mode(mode).is_some() => Ok(mode),
        (_, Some(mode)) if mode == shown => Ok(shown),
        (_, Some(mode)) => Err(format!("mode `{mode}` is not possible with choice `{}`", answer.choice.name())),
    }
}

fn non_blank(words: Option<String>) -> Option<String> {
    words.filter(|words| !words.trim().is_empty())
}

pub(super) fn quote_comments(comments: Vec<LineComment>, plan: &str) -> Vec<QuotedComment> {
    let lines: Vec<&str> = plan.lines().collect();
    let quoted = comments.into_iter().filter(|comment| !comment.text.trim().is_empty()).map(|comment| QuotedComment {
        quote: (comment.line as usize).checked_sub(1).and_then(|at| lines.get(at)).map(|line| line.to_string()),
        line: comment.line,
        text: comment.text,
    });
    quoted.collect()
}

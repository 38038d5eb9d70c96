//! The choices of a request, and the answer that each produces (PM-74). The fourth is a switch that changes what an
//! approval does.

use cutonce_core::mode::Mode;
use cutonce_core::plan::approval::{ChoiceKey, LineComment, PlanAnswer, PlanExitRequest, ReviewTerms};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotAction {
    Choice(ChoiceKey),
    /// «Clear context first».
    ClearContext,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceSlot {
    pub digit: char,
    pub action: SlotAction,
    pub mode: Mode,
}

/// Assigns a digit to each choice of the request.
pub fn choice_slots(request: &PlanExitRequest) -> Vec<ChoiceSlot> {
    let slot = |choice: &cutonce_core::plan::approval::PlanChoice| {
        let pick =
            if choice.key == ChoiceKey::Clear { SlotAction::ClearContext } else { SlotAction::Choice(choice.key) };
        Some(ChoiceSlot { digit: request.digit(choice.key)?, action: pick, mode: choice.mode })
    };
    request.choices.iter().filter_map(slot).collect()
}

/// Mode name as shown in the choices.
pub fn mode_label(mode: Mode) -> &'static str {
    match mode {
        Mode::Default => "default",
        Mode::AcceptEdits => "accept edits",
        Mode::Plan => "plan",
        Mode::Auto => "auto",
        Mode::BypassPermissions => "bypass",
    }
}

/// Edits, comments and texts that are sent with an answer.
#[derive(Debug, Clone, Default)]
pub struct AnswerAttachments {
    pub edited: Option<String>,
    pub comments: Vec<LineComment>,
    pub note: String,
    pub feedback: String,
    pub clear_context: bool,
    pub terms: ReviewTerms,
}

pub fn build_answer(request: &PlanExitRequest, key: ChoiceKey, along: AnswerAttachments) -> PlanAnswer {
    let approves = matches!(key, ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore);
    let clears = approves && along.clear_context && request.find_choice(ChoiceKey::Clear).is_some();
    let mut answer = PlanAnswer::new(request.ask_id.clone(), if clears { ChoiceKey::Clear } else { key });
    answer.mode = if clears { request.find_choice(key).map(|choice| choice.mode) } else { None };
    answer.plan = along.edited;
    if approves {
        along.terms.add_to(&mut answer);
    }
    answer.comments = along.comments;
    let said = |words: &[&str]| {
        let words: Vec<&str> = words.iter().map(|words| words.trim()).filter(|words| !words.is_empty()).collect();
        Some(words.join("\n\n")).filter(|words| !words.is_empty())
    };
    match key {
        // This answer has one text field, so the note is added to the feedback.
        ChoiceKey::KeepPlanning => answer.feedback = said(&[&along.feedback, &along.note]),
        ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear | ChoiceKey::Leave => {
            answer.notes = said(&[&along.note]);
        }
    }
    answer
}

//! The choices of a request and the answer that one of them makes (PM-74). The fourth is a switch: it changes what the
//! approvals mean.

use cutonce_core::approval::{Answer, ChoiceKey, Comment, Request};
use cutonce_core::mode::Mode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    Choice(ChoiceKey),
    /// «Clear context first».
    Switch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    pub digit: char,
    pub pick: Pick,
    pub mode: Mode,
}

/// What each digit means.
pub fn slots(request: &Request) -> Vec<Slot> {
    let slot = |choice: &cutonce_core::approval::Choice| {
        let pick = if choice.key == ChoiceKey::Clear { Pick::Switch } else { Pick::Choice(choice.key) };
        Some(Slot { digit: request.digit(choice.key)?, pick, mode: choice.mode })
    };
    request.choices.iter().filter_map(slot).collect()
}

/// What a mode is called in the choices.
pub fn mode_words(mode: Mode) -> &'static str {
    match mode {
        Mode::Default => "default",
        Mode::AcceptEdits => "accept edits",
        Mode::Plan => "plan",
        Mode::Auto => "auto",
        Mode::BypassPermissions => "bypass",
    }
}

/// All that goes with an answer.
#[derive(Debug, Clone, Default)]
pub struct Along {
    pub edited: Option<String>,
    pub comments: Vec<Comment>,
    pub note: String,
    pub feedback: String,
    pub clear: bool,
}

pub fn answer(request: &Request, key: ChoiceKey, along: Along) -> Answer {
    let approves = matches!(key, ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore);
    let clears = approves && along.clear && request.choice(ChoiceKey::Clear).is_some();
    let mut answer = Answer::new(request.ask_id.clone(), if clears { ChoiceKey::Clear } else { key });
    answer.mode = if clears { request.choice(key).map(|choice| choice.mode) } else { None };
    answer.plan = along.edited;
    answer.comments = along.comments;
    let said = |words: &[&str]| {
        let words: Vec<&str> = words.iter().map(|words| words.trim()).filter(|words| !words.is_empty()).collect();
        Some(words.join("\n\n")).filter(|words| !words.is_empty())
    };
    match key {
        // One field for words there: the note must not get lost behind the feedback.
        ChoiceKey::KeepPlanning => answer.feedback = said(&[&along.feedback, &along.note]),
        ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear | ChoiceKey::Leave => {
            answer.notes = said(&[&along.note]);
        }
    }
    answer
}

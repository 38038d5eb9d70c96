//! What approvers are shown (PM-73, PM-74, PM-87).

use crate::mode::{Mode, State};
use crate::plan::Found;
use serde::{Deserialize, Serialize};

/// What every request asks.
pub const QUESTION: &str = "Exit plan mode?";

/// An ExitPlanMode call with all that the session found when it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    pub ask_id: String,
    pub found: Found,
    pub path: String,
    /// The number of this version (PM-46); 0 without a plan.
    pub revision: u32,
    pub layer: Layer,
    /// Files of the workspace that differ from the moment of entering, the plan file excepted.
    pub changed_files: Vec<String>,
    /// Background shells that still run.
    pub shells: Vec<String>,
}

/// Which layer held the shell during this stay (PM-87).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Layer {
    /// The kernel's read-only sandbox.
    Sandbox,
    /// The sandbox, with a throwaway layer for builds and tests (PM-63).
    Scratch,
    /// Only commands proven read-only by parsing.
    Readonly,
    /// There was no shell.
    Off,
}

impl Layer {
    pub fn describe(self) -> &'static str {
        match self {
            Layer::Sandbox => "commands ran in the read-only sandbox",
            Layer::Scratch => "commands ran in the read-only sandbox, builds on a throwaway layer",
            Layer::Readonly => "only commands that parse as read-only ran; no sandbox held them",
            Layer::Off => "no commands could run",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChoiceKey {
    AcceptEdits,
    Default,
    Restore,
    Clear,
    KeepPlanning,
    Leave,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub key: ChoiceKey,
    pub label: String,
    /// The mode that follows; the label names it.
    pub mode: Mode,
}

/// An open request; `plan.exit_request` for hosts (PM-143).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    pub ask_id: String,
    /// The whole plan; null where there is none (PM-73).
    pub plan: Option<String>,
    pub plan_file_path: String,
    /// Of the plan that is shown: the answer is bound to it (PM-84).
    pub sha256: Option<String>,
    pub revision: u32,
    pub choices: Vec<Choice>,
    pub layer: Layer,
    pub changed_files: Vec<String>,
    pub shells: Vec<String>,
    /// Why the earlier mode is not among the choices, if it can't be (PM-83).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The teammate whose plan it is (PM-134); None: the session's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The stay in plan mode that it would end.
    pub(super) stay: u32,
}

impl Request {
    pub(super) fn new(state: &State, submission: Submission) -> Request {
        let (back, notice) = state.way_back();
        let plan = submission.found.text().map(str::to_string);
        Request {
            choices: if plan.is_some() { with_plan(back) } else { without_plan(back) },
            sha256: submission.found.sha256(),
            plan,
            ask_id: submission.ask_id,
            plan_file_path: submission.path,
            revision: submission.revision,
            layer: submission.layer,
            changed_files: submission.changed_files,
            shells: submission.shells,
            notice,
            from: None,
            stay: state.stay(),
        }
    }

    pub fn choice(&self, key: ChoiceKey) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.key == key)
    }

    /// The digit that stands for a choice in every face: with a plan those of the contract (PM-74), also where the third is not
    /// offered.
    pub fn digit(&self, key: ChoiceKey) -> Option<char> {
        let at = self.choices.iter().position(|choice| choice.key == key)?;
        Some(match (self.plan.is_some(), key) {
            (true, ChoiceKey::AcceptEdits) => '1',
            (true, ChoiceKey::Default) => '2',
            (true, ChoiceKey::Restore) => '3',
            (true, ChoiceKey::Clear) => '4',
            (true, ChoiceKey::KeepPlanning) => '5',
            (true, ChoiceKey::Leave) => '6',
            (false, _) => char::from(b'1' + at.min(8) as u8),
        })
    }

    /// The choice with this digit.
    pub fn with_digit(&self, typed: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| self.digit(choice.key).map(String::from).as_deref() == Some(typed))
    }

    /// The approving choice that leads to this mode, without clearing the context: for hosts that answer with a
    /// mode instead of a choice.
    pub fn approving(&self, mode: Mode) -> Option<&Choice> {
        let keys = [ChoiceKey::AcceptEdits, ChoiceKey::Default, ChoiceKey::Restore];
        self.choices.iter().find(|choice| keys.contains(&choice.key) && choice.mode == mode)
    }

    /// The approving choice that leads back to the earlier mode: for hosts that just allow.
    pub fn allowing(&self) -> Option<&Choice> {
        if self.from.is_some() {
            // A teammate has no earlier mode here: whoever just allows gives the least (PM-134).
            return self.choice(ChoiceKey::Default);
        }
        let back = self.choices.iter().find(|choice| matches!(choice.key, ChoiceKey::Restore | ChoiceKey::Leave));
        back.and_then(|choice| self.approving(choice.mode))
    }
}

/// PM-74. The third is left out where it would be one of the first two.
fn with_plan(back: Mode) -> Vec<Choice> {
    let mut choices = vec![
        choice(ChoiceKey::AcceptEdits, "Approve, accept edits automatically", Mode::AcceptEdits),
        choice(ChoiceKey::Default, "Approve, confirm each edit", Mode::Default),
    ];
    if !matches!(back, Mode::AcceptEdits | Mode::Default) {
        choices.push(choice(ChoiceKey::Restore, "Approve, back to the earlier mode", back));
    }
    choices.extend([
        choice(ChoiceKey::Clear, "Approve, clear the context and start", Mode::Default),
        choice(ChoiceKey::KeepPlanning, "Keep planning, with feedback", Mode::Plan),
        choice(ChoiceKey::Leave, "Leave plan mode and keep the plan; nothing runs", back),
    ]);
    choices
}

/// PM-73: only whether to leave.
fn without_plan(back: Mode) -> Vec<Choice> {
    vec![
        choice(ChoiceKey::Restore, "Leave plan mode without a plan", back),
        choice(ChoiceKey::KeepPlanning, "Keep planning", Mode::Plan),
    ]
}

pub(super) fn choice(key: ChoiceKey, words: &str, mode: Mode) -> Choice {
    Choice { key, label: format!("{words} → {mode}"), mode }
}

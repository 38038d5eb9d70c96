//! Commands that a host's message called (HO-1): frames of what is no turn of the model's, with a result as a turn has.

use super::Frames;
use cutonce_core::conversation::Usage;
use cutonce_core::event::{EndReason, Ended};
use serde_json::{Value, json};

/// What a message may call beside the user's own commands: name, what it does, what may follow.
const COMMANDS: [(&str, &str, &str); 3] = [
    ("clear", "Start over with an empty conversation", ""),
    ("compact", "Replace the conversation so far by a summary", "[what to keep in mind]"),
    ("plan", "Enter plan mode, show the plan, or plan a task", "[task]"),
];

/// As hosts list them.
pub(super) fn listed() -> impl Iterator<Item = Value> {
    COMMANDS.iter().map(|(name, about, hint)| json!({"name": name, "description": about, "argumentHint": hint}))
}

/// A name counts once, and ours first.
pub(super) fn is_ours(name: &str) -> bool {
    COMMANDS.iter().any(|(known, ..)| *known == name)
}

pub(super) fn names() -> impl Iterator<Item = String> {
    COMMANDS.iter().map(|(name, ..)| name.to_string())
}

impl Frames {
    pub fn compacting(&self) -> Value {
        self.system("status", json!({"status": "compacting", "permissionMode": self.mode}))
    }

    /// The result of a command: its words, or why it was not carried out.
    pub fn command_ended(&mut self, how: Result<String, String>) -> Value {
        let ended = Ended {
            reason: EndReason::Completed,
            stop: None,
            text: how.as_ref().ok().cloned().unwrap_or_default(),
            usage: Usage::default(),
            requests: 0,
            tool_results: 0,
            duration_ms: 0,
            api_ms: 0,
            cost: self.spent.so_far(),
            plan: None,
        };
        let mut frame = self.result(&ended);
        if let (Err(why), Some(fields)) = (how, frame.as_object_mut()) {
            fields.shift_remove("result");
            fields.insert("subtype".into(), "error_during_execution".into());
            fields.insert("is_error".into(), true.into());
            fields.insert("errors".into(), json!([why]));
        }
        frame
    }
}

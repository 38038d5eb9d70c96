//! Slash commands in a host's message (HO-1): frames for commands that run no model turn, ending with a
//! result.

use super::FrameBuilder;
use cutonce_core::commands::{self, Frontend};
use cutonce_core::protocol::event::{EndReason, TurnSummary};
use serde_json::{Value, json};

/// Built-in commands as `initialize` lists them.
pub(super) fn list_builtin() -> impl Iterator<Item = Value> {
    commands::commands_of(Frontend::StreamJson).map(|info| {
        let hint = if info.takes_arguments() { format!("[{}]", info.hint) } else { String::new() };
        json!({"name": info.name, "description": info.help, "argumentHint": hint})
    })
}

/// True for a built-in command; it wins over a custom command of the same name.
pub(super) fn is_builtin(name: &str) -> bool {
    commands::find_command(Frontend::StreamJson, name).is_some()
}

pub(super) fn builtin_names() -> impl Iterator<Item = String> {
    commands::commands_of(Frontend::StreamJson).map(|info| info.name.to_string())
}

impl FrameBuilder {
    pub fn compacting_frame(&self) -> Value {
        self.system_frame("status", json!({"status": "compacting", "permissionMode": self.view.mode.name()}))
    }

    /// The result frame of a command: its output, or why it failed.
    pub fn command_result_frame(&mut self, how: Result<String, String>) -> Value {
        let ended = TurnSummary {
            text: how.as_ref().ok().cloned().unwrap_or_default(),
            totals: self.view.totals.clone(),
            ..TurnSummary::new(EndReason::Completed)
        };
        let mut frame = self.result_frame(&ended);
        if let (Err(why), Some(fields)) = (how, frame.as_object_mut()) {
            fields.shift_remove("result");
            fields.insert("subtype".into(), "error_during_execution".into());
            fields.insert("is_error".into(), true.into());
            fields.insert("errors".into(), json!([why]));
        }
        frame
    }
}

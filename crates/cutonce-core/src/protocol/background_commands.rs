//! Background commands as front ends show them, reduced from events (UI-8, UI-14).

use crate::protocol::event::{Event, EventKind};

#[derive(Debug, Clone, Default)]
pub struct BackgroundCommands {
    running: Vec<BackgroundCommand>,
    /// Ids of commands that ended before their start was reported.
    ended_before_start: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundCommand {
    /// For example `bash_1`.
    pub id: String,
    pub command: String,
    /// Milliseconds since 1970.
    pub started_at: u64,
    /// Last line of output.
    pub last_line: String,
}

impl BackgroundCommands {
    pub fn running(&self) -> &[BackgroundCommand] {
        &self.running
    }

    /// Applies an event; true if something changed.
    pub fn apply_event(&mut self, event: &Event) -> bool {
        match &event.kind {
            EventKind::ToolFinished(done) => {
                let id = done.display.as_ref().and_then(|display| display.get("background")).and_then(|id| id.as_str());
                let Some(id) = id.filter(|_| done.name == "Bash") else { return false };
                if let Some(at) = self.ended_before_start.iter().position(|gone| gone == id) {
                    self.ended_before_start.remove(at);
                    return false;
                }
                let command = done.input.get("command").and_then(|command| command.as_str()).unwrap_or_default();
                let (id, command) = (id.to_string(), command.to_string());
                self.running.push(BackgroundCommand { id, command, started_at: event.at, last_line: String::new() });
            }
            EventKind::TaskOutput { id, line } => {
                let Some(task) = self.running.iter_mut().find(|task| task.id == *id) else { return false };
                task.last_line = line.clone();
            }
            EventKind::TaskEnded { id } => match self.running.iter().position(|task| task.id == *id) {
                Some(at) => drop(self.running.remove(at)),
                None => self.ended_before_start.push(id.clone()),
            },
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::Why;
    use crate::permission::rules::RuleBehavior;
    use crate::protocol::event::{DecisionRecord, FinishedCall};
    use serde_json::json;
    use std::sync::Arc;

    fn event(kind: EventKind) -> Event {
        Event { session: "s".into(), at: 7, kind }
    }

    fn started(id: &str) -> Event {
        let why = Why::from_reason("");
        event(EventKind::ToolFinished(Arc::new(FinishedCall {
            call_id: "c".into(),
            name: "Bash".into(),
            input: json!({"command": "sleep 9", "run_in_background": true}),
            content: vec![],
            is_error: false,
            decision: DecisionRecord { behavior: RuleBehavior::Allow, why },
            duration_ms: 0,
            display: Some(json!({ "background": id })),
        })))
    }

    #[test]
    fn ui_14_background_commands_follow_events_in_any_order() {
        let ended = |id: &str| event(EventKind::TaskEnded { id: id.into() });
        let printed = |id: &str| event(EventKind::TaskOutput { id: id.into(), line: "tick".into() });
        let mut tasks = BackgroundCommands::default();
        assert!(
            tasks.apply_event(&started("bash_1"))
                && !tasks.apply_event(&printed("bash_2"))
                && tasks.apply_event(&printed("bash_1"))
        );
        let one = BackgroundCommand {
            id: "bash_1".into(),
            command: "sleep 9".into(),
            started_at: 7,
            last_line: "tick".into(),
        };
        assert_eq!(tasks.running(), [one]);
        // A command that ended before its start was reported does not stay in the list.
        tasks.apply_event(&ended("bash_2"));
        assert!(!tasks.apply_event(&started("bash_2")));
        tasks.apply_event(&ended("bash_1"));
        assert_eq!(tasks.running(), []);
    }
}

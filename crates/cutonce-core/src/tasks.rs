//! Commands in the background, as events tell of them: what every face shows of them (UI-8, UI-14). Nobody is asked how they
//! are; they tell.

use crate::event::{Event, EventKind};

#[derive(Debug, Clone, Default)]
pub struct Tasks {
    running: Vec<Task>,
    /// Ended before their start was told.
    gone: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// `bash_1`
    pub id: String,
    pub command: String,
    /// Milliseconds since 1970.
    pub since: u64,
    /// What it printed last.
    pub last: String,
}

impl Tasks {
    pub fn running(&self) -> &[Task] {
        &self.running
    }

    /// True if something of it changed.
    pub fn note(&mut self, event: &Event) -> bool {
        match &event.kind {
            EventKind::ToolFinished(done) => {
                let id = done.display.as_ref().and_then(|display| display.get("background")).and_then(|id| id.as_str());
                let Some(id) = id.filter(|_| done.name == "Bash") else { return false };
                if let Some(at) = self.gone.iter().position(|gone| gone == id) {
                    self.gone.remove(at);
                    return false;
                }
                let command = done.input.get("command").and_then(|command| command.as_str()).unwrap_or_default();
                let (id, command) = (id.to_string(), command.to_string());
                self.running.push(Task { id, command, since: event.at, last: String::new() });
            }
            EventKind::TaskOutput { id, line } => {
                let Some(task) = self.running.iter_mut().find(|task| task.id == *id) else { return false };
                task.last = line.clone();
            }
            EventKind::TaskEnded { id } => match self.running.iter().position(|task| task.id == *id) {
                Some(at) => drop(self.running.remove(at)),
                None => self.gone.push(id.clone()),
            },
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{DecisionRecord, Finished};
    use crate::permission::Why;
    use crate::rule::Behavior;
    use serde_json::json;
    use std::sync::Arc;

    fn event(kind: EventKind) -> Event {
        Event { session: "s".into(), at: 7, kind }
    }

    fn started(id: &str) -> Event {
        let why = Why { reason: String::new(), rule: None, source: None };
        event(EventKind::ToolFinished(Arc::new(Finished {
            call_id: "c".into(),
            name: "Bash".into(),
            input: json!({"command": "sleep 9", "run_in_background": true}),
            content: vec![],
            is_error: false,
            decision: DecisionRecord { behavior: Behavior::Allow, why },
            duration_ms: 0,
            display: Some(json!({ "background": id })),
        })))
    }

    #[test]
    fn ui_14_commands_in_the_background_come_print_and_go_in_any_order() {
        let ended = |id: &str| event(EventKind::TaskEnded { id: id.into() });
        let printed = |id: &str| event(EventKind::TaskOutput { id: id.into(), line: "tick".into() });
        let mut tasks = Tasks::default();
        assert!(tasks.note(&started("bash_1")) && !tasks.note(&printed("bash_2")) && tasks.note(&printed("bash_1")));
        let one = Task { id: "bash_1".into(), command: "sleep 9".into(), since: 7, last: "tick".into() };
        assert_eq!(tasks.running(), [one]);
        // One that is over before anybody heard of its start does not stay for ever.
        tasks.note(&ended("bash_2"));
        assert!(!tasks.note(&started("bash_2")));
        tasks.note(&ended("bash_1"));
        assert_eq!(tasks.running(), []);
    }
}

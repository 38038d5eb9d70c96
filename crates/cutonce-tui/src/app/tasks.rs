//! Commands in the background on the screen (UI-14): folded they are a count in the status line; Ctrl+T shows each with how long
//! it runs and what it printed last, Ctrl+X ends one. All of it comes by events: while nothing is shown of them nothing wakes us.

use super::{App, Note, tell};
use crate::entry::took;
use crate::entry::tool::live_row;
use crate::overlay::menu::{Key, Menu, Row, Which};
use crate::overlay::pager::{Body, Item};
use crate::text;
use crate::theme::Theme;
use cutonce_core::event::Level;
use cutonce_core::submission::{Submission, Told};
use cutonce_core::tasks::{Task, Tasks};
use ratatui::text::Line;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Commands that are shown; the rest is counted.
const MOST: usize = 4;
const KEYS: &[Key] = &[Key::of('x', "end it and all it started")];

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn seconds(task: &Task, now: u64) -> u64 {
    now.saturating_sub(task.since) / 1_000
}

fn named(task: &Task) -> String {
    format!("{}  {}", text::one_line(&task.id), text::one_line(text::bounded(&task.command, 300).as_ref()))
}

/// A row for each, and below it what it printed last.
pub fn lines(tasks: &Tasks, now: u64, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let running = tasks.running();
    let mut lines = Vec::new();
    for task in running.iter().take(MOST) {
        let left = format!("  {}", named(task));
        lines.push(live_row(&left, &took(seconds(task, now)), width, theme.text, theme.dim));
        if !task.last.is_empty() {
            let last = format!("    {}", text::one_line(text::bounded(&task.last, 300).as_ref()));
            lines.push(Line::styled(text::fit(&last, width).into_owned(), theme.dim));
        }
    }
    if let more @ 1.. = running.len().saturating_sub(MOST) {
        lines.push(Line::styled(format!("  … {}", text::counted(more, "more command")), theme.dim));
    }
    if !running.is_empty() {
        let hint = "  ctrl+x ends a command";
        lines.push(Line::styled(text::fit(hint, width).into_owned(), theme.dim));
    }
    lines
}

impl App {
    /// Their time is on the screen.
    pub(super) fn times_tasks(&self) -> bool {
        self.unfolded && !self.tasks.running().is_empty()
    }

    pub(super) fn task_lines(&self, width: usize) -> Vec<Line<'static>> {
        if self.unfolded { lines(&self.tasks, now_ms(), width, &self.theme) } else { Vec::new() }
    }

    /// Ctrl+X: which one?
    pub(super) fn show_tasks(&mut self) {
        if self.tasks.running().is_empty() {
            return self.notice(Level::Info, "No command runs in the background.");
        }
        let now = now_ms();
        let row = |task: &Task| Row {
            id: task.id.clone(),
            name: named(task),
            note: took(seconds(task, now)),
            keys: "x",
            preview: vec![Item {
                title: String::new(),
                body: Body::Plain(format!("{}\n\n{}", task.command, task.last).into()),
            }],
            ..Row::default()
        };
        let rows = self.tasks.running().iter().map(row).collect();
        self.cover(Box::new(Menu::new(Which::Tasks, "Commands in the background", rows, KEYS, self.theme)), None);
    }

    /// They end with their session.
    pub(super) fn tell_ending_tasks(&mut self) {
        if let running @ 1.. = self.tasks.running().len() {
            let ended = text::counted(running, "command");
            self.notice(Level::Info, &format!("{ended} in the background ended with that session."));
        }
    }

    pub(super) fn end_task(&mut self, id: &str) {
        let (notes, ended) = (self.notes.clone(), id.to_string());
        let told = move |how: Result<(), String>| {
            let how = how.map(|()| format!("{ended} was ended, with all it started."));
            tell(&notes, Note::Ended(how));
        };
        self.submit(Submission::StopTask { id: id.to_string(), told: Told(Arc::new(told)) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::event::{DecisionRecord, Event, EventKind, Finished};
    use cutonce_core::permission::Why;
    use cutonce_core::rule::Behavior;
    use serde_json::json;

    fn tasks(commands: &[&str]) -> Tasks {
        let mut tasks = Tasks::default();
        for (n, command) in commands.iter().enumerate() {
            let why = Why { reason: String::new(), rule: None, source: None };
            let done = Finished {
                call_id: "c".into(),
                name: "Bash".into(),
                input: json!({ "command": command }),
                content: vec![],
                is_error: false,
                decision: DecisionRecord { behavior: Behavior::Allow, why },
                duration_ms: 0,
                display: Some(json!({ "background": format!("bash_{}", n + 1) })),
            };
            tasks.note(&Event { session: "s".into(), at: 1_000, kind: EventKind::ToolFinished(Arc::new(done)) });
        }
        let line = "tick \u{1b}[31m37".to_string();
        tasks.note(&Event { session: "s".into(), at: 0, kind: EventKind::TaskOutput { id: "bash_1".into(), line } });
        tasks
    }

    fn shown(tasks: &Tasks, width: usize) -> Vec<String> {
        lines(tasks, 42_000, width, &Theme::default()).iter().map(text::plain).collect()
    }

    #[test]
    fn ui_14_a_command_in_the_background_shows_id_command_time_and_last_line() {
        let rows = shown(&tasks(&["for i in 1 2; do\n\u{202e}tick; done", "sleep 9"]), 60);
        assert!(rows[0].starts_with("  bash_1  for i in 1 2; do") && rows[0].ends_with("41s"), "{rows:?}");
        assert!(rows[1].starts_with("    tick ") && rows[1].ends_with("37"), "{rows:?}");
        assert!(rows[2].starts_with("  bash_2  sleep 9"), "{rows:?}");
        assert_eq!(rows[3], "  ctrl+x ends a command");
        assert!(!rows.concat().contains(['\u{1b}', '\u{202e}', '\n']), "{rows:?}");
        let many = tasks(&["sleep 9"; 9]);
        for width in [20, 40, 80] {
            assert!(shown(&many, width).iter().all(|row| text::width(row) <= width));
        }
        assert!(shown(&many, 60).contains(&"  … 5 more commands".to_string()));
        assert!(shown(&Tasks::default(), 60).is_empty());
    }
}

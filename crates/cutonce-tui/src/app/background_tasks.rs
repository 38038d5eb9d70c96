//! Background commands on the screen (UI-14). Folded, the status line shows their number; Ctrl+T shows each
//! with its run time and last output line; Ctrl+X stops one. Events deliver everything, so hidden commands
//! cause no wakeups.

use super::{App, AppMessage, send_to_app};
use crate::entries::format_duration;
use crate::entries::tool_call::live_row;
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::overlays::pager::{PagerContent, PagerItem};
use crate::render::text;
use crate::render::theme::Theme;
use cutonce_core::protocol::background_commands::{BackgroundCommand, BackgroundCommands};
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::protocol::submission::{OnDone, Submission};
use ratatui::text::Line;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum number of commands shown; the rest is summarized.
const MAX_TASKS: usize = 4;
const TASK_KEYS: &[MenuKey] = &[MenuKey::new('x', "stop it and everything it started")];

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn run_seconds(task: &BackgroundCommand, now: u64) -> u64 {
    now.saturating_sub(task.started_at) / 1_000
}

fn task_label(task: &BackgroundCommand) -> String {
    format!("{}  {}", text::one_line(&task.id), text::one_line(text::truncate_chars(&task.command, 300).as_ref()))
}

/// One row per command, followed by its last output line.
pub fn task_rows(tasks: &BackgroundCommands, now: u64, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let running = tasks.running();
    let mut lines = Vec::new();
    for task in running.iter().take(MAX_TASKS) {
        let left = format!("  {}", task_label(task));
        lines.push(live_row(&left, &format_duration(run_seconds(task, now)), width, theme.text, theme.dim));
        if !task.last_line.is_empty() {
            let last = format!("    {}", text::one_line(text::truncate_chars(&task.last_line, 300).as_ref()));
            lines.push(Line::styled(text::fit(&last, width).into_owned(), theme.dim));
        }
    }
    if let more @ 1.. = running.len().saturating_sub(MAX_TASKS) {
        lines.push(Line::styled(format!("  … {}", text::count_noun(more, "more command")), theme.dim));
    }
    if !running.is_empty() {
        let hint = "  ctrl+x stops a command";
        lines.push(Line::styled(text::fit(hint, width).into_owned(), theme.dim));
    }
    lines
}

impl App {
    /// True if run times are visible and have to be redrawn.
    pub(super) fn shows_task_times(&self) -> bool {
        self.activity.expanded && !self.status.view.commands.running().is_empty()
    }

    pub(super) fn task_lines(&self, width: usize) -> Vec<Line<'static>> {
        if self.activity.expanded {
            task_rows(&self.status.view.commands, now_ms(), width, &self.theme)
        } else {
            Vec::new()
        }
    }

    /// Ctrl+X: opens a menu to choose the command to stop.
    pub(super) fn show_tasks(&mut self) {
        if self.status.view.commands.running().is_empty() {
            return self.print_notice(NoticeLevel::Info, "No background command is running.");
        }
        let now = now_ms();
        let row = |task: &BackgroundCommand| MenuRow {
            id: task.id.clone(),
            name: task_label(task),
            note: format_duration(run_seconds(task, now)),
            keys: "x",
            preview: vec![PagerItem {
                title: String::new(),
                body: PagerContent::Plain(format!("{}\n\n{}", task.command, task.last_line).into()),
            }],
            ..MenuRow::default()
        };
        let rows = self.status.view.commands.running().iter().map(row).collect();
        self.open_overlay(
            Box::new(Menu::new(MenuKind::Tasks, "Background commands", rows, TASK_KEYS, self.theme)),
            None,
        );
    }

    /// Tells the user that the background commands stopped with their session.
    pub(super) fn report_stopped_tasks(&mut self) {
        if let running @ 1.. = self.status.view.commands.running().len() {
            let ended = text::count_noun(running, "background command");
            self.print_notice(NoticeLevel::Info, &format!("{ended} stopped with that session."));
        }
    }

    pub(super) fn stop_task(&mut self, id: &str) {
        let (notes, ended) = (self.messages.clone(), id.to_string());
        let told = move |how: Result<(), String>| {
            let (level, text) = match how {
                Ok(()) => (NoticeLevel::Info, format!("Stopped {ended} and everything it started.")),
                Err(why) => (NoticeLevel::Warning, why),
            };
            send_to_app(&notes, AppMessage::Notice(level, text));
        };
        self.submit(Submission::StopTask { id: id.to_string(), on_done: OnDone(Arc::new(told)) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::permission::Why;
    use cutonce_core::permission::rules::RuleBehavior;
    use cutonce_core::protocol::event::{DecisionRecord, Event, EventKind, FinishedCall};
    use serde_json::json;

    fn tasks(commands: &[&str]) -> BackgroundCommands {
        let mut tasks = BackgroundCommands::default();
        for (n, command) in commands.iter().enumerate() {
            let why = Why::from_reason("");
            let done = FinishedCall {
                call_id: "c".into(),
                name: "Bash".into(),
                input: json!({ "command": command }),
                content: vec![],
                is_error: false,
                decision: DecisionRecord { behavior: RuleBehavior::Allow, why },
                duration_ms: 0,
                display: Some(json!({ "background": format!("bash_{}", n + 1) })),
            };
            tasks.apply_event(&Event { session: "s".into(), at: 1_000, kind: EventKind::ToolFinished(Arc::new(done)) });
        }
        let line = "tick \u{1b}[31m37".to_string();
        tasks.apply_event(&Event {
            session: "s".into(),
            at: 0,
            kind: EventKind::TaskOutput { id: "bash_1".into(), line },
        });
        tasks
    }

    fn shown(tasks: &BackgroundCommands, width: usize) -> Vec<String> {
        task_rows(tasks, 42_000, width, &Theme::default()).iter().map(text::plain_text).collect()
    }

    #[test]
    fn ui_14_background_command_shows_time_and_last_line() {
        let rows = shown(&tasks(&["for i in 1 2; do\n\u{202e}tick; done", "sleep 9"]), 60);
        assert!(rows[0].starts_with("  bash_1  for i in 1 2; do") && rows[0].ends_with("41s"), "{rows:?}");
        assert!(rows[1].starts_with("    tick ") && rows[1].ends_with("37"), "{rows:?}");
        assert!(rows[2].starts_with("  bash_2  sleep 9"), "{rows:?}");
        assert_eq!(rows[3], "  ctrl+x stops a command");
        assert!(!rows.concat().contains(['\u{1b}', '\u{202e}', '\n']), "{rows:?}");
        let many = tasks(&["sleep 9"; 9]);
        for width in [20, 40, 80] {
            assert!(shown(&many, width).iter().all(|row| text::width(row) <= width));
        }
        assert!(shown(&many, 60).contains(&"  … 5 more commands".to_string()));
        assert!(shown(&BackgroundCommands::default(), 60).is_empty());
    }
}

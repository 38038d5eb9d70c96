//! One line on a terminal that says what a headless run does, redrawn in place and erased before other output.

use crate::frontends::plain::event_line;
use cutonce_core::protocol::event::{Event, EventKind};
use cutonce_core::text::sanitize::one_line;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the elapsed time is redrawn.
pub const TICK: Duration = Duration::from_secs(1);

/// The progress line; silent unless standard error is a terminal.
pub struct HeadlessProgress {
    started: Instant,
    shown: bool,
    activity: String,
    calls: usize,
}

impl HeadlessProgress {
    /// `None` if the line would disturb: no terminal, or something else writes there.
    pub fn new(wanted: bool) -> Option<HeadlessProgress> {
        let activity = "waiting for the model".to_string();
        let line = HeadlessProgress { started: Instant::now(), shown: false, activity, calls: 0 };
        (wanted && std::io::stderr().is_terminal()).then_some(line)
    }

    /// Takes note of an event and redraws the line if it says something new.
    pub fn on_event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::ToolStarted { .. } => self.calls += 1,
            EventKind::ToolFinished(_) | EventKind::Retry { .. } => {}
            EventKind::TurnEnded(_) => return self.erase(),
            _ => return,
        }
        self.activity = match event_line(event) {
            Some(line) => one_line(&line),
            None => "waiting for the model".to_string(),
        };
        self.draw();
    }

    /// Takes note of a call of another program and redraws the line.
    pub fn on_call(&mut self, call: &str, number: u32) {
        (self.activity, self.calls) = (one_line(call), number as usize);
        self.draw();
    }

    pub fn draw(&mut self) {
        let text = self.text(cutonce_tui::terminal_columns());
        self.shown = true;
        write_raw(&format!("\r\x1b[K{text}"));
    }

    /// The line, cut to the width of the terminal.
    fn text(&self, columns: usize) -> String {
        let calls = match self.calls {
            0 => String::new(),
            1 => " · 1 call".to_string(),
            n => format!(" · {n} calls"),
        };
        let line = format!("{} s{calls} · {}", self.started.elapsed().as_secs(), self.activity);
        line.chars().take(columns.saturating_sub(1)).collect()
    }

    pub fn erase(&mut self) {
        if std::mem::take(&mut self.shown) {
            write_raw("\r\x1b[K");
        }
    }
}

impl Drop for HeadlessProgress {
    fn drop(&mut self) {
        self.erase();
    }
}

fn write_raw(text: &str) {
    let mut out = std::io::stderr();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_line_fits_the_terminal() {
        let line =
            HeadlessProgress {
                started: Instant::now(), shown: false, activity: "● Read src/main.rs".into(), calls: 2
            };
        assert_eq!(line.text(80), "0 s · 2 calls · ● Read src/main.rs");
        assert_eq!(line.text(12), "0 s · 2 cal");
    }
}

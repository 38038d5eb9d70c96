//! The conversation in the terminal's own scrollback, with the live area below it (UI-1).
//!
//! To print lines, one synchronised write erases the live area, prints the lines and redraws the live area. It only
//! uses relative cursor moves, and the size is read before each write. After a resize, printing pauses for a moment.
//! Old lines keep their wrapping. No absolute positions are used, so foreign rows are never erased and scrolling up is
//! not disturbed.

use crate::render::text;
use crate::terminal::ansi;
use ratatui::text::Line;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Pause after a resize before lines are printed. Terminals report the new size before they have wrapped their lines.
pub const RESIZE_PAUSE: Duration = Duration::from_millis(300);
const SYNC_ON: &str = "\x1b[?2026h";
const SYNC_OFF: &str = "\x1b[?2026l";

/// The live area below the conversation. Its lines are no wider than the terminal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveArea {
    pub lines: Vec<Line<'static>>,
    /// Cursor line and column; None hides the cursor.
    pub cursor: Option<(usize, usize)>,
}

#[derive(Debug)]
pub struct ScrollbackWriter {
    reflows: bool,
    /// Width of each drawn line of the live area.
    drawn_widths: Vec<usize>,
    /// Cursor position (line, column) in the live area after the last write.
    cursor: (usize, usize),
    last: LiveArea,
    size: (u16, u16),
    paused_until: Option<Instant>,
}

impl ScrollbackWriter {
    pub fn new(reflows: bool, size: (u16, u16)) -> ScrollbackWriter {
        ScrollbackWriter {
            reflows,
            drawn_widths: Vec::new(),
            cursor: (0, 0),
            last: LiveArea::default(),
            size,
            paused_until: None,
        }
    }

    /// Sets the current size. A change pauses printing and forces a redraw of the live area.
    pub fn set_size(&mut self, size: (u16, u16), now: Instant) -> bool {
        if size == self.size {
            return false;
        }
        self.size = size;
        self.paused_until = Some(now + RESIZE_PAUSE);
        self.last = LiveArea::default();
        true
    }

    /// End of the pause after a resize, if it is not over.
    pub fn pause_end(&self, now: Instant) -> Option<Instant> {
        self.paused_until.filter(|until| *until > now)
    }

    /// True if there is anything to write.
    pub fn needs_write(&self, lines: &[Line<'static>], live: &LiveArea) -> bool {
        !lines.is_empty() || *live != self.last
    }

    /// Builds the single write that prints `lines` and draws `live`.
    pub fn write(&mut self, lines: &[Line<'static>], live: LiveArea) -> String {
        let mut out = String::from(SYNC_ON);
        out.push_str("\x1b[?25l");
        self.erase(&mut out);
        for line in lines {
            ansi::write_line(&mut out, line);
            out.push_str("\r\n");
        }
        self.draw_live(&mut out, &live);
        if live.cursor.is_some() {
            out.push_str("\x1b[?25h");
        }
        out.push_str(SYNC_OFF);
        self.last = live;
        out
    }

    /// Erases the live area, at exit or before another program gets the terminal.
    pub fn erase_live_area(&mut self) -> String {
        let mut out = String::from(SYNC_ON);
        self.erase(&mut out);
        out.push_str("\x1b[?25h");
        out.push_str(SYNC_OFF);
        (self.drawn_widths, self.cursor, self.last) = (Vec::new(), (0, 0), LiveArea::default());
        out
    }

    /// Forces a redraw of the live area.
    pub fn force_redraw(&mut self) {
        self.last = LiveArea::default();
    }

    /// Resets the state after another program had the terminal: the live area is no longer on the screen.
    pub fn reset(&mut self) {
        (self.drawn_widths, self.cursor, self.last) = (Vec::new(), (0, 0), LiveArea::default());
    }

    fn erase(&self, out: &mut String) {
        let up = self.rows_above();
        out.push('\r');
        if up > 0 {
            let _ = write!(out, "\x1b[{up}A");
        }
        // Erasing from the first cell makes tmux save the screen to its history. So erase the first row by itself, and
        // the rest from the second column on.
        out.push_str("\x1b[K\x1b[C\x1b[J\r");
    }

    /// Rows between the live area's first row and the cursor, at the current terminal size.
    fn rows_above(&self) -> usize {
        let width = usize::from(self.size.0).max(1);
        let rows = |columns: usize| if self.reflows { columns.div_ceil(width).max(1) } else { 1 };
        let above: usize = self.drawn_widths.iter().take(self.cursor.0).map(|columns| rows(*columns)).sum();
        above + if self.reflows { self.cursor.1 / width } else { 0 }
    }

    fn draw_live(&mut self, out: &mut String, live: &LiveArea) {
        let room = usize::from(self.size.0).max(1);
        self.drawn_widths.clear();
        for (n, line) in live.lines.iter().enumerate() {
            if n > 0 {
                out.push_str("\r\n");
            }
            let fitted = text::fit_line(line.clone(), room);
            self.drawn_widths.push(text::line_width(&fitted));
            ansi::write_line(out, &fitted);
        }
        let last = live.lines.len().saturating_sub(1);
        let (line, column) = live.cursor.unwrap_or((last, 0));
        let (line, column) = (line.min(last), column.min(room.saturating_sub(1)));
        if last > line {
            let _ = write!(out, "\x1b[{}A", last - line);
        }
        out.push('\r');
        if column > 0 {
            let _ = write!(out, "\x1b[{column}C");
        }
        self.cursor = (line, column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(lines: &[&str]) -> LiveArea {
        LiveArea {
            lines: lines.iter().map(|line| Line::raw(line.to_string())).collect(),
            cursor: Some((lines.len() - 1, 1)),
        }
    }

    fn lines(lines: &[&str]) -> Vec<Line<'static>> {
        lines.iter().map(|line| Line::raw(line.to_string())).collect()
    }

    #[test]
    fn ui_1_lines_are_printed_once_above_live_area() {
        let of = |n: u16| std::num::NonZeroU16::new(n).unwrap();
        let mut screen = vt100::Parser::new(of(6), of(20), 100);
        let mut history = ScrollbackWriter::new(false, (20, 6));
        let mut expected = Vec::new();
        for n in 0..12 {
            let line = format!("line {n}");
            let out = history.write(&lines(&[&line]), live(&["", "> draft", "status"]));
            screen.process(out.as_bytes());
            expected.push(line);
        }
        let contents = screen.screen().contents();
        assert_eq!(contents, format!("{}\n\n> draft\nstatus", expected[9..].join("\n")));
        screen.screen_mut().set_scrollback(9);
        assert!(screen.screen().contents().starts_with("line 0\nline 1\n"), "{}", screen.screen().contents());
    }

    #[test]
    fn ui_1_writes_are_relative_and_synchronised() {
        let mut history = ScrollbackWriter::new(true, (20, 6));
        let out = history.write(&lines(&["x"]), live(&["a", "b"])) + &history.write(&[], live(&["a"]));
        assert_eq!(out.matches(SYNC_ON).count(), 2);
        for absolute in ["H", "f", "d", "s", "u", "2J", "3J", "6n"] {
            let found = out.split("\x1b[").skip(1).any(|rest| {
                let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
                rest[..=end].ends_with(absolute)
            });
            assert!(!found, "{absolute} in {out:?}");
        }
    }

    #[test]
    fn ui_1_rows_above_follow_terminal_reflow() {
        let mut history = ScrollbackWriter::new(true, (40, 10));
        history.write(&[], LiveArea { lines: lines(&[&"x".repeat(39), "> d", "s"]), cursor: Some((1, 3)) });
        assert_eq!(history.rows_above(), 1);
        history.set_size((20, 10), Instant::now());
        assert_eq!(history.rows_above(), 2);
        history.set_size((10, 10), Instant::now());
        assert_eq!(history.rows_above(), 4);
        history.reflows = false;
        assert_eq!(history.rows_above(), 1);
    }

    #[test]
    fn ui_1_resize_pauses_printing() {
        let mut history = ScrollbackWriter::new(true, (40, 10));
        let now = Instant::now();
        assert!(!history.set_size((40, 10), now) && history.pause_end(now).is_none());
        assert!(history.set_size((30, 10), now));
        assert_eq!(history.pause_end(now), Some(now + RESIZE_PAUSE));
        assert_eq!(history.pause_end(now + RESIZE_PAUSE), None);
    }
}

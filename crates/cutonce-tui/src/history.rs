//! The conversation in the terminal's own scrollback, the live area below it (UI-1).
//!
//! The rule, which came out exact through resizing: to commit lines, erase the live area, print them, draw the live area
//! again, in one synchronised write; relative moves only; the size is read before each write; a size change holds commits
//! back for a moment. Old lines keep their wrapping. Nothing here addresses the screen, so nothing can be wiped that is not
//! ours, and a reader who scrolled up is not disturbed.

use crate::paint;
use crate::text;
use ratatui::text::Line;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// How long after a size change nothing is committed: terminals report the size before they have wrapped their lines.
pub const HOLD: Duration = Duration::from_millis(300);
const SYNC_ON: &str = "\x1b[?2026h";
const SYNC_OFF: &str = "\x1b[?2026l";

/// What still changes, drawn below the conversation. Its lines are no wider than the terminal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Live {
    pub lines: Vec<Line<'static>>,
    /// Line and column of the cursor; None hides it.
    pub cursor: Option<(usize, usize)>,
}

#[derive(Debug)]
pub struct History {
    reflows: bool,
    /// Columns of each line of the live area as it was drawn.
    drawn: Vec<usize>,
    /// Where the cursor was left, in lines and columns of the live area.
    at: (usize, usize),
    last: Live,
    size: (u16, u16),
    hold: Option<Instant>,
}

impl History {
    pub fn new(reflows: bool, size: (u16, u16)) -> History {
        History { reflows, drawn: Vec::new(), at: (0, 0), last: Live::default(), size, hold: None }
    }

    /// The size as of now. A change holds commits back and forces the live area to be drawn anew.
    pub fn resized(&mut self, size: (u16, u16), now: Instant) -> bool {
        if size == self.size {
            return false;
        }
        self.size = size;
        self.hold = Some(now + HOLD);
        self.last = Live::default();
        true
    }

    /// Until when nothing is committed.
    pub fn held(&self, now: Instant) -> Option<Instant> {
        self.hold.filter(|until| *until > now)
    }

    /// Is there anything to write for this?
    pub fn differs(&self, lines: &[Line<'static>], live: &Live) -> bool {
        !lines.is_empty() || *live != self.last
    }

    /// The one write that commits `lines` and draws `live`.
    pub fn write(&mut self, lines: &[Line<'static>], live: Live) -> String {
        let mut out = String::from(SYNC_ON);
        out.push_str("\x1b[?25l");
        self.erase(&mut out);
        for line in lines {
            paint::line(&mut out, line);
            out.push_str("\r\n");
        }
        self.draw(&mut out, &live);
        if live.cursor.is_some() {
            out.push_str("\x1b[?25h");
        }
        out.push_str(SYNC_OFF);
        self.last = live;
        out
    }

    /// The live area goes: for the end, or for a program that gets the terminal.
    pub fn leave(&mut self) -> String {
        let mut out = String::from(SYNC_ON);
        self.erase(&mut out);
        out.push_str("\x1b[?25h");
        out.push_str(SYNC_OFF);
        (self.drawn, self.at, self.last) = (Vec::new(), (0, 0), Live::default());
        out
    }

    /// The live area is drawn anew even if it did not change.
    pub fn draw_again(&mut self) {
        self.last = Live::default();
    }

    /// Whatever is on the screen now, the live area is not: another program had the terminal.
    pub fn forget(&mut self) {
        (self.drawn, self.at, self.last) = (Vec::new(), (0, 0), Live::default());
    }

    fn erase(&self, out: &mut String) {
        let up = self.rows_above();
        out.push('\r');
        if up > 0 {
            let _ = write!(out, "\x1b[{up}A");
        }
        // From the first cell of the screen tmux takes it for a cleared screen and keeps a copy in its history: so the first
        // row goes by itself, and the rest from the second column on.
        out.push_str("\x1b[K\x1b[C\x1b[J\r");
    }

    /// Rows between the live area's first row and the cursor, as the terminal shows it at its size of now.
    fn rows_above(&self) -> usize {
        let width = usize::from(self.size.0).max(1);
        let rows = |columns: usize| if self.reflows { columns.div_ceil(width).max(1) } else { 1 };
        let above: usize = self.drawn.iter().take(self.at.0).map(|columns| rows(*columns)).sum();
        above + if self.reflows { self.at.1 / width } else { 0 }
    }

    fn draw(&mut self, out: &mut String, live: &Live) {
        let room = usize::from(self.size.0).max(1);
        self.drawn.clear();
        for (n, line) in live.lines.iter().enumerate() {
            if n > 0 {
                out.push_str("\r\n");
            }
            let fitted = text::fit_line(line.clone(), room);
            self.drawn.push(text::line_width(&fitted));
            paint::line(out, &fitted);
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
        self.at = (line, column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(lines: &[&str]) -> Live {
        Live {
            lines: lines.iter().map(|line| Line::raw(line.to_string())).collect(),
            cursor: Some((lines.len() - 1, 1)),
        }
    }

    fn lines(lines: &[&str]) -> Vec<Line<'static>> {
        lines.iter().map(|line| Line::raw(line.to_string())).collect()
    }

    #[test]
    fn ui_1_committed_lines_stand_above_the_live_area_once() {
        let of = |n: u16| std::num::NonZeroU16::new(n).unwrap();
        let mut screen = vt100::Parser::new(of(6), of(20), 100);
        let mut history = History::new(false, (20, 6));
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
    fn ui_1_only_relative_moves_and_one_synchronised_write() {
        let mut history = History::new(true, (20, 6));
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
    fn ui_1_a_terminal_that_wraps_anew_is_counted_as_it_shows() {
        let mut history = History::new(true, (40, 10));
        history.write(&[], Live { lines: lines(&[&"x".repeat(39), "> d", "s"]), cursor: Some((1, 3)) });
        assert_eq!(history.rows_above(), 1);
        history.resized((20, 10), Instant::now());
        assert_eq!(history.rows_above(), 2);
        history.resized((10, 10), Instant::now());
        assert_eq!(history.rows_above(), 4);
        history.reflows = false;
        assert_eq!(history.rows_above(), 1);
    }

    #[test]
    fn ui_1_a_size_change_holds_commits() {
        let mut history = History::new(true, (40, 10));
        let now = Instant::now();
        assert!(!history.resized((40, 10), now) && history.held(now).is_none());
        assert!(history.resized((30, 10), now));
        assert_eq!(history.held(now), Some(now + HOLD));
        assert_eq!(history.held(now + HOLD), None);
    }
}

//! A dialog that is too tall for the live area has the alternate screen, with the end of the conversation above it (UI-1, UI-11).
//! What stands in the live area is wrapped anew by the terminal when the window gets smaller, before anybody asks us: rows that
//! then find no room go to the scrollback for good. So only what fits a much smaller window is drawn there.

use super::App;
use super::asks::{SYNC, Screen, screen};
use crate::history::Live;
use crate::terminal;
use crate::text;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use std::collections::VecDeque;
use std::io;
use std::time::Instant;

/// The mouse wheel is not turned into arrow keys.
const NO_WHEEL: &[u8] = b"\x1b[?1007l";
/// Rows of the conversation that are kept for it.
const MOST_KEPT: usize = 120;
/// A window is taken to shrink to half its columns, but not below this, …
const NARROW: usize = 40;
/// … and to five of eight rows, but not below a window of fifteen.
const LOW: usize = 13;

#[derive(Default)]
pub struct Stage {
    screen: Option<Screen>,
    /// The last rows that went to the scrollback.
    recent: VecDeque<Line<'static>>,
}

impl Stage {
    /// Is the dialog on a screen of its own?
    pub fn is_on(&self) -> bool {
        self.screen.is_some()
    }

    /// These rows stand in the scrollback now.
    pub fn printed(&mut self, lines: &[Line<'static>]) {
        self.recent.extend(lines.iter().rev().take(MOST_KEPT).rev().cloned());
        self.recent.drain(..self.recent.len().saturating_sub(MOST_KEPT));
    }
}

/// Rows that the live area may have on a screen of this height.
pub fn most_rows(height: usize) -> usize {
    (height * 5 / 8).max(LOW).min(height.saturating_sub(2).max(4))
}

/// Columns that a window of so many may shrink to.
pub fn narrow(columns: usize) -> usize {
    (columns / 2).max(NARROW)
}

/// Rows that these lines take in a window that was made narrower.
pub fn narrow_rows(lines: &[Line<'_>], columns: usize) -> usize {
    lines.iter().map(|line| text::line_width(line).div_ceil(narrow(columns)).max(1)).sum()
}

/// Would rows of it be lost to the scrollback if the window shrank?
fn too_tall(live: &Live, (columns, height): (u16, u16)) -> bool {
    narrow_rows(&live.lines, usize::from(columns)) > most_rows(usize::from(height))
}

impl App {
    /// A dialog is open that has, or needs, a screen of its own. Once it has one it keeps it.
    pub(super) fn needs_stage(&self, live: &Live) -> bool {
        self.asks.asks() && (self.stage.is_on() || too_tall(live, terminal::size()))
    }

    pub(super) fn draw_on_stage(&mut self, live: Live, now: Instant) -> io::Result<()> {
        if !self.stage.is_on() {
            // The conversation is complete before it is covered.
            let commits = std::mem::take(&mut self.commits);
            let below = self.live(now, false);
            if self.history.differs(&commits, &below) {
                terminal::write(self.history.write(&commits, below).as_bytes())?;
            }
            self.stage.printed(&commits);
            self.terminal.alternate(true)?;
            // Here the wheel would move between the choices, not scroll.
            terminal::write(NO_WHEEL)?;
            self.stage.screen = Some(screen()?);
        }
        let Stage { screen: Some(screen), recent } = &mut self.stage else { return Ok(()) };
        let cursor = live.cursor.map(|(row, column)| (recent.len() + self.commits.len() + row, column));
        let rows: Vec<Line<'static>> = recent.iter().chain(&self.commits).chain(&live.lines).cloned().collect();
        terminal::write(SYNC[0])?;
        screen.draw(|frame| {
            let area = frame.area();
            let above = rows.len().saturating_sub(usize::from(area.height));
            for (row, place) in rows.into_iter().skip(above).zip(area.rows()) {
                text::fit_line(row, usize::from(area.width)).render(place, frame.buffer_mut());
            }
            if let Some((row, column)) = cursor {
                let at = |n: usize, end: u16| u16::try_from(n).unwrap_or(end).min(end.saturating_sub(1));
                frame.set_cursor_position((at(column, area.width), at(row.saturating_sub(above), area.height)));
            }
        })?;
        terminal::write(SYNC[1])
    }

    /// The dialog is done, or somebody else gets the terminal: the conversation is there again as it was.
    pub(super) fn leave_stage(&mut self) -> io::Result<()> {
        match self.stage.screen.take() {
            Some(_) => self.terminal.alternate(false),
            None => Ok(()),
        }
    }

    /// Whatever else was written on the screen goes.
    pub(super) fn clear_stage(&mut self) {
        if let (Ok(screen), Ok(())) = (screen(), terminal::write(b"\x1b[?1007l\x1b[2J")) {
            self.stage.screen = Some(screen);
        }
        self.now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(rows: usize, columns: usize) -> Live {
        Live { lines: vec![Line::raw("x".repeat(columns)); rows], cursor: None }
    }

    #[test]
    fn ui_1_what_would_not_fit_a_smaller_window_is_not_drawn_in_the_live_area() {
        assert!(!too_tall(&live(15, 40), (80, 24)));
        assert!(too_tall(&live(16, 40), (80, 24)));
        assert!(!too_tall(&live(7, 79), (80, 24)) && too_tall(&live(8, 79), (80, 24)));
        assert!(!too_tall(&live(13, 39), (40, 15)));
        assert!(!too_tall(&live(37, 100), (200, 60)) && too_tall(&live(20, 199), (200, 60)));
        assert_eq!([most_rows(24), most_rows(15), most_rows(60), most_rows(3)], [15, 13, 37, 4]);
    }

    #[test]
    fn ui_1_the_stage_remembers_the_end_of_the_conversation() {
        let mut stage = Stage::default();
        let lines: Vec<Line<'static>> = (0..500).map(|n| Line::raw(n.to_string())).collect();
        stage.printed(&lines[..3]);
        stage.printed(&lines);
        let kept: Vec<String> = stage.recent.iter().map(text::plain).collect();
        assert_eq!((kept.len(), kept[0].as_str(), kept[119].as_str()), (MOST_KEPT, "380", "499"));
    }
}

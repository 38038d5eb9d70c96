//! A dialog that is too tall for the live area uses the alternate screen, with the end of the conversation
//! above it (UI-1, UI-11).
//! When the window shrinks, the terminal rewraps the live area before the app can react, and rows without
//! room are lost to the scrollback. So the live area only shows what fits a much smaller window.

use super::App;
use super::pending_asks::{AltScreen, SYNC_UPDATE, new_screen};
use crate::render::text;
use crate::terminal;
use crate::terminal::scrollback::LiveArea;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use std::collections::VecDeque;
use std::io;
use std::time::Instant;

/// Disables sending the mouse wheel as arrow keys.
const NO_WHEEL: &[u8] = b"\x1b[?1007l";
/// Maximum number of conversation rows kept for display above a dialog.
const MAX_RECENT_ROWS: usize = 120;
/// Assume that a window shrinks to half its columns, but not below this width.
const MIN_WIDTH: usize = 40;
/// Assume that a window shrinks to five eighths of its rows, but not below this height.
const MIN_ROWS: usize = 13;

#[derive(Default)]
pub struct DialogScreen {
    screen: Option<AltScreen>,
    /// The last rows that were printed to the scrollback.
    recent_rows: VecDeque<Line<'static>>,
}

impl DialogScreen {
    /// True if the dialog uses its own screen.
    pub fn is_active(&self) -> bool {
        self.screen.is_some()
    }

    /// Remembers rows that were printed to the scrollback.
    pub fn remember_rows(&mut self, lines: &[Line<'static>]) {
        self.recent_rows.extend(lines.iter().rev().take(MAX_RECENT_ROWS).rev().cloned());
        self.recent_rows.drain(..self.recent_rows.len().saturating_sub(MAX_RECENT_ROWS));
    }
}

/// Maximum height of the live area for a screen height.
pub fn max_live_rows(height: usize) -> usize {
    (height * 5 / 8).max(MIN_ROWS).min(height.saturating_sub(2).max(4))
}

/// Width that a window may shrink to.
pub fn narrow_width(columns: usize) -> usize {
    (columns / 2).max(MIN_WIDTH)
}

/// Number of rows that lines take after the window was narrowed.
pub fn narrow_rows(lines: &[Line<'_>], columns: usize) -> usize {
    lines.iter().map(|line| text::line_width(line).div_ceil(narrow_width(columns)).max(1)).sum()
}

/// True if rows would be lost to the scrollback when the window shrinks.
fn too_tall(live: &LiveArea, (columns, height): (u16, u16)) -> bool {
    narrow_rows(&live.lines, usize::from(columns)) > max_live_rows(usize::from(height))
}

impl App {
    /// True if the open dialog has or needs its own screen. It keeps the screen once it has one.
    pub(super) fn needs_dialog_screen(&self, live: &LiveArea) -> bool {
        self.asks.has_dialog() && (self.dialog_screen.is_active() || too_tall(live, terminal::size()))
    }

    pub(super) fn draw_dialog_screen(&mut self, live: LiveArea, now: Instant) -> io::Result<()> {
        if !self.dialog_screen.is_active() {
            // Print pending rows before the screen is covered.
            let commits = std::mem::take(&mut self.screen.pending_rows);
            let below = self.build_live_area(now, false);
            if self.screen.scrollback.needs_write(&commits, &below) {
                terminal::write(self.screen.scrollback.write(&commits, below).as_bytes())?;
            }
            self.dialog_screen.remember_rows(&commits);
            self.screen.terminal.set_alternate(true)?;
            // On this screen the wheel would move between the choices instead of scrolling.
            terminal::write(NO_WHEEL)?;
            self.dialog_screen.screen = Some(new_screen()?);
        }
        let DialogScreen { screen: Some(screen), recent_rows: recent } = &mut self.dialog_screen else { return Ok(()) };
        let cursor = live.cursor.map(|(row, column)| (recent.len() + self.screen.pending_rows.len() + row, column));
        let rows: Vec<Line<'static>> =
            recent.iter().chain(&self.screen.pending_rows).chain(&live.lines).cloned().collect();
        terminal::write(SYNC_UPDATE[0])?;
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
        terminal::write(SYNC_UPDATE[1])
    }

    /// Leaves the dialog screen and shows the conversation again.
    pub(super) fn leave_dialog_screen(&mut self) -> io::Result<()> {
        match self.dialog_screen.screen.take() {
            Some(_) => self.screen.terminal.set_alternate(false),
            None => Ok(()),
        }
    }

    /// Clears output of other programs from the dialog screen.
    pub(super) fn clear_dialog_screen(&mut self) {
        if let (Ok(screen), Ok(())) = (new_screen(), terminal::write(b"\x1b[?1007l\x1b[2J")) {
            self.dialog_screen.screen = Some(screen);
        }
        self.redraw_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(rows: usize, columns: usize) -> LiveArea {
        LiveArea { lines: vec![Line::raw("x".repeat(columns)); rows], cursor: None }
    }

    #[test]
    fn ui_1_live_area_fits_a_smaller_window() {
        assert!(!too_tall(&live(15, 40), (80, 24)));
        assert!(too_tall(&live(16, 40), (80, 24)));
        assert!(!too_tall(&live(7, 79), (80, 24)) && too_tall(&live(8, 79), (80, 24)));
        assert!(!too_tall(&live(13, 39), (40, 15)));
        assert!(!too_tall(&live(37, 100), (200, 60)) && too_tall(&live(20, 199), (200, 60)));
        assert_eq!([max_live_rows(24), max_live_rows(15), max_live_rows(60), max_live_rows(3)], [15, 13, 37, 4]);
    }

    #[test]
    fn ui_1_dialog_screen_keeps_the_latest_rows() {
        let mut stage = DialogScreen::default();
        let lines: Vec<Line<'static>> = (0..500).map(|n| Line::raw(n.to_string())).collect();
        stage.remember_rows(&lines[..3]);
        stage.remember_rows(&lines);
        let kept: Vec<String> = stage.recent_rows.iter().map(text::plain_text).collect();
        assert_eq!((kept.len(), kept[0].as_str(), kept[119].as_str()), (MAX_RECENT_ROWS, "380", "499"));
    }
}

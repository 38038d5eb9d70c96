//! Cursor and scroll position: the cursor is on a source line, and the screen starts at one row of a line.

use super::keys::ReviewAction;
use super::layout::line_rows;
use super::{FieldPurpose, PlanReview, ReviewFocus};
use crate::overlays::OverlayOutcome;
use ratatui::text::Line;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct PlanViewport {
    pub cursor: usize,
    /// First line on the screen, and how many of its rows are scrolled off above.
    pub top: (usize, usize),
    /// Rows and columns of the plan area in the last frame.
    pub height: usize,
    pub width: usize,
    /// Cache of wrapped rows by line, valid for this width.
    pub row_cache: HashMap<usize, Vec<Line<'static>>>,
    pub highlighted_lines: usize,
}

impl PlanViewport {
    /// Clears the row cache after the text, its changes or its colours changed.
    pub fn clear_cache(&mut self) {
        self.row_cache.clear();
    }

    /// Stores the size of the plan area. Returns true if it changed.
    pub fn resize(&mut self, height: usize, width: usize) -> bool {
        if self.width != width {
            self.clear_cache();
        }
        let before = (self.height, self.width);
        (self.height, self.width) = (height, width);
        before != (height, width)
    }
}

impl PlanReview {
    pub(super) fn scroll(&mut self, action: ReviewAction) {
        let page = self.viewport.height.saturating_sub(1).max(1);
        match action {
            ReviewAction::Up => self.move_up(),
            ReviewAction::Down => self.move_down(),
            ReviewAction::PageUp => self.page_up(page),
            ReviewAction::PageDown => self.page_down(page),
            ReviewAction::First => (self.viewport.cursor, self.viewport.top) = (0, (0, 0)),
            ReviewAction::Last => self.viewport.cursor = self.last_line(),
            _ => {}
        }
        self.follow_cursor();
    }

    /// Moves down one line, or one row within a line that is taller than the screen.
    fn move_down(&mut self) {
        if self.extends_below(self.viewport.cursor) {
            self.viewport.top = self.advance_rows(self.viewport.top, 1);
        } else {
            self.viewport.cursor = (self.viewport.cursor + 1).min(self.last_line());
        }
    }

    fn move_up(&mut self) {
        if self.viewport.top.0 == self.viewport.cursor && self.viewport.top.1 > 0 {
            self.viewport.top.1 -= 1;
        } else {
            self.viewport.cursor = self.viewport.cursor.saturating_sub(1);
        }
    }

    fn page_down(&mut self, page: usize) {
        self.viewport.top = self.advance_rows(self.viewport.top, page);
        let last = self.last_visible_line();
        self.viewport.cursor = self.viewport.cursor.max(self.viewport.top.0).min(self.last_line());
        if self.viewport.top.0 >= self.last_line() || last >= self.last_line() {
            self.viewport.cursor = self.last_line().min(last.max(self.viewport.top.0));
        }
    }

    fn page_up(&mut self, page: usize) {
        let mut left = page;
        while left > 0 && self.viewport.top != (0, 0) {
            if self.viewport.top.1 > 0 {
                let step = self.viewport.top.1.min(left);
                self.viewport.top.1 -= step;
                left -= step;
            } else {
                self.viewport.top = (self.viewport.top.0 - 1, self.line_height(self.viewport.top.0 - 1));
            }
        }
        let last = self.last_visible_line();
        self.viewport.cursor = match self.viewport.top {
            (0, 0) if left > 0 => 0,
            _ => self.viewport.cursor.min(last),
        };
    }

    fn advance_rows(&mut self, from: (usize, usize), rows: usize) -> (usize, usize) {
        let (mut line, mut above) = (from.0, from.1 + rows);
        while line < self.last_line() && above >= self.line_height(line) {
            above -= self.line_height(line);
            line += 1;
        }
        (line, above.min(self.line_height(line).saturating_sub(1)))
    }

    /// True if rows of this tall line are below the screen.
    fn extends_below(&mut self, line: usize) -> bool {
        if line < self.viewport.top.0 || self.line_height(line) <= self.viewport.height {
            return false;
        }
        let before: usize = (self.viewport.top.0..line).map(|line| self.line_height(line)).sum();
        before + self.line_height(line) > self.viewport.top.1 + self.viewport.height
    }

    /// Last line that is fully visible, or the first line on the screen.
    fn last_visible_line(&mut self) -> usize {
        let mut room = self.viewport.height + self.viewport.top.1;
        let mut line = self.viewport.top.0;
        while line < self.last_line() {
            let height = self.line_height(line);
            if height > room {
                return line.saturating_sub(1).max(self.viewport.top.0);
            }
            room -= height;
            line += 1;
        }
        line
    }

    /// Adjusts the scroll position after a resize, so that the page is filled as long as there are lines.
    pub(super) fn fill_page(&mut self) {
        let (line, above) = self.viewport.top;
        let line = line.min(self.last_line());
        self.viewport.top = (line, above.min(self.line_height(line).saturating_sub(1)));
        let end = self.source.len();
        let room = self.viewport.height.saturating_sub(self.line_height(end));
        self.viewport.top = self.viewport.top.min(self.rows_back((end, 0), room));
    }

    /// Position `room` rows above this one.
    fn rows_back(&mut self, mut first: (usize, usize), mut room: usize) -> (usize, usize) {
        while first.0 > 0 && room > 0 {
            let height = self.line_height(first.0 - 1);
            first = if height <= room { (first.0 - 1, 0) } else { (first.0 - 1, height - room) };
            room = room.saturating_sub(height);
        }
        first
    }

    /// Scrolls so that the cursor's line is visible.
    pub(super) fn follow_cursor(&mut self) {
        let cursor = self.viewport.cursor;
        if self.viewport.top.0 > self.last_line() {
            self.viewport.top = (self.last_line(), 0);
        }
        if cursor < self.viewport.top.0 {
            self.viewport.top = (cursor, 0);
        }
        let own = self.line_height(cursor);
        if own > self.viewport.height {
            let writing = matches!(self.focus, ReviewFocus::Field { what: FieldPurpose::Comment { .. }, .. });
            if writing {
                self.viewport.top = (cursor, own - self.viewport.height);
            } else if self.viewport.top.0 != cursor {
                self.viewport.top = (cursor, 0);
            }
            return;
        }
        if self.viewport.top.0 == cursor {
            self.viewport.top.1 = 0;
        }
        // The topmost position that still shows the whole line under the cursor.
        let first = self.rows_back((cursor, 0), self.viewport.height - own);
        if self.viewport.top < first {
            self.viewport.top = first;
        }
    }

    fn line_height(&mut self, line: usize) -> usize {
        line_rows::line_height(self, line)
    }

    pub(super) fn jump(&mut self, action: ReviewAction) {
        let cursor = self.viewport.cursor;
        let target = match action {
            ReviewAction::PreviousHeading => {
                self.source.headings().iter().rev().map(|heading| heading.line).find(|line| *line < cursor)
            }
            ReviewAction::NextHeading => {
                self.source.headings().iter().map(|heading| heading.line).find(|line| *line > cursor)
            }
            ReviewAction::PreviousChange => (0..cursor).rev().find(|line| self.starts_change(*line)),
            ReviewAction::NextChange => (cursor + 1..self.source.len()).find(|line| self.starts_change(*line)),
            _ => None,
        };
        match target {
            Some(line) => self.go_to_line(line),
            None => self.notice = Some("no more in this direction".into()),
        }
    }

    /// True if a run of changed lines starts here or the line has a comment.
    fn starts_change(&self, line: usize) -> bool {
        let changed = |line: usize| self.comparison.changes.has_change(line);
        let said = self.reply.comments.iter().any(|remark| remark.last == line)
            || self.reply.earlier_comments.iter().any(|one| one.line == line)
            || self.findings_on(line).next().is_some();
        said || (changed(line) && !(line > 0 && changed(line - 1)))
    }

    /// Moves the cursor to a line and keeps a few lines visible above it.
    pub(super) fn go_to_line(&mut self, line: usize) {
        self.viewport.cursor = line.min(self.last_line());
        let above = (self.viewport.height / 4).min(self.viewport.cursor);
        let visible = self.viewport.cursor >= self.viewport.top.0
            && self.viewport.cursor < self.viewport.top.0 + self.viewport.height / 2;
        if !visible {
            self.viewport.top = (self.viewport.cursor - above, 0);
        }
        self.follow_cursor();
    }

    pub(super) fn find_next(&mut self, forth: bool) -> OverlayOutcome {
        let (cursor, all) = (self.viewport.cursor, self.source.len().max(1));
        let from = if forth { (cursor + 1) % all } else { (cursor + all - 1) % all };
        self.find_from(from, forth);
        OverlayOutcome::Redraw
    }

    pub(super) fn find_from(&mut self, from: usize, forth: bool) {
        let Some(words) = self.search.as_deref().map(str::to_lowercase) else { return };
        let all = self.source.len();
        let found = (0..all).map(|step| if forth { (from + step) % all } else { (from + all - step) % all });
        match found.into_iter().find(|line| self.source.line(*line).to_lowercase().contains(&words)) {
            Some(line) => self.go_to_line(line),
            None => self.notice = Some("not found".into()),
        }
    }

    /// Index of the current match and total number of matching lines.
    pub(super) fn match_position(&self) -> Option<(usize, usize)> {
        let words = self.search.as_deref()?.to_lowercase();
        let hits = (0..self.source.len()).filter(|line| self.source.line(*line).to_lowercase().contains(&words));
        let hits: Vec<usize> = hits.collect();
        Some((hits.iter().filter(|line| **line <= self.viewport.cursor).count(), hits.len()))
    }
}

//! Where the person is in the plan: the cursor is on a line of the source, the screen begins at a row of one.

use super::draw::rows;
use super::keys::Action;
use super::{Focus, Review, What};
use crate::overlay::Outcome;
use ratatui::text::Line;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct View {
    pub cursor: usize,
    /// The first line on the screen, and how many of its rows are above it.
    pub top: (usize, usize),
    /// Rows and columns of the plan, as drawn last.
    pub height: usize,
    pub width: usize,
    /// The rows of lines that were drawn at this width.
    pub drawn: HashMap<usize, Vec<Line<'static>>>,
    pub coloured: usize,
}

impl View {
    /// The text, its changes or its colours are other ones.
    pub fn forget(&mut self) {
        self.drawn.clear();
    }

    /// Is it another size than before?
    pub fn resize(&mut self, height: usize, width: usize) -> bool {
        if self.width != width {
            self.forget();
        }
        let before = (self.height, self.width);
        (self.height, self.width) = (height, width);
        before != (height, width)
    }
}

impl Review {
    pub(super) fn scroll(&mut self, action: Action) {
        let page = self.view.height.saturating_sub(1).max(1);
        match action {
            Action::Up => self.up(),
            Action::Down => self.down(),
            Action::PageUp => self.page_up(page),
            Action::PageDown => self.page_down(page),
            Action::First => (self.view.cursor, self.view.top) = (0, (0, 0)),
            Action::Last => self.view.cursor = self.last_line(),
            _ => {}
        }
        self.settle();
    }

    /// A line that is longer than the screen is gone through row by row.
    fn down(&mut self) {
        if self.below(self.view.cursor) {
            self.view.top = self.forward(self.view.top, 1);
        } else {
            self.view.cursor = (self.view.cursor + 1).min(self.last_line());
        }
    }

    fn up(&mut self) {
        if self.view.top.0 == self.view.cursor && self.view.top.1 > 0 {
            self.view.top.1 -= 1;
        } else {
            self.view.cursor = self.view.cursor.saturating_sub(1);
        }
    }

    fn page_down(&mut self, page: usize) {
        self.view.top = self.forward(self.view.top, page);
        let last = self.last_shown();
        self.view.cursor = self.view.cursor.max(self.view.top.0).min(self.last_line());
        if self.view.top.0 >= self.last_line() || last >= self.last_line() {
            self.view.cursor = self.last_line().min(last.max(self.view.top.0));
        }
    }

    fn page_up(&mut self, page: usize) {
        let mut left = page;
        while left > 0 && self.view.top != (0, 0) {
            if self.view.top.1 > 0 {
                let step = self.view.top.1.min(left);
                self.view.top.1 -= step;
                left -= step;
            } else {
                self.view.top = (self.view.top.0 - 1, self.height_of(self.view.top.0 - 1));
            }
        }
        let last = self.last_shown();
        self.view.cursor = match self.view.top {
            (0, 0) if left > 0 => 0,
            _ => self.view.cursor.min(last),
        };
    }

    fn forward(&mut self, from: (usize, usize), rows: usize) -> (usize, usize) {
        let (mut line, mut above) = (from.0, from.1 + rows);
        while line < self.last_line() && above >= self.height_of(line) {
            above -= self.height_of(line);
            line += 1;
        }
        (line, above.min(self.height_of(line).saturating_sub(1)))
    }

    /// Do rows of this line lie below the screen?
    fn below(&mut self, line: usize) -> bool {
        if line < self.view.top.0 || self.height_of(line) <= self.view.height {
            return false;
        }
        let before: usize = (self.view.top.0..line).map(|line| self.height_of(line)).sum();
        before + self.height_of(line) > self.view.top.1 + self.view.height
    }

    /// The last line that is on the screen as a whole, or the first.
    fn last_shown(&mut self) -> usize {
        let mut room = self.view.height + self.view.top.1;
        let mut line = self.view.top.0;
        while line < self.last_line() {
            let height = self.height_of(line);
            if height > room {
                return line.saturating_sub(1).max(self.view.top.0);
            }
            room -= height;
            line += 1;
        }
        line
    }

    /// The plan's room has another size: lines have other rows, and a page is filled as long as there are lines for it.
    pub(super) fn refill(&mut self) {
        let (line, above) = self.view.top;
        let line = line.min(self.last_line());
        self.view.top = (line, above.min(self.height_of(line).saturating_sub(1)));
        let end = self.source.len();
        let room = self.view.height.saturating_sub(self.height_of(end));
        self.view.top = self.view.top.min(self.back_from((end, 0), room));
    }

    /// So many rows above this one.
    fn back_from(&mut self, mut first: (usize, usize), mut room: usize) -> (usize, usize) {
        while first.0 > 0 && room > 0 {
            let height = self.height_of(first.0 - 1);
            first = if height <= room { (first.0 - 1, 0) } else { (first.0 - 1, height - room) };
            room = room.saturating_sub(height);
        }
        first
    }

    /// The screen follows the cursor.
    pub(super) fn settle(&mut self) {
        let cursor = self.view.cursor;
        if self.view.top.0 > self.last_line() {
            self.view.top = (self.last_line(), 0);
        }
        if cursor < self.view.top.0 {
            self.view.top = (cursor, 0);
        }
        let own = self.height_of(cursor);
        if own > self.view.height {
            let writing = matches!(self.focus, Focus::Field { what: What::Comment { .. }, .. });
            if writing {
                self.view.top = (cursor, own - self.view.height);
            } else if self.view.top.0 != cursor {
                self.view.top = (cursor, 0);
            }
            return;
        }
        if self.view.top.0 == cursor {
            self.view.top.1 = 0;
        }
        // The earliest beginning that still shows the cursor's line as a whole.
        let first = self.back_from((cursor, 0), self.view.height - own);
        if self.view.top < first {
            self.view.top = first;
        }
    }

    fn height_of(&mut self, line: usize) -> usize {
        rows::height(self, line)
    }

    pub(super) fn jump(&mut self, action: Action) {
        let cursor = self.view.cursor;
        let target = match action {
            Action::HeadingBack => {
                self.source.headings().iter().rev().map(|heading| heading.line).find(|line| *line < cursor)
            }
            Action::HeadingNext => {
                self.source.headings().iter().map(|heading| heading.line).find(|line| *line > cursor)
            }
            Action::ChangeBack => (0..cursor).rev().find(|line| self.begins(*line)),
            Action::ChangeNext => (cursor + 1..self.source.len()).find(|line| self.begins(*line)),
            _ => None,
        };
        match target {
            Some(line) => self.go(line),
            None => self.notice = Some("no more in this direction".into()),
        }
    }

    /// A run of changed lines begins here, or there is a comment.
    fn begins(&self, line: usize) -> bool {
        let changed = |line: usize| self.changes.at(line);
        let said =
            self.remarks.iter().any(|remark| remark.last == line) || self.earlier.iter().any(|one| one.line == line);
        said || (changed(line) && !(line > 0 && changed(line - 1)))
    }

    /// The cursor goes to a line, with a few lines above it.
    pub(super) fn go(&mut self, line: usize) {
        self.view.cursor = line.min(self.last_line());
        let above = (self.view.height / 4).min(self.view.cursor);
        let visible = self.view.cursor >= self.view.top.0 && self.view.cursor < self.view.top.0 + self.view.height / 2;
        if !visible {
            self.view.top = (self.view.cursor - above, 0);
        }
        self.settle();
    }

    pub(super) fn find_next(&mut self, forth: bool) -> Outcome {
        let (cursor, all) = (self.view.cursor, self.source.len().max(1));
        let from = if forth { (cursor + 1) % all } else { (cursor + all - 1) % all };
        self.find_from(from, forth);
        Outcome::Redraw
    }

    pub(super) fn find_from(&mut self, from: usize, forth: bool) {
        let Some(words) = self.find.as_deref().map(str::to_lowercase) else { return };
        let all = self.source.len();
        let found = (0..all).map(|step| if forth { (from + step) % all } else { (from + all - step) % all });
        match found.into_iter().find(|line| self.source.line(*line).to_lowercase().contains(&words)) {
            Some(line) => self.go(line),
            None => self.notice = Some("not found".into()),
        }
    }

    /// Which of how many lines with the words this is.
    pub(super) fn found(&self) -> Option<(usize, usize)> {
        let words = self.find.as_deref()?.to_lowercase();
        let hits = (0..self.source.len()).filter(|line| self.source.line(*line).to_lowercase().contains(&words));
        let hits: Vec<usize> = hits.collect();
        Some((hits.iter().filter(|line| **line <= self.view.cursor).count(), hits.len()))
    }
}

//! What the model says, as it comes (UI-2): whole rows go to the scrollback, the tail stays live.

use super::MARK;
use crate::highlight::Highlighter;
use crate::markdown::Stream;
use crate::text;
use crate::theme::Theme;
use ratatui::text::{Line, Span};
use std::time::Instant;

/// Columns before the text.
const INDENT: usize = 2;

pub struct Speech {
    stream: Stream,
    begun: bool,
    theme: Theme,
}

impl Speech {
    pub fn new(width: usize, theme: Theme, highlighter: &Highlighter) -> Speech {
        let stream = Stream::new(width.saturating_sub(INDENT).max(1), theme).highlighted(highlighter.clone());
        Speech { stream, begun: false, theme }
    }

    pub fn push(&mut self, delta: &str) {
        self.stream.push(delta);
    }
    pub fn resize(&mut self, width: usize) {
        self.stream.resize(width.saturating_sub(INDENT).max(1));
    }

    /// Rows that are done.
    pub fn finished(&mut self) -> Vec<Line<'static>> {
        let rows = self.stream.finished();
        self.marked(rows)
    }

    /// No more will come: all the rest. Its colours are waited for, but not for longer than this.
    pub fn finish(mut self, until: Instant) -> Vec<Line<'static>> {
        self.stream.end();
        self.stream.wait(until);
        let rows = self.stream.finish();
        self.marked(rows)
    }

    /// What is still in motion: at most so many rows, also in a window of so few columns.
    pub fn tail(&self, most: usize, narrow: usize) -> Vec<Line<'static>> {
        let mut begun = self.begun;
        let takes = |row: &Line<'_>| (text::line_width(row) + INDENT).div_ceil(narrow.max(1));
        mark(self.stream.tail_of(most, takes), &mut begun, &self.theme)
    }

    fn marked(&mut self, rows: Vec<Line<'static>>) -> Vec<Line<'static>> {
        mark(rows, &mut self.begun, &self.theme)
    }
}

/// The first row that says something carries the mark; the others stand below it.
fn mark(rows: Vec<Line<'static>>, begun: &mut bool, theme: &Theme) -> Vec<Line<'static>> {
    let mut out = Vec::with_capacity(rows.len());
    for mut row in rows {
        let empty = row.spans.iter().all(|span| span.content.trim().is_empty());
        if empty && !*begun {
            continue;
        }
        let before = match (*begun, empty) {
            (false, _) => Span::styled(format!("{MARK} "), theme.text),
            (true, true) => Span::raw(""),
            (true, false) => Span::raw("  "),
        };
        *begun = true;
        row.spans.insert(0, before);
        out.push(row);
    }
    out
}

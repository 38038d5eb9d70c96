//! Streaming model text (UI-2): finished rows go to the scrollback, the tail stays in the live area.

use super::AGENT_MARK;
use crate::render::highlight::Highlighter;
use crate::render::markdown::MarkdownStream;
use crate::render::text;
use crate::render::theme::Theme;
use ratatui::text::{Line, Span};
use std::time::Instant;

/// Indentation of the text, in columns.
const INDENT: usize = 2;

pub struct StreamingText {
    stream: MarkdownStream,
    started: bool,
    theme: Theme,
}

impl StreamingText {
    pub fn new(width: usize, theme: Theme, highlighter: &Highlighter) -> StreamingText {
        let stream =
            MarkdownStream::new(width.saturating_sub(INDENT).max(1), theme).with_highlighter(highlighter.clone());
        StreamingText { stream, started: false, theme }
    }

    pub fn push(&mut self, delta: &str) {
        self.stream.push(delta);
    }
    pub fn resize(&mut self, width: usize) {
        self.stream.resize(width.saturating_sub(INDENT).max(1));
    }

    /// Takes the finished rows.
    pub fn take_finished(&mut self) -> Vec<Line<'static>> {
        let rows = self.stream.take_finished();
        self.mark_rows(rows)
    }

    /// Ends the text and returns all remaining rows. Waits for their colours until the deadline.
    pub fn finish(mut self, until: Instant) -> Vec<Line<'static>> {
        self.stream.end();
        self.stream.wait_for_colours(until);
        let rows = self.stream.finish();
        self.mark_rows(rows)
    }

    /// Rows that can still change: at most `most`, even after wrapping at `narrow` columns.
    pub fn tail(&self, most: usize, narrow: usize) -> Vec<Line<'static>> {
        let mut begun = self.started;
        let takes = |row: &Line<'_>| (text::line_width(row) + INDENT).div_ceil(narrow.max(1));
        add_mark(self.stream.tail_with(most, takes), &mut begun, &self.theme)
    }

    fn mark_rows(&mut self, rows: Vec<Line<'static>>) -> Vec<Line<'static>> {
        add_mark(rows, &mut self.started, &self.theme)
    }
}

/// Puts the mark before the first row with text and indents the others.
fn add_mark(rows: Vec<Line<'static>>, begun: &mut bool, theme: &Theme) -> Vec<Line<'static>> {
    let mut out = Vec::with_capacity(rows.len());
    for mut row in rows {
        let empty = row.spans.iter().all(|span| span.content.trim().is_empty());
        if empty && !*begun {
            continue;
        }
        let before = match (*begun, empty) {
            (false, _) => Span::styled(format!("{AGENT_MARK} "), theme.text),
            (true, true) => Span::raw(""),
            (true, false) => Span::raw("  "),
        };
        *begun = true;
        row.spans.insert(0, before);
        out.push(row);
    }
    out
}

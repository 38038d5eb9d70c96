//! Markdown rendering (UI-2): headings, lists, tables, quotes, links, code.
//!
//! The streaming renderer splits a growing message into units that later text can't change: a paragraph, a line of
//! code, a whole table, each also inside a list item or a quote. It renders each unit once; only the last, open unit is
//! rendered again. The cost of a delta does not grow with the message. `render` uses the same code, so chunking changes
//! nothing.

mod block;
mod containers;
mod scan;
mod table;

use crate::render::highlight::{self, Highlighter};
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use block::UnitContext;
use containers::ContainerStack;
use ratatui::text::{Line, Span};
pub use scan::CodeFence;
use scan::UnitKind;
use std::collections::VecDeque;
use std::time::Instant;

/// Maximum bytes of a unit. Longer units are split, so that no input makes a delta slow.
const MAX_UNIT_SIZE: usize = 16 << 10;
/// Bytes of an open paragraph after which its full rows may be emitted.
const MIN_SPLIT: usize = 80;
/// Indentation of code, in columns.
const CODE_INDENT: usize = 2;
/// Maximum code lines that wait for highlighting while a message streams. Beyond it, lines are emitted plain.
const MAX_WAITING_LINES: usize = 400;

/// Renders a whole text, without code highlighting.
pub fn render(source: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut stream = MarkdownStream::new(width, *theme);
    stream.push(source);
    stream.finish()
}

/// Renders a whole text with highlighted code, as far as the colours arrive in time.
pub fn render_highlighted(
    source: &str,
    width: usize,
    theme: &Theme,
    colours: CodeHighlighting<'_>,
) -> Vec<Line<'static>> {
    let mut stream = MarkdownStream::new(width, *theme).with_highlighter(colours.highlighter.clone());
    stream.push(source);
    stream.end();
    stream.wait_for_colours(colours.deadline);
    stream.finish()
}

/// The highlighter and a deadline, so that drawing never waits long for a hostile line.
#[derive(Debug, Clone, Copy)]
pub struct CodeHighlighting<'a> {
    pub highlighter: &'a Highlighter,
    pub deadline: Instant,
}

/// Renders one source line as one row. Empty if it takes more than one.
pub fn render_one_line(source: &str, theme: &Theme) -> Vec<Span<'static>> {
    let mut rows = block::render(source, usize::from(u16::MAX), theme, UnitContext::default());
    if rows.len() == 1 { rows.pop().map(|row| row.spans).unwrap_or_default() } else { Vec::new() }
}

/// Renders a table as one list of rows per source line. None if it is not a table, if its columns do not fit next to
/// each other, or if the parser would drop cells that have no header.
pub fn render_table_lines(source: &str, width: usize, theme: &Theme) -> Option<Vec<Vec<Line<'static>>>> {
    if block::has_extra_cells(source) {
        return None;
    }
    let lines = block::parse_table(source, theme)?.rows_by_line(width, theme)?;
    (lines.len() == source.lines().count()).then_some(lines)
}

/// Incremental renderer for a message that still grows.
#[derive(Debug)]
pub struct MarkdownStream {
    width: usize,
    theme: Theme,
    highlighter: Option<Highlighter>,
    /// Containers of the last line.
    containers: ContainerStack,
    /// Source of the open unit: whole lines without their container prefixes.
    open_source: String,
    /// Text of the open paragraph before `open` that did not fill a row.
    carried: Vec<Span<'static>>,
    /// The unfinished line continues the open paragraph.
    continues_paragraph: bool,
    /// A blank line followed the last line with text.
    gap: bool,
    /// Blank row to emit before the next rows.
    pending_blank: Option<Line<'static>>,
    /// The unfinished line.
    partial_line: String,
    code: Option<OpenCodeBlock>,
    /// Finished output that was not taken yet, oldest first. Code that waits for colours blocks everything after it.
    finished: VecDeque<FinishedOutput>,
    ended: bool,
}

/// An open code block.
#[derive(Debug)]
struct OpenCodeBlock {
    fence: CodeFence,
    block: Option<highlight::HighlightedBlock>,
    lines: usize,
}

#[derive(Debug)]
enum FinishedOutput {
    Row(Line<'static>),
    Code(CodeLine),
}

/// A line of code that may still wait for its colours.
#[derive(Debug)]
struct CodeLine {
    block: Option<highlight::HighlightedBlock>,
    number: usize,
    text: String,
    prefix: RowPrefix,
}

impl MarkdownStream {
    pub fn new(width: usize, theme: Theme) -> MarkdownStream {
        MarkdownStream {
            width: width.max(1),
            theme,
            highlighter: None,
            containers: ContainerStack::default(),
            open_source: String::new(),
            carried: Vec::new(),
            continues_paragraph: false,
            gap: false,
            pending_blank: None,
            partial_line: String::new(),
            code: None,
            finished: VecDeque::new(),
            ended: false,
        }
    }

    /// Enables code highlighting on another thread.
    pub fn with_highlighter(mut self, highlighter: Highlighter) -> MarkdownStream {
        self.highlighter = Some(highlighter);
        self
    }

    /// Sets the width. Finished rows keep the old one.
    pub fn resize(&mut self, width: usize) {
        self.width = width.max(1);
    }

    pub fn push(&mut self, delta: &str) {
        let mut rest = delta;
        while let Some((line, others)) = rest.split_once('\n') {
            self.partial_line.push_str(line);
            self.emit_full_rows();
            let line = std::mem::take(&mut self.partial_line);
            self.end_line(&line);
            rest = others;
        }
        self.partial_line.push_str(rest);
        self.emit_full_rows();
        while self.partial_line.len() > MAX_UNIT_SIZE {
            let cut = scan::split_at_word(&self.partial_line, MAX_UNIT_SIZE);
            let rest = self.partial_line.split_off(cut);
            let line = std::mem::replace(&mut self.partial_line, rest);
            self.end_line(&line);
        }
    }

    fn end_line(&mut self, line: &str) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match std::mem::take(&mut self.continues_paragraph) {
            true => self.append_line(line),
            false => self.process_line(line),
        }
    }

    /// Emits full rows of a long paragraph before it ends, if later text can't change them. The split points depend
    /// only on the text, not on how it was chunked.
    fn emit_full_rows(&mut self) {
        while let Some(at) = self.split_point() {
            let rest = self.partial_line.split_off(at);
            let piece = std::mem::replace(&mut self.partial_line, rest);
            self.end_line(piece.trim_end());
            self.continues_paragraph = true;
            let mut nest = self.containers.clone();
            let before = nest.take_prefix(self.width, &self.theme);
            let place = UnitContext { prefix: before, tight: true, carried: self.carried.clone() };
            if let Some((rows, carried)) =
                block::render_open_paragraph(&self.open_source, self.width, &self.theme, place)
            {
                (self.open_source, self.carried) = (String::new(), carried);
                if !rows.is_empty() {
                    self.containers = nest;
                }
                rows.into_iter().for_each(|row| self.push_finished(FinishedOutput::Row(row)));
            }
        }
    }

    fn split_point(&self) -> Option<usize> {
        let long = self.open_source.len() + self.partial_line.len() >= MIN_SPLIT && self.code.is_none();
        let words = long
            && (self.continues_paragraph || scan::is_paragraph_text(&self.partial_line))
            && scan::is_paragraph(&self.open_source);
        if words { scan::find_split(&self.open_source, &self.partial_line, MIN_SPLIT) } else { None }
    }

    /// Takes the rows that can't change any more. Each row is returned once, in order.
    pub fn take_finished(&mut self) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        while let Some(done) = self.finished.pop_front() {
            match done {
                FinishedOutput::Row(row) => rows.push(row),
                FinishedOutput::Code(line) => match self.coloured_spans(&line) {
                    Some(spans) => rows.extend(self.code_rows(spans, &line.prefix)),
                    None => {
                        self.finished.push_front(FinishedOutput::Code(line));
                        break;
                    }
                },
            }
        }
        rows
    }

    /// True if rows are held back only because colours are missing.
    pub fn is_waiting(&self) -> bool {
        self.finished.iter().any(|done| match done {
            FinishedOutput::Row(_) => false,
            FinishedOutput::Code(line) => self.coloured_spans(line).is_none(),
        })
    }

    /// Waits for missing colours until the deadline.
    pub fn wait_for_colours(&self, until: Instant) {
        while let Some(highlighter) = &self.highlighter
            && self.is_waiting()
            && highlighter.wait_idle_until(until)
        {}
    }

    /// Renders what follows the finished rows in its current state. Returns the last `most` rows; if some are left out,
    /// the first one says how many.
    pub fn tail(&self, most: usize) -> Vec<Line<'static>> {
        self.tail_with(most, |_| 1)
    }

    /// Like `tail`, with a function that says how many screen rows each row takes.
    pub fn tail_with(&self, most: usize, takes: impl Fn(&Line<'_>) -> usize) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        self.finished.iter().for_each(|done| self.draw_output(done, &mut rows));
        rows.extend(self.snapshot().finish());
        while rows.last().is_some_and(|row| row.spans.iter().all(|span| span.content.trim().is_empty())) {
            rows.pop();
        }
        let mut taken = 0;
        let fits = |row: &&Line<'static>| {
            taken += takes(row);
            taken <= most
        };
        let last = rows.iter().rev().take_while(fits).count();
        let above = rows.len() - last;
        let mut shown = rows.split_off(above);
        if above > 0 && last > 1 {
            let told = format!("… {} above", text::count_noun(above + 1, "row"));
            shown[0] = Line::styled(text::fit(&told, self.width).into_owned(), self.theme.dim);
        }
        shown
    }

    /// Copy of the open unit and the unfinished line, to render as if the message ended here.
    fn snapshot(&self) -> MarkdownStream {
        let code = self.code.as_ref().map(|code| OpenCodeBlock { fence: code.fence.clone(), block: None, lines: 0 });
        let mut now = MarkdownStream {
            containers: self.containers.clone(),
            open_source: self.open_source.clone(),
            carried: self.carried.clone(),
            continues_paragraph: self.continues_paragraph,
            gap: self.gap,
            pending_blank: self.pending_blank.clone(),
            code,
            ..MarkdownStream::new(self.width, self.theme)
        };
        now.partial_line.clone_from(&self.partial_line);
        now
    }

    /// Ends the message and closes the last unit. Colours may still be missing.
    pub fn end(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        if !self.partial_line.is_empty() {
            let line = std::mem::take(&mut self.partial_line);
            self.end_line(&line);
        }
        self.leave_containers(0);
        self.close_unit();
        (self.code, self.pending_blank) = (None, None);
    }

    /// Ends the message and takes all remaining rows, with the colours that have arrived.
    pub fn finish(&mut self) -> Vec<Line<'static>> {
        self.end();
        let mut rows = Vec::new();
        let done = std::mem::take(&mut self.finished);
        done.iter().for_each(|done| self.draw_output(done, &mut rows));
        rows
    }

    fn process_line(&mut self, line: &str) {
        if self.code.is_some() {
            match self.containers.strip_prefixes(line) {
                Some(inner) => return self.process_code_line(&inner),
                None => self.code = None,
            }
        }
        let (within, mut rest) = self.containers.match_line(line);
        if rest.trim().is_empty() {
            self.leave_containers(within);
            self.close_unit();
            self.gap = true;
            return;
        }
        if self.continues_unit(&rest, within == self.containers.depth()) {
            return self.append_line(&rest);
        }
        self.leave_containers(within);
        self.close_unit();
        while let Some(inner) = self.open_container(&rest) {
            rest = inner;
        }
        self.start_unit(&rest);
        self.gap = false;
    }

    fn process_code_line(&mut self, line: &str) {
        let Some(code) = &mut self.code else { return };
        self.gap = false;
        if code.fence.is_closed_by(line) {
            self.code = None;
            return;
        }
        let text = text::visible(code.fence.strip_indent(line)).into_owned();
        let (number, block) = (code.lines, code.block.clone());
        code.lines += 1;
        if let Some(block) = &block {
            block.push_line(&text);
        }
        let mut prefix = self.containers.take_prefix(self.width, &self.theme);
        for spans in [&mut prefix.first, &mut prefix.next] {
            spans.push(Span::raw(" ".repeat(CODE_INDENT)));
        }
        self.push_finished(FinishedOutput::Code(CodeLine { block, number, text, prefix }));
    }

    /// True if this line continues the open unit. `whole` means it is in the same containers as the unit. A plain line
    /// also continues the text of an item or a quote without that.
    fn continues_unit(&self, rest: &str, whole: bool) -> bool {
        self.is_open()
            && match scan::unit_kind(rest) {
                UnitKind::Text => whole || scan::is_paragraph(&self.open_source),
                UnitKind::Rule => whole && rest.trim_start().starts_with('-'),
                UnitKind::Item => whole && !scan::may_interrupt_text(rest),
                UnitKind::Blank | UnitKind::Heading | UnitKind::Quote | UnitKind::Fence => false,
            }
    }

    /// Opens a quote or list item that starts here. Returns the rest of the line inside it.
    fn open_container(&mut self, rest: &str) -> Option<String> {
        if self.containers.is_deepest() {
            return None;
        }
        match scan::unit_kind(rest) {
            UnitKind::Quote => {
                self.insert_gap(false);
                Some(self.containers.open_quote(rest))
            }
            UnitKind::Item => {
                let marker = scan::parse_marker(rest.trim_start())?;
                self.insert_gap(true);
                Some(self.containers.open_item(rest, &marker))
            }
            UnitKind::Blank | UnitKind::Text | UnitKind::Heading | UnitKind::Rule | UnitKind::Fence => None,
        }
    }

    /// Starts a unit that is not a container.
    fn start_unit(&mut self, rest: &str) {
        let kind = scan::unit_kind(rest);
        if kind == UnitKind::Blank {
            return;
        }
        self.insert_gap(false);
        match CodeFence::parse(rest).filter(|_| kind == UnitKind::Fence) {
            Some(fence) => {
                let block = self.highlighter.as_ref().and_then(|one| one.open_block(&fence.language, &self.theme));
                self.code = Some(OpenCodeBlock { fence, block, lines: 0 });
            }
            None => self.append_line(rest),
        }
        if matches!(kind, UnitKind::Heading | UnitKind::Rule) {
            self.close_unit();
        }
    }

    fn is_open(&self) -> bool {
        !self.open_source.is_empty() || !self.carried.is_empty()
    }

    fn append_line(&mut self, line: &str) {
        self.open_source.push_str(line);
        self.open_source.push('\n');
        if self.open_source.len() > MAX_UNIT_SIZE {
            self.close_unit();
        }
    }

    /// Leaves all containers but the outer `depth`. An empty item still gets its marker drawn.
    fn leave_containers(&mut self, depth: usize) {
        if depth == self.containers.depth() {
            return;
        }
        self.close_unit();
        while self.containers.depth() > depth {
            if self.containers.has_undrawn_marker() {
                let prefix = self.containers.take_prefix(self.width, &self.theme);
                let rows = text::wrap(&Line::default(), self.width, &prefix);
                rows.into_iter().for_each(|row| self.push_finished(FinishedOutput::Row(row)));
            }
            self.containers.pop();
        }
    }

    /// Renders and closes the open unit.
    fn close_unit(&mut self) {
        if !self.is_open() {
            return;
        }
        let source = std::mem::take(&mut self.open_source);
        let before = self.containers.take_prefix(self.width, &self.theme);
        let place = UnitContext {
            prefix: before,
            tight: self.containers.in_item(),
            carried: std::mem::take(&mut self.carried),
        };
        let rows = block::render(&source, self.width, &self.theme, place);
        rows.into_iter().for_each(|row| self.push_finished(FinishedOutput::Row(row)));
    }

    fn insert_gap(&mut self, item: bool) {
        if let Some(blank) = self.containers.start_block(item, self.gap, &self.theme) {
            self.pending_blank = Some(blank);
        }
    }

    fn push_finished(&mut self, done: FinishedOutput) {
        self.finished.extend(self.pending_blank.take().map(FinishedOutput::Row));
        self.finished.push_back(done);
    }

    fn draw_output(&self, done: &FinishedOutput, rows: &mut Vec<Line<'static>>) {
        match done {
            FinishedOutput::Row(row) => rows.push(row.clone()),
            FinishedOutput::Code(line) => {
                let spans = self.coloured_spans(line).unwrap_or_else(|| self.plain_code(&line.text));
                rows.extend(self.code_rows(spans, &line.prefix));
            }
        }
    }

    fn coloured_spans(&self, line: &CodeLine) -> Option<Vec<Span<'static>>> {
        match &line.block {
            None => Some(self.plain_code(&line.text)),
            Some(block) => match block.line(line.number) {
                Some(spans) => Some(spans),
                None if (!self.ended && self.finished.len() > MAX_WAITING_LINES) || block.is_abandoned() => {
                    Some(self.plain_code(&line.text))
                }
                None => None,
            },
        }
    }

    fn plain_code(&self, text: &str) -> Vec<Span<'static>> {
        vec![Span::styled(text::visible(text).into_owned(), self.theme.code_block)]
    }

    fn code_rows(&self, spans: Vec<Span<'static>>, prefix: &RowPrefix) -> Vec<Line<'static>> {
        block::code_rows(spans, self.width, prefix)
    }
}

#[cfg(test)]
mod tests;

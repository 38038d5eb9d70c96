//! Markdown on a screen (UI-2): headings, lists, tables, quotes, links, code.
//!
//! `Stream` takes a message as it comes. It cuts the source into units that later text can't change (a paragraph, a list
//! item, a line of code, a whole table) and renders each once; only the last, open unit is rendered again. So the cost of a
//! delta does not grow with the message, and `render` is the same code: however a message was cut up, it looks the same.

mod block;
mod scan;
mod table;

use crate::highlight::{self, Highlighter};
use crate::text::{self, Prefix};
use crate::theme::Theme;
use ratatui::text::{Line, Span};
pub use scan::Fence;
use scan::Kind;
use std::collections::VecDeque;

/// A unit that grows longer than this is cut: no model writes such a paragraph, and nothing may make a delta slow.
const LONGEST_UNIT: usize = 16 << 10;
/// Columns before a line of code.
const CODE_INDENT: usize = 2;
/// Lines of code that may wait for their colours; then they come plain.
const MOST_WAITING: usize = 400;

/// The whole text at once, without colours in code.
pub fn render(source: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut stream = Stream::new(width, *theme);
    stream.push(source);
    stream.finish()
}

/// The whole text with highlighted code. Blocks until the colours are there: not for the thread that draws.
pub fn render_highlighted(source: &str, width: usize, theme: &Theme, highlighter: &Highlighter) -> Vec<Line<'static>> {
    let mut stream = Stream::new(width, *theme).highlighted(highlighter.clone());
    stream.push(source);
    stream.end();
    while stream.waits() && highlighter.wait() {}
    stream.finish()
}

/// One line of the source on one row: marks are drawn, not spelled.
pub fn one_line(source: &str, theme: &Theme) -> Vec<Span<'static>> {
    let mut rows = block::render(source, usize::from(u16::MAX), theme);
    if rows.len() == 1 { rows.pop().map(|row| row.spans).unwrap_or_default() } else { Vec::new() }
}

/// A table line by line: the rows that each line of its source becomes. None where it is none, where its columns do not fit side
/// by side, or where something of it would not be shown (a row may have more cells than the head, and they are dropped).
pub fn table_lines(source: &str, width: usize, theme: &Theme) -> Option<Vec<Vec<Line<'static>>>> {
    let cells = |line: &str| {
        let line = line.trim();
        let inner = line.strip_prefix('|').unwrap_or(line);
        let inner = inner.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(inner);
        inner.replace("\\|", "").matches('|').count() + 1
    };
    let head = cells(source.lines().next()?);
    if source.lines().any(|line| cells(line) > head) {
        return None;
    }
    let lines = block::table(source, theme)?.by_line(width, theme)?;
    (lines.len() == source.lines().count()).then_some(lines)
}

/// A message that still grows.
#[derive(Debug)]
pub struct Stream {
    width: usize,
    theme: Theme,
    highlighter: Option<Highlighter>,
    /// The source of the open unit, whole lines.
    open: String,
    kind: Kind,
    /// A blank line came after the open list item.
    gap: bool,
    /// A blank line stood between the last list item and the open one.
    loose: bool,
    /// A fence within the open list item.
    inner: Option<Fence>,
    /// The line that has not ended yet.
    line: String,
    code: Option<Code>,
    /// What is finished and not taken yet, oldest first; code that waits for its colours holds back all after it.
    done: VecDeque<Done>,
    /// The kind of the last unit that was rendered: says whether a blank line belongs between.
    before: Option<Kind>,
    ended: bool,
}

/// A code block that is still open.
#[derive(Debug)]
struct Code {
    fence: Fence,
    block: Option<highlight::Block>,
    lines: usize,
}

#[derive(Debug)]
enum Done {
    Row(Line<'static>),
    Code { block: Option<highlight::Block>, number: usize, text: String },
}

impl Stream {
    pub fn new(width: usize, theme: Theme) -> Stream {
        Stream {
            width: width.max(1),
            theme,
            highlighter: None,
            open: String::new(),
            kind: Kind::Nothing,
            gap: false,
            loose: false,
            inner: None,
            line: String::new(),
            code: None,
            done: VecDeque::new(),
            before: None,
            ended: false,
        }
    }

    /// Code gets colours, from another thread.
    pub fn highlighted(mut self, highlighter: Highlighter) -> Stream {
        self.highlighter = Some(highlighter);
        self
    }

    /// What was finished before keeps its width.
    pub fn resize(&mut self, width: usize) {
        self.width = width.max(1);
    }

    pub fn push(&mut self, delta: &str) {
        let mut rest = delta;
        while let Some((line, others)) = rest.split_once('\n') {
            self.line.push_str(line);
            let line = std::mem::take(&mut self.line);
            self.take_line(line.strip_suffix('\r').unwrap_or(&line));
            rest = others;
        }
        self.line.push_str(rest);
        while self.line.len() > LONGEST_UNIT {
            let cut = scan::cut(&self.line, LONGEST_UNIT);
            let rest = self.line.split_off(cut);
            let line = std::mem::replace(&mut self.line, rest);
            self.take_line(&line);
        }
    }

    /// Rows that nothing can change any more, each given once, in order.
    pub fn finished(&mut self) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        while let Some(done) = self.done.pop_front() {
            match done {
                Done::Row(row) => rows.push(row),
                Done::Code { block, number, text } => match self.coloured(block.as_ref(), number, &text) {
                    Some(spans) => rows.extend(self.code_rows(spans)),
                    None => {
                        self.done.push_front(Done::Code { block, number, text });
                        break;
                    }
                },
            }
        }
        rows
    }

    /// Is something held back only because its colours are not there yet?
    pub fn waits(&self) -> bool {
        self.done.iter().any(|done| match done {
            Done::Row(_) => false,
            Done::Code { block, number, text } => self.coloured(block.as_ref(), *number, text).is_none(),
        })
    }

    /// What comes after the finished rows, as it looks now. At most `most` rows, the last ones.
    pub fn tail(&self, most: usize) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        for done in self.done.iter().skip(self.done.len().saturating_sub(most)) {
            match done {
                Done::Row(row) => rows.push(row.clone()),
                Done::Code { block, number, text } => {
                    let spans = self.coloured(block.as_ref(), *number, text).unwrap_or_else(|| self.plain_code(text));
                    rows.extend(self.code_rows(spans));
                }
            }
        }
        if self.code.is_some() {
            if !self.line.is_empty() {
                rows.extend(self.code_rows(self.plain_code(&self.line)));
            }
        } else {
            let source = format!("{}{}", self.open, self.line);
            let kind = if self.kind == Kind::Nothing { Kind::of_start(&self.line) } else { self.kind };
            self.separate(kind, |row| rows.push(row));
            rows.extend(self.unit(&source));
        }
        while rows.last().is_some_and(|row| row.spans.iter().all(|span| span.content.trim().is_empty())) {
            rows.pop();
        }
        let from = rows.len().saturating_sub(most);
        rows.split_off(from)
    }

    /// The message is whole: the last unit is closed. Colours may still be waited for.
    pub fn end(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line);
        }
        self.close();
        self.code = None;
    }

    /// The message is whole; everything that was not taken yet, with the colours that are there.
    pub fn finish(&mut self) -> Vec<Line<'static>> {
        self.end();
        let mut rows = Vec::new();
        for done in std::mem::take(&mut self.done) {
            match done {
                Done::Row(row) => rows.push(row),
                Done::Code { block, number, text } => {
                    let spans = self.coloured(block.as_ref(), number, &text).unwrap_or_else(|| self.plain_code(&text));
                    rows.extend(self.code_rows(spans));
                }
            }
        }
        rows
    }

    fn take_line(&mut self, line: &str) {
        if let Some(code) = &mut self.code {
            if code.fence.closed_by(line) {
                self.code = None;
            } else {
                let line = text::visible(code.fence.stripped(line)).into_owned();
                let number = code.lines;
                code.lines += 1;
                let block = code.block.clone();
                if let Some(block) = &block {
                    block.push(&line);
                }
                self.done.push_back(Done::Code { block, number, text: line });
            }
            return;
        }
        if let Some(fence) = &self.inner {
            if fence.closed_by(line.trim_start()) {
                self.inner = None;
            }
            return self.add(line);
        }
        let kind = scan::kind(line);
        match (self.kind, kind) {
            (Kind::Item, _) if scan::within_item(line, self.gap) => self.add_to_item(line),
            (Kind::Item, Kind::Nothing) => {
                self.gap = true;
                self.add(line);
            }
            // Lazy: a plain line right after an item's text goes on with it.
            (Kind::Item, Kind::Text) if !self.gap => self.add(line),
            (Kind::Text, Kind::Text) | (Kind::Quote, Kind::Quote | Kind::Text) => self.add(line),
            (Kind::Text, Kind::Rule) if line.trim_start().starts_with('-') => self.add(line),
            (Kind::Text, Kind::Item) if !scan::interrupts(line) => self.add(line),
            (_, Kind::Nothing) => self.close(),
            (_, Kind::Fence) => self.open_code(line),
            (_, kind) => {
                self.close();
                self.kind = kind;
                self.add(line);
                if matches!(kind, Kind::Heading | Kind::Rule) {
                    self.close();
                }
            }
        }
    }

    fn open_code(&mut self, line: &str) {
        self.close();
        let Some(fence) = Fence::opened_by(line) else { return };
        self.separate_done(Kind::Fence);
        let block = self.highlighter.as_ref().and_then(|highlighter| highlighter.open(&fence.language, &self.theme));
        self.code = Some(Code { fence, block, lines: 0 });
    }

    fn add_to_item(&mut self, line: &str) {
        self.gap = false;
        self.inner = Fence::opened_by(line.trim_start());
        self.add(line);
    }

    fn add(&mut self, line: &str) {
        self.open.push_str(line);
        self.open.push('\n');
        if self.open.len() > LONGEST_UNIT {
            self.close();
        }
    }

    /// The open unit is whole.
    fn close(&mut self) {
        let kind = std::mem::replace(&mut self.kind, Kind::Nothing);
        self.inner = None;
        let source = std::mem::take(&mut self.open);
        let gap = std::mem::take(&mut self.gap);
        if kind == Kind::Nothing {
            return;
        }
        self.separate_done(kind);
        self.loose = kind == Kind::Item && gap;
        let rows = self.unit(&source);
        self.done.extend(rows.into_iter().map(Done::Row));
    }

    fn separate_done(&mut self, kind: Kind) {
        let mut blank = Vec::new();
        self.separate(kind, |row| blank.push(Done::Row(row)));
        self.done.extend(blank);
        self.before = Some(kind);
    }

    /// A blank row between units, but not between the items of a tight list.
    fn separate(&self, kind: Kind, mut push: impl FnMut(Line<'static>)) {
        let tight = kind == Kind::Item && self.before == Some(Kind::Item) && !self.loose;
        if self.before.is_some() && kind != Kind::Nothing && !tight {
            push(Line::default());
        }
    }

    fn unit(&self, source: &str) -> Vec<Line<'static>> {
        block::render(source, self.width, &self.theme)
    }

    fn coloured(&self, block: Option<&highlight::Block>, number: usize, text: &str) -> Option<Vec<Span<'static>>> {
        match block {
            None => Some(self.plain_code(text)),
            Some(block) => match block.line(number) {
                Some(spans) => Some(spans),
                None if self.done.len() > MOST_WAITING || block.lost() => Some(self.plain_code(text)),
                None => None,
            },
        }
    }

    fn plain_code(&self, text: &str) -> Vec<Span<'static>> {
        vec![Span::styled(text::visible(text).into_owned(), self.theme.code_block)]
    }

    fn code_rows(&self, spans: Vec<Span<'static>>) -> Vec<Line<'static>> {
        block::code_rows(spans, self.width, &Prefix::spaces(CODE_INDENT))
    }
}

#[cfg(test)]
mod tests;

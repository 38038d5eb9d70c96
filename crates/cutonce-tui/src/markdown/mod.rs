//! Markdown on a screen (UI-2): headings, lists, tables, quotes, links, code.
//!
//! `Stream` takes a message as it comes. It cuts the source into units that later text can't change (a paragraph, a line of
//! code, a whole table, each also within an item of a list or a quote) and renders each once; only the last, open unit is
//! rendered again. So the cost of a delta does not grow with the message, and `render` is the same code: however a message was
//! cut up, it looks the same.

mod block;
mod nest;
mod scan;
mod table;

use crate::highlight::{self, Highlighter};
use crate::text::{self, Prefix};
use crate::theme::Theme;
use block::Place;
use nest::Nest;
use ratatui::text::{Line, Span};
pub use scan::Fence;
use scan::Kind;
use std::collections::VecDeque;
use std::time::Instant;

/// A unit that grows longer than this is cut: no model writes such a paragraph, and nothing may make a delta slow.
const LONGEST_UNIT: usize = 16 << 10;
/// Bytes of a paragraph after which its words may go on their way before it ends.
const PIECE: usize = 80;
/// Columns before a line of code.
const CODE_INDENT: usize = 2;
/// Lines of code that may wait for their colours while a message grows; then they come plain.
const MOST_WAITING: usize = 400;

/// The whole text at once, without colours in code.
pub fn render(source: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut stream = Stream::new(width, *theme);
    stream.push(source);
    stream.finish()
}

/// The whole text with highlighted code, as far as its colours are there in time.
pub fn render_highlighted(source: &str, width: usize, theme: &Theme, colours: Colours<'_>) -> Vec<Line<'static>> {
    let mut stream = Stream::new(width, *theme).highlighted(colours.highlighter.clone());
    stream.push(source);
    stream.end();
    stream.wait(colours.until);
    stream.finish()
}

/// Who makes the colours, and how long they are waited for: what draws does not wait for a hostile line.
#[derive(Debug, Clone, Copy)]
pub struct Colours<'a> {
    pub highlighter: &'a Highlighter,
    pub until: Instant,
}

/// One line of the source on one row: marks are drawn, not spelled.
pub fn one_line(source: &str, theme: &Theme) -> Vec<Span<'static>> {
    let mut rows = block::render(source, usize::from(u16::MAX), theme, Place::default());
    if rows.len() == 1 { rows.pop().map(|row| row.spans).unwrap_or_default() } else { Vec::new() }
}

/// A table line by line: the rows that each line of its source becomes. None where it is none, where its columns do not fit side
/// by side, or where something of it would not be shown (a row may have more cells than the head, and they are dropped).
pub fn table_lines(source: &str, width: usize, theme: &Theme) -> Option<Vec<Vec<Line<'static>>>> {
    if block::overfull(source) {
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
    /// What the last line stood in.
    nest: Nest,
    /// The source of the open unit, whole lines without what they stand in.
    open: String,
    /// Words of the open paragraph that are before `open`: what of them did not fill a row.
    carried: Vec<Span<'static>>,
    /// The line that has not ended yet goes on with the open paragraph.
    within: bool,
    /// A blank line came after the last one with words.
    gap: bool,
    /// The blank row that belongs before the next rows.
    lead: Option<Line<'static>>,
    /// The line that has not ended yet.
    line: String,
    code: Option<Code>,
    /// What is finished and not taken yet, oldest first; code that waits for its colours holds back all after it.
    done: VecDeque<Done>,
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
    Code(CodeLine),
}

/// A line of code that may wait for its colours.
#[derive(Debug)]
struct CodeLine {
    block: Option<highlight::Block>,
    number: usize,
    text: String,
    prefix: Prefix,
}

impl Stream {
    pub fn new(width: usize, theme: Theme) -> Stream {
        Stream {
            width: width.max(1),
            theme,
            highlighter: None,
            nest: Nest::default(),
            open: String::new(),
            carried: Vec::new(),
            within: false,
            gap: false,
            lead: None,
            line: String::new(),
            code: None,
            done: VecDeque::new(),
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
            self.send_words();
            let line = std::mem::take(&mut self.line);
            self.end_line(&line);
            rest = others;
        }
        self.line.push_str(rest);
        self.send_words();
        while self.line.len() > LONGEST_UNIT {
            let cut = scan::cut(&self.line, LONGEST_UNIT);
            let rest = self.line.split_off(cut);
            let line = std::mem::replace(&mut self.line, rest);
            self.end_line(&line);
        }
    }

    fn end_line(&mut self, line: &str) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match std::mem::take(&mut self.within) {
            true => self.add(line),
            false => self.take_line(line),
        }
    }

    /// Rows of a long paragraph that are full, and whose words later ones can't change, are done before it ends. Where it is cut
    /// depends on its words only, not on how they came.
    fn send_words(&mut self) {
        while let Some(at) = self.cut_at() {
            let rest = self.line.split_off(at);
            let piece = std::mem::replace(&mut self.line, rest);
            self.end_line(piece.trim_end());
            self.within = true;
            let mut nest = self.nest.clone();
            let before = nest.prefix(self.width, &self.theme);
            let place = Place { before, close: true, carried: self.carried.clone() };
            if let Some((rows, carried)) = block::begun(&self.open, self.width, &self.theme, place) {
                (self.open, self.carried) = (String::new(), carried);
                if !rows.is_empty() {
                    self.nest = nest;
                }
                rows.into_iter().for_each(|row| self.push_done(Done::Row(row)));
            }
        }
    }

    fn cut_at(&self) -> Option<usize> {
        let long = self.open.len() + self.line.len() >= PIECE && self.code.is_none();
        let words = long && (self.within || scan::is_words(&self.line)) && scan::is_paragraph(&self.open);
        if words { scan::cut_words(&self.open, &self.line, PIECE) } else { None }
    }

    /// Rows that nothing can change any more, each given once, in order.
    pub fn finished(&mut self) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        while let Some(done) = self.done.pop_front() {
            match done {
                Done::Row(row) => rows.push(row),
                Done::Code(line) => match self.coloured(&line) {
                    Some(spans) => rows.extend(self.code_rows(spans, &line.prefix)),
                    None => {
                        self.done.push_front(Done::Code(line));
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
            Done::Code(line) => self.coloured(line).is_none(),
        })
    }

    /// Waits for the colours that are still to come, but not for longer than this.
    pub fn wait(&self, until: Instant) {
        while let Some(highlighter) = &self.highlighter
            && self.waits()
            && highlighter.wait_until(until)
        {}
    }

    /// What comes after the finished rows, as it looks now. At most `most` rows, the last ones, below a word about how many
    /// there are above them.
    pub fn tail(&self, most: usize) -> Vec<Line<'static>> {
        self.tail_of(most, |_| 1)
    }

    /// The same where a row takes so many of them.
    pub fn tail_of(&self, most: usize, takes: impl Fn(&Line<'_>) -> usize) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        self.done.iter().for_each(|done| self.draw(done, &mut rows));
        rows.extend(self.as_of_now().finish());
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
            let told = format!("… {} above", text::counted(above + 1, "row"));
            shown[0] = Line::styled(text::fit(&told, self.width).into_owned(), self.theme.dim);
        }
        shown
    }

    /// The open unit with the line that has not ended, as if the message ended here.
    fn as_of_now(&self) -> Stream {
        let code = self.code.as_ref().map(|code| Code { fence: code.fence.clone(), block: None, lines: 0 });
        let mut now = Stream {
            nest: self.nest.clone(),
            open: self.open.clone(),
            carried: self.carried.clone(),
            within: self.within,
            gap: self.gap,
            lead: self.lead.clone(),
            code,
            ..Stream::new(self.width, self.theme)
        };
        now.line.clone_from(&self.line);
        now
    }

    /// The message is whole: the last unit is closed. Colours may still be waited for.
    pub fn end(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.end_line(&line);
        }
        self.leave(0);
        self.close();
        (self.code, self.lead) = (None, None);
    }

    /// The message is whole; everything that was not taken yet, with the colours that are there.
    pub fn finish(&mut self) -> Vec<Line<'static>> {
        self.end();
        let mut rows = Vec::new();
        let done = std::mem::take(&mut self.done);
        done.iter().for_each(|done| self.draw(done, &mut rows));
        rows
    }

    fn take_line(&mut self, line: &str) {
        if self.code.is_some() {
            match self.nest.within(line) {
                Some(inner) => return self.take_code(&inner),
                None => self.code = None,
            }
        }
        let (within, mut rest) = self.nest.enter(line);
        if rest.trim().is_empty() {
            self.leave(within);
            self.close();
            self.gap = true;
            return;
        }
        if self.goes_on(&rest, within == self.nest.depth()) {
            return self.add(&rest);
        }
        self.leave(within);
        self.close();
        while let Some(inner) = self.opened(&rest) {
            rest = inner;
        }
        self.begin(&rest);
        self.gap = false;
    }

    fn take_code(&mut self, line: &str) {
        let Some(code) = &mut self.code else { return };
        self.gap = false;
        if code.fence.closed_by(line) {
            self.code = None;
            return;
        }
        let text = text::visible(code.fence.stripped(line)).into_owned();
        let (number, block) = (code.lines, code.block.clone());
        code.lines += 1;
        if let Some(block) = &block {
            block.push(&text);
        }
        let mut prefix = self.nest.prefix(self.width, &self.theme);
        for spans in [&mut prefix.first, &mut prefix.next] {
            spans.push(Span::raw(" ".repeat(CODE_INDENT)));
        }
        self.push_done(Done::Code(CodeLine { block, number, text, prefix }));
    }

    /// Does this line go on with the open unit? `whole`: it stands in all that the unit stands in. A plain line goes on with the
    /// text of an item or a quote also where it does not.
    fn goes_on(&self, rest: &str, whole: bool) -> bool {
        self.is_open()
            && match scan::kind(rest) {
                Kind::Text => whole || scan::is_paragraph(&self.open),
                Kind::Rule => whole && rest.trim_start().starts_with('-'),
                Kind::Item => whole && !scan::interrupts(rest),
                Kind::Nothing | Kind::Heading | Kind::Quote | Kind::Fence => false,
            }
    }

    /// A quote or an item that begins here, and what the line says in it.
    fn opened(&mut self, rest: &str) -> Option<String> {
        if self.nest.is_deepest() {
            return None;
        }
        match scan::kind(rest) {
            Kind::Quote => {
                self.separate(false);
                Some(self.nest.open_quote(rest))
            }
            Kind::Item => {
                let marker = scan::marker(rest.trim_start())?;
                self.separate(true);
                Some(self.nest.open_item(rest, &marker))
            }
            Kind::Nothing | Kind::Text | Kind::Heading | Kind::Rule | Kind::Fence => None,
        }
    }

    /// A unit begins that is no container.
    fn begin(&mut self, rest: &str) {
        let kind = scan::kind(rest);
        if kind == Kind::Nothing {
            return;
        }
        self.separate(false);
        match Fence::opened_by(rest).filter(|_| kind == Kind::Fence) {
            Some(fence) => {
                let block = self.highlighter.as_ref().and_then(|one| one.open(&fence.language, &self.theme));
                self.code = Some(Code { fence, block, lines: 0 });
            }
            None => self.add(rest),
        }
        if matches!(kind, Kind::Heading | Kind::Rule) {
            self.close();
        }
    }

    fn is_open(&self) -> bool {
        !self.open.is_empty() || !self.carried.is_empty()
    }

    fn add(&mut self, line: &str) {
        self.open.push_str(line);
        self.open.push('\n');
        if self.open.len() > LONGEST_UNIT {
            self.close();
        }
    }

    /// Out of all containers but so many. One that said nothing has its marker at least.
    fn leave(&mut self, depth: usize) {
        if depth == self.nest.depth() {
            return;
        }
        self.close();
        while self.nest.depth() > depth {
            if self.nest.is_bare() {
                let prefix = self.nest.prefix(self.width, &self.theme);
                let rows = text::wrap(&Line::default(), self.width, &prefix);
                rows.into_iter().for_each(|row| self.push_done(Done::Row(row)));
            }
            self.nest.leave();
        }
    }

    /// The open unit is whole.
    fn close(&mut self) {
        if !self.is_open() {
            return;
        }
        let source = std::mem::take(&mut self.open);
        let before = self.nest.prefix(self.width, &self.theme);
        let place = Place { before, close: self.nest.is_item(), carried: std::mem::take(&mut self.carried) };
        let rows = block::render(&source, self.width, &self.theme, place);
        rows.into_iter().for_each(|row| self.push_done(Done::Row(row)));
    }

    fn separate(&mut self, item: bool) {
        if let Some(blank) = self.nest.begin(item, self.gap, &self.theme) {
            self.lead = Some(blank);
        }
    }

    fn push_done(&mut self, done: Done) {
        self.done.extend(self.lead.take().map(Done::Row));
        self.done.push_back(done);
    }

    fn draw(&self, done: &Done, rows: &mut Vec<Line<'static>>) {
        match done {
            Done::Row(row) => rows.push(row.clone()),
            Done::Code(line) => {
                let spans = self.coloured(line).unwrap_or_else(|| self.plain_code(&line.text));
                rows.extend(self.code_rows(spans, &line.prefix));
            }
        }
    }

    fn coloured(&self, line: &CodeLine) -> Option<Vec<Span<'static>>> {
        match &line.block {
            None => Some(self.plain_code(&line.text)),
            Some(block) => match block.line(line.number) {
                Some(spans) => Some(spans),
                None if (!self.ended && self.done.len() > MOST_WAITING) || block.lost() => {
                    Some(self.plain_code(&line.text))
                }
                None => None,
            },
        }
    }

    fn plain_code(&self, text: &str) -> Vec<Span<'static>> {
        vec![Span::styled(text::visible(text).into_owned(), self.theme.code_block)]
    }

    fn code_rows(&self, spans: Vec<Span<'static>>, prefix: &Prefix) -> Vec<Line<'static>> {
        block::code_rows(spans, self.width, prefix)
    }
}

#[cfg(test)]
mod tests;

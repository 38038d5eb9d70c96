//! One unit of markdown as rows: the parser's events in, styled and wrapped lines out.

use super::table::Table;
use crate::text::{self, Prefix};
use crate::theme::Theme;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;

/// A rule is shorter than the screen: a full row would wrap when the terminal gets narrower.
const RULE: usize = 40;
/// Deeper lists and quotes are drawn at this depth.
const DEEPEST: usize = 12;

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);
/// Definitions of links that are looked for within one another.
const MOST_PASSES: usize = 8;

/// What a unit stands in, and what of it was drawn before.
#[derive(Debug, Default)]
pub struct Place {
    /// Before its rows.
    pub before: Prefix,
    /// No blank rows between its blocks.
    pub close: bool,
    /// Words of its paragraph that stand on the same row as the first ones.
    pub carried: Vec<Span<'static>>,
}

pub fn render(source: &str, width: usize, theme: &Theme, place: Place) -> Vec<Line<'static>> {
    let source = text::visible(source);
    let mut writer = Writer::new(width, theme, place);
    writer.source(&source, MOST_PASSES);
    writer.rows
}

/// The beginning of a paragraph that goes on: the rows that are full, and the words of the last one. None if it is anything else.
pub fn begun(
    source: &str,
    width: usize,
    theme: &Theme,
    place: Place,
) -> Option<(Vec<Line<'static>>, Vec<Span<'static>>)> {
    let source = text::visible(source);
    let parser = Parser::new_ext(&source, OPTIONS);
    if parser.reference_definitions().iter().next().is_some() {
        return None;
    }
    let mut events: Vec<Event<'_>> = parser.collect();
    let paragraphs = events.iter().filter(|event| **event == Event::End(TagEnd::Paragraph)).count();
    let whole = events.first() == Some(&Event::Start(Tag::Paragraph));
    if !whole || paragraphs != 1 || events.pop() != Some(Event::End(TagEnd::Paragraph)) {
        return None;
    }
    let mut writer = Writer::new(width, theme, place);
    events.into_iter().for_each(|event| writer.event(event));
    let line = Line::from(std::mem::take(&mut writer.line));
    let prefix = writer.prefix();
    let (rows, rest) = text::wrap_open(&line, width, &prefix);
    writer.rows.extend(rows);
    (!rest.is_empty()).then_some((writer.rows, rest))
}

/// Has a row of this table more cells than its head? The parser drops them.
pub fn overfull(source: &str) -> bool {
    let cells = |line: &str| {
        let line = line.trim();
        let inner = line.strip_prefix('|').unwrap_or(line);
        let inner = inner.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(inner);
        inner.replace("\\|", "").matches('|').count() + 1
    };
    let head = source.lines().next().map(cells).unwrap_or_default();
    source.lines().any(|line| cells(line) > head)
}

/// Where a link leads, with its title: nothing that was written may stay unseen (PM-74).
fn titled(target: &str, title: &str) -> String {
    if title.is_empty() { target.to_string() } else { format!("{target} \"{title}\"") }
}

/// The table that this is, if it is one.
pub fn table(source: &str, theme: &Theme) -> Option<Table> {
    let source = text::visible(source);
    let mut writer = Writer::new(usize::from(u16::MAX), theme, Place::default());
    for event in Parser::new_ext(&source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        if event == Event::End(TagEnd::Table) {
            return writer.table.take();
        }
        writer.event(event);
    }
    None
}

/// Rows of one line of code: hard-wrapped, tabs expanded.
pub fn code_rows(spans: Vec<Span<'static>>, width: usize, prefix: &Prefix) -> Vec<Line<'static>> {
    let mut column = 0;
    let mut expanded = Vec::with_capacity(spans.len());
    for span in spans {
        let content = text::expand_tabs(&span.content, column).into_owned();
        column += text::width(&content);
        expanded.push(Span::styled(content, span.style));
    }
    text::wrap(&Line::from(expanded), width, prefix)
}

struct Writer<'t> {
    width: usize,
    theme: &'t Theme,
    /// What stands before all rows; its first part is used up by the first of them.
    outer: Prefix,
    carried: Vec<Span<'static>>,
    rows: Vec<Line<'static>>,
    /// The line being written, before wrapping.
    line: Vec<Span<'static>>,
    styles: Vec<Style>,
    containers: Vec<Container>,
    code: Option<String>,
    table: Option<Table>,
    /// Where links lead, innermost last, and where in the line their words begin.
    links: Vec<(String, usize)>,
    /// A blank row belongs before the next block.
    blank: bool,
    close: bool,
}

enum Container {
    Quote,
    List(Option<u64>),
    /// The marker is drawn on the first row only.
    Item {
        marker: String,
        drawn: bool,
    },
}

impl<'t> Writer<'t> {
    fn new(width: usize, theme: &'t Theme, place: Place) -> Writer<'t> {
        Writer {
            width,
            theme,
            outer: place.before,
            carried: place.carried,
            rows: Vec::new(),
            line: Vec::new(),
            styles: Vec::new(),
            containers: Vec::new(),
            code: None,
            table: None,
            links: Vec::new(),
            blank: false,
            close: place.close,
        }
    }

    /// Definitions of links are drawn as they are written: the parser takes them out, and where they lead would be read
    /// nowhere. So are tables of which it would drop something.
    fn source(&mut self, source: &str, passes: usize) {
        let parser = Parser::new_ext(source, OPTIONS);
        let mut defined: Vec<Range<usize>> =
            parser.reference_definitions().iter().map(|(_, link)| link.span.clone()).collect();
        if !defined.is_empty() {
            if passes == 0 {
                return self.as_written(source);
            }
            defined.sort_by_key(|span| span.start);
            let mut from = 0;
            for span in defined {
                self.source(source.get(from..span.start).unwrap_or_default(), passes - 1);
                self.as_written(source.get(span.clone()).unwrap_or_default());
                from = span.end;
            }
            return self.source(source.get(from..).unwrap_or_default(), passes - 1);
        }
        let mut written = 0;
        for (event, range) in parser.into_offset_iter() {
            if range.start < written {
                continue;
            }
            let table = source.get(range.clone()).filter(|_| matches!(event, Event::Start(Tag::Table(_))));
            match table.filter(|table| overfull(table)) {
                Some(table) => {
                    self.as_written(table);
                    written = range.end;
                }
                None => self.event(event),
            }
        }
        self.line.append(&mut self.carried);
        self.flush();
    }

    fn as_written(&mut self, source: &str) {
        self.block();
        for line in source.lines().filter(|line| !line.trim().is_empty()) {
            let shown = text::expand_tabs(line.trim_end(), 0).into_owned();
            self.draw_line(Line::from(Span::styled(shown, self.theme.text)));
        }
        self.blank = false;
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => self.text(&words, Style::default()),
            Event::Code(words) | Event::InlineMath(words) | Event::DisplayMath(words) => {
                self.text(&words, self.theme.code);
            }
            Event::Html(words) | Event::InlineHtml(words) => self.html(&words),
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]"), self.theme.dim),
            Event::SoftBreak => self.text(" ", Style::default()),
            Event::HardBreak => self.hard_break(),
            Event::Rule => {
                self.block();
                let mut row = self.prefix().first;
                let taken: usize = row.iter().map(|span| text::width(&span.content)).sum();
                row.push(Span::styled("─".repeat(RULE.min(self.width.saturating_sub(taken))), self.theme.border));
                self.rows.push(text::fit_line(Line::from(row), self.width));
                self.blank = true;
            }
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }, self.theme.bullet),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => {
                let carried = std::mem::take(&mut self.carried);
                self.block();
                self.line.extend(carried);
                if !self.line.is_empty() {
                    self.line.push(Span::raw(" "));
                }
            }
            Tag::HtmlBlock => self.block(),
            Tag::Heading { level, .. } => {
                self.block();
                let under = if level == HeadingLevel::H1 { Modifier::UNDERLINED } else { Modifier::empty() };
                self.styles.push(self.theme.heading.add_modifier(under));
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.containers.push(Container::Quote);
            }
            Tag::CodeBlock(_) => {
                self.block();
                self.code = Some(String::new());
            }
            Tag::List(start) => {
                // Text of an item, then its own list.
                self.flush();
                if !self.in_item() {
                    self.block();
                }
                self.containers.push(Container::List(start));
            }
            Tag::Item => {
                let marker = self.marker();
                self.containers.push(Container::Item { marker, drawn: false });
            }
            Tag::Table(alignments) => {
                self.block();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => self.with_table(Table::begin_row),
            Tag::TableCell => self.line.clear(),
            Tag::Emphasis => self.styles.push(self.theme.emphasis),
            Tag::Strong => self.styles.push(self.theme.strong),
            Tag::Strikethrough => self.styles.push(Style::default().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, title, .. } => {
                self.links.push((titled(&dest_url, &title), self.line.len()));
                self.styles.push(self.theme.link);
            }
            Tag::Image { dest_url, title, .. } => {
                self.text("image: ", self.theme.dim);
                self.links.push((titled(&dest_url, &title), self.line.len()));
                self.styles.push(self.theme.link);
            }
            Tag::Superscript | Tag::Subscript | Tag::MetadataBlock(_) | Tag::FootnoteDefinition(_) => {}
            Tag::DefinitionList | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.containers.pop();
                self.blank = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Item => {
                self.flush();
                if let Some(Container::Item { drawn: false, .. }) = self.containers.last() {
                    self.draw_line(Line::default());
                }
                self.containers.pop();
            }
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                self.with_table(|table| table.cell(cell));
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Superscript | TagEnd::Subscript | TagEnd::MetadataBlock(_) | TagEnd::FootnoteDefinition => {}
            TagEnd::DefinitionList | TagEnd::DefinitionListTitle | TagEnd::DefinitionListDefinition => {}
        }
    }

    /// What the parser made of entities is from outside as well.
    fn text(&mut self, words: &str, style: Style) {
        if let Some(code) = &mut self.code {
            code.push_str(words);
            return;
        }
        let style = self.styles.iter().fold(Style::default(), |all, style| all.patch(*style)).patch(style);
        let shown = text::visible(words);
        // An entity may stand for a line end or a tab.
        self.line.push(Span::styled(shown.replace(['\n', '\t'], " "), style));
    }

    fn html(&mut self, words: &str) {
        for (n, line) in words.split('\n').enumerate() {
            if n > 0 {
                self.hard_break();
            }
            // A line end at the end begins no further row.
            if !line.is_empty() {
                self.text(line, self.theme.dim);
            }
        }
    }

    fn hard_break(&mut self) {
        match self.table {
            Some(_) => self.text(" ", Style::default()),
            None => self.flush(),
        }
    }

    /// The address is left out only where the words are the whole of it (PM-74).
    fn end_link(&mut self) {
        self.styles.pop();
        let Some((target, start)) = self.links.pop() else { return };
        let words: String = self.line.iter().skip(start).map(|span| span.content.as_ref()).collect();
        let told = words == target || target.strip_prefix("mailto:") == Some(&words);
        if !target.is_empty() && !told {
            self.text(&format!(" ({target})"), self.theme.dim);
        }
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        for line in code.lines() {
            let shown = text::visible(line).into_owned();
            let spans = vec![Span::styled(shown, self.theme.code_block)];
            let mut prefix = self.prefix();
            for rows in [&mut prefix.first, &mut prefix.next] {
                rows.push(Span::raw("  "));
            }
            self.rows.extend(code_rows(spans, self.width, &prefix));
        }
        self.blank = true;
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let prefix = self.prefix();
        let columns = |spans: &[Span<'_>]| spans.iter().map(|span| text::width(&span.content)).sum::<usize>();
        let taken = columns(&prefix.first).max(columns(&prefix.next));
        let rows = table.rows(self.width.saturating_sub(taken).max(1), self.theme);
        for (n, row) in rows.into_iter().enumerate() {
            let before = if n == 0 { &prefix.first } else { &prefix.next };
            let spans = before.iter().cloned().chain(row.spans);
            self.rows.push(text::fit_line(Line::from(spans.collect::<Vec<_>>()), self.width));
        }
        self.blank = true;
    }

    fn with_table(&mut self, change: impl FnOnce(&mut Table)) {
        if let Some(table) = &mut self.table {
            change(table);
        }
    }

    fn in_item(&self) -> bool {
        matches!(self.containers.last(), Some(Container::Item { .. }))
    }

    fn marker(&mut self) -> String {
        match self.containers.last_mut() {
            Some(Container::List(Some(number))) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "• ".into(),
        }
    }

    /// A block begins: a blank row before it if one came before within the same unit. What stands before it in an item
    /// without blank lines is a block of its own.
    fn block(&mut self) {
        self.line.append(&mut self.carried);
        self.flush();
        let fresh = matches!(self.containers.last(), Some(Container::Item { drawn: false, .. }));
        if std::mem::take(&mut self.blank) && !fresh && !self.close {
            let prefix = self.prefix();
            self.rows.push(Line::from(trimmed(prefix.next)));
        }
    }

    fn end_block(&mut self) {
        self.flush();
        self.blank = true;
    }

    /// The line so far becomes rows.
    fn flush(&mut self) {
        if self.line.is_empty() || self.table.is_some() {
            return;
        }
        let line = Line::from(std::mem::take(&mut self.line));
        self.draw_line(line);
    }

    fn draw_line(&mut self, line: Line<'static>) {
        let prefix = self.prefix();
        self.rows.extend(text::wrap(&line, self.width, &prefix));
    }

    /// What stands before the rows of this block; markers are used up.
    fn prefix(&mut self) -> Prefix {
        let first = std::mem::replace(&mut self.outer.first, self.outer.next.clone());
        let mut prefix = Prefix { first, next: self.outer.next.clone() };
        let deepest = self.containers.len().saturating_sub(DEEPEST);
        for (at, container) in self.containers.iter_mut().enumerate() {
            let shown = at >= deepest;
            match container {
                Container::List(_) => {}
                Container::Quote if shown => {
                    prefix.first.push(Span::styled("│ ", self.theme.quote));
                    prefix.next.push(Span::styled("│ ", self.theme.quote));
                }
                Container::Quote => {}
                Container::Item { marker, drawn } => {
                    let spaces = " ".repeat(text::width(marker));
                    if shown {
                        let first = if *drawn {
                            Span::raw(spaces.clone())
                        } else {
                            Span::styled(marker.clone(), self.theme.bullet)
                        };
                        prefix.first.push(first);
                        prefix.next.push(Span::raw(spaces));
                    }
                    *drawn = true;
                }
            }
        }
        prefix
    }
}

fn trimmed(mut prefix: Vec<Span<'static>>) -> Vec<Span<'static>> {
    while prefix.last().is_some_and(|span| span.content.trim().is_empty()) {
        prefix.pop();
    }
    prefix
}

//! Renders one unit of markdown: parser events in, styled and wrapped lines out.

use super::table::MarkdownTable;
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;

/// Columns of a horizontal rule. A full row would wrap when the terminal gets narrower.
const RULE_WIDTH: usize = 40;
/// Maximum drawn nesting of lists and quotes.
const MAX_DEPTH: usize = 12;

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);
/// Maximum passes over link definitions inside one another.
const MAX_PASSES: usize = 8;

/// Container prefix of a unit, and its text that was carried over.
#[derive(Debug, Default)]
pub struct UnitContext {
    /// Prefix of its rows.
    pub prefix: RowPrefix,
    /// No blank rows between its blocks.
    pub tight: bool,
    /// Earlier text of its paragraph that shares the first row.
    pub carried: Vec<Span<'static>>,
}

pub fn render(source: &str, width: usize, theme: &Theme, place: UnitContext) -> Vec<Line<'static>> {
    let source = text::visible(source);
    let mut writer = BlockWriter::new(width, theme, place);
    writer.write_source(&source, MAX_PASSES);
    writer.rows
}

/// Renders the start of an open paragraph: its full rows, and the text of the last row. None if it is not a paragraph.
pub fn render_open_paragraph(
    source: &str,
    width: usize,
    theme: &Theme,
    place: UnitContext,
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
    let mut writer = BlockWriter::new(width, theme, place);
    events.into_iter().for_each(|event| writer.handle_event(event));
    let line = Line::from(std::mem::take(&mut writer.line));
    let prefix = writer.take_prefix();
    let (rows, rest) = text::wrap_open(&line, width, &prefix);
    writer.rows.extend(rows);
    (!rest.is_empty()).then_some((writer.rows, rest))
}

/// True if a table row has more cells than the header. The parser would drop them.
pub fn has_extra_cells(source: &str) -> bool {
    let cells = |line: &str| {
        let line = line.trim();
        let inner = line.strip_prefix('|').unwrap_or(line);
        let inner = inner.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(inner);
        inner.replace("\\|", "").matches('|').count() + 1
    };
    let head = source.lines().next().map(cells).unwrap_or_default();
    source.lines().any(|line| cells(line) > head)
}

/// Link target with its title. Users must see everything that is written (PM-74).
fn link_label(target: &str, title: &str) -> String {
    if title.is_empty() { target.to_string() } else { format!("{target} \"{title}\"") }
}

/// Parses a table, if the source is one.
pub fn parse_table(source: &str, theme: &Theme) -> Option<MarkdownTable> {
    let source = text::visible(source);
    let mut writer = BlockWriter::new(usize::from(u16::MAX), theme, UnitContext::default());
    for event in Parser::new_ext(&source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        if event == Event::End(TagEnd::Table) {
            return writer.table.take();
        }
        writer.handle_event(event);
    }
    None
}

/// Rows of one line of code, hard-wrapped and with tabs expanded.
pub fn code_rows(spans: Vec<Span<'static>>, width: usize, prefix: &RowPrefix) -> Vec<Line<'static>> {
    let mut column = 0;
    let mut expanded = Vec::with_capacity(spans.len());
    for span in spans {
        let content = text::expand_tabs(&span.content, column).into_owned();
        column += text::width(&content);
        expanded.push(Span::styled(content, span.style));
    }
    text::wrap(&Line::from(expanded), width, prefix)
}

struct BlockWriter<'t> {
    width: usize,
    theme: &'t Theme,
    /// Prefix of all rows. Its first part is used for the first row only.
    outer: RowPrefix,
    carried: Vec<Span<'static>>,
    rows: Vec<Line<'static>>,
    /// The line being written, before wrapping.
    line: Vec<Span<'static>>,
    styles: Vec<Style>,
    containers: Vec<BlockContainer>,
    code: Option<String>,
    table: Option<MarkdownTable>,
    /// Targets of open links, innermost last, with the start of their text in the line.
    links: Vec<(String, usize)>,
    /// Emit a blank row before the next block.
    blank_before: bool,
    tight: bool,
}

enum BlockContainer {
    Quote,
    List(Option<u64>),
    /// The marker is drawn on the first row only.
    Item {
        marker: String,
        drawn: bool,
    },
}

impl<'t> BlockWriter<'t> {
    fn new(width: usize, theme: &'t Theme, place: UnitContext) -> BlockWriter<'t> {
        BlockWriter {
            width,
            theme,
            outer: place.prefix,
            carried: place.carried,
            rows: Vec::new(),
            line: Vec::new(),
            styles: Vec::new(),
            containers: Vec::new(),
            code: None,
            table: None,
            links: Vec::new(),
            blank_before: false,
            tight: place.tight,
        }
    }

    /// Draws link definitions as source, because the parser removes them and their targets would be hidden. Tables that
    /// would lose cells are drawn as source too.
    fn write_source(&mut self, source: &str, passes: usize) {
        let parser = Parser::new_ext(source, OPTIONS);
        let mut defined: Vec<Range<usize>> =
            parser.reference_definitions().iter().map(|(_, link)| link.span.clone()).collect();
        if !defined.is_empty() {
            if passes == 0 {
                return self.write_raw(source);
            }
            defined.sort_by_key(|span| span.start);
            let mut from = 0;
            for span in defined {
                self.write_source(source.get(from..span.start).unwrap_or_default(), passes - 1);
                self.write_raw(source.get(span.clone()).unwrap_or_default());
                from = span.end;
            }
            return self.write_source(source.get(from..).unwrap_or_default(), passes - 1);
        }
        let mut written = 0;
        for (event, range) in parser.into_offset_iter() {
            if range.start < written {
                continue;
            }
            let table = source.get(range.clone()).filter(|_| matches!(event, Event::Start(Tag::Table(_))));
            match table.filter(|table| has_extra_cells(table)) {
                Some(table) => {
                    self.write_raw(table);
                    written = range.end;
                }
                None => self.handle_event(event),
            }
        }
        self.line.append(&mut self.carried);
        self.flush_line();
    }

    fn write_raw(&mut self, source: &str) {
        self.start_block();
        for line in source.lines().filter(|line| !line.trim().is_empty()) {
            let shown = text::expand_tabs(line.trim_end(), 0).into_owned();
            self.draw_line(Line::from(Span::styled(shown, self.theme.text)));
        }
        self.blank_before = false;
    }

    fn handle_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start_tag(tag),
            Event::End(tag) => self.end_tag(tag),
            Event::Text(words) => self.push_text(&words, Style::default()),
            Event::Code(words) | Event::InlineMath(words) | Event::DisplayMath(words) => {
                self.push_text(&words, self.theme.code);
            }
            Event::Html(words) | Event::InlineHtml(words) => self.push_html(&words),
            Event::FootnoteReference(name) => self.push_text(&format!("[^{name}]"), self.theme.dim),
            Event::SoftBreak => self.push_text(" ", Style::default()),
            Event::HardBreak => self.hard_break(),
            Event::Rule => {
                self.start_block();
                let mut row = self.take_prefix().first;
                let taken: usize = row.iter().map(|span| text::width(&span.content)).sum();
                row.push(Span::styled("─".repeat(RULE_WIDTH.min(self.width.saturating_sub(taken))), self.theme.border));
                self.rows.push(text::fit_line(Line::from(row), self.width));
                self.blank_before = true;
            }
            Event::TaskListMarker(done) => self.push_text(if done { "[x] " } else { "[ ] " }, self.theme.bullet),
        }
    }

    fn start_tag(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => {
                let carried = std::mem::take(&mut self.carried);
                self.start_block();
                self.line.extend(carried);
                if !self.line.is_empty() {
                    self.line.push(Span::raw(" "));
                }
            }
            Tag::HtmlBlock => self.start_block(),
            Tag::Heading { level, .. } => {
                self.start_block();
                let under = if level == HeadingLevel::H1 { Modifier::UNDERLINED } else { Modifier::empty() };
                self.styles.push(self.theme.heading.add_modifier(under));
            }
            Tag::BlockQuote(_) => {
                self.start_block();
                self.containers.push(BlockContainer::Quote);
            }
            Tag::CodeBlock(_) => {
                self.start_block();
                self.code = Some(String::new());
            }
            Tag::List(start) => {
                // An item's text, then a nested list.
                self.flush_line();
                if !self.in_item() {
                    self.start_block();
                }
                self.containers.push(BlockContainer::List(start));
            }
            Tag::Item => {
                let marker = self.next_marker();
                self.containers.push(BlockContainer::Item { marker, drawn: false });
            }
            Tag::Table(alignments) => {
                self.start_block();
                self.table = Some(MarkdownTable::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => self.with_table(MarkdownTable::begin_row),
            Tag::TableCell => self.line.clear(),
            Tag::Emphasis => self.styles.push(self.theme.emphasis),
            Tag::Strong => self.styles.push(self.theme.strong),
            Tag::Strikethrough => self.styles.push(Style::default().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, title, .. } => {
                self.links.push((link_label(&dest_url, &title), self.line.len()));
                self.styles.push(self.theme.link);
            }
            Tag::Image { dest_url, title, .. } => {
                self.push_text("image: ", self.theme.dim);
                self.links.push((link_label(&dest_url, &title), self.line.len()));
                self.styles.push(self.theme.link);
            }
            Tag::Superscript | Tag::Subscript | Tag::MetadataBlock(_) | Tag::FootnoteDefinition(_) => {}
            Tag::DefinitionList | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => {}
        }
    }

    fn end_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.containers.pop();
                self.blank_before = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Item => {
                self.flush_line();
                if let Some(BlockContainer::Item { drawn: false, .. }) = self.containers.last() {
                    self.draw_line(Line::default());
                }
                self.containers.pop();
            }
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                self.with_table(|table| table.push_cell(cell));
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Superscript | TagEnd::Subscript | TagEnd::MetadataBlock(_) | TagEnd::FootnoteDefinition => {}
            TagEnd::DefinitionList | TagEnd::DefinitionListTitle | TagEnd::DefinitionListDefinition => {}
        }
    }

    /// Adds text. Entities that the parser decoded are untrusted too.
    fn push_text(&mut self, words: &str, style: Style) {
        if let Some(code) = &mut self.code {
            code.push_str(words);
            return;
        }
        let style = self.styles.iter().fold(Style::default(), |all, style| all.patch(*style)).patch(style);
        let shown = text::visible(words);
        // An entity may decode to a newline or a tab.
        self.line.push(Span::styled(shown.replace(['\n', '\t'], " "), style));
    }

    fn push_html(&mut self, words: &str) {
        for (n, line) in words.split('\n').enumerate() {
            if n > 0 {
                self.hard_break();
            }
            // A trailing newline starts no new row.
            if !line.is_empty() {
                self.push_text(line, self.theme.dim);
            }
        }
    }

    fn hard_break(&mut self) {
        match self.table {
            Some(_) => self.push_text(" ", Style::default()),
            None => self.flush_line(),
        }
    }

    /// Adds the link target unless it equals the text (PM-74).
    fn end_link(&mut self) {
        self.styles.pop();
        let Some((target, start)) = self.links.pop() else { return };
        let words: String = self.line.iter().skip(start).map(|span| span.content.as_ref()).collect();
        let told = words == target || target.strip_prefix("mailto:") == Some(&words);
        if !target.is_empty() && !told {
            self.push_text(&format!(" ({target})"), self.theme.dim);
        }
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        for line in code.lines() {
            let shown = text::visible(line).into_owned();
            let spans = vec![Span::styled(shown, self.theme.code_block)];
            let mut prefix = self.take_prefix();
            for rows in [&mut prefix.first, &mut prefix.next] {
                rows.push(Span::raw("  "));
            }
            self.rows.extend(code_rows(spans, self.width, &prefix));
        }
        self.blank_before = true;
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let prefix = self.take_prefix();
        let columns = |spans: &[Span<'_>]| spans.iter().map(|span| text::width(&span.content)).sum::<usize>();
        let taken = columns(&prefix.first).max(columns(&prefix.next));
        let rows = table.rows(self.width.saturating_sub(taken).max(1), self.theme);
        for (n, row) in rows.into_iter().enumerate() {
            let before = if n == 0 { &prefix.first } else { &prefix.next };
            let spans = before.iter().cloned().chain(row.spans);
            self.rows.push(text::fit_line(Line::from(spans.collect::<Vec<_>>()), self.width));
        }
        self.blank_before = true;
    }

    fn with_table(&mut self, change: impl FnOnce(&mut MarkdownTable)) {
        if let Some(table) = &mut self.table {
            change(table);
        }
    }

    fn in_item(&self) -> bool {
        matches!(self.containers.last(), Some(BlockContainer::Item { .. }))
    }

    fn next_marker(&mut self) -> String {
        match self.containers.last_mut() {
            Some(BlockContainer::List(Some(number))) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "• ".into(),
        }
    }

    /// Starts a block, with a blank row before it if the unit already has one. Text before it in a tight item is a
    /// block of its own.
    fn start_block(&mut self) {
        self.line.append(&mut self.carried);
        self.flush_line();
        let fresh = matches!(self.containers.last(), Some(BlockContainer::Item { drawn: false, .. }));
        if std::mem::take(&mut self.blank_before) && !fresh && !self.tight {
            let prefix = self.take_prefix();
            self.rows.push(Line::from(trim_spans(prefix.next)));
        }
    }

    fn end_block(&mut self) {
        self.flush_line();
        self.blank_before = true;
    }

    /// Turns the current line into rows.
    fn flush_line(&mut self) {
        if self.line.is_empty() || self.table.is_some() {
            return;
        }
        let line = Line::from(std::mem::take(&mut self.line));
        self.draw_line(line);
    }

    fn draw_line(&mut self, line: Line<'static>) {
        let prefix = self.take_prefix();
        self.rows.extend(text::wrap(&line, self.width, &prefix));
    }

    /// Prefix of this block's rows. Each marker is returned only once.
    fn take_prefix(&mut self) -> RowPrefix {
        let first = std::mem::replace(&mut self.outer.first, self.outer.next.clone());
        let mut prefix = RowPrefix { first, next: self.outer.next.clone() };
        let deepest = self.containers.len().saturating_sub(MAX_DEPTH);
        for (at, container) in self.containers.iter_mut().enumerate() {
            let shown = at >= deepest;
            match container {
                BlockContainer::List(_) => {}
                BlockContainer::Quote if shown => {
                    prefix.first.push(Span::styled("│ ", self.theme.quote));
                    prefix.next.push(Span::styled("│ ", self.theme.quote));
                }
                BlockContainer::Quote => {}
                BlockContainer::Item { marker, drawn } => {
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

fn trim_spans(mut prefix: Vec<Span<'static>>) -> Vec<Span<'static>> {
    while prefix.last().is_some_and(|span| span.content.trim().is_empty()) {
        prefix.pop();
    }
    prefix
}

//! Containers of a markdown line: quotes and list items, outermost first (UI-2). They are tracked line by line, so that
//! each block inside them is a unit that is highlighted and emitted as soon as it is complete.
//!
//! Follows CommonMark, but is more lenient where models are sloppy: text indented by two or more columns below a marker
//! belongs to its item.

use super::scan::{self, ListMarker};
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use ratatui::text::{Line, Span};

/// Maximum tracked nesting. The parser handles deeper levels.
const MAX_DEPTH: usize = 12;
/// Minimum columns for text. If nesting leaves fewer, the text starts at the margin.
const MIN_TEXT_COLUMNS: usize = 10;

#[derive(Debug, Clone)]
pub struct ContainerStack {
    containers: Vec<NestedContainer>,
    /// One entry for the page and one inside each container.
    levels: Vec<ContainerLevel>,
}

#[derive(Debug, Clone)]
enum NestedContainer {
    Quote,
    Item {
        /// Marker text, drawn on the first row only.
        marker: String,
        drawn: bool,
        /// Indentation of the following rows, in columns.
        hang: usize,
        /// Column of the marker; `indent` is the column of its text.
        start: usize,
        indent: usize,
    },
}

#[derive(Debug, Clone, Default)]
struct ContainerLevel {
    has_blocks: bool,
    list: Option<ListState>,
}

#[derive(Debug, Clone, Copy)]
struct ListState {
    mark: u8,
    next: u64,
}

impl Default for ContainerStack {
    fn default() -> ContainerStack {
        ContainerStack { containers: Vec::new(), levels: vec![ContainerLevel::default()] }
    }
}

impl ContainerStack {
    pub fn depth(&self) -> usize {
        self.containers.len()
    }

    pub fn is_deepest(&self) -> bool {
        self.containers.len() >= MAX_DEPTH
    }

    /// Number of open containers that this line is in, and the rest of the line.
    pub fn match_line(&mut self, line: &str) -> (usize, String) {
        let mut rest = expand_leading_tabs(line, 0);
        for (at, container) in self.containers.iter_mut().enumerate() {
            let inner = match container {
                NestedContainer::Quote => strip_quote(&rest),
                NestedContainer::Item { start, indent, .. } => strip_item_indent(&rest, *start, indent),
            };
            match inner {
                Some(inner) => rest = inner,
                None => return (at, rest),
            }
        }
        (self.containers.len(), rest)
    }

    /// A code line without its container prefixes. None if the line has left the code's quote.
    pub fn strip_prefixes(&self, line: &str) -> Option<String> {
        if self.containers.is_empty() {
            return Some(line.to_string());
        }
        let mut rest = expand_leading_tabs(line, 0);
        for container in &self.containers {
            rest = match container {
                NestedContainer::Quote => strip_quote(&rest)?,
                NestedContainer::Item { indent, .. } => rest.split_off(indent_width(&rest).min(*indent)),
            };
        }
        Some(rest)
    }

    /// Closes the innermost container.
    pub fn pop(&mut self) {
        self.containers.pop();
        self.levels.truncate(self.containers.len() + 1);
    }

    /// True if the innermost container is an item.
    pub fn in_item(&self) -> bool {
        matches!(self.containers.last(), Some(NestedContainer::Item { .. }))
    }

    /// True if the innermost container has a marker that was not drawn yet.
    pub fn has_undrawn_marker(&self) -> bool {
        matches!(self.containers.last(), Some(NestedContainer::Item { drawn: false, .. }))
    }

    /// Opens a quote. Returns the text of its first line.
    pub fn open_quote(&mut self, rest: &str) -> String {
        self.push(NestedContainer::Quote);
        strip_quote(rest).unwrap_or_default()
    }

    /// Opens an item. Returns the text of its first line. Items are numbered from the list's first number, as in
    /// CommonMark.
    pub fn open_item(&mut self, rest: &str, found: &ListMarker) -> String {
        let start = indent_width(rest);
        let level = self.levels.last_mut();
        let going_on = level.as_ref().and_then(|level| level.list).filter(|list| list.mark == found.mark);
        let number = going_on.map_or(found.number.unwrap_or_default(), |list| list.next);
        if let Some(level) = level {
            level.list = Some(ListState { mark: found.mark, next: number.saturating_add(1) });
        }
        let mut marker = found.number.map_or("• ".to_string(), |_| format!("{number}. "));
        let hang = text::width(&marker);
        let mut indent = start + found.width;
        let behind = expand_leading_tabs(rest.get(indent..).unwrap_or_default(), indent);
        // With more than four spaces, the first belongs to the marker and the rest make indented code.
        let spaces = match indent_width(&behind) {
            few @ 0..=4 => few,
            5.. => 1,
        };
        let mut inner = &behind[spaces..];
        indent += spaces.max(1);
        if let Some((task, words)) = scan::split_task(inner) {
            marker.push_str(task);
            inner = words;
        }
        self.push(NestedContainer::Item { marker, drawn: false, hang, start, indent });
        inner.to_string()
    }

    fn push(&mut self, container: NestedContainer) {
        self.containers.push(container);
        self.levels.push(ContainerLevel::default());
    }

    /// Starts a block in the innermost container. Returns the blank row to draw before it, if any. Inside and between
    /// items there is one only if the source has one (`gap`).
    pub fn start_block(&mut self, item: bool, gap: bool, theme: &Theme) -> Option<Line<'static>> {
        let in_item = self.in_item();
        let level = self.levels.last_mut()?;
        let close = !gap && (in_item || (item && level.list.is_some()));
        let apart = std::mem::replace(&mut level.has_blocks, true) && !close;
        if !item {
            level.list = None;
        }
        apart.then(|| self.blank_row(theme))
    }

    fn blank_row(&self, theme: &Theme) -> Line<'static> {
        let mut spans: Vec<Span<'static>> =
            self.containers.iter().map(|container| continuation_span(container, theme)).collect();
        while spans.last().is_some_and(|span| span.content.trim().is_empty()) {
            spans.pop();
        }
        Line::from(spans)
    }

    /// Prefix of the next rows. Each marker is returned only once.
    pub fn take_prefix(&mut self, width: usize, theme: &Theme) -> RowPrefix {
        let mut prefix = RowPrefix::default();
        let mut bare = Vec::new();
        for container in &mut self.containers {
            prefix.next.push(continuation_span(container, theme));
            let first = match container {
                NestedContainer::Item { marker, drawn: drawn @ false, .. } => {
                    *drawn = true;
                    let marker = Span::styled(marker.clone(), theme.bullet);
                    bare.push(marker.clone());
                    marker
                }
                NestedContainer::Item { .. } | NestedContainer::Quote => continuation_span(container, theme),
            };
            prefix.first.push(first);
        }
        let taken = spans_width(&prefix.next).max(spans_width(&prefix.first));
        if taken + MIN_TEXT_COLUMNS > width {
            return RowPrefix { first: bare, next: Vec::new() };
        }
        prefix
    }
}

fn spans_width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| text::width(&span.content)).sum()
}

/// Prefix of this container's rows after the first.
fn continuation_span(container: &NestedContainer, theme: &Theme) -> Span<'static> {
    match container {
        NestedContainer::Quote => Span::styled("│ ", theme.quote),
        NestedContainer::Item { hang, .. } => Span::raw(" ".repeat(*hang)),
    }
}

/// Expands leading tabs to spaces. `column` is where the line starts.
fn expand_leading_tabs(line: &str, column: usize) -> String {
    let trimmed = line.trim_start_matches([' ', '\t']);
    let (before, _) = line.split_at(line.len() - trimmed.len());
    format!("{}{trimmed}", text::expand_tabs(before, column))
}

fn indent_width(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

fn strip_quote(line: &str) -> Option<String> {
    let inner = line.get(indent_width(line)..).filter(|_| indent_width(line) <= 3)?.strip_prefix('>')?;
    let inner = expand_leading_tabs(inner, indent_width(line) + 1);
    Some(inner.strip_prefix(' ').map_or_else(|| inner.clone(), str::to_string))
}

/// Text of a line inside an item that starts at column `start`. A line further left than the first moves the margin.
fn strip_item_indent(line: &str, start: usize, indent: &mut usize) -> Option<String> {
    if line.trim().is_empty() {
        return Some(String::new());
    }
    let found = indent_width(line);
    if found < start + 2 {
        return None;
    }
    *indent = (*indent).min(found);
    line.get(*indent..).map(str::to_string)
}

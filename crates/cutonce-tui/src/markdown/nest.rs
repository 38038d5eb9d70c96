//! What a line of markdown stands in: quotes and items of lists, from the outermost in (UI-2). Known line by line, so that what
//! stands in an item or a quote is a unit of its own, with its colours, and goes to the scrollback as soon as it is whole.
//!
//! As CommonMark has it, and a little more lenient where models are sloppy: what is indented by two or more columns below a
//! marker belongs to its item.

use super::scan::{self, Marker};
use crate::text::{self, Prefix};
use crate::theme::Theme;
use ratatui::text::{Line, Span};

/// What is nested deeper is drawn by the parser's own nesting.
const DEEPEST: usize = 12;
/// Columns that are left for words; where the nesting leaves fewer they stand at the margin.
const LEAST: usize = 10;

#[derive(Debug, Clone)]
pub struct Nest {
    containers: Vec<Container>,
    /// One more than containers: the first is the page, each other one is within the container before it.
    levels: Vec<Level>,
}

#[derive(Debug, Clone)]
enum Container {
    Quote,
    Item {
        /// Drawn on the first row only.
        marker: String,
        drawn: bool,
        /// Columns before the further rows.
        hang: usize,
        /// Where the marker stands in its line, and where its words do.
        start: usize,
        indent: usize,
    },
}

#[derive(Debug, Clone, Default)]
struct Level {
    begun: bool,
    list: Option<List>,
}

#[derive(Debug, Clone, Copy)]
struct List {
    mark: u8,
    next: u64,
}

impl Default for Nest {
    fn default() -> Nest {
        Nest { containers: Vec::new(), levels: vec![Level::default()] }
    }
}

impl Nest {
    pub fn depth(&self) -> usize {
        self.containers.len()
    }

    pub fn is_deepest(&self) -> bool {
        self.containers.len() >= DEEPEST
    }

    /// How many of the open containers this line is in, and what it says there.
    pub fn enter(&mut self, line: &str) -> (usize, String) {
        let mut rest = spaced(line, 0);
        for (at, container) in self.containers.iter_mut().enumerate() {
            let inner = match container {
                Container::Quote => quoted(&rest),
                Container::Item { start, indent, .. } => item_line(&rest, *start, indent),
            };
            match inner {
                Some(inner) => rest = inner,
                None => return (at, rest),
            }
        }
        (self.containers.len(), rest)
    }

    /// A line of open code, without what stands before it. None if it is not in the quote that the code is in.
    pub fn within(&self, line: &str) -> Option<String> {
        if self.containers.is_empty() {
            return Some(line.to_string());
        }
        let mut rest = spaced(line, 0);
        for container in &self.containers {
            rest = match container {
                Container::Quote => quoted(&rest)?,
                Container::Item { indent, .. } => rest.split_off(indentation(&rest).min(*indent)),
            };
        }
        Some(rest)
    }

    /// The innermost container ends.
    pub fn leave(&mut self) {
        self.containers.pop();
        self.levels.truncate(self.containers.len() + 1);
    }

    /// Is the innermost container an item?
    pub fn is_item(&self) -> bool {
        matches!(self.containers.last(), Some(Container::Item { .. }))
    }

    /// Does the innermost container have a marker that was not drawn yet?
    pub fn is_bare(&self) -> bool {
        matches!(self.containers.last(), Some(Container::Item { drawn: false, .. }))
    }

    /// A quote begins; what its first line says.
    pub fn open_quote(&mut self, rest: &str) -> String {
        self.push(Container::Quote);
        quoted(rest).unwrap_or_default()
    }

    /// An item begins; what its first line says. The numbers of a list go on from its first one, whatever is written.
    pub fn open_item(&mut self, rest: &str, found: &Marker) -> String {
        let start = indentation(rest);
        let level = self.levels.last_mut();
        let going_on = level.as_ref().and_then(|level| level.list).filter(|list| list.mark == found.mark);
        let number = going_on.map_or(found.number.unwrap_or_default(), |list| list.next);
        if let Some(level) = level {
            level.list = Some(List { mark: found.mark, next: number.saturating_add(1) });
        }
        let mut marker = found.number.map_or("• ".to_string(), |_| format!("{number}. "));
        let hang = text::width(&marker);
        let mut indent = start + found.width;
        let behind = spaced(rest.get(indent..).unwrap_or_default(), indent);
        // More than four: the first of them belongs to the marker, the others make code of what follows.
        let spaces = match indentation(&behind) {
            few @ 0..=4 => few,
            5.. => 1,
        };
        let mut inner = &behind[spaces..];
        indent += spaces.max(1);
        if let Some((task, words)) = scan::task(inner) {
            marker.push_str(task);
            inner = words;
        }
        self.push(Container::Item { marker, drawn: false, hang, start, indent });
        inner.to_string()
    }

    fn push(&mut self, container: Container) {
        self.containers.push(container);
        self.levels.push(Level::default());
    }

    /// A block begins in the innermost container: the blank row that belongs before it, if one does. Between the parts of an
    /// item, and between items, there is one only where one is written (`gap`).
    pub fn begin(&mut self, item: bool, gap: bool, theme: &Theme) -> Option<Line<'static>> {
        let in_item = self.is_item();
        let level = self.levels.last_mut()?;
        let close = !gap && (in_item || (item && level.list.is_some()));
        let apart = std::mem::replace(&mut level.begun, true) && !close;
        if !item {
            level.list = None;
        }
        apart.then(|| self.blank(theme))
    }

    fn blank(&self, theme: &Theme) -> Line<'static> {
        let mut spans: Vec<Span<'static>> = self.containers.iter().map(|container| further(container, theme)).collect();
        while spans.last().is_some_and(|span| span.content.trim().is_empty()) {
            spans.pop();
        }
        Line::from(spans)
    }

    /// What stands before the next rows; markers are used up.
    pub fn prefix(&mut self, width: usize, theme: &Theme) -> Prefix {
        let mut prefix = Prefix::default();
        let mut bare = Vec::new();
        for container in &mut self.containers {
            prefix.next.push(further(container, theme));
            let first = match container {
                Container::Item { marker, drawn: drawn @ false, .. } => {
                    *drawn = true;
                    let marker = Span::styled(marker.clone(), theme.bullet);
                    bare.push(marker.clone());
                    marker
                }
                Container::Item { .. } | Container::Quote => further(container, theme),
            };
            prefix.first.push(first);
        }
        let taken = columns(&prefix.next).max(columns(&prefix.first));
        if taken + LEAST > width {
            return Prefix { first: bare, next: Vec::new() };
        }
        prefix
    }
}

fn columns(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| text::width(&span.content)).sum()
}

/// Before the rows of this container that are not its first.
fn further(container: &Container, theme: &Theme) -> Span<'static> {
    match container {
        Container::Quote => Span::styled("│ ", theme.quote),
        Container::Item { hang, .. } => Span::raw(" ".repeat(*hang)),
    }
}

/// With the tabs at its start as spaces; `column` is where it begins.
fn spaced(line: &str, column: usize) -> String {
    let trimmed = line.trim_start_matches([' ', '\t']);
    let (before, _) = line.split_at(line.len() - trimmed.len());
    format!("{}{trimmed}", text::expand_tabs(before, column))
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

fn quoted(line: &str) -> Option<String> {
    let inner = line.get(indentation(line)..).filter(|_| indentation(line) <= 3)?.strip_prefix('>')?;
    let inner = spaced(inner, indentation(line) + 1);
    Some(inner.strip_prefix(' ').map_or_else(|| inner.clone(), str::to_string))
}

/// A line within an item that begins at column `start`. One that stands further left than its first words moves the margin.
fn item_line(line: &str, start: usize, indent: &mut usize) -> Option<String> {
    if line.trim().is_empty() {
        return Some(String::new());
    }
    let found = indentation(line);
    if found < start + 2 {
        return None;
    }
    *indent = (*indent).min(found);
    line.get(*indent..).map(str::to_string)
}

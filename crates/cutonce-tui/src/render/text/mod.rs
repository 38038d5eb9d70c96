//! Makes untrusted text safe for the screen (TL-10, UI-2). It can't control the terminal or hide anything. Lines are
//! cut and wrapped by display width, not by bytes.

pub mod wrapped_rows;

pub use cutonce_core::text::number::count_noun;
use cutonce_core::text::number::group_digits;
use cutonce_core::text::sanitize;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns between tab stops.
const TAB_WIDTH: usize = 4;
/// Maximum combining marks on one letter. More than any script needs would smear over other rows.
const MAX_MARKS: usize = 8;

/// Makes everything visible, because a user may have to judge it. Escape sequences become text; invisible and
/// direction-changing characters become `\u{..}`. Newlines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let text = sanitize::reveal_hidden(text);
    if text.is_ascii() { text } else { limit_marks(text) }
}

/// Drops sequences from program output that only colour or erase to the end of the line. `visible` handles the rest.
/// Not for text that a user has to judge.
pub fn strip_colours(text: &str) -> Cow<'_, str> {
    if text.contains('\x1b') { Cow::Owned(strip_colour_sequences(text)) } else { Cow::Borrowed(text) }
}

/// Puts text on one line, for names, commands and titles. Newlines become `⏎`, tabs become spaces.
pub fn one_line(text: &str) -> String {
    let shown = visible(text.trim_end());
    if !shown.contains(['\n', '\t']) {
        return shown.into_owned();
    }
    shown.replace('\n', " ⏎ ").replace('\t', " ")
}

/// Truncates to `most` characters, with a count of the rest. For text that may be megabytes long.
pub fn truncate_chars(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((at, _)) => {
            let left = text[at..].chars().count();
            Cow::Owned(format!("{}… {} more characters", &text[..at], group_digits(left as u64)))
        }
    }
}

/// Converts bytes to text and replaces invalid UTF-8.
pub fn from_bytes(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Display width in columns.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(grapheme_width).sum() }
}

pub fn line_width(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| width(&span.content)).sum()
}

/// Truncates to this many columns, with `…` at the end.
pub fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    Cow::Owned(format!("{}…", take_columns(text, room)))
}

/// Like `fit`, but keeps the end. For paths, whose last part identifies them.
pub fn fit_end(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    let mut used = 0;
    let mut from = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme_width(grapheme);
        if used > room {
            break;
        }
        from = at;
    }
    Cow::Owned(format!("…{}", &text[from..]))
}

/// Truncates or pads with spaces to exactly this many columns.
pub fn pad_to(text: &str, columns: usize) -> String {
    let mut out = fit(text, columns).into_owned();
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(width(&out))));
    out
}

/// Truncates a styled line to this many columns.
pub fn fit_line(line: Line<'static>, columns: usize) -> Line<'static> {
    if line_width(&line) <= columns {
        return line;
    }
    let mut room = columns;
    let mut out = Line { spans: Vec::new(), ..line };
    for span in line.spans {
        let taken = width(&span.content);
        if taken < room {
            room -= taken;
            out.spans.push(span);
            continue;
        }
        if let Some(room) = room.checked_sub(1) {
            out.spans.push(Span::styled(format!("{}…", take_columns(&span.content, room)), span.style));
        }
        break;
    }
    out
}

/// Expands tabs to spaces up to the next tab stop. `column` is where the text starts.
pub fn expand_tabs(text: &str, column: usize) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + TAB_WIDTH);
    let mut at = column;
    for (n, piece) in text.split('\t').enumerate() {
        if n > 0 {
            let fill = TAB_WIDTH - at % TAB_WIDTH;
            out.extend(std::iter::repeat_n(' ', fill));
            at += fill;
        }
        at += width(piece);
        out.push_str(piece);
    }
    Cow::Owned(out)
}

/// Prefixes for the first row and the other rows of a wrapped line.
#[derive(Debug, Clone, Default)]
pub struct RowPrefix {
    pub first: Vec<Span<'static>>,
    pub next: Vec<Span<'static>>,
}

impl RowPrefix {
    /// Indents every row by the same number of columns.
    pub fn spaces(columns: usize) -> RowPrefix {
        let spaces = vec![Span::raw(" ".repeat(columns))];
        RowPrefix { first: spaces.clone(), next: spaces }
    }
}

/// Wraps a line to `columns`, between words if possible. There is always at least one row.
pub fn wrap(line: &Line<'_>, columns: usize, prefix: &RowPrefix) -> Vec<Line<'static>> {
    wrap_spans(line, columns, prefix).finish()
}

fn wrap_spans<'p>(line: &Line<'_>, columns: usize, prefix: &'p RowPrefix) -> LineWrapper<'p> {
    let mut wrapper = LineWrapper::new(columns, prefix);
    for span in &line.spans {
        let style = line.style.patch(span.style);
        if span.content.is_ascii() {
            for at in 0..span.content.len() {
                wrapper.push_grapheme(span.content.get(at..=at).unwrap_or_default(), 1, style);
            }
        } else {
            span.content
                .graphemes(true)
                .for_each(|grapheme| wrapper.push_grapheme(grapheme, grapheme_width(grapheme), style));
        }
    }
    wrapper
}

/// Wraps an unfinished line. Returns the full rows, and the text of the last row, which later text may extend.
pub fn wrap_open(line: &Line<'_>, columns: usize, prefix: &RowPrefix) -> (Vec<Line<'static>>, Vec<Span<'static>>) {
    wrap_spans(line, columns, prefix).into_open()
}

/// Sanitizes and wraps untrusted plain text.
pub fn wrap_plain(text: &str, columns: usize, style: Style) -> Vec<Line<'static>> {
    let shown = visible(text);
    let rows = shown.lines().flat_map(|line| {
        let line = Line::styled(expand_tabs(line, 0).into_owned(), style);
        wrap(&line, columns, &RowPrefix::default())
    });
    rows.collect()
}

/// Text of a line without its styles.
pub fn plain_text(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}

/// Width of one grapheme. A grapheme of width 0 is not drawn.
fn grapheme_width(grapheme: &str) -> usize {
    match grapheme {
        "\t" => 1,
        _ => UnicodeWidthStr::width(grapheme),
    }
}

fn take_columns(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme_width(grapheme);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

fn strip_colour_sequences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match colour_sequence_len(rest) {
            Some(length) => rest = &rest[length..],
            None => {
                out.push('\x1b');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Length of a leading escape sequence that only colours or erases the rest of the line.
fn colour_sequence_len(text: &str) -> Option<usize> {
    let bytes = text.strip_prefix("\x1b[")?.as_bytes();
    let parameters = bytes.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')).count();
    match bytes.get(parameters)? {
        b'm' | b'K' => Some(2 + parameters + 1),
        _ => None,
    }
}

/// Limits the number of combining marks on one letter.
fn limit_marks(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut pile = 0;
    let mut fine = true;
    for c in text.chars() {
        pile = if is_combining_mark(c) { pile + 1 } else { 0 };
        fine &= pile <= MAX_MARKS;
    }
    if fine {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    pile = 0;
    for c in text.chars() {
        pile = if is_combining_mark(c) { pile + 1 } else { 0 };
        match pile {
            0..=MAX_MARKS => out.push(c),
            9 => out.push_str("\\u{…}"),
            _ => {}
        }
    }
    Cow::Owned(out)
}

fn is_combining_mark(c: char) -> bool {
    !c.is_ascii() && c.width() == Some(0)
}

struct LineWrapper<'a> {
    columns: usize,
    prefix: &'a RowPrefix,
    rows: Vec<Line<'static>>,
    row: Vec<(String, Style)>,
    used: usize,
    /// Width of this row's prefix in columns.
    prefix_width: usize,
    /// Length of this row's prefix in bytes.
    prefix_len: usize,
    /// Width of the wider prefix. Text that fits after it fits on any row.
    margin: usize,
    space: Vec<(String, Style)>,
    space_width: usize,
    word: Vec<(String, Style)>,
    word_width: usize,
}

impl<'a> LineWrapper<'a> {
    fn new(columns: usize, prefix: &'a RowPrefix) -> LineWrapper<'a> {
        let mut wrapper = LineWrapper {
            columns: columns.max(1),
            prefix,
            rows: Vec::new(),
            row: Vec::new(),
            used: 0,
            prefix_width: 0,
            prefix_len: 0,
            margin: 0,
            space: Vec::new(),
            space_width: 0,
            word: Vec::new(),
            word_width: 0,
        };
        wrapper.start_row(&prefix.next);
        let next = wrapper.prefix_width;
        wrapper.start_row(&prefix.first);
        wrapper.margin = wrapper.prefix_width.max(next);
        wrapper
    }

    fn start_row(&mut self, prefix: &[Span<'static>]) {
        let taken: usize = prefix.iter().map(|span| width(&span.content)).sum();
        // Drop a prefix that leaves no room for a wide character.
        let fits = taken + 2 <= self.columns;
        self.row =
            if fits { prefix.iter().map(|span| (span.content.to_string(), span.style)).collect() } else { vec![] };
        self.used = if fits { taken } else { 0 };
        self.prefix_width = self.used;
        self.prefix_len = self.row.iter().map(|(text, _)| text.len()).sum();
    }

    fn push_grapheme(&mut self, grapheme: &str, columns: usize, style: Style) {
        if columns == 0 || grapheme.contains(char::is_control) {
            return;
        }
        if self.margin + columns > self.columns && columns > 1 {
            return self.push_grapheme("?", 1, style);
        }
        if grapheme == " " {
            self.end_word();
            push_text(&mut self.space, grapheme, style);
            self.space_width += columns;
            return;
        }
        // Wide scripts without spaces may break anywhere.
        if columns > 1 {
            self.end_word();
        }
        if self.margin + self.word_width + columns > self.columns {
            self.end_word();
        }
        push_text(&mut self.word, grapheme, style);
        self.word_width += columns;
        if columns > 1 {
            self.end_word();
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        if self.used + self.space_width + self.word_width > self.columns {
            let indents =
                self.rows.is_empty() && self.used == self.prefix_width && self.used + self.space_width < self.columns;
            if indents && self.space_width > 0 {
                return self.break_word();
            }
            // Drop spaces at a line break, and rows of spaces only.
            self.space.clear();
            self.space_width = 0;
            if self.used > self.prefix_width || self.used + self.word_width > self.columns {
                self.end_row();
            }
        }
        self.used += self.space_width + self.word_width;
        for (text, style) in self.space.drain(..).chain(self.word.drain(..)) {
            push_text(&mut self.row, &text, style);
        }
        (self.space_width, self.word_width) = (0, 0);
    }

    /// Breaks the first word of an indented line at the row end, because it does not fit after the indentation.
    fn break_word(&mut self) {
        self.used += self.space_width;
        for (text, style) in self.space.drain(..) {
            push_text(&mut self.row, &text, style);
        }
        (self.space_width, self.word_width) = (0, 0);
        for (text, style) in std::mem::take(&mut self.word) {
            for grapheme in text.graphemes(true) {
                let columns = grapheme_width(grapheme);
                if self.used + columns > self.columns {
                    self.end_row();
                }
                push_text(&mut self.row, grapheme, style);
                self.used += columns;
            }
        }
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        self.rows.push(Line::from(row.into_iter().map(|(text, style)| Span::styled(text, style)).collect::<Vec<_>>()));
        let prefix = self.prefix;
        self.start_row(&prefix.next);
    }

    fn into_open(mut self) -> (Vec<Line<'static>>, Vec<Span<'static>>) {
        self.end_word();
        let mut before = self.prefix_len;
        let words = |(mut text, style): (String, Style)| {
            let cut = before.min(text.len());
            before -= cut;
            text.drain(..cut);
            (!text.is_empty()).then(|| Span::styled(text, style))
        };
        let rest = self.row.into_iter().filter_map(words).collect();
        (self.rows, rest)
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        self.end_word();
        self.end_row();
        self.rows
    }
}

fn push_text(row: &mut Vec<(String, Style)>, text: &str, style: Style) {
    match row.last_mut() {
        Some((last, last_style)) if *last_style == style => last.push_str(text),
        Some(_) | None => row.push((text.to_string(), style)),
    }
}

/// Expands tabs in the spans of one line.
pub fn expand_span_tabs(spans: Vec<Span<'static>>) -> Vec<Span<'static>> {
    let mut column = 0;
    let expand = |span: Span<'static>| {
        let shown = expand_tabs(&span.content, column).into_owned();
        column += width(&shown);
        Span::styled(shown, span.style)
    };
    spans.into_iter().map(expand).collect()
}

#[cfg(test)]
mod tests;

//! Text from outside, made fit for a screen (TL-10, UI-2): nothing in it can steer the terminal or hide, and lines are cut and
//! wrapped by what they take on the screen, not by bytes.

use cutonce_core::harmless;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns between tab stops.
const TAB: usize = 4;
/// Marks on one letter; what piles up more of them than any script needs only smears over other rows.
const MARKS: usize = 8;

/// Everything is shown, since somebody may have to judge it: escape sequences as text, invisible and direction-changing
/// characters as `\u{..}`. Newlines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let text = harmless::visible(text);
    if text.is_ascii() { text } else { without_piles(text) }
}

/// What a program printed: sequences that only colour, or erase to the end of the line, are dropped. The rest is for
/// `visible`. Not for what somebody has to judge.
pub fn unpainted(text: &str) -> Cow<'_, str> {
    if text.contains('\x1b') { Cow::Owned(without_paint(text)) } else { Cow::Borrowed(text) }
}

/// On one line: line ends are shown as `⏎`, tabs as spaces. For names, commands in a row, titles.
pub fn one_line(text: &str) -> String {
    let shown = visible(text.trim_end());
    if !shown.contains(['\n', '\t']) {
        return shown.into_owned();
    }
    shown.replace('\n', " ⏎ ").replace('\t', " ")
}

/// The first `most` characters, with a word about how many more there are. For what may be a megabyte long.
pub fn bounded(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((at, _)) => {
            let left = text[at..].chars().count();
            Cow::Owned(format!("{}… {} more characters", &text[..at], grouped(left as u64)))
        }
    }
}

/// Bytes that may be no UTF-8: each wrong one is replaced.
pub fn from_bytes(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// Columns on the screen.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(cell).sum() }
}

pub fn line_width(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| width(&span.content)).sum()
}

/// At most this many columns; what is cut off ends in `…`.
pub fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    Cow::Owned(format!("{}…", head(text, room)))
}

/// Like `fit`, but the end stays: for paths, whose last part tells them apart.
pub fn fit_end(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    let mut used = 0;
    let mut from = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += cell(grapheme);
        if used > room {
            break;
        }
        from = at;
    }
    Cow::Owned(format!("…{}", &text[from..]))
}

/// Cut or filled with spaces to exactly this many columns.
pub fn padded(text: &str, columns: usize) -> String {
    let mut out = fit(text, columns).into_owned();
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(width(&out))));
    out
}

/// A line cut to this many columns, its styles kept.
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
            out.spans.push(Span::styled(format!("{}…", head(&span.content, room)), span.style));
        }
        break;
    }
    out
}

/// Tabs become spaces up to the next stop; `column` is where the text begins.
pub fn expand_tabs(text: &str, column: usize) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + TAB);
    let mut at = column;
    for (n, piece) in text.split('\t').enumerate() {
        if n > 0 {
            let fill = TAB - at % TAB;
            out.extend(std::iter::repeat_n(' ', fill));
            at += fill;
        }
        at += width(piece);
        out.push_str(piece);
    }
    Cow::Owned(out)
}

/// What begins the rows of a wrapped line.
#[derive(Debug, Clone, Default)]
pub struct Prefix {
    pub first: Vec<Span<'static>>,
    pub next: Vec<Span<'static>>,
}

impl Prefix {
    /// The same spaces before every row.
    pub fn spaces(columns: usize) -> Prefix {
        let spaces = vec![Span::raw(" ".repeat(columns))];
        Prefix { first: spaces.clone(), next: spaces }
    }
}

/// One line as rows of at most `columns`, broken between words where that is possible. There is always a row.
pub fn wrap(line: &Line<'_>, columns: usize, prefix: &Prefix) -> Vec<Line<'static>> {
    wrapped(line, columns, prefix).finish()
}

fn wrapped<'p>(line: &Line<'_>, columns: usize, prefix: &'p Prefix) -> Wrapper<'p> {
    let mut wrapper = Wrapper::new(columns, prefix);
    for span in &line.spans {
        let style = line.style.patch(span.style);
        if span.content.is_ascii() {
            for at in 0..span.content.len() {
                wrapper.grapheme(span.content.get(at..=at).unwrap_or_default(), 1, style);
            }
        } else {
            span.content.graphemes(true).for_each(|grapheme| wrapper.grapheme(grapheme, cell(grapheme), style));
        }
    }
    wrapper
}

/// The rows of a line that goes on: all but the last, which later words may join, and the words of that one.
pub fn wrap_open(line: &Line<'_>, columns: usize, prefix: &Prefix) -> (Vec<Line<'static>>, Vec<Span<'static>>) {
    wrapped(line, columns, prefix).open()
}

/// Rows of unstyled text from outside, made visible first.
pub fn wrap_plain(text: &str, columns: usize, style: Style) -> Vec<Line<'static>> {
    let shown = visible(text);
    let rows = shown.lines().flat_map(|line| {
        let line = Line::styled(expand_tabs(line, 0).into_owned(), style);
        wrap(&line, columns, &Prefix::default())
    });
    rows.collect()
}

/// The text of a line without its styles.
pub fn plain(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}

/// Columns of one grapheme; those of width nothing are not drawn at all.
fn cell(grapheme: &str) -> usize {
    match grapheme {
        "\t" => 1,
        _ => UnicodeWidthStr::width(grapheme),
    }
}

fn head(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += cell(grapheme);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

fn without_paint(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match painting(rest) {
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

/// The length of a sequence at the start that only colours or erases the rest of a line.
fn painting(text: &str) -> Option<usize> {
    let bytes = text.strip_prefix("\x1b[")?.as_bytes();
    let parameters = bytes.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')).count();
    match bytes.get(parameters)? {
        b'm' | b'K' => Some(2 + parameters + 1),
        _ => None,
    }
}

/// Shows what is invisible and not in core's list, and ends piles of marks.
fn without_piles(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut pile = 0;
    let mut fine = true;
    for c in text.chars() {
        pile = if is_mark(c) { pile + 1 } else { 0 };
        fine &= pile <= MARKS;
    }
    if fine {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    pile = 0;
    for c in text.chars() {
        pile = if is_mark(c) { pile + 1 } else { 0 };
        match pile {
            0..=MARKS => out.push(c),
            9 => out.push_str("\\u{…}"),
            _ => {}
        }
    }
    Cow::Owned(out)
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.width() == Some(0)
}

struct Wrapper<'a> {
    columns: usize,
    prefix: &'a Prefix,
    rows: Vec<Line<'static>>,
    row: Vec<(String, Style)>,
    used: usize,
    /// Columns of the prefix of this row.
    begins: usize,
    /// Bytes of it.
    prefixed: usize,
    /// The wider of both prefixes: what fits beside it fits on any row.
    margin: usize,
    space: Vec<(String, Style)>,
    space_width: usize,
    word: Vec<(String, Style)>,
    word_width: usize,
}

impl<'a> Wrapper<'a> {
    fn new(columns: usize, prefix: &'a Prefix) -> Wrapper<'a> {
        let mut wrapper = Wrapper {
            columns: columns.max(1),
            prefix,
            rows: Vec::new(),
            row: Vec::new(),
            used: 0,
            begins: 0,
            prefixed: 0,
            margin: 0,
            space: Vec::new(),
            space_width: 0,
            word: Vec::new(),
            word_width: 0,
        };
        wrapper.begin(&prefix.next);
        let next = wrapper.begins;
        wrapper.begin(&prefix.first);
        wrapper.margin = wrapper.begins.max(next);
        wrapper
    }

    fn begin(&mut self, prefix: &[Span<'static>]) {
        let taken: usize = prefix.iter().map(|span| width(&span.content)).sum();
        // A prefix that leaves no room for a wide character is no use.
        let fits = taken + 2 <= self.columns;
        self.row =
            if fits { prefix.iter().map(|span| (span.content.to_string(), span.style)).collect() } else { vec![] };
        self.used = if fits { taken } else { 0 };
        self.begins = self.used;
        self.prefixed = self.row.iter().map(|(text, _)| text.len()).sum();
    }

    fn grapheme(&mut self, grapheme: &str, columns: usize, style: Style) {
        if columns == 0 || grapheme.contains(char::is_control) {
            return;
        }
        if self.margin + columns > self.columns && columns > 1 {
            return self.grapheme("?", 1, style);
        }
        if grapheme == " " {
            self.end_word();
            push(&mut self.space, grapheme, style);
            self.space_width += columns;
            return;
        }
        // Scripts without spaces break anywhere.
        if columns > 1 {
            self.end_word();
        }
        if self.margin + self.word_width + columns > self.columns {
            self.end_word();
        }
        push(&mut self.word, grapheme, style);
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
                self.rows.is_empty() && self.used == self.begins && self.used + self.space_width < self.columns;
            if indents && self.space_width > 0 {
                return self.break_word();
            }
            // Spaces at a break vanish; a row that would hold only them, too.
            self.space.clear();
            self.space_width = 0;
            if self.used > self.begins || self.used + self.word_width > self.columns {
                self.end_row();
            }
        }
        self.used += self.space_width + self.word_width;
        for (text, style) in self.space.drain(..).chain(self.word.drain(..)) {
            push(&mut self.row, &text, style);
        }
        (self.space_width, self.word_width) = (0, 0);
    }

    /// The first word of an indented line does not fit beside its indentation: it is broken where the row ends.
    fn break_word(&mut self) {
        self.used += self.space_width;
        for (text, style) in self.space.drain(..) {
            push(&mut self.row, &text, style);
        }
        (self.space_width, self.word_width) = (0, 0);
        for (text, style) in std::mem::take(&mut self.word) {
            for grapheme in text.graphemes(true) {
                let columns = cell(grapheme);
                if self.used + columns > self.columns {
                    self.end_row();
                }
                push(&mut self.row, grapheme, style);
                self.used += columns;
            }
        }
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        self.rows.push(Line::from(row.into_iter().map(|(text, style)| Span::styled(text, style)).collect::<Vec<_>>()));
        let prefix = self.prefix;
        self.begin(&prefix.next);
    }

    fn open(mut self) -> (Vec<Line<'static>>, Vec<Span<'static>>) {
        self.end_word();
        let mut before = self.prefixed;
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

fn push(row: &mut Vec<(String, Style)>, text: &str, style: Style) {
    match row.last_mut() {
        Some((last, last_style)) if *last_style == style => last.push_str(text),
        Some(_) | None => row.push((text.to_string(), style)),
    }
}

/// Spans of one line with their tabs as blanks, counted from its start.
pub fn expanded(spans: Vec<Span<'static>>) -> Vec<Span<'static>> {
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

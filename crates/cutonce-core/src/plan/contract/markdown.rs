//! Lines of markdown with the little structure that a contract needs: headings, list items, code.

use crate::text::front_matter::front_matter_lines;

/// One line of a plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlanLine<'a> {
    /// Number in the text, from 1.
    pub number: u32,
    /// Columns before the first character; a tab counts as four.
    pub indent: usize,
    /// Text without indentation.
    pub text: &'a str,
    pub kind: LineKind<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind<'a> {
    /// Nothing to read: blank, a comment, front matter.
    Blank,
    /// A heading; a line that is bold as a whole has level 7.
    Heading {
        level: usize,
        text: &'a str,
    },
    Item {
        marker: ItemMarker,
        text: &'a str,
    },
    /// The first line of a code block, with its language.
    Fence {
        language: &'a str,
    },
    /// The last line of a code block.
    FenceEnd,
    /// A line inside a code block.
    Code,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemMarker {
    Bullet,
    Checkbox,
    Ordered(u32),
}

impl<'a> PlanLine<'a> {
    /// Text without the list marker; empty for code.
    pub fn content(&self) -> &'a str {
        match self.kind {
            LineKind::Item { text, .. } | LineKind::Heading { text, .. } => text,
            LineKind::Text => self.text,
            LineKind::Blank | LineKind::Fence { .. } | LineKind::FenceEnd | LineKind::Code => "",
        }
    }
    pub fn is_code(&self) -> bool {
        matches!(self.kind, LineKind::Code | LineKind::Fence { .. } | LineKind::FenceEnd)
    }
}

/// Maximum number of lines of a plan's front matter.
const MAX_FRONT_MATTER: u32 = 200;

/// State between lines.
#[derive(Default)]
struct LineReader<'a> {
    /// Character and length of the fence of the current code block.
    fence: Option<(char, usize)>,
    in_comment: bool,
    /// Lines that the front matter takes.
    front_matter: u32,
    lines: Vec<PlanLine<'a>>,
}

/// Splits a plan into lines and classifies them.
pub(super) fn read_lines(text: &str) -> Vec<PlanLine<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = LineReader::default();
    let mut lines = text.split('\n').peekable();
    reader.front_matter = match u32::try_from(front_matter_lines(text)) {
        Ok(lines) if lines <= MAX_FRONT_MATTER => lines,
        // A rule in the first line and another one far below.
        Ok(_) | Err(_) => 0,
    };
    let mut number = 0_u32;
    while let Some(raw) = lines.next() {
        number = number.saturating_add(1);
        if raw.is_empty() && lines.peek().is_none() {
            break;
        }
        reader.read_line(number, raw.strip_suffix('\r').unwrap_or(raw));
    }
    reader.lines
}

impl<'a> LineReader<'a> {
    fn read_line(&mut self, number: u32, raw: &'a str) {
        let text = raw.trim_start_matches([' ', '\t']);
        let indent = raw[..raw.len() - text.len()].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum();
        let text = text.trim_end();
        let kind = self.classify(number, indent, text);
        // A setext heading underlines the line before.
        if kind == LineKind::Text && is_underline(text) && self.underline_previous(text) {
            return self.lines.push(PlanLine { number, indent, text: "", kind: LineKind::Blank });
        }
        self.lines.push(PlanLine { number, indent, text, kind });
    }

    fn classify(&mut self, number: u32, indent: usize, text: &'a str) -> LineKind<'a> {
        if number <= self.front_matter {
            return LineKind::Blank;
        }
        if let Some((mark, length)) = self.fence {
            let closes = text.chars().all(|c| c == mark) && text.chars().count() >= length;
            if closes {
                self.fence = None;
                return LineKind::FenceEnd;
            }
            return LineKind::Code;
        }
        if self.in_comment {
            self.in_comment = !text.contains("-->");
            return LineKind::Blank;
        }
        if text.starts_with("<!--") {
            self.in_comment = !text.contains("-->");
            return LineKind::Blank;
        }
        if let Some(mark) = text.chars().next().filter(|c| matches!(c, '`' | '~')) {
            let length = text.chars().take_while(|c| *c == mark).count();
            let language = text[length..].trim();
            if length >= 3 && !(mark == '`' && language.contains('`')) {
                self.fence = Some((mark, length));
                return LineKind::Fence { language };
            }
        }
        match text {
            "" => LineKind::Blank,
            _ if indent < 4 && heading(text).is_some() => heading(text).unwrap_or(LineKind::Text),
            _ => item(text).or_else(|| bold_heading(text, indent)).unwrap_or(LineKind::Text),
        }
    }

    fn underline_previous(&mut self, text: &str) -> bool {
        let level = if text.starts_with('=') { 1 } else { 2 };
        let two_above = self.lines.len().checked_sub(2).and_then(|at| self.lines.get(at)).map(|line| line.kind);
        let alone = matches!(two_above, None | Some(LineKind::Blank | LineKind::Heading { .. }));
        match self.lines.last_mut() {
            Some(line) if line.kind == LineKind::Text && line.indent < 4 && alone => {
                line.kind = LineKind::Heading { level, text: line.text };
                true
            }
            _ => false,
        }
    }
}

fn is_underline(text: &str) -> bool {
    text.len() >= 2 && (text.chars().all(|c| c == '=') || text.chars().all(|c| c == '-'))
}

fn heading(text: &str) -> Option<LineKind<'_>> {
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    let words = rest.trim().trim_end_matches('#').trim_end();
    let spaced = rest.starts_with([' ', '\t']);
    ((1..=6).contains(&level) && spaced && !words.is_empty()).then_some(LineKind::Heading { level, text: words })
}

/// A whole line in bold, as `**Steps**` or `**Steps:**`, works as a heading for readers.
fn bold_heading(text: &str, indent: usize) -> Option<LineKind<'_>> {
    let bare = text.strip_suffix([':', '：']).unwrap_or(text);
    let inner = bare.strip_prefix("**")?.strip_suffix("**")?;
    let plain = !inner.is_empty() && !inner.contains("**") && indent < 2;
    plain.then_some(LineKind::Heading { level: 7, text: inner })
}

fn item(text: &str) -> Option<LineKind<'_>> {
    let (marker, rest) = match text.as_bytes().first()? {
        b'-' | b'*' | b'+' => (ItemMarker::Bullet, &text[1..]),
        b'0'..=b'9' => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            let rest = text[digits..].strip_prefix(['.', ')', '、'])?;
            // CommonMark allows nine digits.
            let number = text[..digits].parse().ok().filter(|_| digits <= 9)?;
            // Chinese and Japanese lists need no space.
            if text[digits..].starts_with('、') {
                return Some(LineKind::Item { marker: ItemMarker::Ordered(number), text: rest.trim_start() });
            }
            (ItemMarker::Ordered(number), rest)
        }
        _ => return None,
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let rest = rest.trim_start();
    match (marker, checkbox(rest)) {
        (ItemMarker::Bullet, Some(text)) => Some(LineKind::Item { marker: ItemMarker::Checkbox, text }),
        (_, Some(text)) => Some(LineKind::Item { marker, text }),
        (_, None) => Some(LineKind::Item { marker, text: rest }),
    }
}

/// Text after a checkbox.
pub(super) fn checkbox(text: &str) -> Option<&str> {
    ["[ ]", "[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark)).map(str::trim_start)
}

/// Text without emphasis marks outside code, and without a trailing colon.
pub(super) fn without_emphasis(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    let chars: Vec<char> = text.chars().collect();
    let word = |at: Option<&char>| at.is_some_and(|c| c.is_alphanumeric());
    for (at, c) in chars.iter().enumerate() {
        in_code ^= *c == '`';
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        let marks = match c {
            '*' => {
                before != Some(&'/') && after != Some(&'/') && (word(before) || word(after) || is_mark(before, after))
            }
            '_' => !(word(before) && word(after)),
            _ => false,
        };
        if in_code || !marks {
            out.push(*c);
        }
    }
    out.trim().trim_end_matches([':', '：']).trim_end().to_string()
}

fn is_mark(before: Option<&char>, after: Option<&char>) -> bool {
    let edge = |c: Option<&char>| c.is_none_or(|c| matches!(c, '*' | ' ' | ':' | '：' | '`' | '.' | ',' | ')' | '('));
    edge(before) && edge(after) && !(before == Some(&' ') && after == Some(&' '))
}

/// The code spans of a line, with the text before each one; the rest of the line comes last.
pub(super) fn code_spans(text: &str) -> (Vec<(&str, &str)>, &str) {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].bytes().take_while(|byte| *byte == b'`').count();
        let fence = &rest[start..start + ticks];
        let inner = &rest[start + ticks..];
        let Some(end) = inner.find(fence) else { break };
        spans.push((&rest[..start], inner[..end].trim()));
        rest = inner[end..].trim_start_matches('`');
    }
    (spans, rest)
}

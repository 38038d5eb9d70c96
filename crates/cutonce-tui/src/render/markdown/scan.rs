//! Line-by-line detection of markdown units, without parsing their content.

use crate::render::text;

/// Maximum nesting of quotes and items that is searched for text.
const MAX_NESTING: usize = 8;
/// Bytes after which a paragraph without a split point is kept whole.
const MAX_SPLIT_SEARCH: usize = 4 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A blank line, or no unit at all.
    Blank,
    /// A paragraph, a table, HTML or indented code: everything that ends with a blank line.
    Text,
    Heading,
    Rule,
    Quote,
    /// A list item, with everything indented below it.
    Item,
    Fence,
}

pub fn unit_kind(line: &str) -> UnitKind {
    let trimmed = line.trim_start_matches([' ', '\t']);
    let indent = line.len() - trimmed.len();
    if trimmed.trim().is_empty() {
        return UnitKind::Blank;
    }
    if indent > 3 || line.starts_with('\t') {
        return UnitKind::Text;
    }
    match trimmed.as_bytes().first() {
        Some(b'#') if is_heading(trimmed) => UnitKind::Heading,
        Some(b'>') => UnitKind::Quote,
        Some(b'`' | b'~') if CodeFence::parse(line).is_some() => UnitKind::Fence,
        Some(b'-' | b'*' | b'_') if is_rule(trimmed) => UnitKind::Rule,
        _ if parse_marker(trimmed).is_some() => UnitKind::Item,
        _ => UnitKind::Text,
    }
}

/// True if this item may start directly below text. Numbers other than 1 are more likely part of a sentence.
pub fn may_interrupt_text(line: &str) -> bool {
    let trimmed = line.trim_start();
    let empty = parse_marker(trimmed).is_some_and(|marker| trimmed[marker.width..].trim().is_empty());
    !empty && (trimmed.starts_with(['-', '*', '+']) || trimmed.starts_with("1.") || trimmed.starts_with("1)"))
}

/// True if this open unit is plain text. A table, HTML or indented code ends with its item or quote.
pub fn is_paragraph(open: &str) -> bool {
    let dashes = |line: &str| line.contains('-') && line.contains('|') && line.chars().all(|c| "|-: ".contains(c));
    !open.starts_with("    ") && !open.trim_start().starts_with('<') && !open.lines().skip(1).any(dashes)
}

/// True if this line is certainly paragraph text, in any container.
pub fn is_paragraph_text(line: &str) -> bool {
    let mut rest = line;
    for _ in 0..MAX_NESTING {
        let trimmed = rest.trim_start_matches(' ');
        rest = match (unit_kind(rest), parse_marker(trimmed)) {
            (UnitKind::Quote, _) => trimmed.get(1..).unwrap_or_default(),
            (UnitKind::Item, Some(marker)) => {
                let words = trimmed.get(marker.width..).unwrap_or_default();
                split_task(words.trim_start()).map_or(words, |(_, words)| words)
            }
            (UnitKind::Text, _) => {
                return rest.len() - trimmed.len() <= 3 && !trimmed.starts_with(['<', '[', '|', '\t']);
            }
            (UnitKind::Blank | UnitKind::Heading | UnitKind::Rule | UnitKind::Item | UnitKind::Fence, _) => {
                return false;
            }
        };
    }
    false
}

/// Finds a split point in `line`, which continues `open`: between words, after at least `least` bytes, and outside of
/// open emphasis, code and links.
pub fn find_split(open: &str, line: &str, least: usize) -> Option<usize> {
    let mut marks = InlineMarks::default();
    let mut before = ' ';
    let mut all = open.chars().map(|c| (None, c)).chain(line.char_indices().map(|(at, c)| (Some(at), c))).peekable();
    while let Some((at, c)) = all.next() {
        let behind = all.peek().map_or(' ', |(_, c)| *c);
        let so_far = open.len() + at.unwrap_or_default();
        let between = c == ' ' && behind.is_alphabetic() && !matches!(before, ' ' | '\\');
        if let Some(at) = at.filter(|_| so_far >= least && between && marks.are_closed()) {
            return Some(at + 1);
        }
        if so_far > MAX_SPLIT_SEARCH {
            return None;
        }
        marks.track_char(before, c, behind);
        before = c;
    }
    None
}

/// Counts of inline marks in a paragraph so far.
#[derive(Debug, Default)]
struct InlineMarks {
    ticks: usize,
    stars: usize,
    underscores: usize,
    tildes: usize,
    brackets: usize,
    parentheses: usize,
    angles: usize,
    bars: usize,
}

impl InlineMarks {
    fn track_char(&mut self, before: char, c: char, behind: char) {
        let in_code = !self.ticks.is_multiple_of(2);
        // In a run of the same mark only the first is tracked: a run of two opens and closes as one.
        let further = before == c && matches!(c, '`' | '*' | '_' | '~');
        if further || before == '\\' || (in_code && c != '`') {
            return;
        }
        let alone = before.is_whitespace() && behind.is_whitespace();
        let inside = before.is_alphanumeric() && behind.is_alphanumeric();
        match c {
            '`' => self.ticks += 1,
            '*' if !alone => self.stars += 1,
            '_' if !alone && !inside => self.underscores += 1,
            '~' if !alone => self.tildes += 1,
            '[' => self.brackets += 1,
            ']' => self.brackets = self.brackets.saturating_sub(1),
            '(' => self.parentheses += 1,
            ')' => self.parentheses = self.parentheses.saturating_sub(1),
            '<' if !alone => self.angles += 1,
            '>' => self.angles = self.angles.saturating_sub(1),
            '|' => self.bars += 1,
            _ => {}
        }
    }

    fn are_closed(&self) -> bool {
        let pairs = [self.ticks, self.stars, self.underscores, self.tildes];
        let open = self.brackets + self.parentheses + self.angles + self.bars;
        open == 0 && pairs.iter().all(|count| count.is_multiple_of(2))
    }
}

/// End of the last word within `most` bytes, or else of the last character.
pub fn split_at_word(line: &str, most: usize) -> usize {
    let end = line.floor_char_boundary(most);
    line[..end].rfind(' ').map(|at| at + 1).filter(|at| *at > most / 2).unwrap_or(end.max(1))
}

fn is_heading(trimmed: &str) -> bool {
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    level <= 6 && matches!(trimmed.as_bytes().get(level), None | Some(b' ' | b'\t'))
}

fn is_rule(trimmed: &str) -> bool {
    let mark = trimmed.as_bytes().first().copied().unwrap_or_default();
    let marks = trimmed.bytes().filter(|byte| *byte == mark).count();
    marks >= 3 && trimmed.bytes().all(|byte| byte == mark || byte == b' ' || byte == b'\t')
}

/// Marker of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListMarker {
    /// The bullet, or the character after the number. A different one starts a new list.
    pub mark: u8,
    pub number: Option<u64>,
    pub width: usize,
}

/// Parses the marker at the start of an unindented line.
pub fn parse_marker(trimmed: &str) -> Option<ListMarker> {
    let bytes = trimmed.as_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = *bytes.get(digits)?;
    let number = match mark {
        b'-' | b'*' | b'+' if digits == 0 => None,
        b'.' | b')' if (1..=9).contains(&digits) => Some(trimmed[..digits].parse().ok()?),
        _ => return None,
    };
    let width = digits + 1;
    matches!(bytes.get(width), None | Some(b' ' | b'\t')).then_some(ListMarker { mark, number, width })
}

/// Splits a task checkbox from the text of an item.
pub fn split_task(words: &str) -> Option<(&'static str, &str)> {
    let boxes = [("[ ] ", "[ ] "), ("[x] ", "[x] "), ("[X] ", "[x] ")];
    boxes.into_iter().find_map(|(written, shown)| Some((shown, words.strip_prefix(written)?)))
}

/// Opening fence of a code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFence {
    mark: u8,
    length: usize,
    indent: usize,
    pub language: String,
}

impl CodeFence {
    pub fn parse(line: &str) -> Option<CodeFence> {
        let trimmed = line.trim_start_matches(' ');
        let indent = line.len() - trimmed.len();
        let mark = *trimmed.as_bytes().first()?;
        let length = trimmed.bytes().take_while(|byte| *byte == mark).count();
        let info = trimmed.get(length..)?.trim();
        let fits = indent <= 3 && length >= 3 && matches!(mark, b'`' | b'~') && !(mark == b'`' && info.contains('`'));
        let language = text::one_line(info.split([' ', ',', '{']).next().unwrap_or_default());
        fits.then_some(CodeFence { mark, length, indent, language })
    }

    pub fn is_closed_by(&self, line: &str) -> bool {
        let trimmed = line.trim();
        let indent = line.len() - line.trim_start().len();
        indent <= 3 && trimmed.len() >= self.length && trimmed.bytes().all(|byte| byte == self.mark)
    }

    /// Removes the fence's own indentation from a code line.
    pub fn strip_indent<'a>(&self, line: &'a str) -> &'a str {
        let spaces = line.bytes().take_while(|byte| *byte == b' ').count();
        line.get(spaces.min(self.indent)..).unwrap_or_default()
    }
}

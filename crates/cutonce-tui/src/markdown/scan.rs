//! Where a unit of markdown ends, line by line, without parsing what is in it.

use crate::text;

/// Quotes and items in one another that are looked into for words.
const MOST_NESTED: usize = 8;
/// A paragraph of which nothing could be cut off so far is kept whole.
const FARTHEST: usize = 4 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A blank line, or no unit at all.
    Nothing,
    /// A paragraph, a table, HTML, indented code: all that ends with a blank line.
    Text,
    Heading,
    Rule,
    Quote,
    /// An item of a list, with all that is indented below it.
    Item,
    Fence,
}

pub fn kind(line: &str) -> Kind {
    let trimmed = line.trim_start_matches([' ', '\t']);
    let indent = line.len() - trimmed.len();
    if trimmed.trim().is_empty() {
        return Kind::Nothing;
    }
    if indent > 3 || line.starts_with('\t') {
        return Kind::Text;
    }
    match trimmed.as_bytes().first() {
        Some(b'#') if heading(trimmed) => Kind::Heading,
        Some(b'>') => Kind::Quote,
        Some(b'`' | b'~') if Fence::opened_by(line).is_some() => Kind::Fence,
        Some(b'-' | b'*' | b'_') if rule(trimmed) => Kind::Rule,
        _ if marker(trimmed).is_some() => Kind::Item,
        _ => Kind::Text,
    }
}

/// May this item begin right below a line of text? Numbers other than 1 are more likely part of a sentence.
pub fn interrupts(line: &str) -> bool {
    let trimmed = line.trim_start();
    let empty = marker(trimmed).is_some_and(|marker| trimmed[marker.width..].trim().is_empty());
    !empty && (trimmed.starts_with(['-', '*', '+']) || trimmed.starts_with("1.") || trimmed.starts_with("1)"))
}

/// Is this open unit words only? A table, HTML or indented code ends with the item or quote that it is in.
pub fn is_paragraph(open: &str) -> bool {
    let dashes = |line: &str| line.contains('-') && line.contains('|') && line.chars().all(|c| "|-: ".contains(c));
    !open.starts_with("    ") && !open.trim_start().starts_with('<') && !open.lines().skip(1).any(dashes)
}

/// Is this line words of a paragraph, whatever it stands in? Not what may turn out to be something else.
pub fn is_words(line: &str) -> bool {
    let mut rest = line;
    for _ in 0..MOST_NESTED {
        let trimmed = rest.trim_start_matches(' ');
        rest = match (kind(rest), marker(trimmed)) {
            (Kind::Quote, _) => trimmed.get(1..).unwrap_or_default(),
            (Kind::Item, Some(marker)) => {
                let words = trimmed.get(marker.width..).unwrap_or_default();
                task(words.trim_start()).map_or(words, |(_, words)| words)
            }
            (Kind::Text, _) => return rest.len() - trimmed.len() <= 3 && !trimmed.starts_with(['<', '[', '|', '\t']),
            (Kind::Nothing | Kind::Heading | Kind::Rule | Kind::Item | Kind::Fence, _) => return false,
        };
    }
    false
}

/// Where in `line`, which goes on with `open`, a paragraph can be cut in two: between words, not before so many bytes, and where no
/// mark of emphasis, code or a link is open that what follows could close.
pub fn cut_words(open: &str, line: &str, least: usize) -> Option<usize> {
    let mut marks = Marks::default();
    let mut before = ' ';
    let mut all = open.chars().map(|c| (None, c)).chain(line.char_indices().map(|(at, c)| (Some(at), c))).peekable();
    while let Some((at, c)) = all.next() {
        let behind = all.peek().map_or(' ', |(_, c)| *c);
        let so_far = open.len() + at.unwrap_or_default();
        let between = c == ' ' && behind.is_alphabetic() && !matches!(before, ' ' | '\\');
        if let Some(at) = at.filter(|_| so_far >= least && between && marks.are_closed()) {
            return Some(at + 1);
        }
        if so_far > FARTHEST {
            return None;
        }
        marks.see(before, c, behind);
        before = c;
    }
    None
}

/// Marks of a paragraph so far.
#[derive(Debug, Default)]
struct Marks {
    ticks: usize,
    stars: usize,
    lines: usize,
    waves: usize,
    brackets: usize,
    parentheses: usize,
    angles: usize,
    bars: usize,
}

impl Marks {
    fn see(&mut self, before: char, c: char, behind: char) {
        let in_code = !self.ticks.is_multiple_of(2);
        // Of a run of the same mark the first one counts: what opens with two closes with two.
        let further = before == c && matches!(c, '`' | '*' | '_' | '~');
        if further || before == '\\' || (in_code && c != '`') {
            return;
        }
        let alone = before.is_whitespace() && behind.is_whitespace();
        let inside = before.is_alphanumeric() && behind.is_alphanumeric();
        match c {
            '`' => self.ticks += 1,
            '*' if !alone => self.stars += 1,
            '_' if !alone && !inside => self.lines += 1,
            '~' if !alone => self.waves += 1,
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
        let pairs = [self.ticks, self.stars, self.lines, self.waves];
        let open = self.brackets + self.parentheses + self.angles + self.bars;
        open == 0 && pairs.iter().all(|count| count.is_multiple_of(2))
    }
}

/// The end of the last word before `most` bytes, or of the last character.
pub fn cut(line: &str, most: usize) -> usize {
    let end = line.floor_char_boundary(most);
    line[..end].rfind(' ').map(|at| at + 1).filter(|at| *at > most / 2).unwrap_or(end.max(1))
}

fn heading(trimmed: &str) -> bool {
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    level <= 6 && matches!(trimmed.as_bytes().get(level), None | Some(b' ' | b'\t'))
}

fn rule(trimmed: &str) -> bool {
    let mark = trimmed.as_bytes().first().copied().unwrap_or_default();
    let marks = trimmed.bytes().filter(|byte| *byte == mark).count();
    marks >= 3 && trimmed.bytes().all(|byte| byte == mark || byte == b' ' || byte == b'\t')
}

/// What begins an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    /// The bullet, or what stands behind the number; another one begins another list.
    pub mark: u8,
    pub number: Option<u64>,
    pub width: usize,
}

/// The marker at the start of a line without its indentation.
pub fn marker(trimmed: &str) -> Option<Marker> {
    let bytes = trimmed.as_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = *bytes.get(digits)?;
    let number = match mark {
        b'-' | b'*' | b'+' if digits == 0 => None,
        b'.' | b')' if (1..=9).contains(&digits) => Some(trimmed[..digits].parse().ok()?),
        _ => return None,
    };
    let width = digits + 1;
    matches!(bytes.get(width), None | Some(b' ' | b'\t')).then_some(Marker { mark, number, width })
}

/// The box of a task at the start of an item's words, and the words.
pub fn task(words: &str) -> Option<(&'static str, &str)> {
    let boxes = [("[ ] ", "[ ] "), ("[x] ", "[x] "), ("[X] ", "[x] ")];
    boxes.into_iter().find_map(|(written, shown)| Some((shown, words.strip_prefix(written)?)))
}

/// An open code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    mark: u8,
    length: usize,
    indent: usize,
    pub language: String,
}

impl Fence {
    pub fn opened_by(line: &str) -> Option<Fence> {
        let trimmed = line.trim_start_matches(' ');
        let indent = line.len() - trimmed.len();
        let mark = *trimmed.as_bytes().first()?;
        let length = trimmed.bytes().take_while(|byte| *byte == mark).count();
        let info = trimmed.get(length..)?.trim();
        let fits = indent <= 3 && length >= 3 && matches!(mark, b'`' | b'~') && !(mark == b'`' && info.contains('`'));
        let language = text::one_line(info.split([' ', ',', '{']).next().unwrap_or_default());
        fits.then_some(Fence { mark, length, indent, language })
    }

    pub fn closed_by(&self, line: &str) -> bool {
        let trimmed = line.trim();
        let indent = line.len() - line.trim_start().len();
        indent <= 3 && trimmed.len() >= self.length && trimmed.bytes().all(|byte| byte == self.mark)
    }

    /// A line of it without the fence's own indentation.
    pub fn stripped<'a>(&self, line: &'a str) -> &'a str {
        let spaces = line.bytes().take_while(|byte| *byte == b' ').count();
        line.get(spaces.min(self.indent)..).unwrap_or_default()
    }
}

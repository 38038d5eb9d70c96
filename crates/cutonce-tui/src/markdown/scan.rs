//! Where a unit of markdown ends, line by line, without parsing what is in it.

use crate::text;

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

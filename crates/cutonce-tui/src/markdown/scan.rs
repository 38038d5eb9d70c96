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

impl Kind {
    /// The kind that a line will have whose end has not come yet.
    pub fn of_start(line: &str) -> Kind {
        kind(line)
    }
}

pub fn kind(line: &str) -> Kind {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    if trimmed.is_empty() {
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

/// Belongs to the open item: indented, or nothing at all. After a blank line only what is indented does.
pub fn within_item(line: &str, gap: bool) -> bool {
    let indented = line.starts_with("  ") || line.starts_with('\t');
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    // A second-level item is indented by two or more; so is everything else within.
    indented && !trimmed.is_empty() && (gap || indent >= 2)
}

/// May this item begin right below a line of text? Numbers other than 1 are more likely part of a sentence.
pub fn interrupts(line: &str) -> bool {
    let trimmed = line.trim_start();
    let empty = marker(trimmed).is_some_and(|length| trimmed[length..].trim().is_empty());
    !empty && (trimmed.starts_with(['-', '*', '+']) || trimmed.starts_with("1.") || trimmed.starts_with("1)"))
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

/// The length of a list marker with the space behind it.
fn marker(trimmed: &str) -> Option<usize> {
    let bytes = trimmed.as_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let length = match bytes.get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    match bytes.get(length) {
        None => Some(length),
        Some(b' ' | b'\t') => Some(length + 1),
        Some(_) => None,
    }
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

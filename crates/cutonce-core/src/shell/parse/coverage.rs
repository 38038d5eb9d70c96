//! Checks that every byte of a command is explained. The walk marks the bytes it handled; the rest must be
//! operators, keywords, blanks and comments. This detects text that the parser skipped or misread, such as a
//! second here-document after a quoted one.

const KEYWORDS: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "-p", "{", "}",
];

/// The bytes of the source that the walk has handled.
pub(in crate::shell) struct SourceCoverage {
    explained: Vec<bool>,
}

impl SourceCoverage {
    pub fn new(len: usize) -> SourceCoverage {
        SourceCoverage { explained: vec![false; len] }
    }
    pub fn mark(&mut self, start: usize, end: usize) {
        if let Some(range) = self.explained.get_mut(start..end) {
            range.fill(true);
        }
    }
    /// Unmarks the inside of brackets, because it is walked separately. The brackets stay marked.
    pub fn unmark_inside(&mut self, start: usize, end: usize) {
        if let Some(range) = self.explained.get_mut(start..end)
            && range.len() > 2
        {
            range.fill(false);
            range[..2].fill(true);
            range[end - start - 1] = true;
        }
    }
    /// The first unexplained text.
    pub fn unexplained(&self, source: &str) -> Option<String> {
        let bytes = source.as_bytes();
        let mut token = Vec::new();
        let mut at = 0;
        while at <= bytes.len() {
            let byte = bytes.get(at).copied().filter(|_| !self.explained.get(at).copied().unwrap_or(true));
            match byte {
                Some(b'#') if token.is_empty() => at = line_end(bytes, at),
                Some(b'\\') if bytes.get(at + 1) == Some(&b'\n') => at += 1,
                Some(b) if !is_operator(b) => token.push(b),
                Some(_) | None => {
                    let text = String::from_utf8_lossy(&token).into_owned();
                    if !token.is_empty() && !KEYWORDS.contains(&text.as_str()) && !is_number(&text) {
                        return Some(text);
                    }
                    token.clear();
                }
            }
            at += 1;
        }
        None
    }
}

fn is_operator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// True for a file descriptor before a redirection.
fn is_number(text: &str) -> bool {
    text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit())
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| from + n)
}

/// True if this text contains the start of an expansion that could run something.
pub(in crate::shell) fn has_opener(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'\\', _) => at += 1,
            // In a quoted default value bash reads `$\(` as `$(`.
            (b'$', Some(b'\\')) if matches!(bytes.get(at + 2), Some(b'(' | b'{' | b'[' | b'`')) => return true,
            (b'`', _) | (b'$' | b'<' | b'>', Some(b'(')) | (b'$', Some(b'{' | b'[')) => return true,
            _ => {}
        }
        at += 1;
    }
    false
}

/// True if the text contains a character at which bash would end the word.
pub(in crate::shell) fn has_metacharacter(text: &str, regex: bool) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '(' | ')' | '|' if regex => {}
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => return true,
            _ => {}
        }
    }
    false
}

/// Bracket depth, quoted or not. Includes prefix words such as `time`, on which the parser recurses too.
pub(in crate::shell) fn nesting_depth(text: &str) -> usize {
    let (mut run, mut longest) = (0_usize, 0);
    for word in text.split([' ', '\t', '\n', ';', '&', '|', '\\']).filter(|word| !word.is_empty()) {
        run = if matches!(word, "time" | "coproc" | "!" | "-p" | "--") { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest.max(bracket_depth(text))
}

fn bracket_depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Finds a character that is invisible or misleading: control characters, unusual blanks, bidi marks.
pub(in crate::shell) fn hidden_character(text: &str) -> Option<char> {
    text.chars().find(|&c| match c {
        '\n' | '\t' | ' ' => false,
        c if c.is_control() || c.is_whitespace() => true,
        c => matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'),
    })
}

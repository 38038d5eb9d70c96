//! Every byte of a command must be accounted for. The walk marks what it looked at; here we read the rest and
//! demand that it is only operators, keywords, blanks and comments. A parser that skipped or misread something
//! (it happens: a second here-document after a quoted one) leaves bytes that this cannot explain.

const KEYWORDS: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "-p", "{", "}",
];

/// What has been looked at.
pub(super) struct Cover {
    seen: Vec<bool>,
}

impl Cover {
    pub fn new(len: usize) -> Cover {
        Cover { seen: vec![false; len] }
    }
    pub fn mark(&mut self, start: usize, end: usize) {
        if let Some(range) = self.seen.get_mut(start..end) {
            range.fill(true);
        }
    }
    /// What is inside will be looked at on its own: only its brackets are explained so far.
    pub fn open_up(&mut self, start: usize, end: usize) {
        if let Some(range) = self.seen.get_mut(start..end)
            && range.len() > 2
        {
            range.fill(false);
            range[..2].fill(true);
            range[end - start - 1] = true;
        }
    }
    /// The first stretch of text that nothing explains.
    pub fn unexplained(&self, source: &str) -> Option<String> {
        let bytes = source.as_bytes();
        let mut token = Vec::new();
        let mut at = 0;
        while at <= bytes.len() {
            let byte = bytes.get(at).copied().filter(|_| !self.seen.get(at).copied().unwrap_or(true));
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

/// A file descriptor before a redirection.
fn is_number(text: &str) -> bool {
    text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit())
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| from + n)
}

/// Does this text, in which nothing was found, hold the beginning of an expansion that could run something?
pub(super) fn has_opener(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'\\', _) => at += 1,
            // In a default inside double quotes bash reads `$\(` as `$(`.
            (b'$', Some(b'\\')) if matches!(bytes.get(at + 2), Some(b'(' | b'{' | b'[' | b'`')) => return true,
            (b'`', _) | (b'$' | b'<' | b'>', Some(b'(')) | (b'$', Some(b'{' | b'[')) => return true,
            _ => {}
        }
        at += 1;
    }
    false
}

/// A character that would have ended the word if bash had read it there.
pub(super) fn has_metacharacter(text: &str, regex: bool) -> bool {
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

/// How deep brackets go, quoted or not. Words before a command that the parser recurses on count as well.
pub(super) fn nesting(text: &str) -> usize {
    let (mut run, mut longest) = (0_usize, 0);
    for word in text.split([' ', '\t', '\n', ';', '&', '|', '\\']).filter(|word| !word.is_empty()) {
        run = if matches!(word, "time" | "coproc" | "!" | "-p" | "--") { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest.max(brackets(text))
}

fn brackets(text: &str) -> usize {
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

/// Characters that a person does not see, or sees as something else: control characters, odd blanks, bidi marks.
pub(super) fn hidden_character(text: &str) -> Option<char> {
    text.chars().find(|&c| match c {
        '\n' | '\t' | ' ' => false,
        c if c.is_control() || c.is_whitespace() => true,
        c => matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'),
    })
}

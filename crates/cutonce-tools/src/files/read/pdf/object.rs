//! The tokens and values of a PDF: numbers, names, strings, lists, dictionaries, references, operators.

use std::collections::HashMap;
use std::ops::Range;

/// Maximum nesting of lists.
const MAX_DEPTH: usize = 40;

pub(super) type PdfDict = HashMap<String, PdfObject>;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PdfObject {
    Null,
    Number(f64),
    Name(String),
    Text(Vec<u8>),
    List(Vec<PdfObject>),
    Dict(PdfDict),
    Ref(u32),
    /// A stream; its bytes are a range of the file, or already unpacked.
    Stream(PdfDict, Range<usize>),
    /// A keyword or operator.
    Word(Vec<u8>),
}

impl PdfObject {
    pub fn number(&self) -> Option<f64> {
        match self {
            PdfObject::Number(number) => Some(*number),
            _ => None,
        }
    }
    pub fn name(&self) -> Option<&str> {
        match self {
            PdfObject::Name(name) => Some(name),
            _ => None,
        }
    }
    pub fn list(&self) -> Option<&[PdfObject]> {
        match self {
            PdfObject::List(list) => Some(list),
            _ => None,
        }
    }
    /// Returns the dictionary, also that of a stream.
    pub fn dict(&self) -> Option<&PdfDict> {
        match self {
            PdfObject::Dict(dict) | PdfObject::Stream(dict, _) => Some(dict),
            _ => None,
        }
    }
    pub fn is_word(&self, word: &[u8]) -> bool {
        matches!(self, PdfObject::Word(known) if known == word)
    }
}

/// Parses values one after another.
#[derive(Debug, Clone)]
pub(super) struct PdfLexer<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> PdfLexer<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Returns the next value; `None` at the end.
    pub fn next_value(&mut self) -> Option<PdfObject> {
        self.value(0)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    pub fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => {
                    while self.peek().is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                        self.at += 1;
                    }
                }
                byte if is_space(byte) => self.at += 1,
                _ => return,
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<PdfObject> {
        self.skip_space();
        let object = match self.peek()? {
            b'/' => PdfObject::Name(self.name()),
            b'(' => PdfObject::Text(self.text()),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'<') => self.dict(depth),
            b'<' => PdfObject::Text(self.hex()),
            b'[' => self.list(depth),
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number_or_ref(depth),
            b'{' | b'}' | b')' | b']' | b'>' => {
                let byte = self.bump()?;
                PdfObject::Word(vec![byte])
            }
            _ => self.word(),
        };
        Some(object)
    }

    fn word(&mut self) -> PdfObject {
        let start = self.at;
        while self.peek().is_some_and(|byte| !is_space(byte) && !is_delimiter(byte)) {
            self.at += 1;
        }
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        if word == b"null" { PdfObject::Null } else { PdfObject::Word(word.to_vec()) }
    }

    fn number_or_ref(&mut self, depth: usize) -> PdfObject {
        let number = self.number();
        // `12 0 R` does not occur in content streams; it is tried for whole numbers only.
        if depth < MAX_DEPTH && number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX) {
            let back = self.at;
            if self.rest_of_ref() {
                return PdfObject::Ref(number as u32);
            }
            self.at = back;
        }
        PdfObject::Number(number)
    }

    /// ` 0 R`
    fn rest_of_ref(&mut self) -> bool {
        self.skip_space();
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start || self.at > start + 5 {
            return false;
        }
        self.skip_space();
        self.bump() == Some(b'R') && self.peek().is_none_or(|byte| is_space(byte) || is_delimiter(byte))
    }

    fn number(&mut self) -> f64 {
        let start = self.at;
        while self.peek().is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(self.bytes.get(start..self.at).unwrap_or_default()).unwrap_or_default();
        text.parse().unwrap_or(0.0)
    }

    fn name(&mut self) -> String {
        self.at += 1;
        let mut out = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| !is_space(*byte) && !is_delimiter(*byte)) {
            self.at += 1;
            let escaped = (byte == b'#').then(|| self.bytes.get(self.at..self.at + 2).and_then(hex_pair)).flatten();
            if escaped.is_some() {
                self.at += 2;
            }
            out.push(escaped.unwrap_or(byte));
        }
        String::from_utf8_lossy(&out).into_owned()
    }

    fn text(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut out = Vec::new();
        let mut open = 1usize;
        while let Some(byte) = self.bump() {
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                b'\\' => {
                    if let Some(byte) = self.escape() {
                        out.push(byte);
                    }
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
        out
    }

    fn escape(&mut self) -> Option<u8> {
        match self.bump()? {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            b'f' => Some(12),
            b'\r' => {
                self.at += usize::from(self.peek() == Some(b'\n'));
                None
            }
            b'\n' => None,
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next) = self.peek().filter(|byte| matches!(byte, b'0'..=b'7')) else { break };
                    value = value * 8 + u32::from(next - b'0');
                    self.at += 1;
                }
                Some(value as u8)
            }
            other => Some(other),
        }
    }

    fn hex(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut digits = Vec::new();
        while let Some(byte) = self.bump().filter(|byte| *byte != b'>') {
            if byte.is_ascii_hexdigit() {
                digits.push(byte);
            }
        }
        if digits.len() % 2 == 1 {
            digits.push(b'0');
        }
        digits.chunks(2).filter_map(hex_pair).collect()
    }

    /// Parses a nested value; `None` if the nesting is too deep.
    fn nested_value(&mut self, depth: usize) -> Option<PdfObject> {
        if depth < MAX_DEPTH { self.value(depth + 1) } else { None }
    }

    fn list(&mut self, depth: usize) -> PdfObject {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            match self.nested_value(depth) {
                None => break,
                Some(end) if end.is_word(b"]") => break,
                Some(value) => out.push(value),
            }
        }
        PdfObject::List(out)
    }

    fn dict(&mut self, depth: usize) -> PdfObject {
        self.at += 2;
        let mut out = PdfDict::new();
        loop {
            match self.nested_value(depth) {
                Some(PdfObject::Name(key)) => {
                    let before = self.at;
                    match self.nested_value(depth) {
                        Some(PdfObject::Word(word)) if word == b">" => {
                            self.at = before;
                            out.insert(key, PdfObject::Null);
                        }
                        Some(value) => {
                            out.insert(key, value);
                        }
                        None => break,
                    }
                }
                Some(PdfObject::Word(word)) if word == b">" => {
                    self.skip_space();
                    if self.peek() == Some(b'>') {
                        self.at += 1;
                    }
                    break;
                }
                // Skips an invalid key, so that the rest is still parsed.
                Some(_) => {}
                None => break,
            }
        }
        PdfObject::Dict(out)
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

pub(super) fn hex_pair(pair: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()
}

//! The words and values of a PDF: numbers, names, strings, lists, dictionaries, references, operators.

use std::collections::HashMap;
use std::ops::Range;

/// Lists in lists deeper than this are not read.
const MAX_DEPTH: usize = 40;

pub(super) type Dict = HashMap<String, Object>;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Object {
    Null,
    Number(f64),
    Name(String),
    Text(Vec<u8>),
    List(Vec<Object>),
    Dict(Dict),
    Ref(u32),
    /// The bytes are a range of the file, or were unpacked already.
    Stream(Dict, Range<usize>),
    /// A keyword or operator.
    Word(Vec<u8>),
}

impl Object {
    pub fn number(&self) -> Option<f64> {
        match self {
            Object::Number(number) => Some(*number),
            _ => None,
        }
    }
    pub fn name(&self) -> Option<&str> {
        match self {
            Object::Name(name) => Some(name),
            _ => None,
        }
    }
    pub fn list(&self) -> Option<&[Object]> {
        match self {
            Object::List(list) => Some(list),
            _ => None,
        }
    }
    /// Of a dictionary or of a stream.
    pub fn dict(&self) -> Option<&Dict> {
        match self {
            Object::Dict(dict) | Object::Stream(dict, _) => Some(dict),
            _ => None,
        }
    }
    pub fn is_word(&self, word: &[u8]) -> bool {
        matches!(self, Object::Word(known) if known == word)
    }
}

/// Reads values one after another.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The next value; `None` at the end.
    pub fn next(&mut self) -> Option<Object> {
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

    fn value(&mut self, depth: usize) -> Option<Object> {
        self.skip_space();
        let object = match self.peek()? {
            b'/' => Object::Name(self.name()),
            b'(' => Object::Text(self.text()),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'<') => self.dict(depth),
            b'<' => Object::Text(self.hex()),
            b'[' => self.list(depth),
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number_or_ref(depth),
            b'{' | b'}' | b')' | b']' | b'>' => {
                let byte = self.bump()?;
                Object::Word(vec![byte])
            }
            _ => self.word(),
        };
        Some(object)
    }

    fn word(&mut self) -> Object {
        let start = self.at;
        while self.peek().is_some_and(|byte| !is_space(byte) && !is_delimiter(byte)) {
            self.at += 1;
        }
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        if word == b"null" { Object::Null } else { Object::Word(word.to_vec()) }
    }

    fn number_or_ref(&mut self, depth: usize) -> Object {
        let number = self.number();
        // `12 0 R`, which content streams do not have, is tried for whole numbers only.
        if depth < MAX_DEPTH && number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX) {
            let back = self.at;
            if self.rest_of_ref() {
                return Object::Ref(number as u32);
            }
            self.at = back;
        }
        Object::Number(number)
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

    /// A value inside another; none where they are nested too deep.
    fn deeper(&mut self, depth: usize) -> Option<Object> {
        if depth < MAX_DEPTH { self.value(depth + 1) } else { None }
    }

    fn list(&mut self, depth: usize) -> Object {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            match self.deeper(depth) {
                None => break,
                Some(end) if end.is_word(b"]") => break,
                Some(value) => out.push(value),
            }
        }
        Object::List(out)
    }

    fn dict(&mut self, depth: usize) -> Object {
        self.at += 2;
        let mut out = Dict::new();
        loop {
            match self.deeper(depth) {
                Some(Object::Name(key)) => {
                    let before = self.at;
                    match self.deeper(depth) {
                        Some(Object::Word(word)) if word == b">" => {
                            self.at = before;
                            out.insert(key, Object::Null);
                        }
                        Some(value) => {
                            out.insert(key, value);
                        }
                        None => break,
                    }
                }
                Some(Object::Word(word)) if word == b">" => {
                    self.skip_space();
                    if self.peek() == Some(b'>') {
                        self.at += 1;
                    }
                    break;
                }
                // A key that is none: skipped, so that the rest is still read.
                Some(_) => {}
                None => break,
            }
        }
        Object::Dict(out)
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

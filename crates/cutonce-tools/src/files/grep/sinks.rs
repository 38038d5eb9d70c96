//! Sinks for a file's matches: whether there is one, how many, or the lines themselves.

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use std::fmt::Write;
use std::io;

/// Maximum line length; a longer line is cut around its match.
const MAX_LINE: usize = 500;
/// Characters shown of a long line before its match.
const BEFORE: usize = 100;

/// Stops at the first match.
#[derive(Debug, Default)]
pub(super) struct AnyMatchSink {
    pub found: bool,
    pub binary: bool,
}

impl Sink for AnyMatchSink {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found = true;
        Ok(false)
    }
    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

#[derive(Debug, Default)]
pub(super) struct CountSink {
    pub count: u64,
    pub binary: bool,
}

impl Sink for CountSink {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.count += 1;
        Ok(true)
    }
    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Writes `12:text` for a match, `13-text` for a context line, `--` between separate groups.
#[derive(Debug)]
pub(super) struct LineSink<'a> {
    matcher: &'a RegexMatcher,
    out: &'a mut String,
    numbers: bool,
    limit: usize,
    pub lines: usize,
    pub binary: bool,
}

impl<'a> LineSink<'a> {
    pub fn new(matcher: &'a RegexMatcher, out: &'a mut String, numbers: bool, limit: usize) -> Self {
        Self { matcher, out, numbers, limit, lines: 0, binary: false }
    }

    fn write_line(&mut self, bytes: &[u8], number: Option<u64>, mark: char) -> bool {
        if self.lines >= self.limit {
            return false;
        }
        if let (true, Some(number)) = (self.numbers, number) {
            // Writing to a String never fails.
            let _ = write!(self.out, "{number}{mark}");
        }
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() <= MAX_LINE {
            self.out.push_str(&String::from_utf8_lossy(bytes));
        } else {
            self.write_cut(bytes);
        }
        self.out.push('\n');
        self.lines += 1;
        self.lines < self.limit
    }

    /// Cuts a long line around its match, for example in a minified file.
    fn write_cut(&mut self, bytes: &[u8]) {
        let at = self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start());
        let from = char_start(bytes, if at < MAX_LINE - BEFORE { 0 } else { at - BEFORE });
        let to = char_start(bytes, (from + MAX_LINE).min(bytes.len()));
        if from > 0 {
            self.out.push('…');
        }
        self.out.push_str(&String::from_utf8_lossy(&bytes[from..to]));
        if to < bytes.len() {
            let _ = write!(self.out, "… [line of {} bytes]", bytes.len());
        }
    }
}

/// Returns the start of the character that contains the byte.
fn char_start(bytes: &[u8], mut at: usize) -> usize {
    while at > 0 && bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
        at -= 1;
    }
    at
}

impl Sink for LineSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let first = found.line_number();
        for (index, line) in found.lines().enumerate() {
            if !self.write_line(line, first.map(|first| first + index as u64), ':') {
                return Ok(false);
            }
        }
        Ok(true)
    }
    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        Ok(self.write_line(context.bytes(), context.line_number(), '-'))
    }
    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.out.push_str("--\n");
        Ok(true)
    }
    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

//! A page of text: numbered lines from a given one, with limits, reading no further than needed (TL-2).

use crate::disk::human_size;
use crate::tool::ToolError;
use cutonce_core::text::number::count_noun;
use std::borrow::Cow;
use std::io::{self, BufRead};

/// Maximum text of one call, in bytes.
const MAX_TEXT: usize = 100_000;
/// Maximum line length; longer lines are cut.
const MAX_LINE_CHARS: usize = 2_000;
/// Bytes kept of a line: no character has more than four.
const MAX_LINE_BYTES: usize = MAX_LINE_CHARS * 4;

#[derive(Debug, Default)]
pub(super) struct TextPage {
    text: String,
    first: u64,
    /// The last line shown; `first - 1` if there is none.
    last: u64,
    /// Number of lines in the whole file, if they were counted.
    total: Option<u64>,
    /// True if there is more after `last`.
    more: bool,
    /// Number of lines with bytes that are not UTF-8.
    lossy: u64,
}

/// One line while it is collected.
#[derive(Default)]
struct PartialLine {
    kept: Vec<u8>,
    length: usize,
}

impl TextPage {
    /// Builds a page from memory and counts all lines.
    pub fn from_slice(bytes: &[u8], first: u64, limit: u64) -> TextPage {
        // Reading memory neither fails nor is interrupted.
        let mut page = TextPage::from_reader(bytes, first, limit, &|| false).ok().flatten().unwrap_or_default();
        let newlines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let open_end = bytes.last().is_some_and(|byte| *byte != b'\n');
        page.total = Some(newlines + u64::from(open_end));
        page
    }

    /// Builds a page from a stream; `None` when stopped.
    pub fn from_reader(
        mut reader: impl BufRead,
        first: u64,
        limit: u64,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Option<TextPage>> {
        let mut page = TextPage { first, last: first - 1, ..TextPage::default() };
        let mut line = PartialLine::default();
        let mut number = 1;
        loop {
            if stopped() {
                return Ok(None);
            }
            let buffer = match reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if buffer.is_empty() {
                if line.length > 0 {
                    page.more = !page.add_line(number, &line, limit);
                    number += 1;
                }
                page.total = (!page.more).then_some(number - 1);
                return Ok(Some(page));
            }
            let mut from = 0;
            for at in memchr::memchr_iter(b'\n', buffer) {
                if number >= first {
                    line.add(&buffer[from..at]);
                    if !page.add_line(number, &line, limit) {
                        page.more = true;
                        return Ok(Some(page));
                    }
                }
                line.clear();
                number += 1;
                from = at + 1;
            }
            let used = buffer.len();
            if number >= first {
                line.add(&buffer[from..]);
            } else {
                line.length = used - from;
            }
            reader.consume(used);
        }
    }

    /// Adds a line; false if there is no room.
    fn add_line(&mut self, number: u64, line: &PartialLine, limit: u64) -> bool {
        if number < self.first {
            return true;
        }
        if number - self.first >= limit {
            return false;
        }
        let mut bytes = line.kept.as_slice();
        if number == 1 {
            bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        }
        if line.length == line.kept.len() {
            bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        }
        let (shown, lossy) = display_line(bytes, line.length);
        if !self.text.is_empty() && self.text.len() + shown.len() + 12 > MAX_TEXT {
            return false;
        }
        self.text.push_str(&format!("{number}\t{shown}\n"));
        self.last = number;
        self.lossy += u64::from(lossy);
        true
    }

    /// Returns the text with its notes, or why there is none.
    pub fn into_text(mut self, size: u64) -> Result<String, ToolError> {
        if self.total == Some(0) {
            return Ok("The file is empty.".into());
        }
        if self.last < self.first {
            let total = self.total.unwrap_or_default();
            return Err(format!("`offset`: expected a line from 1 to {total}, got {}", self.first).into());
        }
        if self.more {
            let of = match self.total {
                Some(total) => format!("of {total}"),
                None => format!("of a file of {}", human_size(size)),
            };
            let next = self.last + 1;
            self.text.push_str(&format!("[Lines {}-{} {of}. Read on with offset={next}.]\n", self.first, self.last));
        }
        if self.lossy > 0 {
            let lines = count_noun(self.lossy as usize, "line");
            self.text.push_str(&format!("[Bytes that are not UTF-8 are shown as \u{fffd} ({lines}).]\n"));
        }
        self.text.pop();
        Ok(self.text)
    }
}

impl PartialLine {
    fn add(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_BYTES.saturating_sub(self.kept.len()).min(bytes.len());
        self.kept.extend_from_slice(&bytes[..room]);
        self.length += bytes.len();
    }
    fn clear(&mut self) {
        self.kept.clear();
        self.length = 0;
    }
}

/// Returns a line to display, cut if too long, and whether bytes were replaced.
fn display_line(bytes: &[u8], length: usize) -> (Cow<'_, str>, bool) {
    let valid = std::str::from_utf8(bytes);
    // The cut may split the last character; then the file itself is valid.
    let lossy = valid.is_err_and(|error| length == bytes.len() || error.error_len().is_some());
    let mut text = String::from_utf8_lossy(bytes);
    if text.contains('\0') {
        text = Cow::Owned(text.replace('\0', "\u{2400}"));
    }
    match text.char_indices().nth(MAX_LINE_CHARS) {
        None if length <= MAX_LINE_BYTES => (text, lossy),
        end => {
            let end = end.map_or(text.len(), |(at, _)| at);
            let left = length.saturating_sub(end);
            (Cow::Owned(format!("{}… [{left} more bytes]", &text[..end])), lossy)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(bytes: &[u8], first: u64, limit: u64) -> Result<String, ToolError> {
        TextPage::from_slice(bytes, first, limit).into_text(bytes.len() as u64)
    }

    #[test]
    fn tl_2_numbers_lines_and_notes_the_rest() {
        assert_eq!(page(b"a\nb\nc\n", 1, 10), Ok("1\ta\n2\tb\n3\tc".into()));
        assert_eq!(page(b"a\r\nb\r\nc", 2, 1), Ok("2\tb\n[Lines 2-2 of 3. Read on with offset=3.]".into()));
        assert_eq!(page(b"a\nb\nc", 3, 1), Ok("3\tc".into()));
        assert_eq!(page(b"", 1, 10), Ok("The file is empty.".into()));
        assert_eq!(page(b"\n", 1, 10), Ok("1\t".into()));
        assert_eq!(page(b"a\nb\n", 3, 1), Err("`offset`: expected a line from 1 to 2, got 3".into()));
        assert_eq!(page("\u{feff}a\n".as_bytes(), 1, 1), Ok("1\ta".into()));
    }

    #[test]
    fn tl_2_long_lines_and_files_are_cut() {
        let long = "é".repeat(2_500);
        let text = page(format!("{long}\nend\n").as_bytes(), 1, 10).unwrap();
        assert!(text.ends_with("é… [1000 more bytes]\n2\tend"), "{}", &text[text.len() - 60..]);
        let text = page(&vec![b'x'; 3 << 20], 1, 10).unwrap();
        assert!(text.ends_with(&format!("x… [{} more bytes]", (3 << 20) - 2_000)));
        let many = format!("{}\n", "z".repeat(99)).repeat(5_000);
        let text = page(many.as_bytes(), 1, 5_000).unwrap();
        assert!(text.len() < MAX_TEXT + 200 && text.contains("of 5000. Read on with offset="), "{}", text.len());
    }

    #[test]
    fn tl_2_invalid_utf_8_is_replaced_and_noted() {
        let text = page(b"ok\nb\xffd\n\0\n", 1, 10).unwrap();
        assert_eq!(
            text,
            "1\tok\n2\tb\u{fffd}d\n3\t\u{2400}\n[Bytes that are not UTF-8 are shown as \u{fffd} (1 line).]"
        );
    }

    #[test]
    fn tl_2_streaming_equals_reading_from_memory() {
        let text = "one\r\ntwo\n\nfour is longer\nfive";
        for size in 1..40 {
            for first in 1..7 {
                let reader = io::BufReader::with_capacity(size, text.as_bytes());
                let streamed = TextPage::from_reader(reader, first, 2, &|| false).unwrap().unwrap();
                let whole = TextPage::from_slice(text.as_bytes(), first, 2);
                assert_eq!((streamed.text, streamed.last, streamed.more), (whole.text, whole.last, whole.more));
            }
        }
    }
}

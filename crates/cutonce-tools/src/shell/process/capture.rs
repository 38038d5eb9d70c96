//! Captures a command's output in bounded memory: its beginning and its end (TL-8).

use crate::spill::{self, OptionalRedactor, SpillFile};
use cutonce_core::text::sanitize::sanitize_for_model;
use std::collections::VecDeque;
use std::path::Path;

/// Maximum characters shown; longer output goes to a file.
const MAX_SHOWN: usize = 30_000;
/// Characters shown from the beginning and the end of longer output: errors are mostly at the end.
const HEAD: usize = 10_000;
const TAIL: usize = 18_000;
/// Bytes kept of each: a character has at most four.
const KEPT: usize = 4 * MAX_SHOWN;

#[derive(Default)]
pub(crate) struct OutputCapture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl OutputCapture {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(KEPT)..).unwrap_or_default();
        self.tail.extend(rest);
        self.tail.drain(..self.tail.len().saturating_sub(KEPT));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.total == 0
    }

    fn is_whole(&self) -> bool {
        self.total == (self.head.len() + self.tail.len()) as u64
    }

    /// Returns the whole output if it is in memory.
    fn full_output(&self) -> Option<Vec<u8>> {
        self.is_whole().then(|| self.head.iter().chain(&self.tail).copied().collect())
    }

    /// Returns the text for the model; `where_is_all` is called only if something is left out.
    pub(crate) fn render(&self, where_is_all: impl FnOnce() -> String) -> String {
        let (head, tail) = match self.full_output() {
            Some(bytes) => {
                let text = to_text(&bytes);
                if text.chars().nth(MAX_SHOWN).is_none() {
                    return text;
                }
                (first_chars(&text, HEAD).to_string(), last_chars(&text, TAIL).to_string())
            }
            None => {
                let tail: Vec<u8> = self.tail.iter().copied().collect();
                (first_chars(&to_text(&self.head), HEAD).to_string(), last_chars(&to_text(&tail), TAIL).to_string())
            }
        };
        let (total, note) = (self.total, where_is_all());
        format!("{head}\n\n[… the middle of {total} bytes is left out here. {note}]\n\n{tail}")
    }
}

/// Captures one command; its whole text goes to a file as soon as it does not fit.
pub(crate) struct CommandOutput<'a> {
    capture: OutputCapture,
    spill: Option<SpillFile>,
    folder: &'a Path,
    stem: String,
    redact: OptionalRedactor,
}

impl<'a> CommandOutput<'a> {
    pub(crate) fn new(folder: &'a Path, stem: String, redact: OptionalRedactor) -> Self {
        Self { capture: OutputCapture::default(), spill: None, folder, stem, redact }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.spill.is_none() && self.capture.head.len() + bytes.len() > KEPT {
            let mut spill = SpillFile::create(self.folder, &self.stem, "txt", self.redact.clone());
            spill.push(&self.capture.head);
            self.spill = Some(spill);
        }
        if let Some(spill) = &mut self.spill {
            spill.push(bytes);
        }
        self.capture.push(bytes);
    }

    /// Returns the text for the model.
    pub(crate) fn finish(self) -> String {
        let Self { capture, spill, folder, stem, redact } = self;
        capture.render(|| match (spill, capture.full_output()) {
            (Some(spill), _) => spill.finish(),
            (None, whole) => spill::store_text(folder, &stem, "txt", &whole.unwrap_or_default(), redact),
        })
    }
}

fn to_text(bytes: &[u8]) -> String {
    sanitize_for_model(&String::from_utf8_lossy(bytes)).into_owned()
}

/// Returns the first characters, up to a line end if one is near.
fn first_chars(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let cut = text.get(..end).unwrap_or(text);
    match cut.rfind('\n') {
        Some(line) if line > cut.len() / 2 => cut.get(..line).unwrap_or(cut),
        _ => cut,
    }
}

/// Returns the last characters, from a line start if one is near.
fn last_chars(text: &str, chars: usize) -> &str {
    let start = text.char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at);
    let cut = text.get(start..).unwrap_or(text);
    match cut.find('\n') {
        Some(line) if line < cut.len() / 2 => cut.get(line + 1..).unwrap_or(cut),
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]]) -> (String, Option<Vec<u8>>) {
        let dir = tempfile::tempdir().unwrap();
        let mut output = CommandOutput::new(dir.path(), "out".into(), None);
        pieces.iter().for_each(|piece| output.push(piece));
        (output.finish(), std::fs::read(dir.path().join("out.txt")).ok())
    }

    #[test]
    fn tl_8_30k_characters_are_shown_in_full() {
        let text = "é".repeat(30_000);
        assert_eq!(shown(&[text.as_bytes()]), (text, None));
        let (cut, file) = shown(&["é".repeat(30_001).as_bytes()]);
        assert_eq!(file, Some("é".repeat(30_001).into_bytes()));
        assert!(cut.chars().count() < 30_000, "{}", cut.chars().count());
    }

    #[test]
    fn tl_8_long_output_shows_ends_and_stores_all() {
        let lines: Vec<String> = (0..200_000).map(|n| format!("line {n}\n")).collect();
        let all = lines.concat();
        let pieces: Vec<&[u8]> = all.as_bytes().chunks(7_001).collect();
        let (cut, file) = shown(&pieces);
        assert!(cut.starts_with("line 0\nline 1\n"));
        assert!(cut.ends_with("\nline 199999\n"));
        assert!(cut.contains(&format!("the middle of {} bytes", all.len())));
        assert!(cut.chars().count() < 30_000);
        assert_eq!(file, Some(all.into_bytes()));
    }

    /// Redacts a secret of three bytes.
    struct Abc;

    impl crate::spill::StreamRedactor for Abc {
        fn redact_part(&self, bytes: &[u8], last: bool) -> (Vec<u8>, usize) {
            let keep = if last || bytes.ends_with(b"abc") { 0 } else { bytes.len().min(2) };
            let used = bytes.len() - keep;
            (String::from_utf8_lossy(&bytes[..used]).replace("abc", "***").into_bytes(), used)
        }
    }

    #[test]
    fn mo_4_stored_output_is_redacted_across_chunks() {
        let dir = tempfile::tempdir().unwrap();
        let mut output = CommandOutput::new(dir.path(), "out".into(), Some(std::sync::Arc::new(Abc)));
        let all = format!("{}abc the end ab", "x".repeat(200_000));
        all.as_bytes().chunks(7_001).chain([b"c".as_slice()]).for_each(|piece| output.push(piece));
        output.finish();
        let kept = std::fs::read_to_string(dir.path().join("out.txt")).unwrap();
        assert_eq!(kept, format!("{}*** the end ***", "x".repeat(200_000)));
    }

    #[test]
    fn tl_8_memory_is_bounded() {
        let mut capture = OutputCapture::default();
        for _ in 0..100 {
            capture.push(&[0x80; 100_000]);
        }
        assert_eq!((capture.head.len(), capture.tail.len(), capture.total), (KEPT, KEPT, 10_000_000));
        assert!(capture.render(String::new).chars().count() < 30_000);
    }

    #[test]
    fn tl_10_invalid_bytes_become_text() {
        assert_eq!(shown(&[b"a\xff\x1b[31mb\0\n"]).0, "a\u{fffd}b\\u{0}\n");
    }
}

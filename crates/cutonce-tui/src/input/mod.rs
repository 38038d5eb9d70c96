//! Parses terminal bytes into keys and pastes. We use our own reader because it must pause at once for an external
//! editor, end when the terminal is closed, and timestamp each key (UI-5, UI-13).

pub mod keymap;
pub mod remapped_keys;
mod sequence;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sequence::ParsedSequence;
use std::time::Duration;

/// An input event from the terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminalInput {
    Key(KeyEvent),
    /// A bracketed paste. It never answers a dialog.
    Paste(String),
    /// The window got or lost the focus. The program ignores it.
    Focus,
}

/// Maximum bytes of a paste. Longer pastes are truncated.
const MAX_PASTE: usize = 8 << 20;
/// Time to wait after an escape byte for the rest of a sequence.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(30);
/// Time without bytes after which an open paste ends.
const PASTE_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum bytes of an escape sequence.
const MAX_SEQUENCE: usize = 64;
const PASTE_END: &[u8] = b"\x1b[201~";

/// Incremental parser; the bytes may arrive in chunks of any size.
#[derive(Debug, Default)]
pub struct InputParser {
    bytes: Vec<u8>,
    /// Bytes of the open bracketed paste.
    paste: Option<Vec<u8>>,
}

impl InputParser {
    /// Adds bytes and returns all events that are now complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<TerminalInput> {
        self.bytes.extend_from_slice(bytes);
        let mut found = Vec::new();
        while self.step(&mut found) {}
        found
    }

    /// Time to wait before `flush`, if bytes are incomplete: an escape that may start a sequence, or an open paste.
    pub fn flush_delay(&self) -> Option<Duration> {
        match (&self.paste, self.bytes.is_empty()) {
            (Some(_), _) => Some(PASTE_TIMEOUT),
            (None, false) => Some(ESCAPE_TIMEOUT),
            (None, true) => None,
        }
    }

    /// Parses incomplete bytes as they are, after no more arrived.
    pub fn flush(&mut self) -> Vec<TerminalInput> {
        let mut found = Vec::new();
        // The end of the paste was lost. The keyboard must keep working.
        if let Some(mut paste) = self.paste.take() {
            paste.append(&mut self.bytes);
            found.push(paste_event(&paste));
            return found;
        }
        while !self.bytes.is_empty() {
            // It looks like the start of a terminal string, but nothing followed: the user pressed Alt with this key.
            if let [0x1b, key @ 0x21..=0x7e, rest @ ..] = self.bytes.as_slice()
                && (rest.is_empty() || matches!(key, b']' | b'P' | b'_' | b'^' | b'X'))
            {
                let shift = if key.is_ascii_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
                let key = KeyEvent::new(KeyCode::Char(char::from(*key)), KeyModifiers::ALT | shift);
                found.push(TerminalInput::Key(key));
                self.bytes.drain(..2);
                continue;
            }
            if self.bytes[0] == 0x1b {
                self.bytes.remove(0);
                found.push(TerminalInput::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
                continue;
            }
            let before = self.bytes.len();
            self.step(&mut found);
            if self.bytes.len() == before {
                self.bytes.remove(0);
            }
        }
        found
    }

    fn step(&mut self, found: &mut Vec<TerminalInput>) -> bool {
        if let Some(paste) = &mut self.paste {
            let Some(end) = find_bytes(&self.bytes, PASTE_END) else {
                // The end marker may be incomplete: keep as many bytes as could belong to it.
                let sure = self.bytes.len().saturating_sub(PASTE_END.len() - 1);
                let room = MAX_PASTE.saturating_sub(paste.len());
                paste.extend(self.bytes.drain(..sure).take(room));
                return false;
            };
            let room = MAX_PASTE.saturating_sub(paste.len());
            paste.extend(self.bytes.drain(..end + PASTE_END.len()).take(end.min(room)));
            found.push(paste_event(paste));
            self.paste = None;
            return true;
        }
        match sequence::parse_first(&self.bytes) {
            ParsedSequence::Incomplete if self.bytes.len() > MAX_SEQUENCE => {
                self.bytes.clear();
                false
            }
            ParsedSequence::Incomplete => false,
            ParsedSequence::Skip(used) => self.consume(used),
            ParsedSequence::PasteStart(used) => {
                self.paste = Some(Vec::new());
                self.consume(used)
            }
            ParsedSequence::Key(key, used) => {
                found.push(TerminalInput::Key(key));
                self.consume(used)
            }
            ParsedSequence::Focus(used) => {
                found.push(TerminalInput::Focus);
                self.consume(used)
            }
        }
    }

    fn consume(&mut self, n: usize) -> bool {
        self.bytes.drain(..n.min(self.bytes.len()));
        !self.bytes.is_empty()
    }
}

fn paste_event(bytes: &[u8]) -> TerminalInput {
    TerminalInput::Paste(String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n"))
}

fn find_bytes(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<String> {
        let mut parser = InputParser::default();
        let mut found = parser.feed(bytes);
        found.extend(parser.flush());
        found.iter().map(told).collect()
    }

    fn told(input: &TerminalInput) -> String {
        match input {
            TerminalInput::Key(key) => crate::input::keymap::key_name(*key),
            TerminalInput::Paste(text) => format!("paste {text:?}"),
            TerminalInput::Focus => "focus".into(),
        }
    }

    #[test]
    fn ui_11_keys_with_and_without_kitty_protocol() {
        let cases: &[(&[u8], &[&str])] = &[
            (b"a\xc3\xa9Z", &["a", "é", "Z"]),
            (b"\x1b", &["esc"]),
            (b"\x1b[A\x1bOB\x1b[1;5C\x1b[1;3D", &["up", "down", "ctrl+right", "alt+left"]),
            (b"\x1b[Z\r\n\t\x7f\x08", &["shift+tab", "enter", "ctrl+j", "tab", "backspace", "ctrl+h"]),
            (b"\x03\x12\x1bb\x1b\r\x1b\x7f", &["ctrl+c", "ctrl+r", "alt+b", "alt+enter", "alt+backspace"]),
            (b"\x1b[13;2u\x1b[99;5u\x1b[27u\x1b[27;2;13~", &["shift+enter", "ctrl+c", "esc", "shift+enter"]),
            (b"\x1b[9;2u\x1b[97;1:3u", &["shift+tab"]),
            (
                b"\x1b[3~\x1b[5~\x1b[6~\x1b[H\x1b[F\x1b[1~\x1b[4~",
                &["del", "pgup", "pgdn", "home", "end", "home", "end"],
            ),
            (b"\x1bOP\x1b[15~", &["f1", "f5"]),
            (b"\x1b[200~one\rtwo\x1b[31m\x1b[201~x", &["paste \"one\\ntwo\\u{1b}[31m\"", "x"]),
            (b"\x1b[I\x1b[O\x1b[?62;4cq", &["focus", "focus", "q"]),
            (b"\x1b]11;rgb:00/00/00\x1b\\k\x1bP>|x\x1b\\k", &["k", "k"]),
            (b"\xff\xfea", &["a"]),
            (b"\x1b_", &["alt+_"]),
            (b"\x1bP", &["alt+p"]),
            (b"\x1b[", &["alt+["]),
            (b"\x1b_ab", &["alt+_", "a", "b"]),
            (b"\x1b\x1b[A", &["alt+up"]),
        ];
        for (bytes, expected) in cases {
            assert_eq!(keys(bytes), *expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn ui_11_unterminated_paste_keeps_keyboard_working() {
        let mut parser = InputParser::default();
        assert_eq!(parser.feed(b"\x1b[200~abc\x1b[2"), []);
        assert_eq!(parser.flush_delay(), Some(PASTE_TIMEOUT));
        assert_eq!(parser.flush(), [TerminalInput::Paste("abc\x1b[2".into())]);
        assert_eq!(parser.flush_delay(), None);
        assert_eq!(parser.feed(b"x\x03").iter().map(told).collect::<Vec<_>>(), ["x", "ctrl+c"]);
        // A late end marker is not a key.
        assert_eq!(parser.feed(b"\x1b[201~"), []);
    }

    #[test]
    fn ui_11_parser_is_independent_of_chunking() {
        let all = b"a\x1b[1;5C\x1b[200~\xc3\xa9\x1b[201~\x1bOP\xe2\x82\xac\x1b[13;2u";
        let whole = keys(all);
        for size in 1..6 {
            let mut parser = InputParser::default();
            let found: Vec<_> = all.chunks(size).flat_map(|chunk| parser.feed(chunk)).collect();
            assert_eq!(found.iter().map(told).collect::<Vec<_>>(), whole, "chunks of {size}");
        }
    }

    proptest::proptest! {
        #[test]
        fn ui_11_no_bytes_block_the_parser(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let mut parser = InputParser::default();
            for chunk in bytes.chunks(7) {
                parser.feed(chunk);
            }
            parser.flush();
            parser.feed(b"\x1b[201~");
            proptest::prop_assert!(parser.bytes.len() <= MAX_SEQUENCE + 8);
        }
    }
}

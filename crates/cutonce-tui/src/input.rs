//! Bytes of a terminal to keys and pastes. Our own reader, because it must stop at once when an editor takes the terminal,
//! end when the terminal is gone, and stamp each key with the moment it came (UI-5, UI-13).

mod sequence;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sequence::Parsed;
use std::time::Duration;

/// What came from the terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Key(KeyEvent),
    /// A bracketed paste: it never answers anything.
    Paste(String),
    /// The terminal's window got or lost the focus; nothing follows from it.
    Focus,
}

/// A paste longer than this is cut: nobody pastes more into a prompt on purpose.
const MAX_PASTE: usize = 8 << 20;
/// How long an escape key may look like the beginning of a sequence.
const ESCAPE: Duration = Duration::from_millis(30);
/// A paste that nothing more comes of for so long is over.
const PASTE: Duration = Duration::from_secs(2);
/// An escape sequence longer than this is none.
const MAX_SEQUENCE: usize = 64;
const PASTE_END: &[u8] = b"\x1b[201~";

/// Takes bytes in any portions.
#[derive(Debug, Default)]
pub struct Parser {
    bytes: Vec<u8>,
    /// Inside a bracketed paste: what came of it.
    paste: Option<Vec<u8>>,
}

impl Parser {
    /// Everything that is complete after these bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.bytes.extend_from_slice(bytes);
        let mut found = Vec::new();
        while self.step(&mut found) {}
        found
    }

    /// Bytes wait for more: an escape key looks like the beginning of a sequence, and a paste has an end. How long they may.
    pub fn waits(&self) -> Option<Duration> {
        match (&self.paste, self.bytes.is_empty()) {
            (Some(_), _) => Some(PASTE),
            (None, false) => Some(ESCAPE),
            (None, true) => None,
        }
    }

    /// Nothing more came: what waits is what it looks like.
    pub fn flush(&mut self) -> Vec<Input> {
        let mut found = Vec::new();
        // Its end was lost on the way: the keyboard must not be dead for that.
        if let Some(mut paste) = self.paste.take() {
            paste.append(&mut self.bytes);
            found.push(pasted(&paste));
            return found;
        }
        while !self.bytes.is_empty() {
            // What begins like a string of the terminal's, and nothing comes of it: somebody pressed alt with that key.
            if let [0x1b, key @ 0x21..=0x7e, rest @ ..] = self.bytes.as_slice()
                && (rest.is_empty() || matches!(key, b']' | b'P' | b'_' | b'^' | b'X'))
            {
                let shift = if key.is_ascii_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
                let key = KeyEvent::new(KeyCode::Char(char::from(*key)), KeyModifiers::ALT | shift);
                found.push(Input::Key(key));
                self.bytes.drain(..2);
                continue;
            }
            if self.bytes[0] == 0x1b {
                self.bytes.remove(0);
                found.push(Input::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
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

    fn step(&mut self, found: &mut Vec<Input>) -> bool {
        if let Some(paste) = &mut self.paste {
            let Some(end) = find(&self.bytes, PASTE_END) else {
                // The end may have come in part: keep as much as could be its beginning.
                let sure = self.bytes.len().saturating_sub(PASTE_END.len() - 1);
                let room = MAX_PASTE.saturating_sub(paste.len());
                paste.extend(self.bytes.drain(..sure).take(room));
                return false;
            };
            let room = MAX_PASTE.saturating_sub(paste.len());
            paste.extend(self.bytes.drain(..end + PASTE_END.len()).take(end.min(room)));
            found.push(pasted(paste));
            self.paste = None;
            return true;
        }
        match sequence::first(&self.bytes) {
            Parsed::More if self.bytes.len() > MAX_SEQUENCE => {
                self.bytes.clear();
                false
            }
            Parsed::More => false,
            Parsed::Nothing(used) => self.used(used),
            Parsed::Paste(used) => {
                self.paste = Some(Vec::new());
                self.used(used)
            }
            Parsed::Key(key, used) => {
                found.push(Input::Key(key));
                self.used(used)
            }
            Parsed::Focus(used) => {
                found.push(Input::Focus);
                self.used(used)
            }
        }
    }

    fn used(&mut self, n: usize) -> bool {
        self.bytes.drain(..n.min(self.bytes.len()));
        !self.bytes.is_empty()
    }
}

fn pasted(bytes: &[u8]) -> Input {
    Input::Paste(String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n"))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<String> {
        let mut parser = Parser::default();
        let mut found = parser.feed(bytes);
        found.extend(parser.flush());
        found.iter().map(told).collect()
    }

    fn told(input: &Input) -> String {
        match input {
            Input::Key(key) => crate::keymap::name_of(*key),
            Input::Paste(text) => format!("paste {text:?}"),
            Input::Focus => "focus".into(),
        }
    }

    #[test]
    fn ui_11_keys_with_and_without_the_kitty_protocol() {
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
    fn ui_11_a_paste_whose_end_is_lost_leaves_the_keyboard_alive() {
        let mut parser = Parser::default();
        assert_eq!(parser.feed(b"\x1b[200~abc\x1b[2"), []);
        assert_eq!(parser.waits(), Some(PASTE));
        assert_eq!(parser.flush(), [Input::Paste("abc\x1b[2".into())]);
        assert_eq!(parser.waits(), None);
        assert_eq!(parser.feed(b"x\x03").iter().map(told).collect::<Vec<_>>(), ["x", "ctrl+c"]);
        // Should the end come after all, it is no key.
        assert_eq!(parser.feed(b"\x1b[201~"), []);
    }

    #[test]
    fn ui_11_portions_change_nothing() {
        let all = b"a\x1b[1;5C\x1b[200~\xc3\xa9\x1b[201~\x1bOP\xe2\x82\xac\x1b[13;2u";
        let whole = keys(all);
        for size in 1..6 {
            let mut parser = Parser::default();
            let found: Vec<_> = all.chunks(size).flat_map(|chunk| parser.feed(chunk)).collect();
            assert_eq!(found.iter().map(told).collect::<Vec<_>>(), whole, "portions of {size}");
        }
    }

    proptest::proptest! {
        #[test]
        fn ui_11_no_bytes_stop_the_reader(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let mut parser = Parser::default();
            for chunk in bytes.chunks(7) {
                parser.feed(chunk);
            }
            parser.flush();
            parser.feed(b"\x1b[201~");
            proptest::prop_assert!(parser.bytes.len() <= MAX_SEQUENCE + 8);
        }
    }
}

//! Reads one line from the terminal outside of the app: an answer to a question, or a secret that is not shown.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

/// Maximum length of a line; the rest of a longer one is an error.
const MAX_LINE: usize = 64 << 10;
const CTRL_C: u8 = 0x03;
const CTRL_D: u8 = 0x04;
const CTRL_U: u8 = 0x15;
const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7f;
const ESCAPE: u8 = 0x1b;
/// The bytes of an arrow key follow its escape within this many milliseconds.
const SEQUENCE_GAP_MS: libc::c_int = 30;

/// Whether typed characters appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EchoMode {
    Shown,
    Hidden,
}

/// Modes of the terminal as they were; restores them when it is dropped.
struct SavedModes(libc::termios);

impl SavedModes {
    /// Turns off echo, line mode and signal keys. Ctrl+C arrives as a byte, so the modes are restored before the end.
    fn set() -> io::Result<SavedModes> {
        // SAFETY: `termios` is plain data, and the pointer is valid for `tcgetattr` to fill.
        let before = unsafe {
            let mut modes: libc::termios = std::mem::zeroed();
            if libc::tcgetattr(0, &raw mut modes) != 0 {
                return Err(io::Error::last_os_error());
            }
            modes
        };
        let mut quiet = before;
        quiet.c_lflag &= !(libc::ECHO | libc::ECHONL | libc::ICANON | libc::ISIG);
        // SAFETY: the pointer is valid; `quiet` is a copy of modes that the system gave us.
        if unsafe { libc::tcsetattr(0, libc::TCSADRAIN, &raw const quiet) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(SavedModes(before))
    }
}

impl Drop for SavedModes {
    fn drop(&mut self) {
        // SAFETY: the modes are those that `tcgetattr` filled.
        unsafe { libc::tcsetattr(0, libc::TCSADRAIN, &raw const self.0) };
    }
}

/// Reads lines from the terminal on standard input. While it lives, the terminal echoes nothing by itself: what the
/// user types ahead never shows a secret.
pub struct TypedLineReader {
    input: TypedBytes,
    _modes: SavedModes,
}

impl TypedLineReader {
    pub fn new() -> io::Result<TypedLineReader> {
        let modes = SavedModes::set()?;
        // SAFETY: descriptor 0 stays open for the whole program, and `ManuallyDrop` never closes it. Reading it
        // directly keeps bytes after the line out of the buffer of `io::stdin`.
        let source = ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(0) });
        Ok(TypedLineReader { input: TypedBytes { source, typed_ahead: VecDeque::new() }, _modes: modes })
    }

    /// Reads one line. `None`: the user cancelled it with Esc or Ctrl+C.
    pub fn read(&mut self, echo: EchoMode) -> io::Result<Option<String>> {
        read_line(&mut self.input, echo)
    }

    /// Whether the user pressed Ctrl+C or Esc meanwhile. Other keys count for the next line.
    pub fn is_cancelled(&mut self) -> bool {
        while has_input(0) {
            match read_byte(&mut *self.input.source) {
                Ok(Some(CTRL_C)) => return true,
                Ok(Some(ESCAPE)) if !has_input(SEQUENCE_GAP_MS) => return true,
                Ok(Some(byte)) => self.input.typed_ahead.push_back(byte),
                Ok(None) | Err(_) => return true,
            }
        }
        false
    }
}

/// Bytes of the terminal, after those that were read already.
struct TypedBytes {
    source: ManuallyDrop<std::fs::File>,
    typed_ahead: VecDeque<u8>,
}

impl ByteSource for TypedBytes {
    fn next_byte(&mut self) -> io::Result<Option<u8>> {
        match self.typed_ahead.pop_front() {
            Some(byte) => Ok(Some(byte)),
            None => read_byte(&mut *self.source),
        }
    }

    fn more_follows(&self) -> bool {
        !self.typed_ahead.is_empty() || has_input(SEQUENCE_GAP_MS)
    }
}

/// Where typed bytes come from.
trait ByteSource {
    /// The next byte; `None` at the end.
    fn next_byte(&mut self) -> io::Result<Option<u8>>;
    /// Whether another byte is there at once.
    fn more_follows(&self) -> bool;
}

/// Whether standard input can be read, or is at its end, within so many milliseconds; -1 waits forever.
pub fn has_input(wait: libc::c_int) -> bool {
    let mut polled = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    // SAFETY: `polled` is one live pollfd and the count is 1.
    unsafe { libc::poll(&raw mut polled, 1, wait) > 0 }
}

fn read_line(input: &mut impl ByteSource, echo: EchoMode) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    while let Some(byte) = input.next_byte()? {
        match byte {
            CTRL_C => return Ok(None),
            ESCAPE if !input.more_follows() => return Ok(None),
            ESCAPE => skip_sequence(input)?,
            b'\r' | b'\n' | CTRL_D => break,
            CTRL_U => {
                show(echo, &"\x08 \x08".repeat(char_count(&line)))?;
                line.clear();
            }
            BACKSPACE | DELETE => {
                if let Some(start) = line.iter().rposition(|byte| !is_continuation(*byte)) {
                    line.truncate(start);
                    show(echo, "\x08 \x08")?;
                }
            }
            _ if line.len() == MAX_LINE => return Err(io::Error::other("the line is longer than 64 KB")),
            byte if byte.is_ascii_control() => {}
            byte => {
                line.push(byte);
                if echo == EchoMode::Shown {
                    write_bytes(&[byte])?;
                }
            }
        }
    }
    String::from_utf8(line).map(Some).map_err(|_| io::Error::other("the line is not text"))
}

fn read_byte(input: &mut impl Read) -> io::Result<Option<u8>> {
    let mut byte = [0];
    loop {
        match input.read(&mut byte) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(byte.first().copied()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Skips the rest of a key such as an arrow: `[`, parameters and a final letter.
fn skip_sequence(input: &mut impl ByteSource) -> io::Result<()> {
    if input.next_byte()? != Some(b'[') {
        return Ok(());
    }
    while let Some(byte) = input.next_byte()? {
        if (0x40..=0x7e).contains(&byte) {
            break;
        }
    }
    Ok(())
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn char_count(line: &[u8]) -> usize {
    line.iter().filter(|byte| !is_continuation(**byte)).count()
}

fn show(echo: EchoMode, text: &str) -> io::Result<()> {
    match echo {
        EchoMode::Shown => write_bytes(text.as_bytes()),
        EchoMode::Hidden => Ok(()),
    }
}

fn write_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(bytes)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Script(VecDeque<u8>);

    impl ByteSource for Script {
        fn next_byte(&mut self) -> io::Result<Option<u8>> {
            Ok(self.0.pop_front())
        }

        fn more_follows(&self) -> bool {
            !self.0.is_empty()
        }
    }

    fn try_read(typed: &[u8]) -> io::Result<Option<String>> {
        read_line(&mut Script(typed.iter().copied().collect()), EchoMode::Hidden)
    }

    fn read(typed: &str) -> Option<String> {
        try_read(typed.as_bytes()).unwrap()
    }

    #[test]
    fn mo_4_typed_key_is_read_up_to_enter() {
        assert_eq!(read("sk-1\rrest").as_deref(), Some("sk-1"));
        assert_eq!(read("oops\u{15}sk-23\u{7f}\n").as_deref(), Some("sk-2"));
        assert_eq!(read("sk-é\u{7f}3\u{4}").as_deref(), Some("sk-3"));
        assert_eq!(read("sk-4\u{3}"), None);
        assert!(try_read(&[0xff, b'\n']).is_err());
        assert!(try_read(&vec![b'x'; MAX_LINE + 1]).is_err());
    }

    #[test]
    fn on_3_esc_cancels_and_arrows_do_nothing() {
        assert_eq!(read("1\u{1b}"), None);
        assert_eq!(read("\u{1b}[B\u{1b}[1;2A2\r").as_deref(), Some("2"));
        assert_eq!(read("\u{1b}[200~sk-5\u{1b}[201~\r").as_deref(), Some("sk-5"));
    }
}

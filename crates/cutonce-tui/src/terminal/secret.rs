//! Reads a secret from the terminal without showing it.

use std::io::{self, Read};

/// Maximum length of a secret; the rest of a longer line is an error.
const MAX_SECRET: usize = 64 << 10;
const CTRL_C: u8 = 0x03;
const CTRL_D: u8 = 0x04;
const CTRL_U: u8 = 0x15;
const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7f;
const ESCAPE: u8 = 0x1b;

/// Modes of the terminal as they were; restores them when it is dropped.
struct EchoOff(libc::termios);

impl EchoOff {
    /// Turns off echo, line mode and signal keys. Ctrl+C arrives as a byte, so the modes are restored before the end.
    fn set() -> io::Result<EchoOff> {
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
        if unsafe { libc::tcsetattr(0, libc::TCSAFLUSH, &raw const quiet) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(EchoOff(before))
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        // SAFETY: the modes are those that `tcgetattr` filled.
        unsafe { libc::tcsetattr(0, libc::TCSADRAIN, &raw const self.0) };
    }
}

/// Reads one line from the terminal on standard input without showing it. `None`: the user cancelled it.
pub fn read_secret() -> io::Result<Option<String>> {
    let _quiet = EchoOff::set()?;
    read_line(&mut io::stdin().lock())
}

fn read_line(input: &mut impl Read) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        if input.read(&mut byte)? == 0 {
            break;
        }
        match byte[0] {
            CTRL_C | ESCAPE => return Ok(None),
            b'\r' | b'\n' | CTRL_D => break,
            CTRL_U => line.clear(),
            BACKSPACE | DELETE => drop(line.pop()),
            _ if line.len() == MAX_SECRET => return Err(io::Error::other("the key is longer than 64 KB")),
            other => line.push(other),
        }
    }
    String::from_utf8(line).map(Some).map_err(|_| io::Error::other("the key is not text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mo_4_typed_key_is_read_up_to_enter() {
        let read = |typed: &str| read_line(&mut typed.as_bytes()).unwrap();
        assert_eq!(read("sk-1\rrest").as_deref(), Some("sk-1"));
        assert_eq!(read("oops\u{15}sk-23\u{7f}\n").as_deref(), Some("sk-2"));
        assert_eq!(read("sk-3\u{4}").as_deref(), Some("sk-3"));
        assert_eq!(read("sk-4\u{3}"), None);
        assert!(read_line(&mut [0xff, b'\n'].as_slice()).is_err());
        assert!(read_line(&mut vec![b'x'; MAX_SECRET + 1].as_slice()).is_err());
    }
}

//! The program on a real terminal: keys in, screen out. Waits for screen content, with a generous deadline.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Only reached on failure.
const PATIENCE: Duration = Duration::from_secs(30);
/// The screen is stable after this long without output; used only for rewriting expectations.
const STILL: Duration = Duration::from_millis(700);
const SCROLLBACK: usize = 20_000;

pub struct Term {
    screen: vt100::Parser,
    output: mpsc::Receiver<Vec<u8>>,
    input: Box<dyn Write + Send>,
    pub master: Box<dyn MasterPty + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    /// Everything printed, for output that the screen does not show.
    pub raw: Vec<u8>,
}

fn size_of(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn non_zero(n: u16) -> Result<NonZeroU16, String> {
    NonZeroU16::new(n).ok_or_else(|| "a size is not 0".to_string())
}

impl Term {
    pub fn start(command: CommandBuilder, (columns, rows): (u16, u16)) -> Result<Term, String> {
        let pair = native_pty_system().openpty(size_of(columns, rows)).map_err(|error| error.to_string())?;
        let child = pair.slave.spawn_command(command).map_err(|error| error.to_string())?;
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().map_err(|error| error.to_string())?;
        let input = pair.master.take_writer().map_err(|error| error.to_string())?;
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut chunk = [0; 8192];
            while let Ok(n @ 1..) = reader.read(&mut chunk) {
                if sender.send(chunk[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = vt100::Parser::new(non_zero(rows)?, non_zero(columns)?, SCROLLBACK);
        Ok(Term { screen, output, input, master: pair.master, child, raw: Vec::new() })
    }

    /// True if the alternate screen is shown.
    pub fn alternate(&self) -> bool {
        self.screen.screen().alternate_screen()
    }

    pub fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// The scrollback and the screen below it.
    pub fn whole(&mut self) -> String {
        let rows = usize::from(self.screen.screen().size().0.get());
        let above = self.screen.screen().scrollback_len();
        let mut lines: Vec<String> = Vec::new();
        let mut at = above;
        while at > 0 {
            self.screen.screen_mut().set_scrollback(at);
            let take = at.min(rows);
            let width = self.screen.screen().size().1.get();
            lines.extend(self.screen.screen().rows(0, width).take(take));
            at -= take;
        }
        self.screen.screen_mut().set_scrollback(0);
        lines.iter_mut().for_each(|line| *line = line.trim_end().to_string());
        lines.push(self.contents());
        lines.join("\n")
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.screen.process(bytes);
    }

    /// Reads until the screen matches; the error shows the actual screen.
    pub fn until(&mut self, what: &str, mut fits: impl FnMut(&str) -> bool) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if fits(&self.contents()) {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => return Err(format!("never came to {what}; the screen:\n{}", self.contents())),
            }
        }
    }

    pub fn see(&mut self, cue: &str) -> Result<(), String> {
        self.until(&format!("show `{cue}`"), |screen| screen.contains(cue))
    }

    /// Reads everything available, until no more output comes.
    pub fn settle(&mut self) {
        let deadline = Instant::now() + STILL * 5;
        while let Ok(bytes) = self.output.recv_timeout(STILL) {
            self.take(&bytes);
            if Instant::now() > deadline {
                return;
            }
        }
    }

    /// Reads the output of this time span.
    pub fn watch(&mut self, span: Duration) {
        let end = Instant::now() + span;
        while let Ok(bytes) = self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.take(&bytes);
        }
    }

    pub fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.input.write_all(bytes).and_then(|()| self.input.flush()).map_err(|error| error.to_string())
    }

    pub fn press(&mut self, keys: &str) -> Result<(), String> {
        keys.split_whitespace().try_for_each(|key| self.rush(key))
    }

    /// Sends several keys in one write.
    pub fn rush(&mut self, keys: &str) -> Result<(), String> {
        let mut bytes = Vec::new();
        for key in keys.split_whitespace() {
            bytes.extend(bytes_of(key).ok_or_else(|| format!("no such key: {key}"))?);
        }
        self.send(&bytes)
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> Result<(), String> {
        self.screen.screen_mut().set_size(non_zero(rows)?, non_zero(columns)?);
        self.master.resize(size_of(columns, rows)).map_err(|error| error.to_string())
    }

    /// Waits for the program's end; returns its exit code.
    pub fn end(&mut self) -> Result<u32, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(50)) {
                    self.take(&bytes);
                }
                return Ok(status.exit_code());
            }
            // Output must be read, or the program blocks; its end closes the channel.
            match self.output.recv_timeout(Duration::from_millis(20)) {
                Ok(bytes) => self.take(&bytes),
                Err(_) if Instant::now() < deadline => {}
                Err(_) => return Err(format!("it never ended; the screen:\n{}", self.contents())),
            }
        }
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// The bytes that a terminal sends for a key.
fn bytes_of(key: &str) -> Option<Vec<u8>> {
    let named: &[u8] = match key {
        "enter" => b"\r",
        "esc" => b"\x1b",
        "tab" => b"\t",
        "shift+tab" => b"\x1b[Z",
        "backspace" => b"\x7f",
        "up" => b"\x1b[A",
        "down" => b"\x1b[B",
        "right" => b"\x1b[C",
        "left" => b"\x1b[D",
        "home" => b"\x1b[H",
        "end" => b"\x1b[F",
        "pgup" => b"\x1b[5~",
        "pgdn" => b"\x1b[6~",
        "del" => b"\x1b[3~",
        "shift+enter" => b"\x1b[13;2u",
        "space" => b" ",
        _ => {
            let rest = key.strip_prefix("ctrl+");
            return match (rest.map(str::as_bytes), key.as_bytes()) {
                (Some([letter @ b'a'..=b'z']), _) => Some(vec![letter - b'a' + 1]),
                (Some(b"_"), _) => Some(vec![0x1f]),
                (None, [_]) => Some(key.as_bytes().to_vec()),
                (Some(_) | None, _) => None,
            };
        }
    };
    Some(named.to_vec())
}

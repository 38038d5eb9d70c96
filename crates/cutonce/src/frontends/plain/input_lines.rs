//! Reads stdin line by line. A thread reads eagerly, so that earlier input never answers a later question
//! (UI-5). It reads nothing while another program uses the terminal.
//!
//! A paste is one message, however many lines it has. It is recognized by bracketed paste, or by its speed.
//! No line of a paste is a command (UI-3).

use cutonce_core::sync::LockUnpoisoned;
use cutonce_tui::has_input;
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::mpsc;

/// Bracketed paste: start, end, switch on, switch off.
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
const PASTE_MODE_ON: &str = "\x1b[?2004h";
const PASTE_MODE_OFF: &str = "\x1b[?2004l";
/// Lines that arrive within this many milliseconds are a paste.
const PASTE_GAP_MS: libc::c_int = 40;
/// Maximum bytes to hold back while waiting for the end of a paste.
const MAX_BUFFERED_BYTES: usize = 1 << 20;

/// Lock for the terminal's input, held while another program reads it.
#[derive(Debug, Clone, Default)]
pub struct TerminalGate {
    lock: Arc<Mutex<()>>,
    /// Bracketed paste is on.
    bracketed_paste: bool,
}

impl TerminalGate {
    /// Gives the terminal to `work` until it returns.
    pub fn lend_terminal<T>(&self, work: impl FnOnce() -> T) -> T {
        let _held = self.lock.lock_unpoisoned();
        self.write_mode(PASTE_MODE_OFF);
        let done = work();
        self.write_mode(PASTE_MODE_ON);
        done
    }

    fn with_lock<T>(&self, work: impl FnOnce() -> T) -> T {
        let _held = self.lock.lock_unpoisoned();
        work()
    }

    fn write_mode(&self, how: &str) {
        if self.bracketed_paste {
            print!("{how}");
            let _ = io::stdout().flush();
        }
    }
}

/// A typed line, or a whole paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputLine {
    pub text: String,
    /// Several lines that were pasted.
    pub pasted: bool,
    /// When the first byte arrived.
    pub at: Instant,
}

pub struct InputLines {
    receiver: mpsc::UnboundedReceiver<InputLine>,
    gate: TerminalGate,
}

impl InputLines {
    pub fn start() -> InputLines {
        let (sender, receiver) = mpsc::unbounded_channel();
        let terminal = io::stdin().is_terminal();
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let gate =
            TerminalGate { lock: Arc::default(), bracketed_paste: terminal && !dumb && io::stdout().is_terminal() };
        gate.write_mode(PASTE_MODE_ON);
        let held = gate.clone();
        std::thread::spawn(move || read_loop(&held, &sender, terminal));
        InputLines { receiver, gate }
    }

    pub fn gate(&self) -> TerminalGate {
        self.gate.clone()
    }

    /// Returns the next line; `None` at the end of stdin.
    pub async fn next(&mut self) -> Option<InputLine> {
        self.receiver.recv().await
    }

    /// Returns a line that is already there.
    pub fn try_next(&mut self) -> Option<InputLine> {
        self.receiver.try_recv().ok()
    }
}

impl Drop for InputLines {
    fn drop(&mut self) {
        self.gate.write_mode(PASTE_MODE_OFF);
    }
}

fn read_loop(gate: &TerminalGate, sender: &mpsc::UnboundedSender<InputLine>, terminal: bool) {
    let mut typing = LineAssembler::default();
    loop {
        if !has_input(-1) {
            continue;
        }
        // The input may be gone: the program that had the terminal took it.
        let more = gate.with_lock(|| if has_input(0) { read_available().map(Some) } else { Ok(None) });
        match more {
            Ok(Some(bytes)) if bytes.is_empty() => break,
            Ok(Some(bytes)) => typing.push(&bytes, Instant::now()),
            Ok(None) => continue,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        }
        // A pipe sends separate lines, however fast.
        let hasty = terminal && typing.buffered_len() < MAX_BUFFERED_BYTES && has_input(PASTE_GAP_MS);
        if !hasty && typing.take_finished(terminal).into_iter().any(|typed| sender.send(typed).is_err()) {
            return;
        }
    }
    typing.finish_line();
    typing.take_finished(terminal).into_iter().for_each(|typed| drop(sender.send(typed)));
}

/// Splits bytes into lines and pastes.
#[derive(Debug, Default)]
struct LineAssembler {
    /// The unfinished line.
    line: Vec<u8>,
    /// Finished lines that arrived together.
    finished: Vec<InputLine>,
    begun: Option<Instant>,
}

impl LineAssembler {
    fn buffered_len(&self) -> usize {
        self.line.len() + self.finished.iter().map(|typed| typed.text.len()).sum::<usize>()
    }

    fn push(&mut self, bytes: &[u8], now: Instant) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.begun.get_or_insert(now);
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") && (!in_paste(&self.line) || self.line.len() > MAX_BUFFERED_BYTES) {
                self.finish_line();
            }
        }
    }

    /// Finishes the current line.
    fn finish_line(&mut self) {
        let Some(at) = self.begun.take() else { return };
        let line = std::mem::take(&mut self.line);
        let marked = find_marker(&line, PASTE_START).is_some();
        let text = String::from_utf8_lossy(&line).replace("\x1b[200~", "").replace("\x1b[201~", "");
        let text = text.trim_end_matches(['\n', '\r']).to_string();
        self.finished.push(InputLine { pasted: marked && text.contains('\n'), text, at });
    }

    /// Takes the finished lines. From a terminal, lines that arrived together become one paste.
    fn take_finished(&mut self, together: bool) -> Vec<InputLine> {
        let whole = std::mem::take(&mut self.finished);
        match whole.first().filter(|_| together && whole.len() > 1) {
            Some(first) => {
                let lines: Vec<&str> = whole.iter().map(|typed| typed.text.as_str()).collect();
                vec![InputLine { text: lines.join("\n").trim_end().to_string(), pasted: true, at: first.at }]
            }
            None => whole,
        }
    }
}

/// True while a bracketed paste is open at the end of `line`.
fn in_paste(line: &[u8]) -> bool {
    let after = |mark: &[u8]| line.windows(mark.len()).rposition(|window| window == mark);
    after(PASTE_START).is_some_and(|begins| after(PASTE_END).is_none_or(|ends| ends < begins))
}

fn find_marker(line: &[u8], mark: &[u8]) -> Option<usize> {
    line.windows(mark.len()).position(|window| window == mark)
}

/// Reads all available bytes; empty at the end of stdin.
fn read_available() -> io::Result<Vec<u8>> {
    let mut input = io::stdin().lock();
    let bytes = input.fill_buf()?.to_vec();
    input.consume(bytes.len());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds these reads without a pause between them and returns the result.
    fn typed(reads: &[&str], terminal: bool) -> Vec<(String, bool)> {
        let mut typing = LineAssembler::default();
        reads.iter().for_each(|read| typing.push(read.as_bytes(), Instant::now()));
        typing.take_finished(terminal).into_iter().map(|typed| (typed.text, typed.pasted)).collect()
    }

    fn one(text: &str, pasted: bool) -> Vec<(String, bool)> {
        vec![(text.to_string(), pasted)]
    }

    #[test]
    fn ui_3_bracketed_paste_is_one_message() {
        assert_eq!(typed(&["hello\n"], true), one("hello", false));
        let marked = ["see: \x1b[200~one\n", "!touch x\n", "/exit\n", "two\x1b[201~ and so on\n"];
        assert_eq!(typed(&marked, true), one("see: one\n!touch x\n/exit\ntwo and so on", true));
        // Not before its end, in pieces of any size.
        assert_eq!(typed(&marked[..3], true), []);
        assert_eq!(typed(&["\x1b[20", "0~a\n", "b\n\x1b[2", "01~\n"], true), one("a\nb", true));
        // A line that was copied with its newline is still one line; the user pressed Enter after it.
        assert_eq!(typed(&["\x1b[200~/status\n\x1b[201~\n"], true), one("/status", false));
        assert_eq!(typed(&["\x1b[200~/status\x1b[201~\n"], true), one("/status", false));
    }

    #[test]
    fn ui_3_fast_lines_are_a_paste_on_tty() {
        assert_eq!(typed(&["one\n", "!touch x\n", "/exit\n"], true), one("one\n!touch x\n/exit", true));
        let lines = [("one".to_string(), false), ("/exit".to_string(), false)];
        assert_eq!(typed(&["one\n/exit\n"], false), lines);
    }
}

//! What is typed, line by line. It is read as it comes, so that what was typed before a question never answers it (UI-5); but not
//! one byte is taken while another program has the terminal.
//!
//! What is pasted is one thing, however many lines it has: by the marks that a terminal puts around it, and where there are
//! none by its haste. None of its lines is a command (UI-3).

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc;

/// Around what is pasted, once a terminal was asked for it.
const BEGINS: &[u8] = b"\x1b[200~";
const ENDS: &[u8] = b"\x1b[201~";
const ASK_FOR_MARKS: &str = "\x1b[?2004h";
const NO_MORE_MARKS: &str = "\x1b[?2004l";
/// Nobody types two lines within so many milliseconds.
const HASTE: libc::c_int = 40;
/// More than this is not held back for an end that may never come.
const MOST: usize = 1 << 20;

/// Held while somebody else reads the terminal.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    held: Arc<Mutex<()>>,
    /// The terminal marks what is pasted.
    marks: bool,
}

impl Gate {
    /// The terminal is `work`'s until it is done.
    pub fn lend<T>(&self, work: impl FnOnce() -> T) -> T {
        let _held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.mark(NO_MORE_MARKS);
        let done = work();
        self.mark(ASK_FOR_MARKS);
        done
    }

    fn hold<T>(&self, work: impl FnOnce() -> T) -> T {
        let _held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    fn mark(&self, how: &str) {
        if self.marks {
            print!("{how}");
            let _ = io::stdout().flush();
        }
    }
}

/// A line, or all that was pasted at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub text: String,
    /// Several lines that nobody typed.
    pub pasted: bool,
    /// When the first of it was there.
    pub at: Instant,
}

pub struct Lines {
    receiver: mpsc::UnboundedReceiver<Typed>,
    gate: Gate,
}

impl Lines {
    pub fn start() -> Lines {
        let (sender, receiver) = mpsc::unbounded_channel();
        let terminal = io::stdin().is_terminal();
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let gate = Gate { held: Arc::default(), marks: terminal && !dumb && io::stdout().is_terminal() };
        gate.mark(ASK_FOR_MARKS);
        let held = gate.clone();
        std::thread::spawn(move || read(&held, &sender, terminal));
        Lines { receiver, gate }
    }

    pub fn gate(&self) -> Gate {
        self.gate.clone()
    }

    /// None: there are no more.
    pub async fn next(&mut self) -> Option<Typed> {
        self.receiver.recv().await
    }

    /// One that was typed already.
    pub fn typed(&mut self) -> Option<Typed> {
        self.receiver.try_recv().ok()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.gate.mark(NO_MORE_MARKS);
    }
}

fn read(gate: &Gate, sender: &mpsc::UnboundedSender<Typed>, terminal: bool) {
    let mut typing = Typing::default();
    loop {
        if !is_ready(-1) {
            continue;
        }
        // What was there may be gone: the program that had the terminal took it.
        let more = gate.hold(|| if is_ready(0) { take().map(Some) } else { Ok(None) });
        match more {
            Ok(Some(bytes)) if bytes.is_empty() => break,
            Ok(Some(bytes)) => typing.push(&bytes, Instant::now()),
            Ok(None) => continue,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        }
        // Whoever writes to a pipe says lines.
        let hasty = terminal && typing.held() < MOST && is_ready(HASTE);
        if !hasty && typing.take(terminal).into_iter().any(|typed| sender.send(typed).is_err()) {
            return;
        }
    }
    typing.end();
    typing.take(terminal).into_iter().for_each(|typed| drop(sender.send(typed)));
}

/// Bytes become lines and pastes.
#[derive(Debug, Default)]
struct Typing {
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// Whole ones that came together.
    whole: Vec<Typed>,
    begun: Option<Instant>,
}

impl Typing {
    fn held(&self) -> usize {
        self.line.len() + self.whole.iter().map(|typed| typed.text.len()).sum::<usize>()
    }

    fn push(&mut self, bytes: &[u8], now: Instant) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.begun.get_or_insert(now);
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") && (!in_paste(&self.line) || self.line.len() > MOST) {
                self.end();
            }
        }
    }

    /// The line is whole, whatever it is.
    fn end(&mut self) {
        let Some(at) = self.begun.take() else { return };
        let line = std::mem::take(&mut self.line);
        let marked = find(&line, BEGINS).is_some();
        let text = String::from_utf8_lossy(&line).replace("\x1b[200~", "").replace("\x1b[201~", "");
        let text = text.trim_end_matches(['\n', '\r']).to_string();
        self.whole.push(Typed { pasted: marked && text.contains('\n'), text, at });
    }

    /// What is whole; from a terminal, all that came together is one.
    fn take(&mut self, together: bool) -> Vec<Typed> {
        let whole = std::mem::take(&mut self.whole);
        match whole.first().filter(|_| together && whole.len() > 1) {
            Some(first) => {
                let lines: Vec<&str> = whole.iter().map(|typed| typed.text.as_str()).collect();
                vec![Typed { text: lines.join("\n").trim_end().to_string(), pasted: true, at: first.at }]
            }
            None => whole,
        }
    }
}

/// Does a paste go on behind this?
fn in_paste(line: &[u8]) -> bool {
    let after = |mark: &[u8]| line.windows(mark.len()).rposition(|window| window == mark);
    after(BEGINS).is_some_and(|begins| after(ENDS).is_none_or(|ends| ends < begins))
}

fn find(line: &[u8], mark: &[u8]) -> Option<usize> {
    line.windows(mark.len()).position(|window| window == mark)
}

/// All that is there; empty at the end.
fn take() -> io::Result<Vec<u8>> {
    let mut input = io::stdin().lock();
    let bytes = input.fill_buf()?.to_vec();
    input.consume(bytes.len());
    Ok(bytes)
}

/// Standard input has something to read, or is at its end. Waits so many milliseconds for it; -1: for ever.
fn is_ready(wait: libc::c_int) -> bool {
    let mut polled = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    // Safety: one live entry.
    unsafe { libc::poll(&raw mut polled, 1, wait) > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of these reads, one after the other, without a pause between them.
    fn typed(reads: &[&str], terminal: bool) -> Vec<(String, bool)> {
        let mut typing = Typing::default();
        reads.iter().for_each(|read| typing.push(read.as_bytes(), Instant::now()));
        typing.take(terminal).into_iter().map(|typed| (typed.text, typed.pasted)).collect()
    }

    fn one(text: &str, pasted: bool) -> Vec<(String, bool)> {
        vec![(text.to_string(), pasted)]
    }

    #[test]
    fn ui_3_a_paste_is_one_thing_and_a_typed_line_is_a_line() {
        assert_eq!(typed(&["hello\n"], true), one("hello", false));
        let marked = ["see: \x1b[200~one\n", "!touch x\n", "/exit\n", "two\x1b[201~ and so on\n"];
        assert_eq!(typed(&marked, true), one("see: one\n!touch x\n/exit\ntwo and so on", true));
        // Not before its end, in pieces of any size.
        assert_eq!(typed(&marked[..3], true), []);
        assert_eq!(typed(&["\x1b[20", "0~a\n", "b\n\x1b[2", "01~\n"], true), one("a\nb", true));
        // A line that was copied with its end is still one line, and somebody pressed Enter behind it.
        assert_eq!(typed(&["\x1b[200~/status\n\x1b[201~\n"], true), one("/status", false));
        assert_eq!(typed(&["\x1b[200~/status\x1b[201~\n"], true), one("/status", false));
    }

    #[test]
    fn ui_3_lines_in_haste_are_a_paste_in_a_terminal_and_lines_in_a_pipe() {
        assert_eq!(typed(&["one\n", "!touch x\n", "/exit\n"], true), one("one\n!touch x\n/exit", true));
        let lines = [("one".to_string(), false), ("/exit".to_string(), false)];
        assert_eq!(typed(&["one\n/exit\n"], false), lines);
    }
}

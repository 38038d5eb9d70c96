//! Lines from standard input. They are read as they come, so that those typed before a question never answer it (UI-5); but
//! not one byte is taken while another program has the terminal.

use std::io::{self, BufRead};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Held while somebody else reads the terminal.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<Mutex<()>>);

impl Gate {
    /// The terminal is `work`'s until it is done.
    pub fn lend<T>(&self, work: impl FnOnce() -> T) -> T {
        let _held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

pub struct Lines {
    receiver: mpsc::UnboundedReceiver<String>,
    gate: Gate,
}

impl Lines {
    pub fn start() -> Lines {
        let (sender, receiver) = mpsc::unbounded_channel();
        let gate = Gate::default();
        let held = gate.clone();
        std::thread::spawn(move || read(&held, &sender));
        Lines { receiver, gate }
    }

    pub fn gate(&self) -> Gate {
        self.gate.clone()
    }

    /// None: there are no more.
    pub async fn next(&mut self) -> Option<String> {
        self.receiver.recv().await
    }

    /// One that was typed already.
    pub fn typed(&mut self) -> Option<String> {
        self.receiver.try_recv().ok()
    }
}

fn read(gate: &Gate, sender: &mpsc::UnboundedSender<String>) {
    let mut line = Vec::new();
    loop {
        if !is_ready(-1) {
            continue;
        }
        // What was there may be gone: the program that had the terminal took it.
        let more = gate.lend(|| if is_ready(0) { take().map(Some) } else { Ok(None) });
        let bytes = match more {
            Ok(Some(bytes)) if bytes.is_empty() => break,
            Ok(Some(bytes)) => bytes,
            Ok(None) => continue,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(piece);
            if piece.ends_with(b"\n") && sender.send(text(&std::mem::take(&mut line))).is_err() {
                return;
            }
        }
    }
    if !line.is_empty() {
        let _ = sender.send(text(&line));
    }
}

/// All that is there; empty at the end.
fn take() -> io::Result<Vec<u8>> {
    let mut input = io::stdin().lock();
    let bytes = input.fill_buf()?.to_vec();
    input.consume(bytes.len());
    Ok(bytes)
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_string()
}

/// Standard input has something to read, or is at its end. Waits so many milliseconds for it; -1: for ever.
fn is_ready(wait: libc::c_int) -> bool {
    let mut polled = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    // Safety: one live entry.
    unsafe { libc::poll(&raw mut polled, 1, wait) > 0 }
}

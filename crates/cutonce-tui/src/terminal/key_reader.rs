//! Key reader thread. It blocks in `poll`, so an idle terminal costs nothing (UI-12). It can pause, so that an editor
//! gets every key, and it reports when the terminal is closed.

use crate::input::{InputParser, TerminalInput};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::sync::WaitUnpoisoned;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;
use tokio::sync::mpsc;

/// An input event with its timestamp; `None` means the terminal was closed.
#[derive(Debug)]
pub struct TimedInput {
    pub at: Instant,
    pub input: Option<TerminalInput>,
}

pub struct KeyReader {
    shared: Arc<ReaderShared>,
    wake: UnixStream,
}

#[derive(Default)]
struct ReaderShared {
    state: Mutex<ReaderState>,
    changed: Condvar,
}

#[derive(Default)]
struct ReaderState {
    pause: bool,
    paused: bool,
}

impl ReaderShared {
    fn state(&self) -> MutexGuard<'_, ReaderState> {
        self.state.lock_unpoisoned()
    }
}

impl KeyReader {
    pub fn start() -> io::Result<(KeyReader, mpsc::UnboundedReceiver<TimedInput>)> {
        let (woken, wake) = UnixStream::pair()?;
        let (sender, receiver) = mpsc::unbounded_channel();
        let shared = Arc::new(ReaderShared::default());
        let for_thread = shared.clone();
        let ahead = pending_bytes();
        std::thread::Builder::new()
            .name("keys".into())
            .spawn(move || read_loop(&for_thread, &woken, &sender, ahead))?;
        Ok((KeyReader { shared, wake }, receiver))
    }

    /// Pauses reading. Returns once no more bytes will be read.
    pub fn pause(&self) {
        let mut state = self.shared.state();
        state.pause = true;
        let _ = (&self.wake).write(&[0]);
        while !state.paused {
            state = self.shared.changed.wait_unpoisoned(state);
        }
    }

    pub fn resume(&self) {
        self.shared.state().pause = false;
        self.shared.changed.notify_all();
    }
}

fn read_loop(
    shared: &ReaderShared,
    mut woken: &UnixStream,
    sender: &mpsc::UnboundedSender<TimedInput>,
    mut ahead: usize,
) {
    let mut parser = InputParser::default();
    let mut chunk = [0u8; 4096];
    loop {
        let wait = parser.flush_delay().map_or(-1, |wait| libc::c_int::try_from(wait.as_millis()).unwrap_or(-1));
        let mut polled = [
            libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: woken.as_raw_fd(), events: libc::POLLIN, revents: 0 },
        ];
        // SAFETY: the pointer refers to two valid `pollfd` entries, as the count says.
        let ready = unsafe { libc::poll(polled.as_mut_ptr(), 2, wait) };
        let found = match ready {
            0 => parser.flush(),
            n if n < 0 => continue,
            _ if polled[1].revents != 0 => {
                let _ = woken.read(&mut chunk);
                wait_while_paused(shared);
                continue;
            }
            _ => {
                // SAFETY: `chunk` is a valid buffer of this length.
                match unsafe { libc::read(0, chunk.as_mut_ptr().cast(), chunk.len()) } {
                    n if n > 0 => {
                        let read = &mut chunk[..n as usize];
                        // Typed before raw mode was on, when the terminal turned Enter into a newline.
                        read.iter_mut().take(ahead).filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r');
                        ahead = ahead.saturating_sub(read.len());
                        parser.feed(read)
                    }
                    n if n < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => continue,
                    _ => {
                        let _ = sender.send(TimedInput { at: Instant::now(), input: None });
                        return;
                    }
                }
            }
        };
        let at = Instant::now();
        for input in found {
            if sender.send(TimedInput { at, input: Some(input) }).is_err() {
                return;
            }
        }
    }
}

/// Number of bytes that are already waiting.
fn pending_bytes() -> usize {
    let mut count: libc::c_int = 0;
    // SAFETY: the pointer is valid for the ioctl to fill.
    let asked = unsafe { libc::ioctl(0, libc::FIONREAD, &raw mut count) };
    if asked == 0 { usize::try_from(count).unwrap_or(0) } else { 0 }
}

fn wait_while_paused(shared: &ReaderShared) {
    let mut state = shared.state();
    if state.pause {
        state.paused = true;
        shared.changed.notify_all();
    }
    while state.pause {
        state = shared.changed.wait_unpoisoned(state);
    }
    state.paused = false;
}

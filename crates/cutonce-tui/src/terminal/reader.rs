//! The thread that reads keys. It waits in the kernel: an idle terminal costs nothing (UI-12). It can be told to pause, so
//! that an editor gets every key, and it says when the terminal is gone.

use crate::input::{Input, Parser};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc;

/// What came and when; None in its place: the terminal is gone.
#[derive(Debug)]
pub struct Arrived {
    pub at: Instant,
    pub input: Option<Input>,
}

pub struct Reader {
    shared: Arc<Shared>,
    wake: UnixStream,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pause: bool,
    paused: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    pub fn start() -> io::Result<(Reader, mpsc::UnboundedReceiver<Arrived>)> {
        let (woken, wake) = UnixStream::pair()?;
        let (sender, receiver) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared::default());
        let for_thread = shared.clone();
        let ahead = typed_ahead();
        std::thread::Builder::new().name("keys".into()).spawn(move || read(&for_thread, &woken, &sender, ahead))?;
        Ok((Reader { shared, wake }, receiver))
    }

    /// Returns once not a byte more will be read.
    pub fn pause(&self) {
        let mut state = self.shared.state();
        state.pause = true;
        let _ = (&self.wake).write(&[0]);
        while !state.paused {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn go_on(&self) {
        self.shared.state().pause = false;
        self.shared.changed.notify_all();
    }
}

fn read(shared: &Shared, mut woken: &UnixStream, sender: &mpsc::UnboundedSender<Arrived>, mut ahead: usize) {
    let mut parser = Parser::default();
    let mut chunk = [0u8; 4096];
    loop {
        let wait = parser.waits().map_or(-1, |wait| libc::c_int::try_from(wait.as_millis()).unwrap_or(-1));
        let mut polled = [
            libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: woken.as_raw_fd(), events: libc::POLLIN, revents: 0 },
        ];
        // Safety: two live entries.
        let ready = unsafe { libc::poll(polled.as_mut_ptr(), 2, wait) };
        let found = match ready {
            0 => parser.flush(),
            n if n < 0 => continue,
            _ if polled[1].revents != 0 => {
                let _ = woken.read(&mut chunk);
                rest(shared);
                continue;
            }
            _ => {
                // Safety: a live buffer of this length.
                match unsafe { libc::read(0, chunk.as_mut_ptr().cast(), chunk.len()) } {
                    n if n > 0 => {
                        let read = &mut chunk[..n as usize];
                        // Typed before the terminal was ours: there Enter became a newline.
                        read.iter_mut().take(ahead).filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r');
                        ahead = ahead.saturating_sub(read.len());
                        parser.feed(read)
                    }
                    n if n < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => continue,
                    _ => {
                        let _ = sender.send(Arrived { at: Instant::now(), input: None });
                        return;
                    }
                }
            }
        };
        let at = Instant::now();
        for input in found {
            if sender.send(Arrived { at, input: Some(input) }).is_err() {
                return;
            }
        }
    }
}

/// Bytes that wait already.
fn typed_ahead() -> usize {
    let mut count: libc::c_int = 0;
    // Safety: the kernel fills it, or says that it can't.
    let asked = unsafe { libc::ioctl(0, libc::FIONREAD, &raw mut count) };
    if asked == 0 { usize::try_from(count).unwrap_or(0) } else { 0 }
}

fn rest(shared: &Shared) {
    let mut state = shared.state();
    if state.pause {
        state.paused = true;
        shared.changed.notify_all();
    }
    while state.pause {
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    state.paused = false;
}

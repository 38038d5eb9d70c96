//! Ends a program that a signal can't reach (DU-1): its thread is blocked, because nothing reads its output or a disk
//! does not answer.

use std::io::{self, PipeReader, Read};
use std::os::fd::IntoRawFd;
use std::sync::Once;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;
use tokio::runtime::Handle;

/// How long the program's thread may be blocked after a signal.
const BLOCKED_LIMIT: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

static STARTED: Once = Once::new();

/// Watches these signals from now on, each with its exit code. Call it on the thread that handles them.
pub fn watch(signals: &[(i32, u8)]) -> io::Result<()> {
    let mut watched = Ok(());
    STARTED.call_once(|| watched = start(signals));
    watched
}

fn start(signals: &[(i32, u8)]) -> io::Result<()> {
    let (reader, writer) = io::pipe()?;
    let writer = writer.into_raw_fd();
    for (signal, code) in signals.iter().copied() {
        let note = move || {
            // SAFETY: the descriptor is never closed, the buffer is one valid byte, and `write` may be called in a
            // signal handler.
            unsafe { libc::write(writer, (&raw const code).cast(), 1) };
        };
        // SAFETY: `note` calls only `write`.
        unsafe { signal_hook_registry::register(signal, note) }?;
    }
    let runtime = Handle::current();
    std::thread::spawn(move || end_if_blocked(reader, &runtime));
    Ok(())
}

fn end_if_blocked(mut signals: PipeReader, runtime: &Handle) {
    let mut code = [0];
    if signals.read_exact(&mut code).is_err() {
        return;
    }
    wait_until_blocked(runtime);
    cutonce_tui::restore_line_mode();
    let [code] = code;
    // SAFETY: it takes no pointer. Nothing may be cleaned up here: the blocked thread may hold any lock.
    unsafe { libc::_exit(code.into()) }
}

/// Returns when the thread of the runtime has not worked for too long.
fn wait_until_blocked(runtime: &Handle) {
    loop {
        let (answer, answered) = sync_channel(1);
        runtime.spawn(async move { answer.send(()) });
        match answered.recv_timeout(BLOCKED_LIMIT) {
            Ok(()) => std::thread::sleep(LOOK_INTERVAL),
            Err(RecvTimeoutError::Timeout) => return,
            // The runtime has ended, and the process should end now.
            Err(RecvTimeoutError::Disconnected) => return std::thread::sleep(BLOCKED_LIMIT),
        }
    }
}

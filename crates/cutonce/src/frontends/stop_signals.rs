//! What ends a headless run from outside: SIGINT, SIGTERM, and a host that is gone (DU-1).

use super::end_guard;
use cutonce_core::exit_code::{INTERRUPTED, TERMINATED};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// How long SessionEnd hooks, MCP servers and background commands may take after a signal, once the turn is recorded.
pub const END_GRACE: Duration = Duration::from_millis(150);

/// The result text of a run that a signal ended before it had a session.
pub const STOPPED_AT_START: &str = "Interrupted by the user";

/// SIGINT and SIGTERM. From `new` on they do not kill the process.
pub struct StopSignals {
    int: Signal,
    term: Signal,
}

impl StopSignals {
    pub fn new() -> std::io::Result<Self> {
        end_guard::watch(&[(libc::SIGINT, INTERRUPTED), (libc::SIGTERM, TERMINATED)])?;
        Ok(Self { int: signal(SignalKind::interrupt())?, term: signal(SignalKind::terminate())? })
    }

    /// Waits for the next signal and returns its exit code.
    pub async fn next(&mut self) -> u8 {
        tokio::select! {
            biased;
            _ = self.int.recv() => INTERRUPTED,
            _ = self.term.recv() => TERMINATED,
        }
    }

    /// Runs `work`, which a signal drops: then the error is its exit code.
    pub async fn or_stop<T>(&mut self, work: impl Future<Output = T>) -> Result<T, u8> {
        tokio::select! {
            biased;
            code = self.next() => Err(code),
            done = work => Ok(done),
        }
    }
}

/// The end of a run that a signal stops. It waits for the running turn, and then for nothing longer than the grace.
#[derive(Default)]
pub struct RunEnd {
    stopped: bool,
    turn_runs: bool,
    deadline: Option<Instant>,
}

impl RunEnd {
    pub fn stop(&mut self) {
        self.stopped = true;
        self.set_deadline();
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub fn set_turn_runs(&mut self, runs: bool) {
        self.turn_runs = runs;
        self.set_deadline();
    }

    fn set_deadline(&mut self) {
        let over = self.stopped && !self.turn_runs;
        self.deadline = over.then(|| self.deadline.unwrap_or_else(|| Instant::now() + END_GRACE));
    }

    /// Waits until the run must end although the session is not closed.
    pub async fn reached(&self) {
        match self.deadline {
            Some(deadline) => tokio::time::sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    }
}

/// Resolves when the reader of our standard output is gone, also while we write nothing.
pub async fn stdout_closed() {
    let (sender, closed) = oneshot::channel();
    std::thread::spawn(move || {
        if wait_for_closed_stdout() {
            let _ = sender.send(());
        }
    });
    if closed.await.is_err() {
        std::future::pending().await
    }
}

/// Blocks until nothing can read standard output any more. False if that can't be known.
fn wait_for_closed_stdout() -> bool {
    loop {
        // No event is asked for: errors and hang-ups are always reported.
        let mut polled = libc::pollfd { fd: libc::STDOUT_FILENO, events: 0, revents: 0 };
        // SAFETY: `polled` is one valid entry that lives through the call.
        match unsafe { libc::poll(&raw mut polled, 1, -1) } {
            1.. => return polled.revents & (libc::POLLERR | libc::POLLHUP) != 0,
            0 => {}
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return false,
        }
    }
}

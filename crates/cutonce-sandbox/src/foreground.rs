//! Runs a program of the user in the terminal, such as an editor, waits for it and restores the terminal
//! (PM-25). The program is not confined and never started for a model.

use crate::family;
use crate::spawn::{ProcessExit, SpawnError};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// A program that takes over the caller's standard input, output and error.
#[derive(Debug)]
pub struct ForegroundProgram {
    /// An absolute path; see [`crate::find_program`].
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
}

impl ForegroundProgram {
    /// Runs the program to its end and blocks this thread. Ctrl+C goes to the program, not to us. SIGTERM and SIGHUP
    /// end the program too, so that the caller can end (DU-1); the caller's own listeners still see them.
    pub fn run(self) -> Result<ProcessExit, SpawnError> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(self.env).current_dir(&self.cwd);
        // SAFETY: the closure runs in the forked child, makes only async-signal-safe calls, and neither allocates
        // nor locks.
        unsafe {
            command.pre_exec(|| {
                for signal in TERMINAL_SIGNALS {
                    libc::signal(signal, libc::SIG_DFL);
                }
                family::close_on_exec_except(&[])
            });
        }
        let terminal = SavedTerminal::save();
        let signals = IgnoredSignals::start();
        // On a thread with a runtime of its own: the caller's thread may belong to a runtime, which blocks here.
        let wait = || std::thread::scope(|scope| scope.spawn(|| run_until_signal(command)).join());
        let status = wait().unwrap_or_else(|_| Err(io::Error::other("the wait for the program failed")));
        drop(signals);
        terminal.restore();
        match status {
            Ok(status) => Ok(match status.signal() {
                Some(signal) => ProcessExit::Signalled(signal),
                None => ProcessExit::Exited(status.code().unwrap_or_default()),
            }),
            Err(_) if !self.cwd.is_dir() => Err(SpawnError::FolderMissing(self.cwd)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SpawnError::ProgramMissing(self.program)),
            Err(error) => Err(SpawnError::Failed { program: self.program, error }),
        }
    }
}

/// How long the program may take to save and end after a signal that ends us.
const END_GRACE: Duration = Duration::from_secs(1);

/// Runs the program. A signal that ends us is passed on to it; if that does not end it, it is killed.
fn run_until_signal(command: Command) -> io::Result<ExitStatus> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (mut term, mut hangup) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
        let mut child = tokio::process::Command::from(command).spawn()?;
        let passed = tokio::select! {
            status = child.wait() => return status,
            _ = term.recv() => libc::SIGTERM,
            _ = hangup.recv() => libc::SIGHUP,
        };
        if let Some(id) = child.id().and_then(|id| libc::pid_t::try_from(id).ok()) {
            // SAFETY: sends a signal to our child, which was not waited for yet, so the id is its own.
            unsafe { libc::kill(id, passed) };
        }
        match tokio::time::timeout(END_GRACE, child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                child.start_kill()?;
                child.wait().await
            }
        }
    })
}

/// Signals that a terminal sends to all foreground programs.
const TERMINAL_SIGNALS: [libc::c_int; 2] = [libc::SIGINT, libc::SIGQUIT];

/// Ignores these signals while it lives.
struct IgnoredSignals([libc::sigaction; 2]);

impl IgnoredSignals {
    fn start() -> IgnoredSignals {
        IgnoredSignals(TERMINAL_SIGNALS.map(|signal| {
            // SAFETY: an all-zero `sigaction` is valid; both pointers are to locals that outlive the call.
            unsafe {
                let mut ignore: libc::sigaction = std::mem::zeroed();
                ignore.sa_sigaction = libc::SIG_IGN;
                let mut before: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, &raw const ignore, &raw mut before);
                before
            }
        }))
    }
}

impl Drop for IgnoredSignals {
    fn drop(&mut self) {
        for (signal, before) in TERMINAL_SIGNALS.into_iter().zip(&self.0) {
            // SAFETY: `before` is an action that the kernel returned; a null pointer is allowed for the old action.
            unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
        }
    }
}

/// The saved modes of the terminal; `None` if standard input is not a terminal.
struct SavedTerminal(Option<libc::termios>);

impl SavedTerminal {
    fn save() -> SavedTerminal {
        // SAFETY: an all-zero `termios` is valid and `modes` outlives the call; it is used only after success.
        unsafe {
            let mut modes: libc::termios = std::mem::zeroed();
            SavedTerminal((libc::tcgetattr(0, &raw mut modes) == 0).then_some(modes))
        }
    }

    /// Restores the modes: a program that crashed may have left the terminal without echo.
    fn restore(self) {
        if let Some(modes) = self.0 {
            // SAFETY: `modes` was filled by `tcgetattr` and outlives the call.
            unsafe { libc::tcsetattr(0, libc::TCSADRAIN, &raw const modes) };
        }
    }
}

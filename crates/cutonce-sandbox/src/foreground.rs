//! A program of the user's own that gets the terminal, such as an editor: it is waited for, and the terminal is given
//! back as it was (PM-25). Nothing holds it; it is never started for a model.

use crate::family;
use crate::spawn::{Ended, SpawnError};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::Command;

/// A program that takes over the caller's standard input, output and error.
#[derive(Debug)]
pub struct Foreground {
    /// An absolute path; see [`crate::find_program`].
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
}

impl Foreground {
    /// Runs it to its end; blocks this thread. Ctrl+C meanwhile is the program's, not ours.
    pub fn run(self) -> Result<Ended, SpawnError> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(self.env).current_dir(&self.cwd);
        // Safety: only async-signal-safe calls, on no state of this process.
        unsafe {
            command.pre_exec(|| {
                for signal in TYPED {
                    libc::signal(signal, libc::SIG_DFL);
                }
                family::keep_only(&[])
            });
        }
        let terminal = Terminal::save();
        let signals = Ignored::start();
        let status = command.status();
        drop(signals);
        terminal.restore();
        match status {
            Ok(status) => Ok(match status.signal() {
                Some(signal) => Ended::Signalled(signal),
                None => Ended::Exited(status.code().unwrap_or_default()),
            }),
            Err(_) if !self.cwd.is_dir() => Err(SpawnError::NoFolder(self.cwd)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SpawnError::NoProgram(self.program)),
            Err(error) => Err(SpawnError::Failed { program: self.program, error }),
        }
    }
}

/// What a terminal sends to all programs in the foreground.
const TYPED: [libc::c_int; 2] = [libc::SIGINT, libc::SIGQUIT];

/// While it lives, these signals do nothing to us.
struct Ignored([libc::sigaction; 2]);

impl Ignored {
    fn start() -> Ignored {
        Ignored(TYPED.map(|signal| {
            // Safety: zeroed is a valid sigaction; the kernel reads one and fills the other.
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

impl Drop for Ignored {
    fn drop(&mut self) {
        for (signal, before) in TYPED.into_iter().zip(&self.0) {
            // Safety: puts back what the kernel gave us.
            unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
        }
    }
}

/// The terminal's modes; None where standard input is no terminal.
struct Terminal(Option<libc::termios>);

impl Terminal {
    fn save() -> Terminal {
        // Safety: the kernel fills it, or says that there is none.
        unsafe {
            let mut modes: libc::termios = std::mem::zeroed();
            Terminal((libc::tcgetattr(0, &raw mut modes) == 0).then_some(modes))
        }
    }

    /// A program that crashed may have left it without echo.
    fn restore(self) {
        if let Some(modes) = self.0 {
            // Safety: modes that the kernel gave us.
            unsafe { libc::tcsetattr(0, libc::TCSADRAIN, &raw const modes) };
        }
    }
}

//! Starts a program with an explicit environment; everything it leaves behind dies with it (TL-8, AG-4).

use crate::family;
use crate::layer::SandboxLimits;
use crate::profile::{ResourceKind, SandboxProfile};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use tokio::net::TcpListener;
use tokio::net::unix::pipe;

/// A program to start. The child gets exactly this: no other variable or descriptor, and no terminal.
#[derive(Debug)]
pub struct SpawnSpec {
    /// An absolute path; see [`crate::find_program`].
    pub program: PathBuf,
    /// The program's `argv[0]`; see `called`.
    pub argv0: Option<OsString>,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// The whole environment; see `scrubbed`.
    pub env: Vec<(OsString, OsString)>,
    pub profile: SandboxProfile,
    pub limits: SandboxLimits,
    pub input: StdinMode,
    pub output: StdoutMode,
    /// Descriptors the program keeps, under the same numbers. A profile does not restrict what they lead to: pass
    /// pipes and memory files (`memfd_create`), never files or folders.
    pub passed_fds: Vec<OwnedFd>,
    /// See `hold_until_end`.
    pub held_file: Option<OwnedFd>,
}

/// Source of the program's standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdinMode {
    /// Immediate end of file.
    Null,
    /// A pipe: `stdin`.
    Piped,
}

/// Destination of the program's standard output and error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdoutMode {
    /// Both into `stdout`, in the order they were written.
    Merged,
    /// Into `stdout` and `stderr`.
    Separate,
}

#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("the folder {0} no longer exists")]
    FolderMissing(PathBuf),
    #[error("the program {0} was not found")]
    ProgramMissing(PathBuf),
    #[error("{program} could not be started: {error}")]
    Failed { program: PathBuf, error: io::Error },
    /// The profile can't be enforced in full (SB-3).
    #[error("the sandbox can't be applied in full, so the command was not run ({why})")]
    NotConfined { why: String },
}

/// A started program. Dropping it kills the program and all it started.
#[derive(Debug)]
pub struct RunningProcess {
    pub stdin: Option<pipe::Sender>,
    pub stdout: Option<pipe::Receiver>,
    pub stderr: Option<pipe::Receiver>,
    child: family::SupervisedChild,
    lifeline: Option<Lifeline>,
}

/// Keeps a started program alive. The program and everything it started are killed when this is dropped or
/// this process dies.
#[derive(Debug)]
pub struct Lifeline {
    _family: family::FamilyLifeline,
}

/// How a program ended: by exit code or by signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    Exited(i32),
    /// Killed by this signal; 9 also after `kill`.
    Signalled(i32),
}

impl SpawnSpec {
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>, env: Vec<(OsString, OsString)>) -> Self {
        Self {
            program: program.into(),
            argv0: None,
            args: Vec::new(),
            cwd: cwd.into(),
            env,
            profile: SandboxProfile::default(),
            limits: SandboxLimits::default(),
            input: StdinMode::Null,
            output: StdoutMode::Merged,
            passed_fds: Vec::new(),
            held_file: None,
        }
    }
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
    /// Sets `argv[0]`, by default the path. For shells, which begin their messages with it.
    pub fn argv0(self, name: impl Into<OsString>) -> Self {
        Self { argv0: Some(name.into()), ..self }
    }
    pub fn input(self, input: StdinMode) -> Self {
        Self { input, ..self }
    }
    pub fn output(self, output: StdoutMode) -> Self {
        Self { output, ..self }
    }
    pub fn profile(self, profile: SandboxProfile) -> Self {
        Self { profile, ..self }
    }
    /// Treats some kernel mechanisms as missing; see `Limits`.
    pub fn limits(self, limits: SandboxLimits) -> Self {
        Self { limits, ..self }
    }
    /// Lets the program keep this descriptor; returns its number there.
    pub fn pass_fd(&mut self, fd: OwnedFd) -> RawFd {
        let number = fd.as_raw_fd();
        self.passed_fds.push(fd);
        number
    }

    /// Keeps a file open, and with it a lock, until everything that the program started has ended, even if this process
    /// is killed. A line end is appended to the file then. Only on Linux; the program does not get the file.
    pub fn hold_until_end(self, file: OwnedFd) -> Self {
        Self { held_file: Some(file), ..self }
    }

    /// Starts the program. Needs a tokio runtime. Returns when the program runs or could not be executed.
    pub fn start(self) -> Result<RunningProcess, SpawnError> {
        let program = self.program.clone();
        let failed = |error: io::Error| SpawnError::Failed { program: program.clone(), error };
        let ends = StdioPipes::new(self.input, self.output).map_err(failed)?;
        let (child, held) = family::start(self, ends.theirs)?;
        let lifeline = Some(Lifeline { _family: held });
        Ok(RunningProcess { stdin: ends.stdin, stdout: Some(ends.stdout), stderr: ends.stderr, child, lifeline })
    }
}

/// Both ends of the program's standard input, output and error.
struct StdioPipes {
    theirs: [OwnedFd; 3],
    stdin: Option<pipe::Sender>,
    stdout: pipe::Receiver,
    stderr: Option<pipe::Receiver>,
}

impl StdioPipes {
    fn new(input: StdinMode, output: StdoutMode) -> io::Result<Self> {
        let (their_stdin, stdin): (OwnedFd, _) = match input {
            StdinMode::Null => (File::open("/dev/null")?.into(), None),
            StdinMode::Piped => {
                let (reader, writer) = io::pipe()?;
                (reader.into(), Some(pipe::Sender::from_owned_fd(writer.into())?))
            }
        };
        let (stdout, their_stdout) = io::pipe()?;
        let (their_stderr, stderr) = match output {
            StdoutMode::Merged => (their_stdout.try_clone()?, None),
            StdoutMode::Separate => {
                let (stderr, writer) = io::pipe()?;
                (writer, Some(pipe_receiver(stderr)?))
            }
        };
        let theirs = [their_stdin, their_stdout.into(), their_stderr.into()];
        Ok(Self { theirs, stdin, stdout: pipe_receiver(stdout)?, stderr })
    }
}

fn pipe_receiver(reader: io::PipeReader) -> io::Result<pipe::Receiver> {
    pipe::Receiver::from_owned_fd(reader.into())
}

impl RunningProcess {
    /// Waits until the program and everything it started are gone. Cancel-safe: may be dropped and called again.
    pub async fn wait(&mut self) -> io::Result<ProcessExit> {
        let ended = self.child.wait().await?;
        self.lifeline = None;
        Ok(ended)
    }

    /// Returns the limit for which the program was ended, if any (SB-7). Known after `wait`.
    pub fn over_limit(&self) -> Option<ResourceKind> {
        self.child.over_limit()
    }

    /// Takes out the listener in the program's own network, if the profile asked for one.
    pub fn take_listener(&mut self) -> Option<TcpListener> {
        let listener = std::net::TcpListener::from(self.child.take_listener()?);
        listener.set_nonblocking(true).ok()?;
        TcpListener::from_std(listener).ok()
    }

    /// Kills the program and everything it started. `wait` returns when they are gone.
    pub fn kill(&mut self) {
        self.lifeline = None;
    }

    /// Takes out the lifeline so that the caller can keep it. `kill` then does nothing.
    pub fn take_lifeline(&mut self) -> Option<Lifeline> {
        self.lifeline.take()
    }

    /// Process id to wait for; on Linux the supervisor's. `None` after the end.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }
}

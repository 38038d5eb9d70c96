//! Starting a program: everything it gets is stated, and all it leaves behind dies with it (TL-8, AG-4).

use crate::family;
use crate::layer::Limits;
use crate::profile::Profile;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use tokio::net::unix::pipe;

/// A program to start. The child gets exactly this: no other variable, no other descriptor, no terminal.
#[derive(Debug)]
pub struct Spawn {
    /// An absolute path; see [`crate::find_program`].
    pub program: PathBuf,
    /// The name that the program is told it has; see [`Spawn::called`].
    pub called: Option<OsString>,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// The whole environment; see [`crate::env::scrubbed`].
    pub env: Vec<(OsString, OsString)>,
    pub profile: Profile,
    pub limits: Limits,
    pub input: Input,
    pub output: Output,
    /// Descriptors the program keeps, under the same numbers. A profile does not hold what they lead to: pass
    /// pipes and memory files (`memfd_create`), never files or folders.
    pub pass: Vec<OwnedFd>,
}

/// Where the program's standard input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// End of file at once.
    Null,
    /// [`Running::stdin`].
    Piped,
}

/// Where its standard output and error go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Both into [`Running::stdout`], in the order they were written.
    Merged,
    /// Into [`Running::stdout`] and [`Running::stderr`].
    Separate,
}

#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("the folder {0} is not there any more")]
    NoFolder(PathBuf),
    #[error("there is no program {0}")]
    NoProgram(PathBuf),
    #[error("{program} could not be started: {error}")]
    Failed { program: PathBuf, error: io::Error },
    /// SB-3.
    #[error("the sandbox can't be applied in full, so the command was not run ({why})")]
    Unheld { why: String },
}

/// A started program. Dropping it kills the program and all it started.
#[derive(Debug)]
pub struct Running {
    pub stdin: Option<pipe::Sender>,
    pub stdout: Option<pipe::Receiver>,
    pub stderr: Option<pipe::Receiver>,
    child: family::Child,
    lifeline: Option<Lifeline>,
}

/// What keeps a started program alive. When it is dropped, or this process dies in whatever way, the
/// program and everything it started are killed.
#[derive(Debug)]
pub struct Lifeline {
    _held: family::Held,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    /// By this signal; 9 also when it was killed by [`Running::kill`].
    Signalled(i32),
}

impl Spawn {
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>, env: Vec<(OsString, OsString)>) -> Self {
        Self {
            program: program.into(),
            called: None,
            args: Vec::new(),
            cwd: cwd.into(),
            env,
            profile: Profile::default(),
            limits: Limits::default(),
            input: Input::Null,
            output: Output::Merged,
            pass: Vec::new(),
        }
    }
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
    /// Instead of its path, by which many a program finds what belongs to it: for shells, which begin their messages with it.
    pub fn called(self, name: impl Into<OsString>) -> Self {
        Self { called: Some(name.into()), ..self }
    }
    pub fn input(self, input: Input) -> Self {
        Self { input, ..self }
    }
    pub fn output(self, output: Output) -> Self {
        Self { output, ..self }
    }
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }
    /// Do as if some of the kernel's mechanisms were not there; see [`Limits`].
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }
    /// Let the program keep this descriptor; the number it has there.
    pub fn pass(&mut self, fd: OwnedFd) -> RawFd {
        let number = fd.as_raw_fd();
        self.pass.push(fd);
        number
    }

    /// Start it. Needs a tokio runtime. Returns when the program runs or could not be executed.
    pub fn start(self) -> Result<Running, SpawnError> {
        let program = self.program.clone();
        let failed = |error: io::Error| SpawnError::Failed { program: program.clone(), error };
        let ends = Ends::new(self.input, self.output).map_err(failed)?;
        let (child, held) = family::start(self, ends.theirs)?;
        let lifeline = Some(Lifeline { _held: held });
        Ok(Running { stdin: ends.stdin, stdout: Some(ends.stdout), stderr: ends.stderr, child, lifeline })
    }
}

/// Both ends of the program's standard input, output and error.
struct Ends {
    theirs: [OwnedFd; 3],
    stdin: Option<pipe::Sender>,
    stdout: pipe::Receiver,
    stderr: Option<pipe::Receiver>,
}

impl Ends {
    fn new(input: Input, output: Output) -> io::Result<Self> {
        let (their_stdin, stdin): (OwnedFd, _) = match input {
            Input::Null => (File::open("/dev/null")?.into(), None),
            Input::Piped => {
                let (reader, writer) = io::pipe()?;
                (reader.into(), Some(pipe::Sender::from_owned_fd(writer.into())?))
            }
        };
        let (stdout, their_stdout) = io::pipe()?;
        let (their_stderr, stderr) = match output {
            Output::Merged => (their_stdout.try_clone()?, None),
            Output::Separate => {
                let (stderr, writer) = io::pipe()?;
                (writer, Some(receiver(stderr)?))
            }
        };
        let theirs = [their_stdin, their_stdout.into(), their_stderr.into()];
        Ok(Self { theirs, stdin, stdout: receiver(stdout)?, stderr })
    }
}

fn receiver(reader: io::PipeReader) -> io::Result<pipe::Receiver> {
    pipe::Receiver::from_owned_fd(reader.into())
}

impl Running {
    /// Wait until the program has ended and everything it started is gone. May be dropped and called again.
    pub async fn wait(&mut self) -> io::Result<Ended> {
        let ended = self.child.wait().await?;
        self.lifeline = None;
        Ok(ended)
    }

    /// Kill the program and all it started, at once. [`Running::wait`] tells when they are gone.
    pub fn kill(&mut self) {
        self.lifeline = None;
    }

    /// Take out what keeps the program alive, to hold it elsewhere. [`Running::kill`] then does nothing.
    pub fn take_lifeline(&mut self) -> Option<Lifeline> {
        self.lifeline.take()
    }

    /// The process to wait for; on Linux its supervisor. None when it has ended.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }
}

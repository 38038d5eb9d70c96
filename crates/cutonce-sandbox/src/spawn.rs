//! Starting a program: everything it gets is stated, and all it leaves behind dies with it (TL-8, AG-4).

use crate::family;
use crate::profile::Profile;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdin, Command};

/// A program to start. The child gets exactly this: no other variable, no other descriptor, no terminal.
#[derive(Debug)]
pub struct Spawn {
    /// An absolute path; see [`crate::find_program`].
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// The whole environment; see [`crate::env::scrubbed`].
    pub env: Vec<(OsString, OsString)>,
    pub profile: Profile,
    pub input: Input,
    pub output: Output,
    /// Descriptors the program keeps, under the same numbers.
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
}

/// A started program. Dropping it kills the program and all it started.
#[derive(Debug)]
pub struct Running {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<pipe::Receiver>,
    pub stderr: Option<pipe::Receiver>,
    child: Child,
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
            args: Vec::new(),
            cwd: cwd.into(),
            env,
            profile: Profile::default(),
            input: Input::Null,
            output: Output::Merged,
            pass: Vec::new(),
        }
    }
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
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
    /// Let the program keep this descriptor; the number it has there.
    pub fn pass(&mut self, fd: OwnedFd) -> RawFd {
        let number = fd.as_raw_fd();
        self.pass.push(fd);
        number
    }

    /// Start it. Needs a tokio runtime. Returns when the program runs or could not be executed.
    pub fn start(self) -> Result<Running, SpawnError> {
        let cwd = self.cwd.clone();
        let program = self.program.clone();
        self.fork_and_exec().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !cwd.is_dir() => SpawnError::NoFolder(cwd),
            io::ErrorKind::NotFound => SpawnError::NoProgram(program),
            _ => SpawnError::Failed { program, error },
        })
    }

    fn fork_and_exec(self) -> io::Result<Running> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(self.env).current_dir(&self.cwd);
        if let Some(name) = self.program.file_name() {
            command.arg0(name);
        }
        command.stdin(match self.input {
            Input::Null => Stdio::null(),
            Input::Piped => Stdio::piped(),
        });
        let (stdout, writer) = io::pipe()?;
        let stderr = match self.output {
            Output::Merged => {
                command.stderr(writer.try_clone()?);
                None
            }
            Output::Separate => {
                let (stderr, writer) = io::pipe()?;
                command.stderr(writer);
                Some(receiver(stderr)?)
            }
        };
        command.stdout(writer);
        let stdout = receiver(stdout)?;
        let passed: Vec<RawFd> = self.pass.iter().map(AsRawFd::as_raw_fd).collect();
        let profile = self.profile;
        let (held, mut enter) = family::prepare()?;
        // Safety: the closure runs in the forked child and makes only system calls that are async-signal-safe
        // on state prepared above; it neither allocates nor takes a lock.
        unsafe {
            command.pre_exec(move || {
                enter.enter()?;
                family::keep_only(&passed)?;
                profile.apply()
            });
        }
        let mut child = command.spawn()?;
        let held = held.started(child.id());
        Ok(Running {
            stdin: child.stdin.take(),
            stdout: Some(stdout),
            stderr,
            child,
            lifeline: Some(Lifeline { _held: held }),
        })
    }
}

fn receiver(reader: io::PipeReader) -> io::Result<pipe::Receiver> {
    pipe::Receiver::from_owned_fd(reader.into())
}

impl Running {
    /// Wait until the program has ended and everything it started is gone. May be dropped and called again.
    pub async fn wait(&mut self) -> io::Result<Ended> {
        let status = self.child.wait().await?;
        self.lifeline = None;
        Ok(match status.signal() {
            Some(signal) => Ended::Signalled(signal),
            None => Ended::Exited(status.code().unwrap_or_default()),
        })
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

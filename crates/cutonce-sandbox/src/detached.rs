//! Starts a program of the user that outlives this process, such as a browser (RV-1). It is not confined and never
//! started for a model.

use crate::family;
use crate::spawn::SpawnError;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program without a terminal, that is not our child.
#[derive(Debug)]
pub struct DetachedProgram {
    /// An absolute path; see [`crate::find_program`].
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
}

impl DetachedProgram {
    /// Starts it; returns as soon as it runs.
    pub fn start(self) -> Result<(), SpawnError> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(self.env).current_dir(&self.cwd);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: the closure runs in the forked child, makes only async-signal-safe calls, and neither allocates
        // nor locks. The child forks once more and ends: the program belongs to init and has a session of its own.
        unsafe {
            command.pre_exec(|| {
                if libc::setsid() < 0 {
                    return Err(io::Error::last_os_error());
                }
                match libc::fork() {
                    0 => family::close_on_exec_except(&[]),
                    -1 => Err(io::Error::last_os_error()),
                    _ => libc::_exit(0),
                }
            });
        }
        let started = command.spawn().and_then(|mut child| child.wait());
        match started {
            Ok(_) => Ok(()),
            Err(_) if !self.cwd.is_dir() => Err(SpawnError::FolderMissing(self.cwd)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(SpawnError::ProgramMissing(self.program)),
            Err(error) => Err(SpawnError::Failed { program: self.program, error }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rv_1_detached_program_is_not_our_child() {
        let dir = tempfile::tempdir().unwrap();
        let (out, script) = (dir.path().join("out"), "exec > out.part; echo $PPID; mv out.part out");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let detached = DetachedProgram {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            cwd: dir.path().into(),
            env: vec![("PATH".into(), path)],
        };
        detached.start().unwrap();
        while !out.exists() {
            std::thread::yield_now();
        }
        let parent: u32 = std::fs::read_to_string(out).unwrap().trim().parse().unwrap();
        assert_ne!(parent, std::process::id());
        let missing = DetachedProgram { program: "/no/such".into(), args: vec![], cwd: "/".into(), env: vec![] };
        assert!(matches!(missing.start(), Err(SpawnError::ProgramMissing(_))));
    }
}

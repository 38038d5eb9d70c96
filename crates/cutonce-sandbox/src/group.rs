//! Fallback without a subreaper: the program leads its own process group, and that group is killed.
//! A process that leaves the group escapes; `cutonce doctor` says so. On macOS, Seatbelt enforces the profile.

use crate::layer::sandbox_support;
use crate::profile::SandboxProfile;
use crate::seatbelt;
use crate::spawn::{ProcessExit, SpawnError, SpawnSpec};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// Seatbelt needs no placeholders.
pub fn remove_placeholders(_wanted: &[PathBuf], _roots: &[PathBuf]) -> io::Result<()> {
    Ok(())
}

/// Seatbelt makes none.
pub fn is_placeholder(_path: &Path) -> bool {
    false
}

/// Kills the group when dropped.
#[derive(Debug)]
pub(crate) struct FamilyLifeline {
    leader: Option<u32>,
}

impl Drop for FamilyLifeline {
    fn drop(&mut self) {
        if let Some(leader) = self.leader.and_then(|id| libc::pid_t::try_from(id).ok()).filter(|id| *id > 1) {
            // SAFETY: `kill` takes plain numbers. The group's id stays taken while any member lives.
            unsafe { libc::kill(-leader, libc::SIGKILL) };
        }
    }
}

#[derive(Debug)]
pub(crate) struct SupervisedChild {
    child: tokio::process::Child,
}

impl SupervisedChild {
    pub(crate) async fn wait(&mut self) -> io::Result<ProcessExit> {
        let status = self.child.wait().await?;
        Ok(match status.signal() {
            Some(signal) => ProcessExit::Signalled(signal),
            None => ProcessExit::Exited(status.code().unwrap_or_default()),
        })
    }
    /// Programs have no network of their own here.
    pub(crate) fn take_listener(&mut self) -> Option<std::os::fd::OwnedFd> {
        None
    }

    /// No limits are enforced here.
    pub(crate) fn over_limit(&self) -> Option<crate::profile::ResourceKind> {
        None
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }
}

pub(crate) fn start(spawn: SpawnSpec, stdio: [OwnedFd; 3]) -> Result<(SupervisedChild, FamilyLifeline), SpawnError> {
    let mut command = match &spawn.profile {
        SandboxProfile::Unconfined => {
            let mut command = Command::new(&spawn.program);
            command.arg0(spawn.argv0.as_deref().unwrap_or(spawn.program.as_os_str()));
            command
        }
        SandboxProfile::ReadOnly(_) | SandboxProfile::WorkspaceWrite(_) | SandboxProfile::Layered(_) => {
            let layer = sandbox_support();
            let text = seatbelt::policy_text(&spawn.profile).filter(|_| layer.can_confine());
            let text = text.ok_or_else(|| SpawnError::NotConfined { why: layer.missing_reasons() })?;
            let mut command = Command::new(seatbelt::SANDBOX_EXEC);
            command.arg("-p").arg(text).arg(&spawn.program);
            command
        }
    };
    let [stdin, stdout, stderr] = stdio.map(Stdio::from);
    command.args(&spawn.args).env_clear().envs(spawn.env).current_dir(&spawn.cwd);
    command.stdin(stdin).stdout(stdout).stderr(stderr);
    let passed: Vec<RawFd> = spawn.passed_fds.iter().map(AsRawFd::as_raw_fd).collect();
    // SAFETY: the closure runs in the forked child, makes only async-signal-safe system calls on state prepared
    // above, and neither allocates nor locks.
    unsafe {
        command.pre_exec(move || {
            enter()?;
            close_on_exec_except(&passed)
        });
    }
    let (cwd, program) = (spawn.cwd, spawn.program);
    let child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !cwd.is_dir() => SpawnError::FolderMissing(cwd),
        io::ErrorKind::NotFound => SpawnError::ProgramMissing(program),
        _ => SpawnError::Failed { program, error },
    })?;
    let lifeline = FamilyLifeline { leader: child.id() };
    Ok((SupervisedChild { child }, lifeline))
}

/// Sets up the forked child before exec.
fn enter() -> io::Result<()> {
    // SAFETY: the system calls take plain numbers and change only the state of this process.
    unsafe {
        if libc::setsid() < 0 {
            return Err(io::Error::last_os_error());
        }
        for signal in 1..32 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
    Ok(())
}

/// Marks all descriptors from 3 on as close-on-exec, except `passed`.
pub(crate) fn close_on_exec_except(passed: &[RawFd]) -> io::Result<()> {
    // SAFETY: `fcntl` with these commands takes plain numbers and changes only descriptor flags.
    unsafe {
        for fd in 3..libc::getdtablesize().min(65_536) {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        }
        for fd in passed {
            if libc::fcntl(*fd, libc::F_SETFD, 0) < 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}

//! Where there is no subreaper: the program leads a process group of its own, and that group is killed.
//! What leaves the group escapes; `cutonce doctor` says so. On macOS a profile is held by Seatbelt.

use crate::layer::available;
use crate::profile::Profile;
use crate::seatbelt;
use crate::spawn::{Ended, Spawn, SpawnError};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use tokio::process::Command;

/// Kills the group when dropped.
#[derive(Debug)]
pub(crate) struct Held {
    leader: Option<u32>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(leader) = self.leader.and_then(|id| libc::pid_t::try_from(id).ok()).filter(|id| *id > 1) {
            // Safety: a plain system call. The group's id stays taken while any member lives.
            unsafe { libc::kill(-leader, libc::SIGKILL) };
        }
    }
}

#[derive(Debug)]
pub(crate) struct Child {
    child: tokio::process::Child,
}

impl Child {
    pub(crate) async fn wait(&mut self) -> io::Result<Ended> {
        let status = self.child.wait().await?;
        Ok(match status.signal() {
            Some(signal) => Ended::Signalled(signal),
            None => Ended::Exited(status.code().unwrap_or_default()),
        })
    }
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }
}

pub(crate) fn start(spawn: Spawn, stdio: [OwnedFd; 3]) -> Result<(Child, Held), SpawnError> {
    let mut command = match &spawn.profile {
        Profile::Open => {
            let mut command = Command::new(&spawn.program);
            command.arg0(spawn.called.as_deref().unwrap_or(spawn.program.as_os_str()));
            command
        }
        Profile::ReadOnly(_) | Profile::WorkspaceWrite(_) => {
            let layer = available();
            let text = seatbelt::profile(&spawn.profile).filter(|_| layer.holds());
            let text = text.ok_or_else(|| SpawnError::Unheld { why: layer.why() })?;
            let mut command = Command::new(seatbelt::PROGRAM);
            command.arg("-p").arg(text).arg(&spawn.program);
            command
        }
    };
    let [stdin, stdout, stderr] = stdio.map(Stdio::from);
    command.args(&spawn.args).env_clear().envs(spawn.env).current_dir(&spawn.cwd);
    command.stdin(stdin).stdout(stdout).stderr(stderr);
    let passed: Vec<RawFd> = spawn.pass.iter().map(AsRawFd::as_raw_fd).collect();
    // Safety: the closure runs in the forked child and makes only system calls that are async-signal-safe on
    // state prepared above; it neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(move || {
            enter()?;
            keep_only(&passed)
        });
    }
    let (cwd, program) = (spawn.cwd, spawn.program);
    let child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !cwd.is_dir() => SpawnError::NoFolder(cwd),
        io::ErrorKind::NotFound => SpawnError::NoProgram(program),
        _ => SpawnError::Failed { program, error },
    })?;
    let held = Held { leader: child.id() };
    Ok((Child { child }, held))
}

/// In the forked child, before exec.
fn enter() -> io::Result<()> {
    // Safety: plain system calls on our own state.
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

/// Descriptors from 3 on are closed at exec, but for `passed`.
pub(crate) fn keep_only(passed: &[RawFd]) -> io::Result<()> {
    // Safety: plain system calls on our own descriptors.
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

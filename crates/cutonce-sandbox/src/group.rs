//! Where there is no subreaper: the program leads a process group of its own, and that group is killed.
//! What leaves the group escapes; `cutonce doctor` says so.

use std::io;
use std::os::fd::RawFd;

/// Kills the group when dropped.
#[derive(Debug)]
pub(crate) struct Held {
    leader: Option<u32>,
}

impl Held {
    pub(crate) fn started(self, leader: Option<u32>) -> Self {
        Self { leader }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(leader) = self.leader.and_then(|id| libc::pid_t::try_from(id).ok()).filter(|id| *id > 1) {
            // Safety: a plain system call. The group's id stays taken while any member lives.
            unsafe { libc::kill(-leader, libc::SIGKILL) };
        }
    }
}

pub(crate) struct Enter {}

pub(crate) fn prepare() -> io::Result<(Held, Enter)> {
    Ok((Held { leader: None }, Enter {}))
}

impl Enter {
    /// In the forked child, before exec.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
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

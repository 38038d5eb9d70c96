//! The process between us and each program, so that nothing a command starts can outlive it (TL-8).
//!
//! The program is the supervisor's child. The supervisor is a *subreaper*: whatever a descendant leaves behind,
//! by `setsid`, `nohup` or forking twice, becomes its child and can be found. In a process namespace of its own
//! it is the first process, and all others end with it. It ends the whole family when the program itself has
//! ended, or when its *lifeline* reports end of file: the read end of a pipe whose only write end we hold. We
//! let go of it to kill; if we die, even by SIGKILL, the kernel does. No process id is ever used after its
//! process could be gone: only the parent, the supervisor, kills, and a child's id stays its own until the
//! parent has reaped it.
//!
//! The supervisor runs on memory it shares with us (see `launch`): it makes raw system calls only, touches
//! nothing but its own stack and the report, and must not allocate, lock or panic.

use super::launch::Report;
use super::sys::sys;
use libc::{c_int, pid_t};
use std::os::fd::RawFd;

/// What the supervisor needs for as long as it lives, on its own stack.
#[derive(Clone, Copy)]
pub(crate) struct Watch {
    pub(crate) program: pid_t,
    pub(crate) lifeline: RawFd,
    /// It is the first process of its namespace.
    pub(crate) first: bool,
}

/// Wait for the program's end or the lifeline's, end the family, and report how the program ended.
pub(crate) unsafe fn supervise(watch: Watch, report: &Report) -> ! {
    unsafe {
        let _ = sys!(SYS_chdir, c"/".as_ptr());
        close_all_but(watch.lifeline);
        let signals = child_signals();
        let mut status: Option<c_int> = None;
        while status.is_none() && !cut(watch.lifeline, signals) {
            while let Some((pid, how)) = reap(libc::WNOHANG) {
                if pid == watch.program {
                    status = Some(how);
                }
            }
        }
        if watch.first {
            // The kernel kills all others of the namespace, and lets us end when they are gone.
            report.ended(status.unwrap_or(libc::SIGKILL));
        } else {
            let last = end_family(watch.program);
            report.ended(last.or(status).unwrap_or(libc::SIGKILL));
        }
        leave()
    }
}

pub(crate) unsafe fn leave() -> ! {
    loop {
        let _ = unsafe { sys!(SYS_exit_group, 0) };
    }
}

unsafe fn child_signals() -> RawFd {
    // The kernel's set of signals is one bit each.
    let only_child: u64 = 1 << (libc::SIGCHLD - 1);
    let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
    unsafe { sys!(SYS_signalfd4, -1i32, &raw const only_child, size_of::<u64>(), flags) }.map_or(-1, |fd| fd as RawFd)
}

/// Wait for a child's end or the lifeline's; was it the lifeline?
unsafe fn cut(lifeline: RawFd, signals: RawFd) -> bool {
    unsafe {
        let mut events = [
            libc::pollfd { fd: lifeline, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: signals, events: libc::POLLIN, revents: 0 },
        ];
        let _ = sys!(SYS_ppoll, events.as_mut_ptr(), 2, 0, 0, 0);
        let mut info = [0u8; size_of::<libc::signalfd_siginfo>()];
        while sys!(SYS_read, signals, info.as_mut_ptr(), info.len()).is_ok_and(|read| read > 0) {}
        let [lifeline, _] = events;
        lifeline.revents != 0
    }
}

/// Kill our children until there is none. Each one's orphans become our children and are killed in turn.
unsafe fn end_family(program: pid_t) -> Option<c_int> {
    let mut status = None;
    unsafe {
        loop {
            let listed = kill_children();
            if !listed {
                // A kernel without the list of children leaves us the program's process group.
                let _ = sys!(SYS_kill, -program, libc::SIGKILL);
            }
            match reap(if listed { 0 } else { libc::WNOHANG }) {
                Some((pid, how)) if pid == program => status = Some(how),
                Some(_) => {}
                None => return status,
            }
        }
    }
}

/// Reap one child: its id and how it ended.
unsafe fn reap(flags: c_int) -> Option<(pid_t, c_int)> {
    let mut how: c_int = 0;
    let pid = unsafe { sys!(SYS_wait4, -1i32, &raw mut how, flags, 0) }.unwrap_or(0);
    (pid > 0).then_some((pid as pid_t, how))
}

/// SIGKILL to every direct child; false if the kernel does not list them.
unsafe fn kill_children() -> bool {
    unsafe {
        let path = c"/proc/thread-self/children".as_ptr();
        let Ok(list) = sys!(SYS_openat, libc::AT_FDCWD, path, libc::O_RDONLY | libc::O_CLOEXEC) else {
            return false;
        };
        let mut buffer = [0u8; 1024];
        let mut pid: pid_t = 0;
        while let Ok(read @ 1..) = sys!(SYS_read, list, buffer.as_mut_ptr(), buffer.len()) {
            for byte in buffer.iter().take(read) {
                if byte.is_ascii_digit() {
                    pid = pid.wrapping_mul(10).wrapping_add(pid_t::from(byte.wrapping_sub(b'0')));
                } else {
                    kill_one(pid);
                    pid = 0;
                }
            }
        }
        kill_one(pid);
        let _ = sys!(SYS_close, list);
        true
    }
}

unsafe fn kill_one(pid: pid_t) {
    if pid > 1 {
        let _ = unsafe { sys!(SYS_kill, pid, libc::SIGKILL) };
    }
}

unsafe fn close_all_but(keep: RawFd) {
    unsafe {
        let (below, above) = (keep as u32, (keep as u32).wrapping_add(1));
        let first = if below == 0 { Ok(0) } else { sys!(SYS_close_range, 0, below.wrapping_sub(1), 0) };
        if first.is_err() || sys!(SYS_close_range, above, u32::MAX, 0).is_err() {
            for fd in (0..highest_fd()).filter(|fd| *fd != keep) {
                let _ = sys!(SYS_close, fd);
            }
        }
    }
}

/// For kernels before 5.9, which have no `close_range`.
pub(crate) unsafe fn highest_fd() -> RawFd {
    let mut limit = [0u64; 2];
    let _ = unsafe { sys!(SYS_prlimit64, 0, libc::RLIMIT_NOFILE, 0, limit.as_mut_ptr()) };
    let [soft, _] = limit;
    soft.min(65_536) as RawFd
}

//! The process between us and each program. No process that a command starts can outlive it (TL-8).
//!
//! The program is the supervisor's child. The supervisor is a *subreaper*: any process that a descendant leaves
//! behind, by `setsid`, `nohup` or a double fork, becomes its child and can be found. In its own process
//! namespace it is the first process, and all others end with it. It kills the whole tree when the program ends
//! or when its *lifeline* reports end of file: the read end of a pipe whose only write end we have. We close
//! that end to kill; if we die, even by SIGKILL, the kernel closes it. No process id is used after its process
//! could be gone: only the parent, the supervisor, kills, and a child's id stays valid until the parent has
//! reaped it.
//!
//! The supervisor runs on memory it shares with us (see `launch`): it makes raw system calls only, touches
//! nothing but its own stack and the report, and must not allocate, lock or panic.

use super::launch::LaunchReport;
use super::sys::sys;
use libc::{c_int, pid_t};
use std::os::fd::RawFd;

/// Data that the supervisor needs for its whole life, on its own stack.
#[derive(Clone, Copy)]
pub(crate) struct SupervisorContext {
    pub(crate) program: pid_t,
    pub(crate) lifeline: RawFd,
    /// Stays open until the end, when it gets a line end; -1 if there is none.
    pub(crate) held_file: RawFd,
    /// True if the supervisor is the first process of its namespace.
    pub(crate) first_in_namespace: bool,
}

/// Waits for the program's end or the lifeline's, kills the process tree, and reports how the program ended.
///
/// # Safety
/// Call only in the supervisor process, after `watch.program` was started as its child. Never returns.
pub(crate) unsafe fn supervise(watch: SupervisorContext, report: &LaunchReport) -> ! {
    // SAFETY: this is the supervisor process, as this function's contract says. The helpers make raw system calls on
    // locals and on descriptors and children of this process.
    unsafe {
        let _ = sys!(SYS_chdir, c"/".as_ptr());
        close_all_but([watch.lifeline, watch.held_file]);
        let signals = open_child_signals();
        let mut status: Option<c_int> = None;
        while status.is_none() && !wait_for_lifeline(watch.lifeline, signals) {
            while let Some((pid, how)) = reap_child(libc::WNOHANG) {
                if pid == watch.program {
                    status = Some(how);
                }
            }
        }
        // Anywhere else, `kill_namespace` would end all processes of the user.
        let last = match watch.first_in_namespace && sys!(SYS_getpid) == Ok(1) {
            true => kill_namespace(watch.program),
            false => kill_descendants(watch.program),
        };
        report.record_exit(last.or(status).unwrap_or(libc::SIGKILL));
        // Fails without a file.
        let _ = sys!(SYS_write, watch.held_file, b"\n".as_ptr(), 1);
        exit_process()
    }
}

/// Ends this process without running any exit handler.
///
/// # Safety
/// Call only in the supervisor or the program process: it ends without unwinding or destructors.
pub(crate) unsafe fn exit_process() -> ! {
    loop {
        // SAFETY: `exit_group` takes a plain number and does not return.
        let _ = unsafe { sys!(SYS_exit_group, 0) };
    }
}

/// Opens a descriptor that becomes readable when a child ends; -1 on failure.
///
/// # Safety
/// Call only in the supervisor process, which has SIGCHLD blocked.
unsafe fn open_child_signals() -> RawFd {
    // The kernel's set of signals is one bit each.
    let only_child: u64 = 1 << (libc::SIGCHLD - 1);
    let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
    // SAFETY: `only_child` outlives the call and has the size that we pass.
    unsafe { sys!(SYS_signalfd4, -1i32, &raw const only_child, size_of::<u64>(), flags) }.map_or(-1, |fd| fd as RawFd)
}

/// Waits for a child's end or the lifeline's; true if it was the lifeline.
///
/// # Safety
/// Call only in the supervisor process; `lifeline` and `signals` are its own descriptors (or -1).
unsafe fn wait_for_lifeline(lifeline: RawFd, signals: RawFd) -> bool {
    // SAFETY: the kernel writes only to `events` and `info`, local arrays whose sizes we pass.
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

/// Kills all other processes of the namespace and waits until they are gone. The kernel would do so too, but only after
/// it has closed our files.
///
/// # Safety
/// Call only in a supervisor that is the first process of its namespace.
unsafe fn kill_namespace(program: pid_t) -> Option<c_int> {
    let mut status = None;
    // SAFETY: the calls take plain numbers; in this namespace, -1 means everything that the program started.
    unsafe {
        let _ = sys!(SYS_kill, -1i32, libc::SIGKILL);
        while let Some((pid, how)) = reap_child(0) {
            if pid == program {
                status = Some(how);
            }
        }
    }
    status
}

/// Kills all children until none is left. Their orphans become our children and are killed in turn.
///
/// # Safety
/// Call only in the supervisor process: it kills every child of the caller, and `program`'s process group.
unsafe fn kill_descendants(program: pid_t) -> Option<c_int> {
    let mut status = None;
    // SAFETY: this is the supervisor, so all children belong to the program. `program` is not reaped by others, so
    // its group id is still valid.
    unsafe {
        loop {
            let listed = kill_children();
            if !listed {
                // A kernel without the list of children leaves us the program's process group.
                let _ = sys!(SYS_kill, -program, libc::SIGKILL);
            }
            match reap_child(if listed { 0 } else { libc::WNOHANG }) {
                Some((pid, how)) if pid == program => status = Some(how),
                Some(_) => {}
                None => return status,
            }
        }
    }
}

/// Reaps one child; returns its id and wait status.
///
/// # Safety
/// Call only in the supervisor process: a reaped id must not be used by anyone else.
unsafe fn reap_child(flags: c_int) -> Option<(pid_t, c_int)> {
    let mut how: c_int = 0;
    // SAFETY: the kernel writes only to `how`, a local; a null pointer is allowed for the usage argument.
    let pid = unsafe { sys!(SYS_wait4, -1i32, &raw mut how, flags, 0) }.unwrap_or(0);
    (pid > 0).then_some((pid as pid_t, how))
}

/// Sends SIGKILL to every direct child; false if the kernel does not list them.
///
/// # Safety
/// Call only in the supervisor process, whose children all belong to the program.
unsafe fn kill_children() -> bool {
    // SAFETY: the path is a C string, the kernel writes only to `buffer` within its length, and `list` is closed here.
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

/// Sends SIGKILL to one child.
///
/// # Safety
/// `pid` must be an unreaped child of this process, or at most 1, which is ignored.
unsafe fn kill_one(pid: pid_t) {
    if pid > 1 {
        // SAFETY: `kill` takes plain numbers; `pid` is an unreaped child, so the id was not reused.
        let _ = unsafe { sys!(SYS_kill, pid, libc::SIGKILL) };
    }
}

/// Closes all descriptors except these; -1 is none.
///
/// # Safety
/// Call only in the supervisor process, which owns its descriptor table and no Rust descriptor objects.
unsafe fn close_all_but(keep: [RawFd; 2]) {
    let [one, other] = keep;
    let (low, high) = (one.min(other), one.max(other));
    // From the one after a kept descriptor to the one before the next.
    let ranges =
        [(0, low.wrapping_sub(1)), (low.wrapping_add(1), high.wrapping_sub(1)), (high.wrapping_add(1), RawFd::MAX)];
    // SAFETY: the calls take plain numbers and close descriptors of this process only; no owner of them runs here.
    unsafe {
        for (first, last) in ranges {
            if first <= last && sys!(SYS_close_range, first, last, 0).is_err() {
                for fd in first..highest_fd().min(last.saturating_add(1)) {
                    let _ = sys!(SYS_close, fd);
                }
            }
        }
    }
}

/// Returns an upper bound for descriptor numbers, for kernels before 5.9 without `close_range`.
///
/// # Safety
/// No precondition beyond those of the system call; safe between clone and exec.
pub(crate) unsafe fn highest_fd() -> RawFd {
    let mut limit = [0u64; 2];
    // SAFETY: the kernel writes two 64-bit numbers to `limit`, a local of that size.
    let _ = unsafe { sys!(SYS_prlimit64, 0, libc::RLIMIT_NOFILE, 0, limit.as_mut_ptr()) };
    let [soft, _] = limit;
    soft.min(65_536) as RawFd
}

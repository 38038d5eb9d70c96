//! Linux: a supervisor between us and each program, so that nothing a command starts can outlive it (TL-8).
//!
//! The process that std forks does not exec. It forks once more: that child becomes the program, and the
//! process in between stays as its supervisor. It is a *subreaper*: whatever a descendant leaves behind, by
//! `setsid`, `nohup` or forking twice, becomes its child and can be found. It ends the whole family when
//! the program itself has ended, or when its *lifeline* reports end of file: the read end of a pipe whose
//! only write end we hold. We let go of it to kill; if we die, even by SIGKILL, the kernel does.
//! No process id is ever used after its process could be gone: only the parent, the supervisor, kills, and
//! a child's id stays its own until the parent has reaped it.
//!
//! The supervisor ends as the program did: with its exit code or by its signal.
//!
//! All code here that runs after the fork makes plain system calls: it must not allocate, lock or panic,
//! because another thread of the forked program may have held any lock.

use libc::{c_int, c_void, pid_t};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;

/// The write end of the lifeline.
#[derive(Debug)]
pub(crate) struct Held {
    _write: OwnedFd,
}

impl Held {
    pub(crate) fn started(self, _supervisor: Option<u32>) -> Self {
        self
    }
}

/// What the forked child needs to become supervisor and program.
pub(crate) struct Enter {
    read: OwnedFd,
}

pub(crate) fn prepare() -> io::Result<(Held, Enter)> {
    let (read, write) = io::pipe()?;
    Ok((Held { _write: write.into() }, Enter { read: read.into() }))
}

impl Enter {
    /// In the forked child: returns only in the process that is to exec.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        // Safety: system calls on our own state; see the head of this file.
        unsafe {
            // Before the fork, so that neither a signal nor a fast grandchild can slip through.
            set_mask(libc::sigfillset);
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            check(libc::setsid())?;
            check(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))?;
            let supervisor = libc::getpid();
            match check(libc::fork())? {
                0 => become_program(supervisor),
                program => supervise(program, self.read.as_raw_fd()),
            }
        }
    }
}

/// Descriptors from 3 on are closed at exec, but for `passed`.
pub(crate) fn keep_only(passed: &[RawFd]) -> io::Result<()> {
    // Safety: as above. Closing at exec leaves std the pipe on which it reports a failing exec.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) != 0 {
            for fd in 3..highest_fd() {
                libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
        for fd in passed {
            check(libc::fcntl(*fd, libc::F_SETFD, 0))?;
        }
    }
    Ok(())
}

unsafe fn become_program(supervisor: pid_t) -> io::Result<()> {
    unsafe {
        // Should somebody kill the supervisor, the program goes with it.
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0))?;
        if libc::getppid() != supervisor {
            libc::_exit(1);
        }
        check(libc::setsid())?;
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        set_mask(libc::sigemptyset);
    }
    Ok(())
}

unsafe fn supervise(program: pid_t, lifeline: RawFd) -> ! {
    unsafe {
        // Our memory is a copy of the agent's, keys included: no core dump, and nobody may look into it (MO-4).
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::prctl(libc::PR_SET_NAME, c"cutonce-watch".as_ptr(), 0, 0, 0);
        libc::chdir(c"/".as_ptr());
        close_all_but(lifeline);
        let mut only_child: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut only_child);
        libc::sigaddset(&mut only_child, libc::SIGCHLD);
        let signals = libc::signalfd(-1, &only_child, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        let mut status: Option<c_int> = None;
        while status.is_none() && !cut(lifeline, signals) {
            while let Some((pid, how)) = reap(libc::WNOHANG) {
                if pid == program {
                    status = Some(how);
                }
            }
        }
        status = end_family(program).or(status);
        end_like(status.unwrap_or(libc::SIGKILL))
    }
}

/// Wait for a child's end or the lifeline's; was it the lifeline?
unsafe fn cut(lifeline: RawFd, signals: RawFd) -> bool {
    unsafe {
        let mut events = [
            libc::pollfd { fd: lifeline, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: signals, events: libc::POLLIN, revents: 0 },
        ];
        libc::poll(events.as_mut_ptr(), 2, -1);
        let mut info: libc::signalfd_siginfo = std::mem::zeroed();
        let size = size_of::<libc::signalfd_siginfo>();
        while libc::read(signals, ptr::from_mut(&mut info).cast::<c_void>(), size) > 0 {}
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
                libc::kill(-program, libc::SIGKILL);
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
    let mut how = 0;
    let pid = unsafe { libc::waitpid(-1, &mut how, flags) };
    (pid > 0).then_some((pid, how))
}

/// SIGKILL to every direct child; false if the kernel does not list them.
unsafe fn kill_children() -> bool {
    unsafe {
        let list = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if list < 0 {
            return false;
        }
        let mut buffer = [0u8; 1024];
        let mut pid: pid_t = 0;
        loop {
            let read = libc::read(list, buffer.as_mut_ptr().cast::<c_void>(), buffer.len());
            if read <= 0 {
                break;
            }
            for byte in buffer.iter().take(read as usize) {
                if byte.is_ascii_digit() {
                    pid = pid.wrapping_mul(10).wrapping_add(pid_t::from(byte - b'0'));
                } else {
                    kill_one(pid);
                    pid = 0;
                }
            }
        }
        kill_one(pid);
        libc::close(list);
        true
    }
}

unsafe fn kill_one(pid: pid_t) {
    if pid > 1 {
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

/// End with the program's exit code, or by its signal.
unsafe fn end_like(status: c_int) -> ! {
    unsafe {
        if libc::WIFEXITED(status) {
            libc::_exit(libc::WEXITSTATUS(status));
        }
        let signal = libc::WTERMSIG(status);
        libc::signal(signal, libc::SIG_DFL);
        set_mask(libc::sigemptyset);
        libc::kill(libc::getpid(), signal);
        libc::_exit(128 + signal)
    }
}

unsafe fn close_all_but(keep: RawFd) {
    unsafe {
        let (below, above) = (keep as u32, keep as u32 + 1);
        let first = if below == 0 { 0 } else { libc::syscall(libc::SYS_close_range, 0, below - 1, 0) };
        if first != 0 || libc::syscall(libc::SYS_close_range, above, u32::MAX, 0) != 0 {
            for fd in (0..highest_fd()).filter(|fd| *fd != keep) {
                libc::close(fd);
            }
        }
    }
}

/// For kernels before 5.9, which have no `close_range`.
unsafe fn highest_fd() -> RawFd {
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        limit.rlim_cur.min(65_536) as RawFd
    }
}

unsafe fn set_mask(fill: unsafe extern "C" fn(*mut libc::sigset_t) -> c_int) {
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        fill(&mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &set, ptr::null_mut());
    }
}

fn check(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

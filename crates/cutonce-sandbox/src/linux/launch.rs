//! Starting the supervisor and the program, at the price of a plain spawn.
//!
//! Copying the page tables of a grown process takes milliseconds. So the supervisor shares our memory: it runs
//! on a stack of its own, reads what was prepared here only while we wait, and makes raw system calls only, as
//! its thread-local storage is that of the waiting thread. It is still a process of its own, with its own
//! descriptors, signals, namespaces and rights. The program is started from there in the way of `vfork`.
//! Whoever can look into the supervisor's memory could look into ours.

use super::confine::Confinement;
use super::supervisor::{Watch, highest_fd, leave, supervise};
use super::sys::{SHARES_MEMORY, sys};
use libc::{c_char, c_int, c_void, pid_t};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// All that is needed, prepared before the first process starts.
pub(crate) struct Launch {
    pub(crate) program: Program,
    pub(crate) confinement: Option<Confinement>,
}

/// What the last process becomes.
pub(crate) enum Program {
    Exec(Exec),
    /// Nothing: it ends at once. For trying out a confinement.
    Nothing,
}

pub(crate) struct Exec {
    pub(crate) path: CString,
    pub(crate) args: Pointers,
    pub(crate) env: Pointers,
    pub(crate) cwd: CString,
    pub(crate) stdio: [OwnedFd; 3],
    pub(crate) pass: Vec<OwnedFd>,
}

/// A list of C strings as exec wants it.
pub(crate) struct Pointers {
    _strings: Vec<CString>,
    list: Vec<*const c_char>,
}

impl Pointers {
    pub(crate) fn new(strings: Vec<CString>) -> Self {
        let list = strings.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Self { _strings: strings, list }
    }
}

/// A started supervisor.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) pid: pid_t,
    pidfd: OwnedFd,
    pub(crate) memory: Memory,
}

impl AsFd for Started {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}
impl AsRawFd for Started {
    fn as_raw_fd(&self) -> RawFd {
        self.pidfd.as_raw_fd()
    }
}

/// Where it went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Stage {
    Supervisor = 1,
    UserNamespace,
    /// Which step of the confinement is in [`Fault::at`].
    Mounts,
    Capabilities,
    Landlock,
    Filter,
    Folder,
    Program,
}

impl Stage {
    const ALL: [Stage; 8] = [
        Stage::Supervisor,
        Stage::UserNamespace,
        Stage::Mounts,
        Stage::Capabilities,
        Stage::Landlock,
        Stage::Filter,
        Stage::Folder,
        Stage::Program,
    ];
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) stage: Stage,
    pub(crate) at: usize,
    pub(crate) errno: i32,
}

/// What the new processes tell us, in memory that all of us share.
#[derive(Debug)]
pub(crate) struct Report {
    stage: AtomicU32,
    at: AtomicU32,
    errno: AtomicI32,
    /// As `wait` gives it; [`Report::NOT_YET`] until the program has ended.
    status: AtomicI32,
}

impl Report {
    const NOT_YET: i32 = -1;

    fn fails(&self, stage: Stage, at: usize, errno: i32) {
        self.at.store(at as u32, Ordering::Relaxed);
        self.errno.store(errno, Ordering::Relaxed);
        self.stage.store(stage as u32, Ordering::Release);
    }
    pub(crate) fn ended(&self, status: c_int) {
        self.status.store(status, Ordering::Release);
    }
    fn fault(&self) -> Option<Fault> {
        let stage = self.stage.load(Ordering::Acquire);
        let stage = Stage::ALL.into_iter().find(|one| *one as u32 == stage)?;
        let (at, errno) = (self.at.load(Ordering::Relaxed) as usize, self.errno.load(Ordering::Relaxed));
        Some(Fault { stage, at, errno })
    }
    /// How the program ended; killed, if the supervisor could not say.
    pub(crate) fn status(&self) -> c_int {
        match self.status.load(Ordering::Acquire) {
            Self::NOT_YET => libc::SIGKILL,
            status => status,
        }
    }
}

const PAGE: usize = 64 * 1024;
/// A page for the report, then two stacks, each above a page that can't be touched.
const SIZE: usize = 5 * PAGE;

/// The report and the stacks. Must not go before the supervisor has.
#[derive(Debug)]
pub(crate) struct Memory {
    start: *mut u8,
}

// Safety: the mapping belongs to whoever has this; the report is made of atomics.
unsafe impl Send for Memory {}
// Safety: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn new() -> io::Result<Self> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // Safety: a mapping of our own, of this size.
        unsafe {
            let start = libc::mmap(ptr::null_mut(), SIZE, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let memory = Self { start: start.cast() };
            for guard in [1, 3] {
                libc::mprotect(memory.start.add(guard * PAGE).cast(), PAGE, libc::PROT_NONE);
            }
            memory.report().status.store(Report::NOT_YET, Ordering::Relaxed);
            Ok(memory)
        }
    }
    pub(crate) fn report(&self) -> &Report {
        // Safety: all zeros is a report, and the mapping lives as long as we do.
        unsafe { &*self.start.cast::<Report>() }
    }
    fn supervisor_stack(&self) -> *mut c_void {
        // Safety: within the mapping.
        unsafe { self.start.add(3 * PAGE).cast() }
    }
    fn program_stack(&self) -> *mut c_void {
        // Safety: its end.
        unsafe { self.start.add(SIZE).cast() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Safety: our own mapping; the supervisor is gone.
        unsafe { libc::munmap(self.start.cast(), SIZE) };
    }
}

/// What the new processes read, while we wait for them.
struct Shared<'a> {
    launch: &'a Launch,
    memory: &'a Memory,
    lifeline: RawFd,
    supervisor: pid_t,
}

impl Launch {
    /// Returns when the program runs, or could not. With it the lifeline: closing that ends the family.
    pub(crate) fn start(&self) -> Result<(Started, OwnedFd), Fault> {
        let early = |error: io::Error| Fault { stage: Stage::Supervisor, at: 0, errno: code_of(&error) };
        let memory = Memory::new().map_err(early)?;
        let (lifeline, held) = io::pipe().map_err(early)?;
        let (ready, at_work) = io::pipe().map_err(early)?;
        let mut shared = Shared { launch: self, memory: &memory, lifeline: lifeline.as_raw_fd(), supervisor: 0 };
        let (pid, pidfd) = self.clone_supervisor(&mut shared)?;
        drop((lifeline, at_work));
        // Both of them have this pipe's write end until the program runs, or they gave up.
        wait_for_end(ready.as_raw_fd());
        let fault = memory.report().fault();
        let started = Started { pid, pidfd, memory };
        match fault {
            None => Ok((started, held.into())),
            Some(fault) => {
                started.reap(0);
                Err(fault)
            }
        }
    }

    fn clone_supervisor(&self, shared: &mut Shared<'_>) -> Result<(pid_t, OwnedFd), Fault> {
        let spaces = self.confinement.as_ref().map_or(0, |confinement| confinement.namespaces);
        let memory = if SHARES_MEMORY { libc::CLONE_VM } else { 0 };
        let flags = spaces | memory | libc::CLONE_PIDFD | libc::SIGCHLD;
        let mut pidfd: c_int = -1;
        // Safety: the stack and `shared` live until the supervisor no longer uses them; no signal handler of
        // ours runs in it, as it starts with all signals blocked.
        let (pid, errno) = unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            let stack = shared.memory.supervisor_stack();
            let arg = ptr::from_mut(shared).cast::<c_void>();
            let pid = libc::clone(supervisor_main, stack, flags, arg, &raw mut pidfd);
            let errno = code_of(&io::Error::last_os_error());
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
            (pid, errno)
        };
        let stage = if spaces == 0 { Stage::Supervisor } else { Stage::UserNamespace };
        if pid < 0 {
            return Err(Fault { stage, at: 0, errno });
        }
        if pidfd < 0 {
            // Kernels before 5.2 don't know the flag. Without its descriptor we could not wait for it.
            // Safety: our own child, not reaped yet.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, ptr::null_mut(), 0);
            }
            return Err(Fault { stage, at: 0, errno: libc::ENOSYS });
        }
        // Safety: the kernel just gave it to us, closed at exec.
        Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
    }
}

impl Started {
    /// Reap the supervisor; was it there to be reaped?
    pub(crate) fn reap(&self, flags: c_int) -> bool {
        // Safety: waits for our own child by its descriptor.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let id = self.pidfd.as_raw_fd() as libc::id_t;
            loop {
                match libc::waitid(libc::P_PIDFD, id, &mut info, libc::WEXITED | flags) {
                    0 => return info.si_pid() != 0,
                    _ if code_of(&io::Error::last_os_error()) == libc::EINTR => {}
                    // Somebody else reaped it: gone all the same.
                    _ => return true,
                }
            }
        }
    }
}

fn code_of(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

fn wait_for_end(fd: RawFd) {
    let mut byte = 0u8;
    // Safety: reads into a byte of ours.
    unsafe {
        while libc::read(fd, ptr::from_mut(&mut byte).cast(), 1) != 0 {
            if code_of(&io::Error::last_os_error()) != libc::EINTR {
                return;
            }
        }
    }
}

extern "C" fn supervisor_main(arg: *mut c_void) -> c_int {
    // Safety: `arg` is the `Shared` of `start`, which waits until we close the pipe or end; see the file's head.
    unsafe {
        let shared = &mut *arg.cast::<Shared<'_>>();
        // In memory that stays after `start` has gone on.
        let report: *const Report = shared.memory.report();
        let (lifeline, first) = (shared.lifeline, shared.launch.is_first());
        if let Err((stage, at, errno)) = prepare(shared) {
            (*report).fails(stage, at, errno);
            leave();
        }
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let program = libc::clone(program_main, shared.memory.program_stack(), flags, arg);
        if program < 0 {
            (*report).fails(Stage::Supervisor, 0, libc::EAGAIN);
            leave();
        }
        supervise(Watch { program, lifeline, first }, &*report)
    }
}

/// The supervisor's own state, and the view that its family gets.
unsafe fn prepare(shared: &mut Shared<'_>) -> Result<(), (Stage, usize, i32)> {
    unsafe {
        let own = |errno| (Stage::Supervisor, 0, errno);
        default_action(libc::SIGCHLD);
        sys!(SYS_setsid).map_err(own)?;
        let _ = sys!(SYS_prctl, libc::PR_SET_NAME, c"cutonce-watch".as_ptr());
        sys!(SYS_prctl, libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0).map_err(own)?;
        shared.supervisor = sys!(SYS_getpid).map_err(own)? as pid_t;
        match &shared.launch.confinement {
            Some(confinement) => confinement.enter_namespaces(),
            None => Ok(()),
        }
    }
}

extern "C" fn program_main(arg: *mut c_void) -> c_int {
    // Safety: as above; the supervisor is suspended until we exec or end.
    unsafe {
        let shared = &*arg.cast::<Shared<'_>>();
        if let Err((stage, at, errno)) = become_program(shared) {
            shared.memory.report().fails(stage, at, errno);
        }
        leave()
    }
}

unsafe fn become_program(shared: &Shared<'_>) -> Result<(), (Stage, usize, i32)> {
    unsafe {
        let own = |errno| (Stage::Supervisor, 0, errno);
        // Should somebody kill the supervisor, the program goes with it.
        sys!(SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0).map_err(own)?;
        if sys!(SYS_getppid) != Ok(shared.supervisor as usize) {
            return Err(own(libc::ESRCH));
        }
        sys!(SYS_setsid).map_err(own)?;
        (1..=64).for_each(|signal| default_action(signal));
        let exec = match &shared.launch.program {
            Program::Exec(exec) => Some(exec),
            Program::Nothing => None,
        };
        if let Some(exec) = exec {
            exec.take_descriptors().map_err(own)?;
            sys!(SYS_chdir, exec.cwd.as_ptr()).map_err(|errno| (Stage::Folder, 0, errno))?;
        }
        let none = 0u64;
        sys!(SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const none, 0, size_of::<u64>()).map_err(own)?;
        if let Some(confinement) = &shared.launch.confinement {
            confinement.take_on()?;
        }
        let Some(exec) = exec else { return Ok(()) };
        let (args, env) = (exec.args.list.as_ptr(), exec.env.list.as_ptr());
        sys!(SYS_execve, exec.path.as_ptr(), args, env).map_err(|errno| (Stage::Program, 0, errno)).map(drop)
    }
}

impl Exec {
    /// Standard input, output and error; from 3 on all are closed at exec, but for those passed.
    unsafe fn take_descriptors(&self) -> Result<(), i32> {
        unsafe {
            for (number, fd) in self.stdio.iter().enumerate() {
                sys!(SYS_dup3, fd.as_raw_fd(), number, 0)?;
            }
            close_at_exec();
            for fd in &self.pass {
                sys!(SYS_fcntl, fd.as_raw_fd(), libc::F_SETFD, 0)?;
            }
        }
        Ok(())
    }
}

impl Launch {
    fn is_first(&self) -> bool {
        self.confinement.as_ref().is_some_and(|confinement| confinement.namespaces & libc::CLONE_NEWPID != 0)
    }
}

/// All descriptors from 3 on.
unsafe fn close_at_exec() {
    unsafe {
        if sys!(SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC).is_err() {
            for fd in 3..highest_fd() {
                let _ = sys!(SYS_fcntl, fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

/// In a forked child of std's: descriptors from 3 on are closed at exec, but for `passed`.
pub(crate) fn keep_only(passed: &[RawFd]) -> io::Result<()> {
    // Safety: plain system calls on our own descriptors.
    unsafe {
        close_at_exec();
        for fd in passed {
            sys!(SYS_fcntl, *fd, libc::F_SETFD, 0).map_err(io::Error::from_raw_os_error)?;
        }
    }
    Ok(())
}

unsafe fn default_action(signal: c_int) {
    // The kernel's own layout: handler, flags, restorer, mask; all zero is the default action.
    let action = [0u64; 4];
    let _ = unsafe { sys!(SYS_rt_sigaction, signal, action.as_ptr(), 0, size_of::<u64>()) };
}

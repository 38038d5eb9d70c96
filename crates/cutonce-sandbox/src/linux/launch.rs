//! Starts the supervisor and the program at the cost of a plain spawn.
//!
//! Copying the page tables of a large process takes milliseconds. So the supervisor shares our memory: it runs
//! on its own stack, reads what was prepared here only while we wait, and makes raw system calls only, because
//! its thread-local storage is that of the waiting thread. It is still a separate process, with its own
//! descriptors, signals, namespaces and rights. It starts the program with `vfork` semantics.
//!
//! A process that can read the supervisor's memory could read ours, keys included. So neither process may call
//! `PR_SET_DUMPABLE`: it would open our own memory and environment to other processes for good (MO-4).

use super::confine::KernelConfinement;
use super::supervisor::{SupervisorContext, exit_process, highest_fd, supervise};
use super::sys::{SHARES_MEMORY, sys};
use libc::{c_char, c_int, c_void, pid_t};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// Everything needed, prepared before the first process starts.
pub(crate) struct LaunchSpec {
    pub(crate) program: LaunchTarget,
    pub(crate) confinement: Option<KernelConfinement>,
    /// A control group's list of members, which the supervisor joins.
    pub(crate) group: Option<RawFd>,
    /// A file that the supervisor keeps open until its end; see `SpawnSpec::hold_until_end`.
    pub(crate) held_file: Option<OwnedFd>,
}

/// What the last process runs.
pub(crate) enum LaunchTarget {
    Exec(ExecArgs),
    /// Nothing: the process ends immediately. Used to probe a confinement.
    Nothing,
}

pub(crate) struct ExecArgs {
    pub(crate) path: CString,
    pub(crate) args: CStringArray,
    pub(crate) env: CStringArray,
    pub(crate) cwd: CString,
    pub(crate) stdio: [OwnedFd; 3],
    pub(crate) pass: Vec<OwnedFd>,
}

/// A null-terminated array of C strings for exec.
pub(crate) struct CStringArray {
    _strings: Vec<CString>,
    list: Vec<*const c_char>,
}

impl CStringArray {
    pub(crate) fn new(strings: Vec<CString>) -> Self {
        let list = strings.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Self { _strings: strings, list }
    }
}

/// A started supervisor.
#[derive(Debug)]
pub(crate) struct StartedSupervisor {
    pub(crate) pid: pid_t,
    pidfd: OwnedFd,
    pub(crate) memory: SharedMemory,
}

impl AsFd for StartedSupervisor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}
impl AsRawFd for StartedSupervisor {
    fn as_raw_fd(&self) -> RawFd {
        self.pidfd.as_raw_fd()
    }
}

/// The stage at which a launch failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum LaunchStage {
    Supervisor = 1,
    UserNamespace,
    /// The failed step of the confinement is in [`Fault::at`].
    Mounts,
    Capabilities,
    Landlock,
    Filter,
    Folder,
    Program,
}

impl LaunchStage {
    const ALL: [LaunchStage; 8] = [
        LaunchStage::Supervisor,
        LaunchStage::UserNamespace,
        LaunchStage::Mounts,
        LaunchStage::Capabilities,
        LaunchStage::Landlock,
        LaunchStage::Filter,
        LaunchStage::Folder,
        LaunchStage::Program,
    ];
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct LaunchFault {
    pub(crate) stage: LaunchStage,
    pub(crate) at: usize,
    pub(crate) errno: i32,
}

/// Report from the new processes, in memory that all of them share.
#[derive(Debug)]
pub(crate) struct LaunchReport {
    stage: AtomicU32,
    at: AtomicU32,
    errno: AtomicI32,
    /// A `wait` status; [`Report::NOT_YET`] until the program has ended.
    status: AtomicI32,
    /// The supervisor's id, 0 if none was started, and its descriptor in our table, -1 if the kernel gave none.
    supervisor: AtomicI32,
    pidfd: AtomicI32,
}

impl LaunchReport {
    const NOT_YET: i32 = -1;

    fn record_fault(&self, stage: LaunchStage, at: usize, errno: i32) {
        self.at.store(at as u32, Ordering::Relaxed);
        self.errno.store(errno, Ordering::Relaxed);
        self.stage.store(stage as u32, Ordering::Release);
    }
    pub(crate) fn record_exit(&self, status: c_int) {
        self.status.store(status, Ordering::Release);
    }
    fn fault(&self) -> Option<LaunchFault> {
        let stage = self.stage.load(Ordering::Acquire);
        let stage = LaunchStage::ALL.into_iter().find(|one| *one as u32 == stage)?;
        let (at, errno) = (self.at.load(Ordering::Relaxed) as usize, self.errno.load(Ordering::Relaxed));
        Some(LaunchFault { stage, at, errno })
    }
    /// Returns the program's wait status; "killed" if the supervisor could not report one.
    pub(crate) fn status(&self) -> c_int {
        match self.status.load(Ordering::Acquire) {
            Self::NOT_YET => libc::SIGKILL,
            status => status,
        }
    }
}

const PAGE: usize = 64 * 1024;
/// One page for the report, then three stacks, each above a guard page.
const SIZE: usize = 7 * PAGE;

/// The report and the stacks. Must outlive the supervisor.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    start: *mut u8,
}

// SAFETY: the mapping has one owner and no thread affinity; the report in it consists of atomics.
unsafe impl Send for SharedMemory {}
// SAFETY: shared access reaches only the report, which consists of atomics.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    fn new() -> io::Result<Self> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: the kernel chooses a fresh mapping of `SIZE` bytes; the guard pages lie within it.
        unsafe {
            let start = libc::mmap(ptr::null_mut(), SIZE, protection, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let memory = Self { start: start.cast() };
            for guard in [1, 3, 5] {
                libc::mprotect(memory.start.add(guard * PAGE).cast(), PAGE, libc::PROT_NONE);
            }
            memory.report().status.store(LaunchReport::NOT_YET, Ordering::Relaxed);
            memory.report().pidfd.store(-1, Ordering::Relaxed);
            Ok(memory)
        }
    }
    pub(crate) fn report(&self) -> &LaunchReport {
        // SAFETY: an all-zero `Report` is valid, the mapping is page-aligned and lives as long as `self`.
        unsafe { &*self.start.cast::<LaunchReport>() }
    }
    fn supervisor_stack(&self) -> *mut c_void {
        // SAFETY: the offset lies within the mapping of `SIZE` bytes.
        unsafe { self.start.add(3 * PAGE).cast() }
    }
    fn joining_stack(&self) -> *mut c_void {
        // SAFETY: the offset lies within the mapping of `SIZE` bytes.
        unsafe { self.start.add(5 * PAGE).cast() }
    }
    fn program_stack(&self) -> *mut c_void {
        // SAFETY: the offset is one past the mapping's end, which is a valid pointer to compute.
        unsafe { self.start.add(SIZE).cast() }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: this is our own mapping, and the supervisor, the only other user, has been reaped.
        unsafe { libc::munmap(self.start.cast(), SIZE) };
    }
}

/// Data that the new processes read while we wait for them.
struct LaunchShared<'a> {
    launch: &'a LaunchSpec,
    memory: &'a SharedMemory,
    lifeline: RawFd,
    supervisor: pid_t,
}

impl LaunchSpec {
    /// Returns when the program runs or failed to. Closing the returned lifeline kills the process tree.
    pub(crate) fn start(&self) -> Result<(StartedSupervisor, OwnedFd), LaunchFault> {
        let early = |error: io::Error| LaunchFault { stage: LaunchStage::Supervisor, at: 0, errno: errno_of(&error) };
        let memory = SharedMemory::new().map_err(early)?;
        let (lifeline, held) = io::pipe().map_err(early)?;
        let (ready, at_work) = io::pipe().map_err(early)?;
        let mut shared = LaunchShared { launch: self, memory: &memory, lifeline: lifeline.as_raw_fd(), supervisor: 0 };
        let (pid, pidfd) = self.clone_supervisor(&mut shared)?;
        drop((lifeline, at_work));
        // Both processes keep this pipe's write end until the program runs or they have given up.
        wait_for_end(ready.as_raw_fd());
        let fault = memory.report().fault();
        let started = StartedSupervisor { pid, pidfd, memory };
        match fault {
            None => Ok((started, held.into())),
            Some(fault) => {
                started.reap(0);
                Err(fault)
            }
        }
    }

    fn clone_supervisor(&self, shared: &mut LaunchShared<'_>) -> Result<(pid_t, OwnedFd), LaunchFault> {
        let memory = shared.memory;
        let joins = self.is_first_in_namespace();
        let stage = if joins { LaunchStage::UserNamespace } else { LaunchStage::Supervisor };
        let arg = ptr::from_mut(shared).cast::<c_void>();
        // SAFETY: the stacks and `shared` live until the new processes no longer use them. No signal handler of ours
        // runs in them, because they start with all signals blocked.
        let cloned = unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            let cloned = if joins { clone_joiner(arg, memory) } else { clone_supervisor_process(arg, memory, 0) };
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
            cloned
        };
        let (pid, pidfd) =
            (memory.report().supervisor.load(Ordering::Acquire), memory.report().pidfd.load(Ordering::Acquire));
        if pid == 0 {
            let fault = LaunchFault { stage, at: 0, errno: cloned.err().unwrap_or(libc::EIO) };
            return Err(memory.report().fault().unwrap_or(fault));
        }
        if pidfd < 0 {
            // Kernels before 5.2 don't know the flag. Without a descriptor we could not wait for the process.
            // SAFETY: `pid` is our own child and not reaped yet, so the id is valid.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, ptr::null_mut(), 0);
            }
            return Err(LaunchFault { stage, at: 0, errno: libc::ENOSYS });
        }
        // SAFETY: the kernel just returned this descriptor to us, and no other owner exists.
        Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
    }
}

/// Flag of `clone` that shares our memory, where a process can run on it.
const MEMORY: c_int = if SHARES_MEMORY { libc::CLONE_VM } else { 0 };

/// Clones the supervisor as our child; its id and descriptor go to the report. The error is its number.
///
/// # Safety
/// `arg` is the `LaunchShared` of `start`. Call in the thread of `start`, or in a process that it waits for.
unsafe fn clone_supervisor_process(arg: *mut c_void, memory: &SharedMemory, flags: c_int) -> Result<(), i32> {
    let report = memory.report();
    let flags = flags | MEMORY | libc::CLONE_PIDFD | libc::SIGCHLD;
    // SAFETY: the stack and `arg` live until the supervisor no longer uses them; the kernel writes one number.
    let pid = unsafe { libc::clone(supervisor_main, memory.supervisor_stack(), flags, arg, report.pidfd.as_ptr()) };
    if pid < 0 {
        return Err(errno_of(&io::Error::last_os_error()));
    }
    report.supervisor.store(pid, Ordering::Release);
    Ok(())
}

/// Starts a short-lived process that joins the user namespace, and there clones the supervisor as our child. We
/// have several threads, so we can't join it ourselves.
///
/// # Safety
/// As for `clone_supervisor_process`, in the thread of `start`.
unsafe fn clone_joiner(arg: *mut c_void, memory: &SharedMemory) -> Result<(), i32> {
    // The shared descriptor table is where the supervisor's descriptor arrives.
    let flags = MEMORY | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
    // SAFETY: this thread is suspended until the process has ended, so its stack and `arg` stay valid.
    unsafe {
        let joiner = libc::clone(joiner_main, memory.joining_stack(), flags, arg);
        if joiner < 0 {
            return Err(errno_of(&io::Error::last_os_error()));
        }
        while libc::waitpid(joiner, ptr::null_mut(), 0) < 0 && errno_of(&io::Error::last_os_error()) == libc::EINTR {}
    }
    Ok(())
}

extern "C" fn joiner_main(arg: *mut c_void) -> c_int {
    // SAFETY: `arg` is the `LaunchShared` of `start`, whose thread is suspended until this process has ended.
    unsafe {
        let (memory, confinement) = {
            let shared = &*arg.cast::<LaunchShared<'_>>();
            (shared.memory, shared.launch.confinement.as_ref())
        };
        let joined = confinement.ok_or(libc::EINVAL).and_then(|confinement| {
            confinement.join_user_namespace()?;
            clone_supervisor_process(arg, memory, confinement.namespaces | libc::CLONE_PARENT)
        });
        if let Err(errno) = joined {
            memory.report().record_fault(LaunchStage::UserNamespace, 0, errno);
        }
        exit_process()
    }
}

impl StartedSupervisor {
    /// Reaps the supervisor; false if it is still running.
    pub(crate) fn reap(&self, flags: c_int) -> bool {
        // SAFETY: an all-zero `siginfo_t` is valid; the call waits for our own child by its descriptor.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let id = self.pidfd.as_raw_fd() as libc::id_t;
            loop {
                match libc::waitid(libc::P_PIDFD, id, &mut info, libc::WEXITED | flags) {
                    0 => return info.si_pid() != 0,
                    _ if errno_of(&io::Error::last_os_error()) == libc::EINTR => {}
                    // Another waiter reaped it: it is gone either way.
                    _ => return true,
                }
            }
        }
    }
}

fn errno_of(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

fn wait_for_end(fd: RawFd) {
    let mut byte = 0u8;
    // SAFETY: the kernel writes at most one byte, to a local.
    unsafe {
        while libc::read(fd, ptr::from_mut(&mut byte).cast(), 1) != 0 {
            if errno_of(&io::Error::last_os_error()) != libc::EINTR {
                return;
            }
        }
    }
}

extern "C" fn supervisor_main(arg: *mut c_void) -> c_int {
    // SAFETY: `arg` is the `Shared` of `start`, which waits until we close the pipe or end; see the module docs.
    unsafe {
        let shared = &mut *arg.cast::<LaunchShared<'_>>();
        // The report stays valid after `start` has returned.
        let report: *const LaunchReport = shared.memory.report();
        let (lifeline, first) = (shared.lifeline, shared.launch.is_first_in_namespace());
        let held_file = shared.launch.held_file.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        if let Err((stage, at, errno)) = prepare_supervisor(shared) {
            (*report).record_fault(stage, at, errno);
            exit_process();
        }
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let program = libc::clone(program_main, shared.memory.program_stack(), flags, arg);
        if program < 0 {
            (*report).record_fault(LaunchStage::Supervisor, 0, libc::EAGAIN);
            exit_process();
        }
        supervise(SupervisorContext { program, lifeline, held_file, first_in_namespace: first }, &*report)
    }
}

/// Sets up the supervisor's own state and the view that its children get.
///
/// # Safety
/// Call only in the supervisor process, between clone and exec.
unsafe fn prepare_supervisor(shared: &mut LaunchShared<'_>) -> Result<(), (LaunchStage, usize, i32)> {
    // SAFETY: this is the supervisor process; the calls take plain numbers or C strings.
    unsafe {
        let own = |errno| (LaunchStage::Supervisor, 0, errno);
        reset_signal(libc::SIGCHLD);
        sys!(SYS_setsid).map_err(own)?;
        let _ = sys!(SYS_prctl, libc::PR_SET_NAME, c"cutonce-watch".as_ptr());
        sys!(SYS_prctl, libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0).map_err(own)?;
        shared.supervisor = sys!(SYS_getpid).map_err(own)? as pid_t;
        if let Some(group) = shared.launch.group {
            // Without the group, rlimits and the watch still limit it.
            let _ = sys!(SYS_write, group, b"0".as_ptr(), 1);
        }
        match &shared.launch.confinement {
            Some(confinement) => confinement.enter_namespaces(),
            None => Ok(()),
        }
    }
}

extern "C" fn program_main(arg: *mut c_void) -> c_int {
    // SAFETY: `arg` is the `Shared` of `start`, and the supervisor is suspended until we exec or end.
    unsafe {
        let shared = &*arg.cast::<LaunchShared<'_>>();
        if let Err((stage, at, errno)) = exec_program(shared) {
            shared.memory.report().record_fault(stage, at, errno);
        }
        exit_process()
    }
}

/// Sets up this process and executes the program; returns only on failure or if there is nothing to execute.
///
/// # Safety
/// Call only in the program process, between clone and exec.
unsafe fn exec_program(shared: &LaunchShared<'_>) -> Result<(), (LaunchStage, usize, i32)> {
    // SAFETY: this is the program process. All strings, arrays and descriptors belong to `shared.launch`.
    unsafe {
        let own = |errno| (LaunchStage::Supervisor, 0, errno);
        // If the supervisor is killed, the kernel kills the program too.
        sys!(SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0).map_err(own)?;
        if sys!(SYS_getppid) != Ok(shared.supervisor as usize) {
            return Err(own(libc::ESRCH));
        }
        sys!(SYS_setsid).map_err(own)?;
        (1..=64).for_each(|signal| reset_signal(signal));
        let exec = match &shared.launch.program {
            LaunchTarget::Exec(exec) => Some(exec),
            LaunchTarget::Nothing => None,
        };
        if let Some(exec) = exec {
            exec.take_descriptors().map_err(own)?;
            sys!(SYS_chdir, exec.cwd.as_ptr()).map_err(|errno| (LaunchStage::Folder, 0, errno))?;
        }
        let none = 0u64;
        sys!(SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const none, 0, size_of::<u64>()).map_err(own)?;
        if let Some(confinement) = &shared.launch.confinement {
            confinement.restrict_program()?;
        }
        let Some(exec) = exec else { return Ok(()) };
        let (args, env) = (exec.args.list.as_ptr(), exec.env.list.as_ptr());
        sys!(SYS_execve, exec.path.as_ptr(), args, env).map_err(|errno| (LaunchStage::Program, 0, errno)).map(drop)
    }
}

impl ExecArgs {
    /// Installs standard input, output and error. From 3 on all are closed at exec, except those passed.
    ///
    /// # Safety
    /// Call only in the program process: it replaces descriptors 0 to 2.
    unsafe fn take_descriptors(&self) -> Result<(), i32> {
        // SAFETY: the calls take plain numbers and change only this process's descriptor table, which is not shared.
        unsafe {
            for (number, fd) in self.stdio.iter().enumerate() {
                sys!(SYS_dup3, fd.as_raw_fd(), number, 0)?;
            }
            mark_close_on_exec();
            for fd in &self.pass {
                sys!(SYS_fcntl, fd.as_raw_fd(), libc::F_SETFD, 0)?;
            }
        }
        Ok(())
    }
}

impl LaunchSpec {
    fn is_first_in_namespace(&self) -> bool {
        self.confinement.as_ref().is_some_and(|confinement| confinement.namespaces & libc::CLONE_NEWPID != 0)
    }
}

/// Marks all descriptors from 3 on as close-on-exec.
///
/// # Safety
/// Call only between clone (or fork) and exec, where this process has its own descriptor table.
unsafe fn mark_close_on_exec() {
    // SAFETY: the calls take plain numbers and change only descriptor flags of this process.
    unsafe {
        if sys!(SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC).is_err() {
            for fd in 3..highest_fd() {
                let _ = sys!(SYS_fcntl, fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

/// Marks all descriptors from 3 on as close-on-exec, except `passed`. For a child forked by std.
pub(crate) fn close_on_exec_except(passed: &[RawFd]) -> io::Result<()> {
    // SAFETY: runs in a forked child with its own descriptor table; the calls take plain numbers.
    unsafe {
        mark_close_on_exec();
        for fd in passed {
            sys!(SYS_fcntl, *fd, libc::F_SETFD, 0).map_err(io::Error::from_raw_os_error)?;
        }
    }
    Ok(())
}

/// Resets a signal to its default action.
///
/// # Safety
/// Call only between clone and exec: it removes handlers of this process.
unsafe fn reset_signal(signal: c_int) {
    // The kernel's own layout: handler, flags, restorer, mask; all zero is the default action.
    let action = [0u64; 4];
    // SAFETY: `action` has the kernel's layout and size; a null pointer is allowed for the old action.
    let _ = unsafe { sys!(SYS_rt_sigaction, signal, action.as_ptr(), 0, size_of::<u64>()) };
}

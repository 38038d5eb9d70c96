//! A machine whose kernel lacks features: a system call filter answers for them as such a kernel would.

use libc::sock_filter;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

const LANDLOCK_CALLS: [u32; 3] = [444, 445, 446];
const NEW_USER_NAMESPACE: u32 = 0x1000_0000;

/// Features that programs do not find.
#[derive(Debug, Clone, Copy, Default)]
pub struct Machine {
    without_landlock: bool,
    without_namespaces: bool,
}

impl Machine {
    /// `without landlock`, `without namespaces`, or both words.
    pub fn parse(words: &str) -> Result<Self, String> {
        let mut machine = Self::default();
        for word in words.strip_prefix("without ").ok_or("machine without …")?.split_whitespace() {
            match word {
                "landlock" => machine.without_landlock = true,
                "namespaces" => machine.without_namespaces = true,
                other => return Err(format!("machine without what? {other}")),
            }
        }
        Ok(machine)
    }

    /// A kernel without overlays for users.
    pub fn without_overlays() -> Self {
        Self { without_namespaces: true, ..Self::default() }
    }

    /// Lets the command start on this machine.
    pub fn apply(self, command: &mut Command) {
        if !self.without_landlock && !self.without_namespaces {
            return;
        }
        let filter = self.filter();
        // SAFETY: the closure runs in the forked child, makes two system calls on memory that it owns, and neither
        // allocates nor locks.
        unsafe {
            command.pre_exec(move || enter(&filter));
        }
    }

    /// Runs this in a thread of its own, which finds this machine, and so do the processes that it starts.
    pub fn run<T: Send>(self, work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
        let filter = self.filter();
        let in_thread = move || {
            enter(&filter).map_err(|error| error.to_string())?;
            work()
        };
        std::thread::scope(|scope| scope.spawn(in_thread).join().unwrap_or_else(|_| Err("a thread ended".into())))
    }

    fn filter(self) -> Vec<sock_filter> {
        let answer = |errno: i32| step(libc::BPF_RET, libc::SECCOMP_RET_ERRNO | errno as u32, 0, 0);
        let mut filter = vec![load(0)];
        if self.without_landlock {
            for call in LANDLOCK_CALLS {
                filter.extend([step(libc::BPF_JMP | libc::BPF_JEQ, call, 0, 1), answer(libc::ENOSYS)]);
            }
        }
        if self.without_namespaces {
            for call in [libc::SYS_unshare, libc::SYS_clone] {
                filter.extend([
                    step(libc::BPF_JMP | libc::BPF_JEQ, call as u32, 0, 4),
                    load(16),
                    step(libc::BPF_JMP | libc::BPF_JSET, NEW_USER_NAMESPACE, 0, 1),
                    answer(libc::EPERM),
                    step(libc::BPF_RET, libc::SECCOMP_RET_ALLOW, 0, 0),
                ]);
            }
        }
        filter.push(step(libc::BPF_RET, libc::SECCOMP_RET_ALLOW, 0, 0));
        filter
    }
}

/// Applies a filter to this thread and what it starts.
fn enter(filter: &[sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the filter, which lives until the call returns.
    let applied = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    };
    if applied { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Loads a word of the call's data: 0 is its number, 16 the low half of its first argument.
fn load(at: u32) -> sock_filter {
    step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at, 0, 0)
}

fn step(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: code as u16, jt, jf, k }
}

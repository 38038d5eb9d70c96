//! The system call filter, for what mounts and Landlock do not cover.
//!
//! The filter allows everything except the tables below. Calls newer than this file get the answer of a kernel that
//! does not know them, because their meaning is unknown here.
//!
//! Why no crate: a `seccompiler` filter has one answer for all calls that it refuses. This one needs two: EPERM for
//! what is forbidden, ENOSYS for what is unknown.

use libc::{c_long, sock_filter};
use std::collections::BTreeMap;

/// Restrictions that other layers leave to the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilterGaps {
    /// Modes, owners, times and attributes can be changed by path: refuse these calls.
    pub(crate) metadata: bool,
    /// Signals can reach processes outside.
    pub(crate) signals: bool,
    /// Process ids and System V memory of others are visible.
    pub(crate) processes: bool,
    /// Internet sockets are allowed: the network namespace is empty, or the profile allows them.
    pub(crate) internet: bool,
    /// Allow only the listed harmless `ioctl`s, instead of all but the dangerous ones.
    pub(crate) ioctl_listed_only: bool,
    /// Locks on files of others and file watchers could be held for as long as the command runs: refuse them.
    pub(crate) locks: bool,
}

/// First call number newer than this file, on every architecture.
const FIRST_UNKNOWN: u32 = 470;
/// Calls without a name in the C library; their numbers are the same everywhere.
const FCHMODAT2: c_long = 452;
const LSM_SET_SELF_ATTR: c_long = 460;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const OPEN_TREE_ATTR: c_long = 467;
const FILE_SETATTR: c_long = 469;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xC000_00B7;
#[cfg(target_arch = "riscv64")]
const NATIVE: u32 = 0xC000_00F3;
/// Unverified architecture: every call is killed, so no program starts (SB-3).
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const NATIVE: u32 = 0;

/// Calls that no program needs to read, build or test; most need capabilities that are gone anyway.
const REFUSED: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    LSM_SET_SELF_ATTR,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
];
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_kexec_file_load, libc::SYS_uselib];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[c_long] = &[];

/// Calls to report as unknown; programs fall back to `clone`, whose flags can be checked, or to plain reads.
const UNKNOWN: &[c_long] =
    &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

const METADATA: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
];
#[cfg(target_arch = "x86_64")]
const METADATA_HERE: &[c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_HERE: &[c_long] = &[];

/// System V and POSIX objects, which live outside the file system.
const SHARED_OBJECTS: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Calls on a process, and which argument names it; 0 is the caller itself.
const PROCESS_CALLS: &[(c_long, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setattr, 0),
];
/// Calls whose first argument says what the second names, and the values for a process and for its group. The value
/// for a user is not among them: 0 would then be all processes of this user.
const PRIORITY_CALLS: &[(c_long, [u32; 2])] = &[(libc::SYS_setpriority, [0, 1]), (libc::SYS_ioprio_set, [1, 2])];

const SIGNALS: &[c_long] = &[
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// Calls that make a file watcher; users have few of them.
#[cfg(target_arch = "x86_64")]
const WATCHERS: &[c_long] = &[libc::SYS_inotify_init, libc::SYS_inotify_init1];
#[cfg(not(target_arch = "x86_64"))]
const WATCHERS: &[c_long] = &[libc::SYS_inotify_init1];

/// Socket calls that are useless without a network; socket pairs need none of them.
const CONNECTING: &[c_long] =
    &[libc::SYS_connect, libc::SYS_bind, libc::SYS_listen, libc::SYS_accept, libc::SYS_accept4];

/// All namespace flags: CLONE_NEW{TIME, NS, CGROUP, UTS, IPC, USER, PID, NET}.
const NEW_NAMESPACES: u32 = 0x0000_0080 | 0x0002_0000 | 0x0200_0000 | 0x7C00_0000;

/// SETOWN, SETSIG, SETOWN_EX: signals to others. SETLEASE: blocks others. SET_RW_HINT, SET_FILE_RW_HINT: metadata.
const FCNTL_REFUSED: &[u32] = &[8, 10, 15, 1024, 1036, 1038];

/// SETLK, SETLKW, OFD_SETLK, OFD_SETLKW: locks, also on files that are open for reading only.
const FCNTL_LOCKS: &[u32] = &[6, 7, 37, 38];

/// Requests that type into a terminal or change it.
const IOCTL_REFUSED: &[u32] = &[0x5412, 0x541C, 0x5423, 0x541D];

/// Queries, and requests that copy between open files. All others get the answer of a file that knows none: among
/// them are those that change flags, make snapshots or seal files.
const IOCTL_ALLOWED: &[u32] = &[
    0x5401,      // TCGETS
    0x540F,      // TIOCGPGRP
    0x5413,      // TIOCGWINSZ
    0x541B,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x5460,      // FIOQSIZE
    0x8008_6601, // FS_IOC_GETFLAGS
    0x8008_7601, // FS_IOC_GETVERSION
    0x801C_581F, // FS_IOC_FSGETXATTR
    0xC020_660B, // FS_IOC_FIEMAP
    0x4004_9409, // FICLONE
    0x4020_940D, // FICLONERANGE
    0xB701,      // NS_GET_USERNS
    0xB702,      // NS_GET_PARENT
    0xB703,      // NS_GET_NSTYPE
];

#[derive(Debug, Clone, PartialEq, Eq)]
enum SyscallVerdict {
    Allow,
    Errno(i32),
    /// Allowed if all tests pass.
    Tests(Vec<ArgumentTest>),
}

/// Test on the low half of an argument: the kernel reads all of these as 32 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ArgumentTest {
    arg: u8,
    mask: u32,
    is: ArgumentMatch,
    errno: i32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ArgumentMatch {
    OneOf(Vec<u32>),
    NoneOf(Vec<u32>),
    Zero,
}

/// Builds the BPF program for the kernel.
pub(crate) fn build_filter(gaps: FilterGaps) -> Vec<sock_filter> {
    let mut program = vec![
        load_word(4),
        jump_if(libc::BPF_JEQ, NATIVE, 1, 0),
        return_value(libc::SECCOMP_RET_KILL_PROCESS),
        load_word(0),
        jump_if(libc::BPF_JGE, FIRST_UNKNOWN, 0, 1),
        return_errno(libc::ENOSYS),
    ];
    let table = verdict_table(gaps);
    let mut segments: Vec<(u32, &SyscallVerdict)> = vec![(0, &SyscallVerdict::Allow)];
    for (number, verdict) in &table {
        segments.push((*number, verdict));
        segments.push((number + 1, &SyscallVerdict::Allow));
    }
    // The gap between two adjacent refused numbers is empty.
    segments.dedup_by(|later, earlier| {
        let empty = later.0 == earlier.0;
        if empty {
            earlier.1 = later.1;
        }
        empty || later.1 == earlier.1
    });
    emit_search(&segments, &mut program);
    program
}

fn verdict_table(gaps: FilterGaps) -> BTreeMap<u32, SyscallVerdict> {
    let mut table = BTreeMap::new();
    let mut refuse = |calls: &[c_long], errno: i32| {
        for call in calls {
            table.insert(*call as u32, SyscallVerdict::Errno(errno));
        }
    };
    refuse(REFUSED, libc::EPERM);
    refuse(REFUSED_HERE, libc::EPERM);
    refuse(UNKNOWN, libc::ENOSYS);
    if gaps.metadata {
        refuse(METADATA, libc::EPERM);
        refuse(METADATA_HERE, libc::EPERM);
    }
    if gaps.processes {
        refuse(SHARED_OBJECTS, libc::EPERM);
    }
    if gaps.signals {
        refuse(SIGNALS, libc::EPERM);
    }
    if !gaps.internet {
        refuse(CONNECTING, libc::EPERM);
    }
    if gaps.locks {
        refuse(&[libc::SYS_flock], libc::ENOLCK);
        refuse(WATCHERS, libc::ENOSYS);
    }
    let mut test = |call: c_long, tests: Vec<ArgumentTest>| {
        table.insert(call as u32, SyscallVerdict::Tests(tests));
    };
    let one = |arg, is, errno| ArgumentTest { arg, mask: u32::MAX, is, errno };
    let families = if gaps.internet { &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK][..] } else { &[] };
    let families = families.iter().map(|family| *family as u32).collect();
    test(libc::SYS_socket, vec![one(0, ArgumentMatch::OneOf(families), libc::EPERM)]);
    // A pair of datagram sockets can send to any path; a connected stream can't.
    let kinds = ArgumentMatch::OneOf(vec![libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32]);
    let pair = [one(0, ArgumentMatch::OneOf(vec![libc::AF_UNIX as u32]), libc::EPERM)];
    let pair = pair.into_iter().chain([ArgumentTest { arg: 1, mask: 0xF, is: kinds, errno: libc::EPERM }]);
    test(libc::SYS_socketpair, pair.collect());
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        test(call, vec![ArgumentTest { arg: 0, mask: NEW_NAMESPACES, is: ArgumentMatch::Zero, errno: libc::EPERM }]);
    }
    let locks = gaps.locks.then(|| one(1, ArgumentMatch::NoneOf(FCNTL_LOCKS.to_vec()), libc::ENOLCK));
    let fcntl = one(1, ArgumentMatch::NoneOf(FCNTL_REFUSED.to_vec()), libc::EPERM);
    test(libc::SYS_fcntl, [fcntl].into_iter().chain(locks).collect());
    test(libc::SYS_ioctl, vec![ioctl_test(gaps.ioctl_listed_only)]);
    if gaps.signals {
        // The program's own process group contains no other process.
        test(libc::SYS_kill, vec![one(0, ArgumentMatch::Zero, libc::EPERM)]);
    }
    if gaps.processes {
        for (call, arg) in PROCESS_CALLS {
            test(*call, vec![one(*arg, ArgumentMatch::Zero, libc::EPERM)]);
        }
        for (call, kinds) in PRIORITY_CALLS {
            let kind = one(0, ArgumentMatch::OneOf(kinds.to_vec()), libc::EPERM);
            test(*call, vec![kind, one(1, ArgumentMatch::Zero, libc::EPERM)]);
        }
    }
    table
}

fn ioctl_test(listed_only: bool) -> ArgumentTest {
    if listed_only {
        ArgumentTest { arg: 1, mask: u32::MAX, is: ArgumentMatch::OneOf(IOCTL_ALLOWED.to_vec()), errno: libc::ENOTTY }
    } else {
        ArgumentTest { arg: 1, mask: u32::MAX, is: ArgumentMatch::NoneOf(IOCTL_REFUSED.to_vec()), errno: libc::EPERM }
    }
}

/// Emits a binary search for the segment of the number in the accumulator. It is fast because the kernel runs a
/// new filter for every call number.
fn emit_search(segments: &[(u32, &SyscallVerdict)], program: &mut Vec<sock_filter>) {
    let (low, high) = segments.split_at(segments.len() / 2);
    match (low, high) {
        ([], [(_, verdict)]) => emit_verdict(verdict, program),
        (_, []) => {}
        (_, [(start, _), ..]) => {
            program.push(jump_if(libc::BPF_JGE, *start, 0, 1));
            let over = program.len();
            program.push(return_value(0));
            emit_search(low, program);
            let distance = (program.len() - over - 1) as u32;
            if let Some(slot) = program.get_mut(over) {
                *slot = instruction(libc::BPF_JMP | libc::BPF_JA, distance);
            }
            emit_search(high, program);
        }
    }
}

fn emit_verdict(verdict: &SyscallVerdict, program: &mut Vec<sock_filter>) {
    match verdict {
        SyscallVerdict::Allow => program.push(return_value(libc::SECCOMP_RET_ALLOW)),
        SyscallVerdict::Errno(number) => program.push(return_errno(*number)),
        SyscallVerdict::Tests(tests) => {
            tests.iter().for_each(|test| emit_test(test, program));
            program.push(return_value(libc::SECCOMP_RET_ALLOW));
        }
    }
}

/// Emits one test; execution falls through if it passes.
fn emit_test(test: &ArgumentTest, program: &mut Vec<sock_filter>) {
    program.push(load_word(16 + 8 * u32::from(test.arg)));
    if test.mask != u32::MAX {
        program.push(instruction(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, test.mask));
    }
    match &test.is {
        ArgumentMatch::Zero => program.extend([jump_if(libc::BPF_JEQ, 0, 1, 0), return_errno(test.errno)]),
        ArgumentMatch::NoneOf(values) => {
            for value in values {
                program.extend([jump_if(libc::BPF_JEQ, *value, 0, 1), return_errno(test.errno)]);
            }
        }
        ArgumentMatch::OneOf(values) => {
            // Jump from each match over the later matches and the refusal.
            for (index, value) in values.iter().enumerate() {
                program.push(jump_if(libc::BPF_JEQ, *value, (values.len() - index) as u8, 0));
            }
            program.push(return_errno(test.errno));
        }
    }
}

fn instruction(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}
fn load_word(offset: u32) -> sock_filter {
    let low = if cfg!(target_endian = "big") && offset >= 16 { offset + 4 } else { offset };
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, low)
}
fn jump_if(kind: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: (libc::BPF_JMP | kind | libc::BPF_K) as u16, jt, jf, k }
}
fn return_value(result: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, result)
}
fn return_errno(number: i32) -> sock_filter {
    return_value(libc::SECCOMP_RET_ERRNO | number as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: FilterGaps = FilterGaps {
        metadata: true,
        signals: true,
        processes: true,
        internet: false,
        ioctl_listed_only: true,
        locks: true,
    };
    const FEW: FilterGaps = FilterGaps {
        metadata: false,
        signals: false,
        processes: false,
        internet: true,
        ioctl_listed_only: false,
        locks: false,
    };
    const OK: u32 = libc::SECCOMP_RET_ALLOW;
    fn err(number: i32) -> u32 {
        libc::SECCOMP_RET_ERRNO | number as u32
    }

    /// Runs the filter as the kernel does.
    fn play(program: &[sock_filter], arch: u32, number: u32, args: [u64; 6]) -> u32 {
        let word = |offset: u32| match offset {
            0 => number,
            4 => arch,
            _ => (args[(offset as usize - 16) / 8] >> (((offset - 16) % 8) * 8)) as u32,
        };
        let (mut at, mut a) = (0usize, 0u32);
        loop {
            let step = &program[at];
            at += 1;
            let code = u32::from(step.code);
            let jump = |yes: bool| usize::from(if yes { step.jt } else { step.jf });
            match code & 0x07 {
                libc::BPF_LD => a = word(step.k),
                libc::BPF_ALU => a &= step.k,
                libc::BPF_RET => return step.k,
                libc::BPF_JMP => match code & 0xF0 {
                    libc::BPF_JA => at += step.k as usize,
                    libc::BPF_JEQ => at += jump(a == step.k),
                    libc::BPF_JGE => at += jump(a >= step.k),
                    other => panic!("{other}"),
                },
                other => panic!("{other}"),
            }
        }
    }
    fn here(gaps: FilterGaps, number: c_long, args: [u64; 6]) -> u32 {
        play(&build_filter(gaps), NATIVE, number as u32, args)
    }

    /// Numbers of the kernel's own table for this architecture, not of this file's.
    #[cfg(target_arch = "x86_64")]
    mod by_number {
        /// Administration, tracing, keys, mounts, modules and clocks.
        pub const ALWAYS_REFUSED: &[u32] = &[
            101, 103, 134, 153, 155, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179,
            227, 246, 248, 249, 250, 256, 279, 298, 300, 304, 305, 308, 310, 311, 312, 313, 320, 321, 323, 428, 429,
            430, 431, 432, 433, 438, 440, 442, 443, 448, 460, 467,
        ];
        /// `socket` and `socketpair` with a family that is never allowed.
        pub const SOCKETS: &[u32] = &[41, 53];
        /// `clone3` and `io_uring`.
        pub const UNKNOWN: &[u32] = &[425, 426, 427, 435];
        pub const METADATA: &[u32] =
            &[90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280, 452, 463, 466, 469];
        pub const SHARED_OBJECTS: &[u32] = &[29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240, 241];
        pub const SIGNALS: &[u32] = &[129, 200, 234, 297, 424];
        pub const CONNECTING: &[u32] = &[42, 43, 49, 50, 288];
        /// Refused if all bits of the arguments are set: `clone` and `unshare` in any case, then `kill`, then calls on
        /// other processes.
        pub const NAMESPACES: &[u32] = &[56, 272];
        pub const KILL: &[u32] = &[62];
        pub const ON_PROCESSES: &[u32] = &[141, 142, 144, 203, 251, 302, 314];
        pub const IOCTL: u32 = 16;
        /// `flock`, which fails as on a file system without locks, and `inotify_init` and `inotify_init1`.
        pub const FLOCK: u32 = 73;
        pub const WATCHERS: &[u32] = &[253, 294];
        /// `ioprio_set` with a kind that is neither a process nor its group.
        pub const IOPRIO_OF_NOTHING: &[u32] = &[251];
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn sb_2_every_number_gets_its_verdict() {
        use by_number::*;
        let always = [ALWAYS_REFUSED, SOCKETS].concat();
        let more = [METADATA, SHARED_OBJECTS, SIGNALS, CONNECTING].concat();
        let cases = [
            (ALL, [0; 6], [always.clone(), more.clone(), IOPRIO_OF_NOTHING.to_vec()].concat()),
            (ALL, [u64::MAX; 6], [always.clone(), more, [NAMESPACES, KILL, ON_PROCESSES].concat()].concat()),
            (FEW, [0; 6], always.clone()),
            (FEW, [u64::MAX; 6], [always, NAMESPACES.to_vec()].concat()),
        ];
        for (gaps, args, refused) in cases {
            let program = build_filter(gaps);
            assert!(program.len() < 4096, "{}", program.len());
            for number in 0..600u32 {
                let want = match number {
                    470.. => err(libc::ENOSYS),
                    IOCTL if gaps == ALL => err(libc::ENOTTY),
                    FLOCK if gaps == ALL => err(libc::ENOLCK),
                    _ if gaps == ALL && WATCHERS.contains(&number) => err(libc::ENOSYS),
                    _ if UNKNOWN.contains(&number) => err(libc::ENOSYS),
                    _ if refused.contains(&number) => err(libc::EPERM),
                    _ => OK,
                };
                assert_eq!(play(&program, NATIVE, number, args), want, "{number} {gaps:?}");
            }
        }
    }

    #[test]
    fn sb_2_other_abi_is_killed_and_new_calls_unknown() {
        let i386 = 0x4000_0003;
        assert_eq!(play(&build_filter(FEW), i386, 15, [0; 6]), libc::SECCOMP_RET_KILL_PROCESS);
        assert_eq!(play(&build_filter(FEW), NATIVE, 0x4000_0000 | 90, [0; 6]), err(libc::ENOSYS));
    }

    #[test]
    fn sb_2_sockets_only_in_an_empty_network() {
        let socket = |gaps, family: i32| here(gaps, libc::SYS_socket, [family as u64, 1, 0, 0, 0, 0]);
        for family in [libc::AF_UNIX, libc::AF_VSOCK, libc::AF_PACKET, libc::AF_ALG, 0, 45] {
            assert_eq!(socket(ALL, family), err(libc::EPERM));
            assert_eq!(socket(FEW, family), err(libc::EPERM));
        }
        assert_eq!((socket(ALL, libc::AF_INET), socket(FEW, libc::AF_INET)), (err(libc::EPERM), OK));
        let pair = |kind: i32| here(ALL, libc::SYS_socketpair, [1, kind as u64, 0, 0, 0, 0]);
        assert_eq!(pair(libc::SOCK_STREAM | libc::SOCK_CLOEXEC), OK);
        assert_eq!(pair(libc::SOCK_DGRAM), err(libc::EPERM));
        assert_eq!(pair(libc::SOCK_DGRAM | libc::SOCK_NONBLOCK), err(libc::EPERM));
    }

    #[test]
    fn sb_2_upper_argument_half_is_ignored() {
        let high = 0xDEAD_BEEF_0000_0000u64;
        assert_eq!(here(FEW, libc::SYS_ioctl, [0, high | 0x5412, 0, 0, 0, 0]), err(libc::EPERM));
        assert_eq!(here(ALL, libc::SYS_ioctl, [0, high | 0x4008_6602, 0, 0, 0, 0]), err(libc::ENOTTY));
        assert_eq!(here(ALL, libc::SYS_kill, [high | 17, 9, 0, 0, 0, 0]), err(libc::EPERM));
        assert_eq!(here(ALL, libc::SYS_kill, [0, 9, 0, 0, 0, 0]), OK);
        assert_eq!(here(FEW, libc::SYS_kill, [17, 9, 0, 0, 0, 0]), OK);
    }

    #[test]
    fn sb_2_no_new_namespaces() {
        for flag in [libc::CLONE_NEWUSER, libc::CLONE_NEWNS, libc::CLONE_NEWPID, libc::CLONE_NEWCGROUP, 0x80] {
            let flags = (flag | libc::CLONE_VM) as u64;
            assert_eq!(here(FEW, libc::SYS_clone, [flags, 0, 0, 0, 0, 0]), err(libc::EPERM), "{flag:x}");
            assert_eq!(here(FEW, libc::SYS_unshare, [flags, 0, 0, 0, 0, 0]), err(libc::EPERM), "{flag:x}");
        }
        let thread = (libc::CLONE_VM | libc::CLONE_FS | libc::CLONE_FILES | libc::CLONE_THREAD) as u64;
        assert_eq!(here(FEW, libc::SYS_clone, [thread, 0, 0, 0, 0, 0]), OK);
        assert_eq!(here(FEW, libc::SYS_clone3, [0; 6]), err(libc::ENOSYS));
    }

    #[test]
    fn sb_7_priority_changes_reach_the_caller_only() {
        let call = |number, which: u64, who: u64| here(ALL, number, [which, who, 10, 0, 0, 0]);
        for (number, process, group, user) in [(libc::SYS_setpriority, 0, 1, 2), (libc::SYS_ioprio_set, 1, 2, 3)] {
            assert_eq!((call(number, process, 0), call(number, group, 0)), (OK, OK));
            assert_eq!(call(number, user, 0), err(libc::EPERM), "all processes of the user");
            assert_eq!(call(number, process, 17), err(libc::EPERM));
        }
    }

    #[test]
    fn sb_7_background_commands_hold_no_locks() {
        let fcntl = |gaps, command: u64| here(gaps, libc::SYS_fcntl, [3, command, 0, 0, 0, 0]);
        for lock in [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW] {
            assert_eq!((fcntl(ALL, lock as u64), fcntl(FEW, lock as u64)), (err(libc::ENOLCK), OK));
        }
        assert_eq!(fcntl(ALL, libc::F_GETFL as u64), OK);
        for (number, errno) in [(libc::SYS_flock, libc::ENOLCK), (libc::SYS_inotify_init1, libc::ENOSYS)] {
            assert_eq!((here(ALL, number, [0; 6]), here(FEW, number, [0; 6])), (err(errno), OK));
        }
    }
}

//! The filter of system calls: what neither mounts nor Landlock hold.
//!
//! It lets everything through but for the tables below, and answers calls that are newer than this file as a
//! kernel would that does not know them: their meaning is not known here either.

use libc::{c_long, sock_filter};
use std::collections::BTreeMap;

/// What other layers leave to the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gaps {
    /// Modes, owners, times and attributes can be changed by path: refuse the calls.
    pub(crate) metadata: bool,
    /// Signals reach processes outside.
    pub(crate) signals: bool,
    /// Process ids and System V memory of others are in sight.
    pub(crate) processes: bool,
    /// Internet sockets are fine: there is nobody to reach, or the profile allows it.
    pub(crate) internet: bool,
    /// Only these harmless `ioctl`s, or all but the dangerous ones.
    pub(crate) ioctl_listed_only: bool,
}

/// The first number that is newer than this file, on every architecture.
const NEWER: u32 = 470;
/// Calls that the C library has no names for yet; they have the same numbers everywhere.
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
/// An architecture whose numbers were never looked at: every call is killed, so no program starts (SB-3).
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const NATIVE: u32 = 0;

/// Never needed by a program that reads, builds or tests; most need capabilities that are gone anyway.
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

/// Programs have another way when the kernel does not know these: `clone`, whose flags can be looked at; plain reads.
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

/// System V and POSIX objects live outside the file system.
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

/// Calls on a process, and which argument names it: 0 is the caller itself.
const OF_A_PROCESS: &[(c_long, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

const SIGNALS: &[c_long] = &[
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// With no network these have nothing to work on but the ends of a socket pair, which need none of them.
const CONNECTING: &[c_long] =
    &[libc::SYS_connect, libc::SYS_bind, libc::SYS_listen, libc::SYS_accept, libc::SYS_accept4];

/// Every kind of namespace: CLONE_NEW{TIME, NS, CGROUP, UTS, IPC, USER, PID, NET}.
const NEW_NAMESPACES: u32 = 0x0000_0080 | 0x0002_0000 | 0x0200_0000 | 0x7C00_0000;

/// SETOWN, SETSIG, SETOWN_EX: signals to others. SETLEASE: holds others up. SET_RW_HINT, SET_FILE_RW_HINT: metadata.
const FCNTL_REFUSED: &[u32] = &[8, 10, 15, 1024, 1036, 1038];

/// Typing into a terminal, and changing what it is.
const IOCTL_REFUSED: &[u32] = &[0x5412, 0x541C, 0x5423, 0x541D];

/// Asking; and what copies between files that are open already. All other requests are answered as by a file that
/// knows none: among them are those by which a file system changes flags, makes snapshots or seals files.
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
enum Verdict {
    Allow,
    Errno(i32),
    /// Allowed if all pass.
    Tests(Vec<Test>),
}

/// On the low half of an argument: the kernel takes all of these as 32 bits wide.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Test {
    arg: u8,
    mask: u32,
    is: Is,
    errno: i32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Is {
    OneOf(Vec<u32>),
    NoneOf(Vec<u32>),
    Zero,
}

/// The program for the kernel.
pub(crate) fn filter(gaps: Gaps) -> Vec<sock_filter> {
    let mut program = vec![
        load(4),
        jump(libc::BPF_JEQ, NATIVE, 1, 0),
        give(libc::SECCOMP_RET_KILL_PROCESS),
        load(0),
        jump(libc::BPF_JGE, NEWER, 0, 1),
        errno(libc::ENOSYS),
    ];
    let table = verdicts(gaps);
    let mut segments: Vec<(u32, &Verdict)> = vec![(0, &Verdict::Allow)];
    for (number, verdict) in &table {
        segments.push((*number, verdict));
        segments.push((number + 1, &Verdict::Allow));
    }
    // Where two refused numbers follow each other, the gap between them is empty.
    segments.dedup_by(|later, earlier| {
        let empty = later.0 == earlier.0;
        if empty {
            earlier.1 = later.1;
        }
        empty || later.1 == earlier.1
    });
    search(&segments, &mut program);
    program
}

fn verdicts(gaps: Gaps) -> BTreeMap<u32, Verdict> {
    let mut table = BTreeMap::new();
    let mut refuse = |calls: &[c_long], errno: i32| {
        for call in calls {
            table.insert(*call as u32, Verdict::Errno(errno));
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
    let mut test = |call: c_long, tests: Vec<Test>| {
        table.insert(call as u32, Verdict::Tests(tests));
    };
    let one = |arg, is, errno| Test { arg, mask: u32::MAX, is, errno };
    let families = if gaps.internet { &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK][..] } else { &[] };
    let families = families.iter().map(|family| *family as u32).collect();
    test(libc::SYS_socket, vec![one(0, Is::OneOf(families), libc::EPERM)]);
    // A pair of datagram sockets can send to any path; a connected stream can't.
    let kinds = Is::OneOf(vec![libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32]);
    let pair = [one(0, Is::OneOf(vec![libc::AF_UNIX as u32]), libc::EPERM)];
    let pair = pair.into_iter().chain([Test { arg: 1, mask: 0xF, is: kinds, errno: libc::EPERM }]);
    test(libc::SYS_socketpair, pair.collect());
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        test(call, vec![Test { arg: 0, mask: NEW_NAMESPACES, is: Is::Zero, errno: libc::EPERM }]);
    }
    test(libc::SYS_fcntl, vec![one(1, Is::NoneOf(FCNTL_REFUSED.to_vec()), libc::EPERM)]);
    test(libc::SYS_ioctl, vec![ioctl(gaps.ioctl_listed_only)]);
    if gaps.signals {
        // Its own process group holds nobody else.
        test(libc::SYS_kill, vec![one(0, Is::Zero, libc::EPERM)]);
    }
    if gaps.processes {
        for (call, arg) in OF_A_PROCESS {
            test(*call, vec![one(*arg, Is::Zero, libc::EPERM)]);
        }
    }
    table
}

fn ioctl(listed_only: bool) -> Test {
    if listed_only {
        Test { arg: 1, mask: u32::MAX, is: Is::OneOf(IOCTL_ALLOWED.to_vec()), errno: libc::ENOTTY }
    } else {
        Test { arg: 1, mask: u32::MAX, is: Is::NoneOf(IOCTL_REFUSED.to_vec()), errno: libc::EPERM }
    }
}

/// A binary search for the segment of the number, which is in the accumulator: attaching a filter makes the
/// kernel play it for every number there is.
fn search(segments: &[(u32, &Verdict)], program: &mut Vec<sock_filter>) {
    let (low, high) = segments.split_at(segments.len() / 2);
    match (low, high) {
        ([], [(_, verdict)]) => answer(verdict, program),
        (_, []) => {}
        (_, [(start, _), ..]) => {
            program.push(jump(libc::BPF_JGE, *start, 0, 1));
            let over = program.len();
            program.push(give(0));
            search(low, program);
            let distance = (program.len() - over - 1) as u32;
            if let Some(slot) = program.get_mut(over) {
                *slot = code(libc::BPF_JMP | libc::BPF_JA, distance);
            }
            search(high, program);
        }
    }
}

fn answer(verdict: &Verdict, program: &mut Vec<sock_filter>) {
    match verdict {
        Verdict::Allow => program.push(give(libc::SECCOMP_RET_ALLOW)),
        Verdict::Errno(number) => program.push(errno(*number)),
        Verdict::Tests(tests) => {
            tests.iter().for_each(|test| examine(test, program));
            program.push(give(libc::SECCOMP_RET_ALLOW));
        }
    }
}

/// Falls through if it passes.
fn examine(test: &Test, program: &mut Vec<sock_filter>) {
    program.push(load(16 + 8 * u32::from(test.arg)));
    if test.mask != u32::MAX {
        program.push(code(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, test.mask));
    }
    match &test.is {
        Is::Zero => program.extend([jump(libc::BPF_JEQ, 0, 1, 0), errno(test.errno)]),
        Is::NoneOf(values) => {
            for value in values {
                program.extend([jump(libc::BPF_JEQ, *value, 0, 1), errno(test.errno)]);
            }
        }
        Is::OneOf(values) => {
            // From each match over the matches after it and the refusal.
            for (index, value) in values.iter().enumerate() {
                program.push(jump(libc::BPF_JEQ, *value, (values.len() - index) as u8, 0));
            }
            program.push(errno(test.errno));
        }
    }
}

fn code(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}
fn load(offset: u32) -> sock_filter {
    let low = if cfg!(target_endian = "big") && offset >= 16 { offset + 4 } else { offset };
    code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, low)
}
fn jump(kind: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: (libc::BPF_JMP | kind | libc::BPF_K) as u16, jt, jf, k }
}
fn give(result: u32) -> sock_filter {
    code(libc::BPF_RET | libc::BPF_K, result)
}
fn errno(number: i32) -> sock_filter {
    give(libc::SECCOMP_RET_ERRNO | number as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Gaps = Gaps { metadata: true, signals: true, processes: true, internet: false, ioctl_listed_only: true };
    const FEW: Gaps =
        Gaps { metadata: false, signals: false, processes: false, internet: true, ioctl_listed_only: false };
    const OK: u32 = libc::SECCOMP_RET_ALLOW;
    fn err(number: i32) -> u32 {
        libc::SECCOMP_RET_ERRNO | number as u32
    }

    /// Play the filter as the kernel does.
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
    fn here(gaps: Gaps, number: c_long, args: [u64; 6]) -> u32 {
        play(&filter(gaps), NATIVE, number as u32, args)
    }

    #[test]
    fn sb_2_every_number_gets_the_verdict_of_its_table() {
        for gaps in [ALL, FEW] {
            let (program, table) = (filter(gaps), verdicts(gaps));
            assert!(program.len() < 4096, "{}", program.len());
            for number in 0..600u32 {
                let want = match table.get(&number) {
                    _ if number >= NEWER => err(libc::ENOSYS),
                    None => OK,
                    Some(Verdict::Errno(errno)) => err(*errno),
                    Some(_) => continue,
                };
                assert_eq!(play(&program, NATIVE, number, [0; 6]), want, "{number}");
            }
        }
    }

    #[test]
    fn sb_2_another_abi_is_killed_and_numbers_beyond_are_unknown() {
        let i386 = 0x4000_0003;
        assert_eq!(play(&filter(FEW), i386, 15, [0; 6]), libc::SECCOMP_RET_KILL_PROCESS);
        assert_eq!(play(&filter(FEW), NATIVE, 0x4000_0000 | 90, [0; 6]), err(libc::ENOSYS));
    }

    #[test]
    fn sb_2_sockets_only_where_there_is_nobody_to_reach() {
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
    fn sb_2_high_halves_of_arguments_do_not_matter() {
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
}

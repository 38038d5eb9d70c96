//! Protects this process from inspection by other processes of the same user.

/// Blocks reading this process's memory and environment through /proc or ptrace, and core dumps (MO-4).
///
/// A command that we start runs as the same user and could read keys from there. Root still can. The effect ends
/// with exec, so started programs behave as usual.
pub fn forbid_process_inspection() {
    #[cfg(target_os = "linux")]
    // SAFETY: `prctl` with `PR_SET_DUMPABLE` takes plain numbers and changes only a flag of this process.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
    }
}

/// Turns a write beyond the user's limit for files (`ulimit -f`) into an error: the signal would end the program
/// silently. Programs that we confine get the signal's default action back.
pub fn ignore_file_size_signal() {
    // SAFETY: ignoring a signal installs no handler and accesses no memory.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn mo_4_other_processes_cannot_inspect_this_one() {
        super::forbid_process_inspection();
        // SAFETY: `prctl` with `PR_GET_DUMPABLE` only reads a flag of this process.
        let dumpable = unsafe { libc::prctl(libc::PR_GET_DUMPABLE, 0, 0, 0, 0) };
        assert_eq!(dumpable, 0);
    }
}

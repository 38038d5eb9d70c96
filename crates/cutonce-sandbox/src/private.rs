//! What other processes of the same user may see of this one.

/// Nobody may read this process's memory or environment through /proc or ptrace, and it leaves no core dump (MO-4): a
/// command that we start runs as the same user and could fetch keys from there. Root still can. Ends with exec, so
/// started programs are as they always are.
pub fn keep_private() {
    #[cfg(target_os = "linux")]
    // Safety: a plain system call on our own process.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn mo_4_others_cannot_look_into_this_process() {
        super::keep_private();
        // Safety: as above.
        let dumpable = unsafe { libc::prctl(libc::PR_GET_DUMPABLE, 0, 0, 0, 0) };
        assert_eq!(dumpable, 0);
    }
}

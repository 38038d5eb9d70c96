//! The user namespace of confined commands: made once per process, joined by every supervisor.
//!
//! The id maps of a namespace can be written only through the /proc files of a member that its user may inspect. A
//! supervisor shares our memory, keys included, so it must never be that member (MO-4). A short-lived shell with
//! its own memory and an empty environment is; after that a descriptor keeps the namespace.

use super::close_on_exec_except;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// File watchers that all confined commands together may have; the kernel's usual limit per user is 128 (SB-7).
const MAX_WATCHERS: &str = "64";

/// Returns the namespace of this process. A failed attempt is repeated by the next call (SB-3).
pub(crate) fn shared_user_namespace() -> io::Result<Arc<OwnedFd>> {
    static MADE: Mutex<Option<Arc<OwnedFd>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(namespace) = &*made {
        return Ok(namespace.clone());
    }
    let namespace = Arc::new(make_namespace()?);
    *made = Some(namespace.clone());
    Ok(namespace)
}

fn make_namespace() -> io::Result<OwnedFd> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "read -r _"]).env_clear().current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: the closure runs in the forked child, makes only async-signal-safe calls on constants, and neither
    // allocates nor locks.
    unsafe {
        command.pre_exec(|| {
            close_on_exec_except(&[])?;
            if libc::setsid() < 0 || libc::unshare(libc::CLONE_NEWUSER) != 0 {
                return Err(io::Error::last_os_error());
            }
            limit_watchers();
            Ok(())
        });
    }
    let mut member = command.spawn()?;
    let namespace = map_ids(member.id());
    // End of file on its input ends the shell.
    drop(member.stdin.take());
    member.wait()?;
    namespace
}

/// Lets the current user and group keep their ids in the member's namespace; returns the namespace.
fn map_ids(member: u32) -> io::Result<OwnedFd> {
    // SAFETY: `geteuid` and `getegid` take no arguments, access no memory and can't fail.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    fs::write(format!("/proc/{member}/setgroups"), "deny")?;
    fs::write(format!("/proc/{member}/uid_map"), format!("{user} {user} 1"))?;
    fs::write(format!("/proc/{member}/gid_map"), format!("{group} {group} 1"))?;
    Ok(File::open(format!("/proc/{member}/ns/user"))?.into())
}

/// Limits the file watchers of this process's user namespace. A kernel that can't do it keeps the user's limit.
///
/// # Safety
/// Call only in a forked child, in a user namespace of its own.
unsafe fn limit_watchers() {
    // SAFETY: the path is a C string, the text has the length that we pass, and `file` is closed here.
    unsafe {
        let file = libc::open(c"/proc/sys/user/max_inotify_instances".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file >= 0 {
            libc::write(file, MAX_WATCHERS.as_ptr().cast(), MAX_WATCHERS.len());
            libc::close(file);
        }
    }
}

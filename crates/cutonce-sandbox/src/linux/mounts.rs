//! Builds the program's own view of the file system: everything read-only except what is named. The supervisor
//! sets it up in its own namespaces before the program starts.

use super::inner_listener::listen_and_send;
use super::sys::sys;
use libc::c_ulong;
use std::ffi::{CStr, CString};
use std::os::fd::RawFd;
use std::ptr;

/// One mount step with all its data; it runs between clone and exec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MountStep {
    /// Stops mount events from outside from reaching this namespace.
    Private,
    /// Makes a folder its own mount, with the mounts below it, so that it can have other rights than its surroundings.
    BindSelf(CString),
    /// Mounts a link onto itself: it still leads to the same place, but can't be replaced.
    PinLink(CString),
    /// Mounts one folder over another.
    BindOver {
        what: CString,
        at: CString,
    },
    /// Puts a throwaway layer over a folder.
    Overlay {
        at: CString,
        options: CString,
    },
    /// Covers a file with a stand-in.
    MaskFile {
        at: CString,
        with: CString,
    },
    MaskFolder(CString),
    /// Makes all mounts read-only, recursively.
    ReadOnly,
    /// Like `ReadOnly`; also, no device can be opened. For kernels without Landlock.
    ReadOnlyNoDevices,
    /// Opens one device again.
    Device(CString),
    Writable(CString),
    /// Mounts a read-only /proc with only the processes of this namespace.
    Proc,
    /// Mounts a writable /proc, for a program that makes namespaces of its own.
    WritableProc,
    /// Brings up the loopback device of the private network namespace.
    Loopback,
    /// Listens there, for our process.
    Listen {
        port: u16,
        channel: RawFd,
    },
}

impl MountStep {
    /// Describes the step for the error text.
    pub(crate) fn describe(&self) -> String {
        let of = |path: &CStr| path.to_string_lossy().into_owned();
        match self {
            MountStep::Private => "making the mounts private".into(),
            MountStep::BindSelf(path) | MountStep::PinLink(path) => format!("mounting {}", of(path)),
            MountStep::BindOver { at, .. } => format!("mounting {}", of(at)),
            MountStep::Overlay { at, .. } => format!("putting a throwaway layer over {}", of(at)),
            MountStep::MaskFile { at, .. } | MountStep::MaskFolder(at) => format!("hiding {}", of(at)),
            MountStep::ReadOnly | MountStep::ReadOnlyNoDevices => "making the mounts read-only".into(),
            MountStep::Device(path) => format!("opening {}", of(path)),
            MountStep::Writable(path) => format!("making {} writable", of(path)),
            MountStep::Proc | MountStep::WritableProc => "mounting /proc".into(),
            MountStep::Loopback => "starting the loopback network".into(),
            MountStep::Listen { port, .. } => format!("listening on port {port} of the private network"),
        }
    }

    /// Runs the step.
    ///
    /// # Safety
    /// Call only in the supervisor, between clone and exec, in its own mount namespace.
    pub(crate) unsafe fn perform(&self) -> Result<(), i32> {
        // SAFETY: this is the supervisor in its own mount namespace; all strings are C strings owned by `self`.
        unsafe {
            match self {
                MountStep::Private => mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None),
                MountStep::BindSelf(path) => mount(Some(path), path, None, libc::MS_BIND | libc::MS_REC, None),
                MountStep::PinLink(path) => pin_link(path),
                MountStep::BindOver { what, at } => mount(Some(what), at, None, libc::MS_BIND, None),
                MountStep::Overlay { at, options } => mount(Some(c"scratch"), at, Some(c"overlay"), 0, Some(options)),
                MountStep::MaskFile { at, with } => ignore_missing(mount(Some(with), at, None, libc::MS_BIND, None)),
                MountStep::MaskFolder(path) => ignore_missing(mask_folder(path)),
                MountStep::ReadOnly => set_mount_attributes(c"/", libc::AT_RECURSIVE, libc::MOUNT_ATTR_RDONLY, 0),
                MountStep::ReadOnlyNoDevices => {
                    let set = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NODEV;
                    set_mount_attributes(c"/", libc::AT_RECURSIVE, set, 0)
                }
                MountStep::Device(path) => set_mount_attributes(path, 0, 0, libc::MOUNT_ATTR_NODEV),
                MountStep::Writable(path) => set_mount_attributes(path, 0, 0, libc::MOUNT_ATTR_RDONLY),
                MountStep::Proc => mount_proc(HARDENED_FLAGS),
                MountStep::WritableProc => mount_proc(HARDENED_FLAGS & !libc::MS_RDONLY),
                MountStep::Loopback => start_loopback(),
                MountStep::Listen { port, channel } => listen_and_send(*port, *channel),
            }
        }
    }
}

const HARDENED_FLAGS: c_ulong = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;

/// Mounts a link, not what it leads to, onto itself.
///
/// # Safety
/// Call only in a mount namespace of our own.
unsafe fn pin_link(path: &CStr) -> Result<(), i32> {
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_SYMLINK_NOFOLLOW as u32;
    // SAFETY: the paths are C strings that outlive the calls; `tree` is our own descriptor and closed here.
    unsafe {
        let tree = sys!(SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags)?;
        let from_tree = libc::MOVE_MOUNT_F_EMPTY_PATH;
        let moved = sys!(SYS_move_mount, tree, c"".as_ptr(), libc::AT_FDCWD, path.as_ptr(), from_tree);
        let _ = sys!(SYS_close, tree);
        moved.map(drop)
    }
}

/// Covers a folder with an empty read-only file system.
///
/// # Safety
/// Call only in a mount namespace of our own.
unsafe fn mask_folder(path: &CStr) -> Result<(), i32> {
    // SAFETY: all arguments are C strings that outlive the call.
    unsafe { mount(Some(c"hidden"), path, Some(c"tmpfs"), HARDENED_FLAGS, Some(c"size=4k,nr_inodes=1,mode=555")) }
}

/// Mounts /proc for this process namespace.
///
/// # Safety
/// Call only in mount and process namespaces of our own.
unsafe fn mount_proc(flags: c_ulong) -> Result<(), i32> {
    // SAFETY: all arguments are C strings that outlive the call.
    unsafe { mount(Some(c"proc"), c"/proc", Some(c"proc"), flags, None) }
}

/// Ignores a missing path: a file removed in the meantime has nothing to hide.
fn ignore_missing(result: Result<(), i32>) -> Result<(), i32> {
    match result {
        Err(libc::ENOENT) => Ok(()),
        other => other,
    }
}

/// The `mount` system call.
///
/// # Safety
/// Call only in a mount namespace of our own.
unsafe fn mount(
    what: Option<&CStr>,
    at: &CStr,
    kind: Option<&CStr>,
    flags: c_ulong,
    options: Option<&CStr>,
) -> Result<(), i32> {
    let raw = |text: Option<&CStr>| text.map_or(ptr::null(), CStr::as_ptr);
    // SAFETY: each pointer is null or a C string that outlives the call.
    unsafe { sys!(SYS_mount, raw(what), at.as_ptr(), raw(kind), flags, raw(options)) }.map(drop)
}

/// The `mount_setattr` system call.
///
/// # Safety
/// Call only in a mount namespace of our own.
unsafe fn set_mount_attributes(at: &CStr, flags: libc::c_int, set: u64, clear: u64) -> Result<(), i32> {
    let change = [set, clear, 0, 0];
    let size = size_of_val(&change);
    // SAFETY: `at` is a C string, and `change` is a `mount_attr` (four 64-bit fields) whose size we pass.
    unsafe { sys!(SYS_mount_setattr, libc::AT_FDCWD, at.as_ptr(), flags, change.as_ptr(), size) }.map(drop)
}

/// Brings up the loopback device.
///
/// # Safety
/// Call only in a network namespace of our own.
unsafe fn start_loopback() -> Result<(), i32> {
    // SAFETY: the kernel reads 40 bytes of `request`, which is that long; `socket` is closed here.
    unsafe {
        let socket = sys!(SYS_socket, libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0)?;
        // struct ifreq: a name of 16 bytes, then flags in a union of 24.
        let mut request = [0u8; 40];
        request[..2].copy_from_slice(b"lo");
        request[16..18].copy_from_slice(&((libc::IFF_UP | libc::IFF_RUNNING) as u16).to_ne_bytes());
        sys!(SYS_ioctl, socket, libc::SIOCSIFFLAGS, request.as_ptr())?;
        sys!(SYS_close, socket).map(drop)
    }
}

/// Builds overlay mount options. The kernel interprets commas, colons and backslashes in paths unless escaped.
pub(crate) fn overlay_options(lower: &CStr, upper: &CStr, work: &CStr) -> CString {
    let mut text = Vec::new();
    for (name, path) in [(&b"lowerdir="[..], lower), (b",upperdir=", upper), (b",workdir=", work)] {
        text.extend_from_slice(name);
        for byte in path.to_bytes() {
            if matches!(byte, b',' | b':' | b'\\') {
                text.push(b'\\');
            }
            text.push(*byte);
        }
    }
    // The data is discarded, so nothing is synced.
    text.extend_from_slice(b",userxattr,volatile");
    // The paths were C strings, so the text has no zero byte.
    CString::new(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_63_odd_paths_are_escaped() {
        let options = overlay_options(c"/a,b:c\\d", c"/u", c"/w");
        assert_eq!(options.to_str().unwrap(), r"lowerdir=/a\,b\:c\\d,upperdir=/u,workdir=/w,userxattr,volatile");
    }
}

//! A view of the file system of the program's own: everything read-only but for what is named, made by the
//! supervisor in its own namespaces before the program starts.

use super::sys::sys;
use libc::c_ulong;
use std::ffi::{CStr, CString};
use std::ptr;

/// One step, with all it needs: it is taken between clone and exec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// What is mounted outside from now on stays outside.
    Private,
    /// Make a folder a mount of its own, so that it can have other rights than what is around it.
    Apart(CString),
    /// Show one folder in another's place.
    Show {
        what: CString,
        at: CString,
    },
    /// Lay a throwaway layer over a folder.
    Layer {
        at: CString,
        options: CString,
    },
    /// Nothing to see in this file: another, empty one is in its place.
    MaskFile {
        at: CString,
        with: CString,
    },
    MaskFolder(CString),
    /// Everything, at all depths.
    ReadOnly,
    Writable(CString),
    /// Only the processes of this namespace, read-only.
    Proc,
    /// A network of nobody but ourselves.
    Loopback,
}

impl Step {
    /// For the error text.
    pub(crate) fn name(&self) -> String {
        let of = |path: &CStr| path.to_string_lossy().into_owned();
        match self {
            Step::Private => "taking the mounts apart".into(),
            Step::Apart(path) => format!("mounting {}", of(path)),
            Step::Show { at, .. } => format!("mounting {}", of(at)),
            Step::Layer { at, .. } => format!("laying a throwaway layer over {}", of(at)),
            Step::MaskFile { at, .. } | Step::MaskFolder(at) => format!("hiding {}", of(at)),
            Step::ReadOnly => "making the mounts read-only".into(),
            Step::Writable(path) => format!("making {} writable", of(path)),
            Step::Proc => "mounting /proc".into(),
            Step::Loopback => "starting the loopback network".into(),
        }
    }

    /// Between clone and exec.
    pub(crate) unsafe fn take(&self) -> Result<(), i32> {
        unsafe {
            match self {
                Step::Private => mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None),
                Step::Apart(path) => mount(Some(path), path, None, libc::MS_BIND, None),
                Step::Show { what, at } => mount(Some(what), at, None, libc::MS_BIND, None),
                Step::Layer { at, options } => mount(Some(c"scratch"), at, Some(c"overlay"), 0, Some(options)),
                Step::MaskFile { at, with } => gone_is_fine(mount(Some(with), at, None, libc::MS_BIND, None)),
                Step::MaskFolder(path) => gone_is_fine(mask_folder(path)),
                Step::ReadOnly => attributes(c"/", libc::AT_RECURSIVE, libc::MOUNT_ATTR_RDONLY, 0),
                Step::Writable(path) => attributes(path, 0, 0, libc::MOUNT_ATTR_RDONLY),
                Step::Proc => mount_proc(),
                Step::Loopback => loopback(),
            }
        }
    }
}

const SAFE: c_ulong = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;

unsafe fn mask_folder(path: &CStr) -> Result<(), i32> {
    unsafe { mount(Some(c"hidden"), path, Some(c"tmpfs"), SAFE, Some(c"size=4k,nr_inodes=1,mode=555")) }
}

unsafe fn mount_proc() -> Result<(), i32> {
    unsafe { mount(Some(c"proc"), c"/proc", Some(c"proc"), SAFE, None) }
}

/// What was removed since we looked has nothing to hide.
fn gone_is_fine(result: Result<(), i32>) -> Result<(), i32> {
    match result {
        Err(libc::ENOENT) => Ok(()),
        other => other,
    }
}

unsafe fn mount(
    what: Option<&CStr>,
    at: &CStr,
    kind: Option<&CStr>,
    flags: c_ulong,
    options: Option<&CStr>,
) -> Result<(), i32> {
    let raw = |text: Option<&CStr>| text.map_or(ptr::null(), CStr::as_ptr);
    unsafe { sys!(SYS_mount, raw(what), at.as_ptr(), raw(kind), flags, raw(options)) }.map(drop)
}

unsafe fn attributes(at: &CStr, flags: libc::c_int, set: u64, clear: u64) -> Result<(), i32> {
    let change = [set, clear, 0, 0];
    let size = size_of_val(&change);
    unsafe { sys!(SYS_mount_setattr, libc::AT_FDCWD, at.as_ptr(), flags, change.as_ptr(), size) }.map(drop)
}

unsafe fn loopback() -> Result<(), i32> {
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

/// Options of an overlay; the kernel takes commas, colons and backslashes in paths as its own unless escaped.
pub(crate) fn layer_options(lower: &CStr, upper: &CStr, work: &CStr) -> CString {
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
    // Nothing of it needs to survive, so nothing is synced.
    text.extend_from_slice(b",userxattr,volatile");
    // No path that was a C string has a zero in it.
    CString::new(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_63_odd_paths_are_escaped() {
        let options = layer_options(c"/a,b:c\\d", c"/u", c"/w");
        assert_eq!(options.to_str().unwrap(), r"lowerdir=/a\,b\:c\\d,upperdir=/u,workdir=/w,userxattr,volatile");
    }
}

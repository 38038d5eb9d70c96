//! Landlock: which files can be opened, by folder.
//!
//! Landlock only ever allows: below an allowed folder nothing can be taken out again. So reading is not allowed
//! on `/` but on every neighbour of what is hidden, all the way down. That leaves a hidden file's `stat` as it
//! is, and with it `git status`. Listing is allowed everywhere.

use super::sys::sys;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const TCP: u64 = 0b11;
/// Abstract unix sockets and signals.
const SCOPES: u64 = 0b11;

/// Below this, files can be truncated behind Landlock's back.
pub(crate) const OLDEST: u32 = 3;
/// From this on, signals to processes outside are refused.
pub(crate) const HOLDS_SIGNALS: u32 = 6;

/// What may be done below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    List,
    Read,
    /// Reading and writing an existing file, without making any.
    Use,
    /// Everything but devices.
    Write,
}

impl Access {
    fn bits(self, abi: u32) -> u64 {
        let bits = match self {
            Access::List => READ_DIR,
            Access::Read => EXECUTE | READ_FILE | READ_DIR,
            Access::Use => READ_FILE | WRITE_FILE | TRUNCATE,
            Access::Write => all(abi) & !(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV),
        };
        bits & all(abi)
    }
}

fn all(abi: u32) -> u64 {
    match abi {
        0 => 0,
        1 => (1 << 13) - 1,
        2 => (1 << 14) - 1,
        3 | 4 => (1 << 15) - 1,
        _ => (1 << 16) - 1,
    }
}

/// Which version the kernel offers; an error if none.
pub(crate) fn version() -> io::Result<u32> {
    // Safety: asks for the version, with no attributes.
    let version = unsafe { sys!(SYS_landlock_create_ruleset, 0, 0, 1) };
    version.map(|abi| abi as u32).map_err(io::Error::from_raw_os_error)
}

/// A set of rules, ready to be taken on by a process.
#[derive(Debug)]
pub(crate) struct Rules {
    fd: OwnedFd,
    abi: u32,
}

impl Rules {
    /// Nothing allowed yet. `network`: leave TCP alone.
    pub(crate) fn new(abi: u32, network: bool) -> io::Result<Self> {
        let scopes = if abi >= HOLDS_SIGNALS { SCOPES } else { 0 };
        let attributes = [all(abi), if network { 0 } else { TCP }, scopes];
        let size = match abi {
            0..4 => 8,
            4..6 => 16,
            _ => 24,
        };
        // Safety: the attributes live during the call and are as long as we say.
        let fd = unsafe { sys!(SYS_landlock_create_ruleset, attributes.as_ptr(), size, 0) };
        let fd = fd.map_err(io::Error::from_raw_os_error)?;
        // Safety: the kernel just gave it to us, closed at exec.
        Ok(Self { fd: unsafe { OwnedFd::from_raw_fd(fd as RawFd) }, abi })
    }

    /// Allow below a path. What is not there needs no rule.
    pub(crate) fn allow(&self, path: &Path, access: Access) -> io::Result<()> {
        match path.symlink_metadata() {
            Ok(meta) => self.allow_one(path, access, meta.is_dir()),
            Err(error) if is_out_of_reach(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// As above, of a path whose kind is known. Should it be another by now, it is refused, and with it the command.
    pub(crate) fn allow_one(&self, path: &Path, access: Access, folder: bool) -> io::Result<()> {
        let flags = libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW;
        let file = match std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(file) => file,
            Err(error) if is_out_of_reach(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        // Safety: our own descriptor.
        unsafe { add(self.fd.as_raw_fd(), file.as_raw_fd(), self.bits(access, folder)) }
            .map_err(io::Error::from_raw_os_error)
    }

    pub(crate) fn as_raw(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
    pub(crate) fn bits(&self, access: Access, folder: bool) -> u64 {
        access.bits(self.abi) & if folder { u64::MAX } else { OF_FILES }
    }
}

fn is_out_of_reach(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory)
        || matches!(error.raw_os_error(), Some(libc::ENXIO | libc::ENODEV))
}

/// Add a rule. Also between clone and exec.
unsafe fn add(rules: RawFd, file: RawFd, access: u64) -> Result<(), i32> {
    #[repr(C, packed)]
    struct PathBeneath {
        access: u64,
        file: i32,
    }
    let rule = PathBeneath { access, file };
    let path_beneath = 1;
    unsafe { sys!(SYS_landlock_add_rule, rules, path_beneath, &raw const rule, 0) }.map(drop)
}

/// Add a rule for a folder that is only there now, after mounting. Between clone and exec.
pub(crate) unsafe fn add_late(rules: RawFd, path: &CStr, access: u64) -> Result<(), i32> {
    unsafe {
        let file = sys!(SYS_openat, libc::AT_FDCWD, path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC)?;
        add(rules, file as RawFd, access)?;
        sys!(SYS_close, file).map(drop)
    }
}

/// Take the rules on, for good. Between clone and exec, after PR_SET_NO_NEW_PRIVS.
pub(crate) unsafe fn take_on(rules: RawFd) -> Result<(), i32> {
    unsafe { sys!(SYS_landlock_restrict_self, rules, 0) }.map(drop)
}

/// All paths that may be read so that none of `hidden` can: the neighbours of each, and of its ancestors; and
/// whether each is a folder.
pub(crate) fn neighbours(hidden: &[PathBuf]) -> Vec<(PathBuf, bool)> {
    let mut allowed = Vec::new();
    below(Path::new("/"), hidden, &mut allowed);
    allowed
}

fn below(folder: &Path, hidden: &[PathBuf], allowed: &mut Vec<(PathBuf, bool)>) {
    // What we can't list, no command of ours can read.
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_symlink() || hidden.contains(&path) {
            continue;
        }
        let inside: Vec<PathBuf> = hidden.iter().filter(|hidden| hidden.starts_with(&path)).cloned().collect();
        if inside.is_empty() { allowed.push((path, kind.is_dir())) } else { below(&path, &inside, allowed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sb_2_neighbours_leave_out_what_is_hidden_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["home/.ssh", "home/src", "home/a/b"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["home/.ssh/id", "home/.env", "home/x", "home/a/b/.env", "home/a/b/y", "home/a/z"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        std::os::unix::fs::symlink("x", root.join("home/link")).unwrap();
        let hidden = [".ssh", ".env", "a/b/.env", "not/there"].map(|name| root.join("home").join(name));
        let mut allowed = Vec::new();
        below(&root, &hidden, &mut allowed);
        allowed.sort();
        let want = [("home/a/b/y", false), ("home/a/z", false), ("home/src", true), ("home/x", false)];
        let want = want.map(|(name, folder)| (root.join(name), folder));
        assert_eq!(allowed, want);
    }

    #[test]
    fn sb_2_rights_fit_the_version_and_the_kind_of_file() {
        assert_eq!(Access::Write.bits(1) & TRUNCATE, 0);
        assert_eq!(Access::Write.bits(3) & TRUNCATE, TRUNCATE);
        assert_eq!(Access::Write.bits(7) & (MAKE_BLOCK | MAKE_CHAR | IOCTL_DEV), 0);
        assert_eq!(Access::Read.bits(7) & (WRITE_FILE | TRUNCATE), 0);
        assert_eq!(Access::List.bits(7), READ_DIR);
    }
}

//! Landlock: restricts which files can be opened, by folder.
//!
//! Landlock rules only allow: below an allowed folder nothing can be excluded. So reading is allowed not on `/`
//! but on every neighbour of a hidden path, all the way down. That keeps a hidden file's `stat` unchanged, and
//! with it `git status`. Listing is allowed everywhere. Without mounts, writing around a protected path is allowed in
//! the same way: its neighbours can be changed, but in the folder around it no name can be added or removed.

use super::sys::sys;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::io;
use std::ops::Bound;
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
const FILE_RIGHTS: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const TCP: u64 = 0b11;
/// Restricts abstract unix sockets and signals.
const SCOPES: u64 = 0b11;

/// Minimum version: before it, Landlock does not restrict truncation.
pub(crate) const MIN_VERSION: u32 = 3;
/// First version that blocks signals to processes outside.
pub(crate) const SIGNALS_SINCE: u32 = 6;

/// Access rights below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LandlockAccess {
    List,
    Read,
    /// Read and write an existing file, without creating any.
    ReadWriteExisting,
    /// Everything except device nodes.
    Write,
}

impl LandlockAccess {
    fn bits(self, abi: u32) -> u64 {
        let bits = match self {
            LandlockAccess::List => READ_DIR,
            LandlockAccess::Read => EXECUTE | READ_FILE | READ_DIR,
            LandlockAccess::ReadWriteExisting => READ_FILE | WRITE_FILE | TRUNCATE,
            LandlockAccess::Write => all_rights(abi) & !(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV),
        };
        bits & all_rights(abi)
    }
}

fn all_rights(abi: u32) -> u64 {
    match abi {
        0 => 0,
        1 => (1 << 13) - 1,
        2 => (1 << 14) - 1,
        3 | 4 => (1 << 15) - 1,
        _ => (1 << 16) - 1,
    }
}

/// Returns the Landlock version of the kernel; an error if there is none.
pub(crate) fn supported_version() -> io::Result<u32> {
    // SAFETY: with null attributes and flag 1 the call only returns the version.
    let version = unsafe { sys!(SYS_landlock_create_ruleset, 0, 0, 1) };
    version.map(|abi| abi as u32).map_err(io::Error::from_raw_os_error)
}

/// A set of rules that a process can apply to itself.
#[derive(Debug)]
pub(crate) struct LandlockRules {
    fd: OwnedFd,
    abi: u32,
}

impl LandlockRules {
    /// Creates a set that allows nothing. `network`: do not restrict TCP.
    pub(crate) fn new(abi: u32, network: bool) -> io::Result<Self> {
        let scopes = if abi >= SIGNALS_SINCE { SCOPES } else { 0 };
        let attributes = [all_rights(abi), if network { 0 } else { TCP }, scopes];
        let size = match abi {
            0..4 => 8,
            4..6 => 16,
            _ => 24,
        };
        // SAFETY: `attributes` outlives the call and has at least `size` bytes.
        let fd = unsafe { sys!(SYS_landlock_create_ruleset, attributes.as_ptr(), size, 0) };
        let fd = fd.map_err(io::Error::from_raw_os_error)?;
        // SAFETY: the kernel just returned this descriptor to us, and no other owner exists.
        Ok(Self { fd: unsafe { OwnedFd::from_raw_fd(fd as RawFd) }, abi })
    }

    /// Allows access below a path. A missing path needs no rule.
    pub(crate) fn allow(&self, path: &Path, access: LandlockAccess) -> io::Result<()> {
        match path.symlink_metadata() {
            Ok(meta) => self.allow_known_kind(path, access, meta.is_dir()),
            Err(error) if is_unreachable(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Allows access below a path of known kind. If the kind has changed, the kernel refuses the rule and the command.
    pub(crate) fn allow_known_kind(&self, path: &Path, access: LandlockAccess, folder: bool) -> io::Result<()> {
        let flags = libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW;
        let file = match std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(file) => file,
            Err(error) if is_unreachable(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        // SAFETY: both descriptors are open and owned by us for the duration of the call.
        unsafe { add_rule(self.fd.as_raw_fd(), file.as_raw_fd(), self.bits(access, folder)) }
            .map_err(io::Error::from_raw_os_error)
    }

    pub(crate) fn as_raw(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
    pub(crate) fn bits(&self, access: LandlockAccess, folder: bool) -> u64 {
        access.bits(self.abi) & if folder { u64::MAX } else { FILE_RIGHTS }
    }
}

fn is_unreachable(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory)
        || matches!(error.raw_os_error(), Some(libc::ENXIO | libc::ENODEV))
}

/// Adds a rule; also works between clone and exec.
///
/// # Safety
/// `rules` must be an open Landlock rule set and `file` an open descriptor.
unsafe fn add_rule(rules: RawFd, file: RawFd, access: u64) -> Result<(), i32> {
    #[repr(C, packed)]
    struct PathBeneath {
        access: u64,
        file: i32,
    }
    let rule = PathBeneath { access, file };
    let path_beneath = 1;
    // SAFETY: `rule` is a local with the kernel's `landlock_path_beneath_attr` layout and outlives the call.
    unsafe { sys!(SYS_landlock_add_rule, rules, path_beneath, &raw const rule, 0) }.map(drop)
}

/// Adds a rule for a folder that exists only after mounting.
///
/// # Safety
/// Call between clone and exec; `rules` must be an open Landlock rule set.
pub(crate) unsafe fn add_rule_at(rules: RawFd, path: &CStr, access: u64) -> Result<(), i32> {
    // SAFETY: `path` is a C string, and `file` is opened and closed here.
    unsafe {
        let file = sys!(SYS_openat, libc::AT_FDCWD, path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC)?;
        add_rule(rules, file as RawFd, access)?;
        sys!(SYS_close, file).map(drop)
    }
}

/// Applies the rules to this process permanently.
///
/// # Safety
/// Call between clone and exec, after PR_SET_NO_NEW_PRIVS: the restriction can't be undone.
pub(crate) unsafe fn restrict_self(rules: RawFd) -> Result<(), i32> {
    // SAFETY: the call takes plain numbers; `rules` is an open Landlock rule set by contract.
    unsafe { sys!(SYS_landlock_restrict_self, rules, 0) }.map(drop)
}

/// Returns all paths below a folder to allow so that none of `closed` is: the folder itself if it contains none, else
/// the neighbours of each and of its ancestors. Each comes with whether it is a folder.
pub(crate) fn open_below(folder: &Path, closed: &BTreeSet<PathBuf>) -> Vec<(PathBuf, bool)> {
    if closed.iter().any(|path| folder.starts_with(path)) {
        return Vec::new();
    }
    if !closed.iter().any(|path| path.starts_with(folder)) {
        return vec![(folder.to_path_buf(), true)];
    }
    let mut allowed = Vec::new();
    collect_neighbours(folder, closed, &mut allowed);
    allowed
}

/// The set is ordered by path components, so that the first one from a folder on says whether the folder contains
/// any. A repository can contain thousands of hidden files.
fn collect_neighbours(folder: &Path, hidden: &BTreeSet<PathBuf>, allowed: &mut Vec<(PathBuf, bool)>) {
    // A folder that we can't list, no command of ours can read.
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_symlink() || hidden.contains(&path) {
            continue;
        }
        let next = hidden.range::<Path, _>((Bound::Excluded(path.as_path()), Bound::Unbounded)).next();
        if next.is_some_and(|next| next.starts_with(&path)) {
            collect_neighbours(&path, hidden, allowed);
        } else {
            allowed.push((path, kind.is_dir()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sb_2_neighbours_exclude_only_hidden_paths() {
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
        collect_neighbours(&root, &BTreeSet::from(hidden), &mut allowed);
        allowed.sort();
        let want = [("home/a/b/y", false), ("home/a/z", false), ("home/src", true), ("home/x", false)];
        let want = want.map(|(name, folder)| (root.join(name), folder));
        assert_eq!(allowed, want);
    }

    #[test]
    fn sb_2_rights_fit_version_and_file_kind() {
        assert_eq!(LandlockAccess::Write.bits(1) & TRUNCATE, 0);
        assert_eq!(LandlockAccess::Write.bits(3) & TRUNCATE, TRUNCATE);
        assert_eq!(LandlockAccess::Write.bits(7) & (MAKE_BLOCK | MAKE_CHAR | IOCTL_DEV), 0);
        assert_eq!(LandlockAccess::Read.bits(7) & (WRITE_FILE | TRUNCATE), 0);
        assert_eq!(LandlockAccess::List.bits(7), READ_DIR);
    }
}

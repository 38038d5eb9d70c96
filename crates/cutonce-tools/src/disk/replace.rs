//! Replaces a file's content atomically (TL-3, PM-45): a temporary file next to it, synced, then renamed.
//! Any failure before the rename leaves the old file intact.
//!
//! On Linux the temporary file has no name until it is complete, so a killed process leaves nothing behind. Where
//! that is impossible, the next process that writes in the folder removes what a killed one left.

use super::open::{self, MissingFolders, OpenFailure, OpenFolder};
use super::{FileError, FileStamp};
use cutonce_core::sync::LockUnpoisoned;
use rustix::fs::{AtFlags, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Replaces the file that had `old` as its stamp (`None`: there must be none) and returns the new stamp.
/// `keep` runs when everything except the rename is done.
pub(super) fn replace(
    path: &Path,
    old: Option<&FileStamp>,
    new: &[u8],
    keep: impl FnOnce() -> io::Result<()>,
) -> Result<FileStamp, FileError> {
    let name = file_name(path)?;
    let mut folder = open::open_parent(path, MissingFolders::Create).map_err(|stop| changed_error(stop, path))?;
    let stat = check_unchanged(&folder, name, path, old)?;
    remove_leftovers_once(&folder);
    let mut temporary = TemporaryFile::create(&folder, path, stat.is_some())?;
    temporary.write_content(new, stat.as_ref(), name).map_err(|source| FileError::from_io("write", path, source))?;
    keep().map_err(|source| FileError::NotStored { path: path.into(), source })?;
    // Storing the old content may take a while; check again as late as possible.
    check_unchanged(&folder, name, path, old)?;
    let file = temporary.rename(name, path, old.is_some())?;
    drop(temporary);
    sync_folder(&folder.fd);
    folder.keep_created(sync_folder);
    // After the rename, because renaming changes the ctime.
    let stat = rustix::fs::fstat(&file).map_err(|errno| open::errno_error("read", path, errno))?;
    Ok(FileStamp::from_stat(&stat))
}

/// Removes the file that had `old` as its stamp.
pub(super) fn remove(path: &Path, old: &FileStamp, keep: impl FnOnce() -> io::Result<()>) -> Result<(), FileError> {
    let name = file_name(path)?;
    let folder = open::open_parent(path, MissingFolders::Fail).map_err(|stop| changed_error(stop, path))?;
    keep().map_err(|source| FileError::NotStored { path: path.into(), source })?;
    check_unchanged(&folder, name, path, Some(old))?;
    rustix::fs::unlinkat(&folder.fd, name, AtFlags::empty())
        .map_err(|errno| open::errno_error("remove", path, errno))?;
    sync_folder(&folder.fd);
    Ok(())
}

fn file_name(path: &Path) -> Result<&OsStr, FileError> {
    path.file_name().ok_or_else(|| FileError::NotAFile { path: path.into(), kind: open::SpecialKind::Folder })
}

fn changed_error(stop: OpenFailure, path: &Path) -> FileError {
    stop.into_error("write", path)
}

/// Checks that the file is as it was when its content was read; fails for a link or another kind of file.
fn check_unchanged(
    folder: &OpenFolder,
    name: &OsStr,
    path: &Path,
    old: Option<&FileStamp>,
) -> Result<Option<Stat>, FileError> {
    match (rustix::fs::statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW), old) {
        (Ok(stat), Some(old)) if FileStamp::from_stat(&stat) == *old => Ok(Some(stat)),
        (Err(Errno::NOENT), None) => Ok(None),
        (Ok(_), _) | (Err(Errno::NOENT), Some(_)) => Err(FileError::Changed { path: path.into() }),
        (Err(errno), _) => Err(open::errno_error("write", path, errno)),
    }
}

/// A temporary file next to the one to replace; removed unless it is renamed.
struct TemporaryFile<'a> {
    folder: &'a OpenFolder,
    /// `None` while it has no name in the folder.
    name: Option<String>,
    file: File,
}

impl<'a> TemporaryFile<'a> {
    /// Creates the file. A replacement gets its mode later; a new file gets the umask's default.
    fn create(folder: &'a OpenFolder, path: &Path, replaces: bool) -> Result<Self, FileError> {
        let mode = Mode::from_raw_mode(if replaces { 0o600 } else { 0o666 });
        if let Some(file) = create_nameless(folder, mode) {
            return Ok(Self { folder, name: None, file });
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let name = temporary_name();
            match rustix::fs::openat(&folder.fd, &name, flags, mode) {
                Ok(fd) => return Ok(Self { folder, name: Some(name), file: File::from(fd) }),
                // Left behind by a killed process with the same id.
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(open::errno_error("write", path, errno)),
            }
        }
    }

    fn write_content(&self, new: &[u8], old: Option<&Stat>, name: &OsStr) -> io::Result<()> {
        (&self.file).write_all(new)?;
        if let Some(old) = old {
            copy_owner(&self.file, old);
            copy_attributes(self.folder, name, &self.file);
            rustix::fs::fchmod(&self.file, Mode::from_raw_mode(old.st_mode & 0o7777))?;
        }
        self.file.sync_all()
    }

    fn rename(&mut self, name: &OsStr, path: &Path, replaces: bool) -> Result<File, FileError> {
        let outcome = match (&self.name, replaces) {
            (None, false) => link_nameless(&self.file, self.folder, name),
            (None, true) => self.add_name().and_then(|()| self.rename_over(name)),
            (Some(_), false) => self.rename_new(name),
            (Some(_), true) => self.rename_over(name),
        };
        match outcome {
            Ok(()) => {
                self.name = None;
                self.file.try_clone().map_err(|source| FileError::from_io("read", path, source))
            }
            Err(Errno::EXIST) => Err(FileError::Changed { path: path.into() }),
            Err(errno) => Err(open::errno_error("write", path, errno)),
        }
    }

    /// A rename needs a name. The file is complete and synced by now, so it has the name for a moment only.
    fn add_name(&mut self) -> rustix::io::Result<()> {
        loop {
            let name = temporary_name();
            match link_nameless(&self.file, self.folder, OsStr::new(&name)) {
                Ok(()) => {
                    self.name = Some(name);
                    return Ok(());
                }
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    fn rename_over(&self, name: &OsStr) -> rustix::io::Result<()> {
        let (fd, from) = (&self.folder.fd, self.name.as_deref().unwrap_or_default());
        rustix::fs::renameat(fd, from, fd, name)
    }

    /// Refuses to replace a file that was created meanwhile; some file systems can't guarantee that.
    fn rename_new(&self, name: &OsStr) -> rustix::io::Result<()> {
        rename_to_new(&self.folder.fd, OsStr::new(self.name.as_deref().unwrap_or_default()), name)
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = rustix::fs::unlinkat(&self.folder.fd, name.as_str(), AtFlags::empty());
        }
    }
}

/// Ends the name of what was set aside.
const ASIDE: &str = ".set-aside";
/// Names to try.
const MAX_ASIDE: u32 = 1_000;

/// Renames a file or folder within its folder, so that no program recognizes it; returns the new name (SB-4).
pub(crate) fn set_aside(path: &Path) -> io::Result<OsString> {
    let folder = open::open_parent(path, MissingFolders::Fail).map_err(|stop| match stop {
        OpenFailure::NotAFolder => io::Error::other("its folder leads elsewhere now"),
        OpenFailure::Errno(errno) => errno.into(),
    })?;
    let name = path.file_name().unwrap_or_default();
    for number in 1..MAX_ASIDE {
        let mut aside = name.to_os_string();
        aside.push(ASIDE);
        if number > 1 {
            aside.push(format!("-{number}"));
        }
        match rename_to_new(&folder.fd, name, &aside) {
            Ok(()) => return Ok(aside),
            Err(Errno::EXIST) => {}
            // A command can close the folder.
            Err(Errno::ACCESS) if number == 1 => {
                open_to_owner(&folder.fd)?;
                rename_to_new(&folder.fd, name, &aside)?;
                return Ok(aside);
            }
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(io::Error::other("too many were set aside here"))
}

/// Lets the user read a folder that a command closed.
pub(crate) fn open_closed_folder(path: &Path) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open_to_owner(&rustix::fs::open(path, flags, Mode::empty())?)
}

fn open_to_owner(folder: &OwnedFd) -> io::Result<()> {
    Ok(rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), Mode::RWXU)?)
}

/// The name that a file or folder had before it was set aside.
pub(crate) fn name_before_set_aside(name: &OsStr) -> Option<&OsStr> {
    let (before, number) = name.to_str()?.rsplit_once(ASIDE)?;
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (number.is_empty() || number.strip_prefix('-').is_some_and(is_number)).then_some(OsStr::new(before))
}

fn rename_to_new(folder: &OwnedFd, name: &OsStr, new: &OsStr) -> rustix::io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    match rustix::fs::renameat_with(folder, name, folder, new, rustix::fs::RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        outcome => return outcome,
    }
    rustix::fs::renameat(folder, name, folder, new)
}

const PREFIX: &str = ".cutonce-";
const SUFFIX: &str = ".tmp";
/// A temporary file of a process that does not exist may belong to another machine or container that shares the folder.
/// No write takes this long.
const LEFTOVER_AGE_SECONDS: i64 = 60;

fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}{}-{count}{SUFFIX}", std::process::id())
}

/// A file without a name, which disappears with this process. `None` if the file system or `/proc` can't provide it.
fn create_nameless(folder: &OpenFolder, mode: Mode) -> Option<File> {
    #[cfg(target_os = "linux")]
    {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&folder.fd, ".", flags, mode).ok()?);
        // Without /proc it could not get a name later.
        rustix::fs::stat(proc_path(&file)).ok()?;
        Some(file)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (folder, mode);
        None
    }
}

/// Gives the nameless file a name; fails if there is such a file already.
fn link_nameless(file: &File, folder: &OpenFolder, name: &OsStr) -> rustix::io::Result<()> {
    rustix::fs::linkat(rustix::fs::CWD, proc_path(file), &folder.fd, name, AtFlags::SYMLINK_FOLLOW)
}

fn proc_path(file: &File) -> String {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Removes leftovers before the first write of this process in a folder.
fn remove_leftovers_once(folder: &OpenFolder) {
    static DONE: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());
    let Ok(stat) = rustix::fs::fstat(&folder.fd) else { return };
    let stamp = FileStamp::from_stat(&stat);
    if DONE.lock_unpoisoned().insert((stamp.device, stamp.inode)) {
        remove_leftovers(folder);
    }
}

/// Removes temporary files that killed processes left in this folder.
fn remove_leftovers(folder: &OpenFolder) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::openat(&folder.fd, ".", flags, Mode::empty()) else { return };
    let Ok(entries) = rustix::fs::Dir::read_from(fd) else { return };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().ok().and_then(temporary_owner).is_some_and(is_gone)
            && let Ok(stat) = rustix::fs::statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW)
            && now.saturating_sub(FileStamp::from_stat(&stat).modified.0) > LEFTOVER_AGE_SECONDS
        {
            let _ = rustix::fs::unlinkat(&folder.fd, name, AtFlags::empty());
        }
    }
}

/// The process that created a temporary file, from the file's name.
fn temporary_owner(name: &str) -> Option<i32> {
    let (pid, count) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
    count.parse::<u64>().ok()?;
    pid.parse().ok().filter(|pid| *pid > 0)
}

fn is_gone(pid: i32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(Errno::SRCH))
}

/// Copies access lists and user attributes as far as the file system permits.
fn copy_attributes(folder: &OpenFolder, name: &OsStr, to: &File) {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{XattrFlags, fgetxattr, flistxattr, flistxattr_query, fsetxattr};
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(from) = rustix::fs::openat(&folder.fd, name, flags, Mode::empty()) else { return };
        let mut names = vec![0u8; flistxattr_query(&from).unwrap_or(0)];
        let Ok(length) = flistxattr(&from, names.as_mut_slice()) else { return };
        let mut value = vec![0u8; 64 << 10];
        for attribute in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            if let Ok(size) = fgetxattr(&from, attribute, value.as_mut_slice()) {
                let _ = fsetxattr(to, attribute, &value[..size], XattrFlags::empty());
            }
        }
    }
}

/// Gives a file the owner and the attributes of the one that it will replace, as far as the user may.
pub(super) fn copy_owner_and_attributes(replaced: &Path, to: &File) {
    let Ok(folder) = open::open_parent(replaced, MissingFolders::Fail) else { return };
    let Some(name) = replaced.file_name() else { return };
    if let Ok(stat) = rustix::fs::statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
        copy_owner(to, &stat);
        copy_attributes(&folder, name, to);
    }
}

/// Copies the owner. Only root or members of the group may; otherwise the file belongs to the current user.
#[allow(clippy::unnecessary_cast)] // The field types differ between systems.
fn copy_owner(file: &File, old: &Stat) {
    let (uid, gid) = (Uid::from_raw(old.st_uid as u32), Gid::from_raw(old.st_gid as u32));
    if rustix::fs::fchown(file, Some(uid), Some(gid)).is_err() {
        let _ = rustix::fs::fchown(file, None, Some(gid));
    }
}

/// Makes names in a folder durable. Ignores file systems that can't sync a folder.
fn sync_folder(folder: &OwnedFd) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    if let Ok(fd) = rustix::fs::openat(folder, ".", flags, Mode::empty()) {
        let _ = rustix::fs::fsync(fd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn tl_3_leftovers_of_killed_writes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let old = SystemTime::now() - Duration::from_secs(3600);
        let create = |name: String, at: SystemTime| {
            File::create(folder.path().join(&name)).unwrap().set_modified(at).unwrap();
            name
        };
        create(format!(".cutonce-{}-0.tmp", gone.id()), old);
        let mut kept = vec![
            create(format!(".cutonce-{}-7.tmp", std::process::id()), old),
            create(format!(".cutonce-{}-1.tmp", gone.id()), SystemTime::now()),
            create(".cutonce-notes.tmp".into(), old),
            create(format!(".cutonce-{}-x.tmp", gone.id()), old),
        ];
        replace(&folder.path().join("a"), None, b"new", || Ok(())).unwrap();
        kept.push("a".into());
        let mut found: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        kept.sort();
        assert_eq!(found, kept);
    }

    /// A killed process runs no destructor: nothing may have a name when the old content is stored, which is the last
    /// step before the rename.
    #[cfg(target_os = "linux")]
    #[test]
    fn tl_3_temporary_file_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let check = |expected: usize| {
            assert_eq!(names(), expected);
            Ok(())
        };
        let stamp = replace(&path, None, b"one", || check(0)).unwrap();
        replace(&path, Some(&stamp), b"two", || check(1)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(names(), 1);
    }
}

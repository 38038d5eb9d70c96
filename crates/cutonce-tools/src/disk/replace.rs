//! Putting new content in a file's place atomically (TL-3, PM-45): a temporary file beside it, synced, renamed.
//! Whatever fails before the rename leaves the old file whole.

use super::open::{self, Folder, Missing, Stop};
use super::{DiskError, Stamp};
use rustix::fs::{AtFlags, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Replaces the file that had `old` as its stamp (`None`: there must be none) and returns the new stamp.
/// `keep` runs when everything but the rename is done.
pub(super) fn replace(
    path: &Path,
    old: Option<&Stamp>,
    new: &[u8],
    keep: impl FnOnce() -> io::Result<()>,
) -> Result<Stamp, DiskError> {
    let name = name_of(path)?;
    let mut folder = open::parent(path, Missing::Create).map_err(|stop| not_there(stop, path))?;
    let stat = check_unchanged(&folder, name, path, old)?;
    let temporary = Temporary::create(&folder, path, stat.is_some())?;
    temporary.fill(new, stat.as_ref(), name).map_err(|source| DiskError::io("write", path, source))?;
    keep().map_err(|source| DiskError::NotKept { path: path.into(), source })?;
    // Keeping may take a while; look again as late as possible.
    check_unchanged(&folder, name, path, old)?;
    let file = temporary.rename(name, path, old.is_some())?;
    folder.keep();
    sync_folder(&folder);
    // After the rename, because renaming changes the file's ctime.
    let stat = rustix::fs::fstat(&file).map_err(|errno| open::failed("read", path, errno))?;
    Ok(Stamp::of(&stat))
}

/// Removes the file that had `old` as its stamp.
pub(super) fn remove(path: &Path, old: &Stamp, keep: impl FnOnce() -> io::Result<()>) -> Result<(), DiskError> {
    let name = name_of(path)?;
    let folder = open::parent(path, Missing::Fail).map_err(|stop| not_there(stop, path))?;
    keep().map_err(|source| DiskError::NotKept { path: path.into(), source })?;
    check_unchanged(&folder, name, path, Some(old))?;
    rustix::fs::unlinkat(&folder.fd, name, AtFlags::empty()).map_err(|errno| open::failed("remove", path, errno))?;
    sync_folder(&folder);
    Ok(())
}

fn name_of(path: &Path) -> Result<&OsStr, DiskError> {
    path.file_name().ok_or_else(|| DiskError::NotAFile { path: path.into(), kind: open::Kind::Folder })
}

fn not_there(stop: Stop, path: &Path) -> DiskError {
    stop.into_error("write", path)
}

/// The file is what it was when its content was looked at; a link or another kind of file is not.
fn check_unchanged(folder: &Folder, name: &OsStr, path: &Path, old: Option<&Stamp>) -> Result<Option<Stat>, DiskError> {
    match (rustix::fs::statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW), old) {
        (Ok(stat), Some(old)) if Stamp::of(&stat) == *old => Ok(Some(stat)),
        (Err(Errno::NOENT), None) => Ok(None),
        (Ok(_), _) | (Err(Errno::NOENT), Some(_)) => Err(DiskError::Changed { path: path.into() }),
        (Err(errno), _) => Err(open::failed("write", path, errno)),
    }
}

/// A file of ours beside the one to replace; it goes away again unless it is renamed.
struct Temporary<'a> {
    folder: &'a Folder,
    name: String,
    file: File,
    renamed: bool,
}

impl<'a> Temporary<'a> {
    /// A file that replaces another gets its mode later; a new one gets what the umask leaves.
    fn create(folder: &'a Folder, path: &Path, replaces: bool) -> Result<Self, DiskError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mode = Mode::from_raw_mode(if replaces { 0o600 } else { 0o666 });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".cutonce-{}-{count}.tmp", std::process::id());
            match rustix::fs::openat(&folder.fd, &name, flags, mode) {
                Ok(fd) => return Ok(Self { folder, name, file: File::from(fd), renamed: false }),
                // Left over by a process that had our number and was killed.
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(open::failed("write", path, errno)),
            }
        }
    }

    fn fill(&self, new: &[u8], old: Option<&Stat>, name: &OsStr) -> io::Result<()> {
        (&self.file).write_all(new)?;
        if let Some(old) = old {
            self.take_owner(old);
            copy_attributes(self.folder, name, &self.file);
            rustix::fs::fchmod(&self.file, Mode::from_raw_mode(old.st_mode & 0o7777))?;
        }
        self.file.sync_all()
    }

    /// Only root, or the group's own members, can; otherwise the file belongs to whoever changed it.
    #[allow(clippy::unnecessary_cast)] // The field types differ between systems.
    fn take_owner(&self, old: &Stat) {
        let (uid, gid) = (Uid::from_raw(old.st_uid as u32), Gid::from_raw(old.st_gid as u32));
        if rustix::fs::fchown(&self.file, Some(uid), Some(gid)).is_err() {
            let _ = rustix::fs::fchown(&self.file, None, Some(gid));
        }
    }

    fn rename(mut self, name: &OsStr, path: &Path, replaces: bool) -> Result<File, DiskError> {
        let fd = &self.folder.fd;
        let outcome = if replaces { rustix::fs::renameat(fd, &self.name, fd, name) } else { self.rename_new(name) };
        match outcome {
            Ok(()) => {
                self.renamed = true;
                self.file.try_clone().map_err(|source| DiskError::io("read", path, source))
            }
            Err(Errno::EXIST) => Err(DiskError::Changed { path: path.into() }),
            Err(errno) => Err(open::failed("write", path, errno)),
        }
    }

    /// Refuses to replace a file that came into being meanwhile; some file systems can't promise that.
    fn rename_new(&self, name: &OsStr) -> rustix::io::Result<()> {
        let fd = &self.folder.fd;
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        match rustix::fs::renameat_with(fd, &self.name, fd, name, rustix::fs::RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            outcome => return outcome,
        }
        rustix::fs::renameat(fd, &self.name, fd, name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = rustix::fs::unlinkat(&self.folder.fd, &self.name, AtFlags::empty());
        }
    }
}

/// Access lists and user attributes, where the file system has them and lets us.
fn copy_attributes(folder: &Folder, name: &OsStr, to: &File) {
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

/// Makes the rename itself last. A file system that can't sync a folder has done what it can.
fn sync_folder(folder: &Folder) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    if let Ok(fd) = rustix::fs::openat(&folder.fd, ".", flags, Mode::empty()) {
        let _ = rustix::fs::fsync(fd);
    }
}

//! Opens files by their resolved path: every folder on the way is opened separately without following symlinks,
//! so a symlink swapped in after the decision is refused (PR-6).

use super::{FileError, FileStamp};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

/// An open regular file with its state when it was opened.
#[derive(Debug)]
pub struct OpenedFile {
    pub file: File,
    pub stamp: FileStamp,
}

/// Kinds of paths that are not regular files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialKind {
    Folder,
    Fifo,
    Socket,
    Device,
    Link,
    Other,
}

impl SpecialKind {
    /// Returns the kind; `None` for a regular file.
    pub fn from_file_type(file_type: FileType) -> Option<Self> {
        match file_type {
            FileType::RegularFile => None,
            FileType::Directory => Some(Self::Folder),
            FileType::Fifo => Some(Self::Fifo),
            FileType::Socket => Some(Self::Socket),
            FileType::CharacterDevice | FileType::BlockDevice => Some(Self::Device),
            FileType::Symlink => Some(Self::Link),
            FileType::Unknown => Some(Self::Other),
        }
    }

    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Folder => " List it to see what is in it.",
            Self::Fifo | Self::Socket | Self::Device | Self::Link | Self::Other => "",
        }
    }
}

impl fmt::Display for SpecialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Fifo => "a fifo (named pipe)",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Link => "a symbolic link",
            Self::Other => "a special file",
        })
    }
}

/// Opens a regular file for reading. Checks the kind before opening, because opening some devices has effects;
/// O_NONBLOCK covers a fifo that replaces the file in between.
pub(super) fn open_regular(path: &Path) -> Result<OpenedFile, FileError> {
    let fail = |errno: Errno| errno_error("read", path, errno);
    let Some(name) = path.file_name() else {
        return Err(FileError::NotAFile { path: path.into(), kind: SpecialKind::Folder });
    };
    let folder = open_parent(path, MissingFolders::Fail).map_err(|stop| stop.into_error("read", path))?;
    let stat = rustix::fs::statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?;
    require_regular(path, &stat)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = without_atime(flags, |flags| rustix::fs::openat(&folder.fd, name, flags, Mode::empty())).map_err(fail)?;
    let stat = rustix::fs::fstat(&fd).map_err(fail)?;
    require_regular(path, &stat)?;
    Ok(OpenedFile { file: File::from(fd), stamp: FileStamp::from_stat(&stat) })
}

/// Opens a file that a walk has just listed as regular, for a search over many. Does not follow a link in the last
/// name, and does not block if it is something else by now.
pub(crate) fn open_listed(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(without_atime(flags, |flags| rustix::fs::open(path, flags, Mode::empty()))?))
}

/// Opens without changing the file's access time, so that reading leaves no trace. Only its owner may do that; for
/// others the kernel's default applies.
fn without_atime(flags: OFlags, open: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    match open(flags | OFlags::NOATIME) {
        Err(Errno::PERM) => {}
        opened => return opened,
    }
    open(flags)
}

fn require_regular(path: &Path, stat: &rustix::fs::Stat) -> Result<(), FileError> {
    match SpecialKind::from_file_type(FileType::from_raw_mode(stat.st_mode)) {
        None => Ok(()),
        Some(SpecialKind::Link) => Err(FileError::Moved { path: path.into() }),
        Some(kind) => Err(FileError::NotAFile { path: path.into(), kind }),
    }
}

/// What to do if a folder on the way does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingFolders {
    Fail,
    Create,
}

/// An open folder, with the folders created on the way to it. They are removed unless `keep` is called.
#[derive(Debug)]
pub(super) struct OpenFolder {
    pub fd: OwnedFd,
    created: Vec<(OwnedFd, OsString)>,
}

impl OpenFolder {
    /// Keeps the created folders; `sync` makes each of their names durable.
    pub fn keep_created(&mut self, sync: impl Fn(&OwnedFd)) {
        self.created.drain(..).for_each(|(parent, _)| sync(&parent));
    }
}

impl Drop for OpenFolder {
    fn drop(&mut self) {
        while let Some((fd, name)) = self.created.pop() {
            let _ = rustix::fs::unlinkat(&fd, &name, AtFlags::REMOVEDIR);
        }
    }
}

/// Why the walk to a folder stopped.
#[derive(Debug)]
pub(super) enum OpenFailure {
    /// The path has a symlink or a file in place of a folder.
    NotAFolder,
    Errno(Errno),
}

impl OpenFailure {
    pub fn into_error(self, doing: &'static str, path: &Path) -> FileError {
        match self {
            Self::NotAFolder => FileError::Moved { path: path.into() },
            Self::Errno(errno) => errno_error(doing, path, errno),
        }
    }
}

/// Opens the parent folder of `path`, folder by folder from `/`.
pub(super) fn open_parent(path: &Path, missing: MissingFolders) -> Result<OpenFolder, OpenFailure> {
    let root = rustix::fs::open("/", folder_flags(), Mode::empty()).map_err(OpenFailure::Errno)?;
    let mut folder = OpenFolder { fd: root, created: Vec::new() };
    for part in path.parent().into_iter().flat_map(Path::components) {
        match part {
            Component::Normal(name) => enter_folder(&mut folder, name, missing)?,
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
            // A resolved path contains no `..`.
            Component::ParentDir => return Err(OpenFailure::NotAFolder),
        }
    }
    Ok(folder)
}

fn enter_folder(folder: &mut OpenFolder, name: &OsStr, missing: MissingFolders) -> Result<(), OpenFailure> {
    let open = |fd: &OwnedFd| rustix::fs::openat(fd, name, folder_flags(), Mode::empty());
    let mut made = false;
    let next = match open(&folder.fd) {
        Err(Errno::NOENT) if missing == MissingFolders::Create => {
            match rustix::fs::mkdirat(&folder.fd, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => made = true,
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(OpenFailure::Errno(errno)),
            }
            open(&folder.fd)
        }
        other => other,
    };
    match next {
        Ok(fd) => {
            let before = std::mem::replace(&mut folder.fd, fd);
            if made {
                folder.created.push((before, name.to_os_string()));
            }
            Ok(())
        }
        Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => Err(OpenFailure::NotAFolder),
        Err(errno) => Err(OpenFailure::Errno(errno)),
    }
}

/// O_PATH needs no permission to list the folder, only to pass through it.
fn folder_flags() -> OFlags {
    let common = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    return common | OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    return common | OFlags::RDONLY;
}

pub(super) fn errno_error(doing: &'static str, path: &Path, errno: Errno) -> FileError {
    match errno {
        Errno::LOOP | Errno::MLINK => FileError::Moved { path: path.into() },
        Errno::ISDIR => FileError::NotAFile { path: path.into(), kind: SpecialKind::Folder },
        errno => FileError::from_io(doing, path, errno),
    }
}

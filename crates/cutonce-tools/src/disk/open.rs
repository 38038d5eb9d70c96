//! Opening by the resolved path: every folder on the way is opened by itself and no symlink is followed,
//! so that one swapped in after the decision is refused instead of obeyed (PR-6).

use super::{DiskError, Stamp};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

/// An open regular file and its state at that moment.
#[derive(Debug)]
pub struct Opened {
    pub file: File,
    pub stamp: Stamp,
}

/// What a path can be other than a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Folder,
    Fifo,
    Socket,
    Device,
    Link,
    Other,
}

impl Kind {
    /// `None`: a regular file.
    pub fn of(file_type: FileType) -> Option<Self> {
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
            Self::Folder => " Use LS to see what is in it.",
            Self::Fifo | Self::Socket | Self::Device | Self::Link | Self::Other => "",
        }
    }
}

impl fmt::Display for Kind {
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

/// Opens a regular file for reading. The kind is looked at before opening, because opening alone has effects
/// on some devices; O_NONBLOCK covers a fifo that takes the file's place in between.
pub(super) fn regular(path: &Path) -> Result<Opened, DiskError> {
    let fail = |errno: Errno| failed("read", path, errno);
    let Some(name) = path.file_name() else {
        return Err(DiskError::NotAFile { path: path.into(), kind: Kind::Folder });
    };
    let folder = parent(path, Missing::Fail).map_err(|stop| stop.into_error("read", path))?;
    let stat = rustix::fs::statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?;
    require_regular(path, &stat)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&folder.fd, name, flags, Mode::empty()).map_err(fail)?;
    let stat = rustix::fs::fstat(&fd).map_err(fail)?;
    require_regular(path, &stat)?;
    Ok(Opened { file: File::from(fd), stamp: Stamp::of(&stat) })
}

/// Opens a file that a walk has just listed as a regular one, for a search over many: the last name is not
/// followed, and nothing blocks if it is something else by now.
pub(crate) fn listed(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

fn require_regular(path: &Path, stat: &rustix::fs::Stat) -> Result<(), DiskError> {
    match Kind::of(FileType::from_raw_mode(stat.st_mode)) {
        None => Ok(()),
        Some(Kind::Link) => Err(DiskError::Moved { path: path.into() }),
        Some(kind) => Err(DiskError::NotAFile { path: path.into(), kind }),
    }
}

/// What to do where a folder on the way does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Fail,
    Create,
}

/// An open folder, with the folders that were made on the way to it. They go again unless `keep` is called.
#[derive(Debug)]
pub(super) struct Folder {
    pub fd: OwnedFd,
    made: Vec<(OwnedFd, OsString)>,
}

impl Folder {
    pub fn keep(&mut self) {
        self.made.clear();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        while let Some((fd, name)) = self.made.pop() {
            let _ = rustix::fs::unlinkat(&fd, &name, AtFlags::REMOVEDIR);
        }
    }
}

/// Why the walk to a folder stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// Something that is no folder stands there: a symlink, or a file.
    NotAFolder,
    Errno(Errno),
}

impl Stop {
    pub fn into_error(self, doing: &'static str, path: &Path) -> DiskError {
        match self {
            Self::NotAFolder => DiskError::Moved { path: path.into() },
            Self::Errno(errno) => failed(doing, path, errno),
        }
    }
}

/// Opens the folder that holds `path`, folder by folder from `/`.
pub(super) fn parent(path: &Path, missing: Missing) -> Result<Folder, Stop> {
    let root = rustix::fs::open("/", folder_flags(), Mode::empty()).map_err(Stop::Errno)?;
    let mut folder = Folder { fd: root, made: Vec::new() };
    for part in path.parent().into_iter().flat_map(Path::components) {
        match part {
            Component::Normal(name) => step(&mut folder, name, missing)?,
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
            // A resolved path has none.
            Component::ParentDir => return Err(Stop::NotAFolder),
        }
    }
    Ok(folder)
}

fn step(folder: &mut Folder, name: &OsStr, missing: Missing) -> Result<(), Stop> {
    let open = |fd: &OwnedFd| rustix::fs::openat(fd, name, folder_flags(), Mode::empty());
    let mut made = false;
    let next = match open(&folder.fd) {
        Err(Errno::NOENT) if missing == Missing::Create => {
            match rustix::fs::mkdirat(&folder.fd, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => made = true,
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(Stop::Errno(errno)),
            }
            open(&folder.fd)
        }
        other => other,
    };
    match next {
        Ok(fd) => {
            let before = std::mem::replace(&mut folder.fd, fd);
            if made {
                folder.made.push((before, name.to_os_string()));
            }
            Ok(())
        }
        Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => Err(Stop::NotAFolder),
        Err(errno) => Err(Stop::Errno(errno)),
    }
}

/// O_PATH needs no right to list the folder, only to go through it.
fn folder_flags() -> OFlags {
    let common = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    return common | OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    return common | OFlags::RDONLY;
}

pub(super) fn failed(doing: &'static str, path: &Path, errno: Errno) -> DiskError {
    match errno {
        Errno::LOOP | Errno::MLINK => DiskError::Moved { path: path.into() },
        Errno::ISDIR => DiskError::NotAFile { path: path.into(), kind: Kind::Folder },
        errno => DiskError::io(doing, path, errno),
    }
}

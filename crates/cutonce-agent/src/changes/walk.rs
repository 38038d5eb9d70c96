//! The walk over a workspace: every file's size, times and inode, on several threads, without reading one.

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// More files are not noted: about 60 bytes each, and the name.
const MOST: usize = 2_000_000;

/// All folders that were walked.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub folders: HashMap<PathBuf, Folder>,
    pub unseen: HashMap<PathBuf, Unseen>,
}

/// Why a folder was not looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unseen {
    /// Another file system is mounted there.
    OtherDisk,
    Unreadable(String),
    /// There are more files than can be noted.
    TooMany,
}

/// The files in one folder, by name. Names lie one after the other in one piece of memory.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub changed: i64,
    entries: Vec<Entry>,
    names: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    stamp: Stamp,
    start: u32,
    length: u16,
}

/// What tells that a file is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    /// Nanoseconds since 1970.
    modified: i64,
    pub changed: i64,
    inode: u64,
    kind: u8,
}

impl Folder {
    /// In the order of their names.
    pub fn files(&self) -> impl Iterator<Item = (&OsStr, &Stamp)> {
        self.entries.iter().map(|entry| (OsStr::from_bytes(self.name(entry)), &entry.stamp))
    }
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    fn name(&self, entry: &Entry) -> &[u8] {
        let start = entry.start as usize;
        self.names.get(start..start + usize::from(entry.length)).unwrap_or_default()
    }
    fn add(&mut self, name: &[u8], stamp: Stamp) {
        let (Ok(start), Ok(length)) = (u32::try_from(self.names.len()), u16::try_from(name.len())) else { return };
        self.names.extend_from_slice(name);
        self.entries.push(Entry { stamp, start, length });
    }
    fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_unstable_by(|a, b| self.name(a).cmp(self.name(b)));
        self.entries = entries;
        self.entries.shrink_to_fit();
        self.names.shrink_to_fit();
    }
}

/// Walks everything below `roots`; None if it was stopped.
pub(super) fn walk(roots: &[PathBuf], stopped: &(dyn Fn() -> bool + Sync)) -> Option<Tree> {
    let walk = Walk { stopped, queue: Mutex::default(), more: Condvar::new(), count: AtomicUsize::new(0) };
    let mut tree = Tree::default();
    for root in roots.iter().filter(|root| !roots.iter().any(|other| root.starts_with(other) && root != &other)) {
        match rustix::fs::lstat(root) {
            Ok(stat) => walk.queue().waiting.push(Task { path: root.clone(), device: device(&stat) }),
            Err(errno) => drop(tree.unseen.insert(root.clone(), unreadable(errno))),
        }
    }
    // A cold disk answers several questions at once; more threads than that only wait for each other.
    let threads = std::thread::available_parallelism().map_or(2, |number| number.get().clamp(2, 8));
    let parts: Vec<Tree> = std::thread::scope(|scope| {
        let start = |_| std::thread::Builder::new().name("plan-walk".into()).spawn_scoped(scope, || walk.work());
        let others: Vec<_> = (1..threads).map_while(|number| start(number).ok()).collect();
        let own = walk.work();
        others.into_iter().filter_map(|thread| thread.join().ok()).chain([own]).collect()
    });
    for part in parts {
        tree.folders.extend(part.folders);
        tree.unseen.extend(part.unseen);
    }
    (!stopped()).then_some(tree)
}

struct Walk<'a> {
    stopped: &'a (dyn Fn() -> bool + Sync),
    queue: Mutex<Queue>,
    more: Condvar,
    count: AtomicUsize,
}

/// A folder to look into, and the disk that it must be on.
#[derive(Debug)]
struct Task {
    path: PathBuf,
    device: u64,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Task>,
    /// Threads that are looking into a folder, and may find more.
    busy: usize,
}

impl Walk<'_> {
    /// One thread's share.
    fn work(&self) -> Tree {
        let mut tree = Tree::default();
        while let Some(Task { path, device }) = self.next() {
            let mut below = Vec::new();
            match self.look(&path, device, &mut below) {
                Ok(folder) => drop(tree.folders.insert(path, folder)),
                Err(Some(unseen)) => drop(tree.unseen.insert(path, unseen)),
                // It went away between being listed and being opened.
                Err(None) => {}
            }
            let mut queue = self.queue();
            queue.waiting.extend(below);
            queue.busy -= 1;
            drop(queue);
            self.more.notify_all();
        }
        tree
    }

    /// The next folder; None when nothing is left and nobody can find more, or all is to stop.
    fn next(&self) -> Option<Task> {
        let mut queue = self.queue();
        loop {
            if (self.stopped)() {
                return None;
            }
            if let Some(task) = queue.waiting.pop() {
                queue.busy += 1;
                return Some(task);
            }
            if queue.busy == 0 {
                return None;
            }
            queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, path: &Path, on: u64, below: &mut Vec<Task>) -> Result<Folder, Option<Unseen>> {
        let failed = |errno| (errno != Errno::NOENT).then(|| unreadable(errno));
        let fd = open(path).map_err(failed)?;
        let stat = rustix::fs::fstat(&fd).map_err(failed)?;
        if device(&stat) != on {
            return Err(Some(Unseen::OtherDisk));
        }
        let mut folder = Folder { changed: changed(&stat), ..Folder::default() };
        for entry in Dir::read_from(&fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let task = |path: &Path| Task { path: path.join(OsStr::from_bytes(name)), device: on };
            if entry.file_type() == FileType::Directory {
                below.push(task(path));
                continue;
            }
            // One that is gone already is not there.
            let Ok(stat) = rustix::fs::statat(&fd, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => below.push(task(path)),
                kind => folder.add(name, stamp(&stat, kind)),
            }
        }
        if self.count.fetch_add(folder.len(), Ordering::Relaxed) + folder.len() > MOST {
            below.clear();
            return Err(Some(Unseen::TooMany));
        }
        folder.sort();
        Ok(folder)
    }
}

fn open(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}

fn unreadable(errno: Errno) -> Unseen {
    Unseen::Unreadable(std::io::Error::from(errno).to_string())
}

#[allow(clippy::unnecessary_cast)] // The field types differ between systems.
fn device(stat: &rustix::fs::Stat) -> u64 {
    stat.st_dev as u64
}

#[allow(clippy::unnecessary_cast)]
fn changed(stat: &rustix::fs::Stat) -> i64 {
    nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64)
}

#[allow(clippy::unnecessary_cast)]
fn stamp(stat: &rustix::fs::Stat, kind: FileType) -> Stamp {
    Stamp {
        size: stat.st_size as u64,
        modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: changed(stat),
        inode: stat.st_ino as u64,
        kind: match kind {
            FileType::RegularFile => 0,
            FileType::Symlink => 1,
            FileType::Fifo => 2,
            FileType::Socket => 3,
            FileType::CharacterDevice => 4,
            FileType::BlockDevice => 5,
            FileType::Directory | FileType::Unknown => 6,
        },
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

//! Walks a workspace on several threads and records size, times and inode of every file without reading it.
//!
//! Why no crate: `ignore` gives every entry a path of its own. Here a folder's files share one buffer and are looked up
//! relative to the open folder, which keeps two million files small and no link can lead the walk elsewhere.

use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::sync::WaitUnpoisoned;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// Maximum number of files, at about 60 bytes each plus the name.
const MAX_FILES: usize = 2_000_000;

/// All walked folders.
#[derive(Debug, Default)]
pub(super) struct WalkedTree {
    pub folders: HashMap<PathBuf, WalkedFolder>,
    pub unseen: HashMap<PathBuf, UnseenReason>,
}

/// Why a folder was not walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UnseenReason {
    /// Another file system is mounted there.
    OtherFileSystem,
    Unreadable(String),
    /// The workspace has too many files.
    TooMany,
}

/// The files of one folder, sorted by name. All names share one buffer.
#[derive(Debug, Default)]
pub(super) struct WalkedFolder {
    pub changed: i64,
    entries: Vec<FileEntry>,
    names: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct FileEntry {
    stamp: WalkStamp,
    start: u32,
    length: u16,
}

/// Metadata that reveals whether a file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WalkStamp {
    size: u64,
    /// Nanoseconds since 1970.
    modified: i64,
    pub changed: i64,
    inode: u64,
    kind: u8,
}

impl WalkedFolder {
    /// The files, sorted by name.
    pub fn files(&self) -> impl Iterator<Item = (&OsStr, &WalkStamp)> {
        self.entries.iter().map(|entry| (OsStr::from_bytes(self.entry_name(entry)), &entry.stamp))
    }
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    fn entry_name(&self, entry: &FileEntry) -> &[u8] {
        let start = entry.start as usize;
        self.names.get(start..start + usize::from(entry.length)).unwrap_or_default()
    }
    fn add(&mut self, name: &[u8], stamp: WalkStamp) {
        let (Ok(start), Ok(length)) = (u32::try_from(self.names.len()), u16::try_from(name.len())) else { return };
        self.names.extend_from_slice(name);
        self.entries.push(FileEntry { stamp, start, length });
    }
    fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_unstable_by(|a, b| self.entry_name(a).cmp(self.entry_name(b)));
        self.entries = entries;
        self.entries.shrink_to_fit();
        self.names.shrink_to_fit();
    }
}

/// Walks everything below `roots`; `None` if it was stopped.
pub(super) fn walk_roots(roots: &[PathBuf], stopped: &(dyn Fn() -> bool + Sync)) -> Option<WalkedTree> {
    let walk = ParallelWalk { stopped, queue: Mutex::default(), more: Condvar::new(), count: AtomicUsize::new(0) };
    let mut tree = WalkedTree::default();
    for root in roots.iter().filter(|root| !roots.iter().any(|other| root.starts_with(other) && root != &other)) {
        match rustix::fs::lstat(root) {
            Ok(stat) => walk.lock_queue().waiting.push(WalkTask { path: root.clone(), device: device_id(&stat) }),
            Err(errno) => drop(tree.unseen.insert(root.clone(), unreadable(errno))),
        }
    }
    // A cold disk handles several requests at once; more threads would only wait for each other.
    let threads = std::thread::available_parallelism().map_or(2, |number| number.get().clamp(2, 8));
    let parts: Vec<WalkedTree> = std::thread::scope(|scope| {
        let start = |_| std::thread::Builder::new().name("plan-walk".into()).spawn_scoped(scope, || walk.run_worker());
        let others: Vec<_> = (1..threads).map_while(|number| start(number).ok()).collect();
        let own = walk.run_worker();
        others.into_iter().filter_map(|thread| thread.join().ok()).chain([own]).collect()
    });
    for part in parts {
        tree.folders.extend(part.folders);
        tree.unseen.extend(part.unseen);
    }
    (!stopped()).then_some(tree)
}

struct ParallelWalk<'a> {
    stopped: &'a (dyn Fn() -> bool + Sync),
    queue: Mutex<WalkQueue>,
    more: Condvar,
    count: AtomicUsize,
}

/// A folder to walk, and the file system it must be on.
#[derive(Debug)]
struct WalkTask {
    path: PathBuf,
    device: u64,
}

#[derive(Debug, Default)]
struct WalkQueue {
    waiting: Vec<WalkTask>,
    /// The number of threads that are reading a folder and may add more.
    busy: usize,
}

impl ParallelWalk<'_> {
    /// Runs one thread's share of the walk.
    fn run_worker(&self) -> WalkedTree {
        let mut tree = WalkedTree::default();
        while let Some(WalkTask { path, device }) = self.next_task() {
            let mut below = Vec::new();
            match self.read_folder(&path, device, &mut below) {
                Ok(folder) => drop(tree.folders.insert(path, folder)),
                Err(Some(unseen)) => drop(tree.unseen.insert(path, unseen)),
                // The folder was removed after it was listed.
                Err(None) => {}
            }
            let mut queue = self.lock_queue();
            queue.waiting.extend(below);
            queue.busy -= 1;
            drop(queue);
            self.more.notify_all();
        }
        tree
    }

    /// The next folder; `None` if all work is done or the walk was stopped.
    fn next_task(&self) -> Option<WalkTask> {
        let mut queue = self.lock_queue();
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
            queue = self.more.wait_unpoisoned(queue);
        }
    }

    fn lock_queue(&self) -> MutexGuard<'_, WalkQueue> {
        self.queue.lock_unpoisoned()
    }

    fn read_folder(
        &self,
        path: &Path,
        on: u64,
        below: &mut Vec<WalkTask>,
    ) -> Result<WalkedFolder, Option<UnseenReason>> {
        let failed = |errno| (errno != Errno::NOENT).then(|| unreadable(errno));
        let fd = open_folder(path).map_err(failed)?;
        let stat = rustix::fs::fstat(&fd).map_err(failed)?;
        if device_id(&stat) != on {
            return Err(Some(UnseenReason::OtherFileSystem));
        }
        let mut folder = WalkedFolder { changed: change_time(&stat), ..WalkedFolder::default() };
        for entry in Dir::read_from(&fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let task = |path: &Path| WalkTask { path: path.join(OsStr::from_bytes(name)), device: on };
            if entry.file_type() == FileType::Directory {
                below.push(task(path));
                continue;
            }
            // Skip files that were removed meanwhile.
            let Ok(stat) = rustix::fs::statat(&fd, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => below.push(task(path)),
                kind => folder.add(name, walk_stamp(&stat, kind)),
            }
        }
        if self.count.fetch_add(folder.len(), Ordering::Relaxed) + folder.len() > MAX_FILES {
            below.clear();
            return Err(Some(UnseenReason::TooMany));
        }
        folder.sort();
        Ok(folder)
    }
}

fn open_folder(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}

fn unreadable(errno: Errno) -> UnseenReason {
    UnseenReason::Unreadable(std::io::Error::from(errno).to_string())
}

#[allow(clippy::unnecessary_cast)] // The field types differ between systems.
fn device_id(stat: &rustix::fs::Stat) -> u64 {
    stat.st_dev as u64
}

#[allow(clippy::unnecessary_cast)]
fn change_time(stat: &rustix::fs::Stat) -> i64 {
    nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64)
}

#[allow(clippy::unnecessary_cast)]
fn walk_stamp(stat: &rustix::fs::Stat, kind: FileType) -> WalkStamp {
    WalkStamp {
        size: stat.st_size as u64,
        modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: change_time(stat),
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

//! Protected names that a confined command creates (SB-4). The kernel keeps existing ones read-only, but it can't
//! forbid a name in every folder. So the program looks after the command, and renames what is new.
//!
//! Only folders that changed are read again: a new name changes the time of its folder, which no command can set.

use crate::disk::FileAccess;
use crate::workspace::is_protected_name;
use cutonce_core::sync::LockUnpoisoned;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// Installed packages bring such names along, and their code runs anyway.
const PACKAGES: &str = "node_modules";
/// The clock of file systems ticks slowly: a folder that changed less than this before it was read is read again.
const CLOCK_TICK: Duration = Duration::from_millis(20);

/// What is known about the folders of a workspace; a session shares it with its subagents.
#[derive(Debug, Default)]
pub(crate) struct ProtectedRecord(Mutex<HashMap<PathBuf, FolderRecord>>);

/// A folder as it was when it was read.
#[derive(Debug, Clone)]
struct FolderRecord {
    state: FileState,
    /// The folder may have changed again within the same tick.
    is_doubtful: bool,
    protected: Vec<OsString>,
    folders: Vec<OsString>,
}

/// Changes with everything that happens to a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FileState {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl FileState {
    fn of(path: &Path) -> Option<FileState> {
        let meta = path.symlink_metadata().ok()?;
        let changed = (meta.ctime(), meta.ctime_nsec());
        Some(FileState { device: meta.dev(), inode: meta.ino(), changed })
    }
}

impl ProtectedRecord {
    /// Finds the protected names in these folders.
    pub(crate) fn find(&self, roots: &[PathBuf]) -> Vec<PathBuf> {
        let mut known = self.0.lock_unpoisoned();
        let mut current = HashMap::with_capacity(known.len());
        let (mut open, mut found) = (roots.to_vec(), Vec::new());
        while let Some(folder) = open.pop() {
            let Some(state) = FileState::of(&folder) else { continue };
            let unchanged = known.remove(&folder).filter(|record| record.state == state && !record.is_doubtful);
            let record = unchanged.unwrap_or_else(|| FolderRecord::read(&folder, state));
            found.extend(record.protected.iter().map(|name| folder.join(name)));
            open.extend(record.folders.iter().map(|name| folder.join(name)));
            current.insert(folder, record);
        }
        *known = current;
        found.sort();
        found
    }

    /// Begins to watch for one command. Off the async threads: a workspace may be large.
    pub(crate) async fn watch(self: &Arc<Self>, roots: Vec<PathBuf>) -> ProtectedWatch {
        let record = self.clone();
        let begin = move || {
            let known = record.find(&roots);
            let states = known.iter().filter_map(|path| FileState::of(path)).collect();
            ProtectedWatch { record, roots, known, states }
        };
        match tokio::task::spawn_blocking(begin).await {
            Ok(watch) => watch,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }
}

impl FolderRecord {
    fn read(folder: &Path, state: FileState) -> FolderRecord {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let changed = Duration::new(state.changed.0.try_into().unwrap_or(0), state.changed.1.try_into().unwrap_or(0));
        let is_doubtful = now < changed + CLOCK_TICK;
        let mut record = FolderRecord { state, is_doubtful, protected: Vec::new(), folders: Vec::new() };
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if is_protected_name(&name) {
                record.protected.push(name);
            } else if name != PACKAGES && entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.ino() != 0 {
                record.folders.push(name);
            }
        }
        record
    }
}

/// The sandbox of another command that runs now keeps names with empty folders. An empty folder does no harm, and later
/// commands can't fill it.
fn is_empty_folder(path: &Path) -> bool {
    let is_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    is_folder && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// What was protected when a command began.
#[derive(Debug)]
pub(crate) struct ProtectedWatch {
    record: Arc<ProtectedRecord>,
    roots: Vec<PathBuf>,
    known: Vec<PathBuf>,
    states: HashSet<FileState>,
}

impl ProtectedWatch {
    /// The protected names that exist.
    pub(crate) fn known(&self) -> &[PathBuf] {
        &self.known
    }

    /// Renames what is new, after the command and all it started have ended; returns notes for the model. `except`: the
    /// user has decided about these, relative to the first folder.
    pub(crate) async fn set_aside_new(self, disk: &FileAccess, except: Vec<String>) -> Vec<String> {
        let disk = disk.clone();
        tokio::task::spawn_blocking(move || self.set_aside(&disk, &except)).await.unwrap_or_default()
    }

    fn set_aside(&self, disk: &FileAccess, except: &[String]) -> Vec<String> {
        let except: HashSet<PathBuf> = match self.roots.first() {
            Some(root) => except.iter().map(|path| root.join(path)).collect(),
            None => HashSet::new(),
        };
        // A protected file keeps its state if the folder around it moves.
        let is_known = |path: &PathBuf| {
            self.known.binary_search(path).is_ok()
                || FileState::of(path).is_none_or(|state| self.states.contains(&state))
                || except.iter().any(|decided| decided.starts_with(path))
                || disk.wrote_below(path)
        };
        let new = self.record.find(&self.roots).into_iter().filter(|path| !is_known(path) && !is_empty_folder(path));
        new.map(|path| {
            let shown = self.roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
            match disk.set_aside(&path) {
                Ok(name) => format!(
                    "The sandbox lets no command create `{}`, because other programs run or trust what has that name. It was renamed to `{}`. Tell the user, who can rename it.",
                    shown.display(),
                    name.to_string_lossy()
                ),
                Err(error) => format!(
                    "The command created `{}`, which the sandbox forbids, and it could not be renamed: {error}. Tell the user to check it before they open that folder.",
                    shown.display()
                ),
            }
        })
        .collect()
    }
}

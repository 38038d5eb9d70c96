//! Protected names that a confined command creates (SB-4). The kernel keeps existing ones read-only, but it can't
//! forbid a name in every folder. So the program looks after the command, and renames what is new.
//!
//! Only folders that changed are read again: a new name changes the time of its folder, which no command can set.

use super::linked_files::find_other_names;
use crate::disk::layer::JournalPath;
use crate::disk::{CommandJournal, FileAccess, JournalEntry, open_closed_folder, set_aside};
use crate::workspace::{Workspace, is_protected_name};
use cutonce_core::sync::LockUnpoisoned;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
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
pub(crate) struct ProtectedRecord {
    folders: Mutex<HashMap<PathBuf, FolderRecord>>,
    /// `None` until the first command.
    journal: Mutex<Option<CommandJournal>>,
}

/// A folder as it was when it was read.
#[derive(Debug, Clone)]
struct FolderRecord {
    state: FileState,
    /// The folder may have changed again within the same tick.
    is_doubtful: bool,
    /// True if it can't be read.
    is_closed: bool,
    protected: Vec<OsString>,
    folders: Vec<OsString>,
}

/// Changes with everything that happens to a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// What a search found.
#[derive(Debug, Default)]
struct FoundNames {
    protected: Vec<PathBuf>,
    /// Folders that can't be read.
    closed: HashSet<FileState>,
}

impl ProtectedRecord {
    /// Finds the protected names in these folders. `closed`: the folders that were closed before; others are opened.
    fn find<'a>(&self, roots: impl Iterator<Item = &'a Path>, closed: Option<&HashSet<FileState>>) -> FoundNames {
        let mut known = self.folders.lock_unpoisoned();
        let mut current = HashMap::with_capacity(known.len());
        let mut open: Vec<PathBuf> = roots.map(Path::to_path_buf).collect();
        let mut found = FoundNames::default();
        while let Some(folder) = open.pop() {
            let Some(state) = FileState::of(&folder) else { continue };
            let unchanged = known.remove(&folder).filter(|record| record.state == state && !record.is_doubtful);
            let mut record = unchanged.unwrap_or_else(|| FolderRecord::read(&folder, state));
            // A command closed it, but can still be the reason why another program opens what is in it.
            if record.is_closed
                && closed.is_some_and(|closed| !closed.contains(&state))
                && open_closed_folder(&folder).is_ok()
            {
                record = FolderRecord::read(&folder, FileState::of(&folder).unwrap_or(state));
            }
            found.closed.extend(record.is_closed.then_some(state));
            found.protected.extend(record.protected.iter().map(|name| folder.join(name)));
            open.extend(record.folders.iter().map(|name| folder.join(name)));
            current.insert(folder, record);
        }
        *known = current;
        found.protected.sort();
        found
    }

    /// Begins to watch for one command, and records that in our home. Off the async threads: a workspace may be large.
    pub(crate) async fn watch(self: &Arc<Self>, workspace: Workspace) -> io::Result<ProtectedWatch> {
        let record = self.clone();
        let begin = move || {
            let roots = workspace.folders();
            let found = record.find(roots.iter().map(PathBuf::as_path), None);
            let places: Vec<PathBuf> = found.protected.iter().cloned().chain(workspace.protected_outside()).collect();
            let other_names = find_other_names(&roots, &places);
            let names = ProtectedNames {
                states: found.protected.iter().filter_map(|path| FileState::of(path)).collect(),
                closed: found.closed,
                roots: roots.into_iter().map(JournalPath).collect(),
                known: found.protected.into_iter().map(JournalPath).collect(),
            };
            let entry = record.journal_entry(&names, &workspace.cutonce_home)?;
            Ok(ProtectedWatch { record, names, other_names, entry })
        };
        match tokio::task::spawn_blocking(begin).await {
            Ok(watch) => watch,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }

    fn journal_entry(&self, names: &ProtectedNames, home: &Path) -> io::Result<JournalEntry> {
        let mut journal = self.journal.lock_unpoisoned();
        if journal.is_none() {
            *journal = Some(CommandJournal::open(home)?);
        }
        journal.as_ref().map_or_else(|| Err(io::ErrorKind::NotFound.into()), |journal| journal.record(names))
    }
}

impl FolderRecord {
    fn read(folder: &Path, state: FileState) -> FolderRecord {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let changed = Duration::new(state.changed.0.try_into().unwrap_or(0), state.changed.1.try_into().unwrap_or(0));
        let is_doubtful = now < changed + CLOCK_TICK;
        let entries = std::fs::read_dir(folder);
        let is_closed = entries.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
        let mut record = FolderRecord { state, is_doubtful, is_closed, protected: Vec::new(), folders: Vec::new() };
        for entry in entries.into_iter().flatten().flatten() {
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
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ProtectedNames {
    roots: Vec<JournalPath>,
    /// In order.
    known: Vec<JournalPath>,
    states: HashSet<FileState>,
    closed: HashSet<FileState>,
}

impl ProtectedNames {
    /// Finds what the command created, after it and all it started have ended.
    pub(crate) fn find_new(&self, record: &ProtectedRecord) -> Vec<PathBuf> {
        // A protected file keeps its state if the folder around it moves.
        let is_known = |path: &PathBuf| {
            self.known.binary_search_by(|known| known.0.cmp(path)).is_ok()
                || FileState::of(path).is_none_or(|state| self.states.contains(&state))
        };
        let found = record.find(self.roots.iter().map(|root| root.0.as_path()), Some(&self.closed));
        found.protected.into_iter().filter(|path| !is_known(path) && !is_empty_folder(path)).collect()
    }

    /// The roots, and the protected places in them.
    pub(crate) fn into_paths(self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let paths = |stored: Vec<JournalPath>| stored.into_iter().map(|path| path.0).collect();
        (paths(self.roots), paths(self.known))
    }
}

/// Watches one command. If it is dropped while the command runs, the record stays for the next start of the program.
#[derive(Debug)]
pub(crate) struct ProtectedWatch {
    record: Arc<ProtectedRecord>,
    names: ProtectedNames,
    /// Hard links to protected files.
    other_names: Vec<PathBuf>,
    entry: JournalEntry,
}

impl ProtectedWatch {
    /// The protected names that exist.
    pub(crate) fn known(&self) -> Vec<PathBuf> {
        self.names.known.iter().map(|path| path.0.clone()).collect()
    }

    /// Other names of files that are protected, in the workspace or outside.
    pub(crate) fn other_names(&self) -> &[PathBuf] {
        &self.other_names
    }

    /// The record, for the command's supervisor.
    pub(crate) fn held_file(&self) -> io::Result<OwnedFd> {
        self.entry.held_file()
    }

    /// The command runs: from now on the record stays until `set_aside_new`.
    pub(crate) fn mark_started(&mut self) {
        self.entry.mark_started();
    }

    /// Renames what is new, after the command and all it started have ended; returns notes for the model. `except`: the
    /// user has decided about these, relative to the first folder.
    pub(crate) async fn set_aside_new(self, disk: &FileAccess, except: Vec<String>) -> Vec<String> {
        let disk = disk.clone();
        tokio::task::spawn_blocking(move || self.set_aside(&disk, &except)).await.unwrap_or_default()
    }

    fn set_aside(self, disk: &FileAccess, except: &[String]) -> Vec<String> {
        let roots: Vec<&Path> = self.names.roots.iter().map(|root| root.0.as_path()).collect();
        let except: HashSet<PathBuf> = match roots.first() {
            Some(root) => except.iter().map(|path| root.join(path)).collect(),
            None => HashSet::new(),
        };
        let is_decided =
            |path: &PathBuf| except.iter().any(|decided| decided.starts_with(path)) || disk.wrote_below(path);
        let new = self.names.find_new(&self.record).into_iter().filter(|path| !is_decided(path));
        let rename = |path: PathBuf| {
            let shown = roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
            describe_rename(shown, set_aside(&path))
        };
        let notes = new.map(rename).collect();
        self.entry.remove();
        notes
    }
}

/// Says what became of a name that a command created.
fn describe_rename(shown: &Path, renamed: io::Result<OsString>) -> String {
    match renamed {
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
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    /// Root could read closed folders, so this thread gives up root's rights for files.
    fn set_file_user(user: libc::uid_t) {
        // SAFETY: the call takes a plain number and changes only the rights of this thread.
        unsafe { libc::syscall(libc::SYS_setfsuid, user) };
    }

    #[test]
    fn sb_4_closed_folders_hide_no_protected_names() {
        set_file_user(65534);
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        let close = |path: &str| fs::set_permissions(at(path), Permissions::from_mode(0o111)).unwrap();
        fs::create_dir_all(at("mine/.git")).unwrap();
        close("mine");
        let record = ProtectedRecord::default();
        let found = record.find([dir.path()].into_iter(), None);
        let names = ProtectedNames {
            roots: vec![JournalPath(dir.path().into())],
            known: found.protected.into_iter().map(JournalPath).collect(),
            states: HashSet::new(),
            closed: found.closed,
        };
        fs::create_dir_all(at("sub/deep")).unwrap();
        fs::write(at("sub/deep/.mcp.json"), "x").unwrap();
        close("sub/deep");
        close("sub");
        assert_eq!(names.find_new(&record), [at("sub/deep/.mcp.json")]);
        let mode = |path: &str| fs::metadata(at(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("mine"), mode("sub")), (0o111, 0o700), "the user's own folder stays closed");
        fs::set_permissions(at("mine"), Permissions::from_mode(0o700)).unwrap();
        drop(dir);
        // SAFETY: `getuid` takes no arguments, accesses no memory and can't fail.
        set_file_user(unsafe { libc::getuid() });
    }
}

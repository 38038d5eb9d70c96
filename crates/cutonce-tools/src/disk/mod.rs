//! The only place that opens a workspace file for writing (PR-6); tracks which files the model has read (TL-3).

mod command_journal;
mod editor;
mod error;
pub mod layer;
mod open;
mod replace;
mod seen;

pub(crate) use command_journal::{CommandJournal, CommandTime, JournalEntry, recover_commands};
pub use editor::{EditorWrite, FileEditor};
pub use error::FileError;
pub use error::human_size;
pub(crate) use open::open_listed;
pub use open::{OpenedFile, SpecialKind};
pub(crate) use replace::{name_before_set_aside, open_closed_folder, set_aside};
pub use seen::FileStamp;

use crate::tool::ToolError;
use crate::workspace::is_protected_name;
use cutonce_core::permission::WriteGrant;
use cutonce_core::sync::{LockUnpoisoned, RwLockUnpoisoned};
use cutonce_core::transcript::SeenFileMark;
use seen::{SeenFile, SeenFiles};
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use tokio_util::sync::CancellationToken;

/// Maximum size of a file that can be changed: the old content of a larger one could not be stored (SE-5).
pub const MAX_CHANGE: u64 = 64 << 20;

/// Stores the old content before a change (SE-5); `None` if there was no file. An error refuses the write.
pub trait VersionStore: Send + Sync {
    fn keep(&self, path: &Path, old: Option<&[u8]>) -> std::io::Result<()>;

    /// Like `keep`, without waiting for the disk: for changes of a command, which are no more durable.
    fn keep_unsynced(&self, path: &Path, old: Option<&[u8]>) -> std::io::Result<()> {
        self.keep(path, old)
    }

    /// Waits until the disk has what `keep_unsynced` stored.
    fn sync_kept(&self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Decides which files the reading tools must not open, whatever the call names (SB-2).
pub type HiddenFilter = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Decides which files a search below a folder skips because a rule matches them (PR-1).
pub type SearchFilter = Arc<dyn Fn(&Path, &Path) -> bool + Send + Sync>;

/// A change of a file: the SHA-256 of the old content and of the new one; `None` if there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedChange {
    pub path: PathBuf,
    pub before: Option<String>,
    pub after: Option<String>,
    /// The permissions before and after, if only they changed.
    pub modes: Option<[u32; 2]>,
}

/// Learns of every change after it was made. Changes of one command come together.
pub type ChangeListener = Arc<dyn Fn(&[ReportedChange]) + Send + Sync>;

/// Reads and writes files for the tools, and remembers what was read. Clones share one memory.
#[derive(Clone)]
pub struct FileAccess {
    versions: Arc<dyn VersionStore>,
    memory: Arc<SeenFiles>,
    hidden: Arc<RwLock<Option<HiddenFilter>>>,
    search_filter: Option<SearchFilter>,
    editor: Option<Arc<dyn FileEditor>>,
    /// Files that bypass the editor.
    editor_bypass: Arc<RwLock<HashSet<PathBuf>>>,
    on_change: Arc<RwLock<Option<ChangeListener>>>,
    /// The last content that was written here while changes are reported: its hash, `None` for a removal.
    own_writes: Arc<Mutex<HashMap<PathBuf, Option<String>>>>,
    /// Files with a protected name on their path that a tool wrote.
    protected_writes: Arc<Mutex<HashSet<PathBuf>>>,
}

/// A completed change.
#[derive(Debug)]
pub struct FileChange {
    pub path: PathBuf,
    /// `None`: the file was created.
    pub old: Option<Vec<u8>>,
    pub new: Vec<u8>,
}

impl FileAccess {
    pub fn new(versions: Arc<dyn VersionStore>) -> Self {
        Self {
            versions,
            memory: Arc::default(),
            hidden: Arc::default(),
            search_filter: None,
            editor: None,
            editor_bypass: Arc::default(),
            on_change: Arc::default(),
            own_writes: Arc::default(),
            protected_writes: Arc::default(),
        }
    }

    /// Reports changes from now on, those of subagents too; `None`: to no one.
    pub fn set_on_change(&self, listener: Option<ChangeListener>) {
        *self.on_change.write_unpoisoned() = listener;
    }

    fn listener(&self) -> Option<ChangeListener> {
        self.on_change.read_unpoisoned().clone()
    }

    fn report_change(&self, path: &Path, old: Option<&[u8]>, new: Option<&[u8]>) {
        if new.is_some() && path.iter().any(is_protected_name) {
            self.protected_writes.lock_unpoisoned().insert(path.into());
        }
        if let Some(listener) = self.listener() {
            let (before, after) = (old.map(layer::hash_bytes), new.map(layer::hash_bytes));
            self.own_writes.lock_unpoisoned().insert(path.into(), after.clone());
            listener(&[ReportedChange { path: path.into(), before, after, modes: None }]);
        }
    }

    /// True if a tool wrote this content, so that no command did (PC-22).
    pub(crate) fn wrote(&self, path: &Path, now: Option<&layer::LayerNode>) -> bool {
        let writes = self.own_writes.lock_unpoisoned();
        writes.get(path).is_some_and(|hash| *hash == now.and_then(layer::LayerNode::content_hash))
    }

    /// True if a tool wrote this protected file, or one in this protected folder.
    pub(crate) fn wrote_below(&self, path: &Path) -> bool {
        self.protected_writes.lock_unpoisoned().iter().any(|written| written.starts_with(path))
    }

    /// Excludes files from searches. Opening one by name is decided by the call that names it.
    pub fn exclude_from_searches(self, unsearched: Option<SearchFilter>) -> Self {
        Self { search_filter: unsearched, ..self }
    }

    /// Creates a value for a subagent: the same rules and versions, but its own memory of read files.
    pub fn for_subagent(&self) -> Self {
        Self { memory: Arc::default(), hidden: Arc::default(), ..self.clone() }
    }

    /// Returns the search filter, for a walk that calls it often.
    pub(crate) fn search_filter(&self) -> Option<SearchFilter> {
        self.search_filter.clone()
    }

    /// Sets which files are hidden from Read and Grep; `None` hides nothing.
    pub fn set_hidden(&self, hidden: Option<HiddenFilter>) {
        *self.hidden.write_unpoisoned() = hidden;
    }

    /// Returns the current filter, for a walk that calls it often.
    pub fn hidden(&self) -> Option<HiddenFilter> {
        self.hidden.read_unpoisoned().clone()
    }

    /// Opens a regular file for reading without following symlinks: the path is resolved already.
    /// Never blocks on a fifo and never touches a device.
    pub fn open(&self, path: &Path) -> Result<OpenedFile, FileError> {
        if self.hidden().is_some_and(|hidden| hidden(path)) {
            return Err(FileError::Hidden { path: path.into() });
        }
        open::open_regular(path)
    }

    /// Loads the whole file, at most `limit` bytes. Does not mark it as read.
    pub fn load(&self, path: &Path, limit: u64) -> Result<(Vec<u8>, FileStamp), FileError> {
        load_opened(self.open(path)?, path, limit)
    }

    /// Records that the model has seen (part of) this file as of `stamp`; `whole` is the content if all of it was read.
    pub fn remember(&self, path: &Path, stamp: FileStamp, whole: Option<&[u8]>) {
        self.memory.insert(path, SeenFile::new(stamp, whole));
    }

    /// Records that the model saw the current content by other means (a mention, the plan: PM-44).
    pub fn remember_shown(&self, path: &Path) -> Result<(), FileError> {
        let (bytes, stamp) = load_opened(open::open_regular(path)?, path, MAX_CHANGE)?;
        self.remember(path, stamp, Some(&bytes));
        Ok(())
    }

    /// Returns marks of what was seen since the last call, for the transcript.
    pub fn take_marks(&self) -> Vec<SeenFileMark> {
        self.memory.take_marks()
    }

    /// Restores what an earlier process of this session has seen. Each change still compares with the file (TL-3).
    pub fn restore_marks(&self, marks: &[SeenFileMark]) {
        self.memory.restore_marks(marks);
    }

    /// Forgets everything that was read, for example after `/clear`.
    pub fn forget(&self) {
        self.memory.clear();
    }

    /// Checks without changing anything whether `change` would refuse this file as unread or changed since.
    /// Does not query the editor again; the change itself does.
    pub fn check_fresh(&self, path: &Path) -> Result<(), FileError> {
        if self.memory.editor_text(path).is_some() {
            return Ok(());
        }
        match load_existing(path)? {
            Some((bytes, stamp)) => self.memory.require_fresh(path, &stamp, &bytes),
            None => Ok(()),
        }
    }

    /// Writes the whole file. See `change`.
    pub fn write(&self, grant: WriteGrant, cancel: &CancellationToken, new: Vec<u8>) -> Result<FileChange, FileError> {
        self.change(grant, cancel, |_| Ok(new))
    }

    /// Uses up the grant: passes the current content to `make` and atomically writes its result.
    ///
    /// An existing file must have been read in this session and be unchanged since (TL-3). Changes of one
    /// file are serialized. The old content is stored before the new one becomes visible (SE-5). After `cancel`
    /// nothing is written, however long an editor made us wait: the call already has its result, and the mode
    /// may have changed (AG-4, PM-1).
    pub fn change(
        &self,
        grant: WriteGrant,
        cancel: &CancellationToken,
        make: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, ToolError>,
    ) -> Result<FileChange, FileError> {
        let path = grant.path().to_path_buf();
        let _alone = lock_path(&path);
        let old = load_existing(&path)?;
        if let Some(editor) = self.editor_for(&path, grant.place()) {
            return self.change_in_editor(&*editor, &path, old, cancel, make);
        }
        if let Some((bytes, stamp)) = &old {
            self.memory.require_fresh(&path, stamp, bytes)?;
        }
        let new = make(old.as_ref().map(|(bytes, _)| bytes.as_slice())).map_err(FileError::Refused)?;
        check_cancelled(cancel)?;
        self.write_content(&path, old, new)
    }

    /// Restores an earlier content, or removes the file if there was none. The user ordered it (`/rewind`, SE-5), so it
    /// needs neither a grant nor an earlier read. The replaced content is stored too.
    pub fn restore(&self, path: &Path, content: Option<&[u8]>) -> Result<(), FileError> {
        let _alone = lock_path(path);
        let old = load_existing(path)?;
        match (content, old) {
            (Some(bytes), old) => self.write_content(path, old, bytes.to_vec()).map(|_| ()),
            (None, Some((bytes, stamp))) => {
                replace::remove(path, &stamp, || self.versions.keep(path, Some(&bytes)))?;
                self.memory.remove(path);
                self.report_change(path, Some(&bytes), None);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    fn write_content(
        &self,
        path: &Path,
        old: Option<(Vec<u8>, FileStamp)>,
        new: Vec<u8>,
    ) -> Result<FileChange, FileError> {
        let (old, stamp) = match old {
            Some((bytes, stamp)) => (Some(bytes), Some(stamp)),
            None => (None, None),
        };
        let stamp = replace::replace(path, stamp.as_ref(), &new, || self.versions.keep(path, old.as_deref()))?;
        self.remember(path, stamp, Some(&new));
        self.report_change(path, old.as_deref(), Some(&new));
        Ok(FileChange { path: path.into(), old, new })
    }
}

/// Final check before anything is written.
fn check_cancelled(cancel: &CancellationToken) -> Result<(), FileError> {
    if cancel.is_cancelled() { Err(FileError::Interrupted) } else { Ok(()) }
}

/// Loads the content a change starts from; `None` if there is no file.
fn load_existing(path: &Path) -> Result<Option<(Vec<u8>, FileStamp)>, FileError> {
    match open::open_regular(path) {
        Ok(opened) => load_opened(opened, path, MAX_CHANGE).map(Some),
        Err(FileError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn load_opened(mut opened: OpenedFile, path: &Path, limit: u64) -> Result<(Vec<u8>, FileStamp), FileError> {
    if opened.stamp.size > limit {
        return Err(FileError::TooLarge { path: path.into(), size: opened.stamp.size, limit });
    }
    let mut bytes = Vec::with_capacity(opened.stamp.size as usize);
    // One byte more than allowed: a file of /proc reports size 0, and a growing one reports too little.
    let read = (&mut opened.file).take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|source| FileError::from_io("read", path, source))?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.into(), size: bytes.len() as u64, limit });
    }
    Ok((bytes, opened.stamp))
}

/// Serializes changes of a file in the whole process: several sessions may share a folder.
fn lock_path(path: &Path) -> MutexGuard<'static, ()> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    static LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    let lock = &LOCKS[(hasher.finish() % LOCKS.len() as u64) as usize];
    lock.lock_unpoisoned()
}

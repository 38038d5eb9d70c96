//! The only place that opens a workspace file for writing (PR-6), and the memory of what was read (TL-3).

mod editor;
mod error;
mod open;
mod replace;
mod seen;

pub use editor::{Editor, Handed};
pub use error::DiskError;
pub(crate) use error::human_size;
pub(crate) use open::listed;
pub use open::{Kind, Opened};
pub use seen::Stamp;

use cutonce_core::permission::WriteGrant;
use seen::{Memory, Seen};
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tokio_util::sync::CancellationToken;

/// A file this large is not changed: its old content could not be kept (SE-5).
pub const MAX_CHANGE: u64 = 64 << 20;

/// Keeps the old content before a change (SE-5). `None`: there was no file. An error refuses the write.
pub trait KeepVersion: Send + Sync {
    fn keep(&self, path: &Path, old: Option<&[u8]>) -> std::io::Result<()>;
}

/// Says which files the reading tools must not open, whatever the call names (SB-2).
pub type Hidden = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Says which files a search that starts at a folder leaves out, because a rule speaks about them (PR-1).
pub type Unsearched = Arc<dyn Fn(&Path, &Path) -> bool + Send + Sync>;

/// Reads and writes files for the tools, and remembers what was read. Clones share one memory.
#[derive(Clone)]
pub struct Disk {
    versions: Arc<dyn KeepVersion>,
    memory: Arc<Memory>,
    hidden: Arc<RwLock<Option<Hidden>>>,
    unsearched: Option<Unsearched>,
    editor: Option<Arc<dyn Editor>>,
    /// Files that no editor is asked about.
    ours: Arc<RwLock<HashSet<PathBuf>>>,
}

/// A change that was made.
#[derive(Debug)]
pub struct Written {
    pub path: PathBuf,
    /// `None`: the file was created.
    pub old: Option<Vec<u8>>,
    pub new: Vec<u8>,
}

impl Disk {
    pub fn new(versions: Arc<dyn KeepVersion>) -> Self {
        Self {
            versions,
            memory: Arc::default(),
            hidden: Arc::default(),
            unsearched: None,
            editor: None,
            ours: Arc::default(),
        }
    }

    /// Keeps files out of searches. Opening one by its name is decided by the call that names it.
    pub fn leave_out_of_searches(self, unsearched: Option<Unsearched>) -> Self {
        Self { unsearched, ..self }
    }

    /// For a subagent: the same rules and versions, and a memory of its own of what was read.
    pub fn another(&self) -> Self {
        Self { memory: Arc::default(), hidden: Arc::default(), ..self.clone() }
    }

    /// What searches leave out, for a walk that asks it often.
    pub(crate) fn unsearched(&self) -> Option<Unsearched> {
        self.unsearched.clone()
    }

    /// Sets which files are hidden from Read and Grep from now on; `None` hides nothing.
    pub fn hide(&self, hidden: Option<Hidden>) {
        *self.hidden.write().unwrap_or_else(PoisonError::into_inner) = hidden;
    }

    /// The rule in force, for a walk that asks it often.
    pub fn hidden(&self) -> Option<Hidden> {
        self.hidden.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens a regular file for reading without following any symlink: the path is resolved already.
    /// Never hangs on a fifo and never touches a device.
    pub fn open(&self, path: &Path) -> Result<Opened, DiskError> {
        if self.hidden().is_some_and(|hidden| hidden(path)) {
            return Err(DiskError::Hidden { path: path.into() });
        }
        open::regular(path)
    }

    /// The whole file, at most `limit` bytes of it. Does not count as read.
    pub fn load(&self, path: &Path, limit: u64) -> Result<(Vec<u8>, Stamp), DiskError> {
        load(self.open(path)?, path, limit)
    }

    /// The model was shown (part of) this file as it was at `stamp`; `whole` is its content where all of it was read.
    pub fn remember(&self, path: &Path, stamp: Stamp, whole: Option<&[u8]>) {
        self.memory.insert(path, Seen::new(stamp, whole));
    }

    /// The file's present content was shown to the model by other means (a mention, the plan: PM-44).
    pub fn remember_shown(&self, path: &Path) -> Result<(), DiskError> {
        let (bytes, stamp) = load(open::regular(path)?, path, MAX_CHANGE)?;
        self.remember(path, stamp, Some(&bytes));
        Ok(())
    }

    /// Forgets everything that was read, as after `/clear`.
    pub fn forget(&self) {
        self.memory.clear();
    }

    /// Whether [`Disk::change`] would refuse this file as unread or changed since, told without changing anything.
    /// What was seen in the editor is not asked for again here; the change itself does.
    pub fn check_fresh(&self, path: &Path) -> Result<(), DiskError> {
        if self.memory.in_editor(path).is_some() {
            return Ok(());
        }
        match existing(path)? {
            Some((bytes, stamp)) => self.memory.require_fresh(path, &stamp, &bytes),
            None => Ok(()),
        }
    }

    /// Writes the whole file. See [`Disk::change`].
    pub fn write(&self, grant: WriteGrant, cancel: &CancellationToken, new: Vec<u8>) -> Result<Written, DiskError> {
        self.change(grant, cancel, |_| Ok(new))
    }

    /// Uses up the grant: hands the present content to `make` and puts its answer in place, atomically.
    ///
    /// An existing file must have been read in this session and be unchanged since (TL-3). Changes of one
    /// file wait for each other. The old content is kept before the new one shows (SE-5). Once `cancel` is cancelled
    /// nothing is written any more, however long an editor let us wait: the call has its result, and the mode
    /// may be another (AG-4, PM-1).
    pub fn change(
        &self,
        grant: WriteGrant,
        cancel: &CancellationToken,
        make: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, String>,
    ) -> Result<Written, DiskError> {
        let path = grant.path().to_path_buf();
        let _alone = alone(&path);
        let old = existing(&path)?;
        if let Some(editor) = self.editor_for(&path, grant.place()) {
            return self.change_in_editor(&*editor, &path, old, cancel, make);
        }
        if let Some((bytes, stamp)) = &old {
            self.memory.require_fresh(&path, stamp, bytes)?;
        }
        let new = make(old.as_ref().map(|(bytes, _)| bytes.as_slice())).map_err(DiskError::Refused)?;
        still_wanted(cancel)?;
        self.put(&path, old, new)
    }

    /// Puts an earlier content back, or removes the file where there was none: the user's own order
    /// (`/rewind`, SE-5), so neither a grant nor an earlier read is asked for. What it replaces is kept too.
    pub fn put_back(&self, path: &Path, content: Option<&[u8]>) -> Result<(), DiskError> {
        let _alone = alone(path);
        let old = existing(path)?;
        match (content, old) {
            (Some(bytes), old) => self.put(path, old, bytes.to_vec()).map(|_| ()),
            (None, Some((bytes, stamp))) => {
                replace::remove(path, &stamp, || self.versions.keep(path, Some(&bytes)))?;
                self.memory.remove(path);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    fn put(&self, path: &Path, old: Option<(Vec<u8>, Stamp)>, new: Vec<u8>) -> Result<Written, DiskError> {
        let (old, stamp) = match old {
            Some((bytes, stamp)) => (Some(bytes), Some(stamp)),
            None => (None, None),
        };
        let stamp = replace::replace(path, stamp.as_ref(), &new, || self.versions.keep(path, old.as_deref()))?;
        self.remember(path, stamp, Some(&new));
        Ok(Written { path: path.into(), old, new })
    }
}

/// Asked last before anything is written.
fn still_wanted(cancel: &CancellationToken) -> Result<(), DiskError> {
    if cancel.is_cancelled() { Err(DiskError::Interrupted) } else { Ok(()) }
}

/// The content a change starts from; `None` where there is no file.
fn existing(path: &Path) -> Result<Option<(Vec<u8>, Stamp)>, DiskError> {
    match open::regular(path) {
        Ok(opened) => load(opened, path, MAX_CHANGE).map(Some),
        Err(DiskError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn load(mut opened: Opened, path: &Path, limit: u64) -> Result<(Vec<u8>, Stamp), DiskError> {
    if opened.stamp.size > limit {
        return Err(DiskError::TooLarge { path: path.into(), size: opened.stamp.size, limit });
    }
    let mut bytes = Vec::with_capacity(opened.stamp.size as usize);
    // One byte more than allowed: a file of /proc says size 0, and a growing one says too little.
    let read = (&mut opened.file).take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|source| DiskError::io("read", path, source))?;
    if bytes.len() as u64 > limit {
        return Err(DiskError::TooLarge { path: path.into(), size: bytes.len() as u64, limit });
    }
    Ok((bytes, opened.stamp))
}

/// One change of a file at a time, in the whole process: several sessions may share a folder.
fn alone(path: &Path) -> MutexGuard<'static, ()> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    static LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    let lock = &LOCKS[(hasher.finish() % LOCKS.len() as u64) as usize];
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

//! What the model has been shown, and whether it is still so (TL-3).

use super::DiskError;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file's state as the kernel tells it without reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub size: u64,
    /// Seconds and nanoseconds.
    pub modified: (i64, i64),
    pub changed: (i64, i64),
    pub device: u64,
    pub inode: u64,
}

impl Stamp {
    #[allow(clippy::unnecessary_cast)] // The field types differ between systems.
    pub(super) fn of(stat: &rustix::fs::Stat) -> Self {
        Self {
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
        }
    }
}

#[derive(Debug)]
pub(super) struct Seen {
    /// `None` where the editor's text was seen, which the disk need not have.
    stamp: Option<Stamp>,
    /// Of the whole content, where all of it was read.
    hash: Option<[u8; 32]>,
    /// The text, where it was the editor's: the editor can't be asked again everywhere.
    in_editor: Option<Arc<[u8]>>,
}

impl Seen {
    pub fn new(stamp: Stamp, whole: Option<&[u8]>) -> Self {
        Self { stamp: Some(stamp), hash: whole.map(hash), in_editor: None }
    }

    pub fn in_editor(text: &[u8]) -> Self {
        Self { stamp: None, hash: Some(hash(text)), in_editor: Some(text.into()) }
    }

    /// The content decides where all of it was seen: times alone may differ (a checkout there and back) and
    /// may also be equal after a change (clocks tick in milliseconds). Otherwise the stamp decides.
    fn still_holds(&self, now: &Stamp, content: &[u8]) -> bool {
        match self.hash {
            Some(known) => known == hash(content),
            None => self.stamp == Some(*now),
        }
    }
}

/// Resolved path → what was seen there.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<HashMap<PathBuf, Seen>>);

impl Memory {
    pub fn insert(&self, path: &Path, seen: Seen) {
        self.lock().insert(path.to_path_buf(), seen);
    }

    pub fn remove(&self, path: &Path) {
        self.lock().remove(path);
    }

    pub fn clear(&self) {
        self.lock().clear();
    }

    pub fn require_fresh(&self, path: &Path, now: &Stamp, content: &[u8]) -> Result<(), DiskError> {
        match self.lock().get(path) {
            None => Err(DiskError::NotRead { path: path.into() }),
            Some(seen) if seen.still_holds(now, content) => Ok(()),
            Some(seen) if seen.in_editor.is_some() => Err(DiskError::Unsaved { path: path.into() }),
            Some(_) => Err(DiskError::Changed { path: path.into() }),
        }
    }

    /// The text that was last seen in the editor, if that is where the file was last seen.
    pub fn in_editor(&self, path: &Path) -> Option<Arc<[u8]>> {
        self.lock().get(path).and_then(|seen| seen.in_editor.clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

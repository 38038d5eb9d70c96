//! Tracks what the model has seen, and whether it is still current (TL-3).

use super::FileError;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::transcript::SeenFileMark;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// A file's metadata, used to detect changes without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    pub size: u64,
    /// Seconds and nanoseconds.
    pub modified: (i64, i64),
    pub changed: (i64, i64),
    pub device: u64,
    pub inode: u64,
}

impl FileStamp {
    #[allow(clippy::unnecessary_cast)] // The field types differ between systems.
    pub(super) fn from_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
        }
    }

    fn to_text(self) -> String {
        let (modified, changed) = (self.modified, self.changed);
        let times = format!("{} {} {} {}", modified.0, modified.1, changed.0, changed.1);
        format!("{} {times} {} {}", self.size, self.device, self.inode)
    }

    fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let stamp = Self {
            size: parts.next()?.parse().ok()?,
            modified: (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?),
            changed: (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?),
            device: parts.next()?.parse().ok()?,
            inode: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(stamp)
    }
}

#[derive(Debug)]
pub(super) struct SeenFile {
    /// `None` if the editor's text was seen, which may differ from the disk.
    stamp: Option<FileStamp>,
    /// Hash of the whole content, if all of it was read.
    hash: Option<[u8; 32]>,
    /// The text seen in the editor, because the editor can't be asked again everywhere.
    in_editor: Option<Arc<[u8]>>,
}

impl SeenFile {
    pub fn new(stamp: FileStamp, whole: Option<&[u8]>) -> Self {
        Self { stamp: Some(stamp), hash: whole.map(hash), in_editor: None }
    }

    pub fn from_editor(text: &[u8]) -> Self {
        Self { stamp: None, hash: Some(hash(text)), in_editor: Some(text.into()) }
    }

    /// What a later process needs to know; `None` for the text of an editor, which may differ from the disk.
    fn mark(&self, path: &Path) -> Option<SeenFileMark> {
        let stamp = self.stamp?;
        let sha256 = self.hash.map(|hash| hash.iter().map(|byte| format!("{byte:02x}")).collect());
        let stamp = sha256.is_none().then(|| stamp.to_text());
        Some(SeenFileMark { path: path.to_str()?.to_string(), sha256, stamp })
    }

    /// A mark that can't be read marks nothing: the model must read the file again.
    fn from_mark(mark: &SeenFileMark) -> Option<Self> {
        let hash = match &mark.sha256 {
            Some(text) => Some(parse_hash(text)?),
            None => None,
        };
        let stamp = mark.stamp.as_deref().and_then(FileStamp::from_text);
        (hash.is_some() || stamp.is_some()).then_some(Self { stamp, hash, in_editor: None })
    }

    /// Compares the content if all of it was seen: times may differ without a change (a checkout there and back) and
    /// may be equal after one (clocks tick in milliseconds). Otherwise compares the stamp.
    fn is_current(&self, now: &FileStamp, content: &[u8]) -> bool {
        match self.hash {
            Some(known) => known == hash(content),
            None => self.stamp == Some(*now),
        }
    }
}

/// Maps each resolved path to what was seen there.
#[derive(Debug, Default)]
pub(super) struct SeenFiles(Mutex<SeenState>);

#[derive(Debug, Default)]
struct SeenState {
    files: HashMap<PathBuf, SeenFile>,
    /// Paths whose mark is not in the transcript yet.
    unmarked: BTreeSet<PathBuf>,
}

impl SeenFiles {
    pub fn insert(&self, path: &Path, seen: SeenFile) {
        let mut state = self.lock();
        state.files.insert(path.to_path_buf(), seen);
        state.unmarked.insert(path.to_path_buf());
    }

    pub fn remove(&self, path: &Path) {
        self.lock().files.remove(path);
    }

    pub fn clear(&self) {
        *self.lock() = SeenState::default();
    }

    /// The marks of what was seen since the last call.
    pub fn take_marks(&self) -> Vec<SeenFileMark> {
        let mut state = self.lock();
        let unmarked = std::mem::take(&mut state.unmarked);
        unmarked.iter().filter_map(|path| state.files.get(path)?.mark(path)).collect()
    }

    pub fn restore_marks(&self, marks: &[SeenFileMark]) {
        let known = marks.iter().filter_map(|mark| Some((PathBuf::from(&mark.path), SeenFile::from_mark(mark)?)));
        self.lock().files.extend(known);
    }

    pub fn require_fresh(&self, path: &Path, now: &FileStamp, content: &[u8]) -> Result<(), FileError> {
        match self.lock().files.get(path) {
            None => Err(FileError::NotRead { path: path.into() }),
            Some(seen) if seen.is_current(now, content) => Ok(()),
            Some(seen) if seen.in_editor.is_some() => Err(FileError::Unsaved { path: path.into() }),
            Some(_) => Err(FileError::Changed { path: path.into() }),
        }
    }

    /// Returns the text last seen in the editor, if the file was last seen there.
    pub fn editor_text(&self, path: &Path) -> Option<Arc<[u8]>> {
        self.lock().files.get(path).and_then(|seen| seen.in_editor.clone())
    }

    fn lock(&self) -> MutexGuard<'_, SeenState> {
        self.0.lock_unpoisoned()
    }
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn parse_hash(text: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(inode: u64) -> FileStamp {
        FileStamp { size: 5, modified: (-1, 2), changed: (3, 4), device: 6, inode }
    }

    #[test]
    fn tl_3_marks_survive_a_restart() {
        let (before, after) = (SeenFiles::default(), SeenFiles::default());
        before.insert(Path::new("/w/whole"), SeenFile::new(stamp(7), Some(b"text")));
        before.insert(Path::new("/w/part"), SeenFile::new(stamp(8), None));
        before.insert(Path::new("/w/editor"), SeenFile::from_editor(b"unsaved"));
        let marks = before.take_marks();
        assert_eq!(marks.len(), 2, "{marks:?}");
        assert!(before.take_marks().is_empty(), "a mark is taken once");
        after.restore_marks(&marks);
        let fresh = |path: &str, inode, content: &[u8]| after.require_fresh(Path::new(path), &stamp(inode), content);
        assert!(fresh("/w/whole", 99, b"text").is_ok(), "the content counts");
        assert!(matches!(fresh("/w/whole", 7, b"other"), Err(FileError::Changed { .. })));
        assert!(fresh("/w/part", 8, b"?").is_ok(), "the metadata counts");
        assert!(matches!(fresh("/w/part", 9, b"?"), Err(FileError::Changed { .. })));
        assert!(matches!(fresh("/w/editor", 7, b"unsaved"), Err(FileError::NotRead { .. })));
        assert!(after.take_marks().is_empty(), "they are in the transcript already");
    }

    #[test]
    fn tl_3_broken_marks_allow_nothing() {
        let seen = SeenFiles::default();
        let mark = |sha256: Option<&str>, stamp: Option<&str>| SeenFileMark {
            path: "/w/a".into(),
            sha256: sha256.map(Into::into),
            stamp: stamp.map(Into::into),
        };
        let long = "ä".repeat(32);
        for broken in [mark(None, None), mark(Some("12"), None), mark(Some(&long), None), mark(None, Some("1 2"))] {
            seen.restore_marks(&[broken]);
            let fresh = seen.require_fresh(Path::new("/w/a"), &stamp(1), b"");
            assert!(matches!(fresh, Err(FileError::NotRead { .. })));
        }
    }
}

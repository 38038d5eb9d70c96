//! An editor that has the user's files open (HO-5): what it shows may be newer than the disk, and what we change should
//! show in it. It only carries text: what may be read or written is decided before, and a grant is used up as always.

use super::{Disk, DiskError, MAX_CHANGE, Seen, Stamp, Written, existing, load, open, still_wanted};
use cutonce_core::permission::Place;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use tokio_util::sync::CancellationToken;

/// A larger file is none for an editor's protocol.
const MAX_IN_EDITOR: usize = 4 << 20;

/// Asked on threads that may wait, never on the session's own.
pub trait Editor: Send + Sync {
    /// The text as the editor has it, unsaved changes included. `None`: it does not say; the disk counts.
    fn read(&self, path: &Path) -> Option<String>;
    fn write(&self, path: &Path, text: &str) -> Handed;
}

/// What became of a text that was handed to the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handed {
    Written,
    /// It takes no such file, and did nothing.
    Declined,
    /// No answer: nobody knows what the file holds.
    Lost(String),
}

impl Disk {
    /// Files of the workspace are read and written through this editor.
    pub fn with_editor(self, editor: Option<Arc<dyn Editor>>) -> Self {
        Self { editor, ..self }
    }

    /// This file is read and written on the disk alone, wherever it is: what the session submits as its plan is what the
    /// file holds, so a plan within the workspace is no text of the editor's either (PM-44).
    pub fn keep_from_editor(&self, path: &Path) {
        self.ours.write().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf());
    }

    /// The plan file, protected places and all outside the workspace are no business of the editor's; of notebooks it
    /// shows something else than their text.
    pub(super) fn editor_for(&self, path: &Path, place: Place) -> Option<Arc<dyn Editor>> {
        let notebook = path.extension().is_some_and(|extension| extension == "ipynb");
        let ours = || self.ours.read().unwrap_or_else(PoisonError::into_inner).contains(path);
        self.editor.clone().filter(|_| place == Place::Workspace && !notebook && !ours())
    }

    /// The text as the editor has it. Blocks.
    pub(crate) fn in_editor(&self, path: &Path, place: Place) -> Option<String> {
        let text = self.editor_for(path, place)?.read(path)?;
        Some(text).filter(|text| text.len() <= MAX_IN_EDITOR)
    }

    pub(crate) fn remember_in_editor(&self, path: &Path, text: &[u8]) {
        self.memory.insert(path, Seen::in_editor(text));
    }

    /// What a change would start from as far as it is known without asking the editor: for previews.
    pub(crate) fn load_seen(&self, path: &Path, limit: u64) -> Result<Vec<u8>, DiskError> {
        let opened = self.open(path)?;
        match self.memory.in_editor(path) {
            Some(text) => Ok(text.to_vec()),
            None => load(opened, path, limit).map(|(bytes, _)| bytes),
        }
    }

    /// [`Disk::change`] where an editor has the file: it starts from the editor's text and is written by the editor. What
    /// it replaces is kept all the same, unsaved changes included (SE-5).
    pub(super) fn change_in_editor(
        &self,
        editor: &dyn Editor,
        path: &Path,
        old: Option<(Vec<u8>, Stamp)>,
        cancel: &CancellationToken,
        make: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, String>,
    ) -> Result<Written, DiskError> {
        let small = old.as_ref().is_some_and(|(bytes, _)| bytes.len() <= MAX_IN_EDITOR);
        let shown = if small { editor.read(path).filter(|text| text.len() <= MAX_IN_EDITOR) } else { None };
        let before = shown.map(String::into_bytes).or_else(|| old.as_ref().map(|(bytes, _)| bytes.clone()));
        if let (Some((_, stamp)), Some(before)) = (&old, &before) {
            self.memory.require_fresh(path, stamp, before)?;
        }
        let new = make(before.as_deref()).map_err(DiskError::Refused)?;
        still_wanted(cancel)?;
        // A file in a folder that is not there yet, and one that is no text, are the disk's.
        let text = std::str::from_utf8(&new).ok().filter(|text| text.len() <= MAX_IN_EDITOR);
        let Some(text) = text.filter(|_| open::parent(path, open::Missing::Fail).is_ok()) else {
            return self.put(path, old, new);
        };
        self.versions
            .keep(path, before.as_deref())
            .map_err(|source| DiskError::NotKept { path: path.into(), source })?;
        match editor.write(path, text) {
            Handed::Written => {}
            Handed::Declined => {
                still_wanted(cancel)?;
                return self.put(path, old, new);
            }
            Handed::Lost(why) => return Err(DiskError::NotConfirmed { path: path.into(), why }),
        }
        // The editor followed the path by its name: a link that took its place meanwhile is told.
        if let Err(moved @ DiskError::Moved { .. }) = existing(path) {
            return Err(moved);
        }
        self.remember_in_editor(path, &new);
        Ok(Written { path: path.into(), old: before, new })
    }
}

const _: () = assert!(MAX_IN_EDITOR as u64 <= MAX_CHANGE);

//! An editor that has the user's files open (HO-5): its text may be newer than the disk, and our changes should show in
//! it. It only transfers text: permissions are decided before, and a grant is used up as always.

use super::{
    FileAccess, FileChange, FileError, FileStamp, MAX_CHANGE, SeenFile, check_cancelled, load_existing, load_opened,
    open,
};
use crate::tool::ToolError;
use cutonce_core::permission::PathLocation;
use cutonce_core::sync::RwLockUnpoisoned;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Maximum file size to send to an editor.
const MAX_IN_EDITOR: usize = 4 << 20;

/// Called on threads that may block, never on the session's own.
pub trait FileEditor: Send + Sync {
    /// Returns the editor's text with unsaved changes; `None` if it has none, then the disk is used.
    fn read(&self, path: &Path) -> Option<String>;
    fn write(&self, path: &Path, text: &str) -> EditorWrite;
}

/// Result of a write through the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditorWrite {
    Written,
    /// The editor does not handle this file and did nothing.
    Declined,
    /// No answer: the file's content is unknown.
    Lost(String),
}

impl FileAccess {
    /// Reads and writes workspace files through this editor.
    pub fn with_editor(self, editor: Option<Arc<dyn FileEditor>>) -> Self {
        Self { editor, ..self }
    }

    /// Reads and writes this file on disk only. The session submits the content of the plan file, so a plan inside
    /// the workspace also bypasses the editor (PM-44).
    pub fn keep_from_editor(&self, path: &Path) {
        self.editor_bypass.write_unpoisoned().insert(path.to_path_buf());
    }

    /// Returns the editor if it handles this file: not for the plan file, protected places, files outside the
    /// workspace, or notebooks, which it shows in another form than their text.
    pub(super) fn editor_for(&self, path: &Path, place: PathLocation) -> Option<Arc<dyn FileEditor>> {
        let notebook = path.extension().is_some_and(|extension| extension == "ipynb");
        let ours = || self.editor_bypass.read_unpoisoned().contains(path);
        self.editor
            .clone()
            .filter(|_| matches!(place, PathLocation::Workspace | PathLocation::Trigger) && !notebook && !ours())
    }

    /// Returns the editor's text. Blocks.
    pub(crate) fn in_editor(&self, path: &Path, place: PathLocation) -> Option<String> {
        let text = self.editor_for(path, place)?.read(path)?;
        Some(text).filter(|text| text.len() <= MAX_IN_EDITOR)
    }

    pub(crate) fn remember_in_editor(&self, path: &Path, text: &[u8]) {
        self.memory.insert(path, SeenFile::from_editor(text));
    }

    /// Loads the known start of a change without asking the editor, for previews.
    pub(crate) fn load_seen(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
        let opened = self.open(path)?;
        match self.memory.editor_text(path) {
            Some(text) => Ok(text.to_vec()),
            None => load_opened(opened, path, limit).map(|(bytes, _)| bytes),
        }
    }

    /// [`Disk::change`] for a file in the editor: starts from the editor's text, and the editor writes it. The old
    /// content is stored as well, including unsaved changes (SE-5).
    pub(super) fn change_in_editor(
        &self,
        editor: &dyn FileEditor,
        path: &Path,
        old: Option<(Vec<u8>, FileStamp)>,
        cancel: &CancellationToken,
        make: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, ToolError>,
    ) -> Result<FileChange, FileError> {
        let small = old.as_ref().is_some_and(|(bytes, _)| bytes.len() <= MAX_IN_EDITOR);
        let shown = if small { editor.read(path).filter(|text| text.len() <= MAX_IN_EDITOR) } else { None };
        let before = shown.map(String::into_bytes).or_else(|| old.as_ref().map(|(bytes, _)| bytes.clone()));
        if let (Some((_, stamp)), Some(before)) = (&old, &before) {
            self.memory.require_fresh(path, stamp, before)?;
        }
        let new = make(before.as_deref()).map_err(FileError::Refused)?;
        check_cancelled(cancel)?;
        // The disk handles files in missing folders and files that are not text.
        let text = std::str::from_utf8(&new).ok().filter(|text| text.len() <= MAX_IN_EDITOR);
        let Some(text) = text.filter(|_| open::open_parent(path, open::MissingFolders::Fail).is_ok()) else {
            return self.write_content(path, old, new);
        };
        self.versions
            .keep(path, before.as_deref())
            .map_err(|source| FileError::NotStored { path: path.into(), source })?;
        match editor.write(path, text) {
            EditorWrite::Written => {}
            EditorWrite::Declined => {
                check_cancelled(cancel)?;
                return self.write_content(path, old, new);
            }
            EditorWrite::Lost(why) => return Err(FileError::NotConfirmed { path: path.into(), why }),
        }
        // The editor opened the path by name: report a link that replaced it meanwhile.
        if let Err(moved @ FileError::Moved { .. }) = load_existing(path) {
            return Err(moved);
        }
        self.remember_in_editor(path, &new);
        self.report_change(path, before.as_deref(), Some(&new));
        Ok(FileChange { path: path.into(), old: before, new })
    }
}

const _: () = assert!(MAX_IN_EDITOR as u64 <= MAX_CHANGE);

//! Folders added to the project root. Clones share them: a host's change during a session (HO-1) applies to all of
//! its agents from the next decision on.

use cutonce_core::sync::RwLockUnpoisoned;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

#[derive(Debug, Clone, Default)]
pub struct AddedFolders(Arc<RwLock<Vec<PathBuf>>>);

impl AddedFolders {
    pub(super) fn new(folders: Vec<PathBuf>) -> Self {
        Self(Arc::new(RwLock::new(folders)))
    }
    /// Returns the current folders.
    pub fn list(&self) -> Vec<PathBuf> {
        self.0.read_unpoisoned().clone()
    }
    /// Adds a resolved folder.
    pub fn add(&self, folder: PathBuf) {
        let mut folders = self.0.write_unpoisoned();
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    /// Removes a folder; false if it was not added.
    pub fn remove(&self, folder: &Path) -> bool {
        let mut folders = self.0.write_unpoisoned();
        let before = folders.len();
        folders.retain(|known| known != folder);
        folders.len() < before
    }
    /// Returns the innermost folder that contains the path.
    pub(super) fn folder_containing(&self, path: &Path) -> Option<PathBuf> {
        let folders = self.0.read_unpoisoned();
        folders.iter().filter(|folder| path.starts_with(folder)).max_by_key(|folder| folder.as_os_str().len()).cloned()
    }
}

//! Folders beside the project root. Clones share them: what a host adds or takes back while a session runs (HO-1) counts for all of its
//! agents from the next decision on.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

#[derive(Debug, Clone, Default)]
pub struct Added(Arc<RwLock<Vec<PathBuf>>>);

impl Added {
    pub(super) fn new(folders: Vec<PathBuf>) -> Self {
        Self(Arc::new(RwLock::new(folders)))
    }
    /// As they are now.
    pub fn list(&self) -> Vec<PathBuf> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
    /// A folder that is resolved.
    pub fn add(&self, folder: PathBuf) {
        let mut folders = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    /// False: it is none of them.
    pub fn remove(&self, folder: &Path) -> bool {
        let mut folders = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = folders.len();
        folders.retain(|known| known != folder);
        folders.len() < before
    }
    /// The innermost that holds the path.
    pub(super) fn holding(&self, path: &Path) -> Option<PathBuf> {
        let folders = self.0.read().unwrap_or_else(PoisonError::into_inner);
        folders.iter().filter(|folder| path.starts_with(folder)).max_by_key(|folder| folder.as_os_str().len()).cloned()
    }
}

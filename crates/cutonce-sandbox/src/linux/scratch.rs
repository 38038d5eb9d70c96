//! The folder that stores a throwaway layer's changes while its command runs; removed afterwards (PM-63).

use crate::kept_layer::SCRATCH_PREFIX;
use crate::removal::remove_later;
use crate::remove_tree::remove_tree;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed with its content on drop.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    path: PathBuf,
    /// Part of a kept layer, which is removed later: no one waits for this folder.
    is_in_layer: bool,
}

impl ScratchFolder {
    /// A folder in the storage of a kept layer.
    pub(crate) fn in_layer(storage: &Path) -> io::Result<Self> {
        let mut folder = Self::new(storage)?;
        folder.is_in_layer = true;
        Ok(folder)
    }

    pub(crate) fn new(layers: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let layers = layers.canonicalize()?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = layers.join(format!("{SCRATCH_PREFIX}{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    let folder = Self { path, is_in_layer: false };
                    fs::create_dir(folder.path.join("shm"))?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
    pub(crate) fn is_in_layer(&self) -> bool {
        self.is_in_layer
    }
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if self.is_in_layer {
            return remove_later(std::mem::take(&mut self.path), None);
        }
        // A folder that can't be removed stays inside the caller's private folder, which the caller removes later.
        let _ = remove_tree(&self.path);
    }
}

//! A layer over a folder that outlives its commands: their changes stay on it until the caller has applied or
//! discarded them (PC-21, RH-1). A killed program can't remove its layers; the next one that opens a layer, or
//! sweeps, does.

use crate::profile::LayerMount;
use crate::remove_tree::remove_tree;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const PREFIX: &str = "layer-of-";
const UPPER: &str = "upper";
/// Guards the time between the creation of a layer's folder and its lock.
const GUARD: &str = "guard";

/// A layer over `root`. Dropping it discards its changes.
#[derive(Debug)]
pub struct KeptLayer {
    root: PathBuf,
    storage: PathBuf,
    opened: SystemTime,
    /// Locked for as long as this process lives, so that no other process removes the layer.
    _lock: File,
}

impl KeptLayer {
    /// Opens an empty layer; its changes are stored below `layers`, a private folder outside `root`. At most `most`
    /// layers can be open there.
    pub fn open(root: &Path, layers: &Path, most: usize) -> io::Result<KeptLayer> {
        let root = root.canonicalize()?;
        DirBuilder::new().recursive(true).mode(0o700).create(layers)?;
        let layers = layers.canonicalize()?;
        if layers.starts_with(&root) {
            return Err(io::Error::other(format!("{} is inside the workspace", layers.display())));
        }
        let guard = guard_of(&layers)?;
        guard.lock()?;
        remove_abandoned(&layers);
        if layer_folders(&layers).count() >= most {
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, format!("{most} layers are open already")));
        }
        let storage = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&layers)?;
        let lock = File::open(storage.path())?;
        lock.try_lock()?;
        fs::create_dir(storage.path().join(UPPER))?;
        // The layer's own folder replaces the one below, so it gets the same mode.
        fs::set_permissions(storage.path().join(UPPER), fs::metadata(&root)?.permissions())?;
        let opened = storage.path().metadata()?.modified()?;
        Ok(KeptLayer { root, storage: storage.keep(), opened, _lock: lock })
    }

    /// The folder that the layer covers.
    pub fn root(&self) -> &Path {
        &self.root
    }
    /// The folder with the changes, in the form of an overlay's upper folder.
    pub fn upper(&self) -> PathBuf {
        self.storage.join(UPPER)
    }
    /// A file below that changed after this time is not what the layer's commands saw.
    pub fn opened(&self) -> SystemTime {
        self.opened
    }
    /// The layer as part of a profile. `through`: folders that the command writes directly.
    pub fn mount(&self, through: Vec<PathBuf>) -> LayerMount {
        let (root, storage, throwaway) = (self.root.clone(), self.storage.clone(), Vec::new());
        LayerMount { root, storage, upper: self.upper(), through, throwaway }
    }
}

impl Drop for KeptLayer {
    fn drop(&mut self) {
        // What can't be removed now, the next process removes.
        let _ = remove_tree(&self.storage);
    }
}

/// Removes the layers of programs that were killed.
pub fn sweep_layers(layers: &Path) -> io::Result<()> {
    if !layers.is_dir() {
        return Ok(());
    }
    let guard = guard_of(layers)?;
    guard.lock()?;
    remove_abandoned(layers);
    Ok(())
}

fn guard_of(layers: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(layers.join(GUARD))
}

fn layer_folders(layers: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(layers).into_iter().flatten().flatten();
    let ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX);
    entries.filter(ours).map(|entry| entry.path())
}

/// Removes layers whose process is gone, which shows in a free lock. The caller holds the guard.
fn remove_abandoned(layers: &Path) {
    for folder in layer_folders(layers) {
        let Ok(about) = folder.symlink_metadata() else { continue };
        // SAFETY: `geteuid` takes no arguments, accesses no memory and can't fail.
        let ours = about.is_dir() && about.uid() == unsafe { libc::geteuid() };
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(&folder);
        if ours && opened.is_ok_and(|opened| opened.try_lock().is_ok()) {
            let _ = remove_tree(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rh_5_layers_are_counted_and_swept() {
        let dir = tempfile::tempdir().unwrap();
        let (root, layers) = (dir.path().join("ws"), dir.path().join("layers"));
        fs::create_dir(&root).unwrap();
        assert!(KeptLayer::open(&root, &root.join("inside"), 2).is_err());
        let kept = KeptLayer::open(&root, &layers, 2).unwrap();
        let left = layers.join(format!("{PREFIX}left"));
        fs::create_dir_all(left.join("upper/a")).unwrap();
        sweep_layers(&layers).unwrap();
        assert!(!left.exists() && kept.upper().is_dir());
        let second = KeptLayer::open(&root, &layers, 2).unwrap();
        assert_eq!(KeptLayer::open(&root, &layers, 2).unwrap_err().kind(), io::ErrorKind::QuotaExceeded);
        drop((kept, second));
        assert_eq!(layer_folders(&layers).count(), 0);
    }
}

//! The folder that keeps a throwaway layer's changes while its command runs, and is removed after it (PM-63).

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Removed, with all that is in it, when dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new(layers: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let layers = layers.canonicalize()?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = layers.join(format!("layer-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    let folder = Self { path };
                    fs::create_dir(folder.path.join("shm"))?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can't be removed stays in a private folder; the next attempt is the caller's, who made that one.
        let _ = remove(&self.path);
    }
}

/// Folders in it may be closed to their owner: the kernel makes such, and programs do.
fn remove(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { remove(&entry.path())? } else { fs::remove_file(entry.path())? }
    }
    fs::remove_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_63_closed_folders_are_removed_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        fs::write(&outside, "x").unwrap();
        let folder = Folder::new(dir.path()).unwrap();
        let path = folder.path().to_owned();
        fs::create_dir_all(path.join("a/b/c")).unwrap();
        std::os::unix::fs::symlink(dir.path(), path.join("a/link")).unwrap();
        fs::write(path.join("a/b/f"), "x").unwrap();
        fs::set_permissions(path.join("a/b"), Permissions::from_mode(0o000)).unwrap();
        drop(folder);
        assert!(!path.exists() && outside.exists());
    }
}

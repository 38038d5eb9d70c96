//! Protected places inside a writable workspace (SB-4): the ones that exist, and an empty folder in place of each
//! missing one, because only what exists can be mounted read-only.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Tells a placeholder from an empty folder of the user, and is not changed by the usual umasks.
const PLACEHOLDER_MODE: u32 = 0o711;

/// The protected places of one command. Placeholders are removed on drop.
#[derive(Debug, Default)]
pub(crate) struct ProtectedPlaces {
    places: Vec<PathBuf>,
    placeholders: Vec<Placeholder>,
}

/// An empty folder. Commands that run at the same time share it: each holds a shared lock, the last one removes it.
#[derive(Debug)]
struct Placeholder {
    path: PathBuf,
    lock: File,
}

impl ProtectedPlaces {
    pub(crate) fn new(wanted: &[PathBuf]) -> io::Result<Self> {
        let mut found = Self::default();
        for path in wanted {
            match path.symlink_metadata() {
                // A mount goes to a link's target; what is there is what a program would open.
                Ok(meta) if meta.is_symlink() => found.places.extend(path.canonicalize()),
                // One that another command uses, or that a killed program left.
                Ok(meta) if meta.is_dir() && meta.mode() & 0o777 == PLACEHOLDER_MODE && is_empty(path) => {
                    found.add_placeholder(path)?;
                }
                Ok(_) => found.places.push(path.clone()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match DirBuilder::new().mode(PLACEHOLDER_MODE).create(path) {
                        // The folder around it is missing too, or closed to us: then it is closed to the command.
                        Err(error) if !can_be_made_later(&error) => continue,
                        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                        _ => found.add_placeholder(path)?,
                    }
                }
                Err(_) => {}
            }
        }
        Ok(found)
    }

    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.places
    }

    fn add_placeholder(&mut self, path: &Path) -> io::Result<()> {
        let lock = File::open(path)?;
        lock.lock_shared()?;
        self.places.push(path.to_path_buf());
        self.placeholders.push(Placeholder { path: path.to_path_buf(), lock });
        Ok(())
    }
}

fn can_be_made_later(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    !matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | ReadOnlyFilesystem)
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

impl Drop for Placeholder {
    fn drop(&mut self) {
        let alone = self.lock.unlock().is_ok() && self.lock.try_lock().is_ok();
        if alone {
            // Fails if the user has put something there meanwhile.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sb_4_last_command_removes_the_placeholder() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "x").unwrap();
        let wanted = [at("file"), at("missing"), at("no/folder/around")];
        let first = ProtectedPlaces::new(&wanted).unwrap();
        let second = ProtectedPlaces::new(&wanted).unwrap();
        assert_eq!((first.paths(), second.paths()), (&wanted[..2], &wanted[..2]));
        drop(first);
        assert!(at("missing").is_dir());
        fs::write(at("missing/of-the-user"), "x").unwrap();
        drop(second);
        assert!(at("missing/of-the-user").exists());
        drop(ProtectedPlaces::new(&[at("other")]).unwrap());
        assert!(!at("other").exists());
    }
}

//! Temporary storage for an ephemeral session (HO-1): `<home>/passing/<id>/`, used like a cutonce home. Deleted when
//! the session ends; leftovers of killed sessions are deleted at the next start of any session.

use super::lock::SessionLock;
use super::paths::create_private_dir;
use std::io;
use std::path::{Path, PathBuf};

const FOLDER: &str = "passing";

/// The temporary storage, deleted on drop.
#[derive(Debug)]
pub(crate) struct EphemeralStore {
    home: PathBuf,
    /// The lock file has another name than the folder, so that the lock exists before the folder.
    _lock: SessionLock,
}

impl EphemeralStore {
    pub(crate) fn new(home: &Path) -> io::Result<EphemeralStore> {
        let all = home.join(FOLDER);
        create_private_dir(&all)?;
        let home = all.join(crate::new_id());
        let lock = SessionLock::acquire(&home).map_err(io::Error::other)?;
        create_private_dir(&home)?;
        Ok(EphemeralStore { home, _lock: lock })
    }

    /// The folder that replaces the cutonce home for the session's files.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Deletes unlocked leftovers. Failures are retried at the next start.
    pub(crate) fn remove_leftovers(home: &Path) {
        let entries = std::fs::read_dir(home.join(FOLDER)).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in entries {
            let place = path.with_extension("");
            // A locked folder is in use.
            let Ok(_lock) = SessionLock::acquire(&place) else { continue };
            let _ = std::fs::remove_dir_all(&place);
        }
    }
}

impl Drop for EphemeralStore {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.home) {
            tracing::warn!("{}: could not delete the session's files: {error}", self.home.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_ephemeral_files_are_always_deleted() {
        let home = tempfile::tempdir().unwrap();
        let (ends, lives) = (EphemeralStore::new(home.path()).unwrap(), EphemeralStore::new(home.path()).unwrap());
        for place in [&ends, &lives] {
            std::fs::write(place.home().join("x.jsonl"), "secret").unwrap();
        }
        let ended = ends.home().to_path_buf();
        drop(ends);
        // Like a killed process leaves it: the folder and an unlocked lock file.
        let killed = home.path().join(FOLDER).join("killed");
        std::fs::create_dir(&killed).unwrap();
        std::fs::write(killed.with_extension("lock"), "1").unwrap();
        EphemeralStore::remove_leftovers(home.path());
        assert!(!ended.exists() && !killed.exists() && lives.home().join("x.jsonl").exists());
        drop(lives);
        assert_eq!(std::fs::read_dir(home.path().join(FOLDER)).unwrap().count(), 0);
    }
}

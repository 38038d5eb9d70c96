//! A place for a session that leaves nothing behind (HO-1): `<home>/passing/<id>/` with all that a home holds of a session. It is
//! removed when the session ends; of one that was killed, at the next start of any session in this home.

use super::lock::Lock;
use super::place::create_private_dir;
use std::io;
use std::path::{Path, PathBuf};

const FOLDER: &str = "passing";

/// The place while it lives.
#[derive(Debug)]
pub(crate) struct Passing {
    home: PathBuf,
    /// Of another name than the folder, so that there is no folder without somebody who holds it.
    _lock: Lock,
}

impl Passing {
    pub(crate) fn new(home: &Path) -> io::Result<Passing> {
        let all = home.join(FOLDER);
        create_private_dir(&all)?;
        let home = all.join(uuid::Uuid::now_v7().to_string());
        let lock = Lock::take(&home).map_err(io::Error::other)?;
        create_private_dir(&home)?;
        Ok(Passing { home, _lock: lock })
    }

    /// Stands in for the cutonce home where the session's own things are kept.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Remove what nobody holds any more. What can't be removed is tried again at the next start.
    pub(crate) fn sweep(home: &Path) {
        let entries = std::fs::read_dir(home.join(FOLDER)).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in entries {
            let place = path.with_extension("");
            // Held: somebody lives there.
            let Ok(_lock) = Lock::take(&place) else { continue };
            let _ = std::fs::remove_dir_all(&place);
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.home) {
            tracing::warn!("{}: the session's files could not be removed: {error}", self.home.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_a_place_is_gone_with_its_session_and_after_a_kill_at_the_next_start() {
        let home = tempfile::tempdir().unwrap();
        let (ends, lives) = (Passing::new(home.path()).unwrap(), Passing::new(home.path()).unwrap());
        for place in [&ends, &lives] {
            std::fs::write(place.home().join("x.jsonl"), "secret").unwrap();
        }
        let ended = ends.home().to_path_buf();
        drop(ends);
        // As a process that was killed leaves it: the folder and a lock file that nobody holds.
        let killed = home.path().join(FOLDER).join("killed");
        std::fs::create_dir(&killed).unwrap();
        std::fs::write(killed.with_extension("lock"), "1").unwrap();
        Passing::sweep(home.path());
        assert!(!ended.exists() && !killed.exists() && lives.home().join("x.jsonl").exists());
        drop(lives);
        assert_eq!(std::fs::read_dir(home.path().join(FOLDER)).unwrap().count(), 0);
    }
}

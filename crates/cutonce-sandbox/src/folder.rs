//! The private folder of confined commands (SB-2), accessible to the user alone and removed on drop. A killed
//! process can't remove its folder; the next process that makes one removes it.

use crate::remove_tree::remove_tree;
use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const PREFIX: &str = "cutonce-held-";
/// A folder younger than this may not be locked yet.
const YOUNG: Duration = Duration::from_secs(60);

/// A folder that no other process uses while this value lives.
pub struct PrivateFolder {
    path: PathBuf,
    /// Locked for as long as the process lives, so that no other process removes the folder.
    _lock: File,
}

impl PrivateFolder {
    /// Creates the folder in `within`, the folder for temporary files.
    pub fn new(within: &Path) -> io::Result<PrivateFolder> {
        let mode = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(PREFIX).permissions(mode).tempdir_in(within)?;
        let lock = File::open(folder.path())?;
        lock.try_lock()?;
        let within = within.to_path_buf();
        // Runs in the background. If the program ends first, the next one does the sweep.
        std::thread::spawn(move || remove_abandoned(&within, YOUNG));
        Ok(PrivateFolder { path: folder.keep(), _lock: lock })
    }
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Stores a file next to the folders that commands may write to.
    pub fn store(&self, name: &str, content: &[u8]) -> io::Result<()> {
        std::fs::write(self.path.join(name), content)
    }
    /// Returns this folder, or one in it, ready for the next command: a command may have closed or removed it.
    pub fn ready(&self, inside: &str) -> io::Result<PathBuf> {
        let path = self.path.join(inside);
        match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => std::fs::set_permissions(&path, Permissions::from_mode(0o700))?,
            Ok(_) => return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder any more")),
            Err(_) => std::fs::create_dir(&path)?,
        }
        Ok(path)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What can't be removed now, the next process removes.
        let _ = remove_tree(&self.path);
    }
}

/// Removes this user's private folders whose process is gone, which shows in a free lock.
fn remove_abandoned(within: &Path, young: Duration) {
    for entry in std::fs::read_dir(within).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_abandoned(&entry.path(), young) {
            let _ = remove_tree(&entry.path());
        }
    }
}

fn is_abandoned(folder: &Path, young: Duration) -> bool {
    let Ok(about) = folder.symlink_metadata() else { return false };
    // SAFETY: `geteuid` takes no arguments, accesses no memory and can't fail.
    let ours = about.is_dir() && about.uid() == unsafe { libc::geteuid() };
    if !ours {
        return false;
    }
    if about.mode() & 0o700 != 0o700 {
        // A command closed it. No other user can replace a folder of ours in a folder for temporary files.
        let _ = std::fs::set_permissions(folder, Permissions::from_mode(0o700));
    }
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let Ok(opened) = OpenOptions::new().read(true).custom_flags(flags).open(folder) else { return false };
    let age = about.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_some_and(|age| age >= young) && opened.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sb_7_closed_or_removed_folder_is_ready_again() {
        let dir = tempfile::tempdir().unwrap();
        let mine = PrivateFolder::new(dir.path()).unwrap();
        let tmp = mine.ready("tmp").unwrap();
        std::fs::set_permissions(&tmp, Permissions::from_mode(0o000)).unwrap();
        std::fs::set_permissions(mine.path(), Permissions::from_mode(0o000)).unwrap();
        mine.ready("").unwrap();
        assert_eq!(mine.ready("tmp").unwrap().metadata().unwrap().mode() & 0o777, 0o700);
        std::fs::remove_dir(&tmp).unwrap();
        assert!(mine.ready("tmp").unwrap().is_dir());
        std::os::unix::fs::symlink(dir.path(), mine.path().join("link")).unwrap();
        assert!(mine.ready("link").is_err());
        std::fs::set_permissions(&tmp, Permissions::from_mode(0o000)).unwrap();
        let gone = mine.path().to_path_buf();
        drop(mine);
        assert!(!gone.exists());
    }

    #[test]
    fn sb_2_sweep_removes_only_abandoned_folders() {
        let dir = tempfile::tempdir().unwrap();
        let (at, outside) = (dir.path().join("tmp"), dir.path().join("outside"));
        let [left, link, other] =
            [format!("{PREFIX}left"), format!("{PREFIX}link"), "other".into()].map(|n| at.join(n));
        for folder in [&left.join("tmp"), &other, &outside] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(left.join("tmp/file"), "x").unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        let mine = PrivateFolder::new(&at).unwrap();
        remove_abandoned(&at, Duration::from_secs(3600));
        assert!(left.exists(), "it may have been created just now");
        remove_abandoned(&at, Duration::ZERO);
        assert!(!left.exists() && mine.path().exists() && other.exists() && outside.exists() && link.is_symlink());
        let gone = mine.path().to_path_buf();
        drop(mine);
        assert!(!gone.exists());
    }
}

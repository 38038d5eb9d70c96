//! The private folder of held commands (SB-2): for the user alone, and gone when it is dropped. Whoever is killed can't remove theirs;
//! the next one that makes such a folder does it for them.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

const PREFIX: &str = "cutonce-held-";
/// One that was made just now may not be locked yet.
const YOUNG: Duration = Duration::from_secs(60);

/// A folder that nobody else uses, as long as this lives.
pub struct PrivateFolder {
    folder: tempfile::TempDir,
    /// Held as long as the process lives, also by one that is about to die.
    _lock: File,
}

impl PrivateFolder {
    /// `within`: the folder for temporary files.
    pub fn new(within: &Path) -> io::Result<PrivateFolder> {
        let mode = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(PREFIX).permissions(mode).tempdir_in(within)?;
        let lock = File::open(folder.path())?;
        lock.try_lock()?;
        let within = within.to_path_buf();
        // Nobody waits for it, and a program that ends sooner leaves it to the next one.
        std::thread::spawn(move || sweep(&within, YOUNG));
        Ok(PrivateFolder { folder, _lock: lock })
    }
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Remove such folders of this user whose process is gone: nobody holds their lock.
fn sweep(within: &Path, young: Duration) {
    for entry in std::fs::read_dir(within).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_left(&entry.path(), young) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left(folder: &Path, young: Duration) -> bool {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let Ok(opened) = OpenOptions::new().read(true).custom_flags(flags).open(folder) else { return false };
    let Ok(about) = opened.metadata() else { return false };
    // Safety: asks for a number.
    let ours = about.uid() == unsafe { libc::geteuid() };
    let age = about.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    ours && age.is_some_and(|age| age >= young) && opened.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sb_2_what_a_killed_program_left_is_swept_and_nothing_else() {
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
        sweep(&at, Duration::from_secs(3600));
        assert!(left.exists(), "it may be just being made");
        sweep(&at, Duration::ZERO);
        assert!(!left.exists() && mine.path().exists() && other.exists() && outside.exists() && link.is_symlink());
        let gone = mine.path().to_path_buf();
        drop(mine);
        assert!(!gone.exists());
    }
}

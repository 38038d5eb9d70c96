//! Allows one writer per session (SE-4). The kernel releases the lock after a crash; the file only names the owner.

use super::StoreError;
use super::paths::private_options;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A session lock, released on drop. Also used to keep writers away, as in `cutonce plans rm`.
#[derive(Debug)]
pub struct SessionLock {
    path: PathBuf,
    /// The locked file; `None` if the file system has no locks.
    file: Option<File>,
}

impl SessionLock {
    /// Acquires the session's lock, or reports the owner.
    pub fn acquire(transcript: &Path) -> Result<SessionLock, StoreError> {
        let path = transcript.with_extension("lock");
        let failed = |error| StoreError::from_io("lock the session", &path, error);
        // The previous owner may have removed the file after we opened it: then retry.
        for _ in 0..100 {
            let mut file =
                private_options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if same_file(&file, &path) => {
                    write_pid(&mut file).map_err(failed)?;
                    return Ok(SessionLock { path, file: Some(file) });
                }
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::InUse {
                        id: super::transcript_session_id(transcript),
                        pid: read_pid(&mut file),
                    });
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    tracing::warn!(
                        "{}: the file system has no locks; two processes could write at once",
                        path.display()
                    );
                    return Ok(SessionLock { path, file: None });
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(failed(io::Error::other("the lock changes its owner constantly")))
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        if self.file.is_some() {
            // Removed while still locked; a process that opened it meanwhile notices that the file was replaced.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        (_, _) => false,
    }
}

#[cfg(not(unix))]
fn same_file(_: &File, path: &Path) -> bool {
    path.exists()
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

//! One writer per session (SE-4). The lock is the kernel's, so a crash leaves none behind; the file only tells who holds it.

use super::StoreError;
use super::place::private;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Held while it lives. Also for who is no writer but must keep writers away, as `cutonce plans rm`.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Keeps the lock while it is open; `None` where the file system knows no locks.
    file: Option<File>,
}

impl Lock {
    /// Take the session's lock, or say who has it.
    pub fn take(transcript: &Path) -> Result<Lock, StoreError> {
        let path = transcript.with_extension("lock");
        let failed = |error| StoreError::io("lock the session", &path, error);
        // The holder before us may have removed the file between our opening and locking it: then try again.
        for _ in 0..100 {
            let mut file = private().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if same_file(&file, &path) => {
                    write_pid(&mut file).map_err(failed)?;
                    return Ok(Lock { path, file: Some(file) });
                }
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::InUse { id: super::id_of(transcript), pid: read_pid(&mut file) });
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    tracing::warn!("{}: the file system has no locks; two processes could mix", path.display());
                    return Ok(Lock { path, file: None });
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(failed(io::Error::other("it is taken and given back all the time")))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.file.is_some() {
            // Removed while still locked; whoever opened it meanwhile notices that it is another file.
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

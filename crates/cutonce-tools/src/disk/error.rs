//! File errors, worded for the model: what happened, why, what to do.

use super::open::SpecialKind;
use crate::tool::ToolError;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{} does not exist.", path.display())]
    Missing { path: PathBuf },
    #[error("{} is {kind}, not a file.{}", path.display(), kind.hint())]
    NotAFile { path: PathBuf, kind: SpecialKind },
    #[error("No permission to {doing} {}.", path.display())]
    Denied { doing: &'static str, path: PathBuf },
    #[error("{} is hidden from you (keys, credentials, .env files). Work without it.", path.display())]
    Hidden { path: PathBuf },
    #[error("{} exists but was not read in this session. Read it first, then repeat the change.", path.display())]
    NotRead { path: PathBuf },
    #[error("{} changed on disk since you read it. Read it again, then repeat the change.", path.display())]
    Changed { path: PathBuf },
    #[error("{} changed in the user's editor since you read it, or has unsaved changes there. Read it again, then repeat the change; if that does not help, ask the user to save the file.", path.display())]
    Unsaved { path: PathBuf },
    #[error("The user's editor did not confirm that it wrote {} ({why}). Read the file to see its current content.", path.display())]
    NotConfirmed { path: PathBuf, why: String },
    #[error("{}: part of this path was replaced by a symbolic link or another folder after it was checked; nothing was done. Check the path and repeat.", path.display())]
    Moved { path: PathBuf },
    #[error("{} has {}; at most {} can be handled here.", path.display(), human_size(*size), human_size(*limit))]
    TooLarge { path: PathBuf, size: u64, limit: u64 },
    #[error("The old content of {} could not be saved for rewind ({source}); the file was not changed.", path.display())]
    NotStored { path: PathBuf, source: io::Error },
    #[error("The disk is full: {} was not changed.", path.display())]
    Full { path: PathBuf },
    #[error("Can't {doing} {}: {source}.", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    /// The change itself refused, with its own message.
    #[error("{0}")]
    Refused(ToolError),
    #[error("Interrupted before it was done: nothing was written.")]
    Interrupted,
}

impl FileError {
    pub(super) fn from_io(doing: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        let (path, source) = (path.to_path_buf(), source.into());
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            io::ErrorKind::PermissionDenied => Self::Denied { doing, path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            _ => Self::Io { doing, path, source },
        }
    }
}

/// `812 bytes`, `1.2 KB`, `4.0 GB`.
pub fn human_size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 4] = [("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} bytes"),
    }
}

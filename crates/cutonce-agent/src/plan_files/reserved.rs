//! Names of plans that are taken (PM-41). A name is reserved by a file that can be made only once, so that two processes
//! never get the same one; what is in it lets `cutonce plans` find the plan wherever it is.

use super::{PlanError, plans_home};
use crate::store::place::{create_private_dir, private, write_private};
use cutonce_core::plan;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Whose name it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Reserved {
    /// Where the plan file is, once there is one.
    pub path: String,
    /// The project's root.
    pub project: String,
    pub session: String,
    /// RFC 3339.
    pub time: String,
}

/// Takes the name, or says that it is not free.
pub(super) fn take(home: &Path, slug: &str, record: &Reserved) -> Result<bool, PlanError> {
    let path = place(home, slug);
    // Plans that lost their reservation still have their name.
    let others = [PathBuf::from(&record.path), plans_home(home).join(plan::file_name(slug))];
    let used = others.iter().any(|file| file.symlink_metadata().is_ok());
    if used || super::Revisions::folder(home, slug).exists() {
        return Ok(false);
    }
    let failed = |error| PlanError::io("reserve a name for the plan", &path, error);
    create_private_dir(&folder(home)).map_err(failed)?;
    let mut file = match private().write(true).create_new(true).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    let written = serde_json::to_vec(record).map_err(io::Error::other).and_then(|json| {
        file.write_all(&json)?;
        file.sync_all()
    });
    if let Err(error) = written {
        let _ = std::fs::remove_file(&path);
        return Err(failed(error));
    }
    Ok(true)
}

/// Notes whose name it is, whatever was there.
pub(super) fn put(home: &Path, slug: &str, record: &Reserved) -> Result<(), PlanError> {
    let path = place(home, slug);
    let json = serde_json::to_vec(record).map_err(io::Error::other);
    json.and_then(|json| write_private(&path, &json))
        .map_err(|error| PlanError::io("reserve the plan's name", &path, error))
}

/// Who has this name. A reservation that a crash left empty tells nothing.
pub(super) fn of(home: &Path, slug: &str) -> Option<Reserved> {
    let json = std::fs::read(place(home, slug)).ok()?;
    serde_json::from_slice(&json).ok()
}

/// All names that are reserved.
pub(super) fn all(home: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder(home)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| plan::is_name(name)).collect()
}

pub(super) fn remove(home: &Path, slug: &str) -> io::Result<()> {
    super::file::gone(std::fs::remove_file(place(home, slug)))
}

fn folder(home: &Path) -> PathBuf {
    plans_home(home).join(".reserved")
}

fn place(home: &Path, slug: &str) -> PathBuf {
    folder(home).join(slug)
}

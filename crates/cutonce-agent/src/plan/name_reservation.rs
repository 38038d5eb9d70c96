//! Reserved plan names (PM-41). A file that can only be created once reserves a name, so that two processes never get
//! the same one. The file contains the path of the plan, for `cutonce plans`.

use super::{PlanError, plans_home};
use crate::storage::paths::{create_private_dir, private_options, write_private};
use cutonce_core::plan;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The owner of a plan name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NameReservation {
    /// The path of the plan file, which may not exist yet.
    pub path: String,
    /// The project's root.
    pub project: String,
    pub session: String,
    /// RFC 3339.
    pub time: String,
}

/// Reserves the name; returns false if it is taken.
pub(super) fn try_reserve(home: &Path, slug: &str, record: &NameReservation) -> Result<bool, PlanError> {
    let path = reservation_path(home, slug);
    // A plan without a reservation still occupies its name.
    let others = [PathBuf::from(&record.path), plans_home(home).join(plan::plan_file_name(slug))];
    let used = others.iter().any(|file| file.symlink_metadata().is_ok());
    if used || super::PlanRevisions::folder(home, slug).exists() {
        return Ok(false);
    }
    let failed = |error| PlanError::from_io("reserve a name for the plan", &path, error);
    create_private_dir(&reserved_folder(home)).map_err(failed)?;
    let mut file = match private_options().write(true).create_new(true).open(&path) {
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

/// Overwrites the reservation.
pub(super) fn write_reservation(home: &Path, slug: &str, record: &NameReservation) -> Result<(), PlanError> {
    let path = reservation_path(home, slug);
    let json = serde_json::to_vec(record).map_err(io::Error::other);
    json.and_then(|json| write_private(&path, &json))
        .map_err(|error| PlanError::from_io("reserve the plan's name", &path, error))
}

/// Reads a reservation. One left empty by a crash is ignored.
pub(super) fn read_reservation(home: &Path, slug: &str) -> Option<NameReservation> {
    let json = std::fs::read(reservation_path(home, slug)).ok()?;
    serde_json::from_slice(&json).ok()
}

/// All reserved names.
pub(super) fn reserved_names(home: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(reserved_folder(home)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| plan::is_plan_name(name)).collect()
}

pub(super) fn remove_reservation(home: &Path, slug: &str) -> io::Result<()> {
    super::file::ignore_missing(std::fs::remove_file(reservation_path(home, slug)))
}

fn reserved_folder(home: &Path) -> PathBuf {
    plans_home(home).join(".reserved")
}

fn reservation_path(home: &Path, slug: &str) -> PathBuf {
    reserved_folder(home).join(slug)
}

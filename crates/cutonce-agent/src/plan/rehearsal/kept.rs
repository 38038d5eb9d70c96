//! Rehearsals that the user kept by name (RH-5): stored with their layer, and listed, applied or discarded later.

use super::ground::RehearsalGround;
use super::{FinishedRehearsal, copies_folder, rehearsals_folder};
use cutonce_core::plan::rehearsal::{RehearsalResult, RehearsedCheck};
use cutonce_core::settings::plan::RehearsalSettings;
use cutonce_sandbox::{KeptLayer, NamedLayer, check_layer_name, named_layers};
use cutonce_tools::disk::layer::{LayerChange, path_form};
use cutonce_tools::shell::changes::journals_folder;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a rehearsal is not kept, or a kept one can't be used.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// The limit is reached.
    #[error(
        "no more than {0} can be kept (`plan.rehearsal.maxKept`): discard one with `cutonce rehearsals discard NAME`"
    )]
    TooMany(u32),
    /// The name is taken.
    #[error(
        "a rehearsal is kept as {0} already: discard it (`cutonce rehearsals discard {0}`), or choose another name"
    )]
    Taken(String),
    /// There is none with this name.
    #[error("no rehearsal is kept as {0}; `cutonce rehearsals` lists them")]
    Missing(String),
    /// Another program works with it.
    #[error("another program uses the kept rehearsal {0}")]
    InUse(String),
    /// The name or the disk refused it.
    #[error(transparent)]
    Store(#[from] io::Error),
    /// What is stored with the layer can't be read.
    #[error("the kept rehearsal can't be read: {0}")]
    Unreadable(#[from] serde_json::Error),
}

/// A kept rehearsal, as the list shows it.
#[derive(Debug, Clone)]
pub struct KeptRehearsal {
    /// The name that the user or the program chose.
    pub name: String,
    /// The workspace that it belongs to.
    pub root: PathBuf,
    /// When it is deleted.
    pub expires: SystemTime,
    /// The agent ended well, all checks passed, nothing drifted.
    pub passed: bool,
    /// What the user saw.
    pub result: RehearsalResult,
    /// The checks that ran on the layer.
    pub checks: Vec<RehearsedCheck>,
}

/// What is stored with the layer.
#[derive(Serialize, Deserialize)]
struct KeptNote {
    #[serde(with = "path_form")]
    root: PathBuf,
    /// The folder with the changed files, inside the layer's.
    #[serde(with = "path_form")]
    inside: PathBuf,
    result: RehearsalResult,
    passed: bool,
    checks: Vec<RehearsedCheck>,
    changes: Vec<LayerChange>,
    stale: Vec<StoredPath>,
}

#[derive(Serialize, Deserialize)]
struct StoredPath(#[serde(with = "path_form")] PathBuf);

impl FinishedRehearsal {
    /// Keeps it by name: its layer then survives the session.
    pub fn keep(&mut self, name: &str, limits: RehearsalSettings) -> Result<(), KeepError> {
        let note = KeptNote {
            root: self.ground.root().to_path_buf(),
            inside: self.ground.inside.clone(),
            result: self.result.clone(),
            passed: self.passed,
            checks: self.checks.clone(),
            changes: self.changes.clone(),
            stale: self.stale.iter().cloned().map(StoredPath).collect(),
        };
        let (note, expires) = (serde_json::to_vec(&note)?, SystemTime::now() + DAY * limits.keep_days);
        let kept = self.ground.layer.keep_as(name, &note, expires, limits.max_kept as usize);
        kept.map_err(|error| match error.kind() {
            io::ErrorKind::QuotaExceeded => KeepError::TooMany(limits.max_kept),
            io::ErrorKind::AlreadyExists => KeepError::Taken(name.to_string()),
            _ => KeepError::Store(error),
        })
    }
}

/// Checks before a rehearsal whether its result can be kept by this name.
pub fn check_keep(home: &Path, name: &str, limits: RehearsalSettings) -> Result<(), KeepError> {
    check_layer_name(name)?;
    let kept = list_kept(home);
    match () {
        () if kept.iter().any(|one| one.name == name) => Err(KeepError::Taken(name.to_string())),
        () if kept.len() >= limits.max_kept as usize => Err(KeepError::TooMany(limits.max_kept)),
        () => Ok(()),
    }
}

fn folders(home: &Path) -> [PathBuf; 2] {
    [rehearsals_folder(home), copies_folder(home)]
}

fn find(home: &Path, name: &str) -> Result<(PathBuf, NamedLayer), KeepError> {
    let in_folder =
        |folder: PathBuf| Some((folder.clone(), named_layers(&folder).into_iter().find(|one| one.name == name)?));
    folders(home).into_iter().find_map(in_folder).ok_or_else(|| KeepError::Missing(name.to_string()))
}

fn open_layer(folder: &Path, root: &Path, name: &str) -> Result<KeptLayer, KeepError> {
    KeptLayer::open_named(root, folder, name).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => KeepError::InUse(name.to_string()),
        _ => KeepError::Store(error),
    })
}

/// Lists what is kept, in the order of the names.
pub fn list_kept(home: &Path) -> Vec<KeptRehearsal> {
    let read = |layer: NamedLayer| {
        let note: KeptNote = serde_json::from_slice(&layer.note).ok()?;
        let (name, expires) = (layer.name, layer.expires);
        let KeptNote { root, passed, result, checks, .. } = note;
        Some(KeptRehearsal { name, root, expires, passed, result, checks })
    };
    let mut kept: Vec<KeptRehearsal> =
        folders(home).iter().flat_map(|folder| named_layers(folder)).filter_map(read).collect();
    kept.sort_by(|a, b| a.name.cmp(&b.name));
    kept
}

/// Opens a kept rehearsal, as it was when it ended.
pub fn open_kept(home: &Path, name: &str) -> Result<FinishedRehearsal, KeepError> {
    let (folder, layer) = find(home, name)?;
    let note: KeptNote = serde_json::from_slice(&layer.note)?;
    let layer = open_layer(&folder, &note.root, name)?;
    Ok(FinishedRehearsal {
        result: note.result,
        passed: note.passed,
        checks: note.checks,
        changes: note.changes,
        stale: note.stale.into_iter().map(|stale| stale.0).collect(),
        ground: RehearsalGround::from_kept(layer, note.inside),
        journals: journals_folder(home),
    })
}

/// Deletes a kept rehearsal.
pub fn discard_kept(home: &Path, name: &str) -> Result<(), KeepError> {
    let (folder, _) = find(home, name)?;
    open_layer(&folder, home, name)?.remove_name();
    Ok(())
}

//! Rules the user added with «don't ask again» in an untrusted folder (PR-7, PR-2). Allow rules in a project's file
//! are ignored until the folder is trusted, because anyone may have written them. The user's home therefore records
//! which rules are the user's own; those apply, in this folder only.

use super::SettingsPaths;
use crate::storage::paths::{ProjectSessions, open_own, private_options, write_private};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Maximum size of the file.
const MAX_FILE_SIZE: u64 = 4 << 20;

/// Rules by folder: two folders can share one project name.
type GrantedRules = BTreeMap<PathBuf, Vec<String>>;

fn project_folder(places: &SettingsPaths) -> PathBuf {
    places.project.canonicalize().unwrap_or_else(|_| places.project.clone())
}

fn granted_file(places: &SettingsPaths) -> PathBuf {
    ProjectSessions::new(&places.home, project_folder(places)).dir().join("granted.json")
}

/// The rules of this folder, or why they can't be read.
pub(super) fn granted_rules(places: &SettingsPaths) -> io::Result<Vec<String>> {
    Ok(read_granted(&granted_file(places))?.remove(&project_folder(places)).unwrap_or_default())
}

pub(super) fn add_granted(places: &SettingsPaths, rule: &str) -> io::Result<()> {
    update_granted(places, |rules| {
        if !rules.iter().any(|known| known == rule) {
            rules.push(rule.to_string());
        }
    })
}

/// Removes a rule; returns false if it isn't there.
pub(super) fn remove_granted(places: &SettingsPaths, rule: &str) -> io::Result<bool> {
    let there = granted_rules(places)?.iter().any(|known| known == rule);
    if there {
        update_granted(places, |rules| rules.retain(|known| known != rule))?;
    }
    Ok(there)
}

fn update_granted(places: &SettingsPaths, work: impl FnOnce(&mut Vec<String>)) -> io::Result<()> {
    let file = granted_file(places);
    let dir = file.parent().unwrap_or(Path::new("."));
    crate::storage::paths::create_private_dir(dir)?;
    // Lock the file, because several processes may change it.
    let lock = private_options().write(true).create(true).truncate(false).open(file.with_extension("lock"))?;
    lock.lock()?;
    let mut all = read_granted(&file)?;
    work(all.entry(project_folder(places)).or_default());
    write_private(&file, (serde_json::to_string_pretty(&all)? + "\n").as_bytes())
}

fn read_granted(file: &Path) -> io::Result<GrantedRules> {
    let opened = match open_own(std::fs::File::options().read(true), file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(GrantedRules::default()),
        opened => opened?,
    };
    let mut text = String::new();
    opened.take(MAX_FILE_SIZE).read_to_string(&mut text)?;
    let broken = |error| io::Error::other(format!("{} is broken: {error}; repair or remove it", file.display()));
    serde_json::from_str(&text).map_err(broken)
}

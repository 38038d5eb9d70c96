//! Adding and removing servers in the files that name them (`cutonce mcp add`, `remove`); all else in a file stays.

use super::sources::{FILE, Scope};
use crate::settings::Places;
use crate::store::place::write_private;
use cutonce_core::submission::RememberIn;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// The file of a scope; None for those that have none.
pub fn file(places: &Places, scope: Scope) -> Option<PathBuf> {
    match scope {
        Scope::Local => places.file(RememberIn::Local),
        Scope::Project => Some(places.project.join(FILE)),
        Scope::User => places.file(RememberIn::User),
        Scope::Host | Scope::CommandLine | Scope::Managed => None,
    }
}

/// All files in which servers of a scope are named.
pub fn files(places: &Places, scope: Scope) -> Vec<PathBuf> {
    let settings = if scope == Scope::Project { places.file(RememberIn::Project) } else { None };
    file(places, scope).into_iter().chain(settings).collect()
}

/// Put a server into a file; false if there is one of that name already, which stays.
pub fn add(path: &Path, name: &str, definition: &Value) -> io::Result<bool> {
    let mut added = false;
    change(path, |servers| {
        if !servers.contains_key(name) {
            servers.insert(name.into(), definition.clone());
            added = true;
        }
        added
    })?;
    Ok(added)
}

/// Put another definition in the place of this one; false if the file says something else.
pub fn replace(path: &Path, name: &str, old: &Value, new: &Value) -> io::Result<bool> {
    let mut replaced = false;
    change(path, |servers| {
        if let Some(known) = servers.get_mut(name).filter(|known| *known == old) {
            *known = new.clone();
            replaced = true;
        }
        replaced
    })?;
    Ok(replaced)
}

/// Take a server out of a file; false if it is not there.
pub fn remove(path: &Path, name: &str) -> io::Result<bool> {
    if !path.exists() {
        return Ok(false);
    }
    let mut removed = false;
    change(path, |servers| {
        removed = servers.shift_remove(name).is_some();
        removed
    })?;
    Ok(removed)
}

fn change(path: &Path, work: impl FnOnce(&mut serde_json::Map<String, Value>) -> bool) -> io::Result<()> {
    let bad = |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()));
    if path.parent().is_some_and(Path::is_symlink) || path.is_symlink() {
        return Err(bad("is a symlink; it was left as it is"));
    }
    let mut value = super::sources::read(path).map_err(|why| bad(&why))?.unwrap_or_else(|| json!({}));
    let object = value.as_object_mut().ok_or_else(|| bad("is no JSON object"))?;
    let servers = object.entry("mcpServers").or_insert_with(|| json!({}));
    let servers = servers.as_object_mut().ok_or_else(|| bad("`mcpServers` is no object"))?;
    if !work(servers) {
        return Ok(());
    }
    let mode = std::fs::metadata(path).ok().map(|about| about.permissions());
    write_private(path, (serde_json::to_string_pretty(&value)? + "\n").as_bytes())?;
    mode.map_or(Ok(()), |mode| std::fs::set_permissions(path, mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cl_1_servers_are_added_and_removed_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::fs::write(&path, r#"{"theme": "dark", "mcpServers": {"old": {"command": "o"}}}"#).unwrap();
        assert!(add(&path, "new", &json!({"command": "n"})).unwrap());
        assert!(!add(&path, "old", &json!({"command": "other"})).unwrap());
        let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(value, json!({"theme": "dark", "mcpServers": {"old": {"command": "o"}, "new": {"command": "n"}}}));
        assert!(remove(&path, "new").unwrap() && !remove(&path, "new").unwrap());
        assert!(!remove(&folder.path().join("none.json"), "x").unwrap());
        std::fs::write(&path, "{ broken").unwrap();
        assert!(add(&path, "x", &json!({})).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ broken");
    }
}

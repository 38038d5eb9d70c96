//! Adds and removes servers in their files (`cutonce mcp add`, `remove`); everything else in a file stays.

use super::sources::{FILE, ServerScope};
use crate::config::SettingsPaths;
use crate::storage::paths::write_private;
use cutonce_core::protocol::submission::RuleDestination;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// The file for new servers of a scope, if it has one.
pub fn scope_file(places: &SettingsPaths, scope: ServerScope) -> Option<PathBuf> {
    match scope {
        ServerScope::Local => places.rule_file(RuleDestination::Local),
        ServerScope::Project => Some(places.project.join(FILE)),
        ServerScope::User => places.rule_file(RuleDestination::User),
        ServerScope::Host | ServerScope::CommandLine | ServerScope::Managed => None,
    }
}

/// All files that may define servers of a scope.
pub fn scope_files(places: &SettingsPaths, scope: ServerScope) -> Vec<PathBuf> {
    let settings = if scope == ServerScope::Project { places.rule_file(RuleDestination::Project) } else { None };
    scope_file(places, scope).into_iter().chain(settings).collect()
}

/// Adds a server to a file. Returns false if the name is already used.
pub fn add_server(path: &Path, name: &str, definition: &Value) -> io::Result<bool> {
    let mut added = false;
    update_servers(path, |servers| {
        if !servers.contains_key(name) {
            servers.insert(name.into(), definition.clone());
            added = true;
        }
        added
    })?;
    Ok(added)
}

/// Replaces a definition. Returns false if the file contains a different one.
pub(crate) fn replace_server(path: &Path, name: &str, old: &Value, new: &Value) -> io::Result<bool> {
    let mut replaced = false;
    update_servers(path, |servers| {
        if let Some(known) = servers.get_mut(name).filter(|known| *known == old) {
            *known = new.clone();
            replaced = true;
        }
        replaced
    })?;
    Ok(replaced)
}

/// Removes a server from a file. Returns false if it isn't there.
pub fn remove_server(path: &Path, name: &str) -> io::Result<bool> {
    if !path.exists() {
        return Ok(false);
    }
    let mut removed = false;
    update_servers(path, |servers| {
        removed = servers.shift_remove(name).is_some();
        removed
    })?;
    Ok(removed)
}

fn update_servers(path: &Path, work: impl FnOnce(&mut serde_json::Map<String, Value>) -> bool) -> io::Result<()> {
    let bad = |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()));
    if path.parent().is_some_and(Path::is_symlink) || path.is_symlink() {
        return Err(bad("is a symlink and was not changed"));
    }
    let mut value = super::sources::read_json_file(path).map_err(|why| bad(&why))?.unwrap_or_else(|| json!({}));
    let object = value.as_object_mut().ok_or_else(|| bad("is not a JSON object"))?;
    let servers = object.entry("mcpServers").or_insert_with(|| json!({}));
    let servers = servers.as_object_mut().ok_or_else(|| bad("`mcpServers` is not an object"))?;
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
    fn cl_1_editing_servers_keeps_other_settings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::fs::write(&path, r#"{"theme": "dark", "mcpServers": {"old": {"command": "o"}}}"#).unwrap();
        assert!(add_server(&path, "new", &json!({"command": "n"})).unwrap());
        assert!(!add_server(&path, "old", &json!({"command": "other"})).unwrap());
        let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(value, json!({"theme": "dark", "mcpServers": {"old": {"command": "o"}, "new": {"command": "n"}}}));
        assert!(remove_server(&path, "new").unwrap() && !remove_server(&path, "new").unwrap());
        assert!(!remove_server(&folder.path().join("none.json"), "x").unwrap());
        std::fs::write(&path, "{ broken").unwrap();
        assert!(add_server(&path, "x", &json!({})).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ broken");
    }
}

//! Adds and removes servers in their files (`cutonce mcp add`, `remove`); everything else in a file stays.

use super::sources::{FILE, ServerScope};
use crate::config::SettingsPaths;
use crate::config::change_settings;
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
    let change = |object: &mut serde_json::Map<String, Value>| {
        let servers = object.entry("mcpServers").or_insert_with(|| json!({}));
        servers.as_object_mut().map(work).ok_or_else(|| "`mcpServers` is not an object".to_string())
    };
    change_settings(path, change).map(drop)
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

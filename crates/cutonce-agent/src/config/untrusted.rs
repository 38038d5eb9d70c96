//! Filters the settings of an untrusted project (PR-2) to those that restrict. This is an allowlist: a new setting is
//! set aside until it is reviewed.

use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::ConfigSource;
use cutonce_core::settings::SettingsLayer;
use serde_json::{Map, Value};

/// A project setting that needs trust.
#[derive(Debug, Clone, PartialEq)]
pub struct SetAside {
    /// The source of the project's file.
    pub source: ConfigSource,
    /// The file's path.
    pub file: String,
    /// The setting, like `permissions.allow`.
    pub path: String,
    /// The setting's value.
    pub value: Value,
}

impl SetAside {
    /// The setting in plain words.
    pub fn describe(&self) -> &str {
        match self.path.as_str() {
            "permissions.allow" => "allow rules",
            "permissions.defaultMode" => "default mode",
            "permissions.additionalDirectories" => "more folders",
            path => path,
        }
    }
}

/// What is ignored until the folder is trusted, in one line; `None` if nothing is. A project's MCP servers are approved
/// one by one (HO-6).
pub(crate) fn ignored_notice(aside: &[SetAside]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for one in aside.iter().filter(|one| one.path != "mcpServers") {
        if !names.contains(&one.describe()) {
            names.push(one.describe());
        }
    }
    (!names.is_empty()).then(|| {
        format!("Ignored until you trust this folder: {}. Trust it with /trust or `cutonce trust`.", names.join(", "))
    })
}

impl std::fmt::Display for SetAside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: `{}` is ignored until you trust this folder", self.file, self.path)
    }
}

/// Whether this value can only restrict. `mode` is the mode of the user's own sources.
fn is_stricter(path: &str, value: &Value, mode: Option<Mode>) -> bool {
    match path {
        "permissions.deny" | "permissions.ask" | "permissions.disableBypassPermissionsMode" => true,
        "sandbox.denyRead" | "theme" | "notifications" | "$schema" => true,
        "permissions.defaultMode" => match value.as_str().and_then(Mode::parse) {
            Some(Mode::Default) => !mode.is_some_and(Mode::is_read_only),
            wanted => wanted.is_some_and(Mode::is_read_only),
        },
        "sandbox.shell" => value == &Value::Bool(true),
        "sandbox.network" => value == &Value::Bool(false),
        _ => false,
    }
}

/// Removes settings that could loosen something and returns them. `given` are rules the user allowed in this folder.
pub(super) fn remove_loosening(
    layer: &mut SettingsLayer,
    file: &str,
    mode: Option<Mode>,
    given: &[String],
) -> Vec<SetAside> {
    let Value::Object(all) = std::mem::take(&mut layer.value) else { return Vec::new() };
    let mut kept = Map::new();
    let mut aside = Vec::new();
    let mut judge = |path: String, value: Value| -> Option<Value> {
        if is_stricter(&path, &value, mode) {
            return Some(value);
        }
        let (theirs, value) = if path == "permissions.allow" { split_rules(value, given) } else { (None, Some(value)) };
        let waits = |value| SetAside { source: layer.source, file: file.into(), path, value };
        aside.extend(value.map(waits));
        theirs
    };
    for (key, value) in all {
        match value {
            // These two sections contain both kinds of settings.
            Value::Object(section) if key == "permissions" || key == "sandbox" => {
                let inner: Map<_, _> = section
                    .into_iter()
                    .filter_map(|(inner, value)| judge(format!("{key}.{inner}"), value).map(|value| (inner, value)))
                    .collect();
                kept.insert(key, Value::Object(inner));
            }
            value => {
                if let Some(value) = judge(key.clone(), value) {
                    kept.insert(key, value);
                }
            }
        }
    }
    layer.value = Value::Object(kept);
    aside
}

/// Splits rules into those of the user and the others.
fn split_rules(rules: Value, given: &[String]) -> (Option<Value>, Option<Value>) {
    let Value::Array(rules) = rules else { return (None, Some(rules)) };
    let theirs = |rule: &Value| rule.as_str().is_some_and(|rule| given.iter().any(|known| known == rule));
    let (theirs, others): (Vec<Value>, Vec<Value>) = rules.into_iter().partition(theirs);
    let list = |rules: Vec<Value>| (!rules.is_empty()).then_some(Value::Array(rules));
    (list(theirs), list(others))
}

//! What the files of an untrusted project may say (PR-2): only what makes things stricter. A list of what counts, not of
//! what does not: a setting that is added later is set aside until somebody has thought about it.

use cutonce_core::mode::Mode;
use cutonce_core::rule::Source;
use cutonce_core::settings::Layer;
use serde_json::{Map, Value};

/// A setting of a project that waits for trust.
#[derive(Debug, Clone, PartialEq)]
pub struct SetAside {
    /// Which of the project's files.
    pub source: Source,
    /// Its path.
    pub file: String,
    /// Like `permissions.allow`.
    pub path: String,
    /// What it would say.
    pub value: Value,
}

impl std::fmt::Display for SetAside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: `{}` waits until you trust this folder", self.file, self.path)
    }
}

/// Settings that can't loosen anything, with the values that can't. `mode` is what the user's own sources ask for.
fn is_stricter(path: &str, value: &Value, mode: Option<Mode>) -> bool {
    match path {
        "permissions.deny" | "permissions.ask" | "permissions.disableBypassPermissionsMode" => true,
        "sandbox.denyRead" | "theme" | "notifications" | "$schema" => true,
        "permissions.defaultMode" => match value.as_str().and_then(Mode::parse) {
            Some(Mode::Plan) => true,
            Some(Mode::Default) => mode != Some(Mode::Plan),
            Some(Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions) | None => false,
        },
        "sandbox.shell" => value == &Value::Bool(true),
        "sandbox.network" => value == &Value::Bool(false),
        _ => false,
    }
}

/// Take out of a layer all that could loosen something, and return it. `given`: rules that the person has allowed here by answers.
pub(super) fn only_stricter(layer: &mut Layer, file: &str, mode: Option<Mode>, given: &[String]) -> Vec<SetAside> {
    let Value::Object(all) = std::mem::take(&mut layer.value) else { return Vec::new() };
    let mut kept = Map::new();
    let mut aside = Vec::new();
    let mut judge = |path: String, value: Value| -> Option<Value> {
        if is_stricter(&path, &value, mode) {
            return Some(value);
        }
        let (theirs, value) = if path == "permissions.allow" { split(value, given) } else { (None, Some(value)) };
        let waits = |value| SetAside { source: layer.source, file: file.into(), path, value };
        aside.extend(value.map(waits));
        theirs
    };
    for (key, value) in all {
        match value {
            // These two hold both kinds of settings.
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

/// Of a list of rules those that the person gave, and the others.
fn split(rules: Value, given: &[String]) -> (Option<Value>, Option<Value>) {
    let Value::Array(rules) = rules else { return (None, Some(rules)) };
    let theirs = |rule: &Value| rule.as_str().is_some_and(|rule| given.iter().any(|known| known == rule));
    let (theirs, others): (Vec<Value>, Vec<Value>) = rules.into_iter().partition(theirs);
    let list = |rules: Vec<Value>| (!rules.is_empty()).then_some(Value::Array(rules));
    (list(theirs), list(others))
}

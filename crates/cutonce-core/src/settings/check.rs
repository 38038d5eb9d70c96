//! Checks a settings file (CL-4). Unknown keys and wrong values are removed one by one and reported; the rest applies.

use super::language_servers::ALL_SERVERS;
use super::{Settings, settings_schema};
use crate::text::sanitize::one_line;
use crate::text::truncate::with_ellipsis;
use serde_json::Value;
use std::sync::LazyLock;

/// A removed value and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingProblem {
    /// No setting has this name. `nearest` has a similar name.
    UnknownKey { path: String, nearest: Option<String> },
    /// The value is invalid; `why` says what was expected and what came.
    WrongValue { path: String, why: String },
}

/// A file with more wrong values is ignored as a whole: each of them costs a pass over the file, and a repository may
/// bring millions.
const MAX_WRONG_VALUES: usize = 50;

/// The nearest name is looked up for this many unknown keys, and for keys of at most this many bytes.
const MAX_NEAREST: usize = 20;
const MAX_NEAREST_BYTES: usize = 64;

/// Longest text of a problem on the screen; keys and values come from the file.
const MAX_SHOWN: usize = 200;

/// Path of a problem with the whole file.
const WHOLE_FILE: &str = "the file";

impl SettingProblem {
    /// Why the whole file is ignored, if it is.
    pub fn whole_file_reason(&self) -> Option<&str> {
        match self {
            SettingProblem::WrongValue { path, why } if path == WHOLE_FILE => Some(why),
            SettingProblem::WrongValue { .. } | SettingProblem::UnknownKey { .. } => None,
        }
    }

    pub fn path(&self) -> &str {
        match self {
            SettingProblem::UnknownKey { path, .. } | SettingProblem::WrongValue { path, .. } => path,
        }
    }
}

impl std::fmt::Display for SettingProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |text: &str| with_ellipsis(one_line(text), MAX_SHOWN);
        let path = shown(self.path());
        match self {
            SettingProblem::UnknownKey { nearest: None, .. } => write!(f, "unknown setting `{path}`, ignored"),
            SettingProblem::UnknownKey { nearest: Some(nearest), .. } => {
                write!(f, "unknown setting `{path}`, ignored; did you mean `{nearest}`?")
            }
            SettingProblem::WrongValue { why, .. } => write!(f, "`{path}`: {}; ignored", shown(why)),
        }
    }
}

static SCHEMA: LazyLock<Value> = LazyLock::new(settings_schema);

/// Removes invalid values. The rest always deserializes to [`Settings`].
pub fn check_settings(mut value: Value) -> (Value, Vec<SettingProblem>) {
    let mut problems = Vec::new();
    if !value.is_object() {
        let why = format!("expected an object with settings, got {}", json_type_name(&value));
        return (Value::Object(Default::default()), vec![SettingProblem::WrongValue { path: WHOLE_FILE.into(), why }]);
    }
    translate_foreign_keys(&mut value);
    drop_unknown(&mut value, &SCHEMA, "", &mut problems);
    let mut wrong = 0;
    // Each round removes at least one value, so this ends.
    while let Err(error) = serde_path_to_error::deserialize::<_, Settings>(&value) {
        wrong += 1;
        if wrong > MAX_WRONG_VALUES {
            let why = format!("more than {MAX_WRONG_VALUES} values are wrong, so no rule and no setting of it counts");
            return (
                Value::Object(Default::default()),
                vec![SettingProblem::WrongValue { path: WHOLE_FILE.into(), why }],
            );
        }
        let (path, pointer) = (error.path().to_string(), json_pointer(error.path()));
        let why = json_message(&error.into_inner().to_string());
        remove_at(&mut value, &pointer);
        problems.push(SettingProblem::WrongValue { path, why });
    }
    (value, problems)
}

/// Translates keys of other programs' settings that hosts pass on (HO-1): a model as a plain name, and the sandbox
/// switch, which must not be lost because of its other name.
fn translate_foreign_keys(value: &mut Value) {
    if let Some(model) = value.get_mut("model").filter(|model| model.is_string()) {
        *model = serde_json::json!({"main": model.take()});
    }
    let sandbox = value.get_mut("sandbox").and_then(Value::as_object_mut);
    if let Some(sandbox) = sandbox.filter(|sandbox| sandbox.get("enabled").is_some_and(Value::is_boolean))
        && let Some(enabled) = sandbox.shift_remove("enabled")
    {
        sandbox.entry("shell").or_insert(enabled);
    }
    if let Some(lsp) = value.get_mut("lsp") {
        translate_language_servers(lsp);
    }
}

/// Accepts what other programs write: `false` instead of a map, and a command as a list with its arguments.
fn translate_language_servers(lsp: &mut Value) {
    if lsp.is_boolean() {
        let servers = match lsp.as_bool() {
            Some(false) => serde_json::json!({ALL_SERVERS: {"disabled": true}}),
            _ => serde_json::json!({}),
        };
        *lsp = servers;
    }
    for server in lsp.as_object_mut().into_iter().flat_map(|servers| servers.values_mut()) {
        let Some(server) = server.as_object_mut() else { continue };
        let Some(Value::Array(words)) = server.get_mut("command") else { continue };
        let mut words = std::mem::take(words).into_iter();
        let (command, args) = (words.next().unwrap_or_default(), words.collect());
        server.insert("command".into(), command);
        server.entry("args").or_insert(Value::Array(args));
    }
}

/// The name in `known` that is most similar to `given`, if similar enough.
fn nearest_name<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given_low = given.to_lowercase();
    known
        .map(|name| (strsim::jaro_winkler(&given_low, &name.to_lowercase()), name))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

fn drop_unknown(value: &mut Value, schema: &Value, path: &str, problems: &mut Vec<SettingProblem>) {
    match value {
        Value::Object(object) => {
            let Some(schema) = object_schema(schema) else { return };
            let properties = schema.get("properties").and_then(Value::as_object);
            let others = schema.get("additionalProperties");
            let closed = others.and_then(Value::as_bool) == Some(false);
            object.retain(|key, inner| {
                let here = join_path(path, key);
                match (properties.and_then(|all| all.get(key)), others) {
                    // serde would accept a list as an object, field by field.
                    (Some(known), _) if inner.is_array() && object_schema(known).is_some() => {
                        let why = format!("invalid type: {}, expected an object", json_type_name(inner));
                        problems.push(SettingProblem::WrongValue { path: here, why });
                        return false;
                    }
                    (Some(known), _) => drop_unknown(inner, known, &here, problems),
                    (None, _) if closed => {
                        let names = properties.into_iter().flatten().map(|(name, _)| name.as_str());
                        let nearest = match problems.len() < MAX_NEAREST && key.len() <= MAX_NEAREST_BYTES {
                            true => nearest_name(key, names)
                                .map(|name| join_path(path, name))
                                .or_else(|| path_in_other_section(key)),
                            false => None,
                        };
                        problems.push(SettingProblem::UnknownKey { path: here, nearest });
                        return false;
                    }
                    (None, Some(rest)) => drop_unknown(inner, rest, &here, problems),
                    (None, None) => {}
                }
                true
            });
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (at, item) in items.iter_mut().enumerate() {
                drop_unknown(item, schema, &format!("{path}[{at}]"), problems);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The object form of a schema that may also allow null.
fn object_schema(schema: &Value) -> Option<&Value> {
    if schema.get("properties").is_some() || schema.get("additionalProperties").is_some() {
        return Some(schema);
    }
    schema.get("anyOf")?.as_array()?.iter().find_map(object_schema)
}

/// Finds a key in another section: `allow` at the top level probably means `permissions.allow`.
fn path_in_other_section(key: &str) -> Option<String> {
    let top = SCHEMA.get("properties")?.as_object()?;
    let hit = |section: &str, inner: &Value| -> Option<String> {
        object_schema(inner)?.get("properties")?.as_object()?.contains_key(key).then(|| join_path(section, key))
    };
    if top.contains_key(key) {
        return Some(key.into());
    }
    top.iter().find_map(|(section, inner)| hit(section, inner))
}

fn join_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

/// JSON pointer to the value that serde rejected.
fn json_pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Map { key } => format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Seq { index } => format!("{pointer}/{index}"),
        Segment::Enum { .. } | Segment::Unknown => pointer,
    })
}

/// Removes the value at the pointer; if there is none, the nearest parent; at the top, everything.
fn remove_at(value: &mut Value, mut pointer: &str) {
    while let Some((above, key)) = pointer.rsplit_once('/') {
        let removed = match value.pointer_mut(above) {
            Some(Value::Object(object)) => object.shift_remove(&key.replace("~1", "/").replace("~0", "~")).is_some(),
            Some(Value::Array(items)) => match key.parse::<usize>() {
                Ok(index) if index < items.len() => {
                    items.remove(index);
                    true
                }
                Ok(_) | Err(_) => false,
            },
            Some(_) | None => false,
        };
        if removed {
            return;
        }
        pointer = above;
    }
    *value = Value::Object(Default::default());
}

/// serde's message in the words of JSON, without the position, which refers to a text the user does not see.
fn json_message(error: &str) -> String {
    let text = error.split(" at line ").next().unwrap_or(error);
    let Some((found, expected)) = text.rsplit_once("expected ") else { return text.to_string() };
    let expected = match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("{found}expected {expected}")
}

fn json_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

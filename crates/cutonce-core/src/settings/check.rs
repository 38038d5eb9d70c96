//! Is this JSON a settings file (CL-4)? Unknown keys and wrong values are taken out one by one and named; the rest counts.

use super::{Settings, schema};
use serde_json::Value;
use std::sync::LazyLock;

/// What was taken out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// No setting has this name. `nearest` is one that has a similar name.
    UnknownKey { path: String, nearest: Option<String> },
    /// The value does not fit; `why` names what was expected and what came.
    WrongValue { path: String, why: String },
}

/// The path of a problem with all of it.
const WHOLE: &str = "the file";

impl Problem {
    /// Nothing of it counts, because it is no object.
    pub fn is_no_object(&self) -> bool {
        self.path() == WHOLE
    }
    pub fn path(&self) -> &str {
        match self {
            Problem::UnknownKey { path, .. } | Problem::WrongValue { path, .. } => path,
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::UnknownKey { path, nearest: None } => write!(f, "unknown setting `{path}`, ignored"),
            Problem::UnknownKey { path, nearest: Some(nearest) } => {
                write!(f, "unknown setting `{path}`, ignored; did you mean `{nearest}`?")
            }
            Problem::WrongValue { path, why } => write!(f, "`{path}`: {why}; ignored"),
        }
    }
}

static SCHEMA: LazyLock<Value> = LazyLock::new(schema);

/// Take out what does not fit. What is left always becomes [`Settings`].
pub fn check(mut value: Value) -> (Value, Vec<Problem>) {
    let mut problems = Vec::new();
    if !value.is_object() {
        let why = format!("expected an object with settings, got {}", shape(&value));
        return (Value::Object(Default::default()), vec![Problem::WrongValue { path: WHOLE.into(), why }]);
    }
    in_our_words(&mut value);
    drop_unknown(&mut value, &SCHEMA, "", &mut problems);
    // Each round takes out at least one value, so this ends.
    while let Err(error) = serde_path_to_error::deserialize::<_, Settings>(&value) {
        let (path, pointer) = (error.path().to_string(), pointer(error.path()));
        let why = reason(&error.into_inner().to_string());
        take_out(&mut value, &pointer);
        problems.push(Problem::WrongValue { path, why });
    }
    (value, problems)
}

/// What other programs' settings say in another form and hosts hand to us (HO-1): a model by its name alone, and the sandbox
/// that must not be lost because its switch has another name.
fn in_our_words(value: &mut Value) {
    if let Some(model) = value.get_mut("model").filter(|model| model.is_string()) {
        *model = serde_json::json!({"main": model.take()});
    }
    let sandbox = value.get_mut("sandbox").and_then(Value::as_object_mut);
    if let Some(sandbox) = sandbox.filter(|sandbox| sandbox.get("enabled").is_some_and(Value::is_boolean))
        && let Some(enabled) = sandbox.shift_remove("enabled")
    {
        sandbox.entry("shell").or_insert(enabled);
    }
}

/// Nearest of `known` to `given`, if it is near enough to be meant.
fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given_low = given.to_lowercase();
    known
        .map(|name| (strsim::jaro_winkler(&given_low, &name.to_lowercase()), name))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

fn drop_unknown(value: &mut Value, schema: &Value, path: &str, problems: &mut Vec<Problem>) {
    match value {
        Value::Object(object) => {
            let Some(schema) = object_schema(schema) else { return };
            let properties = schema.get("properties").and_then(Value::as_object);
            let others = schema.get("additionalProperties");
            let closed = others.and_then(Value::as_bool) == Some(false);
            object.retain(|key, inner| {
                let here = join(path, key);
                match (properties.and_then(|all| all.get(key)), others) {
                    // serde would take a list for an object, field by field.
                    (Some(known), _) if inner.is_array() && object_schema(known).is_some() => {
                        let why = format!("invalid type: {}, expected an object", shape(inner));
                        problems.push(Problem::WrongValue { path: here, why });
                        return false;
                    }
                    (Some(known), _) => drop_unknown(inner, known, &here, problems),
                    (None, _) if closed => {
                        let names = properties.into_iter().flatten().map(|(name, _)| name.as_str());
                        let nearest = nearest(key, names).map(|name| join(path, name)).or_else(|| elsewhere(key));
                        problems.push(Problem::UnknownKey { path: here, nearest });
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

/// A key that exists, but in another place: `allow` at the top is meant to be `permissions.allow`.
fn elsewhere(key: &str) -> Option<String> {
    let top = SCHEMA.get("properties")?.as_object()?;
    let hit = |section: &str, inner: &Value| -> Option<String> {
        object_schema(inner)?.get("properties")?.as_object()?.contains_key(key).then(|| join(section, key))
    };
    if top.contains_key(key) {
        return Some(key.into());
    }
    top.iter().find_map(|(section, inner)| hit(section, inner))
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

/// A JSON pointer to what serde found wrong.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Map { key } => format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Seq { index } => format!("{pointer}/{index}"),
        Segment::Enum { .. } | Segment::Unknown => pointer,
    })
}

/// Remove what the pointer leads to; where it leads nowhere, what is nearest above it; at the top, everything.
fn take_out(value: &mut Value, mut pointer: &str) {
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

/// serde's words, without its position in a text that nobody sees.
fn reason(error: &str) -> String {
    error.split(" at line ").next().unwrap_or(error).to_string()
}

fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

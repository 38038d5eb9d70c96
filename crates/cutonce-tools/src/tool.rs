//! What a tool is (TL-1): name, description, input type (its schema derives from it), what it touches, run.

use async_trait::async_trait;
use cutonce_core::conversation::ResultPart;
use cutonce_core::permission::{Access, Rights, WriteGrant};
use cutonce_core::request::ToolSpec;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A tool as its author writes it.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// Strict: unknown fields are refused by name (`#[serde(deny_unknown_fields)]`).
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;

    fn name(&self) -> &'static str;
    /// For the model; the text of the tool's `.md` file.
    fn description(&self) -> &str;
    /// Changes nothing, whatever the outcome?
    fn read_only(&self, input: &Self::Input) -> bool;
    /// May run beside other calls of the same batch (AG-3)?
    fn parallel(&self, input: &Self::Input) -> bool {
        self.read_only(input)
    }
    /// What it will touch, paths resolved, or what is wrong with the input (AG-6: field, expected, got).
    fn touches(&self, input: &Self::Input, here: &Here) -> Result<Access, String>;
    /// One line for people: `src/lib.rs`, the command, the pattern.
    fn summary(&self, input: &Self::Input) -> String;
    /// What would change, for the permission dialog: a diff, the whole command.
    fn preview(&self, _input: &Self::Input, _here: &Here) -> Option<String> {
        None
    }
    /// Why it would fail whatever is decided; asked before a person is asked. It may tell no more than the
    /// model has been shown already.
    fn fails(&self, _input: &Self::Input, _here: &Here) -> Option<String> {
        None
    }
    async fn run(&self, input: Self::Input, rights: Rights, here: &Here, call: &CallContext) -> Outcome;
}

/// What a call gave: for the model, and for whoever draws it.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub content: Vec<ResultPart>,
    pub is_error: bool,
    /// For faces and hosts only.
    pub display: Option<Value>,
}

impl Outcome {
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ResultPart::Text { text: text.into() }], is_error: false, display: None }
    }
    /// What failed, why, and what to do instead.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }
    pub fn with_display(self, display: Value) -> Self {
        Self { display: Some(display), ..self }
    }
}

/// The session's world as tools see it.
pub struct Here {
    pub workspace: crate::workspace::Workspace,
    pub disk: crate::disk::Disk,
    pub shells: crate::shells::Shells,
    pub web: crate::web::Web,
    pub todos: std::sync::Mutex<Vec<cutonce_core::event::Todo>>,
}

/// What belongs to one running call.
pub struct CallContext {
    pub call_id: String,
    /// Cancelled by an interrupt: stop at once, leave nothing behind (AG-4).
    pub cancel: CancellationToken,
    /// Output for the eye while it runs.
    pub output: Arc<dyn Fn(&str) + Send + Sync>,
    /// What the person answered, for a call whose access is `Question`.
    pub answer: Option<cutonce_core::submission::QuestionsAnswer>,
}

/// A tool with its input type erased: what the session holds.
pub trait AnyTool: Send + Sync {
    fn spec(&self) -> ToolSpec;
    fn name(&self) -> &str;
    /// Parse the input; the error is the call's result (AG-6). Nothing is touched yet.
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn Call>, String>;
}

/// A call whose input parsed.
#[async_trait]
pub trait Call: Send + Sync {
    fn read_only(&self) -> bool;
    fn parallel(&self) -> bool;
    fn summary(&self) -> String;
    /// What it would touch, resolved now: asked right before the decision.
    fn touches(&self, here: &Here) -> Result<Access, String>;
    fn preview(&self, _here: &Here) -> Option<String> {
        None
    }
    /// Why it would fail whatever is decided: then nobody needs to be asked.
    fn fails(&self, _here: &Here) -> Option<String> {
        None
    }
    async fn run(self: Box<Self>, rights: Rights, here: &Here, call: &CallContext) -> Outcome;
}

struct Parsed<T: Tool> {
    tool: Arc<T>,
    input: T::Input,
}

#[async_trait]
impl<T: Tool> Call for Parsed<T> {
    fn read_only(&self) -> bool {
        self.tool.read_only(&self.input)
    }
    fn parallel(&self) -> bool {
        self.tool.parallel(&self.input)
    }
    fn summary(&self) -> String {
        self.tool.summary(&self.input)
    }
    fn touches(&self, here: &Here) -> Result<Access, String> {
        self.tool.touches(&self.input, here)
    }
    fn preview(&self, here: &Here) -> Option<String> {
        self.tool.preview(&self.input, here)
    }
    fn fails(&self, here: &Here) -> Option<String> {
        self.tool.fails(&self.input, here)
    }
    async fn run(self: Box<Self>, rights: Rights, here: &Here, call: &CallContext) -> Outcome {
        self.tool.run(self.input, rights, here, call).await
    }
}

impl<T: Tool> AnyTool for T {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Tool::name(self).into(),
            description: self.description().trim().into(),
            schema: schema_of::<T::Input>(),
        }
    }
    fn name(&self) -> &str {
        Tool::name(self)
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn Call>, String> {
        let input: T::Input = parse_input(input)?;
        Ok(Box::new(Parsed { tool: self, input }))
    }
}

/// Field, what was expected, what came (AG-6).
fn parse_input<I: DeserializeOwned>(input: Value) -> Result<I, String> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let path = error.path().to_string();
        let at = if path == "." { "the input".to_string() } else { format!("`{path}`") };
        format!("Invalid input: {at}: {}", error.into_inner())
    })
}

/// Runs reading work off the async threads. An interrupt answers at once; the work sees the token and stops (AG-4).
pub(crate) async fn blocking(
    call: &CallContext,
    work: impl FnOnce(&CancellationToken) -> Outcome + Send + 'static,
) -> Outcome {
    let cancel = call.cancel.clone();
    let task = tokio::task::spawn_blocking(move || work(&cancel));
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => interrupted(),
        done = task => done.unwrap_or_else(|error| Outcome::error(format!("The tool failed inside: {error}"))),
    }
}

/// Runs a change off the async threads. Once begun it is awaited to its end, so that what is recorded is what was done.
pub(crate) async fn blocking_change(
    call: &CallContext,
    work: impl FnOnce(&CancellationToken) -> Outcome + Send + 'static,
) -> Outcome {
    if call.cancel.is_cancelled() {
        return interrupted();
    }
    let cancel = call.cancel.clone();
    let done = tokio::task::spawn_blocking(move || work(&cancel)).await;
    done.unwrap_or_else(|error| Outcome::error(format!("The tool failed inside: {error}")))
}

pub(crate) fn interrupted() -> Outcome {
    Outcome::error("Interrupted before it was done.")
}

/// The grant of a call that writes. Another kind of rights is a fault of the session: nothing is written (PR-6).
pub(crate) fn write_grant(rights: Rights) -> Result<WriteGrant, Outcome> {
    match rights {
        Rights::Write(grant) => Ok(grant),
        Rights::Plain | Rights::Shell(_) => {
            Err(Outcome::error("This call was not given the right to write a file; nothing was changed."))
        }
    }
}

/// The schema as models need it: subschemas inlined, and nothing that says no more than the type does, because
/// every request carries it.
fn schema_of<I: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<I>().to_value();
    compact(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        // The type's own doc comment is for us; the tool's description is for the model.
        object.remove("description");
    }
    schema
}

/// Drops titles, formats and bounds that follow from the Rust type; an optional field is one that is not
/// required, so `null` goes from its types.
fn compact(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for key in ["title", "$schema", "format"] {
        object.remove(key);
    }
    object.retain(|key, value| match key.as_str() {
        "minimum" => value.as_f64() != Some(0.0),
        "default" => !(value.is_null() || value == &Value::Bool(false)),
        _ => true,
    });
    without_null(object);
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => named.values_mut().for_each(compact),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => list.iter_mut().for_each(compact),
            ("items" | "additionalProperties", inner) => compact(inner),
            _ => {}
        }
    }
}

fn without_null(object: &mut serde_json::Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(options)) = object.get_mut("anyOf") else { return };
    options.retain(|option| option.get("type").and_then(Value::as_str) != Some("null"));
    if let [Value::Object(only)] = options.as_mut_slice() {
        let only = std::mem::take(only);
        object.remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        One,
        Two,
    }

    /// Not for the model.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Input {
        /// A path.
        path: String,
        limit: Option<u64>,
        /// Which.
        kind: Option<Kind>,
        #[serde(default)]
        format: bool,
        #[serde(default)]
        many: Vec<Option<u8>>,
    }

    #[test]
    fn tl_1_schemas_derive_and_stay_small() {
        let expected = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "A path."},
                "limit": {"type": "integer"},
                "kind": {"type": "string", "enum": ["one", "two"], "description": "Which."},
                "format": {"type": "boolean"},
                "many": {"type": "array", "items": {"type": "integer", "maximum": 255}, "default": []},
            },
            "additionalProperties": false,
            "required": ["path"],
        });
        assert_eq!(schema_of::<Input>(), expected);
    }

    #[test]
    fn ag_6_bad_input_names_the_field_what_was_expected_and_what_came() {
        let cases = [
            (json!({"path": 7}), "Invalid input: `path`: invalid type: integer `7`, expected a string"),
            (json!({"path": "a", "limit": -1}), "Invalid input: `limit`: invalid value: integer `-1`, expected u64"),
            (json!({}), "Invalid input: the input: missing field `path`"),
            (json!({"path": "a", "kind": "three"}), "Invalid input: `kind`: unknown variant `three`"),
            (json!({"path": "a", "nope": 1}), "Invalid input: `nope`: unknown field `nope`, expected one of"),
            (json!("text"), "Invalid input: the input: invalid type: string \"text\", expected struct Input"),
        ];
        for (input, expected) in cases {
            let error = parse_input::<Input>(input).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}

//! The tool trait (TL-1): name, description, input type (which defines the schema), access, run.

use crate::env::{CallContext, ToolEnv};
use async_trait::async_trait;
use cutonce_core::conversation::ResultPart;
use cutonce_core::model_request::ToolSpec;
use cutonce_core::permission::{Access, CallRights, WriteGrant};
use cutonce_core::protocol::usage_totals::UsageTotals;
use cutonce_core::text::sanitize::without_os_codes;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A tool as its author implements it.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// Strict: unknown fields are rejected by name (`#[serde(deny_unknown_fields)]`).
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;

    fn name(&self) -> &'static str;
    /// Description for the model: the text of the tool's `.md` file.
    fn description(&self) -> &str;
    /// True if the call never changes anything.
    fn read_only(&self, input: &Self::Input) -> bool;
    /// True if the call may run in parallel with others of the same batch (AG-3).
    fn parallel(&self, input: &Self::Input) -> bool {
        self.read_only(input)
    }
    /// Returns what the call will access, with resolved paths. The error names field, expected and got (AG-6).
    fn access(&self, input: &Self::Input, here: &ToolEnv) -> Result<Access, ToolError>;
    /// One line for the user: `src/lib.rs`, the command, the pattern.
    fn summary(&self, input: &Self::Input) -> String;
    /// Shows what would change, for the permission dialog: a diff, the whole command.
    fn preview(&self, _input: &Self::Input, _here: &ToolEnv) -> Option<String> {
        None
    }
    /// Explains why the call would fail whatever is decided; checked before the user is asked. Must not reveal more
    /// than the model has seen already.
    fn precheck(&self, _input: &Self::Input, _here: &ToolEnv) -> Option<String> {
        None
    }
    async fn run(&self, input: Self::Input, rights: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome;
}

/// Explains to the model why a call was refused or failed: what, why, and what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(String);

impl ToolError {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&str> for ToolError {
    fn from(text: &str) -> Self {
        Self(without_os_codes(text).into_owned())
    }
}

impl From<ToolError> for String {
    fn from(error: ToolError) -> Self {
        error.0
    }
}

/// The result of a call, for the model and for front ends.
#[derive(Debug, Clone)]
pub struct ToolOutcome {
    pub content: Vec<ResultPart>,
    pub is_error: bool,
    /// Extra data for front ends and hosts only.
    pub display: Option<Value>,
    /// What models were asked for this outcome (DU-3).
    pub used: Option<Box<UsageTotals>>,
}

impl ToolOutcome {
    pub fn of(content: Vec<ResultPart>) -> Self {
        Self { content, is_error: false, display: None, used: None }
    }
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(vec![ResultPart::Text { text: text.into() }])
    }
    /// An error text: what failed, why, and what to do instead.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }
    pub fn with_display(self, display: Value) -> Self {
        Self { display: Some(display), ..self }
    }
    /// Adds the problems that an edit caused, for the model and for front ends (DU-11).
    pub fn add_diagnostics(&mut self, found: &str) {
        match self.content.last_mut() {
            Some(ResultPart::Text { text }) => text.extend(["\n\n", found]),
            Some(ResultPart::Image(_)) | None => self.content.push(ResultPart::Text { text: found.into() }),
        }
        if let Some(display) = self.display.as_mut().and_then(Value::as_object_mut) {
            display.insert("diagnostics".into(), found.into());
        }
    }
}

/// A tool with its input type erased, as the session stores it.
pub trait AnyTool: Send + Sync {
    fn spec(&self) -> ToolSpec;
    fn name(&self) -> &str;
    /// Parses the input; an error is the call's result (AG-6). Accesses nothing yet.
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn ToolCall>, ToolError>;
}

/// A call with parsed input.
#[async_trait]
pub trait ToolCall: Send + Sync {
    fn read_only(&self) -> bool;
    fn parallel(&self) -> bool;
    fn summary(&self) -> String;
    /// Returns what the call would access, resolved now: called right before the decision.
    fn access(&self, here: &ToolEnv) -> Result<Access, ToolError>;
    fn preview(&self, _here: &ToolEnv) -> Option<String> {
        None
    }
    /// Explains why the call would fail whatever is decided: then the user need not be asked.
    fn precheck(&self, _here: &ToolEnv) -> Option<String> {
        None
    }
    async fn run(self: Box<Self>, rights: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome;
}

struct ParsedCall<T: Tool> {
    tool: Arc<T>,
    input: T::Input,
}

#[async_trait]
impl<T: Tool> ToolCall for ParsedCall<T> {
    fn read_only(&self) -> bool {
        self.tool.read_only(&self.input)
    }
    fn parallel(&self) -> bool {
        self.tool.parallel(&self.input)
    }
    fn summary(&self) -> String {
        self.tool.summary(&self.input)
    }
    fn access(&self, here: &ToolEnv) -> Result<Access, ToolError> {
        self.tool.access(&self.input, here)
    }
    fn preview(&self, here: &ToolEnv) -> Option<String> {
        self.tool.preview(&self.input, here)
    }
    fn precheck(&self, here: &ToolEnv) -> Option<String> {
        self.tool.precheck(&self.input, here)
    }
    async fn run(self: Box<Self>, rights: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        self.tool.run(self.input, rights, here, call).await
    }
}

impl<T: Tool> AnyTool for T {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: Tool::name(self).into(),
            description: self.description().trim().into(),
            schema: tool_schema::<T::Input>(),
        }
    }
    fn name(&self) -> &str {
        Tool::name(self)
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn ToolCall>, ToolError> {
        let input: T::Input = parse_input(input)?;
        Ok(Box::new(ParsedCall { tool: self, input }))
    }
}

/// Parses the input; the error names the field, the expected and the actual value (AG-6).
fn parse_input<I: DeserializeOwned>(input: Value) -> Result<I, ToolError> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let path = error.path().to_string();
        let at = if path == "." { "the input".to_string() } else { format!("`{path}`") };
        format!("Invalid input: {at}: {}", error.into_inner()).into()
    })
}

/// Runs read-only work off the async threads. An interrupt returns immediately; the token stops the work (AG-4).
pub(crate) async fn run_blocking(
    call: &CallContext,
    work: impl FnOnce(&CancellationToken) -> ToolOutcome + Send + 'static,
) -> ToolOutcome {
    let cancel = call.cancel.clone();
    let task = tokio::task::spawn_blocking(move || work(&cancel));
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => interrupted_outcome(),
        done = task => done.unwrap_or_else(|error| ToolOutcome::error(format!("The tool failed: {error}"))),
    }
}

/// Runs a change off the async threads. Once begun it is awaited to its end, so that the record matches the disk.
pub(crate) async fn run_blocking_change(
    call: &CallContext,
    work: impl FnOnce(&CancellationToken) -> ToolOutcome + Send + 'static,
) -> ToolOutcome {
    if call.cancel.is_cancelled() {
        return interrupted_outcome();
    }
    let cancel = call.cancel.clone();
    let done = tokio::task::spawn_blocking(move || work(&cancel)).await;
    done.unwrap_or_else(|error| ToolOutcome::error(format!("The tool failed: {error}")))
}

pub(crate) fn interrupted_outcome() -> ToolOutcome {
    ToolOutcome::error("Interrupted before it was done.")
}

/// Extracts the grant of a writing call. Other rights are a bug in the session: nothing is written (PR-6).
pub(crate) fn write_grant(rights: CallRights) -> Result<WriteGrant, ToolOutcome> {
    match rights {
        CallRights::Write(grant) => Ok(grant),
        CallRights::Plain | CallRights::Shell(_) => {
            Err(ToolOutcome::error("This call has no permission to write a file; nothing was changed."))
        }
    }
}

/// Builds the schema for models: subschemas inlined, without anything that the type already says, because every
/// request carries it.
fn tool_schema<I: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<I>().to_value();
    compact_schema(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        // The type's own doc comment is for developers; the tool's description is for the model.
        object.remove("description");
        // OpenAI refuses an object without it.
        object.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    schema
}

/// Drops titles, formats and bounds that follow from the Rust type. Optional fields are not required, so `null` is
/// removed from their types.
fn compact_schema(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for key in ["title", "$schema", "format"] {
        object.remove(key);
    }
    object.retain(|key, value| match key.as_str() {
        "minimum" => value.as_f64() != Some(0.0),
        "default" => !(value.is_null() || value == &Value::Bool(false)),
        _ => true,
    });
    remove_null(object);
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => named.values_mut().for_each(compact_schema),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(compact_schema)
            }
            ("items" | "additionalProperties", inner) => compact_schema(inner),
            _ => {}
        }
    }
}

fn remove_null(object: &mut serde_json::Map<String, Value>) {
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
        assert_eq!(tool_schema::<Input>(), expected);
    }

    #[test]
    fn ag_6_bad_input_names_field_expected_and_got() {
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
            assert!(error.as_str().starts_with(expected), "{error}");
        }
    }
}

//! What a tool is (TL-1): name, description, input type (its schema derives from it), what it touches, run.

use async_trait::async_trait;
use cutonce_core::conversation::ResultPart;
use cutonce_core::permission::{Access, Rights};
use cutonce_core::request::ToolSpec;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

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
    pub cancel: tokio_util::sync::CancellationToken,
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
    fn preview(&self, here: &Here) -> Option<String>;
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

/// The schema as models need it: no `$schema`, no titles, subschemas inlined.
fn schema_of<I: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<I>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("$schema");
    }
    schema
}

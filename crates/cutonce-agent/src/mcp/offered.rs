//! A server's tools as the session holds them: names and texts made harmless and bounded, what plan mode may believe of
//! them (PM-65), and a call that always ends.

use super::names;
use super::outcome;
use super::remote::{Remote, RemoteError};
use super::status::{Hints, ToolStatus};
use cutonce_core::harmless::harmless;
use cutonce_core::permission::{Access, Rights};
use cutonce_core::request::ToolSpec;
use cutonce_core::rule::names_tool;
use cutonce_core::settings::plan::PlanMcp;
use cutonce_tools::tool::{AnyTool, Call, CallContext, Here, Outcome};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Every request carries them.
const MOST_TOOLS: usize = 128;
const LONGEST_DESCRIPTION: usize = 2_048;
const LONGEST_SCHEMA: usize = 16_384;
const DEEPEST_SCHEMA: usize = 24;
/// How long a server that was told to stop may take to say so.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// What the user says about MCP tools.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    /// `plan.mcp`
    pub plan: PlanMcp,
    /// Tools that only read, by the user's word, and such whose hint does not count; the second wins.
    pub readers: Vec<String>,
    pub writers: Vec<String>,
    /// A call ends after this long.
    pub(crate) call_timeout: Duration,
    /// A server that has not answered by then has failed.
    pub(crate) connect_timeout: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        let settings = cutonce_core::settings::Settings::default();
        Policy::of(&settings)
    }
}

impl Policy {
    pub fn of(settings: &cutonce_core::settings::Settings) -> Policy {
        Policy {
            plan: settings.plan.mcp,
            readers: settings.plan.mcp_readers.clone(),
            writers: settings.plan.mcp_writers.clone(),
            call_timeout: Duration::from_millis(settings.mcp.call_timeout_ms),
            connect_timeout: Duration::from_millis(settings.mcp.connect_timeout_ms),
        }
    }

    /// Who says that it reads: the user, else the server.
    fn reads(&self, tool: &str, hints: Hints) -> Reads {
        let listed = |list: &[String]| list.iter().any(|pattern| names_tool(pattern, tool));
        match (listed(&self.writers), listed(&self.readers)) {
            (true, _) => Reads::User(false),
            (false, true) => Reads::User(true),
            (false, false) => Reads::Server(hints.read_only),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    User(bool),
    Server(bool),
}

/// A tool of a server.
pub(crate) struct McpTool {
    name: String,
    /// As the server named it: what is sent back to it.
    given: String,
    server: String,
    description: String,
    schema: Value,
    hints: Hints,
    reads: Reads,
    policy: Arc<Policy>,
    remote: Arc<dyn Remote>,
}

/// The tools of a server that is called so (see [`names::server`]), from the elements of its `tools`; and what was left out,
/// and why.
pub(crate) fn tools_of(
    server: &str,
    listed: &[Value],
    remote: &Arc<dyn Remote>,
    policy: &Arc<Policy>,
) -> (Vec<Arc<McpTool>>, Vec<String>) {
    let (mut tools, mut notes) = (Vec::<Arc<McpTool>>::new(), Vec::new());
    for tool in listed {
        match one(server, tool, remote, policy) {
            Ok(tool) if tools.iter().any(|known| known.name == tool.name) => {
                notes.push(format!("a second tool called {} was left out", tool.name));
            }
            Ok(_) if tools.len() == MOST_TOOLS => {
                notes.push(format!("only the first {MOST_TOOLS} of its {} tools are used", listed.len()));
                break;
            }
            Ok(tool) => tools.push(Arc::new(tool)),
            Err(why) => notes.push(why),
        }
    }
    notes.truncate(20);
    (tools, notes)
}

fn one(server: &str, tool: &Value, remote: &Arc<dyn Remote>, policy: &Arc<Policy>) -> Result<McpTool, String> {
    let given = tool["name"].as_str().unwrap_or_default();
    let name = names::tool(server, given).ok_or("a tool without a name was left out")?;
    let left_out = |why: &str| format!("the tool {name} was left out: {why}");
    if tool["execution"]["taskSupport"] == "required" {
        return Err(left_out("it runs only as a task, which is not offered here"));
    }
    let schema = schema(&tool["inputSchema"]).map_err(|why| left_out(&why))?;
    let hints = Hints::of(tool);
    Ok(McpTool {
        given: given.to_string(),
        server: server.to_string(),
        description: description(tool),
        schema,
        hints,
        reads: policy.reads(&name, hints),
        policy: policy.clone(),
        remote: remote.clone(),
        name,
    })
}

fn description(tool: &Value) -> String {
    let text = |key: &str| tool[key].as_str().map(str::trim).filter(|text| !text.is_empty());
    bounded(text("description").or(text("title")).unwrap_or("A tool of an MCP server."), LONGEST_DESCRIPTION)
}

/// Text of a server, made harmless and no longer than this many bytes.
pub(super) fn bounded(text: &str, most: usize) -> String {
    let text = harmless(text);
    if text.len() <= most {
        return text.into_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(most)])
}

/// A schema that providers take: one that they refuse would make every request fail.
fn schema(given: &Value) -> Result<Value, String> {
    let mut schema = match given {
        Value::Object(object) => object.clone(),
        Value::Null => Map::new(),
        _ => return Err("its input schema is no object".into()),
    };
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return Err("its input is no object".into());
    }
    for key in ["$schema", "oneOf", "anyOf", "allOf"] {
        schema.shift_remove(key);
    }
    schema.insert("type".into(), json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    let mut schema = Value::Object(schema);
    clean(&mut schema, 0)?;
    match schema.to_string().len() {
        0..=LONGEST_SCHEMA => Ok(schema),
        long => Err(format!("its input schema has {long} bytes, more than {LONGEST_SCHEMA}")),
    }
}

fn clean(value: &mut Value, depth: usize) -> Result<(), String> {
    if depth > DEEPEST_SCHEMA {
        return Err(format!("its input schema is nested more than {DEEPEST_SCHEMA} deep"));
    }
    match value {
        Value::String(text) => *text = harmless(text).into_owned(),
        Value::Array(items) => items.iter_mut().try_for_each(|item| clean(item, depth + 1))?,
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties")
                && let Some(odd) = properties.keys().find(|key| !is_plain_key(key))
            {
                return Err(format!("models don't take a field called {:?}", bounded(odd, 80)));
            }
            object.values_mut().try_for_each(|inner| clean(inner, depth + 1))?;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}

fn is_plain_key(key: &str) -> bool {
    (1..=64).contains(&key.len()) && key.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}

impl McpTool {
    /// In plan mode it counts as one that only reads (PM-65).
    pub fn reads(&self) -> bool {
        match self.reads {
            Reads::User(reads) | Reads::Server(reads) => reads,
        }
    }
    /// Plan mode would deny it whatever its input is (PM-66).
    pub(crate) fn denied_in_plan(&self) -> bool {
        match self.policy.plan {
            PlanMcp::ReadOnlyHint => !self.reads(),
            PlanMcp::Ask => false,
            PlanMcp::Deny => true,
        }
    }
    pub fn status(&self) -> ToolStatus {
        ToolStatus {
            name: self.name.clone(),
            given: bounded(&self.given, 200),
            description: self.description.clone(),
            hints: self.hints,
            reads: self.reads(),
        }
    }
}

impl AnyTool for McpTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.name.clone(), description: self.description.clone(), schema: self.schema.clone() }
    }
    fn name(&self) -> &str {
        &self.name
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn Call>, String> {
        match input {
            Value::Object(_) => Ok(Box::new(McpCall { tool: self, input })),
            Value::Null => Ok(Box::new(McpCall { tool: self, input: json!({}) })),
            other => Err(format!("Invalid input: the input: expected an object, got {other}")),
        }
    }
}

struct McpCall {
    tool: Arc<McpTool>,
    input: Value,
}

#[async_trait::async_trait]
impl Call for McpCall {
    /// Nobody but the server knows, so what led here is on disk before it runs (SE-1).
    fn read_only(&self) -> bool {
        false
    }
    /// The hint is no reason to run it beside others; the user's word is.
    fn parallel(&self) -> bool {
        self.tool.reads == Reads::User(true)
    }
    fn summary(&self) -> String {
        bounded(&self.input.to_string(), 200)
    }
    fn touches(&self, _here: &Here) -> Result<Access, String> {
        Ok(Access::Mcp { read_only: self.tool.reads(), plan: self.tool.policy.plan })
    }
    fn preview(&self, _here: &Here) -> Option<String> {
        let input = serde_json::to_string_pretty(&self.input).unwrap_or_default();
        let (tool, server) = (bounded(&self.tool.given, 200), &self.tool.server);
        Some(format!("{tool} of the MCP server {server}, with\n{}", bounded(&input, 20_000)))
    }
    async fn run(self: Box<Self>, _rights: Rights, here: &Here, call: &CallContext) -> Outcome {
        let McpCall { tool, input } = *self;
        match tool.answer(input, &call.cancel).await {
            Ok(result) => outcome::of(&result, &here.workspace.own, &tool.name, here.shells.redact()),
            Err(error) => Outcome::error(format!(
                "The MCP server {} could not do this: {}.",
                tool.server,
                bounded(&error.to_string(), 4_096)
            )),
        }
    }
}

impl McpTool {
    /// Ends when the server answers, when the time is up, or when somebody interrupts (AG-4).
    async fn answer(&self, input: Value, cancel: &CancellationToken) -> Result<Value, RemoteError> {
        let stop = cancel.child_token();
        let mut calling = self.remote.call(&self.given, input, &stop);
        let error = tokio::select! {
            biased;
            answer = &mut calling => return answer,
            () = cancel.cancelled() => RemoteError::Stopped,
            () = tokio::time::sleep(self.policy.call_timeout) => RemoteError::TimedOut(self.policy.call_timeout),
        };
        stop.cancel();
        let _ = tokio::time::timeout(STOP_GRACE, calling).await;
        Err(error)
    }
}

#[cfg(test)]
mod tests;

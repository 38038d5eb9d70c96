//! A server's tools as offered to the model: sanitized and limited texts, trust in plan mode (PM-65), and calls that
//! always end.

mod mode_policy;

use super::call_result;
use super::names;
use super::remote::{RemoteError, RemoteServer};
use super::status::{ToolHints, ToolStatus};
use cutonce_core::model_request::ToolSpec;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::text::sanitize::sanitize;
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{AnyTool, ToolCall, ToolError, ToolOutcome};
pub(crate) use mode_policy::McpPolicy;
use mode_policy::ReadOnlySource;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Every request contains all tools, so their number and size are limited.
const MAX_TOOLS: usize = 128;
const MAX_DESCRIPTION: usize = 2_048;
const MAX_SCHEMA: usize = 16_384;
const MAX_SCHEMA_DEPTH: usize = 24;
/// How long a server may take to confirm a cancellation.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// A tool of a server.
pub(crate) struct McpTool {
    name: String,
    /// The server's own name for the tool, used in requests.
    server_name: String,
    server: String,
    description: String,
    schema: Value,
    hints: ToolHints,
    read_only: ReadOnlySource,
    policy: Arc<McpPolicy>,
    remote: Arc<dyn RemoteServer>,
}

/// Builds the tools of a server from its `tools` list; `server` is a name from [`names::server`]. Also returns what
/// was left out and why.
pub(crate) fn tools_of(
    server: &str,
    listed: &[Value],
    remote: &Arc<dyn RemoteServer>,
    policy: &Arc<McpPolicy>,
) -> (Vec<Arc<McpTool>>, Vec<String>) {
    let (mut tools, mut notes) = (Vec::<Arc<McpTool>>::new(), Vec::new());
    for tool in listed {
        match build_tool(server, tool, remote, policy) {
            Ok(tool) if tools.iter().any(|known| known.name == tool.name) => {
                notes.push(format!("a second tool named {} was left out", tool.name));
            }
            Ok(_) if tools.len() == MAX_TOOLS => {
                notes.push(format!("only the first {MAX_TOOLS} of its {} tools are used", listed.len()));
                break;
            }
            Ok(tool) => tools.push(Arc::new(tool)),
            Err(why) => notes.push(why),
        }
    }
    notes.truncate(20);
    (tools, notes)
}

fn build_tool(
    server: &str,
    tool: &Value,
    remote: &Arc<dyn RemoteServer>,
    policy: &Arc<McpPolicy>,
) -> Result<McpTool, String> {
    let given = tool["name"].as_str().unwrap_or_default();
    let name = names::tool_name(server, given).ok_or("a tool without a name was left out")?;
    let left_out = |why: &str| format!("the tool {name} was left out: {why}");
    if tool["execution"]["taskSupport"] == "required" {
        return Err(left_out("it only runs as a task, which is not supported"));
    }
    let schema = clean_schema(&tool["inputSchema"]).map_err(|why| left_out(&why))?;
    let hints = ToolHints::from_tool(tool);
    Ok(McpTool {
        server_name: given.to_string(),
        server: server.to_string(),
        description: tool_description(tool),
        schema,
        hints,
        read_only: policy.read_only_source(&name, hints),
        policy: policy.clone(),
        remote: remote.clone(),
        name,
    })
}

fn tool_description(tool: &Value) -> String {
    let text = |key: &str| tool[key].as_str().map(str::trim).filter(|text| !text.is_empty());
    sanitize_and_truncate(text("description").or(text("title")).unwrap_or("A tool of an MCP server."), MAX_DESCRIPTION)
}

/// Sanitizes a server's text and truncates it to this many bytes.
pub(super) fn sanitize_and_truncate(text: &str, most: usize) -> String {
    let text = sanitize(text);
    if text.len() <= most {
        return text.into_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(most)])
}

/// Cleans the schema for providers: one they reject would make every request fail.
fn clean_schema(given: &Value) -> Result<Value, String> {
    let mut schema = match given {
        Value::Object(object) => object.clone(),
        Value::Null => Map::new(),
        _ => return Err("its input schema is not an object".into()),
    };
    if schema.get("type").is_some_and(|kind| kind != "object") {
        return Err("its input is not an object".into());
    }
    for key in ["$schema", "oneOf", "anyOf", "allOf"] {
        schema.shift_remove(key);
    }
    schema.insert("type".into(), json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    let mut schema = Value::Object(schema);
    clean_value(&mut schema, 0)?;
    match schema.to_string().len() {
        0..=MAX_SCHEMA => Ok(schema),
        long => Err(format!("its input schema has {long} bytes, more than {MAX_SCHEMA}")),
    }
}

fn clean_value(value: &mut Value, depth: usize) -> Result<(), String> {
    if depth > MAX_SCHEMA_DEPTH {
        return Err(format!("its input schema is nested more than {MAX_SCHEMA_DEPTH} deep"));
    }
    match value {
        Value::String(text) => *text = sanitize(text).into_owned(),
        Value::Array(items) => items.iter_mut().try_for_each(|item| clean_value(item, depth + 1))?,
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties")
                && let Some(odd) = properties.keys().find(|key| !is_plain_key(key))
            {
                return Err(format!("models don't accept a field named {:?}", sanitize_and_truncate(odd, 80)));
            }
            object.values_mut().try_for_each(|inner| clean_value(inner, depth + 1))?;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}

fn is_plain_key(key: &str) -> bool {
    (1..=64).contains(&key.len()) && key.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}

impl McpTool {
    pub fn status(&self) -> ToolStatus {
        ToolStatus {
            name: self.name.clone(),
            server_name: sanitize_and_truncate(&self.server_name, 200),
            description: self.description.clone(),
            hints: self.hints,
            read_only: self.is_read_only(),
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
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn ToolCall>, ToolError> {
        match input {
            Value::Object(_) => Ok(Box::new(McpCall { tool: self, input })),
            Value::Null => Ok(Box::new(McpCall { tool: self, input: json!({}) })),
            other => Err(format!("Invalid input: the input: expected an object, got {other}").into()),
        }
    }
}

struct McpCall {
    tool: Arc<McpTool>,
    input: Value,
}

#[async_trait::async_trait]
impl ToolCall for McpCall {
    /// Only the server knows, so the transcript is synced before the call (SE-1).
    fn read_only(&self) -> bool {
        false
    }
    /// Only the user's setting allows parallel calls; the server's hint does not.
    fn parallel(&self) -> bool {
        self.tool.read_only == ReadOnlySource::User(true)
    }
    fn summary(&self) -> String {
        sanitize_and_truncate(&self.input.to_string(), 200)
    }
    fn access(&self, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(self.tool.access())
    }
    fn preview(&self, _here: &ToolEnv) -> Option<String> {
        let input = serde_json::to_string_pretty(&self.input).unwrap_or_default();
        let (tool, server) = (sanitize_and_truncate(&self.tool.server_name, 200), &self.tool.server);
        Some(format!("{tool} of the MCP server {server}, with\n{}", sanitize_and_truncate(&input, 20_000)))
    }
    async fn run(self: Box<Self>, _rights: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let McpCall { tool, input } = *self;
        match tool.call_server(input, &call.cancel).await {
            Ok(result) => {
                call_result::from_result(&result, &here.workspace.session_folder, &tool.name, here.shells.redactor())
            }
            Err(error) => ToolOutcome::error(format!(
                "The MCP server {} failed: {}.",
                tool.server,
                sanitize_and_truncate(&error.to_string(), 4_096)
            )),
        }
    }
}

impl McpTool {
    /// Ends when the server answers, the call times out, or the user interrupts (AG-4).
    async fn call_server(&self, input: Value, cancel: &CancellationToken) -> Result<Value, RemoteError> {
        let stop = cancel.child_token();
        let mut calling = self.remote.call(&self.server_name, input, &stop);
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

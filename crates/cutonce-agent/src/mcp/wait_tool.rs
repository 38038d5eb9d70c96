//! The WaitForMcpServers tool: a session doesn't wait for starting servers (HO-6), but the model may. New tools then
//! join with the next request.

use super::servers::McpServers;
use super::status::{McpServerState, McpServerStatus};
use async_trait::async_trait;
use cutonce_core::model_request::ToolSpec;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::text::template::fill_template;
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{AnyTool, ToolCall, ToolError, ToolOutcome};
use serde_json::{Value, json};
use std::sync::Arc;

/// The name of the tool.
pub(crate) const TOOL: &str = "WaitForMcpServers";

struct WaitTool {
    servers: McpServers,
    /// The servers that were starting when the session was opened.
    names: Vec<String>,
}

/// Returns the tool if any server is starting.
pub(crate) fn wait_tool(servers: &McpServers) -> Option<Arc<dyn AnyTool>> {
    let pending = servers.status().into_iter().filter(|one| one.state == McpServerState::Pending);
    let names: Vec<String> = pending.map(|one| one.short_name).collect();
    let tool = || Arc::new(WaitTool { servers: servers.clone(), names: names.clone() }) as Arc<dyn AnyTool>;
    (!names.is_empty()).then(tool)
}

impl AnyTool for WaitTool {
    fn spec(&self) -> ToolSpec {
        let description = fill_template(include_str!("wait_tool.md").trim(), &[("servers", &self.names.join(", "))]);
        let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        ToolSpec { name: TOOL.into(), description, schema }
    }
    fn name(&self) -> &str {
        TOOL
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn ToolCall>, ToolError> {
        match input.as_object().and_then(|fields| fields.keys().next()) {
            Some(field) => Err(format!("Invalid input: `{field}`: unknown field, expected none").into()),
            None => Ok(Box::new(WaitCall(self.servers.clone()))),
        }
    }
}

struct WaitCall(McpServers);

#[async_trait]
impl ToolCall for WaitCall {
    fn read_only(&self) -> bool {
        true
    }
    fn parallel(&self) -> bool {
        true
    }
    fn summary(&self) -> String {
        "starting MCP servers".into()
    }
    fn access(&self, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Internal)
    }
    /// Limited by the connect timeout of the servers.
    async fn run(self: Box<Self>, _rights: CallRights, _here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        tokio::select! {
            () = call.cancel.cancelled() => ToolOutcome::error("Interrupted before all servers had started."),
            () = self.0.wait_until_started(None) => ToolOutcome::text(describe_servers(&self.0.status())),
        }
    }
}

fn describe_servers(servers: &[McpServerStatus]) -> String {
    let one = |one: &McpServerStatus| match &one.state {
        McpServerState::Connected => format!("{}: connected, {} tools", one.short_name, one.tools.len()),
        McpServerState::Failed(why) | McpServerState::NeedsAuth(why) => format!("{}: failed: {why}", one.short_name),
        McpServerState::Pending => format!("{}: still starting", one.short_name),
        McpServerState::NeedsApproval | McpServerState::Disabled => format!("{}: not started", one.short_name),
    };
    servers.iter().map(one).collect::<Vec<_>>().join("\n")
}

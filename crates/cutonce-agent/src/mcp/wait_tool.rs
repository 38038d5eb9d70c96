//! The WaitForMcpServers tool: a session doesn't wait for starting servers (HO-6), but the model may. New tools then
//! join with the next request.

use super::servers::McpServers;
use super::status::{McpServerState, McpServerStatus};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::text::template::fill_template;
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{AnyTool, Tool, ToolError, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// The name of the tool.
pub(crate) const TOOL: &str = "WaitForMcpServers";

struct WaitTool {
    servers: McpServers,
    /// Names the servers that were starting when the session was opened.
    description: String,
}

/// The input: no fields.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WaitInput {}

/// Returns the tool if any server is starting.
pub(crate) fn wait_tool(servers: &McpServers) -> Option<Arc<dyn AnyTool>> {
    let pending = servers.status().into_iter().filter(|one| one.state == McpServerState::Pending);
    let names: Vec<String> = pending.map(|one| one.short_name).collect();
    if names.is_empty() {
        return None;
    }
    let description = fill_template(include_str!("wait_tool.md").trim(), &[("servers", &names.join(", "))]);
    Some(Arc::new(WaitTool { servers: servers.clone(), description }))
}

#[async_trait]
impl Tool for WaitTool {
    type Input = WaitInput;

    fn name(&self) -> &'static str {
        TOOL
    }
    fn description(&self) -> &str {
        &self.description
    }
    fn read_only(&self, _input: &WaitInput) -> bool {
        true
    }
    fn access(&self, _input: &WaitInput, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Internal)
    }
    fn summary(&self, _input: &WaitInput) -> String {
        "starting MCP servers".into()
    }
    /// Limited by the connect timeout of the servers.
    async fn run(&self, _input: WaitInput, _rights: CallRights, _here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        tokio::select! {
            () = call.cancel.cancelled() => ToolOutcome::error("Interrupted before all servers had started."),
            () = self.servers.wait_until_started(None) => ToolOutcome::text(describe_servers(&self.servers.status())),
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

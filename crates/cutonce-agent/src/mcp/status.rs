//! The status of servers, for `/mcp`, `cutonce mcp list` and hosts.

use super::sources::ServerScope;
use serde_json::{Value, json};

/// The status of one server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpServerStatus {
    /// The defined name.
    pub name: String,
    /// The name used in rules and for models.
    pub short_name: String,
    /// Where it is defined.
    pub scope: ServerScope,
    /// The transport: `stdio`, `http` or `sdk`.
    pub transport: &'static str,
    /// The command line or URL, without secrets.
    pub target: String,
    /// The current state.
    pub state: McpServerState,
    /// The server's own name and version.
    pub server: Option<(String, String)>,
    /// The server's tools; empty until it is connected.
    pub tools: Vec<ToolStatus>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// The state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpServerState {
    /// The server is starting.
    Pending,
    /// The server is connected.
    Connected,
    /// The server failed; contains the reason and a remedy.
    Failed(String),
    /// The server requires authorization; contains its message.
    NeedsAuth(String),
    /// A project's server without the user's approval.
    NeedsApproval,
    /// Disabled in its definition.
    Disabled,
}

impl McpServerState {
    /// The state's name for hosts.
    pub fn name(&self) -> &'static str {
        match self {
            McpServerState::Pending => "pending",
            McpServerState::Connected => "connected",
            McpServerState::Failed(_) => "failed",
            McpServerState::NeedsAuth(_) => "needs-auth",
            McpServerState::NeedsApproval | McpServerState::Disabled => "disabled",
        }
    }
}

/// The status of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolStatus {
    /// `mcp__server__tool`
    pub name: String,
    /// The server's own name for the tool, sanitized.
    pub server_name: String,
    /// The server's description.
    pub description: String,
    /// The server's hints.
    pub hints: ToolHints,
    /// Whether plan mode treats it as read-only, by hint or by setting (PM-65).
    pub read_only: bool,
}

/// Hints from the server; missing ones are false.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolHints {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may delete things.
    pub destructive: bool,
    /// The tool accesses external systems.
    pub open_world: bool,
}

impl ToolHints {
    pub(super) fn from_tool(tool: &Value) -> ToolHints {
        let claims = |hint: &str| tool["annotations"][hint] == true;
        ToolHints {
            read_only: claims("readOnlyHint"),
            destructive: claims("destructiveHint"),
            open_world: claims("openWorldHint"),
        }
    }
    /// JSON for hosts, containing only true hints.
    pub fn to_json(self) -> Value {
        let all = [("readOnly", self.read_only), ("destructive", self.destructive), ("openWorld", self.open_world)];
        all.into_iter().filter(|(_, claimed)| *claimed).map(|(name, _)| (name.to_string(), json!(true))).collect()
    }
}

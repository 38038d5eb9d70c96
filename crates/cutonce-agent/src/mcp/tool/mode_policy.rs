//! What plan mode does with a server's tools (PM-65, PM-66): the user's settings decide, then the server's hint.

use super::McpTool;
use crate::mcp::status::ToolHints;
use cutonce_core::permission::Access;
use cutonce_core::permission::rules::pattern_covers_tool;
use cutonce_core::settings::plan::PlanMcp;
use std::time::Duration;

/// The user's settings for MCP tools.
#[derive(Debug, Clone)]
pub(crate) struct McpPolicy {
    /// The setting `plan.mcp`.
    pub plan: PlanMcp,
    /// Tools the user declares read-only, and tools whose read-only hint is ignored; `writers` wins.
    pub readers: Vec<String>,
    pub writers: Vec<String>,
    /// Timeout of a call.
    pub(crate) call_timeout: Duration,
    /// Timeout for connecting.
    pub(crate) connect_timeout: Duration,
}

impl Default for McpPolicy {
    fn default() -> Self {
        let settings = cutonce_core::settings::Settings::default();
        McpPolicy::from_settings(&settings)
    }
}

impl McpPolicy {
    pub fn from_settings(settings: &cutonce_core::settings::Settings) -> McpPolicy {
        McpPolicy {
            plan: settings.plan.mcp,
            readers: settings.plan.mcp_readers.clone(),
            writers: settings.plan.mcp_writers.clone(),
            call_timeout: Duration::from_millis(settings.mcp.call_timeout_ms),
            connect_timeout: Duration::from_millis(settings.mcp.connect_timeout_ms),
        }
    }

    /// Whether a tool is read-only, according to the user or else the server.
    pub(super) fn read_only_source(&self, tool: &str, hints: ToolHints) -> ReadOnlySource {
        let listed = |list: &[String]| list.iter().any(|pattern| pattern_covers_tool(pattern, tool));
        match (listed(&self.writers), listed(&self.readers)) {
            (true, _) => ReadOnlySource::User(false),
            (false, true) => ReadOnlySource::User(true),
            (false, false) => ReadOnlySource::Server(hints.read_only),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadOnlySource {
    User(bool),
    Server(bool),
}

impl McpTool {
    /// Whether plan mode treats the tool as read-only (PM-65).
    pub fn is_read_only(&self) -> bool {
        match self.read_only {
            ReadOnlySource::User(reads) | ReadOnlySource::Server(reads) => reads,
        }
    }
    /// Whether plan mode denies the tool for any input (PM-66).
    pub(crate) fn is_hidden_in_planning(&self) -> bool {
        match self.policy.plan {
            PlanMcp::ReadOnlyHint => !self.is_read_only(),
            PlanMcp::Ask => false,
            PlanMcp::Deny => true,
        }
    }
    pub(super) fn access(&self) -> Access {
        Access::Mcp { read_only: self.is_read_only(), plan: self.policy.plan }
    }
}

//! WaitForMcpServers: nothing waits for a server that is being started (HO-6), but the model may, when it needs one. Its tools then join at
//! the next request.

use super::servers::Servers;
use super::status::{State, Status};
use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights};
use cutonce_core::request::ToolSpec;
use cutonce_core::template::fill;
use cutonce_tools::tool::{AnyTool, Call, CallContext, Here, Outcome};
use serde_json::{Value, json};
use std::sync::Arc;

/// The name of the tool.
pub(crate) const TOOL: &str = "WaitForMcpServers";

struct Wait {
    servers: Servers,
    /// Those that were being started when the session was opened.
    names: Vec<String>,
}

/// The tool, where a server is being started.
pub(crate) fn wait_tool(servers: &Servers) -> Option<Arc<dyn AnyTool>> {
    let pending = servers.status().into_iter().filter(|one| one.state == State::Pending);
    let names: Vec<String> = pending.map(|one| one.called).collect();
    let tool = || Arc::new(Wait { servers: servers.clone(), names: names.clone() }) as Arc<dyn AnyTool>;
    (!names.is_empty()).then(tool)
}

impl AnyTool for Wait {
    fn spec(&self) -> ToolSpec {
        let description = fill(include_str!("wait.md").trim(), &[("servers", &self.names.join(", "))]);
        let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        ToolSpec { name: TOOL.into(), description, schema }
    }
    fn name(&self) -> &str {
        TOOL
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn Call>, String> {
        match input.as_object().and_then(|fields| fields.keys().next()) {
            Some(field) => Err(format!("Invalid input: `{field}`: unknown field, there are none")),
            None => Ok(Box::new(Waiting(self.servers.clone()))),
        }
    }
}

struct Waiting(Servers);

#[async_trait]
impl Call for Waiting {
    fn read_only(&self) -> bool {
        true
    }
    fn parallel(&self) -> bool {
        true
    }
    fn summary(&self) -> String {
        "MCP servers that are being started".into()
    }
    fn touches(&self, _here: &Here) -> Result<Access, String> {
        Ok(Access::Internal)
    }
    /// Bounded by the time that a server has to answer at all.
    async fn run(self: Box<Self>, _rights: Rights, _here: &Here, call: &CallContext) -> Outcome {
        tokio::select! {
            () = call.cancel.cancelled() => Outcome::error("Interrupted before it was done."),
            () = self.0.settled(None) => Outcome::text(told(&self.0.status())),
        }
    }
}

fn told(servers: &[Status]) -> String {
    let one = |one: &Status| match &one.state {
        State::Connected => format!("{}: connected, {} tools", one.called, one.tools.len()),
        State::Failed(why) | State::NeedsAuth(why) => format!("{}: failed: {why}", one.called),
        State::Pending => format!("{}: still being started", one.called),
        State::NeedsAgreement | State::Disabled => format!("{}: not started", one.called),
    };
    servers.iter().map(one).collect::<Vec<_>>().join("\n")
}

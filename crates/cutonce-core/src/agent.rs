//! Subagents as they are defined (SA-2, SA-3): built-in ones and users' own are the same kind of file, a host's come as
//! JSON. Which tools each is offered (SA-4), which model it uses, and how several sources become one list.

mod catalog;
mod definition;
mod given;

pub use catalog::{Catalog, Found, Trouble, built_in};
pub use definition::{AgentServer, Color, Definition, FileFault, ModelWish, More, Source, parse};
pub use given::{handed_on, parse_given};

use crate::template::fill;

pub const TOOL: &str = "Agent";
/// The kind that is meant where a call names none.
pub const GENERAL: &str = "general-purpose";
/// The kind that plans (PM-140).
pub const PLAN: &str = "Plan";

/// What the model is told about the Agent tool; the same bytes for the whole session (AG-7).
pub fn description(catalog: &Catalog) -> String {
    // What an agent lacks is not listed: its own description says what it is for, and every request carries this.
    let tools = |agent: &Definition| agent.tools.as_ref().map(|_| format!(" (tools: {})", agent.tools_told()));
    let one = |agent: &Definition| {
        format!("- {}: {}{}", agent.name, agent.description.trim(), tools(agent).unwrap_or_default())
    };
    let agents: Vec<String> = catalog.agents().iter().map(one).collect();
    fill(include_str!("agent/tool.md").trim_end(), &[("agents", &agents.join("\n"))])
}

/// The message that tells of an agent that ran in the background.
pub fn notification(id: &str, name: &str, description: &str, how: &str, text: &str) -> String {
    let values = [("id", id), ("name", name), ("description", description), ("how", how), ("text", text)];
    fill(include_str!("agent/notification.md").trim_end(), &values)
}

/// What the model is told when the program ended while agents worked; `agents` are lines.
pub fn cut_off(agents: &str) -> String {
    fill(include_str!("agent/cut_off.md").trim_end(), &[("agents", agents)])
}

#[cfg(test)]
mod tests;

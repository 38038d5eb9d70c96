//! Subagents as they are defined (SA-2, SA-3): built-in ones and users' own are the same kind of file, a host's come as
//! JSON. Which tools each is offered (SA-4), which model it uses, and how several sources become one list.

mod catalog;
mod definition;
mod given;

pub use catalog::{Catalog, Found, Trouble, built_in};
pub use definition::{Color, Definition, FileFault, ModelWish, Source, parse};
pub use given::parse_given;

use crate::template::fill;

pub const TOOL: &str = "Agent";
/// The kind that is meant where a call names none.
pub const GENERAL: &str = "general-purpose";
/// The kind that plans (PM-140).
pub const PLAN: &str = "Plan";

/// What the model is told about the Agent tool; the same bytes for the whole session (AG-7).
pub fn description(catalog: &Catalog) -> String {
    let one =
        |agent: &Definition| format!("- {}: {} (tools: {})", agent.name, agent.description.trim(), agent.tools_told());
    let agents: Vec<String> = catalog.agents().iter().map(one).collect();
    fill(include_str!("agent/tool.md").trim_end(), &[("agents", &agents.join("\n"))])
}

/// The message that tells of an agent that ran in the background.
pub fn notification(id: &str, name: &str, description: &str, how: &str, text: &str) -> String {
    let values = [("id", id), ("name", name), ("description", description), ("how", how), ("text", text)];
    fill(include_str!("agent/notification.md").trim_end(), &values)
}

#[cfg(test)]
mod tests;

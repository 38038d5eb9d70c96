//! Subagent definitions (SA-2, SA-3). Built-in and user agents are markdown files, a host's agents come as
//! JSON. Decides which tools each agent gets (SA-4), which model it uses, and how several sources merge into
//! one list.

mod catalog;
mod definition;
mod host_agents;

pub use catalog::{AgentCatalog, AgentFile, AgentProblem, REVIEWER, built_in_agents};
pub use definition::{
    AgentColor, AgentDefinition, AgentFileError, AgentMcpServer, AgentModel, AgentOptions, AgentSource,
    parse_agent_file,
};
pub use host_agents::{AgentFieldError, HostAgentsError, parse_host_agents, to_host_json};

use crate::text::template::fill_template;

pub const AGENT_TOOL: &str = "Agent";
/// Default agent kind if a call names none.
pub const GENERAL_PURPOSE: &str = "general-purpose";
/// Agent kind that designs a plan (PM-140).
pub const PLAN_AGENT: &str = "Plan";
/// Agent kind that explores the code (PM-140).
pub const EXPLORE_AGENT: &str = "Explore";

/// Description of the Agent tool for the model; its bytes stay the same for the whole session (AG-7).
pub fn agent_tool_description(catalog: &AgentCatalog) -> String {
    // Denied tools are not listed: every request carries this text, and the agent's description says enough.
    let tools = |agent: &AgentDefinition| agent.tools.as_ref().map(|_| format!(" (tools: {})", agent.describe_tools()));
    let one = |agent: &AgentDefinition| {
        format!("- {}: {}{}", agent.name, agent.description.trim(), tools(agent).unwrap_or_default())
    };
    let agents: Vec<String> = catalog.agents().iter().map(one).collect();
    fill_template(include_str!("tool.md").trim_end(), &[("agents", &agents.join("\n"))])
}

/// Message that reports the result of a background agent to the model.
pub fn background_result_message(id: &str, name: &str, description: &str, how: &str, text: &str) -> String {
    let values = [("id", id), ("name", name), ("description", description), ("how", how), ("text", text)];
    fill_template(include_str!("notification.md").trim_end(), &values)
}

/// Message for the model if the program ended while agents were running; `agents` has one line per agent.
pub fn interrupted_agents_message(agents: &str) -> String {
    fill_template(include_str!("interrupted.md").trim_end(), &[("agents", agents)])
}

#[cfg(test)]
mod tests;

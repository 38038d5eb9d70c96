//! Extras that an agent's definition may set (HO-1, HO-8): preloaded skills, its own MCP servers, thinking effort,
//! and running without asking the user.

use super::SubagentTree;
use crate::mcp::McpServers;
use crate::mcp::sources::{DeclaredServer, ServerScope};
use crate::session::{Approver, Connected, may_name_tool};
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::settings::ThinkingSettings;
use cutonce_core::skills::{self, Skill};
use cutonce_core::subagent::{AgentDefinition, AgentMcpServer};
use cutonce_core::text::offered::keep_offered;
use cutonce_tools::tool::AnyTool;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long an agent's first request waits for its own servers, whose tools it relies on.
const FIRST_WAIT: Duration = Duration::from_secs(3);

/// The agent's prompt with its skills appended; skills that a rule denies are left out. It names only `offered` tools
/// (PM-90).
pub(crate) fn agent_prompt(
    definition: &AgentDefinition,
    offered: &dyn Fn(&str) -> bool,
    skills: &[Skill],
    rules: &RuleSet,
) -> String {
    let mut words = keep_offered(&definition.prompt, offered);
    for name in definition.options.skills.iter().filter(|name| !rules.denies_skill(name)) {
        let Some(found) = skills.iter().find(|found| found.name == *name) else { continue };
        let read = cutonce_tools::interactive::skill::read_skill(&found.folder.join("SKILL.md"))
            .and_then(|text| skills::parse_skill(&text));
        if let Ok((_, _, body)) = read {
            words = format!("{words}\n\n{}", skills::render_for_model(found, &body, None));
        }
    }
    words
}

impl SubagentTree {
    pub(super) fn agent_prompt(
        &self,
        definition: &AgentDefinition,
        tools: &[Arc<dyn AnyTool>],
        rules: &RuleSet,
    ) -> String {
        let approver = self.approver_for(definition);
        agent_prompt(definition, &|tool| may_name_tool(tool, tools, rules, approver), &self.main.skills, rules)
    }

    /// The session's servers are shared; the agent's own servers are started for it and end with it.
    pub(super) fn servers_for(&self, definition: &AgentDefinition, own: &Path) -> (McpServers, Duration) {
        let servers = self.main.servers.for_subagent(own.to_path_buf());
        let mut wait = Duration::ZERO;
        for server in &definition.options.mcp_servers {
            if let AgentMcpServer::InlineServer(name, given) = server {
                let (name, file) = (name.clone(), format!("agents.{}", definition.name));
                servers.add(DeclaredServer { name, scope: ServerScope::CommandLine, file, definition: given.clone() });
                wait = FIRST_WAIT;
            }
        }
        (servers, wait)
    }

    /// Who is asked for permission.
    pub(super) fn approver_for(&self, definition: &AgentDefinition) -> Approver {
        if definition.options.dont_ask { Approver::Absent } else { self.main.approver }
    }

    /// Applies the definition's thinking effort, or keeps that of the parent session.
    pub(super) fn with_thinking(&self, definition: &AgentDefinition, mut connected: Connected) -> Connected {
        if let Some(effort) = definition.options.effort {
            let choice = ThinkingSettings { effort: Some(effort), ..self.shared.settings.thinking.clone() };
            connected.thinking = choice.for_kind(connected.info.thinking);
        }
        connected
    }
}

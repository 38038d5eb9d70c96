//! Runs the main thread as an agent (HO-1: `--agent`, the setting `agent`) with its prompt, tools, model and limits.
//! An agent only removes rights: a mode that allows more is ignored, and an unknown name is an error.

use super::{SessionBuilder, SessionSelector, StartError};
use crate::config::LoadedSettings;
use crate::session::{Approver, may_name_tool};
use crate::subagent::agent_prompt;
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::prompts::{self, PromptEnvironment};
use cutonce_core::settings::ThinkingSettings;
use cutonce_core::subagent::{AgentDefinition, AgentMcpServer};
use cutonce_tools::tool::AnyTool;
use serde_json::{Map, Value, json};
use std::sync::Arc;

impl SessionBuilder {
    /// Applies the agent's settings as if they were given as flags.
    pub(super) fn apply_main_agent(
        &mut self,
        loaded: &LoadedSettings,
        notices: &mut Vec<String>,
    ) -> Result<Option<Arc<AgentDefinition>>, StartError> {
        // A teammate has its own prompt and tools (TM-1).
        if self.team.join.is_some() {
            return Ok(None);
        }
        let Some(agent) = self.find_agent(loaded)? else { return Ok(None) };
        self.choose_model(&agent, loaded);
        self.lower_mode(&agent, loaded, notices);
        self.limits.max_turns = self.limits.max_turns.into_iter().chain(agent.options.max_turns).min();
        if let (Some(effort), None) = (agent.options.effort, &self.model.thinking) {
            self.model.thinking = Some(ThinkingSettings { effort: Some(effort), ..loaded.settings.thinking.clone() });
        }
        let own: Map<String, Value> = agent.options.mcp_servers.iter().filter_map(inline_server).collect();
        if !own.is_empty() {
            self.mcp.config.push(json!({ "mcpServers": own }).to_string());
        }
        self.restrict_to(&agent);
        self.host
            .tools
            .retain(|tool| tool.name() == crate::structured_output::TOOL || agent.offers_in_main_thread(tool.name()));
        self.agent.definition = Some(agent.clone());
        Ok(Some(agent))
    }

    /// Builds the system prompt. An agent's prompt replaces every other, with its skills added.
    pub(super) fn build_system_prompt(
        &self,
        agent: Option<&AgentDefinition>,
        around: &PromptEnvironment,
        instructions: &str,
        trusted: bool,
        (tools, rules): (&[Arc<dyn AnyTool>], &RuleSet),
    ) -> String {
        let offered = |tool: &str| may_name_tool(tool, tools, rules, self.permissions.approver);
        let own = agent.map(|agent| {
            let skills = match agent.options.skills.is_empty() {
                true => Vec::new(),
                false => self.find_named_commands(trusted, &mut Vec::new()).all_skills,
            };
            agent_prompt(agent, &offered, &skills, rules)
        });
        let own = own.or_else(|| self.prompt.system.clone());
        prompts::system_prompt(own.as_deref(), &offered, self.prompt.append.as_deref(), around, instructions)
    }

    fn find_agent(&mut self, loaded: &LoadedSettings) -> Result<Option<Arc<AgentDefinition>>, StartError> {
        if let Some(agent) = self.agent.definition.take() {
            return Ok(Some(agent));
        }
        let Some(name) = self.agent.name.clone().or_else(|| loaded.settings.agent.clone()) else { return Ok(None) };
        let catalog = self.agent_catalog(self.host.agents.clone(), loaded.trusted);
        match catalog.get(&name).cloned() {
            Some(agent) => Ok(Some(Arc::new(agent))),
            None => Err(StartError::Agent { name, known: catalog.name_list() }),
        }
    }

    /// Applies the agent's restrictions to the whole session, including teammates in their own process.
    fn restrict_to(&mut self, agent: &AgentDefinition) {
        self.permissions.deny.extend(agent.disallowed_tools.iter().cloned());
        let names = agent.tools.iter().flatten().filter(|name| !name.ends_with('*'));
        let plain: Vec<String> = names.cloned().collect();
        if agent.tools.as_ref().is_some_and(|tools| tools.len() == plain.len()) {
            let listed = |name: &String| self.offered.tools.as_ref().is_none_or(|only| only.contains(name));
            self.offered.tools = Some(plain.into_iter().filter(listed).collect());
        }
    }

    /// Uses the agent's model unless a flag names one.
    fn choose_model(&mut self, agent: &AgentDefinition, loaded: &LoadedSettings) {
        let wish = agent.model.configured(&loaded.settings.model);
        self.model.main = self.model.main.take().or(wish);
    }

    fn lower_mode(&mut self, agent: &AgentDefinition, loaded: &LoadedSettings, notices: &mut Vec<String>) {
        if agent.options.dont_ask && self.permissions.approver == Approver::Present {
            self.permissions.approver = Approver::CantAsk;
        }
        let Some(own) = agent.permission_mode else { return };
        let resumed = matches!(self.resume.selector, SessionSelector::Latest | SessionSelector::Find(_));
        let without = self.permissions.mode.or(loaded.settings.permissions.default_mode).unwrap_or_default();
        let to = own.at_most(without);
        if to != own {
            let agent = &agent.name;
            notices.push(format!(
                "The agent {agent} requests {own} mode, but the session stays in {without} mode. To allow it, start with --permission-mode {own}"
            ));
        }
        match to {
            // Plan mode returns to the mode the session was given.
            _ if to.is_read_only() => {
                (self.permissions.base_mode, self.permissions.mode) =
                    (self.permissions.base_mode.or(self.permissions.mode), Some(to))
            }
            // A resumed session keeps its mode, so that an agent can't lead it out of plan mode.
            _ if resumed && self.permissions.mode.is_none() => {}
            lower => self.permissions.mode = Some(lower),
        }
    }
}

fn inline_server(server: &AgentMcpServer) -> Option<(String, Value)> {
    match server {
        AgentMcpServer::SessionServer(_) => None,
        AgentMcpServer::InlineServer(name, definition) => Some((name.clone(), definition.clone())),
    }
}

//! The main thread as an agent (HO-1: `--agent`, the setting `agent`): that agent's prompt, tools, model and limits. It only takes
//! rights away: a mode that allows more than the session would begin with is not taken, and a name that nobody knows stops the start.

use super::{Start, StartError, Which};
use crate::agents::words_of;
use crate::session::Approver;
use crate::settings::Loaded;
use cutonce_core::agent::{AgentServer, Definition, ModelWish};
use cutonce_core::mode::Mode;
use cutonce_core::prompts::{self, Surroundings};
use cutonce_core::rule::Rules;
use cutonce_core::settings::ThinkingChoice;
use serde_json::{Map, Value, json};
use std::sync::Arc;

impl Start {
    /// What the agent says, put where a flag of the same meaning would be.
    pub(super) fn take_agent(
        &mut self,
        loaded: &Loaded,
        notices: &mut Vec<String>,
    ) -> Result<Option<Arc<Definition>>, StartError> {
        // A teammate's words and tools are its own (TM-1).
        if self.join.is_some() {
            return Ok(None);
        }
        let Some(agent) = self.find_agent(loaded)? else { return Ok(None) };
        self.choose_model(&agent, loaded);
        self.lower_mode(&agent, loaded, notices);
        self.max_turns = self.max_turns.into_iter().chain(agent.more.max_turns).min();
        if let (Some(effort), None) = (agent.more.effort, &self.thinking) {
            self.thinking = Some(ThinkingChoice { effort: Some(effort), ..loaded.settings.thinking.clone() });
        }
        let own: Map<String, Value> = agent.more.servers.iter().filter_map(own_server).collect();
        if !own.is_empty() {
            self.mcp_config.push(json!({ "mcpServers": own }).to_string());
        }
        self.hold_to(&agent);
        self.tools.retain(|tool| tool.name() == crate::structured::TOOL || agent.offers_main(tool.name()));
        self.main = Some(agent.clone());
        Ok(Some(agent))
    }

    /// The system prompt. An agent's own stands in for every other, with the skills it knows.
    pub(super) fn words(
        &self,
        agent: Option<&Definition>,
        around: &Surroundings,
        instructions: &str,
        trusted: bool,
        rules: &Rules,
    ) -> String {
        let own = agent.map(|agent| {
            let skills = match agent.more.skills.is_empty() {
                true => Vec::new(),
                false => self.offered_from(trusted, &mut Vec::new()).found,
            };
            words_of(agent, &skills, rules)
        });
        let own = own.or_else(|| self.system_prompt.clone());
        prompts::system(own.as_deref(), self.append_system_prompt.as_deref(), around, instructions)
    }

    fn find_agent(&mut self, loaded: &Loaded) -> Result<Option<Arc<Definition>>, StartError> {
        if let Some(agent) = self.main.take() {
            return Ok(Some(agent));
        }
        let Some(name) = self.agent.clone().or_else(|| loaded.settings.agent.clone()) else { return Ok(None) };
        let catalog = self.catalog(self.agents.clone(), loaded.trusted);
        match catalog.get(&name).cloned() {
            Some(agent) => Ok(Some(Arc::new(agent))),
            None => Err(StartError::Agent { name, known: catalog.names() }),
        }
    }

    /// What it may not use nobody uses that it starts, teammates in processes of their own included.
    fn hold_to(&mut self, agent: &Definition) {
        self.deny.extend(agent.disallowed_tools.iter().cloned());
        let names = agent.tools.iter().flatten().filter(|name| !name.ends_with('*'));
        let plain: Vec<String> = names.cloned().collect();
        if agent.tools.as_ref().is_some_and(|tools| tools.len() == plain.len()) {
            let listed = |name: &String| self.only_tools.as_ref().is_none_or(|only| only.contains(name));
            self.only_tools = Some(plain.into_iter().filter(listed).collect());
        }
    }

    /// A flag comes before it.
    fn choose_model(&mut self, agent: &Definition, loaded: &Loaded) {
        let settings = &loaded.settings.model;
        let wish = match &agent.model {
            ModelWish::Inherit => None,
            ModelWish::Small => settings.small.clone(),
            ModelWish::Plan => settings.plan.clone(),
            ModelWish::Named(name) => Some(name.clone()),
        };
        self.model = self.model.take().or(wish);
    }

    fn lower_mode(&mut self, agent: &Definition, loaded: &Loaded, notices: &mut Vec<String>) {
        if agent.more.dont_ask && self.approver == Approver::Present {
            self.approver = Approver::CantAsk;
        }
        let Some(own) = agent.permission_mode else { return };
        let resumed = matches!(self.which, Which::Latest | Which::Find(_));
        let without = self.mode.or(loaded.settings.permissions.default_mode).unwrap_or_default();
        let to = own.at_most(without);
        if to != own {
            let agent = &agent.name;
            notices.push(format!(
                "The agent {agent} asks for {own} mode; the session stays in {without} mode: start it with --permission-mode {own}"
            ));
        }
        match to {
            // Left as any plan mode is, for the mode that the session was given.
            Mode::Plan => (self.base_mode, self.mode) = (self.base_mode.or(self.mode), Some(Mode::Plan)),
            // One that goes on was left in a mode of its own: nothing leads out of plan mode by the way.
            _ if resumed && self.mode.is_none() => {}
            lower => self.mode = Some(lower),
        }
    }
}

fn own_server(server: &AgentServer) -> Option<(String, Value)> {
    match server {
        AgentServer::Named(_) => None,
        AgentServer::Own(name, definition) => Some((name.clone(), definition.clone())),
    }
}

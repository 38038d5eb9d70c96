//! The configuration that teammates share with their lead (TM-1). Fields that belong to the lead alone (its session,
//! its first prompt, its system prompt) are reset by name, so that new options reach teammates in this process by
//! default.

use crate::builder::{MainAgentChoice, ResumeOptions, SessionBuilder, TeamOptions};
use crate::hooks::Hook;
use crate::session::Approver;
use crate::team::{Member, TeamJoin};
use cutonce_core::model_request::Effort;
use cutonce_core::permission::rules::ConfigSource;
use cutonce_core::subagent::to_host_json;
use std::ffi::OsString;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(crate) struct TeammateTemplate {
    pub config: SessionBuilder,
    /// The setting `team.mailbox`.
    pub mailbox: Option<String>,
}

impl TeammateTemplate {
    /// The configuration of a teammate in this process, with the same hooks.
    pub fn in_process_config(&self, team: &str, member: &Member, hooks: Vec<Arc<dyn Hook>>) -> SessionBuilder {
        let mut config = self.config.clone();
        config.model.main = member.model.clone().or(config.model.main);
        (config.permissions.mode, config.permissions.base_mode) = (None, None);
        // The lead's user approves through the mailbox; see `SessionBuilder::join_team`.
        config.permissions.approver = Approver::Absent;
        (config.prompt.first_request, config.prompt.system) = (None, None);
        config.resume = ResumeOptions::default();
        config.limits.max_turns = None;
        // The agent is the lead's role; a teammate has its own prompt.
        config.agent = MainAgentChoice::default();
        config.team =
            TeamOptions { join: Some(TeamJoin { team: team.into(), name: member.name.clone() }), program: None };
        config.host.hooks = hooks;
        config
    }

    /// The command line of a teammate in its own process.
    pub fn command_line(&self, team: &str, member: &Member) -> Vec<OsString> {
        let start = &self.config;
        let mut words = ArgList::default();
        words.push("team", team);
        words.push("name", &member.name);
        words.extend("model", member.model.as_ref().or(start.model.main.as_ref()));
        words.extend("fallback-model", &start.model.fallback);
        words.extend("settings", &start.settings.flag);
        words.extend("allowedTools", &start.permissions.allow);
        words.extend("disallowedTools", &start.permissions.deny);
        words.extend("add-dir", &start.dirs.add_dirs);
        words.extend("mcp-config", &start.mcp.config);
        words.push_switch("strict-mcp-config", start.mcp.strict);
        words.extend("managed-settings", &start.settings.managed);
        words.push_switch("hide-disallowed-tools", start.permissions.hide_disallowed_tools);
        words.extend("append-system-prompt", &start.prompt.append);
        words.extend("max-budget-usd", start.limits.max_budget.map(|most| most.to_string()));
        words.extend("tools", start.offered.tools.as_ref().map(|names| names.join(",")));
        words.extend("setting-sources", start.settings.sources.as_deref().map(join_sources));
        words.extend("agents", (!start.host.agents.is_empty()).then(|| to_host_json(&start.host.agents).to_string()));
        if let Some(thinking) = &start.model.thinking {
            words.extend("effort", thinking.effort.map(Effort::name));
            words.extend("max-thinking-tokens", thinking.budget.map(|tokens| tokens.to_string()));
        }
        words.0
    }
}

/// Formats arguments as `--flag=value`, so that no value is parsed as a flag.
#[derive(Default)]
struct ArgList(Vec<OsString>);

impl ArgList {
    fn push(&mut self, flag: &str, value: impl AsRef<std::ffi::OsStr>) {
        let mut word = OsString::from(format!("--{flag}="));
        word.push(value);
        self.0.push(word);
    }
    fn extend(&mut self, flag: &str, values: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>) {
        values.into_iter().for_each(|value| self.push(flag, value));
    }
    fn push_switch(&mut self, flag: &str, set: bool) {
        self.0.extend(set.then(|| OsString::from(format!("--{flag}"))));
    }
}

fn join_sources(sources: &[ConfigSource]) -> String {
    let named = |source: &ConfigSource| match source {
        ConfigSource::User => Some("user"),
        ConfigSource::Project => Some("project"),
        ConfigSource::Local => Some("local"),
        ConfigSource::Managed | ConfigSource::CommandLine | ConfigSource::Session => None,
    };
    sources.iter().filter_map(named).collect::<Vec<_>>().join(",")
}

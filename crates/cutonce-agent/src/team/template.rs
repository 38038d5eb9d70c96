//! How this session was started, as far as its teammates are started alike (TM-1): what the person or the host said for the lead
//! holds for them. What is the lead's alone (its session, its first words, its own system prompt) is left out by name, so that a
//! new way to start a session reaches them by itself where they run in this process.

use crate::hooks::Hook;
use crate::session::Approver;
use crate::start::{Start, Which};
use crate::team::{Join, Member};
use cutonce_core::agent::handed_on;
use cutonce_core::request::Effort;
use cutonce_core::rule::Source;
use std::ffi::OsString;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(crate) struct Template {
    pub start: Start,
    /// The setting `team.mailbox`.
    pub mailbox: Option<String>,
}

impl Template {
    /// A teammate in this process, under the same hooks.
    pub fn here(&self, team: &str, member: &Member, hooks: Vec<Arc<dyn Hook>>) -> Start {
        Start {
            model: member.model.clone().or_else(|| self.start.model.clone()),
            mode: None,
            base_mode: None,
            // The lead's user, through the mailbox: see `Start::join_team`.
            approver: Approver::Nobody,
            request: None,
            which: Which::New,
            fork: false,
            resume_at: None,
            max_turns: None,
            system_prompt: None,
            // The lead's own role; a teammate has its own words.
            agent: None,
            main: None,
            join: Some(Join { team: team.into(), name: member.name.clone() }),
            program: None,
            hooks,
            ..self.start.clone()
        }
    }

    /// The words after the program's name for a teammate of its own process.
    pub fn words(&self, team: &str, member: &Member) -> Vec<OsString> {
        let start = &self.start;
        let mut words = Words::default();
        words.say("team", team);
        words.say("name", &member.name);
        words.all("model", member.model.as_ref().or(start.model.as_ref()));
        words.all("fallback-model", &start.fallback_model);
        words.all("settings", &start.settings);
        words.all("allowedTools", &start.allow);
        words.all("disallowedTools", &start.deny);
        words.all("add-dir", &start.add_dirs);
        words.all("mcp-config", &start.mcp_config);
        words.flag("strict-mcp-config", start.strict_mcp_config);
        words.all("managed-settings", &start.managed_settings);
        words.flag("hide-disallowed-tools", start.hide_disallowed_tools);
        words.all("append-system-prompt", &start.append_system_prompt);
        words.all("max-budget-usd", start.max_budget.map(|most| most.to_string()));
        words.all("tools", start.only_tools.as_ref().map(|names| names.join(",")));
        words.all("setting-sources", start.setting_sources.as_deref().map(sources));
        words.all("agents", (!start.agents.is_empty()).then(|| handed_on(&start.agents).to_string()));
        if let Some(thinking) = &start.thinking {
            words.all("effort", thinking.effort.map(Effort::name));
            words.all("max-thinking-tokens", thinking.budget.map(|tokens| tokens.to_string()));
        }
        words.0
    }
}

/// `--flag=value`, so that no value is taken for a flag.
#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn say(&mut self, flag: &str, value: impl AsRef<std::ffi::OsStr>) {
        let mut word = OsString::from(format!("--{flag}="));
        word.push(value);
        self.0.push(word);
    }
    fn all(&mut self, flag: &str, values: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>) {
        values.into_iter().for_each(|value| self.say(flag, value));
    }
    fn flag(&mut self, flag: &str, set: bool) {
        self.0.extend(set.then(|| OsString::from(format!("--{flag}"))));
    }
}

fn sources(sources: &[Source]) -> String {
    let named = |source: &Source| match source {
        Source::User => Some("user"),
        Source::Project => Some("project"),
        Source::Local => Some("local"),
        Source::Managed | Source::CommandLine | Source::Session => None,
    };
    sources.iter().filter_map(named).collect::<Vec<_>>().join(",")
}

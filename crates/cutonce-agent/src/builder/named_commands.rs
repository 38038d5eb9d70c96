//! The commands, skills and agents of the user and the project that a session offers by name (UI-9, HO-8, SA-2).

use super::SessionBuilder;
use crate::config::commands::{self, CommandFolders, CustomCommand};
use crate::config::skills::SkillSources;
use crate::config::{self, skills};
use crate::subagent::definition_files;
use cutonce_core::permission::rules::ConfigSource;
use cutonce_core::skills::Skill;
use cutonce_core::subagent::{AgentCatalog, AgentDefinition};

/// Commands and skills that a session offers by name, for completion and for hosts.
#[derive(Debug, Clone, Default)]
pub struct NamedCommands {
    /// Custom commands of `.cutonce/commands` (UI-9).
    pub commands: Vec<CustomCommand>,
    /// Skills that the Skill tool offers (HO-8).
    pub skills: Vec<Skill>,
    /// All skills, including those a host doesn't offer: its agents may name them.
    pub(crate) all_skills: Vec<Skill>,
    /// The main agent's initial prompt, sent before the user's first prompt (HO-1).
    pub initial_prompt: Option<String>,
}

impl NamedCommands {
    /// Warns about skills that agents name but that don't exist.
    pub(super) fn missing_skills(&self, catalog: &AgentCatalog) -> Vec<String> {
        let named =
            catalog.agents().iter().flat_map(|agent| agent.options.skills.iter().map(move |skill| (agent, skill)));
        let missing = named.filter(|(_, skill)| !self.all_skills.iter().any(|found| found.name == **skill));
        let told = |(agent, skill): (&AgentDefinition, &String)| {
            format!("The agent {} uses the skill {skill:?}, which does not exist", agent.name)
        };
        missing.map(told).collect()
    }
}

impl SessionBuilder {
    pub(super) fn find_named_commands(&self, trusted: bool, notices: &mut Vec<String>) -> NamedCommands {
        let (user, project) = (self.source_enabled(ConfigSource::User), self.source_enabled(ConfigSource::Project));
        let user_home = self.dirs.user_home.as_deref();
        let places =
            SkillSources { home: &self.dirs.home, user_home, user, project: &self.dirs.cwd, projects: project };
        let found = skills::find_skills(places, trusted, notices);
        let home = user.then_some(self.dirs.home.as_path());
        let folders = CommandFolders { home, user_home, cwd: &self.dirs.cwd, trusted: trusted && project };
        let listed = |skill: &&Skill| self.offered.skills.as_ref().is_none_or(|only| is_listed(only, &skill.name));
        let skills = found.iter().filter(listed).cloned().collect();
        let first = self.agent.definition.as_ref().and_then(|agent| agent.options.initial_prompt.clone());
        NamedCommands { skills, all_skills: found, initial_prompt: first, commands: commands::find_commands(folders) }
    }

    /// Loads the agents of the enabled sources, and the given ones.
    pub(super) fn agent_catalog(&self, given: Vec<AgentDefinition>, trusted: bool) -> AgentCatalog {
        let mut folders =
            definition_files::agent_folders(&self.dirs.home, self.dirs.user_home.as_deref(), &self.dirs.cwd);
        folders.retain(|(source, _)| match source {
            cutonce_core::subagent::AgentSource::User => self.source_enabled(ConfigSource::User),
            cutonce_core::subagent::AgentSource::Project => self.source_enabled(ConfigSource::Project),
            cutonce_core::subagent::AgentSource::BuiltIn | cutonce_core::subagent::AgentSource::Host => true,
        });
        definition_files::load_from(folders, &self.dirs.cwd, given, trusted)
    }

    /// Lists what a session with this configuration would offer, without opening it.
    pub fn named_commands(&self) -> (NamedCommands, AgentCatalog) {
        let loaded = config::load_settings_from(
            &self.settings_places(),
            self.settings.flag.as_deref(),
            self.settings.sources.as_deref(),
        );
        let offered = self.find_named_commands(loaded.trusted, &mut Vec::new());
        (offered, self.agent_catalog(self.host.agents.clone(), loaded.trusted))
    }

    /// Whether the host enabled this settings source.
    pub(super) fn source_enabled(&self, source: ConfigSource) -> bool {
        self.settings.sources.as_ref().is_none_or(|sources| sources.contains(&source))
    }
}

/// Matches the full name or the part after a `:`.
fn is_listed(only: &[String], skill: &str) -> bool {
    only.iter().any(|name| name == skill || skill.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with(':')))
}

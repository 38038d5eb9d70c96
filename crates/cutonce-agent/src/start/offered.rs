//! What a session offers by name: the user's and the project's own commands, skills and agents (UI-9, HO-8, SA-2).

use super::Start;
use crate::agents::files;
use crate::commands::{self, Custom};
use crate::{settings, skills};
use cutonce_core::agent::{Catalog, Definition};
use cutonce_core::rule::Source;
use cutonce_core::skill::Skill;

/// What of the user's and the project's own a session offers by name, for completion and for hosts.
#[derive(Debug, Clone, Default)]
pub struct Offered {
    /// Commands of `.cutonce/commands` (UI-9).
    pub commands: Vec<Custom>,
    /// What the tool Skill can use (HO-8).
    pub skills: Vec<Skill>,
    /// All there are, also those that a host does not want offered: its agents may name them.
    pub(crate) found: Vec<Skill>,
    /// What the agent that the main thread is says before the user's first words (HO-1).
    pub first: Option<String>,
}

impl Offered {
    /// Skills that agents name and nobody has.
    pub(super) fn missing_skills(&self, catalog: &Catalog) -> Vec<String> {
        let named = catalog.agents().iter().flat_map(|agent| agent.more.skills.iter().map(move |skill| (agent, skill)));
        let missing = named.filter(|(_, skill)| !self.found.iter().any(|found| found.name == **skill));
        let told = |(agent, skill): (&Definition, &String)| {
            format!("The agent {} names the skill {skill:?}, and there is none of that name", agent.name)
        };
        missing.map(told).collect()
    }
}

impl Start {
    pub(super) fn offered_from(&self, trusted: bool, notices: &mut Vec<String>) -> Offered {
        let (user, project) = (self.counts(Source::User), self.counts(Source::Project));
        let found = skills::find((&self.home, user), (&self.cwd, project), trusted, notices);
        let home = user.then_some(self.home.as_path());
        let listed = |skill: &&Skill| self.only_skills.as_ref().is_none_or(|only| is_listed(only, &skill.name));
        let skills = found.iter().filter(listed).cloned().collect();
        let first = self.main.as_ref().and_then(|agent| agent.more.initial_prompt.clone());
        Offered { skills, found, first, commands: commands::find_in(home, &self.cwd, trusted && project) }
    }

    /// The agents of the files that count, and those that were given.
    pub(super) fn catalog(&self, given: Vec<Definition>, trusted: bool) -> Catalog {
        let mut folders = files::folders(&self.home, self.user_home.as_deref(), &self.cwd);
        folders.retain(|(source, _)| match source {
            cutonce_core::agent::Source::User => self.counts(Source::User),
            cutonce_core::agent::Source::Project => self.counts(Source::Project),
            cutonce_core::agent::Source::BuiltIn | cutonce_core::agent::Source::Host => true,
        });
        files::load_from(folders, &self.cwd, given, trusted)
    }

    /// What a session opened like this would offer, and the agents it could start; nothing is opened or told.
    pub fn offered(&self) -> (Offered, Catalog) {
        let loaded = settings::load_from(&self.places(), self.settings.as_deref(), self.setting_sources.as_deref());
        let offered = self.offered_from(loaded.trusted, &mut Vec::new());
        (offered, self.catalog(self.agents.clone(), loaded.trusted))
    }

    /// Does the host want this one of the settings sources?
    pub(super) fn counts(&self, source: Source) -> bool {
        self.setting_sources.as_ref().is_none_or(|sources| sources.contains(&source))
    }
}

/// By its whole name, or by what comes after a `:` in it.
fn is_listed(only: &[String], skill: &str) -> bool {
    only.iter().any(|name| name == skill || skill.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with(':')))
}

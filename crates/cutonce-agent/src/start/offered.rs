//! What a session offers by name: the user's and the project's own commands, skills and agents (UI-9, HO-8, SA-2).

use super::Start;
use crate::agents::files;
use crate::commands::{self, Custom};
use crate::{settings, skills};
use cutonce_core::agent::Catalog;
use cutonce_core::rule::Source;
use cutonce_core::skill::Skill;

/// What of the user's and the project's own a session offers by name, for completion and for hosts.
#[derive(Debug, Clone, Default)]
pub struct Offered {
    /// Commands of `.cutonce/commands` (UI-9).
    pub commands: Vec<Custom>,
    /// What the tool Skill can use (HO-8).
    pub skills: Vec<Skill>,
}

impl Start {
    pub(super) fn offered_from(&self, trusted: bool, notices: &mut Vec<String>) -> Offered {
        let trusted = trusted && self.counts(Source::Project);
        let skills = skills::find(&self.home, &self.cwd, trusted, notices);
        Offered { skills, commands: commands::find(&self.home, &self.cwd, trusted) }
    }

    /// What a session opened like this would offer, and the agents it could start; nothing is opened or told.
    pub fn offered(&self) -> (Offered, Catalog) {
        let loaded = settings::load_from(&self.places(), self.settings.as_deref(), self.setting_sources.as_deref());
        let offered = self.offered_from(loaded.trusted, &mut Vec::new());
        let given = self.agents.clone();
        (offered, files::load(&self.home, self.user_home.as_deref(), &self.cwd, given, loaded.trusted))
    }

    /// Does the host want this one of the settings sources?
    pub(super) fn counts(&self, source: Source) -> bool {
        self.setting_sources.as_ref().is_none_or(|sources| sources.contains(&source))
    }
}

//! What an agent is given by its definition beside prompt and tools (HO-1, HO-8): skills that it knows from the start, MCP servers
//! of its own, how hard it thinks, and that nobody is asked for it.

use super::Tree;
use crate::mcp::Servers;
use crate::mcp::sources::{Declared, Scope};
use crate::session::{Approver, Connected};
use cutonce_core::agent::{AgentServer, Definition};
use cutonce_core::rule::Rules;
use cutonce_core::settings::ThinkingChoice;
use cutonce_core::skill::{self, Skill};
use std::path::Path;
use std::time::Duration;

/// How long an agent's first request waits for servers of its own: it counts on their tools.
const FIRST_WAIT: Duration = Duration::from_secs(3);

/// An agent's own words, and the texts of its skills; one that a rule denies reaches nobody.
pub(crate) fn words_of(definition: &Definition, skills: &[Skill], rules: &Rules) -> String {
    let mut words = definition.prompt.clone();
    for name in definition.more.skills.iter().filter(|name| !rules.denies_skill(name)) {
        let Some(found) = skills.iter().find(|found| found.name == *name) else { continue };
        let read = cutonce_tools::skill::read(&found.folder.join("SKILL.md")).and_then(|text| skill::parse(&text));
        if let Ok((_, _, body)) = read {
            words = format!("{words}\n\n{}", skill::given(found, &body, None));
        }
    }
    words
}

impl Tree {
    pub(super) fn words_of(&self, definition: &Definition, rules: &Rules) -> String {
        words_of(definition, &self.seeds.skills, rules)
    }

    /// Tools of the session's servers are among its tools; those of its own join when they are known, and end with it.
    pub(super) fn servers_of(&self, definition: &Definition, own: &Path) -> (Servers, Duration) {
        let servers = self.seeds.servers.beside(own.to_path_buf());
        let mut wait = Duration::ZERO;
        for server in &definition.more.servers {
            if let AgentServer::Own(name, given) = server {
                let (name, file) = (name.clone(), format!("agents.{}", definition.name));
                servers.add(Declared { name, scope: Scope::CommandLine, file, definition: given.clone() });
                wait = FIRST_WAIT;
            }
        }
        (servers, wait)
    }

    /// Who is asked for what it does.
    pub(super) fn approver_of(&self, definition: &Definition) -> Approver {
        if definition.more.dont_ask { Approver::Nobody } else { self.seeds.approver }
    }

    /// As hard as its definition says, else as whoever starts it.
    pub(super) fn thinking_of(&self, definition: &Definition, mut connected: Connected) -> Connected {
        if let Some(effort) = definition.more.effort {
            let choice = ThinkingChoice { effort: Some(effort), ..self.seeds.settings.thinking.clone() };
            connected.thinking = choice.of(connected.info.thinking);
        }
        connected
    }
}

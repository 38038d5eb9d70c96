//! All agents of a session. If several have the same name, the strongest source wins.

use super::definition::{AgentDefinition, AgentSource, parse_agent_file};
use crate::mode::Mode;
use std::path::PathBuf;
use std::sync::LazyLock;

/// An agent file with its source and text.
#[derive(Debug, Clone)]
pub struct AgentFile {
    pub source: AgentSource,
    pub path: PathBuf,
    /// The text, or the reason why the file can't be read.
    pub text: Result<String, String>,
}

/// A problem with an agent definition, reported to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProblem {
    pub path: Option<PathBuf>,
    pub message: String,
    /// True for a warning: the agent is still available.
    pub is_warning: bool,
}

impl std::fmt::Display for AgentProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.message),
            None => f.write_str(&self.message),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct AgentCatalog {
    agents: Vec<AgentDefinition>,
    problems: Vec<AgentProblem>,
}

const BUILT_IN: [&str; 3] = [
    include_str!("built_in/explore.md"),
    include_str!("built_in/plan.md"),
    include_str!("built_in/general_purpose.md"),
];

/// The agent of `/review` (DU-5). It is not offered to the model.
pub const REVIEWER: &str = "reviewer";

static REVIEWER_AGENT: LazyLock<Option<AgentDefinition>> =
    LazyLock::new(|| parse_agents(&[include_str!("built_in/reviewer.md")]).pop());

/// The built-in agents (SA-2).
pub fn built_in_agents() -> Vec<AgentDefinition> {
    parse_agents(&BUILT_IN)
}

fn parse_agents(texts: &[&str]) -> Vec<AgentDefinition> {
    let parsed = texts.iter().filter_map(|text| parse_agent_file(text, AgentSource::BuiltIn, None).ok().flatten());
    parsed.map(|(definition, _)| definition).collect()
}

impl AgentCatalog {
    /// `trusted`: project files may grant permissions and replace other agents (PR-2).
    pub fn new(files: Vec<AgentFile>, given: Vec<AgentDefinition>, trusted: bool) -> AgentCatalog {
        let mut catalog = AgentCatalog { agents: built_in_agents(), problems: Vec::new() };
        for found in files {
            catalog.add_file(found, trusted);
        }
        for definition in given {
            let (agent, ignored) = (&definition.name, &definition.options.ignored_fields);
            let told = ignored.iter().map(|field| format!("agents.{agent}: `{field}` has no effect and is ignored"));
            let told: Vec<String> = told.collect();
            told.into_iter().for_each(|what| catalog.add_problem(None, what, true));
            catalog.add_definition(definition, true);
        }
        catalog
    }

    /// Agents in the order of their sources, then as found.
    pub fn agents(&self) -> &[AgentDefinition] {
        &self.agents
    }
    pub fn problems(&self) -> &[AgentProblem] {
        &self.problems
    }
    pub fn get(&self, name: &str) -> Option<&AgentDefinition> {
        let own = self.agents.iter().find(|agent| agent.name == name);
        own.or_else(|| REVIEWER_AGENT.as_ref().filter(|agent| agent.name == name))
    }
    /// Names of all agents, for an input error.
    pub fn name_list(&self) -> String {
        self.agents.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn add_file(&mut self, found: AgentFile, trusted: bool) {
        let AgentFile { source, path, text } = found;
        let parsed = text
            .and_then(|text| parse_agent_file(&text, source, Some(path.clone())).map_err(|fault| fault.to_string()));
        match parsed {
            Err(what) => self.add_problem(Some(path), what, false),
            // A README in the folder is not a broken agent.
            Ok(None) => {}
            Ok(Some((mut definition, unknown))) => {
                unknown.into_iter().for_each(|what| self.add_problem(Some(path.clone()), what, true));
                let trusted = trusted || source != AgentSource::Project;
                if !trusted && definition.permission_mode.is_some_and(|mode| mode.at_most(Mode::Default) != mode) {
                    definition.permission_mode = None;
                    self.add_problem(
                        Some(path),
                        "`permissionMode` takes effect once you trust this folder (cutonce trust)".into(),
                        true,
                    );
                }
                self.add_definition(definition, trusted);
            }
        }
    }

    fn add_definition(&mut self, definition: AgentDefinition, trusted: bool) {
        let Some(at) = self.agents.iter().position(|known| known.name == definition.name) else {
            return self.agents.push(definition);
        };
        let known = &self.agents[at];
        // An untrusted project must not replace the user's own agents.
        if !trusted && known.source < definition.source {
            let what = format!(
                "the {} agent `{}` is used until you trust this folder (cutonce trust)",
                known.source.name(),
                known.name
            );
            return self.add_problem(definition.path, what, true);
        }
        if known.source == definition.source {
            let first = known.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
            return self.add_problem(
                definition.path,
                format!("agent `{}` is already defined in {first}", known.name),
                false,
            );
        }
        if known.source < definition.source {
            self.agents[at] = definition;
        }
    }

    fn add_problem(&mut self, path: Option<PathBuf>, what: String, mild: bool) {
        self.problems.push(AgentProblem { path, message: what, is_warning: mild });
    }
}

//! All agents of a session: of several with one name the strongest source counts.

use super::definition::{Definition, Source, parse};
use crate::mode::Mode;
use std::path::PathBuf;

/// A file that was read, wherever it lies.
#[derive(Debug, Clone)]
pub struct Found {
    pub source: Source,
    pub path: PathBuf,
    /// Its text, or why it can't be read.
    pub text: Result<String, String>,
}

/// What is wrong with a file, for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub path: Option<PathBuf>,
    pub what: String,
    /// The agent is there all the same.
    pub mild: bool,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.what),
            None => f.write_str(&self.what),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Catalog {
    agents: Vec<Definition>,
    troubles: Vec<Trouble>,
}

const BUILT_IN: [&str; 3] = [
    include_str!("built_in/explore.md"),
    include_str!("built_in/plan.md"),
    include_str!("built_in/general_purpose.md"),
];

/// SA-2.
pub fn built_in() -> Vec<Definition> {
    let parsed = BUILT_IN.iter().filter_map(|text| parse(text, Source::BuiltIn, None).ok().flatten());
    parsed.map(|(definition, _)| definition).collect()
}

impl Catalog {
    /// `trusted`: the project's own files may loosen things and take the place of others (PR-2).
    pub fn new(files: Vec<Found>, given: Vec<Definition>, trusted: bool) -> Catalog {
        let mut catalog = Catalog { agents: built_in(), troubles: Vec::new() };
        for found in files {
            catalog.file(found, trusted);
        }
        for definition in given {
            let (agent, ignored) = (&definition.name, &definition.more.ignored);
            let told =
                ignored.iter().map(|field| format!("agents.{agent}: `{field}` means nothing here and is ignored"));
            let told: Vec<String> = told.collect();
            told.into_iter().for_each(|what| catalog.trouble(None, what, true));
            catalog.add(definition, true);
        }
        catalog
    }

    /// In the order of their sources, then as found.
    pub fn agents(&self) -> &[Definition] {
        &self.agents
    }
    pub fn troubles(&self) -> &[Trouble] {
        &self.troubles
    }
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.agents.iter().find(|agent| agent.name == name)
    }
    /// For an input error: the names there are.
    pub fn names(&self) -> String {
        self.agents.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn file(&mut self, found: Found, trusted: bool) {
        let Found { source, path, text } = found;
        let parsed = text.and_then(|text| parse(&text, source, Some(path.clone())).map_err(|fault| fault.to_string()));
        match parsed {
            Err(what) => self.trouble(Some(path), what, false),
            // A README in the folder is no broken agent.
            Ok(None) => {}
            Ok(Some((mut definition, unknown))) => {
                unknown.into_iter().for_each(|what| self.trouble(Some(path.clone()), what, true));
                let trusted = trusted || source != Source::Project;
                if !trusted
                    && definition.permission_mode.is_some_and(|mode| !matches!(mode, Mode::Plan | Mode::Default))
                {
                    definition.permission_mode = None;
                    self.trouble(
                        Some(path),
                        "`permissionMode` waits until you trust this folder (cutonce trust)".into(),
                        true,
                    );
                }
                self.add(definition, trusted);
            }
        }
    }

    fn add(&mut self, definition: Definition, trusted: bool) {
        let Some(at) = self.agents.iter().position(|known| known.name == definition.name) else {
            return self.agents.push(definition);
        };
        let known = &self.agents[at];
        // A project that nobody trusts does not speak in the place of the user's own agents.
        if !trusted && known.source < definition.source {
            let what = format!(
                "the {} agent `{}` stays until you trust this folder (cutonce trust)",
                known.source.name(),
                known.name
            );
            return self.trouble(definition.path, what, true);
        }
        if known.source == definition.source {
            let first = known.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
            return self.trouble(
                definition.path,
                format!("there is an agent `{}` already, in {first}", known.name),
                false,
            );
        }
        if known.source < definition.source {
            self.agents[at] = definition;
        }
    }

    fn trouble(&mut self, path: Option<PathBuf>, what: String, mild: bool) {
        self.troubles.push(Trouble { path, what, mild });
    }
}

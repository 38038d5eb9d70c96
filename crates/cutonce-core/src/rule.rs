//! Rules: `Tool` or `Tool(specifier)`, each with its behaviour and the source it came from (PR-1, PR-2).

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// deny beats ask beats allow, whatever the source (PR-1): the order of this enum is that order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Behavior {
    Allow,
    Ask,
    Deny,
}

/// Where a rule or setting came from, strongest first (PR-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    Managed,
    CommandLine,
    /// Given by the person during this session ("don't ask again"), or by a host.
    Session,
    /// `.cutonce/settings.local.json`
    Local,
    /// `.cutonce/settings.json`
    Project,
    /// `~/.cutonce/settings.json`
    User,
}

/// A rule as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub behavior: Behavior,
    pub text: String,
    pub source: Source,
    /// The folder that `/x` in this rule starts from: the project's root for its files, the home's folder for the user's.
    pub base: PathBuf,
}

/// A rule that was understood.
#[derive(Debug, Clone)]
pub struct Rule {
    pub behavior: Behavior,
    pub tool: String,
    pub source: Source,
    pub base: PathBuf,
    /// As it was written.
    pub text: String,
}

/// A rule that could not be understood: what, why, what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", written.text)]
pub struct RuleError {
    pub written: Written,
    pub why: String,
}

/// All rules in force, and those set aside until the folder is trusted (PR-2).
#[derive(Debug, Clone, Default)]
pub struct Rules {
    home: Option<PathBuf>,
    cwd: PathBuf,
    rules: Vec<Rule>,
    set_aside: Vec<Rule>,
    errors: Vec<RuleError>,
}

impl Rules {
    /// `home` and `cwd` are absolute and resolved. Allow rules of the project's own files wait for trust.
    pub fn new(home: Option<&Path>, cwd: &Path, trusted: bool, written: impl IntoIterator<Item = Written>) -> Rules {
        let _ = (trusted, written.into_iter().count());
        Rules { home: home.map(Path::to_path_buf), cwd: cwd.to_path_buf(), ..Rules::default() }
    }
    /// The rules in force.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
    /// Allow rules that wait until the user trusts the folder.
    pub fn set_aside(&self) -> &[Rule] {
        &self.set_aside
    }
    /// Rules that could not be understood.
    pub fn errors(&self) -> &[RuleError] {
        &self.errors
    }
    /// The user trusts the folder: what was set aside counts from now on.
    pub fn trust(&mut self) {
        self.rules.append(&mut self.set_aside);
    }
    /// «Don't ask again» for this session.
    pub fn add_for_session(&mut self, behavior: Behavior, text: &str) -> Result<(), RuleError> {
        let _ = (behavior, text, &self.home, &self.cwd);
        Ok(())
    }
    /// Takes a session rule back; false if there was none.
    pub fn remove_for_session(&mut self, behavior: Behavior, text: &str) -> bool {
        let before = self.rules.len();
        self.rules.retain(|r| !(r.source == Source::Session && r.behavior == behavior && r.text == text));
        before != self.rules.len()
    }
}

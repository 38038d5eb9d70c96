//! The one decision: (mode, rules, facts of the call) → allow with rights, deny with a reason, or ask (PR-3).
//!
//! Rights are values. A [`WriteGrant`] has no public constructor and no `Clone`; [`decide`] and
//! [`Ask::approve`] are the only places that make one, and `disk` in cutonce-tools uses it up (PR-6).

use crate::rule::{Behavior, Source};
use crate::shell;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What one call would do, stated by its tool before anything happens. Paths are resolved already.
#[derive(Debug, Clone)]
pub struct Facts {
    pub tool: String,
    pub access: Access,
}

/// What a call touches. A closed set: a new kind of access must be judged here, in every mode.
#[derive(Debug, Clone)]
pub enum Access {
    /// Nothing of the user's: todos, output of a shell that was allowed before.
    Internal,
    Read(Vec<Target>),
    Write(Target),
    Shell(ShellFacts),
    Fetch {
        url: String,
        host: String,
    },
    /// Asking the person needs no permission; whether somebody can answer is the session's business.
    Question,
}

/// A path as the call named it and as it resolved, with where that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub given: String,
    /// Absolute, symlinks resolved (of the deepest existing ancestor, where the file does not exist yet).
    pub path: PathBuf,
    pub place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Below the working folder or an added one.
    Workspace,
    /// In the workspace or not: `.git`, shell rc files, cutonce's own settings (PR-4).
    Protected,
    Outside,
    /// Our own spill files of this session (long output): reading them asks nobody.
    Own,
}

/// A command line taken apart (PR-5), its literal paths resolved.
#[derive(Debug, Clone)]
pub struct ShellFacts {
    pub command: String,
    pub background: bool,
    pub parsed: shell::Parsed,
    /// The targets of each part's `writes`, in the order of the parts; None where a path was no literal.
    pub writes: Vec<Option<Target>>,
    /// The targets of each part's `reads` that are literal paths.
    pub reads: Vec<Target>,
}

#[derive(Debug)]
pub enum Decision {
    Allow(Allowed),
    Deny(Denied),
    Ask(Box<Ask>),
}

/// Why it was decided so; goes into the transcript with the call (PR-3, SE-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

#[derive(Debug)]
pub struct Allowed {
    pub why: Why,
    pub rights: Rights,
}

/// What an allowed call may do.
#[derive(Debug)]
pub enum Rights {
    /// Reads and inner state only.
    Plain,
    Write(WriteGrant),
    Shell(ShellGrant),
}

/// The right to write one file once. Only this module makes one (PR-6).
#[derive(Debug)]
pub struct WriteGrant {
    path: PathBuf,
}

impl WriteGrant {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The right to start one command.
#[derive(Debug)]
pub struct ShellGrant {
    command: String,
}

impl ShellGrant {
    pub fn command(&self) -> &str {
        &self.command
    }
}

#[derive(Debug)]
pub struct Denied {
    pub why: Why,
    /// What the model is told.
    pub message: String,
}

/// A question for the approvers. It holds the call's facts, so that approving can make the rights.
#[derive(Debug)]
pub struct Ask {
    pub facts: Facts,
    pub why: Why,
    /// Rules that «don't ask again» would store, narrowest first (PR-7).
    pub suggestions: Vec<Suggestion>,
}

/// What «don't ask again» would store: all of these rules together cover the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub rules: Vec<String>,
    pub behavior: Behavior,
}

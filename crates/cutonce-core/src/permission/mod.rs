//! Permission decisions: mode, rules and call facts → allow with rights, deny with a reason, or ask (PR-3).
//!
//! Order: deny rule, ask rule, protected path, allow rule, then the mode's table (`table`). Plan mode has its own
//! table, which allow rules cannot override (`plan`).
//!
//! Rights are values. A write grant has no public constructor and no `Clone`; only `decide` and `approve` create
//! one, and `disk` in cutonce-tools consumes it (PR-6).

mod ask_cause;
mod decide;
mod path_rules;
mod plan_decision;
mod plan_scope;
pub mod rules;
mod secrets;
mod shell_call;
mod suggestions;
mod table;

pub use ask_cause::AskCause;
pub use decide::decide;
use plan_decision::{decide_in_plan as decide_read_only, reads_secret};
pub use plan_scope::{OUTSIDE_PLAN, added_path, addition_label, suggest_additions};
pub use secrets::{home_stores, is_secret, system_stores};
pub use suggestions::ALL_EDITS;
pub use table::{AccessKind, PERMISSION_TABLE, TableOutcome, permission_table_markdown};

use crate::mode::Mode;
use crate::settings::plan::PlanMcp;
use crate::shell::{self, CommandVerdict};
use rules::{ConfigSource, Rule, RuleBehavior};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A tool's statement, made before the call runs, of everything the call would do. Paths are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFacts {
    pub tool: String,
    pub access: Access,
}

/// Everything a call can touch. A closed set: a new kind of access must be decided here for every mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Session state only: todos, output of a shell that was already allowed.
    Internal,
    Read(Vec<PathTarget>),
    Write(PathTarget),
    Shell(ShellFacts),
    /// Stops a background shell. In plan mode only shells started since plan mode began (PM-60).
    Kill {
        this_stay: bool,
    },
    Fetch {
        url: String,
        host: String,
    },
    /// Starts a subagent of this kind; each of its calls is decided separately.
    Agent {
        kind: String,
    },
    /// Reads the skill with this name (HO-8).
    Skill {
        name: String,
    },
    /// A tool of an MCP server, named `mcp__server__tool`.
    Mcp {
        /// The server claims that the tool changes nothing (PM-65).
        read_only: bool,
        /// The `plan.mcp` setting for plan mode.
        plan: PlanMcp,
    },
    /// Asks the user, which needs no permission. The session checks whether a user can answer.
    Question,
}

/// A path as the call named it, as it resolved, and where that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTarget {
    pub given: String,
    /// Absolute, symlinks resolved. For a missing file, those of its deepest existing ancestor.
    pub path: PathBuf,
    pub place: PathLocation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathLocation {
    /// Below the working folder or an added folder.
    Workspace,
    /// `.git`, shell rc files, cutonce's own settings; inside the workspace or not (PR-4).
    Protected,
    /// In the workspace: a file that makes other programs run code, such as `.envrc` or a CI file (PR-4).
    Trigger,
    Outside,
    /// Files this session wrote for long output; reading them never asks.
    Own,
    /// Exactly the session's plan file (PM-44). The session decides this, never the path alone.
    PlanFile,
}

impl PathLocation {
    /// Short description for the classifier.
    pub fn describe(self) -> &'static str {
        match self {
            PathLocation::Workspace => "workspace",
            PathLocation::Protected => "protected",
            PathLocation::Trigger => "workspace, makes other programs run code",
            PathLocation::Outside => "outside the workspace",
            PathLocation::Own => "the agent's own folder",
            PathLocation::PlanFile => "the plan file",
        }
    }
}

/// How a shell command is confined; in plan mode this keeps it read-only (PM-62).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShellConfinement {
    /// Nothing but the decision. In plan mode only commands that the parser proves read-only run.
    #[default]
    ParsedReadOnly,
    /// Commands not known to change things run in the kernel's read-only sandbox.
    PlanSandbox,
    /// Only commands that the parser proves read-only run, and in the kernel's read-only sandbox (SB-3).
    PlanReadOnly,
    /// Plan mode has no shell.
    Disabled,
    /// Outside plan mode, if the user enabled it: the kernel's workspace-write sandbox (SB-4).
    WorkspaceSandbox,
    /// Runs without asking because it only reads. The kernel enforces that where it can, so a parser mistake cannot
    /// change files (PR-5). In plan mode only on a machine without a sandbox, where only the parser protects.
    AutoReadOnly,
    /// Outside plan mode: runs without asking because it changes workspace files only. Enforced like `Reads`.
    AutoWorkspace,
}

/// A parsed command line with its paths resolved (PR-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellFacts {
    pub command: String,
    pub background: bool,
    pub parts: Vec<PartFacts>,
    /// Why the command could not be parsed completely.
    pub unparsed: Option<String>,
    /// Confinement the command runs in (PM-62, SB-4).
    pub confinement: ShellConfinement,
    /// The command may read files with keys (SB-2). Set only if plan mode has no kernel sandbox to block that.
    pub may_read_secrets: bool,
}

/// One command with the resolved targets of its path arguments, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFacts {
    pub part: shell::CommandPart,
    pub writes: Vec<PathScope>,
    pub redirects: Vec<PathScope>,
    pub reads: Vec<PathScope>,
    /// Paths mentioned by an unknown command. Used only for protected paths and path rules.
    pub mentioned: Vec<PathScope>,
}

/// The path or paths that an argument can refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathScope {
    Exact(PathTarget),
    /// Anything at or below this folder.
    Below(PathTarget),
    Unknown,
}

/// Resolves paths the way the shell will. Paths are absolute, relative to the shell's working folder, or start
/// with `~/` (or are `~`) for the home folder.
pub trait PathResolver {
    fn resolve(&self, path: &str) -> PathTarget;
    /// Symlinks that this glob matches or passes through. `None` if unknown, or if a match looks like an option.
    fn glob_links(&self, glob: &str) -> Option<Vec<String>>;
    /// Top folder of the repository around the shell's working folder, or that folder if there is no repository.
    fn repository_root(&self) -> PathTarget;
    /// True for a regular file; false for links and folders.
    fn is_plain_file(&self, path: &str) -> bool;
}

/// A simulated disk without links, for tests.
impl<F: Fn(&str) -> PathTarget> PathResolver for F {
    fn resolve(&self, path: &str) -> PathTarget {
        self(path)
    }
    fn glob_links(&self, _: &str) -> Option<Vec<String>> {
        Some(vec![])
    }
    fn repository_root(&self) -> PathTarget {
        self(".")
    }
    fn is_plain_file(&self, _: &str) -> bool {
        true
    }
}

/// Commands that list other processes, which the sandbox hides.
const PROCESS_LISTERS: [&str; 2] = ["pgrep", "ps"];
/// Commands that are harmless next to them without a sandbox: they run nothing, whatever a repository contains.
const TEXT_FILTERS: [&str; 9] = ["cut", "egrep", "fgrep", "grep", "head", "sort", "tail", "uniq", "wc"];

impl ShellFacts {
    /// Parses the command and resolves its path arguments.
    pub fn new(command: &str, background: bool, disk: impl PathResolver) -> ShellFacts {
        let shell::ParsedCommand { parts, unparsed } = shell::parse(command);
        let reach =
            |words: &[shell::PathWord]| words.iter().flat_map(|word| PathScope::from_word(word, &disk)).collect();
        let facts = |mut part: shell::CommandPart| {
            if moves_folder_or_link(&part, &disk) {
                part.verdict = shell::CommandVerdict::Writes("moves a folder or a link".into());
            }
            PartFacts {
                writes: reach(&part.writes),
                redirects: reach(&part.redirects),
                reads: reach(&part.reads),
                mentioned: reach(&part.mentioned),
                part,
            }
        };
        let parts = parts.into_iter().map(facts).collect();
        ShellFacts {
            command: command.to_string(),
            background,
            parts,
            unparsed,
            confinement: ShellConfinement::ParsedReadOnly,
            may_read_secrets: false,
        }
    }

    /// True if any part writes a file.
    pub fn writes_files(&self) -> bool {
        self.parts.iter().any(|part| !part.writes.is_empty() || !part.redirects.is_empty())
    }

    /// For a command that starts in another repository: git would run programs named in that repository's settings.
    pub fn distrust_git(mut self) -> ShellFacts {
        self.mark_unknown(|part| part.program() == Some("git"));
        self
    }

    /// Confinement for a command that only the mode's table allows.
    fn auto_run_confinement(&self) -> ShellConfinement {
        let only_reads = |part: &PartFacts| part.part.verdict == CommandVerdict::ReadOnly && part.redirects.is_empty();
        match self.parts.iter().all(only_reads) {
            true if self.only_lists_processes() => self.confinement,
            true => ShellConfinement::AutoReadOnly,
            false if self.confinement == ShellConfinement::ParsedReadOnly => ShellConfinement::AutoWorkspace,
            false => self.confinement,
        }
    }

    /// True for `ps aux | grep node` and the like. Every part must be harmless without a sandbox, and only plain
    /// words and pipes may occur: here the parser is the only safeguard.
    fn only_lists_processes(&self) -> bool {
        let is_one = |part: &PartFacts, names: &[&str]| {
            let name = part.part.words.first().and_then(Option::as_deref);
            name.is_some_and(|name| names.contains(&name)) && part.part.inside.is_empty()
        };
        let lists = |part: &PartFacts| is_one(part, &PROCESS_LISTERS);
        let plain = |c: char| c.is_ascii_alphanumeric() || " -_,./:|'\"[]".contains(c);
        self.parts.iter().any(lists)
            && self.parts.iter().all(|part| lists(part) || is_one(part, &TEXT_FILTERS))
            && self.command.chars().all(plain)
    }

    /// Marks these parts as unknown: it is unclear what they would run.
    pub fn mark_unknown(&mut self, doubtful: impl Fn(&shell::CommandPart) -> bool) {
        for PartFacts { part, .. } in &mut self.parts {
            if matches!(part.verdict, shell::CommandVerdict::ReadOnly | shell::CommandVerdict::FileCommand)
                && doubtful(part)
            {
                part.verdict = shell::CommandVerdict::Unknown;
            }
        }
    }
}

/// Moving a link or a folder changes where paths through it lead, including `..` of processes inside. Rules for
/// its old content stop matching.
fn moves_folder_or_link(part: &shell::CommandPart, disk: &impl PathResolver) -> bool {
    let plain = |word: &shell::PathWord| matches!(word, shell::PathWord::Exact(path) if disk.is_plain_file(path));
    part.program() == Some("mv") && part.verdict == shell::CommandVerdict::FileCommand && !part.reads.iter().all(plain)
}

impl PathScope {
    fn path(&self) -> Option<PathBuf> {
        match self {
            PathScope::Exact(target) | PathScope::Below(target) => Some(target.path.clone()),
            PathScope::Unknown => None,
        }
    }
    fn from_word(word: &shell::PathWord, disk: &impl PathResolver) -> Vec<PathScope> {
        match word {
            shell::PathWord::Exact(path) => vec![PathScope::Exact(disk.resolve(path))],
            shell::PathWord::Below(path) => vec![PathScope::Below(disk.resolve(path))],
            shell::PathWord::Glob(glob) => match disk.glob_links(glob) {
                Some(links) => {
                    let folder = shell::PathWord::glob_folder(glob);
                    let all = std::iter::once(folder).chain(links.iter().map(String::as_str));
                    all.map(|path| PathScope::Below(disk.resolve(path))).collect()
                }
                None => vec![PathScope::Unknown],
            },
            shell::PathWord::Repository => vec![PathScope::Below(disk.repository_root())],
            shell::PathWord::Pipe => vec![],
            shell::PathWord::Unknown => vec![PathScope::Unknown],
        }
    }
}

#[derive(Debug)]
pub enum Decision {
    Allow(AllowedCall),
    Deny(DeniedCall),
    Ask(Box<PermissionAsk>),
}

/// The reason for a decision; recorded in the transcript with the call (PR-3, SE-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ConfigSource>,
}

impl Why {
    pub fn from_reason(reason: impl Into<String>) -> Why {
        Why { reason: reason.into(), rule: None, source: None }
    }
    pub(crate) fn from_rule(rule: &Rule) -> Why {
        let verb = match rule.behavior {
            RuleBehavior::Allow => "allowed",
            RuleBehavior::Ask => "asked for",
            RuleBehavior::Deny => "denied",
        };
        let reason = format!("{verb} by the rule `{}` from {}", rule.text, rule.source);
        Why { reason, rule: Some(rule.text.clone()), source: Some(rule.source) }
    }
}

#[derive(Debug)]
pub struct AllowedCall {
    pub why: Why,
    pub rights: CallRights,
}

/// Rights of an allowed call.
#[derive(Debug)]
pub enum CallRights {
    /// Reads and session state only.
    Plain,
    Write(WriteGrant),
    Shell(ShellGrant),
}

/// The right to write one file once. Only this module creates it (PR-6).
#[derive(Debug)]
pub struct WriteGrant {
    path: PathBuf,
    place: PathLocation,
}

impl WriteGrant {
    pub fn path(&self) -> &Path {
        &self.path
    }
    pub fn place(&self) -> PathLocation {
        self.place
    }
}

/// The right to start one shell command.
#[derive(Debug)]
pub struct ShellGrant {
    command: String,
    confinement: ShellConfinement,
}

impl ShellGrant {
    pub fn command(&self) -> &str {
        &self.command
    }
    /// Confinement the command must run in (PM-62, SB-4).
    pub fn confinement(&self) -> ShellConfinement {
        self.confinement
    }
}

#[derive(Debug)]
pub struct DeniedCall {
    pub why: Why,
    /// Message for the model.
    pub message: String,
}

/// A permission question for the user, a hook or a host. Keeps the call's facts so that approval can create rights.
#[derive(Debug)]
pub struct PermissionAsk {
    pub facts: CallFacts,
    pub why: Why,
    pub cause: AskCause,
    /// Rules that "don't ask again" would store, narrowest first (PR-7).
    pub suggestions: Vec<RuleSuggestion>,
}

/// A "don't ask again" choice: these rules together cover the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleSuggestion {
    pub rules: Vec<String>,
    pub behavior: RuleBehavior,
}

impl PermissionAsk {
    /// Approves the call; `reason` names who approved. Only this and [`decide`] create rights.
    pub fn approve(self, reason: impl Into<String>) -> AllowedCall {
        AllowedCall { why: Why::from_reason(reason), rights: CallRights::for_access(self.facts.access) }
    }
    /// Denies the call because of a no or because no one can answer. `message` is for the model; empty for a plain no.
    pub fn deny(self, reason: impl Into<String>, message: &str) -> DeniedCall {
        let message = match message.trim() {
            "" => {
                format!("The user refused this {} call. Do not try it again; ask what to do instead.", self.facts.tool)
            }
            text => format!("The user refused this {} call and said: {text}", self.facts.tool),
        };
        DeniedCall { why: Why::from_reason(reason), message }
    }
}

impl CallRights {
    /// Rights for a call that only the mode allows. Shell commands get confined to what the mode promised.
    fn for_mode(mode: Mode, access: Access) -> CallRights {
        match (mode, access) {
            (Mode::Default | Mode::AcceptEdits | Mode::Auto, Access::Shell(shell)) => {
                let held = shell.auto_run_confinement();
                CallRights::for_access(Access::Shell(ShellFacts { confinement: held, ..shell }))
            }
            (_, access) => CallRights::for_access(access),
        }
    }

    fn for_access(access: Access) -> CallRights {
        match access {
            Access::Write(target) => CallRights::Write(WriteGrant { path: target.path, place: target.place }),
            Access::Shell(shell) => {
                CallRights::Shell(ShellGrant { confinement: shell.confinement, command: shell.command })
            }
            Access::Internal
            | Access::Kill { .. }
            | Access::Read(_)
            | Access::Fetch { .. }
            | Access::Agent { .. }
            | Access::Skill { .. }
            | Access::Mcp { .. }
            | Access::Question => CallRights::Plain,
        }
    }
}

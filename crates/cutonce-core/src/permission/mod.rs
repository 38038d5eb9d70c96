//! The one decision: (mode, rules, facts of the call) → allow with rights, deny with a reason, or ask (PR-3).
//!
//! The order: deny rule, ask rule, protected place, allow rule, then the table of the mode (`table`). Plan mode has
//! a table of its own that no allow rule lifts (`plan`).
//!
//! Rights are values. A [`WriteGrant`] has no public constructor and no `Clone`; [`decide`] and
//! [`Ask::approve`] are the only places that make one, and `disk` in cutonce-tools uses it up (PR-6).

mod asked;
mod decide;
mod paths;
mod plan;
mod secret;
mod shell_call;
mod suggest;
mod table;

pub use asked::AskedBy;
pub use decide::decide;
pub use secret::is_secret;
pub use table::{Kind, Outcome, TABLE, table_markdown};

use crate::mode::Mode;
use crate::rule::{Behavior, Rule, Source};
use crate::settings::plan::PlanMcp;
use crate::shell::{self, Verdict};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What one call would do, stated by its tool before anything happens. Paths are resolved already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub tool: String,
    pub access: Access,
}

/// What a call touches. A closed set: a new kind of access must be judged here, in every mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Nothing of the user's: todos, output of a shell that was allowed before.
    Internal,
    Read(Vec<Target>),
    Write(Target),
    Shell(ShellFacts),
    /// Ending a shell in the background. In plan mode only one that was started during this stay (PM-60).
    Kill {
        this_stay: bool,
    },
    Fetch {
        url: String,
        host: String,
    },
    /// Starting a subagent of this kind; what it does is decided call by call.
    Agent {
        kind: String,
    },
    /// Reading the skill of this name (HO-8).
    Skill {
        name: String,
    },
    /// A tool of an MCP server, called `mcp__server__tool`.
    Mcp {
        /// The server's word that the tool changes nothing (PM-65).
        read_only: bool,
        /// What `plan.mcp` says about such tools in plan mode.
        plan: PlanMcp,
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
    /// The session's plan file, exactly it (PM-44): the session says so, never the path alone.
    PlanFile,
}

/// What holds a command: in plan mode it makes sure that it only reads (PM-62).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Held {
    /// Only what the parser proves read-only runs.
    #[default]
    Parsed,
    /// The kernel: what is not known to change things runs, inside the read-only sandbox.
    Sandbox,
    /// There is no shell in plan mode.
    Off,
    /// Outside plan mode, where the user wants it: the kernel, inside the workspace-write sandbox (SB-4).
    Workspace,
    /// Outside plan mode: it runs unasked since it only reads, and the kernel, where it can, holds it to that. A hole in the
    /// proof is then no hole in the disk (PR-5).
    Reads,
    /// The same for what runs unasked since it changes files of the workspace only.
    Files,
}

/// A command line taken apart (PR-5), its paths resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellFacts {
    pub command: String,
    pub background: bool,
    pub parts: Vec<PartFacts>,
    /// Why it could not be understood in full.
    pub unparsed: Option<String>,
    /// What holds the command (PM-62, SB-4).
    pub held: Held,
    /// It may read files that hold keys (SB-2); known only where plan mode has no kernel to keep them closed.
    pub secret: bool,
}

/// One part with the targets of its path words, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFacts {
    pub part: shell::Part,
    pub writes: Vec<Reach>,
    pub redirects: Vec<Reach>,
    pub reads: Vec<Reach>,
    /// What the words of an unknown command name: counts for protected places and for rules about paths, for nothing else.
    pub named: Vec<Reach>,
}

/// Where a path word leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    Exact(Target),
    /// Something at or below this folder.
    Below(Target),
    Unknown,
}

/// The disk as the shell will find it. Paths are relative to the shell's working folder, absolute, or start with `~/` (or
/// are `~`) for the home folder.
pub trait Disk {
    fn resolve(&self, path: &str) -> Target;
    /// The symlinks that this glob finds or goes through. None if nobody can say, or if it finds what may be an option.
    fn links(&self, glob: &str) -> Option<Vec<String>>;
    /// The top of the repository that the shell's working folder is in; without one, that folder.
    fn repository(&self) -> Target;
    /// Is it a file, no link and no folder?
    fn is_plain_file(&self, path: &str) -> bool;
}

/// A disk on paper, which has no links.
impl<F: Fn(&str) -> Target> Disk for F {
    fn resolve(&self, path: &str) -> Target {
        self(path)
    }
    fn links(&self, _: &str) -> Option<Vec<String>> {
        Some(vec![])
    }
    fn repository(&self) -> Target {
        self(".")
    }
    fn is_plain_file(&self, _: &str) -> bool {
        true
    }
}

/// Commands that tell about the machine's other processes, of which a sandbox shows none.
const ABOUT_PROCESSES: [&str; 2] = ["pgrep", "ps"];

impl ShellFacts {
    /// Parses the command and resolves its path words.
    pub fn new(command: &str, background: bool, disk: impl Disk) -> ShellFacts {
        let shell::Parsed { parts, unparsed } = shell::parse(command);
        let reach = |words: &[shell::PathWord]| words.iter().flat_map(|word| Reach::of(word, &disk)).collect();
        let facts = |mut part: shell::Part| {
            if moves_more_than_files(&part, &disk) {
                part.verdict = shell::Verdict::Writes("moves more than a file".into());
            }
            PartFacts {
                writes: reach(&part.writes),
                redirects: reach(&part.redirects),
                reads: reach(&part.reads),
                named: reach(&part.named),
                part,
            }
        };
        let parts = parts.into_iter().map(facts).collect();
        ShellFacts { command: command.to_string(), background, parts, unparsed, held: Held::Parsed, secret: false }
    }

    /// Does any part of it name a file to write?
    pub fn writes_files(&self) -> bool {
        self.parts.iter().any(|part| !part.writes.is_empty() || !part.redirects.is_empty())
    }

    /// It starts in a repository that is not the workspace's: git would run what that one's own settings name.
    pub fn in_another_repository(mut self) -> ShellFacts {
        self.doubt(|part| part.program() == Some("git"));
        self
    }

    /// What holds it when the mode alone lets it run.
    fn held_to_its_word(&self) -> Held {
        let only_reads = |part: &PartFacts| part.part.verdict == Verdict::ReadOnly && part.redirects.is_empty();
        let about_processes = |part: &PartFacts| {
            let name = part.part.words.first().and_then(Option::as_deref);
            name.is_some_and(|name| ABOUT_PROCESSES.contains(&name)) && part.part.inside.is_empty()
        };
        // Nothing but plain words and pipes: here the parser's word is all there is.
        let plain = |c: char| c.is_ascii_alphanumeric() || " -_,./:|'\"[]".contains(c);
        match self.parts.iter().all(only_reads) {
            true if self.parts.iter().any(about_processes) && self.command.chars().all(plain) => self.held,
            true => Held::Reads,
            false if self.held == Held::Parsed => Held::Files,
            false => self.held,
        }
    }

    /// Of these parts nobody can say what they would run.
    pub fn doubt(&mut self, doubtful: impl Fn(&shell::Part) -> bool) {
        for PartFacts { part, .. } in &mut self.parts {
            if matches!(part.verdict, shell::Verdict::ReadOnly | shell::Verdict::FileCommand) && doubtful(part) {
                part.verdict = shell::Verdict::Unknown;
            }
        }
    }
}

/// Moved elsewhere, a link leads elsewhere; so do the links in a folder and the `..` of whoever works in it, and rules for what
/// is in it no longer speak.
fn moves_more_than_files(part: &shell::Part, disk: &impl Disk) -> bool {
    let plain = |word: &shell::PathWord| matches!(word, shell::PathWord::Exact(path) if disk.is_plain_file(path));
    part.program() == Some("mv") && part.verdict == shell::Verdict::FileCommand && !part.reads.iter().all(plain)
}

impl Reach {
    fn path(&self) -> Option<PathBuf> {
        match self {
            Reach::Exact(target) | Reach::Below(target) => Some(target.path.clone()),
            Reach::Unknown => None,
        }
    }
    fn of(word: &shell::PathWord, disk: &impl Disk) -> Vec<Reach> {
        match word {
            shell::PathWord::Exact(path) => vec![Reach::Exact(disk.resolve(path))],
            shell::PathWord::Below(path) => vec![Reach::Below(disk.resolve(path))],
            shell::PathWord::Glob(glob) => match disk.links(glob) {
                Some(links) => {
                    let folder = shell::PathWord::glob_folder(glob);
                    let all = std::iter::once(folder).chain(links.iter().map(String::as_str));
                    all.map(|path| Reach::Below(disk.resolve(path))).collect()
                }
                None => vec![Reach::Unknown],
            },
            shell::PathWord::Repository => vec![Reach::Below(disk.repository())],
            shell::PathWord::Pipe => vec![],
            shell::PathWord::Unknown => vec![Reach::Unknown],
        }
    }
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

impl Why {
    pub(crate) fn of(reason: impl Into<String>) -> Why {
        Why { reason: reason.into(), rule: None, source: None }
    }
    pub(crate) fn by_rule(rule: &Rule) -> Why {
        let verb = match rule.behavior {
            Behavior::Allow => "allowed",
            Behavior::Ask => "asked for",
            Behavior::Deny => "denied",
        };
        let reason = format!("{verb} by the rule `{}` from {}", rule.text, rule.source);
        Why { reason, rule: Some(rule.text.clone()), source: Some(rule.source) }
    }
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
    place: Place,
}

impl WriteGrant {
    pub fn path(&self) -> &Path {
        &self.path
    }
    pub fn place(&self) -> Place {
        self.place
    }
}

/// The right to start one command.
#[derive(Debug)]
pub struct ShellGrant {
    command: String,
    held: Held,
}

impl ShellGrant {
    pub fn command(&self) -> &str {
        &self.command
    }
    /// What it must be held by when it runs (PM-62, SB-4).
    pub fn held(&self) -> Held {
        self.held
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
    pub by: AskedBy,
    /// Rules that «don't ask again» would store, narrowest first (PR-7).
    pub suggestions: Vec<Suggestion>,
}

/// What «don't ask again» would store: all of these rules together cover the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub rules: Vec<String>,
    pub behavior: Behavior,
}

impl Ask {
    /// Somebody said yes; `reason` says who. This and [`decide`] are the only makers of rights.
    pub fn approve(self, reason: impl Into<String>) -> Allowed {
        Allowed { why: Why::of(reason), rights: Rights::of(self.facts.access) }
    }
    /// Somebody said no, or nobody could answer; `message` is for the model, empty for a plain no.
    pub fn deny(self, reason: impl Into<String>, message: &str) -> Denied {
        let message = match message.trim() {
            "" => {
                format!("The user refused this {} call. Do not try it again; ask what to do instead.", self.facts.tool)
            }
            words => format!("The user refused this {} call and said: {words}", self.facts.tool),
        };
        Denied { why: Why::of(reason), message }
    }
}

impl Rights {
    /// For what nobody was asked about and no rule names: a command has the mode's word alone, and is held to it.
    fn by_mode(mode: Mode, access: Access) -> Rights {
        match (mode, access) {
            (Mode::Default | Mode::AcceptEdits | Mode::Auto, Access::Shell(shell)) => {
                let held = shell.held_to_its_word();
                Rights::of(Access::Shell(ShellFacts { held, ..shell }))
            }
            (_, access) => Rights::of(access),
        }
    }

    fn of(access: Access) -> Rights {
        match access {
            Access::Write(target) => Rights::Write(WriteGrant { path: target.path, place: target.place }),
            Access::Shell(shell) => Rights::Shell(ShellGrant { held: shell.held, command: shell.command }),
            Access::Internal
            | Access::Kill { .. }
            | Access::Read(_)
            | Access::Fetch { .. }
            | Access::Agent { .. }
            | Access::Skill { .. }
            | Access::Mcp { .. }
            | Access::Question => Rights::Plain,
        }
    }
}

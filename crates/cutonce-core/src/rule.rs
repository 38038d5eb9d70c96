//! Rules: `Tool` or `Tool(specifier)`, each with its behaviour and the source it came from (PR-1, PR-2).
//!
//! A rule that cannot be understood is never dropped in silence. It is listed in [`Rules::errors`], and if it was to
//! deny or to ask it does so for its whole tool until somebody mends it: a typo must not open a door.

mod judged;
mod pattern;

pub use pattern::{CommandPattern, PathPattern};
pub(crate) use pattern::{escape_command, lexical};

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

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Source::Managed => "the managed settings",
            Source::CommandLine => "the command line",
            Source::Session => "this session",
            Source::Local => ".cutonce/settings.local.json",
            Source::Project => ".cutonce/settings.json",
            Source::User => "~/.cutonce/settings.json",
        })
    }
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
    pub tool: ToolName,
    pub spec: Spec,
    pub source: Source,
    pub base: PathBuf,
    /// As it was written.
    pub text: String,
}

/// Which tools a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolName {
    /// This one; `Edit` stands for all that write files, `Read` for all that read them.
    Named(String),
    /// All tools whose name begins so: those of an MCP server.
    Starting(String),
    /// Every tool: what is left of a deny rule that names none.
    Any,
}

/// What of the tool a rule is about.
#[derive(Debug, Clone)]
pub enum Spec {
    All,
    Command(CommandPattern),
    Path(PathPattern),
    /// This host and those below it.
    Domain(String),
    /// The agent or the skill of this name.
    Named(String),
}

/// A rule that could not be understood: what, why, what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The rule `{}` from {} was not understood: {why}{}", written.text, written.source, effect(written.behavior))]
pub struct RuleError {
    pub written: Written,
    pub why: String,
}

fn effect(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Allow => " It allows nothing.",
        Behavior::Ask => " Until it is mended every call of its tool asks.",
        Behavior::Deny => " Until it is mended every call of its tool is denied.",
    }
}

/// All rules in force. Those of a folder that is not trusted never come here (PR-2): see `settings` of the agent.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    home: Option<PathBuf>,
    cwd: PathBuf,
    /// Strongest source first.
    rules: Vec<Rule>,
    /// Tools of the embedding program, beside the ones we know (HO-4).
    own_tools: Vec<String>,
    /// Auto is active: what would skip its judgement does not count.
    judged: bool,
    errors: Vec<RuleError>,
}

impl Rules {
    /// `home` and `cwd` are absolute and resolved.
    pub fn new(home: Option<&Path>, cwd: &Path, written: impl IntoIterator<Item = Written>) -> Rules {
        Rules::with_tools(home, cwd, Vec::new(), written)
    }
    /// The same where the embedding program brings tools of its own: rules may name them, as a whole (HO-4).
    pub fn with_tools(
        home: Option<&Path>,
        cwd: &Path,
        own_tools: Vec<String>,
        written: impl IntoIterator<Item = Written>,
    ) -> Rules {
        let (home, cwd) = (home.map(Path::to_path_buf), cwd.to_path_buf());
        Rules { home, cwd, own_tools, ..Rules::default() }.read(written)
    }
    fn read(mut self, written: impl IntoIterator<Item = Written>) -> Rules {
        let rules = &mut self;
        for one in written {
            match rules.understand(&one) {
                Ok(rule) => rules.rules.push(rule),
                Err(why) => {
                    rules.rules.extend(whole_tool(&one));
                    rules.errors.push(RuleError { written: one, why });
                }
            }
        }
        rules.rules.sort_by_key(|rule| rule.source);
        self
    }
    /// The rules in force.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
    /// Rules that could not be understood.
    pub fn errors(&self) -> &[RuleError] {
        &self.errors
    }
    /// «Don't ask again» for this session.
    pub fn add_for_session(&mut self, behavior: Behavior, text: &str) -> Result<(), RuleError> {
        let written = Written { behavior, text: text.into(), source: Source::Session, base: self.cwd.clone() };
        match self.understand(&written) {
            Ok(rule) => {
                self.rules.push(rule);
                self.rules.sort_by_key(|rule| rule.source);
                Ok(())
            }
            Err(why) => Err(RuleError { written, why }),
        }
    }
    /// Takes a session rule back; false if there was none.
    pub fn remove_for_session(&mut self, behavior: Behavior, text: &str) -> bool {
        let before = self.rules.len();
        self.rules.retain(|r| !(r.source == Source::Session && r.behavior == behavior && r.text == text));
        before != self.rules.len()
    }
    /// Does a deny rule forbid reading this resolved path? For tools that go through whole folders.
    pub fn denies_read(&self, path: &Path) -> bool {
        self.with(Behavior::Deny).any(|rule| rule.is_about_reads() && rule.matches_path(path))
    }
    /// Is the whole tool denied, whatever its input? Then it need not be offered.
    pub fn denies_tool(&self, tool: &str) -> bool {
        self.with(Behavior::Deny).any(|rule| matches!(rule.spec, Spec::All) && rule.names(tool, false, false))
    }
    /// May this skill's text reach nobody (HO-8)?
    pub fn denies_skill(&self, name: &str) -> bool {
        self.with(Behavior::Deny).any(|rule| rule.names("Skill", false, false) && rule.matches_name(name))
    }
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }
    pub(crate) fn with(&self, behavior: Behavior) -> impl Iterator<Item = &Rule> {
        let counts = |rule: &Rule| !(self.judged && rule.skips_judgement());
        self.rules.iter().filter(move |rule| rule.behavior == behavior && counts(rule))
    }

    /// Which files a search that starts at a folder must leave out: those of deny rules, and those of ask rules unless
    /// the folder itself was asked for. `None`: no such rule. Called with the folder and the file (PR-1).
    pub fn unsearched(&self) -> Option<impl Fn(&Path, &Path) -> bool + Send + Sync + use<>> {
        let of = |behavior| -> Vec<PathPattern> {
            let reads = self.with(behavior).filter(|rule| rule.names("Grep", true, false));
            let paths = reads.filter_map(|rule| match &rule.spec {
                Spec::Path(pattern) => Some(pattern.clone()),
                Spec::All | Spec::Command(_) | Spec::Domain(_) | Spec::Named(_) => None,
            });
            paths.collect()
        };
        let (denied, asked) = (of(Behavior::Deny), of(Behavior::Ask));
        let any = !denied.is_empty() || !asked.is_empty();
        any.then_some(move |folder: &Path, file: &Path| {
            denied.iter().any(|pattern| pattern.matches(file))
                || asked.iter().any(|pattern| pattern.matches(file) && !pattern.matches(folder))
        })
    }

    fn understand(&self, written: &Written) -> Result<Rule, String> {
        let (name, spec) = split(written.text.trim())?;
        let tool = match self.own_tools.iter().find(|own| *own == name) {
            Some(own) => ToolName::Named(own.clone()),
            None => tool_name(name_today(name))?,
        };
        let spec = match spec {
            None => Spec::All,
            Some(spec) => self.spec(&tool, spec, &written.base)?,
        };
        let Written { behavior, text, source, base } = written.clone();
        Ok(Rule { behavior, tool, spec, source, base, text })
    }

    fn spec(&self, tool: &ToolName, spec: &str, base: &Path) -> Result<Spec, String> {
        let ToolName::Named(name) = tool else {
            return Err(
                "A rule for an MCP server takes no specifier. Write `mcp__server` or `mcp__server__tool`.".into()
            );
        };
        let kind = KNOWN.iter().find(|(known, _)| known == name).map_or(SpecKind::None, |(_, kind)| *kind);
        match kind {
            SpecKind::Command if spec == "*" => Ok(Spec::All),
            SpecKind::Command => CommandPattern::parse(spec).map(Spec::Command),
            SpecKind::Path => PathPattern::parse(spec, self.home.as_deref(), &self.cwd, base).map(Spec::Path),
            SpecKind::Domain => domain(spec).map(Spec::Domain),
            SpecKind::Agent => Ok(Spec::Named(spec.to_string())),
            SpecKind::Skill => skill(spec).map(Spec::Named),
            SpecKind::None => Err(format!("{name} takes no specifier. Write `{name}`.")),
        }
    }
}

/// What a tool is called here, given a name that it has or had elsewhere: who denies `Task` means agents.
pub fn name_today(tool: &str) -> &str {
    const FORMERLY: [(&str, &str); 2] = [("Task", "Agent"), ("KillBash", "KillShell")];
    FORMERLY.iter().find(|(old, _)| *old == tool).map_or(tool, |(_, new)| new)
}

impl Rule {
    /// Is this rule about a tool of that name, or of the family it stands for?
    pub(crate) fn names(&self, tool: &str, reads: bool, writes: bool) -> bool {
        match &self.tool {
            ToolName::Named(name) => name == tool || (name == "Edit" && writes) || (name == "Read" && reads),
            ToolName::Starting(start) => tool.starts_with(start.as_str()),
            ToolName::Any => true,
        }
    }
    /// Covers what the shell reads.
    pub(crate) fn is_about_reads(&self) -> bool {
        matches!(&self.tool, ToolName::Named(name) if name == "Read")
    }
    /// Covers what the shell writes.
    pub(crate) fn is_about_writes(&self) -> bool {
        matches!(&self.tool, ToolName::Named(name) if name == "Edit")
    }
    pub(crate) fn matches_path(&self, path: &Path) -> bool {
        match &self.spec {
            Spec::All => true,
            Spec::Path(pattern) => pattern.matches(path),
            Spec::Command(_) | Spec::Domain(_) | Spec::Named(_) => false,
        }
    }
    pub(crate) fn matches_host(&self, host: &str) -> bool {
        match &self.spec {
            Spec::All => true,
            Spec::Domain(domain) => {
                let host = host.trim_end_matches('.').to_ascii_lowercase();
                host == *domain || host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.ends_with('.'))
            }
            Spec::Command(_) | Spec::Path(_) | Spec::Named(_) => false,
        }
    }
    /// The agent's kind or the skill's name.
    pub(crate) fn matches_name(&self, name: &str) -> bool {
        match &self.spec {
            Spec::All => true,
            Spec::Named(named) => named == name,
            Spec::Command(_) | Spec::Path(_) | Spec::Domain(_) => false,
        }
    }
}

#[derive(Clone, Copy)]
enum SpecKind {
    None,
    Command,
    Path,
    Domain,
    Agent,
    Skill,
}

/// The tools there are, and what a specifier means for each.
const KNOWN: &[(&str, SpecKind)] = &[
    ("Agent", SpecKind::Agent),
    ("AskUserQuestion", SpecKind::None),
    ("Bash", SpecKind::Command),
    ("BashOutput", SpecKind::None),
    ("Edit", SpecKind::Path),
    ("EnterPlanMode", SpecKind::None),
    ("ExitPlanMode", SpecKind::None),
    ("Glob", SpecKind::Path),
    ("Grep", SpecKind::Path),
    ("KillShell", SpecKind::None),
    ("LS", SpecKind::Path),
    ("NotebookEdit", SpecKind::Path),
    ("Read", SpecKind::Path),
    ("SendMessage", SpecKind::None),
    ("Skill", SpecKind::Skill),
    ("StructuredOutput", SpecKind::None),
    ("TeamCreate", SpecKind::None),
    ("TeamDelete", SpecKind::None),
    ("TodoWrite", SpecKind::None),
    ("WaitForMcpServers", SpecKind::None),
    ("WebFetch", SpecKind::Domain),
    ("Write", SpecKind::Path),
];

/// Why a tool of the embedding program can't have this name: rules, providers and people must be able to tell tools apart.
pub fn own_tool_name(name: &str) -> Result<(), String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty()
        || name.len() > 64
        || !name.chars().all(fine)
        || !name.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        return Err("expected a letter, then letters, digits, `_` and `-`, 64 at most".into());
    }
    if name.starts_with("mcp__") {
        return Err("names that begin with `mcp__` belong to MCP servers".into());
    }
    match KNOWN.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
        true => Err("there is a built-in tool of that name".into()),
        false => Ok(()),
    }
}

/// `Tool` or `Tool(specifier)`.
fn split(text: &str) -> Result<(&str, Option<&str>), String> {
    match text.split_once('(') {
        None if text.is_empty() => Err("It is empty. Write `Tool` or `Tool(specifier)`.".into()),
        None if text.contains([')', ' ']) => {
            Err("Write `Tool` or `Tool(specifier)`, for example `Bash(git log:*)`.".into())
        }
        None => Ok((text, None)),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some("") => Err(format!("The specifier is empty. Write `{name}` for the whole tool.")),
            Some(spec) => Ok((name, Some(spec))),
            None => Err("The closing parenthesis is missing.".into()),
        },
    }
}

/// Does a rule's tool name, such as `mcp__server` or `mcp__server__*`, cover this tool? One that can't be understood covers
/// nothing.
pub fn names_tool(pattern: &str, tool: &str) -> bool {
    match tool_name(pattern) {
        Ok(ToolName::Named(name)) => name == tool,
        Ok(ToolName::Starting(start)) => tool.starts_with(&start),
        Ok(ToolName::Any) | Err(_) => false,
    }
}

fn tool_name(name: &str) -> Result<ToolName, String> {
    if let Some(rest) = name.strip_prefix("mcp__") {
        let fine = !rest.is_empty() && !rest.starts_with('_') && !rest.trim_end_matches('*').contains('*');
        return match rest.strip_suffix('*') {
            _ if !fine => Err("Write `mcp__server`, `mcp__server__tool` or `mcp__server__*`.".into()),
            Some(start) => Ok(ToolName::Starting(format!("mcp__{start}"))),
            None if rest.contains("__") => Ok(ToolName::Named(name.to_string())),
            None => Ok(ToolName::Starting(format!("{name}__"))),
        };
    }
    if KNOWN.iter().any(|(known, _)| *known == name) {
        return Ok(ToolName::Named(name.to_string()));
    }
    let hint = nearest(name).map_or_else(String::new, |near| format!(" Did you mean `{near}`?"));
    Err(format!("There is no tool `{name}`.{hint}"))
}

fn nearest(name: &str) -> Option<&'static str> {
    let distance = |known: &str| strsim::levenshtein(&known.to_ascii_lowercase(), &name.to_ascii_lowercase());
    KNOWN.iter().map(|(known, _)| (distance(known), *known)).min().filter(|(far, _)| *far <= 2).map(|(_, known)| known)
}

/// `deploy`; `deploy:*` and `deploy *`, as some write it, are the same: what a skill is used on makes no other skill of it.
fn skill(spec: &str) -> Result<String, String> {
    let name = spec.strip_suffix(":*").or_else(|| spec.strip_suffix(" *")).unwrap_or(spec).trim();
    let fine = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    if fine { Ok(name.to_string()) } else { Err(format!("`{name}` is no name of a skill. Write `Skill(deploy)`.")) }
}

fn domain(spec: &str) -> Result<String, String> {
    let help = "Write `WebFetch(domain:example.org)`.";
    let host = spec.strip_prefix("domain:").ok_or_else(|| format!("A domain is expected. {help}"))?;
    let host = host.trim().trim_start_matches("*.").trim_matches('.').to_ascii_lowercase();
    let fine = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || "-._:[]".contains(c));
    if fine { Ok(host) } else { Err(format!("`{host}` is no host name. {help}")) }
}

/// What a broken rule still does: a deny or ask rule counts for its whole tool, or for every tool if it names none.
fn whole_tool(written: &Written) -> Option<Rule> {
    let Written { behavior, text, source, base } = written.clone();
    match behavior {
        Behavior::Allow => None,
        Behavior::Ask | Behavior::Deny => {
            let name: String = text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let tool = match name.as_str() {
                "" => ToolName::Any,
                name => tool_name(name).unwrap_or_else(|_| ToolName::Named(nearest(name).unwrap_or(name).to_string())),
            };
            Some(Rule { behavior, tool, spec: Spec::All, source, base, text })
        }
    }
}

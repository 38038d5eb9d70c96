//! Permission rules: `Tool` or `Tool(specifier)`, each with a behavior and a source (PR-1, PR-2).
//!
//! An invalid rule is reported as an error. An invalid deny or ask rule applies to its whole tool until the user
//! fixes it, so that a typo never allows anything.

mod pattern;
mod suspended_rules;

pub use pattern::{CommandPattern, PathPattern};
pub(crate) use pattern::{escape_command, normalize_lexically};

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Effect of a rule, in order of precedence: deny beats ask beats allow, from any source (PR-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleBehavior {
    Allow,
    Ask,
    Deny,
}

/// Source of a rule or setting, strongest first (PR-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConfigSource {
    Managed,
    CommandLine,
    /// Added during this session, by the user ("don't ask again") or by a host.
    Session,
    /// `.cutonce/settings.local.json`
    Local,
    /// `.cutonce/settings.json`
    Project,
    /// `~/.cutonce/settings.json`
    User,
}

impl std::fmt::Display for ConfigSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ConfigSource::Managed => "the managed settings",
            ConfigSource::CommandLine => "the command line",
            ConfigSource::Session => "this session",
            ConfigSource::Local => ".cutonce/settings.local.json",
            ConfigSource::Project => ".cutonce/settings.json",
            ConfigSource::User => "~/.cutonce/settings.json",
        })
    }
}

/// A rule as written in settings, before parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRule {
    pub behavior: RuleBehavior,
    pub text: String,
    pub source: ConfigSource,
    /// Base folder for `/x` in this rule: the project root, or the home folder for user settings.
    pub base: PathBuf,
}

/// A parsed permission rule.
#[derive(Debug, Clone)]
pub struct Rule {
    pub behavior: RuleBehavior,
    pub tool: ToolName,
    pub spec: RuleSpec,
    pub source: ConfigSource,
    pub base: PathBuf,
    /// The text as written.
    pub text: String,
}

/// The tools that a rule covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolName {
    /// One tool. `Edit` covers all tools that write files, `Read` all that read them.
    Named(String),
    /// All tools with this prefix, such as those of an MCP server.
    Prefix(String),
    /// Every tool; used for an invalid deny or ask rule that names no tool.
    Any,
}

/// The calls of a tool that a rule covers.
#[derive(Debug, Clone)]
pub enum RuleSpec {
    All,
    Command(CommandPattern),
    Path(PathPattern),
    /// This host and its subdomains.
    Domain(String),
    /// The subagent or skill with this name.
    Named(String),
}

/// An invalid rule: which one, why, and its effect until it is fixed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid rule `{}` from {}: {why}{}", written.text, written.source, invalid_rule_effect(written.behavior))]
pub struct RuleError {
    pub written: WrittenRule,
    pub why: RuleSyntaxError,
}

/// What is wrong with a rule's text, and how to write it instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleSyntaxError(String);

impl From<String> for RuleSyntaxError {
    fn from(message: String) -> RuleSyntaxError {
        RuleSyntaxError(message)
    }
}

impl From<&str> for RuleSyntaxError {
    fn from(message: &str) -> RuleSyntaxError {
        RuleSyntaxError(message.into())
    }
}

fn invalid_rule_effect(behavior: RuleBehavior) -> &'static str {
    match behavior {
        RuleBehavior::Allow => " The rule is ignored.",
        RuleBehavior::Ask => " Until you fix it, every call of its tool asks.",
        RuleBehavior::Deny => " Until you fix it, every call of its tool is denied.",
    }
}

/// All active rules. Allow rules of an untrusted folder are filtered out before (PR-2), in the agent's `settings`.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    home: Option<PathBuf>,
    cwd: PathBuf,
    /// Strongest source first.
    rules: Vec<Rule>,
    /// Tools added by the embedding program (HO-4).
    own_tools: Vec<String>,
    /// True while auto mode is active: rules that would bypass its classifier are suspended.
    classifier_active: bool,
    errors: Vec<RuleError>,
}

impl RuleSet {
    /// Parses the rules. `home` and `cwd` are absolute and resolved.
    pub fn new(home: Option<&Path>, cwd: &Path, written: impl IntoIterator<Item = WrittenRule>) -> RuleSet {
        RuleSet::with_tools(home, cwd, Vec::new(), written)
    }
    /// Like `new`, with tools of the embedding program. Rules may name these without a specifier (HO-4).
    pub fn with_tools(
        home: Option<&Path>,
        cwd: &Path,
        own_tools: Vec<String>,
        written: impl IntoIterator<Item = WrittenRule>,
    ) -> RuleSet {
        let (home, cwd) = (home.map(Path::to_path_buf), cwd.to_path_buf());
        RuleSet { home, cwd, own_tools, ..RuleSet::default() }.parse_all(written)
    }
    fn parse_all(mut self, written: impl IntoIterator<Item = WrittenRule>) -> RuleSet {
        let rules = &mut self;
        for one in written {
            match rules.parse_rule(&one) {
                Ok(rule) => rules.rules.push(rule),
                Err(why) => {
                    rules.rules.extend(fail_closed_rule(&one));
                    rules.errors.push(RuleError { written: one, why });
                }
            }
        }
        rules.rules.sort_by_key(|rule| rule.source);
        self
    }
    /// The active rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
    /// The invalid rules.
    pub fn errors(&self) -> &[RuleError] {
        &self.errors
    }
    /// Adds a "don't ask again" rule for this session.
    pub fn add_for_session(&mut self, behavior: RuleBehavior, text: &str) -> Result<(), RuleError> {
        let written =
            WrittenRule { behavior, text: text.into(), source: ConfigSource::Session, base: self.cwd.clone() };
        match self.parse_rule(&written) {
            Ok(rule) => {
                self.rules.push(rule);
                self.rules.sort_by_key(|rule| rule.source);
                Ok(())
            }
            Err(why) => Err(RuleError { written, why }),
        }
    }
    /// Removes a session rule; false if it did not exist.
    pub fn remove_for_session(&mut self, behavior: RuleBehavior, text: &str) -> bool {
        let before = self.rules.len();
        self.rules.retain(|r| !(r.source == ConfigSource::Session && r.behavior == behavior && r.text == text));
        before != self.rules.len()
    }
    /// True if a deny rule forbids reading this resolved path. For tools that walk folders.
    pub fn denies_read(&self, path: &Path) -> bool {
        self.with_behavior(RuleBehavior::Deny).any(|rule| rule.is_about_reads() && rule.matches_path(path))
    }
    /// True if the tool is denied for any input, so it is not offered to the model.
    pub fn denies_tool(&self, tool: &str) -> bool {
        self.with_behavior(RuleBehavior::Deny)
            .any(|rule| matches!(rule.spec, RuleSpec::All) && rule.covers_tool(tool, false, false))
    }
    /// True if this skill is denied (HO-8).
    pub fn denies_skill(&self, name: &str) -> bool {
        self.with_behavior(RuleBehavior::Deny)
            .any(|rule| rule.covers_tool("Skill", false, false) && rule.matches_name(name))
    }
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }
    pub(crate) fn with_behavior(&self, behavior: RuleBehavior) -> impl Iterator<Item = &Rule> {
        let counts = |rule: &Rule| !(self.classifier_active && rule.bypasses_classifier());
        self.rules.iter().filter(move |rule| rule.behavior == behavior && counts(rule))
    }

    /// Files that a search must skip: those with a deny rule, and those with an ask rule unless the same rule covers
    /// the search folder. `None` if no rule applies. The function takes the search folder and the file (PR-1).
    pub fn search_exclusions(&self) -> Option<impl Fn(&Path, &Path) -> bool + Send + Sync + use<>> {
        let of = |behavior| -> Vec<PathPattern> {
            let reads = self.with_behavior(behavior).filter(|rule| rule.covers_tool("Grep", true, false));
            let paths = reads.filter_map(|rule| match &rule.spec {
                RuleSpec::Path(pattern) => Some(pattern.clone()),
                RuleSpec::All | RuleSpec::Command(_) | RuleSpec::Domain(_) | RuleSpec::Named(_) => None,
            });
            paths.collect()
        };
        let (denied, asked) = (of(RuleBehavior::Deny), of(RuleBehavior::Ask));
        let any = !denied.is_empty() || !asked.is_empty();
        any.then_some(move |folder: &Path, file: &Path| {
            denied.iter().any(|pattern| pattern.matches(file))
                || asked.iter().any(|pattern| pattern.matches(file) && !pattern.matches(folder))
        })
    }

    fn parse_rule(&self, written: &WrittenRule) -> Result<Rule, RuleSyntaxError> {
        let (name, spec) = split_rule(written.text.trim())?;
        let tool = match self.own_tools.iter().find(|own| *own == name) {
            Some(own) => ToolName::Named(own.clone()),
            None => parse_tool_name(current_tool_name(name))?,
        };
        let spec = match spec {
            None => RuleSpec::All,
            Some(spec) => self.parse_spec(&tool, spec, &written.base)?,
        };
        let WrittenRule { behavior, text, source, base } = written.clone();
        Ok(Rule { behavior, tool, spec, source, base, text })
    }

    fn parse_spec(&self, tool: &ToolName, spec: &str, base: &Path) -> Result<RuleSpec, RuleSyntaxError> {
        let ToolName::Named(name) = tool else {
            return Err(
                "A rule for an MCP server takes no specifier. Write `mcp__server` or `mcp__server__tool`.".into()
            );
        };
        let kind = KNOWN_TOOLS.iter().find(|(known, _)| known == name).map_or(SpecKind::None, |(_, kind)| *kind);
        match kind {
            SpecKind::Command if spec == "*" => Ok(RuleSpec::All),
            SpecKind::Command => CommandPattern::parse(spec).map(RuleSpec::Command),
            SpecKind::Path => PathPattern::parse(spec, self.home.as_deref(), &self.cwd, base).map(RuleSpec::Path),
            SpecKind::Domain => parse_domain(spec).map(RuleSpec::Domain),
            SpecKind::Agent => Ok(RuleSpec::Named(spec.to_string())),
            SpecKind::Skill => parse_skill(spec).map(RuleSpec::Named),
            SpecKind::None => Err(format!("{name} takes no specifier. Write `{name}`.").into()),
        }
    }
}

/// Current name of a tool that has another name in other programs, such as `Task` for `Agent`.
pub fn current_tool_name(tool: &str) -> &str {
    const FORMERLY: [(&str, &str); 2] = [("Task", "Agent"), ("KillBash", "KillShell")];
    FORMERLY.iter().find(|(old, _)| *old == tool).map_or(tool, |(_, new)| new)
}

impl Rule {
    /// True if this rule covers the tool, by name or as one of the tools that read or write files.
    pub(crate) fn covers_tool(&self, tool: &str, reads: bool, writes: bool) -> bool {
        match &self.tool {
            ToolName::Named(name) => name == tool || (name == "Edit" && writes) || (name == "Read" && reads),
            ToolName::Prefix(start) => tool.starts_with(start.as_str()),
            ToolName::Any => true,
        }
    }
    /// True if the rule also covers files that shell commands read.
    pub(crate) fn is_about_reads(&self) -> bool {
        matches!(&self.tool, ToolName::Named(name) if name == "Read")
    }
    /// True if the rule also covers files that shell commands write.
    pub(crate) fn is_about_writes(&self) -> bool {
        matches!(&self.tool, ToolName::Named(name) if name == "Edit")
    }
    pub(crate) fn matches_path(&self, path: &Path) -> bool {
        match &self.spec {
            RuleSpec::All => true,
            RuleSpec::Path(pattern) => pattern.matches(path),
            RuleSpec::Command(_) | RuleSpec::Domain(_) | RuleSpec::Named(_) => false,
        }
    }
    pub(crate) fn matches_host(&self, host: &str) -> bool {
        match &self.spec {
            RuleSpec::All => true,
            RuleSpec::Domain(domain) => {
                let host = host.trim_end_matches('.').to_ascii_lowercase();
                host == *domain || host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.ends_with('.'))
            }
            RuleSpec::Command(_) | RuleSpec::Path(_) | RuleSpec::Named(_) => false,
        }
    }
    /// Matches the subagent type or the skill name.
    pub(crate) fn matches_name(&self, name: &str) -> bool {
        match &self.spec {
            RuleSpec::All => true,
            RuleSpec::Named(named) => named == name,
            RuleSpec::Command(_) | RuleSpec::Path(_) | RuleSpec::Domain(_) => false,
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

/// Built-in tools, with the meaning of a specifier for each.
const KNOWN_TOOLS: &[(&str, SpecKind)] = &[
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
    ("WebSearch", SpecKind::None),
    ("Write", SpecKind::Path),
];

/// Why an embedding program's tool can't have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ToolNameError {
    #[error("expected a letter, then letters, digits, `_` and `-`, 64 at most")]
    Malformed,
    #[error("names starting with `mcp__` are reserved for MCP servers")]
    Reserved,
    #[error("a built-in tool has this name")]
    BuiltIn,
}

/// Checks the name of an embedding program's tool, so that rules, providers and users can tell tools apart.
pub fn check_own_tool_name(name: &str) -> Result<(), ToolNameError> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty()
        || name.len() > 64
        || !name.chars().all(fine)
        || !name.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        return Err(ToolNameError::Malformed);
    }
    if name.starts_with("mcp__") {
        return Err(ToolNameError::Reserved);
    }
    match KNOWN_TOOLS.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
        true => Err(ToolNameError::BuiltIn),
        false => Ok(()),
    }
}

/// `Tool` or `Tool(specifier)`.
fn split_rule(text: &str) -> Result<(&str, Option<&str>), RuleSyntaxError> {
    match text.split_once('(') {
        None if text.is_empty() => Err("The rule is empty. Write `Tool` or `Tool(specifier)`.".into()),
        None if text.contains([')', ' ']) => {
            Err("Write `Tool` or `Tool(specifier)`, for example `Bash(git log:*)`.".into())
        }
        None => Ok((text, None)),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some("") => Err(format!("The specifier is empty. Write `{name}` for the whole tool.").into()),
            Some(spec) => Ok((name, Some(spec))),
            None => Err("The closing parenthesis is missing.".into()),
        },
    }
}

/// True if a rule's tool name, such as `mcp__server` or `mcp__server__*`, covers this tool. An invalid name
/// covers nothing.
pub fn pattern_covers_tool(pattern: &str, tool: &str) -> bool {
    match parse_tool_name(pattern) {
        Ok(ToolName::Named(name)) => name == tool,
        Ok(ToolName::Prefix(start)) => tool.starts_with(&start),
        Ok(ToolName::Any) | Err(_) => false,
    }
}

fn parse_tool_name(name: &str) -> Result<ToolName, RuleSyntaxError> {
    if let Some(rest) = name.strip_prefix("mcp__") {
        let fine = !rest.is_empty() && !rest.starts_with('_') && !rest.trim_end_matches('*').contains('*');
        return match rest.strip_suffix('*') {
            _ if !fine => Err("Write `mcp__server`, `mcp__server__tool` or `mcp__server__*`.".into()),
            Some(start) => Ok(ToolName::Prefix(format!("mcp__{start}"))),
            None if rest.contains("__") => Ok(ToolName::Named(name.to_string())),
            None => Ok(ToolName::Prefix(format!("{name}__"))),
        };
    }
    if KNOWN_TOOLS.iter().any(|(known, _)| *known == name) {
        return Ok(ToolName::Named(name.to_string()));
    }
    let hint = nearest_tool(name).map_or_else(String::new, |near| format!(" Did you mean `{near}`?"));
    Err(format!("There is no tool `{name}`.{hint}").into())
}

fn nearest_tool(name: &str) -> Option<&'static str> {
    let distance = |known: &str| strsim::levenshtein(&known.to_ascii_lowercase(), &name.to_ascii_lowercase());
    KNOWN_TOOLS
        .iter()
        .map(|(known, _)| (distance(known), *known))
        .min()
        .filter(|(far, _)| *far <= 2)
        .map(|(_, known)| known)
}

/// Parses `deploy`. `deploy:*` and `deploy *` mean the same, because arguments do not select a skill.
fn parse_skill(spec: &str) -> Result<String, RuleSyntaxError> {
    let name = spec.strip_suffix(":*").or_else(|| spec.strip_suffix(" *")).unwrap_or(spec).trim();
    let fine = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    if fine {
        Ok(name.to_string())
    } else {
        Err(format!("`{name}` is not a skill name. Write `Skill(deploy)`.").into())
    }
}

fn parse_domain(spec: &str) -> Result<String, RuleSyntaxError> {
    let help = "Write `WebFetch(domain:example.org)`.";
    let host = spec.strip_prefix("domain:").ok_or_else(|| format!("Expected a domain. {help}"))?;
    let host = host.trim().trim_start_matches("*.").trim_matches('.').to_ascii_lowercase();
    let fine = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || "-._:[]".contains(c));
    if fine { Ok(host) } else { Err(format!("`{host}` is not a host name. {help}").into()) }
}

/// Fallback for an invalid deny or ask rule: it covers its whole tool, or every tool if it names none.
fn fail_closed_rule(written: &WrittenRule) -> Option<Rule> {
    let WrittenRule { behavior, text, source, base } = written.clone();
    match behavior {
        RuleBehavior::Allow => None,
        RuleBehavior::Ask | RuleBehavior::Deny => {
            let name: String = text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let tool = match name.as_str() {
                "" => ToolName::Any,
                name => parse_tool_name(name)
                    .unwrap_or_else(|_| ToolName::Named(nearest_tool(name).unwrap_or(name).to_string())),
            };
            Some(Rule { behavior, tool, spec: RuleSpec::All, source, base, text })
        }
    }
}

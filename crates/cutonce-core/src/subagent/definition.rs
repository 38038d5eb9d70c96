//! An agent definition, read from a markdown file with front matter (SA-3).

use crate::mode::Mode;
use crate::model_request::Effort;
use crate::permission::rules;
use crate::plan;
use crate::text::front_matter::{self, FrontMatterError, FrontMatterField};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDefinition {
    pub name: String,
    /// Description by which the model chooses the agent.
    pub description: String,
    /// The agent's system prompt.
    pub prompt: String,
    /// Allowed tools; `None` means all.
    pub tools: Option<Vec<String>>,
    pub disallowed_tools: Vec<String>,
    pub model: AgentModel,
    /// Never lifts plan mode (PM-64).
    pub permission_mode: Option<Mode>,
    pub color: Option<AgentColor>,
    /// True if the agent sees the conversation so far.
    pub fork_context: bool,
    /// True if the agent gets AGENTS.md and CLAUDE.md like the session.
    pub project_instructions: bool,
    /// Further options (HO-1).
    pub options: AgentOptions,
    pub source: AgentSource,
    /// Path of the file, for editing.
    pub path: Option<PathBuf>,
}

/// Optional agent settings that hosts send (HO-1); files may set them too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentOptions {
    /// Maximum number of requests to the model.
    pub max_turns: Option<u32>,
    /// Always run in the background, whatever the call says.
    pub background: bool,
    /// Skills whose texts are loaded at the start (HO-8).
    pub skills: Vec<String>,
    /// MCP servers whose tools the agent gets in addition to `tools`.
    pub mcp_servers: Vec<AgentMcpServer>,
    /// First prompt if it runs as the main thread's agent.
    pub initial_prompt: Option<String>,
    pub effort: Option<Effort>,
    /// `permissionMode: dontAsk`: deny every call that would ask.
    pub dont_ask: bool,
    /// Fields without effect here, to be reported to the user.
    pub ignored_fields: Vec<String>,
}

/// An MCP server that an agent uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentMcpServer {
    /// A server of the session.
    SessionServer(String),
    /// A server started with the agent: name and definition.
    InlineServer(String, serde_json::Value),
}

/// Where an agent is defined; the strongest source comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum AgentSource {
    BuiltIn,
    User,
    Project,
    /// `--agents` or a host.
    Host,
}

impl AgentSource {
    pub fn name(self) -> &'static str {
        match self {
            AgentSource::BuiltIn => "built-in",
            AgentSource::User => "user",
            AgentSource::Project => "project",
            AgentSource::Host => "host",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AgentModel {
    /// The model of the session or agent that starts it.
    #[default]
    Inherit,
    /// `model.small`, or the small class of the same provider.
    Small,
    /// `model.plan`, or inherited.
    Plan,
    /// An alias or id.
    Named(String),
}

impl AgentModel {
    pub fn parse(text: &str) -> AgentModel {
        match text.trim() {
            "" | "inherit" => AgentModel::Inherit,
            "small" => AgentModel::Small,
            "plan" => AgentModel::Plan,
            name => AgentModel::Named(name.into()),
        }
    }
    pub fn name(&self) -> &str {
        match self {
            AgentModel::Inherit => "inherit",
            AgentModel::Small => "small",
            AgentModel::Plan => "plan",
            AgentModel::Named(name) => name,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentColor {
    Red,
    Orange,
    Yellow,
    Green,
    Cyan,
    Blue,
    Purple,
    Violet,
    Pink,
}

impl AgentColor {
    pub const ALL: [(&str, AgentColor); 9] = [
        ("red", AgentColor::Red),
        ("orange", AgentColor::Orange),
        ("yellow", AgentColor::Yellow),
        ("green", AgentColor::Green),
        ("cyan", AgentColor::Cyan),
        ("blue", AgentColor::Blue),
        ("purple", AgentColor::Purple),
        ("violet", AgentColor::Violet),
        ("pink", AgentColor::Pink),
    ];
    pub fn parse(name: &str) -> Option<AgentColor> {
        let name = name.trim().to_ascii_lowercase();
        AgentColor::ALL.iter().find(|(known, _)| *known == name).map(|(_, color)| *color)
    }
}

/// Error for a file that defines no valid agent.
pub type AgentFileError = FrontMatterError;

/// Tools that subagents never get (PM-31, PM-82). A subagent can't talk to a team on behalf of its session.
const NEVER_OFFERED: [&str; 5] =
    [plan::ENTER_PLAN_MODE, plan::EXIT_PLAN_MODE, "TeamCreate", "TeamDelete", "SendMessage"];
const MAX_NAME_LEN: usize = 64;

impl AgentDefinition {
    /// True if the tool is in the list that is sent to the agent (SA-4).
    pub fn offers(&self, tool: &str) -> bool {
        !NEVER_OFFERED.contains(&tool) && self.offers_in_main_thread(tool)
    }

    /// Like `offers`, if the main thread runs as this agent: it may plan and lead a team (HO-1).
    pub fn offers_in_main_thread(&self, tool: &str) -> bool {
        let named = |list: &Vec<String>| list.iter().any(|entry| entry_covers(entry, tool));
        let listed = self.tools.as_ref().is_none_or(named)
            || self.options.mcp_servers.iter().any(|server| server.provides(tool));
        listed && !named(&self.disallowed_tools)
    }

    /// An empty definition.
    pub(super) fn empty(source: AgentSource, path: Option<PathBuf>) -> AgentDefinition {
        AgentDefinition {
            name: String::new(),
            description: String::new(),
            prompt: String::new(),
            tools: None,
            disallowed_tools: Vec::new(),
            model: AgentModel::Inherit,
            permission_mode: None,
            color: None,
            fork_context: false,
            project_instructions: true,
            options: AgentOptions::default(),
            source,
            path,
        }
    }

    /// Short list of the agent's tools.
    pub fn describe_tools(&self) -> String {
        let without: Vec<&str> =
            self.disallowed_tools.iter().map(String::as_str).filter(|tool| !NEVER_OFFERED.contains(tool)).collect();
        match (&self.tools, without.as_slice()) {
            (Some(tools), _) => {
                tools.iter().map(String::as_str).filter(|tool| self.offers(tool)).collect::<Vec<_>>().join(", ")
            }
            (None, []) => "all".into(),
            (None, without) => format!("all but {}", without.join(", ")),
        }
    }
}

impl AgentMcpServer {
    fn provides(&self, tool: &str) -> bool {
        match self {
            AgentMcpServer::SessionServer(name) | AgentMcpServer::InlineServer(name, _) => {
                entry_covers(&format!("mcp__{name}"), tool)
            }
        }
    }
}

/// True if a list entry covers the tool; `mcp__server` and `mcp__server__*` cover all tools of a server.
fn entry_covers(entry: &str, tool: &str) -> bool {
    let entry = rules::current_tool_name(entry);
    let server = entry.starts_with("mcp__") && tool.strip_prefix(entry).is_some_and(|rest| rest.starts_with("__"));
    entry == tool || entry == "*" || server || entry.strip_suffix('*').is_some_and(|start| tool.starts_with(start))
}

/// Parses a markdown file. `Ok(None)`: without front matter it is not an agent.
/// The strings report unknown keys, which are ignored.
pub fn parse_agent_file(
    text: &str,
    source: AgentSource,
    path: Option<PathBuf>,
) -> Result<Option<(AgentDefinition, Vec<String>)>, AgentFileError> {
    let Some(document) = front_matter::parse_front_matter(text)? else { return Ok(None) };
    let mut definition = AgentDefinition { prompt: document.body, ..AgentDefinition::empty(source, path) };
    let mut unknown = Vec::new();
    for field in &document.fields {
        if !definition.set_field(field)? {
            unknown.push(format!("line {}: unknown key `{}`, ignored", field.line, field.key));
        }
    }
    definition.check_complete().map_err(|what| FrontMatterError::new(1, what))?;
    Ok(Some((definition, unknown)))
}

impl AgentDefinition {
    /// Sets one field; returns false for an unknown key.
    fn set_field(&mut self, field: &FrontMatterField) -> Result<bool, FrontMatterError> {
        let wrong = |expected: &str, got: &str| {
            let got: String = crate::text::sanitize::one_line(got).chars().take(60).collect();
            FrontMatterError::new(field.line, format!("`{}`: expected {expected}, got `{got}`", field.key))
        };
        let text = || match &field.value {
            front_matter::FieldValue::Text(text) => Ok(text.clone()),
            front_matter::FieldValue::List(items) => Err(wrong("a text", &items.join(", "))),
        };
        let flag = |text: String| match text.as_str() {
            "true" | "yes" => Ok(true),
            "false" | "no" => Ok(false),
            other => Err(wrong("true or false", other)),
        };
        match field.key.as_str() {
            "name" => {
                self.name = check_name(&text()?).map_err(|expected| wrong(expected, &field.value.items().join(", ")))?
            }
            "description" => self.description = text()?,
            "tools" => {
                // `[]` means no tools; only an omitted value means all.
                let none = matches!(field.value, front_matter::FieldValue::List(_));
                self.tools = Some(check_tools(field.value.items()).map_err(|(e, got)| wrong(e, &got))?)
                    .filter(|tools| none || !tools.is_empty())
            }
            "disallowedTools" => {
                self.disallowed_tools = check_tools(field.value.items()).map_err(|(e, got)| wrong(e, &got))?
            }
            "model" => self.model = AgentModel::parse(&text()?),
            "permissionMode" => {
                let name = text()?;
                self.set_mode(&name).ok_or_else(|| wrong(&mode_names(), &name))?;
            }
            "color" => {
                let name = text()?;
                self.color = Some(AgentColor::parse(&name).ok_or_else(|| wrong(&color_names(), &name))?);
            }
            "forkContext" => self.fork_context = flag(text()?)?,
            "projectInstructions" => self.project_instructions = flag(text()?)?,
            "maxTurns" => {
                let most = text()?;
                self.options.max_turns =
                    Some(parse_max_turns(most.parse().ok()).ok_or_else(|| wrong(MAX_TURNS_EXPECTED, &most))?);
            }
            "background" => self.options.background = flag(text()?)?,
            "initialPrompt" => self.options.initial_prompt = Some(text()?),
            "effort" => {
                let name = text()?;
                self.options.effort = Some(Effort::parse(&name).ok_or_else(|| wrong(EFFORT_EXPECTED, &name))?);
            }
            "skills" => self.options.skills = field.value.items(),
            "mcpServers" => {
                self.options.mcp_servers = field.value.items().into_iter().map(AgentMcpServer::SessionServer).collect()
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Sets the mode; `dontAsk` is default mode without a user to ask. `None` for an unknown mode.
    pub(super) fn set_mode(&mut self, name: &str) -> Option<()> {
        let dont_ask = name == DONT_ASK;
        self.permission_mode = Some(if dont_ask { Mode::Default } else { Mode::parse(name)? });
        self.options.dont_ask = dont_ask;
        Some(())
    }

    /// Checks that name, description and prompt are present.
    pub(super) fn check_complete(&self) -> Result<(), &'static str> {
        match (self.name.is_empty(), self.description.trim().is_empty(), self.prompt.trim().is_empty()) {
            (true, _, _) => Err("expected `name: …` in the front matter, got none"),
            (_, true, _) => {
                Err("expected `description: …` in the front matter, got none: the model chooses agents by it")
            }
            (_, _, true) => Err("expected instructions for the agent below the front matter, got none"),
            (false, false, false) => Ok(()),
        }
    }
}

/// Mode of other programs that denies every call that would ask.
pub(super) const DONT_ASK: &str = "dontAsk";
pub(super) const MAX_TURNS_EXPECTED: &str = "a number above 0";
pub(super) const EFFORT_EXPECTED: &str = "one of low, medium, high, max";

pub(super) fn parse_max_turns(given: Option<u64>) -> Option<u32> {
    given.and_then(|most| u32::try_from(most).ok()).filter(|most| *most > 0)
}

fn mode_names() -> String {
    format!("one of {}, {DONT_ASK}", Mode::ALL.map(Mode::name).join(", "))
}

fn color_names() -> String {
    format!("one of {}", AgentColor::ALL.map(|(name, _)| name).join(", "))
}

pub(super) fn check_name(name: &str) -> Result<String, &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    if name.is_empty() || name.len() > MAX_NAME_LEN || !name.chars().all(plain) {
        return Err("letters, digits, `-`, `_`, `.` and `:`, at most 64");
    }
    Ok(name.to_string())
}

/// Checks that these are plain tool names. A name cut out of a rule such as `Bash(ls:*)` would allow more
/// than the rule.
pub(super) fn check_tools(names: Vec<String>) -> Result<Vec<String>, (&'static str, String)> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.*".contains(c);
    match names.iter().find(|name| !name.chars().all(plain)) {
        Some(bad) => {
            Err(("tool names, like `Read, Grep`; use permission rules to limit what a tool may do", bad.clone()))
        }
        None => Ok(names),
    }
}

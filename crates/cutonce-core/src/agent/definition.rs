//! One definition, from a markdown file with front matter (SA-3).

use crate::front_matter::{self, Fault, Field};
use crate::mode::Mode;
use crate::plan;
use crate::request::Effort;
use crate::rule;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    /// For the model that chooses it.
    pub description: String,
    /// Its system prompt.
    pub prompt: String,
    /// None: all tools.
    pub tools: Option<Vec<String>>,
    pub disallowed_tools: Vec<String>,
    pub model: ModelWish,
    /// Never lifts plan mode (PM-64).
    pub permission_mode: Option<Mode>,
    pub color: Option<Color>,
    /// It sees the conversation so far.
    pub fork_context: bool,
    /// It is given AGENTS.md and CLAUDE.md as the session is.
    pub project_instructions: bool,
    /// What it is given and where it ends (HO-1).
    pub more: More,
    pub source: Source,
    /// The file, for editing.
    pub path: Option<PathBuf>,
}

/// What hosts say about an agent beside who it is (HO-1); files may say the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct More {
    /// Requests to the model before it must end.
    pub max_turns: Option<u32>,
    /// Nobody waits for it, whatever the call says.
    pub background: bool,
    /// Skills whose texts it knows from the start (HO-8).
    pub skills: Vec<String>,
    /// MCP servers whose tools it has, beside those of `tools`.
    pub servers: Vec<AgentServer>,
    /// The first words where it is the main thread's own agent.
    pub initial_prompt: Option<String>,
    pub effort: Option<Effort>,
    /// `permissionMode: dontAsk`: what would ask is denied.
    pub dont_ask: bool,
    /// Fields that mean nothing here, to be told.
    pub ignored: Vec<String>,
}

/// An MCP server of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentServer {
    /// One that the session has.
    Named(String),
    /// One that is started with the agent: its name and definition.
    Own(String, serde_json::Value),
}

/// Strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    BuiltIn,
    User,
    Project,
    /// `--agents`, a host.
    Host,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::BuiltIn => "built-in",
            Source::User => "user",
            Source::Project => "project",
            Source::Host => "host",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ModelWish {
    /// The model of whoever starts it.
    #[default]
    Inherit,
    /// `model.small`, or the small class of the same provider.
    Small,
    /// `model.plan`, or inherited.
    Plan,
    /// An alias or id.
    Named(String),
}

impl ModelWish {
    pub fn parse(text: &str) -> ModelWish {
        match text.trim() {
            "" | "inherit" => ModelWish::Inherit,
            "small" => ModelWish::Small,
            "plan" => ModelWish::Plan,
            name => ModelWish::Named(name.into()),
        }
    }
    pub fn name(&self) -> &str {
        match self {
            ModelWish::Inherit => "inherit",
            ModelWish::Small => "small",
            ModelWish::Plan => "plan",
            ModelWish::Named(name) => name,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
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

impl Color {
    pub const ALL: [(&str, Color); 9] = [
        ("red", Color::Red),
        ("orange", Color::Orange),
        ("yellow", Color::Yellow),
        ("green", Color::Green),
        ("cyan", Color::Cyan),
        ("blue", Color::Blue),
        ("purple", Color::Purple),
        ("violet", Color::Violet),
        ("pink", Color::Pink),
    ];
    pub fn parse(name: &str) -> Option<Color> {
        let name = name.trim().to_ascii_lowercase();
        Color::ALL.iter().find(|(known, _)| *known == name).map(|(_, color)| *color)
    }
}

/// Why a file defines no agent; or, with `None` as the line, what is missing in it.
pub type FileFault = Fault;

/// Tools that no subagent is offered (PM-31, PM-82); and it does not speak to a team in the name of its session.
const NEVER: [&str; 5] = [plan::ENTER, plan::EXIT, "TeamCreate", "TeamDelete", "SendMessage"];
const LONGEST_NAME: usize = 64;

impl Definition {
    /// SA-4: is this tool in the list that is sent to the agent?
    pub fn offers(&self, tool: &str) -> bool {
        !NEVER.contains(&tool) && self.offers_main(tool)
    }

    /// The same where the main thread is this agent: it may plan and lead a team as any main thread does (HO-1).
    pub fn offers_main(&self, tool: &str) -> bool {
        let named = |list: &Vec<String>| list.iter().any(|entry| covers(entry, tool));
        let listed = self.tools.as_ref().is_none_or(named) || self.more.servers.iter().any(|server| server.has(tool));
        listed && !named(&self.disallowed_tools)
    }

    /// One that says nothing yet.
    pub(super) fn blank(source: Source, path: Option<PathBuf>) -> Definition {
        Definition {
            name: String::new(),
            description: String::new(),
            prompt: String::new(),
            tools: None,
            disallowed_tools: Vec::new(),
            model: ModelWish::Inherit,
            permission_mode: None,
            color: None,
            fork_context: false,
            project_instructions: true,
            more: More::default(),
            source,
            path,
        }
    }

    /// Its tools in a few words.
    pub fn tools_told(&self) -> String {
        let without: Vec<&str> =
            self.disallowed_tools.iter().map(String::as_str).filter(|tool| !NEVER.contains(tool)).collect();
        match (&self.tools, without.as_slice()) {
            (Some(tools), _) => {
                tools.iter().map(String::as_str).filter(|tool| self.offers(tool)).collect::<Vec<_>>().join(", ")
            }
            (None, []) => "all".into(),
            (None, without) => format!("all but {}", without.join(", ")),
        }
    }
}

impl AgentServer {
    fn has(&self, tool: &str) -> bool {
        match self {
            AgentServer::Named(name) | AgentServer::Own(name, _) => covers(&format!("mcp__{name}"), tool),
        }
    }
}

/// `mcp__server` and `mcp__server__*` stand for all tools of a server.
fn covers(entry: &str, tool: &str) -> bool {
    let entry = rule::name_today(entry);
    let server = entry.starts_with("mcp__") && tool.strip_prefix(entry).is_some_and(|rest| rest.starts_with("__"));
    entry == tool || entry == "*" || server || entry.strip_suffix('*').is_some_and(|start| tool.starts_with(start))
}

/// A markdown file as a definition. `Ok(None)`: it has no front matter and is no agent. The texts are keys that
/// were not known and are ignored.
pub fn parse(
    text: &str,
    source: Source,
    path: Option<PathBuf>,
) -> Result<Option<(Definition, Vec<String>)>, FileFault> {
    let Some(document) = front_matter::parse(text)? else { return Ok(None) };
    let mut definition = Definition { prompt: document.body, ..Definition::blank(source, path) };
    let mut unknown = Vec::new();
    for field in &document.fields {
        if !definition.set(field)? {
            unknown.push(format!("line {}: `{}` is not known and is ignored", field.line, field.key));
        }
    }
    definition.whole().map_err(|what| Fault::new(1, what))?;
    Ok(Some((definition, unknown)))
}

impl Definition {
    /// False: a key that nobody knows.
    fn set(&mut self, field: &Field) -> Result<bool, Fault> {
        let wrong = |expected: &str, got: &str| {
            let got: String = crate::harmless::one_line(got).chars().take(60).collect();
            Fault::new(field.line, format!("`{}`: expected {expected}, got `{got}`", field.key))
        };
        let text = || match &field.value {
            front_matter::Value::Text(text) => Ok(text.clone()),
            front_matter::Value::List(items) => Err(wrong("a text", &items.join(", "))),
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
                // `[]` is none; only who leaves the names out has all.
                let none = matches!(field.value, front_matter::Value::List(_));
                self.tools = Some(check_tools(field.value.items()).map_err(|(e, got)| wrong(e, &got))?)
                    .filter(|tools| none || !tools.is_empty())
            }
            "disallowedTools" => {
                self.disallowed_tools = check_tools(field.value.items()).map_err(|(e, got)| wrong(e, &got))?
            }
            "model" => self.model = ModelWish::parse(&text()?),
            "permissionMode" => {
                let name = text()?;
                self.set_mode(&name).ok_or_else(|| wrong(&modes(), &name))?;
            }
            "color" => {
                let name = text()?;
                self.color = Some(Color::parse(&name).ok_or_else(|| wrong(&colors(), &name))?);
            }
            "forkContext" => self.fork_context = flag(text()?)?,
            "projectInstructions" => self.project_instructions = flag(text()?)?,
            "maxTurns" => {
                let most = text()?;
                self.more.max_turns = Some(turns(most.parse().ok()).ok_or_else(|| wrong(TURNS, &most))?);
            }
            "background" => self.more.background = flag(text()?)?,
            "initialPrompt" => self.more.initial_prompt = Some(text()?),
            "effort" => {
                let name = text()?;
                self.more.effort = Some(Effort::parse(&name).ok_or_else(|| wrong(EFFORTS, &name))?);
            }
            "skills" => self.more.skills = field.value.items(),
            "mcpServers" => self.more.servers = field.value.items().into_iter().map(AgentServer::Named).collect(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `dontAsk` is default mode with nobody to ask; None: there is no such mode.
    pub(super) fn set_mode(&mut self, name: &str) -> Option<()> {
        let dont_ask = name == DONT_ASK;
        self.permission_mode = Some(if dont_ask { Mode::Default } else { Mode::parse(name)? });
        self.more.dont_ask = dont_ask;
        Some(())
    }

    /// Nothing that an agent needs is missing.
    pub(super) fn whole(&self) -> Result<(), &'static str> {
        match (self.name.is_empty(), self.description.trim().is_empty(), self.prompt.trim().is_empty()) {
            (true, _, _) => Err("expected `name: …` in the front matter, got none"),
            (_, true, _) => Err("expected `description: …` in the front matter, got none: the model chooses by it"),
            (_, _, true) => Err("expected instructions for the agent below the front matter, got none"),
            (false, false, false) => Ok(()),
        }
    }
}

/// The mode of other programs in which what would ask is denied.
pub(super) const DONT_ASK: &str = "dontAsk";
pub(super) const TURNS: &str = "a number above 0";
pub(super) const EFFORTS: &str = "one of low, medium, high, max";

pub(super) fn turns(given: Option<u64>) -> Option<u32> {
    given.and_then(|most| u32::try_from(most).ok()).filter(|most| *most > 0)
}

fn modes() -> String {
    format!("one of {}, {DONT_ASK}", Mode::ALL.map(Mode::name).join(", "))
}

fn colors() -> String {
    format!("one of {}", Color::ALL.map(|(name, _)| name).join(", "))
}

pub(super) fn check_name(name: &str) -> Result<String, &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        return Err("letters, digits, `-`, `_`, `.` and `:`, at most 64");
    }
    Ok(name.to_string())
}

/// Names only: what a tool may do in detail is a rule's business, and a name that was cut out of a rule would allow more.
pub(super) fn check_tools(names: Vec<String>) -> Result<Vec<String>, (&'static str, String)> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.*".contains(c);
    match names.iter().find(|name| !name.chars().all(plain)) {
        Some(bad) => Err((
            "names of tools, like `Read, Grep`; what a tool may do in detail belongs into permission rules",
            bad.clone(),
        )),
        None => Ok(names),
    }
}

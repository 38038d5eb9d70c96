//! Agents that a host or `--agents` hands in, and handing them on: `{"name": {"description": …, "prompt": …, "tools": […]}}`.

use super::definition::{
    AgentServer, Color, DONT_ASK, Definition, EFFORTS, ModelWish, More, Source, TURNS, check_name, check_tools, turns,
};
use crate::mode::Mode;
use crate::request::Effort;
use serde_json::{Map, Value, json};

/// What is wrong names the agent and the field. Fields that mean nothing here do not stop anything: hosts are older and newer
/// than we are. They are kept in `more.ignored`, to be told.
pub fn parse_given(json: &Value) -> Result<Vec<Definition>, String> {
    let Value::Object(agents) = json else {
        return Err(format!("agents: expected an object of agents by name, got {}", brief(json)));
    };
    agents.iter().map(|(name, fields)| one(name, fields).map_err(|what| format!("agents.{name}: {what}"))).collect()
}

fn one(name: &str, fields: &Value) -> Result<Definition, String> {
    let Value::Object(given) = fields else { return Err(format!("expected an object, got {}", brief(fields))) };
    let mut fields = Fields { given, known: Vec::new() };
    let color =
        fields.text("color")?.map(|color| Color::parse(&color).ok_or(format!("`color`: there is no colour `{color}`")));
    let mut definition = Definition {
        name: check_name(name).map_err(|expected| format!("the name: expected {expected}"))?,
        description: fields.text("description")?.unwrap_or_default(),
        prompt: fields.text("prompt")?.unwrap_or_default(),
        tools: fields.tools("tools")?,
        disallowed_tools: fields.tools("disallowedTools")?.unwrap_or_default(),
        model: fields.text("model")?.map(|model| ModelWish::parse(&model)).unwrap_or_default(),
        color: color.transpose()?,
        fork_context: fields.flag("forkContext", false)?,
        project_instructions: fields.flag("projectInstructions", true)? && !fields.flag("omitClaudeMd", false)?,
        ..Definition::blank(Source::Host, None)
    };
    let missing = |key: &str| format!("`{key}`: expected a text, got none");
    match (definition.description.trim().is_empty(), definition.prompt.trim().is_empty()) {
        (true, _) => return Err(missing("description")),
        (_, true) => return Err(missing("prompt")),
        (false, false) => {}
    }
    if let Some(reminder) = fields.text("criticalSystemReminder_EXPERIMENTAL")? {
        definition.prompt = format!("{}\n\n{reminder}", definition.prompt);
    }
    definition.more = fields.more()?;
    if let Some(mode) = fields.text("permissionMode")? {
        definition.set_mode(&mode).ok_or_else(|| format!("`permissionMode`: there is no mode `{mode}`"))?;
    }
    definition.more.ignored.extend(fields.others());
    Ok(definition)
}

/// The fields of one agent, and which of them somebody has looked at.
struct Fields<'a> {
    given: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields<'_> {
    fn get(&mut self, key: &'static str) -> Option<&Value> {
        self.known.push(key);
        self.given.get(key).filter(|value| !value.is_null())
    }

    /// Those that nobody has asked for and that say something.
    fn others(&self) -> Vec<String> {
        let says = |value: &Value| !value.is_null();
        let others = self.given.iter().filter(|(key, value)| !self.known.contains(&key.as_str()) && says(value));
        others.map(|(key, _)| key.clone()).collect()
    }

    fn text(&mut self, key: &'static str) -> Result<Option<String>, String> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(format!("`{key}`: expected a text, got {}", brief(other))),
        }
    }

    fn flag(&mut self, key: &'static str, otherwise: bool) -> Result<bool, String> {
        match self.get(key) {
            None => Ok(otherwise),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(format!("`{key}`: expected true or false, got {}", brief(other))),
        }
    }

    fn names(&mut self, key: &'static str) -> Result<Option<Vec<String>>, String> {
        let name = |item: &Value| {
            let name = item.as_str().map(str::to_string);
            name.ok_or_else(|| format!("`{key}`: expected names, got {}", brief(item)))
        };
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(crate::front_matter::Value::Text(text.clone()).items())),
            Some(Value::Array(items)) => items.iter().map(name).collect::<Result<_, _>>().map(Some),
            Some(other) => Err(format!("`{key}`: expected a list of names, got {}", brief(other))),
        }
    }

    fn tools(&mut self, key: &'static str) -> Result<Option<Vec<String>>, String> {
        let Some(list) = self.names(key)? else { return Ok(None) };
        check_tools(list).map(Some).map_err(|(expected, got)| format!("`{key}`: expected {expected}, got `{got}`"))
    }

    fn more(&mut self) -> Result<More, String> {
        let max_turns = match self.get("maxTurns") {
            None => None,
            Some(given) => Some(
                turns(given.as_u64()).ok_or_else(|| format!("`maxTurns`: expected {TURNS}, got {}", brief(given)))?,
            ),
        };
        let (effort, own_scale) = match self.get("effort") {
            None => (None, false),
            // A scale of another program's own.
            Some(Value::Number(_)) => (None, true),
            Some(given) => {
                let named = given.as_str().and_then(Effort::parse);
                (Some(named.ok_or_else(|| format!("`effort`: expected {EFFORTS}, got {}", brief(given)))?), false)
            }
        };
        Ok(More {
            max_turns,
            effort,
            background: self.flag("background", false)?,
            skills: self.names("skills")?.unwrap_or_default(),
            servers: self.servers()?,
            initial_prompt: self.text("initialPrompt")?.filter(|text| !text.trim().is_empty()),
            dont_ask: false,
            ignored: own_scale.then(|| "effort".to_string()).into_iter().collect(),
        })
    }

    /// `["name", {"other": {"command": …}}]`; one inside the host's process is the session's already.
    fn servers(&mut self) -> Result<Vec<AgentServer>, String> {
        let wrong = |got: &Value| {
            format!("`mcpServers`: expected a list of names and of {{name: definition}}, got {}", brief(got))
        };
        let list = match self.get("mcpServers") {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(other) => return Err(wrong(other)),
        };
        let mut servers = Vec::new();
        for one in list {
            match one {
                Value::String(name) => servers.push(AgentServer::Named(name.clone())),
                Value::Object(inline) => {
                    servers.extend(inline.iter().map(|(name, definition)| match definition["type"] == "sdk" {
                        true => AgentServer::Named(name.clone()),
                        false => AgentServer::Own(name.clone(), definition.clone()),
                    }))
                }
                other => return Err(wrong(other)),
            }
        }
        Ok(servers)
    }
}

/// The words that hand these in again, to another process.
pub fn handed_on(agents: &[Definition]) -> Value {
    let one = |agent: &Definition| {
        let mode = agent.permission_mode.map(Mode::name);
        let server = |server: &AgentServer| match server {
            AgentServer::Named(name) => json!(name),
            AgentServer::Own(name, definition) => json!({name: definition}),
        };
        let fields = json!({
            "description": agent.description,
            "prompt": agent.prompt,
            "tools": agent.tools,
            "disallowedTools": agent.disallowed_tools,
            "model": agent.model.name(),
            "permissionMode": if agent.more.dont_ask { Some(DONT_ASK) } else { mode },
            "color": agent.color,
            "forkContext": agent.fork_context,
            "projectInstructions": agent.project_instructions,
            "maxTurns": agent.more.max_turns,
            "background": agent.more.background,
            "skills": agent.more.skills,
            "mcpServers": agent.more.servers.iter().map(server).collect::<Vec<_>>(),
            "initialPrompt": agent.more.initial_prompt,
            "effort": agent.more.effort.map(Effort::name),
        });
        (agent.name.clone(), fields)
    };
    Value::Object(agents.iter().map(one).collect())
}

fn brief(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

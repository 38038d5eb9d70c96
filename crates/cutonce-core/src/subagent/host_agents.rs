//! Agents from a host or `--agents`, as JSON: `{"name": {"description": …, "prompt": …, "tools": […]}}`.

use super::definition::{
    AgentColor, AgentDefinition, AgentMcpServer, AgentModel, AgentOptions, AgentSource, DONT_ASK, EFFORT_EXPECTED,
    MAX_TURNS_EXPECTED, check_name, check_tools, parse_max_turns,
};
use crate::mode::Mode;
use crate::model_request::Effort;
use crate::text::truncate::shorten_json;
use serde_json::{Map, Value, json};

/// Why a host's agents can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostAgentsError {
    #[error("agents: expected an object of agents by name, got {got}")]
    NotAnObject { got: String },
    #[error("agents.{name}: {problem}")]
    Agent { name: String, problem: AgentFieldError },
}

/// The invalid field of one agent, with what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AgentFieldError(String);

impl From<String> for AgentFieldError {
    fn from(message: String) -> AgentFieldError {
        AgentFieldError(message)
    }
}

/// Parses a host's agents; errors name the agent and the field. Unknown fields are no error, because hosts
/// may be older or newer than this program; they are listed as ignored and reported.
pub fn parse_host_agents(json: &Value) -> Result<Vec<AgentDefinition>, HostAgentsError> {
    let Value::Object(agents) = json else {
        return Err(HostAgentsError::NotAnObject { got: shorten_json(json) });
    };
    agents
        .iter()
        .map(|(name, fields)| {
            parse_agent(name, fields).map_err(|problem| HostAgentsError::Agent { name: name.clone(), problem })
        })
        .collect()
}

fn parse_agent(name: &str, fields: &Value) -> Result<AgentDefinition, AgentFieldError> {
    let Value::Object(given) = fields else {
        return Err(AgentFieldError(format!("expected an object, got {}", shorten_json(fields))));
    };
    let mut fields = AgentFields { raw: given, read_keys: Vec::new() };
    let color = fields.read_text("color")?.map(|color| {
        AgentColor::parse(&color).ok_or_else(|| AgentFieldError(format!("`color`: unknown color `{color}`")))
    });
    let mut definition = AgentDefinition {
        name: check_name(name).map_err(|expected| format!("the name: expected {expected}"))?,
        description: fields.read_text("description")?.unwrap_or_default(),
        prompt: fields.read_text("prompt")?.unwrap_or_default(),
        tools: fields.read_tools("tools")?,
        disallowed_tools: fields.read_tools("disallowedTools")?.unwrap_or_default(),
        model: fields.read_text("model")?.map(|model| AgentModel::parse(&model)).unwrap_or_default(),
        color: color.transpose()?,
        fork_context: fields.read_flag("forkContext", false)?,
        project_instructions: fields.read_flag("projectInstructions", true)?
            && !fields.read_flag("omitClaudeMd", false)?,
        ..AgentDefinition::empty(AgentSource::Host, None)
    };
    let missing = |key: &str| AgentFieldError(format!("`{key}`: expected a text, got none"));
    match (definition.description.trim().is_empty(), definition.prompt.trim().is_empty()) {
        (true, _) => return Err(missing("description")),
        (_, true) => return Err(missing("prompt")),
        (false, false) => {}
    }
    if let Some(reminder) = fields.read_text("criticalSystemReminder_EXPERIMENTAL")? {
        definition.prompt = format!("{}\n\n{reminder}", definition.prompt);
    }
    definition.options = fields.read_options()?;
    if let Some(mode) = fields.read_text("permissionMode")? {
        definition.set_mode(&mode).ok_or_else(|| format!("`permissionMode`: unknown mode `{mode}`"))?;
    }
    definition.options.ignored_fields.extend(fields.unread_keys());
    Ok(definition)
}

/// Fields of one agent; remembers which keys were read.
struct AgentFields<'a> {
    raw: &'a Map<String, Value>,
    read_keys: Vec<&'static str>,
}

impl AgentFields<'_> {
    fn get(&mut self, key: &'static str) -> Option<&Value> {
        self.read_keys.push(key);
        self.raw.get(key).filter(|value| !value.is_null())
    }

    /// Keys with a value that were never read.
    fn unread_keys(&self) -> Vec<String> {
        let says = |value: &Value| !value.is_null();
        let others = self.raw.iter().filter(|(key, value)| !self.read_keys.contains(&key.as_str()) && says(value));
        others.map(|(key, _)| key.clone()).collect()
    }

    fn read_text(&mut self, key: &'static str) -> Result<Option<String>, AgentFieldError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(AgentFieldError(format!("`{key}`: expected a text, got {}", shorten_json(other)))),
        }
    }

    fn read_flag(&mut self, key: &'static str, otherwise: bool) -> Result<bool, AgentFieldError> {
        match self.get(key) {
            None => Ok(otherwise),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => {
                Err(AgentFieldError(format!("`{key}`: expected true or false, got {}", shorten_json(other))))
            }
        }
    }

    fn read_names(&mut self, key: &'static str) -> Result<Option<Vec<String>>, AgentFieldError> {
        let name = |item: &Value| {
            let name = item.as_str().map(str::to_string);
            name.ok_or_else(|| AgentFieldError(format!("`{key}`: expected names, got {}", shorten_json(item))))
        };
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(crate::text::front_matter::FieldValue::Text(text.clone()).items())),
            Some(Value::Array(items)) => items.iter().map(name).collect::<Result<_, _>>().map(Some),
            Some(other) => {
                Err(AgentFieldError(format!("`{key}`: expected a list of names, got {}", shorten_json(other))))
            }
        }
    }

    fn read_tools(&mut self, key: &'static str) -> Result<Option<Vec<String>>, AgentFieldError> {
        let Some(list) = self.read_names(key)? else { return Ok(None) };
        check_tools(list)
            .map(Some)
            .map_err(|(expected, got)| format!("`{key}`: expected {expected}, got `{got}`").into())
    }

    fn read_options(&mut self) -> Result<AgentOptions, AgentFieldError> {
        let max_turns = match self.get("maxTurns") {
            None => None,
            Some(given) => Some(
                parse_max_turns(given.as_u64())
                    .ok_or_else(|| format!("`maxTurns`: expected {MAX_TURNS_EXPECTED}, got {}", shorten_json(given)))?,
            ),
        };
        let (effort, own_scale) =
            match self.get("effort") {
                None => (None, false),
                // Numbers are another program's own scale.
                Some(Value::Number(_)) => (None, true),
                Some(given) => {
                    let named = given.as_str().and_then(Effort::parse);
                    (
                        Some(named.ok_or_else(|| {
                            format!("`effort`: expected {EFFORT_EXPECTED}, got {}", shorten_json(given))
                        })?),
                        false,
                    )
                }
            };
        Ok(AgentOptions {
            max_turns,
            effort,
            background: self.read_flag("background", false)?,
            skills: self.read_names("skills")?.unwrap_or_default(),
            mcp_servers: self.read_servers()?,
            initial_prompt: self.read_text("initialPrompt")?.filter(|text| !text.trim().is_empty()),
            dont_ask: false,
            ignored_fields: own_scale.then(|| "effort".to_string()).into_iter().collect(),
        })
    }

    /// Reads `["name", {"other": {"command": …}}]`. A server inside the host's process already belongs to the
    /// session.
    fn read_servers(&mut self) -> Result<Vec<AgentMcpServer>, AgentFieldError> {
        let wrong = |got: &Value| {
            let expected = "a list of names and of {name: definition}";
            AgentFieldError(format!("`mcpServers`: expected {expected}, got {}", shorten_json(got)))
        };
        let list = match self.get("mcpServers") {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(other) => return Err(wrong(other)),
        };
        let mut servers = Vec::new();
        for one in list {
            match one {
                Value::String(name) => servers.push(AgentMcpServer::SessionServer(name.clone())),
                Value::Object(inline) => {
                    servers.extend(inline.iter().map(|(name, definition)| match definition["type"] == "sdk" {
                        true => AgentMcpServer::SessionServer(name.clone()),
                        false => AgentMcpServer::InlineServer(name.clone(), definition.clone()),
                    }))
                }
                other => return Err(wrong(other)),
            }
        }
        Ok(servers)
    }
}

/// Serializes the agents so that another process can parse them again.
pub fn to_host_json(agents: &[AgentDefinition]) -> Value {
    let one = |agent: &AgentDefinition| {
        let mode = agent.permission_mode.map(Mode::name);
        let server = |server: &AgentMcpServer| match server {
            AgentMcpServer::SessionServer(name) => json!(name),
            AgentMcpServer::InlineServer(name, definition) => json!({name: definition}),
        };
        let fields = json!({
            "description": agent.description,
            "prompt": agent.prompt,
            "tools": agent.tools,
            "disallowedTools": agent.disallowed_tools,
            "model": agent.model.name(),
            "permissionMode": if agent.options.dont_ask { Some(DONT_ASK) } else { mode },
            "color": agent.color,
            "forkContext": agent.fork_context,
            "projectInstructions": agent.project_instructions,
            "maxTurns": agent.options.max_turns,
            "background": agent.options.background,
            "skills": agent.options.skills,
            "mcpServers": agent.options.mcp_servers.iter().map(server).collect::<Vec<_>>(),
            "initialPrompt": agent.options.initial_prompt,
            "effort": agent.options.effort.map(Effort::name),
        });
        (agent.name.clone(), fields)
    };
    Value::Object(agents.iter().map(one).collect())
}

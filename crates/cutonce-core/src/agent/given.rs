//! Agents that a host or `--agents` hands in, and handing them on: `{"name": {"description": …, "prompt": …, "tools": […]}}`.

use super::definition::{Color, Definition, ModelWish, Source, check_name, check_tools};
use crate::mode::Mode;
use serde_json::{Value, json};

/// What is wrong names the agent and the field. Fields that nobody knows are ignored: hosts are older and newer than we are.
pub fn parse_given(json: &Value) -> Result<Vec<Definition>, String> {
    let Value::Object(agents) = json else {
        return Err(format!("agents: expected an object of agents by name, got {}", brief(json)));
    };
    agents.iter().map(|(name, fields)| one(name, fields).map_err(|what| format!("agents.{name}: {what}"))).collect()
}

fn one(name: &str, fields: &Value) -> Result<Definition, String> {
    let Value::Object(fields) = fields else { return Err(format!("expected an object, got {}", brief(fields))) };
    let text = |key: &str| match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("`{key}`: expected a text, got {}", brief(other))),
    };
    let flag = |key: &str, otherwise: bool| match fields.get(key) {
        None | Some(Value::Null) => Ok(otherwise),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(format!("`{key}`: expected true or false, got {}", brief(other))),
    };
    let names = |key: &str| -> Result<Option<Vec<String>>, String> {
        let list = match fields.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => crate::front_matter::Value::Text(text.clone()).items(),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| {
                    item.as_str()
                        .map(str::to_string)
                        .ok_or_else(|| format!("`{key}`: expected names, got {}", brief(item)))
                })
                .collect::<Result<_, _>>()?,
            Some(other) => return Err(format!("`{key}`: expected a list of names, got {}", brief(other))),
        };
        check_tools(list).map(Some).map_err(|(expected, got)| format!("`{key}`: expected {expected}, got `{got}`"))
    };
    let mode = text("permissionMode")?
        .map(|mode| Mode::parse(&mode).ok_or(format!("`permissionMode`: there is no mode `{mode}`")));
    let color =
        text("color")?.map(|color| Color::parse(&color).ok_or(format!("`color`: there is no colour `{color}`")));
    let definition = Definition {
        name: check_name(name).map_err(|expected| format!("the name: expected {expected}"))?,
        description: text("description")?.unwrap_or_default(),
        prompt: text("prompt")?.unwrap_or_default(),
        tools: names("tools")?,
        disallowed_tools: names("disallowedTools")?.unwrap_or_default(),
        model: text("model")?.map(|model| ModelWish::parse(&model)).unwrap_or_default(),
        permission_mode: mode.transpose()?,
        color: color.transpose()?,
        fork_context: flag("forkContext", false)?,
        project_instructions: flag("projectInstructions", true)?,
        source: Source::Host,
        path: None,
    };
    let missing = |key: &str| format!("`{key}`: expected a text, got none");
    match (definition.description.trim().is_empty(), definition.prompt.trim().is_empty()) {
        (true, _) => Err(missing("description")),
        (_, true) => Err(missing("prompt")),
        (false, false) => Ok(definition),
    }
}

/// The words that hand these in again, to another process.
pub fn handed_on(agents: &[Definition]) -> Value {
    let one = |agent: &Definition| {
        let fields = json!({
            "description": agent.description,
            "prompt": agent.prompt,
            "tools": agent.tools,
            "disallowedTools": agent.disallowed_tools,
            "model": agent.model.name(),
            "permissionMode": agent.permission_mode.map(Mode::name),
            "color": agent.color,
            "forkContext": agent.fork_context,
            "projectInstructions": agent.project_instructions,
        });
        (agent.name.clone(), fields)
    };
    Value::Object(agents.iter().map(one).collect())
}

fn brief(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

//! The `initialize` request: what a host passes before the session starts (HO-1).

use super::frames;
use super::wire::HostLine;
use crate::cli::args::RunFlags;
use crate::cli::usage::UsageError;
use crate::start::{self, SessionDirs};
use cutonce_agent::Approver;
use cutonce_core::mode::Mode;
use cutonce_core::subagent::{AgentDefinition, parse_host_agents};
use serde_json::{Map, Value, json};

/// Content of `initialize`; empty for a host that sends none.
#[derive(Debug, Default)]
pub struct HostSetup {
    /// Servers inside the host's process.
    pub servers: Vec<String>,
    agents: Map<String, Value>,
    pub hooks: Map<String, Value>,
    system_prompt: Option<String>,
    append: Option<String>,
    /// JSON schema of the answer.
    json_schema: Option<String>,
    /// The host wants the text of subagents too.
    pub forward_text: bool,
    /// Offer only these skills (HO-8).
    skills: Option<Vec<String>>,
    /// Replacement for the plan mode workflow.
    custom_workflow: Option<String>,
    managed_settings: Option<String>,
    /// The user is not at an approval UI (PM-32).
    channels: bool,
}

/// Marks where cached parts of a prompt end; not meant for the model.
const CACHE_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

impl HostSetup {
    pub fn parse(request: &Value) -> HostSetup {
        let text = |value: &Value| -> Option<String> {
            match value {
                Value::String(text) => Some(text.clone()),
                Value::Array(parts) => {
                    let parts = parts.iter().filter_map(Value::as_str).filter(|part| part.trim() != CACHE_BOUNDARY);
                    let parts: Vec<&str> = parts.collect();
                    Some(parts.join("\n\n")).filter(|text| !text.is_empty())
                }
                _ => None,
            }
        };
        HostSetup {
            servers: request["sdkMcpServers"].as_array().map(|names| string_list(names)).unwrap_or_default(),
            agents: request["agents"].as_object().cloned().unwrap_or_default(),
            hooks: request["hooks"].as_object().cloned().unwrap_or_default(),
            system_prompt: text(&request["systemPrompt"]),
            append: text(&request["appendSystemPrompt"]),
            forward_text: request["forwardSubagentText"] == true,
            json_schema: Some(&request["jsonSchema"]).filter(|schema| !schema.is_null()).map(Value::to_string),
            skills: request["skills"].as_array().map(|names| string_list(names)),
            custom_workflow: text(&request["planModeInstructions"]).filter(|text| !text.trim().is_empty()),
            managed_settings: Some(&request["managedSettings"]).filter(|given| !given.is_null()).map(Value::to_string),
            channels: request["channels"] == true,
        }
    }

    /// True if ignoring it would lose something.
    pub fn has_content(&self) -> bool {
        let nothing = self.servers.is_empty() && self.agents.is_empty() && self.hooks.is_empty();
        let words = [&self.system_prompt, &self.append, &self.json_schema, &self.custom_workflow];
        let bounds = self.skills.is_some() || self.managed_settings.is_some() || self.channels;
        !nothing || bounds || words.into_iter().any(Option::is_some)
    }

    /// Parses the first line; returns the line itself if it is something else.
    pub fn from_line(line: HostLine) -> Result<(Value, HostSetup), Box<HostLine>> {
        match line {
            HostLine::Request { id, request } if request["subtype"] == "initialize" => {
                Ok((id, HostSetup::parse(&request)))
            }
            other => Err(Box::new(other)),
        }
    }

    /// Agents of `--agents` and of the host; the host's win on equal names (SA-2).
    pub fn agent_definitions(&self, flag: Option<&str>) -> Result<Vec<AgentDefinition>, UsageError> {
        let given = flag.map(serde_json::from_str::<Value>).transpose();
        let mut given = given
            .map_err(|error| UsageError(format!("--agents is not valid JSON: {error}")))?
            .unwrap_or_else(|| json!({}));
        if let Some(given) = given.as_object_mut() {
            given.extend(self.agents.clone());
        }
        parse_host_agents(&given).map_err(|error| UsageError(error.to_string()))
    }

    /// Applies the host's values over the flags of the same names; an error if they contradict a flag.
    pub fn apply(&self, run: &mut RunFlags) -> Result<(), UsageError> {
        let flag = run.host.managed_settings.is_some();
        match (&self.managed_settings, run.host.managed_settings_in_initialize) {
            (Some(_), true) if flag => {
                return Err(UsageError(
                    "--managed-settings and --managed-settings-in-initialize can't be used together".into(),
                ));
            }
            // A policy applies whether announced or not; a second one next to the flag's would be lost.
            (Some(_), false) if flag => {
                return Err(UsageError("`managedSettings` can't be used together with --managed-settings".into()));
            }
            (Some(given), _) => run.host.managed_settings = Some(given.clone()),
            (None, true) => {
                return Err(UsageError(
                    "--managed-settings-in-initialize: `initialize` has no `managedSettings`".into(),
                ));
            }
            (None, false) => {}
        }
        if let Some(why) = run.host.usage_error() {
            return Err(UsageError(why));
        }
        run.host.channels |= self.channels;
        run.host.skills = self.skills.clone();
        run.host.custom_workflow = self.custom_workflow.clone();
        if let Some(text) = &self.system_prompt {
            run.system_prompt = Some(text.clone());
        }
        if let Some(text) = &self.append {
            run.append_system_prompt = Some(text.clone());
        }
        if let Some(schema) = &self.json_schema {
            run.host.json_schema = Some(schema.clone());
        }
        Ok(())
    }
}

fn string_list(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(|one| one.as_str().map(str::to_string)).collect()
}

/// The answer to `initialize`: commands, agents and models, known without opening a session.
pub fn initialize_answer(run: &RunFlags, place: &SessionDirs, agents: &[AgentDefinition]) -> Value {
    let model = run.model.as_deref().unwrap_or("default");
    let (commands, agents) = match start::session_start(run, Approver::CantAsk, place) {
        Ok(mut start) => {
            start.host.agents = agents.to_vec();
            let (offered, catalog) = start.named_commands();
            (frames::command_list(&offered), catalog.agents().iter().map(agent_json).collect())
        }
        // The reason is reported when the session is opened.
        Err(_) => (Vec::new(), Vec::new()),
    };
    let agents: Vec<Value> = agents;
    let mut greeting = json!({
        "commands": commands, "agents": agents, "output_style": "default", "available_output_styles": ["default"],
        "models": [{"value": model, "displayName": model, "description": "The model this session was started with"}],
        "account": {}, "pid": std::process::id(), "claude_code_version": frames::PROTOCOL_VERSION,
        "session_state": "idle", "hooks_applied": true, "hook_on_failure_supported": true,
    });
    // Settings or a resumed session may set another mode, so an uncertain mode is left out.
    let sure = |mode: &Mode| !run.permissions.dangerously_skip_permissions || mode.is_read_only();
    if run.host.dont_ask {
        greeting["current_permission_mode"] = super::dont_ask::NAME.into();
    } else if let Some(mode) = run.permissions.permission_mode.filter(sure) {
        greeting["current_permission_mode"] = mode.name().into();
    }
    greeting
}

fn agent_json(agent: &AgentDefinition) -> Value {
    json!({"name": agent.name, "description": agent.description, "model": agent.model.name()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_32_host_declares_channels_in_initialize() {
        for (request, channels) in [(json!({"channels": true}), true), (json!({"channels": "x"}), false)] {
            let (mut run, setup) = (RunFlags::default(), HostSetup::parse(&request));
            setup.apply(&mut run).unwrap();
            assert_eq!((run.host.channels, setup.has_content()), (channels, channels));
        }
    }
}

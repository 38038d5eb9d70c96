//! What a host says about itself before anything begins: the first line, `initialize` (HO-1).

use super::wire::Line;
use crate::cli::Run;
use crate::frames;
use crate::start::{self, Place};
use cutonce_agent::Approver;
use cutonce_agent::start::Start;
use cutonce_core::agent::{Definition, parse_given};
use cutonce_core::mode::Mode;
use serde_json::{Map, Value, json};

/// What `initialize` brought; empty for a host that sends none.
#[derive(Debug, Default)]
pub struct Setup {
    /// Servers inside the host's own process.
    pub servers: Vec<String>,
    agents: Map<String, Value>,
    pub hooks: Map<String, Value>,
    system_prompt: Option<String>,
    append: Option<String>,
    /// The form of the answer, as a schema.
    json_schema: Option<String>,
    /// It wants to hear what subagents say, too.
    pub forward_text: bool,
    /// Only these are offered (HO-8).
    skills: Option<Vec<String>>,
    /// The workflow of plan mode.
    plan_instructions: Option<String>,
    managed_settings: Option<String>,
}

/// Parts before it may be cached longer by others; no words for the model.
const BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

impl Setup {
    pub fn read(request: &Value) -> Setup {
        let text = |value: &Value| -> Option<String> {
            match value {
                Value::String(text) => Some(text.clone()),
                Value::Array(parts) => {
                    let parts = parts.iter().filter_map(Value::as_str).filter(|part| part.trim() != BOUNDARY);
                    let parts: Vec<&str> = parts.collect();
                    Some(parts.join("\n\n")).filter(|text| !text.is_empty())
                }
                _ => None,
            }
        };
        Setup {
            servers: request["sdkMcpServers"].as_array().map(|names| strings(names)).unwrap_or_default(),
            agents: request["agents"].as_object().cloned().unwrap_or_default(),
            hooks: request["hooks"].as_object().cloned().unwrap_or_default(),
            system_prompt: text(&request["systemPrompt"]),
            append: text(&request["appendSystemPrompt"]),
            forward_text: request["forwardSubagentText"] == true,
            json_schema: Some(&request["jsonSchema"]).filter(|schema| !schema.is_null()).map(Value::to_string),
            skills: request["skills"].as_array().map(|names| strings(names)),
            plan_instructions: text(&request["planModeInstructions"]).filter(|text| !text.trim().is_empty()),
            managed_settings: Some(&request["managedSettings"]).filter(|given| !given.is_null()).map(Value::to_string),
        }
    }

    /// Would anything be lost without it?
    pub fn brings_something(&self) -> bool {
        let nothing = self.servers.is_empty() && self.agents.is_empty() && self.hooks.is_empty();
        let words = [&self.system_prompt, &self.append, &self.json_schema, &self.plan_instructions];
        let bounds = self.skills.is_some() || self.managed_settings.is_some();
        !nothing || bounds || words.into_iter().any(Option::is_some)
    }

    /// What the first line says, or the line itself if it is another.
    pub fn of(line: Line) -> Result<(Value, Setup), Box<Line>> {
        match line {
            Line::Request { id, request } if request["subtype"] == "initialize" => Ok((id, Setup::read(&request))),
            other => Err(Box::new(other)),
        }
    }

    /// The agents of `--agents` and of the host; of two with one name the host's (SA-2).
    pub fn agents(&self, flag: Option<&str>) -> Result<Vec<Definition>, String> {
        let given = flag.map(serde_json::from_str::<Value>).transpose();
        let mut given = given.map_err(|error| format!("--agents is no JSON: {error}"))?.unwrap_or_else(|| json!({}));
        if let Some(given) = given.as_object_mut() {
            given.extend(self.agents.clone());
        }
        parse_given(&given)
    }

    /// The host's words stand in for the flags of the same names; the error says which promise of a flag they break.
    pub fn apply(&self, run: &mut Run) -> Result<(), String> {
        let flag = run.host.managed_settings.is_some();
        match (&self.managed_settings, run.host.managed_settings_in_initialize) {
            (Some(_), true) if flag => {
                return Err("--managed-settings and --managed-settings-in-initialize exclude each other".into());
            }
            // Told or not, a policy that came counts; beside one of the flag only that one could.
            (Some(_), false) if flag => return Err("`managedSettings` came beside --managed-settings".into()),
            (Some(given), _) => run.host.managed_settings = Some(given.clone()),
            (None, true) => return Err("--managed-settings-in-initialize: `initialize` brought none".into()),
            (None, false) => {}
        }
        if let Some(why) = run.host.unusable() {
            return Err(why);
        }
        run.host.skills = self.skills.clone();
        run.host.plan_instructions = self.plan_instructions.clone();
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

fn strings(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(|one| one.as_str().map(str::to_string)).collect()
}

/// The answer to `initialize`: what there is to call and to start, known without opening anything.
pub fn greeting(run: &Run, place: &Place, agents: &[Definition]) -> Value {
    let model = run.model.as_deref().unwrap_or("default");
    let (commands, agents) = match start::start_of(run, Approver::CantAsk, place) {
        Ok(start) => {
            let (offered, catalog) = Start { agents: agents.to_vec(), ..start }.offered();
            (frames::commands(&offered), catalog.agents().iter().map(agent).collect())
        }
        // Why is told when the session is opened.
        Err(_) => (Vec::new(), Vec::new()),
    };
    let agents: Vec<Value> = agents;
    let mut greeting = json!({
        "commands": commands, "agents": agents, "output_style": "default", "available_output_styles": ["default"],
        "models": [{"value": model, "displayName": model, "description": "The model this session was started with"}],
        "account": {}, "pid": std::process::id(), "claude_code_version": frames::SPOKEN_VERSION,
        "session_state": "idle", "hooks_applied": true, "hook_on_failure_supported": true,
    });
    // Settings and an earlier session may say something else: what is not known yet is not told.
    let sure = |mode: &Mode| !run.dangerously_skip_permissions || *mode == Mode::Plan;
    if run.host.dont_ask {
        greeting["current_permission_mode"] = super::dont_ask::NAME.into();
    } else if let Some(mode) = run.permission_mode.filter(sure) {
        greeting["current_permission_mode"] = mode.name().into();
    }
    greeting
}

fn agent(agent: &Definition) -> Value {
    json!({"name": agent.name, "description": agent.description, "model": agent.model.name()})
}

//! stream-json frames: what a session's events look like to a program that reads our standard output.
//! `-p --output-format json` prints the last frame alone, the result.

use crate::start::Started;
use cutonce_agent::commands::Custom;
use cutonce_agent::mcp::{Servers, Status};
use cutonce_agent::start::Offered;
use cutonce_agent::store::{part_id, place::own_dir};
use cutonce_agent::structured;
use cutonce_core::conversation::{Block, ResultPart, Stop, Usage};
use cutonce_core::event::{Delta, EndReason, Ended, Event, EventKind, Finished, Level, TeamEvent};
use cutonce_core::mode::Mode;
use cutonce_core::plan::PlanEvent;
use cutonce_core::rule::Behavior;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The version whose protocol we speak (docs/protocols/stream-json.md): SDKs leave out what an older one would not have understood.
pub const SPOKEN_VERSION: &str = "2.1.325";

/// What SDKs may rely on beyond their first version: `interrupt` tells what waits still, and takes it back on demand.
const CAPABILITIES: [&str; 2] = ["interrupt_receipt_v1", "interrupt_cancel_queued_v1"];

mod agents;
mod command;
mod spent;

pub struct Frames {
    session: String,
    cwd: String,
    model: String,
    mode: String,
    /// Default mode in which nobody is asked, as hosts call it (HO-1).
    dont_ask: bool,
    tools: Vec<String>,
    servers: Servers,
    agents: Vec<String>,
    offered: Offered,
    /// The folder of the session's own files.
    own: PathBuf,
    key_source: &'static str,
    partial: bool,
    /// What the conversation has used so far.
    spent: spent::Spent,
    /// The id of the answer that is on its way, where its pieces are told.
    message: String,
    /// What subagents say is told as well; otherwise only what they do.
    forward: bool,
    denials: Vec<Value>,
    /// Calls that somebody was asked about: their refusal is no news to the host.
    asked: HashSet<String>,
    /// Text of the answer that is on its way.
    arrived: String,
    /// Tokens of the conversation, as last counted.
    context: u64,
    block: Option<(usize, &'static str)>,
    blocks_seen: usize,
    /// The answer in the form that was asked for.
    structured: Option<Value>,
    /// A host reads them, turn by turn.
    host: bool,
}

impl Frames {
    pub fn new(started: &Started, partial: bool) -> Self {
        let Started { session, cwd, key_source, offered, about, .. } = started;
        Self {
            session: session.id().into(),
            cwd: cwd.clone(),
            servers: session.mcp().clone(),
            agents: session.agents().agents().iter().map(|agent| agent.name.clone()).collect(),
            own: own_dir(session.transcript()),
            offered: offered.clone(),
            model: String::new(),
            mode: String::new(),
            dont_ask: false,
            tools: Vec::new(),
            key_source: *key_source,
            partial,
            spent: spent::Spent::new(about.settings.clone()),
            message: String::new(),
            forward: true,
            denials: Vec::new(),
            asked: HashSet::new(),
            arrived: String::new(),
            context: 0,
            block: None,
            blocks_seen: 0,
            structured: None,
            host: false,
        }
    }
    /// `forward`: it wants to hear what subagents say.
    pub fn for_host(mut self, transcript: &Path, forward: bool) -> Self {
        self.spent.goes_on_from(transcript);
        Self { host: true, forward, ..self }
    }

    /// The frames an event makes, in order.
    pub fn of(&mut self, event: &Event) -> Vec<Value> {
        match &event.kind {
            EventKind::Opened { model, mode, tools, .. } => {
                (self.model, self.mode, self.tools) = (model.clone(), mode.to_string(), tools.clone());
                vec![]
            }
            EventKind::TurnStarted => vec![self.init()],
            EventKind::Requesting { model } => self.requesting(model),
            EventKind::Delta(delta) => {
                if let Delta::Text(text) = delta {
                    self.arrived.push_str(text);
                }
                if self.partial { self.delta(delta) } else { vec![] }
            }
            EventKind::Assistant { id, model, blocks, usage, stop } => self.assistant(id, model, blocks, *usage, stop),
            EventKind::ToolFinished(finished) => self.tool(finished),
            EventKind::Retry { attempt, max, delay_ms, status, reason } => {
                self.arrived.clear();
                let mut frames: Vec<Value> = self.close_block().into_iter().collect();
                let about = json!({"attempt": attempt, "max_retries": max, "retry_delay_ms": delay_ms,
                    "error_status": status, "error": reason});
                frames.push(self.system("api_retry", about));
                // What the pieces showed is void: they begin anew.
                frames.extend(self.begin_message(&self.model.clone()));
                frames
            }
            EventKind::ModeChanged { from, to, by } => {
                self.mode = to.to_string();
                let status = self.status();
                let changed = PlanEvent::ModeChanged { from: *from, to: *to, by: *by };
                vec![status, self.plan(&changed, event.at)]
            }
            EventKind::ModelChanged { model } => {
                self.model = model.clone();
                vec![]
            }
            EventKind::Compacted { before, after, automatic, cost } => {
                self.spent.told(*cost, &self.model);
                self.context = *after;
                let trigger = if *automatic { "auto" } else { "manual" };
                vec![self.system(
                    "compact_boundary",
                    json!({"compact_metadata": {"trigger": trigger, "pre_tokens": before}}),
                )]
            }
            EventKind::Notice { level, text } => {
                vec![self.system("informational", json!({"content": text, "level": level}))]
            }
            EventKind::Plan(plan) => vec![self.plan(plan, event.at)],
            EventKind::Agent(agent) => self.agent(agent, event.at),
            EventKind::TurnEnded(ended) => self.ended(ended),
            EventKind::Team(event) => self.team(event),
            EventKind::Ask(ask) => {
                self.asked.insert(ask.call_id.clone());
                vec![]
            }
            EventKind::User { .. }
            | EventKind::Queued { .. }
            | EventKind::ToolStarted { .. }
            | EventKind::ToolOutput { .. }
            | EventKind::AskClosed { .. }
            | EventKind::Todos(_)
            | EventKind::CurrentPlan { .. }
            | EventKind::OpenPlan { .. }
            | EventKind::TaskOutput { .. }
            | EventKind::TaskEnded { .. }
            | EventKind::Cleared
            | EventKind::Closed => vec![],
        }
    }

    /// The mode as hosts call it.
    pub fn mode(&self) -> &str {
        if self.dont_ask && self.mode == Mode::Default.name() { crate::sdk::DONT_ASK } else { &self.mode }
    }
    /// Is it this mode, whatever hosts call it?
    pub fn is_in(&self, mode: Mode) -> bool {
        self.mode == mode.name()
    }
    pub fn dont_ask(&self) -> bool {
        self.dont_ask
    }
    pub fn set_dont_ask(&mut self, on: bool) {
        self.dont_ask = on;
    }
    /// Tells the mode.
    pub fn status(&self) -> Value {
        self.system("status", json!({"status": null, "permissionMode": self.mode()}))
    }
    /// The model, the tokens of the conversation, and how many fit.
    pub fn context(&self) -> (&str, u64, u64) {
        (&self.model, self.context, self.spent.window(&self.model))
    }

    /// Whether the session works, waits for the host, or rests. `for_host`: the SDK keeps it for itself.
    pub fn state(&self, state: &str, for_host: bool) -> Value {
        let mut fields = json!({"state": state});
        if for_host {
            fields["sdk_host_only"] = true.into();
        }
        self.system("session_state_changed", fields)
    }

    /// Something that the host should know.
    pub fn informational(&self, level: Level, text: &str) -> Value {
        self.system("informational", json!({"content": text, "level": level}))
    }

    /// The person's message, said back; `uuid` is the host's own id of it, or ours.
    pub fn replayed(&self, text: &str, uuid: &str) -> Value {
        let message = json!({"role": "user", "content": text});
        let mut frame = self.frame("user", json!({"message": message, "parent_tool_use_id": null, "isReplay": true}));
        frame["uuid"] = uuid.into();
        frame
    }

    fn frame(&self, kind: &str, fields: Value) -> Value {
        let mut frame = Map::new();
        frame.insert("type".into(), kind.into());
        if let Value::Object(fields) = fields {
            frame.extend(fields);
        }
        frame.insert("session_id".into(), self.session.clone().into());
        frame.insert("uuid".into(), cutonce_agent::new_id().into());
        Value::Object(frame)
    }

    fn system(&self, subtype: &str, mut fields: Value) -> Value {
        let mut all = json!({"subtype": subtype});
        if let (Some(all), Some(fields)) = (all.as_object_mut(), fields.as_object_mut()) {
            all.append(fields);
        }
        self.frame("system", all)
    }

    /// The life of a plan, under the names of PM-143, with its time in milliseconds since 1970.
    fn plan(&self, event: &PlanEvent, at: u64) -> Value {
        let mut fields = serde_json::to_value(event).unwrap_or_default();
        fields["time"] = at.into();
        let name = fields.as_object_mut().and_then(|fields| fields.shift_remove("type"));
        self.system(name.as_ref().and_then(Value::as_str).unwrap_or("plan"), fields)
    }

    /// Teammates and their messages (TM-1).
    fn team(&self, event: &TeamEvent) -> Vec<Value> {
        match event {
            TeamEvent::Roster { team, members } => vec![self.system("team", json!({"team": team, "members": members}))],
            TeamEvent::Message { from, to, text } => {
                vec![self.system("team_message", json!({"from": from, "to": to, "text": text}))]
            }
        }
    }

    /// What there is as the turn begins: servers come and go while the session works.
    pub fn init(&self) -> Value {
        let servers = self.servers.status();
        let offered = servers.iter().flat_map(|one| &one.tools).map(|tool| &tool.name);
        let tools: Vec<&String> = self.tools.iter().chain(offered).collect();
        let server = |one: &Status| json!({"name": one.name, "status": one.state.name(), "source": one.transport});
        let servers: Vec<Value> = servers.iter().map(server).collect();
        let own = self.offered.commands.iter().map(|custom| custom.name.clone());
        let commands: Vec<String> = match self.host {
            true => command::names().chain(own.filter(|name| !command::is_ours(name))).collect(),
            false => own.collect(),
        };
        let skills: Vec<&String> = self.offered.skills.iter().map(|skill| &skill.name).collect();
        self.system(
            "init",
            json!({
                "cwd": self.cwd, "tools": tools, "mcp_servers": servers, "model": self.model, "permissionMode": self.mode(),
                "slash_commands": commands, "apiKeySource": self.key_source, "claude_code_version": SPOKEN_VERSION,
                "cutonce_version": env!("CARGO_PKG_VERSION"), "output_style": "default", "agents": self.agents,
                "skills": skills, "plugins": [], "capabilities": CAPABILITIES,
            }),
        )
    }

    fn requesting(&mut self, model: &str) -> Vec<Value> {
        self.arrived.clear();
        self.begin_message(model).into_iter().collect()
    }

    fn begin_message(&mut self, model: &str) -> Option<Value> {
        (self.block, self.blocks_seen) = (None, 0);
        if !self.partial {
            return None;
        }
        self.message = cutonce_agent::new_id();
        let message = json!({"id": self.message, "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage_json(&Usage::default())});
        Some(self.stream(json!({"type": "message_start", "message": message})))
    }

    fn close_block(&mut self) -> Option<Value> {
        let (index, _) = self.block.take()?;
        Some(self.stream(json!({"type": "content_block_stop", "index": index})))
    }

    fn stream(&self, event: Value) -> Value {
        self.frame("stream_event", json!({"event": event, "parent_tool_use_id": null}))
    }

    /// Deltas as the Messages API would have sent them, whatever the provider was.
    fn delta(&mut self, delta: &Delta) -> Vec<Value> {
        let (kind, start, change) = match delta {
            Delta::Text(text) => {
                ("text", json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
            }
            Delta::Thinking(text) => (
                "thinking",
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                json!({"type": "thinking_delta", "thinking": text}),
            ),
            Delta::Signature(signature) => (
                "thinking",
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                json!({"type": "signature_delta", "signature": signature}),
            ),
            Delta::Call { id, name } => {
                ("call", json!({"type": "tool_use", "id": id, "name": name, "input": {}}), Value::Null)
            }
            Delta::CallInput { json } => {
                ("call", Value::Null, json!({"type": "input_json_delta", "partial_json": json}))
            }
        };
        let mut frames = Vec::new();
        let index = match self.block {
            // Only a call's beginning has no change: each call is a block of its own.
            Some((index, open)) if open == kind && !change.is_null() => index,
            open => {
                frames
                    .extend(open.map(|(index, _)| self.stream(json!({"type": "content_block_stop", "index": index}))));
                let index = self.blocks_seen;
                self.blocks_seen += 1;
                frames
                    .push(self.stream(json!({"type": "content_block_start", "index": index, "content_block": start})));
                index
            }
        };
        self.block = Some((index, kind));
        if !change.is_null() {
            frames.push(self.stream(json!({"type": "content_block_delta", "index": index, "delta": change})));
        }
        frames
    }

    /// One assistant frame per block; they share the message's id.
    fn assistant(&mut self, id: &str, model: &str, blocks: &[Block], usage: Usage, stop: &Stop) -> Vec<Value> {
        self.spent.answered(model, usage);
        self.arrived.clear();
        // A host that draws the pieces knows by the id which frames it has drawn already.
        let called = if self.partial && !self.message.is_empty() { self.message.as_str() } else { id };
        self.context = usage.context();
        let mut frames: Vec<Value> = blocks
            .iter()
            .enumerate()
            .map(|(n, block)| {
                let message = json!({"id": called, "type": "message", "role": "assistant", "model": model,
                    "content": [block_json(block)], "stop_reason": null, "stop_sequence": null, "usage": usage_json(&usage)});
                let mut frame = self.frame("assistant", json!({"message": message, "parent_tool_use_id": null}));
                frame["uuid"] = part_id(id, blocks.len() - 1 - n).into();
                frame
            })
            .collect();
        if self.partial {
            frames.extend(self.close_block());
            let delta = json!({"stop_reason": stop_reason(stop), "stop_sequence": null});
            frames.push(self.stream(
                json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage.output_tokens}}),
            ));
            frames.push(self.stream(json!({"type": "message_stop"})));
        }
        frames
    }

    fn tool(&mut self, finished: &Finished) -> Vec<Value> {
        let mut frames = Vec::new();
        if finished.name == structured::TOOL && !finished.is_error {
            self.structured = finished.display.clone();
        }
        if finished.decision.behavior == Behavior::Deny && finished.is_error {
            self.denials.push(
                json!({"tool_name": finished.name, "tool_use_id": finished.call_id, "tool_input": finished.input}),
            );
            if !self.asked.contains(&finished.call_id) {
                let about = json!({"tool_name": finished.name, "tool_use_id": finished.call_id,
                    "message": finished.decision.why.reason});
                frames.push(self.system("permission_denied", about));
            }
        }
        let content: Vec<Value> = finished.content.iter().map(part_json).collect();
        let content = match content.as_slice() {
            [only] if only["type"] == "text" => only["text"].clone(),
            _ => content.into(),
        };
        let result = json!({"type": "tool_result", "tool_use_id": finished.call_id, "content": content, "is_error": finished.is_error});
        let shown = finished.display.clone().unwrap_or_else(|| json!({}));
        frames.push(self.frame(
            "user",
            json!({"message": {"role": "user", "content": [result]}, "parent_tool_use_id": null, "tool_use_result": shown}),
        ));
        frames
    }

    /// How the turn ended: what the model had said when it was stopped, or the failure as its last words; then the result.
    fn ended(&mut self, ended: &Ended) -> Vec<Value> {
        let mut frames = Vec::new();
        let said = |text: &str| json!([{"type": "text", "text": text}]);
        match &ended.reason {
            EndReason::Interrupted { in_tools } => {
                let arrived = std::mem::take(&mut self.arrived);
                if !arrived.is_empty() && !in_tools {
                    let message = json!({"id": cutonce_agent::new_id(), "type": "message", "role": "assistant",
                        "model": self.model, "content": said(&arrived), "stop_reason": null, "stop_sequence": null,
                        "usage": usage_json(&Usage::default())});
                    let fields = json!({"message": message, "parent_tool_use_id": null, "aborted": true});
                    frames.push(self.frame("assistant", fields));
                }
                let what = if *in_tools { " for tool use" } else { "" };
                let message = json!({"role": "user", "content": said(&format!("[Request interrupted by user{what}]"))});
                frames.push(self.frame("user", json!({"message": message, "parent_tool_use_id": null})));
            }
            EndReason::Failed { message, status } if message != structured::NONE_GIVEN => {
                let content = said(&format!("API Error: {message}"));
                let message = json!({"id": cutonce_agent::new_id(), "type": "message", "role": "assistant",
                    "model": "<synthetic>", "content": content, "stop_reason": "stop_sequence", "stop_sequence": "",
                    "usage": usage_json(&Usage::default())});
                let fields = json!({"message": message, "parent_tool_use_id": null, "error": error_kind(*status)});
                frames.push(self.frame("assistant", fields));
            }
            EndReason::Failed { .. } | EndReason::Completed | EndReason::MaxTurns(_) | EndReason::MaxBudget => {}
        }
        frames.push(self.result(ended));
        frames
    }

    fn result(&mut self, ended: &Ended) -> Value {
        let (subtype, is_error, terminal, errors) = outcome(&ended.reason);
        self.spent.told(ended.cost, &self.model);
        let cost = self.spent.cost();
        let interrupted = u32::from(matches!(ended.reason, EndReason::Interrupted { .. }));
        let mut fields = json!({
            "subtype": subtype, "is_error": is_error, "result": ended.text,
            "num_turns": 1 + ended.tool_results + interrupted,
            "duration_ms": ended.duration_ms, "duration_api_ms": ended.api_ms,
            "stop_reason": ended.stop.as_ref().map(stop_reason),
            "total_cost_usd": cost, "usage": usage_json(&ended.usage), "modelUsage": self.spent.by_model(),
            "permission_denials": std::mem::take(&mut self.denials), "terminal_reason": terminal,
        });
        if let Some(plan) = &ended.plan {
            let text = plan.found.text();
            // Where nobody can approve it, the plan is what the run was for (PM-76).
            if !self.host {
                fields["result"] = text.map_or(fields["result"].clone(), Value::from);
            }
            fields["plan"] = json!(text);
            fields["path"] = json!(plan.path);
            fields["slug"] = json!(plan.slug);
            fields["sha256"] = json!(plan.found.sha256());
        }
        if let Some(structured) = self.structured.take() {
            fields["structured_output"] = structured;
        }
        if let EndReason::Failed { message, status } = &ended.reason
            && subtype == "success"
        {
            fields["result"] = format!("API Error: {message}").into();
            fields["api_error_status"] = json!(status);
        }
        if subtype != "success" {
            fields["errors"] = json!(errors);
        }
        self.frame("result", fields)
    }
}

/// What can be called as `/name`, as hosts list it.
pub fn commands(offered: &Offered) -> Vec<Value> {
    let one = |command: &Custom| {
        let hint = if command.takes_arguments() { "[words]" } else { "" };
        json!({"name": command.name, "description": command.description, "argumentHint": hint})
    };
    let own = offered.commands.iter().filter(|custom| !command::is_ours(&custom.name));
    command::listed().chain(own.map(one)).collect()
}

/// The result of a run that never began: its session is not there, or can't be opened.
pub fn not_begun(session: &str, why: &str) -> Value {
    json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0, "duration_ms": 0,
        "duration_api_ms": 0, "total_cost_usd": 0.0, "usage": usage_json(&Usage::default()), "modelUsage": {},
        "permission_denials": [], "errors": [why], "session_id": session, "uuid": cutonce_agent::new_id()})
}

/// Why the provider failed, in the words that SDKs know.
fn error_kind(status: Option<u16>) -> &'static str {
    match status {
        Some(401 | 403) => "authentication_failed",
        Some(402) => "billing_error",
        Some(404) => "model_not_found",
        Some(429) => "rate_limit",
        Some(529) => "overloaded",
        Some(400..=499) => "invalid_request",
        Some(500..=599) => "server_error",
        Some(_) | None => "unknown",
    }
}

/// In the Messages API's words; an interrupted answer has none.
fn stop_reason(stop: &Stop) -> Option<&str> {
    match stop {
        Stop::EndTurn => Some("end_turn"),
        Stop::ToolUse => Some("tool_use"),
        Stop::MaxTokens => Some("max_tokens"),
        Stop::Refusal => Some("refusal"),
        Stop::Interrupted => None,
        Stop::Other(word) => Some(word),
    }
}

/// subtype, is_error, terminal_reason, errors.
fn outcome(reason: &EndReason) -> (&'static str, bool, &'static str, Vec<String>) {
    match reason {
        EndReason::Completed => ("success", false, "completed", vec![]),
        EndReason::Failed { message, .. } if message == structured::NONE_GIVEN => {
            ("error_max_structured_output_retries", true, "structured_output_retries", vec![message.clone()])
        }
        EndReason::Failed { .. } => ("success", true, "api_error", vec![]),
        EndReason::MaxTurns(n) => {
            ("error_max_turns", true, "max_turns", vec![format!("Reached maximum number of turns ({n})")])
        }
        EndReason::MaxBudget => {
            ("error_max_budget_usd", true, "budget_exhausted", vec!["The budget of this session is used up".into()])
        }
        EndReason::Interrupted { in_tools: false } => {
            ("error_during_execution", true, "aborted_streaming", vec!["Interrupted by the user".into()])
        }
        EndReason::Interrupted { in_tools: true } => {
            ("error_during_execution", true, "aborted_tools", vec!["Interrupted by the user".into()])
        }
    }
}

fn usage_json(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "server_tool_use": {"web_search_requests": 0}, "service_tier": "standard",
    })
}

fn block_json(block: &Block) -> Value {
    match block {
        Block::Text { text } => json!({"type": "text", "text": text}),
        Block::Thinking { text, opaque } => {
            let signature = opaque.as_ref().and_then(|opaque| opaque.value.get("signature")).cloned();
            json!({"type": "thinking", "thinking": text, "signature": signature.unwrap_or_else(|| "".into())})
        }
        Block::ToolUse(call) => {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input.to_json()})
        }
        Block::Image(image) => image_json(&image.media_type, &image.data),
    }
}

fn part_json(part: &ResultPart) -> Value {
    match part {
        ResultPart::Text { text } => json!({"type": "text", "text": text}),
        ResultPart::Image(image) => image_json(&image.media_type, &image.data),
    }
}

fn image_json(media_type: &str, data: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
}

//! stream-json frames: session events as JSON for programs that read our stdout. `-p --output-format json`
//! prints only the last frame, the result.

use crate::start::StartedSession;
use cutonce_agent::builder::NamedCommands;
use cutonce_agent::config::commands::CustomCommand;
use cutonce_agent::mcp::{McpServerStatus, McpServers};
use cutonce_agent::storage::{part_id, paths::own_dir};
use cutonce_agent::structured_output;
use cutonce_core::conversation::{ContentBlock, ResultPart, StopReason, TokenUsage};
use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::{RuleBehavior, RuleSet};
use cutonce_core::protocol::event::{
    AnswerDelta, EndReason, Event, EventKind, FinishedCall, NoticeLevel, TeamEvent, TurnSummary,
};
use cutonce_core::protocol::submission::ChangedBy;
use cutonce_core::protocol::usage_totals::{ModelTotals, UsageTotals};
use cutonce_core::protocol::view::SessionView;
use cutonce_core::settings::Settings;
use cutonce_core::text::sanitize::without_os_codes;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Version of the protocol that we speak (docs/reference/stream-json.md). SDKs leave out what older versions
/// do not understand.
pub const PROTOCOL_VERSION: &str = "2.1.325";

/// Features that SDKs may use beyond the first version: `interrupt` reports queued messages, and cancels them
/// on request.
const CAPABILITIES: [&str; 2] = ["interrupt_receipt_v1", "interrupt_cancel_queued_v1"];

mod agents;
mod builtin_commands;
mod mode_frames;

pub struct FrameBuilder {
    session: String,
    cwd: String,
    view: SessionView,
    /// Default mode in which questions are denied; hosts call it `dontAsk` (HO-1).
    dont_ask: bool,
    servers: McpServers,
    rules: Arc<RuleSet>,
    agents: Vec<String>,
    offered: NamedCommands,
    /// Folder of the session's own files.
    session_dir: PathBuf,
    key_source: &'static str,
    partial: bool,
    /// For prices and context windows.
    settings: Arc<Settings>,
    /// Id of the answer that is being streamed.
    message: String,
    /// Forward the text of subagents, not only their calls.
    forward_text: bool,
    denials: Vec<Value>,
    /// Calls that the user was asked about; the host already knows of their denial.
    asked: HashSet<String>,
    /// Text of the streamed answer so far.
    streamed_text: String,
    block: Option<(usize, &'static str)>,
    blocks_seen: usize,
    /// The answer of the StructuredOutput tool.
    structured: Option<Value>,
    /// A stream-json host reads the frames, turn by turn.
    host: bool,
    /// A turn has started, so the reader knows the mode.
    turn_seen: bool,
}

impl FrameBuilder {
    pub fn new(started: &StartedSession, partial: bool) -> Self {
        let StartedSession { session, cwd, key_source, offered, report: about, .. } = started;
        Self {
            session: session.id().into(),
            cwd: cwd.clone(),
            servers: session.mcp().clone(),
            rules: session.first_rules(),
            agents: session.agents().agents().iter().map(|agent| agent.name.clone()).collect(),
            session_dir: own_dir(session.transcript()),
            offered: offered.clone(),
            view: SessionView::default(),
            dont_ask: false,
            key_source: *key_source,
            partial,
            settings: about.settings.clone(),
            message: String::new(),
            forward_text: true,
            denials: Vec::new(),
            asked: HashSet::new(),
            streamed_text: String::new(),
            block: None,
            blocks_seen: 0,
            structured: None,
            host: false,
            turn_seen: false,
        }
    }
    /// Adapts the frames to a host. `forward`: the host wants the text of subagents.
    pub fn for_host(self, forward: bool) -> Self {
        Self { host: true, forward_text: forward, ..self }
    }

    /// Returns the frames for an event, in order.
    pub fn event_frames(&mut self, event: &Event) -> Vec<Value> {
        self.view.apply_event(event);
        match &event.kind {
            EventKind::TurnStarted => {
                self.turn_seen = true;
                vec![self.init_frame()]
            }
            EventKind::Requesting { model } => self.request_frames(model),
            EventKind::Delta(delta) => {
                if let AnswerDelta::Text(text) = delta {
                    self.streamed_text.push_str(text);
                }
                if self.partial { self.delta_frames(delta) } else { vec![] }
            }
            EventKind::Assistant { id, model, blocks, usage, stop } => {
                self.assistant_frames(id, model, blocks, *usage, stop)
            }
            EventKind::ToolFinished(finished) => self.tool_frames(finished),
            EventKind::Waiting { host, seconds } => {
                vec![self.system_frame("api_waiting", json!({"host": host, "seconds": seconds}))]
            }
            EventKind::Retry { attempt, max, delay_ms, status, reason } => {
                self.streamed_text.clear();
                let mut frames: Vec<Value> = self.close_block().into_iter().collect();
                let about = json!({"attempt": attempt, "max_retries": max, "retry_delay_ms": delay_ms,
                    "error_status": status, "error": reason});
                frames.push(self.system_frame("api_retry", about));
                // The streamed parts are void; streaming restarts.
                frames.extend(self.begin_message(&self.view.model.clone()));
                frames
            }
            // The first mode is in the init frame: nothing changed (HO-1).
            EventKind::ModeChanged { by: ChangedBy::Start, .. } if !self.turn_seen => vec![],
            EventKind::ModeChanged { .. } => {
                let status = self.status_frame();
                std::iter::once(status).chain(self.mode_frames(&event.kind, event.at)).collect()
            }
            EventKind::Compacted { before, automatic, .. } => vec![self.compaction_frame(*before, *automatic)],
            EventKind::Notice { level, text } => {
                vec![self.system_frame("informational", json!({"content": text, "level": level}))]
            }
            EventKind::Plan(_) => self.mode_frames(&event.kind, event.at),
            EventKind::Agent(agent) => self.agent_frames(agent, event.at),
            EventKind::TurnEnded(ended) => self.turn_end_frames(ended),
            EventKind::Team(event) => self.team_frames(event),
            EventKind::Ask(ask) => {
                self.asked.insert(ask.call_id.clone());
                vec![]
            }
            EventKind::Opened { .. }
            | EventKind::RequestUsage(_)
            | EventKind::Totals(_)
            | EventKind::ModelChanged { .. }
            | EventKind::User { .. }
            | EventKind::Queued { .. }
            | EventKind::Unqueued { .. }
            | EventKind::ToolStarted { .. }
            | EventKind::ToolOutput { .. }
            | EventKind::AskClosed { .. }
            | EventKind::Todos(_)
            | EventKind::Steps(_)
            | EventKind::CurrentPlan { .. }
            | EventKind::Aside { .. }
            | EventKind::OpenPlan { .. }
            | EventKind::TaskOutput { .. }
            | EventKind::TaskEnded { .. }
            | EventKind::Cleared
            | EventKind::Closed => vec![],
        }
    }

    fn compaction_frame(&self, before: u64, automatic: bool) -> Value {
        let trigger = if automatic { "auto" } else { "manual" };
        self.system_frame("compact_boundary", json!({"compact_metadata": {"trigger": trigger, "pre_tokens": before}}))
    }

    /// The mode under the name that hosts use.
    pub fn mode(&self) -> &str {
        if self.dont_ask && self.view.mode == Mode::Default {
            crate::frontends::stream_json::DONT_ASK
        } else {
            self.view.mode.name()
        }
    }
    /// True if this is the current mode, independent of the name that hosts use.
    pub fn is_in(&self, mode: Mode) -> bool {
        self.view.mode == mode
    }
    /// The model of the next turn's init frame.
    pub fn set_model(&mut self, name: String) {
        self.view.model = name;
    }
    pub fn dont_ask(&self) -> bool {
        self.dont_ask
    }
    pub fn set_dont_ask(&mut self, on: bool) {
        self.dont_ask = on;
    }
    /// Frame that reports the mode.
    pub fn status_frame(&self) -> Value {
        self.system_frame("status", json!({"status": null, "permissionMode": self.mode()}))
    }
    /// The model, the tokens of the conversation, and the context window.
    pub fn context(&self) -> (&str, u64, u64) {
        (&self.view.model, self.view.context, self.settings.model_info(&self.view.model).context)
    }

    /// Frame that says whether the session works, waits for the host, or is idle. `for_host`: the SDK does
    /// not pass it on.
    pub fn state_frame(&self, state: &str, for_host: bool) -> Value {
        let mut fields = json!({"state": state});
        if for_host {
            fields["sdk_host_only"] = true.into();
        }
        self.system_frame("session_state_changed", fields)
    }

    /// Frame with a notice for the host.
    pub fn notice_frame(&self, level: NoticeLevel, text: &str) -> Value {
        self.system_frame("informational", json!({"content": text, "level": level}))
    }

    /// Echoes a user message; `uuid` is the host's id for it, or ours.
    pub fn replayed_frame(&self, text: &str, uuid: &str) -> Value {
        let message = json!({"role": "user", "content": text});
        let mut frame =
            self.new_frame("user", json!({"message": message, "parent_tool_use_id": null, "isReplay": true}));
        frame["uuid"] = uuid.into();
        frame
    }

    fn new_frame(&self, kind: &str, fields: Value) -> Value {
        let mut frame = Map::new();
        frame.insert("type".into(), kind.into());
        if let Value::Object(fields) = fields {
            frame.extend(fields);
        }
        frame.insert("session_id".into(), self.session.clone().into());
        frame.insert("uuid".into(), cutonce_agent::new_id().into());
        Value::Object(frame)
    }

    fn system_frame(&self, subtype: &str, mut fields: Value) -> Value {
        let mut all = json!({"subtype": subtype});
        if let (Some(all), Some(fields)) = (all.as_object_mut(), fields.as_object_mut()) {
            all.append(fields);
        }
        self.new_frame("system", all)
    }

    /// Frames for teammates and their messages (TM-1).
    fn team_frames(&self, event: &TeamEvent) -> Vec<Value> {
        match event {
            TeamEvent::Roster { team, members } => {
                vec![self.system_frame("team", json!({"team": team, "members": members}))]
            }
            TeamEvent::Message { from, to, text } => {
                vec![self.system_frame("team_message", json!({"from": from, "to": to, "text": text}))]
            }
        }
    }

    /// Frame that lists tools and servers at the start of a turn; servers come and go during a session.
    pub fn init_frame(&self) -> Value {
        let servers = self.servers.status();
        let offered = servers.iter().flat_map(|one| &one.tools).map(|tool| &tool.name);
        let offered = offered.filter(|name| !self.rules.denies_tool(name));
        let tools: Vec<&String> = self.view.tools.iter().chain(offered).collect();
        let server =
            |one: &McpServerStatus| json!({"name": one.name, "status": one.state.name(), "source": one.transport});
        let servers: Vec<Value> = servers.iter().map(server).collect();
        let own = self.offered.commands.iter().map(|custom| custom.name.clone());
        let commands: Vec<String> = match self.host {
            true => builtin_commands::builtin_names()
                .chain(own.filter(|name| !builtin_commands::is_builtin(name)))
                .collect(),
            false => own.collect(),
        };
        let skills: Vec<&String> = self.offered.skills.iter().map(|skill| &skill.name).collect();
        self.system_frame(
            "init",
            json!({
                "cwd": self.cwd, "tools": tools, "mcp_servers": servers, "model": self.view.model, "permissionMode": self.mode(),
                "slash_commands": commands, "apiKeySource": self.key_source, "claude_code_version": PROTOCOL_VERSION,
                "cutonce_version": env!("CARGO_PKG_VERSION"), "output_style": "default", "agents": self.agents,
                "skills": skills, "plugins": [], "capabilities": CAPABILITIES,
            }),
        )
    }

    fn request_frames(&mut self, model: &str) -> Vec<Value> {
        self.streamed_text.clear();
        self.begin_message(model).into_iter().collect()
    }

    fn begin_message(&mut self, model: &str) -> Option<Value> {
        (self.block, self.blocks_seen) = (None, 0);
        if !self.partial {
            return None;
        }
        self.message = cutonce_agent::new_id();
        let message = json!({"id": self.message, "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage_json(&TokenUsage::default())});
        Some(self.stream_frame(json!({"type": "message_start", "message": message})))
    }

    fn close_block(&mut self) -> Option<Value> {
        let (index, _) = self.block.take()?;
        Some(self.stream_frame(json!({"type": "content_block_stop", "index": index})))
    }

    fn stream_frame(&self, event: Value) -> Value {
        self.new_frame("stream_event", json!({"event": event, "parent_tool_use_id": null}))
    }

    /// Deltas in the form of the Messages API, for every provider.
    fn delta_frames(&mut self, delta: &AnswerDelta) -> Vec<Value> {
        let (kind, start, change) = match delta {
            AnswerDelta::Text(text) => {
                ("text", json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
            }
            AnswerDelta::Thinking(text) => (
                "thinking",
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                json!({"type": "thinking_delta", "thinking": text}),
            ),
            AnswerDelta::Signature(signature) => (
                "thinking",
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                json!({"type": "signature_delta", "signature": signature}),
            ),
            AnswerDelta::Call { id, name } => {
                ("call", json!({"type": "tool_use", "id": id, "name": name, "input": {}}), Value::Null)
            }
            AnswerDelta::CallInput { json } => {
                ("call", Value::Null, json!({"type": "input_json_delta", "partial_json": json}))
            }
        };
        let mut frames = Vec::new();
        let index = match self.block {
            // Only the start of a call has no change; each call is its own block.
            Some((index, open)) if open == kind && !change.is_null() => index,
            open => {
                frames.extend(
                    open.map(|(index, _)| self.stream_frame(json!({"type": "content_block_stop", "index": index}))),
                );
                let index = self.blocks_seen;
                self.blocks_seen += 1;
                frames.push(
                    self.stream_frame(json!({"type": "content_block_start", "index": index, "content_block": start})),
                );
                index
            }
        };
        self.block = Some((index, kind));
        if !change.is_null() {
            frames.push(self.stream_frame(json!({"type": "content_block_delta", "index": index, "delta": change})));
        }
        frames
    }

    /// One assistant frame per block; they share the message id.
    fn assistant_frames(
        &mut self,
        id: &str,
        model: &str,
        blocks: &[ContentBlock],
        usage: TokenUsage,
        stop: &StopReason,
    ) -> Vec<Value> {
        self.streamed_text.clear();
        // A host that draws the parts recognizes by the id which frames it has drawn already.
        let called = if self.partial && !self.message.is_empty() { self.message.as_str() } else { id };
        let mut frames: Vec<Value> = blocks
            .iter()
            .enumerate()
            .map(|(n, block)| {
                let message = json!({"id": called, "type": "message", "role": "assistant", "model": model,
                    "content": [block_json(block)], "stop_reason": null, "stop_sequence": null, "usage": usage_json(&usage)});
                let mut frame = self.new_frame("assistant", json!({"message": message, "parent_tool_use_id": null}));
                frame["uuid"] = part_id(id, blocks.len() - 1 - n).into();
                frame
            })
            .collect();
        if self.partial {
            frames.extend(self.close_block());
            let delta = json!({"stop_reason": stop_reason(stop), "stop_sequence": null});
            frames.push(self.stream_frame(
                json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage.output_tokens}}),
            ));
            frames.push(self.stream_frame(json!({"type": "message_stop"})));
        }
        frames
    }

    fn tool_frames(&mut self, finished: &FinishedCall) -> Vec<Value> {
        let mut frames = Vec::new();
        if finished.name == structured_output::TOOL && !finished.is_error {
            self.structured = finished.display.clone();
        }
        if finished.decision.behavior == RuleBehavior::Deny && finished.is_error {
            self.denials.push(
                json!({"tool_name": finished.name, "tool_use_id": finished.call_id, "tool_input": finished.input}),
            );
            if !self.asked.contains(&finished.call_id) {
                let about = json!({"tool_name": finished.name, "tool_use_id": finished.call_id,
                    "message": finished.decision.why.reason});
                frames.push(self.system_frame("permission_denied", about));
            }
        }
        let content: Vec<Value> = finished.content.iter().map(part_json).collect();
        let content = match content.as_slice() {
            [only] if only["type"] == "text" => only["text"].clone(),
            _ => content.into(),
        };
        let result = json!({"type": "tool_result", "tool_use_id": finished.call_id, "content": content, "is_error": finished.is_error});
        let shown = finished.display.clone().unwrap_or_else(|| json!({}));
        frames.push(self.new_frame(
            "user",
            json!({"message": {"role": "user", "content": [result]}, "parent_tool_use_id": null, "tool_use_result": shown}),
        ));
        frames
    }

    /// Frames for the end of a turn: the text so far if interrupted, or the error as a last message; then the
    /// result.
    fn turn_end_frames(&mut self, ended: &TurnSummary) -> Vec<Value> {
        let mut frames = Vec::new();
        let said = |text: &str| json!([{"type": "text", "text": text}]);
        match &ended.reason {
            EndReason::Interrupted { in_tools } => {
                let arrived = std::mem::take(&mut self.streamed_text);
                if !arrived.is_empty() && !in_tools {
                    let message = json!({"id": cutonce_agent::new_id(), "type": "message", "role": "assistant",
                        "model": self.view.model, "content": said(&arrived), "stop_reason": null, "stop_sequence": null,
                        "usage": usage_json(&TokenUsage::default())});
                    let fields = json!({"message": message, "parent_tool_use_id": null, "aborted": true});
                    frames.push(self.new_frame("assistant", fields));
                }
                let what = if *in_tools { " for tool use" } else { "" };
                let message = json!({"role": "user", "content": said(&format!("[Request interrupted by user{what}]"))});
                frames.push(self.new_frame("user", json!({"message": message, "parent_tool_use_id": null})));
            }
            EndReason::Failed { message, status } if message != structured_output::NO_OUTPUT => {
                let content = said(&format!("API Error: {message}"));
                let message = json!({"id": cutonce_agent::new_id(), "type": "message", "role": "assistant",
                    "model": "<synthetic>", "content": content, "stop_reason": "stop_sequence", "stop_sequence": "",
                    "usage": usage_json(&TokenUsage::default())});
                let fields = json!({"message": message, "parent_tool_use_id": null, "error": error_kind(*status)});
                frames.push(self.new_frame("assistant", fields));
            }
            EndReason::Failed { .. } | EndReason::Completed | EndReason::MaxTurns(_) | EndReason::MaxBudget => {}
        }
        frames.push(self.result_frame(ended));
        frames
    }

    /// Tokens and cost per model, under the names that SDKs know.
    fn model_usage(&self, totals: &UsageTotals) -> Value {
        let one = |(model, used): (&str, &ModelTotals)| {
            let (info, usage) = (self.settings.model_info(model), used.usage);
            let value = json!({"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens,
                "cacheReadInputTokens": usage.cache_read_input_tokens,
                "cacheCreationInputTokens": usage.cache_creation_input_tokens, "webSearchRequests": usage.web_searches,
                "costUSD": used.cost, "contextWindow": info.context, "maxOutputTokens": info.max_output});
            (model.to_string(), value)
        };
        Value::Object(totals.by_model().map(one).collect())
    }

    fn result_frame(&mut self, ended: &TurnSummary) -> Value {
        let (subtype, is_error, terminal, errors) = result_outcome(&ended.reason);
        let interrupted = u32::from(matches!(ended.reason, EndReason::Interrupted { .. }));
        let mut fields = json!({
            "subtype": subtype, "is_error": is_error, "result": ended.text,
            "num_turns": 1 + ended.tool_results + interrupted,
            "duration_ms": ended.duration_ms, "duration_api_ms": ended.api_ms,
            "stop_reason": ended.stop.as_ref().map(stop_reason),
            "total_cost_usd": ended.totals.cost(), "usage": usage_json(&ended.usage),
            "modelUsage": self.model_usage(&ended.totals),
            "permission_denials": std::mem::take(&mut self.denials), "terminal_reason": terminal,
        });
        self.add_written(&mut fields, ended);
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
        self.new_frame("result", fields)
    }
}

/// Commands that can be called as `/name`, as hosts list them.
pub fn command_list(offered: &NamedCommands) -> Vec<Value> {
    let one = |command: &CustomCommand| {
        let hint = if command.takes_arguments() { "[arguments]" } else { "" };
        json!({"name": command.name, "description": command.description, "argumentHint": hint})
    };
    let own = offered.commands.iter().filter(|custom| !builtin_commands::is_builtin(&custom.name));
    builtin_commands::list_builtin().chain(own.map(one)).collect()
}

/// Result of a run that never started, because its session does not exist or can't be opened.
pub fn failed_start_frame(session: &str, why: &str) -> Value {
    json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0, "duration_ms": 0,
        "duration_api_ms": 0, "total_cost_usd": 0.0, "usage": usage_json(&TokenUsage::default()), "modelUsage": {},
        "permission_denials": [], "errors": [without_os_codes(why)], "session_id": session, "uuid": cutonce_agent::new_id()})
}

/// Error kind under the names that SDKs know.
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

/// Stop reason under the names of the Messages API; an interrupted answer has none.
fn stop_reason(stop: &StopReason) -> Option<&str> {
    match stop {
        StopReason::EndTurn => Some("end_turn"),
        StopReason::ToolUse => Some("tool_use"),
        StopReason::MaxTokens => Some("max_tokens"),
        StopReason::Refusal => Some("refusal"),
        StopReason::Interrupted => None,
        StopReason::Other(word) => Some(word),
    }
}

/// Returns subtype, is_error, terminal_reason and errors.
fn result_outcome(reason: &EndReason) -> (&'static str, bool, &'static str, Vec<String>) {
    match reason {
        EndReason::Completed => ("success", false, "completed", vec![]),
        EndReason::Failed { message, .. } if message == structured_output::NO_OUTPUT => {
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

fn usage_json(usage: &TokenUsage) -> Value {
    json!({
        "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "server_tool_use": {"web_search_requests": usage.web_searches}, "service_tier": "standard",
    })
}

fn block_json(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text { text } => json!({"type": "text", "text": text}),
        ContentBlock::Thinking { text, opaque } => {
            let signature = opaque.as_ref().and_then(|opaque| opaque.value.get("signature")).cloned();
            json!({"type": "thinking", "thinking": text, "signature": signature.unwrap_or_else(|| "".into())})
        }
        ContentBlock::ToolUse(call) => {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input.to_json()})
        }
        ContentBlock::Image(image) => image_json(&image.media_type, &image.data),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_12_results_count_the_searches() {
        let usage = TokenUsage { web_searches: 2, ..TokenUsage::default() };
        assert_eq!(usage_json(&usage)["server_tool_use"]["web_search_requests"], 2);
    }
}

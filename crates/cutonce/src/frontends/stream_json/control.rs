//! Control requests of the host: each is answered exactly once, after its work is done (HO-1, HO-3).

use super::SdkHost;
use super::peer::HostPeer;
use super::rewind::PendingRewind;
use cutonce_core::mode::Mode;
use cutonce_core::protocol::submission::{ChangedBy, Flushed, OnDone, Submission};
use cutonce_core::sync::LockUnpoisoned;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// Control requests in progress.
pub struct ControlState {
    mode_changes: Vec<PendingModeChange>,
    marks: (mpsc::UnboundedSender<u64>, mpsc::UnboundedReceiver<u64>),
    next: u64,
    /// The last notice: why a mode was refused.
    notice: Option<String>,
    /// The model that the session started with.
    model: String,
    greeting: Value,
    pub(super) rewinds: Vec<PendingRewind>,
    model_changes: Vec<PendingModelChange>,
}

/// A requested model while we check whether it can be used.
struct PendingModelChange {
    mark: u64,
    id: Value,
    model: String,
    /// The name that the provider knows, or why the model can't be used.
    checked: Arc<Mutex<Result<String, String>>>,
}

struct PendingModeChange {
    mark: u64,
    id: Value,
    mode: Mode,
    /// `dontAsk` was requested, and whether it was on before (HO-1).
    dont_ask: bool,
    before: bool,
}

impl PendingModeChange {
    fn mode_name(&self) -> &'static str {
        if self.dont_ask { super::DONT_ASK } else { self.mode.name() }
    }
}

impl ControlState {
    pub fn new(model: String, greeting: Value) -> Self {
        Self {
            mode_changes: Vec::new(),
            marks: mpsc::unbounded_channel(),
            next: 0,
            notice: None,
            model,
            greeting,
            rewinds: Vec::new(),
            model_changes: Vec::new(),
        }
    }

    /// True while a model is being checked; no message starts before.
    pub fn is_checking_model(&self) -> bool {
        !self.model_changes.is_empty()
    }

    pub async fn marks(&mut self) -> Option<u64> {
        self.marks.1.recv().await
    }

    pub fn record_notice(&mut self, text: &str) {
        self.notice = Some(text.to_string());
    }

    pub fn notice(&self) -> Option<String> {
        self.notice.clone()
    }
    pub fn clear_notice(&mut self) {
        self.notice = None;
    }

    /// Answers before the frame that announces the change. Returns the new `dontAsk` flag if the host
    /// requested this mode.
    pub fn mode_changed(&mut self, to: Mode, peer: &HostPeer) -> Option<bool> {
        let mut dont_ask = None;
        for done in self.mode_changes.extract_if(.., |wanted| wanted.mode == to) {
            peer.send_reply(&done.id, Ok(json!({"mode": done.mode_name()})));
            dont_ask = Some(done.dont_ask);
        }
        dont_ask
    }

    fn next_mark(&mut self) -> (u64, Submission) {
        let (number, tell) = self.new_mark();
        (number, Submission::WhenFlushed(Flushed(Arc::new(tell))))
    }

    /// Returns a mark and the callback that reports it.
    pub(super) fn new_mark(&mut self) -> (u64, impl Fn() + Send + Sync + 'static) {
        self.next += 1;
        let (number, sender) = (self.next, self.marks.0.clone());
        let tell = move || {
            let _ = sender.send(number);
        };
        (number, tell)
    }
}

impl SdkHost {
    pub(super) fn handle_request(&mut self, id: &Value, request: &Value) {
        let subtype = request["subtype"].as_str().unwrap_or_default();
        match subtype {
            "initialize" => self.initialize(id, request),
            "interrupt" => self.interrupt(id, request["cancel_queued"] == true),
            "set_permission_mode" => self.set_mode(id, &request["mode"]),
            "set_model" => self.set_model(id, &request["model"]),
            "set_max_thinking_tokens" => self.set_thinking(id, &request["max_thinking_tokens"]),
            "rewind_files" => self.rewind_files(id, request),
            "stop_task" => self.stop_task(id, &request["task_id"]),
            "rehearse" => self.rehearse(id, request),
            "cancel_rehearsal" => self.cancel_rehearsal(id, request),
            "keep_rehearsal" => self.keep_rehearsal(id, request),
            "cancel_async_message" => self.cancel_message(id, &request["message_uuid"]),
            "mcp_status" => self.peer.send_reply(id, Ok(self.mcp_status())),
            "mcp_reconnect" => self.reconnect_server(id, &request["serverName"]),
            "mcp_toggle" => self.toggle_server(id, &request["serverName"], &request["enabled"]),
            "mcp_set_servers" => self.set_servers(id, &request["servers"]),
            "get_context_usage" => self.peer.send_reply(id, Ok(self.context_usage())),
            other => self.peer.send_reply(id, Err(format!("Unsupported control request subtype: {other}"))),
        }
    }

    /// Handles a repeated or late `initialize`. A late one with content is an error: hooks that are silently
    /// never called would be worse.
    fn initialize(&mut self, id: &Value, request: &Value) {
        let late = !self.initialized && super::HostSetup::parse(request).has_content();
        let why = "`initialize` came after the session started; its hooks, agents, servers and prompts can't be used";
        self.peer.send_reply(id, if late { Err(why.into()) } else { Ok(self.control.greeting.clone()) });
    }

    /// Answers first, then interrupts. Between turns there is nothing to stop.
    fn interrupt(&mut self, id: &Value, cancel_queued: bool) {
        let gone = if cancel_queued { std::mem::take(&mut self.queued) } else { Default::default() };
        let uuids = |waiting: &std::collections::VecDeque<(super::ParsedMessage, Option<String>)>| -> Vec<String> {
            waiting.iter().filter_map(|(_, uuid)| uuid.clone()).collect()
        };
        let mut answer = json!({"still_queued": uuids(&self.queued)});
        if cancel_queued {
            answer["cancelled"] = uuids(&gone).into();
        }
        self.peer.send_reply(id, Ok(answer));
        if self.settling.is_some() {
            // No turn has started: the message that waits for the servers is meant.
            if self.queued.pop_front().is_some() {
                self.peer.write(&crate::frontends::stream_json::frames::failed_start_frame(
                    self.session.id(),
                    "Interrupted by the user",
                ));
            }
        } else if self.busy {
            self.session.submit(Submission::Interrupt);
        }
    }

    fn set_mode(&mut self, id: &Value, mode: &Value) {
        // The reference implementation also uses this name.
        let name = mode.as_str().map(|name| if name == "manual" { "default" } else { name });
        let (dont_ask, before) = (name == Some(super::DONT_ASK), self.frames.dont_ask());
        let named = if dont_ask { Some(Mode::Default) } else { name.and_then(Mode::parse) };
        let Some(mode) = named else {
            return self.peer.send_reply(id, Err(format!("Unknown permission mode: {mode}")));
        };
        // A restriction applies at once; a relaxation when the mode has changed.
        self.frames.set_dont_ask(dont_ask || before);
        self.control.notice = None;
        self.session.submit(Submission::SetMode { mode, by: ChangedBy::Host });
        let mark = self.submit_mark();
        self.control.mode_changes.push(PendingModeChange { mark, id: id.clone(), mode, dont_ask, before });
    }

    /// Submits a mark; its number returns when everything before it was processed.
    pub(super) fn submit_mark(&mut self) -> u64 {
        let (mark, submission) = self.control.next_mark();
        self.session.submit(submission);
        mark
    }

    /// Handles a mark. If the mode change was not announced by then, the mode was set already or was refused.
    pub(super) fn mark_reached(&mut self, mark: u64) {
        if let Some(carried) = self.command.take_if(|carried| carried.has_mark(mark)) {
            return self.finish_command(carried);
        }
        if let Some(at) = self.control.model_changes.iter().position(|choosing| choosing.mark == mark) {
            let chosen = self.control.model_changes.remove(at);
            return self.finish_model_change(chosen);
        }
        if let Some(at) = self.control.rewinds.iter().position(|rewinding| rewinding.mark == mark) {
            let done = self.control.rewinds.remove(at);
            return self.finish_rewind(done);
        }
        let Some(at) = self.control.mode_changes.iter().position(|wanted| wanted.mark == mark) else { return };
        let wanted = self.control.mode_changes.remove(at);
        if !self.frames.is_in(wanted.mode) {
            let why = self.control.notice.take();
            let why = why.unwrap_or_else(|| format!("Could not change the mode to {}.", wanted.mode));
            return self.peer.send_reply(&wanted.id, Err(why));
        }
        self.frames.set_dont_ask(wanted.dont_ask);
        self.peer.send_reply(&wanted.id, Ok(json!({"mode": wanted.mode_name()})));
        if wanted.dont_ask != wanted.before {
            self.peer.write(&self.frames.status_frame());
        }
    }

    /// Switches the model from the next request on, if its provider is known and has a key. Null selects the
    /// session's first model.
    fn set_model(&mut self, id: &Value, model: &Value) {
        let model = match model {
            Value::String(name) if !name.is_empty() && name != "default" => name.clone(),
            Value::String(_) | Value::Null => self.control.model.clone(),
            _ => return self.peer.send_reply(id, Err("`model` must be a name or null".into())),
        };
        let (mark, tell) = self.control.new_mark();
        let (session, checked) = (self.session.clone(), Arc::new(Mutex::new(Err(String::new()))));
        self.control.model_changes.push(PendingModelChange {
            mark,
            id: id.clone(),
            model: model.clone(),
            checked: checked.clone(),
        });
        tokio::spawn(async move {
            let found = session.can_use(&model).await.map_err(|error| error.message);
            *checked.lock_unpoisoned() = found;
            tell();
        });
    }

    fn finish_model_change(&mut self, chosen: PendingModelChange) {
        let checked = chosen.checked.lock_unpoisoned().clone();
        let answer = match checked {
            Err(why) => Err(format!("Can't use the model {}: {why}", chosen.model)),
            Ok(name) => {
                self.frames.set_model(name);
                self.session.submit(Submission::SetModel { model: chosen.model.clone() });
                Ok(json!({"model": chosen.model}))
            }
        };
        self.peer.send_reply(&chosen.id, answer);
        if !self.busy {
            self.start_next();
        }
    }

    /// Sets the thinking budget from the next turn on; null restores the session's first value.
    fn set_thinking(&mut self, id: &Value, tokens: &Value) {
        let budget = tokens.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
        if budget.is_none() && !tokens.is_null() {
            return self
                .peer
                .send_reply(id, Err(format!("`max_thinking_tokens` must be a number or null, not {tokens}")));
        }
        self.session.submit(Submission::SetThinking { budget });
        self.peer.send_reply(id, Ok(json!({})));
    }

    /// Stops a subagent or background command; its end is reported as usual.
    fn stop_task(&mut self, id: &Value, task: &Value) {
        let Some(task) = task.as_str() else {
            return self.peer.send_reply(id, Err("`task_id` must be the id of a task".into()));
        };
        let (peer, id) = (self.peer.clone(), id.clone());
        let told = move |done: Result<(), String>| peer.send_reply(&id, done.map(|()| json!({})));
        self.session.submit(Submission::StopTask { id: task.to_string(), on_done: OnDone(Arc::new(told)) });
    }

    /// Removes a queued message.
    fn cancel_message(&mut self, id: &Value, uuid: &Value) {
        let before = self.queued.len();
        self.queued.retain(|(_, waiting)| waiting.is_none() || waiting.as_deref() != uuid.as_str());
        self.peer.send_reply(id, Ok(json!({"cancelled": self.queued.len() < before})));
    }

    fn context_usage(&self) -> Value {
        let (model, used, window) = self.frames.context();
        let percentage = if window == 0 { 0.0 } else { used as f64 * 100.0 / window as f64 };
        json!({
            "categories": [{"name": "Messages", "tokens": used, "color": "default"}],
            "totalTokens": used, "maxTokens": window, "rawMaxTokens": window, "percentage": percentage, "model": model,
            "gridRows": [], "memoryFiles": [], "mcpTools": [], "agents": [], "isAutoCompactEnabled": true,
        })
    }
}

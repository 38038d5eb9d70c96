//! Control requests of the host: each is answered exactly once, and only when what it asks for is done (HO-1, HO-3).

use super::Host;
use super::peer::Peer;
use super::rewind::Rewinding;
use cutonce_core::mode::Mode;
use cutonce_core::submission::{By, Mark, Submission, Told};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// What is asked for and not done yet.
pub struct Control {
    modes: Vec<Wanted>,
    marks: (mpsc::UnboundedSender<u64>, mpsc::UnboundedReceiver<u64>),
    next: u64,
    /// The last notice: why a mode was refused.
    notice: Option<String>,
    /// The model that the host started us with.
    model: String,
    greeting: Value,
    pub(super) rewinds: Vec<Rewinding>,
    choosing: Vec<Choosing>,
}

/// Another model, while it is looked whether it can be used.
struct Choosing {
    mark: u64,
    id: Value,
    model: String,
    why_not: Arc<Mutex<Option<String>>>,
}

struct Wanted {
    mark: u64,
    id: Value,
    mode: Mode,
    /// It is to be `dontAsk`; and whether that was on before (HO-1).
    dont_ask: bool,
    before: bool,
}

impl Wanted {
    fn name(&self) -> &'static str {
        if self.dont_ask { super::DONT_ASK } else { self.mode.name() }
    }
}

impl Control {
    pub fn new(model: String, greeting: Value) -> Self {
        Self {
            modes: Vec::new(),
            marks: mpsc::unbounded_channel(),
            next: 0,
            notice: None,
            model,
            greeting,
            rewinds: Vec::new(),
            choosing: Vec::new(),
        }
    }

    /// No message begins before it is known which model answers it.
    pub fn is_choosing(&self) -> bool {
        !self.choosing.is_empty()
    }

    pub async fn marks(&mut self) -> Option<u64> {
        self.marks.1.recv().await
    }

    pub fn noticed(&mut self, text: &str) {
        self.notice = Some(text.to_string());
    }

    pub fn notice(&self) -> Option<String> {
        self.notice.clone()
    }
    pub fn forget_notice(&mut self) {
        self.notice = None;
    }

    /// The answer comes before the frame that announces the change. Some: whether somebody is asked from now on, as the host wants it.
    pub fn mode_changed(&mut self, to: Mode, peer: &Peer) -> Option<bool> {
        let mut dont_ask = None;
        for done in self.modes.extract_if(.., |wanted| wanted.mode == to) {
            peer.reply(&done.id, Ok(json!({"mode": done.name()})));
            dont_ask = Some(done.dont_ask);
        }
        dont_ask
    }

    fn next_mark(&mut self) -> (u64, Submission) {
        let (number, tell) = self.later();
        (number, Submission::Mark(Mark(Arc::new(tell))))
    }

    /// A number, and what makes it come back.
    pub(super) fn later(&mut self) -> (u64, impl Fn() + Send + Sync + 'static) {
        self.next += 1;
        let (number, sender) = (self.next, self.marks.0.clone());
        let tell = move || {
            let _ = sender.send(number);
        };
        (number, tell)
    }
}

impl Host {
    pub(super) fn request(&mut self, id: &Value, request: &Value) {
        let subtype = request["subtype"].as_str().unwrap_or_default();
        match subtype {
            "initialize" => self.initialize(id, request),
            "interrupt" => self.interrupt(id, request["cancel_queued"] == true),
            "set_permission_mode" => self.set_mode(id, &request["mode"]),
            "set_model" => self.set_model(id, &request["model"]),
            "set_max_thinking_tokens" => self.set_thinking(id, &request["max_thinking_tokens"]),
            "rewind_files" => self.rewind_files(id, request),
            "stop_task" => self.stop_task(id, &request["task_id"]),
            "cancel_async_message" => self.cancel_message(id, &request["message_uuid"]),
            "mcp_status" => self.peer.reply(id, Ok(self.mcp_status())),
            "mcp_reconnect" => self.reconnect(id, &request["serverName"]),
            "mcp_toggle" => self.toggle(id, &request["serverName"], &request["enabled"]),
            "mcp_set_servers" => self.set_servers(id, &request["servers"]),
            "get_context_usage" => self.peer.reply(id, Ok(self.context_usage())),
            other => self.peer.reply(id, Err(format!("Unsupported control request subtype: {other}"))),
        }
    }

    /// Again, or late. What a late one brings would never count, and a guard that is never called is worse than an error.
    fn initialize(&mut self, id: &Value, request: &Value) {
        let late = !self.greeted && super::Setup::read(request).brings_something();
        let why = "`initialize` came after the session had begun: its hooks, agents, servers and prompts can't count any more";
        self.peer.reply(id, if late { Err(why.into()) } else { Ok(self.control.greeting.clone()) });
    }

    /// Answered first, then done; between turns there is nothing to stop.
    fn interrupt(&mut self, id: &Value, cancel_queued: bool) {
        let gone = if cancel_queued { std::mem::take(&mut self.waiting) } else { Default::default() };
        let uuids = |waiting: &std::collections::VecDeque<(super::Said, Option<String>)>| -> Vec<String> {
            waiting.iter().filter_map(|(_, uuid)| uuid.clone()).collect()
        };
        let mut answer = json!({"still_queued": uuids(&self.waiting)});
        if cancel_queued {
            answer["cancelled"] = uuids(&gone).into();
        }
        self.peer.reply(id, Ok(answer));
        if self.settling.is_some() {
            // Nothing has begun: the message that waits for the servers is the one that is meant.
            if self.waiting.pop_front().is_some() {
                self.peer.write(&crate::frames::not_begun(self.session.id(), "Interrupted by the user"));
            }
        } else if self.busy {
            self.session.submit(Submission::Interrupt);
        }
    }

    fn set_mode(&mut self, id: &Value, mode: &Value) {
        // Another name for it in the reference's own messages.
        let name = mode.as_str().map(|name| if name == "manual" { "default" } else { name });
        let (dont_ask, before) = (name == Some(super::DONT_ASK), self.frames.dont_ask());
        let named = if dont_ask { Some(Mode::Default) } else { name.and_then(Mode::parse) };
        let Some(mode) = named else {
            return self.peer.reply(id, Err(format!("Unknown permission mode: {mode}")));
        };
        // What takes rights away holds at once; what gives them, when the mode has changed.
        self.frames.set_dont_ask(dont_ask || before);
        self.control.notice = None;
        self.session.submit(Submission::SetMode { mode, by: By::Host });
        let mark = self.mark();
        self.control.modes.push(Wanted { mark, id: id.clone(), mode, dont_ask, before });
    }

    /// Its number comes back when all that was submitted so far is taken up.
    pub(super) fn mark(&mut self) -> u64 {
        let (mark, submission) = self.control.next_mark();
        self.session.submit(submission);
        mark
    }

    /// The change was taken up without the mode being announced: it was that mode already, or it was refused.
    pub(super) fn marked(&mut self, mark: u64) {
        if let Some(carried) = self.command.take_if(|carried| carried.is_marked(mark)) {
            return self.command_marked(carried);
        }
        if let Some(at) = self.control.choosing.iter().position(|choosing| choosing.mark == mark) {
            let chosen = self.control.choosing.remove(at);
            return self.model_chosen(chosen);
        }
        if let Some(at) = self.control.rewinds.iter().position(|rewinding| rewinding.mark == mark) {
            let done = self.control.rewinds.remove(at);
            return self.rewound(done);
        }
        let Some(at) = self.control.modes.iter().position(|wanted| wanted.mark == mark) else { return };
        let wanted = self.control.modes.remove(at);
        if !self.frames.is_in(wanted.mode) {
            let why = self.control.notice.take();
            let why = why.unwrap_or_else(|| format!("The mode could not be changed to {}.", wanted.mode));
            return self.peer.reply(&wanted.id, Err(why));
        }
        self.frames.set_dont_ask(wanted.dont_ask);
        self.peer.reply(&wanted.id, Ok(json!({"mode": wanted.name()})));
        if wanted.dont_ask != wanted.before {
            self.peer.write(&self.frames.status());
        }
    }

    /// It answers from the next request on, if its provider is known and there is a key. Null: the one that the session was started with.
    fn set_model(&mut self, id: &Value, model: &Value) {
        let model = match model {
            Value::String(name) if !name.is_empty() && name != "default" => name.clone(),
            Value::String(_) | Value::Null => self.control.model.clone(),
            _ => return self.peer.reply(id, Err("`model` must be a name or null".into())),
        };
        let (mark, tell) = self.control.later();
        let (session, why_not) = (self.session.clone(), Arc::new(Mutex::new(None)));
        self.control.choosing.push(Choosing { mark, id: id.clone(), model: model.clone(), why_not: why_not.clone() });
        tokio::spawn(async move {
            *why_not.lock().unwrap_or_else(PoisonError::into_inner) = session.can_use(&model).await.err();
            tell();
        });
    }

    fn model_chosen(&mut self, chosen: Choosing) {
        let why = chosen.why_not.lock().unwrap_or_else(PoisonError::into_inner).take();
        let answer = match why {
            Some(why) => Err(format!("The model {} can't be used: {why}", chosen.model)),
            None => {
                self.session.submit(Submission::SetModel { model: chosen.model.clone() });
                Ok(json!({"model": chosen.model}))
            }
        };
        self.peer.reply(&chosen.id, answer);
        if !self.busy {
            self.rest();
        }
    }

    /// From the next turn on; null: as the session was started.
    fn set_thinking(&mut self, id: &Value, tokens: &Value) {
        let budget = tokens.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
        if budget.is_none() && !tokens.is_null() {
            return self.peer.reply(id, Err(format!("`max_thinking_tokens` must be a number or null, not {tokens}")));
        }
        self.session.submit(Submission::SetThinking { budget });
        self.peer.reply(id, Ok(json!({})));
    }

    /// An agent, or a command in the background: its end is told as every end is.
    fn stop_task(&mut self, id: &Value, task: &Value) {
        let Some(task) = task.as_str() else {
            return self.peer.reply(id, Err("`task_id` must be the id of a task".into()));
        };
        let (peer, id) = (self.peer.clone(), id.clone());
        let told = move |done: Result<(), String>| peer.reply(&id, done.map(|()| json!({})));
        self.session.submit(Submission::StopTask { id: task.to_string(), told: Told(Arc::new(told)) });
    }

    /// A message that waits for its turn is taken back.
    fn cancel_message(&mut self, id: &Value, uuid: &Value) {
        let before = self.waiting.len();
        self.waiting.retain(|(_, waiting)| waiting.is_none() || waiting.as_deref() != uuid.as_str());
        self.peer.reply(id, Ok(json!({"cancelled": self.waiting.len() < before})));
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

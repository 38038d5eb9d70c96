//! One session driven by a client. Prompts run one after the other, each answered when its turn ends; asks
//! become permission requests; open ones are denied if the client disconnects.

use super::asks::{self, AskInProgress, AskStep, ClientResponse};
use super::forms;
use super::prompt::{CallableCommands, ParsedPrompt};
use super::review_rehearsals::{RehearsalEvent, applies_rehearsal, rehearsal_news};
use super::updates::{UpdateBuilder, notice_update};
use agent_client_protocol::v1::schema::{
    AvailableCommandsUpdate, Meta, PromptResponse, RequestPermissionRequest, SessionId, SessionNotification,
    SessionUpdate, SetSessionModeResponse, StopReason, ToolCallId, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Client, Error, RequestCancellationHandle};
use cutonce_agent::mcp::McpServers;
use cutonce_agent::{EventStream, Session};
use cutonce_core::conversation::StopReason as ModelStop;
use cutonce_core::mode::Mode;
use cutonce_core::protocol::event::{AskView, EndReason, Event, EventKind, TurnSummary};
use cutonce_core::protocol::submission::{ChangedBy, Flushed, OnDone, Submission};
use cutonce_core::protocol::view::SessionView;
use cutonce_core::text::sanitize::{sanitize, without_os_codes};
use serde_json::json;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// A message from the connection to a session.
pub enum SessionOrder {
    Prompt(ParsedPrompt, Responder<PromptResponse>),
    SetMode(Mode, Responder<SetSessionModeResponse>),
    Cancel,
    /// A permission request was answered.
    AskResponse {
        ask_id: String,
        came: ClientResponse,
    },
    /// A rehearsal that the client chose did not start.
    RehearsalRefused {
        ask_id: String,
        why: String,
    },
    /// The session has processed everything before this mark.
    MarkReached(u64),
    /// Asks whether a prompt is running.
    QueryBusy(oneshot::Sender<bool>),
    /// The client disconnected or closed the session.
    End,
}

/// Maximum bytes of a request that is also sent as an update.
const MAX_REPEATED_BYTES: usize = 24_000;

/// Sends updates to the client.
#[derive(Clone)]
pub struct UpdateSender {
    pub connection: ConnectionTo<Client>,
    pub session: SessionId,
    pub callable: Arc<CallableCommands>,
}

impl UpdateSender {
    pub fn send_update(&self, update: SessionUpdate) {
        // The connection notices a client that is gone.
        let _ = self.connection.send_notification(SessionNotification::new(self.session.clone(), update));
    }

    /// Sends the available commands.
    pub fn send_commands(&self) {
        self.send_command_list(Vec::new());
    }

    /// Sends the commands again with MCP prompts, once all servers are connected or have failed (HO-6). Runs
    /// in the background.
    pub fn send_commands_when_ready(self, servers: McpServers) {
        tokio::spawn(async move {
            servers.wait_until_started(None).await;
            let prompts = servers.list_prompts().await;
            if !prompts.is_empty() {
                self.send_command_list(prompts);
            }
        });
    }

    fn send_command_list(&self, prompts: Vec<cutonce_agent::mcp::McpPrompt>) {
        let commands = AvailableCommandsUpdate::new(self.callable.list_commands(&prompts));
        self.send_update(SessionUpdate::AvailableCommandsUpdate(commands));
    }
}

pub struct ServedSession {
    pub session: Session,
    pub events: EventStream,
    pub out: UpdateSender,
    pub show: UpdateBuilder,
    /// The client shows forms.
    shows_forms: bool,
    view: SessionView,
    orders: mpsc::UnboundedReceiver<SessionOrder>,
    sender: mpsc::WeakUnboundedSender<SessionOrder>,
    running: Option<RunningPrompt>,
    queued: VecDeque<(ParsedPrompt, Responder<PromptResponse>)>,
    /// A turn is running.
    turn_running: bool,
    /// The running prompt was cancelled, so a turn that still starts for it is cancelled too.
    cancelling: bool,
    /// Takes nothing more from the client; running work finishes.
    ending: bool,
    asks: HashMap<String, ClientAsk>,
    /// Plans whose request was answered and that still wait: for a rehearsal, or for its application.
    rehearsed_asks: HashMap<String, (AskInProgress, ToolCallId)>,
    /// Asks without a model call, with the tool call created for the client (PM-85).
    asks_without_call: HashMap<String, ToolCallId>,
    marks: u64,
    mode_changes: Vec<(u64, Mode, Responder<SetSessionModeResponse>)>,
    /// The last notice: why the mode could not be changed.
    last_notice: String,
}

/// The running prompt.
struct RunningPrompt {
    responder: Responder<PromptResponse>,
    /// Mark that returns when everything caused by the prompt is done: hooks may delay it, another turn may
    /// run first, a command starts no turn, and an approval with a cleared context starts a second one
    /// (PM-81).
    done_mark: u64,
    /// Result of the last turn since then.
    result: Option<Result<StopReason, Error>>,
    /// The report of the turn, for clients that know us (PC-38).
    meta: Option<Meta>,
}

struct ClientAsk {
    asking: AskInProgress,
    call: ToolCallId,
    request: RequestCancellationHandle,
}

impl ServedSession {
    pub fn new(
        session: Session,
        events: EventStream,
        out: UpdateSender,
        (show, shows_forms): (UpdateBuilder, bool),
        mode: Mode,
    ) -> (Self, mpsc::UnboundedSender<SessionOrder>) {
        let (sender, orders) = mpsc::unbounded_channel();
        let served = Self {
            session,
            events,
            out,
            show,
            shows_forms,
            view: SessionView { mode, ..SessionView::default() },
            orders,
            sender: sender.downgrade(),
            running: None,
            queued: VecDeque::new(),
            turn_running: false,
            cancelling: false,
            ending: false,
            asks: HashMap::new(),
            rehearsed_asks: HashMap::new(),
            asks_without_call: HashMap::new(),
            marks: 0,
            mode_changes: Vec::new(),
            last_notice: String::new(),
        };
        (served, sender)
    }

    /// Runs until the session ends. Events come first, so that everything before a mark has been seen when
    /// the mark arrives.
    pub async fn run(mut self) {
        loop {
            tokio::select! {
                biased;
                event = self.events.next() => match event {
                    Some(event) => self.handle_event(&event),
                    None => return self.finish_prompt(Ok(StopReason::Cancelled)),
                },
                order = self.orders.recv(), if !self.ending => self.handle_order(order.unwrap_or(SessionOrder::End)),
            }
        }
    }

    fn handle_order(&mut self, order: SessionOrder) {
        match order {
            SessionOrder::Prompt(prompt, responder) if self.running.is_some() => {
                self.queued.push_back((prompt, responder))
            }
            SessionOrder::Prompt(prompt, responder) => self.start_prompt(prompt, responder),
            SessionOrder::SetMode(mode, responder) => {
                self.last_notice.clear();
                self.session.submit(Submission::SetMode { mode, by: ChangedBy::Host });
                let mark = self.submit_mark();
                self.mode_changes.push((mark, mode, responder));
            }
            SessionOrder::Cancel => self.cancel_prompts(),
            SessionOrder::AskResponse { ask_id, came } => self.handle_response(&ask_id, came),
            SessionOrder::RehearsalRefused { ask_id, why } => {
                if let Some((mut asking, call)) = self.rehearsed_asks.remove(&ask_id) {
                    asking.rehearsal.refused(&why);
                    self.send_request(ask_id, asking, call);
                }
            }
            SessionOrder::MarkReached(mark) => self.mark_reached(mark),
            SessionOrder::QueryBusy(answer) => drop(answer.send(self.running.is_some() || self.turn_running)),
            SessionOrder::End => self.shut_down(),
        }
    }

    fn start_prompt(&mut self, prompt: ParsedPrompt, responder: Responder<PromptResponse>) {
        match prompt {
            ParsedPrompt::Message(words) => self.session.submit(*words),
            ParsedPrompt::Command(command) => self.session.submit(*command),
            ParsedPrompt::SetModel { name } => return self.set_model(name, responder),
            ParsedPrompt::Compact { focus } => self.session.submit(Submission::Compact { focus, on_done: None }),
            ParsedPrompt::ShowText(words) => return self.show_text(&words, responder),
            ParsedPrompt::ShowUsage => {
                let text = cutonce_agent::storage::usage_report(self.session.home());
                return self.show_text(&text, responder);
            }
        }
        let (over, tell) = self.new_mark();
        self.session.submit(Submission::WhenIdle(Flushed(Arc::new(tell))));
        self.cancelling = false;
        self.running = Some(RunningPrompt { responder, done_mark: over, result: None, meta: None });
    }

    fn show_text(&mut self, words: &str, responder: Responder<PromptResponse>) {
        self.out.send_update(self.show.notice_chunk(words));
        let _ = responder.respond(PromptResponse::new(StopReason::EndTurn));
        self.start_next_prompt();
    }

    /// Switches to a model that can be connected, or says why not.
    fn set_model(&mut self, name: String, responder: Responder<PromptResponse>) {
        let (done_mark, tell) = self.new_mark();
        let (session, out) = (self.session.clone(), self.out.clone());
        tokio::spawn(async move {
            let said = match session.can_use(&name).await {
                Ok(model) => {
                    session.submit(Submission::SetModel { model: name });
                    format!("Model: {model}, from your next message.")
                }
                Err(why) => format!("{why} The model is unchanged."),
            };
            out.send_update(notice_update(&said));
            tell();
        });
        self.cancelling = false;
        self.running = Some(RunningPrompt { responder, done_mark, result: None, meta: None });
    }

    fn start_next_prompt(&mut self) {
        if let Some((prompt, responder)) = self.queued.pop_front() {
            self.start_prompt(prompt, responder);
        }
    }

    fn submit_mark(&mut self) -> u64 {
        let (mark, tell) = self.new_mark();
        self.session.submit(Submission::WhenFlushed(Flushed(Arc::new(tell))));
        mark
    }

    /// Returns a mark and the callback that reports it.
    fn new_mark(&mut self) -> (u64, impl Fn() + Send + Sync + 'static) {
        self.marks += 1;
        let (mark, orders) = (self.marks, self.sender.clone());
        let tell = move || {
            if let Some(orders) = orders.upgrade() {
                let _ = orders.send(SessionOrder::MarkReached(mark));
            }
        };
        (mark, tell)
    }

    fn mark_reached(&mut self, mark: u64) {
        if self.running.as_ref().is_some_and(|running| running.done_mark == mark) {
            self.finish_prompt(Ok(StopReason::EndTurn));
            self.start_next_prompt();
        }
        for (_, mode, responder) in self.mode_changes.extract_if(.., |(wanted, ..)| *wanted == mark) {
            let _ = if self.view.mode == mode {
                responder.respond(SetSessionModeResponse::new())
            } else {
                responder.respond_with_error(internal_error(&self.last_notice))
            };
        }
    }

    /// Answers the running prompt; `without` is the result if it had no turn.
    fn finish_prompt(&mut self, without: Result<StopReason, Error>) {
        let Some(running) = self.running.take() else { return };
        let cancelled = std::mem::take(&mut self.cancelling).then_some(Ok(StopReason::Cancelled));
        let result = cancelled.or(running.result).unwrap_or(without);
        let respond = |stop| PromptResponse::new(stop).meta(running.meta);
        let _ = running.responder.respond_with_result(result.map(respond));
    }

    /// Cancels the running prompt and the queued ones.
    fn cancel_prompts(&mut self) {
        self.cancel_queued();
        if self.running.is_some() || self.turn_running {
            self.cancelling = true;
            self.session.submit(Submission::Interrupt);
        }
    }

    fn cancel_queued(&mut self) {
        for (_, responder) in self.queued.drain(..) {
            let _ = responder.respond(PromptResponse::new(StopReason::Cancelled));
        }
    }

    fn shut_down(&mut self) {
        self.ending = true;
        self.cancel_queued();
        self.session.submit(Submission::Interrupt);
        self.session.submit(Submission::Close);
    }

    fn handle_event(&mut self, event: &Event) {
        self.view.apply_event(event);
        self.show.event_updates(&event.kind).into_iter().for_each(|update| self.out.send_update(update));
        match &event.kind {
            EventKind::TurnStarted => self.turn_started(),
            EventKind::TurnEnded(ended) => self.turn_ended(ended),
            EventKind::Ask(view) => self.open_ask(view.clone()),
            EventKind::AskClosed { ask_id, answer, .. } => self.ask_closed(ask_id, answer.is_some()),
            EventKind::Notice { text, .. } => self.last_notice = text.clone(),
            kind => {
                if let Some(news) = rehearsal_news(kind) {
                    self.rehearsal_reported(news);
                }
            }
        }
    }

    /// A prompt cancelled behind another turn starts its own turn when that ends, so interrupt that as well.
    fn turn_started(&mut self) {
        self.turn_running = true;
        if self.cancelling {
            self.session.submit(Submission::Interrupt);
        }
    }

    fn turn_ended(&mut self, ended: &TurnSummary) {
        self.turn_running = false;
        let Some(running) = &mut self.running else {
            self.cancelling = false;
            return;
        };
        running.meta =
            ended.report.as_ref().map(|report| asks::own_meta("report", json!(report))).or(running.meta.take());
        running.result = Some(match &ended.reason {
            EndReason::Completed => Ok(match ended.stop {
                Some(ModelStop::MaxTokens) => StopReason::MaxTokens,
                Some(ModelStop::Refusal) => StopReason::Refusal,
                _ => StopReason::EndTurn,
            }),
            EndReason::Interrupted { .. } => Ok(StopReason::Cancelled),
            EndReason::MaxTurns(_) => Ok(StopReason::MaxTurnRequests),
            EndReason::MaxBudget => Err(internal_error("The budget of this session is used up.")),
            EndReason::Failed { message, .. } => Err(internal_error(message)),
        });
        // Orders are no longer read.
        if self.ending {
            self.finish_prompt(Ok(StopReason::Cancelled));
        }
    }

    fn open_ask(&mut self, view: Arc<AskView>) {
        let (call, begun) = self.show.call_for_ask(&view.call_id, &view.tool, &view.input);
        begun.into_iter().for_each(|update| self.out.send_update(update));
        let ask_id = view.ask_id.clone();
        if view.call_id.is_empty() {
            self.asks_without_call.insert(ask_id.clone(), call.clone());
        }
        self.send_request(ask_id, AskInProgress::new(view), call);
    }

    /// The ask was answered or withdrawn: tells a client that still shows it.
    fn ask_closed(&mut self, ask_id: &str, answered: bool) {
        self.rehearsed_asks.remove(ask_id);
        // A client that cancels the prompt withdraws its own requests.
        if let Some(open) = self.asks.remove(ask_id).filter(|_| !self.cancelling) {
            let _ = open.request.cancel();
        }
        // An ask without a model call has no result that would finish its tool call.
        if let Some(call) = self.asks_without_call.remove(ask_id) {
            let status = if answered { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
            let fields = ToolCallUpdateFields::new().status(status);
            self.out.send_update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call, fields)));
        }
    }

    fn send_request(&mut self, ask_id: String, asking: AskInProgress, call: ToolCallId) {
        let shown = asking.build_prompt(self.show.cwd());
        let update = ToolCallUpdate::new(call.clone(), shown.fields.clone());
        // The call also shows what is asked, for clients that draw only calls; long content is sent once.
        let mut first = shown.fields;
        if serde_json::to_string(&update).map_or(0, |line| line.len()) > MAX_REPEATED_BYTES {
            (first.content, first.raw_input) = (None, None);
        }
        self.out.send_update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.clone(), first)));
        let (orders, id) = (self.sender.clone(), ask_id.clone());
        if let Some(questions) = asking.questions().filter(|_| self.shows_forms)
            && let Some(form) = forms::build_form(questions, &self.out.session, &call)
        {
            let (count, sent) = (questions.len(), self.out.connection.send_request(form));
            self.asks.insert(ask_id, ClientAsk { asking, call, request: sent.cancellation_handle() });
            tokio::spawn(async move {
                let came = forms::form_response(sent.block_task().await, count);
                if let Some(orders) = orders.upgrade() {
                    let _ = orders.send(SessionOrder::AskResponse { ask_id: id, came });
                }
            });
            return;
        }
        let request = RequestPermissionRequest::new(self.out.session.clone(), update, shown.options);
        let request = request.meta(asking.meta());
        let sent = self.out.connection.send_request(request);
        self.asks.insert(ask_id, ClientAsk { asking, call, request: sent.cancellation_handle() });
        tokio::spawn(async move {
            let came = asks::client_response(sent.block_task().await);
            if let Some(orders) = orders.upgrade() {
                let _ = orders.send(SessionOrder::AskResponse { ask_id: id, came });
            }
        });
    }

    /// Ignores a response to an ask that was withdrawn meanwhile.
    fn handle_response(&mut self, ask_id: &str, came: ClientResponse) {
        let Some(mut open) = self.asks.remove(ask_id) else { return };
        match open.asking.handle_response(came) {
            None => {}
            Some(AskStep::Ask) => self.send_request(ask_id.to_string(), open.asking, open.call),
            Some(AskStep::Answer(answer)) => {
                // If nothing can be applied, the plan still waits.
                if applies_rehearsal(&answer) {
                    self.rehearsed_asks.insert(ask_id.to_string(), (open.asking, open.call));
                }
                self.session.submit(Submission::Answer { ask_id: ask_id.to_string(), answer })
            }
            Some(AskStep::Rehearse(order)) => {
                self.rehearsed_asks.insert(ask_id.to_string(), (open.asking, open.call));
                let (orders, ask_id) = (self.sender.clone(), ask_id.to_string());
                let told = move |done: Result<(), String>| {
                    if let (Err(why), Some(orders)) = (done, orders.upgrade()) {
                        let _ = orders.send(SessionOrder::RehearsalRefused { ask_id: ask_id.clone(), why });
                    }
                };
                self.session.submit(Submission::Rehearse { order, on_done: Some(OnDone(Arc::new(told))) });
            }
        }
    }

    /// News of a rehearsal: the client sees it, and is asked again when it has ended.
    fn rehearsal_reported(&mut self, news: &RehearsalEvent) {
        for (ask_id, (mut asking, call)) in std::mem::take(&mut self.rehearsed_asks) {
            let (updates, asks_again) = asking.rehearsal.news(news);
            updates.into_iter().for_each(|update| self.out.send_update(update));
            match asks_again {
                true => self.send_request(ask_id, asking, call),
                false => drop(self.rehearsed_asks.insert(ask_id, (asking, call))),
            }
        }
    }
}

fn internal_error(why: &str) -> Error {
    let mut error = Error::internal_error();
    error.message = sanitize(&without_os_codes(why)).into_owned();
    error
}

//! One session as a client drives it: prompts one after the other, each answered when its turn is over; asks go out as
//! permission requests; whatever is open when the client goes away fails closed.

use super::asks::{self, Asking, Came, Next};
use super::prompt::{Callable, Prompt};
use super::show::Show;
use agent_client_protocol::v1::schema::{
    AvailableCommandsUpdate, PromptResponse, RequestPermissionRequest, SessionId, SessionNotification, SessionUpdate,
    SetSessionModeResponse, StopReason, ToolCallId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Client, Error, RequestCancellationHandle};
use cutonce_agent::mcp::Servers;
use cutonce_agent::{Events, Session};
use cutonce_core::conversation::Stop;
use cutonce_core::event::{AskView, EndReason, Ended, Event, EventKind};
use cutonce_core::mode::Mode;
use cutonce_core::submission::{By, Mark, Submission};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// What the connection hands to a session.
pub enum Order {
    Prompt(Prompt, Responder<PromptResponse>),
    SetMode(Mode, Responder<SetSessionModeResponse>),
    Cancel,
    /// A permission request came back.
    Came {
        ask_id: String,
        came: Came,
    },
    /// The session has taken up everything before this mark.
    Marked(u64),
    /// Is a prompt being worked on?
    Busy(oneshot::Sender<bool>),
    /// The client is gone, or wants no more of it.
    End,
}

/// A request beyond this is not repeated as an update.
const LONG: usize = 24_000;

/// Where a client's updates go.
#[derive(Clone)]
pub struct Out {
    pub connection: ConnectionTo<Client>,
    pub session: SessionId,
    pub callable: Arc<Callable>,
}

impl Out {
    pub fn update(&self, update: SessionUpdate) {
        // A client that is gone is noticed by the connection.
        let _ = self.connection.send_notification(SessionNotification::new(self.session.clone(), update));
    }

    /// The commands there are.
    pub fn commands(&self) {
        self.tell_commands(Vec::new());
    }

    /// Once all MCP servers are up or have failed their prompts are commands too (HO-6); nobody waits for that.
    pub fn later(self, servers: Servers) {
        tokio::spawn(async move {
            servers.settled(None).await;
            let prompts = servers.prompts().await;
            if !prompts.is_empty() {
                self.tell_commands(prompts);
            }
        });
    }

    fn tell_commands(&self, prompts: Vec<cutonce_agent::mcp::Prompt>) {
        let commands = AvailableCommandsUpdate::new(self.callable.available(&prompts));
        self.update(SessionUpdate::AvailableCommandsUpdate(commands));
    }
}

pub struct Served {
    pub session: Session,
    pub events: Events,
    pub out: Out,
    pub show: Show,
    pub mode: Mode,
    orders: mpsc::UnboundedReceiver<Order>,
    sender: mpsc::WeakUnboundedSender<Order>,
    running: Option<Running>,
    waiting: VecDeque<(Prompt, Responder<PromptResponse>)>,
    /// A turn is on.
    turn: bool,
    /// What is worked on was cancelled: a turn that still begins for it is too.
    cancelling: bool,
    /// Nothing more is taken from the client; what was begun comes to its end.
    ending: bool,
    asks: HashMap<String, OpenAsk>,
    /// Asks that belong to no call of the model's, with the one that was made for the client (PM-85).
    callless: HashMap<String, ToolCallId>,
    marks: u64,
    modes: Vec<(u64, Mode, Responder<SetSessionModeResponse>)>,
    /// Why the mode could not be changed, as the session last said.
    said: String,
}

/// The prompt that is worked on.
struct Running {
    responder: Responder<PromptResponse>,
    /// Comes back when all that it brought about is over: hooks may hold it at the door, another turn may be on, a command begins
    /// none, a plan that is approved with a cleared context begins a second one (PM-81).
    over: u64,
    /// How the last turn since then ended.
    ended: Option<Result<StopReason, Error>>,
}

struct OpenAsk {
    asking: Asking,
    call: ToolCallId,
    request: RequestCancellationHandle,
}

impl Served {
    pub fn new(
        session: Session,
        events: Events,
        out: Out,
        show: Show,
        mode: Mode,
    ) -> (Self, mpsc::UnboundedSender<Order>) {
        let (sender, orders) = mpsc::unbounded_channel();
        let served = Self {
            session,
            events,
            out,
            show,
            mode,
            orders,
            sender: sender.downgrade(),
            running: None,
            waiting: VecDeque::new(),
            turn: false,
            cancelling: false,
            ending: false,
            asks: HashMap::new(),
            callless: HashMap::new(),
            marks: 0,
            modes: Vec::new(),
            said: String::new(),
        };
        (served, sender)
    }

    /// Until the session is over. Events first: what a mark stands for has been seen when it is.
    pub async fn run(mut self) {
        loop {
            tokio::select! {
                biased;
                event = self.events.next() => match event {
                    Some(event) => self.event(&event),
                    None => return self.answer(Ok(StopReason::Cancelled)),
                },
                order = self.orders.recv(), if !self.ending => self.order(order.unwrap_or(Order::End)),
            }
        }
    }

    fn order(&mut self, order: Order) {
        match order {
            Order::Prompt(prompt, responder) if self.running.is_some() => self.waiting.push_back((prompt, responder)),
            Order::Prompt(prompt, responder) => self.begin(prompt, responder),
            Order::SetMode(mode, responder) => {
                self.said.clear();
                self.session.submit(Submission::SetMode { mode, by: By::Host });
                let mark = self.mark();
                self.modes.push((mark, mode, responder));
            }
            Order::Cancel => self.cancel(),
            Order::Came { ask_id, came } => self.came(&ask_id, came),
            Order::Marked(mark) => self.marked(mark),
            Order::Busy(answer) => drop(answer.send(self.running.is_some() || self.turn)),
            Order::End => self.end(),
        }
    }

    fn begin(&mut self, prompt: Prompt, responder: Responder<PromptResponse>) {
        match prompt {
            Prompt::Words(words) => self.session.submit(words),
            Prompt::Command(submissions) => submissions.into_iter().for_each(|one| self.session.submit(one)),
            Prompt::Compact { focus } => self.session.submit(Submission::Compact { focus, told: None }),
            Prompt::Say(words) => {
                self.out.update(self.show.aside(&words));
                let _ = responder.respond(PromptResponse::new(StopReason::EndTurn));
                return self.next();
            }
        }
        let (over, tell) = self.later();
        self.session.submit(Submission::Over(Mark(Arc::new(tell))));
        self.cancelling = false;
        self.running = Some(Running { responder, over, ended: None });
    }

    fn next(&mut self) {
        if let Some((prompt, responder)) = self.waiting.pop_front() {
            self.begin(prompt, responder);
        }
    }

    fn mark(&mut self) -> u64 {
        let (mark, tell) = self.later();
        self.session.submit(Submission::Mark(Mark(Arc::new(tell))));
        mark
    }

    /// A mark, and what makes it come back.
    fn later(&mut self) -> (u64, impl Fn() + Send + Sync + 'static) {
        self.marks += 1;
        let (mark, orders) = (self.marks, self.sender.clone());
        let tell = move || {
            if let Some(orders) = orders.upgrade() {
                let _ = orders.send(Order::Marked(mark));
            }
        };
        (mark, tell)
    }

    fn marked(&mut self, mark: u64) {
        if self.running.as_ref().is_some_and(|running| running.over == mark) {
            self.answer(Ok(StopReason::EndTurn));
            self.next();
        }
        for (_, mode, responder) in self.modes.extract_if(.., |(wanted, ..)| *wanted == mark) {
            let _ = if self.mode == mode {
                responder.respond(SetSessionModeResponse::new())
            } else {
                responder.respond_with_error(failed(&self.said))
            };
        }
    }

    /// The prompt that is worked on is over; `without`: where it had no turn.
    fn answer(&mut self, without: Result<StopReason, Error>) {
        let Some(running) = self.running.take() else { return };
        let cancelled = std::mem::take(&mut self.cancelling).then_some(Ok(StopReason::Cancelled));
        let result = cancelled.or(running.ended).unwrap_or(without);
        let _ = running.responder.respond_with_result(result.map(PromptResponse::new));
    }

    /// The prompts that wait are cancelled with the one that is worked on.
    fn cancel(&mut self) {
        self.forget_waiting();
        if self.running.is_some() || self.turn {
            self.cancelling = true;
            self.session.submit(Submission::Interrupt);
        }
    }

    fn forget_waiting(&mut self) {
        for (_, responder) in self.waiting.drain(..) {
            let _ = responder.respond(PromptResponse::new(StopReason::Cancelled));
        }
    }

    fn end(&mut self) {
        self.ending = true;
        self.forget_waiting();
        self.session.submit(Submission::Interrupt);
        self.session.submit(Submission::Close);
    }

    fn event(&mut self, event: &Event) {
        self.show.of(&event.kind).into_iter().for_each(|update| self.out.update(update));
        match &event.kind {
            EventKind::TurnStarted => self.turn_started(),
            EventKind::TurnEnded(ended) => self.turn_ended(ended),
            EventKind::ModeChanged { to, .. } => self.mode = *to,
            EventKind::Ask(view) => self.ask(view.clone()),
            EventKind::AskClosed { ask_id, answer } => self.ask_closed(ask_id, answer.is_some()),
            EventKind::Notice { text, .. } => self.said = text.clone(),
            _ => {}
        }
    }

    /// What was cancelled while it waited behind another turn begins one of its own when that ends.
    fn turn_started(&mut self) {
        self.turn = true;
        if self.cancelling {
            self.session.submit(Submission::Interrupt);
        }
    }

    fn turn_ended(&mut self, ended: &Ended) {
        self.turn = false;
        let Some(running) = &mut self.running else {
            self.cancelling = false;
            return;
        };
        running.ended = Some(match &ended.reason {
            EndReason::Completed => Ok(match ended.stop {
                Some(Stop::MaxTokens) => StopReason::MaxTokens,
                Some(Stop::Refusal) => StopReason::Refusal,
                _ => StopReason::EndTurn,
            }),
            EndReason::Interrupted { .. } => Ok(StopReason::Cancelled),
            EndReason::MaxTurns(_) => Ok(StopReason::MaxTurnRequests),
            EndReason::MaxBudget => Err(failed("The budget of this session is used up.")),
            EndReason::Failed { message, .. } => Err(failed(message)),
        });
        // No order is heard any more.
        if self.ending {
            self.answer(Ok(StopReason::Cancelled));
        }
    }

    fn ask(&mut self, view: Arc<AskView>) {
        let (call, begun) = self.show.asked(&view.call_id, &view.tool, &view.input);
        begun.into_iter().for_each(|update| self.out.update(update));
        let ask_id = view.ask_id.clone();
        if view.call_id.is_empty() {
            self.callless.insert(ask_id.clone(), call.clone());
        }
        self.request(ask_id, Asking::new(view), call);
    }

    /// Somebody answered, or it was withdrawn: a client that still shows it is told.
    fn ask_closed(&mut self, ask_id: &str, answered: bool) {
        // A client that cancels the prompt takes its own requests back.
        if let Some(open) = self.asks.remove(ask_id).filter(|_| !self.cancelling) {
            let _ = open.request.cancel();
        }
        // A request without a call of the model's has no result that would end what was shown for it.
        if let Some(call) = self.callless.remove(ask_id) {
            let status = if answered { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
            let fields = ToolCallUpdateFields::new().status(status);
            self.out.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call, fields)));
        }
    }

    fn request(&mut self, ask_id: String, asking: Asking, call: ToolCallId) {
        let shown = asking.show(self.show.cwd());
        let update = ToolCallUpdate::new(call.clone(), shown.fields.clone());
        // The call shows what is asked for, also to a client that draws only calls; what is long is sent once.
        let mut first = shown.fields;
        if serde_json::to_string(&update).map_or(0, |line| line.len()) > LONG {
            (first.content, first.raw_input) = (None, None);
        }
        self.out.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.clone(), first)));
        let request = RequestPermissionRequest::new(self.out.session.clone(), update, shown.options);
        let sent = self.out.connection.send_request(request);
        let (orders, id) = (self.sender.clone(), ask_id.clone());
        self.asks.insert(ask_id, OpenAsk { asking, call, request: sent.cancellation_handle() });
        tokio::spawn(async move {
            let came = asks::came(sent.block_task().await);
            if let Some(orders) = orders.upgrade() {
                let _ = orders.send(Order::Came { ask_id: id, came });
            }
        });
    }

    /// One that was withdrawn meanwhile is not open any more.
    fn came(&mut self, ask_id: &str, came: Came) {
        let Some(mut open) = self.asks.remove(ask_id) else { return };
        match open.asking.next(came) {
            None => {}
            Some(Next::Ask) => self.request(ask_id.to_string(), open.asking, open.call),
            Some(Next::Answer(answer)) => {
                self.session.submit(Submission::Answer { ask_id: ask_id.to_string(), answer })
            }
        }
    }
}

fn failed(why: &str) -> Error {
    let mut error = Error::internal_error();
    error.message = cutonce_core::harmless::harmless(why).into_owned();
    error
}

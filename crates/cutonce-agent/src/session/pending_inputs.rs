//! Input that waits for hooks before it reaches the turn machine: the session's start, then messages, one at a time and
//! in order (HO-7).

use super::SessionState;
use super::events::SessionEvent;
use cutonce_core::hooks::{HookAnswer, HookEvent, HookPayload};
use cutonce_core::protocol::event::{EndReason, EventKind, NoticeLevel, TurnSummary};
use cutonce_core::turn::{TurnEvent, UserInput};
use std::collections::VecDeque;
use tokio_util::sync::CancellationToken;

/// One input that waits.
enum PendingInput {
    /// SessionStart, with its source.
    SessionStart(&'static str),
    /// SubagentStart: this session is a subagent's.
    SubagentStart,
    Message(UserInput),
}

/// The queue of inputs, and the one whose hooks run.
#[derive(Default)]
pub(super) struct PendingInputs {
    queue: VecDeque<PendingInput>,
    running: Option<RunningInput>,
    last_id: u64,
}

struct RunningInput {
    id: u64,
    input: PendingInput,
    /// Ends the hooks when the input is dropped.
    cancel: CancellationToken,
}

impl Drop for RunningInput {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl PendingInputs {
    pub fn any(&self) -> bool {
        self.running.is_some() || !self.queue.is_empty()
    }
    pub fn any_message(&self) -> bool {
        let running = self.running.iter().map(|running| &running.input);
        running.chain(&self.queue).any(|input| matches!(input, PendingInput::Message(_)))
    }
}

impl SessionState {
    /// The session starts, or starts over. A subagent has an event of its own.
    pub(super) fn session_started(&mut self, source: &'static str) {
        if self.subagent.is_none() && self.hooks.wants(&HookPayload::SessionStart { source }) {
            self.hooks.inputs.queue.push_back(PendingInput::SessionStart(source));
            self.run_next_input_hook();
        }
    }

    /// A subagent starts or resumes: what hooks say is for it.
    pub(super) fn subagent_started(&mut self) {
        if self.subagent_moment().is_some_and(|moment| self.hooks.wants(&moment)) {
            self.hooks.inputs.queue.push_back(PendingInput::SubagentStart);
            self.run_next_input_hook();
        }
    }

    fn subagent_moment(&self) -> Option<HookPayload> {
        let me = &self.subagent.as_ref()?.me;
        Some(HookPayload::SubagentStart { agent_id: me.id.clone(), agent_type: me.name.clone() })
    }

    /// Passes a message of the user on: at once, or when the hooks have let it through.
    pub(super) fn accept_input(&mut self, input: UserInput) {
        let wanted = || self.hooks.wants(&HookPayload::UserPromptSubmit { prompt: input.text.clone() });
        let free = self.subagent.is_some() || self.hooks.is_empty() || !wanted();
        if free && !self.hooks.input_pending() {
            return self.pending.push_back(TurnEvent::Input(input));
        }
        self.hooks.inputs.queue.push_back(PendingInput::Message(input));
        self.run_next_input_hook();
    }

    fn run_next_input_hook(&mut self) {
        while self.hooks.inputs.running.is_none() {
            let Some(input) = self.hooks.inputs.queue.pop_front() else { return };
            let moment = match &input {
                PendingInput::SessionStart(source) => Some(HookPayload::SessionStart { source }),
                PendingInput::SubagentStart => self.subagent_moment(),
                // The task of a subagent is no prompt of the user.
                PendingInput::Message(_) if self.subagent.is_some() => None,
                PendingInput::Message(input) => Some(HookPayload::UserPromptSubmit { prompt: input.text.clone() }),
            };
            match (moment.filter(|moment| self.hooks.wants(moment)), input) {
                (Some(moment), input) => self.run_input_hook(moment, input),
                (None, PendingInput::Message(input)) => self.pending.push_back(TurnEvent::Input(input)),
                (None, PendingInput::SessionStart(_) | PendingInput::SubagentStart) => {}
            }
        }
    }

    fn run_input_hook(&mut self, moment: HookPayload, input: PendingInput) {
        let (fire, events, cancel) = (self.fire_hooks(moment), self.events.clone(), CancellationToken::new());
        let inputs = &mut self.hooks.inputs;
        inputs.last_id += 1;
        let id = inputs.last_id;
        inputs.running = Some(RunningInput { id, input, cancel: cancel.clone() });
        tokio::spawn(async move {
            if let Some(reply) = cancel.run_until_cancelled(fire).await {
                let _ = events.send(SessionEvent::InputHooked { id, reply });
            }
        });
    }

    pub(super) fn input_hooked(&mut self, id: u64, reply: HookAnswer) {
        let current = self.hooks.inputs.running.as_ref().is_some_and(|running| running.id == id);
        let Some(mut running) = self.hooks.inputs.running.take_if(|_| current) else { return };
        match std::mem::replace(&mut running.input, PendingInput::SubagentStart) {
            PendingInput::SessionStart(_) => self.start_hooked(HookEvent::SessionStart, &reply),
            PendingInput::SubagentStart => self.start_hooked(HookEvent::SubagentStart, &reply),
            PendingInput::Message(input) => self.message_hooked(input, reply),
        }
        self.run_next_input_hook();
    }

    fn message_hooked(&mut self, mut input: UserInput, reply: HookAnswer) {
        reply.user_messages.iter().for_each(|text| self.notice(NoticeLevel::Warning, text));
        match reply.block.or(reply.stop) {
            Some(why) => self.input_blocked(&why, input.silent),
            None => {
                input.context = reply.context;
                self.pending.push_back(TurnEvent::Input(input));
            }
        }
    }

    /// A start can't be blocked: the reply is only reported.
    fn start_hooked(&mut self, event: HookEvent, reply: &HookAnswer) {
        let blocked = reply.block.as_ref().or(reply.stop.as_ref());
        blocked
            .iter()
            .for_each(|why| self.notice(NoticeLevel::Warning, &format!("A {} hook said: {why}", event.name())));
        self.report_hook_reply(event, reply);
    }

    /// After an interrupt: messages that wait are not sent, and running hooks end (AG-4).
    pub(super) fn cancel_pending_inputs(&mut self) {
        let running = self.hooks.inputs.running.take();
        let running = running.map(|mut running| std::mem::replace(&mut running.input, PendingInput::SubagentStart));
        let queue = std::mem::take(&mut self.hooks.inputs.queue);
        let message = |input: &PendingInput| matches!(input, PendingInput::Message(_));
        let (messages, starts): (Vec<_>, Vec<_>) = queue.into_iter().partition(message);
        self.hooks.inputs.queue = starts.into();
        for input in running.into_iter().chain(messages) {
            if let PendingInput::Message(input) = input {
                self.input_cancelled(input.silent);
            }
        }
        self.run_next_input_hook();
    }

    /// A blocked message is neither recorded nor sent. A front end that waits for a turn gets one that ended at once.
    fn input_blocked(&mut self, why: &str, silent: bool) {
        let text = format!("Not sent: a hook blocked your message: {why}");
        self.notice(NoticeLevel::Warning, &text);
        if !silent {
            self.emit_empty_turn(EndReason::Completed, text);
        }
    }

    fn input_cancelled(&mut self, silent: bool) {
        self.notice(NoticeLevel::Info, "Not sent: interrupted.");
        if !silent {
            self.emit_empty_turn(EndReason::Interrupted { in_tools: false }, String::new());
        }
    }

    fn emit_empty_turn(&mut self, reason: EndReason, text: String) {
        if self.turn.idle() {
            self.model.usage.begin();
            self.emit(EventKind::TurnStarted);
            let ended = self.summarize_turn(reason, 0);
            self.emit(EventKind::TurnEnded(TurnSummary { text, ..ended }));
        }
    }
}

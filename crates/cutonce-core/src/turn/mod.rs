//! The turn machine (AG-2 to AG-5): decides what comes next, as a pure function of what happened.
//!
//! The session performs the effects and reports back; nothing here waits, reads or writes. The rules:
//! one request at a time; every call of an answer gets exactly one result before the next request; calls that
//! are safe to run concurrently run in parallel, others in order, and a barrier waits for all calls before it
//! (PM-18); an interrupt ends the turn at once, with every call answered (AG-4, DU-1).

use crate::conversation::Image;
use crate::protocol::event::EndReason;
use crate::team::ReceivedMessage;

/// A message on its way into the conversation: from the user, a teammate or the program.
#[derive(Debug, Clone, PartialEq)]
pub struct UserInput {
    pub text: String,
    pub images: Vec<Image>,
    /// Written by the program: not a human turn (PM-91).
    pub meta: bool,
    /// The approved plan that this message asks to implement (PM-81).
    pub implements: Option<String>,
    /// Context that hooks added (HO-7); it follows the message.
    pub context: Vec<String>,
    /// The teammate's message that this is (TM-1).
    pub mail: Option<ReceivedMessage>,
    /// Rules and a model of a custom command, for the turn that this message joins (UI-9).
    pub overrides: Option<Box<TurnOverrides>>,
    /// Composed by a program: mentions in it are not resolved (HO-1).
    pub verbatim: bool,
    /// Joins the conversation without starting a turn (HO-1).
    pub silent: bool,
    /// The part that the user typed, if text of others came with it (HO-6).
    pub typed: Option<String>,
}

/// Allow rules and a model that apply to one turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnOverrides {
    pub allow: Vec<String>,
    pub model: Option<String>,
}

impl UserInput {
    /// A message of the user.
    pub fn from_user(text: impl Into<String>, images: Vec<Image>) -> UserInput {
        UserInput {
            text: text.into(),
            images,
            meta: false,
            implements: None,
            context: Vec::new(),
            mail: None,
            overrides: None,
            verbatim: false,
            silent: false,
            typed: None,
        }
    }
    /// A message of the program to the model.
    pub fn meta(text: impl Into<String>) -> UserInput {
        UserInput { meta: true, ..UserInput::from_user(text, Vec::new()) }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    Input(UserInput),
    /// Model, MCP servers and reminders are ready for the next request.
    Prepared,
    /// The model's answer is recorded; these are its calls. `over_budget`: no further request is allowed.
    Answered {
        calls: Vec<CallKind>,
        over_budget: bool,
    },
    /// Another model takes over after a failed request.
    ModelReplaced,
    /// The request failed for good.
    Failed {
        message: String,
        status: Option<u16>,
    },
    /// The next request would not fit the model's window.
    ContextFull,
    /// The result of call `n` is recorded.
    CallDone(usize),
    /// Nothing objects to the end of the turn.
    EndConfirmed,
    /// The turn continues with this message: a hook objects, the structured output is missing, or the user grants more.
    EndRefused {
        message: String,
    },
    /// Before the turn ends, the program makes these calls itself: checks of a plan (PC-31).
    ChecksDue {
        calls: Vec<CallKind>,
    },
    /// The user takes the last queued message back (DU-4).
    Unqueue,
    Interrupted,
    /// The session ends: like an interrupt, and queued input starts no turn.
    Shutdown,
    /// No front end is left that could answer.
    InboxClosed,
    CompactRequested {
        focus: Option<String>,
    },
    Compacted,
    CompactionFailed {
        message: String,
    },
    /// The turn must end here although the model would continue.
    EndRequested(EndReason),
}

/// What the machine needs to know about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallKind {
    pub parallel: bool,
    /// Waits for all calls before it; later calls wait for it (PM-18).
    pub barrier: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TurnEffect {
    BeginTurn,
    /// Add the message to the transcript and the conversation.
    RecordInput(UserInput),
    /// Report that the message waits for the next request (AG-5).
    Queued(UserInput),
    /// Report that the message left the queue and is not sent (DU-4).
    Unqueued(UserInput),
    /// Make the next request ready; ends with `Prepared`, `ContextFull` or `Failed`.
    Prepare,
    /// Start the request.
    Request,
    /// Abort the preparation or the request, keeping the text that arrived.
    StopRequest,
    /// Ask subagents, hooks and the output schema whether the turn may end.
    ConfirmEnd,
    /// Ask the user whether the turn continues although it must stop here (PC-12, PC-13); ends like `ConfirmEnd`.
    ConfirmStop(EndReason),
    /// Abort that question.
    StopConfirmEnd,
    /// Start call `n`.
    StartCall(usize),
    /// Give call `n` an error result without running it.
    SkipCall(usize),
    /// Stop the running calls; each of them still reports `CallDone`.
    StopCalls,
    /// Close the open asks of this turn: no approver is left.
    WithdrawAsks,
    /// Start the compaction.
    Compact {
        focus: Option<String>,
        automatic: bool,
    },
    /// Abort the compaction.
    StopCompaction,
    EndTurn(EndReason),
}

#[derive(Debug, Clone, PartialEq)]
enum Phase {
    Idle,
    Preparing,
    Requesting,
    /// `last`: calls of the program at the end of the turn, which no request follows.
    Calls {
        calls: Vec<BatchCall>,
        ending: Option<EndReason>,
        last: bool,
    },
    ConfirmingEnd,
    /// The turn ends for this reason unless the user continues it.
    Stopping(EndReason),
    Compacting {
        in_turn: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct BatchCall {
    kind: CallKind,
    progress: CallProgress,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum CallProgress {
    Waiting,
    Running,
    Done,
}

#[derive(Debug)]
pub struct Turn {
    phase: Phase,
    queue: Vec<UserInput>,
    /// Requests answered in this turn.
    requests: u32,
    max_requests: Option<u32>,
    /// Set by a compaction, cleared by an answer: never compact twice for one request.
    just_compacted: bool,
}

impl Turn {
    pub fn new(max_requests: Option<u32>) -> Self {
        Self { phase: Phase::Idle, queue: Vec::new(), requests: 0, max_requests, just_compacted: false }
    }

    pub fn idle(&self) -> bool {
        self.phase == Phase::Idle
    }
    pub fn requests(&self) -> u32 {
        self.requests
    }
    /// True if this turn may make no further request.
    pub fn at_limit(&self) -> bool {
        self.max_requests.is_some_and(|max| self.requests >= max)
    }
    /// True while a message waits that will continue the turn.
    pub fn has_queued(&self) -> bool {
        self.queue.iter().any(|input| !input.silent)
    }
    /// True if a compaction may precede the next request.
    pub fn may_compact(&self) -> bool {
        !self.just_compacted
    }

    pub fn step(&mut self, event: TurnEvent) -> Vec<TurnEffect> {
        let mut effects = Vec::new();
        match event {
            TurnEvent::Input(input) => self.input(input, &mut effects),
            TurnEvent::Prepared => self.prepared(&mut effects),
            TurnEvent::Answered { calls, over_budget } => self.answered(calls, over_budget, &mut effects),
            TurnEvent::ModelReplaced => self.model_replaced(&mut effects),
            TurnEvent::Failed { message, status } => self.failed(message, status, &mut effects),
            TurnEvent::ContextFull => self.compact(None, true, &mut effects),
            TurnEvent::CallDone(n) => self.call_done(n, &mut effects),
            TurnEvent::EndConfirmed => self.end_confirmed(&mut effects),
            TurnEvent::EndRefused { message } => self.end_refused(message, &mut effects),
            TurnEvent::ChecksDue { calls } => self.checks_due(calls, &mut effects),
            TurnEvent::Unqueue => self.unqueue(&mut effects),
            TurnEvent::Interrupted => self.interrupted(&mut effects),
            TurnEvent::Shutdown => {
                self.queue.clear();
                self.interrupted(&mut effects);
            }
            TurnEvent::InboxClosed => effects.push(TurnEffect::WithdrawAsks),
            TurnEvent::CompactRequested { focus } => self.compact(focus, false, &mut effects),
            TurnEvent::Compacted => self.compacted(&mut effects),
            TurnEvent::CompactionFailed { message } => self.compaction_failed(message, &mut effects),
            TurnEvent::EndRequested(reason) => self.end_requested(reason, &mut effects),
        }
        effects
    }

    fn input(&mut self, input: UserInput, effects: &mut Vec<TurnEffect>) {
        if self.idle() && input.silent {
            effects.push(TurnEffect::RecordInput(input));
        } else if self.idle() {
            self.requests = 0;
            effects.extend([TurnEffect::BeginTurn, TurnEffect::RecordInput(input)]);
            self.prepare(effects);
        } else {
            let by_user = is_by_user(&input);
            effects.push(TurnEffect::Queued(input.clone()));
            self.queue.push(input);
            // The user answers the open question with a message: it starts the next turn.
            if let (true, Phase::Stopping(reason)) = (by_user, &self.phase) {
                let reason = reason.clone();
                effects.push(TurnEffect::StopConfirmEnd);
                self.end(reason, effects);
            }
        }
    }

    /// Removes the user's last message that still waits. Messages of programs and teammates stay.
    fn unqueue(&mut self, effects: &mut Vec<TurnEffect>) {
        if let Some(at) = self.queue.iter().rposition(is_by_user) {
            effects.push(TurnEffect::Unqueued(self.queue.remove(at)));
        }
    }

    fn prepare(&mut self, effects: &mut Vec<TurnEffect>) {
        effects.extend(self.queue.drain(..).map(TurnEffect::RecordInput));
        effects.push(TurnEffect::Prepare);
        self.phase = Phase::Preparing;
    }

    fn prepared(&mut self, effects: &mut Vec<TurnEffect>) {
        if self.phase == Phase::Preparing {
            self.phase = Phase::Requesting;
            effects.push(TurnEffect::Request);
        }
    }

    fn model_replaced(&mut self, effects: &mut Vec<TurnEffect>) {
        if self.phase == Phase::Requesting {
            self.phase = Phase::Preparing;
            effects.push(TurnEffect::Prepare);
        }
    }

    fn answered(&mut self, calls: Vec<CallKind>, over_budget: bool, effects: &mut Vec<TurnEffect>) {
        if self.phase != Phase::Requesting {
            return;
        }
        self.requests += 1;
        self.just_compacted = false;
        if calls.is_empty() {
            return self.model_stopped(over_budget, effects);
        }
        let ending = over_budget.then_some(EndReason::MaxBudget);
        self.start_batch(calls, ending, false, effects);
    }

    fn start_batch(
        &mut self,
        calls: Vec<CallKind>,
        ending: Option<EndReason>,
        last: bool,
        effects: &mut Vec<TurnEffect>,
    ) {
        let calls = calls.into_iter().map(|kind| BatchCall { kind, progress: CallProgress::Waiting }).collect();
        self.phase = Phase::Calls { calls, ending, last };
        self.advance(effects);
    }

    fn checks_due(&mut self, calls: Vec<CallKind>, effects: &mut Vec<TurnEffect>) {
        if self.phase == Phase::ConfirmingEnd {
            self.start_batch(calls, None, true, effects);
        }
    }

    /// The model made no calls. Messages queued meanwhile continue the turn; otherwise it may end.
    fn model_stopped(&mut self, over_budget: bool, effects: &mut Vec<TurnEffect>) {
        if over_budget {
            self.stop(EndReason::MaxBudget, effects);
        } else if self.has_queued() {
            self.prepare_within_limit(effects);
        } else {
            self.phase = Phase::ConfirmingEnd;
            effects.push(TurnEffect::ConfirmEnd);
        }
    }

    fn end_confirmed(&mut self, effects: &mut Vec<TurnEffect>) {
        match &self.phase {
            Phase::ConfirmingEnd if self.has_queued() => self.prepare_within_limit(effects),
            Phase::ConfirmingEnd => self.end(EndReason::Completed, effects),
            Phase::Stopping(reason) => self.end(reason.clone(), effects),
            Phase::Idle | Phase::Preparing | Phase::Requesting | Phase::Calls { .. } | Phase::Compacting { .. } => {}
        }
    }

    fn end_refused(&mut self, message: String, effects: &mut Vec<TurnEffect>) {
        if matches!(self.phase, Phase::ConfirmingEnd | Phase::Stopping(_)) {
            self.queue.push(UserInput::meta(message));
            self.prepare_within_limit(effects);
        }
    }

    fn prepare_within_limit(&mut self, effects: &mut Vec<TurnEffect>) {
        match self.max_requests {
            Some(max) if self.requests >= max => self.end(EndReason::MaxTurns(max), effects),
            _ => self.prepare(effects),
        }
    }

    /// Starts and skips calls as far as possible, and continues once every call has its result.
    fn advance(&mut self, effects: &mut Vec<TurnEffect>) {
        let Phase::Calls { calls, ending, last } = &mut self.phase else { return };
        for n in 0..calls.len() {
            if calls[n].progress != CallProgress::Waiting {
                continue;
            }
            if ending.is_some() {
                calls[n].progress = CallProgress::Running;
                effects.push(TurnEffect::SkipCall(n));
            } else if may_start(calls, n) {
                calls[n].progress = CallProgress::Running;
                effects.push(TurnEffect::StartCall(n));
            }
        }
        if calls.iter().all(|call| call.progress == CallProgress::Done) {
            match ending.take() {
                Some(reason) => self.stop(reason, effects),
                None if *last => {
                    self.phase = Phase::ConfirmingEnd;
                    effects.push(TurnEffect::ConfirmEnd);
                }
                None => self.prepare_within_limit(effects),
            }
        }
    }

    fn call_done(&mut self, n: usize, effects: &mut Vec<TurnEffect>) {
        if let Phase::Calls { calls, .. } = &mut self.phase
            && let Some(call) = calls.get_mut(n)
        {
            call.progress = CallProgress::Done;
            self.advance(effects);
        }
    }

    fn failed(&mut self, message: String, status: Option<u16>, effects: &mut Vec<TurnEffect>) {
        if matches!(self.phase, Phase::Preparing | Phase::Requesting | Phase::ConfirmingEnd) {
            self.end(EndReason::Failed { message, status }, effects);
        }
    }

    fn interrupted(&mut self, effects: &mut Vec<TurnEffect>) {
        let reason = EndReason::Interrupted { in_tools: false };
        match &self.phase {
            Phase::Idle => {}
            Phase::Preparing | Phase::Requesting => {
                effects.push(TurnEffect::StopRequest);
                self.end(reason, effects);
            }
            Phase::ConfirmingEnd | Phase::Stopping(_) => {
                effects.push(TurnEffect::StopConfirmEnd);
                self.end(reason, effects);
            }
            Phase::Calls { .. } => self.end_requested(EndReason::Interrupted { in_tools: true }, effects),
            Phase::Compacting { in_turn } => {
                let in_turn = *in_turn;
                effects.push(TurnEffect::StopCompaction);
                self.leave_compaction(in_turn, reason, effects);
            }
        }
    }

    fn end_requested(&mut self, reason: EndReason, effects: &mut Vec<TurnEffect>) {
        if self.phase == Phase::Preparing && reason == EndReason::MaxBudget {
            return self.stop(reason, effects);
        }
        if let Phase::Calls { ending, .. } = &mut self.phase {
            let interrupted = matches!(reason, EndReason::Interrupted { .. });
            ending.get_or_insert(reason);
            if interrupted {
                effects.push(TurnEffect::StopCalls);
            }
            self.advance(effects);
        }
    }

    fn compact(&mut self, focus: Option<String>, automatic: bool, effects: &mut Vec<TurnEffect>) {
        let in_turn = match self.phase {
            Phase::Idle => false,
            Phase::Preparing | Phase::Requesting if automatic => true,
            Phase::Preparing
            | Phase::Requesting
            | Phase::Calls { .. }
            | Phase::ConfirmingEnd
            | Phase::Stopping(_)
            | Phase::Compacting { .. } => return,
        };
        self.phase = Phase::Compacting { in_turn };
        effects.push(TurnEffect::Compact { focus, automatic });
    }

    fn compacted(&mut self, effects: &mut Vec<TurnEffect>) {
        if let Phase::Compacting { in_turn } = self.phase {
            self.just_compacted = true;
            if in_turn {
                self.prepare(effects);
            } else {
                self.phase = Phase::Idle;
                self.start_queued(effects);
            }
        }
    }

    fn compaction_failed(&mut self, message: String, effects: &mut Vec<TurnEffect>) {
        if let Phase::Compacting { in_turn } = self.phase {
            self.leave_compaction(in_turn, EndReason::Failed { message, status: None }, effects);
        }
    }

    fn leave_compaction(&mut self, in_turn: bool, reason: EndReason, effects: &mut Vec<TurnEffect>) {
        if in_turn {
            self.end(reason, effects);
        } else {
            self.phase = Phase::Idle;
            self.start_queued(effects);
        }
    }

    /// The turn can't continue by itself. A user who interrupted it is not asked.
    fn stop(&mut self, reason: EndReason, effects: &mut Vec<TurnEffect>) {
        if matches!(reason, EndReason::Interrupted { .. }) {
            return self.end(reason, effects);
        }
        effects.push(TurnEffect::ConfirmStop(reason.clone()));
        self.phase = Phase::Stopping(reason);
    }

    fn end(&mut self, reason: EndReason, effects: &mut Vec<TurnEffect>) {
        self.phase = Phase::Idle;
        effects.push(TurnEffect::EndTurn(reason));
        self.start_queued(effects);
    }

    /// Messages that still wait when a turn ends start the next one: no input is lost.
    fn start_queued(&mut self, effects: &mut Vec<TurnEffect>) {
        if self.has_queued() {
            self.requests = 0;
            effects.push(TurnEffect::BeginTurn);
            self.prepare(effects);
        } else {
            effects.extend(self.queue.drain(..).map(TurnEffect::RecordInput));
        }
    }
}

fn is_by_user(input: &UserInput) -> bool {
    !input.meta && !input.silent && input.mail.is_none()
}

/// AG-3: a call starts alone and in order, or next to running calls that are all safe to run concurrently.
fn may_start(calls: &[BatchCall], n: usize) -> bool {
    let this = calls[n].kind;
    calls[..n].iter().all(|before| match before.progress {
        CallProgress::Done => true,
        CallProgress::Waiting => false,
        CallProgress::Running => this.parallel && !this.barrier && before.kind.parallel && !before.kind.barrier,
    })
}

#[cfg(test)]
mod tests;

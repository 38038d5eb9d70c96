//! The turn machine (AG-2 to AG-5): what comes next, as a pure function of what happened.
//!
//! The session performs the effects and reports back; nothing here waits, reads or writes. The rules that
//! matter: one request at a time; every call of an answer gets exactly one result before the next request;
//! calls that are safe beside each other run together, others in order, and a barrier waits for all before it
//! (PM-18); an interrupt ends with every call answered (AG-4).

use crate::conversation::Image;
use crate::event::EndReason;
use crate::mail::Delivered;

/// Words of the person, on their way into the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub text: String,
    pub images: Vec<Image>,
    /// Made by the program: no human turn (PM-91).
    pub meta: bool,
    /// The plan that this message holds (PM-81).
    pub plan: Option<String>,
    /// What hooks added to it (HO-7): it follows the message.
    pub context: Vec<String>,
    /// The message of a teammate that this is (TM-1).
    pub mail: Option<Delivered>,
    /// What a command of the user's own lends its turn, from when it comes in (UI-9).
    pub lent: Option<Box<Lent>>,
    /// Put together by a program: nothing in it is looked up (HO-1).
    pub verbatim: bool,
    /// It joins the conversation and begins no turn (HO-1).
    pub silent: bool,
    /// The person's own words in it, where others' came with them (HO-6).
    pub typed: Option<String>,
}

/// Rules that allow, and a model, for one turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lent {
    pub allow: Vec<String>,
    pub model: Option<String>,
}

impl Said {
    /// The person's words.
    pub fn words(text: impl Into<String>, images: Vec<Image>) -> Said {
        Said {
            text: text.into(),
            images,
            meta: false,
            plan: None,
            context: Vec::new(),
            mail: None,
            lent: None,
            verbatim: false,
            silent: false,
            typed: None,
        }
    }
    /// The program's words to the model.
    pub fn meta(text: impl Into<String>) -> Said {
        Said { meta: true, ..Said::words(text, Vec::new()) }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Happened {
    Said(Said),
    /// The model's answer is recorded; these are its calls. `over_budget`: no further request may be made.
    Answered {
        calls: Vec<CallKind>,
        over_budget: bool,
    },
    /// The request failed for good.
    Failed {
        message: String,
        status: Option<u16>,
    },
    /// The next request would not fit the model's window.
    ContextFull,
    /// The result of call `n` is recorded.
    CallDone(usize),
    Interrupted,
    /// The person is gone: as interrupted, and what was queued begins nothing any more.
    Left,
    CompactAsked {
        focus: Option<String>,
    },
    Compacted,
    CompactionFailed {
        message: String,
    },
    /// The turn is to end here although the model would go on (the person left, a limit of the session).
    EndAsked(EndReason),
}

/// What the machine needs to know of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallKind {
    pub parallel: bool,
    /// Waits for all calls before it; the ones after it wait for it (PM-18).
    pub barrier: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    BeginTurn,
    /// Put it into the transcript and the conversation.
    Record(Said),
    /// Tell that it waits (AG-5).
    Queued(Said),
    Request,
    StopRequest,
    /// Decide call `n` under the mode as of now, and run it.
    StartCall(usize),
    /// Call `n` will not run: give it an error result.
    SkipCall(usize),
    /// Stop the running calls at once; each still reports `CallDone`.
    StopCalls,
    Compact {
        focus: Option<String>,
        automatic: bool,
    },
    StopCompaction,
    EndTurn(EndReason),
}

#[derive(Debug, Clone, PartialEq)]
enum Phase {
    Idle,
    Requesting,
    Calls { calls: Vec<Call>, ending: Option<EndReason> },
    Compacting { in_turn: bool },
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Call {
    kind: CallKind,
    state: CallState,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum CallState {
    Waiting,
    Running,
    Done,
}

/// What the session should wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    Submission,
    Model,
    Calls,
    Summary,
}

#[derive(Debug)]
pub struct Turn {
    phase: Phase,
    queue: Vec<Said>,
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

    pub fn waiting(&self) -> Waiting {
        match self.phase {
            Phase::Idle => Waiting::Submission,
            Phase::Requesting => Waiting::Model,
            Phase::Calls { .. } => Waiting::Calls,
            Phase::Compacting { .. } => Waiting::Summary,
        }
    }
    pub fn idle(&self) -> bool {
        self.phase == Phase::Idle
    }
    pub fn requests(&self) -> u32 {
        self.requests
    }
    /// The answer that just came was the last that this turn may have.
    pub fn at_limit(&self) -> bool {
        self.max_requests.is_some_and(|max| self.requests + 1 >= max)
    }
    /// May the context still be made smaller before the next request?
    pub fn may_compact(&self) -> bool {
        !self.just_compacted
    }

    pub fn step(&mut self, happened: Happened) -> Vec<Effect> {
        let mut effects = Vec::new();
        match happened {
            Happened::Said(said) => self.said(said, &mut effects),
            Happened::Answered { calls, over_budget } => self.answered(calls, over_budget, &mut effects),
            Happened::Failed { message, status } => self.failed(message, status, &mut effects),
            Happened::ContextFull => self.compact(None, true, &mut effects),
            Happened::CallDone(n) => self.call_done(n, &mut effects),
            Happened::Interrupted => self.interrupted(&mut effects),
            Happened::Left => {
                self.queue.clear();
                self.interrupted(&mut effects);
            }
            Happened::CompactAsked { focus } => self.compact(focus, false, &mut effects),
            Happened::Compacted => self.compacted(&mut effects),
            Happened::CompactionFailed { message } => self.compaction_failed(message, &mut effects),
            Happened::EndAsked(reason) => self.end_asked(reason, &mut effects),
        }
        effects
    }

    fn said(&mut self, said: Said, effects: &mut Vec<Effect>) {
        if self.idle() && said.silent {
            effects.push(Effect::Record(said));
        } else if self.idle() {
            self.requests = 0;
            effects.extend([Effect::BeginTurn, Effect::Record(said)]);
            self.request(effects);
        } else {
            effects.push(Effect::Queued(said.clone()));
            self.queue.push(said);
        }
    }

    fn request(&mut self, effects: &mut Vec<Effect>) {
        effects.extend(self.queue.drain(..).map(Effect::Record));
        effects.push(Effect::Request);
        self.phase = Phase::Requesting;
    }

    fn answered(&mut self, calls: Vec<CallKind>, over_budget: bool, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Requesting {
            return;
        }
        self.requests += 1;
        self.just_compacted = false;
        if calls.is_empty() {
            return self.finished(over_budget, effects);
        }
        let calls = calls.into_iter().map(|kind| Call { kind, state: CallState::Waiting }).collect();
        let ending = over_budget.then_some(EndReason::MaxBudget);
        self.phase = Phase::Calls { calls, ending };
        self.advance(effects);
    }

    /// The model said all it wanted; what was queued meanwhile goes on in the same turn.
    fn finished(&mut self, over_budget: bool, effects: &mut Vec<Effect>) {
        match (over_budget, self.queue.iter().all(|said| said.silent)) {
            (true, _) => self.end(EndReason::MaxBudget, effects),
            (false, true) => self.end(EndReason::Completed, effects),
            (false, false) => self.request_within_limit(effects),
        }
    }

    fn request_within_limit(&mut self, effects: &mut Vec<Effect>) {
        match self.max_requests {
            Some(max) if self.requests >= max => self.end(EndReason::MaxTurns(max), effects),
            _ => self.request(effects),
        }
    }

    /// Start what may start, skip what must not, and go on once every call has its result.
    fn advance(&mut self, effects: &mut Vec<Effect>) {
        let Phase::Calls { calls, ending } = &mut self.phase else { return };
        for n in 0..calls.len() {
            if calls[n].state != CallState::Waiting {
                continue;
            }
            if ending.is_some() {
                calls[n].state = CallState::Running;
                effects.push(Effect::SkipCall(n));
            } else if may_start(calls, n) {
                calls[n].state = CallState::Running;
                effects.push(Effect::StartCall(n));
            }
        }
        if calls.iter().all(|call| call.state == CallState::Done) {
            match ending.take() {
                Some(reason) => self.end(reason, effects),
                None => self.request_within_limit(effects),
            }
        }
    }

    fn call_done(&mut self, n: usize, effects: &mut Vec<Effect>) {
        if let Phase::Calls { calls, .. } = &mut self.phase
            && let Some(call) = calls.get_mut(n)
        {
            call.state = CallState::Done;
            self.advance(effects);
        }
    }

    fn failed(&mut self, message: String, status: Option<u16>, effects: &mut Vec<Effect>) {
        if self.phase == Phase::Requesting {
            self.end(EndReason::Failed { message, status }, effects);
        }
    }

    fn interrupted(&mut self, effects: &mut Vec<Effect>) {
        match &self.phase {
            Phase::Idle => {}
            Phase::Requesting => {
                effects.push(Effect::StopRequest);
                self.end(EndReason::Interrupted { in_tools: false }, effects);
            }
            Phase::Calls { .. } => self.end_asked(EndReason::Interrupted { in_tools: true }, effects),
            Phase::Compacting { in_turn } => {
                let in_turn = *in_turn;
                effects.push(Effect::StopCompaction);
                self.leave_compaction(in_turn, EndReason::Interrupted { in_tools: false }, effects);
            }
        }
    }

    fn end_asked(&mut self, reason: EndReason, effects: &mut Vec<Effect>) {
        if let Phase::Calls { ending, .. } = &mut self.phase {
            let interrupted = matches!(reason, EndReason::Interrupted { .. });
            ending.get_or_insert(reason);
            if interrupted {
                effects.push(Effect::StopCalls);
            }
            self.advance(effects);
        }
    }

    fn compact(&mut self, focus: Option<String>, automatic: bool, effects: &mut Vec<Effect>) {
        let in_turn = match self.phase {
            Phase::Idle => false,
            Phase::Requesting if automatic => true,
            Phase::Requesting | Phase::Calls { .. } | Phase::Compacting { .. } => return,
        };
        self.phase = Phase::Compacting { in_turn };
        effects.push(Effect::Compact { focus, automatic });
    }

    fn compacted(&mut self, effects: &mut Vec<Effect>) {
        if let Phase::Compacting { in_turn } = self.phase {
            self.just_compacted = true;
            if in_turn {
                self.request(effects);
            } else {
                self.phase = Phase::Idle;
                self.start_queued(effects);
            }
        }
    }

    fn compaction_failed(&mut self, message: String, effects: &mut Vec<Effect>) {
        if let Phase::Compacting { in_turn } = self.phase {
            self.leave_compaction(in_turn, EndReason::Failed { message, status: None }, effects);
        }
    }

    fn leave_compaction(&mut self, in_turn: bool, reason: EndReason, effects: &mut Vec<Effect>) {
        if in_turn {
            self.end(reason, effects);
        } else {
            self.phase = Phase::Idle;
            self.start_queued(effects);
        }
    }

    fn end(&mut self, reason: EndReason, effects: &mut Vec<Effect>) {
        self.phase = Phase::Idle;
        effects.push(Effect::EndTurn(reason));
        self.start_queued(effects);
    }

    /// Words that were still waiting when a turn ended begin the next one: nothing said is lost.
    fn start_queued(&mut self, effects: &mut Vec<Effect>) {
        if self.queue.iter().all(|said| said.silent) {
            effects.extend(self.queue.drain(..).map(Effect::Record));
        } else {
            self.requests = 0;
            effects.push(Effect::BeginTurn);
            self.request(effects);
        }
    }
}

/// AG-3: alone and in order, or beside running calls that are all safe beside others.
fn may_start(calls: &[Call], n: usize) -> bool {
    let me = calls[n].kind;
    calls[..n].iter().all(|before| match before.state {
        CallState::Done => true,
        CallState::Waiting => false,
        CallState::Running => me.parallel && !me.barrier && before.kind.parallel && !before.kind.barrier,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const READ: CallKind = CallKind { parallel: true, barrier: false };
    const WRITE: CallKind = CallKind { parallel: false, barrier: false };
    const BARRIER: CallKind = CallKind { parallel: true, barrier: true };

    fn said(text: &str) -> Said {
        Said::words(text, Vec::new())
    }
    fn started(effects: &[Effect]) -> Vec<usize> {
        effects.iter().filter_map(|e| if let Effect::StartCall(n) = e { Some(*n) } else { None }).collect()
    }
    fn answered(turn: &mut Turn, calls: &[CallKind]) -> Vec<Effect> {
        turn.step(Happened::Answered { calls: calls.to_vec(), over_budget: false })
    }

    #[test]
    fn ag_2_a_turn_goes_on_until_the_model_stops() {
        let mut turn = Turn::new(None);
        assert_eq!(
            turn.step(Happened::Said(said("hi"))),
            [Effect::BeginTurn, Effect::Record(said("hi")), Effect::Request]
        );
        assert_eq!(started(&answered(&mut turn, &[READ])), [0]);
        assert_eq!(turn.step(Happened::CallDone(0)), [Effect::Request]);
        assert_eq!(answered(&mut turn, &[]), [Effect::EndTurn(EndReason::Completed)]);
        assert!(turn.idle());
    }

    #[test]
    fn ho_1_a_silent_message_joins_and_begins_nothing() {
        let silent = || Said { silent: true, ..said("note") };
        let mut turn = Turn::new(None);
        assert_eq!(turn.step(Happened::Said(silent())), [Effect::Record(silent())]);
        assert!(turn.idle());
        turn.step(Happened::Said(said("hi")));
        assert_eq!(turn.step(Happened::Said(silent())), [Effect::Queued(silent())]);
        let ended = [Effect::EndTurn(EndReason::Completed), Effect::Record(silent())];
        assert_eq!(answered(&mut turn, &[]), ended, "it keeps no turn going");
        assert!(turn.idle());
        // Beside words that ask for an answer it goes along.
        turn.step(Happened::Said(said("hi")));
        turn.step(Happened::Said(silent()));
        turn.step(Happened::Said(said("more")));
        let goes_on = [Effect::Record(silent()), Effect::Record(said("more")), Effect::Request];
        assert_eq!(answered(&mut turn, &[]), goes_on);
    }

    #[test]
    fn ag_3_safe_calls_run_together_others_in_order() {
        let mut turn = Turn::new(None);
        turn.step(Happened::Said(said("go")));
        assert_eq!(started(&answered(&mut turn, &[READ, READ, WRITE, READ])), [0, 1]);
        assert_eq!(started(&turn.step(Happened::CallDone(1))), [] as [usize; 0]);
        assert_eq!(started(&turn.step(Happened::CallDone(0))), [2]);
        assert_eq!(started(&turn.step(Happened::CallDone(2))), [3]);
        assert_eq!(turn.step(Happened::CallDone(3)), [Effect::Request]);
    }

    #[test]
    fn pm_18_a_barrier_waits_and_is_waited_for() {
        let mut turn = Turn::new(None);
        turn.step(Happened::Said(said("go")));
        assert_eq!(started(&answered(&mut turn, &[READ, BARRIER, READ])), [0]);
        assert_eq!(started(&turn.step(Happened::CallDone(0))), [1]);
        assert_eq!(started(&turn.step(Happened::CallDone(1))), [2]);
    }

    #[test]
    fn ag_4_interrupt_in_tools_answers_every_call() {
        let mut turn = Turn::new(None);
        turn.step(Happened::Said(said("go")));
        answered(&mut turn, &[WRITE, WRITE]);
        assert_eq!(turn.step(Happened::Interrupted), [Effect::StopCalls, Effect::SkipCall(1)]);
        assert_eq!(turn.step(Happened::CallDone(1)), []);
        assert_eq!(turn.step(Happened::CallDone(0)), [Effect::EndTurn(EndReason::Interrupted { in_tools: true })]);
    }

    #[test]
    fn ag_4_whoever_leaves_starts_no_turn_with_what_was_queued() {
        let mut turn = Turn::new(None);
        turn.step(Happened::Said(said("hi")));
        turn.step(Happened::Said(said("queued")));
        let ends = Effect::EndTurn(EndReason::Interrupted { in_tools: false });
        assert_eq!(turn.step(Happened::Left), [Effect::StopRequest, ends]);
        assert!(turn.idle());
    }

    #[test]
    fn ag_5_queued_words_join_at_the_next_request() {
        let mut turn = Turn::new(None);
        turn.step(Happened::Said(said("go")));
        assert_eq!(turn.step(Happened::Said(said("also"))), [Effect::Queued(said("also"))]);
        answered(&mut turn, &[READ]);
        assert_eq!(turn.step(Happened::CallDone(0)), [Effect::Record(said("also")), Effect::Request]);
    }

    #[test]
    fn ag_8_a_full_context_is_compacted_once_and_the_request_goes_out() {
        let mut turn = Turn::new(None);
        turn.step(Happened::Said(said("go")));
        assert_eq!(turn.step(Happened::ContextFull), [Effect::Compact { focus: None, automatic: true }]);
        assert_eq!(turn.step(Happened::Compacted), [Effect::Request]);
        assert!(!turn.may_compact());
        answered(&mut turn, &[]);
        assert!(turn.may_compact());
    }

    #[test]
    fn cl_2_max_turns_runs_the_last_calls_and_ends() {
        let mut turn = Turn::new(Some(1));
        turn.step(Happened::Said(said("go")));
        assert_eq!(started(&answered(&mut turn, &[READ])), [0]);
        assert_eq!(turn.step(Happened::CallDone(0)), [Effect::EndTurn(EndReason::MaxTurns(1))]);
    }

    fn arbitrary() -> impl Strategy<Value = Happened> {
        let kind = (any::<bool>(), any::<bool>()).prop_map(|(parallel, barrier)| CallKind { parallel, barrier });
        prop_oneof![
            Just(Happened::Said(said("x"))),
            (proptest::collection::vec(kind, 0..5), proptest::bool::weighted(0.1))
                .prop_map(|(calls, over_budget)| Happened::Answered { calls, over_budget }),
            Just(Happened::Failed { message: "no".into(), status: None }),
            Just(Happened::ContextFull),
            (0usize..5).prop_map(Happened::CallDone),
            (0usize..5).prop_map(Happened::CallDone),
            Just(Happened::Interrupted),
            Just(Happened::Left),
            Just(Happened::CompactAsked { focus: None }),
            Just(Happened::Compacted),
            Just(Happened::CompactionFailed { message: "no".into() }),
        ]
    }

    proptest! {
        /// AG-2 to AG-5: whatever happens in whatever order, one request at a time, every call gets exactly one
        /// result, every word is recorded once, every turn that begins ends.
        #[test]
        fn ag_4_no_order_of_events_breaks_the_conversation(events in proptest::collection::vec(arbitrary(), 0..60)) {
            let mut turn = Turn::new(None);
            let (mut open_calls, mut in_turn, mut requesting, mut said_n, mut recorded) = (Vec::new(), false, false, 0, 0);
            for event in events {
                // Only report what could happen: an answer needs a request, a result needs a running call.
                let possible = match &event {
                    Happened::Answered { .. } | Happened::Failed { .. } | Happened::ContextFull => requesting,
                    Happened::CallDone(n) => open_calls.contains(n),
                    _ => true,
                };
                if !possible { continue; }
                match &event {
                    Happened::Said(_) => said_n += 1,
                    Happened::Answered { .. } | Happened::Failed { .. } | Happened::ContextFull => requesting = false,
                    Happened::CallDone(n) => open_calls.retain(|open| open != n),
                    // What waited is given back to whoever said it.
                    Happened::Left => said_n = recorded,
                    _ => {}
                }
                for effect in turn.step(event.clone()) {
                    match effect {
                        Effect::BeginTurn => { prop_assert!(!in_turn); in_turn = true; }
                        Effect::EndTurn(_) => { prop_assert!(in_turn && open_calls.is_empty()); in_turn = false; }
                        Effect::Request => { prop_assert!(!requesting && open_calls.is_empty()); requesting = true; }
                        Effect::StopRequest => { prop_assert!(requesting); requesting = false; }
                        Effect::StartCall(n) | Effect::SkipCall(n) => { prop_assert!(!open_calls.contains(&n)); open_calls.push(n); }
                        Effect::Record(_) => recorded += 1,
                        Effect::Queued(_) | Effect::StopCalls | Effect::Compact { .. } | Effect::StopCompaction => {}
                    }
                }
                prop_assert!(recorded <= said_n);
                if turn.idle() { prop_assert_eq!(recorded, said_n); }
            }
        }
    }
}

use super::*;
use proptest::prelude::*;

const READ: CallKind = CallKind { parallel: true, barrier: false };
const WRITE: CallKind = CallKind { parallel: false, barrier: false };
const BARRIER: CallKind = CallKind { parallel: true, barrier: true };
const INTERRUPTED: TurnEffect = TurnEffect::EndTurn(EndReason::Interrupted { in_tools: false });

fn input(text: &str) -> UserInput {
    UserInput::from_user(text, Vec::new())
}
fn started(effects: &[TurnEffect]) -> Vec<usize> {
    effects.iter().filter_map(|e| if let TurnEffect::StartCall(n) = e { Some(*n) } else { None }).collect()
}
fn answered(turn: &mut Turn, calls: &[CallKind]) -> Vec<TurnEffect> {
    turn.step(TurnEvent::Answered { calls: calls.to_vec(), over_budget: false })
}
/// A turn whose first request is on its way.
fn requesting(max: Option<u32>) -> Turn {
    let mut turn = Turn::new(max);
    turn.step(TurnEvent::Input(input("go")));
    assert_eq!(turn.step(TurnEvent::Prepared), [TurnEffect::Request]);
    turn
}

#[test]
fn ag_2_turn_continues_until_the_model_stops() {
    let mut turn = Turn::new(None);
    assert_eq!(
        turn.step(TurnEvent::Input(input("hi"))),
        [TurnEffect::BeginTurn, TurnEffect::RecordInput(input("hi")), TurnEffect::Prepare]
    );
    assert_eq!(turn.step(TurnEvent::Prepared), [TurnEffect::Request]);
    assert_eq!(started(&answered(&mut turn, &[READ])), [0]);
    assert_eq!(turn.step(TurnEvent::CallDone(0)), [TurnEffect::Prepare]);
    assert_eq!(turn.step(TurnEvent::Prepared), [TurnEffect::Request]);
    assert_eq!(answered(&mut turn, &[]), [TurnEffect::ConfirmEnd]);
    assert_eq!(turn.step(TurnEvent::EndConfirmed), [TurnEffect::EndTurn(EndReason::Completed)]);
    assert!(turn.idle());
}

#[test]
fn ho_1_silent_input_starts_no_turn() {
    let silent = || UserInput { silent: true, ..input("note") };
    let mut turn = Turn::new(None);
    assert_eq!(turn.step(TurnEvent::Input(silent())), [TurnEffect::RecordInput(silent())]);
    assert!(turn.idle());
    let mut turn = requesting(None);
    assert_eq!(turn.step(TurnEvent::Input(silent())), [TurnEffect::Queued(silent())]);
    assert_eq!(answered(&mut turn, &[]), [TurnEffect::ConfirmEnd], "it does not continue the turn");
    let ended = [TurnEffect::EndTurn(EndReason::Completed), TurnEffect::RecordInput(silent())];
    assert_eq!(turn.step(TurnEvent::EndConfirmed), ended);
    assert!(turn.idle());
    // Next to input that wants an answer it joins the request.
    let mut turn = requesting(None);
    turn.step(TurnEvent::Input(silent()));
    turn.step(TurnEvent::Input(input("more")));
    let continues = [TurnEffect::RecordInput(silent()), TurnEffect::RecordInput(input("more")), TurnEffect::Prepare];
    assert_eq!(answered(&mut turn, &[]), continues);
}

#[test]
fn ag_3_safe_calls_run_in_parallel_others_in_order() {
    let mut turn = requesting(None);
    assert_eq!(started(&answered(&mut turn, &[READ, READ, WRITE, READ])), [0, 1]);
    assert_eq!(started(&turn.step(TurnEvent::CallDone(1))), [] as [usize; 0]);
    assert_eq!(started(&turn.step(TurnEvent::CallDone(0))), [2]);
    assert_eq!(started(&turn.step(TurnEvent::CallDone(2))), [3]);
    assert_eq!(turn.step(TurnEvent::CallDone(3)), [TurnEffect::Prepare]);
}

#[test]
fn pm_18_barrier_waits_and_is_waited_for() {
    let mut turn = requesting(None);
    assert_eq!(started(&answered(&mut turn, &[READ, BARRIER, READ])), [0]);
    assert_eq!(started(&turn.step(TurnEvent::CallDone(0))), [1]);
    assert_eq!(started(&turn.step(TurnEvent::CallDone(1))), [2]);
}

#[test]
fn ag_4_interrupt_in_tools_answers_every_call() {
    let mut turn = requesting(None);
    answered(&mut turn, &[WRITE, WRITE]);
    assert_eq!(turn.step(TurnEvent::Interrupted), [TurnEffect::StopCalls, TurnEffect::SkipCall(1)]);
    assert_eq!(turn.step(TurnEvent::CallDone(1)), []);
    assert_eq!(turn.step(TurnEvent::CallDone(0)), [TurnEffect::EndTurn(EndReason::Interrupted { in_tools: true })]);
}

#[test]
fn du_1_interrupt_ends_every_wait_at_once() {
    let mut turn = Turn::new(None);
    turn.step(TurnEvent::Input(input("go")));
    assert_eq!(turn.step(TurnEvent::Interrupted), [TurnEffect::StopRequest, INTERRUPTED], "preparing");
    let mut turn = requesting(None);
    assert_eq!(turn.step(TurnEvent::Interrupted), [TurnEffect::StopRequest, INTERRUPTED], "requesting");
    assert_eq!(answered(&mut turn, &[READ]), [], "a late answer is ignored");
    let mut turn = requesting(None);
    answered(&mut turn, &[]);
    assert_eq!(turn.step(TurnEvent::Interrupted), [TurnEffect::StopConfirmEnd, INTERRUPTED], "confirming");
    let mut turn = requesting(None);
    turn.step(TurnEvent::ContextFull);
    assert_eq!(turn.step(TurnEvent::Interrupted), [TurnEffect::StopCompaction, INTERRUPTED], "compacting");
}

#[test]
fn ag_4_shutdown_starts_no_turn_with_queued_input() {
    let mut turn = requesting(None);
    turn.step(TurnEvent::Input(input("queued")));
    assert_eq!(turn.step(TurnEvent::Shutdown), [TurnEffect::StopRequest, INTERRUPTED]);
    assert!(turn.idle());
}

#[test]
fn ag_5_queued_input_joins_the_next_request() {
    let mut turn = requesting(None);
    assert_eq!(turn.step(TurnEvent::Input(input("also"))), [TurnEffect::Queued(input("also"))]);
    answered(&mut turn, &[READ]);
    assert_eq!(turn.step(TurnEvent::CallDone(0)), [TurnEffect::RecordInput(input("also")), TurnEffect::Prepare]);
}

#[test]
fn du_4_last_queued_message_is_taken_back() {
    let mut turn = requesting(None);
    for text in ["one", "two"] {
        turn.step(TurnEvent::Input(input(text)));
    }
    turn.step(TurnEvent::Input(UserInput::meta("by a program")));
    assert_eq!(turn.step(TurnEvent::Unqueue), [TurnEffect::Unqueued(input("two"))]);
    answered(&mut turn, &[READ]);
    let sent = [TurnEffect::RecordInput(input("one")), TurnEffect::RecordInput(UserInput::meta("by a program"))];
    assert_eq!(turn.step(TurnEvent::CallDone(0)), [sent.as_slice(), &[TurnEffect::Prepare]].concat());
    assert_eq!(turn.step(TurnEvent::Unqueue), [], "nothing waits any more");
}

#[test]
fn ho_7_refused_end_continues_the_turn() {
    let mut turn = requesting(None);
    answered(&mut turn, &[]);
    let more = UserInput::meta("run the tests");
    let refused = TurnEvent::EndRefused { message: "run the tests".into() };
    assert_eq!(turn.step(refused), [TurnEffect::RecordInput(more), TurnEffect::Prepare]);
}

#[test]
fn ag_8_full_context_is_compacted_once() {
    let mut turn = Turn::new(None);
    turn.step(TurnEvent::Input(input("go")));
    assert_eq!(turn.step(TurnEvent::ContextFull), [TurnEffect::Compact { focus: None, automatic: true }]);
    assert_eq!(turn.step(TurnEvent::Compacted), [TurnEffect::Prepare]);
    assert!(!turn.may_compact());
    turn.step(TurnEvent::Prepared);
    answered(&mut turn, &[]);
    assert!(turn.may_compact());
}

#[test]
fn cl_2_max_turns_runs_the_last_calls() {
    let mut turn = requesting(Some(1));
    assert_eq!(started(&answered(&mut turn, &[READ])), [0]);
    assert_eq!(turn.step(TurnEvent::CallDone(0)), [TurnEffect::EndTurn(EndReason::MaxTurns(1))]);
}

/// A turn that stopped at the budget, with its question open.
fn stopping() -> Turn {
    let mut turn = requesting(None);
    let answered = turn.step(TurnEvent::Answered { calls: Vec::new(), over_budget: true });
    assert_eq!(answered, [TurnEffect::ConfirmStop(EndReason::MaxBudget)]);
    turn
}

#[test]
fn pc_12_budget_asks_before_the_turn_ends() {
    let mut turn = stopping();
    assert_eq!(turn.step(TurnEvent::EndConfirmed), [TurnEffect::EndTurn(EndReason::MaxBudget)]);
    let mut turn = stopping();
    let more = TurnEvent::EndRefused { message: "more".into() };
    let continues = [TurnEffect::RecordInput(UserInput::meta("more")), TurnEffect::Prepare];
    assert_eq!(turn.step(more), continues, "the same turn continues");
    let mut turn = stopping();
    assert_eq!(turn.step(TurnEvent::Interrupted), [TurnEffect::StopConfirmEnd, INTERRUPTED]);
}

#[test]
fn pc_12_only_a_users_message_answers() {
    let mut turn = stopping();
    let by_program = UserInput::meta("an agent ended");
    assert_eq!(turn.step(TurnEvent::Input(by_program.clone())), [TurnEffect::Queued(by_program.clone())]);
    let effects = turn.step(TurnEvent::Input(input("go on")));
    assert_eq!(effects[1..3], [TurnEffect::StopConfirmEnd, TurnEffect::EndTurn(EndReason::MaxBudget)]);
    assert_eq!(effects[3..5], [TurnEffect::BeginTurn, TurnEffect::RecordInput(by_program)]);
}

fn arbitrary() -> impl Strategy<Value = TurnEvent> {
    let kind = (any::<bool>(), any::<bool>()).prop_map(|(parallel, barrier)| CallKind { parallel, barrier });
    prop_oneof![
        2 => Just(TurnEvent::Input(input("x"))),
        4 => Just(TurnEvent::Prepared),
        4 => (proptest::collection::vec(kind, 0..5), proptest::bool::weighted(0.1))
            .prop_map(|(calls, over_budget)| TurnEvent::Answered { calls, over_budget }),
        1 => Just(TurnEvent::Failed { message: "no".into(), status: None }),
        1 => Just(TurnEvent::ModelReplaced),
        1 => Just(TurnEvent::ContextFull),
        4 => (0usize..5).prop_map(TurnEvent::CallDone),
        2 => Just(TurnEvent::EndConfirmed),
        1 => Just(TurnEvent::EndRefused { message: "more".into() }),
        1 => Just(TurnEvent::Interrupted),
        1 => Just(TurnEvent::Shutdown),
        1 => Just(TurnEvent::InboxClosed),
        1 => Just(TurnEvent::CompactRequested { focus: None }),
        1 => Just(TurnEvent::Compacted),
        1 => Just(TurnEvent::CompactionFailed { message: "no".into() }),
    ]
}

/// What a session that performs the effects knows. It checks that no effect contradicts another.
#[derive(Default)]
struct Performed {
    open_calls: Vec<usize>,
    in_turn: bool,
    /// Preparing, requesting or confirming the end.
    working: Option<&'static str>,
    given: usize,
    recorded: usize,
}

impl Performed {
    fn perform(&mut self, effect: TurnEffect) -> Result<(), TestCaseError> {
        match effect {
            TurnEffect::BeginTurn => {
                prop_assert!(!self.in_turn);
                self.in_turn = true;
            }
            TurnEffect::EndTurn(_) => {
                prop_assert!(self.in_turn && self.open_calls.is_empty() && self.working.is_none());
                self.in_turn = false;
            }
            TurnEffect::Prepare | TurnEffect::Request | TurnEffect::ConfirmEnd | TurnEffect::ConfirmStop(_) => {
                prop_assert!(self.working.is_none() && self.open_calls.is_empty());
                let asks = matches!(effect, TurnEffect::ConfirmEnd | TurnEffect::ConfirmStop(_));
                self.working = Some(if asks { "end" } else { "request" });
            }
            TurnEffect::StopRequest => prop_assert_eq!(self.working.take(), Some("request")),
            TurnEffect::StopConfirmEnd => prop_assert_eq!(self.working.take(), Some("end")),
            TurnEffect::StartCall(n) | TurnEffect::SkipCall(n) => {
                prop_assert!(!self.open_calls.contains(&n));
                self.open_calls.push(n);
            }
            TurnEffect::RecordInput(_) => self.recorded += 1,
            TurnEffect::Queued(_)
            | TurnEffect::Unqueued(_)
            | TurnEffect::StopCalls
            | TurnEffect::WithdrawAsks
            | TurnEffect::Compact { .. }
            | TurnEffect::StopCompaction => {}
        }
        Ok(())
    }
    /// Tasks report only what they were started for.
    fn possible(&self, event: &TurnEvent) -> bool {
        match event {
            TurnEvent::Prepared
            | TurnEvent::Answered { .. }
            | TurnEvent::ModelReplaced
            | TurnEvent::Failed { .. }
            | TurnEvent::ContextFull => self.working == Some("request"),
            TurnEvent::EndConfirmed | TurnEvent::EndRefused { .. } => self.working == Some("end"),
            TurnEvent::CallDone(n) => self.open_calls.contains(n),
            _ => true,
        }
    }
}

proptest! {
    /// AG-2 to AG-5: in any order of events there is one request at a time, every call gets exactly one result,
    /// every message is recorded once, and every turn that begins ends.
    #[test]
    fn ag_4_no_order_of_events_breaks_the_conversation(events in proptest::collection::vec(arbitrary(), 0..80)) {
        let (mut turn, mut performed) = (Turn::new(None), Performed::default());
        for event in events {
            if !performed.possible(&event) { continue; }
            let before = (turn.phase.clone(), performed.working);
            match &event {
                TurnEvent::Input(_) => performed.given += 1,
                TurnEvent::EndRefused { .. } => { performed.given += 1; performed.working = None; }
                TurnEvent::CallDone(n) => performed.open_calls.retain(|open| open != n),
                // Queued input goes back to its sender.
                TurnEvent::Shutdown => performed.given = performed.recorded,
                event if performed.possible(event) && matches!(event,
                    TurnEvent::Prepared | TurnEvent::Answered { .. } | TurnEvent::ModelReplaced
                    | TurnEvent::Failed { .. } | TurnEvent::ContextFull | TurnEvent::EndConfirmed) => performed.working = None,
                _ => {}
            }
            let effects = turn.step(event.clone());
            if effects.is_empty() && turn.phase == before.0 { performed.working = before.1; }
            for effect in effects { performed.perform(effect)?; }
            prop_assert!(performed.recorded <= performed.given);
            if turn.idle() { prop_assert_eq!(performed.recorded, performed.given); }
        }
    }

    /// DU-1: after an interrupt nothing but running calls is waited for.
    #[test]
    fn du_1_interrupt_leaves_no_wait_but_calls(events in proptest::collection::vec(arbitrary(), 0..80)) {
        let mut turn = Turn::new(None);
        for event in events {
            turn.step(event);
        }
        turn.step(TurnEvent::Shutdown);
        let only_calls = matches!(turn.phase, Phase::Calls { ending: Some(_), .. });
        prop_assert!(turn.idle() || only_calls);
    }
}

/// CL-2: an answer that used the budget up makes no calls and no further request.
#[test]
fn cl_2_calls_over_the_budget_are_skipped() {
    let mut turn = requesting(None);
    let event = TurnEvent::Answered { calls: vec![READ], over_budget: true };
    assert_eq!(turn.step(event), [TurnEffect::SkipCall(0)]);
    assert_eq!(turn.step(TurnEvent::CallDone(0)), [TurnEffect::ConfirmStop(EndReason::MaxBudget)]);
    assert_eq!(turn.step(TurnEvent::EndConfirmed), [TurnEffect::EndTurn(EndReason::MaxBudget)]);
}

/// AG-5: a message that comes while the end is confirmed joins this turn.
#[test]
fn ag_5_late_message_continues_the_turn() {
    let mut turn = requesting(None);
    answered(&mut turn, &[]);
    turn.step(TurnEvent::Input(input("wait")));
    let continues = [TurnEffect::RecordInput(input("wait")), TurnEffect::Prepare];
    assert_eq!(turn.step(TurnEvent::EndConfirmed), continues);
}

#[test]
fn ag_2_events_out_of_place_change_nothing() {
    let mut turn = requesting(None);
    assert_eq!(turn.step(TurnEvent::Prepared), [], "one request at a time");
    turn.step(TurnEvent::ModelReplaced);
    assert_eq!(answered(&mut turn, &[READ]), [], "no request was sent");
    assert_eq!(turn.step(TurnEvent::InboxClosed), [TurnEffect::WithdrawAsks]);
}

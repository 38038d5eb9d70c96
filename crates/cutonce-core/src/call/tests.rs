use super::*;
use crate::permission::CallRights;
use proptest::prelude::*;

const MODES: [Mode; 4] = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Auto];

fn facts() -> CallFacts {
    CallFacts { tool: "Write".into(), access: Access::Internal }
}
fn ask(by: AskCause) -> Box<PermissionAsk> {
    Box::new(PermissionAsk { facts: facts(), why: Why::from_reason("the mode asks"), cause: by, suggestions: vec![] })
}
fn allowed() -> AllowedCall {
    AllowedCall { why: Why::from_reason("the mode allows it"), rights: CallRights::Plain }
}
fn now(mode: Mode) -> CallNow {
    CallNow { mode, access: Ok(Access::Internal) }
}
fn decided(mode: Mode, decision: Decision) -> CallEvent {
    let role = CallRole::Tool;
    let classifier_on = mode == Mode::Auto;
    CallEvent::Decided(Box::new(Decided { mode, facts: facts(), decision, role, classifier_on, precheck: None }))
}
fn hook(permission: Option<HookPermission>) -> Box<HookAnswer> {
    Box::new(HookAnswer { permission, ..HookAnswer::default() })
}

/// What the outside world does next, without its mode: that is the test's.
#[derive(Debug, Clone)]
enum Move {
    ChangeMode(Mode),
    Start,
    Skip,
    PreHook(Option<HookPermission>),
    Decide(u8),
    Classify(u8),
    PermissionHook(Option<HookPermission>, bool),
    Approve(bool),
    Refuse,
    Answer,
    Ran,
    PostHook,
    Complete,
    Fail,
    Interrupt,
    Withdraw,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let wish = || {
        proptest::option::of(prop_oneof![
            Just(HookPermission::Allow),
            Just(HookPermission::Ask),
            Just(HookPermission::Deny)
        ])
    };
    let one = prop_oneof![
        3 => (0usize..4).prop_map(|n| Move::ChangeMode(MODES[n])),
        4 => Just(Move::Start),
        1 => Just(Move::Skip),
        4 => wish().prop_map(Move::PreHook),
        8 => (0u8..5).prop_map(Move::Decide),
        3 => (0u8..3).prop_map(Move::Classify),
        4 => (wish(), any::<bool>()).prop_map(|(wish, changed)| Move::PermissionHook(wish, changed)),
        4 => any::<bool>().prop_map(Move::Approve),
        1 => Just(Move::Refuse),
        1 => Just(Move::Answer),
        2 => Just(Move::Ran),
        2 => Just(Move::PostHook),
        1 => Just(Move::Complete),
        1 => Just(Move::Fail),
        1 => Just(Move::Interrupt),
        1 => Just(Move::Withdraw),
    ];
    proptest::collection::vec(one, 0..60)
}

fn decision(kind: u8) -> Decision {
    match kind {
        0 => Decision::Allow(allowed()),
        1 => Decision::Deny(DeniedCall { why: Why::from_reason("no"), message: "no".into() }),
        2 => Decision::Ask(ask(AskCause::Mode)),
        3 => Decision::Ask(ask(AskCause::Rule)),
        _ => Decision::Ask(ask(AskCause::ProtectedPath)),
    }
}

fn event(what: &Move, mode: Mode) -> Option<CallEvent> {
    Some(match what {
        Move::ChangeMode(_) => return None,
        Move::Start => CallEvent::Start { mode },
        Move::Skip => CallEvent::Skipped,
        Move::PreHook(wish) => CallEvent::PreHooked { mode, reply: hook(*wish) },
        Move::Decide(kind) => decided(mode, decision(*kind)),
        Move::Classify(kind) => CallEvent::Classified {
            now: now(mode),
            classifier_on: mode == Mode::Auto,
            verdict: match kind {
                0 => ClassifierVerdict::Allow("fine".into()),
                1 => ClassifierVerdict::Ask("unclear".into()),
                _ => ClassifierVerdict::Deny("bad".into()),
            },
        },
        Move::PermissionHook(wish, input_changed) => {
            CallEvent::PermissionHooked { now: now(mode), reply: hook(*wish), input_changed: *input_changed }
        }
        Move::Approve(false) => CallEvent::Approved { now: now(mode), by: "the user allowed it" },
        Move::Approve(true) => CallEvent::ApprovedChanged { now: now(mode), by: "the host allowed it" },
        Move::Refuse => CallEvent::Refused { by: Refusal::Unusable, end_turn: false },
        Move::Answer => CallEvent::QuestionsAnswered(QuestionsAnswer::Skipped),
        Move::Ran => CallEvent::Ran,
        Move::PostHook => CallEvent::PostHooked { stop: None, event: HookEvent::PostToolUse },
        Move::Complete => CallEvent::Completed,
        Move::Fail => CallEvent::Failed("broken".into()),
        Move::Interrupt => CallEvent::Interrupted,
        Move::Withdraw => CallEvent::Withdrawn { reason: "no user is left".into() },
    })
}

/// What one run of moves did.
#[derive(Default)]
struct Seen {
    runs: usize,
    finishes: usize,
    denied: bool,
    /// The mode of the last decision.
    decided_in: Option<Mode>,
}

impl Seen {
    fn note(&mut self, effects: &[CallEffect], mode: Mode) -> Result<(), TestCaseError> {
        for effect in effects {
            match effect {
                CallEffect::Run { .. } | CallEffect::RunInSession { .. } => {
                    prop_assert!(!self.denied && self.finishes == 0, "a denied or finished call runs");
                    prop_assert_eq!(self.decided_in, Some(mode), "it runs by a decision of another mode");
                    self.runs += 1;
                }
                CallEffect::Finish(result) => {
                    self.finishes += 1;
                    self.denied |= matches!(result, CallResult::Denied(_));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Plays the moves; the mode changes only by `ChangeMode`.
fn play(moves: &[Move], mode: &mut Mode, seen: &mut Seen) -> Result<CallState, TestCaseError> {
    let mut state = CallState::Parsed;
    for what in moves {
        if let Move::ChangeMode(to) = what {
            *mode = *to;
        }
        let Some(event) = event(what, *mode) else { continue };
        let deciding = matches!((&state, &event), (CallState::Deciding { .. }, CallEvent::Decided(_)));
        let refused = deciding && matches!(what, Move::Decide(1));
        if deciding {
            seen.decided_in = Some(*mode);
        }
        // The session decides at once: the mode can't change between the effect and the decision.
        if matches!(state, CallState::Deciding { .. }) && matches!(what, Move::ChangeMode(_)) {
            continue;
        }
        let (next, effects) = step(state, event);
        seen.note(&effects, *mode)?;
        prop_assert!(!refused || matches!(next, CallState::Done), "a denial leads to {next:?}");
        state = next;
    }
    Ok(state)
}

proptest! {
    /// PR-3: a denial ends the call, and it runs at most once, under the mode of its decision (PM-16).
    #[test]
    fn pr_3_no_path_leads_from_denial_to_running(moves in moves()) {
        let (mut mode, mut seen) = (Mode::Default, Seen::default());
        play(&moves, &mut mode, &mut seen)?;
        prop_assert!(seen.runs <= 1);
    }

    /// AG-4: in any order of events a call gets at most one result, and the events that end a batch give it one.
    #[test]
    fn ag_4_every_call_ends_exactly_once(moves in moves()) {
        let (mut mode, mut seen) = (Mode::Default, Seen::default());
        let mut state = play(&moves, &mut mode, &mut seen)?;
        // A running tool reports by itself; nothing else is waited for after an interrupt.
        let ends = [Move::Interrupt, Move::Skip, Move::Ran, Move::Interrupt];
        for what in &ends {
            let Some(event) = event(what, mode) else { continue };
            let (next, effects) = step(state, event);
            seen.note(&effects, mode)?;
            state = next;
        }
        prop_assert!(matches!(state, CallState::Done), "{state:?}");
        prop_assert_eq!(seen.finishes, 1);
    }

    /// PM-16, PM-61: a yes of hook, classifier, user or host in another mode leads back to the decision, never to
    /// running.
    #[test]
    fn pm_16_no_yes_survives_a_mode_change(asked in 0usize..4, answered in 0usize..4, who in 0usize..5) {
        let (asked, answered) = (MODES[asked], MODES[answered]);
        prop_assume!(asked != answered);
        let state = match who {
            0 => CallState::Classifying { mode: asked, ask: ask(AskCause::Mode), hook_asked: false },
            1 => CallState::PermissionHook { mode: asked, ask: ask(AskCause::Mode) },
            4 => CallState::PreHook { mode: asked },
            _ => CallState::Asking { mode: asked, question: AskSubject::Permission(ask(AskCause::Mode)) },
        };
        let yes = match who {
            0 => CallEvent::Classified { now: now(answered), classifier_on: true, verdict: ClassifierVerdict::Allow("ok".into()) },
            1 => CallEvent::PermissionHooked { now: now(answered), reply: hook(Some(HookPermission::Allow)), input_changed: true },
            2 => CallEvent::Approved { now: now(answered), by: "the user allowed it" },
            4 => CallEvent::PreHooked { mode: answered, reply: hook(Some(HookPermission::Allow)) },
            _ => CallEvent::ApprovedChanged { now: now(answered), by: "the host allowed it" },
        };
        let (state, effects) = step(state, yes);
        prop_assert!(matches!(effects[..], [CallEffect::Decide]));
        let CallState::Deciding { opinion, approved, .. } = &state else { panic!("{state:?}") };
        prop_assert_eq!(opinion.permission, None);
        prop_assert!(approved.is_none() || ((2..4).contains(&who) && answered != Mode::Plan));
    }
}

/// The state after these events, and the last effects.
fn after(mut state: CallState, events: Vec<CallEvent>) -> (CallState, Vec<CallEffect>) {
    let mut last = vec![];
    for event in events {
        (state, last) = step(state, event);
    }
    (state, last)
}

#[test]
fn pr_3_allowed_call_passes_hooks_and_runs() {
    let start =
        vec![CallEvent::Start { mode: Mode::Default }, CallEvent::PreHooked { mode: Mode::Default, reply: hook(None) }];
    let (state, effects) = after(CallState::Parsed, start);
    assert!(matches!(effects[..], [CallEffect::Decide]));
    let (state, effects) = step(state, decided(Mode::Default, Decision::Allow(allowed())));
    assert!(matches!(effects[..], [CallEffect::Run { .. }]));
    let (state, effects) = step(state, CallEvent::Ran);
    assert!(matches!(effects[..], [CallEffect::RunPostHook]));
    let (_, effects) = step(state, CallEvent::PostHooked { stop: None, event: HookEvent::PostToolUse });
    assert!(matches!(effects[..], [CallEffect::Finish(CallResult::Outcome)]));
}

#[test]
fn pm_61_hook_yes_lifts_nothing_in_plan_mode() {
    let start = vec![
        CallEvent::Start { mode: Mode::Plan },
        CallEvent::PreHooked { mode: Mode::Plan, reply: hook(Some(HookPermission::Allow)) },
        decided(Mode::Plan, Decision::Ask(ask(AskCause::Mode))),
    ];
    let (state, effects) = after(CallState::Parsed, start);
    assert!(matches!(effects[..], [CallEffect::RunPermissionHook]), "{state:?}");
    let reply = hook(Some(HookPermission::Allow));
    let (state, effects) =
        step(state, CallEvent::PermissionHooked { now: now(Mode::Plan), reply, input_changed: false });
    assert!(matches!(effects[..], [CallEffect::OpenAsk]), "{state:?}");
}

#[test]
fn pr_6_approved_call_that_changed_does_not_run() {
    let asking = CallState::Asking { mode: Mode::Default, question: AskSubject::Permission(ask(AskCause::Mode)) };
    let moved = CallNow { mode: Mode::Default, access: Ok(Access::Skill { name: "x".into() }) };
    let (_, effects) = step(asking, CallEvent::Approved { now: moved, by: "the user allowed it" });
    assert!(matches!(effects[..], [CallEffect::Finish(CallResult::Failed(_))]));
}

#[test]
fn ho_7_permission_hook_runs_once_per_call() {
    let start = vec![
        CallEvent::Start { mode: Mode::Default },
        CallEvent::PreHooked { mode: Mode::Default, reply: hook(None) },
        decided(Mode::Default, Decision::Ask(ask(AskCause::Mode))),
        CallEvent::PermissionHooked { now: now(Mode::AcceptEdits), reply: hook(None), input_changed: false },
        decided(Mode::AcceptEdits, Decision::Ask(ask(AskCause::Mode))),
    ];
    let (_, effects) = after(CallState::Parsed, start);
    assert!(matches!(effects[..], [CallEffect::OpenAsk]));
}

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
/// The call would touch something else than when it was asked about.
fn moved(mode: Mode) -> CallNow {
    CallNow { mode, access: Ok(Access::Skill { name: "x".into() }) }
}
fn decided(mode: Mode, decision: Decision) -> CallEvent {
    decided_as(CallRole::Tool, mode, decision)
}
fn decided_as(role: CallRole, mode: Mode, decision: Decision) -> CallEvent {
    let classifier_on = mode == Mode::Auto;
    CallEvent::Decided(Box::new(Decided { mode, facts: facts(), decision, role, classifier_on, precheck: None }))
}
fn hook(permission: Option<HookPermission>) -> Box<HookAnswer> {
    Box::new(HookAnswer { permission, ..HookAnswer::default() })
}
fn stopping_hook() -> Box<HookAnswer> {
    Box::new(HookAnswer { stop: Some("enough".into()), ..HookAnswer::default() })
}
fn deciding() -> CallState {
    CallState::Deciding { opinion: HookOpinion::default(), approved: None, hook_asked: false }
}
fn asking(mode: Mode) -> CallState {
    CallState::Asking { mode, question: AskSubject::Permission(ask(AskCause::Mode)) }
}

/// What the outside world does next, without its mode: that is the test's.
#[derive(Debug, Clone)]
enum Move {
    /// What the state waits for; the numbers choose which.
    Expected(u8, bool, bool),
    ChangeMode(Mode),
    Start,
    Skip,
    PreHook(Option<HookPermission>),
    Decide(u8, CallRole),
    /// The last flag of these: the call's access changed meanwhile.
    Classify(u8, bool),
    PermissionHook(Option<HookPermission>, bool, bool),
    Approve(bool, bool),
    StopByHook,
    Refuse,
    Deny,
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
    let role = prop_oneof![4 => Just(CallRole::Tool), 1 => Just(CallRole::Questions), 1 => Just(CallRole::SessionTool)];
    let moved = || proptest::bool::weighted(0.2);
    let one = prop_oneof![
        40 => (any::<u8>(), any::<bool>(), moved()).prop_map(|(n, changed, moved)| Move::Expected(n, changed, moved)),
        3 => (0usize..4).prop_map(|n| Move::ChangeMode(MODES[n])),
        4 => Just(Move::Start),
        1 => Just(Move::Skip),
        4 => wish().prop_map(Move::PreHook),
        8 => (0u8..5, role).prop_map(|(kind, role)| Move::Decide(kind, role)),
        3 => (0u8..3, moved()).prop_map(|(kind, moved)| Move::Classify(kind, moved)),
        4 => (wish(), any::<bool>(), moved())
            .prop_map(|(wish, changed, moved)| Move::PermissionHook(wish, changed, moved)),
        4 => (any::<bool>(), moved()).prop_map(|(changed, moved)| Move::Approve(changed, moved)),
        1 => Just(Move::StopByHook),
        1 => Just(Move::Refuse),
        1 => Just(Move::Deny),
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

/// A move that the state waits for. Without these, random moves seldom get past the decision.
fn expected(state: &CallState, n: u8, changed: bool, moved: bool) -> Move {
    let wish = || match n % 4 {
        0 => None,
        1 => Some(HookPermission::Allow),
        2 => Some(HookPermission::Ask),
        _ => Some(HookPermission::Deny),
    };
    let role = || [CallRole::Tool, CallRole::Tool, CallRole::Questions, CallRole::SessionTool][usize::from(n / 5) % 4];
    match (state, n % 8) {
        (CallState::Parsed, _) => Move::Start,
        (CallState::PreHook { .. } | CallState::PermissionHook { .. }, 7) => Move::StopByHook,
        (CallState::PreHook { .. }, _) => Move::PreHook(wish()),
        (CallState::Deciding { .. }, _) => Move::Decide(n % 5, role()),
        (CallState::Classifying { .. }, _) => Move::Classify(n % 3, moved),
        (CallState::PermissionHook { .. }, _) => Move::PermissionHook(wish(), changed, moved),
        (CallState::Asking { .. }, 0) => Move::Refuse,
        (CallState::Asking { .. }, 1) => Move::Withdraw,
        (CallState::Asking { .. }, _) if state.asks_questions() => Move::Answer,
        (CallState::Asking { .. }, _) => Move::Approve(changed, moved),
        (CallState::Running, 0) => Move::Complete,
        (CallState::Running, 1) => Move::Deny,
        (CallState::Running, _) => Move::Ran,
        (CallState::PostHook, _) => Move::PostHook,
        (CallState::Done, _) => Move::Fail,
    }
}

fn event(what: &Move, mode: Mode, state: &CallState) -> Option<CallEvent> {
    let at = |changed: bool| if changed { moved(mode) } else { now(mode) };
    Some(match what {
        Move::ChangeMode(_) => return None,
        Move::Expected(n, changed, moved) => return event(&expected(state, *n, *changed, *moved), mode, state),
        Move::Start => CallEvent::Start { mode },
        Move::Skip => CallEvent::Skipped,
        Move::PreHook(wish) => CallEvent::PreHooked { mode, reply: hook(*wish) },
        Move::Decide(kind, role) => decided_as(*role, mode, decision(*kind)),
        Move::Classify(kind, moved) => CallEvent::Classified {
            now: at(*moved),
            classifier_on: mode == Mode::Auto,
            verdict: match kind {
                0 => ClassifierVerdict::Allow("fine".into()),
                1 => ClassifierVerdict::Ask("unclear".into()),
                _ => ClassifierVerdict::Deny("bad".into()),
            },
        },
        Move::PermissionHook(wish, input_changed, moved) => {
            CallEvent::PermissionHooked { now: at(*moved), reply: hook(*wish), input_changed: *input_changed }
        }
        Move::Approve(false, moved) => CallEvent::Approved { now: at(*moved), by: "the user allowed it" },
        Move::Approve(true, moved) => CallEvent::ApprovedChanged { now: at(*moved), by: "the host allowed it" },
        Move::StopByHook => match state {
            CallState::PreHook { .. } => CallEvent::PreHooked { mode, reply: stopping_hook() },
            _ => CallEvent::PermissionHooked { now: now(mode), reply: stopping_hook(), input_changed: false },
        },
        Move::Deny => CallEvent::unusable_answer(),
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

/// True if the event is a no that the state waits for: the call must end.
fn is_denial(state: &CallState, event: &CallEvent) -> bool {
    let refuses = |reply: &HookAnswer| reply.permission == Some(HookPermission::Deny) || reply.stop.is_some();
    match (state, event) {
        (CallState::Deciding { .. }, CallEvent::Decided(decided)) => matches!(decided.decision, Decision::Deny(_)),
        (CallState::PreHook { .. }, CallEvent::PreHooked { reply, .. })
        | (CallState::PermissionHook { .. }, CallEvent::PermissionHooked { reply, .. }) => refuses(reply),
        (CallState::Classifying { mode, .. }, CallEvent::Classified { now, classifier_on, verdict }) => {
            now.mode == *mode && *classifier_on && matches!(verdict, ClassifierVerdict::Deny(_))
        }
        (
            CallState::Asking { .. },
            CallEvent::Refused { .. } | CallEvent::Withdrawn { .. } | CallEvent::Interrupted,
        )
        | (CallState::Running, CallEvent::Denied(_)) => true,
        _ => false,
    }
}

/// True if the event may lead from this state to running: a decision, or the answer to what it asked, for a call that
/// is still the same.
fn may_run(state: &CallState, event: &CallEvent) -> bool {
    let same = |now: &CallNow| matches!(now.access, Ok(Access::Internal));
    match (state, event) {
        (CallState::Deciding { .. }, CallEvent::Decided(_)) => true,
        (CallState::Classifying { .. }, CallEvent::Classified { now, .. }) => same(now),
        (CallState::PermissionHook { .. }, CallEvent::PermissionHooked { now, input_changed, .. }) => {
            !input_changed && same(now)
        }
        (CallState::Asking { .. }, CallEvent::QuestionsAnswered(_)) => state.asks_questions(),
        _ => false,
    }
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
                    // Answers to AskUserQuestion are no permission: they are valid in any mode.
                    let answers = matches!(effect, CallEffect::Run { answers: Some(_), .. });
                    prop_assert!(answers || self.decided_in == Some(mode), "it runs by a decision of another mode");
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

/// Plays the moves; the mode changes only by `ChangeMode`. Runs start in any mode: from default mode alone, few would
/// reach the classifier.
fn play(moves: &[Move], mode: &mut Mode, seen: &mut Seen) -> Result<CallState, TestCaseError> {
    let mut state = CallState::Parsed;
    for what in moves {
        if let Move::ChangeMode(to) = what {
            *mode = *to;
        }
        let Some(event) = event(what, *mode, &state) else { continue };
        if matches!((&state, &event), (CallState::Deciding { .. }, CallEvent::Decided(_))) {
            seen.decided_in = Some(*mode);
        }
        let (denies, may_run) = (is_denial(&state, &event), may_run(&state, &event));
        let moved = matches!((&state, &event), (CallState::Asking { .. }, CallEvent::Approved { now, .. })
            if !matches!(now.access, Ok(Access::Internal)));
        // The session decides at once: the mode can't change between the effect and the decision.
        if matches!(state, CallState::Deciding { .. }) && matches!(what, Move::ChangeMode(_)) {
            continue;
        }
        let (next, effects) = step(state, event);
        seen.note(&effects, *mode)?;
        prop_assert!(!denies || matches!(next, CallState::Done), "{what:?} leads to {next:?}");
        let runs = effects.iter().any(|e| matches!(e, CallEffect::Run { .. } | CallEffect::RunInSession { .. }));
        prop_assert!(!runs || may_run, "{what:?} runs the call");
        let approved = matches!(&next, CallState::Deciding { approved: Some(_), .. });
        prop_assert!(!moved || !approved, "the yes was for something else");
        state = next;
    }
    Ok(state)
}

proptest! {
    /// PR-3: a denial ends the call, and it runs at most once, under the mode of its decision (PM-16).
    #[test]
    fn pr_3_no_path_leads_from_denial_to_running(moves in moves(), first in 0usize..4) {
        let (mut mode, mut seen) = (MODES[first], Seen::default());
        play(&moves, &mut mode, &mut seen)?;
        prop_assert!(seen.runs <= 1);
    }

    /// AG-4: in any order of events a call gets at most one result, and the events that end a batch give it one.
    #[test]
    fn ag_4_every_call_ends_exactly_once(moves in moves(), first in 0usize..4) {
        let (mut mode, mut seen) = (MODES[first], Seen::default());
        let mut state = play(&moves, &mut mode, &mut seen)?;
        // A running tool reports by itself; nothing else is waited for after an interrupt.
        let ends = [Move::Interrupt, Move::Skip, Move::Ran, Move::Interrupt];
        for what in &ends {
            let Some(event) = event(what, mode, &state) else { continue };
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
    let yes = || hook(Some(HookPermission::Allow));
    let (default, auto) = (Mode::Default, Mode::Auto);
    let verdict = ClassifierVerdict::Allow("fine".into());
    for (state, event) in [
        (asking(default), CallEvent::Approved { now: moved(default), by: "the user allowed it" }),
        (
            CallState::PermissionHook { mode: default, ask: ask(AskCause::Mode) },
            CallEvent::PermissionHooked { now: moved(default), reply: yes(), input_changed: false },
        ),
        (
            CallState::Classifying { mode: auto, ask: ask(AskCause::Mode), hook_asked: false },
            CallEvent::Classified { now: moved(auto), classifier_on: true, verdict },
        ),
    ] {
        let (_, effects) = step(state, event);
        assert!(matches!(effects[..], [CallEffect::Finish(CallResult::Failed(_))]), "{effects:?}");
    }
}

#[test]
fn pr_6_yes_for_another_access_does_not_count() {
    let yes = CallEvent::Approved { now: moved(Mode::AcceptEdits), by: "the user allowed it" };
    let (state, _) = step(asking(Mode::Default), yes);
    assert!(matches!(state, CallState::Deciding { approved: None, .. }), "{state:?}");
}

#[test]
fn pr_3_unexpected_decision_changes_nothing() {
    let mode = Mode::Auto;
    for state in [
        CallState::PreHook { mode },
        CallState::Classifying { mode, ask: ask(AskCause::Mode), hook_asked: false },
        CallState::PermissionHook { mode, ask: ask(AskCause::Mode) },
        asking(mode),
        CallState::Done,
    ] {
        let before = format!("{state:?}");
        let (state, effects) = step(state, decided(mode, Decision::Allow(allowed())));
        assert!(effects.is_empty() && format!("{state:?}") == before, "{before} became {state:?}");
    }
}

#[test]
fn pr_3_yes_leads_to_another_decision() {
    let by = "the user allowed it";
    for yes in [
        CallEvent::Approved { now: now(Mode::Default), by },
        CallEvent::ApprovedChanged { now: now(Mode::Default), by },
    ] {
        let (state, effects) = step(asking(Mode::Default), yes);
        assert!(matches!(effects[..], [CallEffect::Decide]), "{state:?}");
        let deny = Decision::Deny(DeniedCall { why: Why::from_reason("a rule"), message: "no".into() });
        let (_, effects) = step(state, decided(Mode::Default, deny));
        assert!(matches!(effects[..], [CallEffect::Finish(CallResult::Denied(_))]));
    }
}

#[test]
fn ag_4_running_tool_reports_after_an_interrupt() {
    let (state, effects) = step(CallState::Running, CallEvent::Interrupted);
    assert!(effects.is_empty() && matches!(state, CallState::Running));
    let (_, effects) = step(state, CallEvent::Ran);
    assert!(matches!(effects[..], [CallEffect::RunPostHook]));
}

#[test]
fn ag_3_precheck_fails_before_a_question() {
    let decision = Decision::Ask(ask(AskCause::Mode));
    let precheck = Some("no such file".to_string());
    let (mode, role) = (Mode::Default, CallRole::Tool);
    let found = Decided { mode, facts: facts(), decision, role, classifier_on: false, precheck };
    let (_, effects) = step(deciding(), CallEvent::Decided(Box::new(found)));
    assert!(matches!(&effects[..], [CallEffect::Finish(CallResult::Failed(text))] if text == "no such file"));
}

#[test]
fn ag_3_questions_come_before_the_run() {
    let (state, effects) = step(deciding(), decided_as(CallRole::Questions, Mode::Default, Decision::Allow(allowed())));
    assert!(matches!(effects[..], [CallEffect::OpenAsk]) && state.asks_questions());
    let (_, effects) = step(state, CallEvent::QuestionsAnswered(QuestionsAnswer::Skipped));
    assert!(matches!(effects[..], [CallEffect::Run { answers: Some(_), .. }]));
    let (_, effects) = step(deciding(), decided_as(CallRole::SessionTool, Mode::Default, Decision::Allow(allowed())));
    assert!(matches!(effects[..], [CallEffect::RunInSession { .. }]));
}

#[test]
fn pm_120_classifier_that_is_switched_off_decides_nothing() {
    let state = CallState::Classifying { mode: Mode::Auto, ask: ask(AskCause::Mode), hook_asked: false };
    let verdict = ClassifierVerdict::Allow("fine".into());
    let (_, effects) = step(state, CallEvent::Classified { now: now(Mode::Auto), classifier_on: false, verdict });
    assert!(matches!(effects[..], [CallEffect::Decide]));
}

#[test]
fn pm_120_protected_paths_are_not_classified() {
    for (cause, classified) in [(AskCause::Mode, true), (AskCause::ProtectedPath, false)] {
        let (_, effects) = step(deciding(), decided(Mode::Auto, Decision::Ask(ask(cause))));
        assert_eq!(matches!(effects[..], [CallEffect::Classify]), classified, "{effects:?}");
    }
}

#[test]
fn du_7_refusal_can_end_the_turn() {
    let by = || Refusal::User { message: String::new() };
    for end_turn in [true, false] {
        let (_, effects) = step(asking(Mode::Default), CallEvent::Refused { by: by(), end_turn });
        let ends = matches!(effects.first(), Some(CallEffect::EndTurn { .. }));
        assert!(ends == end_turn && matches!(effects.last(), Some(CallEffect::Finish(CallResult::Denied(_)))));
    }
}

#[test]
fn ho_7_hook_can_end_the_turn() {
    let mode = Mode::Default;
    for (state, event) in [
        (CallState::PreHook { mode }, CallEvent::PreHooked { mode, reply: stopping_hook() }),
        (
            CallState::PermissionHook { mode, ask: ask(AskCause::Mode) },
            CallEvent::PermissionHooked { now: now(mode), reply: stopping_hook(), input_changed: false },
        ),
        (CallState::PostHook, CallEvent::PostHooked { stop: Some("enough".into()), event: HookEvent::PostToolUse }),
    ] {
        let (_, effects) = step(state, event);
        assert!(matches!(effects[..], [CallEffect::EndTurn { .. }, CallEffect::Finish(_)]), "{effects:?}");
    }
}

#[test]
fn ho_7_hook_that_wants_a_question_gets_one() {
    let mode = Mode::Default;
    let start = vec![
        CallEvent::Start { mode },
        CallEvent::PreHooked { mode, reply: hook(Some(HookPermission::Ask)) },
        decided(mode, Decision::Allow(allowed())),
        // The mode changes while PermissionRequest hooks run: the wish stays.
        CallEvent::PermissionHooked { now: now(Mode::AcceptEdits), reply: hook(None), input_changed: false },
        decided(Mode::AcceptEdits, Decision::Allow(allowed())),
    ];
    let (state, effects) = after(CallState::Parsed, start);
    assert!(matches!(effects[..], [CallEffect::OpenAsk]), "{state:?}");
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

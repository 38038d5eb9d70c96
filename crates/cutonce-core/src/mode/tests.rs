//! Every row of the tables about modes: who may go where, what is recorded, what auto mode does.

use super::*;
use crate::submission::By;
use crate::transcript::Body;

const BARE: Setup =
    Setup { auto: AutoSettings { opted_in: false, gate_open: false, in_plan: false }, bypass_available: false };
const ALL_OPEN: Setup = Setup { auto: auto(true), bypass_available: true };

const fn auto(in_plan: bool) -> AutoSettings {
    AutoSettings { opted_in: true, gate_open: true, in_plan }
}

fn with_auto(auto: AutoSettings) -> Setup {
    Setup { auto, bypass_available: true }
}

fn start(setup: Setup, mode: Mode) -> State {
    State::start(setup, Mode::Default, mode).0
}

fn run(state: State, events: impl IntoIterator<Item = Event>) -> (State, Vec<Effect>) {
    events.into_iter().fold((state, Vec::new()), |(state, mut effects), event| {
        let (state, more) = step(state, event);
        effects.extend(more);
        (state, effects)
    })
}

fn set(to: Mode) -> Event {
    Event::Set { to, by: By::User }
}

fn reminded() -> Event {
    Event::ReminderSent(ReminderKind::PlanMode)
}

fn refused(effects: &[Effect]) -> bool {
    matches!(effects, [Effect::Refused { .. }])
}

/// Every way out of plan mode, and where it leads when the earlier mode was acceptEdits and everything is open.
fn ways_out() -> Vec<(&'static str, Event, Mode)> {
    vec![
        ("/plan off", Event::Leave { by: By::User }, Mode::AcceptEdits),
        ("leave, keep the plan", Event::Leave { by: By::Host }, Mode::AcceptEdits),
        ("/mode default", set(Mode::Default), Mode::Default),
        ("/mode bypassPermissions", set(Mode::BypassPermissions), Mode::BypassPermissions),
        ("set_permission_mode", Event::Set { to: Mode::AcceptEdits, by: By::Host }, Mode::AcceptEdits),
        ("Shift+Tab", Event::Cycle, Mode::Auto),
        ("ExitPlanMode", Event::Approved { mode: Mode::Default, by: By::User }, Mode::Default),
        ("ExitPlanMode by a host", Event::Approved { mode: Mode::AcceptEdits, by: By::Host }, Mode::AcceptEdits),
    ]
}

#[test]
fn pm_10_modes_have_the_names_of_the_contract() {
    let names: Vec<_> = Mode::ALL.into_iter().map(Mode::name).collect();
    assert_eq!(names, ["default", "acceptEdits", "plan", "auto", "bypassPermissions"]);
    for mode in Mode::ALL {
        assert_eq!(Mode::parse(mode.name()), Some(mode));
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.name());
    }
    assert_eq!(Mode::parse("Plan"), None);
}

#[test]
fn pm_11_shift_tab_goes_round_what_is_available() {
    use Mode::{AcceptEdits, Auto, BypassPermissions, Default, Plan};
    let check = |setup: Setup, expected: &[Mode]| {
        let mut state = start(setup, Default);
        for mode in expected {
            state = step(state, Event::Cycle).0;
            assert_eq!(state.mode(), *mode, "{setup:?}");
        }
    };
    let closed = AutoSettings { gate_open: false, ..auto(true) };
    let not_in = AutoSettings { opted_in: false, ..auto(true) };
    check(BARE, &[AcceptEdits, Plan, Default, AcceptEdits]);
    check(ALL_OPEN, &[AcceptEdits, Plan, Auto, BypassPermissions, Default]);
    check(with_auto(closed), &[AcceptEdits, Plan, BypassPermissions, Default]);
    check(with_auto(not_in), &[AcceptEdits, Plan, BypassPermissions, Default]);
    check(Setup { auto: auto(false), ..BARE }, &[AcceptEdits, Plan, Auto, Default]);
}

#[test]
fn pm_12_the_state_survives_as_json_and_as_a_transcript() {
    let entries = [
        Body::Mode { from: Mode::AcceptEdits, to: Mode::Plan, by: By::User },
        user("one", false),
        reminder(ReminderKind::PlanMode),
        user("a reminder's own message", true),
        Body::Plan { slug: "calm-running-otter".into(), revision: 1, sha256: "0".into(), outcome: "submitted".into() },
        Body::Mode { from: Mode::Plan, to: Mode::AcceptEdits, by: By::User },
        Body::Mode { from: Mode::AcceptEdits, to: Mode::Plan, by: By::Model },
        user("two", false),
    ];
    let (state, effects) = replay(ALL_OPEN, &entries);
    assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(Mode::AcceptEdits)));
    assert!(state.has_exited_plan() && !state.needs_exit_reminder() && !state.reminded());
    assert_eq!((state.slug(), state.stay(), state.turns_since_reminder()), (Some("calm-running-otter"), 2, 1));
    assert!(state.auto_active() && effects == [Effect::SetRulesAside]);
    let json = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&json).unwrap(), state);
    // Live, the same events lead to the same state.
    let live = run(
        start(BARE, Mode::AcceptEdits),
        [
            set(Mode::Plan),
            Event::HumanTurn,
            reminded(),
            Event::Named("calm-running-otter".into()),
            Event::Leave { by: By::User },
            Event::Set { to: Mode::Plan, by: By::Model },
            Event::HumanTurn,
        ],
    );
    assert_eq!(replay(BARE, &entries).0, live.0);
}

fn user(text: &str, meta: bool) -> Body {
    Body::User { text: text.into(), images: vec![], meta, plan_content: None }
}

fn reminder(kind: ReminderKind) -> Body {
    Body::Reminder { kind: kind.name().into(), form: None, path: None, exists: None, text: "x".into() }
}

#[test]
fn pm_12_a_lost_line_never_gives_rights() {
    // The entry that turned plan mode on is gone; a reminder tells that it was on.
    let (state, _) = replay(BARE, &[reminder(ReminderKind::PlanMode)]);
    assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(Mode::Default)));
    // The entry before is gone: this one knows what was before.
    let (state, _) = replay(ALL_OPEN, &[Body::Mode { from: Mode::Auto, to: Mode::Plan, by: By::User }]);
    assert_eq!(state.pre_plan_mode(), Some(Mode::Auto));
    let (state, _) = replay(BARE, &[Body::Mode { from: Mode::Plan, to: Mode::AcceptEdits, by: By::User }]);
    assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::AcceptEdits, None));
}

#[test]
fn pm_13_entering_records_the_earlier_mode() {
    for before in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
        let (state, effects) = step(start(ALL_OPEN, before), set(Mode::Plan));
        assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(before)));
        assert_eq!(effects[0], Effect::Record { from: before, to: Mode::Plan, by: By::User });
        assert!(effects.contains(&Effect::PlanEntered));
        // Again: nothing, whoever asks.
        for by in [By::User, By::Host, By::Model] {
            assert_eq!(step(state.clone(), Event::Set { to: Mode::Plan, by }), (state.clone(), vec![]));
        }
    }
}

#[test]
fn pm_13_entering_clears_the_exit_reminder() {
    let events = [set(Mode::Plan), reminded(), Event::Leave { by: By::User }];
    let (state, _) = run(start(BARE, Mode::Default), events);
    assert!(state.needs_exit_reminder());
    assert!(!step(state, set(Mode::Plan)).0.needs_exit_reminder());
}

#[test]
fn pm_14_every_way_out_clears_the_earlier_mode_and_sets_the_flags() {
    for (name, event, to) in ways_out() {
        let (inside, _) = step(start(ALL_OPEN, Mode::AcceptEdits), set(Mode::Plan));
        let (state, effects) = step(step(inside.clone(), reminded()).0, event.clone());
        assert_eq!((state.mode(), state.pre_plan_mode()), (to, None), "{name}");
        assert!(state.needs_exit_reminder() && state.has_exited_plan(), "{name}");
        assert!(effects.contains(&Effect::WithdrawApproval) && effects.contains(&Effect::PlanLeft), "{name}");
        // Without a reminder in this stay the model has nothing to unlearn.
        let (state, _) = step(inside, event);
        assert!(!state.needs_exit_reminder() && !state.has_exited_plan(), "{name}");
    }
}

#[test]
fn pm_15_step_is_a_function() {
    for (_, event, _) in ways_out() {
        let (inside, _) = step(start(ALL_OPEN, Mode::AcceptEdits), set(Mode::Plan));
        assert_eq!(step(inside.clone(), event.clone()), step(inside, event));
    }
}

#[test]
fn pm_16_the_mode_is_another_one_at_once() {
    let (state, _) = step(start(BARE, Mode::AcceptEdits), Event::Set { to: Mode::Plan, by: By::Model });
    assert!(state.in_plan(), "the very next decision asks this state");
}

#[test]
fn pm_17_the_user_can_always_leave_and_the_model_never() {
    for before in Mode::ALL {
        for setup in [BARE, ALL_OPEN] {
            let (inside, _) = step(start(setup, before), set(Mode::Plan));
            for event in [Event::Leave { by: By::User }, set(Mode::Default), Event::Cycle] {
                let (state, effects) = step(inside.clone(), event);
                assert!(!state.in_plan() && !refused(&effects), "{before} {setup:?}");
            }
            let by = By::Model;
            let others = Mode::ALL.into_iter().filter(|mode| *mode != Mode::Plan);
            let tries = others.flat_map(|to| [Event::Set { to, by }, Event::Approved { mode: to, by }]);
            for event in tries.chain([Event::Leave { by }]) {
                let (state, effects) = step(inside.clone(), event.clone());
                assert!(state == inside && refused(&effects), "{event:?}");
            }
        }
    }
    let (state, effects) = step(start(BARE, Mode::AcceptEdits), Event::Leave { by: By::User });
    assert!(refused(&effects) && state.mode() == Mode::AcceptEdits);
}

#[test]
fn pm_17_the_model_gains_no_rights_outside_plan_mode_either() {
    for to in [Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
        let before = start(ALL_OPEN, Mode::Default);
        let (state, effects) = step(before.clone(), Event::Set { to, by: By::Model });
        assert!(state == before && refused(&effects));
    }
}

#[test]
fn pm_18_calls_after_a_barrier_meet_the_new_mode() {
    // [Write plan, ExitPlanMode, Write code]: each call is decided under the mode of its moment.
    assert!(crate::plan::is_barrier("EnterPlanMode") && crate::plan::is_barrier("ExitPlanMode"));
    assert!(!crate::plan::is_barrier("Write"));
    let mut state = step(start(BARE, Mode::Default), set(Mode::Plan)).0;
    let mut seen = vec![state.mode()];
    state = step(state, Event::Approved { mode: Mode::AcceptEdits, by: By::User }).0;
    seen.push(state.mode());
    state = step(state, Event::Set { to: Mode::Plan, by: By::Model }).0;
    seen.push(state.mode());
    assert_eq!(seen, [Mode::Plan, Mode::AcceptEdits, Mode::Plan]);
}

#[test]
fn pm_26_a_session_that_starts_in_plan_mode_knows_what_it_would_have_been() {
    let check = |setup, base, asked, mode, pre, from| {
        let (state, effects) = State::start(setup, base, asked);
        assert_eq!((state.mode(), state.pre_plan_mode()), (mode, pre), "{base} {asked}");
        let records: Vec<_> = effects.iter().filter(|effect| matches!(effect, Effect::Record { .. })).collect();
        let expected = Effect::Record { from, to: mode, by: By::Start };
        let expected: Vec<_> = (from != mode).then_some(&expected).into_iter().collect();
        assert_eq!(records, expected, "{base} {asked}");
    };
    check(BARE, Mode::Default, Mode::Plan, Mode::Plan, Some(Mode::Default), Mode::Default);
    check(BARE, Mode::Plan, Mode::Plan, Mode::Plan, Some(Mode::Default), Mode::Default);
    check(BARE, Mode::AcceptEdits, Mode::Plan, Mode::Plan, Some(Mode::AcceptEdits), Mode::AcceptEdits);
    check(ALL_OPEN, Mode::Auto, Mode::Plan, Mode::Plan, Some(Mode::Auto), Mode::Auto);
    check(BARE, Mode::Auto, Mode::Plan, Mode::Plan, Some(Mode::Default), Mode::Default);
    check(BARE, Mode::AcceptEdits, Mode::Default, Mode::Default, None, Mode::Default);
    check(BARE, Mode::Default, Mode::AcceptEdits, Mode::AcceptEdits, None, Mode::Default);
    check(BARE, Mode::Default, Mode::BypassPermissions, Mode::Default, None, Mode::Default);
}

#[test]
fn pm_49_a_fork_tells_the_model_of_its_own_plan_file() {
    let named = |slug: &str| Event::Named(slug.into());
    let told = run(start(BARE, Mode::Plan), [named("a"), Event::HumanTurn, reminded()]).0;
    assert_eq!(told.reminders(), 1);
    assert_eq!(run(told.clone(), [named("a")]).0.reminders(), 1, "the same name says nothing new");
    let forked = run(told, [named("b")]).0;
    assert_eq!((forked.reminders(), forked.slug(), forked.reminded()), (0, Some("b"), true));
}

#[test]
fn pm_64_plan_mode_binds_a_subagent_until_it_ends() {
    let mut free = AgentMode::start(Some(Mode::AcceptEdits), Mode::Default, 3);
    assert_eq!(free.decide(Mode::Default, 3), Mode::AcceptEdits);
    assert_eq!(free.decide(Mode::Plan, 4), Mode::Plan);
    assert_eq!(free.decide(Mode::BypassPermissions, 4), Mode::Plan);
    let mut born_in_plan = AgentMode::start(Some(Mode::BypassPermissions), Mode::Plan, 4);
    assert_eq!(born_in_plan.decide(Mode::Default, 4), Mode::Plan);
    let mut missed_it = AgentMode::start(Some(Mode::BypassPermissions), Mode::Default, 4);
    assert_eq!(missed_it.decide(Mode::Default, 5), Mode::Plan);
    let mut follows = AgentMode::start(None, Mode::BypassPermissions, 0);
    assert_eq!(follows.decide(Mode::Default, 0), Mode::Default);
}

#[test]
fn pm_80_an_approval_can_only_leave_the_plan_mode_that_is_on() {
    let outside = start(ALL_OPEN, Mode::Default);
    let inside = step(outside.clone(), set(Mode::Plan)).0;
    let approved = |mode| Event::Approved { mode, by: By::User };
    // Toggled instead of set, an approval would turn plan mode on here.
    for (state, mode) in [(outside.clone(), Mode::AcceptEdits), (outside, Mode::Plan), (inside, Mode::Plan)] {
        let (after, effects) = step(state.clone(), approved(mode));
        assert!(after == state && refused(&effects));
    }
}

#[test]
fn pm_83_an_earlier_mode_that_is_gone_becomes_default_with_a_notice() {
    let lost = |effects: &[Effect], name: &str| {
        let notice = effects.iter().find_map(|effect| match effect {
            Effect::Notice { text, seconds: 10 } => Some(text.as_str()),
            _ => None,
        });
        assert!(notice.is_some_and(|text| text.contains("default") && text.contains(name)), "{effects:?}");
    };
    let ways = || [Event::Leave { by: By::User }, Event::Approved { mode: Mode::Default, by: By::Host }];
    for way in ways() {
        let events = [set(Mode::Plan), Event::AutoChanged(AutoSettings { gate_open: false, ..auto(true) }), way];
        let (state, effects) = run(start(ALL_OPEN, Mode::Auto), events);
        assert_eq!(state.mode(), Mode::Default);
        lost(&effects, "auto");
    }
    for way in ways() {
        let entries = [Body::Mode { from: Mode::BypassPermissions, to: Mode::Plan, by: By::User }];
        let (state, effects) = step(replay(BARE, &entries).0, way);
        assert_eq!(state.mode(), Mode::Default);
        lost(&effects, "bypassPermissions");
    }
    // It stays the earlier mode while plan mode is on: the gate may open again.
    let closed = Event::AutoChanged(AutoSettings { gate_open: false, ..auto(true) });
    let events = [set(Mode::Plan), closed, Event::AutoChanged(auto(true)), Event::Leave { by: By::User }];
    let (state, effects) = run(start(ALL_OPEN, Mode::Auto), events);
    assert!(state.mode() == Mode::Auto && !effects.iter().any(|effect| matches!(effect, Effect::Notice { .. })));
    // A choice of another mode says nothing.
    let (_, effects) = step(replay(BARE, &[reminder(ReminderKind::PlanMode)]).0, set(Mode::AcceptEdits));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Notice { .. })));
}

#[test]
fn pm_83_a_session_does_not_come_back_in_a_mode_that_is_gone() {
    for mode in [Mode::Auto, Mode::BypassPermissions] {
        let (state, effects) = replay(BARE, &[Body::Mode { from: Mode::Default, to: mode, by: By::User }]);
        assert!(state.mode() == Mode::Default && !state.auto_active());
        assert!(effects.iter().any(|effect| matches!(effect, Effect::Notice { .. })), "{effects:?}");
    }
}

#[test]
fn pm_100_a_mode_change_that_fails_leaves_the_old_mode_and_says_why() {
    for to in [Mode::Auto, Mode::BypassPermissions] {
        for before in [Mode::Default, Mode::Plan] {
            let state = start(BARE, before);
            let (after, effects) = step(state.clone(), Event::Set { to, by: By::Host });
            assert!(after == state && refused(&effects), "{before} → {to}");
        }
    }
}

#[test]
fn pm_120_auto_needs_the_opt_in_and_the_open_gate() {
    let check = |opted_in, gate_open, expected: bool| {
        let setup = Setup { auto: AutoSettings { opted_in, gate_open, in_plan: true }, ..BARE };
        let (state, _) = step(start(setup, Mode::Default), set(Mode::Auto));
        assert_eq!((state.mode() == Mode::Auto, state.auto_active()), (expected, expected));
    };
    check(true, true, true);
    check(true, false, false);
    check(false, true, false);
    check(false, false, false);
    // Closed while it is on: nothing is judged any more, so the mode that asks holds.
    let closed = AutoSettings { gate_open: false, ..auto(true) };
    let (state, effects) = step(start(ALL_OPEN, Mode::Auto), Event::AutoChanged(closed));
    assert!(state.mode() == Mode::Default && state.needs_auto_exit_reminder());
    assert!(effects.contains(&Effect::GiveRulesBack));
}

/// The part of the effects that is about rules.
fn rules(effects: &[Effect]) -> Vec<Effect> {
    let about = |effect: &&Effect| matches!(effect, Effect::SetRulesAside | Effect::GiveRulesBack);
    effects.iter().filter(about).cloned().collect()
}

#[test]
fn pm_121_entering_plan_mode_row_by_row() {
    let check = |before: Mode, uses: bool, active: bool, expected: &[Effect], told: bool| {
        let (state, effects) = step(start(with_auto(auto(uses)), before), set(Mode::Plan));
        let row = format!("{before}, plan uses auto: {uses}");
        assert_eq!(state.pre_plan_mode(), Some(if before == Mode::Plan { Mode::Default } else { before }), "{row}");
        assert_eq!((state.auto_active(), state.needs_auto_exit_reminder()), (active, told), "{row}");
        assert_eq!(rules(&effects), expected, "{row}");
    };
    use Effect::{GiveRulesBack, SetRulesAside};
    check(Mode::Plan, true, true, &[], false);
    check(Mode::Plan, false, false, &[], false);
    check(Mode::Auto, true, true, &[], false);
    check(Mode::Auto, false, false, &[GiveRulesBack], true);
    check(Mode::Default, true, true, &[SetRulesAside], false);
    check(Mode::AcceptEdits, true, true, &[SetRulesAside], false);
    check(Mode::BypassPermissions, true, false, &[], false);
    check(Mode::BypassPermissions, false, false, &[], false);
    check(Mode::Default, false, false, &[], false);
    check(Mode::AcceptEdits, false, false, &[], false);
}

#[test]
fn pm_122_a_switch_that_changes_in_plan_mode_row_by_row() {
    let check = |before: Mode, from: bool, to: AutoSettings, active: bool, expected: &[Effect]| {
        let inside = step(start(with_auto(auto(from)), before), set(Mode::Plan)).0;
        let (state, effects) = step(inside, Event::AutoChanged(to));
        assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(before)));
        assert_eq!(state.auto_active(), active, "{before} {from} {to:?}");
        assert_eq!(rules(&effects), expected, "{before} {from} {to:?}");
    };
    use Effect::{GiveRulesBack, SetRulesAside};
    check(Mode::Default, true, auto(true), true, &[SetRulesAside]);
    check(Mode::Auto, true, auto(true), true, &[SetRulesAside]);
    check(Mode::Default, false, auto(true), true, &[SetRulesAside]);
    check(Mode::AcceptEdits, true, auto(false), false, &[GiveRulesBack]);
    check(Mode::Auto, true, AutoSettings { gate_open: false, ..auto(true) }, false, &[GiveRulesBack]);
    check(Mode::Default, true, AutoSettings { opted_in: false, ..auto(true) }, false, &[GiveRulesBack]);
    check(Mode::Default, false, auto(false), false, &[]);
    check(Mode::BypassPermissions, false, auto(true), false, &[]);
    check(Mode::BypassPermissions, true, auto(true), false, &[]);
}

#[test]
fn pm_123_leaving_gives_rules_back_and_tells_the_model_once() {
    let check = |before: Mode, uses: bool, to: Mode, expected: &[Effect], told: bool| {
        let setup = with_auto(auto(uses));
        // The model has been told about what changed on entering.
        let inside = step(start(setup, before), set(Mode::Plan)).0;
        let inside = step(inside, Event::ReminderSent(ReminderKind::AutoModeExit)).0;
        let (state, effects) = step(inside, set(to));
        assert_eq!(rules(&effects), expected, "{before} {uses} → {to}");
        assert_eq!((state.auto_active(), state.needs_auto_exit_reminder()), (to == Mode::Auto, told));
        let told = step(state, Event::ReminderSent(ReminderKind::AutoModeExit)).0;
        assert!(!told.needs_auto_exit_reminder());
    };
    use Effect::{GiveRulesBack, SetRulesAside};
    check(Mode::Auto, true, Mode::Auto, &[SetRulesAside], false);
    check(Mode::Auto, false, Mode::Auto, &[SetRulesAside], false);
    check(Mode::Default, true, Mode::Auto, &[SetRulesAside], false);
    check(Mode::Auto, true, Mode::Default, &[GiveRulesBack], true);
    check(Mode::Default, true, Mode::Default, &[GiveRulesBack], true);
    check(Mode::AcceptEdits, true, Mode::BypassPermissions, &[GiveRulesBack], true);
    check(Mode::Default, false, Mode::AcceptEdits, &[], false);
    check(Mode::BypassPermissions, true, Mode::BypassPermissions, &[], false);
    // On again before the model heard of it: there is nothing to tell.
    let (state, _) = run(start(ALL_OPEN, Mode::Auto), [set(Mode::Default), set(Mode::Auto)]);
    assert!(!state.needs_auto_exit_reminder());
}

proptest::proptest! {
    /// PM-64: whatever the agent's own mode and however the session's mode moves, once plan mode was on the agent is in it.
    #[test]
    fn pm_64_no_agent_gets_a_right_back(own in 0usize..6, modes in proptest::collection::vec((0usize..5, proptest::bool::ANY), 1..12)) {
        let own = (own < 5).then(|| Mode::ALL[own]);
        let mut stays = 0;
        let mut agent: Option<AgentMode> = None;
        let mut planned = false;
        for (mode, decides) in modes {
            let mode = Mode::ALL[mode];
            stays += u32::from(mode == Mode::Plan);
            let agent = match &mut agent {
                Some(agent) => agent,
                none => none.insert(AgentMode::start(own, mode, stays)),
            };
            planned |= mode == Mode::Plan;
            // Not every moment is a decision: a stay may begin and end between two.
            if decides {
                let decided = agent.decide(mode, stays);
                proptest::prop_assert_eq!(decided == Mode::Plan, planned || own == Some(Mode::Plan));
                proptest::prop_assert!(planned || decided == own.unwrap_or(mode));
            }
        }
    }
}

//! Every row of the mode tables: allowed changes, records, auto mode.

use super::*;
use crate::protocol::submission::ChangedBy;
use crate::transcript::EntryBody;

const BARE: ModeSetup =
    ModeSetup { auto: AutoModeGate { opted_in: false, gate_open: false, in_plan: false }, bypass_available: false };
const ALL_OPEN: ModeSetup = ModeSetup { auto: auto(true), bypass_available: true };

const fn auto(in_plan: bool) -> AutoModeGate {
    AutoModeGate { opted_in: true, gate_open: true, in_plan }
}

fn with_auto(auto: AutoModeGate) -> ModeSetup {
    ModeSetup { auto, bypass_available: true }
}

fn start(setup: ModeSetup, mode: Mode) -> ModeState {
    ModeState::start(setup, Mode::Default, mode).0
}

fn run(state: ModeState, events: impl IntoIterator<Item = ModeEvent>) -> (ModeState, Vec<ModeEffect>) {
    events.into_iter().fold((state, Vec::new()), |(state, mut effects), event| {
        let (state, more) = step(state, event);
        effects.extend(more);
        (state, effects)
    })
}

fn set(to: Mode) -> ModeEvent {
    ModeEvent::Set { to, by: ChangedBy::User }
}

fn reminded() -> ModeEvent {
    ModeEvent::ReminderSent(ReminderKind::PlanMode)
}

fn refused(effects: &[ModeEffect]) -> bool {
    matches!(effects, [ModeEffect::Refused { .. }])
}

/// Every way out of plan mode, and where it leads when the earlier mode was acceptEdits and everything is
/// open.
fn ways_out() -> Vec<(&'static str, ModeEvent, Mode)> {
    vec![
        ("/plan off", ModeEvent::Leave { to: None, by: ChangedBy::User }, Mode::AcceptEdits),
        ("leave, keep the plan", ModeEvent::Leave { to: None, by: ChangedBy::Host }, Mode::AcceptEdits),
        ("/mode default", set(Mode::Default), Mode::Default),
        ("/mode bypassPermissions", set(Mode::BypassPermissions), Mode::BypassPermissions),
        ("set_permission_mode", ModeEvent::Set { to: Mode::AcceptEdits, by: ChangedBy::Host }, Mode::AcceptEdits),
        ("Shift+Tab", ModeEvent::Cycle, Mode::Auto),
        ("ExitPlanMode", ModeEvent::Approved { mode: Mode::Default, by: ChangedBy::User }, Mode::Default),
        (
            "ExitPlanMode by a host",
            ModeEvent::Approved { mode: Mode::AcceptEdits, by: ChangedBy::Host },
            Mode::AcceptEdits,
        ),
    ]
}

#[test]
fn pm_10_mode_names_match_the_contract() {
    let names: Vec<_> = Mode::ALL.into_iter().map(Mode::name).collect();
    assert_eq!(names, ["default", "acceptEdits", "plan", "auto", "bypassPermissions"]);
    for mode in Mode::ALL {
        assert_eq!(Mode::parse(mode.name()), Some(mode));
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.name());
    }
    assert_eq!(Mode::parse("Plan"), None);
}

#[test]
fn pm_11_shift_tab_cycles_available_modes() {
    use Mode::{AcceptEdits, Auto, BypassPermissions, Default, Plan};
    let check = |setup: ModeSetup, expected: &[Mode]| {
        let mut state = start(setup, Default);
        for mode in expected {
            state = step(state, ModeEvent::Cycle).0;
            assert_eq!(state.mode(), *mode, "{setup:?}");
        }
    };
    let closed = AutoModeGate { gate_open: false, ..auto(true) };
    let not_in = AutoModeGate { opted_in: false, ..auto(true) };
    check(BARE, &[AcceptEdits, Plan, Default, AcceptEdits]);
    check(ALL_OPEN, &[AcceptEdits, Plan, Auto, BypassPermissions, Default]);
    check(with_auto(closed), &[AcceptEdits, Plan, BypassPermissions, Default]);
    check(with_auto(not_in), &[AcceptEdits, Plan, BypassPermissions, Default]);
    check(ModeSetup { auto: auto(false), ..BARE }, &[AcceptEdits, Plan, Auto, Default]);
}

#[test]
fn pm_12_state_survives_json_and_replay() {
    let entries = [
        EntryBody::Mode { from: Mode::AcceptEdits, to: Mode::Plan, by: ChangedBy::User },
        user("one", false),
        reminder(ReminderKind::PlanMode),
        user("a reminder's own message", true),
        EntryBody::Plan {
            slug: "calm-running-otter".into(),
            revision: 1,
            sha256: "0".into(),
            outcome: "submitted".into(),
        },
        EntryBody::Mode { from: Mode::Plan, to: Mode::AcceptEdits, by: ChangedBy::User },
        EntryBody::Plan {
            slug: "calm-running-otter".into(),
            revision: 1,
            sha256: "0".into(),
            outcome: "approved".into(),
        },
        EntryBody::Mode { from: Mode::AcceptEdits, to: Mode::Plan, by: ChangedBy::Model },
        user("two", false),
    ];
    let (state, effects) = replay_mode(ALL_OPEN, &entries);
    assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(Mode::AcceptEdits)));
    assert!(state.has_exited_plan() && !state.needs_exit_reminder() && !state.was_reminded());
    assert_eq!((state.slug(), state.visit_number(), state.turns_since_reminder()), (Some("calm-running-otter"), 2, 1));
    assert!(state.auto_active() && effects == [ModeEffect::SuspendRules]);
    let json = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<ModeState>(&json).unwrap(), state);
    // Live, the same events lead to the same state.
    let live = run(
        start(BARE, Mode::AcceptEdits),
        [
            set(Mode::Plan),
            ModeEvent::UserTurn,
            reminded(),
            ModeEvent::PlanNamed("calm-running-otter".into()),
            ModeEvent::Approved { mode: Mode::AcceptEdits, by: ChangedBy::User },
            ModeEvent::Set { to: Mode::Plan, by: ChangedBy::Model },
            ModeEvent::UserTurn,
        ],
    );
    assert_eq!(replay_mode(BARE, &entries).0, live.0);
}

fn user(text: &str, meta: bool) -> EntryBody {
    EntryBody::User { text: text.into(), images: vec![], meta, plan_content: None }
}

fn reminder(kind: ReminderKind) -> EntryBody {
    EntryBody::Reminder { kind: kind.name().into(), form: None, path: None, exists: None, text: "x".into() }
}

#[test]
fn pm_12_lost_line_never_grants_rights() {
    // The entry that turned plan mode on is lost; a reminder shows that it was on.
    let (state, _) = replay_mode(BARE, &[reminder(ReminderKind::PlanMode)]);
    assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(Mode::Default)));
    // The previous entry is lost; this one names the mode before.
    let (state, _) =
        replay_mode(ALL_OPEN, &[EntryBody::Mode { from: Mode::Auto, to: Mode::Plan, by: ChangedBy::User }]);
    assert_eq!(state.pre_plan_mode(), Some(Mode::Auto));
    let (state, _) =
        replay_mode(BARE, &[EntryBody::Mode { from: Mode::Plan, to: Mode::AcceptEdits, by: ChangedBy::User }]);
    assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::AcceptEdits, None));
}

#[test]
fn pm_13_entering_records_the_earlier_mode() {
    for before in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
        let (state, effects) = step(start(ALL_OPEN, before), set(Mode::Plan));
        assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(before)));
        assert_eq!(effects[0], ModeEffect::RecordChange { from: before, to: Mode::Plan, by: ChangedBy::User });
        assert!(effects.contains(&ModeEffect::PlanEntered));
        // Entering again has no effect, for every author.
        for by in [ChangedBy::User, ChangedBy::Host, ChangedBy::Model] {
            assert_eq!(step(state.clone(), ModeEvent::Set { to: Mode::Plan, by }), (state.clone(), vec![]));
        }
    }
}

#[test]
fn pm_13_entering_clears_the_exit_reminder() {
    let events = [set(Mode::Plan), reminded(), ModeEvent::Leave { to: None, by: ChangedBy::User }];
    let (state, _) = run(start(BARE, Mode::Default), events);
    assert!(state.needs_exit_reminder());
    assert!(!step(state, set(Mode::Plan)).0.needs_exit_reminder());
}

#[test]
fn pm_14_every_way_out_sets_the_flags() {
    for (name, event, to) in ways_out() {
        let (inside, _) = step(start(ALL_OPEN, Mode::AcceptEdits), set(Mode::Plan));
        let (state, effects) = step(step(inside.clone(), reminded()).0, event.clone());
        assert_eq!((state.mode(), state.pre_plan_mode()), (to, None), "{name}");
        assert!(state.needs_exit_reminder(), "{name}");
        let approved = matches!(event, ModeEvent::Approved { .. });
        assert_eq!(state.has_exited_plan(), approved, "{name}");
        assert!(step(state, ModeEvent::UserTurn).0.has_exited_plan(), "{name}");
        assert!(effects.contains(&ModeEffect::WithdrawApproval) && effects.contains(&ModeEffect::PlanLeft), "{name}");
        // Without a reminder in this stay, no exit reminder is needed.
        let (state, _) = run(inside, [event, ModeEvent::UserTurn]);
        assert!(!state.needs_exit_reminder() && !state.has_exited_plan(), "{name}");
    }
}

#[test]
fn pm_14_cycling_through_the_modes_is_no_exit() {
    let inside = run(start(BARE, Mode::Default), [set(Mode::Plan), ModeEvent::UserTurn, reminded()]).0;
    let round = [set(Mode::Default), ModeEvent::Cycle, ModeEvent::Cycle];
    let (state, _) = run(inside.clone(), round.clone());
    assert!(state.is_planning() && !state.has_exited_plan());
    // A turn in plan mode does not count, one outside does, also after several rounds.
    assert!(!step(state.clone(), ModeEvent::UserTurn).0.has_exited_plan());
    let outside = run(state, [set(Mode::Default), ModeEvent::UserTurn, set(Mode::Plan)]).0;
    assert!(outside.has_exited_plan());
    // The reminder of the new stay settles it.
    let settled = run(inside, round.into_iter().chain([reminded()])).0;
    assert!(!settled.has_exited_plan() && !step(settled, ModeEvent::UserTurn).0.has_exited_plan());
}

#[test]
fn pm_49_clear_drops_the_name() {
    let named = || ModeEvent::PlanNamed("calm-running-otter".into());
    let (state, _) = run(start(BARE, Mode::Default), [set(Mode::Plan), named(), reminded(), ModeEvent::Cleared]);
    assert_eq!((state.slug(), state.mode(), state.reminder_count()), (None, Mode::Plan, 0));
}

#[test]
fn pm_15_step_is_a_function() {
    for (_, event, _) in ways_out() {
        let (inside, _) = step(start(ALL_OPEN, Mode::AcceptEdits), set(Mode::Plan));
        assert_eq!(step(inside.clone(), event.clone()), step(inside, event));
    }
}

#[test]
fn pm_16_mode_changes_immediately() {
    let (state, _) = step(start(BARE, Mode::AcceptEdits), ModeEvent::Set { to: Mode::Plan, by: ChangedBy::Model });
    assert!(state.is_planning(), "the next decision uses this state");
}

#[test]
fn pm_17_user_can_always_leave_model_never() {
    for before in Mode::ALL {
        for setup in [BARE, ALL_OPEN] {
            let (inside, _) = step(start(setup, before), set(Mode::Plan));
            for event in [ModeEvent::Leave { to: None, by: ChangedBy::User }, set(Mode::Default), ModeEvent::Cycle] {
                let (state, effects) = step(inside.clone(), event);
                assert!(!state.is_planning() && !refused(&effects), "{before} {setup:?}");
            }
            let by = ChangedBy::Model;
            let others = Mode::ALL.into_iter().filter(|mode| *mode != Mode::Plan);
            let tries = others.flat_map(|to| [ModeEvent::Set { to, by }, ModeEvent::Approved { mode: to, by }]);
            for event in tries.chain([ModeEvent::Leave { to: None, by }]) {
                let (state, effects) = step(inside.clone(), event.clone());
                assert!(state == inside && refused(&effects), "{event:?}");
            }
        }
    }
    let (state, effects) = step(start(BARE, Mode::AcceptEdits), ModeEvent::Leave { to: None, by: ChangedBy::User });
    assert!(refused(&effects) && state.mode() == Mode::AcceptEdits);
}

#[test]
fn pm_17_model_gains_no_rights_outside_plan_mode() {
    for to in [Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
        let before = start(ALL_OPEN, Mode::Default);
        let (state, effects) = step(before.clone(), ModeEvent::Set { to, by: ChangedBy::Model });
        assert!(state == before && refused(&effects));
    }
}

#[test]
fn pm_18_calls_after_a_barrier_use_the_new_mode() {
    // [Write plan, ExitPlanMode, Write code]: each call is decided under the current mode.
    assert!(crate::plan::is_barrier("EnterPlanMode") && crate::plan::is_barrier("ExitPlanMode"));
    assert!(!crate::plan::is_barrier("Write"));
    let mut state = step(start(BARE, Mode::Default), set(Mode::Plan)).0;
    let mut seen = vec![state.mode()];
    state = step(state, ModeEvent::Approved { mode: Mode::AcceptEdits, by: ChangedBy::User }).0;
    seen.push(state.mode());
    state = step(state, ModeEvent::Set { to: Mode::Plan, by: ChangedBy::Model }).0;
    seen.push(state.mode());
    assert_eq!(seen, [Mode::Plan, Mode::AcceptEdits, Mode::Plan]);
}

#[test]
fn pm_26_start_in_plan_mode_records_the_base_mode() {
    let check = |setup, base, asked, mode, pre, from| {
        let (state, effects) = ModeState::start(setup, base, asked);
        assert_eq!((state.mode(), state.pre_plan_mode()), (mode, pre), "{base} {asked}");
        let records: Vec<_> =
            effects.iter().filter(|effect| matches!(effect, ModeEffect::RecordChange { .. })).collect();
        let expected = ModeEffect::RecordChange { from, to: mode, by: ChangedBy::Start };
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
fn pm_49_fork_repeats_the_reminder_with_its_file() {
    let named = |slug: &str| ModeEvent::PlanNamed(slug.into());
    let told = run(start(BARE, Mode::Plan), [named("a"), ModeEvent::UserTurn, reminded()]).0;
    assert_eq!(told.reminder_count(), 1);
    assert_eq!(run(told.clone(), [named("a")]).0.reminder_count(), 1, "the same name changes nothing");
    let forked = run(told, [named("b")]).0;
    assert_eq!((forked.reminder_count(), forked.slug(), forked.was_reminded()), (0, Some("b"), true));
}

#[test]
fn pm_64_plan_mode_binds_a_subagent_until_it_ends() {
    let mut free = AgentMode::start(Some(Mode::AcceptEdits), Mode::Default, 3);
    assert_eq!(free.mode_for_decision(Mode::Default, 3), Mode::AcceptEdits);
    assert_eq!(free.mode_for_decision(Mode::Plan, 4), Mode::Plan);
    assert_eq!(free.mode_for_decision(Mode::BypassPermissions, 4), Mode::Plan);
    let mut born_in_plan = AgentMode::start(Some(Mode::BypassPermissions), Mode::Plan, 4);
    assert_eq!(born_in_plan.mode_for_decision(Mode::Default, 4), Mode::Plan);
    let mut missed_it = AgentMode::start(Some(Mode::BypassPermissions), Mode::Default, 4);
    assert_eq!(missed_it.mode_for_decision(Mode::Default, 5), Mode::Plan);
    let mut follows = AgentMode::start(None, Mode::BypassPermissions, 0);
    assert_eq!(follows.mode_for_decision(Mode::Default, 0), Mode::Default);
}

#[test]
fn pm_80_approval_only_leaves_the_current_plan_mode() {
    let outside = start(ALL_OPEN, Mode::Default);
    let inside = step(outside.clone(), set(Mode::Plan)).0;
    let approved = |mode| ModeEvent::Approved { mode, by: ChangedBy::User };
    // If it toggled the mode, an approval would turn plan mode on here.
    for (state, mode) in [(outside.clone(), Mode::AcceptEdits), (outside, Mode::Plan), (inside, Mode::Plan)] {
        let (after, effects) = step(state.clone(), approved(mode));
        assert!(after == state && refused(&effects));
    }
}

#[test]
fn pm_83_unavailable_earlier_mode_becomes_default() {
    let lost = |effects: &[ModeEffect], name: &str| {
        let notice = effects.iter().find_map(|effect| match effect {
            ModeEffect::Notice { text } => Some(text.as_str()),
            _ => None,
        });
        assert!(notice.is_some_and(|text| text.contains("default") && text.contains(name)), "{effects:?}");
    };
    let ways = || {
        [
            ModeEvent::Leave { to: None, by: ChangedBy::User },
            ModeEvent::Approved { mode: Mode::Default, by: ChangedBy::Host },
        ]
    };
    for way in ways() {
        let events = [set(Mode::Plan), ModeEvent::AutoChanged(AutoModeGate { gate_open: false, ..auto(true) }), way];
        let (state, effects) = run(start(ALL_OPEN, Mode::Auto), events);
        assert_eq!(state.mode(), Mode::Default);
        lost(&effects, "auto");
    }
    for way in ways() {
        let entries = [EntryBody::Mode { from: Mode::BypassPermissions, to: Mode::Plan, by: ChangedBy::User }];
        let (state, effects) = step(replay_mode(BARE, &entries).0, way);
        assert_eq!(state.mode(), Mode::Default);
        lost(&effects, "bypassPermissions");
    }
    // While plan mode is on, the earlier mode is kept: the gate may open again.
    let closed = ModeEvent::AutoChanged(AutoModeGate { gate_open: false, ..auto(true) });
    let events = [
        set(Mode::Plan),
        closed,
        ModeEvent::AutoChanged(auto(true)),
        ModeEvent::Leave { to: None, by: ChangedBy::User },
    ];
    let (state, effects) = run(start(ALL_OPEN, Mode::Auto), events);
    assert!(state.mode() == Mode::Auto && !effects.iter().any(|effect| matches!(effect, ModeEffect::Notice { .. })));
    // The choice to leave leads to the mode that it named when the plan was shown.
    let closed = ModeEvent::AutoChanged(AutoModeGate { gate_open: false, ..auto(true) });
    let leave = ModeEvent::Leave { to: Some(Mode::Default), by: ChangedBy::User };
    let (state, _) =
        run(start(ALL_OPEN, Mode::Auto), [set(Mode::Plan), closed, ModeEvent::AutoChanged(auto(true)), leave]);
    assert_eq!(state.mode(), Mode::Default);
    // Choosing another mode gives no notice.
    let (_, effects) = step(replay_mode(BARE, &[reminder(ReminderKind::PlanMode)]).0, set(Mode::AcceptEdits));
    assert!(!effects.iter().any(|effect| matches!(effect, ModeEffect::Notice { .. })));
}

#[test]
fn pm_83_resume_avoids_unavailable_modes() {
    for mode in [Mode::Auto, Mode::BypassPermissions] {
        let (state, effects) =
            replay_mode(BARE, &[EntryBody::Mode { from: Mode::Default, to: mode, by: ChangedBy::User }]);
        assert!(state.mode() == Mode::Default && !state.auto_active());
        assert!(effects.iter().any(|effect| matches!(effect, ModeEffect::Notice { .. })), "{effects:?}");
    }
}

#[test]
fn pm_100_failed_mode_change_keeps_the_old_mode() {
    for to in [Mode::Auto, Mode::BypassPermissions] {
        for before in [Mode::Default, Mode::Plan] {
            let state = start(BARE, before);
            let (after, effects) = step(state.clone(), ModeEvent::Set { to, by: ChangedBy::Host });
            assert!(after == state && refused(&effects), "{before} → {to}");
        }
    }
}

#[test]
fn pm_120_auto_needs_the_opt_in_and_the_open_gate() {
    let check = |opted_in, gate_open, expected: bool| {
        let setup = ModeSetup { auto: AutoModeGate { opted_in, gate_open, in_plan: true }, ..BARE };
        let (state, _) = step(start(setup, Mode::Default), set(Mode::Auto));
        assert_eq!((state.mode() == Mode::Auto, state.auto_active()), (expected, expected));
    };
    check(true, true, true);
    check(true, false, false);
    check(false, true, false);
    check(false, false, false);
    // If the gate closes in auto mode, the session falls back to default mode.
    let closed = AutoModeGate { gate_open: false, ..auto(true) };
    let (state, effects) = step(start(ALL_OPEN, Mode::Auto), ModeEvent::AutoChanged(closed));
    assert!(state.mode() == Mode::Default && state.needs_auto_exit_reminder());
    assert!(effects.contains(&ModeEffect::RestoreRules));
}

/// The part of the effects that is about rules.
fn rules(effects: &[ModeEffect]) -> Vec<ModeEffect> {
    let about = |effect: &&ModeEffect| matches!(effect, ModeEffect::SuspendRules | ModeEffect::RestoreRules);
    effects.iter().filter(about).cloned().collect()
}

#[test]
fn pm_121_entering_plan_mode_row_by_row() {
    let check = |before: Mode, uses: bool, active: bool, expected: &[ModeEffect], told: bool| {
        let (state, effects) = step(start(with_auto(auto(uses)), before), set(Mode::Plan));
        let row = format!("{before}, plan uses auto: {uses}");
        assert_eq!(state.pre_plan_mode(), Some(if before == Mode::Plan { Mode::Default } else { before }), "{row}");
        assert_eq!((state.auto_active(), state.needs_auto_exit_reminder()), (active, told), "{row}");
        assert_eq!(rules(&effects), expected, "{row}");
    };
    use ModeEffect::{RestoreRules, SuspendRules};
    check(Mode::Plan, true, true, &[], false);
    check(Mode::Plan, false, false, &[], false);
    check(Mode::Auto, true, true, &[], false);
    check(Mode::Auto, false, false, &[RestoreRules], true);
    check(Mode::Default, true, true, &[SuspendRules], false);
    check(Mode::AcceptEdits, true, true, &[SuspendRules], false);
    check(Mode::BypassPermissions, true, false, &[], false);
    check(Mode::BypassPermissions, false, false, &[], false);
    check(Mode::Default, false, false, &[], false);
    check(Mode::AcceptEdits, false, false, &[], false);
}

#[test]
fn pm_122_setting_changes_in_plan_mode_row_by_row() {
    let check = |before: Mode, from: bool, to: AutoModeGate, active: bool, expected: &[ModeEffect]| {
        let inside = step(start(with_auto(auto(from)), before), set(Mode::Plan)).0;
        let (state, effects) = step(inside, ModeEvent::AutoChanged(to));
        assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(before)));
        assert_eq!(state.auto_active(), active, "{before} {from} {to:?}");
        assert_eq!(rules(&effects), expected, "{before} {from} {to:?}");
    };
    use ModeEffect::{RestoreRules, SuspendRules};
    check(Mode::Default, true, auto(true), true, &[SuspendRules]);
    check(Mode::Auto, true, auto(true), true, &[SuspendRules]);
    check(Mode::Default, false, auto(true), true, &[SuspendRules]);
    check(Mode::AcceptEdits, true, auto(false), false, &[RestoreRules]);
    check(Mode::Auto, true, AutoModeGate { gate_open: false, ..auto(true) }, false, &[RestoreRules]);
    check(Mode::Default, true, AutoModeGate { opted_in: false, ..auto(true) }, false, &[RestoreRules]);
    check(Mode::Default, false, auto(false), false, &[]);
    check(Mode::BypassPermissions, false, auto(true), false, &[]);
    check(Mode::BypassPermissions, true, auto(true), false, &[]);
}

#[test]
fn pm_123_leaving_restores_rules_and_reminds_once() {
    let check = |before: Mode, uses: bool, to: Mode, expected: &[ModeEffect], told: bool| {
        let setup = with_auto(auto(uses));
        // The model already got the reminder about entering.
        let inside = step(start(setup, before), set(Mode::Plan)).0;
        let inside = step(inside, ModeEvent::ReminderSent(ReminderKind::AutoModeExit)).0;
        let (state, effects) = step(inside, set(to));
        assert_eq!(rules(&effects), expected, "{before} {uses} → {to}");
        assert_eq!((state.auto_active(), state.needs_auto_exit_reminder()), (to == Mode::Auto, told));
        let told = step(state, ModeEvent::ReminderSent(ReminderKind::AutoModeExit)).0;
        assert!(!told.needs_auto_exit_reminder());
    };
    use ModeEffect::{RestoreRules, SuspendRules};
    check(Mode::Auto, true, Mode::Auto, &[SuspendRules], false);
    check(Mode::Auto, false, Mode::Auto, &[SuspendRules], false);
    check(Mode::Default, true, Mode::Auto, &[SuspendRules], false);
    check(Mode::Auto, true, Mode::Default, &[RestoreRules], true);
    check(Mode::Default, true, Mode::Default, &[RestoreRules], true);
    check(Mode::AcceptEdits, true, Mode::BypassPermissions, &[RestoreRules], true);
    check(Mode::Default, false, Mode::AcceptEdits, &[], false);
    check(Mode::BypassPermissions, true, Mode::BypassPermissions, &[], false);
    // Turned on again before the reminder was sent: none is due.
    let (state, _) = run(start(ALL_OPEN, Mode::Auto), [set(Mode::Default), set(Mode::Auto)]);
    assert!(!state.needs_auto_exit_reminder());
}

proptest::proptest! {
    /// PM-64: once plan mode was on, the agent stays in it, whatever its own and the session's mode.
    #[test]
    fn pm_64_agents_never_regain_rights(own in 0usize..6, modes in proptest::collection::vec((0usize..5, proptest::bool::ANY), 1..12)) {
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
            // Plan mode may be entered and left between two decisions.
            if decides {
                let decided = agent.mode_for_decision(mode, stays);
                proptest::prop_assert_eq!(decided == Mode::Plan, planned || own == Some(Mode::Plan));
                proptest::prop_assert!(planned || decided == own.unwrap_or(mode));
            }
        }
    }
}

#[test]
fn pc_20_the_scope_survives_a_resume() {
    let scope = crate::plan::scope::PlanScope { files: vec!["src/a.rs".into()], ..Default::default() };
    let entry = EntryBody::Scope { scope: Some(scope.clone()) };
    let (state, _) =
        replay_mode(BARE, [&entry, &EntryBody::Compaction { summary: String::new(), kept: String::new() }]);
    assert_eq!(state.scope(), Some(&scope));
    // Plan mode denies every write by itself.
    assert_eq!(step(state.clone(), set(Mode::Plan)).0.scope(), None);
    let (ended, _) = replay_mode(BARE, [&entry, &EntryBody::Scope { scope: None }]);
    assert_eq!(ended.scope(), None);
    let line = serde_json::to_string(&entry).expect("JSON");
    assert_eq!(serde_json::from_str::<EntryBody>(&line).expect("an entry"), entry);
}

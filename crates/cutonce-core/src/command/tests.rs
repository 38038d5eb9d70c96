//! Section 3 of the contract: what is typed, said, shown and sent.

use super::*;
use crate::mode::{Setup, step};

fn state(mode: Mode) -> State {
    State::start(Setup::default(), Mode::Default, mode).0
}

fn plan() -> Found {
    Found::Plan("# Plan\n".into())
}

fn run(line: &str, mode: Mode, found: &Found) -> Outcome {
    outcome(parse(line).unwrap(), &state(mode), found, Some("vim"))
}

fn enter() -> Option<Event> {
    Some(Event::Set { to: Mode::Plan, by: By::User })
}

#[test]
fn pm_20_plan_enters_and_sends_nothing() {
    for mode in [Mode::Default, Mode::AcceptEdits] {
        for found in [Found::Nothing, plan()] {
            let expected = Outcome { event: enter(), say: Some("Enabled plan mode".into()), ..Outcome::default() };
            assert_eq!(run("/plan", mode, &found), expected);
            assert_eq!(run("  /plan  ", mode, &found), expected);
        }
    }
}

#[test]
fn pm_21_a_description_is_sent_at_once() {
    let check = |line: &str, sent: &str| {
        let expected = Outcome {
            event: enter(),
            say: Some("Enabled plan mode".into()),
            send: Some(sent.into()),
            ..Outcome::default()
        };
        assert_eq!(run(line, Mode::Default, &Found::Nothing), expected, "{line:?}");
    };
    check("/plan add a delete button", "add a delete button");
    check("/plan\tadd\n  two lines", "add\n  two lines");
    check("/plan off the record", "off the record");
    check("/plan OFF", "OFF");
}

#[test]
fn pm_22_open_outside_plan_mode_only_enters() {
    let outcome = run("/plan open", Mode::Default, &plan());
    assert_eq!((outcome.event, outcome.open, outcome.send), (enter(), false, None));
    assert_eq!(run("/plan open the door", Mode::Default, &plan()).send.as_deref(), Some("open the door"));
    assert_eq!(parse("/plan Open"), Some(Command::Plan(PlanCommand::Describe("Open".into()))));
}

#[test]
fn pm_23_in_plan_mode_without_a_plan() {
    let unreadable = Found::Unreadable("denied".into());
    for line in ["/plan", "/plan open"] {
        for found in [&Found::Nothing, &unreadable] {
            let say = Some("Already in plan mode. No plan written yet.".into());
            assert_eq!(run(line, Mode::Plan, found), Outcome { say, ..Outcome::default() });
        }
    }
    let outcome = run("/plan add it", Mode::Plan, &Found::Nothing);
    assert_eq!((outcome.event, outcome.send.as_deref()), (None, Some("add it")));
}

#[test]
fn pm_24_in_plan_mode_with_a_plan() {
    let shown = |line: &str, editor: Option<&str>| outcome(parse(line).unwrap(), &state(Mode::Plan), &plan(), editor);
    let plain = shown("/plan", Some("vim"));
    let show = plain.show.clone().unwrap();
    assert_eq!((show.plan.as_str(), CURRENT_PLAN), ("# Plan\n", "Current Plan"));
    assert!(show.hint.is_some_and(|hint| hint.contains("/plan open") && hint.contains("vim")));
    assert_eq!((plain.event, plain.say, plain.open, plain.send), (None, None, false, None));
    assert_eq!(shown("/plan", None).show.and_then(|show| show.hint), None);
    let described = shown("/plan also logout", None);
    assert!(described.show.is_some() && described.send.as_deref() == Some("also logout") && described.event.is_none());
}

#[test]
fn pm_25_open_in_plan_mode_with_a_plan() {
    assert_eq!(run("/plan open", Mode::Plan, &plan()), Outcome { open: true, ..Outcome::default() });
    assert_eq!(opened("/p.md"), "Opened plan in editor: /p.md");
    assert_eq!(not_opened("no editor"), "Failed to open plan in editor: no editor");
}

#[test]
fn pm_26_mode_goes_through_the_machine() {
    let outcome = run("/mode plan", Mode::AcceptEdits, &Found::Nothing);
    assert_eq!(outcome.event, enter());
    let (inside, _) = step(state(Mode::AcceptEdits), outcome.event.unwrap());
    assert_eq!(inside.pre_plan_mode(), Some(Mode::AcceptEdits));
    let check = |line: &str, event: Option<Event>, part: &str| {
        let outcome = run(line, Mode::Plan, &Found::Nothing);
        assert_eq!(outcome.event, event, "{line}");
        assert!(outcome.say.as_ref().is_some_and(|say| say.contains(part)), "{line}: {outcome:?}");
        assert_eq!(outcome.send, None);
    };
    check("/mode default", Some(Event::Set { to: Mode::Default, by: By::User }), "now default");
    check("/mode plan", None, "Already");
    check("/mode", None, "The mode is plan");
    check("/mode yolo", None, "acceptEdits");
    check("/mode bypassPermissions", None, "not available");
    check("/mode auto", None, "auto.enabled");
}

#[test]
fn pm_17_plan_off() {
    let outcome = run("/plan off", Mode::Plan, &plan());
    assert_eq!(outcome.event, Some(Event::Leave { by: By::User }));
    assert!(outcome.say.is_some_and(|say| say.contains("default")) && outcome.send.is_none());
    let outside = run("/plan off", Mode::AcceptEdits, &plan());
    assert_eq!((outside.event, outside.send), (None, None));
    assert!(outside.say.is_some_and(|say| say.contains("Not in plan mode")));
}

#[test]
fn other_lines_are_not_ours() {
    for line in ["", "/", "plan", "/planning", "/plans", "/Plan", "say /plan", "/modes", "/model x"] {
        assert_eq!(parse(line), None, "{line:?}");
    }
}

//! Section 3 of the contract: commands and their outcomes.

use super::*;
use crate::commands::{Frontend, SlashLine, parse_line};
use crate::mode::{ModeSetup, step};

fn state(mode: Mode) -> ModeState {
    ModeState::start(ModeSetup::default(), Mode::Default, mode).0
}

fn parse(line: &str) -> Option<ModeCommand> {
    match parse_line(Frontend::Terminal, line)? {
        SlashLine::BuiltIn(command, words) => ModeCommand::from_slash(command, words),
        SlashLine::Custom(..) | SlashLine::Text => None,
    }
}

fn plan() -> PlanContent {
    PlanContent::Text("# Plan\n".into())
}

fn run(line: &str, mode: Mode, found: &PlanContent) -> CommandOutcome {
    evaluate_command(parse(line).unwrap(), &state(mode), found, Some("vim"))
}

fn enter() -> Option<ModeEvent> {
    Some(ModeEvent::Set { to: Mode::Plan, by: ChangedBy::User })
}

#[test]
fn pm_20_plan_enters_and_sends_nothing() {
    for mode in [Mode::Default, Mode::AcceptEdits] {
        for found in [PlanContent::Missing, plan()] {
            let expected =
                CommandOutcome { event: enter(), reply: Some("Enabled plan mode".into()), ..CommandOutcome::default() };
            assert_eq!(run("/plan", mode, &found), expected);
            assert_eq!(run("  /plan  ", mode, &found), expected);
        }
    }
}

#[test]
fn pm_21_description_is_sent_at_once() {
    let check = |line: &str, sent: &str| {
        let expected = CommandOutcome {
            event: enter(),
            reply: Some("Enabled plan mode".into()),
            send_message: Some(sent.into()),
            ..CommandOutcome::default()
        };
        assert_eq!(run(line, Mode::Default, &PlanContent::Missing), expected, "{line:?}");
    };
    check("/plan add a delete button", "add a delete button");
    check("/plan\tadd\n  two lines", "add\n  two lines");
    check("/plan off the record", "off the record");
    check("/plan OFF", "OFF");
}

#[test]
fn pm_22_open_outside_plan_mode_only_enters() {
    let outcome = run("/plan open", Mode::Default, &plan());
    assert_eq!((outcome.event, outcome.open_editor, outcome.send_message), (enter(), false, None));
    assert_eq!(run("/plan open the door", Mode::Default, &plan()).send_message.as_deref(), Some("open the door"));
    assert_eq!(parse("/plan Open"), Some(ModeCommand::Plan(PlanCommand::Describe("Open".into()))));
}

#[test]
fn pm_23_in_plan_mode_without_a_plan() {
    for line in ["/plan", "/plan open"] {
        let reply = Some("Already in plan mode. No plan written yet.".into());
        let expected = CommandOutcome { reply, ..CommandOutcome::default() };
        assert_eq!(run(line, Mode::Plan, &PlanContent::Missing), expected);
    }
    let outcome = run("/plan add it", Mode::Plan, &PlanContent::Missing);
    assert_eq!((outcome.event, outcome.send_message.as_deref()), (None, Some("add it")));
}

#[test]
fn pm_43_unreadable_plan_is_named_as_such() {
    let unreadable = PlanContent::Unreadable("not UTF-8 after byte 3".into());
    for line in ["/plan", "/plan open"] {
        let outcome = run(line, Mode::Plan, &unreadable);
        let reply = outcome.reply.unwrap();
        assert!(reply.contains("can't be read: not UTF-8 after byte 3") && !reply.contains("No plan"), "{reply}");
        assert!(!outcome.open_editor && outcome.show_plan.is_none());
    }
}

#[test]
fn pm_24_in_plan_mode_with_a_plan() {
    let shown =
        |line: &str, editor: Option<&str>| evaluate_command(parse(line).unwrap(), &state(Mode::Plan), &plan(), editor);
    let plain = shown("/plan", Some("vim"));
    let show = plain.show_plan.clone().unwrap();
    assert_eq!((show.plan.as_str(), CURRENT_PLAN), ("# Plan\n", "Current Plan"));
    assert!(show.hint.is_some_and(|hint| hint.contains("/plan open") && hint.contains("vim")));
    assert_eq!((plain.event, plain.reply, plain.open_editor, plain.send_message), (None, None, false, None));
    assert_eq!(shown("/plan", None).show_plan.and_then(|show| show.hint), None);
    let described = shown("/plan also logout", None);
    assert!(
        described.show_plan.is_some()
            && described.send_message.as_deref() == Some("also logout")
            && described.event.is_none()
    );
}

#[test]
fn pm_25_open_in_plan_mode_with_a_plan() {
    assert_eq!(
        run("/plan open", Mode::Plan, &plan()),
        CommandOutcome { open_editor: true, ..CommandOutcome::default() }
    );
    assert_eq!(editor_opened("/p.md"), "Opened plan in editor: /p.md");
    assert_eq!(editor_failed("no editor"), "Failed to open plan in editor: no editor");
}

#[test]
fn pm_26_mode_command_uses_the_mode_machine() {
    let outcome = run("/mode plan", Mode::AcceptEdits, &PlanContent::Missing);
    assert_eq!(outcome.event, enter());
    let (inside, _) = step(state(Mode::AcceptEdits), outcome.event.unwrap());
    assert_eq!(inside.pre_plan_mode(), Some(Mode::AcceptEdits));
    let check = |line: &str, event: Option<ModeEvent>, part: &str| {
        let outcome = run(line, Mode::Plan, &PlanContent::Missing);
        assert_eq!(outcome.event, event, "{line}");
        assert!(outcome.reply.as_ref().is_some_and(|say| say.contains(part)), "{line}: {outcome:?}");
        assert_eq!(outcome.send_message, None);
    };
    check("/mode default", Some(ModeEvent::Set { to: Mode::Default, by: ChangedBy::User }), "now default");
    check("/mode plan", None, "Already");
    check("/mode", None, "The mode is plan");
    check("/mode yolo", None, "acceptEdits");
    check("/mode bypassPermissions", None, "not available");
    check("/mode auto", None, "auto.enabled");
}

#[test]
fn pm_17_plan_off() {
    let outcome = run("/plan off", Mode::Plan, &plan());
    assert_eq!(outcome.event, Some(ModeEvent::Leave { to: None, by: ChangedBy::User }));
    assert!(outcome.reply.is_some_and(|say| say.contains("default")) && outcome.send_message.is_none());
    let outside = run("/plan off", Mode::AcceptEdits, &plan());
    assert_eq!((outside.event, outside.send_message), (None, None));
    assert!(outside.reply.is_some_and(|say| say.contains("Not in plan mode")));
}

#[test]
fn other_lines_are_not_commands() {
    for line in ["", "/", "plan", "/planning", "/plans", "/Plan", "say /plan", "/modes", "/model x"] {
        assert_eq!(parse(line), None, "{line:?}");
    }
}

#[test]
fn pc_41_submit_names_a_plan_or_nothing() {
    let parsed = |line: &str| match parse(line) {
        Some(ModeCommand::Plan(command)) => command,
        other => panic!("{other:?}"),
    };
    assert_eq!(parsed("/plan submit"), PlanCommand::Submit(None));
    assert_eq!(parsed("/plan submit calm-sea-fox"), PlanCommand::Submit(Some("calm-sea-fox".into())));
    assert_eq!(parsed("/plan amend"), PlanCommand::Amend);
    for task in ["submit the form", "submit form", "amend the law"] {
        assert_eq!(parsed(&format!("/plan {task}")), PlanCommand::Describe(task.into()));
    }
    let outcome = run("/plan submit", Mode::Default, &plan());
    assert_eq!((outcome.act, outcome.event), (Some(PlanAct::Submit(None)), None));
    assert_eq!(run("/plan amend", Mode::Default, &plan()).event, enter());
}

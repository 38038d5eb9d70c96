//! Section 7 of the contract, as far as it is decided without files and faces.

use super::*;
use crate::mode::{AutoSettings, Event, Mode, Setup, replay, step};
use crate::submission::By;
use crate::transcript::Body;
use serde_json::{Value, json};

const PLAN: &str = "# Add login\n\n1. Write the form\n2. Test it\n";
const PATH: &str = "/home/u/.cutonce/plans/calm-running-otter.md";

pub(super) fn submission(ask_id: &str, found: Found) -> Submission {
    Submission {
        ask_id: ask_id.into(),
        revision: u32::from(found.text().is_some()),
        found,
        path: PATH.into(),
        layer: Layer::Sandbox,
        changed_files: vec![],
        shells: vec![],
    }
}

fn plan() -> Found {
    Found::Plan(PLAN.into())
}

fn setup() -> Setup {
    Setup { auto: AutoSettings { opted_in: true, gate_open: true, in_plan: false }, bypass_available: true }
}

fn in_plan(before: Mode) -> State {
    let state = State::start(setup(), Mode::Default, before).0;
    step(state, Event::Set { to: Mode::Plan, by: By::User }).0
}

fn ask(state: &State, found: Found) -> (Approval, Request) {
    let mut approval = Approval::default();
    match approval.submit(state, submission("ask1", found)) {
        Submitted::Ask(request) => (approval, *request),
        other => panic!("{other:?}"),
    }
}

fn answered(before: Mode, answer: Answer) -> Verdict {
    let state = in_plan(before);
    ask(&state, plan()).0.answer(&state, answer, &plan())
}

fn yes(choice: ChoiceKey) -> Answer {
    Answer::new("ask1", choice)
}

fn keys(request: &Request) -> Vec<ChoiceKey> {
    request.choices.iter().map(|choice| choice.key).collect()
}

#[test]
fn pm_70_a_host_may_bring_the_plan_back_changed() {
    let edited = Answer { plan: Some("# Other\n".into()), ..yes(ChoiceKey::Default) };
    let Verdict::Approved(approved) = answered(Mode::Default, edited) else { panic!() };
    assert_eq!((approved.plan.as_deref(), approved.edited), (Some("# Other\n"), true));
    // Brought back as it was, it is not edited; a single byte more, and it is.
    for (text, edited) in [(PLAN.to_string(), false), (format!("{PLAN}\n"), true)] {
        let answer = Answer { plan: Some(text.clone()), ..yes(ChoiceKey::Default) };
        let Verdict::Approved(approved) = answered(Mode::Default, answer) else { panic!() };
        assert_eq!((approved.plan, approved.edited), (Some(text), edited));
    }
}

#[test]
fn pm_71_the_tool_is_a_barrier() {
    assert!(crate::plan::is_barrier(crate::plan::EXIT));
}

#[test]
fn pm_72_outside_plan_mode_it_is_an_error_and_nobody_is_asked() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
        let state = State::start(setup(), Mode::Default, mode).0;
        let mut approval = Approval::default();
        let Submitted::Refused { result } = approval.submit(&state, submission("ask1", plan())) else { panic!() };
        assert!(result.contains("not in plan mode") && result.contains("go on with the implementation"));
        assert_eq!(approval, Approval::default());
    }
}

#[test]
fn pm_73_without_a_plan_only_leaving_is_asked() {
    let state = in_plan(Mode::Auto);
    let (mut approval, request) = ask(&state, Found::Nothing);
    assert_eq!((request.plan.as_deref(), request.sha256.as_deref()), (None, None));
    assert_eq!(keys(&request), [ChoiceKey::Restore, ChoiceKey::KeepPlanning]);
    assert_eq!(request.allowing().map(|choice| choice.mode), Some(Mode::Auto));
    assert_eq!(QUESTION, "Exit plan mode?");
    let verdict = approval.answer(&state, yes(ChoiceKey::AcceptEdits), &Found::Nothing);
    assert!(matches!(verdict, Verdict::NotApproved { .. }), "not offered: {verdict:?}");
}

#[test]
fn pm_73_an_unreadable_plan_is_an_error_that_names_path_and_cause() {
    let state = in_plan(Mode::Default);
    let mut approval = Approval::default();
    let unreadable = Found::of(Some(vec![b'#', 0xff]));
    let Submitted::Refused { result } = approval.submit(&state, submission("ask1", unreadable)) else { panic!() };
    assert!(result.contains(PATH) && result.contains("not UTF-8 after byte 1"), "{result}");
    assert!(approval.open().is_none());
}

#[test]
fn pm_74_choices_by_earlier_mode() {
    use ChoiceKey::{AcceptEdits, Clear, Default, KeepPlanning, Leave, Restore};
    let check = |before: Mode, expected: &[ChoiceKey]| {
        let (_, request) = ask(&in_plan(before), plan());
        assert_eq!(keys(&request), expected, "{before}");
        for choice in &request.choices {
            assert!(choice.label.ends_with(choice.mode.name()), "the label names the mode: {choice:?}");
        }
        let back = request.choice(Leave).map(|choice| choice.mode);
        assert_eq!(back, Some(before));
        assert_eq!(request.allowing().map(|choice| choice.mode), back);
    };
    check(Mode::Default, &[AcceptEdits, Default, Clear, KeepPlanning, Leave]);
    check(Mode::AcceptEdits, &[AcceptEdits, Default, Clear, KeepPlanning, Leave]);
    check(Mode::Auto, &[AcceptEdits, Default, Restore, Clear, KeepPlanning, Leave]);
    check(Mode::BypassPermissions, &[AcceptEdits, Default, Restore, Clear, KeepPlanning, Leave]);
}

#[test]
fn pm_74_each_choice_leads_to_its_mode() {
    let approved =
        |before: Mode, choice: ChoiceKey, mode: Option<Mode>| match answered(before, Answer { mode, ..yes(choice) }) {
            Verdict::Approved(approved) => Some((approved.mode, approved.clear)),
            _ => None,
        };
    for before in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
        assert_eq!(approved(before, ChoiceKey::AcceptEdits, None), Some((Mode::AcceptEdits, false)));
        assert_eq!(approved(before, ChoiceKey::Default, None), Some((Mode::Default, false)));
        assert_eq!(approved(before, ChoiceKey::Restore, None), Some((before, false)));
        assert_eq!(approved(before, ChoiceKey::Clear, None), Some((Mode::Default, true)));
        for with in [Mode::AcceptEdits, Mode::Default, before] {
            assert_eq!(approved(before, ChoiceKey::Clear, Some(with)), Some((with, true)));
        }
        assert_eq!(approved(before, ChoiceKey::KeepPlanning, None), None);
        let left = answered(before, yes(ChoiceKey::Leave));
        assert_eq!(left, Verdict::Leave { mode: before, comments: vec![], plan: None });
        // Never a mode that the choice did not name.
        assert_eq!(approved(before, ChoiceKey::AcceptEdits, Some(Mode::BypassPermissions)), None);
        assert_eq!(approved(before, ChoiceKey::Clear, Some(Mode::Plan)), None);
    }
    assert_eq!(approved(Mode::Default, ChoiceKey::Clear, Some(Mode::BypassPermissions)), None);
}

#[test]
fn pm_74_an_edit_is_saved_with_any_choice() {
    let edit = || Some("# Mine\n".to_string());
    for choice in [ChoiceKey::KeepPlanning, ChoiceKey::Leave] {
        match answered(Mode::Default, Answer { plan: edit(), ..yes(choice) }) {
            Verdict::KeepPlanning { plan, .. } | Verdict::Leave { plan, .. } => assert_eq!(plan, edit()),
            other => panic!("{other:?}"),
        }
    }
    let emptied = Answer { plan: Some(" \n".into()), ..yes(ChoiceKey::Default) };
    assert!(matches!(answered(Mode::Default, emptied), Verdict::AskAgain { .. }));
}

#[test]
fn pm_75_the_first_answer_counts() {
    let state = in_plan(Mode::Default);
    let (mut approval, _) = ask(&state, plan());
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Default), &plan()), Verdict::Approved(_)));
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::AcceptEdits), &plan()), Verdict::Ignored { .. }));
    // One for another request changes nothing: the right one still counts.
    let (mut approval, request) = ask(&state, plan());
    let other = approval.answer(&state, Answer::new("ask0", ChoiceKey::Default), &plan());
    assert!(matches!(other, Verdict::Ignored { .. }));
    assert_eq!(approval.open(), Some(&request));
}

#[test]
fn pm_76_without_an_approver() {
    let check = |found: Found, text: &str, exit_code: i32| {
        let end = headless(&found, PATH);
        assert!(end.text.contains(text) && end.exit_code == exit_code, "{end:?}");
    };
    check(plan(), PLAN, 0);
    check(Found::Nothing, "No plan", 1);
    check(Found::Unreadable("denied".into()), PATH, 1);
    assert!(no_approver(PATH).contains(PATH) && no_approver(PATH).contains("approve"));
}

fn approval_of(edited: bool) -> Approved {
    Approved {
        choice: ChoiceKey::Default,
        mode: Mode::Default,
        plan: Some(PLAN.into()),
        edited,
        notes: None,
        comments: vec![],
        clear: false,
    }
}

#[test]
fn pm_77_the_result_holds_the_plan_where_it_is_and_what_was_said() {
    let none = AtHand { todos: false, agents: false };
    let text = approved(&approval_of(false), PATH, none);
    assert!(text.contains("approved") && text.contains(PATH) && text.contains("default"));
    assert!(text.ends_with(&format!("\n\n## Approved Plan:\n{PLAN}")), "{text}");
    assert!(!text.contains("todo") && !text.contains("Agent"));
    let comment = QuotedComment { line: 3, quote: Some("1. Write the form".into()), text: "no frameworks".into() };
    let full = Approved { notes: Some("mind {path}".into()), comments: vec![comment], ..approval_of(true) };
    let text = approved(&full, PATH, AT_HAND);
    for part in ["todo list", "parallel", "mind {path}", "line 3", "1. Write the form", "no frameworks"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains(&format!("\n## Approved Plan (edited by user):\n{PLAN}")));
}

#[test]
fn pm_77_the_structured_result() {
    let none = AtHand { todos: false, agents: false };
    let check = |edited, at_hand, expected: Value| {
        assert_eq!(serde_json::to_value(ExitResult::approved(&approval_of(edited), PATH, at_hand)).unwrap(), expected);
    };
    check(false, none, json!({ "plan": PLAN, "isAgent": false, "filePath": PATH }));
    let full = json!({ "plan": PLAN, "isAgent": false, "filePath": PATH, "hasTaskTool": true, "planWasEdited": true });
    check(true, AT_HAND, full);
    let waiting =
        ExitResult { awaiting_leader_approval: Some(true), request_id: Some("r".into()), ..Default::default() };
    let json = serde_json::to_value(waiting).unwrap();
    assert_eq!((&json["awaitingLeaderApproval"], &json["requestId"]), (&json!(true), &json!("r")));
}

#[test]
fn pm_77_an_edit_that_could_not_be_saved_approves_nothing() {
    let state = in_plan(Mode::Default);
    let (mut approval, request) = ask(&state, plan());
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Default), &plan()), Verdict::Approved(_)));
    approval.reopen(request.clone());
    assert_eq!(approval.open(), Some(&request));
    assert!(unsaved(PATH, "disk full").contains("disk full") && unsaved(PATH, "x").contains("Nothing was approved"));
}

#[test]
fn pm_78_without_a_plan_the_result_says_only_that_plan_mode_is_left() {
    let state = in_plan(Mode::AcceptEdits);
    let (mut approval, _) = ask(&state, Found::Nothing);
    let Verdict::Approved(ok) = approval.answer(&state, yes(ChoiceKey::Restore), &Found::Nothing) else { panic!() };
    assert_eq!((ok.mode, ok.plan.as_deref(), ok.edited), (Mode::AcceptEdits, None, false));
    let text = approved(&ok, PATH, AT_HAND);
    assert!(text.contains("acceptEdits") && !text.contains("Plan:") && !text.contains("todo"), "{text}");
}

#[test]
fn pm_79_keep_planning_carries_feedback_and_comments_with_their_lines() {
    let comments = vec![
        Comment { line: 3, text: "which form?".into() },
        Comment { line: 99, text: "and logout?".into() },
        Comment { line: 0, text: "zero".into() },
        Comment { line: 1, text: "  ".into() },
    ];
    let answer = Answer { feedback: Some("too big".into()), comments, ..yes(ChoiceKey::KeepPlanning) };
    let Verdict::KeepPlanning { feedback, comments, plan } = answered(Mode::Auto, answer) else { panic!() };
    let quotes: Vec<_> = comments.iter().map(|comment| (comment.line, comment.quote.as_deref())).collect();
    assert_eq!(quotes, [(3, Some("1. Write the form")), (99, None), (0, None)]);
    assert_eq!(plan, None);
    let text = keep_planning(feedback.as_deref(), &comments, false, PATH);
    for part in ["too big", "line 3: `1. Write the form`", "which form?", "line 99", "Revise", "ExitPlanMode", PATH] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("edited the plan file"));
    assert!(keep_planning(None, &[], true, PATH).contains("edited the plan file; read it again"));
    assert!(keep_planning(None, &[], false, PATH).contains("no reason"));
}

#[test]
fn pm_80_whatever_is_no_explicit_approval_leaves_plan_mode_on() {
    let state = in_plan(Mode::BypassPermissions);
    let reasons = [
        NoAnswer::Escape,
        NoAnswer::Interrupted,
        NoAnswer::HostGone,
        NoAnswer::TimedOut,
        NoAnswer::Failed("pipe broke".into()),
        NoAnswer::Unreadable("choice: unknown variant".into()),
    ];
    for why in reasons {
        let (mut approval, _) = ask(&state, plan());
        let Some(Verdict::NotApproved { .. }) = approval.close(why.clone()) else { panic!("{why:?}") };
        let text = not_approved(&why, PATH);
        assert!(text.contains("not approved") && text.contains("still on") && text.contains(PATH), "{text}");
        assert!(matches!(approval.answer(&state, yes(ChoiceKey::Default), &plan()), Verdict::Ignored { .. }));
        // And it can be submitted again.
        assert!(matches!(approval.submit(&state, submission("ask2", plan())), Submitted::Ask(_)));
    }
}

#[test]
fn pm_80_an_unreadable_answer_is_no_approval() {
    let bad = [
        json!(null),
        json!("yes"),
        json!(true),
        json!({}),
        json!({ "askId": "ask1" }),
        json!({ "choice": "default" }),
        json!({ "askId": "ask1", "choice": "yes" }),
        json!({ "askId": "ask1", "choice": "approve" }),
        json!({ "askId": "ask1", "choice": null }),
        json!({ "askId": "ask1", "approved": true }),
        json!({ "askId": "ask1", "choice": "default", "mode": "yolo" }),
        json!({ "askId": "ask1", "choice": "default", "comments": [{ "line": -1, "text": "x" }] }),
        json!({ "askId": 1, "choice": "default" }),
    ];
    for value in bad {
        assert!(matches!(Answer::read(&value), Err(NoAnswer::Unreadable(_))), "{value}");
    }
}

#[test]
fn pm_80_a_mode_change_withdraws_the_request() {
    let state = in_plan(Mode::Default);
    // The session forgot to withdraw it, the user even came back: the answer still does nothing.
    for way in [Event::Cycle, Event::Leave { by: By::User }, Event::Set { to: Mode::AcceptEdits, by: By::Host }] {
        let (mut approval, _) = ask(&state, plan());
        let outside = step(state.clone(), way).0;
        assert!(matches!(approval.clone().answer(&outside, yes(ChoiceKey::Default), &plan()), Verdict::Ignored { .. }));
        let back = step(outside, Event::Set { to: Mode::Plan, by: By::User }).0;
        assert!(matches!(approval.answer(&back, yes(ChoiceKey::Default), &plan()), Verdict::Ignored { .. }));
    }
    let (mut approval, request) = ask(&state, plan());
    assert_eq!(approval.withdraw(), Some(request));
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Default), &plan()), Verdict::Ignored { .. }));
    assert!(withdrawn(Mode::AcceptEdits).contains("acceptEdits"));
}

#[test]
fn pm_81_clear_and_start_holds_the_plan_its_path_and_what_was_said() {
    let comment = QuotedComment { line: 3, quote: Some("1. Write the form".into()), text: "small".into() };
    let notes = Some("use the old colours".into());
    let text = implement(&Approved { notes, comments: vec![comment], clear: true, ..approval_of(false) }, PATH);
    for part in [PATH, "use the old colours", "small"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.ends_with(&format!("\n\n{PLAN}")));
}

#[test]
fn pm_82_a_subagent_is_told_that_nothing_was_approved() {
    let text = for_agent();
    assert!(text.contains("nothing else to do") && text.contains("\"ok\"") && text.contains("nothing was approved"));
}

#[test]
fn pm_83_a_choice_that_is_gone_meanwhile_becomes_default() {
    let state = in_plan(Mode::Auto);
    let (mut approval, request) = ask(&state, plan());
    assert_eq!(request.choice(ChoiceKey::Restore).map(|choice| choice.mode), Some(Mode::Auto));
    let closed = AutoSettings { gate_open: false, ..setup().auto };
    let state = step(state, Event::AutoChanged(closed)).0;
    let Verdict::Approved(ok) = approval.answer(&state, yes(ChoiceKey::Restore), &plan()) else { panic!() };
    assert_eq!(ok.mode, Mode::Default);
    // Asked now, it is not offered, and the request says why.
    let (_, request) = ask(&state, plan());
    assert_eq!(request.choice(ChoiceKey::Restore), None);
    assert!(request.notice.is_some_and(|notice| notice.contains("auto")));
}

#[test]
fn pm_84_what_was_approved_is_what_was_shown() {
    let state = in_plan(Mode::Default);
    let changed = [Found::Plan(format!("{PLAN}3. rm -rf\n")), Found::Nothing];
    for now in changed {
        for choice in [ChoiceKey::AcceptEdits, ChoiceKey::Default, ChoiceKey::Clear] {
            let (mut approval, _) = ask(&state, plan());
            let said = Answer { notes: Some("mine".into()), ..yes(choice) };
            let Verdict::AskAgain { answer, .. } = approval.answer(&state, said.clone(), &now) else { panic!() };
            assert_eq!(answer, said, "nothing that the user wrote is lost");
        }
        // Keeping on needs no agreement about the text, unless an edit would overwrite the newer one.
        let (mut approval, _) = ask(&state, plan());
        let kept = approval.answer(&state, yes(ChoiceKey::KeepPlanning), &now);
        assert!(matches!(kept, Verdict::KeepPlanning { .. }));
        let (mut approval, _) = ask(&state, plan());
        let edit = Answer { plan: Some("# Mine\n".into()), ..yes(ChoiceKey::KeepPlanning) };
        assert!(matches!(approval.answer(&state, edit, &now), Verdict::AskAgain { .. }));
    }
    // A plan that appeared after «there is none» was shown.
    let (mut approval, _) = ask(&state, Found::Nothing);
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Restore), &plan()), Verdict::AskAgain { .. }));
    let (mut approval, _) = ask(&state, plan());
    let broken = approval.answer(&state, yes(ChoiceKey::Default), &Found::Unreadable("denied".into()));
    assert!(matches!(broken, Verdict::NotApproved { .. }));
}

#[test]
fn pm_85_after_a_crash_it_is_there_again_unapproved() {
    // The entries of a session that was killed with the request open.
    let entries = [
        Body::Mode { from: Mode::Auto, to: Mode::Plan, by: By::User },
        Body::Ask { ask_id: "ask1".into(), kind: "plan".into(), answer: None },
    ];
    let (state, _) = replay(setup(), &entries);
    assert!(state.in_plan());
    let (mut approval, request) = ask(&state, plan());
    assert_eq!((request.ask_id.as_str(), request.plan.as_deref()), ("ask1", Some(PLAN)));
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Restore), &plan()), Verdict::Approved(_)));
}

#[test]
fn pm_86_the_same_plan_right_after_its_rejection_ends_the_turn() {
    let state = in_plan(Mode::Default);
    for found in [plan(), Found::Nothing] {
        let (mut approval, _) = ask(&state, found.clone());
        approval.answer(&state, yes(ChoiceKey::KeepPlanning), &found);
        let again = approval.submit(&state, submission("ask2", found.clone()));
        let Submitted::EndTurn { result, notice } = again else { panic!("{again:?}") };
        assert!(result.contains("rejected") && !notice.is_empty());
        assert!(approval.open().is_none(), "nobody is asked");
        // A changed plan is asked about, and so is the same one after the user said something.
        let other = Found::Plan("# Better\n".into());
        assert!(matches!(approval.clone().submit(&state, submission("ask2", other)), Submitted::Ask(_)));
        approval.user_message();
        assert!(matches!(approval.submit(&state, submission("ask2", found)), Submitted::Ask(_)));
    }
    // The user edited it and said to go on: that text, unchanged, is the rejected one.
    let (mut approval, _) = ask(&state, plan());
    let edit = Answer { plan: Some("# Mine\n".into()), ..yes(ChoiceKey::KeepPlanning) };
    approval.answer(&state, edit, &plan());
    let mine = submission("ask2", Found::Plan("# Mine\n".into()));
    assert!(matches!(approval.submit(&state, mine), Submitted::EndTurn { .. }));
}

#[test]
fn pm_86_a_plan_that_went_back_unseen_is_not_submitted_for_ever() {
    let state = in_plan(Mode::Default);
    let (mut approval, _) = ask(&state, plan());
    approval.send_back();
    assert!(approval.open().is_none());
    assert!(matches!(approval.submit(&state, submission("ask2", plan())), Submitted::EndTurn { .. }));
    let other = Found::Plan("# Better\n".into());
    assert!(matches!(approval.submit(&state, submission("ask2", other)), Submitted::Ask(_)));
}

#[test]
fn pm_87_the_request_states_layer_changed_files_and_shells() {
    let state = in_plan(Mode::Default);
    let submission = Submission {
        layer: Layer::Readonly,
        changed_files: vec!["src/a.rs".into()],
        shells: vec!["npm start".into()],
        ..submission("ask1", plan())
    };
    let Submitted::Ask(request) = Approval::default().submit(&state, submission) else { panic!() };
    let json = serde_json::to_value(&*request).unwrap();
    assert_eq!(json["layer"], "readonly");
    assert_eq!((&json["changedFiles"], &json["shells"]), (&json!(["src/a.rs"]), &json!(["npm start"])));
    assert!(Layer::Readonly.describe().contains("no sandbox"));
}

#[test]
fn pm_143_the_request_and_the_answer_in_a_hosts_words() {
    let (_, request) = ask(&in_plan(Mode::Auto), plan());
    let json = serde_json::to_value(&request).unwrap();
    assert_eq!((&json["askId"], &json["plan"], &json["planFilePath"]), (&json!("ask1"), &json!(PLAN), &json!(PATH)));
    assert_eq!((&json["sha256"], &json["revision"]), (&json!(crate::plan::sha256(PLAN)), &json!(1)));
    let choices: Vec<_> = json["choices"].as_array().unwrap().iter().map(|choice| choice["key"].clone()).collect();
    assert_eq!(choices, ["acceptEdits", "default", "restore", "clear", "keepPlanning", "leave"]);
    assert!(json["choices"].as_array().unwrap().iter().all(|choice| choice["label"].is_string()));
    let answer = json!({
        "askId": "ask1", "choice": "clear", "mode": "acceptEdits", "plan": "# P", "feedback": "f",
        "comments": [{ "line": 2, "text": "t" }], "notes": "n",
    });
    let read = Answer::read(&answer).unwrap();
    assert_eq!((read.choice, read.mode, read.comments[0].line), (ChoiceKey::Clear, Some(Mode::AcceptEdits), 2));
    assert_eq!(serde_json::to_value(read).unwrap(), answer);
    let short = Answer::read(&json!({ "askId": "ask1", "choice": "keepPlanning" })).unwrap();
    assert_eq!(short, Answer::new("ask1", ChoiceKey::KeepPlanning));
}

#[test]
fn pm_144_the_whole_flow_without_a_face() {
    let mut state = State::start(Setup::default(), Mode::Default, Mode::Default).0;
    state = step(state, Event::Set { to: Mode::Plan, by: By::Host }).0;
    let (mut approval, request) = ask(&state, plan());
    let answer = Answer::read(&json!({ "askId": request.ask_id, "choice": "acceptEdits" })).unwrap();
    let Verdict::Approved(ok) = approval.answer(&state, answer, &plan()) else { panic!() };
    state = step(state, Event::Approved { mode: ok.mode, by: By::Host }).0;
    assert_eq!(state.mode(), Mode::AcceptEdits);
    assert!(approved(&ok, PATH, AT_HAND).contains(PLAN));
}

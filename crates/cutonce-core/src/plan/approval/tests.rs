//! Section 7 of the contract, as far as it needs no files and no front end.

use super::*;
use crate::mode::{AutoModeGate, Mode, ModeEvent, ModeSetup, replay_mode, step};
use crate::protocol::submission::ChangedBy;
use crate::transcript::EntryBody;
use serde_json::{Value, json};

const PLAN: &str = "# Add login\n\n1. Write the form\n2. Test it\n";
const PATH: &str = "/home/u/.cutonce/plans/calm-running-otter.md";

pub(super) fn submission(ask_id: &str, found: PlanContent) -> PlanSubmission {
    PlanSubmission {
        ask_id: ask_id.into(),
        revision: u32::from(found.text().is_some()),
        content: found,
        path: PATH.into(),
        layer: EnforcementLevel::Sandbox,
        changed_files: vec![],
        shells: vec![],
        contacted_hosts: vec![],
        contract: None,
        freshness: None,
        scope_method: None,
        estimate: None,
        amends: None,
        fix_findings: false,
    }
}

fn plan() -> PlanContent {
    PlanContent::Text(PLAN.into())
}

fn setup() -> ModeSetup {
    ModeSetup { auto: AutoModeGate { opted_in: true, gate_open: true, in_plan: false }, bypass_available: true }
}

fn in_plan(before: Mode) -> ModeState {
    let state = ModeState::start(setup(), Mode::Default, before).0;
    step(state, ModeEvent::Set { to: Mode::Plan, by: ChangedBy::User }).0
}

fn ask(state: &ModeState, found: PlanContent) -> (PlanApprovalState, PlanExitRequest) {
    let mut approval = PlanApprovalState::default();
    match approval.submit(state, submission("ask1", found)) {
        SubmitOutcome::Ask(request) => (approval, *request),
        other => panic!("{other:?}"),
    }
}

fn answered(before: Mode, answer: PlanAnswer) -> PlanVerdict {
    let state = in_plan(before);
    ask(&state, plan()).0.answer(&state, answer, &plan(), None)
}

fn yes(choice: ChoiceKey) -> PlanAnswer {
    PlanAnswer::new("ask1", choice)
}

fn keys(request: &PlanExitRequest) -> Vec<ChoiceKey> {
    request.choices.iter().map(|choice| choice.key).collect()
}

#[test]
fn pm_70_host_may_return_a_changed_plan() {
    let edited = PlanAnswer { plan: Some("# Other\n".into()), ..yes(ChoiceKey::Default) };
    let PlanVerdict::Approved(approved) = answered(Mode::Default, edited) else { panic!() };
    assert_eq!((approved.plan.as_deref(), approved.edited), (Some("# Other\n"), true));
    // An unchanged plan is not edited; one more byte makes it edited.
    for (text, edited) in [(PLAN.to_string(), false), (format!("{PLAN}\n"), true)] {
        let answer = PlanAnswer { plan: Some(text.clone()), ..yes(ChoiceKey::Default) };
        let PlanVerdict::Approved(approved) = answered(Mode::Default, answer) else { panic!() };
        assert_eq!((approved.plan, approved.edited), (Some(text), edited));
    }
}

#[test]
fn pm_71_exit_plan_mode_is_a_barrier() {
    assert!(crate::plan::is_barrier(crate::plan::EXIT_PLAN_MODE));
}

#[test]
fn pm_72_outside_plan_mode_is_an_error() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions] {
        let state = ModeState::start(setup(), Mode::Default, mode).0;
        let mut approval = PlanApprovalState::default();
        let SubmitOutcome::Refused { result } = approval.submit(&state, submission("ask1", plan())) else { panic!() };
        assert!(result.contains("not in plan mode") && result.contains("continue with the implementation"));
        assert_eq!(approval, PlanApprovalState::default());
    }
}

#[test]
fn pm_73_without_a_plan_asks_only_about_leaving() {
    let state = in_plan(Mode::Auto);
    let (mut approval, request) = ask(&state, PlanContent::Missing);
    assert_eq!((request.plan.as_deref(), request.sha256.as_deref()), (None, None));
    assert_eq!(keys(&request), [ChoiceKey::Restore, ChoiceKey::KeepPlanning]);
    assert_eq!(request.default_approval().map(|choice| choice.mode), Some(Mode::Auto));
    assert_eq!(EXIT_QUESTION, "Exit plan mode?");
    let verdict = approval.answer(&state, yes(ChoiceKey::AcceptEdits), &PlanContent::Missing, None);
    assert!(matches!(verdict, PlanVerdict::NotApproved { .. }), "not offered: {verdict:?}");
}

#[test]
fn pm_73_unreadable_plan_error_names_path_and_cause() {
    let state = in_plan(Mode::Default);
    let mut approval = PlanApprovalState::default();
    let unreadable = PlanContent::from_bytes(Some(vec![b'#', 0xff]));
    let SubmitOutcome::Refused { result } = approval.submit(&state, submission("ask1", unreadable)) else { panic!() };
    assert!(result.contains(PATH) && result.contains("not UTF-8 after byte 1"), "{result}");
    assert!(approval.open_request().is_none());
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
        let back = request.find_choice(Leave).map(|choice| choice.mode);
        assert_eq!(back, Some(before));
        assert_eq!(request.default_approval().map(|choice| choice.mode), back);
    };
    check(Mode::Default, &[AcceptEdits, Default, Clear, KeepPlanning, Leave]);
    check(Mode::AcceptEdits, &[AcceptEdits, Default, Clear, KeepPlanning, Leave]);
    check(Mode::Auto, &[AcceptEdits, Default, Restore, Clear, KeepPlanning, Leave]);
    check(Mode::BypassPermissions, &[AcceptEdits, Default, Restore, Clear, KeepPlanning, Leave]);
}

#[test]
fn pm_74_each_choice_leads_to_its_mode() {
    let approved = |before: Mode, choice: ChoiceKey, mode: Option<Mode>| match answered(
        before,
        PlanAnswer { mode, ..yes(choice) },
    ) {
        PlanVerdict::Approved(approved) => Some((approved.mode, approved.clear)),
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
        assert_eq!(left, PlanVerdict::Leave { mode: before, comments: vec![], plan: None });
        // Never a mode that the choice did not name.
        assert_eq!(approved(before, ChoiceKey::AcceptEdits, Some(Mode::BypassPermissions)), None);
        assert_eq!(approved(before, ChoiceKey::Clear, Some(Mode::Plan)), None);
    }
    assert_eq!(approved(Mode::Default, ChoiceKey::Clear, Some(Mode::BypassPermissions)), None);
}

#[test]
fn pm_74_edit_is_saved_with_any_choice() {
    let edit = || Some("# Mine\n".to_string());
    for choice in [ChoiceKey::KeepPlanning, ChoiceKey::Leave] {
        match answered(Mode::Default, PlanAnswer { plan: edit(), ..yes(choice) }) {
            PlanVerdict::KeepPlanning { plan, .. } | PlanVerdict::Leave { plan, .. } => assert_eq!(plan, edit()),
            other => panic!("{other:?}"),
        }
    }
    let emptied = PlanAnswer { plan: Some(" \n".into()), ..yes(ChoiceKey::Default) };
    assert!(matches!(answered(Mode::Default, emptied), PlanVerdict::AskAgain { .. }));
}

#[test]
fn pm_75_first_answer_wins() {
    let state = in_plan(Mode::Default);
    let (mut approval, _) = ask(&state, plan());
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Default), &plan(), None), PlanVerdict::Approved(_)));
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::AcceptEdits), &plan(), None), PlanVerdict::Ignored { .. }));
    // An answer to another request changes nothing; the right one still applies.
    let (mut approval, request) = ask(&state, plan());
    let other = approval.answer(&state, PlanAnswer::new("ask0", ChoiceKey::Default), &plan(), None);
    assert!(matches!(other, PlanVerdict::Ignored { .. }));
    assert_eq!(approval.open_request(), Some(&request));
}

#[test]
fn pm_76_without_an_approver() {
    let check = |found: PlanContent, plan_wanted: bool, text: &str, exit_code: i32| {
        let end = headless_result(&found, PATH, "an answer", plan_wanted);
        assert!(end.text.contains(text) && end.exit_code == exit_code, "{end:?}");
    };
    for plan_wanted in [true, false] {
        check(plan(), plan_wanted, PLAN, 0);
        check(PlanContent::Unreadable("denied".into()), plan_wanted, PATH, 1);
    }
    check(PlanContent::Missing, true, "No plan", 1);
    // Research in plan mode just gets its answer.
    check(PlanContent::Missing, false, "an answer", 0);
    assert!(no_approver_result(PATH).contains(PATH) && no_approver_result(PATH).contains("approve"));
}

fn approval_of(edited: bool) -> ApprovedPlan {
    ApprovedPlan {
        choice: ChoiceKey::Default,
        mode: Mode::Default,
        plan: Some(PLAN.into()),
        edited,
        notes: None,
        comments: vec![],
        clear: false,
        terms: ApprovalTerms::default(),
        rehearsal: None,
    }
}

#[test]
fn pm_77_result_has_plan_path_notes_and_comments() {
    let none = ImplementationTools { todos: false, agents: false };
    let text = approved_result(&approval_of(false), PATH, none);
    assert!(text.contains("approved") && text.contains(PATH) && text.contains("default"));
    assert!(text.ends_with(&format!("\n\n## Approved Plan:\n{PLAN}")), "{text}");
    assert!(!text.contains("todo") && !text.contains("Agent"));
    let comment = QuotedComment { line: 3, quote: Some("1. Write the form".into()), text: "no frameworks".into() };
    let full = ApprovedPlan { notes: Some("mind {path}".into()), comments: vec![comment], ..approval_of(true) };
    let text = approved_result(&full, PATH, ALL_IMPLEMENTATION_TOOLS);
    for part in ["todo list", "parallel", "mind {path}", "line 3", "1. Write the form", "no frameworks"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains(&format!("\n## Approved Plan (edited by user):\n{PLAN}")));
}

#[test]
fn pm_77_structured_result() {
    let none = ImplementationTools { todos: false, agents: false };
    let check = |edited, at_hand, expected: Value| {
        assert_eq!(
            serde_json::to_value(PlanExitResult::approved(&approval_of(edited), PATH, at_hand)).unwrap(),
            expected
        );
    };
    check(false, none, json!({ "plan": PLAN, "isAgent": false, "filePath": PATH }));
    let full = json!({ "plan": PLAN, "isAgent": false, "filePath": PATH, "hasTaskTool": true, "planWasEdited": true });
    check(true, ALL_IMPLEMENTATION_TOOLS, full);
    let waiting =
        PlanExitResult { awaiting_leader_approval: Some(true), request_id: Some("r".into()), ..Default::default() };
    let json = serde_json::to_value(waiting).unwrap();
    assert_eq!((&json["awaitingLeaderApproval"], &json["requestId"]), (&json!(true), &json!("r")));
}

#[test]
fn pm_77_unsaved_edit_approves_nothing() {
    let error = unsaved_edit_error(PATH, "disk full");
    assert!(error.contains("disk full") && error.contains("Nothing was approved"), "{error}");
}

#[test]
fn pm_78_without_a_plan_result_says_only_left() {
    let state = in_plan(Mode::AcceptEdits);
    let (mut approval, _) = ask(&state, PlanContent::Missing);
    let PlanVerdict::Approved(ok) = approval.answer(&state, yes(ChoiceKey::Restore), &PlanContent::Missing, None)
    else {
        panic!()
    };
    assert_eq!((ok.mode, ok.plan.as_deref(), ok.edited), (Mode::AcceptEdits, None, false));
    let text = approved_result(&ok, PATH, ALL_IMPLEMENTATION_TOOLS);
    assert!(text.contains("acceptEdits") && !text.contains("Plan:") && !text.contains("todo"), "{text}");
}

#[test]
fn pm_79_keep_planning_carries_feedback_and_line_comments() {
    let comments = vec![
        LineComment { line: 3, text: "which form?".into() },
        LineComment { line: 99, text: "and logout?".into() },
        LineComment { line: 0, text: "zero".into() },
        LineComment { line: 1, text: "  ".into() },
    ];
    let answer = PlanAnswer { feedback: Some("too big".into()), comments, ..yes(ChoiceKey::KeepPlanning) };
    let PlanVerdict::KeepPlanning { feedback, comments, plan } = answered(Mode::Auto, answer) else { panic!() };
    let quotes: Vec<_> = comments.iter().map(|comment| (comment.line, comment.quote.as_deref())).collect();
    assert_eq!(quotes, [(3, Some("1. Write the form")), (99, None), (0, None)]);
    assert_eq!(plan, None);
    let text = keep_planning_result(feedback.as_deref(), &comments, false, true, PATH);
    for part in ["too big", "line 3: `1. Write the form`", "which form?", "line 99", "Revise", "ExitPlanMode", PATH] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("edited the plan file"));
    assert!(keep_planning_result(None, &[], true, true, PATH).contains("edited the plan file; read it again"));
    assert!(keep_planning_result(None, &[], false, true, PATH).contains("ask with AskUserQuestion"));
    assert!(keep_planning_result(None, &[], false, false, PATH).contains("gave no reason.\n"));
}

#[test]
fn pm_80_only_explicit_approval_leaves_plan_mode() {
    let state = in_plan(Mode::BypassPermissions);
    let reasons = [
        NoAnswer::Interrupted,
        NoAnswer::Failed("pipe broke".into()),
        NoAnswer::Unreadable("choice: unknown variant".into()),
    ];
    for why in reasons {
        let (mut approval, _) = ask(&state, plan());
        let Some(PlanVerdict::NotApproved { .. }) = approval.close_unanswered(why.clone()) else { panic!("{why:?}") };
        let text = not_approved_result(&why, PATH);
        assert!(text.contains("not approved") && text.contains("still on") && text.contains(PATH), "{text}");
        assert!(matches!(approval.answer(&state, yes(ChoiceKey::Default), &plan(), None), PlanVerdict::Ignored { .. }));
        // And it can be submitted again.
        assert!(matches!(approval.submit(&state, submission("ask2", plan())), SubmitOutcome::Ask(_)));
    }
}

#[test]
fn pm_80_unreadable_answer_is_not_an_approval() {
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
        assert!(matches!(PlanAnswer::from_json(&value), Err(NoAnswer::Unreadable(_))), "{value}");
    }
}

#[test]
fn pm_80_mode_change_withdraws_the_request() {
    let state = in_plan(Mode::Default);
    // Even if the session forgot to withdraw it and the user re-entered, the answer has no effect.
    for way in [
        ModeEvent::Cycle,
        ModeEvent::Leave { to: None, by: ChangedBy::User },
        ModeEvent::Set { to: Mode::AcceptEdits, by: ChangedBy::Host },
    ] {
        let (mut approval, _) = ask(&state, plan());
        let outside = step(state.clone(), way).0;
        assert!(matches!(
            approval.clone().answer(&outside, yes(ChoiceKey::Default), &plan(), None),
            PlanVerdict::Ignored { .. }
        ));
        let back = step(outside, ModeEvent::Set { to: Mode::Plan, by: ChangedBy::User }).0;
        assert!(matches!(approval.answer(&back, yes(ChoiceKey::Default), &plan(), None), PlanVerdict::Ignored { .. }));
    }
    let (mut approval, request) = ask(&state, plan());
    assert_eq!(approval.withdraw(), Some(request));
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Default), &plan(), None), PlanVerdict::Ignored { .. }));
    assert!(withdrawn_result(Mode::AcceptEdits).contains("acceptEdits"));
}

#[test]
fn pm_81_clear_and_start_has_plan_path_and_notes() {
    let comment = QuotedComment { line: 3, quote: Some("1. Write the form".into()), text: "small".into() };
    let notes = Some("use the old colours".into());
    let text =
        implement_message(&ApprovedPlan { notes, comments: vec![comment], clear: true, ..approval_of(false) }, PATH);
    for part in [PATH, "use the old colours", "small"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.ends_with(&format!("\n\n{PLAN}")));
}

#[test]
fn pm_82_subagent_result_says_nothing_was_approved() {
    let text = subagent_result();
    assert!(text.contains("nothing else to do") && text.contains("\"ok\"") && text.contains("nothing was approved"));
}

#[test]
fn pm_83_unavailable_choice_becomes_default() {
    let state = in_plan(Mode::Auto);
    let (mut approval, request) = ask(&state, plan());
    assert_eq!(request.find_choice(ChoiceKey::Restore).map(|choice| choice.mode), Some(Mode::Auto));
    let closed = AutoModeGate { gate_open: false, ..setup().auto };
    let state = step(state, ModeEvent::AutoChanged(closed)).0;
    let PlanVerdict::Approved(ok) = approval.answer(&state, yes(ChoiceKey::Restore), &plan(), None) else { panic!() };
    assert_eq!(ok.mode, Mode::Default);
    // A new request does not offer it and says why.
    let (_, request) = ask(&state, plan());
    assert_eq!(request.find_choice(ChoiceKey::Restore), None);
    assert!(request.notice.is_some_and(|notice| notice.contains("auto")));
}

#[test]
fn pm_84_approved_plan_is_the_shown_plan() {
    let state = in_plan(Mode::Default);
    let changed = [PlanContent::Text(format!("{PLAN}3. rm -rf\n")), PlanContent::Missing];
    for now in changed {
        for choice in [ChoiceKey::AcceptEdits, ChoiceKey::Default, ChoiceKey::Clear] {
            let (mut approval, _) = ask(&state, plan());
            let said = PlanAnswer { notes: Some("mine".into()), ..yes(choice) };
            let PlanVerdict::AskAgain { answer, .. } = approval.answer(&state, said.clone(), &now, None) else {
                panic!()
            };
            assert_eq!(answer, said, "nothing that the user wrote is lost");
        }
        // "Keep planning" accepts a changed file, unless an edit would overwrite it.
        let (mut approval, _) = ask(&state, plan());
        let kept = approval.answer(&state, yes(ChoiceKey::KeepPlanning), &now, None);
        assert!(matches!(kept, PlanVerdict::KeepPlanning { .. }));
        let (mut approval, _) = ask(&state, plan());
        let edit = PlanAnswer { plan: Some("# Mine\n".into()), ..yes(ChoiceKey::KeepPlanning) };
        assert!(matches!(approval.answer(&state, edit, &now, None), PlanVerdict::AskAgain { .. }));
    }
    // A plan that appeared after the request said there is none.
    let (mut approval, _) = ask(&state, PlanContent::Missing);
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Restore), &plan(), None), PlanVerdict::AskAgain { .. }));
    let (mut approval, _) = ask(&state, plan());
    let broken = approval.answer(&state, yes(ChoiceKey::Default), &PlanContent::Unreadable("denied".into()), None);
    assert!(matches!(broken, PlanVerdict::NotApproved { .. }));
}

#[test]
fn pm_85_request_is_open_again_after_a_crash() {
    // Entries of a session that was killed while the request was open.
    let entries = [
        EntryBody::Mode { from: Mode::Auto, to: Mode::Plan, by: ChangedBy::User },
        EntryBody::Ask { ask_id: "ask1".into(), kind: "plan".into(), answer: None },
    ];
    let (state, _) = replay_mode(setup(), &entries);
    assert!(state.is_planning());
    let (mut approval, request) = ask(&state, plan());
    assert_eq!((request.ask_id.as_str(), request.plan.as_deref()), ("ask1", Some(PLAN)));
    assert!(matches!(approval.answer(&state, yes(ChoiceKey::Restore), &plan(), None), PlanVerdict::Approved(_)));
}

#[test]
fn pm_86_resubmitting_a_rejected_plan_ends_the_turn() {
    let state = in_plan(Mode::Default);
    for found in [plan(), PlanContent::Missing] {
        let (mut approval, _) = ask(&state, found.clone());
        approval.answer(&state, yes(ChoiceKey::KeepPlanning), &found, None);
        let again = approval.submit(&state, submission("ask2", found.clone()));
        let SubmitOutcome::EndTurn { result, notice } = again else { panic!("{again:?}") };
        assert!(result.contains("rejected") && !notice.is_empty());
        assert!(approval.open_request().is_none(), "no approver is asked");
        // A changed plan is asked about, and so is the same plan after a user message.
        let other = PlanContent::Text("# Better\n".into());
        assert!(matches!(approval.clone().submit(&state, submission("ask2", other)), SubmitOutcome::Ask(_)));
        approval.note_user_message();
        assert!(matches!(approval.submit(&state, submission("ask2", found)), SubmitOutcome::Ask(_)));
    }
    // The user edited it and chose "keep planning": the edited text is the rejected one.
    let (mut approval, _) = ask(&state, plan());
    let edit = PlanAnswer { plan: Some("# Mine\n".into()), ..yes(ChoiceKey::KeepPlanning) };
    approval.answer(&state, edit, &plan(), None);
    let mine = submission("ask2", PlanContent::Text("# Mine\n".into()));
    assert!(matches!(approval.submit(&state, mine), SubmitOutcome::EndTurn { .. }));
}

#[test]
fn pm_86_plan_sent_back_unseen_ends_the_turn_too() {
    let state = in_plan(Mode::Default);
    let (mut approval, _) = ask(&state, plan());
    approval.send_back();
    assert!(approval.open_request().is_none());
    assert!(matches!(approval.submit(&state, submission("ask2", plan())), SubmitOutcome::EndTurn { .. }));
    let other = PlanContent::Text("# Better\n".into());
    assert!(matches!(approval.submit(&state, submission("ask2", other)), SubmitOutcome::Ask(_)));
}

#[test]
fn pm_87_request_states_layer_changed_files_and_shells() {
    let state = in_plan(Mode::Default);
    let submission = PlanSubmission {
        layer: EnforcementLevel::Readonly,
        changed_files: vec!["src/a.rs".into()],
        shells: vec!["npm start".into()],
        contacted_hosts: vec![],
        ..submission("ask1", plan())
    };
    let SubmitOutcome::Ask(request) = PlanApprovalState::default().submit(&state, submission) else { panic!() };
    let json = serde_json::to_value(&*request).unwrap();
    assert_eq!(json["layer"], "readonly");
    assert_eq!((&json["changedFiles"], &json["shells"]), (&json!(["src/a.rs"]), &json!(["npm start"])));
    assert!(EnforcementLevel::Readonly.describe().contains("no sandbox"));
}

#[test]
fn pm_143_request_and_answer_json() {
    let (_, request) = ask(&in_plan(Mode::Auto), plan());
    let json = serde_json::to_value(&request).unwrap();
    assert_eq!((&json["askId"], &json["plan"], &json["planFilePath"]), (&json!("ask1"), &json!(PLAN), &json!(PATH)));
    assert_eq!((&json["sha256"], &json["revision"]), (&json!(crate::plan::sha256_hex(PLAN)), &json!(1)));
    let choices: Vec<_> = json["choices"].as_array().unwrap().iter().map(|choice| choice["key"].clone()).collect();
    assert_eq!(choices, ["acceptEdits", "default", "restore", "clear", "keepPlanning", "leave"]);
    assert!(json["choices"].as_array().unwrap().iter().all(|choice| choice["label"].is_string()));
    let answer = json!({
        "askId": "ask1", "choice": "clear", "mode": "acceptEdits", "plan": "# P", "feedback": "f",
        "comments": [{ "line": 2, "text": "t" }], "notes": "n",
    });
    let read = PlanAnswer::from_json(&answer).unwrap();
    assert_eq!((read.choice, read.mode, read.comments[0].line), (ChoiceKey::Clear, Some(Mode::AcceptEdits), 2));
    assert_eq!(serde_json::to_value(read).unwrap(), answer);
    let short = PlanAnswer::from_json(&json!({ "askId": "ask1", "choice": "keepPlanning" })).unwrap();
    assert_eq!(short, PlanAnswer::new("ask1", ChoiceKey::KeepPlanning));
}

#[test]
fn pm_144_whole_flow_without_a_ui() {
    let mut state = ModeState::start(ModeSetup::default(), Mode::Default, Mode::Default).0;
    state = step(state, ModeEvent::Set { to: Mode::Plan, by: ChangedBy::Host }).0;
    let (mut approval, request) = ask(&state, plan());
    let answer = PlanAnswer::from_json(&json!({ "askId": request.ask_id, "choice": "acceptEdits" })).unwrap();
    let PlanVerdict::Approved(ok) = approval.answer(&state, answer, &plan(), None) else { panic!() };
    state = step(state, ModeEvent::Approved { mode: ok.mode, by: ChangedBy::Host }).0;
    assert_eq!(state.mode(), Mode::AcceptEdits);
    assert!(approved_result(&ok, PATH, ALL_IMPLEMENTATION_TOOLS).contains(PLAN));
}

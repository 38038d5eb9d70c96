//! The whole of plan mode through the library, without any UI: the example's flow, and what hosts can do wrong.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../examples/plan_flow.rs"]
#[allow(dead_code)]
mod example;

use cutonce_agent::core::approval::{Answer as PlanAnswer, ChoiceKey, Request};
use cutonce_agent::core::event::{EndReason, EventKind};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::plan::{self, PlanEvent};
use cutonce_agent::core::submission::{Answer, By, Submission};
use cutonce_agent::start::{Opened, Start, Which};
use cutonce_agent::{Approver, Events, Session};
use std::path::Path;

#[tokio::test]
async fn pm_144_a_program_plans_edits_approves_and_implements_without_a_ui() {
    // PM-143: the events of a plan's life, in their order, with their fields.
    let folder = tempfile::tempdir().unwrap();
    let told = example::flow(folder.path()).await.unwrap();
    let names: Vec<&str> = told.events.iter().filter_map(|event| event["type"].as_str()).collect();
    let expected = [
        "mode.changed",
        "plan.enter",
        "plan.phase",
        "plan.file",
        "plan.phase",
        "plan.phase",
        "plan.exit_request",
        "mode.changed",
        "plan.approved",
    ];
    assert_eq!(names, expected, "{:#?}", told.events);
    let phases: Vec<&str> = told.events.iter().filter_map(|event| event["phase"].as_str()).collect();
    assert_eq!(phases, ["explore", "finalize", "exit"]);
    let request = told.request.unwrap();
    assert_eq!(request.plan.as_deref(), Some("# Greeting\n\n1. Write hello.txt\n"));
    assert_eq!(request.sha256, Some(plan::sha256("# Greeting\n\n1. Write hello.txt\n")));
    assert_eq!(request.revision, 1);
    let approved = told.events.last().unwrap();
    assert_eq!(
        (&approved["choice"], &approved["mode"], &approved["edited"]),
        (&"acceptEdits".into(), &"acceptEdits".into(), &true.into())
    );
    assert!(
        told.result.contains("## Approved Plan (edited by user):\n# Greeting\n\n1. Write hello.txt\n2. Greet politely")
    );
    let saved = std::fs::read_to_string(&request.plan_file_path).unwrap();
    assert_eq!(saved, "# Greeting\n\n1. Write hello.txt\n2. Greet politely\n");
    assert_eq!(std::fs::read_to_string(folder.path().join("project/hello.txt")).unwrap(), "Hello!\n");
    assert_eq!(told.last_words, "Done: hello.txt greets.");
}

const SUBMITS: &str = r##"{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "goes on"}
]}"##;

async fn open(folder: &Path, which: Which) -> Opened {
    let (project, script) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&script, SUBMITS).unwrap();
    let start = Start {
        home: folder.join("home"),
        cwd: project,
        model: Some(format!("scripted/{}", script.display())),
        approver: Approver::Present,
        which,
        ..Start::default()
    };
    start.open().await.unwrap()
}

async fn planning(folder: &Path) -> (Session, Events, Request) {
    let opened = open(folder, Which::New).await;
    let (session, mut events) = (opened.session, opened.events);
    session.submit(Submission::SetMode { mode: Mode::Plan, by: By::Host });
    session.say("Plan it.");
    let request = request(&mut events).await;
    (session, events, request)
}

async fn request(events: &mut Events) -> Request {
    loop {
        if let EventKind::Plan(PlanEvent::ExitRequest(request)) = events.next().await.unwrap().kind {
            return *request;
        }
    }
}

fn answer(request: &Request, choice: ChoiceKey) -> Submission {
    let answer = Answer::Plan(PlanAnswer::new(&request.ask_id, choice));
    Submission::Answer { ask_id: request.ask_id.clone(), answer }
}

/// The names of the plan's events, notices and the mode at the end, until the turn ends.
async fn to_the_end(events: &mut Events, mut mode: Mode) -> (Vec<String>, Mode, EndReason) {
    let mut told = Vec::new();
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Plan(event) => {
                let value = serde_json::to_value(&event).unwrap();
                told.push(value["type"].as_str().unwrap().to_string());
            }
            EventKind::Notice { text, .. } => told.push(text),
            EventKind::ModeChanged { to, .. } => mode = to,
            EventKind::TurnEnded(ended) => return (told, mode, ended.reason),
            _ => {}
        }
    }
}

#[tokio::test]
async fn pm_75_the_first_answer_counts_and_the_others_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events, request) = planning(folder.path()).await;
    let mut second = session.events();
    session.submit(answer(&request, ChoiceKey::Default));
    session.submit(answer(&request, ChoiceKey::AcceptEdits));
    let (told, mode, reason) = to_the_end(&mut events, Mode::Plan).await;
    assert_eq!((mode, reason), (Mode::Default, EndReason::Completed));
    assert!(told.iter().any(|line| line.contains("not open any more")), "{told:?}");
    assert_eq!(told.iter().filter(|line| *line == "plan.approved").count(), 1);
    let mut closed = false;
    while let Some(event) = second.next().await {
        match event.kind {
            EventKind::AskClosed { ask_id, answer } => closed = ask_id == request.ask_id && answer.is_some(),
            EventKind::TurnEnded(_) => break,
            _ => {}
        }
    }
    assert!(closed, "the other approver was not told");
}

#[tokio::test]
async fn pm_143_a_listener_that_comes_late_gets_the_request_and_the_mode() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events, request) = planning(folder.path()).await;
    let mut late = session.events();
    let opened = late.next().await.unwrap().kind;
    assert!(matches!(opened, EventKind::Opened { mode: Mode::Plan, .. }), "{opened:?}");
    assert_eq!(self::request(&mut late).await, request);
    session.submit(answer(&request, ChoiceKey::Leave));
    let (_, mode, _) = to_the_end(&mut events, Mode::Plan).await;
    assert_eq!(mode, Mode::Default);
    let mut later = session.events();
    session.submit(Submission::Close);
    while let Some(event) = later.next().await {
        assert!(!matches!(event.kind, EventKind::Plan(_) | EventKind::Ask(_)), "nothing is pending any more");
    }
}

#[tokio::test]
async fn pm_80_whatever_is_no_approval_leaves_plan_mode_on() {
    let bad = |request: &Request| {
        let of = |answer| Submission::Answer { ask_id: request.ask_id.clone(), answer };
        let with =
            |choice, mode| Answer::Plan(PlanAnswer { mode: Some(mode), ..PlanAnswer::new(&request.ask_id, choice) });
        vec![
            of(Answer::Unusable { why: "the host sent nonsense".into() }),
            // Never a mode that was not offered.
            of(with(ChoiceKey::Clear, Mode::BypassPermissions)),
            of(with(ChoiceKey::Default, Mode::AcceptEdits)),
            Submission::Interrupt,
        ]
    };
    for which in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let (session, mut events, request) = planning(folder.path()).await;
        session.submit(bad(&request).remove(which));
        let (told, mode, reason) = to_the_end(&mut events, Mode::Plan).await;
        assert_eq!(mode, Mode::Plan, "{which}: {told:?}");
        assert!(matches!(reason, EndReason::Interrupted { .. }), "{which}: {reason:?}");
        assert!(!told.iter().any(|line| line == "plan.approved"), "{which}: {told:?}");
        // A late answer to it does nothing.
        session.submit(answer(&request, ChoiceKey::AcceptEdits));
        session.submit(Submission::Close);
        while let Some(event) = events.next().await {
            assert!(!matches!(event.kind, EventKind::ModeChanged { .. }), "{which}");
        }
    }
}

#[tokio::test]
async fn pm_80_a_host_that_is_gone_approves_nothing_and_the_plan_can_be_submitted_again() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events, _) = planning(folder.path()).await;
    drop(session);
    let (_, mode, _) = to_the_end(&mut events, Mode::Plan).await;
    assert_eq!(mode, Mode::Plan);
    while events.next().await.is_some() {}
    let again = open(folder.path(), Which::Latest).await;
    assert_eq!(again.mode, Mode::Plan);
}

#[tokio::test]
async fn pm_80_a_mode_changed_by_hand_withdraws_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events, request) = planning(folder.path()).await;
    session.submit(Submission::SetMode { mode: Mode::AcceptEdits, by: By::Host });
    session.submit(answer(&request, ChoiceKey::Default));
    let (told, mode, reason) = to_the_end(&mut events, Mode::Plan).await;
    assert_eq!((mode, reason), (Mode::AcceptEdits, EndReason::Completed));
    assert!(!told.iter().any(|line| line == "plan.approved"), "{told:?}");
}

#[tokio::test]
async fn pm_80_an_interrupt_while_the_workspace_is_compared_asks_nobody() {
    // The runtime has one thread: what is submitted at the sign that the plan was written is there before the comparison ends.
    let folder = tempfile::tempdir().unwrap();
    let Opened { session, mut events, .. } = open(folder.path(), Which::New).await;
    for n in 0..2_000 {
        std::fs::write(folder.path().join(format!("project/{n}.txt")), "x").unwrap();
    }
    session.submit(Submission::SetMode { mode: Mode::Plan, by: By::Host });
    session.say("Plan it.");
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Plan(PlanEvent::ExitRequest(_)) => panic!("asked before anybody could interrupt"),
            // Write is done; ExitPlanMode, which waited for it, is being looked at.
            EventKind::ToolFinished(finished) if finished.name == "Write" => break,
            _ => {}
        }
    }
    session.submit(Submission::Interrupt);
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Plan(PlanEvent::ExitRequest(_)) => panic!("interrupted, and asked all the same"),
            EventKind::ModeChanged { to, .. } => panic!("the mode became {to}"),
            EventKind::TurnEnded(ended) => {
                assert!(matches!(ended.reason, EndReason::Interrupted { .. }), "{:?}", ended.reason);
                break;
            }
            _ => {}
        }
    }
    // Nothing is lost: it can be submitted again.
    session.say("Submit it.");
    session.submit(Submission::Close);
    assert_eq!(to_the_end(&mut events, Mode::Plan).await.2, EndReason::Completed);
}

//! Plan mode through the library, without a UI: the example's flow, and mistakes of hosts.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../examples/plan_flow.rs"]
#[allow(dead_code)]
mod example;

use cutonce_agent::builder::{OpenedSession, SessionBuilder, SessionSelector};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::permission::rules::RuleBehavior;
use cutonce_agent::core::plan::approval::{ChoiceKey, PlanAnswer, PlanExitRequest};
use cutonce_agent::core::plan::{self, PlanEvent};
use cutonce_agent::core::protocol::event::{EndReason, EventKind};
use cutonce_agent::core::protocol::host::{RuleChange, RuleChangeKind};
use cutonce_agent::core::protocol::submission::{AskAnswer, ChangedBy, RuleDestination, Submission};
use cutonce_agent::{Approver, EventStream, Session};
use std::path::Path;
use std::time::Duration;

#[tokio::test]
async fn pm_144_plan_flow_works_without_a_ui() {
    // PM-143: the plan events in order, with their fields.
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
    assert_eq!(phases, ["understand", "write", "exit"]);
    let request = told.request.unwrap();
    assert_eq!(request.plan.as_deref(), Some("# Greeting\n\n1. Write hello.txt\n"));
    assert_eq!(request.sha256, Some(plan::sha256_hex("# Greeting\n\n1. Write hello.txt\n")));
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
  {"text": "continues"}
]}"##;

async fn open(folder: &Path, which: SessionSelector) -> OpenedSession {
    open_home(folder, "home", which).await
}

fn builder(folder: &Path, home: &str) -> SessionBuilder {
    let (project, script) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&script, SUBMITS).unwrap();
    let mut builder = SessionBuilder::new(folder.join(home), project);
    builder.model.main = Some(format!("scripted/{}", script.display()));
    builder.permissions.approver = Approver::Present;
    builder
}

async fn open_home(folder: &Path, home: &str, which: SessionSelector) -> OpenedSession {
    let mut builder = builder(folder, home);
    builder.resume.selector = which;
    builder.open().await.unwrap()
}

async fn offered_tools(builder: SessionBuilder) -> Vec<String> {
    let mut opened = builder.open().await.unwrap();
    match opened.events.next().await.unwrap().kind {
        EventKind::Opened { tools, .. } => tools,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn pm_32_away_user_gets_no_plan_mode_entry() {
    let folder = tempfile::tempdir().unwrap();
    let has = |tools: &[String], name: &str| tools.iter().any(|tool| tool == name);
    assert!(has(&offered_tools(builder(folder.path(), "home")).await, "EnterPlanMode"));
    let mut away = builder(folder.path(), "home");
    away.permissions.user_away = true;
    let tools = offered_tools(away).await;
    assert!(!has(&tools, "EnterPlanMode") && has(&tools, "ExitPlanMode"), "{tools:?}");
}

#[tokio::test]
async fn ho_1_denied_tools_are_not_offered() {
    let folder = tempfile::tempdir().unwrap();
    let mut denying = builder(folder.path(), "home");
    denying.permissions.deny = vec!["Bash".into(), "WebFetch(domain:x.org)".into()];
    let tools = offered_tools(denying).await;
    assert!(!tools.contains(&"Bash".to_string()) && tools.contains(&"WebFetch".to_string()), "{tools:?}");
}

async fn planning(folder: &Path) -> (Session, EventStream, PlanExitRequest) {
    let opened = open(folder, SessionSelector::New).await;
    let (session, mut events) = (opened.session, opened.events);
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::Host });
    session.say("Plan it.");
    let request = request(&mut events).await;
    (session, events, request)
}

async fn request(events: &mut EventStream) -> PlanExitRequest {
    loop {
        if let EventKind::Plan(PlanEvent::ExitRequest(request)) = events.next().await.unwrap().kind {
            return *request;
        }
    }
}

fn answer(request: &PlanExitRequest, choice: ChoiceKey) -> Submission {
    let answer = AskAnswer::Plan(PlanAnswer::new(&request.ask_id, choice));
    Submission::Answer { ask_id: request.ask_id.clone(), answer }
}

/// The names of plan events and notices until the turn ends, and the final mode.
async fn to_the_end(events: &mut EventStream, mut mode: Mode) -> (Vec<String>, Mode, EndReason) {
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
async fn pm_75_first_answer_wins_and_others_are_notified() {
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
            EventKind::AskClosed { ask_id, answer, .. } => closed = ask_id == request.ask_id && answer.is_some(),
            EventKind::TurnEnded(_) => break,
            _ => {}
        }
    }
    assert!(closed, "the other approver was not notified");
}

#[tokio::test]
async fn pm_143_late_listener_gets_request_and_mode() {
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
        assert!(!matches!(event.kind, EventKind::Plan(_) | EventKind::Ask(_)), "nothing is pending");
    }
}

#[tokio::test]
async fn pm_80_only_an_approval_leaves_plan_mode() {
    let bad = |request: &PlanExitRequest| {
        let of = |answer| Submission::Answer { ask_id: request.ask_id.clone(), answer };
        let with =
            |choice, mode| AskAnswer::Plan(PlanAnswer { mode: Some(mode), ..PlanAnswer::new(&request.ask_id, choice) });
        vec![
            of(AskAnswer::Unusable { why: "the host sent nonsense".into() }),
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
        // A late answer has no effect.
        session.submit(answer(&request, ChoiceKey::AcceptEdits));
        session.submit(Submission::Close);
        while let Some(event) = events.next().await {
            assert!(!matches!(event.kind, EventKind::ModeChanged { .. }), "{which}");
        }
    }
}

#[tokio::test]
async fn pm_80_disconnected_host_approves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events, _) = planning(folder.path()).await;
    drop(session);
    let (_, mode, _) = to_the_end(&mut events, Mode::Plan).await;
    assert_eq!(mode, Mode::Plan);
    while events.next().await.is_some() {}
    let again = open(folder.path(), SessionSelector::Latest).await;
    assert_eq!(again.mode, Mode::Plan);
}

#[tokio::test]
async fn pm_80_manual_mode_change_withdraws_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events, request) = planning(folder.path()).await;
    session.submit(Submission::SetMode { mode: Mode::AcceptEdits, by: ChangedBy::Host });
    session.submit(answer(&request, ChoiceKey::Default));
    let (told, mode, reason) = to_the_end(&mut events, Mode::Plan).await;
    assert_eq!((mode, reason), (Mode::AcceptEdits, EndReason::Completed));
    assert!(!told.iter().any(|line| line == "plan.approved"), "{told:?}");
}

#[tokio::test]
async fn pm_80_interrupt_during_comparison_asks_nothing() {
    // The runtime has one thread: a submission sent when the plan was written arrives before the comparison ends.
    let folder = tempfile::tempdir().unwrap();
    let OpenedSession { session, mut events, .. } = open(folder.path(), SessionSelector::New).await;
    for n in 0..2_000 {
        std::fs::write(folder.path().join(format!("project/{n}.txt")), "x").unwrap();
    }
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::Host });
    session.say("Plan it.");
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Plan(PlanEvent::ExitRequest(_)) => panic!("asked before the interrupt"),
            // Write has finished; ExitPlanMode, which waited for it, is being processed.
            EventKind::ToolFinished(finished) if finished.name == "Write" => break,
            _ => {}
        }
    }
    session.submit(Submission::Interrupt);
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Plan(PlanEvent::ExitRequest(_)) => panic!("asked despite the interrupt"),
            EventKind::ModeChanged { to, .. } => panic!("the mode became {to}"),
            EventKind::TurnEnded(ended) => {
                assert!(matches!(ended.reason, EndReason::Interrupted { .. }), "{:?}", ended.reason);
                break;
            }
            _ => {}
        }
    }
    // Nothing is lost: the plan can be submitted again.
    session.say("Submit it.");
    session.submit(Submission::Close);
    assert_eq!(to_the_end(&mut events, Mode::Plan).await.2, EndReason::Completed);
}

/// The next notice of a session whose mode does not change. None within a minute fails the test.
async fn notice(events: &mut EventStream) -> String {
    loop {
        let next = tokio::time::timeout(Duration::from_secs(60), events.next()).await;
        let Ok(next) = next else { panic!("no notice came") };
        match next.unwrap().kind {
            EventKind::Notice { text, .. } => return text,
            EventKind::ModeChanged { to, .. } => panic!("the mode became {to}"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn pm_80_answers_to_asks_end_no_plan_mode() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events, request) = planning(folder.path()).await;
    session.submit(Submission::SetModeByAnswer { mode: Mode::AcceptEdits });
    let text = notice(&mut events).await;
    assert!(text.contains("The mode stays plan") && text.contains("set_permission_mode"), "{text}");
    for destination in [RuleDestination::Project, RuleDestination::Local] {
        let (behavior, rules) = (RuleBehavior::Allow, vec!["WebFetch(domain:x.org)".to_string()]);
        session.submit(Submission::ChangeRules(RuleChange { kind: RuleChangeKind::Add, behavior, rules, destination }));
        let text = notice(&mut events).await;
        assert!(text.contains("applies to this session only: plan mode writes no settings"), "{text}");
    }
    assert!(!folder.path().join("project/.cutonce").exists());
    // The request is still open, and only its answer ends plan mode.
    let answer = PlanAnswer::new(&request.ask_id, ChoiceKey::Default);
    session.submit(Submission::Answer { ask_id: request.ask_id.clone(), answer: AskAnswer::Plan(answer) });
    loop {
        if let EventKind::ModeChanged { to, .. } = events.next().await.unwrap().kind {
            break assert_eq!(to, Mode::Default);
        }
    }
}

/// The disk as a crash at this moment would leave it, as a new home folder.
fn crash(folder: &Path, from: &str, to: &str) {
    let copied = std::process::Command::new("cp").arg("-a").args([folder.join(from), folder.join(to)]).status();
    assert!(copied.unwrap().success());
}

#[tokio::test]
async fn pm_80_message_answers_a_survived_plan() {
    let folder = tempfile::tempdir().unwrap();
    let (_running, _events, first) = planning(folder.path()).await;
    crash(folder.path(), "home", "second");
    let OpenedSession { session, mut events, .. } = open_home(folder.path(), "second", SessionSelector::Latest).await;
    let again = request(&mut events).await;
    assert_ne!(again.ask_id, first.ask_id);
    crash(folder.path(), "second", "third");
    session.say("Explain step 1.");
    let feedback = loop {
        if let EventKind::AskClosed { ask_id, answer, .. } = events.next().await.unwrap().kind
            && ask_id == again.ask_id
        {
            break answer;
        }
    };
    let expected = PlanAnswer {
        feedback: Some("Explain step 1.".into()),
        ..PlanAnswer::new(&again.ask_id, ChoiceKey::KeepPlanning)
    };
    assert_eq!(feedback, Some(AskAnswer::Plan(expected)));
    // PM-85: a crash before the message left the request open.
    let mut third = open_home(folder.path(), "third", SessionSelector::Latest).await;
    assert_eq!(request(&mut third.events).await.plan, first.plan);
}

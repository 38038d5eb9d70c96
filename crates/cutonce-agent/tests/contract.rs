//! An approved plan as a contract, through the library: steps, scope, budget, report (PC-11, PC-12, PC-20, PC-35).

#![allow(clippy::unwrap_used, clippy::panic)]

use cutonce_agent::builder::{SessionBuilder, SessionSelector};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::plan::PlanEvent;
use cutonce_agent::core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_agent::core::plan::progress::StepAnswer;
use cutonce_agent::core::plan::report::PlanReport;
use cutonce_agent::core::protocol::event::{AskKind, EndReason, EventKind};
use cutonce_agent::core::protocol::submission::{AskAnswer, ChangedBy, PermissionAnswer, Submission};
use cutonce_agent::core::settings::plan::ScopeMode;
use cutonce_agent::{Approver, EventStream, Session};
use std::path::Path;

const PLAN: &str = r"# Login\n\n## Steps\n\n1. Add the form\n   - files: form.txt (new)\n   - check: `test -f form.txt`\n2. Add a theme\n   - files: theme.txt (new)\n3. Rename it\n   - files: name.txt\n";

/// A script that submits the plan, then makes these turns.
fn script(turns: &str) -> String {
    let plan = format!(r#"{{"name": "Write", "input": {{"file_path": "{{plan}}", "content": "{PLAN}"}}}}"#);
    format!(r#"{{"turns": [{{"calls": [{plan}, {{"name": "ExitPlanMode", "input": {{}}}}]}}, {turns}]}}"#)
}

fn write(path: &str) -> String {
    format!(r#"{{"calls": [{{"name": "Write", "input": {{"file_path": "{path}", "content": "x\n"}}}}]}}"#)
}

async fn open(folder: &Path, turns: &str, selector: SessionSelector) -> (Session, EventStream) {
    let (project, path) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::create_dir_all(folder.join("home")).unwrap();
    std::fs::write(&path, turns).unwrap();
    let model = format!("scripted/{}", path.display());
    let price = serde_json::json!({"models": {&model: {"price": {"input": 10.0, "output": 10.0}}}});
    std::fs::write(folder.join("home/settings.json"), price.to_string()).unwrap();
    let mut builder = SessionBuilder::new(folder.join("home"), project);
    builder.model.main = Some(model);
    builder.permissions.approver = Approver::Present;
    builder.resume.selector = selector;
    let opened = builder.open().await.unwrap();
    (opened.session, opened.events)
}

/// What a turn reported.
#[derive(Default)]
struct Turn {
    results: Vec<String>,
    notices: Vec<String>,
    steps: Vec<String>,
    asked: Vec<String>,
    report: Option<PlanReport>,
    reason: Option<EndReason>,
}

/// Approves the plan with these terms and collects events to the end of the turn. Permissions are denied.
async fn approve(session: &Session, events: &mut EventStream, terms: PlanAnswer) -> Turn {
    let mut turn = Turn::default();
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Ask(ask) => {
                let ask_id = ask.ask_id.clone();
                let answer = match &ask.kind {
                    AskKind::Plan { .. } => AskAnswer::Plan(PlanAnswer { ask_id: ask_id.clone(), ..terms.clone() }),
                    AskKind::Permission { why, .. } => {
                        turn.asked.push(why.reason.clone());
                        AskAnswer::Permission(PermissionAnswer::Deny { message: String::new(), interrupt: false })
                    }
                    other => panic!("{other:?}"),
                };
                session.submit(Submission::Answer { ask_id, answer });
            }
            EventKind::ToolFinished(finished) => turn.results.push(
                finished.content.iter().map(|part| serde_json::to_value(part).unwrap()["text"].to_string()).collect(),
            ),
            EventKind::Notice { text, .. } => turn.notices.push(text),
            EventKind::Plan(PlanEvent::Step(step)) => turn.steps.push(format!("{} {}", step.step, step.state.name())),
            EventKind::Plan(PlanEvent::Report(report)) => turn.report = Some(*report),
            EventKind::TurnEnded(ended) => {
                turn.reason = Some(ended.reason);
                return turn;
            }
            _ => {}
        }
    }
}

async fn implement(folder: &Path, turns: &str, terms: PlanAnswer) -> Turn {
    let (session, mut events) = open(folder, &script(turns), SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::Host });
    session.say("Plan it.");
    let turn = approve(&session, &mut events, terms).await;
    session.submit(Submission::Shutdown);
    while !matches!(events.next().await.unwrap().kind, EventKind::Closed) {}
    turn
}

fn yes() -> PlanAnswer {
    PlanAnswer::new("", ChoiceKey::AcceptEdits)
}

#[tokio::test]
async fn pc_11_parked_steps_become_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let steps = [("2".to_string(), StepAnswer::Park), ("3".to_string(), StepAnswer::Drop)].into();
    let turns = [write("form.txt"), write("theme.txt"), r#"{"text": "Done."}"#.into()].join(",");
    let turn = implement(folder.path(), &turns, PlanAnswer { steps, scope: Some(ScopeMode::Enforce), ..yes() }).await;
    let told = &turn.results[1];
    assert!(told.contains("do not implement these steps") && !told.contains("theme.txt"), "{told}");
    assert!(turn.results[3].contains("is outside the approved plan"), "{:?}", turn.results);
    assert_eq!((turn.steps, turn.asked.len()), (vec!["1 changed".into(), "1 checked".into()], 0));
    let report = turn.report.unwrap();
    let states: Vec<&str> = report.steps.iter().map(|step| step.state.name()).collect();
    assert_eq!((states, report.drift), (vec!["checked", "parked", "dropped"], false));
    assert_eq!(report.denied, ["theme.txt"]);
    let plans = cutonce_agent::plan::list_plans(&folder.path().join("home"));
    let titles: Vec<&str> = plans.iter().map(|plan| plan.title.as_str()).collect();
    assert!(titles.contains(&"Parked: Login") && titles.len() == 2, "{titles:?}");
}

#[tokio::test]
async fn pc_38_unknown_step_approves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let steps = [("7".to_string(), StepAnswer::Park)].into();
    let turn = implement(folder.path(), &write("form.txt"), PlanAnswer { steps, ..yes() }).await;
    assert!(matches!(turn.reason, Some(EndReason::Interrupted { .. })), "{:?}", turn.reason);
    assert!(turn.results[1].contains("the plan has no step 7"), "{:?}", turn.results);
    assert!(!folder.path().join("project/form.txt").exists());
}

#[tokio::test]
async fn pc_12_budget_stops_after_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let costly = r#"{"calls": [{"name": "Write", "input": {"file_path": "form.txt", "content": "x\n"}}], "usage": {"input_tokens": 100000, "output_tokens": 0}}"#;
    let turn = implement(folder.path(), costly, PlanAnswer { budget_usd: Some(0.5), ..yes() }).await;
    assert_eq!(turn.reason, Some(EndReason::MaxBudget));
    assert!(
        turn.notices.iter().any(|text| text.contains("The plan's budget of $0.50 is used up")),
        "{:?}",
        turn.notices
    );
    let report = turn.report.unwrap();
    assert!(report.drift && report.cost_usd >= 1.0 && report.cost_usd < 1.5, "{report:?}");
}

#[tokio::test]
async fn pc_36_resumed_session_keeps_scope_and_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let turns = [write("form.txt"), r#"{"text": "Later."}"#.into(), r#"{"text": "Later."}"#.into()].join(",");
    let turns = format!("{turns}, {}", r#"{"text": "Later."}"#);
    let first = implement(folder.path(), &turns, yes()).await;
    let states = |report: &PlanReport| report.steps.iter().map(|step| step.state.name()).collect::<Vec<_>>();
    assert_eq!(states(&first.report.unwrap()), ["checked", "open", "open"]);
    let more = [write("other.txt"), write("theme.txt"), write("name.txt"), r#"{"text": "Done."}"#.into()].join(",");
    let script = format!(r#"{{"turns": [{more}]}}"#);
    let (session, mut events) = open(folder.path(), &script, SessionSelector::Latest).await;
    session.say("Go on.");
    let second = approve(&session, &mut events, yes()).await;
    assert_eq!(second.asked, ["outside the approved plan"]);
    let report = second.report.unwrap();
    assert_eq!((states(&report), report.drift), (vec!["checked", "changed", "changed"], false), "{report:?}");
}

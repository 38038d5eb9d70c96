//! An approved plan as a contract, through the library: steps, scope, budget, report (PC-11, PC-12, PC-20, PC-35).

#![allow(clippy::unwrap_used, clippy::panic)]

use cutonce_agent::builder::{SessionBuilder, SessionSelector};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_agent::core::plan::command::{ModeCommand, PlanCommand};
use cutonce_agent::core::plan::progress::StepAnswer;
use cutonce_agent::core::plan::report::PlanReport;
use cutonce_agent::core::plan::{CostEstimate, PlanEvent};
use cutonce_agent::core::protocol::event::{AgentActivity, AskKind, EndReason, EventKind};
use cutonce_agent::core::protocol::submission::{
    AskAnswer, ChangedBy, ImplementRequest, PermissionAnswer, QuestionsAnswer, Submission,
};
use cutonce_agent::core::settings::plan::ScopeMode;
use cutonce_agent::plan::{PlanRevisions, delete_plan, list_plans, park_plan, record_approval, stamp_plan};
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
    open_as(folder, turns, selector, false).await
}

async fn open_as(folder: &Path, turns: &str, selector: SessionSelector, fork: bool) -> (Session, EventStream) {
    let (project, path) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::create_dir_all(folder.join("home")).unwrap();
    std::fs::write(&path, turns).unwrap();
    let model = format!("scripted/{}", path.display());
    // The transcript has the name that the model gives itself.
    let price = serde_json::json!({"price": {"input": 10.0, "output": 10.0}});
    let price = serde_json::json!({"models": {&model: &price, "scripted": &price}});
    std::fs::write(folder.join("home/settings.json"), price.to_string()).unwrap();
    let mut builder = SessionBuilder::new(folder.join("home"), project);
    builder.model.main = Some(model);
    builder.permissions.approver = Approver::Present;
    (builder.resume.selector, builder.resume.fork) = (selector, fork);
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
    questions: Vec<String>,
    report: Option<PlanReport>,
    reason: Option<EndReason>,
    estimate: Option<CostEstimate>,
}

/// Approves the plan with these terms and collects events to the end of the turn. Permissions are denied, and the work
/// stops where the program asks.
async fn approve(session: &Session, events: &mut EventStream, terms: PlanAnswer) -> Turn {
    approve_and_choose(session, events, terms, "Stop here").await
}

/// The same, with another answer to the program's questions.
async fn approve_and_choose(session: &Session, events: &mut EventStream, terms: PlanAnswer, choice: &str) -> Turn {
    let mut turn = Turn::default();
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Ask(ask) => {
                let ask_id = ask.ask_id.clone();
                let answer = match &ask.kind {
                    AskKind::Plan { request, .. } => {
                        turn.estimate.clone_from(&request.estimate);
                        AskAnswer::Plan(PlanAnswer { ask_id: ask_id.clone(), ..terms.clone() })
                    }
                    AskKind::Permission { why, .. } => {
                        turn.asked.push(why.reason.clone());
                        AskAnswer::Permission(PermissionAnswer::Deny { message: String::new(), interrupt: false })
                    }
                    AskKind::Questions(questions) => {
                        turn.questions.push(questions[0].question.clone());
                        let answers = vec![vec![choice.to_string()]];
                        AskAnswer::Questions(QuestionsAnswer::Answered { answers })
                    }
                    AskKind::EnterPlan => panic!("{ask:?}"),
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

/// A plan given as a file is stamped when it is read: what changes from then on is not in it.
#[tokio::test]
async fn pc_13_file_plans_are_stamped_when_read() {
    let folder = tempfile::tempdir().unwrap();
    let turns = [write("form.txt"), r#"{"text": "Done."}"#.into()].join(",");
    let script = format!(r#"{{"turns": [{turns}]}}"#);
    let (session, mut events) = open(folder.path(), &script, SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::AcceptEdits, by: ChangedBy::Host });
    let text = PLAN.replace(r"\n", "\n");
    let project = folder.path().join("project").canonicalize().unwrap();
    let stamp = stamp_plan(&project, &text);
    assert_eq!(stamp.get("form.txt"), Some(&None));
    std::fs::write(project.join("form.txt"), "by someone\n").unwrap();
    let request = ImplementRequest { text, path: "plan.md".into(), revision: None, stamp };
    session.submit(Submission::Implement(request));
    let turn = approve(&session, &mut events, yes()).await;
    assert!(turn.results[0].contains("form.txt changed under step 1"), "{:?}", turn.results);
    assert_eq!(std::fs::read_to_string(project.join("form.txt")).unwrap(), "by someone\n");
}

#[tokio::test]
async fn pc_12_budget_stops_after_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let costly = r#"{"calls": [{"name": "Write", "input": {"file_path": "form.txt", "content": "x\n"}}], "usage": {"input_tokens": 100000, "output_tokens": 0}}"#;
    let turn = implement(folder.path(), costly, PlanAnswer { budget_usd: Some(0.5), ..yes() }).await;
    assert_eq!(turn.reason, Some(EndReason::MaxBudget));
    let report = turn.report.unwrap();
    assert!(report.drift && report.cost_usd >= 1.0 && report.cost_usd < 1.5, "{report:?}");
}

#[tokio::test]
async fn pc_12_subagents_spend_the_same_budget() {
    let folder = tempfile::tempdir().unwrap();
    let spend = r#""usage": {"input_tokens": 100000, "output_tokens": 0}"#;
    let agent = r#"{"name": "Agent", "input": {"description": "d", "prompt": "Look around.", "subagent_type": "general-purpose"}}"#;
    let turns = [
        format!(r#"{{"calls": [{agent}]}}"#),
        // The subagent: one request uses the budget up, the next is never sent.
        format!(r#"{{"calls": [{{"name": "Read", "input": {{"file_path": "a"}}}}], {spend}}}"#),
        format!(r#"{{"text": "Looked.", {spend}}}"#),
        format!(r#"{{"text": "Done.", {spend}}}"#),
    ];
    let turn = implement(folder.path(), &turns.join(","), PlanAnswer { budget_usd: Some(0.5), ..yes() }).await;
    assert_eq!(turn.reason, Some(EndReason::MaxBudget));
    let cost = turn.report.unwrap().cost_usd;
    assert!((1.0..1.5).contains(&cost), "{cost}");
}

/// Each request costs less than it may cost at most; without waiting, all of them would be sent at once.
#[tokio::test]
async fn pc_12_parallel_subagents_exceed_by_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let agent = r#"{"name": "Agent", "input": {"description": "d", "prompt": "Look around.", "subagent_type": "general-purpose"}}"#;
    let usage = |output: u32| format!(r#""usage": {{"input_tokens": 0, "output_tokens": {output}}}"#);
    let turns = [
        format!(r#"{{"calls": [{agent}, {agent}, {agent}, {agent}], {}}}"#, usage(0)),
        format!(r#"{{"text": "Looked.", "repeat": 4, {}}}"#, usage(8_000)),
        format!(r#"{{"text": "Done.", "repeat": 3, {}}}"#, usage(8_000)),
    ];
    let turn = implement(folder.path(), &turns.join(","), PlanAnswer { budget_usd: Some(0.1), ..yes() }).await;
    assert_eq!(turn.reason, Some(EndReason::MaxBudget), "{:?}", turn.results);
    let cost = turn.report.unwrap().cost_usd;
    assert!((cost - 0.16).abs() < 0.001, "two requests of $0.08: the second reaches the budget: {cost}");
    let unsent = turn.results.iter().filter(|text| text.contains("Its last output: (no output)")).count();
    assert_eq!(unsent, 2, "{:?}", turn.results);
}

#[tokio::test]
async fn pc_12_waiting_subagents_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let agent = r#"{"name": "Agent", "input": {"description": "d", "prompt": "Look around.", "subagent_type": "general-purpose"}}"#;
    let turns = [
        format!(r#"{{"calls": [{agent}, {agent}, {agent}]}}"#),
        // One request never ends, so the others wait for it.
        r#"{"text": "Looking around for a very long time.", "delay_ms": 100000000}"#.to_string(),
    ];
    let (session, mut events) = open(folder.path(), &script(&turns.join(",")), SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::User });
    session.say("Add a login.");
    let terms = PlanAnswer { budget_usd: Some(0.1), ..yes() };
    let (mut started, mut interrupted) = (0, false);
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Ask(ask) => {
                let answer = AskAnswer::Plan(PlanAnswer { ask_id: ask.ask_id.clone(), ..terms.clone() });
                session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
            }
            EventKind::Agent(event) if matches!(event.activity, AgentActivity::Started(_)) => started += 1,
            EventKind::TurnEnded(ended) => {
                assert!(matches!(ended.reason, EndReason::Interrupted { .. }), "{:?}", ended.reason);
                break;
            }
            _ => {}
        }
        if started == 3 && !std::mem::replace(&mut interrupted, true) {
            session.submit(Submission::Interrupt);
        }
    }
    session.submit(Submission::Shutdown);
    while !matches!(events.next().await.unwrap().kind, EventKind::Closed) {}
}

#[tokio::test]
async fn pc_12_budget_asks_and_a_yes_continues() {
    let folder = tempfile::tempdir().unwrap();
    let costly = r#"{"calls": [{"name": "Write", "input": {"file_path": "form.txt", "content": "x\n"}}], "usage": {"input_tokens": 100000, "output_tokens": 0}}"#;
    let last = r#"{"text": "Done.", "repeat": 5}"#.to_string();
    let more = [write("form.txt"), write("theme.txt"), write("name.txt"), last].join(",");
    let (session, mut events) = open(folder.path(), &script(&format!("{costly}, {more}")), SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::User });
    session.say("Add a login.");
    let terms = PlanAnswer { budget_usd: Some(0.5), ..yes() };
    let turn = approve_and_choose(&session, &mut events, terms, "Continue").await;
    let [asked] = turn.questions.as_slice() else { panic!("{:?}", turn.questions) };
    assert!(asked.contains("budget of $0.50 is used up") && asked.contains("$0.50 more?"), "{asked}");
    assert_eq!(turn.reason, Some(EndReason::Completed), "the same turn continues");
    assert!(!turn.report.unwrap().drift);
}

/// Waits until a call asks for permission.
async fn wait_for_permission(session: &Session, events: &mut EventStream, terms: PlanAnswer) {
    loop {
        let EventKind::Ask(ask) = events.next().await.unwrap().kind else { continue };
        if matches!(ask.kind, AskKind::Permission { .. }) {
            return;
        }
        let answer = AskAnswer::Plan(PlanAnswer { ask_id: ask.ask_id.clone(), ..terms.clone() });
        session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
    }
}

/// From now on, the home is what a kill would leave: the running session keeps its own.
fn leave_as_killed(folder: &Path) {
    let [home, copy, live] = ["home", "home-copy", "home-live"].map(|name| folder.join(name));
    assert!(std::process::Command::new("cp").arg("-a").args([&home, &copy]).status().unwrap().success());
    std::fs::rename(&home, live).unwrap();
    std::fs::rename(copy, home).unwrap();
}

#[tokio::test]
async fn pc_12_kill_gives_no_money_back() {
    let folder = tempfile::tempdir().unwrap();
    let spend = r#""usage": {"input_tokens": 100000, "output_tokens": 0}"#;
    let costly = |path: &str| write(path).replacen('{', &format!("{{{spend}, "), 1);
    let first = script(&costly("other.txt"));
    let (session, mut events) = open(folder.path(), &first, SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::User });
    session.say("Add a login.");
    wait_for_permission(&session, &mut events, PlanAnswer { budget_usd: Some(1.5), ..yes() }).await;
    leave_as_killed(folder.path());
    let second = format!(r#"{{"turns": [{}]}}"#, costly("form.txt"));
    let (session, mut events) = open(folder.path(), &second, SessionSelector::Latest).await;
    session.say("Go on.");
    let turn = approve(&session, &mut events, yes()).await;
    let told = (turn.questions.join("\n"), turn.reason, turn.notices);
    assert!(told.0.contains("budget of $1.50 is used up ($2.") && told.1 == Some(EndReason::MaxBudget), "{told:?}");
}

/// A user interrupts while steps are open: no reminder and no check starts the turn again.
#[tokio::test]
async fn pc_33_interrupt_with_open_steps_ends_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let turns = [write("form.txt"), write("other.txt"), r#"{"text": "Later.", "repeat": 5}"#.into()].join(",");
    let (session, mut events) = open(folder.path(), &script(&turns), SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::User });
    session.say("Add a login.");
    wait_for_permission(&session, &mut events, yes()).await;
    session.submit(Submission::Interrupt);
    let mut after = Vec::new();
    let reason = loop {
        match events.next().await.unwrap().kind {
            EventKind::TurnEnded(ended) => break ended.reason,
            EventKind::Requesting { model } => after.push(model),
            _ => {}
        }
    };
    assert!(matches!(reason, EndReason::Interrupted { .. }), "{reason:?}");
    session.submit(Submission::Shutdown);
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Closed => break,
            EventKind::Requesting { model } => after.push(model),
            _ => {}
        }
    }
    assert!(after.is_empty(), "requests after the interrupt: {after:?}");
    // The user continues: the steps are still open, and the end of that turn reminds of them.
    let more = r#"{"turns": [{"text": "Later.", "repeat": 3}]}"#;
    let (session, mut events) = open(folder.path(), more, SessionSelector::Latest).await;
    session.say("Go on.");
    let report = approve(&session, &mut events, yes()).await.report.unwrap();
    let states: Vec<&str> = report.steps.iter().map(|step| step.state.name()).collect();
    assert_eq!(states, ["checked", "open", "open"]);
}

#[tokio::test]
async fn pc_35_start_after_a_clear_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let turns = [write("form.txt"), write("theme.txt"), write("name.txt"), r#"{"text": "Done."}"#.into()].join(",");
    let (session, mut events) = open(folder.path(), &script(&turns), SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::Host });
    session.say("Plan it.");
    let clear = PlanAnswer { mode: Some(Mode::AcceptEdits), ..PlanAnswer::new("", ChoiceKey::Clear) };
    let planning = approve(&session, &mut events, clear.clone()).await;
    assert!(planning.report.is_none(), "nothing was implemented yet: {:?}", planning.report);
    let work = approve(&session, &mut events, clear).await;
    assert!(!work.report.unwrap().drift);
}

#[tokio::test]
async fn pc_12_estimates_come_from_this_projects_reports() {
    let folder = tempfile::tempdir().unwrap();
    let costly = r#"{"calls": [{"name": "Write", "input": {"file_path": "form.txt", "content": "x\n"}}], "usage": {"input_tokens": 100000, "output_tokens": 0}}"#;
    let turns = [costly.to_string(), write("theme.txt"), write("name.txt"), r#"{"text": "Done."}"#.into()].join(",");
    let home = folder.path().join("home");
    let (mut estimates, mut costs) = (Vec::new(), Vec::new());
    for round in 0..5 {
        for file in ["form.txt", "theme.txt", "name.txt"] {
            std::fs::remove_file(folder.path().join("project").join(file)).ok();
        }
        // Two of four reports can't be read: no basis is left.
        for plan in list_plans(&home).iter().take(if round == 4 { 2 } else { 0 }) {
            std::fs::write(home.join("plans/.revisions").join(&plan.slug).join("report.json"), "{").unwrap();
        }
        let turn = implement(folder.path(), &turns, yes()).await;
        let report = turn.report.unwrap();
        assert!(!report.drift && report.cost_usd > 1.0, "{report:?}");
        costs.push((report.cost_usd * 100.0).round() / 100.0);
        estimates.push(turn.estimate);
    }
    let found = estimates.remove(3).unwrap();
    assert_eq!(estimates, [None, None, None, None]);
    let (low_usd, high_usd) =
        costs[..3].iter().fold((f64::MAX, 0.0), |(low, high), cost| (cost.min(low), cost.max(high)));
    assert_eq!(found, CostEstimate { plans: 3, low_usd, high_usd });
}

#[tokio::test]
async fn pc_41_parked_plan_is_reviewed_again_without_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events) = open(folder.path(), &script(r#"{"text": "Later."}"#), SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::User });
    session.say("Add a login.");
    let leave = PlanAnswer { choice: ChoiceKey::Leave, ..yes() };
    approve(&session, &mut events, leave).await;
    let home = folder.path().join("home");
    let slug = list_plans(&home)[0].slug.clone();
    let command = |command| Submission::mode_command(ModeCommand::Plan(command));
    session.submit(command(PlanCommand::Park(None)));
    session.submit(command(PlanCommand::Submit(Some(slug.clone()))));
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Notice { text, .. } if text.starts_with("Parked ") => {
                assert_eq!(list_plans(&home)[0].describe_state(), "parked r1");
            }
            EventKind::Ask(ask) => {
                assert!(ask.exit_request().is_some());
                break;
            }
            _ => {}
        }
    }
    assert_ne!(list_plans(&home)[0].describe_state(), "parked r1");
    assert!(delete_plan(&home, &slug, Some(session.id())).is_err(), "its session is open");
}

#[tokio::test]
async fn pc_42_approved_revision_never_changes() {
    let folder = tempfile::tempdir().unwrap();
    let turns = [write("form.txt"), write("theme.txt"), write("name.txt"), r#"{"text": "Done."}"#.into()].join(",");
    implement(folder.path(), &turns, yes()).await;
    let home = folder.path().join("home");
    let listed = list_plans(&home)[0].clone();
    let revisions = PlanRevisions::for_plan(&home, &listed.slug);
    let text = revisions.text(1).unwrap();
    // A write of the model into the revisions, in the mode that asks least.
    let kept = home.join("plans/.revisions").join(&listed.slug).join("0001.md");
    let forge = format!(
        r#"{{"calls": [{{"name": "Write", "input": {{"file_path": "{}", "content": "forged"}}}}]}}"#,
        kept.display()
    );
    let again = format!(r#"{{"turns": [{forge}, {{"text": "Tried."}}]}}"#);
    let (session, mut events) = open(folder.path(), &again, SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::AcceptEdits, by: ChangedBy::User });
    session.say("Change it.");
    approve(&session, &mut events, yes()).await;
    assert_eq!(revisions.text(1).unwrap(), text, "no tool");
    // Later revisions and commands.
    std::fs::write(&listed.path, "# Another plan\n\n## Steps\n\n1. Other\n").unwrap();
    record_approval(&home, &listed.slug, "# Another plan\n").unwrap();
    park_plan(&home, &listed.slug).unwrap();
    assert_eq!((revisions.text(1).unwrap(), std::fs::read_to_string(&kept).unwrap()), (text.clone(), text));
    std::fs::write(&kept, "forged").unwrap();
    assert!(revisions.text(1).unwrap_err().to_string().contains("no longer what was submitted"));
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

/// What happens between the first step and the others.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Between {
    Nothing,
    Compaction,
    Rewind,
    Resume,
    Fork,
    Kill,
}

/// Id of the user's message that begins a turn, when that turn has ended.
async fn say_and_wait(session: &Session, events: &mut EventStream, words: &str) -> String {
    session.say(words);
    let mut id = String::new();
    loop {
        match events.next().await.unwrap().kind {
            EventKind::User { id: of, meta: false, .. } => id = of,
            EventKind::TurnEnded(_) => return id,
            _ => {}
        }
    }
}

/// The report of a plan whose first step is done before, and whose other steps are done after what happens.
async fn report_with(between: Between) -> PlanReport {
    let folder = tempfile::tempdir().unwrap();
    let text = |text: &str| format!(r#"{{"text": "{text}"}}"#);
    let rest = [write("theme.txt"), write("name.txt"), text("Done.")].join(",");
    // Two reminders of open steps follow the first answer.
    let first = [write("form.txt"), text("Later."), text("Later."), text("Later.")].join(",");
    let whole = match between {
        Between::Compaction => [first, text("The form is there."), rest.clone()].join(","),
        Between::Rewind => [first, write("name.txt"), text("Oops."), rest.clone()].join(","),
        Between::Kill => [write("form.txt"), write("other.txt")].join(","),
        Between::Nothing | Between::Resume | Between::Fork => [first, rest.clone()].join(","),
    };
    let (mut session, mut events) = open(folder.path(), &script(&whole), SessionSelector::New).await;
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::User });
    session.say("Add a login.");
    match between {
        Between::Kill => wait_for_permission(&session, &mut events, yes()).await,
        _ => drop(approve(&session, &mut events, yes()).await),
    }
    match between {
        Between::Nothing => {}
        Between::Compaction => {
            session.submit(Submission::Compact { focus: None, on_done: None });
            while !matches!(events.next().await.unwrap().kind, EventKind::Compacted { .. }) {}
        }
        Between::Rewind => {
            let to = say_and_wait(&session, &mut events, "Rename it.").await;
            session.submit(Submission::Rewind { to, files: true, conversation: true });
        }
        Between::Kill => leave_as_killed(folder.path()),
        Between::Resume | Between::Fork => {
            session.submit(Submission::Shutdown);
            while !matches!(events.next().await.unwrap().kind, EventKind::Closed) {}
        }
    }
    if matches!(between, Between::Resume | Between::Fork | Between::Kill) {
        let rest = format!(r#"{{"turns": [{rest}]}}"#);
        (session, events) = open_as(folder.path(), &rest, SessionSelector::Latest, between == Between::Fork).await;
    }
    session.say("Go on.");
    approve(&session, &mut events, yes()).await.report.unwrap()
}

#[tokio::test]
async fn pc_36_progress_is_the_same_after_everything() {
    let seen = |report: &PlanReport| {
        let steps = report.steps.iter().map(|step| {
            let checks: Vec<_> = step.checks.iter().map(|run| (run.command.clone(), run.exit_code)).collect();
            (step.id.clone(), step.state, step.changed.clone(), checks)
        });
        (steps.collect::<Vec<_>>(), report.drift, report.untouched.clone())
    };
    let expected = report_with(Between::Nothing).await;
    assert!(!expected.drift && expected.steps.len() == 3, "{expected:?}");
    for between in [Between::Compaction, Between::Rewind, Between::Resume, Between::Fork, Between::Kill] {
        let report = report_with(between).await;
        assert_eq!(seen(&report), seen(&expected), "{between:?}");
    }
}

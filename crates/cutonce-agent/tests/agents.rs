//! Subagents through the library: bound by plan mode whatever their file says, stopped as a whole tree, asking
//! through the session, limited in number and depth.

#![allow(clippy::unwrap_used, clippy::panic)]

use cutonce_agent::builder::SessionBuilder;
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::permission::rules::RuleBehavior;
use cutonce_agent::core::protocol::event::{
    AgentActivity, AgentEnd, AgentOutcome, AgentRef, AskKind, EndReason, EventKind, FinishedCall,
};
use cutonce_agent::core::protocol::submission::{AskAnswer, ChangedBy, PermissionAnswer, QuestionsAnswer, Submission};
use cutonce_agent::core::subagent::parse_host_agents;
use cutonce_agent::{Approver, EventStream, Session};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A session with an agent `runner` whose definition loosens everything it can.
async fn open(folder: &Path, turns: Value, mode: Mode, settings: Value) -> (Session, EventStream) {
    let (project, script) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&script, json!({ "turns": turns }).to_string()).unwrap();
    let runner = json!({"runner": {"description": "runs", "prompt": "You are the runner.", "permissionMode": "bypassPermissions"}});
    let mut builder = SessionBuilder::new(folder.join("home"), project);
    builder.env = std::env::vars_os().filter(|(name, _)| name == "PATH").collect();
    builder.model.main = Some(format!("scripted/{}", script.display()));
    builder.permissions.approver = Approver::Present;
    builder.permissions.mode = Some(mode);
    builder.permissions.bypass_available = true;
    builder.settings.flag = Some(settings.to_string());
    builder.host.agents = parse_host_agents(&runner).unwrap();
    let opened = builder.open().await.unwrap();
    (opened.session, opened.events)
}

fn agent(kind: &str, prompt: &str, background: bool) -> Value {
    let input =
        json!({"description": "a task", "prompt": prompt, "subagent_type": kind, "run_in_background": background});
    json!({"name": "Agent", "input": input})
}

fn write(path: &str) -> Value {
    json!({"name": "Write", "input": {"file_path": path, "content": "x\n"}})
}

const MAIN: &str = "You are cutonce";
const RUNNER: &str = "You are the runner.";

/// What happened so far.
#[derive(Default)]
struct Told {
    results: Vec<(String, Arc<FinishedCall>)>,
    ended: Vec<(Arc<AgentRef>, AgentEnd)>,
    running: usize,
    most: usize,
}

impl Told {
    /// The next event the test must handle: an ask, the end of a turn, the end of the session.
    async fn next(&mut self, events: &mut EventStream) -> EventKind {
        loop {
            let Some(event) = events.next().await else { return EventKind::Closed };
            match event.kind {
                EventKind::Agent(event) => match event.activity {
                    AgentActivity::Started(_) => {
                        self.running += 1;
                        self.most = self.most.max(self.running);
                    }
                    AgentActivity::Ended(end) => {
                        self.running -= usize::from(self.running > 0);
                        self.ended.push((event.agent, end));
                    }
                    AgentActivity::Emitted(kind) => {
                        if let EventKind::ToolFinished(finished) = &*kind {
                            self.results.push((event.agent.id.clone(), finished.clone()));
                        }
                    }
                    AgentActivity::Progress(_) => {}
                },
                kind @ (EventKind::Ask(_) | EventKind::TurnEnded(_) | EventKind::Closed) => return kind,
                _ => {}
            }
        }
    }
    fn result(&self, n: usize) -> (&str, RuleBehavior, String) {
        let finished = &self.results[n].1;
        let text = cutonce_agent::core::conversation::ToolResult {
            call_id: String::new(),
            content: finished.content.clone(),
            is_error: false,
        };
        (&finished.name, finished.decision.behavior, text.as_text())
    }
}

async fn ask(told: &mut Told, events: &mut EventStream) -> Arc<cutonce_agent::core::protocol::event::AskView> {
    loop {
        if let EventKind::Ask(ask) = told.next(events).await {
            return ask;
        }
    }
}

#[tokio::test]
async fn pm_64_running_agent_enters_plan_mode_too() {
    // PM-42, PM-31, PM-82: it has its own plan file, and neither enters nor leaves plan mode.
    let folder = tempfile::tempdir().unwrap();
    let question = json!({"name": "AskUserQuestion", "input": {"questions": [{"question": "Go on?", "header": "Go",
        "options": [{"label": "yes", "description": "y"}, {"label": "no", "description": "n"}]}]}});
    let touch = json!({"name": "Bash", "input": {"command": "touch d.txt", "description": "d"}});
    let last =
        [write("c.txt"), write("{plan}"), touch, json!({"name": "EnterPlanMode"}), json!({"name": "ExitPlanMode"})];
    let turns = json!([
        {"when": MAIN, "calls": [agent("runner", "Go.", true)]},
        {"when": MAIN, "text": "It runs."},
        {"when": RUNNER, "calls": [write("a.txt")]},
        {"when": RUNNER, "calls": [question]},
        {"when": RUNNER, "calls": [write("b.txt")]},
        {"when": RUNNER, "calls": [question]},
        {"when": RUNNER, "calls": last},
        {"when": RUNNER, "text": "over"},
        {"when": MAIN, "text": "told"},
    ]);
    let (session, mut events) = open(folder.path(), turns, Mode::Default, json!({})).await;
    let (mut told, at) = (Told::default(), |name: &str| folder.path().join("project").join(name));
    session.say("go");
    let skip = |ask_id: &str| Submission::Answer {
        ask_id: ask_id.into(),
        answer: AskAnswer::Questions(QuestionsAnswer::Skipped),
    };
    let first = ask(&mut told, &mut events).await;
    assert_eq!(first.agent.as_ref().map(|agent| agent.name.as_str()), Some("runner"));
    assert!(at("a.txt").exists(), "its own mode applied before");
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::Host });
    session.submit(skip(&first.ask_id));
    let second = ask(&mut told, &mut events).await;
    assert!(!at("b.txt").exists());
    session.submit(Submission::SetMode { mode: Mode::BypassPermissions, by: ChangedBy::Host });
    session.submit(skip(&second.ask_id));
    while told.ended.is_empty() {
        told.next(&mut events).await;
    }
    for name in ["b.txt", "c.txt", "d.txt"] {
        assert!(!at(name).exists(), "{name}");
    }
    let denied: Vec<&str> =
        (0..told.results.len()).map(|n| told.result(n)).filter(|r| r.1 == RuleBehavior::Deny).map(|r| r.0).collect();
    assert_eq!(denied, ["Write", "Write", "Bash"]);
    let said = |tool: &str| (0..told.results.len()).map(|n| told.result(n)).find(|r| r.0 == tool).unwrap().2;
    assert_eq!(said("EnterPlanMode"), "EnterPlanMode tool cannot be used in agent contexts");
    assert!(said("ExitPlanMode").contains("There is nothing else to do") && said("ExitPlanMode").contains("\"ok\""));
    let plans: Vec<String> = std::fs::read_dir(folder.path().join("home/plans"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".md"))
        .collect();
    assert!(plans.len() == 1 && plans[0].ends_with(&format!("-agent-{}.md", told.ended[0].0.id)), "{plans:?}");
    assert_eq!((&told.ended[0].1.outcome, told.ended[0].1.text.as_str()), (&AgentOutcome::Done, "over"));
}

#[tokio::test]
async fn ag_4_interrupt_stops_the_whole_tree() {
    let folder = tempfile::tempdir().unwrap();
    let sleep = json!({"name": "Bash", "input": {"command": "sleep 31415", "description": "s"}});
    let turns = json!([
        {"when": MAIN, "calls": [agent("runner", "Go.", false), agent("runner", "Go too.", true)]},
        {"when": RUNNER, "calls": [sleep], "repeat": 2},
    ]);
    let (session, mut events) = open(folder.path(), turns, Mode::BypassPermissions, json!({})).await;
    session.say("go");
    let mut started = 0;
    while started < 2 {
        if let EventKind::Agent(event) = events.next().await.unwrap().kind
            && let AgentActivity::Emitted(kind) = event.activity
            && matches!(*kind, EventKind::ToolStarted { .. })
        {
            started += 1;
        }
    }
    session.submit(Submission::Interrupt);
    let mut told = Told { running: 2, ..Told::default() };
    let EventKind::TurnEnded(ended) = told.next(&mut events).await else { panic!("the turn did not end") };
    assert_eq!(ended.reason, EndReason::Interrupted { in_tools: true });
    session.submit(Submission::Close);
    while !matches!(told.next(&mut events).await, EventKind::Closed) {}
    let hows: Vec<&AgentOutcome> = told.ended.iter().map(|(_, end)| &end.outcome).collect();
    assert_eq!(hows, [&AgentOutcome::Stopped, &AgentOutcome::Stopped]);
    let left = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .any(|entry| std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line == b"sleep\x0031415\0"));
    assert!(!left, "a command of an agent is still running");
}

#[tokio::test]
async fn sa_1_agent_asks_through_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let turns = json!([
        {"when": MAIN, "calls": [agent("general-purpose", "Write it.", false)]},
        {"when": "You carry out a task", "calls": [write("a.txt"), agent("Explore", "Too deep.", false)]},
        {"when": "You carry out a task", "text": "Written.", "usage": {"input_tokens": 1000, "output_tokens": 10}},
        {"when": MAIN, "text": "ok", "usage": {"input_tokens": 5, "output_tokens": 1}},
    ]);
    let (session, mut events) = open(folder.path(), turns, Mode::Default, json!({})).await;
    session.say("go");
    let mut told = Told::default();
    let ask = ask(&mut told, &mut events).await;
    assert!(matches!(ask.kind, AskKind::Permission { .. }) && ask.tool == "Write");
    assert_eq!(ask.agent.as_ref().map(|agent| agent.name.as_str()), Some("general-purpose"));
    // A late listener gets it too (PM-143).
    let mut late = session.events();
    let mut pending = false;
    while !pending {
        pending = matches!(late.next().await.unwrap().kind, EventKind::Ask(pending) if pending.ask_id == ask.ask_id);
    }
    let allow = AskAnswer::Permission(PermissionAnswer::Allow { remember: Vec::new() });
    session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer: allow });
    let EventKind::TurnEnded(ended) = told.next(&mut events).await else { panic!("the turn did not end") };
    assert!(folder.path().join("project/a.txt").exists());
    // By default, agents can't start agents.
    let deeper = (0..told.results.len()).map(|n| told.result(n)).find(|result| result.0 == "Agent").unwrap();
    assert!(deeper.2.starts_with("There is no tool `Agent`."), "{}", deeper.2);
    assert!(ended.usage.input_tokens >= 1005, "the session's usage includes its agents: {:?}", ended.usage);
}

#[tokio::test]
async fn sa_1_depth_and_number_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let inner = json!({"description": "inner", "prompt": "INNER", "subagent_type": "Explore"});
    let turns = json!([
        {"when": MAIN, "calls": [agent("runner", "One.", false), agent("runner", "Two.", false), agent("runner", "Three.", false)]},
        {"when": "You search code", "text": "inner done", "repeat": 3},
        {"when": "inner done", "text": "outer done", "repeat": 3},
        {"when": RUNNER, "calls": [{"name": "Agent", "input": inner}], "repeat": 3},
        {"when": MAIN, "text": "ok"},
    ]);
    let settings = json!({"agents": {"depth": 2, "parallel": 1}});
    let (session, mut events) = open(folder.path(), turns, Mode::Default, settings).await;
    session.say("go");
    let mut told = Told::default();
    let EventKind::TurnEnded(_) = told.next(&mut events).await else { panic!("the turn did not end") };
    let nested: Vec<_> = told.ended.iter().filter(|(agent, _)| agent.parent.is_some()).collect();
    assert_eq!((told.ended.len(), nested.len()), (6, 3));
    // One per level at a time: a waiting parent doesn't block its children.
    assert_eq!(told.most, 2);
}

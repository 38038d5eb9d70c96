//! Hooks of an embedding program through the library (HO-7): every moment of a plan's life is told, the loudest yes approves nothing, and
//! a hook that never answers can be interrupted.

#![allow(clippy::unwrap_used)]

use async_trait::async_trait;
use cutonce_agent::core::approval::{Answer as PlanAnswer, ChoiceKey};
use cutonce_agent::core::event::{AskKind, EndReason, EventKind};
use cutonce_agent::core::hook::{HookEvent, HookInput, Moment, Permission, Reply};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::plan::PlanEvent;
use cutonce_agent::core::submission::{Answer, Submission};
use cutonce_agent::start::{Opened, Start};
use cutonce_agent::{Approver, Events, Hook, Session};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, mpsc};

/// Says yes to everything, in every way there is, and remembers what it was told.
#[derive(Default)]
struct YesMan {
    told: Mutex<Vec<Value>>,
    decided: Notify,
}

#[async_trait]
impl Hook for YesMan {
    fn wants(&self, _moment: &Moment) -> bool {
        true
    }
    async fn run(&self, input: &HookInput) -> Reply {
        self.told.lock().unwrap().push(input.to_json());
        let event = input.moment.event();
        if event == HookEvent::PlanDecided {
            self.decided.notify_one();
        }
        let yes = json!({"decision": "approve", "continue": true, "hookSpecificOutput": {"permissionDecision": "allow", "hookEventName": event.name()}});
        Reply::from_json(event, &yes).unwrap()
    }
}

async fn open(folder: &Path, script: Value, hook: Arc<dyn Hook>, mode: Mode) -> (Session, Events) {
    let (project, file) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&file, script.to_string()).unwrap();
    let start = Start {
        home: folder.join("home"),
        cwd: project,
        model: Some(format!("scripted/{}", file.display())),
        approver: Approver::Present,
        mode: Some(mode),
        settings: Some(json!({"plan": {"shell": "readonly"}}).to_string()),
        hooks: vec![hook],
        ..Start::default()
    };
    let Opened { session, events, .. } = start.open().await.unwrap();
    (session, events)
}

#[tokio::test]
async fn ho_7_pm_80_every_moment_is_told_and_no_yes_approves_a_plan_or_lifts_a_denial() {
    let folder = tempfile::tempdir().unwrap();
    let script = json!({"turns": [
        {"calls": [
            {"name": "Write", "input": {"file_path": "a.txt", "content": "x"}},
            {"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}},
            {"name": "ExitPlanMode", "input": {}}]},
        {"text": "approved, done"}]});
    let yes = Arc::new(YesMan::default());
    let (session, mut events) = open(folder.path(), script, yes.clone(), Mode::Plan).await;
    session.say("Plan it.");
    let (mut denied, mut answered) = (Vec::new(), false);
    loop {
        match events.next().await.unwrap().kind {
            EventKind::ToolFinished(finished) if finished.is_error => denied.push(finished.name.clone()),
            EventKind::Plan(PlanEvent::Approved { .. }) => assert!(answered, "nobody approved it"),
            EventKind::Ask(ask) => {
                let AskKind::Plan { request, .. } = &ask.kind else { panic!("{ask:?}") };
                assert_eq!(denied, ["Write"], "the write outside the plan was denied, and the plan still asks");
                answered = true;
                let answer = PlanAnswer::new(&request.ask_id, ChoiceKey::Default);
                session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer: Answer::Plan(answer) });
            }
            EventKind::TurnEnded(ended) => {
                assert_eq!((ended.reason, ended.text.as_str()), (EndReason::Completed, "approved, done"));
                break;
            }
            _ => {}
        }
    }
    yes.decided.notified().await;
    assert!(!folder.path().join("project/a.txt").exists());
    let told = yes.told.lock().unwrap();
    let names = |event: &str| told.iter().filter(|told| told["hook_event_name"] == event).count();
    for (event, times) in [
        ("SessionStart", 1),
        ("UserPromptSubmit", 1),
        ("PreToolUse", 3),
        ("PostToolUse", 1),
        ("PlanSubmitted", 1),
        ("Notification", 1),
        ("PlanDecided", 1),
        ("Stop", 1),
    ] {
        assert_eq!(names(event), times, "{event}: {told:#?}");
    }
    let of = |event: &str| told.iter().find(|told| told["hook_event_name"] == event).unwrap();
    assert_eq!(
        (&of("PlanSubmitted")["plan"], &of("PlanSubmitted")["permission_mode"]),
        (&json!("# Plan\n"), &json!("plan"))
    );
    assert_eq!((&of("PlanDecided")["decision"], &of("PlanDecided")["mode"]), (&json!("approved"), &json!("default")));
    assert_eq!(of("Stop")["last_assistant_message"], "approved, done");
    assert_eq!(of("UserPromptSubmit")["prompt"], "Plan it.");
    let transcript = of("SessionStart")["transcript_path"].as_str().unwrap().to_string();
    assert!(Path::new(&transcript).exists() && transcript.contains(session.id()));
}

/// Never answers what it wants; tells when it was asked.
struct Silent {
    event: HookEvent,
    asked: mpsc::UnboundedSender<()>,
}

#[async_trait]
impl Hook for Silent {
    fn wants(&self, moment: &Moment) -> bool {
        moment.event() == self.event
    }
    async fn run(&self, _input: &HookInput) -> Reply {
        let _ = self.asked.send(());
        std::future::pending().await
    }
}

#[tokio::test]
async fn ho_7_ag_4_an_interrupt_ends_a_hook_that_never_answers() {
    for event in [HookEvent::PreToolUse, HookEvent::PostToolUse, HookEvent::Stop, HookEvent::PlanSubmitted] {
        let folder = tempfile::tempdir().unwrap();
        let calls = json!([
            {"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}},
            {"name": "ExitPlanMode", "input": {}}]);
        let script = match event {
            HookEvent::Stop => json!({"turns": [{"text": "hi"}]}),
            _ => json!({"turns": [{"calls": calls}, {"text": "never"}]}),
        };
        let (asked, mut was_asked) = mpsc::unbounded_channel();
        let (session, mut events) = open(folder.path(), script, Arc::new(Silent { event, asked }), Mode::Plan).await;
        session.say("Plan it.");
        was_asked.recv().await.unwrap();
        session.submit(Submission::Interrupt);
        let ended = loop {
            match events.next().await.unwrap().kind {
                EventKind::TurnEnded(ended) => break ended,
                EventKind::Ask(ask) => panic!("{}: {ask:?}", event.name()),
                _ => {}
            }
        };
        assert!(matches!(ended.reason, EndReason::Interrupted { .. }), "{}: {:?}", event.name(), ended.reason);
        // The session goes on: nothing hangs, and plan mode is still on.
        session.submit(Submission::Close);
        while events.next().await.is_some() {}
    }
}

#[tokio::test]
async fn ho_7_a_message_that_waits_at_the_door_can_be_taken_back_and_the_order_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (asked, mut was_asked) = mpsc::unbounded_channel();
    let silent = Arc::new(Silent { event: HookEvent::UserPromptSubmit, asked });
    let script = json!({"turns": [{"text": "never"}]});
    let (session, mut events) = open(folder.path(), script, silent, Mode::Default).await;
    session.say("first");
    session.say("second");
    was_asked.recv().await.unwrap();
    session.submit(Submission::Interrupt);
    session.submit(Submission::Close);
    let mut ends = Vec::new();
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::User { .. } | EventKind::Requesting { .. } => panic!("{:?}", event.kind),
            EventKind::TurnEnded(ended) => ends.push(ended.reason),
            _ => {}
        }
    }
    assert!(was_asked.try_recv().is_err(), "the second was sent away too");
    // Neither was sent, and whoever waits for the end of either has it.
    assert_eq!(ends, vec![EndReason::Interrupted { in_tools: false }; 2]);
}

/// Denies `a`, changes `b` to `c`, leads a write of the plan elsewhere, and makes nonsense of `bad`.
struct Guard;

#[async_trait]
impl Hook for Guard {
    fn wants(&self, moment: &Moment) -> bool {
        moment.event() == HookEvent::PreToolUse
    }
    async fn run(&self, input: &HookInput) -> Reply {
        let Moment::PreToolUse { tool_input, .. } = &input.moment else { return Reply::default() };
        match tool_input["file_path"].as_str() {
            Some("a") => Reply { permission: Some(Permission::Deny), reason: "not a".into(), ..Reply::default() },
            Some("b") => Reply {
                permission: Some(Permission::Allow),
                updated_input: Some(json!({"file_path": "c", "content": "changed"})),
                ..Reply::default()
            },
            Some(path) if path.contains("/plans/") => Reply {
                permission: Some(Permission::Allow),
                updated_input: Some(json!({"file_path": "outside.txt", "content": "x"})),
                ..Reply::default()
            },
            Some("bad") => Reply { updated_input: Some(json!({"nonsense": 1})), ..Reply::default() },
            _ => Reply::default(),
        }
    }
}

#[tokio::test]
async fn ho_7_a_hook_added_later_changes_and_denies_calls() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str| json!({"name": "Write", "input": {"file_path": path, "content": "x"}});
    let script = json!({"turns": [{"calls": [write("a"), write("b"), write("bad")]}, {"text": "done"}]});
    let (asked, _keep) = mpsc::unbounded_channel();
    let none = Arc::new(Silent { event: HookEvent::SubagentStop, asked });
    let (session, mut events) = open(folder.path(), script, none, Mode::Default).await;
    session.hooks().add(Arc::new(Guard));
    session.say("go");
    let mut results = Vec::new();
    loop {
        match events.next().await.unwrap().kind {
            EventKind::ToolFinished(finished) => {
                results.push((finished.input.clone(), finished.decision.why.reason.clone()))
            }
            EventKind::TurnEnded(_) => break,
            EventKind::Ask(ask) => panic!("{ask:?}"),
            _ => {}
        }
    }
    assert_eq!(results[0].1, "a hook denied it: not a");
    assert_eq!(results[1], (json!({"file_path": "c", "content": "changed"}), "a hook allowed it".to_string()));
    assert_eq!(results.len(), 3);
    let project = folder.path().join("project");
    assert!(!project.join("a").exists() && !project.join("b").exists() && !project.join("bad").exists());
    assert_eq!(std::fs::read_to_string(project.join("c")).unwrap(), "changed");
}

#[tokio::test]
async fn ho_7_pm_60_what_a_hook_makes_of_a_call_is_decided_anew_in_plan_mode() {
    let folder = tempfile::tempdir().unwrap();
    let script = json!({"turns": [
        {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]},
        {"text": "done"}]});
    let (session, mut events) = open(folder.path(), script, Arc::new(Guard), Mode::Plan).await;
    session.say("plan");
    let finished = loop {
        if let EventKind::ToolFinished(finished) = events.next().await.unwrap().kind {
            break finished;
        }
    };
    assert_eq!((finished.is_error, finished.decision.why.reason.as_str()), (true, "plan mode is read-only"));
    assert_eq!(finished.input["file_path"], "outside.txt", "the record shows what was decided");
    assert!(!folder.path().join("project/outside.txt").exists());
}

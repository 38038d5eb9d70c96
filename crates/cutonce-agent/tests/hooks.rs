//! Hooks of an embedding program through the library (HO-7): they see every event of a plan's life, can't approve a
//! plan, and can be interrupted if they never answer.

#![allow(clippy::unwrap_used)]

use async_trait::async_trait;
use cutonce_agent::builder::{OpenedSession, SessionBuilder};
use cutonce_agent::core::hooks::{HookAnswer, HookEvent, HookInput, HookPayload, HookPermission};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::plan::PlanEvent;
use cutonce_agent::core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_agent::core::protocol::event::{AskKind, EndReason, EventKind};
use cutonce_agent::core::protocol::submission::{AskAnswer, Submission};
use cutonce_agent::{Approver, EventStream, Hook, Session};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, mpsc};

/// Approves everything in every possible way, and records its inputs.
#[derive(Default)]
struct YesMan {
    told: Mutex<Vec<Value>>,
    decided: Notify,
}

#[async_trait]
impl Hook for YesMan {
    fn wants(&self, _moment: &HookPayload) -> bool {
        true
    }
    async fn run(&self, input: &HookInput) -> HookAnswer {
        self.told.lock().unwrap().push(input.to_json());
        let event = input.payload.event();
        if event == HookEvent::PlanDecided {
            self.decided.notify_one();
        }
        let yes = json!({"decision": "approve", "continue": true, "hookSpecificOutput": {"permissionDecision": "allow", "hookEventName": event.name()}});
        HookAnswer::from_json(event, &yes).unwrap()
    }
}

async fn open(folder: &Path, script: Value, hook: Arc<dyn Hook>, mode: Mode) -> (Session, EventStream) {
    let (project, file) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&file, script.to_string()).unwrap();
    let mut builder = SessionBuilder::new(folder.join("home"), project);
    builder.model.main = Some(format!("scripted/{}", file.display()));
    builder.permissions.approver = Approver::Present;
    builder.permissions.mode = Some(mode);
    builder.settings.flag = Some(json!({"plan": {"shell": "readonly"}}).to_string());
    builder.host.hooks = vec![hook];
    let OpenedSession { session, events, .. } = builder.open().await.unwrap();
    (session, events)
}

#[tokio::test]
async fn ho_7_hooks_cannot_approve_plans_or_lift_denials() {
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
            EventKind::Plan(PlanEvent::Approved { .. }) => assert!(answered, "approved without an answer"),
            EventKind::Ask(ask) => {
                let AskKind::Plan { request, .. } = &ask.kind else { panic!("{ask:?}") };
                assert_eq!(denied, ["Write"], "the write outside the plan was denied, and the plan still asks");
                answered = true;
                let answer = PlanAnswer::new(&request.ask_id, ChoiceKey::Default);
                session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer: AskAnswer::Plan(answer) });
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

/// Never replies to the events it handles; signals when it was called.
struct Silent {
    event: HookEvent,
    asked: mpsc::UnboundedSender<()>,
}

#[async_trait]
impl Hook for Silent {
    fn wants(&self, moment: &HookPayload) -> bool {
        moment.event() == self.event
    }
    async fn run(&self, _input: &HookInput) -> HookAnswer {
        let _ = self.asked.send(());
        std::future::pending().await
    }
}

#[tokio::test]
async fn ho_7_interrupt_ends_a_hanging_hook() {
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
        // The session continues: nothing hangs, and plan mode is still on.
        session.submit(Submission::Close);
        while events.next().await.is_some() {}
    }
}

#[tokio::test]
async fn ho_7_queued_prompt_can_be_cancelled_in_order() {
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
    assert!(was_asked.try_recv().is_err(), "the second was cancelled too");
    // Neither was sent, and callers waiting for their end are notified.
    assert_eq!(ends, vec![EndReason::Interrupted { in_tools: false }; 2]);
}

/// Denies `a`, changes `b` to `c`, redirects a write of the plan, and returns nonsense for `bad`.
struct Guard;

#[async_trait]
impl Hook for Guard {
    fn wants(&self, moment: &HookPayload) -> bool {
        moment.event() == HookEvent::PreToolUse
    }
    async fn run(&self, input: &HookInput) -> HookAnswer {
        let HookPayload::PreToolUse { tool_input, .. } = &input.payload else { return HookAnswer::default() };
        match tool_input["file_path"].as_str() {
            Some("a") => {
                HookAnswer { permission: Some(HookPermission::Deny), reason: "not a".into(), ..HookAnswer::default() }
            }
            Some("b") => HookAnswer {
                permission: Some(HookPermission::Allow),
                updated_input: Some(json!({"file_path": "c", "content": "changed"})),
                ..HookAnswer::default()
            },
            Some(path) if path.contains("/plans/") => HookAnswer {
                permission: Some(HookPermission::Allow),
                updated_input: Some(json!({"file_path": "outside.txt", "content": "x"})),
                ..HookAnswer::default()
            },
            Some("bad") => HookAnswer { updated_input: Some(json!({"nonsense": 1})), ..HookAnswer::default() },
            _ => HookAnswer::default(),
        }
    }
}

#[tokio::test]
async fn ho_7_hook_added_later_changes_and_denies_calls() {
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
async fn ho_7_input_changed_by_hook_is_decided_again() {
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
    assert_eq!(finished.input["file_path"], "outside.txt", "the record shows the decided input");
    assert!(!folder.path().join("project/outside.txt").exists());
}

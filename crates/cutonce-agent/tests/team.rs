//! Teams through the library: a host's hooks apply to teammates, and their asks survive a rewind of the lead.

#![allow(clippy::unwrap_used, clippy::panic)]

use async_trait::async_trait;
use cutonce_agent::builder::{OpenedSession, SessionBuilder, SessionSelector};
use cutonce_agent::core::hooks::{HookAnswer, HookEvent, HookInput, HookPayload};
use cutonce_agent::core::protocol::event::{AskKind, AskView, EventKind};
use cutonce_agent::core::protocol::submission::{AskAnswer, PermissionAnswer, Submission};
use cutonce_agent::storage::TranscriptReader;
use cutonce_agent::team::TeamHistory;
use cutonce_agent::{Approver, Hook};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Denies every Write.
struct NoWrites;

#[async_trait]
impl Hook for NoWrites {
    fn wants(&self, moment: &HookPayload) -> bool {
        moment.event() == HookEvent::PreToolUse
    }
    async fn run(&self, input: &HookInput) -> HookAnswer {
        let said = match input.to_json()["tool_name"] == "Write" {
            true => json!({"decision": "block", "reason": "HOOK-WORDS"}),
            false => json!({}),
        };
        HookAnswer::from_json(HookEvent::PreToolUse, &said).unwrap()
    }
}

async fn open(folder: &Path, turns: Value, hooks: Vec<Arc<dyn Hook>>) -> OpenedSession {
    open_as(folder, turns, hooks, None).await
}

async fn open_as(folder: &Path, turns: Value, hooks: Vec<Arc<dyn Hook>>, id: Option<&str>) -> OpenedSession {
    let (project, script) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&script, json!({ "turns": turns }).to_string()).unwrap();
    let mut builder = SessionBuilder::new(folder.join("home"), project);
    builder.model.main = Some(format!("scripted/{}", script.display()));
    builder.permissions.approver = Approver::Present;
    builder.team.program = Some(PathBuf::from("/nonexistent"));
    builder.host.hooks = hooks;
    builder.resume.selector = id.map_or(SessionSelector::New, |id| SessionSelector::NewWithId(id.into()));
    builder.open().await.unwrap()
}

fn create(own_process: bool) -> Value {
    let member = json!({"name": "bob", "task": "Write it.", "ownProcess": own_process});
    json!({"name": "TeamCreate", "input": {"teamName": "red", "members": [member]}})
}

fn write() -> Value {
    json!({"when": "You are `bob`", "calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "x\n"}}]})
}

#[tokio::test]
async fn ho_7_host_hooks_apply_to_teammates() {
    let folder = tempfile::tempdir().unwrap();
    let told = json!({"name": "SendMessage", "input": {"to": "team-lead", "text": "BOB-HEARD"}});
    let turns = json!([
        {"when": "BOB-HEARD", "text": "ok", "repeat": 9},
        {"when": "HOOK-WORDS", "calls": [told]},
        write(),
        {"when": "can't run in a separate process here", "text": "Refused."},
        {"when": "SECOND-WORDS", "calls": [create(false)]},
        {"when": "FIRST-WORDS", "calls": [create(true)]},
        {"text": "Waiting.", "repeat": 9},
    ]);
    let OpenedSession { session, mut events, .. } = open(folder.path(), turns, vec![Arc::new(NoWrites)]).await;
    // If the hooks can't run there, no teammate is started.
    session.say("FIRST-WORDS");
    loop {
        if let EventKind::TurnEnded(ended) = events.next().await.unwrap().kind {
            assert_eq!(ended.text, "Refused.");
            break;
        }
    }
    session.submit(Submission::Clear);
    session.say("SECOND-WORDS");
    loop {
        match events.next().await.unwrap().kind {
            EventKind::TurnEnded(ended) if ended.text == "ok" => break,
            EventKind::Ask(ask) => panic!("the hook must deny before asking: {ask:?}"),
            _ => {}
        }
    }
    assert!(!folder.path().join("project/b.txt").exists());
}

#[tokio::test]
async fn tm_2_teammate_asks_survive_a_rewind() {
    let folder = tempfile::tempdir().unwrap();
    let turns = json!([write(), {"when": "FIRST-WORDS", "calls": [create(false)]}, {"text": "Waiting.", "repeat": 9}]);
    let OpenedSession { session, mut events, transcript, .. } = open(folder.path(), turns, Vec::new()).await;
    session.say("FIRST-WORDS");
    let (mut first, mut ask, mut idle): (Option<String>, Option<Arc<AskView>>, bool) = (None, None, false);
    while ask.is_none() || !idle {
        match events.next().await.unwrap().kind {
            EventKind::User { id, meta: false, .. } => first = Some(id),
            EventKind::Ask(came) => ask = Some(came),
            EventKind::TurnEnded(_) => idle = true,
            _ => {}
        }
    }
    let ask = ask.unwrap();
    assert!(matches!(&ask.kind, AskKind::Permission { from: Some(name), .. } if name == "bob"), "{ask:?}");
    session.submit(Submission::Rewind { to: first.unwrap(), files: false, conversation: true });
    loop {
        if matches!(events.next().await.unwrap().kind, EventKind::Notice { text, .. } if text.contains("put back")) {
            break;
        }
    }
    let open = |transcript: &Path| {
        let mut reader = TranscriptReader::open(transcript).unwrap();
        let entries: Vec<_> = (0..reader.len()).filter_map(|at| reader.entry(at).unwrap()).collect();
        let past = TeamHistory::from_entries(entries.iter().map(|entry| &entry.body));
        past.requests.requests().iter().map(|open| open.id().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(open(&transcript), std::slice::from_ref(&ask.ask_id));
    let allow = AskAnswer::Permission(PermissionAnswer::Allow { remember: Vec::new() });
    session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer: allow });
    loop {
        if matches!(events.next().await.unwrap().kind, EventKind::AskClosed { ask_id, .. } if ask_id == ask.ask_id) {
            break;
        }
    }
    assert_eq!(open(&transcript), [""; 0]);
}

/// The team of the session `lead-1` on disk.
fn save_team(folder: &Path, pending_tasks: Value) -> PathBuf {
    let bob = json!({"name": "bob", "planModeRequired": false, "ownProcess": false, "mode": "default", "bypassAvailable": false});
    let record =
        json!({"id": "t-1", "name": "red", "leadSession": "lead-1", "members": [bob], "pendingTasks": pending_tasks});
    let path = folder.join("home/teams/red/team.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, record.to_string()).unwrap();
    path
}

/// How long a lead without news may wait, until the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// TM-2: a lead was killed inside TeamCreate, after the team was saved and before the task was sent.
#[tokio::test]
async fn tm_2_task_of_an_interrupted_create_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let told = json!({"name": "SendMessage", "input": {"to": "team-lead", "text": "BOB-HEARD"}});
    let turns = json!([
        {"when": "BOB-HEARD", "text": "ok", "repeat": 9},
        {"when": "Write it.", "calls": [told]},
        {"text": "Waiting.", "repeat": 9},
    ]);
    let team = save_team(folder.path(), json!({"bob": "Write it."}));
    let OpenedSession { session, mut events, .. } = open_as(folder.path(), turns, Vec::new(), Some("lead-1")).await;
    let told = async {
        while !matches!(events.next().await.unwrap().kind, EventKind::TurnEnded(ended) if ended.text == "ok") {}
    };
    assert!(tokio::time::timeout(PATIENCE, told).await.is_ok(), "the task did not arrive");
    assert!(!std::fs::read_to_string(&team).unwrap().contains("pendingTasks"), "the task was sent");
    drop(session);
}

/// DU-1, TM-2: a member that never reports again does not keep a lead from ending.
#[tokio::test]
async fn du_1_shutdown_waits_for_no_teammate() {
    let folder = tempfile::tempdir().unwrap();
    save_team(folder.path(), json!({}));
    let turns = json!([{"text": "Hello.", "repeat": 9}]);
    let OpenedSession { session, mut events, .. } = open_as(folder.path(), turns, Vec::new(), Some("lead-1")).await;
    loop {
        if matches!(events.next().await.unwrap().kind, EventKind::Team(_)) {
            break;
        }
    }
    session.submit(Submission::Shutdown);
    while events.next().await.is_some() {}
}

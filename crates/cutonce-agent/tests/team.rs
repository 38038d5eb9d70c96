//! Teams through the library: a host's hooks hold for teammates, too, and what a teammate asks outlives a rewind of its lead.

#![allow(clippy::unwrap_used, clippy::panic)]

use async_trait::async_trait;
use cutonce_agent::core::event::{AskKind, AskView, EventKind};
use cutonce_agent::core::hook::{HookEvent, HookInput, Moment, Reply};
use cutonce_agent::core::submission::{Answer, PermissionAnswer, Submission};
use cutonce_agent::start::{Opened, Start};
use cutonce_agent::store::Reader;
use cutonce_agent::team::Past;
use cutonce_agent::{Approver, Hook};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Denies every Write.
struct NoWrites;

#[async_trait]
impl Hook for NoWrites {
    fn wants(&self, moment: &Moment) -> bool {
        moment.event() == HookEvent::PreToolUse
    }
    async fn run(&self, input: &HookInput) -> Reply {
        let said = match input.to_json()["tool_name"] == "Write" {
            true => json!({"decision": "block", "reason": "HOOK-WORDS"}),
            false => json!({}),
        };
        Reply::from_json(HookEvent::PreToolUse, &said).unwrap()
    }
}

async fn open(folder: &Path, turns: Value, hooks: Vec<Arc<dyn Hook>>) -> Opened {
    let (project, script) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(&script, json!({ "turns": turns }).to_string()).unwrap();
    let start = Start {
        home: folder.join("home"),
        cwd: project,
        model: Some(format!("scripted/{}", script.display())),
        approver: Approver::Present,
        program: Some(PathBuf::from("/nonexistent")),
        hooks,
        ..Start::default()
    };
    start.open().await.unwrap()
}

fn create(own_process: bool) -> Value {
    let member = json!({"name": "bob", "task": "Write it.", "ownProcess": own_process});
    json!({"name": "TeamCreate", "input": {"teamName": "red", "members": [member]}})
}

fn write() -> Value {
    json!({"when": "You are `bob`", "calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "x\n"}}]})
}

#[tokio::test]
async fn ho_7_tm_1_a_hosts_hooks_hold_for_teammates_too() {
    let folder = tempfile::tempdir().unwrap();
    let told = json!({"name": "SendMessage", "input": {"to": "team-lead", "text": "BOB-HEARD"}});
    let turns = json!([
        {"when": "BOB-HEARD", "text": "ok", "repeat": 9},
        {"when": "HOOK-WORDS", "calls": [told]},
        write(),
        {"when": "can't have a process of its own here", "text": "Refused."},
        {"when": "SECOND-WORDS", "calls": [create(false)]},
        {"when": "FIRST-WORDS", "calls": [create(true)]},
        {"text": "Waiting.", "repeat": 9},
    ]);
    let Opened { session, mut events, .. } = open(folder.path(), turns, vec![Arc::new(NoWrites)]).await;
    // Where the hooks could not be asked, nobody is started.
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
            EventKind::Ask(ask) => panic!("the hook denies before anybody is asked: {ask:?}"),
            _ => {}
        }
    }
    assert!(!folder.path().join("project/b.txt").exists());
}

#[tokio::test]
async fn tm_2_what_a_teammate_asks_outlives_a_rewind_of_its_lead() {
    let folder = tempfile::tempdir().unwrap();
    let turns = json!([write(), {"when": "FIRST-WORDS", "calls": [create(false)]}, {"text": "Waiting.", "repeat": 9}]);
    let Opened { session, mut events, transcript, .. } = open(folder.path(), turns, Vec::new()).await;
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
        let mut reader = Reader::open(transcript).unwrap();
        let entries: Vec<_> = (0..reader.len()).filter_map(|at| reader.entry(at).unwrap()).collect();
        let past = Past::of(entries.iter().map(|entry| &entry.body));
        past.wanted.open().iter().map(|open| open.request_id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(open(&transcript), std::slice::from_ref(&ask.ask_id));
    let allow = Answer::Permission(PermissionAnswer::Allow { remember: Vec::new() });
    session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer: allow });
    loop {
        if matches!(events.next().await.unwrap().kind, EventKind::AskClosed { ask_id, .. } if ask_id == ask.ask_id) {
            break;
        }
    }
    assert_eq!(open(&transcript), [""; 0]);
}

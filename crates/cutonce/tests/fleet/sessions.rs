//! FL-1, FL-2, FL-4: sessions that continue on another machine, and reviews of waiting plans.

use crate::stage::{Stage, block_on, git, wait_until};
use cutonce_agent::review_socket::LocalSessions;
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::review_request::{ReviewerAnswer, ReviewerMessage};
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_fleet::FleetLink;
use cutonce_fleet::blob::StoredText;
use cutonce_fleet::review::ReviewRecord;
use cutonce_fleet::session_events::SessionEvents;
use cutonce_fleet::session_log::{SessionUpload, UploadError};
use cutonce_fleet::streams::FleetStream;
use serde_json::{Value, json};

#[test]
fn fl_4_session_continues_on_another_machine() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let id = "019a0000-0000-7000-8000-000000000001";
    ann.ok(&["-p", "first words", "--session-id", id, "--remote", "team"]);
    let clone = stage.root.path().join("clone");
    let (from, to) = (stage.repo().display().to_string(), clone.display().to_string());
    git(stage.root.path(), &["clone", "-q", &from, &to]);
    let there = bob.in_folder(&clone);
    there.ok(&["-p", "second words", "--resume", id, "--remote", "team"]);
    let last = String::from_utf8_lossy(&stage.model.requests().last().unwrap().body).into_owned();
    assert!(last.contains("first words") && last.contains("second words"), "{last}");
    // Back at the first machine, with what the second one added.
    ann.ok(&["-p", "third words", "--resume", id, "--remote", "team"]);
    let last = String::from_utf8_lossy(&stage.model.requests().last().unwrap().body).into_owned();
    let at = |words: &str| last.find(words).unwrap_or_else(|| panic!("{words} is missing"));
    assert!(at("first words") < at("second words") && at("second words") < at("third words"));
    // A folder that is no clone is refused without a user.
    let other = stage.root.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let error =
        stage.member(&ann, "carl", "approve").in_folder(&other).fails(&["-p", "x", "--resume", id, "--remote", "team"]);
    assert!(error.contains("no clone of that repository"), "{error}");
}

#[test]
fn fl_4_local_file_stays_the_truth_without_server() {
    let stage = Stage::new();
    let ann = stage.owner();
    let id = "019a0000-0000-7000-8000-000000000002";
    drop(stage.nats);
    ann.ok(&["-p", "first words", "--session-id", id, "--remote", "team"]);
    ann.ok(&["-p", "second words", "--resume", id, "--remote", "team"]);
    let last = String::from_utf8_lossy(&stage.model.requests().last().unwrap().body).into_owned();
    assert!(last.contains("first words") && last.contains("second words"), "{last}");
}

#[test]
fn fl_1_members_watch_the_events_of_a_session() {
    let call = r#"{"name": "Read", "input": {"file_path": "a.txt"}}"#;
    let stage = Stage::with_script(&format!(r#"{{"turns": [{{"calls": [{call}]}}, {{"text": "All read."}}]}}"#));
    let ann = stage.owner();
    let (bob, eve) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "eve", "comment"));
    let id = "019a0000-0000-7000-8000-000000000009";
    // A member who may not continue the session reports nothing about it.
    block_on(async {
        let link = FleetLink::connect(&eve.home, "team").await.unwrap();
        let events = SessionEvents { from: 0, events: vec![json!({"type": "closed", "time": 1})] };
        link.publish_session_events(id, &events).await.unwrap();
    });
    ann.ok(&["-p", "Read it.", "--session-id", id, "--remote", "team"]);
    let watched = bob.ok(&["sessions", "--remote", "team", id, "--json"]);
    let events: Vec<Value> = watched.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(names, ["turn.started", "user", "call.started", "call.finished", "turn.ended", "closed"], "{watched}");
    assert_eq!((&events[2]["name"], &events[4]["text"]), (&json!("Read"), &json!("All read.")));
    let lines = bob.ok(&["sessions", "--remote", "team", id]);
    assert!(lines.contains("call.started") && lines.contains("name: Read"), "{lines}");
}

#[test]
fn fl_2_reviewers_approve_and_work_follows() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, carl) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "carl", "comment"));
    let id = ann.submit_task(&["--then", "implement", "--quorum", "2"]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    let waiting = bob.json(&["review", "--remote", "team", "--json"]);
    assert_eq!((&waiting[0]["id"], &waiting[0]["quorum"]), (&json!(id), &json!(2)), "{waiting}");
    let hash = waiting[0]["sha256"].as_str().unwrap();
    assert!(bob.ok(&["review", &id, "--remote", "team"]).contains("    3  Add new.txt."));
    let wrong = "0".repeat(64);
    let error = bob.fails(&["review", &id, "--remote", "team", "--approve", "--sha256", &wrong]);
    assert!(error.contains("differs from the one you approve"), "{error}");
    let error = carl.fails(&["review", &id, "--remote", "team", "--approve"]);
    assert!(error.contains("role comment"), "{error}");
    let first = bob.ok(&["review", &id, "--remote", "team", "--approve", "--sha256", hash]);
    assert!(first.contains("1 of 2"), "{first}");
    // The same person again is still one approver.
    assert!(bob.ok(&["review", &id, "--remote", "team", "--approve"]).contains("1 of 2"));
    let second = ann.ok(&["review", &id, "--remote", "team", "--approve"]);
    assert!(second.contains("Queued the implementation"), "{second}");
    let late = carl.fails(&["review", &id, "--remote", "team", "--changes", "wait"]);
    assert!(late.contains("already approved by") && late.contains("bob"), "{late}");
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(ann.job(&format!("{id}-implement"))["state"], "done");
    // A request for changes ends the round; the job can be queued again.
    let other = ann.submit_task(&[]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    carl.ok(&["review", &other, "--remote", "team", "--changes", "smaller steps"]);
    let sent_back = ann.job(&other);
    assert_eq!((&sent_back["state"], &sent_back["decision"]["feedback"]), (&json!("done"), &json!("smaller steps")));
    assert!(bob.fails(&["review", &other, "--remote", "team", "--approve"]).contains("already sent back by carl"));
    ann.ok(&["jobs", "retry", &other, "--remote", "team"]);
}

#[test]
fn fl_1_doctor_tells_what_is_wrong() {
    let stage = Stage::new();
    let ann = stage.owner();
    let report = ann.ok(&["doctor", "--remote", "team"]);
    assert!(report.contains("no TLS needed") && report.contains("ann as owner, 1 members"), "{report}");
    assert!(report.contains("queue: 0 messages"), "{report}");
    drop(stage.nats);
    let output = wait_until("the end of the server", || {
        let output = ann.run(&["doctor", "--remote", "team"]);
        (!output.status.success()).then_some(output)
    });
    assert!(crate::stage::text(&output.stdout).contains("BROKEN  server"));
}

/// A conversation whose plan waits; its input stays open.
fn planning_session(ann: &crate::stage::Person, more: &[&str]) -> crate::stage::Running {
    let args = ["--plain", "--permission-mode", "plan", "--remote", "team", "PLANME please"];
    let mut command = ann.command(&[more, &args].concat());
    let command = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
    crate::stage::Running(command.stderr(std::process::Stdio::null()).spawn().unwrap())
}

fn waiting_request(person: &crate::stage::Person) -> String {
    wait_until("a waiting plan", || {
        let waiting = person.json(&["review", "--remote", "team", "--json"]);
        waiting[0]["id"].as_str().map(str::to_string)
    })
}

#[test]
fn fl_2_members_answer_plans_of_sessions() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, carl) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "carl", "comment"));
    let _session = planning_session(&ann, &[]);
    let id = waiting_request(&bob);
    assert!(bob.ok(&["review", &id, "--remote", "team"]).contains("    3  Add new.txt."));
    assert!(carl.fails(&["review", &id, "--remote", "team", "--approve"]).contains("role comment"));
    assert_eq!(bob.ok(&["review", &id, "--remote", "team", "--approve"]).trim(), "Approved.");
    let late = carl.fails(&["review", &id, "--remote", "team", "--changes", "no"]);
    assert!(late.contains("already approved by bob"), "{late}");
}

#[test]
fn fl_2_only_the_session_closes_its_request() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, eve) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "eve", "comment"));
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        let text = StoredText::Inline("# Plan\n".into());
        let sha256 = cutonce_core::plan::sha256_hex("# Plan\n");
        let (session, project) = ("s-1".to_string(), "/p".to_string());
        let request = ReviewRecord::Requested { session, project, text, sha256, request: None };
        link.publish_review("ask-1", &request).await.unwrap();
        let mut news = link.follow::<ReviewRecord>(FleetStream::Reviews, "ask-1", 1).await.unwrap();
        let mut reviewer = bob.spawn(&["review", "ask-1", "--remote", "team", "--approve"]);
        while !matches!(news.next().await.unwrap().body, ReviewRecord::Answered { .. }) {}
        // A member who may only comment pretends that the plan was sent back; then the session decides.
        let closed = |by: &str, approved| ReviewRecord::Closed { by: Some(by.into()), approved, choice: None };
        let foe = FleetLink::connect(&eve.home, "team").await.unwrap();
        foe.publish_review("ask-1", &closed("ann", false)).await.unwrap();
        link.publish_review("ask-1", &closed("bob", true)).await.unwrap();
        let output = tokio::task::spawn_blocking(move || {
            let code = reviewer.end();
            let mut told = String::new();
            std::io::Read::read_to_string(reviewer.0.stdout.as_mut().unwrap(), &mut told).unwrap();
            (code, told)
        });
        assert_eq!(output.await.unwrap(), (Some(0), "Approved.\n".to_string()));
    });
}

/// Two steps, the first with a check.
const TWO_STEPS: &str = "# Say hello\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: grep hello hello.txt\n2. Write the farewell\n   - files: bye.txt (new)\n";

#[test]
fn fl_1_remote_reviewers_see_evidence_and_report() {
    let write = |path: &str, content: &str| json!({"name": "Write", "input": {"file_path": path, "content": content}});
    let check = json!({"name": "Bash", "input": {"command": "grep hello hello.txt"}});
    let turns = json!({"turns": [
        {"calls": [write("{plan}", TWO_STEPS), {"name": "ExitPlanMode", "input": {}}]},
        {"calls": [write("hello.txt", "hello\n"), check]},
        {"calls": [write("bye.txt", "bye\n")]},
        {"text": "Both are written."},
    ]});
    let stage = Stage::with_script(&turns.to_string());
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let session = planning_session(&ann, &["--allowed-tools", "Write,Bash(grep:*)"]);
    let id = waiting_request(&bob);
    bob.ok(&["review", &id, "--remote", "team", "--approve"]);
    let shown = wait_until("the report", || {
        let shown = bob.json(&["review", &id, "--remote", "team", "--json"]);
        (!shown["report"].is_null()).then_some(shown)
    });
    assert_eq!(shown["approvedBy"], "bob");
    let states: Vec<&serde_json::Value> =
        shown["steps"].as_array().unwrap().iter().map(|step| &step["state"]).collect();
    assert_eq!(states, ["checked", "changed"], "{shown}");
    assert_eq!((&shown["steps"][0]["exitCode"], &shown["steps"][0]["output"]), (&json!(0), &json!("hello")), "{shown}");
    let told = bob.ok(&["review", &id, "--remote", "team"]);
    assert!(told.contains("1 checked: hello.txt; `grep hello hello.txt` exited 0"), "{told}");
    drop(session);
}

#[test]
fn fl_2_quorum_needs_the_local_user_too() {
    use std::io::Write;
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let mut session = planning_session(&ann, &["--settings", r#"{"plan": {"quorum": 2}}"#]);
    let id = waiting_request(&bob);
    let reviewer = bob.spawn(&["review", &id, "--remote", "team", "--approve"]);
    let mut input = session.0.stdin.take().unwrap();
    // Approve, confirm each edit; Enter confirms the choice.
    input.write_all(b"2\n\n").unwrap();
    let mut reviewer = reviewer;
    reviewer.end();
    let mut output = String::new();
    std::io::Read::read_to_string(reviewer.0.stdout.as_mut().unwrap(), &mut output).unwrap();
    assert!(output.contains("Approved."), "{output}");
}

#[test]
fn fl_4_lost_confirmations_do_not_stop_an_upload() {
    let stage = Stage::new();
    let ann = stage.owner();
    let file = stage.root.path().join("s.jsonl");
    std::fs::write(&file, "one\ntwo\n").unwrap();
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        let work = link.put_blob(b"work").await.unwrap();
        let mut first = SessionUpload::open(&link, "s", &file, None).await.unwrap();
        let mut second = SessionUpload::open(&link, "s", &file, None).await.unwrap();
        // Without the work that belongs to the lines, they are not stored.
        let failed = first.push(&link, async || Err(UploadError::Checkpoint("no".into()))).await;
        assert!(matches!(failed, Err(UploadError::Checkpoint(_))));
        assert!(link.read_session("s").await.unwrap().is_none());
        assert!(first.push(&link, async || Ok(Some(work.clone()))).await.unwrap());
        // As after a publication whose confirmation was lost: the stream is ahead, with the same lines.
        assert!(second.push(&link, async || Ok(Some(work.clone()))).await.unwrap());
        assert_eq!(second.lines(), 2);
        std::fs::write(&file, "one\ntwo\nthree\n").unwrap();
        let newer = link.put_blob(b"newer").await.unwrap();
        while second.push(&link, async || Ok(Some(newer.clone()))).await.unwrap() {}
        let stored = link.read_session("s").await.unwrap().unwrap();
        assert_eq!((stored.bytes(), stored.changes), (b"one\ntwo\nthree\n".to_vec(), Some(newer)));
        assert!(link.get_blob(&work).await.is_err(), "work that was replaced is removed");
        // Other lines are those of another machine.
        std::fs::write(&file, "one\ntwo\n3\n4\n").unwrap();
        let ended = first.push(&link, async || Ok(None)).await;
        assert!(matches!(ended, Err(UploadError::Overtaken)), "{ended:?}");
    });
}

/// A transcript carries the task, modes and approvals: who may not approve must not write one for others.
#[test]
fn fl_2_only_some_roles_continue_sessions() {
    let stage = Stage::new();
    let ann = stage.owner();
    let people = [("bob", "approve"), ("carl", "comment"), ("wanda", "worker")];
    let [bob, carl, wanda] = people.map(|(name, role)| stage.member(&ann, name, role));
    block_on(async {
        let link = async |home: &std::path::Path| FleetLink::connect(home, "team").await.unwrap();
        let (bob, carl, wanda) = (link(&bob.home).await, link(&carl.home).await, link(&wanda.home).await);
        let write = async |link: &FleetLink, id: &str, from: u64, text: &str| {
            let chunk = json!({ "from": from, "lines": [text] });
            link.publish(FleetStream::Sessions, id, &cutonce_agent::new_id(), &chunk).await.unwrap();
        };
        // No worker has started this job yet: the forged transcript would replace its task.
        write(&carl, "job", 0, "forged by carl").await;
        write(&bob, "job", 0, "forged by bob").await;
        assert!(wanda.read_job_session("job").await.unwrap().is_none());
        write(&wanda, "job", 0, "of the worker").await;
        let stored = wanda.read_job_session("job").await.unwrap().unwrap();
        assert_eq!(stored.bytes(), b"of the worker\n");
        write(&bob, "user", 0, "of bob").await;
        write(&wanda, "user", 1, "forged by the worker").await;
        write(&carl, "user", 1, "forged by carl").await;
        assert_eq!(bob.read_session("user").await.unwrap().unwrap().bytes(), b"of bob\n");
    });
}

#[test]
fn fl_2_quorum_waits_after_the_browser() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let told = stage.root.path().join("told");
    let settings = r#"{"plan": {"quorum": 2}}"#;
    let args = ["--plain", "--permission-mode", "plan", "--remote", "team", "--settings", settings, "PLANME please"];
    let mut command = ann.command(&args);
    let file = std::fs::File::create(&told).unwrap();
    command.stdin(std::process::Stdio::piped()).stdout(file.try_clone().unwrap()).stderr(file);
    let _session = crate::stage::Running(command.spawn().unwrap());
    waiting_request(&bob);
    let waiting = bob.json(&["review", "--remote", "team", "--json"])[0].clone();
    let field = |name: &str| waiting[name].as_str().unwrap().to_string();
    let (ask_id, session) = (field("id"), field("session"));
    block_on(async {
        let (sessions, mut updates) = LocalSessions::follow(&ann.home).unwrap();
        // The session is known once it reports something.
        while updates.recv().await.unwrap().session != session {}
        let answer = AskAnswer::Plan(PlanAnswer::new(&ask_id, ChoiceKey::Restore));
        let answer = ReviewerAnswer { ask_id: ask_id.clone(), sha256: Some(field("sha256")), answer };
        let message = ReviewerMessage::Answer(Box::new(answer));
        sessions.send(&session, Answerer::BROWSER, message).await.unwrap();
    });
    let read = || std::fs::read_to_string(&told).unwrap();
    wait_until("the count of approvals", || read().contains("1 of 2 approvals").then_some(()));
    assert!(!read().contains("in the browser"), "not approved yet: {}", read());
    assert_eq!(waiting_request(&bob), ask_id, "the plan still waits");
    assert_eq!(bob.ok(&["review", &ask_id, "--remote", "team", "--approve"]).trim(), "Approved.");
}

#[test]
fn fl_2_one_request_for_changes_ends_the_quorum() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, carl) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "carl", "comment"));
    let _session = planning_session(&ann, &["--settings", r#"{"plan": {"quorum": 3}}"#]);
    let id = waiting_request(&bob);
    let told = carl.ok(&["review", &id, "--remote", "team", "--changes", "smaller"]);
    assert_eq!(told.trim(), "Sent back with feedback.");
    assert!(bob.fails(&["review", &id, "--remote", "team", "--approve"]).contains("already sent back by carl"));
}

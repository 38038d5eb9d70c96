//! FL-2: `plan.quorum` counts different people, the user of the session among them.

use crate::stage::{Person, Running, Stage, wait_until};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

/// A session whose plan waits for two people.
struct QuorumSession {
    session: Running,
    told: PathBuf,
    ask_id: String,
}

impl QuorumSession {
    fn start(stage: &Stage, ann: &Person, reviewer: &Person, quorum: u32) -> QuorumSession {
        let told = stage.root.path().join("told");
        let settings = json!({"plan": {"quorum": quorum}}).to_string();
        let args =
            ["--plain", "--permission-mode", "plan", "--remote", "team", "--settings", &settings, "PLANME please"];
        let mut command = ann.command(&args);
        let file = std::fs::File::create(&told).unwrap();
        command.stdin(Stdio::piped()).stdout(file.try_clone().unwrap()).stderr(file);
        let session = Running(command.spawn().unwrap());
        let ask_id = wait_until("a waiting plan", || {
            let waiting = reviewer.json(&["review", "--remote", "team", "--json"]);
            waiting[0]["id"].as_str().map(str::to_string)
        });
        QuorumSession { session, told, ask_id }
    }
    /// The user of the session approves at the terminal.
    fn approve_here(&mut self) {
        self.session.0.stdin.as_mut().unwrap().write_all(b"2\n\n").unwrap();
    }
    fn wait_for_text(&self, text: &str) {
        wait_until(text, || std::fs::read_to_string(&self.told).unwrap().contains(text).then_some(()));
    }
    fn approve(&self, person: &Person) -> Running {
        person.spawn(&["review", &self.ask_id, "--remote", "team", "--approve"])
    }
    fn is_open(&self, person: &Person) -> bool {
        person.json(&["review", "--remote", "team", "--json"])[0]["id"] == json!(self.ask_id)
    }
}

#[test]
fn fl_2_quorum_counts_a_person_once() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, carl) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "carl", "approve"));
    let mut session = QuorumSession::start(&stage, &ann, &bob, 3);
    let _first = session.approve(&bob);
    session.wait_for_text("1 of 3 approvals");
    // The same keys again, and the same person with new keys.
    let _again = session.approve(&bob);
    bob.ok(&["remote", "rotate", "team", "--own"]);
    session.wait_for_text("0 of 3 approvals");
    let _new = session.approve(&bob);
    session.approve_here();
    session.wait_for_text("2 of 3 approvals");
    // The user's own keys, from another terminal.
    let _own = session.approve(&ann);
    assert!(session.is_open(&carl), "two people are not three");
    let mut last = session.approve(&carl);
    assert_eq!(last.end(), Some(0));
    wait_until("the end of the round", || (!session.is_open(&carl)).then_some(()));
    assert!(!std::fs::read_to_string(&session.told).unwrap().contains("4 of 3"));
}

#[test]
fn fl_2_lockout_takes_a_vote_back() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, carl) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "carl", "approve"));
    let mut session = QuorumSession::start(&stage, &ann, &bob, 2);
    let _lost = session.approve(&bob);
    session.wait_for_text("1 of 2 approvals");
    ann.ok(&["remote", "revoke", "team", "bob"]);
    session.wait_for_text("0 of 2 approvals");
    session.approve_here();
    wait_until("the user's own approval", || {
        let text = std::fs::read_to_string(&session.told).unwrap();
        (text.matches("1 of 2 approvals").count() == 2).then_some(())
    });
    assert!(session.is_open(&carl), "the vote of a lost laptop does not count");
    assert_eq!(session.approve(&carl).end(), Some(0));
    wait_until("the end of the round", || (!session.is_open(&carl)).then_some(()));
}

#[test]
fn fl_2_jobs_count_people_not_keys() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, carl) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "carl", "approve"));
    let id = ann.submit_task(&["--quorum", "2"]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    let approve = |person: &Person| person.ok(&["review", &id, "--remote", "team", "--approve"]);
    assert!(approve(&bob).contains("1 of 2"));
    bob.ok(&["remote", "rotate", "team", "--own"]);
    assert!(approve(&bob).contains("1 of 2"), "new keys are no second person");
    ann.ok(&["remote", "revoke", "team", bob.json(&["remote", "list", "--json"])["id"].as_str().unwrap()]);
    assert!(approve(&carl).contains("1 of 2"), "a lockout takes the vote back");
    assert!(approve(&ann).contains("Approved."));
    assert_eq!(ann.job(&id)["decision"]["by"].as_array().unwrap().len(), 2);
}

//! FL-3, FL-5: one result per job, whatever arrives.

use super::*;
use crate::member_keys::MemberSecret;
use crate::member_list::{FleetMember, MemberCard, MemberRole};

fn member(label: &str, role: MemberRole) -> FleetMember {
    let keys = MemberSecret::generate().unwrap().public();
    FleetMember {
        id: keys.id(),
        card: MemberCard { keys, label: label.into() },
        role,
        signer: None,
        since: 0,
        revoked: None,
        replaced: false,
    }
}

struct Board {
    board: JobBoard,
    members: MemberList,
    at: u64,
}

impl Board {
    fn write(&mut self, author: &FleetMember, rest: &str, body: JobEvent) -> bool {
        self.at += 1;
        let subject = format!("cutonce.fleet.g.jobs.{rest}");
        let (sequence, published) = (self.at, self.at * 1000);
        let record =
            FleetRecord { subject, sequence, published, author: author.clone(), id: self.at.to_string(), body };
        self.board.apply(&record, &self.members)
    }
    /// The server delivers a record again.
    fn repeat(&mut self, author: &FleetMember, id: u64, body: JobEvent) -> bool {
        self.at += 1;
        let (subject, author) = ("cutonce.fleet.g.jobs.j.event".into(), author.clone());
        let record = FleetRecord { subject, sequence: self.at, published: 0, author, id: id.to_string(), body };
        self.board.apply(&record, &self.members)
    }
    fn state(&self) -> JobState {
        self.board.get("j").unwrap().state
    }
}

fn spec(kind: JobKind) -> JobSpec {
    let repo = RepoSource::Url("https://host/repo".into());
    JobSpec { kind, then_implement: true, quorum: 2, ..JobSpec::planning("j".into(), repo, "task".into()) }
}

fn result(state: JobState) -> JobEvent {
    let result = JobResult {
        state,
        summary: "ok".into(),
        session: "j".into(),
        attempt: 1,
        text: None,
        text_name: None,
        sha256: Some("h".into()),
        patch: None,
        base: None,
        report: None,
        pushed: None,
        dead: false,
    };
    JobEvent::Ended { generation: 1, result: Box::new(result) }
}

fn started(run: &str, queued: u64) -> JobEvent {
    JobEvent::Started { generation: 1, run: run.into(), queued }
}

fn returned(run: &str) -> JobEvent {
    JobEvent::Returned { generation: 1, run: run.into(), why: "stopped".into() }
}

fn submitted(kind: JobKind) -> (Board, FleetMember, FleetMember) {
    let (ann, worker) = (member("ann", MemberRole::Approve), member("w", MemberRole::Worker));
    let mut board = Board { board: JobBoard::default(), members: MemberList::default(), at: 0 };
    assert!(!board.write(&worker, "j.event", JobEvent::Submitted { spec: Box::new(spec(kind)) }), "role");
    assert!(!board.write(&ann, "k.event", JobEvent::Submitted { spec: Box::new(spec(kind)) }), "another id");
    assert!(board.write(&ann, "j.event", JobEvent::Submitted { spec: Box::new(spec(kind)) }));
    assert!(!board.write(&ann, "j.event", JobEvent::Submitted { spec: Box::new(spec(kind)) }), "again");
    (board, ann, worker)
}

#[test]
fn fl_3_first_result_is_the_only_one() {
    let (mut board, ann, worker) = submitted(JobKind::Implementation);
    let other = member("w2", MemberRole::Worker);
    assert!(board.write(&worker, "j.event", started("a", 7)));
    assert!(!board.write(&other, "j.event", started("x", 8)), "a repeated message of the queue");
    assert!(board.write(&other, "j.event", started("b", 7)), "the queue delivered it again");
    assert!(!board.write(&worker, "j.event", returned("a")), "not its job any more");
    assert!(!board.write(&other, "j.event", returned("a")), "an earlier run");
    assert!(!board.write(&ann, "j.result.1", result(JobState::Done)), "no worker");
    assert!(board.write(&other, "j.result.1", result(JobState::Done)));
    assert!(!board.write(&worker, "j.result.1", result(JobState::Failed)));
    assert!(!board.write(&worker, "j.event", started("c", 7)));
    assert!(!board.write(&ann, "j.event", JobEvent::Cancelled), "too late");
    assert_eq!(board.state(), JobState::Done);
    let row = board.board.get("j").unwrap().row();
    let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "kind", "state", "repo", "worker", "attempts", "submitted", "ended"]);
    assert_eq!((row["worker"].as_str(), row["attempts"].as_u64()), (Some("w2"), Some(2)));
}

#[test]
fn fl_2_quorum_counts_different_approvers() {
    let (mut board, ann, worker) = submitted(JobKind::Planning);
    let (bob, carl) = (member("bob", MemberRole::Approve), member("carl", MemberRole::Comment));
    let answer = |approve, hash: &str| JobEvent::Answered { approve, sha256: Some(hash.into()), feedback: None };
    assert!(!board.write(&ann, "j.event", answer(true, "h")), "nothing waits yet");
    assert!(board.write(&worker, "j.result.1", result(JobState::Waiting)));
    assert!(!board.write(&ann, "j.event", answer(true, "other")), "another text");
    assert!(!board.write(&carl, "j.event", answer(true, "h")), "comments only");
    assert!(board.write(&ann, "j.event", answer(true, "h")));
    assert!(board.write(&ann, "j.event", answer(true, "h")), "the same person counts once");
    assert_eq!((board.state(), board.board.missing_followers().len()), (JobState::Waiting, 0));
    assert!(board.write(&bob, "j.event", answer(true, "h")));
    assert_eq!((board.state(), board.board.missing_followers().len()), (JobState::Done, 1));
    assert!(!board.write(&carl, "j.event", answer(false, "h")), "late");
    assert!(board.board.get("j").unwrap().decision.as_ref().unwrap().approved);
}

#[test]
fn fl_2_one_request_for_changes_ends_the_round() {
    let (mut board, ann, worker) = submitted(JobKind::Planning);
    let carl = member("carl", MemberRole::Comment);
    assert!(board.write(&worker, "j.result.1", result(JobState::Waiting)));
    let answer = |approve| JobEvent::Answered { approve, sha256: Some("h".into()), feedback: Some("no".into()) };
    assert!(board.write(&ann, "j.event", answer(true)));
    assert!(board.write(&carl, "j.event", answer(false)));
    let decision = board.board.get("j").unwrap().decision.clone().unwrap();
    assert_eq!((decision.approved, decision.by, board.state()), (false, vec!["carl".to_string()], JobState::Done));
    assert!(board.write(&ann, "j.event", JobEvent::Retried));
    assert_eq!(board.state(), JobState::Queued);
    assert!(!board.write(&worker, "j.result.1", result(JobState::Done)), "a result of the first round");
}

#[test]
fn fl_2_repeated_records_change_nothing() {
    let (mut board, ann, worker) = submitted(JobKind::Implementation);
    let end = |generation, state| match result(state) {
        JobEvent::Ended { result, .. } => JobEvent::Ended { generation, result },
        other => other,
    };
    assert!(board.write(&worker, "j.result.1", end(1, JobState::Failed)));
    assert!(board.write(&ann, "j.event", JobEvent::Retried));
    let retried = board.at;
    assert!(board.write(&worker, "j.result.2", end(2, JobState::Failed)));
    assert!(!board.repeat(&ann, retried, JobEvent::Retried), "the user asked for one more attempt, not two");
    assert_eq!(board.state(), JobState::Failed);
}

#[test]
fn fl_3_job_ids_are_plain_names() {
    let ann = member("ann", MemberRole::Approve);
    for id in ["/tmp/x", "a/b", "-rf", "\u{1b}[2J", "\u{202e}x", "a b", &"x".repeat(200)] {
        let mut board = Board { board: JobBoard::default(), members: MemberList::default(), at: 0 };
        let spec = JobSpec { id: id.into(), ..spec(JobKind::Planning) };
        assert!(!board.write(&ann, &format!("{id}.event"), JobEvent::Submitted { spec: Box::new(spec) }), "{id:?}");
    }
}

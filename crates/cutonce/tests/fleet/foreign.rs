//! FL-6: messages that another client puts on all subjects of a group: repeated, reordered, cut, changed, moved, too
//! large.

use crate::stage::{PATIENCE, Person, Stage, block_on, text};
use async_nats::jetstream::{self, Context};
use cutonce_fleet::FleetLink;
use cutonce_fleet::blob::StoredText;
use cutonce_fleet::remote_record::RemoteRecord;
use cutonce_fleet::review::ReviewRecord;
use cutonce_fleet::streams::FleetStream;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// A client without keys that may write to all subjects.
pub struct Foreigner {
    context: Context,
    group: String,
}

impl Foreigner {
    pub async fn connect(stage: &Stage, member: &Person) -> Foreigner {
        let group = RemoteRecord::load(&member.home, "team").unwrap().group;
        let context = jetstream::new(async_nats::connect(stage.nats.url()).await.unwrap());
        Foreigner { context, group }
    }

    pub async fn publish(&self, subject: &str, payload: Vec<u8>) {
        self.context.publish(subject.to_string(), payload.into()).await.unwrap().await.unwrap();
    }

    /// Every message of a stream: subject and payload.
    async fn messages(&self, stream: FleetStream) -> Vec<(String, Vec<u8>)> {
        self.messages_from(stream, 1).await
    }

    pub async fn messages_from(&self, stream: FleetStream, from: u64) -> Vec<(String, Vec<u8>)> {
        let stream = self.context.get_stream(stream.name(&self.group)).await.unwrap();
        let state = &stream.cached_info().state;
        let mut messages = Vec::new();
        for sequence in state.first_sequence.max(from)..=state.last_sequence {
            let message = stream.get_raw_message(sequence).await.unwrap();
            messages.push((message.subject.to_string(), message.payload.to_vec()));
        }
        messages
    }

    /// Puts each kind of foreign message on the subjects of a stream. Returns how many.
    async fn disturb(&self, stream: FleetStream) -> usize {
        let messages = self.messages(stream).await;
        assert!(!messages.is_empty(), "{stream:?}");
        // Repeated, in another order.
        for (subject, payload) in messages.iter().rev() {
            self.publish(subject, payload.clone()).await;
        }
        for (subject, payload) in &messages {
            self.publish(subject, payload[..payload.len() / 2].to_vec()).await;
            let mut changed = payload.clone();
            changed[payload.len() / 2] ^= 1;
            self.publish(subject, changed).await;
            let other = messages.iter().map(|(other, _)| other).find(|other| *other != subject);
            self.publish(other.unwrap_or(subject), payload.clone()).await;
        }
        let (subject, _) = &messages[0];
        self.publish(subject, vec![1; 900 << 10]).await;
        self.publish(subject, br#"{"event":"cancelled"}"#.to_vec()).await;
        self.publish(subject, Vec::new()).await;
        4 * messages.len() + 3
    }
}

/// Everything that members see of a group.
async fn state(link: &FleetLink, session: &str) -> Value {
    let jobs: Vec<Value> = link.job_board().await.unwrap().jobs().map(|job| job.details()).collect();
    let reviews = link.list_reviews().await.unwrap();
    let open: Vec<&str> = reviews.open().iter().map(|review| review.ask_id.as_str()).collect();
    let closed = link.read_review("ask-2").await.unwrap().map(|review| review.closed);
    let lines = link.read_session(session).await.unwrap().map(|session| text(&session.bytes()));
    let members: Vec<String> = link.members().members().map(|member| format!("{member:?}")).collect();
    json!({"jobs": jobs, "open": open, "closed": format!("{closed:?}"), "lines": lines, "members": members})
}

fn reported(faults: &[String]) -> usize {
    let more = |fault: &String| match fault.strip_prefix("ignored message ") {
        Some(_) => 1,
        None => fault.split(' ').nth(1).and_then(|count| count.parse().ok()).unwrap(),
    };
    faults.iter().map(more).sum()
}

#[test]
fn fl_6_foreign_messages_change_nothing() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let job = ann.submit_task(&[]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        for ask in ["ask-1", "ask-2"] {
            let text = StoredText::Inline("# Plan\n".into());
            let (session, project, sha256) = (job.clone(), "/p".to_string(), "0".repeat(64));
            let record = ReviewRecord::Requested { session, project, text, sha256, request: None };
            link.publish_review(ask, &record).await.unwrap();
        }
        let closed = ReviewRecord::Closed { by: Some("ann".into()), approved: true, choice: None };
        link.publish_review("ask-2", &closed).await.unwrap();
        let before = state(&link, &job).await;
        let foreigner = Foreigner::connect(&stage, &ann).await;
        let mut foreign = 0;
        for stream in [FleetStream::Members, FleetStream::Jobs, FleetStream::Reviews, FleetStream::Sessions] {
            foreign += foreigner.disturb(stream).await;
        }
        let look = async || {
            let link = FleetLink::connect(&bob.home, "team").await.unwrap();
            let seen = state(&link, &job).await;
            (seen, reported(&link.take_faults()))
        };
        assert_eq!(look().await, (before.clone(), foreign), "each is reported");
        assert_eq!(look().await, (before, 0), "each is reported once");
    });
    // Jobs still work, although the subjects have foreign messages.
    let next = ann.submit_task(&[]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(ann.job(&next)["state"], json!("waiting"));
}

#[test]
fn fl_6_foreign_messages_do_not_block_a_join() {
    let stage = Stage::new();
    let ann = stage.owner();
    let code = ann.ok(&["remote", "invite", "team", "--role", "comment"]);
    block_on(async { Foreigner::connect(&stage, &ann).await.disturb(FleetStream::Invites).await });
    let bob = stage.person("bob");
    bob.ok(&["remote", "join", code.trim(), "--label", "bob"]);
    assert!(ann.ok(&["remote", "members", "team"]).contains("bob"));
    let eve = stage.person("eve");
    assert!(eve.fails(&["remote", "join", code.trim()]).contains("was used"), "the code works once");
}

#[test]
fn fl_6_foreign_messages_in_the_queue_start_nothing() {
    let stage = Stage::new();
    let ann = stage.owner();
    let id = ann.submit_task(&[]);
    let foreign = block_on(async { Foreigner::connect(&stage, &ann).await.disturb(FleetStream::Queue).await });
    let worker = ann.run(&["worker", "--remote", "team", "--exit-when-idle", "--jobs", "3"]);
    let told = text(&worker.stderr);
    assert_eq!(told.matches("ignored message").count(), foreign, "{told}");
    let job = ann.job(&id);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("waiting"), &json!(1)), "{job}");
}

#[test]
fn fl_6_repeated_queue_message_does_not_restart_a_job() {
    let stage = Stage::new();
    let ann = stage.owner();
    stage.model_hangs.store(true, Ordering::SeqCst);
    let id = ann.submit_task(&[]);
    let _first = ann.worker();
    ann.wait_for(&id, "running");
    assert!(stage.wait_for_request(PATIENCE), "the job waits for the model");
    block_on(async {
        let foreigner = Foreigner::connect(&stage, &ann).await;
        let (subject, payload) = foreigner.messages(FleetStream::Queue).await.remove(0);
        foreigner.publish(&subject, payload).await;
    });
    // The second worker has a job to do after the repetition.
    stage.model_hangs.store(false, Ordering::SeqCst);
    let other = ann.submit_task(&[]);
    let mut second = ann.spawn(&["worker", "--remote", "team"]);
    ann.wait_for(&other, "waiting");
    let job = ann.job(&id);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("running"), &json!(1)), "{job}");
    second.signal("-TERM");
    second.end();
    let mut told = String::new();
    std::io::Read::read_to_string(&mut second.0.stderr.take().unwrap(), &mut told).unwrap();
    assert!(told.contains("it repeats an earlier message"), "{told}");
}

#[test]
fn fl_6_changed_objects_are_not_used() {
    let stage = Stage::new();
    let ann = stage.owner();
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        let foreigner = Foreigner::connect(&stage, &ann).await;
        let store = foreigner.context.get_object_store(format!("cutonce-fleet-{}", foreigner.group)).await.unwrap();
        let content = vec![7; 300 << 10];
        let blob = link.put_blob(&content).await.unwrap();
        assert_eq!(link.get_blob(&blob).await.unwrap(), content);
        let mut sealed = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut store.get(&blob.name).await.unwrap(), &mut sealed).await.unwrap();
        let mut changed = sealed.clone();
        changed[1000] ^= 1;
        let other = link.put_blob(b"another object").await.unwrap();
        let mut moved = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut store.get(&other.name).await.unwrap(), &mut moved).await.unwrap();
        let large = [sealed.clone(), vec![0; 8 << 20]].concat();
        for (kind, bytes) in
            [("changed", changed), ("cut", sealed[..5000].to_vec()), ("moved", moved), ("large", large)]
        {
            store.put(blob.name.as_str(), &mut bytes.as_slice()).await.unwrap();
            let error = link.get_blob(&blob).await.unwrap_err().to_string();
            assert!(error.contains("changed on the server"), "{kind}: {error}");
        }
        store.put(blob.name.as_str(), &mut sealed.as_slice()).await.unwrap();
        assert_eq!(link.get_blob(&blob).await.unwrap(), content, "the same bytes again are the same object");
        store.delete(&blob.name).await.unwrap();
        assert!(link.get_blob(&blob).await.unwrap_err().to_string().contains("no longer on the server"));
    });
}

//! FL-6: workers that die, and messages that no member wrote.

use crate::stage::{Stage, block_on, text};
use async_nats::jetstream;
use cutonce_fleet::FleetLink;
use cutonce_fleet::remote_record::RemoteRecord;
use cutonce_fleet::session_log::SessionUpload;
use futures_util::StreamExt;
use serde_json::json;

#[test]
fn fl_6_session_without_its_task_is_begun_again() {
    let stage = Stage::new();
    let ann = stage.owner();
    let jobs = [ann.submit_task(&[]), ann.submit_text("p.md", "# Plan\n\nAdd new.txt.\n")];
    for id in &jobs {
        // What a worker leaves that died at the beginning: a session of this id, up to its first input.
        ann.ok(&["-p", "anything", "--session-id", id]);
        let name = format!("{id}.jsonl");
        let projects = std::fs::read_dir(ann.home.join("projects")).unwrap();
        let file = projects.map(|project| project.unwrap().path().join(&name)).find(|file| file.exists()).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let beginning: String = text.split_inclusive('\n').take_while(|line| !line.contains("anything")).collect();
        assert!(!beginning.is_empty());
        std::fs::write(&file, beginning).unwrap();
        block_on(async {
            let link = FleetLink::connect(&ann.home, "team").await.unwrap();
            let mut upload = SessionUpload::open(&link, id, &file, None).await.unwrap();
            assert!(upload.push(&link, async || Ok(None)).await.unwrap());
        });
    }
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(jobs.map(|id| ann.job(&id)["state"].clone()), ["waiting", "done"]);
}

#[test]
fn fl_6_foreign_messages_change_nothing() {
    let stage = Stage::new();
    let ann = stage.owner();
    let id = ann.submit_task(&[]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    let before = ann.job(&id);
    let group = RemoteRecord::load(&ann.home, "team").unwrap().group;
    block_on(async {
        let client = async_nats::connect(stage.nats.url()).await.unwrap();
        let context = jetstream::new(client);
        let subject = |rest: &str| format!("cutonce.fleet.{group}.{rest}");
        let publish = async |rest: String, payload: Vec<u8>| {
            context.publish(rest, payload.into()).await.unwrap().await.unwrap();
        };
        // Every record again, cut, and on another subject.
        for stream in ["members", "jobs", "sessions"] {
            let stream = context.get_stream(format!("CUTONCE_FLEET_{group}_{stream}")).await.unwrap();
            let consumer = stream.create_consumer(jetstream::consumer::pull::OrderedConfig::default()).await.unwrap();
            let count = consumer.cached_info().num_pending;
            let messages: Vec<_> = consumer.messages().await.unwrap().take(count as usize).collect().await;
            for message in messages.into_iter().map(Result::unwrap) {
                let payload = message.payload.to_vec();
                publish(message.subject.to_string(), payload.clone()).await;
                publish(message.subject.to_string(), payload[..payload.len() / 2].to_vec()).await;
                publish(subject(&format!("jobs.{id}.result.2")), payload).await;
            }
        }
        publish(subject("queue.job"), b"no job".to_vec()).await;
        publish(subject(&format!("jobs.{id}.result.1")), vec![7; 900 << 10]).await;
        publish(subject(&format!("jobs.{id}.event")), br#"{"event":"cancelled"}"#.to_vec()).await;
    });
    let told = ann.run(&["jobs", "--remote", "team"]);
    assert!(text(&told.stderr).contains("ignored message"), "{}", text(&told.stderr));
    assert_eq!(text(&ann.run(&["jobs", "--remote", "team"]).stderr), "", "each is reported once");
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(ann.job(&id), before);
    assert_eq!(ann.ok(&["remote", "members", "team"]).lines().count(), 1);
    // Jobs still work, although the subjects have foreign messages.
    let next = ann.submit_task(&[]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(ann.job(&next)["state"], json!("waiting"));
}

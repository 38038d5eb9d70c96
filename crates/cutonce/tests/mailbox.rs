//! TM-1, TM-2: what every mailbox promises, played on both kinds: files, and NATS JetStream on a server of our own. A machine
//! without `nats-server` fails here: nothing is skipped.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests")]

#[path = "mailbox/files.rs"]
mod files;
#[path = "mailbox/kill.rs"]
mod kill;
#[path = "mailbox/server.rs"]
mod server;

use cutonce_agent::mailbox::{self, Delivery, Mailbox};
use cutonce_core::mail::{Message, MessageKind};
use server::Server;
use std::path::Path;
use std::sync::Arc;

pub fn message(id: &str, from: &str, to: &str, text: &str) -> Message {
    Message {
        id: id.into(),
        team: "red".into(),
        from: from.into(),
        to: to.into(),
        text: text.into(),
        timestamp: "2026-11-15T10:00:00Z".into(),
        kind: MessageKind::Words,
        seal: String::new(),
    }
}

/// A team's mailboxes; each `open` is as another process would open them.
pub struct Post {
    folder: tempfile::TempDir,
    server: Option<Server>,
}

impl Post {
    pub fn files() -> Post {
        Post { folder: tempfile::tempdir().unwrap(), server: None }
    }
    pub fn nats() -> Post {
        Post { folder: tempfile::tempdir().unwrap(), server: Some(Server::start()) }
    }
    pub fn url(&self) -> Option<String> {
        self.server.as_ref().map(Server::url)
    }
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
    pub async fn open(&self) -> Arc<dyn Mailbox> {
        mailbox::open(self.url().as_deref(), self.folder(), "red").await.unwrap()
    }
}

fn play(test: impl AsyncFn(Post)) {
    for post in [Post::files(), Post::nats()] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(test(post));
    }
}

async fn take(reader: &mut Box<dyn mailbox::Reader>, n: usize) -> Vec<Delivery> {
    let mut taken = Vec::new();
    for _ in 0..n {
        taken.push(reader.next().await.unwrap());
    }
    taken
}

#[test]
fn tm_1_in_order_each_once_and_a_reader_goes_on_where_it_was_done() {
    play(async |post: Post| {
        let sender = post.open().await;
        for n in 0..30 {
            sender.send(&message(&format!("a-{n}"), "bob", "ann", &n.to_string())).await.unwrap();
            // A sender that was cut off repeats itself.
            sender.send(&message(&format!("a-{n}"), "bob", "ann", &n.to_string())).await.unwrap();
            sender.send(&message(&format!("b-{n}"), "ann", "bob", "for somebody else")).await.unwrap();
        }
        let mailbox = post.open().await;
        let mut reader = mailbox.read("ann").await.unwrap();
        let first = take(&mut reader, 12).await;
        mailbox.done("ann", &first[9].position).await.unwrap();
        // Two were read but not done with: they come again.
        let mailbox = post.open().await;
        let mut reader = mailbox.read("ann").await.unwrap();
        let rest = take(&mut reader, 20).await;
        let all: Vec<String> = first[..10].iter().chain(&rest).map(|one| one.message.text.clone()).collect();
        assert_eq!(all, (0..30).map(|n| n.to_string()).collect::<Vec<_>>());
        mailbox.done("ann", &rest[19].position).await.unwrap();
        // Nothing is left: the next thing to come is new.
        let mut reader = mailbox.read("ann").await.unwrap();
        sender.send(&message("last", "bob", "ann", "last")).await.unwrap();
        assert_eq!(reader.next().await.unwrap().message.id, "last");
    });
}

#[test]
fn tm_1_a_reader_that_waits_is_woken() {
    play(async |post: Post| {
        let (mailbox, sender) = (post.open().await, post.open().await);
        let mut reader = mailbox.read("ann").await.unwrap();
        for n in 0..5 {
            let waits = async { reader.next().await.unwrap().message.text };
            let sends = async { sender.send(&message(&format!("w-{n}"), "bob", "ann", "wake up")).await.unwrap() };
            assert_eq!(tokio::join!(waits, sends).0, "wake up");
        }
    });
}

#[test]
fn tm_1_senders_beside_each_other_lose_nothing_and_each_keeps_its_order() {
    play(async |post: Post| {
        let send = async |name: &str| {
            let sender = post.open().await;
            for n in 0..50 {
                sender.send(&message(&format!("{name}-{n}"), name, "ann", &n.to_string())).await.unwrap();
            }
        };
        let mailbox = post.open().await;
        let mut reader = mailbox.read("ann").await.unwrap();
        let ((), (), (), read) = tokio::join!(send("bob"), send("cleo"), send("dan"), take(&mut reader, 150));
        for name in ["bob", "cleo", "dan"] {
            let own = read.iter().filter(|one| one.message.from == name).map(|one| one.message.text.clone());
            assert_eq!(own.collect::<Vec<_>>(), (0..50).map(|n| n.to_string()).collect::<Vec<_>>(), "{name}");
        }
    });
}

#[test]
fn tm_1_ten_thousand_messages_for_two_readers_none_lost_doubled_or_out_of_order() {
    play(async |post: Post| {
        let sends = async {
            let sender = post.open().await;
            for n in 0..10_000 {
                let one = message(&format!("m-{n}"), "cleo", ["ann", "bob"][n % 2], &(n / 2).to_string());
                sender.send(&one).await.unwrap();
                if n % 100 == 0 {
                    sender.send(&one).await.unwrap();
                }
            }
        };
        let reads = async |name: &str| {
            let mailbox = post.open().await;
            let mut reader = mailbox.read(name).await.unwrap();
            for n in 0..5_000 {
                let one = reader.next().await.unwrap();
                assert_eq!(one.message.text, n.to_string(), "{name}");
                if n % 100 == 99 {
                    mailbox.done(name, &one.position).await.unwrap();
                }
            }
        };
        tokio::join!(sends, reads("ann"), reads("bob"));
    });
}

#[test]
fn tm_1_values_are_the_last_that_was_published() {
    play(async |post: Post| {
        let mailbox = post.open().await;
        assert_eq!(mailbox.published("lead.ann").await.unwrap(), None);
        mailbox.publish("lead.ann", "one").await.unwrap();
        mailbox.publish("lead.ann", "two").await.unwrap();
        mailbox.publish("lead.bob", "other").await.unwrap();
        assert_eq!(post.open().await.published("lead.ann").await.unwrap().as_deref(), Some("two"));
        mailbox.remove().await.unwrap();
        assert_eq!(post.open().await.published("lead.ann").await.unwrap(), None);
    });
}

#[test]
fn tm_1_names_that_lead_elsewhere_and_floods_are_refused() {
    play(async |post: Post| {
        let mailbox = post.open().await;
        for to in ["../ann", "*", "a.b", ">", ""] {
            assert!(mailbox.send(&message("x", "bob", to, "hi")).await.is_err(), "{to}");
            assert!(mailbox.read(to).await.is_err(), "{to}");
        }
        let flood = "x".repeat(cutonce_core::mail::LONGEST_TEXT + 1);
        assert!(mailbox.send(&message("x", "bob", "ann", &flood)).await.is_err());
        let large = "x".repeat(cutonce_core::mail::LONGEST_TEXT);
        mailbox.send(&message("y", "bob", "ann", &large)).await.unwrap();
        let mut reader = mailbox.read("ann").await.unwrap();
        assert_eq!(reader.next().await.unwrap().message.text.len(), large.len());
    });
}

#[test]
fn tm_1_an_address_that_is_none_is_named_without_its_password() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = |url: &str| match runtime.block_on(mailbox::open(Some(url), folder.path(), "red")) {
        Ok(_) => panic!("{url} is no address"),
        Err(error) => error.to_string(),
    };
    assert!(error("http://u:secret@x").contains("expected `nats://host:port`"), "{}", error("http://u:secret@x"));
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = error(&format!("nats://u:secret@{closed}"));
    assert!(refused.contains("does not answer") && !refused.contains("secret"), "{refused}");
}

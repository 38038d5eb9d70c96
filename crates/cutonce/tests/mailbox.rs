//! TM-1, TM-2: the guarantees of every mailbox, tested on both kinds: files, and NATS JetStream on our own
//! server. Without `nats-server` these tests fail; nothing is skipped.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests")]

#[path = "mailbox/files.rs"]
mod files;
#[path = "mailbox/kill.rs"]
mod kill;
#[path = "mailbox/server.rs"]
mod server;

use cutonce_agent::team::mailbox::{self, Delivery, Mailbox};
use cutonce_core::team::{MessageKind, TeamMessage};
use server::Server;
use std::path::Path;
use std::sync::Arc;

pub fn message(id: &str, from: &str, to: &str, text: &str) -> TeamMessage {
    TeamMessage {
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

/// A team's mailboxes; each `open` acts like another process.
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
        mailbox::open_mailbox(self.url().as_deref(), self.folder(), "red").await.unwrap()
    }
}

fn play(test: impl AsyncFn(Post)) {
    for post in [Post::files(), Post::nats()] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(test(post));
    }
}

async fn take(reader: &mut Box<dyn mailbox::MailboxReader>, n: usize) -> Vec<Delivery> {
    let mut taken = Vec::new();
    for _ in 0..n {
        taken.push(reader.next().await.unwrap());
    }
    taken
}

#[test]
fn tm_1_reader_resumes_in_order_without_duplicates() {
    play(async |post: Post| {
        let sender = post.open().await;
        for n in 0..30 {
            sender.send(&message(&format!("a-{n}"), "bob", "ann", &n.to_string())).await.unwrap();
            // An interrupted sender repeats its message.
            sender.send(&message(&format!("a-{n}"), "bob", "ann", &n.to_string())).await.unwrap();
            sender.send(&message(&format!("b-{n}"), "ann", "bob", "for another reader")).await.unwrap();
        }
        let mailbox = post.open().await;
        let mut reader = mailbox.read("ann").await.unwrap();
        let first = take(&mut reader, 12).await;
        mailbox.mark_done("ann", &first[9].position).await.unwrap();
        // Two were read but not confirmed, so they come again.
        let mailbox = post.open().await;
        let mut reader = mailbox.read("ann").await.unwrap();
        let rest = take(&mut reader, 20).await;
        let all: Vec<String> = first[..10].iter().chain(&rest).map(|one| one.message.text.clone()).collect();
        assert_eq!(all, (0..30).map(|n| n.to_string()).collect::<Vec<_>>());
        mailbox.mark_done("ann", &rest[19].position).await.unwrap();
        // Nothing is left: the next message is new.
        let mut reader = mailbox.read("ann").await.unwrap();
        sender.send(&message("last", "bob", "ann", "last")).await.unwrap();
        assert_eq!(reader.next().await.unwrap().message.id, "last");
    });
}

#[test]
fn tm_1_waiting_reader_wakes_up() {
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
fn tm_1_concurrent_senders_keep_their_order() {
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
fn tm_1_two_readers_get_ten_thousand_messages() {
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
                    mailbox.mark_done(name, &one.position).await.unwrap();
                }
            }
        };
        tokio::join!(sends, reads("ann"), reads("bob"));
    });
}

#[test]
fn tm_1_values_keep_the_last_publication() {
    play(async |post: Post| {
        let mailbox = post.open().await;
        assert_eq!(mailbox.look_up("lead.ann").await.unwrap(), None);
        mailbox.publish("lead.ann", "one").await.unwrap();
        mailbox.publish("lead.ann", "two").await.unwrap();
        mailbox.publish("lead.bob", "other").await.unwrap();
        assert_eq!(post.open().await.look_up("lead.ann").await.unwrap().as_deref(), Some("two"));
        mailbox.remove().await.unwrap();
        assert_eq!(post.open().await.look_up("lead.ann").await.unwrap(), None);
    });
}

#[test]
fn tm_1_bad_names_and_floods_are_refused() {
    play(async |post: Post| {
        let mailbox = post.open().await;
        for to in ["../ann", "*", "a.b", ">", ""] {
            assert!(mailbox.send(&message("x", "bob", to, "hi")).await.is_err(), "{to}");
            assert!(mailbox.read(to).await.is_err(), "{to}");
        }
        let flood = "x".repeat(cutonce_core::team::MAX_MESSAGE_BYTES + 1);
        assert!(mailbox.send(&message("x", "bob", "ann", &flood)).await.is_err());
        let large = "x".repeat(cutonce_core::team::MAX_MESSAGE_BYTES);
        mailbox.send(&message("y", "bob", "ann", &large)).await.unwrap();
        let mut reader = mailbox.read("ann").await.unwrap();
        assert_eq!(reader.next().await.unwrap().message.text.len(), large.len());
    });
}

#[test]
fn tm_1_bad_address_error_hides_password() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = |url: &str| match runtime.block_on(mailbox::open_mailbox(Some(url), folder.path(), "red")) {
        Ok(_) => panic!("{url} is no address"),
        Err(error) => error.to_string(),
    };
    assert!(error("http://u:secret@x").contains("expected `nats://host:port`"), "{}", error("http://u:secret@x"));
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = error(&format!("nats://u:secret@{closed}"));
    assert!(refused.contains("does not answer") && !refused.contains("secret"), "{refused}");
}

//! Risks of file mailboxes only: torn lines, links, other users, unbounded growth.

use crate::{Post, message, take};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn tm_2_torn_line_loses_only_itself() {
    runtime().block_on(async {
        let post = Post::files();
        let mailbox = post.open().await;
        mailbox.send(&message("1", "bob", "ann", "one")).await.unwrap();
        let file = post.folder().join("mail/ann/00000001.jsonl");
        let mut raw = std::fs::File::options().append(true).open(&file).unwrap();
        raw.write_all(b"\xff\x00 no line of ours\n{\"id\":\"torn\",\"team\":\"re").unwrap();
        let mut reader = mailbox.read("ann").await.unwrap();
        assert_eq!(reader.next().await.unwrap().message.text, "one");
        mailbox.send(&message("2", "bob", "ann", "two")).await.unwrap();
        assert_eq!(reader.next().await.unwrap().message.text, "two");
    });
}

#[test]
fn tm_1_mailbox_refuses_links_and_is_private() {
    runtime().block_on(async {
        let post = Post::files();
        let mailbox = post.open().await;
        mailbox.send(&message("1", "bob", "ann", "one")).await.unwrap();
        mailbox.publish("lead", "x").await.unwrap();
        mailbox.mark_done("ann", "1:0").await.unwrap();
        let mode = |path: &str| post.folder().join(path).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("mail"), mode("mail/ann"), mode("mail/ann/00000001.jsonl")), (0o700, 0o700, 0o600));
        assert_eq!((mode("values/lead"), mode("mail/ann.done"), mode("mail/ann/lock")), (0o600, 0o600, 0o600));
        let elsewhere = tempfile::tempdir().unwrap();
        let target = elsewhere.path().join("target");
        std::fs::write(&target, "untouched").unwrap();
        let file = post.folder().join("mail/ann/00000001.jsonl");
        std::fs::remove_file(&file).unwrap();
        symlink(&target, &file).unwrap();
        assert!(mailbox.send(&message("2", "bob", "ann", "two")).await.is_err());
        symlink(elsewhere.path(), post.folder().join("mail/eve")).unwrap();
        assert!(mailbox.send(&message("3", "bob", "eve", "three")).await.is_err());
        assert!(mailbox.read("eve").await.is_err());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "untouched");
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    });
}

#[test]
fn tm_1_mailbox_rotates_and_drops_read_files() {
    runtime().block_on(async {
        let post = Post::files();
        let mailbox = post.open().await;
        let text = "x".repeat(200_000);
        let mut reader = mailbox.read("ann").await.unwrap();
        for n in 0..80 {
            mailbox.send(&message(&n.to_string(), "bob", "ann", &text)).await.unwrap();
        }
        let read = take(&mut reader, 80).await;
        assert!(read.iter().enumerate().all(|(n, one)| one.message.id == n.to_string()));
        mailbox.mark_done("ann", &read[79].position).await.unwrap();
        let left = std::fs::read_dir(post.folder().join("mail/ann")).unwrap().count();
        assert_eq!(left, 3, "two files and the lock");
        // A repeated message is recognized from the previous file, also by a new reader.
        mailbox.send(&message("79", "bob", "ann", &text)).await.unwrap();
        mailbox.send(&message("80", "bob", "ann", "new")).await.unwrap();
        assert_eq!(post.open().await.read("ann").await.unwrap().next().await.unwrap().message.id, "80");
    });
}

#[test]
fn tm_1_unread_mailbox_reports_full() {
    runtime().block_on(async {
        let post = Post::files();
        let mailbox = post.open().await;
        mailbox.send(&message("1", "bob", "ann", "one")).await.unwrap();
        let file = std::fs::File::options().append(true).open(post.folder().join("mail/ann/00000001.jsonl")).unwrap();
        file.set_len(65 << 20).unwrap();
        let error = mailbox.send(&message("2", "bob", "ann", "two")).await.unwrap_err().to_string();
        assert_eq!(error, "the mailbox of ann is full: ann has not read its messages");
    });
}

/// A mailbox full of garbage does not keep its reader waiting for ever: the reader says so and empties it.
#[test]
fn tm_2_garbage_never_blocks_a_mailbox() {
    runtime().block_on(async {
        for garbage in [&b"\0"[..], b"no message\n"] {
            let post = Post::files();
            let mailbox = post.open().await;
            mailbox.send(&message("1", "bob", "ann", "one")).await.unwrap();
            let mut reader = mailbox.read("ann").await.unwrap();
            let first = reader.next().await.unwrap();
            let path = post.folder().join("mail/ann/00000001.jsonl");
            let mut file = std::fs::File::options().append(true).open(path).unwrap();
            file.write_all(&garbage.repeat((65 << 20) / garbage.len())).unwrap();
            assert!(mailbox.send(&message("2", "bob", "ann", "two")).await.is_err());
            // The first message is not done yet, so the reader may not remove it. Reading lets other tasks run.
            let (mut ticks, count) = (tokio::time::interval(std::time::Duration::from_micros(1)), 3);
            tokio::select! {
                biased;
                came = reader.next() => panic!("{came:?}"),
                () = async { for _ in 0..count { ticks.tick().await; } } => {}
            }
            mailbox.mark_done("ann", &first.position).await.unwrap();
            let mut reader = mailbox.read("ann").await.unwrap();
            let told = tokio::time::timeout(std::time::Duration::from_secs(60), reader.next()).await;
            let error = told.expect("the reader waits for ever").unwrap_err().to_string();
            assert!(error.starts_with("the mailbox of ann held 65 MB that are not messages"), "{error}");
            mailbox.send(&message("2", "bob", "ann", "two")).await.unwrap();
            assert_eq!(reader.next().await.unwrap().message.text, "two");
            assert_eq!(mailbox.read("ann").await.unwrap().next().await.unwrap().message.text, "two");
        }
    });
}

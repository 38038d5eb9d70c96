//! TM-2: kills writer and reader processes at seeded moments and restarts them; every message arrives once,
//! in order. `MAIL_SEED=…` runs one case alone.
//!
//! The processes are this test binary itself: with MAIL_ROLE set, `child` is a writer or a reader instead of
//! a test.

use crate::{Post, message};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const MESSAGES: usize = 120;
const CASES: u64 = 8;

/// The work of a process that the test starts and kills.
fn run_as_child(role: &str) {
    let url = std::env::var("MAIL_URL").ok();
    let folder = std::env::var("MAIL_FOLDER").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mailbox =
            cutonce_agent::team::mailbox::open_mailbox(url.as_deref(), Path::new(&folder), "red").await.unwrap();
        let log = Path::new(&folder).join(format!("{role}.log"));
        match role {
            "writer" => writer(&*mailbox, &log).await,
            _ => reader(&*mailbox, &log).await,
        }
    });
}

/// Sends 0, 1, 2, …; a number is logged after it was sent. After a restart the first unlogged number is sent
/// again.
async fn writer(mailbox: &dyn cutonce_agent::team::mailbox::Mailbox, log: &Path) {
    for n in lines(log).len()..MESSAGES {
        let text = format!("{n} {}", "x".repeat(n % 7 * 300));
        mailbox.send(&message(&format!("m-{n}"), "bob", "ann", &text)).await.unwrap();
        note(log, &n.to_string());
        println!("mail sent {n}");
    }
    println!("mail end");
}

/// Like a session: logs a message before it confirms it to the mailbox, and recognizes repeated ones by the
/// log.
async fn reader(mailbox: &dyn cutonce_agent::team::mailbox::Mailbox, log: &Path) {
    let mut had = lines(log);
    let mut reader = mailbox.read("ann").await.unwrap();
    while had.len() < MESSAGES {
        let one = reader.next().await.unwrap();
        let n = one.message.text.split(' ').next().unwrap().to_string();
        if !had.contains(&n) {
            note(log, &n);
            had.push(n.clone());
        }
        mailbox.mark_done("ann", &one.position).await.unwrap();
        println!("mail read {n}");
    }
    println!("mail end");
}

/// Complete lines; one that the kill cut is ignored.
fn lines(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(str::to_string).collect()
}

fn note(log: &Path, n: &str) {
    let mut file = std::fs::File::options().append(true).create(true).open(log).unwrap();
    file.write_all(format!("{n}\n").as_bytes()).unwrap();
}

fn start(role: &str, post: &Post) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "kill::tm_2_kills_keep_messages_exactly_once", "--nocapture"])
        .env("MAIL_ROLE", role)
        .env("MAIL_FOLDER", post.folder());
    if let Some(url) = post.url() {
        command.env("MAIL_URL", url);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Runs until it has printed this many lines, then kills it. Returns true if it ended by itself.
fn run_until(mut child: Child, said: usize, spins: u32) -> bool {
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let (mut line, mut count) = (String::new(), 0);
    while count < said && out.read_line(&mut line).unwrap() > 0 {
        if line.contains("mail end") {
            let _ = out.read_to_string(&mut line);
            return child.wait().unwrap().success();
        }
        count += usize::from(line.contains("mail "));
        line.clear();
    }
    (0..spins).for_each(|_| std::hint::spin_loop());
    let _ = child.kill();
    child.wait().unwrap();
    false
}

fn case(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let post = if seed.is_multiple_of(2) { Post::files() } else { Post::nats() };
    let life = |role: &str, post: &Post, mut random: fastrand::Rng| {
        // The last run is not killed, so this terminates.
        for _ in 0..12 {
            if run_until(start(role, post), random.usize(..25), random.u32(..200_000)) {
                return;
            }
        }
        assert!(run_until(start(role, post), usize::MAX, 0), "MAIL_SEED={seed}: the last {role} failed");
    };
    let (a, b) = (random.fork(), random.fork());
    std::thread::scope(|scope| {
        let (post, life) = (&post, &life);
        scope.spawn(move || life("writer", post, a));
        scope.spawn(move || life("reader", post, b));
    });
    let read = lines(&post.folder().join("reader.log"));
    assert_eq!(read, (0..MESSAGES).map(|n| n.to_string()).collect::<Vec<_>>(), "MAIL_SEED={seed}");
}

#[test]
fn tm_2_kills_keep_messages_exactly_once() {
    // The test starts itself as writer and reader.
    if let Ok(role) = std::env::var("MAIL_ROLE") {
        return run_as_child(&role);
    }
    if let Some(seed) = std::env::var("MAIL_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return case(seed);
    }
    let base = fastrand::u64(..u64::MAX / 2) / 2 * 2;
    (0..CASES).for_each(|n| case(base + n));
}

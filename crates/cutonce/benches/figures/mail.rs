//! 10,000 messages through each mailbox with two readers (TM-1). The row fails if any is lost, duplicated or
//! out of order.

use crate::Bench;
use crate::table::{Row, millis};
use anyhow::{Context, Result, ensure};
use cutonce_agent::team::mailbox::{self, Mailbox};
use cutonce_core::team::{MessageKind, TeamMessage};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

const READERS: [&str; 2] = ["ann", "bob"];
/// How often a reader confirms its position.
const DONE_EVERY: usize = 100;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("mail")?;
    let messages = if bench.quick { 1_000 } else { 10_000 };
    let figure = |kind: &str| format!("{messages} messages through the {kind} mailbox, two readers");
    let files = measured(&figure("file"), None, &room, messages)?;
    let server = Server::start(&room.join("nats"))?;
    let nats = measured(&figure("NATS"), Some(&server.url), &room, messages)?;
    Ok(vec![files, nats])
}

fn measured(figure: &str, url: Option<&str>, room: &Path, messages: usize) -> Result<Row> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let start = Instant::now();
    runtime.block_on(async {
        std::fs::create_dir_all(room.join("team"))?;
        let mailbox = mailbox::open_mailbox(url, &room.join("team"), "bench").await?;
        let [ann, bob] = READERS.map(|name| read(&mailbox, name, messages / READERS.len()));
        let (sent, ann, bob) = tokio::join!(send(&mailbox, messages), ann, bob);
        sent.and(ann).and(bob)
    })?;
    let took = millis(start.elapsed());
    let row = Row::known(figure, format!("{:.0} messages/s", messages as f64 / took * 1000.0));
    Ok(row.beside(format!("{took:.0} ms; none lost, doubled or out of order")))
}

async fn send(mailbox: &Arc<dyn Mailbox>, messages: usize) -> Result<()> {
    for n in 0..messages {
        let message = TeamMessage {
            id: format!("m-{n}"),
            team: "bench".into(),
            from: "cleo".into(),
            to: READERS[n % READERS.len()].into(),
            text: format!("{} The tests of the parser pass; the printer is next.", n / READERS.len()),
            timestamp: "2026-11-15T10:00:00Z".into(),
            kind: MessageKind::Words,
            seal: String::new(),
        };
        mailbox.send(&message).await?;
        // One of ten messages is sent twice, as by an interrupted sender.
        if n % 10 == 0 {
            mailbox.send(&message).await?;
        }
    }
    Ok(())
}

async fn read(mailbox: &Arc<dyn Mailbox>, name: &str, messages: usize) -> Result<()> {
    let mut reader = mailbox.read(name).await?;
    for n in 0..messages {
        let one = reader.next().await?;
        let got = one.message.text.split(' ').next().unwrap_or_default().to_string();
        ensure!(got == n.to_string(), "{name} expected message {n} and got {got}");
        if n % DONE_EVERY == 0 || n + 1 == messages {
            mailbox.mark_done(name, &one.position).await?;
        }
    }
    Ok(())
}

/// A NATS server with JetStream, on a free port.
pub struct Server {
    child: Child,
    pub url: String,
}

impl Server {
    pub fn start(store: &Path) -> Result<Server> {
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
        let found = std::env::split_paths(&path).map(|folder| folder.join("nats-server")).find(|file| file.is_file());
        let program = found.context("nats-server is not on this machine")?;
        let mut command = Command::new(program);
        command.args(["-js", "-a", "127.0.0.1", "-p", "-1", "-sd"]).arg(store);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stderr.take().context("no stderr")?).lines();
        let mut url = None;
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some((_, address)) = line.split_once("Listening for client connections on ") {
                url = Some(format!("nats://{}", address.trim()));
            }
            if line.contains("Server is ready") {
                break;
            }
        }
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(Server { child, url: url.context("nats-server did not start")? })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

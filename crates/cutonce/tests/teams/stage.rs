//! A team on disk, a scripted model that always answers, and processes to kill.

use crate::server::Server as Nats;
use crate::test_program::TestProgram;
use cutonce_agent::team::mailbox::{self, Mailbox, MailboxReader};
use cutonce_agent::team::{Member, TeamRecord, team_folder};
use cutonce_core::mode::Mode;
use cutonce_core::team::{LEAD_NAME, LeadMode, MessageKind, TeamKey, TeamMessage};
use serde_json::json;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Only reached on failure.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Stage {
    program: TestProgram,
    /// Every other case uses a mailbox server.
    _nats: Option<Nats>,
    record: TeamRecord,
    mailbox: Arc<dyn Mailbox>,
    runtime: tokio::runtime::Runtime,
    heard: Option<Box<dyn MailboxReader>>,
    sent: usize,
}

impl Stage {
    pub fn new(seed: u64) -> Stage {
        let program = TestProgram::new("team-", |_| json!([{"text": "ok", "repeat": 100_000}]));
        let member = |name: &str| Member {
            name: name.into(),
            planning_required: false,
            own_process: false,
            started_by_user: false,
            model: None,
            mode: Mode::Default,
            bypass_available: false,
        };
        let lead = format!("019a0000-0000-7000-8000-{:012x}", seed & 0xffff_ffff_ffff);
        let record = TeamRecord {
            id: "t-1".into(),
            name: "red".into(),
            lead_session: lead,
            members: vec![member("ann")],
            pending_tasks: Default::default(),
        };
        let home = program.home();
        record.save(&home).unwrap();
        let nats = (!seed.is_multiple_of(2)).then(Nats::start);
        let url = nats.as_ref().map(Nats::url);
        if let Some(url) = &url {
            program.write_settings(&json!({"team": {"mailbox": url}}));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mailbox = runtime.block_on(async {
            let mailbox =
                mailbox::open_mailbox(url.as_deref(), &team_folder(&home, "red").unwrap(), "red").await.unwrap();
            let lead = || LeadMode { mode: Mode::Default, gives: Mode::Default };
            record.publish(&home, &*mailbox, lead, None).await.unwrap();
            mailbox
        });
        Stage { program, _nats: nats, record, mailbox, runtime, heard: None, sent: 0 }
    }

    fn home(&self) -> PathBuf {
        self.program.home()
    }
    pub fn sent(&self) -> usize {
        self.sent
    }
    pub fn session_of(&self, name: &str) -> String {
        self.record.member(name).unwrap().session_id(&self.record.id)
    }

    /// Sends this many more messages, numbered consecutively.
    pub fn send(&mut self, from: &str, to: &str, count: usize) {
        let member = if from == LEAD_NAME { to } else { from };
        let key: TeamKey = self.record.member_key(&self.home(), member).unwrap();
        for n in self.sent..self.sent + count {
            let message = TeamMessage {
                id: format!("message-{n}"),
                team: "red".into(),
                from: from.into(),
                to: to.into(),
                text: format!("word-{n}."),
                timestamp: "2026-11-15T10:00:00Z".into(),
                kind: MessageKind::Words,
                seal: String::new(),
            };
            self.runtime.block_on(self.mailbox.send(&key.seal(message))).unwrap();
        }
        self.sent += count;
    }

    /// Waits until a teammate has reported its state this often.
    pub fn hear_from(&mut self, name: &str, times: usize) {
        let (runtime, mailbox) = (&self.runtime, &self.mailbox);
        let reader = self.heard.get_or_insert_with(|| runtime.block_on(mailbox.read(LEAD_NAME)).unwrap());
        for _ in 0..times {
            let next = runtime.block_on(async { tokio::time::timeout(PATIENCE, reader.next()).await });
            assert_eq!(next.expect("the teammate says nothing").unwrap().message.from, name);
        }
    }

    /// True if the last request contains all messages, once each and in order.
    pub fn model_saw(&self, messages: usize) -> bool {
        let Some(body) = self.program.bodies().pop() else { return false };
        let at: Vec<usize> = (0..messages).filter_map(|n| body.find(&format!("word-{n}."))).collect();
        let once = (0..messages).all(|n| body.matches(&format!("word-{n}.")).count() == 1);
        at.len() == messages && at.is_sorted() && once
    }

    pub fn transcript(&self, session: &str) -> Vec<u8> {
        let projects = std::fs::read_dir(self.home().join("projects")).into_iter().flatten().flatten();
        let mut found = projects.map(|folder| folder.path().join(format!("{session}.jsonl")));
        found.find(|path| path.exists()).map(|path| std::fs::read(path).unwrap()).unwrap_or_default()
    }

    /// Creates a session that leads the team from its next start on.
    pub fn begin_lead(&self) -> String {
        let lead = self.record.lead_session.clone();
        let aside = self.home().join("aside");
        std::fs::rename(self.home().join("teams"), &aside).unwrap();
        let done =
            self.program.command(&["-p", "--session-id", &lead, "Begin."]).stdin(Stdio::null()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        std::fs::rename(aside, self.home().join("teams")).unwrap();
        lead
    }
}

/// A process that runs until it is killed.
pub struct Life {
    child: Child,
    _stdin: Option<ChildStdin>,
    out: Receiver<Vec<u8>>,
    said: String,
}

impl Life {
    pub fn teammate(stage: &Stage, name: &str) -> Life {
        Life::start(stage.program.command(&["--team", "red", "--name", name]).stdin(Stdio::null()))
    }
    pub fn lead(stage: &Stage, session: &str) -> Life {
        Life::start(stage.program.command(&["--plain", "--resume", session]).stdin(Stdio::piped()))
    }

    fn start(command: &mut Command) -> Life {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, out) = channel();
        let mut stdout = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(n @ 1..) = stdout.read(&mut chunk) {
                if sender.send(chunk[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Life { child, _stdin: stdin, out, said: String::new() }
    }

    pub fn wait_for(&mut self, words: &str, times: usize) {
        for _ in 0..times {
            while !self.said.contains(words) {
                let more = self.out.recv_timeout(PATIENCE).expect("it says nothing");
                self.said.push_str(&String::from_utf8_lossy(&more));
            }
            let at = self.said.find(words).map_or(0, |at| at + words.len());
            self.said = self.said.split_off(at);
        }
    }

    pub fn kill(&mut self, spins: u32) {
        (0..spins).for_each(|_| std::hint::spin_loop());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.kill(0);
    }
}

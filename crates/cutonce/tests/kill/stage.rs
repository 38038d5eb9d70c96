//! One workspace, one home, one scripted model: the setup for killing and resuming a run.

use crate::pty::Term;
use crate::story;
use crate::test_program::program_variables;
use cutonce_models::scripted::{LoopbackServer, ScenarioScript};
use portable_pty::CommandBuilder;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

pub struct Stage {
    root: tempfile::TempDir,
    pub ws: PathBuf,
    session: String,
}

/// Only reached on failure.
const PATIENCE: Duration = Duration::from_secs(90);

/// Kills a program that does not end, so that the test fails instead of waiting for ever.
struct Watchdog {
    stop: Sender<()>,
    fired: JoinHandle<bool>,
}

impl Watchdog {
    fn start(process: u32) -> Watchdog {
        let (stop, stopped) = channel();
        let fired = std::thread::spawn(move || {
            let late = stopped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
            if late {
                // SAFETY: the caller waits for the child only after `stop`, so the id is its own.
                unsafe { libc::kill(process as i32, libc::SIGKILL) };
            }
            late
        });
        Watchdog { stop, fired }
    }

    /// True if the program was killed.
    fn stop(self) -> bool {
        let _ = self.stop.send(());
        self.fired.join().unwrap_or(true)
    }
}

/// A finished run, ended by itself or killed.
pub struct Ended {
    pub killed: bool,
    pub stdout: Vec<u8>,
    pub stderr: String,
    /// The requests to the model.
    pub requests: Vec<Value>,
}

impl Stage {
    pub fn new(seed: u64) -> Result<Stage, String> {
        let root = tempfile::Builder::new().prefix("kill-").tempdir().map_err(text)?;
        let ws = root.path().canonicalize().map_err(text)?.join("ws");
        for folder in ["ws/src", "home"] {
            std::fs::create_dir_all(root.path().join(folder)).map_err(text)?;
        }
        Ok(Stage { root, ws, session: format!("019a0000-0000-7000-8000-{:012x}", seed & 0xffff_ffff_ffff) })
    }

    /// Plays the story; kills the program a few instructions after it has printed `bytes`.
    pub fn play(&self, bytes: usize, spins: u32) -> Result<Ended, String> {
        self.play_on(&[], bytes, spins)
    }

    /// Plays the story with these variables, which may put a disk below the program.
    pub fn play_on(&self, disk: &[(&str, OsString)], bytes: usize, spins: u32) -> Result<Ended, String> {
        self.run(self.story(), &["--session-id", &self.session, "Make the files."], disk, bytes, spins)
    }

    pub fn story(&self) -> Vec<Value> {
        story::turns(&self.ws).into_iter().map(turn).chain([said("All done.")]).collect()
    }

    pub fn resume(&self) -> Result<Ended, String> {
        self.resume_on(&[])
    }

    pub fn resume_on(&self, disk: &[(&str, OsString)]) -> Result<Ended, String> {
        self.run(vec![said("Back again.")], &["--resume", &self.session, "Go on."], disk, usize::MAX, 0)
    }

    /// A lead that creates a team of one, with this task for it.
    pub fn lead_team(&self, task: &str, disk: &[(&str, OsString)]) -> Result<Ended, String> {
        let member = json!({"name": "ann", "task": task});
        let create = json!({"name": "TeamCreate", "input": {"teamName": "red", "members": [member]}});
        let mut turns = team_turns();
        turns.insert(1, json!({"when": "Lead this.", "calls": [create]}));
        self.run(turns, &["--session-id", &self.session, "Lead this."], disk, usize::MAX, 0)
    }

    pub fn resume_team(&self, disk: &[(&str, OsString)]) -> Result<Ended, String> {
        self.run(team_turns(), &["--resume", &self.session, "Go on."], disk, usize::MAX, 0)
    }

    /// True if the team of `lead_team` is on disk.
    pub fn has_team(&self) -> bool {
        self.home().join("teams/red/team.json").exists()
    }

    /// The transcripts of the other sessions: those of teammates.
    pub fn teammate_transcripts(&self) -> Result<Vec<Vec<u8>>, String> {
        let own = self.transcript_path();
        let mut found = Vec::new();
        for project in std::fs::read_dir(self.home().join("projects")).map_err(text)?.flatten() {
            for entry in std::fs::read_dir(project.path()).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.extension().is_some_and(|end| end == "jsonl") && own.as_ref() != Some(&path) {
                    found.push(std::fs::read(path).map_err(text)?);
                }
            }
        }
        Ok(found)
    }

    /// The program on a terminal, with the story as its script.
    pub fn terminal(&self, server: &LoopbackServer) -> Result<Term, String> {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(["--permission-mode", "bypassPermissions", "--session-id", &self.session, "Make the files."]);
        command.cwd(&self.ws);
        command.env_clear();
        command.env("TERM", "xterm");
        for (name, value) in self.variables(server) {
            command.env(name, value);
        }
        Term::start(command, (80, 24))
    }

    pub fn server(turns: Vec<Value>) -> Result<LoopbackServer, String> {
        let script = ScenarioScript::parse(&json!({"turns": turns}).to_string()).map_err(text)?;
        LoopbackServer::start(script).map_err(text)
    }

    pub fn variables(&self, server: &LoopbackServer) -> Vec<(&'static str, String)> {
        program_variables(&self.root.path().join("home"), server.addr())
    }

    fn run(
        &self,
        turns: Vec<Value>,
        args: &[&str],
        disk: &[(&str, OsString)],
        bytes: usize,
        spins: u32,
    ) -> Result<Ended, String> {
        let server = Stage::server(turns)?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]);
        command.args(args).current_dir(&self.ws).env_clear().envs(self.variables(&server));
        command.envs(disk.iter().map(|(name, value)| (*name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(text)?;
        let mut stderr = child.stderr.take().ok_or("no stderr")?;
        let stderr = std::thread::spawn(move || {
            let mut all = Vec::new();
            let _ = stderr.read_to_end(&mut all);
            String::from_utf8_lossy(&all).into_owned()
        });
        let mut out = child.stdout.take().ok_or("no stdout")?;
        let watchdog = Watchdog::start(child.id());
        let mut stdout = Vec::new();
        out.by_ref().take(bytes as u64).read_to_end(&mut stdout).map_err(text)?;
        (0..spins).for_each(|_| std::hint::spin_loop());
        if bytes < usize::MAX {
            child.kill().map_err(text)?;
        }
        // Output printed before the kill was shown to the user.
        out.read_to_end(&mut stdout).map_err(text)?;
        if watchdog.stop() {
            let _ = child.wait();
            return Err(format!("the program did not end within {PATIENCE:?}"));
        }
        let killed = child.wait().map_err(text)?.signal().is_some();
        let stderr = stderr.join().map_err(|_| "the reader of stderr died")?;
        let requests = server.requests().into_iter().map(|request| serde_json::from_slice(&request.body).map_err(text));
        Ok(Ended { killed, stdout, stderr, requests: requests.collect::<Result<_, _>>()? })
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home/.cutonce")
    }

    /// The bytes of the session's transcript; empty if it was never created.
    pub fn transcript(&self) -> Result<Vec<u8>, String> {
        self.transcript_path().map_or(Ok(vec![]), |path| std::fs::read(path).map_err(text))
    }

    pub fn put_transcript(&self, bytes: &[u8]) -> Result<(), String> {
        let path = self.transcript_path().ok_or("no transcript")?;
        std::fs::write(path, bytes).map_err(text)
    }

    pub fn transcript_path(&self) -> Option<PathBuf> {
        find(&self.home().join("projects"), &format!("{}.jsonl", self.session))
    }
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.into_iter().find_map(|path| match path.is_dir() {
        true => find(&path, name),
        false => (path.file_name()? == name).then_some(path),
    })
}

pub fn said(words: &str) -> Value {
    json!({"text": words})
}

/// A teammate that knows what to do, and a lead that only listens.
fn team_turns() -> Vec<Value> {
    vec![
        json!({"when": "You are `ann`", "text": "Finished.", "repeat": 1000}),
        json!({"text": "Noted.", "repeat": 1000}),
    ]
}

fn turn(calls: Vec<(&'static str, Value)>) -> Value {
    let calls: Vec<_> = calls.into_iter().map(|(name, input)| json!({"name": name, "input": input})).collect();
    json!({"text": "A step.", "calls": calls})
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

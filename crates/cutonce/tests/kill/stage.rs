//! One workspace, one home, one scripted model: the setup for killing and resuming a run.

use crate::story;
use cutonce_models::scripted::{LoopbackServer, ScenarioScript};
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Stage {
    root: tempfile::TempDir,
    pub ws: PathBuf,
    session: String,
}

/// A finished run, ended by itself or killed.
pub struct Ended {
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
        let turns: Vec<Value> = story::turns(&self.ws).into_iter().map(turn).chain([said("All done.")]).collect();
        self.run(turns, &["--session-id", &self.session, "Make the files."], bytes, spins)
    }

    pub fn resume(&self) -> Result<Ended, String> {
        self.run(vec![said("Back again.")], &["--resume", &self.session, "Go on."], usize::MAX, 0)
    }

    fn run(&self, turns: Vec<Value>, args: &[&str], bytes: usize, spins: u32) -> Result<Ended, String> {
        let script = ScenarioScript::parse(&json!({"turns": turns}).to_string()).map_err(text)?;
        let server = LoopbackServer::start(script).map_err(text)?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]);
        command.args(args).current_dir(&self.ws).env_clear().env("PATH", std::env::var("PATH").map_err(text)?);
        command.env("HOME", self.root.path().join("home")).env("CUTONCE_HOME", self.home()).env("LANG", "C.UTF-8");
        command.env("ANTHROPIC_BASE_URL", format!("http://{}", server.addr())).env("ANTHROPIC_API_KEY", "sk-kill-0001");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(text)?;
        let mut stderr = child.stderr.take().ok_or("no stderr")?;
        let stderr = std::thread::spawn(move || {
            let mut all = Vec::new();
            let _ = stderr.read_to_end(&mut all);
            String::from_utf8_lossy(&all).into_owned()
        });
        let mut out = child.stdout.take().ok_or("no stdout")?;
        let mut stdout = Vec::new();
        out.by_ref().take(bytes as u64).read_to_end(&mut stdout).map_err(text)?;
        (0..spins).for_each(|_| std::hint::spin_loop());
        if bytes < usize::MAX {
            child.kill().map_err(text)?;
        }
        // Output printed before the kill was shown to the user.
        out.read_to_end(&mut stdout).map_err(text)?;
        child.wait().map_err(text)?;
        let stderr = stderr.join().map_err(|_| "the reader of stderr died")?;
        let requests = server.requests().into_iter().map(|request| serde_json::from_slice(&request.body).map_err(text));
        Ok(Ended { stdout, stderr, requests: requests.collect::<Result<_, _>>()? })
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

    fn transcript_path(&self) -> Option<PathBuf> {
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

fn said(words: &str) -> Value {
    json!({"text": words})
}

fn turn(calls: Vec<(&'static str, Value)>) -> Value {
    let calls: Vec<_> = calls.into_iter().map(|(name, input)| json!({"name": name, "input": input})).collect();
    json!({"text": "A step.", "calls": calls})
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

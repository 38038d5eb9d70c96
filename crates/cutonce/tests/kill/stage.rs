//! One workspace, one home, one scripted model: the setup for killing and resuming a run.

use crate::pty::Term;
use crate::story;
use cutonce_models::scripted::{LoopbackServer, ScenarioScript};
use portable_pty::CommandBuilder;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Stage {
    root: tempfile::TempDir,
    pub ws: PathBuf,
    session: String,
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

    /// The program on a terminal, with the story as its script.
    pub fn terminal(&self, server: &LoopbackServer) -> Result<Term, String> {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(["--permission-mode", "bypassPermissions", "--session-id", &self.session, "Make the files."]);
        command.cwd(&self.ws);
        command.env_clear();
        command.env("TERM", "xterm");
        for (name, value) in self.variables(server)? {
            command.env(name, value);
        }
        Term::start(command, (80, 24))
    }

    pub fn server(turns: Vec<Value>) -> Result<LoopbackServer, String> {
        let script = ScenarioScript::parse(&json!({"turns": turns}).to_string()).map_err(text)?;
        LoopbackServer::start(script).map_err(text)
    }

    fn variables(&self, server: &LoopbackServer) -> Result<Vec<(&'static str, OsString)>, String> {
        Ok(vec![
            ("PATH", std::env::var_os("PATH").ok_or("no PATH")?),
            ("HOME", self.root.path().join("home").into()),
            ("CUTONCE_HOME", self.home().into()),
            ("LANG", "C.UTF-8".into()),
            ("ANTHROPIC_BASE_URL", format!("http://{}", server.addr()).into()),
            ("ANTHROPIC_API_KEY", "sk-kill-0001".into()),
        ])
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
        command.args(args).current_dir(&self.ws).env_clear().envs(self.variables(&server)?);
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
        let mut stdout = Vec::new();
        out.by_ref().take(bytes as u64).read_to_end(&mut stdout).map_err(text)?;
        (0..spins).for_each(|_| std::hint::spin_loop());
        if bytes < usize::MAX {
            child.kill().map_err(text)?;
        }
        // Output printed before the kill was shown to the user.
        out.read_to_end(&mut stdout).map_err(text)?;
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

//! Runs this program as a child, on a layer or not, and reads its result.

use crate::start;
use anyhow::Context;
use cutonce_sandbox::{ProcessExit, SandboxProfile, SpawnSpec, StdinMode, StdoutMode};
use serde_json::Value;
use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Bytes that a layer may hold (RH-5).
const MAX_LAYER_BYTES: u64 = 4 << 30;
/// Time that a rehearsal may take.
const MAX_TIME: Duration = Duration::from_secs(3_600);
const LOOK_EVERY: Duration = Duration::from_millis(500);

const TOO_LARGE: &str = "the rehearsal was stopped: its layer holds more than 4 GB";
const TOO_LONG: &str = "the rehearsal was stopped: it took more than an hour";

/// A run of this program.
pub struct ChildProgram {
    program: PathBuf,
    pub args: Vec<OsString>,
    pub profile: SandboxProfile,
    pub stdin: Vec<u8>,
}

/// What the child printed, and how it ended.
pub struct ChildEnd {
    pub stdout: Vec<u8>,
    pub code: u8,
    /// A limit stopped it.
    pub stopped: Option<&'static str>,
}

/// Stops a child whose layer grows too large.
pub struct LayerLimit {
    upper: PathBuf,
}

impl LayerLimit {
    pub fn new(upper: &Path) -> LayerLimit {
        LayerLimit { upper: upper.to_path_buf() }
    }

    /// Returns when a limit is reached.
    async fn reached(self) -> &'static str {
        let started = tokio::time::Instant::now();
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let upper = self.upper.clone();
            let size = tokio::task::spawn_blocking(move || size_of(&upper)).await.unwrap_or_default();
            if size > MAX_LAYER_BYTES {
                return TOO_LARGE;
            }
            if started.elapsed() > MAX_TIME {
                return TOO_LONG;
            }
        }
    }
}

/// Bytes that a folder takes on disk.
fn size_of(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let (mut open, mut size) = (vec![folder.to_path_buf()], 0);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else { continue };
            size += about.blocks() * 512;
            if about.is_dir() {
                open.push(entry.path());
            }
        }
    }
    size
}

impl ChildProgram {
    pub fn this() -> anyhow::Result<ChildProgram> {
        let program = std::env::current_exe().context("the program's own file is gone")?;
        Ok(ChildProgram { program, args: Vec::new(), profile: SandboxProfile::Unconfined, stdin: Vec::new() })
    }

    /// Runs it to its end. Its errors go to our standard error.
    pub async fn run(self, limit: Option<LayerLimit>) -> anyhow::Result<ChildEnd> {
        let mut spawn = SpawnSpec::new(self.program, start::current_dir()?, std::env::vars_os().collect());
        spawn = spawn.args(self.args).profile(self.profile);
        (spawn.input, spawn.output) = (StdinMode::Piped, StdoutMode::Separate);
        let mut running = spawn.start()?;
        let input = self.stdin;
        let (stdin, stdout, stderr) = (running.stdin.take(), running.stdout.take(), running.stderr.take());
        let mut printed = Vec::new();
        let write = async move {
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(&input).await;
            }
        };
        let read = async {
            if let Some(mut stdout) = stdout {
                let _ = stdout.read_to_end(&mut printed).await;
            }
        };
        let errors = async move {
            let mut text = Vec::new();
            if let Some(mut stderr) = stderr {
                let _ = stderr.read_to_end(&mut text).await;
            }
            eprint!("{}", cutonce_core::text::sanitize::sanitize(&String::from_utf8_lossy(&text)));
        };
        let work = async { tokio::join!(write, read, errors) };
        let stopped = tokio::select! {
            _ = work => None,
            why = reached(limit) => Some(why),
        };
        if stopped.is_some() {
            running.kill();
        }
        let code = match running.wait().await? {
            ProcessExit::Exited(code) => u8::try_from(code).unwrap_or(1),
            ProcessExit::Signalled(_) => 1,
        };
        Ok(ChildEnd { stdout: printed, code, stopped })
    }
}

async fn reached(limit: Option<LayerLimit>) -> &'static str {
    match limit {
        Some(limit) => limit.reached().await,
        None => std::future::pending().await,
    }
}

impl ChildEnd {
    /// The last line, which is the result of a run with JSON output.
    pub fn last_json(&self) -> Option<Value> {
        let mut lines = self.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        serde_json::from_slice(lines.next_back()?).ok()
    }
}

/// Reads standard input, if it is no terminal.
pub fn piped_input() -> anyhow::Result<Vec<u8>> {
    let mut piped = Vec::new();
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        stdin.lock().read_to_end(&mut piped)?;
    }
    Ok(piped)
}

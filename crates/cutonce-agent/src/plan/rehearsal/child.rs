//! Runs the rehearsing agent: cutonce again, in a namespace in which the workspace is the layer. Reads its frames.

use cutonce_core::text::sanitize::one_line;
use cutonce_sandbox::{ProcessExit, SandboxProfile, SpawnSpec, StdinMode, StdoutMode};
use serde_json::Value;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio_util::sync::CancellationToken;

const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Longest line of progress.
const MAX_PROGRESS: usize = 200;
/// Bytes of standard error that are kept for a message.
const MAX_ERRORS: u64 = 64 << 10;

/// A run of the agent.
pub(super) struct RehearsingAgent {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub folder: PathBuf,
    pub env: Vec<(OsString, OsString)>,
    pub profile: SandboxProfile,
}

/// How the agent ended.
pub(super) struct AgentRun {
    /// The result frame.
    pub result: Option<Value>,
    pub errors: String,
    /// A limit or the user stopped it.
    pub stopped: Option<RehearsalStop>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RehearsalStop {
    Cancelled,
    /// The layer holds more than so many megabytes.
    TooLarge(u32),
    /// The rehearsal took more than so many minutes.
    TooLong(u32),
}

/// Watches what the layer holds.
pub(super) struct LayerWatch {
    pub upper: PathBuf,
    pub max_megabytes: u32,
    pub max_minutes: u32,
    /// What it held when the agent started.
    pub before: u64,
}

impl LayerWatch {
    /// Returns when a limit is reached.
    async fn reached(&self) -> RehearsalStop {
        let started = tokio::time::Instant::now();
        let limit = Duration::from_secs(u64::from(self.max_minutes) * 60);
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let upper = self.upper.clone();
            let size = tokio::task::spawn_blocking(move || size_of(&upper)).await.unwrap_or_default();
            if size.saturating_sub(self.before) > u64::from(self.max_megabytes) << 20 {
                return RehearsalStop::TooLarge(self.max_megabytes);
            }
            if started.elapsed() > limit {
                return RehearsalStop::TooLong(self.max_minutes);
            }
        }
    }
}

/// Bytes that a folder takes on disk.
pub(super) fn size_of(folder: &Path) -> u64 {
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

impl RehearsingAgent {
    /// Runs it to its end. `on_call` gets each call and its number.
    pub async fn run(
        self,
        watch: &LayerWatch,
        cancel: &CancellationToken,
        on_call: &(dyn Fn(String, u32) + Send + Sync),
    ) -> io::Result<AgentRun> {
        let mut spawn = SpawnSpec::new(self.program, &self.folder, self.env).args(self.args).profile(self.profile);
        (spawn.input, spawn.output) = (StdinMode::Null, StdoutMode::Separate);
        let mut running = spawn.start().map_err(|error| io::Error::other(error.to_string()))?;
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let (mut result, mut calls, mut errors) = (None, 0, Vec::new());
        let read = async {
            let Some(stdout) = stdout else { return };
            let mut lines = BufReader::new(stdout).split(b'\n');
            while let Ok(Some(line)) = lines.next_segment().await {
                let Ok(frame) = serde_json::from_slice::<Value>(&line) else { continue };
                match frame["type"].as_str() {
                    Some("assistant") => {
                        for call in called(&frame) {
                            calls += 1;
                            on_call(call, calls);
                        }
                    }
                    Some("result") => result = Some(frame),
                    _ => {}
                }
            }
        };
        let complain = async {
            if let Some(stderr) = stderr {
                let _ = stderr.take(MAX_ERRORS).read_to_end(&mut errors).await;
            }
        };
        let stopped = tokio::select! {
            _ = async { tokio::join!(read, complain) } => None,
            why = watch.reached() => Some(why),
            () = cancel.cancelled() => Some(RehearsalStop::Cancelled),
        };
        if stopped.is_some() {
            running.kill();
        }
        let ended = running.wait().await?;
        if let (ProcessExit::Signalled(signal), None, None) = (ended, stopped, &result) {
            errors.extend_from_slice(format!("the agent was ended by signal {signal}").as_bytes());
        }
        Ok(AgentRun { result, errors: String::from_utf8_lossy(&errors).trim().to_string(), stopped })
    }
}

/// The calls of an answer, one line each.
fn called(frame: &Value) -> Vec<String> {
    let blocks = frame["message"]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    let line = |block: &Value| {
        let text = format!("{} {}", block["name"].as_str().unwrap_or_default(), call_text(&block["input"]));
        one_line(&text).chars().take(MAX_PROGRESS).collect()
    };
    calls.map(line).collect()
}

/// The part of a call's input that says most.
pub(super) fn call_text(input: &Value) -> String {
    let said = ["command", "file_path", "url", "pattern"].iter().find_map(|field| input.get(field)?.as_str());
    said.map_or_else(|| input.to_string(), str::to_string)
}

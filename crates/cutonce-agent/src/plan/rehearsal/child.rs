//! Runs the rehearsing agent: cutonce again, in a namespace in which the workspace is the layer. Reads its frames.

use super::AgentNews;
use cutonce_core::conversation::TokenUsage;
use cutonce_core::plan::rehearsal::DeniedAttempt;
use cutonce_core::text::sanitize::one_line;
use cutonce_sandbox::{ProcessExit, SandboxProfile, SpawnSpec, StdinMode, StdoutMode};
use cutonce_tools::files::walk_below;
use serde_json::Value;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Longest line of progress.
const MAX_PROGRESS: usize = 200;
/// Bytes of standard error that are kept for a message.
const MAX_ERRORS: u64 = 64 << 10;
/// Commands whose output is kept, and bytes of each: its end.
const MAX_COMMANDS: usize = 200;
const MAX_OUTPUT: usize = 16 << 10;

/// A run of the agent.
pub(super) struct RehearsingAgent {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub folder: PathBuf,
    /// The workspace, which the user sees in place of `folder`.
    pub shown_folder: PathBuf,
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
    /// Commands with the end of their last output.
    pub commands: Vec<RunCommand>,
    /// What commands did not get from the sandbox, and what was not applied of them (RH-2).
    pub denied: Vec<DeniedAttempt>,
}

pub(super) struct RunCommand {
    call_id: String,
    pub command: String,
    pub output: Option<String>,
}

/// What the agent's frames say, one after another.
#[derive(Default)]
struct AgentFrames {
    result: Option<Value>,
    calls: u32,
    /// Usage comes with each part of a message.
    last_message: String,
    commands: Vec<RunCommand>,
    denied: Vec<DeniedAttempt>,
    /// A limit of the sandbox that a command reached.
    over_limit: Option<String>,
}

impl AgentFrames {
    fn read(&mut self, frame: Value, on_news: &(dyn Fn(AgentNews) + Send + Sync)) {
        match frame["type"].as_str() {
            Some("assistant") => {
                if let Some(id) = frame["message"]["id"].as_str().filter(|id| *id != self.last_message) {
                    self.last_message = id.to_string();
                    let model = frame["message"]["model"].as_str().unwrap_or_default().to_string();
                    on_news(AgentNews::Used { model, usage: usage_of(&frame["message"]["usage"]) });
                }
                self.commands.extend(started_commands(&frame));
                self.commands.drain(..self.commands.len().saturating_sub(MAX_COMMANDS));
                for text in called(&frame) {
                    self.calls += 1;
                    on_news(AgentNews::Called { text, calls: self.calls });
                }
            }
            Some("user") => {
                self.take_outputs(&frame);
                self.over_limit = frame["tool_use_result"]["overLimit"].as_str().map(str::to_string);
            }
            // The program runs checks that the model left out.
            Some("system") if frame["subtype"] == "plan.check" => self.commands.push(RunCommand {
                call_id: String::new(),
                command: frame["command"].as_str().unwrap_or_default().to_string(),
                output: frame["output"].as_str().map(output_end),
            }),
            Some("result") => self.result = Some(frame),
            _ => {}
        }
    }

    fn take_outputs(&mut self, frame: &Value) {
        for block in blocks(frame) {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            let Some(at) = self.commands.iter().rposition(|one| one.call_id == id) else { continue };
            self.commands[at].output = block["content"].as_str().map(output_end);
            let about = &frame["tool_use_result"];
            let refused = about["refused"].as_str().map(|part| refused_command(&self.commands[at].command, part));
            let not_applied = about["notApplied"].as_array().into_iter().flatten().filter_map(Value::as_str);
            self.denied.extend(refused.into_iter().chain(not_applied.map(DeniedAttempt::of_layer)));
            self.denied.truncate(MAX_COMMANDS);
        }
    }
}

/// A command that ran, and did not get what it wanted (RH-2).
fn refused_command(command: &str, part: &str) -> DeniedAttempt {
    let wanted = match part {
        "network" => "it wanted the network",
        _ => "it wanted a secret, a protected file or one outside the workspace",
    };
    DeniedAttempt { tool: "Bash".into(), text: format!("{command} ({wanted})") }
}

fn output_end(output: &str) -> String {
    let from = output.len().saturating_sub(MAX_OUTPUT);
    let from = (from..=output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or_default();
    output.get(from..).unwrap_or_default().to_string()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RehearsalStop {
    Cancelled,
    /// A command reached this limit of the sandbox.
    OverLimit(String),
    /// The changes on the layer take more than so many megabytes.
    TooLarge(u32),
    /// The rehearsal took more than so many minutes.
    TooLong(u32),
}

/// Watches the size of the layer.
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
        let mut pause = LOOK_EVERY;
        loop {
            tokio::time::sleep(pause).await;
            let (upper, looked) = (self.upper.clone(), tokio::time::Instant::now());
            let size = tokio::task::spawn_blocking(move || size_of(&upper)).await.unwrap_or_default();
            // A large copy takes long to look at.
            pause = LOOK_EVERY.max(looked.elapsed() * 10);
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
    let entries = walk_below(folder, |_| true).flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|about| about.blocks() * 512).sum()
}

impl RehearsingAgent {
    /// Runs it to its end.
    pub async fn run(
        self,
        watch: &LayerWatch,
        cancel: &CancellationToken,
        on_news: &(dyn Fn(AgentNews) + Send + Sync),
    ) -> io::Result<AgentRun> {
        let mut spawn = SpawnSpec::new(self.program, &self.folder, self.env).args(self.args).profile(self.profile);
        (spawn.input, spawn.output) = (StdinMode::Null, StdoutMode::Separate);
        let mut running = spawn.start().map_err(|error| io::Error::other(error.to_string()))?;
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        let (mut frames, mut errors) = (AgentFrames::default(), Vec::new());
        let over_limit = Notify::new();
        let [own, shown] = [&self.folder, &self.shown_folder].map(|folder| folder.display().to_string());
        let read = async {
            let Some(stdout) = stdout else { return };
            let mut lines = BufReader::new(stdout).split(b'\n');
            while let Ok(Some(line)) = lines.next_segment().await {
                let line = String::from_utf8_lossy(&line);
                let Ok(frame) = serde_json::from_str::<Value>(&line.replace(&own, &shown)) else { continue };
                frames.read(frame, on_news);
                if frames.over_limit.is_some() {
                    over_limit.notify_one();
                    return;
                }
            }
        };
        let complain = async {
            if let Some(stderr) = stderr {
                let _ = stderr.take(MAX_ERRORS).read_to_end(&mut errors).await;
            }
        };
        let stopped = tokio::select! {
            biased;
            () = cancel.cancelled() => Some(RehearsalStop::Cancelled),
            () = over_limit.notified() => None,
            _ = async { tokio::join!(read, complain) } => None,
            why = watch.reached() => Some(why),
        };
        let stopped = stopped.or(frames.over_limit.take().map(RehearsalStop::OverLimit));
        if stopped.is_some() {
            running.kill();
        }
        let ended = running.wait().await?;
        if let (ProcessExit::Signalled(signal), None, None) = (ended, &stopped, &frames.result) {
            errors.extend_from_slice(format!("the agent was ended by signal {signal}").as_bytes());
        }
        let errors = String::from_utf8_lossy(&errors).trim().to_string();
        let AgentFrames { result, commands, denied, .. } = frames;
        Ok(AgentRun { result, errors, stopped, commands, denied })
    }
}

fn blocks(frame: &Value) -> &[Value] {
    frame["message"]["content"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn usage_of(usage: &Value) -> TokenUsage {
    let count = |field: &str| usage[field].as_u64().unwrap_or_default();
    TokenUsage {
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
        cache_creation_input_tokens: count("cache_creation_input_tokens"),
        cache_read_input_tokens: count("cache_read_input_tokens"),
        web_searches: usage["server_tool_use"]["web_search_requests"].as_u64().unwrap_or_default(),
    }
}

fn started_commands(frame: &Value) -> Vec<RunCommand> {
    let commands = blocks(frame).iter().filter(|block| block["type"] == "tool_use" && block["name"] == "Bash");
    let command = |block: &Value| RunCommand {
        call_id: block["id"].as_str().unwrap_or_default().to_string(),
        command: block["input"]["command"].as_str().unwrap_or_default().to_string(),
        output: None,
    };
    commands.map(command).collect()
}

/// The calls of an answer, one line each.
fn called(frame: &Value) -> Vec<String> {
    let calls = blocks(frame).iter().filter(|block| block["type"] == "tool_use");
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

//! A command hook from the settings: reads JSON on stdin and replies with an exit code and optional JSON.
//!
//! The command is the user's own program. It runs as the user, outside the sandbox, also in plan mode (PM-2;
//! docs/reference/hooks.md), with the key-free environment of tools. Its process group is killed when it ends or
//! times out.

use super::Hook;
use async_trait::async_trait;
use cutonce_core::hooks::{HookAnswer, HookEvent, HookInput, HookMatcher, HookPayload, OnFailure};
use cutonce_core::settings::hooks::HookCommand;
use cutonce_core::settings::{HookSettings, Settings};
use cutonce_sandbox::{ProcessExit, RunningProcess, SpawnSpec, StdinMode, StdoutMode, find_program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

/// Default timeout in seconds.
const DEFAULT_TIMEOUT_SECS: u32 = 60;
const MAX_TIMEOUT_SECS: u32 = 3600;
/// Maximum size of stdout; longer output is an error.
const MAX_OUTPUT: u64 = 256 * 1024;
const MAX_ERROR: u64 = 16 * 1024;

/// State shared by all command hooks of a session.
#[derive(Debug)]
pub(crate) struct HookEnvironment {
    pub cwd: PathBuf,
    /// Already scrubbed: contains no keys.
    pub env: Vec<(OsString, OsString)>,
}

pub(crate) struct CommandHook {
    event: HookEvent,
    matcher: HookMatcher,
    command: String,
    timeout: Duration,
    on_failure: OnFailure,
    around: Arc<HookEnvironment>,
}

/// Builds the hooks of the settings and reports unusable ones. Settings exclude hooks of untrusted projects (PR-2).
pub(crate) fn hooks_from_settings(
    settings: &Settings,
    cwd: &Path,
    mut env: Vec<(OsString, OsString)>,
    notices: &mut Vec<String>,
) -> Vec<Arc<dyn Hook>> {
    if settings.disable_all_hooks || settings.hooks == HookSettings::default() {
        return Vec::new();
    }
    env.retain(|(name, _)| name != "CUTONCE_PROJECT_DIR" && name != "CLAUDE_PROJECT_DIR");
    env.extend(["CUTONCE_PROJECT_DIR", "CLAUDE_PROJECT_DIR"].map(|name| (name.into(), cwd.into())));
    let around = Arc::new(HookEnvironment { cwd: cwd.to_path_buf(), env });
    let mut hooks: Vec<Arc<dyn Hook>> = Vec::new();
    for event in HookEvent::ALL {
        for group in settings.hooks.groups_for(event) {
            match HookMatcher::parse(group.matcher.as_deref()) {
                Ok(matcher) => hooks.extend(group.hooks.iter().map(|hook| {
                    Arc::new(CommandHook::new(event, matcher.clone(), hook, around.clone())) as Arc<dyn Hook>
                })),
                // A hook with an unreadable matcher may be a guard, so it runs for everything.
                Err(why) => {
                    notices.push(format!("`hooks.{}`: {why}; the hook runs for every one", event.name()));
                    hooks.extend(group.hooks.iter().map(|hook| {
                        Arc::new(CommandHook::new(event, HookMatcher::Any, hook, around.clone())) as Arc<dyn Hook>
                    }));
                }
            }
        }
    }
    hooks
}

impl CommandHook {
    pub fn new(event: HookEvent, matcher: HookMatcher, hook: &HookCommand, around: Arc<HookEnvironment>) -> Self {
        let seconds = hook.timeout.unwrap_or(DEFAULT_TIMEOUT_SECS).clamp(1, MAX_TIMEOUT_SECS);
        let timeout = Duration::from_secs(seconds.into());
        Self { event, matcher, command: hook.command.clone(), timeout, on_failure: hook.on_failure, around }
    }

    async fn run_command(&self, input: &HookInput) -> Result<HookAnswer, String> {
        let mut line = serde_json::to_vec(input).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let shell = find_program("sh", &self.around.env).unwrap_or_else(|| PathBuf::from("/bin/sh"));
        let spawn = SpawnSpec::new(shell, &self.around.cwd, self.around.env.clone())
            .argv0("sh")
            .args(["-c", &self.command])
            .input(StdinMode::Piped)
            .output(StdoutMode::Separate);
        let mut running: RunningProcess = spawn.start().map_err(|error| error.to_string())?;
        let (stdin, stdout, stderr) = (running.stdin.take(), running.stdout.take(), running.stderr.take());
        let tell = async move {
            // The hook may ignore its input.
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(&line).await;
            }
        };
        // Processes the hook leaves behind are killed with it, which closes its pipes.
        let ended =
            tokio::join!(tell, read_limited(stdout, MAX_OUTPUT), read_beginning(stderr, MAX_ERROR), running.wait());
        let (_, stdout, stderr, ended) = ended;
        if stdout.len() as u64 > MAX_OUTPUT {
            return Err(format!("it printed more than {MAX_OUTPUT} bytes"));
        }
        match ended.map_err(|error| error.to_string())? {
            ProcessExit::Exited(code) => {
                let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
                Ok(HookAnswer::from_exit(self.event, code, &stdout, &stderr, self.on_failure))
            }
            ProcessExit::Signalled(signal) => Err(format!("it was killed by signal {signal}")),
        }
    }
}

#[async_trait]
impl Hook for CommandHook {
    fn wants(&self, moment: &HookPayload) -> bool {
        moment.event() == self.event && self.matcher.matches(moment.matcher_subject())
    }

    async fn run(&self, input: &HookInput) -> HookAnswer {
        let slow = || Err(format!("it did not end within {} seconds", self.timeout.as_secs()));
        let reply = tokio::time::timeout(self.timeout, self.run_command(input)).await.unwrap_or_else(|_| slow());
        reply.unwrap_or_else(|why| {
            HookAnswer::for_failure(self.event, &format!("{why} (`{}`)", self.command), self.on_failure)
        })
    }
}

/// Reads at most `most` + 1 bytes, then closes the pipe, which ends a program that keeps writing.
async fn read_limited(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(most + 1).read_to_end(&mut bytes).await;
    }
    bytes
}

/// Keeps the first `most` bytes and discards the rest, so that a verbose program can still reach its exit code.
async fn read_beginning(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = (&mut pipe).take(most).read_to_end(&mut bytes).await;
        let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    }
    bytes
}

#[cfg(test)]
mod tests;

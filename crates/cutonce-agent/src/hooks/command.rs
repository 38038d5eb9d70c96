//! A hook that is a command of the settings: JSON on its standard input, an exit code and maybe JSON back.
//!
//! It is the user's own program and runs as the user, outside the sandbox, in plan mode too (PM-2; docs/hooks.md). It gets the
//! environment of tools, which holds no keys, and is killed with all it started when its time is over or it has ended.

use super::Hook;
use async_trait::async_trait;
use cutonce_core::hook::{HookEvent, HookInput, Matcher, Moment, OnFailure, Reply};
use cutonce_core::settings::hooks::HookCommand;
use cutonce_core::settings::{Hooks as HookSettings, Settings};
use cutonce_sandbox::{Ended, Input, Output, Running, Spawn, find_program};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

/// Where a hook has no timeout of its own.
const TIMEOUT: u32 = 60;
const LONGEST_TIMEOUT: u32 = 3600;
/// Most bytes that are read of what it prints; one that prints more can't be understood.
const LONGEST_OUTPUT: u64 = 256 * 1024;
const LONGEST_ERROR: u64 = 16 * 1024;

/// What all commands of a session share.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub cwd: PathBuf,
    /// Scrubbed already: no keys.
    pub env: Vec<(OsString, OsString)>,
}

pub(crate) struct CommandHook {
    event: HookEvent,
    matcher: Matcher,
    command: String,
    timeout: Duration,
    on_failure: OnFailure,
    around: Arc<Surroundings>,
}

/// The hooks of the settings; what can't be used is named. Those of a project that is not trusted are not among the settings (PR-2).
pub(crate) fn of_settings(
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
    let around = Arc::new(Surroundings { cwd: cwd.to_path_buf(), env });
    let mut hooks: Vec<Arc<dyn Hook>> = Vec::new();
    for event in HookEvent::ALL {
        for group in settings.hooks.of(event) {
            match Matcher::parse(group.matcher.as_deref()) {
                Ok(matcher) => hooks.extend(group.hooks.iter().map(|hook| {
                    Arc::new(CommandHook::new(event, matcher.clone(), hook, around.clone())) as Arc<dyn Hook>
                })),
                // A guard that nobody can read must not vanish: it looks at everything.
                Err(why) => {
                    notices.push(format!("`hooks.{}`: {why}; the hook runs for every one", event.name()));
                    hooks.extend(group.hooks.iter().map(|hook| {
                        Arc::new(CommandHook::new(event, Matcher::Any, hook, around.clone())) as Arc<dyn Hook>
                    }));
                }
            }
        }
    }
    hooks
}

impl CommandHook {
    pub fn new(event: HookEvent, matcher: Matcher, hook: &HookCommand, around: Arc<Surroundings>) -> Self {
        let seconds = hook.timeout.unwrap_or(TIMEOUT).clamp(1, LONGEST_TIMEOUT);
        let timeout = Duration::from_secs(seconds.into());
        Self { event, matcher, command: hook.command.clone(), timeout, on_failure: hook.on_failure, around }
    }

    async fn converse(&self, input: &HookInput) -> Result<Reply, String> {
        let mut line = serde_json::to_vec(input).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let shell = find_program("sh", &self.around.env).unwrap_or_else(|| PathBuf::from("/bin/sh"));
        let spawn = Spawn::new(shell, &self.around.cwd, self.around.env.clone())
            .called("sh")
            .args(["-c", &self.command])
            .input(Input::Piped)
            .output(Output::Separate);
        let mut running: Running = spawn.start().map_err(|error| error.to_string())?;
        let (stdin, stdout, stderr) = (running.stdin.take(), running.stdout.take(), running.stderr.take());
        let tell = async move {
            // A hook need not read what it is told.
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(&line).await;
            }
        };
        // What it started and left behind dies with it, so its pipes end when it does.
        let ended = tokio::join!(tell, read(stdout, LONGEST_OUTPUT), begin(stderr, LONGEST_ERROR), running.wait());
        let (_, stdout, stderr, ended) = ended;
        if stdout.len() as u64 > LONGEST_OUTPUT {
            return Err(format!("it printed more than {LONGEST_OUTPUT} bytes"));
        }
        match ended.map_err(|error| error.to_string())? {
            Ended::Exited(code) => {
                let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
                Ok(Reply::from_exit(self.event, code, &stdout, &stderr, self.on_failure))
            }
            Ended::Signalled(signal) => Err(format!("it was ended by signal {signal}")),
        }
    }
}

#[async_trait]
impl Hook for CommandHook {
    fn wants(&self, moment: &Moment) -> bool {
        moment.event() == self.event && self.matcher.fits(moment.subject())
    }

    async fn run(&self, input: &HookInput) -> Reply {
        let slow = || Err(format!("it did not end within {} seconds", self.timeout.as_secs()));
        let reply = tokio::time::timeout(self.timeout, self.converse(input)).await.unwrap_or_else(|_| slow());
        reply.unwrap_or_else(|why| Reply::failed(self.event, &format!("{why} (`{}`)", self.command), self.on_failure))
    }
}

/// At most one byte more than `most`; then the pipe is closed, and a program that writes on is ended by that.
async fn read(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(most + 1).read_to_end(&mut bytes).await;
    }
    bytes
}

/// The first `most` bytes; what follows is read and dropped, so that a program with much to say comes to its exit code.
async fn begin(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = (&mut pipe).take(most).read_to_end(&mut bytes).await;
        let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    }
    bytes
}

#[cfg(test)]
mod tests;

//! The process of a language server: confined like a command that only reads, ended with everything it started.

use super::definition::LanguageServerDefinition;
use super::error::ServerFailure;
use crate::stderr_tail::{StderrTail, read_stderr};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_sandbox::{ProcessExit, ResourceLimits, RunningProcess, SandboxProfile, SpawnSpec, StdinMode, StdoutMode};
use cutonce_tools::shell::confine::SandboxUnavailable;
use cutonce_tools::shell::reader_sandbox::ReaderSandbox;
use cutonce_tools::workspace::Workspace;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;

/// How long a process that closed its output may take to exit.
const EXIT_WAIT: Duration = Duration::from_millis(300);
/// How long killing it may take.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

/// Where and how servers run.
pub(super) struct LaunchOptions {
    pub workspace: Workspace,
    /// The environment of tool processes: no secrets.
    pub env: Vec<(OsString, OsString)>,
    pub deny_read: Vec<PathBuf>,
    pub limits: ResourceLimits,
    /// Made with the first server, removed with the last.
    pub sandbox: Mutex<Option<Arc<ReaderSandbox>>>,
}

/// A started server.
pub(super) struct LanguageServerProcess {
    running: RunningProcess,
    stderr: Arc<StderrTail>,
    reading: JoinHandle<()>,
}

impl LaunchOptions {
    /// Starts a server. Blocks until it runs.
    pub fn start(
        &self,
        definition: &LanguageServerDefinition,
        root: &Path,
    ) -> Result<(LanguageServerProcess, pipe::Sender, pipe::Receiver), ServerFailure> {
        let missing = || ServerFailure::NotStarted(format!("the program {:?} was not found", definition.command));
        let program = definition.program(&self.workspace.root, &self.env).ok_or_else(missing)?;
        let (profile, env) = self.confine(definition)?;
        let spawn = SpawnSpec::new(program, root, env)
            .args(&definition.args)
            .profile(profile)
            .input(StdinMode::Piped)
            .output(StdoutMode::Separate);
        let mut running = spawn.start().map_err(|error| ServerFailure::NotStarted(error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (running.stdin.take(), running.stdout.take(), running.stderr.take())
        else {
            return Err(ServerFailure::NotStarted("its pipes could not be opened".into()));
        };
        let tail = Arc::<StderrTail>::default();
        let reading = tokio::spawn(read_stderr(stderr, tail.clone()));
        Ok((LanguageServerProcess { running, stderr: tail, reading }, stdin, stdout))
    }

    fn confine(
        &self,
        definition: &LanguageServerDefinition,
    ) -> Result<(SandboxProfile, Vec<(OsString, OsString)>), ServerFailure> {
        let failed = |error: SandboxUnavailable| ServerFailure::NotStarted(error.to_string());
        let sandbox = {
            let mut made = self.sandbox.lock_unpoisoned();
            match &*made {
                Some(sandbox) => sandbox.clone(),
                None => made.insert(Arc::new(ReaderSandbox::new().map_err(failed)?)).clone(),
            }
        };
        let profile = sandbox.profile(&self.workspace, &self.deny_read, self.limits).map_err(failed)?;
        let mut env = sandbox.env(&self.env);
        env.retain(|(name, _)| !definition.env.iter().any(|(given, _)| given == name));
        env.extend(definition.env.iter().cloned());
        Ok((profile, env))
    }
}

impl LanguageServerProcess {
    /// Ends the process and everything it started; says how it ended. A server keeps nothing that must be saved, so it
    /// is killed without a farewell.
    pub async fn end(mut self) -> String {
        let exited = tokio::time::timeout(EXIT_WAIT, self.running.wait()).await;
        let how = match exited {
            Ok(Ok(ProcessExit::Exited(code))) => format!("it ended with exit code {code}"),
            Ok(Ok(ProcessExit::Signalled(signal))) => format!("it was killed by signal {signal}"),
            Ok(Err(error)) => format!("it is gone ({error})"),
            Err(_) => "it closed its output".into(),
        };
        self.kill().await;
        let _ = tokio::time::timeout(EXIT_WAIT, &mut self.reading).await;
        self.reading.abort();
        format!("{how}{}", self.stderr.describe_last_line())
    }

    /// Kills the process and everything it started, and waits until they are gone.
    pub async fn kill(&mut self) {
        self.running.kill();
        let _ = tokio::time::timeout(KILL_TIMEOUT, self.running.wait()).await;
    }
}

//! A server process: started through the sandbox with the tool environment plus its definition's variables, and ended
//! with all its child processes (MO-4, AG-4).

use super::super::remote::{ChangeSignal, RemoteError};
use super::McpClient;
use super::traffic_meter::{MeteredLines, TrafficMeter};
use crate::stderr_tail::{StderrTail, read_stderr};
use cutonce_sandbox::{ProcessExit, RunningProcess, SpawnSpec, StdinMode, StdoutMode, find_program};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::BufWriter;
use tokio::net::unix::pipe;

/// How long it may take to exit after its stdin was closed.
const GRACE: Duration = Duration::from_millis(300);
/// How long killing it may take.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) struct ServerProcess {
    pub(crate) meter: Arc<TrafficMeter>,
    stderr: Arc<StderrTail>,
    /// Cancelled when its end is expected, so that it isn't reported.
    expected: tokio_util::sync::CancellationToken,
}

type ServerReader = MeteredLines<pipe::Receiver>;
type ServerWriter = BufWriter<pipe::Sender>;

impl ServerProcess {
    pub fn start(
        client: &McpClient,
        command: &str,
        args: &[String],
        env: &[(String, String)],
        bell: Arc<ChangeSignal>,
        pid: &AtomicU32,
    ) -> Result<(ServerProcess, ServerReader, ServerWriter), RemoteError> {
        let mut all = client.env.clone();
        all.retain(|(name, _)| !env.iter().any(|(given, _)| name == given.as_str()));
        all.extend(env.iter().map(|(name, value)| (name.into(), value.into())));
        let program = match command.contains('/') {
            true => Some(client.cwd.join(command)),
            false => find_program(command, &all),
        };
        let program: PathBuf =
            program.ok_or_else(|| RemoteError::Unavailable(format!("program {command:?} not found")))?;
        let spawn =
            SpawnSpec::new(program, &client.cwd, all).args(args).input(StdinMode::Piped).output(StdoutMode::Separate);
        let mut running = spawn.start().map_err(|error| RemoteError::Unavailable(error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (running.stdin.take(), running.stdout.take(), running.stderr.take())
        else {
            return Err(RemoteError::Unavailable("its pipes could not be opened".into()));
        };
        pid.store(running.id().unwrap_or_default(), Ordering::Relaxed);
        let meter = Arc::new(TrafficMeter::default());
        let process = ServerProcess { meter: meter.clone(), stderr: Arc::default(), expected: Default::default() };
        tokio::spawn(read_stderr(stderr, process.stderr.clone()));
        tokio::spawn(watch_process(running, meter.clone(), process.stderr.clone(), bell, process.expected.clone()));
        Ok((process, MeteredLines::new(stdout, meter), BufWriter::new(stdin)))
    }

    /// Explains why connecting failed, with the program's stderr.
    pub async fn failure_reason(self, why: &str) -> String {
        self.expected.cancel();
        let ended = tokio::time::timeout(GRACE, self.meter.ended.cancelled()).await;
        self.meter.kill.cancel();
        match ended {
            Ok(()) => self.meter.reason(),
            Err(_) => format!("{why}{}", self.stderr.describe()),
        }
    }

    /// Ends the process: waits for it to exit, then kills it. Its stdin is already closed.
    pub async fn end(self) {
        self.expected.cancel();
        if tokio::time::timeout(GRACE, self.meter.ended.cancelled()).await.is_err() {
            self.meter.kill.cancel();
            let _ = tokio::time::timeout(KILL_TIMEOUT, self.meter.ended.cancelled()).await;
        }
    }
}

/// Dropping a pending connection kills its program.
impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.expected.cancel();
        self.meter.kill.cancel();
    }
}

/// Owns the process; when this task ends, the process group is gone.
async fn watch_process(
    mut running: RunningProcess,
    meter: Arc<TrafficMeter>,
    words: Arc<StderrTail>,
    bell: Arc<ChangeSignal>,
    expected: tokio_util::sync::CancellationToken,
) {
    let ended = tokio::select! {
        ended = running.wait() => ended,
        () = meter.kill.cancelled() => {
            running.kill();
            running.wait().await
        }
    };
    let how = match ended {
        Ok(ProcessExit::Exited(code)) => format!("it ended with exit code {code}"),
        Ok(ProcessExit::Signalled(signal)) => format!("it was killed by signal {signal}"),
        Err(error) => format!("it is gone ({error})"),
    };
    meter.record_reason(&format!("{how}{}", words.describe()));
    meter.ended.cancel();
    if !expected.is_cancelled() {
        bell.notify_down(meter.reason());
    }
}

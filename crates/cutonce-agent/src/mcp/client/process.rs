//! A server that is a program: started by the sandbox with the environment that tools get and what its definition adds,
//! followed to its end, and ended with all that it started (MO-4, AG-4).

use super::super::remote::{Bell, RemoteError};
use super::Client;
use super::meter::{Meter, Metered};
use cutonce_core::harmless::harmless;
use cutonce_sandbox::{Ended, Input, Output, Running, Spawn, find_program};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, BufWriter};
use tokio::net::unix::pipe;

/// Of what it says on its standard error.
const LAST_WORDS: usize = 2_048;
/// After its input was closed it may end by itself.
const GRACE: Duration = Duration::from_millis(300);
/// Killed processes are gone by then, or the kernel has a problem.
const GONE: Duration = Duration::from_secs(2);

pub(super) struct Process {
    pub(crate) meter: Arc<Meter>,
    words: Arc<Words>,
    /// It is to end: that is no news.
    expected: tokio_util::sync::CancellationToken,
}

type Reader = Metered<pipe::Receiver>;
type Writer = BufWriter<pipe::Sender>;

impl Process {
    pub fn start(
        client: &Client,
        command: &str,
        args: &[String],
        env: &[(String, String)],
        bell: Arc<Bell>,
        pid: &AtomicU32,
    ) -> Result<(Process, Reader, Writer), RemoteError> {
        let mut all = client.env.clone();
        all.retain(|(name, _)| !env.iter().any(|(given, _)| name == given.as_str()));
        all.extend(env.iter().map(|(name, value)| (name.into(), value.into())));
        let program = match command.contains('/') {
            true => Some(client.cwd.join(command)),
            false => find_program(command, &all),
        };
        let program: PathBuf = program.ok_or_else(|| RemoteError::Gone(format!("there is no program {command:?}")))?;
        let spawn = Spawn::new(program, &client.cwd, all).args(args).input(Input::Piped).output(Output::Separate);
        let mut running = spawn.start().map_err(|error| RemoteError::Gone(error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (running.stdin.take(), running.stdout.take(), running.stderr.take())
        else {
            return Err(RemoteError::Gone("it has no input and output".into()));
        };
        pid.store(running.id().unwrap_or_default(), Ordering::Relaxed);
        let meter = Arc::new(Meter::default());
        let process = Process { meter: meter.clone(), words: Arc::default(), expected: Default::default() };
        tokio::spawn(listen(stderr, process.words.clone()));
        tokio::spawn(follow(running, meter.clone(), process.words.clone(), bell, process.expected.clone()));
        Ok((process, Metered::new(stdout, meter), BufWriter::new(stdin)))
    }

    /// No connection came about: why, with what the program said.
    pub async fn failed(self, why: &str) -> String {
        self.expected.cancel();
        let ended = tokio::time::timeout(GRACE, self.meter.ended.cancelled()).await;
        self.meter.kill.cancel();
        match ended {
            Ok(()) => self.meter.why(),
            Err(_) => format!("{why}{}", self.words.shown()),
        }
    }

    /// Its input is closed already: let it go, or make it.
    pub async fn end(self) {
        self.expected.cancel();
        if tokio::time::timeout(GRACE, self.meter.ended.cancelled()).await.is_err() {
            self.meter.kill.cancel();
            let _ = tokio::time::timeout(GONE, self.meter.ended.cancelled()).await;
        }
    }
}

/// A connection that is given up in the middle of being made takes its program with it.
impl Drop for Process {
    fn drop(&mut self) {
        self.expected.cancel();
        self.meter.kill.cancel();
    }
}

/// Owns the program: when this task ends, in whatever way, all of it is gone.
async fn follow(
    mut running: Running,
    meter: Arc<Meter>,
    words: Arc<Words>,
    bell: Arc<Bell>,
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
        Ok(Ended::Exited(code)) => format!("it ended with exit code {code}"),
        Ok(Ended::Signalled(signal)) => format!("it was ended by signal {signal}"),
        Err(error) => format!("it is gone ({error})"),
    };
    meter.say(&format!("{how}{}", words.shown()));
    meter.ended.cancel();
    if !expected.is_cancelled() {
        bell.went_down(meter.why());
    }
}

/// The end of what it said on its standard error.
#[derive(Default)]
struct Words(Mutex<Vec<u8>>);

impl Words {
    fn push(&self, more: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(more);
        let over = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..over);
    }
    fn shown(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept).trim().to_string();
        if text.is_empty() { String::new() } else { format!("; its last words: {}", harmless(&text)) }
    }
}

/// Read to the end, so that nobody waits for us to listen.
async fn listen(mut stderr: pipe::Receiver, words: Arc<Words>) {
    let mut chunk = vec![0; 8_192];
    while let Ok(n @ 1..) = stderr.read(&mut chunk).await {
        words.push(chunk.get(..n).unwrap_or_default());
    }
}

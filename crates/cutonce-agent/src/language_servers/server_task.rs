//! The task of one server: starts it with the first edit, restarts it a few times, switches it off for good.

use super::connection::{Connection, EditCheck};
use super::definition::LanguageServerDefinition;
use super::error::ServerFailure;
use super::process::{LanguageServerProcess, LaunchOptions};
use cutonce_core::text::sanitize::one_line;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How often a server that ends by itself is started.
const MAX_STARTS: u32 = 3;
/// Files that wait for a server to be ready.
const MAX_WAITING: usize = 64;

/// Everything that a server's task needs.
pub(super) struct ServerTask {
    pub definition: Arc<LanguageServerDefinition>,
    pub root: PathBuf,
    pub launch: Arc<LaunchOptions>,
    /// True while it answers.
    pub ready: Arc<AtomicBool>,
    /// Cancelled with the session.
    pub closed: CancellationToken,
    pub notice: Arc<dyn Fn(&str) + Send + Sync>,
}

/// Edits that wait for the server, one per file.
#[derive(Default)]
struct WaitingChecks(BTreeMap<PathBuf, EditCheck>);

impl WaitingChecks {
    /// Adds an edit. Several edits of a file count as one, from the first text to the last.
    fn add(&mut self, check: EditCheck) {
        match self.0.remove(&check.path) {
            Some(earlier) => {
                let check = EditCheck { before: earlier.before, ..check };
                self.0.insert(check.path.clone(), check);
            }
            None if self.0.len() < MAX_WAITING => drop(self.0.insert(check.path.clone(), check)),
            None => {}
        }
    }
}

impl ServerTask {
    pub async fn run(self, mut checks: mpsc::UnboundedReceiver<EditCheck>) {
        let mut waiting = WaitingChecks::default();
        let mut spoke = false;
        for start in 1.. {
            // The end of the session does not wait for a start: a process without an owner is killed.
            let Some(started) = self.closed.run_until_cancelled(self.start()).await else { return };
            let failure = match started {
                Ok((process, mut connection)) => {
                    let ended = self.serve(process, &mut connection, &mut checks, &mut waiting).await;
                    spoke |= connection.spoke;
                    match ended {
                        Ok(()) => return,
                        Err(failure) => failure,
                    }
                }
                Err(failure) => failure,
            };
            self.ready.store(false, Ordering::Relaxed);
            waiting.0.clear();
            // A server that never worked will not work the next time.
            if !spoke || !failure.may_restart() || start == MAX_STARTS {
                return self.switch_off(&failure, spoke);
            }
            // The next edit starts it again.
            match self.closed.run_until_cancelled(checks.recv()).await.flatten() {
                Some(check) => waiting.add(check),
                None => return,
            }
        }
    }

    async fn start(&self) -> Result<(LanguageServerProcess, Connection), ServerFailure> {
        let (launch, definition, root) = (self.launch.clone(), self.definition.clone(), self.root.clone());
        let started = tokio::task::spawn_blocking(move || launch.start(&definition, &root)).await;
        let (process, stdin, stdout) = started.map_err(|error| ServerFailure::NotStarted(error.to_string()))??;
        let (definition, root) = (self.definition.clone(), self.root.clone());
        Ok((process, Connection::new(definition, root, (stdin, stdout), self.ready.clone())))
    }

    /// Talks to the server until it or the session ends. The process is gone when this returns.
    async fn serve(
        &self,
        mut process: LanguageServerProcess,
        connection: &mut Connection,
        checks: &mut mpsc::UnboundedReceiver<EditCheck>,
        waiting: &mut WaitingChecks,
    ) -> Result<(), ServerFailure> {
        let ended = self.closed.run_until_cancelled(self.talk(connection, checks, waiting)).await;
        match ended {
            Some(Err(ServerFailure::Closed)) => Err(ServerFailure::Exited(process.end().await)),
            Some(ended) => {
                process.kill().await;
                ended
            }
            None => {
                process.kill().await;
                Ok(())
            }
        }
    }

    async fn talk(
        &self,
        connection: &mut Connection,
        checks: &mut mpsc::UnboundedReceiver<EditCheck>,
        waiting: &mut WaitingChecks,
    ) -> Result<(), ServerFailure> {
        connection.initialize().await?;
        loop {
            while let Ok(check) = checks.try_recv() {
                waiting.add(check);
            }
            if connection.check_ready()
                && let Some((_, check)) = waiting.0.pop_first()
            {
                connection.check(check).await?;
                continue;
            }
            tokio::select! {
                check = checks.recv() => match check {
                    Some(check) => waiting.add(check),
                    None => return Ok(()),
                },
                handled = connection.next() => handled?,
            }
        }
    }

    /// Says once that the server is off. A program that the user did not configure and that never worked counts as not
    /// installed: rustup has a `rust-analyzer` that only says that the component is missing.
    fn switch_off(&self, failure: &ServerFailure, spoke: bool) {
        let name = one_line(&self.definition.name);
        if !spoke && !self.definition.configured {
            tracing::info!("language server {name} is not usable: {failure}");
            return;
        }
        (self.notice)(&format!(
            "Language server {name} is off for this session: {failure}. `cutonce doctor` lists the servers; set `lsp.{name}` to change or disable it."
        ));
    }
}

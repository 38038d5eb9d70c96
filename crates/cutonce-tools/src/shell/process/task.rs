//! A background command: it keeps running while the model does other things (TL-8).

use super::capture::OutputCapture;
use super::last_line::LastLine;
use super::start::RunningBash;
use crate::disk::FileAccess;
use crate::shell::changes::{CallScope, ScopedCommand};
use crate::shell::reached_limit::ReachedLimit;
use crate::spill::{OptionalRedactor, SpillFile};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_sandbox::{Lifeline, ProcessExit};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;
use tokio::sync::watch;

/// A background task as front ends show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskView {
    /// `bash_1`, `bash_2`, …
    pub id: String,
    pub command: String,
    pub since: SystemTime,
    pub state: TaskState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    Running,
    Exited(i32),
    /// Killed by a signal that we did not send.
    Signalled(i32),
    /// Killed because it was over a limit of the sandbox (SB-7).
    OverLimit(ReachedLimit),
    /// Killed by KillShell or at the end of the session.
    Killed,
}

impl std::fmt::Display for TaskState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TaskState::Running => write!(f, "running"),
            TaskState::Exited(code) => write!(f, "exited with code {code}"),
            TaskState::Signalled(signal) => write!(f, "ended by signal {signal}"),
            TaskState::OverLimit(limit) => write!(f, "ended by the sandbox: it {limit}"),
            TaskState::Killed => write!(f, "killed"),
        }
    }
}

pub(crate) struct BackgroundTask {
    pub(crate) id: String,
    pub(crate) command: String,
    since: SystemTime,
    printed: Mutex<TaskOutput>,
    /// `None` after it was killed.
    lifeline: Mutex<Option<Lifeline>>,
    state: watch::Sender<TaskState>,
    /// What it may change, until it has ended (PC-21).
    scoped: tokio::sync::Mutex<Option<ScopedTask>>,
}

struct ScopedTask {
    command: ScopedCommand,
    disk: FileAccess,
    /// The last notes about its changes.
    told: Vec<String>,
}

struct TaskOutput {
    unseen: OutputCapture,
    all: SpillFile,
}

/// Callback for an ended task.
pub(crate) type OnEnd = Arc<dyn Fn(TaskView) + Send + Sync>;

impl BackgroundTask {
    /// Takes over a running bash; the file with its whole output goes to `folder`.
    pub(crate) fn take_over(
        (id, command): (String, String),
        (folder, disk): (PathBuf, FileAccess),
        (mut bash, layer): (RunningBash, Option<ScopedCommand>),
        last: Arc<LastLine>,
        (on_end, redact): (Option<OnEnd>, OptionalRedactor),
    ) -> Arc<Self> {
        let all = SpillFile::create(&folder, &id, "txt", redact);
        let task = Arc::new(Self {
            id,
            command,
            since: SystemTime::now(),
            printed: Mutex::new(TaskOutput { unseen: OutputCapture::default(), all }),
            lifeline: Mutex::new(bash.running.take_lifeline()),
            state: watch::Sender::new(TaskState::Running),
            scoped: tokio::sync::Mutex::new(layer.map(|command| ScopedTask {
                command,
                disk: disk.clone(),
                told: Vec::new(),
            })),
        });
        let watched = task.clone();
        tokio::spawn(async move {
            let each = |bytes: &[u8]| {
                watched.push(bytes);
                last.push(bytes);
            };
            let ended = bash.pump_output(each).await;
            watched.compare(None, true).await;
            *watched.scoped.lock().await = None;
            // Nothing outside the scope was applied, so the user has decided about no name.
            let notes = bash.set_protected_aside(&disk, Vec::new()).await;
            notes.iter().for_each(|note| watched.push(format!("\n({note})\n").as_bytes()));
            watched.record_end(ended, bash.over_limit());
            if let Some(on_end) = on_end {
                on_end(watched.view());
            }
        });
        task
    }

    /// Compares what it changed so far: applies what lies inside the scope, and says what does not (PC-21).
    pub(crate) async fn compare(&self, scope: Option<&CallScope>, has_ended: bool) {
        let mut scoped = self.scoped.lock().await;
        let Some(scoped) = scoped.as_mut() else { return };
        scope.iter().for_each(|scope| scoped.command.set_scope(scope));
        let notes = scoped.command.settle(&scoped.disk, has_ended).await.notes;
        if notes != scoped.told {
            notes.iter().for_each(|note| self.push(format!("\n({note})\n").as_bytes()));
            scoped.told = notes;
        }
    }

    fn push(&self, bytes: &[u8]) {
        let mut printed = self.printed.lock_unpoisoned();
        printed.unseen.push(bytes);
        printed.all.push(bytes);
    }

    fn record_end(&self, ended: std::io::Result<ProcessExit>, over: Option<ReachedLimit>) {
        self.printed.lock_unpoisoned().all.flush_waiting();
        let killed = self.lifeline.lock_unpoisoned().take().is_none();
        self.state.send_replace(match (ended, over) {
            (Ok(ProcessExit::Exited(code)), _) => TaskState::Exited(code),
            (Ok(ProcessExit::Signalled(_)) | Err(_), Some(over)) => TaskState::OverLimit(over),
            (Ok(ProcessExit::Signalled(_)) | Err(_), None) if killed => TaskState::Killed,
            (Ok(ProcessExit::Signalled(signal)), None) => TaskState::Signalled(signal),
            (Err(_), None) => TaskState::Killed,
        });
    }

    pub(crate) fn view(&self) -> TaskView {
        TaskView { id: self.id.clone(), command: self.command.clone(), since: self.since, state: self.state() }
    }

    pub(crate) fn state(&self) -> TaskState {
        *self.state.borrow()
    }

    /// Kills it and everything it started.
    pub(crate) fn kill(&self) {
        self.lifeline.lock_unpoisoned().take();
    }

    /// Waits until it has ended.
    pub(crate) async fn wait_for_end(&self) -> TaskState {
        let mut state = self.state.subscribe();
        match state.wait_for(|state| *state != TaskState::Running).await {
            Ok(state) => *state,
            Err(_) => TaskState::Killed,
        }
    }

    /// Returns new output since the last call; `None` if there is none.
    pub(crate) fn take_new_output(&self) -> Option<String> {
        let mut printed = self.printed.lock_unpoisoned();
        let unseen = std::mem::take(&mut printed.unseen);
        (!unseen.is_empty()).then(|| unseen.render(|| printed.all.note()))
    }

    pub(crate) fn output_file(&self) -> PathBuf {
        self.printed.lock_unpoisoned().all.path().to_path_buf()
    }
}

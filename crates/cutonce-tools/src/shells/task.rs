//! A command in the background: it runs on while the model does other things (TL-8).

use super::capture::Capture;
use super::last::Last;
use super::start::Bash;
use crate::spill::{Redacting, Spill};
use cutonce_sandbox::{Ended, Lifeline};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tokio::sync::watch;

/// A background task as faces show it.
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
    /// By a signal that we did not send.
    Signalled(i32),
    /// By KillShell or the end of the session.
    Killed,
}

impl std::fmt::Display for TaskState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TaskState::Running => write!(f, "running"),
            TaskState::Exited(code) => write!(f, "exited with code {code}"),
            TaskState::Signalled(signal) => write!(f, "ended by signal {signal}"),
            TaskState::Killed => write!(f, "killed"),
        }
    }
}

pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) command: String,
    since: SystemTime,
    printed: Mutex<Printed>,
    /// None once it was killed.
    lifeline: Mutex<Option<Lifeline>>,
    state: watch::Sender<TaskState>,
}

struct Printed {
    unseen: Capture,
    all: Spill,
}

/// Told when a task has ended.
pub(crate) type OnEnd = Arc<dyn Fn(TaskView) + Send + Sync>;

impl Task {
    /// Take over a running bash; `folder` gets the file with all it prints.
    pub(crate) fn begin(
        (id, command): (String, String),
        folder: PathBuf,
        mut bash: Bash,
        last: Arc<Last>,
        (on_end, redact): (Option<OnEnd>, Redacting),
    ) -> Arc<Self> {
        let all = Spill::create(&folder, &id, "txt", redact);
        let task = Arc::new(Self {
            id,
            command,
            since: SystemTime::now(),
            printed: Mutex::new(Printed { unseen: Capture::default(), all }),
            lifeline: Mutex::new(bash.running.take_lifeline()),
            state: watch::Sender::new(TaskState::Running),
        });
        let watched = task.clone();
        tokio::spawn(async move {
            let each = |bytes: &[u8]| {
                watched.push(bytes);
                last.push(bytes);
            };
            let ended = bash.pump(each).await;
            watched.end(ended);
            if let Some(on_end) = on_end {
                on_end(watched.view());
            }
        });
        task
    }

    fn push(&self, bytes: &[u8]) {
        let mut printed = lock(&self.printed);
        printed.unseen.push(bytes);
        printed.all.push(bytes);
    }

    fn end(&self, ended: std::io::Result<Ended>) {
        lock(&self.printed).all.end();
        let killed = lock(&self.lifeline).take().is_none();
        self.state.send_replace(match ended {
            Ok(Ended::Exited(code)) => TaskState::Exited(code),
            Ok(Ended::Signalled(_)) | Err(_) if killed => TaskState::Killed,
            Ok(Ended::Signalled(signal)) => TaskState::Signalled(signal),
            Err(_) => TaskState::Killed,
        });
    }

    pub(crate) fn view(&self) -> TaskView {
        TaskView { id: self.id.clone(), command: self.command.clone(), since: self.since, state: self.state() }
    }

    pub(crate) fn state(&self) -> TaskState {
        *self.state.borrow()
    }

    /// Kill it and all it started, at once.
    pub(crate) fn kill(&self) {
        lock(&self.lifeline).take();
    }

    /// Wait until it has ended.
    pub(crate) async fn ended(&self) -> TaskState {
        let mut state = self.state.subscribe();
        match state.wait_for(|state| *state != TaskState::Running).await {
            Ok(state) => *state,
            Err(_) => TaskState::Killed,
        }
    }

    /// What it printed since the last look; None if nothing.
    pub(crate) fn unseen(&self) -> Option<String> {
        let mut printed = lock(&self.printed);
        let unseen = std::mem::take(&mut printed.unseen);
        (!unseen.is_empty()).then(|| unseen.shown(|| printed.all.note()))
    }

    pub(crate) fn file(&self) -> PathBuf {
        lock(&self.printed).all.path().to_path_buf()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

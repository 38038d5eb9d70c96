//! The one task that the turn waits for: a request and its preparation, the end of a turn, or a compaction.
//!
//! A task works on clones, reports one [`TaskResult`], and is aborted by being replaced or dropped. Reports carry the
//! task's id, so the report of an aborted task is never taken for a later one's.

use super::SessionState;
use super::asides::Asides;
use super::events::{SessionEvent, TaskResult};
use super::model_request::StreamProgress;
use crate::subagent::Reservation;
use cutonce_core::protocol::submission::OnDone;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::task::AbortHandle;

/// The running task and what belongs to it.
#[derive(Default)]
pub(super) struct Tasks {
    last_id: u64,
    running: Option<RunningTask>,
    /// What the request in flight may cost, until its cost is counted.
    pub reservation: Option<Reservation>,
    /// What has arrived of the answer that streams now.
    pub progress: Option<Arc<StreamProgress>>,
    /// The end of the turn waits for subagents in the background.
    pub awaiting_agents: bool,
    /// The compaction in work.
    pub compaction: Option<Compaction>,
    /// Called when the requested compaction is over.
    pub compaction_done: Option<OnDone>,
    pub asides: Asides,
}

/// A compaction in work.
pub(super) struct Compaction {
    pub focus: Option<String>,
    pub automatic: bool,
    /// Tokens of the context before.
    pub before: u64,
}

struct RunningTask {
    id: u64,
    abort: AbortHandle,
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        self.abort.abort();
    }
}

impl Tasks {
    /// Aborts the running task; its connection is dropped with it.
    pub fn stop(&mut self) {
        self.running = None;
        self.awaiting_agents = false;
    }

    /// True if the report with this id is of the running task, which is over then.
    pub fn finish(&mut self, id: u64) -> bool {
        let current = self.running.as_ref().is_some_and(|task| task.id == id);
        if current {
            self.running = None;
        }
        current
    }
}

impl SessionState {
    /// Starts the task that the turn waits for now, in place of an earlier one.
    pub(super) fn start_task(&mut self, work: impl Future<Output = TaskResult> + Send + 'static) {
        self.tasks.last_id += 1;
        let (id, events) = (self.tasks.last_id, self.events.clone());
        let task = tokio::spawn(async move {
            let result = AssertUnwindSafe(work).catch_unwind().await.unwrap_or(TaskResult::Panicked);
            let _ = events.send(SessionEvent::Task { id, result });
        });
        self.tasks.running = Some(RunningTask { id, abort: task.abort_handle() });
    }
}

//! Where waiting requests come from, and where answers go.

use cutonce_agent::review_socket::{LocalSessions, SessionUpdate};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::review_request::{ReviewerMessage, WaitingRequest};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use tokio::sync::{Mutex, mpsc};

/// The tool of a request that is about the plan of a job: it is approved or sent back as it is.
pub const JOB_TOOL: &str = "Job";

/// What a source reports.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceUpdate {
    Session(Box<SessionUpdate>),
    /// The list of jobs changed.
    Jobs,
    /// More plans are being read and verified.
    Reading(bool),
    /// A sentence about the source itself, for every page; `None`: all is well again.
    Trouble(Option<String>),
}

/// Why an answer or an order was not taken: a sentence for the user, which says who was first.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RefusedMessage(pub String);

/// A job of a remote, as the page shows it (FL-5).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedJob {
    pub id: String,
    pub kind: String,
    pub state: String,
    pub repo: String,
    /// The task, or what came out.
    pub text: String,
    pub by: String,
    pub worker: Option<String>,
    pub attempts: u32,
    /// Milliseconds since 1970.
    pub submitted: u64,
    pub ended: Option<u64>,
    pub can_cancel: bool,
    pub can_retry: bool,
}

/// What the user wants of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JobChange {
    Cancel,
    Retry,
}

/// Sessions that can be reviewed: those of this machine, or of others.
#[async_trait::async_trait]
pub trait ReviewSource: Send + Sync {
    /// The next news; `None` once the source has ended.
    async fn next(&self) -> Option<SourceUpdate>;

    /// Sends an answer or an order to a session. The first answer wins.
    async fn send(&self, session: &str, message: ReviewerMessage) -> Result<(), RefusedMessage>;

    /// True if the plan of this session can be rehearsed from here.
    fn can_rehearse(&self, _session: &str) -> bool {
        false
    }

    /// Loads a request whose plan was too large to come with the news.
    async fn load(&self, _session: &str, _ask_id: &str) -> Option<WaitingRequest> {
        None
    }

    /// The jobs, newest first; `None` for a source without jobs.
    fn jobs(&self) -> Option<Vec<ListedJob>> {
        None
    }

    /// Cancels or retries a job; returns what happened.
    async fn change_job(&self, _id: &str, _change: JobChange) -> Result<String, RefusedMessage> {
        Err(RefusedMessage("There is no such job.".into()))
    }
}

/// The running sessions of this user on this machine.
pub struct LocalSource {
    sessions: LocalSessions,
    updates: Mutex<mpsc::UnboundedReceiver<SessionUpdate>>,
}

impl LocalSource {
    /// Follows the sessions of this cutonce home.
    pub fn new(home: &Path) -> io::Result<LocalSource> {
        let (sessions, updates) = LocalSessions::follow(home)?;
        Ok(LocalSource { sessions, updates: Mutex::new(updates) })
    }
}

#[async_trait::async_trait]
impl ReviewSource for LocalSource {
    async fn next(&self) -> Option<SourceUpdate> {
        self.updates.lock().await.recv().await.map(|update| SourceUpdate::Session(Box::new(update)))
    }

    async fn send(&self, session: &str, message: ReviewerMessage) -> Result<(), RefusedMessage> {
        self.sessions.send(session, Answerer::BROWSER, message).await.map_err(RefusedMessage)
    }

    fn can_rehearse(&self, _session: &str) -> bool {
        true
    }
}

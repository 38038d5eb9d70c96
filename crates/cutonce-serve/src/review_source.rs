//! Where waiting requests come from, and where answers go.

use cutonce_agent::review_socket::{LocalSessions, SessionUpdate};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::review_request::ReviewerAnswer;
use std::io;
use std::path::Path;
use tokio::sync::{Mutex, mpsc};

/// Sessions that can be reviewed: those of this machine, or of others.
#[async_trait::async_trait]
pub trait ReviewSource: Send + Sync {
    /// The next news of a session; `None` once the source has ended.
    async fn next(&self) -> Option<SessionUpdate>;

    /// Gives an answer. The first one wins: the error is a sentence that says who answered, or why it was not taken.
    async fn answer(&self, session: &str, answer: ReviewerAnswer) -> Result<(), String>;
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
    async fn next(&self) -> Option<SessionUpdate> {
        self.updates.lock().await.recv().await
    }

    async fn answer(&self, session: &str, answer: ReviewerAnswer) -> Result<(), String> {
        self.sessions.answer(session, Answerer::BROWSER, answer).await
    }
}

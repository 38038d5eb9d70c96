//! The interface of a server, whether it is a process, a URL or part of the host.

use super::definition::ServerDefinition;
use super::process_work::ProcessWork;
use async_trait::async_trait;
use cutonce_core::sync::LockUnpoisoned;
use futures_util::FutureExt;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A server. Results are raw protocol JSON; callers sanitize and limit them.
#[async_trait]
pub trait RemoteServer: Send + Sync + 'static {
    /// Returns all pages of `tools/list`. The first call connects.
    async fn list_tools(&self) -> Result<Vec<Value>, RemoteError>;
    /// Returns the `result` of `tools/call`. Cancelling `stop` notifies the server and ends the call.
    async fn call(&self, tool: &str, input: Value, stop: &CancellationToken) -> Result<Value, RemoteError>;
    /// The server's description of itself; empty before it is connected.
    fn server_info(&self) -> ServerInfo {
        ServerInfo::default()
    }
    /// The elements of `resources`.
    async fn list_resources(&self) -> Result<Vec<Value>, RemoteError> {
        Ok(Vec::new())
    }
    /// The `result` of `resources/read`.
    async fn read_resource(&self, _uri: &str) -> Result<Value, RemoteError> {
        Err(RemoteError::InvalidAnswer("it has no resources".into()))
    }
    /// The elements of `prompts`.
    async fn list_prompts(&self) -> Result<Vec<Value>, RemoteError> {
        Ok(Vec::new())
    }
    /// The `result` of `prompts/get`.
    async fn get_prompt(&self, _name: &str, _arguments: Map<String, Value>) -> Result<Value, RemoteError> {
        Err(RemoteError::InvalidAnswer("it has no prompts".into()))
    }
    /// The work its program has done while starting, or `None` if unknown.
    fn startup_work(&self) -> Option<ProcessWork> {
        None
    }
    /// Sets the signal to notify on changes. Called once, before anything else.
    fn set_change_signal(&self, _bell: Arc<ChangeSignal>) {}
    /// Closes the server; nothing of it may be left when this returns.
    async fn close(&self) {}
}

/// Creates a server from its definition without starting it.
pub(crate) trait RemoteConnector: Send + Sync {
    fn connect(&self, name: &str, definition: ServerDefinition) -> Arc<dyn RemoteServer>;
}

/// A server's description of itself, unmodified.
#[derive(Debug, Clone, Default)]
pub struct ServerInfo {
    /// The server's own name.
    pub name: Option<String>,
    /// The server's version.
    pub version: Option<String>,
    /// Usage instructions: untrusted, and marked as such for the model.
    pub instructions: Option<String>,
    /// Whether the server has resources.
    pub resources: bool,
    /// Whether the server has prompts.
    pub prompts: bool,
}

/// Why a server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The server can't be reached or has died; contains the reason and a remedy.
    #[error("{0}")]
    Unavailable(String),
    /// The server requires authorization; contains the next step.
    #[error("{0}")]
    NeedsAuth(String),
    /// The server answered with an error.
    #[error("it answered with error {code}: {message}")]
    Refused {
        /// The JSON-RPC error code.
        code: i64,
        /// The server's message.
        message: String,
    },
    /// The answer violates the protocol.
    #[error("{0}")]
    InvalidAnswer(String),
    /// No answer within this time.
    #[error("no answer within {} seconds; the call was cancelled", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The caller cancelled the request.
    #[error("interrupted by the user")]
    Stopped,
}

/// Signals changes of a server. Several signals between two checks are merged, so that a server can't flood us.
#[derive(Debug, Default)]
pub struct ChangeSignal {
    notify: Notify,
    down_reason: Mutex<Option<String>>,
}

impl ChangeSignal {
    /// Signals that a list of the server changed.
    pub fn notify_changed(&self) {
        self.notify.notify_one();
    }
    /// Signals that the server died.
    #[cfg(any(feature = "mcp", test))]
    pub(crate) fn notify_down(&self, why: impl Into<String>) {
        *self.down_reason.lock_unpoisoned() = Some(why.into());
        self.notify.notify_one();
    }
    pub(super) async fn wait(&self) {
        self.notify.notified().await;
    }
    /// Discards pending change signals, but not a pending down signal.
    pub(super) fn discard_changes(&self) {
        let _ = self.notify.notified().now_or_never();
        if self.down_reason.lock_unpoisoned().is_some() {
            self.notify.notify_one();
        }
    }
    /// Takes the reason why the server died, if it did.
    pub(super) fn take_down_reason(&self) -> Option<String> {
        self.down_reason.lock_unpoisoned().take()
    }
}

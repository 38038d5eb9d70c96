//! What a server is to the rest of this room, whether it is a process, an address, or a part of the host.

use super::definition::Definition;
use super::work::Work;
use async_trait::async_trait;
use futures_util::FutureExt;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A server. Results are the JSON that the protocol gives them; whoever uses them bounds and cleans them.
#[async_trait]
pub trait Remote: Send + Sync + 'static {
    /// All of `tools/list`, page by page: the elements of `tools`. The first call connects.
    async fn list_tools(&self) -> Result<Vec<Value>, RemoteError>;
    /// The `result` of `tools/call`. When `stop` is cancelled the server is told, and this returns.
    async fn call(&self, tool: &str, input: Value, stop: &CancellationToken) -> Result<Value, RemoteError>;
    /// What the server said about itself; nothing before it was connected.
    fn about(&self) -> About {
        About::default()
    }
    /// The elements of `resources`.
    async fn list_resources(&self) -> Result<Vec<Value>, RemoteError> {
        Ok(Vec::new())
    }
    /// The `result` of `resources/read`.
    async fn read_resource(&self, _uri: &str) -> Result<Value, RemoteError> {
        Err(RemoteError::Failed("it has no resources".into()))
    }
    /// The elements of `prompts`.
    async fn list_prompts(&self) -> Result<Vec<Value>, RemoteError> {
        Ok(Vec::new())
    }
    /// The `result` of `prompts/get`.
    async fn get_prompt(&self, _name: &str, _arguments: Map<String, Value>) -> Result<Value, RemoteError> {
        Err(RemoteError::Failed("it has no prompts".into()))
    }
    /// What its program has done so far, while it is being started; None: that can't be known.
    fn work(&self) -> Option<Work> {
        None
    }
    /// Ring this when something changed. Called once, before anything else.
    fn watch(&self, _bell: Arc<Bell>) {}
    /// The session is over: nothing of it may be left when this returns.
    async fn close(&self) {}
}

/// Makes a server from its definition; nothing is started yet.
pub(crate) trait Connector: Send + Sync {
    fn connect(&self, name: &str, definition: Definition) -> Arc<dyn Remote>;
}

/// What a server says about itself, as it said it.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Its own name for itself.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// How it wants to be used: a claim, shown to the model as one.
    pub instructions: Option<String>,
    /// It has resources.
    pub resources: bool,
    /// It has prompts.
    pub prompts: bool,
}

/// Why a server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// It could not be reached, or is gone: why, and what to do.
    #[error("{0}")]
    Gone(String),
    /// It wants to know who we are.
    #[error("it asks for authorization ({0}); give it a header with a token in its definition")]
    NeedsAuth(String),
    /// It answered with an error.
    #[error("it answered with error {code}: {message}")]
    Refused {
        /// As JSON-RPC numbers errors.
        code: i64,
        /// In its own words.
        message: String,
    },
    /// It answered, but not as the protocol says.
    #[error("{0}")]
    Failed(String),
    /// It did not answer in this time.
    #[error("no answer within {} seconds; the call was cancelled", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The caller gave up waiting.
    #[error("interrupted by the user")]
    Stopped,
}

/// How a server tells that something is new. Any number of rings between two looks count as one: nobody can flood us with
/// them.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Notify,
    down: Mutex<Option<String>>,
}

impl Bell {
    /// A list of the server is not what it was.
    pub fn changed(&self) {
        self.rung.notify_one();
    }
    /// The server is gone.
    pub(crate) fn went_down(&self, why: impl Into<String>) {
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.into());
        self.rung.notify_one();
    }
    pub(super) async fn wait(&self) {
        self.rung.notified().await;
    }
    /// Whatever rang so far is heard.
    pub(super) fn quiet(&self) {
        let _ = self.rung.notified().now_or_never();
        if self.down.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            self.rung.notify_one();
        }
    }
    /// Why it is gone, if that was it.
    pub(super) fn take_down(&self) -> Option<String> {
        self.down.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

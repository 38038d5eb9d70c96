//! What a call gets to work with: the session's environment and the data of the call itself.

use crate::disk::FileAccess;
use crate::shell::changes::CallScope;
use crate::shell::process::SessionShells;
use crate::web::WebClient;
use crate::workspace::Workspace;
use cutonce_core::protocol::event::TodoItem;
use cutonce_core::protocol::submission::QuestionsAnswer;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// The session's environment as tools see it.
pub struct ToolEnv {
    pub workspace: Workspace,
    pub disk: FileAccess,
    pub shells: SessionShells,
    pub web: WebClient,
    pub todos: Mutex<Vec<TodoItem>>,
}

/// Data of one running call.
pub struct CallContext {
    pub call_id: String,
    /// Cancelled by an interrupt: stop immediately and leave nothing behind (AG-4).
    pub cancel: CancellationToken,
    /// Receives output to display while the call runs.
    pub output: Arc<dyn Fn(&str) + Send + Sync>,
    /// The user's answer, for a call whose access is `Question`.
    pub answer: Option<QuestionsAnswer>,
    /// The scope of the approved plan, for a command (PC-21).
    pub scope: Option<CallScope>,
}

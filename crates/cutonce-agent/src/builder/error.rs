//! Why a session could not be opened.

use crate::plan::PlanError;
use crate::storage::StoreError;
use crate::team::JoinError;
use cutonce_models::{FaultKind, ModelError};
use std::path::PathBuf;

/// Why the session couldn't be opened. The message tells the user what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A settings flag can't be used. A broken settings file only causes a warning (CL-2).
    #[error("{0}")]
    Settings(String),
    /// Plan mode requires a plan file, and none could be created.
    #[error("plan mode needs a plan file, but none could be created: {0}")]
    Plan(PlanError),
    /// The transcript can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No usable model is configured.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Joining the team failed.
    #[error(transparent)]
    Team(#[from] JoinError),
    /// A tool of the embedding program has no usable name or schema.
    #[error("tool {name:?} of the embedding program can't be used: {why}")]
    Tool {
        /// The tool's name.
        name: String,
        /// Why the tool can't be used.
        why: String,
    },
    /// The requested main agent does not exist.
    #[error("no agent named {name:?}; available: {known}")]
    Agent {
        /// The requested name.
        name: String,
        /// The names of all known agents.
        known: String,
    },
    /// `resume_at` names no message.
    #[error("No message found with message.uuid of: {0}")]
    NoMessage(String),
    /// `resume_at` would drop more than the allowed turn.
    #[error("Resume rejected by --resume-drops-turn: {0}")]
    DropRejected(String),
    /// `cwd` or one of `add_dirs` is not a folder.
    #[error("the folder {} can't be used: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why the folder can't be used.
        error: std::io::Error,
    },
}

impl StartError {
    /// No provider has a key, as on a first start (ON-3).
    pub fn is_missing_key(&self) -> bool {
        matches!(self, StartError::Model(ModelError { kind: FaultKind::Key, status: None, .. }))
    }
}

/// The message already contains the cause, so `source()` is not set.
impl From<PlanError> for StartError {
    fn from(error: PlanError) -> Self {
        StartError::Plan(error)
    }
}

//! Host-only answers and changes: another input for a call, other rules and folders for the session (HO-1).

use crate::permission::rules::RuleBehavior;
use crate::protocol::submission::RuleDestination;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A host's answer to a permission ask, a question, or entering plan mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "behavior", rename_all = "camelCase")]
pub enum HostAnswer {
    /// Allow the call. `input` replaces the call's input; the changed call is decided again.
    Allow {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
    },
    /// Deny the call; the model gets the message verbatim.
    Deny {
        message: String,
        /// Also end the turn.
        #[serde(default)]
        interrupt: bool,
    },
}

/// A change of permission rules by the host while the session runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleChange {
    pub kind: RuleChangeKind,
    pub behavior: RuleBehavior,
    pub rules: Vec<String>,
    pub destination: RuleDestination,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleChangeKind {
    Add,
    /// Replace the session's own rules of this behavior.
    Replace,
    /// Remove from the session's own rules; rules from files and flags stay.
    Remove,
}

/// Folders that a host adds to or removes from the workspace while the session runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderChange {
    pub add: bool,
    pub folders: Vec<String>,
}

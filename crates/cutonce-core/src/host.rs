//! What a host may say beyond what a person can: another input for a call, other rules for the session (HO-1).

use crate::rule::Behavior;
use crate::submission::RememberIn;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A host's word on a permission ask, on a question, or on entering plan mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "behavior", rename_all = "camelCase")]
pub enum HostAnswer {
    /// `input`: what shall run instead of what was asked. It is another call then, and decided anew.
    Allow {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
    },
    /// The message reaches the model word for word.
    Deny {
        message: String,
        /// End the turn as well.
        #[serde(default)]
        interrupt: bool,
    },
}

/// Rules that a host changes while the session runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleChange {
    pub how: RuleHow,
    pub behavior: Behavior,
    pub rules: Vec<String>,
    pub where_to: RememberIn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleHow {
    Add,
    /// Instead of the session's own rules of this behavior.
    Replace,
    /// Of the session's own rules; what files and flags say stays.
    Remove,
}

/// Folders that a host adds to the workspace while the session runs, or takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderChange {
    pub add: bool,
    pub folders: Vec<String>,
}

//! Rules: `Tool` or `Tool(specifier)`, each with its behaviour and the source it came from (PR-1, PR-2).

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// deny beats ask beats allow, whatever the source (PR-1): the order of this enum is that order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Behavior {
    Allow,
    Ask,
    Deny,
}

/// Where a rule or setting came from, strongest first (PR-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    Managed,
    CommandLine,
    /// Given by the person during this session ("don't ask again"), or by a host.
    Session,
    /// `.cutonce/settings.local.json`
    Local,
    /// `.cutonce/settings.json`
    Project,
    /// `~/.cutonce/settings.json`
    User,
}

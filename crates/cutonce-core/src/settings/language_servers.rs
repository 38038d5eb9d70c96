//! Settings of language servers (DU-11).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The name that means all language servers in `lsp`.
pub const ALL_SERVERS: &str = "*";

/// A language server. What is left out comes from the known server of the same name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LanguageServerSettings {
    /// The program, found in PATH or given with its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Arguments of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Extensions of the files that it checks, like `.py`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<String>>,
    /// Files that mark the root of a project, like `Cargo.toml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_markers: Option<Vec<String>>,
    /// Options of the server, sent at its start and when it asks for its configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Map<String, Value>>,
    /// Environment variables for the server.
    pub env: BTreeMap<String, String>,
    /// Don't start it.
    pub disabled: bool,
}

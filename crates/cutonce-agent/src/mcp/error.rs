//! Why something can't be done with an MCP server.

use super::definition::DefinitionError;

/// Why a request about a session's MCP servers failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// No server has this name.
    #[error("there is no MCP server {0:?}")]
    UnknownServer(String),
    /// The server may not start before the user has approved it.
    #[error("{name} comes from {file} and needs your approval")]
    NeedsApproval {
        /// The server's name.
        name: String,
        /// The file that declares it.
        file: String,
    },
    /// The server exists, but has no connection.
    #[error("the MCP server {0} is not available")]
    NotConnected(String),
    /// The server did not answer in time.
    #[error("{server} did not answer within {seconds} seconds")]
    Timeout {
        /// The server's name.
        server: String,
        /// The time limit.
        seconds: u64,
    },
    /// The server's definition can't be used.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// Any other failure.
    #[error("{0}")]
    Failed(String),
}

impl From<String> for McpError {
    fn from(text: String) -> Self {
        McpError::Failed(text)
    }
}

impl From<&str> for McpError {
    fn from(text: &str) -> Self {
        McpError::Failed(text.to_string())
    }
}

impl From<McpError> for String {
    fn from(error: McpError) -> Self {
        error.to_string()
    }
}

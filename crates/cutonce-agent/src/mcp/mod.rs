//! Model Context Protocol servers (HO-6): programs and URLs whose tools, resources and prompts join a running
//! session.
//!
//! Data from servers is untrusted: names are sanitized, sizes are limited, and a read-only hint only matters in plan
//! mode (PM-65). A server is accessed through `Remote`. The client for real servers requires the feature `mcp`; a
//! host can provide its own `Remote` for servers in its process.

pub mod approved_servers;
mod call_result;
#[cfg(feature = "mcp")]
mod client;
pub mod definition;
pub mod edit_files;
pub(crate) mod elicitation;
mod error;
#[cfg(feature = "mcp")]
pub mod login;
pub mod names;
mod open;
mod process_work;
mod remote;
mod servers;
pub mod sources;
mod status;
mod tool;
mod wait_tool;

pub use error::McpError;
pub(crate) use open::open_servers;
pub use open::{McpOptions, open_selected};
pub use process_work::ProcessWork;
pub use remote::{ChangeSignal, RemoteError, RemoteServer, ServerInfo};
pub(crate) use servers::JoinedServer;
#[cfg(feature = "mcp")]
pub use servers::LoginTarget;
pub use servers::{McpPrompt, McpResource, McpServers};
pub use status::{McpServerState, McpServerStatus, ToolHints, ToolStatus};
pub(crate) use tool::McpTool;
pub(crate) use wait_tool::{TOOL as WAIT_TOOL, wait_tool};

//! Servers of the Model Context Protocol (HO-6): programs and addresses that the user named, whose tools, resources and
//! prompts join the session while it already works.
//!
//! Everything a server says is a claim: names are made harmless, sizes are bounded, its word that a tool only reads counts
//! in plan mode and nowhere else (PM-65). A server is reached through [`Remote`]; the client for real servers is behind the
//! feature `mcp`, servers inside a host's process bring a `Remote` of their own and share all the rest.

pub mod agreed;
#[cfg(feature = "mcp")]
mod client;
pub mod definition;
pub mod edit;
pub mod names;
mod offered;
mod open;
mod outcome;
mod remote;
mod servers;
pub mod sources;
mod status;
mod wait;
mod work;

pub(crate) use offered::McpTool;
pub(crate) use open::open;
pub use open::{Opening, only};
pub use remote::{About, Bell, Remote, RemoteError};
pub(crate) use servers::Joined;
pub use servers::{Prompt, Resource, Servers};
pub use status::{Hints, State, Status, ToolStatus};
pub(crate) use wait::{TOOL as WAIT_TOOL, wait_tool};
pub use work::Work;

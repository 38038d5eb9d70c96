//! The library people embed: open a session, submit, read events, answer asks.
//!
//! Faces (the program's `-p`, plain terminal, later TUI, hosts) are adapters over [`Session`]; none of them is known here.

pub mod agents;
pub mod changes;
pub mod editor;
pub mod hooks;
pub mod hub;
pub mod instructions;
pub mod keys;
pub mod mailbox;
pub mod mcp;
pub mod plan_files;
pub mod redact;
pub mod session;
pub mod settings;
pub mod skills;
pub mod start;
pub mod store;
pub mod team;
pub mod trust;
pub mod versions;

pub use cutonce_core as core;
pub use hooks::{Hook, Hooks};
pub use hub::Events;
pub use session::{Approver, Options, Session};

/// A new id (UUIDv7): sorts by time.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

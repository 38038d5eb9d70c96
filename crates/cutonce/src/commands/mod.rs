//! Subcommands: `cutonce doctor`, `cutonce plans` and so on. Each file has one, with a `run` function that returns the
//! exit code.

mod approval;
pub mod completions;
pub mod demo;
pub mod doctor;
pub mod implement;
pub mod import;
pub mod key;
pub mod man;
pub mod mcp;
pub mod plan;
pub mod plans;
pub mod rehearse;
pub mod scenario_server;
pub mod sessions;
pub mod settings_schema;
pub mod setup;
pub mod trust;

//! Subcommands: `cutonce doctor`, `cutonce plans` and so on. Each file has one, with a `run` function that returns the
//! exit code.

mod approval;
pub mod completions;
pub mod demo;
pub mod doctor;
mod doctor_rehearsals;
#[cfg(feature = "nats")]
pub mod doctor_remote;
pub mod implement;
pub mod import;
#[cfg(feature = "nats")]
pub mod jobs;
pub mod key;
pub mod man;
pub mod mcp;
#[cfg(feature = "mcp")]
mod mcp_login;
pub mod plan;
pub mod plans;
#[cfg(feature = "nats")]
pub mod program_run;
pub mod rehearse;
#[cfg(feature = "nats")]
pub mod remote;
#[cfg(feature = "nats")]
pub mod remote_link;
#[cfg(feature = "nats")]
mod remote_ssh;
#[cfg(feature = "nats")]
pub mod review;
#[cfg(feature = "nats")]
mod review_listing;
#[cfg(feature = "nats")]
pub mod review_remote;
pub mod scenario_server;
pub mod serve;
#[cfg(feature = "nats")]
pub mod session_watch;
pub mod sessions;
pub mod settings_schema;
pub mod setup;
#[cfg(feature = "nats")]
mod ssh_signature;
#[cfg(feature = "nats")]
pub mod submit;
pub mod trust;
#[cfg(feature = "nats")]
pub mod worker;

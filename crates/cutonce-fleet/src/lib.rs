//! The fleet (FL-1 to FL-6): members of a group share reviews, sessions and jobs through NATS JetStream.
//!
//! The server stores, replicates and delivers; it never sees content and can't write as a member. This crate knows
//! keys, members, sealed records, streams and jobs. It knows no processes, screens or flags. Nothing here runs unless a
//! remote was configured and asked for.

pub mod blob;
pub mod envelope;
mod fault_log;
mod hex;
pub mod inspection;
pub mod invite_code;
pub mod job;
pub mod job_queue;
pub mod link;
pub mod member_keys;
pub mod member_list;
mod membership;
mod newest_records;
mod record_reader;
pub mod remote_record;
mod retry;
pub mod review;
pub mod review_list;
mod server_connection;
pub mod server_login;
pub mod session_events;
pub mod session_log;
mod signature_memo;
pub mod ssh_pairing;
pub mod streams;

pub use link::{FirstWrite, FleetLink, FleetRecord, now_ms};
pub use membership::JoinRequest;
pub use record_reader::{FleetReader, MemberLogNews};
pub use server_connection::ConnectionFault;

use std::path::{Path, PathBuf};

/// Why something with a remote did not work.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    // The message contains the cause, so `source()` is not set: an error chain would print it twice.
    /// A file of this machine can't be used.
    #[error("can't {what}: {}: {why}", path.display())]
    File { what: &'static str, path: PathBuf, why: String },
    /// The servers can't be used.
    #[error("can't connect to {servers}: {why}; {}", fault.next_step(remote))]
    Connection { remote: String, servers: String, fault: ConnectionFault, why: String },
    /// The servers do not answer, or refuse.
    #[error("can't {what}: {servers}: {why}")]
    Server { servers: String, what: &'static str, why: String },
    /// The request is not possible; the text says why and what to do.
    #[error("{0}")]
    Refused(String),
    /// A key can't be used.
    #[error(transparent)]
    Key(#[from] member_keys::KeyFault),
}

impl FleetError {
    fn file(what: &'static str, path: &Path, error: &dyn std::fmt::Display) -> FleetError {
        FleetError::File { what, path: path.to_path_buf(), why: error.to_string() }
    }
}

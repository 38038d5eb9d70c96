//! Everything a session keeps on disk: transcripts, older file versions, the rewind, and what must not be stored.

mod checksum;
mod ephemeral;
mod index;
mod list;
mod lock;
pub mod paths;
mod reader;
pub(crate) mod redact;
pub mod rewind;
mod session_diff;
pub(crate) mod session_links;
mod transcript;
mod usage_history;
pub(crate) mod versions;

pub(crate) use ephemeral::EphemeralStore;
pub use list::{ListedSession, SessionScope, find_latest, find_session, list_sessions};
pub use lock::SessionLock;
use paths::valid_id;
pub use paths::{ProjectSessions, cutonce_home};
pub(crate) use reader::implementation_entries;
pub use reader::{ResumedTranscript, TranscriptReader};
pub use session_diff::session_diff;
pub(crate) use transcript::DEFAULT_BUDGET;
use transcript::is_part;
pub(crate) use transcript::{AGENTS, TranscriptStore};
pub use transcript::{StoreError, part_id, transcript_session_id};
pub(crate) use usage_history::UsageLog;
pub use usage_history::usage_report;

#[cfg(test)]
mod tests;

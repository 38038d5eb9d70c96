//! Team mailboxes (TM-1, TM-2): durable, ordered, at-least-once delivery. `send` returns once the message is stored;
//! it stays until its reader marks it done, so a crash on either side loses nothing.
//!
//! The setting `team.mailbox` selects files in the cutonce home (the default) or NATS JetStream for teammates on
//! other machines. Both pass the same tests. `cutonce_core::team` verifies senders.

mod files;
pub(crate) mod folder_watch;
#[cfg(feature = "nats")]
mod nats;
mod seen_ids;
mod segments;

pub(crate) use files::FileMailbox;
pub(crate) use files::remove_folder;
#[cfg(feature = "nats")]
pub(crate) use nats::NatsMailbox;

use async_trait::async_trait;
use cutonce_core::team::TeamMessage;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a message was not sent or read.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    // The message contains the cause, so `source()` is not set: an error chain would print it twice.
    /// A file of the mailbox can't be used.
    #[error("can't {what}: {}: {error}", path.display())]
    Io {
        /// The failed operation.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// The mailbox rejects the message.
    #[error("the message was not sent: {0}")]
    Refused(String),
    /// The receiver is too far behind.
    #[error("the mailbox of {to} is full: {to} has not read its messages")]
    Full {
        /// The receiver's name.
        to: String,
    },
    /// The mailbox was full of something else than messages, and is empty now.
    #[error(
        "the mailbox of {name} held {megabytes} MB that are not messages; they were removed, and messages arrive again"
    )]
    Damaged {
        /// The reader's name.
        name: String,
        /// The size of what was removed.
        megabytes: u64,
    },
    /// The mailbox server can't be reached.
    #[error("the mailbox server {url} does not answer: {why}")]
    Server {
        /// The server's address.
        url: String,
        /// The server's error.
        why: String,
    },
    /// The setting is not a valid mailbox address.
    #[error("team.mailbox {url:?} can't be used: {why}")]
    Address {
        /// The setting's value.
        url: String,
        /// Why the value is invalid.
        why: String,
    },
}

/// A message and its position in the mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The message.
    pub message: TeamMessage,
    /// The position after the message, for `done`.
    pub position: String,
}

/// All mailboxes of one team. Senders check messages (`check`); each implementation checks again.
#[async_trait]
pub trait Mailbox: Send + Sync {
    /// Stores the message durably. Sending the same id again has no effect.
    async fn send(&self, message: &TeamMessage) -> Result<(), MailError>;
    /// Reads the mailbox of `name` from the first message not marked done. Each mailbox has one reader.
    async fn read(&self, name: &str) -> Result<Box<dyn MailboxReader>, MailError>;
    /// Marks everything up to this position as done.
    async fn mark_done(&self, name: &str, position: &str) -> Result<(), MailError>;
    /// Publishes a value that all members can look up; the latest wins.
    async fn publish(&self, key: &str, value: &str) -> Result<(), MailError>;
    /// The value last published under this key.
    async fn look_up(&self, key: &str) -> Result<Option<String>, MailError>;
    /// Removes all mailboxes and values of the team.
    async fn remove(&self) -> Result<(), MailError>;
}

/// The messages of one mailbox in order, each id once.
#[async_trait]
pub trait MailboxReader: Send {
    /// Waits for the next message. Safe to drop and call again.
    async fn next(&mut self) -> Result<Delivery, MailError>;
}

/// Opens the mailboxes of the team in `folder`; `url` is the setting `team.mailbox`.
pub async fn open_mailbox(url: Option<&str>, folder: &Path, team: &str) -> Result<Arc<dyn Mailbox>, MailError> {
    let address = |url: &str, why: &str| MailError::Address { url: without_credentials(url), why: why.into() };
    match url {
        None | Some("" | "files") => Ok(Arc::new(FileMailbox::new(folder))),
        Some(url) if ["nats://", "tls://"].iter().any(|scheme| url.starts_with(scheme)) => served(url, team).await,
        Some(url) => Err(address(url, "expected `nats://host:port`, `tls://host:port` or `files`")),
    }
}

#[cfg(feature = "nats")]
async fn served(url: &str, team: &str) -> Result<Arc<dyn Mailbox>, MailError> {
    Ok(Arc::new(NatsMailbox::connect(url, team).await?))
}

#[cfg(not(feature = "nats"))]
async fn served(url: &str, _team: &str) -> Result<Arc<dyn Mailbox>, MailError> {
    Err(MailError::Address {
        url: without_credentials(url),
        why: "this build has no NATS support (cargo feature `nats`)".into(),
    })
}

/// The address without user and password.
fn without_credentials(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => url.to_string(),
    }
}

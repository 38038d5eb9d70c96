//! Mailboxes of a team (TM-1, TM-2): durable, at least once, in order. A message is in its box when `send` returns; it stays
//! there until its reader says that it is done with it, so a crash of either loses nothing.
//!
//! Two kinds, chosen by the setting `team.mailbox`: files in the cutonce home (the default), and NATS JetStream for teammates
//! on other machines. Both are held to the same tests. Whom to believe is not decided here: see `cutonce_core::mail`.

mod files;
#[cfg(feature = "nats")]
mod nats;
mod segments;
mod watch;
mod window;

pub(crate) use files::Files;
pub(crate) use files::remove_folder;
#[cfg(feature = "nats")]
pub(crate) use nats::Nats;

use async_trait::async_trait;
use cutonce_core::mail::Message;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a message was not sent or read.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    // The cause is told here, so it is no `source`: a chain of errors would tell it twice.
    /// A file of the mailbox can't be used.
    #[error("can't {what}: {}: {error}", path.display())]
    Io {
        /// What was to be done.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why it was not.
        error: std::io::Error,
    },
    /// It is no message that a mailbox takes.
    #[error("the message was not sent: {0}")]
    Refused(String),
    /// Its reader is too far behind.
    #[error("the mailbox of {to} is full: {to} has not read its messages")]
    Full {
        /// Whose it is.
        to: String,
    },
    /// A mailbox on a server that can't be reached.
    #[error("the mailbox server {url} does not answer: {why}")]
    Server {
        /// Where it should be.
        url: String,
        /// What it said instead.
        why: String,
    },
    /// The setting names no mailbox.
    #[error("team.mailbox {url:?} can't be used: {why}")]
    Address {
        /// As the setting has it.
        url: String,
        /// What is wrong with it.
        why: String,
    },
}

/// A message, and where it ends in its box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The message.
    pub message: Message,
    /// Where it ends: what [`Mailbox::done`] takes.
    pub position: String,
}

/// All boxes of one team. Names are checked by whoever makes a message ([`Message::check`]); each kind checks again.
#[async_trait]
pub trait Mailbox: Send + Sync {
    /// Durable when it returns. Sending the same id again is the same message.
    async fn send(&self, message: &Message) -> Result<(), MailError>;
    /// Read the box of `name` from the first message that is not done. One reader a box.
    async fn read(&self, name: &str) -> Result<Box<dyn Reader>, MailError>;
    /// The reader is done with everything up to here.
    async fn done(&self, name: &str, position: &str) -> Result<(), MailError>;
    /// A value that all of the team can look up; the last one counts.
    async fn publish(&self, key: &str, value: &str) -> Result<(), MailError>;
    /// What was last published under this key.
    async fn published(&self, key: &str) -> Result<Option<String>, MailError>;
    /// Remove all boxes and values of the team.
    async fn remove(&self) -> Result<(), MailError>;
}

/// The messages of one box, each id once, in the order they were sent.
#[async_trait]
pub trait Reader: Send {
    /// Waits for the next one. May be dropped and called again.
    async fn next(&mut self) -> Result<Delivery, MailError>;
}

/// The mailboxes of the team in `folder`; `url` is the setting `team.mailbox`.
pub async fn open(url: Option<&str>, folder: &Path, team: &str) -> Result<Arc<dyn Mailbox>, MailError> {
    let address = |url: &str, why: &str| MailError::Address { url: shown(url), why: why.into() };
    match url {
        None | Some("" | "files") => Ok(Arc::new(Files::new(folder))),
        Some(url) if ["nats://", "tls://"].iter().any(|scheme| url.starts_with(scheme)) => served(url, team).await,
        Some(url) => Err(address(url, "expected `nats://host:port`, `tls://host:port` or `files`")),
    }
}

#[cfg(feature = "nats")]
async fn served(url: &str, team: &str) -> Result<Arc<dyn Mailbox>, MailError> {
    Ok(Arc::new(Nats::connect(url, team).await?))
}

#[cfg(not(feature = "nats"))]
async fn served(url: &str, _team: &str) -> Result<Arc<dyn Mailbox>, MailError> {
    Err(MailError::Address {
        url: shown(url),
        why: "this program was built without NATS (cargo feature `nats`)".into(),
    })
}

/// An address without its user and password.
fn shown(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => url.to_string(),
    }
}

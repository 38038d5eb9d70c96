//! The cutonce library: open a session, submit input, read events, answer asks.
//!
//! Front ends (`cutonce -p`, the terminal, hosts) are adapters over [`Session`]. This crate knows none of them,
//! and an embedding program can do everything they do.
//!
//! # Start here
//!
//! [`builder::SessionBuilder`] says where a session works and what it may use. Anything left out comes from the
//! user's settings.
//! On a tokio runtime:
//!
//! ```no_run
//! use cutonce_agent::builder::SessionBuilder;
//! use cutonce_agent::core::protocol::event::EventKind;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let mut builder = SessionBuilder::new("/home/ann/.cutonce", "/home/ann/app");
//! builder.env = std::env::vars_os().collect();
//! let mut opened = builder.open().await?;
//! opened.session.say("What does this project do?");
//! while let Some(event) = opened.events.next().await {
//!     if let EventKind::TurnEnded(ended) = event.kind {
//!         println!("{}", ended.text);
//!         break;
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Cargo features
//!
//! No feature is enabled by default.
//!
//! - `mcp`: the client for Model Context Protocol servers (programs and URLs). Without it, servers from the settings
//!   fail with "this build has no MCP client"; servers that live in your process ([`mcp::RemoteServer`]) still work.
//! - `nats`: team mailboxes across machines. Without it, a team lives on one machine.
//!
//! A custom tool or hook needs `async-trait`; a custom tool also needs `serde` and `schemars`. The traits use their
//! types, so depend on the same versions as this crate (`cargo tree -p cutonce-agent --depth 1` lists them).
//!
//! # The four things to know
//!
//! - **Submissions in.** [`Session::submit`] never blocks. A [`Submission`](core::protocol::submission::Submission)
//!   carries a prompt, an answer, a mode or model change, an interrupt or the shutdown.
//! - **Events out.** [`EventStream::next`] yields [`EventKind`](core::protocol::event::EventKind)s in order, and
//!   `None` once the session has ended. An event is sent after its transcript entry is written. [`Session::events`]
//!   adds a listener at any time.
//! - **Asks.** If the rules and the mode require approval, the session emits an `Ask` event and waits for a
//!   `Submission::Answer` with the same id; the first answer wins. [`Approver`] says who can answer; without an
//!   approver, such calls are denied. Plan approval works the same way: anything but a clear approval rejects the
//!   plan.
//! - **Modes.** `Submission::SetMode` changes the mode. In plan mode no tool and no command can write anything except
//!   the plan file, whatever the user, a hook or a rule allows.
//!
//! # Own parts
//!
//! - A **tool**: implement [`tools::tool::Tool`] and add it to `SessionBuilder::host`. A tool declares its access and
//!   never decides: rules match it by name, and plan mode denies it unless it only reads.
//! - A **model**: implement [`models::Model`], and [`Connect`] to hand it out, in `SessionBuilder::model`.
//! - A **hook**: implement [`Hook`] and add it to `SessionBuilder::host`. A hook may deny, ask and add context; it
//!   can't approve plans.
//! - An **MCP server** in your process: implement [`mcp::RemoteServer`] and pass it to [`Session::mcp`].
//!
//! # What is here
//!
//! | to | use |
//! |---|---|
//! | open, resume or fork a session | [`builder`] |
//! | talk to a session | [`Session`], [`EventStream`], and [`core`]: `protocol`, `plan::approval`, `conversation` |
//! | read settings, remember a rule | [`config`], [`config::trust`], [`config::keys`] |
//! | list sessions and read transcripts | [`storage`], [`storage::rewind`] |
//! | list plans, read and approve their revisions | [`plan`] |
//! | list commands and instructions | [`config::commands`], [`config::instructions`] |
//! | list agents and servers | [`subagent`], [`mcp`], [`language_servers`] |
//! | answer asks of other processes' sessions | [`review_socket`] |
//! | take part in a team | [`team`], [`team::mailbox`] |
//! | use the clipboard, a browser or an external editor | [`clipboard`], [`browser`], [`editor`] |
//! | request structured output | [`structured_output`] |
//!
//! `examples/` has a complete program for each: `smallest`, `plan_flow`, `own_tool`, `own_model`. They need no key
//! and no network: `cargo run -p cutonce-agent --example smallest`.

#![warn(missing_docs)]

pub mod browser;
pub mod builder;
pub mod clipboard;
pub mod config;
pub mod editor;
mod event_hub;
mod file_url;
pub mod hooks;
mod internal_call;
pub mod language_servers;
pub mod mcp;
pub mod plan;
pub mod review_socket;
mod session;
pub mod status_command;
mod stderr_tail;
pub mod storage;
pub mod structured_output;
pub mod subagent;
pub mod team;
mod text_error;
mod web_search;

pub use cutonce_core as core;
pub use cutonce_models as models;
pub use cutonce_tools as tools;
pub use event_hub::EventStream;
pub use hooks::{Hook, HookSet};
pub use session::{Approver, Connect, Connected, Session, SessionInbox};

/// The current time, as transcripts, plans and team messages record it.
pub(crate) fn timestamp() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

/// Returns a new id (UUIDv7); ids sort by creation time.
pub fn new_id() -> String {
    id_at(std::time::SystemTime::now()).to_string()
}

/// A clock before 1970 is read as 1970: UUIDv7 has no earlier time.
fn id_at(now: std::time::SystemTime) -> uuid::Uuid {
    match now.duration_since(std::time::UNIX_EPOCH) {
        Ok(_) => uuid::Uuid::now_v7(),
        Err(_) => uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, 0, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::id_at;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    #[test]
    fn se_6_clock_before_1970_gives_ids() {
        let (one, other) = (id_at(UNIX_EPOCH - Duration::from_secs(1)), id_at(UNIX_EPOCH - Duration::from_secs(1)));
        assert_ne!(one, other);
        assert_eq!((one.get_version_num(), one.to_string().starts_with("00000000-0000-7")), (7, true));
        assert!(id_at(SystemTime::now()) > one);
    }
}

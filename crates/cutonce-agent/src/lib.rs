//! The library people embed: open a session, submit, read events, answer asks.
//!
//! Faces (the program's `-p`, the terminal, hosts) are adapters over [`Session`]; none of them is known here, and a program of
//! yours can do all that they do.
//!
//! # Start here
//!
//! [`start::Start`] says where a session works and what it may use; all that is left out comes from the user's settings. On a tokio
//! runtime:
//!
//! ```no_run
//! use cutonce_agent::core::event::EventKind;
//! use cutonce_agent::start::Start;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let start = Start { home: "/home/ann/.cutonce".into(), cwd: "/home/ann/app".into(), env: std::env::vars_os().collect(), ..Start::default() };
//! let mut opened = start.open().await?;
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
//! None is on by itself.
//!
//! - `mcp`: the client for servers of the Model Context Protocol, programs and addresses. Without it the servers of the settings fail with
//!   "this build has no MCP client"; those that live in your process ([`mcp::Remote`]) work all the same.
//! - `nats`: mailboxes of teams across machines. Without it a team lives on one machine.
//!
//! An own tool or hook needs `async-trait`, an own tool also `serde` and `schemars`: their items stand in the traits' signatures, so take
//! the versions that this crate takes (`cargo tree -p cutonce-agent --depth 1` lists them).
//!
//! # The four things to know
//!
//! - **Submissions in.** [`Session::submit`] never blocks. All that can be said is
//!   [`Submission`](core::submission::Submission): words, answers, another mode or model, an interrupt, the end.
//! - **Events out.** [`Events::next`] gives [`EventKind`](core::event::EventKind)s in the order of what happened, and None when the
//!   session is over. What an event reports as done is in the transcript already. [`Session::events`] adds a listener at any time.
//! - **Asks.** Where the rules and the mode want a yes, an `Ask` event comes and the turn waits for a `Submission::Answer` with
//!   its id: the first answer counts. [`Approver`] says whether anybody can answer; with nobody there, what would ask is denied.
//!   A plan is approved the same way: its ask carries the request, and whatever is not clearly an approval is none.
//! - **Modes.** `Submission::SetMode` changes the mode; in plan mode nothing but the plan file can be written, by no tool and no
//!   command, whoever says yes.
//!
//! # Own parts
//!
//! - A **tool**: implement [`tools::tool::Tool`] and put it into `Start::tools`. It states what it touches; it never decides: the
//!   rules of the settings hold for it by its name, and plan mode denies it unless all that it touches is read.
//! - A **model**: implement [`models::Model`], and [`Connect`] to hand it out, in `Start::connect`.
//! - A **hook**: implement [`Hook`] and put it into `Start::hooks`. It may deny, ask and add words; it approves no plan.
//! - An **MCP server** in your process: implement [`mcp::Remote`] and hand it to [`Session::mcp`].
//!
//! # What is here
//!
//! | to | use |
//! |---|---|
//! | open, resume or fork a session | [`start`] |
//! | talk to it | [`Session`], [`Events`], and the types of [`core`]: `submission`, `event`, `approval`, `conversation` |
//! | read settings, remember a rule | [`settings`], [`trust`], [`keys`] |
//! | list sessions and read transcripts | [`store`], [`rewind`] |
//! | list plans, read and approve their revisions | [`plan_files`] |
//! | list what can be called by name | [`commands`], [`agents`], [`mcp`], [`instructions`] |
//! | take part in a team | [`team`], [`mailbox`] |
//! | show a person more than text | [`clipboard`], [`editor`] |
//! | ask for an answer of a form | [`structured`] |
//!
//! `examples/` has a whole program for each: `smallest`, `plan_flow`, `own_tool`, `own_model`. They run without key and network:
//! `cargo run -p cutonce-agent --example smallest`.

#![warn(missing_docs)]

pub mod agents;
mod changes;
pub mod clipboard;
pub mod commands;
pub mod editor;
pub mod hooks;
mod hub;
pub mod instructions;
pub mod keys;
pub mod mailbox;
pub mod mcp;
pub mod plan_files;
mod providers;
mod redact;
pub mod rewind;
mod session;
pub mod settings;
mod skills;
pub mod start;
pub mod store;
pub mod structured;
pub mod team;
pub mod trust;
mod versions;

pub use cutonce_core as core;
pub use cutonce_models as models;
pub use cutonce_tools as tools;
pub use hooks::{Hook, Hooks};
pub use hub::Events;
pub use session::{Approver, Connect, Connected, Session};

/// A new id (UUIDv7): sorts by time.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

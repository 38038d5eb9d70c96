//! The terminal: a face over a session (UI-1 to UI-15). It submits and reads events; it knows nothing of how they come about.
//!
//! The loop is in `app`; what is drawn inline goes through `history`, what takes the whole screen is an `overlay`. Everything
//! from outside passes `text` before it is drawn.

mod app;
mod composer;
mod dialog;
pub mod diff;
#[cfg(test)]
mod docs;
mod entry;
pub mod highlight;
mod history;
mod input;
mod keymap;
pub mod markdown;
pub mod overlay;
mod paint;
pub mod review;
mod status;
mod terminal;
pub mod text;
pub mod theme;

pub use app::{INIT, exported};
pub use composer::images_named;

use cutonce_agent::start::{Opened, Which};
use std::ffi::OsString;
use std::path::PathBuf;
use std::pin::Pin;

/// What the program hands over: where it is, how a session is opened, and what it knows that a face does not.
pub struct Face {
    /// `~/.cutonce` or $CUTONCE_HOME.
    pub home: PathBuf,
    pub cwd: PathBuf,
    pub env: Vec<(OsString, OsString)>,
    pub version: &'static str,
    pub open: Open,
    /// None: the person picks one (UI-15).
    pub which: Option<Which>,
    /// What the picker looks for first.
    pub words: String,
    pub fork: bool,
    pub first: Option<First>,
    /// The text of `cutonce doctor`.
    pub doctor: fn() -> String,
    pub flags: Flags,
}

/// Rules that were given on the command line, for `/permissions`.
#[derive(Debug, Default)]
pub struct Flags {
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

/// What the conversation begins with.
#[derive(Debug)]
pub enum First {
    Say(String),
    /// A plan that was approved by running the command.
    Implement {
        plan: String,
        path: String,
    },
}

/// Which session is wanted.
#[derive(Debug, Clone)]
pub struct Job {
    pub which: Which,
    /// In a copy.
    pub fork: bool,
    /// Instead of the model that the command line or the settings name.
    pub model: Option<String>,
}

/// Opens a session, on the thread that it will live on.
pub type Open = Box<dyn Fn(Job) -> Opening + Send>;
pub type Opening = Pin<Box<dyn Future<Output = Result<Opened, String>>>>;

/// Sit in front of sessions until the person leaves; gives the exit code.
pub async fn run(face: Face) -> std::io::Result<u8> {
    app::run(face).await
}

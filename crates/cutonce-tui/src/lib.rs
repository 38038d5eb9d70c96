//! The interactive terminal front end (UI-1 to UI-15). It sends submissions to a session and renders its
//! events.
//!
//! The main loop is in `app`. Inline output goes through `terminal::scrollback`; a full-screen view is
//! one of the `overlays`. All external text is sanitized by `render::text` before it is drawn.

mod app;
mod composer;
mod dialogs;
#[cfg(test)]
mod doc_tables;
mod entries;
mod input;
mod mode_text;
pub mod overlays;
pub mod plan_review;
pub mod render;
mod status_line;
mod terminal;
mod text_area;
mod vim_keys;

pub use app::{
    ExportError, Guide, GuidePlace, GuideText, GuideView, INIT_PROMPT, clipboard_sequence, export_transcript,
};
pub use composer::mentioned_images;
pub use cutonce_core::plan::approval::ChoiceKey;
pub use terminal::{EchoMode, TypedLineReader, columns as terminal_columns, has_input, restore_line_mode};

use cutonce_agent::builder::{OpenedSession, SessionSelector};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::pin::Pin;

/// Everything the binary passes to the terminal front end.
pub struct TuiOptions {
    /// `~/.cutonce` or $CUTONCE_HOME.
    pub home: PathBuf,
    pub cwd: PathBuf,
    pub env: Vec<(OsString, OsString)>,
    pub version: &'static str,
    pub opener: SessionOpener,
    /// `None`: the user picks a session (UI-15).
    pub selector: Option<SessionSelector>,
    /// Initial search text of the session picker.
    pub picker_search: String,
    pub fork: bool,
    pub first_submission: Option<FirstSubmission>,
    /// The text of `cutonce doctor`.
    pub doctor: fn() -> String,
    /// Lets the user choose a model on the terminal, line by line (ON-3). Gets the home, returns the model's name.
    pub setup: fn(&Path) -> Option<String>,
    pub command_line_rules: CommandLineRules,
    /// Explains the screen in its last row; for the demo (ON-2).
    pub guide: Option<Guide>,
}

/// Permission rules from the command line, shown by `/permissions`.
#[derive(Debug, Default)]
pub struct CommandLineRules {
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

/// First submission of the session.
#[derive(Debug)]
pub enum FirstSubmission {
    Message(String),
    /// Implements a plan that the user approved by running `cutonce implement`.
    Implement(cutonce_core::protocol::submission::ImplementRequest),
}

/// A request to open a session.
#[derive(Debug, Clone)]
pub struct OpenSessionRequest {
    pub selector: SessionSelector,
    /// Fork the session instead of continuing it.
    pub fork: bool,
    /// Overrides the model from the command line and the settings.
    pub model: Option<String>,
}

/// Opens a session on the thread where it will run.
pub type SessionOpener = Box<dyn Fn(OpenSessionRequest) -> OpenFuture + Send>;
pub type OpenFuture = Pin<Box<dyn Future<Output = Result<OpenedSession, OpenSessionError>>>>;

/// Why a session could not be opened, as text for the user.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct OpenSessionError {
    pub message: String,
    /// No provider has a key: the setup helps (ON-3).
    pub needs_setup: bool,
}

/// Runs the terminal until the user quits. Returns the exit code.
pub async fn run(options: TuiOptions) -> std::io::Result<u8> {
    app::run(options).await
}

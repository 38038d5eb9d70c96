//! The tools: one trait, one `.rs` and one `.md` each, and `disk`, the only writer of workspace files.
//!
//! Knows files, processes (through cutonce-sandbox) and what a call touches; never who decides, which
//! model asked, or how it is shown.

mod ask_user_question;
mod bash;
mod bash_output;
mod change;
pub mod disk;
pub mod edit;
pub mod glob;
mod globs;
pub mod grep;
mod kill_shell;
pub mod ls;
mod missing;
pub mod notebook_edit;
pub mod past;
pub mod read;
pub mod shell_tools;
pub mod shells;
pub mod skill;
pub mod spill;
mod todo_write;
pub mod tool;
mod walk;
pub mod web;
mod web_fetch;
pub mod workspace;
pub mod write;

use std::sync::Arc;

/// The tools that read and change files.
pub fn file_tools() -> Vec<Arc<dyn tool::AnyTool>> {
    vec![
        Arc::new(read::Read),
        Arc::new(write::Write),
        Arc::new(edit::Edit),
        Arc::new(notebook_edit::NotebookEdit),
        Arc::new(glob::Glob),
        Arc::new(ls::Ls),
        Arc::new(grep::Grep),
    ]
}

/// All tools that are built in.
pub fn tools() -> Vec<Arc<dyn tool::AnyTool>> {
    file_tools().into_iter().chain(shell_tools::shell_tools()).collect()
}

//! The tools: one trait, one `.rs` and one `.md` file each, and `disk`, the only writer of workspace files.
//!
//! This crate knows files, processes (through cutonce-sandbox) and what a call accesses. It does not know who decides,
//! which model asked, or how a result is shown.

pub mod disk;
pub mod env;
pub mod files;
pub mod interactive;
pub mod secret_files;
pub mod shell;
pub mod spill;
pub mod tool;
pub mod web;
pub mod workspace;

use std::sync::Arc;
use tool::AnyTool;

/// Returns the tools that read and change files.
pub fn file_tools() -> Vec<Arc<dyn AnyTool>> {
    vec![
        Arc::new(files::read::ReadTool),
        Arc::new(files::write::WriteTool),
        Arc::new(files::edit::EditTool),
        Arc::new(files::notebook::NotebookEditTool),
        Arc::new(files::glob::GlobTool),
        Arc::new(files::ls::LsTool),
        Arc::new(files::grep::GrepTool),
    ]
}

/// Returns the tools that run commands, fetch pages, and interact with the user, in the order in which requests
/// list them.
pub fn shell_tools() -> Vec<Arc<dyn AnyTool>> {
    vec![
        Arc::new(shell::bash::BashTool),
        Arc::new(shell::BashOutputTool),
        Arc::new(shell::KillShellTool),
        Arc::new(web::fetch::WebFetchTool),
        Arc::new(interactive::todo::TodoWriteTool),
        Arc::new(interactive::ask::AskUserQuestionTool),
    ]
}

/// Returns all built-in tools.
pub fn built_in_tools() -> Vec<Arc<dyn AnyTool>> {
    file_tools().into_iter().chain(shell_tools()).collect()
}

//! The tools: one trait, one `.rs` and one `.md` each, and `disk`, the only writer of workspace files.
//!
//! Knows files, processes (through cutonce-sandbox) and what a call touches; never who decides, which
//! model asked, or how it is shown.

mod ask_user_question;
mod bash;
mod bash_output;
pub mod disk;
mod kill_shell;
pub mod shell_tools;
pub mod shells;
mod spill;
mod todo_write;
pub mod tool;
pub mod web;
mod web_fetch;
pub mod workspace;

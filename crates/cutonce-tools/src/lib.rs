//! The tools: one trait, one `.rs` and one `.md` each, and `disk`, the only writer of workspace files.
//!
//! Knows files, processes (through cutonce-sandbox) and what a call touches; never who decides, which
//! model asked, or how it is shown.

pub mod disk;
pub mod shells;
pub mod tool;
pub mod web;
pub mod workspace;

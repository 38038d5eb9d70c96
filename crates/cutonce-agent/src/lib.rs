//! The library people embed: a session driven by submissions and observed by events, and what it keeps on disk.

pub mod redact;
pub mod settings;
pub mod store;
pub mod trust;
pub mod versions;

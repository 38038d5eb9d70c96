//! The file tools on real files, called as the session calls them: parse, state, decide, run.
#![allow(clippy::unwrap_used, reason = "a test that can't set up its files must fail")]

mod files;

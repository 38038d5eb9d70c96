//! Tests the file tools on real files, called as the session does: parse, access, decide, run.
#![allow(clippy::unwrap_used, reason = "a test that can't set up its files must fail")]

mod files;

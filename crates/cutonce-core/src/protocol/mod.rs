//! Messages between a session and its front ends: submissions in, events out.

pub mod background_commands;
pub mod event;
pub mod host;
pub mod rule_scopes;
pub mod submission;
pub mod usage_totals;
pub mod view;

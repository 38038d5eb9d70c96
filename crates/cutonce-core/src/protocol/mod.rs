//! Messages between a session and its front ends: submissions in, events out.

pub mod answerer;
pub mod background_commands;
pub mod event;
pub mod host;
pub mod review_request;
pub mod rule_scopes;
pub mod submission;
pub mod usage_totals;
pub mod view;

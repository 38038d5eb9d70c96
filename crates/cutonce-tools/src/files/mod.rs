//! The tools that read, search and change files. Changes go through `disk`.

pub(crate) mod change;
pub mod edit;
mod git_index;
pub mod glob;
pub mod grep;
pub mod ls;
mod missing;
pub mod notebook;
pub mod past_change;
mod plan_ignore_rules;
pub mod read;
pub(crate) mod walk;
pub mod write;

pub use change::unified_diff;
pub(crate) use plan_ignore_rules::RuleStack;
pub use plan_ignore_rules::{IgnoreRules, freeze_rules};

//! The tools that read, search and change files. Changes go through `disk`.

pub(crate) mod change;
pub mod edit;
mod git_index;
pub mod glob;
pub mod grep;
mod ignored;
pub mod ls;
mod missing;
pub mod notebook;
pub mod past_change;
pub mod read;
pub(crate) mod walk;
pub mod write;

pub use change::unified_diff;
pub(crate) use ignored::RuleStack;
pub use ignored::{IgnoreRules, freeze_rules};

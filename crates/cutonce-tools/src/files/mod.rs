//! The tools that read, search and change files. Changes go through `disk`.

pub(crate) mod change;
mod contract_ignores;
pub mod edit;
mod git_index;
pub mod glob;
pub mod grep;
pub mod ls;
mod missing;
pub mod notebook;
pub mod past_change;
pub mod read;
pub(crate) mod walk;
pub mod write;

pub use change::unified_diff;
pub(crate) use contract_ignores::RuleStack;
pub use contract_ignores::{IgnoreRules, freeze_rules};
pub use walk::{is_folder, list_tree, walk_below};

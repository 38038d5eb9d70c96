//! What the user and the project configured: settings, trust, keys, providers, instructions, skills and commands.

mod claude_import;
pub mod commands;
mod duplicate_keys;
mod git_exclude;
mod granted_rules;
mod hidden_keys;
pub mod instructions;
pub mod keys;
mod load;
mod managed;
pub(crate) mod markdown_files;
pub(crate) mod providers;
pub mod secret_store;
mod settings_file;
pub(crate) mod skills;
pub mod trust;
mod untrusted;

pub use claude_import::ClaudeImport;
pub use load::{LoadedSettings, MANAGED_FILE, SettingsPaths, SettingsWarning, load_settings};
pub(crate) use load::{SettingsProblem, SettingsStamp, load_settings_from};
pub use managed::managed_error;
pub(crate) use settings_file::{add_rule, change_settings};
pub use settings_file::{flag_error, remove_rule, store_main_model};
pub use untrusted::SetAside;
pub(crate) use untrusted::ignored_notice;

#[cfg(test)]
mod tests;

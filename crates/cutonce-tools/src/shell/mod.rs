//! The shell tools, the processes behind them, and their confinement.

pub mod bash;
pub mod changes;
pub mod confine;
mod host_proxy;
mod kill;
mod linked_files;
mod output;
pub mod process;
mod protected_record;
mod protected_recovery;
mod reached_limit;
pub mod reader_sandbox;

pub(crate) use kill::KillShellTool;
pub(crate) use output::BashOutputTool;
pub use protected_recovery::recover_protected;
pub use reached_limit::ReachedLimit;

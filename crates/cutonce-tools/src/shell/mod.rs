//! The shell tools, the processes behind them, and their confinement.

pub mod bash;
pub mod changes;
pub mod confine;
mod host_proxy;
mod kill;
mod output;
pub mod process;
mod protected_record;
pub mod reader_sandbox;

pub(crate) use kill::KillShellTool;
pub(crate) use output::BashOutputTool;

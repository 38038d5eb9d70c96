//! Starts processes and confines them. No other crate starts a process.
//!
//! This crate knows programs, environments, descriptors and how to kill a whole process tree. It does not know
//! which tool asked, who approved it, or what the output means. It never reads the environment of its own
//! process: variables come in as data.

mod detached;
pub mod env;
mod folder;
mod foreground;
mod kept_layer;
mod layer;
mod private;
mod profile;
mod program;
mod removal;
mod remove_tree;
mod seatbelt;
mod spawn;

#[cfg(not(target_os = "linux"))]
mod group;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use group as family;
#[cfg(target_os = "linux")]
use linux as family;

pub use detached::DetachedProgram;
pub use family::{is_placeholder, remove_placeholders};
pub use folder::PrivateFolder;
pub use foreground::ForegroundProgram;
pub use kept_layer::{KeptLayer, NamedLayer, check_layer_name, named_layers, sweep_layers};
pub use layer::{
    SandboxLimits, SandboxSupport, SandboxTier, check_throwaway_layer, sandbox_support, sandbox_support_within,
};
pub use private::{forbid_process_inspection, ignore_file_size_signal};
pub use profile::{
    LayerMount, ReadOnlyProfile, ResourceKind, ResourceLimits, SandboxProfile, ThrowawayLayer, WorkspaceWriteProfile,
};
pub use program::find_program;
pub use removal::finish_removals;
pub use spawn::{Lifeline, ProcessExit, RunningProcess, SpawnError, SpawnSpec, StdinMode, StdoutMode};

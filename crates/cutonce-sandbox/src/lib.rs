//! The only place that starts processes, and what such a process may do.
//!
//! Knows programs, environments, descriptors and how to end a whole family of processes; never which
//! tool asked, who allowed it, or what its output means. Nothing here reads the environment of this
//! program: variables come in as data.

pub mod env;
mod folder;
mod foreground;
mod layer;
mod private;
mod profile;
mod program;
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

pub use folder::PrivateFolder;
pub use foreground::Foreground;
pub use layer::{Layer, Limits, Tier, available, available_within, scratch_works};
pub use private::keep_private;
pub use profile::{Profile, ReadOnly, Scratch, WorkspaceWrite};
pub use program::find_program;
pub use spawn::{Ended, Input, Lifeline, Output, Running, Spawn, SpawnError};

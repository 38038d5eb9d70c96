//! The command line: its definition, the flags of host programs, and checks that the parser can't do.

pub mod args;
#[cfg(feature = "nats")]
pub mod fleet_args;
pub mod host_flags;
pub mod usage;

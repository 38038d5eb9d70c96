//! Exit codes of the program (CL-3).

pub const SUCCESS: u8 = 0;
pub const FAILED: u8 = 1;
/// The command line is invalid.
pub const USAGE: u8 = 2;
/// The files that a plan names changed since it was submitted (PC-13).
pub const STALE: u8 = 4;
/// The implementation differs from the approved plan (PC-35).
pub const DRIFTED: u8 = 5;
/// The terminal was closed: SIGHUP.
pub const HUNG_UP: u8 = 129;
/// Stopped by SIGINT or Ctrl+C.
pub const INTERRUPTED: u8 = 130;
/// Stopped by SIGTERM.
pub const TERMINATED: u8 = 143;

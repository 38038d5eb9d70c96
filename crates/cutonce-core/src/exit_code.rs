//! Exit codes of the program (CL-3).

pub const SUCCESS: u8 = 0;
pub const FAILED: u8 = 1;
/// The command line is invalid.
pub const USAGE: u8 = 2;
/// A file changed since it was planned or rehearsed (PC-13, RH-6).
pub const STALE: u8 = 4;
/// A plan was not carried out as it says (PC-35, RH-6).
pub const DRIFTED: u8 = 5;
/// The terminal was closed: SIGHUP.
pub const HUNG_UP: u8 = 129;
/// Stopped by SIGINT or Ctrl+C.
pub const INTERRUPTED: u8 = 130;
/// Stopped by SIGTERM.
pub const TERMINATED: u8 = 143;

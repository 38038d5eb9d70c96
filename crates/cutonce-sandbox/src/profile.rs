//! What a started process may do, as data (section 5 of the contract).

use std::io;

/// The rights of a started process. It is applied in the child, before exec; if it can't be applied in
/// full the program does not start (SB-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// What the user may do.
    #[default]
    Open,
}

impl Profile {
    /// Runs between fork and exec: only system calls, no allocation.
    pub(crate) fn apply(self) -> io::Result<()> {
        match self {
            Profile::Open => Ok(()),
        }
    }
}

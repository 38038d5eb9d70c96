//! Ephemeral sessions, which leave nothing on disk (HO-1, `--no-session-persistence`).

use super::{SessionBuilder, StartError};
use crate::storage::{EphemeralStore, StoreError};

impl SessionBuilder {
    /// Creates a temporary store for such a session. Every start also deletes the leftovers of killed ones.
    pub(super) fn ephemeral_store(&self) -> Result<Option<EphemeralStore>, StartError> {
        EphemeralStore::remove_leftovers(&self.dirs.home);
        if !self.ephemeral {
            return Ok(None);
        }
        let failed = |error| StoreError::Io {
            what: "create a temporary folder for the session in",
            path: self.dirs.home.clone(),
            error,
        };
        Ok(Some(EphemeralStore::new(&self.dirs.home).map_err(failed)?))
    }
}

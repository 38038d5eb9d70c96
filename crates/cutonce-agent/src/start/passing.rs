//! Sessions that leave nothing on disk (HO-1, `--no-session-persistence`): where they live meanwhile.

use super::{Start, StartError};
use crate::store::{Passing, StoreError};

impl Start {
    /// A place of its own for such a session. What killed ones left is swept at every start.
    pub(super) fn passing_place(&self) -> Result<Option<Passing>, StartError> {
        Passing::sweep(&self.home);
        if !self.passing {
            return Ok(None);
        }
        let failed = |error| StoreError::Io { what: "make a place for the session in", path: self.home.clone(), error };
        Ok(Some(Passing::new(&self.home).map_err(failed)?))
    }
}

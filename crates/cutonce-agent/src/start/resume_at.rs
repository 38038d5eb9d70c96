//! A session that goes on from an earlier message (HO-1): what came after it leaves the conversation, not the file. The mode is the
//! person's and stays as it was left, so that nothing can be resumed out of plan mode.

use super::StartError;
use crate::store::{Reader, Resumed, Store, StoreError};
use cutonce_core::submission::By;
use cutonce_core::transcript::{Body, Kind};
use std::io;

/// From where a resumed session goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResumeAt {
    /// The id of the last message that stays.
    pub message: String,
    /// The id of the message whose turn, and nothing else, may be dropped by that.
    pub drops_turn: Option<String>,
}

impl ResumeAt {
    /// Let the session that was opened go on from there.
    pub(super) fn apply(&self, store: &Store, resumed: Resumed, budget: usize) -> Result<Resumed, StartError> {
        let failed = |error| StoreError::Io { what: "read the session", path: store.path().to_path_buf(), error };
        let mut reader = Reader::open(store.path()).map_err(failed)?;
        let Some((at, id)) = reader.find(&self.message).map_err(failed)? else {
            return Err(StartError::NoMessage(self.message.clone()));
        };
        self.check_dropped(&mut reader, at).map_err(failed)?.map_or(Ok(()), |why| Err(StartError::Dropped(why)))?;
        store.rewind_to(&id);
        store.append(Body::Rewind { to: id, files: Vec::new() })?;
        let mut shorter = Reader::open(store.path()).and_then(|mut reader| reader.resume(budget)).map_err(failed)?;
        let (left_in, now) = (resumed.replayed.mode, shorter.replayed.mode);
        if left_in != now {
            let (from, to) = (now.unwrap_or_default(), left_in.unwrap_or_default());
            store.append(Body::Mode { from, to, by: By::Host })?;
            shorter.replayed.mode = left_in.or(now);
        }
        Ok(Resumed { last_id: store.last_id(), copied_from: resumed.copied_from, ..shorter })
    }

    /// Why what would be dropped is more than that one turn.
    fn check_dropped(&self, reader: &mut Reader, at: usize) -> io::Result<Option<String>> {
        let Some(turn) = &self.drops_turn else { return Ok(None) };
        let mut said = Vec::new();
        for at in (at + 1..reader.len()).filter(|at| reader.kind(*at) == Kind::User).collect::<Vec<_>>() {
            said.extend(reader.entry(at)?.filter(|entry| matches!(entry.body, Body::User { meta: false, .. })));
        }
        Ok(match said.as_slice() {
            [only] if only.id == *turn => None,
            [] => Some(format!("there is no turn of {turn} after the message")),
            others => Some(format!("{} messages lie after it, and not that of {turn} alone", others.len())),
        })
    }
}

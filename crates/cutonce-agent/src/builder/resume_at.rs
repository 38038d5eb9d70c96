//! Resumes a session from an earlier message (HO-1). Later messages leave the conversation but stay in the file. The
//! mode stays as it was, so that resuming can't leave plan mode.

use super::StartError;
use crate::storage::{ResumedTranscript, StoreError, TranscriptReader, TranscriptStore};
use cutonce_core::protocol::submission::ChangedBy;
use cutonce_core::transcript::{EntryBody, EntryKind};
use std::io;

/// Where a resumed session continues.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResumeAt {
    /// The id of the last message to keep.
    pub message: String,
    /// The id of the only message whose turn may be dropped.
    pub drops_turn: Option<String>,
}

impl ResumeAt {
    /// Rewinds the opened session to that message.
    pub(super) fn apply(
        &self,
        store: &TranscriptStore,
        resumed: ResumedTranscript,
        budget: usize,
    ) -> Result<ResumedTranscript, StartError> {
        let failed = |error| StoreError::Io { what: "read the session", path: store.path().to_path_buf(), error };
        let mut reader = TranscriptReader::open(store.path()).map_err(failed)?;
        let Some((at, id)) = reader.find_entry(&self.message).map_err(failed)? else {
            return Err(StartError::NoMessage(self.message.clone()));
        };
        self.check_dropped_turns(&mut reader, at)
            .map_err(failed)?
            .map_or(Ok(()), |why| Err(StartError::DropRejected(why)))?;
        store.rewind_to(&id);
        store.append(EntryBody::Rewind { to: id, files: Vec::new() })?;
        let mut shorter =
            TranscriptReader::open(store.path()).and_then(|mut reader| reader.resume(budget)).map_err(failed)?;
        let (left_in, now) = (resumed.replayed.mode, shorter.replayed.mode);
        if left_in != now {
            let (from, to) = (now.unwrap_or_default(), left_in.unwrap_or_default());
            store.append(EntryBody::Mode { from, to, by: ChangedBy::Host })?;
            shorter.replayed.mode = left_in.or(now);
        }
        Ok(ResumedTranscript { last_id: store.last_id(), copied_from: resumed.copied_from, ..shorter })
    }

    /// Returns why the messages to drop are more than that one turn.
    fn check_dropped_turns(&self, reader: &mut TranscriptReader, at: usize) -> io::Result<Option<String>> {
        let Some(turn) = &self.drops_turn else { return Ok(None) };
        let mut said = Vec::new();
        for at in (at + 1..reader.len()).filter(|at| reader.kind(*at) == EntryKind::User).collect::<Vec<_>>() {
            said.extend(reader.entry(at)?.filter(|entry| matches!(entry.body, EntryBody::User { meta: false, .. })));
        }
        Ok(match said.as_slice() {
            [only] if only.id == *turn => None,
            [] => Some(format!("no turn of {turn} follows the message")),
            others => Some(format!("{} messages follow it, not only that of {turn}", others.len())),
        })
    }
}

//! Selects the session to open and reports what changed in a resumed one (SE-2, SE-3).

use super::{Planner, SessionBuilder, SessionSelector, StartError, session_entry};
use crate::storage::redact::Redactor;
use crate::storage::{self, EphemeralStore, ProjectSessions, ResumedTranscript, StoreError, TranscriptStore};
use cutonce_core::transcript::EntryBody;
use std::path::Path;
use std::sync::Arc;

impl SessionBuilder {
    /// Creates a session or resumes an earlier one. `context` is the size of the model's window.
    pub(super) fn open_store(
        &self,
        redactor: &Arc<Redactor>,
        context: u64,
        passing: &Option<EphemeralStore>,
        notices: &mut Vec<String>,
    ) -> Result<(TranscriptStore, Option<ResumedTranscript>), StartError> {
        let sessions = &ProjectSessions::new(&self.dirs.home, &self.dirs.cwd);
        // An ephemeral session resumes a copy, which is deleted afterwards (HO-1).
        let own = ProjectSessions::new(
            passing.as_ref().map_or(self.dirs.home.as_path(), EphemeralStore::home),
            &self.dirs.cwd,
        );
        let fork = self.resume.fork || passing.is_some();
        // A window's worth of text, with room for errors of the token estimate.
        let budget = usize::try_from(context).unwrap_or(usize::MAX).saturating_mul(4);
        let path = match &self.resume.selector {
            SessionSelector::New => return Ok((TranscriptStore::create(&own, None, redactor.clone())?, None)),
            SessionSelector::NewWithId(id) if sessions.transcript(id).exists() => {
                return Err(StoreError::Exists { id: id.clone() }.into());
            }
            SessionSelector::NewWithId(id) => {
                return Ok((TranscriptStore::create(&own, Some(id.clone()), redactor.clone())?, None));
            }
            SessionSelector::Latest => storage::find_latest(sessions)?,
            SessionSelector::Find(words) => storage::find_session(sessions, words)?,
        };
        let (store, resumed) = if fork {
            TranscriptStore::fork(&path, &own, redactor.clone(), budget)?
        } else {
            TranscriptStore::open(&path, redactor.clone(), budget)?
        };
        let resumed = match &self.resume.at {
            Some(at) => at.apply(&store, resumed, budget)?,
            None => resumed,
        };
        notices.extend(resume_notices(&resumed));
        if !fork {
            self.note_moved_session(sessions, &store, &resumed, notices);
        }
        Ok((store, Some(resumed)))
    }

    /// Lists a session resumed in another folder there, too, and notifies the user: rules and relative paths are
    /// those of the new folder (SE-3).
    fn note_moved_session(
        &self,
        sessions: &ProjectSessions,
        store: &TranscriptStore,
        resumed: &ResumedTranscript,
        notices: &mut Vec<String>,
    ) {
        if let Some(before) = resumed.replayed.cwd.as_deref().filter(|before| Path::new(before) != self.dirs.cwd) {
            notices.push(format!(
                "This session worked in {before} until now. It continues in {}, with the settings of this folder, and both folders list it. \
                 (To continue in a copy instead, use --fork-session.)",
                self.dirs.cwd.display()
            ));
        }
        if let Err(error) = storage::session_links::add_link(sessions, store.path()) {
            notices.push(format!("`cutonce sessions` will not list this session in this folder: {error}"));
        }
    }

    /// The transcript entry that records that this process opened the session.
    pub(super) fn opened_entry(
        &self,
        store: &TranscriptStore,
        resumed: Option<&ResumedTranscript>,
        planner: &Planner,
    ) -> EntryBody {
        let mut entry = session_entry(store, &self.dirs.cwd, planner.file.as_ref().map(|file| file.slug().to_string()));
        if let EntryBody::Session { forked_from, .. } = &mut entry {
            *forked_from = resumed.and_then(|resumed| resumed.copied_from.clone());
        }
        entry
    }
}

fn resume_notices(resumed: &ResumedTranscript) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(skipped) = resumed.skips.describe() {
        told.push(skipped);
    }
    if resumed.left_out > 0 {
        told.push(format!("{} older entries don't fit the model's window and were left out.", resumed.left_out));
    }
    told
}

//! Which session is opened, and what the person should know of one that goes on (SE-2, SE-3).

use super::{Planner, Start, StartError, Which, session_entry};
use crate::redact::Redactor;
use crate::store::{self, Passing, Resumed, Sessions, Store, StoreError};
use cutonce_core::transcript::Body;
use std::path::Path;
use std::sync::Arc;

impl Start {
    /// A new session, or an earlier one with what it left. `context`: how much the model can hold.
    pub(super) fn store(
        &self,
        redactor: &Arc<Redactor>,
        context: u64,
        passing: &Option<Passing>,
        notices: &mut Vec<String>,
    ) -> Result<(Store, Option<Resumed>), StartError> {
        let sessions = &Sessions::new(&self.home, &self.cwd);
        // A session that leaves nothing goes on from another in a copy, which is gone with it (HO-1).
        let own = Sessions::new(passing.as_ref().map_or(self.home.as_path(), Passing::home), &self.cwd);
        let fork = self.fork || passing.is_some();
        // A window's worth of text, with room for what a token estimate is off.
        let budget = usize::try_from(context).unwrap_or(usize::MAX).saturating_mul(4);
        let path = match &self.which {
            Which::New => return Ok((Store::create(&own, None, redactor.clone())?, None)),
            Which::NewWithId(id) if sessions.transcript(id).exists() => {
                return Err(StoreError::Exists { id: id.clone() }.into());
            }
            Which::NewWithId(id) => return Ok((Store::create(&own, Some(id.clone()), redactor.clone())?, None)),
            Which::Latest => store::continue_latest(sessions)?,
            Which::Find(words) => store::find(sessions, words)?,
        };
        let (store, resumed) = if fork {
            Store::fork(&path, &own, redactor.clone(), budget)?
        } else {
            Store::open(&path, redactor.clone(), budget)?
        };
        let resumed = match &self.resume_at {
            Some(at) => at.apply(&store, resumed, budget)?,
            None => resumed,
        };
        notices.extend(tell(&resumed));
        if !fork {
            self.moved(sessions, &store, &resumed, notices);
        }
        Ok((store, Some(resumed)))
    }

    /// A session that goes on in another folder is listed there from now on, too; the person is told, because rules and
    /// relative paths are that folder's (SE-3).
    fn moved(&self, sessions: &Sessions, store: &Store, resumed: &Resumed, notices: &mut Vec<String>) {
        if let Some(before) = resumed.replayed.cwd.as_deref().filter(|before| Path::new(before) != self.cwd) {
            notices.push(format!(
                "This session worked in {before} until now; it goes on in {}, under the settings of this folder. Both list it. \
                 (--fork-session leaves it where it was and goes on in a copy.)",
                self.cwd.display()
            ));
        }
        if let Err(error) = store::elsewhere::note(sessions, store.path()) {
            notices.push(format!("`cutonce sessions` will not list this session in this folder: {error}"));
        }
    }

    /// The entry that says: this process opened the session.
    pub(super) fn opened(&self, store: &Store, resumed: Option<&Resumed>, planner: &Planner) -> Body {
        let mut entry = session_entry(store, &self.cwd, planner.file.as_ref().map(|file| file.slug().to_string()));
        if let Body::Session { forked_from, .. } = &mut entry {
            *forked_from = resumed.and_then(|resumed| resumed.copied_from.clone());
        }
        entry
    }
}

fn tell(resumed: &Resumed) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(skipped) = resumed.skips.told() {
        told.push(skipped);
    }
    if resumed.left_out > 0 {
        told.push(format!("{} older entries are beyond the model's window and were left out.", resumed.left_out));
    }
    told
}

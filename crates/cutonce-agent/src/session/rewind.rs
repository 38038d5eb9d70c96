//! `/rewind` carried out (SE-5): files, conversation, or both go back to a chosen point. What is replaced is kept, too;
//! nothing leaves the transcript's file.

use super::Driver;
use crate::rewind::{self, Point, Snapshot, What};
use crate::store::{DEFAULT_BUDGET, Reader};
use crate::versions::Versions;
use cutonce_core::event::{EventKind, Level};
use cutonce_core::transcript::Body;
use std::path::Path;

impl Driver {
    /// Between turns only: a running tool must not find its files changed under it.
    pub(super) fn rewind(&mut self, to: &str, files: bool, conversation: bool) {
        let transcript = self.hall.store.path().to_path_buf();
        let (last, point) = match rewind::before(&transcript, to) {
            Ok(Some(found)) => found,
            Ok(None) => return self.hall.notice(Level::Warning, "There is no such point in this conversation."),
            Err(error) => return self.hall.notice(Level::Error, &format!("The transcript can't be read: {error}")),
        };
        let (put_back, failed) = if files { self.put_back(&point.files) } else { Default::default() };
        if let (true, Some(last)) = (conversation, last) {
            self.hall.store.rewind_to(&last);
        }
        self.hall.append(Body::Rewind { to: to.to_string(), files: put_back.clone() });
        if conversation {
            self.read_again(&point, files);
            self.hall.team_stays();
        }
        self.hall.sync();
        self.hall.notice(Level::Info, &told(&point, files.then_some(put_back.len()), conversation));
        if files && point.commands > 0 {
            self.hall.notice(Level::Warning, &not_covered(&point));
        }
        for why in failed {
            self.hall.notice(Level::Warning, &why);
        }
    }

    /// The files that were put back, and why others were not.
    fn put_back(&mut self, files: &[Snapshot]) -> (Vec<String>, Vec<String>) {
        let versions = Versions::new(self.hall.store.clone());
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for Snapshot { path, sha256 } in files {
            let put = versions.restore(sha256.as_deref()).map_err(|error| error.to_string()).and_then(|content| {
                let disk = &self.hall.here.disk;
                disk.put_back(Path::new(path), content.as_deref()).map_err(|error| error.to_string())
            });
            match put {
                Ok(()) => done.push(path.clone()),
                Err(why) => failed.push(format!("{path} was not put back: {why}")),
            }
        }
        (done, failed)
    }

    /// The conversation as it was: read anew from the entries that stay.
    fn read_again(&mut self, point: &Point, files: bool) {
        if !files {
            // Files that stay changed can still be put back later.
            for Snapshot { path, sha256 } in point.files.clone() {
                self.hall.append(Body::FileSnapshot { key: "before".into(), path, content: None, sha256 });
            }
        }
        let path = self.hall.store.path().to_path_buf();
        let resumed = match Reader::open(&path).and_then(|mut reader| reader.resume(DEFAULT_BUDGET)) {
            Ok(resumed) => resumed,
            Err(error) => return self.hall.notice(Level::Error, &format!("The transcript can't be read: {error}")),
        };
        let replayed = resumed.replayed;
        let (was, now) = (replayed.mode.unwrap_or_default(), self.hall.mode.mode());
        // The mode is the person's: it stays, and a resume must find it.
        if was != now {
            self.hall.append(Body::Mode { from: was, to: now, by: cutonce_core::submission::By::User });
        }
        self.hall.said = cutonce_core::prompts::said_in(&replayed.conversation);
        self.hall.files = super::options::in_work(&self.hall.here.workspace, &replayed.conversation);
        self.hall.here.disk.forget();
        self.talk.counted = replayed.usage.map_or(0, |usage| usage.context());
        self.talk.uncounted = if self.talk.counted == 0 {
            self.talk.prefix_size() + replayed.conversation.iter().map(|m| super::options::size_of(m)).sum::<usize>()
        } else {
            0
        };
        self.talk.conversation = replayed.conversation;
        *self.hall.here.todos.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = replayed.todos.clone();
        self.hall.hub.emit(EventKind::Todos(replayed.todos));
    }
}

/// SE-5 keeps what tools change; of a command nobody knows it.
fn not_covered(point: &Point) -> String {
    let one = point.last_commands.first().map(|command| cutonce_core::harmless::one_line(command)).unwrap_or_default();
    let one: String = one.chars().take(100).collect();
    match point.commands {
        1 => format!("What this command changed is not put back: {one}"),
        n => format!("{n} commands ran since then; what they changed is not put back. The last of them: {one}"),
    }
}

fn told(point: &Point, files: Option<usize>, conversation: bool) -> String {
    let to = match &point.what {
        What::Message(_) => "to before that message".to_string(),
        What::Approval { slug, revision } => format!("to the approval of plan {slug} (rev {revision})"),
    };
    let what = match (files, conversation) {
        (Some(n), true) => format!("Conversation and {n} {} put back", if n == 1 { "file" } else { "files" }),
        (Some(n), false) => format!("{n} {} put back", if n == 1 { "file" } else { "files" }),
        (None, _) => "Conversation put back".to_string(),
    };
    format!("{what} {to}.")
}

//! `/rewind`: restores files, conversation, or both to a chosen point (SE-5). The replaced content is kept too;
//! nothing is removed from the transcript's file.

use super::SessionState;
use crate::storage::rewind::{self, FileSnapshot, RewindPoint, RewindTarget};
use crate::storage::versions::FileVersions;
use crate::storage::{DEFAULT_BUDGET, TranscriptReader};
use cutonce_core::protocol::event::{EventKind, NoticeLevel};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::transcript::EntryBody;
use std::path::Path;

impl SessionState {
    /// Between turns only, because a running tool must not find its files changed.
    pub(super) fn rewind(&mut self, to: &str, files: bool, conversation: bool) {
        let transcript = self.transcript.store.path().to_path_buf();
        let (last, point) = match rewind::find_rewind_point(&transcript, to) {
            Ok(Some(found)) => found,
            Ok(None) => return self.notice(NoticeLevel::Warning, "There is no such point in this conversation."),
            Err(error) => return self.notice(NoticeLevel::Error, &format!("The transcript can't be read: {error}")),
        };
        // The conversation takes its evidence along; otherwise what is put back is evidence (PC-36).
        if conversation {
            self.context.env.disk.set_on_change(None);
        }
        let (put_back, failed) = if files { self.put_back(&point.files) } else { Default::default() };
        if conversation {
            self.close_reviews("the conversation was rewound");
        }
        if let (true, Some(last)) = (conversation, last) {
            self.transcript.store.rewind_to(&last);
        }
        self.append(EntryBody::Rewind { to: to.to_string(), files: put_back.clone() });
        if conversation {
            self.read_again(&point, files);
            self.read_implementation(&point, files);
            self.record_team_again();
            self.record_usage_again();
        }
        self.sync();
        self.notice(NoticeLevel::Info, &told(&point, files.then_some(put_back.len()), conversation));
        if files && point.commands > 0 {
            self.notice(NoticeLevel::Warning, &not_covered(&point));
        }
        for why in failed {
            self.notice(NoticeLevel::Warning, &why);
        }
    }

    /// Restores files; returns those that were restored, and why others were not.
    fn put_back(&mut self, files: &[FileSnapshot]) -> (Vec<String>, Vec<String>) {
        let versions = FileVersions::new(self.transcript.store.clone());
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for FileSnapshot { path, sha256 } in files {
            let put = versions.read_version(sha256.as_deref()).map_err(|error| error.to_string()).and_then(|content| {
                let disk = &self.context.env.disk;
                disk.restore(Path::new(path), content.as_deref()).map_err(|error| error.to_string())
            });
            match put {
                Ok(()) => done.push(path.clone()),
                Err(why) => failed.push(format!("{path} was not put back: {why}")),
            }
        }
        (done, failed)
    }

    /// Reads the conversation again from the entries that stay.
    fn read_again(&mut self, point: &RewindPoint, files: bool) {
        if !files {
            // Files that stay changed can still be restored later.
            for FileSnapshot { path, sha256 } in point.files.clone() {
                self.append(EntryBody::FileSnapshot { key: "before".into(), path, content: None, sha256 });
            }
        }
        let path = self.transcript.store.path().to_path_buf();
        let resumed = match TranscriptReader::open(&path).and_then(|mut reader| reader.resume(DEFAULT_BUDGET)) {
            Ok(resumed) => resumed,
            Err(error) => return self.notice(NoticeLevel::Error, &format!("The transcript can't be read: {error}")),
        };
        let replayed = resumed.replayed;
        let (was, now) = (replayed.mode.unwrap_or_default(), self.mode.mode());
        // The mode is the user's choice: it stays, and a resume must find it.
        if was != now {
            self.append(EntryBody::Mode {
                from: was,
                to: now,
                by: cutonce_core::protocol::submission::ChangedBy::User,
            });
        }
        self.memory.user_messages = cutonce_core::prompts::user_messages_in(&replayed.conversation);
        self.memory.files = super::parts::in_work(&self.context.env.workspace, &replayed.conversation);
        self.context.env.disk.forget();
        self.conversation.counted = replayed.usage.map_or(0, |usage| usage.context_tokens());
        self.conversation.uncounted = if self.conversation.counted == 0 {
            self.conversation.prefix_size()
                + replayed.conversation.iter().map(|m| super::parts::size_of(m)).sum::<usize>()
        } else {
            0
        };
        self.conversation.messages = replayed.conversation;
        *self.context.env.todos.lock_unpoisoned() = replayed.todos.clone();
        self.emit(EventKind::Todos(replayed.todos));
    }
}

/// SE-5 covers what file tools change, not what commands do.
fn not_covered(point: &RewindPoint) -> String {
    let one =
        point.last_commands.first().map(|command| cutonce_core::text::sanitize::one_line(command)).unwrap_or_default();
    let one: String = one.chars().take(100).collect();
    match point.commands {
        1 => format!("What this command changed is not put back: {one}"),
        n => format!("{n} commands ran since then; what they changed is not put back. The last of them: {one}"),
    }
}

fn told(point: &RewindPoint, files: Option<usize>, conversation: bool) -> String {
    let to = match &point.what {
        RewindTarget::Message(_) => "to before that message".to_string(),
        RewindTarget::Approval { slug, revision } => format!("to the approval of plan {slug} (rev {revision})"),
    };
    let what = match (files, conversation) {
        (Some(n), true) => format!("Conversation and {n} {} put back", if n == 1 { "file" } else { "files" }),
        (Some(n), false) => format!("{n} {} put back", if n == 1 { "file" } else { "files" }),
        (None, _) => "Conversation put back".to_string(),
    };
    format!("{what} {to}.")
}

//! `rewind_files`: restores files to their state before a message (HO-1, SE-5). The conversation stays;
//! resuming at a message rewinds that.

use super::SdkHost;
use cutonce_agent::storage::rewind::{FileSnapshot, RewindTarget, rewind_points};
use cutonce_core::protocol::submission::Submission;
use serde_json::{Value, json};

/// A submitted rewind; done when its mark arrives.
pub struct PendingRewind {
    pub mark: u64,
    pub id: Value,
    files: Vec<FileSnapshot>,
}

impl SdkHost {
    pub(super) fn rewind_files(&mut self, id: &Value, request: &Value) {
        let dry = request["dry_run"] == true;
        let message = request["user_message_id"].as_str().unwrap_or_default();
        let message = self.ids.get(message).cloned().unwrap_or_else(|| message.to_string());
        let found = rewind_points(self.session.transcript()).unwrap_or_default().into_iter();
        let mut found = found.filter(|point| matches!(point.what, RewindTarget::Message(_)));
        let Some(point) = found.find(|point| point.id == message) else {
            let why = "The conversation has no message with this id.";
            let answer = json!({"canRewind": false, "error": why});
            return self.peer.send_reply(id, if dry { Ok(answer) } else { Err(why.into()) });
        };
        let files: Vec<FileSnapshot> = point.files.into_iter().filter(FileSnapshot::has_changed).collect();
        if dry {
            return self.peer.send_reply(id, Ok(rewind_answer(&files)));
        }
        if self.busy {
            return self.peer.send_reply(id, Err("Can't rewind while a turn is running.".into()));
        }
        self.control.clear_notice();
        self.session.submit(Submission::Rewind { to: point.id, files: true, conversation: false });
        let mark = self.submit_mark();
        self.control.rewinds.push(PendingRewind { mark, id: id.clone(), files });
    }

    /// Reports what is on disk now.
    pub(super) fn finish_rewind(&mut self, done: PendingRewind) {
        let asked = done.files.len();
        let put_back: Vec<FileSnapshot> = done.files.into_iter().filter(|file| !file.has_changed()).collect();
        let failed = put_back.is_empty() && asked > 0;
        let why = || self.control.notice().unwrap_or_else(|| "No file could be restored.".into());
        let answer = if failed { Err(why()) } else { Ok(rewind_answer(&put_back)) };
        self.peer.send_reply(&done.id, answer);
    }
}

fn rewind_answer(files: &[FileSnapshot]) -> Value {
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    json!({"canRewind": true, "filesChanged": paths})
}

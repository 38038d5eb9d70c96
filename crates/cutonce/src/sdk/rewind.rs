//! `rewind_files`: the files as they were before a message (HO-1, SE-5). The conversation stays; that is what resuming at a message is for.

use super::Host;
use cutonce_agent::rewind::{Snapshot, What, points};
use cutonce_core::submission::Submission;
use serde_json::{Value, json};

/// A rewind that was submitted: known to be done when its mark comes.
pub struct Rewinding {
    pub mark: u64,
    pub id: Value,
    files: Vec<Snapshot>,
}

impl Host {
    pub(super) fn rewind_files(&mut self, id: &Value, request: &Value) {
        let dry = request["dry_run"] == true;
        let message = request["user_message_id"].as_str().unwrap_or_default();
        let message = self.ids.get(message).cloned().unwrap_or_else(|| message.to_string());
        let found = points(self.session.transcript()).unwrap_or_default().into_iter();
        let mut found = found.filter(|point| matches!(point.what, What::Message(_)));
        let Some(point) = found.find(|point| point.id == message) else {
            let why = "There is no message with this id in the conversation.";
            let answer = json!({"canRewind": false, "error": why});
            return self.peer.reply(id, if dry { Ok(answer) } else { Err(why.into()) });
        };
        let files: Vec<Snapshot> = point.files.into_iter().filter(Snapshot::differs).collect();
        if dry {
            return self.peer.reply(id, Ok(answer(&files)));
        }
        if self.busy {
            return self.peer.reply(id, Err("Nothing can be put back while a turn is on.".into()));
        }
        self.control.forget_notice();
        self.session.submit(Submission::Rewind { to: point.id, files: true, conversation: false });
        let mark = self.mark();
        self.control.rewinds.push(Rewinding { mark, id: id.clone(), files });
    }

    /// What the disk holds now decides what is said.
    pub(super) fn rewound(&mut self, done: Rewinding) {
        let asked = done.files.len();
        let put_back: Vec<Snapshot> = done.files.into_iter().filter(|file| !file.differs()).collect();
        let failed = put_back.is_empty() && asked > 0;
        let why = || self.control.notice().unwrap_or_else(|| "No file could be put back.".into());
        let answer = if failed { Err(why()) } else { Ok(answer(&put_back)) };
        self.peer.reply(&done.id, answer);
    }
}

fn answer(files: &[Snapshot]) -> Value {
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    json!({"canRewind": true, "filesChanged": paths})
}

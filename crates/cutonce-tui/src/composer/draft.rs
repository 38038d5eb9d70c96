//! The draft on disk: written with every key, there again after a crash and on resume (UI-3).
//!
//! A session that nobody has spoken to yet can't be resumed, so its draft is the folder's: the next session there gets it,
//! unless its writer still lives.

use super::attach::Attachments;
use super::text::Buffer;
use cutonce_agent::store::place::{create_private_dir, project_name};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    text: String,
    cursor: usize,
    #[serde(default)]
    attachments: Attachments,
    /// Who writes it.
    #[serde(default)]
    pid: u32,
}

impl Draft {
    pub fn new(buffer: &Buffer, attachments: &Attachments) -> Draft {
        Draft {
            text: buffer.text().to_string(),
            cursor: buffer.cursor(),
            attachments: attachments.clone(),
            pid: std::process::id(),
        }
    }
    pub fn into_parts(self) -> (Buffer, Attachments) {
        let mut buffer = Buffer::new(self.text);
        buffer.set_cursor(self.cursor);
        (buffer, self.attachments)
    }
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Where this session's draft lives.
#[derive(Debug)]
pub struct Drafts {
    folder: PathBuf,
    /// The session, once somebody spoke to it.
    session: Option<String>,
    last: Option<Draft>,
}

impl Drafts {
    pub fn new(home: &Path, cwd: &Path) -> Drafts {
        Drafts { folder: home.join("drafts").join(project_name(cwd)), session: None, last: None }
    }

    fn file(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.session.as_deref().unwrap_or("new")))
    }

    /// From now on the draft belongs to this session.
    pub fn belongs_to(&mut self, session: &str) {
        if self.session.as_deref() != Some(session) {
            self.save(&Draft::default());
            self.session = Some(session.to_string());
            self.last = None;
        }
    }

    pub fn load(&mut self) -> Option<Draft> {
        let bytes = std::fs::read(self.file()).ok()?;
        let draft: Draft = serde_json::from_slice(&bytes).ok()?;
        let others = draft.pid != std::process::id() && alive(draft.pid);
        (!others && !draft.is_empty()).then_some(draft)
    }

    /// Without a sync: it must outlive this process, not the machine. A failure costs the draft, and only that.
    pub fn save(&mut self, draft: &Draft) {
        if self.last.as_ref() == Some(draft) {
            return;
        }
        let file = self.file();
        if draft.is_empty() {
            let _ = std::fs::remove_file(file);
        } else if create_private_dir(&self.folder).is_ok()
            && let Ok(bytes) = serde_json::to_vec(draft)
            && let Ok(mut temp) = tempfile::Builder::new().prefix(".draft-").tempfile_in(&self.folder)
            && std::io::Write::write_all(&mut temp, &bytes).is_ok()
        {
            let _ = temp.persist(file);
        }
        self.last = Some(draft.clone());
    }
}

fn alive(pid: u32) -> bool {
    // Safety: signal 0 only asks.
    i32::try_from(pid).is_ok_and(|pid| pid > 0 && unsafe { libc::kill(pid, 0) } == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str) -> Draft {
        Draft::new(&Buffer::new(text), &Attachments::default())
    }

    #[test]
    fn ui_3_a_draft_is_there_again_and_belongs_to_its_session() {
        let home = tempfile::tempdir().unwrap();
        let mut drafts = Drafts::new(home.path(), Path::new("/w"));
        drafts.save(&draft("first"));
        assert_eq!(drafts.load().map(|draft| draft.text), Some("first".into()));
        assert_eq!(Drafts::new(home.path(), Path::new("/other")).load(), None);
        drafts.belongs_to("s1");
        assert_eq!(Drafts::new(home.path(), Path::new("/w")).load(), None);
        drafts.save(&draft("of s1"));
        let mut again = Drafts::new(home.path(), Path::new("/w"));
        assert_eq!(again.load(), None);
        again.belongs_to("s1");
        assert_eq!(again.load().map(|draft| draft.text), Some("of s1".into()));
        again.save(&Draft::default());
        assert_eq!(again.load(), None);
    }

    #[test]
    fn ui_3_a_draft_whose_writer_lives_is_not_taken() {
        let home = tempfile::tempdir().unwrap();
        let mut drafts = Drafts::new(home.path(), Path::new("/w"));
        drafts.save(&Draft { pid: 1, ..draft("of init") });
        // Signal 0 to another user's process fails; as root it is alive.
        let taken = drafts.load().is_some();
        assert_eq!(taken, !alive(1));
        drafts.save(&Draft { pid: 4_000_000, ..draft("of a dead one") });
        assert!(drafts.load().is_some());
    }
}

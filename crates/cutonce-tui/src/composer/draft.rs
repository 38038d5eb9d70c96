//! The draft on disk: saved on every key press and restored after a crash or on resume (UI-3).
//!
//! A session without messages can't be resumed, so its draft belongs to the folder: one file per process. The
//! next new session takes the newest file whose process is dead. A process only removes its own file.

use super::attachments::Attachments;
use crate::text_area::TextArea;
use cutonce_agent::storage::paths::{create_private_dir, project_name};
use cutonce_core::conversation::Image;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ComposerDraft {
    text: String,
    cursor: usize,
    #[serde(default)]
    attachments: Attachments,
    /// Messages queued for the agent's next request; the transcript does not contain them yet (AG-5).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    queued: Vec<String>,
    /// Process that wrote the draft.
    #[serde(default)]
    pid: u32,
}

impl ComposerDraft {
    pub fn new(buffer: &TextArea, attachments: &Attachments) -> ComposerDraft {
        ComposerDraft {
            text: buffer.text().to_string(),
            cursor: buffer.cursor(),
            attachments: attachments.clone(),
            queued: Vec::new(),
            pid: std::process::id(),
        }
    }
    /// A message that was not sent, with its images.
    pub fn unsent(text: &str, images: Vec<Image>) -> ComposerDraft {
        let mut attachments = Attachments::default();
        images.into_iter().for_each(|image| drop(attachments.add_image(image)));
        let text = attachments.mark_missing_images(text.trim().to_string());
        ComposerDraft::new(&TextArea::new(&text), &attachments)
    }
    pub fn with_queued(mut self, queued: &[String]) -> ComposerDraft {
        self.queued = queued.to_vec();
        self
    }
    /// Splits into text and attachments. Queued messages come before the draft text.
    pub fn into_parts(self) -> (TextArea, Attachments) {
        let waited: String = self.queued.iter().map(|words| format!("{words}\n")).collect();
        let mut buffer = TextArea::new(format!("{waited}{}", self.text).trim_end_matches('\n'));
        buffer.set_cursor(waited.len() + self.cursor);
        (buffer, self.attachments)
    }
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.queued.is_empty()
    }
}

/// Storage of this process's draft.
#[derive(Debug)]
pub struct DraftStore {
    folder: PathBuf,
    /// The session, once it has a message.
    session: Option<String>,
    last: Option<ComposerDraft>,
}

impl DraftStore {
    pub fn new(home: &Path, cwd: &Path) -> DraftStore {
        DraftStore { folder: home.join("drafts").join(project_name(cwd)), session: None, last: None }
    }

    fn file_path(&self) -> PathBuf {
        match &self.session {
            Some(session) => self.folder.join(format!("{session}.json")),
            None => self.folder.join(format!("{NEW_PREFIX}{}.json", std::process::id())),
        }
    }

    /// Assigns the draft to a session. It is written to the session's file before the folder's file is
    /// removed.
    pub fn assign_to(&mut self, session: &str, draft: &ComposerDraft) {
        if self.session.as_deref() != Some(session) {
            let before = self.session.is_none().then(|| self.file_path());
            (self.session, self.last) = (Some(session.to_string()), None);
            self.save(draft);
            before.into_iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
    }

    /// Detaches from the session. Returns true if the draft is stored with it.
    pub fn detach(&mut self) -> bool {
        self.last = None;
        self.session.take().is_some()
    }

    /// Loads the draft of a session. No other process has that session open (SE-4).
    pub fn load(&self, session: &str) -> Option<ComposerDraft> {
        read_draft(&self.folder.join(format!("{session}.json")))
    }

    /// Takes over the newest draft of this folder whose process is dead.
    pub fn take_abandoned(&mut self) -> Option<ComposerDraft> {
        let entries = std::fs::read_dir(&self.folder).ok()?;
        let mut found: Vec<_> = entries.flatten().filter_map(|entry| abandoned_draft(&entry.path())).collect();
        found.sort();
        let own = self.file_path();
        found.into_iter().rev().find_map(|(_, path)| {
            // If two processes start together, only one rename succeeds.
            std::fs::rename(&path, &own).ok()?;
            read_draft(&own)
        })
    }

    /// Saves the draft without fsync: it must survive the process, not a power loss. Errors are ignored.
    pub fn save(&mut self, draft: &ComposerDraft) {
        if self.last.as_ref() == Some(draft) {
            return;
        }
        let file = self.file_path();
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

/// File name prefix for drafts of new sessions; the process id follows.
const NEW_PREFIX: &str = "new-";

fn read_draft(file: &Path) -> Option<ComposerDraft> {
    let draft: ComposerDraft = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    (!draft.is_empty()).then_some(draft)
}

/// Path and modification time of a new session's draft whose process is dead.
fn abandoned_draft(path: &Path) -> Option<(std::time::SystemTime, PathBuf)> {
    let name = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let writer = match name.strip_prefix(NEW_PREFIX) {
        Some(pid) => pid.parse().ok()?,
        // Earlier versions used one file per folder.
        None if name == "new" => read_draft(path)?.pid,
        None => return None,
    };
    let dead = writer == std::process::id() || !process_is_alive(writer);
    Some((path.metadata().ok()?.modified().ok()?, path.to_path_buf())).filter(|_| dead)
}

fn process_is_alive(pid: u32) -> bool {
    // SAFETY: `kill` with signal 0 only checks whether the process exists; no memory is accessed.
    i32::try_from(pid).is_ok_and(|pid| pid > 0 && unsafe { libc::kill(pid, 0) } == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str) -> ComposerDraft {
        ComposerDraft::new(&TextArea::new(text), &Attachments::default())
    }

    fn text(draft: Option<ComposerDraft>) -> Option<String> {
        draft.map(|draft| draft.text)
    }

    #[test]
    fn ui_3_draft_is_restored_for_its_session() {
        let home = tempfile::tempdir().unwrap();
        let start = || DraftStore::new(home.path(), Path::new("/w"));
        let mut drafts = start();
        drafts.save(&draft("first"));
        assert_eq!(DraftStore::new(home.path(), Path::new("/other")).take_abandoned(), None);
        assert_eq!(text(start().take_abandoned()), Some("first".into()));
        drafts.assign_to("s1", &draft("of s1"));
        assert_eq!(start().take_abandoned(), None);
        assert_eq!(text(start().load("s1")), Some("of s1".into()));
        drafts.save(&ComposerDraft::default());
        assert_eq!(start().load("s1"), None);
    }

    /// Writes a draft as another process would leave it.
    fn of_process(folder: &Path, pid: u32, words: &str, age: u64) {
        std::fs::create_dir_all(folder).unwrap();
        let path = folder.join(format!("new-{pid}.json"));
        std::fs::write(&path, serde_json::to_vec(&ComposerDraft { pid, ..draft(words) }).unwrap()).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn ui_3_newest_draft_of_a_dead_process_is_taken() {
        let home = tempfile::tempdir().unwrap();
        let mut drafts = DraftStore::new(home.path(), Path::new("/w"));
        let (folder, living) = (drafts.folder.clone(), std::os::unix::process::parent_id());
        of_process(&folder, living, "of one that lives", 0);
        of_process(&folder, 4_000_000, "old", 900);
        of_process(&folder, 4_000_001, "newer", 9);
        assert_eq!(text(drafts.take_abandoned()), Some("newer".into()));
        // Sending our first message removes this draft and no other.
        drafts.assign_to("s1", &ComposerDraft::default());
        let left: Vec<_> = [living, 4_000_000, 4_000_001, std::process::id()]
            .map(|pid| folder.join(format!("new-{pid}.json")).exists())
            .into();
        assert_eq!(left, [true, true, false, false]);
        assert_eq!(text(DraftStore::new(home.path(), Path::new("/w")).take_abandoned()), Some("old".into()));
    }

    #[test]
    fn ui_3_queued_messages_precede_the_draft() {
        let home = tempfile::tempdir().unwrap();
        let mut drafts = DraftStore::new(home.path(), Path::new("/w"));
        let queued = ["first".to_string(), "second".to_string()];
        drafts.assign_to("s1", &draft("half").with_queued(&queued));
        let (buffer, _) = drafts.load("s1").unwrap().into_parts();
        assert_eq!((buffer.text(), buffer.cursor()), ("first\nsecond\nhalf", 17));
        drafts.save(&draft("").with_queued(&queued));
        assert_eq!(drafts.load("s1").unwrap().into_parts().0.text(), "first\nsecond");
        drafts.save(&draft(""));
        assert_eq!(drafts.load("s1"), None);
    }

    #[test]
    fn ui_3_draft_in_the_old_format_is_read() {
        let home = tempfile::tempdir().unwrap();
        let mut drafts = DraftStore::new(home.path(), Path::new("/w"));
        std::fs::create_dir_all(&drafts.folder).unwrap();
        let old = serde_json::to_vec(&ComposerDraft { pid: 4_000_000, ..draft("shared") }).unwrap();
        std::fs::write(drafts.folder.join("new.json"), old).unwrap();
        assert_eq!(text(drafts.take_abandoned()), Some("shared".into()));
    }
}

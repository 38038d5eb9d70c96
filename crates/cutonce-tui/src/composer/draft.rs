//! The draft on disk: written with every key, there again after a crash and on resume (UI-3).
//!
//! A session that nobody has spoken to yet can't be resumed, so its draft is the folder's: one file per process, and the next
//! new session there gets the newest whose writer is dead. Nobody removes a file but its own.

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
    /// Messages that wait for the agent's next request: nobody has them yet (AG-5).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    queued: Vec<String>,
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
            queued: Vec::new(),
            pid: std::process::id(),
        }
    }
    pub fn with_queued(mut self, queued: &[String]) -> Draft {
        self.queued = queued.to_vec();
        self
    }
    /// What waited when the program ended comes first: it was said before.
    pub fn into_parts(self) -> (Buffer, Attachments) {
        let waited: String = self.queued.iter().map(|words| format!("{words}\n")).collect();
        let mut buffer = Buffer::new(format!("{waited}{}", self.text).trim_end_matches('\n'));
        buffer.set_cursor(waited.len() + self.cursor);
        (buffer, self.attachments)
    }
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.queued.is_empty()
    }
}

/// Where this process's draft lives.
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
        match &self.session {
            Some(session) => self.folder.join(format!("{session}.json")),
            None => self.folder.join(format!("{NEW}{}.json", std::process::id())),
        }
    }

    /// From now on the draft belongs to this session: it is in the session's file before it leaves the folder's.
    pub fn belongs_to(&mut self, session: &str, draft: &Draft) {
        if self.session.as_deref() != Some(session) {
            let before = self.session.is_none().then(|| self.file());
            (self.session, self.last) = (Some(session.to_string()), None);
            self.save(draft);
            before.into_iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
    }

    /// No session any more, until the next one is there; true if the draft is kept with the one that was.
    pub fn leaves(&mut self) -> bool {
        self.last = None;
        self.session.take().is_some()
    }

    /// The session's own draft. (No other process has the session open: SE-4.)
    pub fn of(&self, session: &str) -> Option<Draft> {
        read(&self.folder.join(format!("{session}.json")))
    }

    /// For a new session: the newest draft of the folder whose writer is dead. It is ours from now on, and nobody else's.
    pub fn left_over(&mut self) -> Option<Draft> {
        let entries = std::fs::read_dir(&self.folder).ok()?;
        let mut found: Vec<_> = entries.flatten().filter_map(|entry| abandoned(&entry.path())).collect();
        found.sort();
        let own = self.file();
        found.into_iter().rev().find_map(|(_, path)| {
            // Of two that start together only one can move it.
            std::fs::rename(&path, &own).ok()?;
            read(&own)
        })
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

/// What the files of new sessions are called, before the writer's number.
const NEW: &str = "new-";

fn read(file: &Path) -> Option<Draft> {
    let draft: Draft = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    (!draft.is_empty()).then_some(draft)
}

/// A new session's draft that nobody writes any more, and since when.
fn abandoned(path: &Path) -> Option<(std::time::SystemTime, PathBuf)> {
    let name = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let writer = match name.strip_prefix(NEW) {
        Some(pid) => pid.parse().ok()?,
        // As all of a folder shared it once.
        None if name == "new" => read(path)?.pid,
        None => return None,
    };
    let dead = writer == std::process::id() || !alive(writer);
    Some((path.metadata().ok()?.modified().ok()?, path.to_path_buf())).filter(|_| dead)
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

    fn text(draft: Option<Draft>) -> Option<String> {
        draft.map(|draft| draft.text)
    }

    #[test]
    fn ui_3_a_draft_is_there_again_and_belongs_to_its_session() {
        let home = tempfile::tempdir().unwrap();
        let start = || Drafts::new(home.path(), Path::new("/w"));
        let mut drafts = start();
        drafts.save(&draft("first"));
        assert_eq!(Drafts::new(home.path(), Path::new("/other")).left_over(), None);
        assert_eq!(text(start().left_over()), Some("first".into()));
        drafts.belongs_to("s1", &draft("of s1"));
        assert_eq!(start().left_over(), None);
        assert_eq!(text(start().of("s1")), Some("of s1".into()));
        drafts.save(&Draft::default());
        assert_eq!(start().of("s1"), None);
    }

    /// A draft as another process left it.
    fn of_process(folder: &Path, pid: u32, words: &str, age: u64) {
        std::fs::create_dir_all(folder).unwrap();
        let path = folder.join(format!("new-{pid}.json"));
        std::fs::write(&path, serde_json::to_vec(&Draft { pid, ..draft(words) }).unwrap()).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn ui_3_each_process_has_its_own_draft_and_the_newest_of_the_dead_is_taken() {
        let home = tempfile::tempdir().unwrap();
        let mut drafts = Drafts::new(home.path(), Path::new("/w"));
        let (folder, living) = (drafts.folder.clone(), std::os::unix::process::parent_id());
        of_process(&folder, living, "of one that lives", 0);
        of_process(&folder, 4_000_000, "old", 900);
        of_process(&folder, 4_000_001, "newer", 9);
        assert_eq!(text(drafts.left_over()), Some("newer".into()));
        // It is ours now; sending our first message takes it and nothing else.
        drafts.belongs_to("s1", &Draft::default());
        let left: Vec<_> = [living, 4_000_000, 4_000_001, std::process::id()]
            .map(|pid| folder.join(format!("new-{pid}.json")).exists())
            .into();
        assert_eq!(left, [true, true, false, false]);
        assert_eq!(text(Drafts::new(home.path(), Path::new("/w")).left_over()), Some("old".into()));
    }

    #[test]
    fn ui_3_messages_that_waited_come_back_before_the_draft() {
        let home = tempfile::tempdir().unwrap();
        let mut drafts = Drafts::new(home.path(), Path::new("/w"));
        let queued = ["first".to_string(), "second".to_string()];
        drafts.belongs_to("s1", &draft("half").with_queued(&queued));
        let (buffer, _) = drafts.of("s1").unwrap().into_parts();
        assert_eq!((buffer.text(), buffer.cursor()), ("first\nsecond\nhalf", 17));
        drafts.save(&draft("").with_queued(&queued));
        assert_eq!(drafts.of("s1").unwrap().into_parts().0.text(), "first\nsecond");
        drafts.save(&draft(""));
        assert_eq!(drafts.of("s1"), None);
    }

    #[test]
    fn ui_3_a_draft_of_the_form_before_is_taken_too() {
        let home = tempfile::tempdir().unwrap();
        let mut drafts = Drafts::new(home.path(), Path::new("/w"));
        std::fs::create_dir_all(&drafts.folder).unwrap();
        let old = serde_json::to_vec(&Draft { pid: 4_000_000, ..draft("shared") }).unwrap();
        std::fs::write(drafts.folder.join("new.json"), old).unwrap();
        assert_eq!(text(drafts.left_over()), Some("shared".into()));
    }
}

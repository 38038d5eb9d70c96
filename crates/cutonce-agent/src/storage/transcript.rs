//! The transcript of a session on disk (SE-1): append-only, one entry per line, written before events are sent.

use super::checksum::add_checksum;
use super::paths::{create_private_dir, open_own, own_dir, private_options, sync_dir, valid_id};
use super::{ListedSession, ProjectSessions, ResumedTranscript, SessionLock, TranscriptReader};
use crate::storage::redact::Redactor;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::transcript::{EntryBody, TranscriptEntry};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// Maximum amount of conversation to load when resuming; more than any model's context.
pub(crate) const DEFAULT_BUDGET: usize = 16 << 20;

/// The subfolder of a session's folder with the transcripts of its subagents.
pub(crate) const AGENTS: &str = "agents";

/// Why a transcript can't be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    // The message contains the cause, so `source()` is not set: an error chain would print it twice.
    /// A file can't be used.
    #[error("can't {what}: {}: {error}", path.display())]
    Io {
        /// The failed operation.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// Another process uses this session.
    #[error("session {id} is in use by another process{}; resume it with --fork-session to work on a copy", pid_text(*pid))]
    InUse {
        /// The session.
        id: String,
        /// The process that uses it, if known.
        pid: Option<u32>,
    },
    /// No session matches.
    #[error("no session matches {query:?}; `cutonce sessions` lists them")]
    NotFound {
        /// The search text.
        query: String,
    },
    /// Several sessions match.
    #[error("{} sessions match {query:?}: {}", found.len(), format_ids(found))]
    Several {
        /// The search text.
        query: String,
        /// The matching sessions.
        found: Vec<ListedSession>,
    },
    /// The id is invalid.
    #[error("invalid session id {id:?}: use at most 100 letters, digits, `-` and `_`")]
    BadId {
        /// The invalid id.
        id: String,
    },
    /// The id of a new session is already used.
    #[error("session {id} already exists; use --resume {id} to continue it")]
    Exists {
        /// The id.
        id: String,
    },
}

impl StoreError {
    pub(super) fn from_io(what: &'static str, path: &Path, error: io::Error) -> Self {
        StoreError::Io { what, path: path.to_path_buf(), error }
    }
}

fn pid_text(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

fn format_ids(found: &[ListedSession]) -> String {
    let more = if found.len() > 5 { ", …" } else { "" };
    format!("{}{more}", found.iter().take(5).map(|one| one.id.as_str()).collect::<Vec<_>>().join(", "))
}

/// The session's id, from the name of its transcript.
pub fn transcript_session_id(transcript: &Path) -> String {
    transcript.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The id of a part of an assistant message, derived from the message's entry; the last part has the entry's id.
/// `back` is the number of parts that follow.
pub fn part_id(entry: &str, back: usize) -> String {
    let Ok(id) = uuid::Uuid::try_parse(entry) else { return entry.to_string() };
    let mut bytes = id.into_bytes();
    bytes[15] ^= back as u8;
    uuid::Uuid::from_bytes(bytes).to_string()
}

pub(super) fn is_part(entry: &str, id: &str) -> bool {
    let most = entry.len().saturating_sub(2);
    entry.len() == 36 && id.len() == entry.len() && entry.get(..most).is_some_and(|start| id.starts_with(start))
}

/// One session's transcript, open for writing. Clones write to the same file.
#[derive(Debug, Clone)]
pub(crate) struct TranscriptStore {
    id: Arc<str>,
    path: Arc<Path>,
    redactor: Arc<Redactor>,
    state: Arc<Mutex<StoreState>>,
}

#[derive(Debug, Default)]
struct StoreState {
    /// Created with the first entry, so that a failed start leaves no file behind.
    open: Option<OpenTranscript>,
    /// The id of the last entry, the parent of the next.
    last: Option<String>,
}

#[derive(Debug)]
struct OpenTranscript {
    file: File,
    /// The length of the file after the last write of ours.
    len: u64,
    /// A write failed within a line; the next write terminates that line first.
    torn: bool,
    /// The folder was synced after the file was created.
    dir_synced: bool,
    /// Why the file can't be relied on any more. Later entries would depend on lost ones, so this is final.
    lost: Option<&'static str>,
    _lock: SessionLock,
}

/// The file was deleted, moved or replaced.
const DELETED: &str = "it was deleted or replaced while the session was running; start a new session";
/// The length is not what we left.
const CHANGED: &str = "another program shortened or changed it while the session was running; start a new session";
/// After a failed sync the kernel forgets what it could not write, and later syncs succeed without it.
const UNSYNCED: &str =
    "an earlier sync failed, so entries may be missing on disk; check the disk, then start a new session";

impl OpenTranscript {
    fn new(file: File, dir_synced: bool, lock: SessionLock) -> io::Result<OpenTranscript> {
        let len = file.metadata()?.len();
        Ok(OpenTranscript { file, len, torn: false, dir_synced, lost: None, _lock: lock })
    }

    /// Fails if the file at `path` is not the one that we wrote, as we left it (SE-1).
    fn require_intact(&mut self, path: &Path) -> io::Result<()> {
        if self.lost.is_none() {
            let ours = self.file.metadata()?;
            let same = std::fs::symlink_metadata(path)
                .is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino()));
            self.lost = match same {
                false => Some(DELETED),
                true => (ours.len() != self.len).then_some(CHANGED),
            };
        }
        self.lost.map_or(Ok(()), |why| Err(io::Error::other(why)))
    }

    /// Writes a line at once. If the disk is full, the next line starts with a newline.
    fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        let newline: &[u8] = if self.torn { b"\n" } else { b"" };
        self.torn = true;
        let written = self.file.write_all(&[newline, line, b"\n"].concat());
        self.len = self.file.metadata()?.len();
        written?;
        self.torn = false;
        Ok(())
    }

    fn sync(&mut self, path: &Path) -> io::Result<()> {
        self.require_intact(path)?;
        self.file.sync_data().inspect_err(|_| self.lost = Some(UNSYNCED))?;
        if !self.dir_synced {
            sync_dir(path.parent().unwrap_or(Path::new(".")))?;
            self.dir_synced = true;
        }
        Ok(())
    }
}

impl TranscriptStore {
    /// Creates a new session. Nothing is written until its first entry.
    pub fn create(
        sessions: &ProjectSessions,
        id: Option<String>,
        redactor: Arc<Redactor>,
    ) -> Result<TranscriptStore, StoreError> {
        let id = id.unwrap_or_else(crate::new_id);
        if !valid_id(&id) {
            return Err(StoreError::BadId { id });
        }
        let path = sessions.transcript(&id);
        if path.exists() {
            return Err(StoreError::Exists { id });
        }
        Ok(TranscriptStore::new(id, path, redactor, StoreState::default()))
    }

    /// Resumes a session: locks it, terminates a torn last line, and reads at most `budget` bytes of conversation.
    pub fn open(
        transcript: &Path,
        redactor: Arc<Redactor>,
        budget: usize,
    ) -> Result<(TranscriptStore, ResumedTranscript), StoreError> {
        let failed = |error| StoreError::from_io("open the session", transcript, error);
        // Open before locking, so that a wrong path leaves no lock file.
        let mut file = open_own(File::options().read(true).append(true), transcript).map_err(failed)?;
        let lock = SessionLock::acquire(transcript)?;
        close_torn_line(&mut file).map_err(failed)?;
        let mut reader = TranscriptReader::new(file.try_clone().map_err(failed)?).map_err(failed)?;
        let resumed = reader.resume(budget).map_err(failed)?;
        let open = OpenTranscript::new(file, true, lock).map_err(failed)?;
        let state = StoreState { open: Some(open), last: resumed.last_id.clone() };
        Ok((TranscriptStore::new(transcript_session_id(transcript), transcript.into(), redactor, state), resumed))
    }

    /// Copies a session to a new id in the project of `sessions`. The original is only read and may be in use (SE-4).
    pub fn fork(
        transcript: &Path,
        sessions: &ProjectSessions,
        redactor: Arc<Redactor>,
        budget: usize,
    ) -> Result<(TranscriptStore, ResumedTranscript), StoreError> {
        let id = crate::new_id();
        let copy = sessions.transcript(&id);
        copy_chain(transcript, &copy).map_err(|error| StoreError::from_io("copy the session", transcript, error))?;
        crate::storage::versions::copy_versions(&own_dir(transcript), &own_dir(&copy))
            .map_err(|error| StoreError::from_io("copy the session's file versions", transcript, error))?;
        copy_sidechains(&own_dir(transcript), &own_dir(&copy))
            .map_err(|error| StoreError::from_io("copy the session's agents", transcript, error))?;
        let (store, resumed) = TranscriptStore::open(&copy, redactor, budget)?;
        Ok((store, ResumedTranscript { copied_from: Some(transcript_session_id(transcript)), ..resumed }))
    }

    /// Creates a subagent's transcript in the session's folder (SA-1).
    pub(crate) fn create_sidechain(&self, id: &str) -> Result<TranscriptStore, StoreError> {
        let path = self.sidechain_path(id)?;
        Ok(TranscriptStore::new(id.to_string(), path, self.redactor.clone(), StoreState::default()))
    }

    /// The path of a subagent's transcript.
    pub(crate) fn sidechain_path(&self, id: &str) -> Result<PathBuf, StoreError> {
        if !valid_id(id) {
            return Err(StoreError::BadId { id: id.to_string() });
        }
        Ok(self.own_dir().join(AGENTS).join(format!("{id}.jsonl")))
    }

    fn new(id: String, path: PathBuf, redactor: Arc<Redactor>, state: StoreState) -> TranscriptStore {
        TranscriptStore { id: id.into(), path: path.into(), redactor, state: Arc::new(Mutex::new(state)) }
    }

    pub fn id(&self) -> &str {
        &self.id
    }
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// The folder for the session's files: versions and spilled output. It may not exist yet.
    pub fn own_dir(&self) -> PathBuf {
        own_dir(&self.path)
    }
    /// The id of the last entry.
    pub(crate) fn last_id(&self) -> Option<String> {
        self.lock_state().last.clone()
    }

    /// Writes one entry to the file; `sync` also makes it survive a system crash.
    pub fn append(&self, body: EntryBody) -> Result<TranscriptEntry, StoreError> {
        let mut state = self.lock_state();
        let entry = TranscriptEntry { id: crate::new_id(), parent: state.last.clone(), at: crate::timestamp(), body };
        self.write_entry(&mut state, &entry)?;
        state.last = Some(entry.id.clone());
        Ok(entry)
    }

    /// Makes an earlier entry the parent of the next: entries in between leave the conversation, not the file (SE-5).
    pub(crate) fn rewind_to(&self, id: &str) {
        self.lock_state().last = Some(id.to_string());
    }

    /// Syncs all entries to disk, at turn ends and before tools with side effects (SE-1).
    pub fn sync(&self) -> Result<(), StoreError> {
        let mut state = self.lock_state();
        let Some(open) = state.open.as_mut() else { return Ok(()) };
        open.sync(&self.path).map_err(|error| StoreError::from_io("sync the session", &self.path, error))
    }

    fn lock_state(&self) -> MutexGuard<'_, StoreState> {
        self.state.lock_unpoisoned()
    }

    fn write_entry(&self, state: &mut StoreState, entry: &TranscriptEntry) -> Result<(), StoreError> {
        let open = match &mut state.open {
            Some(open) => open,
            none => none.insert(self.create_file()?),
        };
        let line = add_checksum(&self.redactor.redact_json(&entry.to_line()));
        open.require_intact(&self.path)
            .and_then(|()| open.write_line(&line))
            .map_err(|error| StoreError::from_io("write to the session", &self.path, error))
    }

    fn create_file(&self) -> Result<OpenTranscript, StoreError> {
        let failed = |error| StoreError::from_io("create the session", &self.path, error);
        create_private_dir(self.path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let lock = SessionLock::acquire(&self.path)?;
        match private_options().read(true).append(true).create_new(true).open(&self.path) {
            Ok(file) => OpenTranscript::new(file, false, lock).map_err(failed),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(StoreError::Exists { id: self.id.to_string() })
            }
            Err(error) => Err(failed(error)),
        }
    }
}

/// Terminates a last line that a crash left without newline. Its bytes stay, and the next entry gets its own line
/// (SE-2).
fn close_torn_line(file: &mut File) -> io::Result<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
}

/// Copies the subagents' transcripts, so that the copy can resume them independently (SA-1). A running one is copied
/// as far as it is written.
fn copy_sidechains(from: &Path, to: &Path) -> io::Result<()> {
    let agents = match std::fs::read_dir(from.join(AGENTS)) {
        Ok(agents) => agents,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for agent in agents {
        let path = agent?.path();
        if let (Some(name), true) = (path.file_name(), path.extension().is_some_and(|end| end == "jsonl")) {
            copy_chain(&path, &to.join(AGENTS).join(name))?;
        }
    }
    Ok(())
}

/// Copies the entries on the chain of the last one, line by line; the new file is created atomically.
fn copy_chain(from: &Path, to: &Path) -> io::Result<()> {
    let mut reader = TranscriptReader::open(from)?;
    let dir = to.parent().unwrap_or(Path::new("."));
    create_private_dir(dir)?;
    let mut copy = tempfile::Builder::new().prefix(".fork-").tempfile_in(dir)?;
    let mut out = io::BufWriter::new(copy.as_file_mut());
    for at in 0..reader.len() {
        out.write_all(&reader.raw_line(at)?)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    drop(out);
    copy.as_file().sync_all()?;
    copy.persist_noclobber(to).map_err(|error| error.error)?;
    sync_dir(dir)
}

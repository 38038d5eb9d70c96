//! The transcript of a session on disk (SE-1): append-only, one line an entry, written before anybody is told.

pub(crate) mod elsewhere;
mod index;
mod list;
mod lock;
mod passing;
pub mod place;
mod read;

pub use list::{Listed, Scope, continue_latest, find, list};
pub use lock::Lock;
pub(crate) use passing::Passing;
pub use place::{Sessions, home};
pub use read::{Reader, Resumed};

use crate::redact::Redactor;
use cutonce_core::transcript::{Body, Entry};
use place::{create_private_dir, open_own, own_dir, private, sync_dir, valid_id};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Conversation that is loaded at most when a session is resumed: more than any model's context holds.
pub const DEFAULT_BUDGET: usize = 16 << 20;

/// Where in a session's own folder the transcripts of its agents are.
pub(crate) const AGENTS: &str = "agents";

/// Why a transcript can't be had.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    // The cause is told here, so it is no `source`: a chain of errors would tell it twice.
    /// A file can't be used.
    #[error("can't {what}: {}: {error}", path.display())]
    Io {
        /// What was to be done.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why it was not.
        error: io::Error,
    },
    /// Another process works on this session.
    #[error("session {id} is in use by another process{}; resume it with --fork-session to work on a copy", pid_text(*pid))]
    InUse {
        /// The session.
        id: String,
        /// The process that has it, where known.
        pid: Option<u32>,
    },
    /// There is no such session.
    #[error("no session fits {query:?}; `cutonce sessions` lists them")]
    NotFound {
        /// What was looked for.
        query: String,
    },
    /// More than one session may be meant.
    #[error("{} sessions fit {query:?}: {}", found.len(), ids(found))]
    Several {
        /// What was looked for.
        query: String,
        /// What it may mean.
        found: Vec<Listed>,
    },
    /// It is no id of a session.
    #[error("{id:?} can't be a session id: letters, digits, `-` and `_` only, at most 100")]
    BadId {
        /// What was given.
        id: String,
    },
    /// A new session can't have the id of an old one.
    #[error("session {id} exists already; use --resume {id} to go on with it")]
    Exists {
        /// The id.
        id: String,
    },
}

impl StoreError {
    fn io(what: &'static str, path: &Path, error: io::Error) -> Self {
        StoreError::Io { what, path: path.to_path_buf(), error }
    }
}

fn pid_text(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

fn ids(found: &[Listed]) -> String {
    let more = if found.len() > 5 { ", …" } else { "" };
    format!("{}{more}", found.iter().take(5).map(|one| one.id.as_str()).collect::<Vec<_>>().join(", "))
}

/// The session's id, from the name of its transcript.
pub fn id_of(transcript: &Path) -> String {
    transcript.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Parts of an answer that are told one by one have ids of their own, which lead back to its entry; the last part has the
/// entry's. `back`: how many follow it.
pub fn part_id(entry: &str, back: usize) -> String {
    let Ok(id) = uuid::Uuid::try_parse(entry) else { return entry.to_string() };
    let mut bytes = id.into_bytes();
    bytes[15] ^= back as u8;
    uuid::Uuid::from_bytes(bytes).to_string()
}

fn is_part(entry: &str, id: &str) -> bool {
    let most = entry.len().saturating_sub(2);
    entry.len() == 36 && id.len() == entry.len() && entry.get(..most).is_some_and(|start| id.starts_with(start))
}

/// One session's transcript, open for writing. Clones write to the same file.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    id: Arc<str>,
    path: Arc<Path>,
    redactor: Arc<Redactor>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Made at the first entry: a start that fails leaves no file behind.
    open: Option<Open>,
    /// The entry that the next one follows.
    last: Option<String>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// A write ended in the middle of a line; the next one closes it first.
    torn: bool,
    /// The folder knows the file for good.
    dir_synced: bool,
    _lock: Lock,
}

impl Store {
    /// A new session. Nothing is on disk until its first entry.
    pub fn create(sessions: &Sessions, id: Option<String>, redactor: Arc<Redactor>) -> Result<Store, StoreError> {
        let id = id.unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
        if !valid_id(&id) {
            return Err(StoreError::BadId { id });
        }
        let path = sessions.transcript(&id);
        if path.exists() {
            return Err(StoreError::Exists { id });
        }
        Ok(Store::new(id, path, redactor, State::default()))
    }

    /// Go on with a session: take its lock, close a torn last line, and read what the model needs (at most `budget` bytes).
    pub fn open(transcript: &Path, redactor: Arc<Redactor>, budget: usize) -> Result<(Store, Resumed), StoreError> {
        let failed = |error| StoreError::io("open the session", transcript, error);
        // Before the lock, so that a wrong path leaves no lock file behind.
        let mut file = open_own(File::options().read(true).append(true), transcript).map_err(failed)?;
        let lock = Lock::take(transcript)?;
        close_torn_line(&mut file).map_err(failed)?;
        let mut reader = Reader::new(file.try_clone().map_err(failed)?).map_err(failed)?;
        let resumed = reader.resume(budget).map_err(failed)?;
        let open = Open { file, torn: false, dir_synced: true, _lock: lock };
        let state = State { open: Some(open), last: resumed.last_id.clone() };
        Ok((Store::new(id_of(transcript), transcript.into(), redactor, state), resumed))
    }

    /// A copy of a session under a new id, in the project of `sessions`. The original is only read, and may be in use (SE-4).
    pub fn fork(
        transcript: &Path,
        sessions: &Sessions,
        redactor: Arc<Redactor>,
        budget: usize,
    ) -> Result<(Store, Resumed), StoreError> {
        let id = uuid::Uuid::now_v7().to_string();
        let copy = sessions.transcript(&id);
        copy_chain(transcript, &copy).map_err(|error| StoreError::io("copy the session", transcript, error))?;
        crate::versions::copy_all(&own_dir(transcript), &own_dir(&copy))
            .map_err(|error| StoreError::io("copy the session's file versions", transcript, error))?;
        copy_sidechains(&own_dir(transcript), &own_dir(&copy))
            .map_err(|error| StoreError::io("copy the session's agents", transcript, error))?;
        let (store, resumed) = Store::open(&copy, redactor, budget)?;
        Ok((store, Resumed { copied_from: Some(id_of(transcript)), ..resumed }))
    }

    /// A subagent's transcript, below the folder of the session it belongs to (SA-1).
    pub(crate) fn sidechain(&self, id: &str) -> Result<Store, StoreError> {
        let path = self.sidechain_path(id)?;
        Ok(Store::new(id.to_string(), path, self.redactor.clone(), State::default()))
    }

    /// Where a subagent's transcript is.
    pub(crate) fn sidechain_path(&self, id: &str) -> Result<PathBuf, StoreError> {
        if !valid_id(id) {
            return Err(StoreError::BadId { id: id.to_string() });
        }
        Ok(self.own_dir().join(AGENTS).join(format!("{id}.jsonl")))
    }

    fn new(id: String, path: PathBuf, redactor: Arc<Redactor>, state: State) -> Store {
        Store { id: id.into(), path: path.into(), redactor, state: Arc::new(Mutex::new(state)) }
    }

    pub fn id(&self) -> &str {
        &self.id
    }
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// The folder of this session's own files: versions, spilled output. It may not exist yet.
    pub fn own_dir(&self) -> PathBuf {
        own_dir(&self.path)
    }
    /// The entry that the next one will follow.
    pub(crate) fn last_id(&self) -> Option<String> {
        self.state().last.clone()
    }

    /// Write one entry. When this returns it is in the file; `sync` makes it survive the machine, too.
    pub fn append(&self, body: Body) -> Result<Entry, StoreError> {
        let mut state = self.state();
        let entry = Entry {
            id: uuid::Uuid::now_v7().to_string(),
            parent: state.last.clone(),
            at: format!("{:.3}", jiff::Timestamp::now()),
            body,
        };
        self.write(&mut state, &entry)?;
        state.last = Some(entry.id.clone());
        Ok(entry)
    }

    /// Let the next entry follow an earlier one: what lies between leaves the conversation, not the file (SE-5).
    pub(crate) fn rewind_to(&self, id: &str) {
        self.state().last = Some(id.to_string());
    }

    /// Make all entries so far survive a crash of the machine: at turn ends and before tools with effects (SE-1).
    pub fn sync(&self) -> Result<(), StoreError> {
        let mut state = self.state();
        let Some(open) = state.open.as_mut() else { return Ok(()) };
        let failed = |error| StoreError::io("sync the session", &self.path, error);
        open.file.sync_data().map_err(failed)?;
        if !open.dir_synced {
            sync_dir(self.path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
            open.dir_synced = true;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, state: &mut State, entry: &Entry) -> Result<(), StoreError> {
        let open = match &mut state.open {
            Some(open) => open,
            none => none.insert(self.create_file()?),
        };
        let line = entry.to_line();
        let mut bytes = Vec::with_capacity(line.len() + 2);
        bytes.extend(open.torn.then_some(b'\n'));
        bytes.extend_from_slice(self.redactor.redact_json(&line).as_bytes());
        bytes.push(b'\n');
        // One write of a whole line; if the disk is full in the middle, the next line starts on its own.
        open.torn = true;
        open.file.write_all(&bytes).map_err(|error| StoreError::io("write to the session", &self.path, error))?;
        open.torn = false;
        Ok(())
    }

    fn create_file(&self) -> Result<Open, StoreError> {
        let failed = |error| StoreError::io("create the session", &self.path, error);
        create_private_dir(self.path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let lock = Lock::take(&self.path)?;
        match private().read(true).append(true).create_new(true).open(&self.path) {
            Ok(file) => Ok(Open { file, torn: false, dir_synced: false, _lock: lock }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(StoreError::Exists { id: self.id.to_string() })
            }
            Err(error) => Err(failed(error)),
        }
    }
}

/// A last line without its newline was torn by a crash. Its bytes stay, so that nothing is lost; the next entry gets a
/// line of its own (SE-2).
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

/// The agents of a session can be resumed from its copy, too, each in a transcript that is the copy's own (SA-1). One that runs
/// is copied as far as it is.
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

/// Copy the entries that the last one leads back to, line by line; the new file appears whole.
fn copy_chain(from: &Path, to: &Path) -> io::Result<()> {
    let mut reader = Reader::open(from)?;
    let dir = to.parent().unwrap_or(Path::new("."));
    create_private_dir(dir)?;
    let mut copy = tempfile::Builder::new().prefix(".fork-").tempfile_in(dir)?;
    let mut out = io::BufWriter::new(copy.as_file_mut());
    for at in 0..reader.len() {
        out.write_all(&reader.raw(at)?)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    drop(out);
    copy.as_file().sync_all()?;
    copy.persist_noclobber(to).map_err(|error| error.error)?;
    sync_dir(dir)
}

#[cfg(test)]
mod tests;

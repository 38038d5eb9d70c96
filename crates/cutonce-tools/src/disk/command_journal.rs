//! Records of running commands in our own home. If the program is killed, its next start finds them (SB-4).
//!
//! Each process has a folder, which it keeps locked, with a file for each running command. The command's supervisor
//! keeps that file locked until all that the command started has ended, and then appends a line end. So the file tells
//! that the command ended, and when. It is not synced: a kill loses nothing that was written.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

const FOLDER: &str = "watches";
const PREFIX: &str = "process-";
/// Guards the time between the creation of a folder and its lock, and the recovery.
const GUARD: &str = "guard";
/// How long to wait for a killed command to end.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// The times of files may be this coarse, in seconds.
const COARSE_TIME: i64 = 2;

/// The records of this process. Dropping it removes its folder.
#[derive(Debug)]
pub(crate) struct CommandJournal {
    folder: PathBuf,
    /// Locked for as long as this process lives.
    _lock: File,
}

/// The record of one command. Once the command runs, the record stays until `remove`.
#[derive(Debug)]
pub(crate) struct JournalEntry {
    path: PathBuf,
    file: File,
    is_kept: bool,
}

/// What the file of a command contains, besides the line end.
#[derive(Debug, Serialize, Deserialize)]
struct CommandRecord<T> {
    /// Seconds and nanoseconds since 1970, before the command started.
    since: (i64, i64),
    content: T,
}

impl CommandJournal {
    pub(crate) fn open(cutonce_home: &Path) -> io::Result<CommandJournal> {
        let journals = cutonce_home.join(FOLDER);
        DirBuilder::new().recursive(true).mode(0o700).create(&journals)?;
        let guard = lock_guard(&journals)?;
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&journals)?;
        let lock = File::open(folder.path())?;
        lock.try_lock()?;
        drop(guard);
        Ok(CommandJournal { folder: folder.keep(), _lock: lock })
    }

    /// Records what there is before a command starts.
    pub(crate) fn record(&self, content: &impl Serialize) -> io::Result<JournalEntry> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let path = self.folder.join(COUNT.fetch_add(1, Ordering::Relaxed).to_string());
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        let entry = JournalEntry { path, file, is_kept: false };
        entry.file.try_lock()?;
        let meta = entry.file.metadata()?;
        let record = CommandRecord { since: (meta.mtime(), meta.mtime_nsec()), content };
        (&entry.file).write_all(&serde_json::to_vec(&record)?)?;
        Ok(entry)
    }
}

impl Drop for CommandJournal {
    fn drop(&mut self) {
        // Fails while a command runs: its record stays for the next start.
        let _ = std::fs::remove_dir(&self.folder);
    }
}

impl JournalEntry {
    /// The file for the command's supervisor.
    pub(crate) fn held_file(&self) -> io::Result<OwnedFd> {
        self.file.try_clone().map(OwnedFd::from)
    }

    pub(crate) fn mark_started(&mut self) {
        self.is_kept = true;
    }

    /// Nothing is left to do after the command.
    pub(crate) fn remove(mut self) {
        self.is_kept = false;
    }
}

impl Drop for JournalEntry {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn lock_guard(journals: &Path) -> io::Result<File> {
    let path = journals.join(GUARD);
    let guard = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    guard.lock()?;
    Ok(guard)
}

/// When a command of a killed program ran.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandTime {
    since: (i64, i64),
    /// `None` if its supervisor was killed too.
    ended: Option<SystemTime>,
}

impl CommandTime {
    /// False if the user or another program made this file: after the command's end, or long before its start.
    pub(crate) fn may_have_made(&self, path: &Path) -> bool {
        let Ok(meta) = path.symlink_metadata() else { return true };
        let is_later = self.ended.zip(meta.created().ok()).is_some_and(|(ended, created)| created > ended);
        !is_later && (meta.ctime(), meta.ctime_nsec()) >= (self.since.0 - COARSE_TIME, self.since.1)
    }
}

/// Passes the records of killed programs on, each after its command has ended; returns how many commands still run. A
/// record stays if `recover` returns false.
pub(crate) fn recover_commands<T: DeserializeOwned>(
    cutonce_home: &Path,
    mut recover: impl FnMut(T, CommandTime) -> bool,
) -> usize {
    let journals = cutonce_home.join(FOLDER);
    let Ok(entries) = std::fs::read_dir(&journals) else { return 0 };
    let is_ours = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    let folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_ours).collect();
    // The usual case: no other process and nothing left.
    if folders.is_empty() {
        return 0;
    }
    let _guard = lock_guard(&journals);
    let mut running = 0;
    for folder in folders {
        if !File::open(&folder).is_ok_and(|folder| folder.try_lock().is_ok()) {
            continue;
        }
        for record in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match wait_for_end(&record.path()) {
                Ok((text, ended)) => {
                    // A record that can't be read was never complete, so its command did not start.
                    let is_done = serde_json::from_slice::<CommandRecord<T>>(&text)
                        .map_or(true, |read| recover(read.content, CommandTime { since: read.since, ended }));
                    if is_done {
                        let _ = std::fs::remove_file(record.path());
                    }
                }
                Err(_) => running += 1,
            }
        }
        let _ = std::fs::remove_dir(&folder);
    }
    running
}

/// Waits until the command has ended; returns its record and when it ended.
fn wait_for_end(record: &Path) -> io::Result<(Vec<u8>, Option<SystemTime>)> {
    let file = File::open(record)?;
    let patience = Instant::now() + MAX_WAIT;
    while file.try_lock().is_err() {
        if Instant::now() > patience {
            return Err(io::ErrorKind::TimedOut.into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let text = std::fs::read(record)?;
    let ended = text.ends_with(b"\n").then(|| file.metadata().ok()?.modified().ok()).flatten();
    Ok((text, ended))
}

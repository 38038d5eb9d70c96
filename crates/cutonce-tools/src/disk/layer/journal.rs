//! Applies many changes as one (RH-3). Everything new is complete in a staging folder first. Then the journal says
//! `Commit`, and only renames follow. After a kill the next start continues: before `Commit` nothing was changed,
//! after it the renames are completed, or undone if one of them can't be.
//!
//! The journal is in our own folder: a journal in the workspace could come from a repository.

use crate::disk::FileStamp;
use crate::disk::open::{self, MissingFolders, OpenFailure, OpenFolder};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// How the names of staging folders begin.
pub(super) const STAGING: &str = ".cutonce-apply-";

#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("these files changed in the workspace meanwhile: {}", list_paths(paths))]
    Changed { paths: Vec<PathBuf> },
    #[error("can't {doing} {}: {source}", path.display())]
    Failed { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("the old content of {} could not be saved for rewind ({source})", path.display())]
    NotStored { path: PathBuf, source: io::Error },
    #[error(
        "Applying stopped at {} ({source}) and could not be undone yet. The next start of cutonce in this folder tries again; make the path writable until then.",
        path.display()
    )]
    Unfinished { path: PathBuf, source: io::Error },
    #[error(
        "{} with the new files is gone. Some changes may be in place, others not: compare the files, for example with `git diff`.",
        staging.display()
    )]
    Lost { staging: PathBuf },
}

impl ApplyError {
    /// The error as a sentence that says what became of the changes.
    pub fn message(&self) -> String {
        match self {
            ApplyError::Unfinished { .. } | ApplyError::Lost { .. } => self.to_string(),
            ApplyError::Changed { .. } | ApplyError::Failed { .. } | ApplyError::NotStored { .. } => {
                format!("Nothing was applied: {self}.")
            }
        }
    }
}

fn list_paths(paths: &[PathBuf]) -> String {
    const MOST: usize = 10;
    let shown: Vec<String> = paths.iter().take(MOST).map(|path| path.display().to_string()).collect();
    match paths.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// What the recovery after a kill did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveredApply {
    /// The changes are all applied now.
    Completed,
    /// None of them is.
    Undone,
}

/// A path in a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct JournalPath(#[serde(with = "path_form")] pub PathBuf);

/// The stored form of a path, in hexadecimal digits: names need not be UTF-8.
pub mod path_form {
    use super::{Deserialize, OsStrExt, OsString, OsStringExt, Path, PathBuf, Serialize};

    pub fn serialize<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        super::super::to_hex(path.as_os_str().as_bytes()).serialize(to)
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(from)?;
        let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
        let bytes = bytes.ok_or_else(|| serde::de::Error::custom("not a path in hexadecimal form"))?;
        Ok(PathBuf::from(OsString::from_vec(bytes)))
    }
}

/// One step; the number names its files in the staging folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum ApplyStep {
    /// Moves a file or link to the staging folder.
    Remove {
        path: JournalPath,
        n: usize,
        was: FileIdentity,
    },
    /// `strict`: the folder must be empty, because something else takes its place.
    RemoveFolder {
        path: JournalPath,
        mode: u32,
        strict: bool,
    },
    MakeFolder {
        path: JournalPath,
    },
    /// Moves a file or link from the staging folder to its place. `was`: what it replaces.
    Place {
        path: JournalPath,
        n: usize,
        was: Option<FileIdentity>,
    },
    SetMode {
        path: JournalPath,
        old: Option<u32>,
        new: u32,
    },
}

impl ApplyStep {
    fn path(&self) -> &Path {
        let (ApplyStep::Remove { path, .. }
        | ApplyStep::RemoveFolder { path, .. }
        | ApplyStep::MakeFolder { path }
        | ApplyStep::Place { path, .. }
        | ApplyStep::SetMode { path, .. }) = self;
        &path.0
    }

    /// Carries out one step; a step that was carried out before changes nothing.
    fn carry_out(&self, staging: &OwnedFd, parents: &mut StepParents<'_>) -> io::Result<()> {
        let (folder, name) = parents.open(self.path())?;
        match self {
            ApplyStep::Remove { n, was, .. } => {
                let old = format!("old-{n}");
                if identity(staging, OsStr::new(&old))?.is_some() {
                    return Ok(());
                }
                require_same(&folder.fd, name, was)?;
                rustix::fs::renameat(&folder.fd, name, staging, &old)?;
            }
            ApplyStep::RemoveFolder { strict, .. } => {
                match rustix::fs::unlinkat(&folder.fd, name, AtFlags::REMOVEDIR) {
                    Ok(()) | Err(Errno::NOENT) => {}
                    Err(Errno::NOTDIR) => {}
                    Err(Errno::NOTEMPTY | Errno::EXIST) if !strict => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
            ApplyStep::MakeFolder { .. } => match rustix::fs::mkdirat(&folder.fd, name, Mode::from_raw_mode(0o700)) {
                Err(Errno::EXIST) if is_folder(&folder.fd, name) => {}
                made => made?,
            },
            ApplyStep::Place { n, was, .. } => place(&folder.fd, name, staging, *n, was.as_ref())?,
            ApplyStep::SetMode { new, .. } => set_folder_mode(&folder.fd, name, *new)?,
        }
        Ok(())
    }

    fn undo(&self, staging: &OwnedFd, parents: &mut StepParents<'_>) -> io::Result<()> {
        let (folder, name) = match parents.open(self.path()) {
            Ok(found) => found,
            // Its folder was never made.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        match self {
            ApplyStep::Remove { n, .. } => {
                let old = format!("old-{n}");
                if identity(staging, OsStr::new(&old))?.is_some() {
                    rename_new(staging, OsStr::new(&old), &folder.fd, name)?;
                }
            }
            ApplyStep::RemoveFolder { mode, .. } => {
                match rustix::fs::mkdirat(&folder.fd, name, Mode::from_raw_mode(0o700)) {
                    Ok(()) => set_folder_mode(&folder.fd, name, *mode)?,
                    Err(Errno::EXIST) => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
            ApplyStep::MakeFolder { .. } => match rustix::fs::unlinkat(&folder.fd, name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                Err(errno) => return Err(errno.into()),
            },
            ApplyStep::Place { n, was, .. } => take_back(&folder.fd, name, staging, *n, was.is_some())?,
            ApplyStep::SetMode { old: Some(old), .. } => set_folder_mode(&folder.fd, name, *old)?,
            ApplyStep::SetMode { old: None, .. } => {}
        }
        Ok(())
    }
}

/// Tells whether a file is the one that was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileIdentity {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl FileIdentity {
    pub fn new(about: &Metadata) -> Self {
        Self { inode: about.ino(), size: about.size(), modified: (about.mtime(), about.mtime_nsec()) }
    }

    fn from_stamp(stamp: &FileStamp) -> Self {
        Self { inode: stamp.inode, size: stamp.size, modified: stamp.modified }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum JournalState {
    /// The staging folder is being filled.
    Staging,
    /// The steps are carried out.
    Commit,
    Undo,
    /// All is applied; only the staging folder is left to be removed.
    Applied,
    /// Nothing is applied; only the staging folder is left to be removed.
    Undone,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ApplyJournal {
    pub state: JournalState,
    pub root: JournalPath,
    pub staging: JournalPath,
    pub steps: Vec<ApplyStep>,
}

/// The journal's file, one for each workspace.
pub(super) struct JournalFile {
    path: PathBuf,
    root: PathBuf,
    durable: bool,
    /// Serializes all who apply or recover.
    _lock: File,
}

impl JournalFile {
    /// Waits for others that apply or recover.
    pub fn open(journals: &Path, root: &Path, durable: bool) -> io::Result<JournalFile> {
        let lock = File::open(journals)?;
        lock.lock()?;
        Ok(JournalFile { path: Self::path_for(journals, root), root: root.into(), durable, _lock: lock })
    }

    pub fn path_for(journals: &Path, root: &Path) -> PathBuf {
        use sha2::{Digest, Sha256};
        let key = super::to_hex(&Sha256::digest(root.as_os_str().as_bytes()));
        journals.join(format!("{}.json", &key[..32]))
    }

    /// The last state that was written in full; `None` if there is none. Each state is a line.
    pub fn read(&self) -> io::Result<Option<ApplyJournal>> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (lines, rest) = text.split_at(end);
        let last_line = lines.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let journal: ApplyJournal = match serde_json::from_slice(rest) {
            // Earlier versions wrote one state without a line end.
            Ok(journal) => {
                File::options().append(true).open(&self.path)?.write_all(b"\n")?;
                journal
            }
            Err(_) => {
                if !rest.is_empty() {
                    // Its writer was killed.
                    File::options().write(true).open(&self.path)?.set_len(end as u64)?;
                }
                if last_line.is_empty() {
                    return Ok(None);
                }
                serde_json::from_slice(last_line)?
            }
        };
        match journal.belongs_to(&self.root) {
            true => Ok(Some(journal)),
            false => Err(io::Error::other("it does not belong to this workspace; remove the file")),
        }
    }

    /// Appends a state. Nothing is replaced: a file system may write a replaced file to the disk at once.
    pub fn write(&self, journal: &ApplyJournal) -> io::Result<()> {
        let mut file = File::options().append(true).create(true).open(&self.path)?;
        let mut line = serde_json::to_vec(journal)?;
        line.push(b'\n');
        file.write_all(&line)?;
        // Before `Commit` nothing in the workspace has changed, so nothing would be lost.
        if self.durable && journal.state != JournalState::Staging {
            file.sync_all()?;
        }
        Ok(())
    }

    /// The workspace that a journal's first state names.
    pub fn root_in(path: &Path) -> Option<PathBuf> {
        let text = fs::read(path).ok()?;
        let first = text.split(|byte| *byte == b'\n').next()?;
        Some(serde_json::from_slice::<ApplyJournal>(first).ok()?.root.0)
    }

    /// True if a program that applies, or was killed, left a journal or a part of one.
    pub fn is_there(journals: &Path, root: &Path) -> bool {
        Self::path_for(journals, root).exists()
    }

    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Why a step failed.
#[derive(Debug)]
struct StepFailure {
    path: PathBuf,
    source: io::Error,
}

/// Opens the folders of steps. Steps of one folder follow each other, so the last one stays open.
struct StepParents<'a> {
    root: &'a Path,
    last: Option<(PathBuf, OpenFolder)>,
}

impl<'a> StepParents<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, last: None }
    }

    /// Opens the folder of a path without following links, and returns the last name.
    fn open<'p>(&mut self, path: &'p Path) -> io::Result<(&OpenFolder, &'p OsStr)> {
        let (Some(around), Some(name)) = (path.parent(), path.file_name()) else { return Err(Errno::INVAL.into()) };
        let folder = match self.last.take() {
            Some((known, folder)) if known == around => folder,
            _ => match open::open_parent(&self.root.join(path), MissingFolders::Fail) {
                Ok(folder) => folder,
                Err(OpenFailure::NotAFolder) => return Err(Errno::EXIST.into()),
                Err(OpenFailure::Errno(errno)) => return Err(errno.into()),
            },
        };
        let (_, folder) = self.last.insert((around.to_path_buf(), folder));
        Ok((folder, name))
    }
}

impl ApplyJournal {
    /// Whether it only names what is inside this workspace.
    fn belongs_to(&self, root: &Path) -> bool {
        let is_name = |part: Component| matches!(part, Component::Normal(_));
        let staging = self.staging.0.strip_prefix(root).ok().and_then(Path::to_str);
        self.root.0 == root
            && staging.is_some_and(|name| name.starts_with(STAGING) && !name.contains('/'))
            && self.steps.iter().all(|step| step.path().components().all(is_name))
    }

    /// Carries out the steps, or undoes those that were carried out.
    pub fn run(mut self, file: &JournalFile) -> Result<RecoveredApply, ApplyError> {
        let at_journal = |source| ApplyError::Failed { doing: "write the journal", path: file.path.clone(), source };
        // Someone removed it after a kill, for example with `git clean`: no later start can do more.
        if matches!(self.state, JournalState::Commit | JournalState::Undo) && !self.staging.0.exists() {
            file.remove().map_err(at_journal)?;
            return Err(ApplyError::Lost { staging: self.staging.0 });
        }
        if self.state == JournalState::Commit
            && let Err(failed) = self.commit()
        {
            self.state = JournalState::Undo;
            file.write(&self).map_err(at_journal)?;
            self.undo_all(file)?;
            return Err(match failed.source.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound => {
                    ApplyError::Changed { paths: vec![failed.path] }
                }
                _ => ApplyError::Failed { doing: "change", path: failed.path, source: failed.source },
            });
        }
        match self.state {
            JournalState::Commit | JournalState::Applied => {
                self.clean_up(JournalState::Applied, file)?;
                Ok(RecoveredApply::Completed)
            }
            JournalState::Undo => {
                self.undo_all(file)?;
                Ok(RecoveredApply::Undone)
            }
            JournalState::Staging | JournalState::Undone => {
                self.clean_up(JournalState::Undone, file)?;
                Ok(RecoveredApply::Undone)
            }
        }
    }

    fn undo_all(&mut self, file: &JournalFile) -> Result<(), ApplyError> {
        self.undo().map_err(|failed| ApplyError::Unfinished { path: failed.path, source: failed.source })?;
        self.clean_up(JournalState::Undone, file)
    }

    /// Removes the staging folder, then the journal. The steps are forgotten first: the user may change files from
    /// now on.
    fn clean_up(&mut self, end: JournalState, file: &JournalFile) -> Result<(), ApplyError> {
        let failed = |source| ApplyError::Failed { doing: "remove", path: self.staging.0.clone(), source };
        if self.state != end && self.state != JournalState::Staging {
            let ended = ApplyJournal { state: end, steps: Vec::new(), ..self.clone() };
            file.write(&ended).map_err(failed)?;
        }
        match fs::remove_dir_all(&self.staging.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        file.remove().map_err(failed)
    }

    fn commit(&self) -> Result<(), StepFailure> {
        let (staging, mut parents) = (self.open_staging()?, StepParents::new(&self.root.0));
        for step in &self.steps {
            step.carry_out(&staging, &mut parents)
                .map_err(|source| StepFailure { path: step.path().into(), source })?;
        }
        Ok(())
    }

    fn undo(&self) -> Result<(), StepFailure> {
        let (staging, mut parents) = (self.open_staging()?, StepParents::new(&self.root.0));
        for step in self.steps.iter().rev() {
            step.undo(&staging, &mut parents).map_err(|source| StepFailure { path: step.path().into(), source })?;
        }
        Ok(())
    }

    fn open_staging(&self) -> Result<OwnedFd, StepFailure> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(&self.staging.0, flags, Mode::empty())
            .map_err(|errno| StepFailure { path: self.staging.0.clone(), source: errno.into() })
    }
}

/// Puts a staged file in its place. The replaced one keeps a second name in the staging folder first, so that its
/// place is never empty.
fn place(folder: &OwnedFd, name: &OsStr, staging: &OwnedFd, n: usize, was: Option<&FileIdentity>) -> io::Result<()> {
    let (new, old) = (format!("new-{n}"), format!("old-{n}"));
    if identity(staging, OsStr::new(&new))?.is_none() {
        return Ok(());
    }
    let Some(was) = was else {
        return rename_new(staging, OsStr::new(&new), folder, name);
    };
    if identity(staging, OsStr::new(&old))?.is_none() {
        require_same(folder, name, was)?;
        if rustix::fs::linkat(folder, name, staging, &old, AtFlags::empty()).is_err() {
            // No second names here: the place is empty for a moment.
            rustix::fs::renameat(folder, name, staging, &old)?;
        }
    }
    Ok(rustix::fs::renameat(staging, &new, folder, name)?)
}

/// Undoes `place`.
fn take_back(folder: &OwnedFd, name: &OsStr, staging: &OwnedFd, n: usize, replaced: bool) -> io::Result<()> {
    let (new, old) = (format!("new-{n}"), format!("old-{n}"));
    let placed = identity(staging, OsStr::new(&new))?.is_none();
    if !replaced {
        return if placed && identity(folder, name)?.is_some() {
            rename_new(folder, name, staging, OsStr::new(&new))
        } else {
            Ok(())
        };
    }
    let Some(kept) = identity(staging, OsStr::new(&old))? else { return Ok(()) };
    // Renaming one name of a file to another one of the same file does nothing.
    if identity(folder, name)?.is_some_and(|now| now.inode == kept.inode) {
        return Ok(());
    }
    Ok(rustix::fs::renameat(staging, &old, folder, name)?)
}

fn identity(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<FileIdentity>> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileIdentity::from_stamp(&FileStamp::from_stat(&stat)))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// Fails with "already exists" if the file is another one now.
fn require_same(folder: &OwnedFd, name: &OsStr, was: &FileIdentity) -> io::Result<()> {
    match identity(folder, name)? {
        Some(now) if now == *was => Ok(()),
        Some(_) => Err(Errno::EXIST.into()),
        None => Err(Errno::NOENT.into()),
    }
}

fn is_folder(folder: &OwnedFd, name: &OsStr) -> bool {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir())
}

fn set_folder_mode(folder: &OwnedFd, name: &OsStr, mode: u32) -> io::Result<()> {
    if !is_folder(folder, name) {
        return Err(Errno::EXIST.into());
    }
    Ok(rustix::fs::chmodat(folder, name, Mode::from_raw_mode(mode), AtFlags::empty())?)
}

/// Renames without replacing anything; some file systems can't guarantee that.
fn rename_new(from: &OwnedFd, name: &OsStr, to: &OwnedFd, new_name: &OsStr) -> io::Result<()> {
    match rustix::fs::renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(rustix::fs::renameat(from, name, to, new_name)?),
        outcome => Ok(outcome?),
    }
}

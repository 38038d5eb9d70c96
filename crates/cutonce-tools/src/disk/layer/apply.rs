//! Prepares the application of a layer's changes: compares, stages, writes the journal (RH-3).

use super::collect::{is_opaque, is_whiteout};
use super::journal::{
    ApplyError, ApplyJournal, ApplyStep, FileIdentity, JournalFile, JournalPath, JournalState, RecoveredApply, STAGING,
};
use super::{LayerChange, LayerNode, hash_content, read_node};
use crate::disk::{FileAccess, MAX_CHANGE, ReportedChange, VersionStore};
use rustix::fs::{CWD, RenameFlags};
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::num::NonZero;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Threads that write new files, and how many steps are worth a thread.
const STAGING_THREADS: usize = 4;
const STAGED_BY_ONE: usize = 64;

/// From where to where changes are applied.
#[derive(Debug, Clone, Copy)]
pub struct ApplyPlace<'a> {
    /// The layer's upper folder.
    pub upper: &'a Path,
    /// The workspace, resolved.
    pub root: &'a Path,
    /// Our own folder for journals.
    pub journals: &'a Path,
    /// Sync to disk before and after: for what a user confirmed, not for a command.
    pub durable: bool,
}

/// Stores the old contents; `None` stores nothing.
type OldVersions<'a> = Option<&'a dyn VersionStore>;

/// Completes or undoes what a killed program began to apply in this workspace. `None`: there was nothing to do.
pub fn recover_apply(journals: &Path, root: &Path) -> Result<Option<RecoveredApply>, ApplyError> {
    let failed = |source| ApplyError::Failed { doing: "read the journal in", path: journals.into(), source };
    if !JournalFile::is_there(journals, root) {
        return Ok(None);
    }
    let file = JournalFile::open(journals, root, true).map_err(failed)?;
    match file.read().map_err(failed)? {
        Some(journal) => match journal.run(&file) {
            // The workspace changed since: all of it was undone.
            Err(ApplyError::Changed { .. } | ApplyError::Failed { .. }) if !JournalFile::is_there(journals, root) => {
                Ok(Some(RecoveredApply::Undone))
            }
            ended => ended.map(Some),
        },
        // It ended before its first state was on disk; power loss can keep the folder and not the state.
        None => {
            remove_staging_folders(root);
            file.remove().map(|()| None).map_err(failed)
        }
    }
}

/// Removes the journals of folders below `copies` that are gone: private copies of killed rehearsals (RH-8). Another
/// workspace that is missing may only not be mounted.
pub fn sweep_journals(journals: &Path, copies: &Path) {
    for entry in fs::read_dir(journals).into_iter().flatten().flatten() {
        let Some(root) = JournalFile::root_in(&entry.path()) else { continue };
        if root.starts_with(copies)
            && !root.exists()
            && let Ok(file) = JournalFile::open(journals, &root, false)
        {
            let _ = file.remove();
        }
    }
}

impl FileAccess {
    /// Applies these changes: all of them, or none and the error says why. The user or the plan's scope allowed
    /// them; each is bound to the content that was compared. Old contents are stored first (SE-5).
    pub fn apply_layer(&self, place: ApplyPlace<'_>, changes: &[LayerChange]) -> Result<(), ApplyError> {
        Self::run_apply(place, changes, Some(&*self.versions))?;
        self.report_applied(place.root, changes);
        Ok(())
    }

    /// Takes back what a command changed outside the plan (PC-22): like [`Self::apply_layer`], but it is no change of
    /// the session, so nothing is stored or reported.
    pub(crate) fn restore_layer(&self, place: ApplyPlace<'_>, changes: &[LayerChange]) -> Result<(), ApplyError> {
        Self::run_apply(place, changes, None)
    }

    /// Moves new folders from a layer to the workspace as they are: those that git ignores, so that not every file of
    /// a build is compared and copied (PC-21). The layer is no longer in use. Folders that can't be moved stay.
    pub(crate) fn move_folders(upper: &Path, root: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
        let moved = |folder: &&PathBuf| {
            let (from, to) = (upper.join(folder), root.join(folder));
            // The overlay's mark means nothing outside it.
            let _ = rustix::fs::lremovexattr(&from, "user.overlay.opaque");
            let parents_are_there = missing_parents(root, folder).is_empty();
            parents_are_there && rustix::fs::renameat_with(CWD, &from, CWD, &to, RenameFlags::NOREPLACE).is_ok()
        };
        folders.iter().filter(moved).cloned().collect()
    }

    /// Takes over ignored folders that a command removed or replaced on a layer, each in one step (PC-21). The layer is
    /// no longer in use; the old contents go away with it. Folders that can't be moved stay as changes of the layer.
    pub(crate) fn replace_folders(upper: &Path, root: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|about| about.is_dir());
        let has_plain_parents = |folder: &Path| {
            let parents = folder.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
            parents.into_iter().all(|parent| is_folder(&upper.join(parent)) && is_folder(&root.join(parent)))
        };
        let Some(storage) = upper.parent() else { return Vec::new() };
        let replaced = |(n, folder): (usize, &PathBuf)| {
            let (from, to, old) = (upper.join(folder), root.join(folder), storage.join(format!("old-{n}")));
            if !is_folder(&to) || !has_plain_parents(folder) {
                return None;
            }
            let about = from.symlink_metadata().ok()?;
            if is_whiteout(&about) {
                rustix::fs::renameat_with(CWD, &to, CWD, &old, RenameFlags::NOREPLACE).ok()?;
            } else if about.is_dir() && is_opaque(&from) {
                rustix::fs::lremovexattr(&from, "user.overlay.opaque").ok()?;
                rustix::fs::renameat_with(CWD, &from, CWD, &to, RenameFlags::EXCHANGE).ok()?;
                // What was there is no change of the command.
                rustix::fs::renameat_with(CWD, &from, CWD, &old, RenameFlags::NOREPLACE).ok()?;
            } else {
                return None;
            }
            Some(folder.clone())
        };
        folders.iter().enumerate().filter_map(replaced).collect()
    }

    /// Makes a folder of the workspace for a command.
    pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
        DirBuilder::new().create(folder)
    }

    /// Removes a folder that a command did not use; false if it is not empty.
    pub(crate) fn remove_empty_folder(folder: &Path) -> bool {
        fs::remove_dir(folder).is_ok()
    }

    /// Takes over changes that a command made in the workspace itself (PC-22): stores the old contents, which are in
    /// `before`, and reports the changes. Returns what could not be stored.
    pub(crate) fn adopt_changes(&self, before: &Path, root: &Path, changes: &[LayerChange]) -> Vec<ApplyError> {
        let keep = |change: &LayerChange| {
            keep_old(&before.join(&change.path), &root.join(&change.path), change, &*self.versions)
        };
        let kept = changes.iter().map(keep);
        let failed = kept.filter_map(Result::err).collect();
        self.report_applied(root, changes);
        failed
    }

    fn run_apply(place: ApplyPlace<'_>, changes: &[LayerChange], versions: OldVersions<'_>) -> Result<(), ApplyError> {
        if changes.is_empty() {
            return Ok(());
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(place.journals)
            .map_err(|source| failed("create", place.journals, source))?;
        let file = JournalFile::open(place.journals, place.root, place.durable)
            .map_err(|source| failed("lock", place.journals, source))?;
        if let Some(journal) = file.read().map_err(|source| failed("read", place.journals, source))? {
            journal.run(&file)?;
        }
        let compared = compare(place, changes)?;
        apply_compared(place, &file, (changes, &compared), versions)
    }

    /// Tells the listener about the files; git's own folder is no part of the work.
    fn report_applied(&self, root: &Path, changes: &[LayerChange]) {
        let Some(listener) = self.listener() else { return };
        let in_git = |change: &LayerChange| change.path.components().any(|part| part.as_os_str() == ".git");
        let reported = changes.iter().filter(|change| !change.is_folder_only() && !in_git(change)).map(|change| {
            let hash = |node: &Option<LayerNode>| node.as_ref().and_then(LayerNode::content_hash);
            let (before, after) = (hash(&change.old), hash(&change.new));
            let modes = match (&change.old, &change.new) {
                (Some(LayerNode::File { mode: old, .. }), Some(LayerNode::File { mode: new, .. })) => {
                    Some([*old, *new])
                }
                _ => None,
            };
            let modes = modes.filter(|[old, new]| before == after && old != new);
            ReportedChange { path: root.join(&change.path), before, after, modes }
        });
        let reported: Vec<ReportedChange> = reported.collect();
        if !reported.is_empty() {
            listener(&reported);
        }
    }
}

/// Applies changes that were compared with the workspace: all of them or none.
pub(super) fn apply_compared(
    place: ApplyPlace<'_>,
    file: &JournalFile,
    (changes, compared): (&[LayerChange], &[ComparedFile]),
    versions: OldVersions<'_>,
) -> Result<(), ApplyError> {
    let mut journal = ApplyJournal {
        state: JournalState::Staging,
        root: JournalPath(place.root.into()),
        staging: JournalPath(staging_folder(place.root)),
        steps: Vec::new(),
    };
    file.write(&journal).map_err(|source| failed("write", place.journals, source))?;
    let staged = stage(place, &mut journal, (changes, compared), versions);
    let staged = staged.and_then(|()| {
        journal.state = JournalState::Commit;
        file.write(&journal).map_err(|source| failed("write", place.journals, source))
    });
    if let Err(error) = staged {
        journal.state = JournalState::Staging;
        journal.run(file)?;
        return Err(error);
    }
    journal.run(file)?;
    Ok(())
}

/// Fills the staging folder, lists the steps, and stores the old contents.
fn stage(
    place: ApplyPlace<'_>,
    journal: &mut ApplyJournal,
    (changes, compared): (&[LayerChange], &[ComparedFile]),
    versions: OldVersions<'_>,
) -> Result<(), ApplyError> {
    let staging = journal.staging.0.clone();
    DirBuilder::new().mode(0o700).create(&staging).map_err(|source| failed("write to", place.root, source))?;
    journal.steps = list_steps(place, changes, compared);
    stage_all(place, &staging, &journal.steps, changes)?;
    if let Some(versions) = versions {
        for change in changes {
            let path = place.root.join(&change.path);
            keep_old(&path, &path, change, versions)?;
        }
        let kept = if place.durable { versions.sync_kept() } else { Ok(()) };
        kept.map_err(|source| ApplyError::NotStored { path: place.root.into(), source })?;
    }
    if place.durable {
        let opened = File::open(&staging).map_err(|source| failed("open", &staging, source))?;
        rustix::fs::syncfs(&opened).map_err(|errno| failed("sync", &staging, errno.into()))?;
    }
    Ok(())
}

/// Writes all new files and links to the staging folder; many of them with several threads.
fn stage_all(
    place: ApplyPlace<'_>,
    staging: &Path,
    steps: &[ApplyStep],
    changes: &[LayerChange],
) -> Result<(), ApplyError> {
    let stage_step = |step: &ApplyStep| {
        let ApplyStep::Place { path, n, was } = step else { return Ok(()) };
        let Some(new) = changes.get(*n).and_then(|change| change.new.as_ref()) else { return Ok(()) };
        stage_node(place, &path.0, new, &staging.join(format!("new-{n}")), was.is_some())
            .map_err(|source| failed("write", &place.root.join(&path.0), source))
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(STAGING_THREADS);
    let share = steps.len().div_ceil(threads).max(STAGED_BY_ONE);
    std::thread::scope(|scope| {
        let mut parts = steps.chunks(share);
        let own = parts.next().unwrap_or_default();
        let others: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().try_for_each(stage_step))).collect();
        let staged = own.iter().try_for_each(stage_step);
        let lost = |_| Err(failed("write to", staging, io::Error::other("a thread ended")));
        others.into_iter().fold(staged, |staged, other| staged.and(other.join().unwrap_or_else(lost)))
    })
}

/// Stores the old content of a file for rewind; it is read at `old`.
fn keep_old(old: &Path, path: &Path, change: &LayerChange, versions: &dyn VersionStore) -> Result<(), ApplyError> {
    let stored = match (&change.old, &change.new) {
        (Some(LayerNode::File { size, .. }), _) if *size <= MAX_CHANGE => {
            fs::read(old).and_then(|bytes| versions.keep_unsynced(path, Some(&bytes)))
        }
        (None, Some(LayerNode::File { .. })) => versions.keep_unsynced(path, None),
        _ => Ok(()),
    };
    stored.map_err(|source| ApplyError::NotStored { path: path.into(), source })
}

fn failed(doing: &'static str, path: &Path, source: io::Error) -> ApplyError {
    ApplyError::Failed { doing, path: path.into(), source }
}

/// Removes all staging folders. The caller holds the lock, so no program uses one.
fn remove_staging_folders(root: &Path) {
    let is_ours = |name: &str| {
        let number = name.strip_prefix(STAGING).unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && entry.file_name().to_str().is_some_and(is_ours) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A folder in the workspace itself: a rename must not cross file systems.
fn staging_folder(root: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    root.join(format!("{STAGING}{}-{number}", std::process::id()))
}

/// Compares the workspace with what the changes are based on.
pub fn check_unchanged(place: ApplyPlace<'_>, changes: &[LayerChange]) -> Result<(), ApplyError> {
    compare(place, changes).map(|_| ())
}

/// The file that a change replaces, as it was when its content was compared; `None`: there was no file.
pub(super) type ComparedFile = Option<FileIdentity>;

/// Compares the workspace with what the changes are based on. A file that changes from now on is another one.
pub(super) fn compare(place: ApplyPlace<'_>, changes: &[LayerChange]) -> Result<Vec<ComparedFile>, ApplyError> {
    let device = fs::metadata(place.root).map_err(|source| failed("read", place.root, source))?.dev();
    let (mut paths, mut compared) = (Vec::new(), Vec::new());
    for change in changes {
        let at = place.root.join(&change.path);
        let hidden = !missing_parents(place.root, &change.path).is_empty();
        // Read before the content.
        let mut identity = None;
        let now = match at.symlink_metadata() {
            // A link took the place of a folder around it, or leads there.
            _ if hidden => None,
            Ok(about) if about.dev() != device => {
                return Err(failed("change", &at, io::Error::other("it is on another file system than the workspace")));
            }
            Ok(about) => {
                identity = (!about.is_dir()).then(|| FileIdentity::new(&about));
                read_node(&at, &about).map_err(|source| failed("read", &at, source))?
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
            Err(error) => return Err(failed("read", &at, error)),
        };
        if now != change.old {
            paths.push(change.path.clone());
        }
        compared.push(identity);
    }
    if paths.is_empty() { Ok(compared) } else { Err(ApplyError::Changed { paths }) }
}

/// The steps in an order that works: removals, folders, files, modes of folders.
fn list_steps(place: ApplyPlace<'_>, changes: &[LayerChange], compared: &[ComparedFile]) -> Vec<ApplyStep> {
    let is_folder = |node: &Option<LayerNode>| matches!(node, Some(LayerNode::Folder { .. }));
    let is_leaf = |node: &Option<LayerNode>| node.is_some() && !is_folder(node);
    let (mut removals, mut folders, mut places, mut modes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut made: BTreeSet<PathBuf> = BTreeSet::new();
    for (n, (change, was)) in changes.iter().zip(compared).enumerate() {
        let path = || JournalPath(change.path.clone());
        if is_leaf(&change.new) || is_folder(&change.new) {
            made.extend(missing_parents(place.root, &change.path));
        }
        match (*was, is_leaf(&change.new)) {
            (was, true) => places.push(ApplyStep::Place { path: path(), n, was }),
            (Some(was), false) => removals.push(ApplyStep::Remove { path: path(), n, was }),
            (None, false) => {}
        }
        match (&change.old, &change.new) {
            (Some(LayerNode::Folder { mode: old }), Some(LayerNode::Folder { mode: new })) => {
                modes.push(ApplyStep::SetMode { path: path(), old: Some(*old), new: *new });
            }
            (_, Some(LayerNode::Folder { .. })) => drop(made.insert(change.path.clone())),
            (Some(LayerNode::Folder { mode }), new) => {
                folders.push(ApplyStep::RemoveFolder { path: path(), mode: *mode, strict: new.is_some() });
            }
            _ => {}
        }
    }
    // The deepest folder goes first, and comes last.
    folders.reverse();
    for folder in made {
        let mode = fs::symlink_metadata(place.upper.join(&folder)).map_or(0o755, |about| about.mode() & 0o777);
        folders.push(ApplyStep::MakeFolder { path: JournalPath(folder.clone()) });
        modes.push(ApplyStep::SetMode { path: JournalPath(folder), old: None, new: mode });
    }
    removals.into_iter().chain(folders).chain(places).chain(modes).collect()
}

/// The folders around a path that the workspace does not have.
fn missing_parents(root: &Path, path: &Path) -> Vec<PathBuf> {
    let parents = path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    parents
        .take_while(|parent| !root.join(parent).symlink_metadata().is_ok_and(|about| about.is_dir()))
        .map(Path::to_path_buf)
        .collect()
}

/// Makes a complete copy in the staging folder: content, mode, time; owner and attributes of the file that it
/// replaces.
fn stage_node(place: ApplyPlace<'_>, path: &Path, node: &LayerNode, to: &Path, replaces: bool) -> io::Result<()> {
    match node {
        LayerNode::Folder { .. } => Ok(()),
        LayerNode::Link { target } => std::os::unix::fs::symlink(target, to),
        LayerNode::File { mode, size, sha256 } => {
            let from = place.upper.join(path);
            let mut source = crate::disk::open_listed(&from)?;
            let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
            let (_, written) = hash_content(&mut source, *size, |part| copy.write_all(part))?;
            if written != *sha256 {
                return Err(io::Error::other("its content on the layer changed meanwhile"));
            }
            if replaces {
                crate::disk::replace::copy_owner_and_attributes(&place.root.join(path), &copy);
            }
            copy.set_permissions(Permissions::from_mode(*mode))?;
            copy.set_modified(source.metadata()?.modified()?)
        }
    }
}

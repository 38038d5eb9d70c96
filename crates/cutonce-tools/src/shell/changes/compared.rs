//! Commands under a scope on a machine without layers (PC-22): the workspace is compared before and after. What lies
//! outside the scope is reported, and restored unless the user keeps it.

use super::ignored::run_git;
use super::sort::{self, SortedChanges};
use super::{
    CallScope, MAX_LAYERS, OutsideChanges, ScopedResult, blocking, journals_folder, layers_folder, list_names,
};
use crate::disk::FileAccess;
use crate::disk::layer::{ApplyPlace, LayerChange, LayerNode, WorkspaceRecord, diff_changes, leads_outside};
use crate::files::IgnoreRules;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a session knows about the workspace; its subagents share it.
#[derive(Default)]
pub(crate) struct WorkspaceComparison {
    record: tokio::sync::Mutex<Option<WorkspaceRecord>>,
    running: Arc<AtomicUsize>,
    /// Names the folders of contents that were taken back.
    taken_back: AtomicUsize,
}

/// Where the comparison of a command takes place.
pub(crate) struct ComparedPlace {
    pub root: PathBuf,
    pub cutonce_home: PathBuf,
    /// Has the contents that were taken back.
    pub session_folder: PathBuf,
}

/// A command whose changes are found by comparing.
pub(crate) struct ComparedCommand {
    comparison: Arc<WorkspaceComparison>,
    place: ComparedPlace,
    env: Vec<(OsString, OsString)>,
    scope: CallScope,
    _running: CountedCommand,
}

/// Counts as running until it is dropped.
struct CountedCommand(Arc<AtomicUsize>);

impl Drop for CountedCommand {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl WorkspaceComparison {
    /// Records the workspace before a command.
    pub async fn begin(
        self: &Arc<Self>,
        place: ComparedPlace,
        env: &[(OsString, OsString)],
        scope: CallScope,
    ) -> io::Result<ComparedCommand> {
        let mut record = self.record.lock().await;
        // While a command runs in the background, what differs may be its work, and is found when a command ends.
        let alone = self.running.load(Ordering::SeqCst) == 0;
        let (root, layers) = (place.root.clone(), layers_folder(&place.cutonce_home));
        let tracked = if record.is_none() { tracked_but_ignored(&root, env).await } else { Vec::new() };
        let (known, rules) = (record.take(), IgnoreRules::new(&root, Some(&scope.scope)));
        let updated = blocking(move || match known {
            None => WorkspaceRecord::open(&root, &layers, MAX_LAYERS, tracked, &rules),
            Some(mut known) if alone => {
                for change in known.compare(rules)?.changes {
                    known.accept(&change.path)?;
                }
                Ok(known)
            }
            Some(known) => Ok(known),
        });
        *record = Some(updated.await?);
        self.running.fetch_add(1, Ordering::SeqCst);
        let (_running, env) = (CountedCommand(self.running.clone()), env.to_vec());
        Ok(ComparedCommand { comparison: self.clone(), place, env, scope, _running })
    }
}

/// Files that git tracks although a rule ignores them.
async fn tracked_but_ignored(root: &Path, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let args = ["ls-files", "--cached", "--ignored", "--exclude-standard", "-z"];
    let listed = run_git(root, env, &args, Vec::new()).await.unwrap_or_default();
    let entries = listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    entries.map(|entry| PathBuf::from(OsString::from_vec(entry.to_vec()))).collect()
}

impl ComparedCommand {
    pub(super) fn set_scope(&mut self, scope: &CallScope) {
        self.scope.scope.clone_from(&scope.scope);
    }

    /// Compares and settles what differs.
    pub(super) async fn settle(&mut self, disk: &FileAccess) -> ScopedResult {
        let comparison = self.comparison.clone();
        let mut slot = comparison.record.lock().await;
        let Some(mut record) = slot.take() else { return ScopedResult::unknown("there is no record of it") };
        let rules = IgnoreRules::new(record.root(), Some(&self.scope.scope));
        let then = rules.clone().read_at(&record.folder());
        let compared = blocking(move || record.compare(rules).map(|found| (record, found))).await;
        let (record, mut found) = match compared {
            Ok(compared) => compared,
            Err(error) => return ScopedResult::unknown(&error.to_string()),
        };
        let (root, before) = (record.root().to_path_buf(), record.folder());
        let (own, foreign): (Vec<LayerChange>, Vec<LayerChange>) =
            found.changes.into_iter().partition(|change| disk.wrote(&root.join(&change.path), change.new.as_ref()));
        found.changes = foreign;
        let mut sorted = SortedChanges::new(&found, &self.scope, (&before, &root), &then, &self.env).await;
        let dangerous = |change: &LayerChange| is_dangerous(&root, change);
        sorted.move_outside(dangerous);
        let keep = sorted.outside.is_empty() || self.may_keep(&sorted, (&root, &before)).await;
        let all = || sorted.inside.iter().chain(&sorted.outside).cloned().collect::<Vec<_>>();
        let (kept, back) = match keep {
            true => (all(), Vec::new()),
            // A checkout or stash without its part in git's folder would lose files.
            false if sorted.splits_git() => (Vec::new(), all()),
            false => (sorted.inside.clone(), sorted.outside.clone()),
        };
        let (record, mut result) = self.carry_out(disk, record, own, kept, back).await;
        *slot = record;
        result.outside = sorted.outside_names();
        if !result.outside.is_empty() {
            result.notes.insert(0, outside_note(&sorted, keep));
            if let (false, Some(on_discard)) = (keep, &self.scope.on_discard) {
                sorted.outside_paths().into_iter().for_each(|path| on_discard(path));
            }
        }
        result
    }

    async fn may_keep(&self, sorted: &SortedChanges, (root, before): (&Path, &Path)) -> bool {
        let shown: Vec<LayerChange> =
            sorted.outside.iter().filter(|change| !sort::is_git(&change.path)).cloned().collect();
        let paths = sorted.outside_names();
        let changes = || OutsideChanges { paths, diff: diff_changes(&shown, root, before).text, is_done: true };
        self.scope.may_keep_outside(changes).await
    }

    /// Reports what stays, restores the rest, and records the workspace as it is then.
    async fn carry_out(
        &self,
        disk: &FileAccess,
        mut record: WorkspaceRecord,
        own: Vec<LayerChange>,
        kept: Vec<LayerChange>,
        back: Vec<LayerChange>,
    ) -> (Option<WorkspaceRecord>, ScopedResult) {
        let disk = disk.clone();
        let number = self.comparison.taken_back.fetch_add(usize::from(!back.is_empty()), Ordering::Relaxed) + 1;
        let aside = self.place.session_folder.join(format!("taken-back-{number}"));
        let journals = journals_folder(&self.place.cutonce_home);
        let work = move || {
            let mut result = ScopedResult::default();
            let (root, before) = (record.root().to_path_buf(), record.folder());
            for error in disk.adopt_changes(&before, &root, &kept) {
                result.notes.push(format!("Its old content could not be stored for a rewind: {error}"));
            }
            if !back.is_empty() {
                let place = ApplyPlace { upper: &before, root: &root, journals: &journals, durable: false };
                result.notes.extend(restore(&disk, place, &record, &back, &aside));
            }
            for change in own.iter().chain(&kept).chain(&back) {
                record.accept(&change.path)?;
            }
            let files = kept.iter().filter(|change| !change.is_folder_only());
            result.changed = files.map(|change| change.path.to_string_lossy().into_owned()).collect();
            Ok((record, result))
        };
        match blocking(work).await {
            Ok((record, result)) => (Some(record), result),
            Err(error) => (None, ScopedResult::unknown(&error.to_string())),
        }
    }
}

/// Puts back what was there before. The new contents are kept aside: some may be the user's own.
fn restore(
    disk: &FileAccess,
    place: ApplyPlace<'_>,
    record: &WorkspaceRecord,
    back: &[LayerChange],
    aside: &Path,
) -> Vec<String> {
    let (possible, lost): (Vec<&LayerChange>, Vec<&LayerChange>) =
        back.iter().partition(|change| record.can_restore(&change.path));
    let mut notes = Vec::new();
    if !lost.is_empty() {
        let names: Vec<String> = lost.iter().map(|change| change.shown_path()).collect();
        notes.push(format!("Too large to be restored: {}.", list_names(&names)));
    }
    let saved = possible.iter().filter(|change| !sort::is_git(&change.path)).try_fold(false, |any, change| {
        let is_file = matches!(change.new, Some(LayerNode::File { .. }));
        let saved = if is_file { record.keep_aside(&change.path, aside) } else { Ok(()) };
        saved.map(|()| any || is_file)
    });
    let reversed: Vec<LayerChange> = possible
        .into_iter()
        .map(|change| LayerChange { path: change.path.clone(), old: change.new.clone(), new: change.old.clone() })
        .collect();
    match saved {
        Ok(true) => notes.push(format!("What was taken back is in {}.", aside.display())),
        Ok(false) => {}
        Err(error) => notes.push(format!("What was taken back could not be kept aside: {error}.")),
    }
    if let Err(error) = disk.restore_layer(place, &reversed) {
        notes.push(format!("NOT restored: {error}"));
    }
    notes
}

/// A link out of the workspace, or a file that runs with the rights of its owner, is never taken without a question.
fn is_dangerous(root: &Path, change: &LayerChange) -> bool {
    match &change.new {
        Some(LayerNode::Link { target }) => leads_outside(root, &change.path, target),
        Some(LayerNode::File { mode, .. }) => mode & 0o6000 != 0,
        Some(LayerNode::Folder { .. }) | None => false,
    }
}

/// Tells the model what happened to the changes outside the plan.
fn outside_note(sorted: &SortedChanges, kept: bool) -> String {
    let paths = list_names(&sorted.outside_names());
    let rest = if sorted.splits_git() { " Nothing that changed while this command ran was kept." } else { "" };
    match kept {
        true => format!("Outside the approved plan, but kept: {paths}."),
        false => format!(
            "Outside the approved plan, so restored: {paths}.{rest} Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again."
        ),
    }
}

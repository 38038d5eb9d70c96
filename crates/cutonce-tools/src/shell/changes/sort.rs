//! Sorts the changes of a command: inside the scope, outside, and git's own folder as one unit (PC-21).

use super::CallScope;
use super::ignored::{run_confined_git, run_git};
use crate::disk::layer::{LayerChange, LayerChanges, LayerNode};
use crate::disk::name_before_set_aside;
use crate::files::IgnoreRules;
use crate::workspace::{has_protected_name, is_protected_name};
use cutonce_core::plan::scope::{PlanScope, ScopeVerdict, ScopedPath};
use cutonce_core::plan::scope_git::GitUse;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const GIT: &str = ".git";

pub(crate) struct SortedChanges {
    pub inside: Vec<LayerChange>,
    pub outside: Vec<LayerChange>,
    /// Git's own folder is among those outside: what the command did with it.
    git: Option<String>,
    /// Someone else changed these files meanwhile; they are in neither list.
    pub stale: Vec<String>,
    /// A folder was made that git ignores.
    pub new_ignored: bool,
}

impl SortedChanges {
    /// `folders`: the workspace, and the layer's upper folder.
    pub async fn new(
        found: &LayerChanges,
        call: &CallScope,
        folders: (&Path, &Path),
        rules: &IgnoreRules,
        env: &[(OsString, OsString)],
    ) -> SortedChanges {
        let ((root, _), scope) = (folders, &call.scope);
        let indexed = scope.indexed();
        let stale: BTreeSet<&PathBuf> = found.stale.iter().collect();
        let (git, files): (Vec<&LayerChange>, Vec<&LayerChange>) =
            found.changes.iter().partition(|change| is_git(&change.path));
        let fresh: Vec<&LayerChange> = files.into_iter().filter(|change| !stale.contains(&change.path)).collect();
        let covered = |path: &Path, is_ignored: bool| {
            let path = path.to_str();
            indexed.verdict(ScopedPath { path, is_ignored, ..ScopedPath::default() }) != ScopeVerdict::Outside
        };
        let doubtful = fresh.iter().filter(|change| !covered(&change.path, false));
        let ignored = rules.ignored_among(doubtful.map(|change| (change.path.as_path(), change.is_folder_only())));
        let (inside, outside): (Vec<&LayerChange>, Vec<&LayerChange>) =
            fresh.into_iter().partition(|change| covered(&change.path, ignored.contains(&change.path)));
        let mut sorted = SortedChanges {
            inside: inside.into_iter().cloned().collect(),
            outside: outside.into_iter().cloned().collect(),
            git: None,
            stale: found.stale.iter().filter(|path| !is_git(path)).map(|path| path.display().to_string()).collect(),
            new_ignored: ignored.iter().any(|path| !root.join(path).exists()),
        };
        sorted.drop_implied_folders();
        sorted.keep_moved_together();
        if !git.iter().all(|change| change.is_folder_only()) && !is_refreshed_index(&git, folders, env).await {
            // A step that names `git commit` means the workspace's own repository, not one inside of it.
            let plans_command = scope.plans_git(&call.git);
            let planned = git
                .iter()
                .filter_map(|change| git_folder(&change.path))
                .all(|folder| names_git(scope, &folder) || (plans_command && folder == Path::new(GIT)));
            sorted.add_git(git, planned, &call.git);
        }
        sorted
    }

    /// A folder that only contains files inside the scope is made and removed with them.
    fn drop_implied_folders(&mut self) {
        let holds = |changes: &[LayerChange], folder: &Path| {
            changes.iter().any(|change| !change.is_folder_only() && change.path.starts_with(folder))
        };
        let (inside, files) = (self.inside.clone(), self.outside.clone());
        let implied = |change: &LayerChange| {
            change.is_folder_only()
                && (change.old.is_none() || change.new.is_none())
                && holds(&inside, &change.path)
                && !holds(&files, &change.path)
        };
        let (with_files, outside) = std::mem::take(&mut self.outside).into_iter().partition(implied);
        let with_files: Vec<LayerChange> = with_files;
        (self.outside, self.inside) = (outside, [std::mem::take(&mut self.inside), with_files].concat());
        // The order of paths, as listed.
        self.inside.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// A file that moved from inside to outside would be lost if only its removal were applied.
    fn keep_moved_together(&mut self) {
        // Empty files are all the same, except for their names.
        let content = |path: &Path, node: &Option<LayerNode>| match node {
            Some(LayerNode::File { size: 0, .. }) => Some(path.file_name()?.to_os_string()),
            Some(LayerNode::File { sha256, .. }) => Some(sha256.into()),
            Some(LayerNode::Link { target }) => Some(target.into()),
            Some(LayerNode::Folder { .. }) | None => None,
        };
        let arrived: BTreeSet<OsString> =
            self.outside.iter().filter_map(|change| content(&change.path, &change.new)).collect();
        let leaves = |change: &LayerChange| {
            change.new.is_none() && content(&change.path, &change.old).is_some_and(|hash| arrived.contains(&hash))
        };
        self.move_outside(leaves);
    }

    /// Counts these as outside, whatever the scope says.
    pub fn move_outside(&mut self, which: impl Fn(&LayerChange) -> bool) {
        let (moved, stay): (Vec<_>, Vec<_>) = std::mem::take(&mut self.inside).into_iter().partition(which);
        (self.inside, self.outside) = (stay, [std::mem::take(&mut self.outside), moved].concat());
        self.outside.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn add_git(&mut self, changes: Vec<&LayerChange>, planned: bool, used: &GitUse) {
        let changes = changes.into_iter().cloned();
        if planned {
            self.inside.extend(changes);
            self.inside.sort_by(|a, b| a.path.cmp(&b.path));
        } else {
            self.git = Some(used.describe());
            self.outside.extend(changes);
            self.outside.sort_by(|a, b| a.path.cmp(&b.path));
        }
    }

    /// True if git's own folder changed together with something outside the scope: all of it is one unit.
    pub fn splits_git(&self) -> bool {
        let all = self.inside.iter().chain(&self.outside);
        !self.outside.is_empty() && all.into_iter().any(|change| is_git(&change.path))
    }

    /// The paths outside, for people and the model.
    pub fn outside_names(&self) -> Vec<String> {
        let name = |path: String| self.git.clone().filter(|_| path == GIT).unwrap_or(path);
        self.outside_paths().into_iter().map(name).collect()
    }

    /// The paths outside; git's own folder is one, and comes first.
    pub fn outside_paths(&self) -> Vec<String> {
        let paths = self.outside.iter().map(|change| change.path.as_path());
        let git: BTreeSet<PathBuf> = paths.clone().filter_map(git_folder).collect();
        let files = paths.filter(|path| !is_git(path)).map(Path::to_path_buf);
        git.into_iter().chain(files).map(|path| path.display().to_string()).collect()
    }
}

/// True for git's own folder and all in it, also for a repository inside the workspace.
pub(super) fn is_git(path: &Path) -> bool {
    git_folder(path).is_some()
}

/// The git folder that the path is, or is in.
fn git_folder(path: &Path) -> Option<PathBuf> {
    let before = path.components().position(|part| part.as_os_str() == GIT)?;
    Some(path.components().take(before + 1).collect())
}

/// Whether the plan names this git folder: a folder around it is not enough.
fn names_git(scope: &PlanScope, folder: &Path) -> bool {
    let named = |path: &&String| folder == Path::new(GIT) || is_git(Path::new(path.as_str()));
    let files = scope.files.iter().chain(&scope.added).filter(named).cloned().collect();
    let scope = PlanScope { files, added: Vec::new(), ..scope.clone() };
    scope.verdict(ScopedPath { path: folder.to_str(), ..ScopedPath::default() }) == ScopeVerdict::Inside
}

/// True if only the index changed, and has the same entries: git refreshed what it knows about the files' times.
async fn is_refreshed_index(
    changes: &[&LayerChange],
    (root, upper): (&Path, &Path),
    env: &[(OsString, OsString)],
) -> bool {
    let index = Path::new(".git/index");
    if changes.iter().any(|change| !change.is_folder_only() && change.path != index) {
        return false;
    }
    let on_layer = ("GIT_INDEX_FILE".into(), upper.join(index).into());
    let with_layer: Vec<(OsString, OsString)> = env.iter().cloned().chain([on_layer]).collect();
    let entries = ["ls-files", "--stage", "-z"];
    let before = run_git(root, env, &entries, Vec::new()).await;
    before.is_some() && before == run_git(root, &with_layer, &entries, Vec::new()).await
}

/// Entries that a rehearsal lists because they can't be applied.
const MAX_REFUSED: usize = 200;

/// The changes of a rehearsal that can be applied (RH-2).
#[derive(Debug, Default)]
pub struct RehearsedChanges {
    /// Without what git ignores, and without git's own folder.
    pub changes: Vec<LayerChange>,
    /// What can't be applied, and why.
    pub refused: Vec<String>,
    /// Files that changed in the workspace since the layer was opened.
    pub stale: Vec<PathBuf>,
}

/// The path that a command gave to a protected file or folder, if the sandbox set it aside (SB-4).
fn set_aside_from(path: &Path) -> Option<PathBuf> {
    let protected = |name| name_before_set_aside(name).filter(|before| is_protected_name(before));
    let is_aside = path.iter().any(|name| protected(name).is_some());
    is_aside.then(|| path.iter().map(|name| protected(name).unwrap_or(name)).collect())
}

impl RehearsedChanges {
    pub async fn new(
        found: LayerChanges,
        (root, upper): (&Path, &Path),
        env: &[(OsString, OsString)],
    ) -> RehearsedChanges {
        let rules = IgnoreRules::new(root, None);
        let (git, files): (Vec<LayerChange>, Vec<LayerChange>) =
            found.changes.into_iter().partition(|change| is_git(&change.path));
        // Writes to these places ask in every mode, and no one was asked.
        let is_protected =
            |change: &LayerChange| has_protected_name(&change.path) || set_aside_from(&change.path).is_some();
        let (protected, files): (Vec<LayerChange>, Vec<LayerChange>) = files.into_iter().partition(is_protected);
        let paths = files.iter().map(|change| (change.path.as_path(), change.is_folder_only()));
        let ignored = rules.ignored_among(paths);
        let refused = found.refused.iter().filter(|refused| !is_git(&refused.path));
        let mut refused: Vec<String> =
            refused.map(|refused| format!("{} is {}", refused.path.display(), refused.why)).collect();
        let protected = protected.iter().filter(|change| !change.is_folder_only());
        let named = protected.map(|change| set_aside_from(&change.path).unwrap_or_else(|| change.path.clone()));
        // A repository inside is one thing, not its many files.
        let named: BTreeSet<PathBuf> = named.map(|path| git_folder(&path).unwrap_or(path)).collect();
        refused.extend(named.iter().map(|path| format!("{} is protected: only you can change it", path.display())));
        let more = refused.len().saturating_sub(MAX_REFUSED);
        refused.truncate(MAX_REFUSED);
        refused.extend((more > 0).then(|| format!("{more} more entries can't be applied")));
        let git: Vec<&LayerChange> = git.iter().collect();
        if !git.iter().all(|change| change.is_folder_only()) && !is_refreshed_index(&git, (root, upper), env).await {
            refused.push("git's own folder (.git) changed".into());
        }
        RehearsedChanges {
            changes: files.into_iter().filter(|change| !ignored.contains(&change.path)).collect(),
            refused,
            stale: found.stale.into_iter().filter(|path| !is_git(path) && !ignored.contains(path)).collect(),
        }
    }
}

/// The state of a workspace that a rehearsal starts from (RH-6).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceBase {
    /// `None` outside a repository, or before the first commit.
    pub commit: Option<String>,
    pub dirty: bool,
}

impl WorkspaceBase {
    pub async fn new(root: &Path, env: &[(OsString, OsString)]) -> WorkspaceBase {
        let head = run_git(root, env, &["rev-parse", "--verify", "--quiet", "HEAD"], Vec::new()).await;
        let head = String::from_utf8_lossy(&head.unwrap_or_default()).trim().to_string();
        let changes = run_confined_git(root, env, &["status", "--porcelain"]).await;
        // What can't be found out may have changed.
        let dirty = changes.is_none_or(|changes| !changes.trim_ascii().is_empty());
        WorkspaceBase { commit: Some(head).filter(|head| !head.is_empty()), dirty }
    }
}

//! Commands under the scope of an approved plan (PC-21): they run on a layer. What lies inside the scope is applied
//! when a command ends; the rest is applied only if the user says so.

mod compared;
mod folder_use;
mod ignored;
mod sort;
mod workspace_files;

pub(crate) use compared::{ComparedCommand, ComparedPlace, WorkspaceComparison};
pub use cutonce_core::plan::scope::ScopeMethod;
pub(crate) use sort::SortedChanges;
pub use sort::{RehearsedChanges, WorkspaceBase};
pub use workspace_files::{list_ignored_folders, list_workspace};

use crate::disk::FileAccess;
use crate::disk::layer::{ApplyPlace, LayerChange, LayerNode, collect_changes, diff_changes};
use crate::files::IgnoreRules;
use crate::shell::confine::{ConfinedCommand, SandboxUnavailable};
use async_trait::async_trait;
use cutonce_core::plan::scope::{PlanScope, UserOrder};
use cutonce_core::plan::scope_git::GitUse;
use cutonce_core::settings::plan::ScopeMode;
use cutonce_sandbox::{
    KeptLayer, LayerMount, PrivateFolder, ResourceLimits, SandboxLimits, SandboxProfile, WorkspaceWriteProfile,
    check_throwaway_layer, finish_removals, sweep_layers,
};
use folder_use::IgnoredFolderUse;
use ignored::{IgnoredFolders, new_ignored_folders};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Layers of one cutonce home that may be open at the same time.
const MAX_LAYERS: usize = 64;
/// Folders of cutonce's home.
const LAYERS: &str = "layers";
const JOURNALS: &str = "applying";
/// Caches that package managers and builds write to, in the user's home. They are no part of the workspace.
const CACHES: [&str; 9] =
    [".cargo", ".cache", ".npm", ".gradle", ".m2", "go", ".rustup", ".local/share/pnpm", ".local/share/uv"];

/// The scope of a call, as the session knows it.
#[derive(Clone)]
pub struct CallScope {
    pub scope: PlanScope,
    /// What the command does with git.
    pub git: GitUse,
    /// What the user's last message names (PC-24).
    pub order: UserOrder,
    /// Changes outside are applied and reported, as bypassPermissions with `"ask"` wants it.
    pub applies_all: bool,
    /// Asks the user about changes outside; `None` if no one can be asked.
    pub review: Option<Arc<dyn OutsideReview>>,
    /// Learns the paths of changes that were discarded.
    pub on_discard: Option<OnDiscard>,
}

/// Learns the path of a discarded change, relative to the workspace.
pub type OnDiscard = Arc<dyn Fn(String) + Send + Sync>;

/// Asks the user whether changes outside the plan are applied.
#[async_trait]
pub trait OutsideReview: Send + Sync {
    async fn review(&self, changes: &OutsideChanges) -> bool;
}

/// Changes of a command that lie outside the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideChanges {
    /// Paths relative to the workspace. Git's own folder is one path.
    pub paths: Vec<String>,
    pub diff: String,
    /// The workspace has them already; a no restores it (PC-22).
    pub is_done: bool,
}

/// Tries how this machine keeps commands in a scope; with the reason if it has no layers (PC-22).
pub fn scope_method(cutonce_home: &Path) -> (ScopeMethod, Option<String>) {
    match prepare_layers(cutonce_home) {
        Ok(()) => (ScopeMethod::Prevents, None),
        Err(why) => (ScopeMethod::Detects, Some(why.to_string())),
    }
}

/// A command under a scope.
pub(crate) enum ScopedCommand {
    OnLayer(CommandLayer),
    Compared(ComparedCommand),
}

impl ScopedCommand {
    /// Settles what the command changed: after it and everything it started have ended, or on request before.
    pub async fn settle(&mut self, disk: &FileAccess, has_ended: bool) -> ScopedResult {
        match self {
            ScopedCommand::OnLayer(layer) => {
                if has_ended {
                    layer.move_ignored_folders().await;
                }
                layer.settle(disk).await
            }
            ScopedCommand::Compared(compared) => compared.settle(disk).await,
        }
    }

    /// The scope may have changed since the command was started.
    pub fn set_scope(&mut self, scope: &CallScope) {
        match self {
            ScopedCommand::OnLayer(layer) => layer.scope.scope.clone_from(&scope.scope),
            ScopedCommand::Compared(compared) => compared.set_scope(scope),
        }
    }
}

impl CallScope {
    /// The scope of this command.
    pub(crate) fn for_command(self, command: &str) -> CallScope {
        CallScope { git: GitUse::new(command), ..self }
    }

    /// Whether changes outside the plan stay; asks the user if there is one to ask.
    async fn may_keep_outside(&self, changes: impl FnOnce() -> OutsideChanges) -> bool {
        let changes = match (self.applies_all, self.scope.mode) {
            (true, ScopeMode::Ask) => return true,
            (false, ScopeMode::Ask) | (_, ScopeMode::Enforce) => changes(),
            (_, ScopeMode::Off) => return false,
        };
        let may_ask = self.scope.mode == ScopeMode::Ask || changes.paths.iter().all(|path| self.order.names(path));
        match &self.review {
            Some(review) if may_ask => review.review(&changes).await,
            Some(_) | None => false,
        }
    }
}

/// What became of a command's changes.
#[derive(Debug, Default)]
pub(crate) struct ScopedResult {
    /// Applied, inside the scope.
    pub changed: Vec<String>,
    pub outside: Vec<String>,
    /// Never applied, and why: links that lead outside, devices, setuid files.
    pub refused: Vec<String>,
    /// For the model.
    pub notes: Vec<String>,
}

/// The layers of a session's commands.
pub(crate) struct ScopeSandbox {
    tmp: PrivateFolder,
    home: PathBuf,
    ignored: IgnoredFolders,
}

/// The layer of one command.
pub(crate) struct CommandLayer {
    layer: KeptLayer,
    sandbox: Arc<ScopeSandbox>,
    env: Vec<(OsString, OsString)>,
    scope: CallScope,
    folders: IgnoredFolderUse,
    /// What was applied from here while the command ran.
    applied: BTreeMap<PathBuf, Option<LayerNode>>,
}

/// Where the layers of this home are stored.
pub fn layers_folder(cutonce_home: &Path) -> PathBuf {
    cutonce_home.join(LAYERS)
}

/// Where the journals of this home are stored.
pub fn journals_folder(cutonce_home: &Path) -> PathBuf {
    cutonce_home.join(JOURNALS)
}

impl ScopeSandbox {
    /// The error says why this machine has no layers.
    pub fn new(cutonce_home: &Path, tmp: PrivateFolder) -> Result<ScopeSandbox, SandboxUnavailable> {
        prepare_layers(cutonce_home)?;
        Ok(ScopeSandbox { tmp, home: cutonce_home.to_path_buf(), ignored: IgnoredFolders::default() })
    }

    /// Puts a layer under a command. `None` for a command that can't write to the workspace.
    pub async fn layer(
        self: &Arc<Self>,
        start: ConfinedCommand,
        root: &Path,
        user_home: Option<&Path>,
        (scope, command): (CallScope, &str),
        limits: ResourceLimits,
    ) -> Result<(ConfinedCommand, Option<CommandLayer>), SandboxUnavailable> {
        let (profile, env, tmp) = start;
        let (roots, mut throwaway) = (vec![root.to_path_buf()], Vec::new());
        let mut profile = match profile {
            SandboxProfile::ReadOnly(_) | SandboxProfile::Layered(_) => return Ok(((profile, env, tmp), None)),
            // It keeps its confinement: a plan gives it no other places (SB-4). Builds need caches, though.
            SandboxProfile::WorkspaceWrite(write) => {
                throwaway = caches(user_home).collect();
                WorkspaceWriteProfile { roots, ..write }
            }
            SandboxProfile::Unconfined => WorkspaceWriteProfile {
                roots: roots.into_iter().chain(places_apart(root, user_home)).collect(),
                tmp: self.tmp.ready("")?,
                hide: Vec::new(),
                // The home may be in one of those places.
                protect: vec![self.home.clone()],
                network: true,
                layer: None,
                limits,
            },
        };
        let opened = KeptLayer::open(root, &layers_folder(&self.home), MAX_LAYERS);
        let layer = opened.map_err(SandboxUnavailable::Layer)?.remove_later();
        let rules = IgnoreRules::new(root, Some(&scope.scope));
        let folders = IgnoredFolderUse::new(root, self.ignored.folders(root, &rules, &env).await, &rules, command);
        profile.layer = Some(LayerMount { throwaway, ..layer.mount(folders.through.clone()) });
        let tmp = tmp.unwrap_or_else(|| profile.tmp.clone());
        let env = crate::shell::confine::layer_env(&env, &tmp);
        let (sandbox, applied) = (self.clone(), BTreeMap::new());
        let kept = CommandLayer { layer, sandbox, env: env.clone(), scope, folders, applied };
        Ok(((SandboxProfile::WorkspaceWrite(profile), env, Some(tmp)), Some(kept)))
    }
}

impl Drop for ScopeSandbox {
    /// No layer survives its session's end (RH-5).
    fn drop(&mut self) {
        finish_removals();
    }
}

/// Makes the folder of layers and tries one; the error says why this machine has none.
fn prepare_layers(cutonce_home: &Path) -> Result<(), SandboxUnavailable> {
    let layers = layers_folder(cutonce_home);
    std::fs::create_dir_all(&layers).map_err(SandboxUnavailable::Layer)?;
    // What can't be swept now, the next session sweeps.
    let _ = sweep_layers(&layers);
    check_throwaway_layer(&layers, SandboxLimits::default()).map_err(SandboxUnavailable::Kernel)
}

fn caches(user_home: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    user_home.into_iter().flat_map(|home| CACHES.map(|cache| home.join(cache)))
}

/// Caches, and folders for temporary files, which a command that may change anything can write to.
fn places_apart(root: &Path, user_home: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let temporary = ["/tmp", "/var/tmp"].map(PathBuf::from);
    // A writable folder around the workspace would uncover it.
    let apart = move |place: &PathBuf| place.is_dir() && !root.starts_with(place) && !place.starts_with(root);
    caches(user_home).chain(temporary).filter(apart)
}

impl CommandLayer {
    /// Gives the workspace the ignored folders that the command made, replaced or removed, in one step each.
    async fn move_ignored_folders(&mut self) {
        let (root, upper, rules) = (self.layer.root().to_path_buf(), self.layer.upper(), self.rules());
        let known = std::mem::take(&mut self.folders);
        let moved = blocking(move || {
            let changed = known.settle(&upper, &root);
            let folders = new_ignored_folders(&root, &upper, &rules);
            Ok(!FileAccess::move_folders(&upper, &root, &folders).is_empty() || changed)
        });
        // The next command writes them directly.
        if moved.await.unwrap_or(true) {
            self.sandbox.ignored.forget();
        }
    }

    /// Applies what may be applied.
    async fn settle(&mut self, disk: &FileAccess) -> ScopedResult {
        let (upper, root, opened) = (self.layer.upper(), self.layer.root().to_path_buf(), self.layer.opened());
        let mut found = match blocking(move || collect_changes(&upper, &root, opened)).await {
            Ok(found) => found,
            Err(error) => return ScopedResult::discarded(format!("the changes could not be read ({error})")),
        };
        // What came from this layer is no one else's change.
        let ours = |path: &PathBuf| {
            let old = found.changes.iter().find(|change| change.path == *path).map(|change| &change.old);
            old.is_some() && self.applied.get(path) == old
        };
        found.stale = found.stale.iter().filter(|path| !ours(path)).cloned().collect();
        let mut result = ScopedResult::default();
        for refused in &found.refused {
            let refused = format!("{} is {}", refused.path.display(), refused.why);
            result.notes.push(format!("Not applied: {refused}."));
            result.refused.push(refused);
        }
        let folders = (self.layer.root(), self.layer.upper());
        let sorted = SortedChanges::new(&found, &self.scope, (folders.0, &folders.1), &self.rules(), &self.env).await;
        if !sorted.stale.is_empty() {
            let stale = sorted.stale.join(", ");
            result.notes.push(format!("Not applied, because they changed in the workspace meanwhile: {stale}."));
        }
        let take_all = !sorted.outside.is_empty() && self.may_apply_outside(&sorted).await;
        let apply: Vec<LayerChange> = match take_all {
            true => sorted.inside.iter().chain(&sorted.outside).cloned().collect(),
            // A checkout or stash without its part in git's folder, or with nothing else, would lose files.
            false if sorted.splits_git() => Vec::new(),
            false => sorted.inside.clone(),
        };
        let (journals, upper) = (journals_folder(&self.sandbox.home), self.layer.upper());
        let (disk, root, changes) = (disk.clone(), self.layer.root().to_path_buf(), apply.clone());
        let applied = blocking(move || {
            let place = ApplyPlace { upper: &upper, root: &root, journals: &journals, durable: false };
            disk.apply_layer(place, &changes).map_err(|error| io::Error::other(error.message()))
        });
        if let Err(error) = applied.await {
            result.notes.push(error.to_string());
            return result;
        }
        self.applied.extend(apply.iter().map(|change| (change.path.clone(), change.new.clone())));
        let has_rules = |change: &LayerChange| change.path.ends_with(".gitignore") || !change.is_plain_file();
        if sorted.new_ignored || apply.iter().any(has_rules) {
            self.sandbox.ignored.forget();
        }
        let files = apply.iter().filter(|change| !change.is_folder_only());
        result.changed = files.map(|change| change.path.to_string_lossy().into_owned()).collect();
        result.outside = sorted.outside_names();
        if !result.outside.is_empty() {
            result.notes.push(self.outside_note(&sorted, take_all));
            if let (false, Some(on_discard)) = (take_all, &self.scope.on_discard) {
                sorted.outside_paths().into_iter().for_each(|path| on_discard(path));
            }
        }
        result
    }

    /// The rules about ignored files that count for this command.
    fn rules(&self) -> IgnoreRules {
        IgnoreRules::new(self.layer.root(), Some(&self.scope.scope))
    }

    async fn may_apply_outside(&self, sorted: &SortedChanges) -> bool {
        let shown: Vec<LayerChange> =
            sorted.outside.iter().filter(|change| !sort::is_git(&change.path)).cloned().collect();
        let (upper, root, paths) = (self.layer.upper(), self.layer.root(), sorted.outside_names());
        let changes = || OutsideChanges { paths, diff: diff_changes(&shown, &upper, root).text, is_done: false };
        self.scope.may_keep_outside(changes).await
    }

    /// Tells the model what happened to the changes outside the plan.
    fn outside_note(&self, sorted: &SortedChanges, applied: bool) -> String {
        let paths = list_names(&sorted.outside_names());
        let rest = if sorted.splits_git() { " Nothing that this command changed was kept." } else { "" };
        match applied {
            true => format!("Outside the approved plan, but applied: {paths}."),
            false => format!(
                "Outside the approved plan, so not applied: {paths}.{rest} Follow the plan, or amend it: call EnterPlanMode, add the files to a step, and submit the plan again."
            ),
        }
    }
}

/// Runs work on files off the async threads.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

impl ScopedResult {
    fn discarded(why: String) -> ScopedResult {
        ScopedResult {
            notes: vec![format!("What the command changed was not applied: {why}.")],
            ..ScopedResult::default()
        }
    }

    fn unknown(why: &str) -> ScopedResult {
        let note = format!("What the command changed outside the approved plan is not known: {why}. Tell the user.");
        ScopedResult { notes: vec![note], ..ScopedResult::default() }
    }
}

fn list_names(names: &[String]) -> String {
    const MOST: usize = 20;
    let shown = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

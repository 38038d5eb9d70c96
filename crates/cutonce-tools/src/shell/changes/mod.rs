//! Commands under the scope of an approved plan (PC-21): they run on a layer. What lies inside the scope is applied
//! when a command ends; the rest is applied only if the user says so.

mod ignored;
mod sort;
mod workspace_files;

pub(crate) use sort::SortedChanges;
pub use sort::{RehearsedChanges, WorkspaceBase};
pub use workspace_files::list_workspace;

use crate::disk::FileAccess;
use crate::disk::layer::{ApplyPlace, LayerChange, collect_changes, diff_changes};
use crate::shell::confine::{ConfinedCommand, SandboxUnavailable};
use async_trait::async_trait;
use cutonce_core::plan::scope::PlanScope;
use cutonce_core::settings::plan::ScopeMode;
use cutonce_sandbox::{
    KeptLayer, LayerMount, PrivateFolder, ResourceLimits, SandboxLimits, SandboxProfile, WorkspaceWriteProfile,
    check_throwaway_layer, sweep_layers,
};
use ignored::IgnoredFolders;
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
}

/// What became of a command's changes.
#[derive(Debug, Default)]
pub(crate) struct ScopedResult {
    /// Applied, inside the scope.
    pub changed: Vec<String>,
    pub outside: Vec<String>,
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
        let layers = layers_folder(cutonce_home);
        std::fs::create_dir_all(&layers).map_err(SandboxUnavailable::Layer)?;
        // What can't be swept now, the next session sweeps.
        let _ = sweep_layers(&layers);
        check_throwaway_layer(&layers, SandboxLimits::default()).map_err(SandboxUnavailable::Kernel)?;
        Ok(ScopeSandbox { tmp, home: cutonce_home.to_path_buf(), ignored: IgnoredFolders::default() })
    }

    /// Puts a layer under a command. `None` for a command that can't write to the workspace.
    pub async fn layer(
        self: &Arc<Self>,
        start: ConfinedCommand,
        root: &Path,
        user_home: Option<&Path>,
        scope: CallScope,
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
        let layer = opened.map_err(SandboxUnavailable::Layer)?;
        let through = self.ignored.folders(root, &env).await;
        profile.layer = Some(LayerMount { throwaway, ..layer.mount(through) });
        let tmp = tmp.unwrap_or_else(|| profile.tmp.clone());
        let env = crate::shell::confine::layer_env(&env, &tmp);
        let kept = CommandLayer { layer, sandbox: self.clone(), env: env.clone(), scope };
        Ok(((SandboxProfile::WorkspaceWrite(profile), env, Some(tmp)), Some(kept)))
    }
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
    /// Applies what may be applied, after the command and everything it started have ended.
    pub async fn finish(self, disk: &FileAccess) -> ScopedResult {
        let (upper, root, opened) = (self.layer.upper(), self.layer.root().to_path_buf(), self.layer.opened());
        let found = match blocking(move || collect_changes(&upper, &root, opened)).await {
            Ok(found) => found,
            Err(error) => return ScopedResult::discarded(format!("the changes could not be read ({error})")),
        };
        let mut result = ScopedResult::default();
        for refused in &found.refused {
            result.notes.push(format!("Not applied: {} is {}.", refused.path.display(), refused.why));
        }
        let sorted =
            SortedChanges::new(&found, &self.scope.scope, (self.layer.root(), &self.layer.upper()), &self.env).await;
        if !sorted.stale.is_empty() {
            let stale = sorted.stale.join(", ");
            result.notes.push(format!("Not applied, because they changed in the workspace meanwhile: {stale}."));
        }
        let take_all = !sorted.outside.is_empty() && self.may_apply_outside(&sorted).await;
        let apply: Vec<LayerChange> = match take_all {
            true => sorted.inside.iter().chain(&sorted.outside).cloned().collect(),
            // A checkout or stash without its part in git's folder would lose files.
            false if sorted.git => Vec::new(),
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

    async fn may_apply_outside(&self, sorted: &SortedChanges) -> bool {
        match (self.scope.applies_all, self.scope.scope.mode, &self.scope.review) {
            (true, ScopeMode::Ask, _) => true,
            (_, ScopeMode::Ask, Some(review)) => {
                let shown: Vec<LayerChange> =
                    sorted.outside.iter().filter(|change| !sort::is_git(&change.path)).cloned().collect();
                let diff = diff_changes(&shown, &self.layer.upper(), self.layer.root()).text;
                review.review(&OutsideChanges { paths: sorted.outside_names(), diff }).await
            }
            (_, ScopeMode::Ask | ScopeMode::Enforce | ScopeMode::Off, _) => false,
        }
    }

    /// Tells the model what happened to the changes outside the plan.
    fn outside_note(&self, sorted: &SortedChanges, applied: bool) -> String {
        let paths = list_names(&sorted.outside_names());
        let rest = if sorted.git { " Nothing that this command changed was kept." } else { "" };
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
}

fn list_names(names: &[String]) -> String {
    const MOST: usize = 20;
    let shown = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

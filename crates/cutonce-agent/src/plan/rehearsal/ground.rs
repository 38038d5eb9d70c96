//! What a rehearsal works on: a layer over the workspace, or a private copy where the kernel has no overlays (RH-8).

use super::{AgentNews, RehearsalError, RehearsalJob, copies_folder, rehearsals_folder};
use crate::config::trust::is_trusted;
use cutonce_core::permission::is_secret;
use cutonce_core::settings::plan::{RehearsalLayer, RehearsalSettings};
use cutonce_core::text::sanitize::one_line;
use cutonce_sandbox::{KeptLayer, LayerMount, SandboxLimits, SandboxProfile, check_throwaway_layer};
use cutonce_tools::disk::layer::{CopyRules, LayerChanges, WorkspaceCopy, collect_changes};
use cutonce_tools::secret_files;
use cutonce_tools::shell::changes::{journals_folder, list_ignored_folders, list_workspace};
use serde_json::json;
use std::ffi::OsString;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Files whose copying takes so long that the user sees why nothing happens yet.
const MANY_FILES: usize = 10_000;

/// The folder in which the agent works. Dropping it removes all changes.
#[derive(Debug)]
pub(super) struct RehearsalGround {
    pub layer: KeptLayer,
    /// Where a private copy is inside the layer's folder; empty: the layer is an overlay.
    pub inside: PathBuf,
    /// What was copied.
    copy: Option<WorkspaceCopy>,
    /// Files with keys, which commands can't read (RH-2).
    secrets: Vec<PathBuf>,
}

/// Why rehearsals use a private copy; `None` if they use an overlay.
fn copy_reason(home: &Path, wanted: RehearsalLayer) -> Option<String> {
    let layers = rehearsals_folder(home);
    match wanted {
        RehearsalLayer::Copy => Some("`plan.rehearsal.layer` is `copy`".into()),
        RehearsalLayer::Auto => {
            let made = std::fs::create_dir_all(&layers).map_err(|error| error.to_string());
            made.and_then(|()| check_throwaway_layer(&layers, SandboxLimits::default())).err()
        }
    }
}

/// Describes for `cutonce doctor` what rehearsals work on. The second value is false if it is a copy, with its cost.
pub async fn describe_ground(
    home: &Path,
    root: &Path,
    env: &[(OsString, OsString)],
    settings: RehearsalSettings,
) -> (String, bool) {
    let Some(why) = copy_reason(home, settings.layer) else {
        return ("plans are rehearsed on a layer over the project".into(), true);
    };
    let files = match list_workspace(root, env).await {
        Ok(files) => files,
        Err(error) => {
            return (format!("plans can't be rehearsed: {error}. A private copy is needed, because {why}"), false);
        }
    };
    let sizes = files.iter().filter_map(|path| root.join(path).symlink_metadata().ok());
    let bytes: u64 = sizes.map(|about| about.len()).sum();
    let mut text = format!("plans are rehearsed on a private copy of the project: {}, ", count_files(files.len()));
    let megabytes = bytes.div_ceil(1 << 20);
    let _ = write!(text, "{megabytes} MB are copied for each rehearsal, because {why}");
    if megabytes > u64::from(settings.max_megabytes) {
        let _ = write!(text, "; that is more than `plan.rehearsal.maxMegabytes` ({})", settings.max_megabytes);
    }
    (text, false)
}

fn count_files(count: usize) -> String {
    format!("{count} {}", if count == 1 { "file" } else { "files" })
}

/// Finds files with keys below these folders. One that can't be named in the agent's settings can't be hidden, so there
/// is no rehearsal then.
async fn find_secrets(folders: Vec<PathBuf>, home: Option<PathBuf>) -> Result<Vec<PathBuf>, RehearsalError> {
    let walk = move || secret_files::find_below(folders.iter().map(PathBuf::as_path), home.as_deref());
    let found = tokio::task::spawn_blocking(walk).await;
    let found = found.map_err(|error| RehearsalError::Layer(io::Error::other(error)))?;
    match found.iter().find(|path| path.to_str().is_none()) {
        Some(path) => Err(RehearsalError::Layer(io::Error::other(format!(
            "{} looks like a file with keys, and it can't be hidden, because its name is not UTF-8; rename it, or move it out of the workspace",
            one_line(&path.to_string_lossy())
        )))),
        None => Ok(found),
    }
}

impl RehearsalJob {
    fn user_home(&self) -> Option<PathBuf> {
        self.env.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home))
    }

    /// Copies these files of the workspace, and makes empty folders for what git ignores. The limits of a rehearsal
    /// bound this too.
    async fn copy_workspace(
        &self,
        from: &Path,
        to: PathBuf,
        files: Vec<PathBuf>,
        ignored: Vec<PathBuf>,
        cancel: &CancellationToken,
    ) -> Result<WorkspaceCopy, RehearsalError> {
        let (from, cancelled, home) = (from.to_path_buf(), cancel.clone(), self.user_home());
        let (most, minutes) = (u64::from(self.limits.max_megabytes) << 20, self.limits.max_minutes);
        let (started, limit) = (Instant::now(), Duration::from_secs(u64::from(minutes) * 60));
        let made = tokio::task::spawn_blocking(move || {
            let is_stopped = || cancelled.is_cancelled() || started.elapsed() > limit;
            let is_secret = |path: &Path| {
                let inside = path.ancestors().take_while(|path| **path != *from);
                inside.into_iter().any(|path| is_secret(path, home.as_deref()))
            };
            let rules = CopyRules { max_bytes: most, is_stopped: &is_stopped, is_secret: &is_secret };
            let copy = WorkspaceCopy::new(&from, &to, &files, rules)?;
            copy.make_empty(&from, &ignored);
            Ok(copy)
        });
        made.await.unwrap_or_else(|error| Err(io::Error::other(error))).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted if cancel.is_cancelled() => RehearsalError::Cancelled,
            io::ErrorKind::Interrupted => RehearsalError::Layer(io::Error::other(format!(
                "to copy the workspace took more than {minutes} minutes (`plan.rehearsal.maxMinutes`)"
            ))),
            _ => RehearsalError::Layer(error),
        })
    }
}

impl RehearsalGround {
    /// Opens an overlay, or copies the workspace; that can take long.
    pub async fn open(
        job: &RehearsalJob,
        root: &Path,
        cancel: &CancellationToken,
        on_news: &(dyn Fn(AgentNews) + Send + Sync),
    ) -> Result<RehearsalGround, RehearsalError> {
        let most = job.limits.max_running.max(1);
        let open = |folder: PathBuf| {
            KeptLayer::open(root, &folder, most as usize).map_err(|error| match error.kind() {
                io::ErrorKind::QuotaExceeded => RehearsalError::TooMany(most),
                _ => RehearsalError::Layer(error),
            })
        };
        if copy_reason(&job.home, job.limits.layer).is_none() {
            let layer = open(rehearsals_folder(&job.home))?;
            std::fs::create_dir_all(journals_folder(&job.home)).map_err(RehearsalError::Layer)?;
            let secrets = find_secrets(vec![root.to_path_buf()], job.user_home()).await?;
            return Ok(RehearsalGround { layer, inside: PathBuf::new(), copy: None, secrets });
        }
        let layer = open(copies_folder(&job.home))?;
        let files = list_workspace(root, &job.env).await.map_err(RehearsalError::Layer)?;
        if files.len() >= MANY_FILES {
            let text = format!("copies the workspace first: {}", count_files(files.len()));
            on_news(AgentNews::Called { text, calls: 0 });
        }
        let ignored = list_ignored_folders(root, &job.env).await;
        let inside = PathBuf::from(root.file_name().unwrap_or("workspace".as_ref()));
        let copy = job.copy_workspace(root, layer.upper().join(&inside), files, ignored, cancel).await?;
        // Programs can read the workspace itself, too.
        let folders = vec![copy.folder().to_path_buf(), root.to_path_buf()];
        let secrets = find_secrets(folders, job.user_home()).await?;
        Ok(RehearsalGround { layer, inside, copy: Some(copy), secrets })
    }

    /// The ground of a rehearsal that was kept by name: nothing runs there any more.
    pub fn from_kept(layer: KeptLayer, inside: PathBuf) -> RehearsalGround {
        RehearsalGround { layer, inside, copy: None, secrets: Vec::new() }
    }

    /// Where the agent starts.
    pub fn folder(&self) -> PathBuf {
        if self.is_copy() { self.upper() } else { self.root().to_path_buf() }
    }

    /// The workspace.
    pub fn root(&self) -> &Path {
        self.layer.root()
    }

    /// The folder with the changed files.
    pub fn upper(&self) -> PathBuf {
        if self.is_copy() { self.layer.upper().join(&self.inside) } else { self.layer.upper() }
    }

    pub fn is_copy(&self) -> bool {
        !self.inside.as_os_str().is_empty()
    }

    /// How the agent runs. What it applies on the layer has journals of its own: the next start must not look for that
    /// in the workspace.
    pub fn profile(&self, home: &Path) -> SandboxProfile {
        let throwaway = vec![journals_folder(home)];
        match self.is_copy() {
            true => SandboxProfile::Unconfined,
            false => SandboxProfile::Layered(LayerMount { throwaway, ..self.layer.mount(Vec::new()) }),
        }
    }

    pub fn changes(&self) -> io::Result<LayerChanges> {
        match &self.copy {
            Some(copy) => copy.collect_changes(self.root(), self.layer.opened()),
            None => collect_changes(&self.layer.upper(), self.root(), self.layer.opened()),
        }
    }

    /// Settings of the agent: its commands have no network and can change only the layer; what lies outside the plan is
    /// denied. A copy of a folder that the user trusts is trusted.
    pub fn settings(&self, job: &RehearsalJob) -> String {
        let sandbox = json!({"shell": true, "network": false, "denyRead": self.secrets});
        let mut settings = json!({"sandbox": sandbox, "plan": {"scope": "enforce"}});
        if self.is_copy() && is_trusted(&job.home, job.user_home().as_deref(), self.root(), &[]) {
            settings["trust"] = json!([self.folder()]);
        }
        settings.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[tokio::test]
    async fn rh_8_doctor_names_the_cost_of_a_copy() {
        let dir = tempfile::tempdir().unwrap();
        let (home, root) = (dir.path().join("home"), dir.path().join("ws"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a"), vec![0; 3 << 20]).unwrap();
        let settings = |layer| RehearsalSettings { layer, max_megabytes: 2, ..RehearsalSettings::default() };
        let (text, is_layer) = describe_ground(&home, &root, &[], settings(RehearsalLayer::Copy)).await;
        let wanted = "plans are rehearsed on a private copy of the project: 1 file, 3 MB are copied for each rehearsal, \
            because `plan.rehearsal.layer` is `copy`; that is more than `plan.rehearsal.maxMegabytes` (2)";
        assert_eq!((text.as_str(), is_layer), (wanted, false));
    }

    #[tokio::test]
    async fn rh_2_secrets_are_found_in_all_folders() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for file in [".env", "target/debug/key.pem", "node_modules/x/key.pem", "src/main.rs"] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "x").unwrap();
        }
        let mut found = find_secrets(vec![root.clone()], None).await.unwrap();
        found.sort();
        assert_eq!(found, [".env", "node_modules/x/key.pem", "target/debug/key.pem"].map(|file| root.join(file)));
        let odd = root.join("src").join(std::ffi::OsStr::from_bytes(b"\xff.pem"));
        std::fs::write(odd, "x").unwrap();
        let refused = find_secrets(vec![root], None).await.unwrap_err().to_string();
        assert!(refused.contains("src/\u{fffd}.pem looks like a file with keys"), "{refused}");
    }

    /// A program that uses the library recovers like the commands do.
    #[tokio::test]
    async fn rh_3_opened_session_recovers_a_killed_apply() {
        let dir = tempfile::tempdir().unwrap();
        let (home, root) = (dir.path().join("home"), dir.path().canonicalize().unwrap().join("ws"));
        let (below, script, journals) = (root.join("below"), dir.path().join("script.json"), journals_folder(&home));
        std::fs::create_dir_all(&below).unwrap();
        std::fs::create_dir_all(&journals).unwrap();
        std::fs::write(&script, r#"{"turns": []}"#).unwrap();
        let root = root.to_str().unwrap();
        let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
        let (at, staging) = (hex(root), hex(&format!("{root}/.cutonce-apply-1-0")));
        let state = json!({"state": "Staging", "root": at, "staging": staging, "steps": []});
        let file = journals.join(format!("{}.json", &cutonce_core::plan::sha256_hex(root)[..32]));
        std::fs::write(&file, format!("{state}\n")).unwrap();
        let mut builder = crate::builder::SessionBuilder::new(home, below);
        builder.model.main = Some(format!("scripted/{}", script.display()));
        let notices = builder.open().await.unwrap().notices;
        let wanted = format!("applying a rehearsal was interrupted in {root}; it is undone now.");
        assert!(notices.contains(&wanted), "{notices:?}");
        assert!(!file.exists());
    }
}

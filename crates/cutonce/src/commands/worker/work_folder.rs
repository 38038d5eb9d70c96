//! The folder of one job on the worker (FL-3): a clone, and a home of its own with the worker's settings and keys.
//! It is removed when the job ends.

use crate::commands::program_run::{git, git_output};
use crate::start;
use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cutonce_agent::storage::paths::{create_private_dir, write_private};
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::RepoSource;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the job's home does not share with the worker's: sessions, plans, and the keys of remotes.
const NOT_SHARED: &[&str] = &["projects", "plans", "remotes", "teams", "log", "logs", "worker", "rehearsals"];

/// Folders of one job at the same time.
const MAX_FOLDERS: usize = 100;
/// Texts of a checkpoint; a job writes one or two.
const MAX_TEXTS: usize = 20;

pub struct WorkFolder {
    root: PathBuf,
    pub repo: PathBuf,
    pub home: PathBuf,
    /// The commit that the job starts from.
    pub base: String,
}

/// Where workers of this user work.
fn work_root() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("cutonce-worker")
}

/// Names the process that uses a folder.
const OWNER: &str = "owner";

/// Removes folders of workers that died.
pub fn remove_leftovers() {
    for entry in std::fs::read_dir(work_root()).into_iter().flatten().flatten() {
        if !has_live_owner(&entry.path())
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!("{}: {error}", entry.path().display());
        }
    }
}

/// Whether a running worker uses the folder. One without an owner is being created.
fn has_live_owner(folder: &Path) -> bool {
    let owner = std::fs::read_to_string(folder.join(OWNER)).ok().and_then(|pid| pid.trim().parse::<u32>().ok());
    owner.is_none_or(|pid| Path::new("/proc").join(pid.to_string()).exists() || !cfg!(target_os = "linux"))
}

/// Creates the folder of a job. Its name is the same for every attempt, so that paths in the transcript stay true; a
/// number is added only while another worker of this machine still uses it.
fn claim_folder(job: &str) -> anyhow::Result<PathBuf> {
    let root = work_root();
    create_private_dir(&root).with_context(|| format!("can't create {}", root.display()))?;
    let root = root.canonicalize()?;
    for number in 0..MAX_FOLDERS {
        let folder = root.join(if number == 0 { job.to_string() } else { format!("{job}.{number}") });
        if folder.exists() && !has_live_owner(&folder) {
            std::fs::remove_dir_all(&folder)?;
        }
        if std::fs::create_dir(&folder).is_ok() {
            std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
            write_private(&folder.join(OWNER), std::process::id().to_string().as_bytes())?;
            return Ok(folder);
        }
    }
    anyhow::bail!("{} has too many folders of job {job}; remove them", root.display())
}

impl WorkFolder {
    /// Clones the repository of a job.
    pub async fn create(link: &FleetLink, job: &str, repo: &RepoSource) -> anyhow::Result<WorkFolder> {
        let root = claim_folder(job)?;
        let mut folder =
            WorkFolder { repo: root.join("repo"), home: root.join("home"), root: root.clone(), base: String::new() };
        folder.link_home()?;
        folder.clone_repo(link, repo).await?;
        Ok(folder)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        let path = self.root.join(name);
        write_private(&path, bytes)?;
        Ok(path)
    }

    /// Shares settings and keys of the worker with the job.
    fn link_home(&self) -> anyhow::Result<()> {
        create_private_dir(&self.home)?;
        for entry in std::fs::read_dir(start::home_dir()?).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if NOT_SHARED.iter().any(|one| name == *one) || name.to_string_lossy().starts_with('.') {
                continue;
            }
            std::os::unix::fs::symlink(entry.path(), self.home.join(&name))?;
        }
        Ok(())
    }

    async fn clone_repo(&mut self, link: &FleetLink, repo: &RepoSource) -> anyhow::Result<()> {
        let source = match repo {
            RepoSource::Url(url) if url.starts_with('-') || url.contains("::") => {
                anyhow::bail!("the address of the repository is not allowed");
            }
            RepoSource::Url(url) => url.clone(),
            RepoSource::Bundle { blob, .. } => {
                let path = self.write("repo.bundle", &link.get_blob(blob).await?)?;
                path.to_string_lossy().into_owned()
            }
        };
        let target = self.repo.to_string_lossy().into_owned();
        git_output(&self.root, &["clone", "-q", "--no-hardlinks", "--", &source, &target]).await?;
        if !git(&self.repo, &["rev-parse", "-q", "--verify", "HEAD"]).await?.is_success() {
            // A bundle without HEAD: its first branch.
            let refs = git_output(&self.repo, &["for-each-ref", "--count=1", "--format=%(objectname)", "refs/remotes"]);
            let commit = String::from_utf8(refs.await?)?.trim().to_string();
            anyhow::ensure!(!commit.is_empty(), "the repository is empty");
            git_output(&self.repo, &["checkout", "-q", "-B", "work", &commit]).await?;
        }
        self.base = String::from_utf8(git_output(&self.repo, &["rev-parse", "HEAD"]).await?)?.trim().to_string();
        Ok(())
    }

    /// All changes since the clone, committed or not, as a patch.
    pub async fn changes(&self) -> anyhow::Result<Vec<u8>> {
        git_output(&self.repo, &["add", "-A"]).await?;
        git_output(&self.repo, &["diff", "--cached", "--binary", "--no-color", "--no-ext-diff", &self.base]).await
    }

    /// The work so far, for a worker that continues it.
    pub async fn checkpoint(&self) -> anyhow::Result<Vec<u8>> {
        let mut texts = BTreeMap::new();
        for entry in std::fs::read_dir(self.texts_folder()).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let is_text = path.extension().is_some_and(|end| end == "md");
            if let (true, Ok(text)) = (is_text && texts.len() < MAX_TEXTS, std::fs::read_to_string(&path)) {
                texts.insert(name, text);
            }
        }
        let patch = STANDARD.encode(self.changes().await?);
        Ok(serde_json::to_vec(&WorkCheckpoint { patch, texts })?)
    }

    /// Brings a fresh clone to the state that another worker left.
    pub async fn apply_checkpoint(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let WorkCheckpoint { patch, texts } = serde_json::from_slice(bytes)?;
        for (name, text) in texts.iter().filter(|(name, _)| is_plain_name(name)) {
            write_private(&self.texts_folder().join(name), text.as_bytes())?;
        }
        let patch = STANDARD.decode(patch)?;
        if patch.is_empty() {
            return Ok(());
        }
        let file = self.write("earlier.patch", &patch)?;
        git_output(&self.repo, &["apply", "--binary", "--whitespace=nowarn", &file.to_string_lossy()]).await?;
        Ok(())
    }

    /// Where the job's session writes its texts.
    fn texts_folder(&self) -> PathBuf {
        self.home.join("plans")
    }
}

/// What a dead worker leaves to the next one, besides the transcript.
#[derive(serde::Serialize, serde::Deserialize)]
struct WorkCheckpoint {
    /// The changes of the clone, as base64.
    patch: String,
    texts: BTreeMap<String, String>,
}

fn is_plain_name(name: &str) -> bool {
    name.ends_with(".md") && !name.starts_with('.') && !name.contains('/')
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.root) {
            tracing::warn!("{}: {error}", self.root.display());
        }
    }
}

//! The folder of one job on the worker (FL-3): a clone, and a home of its own with the worker's settings and keys.
//! It is removed when the job ends.

use crate::commands::program_run::{git, git_output, git_output_with};
use crate::start;
use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cutonce_agent::storage::paths::{create_private_dir, write_private};
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::RepoSource;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the job's home does not share with the worker's: sessions, plans, and the keys of remotes.
const NOT_SHARED: &[&str] = &["projects", "plans", "remotes", "teams", "log", "logs", "worker", "rehearsals"];

/// How long the creation of a folder may take.
const CREATION: Duration = Duration::from_secs(60);
/// Folders of one job at the same time.
const MAX_FOLDERS: usize = 100;
/// Texts of a checkpoint; a job writes one or two.
const MAX_TEXTS: usize = 20;

pub struct WorkFolder {
    root: PathBuf,
    pub repo: PathBuf,
    /// A copy of the repository that the job never sees. The job may change its own, whose settings name programs.
    git: PathBuf,
    pub home: PathBuf,
    /// The commit that the job starts from.
    pub base: String,
    /// Paths of its submodules.
    submodules: Vec<Vec<u8>>,
    /// Keeps other workers from removing the folder.
    _owner: File,
}

/// Where workers of this user work.
fn work_root() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("cutonce-worker")
}

/// A file that the worker keeps locked while it uses the folder. The kernel releases it when the worker dies.
const OWNER: &str = "owner";
/// The worker's own index of the job's files.
const INDEX: &str = "changes.index";
/// How git lists a submodule.
const LINK: &[u8] = b"160000 ";
/// Begins the name of a folder that is being created.
const UNFINISHED: &str = ".new-";

/// Removes folders of workers that died.
pub fn remove_leftovers() {
    for entry in std::fs::read_dir(work_root()).into_iter().flatten().flatten() {
        if !is_in_use(&entry.path())
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!("{}: {error}", entry.path().display());
        }
    }
}

/// Whether a running worker uses the folder.
fn is_in_use(folder: &Path) -> bool {
    match File::open(folder.join(OWNER)) {
        Ok(owner) => matches!(owner.try_lock(), Err(TryLockError::WouldBlock)),
        // Without the file it is a folder that is being created, unless that was long ago.
        Err(_) => {
            let age = folder.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
            age.is_none_or(|age| age < CREATION)
        }
    }
}

/// Creates the folder of a job. Its name is the same for every attempt, so that paths in the transcript stay true; a
/// number is added only while another worker of this machine still uses it.
fn claim_folder(job: &str) -> anyhow::Result<(PathBuf, File)> {
    let root = work_root();
    create_private_dir(&root).with_context(|| format!("can't create {}", root.display()))?;
    let root = root.canonicalize()?;
    let unfinished = root.join(format!("{UNFINISHED}{}", cutonce_agent::new_id()));
    create_private_dir(&unfinished)?;
    let owner = File::create_new(unfinished.join(OWNER))?;
    owner.lock()?;
    for number in 0..MAX_FOLDERS {
        let folder = root.join(if number == 0 { job.to_string() } else { format!("{job}.{number}") });
        if folder.exists() && !is_in_use(&folder) {
            std::fs::remove_dir_all(&folder)?;
        }
        // Fails if the folder exists, because it is never empty.
        if std::fs::rename(&unfinished, &folder).is_ok() {
            return Ok((folder, owner));
        }
    }
    anyhow::bail!("{} has too many folders of job {job}; remove them", root.display())
}

impl WorkFolder {
    /// Clones the repository of a job.
    pub async fn create(link: &FleetLink, job: &str, repo: &RepoSource) -> anyhow::Result<WorkFolder> {
        let (root, _owner) = claim_folder(job)?;
        let (repo_folder, home) = (root.join("repo"), root.join("home"));
        let git = root.join("git");
        let mut folder =
            WorkFolder { root, repo: repo_folder, git, home, base: String::new(), submodules: Vec::new(), _owner };
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
            RepoSource::Url(url) if !RepoSource::is_address(url) => {
                anyhow::bail!("the address of the repository is not allowed");
            }
            RepoSource::Url(url) => url.clone(),
            RepoSource::Bundle { blob, .. } => {
                let path = self.write("repo.bundle", &link.get_blob(blob).await?)?;
                path.to_string_lossy().into_owned()
            }
        };
        let (kept, target) = (self.git.to_string_lossy(), self.repo.to_string_lossy());
        git_output(&self.root, &["clone", "-q", "--bare", "--no-hardlinks", "--", &source, &kept]).await?;
        git_output(&self.root, &["clone", "-q", "--no-hardlinks", "--", &kept, &target]).await?;
        git_output(&self.repo, &["remote", "set-url", "origin", &source]).await?;
        if !git(&self.repo, &["rev-parse", "-q", "--verify", "HEAD"]).await?.is_success() {
            // A bundle without HEAD: its first branch.
            let refs = git_output(&self.repo, &["for-each-ref", "--count=1", "--format=%(objectname)", "refs/remotes"]);
            let commit = String::from_utf8(refs.await?)?.trim().to_string();
            anyhow::ensure!(!commit.is_empty(), "the repository is empty");
            git_output(&self.repo, &["checkout", "-q", "-B", "work", &commit]).await?;
        }
        self.base = String::from_utf8(git_output(&self.repo, &["rev-parse", "HEAD"]).await?)?.trim().to_string();
        std::fs::copy(self.repo.join(".git/index"), self.root.join(INDEX)).or_else(ignore_missing)?;
        let tree = self.own_git(&["ls-tree", "-r", "-z", &self.base], &[]).await?;
        let links = tree.split(|byte| *byte == 0).filter(|entry| entry.starts_with(LINK));
        self.submodules =
            links.filter_map(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1)).map(Vec::from).collect();
        Ok(())
    }

    /// Runs git on the files of the job, with the repository that the job never sees.
    pub(super) async fn own_git(&self, args: &[&str], more: &[(&str, &OsStr)]) -> anyhow::Result<Vec<u8>> {
        self.own_git_with_input(args, more, None).await
    }

    async fn own_git_with_input(
        &self,
        args: &[&str],
        more: &[(&str, &OsStr)],
        input: Option<&[u8]>,
    ) -> anyhow::Result<Vec<u8>> {
        let index = self.root.join(INDEX);
        let own = [
            ("GIT_DIR", self.git.as_os_str()),
            ("GIT_WORK_TREE", self.repo.as_os_str()),
            ("GIT_INDEX_FILE", index.as_os_str()),
        ];
        git_output_with(&self.repo, args, &[&own[..], more].concat(), input).await
    }

    /// All changes since the clone, committed or not, as a patch. The job's git commands may run at the same time, and
    /// the job must not see files staged by others.
    pub async fn changes(&self) -> anyhow::Result<Vec<u8>> {
        self.stage_files().await?;
        let diff =
            ["diff", "--cached", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short"];
        self.own_git(&[&diff[..], &[&self.base]].concat(), &[]).await
    }

    /// Brings the worker's index up to date. Git asks a repository inside the clone for its state if that is in the
    /// index, and its settings can name programs: so git sees it as new each time. Of submodules it reads the commit.
    async fn stage_files(&self) -> anyhow::Result<()> {
        let changed = self.own_git(&["diff-index", "--cached", "--raw", "--no-renames", "-z", &self.base], &[]).await?;
        let mut nested = Vec::new();
        let mut fields = changed.split(|byte| *byte == 0);
        // `:MODE MODE HASH HASH STATUS`, then the path.
        while let (Some(modes), Some(path)) = (fields.next(), fields.next()) {
            if modes.get(8..).is_some_and(|new| new.starts_with(LINK)) && !self.submodules.iter().any(|one| one == path)
            {
                nested.push(path.to_vec());
            }
        }
        let index = async |args: &[&str], paths: Vec<u8>| self.own_git_with_input(args, &[], Some(&paths)).await;
        index(&["update-index", "-z", "--force-remove", "--stdin"], with_end(&nested, "")).await?;
        let rest = [b".\0", &with_end(&self.submodules, ":(top,exclude,literal)")[..]].concat();
        index(&["add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"], rest).await?;
        index(&["update-index", "-z", "--add", "--remove", "--stdin"], with_end(&self.submodules, "")).await?;
        Ok(())
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

/// Paths as git reads them, each with something before it.
fn with_end(paths: &[Vec<u8>], before: &str) -> Vec<u8> {
    paths.iter().flat_map(|path| [before.as_bytes(), path, b"\0"].concat()).collect()
}

fn ignore_missing(error: std::io::Error) -> std::io::Result<u64> {
    if error.kind() == ErrorKind::NotFound { Ok(0) } else { Err(error) }
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

//! What git ignores: folders that commands write directly, and files that are never outside a scope (PC-20, PC-21).

use crate::files::{IgnoreRules, is_folder, walk_below};
use crate::shell::confine::private_folder;
use crate::shell::process::git;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_sandbox::{
    ProcessExit, ReadOnlyProfile, ResourceLimits, SandboxProfile, SpawnSpec, StdinMode, StdoutMode, find_program,
};
use ignore::DirEntry;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Folders to mount; with more, the rest is written through the layer.
const MAX_FOLDERS: usize = 200;

/// The ignored folders of a workspace, until a command makes another one, or the rules or tracked files change.
#[derive(Default)]
pub(super) struct IgnoredFolders(Mutex<Option<(RuleStamps, Vec<PathBuf>)>>);

/// Metadata that differs if a file was replaced.
type RuleStamps = [Option<(u64, i64, i64, u64)>; 3];

fn rule_stamps(root: &Path) -> RuleStamps {
    [".gitignore", ".git/info/exclude", ".git/index"].map(|name| {
        let about = root.join(name).symlink_metadata().ok()?;
        Some((about.ino(), about.ctime(), about.ctime_nsec(), about.size()))
    })
}

impl IgnoredFolders {
    /// The folders that git and the scope's rules ignore.
    pub async fn folders(&self, root: &Path, rules: &IgnoreRules, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
        let all = self.ignored_now(root, env).await;
        let named = all.iter().filter_map(|folder| folder.strip_prefix(root).ok());
        // Git looked at the tracked files when it listed the folders.
        let ignored = rules.named_among(named.map(|folder| (folder, true)));
        all.into_iter().filter(|folder| folder.strip_prefix(root).is_ok_and(|path| ignored.contains(path))).collect()
    }

    /// The folders that git ignores now.
    pub async fn ignored_now(&self, root: &Path, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
        let (known, stamps) = (self.0.lock_unpoisoned().clone(), rule_stamps(root));
        if let Some((_, known)) = known.filter(|(then, _)| *then == stamps) {
            return known;
        }
        let args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
        let listed = run_git(root, env, &args, Vec::new()).await.unwrap_or_default();
        let entries = listed.split(|byte| *byte == 0).filter_map(|entry| entry.strip_suffix(b"/"));
        let paths = entries.map(|entry| root.join(OsString::from_vec(entry.to_vec())));
        let found: Vec<PathBuf> = paths.filter(|path| is_plain_folder(path)).take(MAX_FOLDERS).collect();
        *self.0.lock_unpoisoned() = Some((stamps, found.clone()));
        found
    }

    pub fn forget(&self) {
        *self.0.lock_unpoisoned() = None;
    }
}

/// A folder of a repository inside the ignored one would be a way around the scope only for ignored files; a link
/// would be a way out of the workspace.
fn is_plain_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Folders on the layer that the workspace does not have and git ignores; the outermost ones.
pub(super) fn new_ignored_folders(root: &Path, upper: &Path, rules: &IgnoreRules) -> Vec<PathBuf> {
    let found = new_folders(root, upper);
    rules.ignored_among(found.iter().map(|folder| (folder.as_path(), true))).into_iter().collect()
}

fn new_folders(root: &Path, upper: &Path) -> Vec<PathBuf> {
    let (workspace, layer) = (root.to_path_buf(), upper.to_path_buf());
    let in_known_folder = move |entry: &DirEntry| {
        let around = entry.path().parent().and_then(|folder| folder.strip_prefix(&layer).ok());
        around.is_some_and(|folder| folder == Path::new("") || is_plain_folder(&workspace.join(folder)))
    };
    let is_git = |entry: &DirEntry| entry.depth() == 1 && entry.file_name() == ".git";
    let keep = move |entry: &DirEntry| is_folder(entry) && !is_git(entry) && in_known_folder(entry);
    let folders = walk_below(upper, keep).flatten();
    let named = folders.filter_map(|entry| Some(entry.path().strip_prefix(upper).ok()?.to_path_buf()));
    named.filter(|folder| root.join(folder).symlink_metadata().is_err()).collect()
}

/// Runs git outside the layer, without programs that the repository names; `None` if it can't run. Only for commands
/// that don't read files of the workspace: they could need a filter.
pub(super) async fn run_git(
    root: &Path,
    env: &[(OsString, OsString)],
    args: &[&str],
    input: Vec<u8>,
) -> Option<Vec<u8>> {
    run(root, env, args, input, SandboxProfile::Unconfined).await.map(|ended| ended.output)
}

/// Like [`run_git`], but `None` if git failed, too: a part of a list is no list.
pub(super) async fn list_with_git(root: &Path, env: &[(OsString, OsString)], args: &[&str]) -> Option<Vec<u8>> {
    let ended = run(root, env, args, Vec::new(), SandboxProfile::Unconfined).await?;
    (ended.exit == ProcessExit::Exited(0)).then_some(ended.output)
}

struct EndedGit {
    exit: ProcessExit,
    output: Vec<u8>,
}

/// Runs a git command that reads files. Filters are programs that the repository can name, so they are confined.
/// `None` if git can't run, or this machine has no sandbox.
pub(super) async fn run_confined_git(root: &Path, env: &[(OsString, OsString)], args: &[&str]) -> Option<Vec<u8>> {
    let folder = private_folder().ok()?;
    let profile = ReadOnlyProfile {
        tmp: folder.ready("").ok()?,
        hide: Vec::new(),
        stand_ins: Vec::new(),
        readable: Vec::new(),
        scratch: None,
        listener: None,
        background: false,
        limits: ResourceLimits::default(),
    };
    run(root, env, args, Vec::new(), SandboxProfile::ReadOnly(profile)).await.map(|ended| ended.output)
}

async fn run(
    root: &Path,
    env: &[(OsString, OsString)],
    args: &[&str],
    input: Vec<u8>,
    profile: SandboxProfile,
) -> Option<EndedGit> {
    let program = find_program("git", env)?;
    let env = git::without_repository_programs(env.to_vec());
    let mut spawn = SpawnSpec::new(program, root, env).args(args.iter().copied()).profile(profile);
    (spawn.input, spawn.output) = (StdinMode::Piped, StdoutMode::Separate);
    let mut running = spawn.start().ok()?;
    let (mut stdin, mut stdout) = (running.stdin.take()?, running.stdout.take()?);
    let write = async move {
        let _ = stdin.write_all(&input).await;
    };
    let mut output = Vec::new();
    let (_, read) = tokio::join!(write, stdout.read_to_end(&mut output));
    read.ok()?;
    let exit = running.wait().await.ok()?;
    Some(EndedGit { exit, output })
}

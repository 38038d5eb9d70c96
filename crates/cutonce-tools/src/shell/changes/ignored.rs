//! What git ignores: folders that commands write directly, and files that are never outside a scope (PC-20, PC-21).

use crate::shell::confine::private_folder;
use crate::shell::process::git;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_sandbox::{
    ReadOnlyProfile, ResourceLimits, SandboxProfile, SpawnSpec, StdinMode, StdoutMode, find_program,
};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Folders to mount; with more, the rest is written through the layer.
const MAX_FOLDERS: usize = 200;

/// The ignored folders of a workspace, until a command makes another one, or the rules or tracked files change.
#[derive(Default)]
pub(super) struct IgnoredFolders(Mutex<Option<(RuleStamps, Vec<PathBuf>)>>);

/// What tells that a file is another one.
type RuleStamps = [Option<(u64, i64, i64, u64)>; 3];

fn rule_stamps(root: &Path) -> RuleStamps {
    [".gitignore", ".git/info/exclude", ".git/index"].map(|name| {
        let about = root.join(name).symlink_metadata().ok()?;
        Some((about.ino(), about.ctime(), about.ctime_nsec(), about.size()))
    })
}

impl IgnoredFolders {
    pub async fn folders(&self, root: &Path, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
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

/// Which of these paths git ignores. Tracked files are never ignored.
pub(super) async fn ignored_paths(root: &Path, env: &[(OsString, OsString)], paths: &[PathBuf]) -> BTreeSet<PathBuf> {
    // Reading the index of a large repository takes long, and only files that a rule names need it.
    let named = check_ignore(root, env, &["check-ignore", "--no-index", "-z", "--stdin"], paths).await;
    check_ignore(root, env, &["check-ignore", "-z", "--stdin"], &named).await.into_iter().collect()
}

async fn check_ignore(root: &Path, env: &[(OsString, OsString)], args: &[&str], paths: &[PathBuf]) -> Vec<PathBuf> {
    if paths.is_empty() {
        return Vec::new();
    }
    let input = paths.iter().flat_map(|path| path.as_os_str().as_bytes().iter().copied().chain([0])).collect();
    let output = run_git(root, env, args, input).await.unwrap_or_default();
    let entries = output.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    entries.map(|entry| PathBuf::from(OsString::from_vec(entry.to_vec()))).collect()
}

/// Folders on the layer that the workspace does not have and git ignores; the outermost ones.
pub(super) async fn new_ignored_folders(root: &Path, upper: &Path, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let found = new_folders(root, upper);
    // With a slash at the end git knows that it is a folder.
    let named: Vec<PathBuf> = found.iter().map(|folder| folder.join("")).collect();
    let ignored = ignored_paths(root, env, &named).await;
    found.into_iter().zip(named).filter(|(_, named)| ignored.contains(named)).map(|(folder, _)| folder).collect()
}

fn new_folders(root: &Path, upper: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(upper.join(&folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            if !is_plain_folder(&entry.path()) || path == Path::new(".git") {
                continue;
            }
            match root.join(&path).symlink_metadata() {
                Ok(about) if about.is_dir() => folders.push(path),
                Ok(_) => {}
                Err(_) => found.push(path),
            }
        }
    }
    found
}

/// Runs git outside the layer, without programs that the repository names; `None` if it can't run. Only for commands
/// that don't read files of the workspace: they could need a filter.
pub(super) async fn run_git(
    root: &Path,
    env: &[(OsString, OsString)],
    args: &[&str],
    input: Vec<u8>,
) -> Option<Vec<u8>> {
    run(root, env, args, input, SandboxProfile::Unconfined).await
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
    run(root, env, args, Vec::new(), SandboxProfile::ReadOnly(profile)).await
}

async fn run(
    root: &Path,
    env: &[(OsString, OsString)],
    args: &[&str],
    input: Vec<u8>,
    profile: SandboxProfile,
) -> Option<Vec<u8>> {
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
    running.wait().await.ok()?;
    Some(output)
}

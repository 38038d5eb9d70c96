//! The files of a workspace that a private copy needs (RH-8): tracked ones, and those that git does not ignore.

use super::ignored::{IgnoredFolders, list_with_git};
use crate::files::{is_folder, walk_below};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Files outside a repository; with more, a copy would take too long.
const MAX_FILES: usize = 1_000_000;

/// Repositories inside the workspace whose files are listed.
const MAX_REPOSITORIES: usize = 1_000;
const LIST_FILES: [&str; 5] = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];

/// Lists the files, relative to the workspace. Outside a repository these are all files.
pub async fn list_workspace(root: &Path, env: &[(OsString, OsString)]) -> io::Result<Vec<PathBuf>> {
    let inside = list_with_git(root, env, &["rev-parse", "--is-inside-work-tree"]).await.unwrap_or_default();
    if inside.trim_ascii() != b"true" {
        let root = root.to_path_buf();
        return tokio::task::spawn_blocking(move || all_files(&root)).await.unwrap_or_else(|error| Err(error.into()));
    }
    let (mut files, mut repositories, mut looked_at) = (Vec::new(), vec![PathBuf::new()], 0);
    while let Some(repository) = repositories.pop() {
        looked_at += 1;
        let listed = match list_with_git(&root.join(&repository), env, &LIST_FILES).await {
            _ if looked_at > MAX_REPOSITORIES => {
                let why = format!("the workspace has more than {MAX_REPOSITORIES} repositories inside");
                return Err(io::Error::other(why));
            }
            Some(listed) => listed,
            None if looked_at == 1 => {
                return Err(io::Error::other("git can't list the files of the workspace; `git status` says why"));
            }
            // A broken repository inside: its files are not copied.
            None => continue,
        };
        let entries = listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        for path in entries.map(|entry| repository.join(OsString::from_vec(entry.to_vec()))) {
            // A folder in the list is a repository of its own: a submodule or one that git does not track.
            match has_own_repository(&root.join(&path)) {
                true => repositories.push(path),
                false => files.push(path),
            }
        }
    }
    // A file with a merge conflict is listed more than once.
    files.sort();
    files.dedup();
    Ok(files)
}

fn has_own_repository(folder: &Path) -> bool {
    folder.symlink_metadata().is_ok_and(|about| about.is_dir()) && folder.join(".git").symlink_metadata().is_ok()
}

/// Lists folders that git ignores and that exist, relative to the workspace: a private copy has them empty, so that
/// builds can write there.
pub async fn list_ignored_folders(root: &Path, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let folders = IgnoredFolders::default().ignored_now(root, env).await;
    folders.iter().filter_map(|folder| folder.strip_prefix(root).ok()).map(Path::to_path_buf).collect()
}

fn all_files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = walk_below(root, |_| true).flatten().filter(|entry| !is_folder(entry));
    let named = entries.filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_path_buf()));
    let mut files: Vec<PathBuf> = named.take(MAX_FILES + 1).collect();
    if files.len() > MAX_FILES {
        return Err(io::Error::other(format!("the workspace has more than {MAX_FILES} files")));
    }
    files.sort();
    Ok(files)
}

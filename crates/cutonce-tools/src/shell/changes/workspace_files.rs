//! The files of a workspace that a private copy needs (RH-8): tracked ones, and those that git does not ignore.

use super::ignored::run_git;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Files outside a repository; with more, a copy would take too long.
const MAX_FILES: usize = 1_000_000;

/// Lists the files, relative to the workspace. Outside a repository these are all files.
pub async fn list_workspace(root: &Path, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let inside = run_git(root, env, &["rev-parse", "--is-inside-work-tree"], Vec::new()).await.unwrap_or_default();
    if inside.trim_ascii() != b"true" {
        let root = root.to_path_buf();
        return tokio::task::spawn_blocking(move || all_files(&root)).await.unwrap_or_default();
    }
    let args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let listed = run_git(root, env, &args, Vec::new()).await.unwrap_or_default();
    let entries = listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    let mut files: Vec<PathBuf> = entries.map(|entry| PathBuf::from(OsString::from_vec(entry.to_vec()))).collect();
    // A file with a merge conflict is listed more than once.
    files.sort();
    files.dedup();
    files
}

/// Lists folders that git ignores and that exist, relative to the workspace: a private copy has them empty, so that
/// builds can write there.
pub async fn list_ignored_folders(root: &Path, env: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
    let listed = run_git(root, env, &args, Vec::new()).await.unwrap_or_default();
    let folders = listed.split(|byte| *byte == 0).filter_map(|entry| entry.strip_suffix(b"/"));
    folders.map(|entry| PathBuf::from(OsString::from_vec(entry.to_vec()))).collect()
}

fn all_files(root: &Path) -> Vec<PathBuf> {
    let (mut open, mut files) = (vec![PathBuf::new()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(_) if files.len() < MAX_FILES => files.push(path),
                Ok(_) | Err(_) => {}
            }
        }
    }
    files.sort();
    files
}

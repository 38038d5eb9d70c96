//! Other names of protected files (SB-4). A hard link in the workspace is the same file under a name that nothing
//! protects, so a command could write through it. Hard links to any other file are the workspace's own: package stores
//! and local clones share files that way.

use crate::files::walk_below;
use crate::workspace::is_protected_name;
use ignore::DirEntry;
use std::collections::{HashSet, VecDeque};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders of git's data with many files, which no program runs or trusts.
const DATA_FOLDERS: [&str; 5] = ["objects", "refs", "logs", "lfs", "annex"];
/// Entries of protected places that are looked at, those near the top first.
const MAX_ENTRIES: usize = 10_000;

/// A file, whatever its names are.
type FileId = (u64, u64);

/// Finds other names, in these folders, of the files at or below protected places.
pub(crate) fn find_other_names(folders: &[PathBuf], protected: &[PathBuf]) -> Vec<PathBuf> {
    let linked = linked_files(protected);
    match linked.is_empty() {
        true => Vec::new(),
        false => find_names(folders, &linked),
    }
}

/// The files at or below these places that have more than one name.
fn linked_files(places: &[PathBuf]) -> HashSet<FileId> {
    let (mut open, mut linked) = (VecDeque::from(places.to_vec()), HashSet::new());
    for _ in 0..MAX_ENTRIES {
        let Some(path) = open.pop_front() else { break };
        let Ok(meta) = path.symlink_metadata() else { continue };
        if meta.is_file() && meta.nlink() > 1 {
            linked.insert((meta.dev(), meta.ino()));
        }
        let is_data = |name: &std::ffi::OsStr| DATA_FOLDERS.iter().any(|data| name == *data);
        if meta.is_dir() && !path.file_name().is_some_and(is_data) {
            open.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
    linked
}

fn find_names(folders: &[PathBuf], files: &HashSet<FileId>) -> Vec<PathBuf> {
    let inodes: HashSet<u64> = files.iter().map(|(_, inode)| *inode).collect();
    let is_one = |path: &Path| path.symlink_metadata().is_ok_and(|meta| files.contains(&(meta.dev(), meta.ino())));
    let is_open = |entry: &DirEntry| !is_protected_name(entry.file_name());
    let entries = folders.iter().flat_map(|folder| walk_below(folder, is_open)).flatten();
    let others = entries.filter(|entry| entry.ino().is_some_and(|inode| inodes.contains(&inode)));
    others.map(DirEntry::into_path).filter(|path| is_one(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn sb_4_other_names_of_protected_files_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for folder in ["ws/.git/hooks", "ws/.git/objects", "ws/src/deep", "ws/node_modules", "home", "store"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["ws/.git/hooks/pre-commit", "ws/.git/config", "ws/.git/objects/ab", "home/.bashrc", "store/a"] {
            fs::write(at(file), "x").unwrap();
        }
        let protected = [at("ws/.git"), at("home/.bashrc")];
        assert!(find_other_names(&[at("ws")], &protected).is_empty());
        fs::hard_link(at("ws/.git/objects/ab"), at("ws/ab")).unwrap();
        fs::hard_link(at("store/a"), at("ws/node_modules/a")).unwrap();
        assert!(find_other_names(&[at("ws")], &protected).is_empty(), "clones and package stores share files");
        fs::hard_link(at("ws/.git/hooks/pre-commit"), at("ws/src/deep/hook")).unwrap();
        fs::hard_link(at("home/.bashrc"), at("ws/notes")).unwrap();
        let mut found = find_other_names(&[at("ws")], &protected);
        found.sort();
        assert_eq!(found, [at("ws/notes"), at("ws/src/deep/hook")]);
    }
}

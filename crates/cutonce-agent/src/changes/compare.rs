//! Two walks over one workspace, and what differs between them.

use super::walk::{Folder, Stamp, Tree, Unseen};
use cutonce_core::harmless::visible;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What differs from the moment of entering.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// By path. What is inside a `.git` folder is one of them.
    pub files: Vec<Change>,
    /// How many files differ, each one inside `.git` counted.
    pub total: usize,
    /// How many files there are now, all looked at.
    pub checked: usize,
    /// Folders that could not be compared, and why.
    pub unseen: Vec<(PathBuf, Unseen)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Changed,
    Created,
    Deleted,
    /// Of a folder: something was created, removed or renamed in it before it could be noted; what, nobody knows.
    Folder,
    /// Of a `.git` folder: so many files in it differ.
    Git(usize),
}

impl Changes {
    /// One line a change, at most `most` of them, with paths relative to `root` where they are inside.
    pub fn lines(&self, root: &Path, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = self.files.iter().take(most).map(|change| line(change, root)).collect();
        let more = self.files.len().saturating_sub(most);
        if more > 0 {
            lines.push(format!("… and {more} more"));
        }
        lines
    }

    /// One line a folder that could not be compared.
    pub(crate) fn unseen_lines(&self, root: &Path) -> Vec<String> {
        let told = self.unseen.iter().map(|(path, why)| {
            let why = match why {
                Unseen::OtherDisk => "another disk is mounted there",
                Unseen::Unreadable(why) => why,
                Unseen::TooMany => "there are too many files",
            };
            format!("{}/ was not compared: {why}", shown(path, root))
        });
        told.collect()
    }
}

fn line(change: &Change, root: &Path) -> String {
    let path = shown(&change.path, root);
    match change.kind {
        Kind::Changed => path,
        Kind::Created => format!("{path} (new)"),
        Kind::Deleted => format!("{path} (deleted)"),
        Kind::Folder => format!("{path}/ (files came or went)"),
        Kind::Git(1) => format!("{path} (1 file)"),
        Kind::Git(files) => format!("{path} ({files} files)"),
    }
}

/// On one line, whatever is in the name.
fn shown(path: &Path, root: &Path) -> String {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let inner = if inner.as_os_str().is_empty() { Path::new(".") } else { inner };
    visible(&inner.to_string_lossy()).replace('\n', "\\n").replace('\t', "\\t")
}

/// `entered`: a file that was changed later differs, also if the first walk saw it only after that.
pub(super) fn compare(before: &Tree, after: &Tree, entered: i64, roots: &[PathBuf], except: &[PathBuf]) -> Changes {
    let mut differing = BTreeMap::new();
    let nothing = Folder::default();
    for (path, old) in &before.folders {
        if let Some(new) = after.folders.get(path) {
            compare_folder(path, old, new, entered, &mut differing);
        } else if !hidden(&after.unseen, path) {
            compare_folder(path, old, &nothing, entered, &mut differing);
        }
    }
    for (path, new) in &after.folders {
        if !before.folders.contains_key(path) && !hidden(&before.unseen, path) {
            compare_folder(path, &nothing, new, entered, &mut differing);
        }
    }
    differing.retain(|path, _| !except.iter().any(|one| path.starts_with(one)));
    let told: BTreeSet<&Path> = differing.keys().chain(except).filter_map(|path| path.parent()).collect();
    let late = before.folders.iter().filter(|(path, folder)| {
        folder.changed > entered && !told.contains(path.as_path()) && !except.iter().any(|one| path.starts_with(one))
    });
    let late: Vec<(PathBuf, Kind)> = late.map(|(path, _)| (path.clone(), Kind::Folder)).collect();
    let total = differing.len();
    differing.extend(late);
    let mut unseen: Vec<_> =
        before.unseen.iter().chain(&after.unseen).map(|(p, why)| (p.clone(), why.clone())).collect();
    unseen.sort_by(|a, b| a.0.cmp(&b.0));
    unseen.dedup_by(|a, b| a.0 == b.0);
    Changes { files: grouped(differing, roots), total, checked: after.folders.values().map(Folder::len).sum(), unseen }
}

/// Nothing is known about what is in or below an unseen folder.
fn hidden(unseen: &HashMap<PathBuf, Unseen>, path: &Path) -> bool {
    !unseen.is_empty() && path.ancestors().any(|folder| unseen.contains_key(folder))
}

/// Both are in the order of their names.
fn compare_folder(path: &Path, old: &Folder, new: &Folder, entered: i64, differing: &mut BTreeMap<PathBuf, Kind>) {
    let (mut old, mut new) = (old.files().peekable(), new.files().peekable());
    let mut note = |name: &OsStr, kind: Kind| {
        differing.insert(path.join(name), kind);
    };
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((old, _)), Some((new, _))) => old.cmp(new),
        };
        match order {
            Ordering::Less => {
                if let Some((name, _)) = old.next() {
                    note(name, Kind::Deleted);
                }
            }
            Ordering::Greater => {
                if let Some((name, _)) = new.next() {
                    note(name, Kind::Created);
                }
            }
            Ordering::Equal => {
                if let (Some((name, old)), Some((_, new))) = (old.next(), new.next())
                    && differs(old, new, entered)
                {
                    note(name, Kind::Changed);
                }
            }
        }
    }
}

fn differs(old: &Stamp, new: &Stamp, entered: i64) -> bool {
    old != new || old.changed > entered
}

/// Everything inside a `.git` folder in one line: git changes many files for one reason.
fn grouped(differing: BTreeMap<PathBuf, Kind>, roots: &[PathBuf]) -> Vec<Change> {
    let mut files: BTreeMap<PathBuf, Kind> = BTreeMap::new();
    // A workspace may itself lie below such a folder.
    let inside = |folder: &Path| roots.iter().any(|root| folder.starts_with(root) && folder != root);
    let is_git = |folder: &&Path| folder.file_name().is_some_and(|name| name == ".git") && inside(folder);
    for (path, kind) in differing {
        // A file of this name is a worktree's, and no folder.
        let git = path.ancestors().skip(usize::from(kind != Kind::Folder)).find(is_git);
        match (git, kind) {
            (None, kind) => {
                files.insert(path, kind);
            }
            // How many came and went there, nobody knows; at least one did.
            (Some(git), Kind::Changed | Kind::Created | Kind::Deleted | Kind::Folder | Kind::Git(_)) => {
                let entry = files.entry(git.to_path_buf()).or_insert(Kind::Git(0));
                if let Kind::Git(number) = entry {
                    *number += 1;
                }
            }
        }
    }
    files.into_iter().map(|(path, kind)| Change { path, kind }).collect()
}

//! Compares two walks of a workspace.

use super::walk::{UnseenReason, WalkStamp, WalkedFolder, WalkedTree};
use cutonce_core::text::sanitize::reveal_hidden;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The differences since plan mode was entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceChanges {
    /// Changes by path. All changes inside a `.git` folder are one entry.
    pub files: Vec<WorkspaceChange>,
    /// The number of changed files, including each one inside `.git`.
    pub total: usize,
    /// The number of files checked.
    pub checked: usize,
    /// Folders that could not be compared, and why.
    pub unseen: Vec<(PathBuf, UnseenReason)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceChange {
    pub path: PathBuf,
    pub kind: WorkspaceChangeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkspaceChangeKind {
    Changed,
    Created,
    Deleted,
    /// A folder whose entries changed before they were recorded; which ones is unknown.
    Folder,
    /// A `.git` folder and the number of changed files in it.
    Git(usize),
}

impl WorkspaceChanges {
    /// At most `most` lines, one per change, with paths relative to `root`.
    pub fn lines(&self, root: &Path, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = self.files.iter().take(most).map(|change| change_line(change, root)).collect();
        let more = self.files.len().saturating_sub(most);
        if more > 0 {
            lines.push(format!("… and {more} more"));
        }
        lines
    }

    /// One line per folder that could not be compared.
    pub(crate) fn unseen_lines(&self, root: &Path) -> Vec<String> {
        let told = self.unseen.iter().map(|(path, why)| {
            let why = match why {
                UnseenReason::OtherFileSystem => "another file system is mounted there",
                UnseenReason::Unreadable(why) => why,
                UnseenReason::TooMany => "there are too many files",
            };
            format!("{}/ was not compared: {why}", display_path(path, root))
        });
        told.collect()
    }
}

fn change_line(change: &WorkspaceChange, root: &Path) -> String {
    let path = display_path(&change.path, root);
    match change.kind {
        WorkspaceChangeKind::Changed => path,
        WorkspaceChangeKind::Created => format!("{path} (new)"),
        WorkspaceChangeKind::Deleted => format!("{path} (deleted)"),
        WorkspaceChangeKind::Folder => format!("{path}/ (files were added or removed)"),
        WorkspaceChangeKind::Git(1) => format!("{path} (1 file)"),
        WorkspaceChangeKind::Git(files) => format!("{path} ({files} files)"),
    }
}

/// The path on one line, with special characters escaped.
fn display_path(path: &Path, root: &Path) -> String {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let inner = if inner.as_os_str().is_empty() { Path::new(".") } else { inner };
    reveal_hidden(&inner.to_string_lossy()).replace('\n', "\\n").replace('\t', "\\t")
}

/// A file changed after `entered` differs, even if the first walk saw it later.
pub(super) fn compare_trees(
    before: &WalkedTree,
    after: &WalkedTree,
    entered: i64,
    roots: &[PathBuf],
    except: &[PathBuf],
) -> WorkspaceChanges {
    let mut differing = BTreeMap::new();
    let nothing = WalkedFolder::default();
    for (path, old) in &before.folders {
        if let Some(new) = after.folders.get(path) {
            compare_folder(path, old, new, entered, &mut differing);
        } else if !is_unseen(&after.unseen, path) {
            compare_folder(path, old, &nothing, entered, &mut differing);
        }
    }
    for (path, new) in &after.folders {
        if !before.folders.contains_key(path) && !is_unseen(&before.unseen, path) {
            compare_folder(path, &nothing, new, entered, &mut differing);
        }
    }
    differing.retain(|path, _| !except.iter().any(|one| path.starts_with(one)));
    let told: BTreeSet<&Path> = differing.keys().chain(except).filter_map(|path| path.parent()).collect();
    let late = before.folders.iter().filter(|(path, folder)| {
        folder.changed > entered && !told.contains(path.as_path()) && !except.iter().any(|one| path.starts_with(one))
    });
    let late: Vec<(PathBuf, WorkspaceChangeKind)> =
        late.map(|(path, _)| (path.clone(), WorkspaceChangeKind::Folder)).collect();
    let total = differing.len();
    differing.extend(late);
    let mut unseen: Vec<_> =
        before.unseen.iter().chain(&after.unseen).map(|(p, why)| (p.clone(), why.clone())).collect();
    unseen.sort_by(|a, b| a.0.cmp(&b.0));
    unseen.dedup_by(|a, b| a.0 == b.0);
    WorkspaceChanges {
        files: group_git_changes(differing, roots),
        total,
        checked: after.folders.values().map(WalkedFolder::len).sum(),
        unseen,
    }
}

/// Nothing is known about the contents of an unseen folder.
fn is_unseen(unseen: &HashMap<PathBuf, UnseenReason>, path: &Path) -> bool {
    !unseen.is_empty() && path.ancestors().any(|folder| unseen.contains_key(folder))
}

/// Compares two folders; both are sorted by name.
fn compare_folder(
    path: &Path,
    old: &WalkedFolder,
    new: &WalkedFolder,
    entered: i64,
    differing: &mut BTreeMap<PathBuf, WorkspaceChangeKind>,
) {
    let (mut old, mut new) = (old.files().peekable(), new.files().peekable());
    let mut note = |name: &OsStr, kind: WorkspaceChangeKind| {
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
                    note(name, WorkspaceChangeKind::Deleted);
                }
            }
            Ordering::Greater => {
                if let Some((name, _)) = new.next() {
                    note(name, WorkspaceChangeKind::Created);
                }
            }
            Ordering::Equal => {
                if let (Some((name, old)), Some((_, new))) = (old.next(), new.next())
                    && differs(old, new, entered)
                {
                    note(name, WorkspaceChangeKind::Changed);
                }
            }
        }
    }
}

fn differs(old: &WalkStamp, new: &WalkStamp, entered: i64) -> bool {
    old != new || old.changed > entered
}

/// Groups changes inside a `.git` folder: git changes many files at once.
fn group_git_changes(differing: BTreeMap<PathBuf, WorkspaceChangeKind>, roots: &[PathBuf]) -> Vec<WorkspaceChange> {
    let mut files: BTreeMap<PathBuf, WorkspaceChangeKind> = BTreeMap::new();
    // The workspace itself may be inside such a folder.
    let inside = |folder: &Path| roots.iter().any(|root| folder.starts_with(root) && folder != root);
    let is_git = |folder: &&Path| folder.file_name().is_some_and(|name| name == ".git") && inside(folder);
    for (path, kind) in differing {
        // A file named `.git` belongs to a worktree and is not a folder.
        let git = path.ancestors().skip(usize::from(kind != WorkspaceChangeKind::Folder)).find(is_git);
        match (git, kind) {
            (None, kind) => {
                files.insert(path, kind);
            }
            // The number of changes is unknown, but at least one.
            (
                Some(git),
                WorkspaceChangeKind::Changed
                | WorkspaceChangeKind::Created
                | WorkspaceChangeKind::Deleted
                | WorkspaceChangeKind::Folder
                | WorkspaceChangeKind::Git(_),
            ) => {
                let entry = files.entry(git.to_path_buf()).or_insert(WorkspaceChangeKind::Git(0));
                if let WorkspaceChangeKind::Git(number) = entry {
                    *number += 1;
                }
            }
        }
    }
    files.into_iter().map(|(path, kind)| WorkspaceChange { path, kind }).collect()
}

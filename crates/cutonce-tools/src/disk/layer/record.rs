//! The workspace before a command, with the content of its files (PC-22): for machines where the kernel has no layers.
//!
//! What git ignores is no part of it. The rules are those from before the command, so that a command can't hide its
//! changes by a rule of its own.

use super::{LayerChange, LayerChanges, LayerNode, hash_bytes, read_node};
use crate::disk::{MAX_CHANGE, open_listed};
use crate::files::{IgnoreRules, RuleStack};
use cutonce_sandbox::KeptLayer;
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A larger workspace can't be compared for every command.
const MAX_ENTRIES: usize = 200_000;
/// Bytes to keep; what does not fit is compared, but can't be restored.
const MAX_KEPT: u64 = 2 << 30;
/// The kernel's clock for files is this coarse: a younger time proves nothing.
const CLOCK_STEP: Duration = Duration::from_millis(50);
/// Set-user-id and set-group-id.
const SET_ID_BITS: u32 = 0o6000;
const GIT: &str = ".git";

/// Files and folders of the workspace, without what git ignores.
pub(crate) struct WorkspaceRecord {
    /// Has the contents, in the same folders. Removed with the record, or swept after a kill.
    store: KeptLayer,
    known: BTreeMap<PathBuf, KnownNode>,
    kept: u64,
}

struct KnownNode {
    node: LayerNode,
    /// `None`: the file is so young that its times prove nothing.
    stamp: Option<NodeStamp>,
    /// True if the content is stored, so that it can be restored.
    is_kept: bool,
}

#[derive(PartialEq, Eq)]
struct NodeStamp {
    inode: u64,
    size: u64,
    mode: u32,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl WorkspaceRecord {
    /// `tracked`: files that git tracks although its rules ignore them.
    pub fn open(
        root: &Path,
        layers: &Path,
        most: usize,
        tracked: Vec<PathBuf>,
        rules: &IgnoreRules,
    ) -> io::Result<WorkspaceRecord> {
        let store = KeptLayer::open(root, layers, most)?;
        let mut record = WorkspaceRecord { store, known: BTreeMap::new(), kept: 0 };
        let root = record.store.root().to_path_buf();
        for path in tracked.iter().flat_map(|path| path.ancestors()).filter(|path| !path.as_os_str().is_empty()) {
            record.accept(path)?;
        }
        for path in Walk::new(&root, rules, &record.known).list()?.into_keys() {
            record.accept(&path)?;
        }
        // Git reads its index here; without this folder it would see no repository.
        if record.folder().join(GIT).is_dir() {
            fs::create_dir_all(record.folder().join(GIT).join("objects"))?;
        }
        Ok(record)
    }

    /// The folder with the contents.
    pub fn folder(&self) -> PathBuf {
        self.store.upper()
    }

    pub fn root(&self) -> &Path {
        self.store.root()
    }

    /// True if the content of this path can be restored; it can if there was nothing.
    pub fn can_restore(&self, path: &Path) -> bool {
        self.known.get(path).is_none_or(|known| known.is_kept)
    }

    /// Copies a file of the workspace to a folder of the session, before it is taken back.
    pub fn keep_aside(&self, path: &Path, aside: &Path) -> io::Result<()> {
        let to = aside.join(path);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(self.root().join(path), to).map(|_| ())
    }

    /// Lists how the workspace differs from this record.
    pub fn compare(&mut self, rules: IgnoreRules) -> io::Result<LayerChanges> {
        let (root, rules) = (self.root().to_path_buf(), rules.read_at(&self.folder()));
        let found = Walk::new(&root, &rules, &self.known).list()?;
        let gone = self.known.iter().filter(|(path, _)| !found.contains_key(*path));
        let gone =
            gone.map(|(path, known)| LayerChange { path: path.clone(), old: Some(known.node.clone()), new: None });
        let mut changes: Vec<LayerChange> = gone.collect();
        for (path, about) in found {
            let now = SystemTime::now();
            let known = self.known.get_mut(&path);
            if known.as_ref().is_some_and(|known| known.stamp.as_ref() == Some(&NodeStamp::new(&about))) {
                continue;
            }
            let Some(new) = describe(&root.join(&path), &about)? else { continue };
            let old = known.as_ref().map(|known| known.node.clone());
            match known {
                Some(known) if known.node == new => known.stamp = NodeStamp::proven(&about, now),
                _ => changes.push(LayerChange { path, old, new: Some(new) }),
            }
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(LayerChanges { changes, ..LayerChanges::default() })
    }

    /// Takes over what is at this path now.
    pub fn accept(&mut self, path: &Path) -> io::Result<()> {
        let (at, copy, now) = (self.root().join(path), self.folder().join(path), SystemTime::now());
        let about = match at.symlink_metadata() {
            Ok(about) => about,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                self.known.remove(path);
                return remove_copy(&copy);
            }
            Err(error) => return Err(error),
        };
        if !about.is_dir() || !copy.is_dir() {
            remove_copy(&copy)?;
        }
        if let Some(parent) = copy.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        }
        let fits = about.len() <= MAX_CHANGE && self.kept.saturating_add(about.len()) <= MAX_KEPT;
        let node = match about.is_file() && fits {
            true => Some(keep_file(&at, &copy, &about)?),
            false => describe(&at, &about)?,
        };
        let Some(node) = node else { return Ok(()) };
        match &node {
            LayerNode::File { size, .. } if fits => self.kept += size,
            LayerNode::File { .. } => {}
            LayerNode::Link { target } => std::os::unix::fs::symlink(target, &copy)?,
            LayerNode::Folder { .. } => DirBuilder::new().recursive(true).mode(0o700).create(&copy)?,
        }
        let is_kept = fits || !about.is_file();
        self.known.insert(path.to_path_buf(), KnownNode { node, stamp: NodeStamp::proven(&about, now), is_kept });
        Ok(())
    }
}

impl NodeStamp {
    fn new(about: &Metadata) -> NodeStamp {
        // The size and times of a folder say nothing about its own change.
        let folder = about.is_dir();
        let times = |times: (i64, i64)| if folder { (0, 0) } else { times };
        NodeStamp {
            inode: about.ino(),
            size: if folder { 0 } else { about.size() },
            mode: about.mode(),
            modified: times((about.mtime(), about.mtime_nsec())),
            changed: times((about.ctime(), about.ctime_nsec())),
        }
    }

    fn proven(about: &Metadata, now: SystemTime) -> Option<NodeStamp> {
        let (seconds, nanos) = (about.ctime().max(0) as u64, about.ctime_nsec().clamp(0, 999_999_999) as u32);
        let changed = UNIX_EPOCH + Duration::new(seconds, nanos);
        (about.is_dir() || changed + CLOCK_STEP < now).then(|| NodeStamp::new(about))
    }
}

/// What is at a path; `None` for something that is no file, link or folder, or that is gone meanwhile.
fn describe(at: &Path, about: &Metadata) -> io::Result<Option<LayerNode>> {
    match read_node(at, about) {
        Ok(Some(LayerNode::Folder { mode })) => Ok(Some(LayerNode::Folder { mode: mode & !SET_ID_BITS })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_for_owner(at, about)?;
            read_node(at, &at.symlink_metadata()?)
        }
        described => described,
    }
}

/// A command can't hide a change by taking the right to read it.
fn open_for_owner(at: &Path, about: &Metadata) -> io::Result<()> {
    let needed = if about.is_dir() { 0o700 } else { 0o600 };
    fs::set_permissions(at, Permissions::from_mode(about.mode() & 0o7777 | needed))
}

/// Copies a file, with its time.
fn keep_file(at: &Path, copy: &Path, about: &Metadata) -> io::Result<LayerNode> {
    let mut bytes = Vec::new();
    open_listed(at)?.read_to_end(&mut bytes)?;
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(copy)?;
    file.write_all(&bytes)?;
    file.set_modified(about.modified()?)?;
    let (mode, size) = (about.mode() & 0o7777, bytes.len() as u64);
    Ok(LayerNode::File { mode, size, sha256: hash_bytes(&bytes) })
}

fn remove_copy(copy: &Path) -> io::Result<()> {
    let removed = match copy.symlink_metadata() {
        Ok(about) if about.is_dir() => fs::remove_dir_all(copy),
        Ok(_) => fs::remove_file(copy),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Err(error),
        _ => Ok(()),
    }
}

/// A walk through the workspace, without what is ignored. What is known is never ignored.
struct Walk<'a> {
    root: &'a Path,
    rules: &'a IgnoreRules,
    known: &'a BTreeMap<PathBuf, KnownNode>,
    found: BTreeMap<PathBuf, Metadata>,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Path, rules: &'a IgnoreRules, known: &'a BTreeMap<PathBuf, KnownNode>) -> Walk<'a> {
        Walk { root, rules, known, found: BTreeMap::new() }
    }

    fn list(mut self) -> io::Result<BTreeMap<PathBuf, Metadata>> {
        let mut folders = vec![(PathBuf::new(), self.rules.outer(), false)];
        while let Some((folder, mut rules, is_ignored)) = folders.pop() {
            rules.extend(self.rules.of_folder(&folder).filter(|_| !is_in_git(&folder)));
            for (path, is_ignored) in self.visit(&folder, &rules, is_ignored)? {
                folders.push((path, rules.clone(), is_ignored));
            }
        }
        Ok(self.found)
    }

    /// Notes the entries of a folder; returns the folders to visit next, and whether they are ignored.
    fn visit(&mut self, folder: &Path, rules: &RuleStack, ignored_around: bool) -> io::Result<Vec<(PathBuf, bool)>> {
        let mut next = Vec::new();
        let at = self.root.join(folder);
        let opened = match fs::read_dir(&at) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                open_for_owner(&at, &at.symlink_metadata()?).and_then(|()| fs::read_dir(&at))
            }
            opened => opened,
        };
        let entries = match opened {
            Ok(entries) => entries,
            // A program removed it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(next),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let Ok(about) = entry.metadata() else { continue };
            let is_ignored = ignored_around || (!is_in_git(&path) && self.rules.is_named(rules, &path, about.is_dir()));
            if (is_ignored && !self.known.contains_key(&path)) || is_object_store(&path) {
                continue;
            }
            if about.is_dir() {
                next.push((path.clone(), is_ignored));
            }
            self.found.insert(path, about);
            if self.found.len() > MAX_ENTRIES {
                return Err(io::Error::other(format!("the workspace has more than {MAX_ENTRIES} files")));
            }
        }
        Ok(next)
    }
}

fn is_in_git(path: &Path) -> bool {
    path.components().next().is_some_and(|first| first.as_os_str() == GIT)
}

/// Git adds to its objects and never changes one, so what a command adds there has no effect without the rest.
fn is_object_store(path: &Path) -> bool {
    is_in_git(path) && path.file_name().is_some_and(|name| name == "objects" || name == "lfs")
}

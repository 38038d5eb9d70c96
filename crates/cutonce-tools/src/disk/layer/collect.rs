//! Lists the changes of a layer: walks its upper folder and compares it with the workspace.
//!
//! An overlay marks a removed entry by a character device 0:0, and a folder that hides the one below by the attribute
//! `user.overlay.opaque`.

use super::{LayerChange, LayerChanges, LayerNode, RefusedChange, name_path, read_node};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Set-user-id and set-group-id.
const SET_ID_BITS: u32 = 0o6000;
/// Bytes of files that are read and applied. A file with holes takes no room on the layer, but as much as it says in
/// the workspace.
const MOST_BYTES: u64 = 4 << 30;

/// Lists what `upper` changes in `root`. `opened`: when the layer was opened.
pub fn collect_changes(upper: &Path, root: &Path, opened: SystemTime) -> io::Result<LayerChanges> {
    let mut collector = Collector::new(upper, root, opened);
    collector.walk(Path::new(""), FolderBelow::Merged)?;
    Ok(collector.finish())
}

/// What is below a folder of the layer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FolderBelow {
    /// No folder.
    Missing,
    /// A folder whose content shows through.
    Merged,
    /// A folder whose content is hidden: what the layer does not have is removed.
    Hidden,
}

pub(super) struct Collector<'a> {
    upper: &'a Path,
    root: &'a Path,
    opened: SystemTime,
    bytes_left: u64,
    found: LayerChanges,
}

impl<'a> Collector<'a> {
    pub(super) fn new(upper: &'a Path, root: &'a Path, opened: SystemTime) -> Collector<'a> {
        Collector { upper, root, opened, bytes_left: MOST_BYTES, found: LayerChanges::default() }
    }

    /// What was found, in the order of the paths.
    pub(super) fn finish(self) -> LayerChanges {
        let mut found = self.found;
        found.changes.sort_by(|a, b| a.path.cmp(&b.path));
        found.changes.dedup();
        found.refused.sort_by(|a, b| a.path.cmp(&b.path));
        found.stale.sort();
        found.stale.dedup();
        found
    }

    /// Compares an entry of a private copy. `copied`: the workspace had it when it was copied.
    pub(super) fn compare_copied(&mut self, path: &Path, about: &Metadata, copied: bool) -> io::Result<()> {
        let (at, below) = (self.upper.join(path), self.root.join(path).symlink_metadata().ok());
        if copied && below.is_none() {
            self.found.stale.push(path.to_path_buf());
        }
        if about.is_dir() {
            let new = LayerNode::Folder { mode: about.mode() & 0o7777 & !SET_ID_BITS };
            return self.push(path.to_path_buf(), below, Some(new));
        }
        if let Some(why) = self.refusal(path, &at, about)? {
            self.found.refused.push(RefusedChange { path: path.to_path_buf(), why });
            return Ok(());
        }
        let Some(new) = read_node(&at, about)? else { return Ok(()) };
        if below.as_ref().is_some_and(Metadata::is_dir) {
            self.remove_empty_folders(path)?;
        }
        self.push(path.to_path_buf(), below, Some(new))
    }

    /// Records the removal of empty folders below a folder that makes room for a file: git does not know them, so the
    /// copy never had them. Returns true if the folder has nothing else.
    fn remove_empty_folders(&mut self, folder: &Path) -> io::Result<bool> {
        let mut has_nothing_else = true;
        for name in list_names(&self.root.join(folder))? {
            let path = folder.join(name);
            let about = self.root.join(&path).symlink_metadata()?;
            if about.is_dir() && self.remove_empty_folders(&path)? {
                self.push(path, Some(about), None)?;
            } else {
                has_nothing_else = false;
            }
        }
        Ok(has_nothing_else)
    }

    /// Records that the copy no longer has an entry.
    pub(super) fn remove_copied(&mut self, path: &Path) -> io::Result<()> {
        match self.root.join(path).symlink_metadata() {
            Ok(below) => self.push(path.to_path_buf(), Some(below), None),
            // It is gone in the workspace, too.
            Err(_) => Ok(()),
        }
    }

    fn walk(&mut self, folder: &Path, below: FolderBelow) -> io::Result<()> {
        let at = self.upper.join(folder);
        let names = list_names(&at)?;
        for name in &names {
            self.compare(folder.join(name), below)?;
        }
        if below == FolderBelow::Hidden {
            for name in list_names(&self.root.join(folder))?.difference(&names) {
                self.remove(folder.join(name))?;
            }
        }
        Ok(())
    }

    fn compare(&mut self, path: PathBuf, around: FolderBelow) -> io::Result<()> {
        let at = self.upper.join(&path);
        let about = at.symlink_metadata().map_err(|error| name_path(&at, &error))?;
        let below = match around {
            FolderBelow::Missing => None,
            FolderBelow::Merged | FolderBelow::Hidden => self.root.join(&path).symlink_metadata().ok(),
        };
        if is_whiteout(&about) {
            return if below.is_some() { self.remove(path) } else { Ok(()) };
        }
        if about.is_dir() {
            return self.compare_folder(path, &about, below, around == FolderBelow::Hidden || is_opaque(&at));
        }
        if let Some(why) = self.refusal(&path, &at, &about)? {
            self.found.refused.push(RefusedChange { path, why });
            return Ok(());
        }
        let Some(new) = read_node(&at, &about)? else { return Ok(()) };
        if below.as_ref().is_some_and(Metadata::is_dir) {
            self.remove_content(&path)?;
        }
        self.push(path, below, Some(new))
    }

    fn compare_folder(
        &mut self,
        path: PathBuf,
        about: &Metadata,
        below: Option<Metadata>,
        opaque: bool,
    ) -> io::Result<()> {
        let is_folder = below.as_ref().is_some_and(Metadata::is_dir);
        let new = LayerNode::Folder { mode: about.mode() & 0o7777 & !SET_ID_BITS };
        self.push(path.clone(), below, Some(new))?;
        self.walk(
            &path,
            match (is_folder, opaque) {
                (false, _) => FolderBelow::Missing,
                (true, true) => FolderBelow::Hidden,
                (true, false) => FolderBelow::Merged,
            },
        )
    }

    /// Why an entry is never applied.
    fn refusal(&mut self, path: &Path, at: &Path, about: &Metadata) -> io::Result<Option<&'static str>> {
        let kind = about.file_type();
        if kind.is_symlink() {
            let leads_outside = leads_outside(self.root, path, &fs::read_link(at)?);
            return Ok(leads_outside.then_some("a link that leads, or could lead, out of the workspace"));
        }
        Ok(match () {
            () if !kind.is_file() => Some("a device, pipe or socket"),
            () if about.mode() & SET_ID_BITS != 0 => Some("a file that runs with the rights of its owner (setuid)"),
            () if about.nlink() > 1 => Some("a hard link"),
            () => match self.bytes_left.checked_sub(about.len()) {
                Some(left) => {
                    self.bytes_left = left;
                    None
                }
                None => Some("more than 4 GB, alone or with the other changes"),
            },
        })
    }

    /// Records the removal of something below, with all that is in it.
    fn remove(&mut self, path: PathBuf) -> io::Result<()> {
        let at = self.root.join(&path);
        let below = at.symlink_metadata().map_err(|error| name_path(&at, &error))?;
        if below.is_dir() {
            self.remove_content(&path)?;
        }
        self.push(path, Some(below), None)
    }

    fn remove_content(&mut self, folder: &Path) -> io::Result<()> {
        for name in list_names(&self.root.join(folder))? {
            self.remove(folder.join(name))?;
        }
        Ok(())
    }

    fn push(&mut self, path: PathBuf, below: Option<Metadata>, new: Option<LayerNode>) -> io::Result<()> {
        let old = match &below {
            None => None,
            Some(about) => match read_node(&self.root.join(&path), about)? {
                Some(node) => Some(node),
                None => {
                    let why = "it replaces a device, pipe or socket";
                    self.found.refused.push(RefusedChange { path, why });
                    return Ok(());
                }
            },
        };
        if old == new {
            return Ok(());
        }
        if below.as_ref().is_some_and(|about| !about.is_dir() && changed_at(about) > self.opened) {
            self.found.stale.push(path.clone());
        }
        self.found.changes.push(LayerChange { path, old, new });
        Ok(())
    }
}

fn list_names(folder: &Path) -> io::Result<BTreeSet<OsString>> {
    let entries = fs::read_dir(folder).map_err(|error| name_path(folder, &error))?;
    entries.map(|entry| Ok(entry?.file_name())).collect()
}

fn changed_at(about: &Metadata) -> SystemTime {
    let (seconds, nanos) = (about.ctime().max(0) as u64, about.ctime_nsec().clamp(0, 999_999_999) as u32);
    UNIX_EPOCH + Duration::new(seconds, nanos)
}

/// An overlay's mark for a removed entry.
pub(super) fn is_whiteout(about: &Metadata) -> bool {
    about.file_type().is_char_device() && about.rdev() == 0
}

pub(super) fn is_opaque(folder: &Path) -> bool {
    let mut value = [0; 8];
    rustix::fs::lgetxattr(folder, "user.overlay.opaque", &mut value[..])
        .is_ok_and(|length| length == 1 && value[0] == b'y')
}

/// True if a link at `path` points out of the workspace, by its text or through other links. A `..` after a name is
/// refused: that name may be a link too, now or later, and then it leads anywhere.
pub(crate) fn leads_outside(root: &Path, path: &Path, target: &Path) -> bool {
    let folder = path.parent().unwrap_or(Path::new(""));
    let (parts, depth) = match (target.is_absolute(), target.strip_prefix(root)) {
        (false, _) => (target, folder.components().count()),
        (true, Ok(below)) => (below, 0),
        (true, Err(_)) => return true,
    };
    let is_up = |part: &Component| matches!(part, Component::ParentDir);
    let parts = || parts.components().filter(|part| !matches!(part, Component::CurDir));
    let ups = parts().take_while(is_up).count();
    if ups > depth || parts().skip(ups).any(|part| is_up(&part)) {
        return true;
    }
    root.join(folder).join(target).canonicalize().is_ok_and(|leads_to| !leads_to.starts_with(root))
}

//! A private copy of the workspace in place of an overlay (RH-8): copies files, and later lists what changed in the
//! copy.

use super::collect::Collector;
use super::{LayerChanges, name_path};
use crate::files::walk_below;
use ignore::DirEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const GIT: &str = ".git";
/// Parts of git's folder that the copy does not need: objects are read where they are, hooks must not run.
const LEFT_OUT_OF_GIT: [&str; 5] = ["objects", "hooks", "lfs", "modules", "worktrees"];
/// The kernel's clock for files is this coarse: a file that was copied later is compared by its content.
const CLOCK_STEP: Duration = Duration::from_millis(50);

/// What was copied, to find changes later.
#[derive(Debug)]
pub struct WorkspaceCopy {
    folder: PathBuf,
    known: BTreeMap<PathBuf, CopyStamp>,
    /// Stamps of files that were copied before this time prove that they did not change.
    proven_until: SystemTime,
    /// Bytes of all files.
    pub bytes: u64,
    max_bytes: u64,
    /// Secret files, which the copy has without their content.
    blanks: BTreeSet<PathBuf>,
}

/// What bounds a copy.
#[derive(Clone, Copy)]
pub struct CopyRules<'a> {
    /// Bytes that the copy may have.
    pub max_bytes: u64,
    /// Copying fails with `Interrupted` as soon as this returns true.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// True for files of the workspace whose content must not be in the copy: its programs can't read them anyway.
    pub is_secret: &'a dyn Fn(&Path) -> bool,
}

#[derive(Debug, PartialEq, Eq)]
struct CopyStamp {
    inode: u64,
    size: u64,
    mode: u32,
    changed: (i64, i64),
}

impl CopyStamp {
    fn new(about: &Metadata) -> CopyStamp {
        // A folder changes with its content, which is compared on its own.
        let (size, changed) = match about.is_dir() {
            true => (0, (0, 0)),
            false => (about.size(), (about.ctime(), about.ctime_nsec())),
        };
        CopyStamp { inode: about.ino(), size, mode: about.mode(), changed }
    }

    fn changed_at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::new(self.changed.0.max(0) as u64, self.changed.1.clamp(0, 999_999_999) as u32)
    }
}

impl WorkspaceCopy {
    /// Copies these files of `root` to `folder`, which must not exist, with what git needs to know about them.
    pub fn new(root: &Path, folder: &Path, files: &[PathBuf], rules: CopyRules<'_>) -> io::Result<WorkspaceCopy> {
        make_folder(root, folder)?;
        let mut copy = WorkspaceCopy {
            folder: folder.to_path_buf(),
            known: BTreeMap::new(),
            proven_until: SystemTime::now(),
            bytes: 0,
            max_bytes: rules.max_bytes,
            blanks: BTreeSet::new(),
        };
        for file in files.iter().filter(|file| is_inside(file)) {
            if (rules.is_stopped)() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            copy.add(root, file, rules.is_secret)?;
        }
        copy.copy_git(root).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => error,
            _ => name_path(&root.join(GIT), &error),
        })?;
        copy.proven_until = SystemTime::now() - CLOCK_STEP;
        Ok(copy)
    }

    /// Makes these folders of `root`, empty, where the folder around them was copied.
    pub fn make_empty(&self, root: &Path, folders: &[PathBuf]) {
        for folder in folders.iter().filter(|folder| is_inside(folder)) {
            let _ = make_folder(&root.join(folder), &self.folder.join(folder));
        }
    }

    /// The copy's own folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many files and folders were copied.
    pub fn entries(&self) -> usize {
        self.known.len()
    }

    fn add(&mut self, root: &Path, path: &Path, is_secret: &dyn Fn(&Path) -> bool) -> io::Result<()> {
        let from = root.join(path);
        let about = match from.symlink_metadata() {
            Ok(about) => about,
            // Git lists files that were removed, too.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(());
            }
            Err(error) => return Err(name_path(&from, &error)),
        };
        // A folder in the list is a repository of its own.
        if about.is_dir() || !(about.is_file() || about.is_symlink()) {
            return Ok(());
        }
        let parents: Vec<&Path> = path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()).collect();
        for parent in parents.into_iter().rev() {
            if !self.known.contains_key(parent) {
                let to = self.folder.join(parent);
                make_folder(&root.join(parent), &to)?;
                self.known.insert(parent.to_path_buf(), CopyStamp::new(&to.symlink_metadata()?));
            }
        }
        let to = self.folder.join(path);
        if about.is_file() && is_secret(&from) {
            OpenOptions::new().write(true).create_new(true).mode(about.mode() & 0o777).open(&to)?;
            self.blanks.insert(path.to_path_buf());
        } else {
            self.count(&about)?;
            copy_entry(&from, &to, &about).map_err(|error| name_path(&from, &error))?;
        }
        self.known.insert(path.to_path_buf(), CopyStamp::new(&to.symlink_metadata()?));
        Ok(())
    }

    /// Counts a file before it is copied: one with holes can be larger than the disk.
    fn count(&mut self, about: &Metadata) -> io::Result<()> {
        self.bytes = self.bytes.saturating_add(about.len());
        if self.bytes <= self.max_bytes {
            return Ok(());
        }
        let (most, setting) = (self.max_bytes >> 20, "plan.rehearsal.maxMegabytes");
        let why = format!("a copy of the workspace has more than {most} MB: raise `{setting}`, or ignore large files");
        Err(io::Error::new(io::ErrorKind::FileTooLarge, why))
    }

    /// Copies what git knows about the files, so that it works in the copy; it reads objects from the original.
    fn copy_git(&mut self, root: &Path) -> io::Result<()> {
        let (from, to) = (root.join(GIT), self.folder.join(GIT));
        if !from.symlink_metadata().is_ok_and(|about| about.is_dir()) {
            return Ok(());
        }
        make_folder(&from, &to)?;
        for entry in walk_below(&from, is_copied_of_git) {
            let entry = entry?;
            let Ok(path) = entry.path().strip_prefix(&from) else { continue };
            let about = entry.path().symlink_metadata()?;
            if about.is_dir() {
                make_folder(entry.path(), &to.join(path))?;
            } else if about.is_file() {
                self.count(&about)?;
                copy_entry(entry.path(), &to.join(path), &about)?;
            }
        }
        let objects = from.join("objects");
        DirBuilder::new().recursive(true).mode(0o700).create(to.join("objects/info"))?;
        fs::write(to.join("objects/info/alternates"), objects.as_os_str().as_encoded_bytes())
    }

    /// Lists what changed in the copy, as changes of `root`. `opened`: when copying began.
    pub fn collect_changes(&self, root: &Path, opened: SystemTime) -> io::Result<LayerChanges> {
        let mut collector = Collector::new(&self.folder, root, opened);
        let mut found = BTreeSet::new();
        for entry in walk_below(&self.folder, |entry| !is_git(entry)) {
            let entry = entry?;
            let Ok(path) = entry.path().strip_prefix(&self.folder) else { continue };
            let about = entry.path().symlink_metadata()?;
            if !self.is_unchanged(path, &about) {
                collector.compare_copied(path, &about, self.known.contains_key(path))?;
            }
            found.insert(path.to_path_buf());
        }
        for path in self.known.keys().filter(|path| !found.contains(*path)) {
            collector.remove_copied(path)?;
        }
        Ok(collector.finish())
    }

    fn is_unchanged(&self, path: &Path, about: &Metadata) -> bool {
        if self.blanks.contains(path) && about.is_file() && about.len() == 0 {
            return true;
        }
        let now = CopyStamp::new(about);
        self.known.get(path).is_some_and(|known| *known == now && known.changed_at() < self.proven_until)
    }
}

fn is_git(entry: &DirEntry) -> bool {
    entry.depth() == 1 && entry.file_name() == GIT
}

fn is_copied_of_git(entry: &DirEntry) -> bool {
    let is_left_out = entry.depth() == 1 && LEFT_OUT_OF_GIT.iter().any(|name| entry.file_name() == *name);
    !is_left_out && entry.path().extension().is_none_or(|end| end != "lock")
}

/// Our own list of files has no other paths, but git's is another program's.
fn is_inside(path: &Path) -> bool {
    let mut parts = path.components();
    let plain = parts.all(|part| matches!(part, std::path::Component::Normal(_)));
    plain && !path.starts_with(GIT) && !path.as_os_str().is_empty()
}

fn make_folder(like: &Path, at: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(at).map_err(|error| name_path(at, &error))?;
    let mode = like.metadata().map_err(|error| name_path(like, &error))?.mode();
    fs::set_permissions(at, Permissions::from_mode(mode & 0o777))
}

fn copy_entry(from: &Path, to: &Path, about: &Metadata) -> io::Result<()> {
    if about.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    // A file that grows meanwhile changed since the copy began, so no change of it is applied.
    let mut source = crate::disk::open_listed(from)?.take(about.len());
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    // Shares the blocks where the file system can.
    io::copy(&mut source, &mut copy)?;
    copy.set_permissions(Permissions::from_mode(about.mode() & 0o777))?;
    copy.set_modified(about.modified()?)
}

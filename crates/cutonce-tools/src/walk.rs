//! The walk that Glob and Grep share: ripgrep's own, with its number of threads.
//!
//! As `rg` does, but: hidden files are walked too (an agent works on `.github` and the like), `.git` never is,
//! and a `.gitignore` counts also where there is no repository.

use crate::missing;
use crate::workspace::Workspace;
use cutonce_core::braces;
use cutonce_core::permission::Target;
use ignore::{DirEntry, WalkBuilder};
use rustix::fs::{Access, AtFlags, Mode, OFlags};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Nobody writes a longer one, and all of it is read.
const MAX_IGNORE_FILE: u64 = 1 << 20;

pub(crate) fn builder(base: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(base);
    builder.hidden(false).require_git(false);
    builder.filter_entry(|entry| entry.depth() == 0 || (entry.file_name() != ".git" && ignores_sanely(entry)));
    builder
}

/// The walk hands a folder's ignore files to a matcher that recurses on braces, and they are the repository's words: a
/// folder with one that goes too deep is left out, as `start` refuses it for the folder where a search begins.
fn ignores_sanely(entry: &DirEntry) -> bool {
    !entry.file_type().is_some_and(|kind| kind.is_dir()) || insane_ignore_file(entry.path()).is_none()
}

fn insane_ignore_file(folder: &Path) -> Option<PathBuf> {
    [".gitignore", ".ignore"].into_iter().map(|name| folder.join(name)).find(|path| {
        // Most folders have none, and to ask is cheaper than to fail to open. A link may lead to a file without an end.
        rustix::fs::access(path, Access::EXISTS).is_ok() && !is_sane(path)
    })
}

fn is_sane(ignore_file: &Path) -> bool {
    let Ok(meta) = ignore_file.metadata() else { return true };
    let bounded = meta.is_file() && meta.len() <= MAX_IGNORE_FILE;
    bounded && std::fs::read(ignore_file).map_or(true, |text| braces::are_sane_in_lines(&text))
}

/// The folder or file a search starts from, or why it can't.
pub(crate) fn start(workspace: &Workspace, target: &Target) -> Result<Metadata, String> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => missing::explain(workspace, target),
        ErrorKind::PermissionDenied => format!("No permission to look into {}.", target.given),
        _ => format!("Can't look into {}: {error}.", target.given),
    };
    // The decision was about the resolved path; a link that took its place since was not part of it (PR-6).
    if target.path.canonicalize().map_err(failed)? != target.path {
        return Err(format!("{} leads somewhere else than when it was checked. Repeat the call.", target.given));
    }
    if let Some(file) = target.path.ancestors().find_map(insane_ignore_file) {
        let file = workspace.shown(&file);
        return Err(format!(
            "Can't search here: {file} is no plain file of at most 1 MB, or the braces in it are nested too deeply."
        ));
    }
    target.path.symlink_metadata().map_err(failed)
}

/// When the entry was last written; unknown counts as long ago.
pub(crate) fn modified(entry: &DirEntry) -> SystemTime {
    entry.metadata().ok().and_then(|meta| meta.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Times of many files, folder by folder: from an open folder the kernel looks up one name, not a whole path.
#[derive(Debug, Default)]
pub(crate) struct Times {
    folder: Option<(PathBuf, OwnedFd)>,
}

impl Times {
    /// As [`modified`], of a path that the walk has just met.
    pub fn of(&mut self, path: &Path) -> SystemTime {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return SystemTime::UNIX_EPOCH };
        let same = |(at, _): &&(PathBuf, OwnedFd)| at.as_os_str() == parent.as_os_str();
        if self.folder.as_ref().filter(same).is_none() {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            self.folder = rustix::fs::open(parent, flags, Mode::empty()).ok().map(|fd| (parent.into(), fd));
        }
        let Some((_, folder)) = &self.folder else { return SystemTime::UNIX_EPOCH };
        match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => since_epoch(stat.st_mtime, stat.st_mtime_nsec as u32),
            Err(_) => SystemTime::UNIX_EPOCH,
        }
    }
}

fn since_epoch(seconds: i64, nanos: u32) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let at =
        if seconds < 0 { SystemTime::UNIX_EPOCH.checked_sub(whole) } else { SystemTime::UNIX_EPOCH.checked_add(whole) };
    at.and_then(|at| at.checked_add(Duration::from_nanos(nanos.into()))).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The newest `limit` files and how many there were. Each thread collects by itself and adds up at its end.
#[derive(Debug)]
pub(crate) struct Newest {
    limit: usize,
    all: Mutex<(Vec<(SystemTime, PathBuf)>, usize)>,
}

impl Newest {
    pub fn new(limit: usize) -> Self {
        Self { limit, all: Mutex::default() }
    }

    pub fn part(&self) -> Part<'_> {
        Part { whole: self, files: Vec::new(), floor: None, count: 0 }
    }

    /// Newest first, equal ones by name.
    pub fn into_sorted(self) -> (Vec<PathBuf>, usize) {
        let (mut files, count) = self.all.into_inner().unwrap_or_else(PoisonError::into_inner);
        keep_newest(&mut files, self.limit);
        (files.into_iter().map(|(_, path)| path).collect(), count)
    }
}

/// One thread's share.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    whole: &'a Newest,
    files: Vec<(SystemTime, PathBuf)>,
    /// What is older has no place any more: most files of a large tree are counted and forgotten.
    floor: Option<SystemTime>,
    count: usize,
}

impl Part<'_> {
    pub fn add(&mut self, modified: SystemTime, path: impl Into<PathBuf>) {
        self.count += 1;
        if self.floor.is_some_and(|floor| modified < floor) {
            return;
        }
        self.files.push((modified, path.into()));
        if self.files.len() >= self.whole.limit.saturating_mul(4) {
            keep_newest(&mut self.files, self.whole.limit);
            self.floor = self.files.last().map(|(oldest, _)| *oldest);
        }
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let mut all = self.whole.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.0.append(&mut self.files);
        all.1 += self.count;
    }
}

fn keep_newest(files: &mut Vec<(SystemTime, PathBuf)>, limit: usize) {
    files.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    files.truncate(limit);
}

/// What could not be read on the way: the first few by name, the rest by number.
#[derive(Debug, Default)]
pub(crate) struct Unread(Mutex<(Vec<String>, usize)>);

impl Unread {
    pub fn add(&self, error: impl std::fmt::Display) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.1 += 1;
        if all.0.len() < 3 {
            all.0.push(error.to_string());
        }
    }

    /// A line for the model; empty where all went well.
    pub fn note(self) -> String {
        let (mut first, count) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.sort();
        match count {
            0 => String::new(),
            _ => format!("\n[{} could not be read: {}]", crate::change::count(count, "path"), first.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ag_6_an_ignore_file_that_would_overflow_a_matcher_is_kept_from_it() {
        let room = tempfile::tempdir().unwrap();
        let root = room.path().canonicalize().unwrap();
        for folder in ["good", "bad"] {
            std::fs::create_dir(root.join(folder)).unwrap();
            std::fs::write(root.join(folder).join("a.txt"), "").unwrap();
        }
        let deep = "{".repeat(100_000) + &"}".repeat(100_000);
        std::fs::write(root.join("bad/.gitignore"), &deep).unwrap();
        let found: Vec<_> = builder(&root).build().flatten().map(|entry| entry.into_path()).collect();
        assert!(found.contains(&root.join("good/a.txt")) && !found.contains(&root.join("bad/a.txt")), "{found:?}");
        assert_eq!(insane_ignore_file(&root.join("bad")), Some(root.join("bad/.gitignore")));
        assert_eq!(insane_ignore_file(&root), None);
    }

    #[test]
    fn tl_6_the_newest_are_kept_whatever_the_order_they_come_in() {
        for before_1970 in [false, true] {
            // Many share a time, so that names decide.
            let at = |n: usize| since_epoch(if before_1970 { -1_000 + (n / 7) as i64 } else { (n / 7) as i64 }, 0);
            let mixed = (0..1_000).map(|n| n * 617 % 1_000);
            let all: Vec<_> = mixed.map(|n| (at(n), PathBuf::from(format!("{n:04}")))).collect();
            let mut expected = all.clone();
            keep_newest(&mut expected, 10);
            let newest = Newest::new(10);
            for half in all.chunks(500) {
                let mut part = newest.part();
                half.iter().for_each(|(time, path)| part.add(*time, path.as_path()));
            }
            let expected: Vec<PathBuf> = expected.into_iter().map(|(_, path)| path).collect();
            assert_eq!(newest.into_sorted(), (expected, 1_000));
        }
    }

    #[test]
    fn ag_6_an_ignore_file_without_an_end_is_not_read() {
        let room = tempfile::tempdir().unwrap();
        let root = room.path().canonicalize().unwrap();
        let folders = ["good", "endless", "long", "dangling"];
        for folder in folders {
            std::fs::create_dir(root.join(folder)).unwrap();
            std::fs::write(root.join(folder).join("a.txt"), "").unwrap();
        }
        std::fs::write(root.join("good/.ignore"), "b.txt").unwrap();
        std::os::unix::fs::symlink("/dev/zero", root.join("endless/.gitignore")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("dangling/.gitignore")).unwrap();
        std::fs::write(root.join("long/.ignore"), vec![b'\n'; MAX_IGNORE_FILE as usize + 1]).unwrap();
        let found: Vec<_> = builder(&root).build().flatten().map(|entry| entry.into_path()).collect();
        let seen = folders.map(|folder| found.contains(&root.join(folder).join("a.txt")));
        assert_eq!(seen, [true, false, false, true], "{found:?}");
    }

    #[test]
    fn tl_6_times_are_those_of_the_entries_themselves_in_any_order_of_folders() {
        let room = tempfile::tempdir().unwrap();
        let (one, other) = (room.path().join("one"), room.path().join("other"));
        std::fs::create_dir_all(&one).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        let at = |seconds: i64| since_epoch(seconds, 500);
        let files = [(one.join("a"), at(1_000)), (other.join("a"), at(2_000)), (one.join("b"), at(-3_000))];
        for (path, time) in &files {
            std::fs::File::create(path).unwrap().set_modified(*time).unwrap();
        }
        let link = one.join("link");
        std::os::unix::fs::symlink(&files[0].0, &link).unwrap();
        let mut times = Times::default();
        for (path, time) in files.iter().chain(files.iter().rev()) {
            assert_eq!(times.of(path), *time, "{}", path.display());
        }
        assert_ne!(times.of(&link), at(1_000), "a link's time is its own");
        for gone in [one.join("gone"), room.path().join("nowhere/a")] {
            assert_eq!(times.of(&gone), SystemTime::UNIX_EPOCH, "{}", gone.display());
        }
        assert_eq!(times.of(&files[0].0), at(1_000), "a folder that is not there is not remembered");
    }
}

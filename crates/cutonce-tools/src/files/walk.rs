//! The one walker of folder trees: ripgrep's own. A search walks in parallel, with ripgrep's number of threads; a plain
//! list in one thread. The few walks that must be their own are listed, with the reason, in `tidy/exceptions.rs`.
//!
//! Glob and Grep walk like `rg`, except: hidden files are walked too (an agent works on `.github` and the like), `.git`
//! never is, and a `.gitignore` applies also outside a repository.

use crate::files::missing;
use crate::tool::ToolError;
use crate::workspace::Workspace;
use cutonce_core::permission::PathTarget;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::glob_braces;
use cutonce_core::text::number::count_noun;
use ignore::{DirEntry, WalkBuilder, WalkState};
use rustix::fs::{Access, AtFlags, Mode, OFlags};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

/// Maximum size of an ignore file, which is read completely.
const MAX_IGNORE_FILE: u64 = 1 << 20;

pub(crate) fn walk_builder(base: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(base);
    builder.hidden(false).require_git(false);
    builder.filter_entry(|entry| entry.depth() == 0 || (entry.file_name() != ".git" && has_safe_ignore_files(entry)));
    builder
}

/// Lists at most `most` files and folders below `root` as a search would walk them: relative, sorted, folders with a
/// slash at the end. Names that are not UTF-8 are left out.
pub fn list_tree(root: &Path, most: usize) -> Vec<String> {
    let listed = |entry: DirEntry| {
        let folder = is_folder(&entry);
        let name = entry.path().strip_prefix(root).ok()?.to_str()?;
        Some(if folder { format!("{name}/") } else { name.to_string() })
    };
    if root.ancestors().find_map(unsafe_ignore_file).is_some() {
        return Vec::new();
    }
    let mut found: Vec<String> = walk_builder(root).build().flatten().skip(1).filter_map(listed).take(most).collect();
    found.sort();
    found
}

/// Lists everything below a folder, in one thread: hidden and ignored entries too, a folder before its content. Links
/// below the folder are not followed. What `keep` refuses is left out, with all below it.
pub fn walk_below<K>(folder: &Path, keep: K) -> impl Iterator<Item = std::io::Result<DirEntry>> + use<K>
where
    K: Fn(&DirEntry) -> bool + Send + Sync + 'static,
{
    let with_path = |error: ignore::Error| {
        let kind = error.io_error().map_or(ErrorKind::Other, std::io::Error::kind);
        std::io::Error::new(kind, error.to_string())
    };
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false).filter_entry(move |entry| entry.depth() == 0 || keep(entry));
    walk.build()
        .filter(|entry| entry.as_ref().map_or(true, |entry| entry.depth() > 0))
        .map(move |entry| entry.map_err(with_path))
}

/// True for a folder; a link to one is none.
pub fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Visits the entries of a walk on several threads until `cancel`; `thread_visitor` makes the visitor of one thread.
/// Entries that can't be read are added to `unread`.
pub(crate) fn visit_entries<'s, V>(
    walk: &WalkBuilder,
    cancel: &'s CancellationToken,
    unread: &'s UnreadPaths,
    mut thread_visitor: impl FnMut() -> V,
) where
    V: FnMut(&DirEntry) -> WalkState + Send + 's,
{
    walk.build_parallel().run(|| {
        let mut visit = thread_visitor();
        Box::new(move |entry| match entry {
            _ if cancel.is_cancelled() => WalkState::Quit,
            Ok(entry) => visit(&entry),
            Err(error) => {
                unread.add(error);
                WalkState::Continue
            }
        })
    });
}

/// Visits everything below the folders on several threads, ignored files too; hidden files unless `skip_hidden`.
/// The visitor gets `None` for an entry that can't be read.
pub(crate) fn visit_all<'a>(
    folders: impl IntoIterator<Item = &'a Path>,
    skip_hidden: bool,
    visit: impl Fn(Option<&Path>) -> WalkState + Sync,
) {
    let mut folders = folders.into_iter();
    let Some(first) = folders.next() else { return };
    let mut walk = WalkBuilder::new(first);
    folders.for_each(|folder| {
        walk.add(folder);
    });
    walk.standard_filters(false)
        .hidden(skip_hidden)
        .build_parallel()
        .run(|| Box::new(|entry| visit(entry.as_ref().ok().map(DirEntry::path))));
}

/// Visits what is at most `depth` levels below the user's home, on several threads; not what is in its hidden folders
/// except `.config`, and not caches and installed packages.
pub(crate) fn visit_home(home: &Path, depth: usize, visit: impl Fn(&Path) -> WalkState + Sync) {
    const LEFT_OUT: [&str; 8] = [".git", ".cache", ".venv", ".tox", "node_modules", "target", "vendor", "venv"];
    let is_left_out = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        let of_home = entry.depth() == 1 && name.starts_with('.') && name != ".config";
        is_folder(entry) && (of_home || LEFT_OUT.contains(&&*name))
    };
    WalkBuilder::new(home)
        .standard_filters(false)
        .max_depth(Some(depth))
        .filter_entry(move |entry| entry.depth() == 0 || !is_left_out(entry))
        .build_parallel()
        .run(|| Box::new(|entry| entry.map_or(WalkState::Continue, |entry| visit(entry.path()))));
}

/// Checks a folder's ignore files. The walk passes them to a matcher that recurses on braces, and the repository
/// controls them: a folder with one nested too deeply is skipped, and `start` refuses it as the search folder.
fn has_safe_ignore_files(entry: &DirEntry) -> bool {
    !is_folder(entry) || unsafe_ignore_file(entry.path()).is_none()
}

fn unsafe_ignore_file(folder: &Path) -> Option<PathBuf> {
    [".gitignore", ".ignore"].into_iter().map(|name| folder.join(name)).find(|path| {
        // Most folders have none, and checking is cheaper than a failing open. A link may lead to an endless file.
        rustix::fs::access(path, Access::EXISTS).is_ok() && !is_safe_ignore_file(path)
    })
}

pub(crate) fn is_safe_ignore_file(ignore_file: &Path) -> bool {
    let Ok(meta) = ignore_file.metadata() else { return true };
    let bounded = meta.is_file() && meta.len() <= MAX_IGNORE_FILE;
    bounded && std::fs::read(ignore_file).map_or(true, |text| glob_braces::lines_are_within_brace_limit(&text))
}

/// Returns the metadata of the search root, or why the search can't start there.
pub(crate) fn check_search_root(workspace: &Workspace, target: &PathTarget) -> Result<Metadata, ToolError> {
    let failed = |error: std::io::Error| {
        ToolError::from(match error.kind() {
            ErrorKind::NotFound => missing::explain_missing(workspace, target),
            ErrorKind::PermissionDenied => format!("No permission to look into {}.", target.given),
            _ => format!("Can't look into {}: {error}.", target.given),
        })
    };
    // The decision was about the resolved path; a link that replaced it since was not part of it (PR-6).
    if target.path.canonicalize().map_err(failed)? != target.path {
        return Err(format!("{} leads elsewhere since it was checked. Repeat the call.", target.given).into());
    }
    if let Some(file) = target.path.ancestors().find_map(unsafe_ignore_file) {
        let file = workspace.display_path(&file);
        return Err(format!(
            "Can't search here: {file} is not a plain file of at most 1 MB, or the braces in it are nested too deeply."
        )
        .into());
    }
    target.path.symlink_metadata().map_err(failed)
}

/// Returns when the entry was last written; an unknown time is treated as long ago.
pub(crate) fn modified_time(entry: &DirEntry) -> SystemTime {
    entry.metadata().ok().and_then(|meta| meta.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Reads the times of many files, folder by folder: from an open folder the kernel looks up one name only.
#[derive(Debug, Default)]
pub(crate) struct ModifiedTimes {
    folder: Option<(PathBuf, OwnedFd)>,
}

impl ModifiedTimes {
    /// Like [`modified`], for a path that the walk has just listed.
    pub fn modified_time(&mut self, path: &Path) -> SystemTime {
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

/// The newest `limit` files and their total number. Each thread collects separately and merges at its end.
#[derive(Debug)]
pub(crate) struct NewestFiles {
    limit: usize,
    all: Mutex<(Vec<(SystemTime, PathBuf)>, usize)>,
}

impl NewestFiles {
    pub fn new(limit: usize) -> Self {
        Self { limit, all: Mutex::default() }
    }

    pub fn thread_part(&self) -> NewestPart<'_> {
        NewestPart { whole: self, files: Vec::new(), floor: None, count: 0 }
    }

    /// Returns the files, newest first, equal times by name.
    pub fn into_sorted(self) -> (Vec<PathBuf>, usize) {
        let (mut files, count) = self.all.into_unpoisoned();
        keep_newest(&mut files, self.limit);
        (files.into_iter().map(|(_, path)| path).collect(), count)
    }
}

/// One thread's share.
#[derive(Debug)]
pub(crate) struct NewestPart<'a> {
    whole: &'a NewestFiles,
    files: Vec<(SystemTime, PathBuf)>,
    /// Files older than this can't be shown: most files of a large tree are only counted.
    floor: Option<SystemTime>,
    count: usize,
}

impl NewestPart<'_> {
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

impl Drop for NewestPart<'_> {
    fn drop(&mut self) {
        let mut all = self.whole.all.lock_unpoisoned();
        all.0.append(&mut self.files);
        all.1 += self.count;
    }
}

fn keep_newest(files: &mut Vec<(SystemTime, PathBuf)>, limit: usize) {
    files.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    files.truncate(limit);
}

/// Paths that could not be read: the first few by name, the rest by number.
#[derive(Debug, Default)]
pub(crate) struct UnreadPaths(Mutex<(Vec<String>, usize)>);

impl UnreadPaths {
    pub fn add(&self, error: impl std::fmt::Display) {
        let mut all = self.0.lock_unpoisoned();
        all.1 += 1;
        if all.0.len() < 3 {
            all.0.push(error.to_string());
        }
    }

    /// Returns a line for the model; empty if everything was read.
    pub fn note(self) -> String {
        let (mut first, count) = self.0.into_unpoisoned();
        first.sort();
        match count {
            0 => String::new(),
            _ => format!("\n[{} could not be read: {}]", count_noun(count, "path"), first.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ag_6_deeply_nested_ignore_file_is_skipped() {
        let room = tempfile::tempdir().unwrap();
        let root = room.path().canonicalize().unwrap();
        for folder in ["good", "bad"] {
            std::fs::create_dir(root.join(folder)).unwrap();
            std::fs::write(root.join(folder).join("a.txt"), "").unwrap();
        }
        let deep = "{".repeat(100_000) + &"}".repeat(100_000);
        std::fs::write(root.join("bad/.gitignore"), &deep).unwrap();
        let found: Vec<_> = walk_builder(&root).build().flatten().map(|entry| entry.into_path()).collect();
        assert!(found.contains(&root.join("good/a.txt")) && !found.contains(&root.join("bad/a.txt")), "{found:?}");
        assert_eq!(unsafe_ignore_file(&root.join("bad")), Some(root.join("bad/.gitignore")));
        assert_eq!(unsafe_ignore_file(&root), None);
    }

    #[test]
    fn tl_6_newest_files_are_kept_in_any_order() {
        for before_1970 in [false, true] {
            // Many share a time, so that names decide.
            let at = |n: usize| since_epoch(if before_1970 { -1_000 + (n / 7) as i64 } else { (n / 7) as i64 }, 0);
            let mixed = (0..1_000).map(|n| n * 617 % 1_000);
            let all: Vec<_> = mixed.map(|n| (at(n), PathBuf::from(format!("{n:04}")))).collect();
            let mut expected = all.clone();
            keep_newest(&mut expected, 10);
            let newest = NewestFiles::new(10);
            for half in all.chunks(500) {
                let mut part = newest.thread_part();
                half.iter().for_each(|(time, path)| part.add(*time, path.as_path()));
            }
            let expected: Vec<PathBuf> = expected.into_iter().map(|(_, path)| path).collect();
            assert_eq!(newest.into_sorted(), (expected, 1_000));
        }
    }

    #[test]
    fn ag_6_endless_ignore_file_is_not_read() {
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
        let found: Vec<_> = walk_builder(&root).build().flatten().map(|entry| entry.into_path()).collect();
        let seen = folders.map(|folder| found.contains(&root.join(folder).join("a.txt")));
        assert_eq!(seen, [true, false, false, true], "{found:?}");
    }

    #[test]
    fn tl_6_times_belong_to_the_entries_themselves() {
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
        let mut times = ModifiedTimes::default();
        for (path, time) in files.iter().chain(files.iter().rev()) {
            assert_eq!(times.modified_time(path), *time, "{}", path.display());
        }
        assert_ne!(times.modified_time(&link), at(1_000), "a link's time is its own");
        for gone in [one.join("gone"), room.path().join("nowhere/a")] {
            assert_eq!(times.modified_time(&gone), SystemTime::UNIX_EPOCH, "{}", gone.display());
        }
        assert_eq!(times.modified_time(&files[0].0), at(1_000), "a folder that is not there is not remembered");
    }
}

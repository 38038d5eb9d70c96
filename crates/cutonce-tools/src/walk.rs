//! The walk that Glob and Grep share: ripgrep's own, with its number of threads.
//!
//! As `rg` does, but: hidden files are walked too (an agent works on `.github` and the like), `.git` never is,
//! and a `.gitignore` counts also where there is no repository.

use crate::missing;
use crate::workspace::Workspace;
use cutonce_core::permission::Target;
use ignore::{DirEntry, WalkBuilder};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

pub(crate) fn builder(base: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(base);
    builder.hidden(false).require_git(false);
    builder.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    builder
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
    target.path.symlink_metadata().map_err(failed)
}

/// When the entry was last written; unknown counts as long ago.
pub(crate) fn modified(entry: &DirEntry) -> SystemTime {
    entry.metadata().ok().and_then(|meta| meta.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH)
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
        Part { whole: self, files: Vec::new(), count: 0 }
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
    count: usize,
}

impl Part<'_> {
    pub fn add(&mut self, modified: SystemTime, path: PathBuf) {
        self.files.push((modified, path));
        self.count += 1;
        if self.files.len() >= self.whole.limit.saturating_mul(4) {
            keep_newest(&mut self.files, self.whole.limit);
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

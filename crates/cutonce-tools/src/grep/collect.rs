//! The results of all threads, in an order that does not depend on them.
//!
//! Lines and counts are sorted by path, files by time. A search for lines stops early: as soon as enough of
//! them are known, whatever sorts after the last of these is not searched any more. What is left out is
//! always the same, because only what could never be shown is skipped.

use super::OutputMode;
use crate::change;
use crate::walk::{self, Newest};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::SystemTime;

/// Text of one call, in bytes.
const MAX_TEXT: usize = 60_000;

pub(super) struct Collected {
    limit: usize,
    kind: Kind,
}

enum Kind {
    Files(Newest),
    Counts(Mutex<Vec<(PathBuf, u64)>>),
    Lines(Ordered),
}

/// The first lines by path.
#[derive(Default)]
struct Ordered {
    files: Mutex<(BTreeMap<PathBuf, FileLines>, usize)>,
    full: AtomicBool,
    /// Nothing after this path can be shown any more, once `full`.
    last: RwLock<PathBuf>,
}

struct FileLines {
    text: String,
    lines: usize,
}

/// One thread's hands.
pub(super) struct Part<'a> {
    whole: &'a Collected,
    files: Option<walk::Part<'a>>,
    buffer: String,
}

impl Collected {
    pub fn new(mode: OutputMode, limit: usize) -> Self {
        let kind = match mode {
            OutputMode::FilesWithMatches => Kind::Files(Newest::new(limit)),
            OutputMode::Count => Kind::Counts(Mutex::default()),
            OutputMode::Content => Kind::Lines(Ordered::default()),
        };
        Self { limit, kind }
    }

    pub fn part(&self) -> Part<'_> {
        let files = match &self.kind {
            Kind::Files(newest) => Some(newest.part()),
            Kind::Counts(_) | Kind::Lines(_) => None,
        };
        Part { whole: self, files, buffer: String::new() }
    }

    /// Whether nothing at or below this path can be shown any more. Paths compare part by part, so what is
    /// below a folder that comes after the last path comes after it too.
    pub fn is_past(&self, path: &Path) -> bool {
        match &self.kind {
            Kind::Lines(ordered) => ordered.is_past(path),
            Kind::Files(_) | Kind::Counts(_) => false,
        }
    }

    pub fn told(self, workspace: &Workspace) -> String {
        match self.kind {
            Kind::Files(newest) => told_files(workspace, newest),
            Kind::Counts(counts) => told_counts(workspace, counts, self.limit),
            Kind::Lines(ordered) => ordered.told(workspace, self.limit),
        }
    }
}

impl Part<'_> {
    pub fn add_file(&mut self, modified: SystemTime, path: &Path) {
        if let Some(files) = &mut self.files {
            files.add(modified, path.to_path_buf());
        }
    }

    pub fn add_count(&mut self, path: &Path, count: u64) {
        if let Kind::Counts(counts) = &self.whole.kind {
            counts.lock().unwrap_or_else(PoisonError::into_inner).push((path.to_path_buf(), count));
        }
    }

    /// Where the lines of the next file go.
    pub fn buffer(&mut self) -> &mut String {
        self.buffer.clear();
        &mut self.buffer
    }

    pub fn finish_lines(&mut self, path: &Path, lines: usize) {
        if let (Kind::Lines(ordered), true) = (&self.whole.kind, lines > 0) {
            ordered.add(path, FileLines { text: std::mem::take(&mut self.buffer), lines }, self.whole.limit);
        }
    }
}

impl Ordered {
    fn is_past(&self, path: &Path) -> bool {
        self.full.load(Ordering::Acquire) && path > self.last.read().unwrap_or_else(PoisonError::into_inner).as_path()
    }

    /// Keeps one line more than is shown, which tells that there is more.
    fn add(&self, path: &Path, file: FileLines, limit: usize) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let (map, total) = &mut *files;
        *total += file.lines;
        map.insert(path.to_path_buf(), file);
        while let Some(last) = map.last_entry()
            && *total - last.get().lines > limit
        {
            *total -= last.get().lines;
            last.remove();
        }
        if *total > limit
            && let Some((path, _)) = map.last_key_value()
        {
            *self.last.write().unwrap_or_else(PoisonError::into_inner) = path.clone();
            self.full.store(true, Ordering::Release);
        }
    }

    fn told(self, workspace: &Workspace, limit: usize) -> String {
        let (files, total) = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut out = String::new();
        let mut left = limit;
        for (path, file) in &files {
            if left == 0 || out.len() >= MAX_TEXT {
                break;
            }
            out.push_str(&workspace.shown(path));
            out.push('\n');
            for line in file.text.lines() {
                // A separator is no line of a file.
                left = if line == "--" { left } else { left.saturating_sub(1) };
                out.push_str(line);
                out.push('\n');
                if left == 0 || out.len() >= MAX_TEXT {
                    break;
                }
            }
            out.push('\n');
        }
        let shown = limit - left;
        if files.is_empty() {
            return "No matches.".into();
        }
        let out = out.trim_end();
        if total > shown {
            let lines = change::count(shown, "line");
            return format!("{out}\n[The first {lines} by path; there are more. Narrow the search or set head_limit.]");
        }
        out.to_string()
    }
}

fn told_files(workspace: &Workspace, newest: Newest) -> String {
    let (files, count) = newest.into_sorted();
    if files.is_empty() {
        return "No matches.".into();
    }
    let mut out: Vec<String> = files.iter().map(|path| workspace.shown(path)).collect();
    if count > out.len() {
        out.push(format!("[The {} newest of {count} files. Narrow the search or set head_limit.]", out.len()));
    }
    out.join("\n")
}

fn told_counts(workspace: &Workspace, counts: Mutex<Vec<(PathBuf, u64)>>, limit: usize) -> String {
    let mut counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    if counts.is_empty() {
        return "No matches.".into();
    }
    counts.sort_unstable();
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let mut out: Vec<String> =
        counts.iter().take(limit).map(|(path, count)| format!("{}:{count}", workspace.shown(path))).collect();
    let shown = if counts.len() > limit { format!("; the first {limit} shown") } else { String::new() };
    out.push(format!("[{total} in {}{shown}.]", change::count(counts.len(), "file")));
    out.join("\n")
}

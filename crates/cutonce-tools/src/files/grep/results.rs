//! Collects the results of all threads in an order that does not depend on them.
//!
//! Lines and counts are sorted by path, files by time. A search for lines stops early: once enough of them are
//! known, nothing that sorts after the last of them is searched. The result is always the same, because only
//! what could never be shown is skipped.

use super::GrepOutput;
use crate::files::walk::{self, NewestFiles};
use crate::workspace::Workspace;
use cutonce_core::sync::{LockUnpoisoned, RwLockUnpoisoned};
use cutonce_core::text::number::count_noun;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::SystemTime;

/// Maximum text of one call, in bytes.
const MAX_TEXT: usize = 60_000;

pub(super) struct SearchResults {
    limit: usize,
    kind: ResultKind,
}

enum ResultKind {
    Files(NewestFiles),
    Counts(Mutex<Vec<(PathBuf, u64)>>),
    Lines(OrderedLines),
}

/// The first lines by path.
#[derive(Default)]
struct OrderedLines {
    files: Mutex<(BTreeMap<PathBuf, FileLines>, usize)>,
    full: AtomicBool,
    /// Nothing after this path can be shown once `full`.
    last: RwLock<PathBuf>,
}

struct FileLines {
    text: String,
    lines: usize,
}

/// One thread's collector.
pub(super) struct ResultsPart<'a> {
    whole: &'a SearchResults,
    files: Option<walk::NewestPart<'a>>,
    buffer: String,
}

impl SearchResults {
    pub fn new(mode: GrepOutput, limit: usize) -> Self {
        let kind = match mode {
            GrepOutput::FilesWithMatches => ResultKind::Files(NewestFiles::new(limit)),
            GrepOutput::Count => ResultKind::Counts(Mutex::default()),
            GrepOutput::Content => ResultKind::Lines(OrderedLines::default()),
        };
        Self { limit, kind }
    }

    pub fn thread_part(&self) -> ResultsPart<'_> {
        let files = match &self.kind {
            ResultKind::Files(newest) => Some(newest.thread_part()),
            ResultKind::Counts(_) | ResultKind::Lines(_) => None,
        };
        ResultsPart { whole: self, files, buffer: String::new() }
    }

    /// True if nothing at or below this path can be shown. Paths compare component by component, so everything below
    /// a folder that sorts after the last path does too.
    pub fn is_past(&self, path: &Path) -> bool {
        match &self.kind {
            ResultKind::Lines(ordered) => ordered.is_past(path),
            ResultKind::Files(_) | ResultKind::Counts(_) => false,
        }
    }

    pub fn into_text(self, workspace: &Workspace) -> String {
        match self.kind {
            ResultKind::Files(newest) => files_text(workspace, newest),
            ResultKind::Counts(counts) => counts_text(workspace, counts, self.limit),
            ResultKind::Lines(ordered) => ordered.into_text(workspace, self.limit),
        }
    }
}

impl ResultsPart<'_> {
    pub fn add_file(&mut self, modified: SystemTime, path: &Path) {
        if let Some(files) = &mut self.files {
            files.add(modified, path.to_path_buf());
        }
    }

    pub fn add_count(&mut self, path: &Path, count: u64) {
        if let ResultKind::Counts(counts) = &self.whole.kind {
            counts.lock_unpoisoned().push((path.to_path_buf(), count));
        }
    }

    /// Returns the buffer for the lines of the next file.
    pub fn buffer(&mut self) -> &mut String {
        self.buffer.clear();
        &mut self.buffer
    }

    pub fn finish_lines(&mut self, path: &Path, lines: usize) {
        if let (ResultKind::Lines(ordered), true) = (&self.whole.kind, lines > 0) {
            ordered.add(path, FileLines { text: std::mem::take(&mut self.buffer), lines }, self.whole.limit);
        }
    }
}

impl OrderedLines {
    fn is_past(&self, path: &Path) -> bool {
        self.full.load(Ordering::Acquire) && path > self.last.read_unpoisoned().as_path()
    }

    /// Keeps one line more than is shown, to know that there are more.
    fn add(&self, path: &Path, file: FileLines, limit: usize) {
        let mut files = self.files.lock_unpoisoned();
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
            *self.last.write_unpoisoned() = path.clone();
            self.full.store(true, Ordering::Release);
        }
    }

    fn into_text(self, workspace: &Workspace, limit: usize) -> String {
        let (files, total) = self.files.into_unpoisoned();
        let mut out = String::new();
        let mut left = limit;
        for (path, file) in &files {
            if left == 0 || out.len() >= MAX_TEXT {
                break;
            }
            out.push_str(&workspace.display_path(path));
            out.push('\n');
            for line in file.text.lines() {
                // A separator is not a line of a file.
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
            let lines = count_noun(shown, "line");
            return format!("{out}\n[The first {lines} by path; there are more. Narrow the search or set head_limit.]");
        }
        out.to_string()
    }
}

fn files_text(workspace: &Workspace, newest: NewestFiles) -> String {
    let (files, count) = newest.into_sorted();
    if files.is_empty() {
        return "No matches.".into();
    }
    let mut out: Vec<String> = files.iter().map(|path| workspace.display_path(path)).collect();
    if count > out.len() {
        out.push(format!("[The {} newest of {count} files. Narrow the search or set head_limit.]", out.len()));
    }
    out.join("\n")
}

fn counts_text(workspace: &Workspace, counts: Mutex<Vec<(PathBuf, u64)>>, limit: usize) -> String {
    let mut counts = counts.into_unpoisoned();
    if counts.is_empty() {
        return "No matches.".into();
    }
    counts.sort_unstable();
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let mut out: Vec<String> =
        counts.iter().take(limit).map(|(path, count)| format!("{}:{count}", workspace.display_path(path))).collect();
    let shown = if counts.len() > limit { format!("; the first {limit} shown") } else { String::new() };
    out.push(format!("[{total} in {}{shown}.]", count_noun(counts.len(), "file")));
    out.join("\n")
}

//! The files that are open in a server, and what it says about them.

use super::diagnostics::{FileDiagnostic, new_ones};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tokio::time::Instant;

/// Files that are open at the same time. The one that was edited longest ago is closed first.
const MAX_OPEN: usize = 24;

/// A file that is open in the server.
#[derive(Default)]
struct OpenDocument {
    version: i64,
    text: String,
    /// When it was edited last, as a running number.
    edited: u64,
    /// What the server sent by itself, and what it answered. Some servers do both, with different content.
    pushed: Vec<FileDiagnostic>,
    pulled: Vec<FileDiagnostic>,
    /// What was there before the edits, or was reported already.
    known: Vec<FileDiagnostic>,
    /// When the server last said something about the current version.
    answered: Option<Instant>,
}

impl OpenDocument {
    /// Takes over another text: what is known moves with its lines.
    fn set_text(&mut self, text: &str) {
        let moved = LineShift::between(&self.text, text);
        self.known.iter_mut().for_each(|one| one.line = moved.line(one.line));
        self.text = text.to_string();
    }

    fn current(&self) -> Vec<FileDiagnostic> {
        let mut all = self.pulled.clone();
        all.extend(self.pushed.iter().filter(|one| !self.pulled.contains(one)).cloned());
        all
    }
}

/// Where lines are after an edit: those above it stay, those below it move.
struct LineShift {
    above: usize,
    changed: usize,
    moved: i64,
}

impl LineShift {
    fn between(before: &str, after: &str) -> LineShift {
        let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
        let above = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let shorter = before.len().min(after.len()) - above;
        let below = before.iter().rev().zip(after.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
        LineShift { above, changed: before.len() - above - below, moved: after.len() as i64 - before.len() as i64 }
    }
    /// The place of a line, counted from 1; inside of the change it stays.
    fn line(&self, line: u32) -> u32 {
        let is_below = line as usize > self.above + self.changed;
        if is_below { u32::try_from(i64::from(line) + self.moved).unwrap_or(line) } else { line }
    }
}

/// All files that are open in a server.
#[derive(Default)]
pub(super) struct OpenDocuments {
    open: HashMap<PathBuf, OpenDocument>,
    edits: u64,
}

impl OpenDocuments {
    pub fn is_open(&self, path: &Path) -> bool {
        self.open.contains_key(path)
    }

    /// Notes an opened or changed file; returns its version and a file that must be closed now.
    pub fn edit(&mut self, path: &Path, text: &str) -> (i64, Option<PathBuf>) {
        self.edits += 1;
        let document = self.open.entry(path.to_path_buf()).or_default();
        document.set_text(text);
        (document.version, document.edited, document.answered) = (document.version + 1, self.edits, None);
        let version = document.version;
        if self.open.len() <= MAX_OPEN {
            return (version, None);
        }
        let oldest = self.open.iter().min_by_key(|(_, document)| document.edited).map(|(path, _)| path.clone());
        oldest.iter().for_each(|oldest| drop(self.open.remove(oldest)));
        (version, oldest)
    }

    /// The open files, the one edited last first.
    pub fn paths(&self) -> Vec<PathBuf> {
        let mut paths: Vec<_> = self.open.iter().map(|(path, document)| (document.edited, path.clone())).collect();
        paths.sort_by(|a, b| b.cmp(a));
        paths.into_iter().map(|(_, path)| path).collect()
    }

    /// Stores what the server sent by itself. What it says about an older version is ignored.
    pub fn pushed(&mut self, path: &Path, version: Option<i64>, list: Vec<FileDiagnostic>) {
        let Some(document) = self.open.get_mut(path) else { return };
        if version.is_none_or(|version| version >= document.version) {
            (document.pushed, document.answered) = (list, Some(Instant::now()));
        }
    }

    /// Stores what the server answered; `None` if nothing changed.
    pub fn pulled(&mut self, path: &Path, list: Option<Vec<FileDiagnostic>>) {
        let Some(document) = self.open.get_mut(path) else { return };
        document.answered = Some(Instant::now());
        if let Some(list) = list {
            document.pulled = list;
        }
    }

    pub fn answered(&self, path: &Path) -> Option<Instant> {
        self.open.get(path)?.answered
    }

    /// Takes what is known of this file now as its state before the edit.
    pub fn accept(&mut self, path: &Path) {
        if let Some(document) = self.open.get_mut(path) {
            document.known = document.current();
        }
    }

    pub fn accept_all(&mut self) {
        self.open.values_mut().for_each(|document| document.known = document.current());
    }

    /// Everything that was not known before.
    pub fn new_diagnostics(&self) -> Vec<(PathBuf, FileDiagnostic)> {
        let new = |(path, document): (&PathBuf, &OpenDocument)| {
            let path = path.clone();
            let found = new_ones(&document.known, document.current());
            found.into_iter().map(move |one| (path.clone(), one)).collect::<Vec<_>>()
        };
        self.open.iter().flat_map(new).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_11_number_of_open_files_is_bounded() {
        let mut documents = OpenDocuments::default();
        let path = |n: usize| PathBuf::from(format!("/w/{n}.py"));
        assert!((0..MAX_OPEN).all(|n| documents.edit(&path(n), "") == (1, None)));
        assert_eq!(documents.edit(&path(0), ""), (2, None));
        assert_eq!(documents.edit(&path(MAX_OPEN), ""), (1, Some(path(1))));
        assert_eq!(documents.paths()[..2], [path(MAX_OPEN), path(0)]);
    }

    #[test]
    fn du_11_news_about_old_versions_are_ignored() {
        let (mut documents, path) = (OpenDocuments::default(), PathBuf::from("/w/a.py"));
        documents.edit(&path, "");
        documents.edit(&path, "");
        documents.pushed(&path, Some(1), Vec::new());
        assert!(documents.answered(&path).is_none());
        documents.pushed(&path, Some(2), Vec::new());
        assert!(documents.answered(&path).is_some());
    }

    #[test]
    fn du_11_known_diagnostics_move_with_their_lines() {
        let moved = |before: &str, after: &str| {
            let shift = LineShift::between(before, after);
            (1..=before.lines().count() as u32).map(|line| shift.line(line)).collect::<Vec<_>>()
        };
        assert_eq!(moved("a\nb\nc", "a\nnew\nnew\nb\nc"), [1, 4, 5]);
        assert_eq!(moved("a\nb\nc\nd", "a\nd"), [1, 2, 3, 2]);
        assert_eq!(moved("a\nb\nc", "a\nB\nc"), [1, 2, 3]);
        assert_eq!(moved("a\na", "a\na\na"), [1, 2]);
        assert_eq!((moved("", "a"), moved("a", "")), (vec![], vec![1]));
    }
}

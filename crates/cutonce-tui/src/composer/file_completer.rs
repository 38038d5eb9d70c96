//! Files offered after `@`: listed once in the background, honouring ignore files, and fuzzy matched (UI-3).

use cutonce_agent::tools::files::list_tree;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

/// Maximum number of files listed.
const MAX_FILES: usize = 100_000;
/// Up to this many files are matched inline. Larger lists are matched on a thread, so that a key is drawn
/// before its matches.
const MAX_INLINE: usize = 5_000;

pub struct FileCompleter {
    root: PathBuf,
    list: FileList,
    /// Called on a background thread when a list or a match is ready.
    notify: Arc<dyn Fn() + Send + Sync>,
    /// The last result of the matching thread.
    last_matches: Option<FileMatches>,
    /// Receives the result of the running match.
    pending_matches: Option<mpsc::Receiver<FileMatches>>,
}

enum FileList {
    NotRequested,
    Pending(mpsc::Receiver<Vec<String>>),
    Ready(Arc<Vec<String>>),
}

struct FileMatches {
    query: String,
    files: Vec<String>,
}

impl FileCompleter {
    pub fn new(root: &Path, tell: Box<dyn Fn() + Send + Sync>) -> FileCompleter {
        FileCompleter {
            root: root.into(),
            list: FileList::NotRequested,
            notify: tell.into(),
            last_matches: None,
            pending_matches: None,
        }
    }

    /// Returns the best matches, best first. Incomplete while the list or the match is pending.
    pub fn find_matches(&mut self, words: &str, most: usize) -> Vec<String> {
        self.poll_list();
        let FileList::Ready(files) = &self.list else { return Vec::new() };
        if words.is_empty() {
            return files.iter().filter(|file| !file.trim_end_matches('/').contains('/')).take(most).cloned().collect();
        }
        if files.len() <= MAX_INLINE {
            return best_matches(files, words, most);
        }
        if let Some(found) = self.pending_matches.as_ref().and_then(|asked| asked.try_recv().ok()) {
            (self.last_matches, self.pending_matches) = (Some(found), None);
        }
        let known = self.last_matches.as_ref().is_some_and(|found| found.query == words);
        if !known && self.pending_matches.is_none() {
            let (sender, receiver) = mpsc::channel();
            let (files, words, tell) = (files.clone(), words.to_string(), self.notify.clone());
            self.pending_matches = Some(receiver);
            std::thread::spawn(move || {
                let files = best_matches(&files, &words, most);
                let _ = sender.send(FileMatches { query: words, files });
                tell();
            });
        }
        // Meanwhile, filter the matches of the previous query.
        self.last_matches.as_ref().map(|found| best_matches(&found.files, words, most)).unwrap_or_default()
    }

    /// Drops the list, so that the next `@` lists the files again.
    pub fn invalidate(&mut self) {
        if matches!(self.list, FileList::Ready(_)) {
            (self.list, self.last_matches) = (FileList::NotRequested, None);
        }
    }

    fn poll_list(&mut self) {
        if let FileList::Pending(receiver) = &self.list
            && let Ok(files) = receiver.try_recv()
        {
            self.list = FileList::Ready(Arc::new(files));
        }
        if let FileList::NotRequested = self.list {
            let (sender, receiver) = mpsc::channel();
            self.list = FileList::Pending(receiver);
            let root = self.root.clone();
            // The walk may be slow on a slow disk; keys must not wait for it.
            let tell = self.notify.clone();
            std::thread::spawn(move || {
                let _ = sender.send(list_tree(&root, MAX_FILES));
                tell();
            });
        }
    }
}

fn best_matches(files: &[String], words: &str, most: usize) -> Vec<String> {
    // Match the query literally; it has no special syntax.
    let pattern = Pattern::new(words, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
    let (mut buffer, mut matcher) = (Vec::new(), Matcher::new(Config::DEFAULT.match_paths()));
    let mut found: Vec<(u32, &String)> = files
        .iter()
        .filter_map(|file| Some((pattern.score(Utf32Str::new(file, &mut buffer), &mut matcher)?, file)))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())).then_with(|| a.1.cmp(b.1)));
    found.into_iter().take(most).map(|(_, file)| file.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_fuzzy_file_match_honours_ignore_files() {
        let dir = tempfile::tempdir().unwrap();
        for file in
            ["src/session.rs", "src/sign.rs", "target/session.o", "docs/sessions.md", ".git/config", "README.md"]
        {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(dir.path().join(".gitignore"), "target\n").unwrap();
        // The matcher recurses on braces; a repository must not be able to end the program (AG-6).
        std::fs::create_dir(dir.path().join("bad")).unwrap();
        std::fs::write(dir.path().join("bad/session.txt"), "").unwrap();
        std::fs::write(dir.path().join("bad/.gitignore"), "{".repeat(100_000) + &"}".repeat(100_000)).unwrap();
        let (sender, told) = mpsc::channel();
        let mut files = FileCompleter::new(dir.path(), Box::new(move || sender.send(()).unwrap()));
        assert!(files.find_matches("ses", 9).is_empty());
        told.recv().unwrap();
        assert_eq!(files.find_matches("ses", 9), ["src/session.rs", "docs/sessions.md"]);
        assert_eq!(files.find_matches("srsn", 9).first().map(String::as_str), Some("src/sign.rs"));
        assert!(files.find_matches("config", 9).is_empty());
        assert_eq!(files.find_matches("", 9), [".gitignore", "README.md", "docs/", "src/"]);
        assert!(files.find_matches("!sign", 9).is_empty(), "no special characters");
    }

    #[test]
    fn ui_12_large_folder_match_does_not_block_keys() {
        let (sender, told) = mpsc::channel();
        let mut files =
            FileCompleter::new(Path::new("/nowhere"), Box::new(move || sender.send(()).unwrap_or_default()));
        let many: Vec<String> = (0..MAX_INLINE * 2).map(|n| format!("src/part{n}/lib.rs")).collect();
        files.list = FileList::Ready(Arc::new(many));
        // Three key presses at once: none of them blocks.
        assert!(files.find_matches("p", 9).is_empty());
        files.find_matches("pa", 9);
        while files.find_matches("part77lib", 9).first().map(String::as_str) != Some("src/part77/lib.rs") {
            told.recv().unwrap();
        }
    }
}

//! The files that `@` offers: listed once in the background with ignore files honoured, matched by what was typed (UI-3).

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

/// More files than this are not offered.
const MOST: usize = 100_000;
/// Up to so many are matched at once; more on a thread of their own: a key is on the screen before its list is.
const AT_ONCE: usize = 5_000;

pub struct Files {
    root: PathBuf,
    list: List,
    /// Called on another thread when a list or a match is there.
    tell: Arc<dyn Fn() + Send + Sync>,
    /// What was matched last on a thread, and for which words.
    found: Option<Found>,
    /// Words that are being matched.
    asked: Option<mpsc::Receiver<Found>>,
}

enum List {
    NotAsked,
    Coming(mpsc::Receiver<Vec<String>>),
    There(Arc<Vec<String>>),
}

struct Found {
    words: String,
    files: Vec<String>,
}

impl Files {
    pub fn new(root: &Path, tell: Box<dyn Fn() + Send + Sync>) -> Files {
        Files { root: root.into(), list: List::NotAsked, tell: tell.into(), found: None, asked: None }
    }

    /// The best matches, best first. Empty while the list is still coming; fewer while the match is.
    pub fn matching(&mut self, words: &str, most: usize) -> Vec<String> {
        self.list();
        let List::There(files) = &self.list else { return Vec::new() };
        if words.is_empty() {
            return files.iter().filter(|file| !file.trim_end_matches('/').contains('/')).take(most).cloned().collect();
        }
        if files.len() <= AT_ONCE {
            return best(files, words, most);
        }
        if let Some(found) = self.asked.as_ref().and_then(|asked| asked.try_recv().ok()) {
            (self.found, self.asked) = (Some(found), None);
        }
        let known = self.found.as_ref().is_some_and(|found| found.words == words);
        if !known && self.asked.is_none() {
            let (sender, receiver) = mpsc::channel();
            let (files, words, tell) = (files.clone(), words.to_string(), self.tell.clone());
            self.asked = Some(receiver);
            std::thread::spawn(move || {
                let files = best(&files, &words, most);
                let _ = sender.send(Found { words, files });
                tell();
            });
        }
        // Of those for the words before, the ones that fit these.
        self.found.as_ref().map(|found| best(&found.files, words, most)).unwrap_or_default()
    }

    /// New files may have come: the next `@` lists again.
    pub fn forget(&mut self) {
        if matches!(self.list, List::There(_)) {
            (self.list, self.found) = (List::NotAsked, None);
        }
    }

    fn list(&mut self) {
        if let List::Coming(receiver) = &self.list
            && let Ok(files) = receiver.try_recv()
        {
            self.list = List::There(Arc::new(files));
        }
        if let List::NotAsked = self.list {
            let (sender, receiver) = mpsc::channel();
            self.list = List::Coming(receiver);
            let root = self.root.clone();
            // The walk may take long on a slow disk; keys must not wait for it.
            let tell = self.tell.clone();
            std::thread::spawn(move || {
                let _ = sender.send(walk(&root));
                tell();
            });
        }
    }
}

fn best(files: &[String], words: &str, most: usize) -> Vec<String> {
    // As it is typed: none of it has a meaning of its own.
    let pattern = Pattern::new(words, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
    let (mut buffer, mut matcher) = (Vec::new(), Matcher::new(Config::DEFAULT.match_paths()));
    let mut found: Vec<(u32, &String)> = files
        .iter()
        .filter_map(|file| Some((pattern.score(Utf32Str::new(file, &mut buffer), &mut matcher)?, file)))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())).then_with(|| a.1.cmp(b.1)));
    found.into_iter().take(most).map(|(_, file)| file.clone()).collect()
}

fn walk(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let walk = ignore::WalkBuilder::new(root).hidden(false).filter_entry(|entry| entry.file_name() != ".git").build();
    for entry in walk.flatten().skip(1) {
        let Ok(path) = entry.path().strip_prefix(root) else { continue };
        let Some(name) = path.to_str() else { continue };
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        found.push(if folder { format!("{name}/") } else { name.to_string() });
        if found.len() == MOST {
            break;
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_files_by_fuzzy_match_with_ignore_files_honoured() {
        let dir = tempfile::tempdir().unwrap();
        for file in
            ["src/session.rs", "src/sign.rs", "target/session.o", "docs/sessions.md", ".git/config", "README.md"]
        {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(dir.path().join(".gitignore"), "target\n").unwrap();
        let (sender, told) = mpsc::channel();
        let mut files = Files::new(dir.path(), Box::new(move || sender.send(()).unwrap()));
        assert!(files.matching("ses", 9).is_empty());
        told.recv().unwrap();
        assert_eq!(files.matching("ses", 9), ["src/session.rs", "docs/sessions.md"]);
        assert_eq!(files.matching("srsn", 9).first().map(String::as_str), Some("src/sign.rs"));
        assert!(files.matching("config", 9).is_empty());
        assert_eq!(files.matching("", 9), [".gitignore", "README.md", "docs/", "src/"]);
        assert!(files.matching("!sign", 9).is_empty(), "a typed name is a name");
    }

    #[test]
    fn ui_12_a_large_folder_is_matched_beside_the_keys_and_the_last_words_win() {
        let (sender, told) = mpsc::channel();
        let mut files = Files::new(Path::new("/nowhere"), Box::new(move || sender.send(()).unwrap_or_default()));
        let many: Vec<String> = (0..AT_ONCE * 2).map(|n| format!("src/part{n}/lib.rs")).collect();
        files.list = List::There(Arc::new(many));
        // Three keys at once: none of them waits.
        assert!(files.matching("p", 9).is_empty());
        files.matching("pa", 9);
        while files.matching("part77lib", 9).first().map(String::as_str) != Some("src/part77/lib.rs") {
            told.recv().unwrap();
        }
    }
}

//! The files that `@` offers: listed once in the background with ignore files honoured, matched by what was typed (UI-3).

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

/// More files than this are not offered.
const MOST: usize = 100_000;

pub struct Files {
    root: PathBuf,
    list: List,
    /// Called on the listing's thread when it is done.
    tell: Box<dyn Fn() + Send + Sync>,
    matcher: Matcher,
}

enum List {
    NotAsked,
    Coming(mpsc::Receiver<Vec<String>>),
    There(Vec<String>),
}

impl Files {
    pub fn new(root: &Path, tell: Box<dyn Fn() + Send + Sync>) -> Files {
        Files { root: root.into(), list: List::NotAsked, tell, matcher: Matcher::new(Config::DEFAULT.match_paths()) }
    }

    /// The best matches, best first. Empty while the list is still coming.
    pub fn matching(&mut self, words: &str, most: usize) -> Vec<String> {
        self.list();
        let List::There(files) = &self.list else { return Vec::new() };
        if words.is_empty() {
            return files.iter().filter(|file| !file.trim_end_matches('/').contains('/')).take(most).cloned().collect();
        }
        let pattern = Pattern::parse(words, CaseMatching::Smart, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut found: Vec<(u32, &String)> = files
            .iter()
            .filter_map(|file| Some((pattern.score(Utf32Str::new(file, &mut buffer), &mut self.matcher)?, file)))
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.len().cmp(&b.1.len())).then_with(|| a.1.cmp(b.1)));
        found.into_iter().take(most).map(|(_, file)| file.clone()).collect()
    }

    /// New files may have come: the next `@` lists again.
    pub fn forget(&mut self) {
        if matches!(self.list, List::There(_)) {
            self.list = List::NotAsked;
        }
    }

    fn list(&mut self) {
        if let List::Coming(receiver) = &self.list
            && let Ok(files) = receiver.try_recv()
        {
            self.list = List::There(files);
        }
        if let List::NotAsked = self.list {
            let (sender, receiver) = mpsc::channel();
            self.list = List::Coming(receiver);
            let root = self.root.clone();
            // The walk may take long on a slow disk; keys must not wait for it.
            let tell = std::mem::replace(&mut self.tell, Box::new(|| ()));
            let tell: std::sync::Arc<dyn Fn() + Send + Sync> = tell.into();
            let for_thread = tell.clone();
            self.tell = Box::new(move || tell());
            std::thread::spawn(move || {
                let _ = sender.send(walk(&root));
                for_thread();
            });
        }
    }
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
    }
}

//! Tracks the shell's possible working folders: `cd a; b` runs b in `a` or, if cd failed, in the old folder.

use super::word::ShellWord;
use crate::shell::PathWord;

/// Maximum number of possible folders; beyond it the folder is unknown.
const MAX_FOLDERS: usize = 4;

/// The possible working folders; `None` means any. The empty string is the folder where the command started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::shell) struct WorkingFolders(Option<Vec<String>>);

impl WorkingFolders {
    pub fn at_command_start() -> WorkingFolders {
        WorkingFolders(Some(vec![String::new()]))
    }
    pub fn unknown() -> WorkingFolders {
        WorkingFolders(None)
    }
    pub fn is_command_start(&self) -> bool {
        *self == WorkingFolders::at_command_start()
    }
    pub fn union(&self, other: &WorkingFolders) -> WorkingFolders {
        let (Some(mine), Some(others)) = (&self.0, &other.0) else { return WorkingFolders::unknown() };
        let mut all = mine.clone();
        all.extend(others.iter().filter(|o| !mine.contains(o)).cloned());
        WorkingFolders((all.len() <= MAX_FOLDERS).then_some(all))
    }

    /// Folders after this command succeeds; `None` if it does not change the folder.
    pub fn after_command(&self, words: &[ShellWord]) -> Option<WorkingFolders> {
        // `command -p cd x` and `builtin -- cd x` change the folder, too.
        let wraps = |word: &ShellWord| word.is("command") || word.is("builtin");
        let option = |word: &ShellWord| word.literal.as_deref().is_some_and(|text| text.starts_with('-'));
        let mut rest = words;
        while rest.first().is_some_and(wraps) {
            let options = rest[1..].iter().take_while(|word| option(word)).count();
            rest = &rest[1 + options..];
            if rest.first().is_some_and(|word| word.literal.is_none()) {
                return Some(WorkingFolders::unknown());
            }
        }
        let (name, args) = rest.split_first()?;
        match name.literal.as_deref() {
            Some("cd") => Some(self.after_cd(args)),
            Some("pushd" | "popd" | "eval" | "source" | "." | "trap") => Some(WorkingFolders::unknown()),
            Some(_) | None => None,
        }
    }

    fn after_cd(&self, args: &[ShellWord]) -> WorkingFolders {
        let args: Vec<&ShellWord> = args.iter().filter(|w| !(w.is("-P") || w.is("-L") || w.is("--"))).collect();
        let target = match args.as_slice() {
            [] => "~".to_string(),
            [one] if one.literal.is_some() || matches!(one.path, PathWord::Exact(_)) => match &one.path {
                PathWord::Exact(path) if !path.starts_with('-') => path.clone(),
                PathWord::Exact(_)
                | PathWord::Glob(_)
                | PathWord::Below(_)
                | PathWord::Repository
                | PathWord::Pipe
                | PathWord::Unknown => {
                    return WorkingFolders::unknown();
                }
            },
            _ => return WorkingFolders::unknown(),
        };
        let Some(now) = &self.0 else {
            return if is_rooted(&target) { WorkingFolders(Some(vec![target])) } else { WorkingFolders::unknown() };
        };
        // bash resolves `..` by name, the kernel by folder; after a symlink they differ.
        let climbs_late = target.trim_start_matches("../").split('/').any(|c| c == "..") && target != "..";
        if climbs_late || (target.starts_with("..") && !self.is_command_start()) {
            return WorkingFolders::unknown();
        }
        WorkingFolders(Some(now.iter().map(|folder| join_path(folder, &target)).collect()))
            .union(&WorkingFolders(Some(vec![])))
    }

    /// All paths that these words may mean, relative to the folder where the command started.
    pub fn resolve_all(&self, paths: &[PathWord]) -> Vec<PathWord> {
        paths.iter().flat_map(|path| self.resolve_path(path)).collect()
    }

    fn resolve_path(&self, path: &PathWord) -> Vec<PathWord> {
        let text = match path {
            PathWord::Exact(text) | PathWord::Glob(text) | PathWord::Below(text) => text,
            PathWord::Repository if self.is_command_start() => return vec![PathWord::Repository],
            PathWord::Pipe => return vec![PathWord::Pipe],
            PathWord::Repository | PathWord::Unknown => return vec![PathWord::Unknown],
        };
        if is_rooted(text) {
            return vec![path.clone()];
        }
        let Some(folders) = &self.0 else { return vec![PathWord::Unknown] };
        let with = |folder: &String| match path {
            PathWord::Exact(_) => PathWord::Exact(join_path(folder, text)),
            PathWord::Glob(_) => PathWord::Glob(join_path(folder, text)),
            PathWord::Below(_) => PathWord::Below(join_path(folder, text)),
            PathWord::Repository | PathWord::Pipe | PathWord::Unknown => PathWord::Unknown,
        };
        folders.iter().map(with).collect()
    }
}

fn is_rooted(path: &str) -> bool {
    path.starts_with('/') || path == "~" || path.starts_with("~/")
}

fn join_path(folder: &str, path: &str) -> String {
    if folder.is_empty() || is_rooted(path) {
        return path.to_string();
    }
    format!("{}/{path}", folder.trim_end_matches('/'))
}

//! Which folders the shell may be in: `cd a; b` may run b in `a` or, if cd failed, where it was.

use super::super::PathWord;
use super::super::word::Word;

/// More possibilities than this are as good as none.
const MOST: usize = 4;

/// The possible working folders; None is «anywhere». The empty text is where the command began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Folders(Option<Vec<String>>);

impl Folders {
    pub fn start() -> Folders {
        Folders(Some(vec![String::new()]))
    }
    pub fn unknown() -> Folders {
        Folders(None)
    }
    pub fn at_start(&self) -> bool {
        *self == Folders::start()
    }
    pub fn or(&self, other: &Folders) -> Folders {
        let (Some(mine), Some(others)) = (&self.0, &other.0) else { return Folders::unknown() };
        let mut all = mine.clone();
        all.extend(others.iter().filter(|o| !mine.contains(o)).cloned());
        Folders((all.len() <= MOST).then_some(all))
    }

    /// Where a successful `cd` leads; None if the command changes no folder.
    pub fn after(&self, words: &[Word]) -> Option<Folders> {
        // `command -p cd x` and `builtin -- cd x` move as well.
        let wraps = |word: &Word| word.is("command") || word.is("builtin");
        let option = |word: &Word| word.literal.as_deref().is_some_and(|text| text.starts_with('-'));
        let mut rest = words;
        while rest.first().is_some_and(wraps) {
            let options = rest[1..].iter().take_while(|word| option(word)).count();
            rest = &rest[1 + options..];
            if rest.first().is_some_and(|word| word.literal.is_none()) {
                return Some(Folders::unknown());
            }
        }
        let (name, args) = rest.split_first()?;
        match name.literal.as_deref() {
            Some("cd") => Some(self.cd(args)),
            Some("pushd" | "popd" | "eval" | "source" | "." | "trap") => Some(Folders::unknown()),
            Some(_) | None => None,
        }
    }

    fn cd(&self, args: &[Word]) -> Folders {
        let args: Vec<&Word> = args.iter().filter(|w| !(w.is("-P") || w.is("-L") || w.is("--"))).collect();
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
                    return Folders::unknown();
                }
            },
            _ => return Folders::unknown(),
        };
        let Some(now) = &self.0 else {
            return if is_rooted(&target) { Folders(Some(vec![target])) } else { Folders::unknown() };
        };
        // bash takes `..` back by name, the kernel by folder: after a symlink they differ.
        let climbs_late = target.trim_start_matches("../").split('/').any(|c| c == "..") && target != "..";
        if climbs_late || (target.starts_with("..") && !self.at_start()) {
            return Folders::unknown();
        }
        Folders(Some(now.iter().map(|folder| join(folder, &target)).collect())).or(&Folders(Some(vec![])))
    }

    /// Every path that these words may mean, seen from where the command began.
    pub fn all(&self, paths: &[PathWord]) -> Vec<PathWord> {
        paths.iter().flat_map(|path| self.each(path)).collect()
    }

    fn each(&self, path: &PathWord) -> Vec<PathWord> {
        let text = match path {
            PathWord::Exact(text) | PathWord::Glob(text) | PathWord::Below(text) => text,
            PathWord::Repository if self.at_start() => return vec![PathWord::Repository],
            PathWord::Pipe => return vec![PathWord::Pipe],
            PathWord::Repository | PathWord::Unknown => return vec![PathWord::Unknown],
        };
        if is_rooted(text) {
            return vec![path.clone()];
        }
        let Some(folders) = &self.0 else { return vec![PathWord::Unknown] };
        let with = |folder: &String| match path {
            PathWord::Exact(_) => PathWord::Exact(join(folder, text)),
            PathWord::Glob(_) => PathWord::Glob(join(folder, text)),
            PathWord::Below(_) => PathWord::Below(join(folder, text)),
            PathWord::Repository | PathWord::Pipe | PathWord::Unknown => PathWord::Unknown,
        };
        folders.iter().map(with).collect()
    }
}

fn is_rooted(path: &str) -> bool {
    path.starts_with('/') || path == "~" || path.starts_with("~/")
}

fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() || is_rooted(path) {
        return path.to_string();
    }
    format!("{}/{path}", folder.trim_end_matches('/'))
}

//! Keeps secrets unread while planning (PM-60, SB-2), also without a kernel sandbox: then a command must not read what
//! may be a secret, and an unknown file may be one.

use super::facts::{UNRESOLVED, resolve_target};
use crate::env::ToolEnv;
use crate::files::walk;
use crate::shell::bash::globs;
use cutonce_core::permission::{ShellFacts, is_secret};
use cutonce_core::shell::{CommandPart, PathWord};
use ignore::WalkState;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Programs that show names and numbers, but no file contents.
const NAMES_ONLY: &[&str] = &[
    "[", "basename", "cd", "df", "dir", "dirname", "du", "fd", "fdfind", "find", "ls", "popd", "pushd", "readlink",
    "realpath", "stat", "test", "tree", "vdir", "wc",
];
/// Maximum entries of a folder to check; a larger one may contain a secret.
const MAX_ENTRIES: usize = 200_000;

/// True if this command may read a file with secrets.
pub fn may_read_secret(facts: &ShellFacts, here: &ToolEnv) -> bool {
    facts.parts.iter().any(|part| part_may_read(&part.part, here))
}

fn part_may_read(part: &CommandPart, here: &ToolEnv) -> bool {
    let names_only = part.program().is_some_and(|name| NAMES_ONLY.contains(&name));
    !names_only && part.reads.iter().any(|word| word_may_read(part, word, here))
}

fn word_may_read(part: &CommandPart, word: &PathWord, here: &ToolEnv) -> bool {
    match word {
        PathWord::Exact(path) => is_hidden(&resolve_target(path, here).path, here),
        PathWord::Below(path) => {
            let path = resolve_target(path, here).path;
            is_hidden(&path, here) || (descends_into_folders(part) && contains_secret(&path, part, here))
        }
        PathWord::Glob(glob) => {
            let folder = resolve_target(PathWord::glob_folder(glob), here).path;
            let Some(found) = globs::matching_paths(&folder, globs::special_part(glob)) else { return true };
            let hit = |path: &std::path::PathBuf| {
                let real = path.canonicalize().unwrap_or_else(|_| path.clone());
                let below = real.is_dir() && is_search(part) && contains_secret(&real, part, here);
                is_hidden(path, here) || is_hidden(&real, here) || below
            };
            found.iter().any(hit)
        }
        PathWord::Unknown => true,
        // The git history is not protected; a pipe is not a file.
        PathWord::Repository | PathWord::Pipe => false,
    }
}

fn is_hidden(path: &Path, here: &ToolEnv) -> bool {
    path == Path::new(UNRESOLVED)
        || is_secret(path, here.workspace.home.as_deref())
        || here.disk.hidden().is_some_and(|hidden| hidden(path))
}

fn has_word(part: &CommandPart, wanted: &[&str]) -> bool {
    part.words.iter().flatten().any(|word| wanted.contains(&word.as_str()))
}

/// True if the program descends into folders. git reads only tracked files, unless options say otherwise.
fn descends_into_folders(part: &CommandPart) -> bool {
    part.program() != Some("git") || has_word(part, &["--no-index", "--untracked"])
}

fn is_search(part: &CommandPart) -> bool {
    matches!(part.program(), Some("grep" | "egrep" | "fgrep" | "rg" | "diff" | "git"))
}

/// True if this folder may contain a secret. rg skips hidden files, unless options say otherwise.
fn contains_secret(folder: &Path, part: &CommandPart, here: &ToolEnv) -> bool {
    let uncovers = |word: &String| {
        word.starts_with("--hidden") || word.starts_with("--unrestricted") || word.starts_with("--no-ignore") || {
            word.starts_with('-') && !word.starts_with("--") && word.contains(['u', '.'])
        }
    };
    let skips = part.program() == Some("rg") && !part.words.iter().flatten().any(uncovers);
    let hides = |path: &Path| is_hidden(path, here);
    let home_inside = [Some(&here.workspace.cutonce_home), here.workspace.home.as_ref()];
    if home_inside.into_iter().flatten().any(|home| home.starts_with(folder)) {
        return true;
    }
    let (seen, found) = (AtomicUsize::new(0), AtomicBool::new(false));
    walk::visit_all([folder], skips, |path| {
        if seen.fetch_add(1, Ordering::Relaxed) >= MAX_ENTRIES || path.is_some_and(hides) {
            found.store(true, Ordering::Relaxed);
            return WalkState::Quit;
        }
        WalkState::Continue
    });
    found.into_inner()
}

//! Keys stay closed while planning (PM-60, SB-2), also where no kernel sees to it: there a command must not read what may be
//! one, and what nobody can say is one that may.

use super::facts::{NOWHERE, target};
use crate::globs;
use crate::tool::Here;
use cutonce_core::permission::{ShellFacts, is_secret};
use cutonce_core::shell::{Part, PathWord};
use std::path::Path;

/// These show names and numbers, nothing of what is in files.
const NAMES_ONLY: &[&str] = &[
    "[", "basename", "cd", "df", "dir", "dirname", "du", "fd", "fdfind", "find", "ls", "popd", "pushd", "readlink",
    "realpath", "stat", "test", "tree", "vdir", "wc",
];
/// A folder with more entries is not looked through: then a key may be in it.
const MOST: usize = 200_000;

/// May this command read a file that holds keys?
pub fn may_read_secret(facts: &ShellFacts, here: &Here) -> bool {
    facts.parts.iter().any(|part| part_may(&part.part, here))
}

fn part_may(part: &Part, here: &Here) -> bool {
    let names_only = part.program().is_some_and(|name| NAMES_ONLY.contains(&name));
    !names_only && part.reads.iter().any(|word| word_may(part, word, here))
}

fn word_may(part: &Part, word: &PathWord, here: &Here) -> bool {
    match word {
        PathWord::Exact(path) => is_hidden(&target(path, here).path, here),
        PathWord::Below(path) => {
            let path = target(path, here).path;
            is_hidden(&path, here) || (goes_through(part) && holds_secret(&path, part, here))
        }
        PathWord::Glob(glob) => {
            let folder = target(PathWord::glob_folder(glob), here).path;
            let Some(found) = globs::found(&folder, globs::special_part(glob)) else { return true };
            let hit = |path: &std::path::PathBuf| {
                let real = path.canonicalize().unwrap_or_else(|_| path.clone());
                let below = real.is_dir() && searches(part) && holds_secret(&real, part, here);
                is_hidden(path, here) || is_hidden(&real, here) || below
            };
            found.iter().any(hit)
        }
        PathWord::Unknown => true,
        // What is in the history is not kept closed; a pipe is nobody's file.
        PathWord::Repository | PathWord::Pipe => false,
    }
}

fn is_hidden(path: &Path, here: &Here) -> bool {
    path == Path::new(NOWHERE) || is_secret(path) || here.disk.hidden().is_some_and(|hidden| hidden(path))
}

fn has_word(part: &Part, wanted: &[&str]) -> bool {
    part.words.iter().flatten().any(|word| wanted.contains(&word.as_str()))
}

/// git looks at what it tracks, unless it is told otherwise.
fn goes_through(part: &Part) -> bool {
    part.program() != Some("git") || has_word(part, &["--no-index", "--untracked"])
}

fn searches(part: &Part) -> bool {
    matches!(part.program(), Some("grep" | "egrep" | "fgrep" | "rg" | "diff" | "git"))
}

/// Is a key somewhere in this folder? rg leaves out what is hidden, unless it is told otherwise.
fn holds_secret(folder: &Path, part: &Part, here: &Here) -> bool {
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
    let entries = ignore::WalkBuilder::new(folder).standard_filters(false).hidden(skips).build();
    let mut seen = 0;
    for entry in entries {
        seen += 1;
        if seen > MOST || entry.is_ok_and(|entry| hides(entry.path())) {
            return true;
        }
    }
    false
}

//! Finds what a shell glob may match (PR-5): a symlink among the matches leads somewhere else than its name says, and
//! a name that begins with `-` is an option. So the disk is checked before the decision, as for plain paths.
//!
//! The result may contain too much (case, dots and brackets are ignored), never too little.

use std::path::{Path, PathBuf};

/// Maximum number of entries to check; beyond it the result is unknown.
const MAX_ENTRIES: usize = 5_000;

/// Returns the symlinks that `glob` (below `folder`, parts separated by `/`) matches or passes; `None` if unknown.
pub(crate) fn matching_links(folder: &Path, glob: &str) -> Option<Vec<PathBuf>> {
    walk_glob(folder, glob).map(|(links, _)| links)
}

/// Returns everything that `glob` may match.
pub(crate) fn matching_paths(folder: &Path, glob: &str) -> Option<Vec<PathBuf>> {
    walk_glob(folder, glob).map(|(_, found)| found)
}

fn walk_glob(folder: &Path, glob: &str) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut seen = 0;
    let mut links = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    for part in glob.split('/').filter(|part| !part.is_empty() && *part != ".") {
        let mut next = Vec::new();
        for folder in &folders {
            let found =
                if is_wild(part) { matching_entries(folder, part, &mut seen)? } else { vec![folder.join(part)] };
            next.extend(found);
        }
        if part == ".." || next.len() > MAX_ENTRIES {
            return None;
        }
        links.extend(next.iter().filter(|path| path.is_symlink()).cloned());
        folders = next;
    }
    Some((links, folders))
}

/// Returns the part of a glob from its first special component on.
pub(crate) fn special_part(glob: &str) -> &str {
    let special = glob.find(['*', '?', '[']).unwrap_or(glob.len());
    glob[..special].rfind('/').map_or(glob, |slash| &glob[slash + 1..])
}

fn is_wild(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

fn matching_entries(folder: &Path, part: &str, seen: &mut usize) -> Option<Vec<PathBuf>> {
    // A folder that can't be listed matches nothing in the shell either.
    let Ok(entries) = std::fs::read_dir(folder) else { return Some(vec![]) };
    let pattern: Vec<char> = part.to_lowercase().chars().collect();
    let mut found = Vec::new();
    for entry in entries {
        *seen += 1;
        if *seen > MAX_ENTRIES {
            return None;
        }
        let name = entry.ok()?.file_name();
        let text = name.to_str()?;
        if matches(&pattern, &text.to_lowercase().chars().collect::<Vec<_>>()) {
            if text.starts_with('-') {
                return None;
            }
            found.push(folder.join(&name));
        }
    }
    Some(found)
}

/// Matches `*` and `?` as the shell does; anything may follow a `[`.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut on) = (0, 0);
    // Where to resume if the last `*` must take one more character.
    let mut again: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), name.get(on)) {
            (Some('['), _) => return true,
            (Some('*'), _) => {
                again = Some((at + 1, on));
                at += 1;
            }
            (None, None) => return true,
            (Some(p), Some(n)) if *p == '?' || p == n => {
                at += 1;
                on += 1;
            }
            (_, _) => match again {
                Some((after, from)) if from < name.len() => {
                    again = Some((after, from + 1));
                    (at, on) = (after, from + 1);
                }
                Some(_) | None => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_5_globs_match_at_least_like_the_shell() {
        for (pattern, name, expected) in [
            ("*", "a", true),
            ("l*k", "link", true),
            ("l*k", "linkx", false),
            ("lin[k]", "link", true),
            ("l?nk", "link", true),
            ("*.rs", "a.rs.rs", true),
            ("*.rs", "a.rsx", false),
            ("a*b*c", "aXbXbc", true),
            ("?", "", false),
        ] {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(matches(&chars(pattern), &chars(name)), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn pr_5_links_behind_globs_are_found() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("sub/deep")).unwrap();
        std::fs::write(at("sub/plain.txt"), "").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", at("link")).unwrap();
        std::os::unix::fs::symlink("/etc", at("sub/folder")).unwrap();
        let found = |glob: &str| matching_links(root.path(), glob);
        assert_eq!(found("l*"), Some(vec![at("link")]));
        assert_eq!(found("lin[k]"), Some(vec![at("link")]));
        assert_eq!(found("s*/f*/host*"), Some(vec![at("sub/folder")]));
        assert_eq!(found("sub/*.txt"), Some(vec![]));
        assert_eq!(found("*/../x"), None);
        std::fs::write(at("sub/-rf"), "").unwrap();
        assert_eq!(found("sub/*"), None);
        assert_eq!(found("sub/p*"), Some(vec![]));
    }
}

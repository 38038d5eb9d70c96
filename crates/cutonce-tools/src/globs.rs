//! What a glob of a command line may find (PR-5): a symlink among it leads somewhere else than its name says, and a name that
//! begins with `-` is an option. So the disk is asked before the decision, as it is for plain paths.
//!
//! It may find too much here (case, dots and brackets are not told apart), never too little.

use std::path::{Path, PathBuf};

/// More entries than this are not looked at: then nobody can say.
const MOST: usize = 5_000;

/// The symlinks that `glob` (below `folder`, parts separated by `/`) finds or goes through. None if nobody can say.
pub(crate) fn links(folder: &Path, glob: &str) -> Option<Vec<PathBuf>> {
    look(folder, glob).map(|(links, _)| links)
}

/// All that `glob` may find.
pub(crate) fn found(folder: &Path, glob: &str) -> Option<Vec<PathBuf>> {
    look(folder, glob).map(|(_, found)| found)
}

fn look(folder: &Path, glob: &str) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut seen = 0;
    let mut links = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    for part in glob.split('/').filter(|part| !part.is_empty() && *part != ".") {
        let mut next = Vec::new();
        for folder in &folders {
            let found = if is_wild(part) { matching(folder, part, &mut seen)? } else { vec![folder.join(part)] };
            next.extend(found);
        }
        if part == ".." || next.len() > MOST {
            return None;
        }
        links.extend(next.iter().filter(|path| path.is_symlink()).cloned());
        folders = next;
    }
    Some((links, folders))
}

/// The part of a glob from its first special component on.
pub(crate) fn special_part(glob: &str) -> &str {
    let special = glob.find(['*', '?', '[']).unwrap_or(glob.len());
    glob[..special].rfind('/').map_or(glob, |slash| &glob[slash + 1..])
}

fn is_wild(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

fn matching(folder: &Path, part: &str, seen: &mut usize) -> Option<Vec<PathBuf>> {
    // Where it can't be listed, the shell finds nothing either.
    let Ok(entries) = std::fs::read_dir(folder) else { return Some(vec![]) };
    let pattern: Vec<char> = part.to_lowercase().chars().collect();
    let mut found = Vec::new();
    for entry in entries {
        *seen += 1;
        if *seen > MOST {
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

/// `*` and `?` as in the shell; what follows a `[` may be anything.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut on) = (0, 0);
    // Where to go on if the last `*` must take one more character.
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
    fn pr_5_globs_match_at_least_what_the_shell_matches() {
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
    fn pr_5_links_behind_globs_are_seen() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("sub/deep")).unwrap();
        std::fs::write(at("sub/plain.txt"), "").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", at("link")).unwrap();
        std::os::unix::fs::symlink("/etc", at("sub/folder")).unwrap();
        let found = |glob: &str| links(root.path(), glob);
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

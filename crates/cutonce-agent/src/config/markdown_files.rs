//! Finds the Markdown files of a folder: definitions of agents (SA-3) and commands (UI-9).

use cutonce_tools::files::walk_below;
use std::path::{Path, PathBuf};

/// Subfolders only group files; deeper ones are not looked into.
const MAX_DEPTH: usize = 4;

/// Finds at most `most` Markdown files in a folder and its subfolders, sorted. A file can be a link. A link to a folder
/// is not followed: in a repository it could lead to the whole disk.
pub(crate) fn find_markdown_files(folder: &Path, most: usize) -> Vec<PathBuf> {
    let paths = walk_below(folder, |entry| entry.depth() <= MAX_DEPTH).flatten().map(|entry| entry.into_path());
    let is_text = |path: &PathBuf| path.extension().is_some_and(|end| end == "md") && path.is_file();
    let mut found: Vec<PathBuf> = paths.filter(is_text).take(most).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sa_3_definitions_in_subfolders_without_following_folder_links() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        std::fs::create_dir_all(at("agents/team/a/b/too-deep")).unwrap();
        std::fs::create_dir(at("elsewhere")).unwrap();
        for file in ["agents/one.md", "agents/notes.txt", "agents/team/a/b/two.md", "agents/team/a/b/too-deep/x.md"] {
            std::fs::write(at(file), "").unwrap();
        }
        std::fs::write(at("elsewhere/three.md"), "").unwrap();
        std::os::unix::fs::symlink(at("elsewhere/three.md"), at("agents/three.md")).unwrap();
        std::os::unix::fs::symlink(at("elsewhere"), at("agents/linked")).unwrap();
        std::os::unix::fs::symlink("missing.md", at("agents/dangling.md")).unwrap();
        let expected = ["agents/one.md", "agents/team/a/b/two.md", "agents/three.md"].map(at);
        assert_eq!(find_markdown_files(&at("agents"), 10), expected);
        assert_eq!(find_markdown_files(&at("agents"), 2).len(), 2);
        assert!(find_markdown_files(&at("missing"), 10).is_empty());
    }
}

//! Whether git ignores a path (PC-20): its `.gitignore` files from the top of the repository down, and the repository's
//! own exclude file.

use super::git_index::is_tracked;
use super::walk::is_safe_ignore_file;
use ignore::gitignore::Gitignore;
use std::path::Path;

/// True if git ignores this path below the workspace, or a folder above it. Git ignores no tracked file.
pub fn is_ignored(root: &Path, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(root) else { return false };
    let top = root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root);
    let above: Vec<&Path> = root.ancestors().take_while(|folder| folder.starts_with(top)).collect();
    let mut files: Vec<Gitignore> = read_rules(&top.join(".git/info/exclude"), top).into_iter().collect();
    files.extend(above.into_iter().rev().filter_map(|folder| read_rules(&folder.join(".gitignore"), folder)));
    let mut folder = root.to_path_buf();
    let parts: Vec<_> = below.components().collect();
    for (at, part) in parts.iter().enumerate() {
        let candidate = folder.join(part);
        let is_folder = at + 1 < parts.len() || candidate.is_dir();
        // The deepest file with a rule decides; below an ignored folder nothing comes back.
        let verdict =
            files.iter().rev().map(|rules| rules.matched(&candidate, is_folder)).find(|verdict| !verdict.is_none());
        if verdict.is_some_and(|verdict| verdict.is_ignore()) {
            return !path.strip_prefix(top).is_ok_and(|path| is_tracked(top, path));
        }
        files.extend(read_rules(&candidate.join(".gitignore"), &candidate).filter(|_| is_folder));
        folder = candidate;
    }
    false
}

fn read_rules(file: &Path, folder: &Path) -> Option<Gitignore> {
    if !file.is_file() || !is_safe_ignore_file(file) {
        return None;
    }
    let mut builder = ignore::gitignore::GitignoreBuilder::new(folder);
    builder.add(file);
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_20_ignored_files_follow_gitignore() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let root = top.join("app");
        std::fs::create_dir_all(root.join("src/gen")).unwrap();
        std::fs::create_dir_all(top.join(".git/info")).unwrap();
        std::fs::write(top.join(".git/info/exclude"), "*.local\n").unwrap();
        std::fs::write(top.join(".gitignore"), "target/\n*.log\n").unwrap();
        std::fs::write(root.join("src/.gitignore"), "gen/\n!keep.log\n").unwrap();
        let ignored = |path: &str| is_ignored(&root, &root.join(path));
        for path in ["target/debug/x", "a.log", "src/b.log", "src/gen/c.rs", "me.local", "new/deep/d.log"] {
            assert!(ignored(path), "{path}");
        }
        for path in ["src/a.rs", "src/keep.log", "targets/x", "gen/x", ".git/config"] {
            assert!(!ignored(path), "{path}");
        }
        assert!(!is_ignored(&root, &top.join("elsewhere.log")));
    }

    #[test]
    fn pc_20_tracked_files_are_never_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let git = |args: &[&str]| {
            assert!(std::process::Command::new("git").args(args).current_dir(&root).status().unwrap().success());
        };
        git(&["init", "-q"]);
        std::fs::create_dir(root.join("dist")).unwrap();
        std::fs::write(root.join(".gitignore"), "dist/\n").unwrap();
        std::fs::write(root.join("dist/kept.js"), "x").unwrap();
        git(&["add", "-f", "dist/kept.js"]);
        assert!(!is_ignored(&root, &root.join("dist/kept.js")));
        assert!(is_ignored(&root, &root.join("dist/new.js")));
    }
}

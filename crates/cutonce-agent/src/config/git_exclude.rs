//! Keeps the user's own settings of a project out of its commits (DU-2).

use crate::storage::paths::read_bounded_text;
use std::io::Write;
use std::path::{Path, PathBuf};

/// In any folder of the repository.
const PATTERN: &str = "**/.cutonce/settings.local.json";
/// Maximum size of the exclude file.
const MAX_FILE_SIZE: u64 = 1 << 20;

/// Adds the local settings to the repository's `info/exclude`, once; other settings files are left alone. Without a
/// repository, or if that fails, nothing changes: the settings are stored already.
pub(super) fn exclude_local_settings(file: &Path) {
    let Some(folder) = file.parent().filter(|_| file.ends_with(".cutonce/settings.local.json")) else { return };
    let Some(git) = git_folder(folder) else { return };
    if let Err(error) = add_pattern(&git.join("info/exclude")) {
        tracing::warn!(%error, "settings.local.json is not excluded from git");
    }
}

/// The folder from which git reads `info/exclude` for the nearest repository. A `.git` that is a link may lead anywhere
/// and is not followed; one that is a file is followed only to a folder that names this checkout.
fn git_folder(project: &Path) -> Option<PathBuf> {
    let git = project.ancestors().map(|folder| folder.join(".git")).find(|git| git.symlink_metadata().is_ok())?;
    let kind = git.symlink_metadata().ok()?.file_type();
    let git = if kind.is_file() { folder_of_checkout(&git)? } else { git };
    let real = |path: &Path| path.symlink_metadata().is_ok_and(|about| about.is_dir());
    (real(&git) && git.join("HEAD").is_file() && (!git.join("info").exists() || real(&git.join("info")))).then_some(git)
}

/// The git folder of a worktree or submodule, whose `.git` is a file. Worktrees read the exclude file of the main
/// checkout.
fn folder_of_checkout(git_file: &Path) -> Option<PathBuf> {
    let checkout = git_file.parent()?;
    let line = |path: &Path| Some(read_bounded_text(path, MAX_FILE_SIZE).ok()??.trim().to_string());
    let own = checkout.join(line(git_file)?.strip_prefix("gitdir:")?.trim());
    if let Some(common) = line(&own.join("commondir")) {
        let names_us = is_same_file(&own.join(line(&own.join("gitdir"))?), git_file);
        return own.join(common).canonicalize().ok().filter(|_| names_us);
    }
    let config = line(&own.join("config"))?;
    let worktree = config.lines().find_map(|line| line.trim().strip_prefix("worktree")?.trim().strip_prefix('='))?;
    let names_us = is_same_file(&own.join(worktree.trim()), checkout);
    own.canonicalize().ok().filter(|_| names_us)
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn add_pattern(exclude: &Path) -> std::io::Result<()> {
    if exclude.is_symlink() {
        return Err(std::io::Error::other("info/exclude is a symlink"));
    }
    let text = read_bounded_text(exclude, MAX_FILE_SIZE)?.unwrap_or_default();
    if text.lines().any(|line| line.trim() == PATTERN) {
        return Ok(());
    }
    if let Some(info) = exclude.parent() {
        std::fs::create_dir_all(info)?;
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(exclude)?;
    file.write_all(format!("{gap}{PATTERN}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_2_local_settings_are_excluded_once() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("repo/part/.cutonce");
        std::fs::create_dir_all(&folder).unwrap();
        let local = folder.join("settings.local.json");
        exclude_local_settings(&local);
        let git = root.path().join("repo/.git");
        std::fs::create_dir_all(git.join("info")).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(git.join("info/exclude"), "*.log").unwrap();
        exclude_local_settings(&folder.join("settings.json"));
        assert_eq!(std::fs::read_to_string(git.join("info/exclude")).unwrap(), "*.log");
        exclude_local_settings(&local);
        exclude_local_settings(&local);
        assert_eq!(std::fs::read_to_string(git.join("info/exclude")).unwrap(), format!("*.log\n{PATTERN}\n"));
        let elsewhere = root.path().join("elsewhere");
        std::fs::rename(&git, &elsewhere).unwrap();
        std::fs::remove_file(elsewhere.join("info/exclude")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &git).unwrap();
        exclude_local_settings(&local);
        assert!(!elsewhere.join("info/exclude").exists(), "a link is not followed");
    }

    fn git(folder: &Path, args: &[&str]) -> String {
        let own = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"];
        let mut command = std::process::Command::new("git");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").current_dir(folder);
        let out = command.args(own).args(args).output().unwrap();
        assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    /// Stores local settings in the folder and returns what git would commit there.
    fn untracked_after_storing(folder: &Path) -> String {
        let local = folder.join("part/.cutonce/settings.local.json");
        std::fs::create_dir_all(local.parent().unwrap()).unwrap();
        std::fs::write(&local, "{}").unwrap();
        exclude_local_settings(&local);
        git(folder, &["status", "--porcelain", "--untracked-files=all"])
    }

    #[test]
    fn du_2_worktrees_and_submodules_exclude_local_settings() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for name in ["main", "lib"] {
            std::fs::create_dir(at(name)).unwrap();
            git(&at(name), &["init", "-q"]);
            git(&at(name), &["commit", "-q", "--allow-empty", "-m", "first"]);
        }
        git(&at("main"), &["worktree", "add", "-q", "../tree"]);
        assert_eq!(untracked_after_storing(&at("tree")), "");
        git(&at("main"), &["submodule", "add", "-q", "../lib", "sub"]);
        git(&at("main"), &["commit", "-q", "-m", "sub"]);
        assert_eq!(untracked_after_storing(&at("main/sub")), "");

        // A `.git` file that names the folder of another repository writes nothing there.
        std::fs::create_dir(at("odd")).unwrap();
        for target in ["lib/.git", "main/.git/worktrees/tree", "main/.git/modules/sub"] {
            let exclude = [at("lib/.git/info/exclude"), at("main/.git/info/exclude")];
            exclude.iter().for_each(|file| std::fs::write(file, "").unwrap());
            std::fs::write(at("odd/.git"), format!("gitdir: {}\n", at(target).display())).unwrap();
            exclude_local_settings(&at("odd/.cutonce/settings.local.json"));
            let written: Vec<_> = exclude.iter().filter(|file| std::fs::metadata(file).unwrap().len() > 0).collect();
            assert!(written.is_empty(), "{target}: {written:?}");
        }
    }
}

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

/// The nearest repository's own folder. A `.git` that is a file or a link may lead anywhere and is not followed.
fn git_folder(project: &Path) -> Option<PathBuf> {
    let git = project.ancestors().map(|folder| folder.join(".git")).find(|git| git.symlink_metadata().is_ok())?;
    let real = |path: &Path| path.symlink_metadata().is_ok_and(|about| about.is_dir());
    (real(&git) && git.join("HEAD").is_file() && (!git.join("info").exists() || real(&git.join("info")))).then_some(git)
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
}

//! The folders that the user trusts (PR-2): only their settings may loosen permissions or run programs.

use crate::storage::paths::{private_options, write_private};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Default, Serialize, Deserialize)]
struct TrustFile {
    #[serde(default)]
    folders: Vec<PathBuf>,
    /// Folders that the user does not trust: the question is not asked again (ON-4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    declined: Vec<PathBuf>,
}

/// Whether this folder or a parent is trusted by `trust.json` or the `trust` list of the user's settings. The user's
/// home and its parents are never trusted, because they contain too much.
pub(crate) fn is_trusted(home: &Path, user_home: Option<&Path>, folder: &Path, listed: &[String]) -> bool {
    let folder = resolve(folder);
    if is_too_broad(&folder, user_home) {
        return false;
    }
    let listed = listed.iter().map(|entry| expand_home(entry, user_home));
    let mut entries = read_trust_file(home).unwrap_or_default().folders.into_iter().chain(listed);
    entries.any(|entry| {
        let entry = resolve(&entry);
        entry.is_absolute() && !is_too_broad(&entry, user_home) && includes(&entry, &folder)
    })
}

/// True if trust in `entry` includes `folder`. Installed packages below it are the work of others, and commands in the
/// sandbox may write them (SB-4).
fn includes(entry: &Path, folder: &Path) -> bool {
    let below = folder.strip_prefix(entry);
    below.is_ok_and(|below| below.iter().all(|name| name != "node_modules"))
}

/// Trusts a folder and everything below it.
pub fn trust_folder(home: &Path, user_home: Option<&Path>, folder: &Path) -> io::Result<()> {
    let folder = resolve(folder);
    if is_too_broad(&folder, user_home) {
        let why =
            format!("{} is too broad to be trusted; start cutonce in a project folder below it", folder.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    change_trust_file(home, |file| {
        file.declined.retain(|known| *known != folder);
        if !file.folders.contains(&folder) {
            file.folders.push(folder);
        }
    })
}

/// Records that the user does not trust a folder, so that the question is not asked again.
pub fn decline_folder(home: &Path, folder: &Path) -> io::Result<()> {
    let folder = resolve(folder);
    change_trust_file(home, |file| {
        if !file.declined.contains(&folder) {
            file.declined.push(folder);
        }
    })
}

/// True if the user said that this folder is not trusted.
pub fn is_declined(home: &Path, folder: &Path) -> bool {
    read_trust_file(home).is_ok_and(|file| file.declined.contains(&resolve(folder)))
}

fn change_trust_file(home: &Path, change: impl FnOnce(&mut TrustFile)) -> io::Result<()> {
    crate::storage::paths::create_private_dir(home)?;
    // Lock the file, because several processes may change it.
    let lock = private_options().write(true).create(true).truncate(false).open(home.join("trust.lock"))?;
    lock.lock()?;
    let mut file = read_trust_file(home)?;
    change(&mut file);
    let text = serde_json::to_string_pretty(&file)? + "\n";
    write_private(&home.join("trust.json"), text.as_bytes())
}

fn read_trust_file(home: &Path) -> io::Result<TrustFile> {
    let file = home.join("trust.json");
    match std::fs::read(&file) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| io::Error::other(format!("{} is broken: {error}; repair or remove it", file.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(TrustFile::default()),
        Err(error) => Err(error),
    }
}

/// True for the root and the folders that contain the user's home. No folder is trusted for all that is in it.
pub fn is_too_broad(folder: &Path, user_home: Option<&Path>) -> bool {
    let folder = resolve(folder);
    folder.parent().is_none() || user_home.is_some_and(|home| resolve(home).starts_with(&folder))
}

/// The real folder, so that changing a symlink later doesn't change trust.
fn resolve(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf())
}

fn expand_home(entry: &str, user_home: Option<&Path>) -> PathBuf {
    match (entry.strip_prefix("~/"), user_home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) | (None, _) => PathBuf::from(entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_2_trust_includes_subfolders() {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".cutonce");
        let project = user.path().join("code/app");
        for dir in ["code/app/sub/node_modules/x", "code/app2", "code/other"] {
            std::fs::create_dir_all(user.path().join(dir)).unwrap();
        }
        let trusted = |folder: &str, listed: &[&str]| {
            let listed: Vec<String> = listed.iter().map(|entry| entry.to_string()).collect();
            is_trusted(&home, Some(user.path()), &user.path().join(folder), &listed)
        };
        assert!(!trusted("code/app", &[]));
        trust_folder(&home, Some(user.path()), &project).unwrap();
        trust_folder(&home, Some(user.path()), &project).unwrap();
        assert!(trusted("code/app", &[]) && trusted("code/app/sub", &[]));
        assert!(!trusted("code/app2", &[]) && !trusted("code", &[]));
        assert!(!trusted("code/app/sub/node_modules/x", &[]), "a package is trusted by itself only");
        assert!(trusted("code/app/sub/node_modules/x", &["~/code/app/sub/node_modules/x"]));
        assert!(trusted("code/other", &["~/code/other"]));
        assert!(!trusted("code/other", &["other", "~", "~/", "/"]));
        let text = std::fs::read_to_string(home.join("trust.json")).unwrap();
        assert_eq!(text.matches("app").count(), 1, "{text}");
    }

    #[test]
    fn on_4_declined_folder_is_not_asked_about() {
        let user = tempfile::tempdir().unwrap();
        let (home, project) = (user.path().join(".cutonce"), user.path().join("app"));
        std::fs::create_dir_all(&project).unwrap();
        assert!(!is_declined(&home, &project));
        decline_folder(&home, &project).unwrap();
        assert!(is_declined(&home, &project) && !is_trusted(&home, Some(user.path()), &project, &[]));
        trust_folder(&home, Some(user.path()), &project).unwrap();
        assert!(!is_declined(&home, &project) && is_trusted(&home, Some(user.path()), &project, &[]));
    }

    #[test]
    fn pr_2_home_and_root_are_never_trusted() {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".cutonce");
        for folder in [user.path(), Path::new("/"), user.path().parent().unwrap()] {
            assert!(trust_folder(&home, Some(user.path()), folder).is_err(), "{}", folder.display());
            assert!(!is_trusted(&home, Some(user.path()), folder, &[folder.display().to_string()]));
        }
    }

    #[cfg(unix)]
    #[test]
    fn pr_2_links_are_resolved_for_trust() {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".cutonce");
        for dir in ["good", "bad"] {
            std::fs::create_dir(user.path().join(dir)).unwrap();
        }
        std::os::unix::fs::symlink(user.path().join("bad"), user.path().join("good/link")).unwrap();
        trust_folder(&home, Some(user.path()), &user.path().join("good")).unwrap();
        assert!(!is_trusted(&home, Some(user.path()), &user.path().join("good/link"), &[]));
    }

    #[test]
    fn pr_2_broken_trust_file_is_ignored_and_kept() {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".cutonce");
        let project = user.path().join("p");
        for dir in [&home, &project] {
            std::fs::create_dir(dir).unwrap();
        }
        std::fs::write(home.join("trust.json"), "{ broken").unwrap();
        assert!(!is_trusted(&home, Some(user.path()), &project, &[]));
        assert!(trust_folder(&home, Some(user.path()), &project).is_err());
        assert_eq!(std::fs::read_to_string(home.join("trust.json")).unwrap(), "{ broken");
    }
}

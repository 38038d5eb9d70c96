//! Which folders the user trusts (PR-2): only their own settings may loosen anything or run something.

use crate::store::place::{private, write_private};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Default, Serialize, Deserialize)]
struct TrustFile {
    #[serde(default)]
    folders: Vec<PathBuf>,
}

/// Is this folder trusted: itself or one above it, in `trust.json` or in the `trust` list of the user's settings?
/// The user's home and what lies above it never count, neither as an entry nor as the folder: too much is below them.
pub(crate) fn is_trusted(home: &Path, user_home: Option<&Path>, folder: &Path, listed: &[String]) -> bool {
    let folder = resolve(folder);
    if too_broad(&folder, user_home) {
        return false;
    }
    let listed = listed.iter().map(|entry| expand(entry, user_home));
    let mut entries = read(home).unwrap_or_default().folders.into_iter().chain(listed);
    entries.any(|entry| {
        let entry = resolve(&entry);
        entry.is_absolute() && !too_broad(&entry, user_home) && folder.starts_with(&entry)
    })
}

/// Trust a folder and all below it from now on.
pub fn add(home: &Path, user_home: Option<&Path>, folder: &Path) -> io::Result<()> {
    let folder = resolve(folder);
    if too_broad(&folder, user_home) {
        let why = format!("{} can't be trusted as a whole: start cutonce in a project below it", folder.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    crate::store::place::create_private_dir(home)?;
    // Two processes may add at the same time.
    let lock = private().write(true).create(true).truncate(false).open(home.join("trust.lock"))?;
    lock.lock()?;
    let mut file = read(home)?;
    if !file.folders.contains(&folder) {
        file.folders.push(folder);
        let text = serde_json::to_string_pretty(&file)? + "\n";
        write_private(&home.join("trust.json"), text.as_bytes())?;
    }
    Ok(())
}

fn read(home: &Path) -> io::Result<TrustFile> {
    let file = home.join("trust.json");
    match std::fs::read(&file) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| io::Error::other(format!("{} is broken: {error}; repair or remove it", file.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(TrustFile::default()),
        Err(error) => Err(error),
    }
}

fn too_broad(folder: &Path, user_home: Option<&Path>) -> bool {
    folder.parent().is_none() || user_home.is_some_and(|home| resolve(home).starts_with(folder))
}

/// Where the folder really is: trust follows no symlink that somebody moves later.
fn resolve(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf())
}

fn expand(entry: &str, user_home: Option<&Path>) -> PathBuf {
    match (entry.strip_prefix("~/"), user_home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) | (None, _) => PathBuf::from(entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_2_trust_covers_a_folder_and_what_is_below_it() {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".cutonce");
        let project = user.path().join("code/app");
        for dir in ["code/app/sub", "code/app2", "code/other"] {
            std::fs::create_dir_all(user.path().join(dir)).unwrap();
        }
        let trusted = |folder: &str, listed: &[&str]| {
            let listed: Vec<String> = listed.iter().map(|entry| entry.to_string()).collect();
            is_trusted(&home, Some(user.path()), &user.path().join(folder), &listed)
        };
        assert!(!trusted("code/app", &[]));
        add(&home, Some(user.path()), &project).unwrap();
        add(&home, Some(user.path()), &project).unwrap();
        assert!(trusted("code/app", &[]) && trusted("code/app/sub", &[]));
        assert!(!trusted("code/app2", &[]) && !trusted("code", &[]));
        assert!(trusted("code/other", &["~/code/other"]));
        assert!(!trusted("code/other", &["other", "~", "~/", "/"]));
        let text = std::fs::read_to_string(home.join("trust.json")).unwrap();
        assert_eq!(text.matches("app").count(), 1, "{text}");
    }

    #[test]
    fn pr_2_the_home_folder_and_the_root_are_never_trusted() {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".cutonce");
        for folder in [user.path(), Path::new("/"), user.path().parent().unwrap()] {
            assert!(add(&home, Some(user.path()), folder).is_err(), "{}", folder.display());
            assert!(!is_trusted(&home, Some(user.path()), folder, &[folder.display().to_string()]));
        }
    }

    #[cfg(unix)]
    #[test]
    fn pr_2_a_link_into_a_trusted_folder_is_judged_by_where_it_leads() {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".cutonce");
        for dir in ["good", "bad"] {
            std::fs::create_dir(user.path().join(dir)).unwrap();
        }
        std::os::unix::fs::symlink(user.path().join("bad"), user.path().join("good/link")).unwrap();
        add(&home, Some(user.path()), &user.path().join("good")).unwrap();
        assert!(!is_trusted(&home, Some(user.path()), &user.path().join("good/link"), &[]));
    }

    #[test]
    fn pr_2_a_broken_trust_file_trusts_nothing_and_is_not_overwritten() {
        let user = tempfile::tempdir().unwrap();
        let home = user.path().join(".cutonce");
        let project = user.path().join("p");
        for dir in [&home, &project] {
            std::fs::create_dir(dir).unwrap();
        }
        std::fs::write(home.join("trust.json"), "{ broken").unwrap();
        assert!(!is_trusted(&home, Some(user.path()), &project, &[]));
        assert!(add(&home, Some(user.path()), &project).is_err());
        assert_eq!(std::fs::read_to_string(home.join("trust.json")).unwrap(), "{ broken");
    }
}

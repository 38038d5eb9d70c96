//! Finds files with keys and credentials on disk. `cutonce_core::permission::is_secret` knows their names (SB-6).

use crate::files::walk;
use cutonce_core::permission::{home_stores, is_secret, system_stores};
use cutonce_core::sync::LockUnpoisoned;
use ignore::WalkState;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Lists the stores that exist: those of the home folder, secret files directly in it, and those of the system.
pub fn existing_stores(home: Option<&Path>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = system_stores().map(PathBuf::from).filter(|path| path.exists()).collect();
    let Some(home) = home else { return found };
    found.extend(home_stores().map(|store| home.join(store)).filter(|path| path.exists()));
    let entries = std::fs::read_dir(home).into_iter().flatten().flatten().map(|entry| entry.path());
    let named: Vec<PathBuf> = entries.filter(|path| is_secret(path, Some(home)) && !found.contains(path)).collect();
    found.extend(named);
    found
}

/// Lists where the stores really are, if links lead elsewhere: a linked `~/.aws` is as secret as a plain one.
pub fn linked_stores(home: Option<&Path>) -> Vec<PathBuf> {
    let stores = existing_stores(home);
    let real = stores.iter().filter_map(|store| store.canonicalize().ok().filter(|real| real != store));
    real.filter(|real| !stores.contains(real)).collect()
}

/// True if reading this path would read a secret, by its name or by the file that it leads to.
pub fn leads_to_secret(path: &Path, home: Option<&Path>) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    is_secret(path, home) || is_secret(&real, home)
}

/// Finds files and folders with the name of a secret anywhere below these folders, also in build output and installed
/// packages (SB-2).
pub fn find_below<'a>(folders: impl IntoIterator<Item = &'a Path>, home: Option<&Path>) -> Vec<PathBuf> {
    let found = Mutex::new(Vec::new());
    walk::visit_all(folders, false, |path| {
        if let Some(path) = path.filter(|path| is_topmost(path, home)) {
            found.lock_unpoisoned().push(path.to_path_buf());
        }
        WalkState::Continue
    });
    found.into_unpoisoned()
}

/// True for a secret that is in no secret folder: everything inside a hidden folder is hidden with it.
pub(crate) fn is_topmost(path: &Path, home: Option<&Path>) -> bool {
    is_secret(path, home) && !path.parent().is_some_and(|parent| is_secret(parent, home))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn sb_6_linked_stores_are_closed_too() {
        let room = tempfile::tempdir().unwrap();
        let base = room.path().canonicalize().unwrap();
        let home = base.join("home");
        for folder in ["home/.config/gh", "home/.kube", "dotfiles/aws", "home/work"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        for file in ["dotfiles/aws/config", "home/.psql_history", "home/notes.txt", "home/work/real"] {
            std::fs::write(base.join(file), "x").unwrap();
        }
        symlink(base.join("dotfiles/aws"), home.join(".aws")).unwrap();
        symlink("real", home.join("work/.env")).unwrap();
        symlink("../.kube", home.join("work/plain")).unwrap();
        let found = existing_stores(Some(&home));
        let of_home: Vec<_> = found.iter().filter_map(|path| path.strip_prefix(&home).ok()).collect();
        for store in [".config/gh", ".kube", ".aws", ".psql_history"] {
            assert_eq!(of_home.iter().filter(|path| **path == Path::new(store)).count(), 1, "{store}: {of_home:?}");
        }
        assert_eq!(of_home.len(), 4, "{of_home:?}");
        assert_eq!(linked_stores(Some(&home)), [base.join("dotfiles/aws")]);
        for (path, secret) in
            [("home/work/.env", true), ("home/work/plain", true), ("home/work/real", false), ("home/notes.txt", false)]
        {
            assert_eq!(leads_to_secret(&base.join(path), Some(&home)), secret, "{path}");
        }
    }
}

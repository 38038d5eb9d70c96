//! Checks `plansDirectory` (PM-40). A repository can ship this setting, so it must name a folder for plans
//! inside the project.

use std::path::{Component, Path};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlansDirectoryError {
    #[error("plansDirectory is empty; plans go to the default folder")]
    Empty,
    #[error("plansDirectory `{0}` must be relative to the project; plans go to the default folder")]
    NotRelative(String),
    #[error("plansDirectory `{0}` is not inside the project; plans go to the default folder")]
    Outside(String),
    #[error(
        "plansDirectory `{0}` is inside {1}, where only a folder named `plans` may be used; plans go to the default folder"
    )]
    Protected(String, String),
}

/// Folders with settings of this and other programs.
const PROTECTED_DIRS: [&str; 3] = [".git", ".cutonce", ".claude"];
const ALLOWED_DIR_NAME: &str = "plans";

/// Checks the setting `given`. `root` and `resolved` are absolute, with symlinks resolved (of the deepest
/// existing ancestor).
pub fn check_plans_directory(given: &str, root: &Path, resolved: &Path) -> Result<(), PlansDirectoryError> {
    let shown = || given.to_string();
    if given.trim().is_empty() {
        return Err(PlansDirectoryError::Empty);
    }
    let absolute = Path::new(given).has_root() || given.starts_with('~') || given.contains(':');
    if absolute {
        return Err(PlansDirectoryError::NotRelative(shown()));
    }
    let Ok(below) = resolved.strip_prefix(root) else { return Err(PlansDirectoryError::Outside(shown())) };
    let mut names = Vec::new();
    for component in below.components() {
        match component {
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            // Resolved paths contain none of these.
            Component::ParentDir | Component::CurDir | Component::RootDir | Component::Prefix(_) => {
                return Err(PlansDirectoryError::Outside(shown()));
            }
        }
    }
    if names.is_empty() {
        return Err(PlansDirectoryError::Outside(shown()));
    }
    for (at, name) in names.iter().enumerate() {
        // Case-insensitive disks must not allow a bypass.
        let protected = PROTECTED_DIRS.into_iter().find(|protected| name.eq_ignore_ascii_case(protected));
        if let Some(protected) = protected.filter(|_| names.get(at + 1).is_none_or(|next| next != ALLOWED_DIR_NAME)) {
            return Err(PlansDirectoryError::Protected(shown(), protected.to_string()));
        }
    }
    Ok(())
}

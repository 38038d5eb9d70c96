//! Where `plansDirectory` may lead (PM-40). A repository can ship this setting, so it must not aim at anything
//! but a folder for plans inside the project.

use std::path::{Component, Path};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryError {
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

/// Folders of other programs' and our own settings.
const PROTECTED: [&str; 3] = [".git", ".cutonce", ".claude"];
const ALLOWED_INSIDE: &str = "plans";

/// `given` is the setting as written; `root` and `resolved` are absolute with symlinks resolved (of the deepest
/// ancestor that exists).
pub fn check_directory(given: &str, root: &Path, resolved: &Path) -> Result<(), DirectoryError> {
    let shown = || given.to_string();
    if given.trim().is_empty() {
        return Err(DirectoryError::Empty);
    }
    let absolute = Path::new(given).has_root() || given.starts_with('~') || given.contains(':');
    if absolute {
        return Err(DirectoryError::NotRelative(shown()));
    }
    let Ok(below) = resolved.strip_prefix(root) else { return Err(DirectoryError::Outside(shown())) };
    let mut names = Vec::new();
    for component in below.components() {
        match component {
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            // Resolved paths hold neither of these; one that does was not resolved.
            Component::ParentDir | Component::CurDir | Component::RootDir | Component::Prefix(_) => {
                return Err(DirectoryError::Outside(shown()));
            }
        }
    }
    if names.is_empty() {
        return Err(DirectoryError::Outside(shown()));
    }
    for (at, name) in names.iter().enumerate() {
        // Disks that ignore case must not be a way around.
        let protected = PROTECTED.into_iter().find(|protected| name.eq_ignore_ascii_case(protected));
        if let Some(protected) = protected.filter(|_| names.get(at + 1).is_none_or(|next| next != ALLOWED_INSIDE)) {
            return Err(DirectoryError::Protected(shown(), protected.to_string()));
        }
    }
    Ok(())
}

//! Which folder holds the plans (PM-40). The setting may come from a repository, so it is judged by where it leads.

use super::plans_home;
use cutonce_core::plan::check_directory;
use cutonce_tools::workspace::resolve_links;
use std::path::{Path, PathBuf};

/// The resolved folder, and what is wrong with the setting where it could not be used.
pub(super) fn choose(home: &Path, project: &Path, directory: Option<&str>) -> (PathBuf, Option<String>) {
    match directory.map(|given| in_project(project, given)) {
        Some(Ok(folder)) => (folder, None),
        Some(Err(why)) => (default(home), Some(why)),
        None => (default(home), None),
    }
}

/// A loop of links can't be resolved; then whoever writes there says so.
fn default(home: &Path) -> PathBuf {
    let plans = plans_home(home);
    resolve_links(&plans).unwrap_or(plans)
}

fn in_project(project: &Path, given: &str) -> Result<PathBuf, String> {
    let unusable = |why: String| format!("plansDirectory `{given}`: {why}; plans go to the default folder");
    let root = resolve_links(project).map_err(unusable)?;
    let folder = resolve_links(&root.join(given)).map_err(unusable)?;
    check_directory(given, &root, &folder).map_err(|error| error.to_string())?;
    if folder.exists() && !folder.is_dir() {
        return Err(unusable("it is not a folder".into()));
    }
    match folder.ancestors().find(|ancestor| ancestor.exists()) {
        Some(there) if !writable(there) => Err(unusable("it can't be written to".into())),
        Some(_) | None => Ok(folder),
    }
}

fn writable(folder: &Path) -> bool {
    use rustix::fs::Access;
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

//! Chooses the plans folder (PM-40). The setting may come from a repository, so the resolved folder is checked.

use super::plans_home;
use cutonce_core::plan::check_plans_directory;
use cutonce_tools::tool::ToolError;
use cutonce_tools::workspace::resolve_links;
use std::path::{Path, PathBuf};

/// Returns the resolved folder, and a warning if the setting can't be used.
pub(super) fn choose_folder(home: &Path, project: &Path, directory: Option<&str>) -> (PathBuf, Option<String>) {
    match directory.map(|given| in_project(project, given)) {
        Some(Ok(folder)) => (folder, None),
        Some(Err(why)) => (default_folder(home), Some(why)),
        None => (default_folder(home), None),
    }
}

/// If links form a loop, writing reports the error.
fn default_folder(home: &Path) -> PathBuf {
    let plans = plans_home(home);
    resolve_links(&plans).unwrap_or(plans)
}

fn in_project(project: &Path, given: &str) -> Result<PathBuf, String> {
    let unusable = |why: ToolError| format!("plansDirectory `{given}`: {why}; using the default folder");
    let root = resolve_links(project).map_err(unusable)?;
    let folder = resolve_links(&root.join(given)).map_err(unusable)?;
    check_plans_directory(given, &root, &folder).map_err(|error| error.to_string())?;
    if folder.exists() && !folder.is_dir() {
        return Err(unusable("it is not a folder".into()));
    }
    match folder.ancestors().find(|ancestor| ancestor.exists()) {
        Some(there) if !is_writable(there) => Err(unusable("it can't be written to".into())),
        Some(_) | None => Ok(folder),
    }
}

fn is_writable(folder: &Path) -> bool {
    use rustix::fs::Access;
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

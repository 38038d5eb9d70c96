//! Short file names for tool lines: relative to the working folder, with `~`, and the plan by its name (UI-4).

use std::path::{Path, PathBuf};

/// Tools whose line names a file.
const FILE_TOOLS: [&str; 5] = ["Read", "Write", "Edit", "NotebookEdit", "LS"];

#[derive(Debug, Clone, Default)]
pub struct PathShortener {
    pub cwd: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Files of this folder are shown as plans, and so is `own_file`, the session's plan once it is known.
    pub named_folder: PathBuf,
    pub own_file: Option<PathBuf>,
}

impl PathShortener {
    /// `data` is cutonce's own folder, which contains the plans.
    pub fn new(cwd: PathBuf, home: Option<PathBuf>, data: &Path) -> PathShortener {
        PathShortener { cwd, home, named_folder: data.join("plans"), own_file: None }
    }

    /// Shortens the summary of a file tool's call, so that the file name is visible. Other summaries stay.
    pub fn short_summary(&self, tool: &str, summary: &str) -> String {
        if is_file_tool(tool) { self.short_path(summary) } else { summary.to_string() }
    }

    pub fn short_path(&self, given: &str) -> String {
        let path = Path::new(given);
        let named = &self.named_folder;
        let below = path.parent().is_some_and(|folder| !named.as_os_str().is_empty() && folder == named);
        if let Some(name) = path.file_name().filter(|_| below || self.own_file.as_deref() == Some(path)) {
            return format!("plan ({})", name.to_string_lossy());
        }
        let below = |folder: &Path| {
            let rest = path.strip_prefix(folder).ok()?;
            (!folder.as_os_str().is_empty() && !rest.as_os_str().is_empty())
                .then(|| rest.to_string_lossy().into_owned())
        };
        let in_home = || self.home.as_deref().and_then(below).map(|rest| format!("~/{rest}"));
        below(&self.cwd).or_else(in_home).unwrap_or_else(|| given.to_string())
    }
}

/// True if this tool's line names a file. Truncation then keeps the end of the path.
pub fn is_file_tool(tool: &str) -> bool {
    FILE_TOOLS.contains(&tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_4_paths_are_shortened_and_plans_named() {
        let places = PathShortener {
            cwd: "/home/u/app".into(),
            home: Some("/home/u".into()),
            named_folder: "/home/u/.cutonce/plans".into(),
            own_file: Some("/home/u/app/plans/own.md".into()),
        };
        for (given, told) in [
            ("/home/u/app/src/a.rs", "src/a.rs"),
            ("/home/u/other/b", "~/other/b"),
            ("/home/u/.cutonce/plans/brave-sorting-otter.md", "plan (brave-sorting-otter.md)"),
            ("/home/u/app/plans/own.md", "plan (own.md)"),
            ("/home/u/application/x", "~/application/x"),
            ("/home/u/app", "~/app"),
            ("/etc/hosts", "/etc/hosts"),
            ("src/a.rs", "src/a.rs"),
        ] {
            assert_eq!(places.short_summary("Write", given), told);
        }
        assert_eq!(places.short_summary("Bash", "/home/u/app/x"), "/home/u/app/x");
        assert_eq!(PathShortener::default().short_summary("Read", "/x/y"), "/x/y");
    }
}

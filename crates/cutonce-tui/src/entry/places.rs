//! Where files are, told in few words: relative to the folder, `~`, and the plan by its name (UI-4).

use std::path::{Path, PathBuf};

/// Tools whose line names a file.
const OF_FILES: [&str; 5] = ["Read", "Write", "Edit", "NotebookEdit", "LS"];

#[derive(Debug, Clone, Default)]
pub struct Places {
    pub cwd: PathBuf,
    /// The person's home folder.
    pub home: Option<PathBuf>,
    /// Where plans are kept, and the one of this session once it is known.
    pub plans: PathBuf,
    pub plan: Option<PathBuf>,
}

impl Places {
    /// What a call is about, where it is about a file: told so that its name is in sight.
    pub fn told(&self, tool: &str, summary: &str) -> String {
        if is_of_files(tool) { self.short(summary) } else { summary.to_string() }
    }

    fn short(&self, given: &str) -> String {
        let path = Path::new(given);
        let in_plans = path.parent().is_some_and(|folder| !self.plans.as_os_str().is_empty() && folder == self.plans);
        if let Some(name) = path.file_name().filter(|_| in_plans || self.plan.as_deref() == Some(path)) {
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

/// Does the line of this tool name a file? Then its end stays when it is cut.
pub fn is_of_files(tool: &str) -> bool {
    OF_FILES.contains(&tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_4_files_are_told_relative_to_the_folder_and_the_plan_by_its_name() {
        let places = Places {
            cwd: "/home/u/app".into(),
            home: Some("/home/u".into()),
            plans: "/home/u/.cutonce/plans".into(),
            plan: Some("/home/u/app/plans/own.md".into()),
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
            assert_eq!(places.told("Write", given), told);
        }
        assert_eq!(places.told("Bash", "/home/u/app/x"), "/home/u/app/x");
        assert_eq!(Places::default().told("Read", "/x/y"), "/x/y");
    }
}

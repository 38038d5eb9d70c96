//! Checks which file a program name means (PR-5): a name found in the workspace or through a relative PATH entry is not
//! the system's program, whatever it is called.

use crate::workspace::Workspace;
use cutonce_core::shell::CommandPart;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Commands built into bash.
const BUILTINS: &[&str] = &[
    ":", "[", "break", "builtin", "cd", "command", "continue", "declare", "echo", "eval", "exec", "exit", "export",
    "false", "jobs", "local", "popd", "printf", "pushd", "pwd", "read", "readonly", "return", "set", "shift", "test",
    "times", "trap", "true", "type", "typeset", "umask", "unset", "wait",
];
/// Programs that others run by name.
const HELPERS: &[(&str, &[&str])] = &[
    ("egrep", &["grep"]),
    ("fgrep", &["grep"]),
    ("git", &["gpg", "gpg2", "less", "sh", "ssh"]),
    ("gunzip", &["gzip", "sh"]),
    ("bunzip2", &["bzip2"]),
    ("tar", &["gzip", "bzip2", "xz", "zstd"]),
    ("unxz", &["xz"]),
    ("xzcat", &["xz"]),
    ("zcat", &["gzip", "sh"]),
    ("zstdcat", &["zstd"]),
];

/// The folders of PATH, in order.
pub(super) struct ProgramFinder {
    /// Each with whether the project provides its files.
    folders: Vec<(PathBuf, bool)>,
}

impl ProgramFinder {
    pub fn from_path(path: &OsStr, folder: &Path, workspace: &Workspace) -> ProgramFinder {
        let entry = |entry: PathBuf| {
            let at = folder.join(&entry);
            let at = at.canonicalize().unwrap_or(at);
            let theirs = !entry.is_absolute() || workspace.folder_of(&at).is_some();
            (at, theirs)
        };
        ProgramFinder { folders: std::env::split_paths(path).map(entry).collect() }
    }

    /// True if this part would run a program of the project instead of the one it names.
    pub fn runs_project_program(&self, part: &CommandPart) -> bool {
        if !self.folders.iter().any(|(_, theirs)| *theirs) {
            return false;
        }
        let name = part.words.first().and_then(|word| word.as_deref()).unwrap_or_default();
        let built_in = part.inside.is_empty() && BUILTINS.contains(&name);
        let helpers = HELPERS.iter().filter(|(who, _)| *who == name).flat_map(|(_, helpers)| *helpers);
        // A wrapper appears only in the text of what it runs.
        let around = part.inside.iter().flat_map(|text| text.split(' ')).filter(|word| !BUILTINS.contains(word));
        (!built_in && self.is_project_program(name))
            || helpers.copied().chain(around).any(|name| self.is_project_program(name))
    }

    /// True if the program of this name is part of busybox.
    pub fn is_busybox(&self, name: &str) -> bool {
        let found = self.folders.iter().find_map(|(folder, _)| folder.join(name).canonicalize().ok());
        found.is_some_and(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"busybox")))
    }

    fn is_project_program(&self, name: &str) -> bool {
        if name.is_empty() || name.contains('/') {
            return false;
        }
        let found = self.folders.iter().find(|(folder, _)| folder.join(name).symlink_metadata().is_ok());
        found.is_some_and(|(_, theirs)| *theirs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_5_project_programs_are_not_system_programs() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        for folder in ["w/bin", "w/sub/bin", "sys"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in
            ["w/bin/cat", "w/bin/echo", "w/bin/gzip", "w/bin/timeout", "sys/cat", "sys/ls", "sys/wc", "w/bin/wc"]
        {
            std::fs::write(at(file), "").unwrap();
        }
        let workspace = Workspace::new(&at("w"), &[], None, &at("home"), &at("own")).unwrap();
        let (sys, bin) = (at("sys").display().to_string(), at("w/bin").display().to_string());
        let theirs = |path: String, command: &str| {
            let programs = ProgramFinder::from_path(OsStr::new(&path), &at("w"), &workspace);
            cutonce_core::shell::parse(command).parts.iter().any(|part| programs.runs_project_program(part))
        };
        for (command, expected) in [
            ("cat x", true),
            ("ls", false),
            ("echo x", false),
            ("env echo x", true),
            ("timeout 5 ls", true),
            ("tar tzf x", true),
            ("/usr/bin/cat x", false),
        ] {
            assert_eq!(theirs(format!("{bin}:{sys}"), command), expected, "{command}");
            assert_eq!(theirs(format!("./bin:{sys}"), command), expected, "{command}");
        }
        assert!(!theirs(format!("{sys}:{bin}"), "cat x | wc -l"), "the system's program is found first");
        std::fs::write(at("sys/busybox"), "").unwrap();
        std::os::unix::fs::symlink("busybox", at("sys/grep")).unwrap();
        let programs = ProgramFinder::from_path(OsStr::new(&sys), &at("w"), &workspace);
        assert!(programs.is_busybox("grep") && !programs.is_busybox("cat"));
        assert!(!theirs(sys, "timeout 5 cat x"), "no program of the project is found");
    }
}

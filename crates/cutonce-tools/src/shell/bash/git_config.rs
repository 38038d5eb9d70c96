//! Checks whether a repository's own configuration could make git run a program (SB-3): file system monitors, filters,
//! diff and textconv drivers, pagers, included files. Only needed where no kernel sandbox confines git. An allow list:
//! what is not known to be harmless is treated as naming a program.

use crate::files::walk;
use ignore::WalkState;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Largest configuration file that is read.
const MAX_SIZE: u64 = 1 << 20;
/// Maximum entries of a repository to check for others inside, which git enters; a larger one may contain any.
const MAX_ENTRIES: usize = 200_000;

/// Sections whose settings are only data, all of them.
const HARMLESS_SECTIONS: &[&str] =
    &["advice", "branch", "color", "fetch", "gc", "init", "lfs", "pull", "push", "rerere", "status", "url", "user"];

/// Single harmless settings of other sections.
const HARMLESS_SETTINGS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "abbrev",
            "autocrlf",
            "bare",
            "checkstat",
            "compression",
            "eol",
            "filemode",
            "ignorecase",
            "logallrefupdates",
            "longpaths",
            "precomposeunicode",
            "quotepath",
            "repositoryformatversion",
            "safecrlf",
            "symlinks",
            "trustctime",
        ],
    ),
    ("commit", &["gpgsign", "verbose"]),
    ("extensions", &["objectformat", "refstorage", "worktreeconfig"]),
    ("remote", &["fetch", "mirror", "prune", "push", "pushurl", "tagopt", "url"]),
    ("submodule", &["active", "branch", "ignore", "path", "recurse", "url"]),
];

/// True if git, started in this folder, might run a program that the repository's configuration names.
pub(super) fn may_name_programs(folder: &Path) -> bool {
    let Some(top) = folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok()) else {
        return false;
    };
    let (seen, found) = (AtomicUsize::new(0), AtomicBool::new(false));
    walk::visit_all([top], false, |path| {
        let hostile = path.is_some_and(|path| path.ends_with(".git") && !is_harmless_repository(path));
        if hostile || seen.fetch_add(1, Ordering::Relaxed) >= MAX_ENTRIES {
            found.store(true, Ordering::Relaxed);
            return WalkState::Quit;
        }
        WalkState::Continue
    });
    found.into_inner()
}

fn is_harmless_repository(git: &Path) -> bool {
    let files = |folder: &PathBuf| ["config", "config.worktree"].map(|name| folder.join(name));
    git_folders(git).is_some_and(|all| all.iter().flat_map(files).all(|file| is_harmless_file(&file)))
}

/// The folder of the repository and, for a worktree, the common one; `None` if they can't be determined.
fn git_folders(git: &Path) -> Option<Vec<PathBuf>> {
    if git.is_dir() {
        return Some(vec![git.to_path_buf()]);
    }
    let pointer = |file: &Path, prefix: &str| {
        let text = read_small(file)?;
        let target = text.strip_prefix(prefix)?.trim().to_string();
        Some(file.parent()?.join(target))
    };
    let own = pointer(git, "gitdir:").filter(|own| own.is_dir())?;
    let common = match own.join("commondir").exists() {
        true => Some(pointer(&own.join("commondir"), "").filter(|common| common.is_dir())?),
        false => None,
    };
    Some(std::iter::once(own).chain(common).collect())
}

fn read_small(file: &Path) -> Option<String> {
    let small = file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_SIZE);
    small.then(|| std::fs::read_to_string(file).ok()).flatten()
}

fn is_harmless_file(file: &Path) -> bool {
    file.symlink_metadata().is_err() || read_small(file).is_some_and(|text| is_harmless(&text))
}

/// Understands only the plain form that git itself writes: one section or one setting per line.
fn is_harmless(text: &str) -> bool {
    let mut section = String::new();
    text.lines().map(str::trim).all(|line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        if let Some(header) = line.strip_prefix('[') {
            let Some(name) = header.strip_suffix(']').filter(|name| !name.contains([']', '\\'])) else { return false };
            section = name.split(['"', '.', ' ']).next().unwrap_or_default().to_ascii_lowercase();
            return !section.is_empty();
        }
        let key = line.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        let allowed = |(name, keys): &(&str, &[&str])| *name == section && keys.contains(&key.as_str());
        // A line that continues could hide a section.
        !line.ends_with('\\')
            && (HARMLESS_SECTIONS.contains(&section.as_str()) || HARMLESS_SETTINGS.iter().any(allowed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n[remote \"origin\"]\n\turl = a@b:c\n\t\
        fetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n# note\n";

    #[test]
    fn sb_3_only_known_git_settings_are_harmless() {
        assert!(is_harmless(PLAIN) && is_harmless(""));
        for hostile in [
            "[core]\n\tfsmonitor = ./x",
            "[core]\n\thooksPath = x",
            "[CORE]\n\tFSMonitor = ./x",
            "[core] fsmonitor = ./x",
            "[diff]\n\texternal = x",
            "[diff \"a\"]\n\ttextconv = x",
            "[filter \"a\"]\n\tclean = x",
            "[include]\n\tpath = x",
            "[includeIf \"gitdir:/\"]\n\tpath = x",
            "[pager]\n\tstatus = x",
            "[alias]\n\tstatus = !x",
            "[branch \"a\"]\n\tremote = \\\n[core]\n\tfsmonitor = x",
            "[branch \"a]\\\"b\"] x",
            "[remote \"a\"]\n\tpromisor = true",
        ] {
            assert!(!is_harmless(&format!("{PLAIN}{hostile}")), "{hostile}");
            assert!(!is_harmless(hostile), "{hostile}");
        }
        assert!(!is_harmless("fsmonitor = x"), "no section");
    }

    #[test]
    fn sb_3_worktree_uses_the_common_configuration() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in ["main/.git/worktrees/w", "w/sub", "plain"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        std::fs::write(at("w/.git"), format!("gitdir: {}\n", at("main/.git/worktrees/w").display())).unwrap();
        std::fs::write(at("main/.git/worktrees/w/commondir"), "../..\n").unwrap();
        std::fs::write(at("main/.git/config"), PLAIN).unwrap();
        assert!(
            !may_name_programs(&at("w/sub")) && !may_name_programs(&at("main")) && !may_name_programs(&at("plain"))
        );
        std::fs::write(at("main/.git/config"), "[core]\n\tfsmonitor = ./x\n").unwrap();
        assert!(may_name_programs(&at("w/sub")) && may_name_programs(&at("main")));
        std::fs::write(at("w/.git"), "gitdir: nowhere\n").unwrap();
        assert!(may_name_programs(&at("w")), "it can't be determined");
        for folder in ["outer/.git", "outer/sub/.git"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        std::fs::write(at("outer/.git/config"), PLAIN).unwrap();
        assert!(!may_name_programs(&at("outer")));
        std::fs::write(at("outer/sub/.git/config"), "[core]\n\tfsmonitor = ./x\n").unwrap();
        assert!(may_name_programs(&at("outer")), "git enters submodules");
    }
}

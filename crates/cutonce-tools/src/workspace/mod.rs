//! Resolves the paths that a call names, and classifies where they lead.
//!
//! A decision is about the resolved path, never the given one (PR-6): a symlink, `..` or another spelling must not
//! make a protected file look like an ordinary one.

mod added_folders;

pub use added_folders::AddedFolders;

use crate::tool::ToolError;
use cutonce_core::permission::{PathLocation, PathTarget};
use cutonce_core::sync::LockUnpoisoned;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

/// The folders of the session. All paths are absolute and resolved.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The project root: the folder the session was started in.
    pub root: PathBuf,
    /// Folders added by `--add-dir` or a host.
    pub added_folders: AddedFolders,
    /// The user's home, for `~/` and for protected rc files.
    pub home: Option<PathBuf>,
    /// `~/.cutonce` or $CUTONCE_HOME: protected.
    pub cutonce_home: PathBuf,
    /// This session's own folder for spilled output and the like: `Place::Own`.
    pub session_folder: PathBuf,
}

/// Same limit as the kernel's before ELOOP.
const MAX_LINKS: usize = 40;

/// Names that are protected anywhere in a path (PR-4): git's own data (also a worktree's `.git` file), settings
/// with hooks and rules, and the list of MCP servers to start.
const PROTECTED_NAMES: &[&str] = &[".git", ".cutonce", ".claude", ".mcp.json"];

/// Names of files and folders in a workspace that make other programs run code when they are opened or entered:
/// shells, editors, package tools, CI and agents (PR-4).
#[rustfmt::skip]
const TRIGGER_NAMES: &[&str] = &[
    // Shells and version managers.
    ".envrc", ".mise.toml", "mise.toml",
    // Hooks of git.
    ".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml",
    // Editors and their containers.
    ".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json", ".exrc", ".nvimrc", ".nvim.lua",
    ".vimrc", ".dir-locals.el",
    // Package tools that run what the file names.
    ".cargo", ".yarnrc.yml", ".pnpmfile.cjs",
    // Continuous integration.
    ".github", ".forgejo", ".gitea", ".circleci", ".buildkite", ".woodpecker", ".semaphore", ".teamcity",
    ".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".cirrus.yml", ".woodpecker.yml", ".woodpecker.yaml",
    ".appveyor.yml", "appveyor.yml", "Jenkinsfile", "azure-pipelines.yml", "azure-pipelines.yaml",
    "bitbucket-pipelines.yml", "cloudbuild.yaml", "buildspec.yml", ".gitpod.yml",
    // Agents.
    "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursor", ".cursorrules",
    ".codex", ".gemini", ".windsurf", ".windsurfrules", ".clinerules", ".roo", ".kiro",
];

/// Those of the names above that stay missing next to the project's files, if they are missing (SB-4).
#[rustfmt::skip]
const RESERVED_NAMES: &[&str] = &[
    ".git", ".cutonce", ".claude", ".mcp.json", ".envrc", ".husky", ".pre-commit-config.yaml", ".vscode",
    ".devcontainer", ".cargo", ".github", ".circleci", ".gitlab-ci.yml", ".travis.yml",
    "AGENTS.md", "CLAUDE.md",
];

/// Parents below which a folder named `plans` contains plans, not settings (PM-40).
const PLANS_PARENTS: &[&str] = &[".cutonce", ".claude"];

/// Files and folders in the home that shells, git and package tools run or trust (PR-4).
const PROTECTED_IN_HOME: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".inputrc",
    ".config/fish",
    ".config/git",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".gitconfig",
    ".ssh",
    ".gnupg",
    ".npmrc",
    ".yarnrc",
    ".pypirc",
    ".netrc",
    ".cargo/config.toml",
    ".cargo/credentials.toml",
    ".pam_environment",
    ".xprofile",
    ".xinitrc",
    "Library/LaunchAgents",
];

impl Workspace {
    /// Resolves every folder. `root` must exist; the others may be created later.
    pub fn new(
        root: &Path,
        added: &[PathBuf],
        home: Option<&Path>,
        cutonce_home: &Path,
        own: &Path,
    ) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let folder = |path: &Path| resolve_links(&root.join(path)).map_err(io::Error::other);
        Ok(Self {
            added_folders: AddedFolders::new(added.iter().map(|path| folder(path)).collect::<Result<_, _>>()?),
            home: home.map(folder).transpose()?,
            cutonce_home: folder(cutonce_home)?,
            session_folder: folder(own)?,
            root,
        })
    }

    /// Resolves `given`, or says what is wrong with it. Relative paths start at the root, `~/` at the home.
    pub fn resolve(&self, given: &str) -> Result<PathTarget, ToolError> {
        let path = resolve_links(&self.absolute_path(given)?)?;
        Ok(PathTarget { given: given.to_string(), place: self.place_of(&path), path })
    }

    /// Classifies a resolved path. The strictest place that applies, except for the session's own files.
    pub fn place_of(&self, path: &Path) -> PathLocation {
        if path.starts_with(&self.session_folder) {
            PathLocation::Own
        } else if self.is_protected(path) {
            PathLocation::Protected
        } else {
            match self.folder_of(path) {
                Some(folder) if is_trigger(path.strip_prefix(&folder).unwrap_or(path)) => PathLocation::Trigger,
                Some(_) => PathLocation::Workspace,
                None => PathLocation::Outside,
            }
        }
    }

    /// Formats the path for display: relative to the root if it is inside.
    pub fn display_path(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(inner) if inner.as_os_str().is_empty() => ".".into(),
            Ok(inner) => inner.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }

    fn absolute_path(&self, given: &str) -> Result<PathBuf, ToolError> {
        if given.trim().is_empty() {
            return Err("expected a path, got an empty string".into());
        }
        if let Some(bad) = given.chars().find(|c| matches!(c, '\0' | '\n' | '\r')) {
            return Err(format!("expected a path without control characters, got {bad:?} in {given:?}").into());
        }
        match given.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => match &self.home {
                Some(home) => Ok(home.join(rest.trim_start_matches('/'))),
                None => Err(format!("`{given}`: no home folder is known; give an absolute path").into()),
            },
            _ => Ok(self.root.join(given)),
        }
    }

    /// Returns the innermost workspace folder that contains the path.
    pub(crate) fn folder_of(&self, path: &Path) -> Option<PathBuf> {
        let root = path.starts_with(&self.root).then(|| self.root.clone());
        root.into_iter().chain(self.added_folders.folder_containing(path)).max_by_key(|folder| folder.as_os_str().len())
    }

    /// Returns the project root and the added folders, as of now.
    pub fn folders(&self) -> Vec<PathBuf> {
        std::iter::once(self.root.clone()).chain(self.added_folders.list()).collect()
    }

    /// Adds a folder while the session runs (HO-1); the error says why it can't.
    pub fn add_folder(&self, given: &str) -> Result<(), ToolError> {
        let folder = resolve_links(&self.absolute_path(given)?)?;
        if !folder.is_dir() {
            return Err(format!("{} is not a folder", folder.display()).into());
        }
        self.added_folders.add(folder);
        Ok(())
    }

    /// Removes an added folder; false if it was not added.
    pub fn remove_folder(&self, given: &str) -> Result<bool, ToolError> {
        Ok(self.added_folders.remove(&resolve_links(&self.absolute_path(given)?)?))
    }

    /// Returns the protected files outside the workspace: in the home and in our own.
    pub(crate) fn protected_outside(&self) -> Vec<PathBuf> {
        let in_home = self.home.iter().flat_map(|home| PROTECTED_IN_HOME.iter().map(|name| home.join(name)));
        let ours = std::fs::read_dir(&self.cutonce_home).into_iter().flatten().flatten();
        let is_file = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
        in_home.chain(ours.filter(is_file).map(|entry| entry.path())).collect()
    }

    fn is_protected(&self, path: &Path) -> bool {
        if path.starts_with(&self.cutonce_home) {
            return true;
        }
        let in_home = |name: &&str| self.home.as_ref().is_some_and(|home| starts_with_any_case(path, &home.join(name)));
        if PROTECTED_IN_HOME.iter().any(in_home) {
            return true;
        }
        // A workspace below such a name (a worktree inside `.git`) is not protected as a whole.
        let folder = self.folder_of(path);
        let below = folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
        has_protected_name(below)
    }
}

/// Returns the places that no confined command may change (SB-4), directly in the folders of a workspace: those that
/// exist and, if `reserve`, those that must not be created.
pub(crate) fn protected_places(folders: &[PathBuf], reserve: bool) -> Vec<PathBuf> {
    let named = |folder: &PathBuf| {
        let folder = folder.clone();
        let names = PROTECTED_NAMES.iter().chain(TRIGGER_NAMES);
        names.map(move |name| (folder.join(name), RESERVED_NAMES.contains(name))).collect::<Vec<_>>()
    };
    let wanted = |(path, reserved): &(PathBuf, bool)| reserve && *reserved || path.symlink_metadata().is_ok();
    folders.iter().flat_map(named).filter(wanted).map(|(path, _)| path).collect()
}

/// Ignores case, because on some disks `.GIT` is `.git`; protecting too much costs one question.
pub(crate) fn has_protected_name(path: &Path) -> bool {
    let mut names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    while let Some(name) = names.next() {
        if is_any_name(name, PROTECTED_NAMES) {
            let unprotected = is_any_name(name, PLANS_PARENTS) && names.clone().next() == Some(OsStr::new("plans"));
            if !unprotected {
                return true;
            }
        }
    }
    false
}

fn is_trigger(path: &Path) -> bool {
    path.components().any(|part| is_any_name(part.as_os_str(), TRIGGER_NAMES))
}

/// True for a file or folder that is protected by its own name, in any folder of a workspace.
pub(crate) fn is_protected_name(name: &OsStr) -> bool {
    is_any_name(name, PROTECTED_NAMES) || is_any_name(name, TRIGGER_NAMES)
}

fn is_any_name(name: &OsStr, list: &[&str]) -> bool {
    list.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn starts_with_any_case(path: &Path, start: &Path) -> bool {
    let mut parts = path.components();
    start
        .components()
        .all(|want| parts.next().is_some_and(|got| got.as_os_str().eq_ignore_ascii_case(want.as_os_str())))
}

/// Follows every symlink of an absolute path, also dangling ones; missing parts are appended.
pub fn resolve_links(path: &Path) -> Result<PathBuf, ToolError> {
    let mut resolved = PathBuf::from("/");
    let mut ahead: Vec<OsString> = Vec::new();
    push_parts(&mut ahead, path);
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        if part == ".." {
            resolved.pop();
            continue;
        }
        resolved.push(&part);
        let meta = match resolved.symlink_metadata() {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                resolved.pop();
                return Err(format!("`{}`: `{}` is a file, not a folder", path.display(), resolved.display()).into());
            }
            Err(error) => return Err(format!("can't look at `{}`: {error}", resolved.display()).into()),
        };
        if meta.is_symlink() {
            links += 1;
            if resolved.starts_with("/proc") {
                return Err(format!("`{}`: links in /proc lead elsewhere for each process", path.display()).into());
            }
            if links > MAX_LINKS {
                return Err(format!("`{}`: too many symbolic links (a loop?)", path.display()).into());
            }
            let target = std::fs::read_link(&resolved)
                .map_err(|error| format!("can't follow the link `{}`: {error}", resolved.display()))?;
            resolved.pop();
            if target.is_absolute() {
                resolved = PathBuf::from("/");
            }
            push_parts(&mut ahead, &target);
        }
    }
    Ok(resolved)
}

fn push_parts(ahead: &mut Vec<OsString>, path: &Path) {
    for part in path.components().rev() {
        match part {
            Component::Normal(name) => ahead.push(name.to_os_string()),
            Component::ParentDir => ahead.push("..".into()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
}

/// The target that the decision was about, stored in the call's input, so that the call runs on exactly that and not
/// on what a swapped-in symlink leads to.
#[derive(Debug, Default)]
pub(crate) struct DecidedTarget(Mutex<Option<PathTarget>>);

impl DecidedTarget {
    /// Resolves `field` for the decision; the last answer is used.
    pub fn resolve(&self, here: &Workspace, field: &str, given: &str) -> Result<PathTarget, ToolError> {
        let target = here.resolve(given).map_err(|why| format!("`{field}`: {why}"))?;
        *self.0.lock_unpoisoned() = Some(target.clone());
        Ok(target)
    }

    /// Returns the target that the decision was about.
    pub fn decided(&self, here: &Workspace, field: &str, given: &str) -> Result<PathTarget, ToolError> {
        let judged = self.0.lock_unpoisoned().clone();
        judged.map_or_else(|| self.resolve(here, field, given), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    struct Fixture {
        _dir: tempfile::TempDir,
        base: PathBuf,
        workspace: Workspace,
    }

    fn fixture() -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for folder in ["proj/src", "extra", "home/.cutonce/own"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        let home = base.join("home");
        let workspace = Workspace::new(
            &base.join("proj"),
            &[base.join("extra")],
            Some(&home),
            &home.join(".cutonce"),
            &home.join(".cutonce/own"),
        )
        .unwrap();
        Fixture { _dir: dir, base, workspace }
    }

    #[test]
    fn pr_4_place_of_each_kind_of_path() {
        let it = fixture();
        let cases = [
            ("src/lib.rs", "proj/src/lib.rs", PathLocation::Workspace),
            ("./src/../a", "proj/a", PathLocation::Workspace),
            ("../extra/b", "extra/b", PathLocation::Workspace),
            ("../other", "other", PathLocation::Outside),
            ("../../../../../../../../../../../etc/passwd", "/etc/passwd", PathLocation::Outside),
            (".git", "proj/.git", PathLocation::Protected),
            (".git/hooks/x", "proj/.git/hooks/x", PathLocation::Protected),
            ("sub/.GIT/config", "proj/sub/.GIT/config", PathLocation::Protected),
            (".gitignore", "proj/.gitignore", PathLocation::Workspace),
            (".cutonce/settings.json", "proj/.cutonce/settings.json", PathLocation::Protected),
            (".claude/agents/a.md", "proj/.claude/agents/a.md", PathLocation::Protected),
            (".cutonce/plans/p.md", "proj/.cutonce/plans/p.md", PathLocation::Workspace),
            (".cutonce/plans/.git/x", "proj/.cutonce/plans/.git/x", PathLocation::Protected),
            (".mcp.json", "proj/.mcp.json", PathLocation::Protected),
            (".envrc", "proj/.envrc", PathLocation::Trigger),
            ("sub/.vscode/tasks.json", "proj/sub/.vscode/tasks.json", PathLocation::Trigger),
            (".husky/pre-commit", "proj/.husky/pre-commit", PathLocation::Trigger),
            (".githooks/pre-commit", "proj/.githooks/pre-commit", PathLocation::Trigger),
            (".idea/workspace.xml", "proj/.idea/workspace.xml", PathLocation::Trigger),
            (".devcontainer.json", "proj/.devcontainer.json", PathLocation::Trigger),
            (".woodpecker.yml", "proj/.woodpecker.yml", PathLocation::Trigger),
            (".cursor/mcp.json", "proj/.cursor/mcp.json", PathLocation::Trigger),
            (".cargo/config.toml", "proj/.cargo/config.toml", PathLocation::Trigger),
            (".github/workflows/ci.yml", "proj/.github/workflows/ci.yml", PathLocation::Trigger),
            ("../extra/agents.md", "extra/agents.md", PathLocation::Trigger),
            ("../.envrc", ".envrc", PathLocation::Outside),
            ("src/envrc", "proj/src/envrc", PathLocation::Workspace),
            ("~/.bashrc", "home/.bashrc", PathLocation::Protected),
            ("~/.ssh/authorized_keys", "home/.ssh/authorized_keys", PathLocation::Protected),
            ("~/.config/fish/config.fish", "home/.config/fish/config.fish", PathLocation::Protected),
            ("~/notes", "home/notes", PathLocation::Outside),
            ("~/.cutonce/settings.json", "home/.cutonce/settings.json", PathLocation::Protected),
            ("~/.cutonce/own/out.txt", "home/.cutonce/own/out.txt", PathLocation::Own),
            ("~other/x", "proj/~other/x", PathLocation::Workspace),
        ];
        for (given, path, place) in cases {
            let target = it.workspace.resolve(given).unwrap();
            assert_eq!((target.path, target.place), (it.base.join(path), place), "{given}");
        }
    }

    #[test]
    fn pr_6_links_are_resolved_before_classification() {
        let it = fixture();
        let proj = it.base.join("proj");
        symlink(it.base.join("home"), proj.join("link")).unwrap();
        symlink("../home/.bashrc", proj.join("innocent.txt")).unwrap();
        symlink("missing/deep", proj.join("dangling")).unwrap();
        let at = |given: &str| it.workspace.resolve(given).map(|t| (t.path, t.place)).unwrap();
        assert_eq!(at("link/x/y"), (it.base.join("home/x/y"), PathLocation::Outside));
        assert_eq!(at("link/../proj/a"), (it.base.join("proj/a"), PathLocation::Workspace));
        assert_eq!(at("innocent.txt"), (it.base.join("home/.bashrc"), PathLocation::Protected));
        assert_eq!(at("dangling"), (proj.join("missing/deep"), PathLocation::Workspace));
        assert_eq!(at(&format!("{}/src/l.rs", proj.display())), (proj.join("src/l.rs"), PathLocation::Workspace));
    }

    #[test]
    fn ag_6_bad_paths_are_errors() {
        let it = fixture();
        symlink("b", it.base.join("proj/a")).unwrap();
        symlink("a", it.base.join("proj/b")).unwrap();
        std::fs::write(it.base.join("proj/file"), "x").unwrap();
        let error = |given: &str| it.workspace.resolve(given).unwrap_err();
        assert!(error("a").as_str().contains("too many symbolic links"));
        assert!(error("a/x").as_str().contains("too many symbolic links"));
        assert!(error("x\0y").as_str().contains("control characters"));
        assert!(error("x\ny").as_str().contains("control characters"));
        assert!(error("  ").as_str().contains("empty"));
        assert!(error("file/below").as_str().contains("is a file, not a folder"));
        let homeless = Workspace { home: None, ..it.workspace.clone() };
        assert!(homeless.resolve("~/x").unwrap_err().as_str().contains("no home folder"));
    }

    #[test]
    fn call_keeps_the_decided_target() {
        let it = fixture();
        let judged = DecidedTarget::default();
        let first = judged.resolve(&it.workspace, "file_path", "late").unwrap().path;
        symlink("/etc/passwd", it.base.join("proj/late")).unwrap();
        assert_eq!(judged.decided(&it.workspace, "file_path", "late").unwrap().path, first);
    }
}

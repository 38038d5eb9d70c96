//! Where paths lead: resolving what a call names, and saying which place it is in.
//!
//! A decision is about the resolved path, never about the given one (PR-6): a symlink, `..` or another
//! spelling must not make a protected file look like a common one.

mod added;

pub use added::Added;

use cutonce_core::permission::{Place, Target};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folders of the session. All paths are absolute and resolved.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The project root: the folder the session was started in.
    pub root: PathBuf,
    /// Folders added by `--add-dir` or a host.
    pub added: Added,
    /// The user's home, for `~/` and for protected rc files.
    pub home: Option<PathBuf>,
    /// `~/.cutonce` or $CUTONCE_HOME: protected.
    pub cutonce_home: PathBuf,
    /// This session's own folder for spilled output and the like: `Place::Own`.
    pub own: PathBuf,
}

/// As many links as the kernel follows before it says ELOOP.
const MAX_LINKS: usize = 40;

/// Names that are protected wherever they stand in a path (PR-4): git's own data (a worktree's `.git`
/// file too), settings with hooks and rules in them, and the list of MCP servers to start.
const PROTECTED_NAMES: &[&str] = &[".git", ".cutonce", ".claude", ".mcp.json"];

/// Below these two, a folder named `plans` holds plans, not settings (PM-40).
const PLANS_PARENTS: &[&str] = &[".cutonce", ".claude"];

/// Files and folders of the home that shells, git and package tools run or trust (PR-4).
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
    /// Resolves every folder. `root` must be an existing folder; the others may come into being later.
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
            added: Added::new(added.iter().map(|path| folder(path)).collect::<Result<_, _>>()?),
            home: home.map(folder).transpose()?,
            cutonce_home: folder(cutonce_home)?,
            own: folder(own)?,
            root,
        })
    }

    /// What `given` leads to, or what is wrong with it. Relative paths start at the root, `~/` at the home.
    pub fn resolve(&self, given: &str) -> Result<Target, String> {
        let path = resolve_links(&self.absolute(given)?)?;
        Ok(Target { given: given.to_string(), place: self.place_of(&path), path })
    }

    /// Which place a resolved path is in. The strictest answer that applies, but for the session's own files.
    pub fn place_of(&self, path: &Path) -> Place {
        if path.starts_with(&self.own) {
            Place::Own
        } else if self.is_protected(path) {
            Place::Protected
        } else if self.folder_of(path).is_some() {
            Place::Workspace
        } else {
            Place::Outside
        }
    }

    /// The path as people and models read it: relative to the root where it is inside.
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(inner) if inner.as_os_str().is_empty() => ".".into(),
            Ok(inner) => inner.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }

    fn absolute(&self, given: &str) -> Result<PathBuf, String> {
        if given.trim().is_empty() {
            return Err("expected a path, got an empty string".into());
        }
        if let Some(bad) = given.chars().find(|c| matches!(c, '\0' | '\n' | '\r')) {
            return Err(format!("expected a path without control characters, got {bad:?} in {given:?}"));
        }
        match given.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => match &self.home {
                Some(home) => Ok(home.join(rest.trim_start_matches('/'))),
                None => Err(format!("`{given}`: no home folder is known; give an absolute path")),
            },
            _ => Ok(self.root.join(given)),
        }
    }

    /// The innermost workspace folder that holds the path.
    pub(crate) fn folder_of(&self, path: &Path) -> Option<PathBuf> {
        let root = path.starts_with(&self.root).then(|| self.root.clone());
        root.into_iter().chain(self.added.holding(path)).max_by_key(|folder| folder.as_os_str().len())
    }

    /// The project root and the folders beside it, as of now.
    pub fn folders(&self) -> Vec<PathBuf> {
        std::iter::once(self.root.clone()).chain(self.added.list()).collect()
    }

    /// A folder joins while the session runs (HO-1); or why it can't.
    pub fn join(&self, given: &str) -> Result<(), String> {
        let folder = resolve_links(&self.absolute(given)?)?;
        if !folder.is_dir() {
            return Err(format!("{} is no folder", folder.display()));
        }
        self.added.add(folder);
        Ok(())
    }

    /// An added folder leaves it again; false: it is none of them.
    pub fn leave(&self, given: &str) -> Result<bool, String> {
        Ok(self.added.remove(&resolve_links(&self.absolute(given)?)?))
    }

    fn is_protected(&self, path: &Path) -> bool {
        if path.starts_with(&self.cutonce_home) {
            return true;
        }
        let in_home = |name: &&str| self.home.as_ref().is_some_and(|home| starts_with_any_case(path, &home.join(name)));
        if PROTECTED_IN_HOME.iter().any(in_home) {
            return true;
        }
        // A workspace that lies below such a name (a worktree inside `.git`) is not protected as a whole.
        let folder = self.folder_of(path);
        let below = folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
        has_protected_name(below)
    }
}

/// Compared without case, because on some disks `.GIT` is `.git`; over-protecting costs one question.
fn has_protected_name(path: &Path) -> bool {
    let mut names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    while let Some(name) = names.next() {
        if is_any(name, PROTECTED_NAMES) {
            let plans = is_any(name, PLANS_PARENTS) && names.clone().next() == Some(OsStr::new("plans"));
            if !plans {
                return true;
            }
        }
    }
    false
}

fn is_any(name: &OsStr, list: &[&str]) -> bool {
    list.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn starts_with_any_case(path: &Path, start: &Path) -> bool {
    let mut parts = path.components();
    start
        .components()
        .all(|want| parts.next().is_some_and(|got| got.as_os_str().eq_ignore_ascii_case(want.as_os_str())))
}

/// Follows every symlink of an absolute path, also those that dangle; what does not exist is appended.
pub fn resolve_links(path: &Path) -> Result<PathBuf, String> {
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
                return Err(format!("`{}`: `{}` is a file, not a folder", path.display(), resolved.display()));
            }
            Err(error) => return Err(format!("can't look at `{}`: {error}", resolved.display())),
        };
        if meta.is_symlink() {
            links += 1;
            if resolved.starts_with("/proc") {
                return Err(format!("`{}`: links in /proc lead each process elsewhere", path.display()));
            }
            if links > MAX_LINKS {
                return Err(format!("`{}`: too many symbolic links (a loop?)", path.display()));
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

/// The target a call was judged by, kept in its input, so that it runs on what was decided about and on
/// nothing that a symlink swapped in meanwhile leads to.
#[derive(Debug, Default)]
pub(crate) struct Judged(Mutex<Option<Target>>);

impl Judged {
    /// Resolves `field` for the decision; the last answer counts.
    pub fn judge(&self, here: &Workspace, field: &str, given: &str) -> Result<Target, String> {
        let target = here.resolve(given).map_err(|why| format!("`{field}`: {why}"))?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(target.clone());
        Ok(target)
    }

    /// What was decided about.
    pub fn target(&self, here: &Workspace, field: &str, given: &str) -> Result<Target, String> {
        let judged = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        judged.map_or_else(|| self.judge(here, field, given), Ok)
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
            ("src/lib.rs", "proj/src/lib.rs", Place::Workspace),
            ("./src/../a", "proj/a", Place::Workspace),
            ("../extra/b", "extra/b", Place::Workspace),
            ("../other", "other", Place::Outside),
            ("../../../../../../../../../../../etc/passwd", "/etc/passwd", Place::Outside),
            (".git", "proj/.git", Place::Protected),
            (".git/hooks/x", "proj/.git/hooks/x", Place::Protected),
            ("sub/.GIT/config", "proj/sub/.GIT/config", Place::Protected),
            (".gitignore", "proj/.gitignore", Place::Workspace),
            (".cutonce/settings.json", "proj/.cutonce/settings.json", Place::Protected),
            (".claude/agents/a.md", "proj/.claude/agents/a.md", Place::Protected),
            (".cutonce/plans/p.md", "proj/.cutonce/plans/p.md", Place::Workspace),
            (".cutonce/plans/.git/x", "proj/.cutonce/plans/.git/x", Place::Protected),
            (".mcp.json", "proj/.mcp.json", Place::Protected),
            ("~/.bashrc", "home/.bashrc", Place::Protected),
            ("~/.ssh/authorized_keys", "home/.ssh/authorized_keys", Place::Protected),
            ("~/.config/fish/config.fish", "home/.config/fish/config.fish", Place::Protected),
            ("~/notes", "home/notes", Place::Outside),
            ("~/.cutonce/settings.json", "home/.cutonce/settings.json", Place::Protected),
            ("~/.cutonce/own/out.txt", "home/.cutonce/own/out.txt", Place::Own),
            ("~other/x", "proj/~other/x", Place::Workspace),
        ];
        for (given, path, place) in cases {
            let target = it.workspace.resolve(given).unwrap();
            assert_eq!((target.path, target.place), (it.base.join(path), place), "{given}");
        }
    }

    #[test]
    fn pr_6_links_are_resolved_before_the_place_is_said() {
        let it = fixture();
        let proj = it.base.join("proj");
        symlink(it.base.join("home"), proj.join("link")).unwrap();
        symlink("../home/.bashrc", proj.join("innocent.txt")).unwrap();
        symlink("missing/deep", proj.join("dangling")).unwrap();
        let at = |given: &str| it.workspace.resolve(given).map(|t| (t.path, t.place)).unwrap();
        assert_eq!(at("link/x/y"), (it.base.join("home/x/y"), Place::Outside));
        assert_eq!(at("link/../proj/a"), (it.base.join("proj/a"), Place::Workspace));
        assert_eq!(at("innocent.txt"), (it.base.join("home/.bashrc"), Place::Protected));
        assert_eq!(at("dangling"), (proj.join("missing/deep"), Place::Workspace));
        assert_eq!(at(&format!("{}/src/l.rs", proj.display())), (proj.join("src/l.rs"), Place::Workspace));
    }

    #[test]
    fn ag_6_bad_paths_are_errors() {
        let it = fixture();
        symlink("b", it.base.join("proj/a")).unwrap();
        symlink("a", it.base.join("proj/b")).unwrap();
        std::fs::write(it.base.join("proj/file"), "x").unwrap();
        let error = |given: &str| it.workspace.resolve(given).unwrap_err();
        assert!(error("a").contains("too many symbolic links"));
        assert!(error("a/x").contains("too many symbolic links"));
        assert!(error("x\0y").contains("control characters"));
        assert!(error("x\ny").contains("control characters"));
        assert!(error("  ").contains("empty"));
        assert!(error("file/below").contains("is a file, not a folder"));
        let homeless = Workspace { home: None, ..it.workspace.clone() };
        assert!(homeless.resolve("~/x").unwrap_err().contains("no home folder"));
    }

    #[test]
    fn a_call_keeps_the_target_it_was_judged_by() {
        let it = fixture();
        let judged = Judged::default();
        let first = judged.judge(&it.workspace, "file_path", "late").unwrap().path;
        symlink("/etc/passwd", it.base.join("proj/late")).unwrap();
        assert_eq!(judged.target(&it.workspace, "file_path", "late").unwrap().path, first);
    }
}

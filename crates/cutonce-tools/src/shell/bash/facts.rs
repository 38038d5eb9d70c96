//! Disk facts about a command (PR-5, PR-6): where its paths lead, and which repository git would use.

use super::programs::ProgramFinder;
use crate::env::ToolEnv;
use crate::shell::bash::{git_config, globs};
use crate::workspace::Workspace;
use cutonce_core::permission::{PathLocation, PathResolver, PathScope, PathTarget, ShellFacts};
use cutonce_core::shell::PathWord;
use cutonce_sandbox::SandboxTier;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Same limit as the kernel's.
const MAX_LINKS: usize = 40;
/// Stand-in for an unresolvable path: outside every workspace, and not a file.
pub(super) const UNRESOLVED: &str = "/proc/nowhere";

pub(super) fn shell_facts(command: &str, background: bool, here: &ToolEnv) -> ShellFacts {
    let mut facts = ShellFacts::new(command, background, ShellDisk(here));
    let (folder, workspace) = (here.shells.working_folder(&here.workspace), &here.workspace);
    let programs = ProgramFinder::from_path(here.shells.program_path(), &folder, workspace);
    facts.mark_unknown(|part| programs.runs_project_program(part));
    if programs.is_busybox("grep") {
        mark_link_followers(&mut facts);
    }
    let sure = is_own_repository(&folder, workspace, facts.writes_files())
        && (kernel_holds_git(&facts) || !git_config::may_name_programs(&folder));
    if sure { facts } else { facts.distrust_git() }
}

/// True if the command runs no git, or if the kernel confines it also where it runs without asking. If only the parser
/// does, a program that the repository's configuration names would run unconfined (SB-3).
fn kernel_holds_git(facts: &ShellFacts) -> bool {
    let runs_git = facts.parts.iter().any(|part| part.part.program() == Some("git"));
    !runs_git
        || match cutonce_sandbox::sandbox_support().tier {
            SandboxTier::Namespaces => true,
            SandboxTier::Landlock => !facts.writes_files(),
            SandboxTier::Seatbelt | SandboxTier::None => false,
        }
}

/// Marks busybox's grep as unpredictable: it follows the links that it meets.
fn mark_link_followers(facts: &mut ShellFacts) {
    for part in &mut facts.parts {
        let searches = matches!(part.part.program(), Some("grep" | "egrep" | "fgrep"));
        if searches && part.reads.iter().any(|reach| matches!(reach, PathScope::Below(_))) {
            part.reads.push(PathScope::Unknown);
        }
    }
}

/// The disk, seen from the shell's folder.
struct ShellDisk<'a>(&'a ToolEnv);

impl ShellDisk<'_> {
    fn folder(&self) -> PathBuf {
        self.0.shells.working_folder(&self.0.workspace)
    }
}

impl PathResolver for ShellDisk<'_> {
    fn resolve(&self, path: &str) -> PathTarget {
        resolve_target(path, self.0)
    }
    fn glob_links(&self, glob: &str) -> Option<Vec<String>> {
        let folder = resolve_target(PathWord::glob_folder(glob), self.0).path;
        let links = globs::matching_links(&folder, globs::special_part(glob))?;
        links.into_iter().map(|link| link.into_os_string().into_string().ok()).collect()
    }
    fn repository_root(&self) -> PathTarget {
        let folder = self.folder();
        let top = folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
        let path = top.unwrap_or(&folder).to_path_buf();
        PathTarget { given: ".".into(), place: self.0.workspace.place_of(&path), path }
    }
    fn is_plain_file(&self, path: &str) -> bool {
        let meta = absolute_path(path, self.0).and_then(|path| path.symlink_metadata().ok());
        meta.is_some_and(|meta| meta.is_file())
    }
}

/// Makes a path absolute; relative paths start at the shell's folder.
fn absolute_path(given: &str, here: &ToolEnv) -> Option<PathBuf> {
    match given.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            here.workspace.home.as_ref().map(|home| home.join(rest.trim_start_matches('/')))
        }
        _ => Some(here.shells.working_folder(&here.workspace).join(given)),
    }
}

/// Resolves a path. An unresolvable one may be any place, even a protected one, so it needs approval. So does a path
/// that leaves a link by `..`: a command may replace the link by a folder, and then the path leads elsewhere.
pub(super) fn resolve_target(given: &str, here: &ToolEnv) -> PathTarget {
    let path = absolute_path(given, here).filter(|path| !climbs_out_of_link(path));
    let resolved = path.as_ref().and_then(|path| here.workspace.resolve(path.to_str()?).ok());
    match resolved {
        Some(target) => PathTarget { given: given.into(), ..target },
        // A descriptor is a different file for each process; the names say which of them may be read.
        None if given.starts_with("/dev/") => {
            PathTarget { given: given.into(), path: given.into(), place: PathLocation::Protected }
        }
        None => PathTarget { given: given.into(), path: UNRESOLVED.into(), place: PathLocation::Protected },
    }
}

/// True if a `..` in this path goes back over a symlink. Leading ones in a link's own target do not.
fn climbs_out_of_link(path: &Path) -> bool {
    let mut resolved = PathBuf::from("/");
    let mut ahead: Vec<(OsString, bool)> = Vec::new();
    push_parts(&mut ahead, path, false);
    let mut links = 0;
    while let Some((part, leading)) = ahead.pop() {
        if part == ".." {
            if links > 0 && !leading {
                return true;
            }
            resolved.pop();
            continue;
        }
        resolved.push(&part);
        let Ok(target) = std::fs::read_link(&resolved) else { continue };
        links += 1;
        if links > MAX_LINKS {
            return true;
        }
        resolved.pop();
        if target.is_absolute() {
            resolved = PathBuf::from("/");
        }
        push_parts(&mut ahead, &target, true);
    }
    false
}

fn push_parts(ahead: &mut Vec<(OsString, bool)>, path: &Path, link: bool) {
    let mut leading = link;
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => {
                leading = false;
                parts.push((name.to_os_string(), false));
            }
            Component::ParentDir => parts.push(("..".into(), leading)),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    ahead.extend(parts.into_iter().rev());
}

/// True if git, started in this folder, finds the repository of the workspace, and no other below it or without a
/// `.git`. Plain files, which any edit can create, suffice for one; so do files that this command writes.
fn is_own_repository(folder: &Path, workspace: &Workspace, writes: bool) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    let Some(root) = workspace.folder_of(&folder) else { return false };
    let exists = |path: PathBuf| path.symlink_metadata().is_ok();
    let bare = |folder: &Path| exists(folder.join("HEAD")) && !exists(folder.join(".git"));
    let mut below = folder.ancestors().take_while(|above| above.starts_with(&root) && *above != root);
    let may_be_made = writes && !exists(root.join(".git"));
    !bare(&root) && !may_be_made && !below.any(|above| bare(above) || exists(above.join(".git")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn pr_6_dotdot_after_a_link_is_not_resolved() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        std::fs::create_dir_all(at("w/sub/deep")).unwrap();
        symlink("sub/deep", at("w/e")).unwrap();
        symlink("e/../../x", at("w/l")).unwrap();
        symlink("../sub", at("w/sub/up")).unwrap();
        for (path, climbs) in [
            ("w/e/../../x", true),
            ("w/e/a/../../x", true),
            ("w/l", true),
            ("w/e/x", false),
            ("w/sub/../x", false),
            ("w/nope/../../x", false),
            ("w/sub/up/deep", false),
        ] {
            assert_eq!(climbs_out_of_link(&at(path)), climbs, "{path}");
        }
    }

    #[test]
    fn pr_5_git_uses_only_the_workspace_repository() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        for folder in ["w/.git", "w/sub/deep", "w/bare", "w/dangling", "w/own/.git", "lib/bare", "plain"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for head in ["w/bare/HEAD", "lib/bare/HEAD"] {
            std::fs::write(at(head), "").unwrap();
        }
        symlink("refs/heads/main", at("w/dangling/HEAD")).unwrap();
        symlink("bare", at("w/link")).unwrap();
        let sure = |root: &str, folder: &str, writes: bool| {
            let workspace = Workspace::new(&at(root), &[at("lib")], None, &at("home"), &at("own")).unwrap();
            is_own_repository(&at(folder), &workspace, writes)
        };
        for (root, folder, writes, expected) in [
            ("w", "w", false, true),
            ("w", "w", true, true),
            ("w", "w/sub/deep", true, true),
            ("w", "w/bare", false, false),
            ("w", "w/dangling", false, false),
            ("w", "w/link", false, false),
            ("w", "w/own", false, false),
            ("w", "lib", false, true),
            ("w", "lib/bare", false, false),
            ("w", "nope", false, false),
            ("plain", "plain", false, true),
            ("plain", "plain", true, false),
        ] {
            assert_eq!(sure(root, folder, writes), expected, "{root} {folder} {writes}");
        }
    }
}

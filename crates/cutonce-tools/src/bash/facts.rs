//! The disk as a command will find it (PR-5, PR-6): where its words lead, and which repository git would take.

use super::programs::Programs;
use crate::globs;
use crate::tool::Here;
use crate::workspace::Workspace;
use cutonce_core::permission::{Disk, Place, Reach, ShellFacts, Target};
use cutonce_core::shell::PathWord;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows.
const MAX_LINKS: usize = 40;
/// The path of what could not be resolved: in nobody's workspace, and no file.
pub(super) const NOWHERE: &str = "/proc/nowhere";

pub(super) fn of(command: &str, background: bool, here: &Here) -> ShellFacts {
    let mut facts = ShellFacts::new(command, background, FromHere(here));
    let (folder, workspace) = (here.shells.folder(&here.workspace), &here.workspace);
    let programs = Programs::of(here.shells.path(), &folder, workspace);
    facts.doubt(|part| programs.stands_in_for(part));
    if programs.is_busybox("grep") {
        follow_links(&mut facts);
    }
    let sure = is_own_repository(&folder, workspace, facts.writes_files());
    if sure { facts } else { facts.in_another_repository() }
}

/// The grep of busybox follows the links that it meets: nobody can say what it reads.
fn follow_links(facts: &mut ShellFacts) {
    for part in &mut facts.parts {
        let searches = matches!(part.part.program(), Some("grep" | "egrep" | "fgrep"));
        if searches && part.reads.iter().any(|reach| matches!(reach, Reach::Below(_))) {
            part.reads.push(Reach::Unknown);
        }
    }
}

/// The disk, seen from the shell's folder.
struct FromHere<'a>(&'a Here);

impl FromHere<'_> {
    fn folder(&self) -> PathBuf {
        self.0.shells.folder(&self.0.workspace)
    }
}

impl Disk for FromHere<'_> {
    fn resolve(&self, path: &str) -> Target {
        target(path, self.0)
    }
    fn links(&self, glob: &str) -> Option<Vec<String>> {
        let folder = target(PathWord::glob_folder(glob), self.0).path;
        let links = globs::links(&folder, globs::special_part(glob))?;
        links.into_iter().map(|link| link.into_os_string().into_string().ok()).collect()
    }
    fn repository(&self) -> Target {
        let folder = self.folder();
        let top = folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
        let path = top.unwrap_or(&folder).to_path_buf();
        Target { given: ".".into(), place: self.0.workspace.place_of(&path), path }
    }
    fn is_plain_file(&self, path: &str) -> bool {
        let meta = absolute(path, self.0).and_then(|path| path.symlink_metadata().ok());
        meta.is_some_and(|meta| meta.is_file())
    }
}

/// Relative paths start at the shell's folder.
fn absolute(given: &str, here: &Here) -> Option<PathBuf> {
    match given.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            here.workspace.home.as_ref().map(|home| home.join(rest.trim_start_matches('/')))
        }
        _ => Some(here.shells.folder(&here.workspace).join(given)),
    }
}

/// What can't be resolved may be any place, a protected one too: that asks. So does a path that climbs out of a link by `..`:
/// in place of the link a command may put a folder, and then it leads elsewhere.
pub(super) fn target(given: &str, here: &Here) -> Target {
    let path = absolute(given, here).filter(|path| !climbs_out_of_link(path));
    let resolved = path.as_ref().and_then(|path| here.workspace.resolve(path.to_str()?).ok());
    match resolved {
        Some(target) => Target { given: given.into(), ..target },
        // A descriptor is another file for each process; which of them may be read is told by their names.
        None if given.starts_with("/dev/") => {
            Target { given: given.into(), path: given.into(), place: Place::Protected }
        }
        None => Target { given: given.into(), path: NOWHERE.into(), place: Place::Protected },
    }
}

/// Does a `..` of this path take back what a symlink led to? The leading ones of a link's own target do not.
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

/// Does git, started in this folder, find the repository of the workspace, and none below it, nor one without a `.git`?
/// Plain files, which any edit can make, are enough for one: also those that this very command writes.
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
    fn pr_6_a_path_that_climbs_out_of_a_link_is_not_resolved() {
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
    fn pr_5_git_takes_only_the_repository_of_the_workspace() {
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

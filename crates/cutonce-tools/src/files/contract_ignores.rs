//! Which files git ignores, as the scope of a plan sees it (PC-20): by the `.gitignore` files from the top of the
//! repository down, the repository's own exclude file, and that of the user. For rule files that the plan may change,
//! the rules from the approval count.

use super::git_index::{common_folder, tracked_among};
use super::walk::{is_safe_ignore_file, walk_builder};
use cutonce_core::plan::scope::{EXCLUDE_FILE, IGNORE_FILE, PlanScope};
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A longer text is not kept with the scope: the file is then treated as one without rules.
const MAX_FROZEN: usize = 64 << 10;
/// Rule files that are kept with a scope.
const MAX_FROZEN_FILES: usize = 200;

/// The rules of one workspace.
#[derive(Debug, Clone)]
pub struct IgnoreRules {
    root: PathBuf,
    /// Top of the repository.
    top: PathBuf,
    /// Where the rule files of the workspace are read: there, or in a record of it.
    read_at: PathBuf,
    scope: PlanScope,
}

/// Rules from the outermost folder to the innermost.
pub(crate) type RuleStack = Vec<Arc<Gitignore>>;

impl IgnoreRules {
    pub fn new(root: &Path, scope: Option<&PlanScope>) -> IgnoreRules {
        let top = root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root).to_path_buf();
        IgnoreRules { root: root.into(), top, read_at: root.into(), scope: scope.cloned().unwrap_or_default() }
    }

    /// Reads the rule files of the workspace from a record of it.
    pub(crate) fn read_at(self, record: &Path) -> IgnoreRules {
        IgnoreRules { read_at: record.into(), ..self }
    }

    /// True if git ignores this path below the workspace, or a folder above it. Git ignores no tracked file.
    pub fn is_ignored(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root) else { return false };
        !self.ignored_among([(below, path.is_dir())]).is_empty()
    }

    /// Which of these paths git ignores. They are relative to the workspace; true: a folder.
    pub(crate) fn ignored_among<'a>(&self, paths: impl IntoIterator<Item = (&'a Path, bool)>) -> BTreeSet<PathBuf> {
        let mut named = self.named_among(paths);
        if !named.is_empty() {
            let inside = self.root.strip_prefix(&self.top).unwrap_or(Path::new(""));
            let repository = if self.top == self.root { &self.read_at } else { &self.top };
            let tracked = tracked_among(repository, named.iter().map(|path| inside.join(path)));
            named.retain(|path| !tracked.contains(&inside.join(path)));
        }
        named
    }

    /// Which of these paths a rule ignores, whether they are tracked or not.
    pub(crate) fn named_among<'a>(&self, paths: impl IntoIterator<Item = (&'a Path, bool)>) -> BTreeSet<PathBuf> {
        // Most commands ask about nothing: no rule file is read then.
        let mut paths = paths.into_iter().peekable();
        if paths.peek().is_none() {
            return BTreeSet::new();
        }
        let (mut known, outer) = (BTreeMap::new(), self.outer());
        let named = paths.filter(|(path, is_folder)| self.has_rule(path, *is_folder, &outer, &mut known));
        named.map(|(path, _)| path.to_path_buf()).collect()
    }

    /// Whether a rule ignores the path or a folder around it: below an ignored folder nothing comes back.
    fn has_rule(
        &self,
        path: &Path,
        is_folder: bool,
        outer: &RuleStack,
        known: &mut BTreeMap<PathBuf, Option<Arc<Gitignore>>>,
    ) -> bool {
        let (mut rules, mut at) = (outer.clone(), PathBuf::new());
        let count = path.components().count();
        for (depth, part) in path.components().enumerate() {
            rules.extend(known.entry(at.clone()).or_insert_with(|| self.of_folder(&at)).clone());
            at.push(part);
            if self.is_named(&rules, &at, is_folder || depth + 1 < count) {
                return true;
            }
        }
        false
    }

    /// What the innermost rule about this path says. It is relative to the workspace.
    pub(crate) fn is_named(&self, rules: &RuleStack, path: &Path, is_folder: bool) -> bool {
        let path = self.root.join(path);
        let mut verdicts = rules.iter().rev().map(|rules| rules.matched(&path, is_folder));
        verdicts.find(|verdict| !verdict.is_none()).is_some_and(|verdict| verdict.is_ignore())
    }

    /// The rules from outside the workspace's folders, and those of the whole repository.
    pub(crate) fn outer(&self) -> RuleStack {
        let above = self.root.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.top));
        let above: Vec<&Path> = above.collect();
        let exclude = common_folder(&self.top).map(|git| git.join("info/exclude"));
        let files = gitconfig_excludes_path().into_iter().chain(exclude).map(|file| (file, self.top.as_path()));
        let files = files.chain(above.into_iter().rev().map(|folder| (folder.join(IGNORE_FILE), folder)));
        files.filter_map(|(file, folder)| self.read(&file, folder)).collect()
    }

    /// The rules of a folder of the workspace; the path is relative to it.
    pub(crate) fn of_folder(&self, folder: &Path) -> Option<Arc<Gitignore>> {
        let folder = self.root.join(folder);
        self.read(&folder.join(IGNORE_FILE), &folder)
    }

    /// Reads a rule file that applies below `folder`.
    fn read(&self, file: &Path, folder: &Path) -> Option<Arc<Gitignore>> {
        let text = match file.strip_prefix(&self.root) {
            Ok(inside) => match inside.to_str().and_then(|path| self.scope.frozen_rules(path)) {
                Some(text) => text.to_string(),
                None => read_own(&self.read_at.join(inside))?,
            },
            Err(_) => is_safe_ignore_file(file).then(|| std::fs::read(file).ok()).flatten().map(to_text)?,
        };
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.trim_start_matches('\u{feff}').lines() {
            // A line that is no pattern counts as none.
            let _ = builder.add_line(None, line);
        }
        builder.build().ok().map(Arc::new)
    }
}

/// Keeps the rules that count for the ignore files that the plan may change from now on.
pub fn freeze_rules(root: &Path, scope: &mut PlanScope) {
    let mut files: BTreeSet<String> = scope.named_ignore_files().map(str::to_string).collect();
    if scope.has_ignore_file_patterns() {
        let walk = walk_builder(root).build().flatten().filter(|entry| entry.file_name() == IGNORE_FILE);
        let found = walk.filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_str()?.to_string()));
        files.extend(found.filter(|path| scope.frozen_rules(path).is_some()).take(MAX_FROZEN_FILES));
    }
    for path in files.into_iter().filter(|path| !scope.ignore_rules.contains_key(path)).collect::<Vec<_>>() {
        let at = if path == EXCLUDE_FILE { exclude_file(root) } else { root.join(&path) };
        let text = read_own(&at).filter(|text| text.len() <= MAX_FROZEN).unwrap_or_default();
        scope.ignore_rules.insert(path, text);
    }
}

fn exclude_file(root: &Path) -> PathBuf {
    common_folder(root).map_or_else(|| root.join(EXCLUDE_FILE), |git| git.join("info/exclude"))
}

/// Reads a rule file of the workspace. Git follows no link here, and neither does this.
fn read_own(file: &Path) -> Option<String> {
    let is_plain = file.symlink_metadata().is_ok_and(|about| about.is_file());
    (is_plain && is_safe_ignore_file(file)).then(|| std::fs::read(file).ok()).flatten().map(to_text)
}

fn to_text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_20_ignored_files_follow_gitignore() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let root = top.join("app");
        std::fs::create_dir_all(root.join("src/gen")).unwrap();
        std::fs::create_dir_all(top.join(".git/info")).unwrap();
        std::fs::write(top.join(".git/info/exclude"), "*.local\n").unwrap();
        std::fs::write(top.join(".gitignore"), "target/\n*.log\n").unwrap();
        std::fs::write(root.join("src/.gitignore"), "gen/\n!keep.log\n").unwrap();
        let ignored = |path: &str| IgnoreRules::new(&root, None).is_ignored(&root.join(path));
        for path in ["target/debug/x", "a.log", "src/b.log", "src/gen/c.rs", "me.local", "new/deep/d.log"] {
            assert!(ignored(path), "{path}");
        }
        for path in ["src/a.rs", "src/keep.log", "targets/x", "gen/x", ".git/config"] {
            assert!(!ignored(path), "{path}");
        }
        assert!(!IgnoreRules::new(&root, None).is_ignored(&top.join("elsewhere.log")));
    }

    #[test]
    fn pc_20_tracked_files_are_never_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let git = |args: &[&str]| {
            assert!(std::process::Command::new("git").args(args).current_dir(&root).status().unwrap().success());
        };
        git(&["init", "-q"]);
        std::fs::create_dir(root.join("dist")).unwrap();
        std::fs::write(root.join(".gitignore"), "dist/\n").unwrap();
        std::fs::write(root.join("dist/kept.js"), "x").unwrap();
        git(&["add", "-f", "dist/kept.js"]);
        let rules = IgnoreRules::new(&root, None);
        assert!(!rules.is_ignored(&root.join("dist/kept.js")));
        assert!(rules.is_ignored(&root.join("dist/new.js")));
        // A worktree has the exclude file of its repository.
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
        let tree = dir.path().join("tree");
        git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
        std::fs::write(root.join(".git/info/exclude"), "*.local\n").unwrap();
        let rules = IgnoreRules::new(&tree, None);
        assert!(rules.is_ignored(&tree.join("me.local")) && !rules.is_ignored(&tree.join("dist/kept.js")));
    }

    /// A plan that may change rules can't use them to widen its scope.
    #[test]
    fn pc_20_rules_of_the_approval_count() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join(".git/info")).unwrap();
        std::fs::create_dir_all(root.join("web/deep")).unwrap();
        let rules = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
        rules(".gitignore", "/target\n");
        rules("web/.gitignore", "dist/\n");
        rules(".git/info/exclude", "*.local\n");
        let files = [".gitignore", "*/.gitignore", ".git"].map(str::to_string).to_vec();
        let mut scope = PlanScope { files, ..PlanScope::default() };
        freeze_rules(&root, &mut scope);
        assert_eq!(scope.ignore_rules.len(), 3, "{:?}", scope.ignore_rules);
        for name in [".gitignore", "web/.gitignore", "new/.gitignore", ".git/info/exclude"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            rules(name, "*\n");
        }
        std::os::unix::fs::symlink("../.gitignore", root.join("web/deep/.gitignore")).unwrap();
        freeze_rules(&root, &mut scope);
        let now = IgnoreRules::new(&root, Some(&scope));
        for (path, ignored) in [
            ("target/x", true),
            ("web/dist/x", true),
            ("me.local", true),
            ("src/a.rs", false),
            ("web/x", false),
            ("new/x", false),
            ("web/deep/x", false),
        ] {
            assert_eq!(now.is_ignored(&root.join(path)), ignored, "{path}");
        }
        assert!(IgnoreRules::new(&root, None).is_ignored(&root.join("src/a.rs")));
    }
}

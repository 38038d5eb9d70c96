//! The scope of an approved plan (PC-20): the paths that its steps may change. Paths are relative to the workspace,
//! so a scope never leaves it.

use super::contract::{PlanStep, PlannedPaths, is_glob, matches_path};
use crate::settings::plan::ScopeMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The files with git's rules about ignored files, one for each folder.
pub const IGNORE_FILE: &str = ".gitignore";
/// The file with such rules for the whole repository.
pub const EXCLUDE_FILE: &str = ".git/info/exclude";

/// Lock files with the manifests that they belong to.
const LOCK_FILES: &[(&str, &[&str])] = &[
    ("Cargo.lock", &["Cargo.toml"]),
    ("package-lock.json", &["package.json"]),
    ("npm-shrinkwrap.json", &["package.json"]),
    ("yarn.lock", &["package.json"]),
    ("pnpm-lock.yaml", &["package.json", "pnpm-workspace.yaml"]),
    ("bun.lock", &["package.json"]),
    ("bun.lockb", &["package.json"]),
    ("deno.lock", &["deno.json", "deno.jsonc", "package.json"]),
    ("poetry.lock", &["pyproject.toml"]),
    ("uv.lock", &["pyproject.toml"]),
    ("pdm.lock", &["pyproject.toml"]),
    ("Pipfile.lock", &["Pipfile"]),
    ("go.sum", &["go.mod"]),
    ("go.work.sum", &["go.work", "go.mod"]),
    ("Gemfile.lock", &["Gemfile"]),
    ("composer.lock", &["composer.json"]),
    ("mix.lock", &["mix.exs"]),
    ("rebar.lock", &["rebar.config"]),
    ("pubspec.lock", &["pubspec.yaml"]),
    ("Podfile.lock", &["Podfile"]),
    ("Package.resolved", &["Package.swift"]),
    ("flake.lock", &["flake.nix"]),
    ("stack.yaml.lock", &["stack.yaml"]),
    ("gradle.lockfile", &["build.gradle", "build.gradle.kts"]),
];

/// The paths that an approved plan may change. Part of the mode state, so that a resumed session has it too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanScope {
    pub mode: ScopeMode,
    /// Paths and globs of the approved steps.
    pub files: Vec<String>,
    /// Paths that the user added during the implementation (PC-24).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Git subcommands that the approved steps name: `commit`, `stash` (PC-21).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub git: Vec<String>,
    /// Texts of ignore files that the plan may change, from the time when it got that right. What a command adds to
    /// them later must not widen the scope.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ignore_rules: BTreeMap<String, String>,
}

/// How this machine keeps shell commands in the scope (PC-21, PC-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScopeMethod {
    /// Commands run on a layer.
    Prevents,
    /// The workspace is compared before and after each command.
    Detects,
}

impl ScopeMethod {
    pub fn describe(self) -> &'static str {
        match self {
            ScopeMethod::Prevents => "commands can't change files outside the plan: they run on a layer",
            ScopeMethod::Detects => {
                "changes of commands outside the plan are detected and restored, not prevented: no layers here"
            }
        }
    }
}

/// What the caller knows about a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScopedPath<'a> {
    /// Path relative to the workspace; `None` if it is outside.
    pub path: Option<&'a str>,
    pub is_plan_file: bool,
    /// Git ignores it.
    pub is_ignored: bool,
    /// The file is in a folder for temporary files.
    pub is_temporary: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeVerdict {
    /// An approved step names the path.
    Inside,
    /// The plan file, ignored and temporary files, and lock files of manifests in the scope.
    AlwaysAllowed,
    Outside,
}

impl PlanScope {
    /// The scope of these steps; `None` if they name no files or the scope is off.
    pub fn new<'a>(mode: ScopeMode, steps: impl IntoIterator<Item = &'a PlanStep>) -> Option<PlanScope> {
        let (mut files, mut git): (Vec<String>, Vec<String>) = Default::default();
        for step in steps {
            files.extend(step.files.iter().map(|file| file.path.clone()));
            git.extend(step.git.iter().cloned());
        }
        for list in [&mut files, &mut git] {
            list.sort();
            list.dedup();
        }
        (mode != ScopeMode::Off && !files.is_empty()).then_some(PlanScope { mode, files, git, ..PlanScope::default() })
    }

    /// Adds a path that the user allowed.
    pub fn add(&mut self, path: &str) {
        if !self.covers(path) {
            self.added.push(path.to_string());
        }
    }

    pub fn verdict(&self, target: ScopedPath<'_>) -> ScopeVerdict {
        if target.is_plan_file || target.is_temporary {
            return ScopeVerdict::AlwaysAllowed;
        }
        let Some(path) = target.path.filter(|path| is_plain(path)) else { return ScopeVerdict::Outside };
        match self.covers(path) {
            true => ScopeVerdict::Inside,
            false if target.is_ignored || self.has_manifest_of(path) => ScopeVerdict::AlwaysAllowed,
            false => ScopeVerdict::Outside,
        }
    }

    /// The rules that count for an ignore file that the plan may change; `None`: those on the disk.
    pub fn frozen_rules(&self, path: &str) -> Option<&str> {
        self.covers(path).then(|| self.ignore_rules.get(path).map_or("", String::as_str))
    }

    /// Ignore files that the scope names one by one.
    pub fn named_ignore_files(&self) -> impl Iterator<Item = &str> {
        let planned = self.files.iter().filter(|path| !is_glob(path));
        let paths = planned.chain(&self.added).map(String::as_str).chain([EXCLUDE_FILE]);
        let is_rules = |path: &&str| path.rsplit('/').next() == Some(IGNORE_FILE) || *path == EXCLUDE_FILE;
        paths.filter(is_rules).filter(|path| self.covers(path))
    }

    /// True if a pattern of the scope can stand for ignore files.
    pub fn has_ignore_file_patterns(&self) -> bool {
        let last = |planned: &String| planned.rsplit('/').next().unwrap_or(planned).to_string();
        self.files.iter().any(|planned| is_glob(planned) && matches_path(&last(planned), IGNORE_FILE))
    }

    fn covers(&self, path: &str) -> bool {
        // The user allowed one file, whatever characters its name has; patterns come from the plan only.
        self.added.iter().any(|added| added == path) || self.files.iter().any(|planned| matches_path(planned, path))
    }

    /// True for a lock file whose manifest is in the scope: in its folder, or below it in a workspace.
    fn has_manifest_of(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let manifests = LOCK_FILES.iter().find(|(lock, _)| *lock == name).map_or(&[][..], |(_, manifests)| manifests);
        let in_folder = |manifest: &&str| {
            self.covers(&if folder.is_empty() { manifest.to_string() } else { format!("{folder}/{manifest}") })
        };
        let below = |manifest: &&str| {
            self.files.iter().chain(&self.added).any(|planned| {
                let (place, name) = planned.rsplit_once('/').unwrap_or(("", planned));
                name == *manifest && (folder.is_empty() || place == folder || place.starts_with(&format!("{folder}/")))
            })
        };
        manifests.iter().any(|manifest| in_folder(manifest) || below(manifest))
    }
}

/// A scope with its planned paths in an index, for many files at once.
pub struct IndexedScope<'a> {
    scope: &'a PlanScope,
    planned: PlannedPaths,
}

impl PlanScope {
    pub fn indexed(&self) -> IndexedScope<'_> {
        let mut planned = PlannedPaths::default();
        self.files.iter().for_each(|path| planned.add(path, 0));
        IndexedScope { scope: self, planned }
    }
}

impl IndexedScope<'_> {
    /// The verdict of the scope.
    pub fn verdict(&self, target: ScopedPath<'_>) -> ScopeVerdict {
        let is_usual = !target.is_plan_file && !target.is_temporary;
        match target.path.filter(|path| is_usual && is_plain(path)) {
            Some(path) if self.planned.covering(path).next().is_some() => ScopeVerdict::Inside,
            Some(_) | None => self.scope.verdict(target),
        }
    }
}

/// A relative path without `..`; others are never inside.
fn is_plain(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && !path.split('/').any(|part| part == ".." || part == ".")
}

/// The files that the user's last message names: an explicit order is asked about, never argued with (PC-24).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserOrder(Vec<String>);

impl UserOrder {
    pub fn new(message: &str) -> UserOrder {
        let is_part = |c: char| c.is_alphanumeric() || "._-/".contains(c);
        let words = message.split(|c: char| !is_part(c)).map(|word| word.trim_end_matches('.'));
        let words = words.map(|word| word.trim_start_matches("./")).filter(|word| !word.is_empty());
        UserOrder(words.map(str::to_string).collect())
    }

    /// True if the message names this file, with its path or its name.
    pub fn names(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.0.iter().any(|word| word == path || word == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::contract::{PlannedFile, PlannedKind};

    fn scope(files: &[&str]) -> PlanScope {
        let files = files.iter().map(|path| PlannedFile::new(*path, PlannedKind::Any)).collect();
        PlanScope::new(ScopeMode::Ask, [&PlanStep { files, ..PlanStep::default() }]).expect("a scope")
    }

    fn verdict(scope: &PlanScope, path: &str) -> ScopeVerdict {
        scope.verdict(ScopedPath { path: Some(path), ..ScopedPath::default() })
    }

    #[test]
    fn pc_20_scope_holds_files_folders_and_globs() {
        let scope = scope(&["src/a.rs", "docs/", "src/gen", "tests/*.rs", "app/[id]/page.tsx"]);
        for path in ["src/a.rs", "docs/x/y.md", "src/gen/z.rs", "tests/b.rs", "app/[id]/page.tsx"] {
            assert_eq!(verdict(&scope, path), ScopeVerdict::Inside, "{path}");
        }
        let outside =
            ["src/b.rs", "src/a.rs.bak", "docs2/x", "tests/deep/b.rs", "app/i/page.tsx", "src/../x", "/src/a.rs", ""];
        for path in outside {
            assert_eq!(verdict(&scope, path), ScopeVerdict::Outside, "{path}");
        }
    }

    #[test]
    fn pc_20_some_files_are_never_outside() {
        let scope = scope(&["crates/a/Cargo.toml", "web/package.json"]);
        for path in ["Cargo.lock", "crates/a/Cargo.lock", "crates/Cargo.lock", "web/yarn.lock", "package-lock.json"] {
            assert_eq!(verdict(&scope, path), ScopeVerdict::AlwaysAllowed, "{path}");
        }
        for path in ["other/Cargo.lock", "go.sum", "web/src/yarn.lock", "Cargo.toml"] {
            assert_eq!(verdict(&scope, path), ScopeVerdict::Outside, "{path}");
        }
        let ignored = ScopedPath { path: Some("target/x"), is_ignored: true, ..ScopedPath::default() };
        let temporary = ScopedPath { is_temporary: true, ..ScopedPath::default() };
        let plan = ScopedPath { is_plan_file: true, ..ScopedPath::default() };
        for target in [ignored, temporary, plan] {
            assert_eq!(scope.verdict(target), ScopeVerdict::AlwaysAllowed);
        }
        assert_eq!(scope.verdict(ScopedPath::default()), ScopeVerdict::Outside);
    }

    #[test]
    fn pc_24_users_can_add_files() {
        let mut scope = scope(&["a"]);
        scope.add("b/c");
        scope.add("a");
        assert_eq!((verdict(&scope, "b/c"), scope.added.len()), (ScopeVerdict::Inside, 1));
        // A file named like a pattern is one file.
        scope.add("**");
        scope.add("app/[id].ts");
        for (path, inside) in
            [("**", true), ("x/y", false), ("app/[id].ts", true), ("app/i.ts", false), ("b/c/d", false)]
        {
            assert_eq!(verdict(&scope, path) == ScopeVerdict::Inside, inside, "{path}");
        }
        let stored = serde_json::to_string(&scope).expect("JSON");
        assert_eq!(serde_json::from_str::<PlanScope>(&stored).expect("a scope"), scope);
    }

    #[test]
    fn pc_20_planned_ignore_files_are_frozen() {
        let mut scope = scope(&[".gitignore", "web/*", "docs/", "src/**/*.rs"]);
        scope.ignore_rules.insert(".gitignore".into(), "/target\n".into());
        let frozen = [(".gitignore", Some("/target\n")), ("web/.gitignore", Some("")), ("docs/.gitignore", Some(""))];
        for (path, rules) in frozen.into_iter().chain([("src/.gitignore", None), (EXCLUDE_FILE, None)]) {
            assert_eq!(scope.frozen_rules(path), rules, "{path}");
        }
        assert_eq!(scope.named_ignore_files().collect::<Vec<_>>(), [".gitignore"]);
        assert!(scope.has_ignore_file_patterns());
        scope.files = vec!["src/**/*.rs".into(), ".git".into()];
        assert!(!scope.has_ignore_file_patterns());
        assert_eq!(scope.named_ignore_files().collect::<Vec<_>>(), [EXCLUDE_FILE]);
    }

    #[test]
    fn pc_20_no_files_no_scope() {
        assert_eq!(PlanScope::new(ScopeMode::Enforce, [&PlanStep::default()]), None);
        let step = PlanStep { files: vec![PlannedFile::new("a", PlannedKind::New)], ..PlanStep::default() };
        assert_eq!(PlanScope::new(ScopeMode::Off, [&step]), None);
    }
}

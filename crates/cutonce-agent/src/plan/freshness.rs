//! Freshness of a plan (PC-13): what the files that it names looked like when it was submitted.

use super::facts::files_below;
use crate::storage::versions::content_hash;
use cutonce_core::permission::is_secret;
use cutonce_core::plan::contract::{PlanContract, matches_path};
use cutonce_core::plan::progress::Evidence;
use cutonce_core::plan::{PlanFreshness, StaleFile};
use cutonce_core::settings::plan::PlanLint;
use cutonce_tools::files::unified_diff;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Larger files are compared by their first bytes. Tools write no larger ones.
const MAX_HASHED: u64 = cutonce_tools::disk::MAX_CHANGE;
/// Larger files are not kept for a diff.
const MAX_KEPT: u64 = 256 << 10;
const MAX_KEPT_FILES: usize = 200;
/// Files of one planned folder or glob that are compared around a command.
const MAX_WATCHED: usize = 1_000;

/// The workspace at the submission of a plan: the commit, and the content of every file that the plan names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlanStamp {
    /// `None` without a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Path and hash; no hash if there was no file.
    pub files: BTreeMap<String, Option<String>>,
}

impl PlanStamp {
    /// Stamps a plan with the state of the workspace.
    pub(crate) fn new(root: &Path, contract: &PlanContract) -> PlanStamp {
        let files = contract.steps.iter().flat_map(|step| &step.files);
        let files = files.map(|file| (file.path.clone(), hash_file(&root.join(&file.path)))).collect();
        PlanStamp { commit: current_commit(root), files }
    }

    /// The files that differ now, in the order of the steps, each once.
    pub(crate) fn stale_files(&self, root: &Path, contract: &PlanContract) -> Vec<StaleFile> {
        let mut found: Vec<StaleFile> = Vec::new();
        for (step, file) in contract.steps.iter().flat_map(|step| step.files.iter().map(move |file| (step, file))) {
            let known = self.files.get(&file.path);
            let changed = known.is_some_and(|known| *known != hash_file(&root.join(&file.path)));
            if changed && !found.iter().any(|stale| stale.path == file.path) {
                found.push(StaleFile { step: step.id.clone(), path: file.path.clone(), diff: None });
            }
        }
        found
    }

    /// Compares the workspace with this stamp. `kept` returns the old content of a file by its hash.
    pub(super) fn freshness(
        &self,
        root: &Path,
        contract: &PlanContract,
        kept: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> PlanFreshness {
        let mut files = self.stale_files(root, contract);
        for file in &mut files {
            let known = self.files.get(&file.path).cloned().flatten();
            let old = known.as_deref().map(&kept);
            // Without the old content there is nothing to compare with.
            if old.as_ref().is_none_or(Option::is_some) {
                let new = content_of(&root.join(&file.path)).unwrap_or_default();
                file.diff = Some(unified_diff(&file.path, old.flatten().as_deref(), &new));
            }
        }
        PlanFreshness::new(files, self.commit == current_commit(root))
    }

    /// Contents that a later diff needs: plain text files of a moderate size, by hash.
    pub(super) fn contents_to_keep(&self, root: &Path) -> Vec<(String, Vec<u8>)> {
        let known = self.files.iter().filter_map(|(path, hash)| Some((root.join(path), hash.clone()?)));
        let small = known.filter(|(path, _)| path.metadata().is_ok_and(|meta| meta.len() <= MAX_KEPT));
        let open = small.filter(|(path, _)| !is_secret(path, None));
        let read = open.filter_map(|(path, hash)| Some((hash, content_of(&path)?))).take(MAX_KEPT_FILES);
        read.filter(|(hash, bytes)| content_hash(bytes) == *hash && std::str::from_utf8(bytes).is_ok()).collect()
    }
}

/// The hashes of the files that a plan names, as they are now. Empty for a plan without steps.
pub fn stamp_plan(root: &Path, plan: &str) -> BTreeMap<String, Option<String>> {
    let contract = super::read_contract(root, plan, PlanLint::Off);
    contract.map(|contract| PlanStamp::new(root, &contract).files).unwrap_or_default()
}

/// Planned files before a command that no layer shows the changes of: what differs after it is the command's work.
pub(crate) struct PlannedContents {
    root: PathBuf,
    planned: Vec<String>,
    before: BTreeMap<String, WatchedState>,
}

/// Hash of a file or link, and its permissions.
type WatchedState = (Option<String>, u32);

impl PlannedContents {
    /// Reads the files that these paths, folders and globs cover.
    pub(crate) fn read(root: PathBuf, planned: Vec<String>) -> PlannedContents {
        let before = file_states(&root, &planned);
        PlannedContents { root, planned, before }
    }

    /// What the command wrote.
    pub(crate) fn compare(self) -> Vec<Evidence> {
        let after = file_states(&self.root, &self.planned);
        let paths: BTreeSet<&String> = self.before.keys().chain(after.keys()).collect();
        let mut found = Vec::new();
        for path in paths {
            let state = |states: &BTreeMap<String, WatchedState>| states.get(path).cloned().unwrap_or_default();
            let ((before, old_mode), (after, new_mode)) = (state(&self.before), state(&after));
            let modes = (before == after && old_mode != new_mode).then_some([old_mode, new_mode]);
            if before != after || modes.is_some() {
                let path = self.root.join(path).to_string_lossy().into_owned();
                let together = !found.is_empty();
                found.push(Evidence::Wrote { path, before, after, exempt: false, modes, together });
            }
        }
        found
    }
}

/// The files that planned paths cover, with their states.
fn file_states(root: &Path, planned: &[String]) -> BTreeMap<String, WatchedState> {
    let mut found = BTreeMap::new();
    for path in planned {
        let is_plain = root.join(path).symlink_metadata().is_ok_and(|about| !about.is_dir());
        let covered: Vec<String> = match is_plain {
            true => vec![path.clone()],
            false => {
                files_below(root, path).flatten().filter(|file| matches_path(path, file)).take(MAX_WATCHED).collect()
            }
        };
        found.extend(covered.into_iter().map(|path| (path.clone(), file_state(&root.join(path)))));
    }
    found
}

fn file_state(path: &Path) -> WatchedState {
    let Ok(about) = path.symlink_metadata() else { return WatchedState::default() };
    let target = about.is_symlink().then(|| std::fs::read_link(path).ok()).flatten();
    let hash =
        target.map_or_else(|| hash_file(path), |target| Some(content_hash(target.as_os_str().as_encoded_bytes())));
    (hash, about.mode() & 0o777)
}

/// The hash of a plain file; `None` for anything else.
fn hash_file(path: &Path) -> Option<String> {
    content_of(path).map(|bytes| content_hash(&bytes))
}

/// The content of a plain file; `None` for anything else.
pub(crate) fn content_of(path: &Path) -> Option<Vec<u8>> {
    path.symlink_metadata().ok().filter(|meta| meta.is_file())?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_HASHED).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The commit that is checked out, from git's own files.
fn current_commit(root: &Path) -> Option<String> {
    let git = root.ancestors().map(|folder| folder.join(".git")).find(|git| git.is_dir())?;
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let Some(name) = head.trim().strip_prefix("ref: ") else { return Some(head.trim().to_string()) };
    if let Ok(commit) = std::fs::read_to_string(git.join(name)) {
        return Some(commit.trim().to_string());
    }
    let packed = std::fs::read_to_string(git.join("packed-refs")).ok()?;
    packed.lines().find_map(|line| line.strip_suffix(name)).map(|commit| commit.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::read_contract;

    #[test]
    fn pc_13_changed_files_name_their_step() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for (path, text) in [("a", "1"), ("b", "1"), (".git/HEAD", "ref: refs/heads/main\n")] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), text).unwrap();
        }
        std::fs::write(root.join(".git/packed-refs"), "# pack-refs\n1234 refs/heads/main\n").unwrap();
        let plan = "## Steps\n\n1. One\n   - files: a, new (new)\n2. Two\n   - files: b, a\n";
        let contract = read_contract(root, plan, PlanLint::Off).unwrap();
        let stamp = PlanStamp::new(root, &contract);
        assert_eq!((stamp.commit.as_deref(), stamp.files.len()), (Some("1234"), 3));
        assert_eq!(stamp.stale_files(root, &contract), []);
        std::fs::write(root.join("a"), "2").unwrap();
        std::fs::write(root.join("new"), "there").unwrap();
        std::fs::remove_file(root.join("b")).unwrap();
        let stale: Vec<_> = stamp.stale_files(root, &contract).into_iter().map(|file| (file.step, file.path)).collect();
        let expected = [("1", "a"), ("1", "new"), ("2", "b")];
        assert_eq!(stale, expected.map(|(step, path)| (step.to_string(), path.to_string())));
    }
}

//! Facts of the disk for the contract of a plan (PC-2, PC-6).

use cutonce_core::plan::contract::{FileFact, PlanContract, PlanFacts, matches_path};
use cutonce_core::settings::plan::PlanLint;
use cutonce_tools::disk::{FileAccess, VersionStore};
use cutonce_tools::files::{is_folder, walk_below};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files above this size are not read to count their lines.
const MAX_COUNTED: u64 = 4 << 20;
/// Files and folders that a search for a glob looks at.
const MAX_LOOKED_AT: usize = 50_000;

/// The workspace and the installed programs.
pub(crate) struct DiskFacts {
    root: PathBuf,
    name: String,
    /// Each path is looked up once.
    known: RefCell<HashMap<String, FileFact>>,
}

impl DiskFacts {
    /// The facts of the workspace with this root.
    pub fn new(root: &Path) -> DiskFacts {
        DiskFacts { root: root.into(), name: root.to_string_lossy().into_owned(), known: RefCell::default() }
    }

    fn look_up(&self, path: &str) -> FileFact {
        let path = self.root.join(path);
        match path.symlink_metadata() {
            Err(_) => FileFact::Missing,
            Ok(meta) if meta.is_dir() => FileFact::Folder,
            Ok(meta) if meta.is_file() => FileFact::File { lines: count_lines(&path) },
            // A link or a special file is there, but is not read.
            Ok(_) => FileFact::File { lines: None },
        }
    }
}

impl PlanFacts for DiskFacts {
    fn root(&self) -> &str {
        &self.name
    }
    fn file(&self, path: &str) -> FileFact {
        if let Some(known) = self.known.borrow().get(path) {
            return *known;
        }
        let fact = self.look_up(path);
        self.known.borrow_mut().insert(path.to_string(), fact);
        fact
    }
    fn has_match(&self, glob: &str) -> bool {
        // In a workspace of more files the glob gets the benefit of the doubt.
        files_below(&self.root, glob).any(|file| file.is_none_or(|path| matches_path(glob, &path)))
    }
    fn has_program(&self, name: &str) -> bool {
        let variables: Vec<_> = std::env::vars_os().collect();
        cutonce_sandbox::find_program(name, &variables).is_some()
    }
}

/// Files that a glob or a folder may cover, relative to the root; `None` at the end if there are too many.
pub(super) fn files_below(root: &Path, planned: &str) -> impl Iterator<Item = Option<String>> {
    let literal: Vec<&str> = planned.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
    let folder = literal.iter().fold(root.to_path_buf(), |folder, part| folder.join(part));
    let root = root.to_path_buf();
    let walk = walk_below(&folder, |entry| !is_folder(entry) || entry.file_name() != ".git");
    walk.flatten().take(MAX_LOOKED_AT).enumerate().filter_map(move |(before, entry)| match () {
        () if before + 1 == MAX_LOOKED_AT => Some(None),
        () if is_folder(&entry) => None,
        () => Some(Some(entry.path().strip_prefix(&root).ok()?.to_string_lossy().into_owned())),
    })
}

/// Reads the contract of a plan, with findings unless `plan.lint` is off; `None` if the plan has no steps.
pub fn read_contract(root: &Path, plan: &str, lint: PlanLint) -> Option<PlanContract> {
    let facts = DiskFacts::new(root);
    let contract = PlanContract::parse(plan, &facts)?;
    Some(if lint == PlanLint::Off { contract } else { contract.with_findings(plan, &facts) })
}

fn count_lines(path: &Path) -> Option<u32> {
    let (bytes, _) = FileAccess::new(Arc::new(NoVersions)).load(path, MAX_COUNTED).ok()?;
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    let open_end = bytes.last().is_some_and(|byte| *byte != b'\n');
    u32::try_from(ends + usize::from(open_end)).ok()
}

/// Nothing is written here.
struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _: &Path, _: Option<&[u8]>) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::plan::contract::FindingKind;

    #[test]
    fn pc_6_facts_come_from_the_workspace() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        std::fs::write(root.path().join("src/a.rs"), "one\ntwo").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.path().join("link")).unwrap();
        let facts = DiskFacts::new(root.path());
        assert_eq!(facts.file("src/a.rs"), FileFact::File { lines: Some(2) });
        assert_eq!((facts.file("src"), facts.file("b")), (FileFact::Folder, FileFact::Missing));
        assert_eq!(facts.file("link"), FileFact::File { lines: None });
        assert!(facts.has_match("src/*.rs") && facts.has_match("**/*.rs") && !facts.has_match("src/*.py"));
        assert!(facts.has_program("sh") && !facts.has_program("no-such-program-here"));
        let plan =
            "## Steps\n\n1. Change `src/a.rs:9`\n   - files: src/b.rs (change)\n   - check: no-such-program-here\n";
        let kinds = |lint| {
            let contract = read_contract(root.path(), plan, lint).unwrap();
            contract.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>()
        };
        let all = [FindingKind::BadReference, FindingKind::MissingFile, FindingKind::UnknownProgram];
        assert_eq!((kinds(PlanLint::Fix), kinds(PlanLint::Off)), (all.to_vec(), vec![]));
        assert_eq!(read_contract(root.path(), "# Words only\n", PlanLint::Fix), None);
    }
}

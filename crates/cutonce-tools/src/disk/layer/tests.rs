//! Random trees: what is applied is what the layer shows, byte for byte.

use super::*;
use crate::disk::{FileAccess, VersionStore};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> io::Result<()> {
        Ok(())
    }
}

fn disk() -> FileAccess {
    FileAccess::new(Arc::new(NoVersions))
}

/// Numbers from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A tree in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tree {
    File { content: Vec<u8>, mode: u32 },
    Link(PathBuf),
    Folder { mode: u32, entries: BTreeMap<OsString, Tree> },
}

fn name(numbers: &mut Numbers) -> OsString {
    const NAMES: [&[u8]; 12] = [
        b"a",
        b"b",
        b"src",
        b"two words",
        b"line\nbreak",
        b"\xff\xfe",
        b"quo\"te",
        b"\xc3\xbc.txt",
        b"x.rs",
        b"-n",
        b"tab\t",
        b".dot",
    ];
    OsString::from_vec(NAMES[numbers.below(NAMES.len() as u64) as usize].to_vec())
}

fn leaf(numbers: &mut Numbers) -> Tree {
    let mode = [0o644, 0o755, 0o600, 0o444][numbers.below(4) as usize];
    let content = match numbers.below(7) {
        0 => Vec::new(),
        1 => b"\0binary\xff".to_vec(),
        2 => b"one\r\ntwo\r\n".to_vec(),
        3 if numbers.chance(3) => vec![b'h'; 3 << 20],
        4 => return Tree::Link(["a", "./x.rs", "nowhere"][numbers.below(3) as usize].into()),
        number => format!("line {number}\nline {}\n", numbers.below(5)).into_bytes(),
    };
    Tree::File { content, mode }
}

fn tree(numbers: &mut Numbers, depth: u64) -> BTreeMap<OsString, Tree> {
    let count = numbers.below(5);
    (0..count)
        .map(|_| {
            let here = name(numbers);
            let node = match depth > 0 && numbers.chance(40) {
                true => Tree::Folder {
                    mode: [0o755, 0o700, 0o775][numbers.below(3) as usize],
                    entries: tree(numbers, depth - 1),
                },
                false => leaf(numbers),
            };
            (here, node)
        })
        .collect()
}

/// Another tree that shares much with this one.
fn changed(numbers: &mut Numbers, from: &BTreeMap<OsString, Tree>, depth: u64) -> BTreeMap<OsString, Tree> {
    let mut entries = tree(numbers, depth);
    for (name, node) in from {
        match node {
            _ if numbers.chance(15) => {}
            // A rename.
            node if numbers.chance(10) => drop(entries.insert(self::name(numbers), node.clone())),
            Tree::Folder { mode, entries: inner } if numbers.chance(70) => {
                let mode = if numbers.chance(20) { 0o750 } else { *mode };
                let inner = changed(numbers, inner, depth.saturating_sub(1));
                entries.insert(name.clone(), Tree::Folder { mode, entries: inner });
            }
            node => drop(entries.insert(name.clone(), node.clone())),
        }
    }
    entries
}

fn write_node(at: &Path, node: &Tree) {
    match node {
        Tree::File { content, mode } => {
            fs::write(at, content).unwrap();
            fs::set_permissions(at, fs::Permissions::from_mode(*mode)).unwrap();
        }
        Tree::Link(target) => symlink(target, at).unwrap(),
        Tree::Folder { mode, entries } => {
            fs::create_dir(at).unwrap();
            entries.iter().for_each(|(name, node)| write_node(&at.join(name), node));
            fs::set_permissions(at, fs::Permissions::from_mode(*mode)).unwrap();
        }
    }
}

fn read_tree(at: &Path) -> BTreeMap<OsString, Tree> {
    let node = |path: PathBuf| {
        let about = path.symlink_metadata().unwrap();
        let mode = about.mode() & 0o7777;
        match about.file_type() {
            kind if kind.is_dir() => Tree::Folder { mode, entries: read_tree(&path) },
            kind if kind.is_symlink() => Tree::Link(fs::read_link(&path).unwrap()),
            _ => Tree::File { content: fs::read(&path).unwrap(), mode },
        }
    };
    fs::read_dir(at).unwrap().flatten().map(|entry| (entry.file_name(), node(entry.path()))).collect()
}

fn whiteout(at: &Path) {
    use rustix::fs::{CWD, FileType, Mode};
    rustix::fs::mknodat(CWD, at, FileType::CharacterDevice, Mode::empty(), 0).unwrap();
}

/// Writes the upper folder as an overlay would after these changes.
fn write_upper(numbers: &mut Numbers, upper: &Path, from: &BTreeMap<OsString, Tree>, to: &BTreeMap<OsString, Tree>) {
    from.keys().filter(|name| !to.contains_key(*name)).for_each(|name| whiteout(&upper.join(name)));
    for (name, new) in to {
        let at = upper.join(name);
        match (from.get(name), new) {
            (Some(old), new) if old == new && numbers.chance(90) => {}
            (Some(Tree::Folder { entries: old, .. }), Tree::Folder { mode, entries }) if numbers.chance(70) => {
                fs::create_dir(&at).unwrap();
                write_upper(numbers, &at, old, entries);
                fs::set_permissions(&at, fs::Permissions::from_mode(*mode)).unwrap();
            }
            (old, new) => {
                write_node(&at, new);
                if matches!((old, new), (Some(Tree::Folder { .. }), Tree::Folder { .. })) {
                    let flags = rustix::fs::XattrFlags::empty();
                    rustix::fs::setxattr(&at, "user.overlay.opaque", b"y", flags).unwrap();
                }
            }
        }
    }
}

struct Folders {
    _dir: tempfile::TempDir,
    root: PathBuf,
    upper: PathBuf,
    journals: PathBuf,
}

fn folders() -> Folders {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().canonicalize().unwrap();
    let [root, upper, journals] = ["ws", "upper", "journals"].map(|name| at.join(name));
    for folder in [&root, &upper, &journals] {
        fs::create_dir(folder).unwrap();
    }
    Folders { _dir: dir, root, upper, journals }
}

impl Folders {
    fn changes(&self) -> LayerChanges {
        collect_changes(&self.upper, &self.root, SystemTime::now() + Duration::from_secs(60)).unwrap()
    }
    fn place(&self) -> ApplyPlace<'_> {
        ApplyPlace { upper: &self.upper, root: &self.root, journals: &self.journals, durable: false }
    }
    fn assert_clean(&self) {
        assert_eq!(fs::read_dir(&self.journals).unwrap().count(), 0);
        let left = fs::read_dir(&self.root).unwrap().flatten().map(|entry| entry.file_name());
        assert_eq!(left.filter(|name| name.to_string_lossy().starts_with(".cutonce")).count(), 0);
    }
}

#[test]
fn rh_3_applied_equals_the_layer_for_random_trees() {
    for seed in 0..500 {
        let mut numbers = Numbers(seed);
        let from = tree(&mut numbers, 3);
        let to = changed(&mut numbers, &from, 3);
        let on = folders();
        from.iter().for_each(|(name, node)| write_node(&on.root.join(name), node));
        write_upper(&mut numbers, &on.upper, &from, &to);
        let found = on.changes();
        assert_eq!((&found.refused, &found.stale), (&vec![], &vec![]), "seed {seed}");
        disk().apply_layer(on.place(), &found.changes).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(read_tree(&on.root) == to, "seed {seed}: {found:#?}");
        assert_eq!(on.changes().changes, vec![], "seed {seed}");
        on.assert_clean();
    }
}

/// Files and links with their content and mode, without folders.
fn leaves(tree: &BTreeMap<OsString, Tree>, at: &Path, found: &mut BTreeMap<PathBuf, Tree>) {
    for (name, node) in tree {
        match node {
            Tree::Folder { entries, .. } => leaves(entries, &at.join(name), found),
            leaf => drop(found.insert(at.join(name), leaf.clone())),
        }
    }
}

fn all_leaves(tree: &BTreeMap<OsString, Tree>) -> BTreeMap<PathBuf, Tree> {
    let mut found = BTreeMap::new();
    leaves(tree, Path::new(""), &mut found);
    found
}

/// Git knows no empty folders, so a copy has none.
fn without_empty_folders(tree: BTreeMap<OsString, Tree>) -> BTreeMap<OsString, Tree> {
    let kept = tree.into_iter().filter_map(|(name, node)| match node {
        Tree::Folder { mode, entries } => {
            let entries = without_empty_folders(entries);
            (!entries.is_empty()).then_some((name, Tree::Folder { mode, entries }))
        }
        leaf => Some((name, leaf)),
    });
    kept.collect()
}

fn copy_rules(max_bytes: u64) -> CopyRules<'static> {
    CopyRules { max_bytes, is_stopped: &|| false, is_secret: &|path| path.ends_with(".env") }
}

#[test]
fn rh_8_applied_equals_the_copy_for_random_trees() {
    for seed in 0..500 {
        let mut numbers = Numbers(seed);
        let from = without_empty_folders(tree(&mut numbers, 3));
        let to = changed(&mut numbers, &from, 3);
        let on = folders();
        from.iter().for_each(|(name, node)| write_node(&on.root.join(name), node));
        let files: Vec<PathBuf> = all_leaves(&from).into_keys().collect();
        let place = on.upper.join("ws");
        let copy = WorkspaceCopy::new(&on.root, &place, &files, copy_rules(u64::MAX)).unwrap();
        assert!(all_leaves(&read_tree(&place)) == all_leaves(&from), "seed {seed}");
        let later = SystemTime::now() + Duration::from_secs(60);
        assert_eq!(copy.collect_changes(&on.root, later).unwrap(), LayerChanges::default(), "seed {seed}");
        fs::remove_dir_all(&place).unwrap();
        fs::create_dir(&place).unwrap();
        to.iter().for_each(|(name, node)| write_node(&place.join(name), node));
        let found = copy.collect_changes(&on.root, later).unwrap();
        assert_eq!((&found.refused, &found.stale), (&vec![], &vec![]), "seed {seed}");
        let place = ApplyPlace { upper: &place, ..on.place() };
        disk().apply_layer(place, &found.changes).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(all_leaves(&read_tree(&on.root)) == all_leaves(&to), "seed {seed}: {found:#?}");
        on.assert_clean();
    }
}

#[test]
fn rh_8_copy_has_the_same_rules() {
    let on = folders();
    for name in ["kept", "gone", "changed", "removed"] {
        fs::write(on.root.join(name), "old").unwrap();
    }
    let files: Vec<PathBuf> =
        ["kept", "gone", "changed", "removed", "../outside", ".git/config", "missing"].map(PathBuf::from).into();
    let place = on.upper.join("ws");
    let opened = SystemTime::now() + Duration::from_secs(60);
    let too_large = WorkspaceCopy::new(&on.root, &on.upper.join("small"), &files, copy_rules(10)).unwrap_err();
    assert!(too_large.to_string().contains("maxMegabytes"), "{too_large}");
    let copy = WorkspaceCopy::new(&on.root, &place, &files, copy_rules(1 << 20)).unwrap();
    assert_eq!((copy.entries(), copy.bytes), (4, 12));
    fs::write(place.join("changed"), "new").unwrap();
    fs::remove_file(place.join("removed")).unwrap();
    symlink("/etc/passwd", place.join("out")).unwrap();
    fs::hard_link(place.join("kept"), place.join("linked")).unwrap();
    fs::write(place.join("suid"), "x").unwrap();
    fs::set_permissions(place.join("suid"), fs::Permissions::from_mode(0o4755)).unwrap();
    // Someone removes a file in the workspace that the copy changed.
    fs::write(place.join("gone"), "new").unwrap();
    fs::remove_file(on.root.join("gone")).unwrap();
    let found = copy.collect_changes(&on.root, opened).unwrap();
    let names = |paths: Vec<&PathBuf>| paths.into_iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let refused = names(found.refused.iter().map(|refused| &refused.path).collect());
    assert_eq!(refused, ["kept", "linked", "out", "suid"]);
    assert_eq!(names(found.stale.iter().collect()), ["gone"]);
    let changed = names(found.changes.iter().map(|change| &change.path).collect());
    assert_eq!(changed, ["changed", "gone", "removed"]);
    fs::write(on.root.join("changed"), "mine").unwrap();
    let stale = copy.collect_changes(&on.root, SystemTime::UNIX_EPOCH).unwrap().stale;
    assert_eq!(names(stale.iter().collect()), ["changed", "gone", "removed"]);
}

/// A copy must not fill the disk, and the user can cancel it.
#[test]
fn rh_8_copy_is_bounded() {
    let on = folders();
    fs::File::create(on.root.join("hole")).unwrap().set_len(1 << 42).unwrap();
    let files = [PathBuf::from("hole")];
    let error = WorkspaceCopy::new(&on.root, &on.upper.join("ws"), &files, copy_rules(1 << 40)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    let left = fs::symlink_metadata(on.upper.join("ws/hole"));
    assert!(left.is_err(), "it is counted before it is copied");
    let stopped = CopyRules { is_stopped: &|| true, ..copy_rules(u64::MAX) };
    let error = WorkspaceCopy::new(&on.root, &on.upper.join("other"), &files, stopped).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    run_git(&on.root, &["init", "-q"]);
    fs::File::create(on.root.join(".git/large")).unwrap().set_len(1 << 42).unwrap();
    let error = WorkspaceCopy::new(&on.root, &on.upper.join("git"), &[], copy_rules(1 << 40)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
}

/// The workspace is a worktree of a bare repository: git shows the same in its copy.
#[test]
fn rh_8_git_works_in_a_copy_of_a_worktree() {
    let on = folders();
    let [bare, tree, copied] = ["bare", "tree", "copied"].map(|name| on.upper.join(name));
    fs::create_dir(&bare).unwrap();
    run_git(&bare, &["init", "-q", "--bare", "-b", "main"]);
    let empty = run_git(&bare, &["hash-object", "-w", "-t", "tree", "/dev/null"]);
    let commit = ["-c", "user.name=T", "-c", "user.email=t@example.org", "commit-tree", "-m", "first", empty.trim()];
    let first = run_git(&bare, &commit);
    run_git(&bare, &["branch", "main", first.trim()]);
    run_git(&bare, &["worktree", "add", "-q", tree.to_str().unwrap(), "main"]);
    fs::write(tree.join("staged"), "one\n").unwrap();
    run_git(&tree, &["add", "staged"]);
    fs::write(tree.join("staged"), "two\n").unwrap();
    WorkspaceCopy::new(&tree, &copied, &["staged".into()], copy_rules(1 << 30)).unwrap();
    for args in [["status", "--short", "--branch"], ["log", "--format=%H %D", "-1"], ["diff", "--no-color", "staged"]] {
        assert_eq!(run_git(&copied, &args), run_git(&tree, &args), "{args:?}");
    }
    // A repository can't have another folder copied.
    let other = on.upper.join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("HEAD"), "x").unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", other.display())).unwrap();
    WorkspaceCopy::new(&tree, &on.upper.join("second"), &[], copy_rules(1 << 30)).unwrap();
    assert!(!on.upper.join("second/.git").exists());
}

#[test]
fn rh_8_copy_has_no_secrets() {
    let on = folders();
    fs::write(on.root.join(".env"), "KEY=secret").unwrap();
    let place = on.upper.join("ws");
    let copy = WorkspaceCopy::new(&on.root, &place, &[".env".into()], copy_rules(1 << 20)).unwrap();
    assert_eq!(fs::read(place.join(".env")).unwrap(), b"");
    fs::set_permissions(place.join(".env"), fs::Permissions::from_mode(0o640)).unwrap();
    let later = SystemTime::now() + Duration::from_secs(60);
    assert_eq!(copy.collect_changes(&on.root, later).unwrap(), LayerChanges::default());
    fs::write(place.join(".env"), "KEY=new").unwrap();
    assert_eq!(copy.collect_changes(&on.root, later).unwrap().changes.len(), 1);
}

#[test]
fn rh_3_changed_file_underneath_applies_nothing() {
    let on = folders();
    for name in ["a", "b"] {
        fs::write(on.root.join(name), "old").unwrap();
        fs::write(on.upper.join(name), "new").unwrap();
    }
    fs::create_dir(on.upper.join("made")).unwrap();
    let found = on.changes();
    fs::write(on.root.join("b"), "mine").unwrap();
    let error = disk().apply_layer(on.place(), &found.changes).unwrap_err();
    assert_eq!(error.to_string(), "these files changed in the workspace meanwhile: b");
    assert_eq!(fs::read(on.root.join("a")).unwrap(), b"old");
    assert!(!on.root.join("made").exists());
    on.assert_clean();
    let stale = collect_changes(&on.upper, &on.root, SystemTime::UNIX_EPOCH).unwrap().stale;
    assert_eq!(stale, [PathBuf::from("a"), "b".into()]);
}

/// Between the comparison and the renames someone saves a file.
#[test]
fn rh_3_file_saved_after_the_comparison_is_kept() {
    let on = folders();
    for name in ["a", "b"] {
        fs::write(on.root.join(name), "old").unwrap();
        fs::write(on.upper.join(name), "new").unwrap();
    }
    let changes = on.changes().changes;
    let file = journal::JournalFile::open(&on.journals, &on.root, false).unwrap();
    let compared = apply::compare(on.place(), &changes).unwrap();
    fs::write(on.root.join("b"), "mine").unwrap();
    let error = apply::apply_compared(on.place(), &file, (&changes, &compared), None).unwrap_err();
    assert_eq!(error.to_string(), "these files changed in the workspace meanwhile: b");
    let now = ["a", "b"].map(|name| fs::read_to_string(on.root.join(name)).unwrap());
    assert_eq!(now, ["old", "mine"]);
    on.assert_clean();
}

/// The last of several steps fails: those before it are undone.
#[test]
fn rh_3_failed_step_undoes_the_others() {
    let on = folders();
    fs::create_dir(on.root.join("old")).unwrap();
    fs::write(on.root.join("old/file"), "old").unwrap();
    fs::write(on.root.join("kept"), "old").unwrap();
    let before = read_tree(&on.root);
    whiteout(&on.upper.join("old"));
    fs::write(on.upper.join("kept"), "new").unwrap();
    fs::create_dir(on.upper.join("made")).unwrap();
    fs::write(on.upper.join("made/file"), "new").unwrap();
    let mut found = on.changes();
    // A folder with something in it can't make room for a file.
    fs::create_dir_all(on.root.join("z/in")).unwrap();
    fs::set_permissions(on.root.join("z"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(on.upper.join("z"), "new").unwrap();
    let new = on.changes().changes.into_iter().find(|change| change.path == Path::new("z")).unwrap();
    found.changes.push(new);
    let error = disk().apply_layer(on.place(), &found.changes).unwrap_err();
    assert!(error.to_string().starts_with("can't change z: "), "{error}");
    fs::remove_dir_all(on.root.join("z")).unwrap();
    assert!(read_tree(&on.root) == before);
    on.assert_clean();
}

#[test]
fn rh_3_dangerous_entries_are_refused() {
    let on = folders();
    fs::write(on.root.join("kept"), "old").unwrap();
    symlink("/etc", on.root.join("etc")).unwrap();
    fs::write(on.upper.join("suid"), "x").unwrap();
    fs::set_permissions(on.upper.join("suid"), fs::Permissions::from_mode(0o4755)).unwrap();
    fs::write(on.upper.join("kept"), "new").unwrap();
    fs::hard_link(on.upper.join("kept"), on.upper.join("linked")).unwrap();
    fs::create_dir(on.upper.join("d")).unwrap();
    for (link, target) in [("out", "/etc/passwd"), ("d/up", "../../x"), ("through", "etc/passwd"), ("d/ok", "../kept")]
    {
        symlink(target, on.upper.join(link)).unwrap();
    }
    rustix::fs::mknodat(rustix::fs::CWD, on.upper.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let found = on.changes();
    let names = |paths: Vec<&Path>| paths.into_iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let refused = names(found.refused.iter().map(|refused| refused.path.as_path()).collect());
    assert_eq!(refused, ["d/up", "kept", "linked", "out", "pipe", "suid", "through"]);
    assert_eq!(names(found.changes.iter().map(|change| change.path.as_path()).collect()), ["d", "d/ok"]);
    disk().apply_layer(on.place(), &found.changes).unwrap();
    assert_eq!(fs::read(on.root.join("kept")).unwrap(), b"old");
}

/// The text of a link is not enough: `p` leads to its own folder, so that `p/p/../..` leads out.
#[test]
fn rh_3_links_can_not_lead_out_together() {
    let on = folders();
    let inside = |rest: &str| format!("{}/{rest}", on.root.display());
    let hostile = [
        ("a", inside("../../etc/passwd")),
        ("b", "p/p/p/../../../etc".to_string()),
        ("c", inside("p/../../etc")),
        ("d/e", "x/../../../y".to_string()),
    ];
    let fine = [("p", ".".to_string()), ("q", inside("d/f")), ("d/r", "./../p/new".to_string())];
    fs::create_dir(on.upper.join("d")).unwrap();
    for (link, target) in hostile.iter().chain(&fine) {
        symlink(target, on.upper.join(link)).unwrap();
    }
    let found = on.changes();
    let refused: Vec<&Path> = found.refused.iter().map(|refused| refused.path.as_path()).collect();
    assert_eq!(refused, hostile.each_ref().map(|(link, _)| Path::new(*link)));
    assert_eq!(found.changes.len(), fine.len() + 1);
}

/// Hashing and copying holes would take hours and fill the disk.
#[test]
fn rh_5_files_with_huge_holes_are_refused() {
    let on = folders();
    for name in ["hole1", "hole2"] {
        let file = fs::File::create(on.upper.join(name)).unwrap();
        file.set_len(1 << 42).unwrap();
    }
    fs::write(on.upper.join("small"), "x").unwrap();
    let found = on.changes();
    assert_eq!((found.refused.len(), found.changes.len()), (2, 1));
}

/// A journal from elsewhere names other folders than this workspace's.
#[test]
fn rh_3_journals_of_other_folders_are_refused() {
    let on = folders();
    let victim = on.journals.join("victim");
    fs::create_dir(&victim).unwrap();
    let hex = |path: &Path| to_hex(path.as_os_str().as_encoded_bytes());
    let file = journal::JournalFile::path_for(&on.journals, &on.root);
    let staging = on.root.join(".cutonce-apply-1-0");
    let step = serde_json::json!({ "MakeFolder": { "path": hex(Path::new("../up")) } });
    for (root, staging, steps) in [
        (&on.root, &victim, vec![]),
        (&on.journals, &staging, vec![]),
        (&on.root, &on.root.join("kept"), vec![]),
        (&on.root, &staging, vec![step]),
    ] {
        let journal = serde_json::json!({
            "state": "Applied", "root": hex(root), "staging": hex(staging), "steps": steps,
        });
        fs::write(&file, journal.to_string()).unwrap();
        let error = recover_apply(&on.journals, &on.root).unwrap_err().to_string();
        assert!(error.contains("does not belong to this workspace"), "{error}");
        assert!(victim.is_dir());
    }
}

/// `git clean` removes the staging folder after a kill: that must not stop every later start.
#[test]
fn rh_3_lost_staging_folder_is_told_once() {
    let on = folders();
    let file = journal::JournalFile::open(&on.journals, &on.root, false).unwrap();
    let staging = on.root.join(".cutonce-apply-1-0");
    let journal = journal::ApplyJournal {
        state: journal::JournalState::Commit,
        root: journal::JournalPath(on.root.clone()),
        staging: journal::JournalPath(staging.clone()),
        steps: Vec::new(),
    };
    file.write(&journal).unwrap();
    drop(file);
    let error = recover_apply(&on.journals, &on.root).unwrap_err().to_string();
    assert!(error.contains(".cutonce-apply-1-0 with the new files is gone"), "{error}");
    assert_eq!(recover_apply(&on.journals, &on.root).unwrap(), None);
    on.assert_clean();
    let file = journal::JournalFile::open(&on.journals, &on.root, false).unwrap();
    file.write(&journal).unwrap();
    drop(file);
    let around = on.root.parent().unwrap();
    sweep_journals(&on.journals, around);
    assert_eq!(fs::read_dir(&on.journals).unwrap().count(), 1, "its workspace is there");
    fs::remove_dir(&on.root).unwrap();
    sweep_journals(&on.journals, &on.upper);
    assert_eq!(fs::read_dir(&on.journals).unwrap().count(), 1, "it is no copy");
    sweep_journals(&on.journals, around);
    assert_eq!(fs::read_dir(&on.journals).unwrap().count(), 0);
}

fn run_git(root: &Path, args: &[&str]) -> String {
    let done =
        std::process::Command::new("git").args(["-c", "core.fsync=none", "-C"]).arg(root).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {done:?}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// The lines of a diff without what git adds: the blobs' names, and the function's name in a hunk's header.
fn plain_diff(text: &str) -> Vec<String> {
    let cut = |line: &str| match line.find(" @@") {
        Some(at) if line.starts_with("@@") => line[..at].to_string(),
        _ => line.to_string(),
    };
    text.split('\n').filter(|line| !line.starts_with("index ")).map(cut).collect()
}

/// All random trees in one folder, before and after their changes. The numbers go on from the last tree.
fn many_trees() -> (BTreeMap<OsString, Tree>, BTreeMap<OsString, Tree>, Numbers) {
    let (mut from, mut to, mut numbers) = (BTreeMap::new(), BTreeMap::new(), Numbers(0));
    for seed in 0..500 {
        numbers = Numbers(seed);
        let (old, folder) = (tree(&mut numbers, 3), |entries| Tree::Folder { mode: 0o755, entries });
        let new = changed(&mut numbers, &old, 3);
        from.insert(OsString::from(format!("t{seed}")), folder(old));
        to.insert(OsString::from(format!("t{seed}")), folder(new));
    }
    (from, to, numbers)
}

/// The parts of a diff, one for each file, in an order that does not depend on how names are sorted. Git does not know
/// modes like 0600, of which we show a header.
fn parts_by_file(text: &str) -> Vec<Vec<String>> {
    let mut parts: Vec<Vec<String>> = Vec::new();
    for line in plain_diff(text) {
        match parts.last_mut() {
            Some(part) if !line.starts_with("diff --git ") => part.push(line),
            _ => parts.push(vec![line]),
        }
    }
    parts.iter_mut().for_each(|part| part.retain(|line| !line.is_empty()));
    parts.retain(|part| part.len() > 1);
    parts.sort();
    parts
}

/// Applies changes of a repository whose content is in git's index; git then shows the diff that was shown before.
fn assert_git_shows_the_diff(on: &Folders, upper: &Path, changes: &[LayerChange]) {
    let before = run_git(&on.root, &["write-tree"]);
    let ours = diff_changes(changes, upper, &on.root);
    disk().apply_layer(ApplyPlace { upper, ..on.place() }, changes).unwrap();
    run_git(&on.root, &["add", "-A"]);
    let args = ["-c", "core.quotePath=true", "diff", "--cached", "--no-renames", "--no-color", before.trim()];
    let (ours, shown) = (parts_by_file(&ours.text), parts_by_file(&run_git(&on.root, &args)));
    let differs = ours.iter().zip(&shown).find(|(ours, shown)| ours != shown);
    assert!(ours.len() > 1_000 && differs.is_none() && ours.len() == shown.len(), "{differs:?}");
    on.assert_clean();
}

#[test]
fn rh_2_git_shows_the_diff_of_random_trees() {
    let (from, to, mut numbers) = many_trees();
    let on = folders();
    from.iter().for_each(|(name, node)| write_node(&on.root.join(name), node));
    write_upper(&mut numbers, &on.upper, &from, &to);
    run_git(&on.root, &["init", "-q"]);
    run_git(&on.root, &["add", "-A"]);
    assert_git_shows_the_diff(&on, &on.upper, &on.changes().changes);
}

#[test]
fn rh_8_git_shows_the_diff_of_a_copy() {
    let (from, to, _) = many_trees();
    let on = folders();
    from.iter().for_each(|(name, node)| write_node(&on.root.join(name), node));
    run_git(&on.root, &["init", "-q"]);
    run_git(&on.root, &["add", "-A"]);
    let files: Vec<PathBuf> = all_leaves(&from).into_keys().collect();
    let place = on.upper.join("ws");
    let copy = WorkspaceCopy::new(&on.root, &place, &files, copy_rules(u64::MAX)).unwrap();
    for name in from.keys() {
        let _ = fs::remove_dir_all(place.join(name));
    }
    to.iter().for_each(|(name, node)| write_node(&place.join(name), node));
    let later = SystemTime::now() + Duration::from_secs(60);
    let found = copy.collect_changes(&on.root, later).unwrap();
    assert_git_shows_the_diff(&on, &place, &found.changes);
}

/// Git shows the same diff after the changes were applied.
#[test]
fn rh_2_diff_is_what_git_shows() {
    let on = folders();
    let git = |args: &[&str]| run_git(&on.root, args);
    git(&["init", "-q"]);
    let lines = (1..=40).map(|line| format!("line {line}\n")).collect::<String>();
    let files: [(&str, &[u8]); 6] = [
        ("change me.txt", lines.as_bytes()),
        ("gone", b"x\n"),
        ("mode.sh", b"#!/bin/sh\n"),
        ("bin", b"\0\x01"),
        ("link-to-be", b"file"),
        ("ü\n", b"odd\n"),
    ];
    files.iter().for_each(|(name, content)| fs::write(on.root.join(name), content).unwrap());
    git(&["add", "."]);
    fs::write(on.upper.join("change me.txt"), lines.replace("line 7\n", "seven\n").replace("line 40\n", "end"))
        .unwrap();
    whiteout(&on.upper.join("gone"));
    fs::write(on.upper.join("mode.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(on.upper.join("mode.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(on.upper.join("bin"), b"\0\x02").unwrap();
    symlink("gone", on.upper.join("link-to-be")).unwrap();
    fs::write(on.upper.join("ü\n"), "odder\n").unwrap();
    fs::write(on.upper.join("new"), "made\n").unwrap();
    fs::write(on.upper.join("empty"), "").unwrap();
    let found = on.changes();
    let ours = diff_changes(&found.changes, &on.upper, &on.root);
    disk().apply_layer(on.place(), &found.changes).unwrap();
    git(&["add", "-N", "new", "empty"]);
    let shown = git(&["-c", "core.quotePath=true", "diff", "--no-renames", "--no-color"]);
    assert_eq!(plain_diff(&ours.text), plain_diff(&shown));
    let kinds: Vec<_> = ours.files.iter().map(|file| (file.kind, file.added, file.removed)).collect();
    assert_eq!(kinds[1], (DiffedKind::Change, 2, 2), "{:?}", ours.files);
    assert_eq!(kinds.iter().filter(|(kind, ..)| *kind == DiffedKind::New).count(), 2);
}

/// A kill can leave half a state behind; earlier versions wrote one without a line end.
#[test]
fn rh_3_half_written_states_do_not_count() {
    let on = folders();
    let (path, file) = (
        journal::JournalFile::path_for(&on.journals, &on.root),
        journal::JournalFile::open(&on.journals, &on.root, false).unwrap(),
    );
    let state = |state| journal::ApplyJournal {
        state,
        root: journal::JournalPath(on.root.clone()),
        staging: journal::JournalPath(on.root.join(".cutonce-apply-1-0")),
        steps: Vec::new(),
    };
    let read = || file.read().unwrap().map(|journal| journal.state);
    fs::write(&path, "{\"state\":\"Comm").unwrap();
    assert_eq!(read(), None);
    let staging = on.root.join(".cutonce-apply-1-0");
    fs::create_dir_all(staging.join("in")).unwrap();
    fs::create_dir(on.root.join(".cutonce-apply-mine")).unwrap();
    drop(file);
    assert_eq!(recover_apply(&on.journals, &on.root).unwrap(), None);
    assert!(!staging.exists() && on.root.join(".cutonce-apply-mine").exists() && !path.exists());
    let file = journal::JournalFile::open(&on.journals, &on.root, false).unwrap();
    let read = || file.read().unwrap().map(|journal| journal.state);
    file.write(&state(journal::JournalState::Staging)).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{}", &whole[..whole.len() / 2])).unwrap();
    assert_eq!(read(), Some(journal::JournalState::Staging));
    file.write(&state(journal::JournalState::Commit)).unwrap();
    assert_eq!(read(), Some(journal::JournalState::Commit));
    fs::write(&path, whole.trim_end()).unwrap();
    assert_eq!(read(), Some(journal::JournalState::Staging));
    file.write(&state(journal::JournalState::Applied)).unwrap();
    assert_eq!(read(), Some(journal::JournalState::Applied));
    fs::write(&path, "no journal\n").unwrap();
    assert!(file.read().is_err());
}

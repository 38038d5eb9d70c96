//! A program that is killed while it applies changes: after the next start all of them are there, or none (RH-3).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use cutonce_tools::disk::layer::{ApplyPlace, CopyRules, WorkspaceCopy, collect_changes, recover_apply};
use cutonce_tools::disk::{FileAccess, VersionStore};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

const FOLDER: &str = "CUTONCE_TEST_APPLY_IN";
/// `CUTONCE_TEST_KILLS=1000` for the long run.
const KILLS: &str = "CUTONCE_TEST_KILLS";
const FILES: usize = 60;
/// What the killed process does.
const WORK: &str = "CUTONCE_TEST_APPLY_WORK";
const APPLY_LAYER: &str = "layer";
/// In place of an overlay's upper folder, it applies a private copy with the same changes (RH-8).
const APPLY_COPY: &str = "copy";
const RECOVER: &str = "recover";

struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

fn folders(base: &Path) -> [PathBuf; 3] {
    ["ws", "upper", "journals"].map(|name| base.join(name))
}

/// The work of the process that the test kills.
fn apply_as_child(base: &Path) {
    let [root, mut upper, journals] = folders(base);
    let found = match std::env::var(WORK).unwrap().as_str() {
        RECOVER => {
            fs::write(base.join("started"), "").unwrap();
            recover_apply(&journals, &root).unwrap();
            return;
        }
        APPLY_COPY => {
            let copy = copy_with_changes(&root, &upper, &base.join("copy"));
            upper = copy.folder().to_path_buf();
            copy.collect_changes(&root, SystemTime::now()).unwrap()
        }
        _ => collect_changes(&upper, &root, SystemTime::now()).unwrap(),
    };
    let place = ApplyPlace { upper: &upper, root: &root, journals: &journals, durable: false };
    fs::write(base.join("started"), "").unwrap();
    FileAccess::new(Arc::new(NoVersions)).apply_layer(place, &found.changes).unwrap();
}

/// Copies the workspace, and makes the changes of the upper folder there.
fn copy_with_changes(root: &Path, upper: &Path, to: &Path) -> WorkspaceCopy {
    let files: Vec<PathBuf> =
        content(root).into_iter().filter_map(|(path, bytes)| bytes.is_some().then_some(path)).collect();
    let rules = CopyRules { max_bytes: u64::MAX, is_stopped: &|| false, is_secret: &|_| false };
    let copy = WorkspaceCopy::new(root, to, &files, rules).unwrap();
    fs::remove_dir_all(to.join("old")).unwrap();
    fs::create_dir_all(to.join("made/deep")).unwrap();
    for entry in fs::read_dir(upper).unwrap().flatten().filter(|entry| entry.file_type().unwrap().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    for entry in fs::read_dir(upper.join("made/deep")).unwrap().flatten() {
        fs::copy(entry.path(), to.join("made/deep").join(entry.file_name())).unwrap();
    }
    copy
}

fn make_trees(base: &Path) {
    let [root, upper, journals] = folders(base);
    for folder in [&root, &upper, &journals, &root.join("old"), &upper.join("made"), &upper.join("made/deep")] {
        fs::create_dir(folder).unwrap();
    }
    for n in 0..FILES {
        let (old, new) = (format!("old {n}\n"), format!("new {n}\n").repeat(50));
        match n % 3 {
            0 => fs::write(root.join(format!("changed-{n}")), &old).unwrap(),
            1 => fs::write(root.join(format!("old/gone-{n}")), &old).unwrap(),
            _ => {}
        }
        match n % 3 {
            0 => fs::write(upper.join(format!("changed-{n}")), &new).unwrap(),
            1 => {}
            _ => fs::write(upper.join(format!("made/deep/new-{n}")), &new).unwrap(),
        }
    }
    let (kind, mode) = (rustix::fs::FileType::CharacterDevice, rustix::fs::Mode::empty());
    rustix::fs::mknodat(rustix::fs::CWD, upper.join("old"), kind, mode, 0).unwrap();
}

/// Files with their bytes, and folders.
type Content = BTreeMap<PathBuf, Option<Vec<u8>>>;

fn content(root: &Path) -> Content {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let inside = path.strip_prefix(root).unwrap().to_path_buf();
            if path.is_dir() {
                found.insert(inside, None);
                open.push(path);
            } else {
                found.insert(inside, Some(fs::read(&path).unwrap()));
            }
        }
    }
    found
}

/// Starts the child and kills it after `delay`, counted from when it begins to apply. Returns how long it lived.
fn run_child(base: &Path, work: &str, delay: Option<Duration>) -> Duration {
    let _ = fs::remove_file(base.join("started"));
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "rh_3_killed_apply_leaves_all_or_none"])
        .env(FOLDER, base)
        .env(WORK, work)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !base.join("started").exists() {
        assert!(child.try_wait().unwrap().is_none_or(|ended| ended.success()));
        std::hint::spin_loop();
    }
    let started = Instant::now();
    match delay {
        Some(delay) => {
            while started.elapsed() < delay {
                std::hint::spin_loop();
            }
            let _ = child.kill();
        }
        None => assert!(child.wait().unwrap().success()),
    }
    child.wait().unwrap();
    started.elapsed()
}

#[test]
fn rh_3_killed_apply_leaves_all_or_none() {
    // The test starts itself as the program that it kills.
    if let Some(base) = std::env::var_os(FOLDER) {
        return apply_as_child(Path::new(&base));
    }
    let kills: u64 = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(60);
    let first = tempfile::tempdir().unwrap();
    let base = first.path().canonicalize().unwrap();
    make_trees(&base);
    let none = content(&base.join("ws"));
    let longest = run_child(&base, APPLY_LAYER, None);
    let all = content(&base.join("ws"));
    assert_eq!(all.len(), 2 * FILES / 3 + 2, "files and two folders");
    let (mut completed, mut undone) = (0_u64, 0_u64);
    for seed in 0..kills {
        // Spread over the time that it takes, in an order that looks random.
        let part = (seed * 7_919 + 13) % kills;
        let delay = longest.mul_f64(part as f64 / kills as f64);
        let work = if seed % 2 == 1 { APPLY_COPY } else { APPLY_LAYER };
        match kill_and_recover(delay, work, &none, &all) {
            true => completed += 1,
            false => undone += 1,
        }
    }
    // Load shifts the points, so the two ends are tried until each was seen.
    let mut late = longest;
    while completed == 0 {
        late *= 2;
        assert!(late < Duration::from_secs(600), "no kill came after the end");
        completed += u64::from(kill_and_recover(late, APPLY_LAYER, &none, &all));
    }
    undone += u64::from(!kill_and_recover(Duration::ZERO, APPLY_LAYER, &none, &all));
    assert!(undone > 0, "{undone} undone, {completed} completed");
}

/// Kills an application after `delay`, and then a recovery, recovers, and returns whether all changes are there; else
/// none is.
fn kill_and_recover(delay: Duration, work: &str, none: &Content, all: &Content) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    make_trees(&base);
    let [root, _, journals] = folders(&base);
    run_child(&base, work, Some(delay));
    if delay.subsec_nanos().is_multiple_of(3) {
        run_child(&base, RECOVER, Some(delay / 4));
    }
    recover_apply(&journals, &root).unwrap();
    let now = content(&root);
    assert!(now == *none || now == *all, "kill after {delay:?}: neither all nor none: {:?}", now.keys());
    assert_eq!(fs::read_dir(&journals).unwrap().count(), 0, "kill after {delay:?}");
    assert!(recover_apply(&journals, &root).unwrap().is_none());
    now == *all
}

//! Applying on a full disk, in a read-only folder, and over a mount (RH-3): nothing is applied, and the error names the
//! place. The file systems are real: each test starts itself again in a mount namespace of its own.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use cutonce_tools::disk::layer::{ApplyPlace, collect_changes};
use cutonce_tools::disk::{FileAccess, VersionStore};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const FOLDER: &str = "CUTONCE_TEST_APPLY_ON";

struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs `work` in a namespace where `mounts`, a shell script, has run in the test's folder.
fn with_mounts(test: &str, mounts: &str, work: impl FnOnce(&Path)) {
    if let Some(base) = std::env::var_os(FOLDER) {
        return work(Path::new(&base));
    }
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    for folder in ["ws", "ws/sub", "upper", "upper/sub", "journals"] {
        fs::create_dir(base.join(folder)).unwrap();
    }
    let script = format!("cd {} && {mounts} && exec \"$@\"", base.display());
    let ended = Command::new("unshare")
        .args(["--map-root-user", "--mount", "bash", "-ec", &script, "bash"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(FOLDER, &base)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && told.contains("1 passed"), "{told}");
}

fn content(root: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
            let is_folder = path.is_dir();
            found.insert(path.clone(), (!is_folder).then(|| fs::read(&path).unwrap()));
            open.extend(is_folder.then_some(path));
        }
    }
    found
}

/// Applies the upper folder. Returns the error; the workspace is as it was, and no journal is left.
fn apply_fails(base: &Path) -> String {
    let [root, upper, journals] = ["ws", "upper", "journals"].map(|name| base.join(name));
    let before = content(&root);
    let found = collect_changes(&upper, &root, SystemTime::now() + Duration::from_secs(60)).unwrap();
    let place = ApplyPlace { upper: &upper, root: &root, journals: &journals, durable: true };
    let error = FileAccess::new(Arc::new(NoVersions)).apply_layer(place, &found.changes).unwrap_err();
    assert_eq!(content(&root), before);
    assert_eq!(fs::read_dir(&journals).unwrap().count(), 0);
    error.message()
}

#[test]
fn rh_3_full_disk_applies_nothing() {
    let mounts = "mount -t tmpfs -o size=256k none ws && mkdir ws/sub";
    with_mounts("rh_3_full_disk_applies_nothing", mounts, |base| {
        fs::write(base.join("ws/a"), "old").unwrap();
        fs::write(base.join("upper/a"), "new").unwrap();
        fs::write(base.join("upper/sub/large"), vec![b'x'; 1 << 20]).unwrap();
        let message = apply_fails(base);
        assert!(
            message.starts_with("Nothing was applied: can't write ") && message.contains("ws/sub/large"),
            "{message}"
        );
        assert!(message.contains("No space left"), "{message}");
    });
}

#[test]
fn rh_3_read_only_folder_applies_nothing() {
    let mounts =
        "echo old > ws/a && echo old > ws/sub/b && mount --bind ws/sub ws/sub && mount -o remount,ro,bind ws/sub";
    with_mounts("rh_3_read_only_folder_applies_nothing", mounts, |base| {
        fs::write(base.join("upper/a"), "new").unwrap();
        fs::write(base.join("upper/sub/b"), "new").unwrap();
        let message = apply_fails(base);
        assert!(message.starts_with("Nothing was applied: ") && message.contains("sub/b"), "{message}");
    });
}

#[test]
fn rh_3_read_only_workspace_applies_nothing() {
    let mounts = "echo old > ws/a && mount --bind ws ws && mount -o remount,ro,bind ws";
    with_mounts("rh_3_read_only_workspace_applies_nothing", mounts, |base| {
        fs::write(base.join("upper/a"), "new").unwrap();
        let message = apply_fails(base);
        assert!(message.contains("Read-only file system") && message.contains("/ws"), "{message}");
    });
}

#[test]
fn rh_3_other_file_system_inside_applies_nothing() {
    let mounts = "echo old > ws/a && mount -t tmpfs none ws/sub && echo old > ws/sub/b";
    with_mounts("rh_3_other_file_system_inside_applies_nothing", mounts, |base| {
        fs::write(base.join("upper/a"), "new").unwrap();
        fs::write(base.join("upper/sub/b"), "new").unwrap();
        let message = apply_fails(base);
        assert!(message.contains("another file system") && message.contains("ws/sub"), "{message}");
    });
}

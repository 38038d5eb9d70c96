use super::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new(files: &[&str]) -> World {
        Self::on(tempfile::tempdir().unwrap(), files)
    }
    fn on(dir: tempfile::TempDir, files: &[&str]) -> World {
        let root = dir.path().canonicalize().unwrap().join("ws");
        fs::create_dir(&root).unwrap();
        let world = World { _dir: dir, root };
        for file in files {
            world.put(file, "old");
        }
        world
    }
    fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
    fn enter(&self) -> WorkspaceSnapshot {
        let snapshot = WorkspaceSnapshot::start(vec![self.root.clone()], now());
        snapshot.inner.tree.wait();
        snapshot
    }
    async fn lines(&self, snapshot: &WorkspaceSnapshot, except: &[&Path]) -> Vec<String> {
        let except = except.iter().map(|path| path.to_path_buf()).collect();
        snapshot.start_comparison(except).await.unwrap().lines(&self.root, 100)
    }
}

/// Anything created earlier has an earlier ctime: file clocks lag by up to a tick.
fn now() -> SystemTime {
    SystemTime::now()
}

/// A moment before everything the test did.
fn long_ago() -> SystemTime {
    SystemTime::now() - Duration::from_secs(3600)
}

#[tokio::test]
async fn pm_87_every_change_is_found() {
    let world = World::new(&["same", "grows", "replaced", "touched", "chmod", "gone", "deep/a/b", "ignored/x"]);
    world.put(".gitignore", "ignored/\n");
    symlink("same", world.root.join("link")).unwrap();
    let snapshot = world.enter();
    assert_eq!(world.lines(&snapshot, &[]).await, Vec::<String>::new());
    world.put("grows", "new and longer");
    // Same bytes and mtime, but another inode.
    let (old, new) = (world.root.join("replaced"), world.root.join("new"));
    fs::write(&new, "old").unwrap();
    let times = fs::FileTimes::new().set_modified(fs::metadata(&old).unwrap().modified().unwrap());
    fs::File::options().write(true).open(&new).unwrap().set_times(times).unwrap();
    fs::rename(&new, &old).unwrap();
    // Changed, with its mtime reset: the ctime reveals it.
    let path = world.root.join("touched");
    let times = fs::FileTimes::new().set_modified(fs::metadata(&path).unwrap().modified().unwrap());
    fs::write(&path, "OLD").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
    fs::set_permissions(world.root.join("chmod"), fs::Permissions::from_mode(0o711)).unwrap();
    fs::remove_file(world.root.join("gone")).unwrap();
    fs::remove_dir_all(world.root.join("deep")).unwrap();
    world.put("ignored/x", "changed");
    world.put("ignored/new/y", "new");
    fs::remove_file(world.root.join("link")).unwrap();
    symlink("gone", world.root.join("link")).unwrap();
    let expected = [
        "chmod",
        "deep/a/b (deleted)",
        "gone (deleted)",
        "grows",
        "ignored/new/y (new)",
        "ignored/x",
        "link",
        "replaced",
        "touched",
    ];
    assert_eq!(world.lines(&snapshot, &[]).await, expected);
    let changes = snapshot.start_comparison(Vec::new()).await.unwrap();
    assert_eq!((changes.total, changes.checked), (9, 9));
    assert_eq!(changes.lines(&world.root, 2), ["chmod", "deep/a/b (deleted)", "… and 7 more"]);
}

#[tokio::test]
async fn pm_87_only_the_plan_file_is_excluded() {
    let world = World::new(&["src/a"]);
    let snapshot = world.enter();
    let plan = world.put("docs/plans/p.md", "# P");
    assert_eq!(world.lines(&snapshot, &[&plan]).await, Vec::<String>::new());
    world.put("docs/plans/p.md.txt", "x");
    world.put("docs/plans/q.md", "x");
    assert_eq!(world.lines(&snapshot, &[&plan]).await, ["docs/plans/p.md.txt (new)", "docs/plans/q.md (new)"]);
    assert_eq!(world.lines(&snapshot, &[&world.root.join("docs")]).await, Vec::<String>::new());
}

#[tokio::test]
async fn pm_87_git_changes_are_one_line() {
    let world = World::new(&[".git/HEAD", ".git/objects/aa/1", ".git/index", "sub/.git/HEAD", "tree/.git"]);
    let snapshot = world.enter();
    world.put(".git/HEAD", "changed");
    world.put(".git/objects/bb/2", "new");
    fs::remove_file(world.root.join(".git/index")).unwrap();
    world.put("sub/.git/HEAD", "changed");
    world.put("tree/.git", "gitdir: elsewhere");
    assert_eq!(world.lines(&snapshot, &[]).await, [".git (3 files)", "sub/.git (1 file)", "tree/.git"]);
    assert_eq!(snapshot.start_comparison(Vec::new()).await.unwrap().total, 5);
    // In a workspace inside a `.git` folder, not everything belongs to git.
    let inner = WorkspaceSnapshot::start(vec![world.root.join(".git/objects")], now());
    inner.inner.tree.wait();
    world.put(".git/objects/aa/1", "changed");
    let changes = inner.start_comparison(Vec::new()).await.unwrap();
    assert_eq!(changes.lines(&world.root.join(".git/objects"), 9), ["aa/1"]);
}

#[tokio::test]
async fn pm_87_changes_before_the_walk_are_found() {
    let world = World::new(&["a", "deep/b", "quiet/c"]);
    // Like after a resume: entry was long ago, so everything here came later.
    let snapshot = WorkspaceSnapshot::start(vec![world.root.clone()], long_ago());
    assert_eq!(world.lines(&snapshot, &[]).await, ["a", "deep/b", "quiet/c"]);
    // Where only a removal is possible, the folder is reported; where the plan was written, it is not.
    fs::remove_file(world.root.join("quiet/c")).unwrap();
    let plan = world.put("plans/p.md", "# P");
    let snapshot = WorkspaceSnapshot::start(vec![world.root.clone()], long_ago());
    assert_eq!(world.lines(&snapshot, &[&plan]).await, ["a", "deep/b", "quiet/ (files were added or removed)"]);
}

#[tokio::test]
async fn pm_87_unreadable_folders_are_reported() {
    let world = World::new(&["a", "sub/b"]);
    let missing = world.root.with_file_name("missing");
    let snapshot = WorkspaceSnapshot::start(vec![world.root.clone(), missing.clone()], now());
    let changes = snapshot.start_comparison(Vec::new()).await.unwrap();
    assert_eq!(changes.files, []);
    let lines = changes.unseen_lines(&world.root);
    assert!(lines.len() == 1 && lines[0].contains("missing/ was not compared: No such file"), "{lines:?}");
    // Another file system mounted over a folder hides its files; they are not deleted.
    let over = world.root.join("sub");
    let mounted = std::process::Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(&over).output();
    if mounted.is_ok_and(|output| output.status.success()) {
        let changes = snapshot.start_comparison(Vec::new()).await;
        let _ = std::process::Command::new("umount").arg("-l").arg(&over).status();
        let changes = changes.unwrap();
        assert_eq!(changes.files, []);
        assert!(changes.unseen.contains(&(over, walk::UnseenReason::OtherFileSystem)), "{changes:?}");
    }
}

#[tokio::test]
async fn pm_87_strange_names_and_outside_links() {
    let world = World::new(&["a"]);
    let outside = world.root.with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x"), "1").unwrap();
    symlink(&outside, world.root.join("out")).unwrap();
    symlink(".", world.root.join("loop")).unwrap();
    let snapshot = world.enter();
    fs::write(outside.join("x"), "22").unwrap();
    assert_eq!(world.lines(&snapshot, &[]).await, Vec::<String>::new());
    world.put("two\nlines\x1b[31m", "x");
    let odd = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff.txt");
    fs::write(world.root.join::<&std::ffi::OsStr>(odd), "x").unwrap();
    assert_eq!(world.lines(&snapshot, &[]).await, ["two\\nlines\\u{1b}[31m (new)", "\u{fffd}.txt (new)"]);
}

#[tokio::test]
async fn pm_87_fifty_thousand_files() {
    // In memory if possible: creating the files takes most of the time.
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let world = World::on(dir, &[]);
    for folder in 0..500 {
        let folder = world.root.join(format!("{}/{folder}", folder % 20));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..100 {
            fs::File::create(folder.join(format!("file-{file}"))).unwrap();
        }
    }
    let snapshot = world.enter();
    world.put("7/7/file-7", "changed");
    fs::remove_file(world.root.join("19/499/file-99")).unwrap();
    world.put("0/new", "x");
    let changes = snapshot.start_comparison(Vec::new()).await.unwrap();
    assert_eq!(changes.lines(&world.root, 9), ["0/new (new)", "19/499/file-99 (deleted)", "7/7/file-7"]);
    assert_eq!(changes.checked, 50_000);
}

#[tokio::test]
async fn pm_87_dropped_snapshot_blocks_nothing() {
    let world = World::new(&["a"]);
    let snapshot = WorkspaceSnapshot::start(vec![world.root.clone()], now());
    let comparison = snapshot.start_comparison(Vec::new());
    drop(snapshot);
    // It either finished or knows nothing; it doesn't hang.
    assert!(comparison.await.is_none_or(|changes| changes.files.is_empty()));
    assert!(walk::walk_roots(std::slice::from_ref(&world.root), &|| true).is_none());
}

use super::world::{World, call_as_user, got, mkfifo, mode};
use serde_json::json;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::Ordering;

async fn write(world: &World, path: &str, content: &str) -> super::world::Got {
    world.call("Write", json!({ "file_path": path, "content": content })).await
}

async fn read(world: &World, path: &str) {
    world.call("Read", json!({ "file_path": path })).await.ok();
}

#[tokio::test]
async fn tl_3_creates_a_file_with_its_folders() {
    let world = World::new();
    let done = write(&world, "a/b/c.txt", "one\ntwo\n").await;
    let display = done.outcome.as_ref().unwrap().display.clone().unwrap();
    assert_eq!(done.ok(), "Created a/b/c.txt (2 lines).");
    assert_eq!(world.text("a/b/c.txt"), "one\ntwo\n");
    assert_eq!(std::fs::read_dir(world.path("a/b")).unwrap().count(), 1);
    assert_eq!((&display["type"], &display["added"], &display["removed"]), (&json!("create"), &json!(2), &json!(0)));
    assert_eq!(display["filePath"], world.path("a/b/c.txt").to_str().unwrap());
    assert!(display["diff"].as_str().unwrap().contains("+two\n"));
    // Our own write is treated as read.
    assert_eq!(write(&world, "a/b/c.txt", "one\n2\n").await.ok(), "Wrote a/b/c.txt (2 lines, +1 −1).");
}

#[tokio::test]
async fn tl_3_keeps_mode_bits() {
    let world = World::new();
    let path = world.put("run.sh", "old");
    mode(&path, 0o750);
    read(&world, "run.sh").await;
    write(&world, "run.sh", "new").await.ok();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o750);
    assert_eq!(world.text("run.sh"), "new");
}

#[tokio::test]
async fn tl_3_existing_file_must_be_read_and_unchanged() {
    let world = World::new();
    let path = world.put("a", "old");
    let text = write(&world, "a", "new").await.error();
    assert!(text.contains("was not read in this session. Read it first"), "{text}");
    read(&world, "a").await;
    // Equal size and times: only the content differs.
    let times = path.metadata().unwrap().modified().unwrap();
    std::fs::write(&path, "odd").unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(times).unwrap();
    let text = write(&world, "a", "new").await.error();
    assert!(text.contains("changed on disk since you read it. Read it again"), "{text}");
    assert_eq!(world.text("a"), "odd");
    read(&world, "a").await;
    // Different times and inode, but the same content: the model knows everything.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "odd").unwrap();
    write(&world, "a", "new").await.ok();
    assert_eq!(world.text("a"), "new");
    world.here.disk.forget();
    write(&world, "a", "newer").await.error();
}

#[tokio::test]
async fn tl_3_partly_read_file_uses_its_stamp() {
    let world = World::new();
    let path = world.put("large", "line\n".repeat(300_000));
    read(&world, "large").await;
    write(&world, "large", "small").await.ok();
    std::fs::write(&path, "line\n".repeat(300_000)).unwrap();
    read(&world, "large").await;
    std::fs::write(&path, "LINE\n".repeat(300_000)).unwrap();
    assert!(write(&world, "large", "x").await.error().contains("changed on disk"));
}

#[tokio::test]
async fn tl_3_special_files_are_not_written() {
    let world = World::new();
    std::fs::create_dir(world.path("dir")).unwrap();
    mkfifo(&world.path("pipe"));
    for (path, expected) in
        [("dir", "is a folder"), ("pipe", "is a fifo"), ("/dev/null", "is a device"), ("/", "is a folder")]
    {
        let text = write(&world, path, "x").await.error();
        assert!(text.contains(expected), "{path}: {text}");
    }
    assert_eq!(world.names(), ["dir", "pipe"]);
}

#[tokio::test]
async fn tl_3_link_is_resolved_and_stays_a_link() {
    let world = World::new();
    world.put("real", "old");
    symlink("real", world.path("link")).unwrap();
    read(&world, "link").await;
    write(&world, "link", "new").await.ok();
    assert_eq!(world.text("real"), "new");
    assert!(world.path("link").symlink_metadata().unwrap().is_symlink());
    symlink("not-yet", world.path("dangling")).unwrap();
    write(&world, "dangling", "made").await.ok();
    assert_eq!(world.text("not-yet"), "made");
}

/// PR-6, TL-3: a file swapped in after the decision is not written.
#[tokio::test]
async fn pr_6_swapped_in_link_is_refused() {
    let world = World::new();
    let outside = world.base.join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("file"), "theirs").unwrap();
    std::fs::create_dir(world.path("dir")).unwrap();
    let input = json!({"file_path": "dir/file", "content": "ours"});
    // The folder becomes a link.
    let call = world.parse("Write", input.clone()).unwrap();
    let rights = world.rights("Write", &*call).unwrap();
    std::fs::remove_dir(world.path("dir")).unwrap();
    symlink(&outside, world.path("dir")).unwrap();
    let text = got(call.run(rights, &world.here, &world.context()).await).error();
    assert!(text.contains("nothing was done"), "{text}");
    // The file becomes a link.
    std::fs::remove_file(world.path("dir")).unwrap();
    std::fs::create_dir(world.path("dir")).unwrap();
    let call = world.parse("Write", input).unwrap();
    let rights = world.rights("Write", &*call).unwrap();
    symlink(outside.join("file"), world.path("dir/file")).unwrap();
    got(call.run(rights, &world.here, &world.context()).await).error();
    assert_eq!(std::fs::read_to_string(outside.join("file")).unwrap(), "theirs");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
}

#[tokio::test]
async fn pr_6_without_a_grant_nothing_is_written() {
    let world = World::new();
    for (tool, input) in [
        ("Write", json!({"file_path": "a", "content": "x"})),
        ("Edit", json!({"file_path": "a", "old_string": "", "new_string": "x"})),
        ("NotebookEdit", json!({"notebook_path": "a.ipynb", "new_source": "x", "edit_mode": "insert"})),
    ] {
        let call = world.parse(tool, input).unwrap();
        assert!(!call.read_only() && !call.parallel());
        let outcome = call.run(cutonce_core::permission::CallRights::Plain, &world.here, &world.context()).await;
        assert!(got(outcome).error().contains("has no permission to write"), "{tool}");
    }
    assert!(world.names().is_empty());
}

#[tokio::test]
async fn tl_3_other_hard_link_keeps_its_content() {
    let world = World::new();
    let path = world.put("a", "old");
    let twin = world.base.join("twin");
    std::fs::hard_link(&path, &twin).unwrap();
    read(&world, "a").await;
    write(&world, "a", "new").await.ok();
    assert_eq!((world.text("a").as_str(), std::fs::read_to_string(twin).unwrap().as_str()), ("new", "old"));
}

#[tokio::test]
async fn se_5_old_content_is_stored_before_the_change() {
    let world = World::new();
    write(&world, "a", "one").await.ok();
    write(&world, "a", "two").await.ok();
    let path = world.path("a");
    let versions = world.kept.versions.lock().unwrap().clone();
    assert_eq!(versions, [(path.clone(), None), (path.clone(), Some(b"one".to_vec()))]);
    // If the old content can't be stored, the file is not changed, and nothing is left behind.
    world.kept.refuses.store(true, Ordering::SeqCst);
    let text = write(&world, "a", "three").await.error();
    assert!(text.contains("could not be saved for rewind (no room for versions); the file was not changed"), "{text}");
    write(&world, "new/folder/b", "x").await.error();
    assert_eq!((world.text("a").as_str(), world.names()), ("two", vec!["a".to_string()]));
}

#[tokio::test]
async fn se_5_earlier_content_is_restored() {
    let world = World::new();
    let path = world.put("a", "now");
    let disk = &world.here.disk;
    disk.restore(&path, Some(b"before")).unwrap();
    assert_eq!(world.text("a"), "before");
    disk.restore(&path, None).unwrap();
    disk.restore(&path, None).unwrap();
    assert!(world.names().is_empty());
    disk.restore(&world.path("x/y"), Some(b"back")).unwrap();
    assert_eq!(world.text("x/y"), "back");
    let kept: Vec<_> = world.kept.versions.lock().unwrap().iter().map(|(_, old)| old.clone()).collect();
    assert_eq!(kept, [Some(b"now".to_vec()), Some(b"before".to_vec()), None]);
}

#[test]
fn tl_3_no_permission_leaves_file_unchanged() {
    let world = World::new();
    let path = world.put("locked/a", "old");
    mode(path.parent().unwrap(), 0o555);
    call_as_user(&world, "Read", json!({"file_path": "locked/a"})).ok();
    let text = call_as_user(&world, "Write", json!({"file_path": "locked/a", "content": "new"})).error();
    assert!(text.starts_with("No permission to write"), "{text}");
    assert_eq!(world.text("locked/a"), "old");
    mode(path.parent().unwrap(), 0o755);
}

/// A file system of 64 KB, if one can be mounted; unmounted on drop.
struct Small(std::path::PathBuf);

impl Small {
    fn mount(at: std::path::PathBuf) -> Option<Small> {
        std::fs::create_dir(&at).unwrap();
        let mount =
            std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&at).output();
        mount.is_ok_and(|output| output.status.success()).then_some(Small(at))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[tokio::test]
async fn tl_3_full_disk_leaves_old_file_intact() {
    let world = World::new();
    let small = Small::mount(world.path("small"));
    // Without permission to mount, a store that refuses simulates a write that fails midway.
    world.kept.refuses.store(small.is_none(), Ordering::SeqCst);
    world.put("small/a", "old");
    read(&world, "small/a").await;
    let text = write(&world, "small/a", &"x".repeat(200_000)).await.error();
    assert!(small.is_none() || text.contains("The disk is full"), "{text}");
    assert_eq!(world.text("small/a"), "old");
    assert_eq!(std::fs::read_dir(world.path("small")).unwrap().count(), 1);
    world.kept.refuses.store(false, Ordering::SeqCst);
    write(&world, "small/a", "fits").await.ok();
    assert_eq!(world.text("small/a"), "fits");
}

#[tokio::test]
async fn pm_45_write_renames_a_new_file() {
    let world = World::new();
    let path = world.put("a", "old");
    let before = path.metadata().unwrap().ino();
    let mut open = std::fs::File::open(&path).unwrap();
    read(&world, "a").await;
    write(&world, "a", "new").await.ok();
    assert_ne!(path.metadata().unwrap().ino(), before);
    // A reader that has the file open sees the complete old content.
    let mut seen = String::new();
    std::io::Read::read_to_string(&mut open, &mut seen).unwrap();
    assert_eq!(seen, "old");
}

#[tokio::test]
async fn dialog_shows_the_diff_or_an_early_error() {
    let world = World::new();
    world.put("a", "one\ntwo\n");
    let call = world.parse("Write", json!({"file_path": "a", "content": "one\n2\n"})).unwrap();
    assert!(call.precheck(&world.here).unwrap().contains("was not read"));
    read(&world, "a").await;
    assert_eq!(call.precheck(&world.here), None);
    assert_eq!(call.preview(&world.here).unwrap(), "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    assert_eq!(call.summary(), "a");
}

#[tokio::test]
async fn pm_44_content_shown_elsewhere_is_read() {
    let world = World::new();
    let path = world.put("plan.md", "# Plan\n");
    world.here.disk.remember_shown(&path).unwrap();
    write(&world, "plan.md", "# New\n").await.ok();
    assert_eq!(world.text("plan.md"), "# New\n");
}

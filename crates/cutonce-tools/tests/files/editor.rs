use super::world::{Got, World};
use cutonce_tools::disk::{EditorWrite, FileEditor};
use serde_json::json;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// An editor with its own buffers, which it saves on a write.
struct Fake {
    buffers: Mutex<HashMap<PathBuf, String>>,
    written: Mutex<Vec<PathBuf>>,
    hands: Mutex<EditorWrite>,
    /// Cancelled on a read: the user interrupts while the editor is slow.
    interrupts: Mutex<Option<CancellationToken>>,
}

impl FileEditor for Fake {
    fn read(&self, path: &Path) -> Option<String> {
        if let Some(cancel) = self.interrupts.lock().unwrap().take() {
            cancel.cancel();
        }
        self.buffers.lock().unwrap().get(path).cloned()
    }
    fn write(&self, path: &Path, text: &str) -> EditorWrite {
        let hands = self.hands.lock().unwrap().clone();
        if hands == EditorWrite::Written {
            self.written.lock().unwrap().push(path.into());
            self.buffers.lock().unwrap().insert(path.into(), text.into());
            std::fs::write(path, text).unwrap();
        }
        hands
    }
}

fn world() -> (World, Arc<Fake>) {
    let mut world = World::new();
    let hands = Mutex::new(EditorWrite::Written);
    let fake = Fake { buffers: Mutex::default(), written: Mutex::default(), hands, interrupts: Mutex::default() };
    let fake = Arc::new(fake);
    world.here.disk = world.here.disk.clone().with_editor(Some(fake.clone()));
    (world, fake)
}

async fn edit(world: &World, path: &str, old: &str, new: &str) -> Got {
    world.call("Edit", json!({"file_path": path, "old_string": old, "new_string": new})).await
}

async fn read(world: &World, path: &str) -> String {
    world.call("Read", json!({ "file_path": path })).await.ok()
}

#[tokio::test]
async fn ho_5_change_starts_from_the_editors_text() {
    let (world, editor) = world();
    let path = world.put("a.txt", "saved\n");
    editor.buffers.lock().unwrap().insert(path.clone(), "typed\n".into());
    // TL-3 also applies to the editor's text.
    let text = edit(&world, "a.txt", "typed", "changed").await.error();
    assert!(text.contains("was not read in this session"), "{text}");
    assert_eq!(read(&world, "a.txt").await, "1\ttyped");
    let call = world.parse("Edit", json!({"file_path": "a.txt", "old_string": "typed", "new_string": "x"})).unwrap();
    assert_eq!(call.precheck(&world.here), None);
    assert!(call.preview(&world.here).unwrap().contains("-typed\n+x\n"));
    edit(&world, "a.txt", "typed", "changed").await.ok();
    assert_eq!((world.text("a.txt").as_str(), editor.written.lock().unwrap().len()), ("changed\n", 1));
    assert_eq!(world.kept.versions.lock().unwrap()[0], (path.clone(), Some(b"typed\n".to_vec())));
    // Written text is treated as read; later typing of the user is not.
    edit(&world, "a.txt", "changed", "again").await.ok();
    editor.buffers.lock().unwrap().insert(path, "again, and more\n".into());
    let text = edit(&world, "a.txt", "again", "lost").await.error();
    assert!(text.contains("changed in the user's editor"), "{text}");
    assert_eq!(world.text("a.txt"), "again\n");
}

/// AG-4, PM-1: after an interrupt nothing is written, neither by the editor nor by us.
#[tokio::test]
async fn ag_4_interrupt_during_editor_read_prevents_write() {
    for hands in [EditorWrite::Written, EditorWrite::Declined] {
        let (world, editor) = world();
        let path = world.put("a.txt", "old\n");
        editor.buffers.lock().unwrap().insert(path, "old\n".into());
        *editor.hands.lock().unwrap() = hands;
        read(&world, "a.txt").await;
        *editor.interrupts.lock().unwrap() = Some(world.cancel.clone());
        let text = edit(&world, "a.txt", "old", "new").await.error();
        assert!(text.contains("nothing was written"), "{text}");
        assert_eq!((world.text("a.txt").as_str(), editor.written.lock().unwrap().len()), ("old\n", 0));
    }
}

#[tokio::test]
async fn ho_5_some_files_bypass_the_editor() {
    let (world, editor) = world();
    world.put(".git/config", "old\n");
    let outside = world.base.join("outside.txt");
    std::fs::write(&outside, "old\n").unwrap();
    for path in [".git/config", outside.to_str().unwrap()] {
        read(&world, path).await;
        edit(&world, path, "old", "new").await.ok();
    }
    world.call("Write", json!({"file_path": "new/folder.txt", "content": "x"})).await.ok();
    assert!(editor.written.lock().unwrap().is_empty());
    assert_eq!((world.text(".git/config").as_str(), world.text("new/folder.txt").as_str()), ("new\n", "x"));
}

#[tokio::test]
async fn ho_5_editor_declines_or_is_lost() {
    let (world, editor) = world();
    world.put("a.txt", "old\n");
    read(&world, "a.txt").await;
    *editor.hands.lock().unwrap() = EditorWrite::Lost("it did not answer".into());
    let text = edit(&world, "a.txt", "old", "new").await.error();
    assert!(text.contains("did not confirm") && text.contains("it did not answer"), "{text}");
    *editor.hands.lock().unwrap() = EditorWrite::Declined;
    edit(&world, "a.txt", "old", "new").await.ok();
    assert_eq!(world.text("a.txt"), "new\n");
    // Without a stored version there is no change, not through the editor either (SE-5).
    *editor.hands.lock().unwrap() = EditorWrite::Written;
    world.kept.refuses.store(true, std::sync::atomic::Ordering::SeqCst);
    let text = edit(&world, "a.txt", "new", "newer").await.error();
    assert!(text.contains("could not be saved"), "{text}");
    assert_eq!((world.text("a.txt").as_str(), editor.written.lock().unwrap().len()), ("new\n", 0));
}

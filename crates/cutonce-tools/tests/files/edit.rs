use super::world::{Got, World, mode};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

async fn edit(world: &World, path: &str, old: &str, new: &str) -> Got {
    world.call("Edit", json!({"file_path": path, "old_string": old, "new_string": new})).await
}

async fn edit_all(world: &World, path: &str, old: &str, new: &str) -> Got {
    let input = json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": true});
    world.call("Edit", input).await
}

async fn world_with(name: &str, content: impl AsRef<[u8]>) -> World {
    let world = World::new();
    world.put(name, content);
    world.call("Read", json!({ "file_path": name })).await.ok();
    world
}

#[tokio::test]
async fn tl_4_replaces_a_unique_match() {
    let world = world_with("a.rs", "fn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\n").await;
    let done = edit(&world, "a.rs", "fn b() {}", "fn b() {\n    1\n}").await;
    let display = done.outcome.as_ref().unwrap().display.clone().unwrap();
    assert_eq!(done.ok(), "Edited a.rs:\n1\tfn a() {}\n2\tfn b() {\n3\t    1\n4\t}\n5\tfn c() {}\n6\tfn d() {}");
    assert_eq!(world.text("a.rs"), "fn a() {}\nfn b() {\n    1\n}\nfn c() {}\nfn d() {}\n");
    assert_eq!((&display["type"], &display["added"], &display["removed"]), (&json!("update"), &json!(3), &json!(1)));
    // Our own change is treated as read.
    edit(&world, "a.rs", "    1\n", "").await.ok();
    assert_eq!(edit(&world, "a.rs", "fn d() {}\n", "").await.ok(), "Edited a.rs:\n3\t}\n4\tfn c() {}");
}

#[tokio::test]
async fn tl_4_many_matches_are_reported_or_replaced() {
    let world = world_with("a", "x\ny\nx\nz x\n").await;
    let text = edit(&world, "a", "x", "w").await.error();
    assert!(text.contains("is there 3 times (lines 1, 3, 4). Add lines around it, or set replace_all."), "{text}");
    assert_eq!(edit_all(&world, "a", "x", "w\nw").await.ok(), "Edited a: 3 replacements (now at lines 1, 4, 6).");
    assert_eq!(world.text("a"), "w\nw\ny\nw\nw\nz w\nw\n");
}

#[tokio::test]
async fn tl_4_no_match_shows_the_nearest() {
    let world = world_with("a.py", "def f():\n\treturn 1\n").await;
    let text = edit(&world, "a.py", "def f():\n    return 1", "x").await.error();
    let expected = "`old_string`: expected text that is in a.py, got one that is not there. Nearest: lines 1-2. \
        First difference, in line 2 (· is a space, → a tab):\nfile:       →return·1\nold_string: ····return·1";
    assert_eq!(text, expected);
    assert_eq!(world.text("a.py"), "def f():\n\treturn 1\n");
}

#[tokio::test]
async fn tl_4_same_text_and_empty_text() {
    let world = world_with("a", "x").await;
    let text = edit(&world, "a", "x", "x").await.error();
    assert_eq!(text, "`new_string`: expected something other than `old_string`, got the same text");
    assert!(edit(&world, "a", "", "y").await.error().contains("got an empty string, which is for creating a file"));
    assert_eq!(edit(&world, "sub/new", "", "a\nb\n").await.ok(), "Created sub/new (2 lines).");
    assert_eq!(world.text("sub/new"), "a\nb\n");
    assert!(edit(&world, "gone", "a", "b").await.error().contains("gone does not exist. To create it"));
}

#[tokio::test]
async fn tl_4_keeps_endings_bom_mode_and_invalid_bytes() {
    let mut bytes = "\u{feff}one\r\ntwo\r\n".as_bytes().to_vec();
    bytes.extend(b"bad \xff\xfe byte\r\n");
    let world = world_with("a", &bytes).await;
    mode(&world.path("a"), 0o640);
    edit(&world, "a", "one\ntwo", "1\n2\n3").await.ok();
    let mut expected = "\u{feff}1\r\n2\r\n3\r\n".as_bytes().to_vec();
    expected.extend(b"bad \xff\xfe byte\r\n");
    assert_eq!(world.bytes("a"), expected);
    assert_eq!(world.path("a").metadata().unwrap().permissions().mode() & 0o7777, 0o640);
    edit(&world, "a", "\u{feff}1\n", "first\n").await.ok();
    assert!(world.bytes("a").starts_with("\u{feff}first\r\n2\r\n".as_bytes()));
}

#[tokio::test]
async fn tl_4_stale_file_is_refused() {
    let world = World::new();
    let path = world.put("a", "x");
    assert!(edit(&world, "a", "x", "y").await.error().contains("was not read in this session"));
    world.call("Read", json!({"file_path": "a"})).await.ok();
    std::fs::write(&path, "x and more").unwrap();
    assert!(edit(&world, "a", "x", "y").await.error().contains("changed on disk"));
    assert_eq!(world.text("a"), "x and more");
}

/// TL-4: edits of one file are serialized; none is lost.
#[tokio::test]
async fn tl_4_concurrent_edits_are_all_applied() {
    let names: Vec<String> = (10..40).map(|n| format!("<{n}>")).collect();
    let world = std::sync::Arc::new(world_with("a", names.concat()).await);
    let tasks: Vec<_> = names
        .iter()
        .map(|name| {
            let (world, old) = (world.clone(), name.clone());
            tokio::spawn(async move { edit(&world, "a", &old, &old.replace('<', "[")).await.ok() })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(world.text("a"), names.concat().replace('<', "["));
    assert_eq!(world.names(), ["a"]);
}

#[tokio::test]
async fn dialog_shows_the_diff_or_the_failure() {
    let world = world_with("a", "one\ntwo\n").await;
    let input = |old: &str| json!({"file_path": "a", "old_string": old, "new_string": "2"});
    let call = world.parse("Edit", input("two")).unwrap();
    assert!(call.preview(&world.here).unwrap().ends_with(" one\n-two\n+2\n"));
    assert_eq!(call.precheck(&world.here), None);
    let call = world.parse("Edit", input("three")).unwrap();
    assert!(call.precheck(&world.here).unwrap().contains("got one that is not there"));
}

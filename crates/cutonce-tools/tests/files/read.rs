use super::world::{World, call_as_user, mkfifo, mode};
use serde_json::json;
use std::os::unix::fs::symlink;

async fn read(world: &World, path: &str) -> super::world::Got {
    world.call("Read", json!({ "file_path": path })).await
}

#[tokio::test]
async fn tl_2_text_with_line_numbers_offset_and_limit() {
    let world = World::new();
    let path = world.put("src/a.rs", "one\ntwo\nthree\nfour\n");
    assert_eq!(read(&world, "src/a.rs").await.ok(), "1\tone\n2\ttwo\n3\tthree\n4\tfour");
    assert_eq!(read(&world, path.to_str().unwrap()).await.ok(), "1\tone\n2\ttwo\n3\tthree\n4\tfour");
    let part = world.call("Read", json!({"file_path": "src/../src/a.rs", "offset": 2, "limit": 2})).await.ok();
    assert_eq!(part, "2\ttwo\n3\tthree\n[Lines 2-3 of 4. Read on with offset=4.]");
    let past = world.call("Read", json!({"file_path": "src/a.rs", "offset": 9})).await.error();
    assert_eq!(past, "src/a.rs: `offset`: expected a line from 1 to 4, got 9");
    let none = world.call("Read", json!({"file_path": "src/a.rs", "limit": 0})).await.error();
    assert_eq!(none, "`limit`: expected at least 1, got 0");
    world.put("empty", "");
    assert_eq!(read(&world, "empty").await.ok(), "The file is empty.");
}

#[tokio::test]
async fn sb_2_reading_keeps_the_access_time() {
    use std::os::unix::fs::MetadataExt;
    let world = World::new();
    let path = world.put("a.txt", "words\n");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_times(std::fs::FileTimes::new().set_accessed(old)).unwrap();
    assert_eq!(read(&world, "a.txt").await.ok(), "1\twords");
    world.call("Grep", json!({"pattern": "words"})).await.ok();
    assert_eq!(path.metadata().unwrap().atime(), 1_000);
}

#[tokio::test]
async fn tl_2_missing_file_suggests_similar_names() {
    let world = World::new();
    world.put("src/config.rs", "");
    world.put("README.md", "");
    assert_eq!(
        read(&world, "src/confg.rs").await.error(),
        "src/confg.rs does not exist. Did you mean `src/config.rs`?"
    );
    assert_eq!(read(&world, "readme.md").await.error(), "readme.md does not exist. Did you mean `README.md`?");
    assert_eq!(
        read(&world, "scr/config.rs").await.error(),
        "scr/config.rs does not exist (the project root has no `scr`). Did you mean `src`?"
    );
    assert_eq!(read(&world, "zzz").await.error(), "zzz does not exist.");
}

#[tokio::test]
async fn tl_2_special_files_get_an_error() {
    let world = World::new();
    world.put("dir/x", "");
    mkfifo(&world.path("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(world.path("sock")).unwrap();
    let cases = [
        ("dir", "is a folder, not a file. List it"),
        ("pipe", "is a fifo (named pipe), not a file."),
        ("sock", "is a socket, not a file."),
        ("/dev/null", "is a device, not a file."),
        ("/", "is a folder"),
        ("dir/x/y", "is a file, not a folder"),
    ];
    for (path, expected) in cases {
        let text = read(&world, path).await.error();
        assert!(text.contains(expected), "{path}: {text}");
    }
}

#[tokio::test]
async fn ag_6_bad_paths_name_the_field() {
    let world = World::new();
    symlink("loop", world.path("loop")).unwrap();
    for (path, expected) in [
        ("a\0b", "`file_path`: expected a path without control characters, got '\\0'"),
        ("a\nb", "`file_path`: expected a path without control characters, got '\\n'"),
        ("", "`file_path`: expected a path, got an empty string"),
        ("loop", "`file_path`: "),
    ] {
        let text = read(&world, path).await.error();
        assert!(text.starts_with(expected), "{text}");
    }
    assert!(read(&world, "loop").await.error().contains("too many symbolic links"));
    let text = world.call("Read", json!({"path": "x"})).await.error();
    assert!(text.starts_with("Invalid input: `path`: unknown field `path`, expected one of `file_path`"), "{text}");
}

#[tokio::test]
async fn tl_2_huge_file_is_read_in_part() {
    let world = World::new();
    let path = world.put("huge.log", "a line of text\n".repeat(200_000));
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(4 << 30).unwrap();
    let part = world.call("Read", json!({"file_path": "huge.log", "offset": 150_000, "limit": 1})).await.ok();
    assert_eq!(part, "150000\ta line of text\n[Lines 150000-150000 of a file of 4.0 GB. Read on with offset=150001.]");
    let whole = read(&world, "huge.log").await.ok();
    assert!(whole.ends_with("[Lines 1-2000 of a file of 4.0 GB. Read on with offset=2001.]"));
    // Read, but too large to change: its old content could not be stored (SE-5).
    let text = world.call("Write", json!({"file_path": "huge.log", "content": "x"})).await.error();
    assert!(text.contains("has 4.0 GB; at most 64.0 MB"), "{text}");
    let zeros = world.put("zeros", "");
    std::fs::OpenOptions::new().write(true).open(&zeros).unwrap().set_len(4 << 30).unwrap();
    assert!(read(&world, "zeros").await.error().contains("a binary file (of an unknown type, 4.0 GB)"));
}

#[tokio::test]
async fn tl_2_binary_and_odd_encodings() {
    let world = World::new();
    world.put("prog", b"\x7fELF\x02\x01\x01\0\0\0\0");
    assert!(
        read(&world, "prog").await.error().starts_with("prog: a binary file (an ELF program or library, 11 bytes).")
    );
    world.put("latin", b"caf\xe9\nplain\n");
    let text = read(&world, "latin").await.ok();
    assert_eq!(text, "1\tcaf\u{fffd}\n2\tplain\n[Bytes that are not UTF-8 are shown as \u{fffd} (1 line).]");
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain("hé\nx".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    world.put("wide.txt", utf16);
    assert_eq!(read(&world, "wide.txt").await.ok(), "1\thé\n2\tx\n[UTF-16LE]");
}

#[tokio::test]
async fn tl_2_images_are_size_limited() {
    let world = World::new();
    let png =
        |width: u32| [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &width.to_be_bytes(), &[0, 0, 0, 7, 8, 6]].concat();
    world.put("a.png", png(7));
    assert_eq!(read(&world, "a.png").await.ok(), "<image/png 36>");
    world.put("wide.png", png(8_001));
    let text = read(&world, "wide.png").await.error();
    assert!(text.starts_with("wide.png: can't be shown as an image: it has 8001 x 7 pixels"), "{text}");
    world.put("head.png", b"\x89PNG\r\n\x1a\n");
    assert!(read(&world, "head.png").await.error().contains("broken or truncated"));
    world.put("big.jpg", [b"\xff\xd8\xff".as_slice(), &vec![7; 5 << 20]].concat());
    let text = read(&world, "big.jpg").await.error();
    assert_eq!(text, "big.jpg: an image of 5.0 MB; at most 3.8 MB can be read");
    world.put("fake.png", "just text");
    assert_eq!(read(&world, "fake.png").await.ok(), "1\tjust text");
}

#[tokio::test]
async fn tl_2_broken_notebook_is_shown_as_text() {
    let world = World::new();
    world.put("a.ipynb", r#"{"cells": [{"cell_type": "code", "id": "x1", "source": ["1+1"], "outputs": []}]}"#);
    assert_eq!(read(&world, "a.ipynb").await.ok(), "[cell 1, id x1, code]\n1+1");
    world.put("b.ipynb", "{broken");
    assert_eq!(read(&world, "b.ipynb").await.ok(), "1\t{broken");
    world.put("c.pdf", "%PDF-1.4 nothing");
    assert!(read(&world, "c.pdf").await.error().starts_with("c.pdf: a PDF without pages"));
}

#[test]
fn tl_2_missing_permission_is_reported() {
    let world = World::new();
    mode(&world.put("secret", "x"), 0o000);
    mode(world.put("locked/file", "x").parent().unwrap(), 0o000);
    let text = call_as_user(&world, "Read", json!({"file_path": "secret"})).error();
    assert!(text.starts_with("No permission to read ") && text.ends_with("secret."), "{text}");
    let text = call_as_user(&world, "Read", json!({"file_path": "locked/file"})).error();
    assert!(text.contains("ermission denied"), "{text}");
    mode(&world.path("locked"), 0o755);
}

#[tokio::test]
async fn sb_2_hidden_files_are_not_read() {
    let world = World::new();
    world.put(".env", "KEY=1");
    world.here.disk.set_hidden(Some(std::sync::Arc::new(|path| path.ends_with(".env"))));
    assert!(read(&world, ".env").await.error().contains("is hidden from you"));
    world.here.disk.set_hidden(None);
    assert_eq!(read(&world, ".env").await.ok(), "1\tKEY=1");
}

#[tokio::test]
async fn pr_6_swapped_in_link_is_not_followed() {
    let world = World::new();
    world.put("dir/file", "fine");
    std::fs::create_dir(world.base.join("out")).unwrap();
    std::fs::write(world.base.join("out/file"), "secret").unwrap();
    let call = world.parse("Read", json!({"file_path": "dir/file"})).unwrap();
    let rights = world.rights("Read", &*call).unwrap();
    std::fs::remove_file(world.path("dir/file")).unwrap();
    symlink(world.base.join("out/file"), world.path("dir/file")).unwrap();
    let got = super::world::got(call.run(rights, &world.here, &world.context()).await).error();
    assert!(got.contains("part of this path was replaced by"), "{got}");
    for (tool, input) in [("LS", json!({"path": "dir"})), ("Grep", json!({"pattern": "s", "path": "dir"}))] {
        let _ = std::fs::remove_file(world.path("dir"));
        let _ = std::fs::remove_dir_all(world.path("dir"));
        std::fs::create_dir(world.path("dir")).unwrap();
        let call = world.parse(tool, input).unwrap();
        let rights = world.rights(tool, &*call).unwrap();
        std::fs::remove_dir(world.path("dir")).unwrap();
        symlink(world.base.join("out"), world.path("dir")).unwrap();
        let got = super::world::got(call.run(rights, &world.here, &world.context()).await).error();
        assert!(got.contains("leads elsewhere since it was checked"), "{got}");
    }
}

#[tokio::test]
async fn ag_4_interrupt_ends_a_running_search() {
    let world = World::new();
    world.put("big", "text\n".repeat(1 << 20));
    let interrupt = async {
        tokio::task::yield_now().await;
        world.cancel.cancel();
    };
    let (ended, ()) = tokio::join!(world.call("Grep", json!({"pattern": "x"})), interrupt);
    assert_eq!(ended.error(), "Interrupted before it was done.");
}

#[tokio::test]
async fn ag_4_interrupted_calls_do_not_start() {
    let world = World::new();
    world.put("a", "x");
    world.cancel.cancel();
    for (tool, input) in [
        ("Read", json!({"file_path": "a"})),
        ("Glob", json!({"pattern": "*"})),
        ("Grep", json!({"pattern": "x"})),
        ("LS", json!({})),
        ("Write", json!({"file_path": "b", "content": "x"})),
    ] {
        assert_eq!(world.call(tool, input).await.error(), "Interrupted before it was done.", "{tool}");
    }
    assert_eq!(world.names(), ["a"]);
}

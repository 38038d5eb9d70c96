use super::world::{World, call_as_user, mkfifo, mode};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Sets the time to this many seconds after the epoch; the newest is the largest.
fn at(path: &Path, seconds: u64) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

async fn glob(world: &World, pattern: &str) -> super::world::Got {
    world.call("Glob", json!({ "pattern": pattern })).await
}

async fn grep(world: &World, input: Value) -> super::world::Got {
    world.call("Grep", input).await
}

#[tokio::test]
async fn tl_6_glob_sorts_by_time_and_honours_ignores() {
    let world = World::new();
    for (name, seconds) in [("a.rs", 10), ("src/b.rs", 30), ("src/deep/c.rs", 20), (".github/d.rs", 5), ("x.txt", 99)] {
        at(&world.put(name, ""), seconds);
    }
    world.put(".gitignore", "target/\n");
    world.put("target/e.rs", "");
    world.put(".git/f.rs", "");
    assert_eq!(glob(&world, "*.rs").await.ok(), "src/b.rs\nsrc/deep/c.rs\na.rs\n.github/d.rs");
    assert_eq!(glob(&world, "src/*.rs").await.ok(), "src/b.rs");
    assert_eq!(glob(&world, "src/**/*.rs").await.ok(), "src/b.rs\nsrc/deep/c.rs");
    assert_eq!(glob(&world, "{a,x}.*").await.ok(), "x.txt\na.rs");
    assert_eq!(glob(&world, "src/b.rs").await.ok(), "src/b.rs");
    assert_eq!(glob(&world, world.path("src/*").to_str().unwrap()).await.ok(), "src/b.rs");
    assert_eq!(glob(&world, "target/*.rs").await.ok(), "target/e.rs");
    assert_eq!(glob(&world, "*.go").await.ok(), "No files found.");
    let within = world.call("Glob", json!({"pattern": "*.rs", "path": "src/deep"})).await.ok();
    assert_eq!(within, "src/deep/c.rs");
}

#[tokio::test]
async fn tl_6_glob_result_is_limited() {
    let world = World::new();
    for n in 0..250 {
        at(&world.put(&format!("f{n}"), ""), n);
    }
    let text = glob(&world, "f*").await.ok();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[99]), (101, "f249", "f150"));
    assert_eq!(lines[100], "[The 100 newest of 250 files. Narrow the pattern for others.]");
}

#[tokio::test]
async fn tl_6_glob_errors_name_the_problem() {
    let world = World::new();
    world.put("file", "");
    for (pattern, expected) in [
        ("a[", "`pattern`: expected a glob, got"),
        ("", "`pattern`: expected a glob"),
        ("*/../x", "`pattern`: expected `..` only at the start"),
        ("gone/*.rs", "gone does not exist."),
        ("file/*", "`path`: expected a folder, got a file: file"),
        ("a\nb/*", "`path`: expected a path without control characters"),
    ] {
        let text = glob(&world, pattern).await.error();
        assert!(text.starts_with(expected), "{pattern:?}: {text}");
    }
    // The decision is about the searched folder.
    let call = world.parse("Glob", json!({"pattern": "../out/*"})).unwrap();
    let access = format!("{:?}", call.access(&world.here).unwrap());
    assert!(access.contains("Outside"), "{access}");
}

#[tokio::test]
async fn tl_6_links_are_listed_and_not_followed() {
    let world = World::new();
    world.put("dir/a.txt", "needle");
    symlink("..", world.path("dir/up.txt")).unwrap();
    symlink("a.txt", world.path("dir/same.txt")).unwrap();
    let mut names: Vec<String> = glob(&world, "*.txt").await.ok().lines().map(String::from).collect();
    names.sort();
    assert_eq!(names, ["dir/a.txt", "dir/same.txt", "dir/up.txt"]);
    assert_eq!(grep(&world, json!({"pattern": "needle"})).await.ok(), "dir/a.txt");
}

#[tokio::test]
async fn tl_6_ls_shows_entry_kinds() {
    let world = World::new();
    world.put("b.txt", vec![b'x'; 2048]);
    world.put(".hidden", "1");
    world.put("dir/x", "");
    mkfifo(&world.path("pipe"));
    symlink("gone", world.path("link")).unwrap();
    world.put("odd\nname", "");
    let text = world.call("LS", json!({})).await.ok();
    assert_eq!(
        text,
        ".hidden  1 bytes\nb.txt  2.0 KB\ndir/\nlink -> gone\nodd\u{fffd}name  0 bytes\npipe  [a fifo (named pipe)]"
    );
    std::fs::create_dir(world.path("empty")).unwrap();
    assert_eq!(world.call("LS", json!({"path": "empty"})).await.ok(), "The folder is empty.");
    let text = world.call("LS", json!({"path": "b.txt"})).await.error();
    assert_eq!(text, "`path`: expected a folder, got a file: b.txt. Read it to see its content.");
    assert_eq!(world.call("LS", json!({"path": "dri"})).await.error(), "dri does not exist. Did you mean `dir`?");
    for n in 0..600 {
        world.put(&format!("many/{n:03}"), "");
    }
    let text = world.call("LS", json!({"path": "many"})).await.ok();
    assert!(text.ends_with("499  0 bytes\n[The first 500 of 600 entries. Search by name to find others.]"), "{text}");
}

fn code() -> World {
    let world = World::new();
    at(&world.put("src/a.rs", "use x;\nfn alpha() {\n    beta();\n}\n"), 10);
    at(&world.put("src/b.rs", "fn beta() {}\n// Beta\n"), 30);
    at(&world.put("notes.md", "beta is here\r\n"), 20);
    at(&world.put(".config/c.yml", "beta: 1\n"), 5);
    world.put(".gitignore", "*.log\n");
    world.put("big.log", "beta\n");
    world.put(".git/config", "beta\n");
    world
}

#[tokio::test]
async fn tl_7_files_content_and_count() {
    let world = code();
    let files = grep(&world, json!({"pattern": "beta"})).await.ok();
    assert_eq!(files, "src/b.rs\nnotes.md\nsrc/a.rs\n.config/c.yml");
    let content = grep(&world, json!({"pattern": "beta", "output_mode": "content"})).await.ok();
    assert_eq!(
        content,
        ".config/c.yml\n1:beta: 1\n\nnotes.md\n1:beta is here\n\nsrc/a.rs\n3:    beta();\n\nsrc/b.rs\n1:fn beta() {}"
    );
    let count = grep(&world, json!({"pattern": "beta", "output_mode": "count", "-i": true, "path": "src"})).await.ok();
    assert_eq!(count, "src/a.rs:1\nsrc/b.rs:2\n[3 in 2 files.]");
    assert_eq!(grep(&world, json!({"pattern": "gamma"})).await.ok(), "No matches.");
    for mode in ["content", "count"] {
        assert_eq!(grep(&world, json!({"pattern": "gamma", "output_mode": mode})).await.ok(), "No matches.");
    }
}

#[tokio::test]
async fn tl_7_context_numbers_type_glob_and_one_file() {
    let world = code();
    let content = |mut input: Value| {
        input["output_mode"] = json!("content");
        grep(&world, input)
    };
    let text = content(json!({"pattern": "beta", "type": "rust", "-B": 1, "-A": 1})).await.ok();
    assert_eq!(text, "src/a.rs\n2-fn alpha() {\n3:    beta();\n4-}\n\nsrc/b.rs\n1:fn beta() {}\n2-// Beta");
    let text = content(json!({"pattern": "use|}$", "path": "src/a.rs", "-C": 0})).await.ok();
    assert_eq!(text, "src/a.rs\n1:use x;\n4:}");
    let text = content(json!({"pattern": "use|^}", "path": "src/a.rs", "-A": 1, "-n": false})).await.ok();
    assert_eq!(text, "src/a.rs\nuse x;\nfn alpha() {\n--\n}");
    let text = content(json!({"pattern": "beta", "glob": "*.{md,yml}"})).await.ok();
    assert_eq!(text, ".config/c.yml\n1:beta: 1\n\nnotes.md\n1:beta is here");
    let text = content(json!({"pattern": "beta", "glob": "!src/**"})).await.ok();
    assert!(text.starts_with(".config/c.yml") && !text.contains("src/"), "{text}");
    let text = content(json!({"pattern": "alpha.*beta", "multiline": true})).await.ok();
    assert_eq!(text, "src/a.rs\n2:fn alpha() {\n3:    beta();");
    assert_eq!(content(json!({"pattern": "alpha.*beta"})).await.ok(), "No matches.");
}

#[tokio::test]
async fn tl_7_limits_are_noted_and_order_is_stable() {
    let world = World::new();
    for n in 0..300 {
        world.put(&format!("d{}/f{n:03}", n % 7), "hit one\nhit two\nhit three\n");
    }
    let input = json!({"pattern": "hit", "output_mode": "content", "head_limit": 7});
    let first = grep(&world, input.clone()).await.ok();
    assert_eq!(
        first,
        "d0/f000\n1:hit one\n2:hit two\n3:hit three\n\nd0/f007\n1:hit one\n2:hit two\n3:hit three\n\nd0/f014\n1:hit one\n\
         [The first 7 lines by path; there are more. Narrow the search or set head_limit.]"
    );
    for _ in 0..20 {
        assert_eq!(grep(&world, input.clone()).await.ok(), first);
    }
    let all = json!({"pattern": "hit", "output_mode": "content", "head_limit": 900});
    assert!(!grep(&world, all).await.ok().contains("there are more"));
    let text = grep(&world, json!({"pattern": "hit", "output_mode": "content"})).await.ok();
    assert!(text.contains("[The first 250 lines by path"), "{text}");
    let text = grep(&world, json!({"pattern": "hit", "head_limit": 2})).await.ok();
    assert!(text.ends_with("[The 2 newest of 300 files. Narrow the search or set head_limit.]"), "{text}");
    let text = grep(&world, json!({"pattern": "hit", "output_mode": "count", "head_limit": 1})).await.ok();
    assert_eq!(text, "d0/f000:3\n[900 in 300 files; the first 1 shown.]");
}

#[tokio::test]
async fn tl_7_long_lines_are_cut_around_the_match() {
    let world = World::new();
    world.put("min.js", format!("{}needle{}", "é".repeat(5_000), "b".repeat(5_000)));
    let text = grep(&world, json!({"pattern": "needle", "output_mode": "content"})).await.ok();
    assert!(text.starts_with("min.js\n1:…é") && text.contains("éneedleb"), "{text}");
    assert!(text.ends_with("b… [line of 15006 bytes]") && text.len() < 600 && !text.contains('\u{fffd}'), "{text}");
    let many = "needle and some more text to fill the line with words\n".repeat(5_000);
    world.put("many", many);
    let text = grep(&world, json!({"pattern": "needle", "output_mode": "content", "head_limit": 5_000})).await.ok();
    assert!(text.len() < 61_000 && text.contains("there are more"), "{}", text.len());
}

#[tokio::test]
async fn tl_7_bad_input_suggests_a_fix() {
    let world = code();
    for (input, expected) in [
        (json!({"pattern": ""}), "`pattern`: expected a regular expression, got an empty string"),
        (json!({"pattern": "interface{"}), "For a literal brace write `\\{` or `\\}`."),
        (json!({"pattern": "f("}), "To find a bracket itself write `\\(`"),
        (json!({"pattern": "(?=x)"}), "Look-around is not supported"),
        (json!({"pattern": "a\nb"}), "To match across lines set multiline."),
        (json!({"pattern": "x", "type": "rs"}), "got \"rs\". Did you mean `rust`?"),
        (json!({"pattern": "x", "type": "pyhton"}), "Did you mean `python`?"),
        (json!({"pattern": "x", "glob": "a{"}), "`glob`: expected a glob like `*.ts`, got \"a{\""),
        (json!({"pattern": "x", "path": "scr"}), "scr does not exist. Did you mean `src`?"),
        (json!({"pattern": "x", "head_limit": 0}), "`head_limit`: expected at least 1, got 0"),
        (json!({"pattern": "x", "output_mode": "lines"}), "`output_mode`: unknown variant `lines`, expected one of"),
        (json!({"pattern": "x", "-A": "3"}), "`-A`: invalid type: string \"3\", expected usize"),
        (json!({"pattern": "x", "path": "a\0b"}), "`path`: expected a path without control characters"),
    ] {
        let text = grep(&world, input.clone()).await.error();
        assert!(text.contains(expected), "{input}: {text}");
    }
}

#[tokio::test]
async fn tl_7_binary_huge_special_and_odd_files() {
    let world = World::new();
    world.put("bin", b"needle\0needle\n");
    world.put("latin", b"needle caf\xe9\n");
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("a needle\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    world.put("wide", utf16);
    mkfifo(&world.path("pipe"));
    let huge = world.put("huge", "");
    std::fs::OpenOptions::new().write(true).open(huge).unwrap().set_len(4 << 30).unwrap();
    let text = grep(&world, json!({"pattern": "needle", "output_mode": "content"})).await.ok();
    assert_eq!(text, "latin\n1:needle caf\u{fffd}\n\nwide\n1:a needle");
    let text = grep(&world, json!({"pattern": "needle", "path": "pipe"})).await.error();
    assert!(text.contains("is a fifo (named pipe), not a file."), "{text}");
    let text = grep(&world, json!({"pattern": "zzz", "path": "huge"})).await.error();
    assert_eq!(text, "huge is a binary file; it can't be searched as text.");
    world.here.disk.set_hidden(Some(std::sync::Arc::new(|path| path.ends_with("latin"))));
    assert_eq!(grep(&world, json!({"pattern": "needle", "output_mode": "count"})).await.ok(), "wide:1\n[1 in 1 file.]");
}

#[test]
fn tl_7_unreadable_paths_are_reported() {
    let world = code();
    mode(&world.path("src/a.rs"), 0o000);
    let text = call_as_user(&world, "Grep", json!({"pattern": "beta", "type": "rust"})).ok();
    assert!(text.starts_with("src/b.rs\n[1 path could not be read: src/a.rs: Permission denied"), "{text}");
    mode(&world.path("src"), 0o000);
    let text = call_as_user(&world, "LS", json!({"path": "src"})).error();
    assert!(text.contains("ermission"), "{text}");
    let text = call_as_user(&world, "Glob", json!({"pattern": "*.md"})).ok();
    assert!(text.starts_with("notes.md\n[1 path could not be read: "), "{text}");
    mode(&world.path("src"), 0o755);
}

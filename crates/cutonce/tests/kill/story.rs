//! The script of the model in the killed run, and every complete version of every file it creates.

use serde_json::{Value, json};
use std::path::Path;

/// Files that Write and Edit change, each with all its complete versions in order.
pub fn files() -> Vec<(&'static str, Vec<String>)> {
    let versions = |name: &'static str, marks: &[(usize, usize)]| {
        (name, marks.iter().map(|(head, foot)| body(name, *head, *foot)).collect())
    };
    vec![
        versions("a.txt", &[(1, 1), (2, 2), (3, 3), (4, 4)]),
        versions("src/b.rs", &[(1, 1), (2, 2), (3, 3), (4, 4)]),
        versions("c.md", &[(1, 1), (2, 1), (2, 2)]),
    ]
}

/// Large enough that half a write would show, but small enough that the story fits a model's window.
fn body(name: &str, head: usize, foot: usize) -> String {
    let line = format!("{name}: a line that makes the file long enough to be seen half written\n");
    format!("{}\n{}{}\n", mark("head", head), line.repeat(250), mark("foot", foot))
}

fn mark(place: &str, version: usize) -> String {
    format!("The {place} of version {version}.")
}

/// The turns, each a list of calls. Write and Edit in turns of their own and in batches.
pub fn turns(ws: &Path) -> Vec<Vec<(&'static str, Value)>> {
    let path = |name: &str| ws.join(name).display().to_string();
    let write =
        |name: &str, version| ("Write", json!({"file_path": path(name), "content": body(name, version, version)}));
    let edit = |name: &str, place: &str, version: usize| {
        let (old, new) = (mark(place, version), mark(place, version + 1));
        ("Edit", json!({"file_path": path(name), "old_string": old, "new_string": new}))
    };
    let bash = |command: &str| ("Bash", json!({"command": command, "description": "A step"}));
    let todo = |status: &str| {
        let todos = json!([{"content": "Write the files", "status": status, "activeForm": "Writing the files"}]);
        ("TodoWrite", json!({"todos": todos}))
    };
    vec![
        vec![todo("pending")],
        vec![write("a.txt", 1)],
        vec![todo("in_progress"), write("src/b.rs", 1)],
        vec![bash("echo one >> log")],
        vec![write("a.txt", 2)],
        vec![("Read", json!({"file_path": path("a.txt"), "limit": 5}))],
        vec![write("src/b.rs", 2), write("c.md", 1)],
        vec![bash("echo two >> log; wc -c a.txt")],
        vec![write("a.txt", 3), bash("echo three >> log")],
        vec![write("src/b.rs", 3)],
        vec![todo("in_progress")],
        vec![write("a.txt", 4), write("src/b.rs", 4)],
        vec![("Glob", json!({"pattern": "**/*"}))],
        vec![bash("mkdir -p out && cp c.md out/copy")],
        vec![edit("c.md", "head", 1)],
        vec![edit("c.md", "foot", 1)],
        vec![bash("cat log")],
        vec![todo("completed")],
    ]
}

//! CL-3: whoever reads our output may be gone, and the disk behind it full: that ends in an exit code, never in a panic.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::process::{Command, Stdio};

struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("model.json"), r#"{"turns": [{"text": "hello"}]}"#).unwrap();
        Self { dir }
    }
    fn cutonce(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
        let home = self.dir.path().join("home");
        command.args(args).current_dir(self.dir.path()).env_clear().env("HOME", home).stdin(Stdio::null());
        command
    }
}

fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

#[test]
fn cl_3_a_full_disk_behind_standard_error_stops_nothing() {
    let world = World::new();
    let args = ["-p", "hi", "--model", "scripted/model.json", "--settings", r#"{"odd": 1}"#, "--verbose"];
    let done = world.cutonce(&args).stderr(full()).output().unwrap();
    assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(0), b"hello\n".as_slice()));
}

#[test]
fn cl_3_a_closed_pipe_ends_quietly_and_a_full_disk_is_told() {
    let world = World::new();
    let answer = ["-p", "hi", "--model", "scripted/model.json"];
    for args in [answer.as_slice(), &["completions", "bash"], &["settings-schema"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let done = world.cutonce(args).stdout(writer).output().unwrap();
        assert_eq!((done.status.code(), String::from_utf8_lossy(&done.stderr).as_ref()), (Some(1), ""), "{args:?}");
        let done = world.cutonce(args).stdout(full()).output().unwrap();
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(1) && told.contains("No space left"), "{args:?}: {told}");
    }
}

#[test]
fn cl_3_a_cause_is_told_once() {
    let world = World::new();
    let mut command = world.cutonce(&["-p", "hi", "--model", "scripted/model.json"]);
    let done = command.env("CUTONCE_HOME", "/proc/nowhere").output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.code() == Some(1) && told.matches("os error").count() == 1, "{told}");
}

/// SE-1: what is not on disk is neither done nor claimed. The limit on the size of files stands for a full disk.
#[test]
fn se_1_an_answer_that_can_not_be_written_runs_nothing_and_is_no_success() {
    let world = World::new();
    let answers = [r#""calls": [{"name": "Bash", "input": {"command": "touch made"}}]"#, r#""thinking": "hm""#];
    for rest in answers {
        let model = format!(r#"{{"turns": [{{"text": "{}", {rest}}}, {{"text": "done"}}]}}"#, "long ".repeat(10_000));
        std::fs::write(world.dir.path().join("long.json"), model).unwrap();
        let script = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
        let mut command = Command::new("bash");
        let args = ["-p", "hi", "--model", "scripted/long.json", "--permission-mode", "bypassPermissions"];
        command
            .args(["-c", script, "bash", env!("CARGO_BIN_EXE_cutonce")])
            .args(args)
            .args(["--output-format", "json"]);
        command.current_dir(world.dir.path()).env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        let done = command.env("HOME", world.dir.path().join("home")).output().unwrap();
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        let result: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!((done.status.code(), &result["is_error"]), (Some(1), &true.into()), "{told}");
        assert!(result["result"].as_str().unwrap().contains("The transcript can't be written"), "{told}");
        assert!(!world.dir.path().join("made").exists(), "a command ran without a record");
    }
}

//! CL-3: if the reader of our output is gone or the disk is full, the program exits with a code and never
//! panics.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

#[path = "output_gone/interrupt.rs"]
mod interrupt;

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
fn cl_3_full_stderr_stops_nothing() {
    let world = World::new();
    let args = ["-p", "hi", "--model", "scripted/model.json", "--settings", r#"{"odd": 1}"#, "--verbose"];
    let done = world.cutonce(&args).stderr(full()).output().unwrap();
    assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(0), b"hello\n".as_slice()));
}

#[test]
fn cl_3_closed_pipe_is_silent_full_disk_is_reported() {
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
fn cl_3_cause_is_printed_once() {
    let world = World::new();
    let mut command = world.cutonce(&["-p", "hi", "--model", "scripted/model.json"]);
    let done = command.env("CUTONCE_HOME", "/proc/nowhere").output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        done.status.code() == Some(1)
            && told.matches("No such file or directory").count() == 1
            && !told.contains("os error"),
        "{told}"
    );
}

/// SE-1: what is not on disk is not reported as done. A file size limit simulates a full disk.
#[test]
fn se_1_unwritable_transcript_fails_the_turn() {
    let world = World::new();
    let answers = [r#""calls": [{"name": "Bash", "input": {"command": "touch made"}}]"#, r#""thinking": "hm""#];
    for rest in answers {
        let model = format!(r#"{{"turns": [{{"text": "{}", {rest}}}, {{"text": "done"}}]}}"#, "long ".repeat(10_000));
        std::fs::write(world.dir.path().join("long.json"), model).unwrap();
        let script = "ulimit -f 16; exec \"$@\"";
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

/// A disk whose first sync of a transcript fails with EIO. Later ones succeed, as the kernel's do.
const FAILING_DISK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int fdatasync(int fd) {
    static int failed;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    if (!failed && strstr(path, ".jsonl")) {
        failed = 1;
        errno = EIO;
        return -1;
    }
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return real(fd);
}
"#;

/// SE-1: after a failed sync the kernel has dropped the data, so the turn failed although a later sync succeeds.
#[test]
fn se_1_failed_sync_fails_the_turn() {
    let world = World::new();
    let (source, library) = (world.dir.path().join("disk.c"), world.dir.path().join("disk.so"));
    std::fs::write(&source, FAILING_DISK).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl").status();
    assert!(built.unwrap().success());
    let calls = r#"{"turns": [{"calls": [{"name": "Bash", "input": {"command": "touch made"}}]}, {"text": "done"}]}"#;
    std::fs::write(world.dir.path().join("calls.json"), calls).unwrap();
    for model in ["scripted/model.json", "scripted/calls.json"] {
        let args = ["-p", "hi", "--model", model, "--permission-mode", "bypassPermissions", "--output-format", "json"];
        let mut command = world.cutonce(&args);
        let done = command.env("PATH", "/usr/bin:/bin").env("LD_PRELOAD", &library).output().unwrap();
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        let result: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!((done.status.code(), &result["is_error"]), (Some(1), &true.into()), "{told}");
        assert!(!world.dir.path().join("made").exists(), "a command ran without a record");
    }
    // The second turn of a session fails too, although its sync succeeds: entries of the first may be missing.
    let format = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    let mut command = world.cutonce(&["-p", "--model", "scripted/model.json"]);
    let said = r#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
    let input = world.dir.path().join("input");
    std::fs::write(&input, format!("{said}\n{said}\n")).unwrap();
    command.args(format).env("PATH", "/usr/bin:/bin").env("LD_PRELOAD", &library).stdin(File::open(input).unwrap());
    let told = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let results: Vec<serde_json::Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|frame: &serde_json::Value| frame["type"] == "result")
        .collect();
    assert!(results.len() == 2 && results.iter().all(|result| result["is_error"] == true), "{told}");
    assert!(told.contains("an earlier sync failed"), "{told}");
}

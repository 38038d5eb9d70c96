//! What a kill leaves of the protected names of a sandboxed command (SB-4).

use super::disk::Disk;
use super::stage::{Stage, said};
use serde_json::json;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// Creates a hook's settings and a list of servers in subfolders, says so, and waits. A script, because a command line
/// that names such a file asks.
const SCRIPT: &str = "mkdir -p sub/.cutonce deep/er; echo '{}' > sub/.cutonce/settings.local.json
echo x > deep/er/.mcp.json; touch started; sleep 1000";

fn start(stage: &Stage) -> (Child, cutonce_models::scripted::LoopbackServer) {
    let home = stage.ws.parent().unwrap().join("home/.cutonce");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("settings.json"), r#"{"sandbox": {"shell": true}}"#).unwrap();
    fs::write(stage.ws.join("make.sh"), SCRIPT).unwrap();
    let calls = json!([{"name": "Bash", "input": {"command": "sh make.sh"}}]);
    let server = Stage::server(vec![json!({"calls": calls}), said("done")]).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
    command.args(["-p", "--allowedTools", "Bash", "--", "Go."]).current_dir(&stage.ws);
    command.env_clear().envs(stage.variables(&server));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    (command.spawn().unwrap(), server)
}

/// A command that starts no session, in a subfolder.
fn list_sessions(stage: &Stage, disk: &[(&str, OsString)]) -> Output {
    let server = Stage::server(vec![]).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
    command.arg("sessions").current_dir(stage.ws.join("sub")).env_clear().envs(stage.variables(&server));
    command.envs(disk.iter().map(|(name, value)| (*name, value))).output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Files of the folder in which the program records its running commands.
fn records(watches: &Path) -> Vec<PathBuf> {
    let below =
        |name: &String| names(&watches.join(name)).into_iter().map(|file| watches.join(name).join(file)).collect();
    names(watches).iter().flat_map(|name| -> Vec<PathBuf> { below(name) }).collect()
}

fn wait_until(is_true: impl Fn() -> bool) {
    while !is_true() {
        std::thread::yield_now();
    }
}

/// The recovery is killed at each of its operations before one completes.
#[test]
fn sb_4_killed_program_leaves_no_protected_names() {
    let (stage, disk) = (Stage::new(1).unwrap(), Disk::new().unwrap());
    let home = stage.ws.parent().unwrap().join("home/.cutonce");
    fs::create_dir_all(stage.ws.join("old/.git")).unwrap();
    let (mut child, _server) = start(&stage);
    wait_until(|| stage.ws.join("started").exists());
    assert!(stage.ws.join(".git").is_dir(), "the sandbox reserves names while the command runs");
    // A start next to a living program changes nothing.
    assert!(list_sessions(&stage, &[]).status.success() && stage.ws.join("sub/.cutonce").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let watches = home.join("watches");
    let has_ended = |path: &PathBuf| fs::read(path).unwrap().ends_with(b"\n");
    wait_until(|| records(&watches).iter().all(has_ended));
    assert_eq!(records(&watches).len(), 1);
    // What the user creates later is not the command's. The clock of files ticks slowly.
    let end = fs::metadata(&records(&watches)[0]).unwrap().modified().unwrap();
    wait_until(|| {
        let _ = fs::remove_dir_all(stage.ws.join("later"));
        fs::create_dir_all(stage.ws.join("later/.git/hooks")).unwrap();
        fs::metadata(stage.ws.join("later/.git")).unwrap().created().is_ok_and(|created| created > end)
    });
    let mut kills = 0;
    let told = loop {
        kills += 1;
        let next = list_sessions(&stage, &disk.killing(kills));
        if next.status.success() {
            break String::from_utf8(next.stderr).unwrap();
        }
        assert_eq!(records(&watches).len(), 1, "the record stays until all is done");
    };
    assert!(kills > 3, "{kills}: {told}");
    assert_eq!(names(&stage.ws), ["deep", "later", "make.sh", "old", "src", "started", "sub"]);
    assert_eq!(names(&stage.ws.join("sub")), [".cutonce.set-aside"]);
    assert_eq!(names(&stage.ws.join("deep/er")), [".mcp.json.set-aside"]);
    assert_eq!(
        (names(&stage.ws.join("later")), names(&stage.ws.join("old"))),
        (vec![".git".into()], vec![".git".into()])
    );
    assert_eq!(names(&watches), ["guard"]);
    let again = String::from_utf8(list_sessions(&stage, &[]).stderr).unwrap();
    assert!(!again.contains("killed"), "{again}");
}

#[test]
fn sb_4_recovery_names_what_it_renamed() {
    let stage = Stage::new(2).unwrap();
    let (mut child, _server) = start(&stage);
    wait_until(|| stage.ws.join("started").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    // At once: the recovery waits until the command has ended.
    let told = String::from_utf8(list_sessions(&stage, &[]).stderr).unwrap();
    for part in ["/sub/.cutonce and its cutonce was killed", "/deep/er/.mcp.json and", "it is .mcp.json.set-aside now"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
}

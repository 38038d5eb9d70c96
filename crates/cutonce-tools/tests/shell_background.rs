//! Tests background commands: new output only, their end, and that they are killed in time.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod shell_world;

use cutonce_sandbox::env::{EnvNameRules, scrub_env};
use cutonce_tools::shell::process::{SessionShells, TaskState, TaskView};
use cutonce_tools::web::WebClient;
use serde_json::json;
use shell_world::{World, is_there, text, vars};
use std::path::Path;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A world that reports ended background commands.
fn told() -> (World, UnboundedReceiver<TaskView>) {
    let (tell, ended) = unbounded_channel();
    let shells =
        SessionShells::new(scrub_env(vars(), &EnvNameRules::default())).on_end(move |task| drop(tell.send(task)));
    (World::with(shells, WebClient::new(vec![])), ended)
}

async fn start(world: &World, command: &str) -> String {
    let outcome = world.call("Bash", json!({"command": command, "run_in_background": true})).await.unwrap();
    outcome.display.unwrap()["background"].as_str().unwrap().to_string()
}

async fn look(world: &World, input: serde_json::Value) -> String {
    text(&world.call("BashOutput", input).await.unwrap())
}

/// Polls until the output is read: it is in the pipe, but the reader may not have run yet.
async fn look_for(world: &World, id: &str, printed: impl Fn(&str) -> bool) -> String {
    for _ in 0..1_000_000 {
        let seen = look(world, json!({"bash_id": id})).await;
        if printed(&seen) {
            return seen;
        }
        tokio::task::yield_now().await;
    }
    panic!("nothing came of {id}");
}

fn fifo(world: &World, name: &str) -> std::path::PathBuf {
    let path = world.root.join(name);
    let c = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: `c` is a C string that outlives the call.
    assert_eq!(unsafe { libc::mkfifo(c.as_ptr(), 0o600) }, 0);
    path
}

/// Blocks until the command has opened the other end.
async fn go(path: &Path) {
    let path = path.to_path_buf();
    tokio::task::spawn_blocking(move || std::fs::write(path, "go\n").unwrap()).await.unwrap();
}

#[tokio::test]
async fn tl_8_shows_only_new_output_and_the_end() {
    let (world, mut ended) = told();
    let (one, two) = (fifo(&world, "one"), fifo(&world, "two"));
    let id = start(&world, "echo first; read < one; read < two; echo second; exit 7").await;
    assert_eq!(id, "bash_1");
    go(&one).await;
    assert_eq!(look_for(&world, &id, |seen| !seen.contains("(nothing new)")).await, "bash_1: running\n\nfirst");
    assert_eq!(look(&world, json!({"bash_id": id})).await, "bash_1: running\n\n(nothing new)");
    assert_eq!(world.here.shells.running_tasks().len(), 1);
    go(&two).await;
    let view = ended.recv().await.unwrap();
    assert_eq!((view.id.as_str(), view.state), ("bash_1", TaskState::Exited(7)));
    assert_eq!(look(&world, json!({"bash_id": id})).await, "bash_1: exited with code 7\n\nsecond");
    assert!(world.here.shells.running_tasks().is_empty());
    assert_eq!(std::fs::read_to_string(world.own.join("bash_1.txt")).unwrap(), "first\nsecond\n");
}

#[tokio::test]
async fn tl_8_filter_shows_matching_lines() {
    let (world, mut ended) = told();
    let id = start(&world, "printf 'warning: a\\nfine\\nerror: b\\n'").await;
    ended.recv().await.unwrap();
    let seen = look(&world, json!({"bash_id": id, "filter": "^(warning|error)"})).await;
    assert_eq!(seen, "bash_1: exited with code 0\n\nwarning: a\nerror: b");
    let error = world.call("BashOutput", json!({"bash_id": id, "filter": "("})).await.unwrap_err();
    assert!(error.contains("`filter`"), "{error}");
}

#[tokio::test]
async fn tl_8_kill_ends_the_process_tree() {
    let (world, mut ended) = told();
    let ready = fifo(&world, "ready");
    let id = start(&world, "setsid sleep 1000 & echo $!; read < ready; sleep 1000").await;
    go(&ready).await;
    let seen = look_for(&world, &id, |seen| !seen.contains("(nothing new)")).await;
    let pid = seen.lines().last().unwrap();
    assert!(is_there(pid));
    assert_eq!(text(&world.call("KillShell", json!({"shell_id": id})).await.unwrap()), "bash_1: killed.");
    assert!(!is_there(pid));
    assert_eq!(ended.recv().await.unwrap().state, TaskState::Killed);
    let again = text(&world.call("KillShell", json!({"shell_id": id})).await.unwrap());
    assert_eq!(again, "bash_1 has ended already: killed.");
}

#[tokio::test]
async fn tl_8_session_end_kills_background_commands() {
    let (world, mut ended) = told();
    let ready = fifo(&world, "ready");
    start(&world, "setsid sleep 1000 & echo $! > pid; read < ready; sleep 1000").await;
    go(&ready).await;
    let pid = std::fs::read_to_string(world.root.join("pid")).unwrap();
    assert!(is_there(pid.trim()));
    drop(world);
    assert_eq!(ended.recv().await.unwrap().state, TaskState::Killed);
    assert!(!is_there(pid.trim()));
}

#[tokio::test]
async fn tl_8_background_output_is_bounded() {
    let (world, mut ended) = told();
    let id = start(&world, "yes 123456789 | head -c 5000000").await;
    ended.recv().await.unwrap();
    let seen = look(&world, json!({"bash_id": id})).await;
    assert!(seen.chars().count() < 31_000 && seen.contains("bash_1.txt"), "{}", seen.len());
    assert_eq!(std::fs::metadata(world.own.join("bash_1.txt")).unwrap().len(), 5_000_000);
}

#[tokio::test]
async fn tl_8_background_command_has_its_own_folder() {
    let (world, mut ended) = told();
    std::fs::create_dir(world.root.join("sub")).unwrap();
    world.bash("cd sub").await;
    let id = start(&world, "pwd; cd /").await;
    ended.recv().await.unwrap();
    assert!(look(&world, json!({"bash_id": id})).await.ends_with("/project/sub"));
    assert!(world.bash("pwd").await.ends_with("/project/sub"));
}

#[tokio::test]
async fn ag_6_unknown_id_lists_the_known_ones() {
    let (world, mut ended) = told();
    let error = world.call("BashOutput", json!({"bash_id": "bash_9"})).await.unwrap_err();
    assert!(error.contains("`bash_id`") && error.contains("no command was started"), "{error}");
    start(&world, "true").await;
    ended.recv().await.unwrap();
    let error = world.call("KillShell", json!({"shell_id": "bash_9"})).await.unwrap_err();
    assert!(error.contains("`shell_id`") && error.contains("bash_1 (exited with code 0)"), "{error}");
}

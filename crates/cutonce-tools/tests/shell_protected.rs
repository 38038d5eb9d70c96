//! Protected names that a confined command creates in any folder (SB-4).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod shell_world;

use cutonce_core::permission::{Access, AskCause, CallFacts, PermissionAsk, ShellConfinement, Why};
use cutonce_tools::shell::confine::WorkspaceSandbox;
use serde_json::{Value, json};
use shell_world::{World, context, text};
use std::os::unix::fs::PermissionsExt;

fn world() -> World {
    let world = World::new();
    world.here.shells.set_workspace_sandbox(WorkspaceSandbox::new(vec![], false).unwrap());
    world
}

/// Runs Bash with this confinement and returns its result.
async fn run(world: &World, input: Value, confinement: ShellConfinement) -> String {
    let call = world.parse("Bash", input).unwrap();
    let mut access = call.access(&world.here).unwrap();
    let Access::Shell(shell) = &mut access else { panic!("{access:?}") };
    shell.confinement = confinement;
    let facts = CallFacts { tool: "Bash".into(), access };
    let ask = PermissionAsk { facts, why: Why::from_reason(""), cause: AskCause::Mode, suggestions: vec![] };
    text(&call.run(ask.approve("by the test").rights, &world.here, &context()).await)
}

async fn in_sandbox(world: &World, command: &str) -> String {
    run(world, json!({ "command": command }), ShellConfinement::WorkspaceSandbox).await
}

#[tokio::test]
async fn sb_4_new_protected_names_are_set_aside() {
    let world = world();
    std::fs::create_dir_all(world.root.join("sub/old")).unwrap();
    let made = ["sub/.git", "sub/.mcp.json", "sub/.cutonce", "sub/old/.envrc", "new/deep/.vscode", "sub/agents.MD"];
    let said = in_sandbox(
        &world,
        "mkdir -p sub/.git/hooks sub/.cutonce new/deep/.vscode; touch sub/.git/hooks/x sub/.cutonce/x sub/.mcp.json sub/old/.envrc \
         sub/agents.MD new/deep/.vscode/tasks.json; echo x > sub/plain; ln -s ../.. sub/old/.github",
    )
    .await;
    for path in made.iter().chain(&["sub/old/.github"]) {
        let aside = world.root.join(format!("{path}.set-aside"));
        assert!(
            world.root.join(path).symlink_metadata().is_err() && aside.symlink_metadata().is_ok(),
            "{path}: {said}"
        );
        assert!(said.contains(&format!("`{path}`")), "{path}: {said}");
    }
    assert!(world.root.join("sub/.git.set-aside/hooks/x").exists() && world.root.join("sub/plain").exists());
    // Again, by a rename, and in a folder that the command closes.
    in_sandbox(&world, "mv sub/.git.set-aside sub/.git; cp sub/plain new/.envrc; chmod 500 new").await;
    assert!(!world.root.join("sub/.git").exists() && world.root.join("sub/.git.set-aside").exists());
    assert!(!world.root.join("new/.envrc").exists() && world.root.join("new/.envrc.set-aside").exists());
    assert_eq!(in_sandbox(&world, "chmod 700 new; echo more >> sub/plain").await, "(no output)");
}

#[tokio::test]
async fn sb_4_names_of_the_user_stay() {
    let world = world();
    assert_eq!(in_sandbox(&world, "mkdir sub").await, "(no output)");
    // Between two commands: the next one keeps them as they are.
    std::fs::create_dir(world.root.join("sub/.git")).unwrap();
    std::fs::write(world.root.join("sub/.envrc"), "mine").unwrap();
    std::fs::create_dir_all(world.root.join("node_modules/a")).unwrap();
    let said = in_sandbox(
        &world,
        "echo x > sub/.envrc; touch sub/.git/x; mkdir node_modules/a/.github; mv sub other; echo end",
    )
    .await;
    assert!(said.starts_with("bash: ") && !said.contains("renamed to"), "{said}");
    assert_eq!(std::fs::read_to_string(world.root.join("sub/.envrc")).unwrap(), "mine");
    assert!(!world.root.join("sub/.git/x").exists() && world.root.join("node_modules/a/.github").exists());
}

#[tokio::test]
async fn sb_4_background_commands_create_no_protected_names() {
    let world = world();
    let input = json!({"command": "mkdir sub; echo x > sub/.envrc", "run_in_background": true});
    let said = run(&world, input, ShellConfinement::WorkspaceSandbox).await;
    assert!(said.contains("bash_1"), "{said}");
    while !world.here.shells.running_tasks().is_empty() {
        tokio::task::yield_now().await;
    }
    let said = text(&world.call("BashOutput", json!({"bash_id": "bash_1"})).await.unwrap());
    assert!(said.contains("`sub/.envrc`") && world.root.join("sub/.envrc.set-aside").exists(), "{said}");
}

/// The sandbox reserves names with empty folders while a command runs; another command that ends then leaves them.
#[tokio::test]
async fn sb_4_reserved_names_of_another_command_stay() {
    let world = world();
    let fifo = |name: &str| world.root.join(name);
    for name in ["one", "two"] {
        assert!(std::process::Command::new("mkfifo").arg(fifo(name)).status().unwrap().success());
        let input = json!({"command": format!("cat {name}"), "run_in_background": true});
        run(&world, input, ShellConfinement::WorkspaceSandbox).await;
    }
    let let_end = |name: &str| std::fs::write(fifo(name), "x").unwrap();
    let_end("one");
    while world.here.shells.running_tasks().len() > 1 {
        tokio::task::yield_now().await;
    }
    let_end("two");
    while !world.here.shells.running_tasks().is_empty() {
        tokio::task::yield_now().await;
    }
    let names: Vec<_> = std::fs::read_dir(&world.root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("set-aside")), "{names:?}");
}

#[tokio::test]
async fn pr_4_copied_folders_bring_no_protected_names() {
    let world = world();
    let template = world.root.join("template/.vscode");
    std::fs::create_dir_all(&template).unwrap();
    std::fs::write(template.join("tasks.json"), "{}").unwrap();
    let input = json!({"command": "cp -r template/. . && cp -r template copy && mv template moved"});
    let said = run(&world, input, ShellConfinement::AutoWorkspace).await;
    for path in [".vscode", "copy/.vscode"] {
        assert!(!world.root.join(path).exists() && said.contains(&format!("`{path}`")), "{path}: {said}");
    }
    assert!(world.root.join("moved/.vscode/tasks.json").exists(), "what moves with its folder is not new: {said}");
    assert_eq!(std::fs::metadata(world.root.join("moved")).unwrap().permissions().mode() & 0o777, 0o755);
}

/// A hard link in the workspace to a protected file, there or in the home, is closed too; others stay ordinary files.
#[tokio::test]
async fn sb_4_hard_links_to_protected_files_are_closed() {
    for confinement in [ShellConfinement::WorkspaceSandbox, ShellConfinement::AutoWorkspace] {
        let mut world = world();
        let home = world.root.with_file_name("user");
        std::fs::create_dir(&home).unwrap();
        std::sync::Arc::get_mut(&mut world.here).unwrap().workspace.home = Some(home.clone());
        let at = |path: &str| world.root.join(path);
        std::fs::create_dir_all(at(".git/hooks")).unwrap();
        std::fs::create_dir_all(at("node_modules/a")).unwrap();
        for (file, link) in [
            (at(".git/hooks/pre-commit"), "hook"),
            (home.join(".bashrc"), "notes"),
            (home.join("store"), "node_modules/a/index.js"),
        ] {
            std::fs::write(&file, "old").unwrap();
            std::fs::hard_link(&file, at(link)).unwrap();
        }
        std::fs::write(at("new"), "new").unwrap();
        let command = "cp new hook; cp new notes; cp new node_modules/a/index.js";
        let said = run(&world, json!({ "command": command }), confinement).await;
        let read = |path: &std::path::Path| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&at(".git/hooks/pre-commit")), "old", "{said}");
        assert_eq!(read(&home.join(".bashrc")), "old", "{said}");
        assert_eq!(read(&home.join("store")), "new", "{said}");
        assert!(said.contains("'hook': Read-only file system"), "{said}");
    }
}

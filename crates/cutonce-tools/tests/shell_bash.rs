//! Tests Bash with real commands: its results, its state, and that it leaves no process behind.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod shell_world;

use cutonce_core::permission::{Access, CallRights};
use cutonce_core::shell::CommandVerdict;
use cutonce_sandbox::env::{EnvNameRules, scrub_env};
use cutonce_tools::env::CallContext;
use cutonce_tools::shell::process::SessionShells;
use cutonce_tools::web::WebClient;
use serde_json::json;
use shell_world::{World, approved, context, is_there, text, vars};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

#[tokio::test]
async fn tl_8_real_bash_runs_the_unchanged_command() {
    let world = World::new();
    assert_eq!(world.bash("a=(x y); [[ ${a[1]} == y ]] && cat <(echo $0 $# $-)").await, "bash 0 hBc");
    assert_eq!(world.bash("echo out; echo err >&2; echo out").await, "out\nerr\nout");
    assert_eq!(world.bash("true").await, "(no output)");
    let wrong = world.bash("true\nif then").await;
    assert!(wrong.starts_with("bash: -c: line 2: syntax error near unexpected token `then'"), "{wrong}");
    assert!(wrong.ends_with("Exit code 2"), "{wrong}");
    let clean =
        world.bash("trap -p INT; echo ${BASH_ENV-none}; shopt -p expand_aliases; ls -1 /proc/self/fd | wc -l").await;
    assert_eq!(clean, "none\nshopt -u expand_aliases\n5", "stdin, stdout, stderr, the folder's pipe, and ls's own");
}

#[tokio::test]
async fn tl_8_exit_codes_and_signals_are_reported() {
    let world = World::new();
    let outcome = world.call("Bash", json!({"command": "echo no; exit 3"})).await.unwrap();
    assert_eq!((text(&outcome).as_str(), outcome.is_error), ("no\n\nExit code 3", true));
    assert_eq!(outcome.display.unwrap()["exitCode"], 3);
    let outcome = world.call("Bash", json!({"command": "kill -TERM $$"})).await.unwrap();
    assert_eq!((text(&outcome).as_str(), outcome.is_error), ("(no output)\n\nEnded by signal 15", true));
    let outcome = world.call("Bash", json!({"command": "echo yes"})).await.unwrap();
    assert_eq!((text(&outcome).as_str(), outcome.is_error), ("yes", false));
}

#[tokio::test]
async fn tl_8_folder_is_kept_between_calls() {
    let world = World::new();
    let root = world.root.display().to_string();
    std::fs::create_dir_all(world.root.join("with space/in\nner")).unwrap();
    assert_eq!(world.bash("pwd").await, root);
    let moved = world.bash("cd 'with space'").await;
    assert_eq!(moved, format!("(no output)\n\nThe working folder is now {root}/with space."));
    assert_eq!(world.bash("pwd").await, format!("{root}/with space"));
    assert!(world.bash("cd in*; exit 4").await.contains("Exit code 4\nThe working folder is now"));
    assert_eq!(world.bash("pwd; echo \"$PWD\"").await, format!("{root}/with space/in\nner\n{root}/with space/in\nner"));
    assert!(world.bash("set -e; cd ..; trap 'echo mine' USR1; false").await.contains("with space."));
    assert_eq!(world.bash("(cd /); bash -c 'cd /'; pwd").await, format!("{root}/with space"));
    assert_eq!(world.here.shells.working_folder(&world.here.workspace), world.root.join("with space"));
}

#[tokio::test]
async fn tl_8_unreported_folder_is_unknown() {
    let world = World::new();
    let root = world.root.display().to_string();
    std::fs::create_dir(world.root.join("sub")).unwrap();
    for command in [
        "trap 'echo bye' EXIT; cd sub",
        "cd sub; exec true",
        "cd sub && kill -9 $$",
        "cd $(exec 1>&-; echo sub; exit); exec true",
    ] {
        let told = world.bash(command).await;
        assert!(
            told.contains("is unknown") && told.ends_with(&format!("the working folder is still {root}.")),
            "{command}: {told}"
        );
        assert_eq!(world.bash("pwd").await, root, "{command}");
    }
    for command in ["exec echo fine", "trap 'echo fine' EXIT", "(cd sub); echo fine", "cd sub; cd ..; echo fine"] {
        assert_eq!(world.bash(command).await, "fine", "nothing moved, nothing to say");
    }
}

#[tokio::test]
async fn tl_8_outside_or_missing_folder_resets_to_root() {
    let world = World::new();
    let root = world.root.display().to_string();
    let outside = world.bash("cd /usr && pwd").await;
    assert_eq!(outside, format!("/usr\n\n/usr is outside the workspace: the working folder is {root} again."));
    assert_eq!(world.bash("pwd").await, root);
    world.bash("cd ../added").await;
    assert!(world.bash("pwd").await.ends_with("/added"));
    world.bash("mkdir -p sub; cd sub").await;
    std::fs::remove_dir(world.root.join("../added/sub")).unwrap();
    let back = world.bash("pwd").await;
    assert!(back.starts_with(&root) && back.contains("sub is gone; this ran in"), "{back}");
    world.bash("mkdir -p sub; cd sub; rm -r ../sub").await;
    assert_eq!(world.bash("pwd").await, root);
    std::os::unix::fs::symlink("/usr", world.root.join("link")).unwrap();
    assert!(world.bash("cd link").await.contains("/usr is outside the workspace"));
}

#[tokio::test]
async fn tl_8_timeout_kills_and_shows_output() {
    let world = World::new();
    let command = "echo before; setsid sleep 1000 & echo $!; echo $$; sleep 1000";
    let outcome = world.call("Bash", json!({"command": command, "timeout": 2_000})).await.unwrap();
    let text = text(&outcome);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "before");
    assert!(!is_there(lines[1]) && !is_there(lines[2]), "{text}");
    assert!(text.contains("Timed out after 2000 ms") && outcome.is_error, "{text}");
    let patient =
        SessionShells::new(scrub_env(vars(), &EnvNameRules::default())).default_timeout(Duration::from_millis(50));
    assert!(
        World::with(patient, WebClient::new(vec![])).bash("cat /dev/zero >/dev/null").await.contains("after 50 ms")
    );
}

#[tokio::test]
async fn tl_8_long_output_is_stored_in_a_file() {
    let world = World::new();
    let text = world.bash("yes 123456789 | head -c 50000000; echo the end").await;
    assert!(text.chars().count() < 30_000, "{}", text.chars().count());
    assert!(text.starts_with("123456789\n") && text.ends_with("123456789\nthe end"));
    let file = world.own.join("bash-output-1.txt");
    assert!(text.contains(&file.display().to_string()));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 50_000_008);
    assert!(world.bash("head -c 30001 /dev/zero | tr '\\0' x").await.contains("bash-output-2.txt"));
    assert_eq!(world.bash("head -c 30000 /dev/zero | tr '\\0' x").await, "x".repeat(30_000));
}

#[tokio::test]
async fn tl_8_leftover_processes_end_with_the_call() {
    let world = World::new();
    let leftovers = [
        "sleep 1000 & echo $!",
        "nohup sleep 1000 >/dev/null 2>&1 & echo $!",
        "setsid -f bash -c 'echo $BASHPID > pid; exec sleep 1000'; until [ -s pid ]; do :; done; cat pid",
        "(bash -c 'echo $BASHPID > pid2; trap \"\" TERM HUP; sleep 1000' &) ; until [ -s pid2 ]; do :; done; cat pid2",
    ];
    for command in leftovers {
        let text = world.bash(command).await;
        let pid = text.lines().next().unwrap();
        assert!(!is_there(pid), "{command}: {text}");
    }
}

#[tokio::test]
async fn tl_8_stdin_is_empty() {
    let world = World::new();
    assert_eq!(world.bash("cat; read -r line || echo 'no input'").await, "no input");
    assert!(world.bash("(: < /dev/tty) && echo tty").await.contains("Exit code"));
}

#[tokio::test]
async fn ag_4_interrupt_kills_and_shows_output() {
    let world = World::new();
    let (seen, mut first) = mpsc::unbounded_channel();
    let context = CallContext { output: Arc::new(move |text: &str| drop(seen.send(text.to_string()))), ..context() };
    let cancel = context.cancel.clone();
    let command = json!({"command": "setsid sleep 1000 & echo $!; sleep 1000", "timeout": 600_000});
    let call = world.call_in("Bash", command, &context);
    let interrupt = async {
        let text = first.recv().await.unwrap();
        cancel.cancel();
        text
    };
    let (outcome, streamed) = tokio::join!(call, interrupt);
    let outcome = outcome.unwrap();
    let pid = streamed.trim();
    assert!(!is_there(pid));
    assert!(text(&outcome).starts_with(&format!("{pid}\n\nInterrupted by the user")), "{outcome:?}");
    assert!(outcome.is_error);
    let never = text(&world.call_in("Bash", json!({"command": "touch started"}), &context).await.unwrap());
    assert!(never.contains("before the command was started") && !world.root.join("started").exists());
}

#[tokio::test]
async fn ag_4_dropped_call_kills_its_command() {
    let world = World::new();
    let (seen, mut first) = mpsc::unbounded_channel();
    let context = CallContext { output: Arc::new(move |text: &str| drop(seen.send(text.to_string()))), ..context() };
    let pid = {
        let call = world.call_in("Bash", json!({"command": "mkfifo pipe; echo $$; exec sleep 1000 > pipe"}), &context);
        tokio::select! {
            _ = call => panic!("it sleeps"),
            pid = async {
                let pid = first.recv().await.unwrap();
                // Both ends are open when this returns.
                let pipe = world.root.join("pipe");
                (pid, tokio::task::spawn_blocking(move || std::fs::File::open(pipe).unwrap()).await.unwrap())
            } => pid,
        }
    };
    // The pipe ends when no process has it open any more.
    let (pid, mut pipe) = pid;
    let left = tokio::task::spawn_blocking(move || std::io::Read::read(&mut pipe, &mut [0])).await.unwrap().unwrap();
    assert_eq!(left, 0, "{pid}");
}

#[tokio::test]
async fn tl_8_only_the_approved_command_runs() {
    let world = World::new();
    let call = |command: &str| world.parse("Bash", json!({ "command": command })).unwrap();
    let other = approved("Bash", &*call("true"), &world.here).unwrap();
    for rights in [CallRights::Plain, other] {
        let outcome = call("touch done").run(rights, &world.here, &context()).await;
        assert!(outcome.is_error && text(&outcome).contains("not started"), "{outcome:?}");
    }
    assert!(!world.root.join("done").exists());
}

#[tokio::test]
async fn mo_4_commands_get_no_secrets_in_env() {
    let mut given = vars();
    for (name, value) in [("ANTHROPIC_API_KEY", "sk-1"), ("GH_TOKEN", "gh-1"), ("KEPT_TOKEN", "kept"), ("LANG", "C")] {
        given.push((name.into(), value.into()));
    }
    let names = EnvNameRules { keep: vec!["KEPT_TOKEN".into()], ..EnvNameRules::default() };
    let world = World::with(SessionShells::new(scrub_env(given, &names)), WebClient::new(vec![]));
    let env = world.bash("env; tr '\\0' '\\n' < /proc/self/environ").await;
    assert!(!env.contains("sk-1") && !env.contains("gh-1"), "{env}");
    assert!(env.contains("KEPT_TOKEN=kept") && env.contains("LANG=C") && env.contains("PAGER=cat"), "{env}");
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !env.contains("CARGO_MANIFEST_DIR"), "{env}");
}

#[tokio::test]
async fn tl_10_binary_output_becomes_text() {
    let world = World::new();
    assert_eq!(world.bash(r"printf 'a\377b\0c\033[31mred\033[0m 10%%\r99%%\n'").await, "99%");
    assert_eq!(world.bash(r"printf 'a\377b\0c\033[31mred\033[0m\n'").await, "a\u{fffd}b\\u{0}cred");
}

#[tokio::test]
async fn ag_6_bad_input_names_the_field() {
    let world = World::new();
    let error = |input| async { world.call("Bash", input).await.unwrap_err() };
    assert!(error(json!({"command": "ls", "timeout": 600_001})).await.contains("`timeout`"));
    assert!(error(json!({"command": "ls", "timeout": "long"})).await.contains("`timeout`"));
    assert!(error(json!({"command": ""})).await.contains("`command`"));
    assert!(error(json!({"cmd": "ls"})).await.contains("cmd"));
}

#[tokio::test]
async fn pr_5_whole_command_is_checked() {
    let world = World::new();
    let call = world.parse("Bash", json!({"command": "make\n# all", "run_in_background": true})).unwrap();
    let Ok(Access::Shell(facts)) = call.access(&world.here) else { panic!("a shell call") };
    assert_eq!((facts.command.as_str(), facts.background), ("make\n# all", true));
    assert_eq!(call.preview(&world.here).as_deref(), Some("make\n# all"));
    assert!(!call.read_only() && !call.parallel());
}

#[tokio::test]
async fn pr_5_git_in_other_repositories_is_not_read_only() {
    // `cd x` in one call and `git status` in the next run what the settings of the repository x name.
    let world = World::new();
    world.bash("mkdir -p .git sub/deep bare/inner; touch bare/HEAD").await;
    let verdict = |world: &World| {
        let call = world.parse("Bash", json!({"command": "git status"})).unwrap();
        let Ok(Access::Shell(facts)) = call.access(&world.here) else { panic!("a shell call") };
        facts.parts[0].part.verdict.clone()
    };
    assert_eq!(verdict(&world), CommandVerdict::ReadOnly);
    world.bash("cd sub/deep").await;
    assert_eq!(verdict(&world), CommandVerdict::ReadOnly);
    world.bash("cd ../../bare/inner").await;
    assert_eq!(verdict(&world), CommandVerdict::Unknown);
    world.bash("cd ../..; rmdir .git; touch HEAD").await;
    assert_eq!(verdict(&world), CommandVerdict::Unknown);
}

#[tokio::test]
async fn tl_1_tool_descriptions_are_short() {
    let specs = cutonce_tools::shell_tools().into_iter().map(|tool| tool.spec());
    let sizes: Vec<_> = specs
        .map(|spec| (spec.name.clone(), spec.description.len(), serde_json::to_string(&spec.schema).unwrap().len()))
        .collect();
    assert!(sizes.iter().all(|(name, words, _)| *words <= if name == "Bash" { 1_100 } else { 600 }), "{sizes:?}");
    assert!(sizes.iter().map(|(_, words, schema)| words + schema).sum::<usize>() < 6_500, "{sizes:?}");
}

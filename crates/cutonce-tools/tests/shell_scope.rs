//! Commands under the scope of an approved plan, with real bash, git and layers (PC-21).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod shell_world;

use async_trait::async_trait;
use cutonce_core::permission::{Access, AskCause, CallFacts, PermissionAsk, ShellConfinement, Why};
use cutonce_core::plan::scope::{PlanScope, UserOrder};
use cutonce_core::plan::scope_git::GitUse;
use cutonce_core::settings::plan::ScopeMode;
use cutonce_sandbox::env::{EnvNameRules, scrub_env};
use cutonce_sandbox::finish_removals;
use cutonce_tools::env::CallContext;
use cutonce_tools::files::freeze_rules;
use cutonce_tools::shell::changes::{CallScope, OutsideChanges, OutsideReview, WorkspaceBase};
use cutonce_tools::shell::confine::WorkspaceSandbox;
use cutonce_tools::shell::process::SessionShells;
use cutonce_tools::web::WebClient;
use serde_json::json;
use shell_world::{World, context, text};
use std::sync::{Arc, Mutex};

/// A user who always gives the same answer.
struct User {
    says: bool,
    asked: Mutex<Vec<OutsideChanges>>,
}

#[async_trait]
impl OutsideReview for User {
    async fn review(&self, changes: &OutsideChanges) -> bool {
        self.asked.lock().unwrap().push(changes.clone());
        self.says
    }
}

fn user(says: bool) -> Arc<User> {
    Arc::new(User { says, asked: Mutex::default() })
}

fn scoped(files: &[&str], mode: ScopeMode, review: Option<Arc<User>>) -> CallContext {
    let files = files.iter().map(|file| file.to_string()).collect();
    let scope = PlanScope { mode, files, ..PlanScope::default() };
    let (review, git) = (review.map(|user| user as Arc<dyn OutsideReview>), GitUse::default());
    CallContext {
        scope: Some(CallScope {
            scope,
            git,
            order: UserOrder::default(),
            applies_all: false,
            review,
            on_discard: None,
        }),
        ..context()
    }
}

struct Project {
    world: World,
}

impl Project {
    async fn new() -> Project {
        Project::within(World::new()).await
    }
    async fn within(world: World) -> Project {
        let project = Project { world };
        let setup = "git init -q -b main && git config user.name T && git config user.email t@example.org && \
            mkdir src target && echo a > src/a.rs && echo b > src/b.rs && echo /target > .gitignore && \
            git add . && git commit -qm first && git branch other && echo warm > target/old";
        project.world.bash(setup).await;
        project
    }
    async fn run(&self, command: &str, context: &CallContext) -> String {
        text(&self.world.call_in("Bash", json!({ "command": command }), context).await.unwrap())
    }
    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.world.root.join(name)).ok()
    }
    async fn git(&self, args: &str) -> String {
        self.world.bash(&format!("git {args}")).await
    }
}

#[tokio::test]
async fn pc_21_only_changes_inside_are_applied() {
    let project = Project::new().await;
    let context = scoped(&["src/a.rs", "src/new.rs"], ScopeMode::Enforce, None);
    let said = project
        .run("sed -i s/$/!/ src/*.rs; echo n > src/new.rs; mkdir -p x/y; echo z > x/y/z; cat src/b.rs", &context)
        .await;
    assert!(said.starts_with("b!\n\nOutside the approved plan, so not applied: "), "{said}");
    assert!(said.contains("src/b.rs") && said.contains("x/y/z") && !said.contains("src/a.rs"), "{said}");
    assert_eq!(project.read("src/a.rs").as_deref(), Some("a!\n"));
    assert_eq!(
        (project.read("src/new.rs").as_deref(), project.read("src/b.rs").as_deref()),
        (Some("n\n"), Some("b\n"))
    );
    assert!(!project.world.root.join("x").exists());
    // The next command sees what was applied.
    assert_eq!(project.run("cat src/a.rs src/new.rs src/b.rs", &context).await, "a!\nn\nb");
    let outcome = project.world.call_in("Bash", json!({"command": "rm src/new.rs"}), &context).await.unwrap();
    assert_eq!(outcome.display.unwrap()["changed"], json!(["src/new.rs"]));
    assert_eq!(project.read("src/new.rs"), None);
}

#[tokio::test]
async fn pc_21_user_decides_about_changes_outside() {
    let project = Project::new().await;
    for says in [false, true] {
        let user = user(says);
        let context = scoped(&["src/a.rs"], ScopeMode::Ask, Some(user.clone()));
        let said = project.run("chmod +x src/b.rs; echo more >> src/b.rs; ln -s a.rs src/link", &context).await;
        let asked = user.asked.lock().unwrap().clone();
        assert_eq!(asked[0].paths, ["src/b.rs", "src/link"], "{said}");
        assert!(asked[0].diff.contains("new mode 100755") && asked[0].diff.contains("+more\n"), "{}", asked[0].diff);
        assert_eq!(project.read("src/b.rs").unwrap().contains("more"), says, "{said}");
        assert_eq!(project.world.root.join("src/link").is_symlink(), says);
    }
    let context = scoped(&["src/a.rs"], ScopeMode::Ask, None);
    let context = CallContext { scope: context.scope.map(|scope| CallScope { applies_all: true, ..scope }), ..context };
    let said = project.run("echo all >> src/b.rs", &context).await;
    assert!(said.contains("Outside the approved plan, but applied: src/b.rs."), "{said}");
    assert!(project.read("src/b.rs").unwrap().contains("all"));
}

#[tokio::test]
async fn pc_21_ignored_files_are_never_outside() {
    let project = Project::new().await;
    let context = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    let said = project.run("cat target/old; echo built > target/out; rm target/old", &context).await;
    assert_eq!(said, "warm");
    assert_eq!((project.read("target/out").as_deref(), project.read("target/old")), (Some("built\n"), None));
    // An ignored folder that did not exist before.
    std::fs::remove_dir_all(project.world.root.join("target")).unwrap();
    let fresh = Project { world: project.world };
    let said = fresh.run("mkdir -p target/debug && echo 1 > target/debug/out", &context).await;
    assert_eq!((said.as_str(), fresh.read("target/debug/out").as_deref()), ("(no output)", Some("1\n")));
    let said = fresh.run("echo 2 > target/debug/out && git status --short", &context).await;
    assert_eq!((said.as_str(), fresh.read("target/debug/out").as_deref()), ("(no output)", Some("2\n")));
}

/// A folder that is mounted can't be removed, so a command that names it gets it on the layer.
#[tokio::test]
async fn pc_21_ignored_folders_can_be_removed_and_replaced() {
    let project = Project::new().await;
    let context = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    let said = project.run("rm -rf target && mkdir target && echo 2 > target/two && ls target", &context).await;
    assert_eq!(
        (said.as_str(), project.read("target/old"), project.read("target/two")),
        ("two", None, Some("2\n".into()))
    );
    assert_eq!(project.run("echo 3 > target/two; rm -rf target", &context).await, "(no output)");
    assert!(!project.world.root.join("target").exists());
    // A link in its place leads nowhere.
    project.run("mkdir target; echo 1 > target/x", &context).await;
    project.run("rm -rf target; ln -s src target; echo 4 > target/b.rs", &context).await;
    assert_eq!(project.read("src/b.rs").as_deref(), Some("b\n"));
}

/// A first build writes its folder directly; without a build the folder is gone again.
#[tokio::test]
async fn pc_21_build_folders_are_made_for_a_command() {
    let project = Project::new().await;
    let (root, context) = (&project.world.root, scoped(&["src/a.rs"], ScopeMode::Enforce, None));
    std::fs::remove_dir_all(root.join("target")).unwrap();
    std::fs::write(root.join("Cargo.toml"), "").unwrap();
    std::fs::write(root.join("package.json"), "{}").unwrap();
    let kind = "stat -f -c %T target . | uniq | wc -l";
    assert_eq!(project.run(&format!("{kind}; ls -d node_modules 2>&1 | head -c 3"), &context).await, "2\nls:");
    assert!(!root.join("target").exists());
    assert_eq!(project.run("echo 1 > target/out", &context).await, "(no output)");
    assert_eq!(project.read("target/out").as_deref(), Some("1\n"));
    std::fs::remove_dir_all(root.join("target")).unwrap();
    assert_eq!(project.run("mkdir target && echo made", &context).await, "made");
}

/// An explicit order of the user wins, also for a command (PC-24).
#[tokio::test]
async fn pc_24_ordered_files_are_asked_about() {
    let project = Project::new().await;
    for (message, asks) in [("also change src/b.rs, please.", true), ("go on", false)] {
        let user = user(true);
        let context = scoped(&["src/a.rs"], ScopeMode::Enforce, Some(user.clone()));
        let order = UserOrder::new(message);
        let scope = context.scope.map(|scope| CallScope { order, ..scope });
        let context = CallContext { scope, ..context };
        project.run(&format!("echo '{asks}' > src/b.rs"), &context).await;
        assert_eq!(user.asked.lock().unwrap().len(), usize::from(asks), "{message}");
        project.run("echo 1 > src/b.rs; echo 1 > src/c.rs", &context).await;
        assert_eq!(project.read("src/b.rs").as_deref(), Some("true\n"), "not all of it was ordered");
    }
}

#[tokio::test]
async fn pc_21_git_folder_is_one_unit() {
    let project = Project::new().await;
    let enforce = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    project.run("echo mine > src/a.rs", &enforce).await;
    for command in ["git commit -qam second", "git stash -q", "git checkout -q other", "git branch third"] {
        let said = project.run(command, &enforce).await;
        let name = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
        assert!(said.contains(&format!("so not applied: {name} (.git)")), "{command}: {said}");
        assert_eq!(project.read("src/a.rs").as_deref(), Some("mine\n"), "{command}");
    }
    assert_eq!(project.git("log --oneline --all | wc -l").await, "1");
    assert_eq!(project.git("status --short; git diff --stat").await.lines().next(), Some(" M src/a.rs"));
    // Reading leaves no trace, and the user can agree to a commit.
    assert_eq!(
        project.run("touch src/b.rs; git status --short; git log --oneline | wc -l", &enforce).await,
        " M src/a.rs\n1"
    );
    let user = user(true);
    let said = project
        .run("git commit -qam second && git status --short", &scoped(&["src/a.rs"], ScopeMode::Ask, Some(user.clone())))
        .await;
    assert_eq!(user.asked.lock().unwrap()[0].paths, ["git commit (.git)"], "{said}");
    assert_eq!(project.git("log --oneline | wc -l").await, "2");
    assert_eq!(project.git("status --short; git fsck 2>&1").await, "(no output)");
    let named = scoped(&["src/a.rs", ".git"], ScopeMode::Enforce, None);
    project.run("git checkout -q other", &named).await;
    assert_eq!(project.git("branch --show-current").await, "other");
}

#[tokio::test]
async fn pc_21_moves_across_the_border_lose_nothing() {
    let project = Project::new().await;
    let context = scoped(&["src/a.rs", "src/c.rs"], ScopeMode::Enforce, None);
    let said = project.run("mv src/a.rs outside.rs", &context).await;
    assert!(said.contains("outside.rs") && said.contains("src/a.rs"), "{said}");
    assert_eq!((project.read("src/a.rs").as_deref(), project.read("outside.rs")), (Some("a\n"), None));
    project.run("mv src/b.rs src/c.rs", &context).await;
    assert_eq!((project.read("src/b.rs").as_deref(), project.read("src/c.rs").as_deref()), (Some("b\n"), Some("b\n")));
}

#[tokio::test]
async fn pc_21_moved_links_and_empty_files_stay() {
    let project = Project::new().await;
    project.world.bash("ln -s b.rs src/link; : > src/__init__.py; git add . && git commit -qm links").await;
    let context = scoped(&["src/link", "src/__init__.py"], ScopeMode::Enforce, None);
    let said = project.run("mv src lib", &context).await;
    assert!(said.contains("lib/link") && said.contains("src/link"), "{said}");
    assert_eq!(project.git("status --short").await, "(no output)");
}

/// A repository's settings and attributes name programs that `git status` runs on changed files.
#[tokio::test]
async fn rh_6_base_runs_no_filter_of_the_repository() {
    let project = Project::new().await;
    let proof = project.world.root.parent().unwrap().join("filter-ran");
    let setup = format!(
        "echo '*.rs filter=x' > .git/info/attributes; git config filter.x.clean 'touch {}; cat'; echo b >> src/b.rs",
        proof.display()
    );
    project.world.bash(&setup).await;
    let base = WorkspaceBase::new(&project.world.root, &shell_world::vars()).await;
    assert!(base.dirty && base.commit.is_some(), "{base:?}");
    assert!(!proof.exists());
    project.world.bash("git config --unset filter.x.clean; git checkout -q src/b.rs").await;
    assert!(!WorkspaceBase::new(&project.world.root, &shell_world::vars()).await.dirty);
}

/// A repository inside a planned folder has settings and hooks that run programs.
#[tokio::test]
async fn pc_21_nested_git_folders_are_units_too() {
    let project = Project::new().await;
    let command = "mkdir -p docs && (cd docs && git init -q && git config core.fsmonitor evil && echo x > y)";
    let said = project.run(command, &scoped(&["docs/"], ScopeMode::Enforce, None)).await;
    assert!(said.contains("so not applied: docs/.git."), "{said}");
    assert!(!project.world.root.join("docs/.git").exists(), "{said}");
    let user = user(true);
    project.run(command, &scoped(&["docs/"], ScopeMode::Ask, Some(user.clone()))).await;
    assert_eq!(user.asked.lock().unwrap()[0].paths, ["docs/.git"]);
    assert!(project.world.root.join("docs/.git/config").exists());
    project.run("cd docs; git config core.fsmonitor false", &scoped(&["docs/.git"], ScopeMode::Enforce, None)).await;
    assert!(project.read("docs/.git/config").unwrap().contains("fsmonitor = false"));
}

#[tokio::test]
async fn pc_21_background_commands_are_compared_at_their_end() {
    let project = Project::new().await;
    let context = scoped(&["src/a.rs", "src/c.rs"], ScopeMode::Enforce, None);
    let watcher =
        "echo up; until [ -e stop ]; do sleep 0.05; echo w > src/c.rs; touch src/b.rs stop; done; echo x >> src/b.rs";
    let input = json!({ "command": watcher, "run_in_background": true });
    let said = text(&project.world.call_in("Bash", input, &context).await.unwrap());
    assert!(said.starts_with("Started in the background as bash_1;"), "{said}");
    // Meanwhile another command writes.
    project.run("echo now > src/a.rs", &context).await;
    let mut output = String::new();
    while !output.contains("Outside the approved plan") {
        let next = project.world.call("BashOutput", json!({"bash_id": "bash_1"})).await.unwrap();
        output.push_str(&text(&next));
        tokio::task::yield_now().await;
    }
    assert!(output.contains("so not applied: src/b.rs, stop."), "{output}");
    assert_eq!(
        (project.read("src/c.rs").as_deref(), project.read("src/a.rs").as_deref()),
        (Some("w\n"), Some("now\n"))
    );
    assert_eq!(project.read("src/b.rs").as_deref(), Some("b\n"));
}

#[tokio::test]
async fn pc_21_background_commands_are_compared_on_request() {
    let project = Project::new().await;
    let context = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    let server = "echo 1 > src/a.rs; echo x > src/b.rs; echo ready > target/1; until [ -e target/2 ]; do sleep 0.02; done; echo 2 > src/a.rs; echo ready > target/3; sleep 600";
    project.world.call_in("Bash", json!({ "command": server, "run_in_background": true }), &context).await.unwrap();
    let look =
        async || text(&project.world.call_in("BashOutput", json!({"bash_id": "bash_1"}), &context).await.unwrap());
    project.run("until [ -e target/1 ]; do sleep 0.02; done", &context).await;
    assert_eq!(project.read("src/a.rs").as_deref(), Some("a\n"));
    let said = look().await;
    assert!(said.contains("running") && said.contains("so not applied: src/b.rs."), "{said}");
    assert_eq!((project.read("src/a.rs").as_deref(), project.read("src/b.rs").as_deref()), (Some("1\n"), Some("b\n")));
    project.run("touch target/2; until [ -e target/3 ]; do sleep 0.02; done", &context).await;
    let said = look().await;
    assert!(!said.contains("not applied"), "said once: {said}");
    assert_eq!(project.read("src/a.rs").as_deref(), Some("2\n"));
    project.world.call("KillShell", json!({"shell_id": "bash_1"})).await.unwrap();
}

#[tokio::test]
async fn pc_21_nothing_outside_the_workspace_changes() {
    let project = Project::new().await;
    let base = project.world.root.parent().unwrap().to_path_buf();
    let context = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    let home = base.join("home");
    let command = format!(
        "echo x > {0}/added/pwned; echo x > {0}/pwned; ls {1}/layers/*/upper; echo x > {1}/layers/pwned; echo x > $TMPDIR/ok && cat $TMPDIR/ok",
        base.display(),
        home.display()
    );
    let said = project.run(&command, &context).await;
    assert!(said.contains("\nx"), "{said}");
    assert!(!base.join("added/pwned").exists() && !base.join("pwned").exists() && !home.join("layers/pwned").exists());
    // No layer is left.
    finish_removals();
    let left = std::fs::read_dir(home.join("layers")).unwrap().flatten().filter(|entry| entry.path().is_dir()).count();
    assert_eq!(left, 0);
}

/// A folder that git no longer ignores, or a link in the place of one, is not written directly.
#[tokio::test]
async fn pc_21_only_folders_ignored_now_are_written_directly() {
    let project = Project::new().await;
    let context = scoped(&["src/a.rs", "docs/"], ScopeMode::Enforce, None);
    let root = &project.world.root;
    assert_eq!(project.run("echo 1 > target/out", &context).await, "(no output)");
    std::fs::write(root.join(".gitignore"), "/build\n").unwrap();
    let said = project.run("echo 2 > target/out", &context).await;
    assert!(said.contains("so not applied: target/out"), "{said}");
    assert_eq!(project.read("target/out").as_deref(), Some("1\n"));
    std::fs::write(root.join(".gitignore"), "/target\n").unwrap();
    project.run("true", &context).await;
    std::fs::remove_dir_all(root.join("target")).unwrap();
    std::os::unix::fs::symlink("src", root.join("target")).unwrap();
    project.run("echo 3 > target/b.rs", &context).await;
    assert_eq!(project.read("src/b.rs").as_deref(), Some("b\n"));
}

/// A plan that may change ignore rules can't use them to write elsewhere: those from the approval count (PC-20).
#[tokio::test]
async fn pc_21_rules_of_a_command_widen_no_scope() {
    for project in [Project::new().await, compared_project().await] {
        let root = &project.world.root;
        std::fs::create_dir(root.join("web")).unwrap();
        std::fs::create_dir(root.join("out")).unwrap();
        let mut context = scoped(&[".gitignore", "web/.gitignore", ".git"], ScopeMode::Enforce, None);
        context.scope.iter_mut().for_each(|scope| freeze_rules(root, &mut scope.scope));
        let said = project.run("echo '/out' >> .gitignore; echo '*' > web/.gitignore", &context).await;
        assert_eq!((said.as_str(), project.read("web/.gitignore").as_deref()), ("(no output)", Some("*\n")));
        project.run("echo '*.rs' > .git/info/exclude; git config core.excludesFile .mine; ls -a", &context).await;
        assert_eq!(project.read(".git/info/exclude").as_deref(), Some("*.rs\n"));
        std::fs::write(root.join(".mine"), "*\n").unwrap();
        let said =
            project.run("echo x > out/x; echo x > web/x; echo x > new.rs; mkdir d; echo x > d/x", &context).await;
        assert!(["out/x", "web/x", "new.rs", "d/x"].iter().all(|name| said.contains(name)), "{said}");
        assert!(["out/x", "web/x", "new.rs", "d/x"].iter().all(|name| project.read(name).is_none()), "{said}");
        assert_eq!(project.run("echo x > target/x", &context).await, "(no output)");
        assert_eq!(project.read("target/x").as_deref(), Some("x\n"));
    }
}

/// A command in the workspace sandbox gets no other places to write to because there is a plan.
#[tokio::test]
async fn sb_4_scope_does_not_widen_the_workspace_sandbox() {
    let mut project = Project::new().await;
    let home = tempfile::tempdir_in("/var/tmp").unwrap();
    let cargo = home.path().canonicalize().unwrap().join(".cargo");
    std::fs::create_dir_all(cargo.join("bin")).unwrap();
    let here = Arc::get_mut(&mut project.world.here).unwrap();
    here.workspace.home = Some(home.path().canonicalize().unwrap());
    here.shells.set_workspace_sandbox(WorkspaceSandbox::new(vec![], false).unwrap());
    let context = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    let command = format!(
        "echo x > {0}/bin/cargo && cat {0}/bin/cargo; echo x > {1}/pwned; echo x > src/a.rs; echo x > .git/config",
        cargo.display(),
        home.path().display()
    );
    let call = project.world.parse("Bash", json!({ "command": command })).unwrap();
    let mut access = call.access(&project.world.here).unwrap();
    let Access::Shell(shell) = &mut access else { panic!("{access:?}") };
    shell.confinement = ShellConfinement::WorkspaceSandbox;
    let facts = CallFacts { tool: "Bash".into(), access };
    let ask = PermissionAsk { facts, why: Why::from_reason(""), cause: AskCause::Mode, suggestions: vec![] };
    let said = text(&call.run(ask.approve("by the test").rights, &project.world.here, &context).await);
    assert!(said.starts_with("x\n"), "builds can use their caches: {said}");
    assert!(!cargo.join("bin/cargo").exists(), "{said}");
    assert!(!home.path().join("pwned").exists(), "{said}");
    assert_eq!(project.read("src/a.rs").as_deref(), Some("x\n"));
}

/// A small project with Rust, Python and JavaScript in it, where all programs of this machine can be used.
async fn mixed_project() -> Project {
    let shells = SessionShells::new(scrub_env(std::env::vars_os(), &EnvNameRules::default()));
    let project = Project { world: World::with(shells, WebClient::new(vec![])) };
    let files = [
        (".gitignore", "/target\nnode_modules\ndist\nbuild\ncoverage\n__pycache__\n*.log\n"),
        ("Cargo.toml", "[package]\nname = \"mixed\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n"),
        ("src/lib.rs", "pub fn one() -> u32 {\n    1\n}\n"),
        ("src/main.rs", "fn main() {\n  println!(\"{}\", mixed::one());\n}\n"),
        ("src/util.rs", "pub fn a() {}\n"),
        ("tests/__init__.py", ""),
        ("tests/test_a.py", "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n"),
        ("app.js", "console.log('app')\n"),
        (
            "package.json",
            r#"{"name":"mixed","version":"1.0.0","scripts":{"build":"mkdir -p dist && cp app.js dist/","test":"node app.js","lint":"node --check app.js"}}"#,
        ),
        (
            "Makefile",
            "all: build\nbuild:\n\tmkdir -p build && cp app.js build/\ntest:\n\tnode app.js\nclean:\n\trm -rf build/*\n",
        ),
    ];
    for (name, text) in files {
        let path = project.world.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let setup = "git init -q -b main && git config user.name T && git config user.email t@example.org && \
        cargo generate-lockfile --offline -q && git add . && git commit -qm first && cargo build --offline -q";
    project.world.bash(setup).await;
    project
}

/// Commands of the list that begin with `! ` change something outside the scope, so the user must be asked.
#[tokio::test]
async fn pc_21_ordinary_commands_ask_only_with_need() {
    let project = mixed_project().await;
    let scope = ["src/lib.rs", "src/new.rs", "src/tmp.rs", "tests/test_a.py", "Cargo.toml", "package.json"];
    let commands = include_str!("shell_world/ordinary_commands.txt").lines().filter(|line| !line.starts_with('#'));
    let (mut needless, mut missed, mut broken, mut count) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for line in commands {
        let user = user(false);
        let said =
            project.run(line.trim_start_matches("! "), &scoped(&scope, ScopeMode::Ask, Some(Arc::clone(&user)))).await;
        let asked: Vec<String> = user.asked.lock().unwrap().iter().flat_map(|ask| ask.paths.clone()).collect();
        count += usize::from(!line.starts_with("! "));
        if ["Device or resource busy", "cross-device"].iter().any(|sign| said.contains(sign)) {
            broken.push(format!("{line}: {said}"));
        }
        match (line.starts_with("! "), asked.is_empty()) {
            (true, true) => missed.push(format!("{line}: {said}")),
            (false, false) => needless.push(format!("{line}: {asked:?}")),
            _ => {}
        }
    }
    assert!(count >= 200 && missed.is_empty(), "{count} commands; not asked: {missed:#?}");
    assert!(needless.is_empty(), "asked without need: {needless:#?}");
    assert!(broken.is_empty(), "the layer is in the way: {broken:#?}");
}

/// A machine without layers (PC-22).
async fn compared_project() -> Project {
    let shells = SessionShells::new(scrub_env(shell_world::vars(), &EnvNameRules::default())).without_layers();
    Project::within(World::with(shells, WebClient::new(vec![]))).await
}

#[tokio::test]
async fn pc_22_changes_outside_are_restored() {
    let project = compared_project().await;
    let context = scoped(&["src/a.rs", "src/new.rs"], ScopeMode::Enforce, None);
    let said = project
        .run("sed -i s/$/!/ src/*.rs; echo n > src/new.rs; mkdir -p x/y; echo z > x/y/z; chmod +x src/b.rs; ln -s b.rs src/link; cat src/b.rs", &context)
        .await;
    assert!(said.starts_with("b!\n\nOutside the approved plan, so restored: src/b.rs, src/link, x"), "{said}");
    assert_eq!(
        (
            project.read("src/a.rs").as_deref(),
            project.read("src/new.rs").as_deref(),
            project.read("src/b.rs").as_deref()
        ),
        (Some("a!\n"), Some("n\n"), Some("b\n"))
    );
    assert!(!project.world.root.join("x").exists() && !project.world.root.join("src/link").exists());
    assert_eq!(project.world.bash("stat -c %a src/b.rs").await, "644");
    // What was taken back is not lost: some of it may be the user's own.
    assert_eq!(std::fs::read_to_string(project.world.own.join("taken-back-1/src/b.rs")).unwrap(), "b!\n");
    for command in [
        "rm src/b.rs",
        "mv src/b.rs gone.rs",
        "rm -r src; mkdir src",
        "chmod 000 src/b.rs",
        "echo same > src/b.rs; touch -d @1 src/b.rs",
    ] {
        let said = project.run(command, &context).await;
        assert!(said.contains("so restored: ") && said.contains("src/b.rs"), "{command}: {said}");
        assert_eq!(project.read("src/b.rs").as_deref(), Some("b\n"), "{command}");
    }
    assert_eq!(project.git("status --short src/b.rs").await, "(no output)");
}

#[tokio::test]
async fn pc_22_rules_of_the_command_hide_nothing() {
    let project = compared_project().await;
    let context = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    assert_eq!(
        project.run("echo built > target/out; rm target/old; echo mine > src/a.rs", &context).await,
        "(no output)"
    );
    assert_eq!(project.read("target/out").as_deref(), Some("built\n"));
    for command in
        ["mkdir x; echo '*' > x/.gitignore; echo z > x/z", "echo '*' > .gitignore; echo z > z; echo c > src/b.rs"]
    {
        let said = project.run(command, &context).await;
        assert!(said.contains("z") && said.contains(".gitignore"), "{command}: {said}");
    }
    assert!(!project.world.root.join("x").exists() && project.read("z").is_none());
    assert_eq!(
        (project.read(".gitignore").as_deref(), project.read("src/b.rs").as_deref()),
        (Some("/target\n"), Some("b\n"))
    );
}

#[tokio::test]
async fn pc_22_git_folder_is_one_unit() {
    let project = compared_project().await;
    let enforce = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    project.run("echo mine > src/a.rs", &enforce).await;
    for command in ["git commit -qam second", "git stash -q", "git checkout -q -f other", "git branch third"] {
        let said = project.run(command, &enforce).await;
        let name = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
        assert!(said.contains(&format!("so restored: {name} (.git)")), "{command}: {said}");
        assert_eq!(project.read("src/a.rs").as_deref(), Some("mine\n"), "{command}");
    }
    assert_eq!(
        project
            .git("log --oneline --all | wc -l; git status --short; git fsck 2>&1 | sed /dangling/d")
            .await
            .lines()
            .collect::<Vec<_>>(),
        ["1", " M src/a.rs"]
    );
    assert_eq!(project.run("touch src/b.rs; git status --short", &enforce).await, " M src/a.rs");
}

#[tokio::test]
async fn pc_22_user_keeps_or_restores() {
    let project = compared_project().await;
    for says in [false, true] {
        let user = user(says);
        let said =
            project.run("echo more >> src/b.rs", &scoped(&["src/a.rs"], ScopeMode::Ask, Some(user.clone()))).await;
        let asked = user.asked.lock().unwrap().clone();
        assert!(asked[0].is_done && asked[0].diff.contains("+more"), "{asked:?}");
        assert_eq!(project.read("src/b.rs").unwrap().contains("more"), says, "{said}");
    }
    let context = scoped(&["src/a.rs"], ScopeMode::Ask, None);
    let context = CallContext { scope: context.scope.map(|scope| CallScope { applies_all: true, ..scope }), ..context };
    let said = project.run("echo all >> src/b.rs", &context).await;
    assert!(said.contains("Outside the approved plan, but kept: src/b.rs."), "{said}");
}

#[tokio::test]
async fn pc_22_background_work_is_compared_too() {
    let project = compared_project().await;
    project.world.here.disk.set_on_change(Some(Arc::new(|_| {})));
    let context = scoped(&["src/a.rs", "src/c.rs"], ScopeMode::Enforce, None);
    let watcher = "until [ -e target/go ]; do sleep 0.02; done; echo w > src/c.rs; echo x >> src/b.rs";
    let input = json!({ "command": watcher, "run_in_background": true });
    project.world.call_in("Bash", input, &context).await.unwrap();
    // What a tool writes meanwhile is not the watcher's work, although the plan does not name it.
    project.world.here.disk.restore(&project.world.root.join("tool.txt"), Some(b"by a tool\n")).unwrap();
    let mut said = project.run("echo now > src/a.rs; touch target/go", &context).await;
    // Whichever comparison comes first finds the watcher's changes.
    while !said.contains("bash_1: exited") {
        said.push_str(&text(&project.world.call("BashOutput", json!({"bash_id": "bash_1"})).await.unwrap()));
        tokio::task::yield_now().await;
    }
    assert!(said.contains("so restored: src/b.rs."), "{said}");
    let files = ["src/a.rs", "src/b.rs", "src/c.rs", "tool.txt"].map(|name| project.read(name).unwrap());
    assert_eq!(files, ["now\n", "b\n", "w\n", "by a tool\n"]);
}

#[tokio::test]
async fn pc_21_plans_can_name_a_commit() {
    let project = Project::new().await;
    let mut context = scoped(&["src/a.rs"], ScopeMode::Enforce, None);
    context.scope.iter_mut().for_each(|scope| scope.scope.git = vec!["commit".into()]);
    project.run("echo mine > src/a.rs", &context).await;
    let said = project.run("git add -A && git commit -qm second", &context).await;
    assert_eq!((said.as_str(), project.git("log --oneline | wc -l").await.as_str()), ("(no output)", "2"));
    let said = project.run("git stash -q; git checkout -q other", &context).await;
    assert!(said.contains("so not applied: git stash, git checkout (.git)"), "{said}");
    assert_eq!(project.git("branch --show-current").await, "main");
}

//! FL-3: what a job leaves: patch, report, and a push only where job and worker agree on it.

use crate::stage::{Person, Stage, git, text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const PLAN: &str = "# Add a file\n\nAdd new.txt.\n";

/// A bare repository with the commits of the stage.
fn bare_repository(stage: &Stage) -> (PathBuf, String) {
    let path = stage.root.path().join("origin.git");
    let (from, to) = (stage.repo().display().to_string(), path.display().to_string());
    git(stage.root.path(), &["clone", "-q", "--bare", &from, &to]);
    let url = format!("file://{to}");
    (path, url)
}

fn git_text(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
    text(&output.stdout).trim().to_string()
}

fn submit(ann: &Person, url: &str, more: &[&str]) -> String {
    let file = ann.home.join("p.md");
    std::fs::write(&file, PLAN).unwrap();
    let (hash, file) = (cutonce_core::plan::sha256_hex(PLAN), file.display().to_string());
    let args = ["submit", "implement", &file, "--sha256", &hash, "--remote", "team", "--repo", url];
    ann.ok(&[&args, more].concat()).trim().to_string()
}

fn work(worker: &Person, push: &[&str]) {
    let settings = json!({"fleet": {"push": push}}).to_string();
    worker.ok(&["worker", "--remote", "team", "--exit-when-idle", "--settings", &settings]);
}

fn pushed(job: &Value) -> &Value {
    &job["result"]["pushed"]
}

#[test]
fn fl_3_results_are_pushed_only_where_allowed() {
    let stage = Stage::new();
    let ann = stage.owner();
    let worker = stage.member(&ann, "wanda", "worker");
    let (bare, url) = bare_repository(&stage);
    let branches = || git_text(&bare, &["for-each-ref", "--format=%(refname:short)"]);
    // The setting allows it, the job does not ask; then the job asks, and the setting does not allow it.
    let silent = submit(&ann, &url, &[]);
    work(&worker, &["*"]);
    let denied = submit(&ann, &url, &["--push", "cutonce/new"]);
    let requests = stage.model.requests().len();
    work(&worker, &["other/*", "cutonce"]);
    assert_eq!(branches(), "main");
    assert_eq!((&ann.job(&silent)["state"], pushed(&ann.job(&silent))), (&json!("done"), &json!(null)));
    let job = ann.job(&denied);
    assert_eq!(job["state"], "failed", "{job}");
    let why = job["result"]["summary"].as_str().unwrap();
    assert!(why.contains("may not push to cutonce/new") && why.contains("fleet.push"), "{why}");
    assert_eq!(stage.model.requests().len(), requests, "refused before any work");
    // Both agree.
    let allowed = submit(&ann, &url, &["--push", "cutonce/new"]);
    work(&worker, &["cutonce/*"]);
    let job = ann.job(&allowed);
    assert_eq!((&job["state"], &pushed(&job)["branch"]), (&json!("done"), &json!("cutonce/new")), "{job}");
    assert_eq!(branches(), "cutonce/new\nmain");
    assert_eq!(git_text(&bare, &["show", "cutonce/new:new.txt"]), "new");
    assert_eq!(git_text(&bare, &["rev-parse", "cutonce/new"]), pushed(&job)["commit"].as_str().unwrap());
    assert_eq!(git_text(&bare, &["rev-parse", "cutonce/new~1"]), git_text(&bare, &["rev-parse", "main"]));
    let message = git_text(&bare, &["log", "-1", "--format=%B", "cutonce/new"]);
    assert!(message.starts_with("Add a file\n") && message.contains(&format!("Cutonce-Job: {allowed}")), "{message}");
    let out = stage.root.path().join("out");
    ann.ok(&["jobs", "fetch", &allowed, "--out", &out.display().to_string(), "--remote", "team"]);
    let result: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    assert_eq!(pushed(&result)["branch"], "cutonce/new");
}

#[test]
fn fl_3_pushes_never_replace_the_work_of_others() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bare, url) = bare_repository(&stage);
    let commit =
        ["-c", "user.name=o", "-c", "user.email=o@example.invalid", "commit", "-q", "--allow-empty", "-m", "x"];
    git(&stage.repo(), &["checkout", "-q", "-b", "taken"]);
    git(&stage.repo(), &commit);
    git(&stage.repo(), &["push", "-q", &bare.display().to_string(), "taken", "taken:same"]);
    let before = git_text(&bare, &["rev-parse", "taken"]);
    let id = submit(&ann, &url, &["--push", "taken"]);
    work(&ann, &["*"]);
    let job = ann.job(&id);
    let why = job["result"]["summary"].as_str().unwrap();
    assert!(job["state"] == "failed" && why.contains("the branch taken has other commits"), "{job}");
    assert_eq!(git_text(&bare, &["rev-parse", "taken"]), before);
    assert!(job["result"]["patch"].as_u64() > Some(0), "the work can still be fetched");
    // A branch that the result continues moves forward.
    let forward = submit(&ann, &url, &["--push", "main"]);
    work(&ann, &["main"]);
    assert_eq!(ann.job(&forward)["state"], "done");
    assert_eq!(git_text(&bare, &["show", "main:new.txt"]), "new");
    for bad in ["-x", "a..b", "a b", ""] {
        let push = format!("--push={bad}");
        let args = ["submit", "implement", "p.md", "--sha256", "0", "--remote", "team", "--repo", &url, &push];
        assert!(!ann.run(&args).status.success(), "{bad}");
    }
    let file = ann.home.join("p.md").display().to_string();
    let (hash, folder) = (cutonce_core::plan::sha256_hex(PLAN), stage.repo().display().to_string());
    let to_folder =
        ["submit", "implement", &file, "--sha256", &hash, "--remote", "team", "--push", "b", "--repo", &folder];
    assert!(ann.fails(&to_folder).contains("has no place to push to"));
    let secret = ["submit", "plan", "x", "--remote", "team", "--repo", "https://u:s3cr3t@host/x.git"];
    let error = ann.fails(&secret);
    assert!(error.contains("contains a password") && !error.contains("s3cr3t"), "{error}");
}

/// Runs an implementation job with a push. Before it ends, these lines run in its clone, as a model with a shell could
/// do it. `PROGRAM` is a program that leaves a trap. Returns the job, and whether the program ran.
fn plant_in_clone(stage: &Stage, ann: &Person, url: &str, lines: &str) -> (Value, bool) {
    let (trap, program) = (stage.root.path().join("trap"), stage.root.path().join("hooks/program"));
    std::fs::create_dir_all(stage.root.path().join("hooks")).unwrap();
    for name in ["pre-push", "program"] {
        let file = program.with_file_name(name);
        std::fs::write(&file, format!("#!/bin/sh\ntouch {}\ncat\n", trap.display())).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let id = submit(ann, url, &["--push", "b"]);
    let plant = stage.root.path().join("plant.sh");
    let hook = json!({"type": "command", "command": format!("sh {}", plant.display())});
    let settings = json!({"fleet": {"push": ["b"]}, "hooks": {"Stop": [{"hooks": [hook]}]}}).to_string();
    let lines = lines.replace("PROGRAM", &program.display().to_string());
    let done = stage.root.path().join("planted");
    let script = format!("set -e\ncd \"$(git rev-parse --show-toplevel)\"\n{lines}\ntouch {}\n", done.display());
    std::fs::write(&plant, script).unwrap();
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle", "--settings", &settings]);
    assert!(done.exists(), "nothing was planted");
    (ann.job(&id), trap.exists())
}

fn writing_stage() -> Stage {
    let script = json!({"turns": [
        {"calls": [{"name": "Write", "input": {"file_path": "new.txt", "content": "new\n"}}]},
        {"text": "All done.", "repeat": 100}
    ]});
    Stage::with_script(&script.to_string())
}

/// The job's clone belongs to the model: its settings and hooks must not run in the worker.
#[test]
fn fl_3_settings_of_the_clone_run_nothing() {
    let stage = writing_stage();
    let ann = stage.owner();
    let (bare, url) = bare_repository(&stage);
    let lines = "git config core.fsmonitor PROGRAM && git config core.hooksPath $(dirname PROGRAM) && git config \
                 filter.x.clean PROGRAM && echo '* filter=x' > .git/info/attributes && git config \
                 remote.origin.pushurl /nowhere";
    let (job, ran) = plant_in_clone(&stage, &ann, &url, lines);
    assert_eq!((&job["state"], &pushed(&job)["branch"]), (&json!("done"), &json!("b")), "{job}");
    assert!(git_text(&bare, &["ls-tree", "--name-only", "b"]).contains("new.txt"));
    assert!(!ran, "the worker ran a program of the clone");
}

/// Git asks a submodule for its state with the settings of that repository.
#[test]
fn fl_3_repositories_inside_the_clone_run_nothing() {
    let stage = writing_stage();
    let ann = stage.owner();
    let commit = git_text(&stage.repo(), &["rev-parse", "HEAD"]);
    for name in ["known", "gone"] {
        git(&stage.repo(), &["update-index", "--add", "--cacheinfo", &format!("160000,{commit},{name}")]);
    }
    git(&stage.repo(), &["-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-q", "-m", "links"]);
    let (bare, url) = bare_repository(&stage);
    let lines = "rmdir gone\nfor at in known 'o wn'; do\n\
                 git init -q \"$at\"; cd \"$at\"; echo x > x; git add x\n\
                 git -c user.name=a -c user.email=a@example.invalid commit -q -m x\n\
                 git config core.fsmonitor PROGRAM; cd ..\ndone";
    let (job, ran) = plant_in_clone(&stage, &ann, &url, lines);
    assert!(!ran, "the worker ran a program of a repository inside the clone");
    assert_eq!((&job["state"], &pushed(&job)["branch"]), (&json!("done"), &json!("b")), "{job}");
    let changed = git_text(&bare, &["diff", "--name-status", "main", "b"]);
    assert_eq!(changed, "D\tgone\nM\tknown\nA\tnew.txt\nA\to wn", "{job}");
}

#[test]
fn fl_3_patches_carry_every_kind_of_change() {
    let files = [("a.txt", "a\nb\n"), ("bin/tool", "#!/bin/sh\n"), ("sp ace.txt", "ä\n")];
    let write =
        |(path, content): (&str, &str)| json!({"name": "Write", "input": {"file_path": path, "content": content}});
    let command = "rm gone.txt && mv old.txt renamed.txt && chmod +x bin/tool && printf '\\0\\377' > binary.bin";
    let bash = json!({"name": "Bash", "input": {"command": command, "description": "x"}});
    let read = json!({"name": "Read", "input": {"file_path": "a.txt"}});
    let calls: Vec<Value> = [read].into_iter().chain(files.map(write)).chain([bash]).collect();
    let script = json!({"turns": [{"calls": calls}, {"text": "All done.", "repeat": 100}]});
    let stage = Stage::with_script(&script.to_string());
    let ann = stage.owner();
    for name in ["gone.txt", "old.txt"] {
        std::fs::write(stage.repo().join(name), format!("{name}\n").repeat(20)).unwrap();
    }
    git(&stage.repo(), &["add", "-A"]);
    git(&stage.repo(), &["-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-q", "-m", "two"]);
    let id = ann.submit_text("p.md", PLAN);
    let settings = r#"{"permissions": {"allow": ["Bash"]}}"#;
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle", "--settings", settings]);
    let out = stage.root.path().join("out");
    let listed = ann.ok(&["jobs", "fetch", &id, "--out", &out.display().to_string(), "--remote", "team"]);
    assert!(listed.contains("changes.patch") && listed.contains("report.json"), "{listed}");
    let clone = stage.root.path().join("clone");
    let (from, to) = (stage.repo().display().to_string(), clone.display().to_string());
    git(stage.root.path(), &["clone", "-q", &from, &to]);
    git(&clone, &["apply", "--index", &out.join("changes.patch").display().to_string()]);
    let status = git_text(&clone, &["status", "--porcelain", "-z"]).replace('\0', "\n");
    for change in ["M  a.txt", "A  bin/tool", "A  binary.bin", "D  gone.txt", "A  sp ace.txt", "R  renamed.txt"] {
        assert!(status.contains(change), "{change}: {status} {}", ann.job(&id));
    }
    assert_eq!(std::fs::read(clone.join("binary.bin")).unwrap(), [0, 255]);
    assert!(git_text(&clone, &["ls-files", "-s", "bin/tool"]).starts_with("100755"));
}

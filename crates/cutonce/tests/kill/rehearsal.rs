//! `cutonce rehearse` from outside: its JSON form (RH-6), and what a kill leaves (RH-3, RH-5).

use super::stage::{Stage, said};
use cutonce_agent::plan::rehearsal::{RehearsalBudget, RehearsalJob};
use cutonce_agent::tools::disk::{FileAccess, VersionStore};
use cutonce_core::plan::rehearsal::{RehearsalChoice, RehearsedPlan};
use cutonce_core::settings::plan::{RehearsalLayer, RehearsalSettings};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const PLAN: &str =
    "# Plan\n\n## Steps\n\n1. Make it\n   - files: a.txt (change), made/* (new)\n   - check: `grep two a.txt`\n";
/// Files that the killed program applies.
const FILES: usize = 1_000;

/// What `plan.rehearsal.layer` can be: each test passes on an overlay and on a private copy (RH-8).
const LAYERS: [&str; 2] = ["auto", "copy"];

/// A repository with a plan, next to a scripted model.
struct Rehearsed {
    stage: Stage,
    home: PathBuf,
}

impl Rehearsed {
    fn new(layer: &str) -> Rehearsed {
        let stage = Stage::new(1).unwrap();
        let home = stage.ws.parent().unwrap().join("home/.cutonce");
        fs::create_dir_all(&home).unwrap();
        let settings = json!({"plan": {"rehearsal": {"layer": layer}}}).to_string();
        fs::write(home.join("settings.json"), settings).unwrap();
        fs::write(stage.ws.join("a.txt"), "one\n").unwrap();
        fs::write(stage.ws.join("plan.md"), PLAN).unwrap();
        let git = "git init -q && git add a.txt && git -c user.name=T -c user.email=t@example.org commit -qm first";
        assert!(Command::new("bash").args(["-c", git]).current_dir(&stage.ws).status().unwrap().success());
        Rehearsed { stage, home }
    }

    fn command(&self, turns: &[Value], args: &[&str]) -> (Command, cutonce_models::scripted::LoopbackServer) {
        let server = Stage::server(turns.to_vec()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(args).current_dir(&self.stage.ws).env_clear().envs(self.stage.variables(&server));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        (command, server)
    }

    fn run(&self, turns: &[Value], args: &[&str]) -> Output {
        let (mut command, _server) = self.command(turns, args);
        command.output().unwrap()
    }

    /// Starts it, and kills it once `reached` is true; `None` if it ended before.
    fn killed(&self, turns: &[Value], args: &[&str], reached: impl Fn() -> bool) -> Option<()> {
        let (mut command, _server) = self.command(turns, args);
        let mut child: Child = command.spawn().unwrap();
        while !reached() {
            if child.try_wait().unwrap().is_some() {
                return None;
            }
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        Some(())
    }

    /// Layers and copies.
    fn layers(&self) -> usize {
        let folders = [self.home.join("layers/rehearsals"), self.home.with_file_name(".cutonce-rehearsals")];
        let names = folders.iter().flat_map(|folder| entries(folder));
        names.filter(|name| name.starts_with("layer-of-")).count()
    }
}

fn entries(folder: &Path) -> Vec<String> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn bash(command: &str) -> Value {
    json!({"calls": [{"name": "Bash", "input": {"command": command}}]})
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn assert_form(rehearsal: &Value) {
    let wanted = ["plan", "base", "diff", "diffSha256", "files", "report", "denied", "applied", "costUsd", "seconds"];
    assert_eq!(keys(rehearsal), wanted.into());
    assert_eq!(keys(&rehearsal["plan"]), ["slug", "sha256", "path"].into());
    assert_eq!(keys(&rehearsal["base"]), ["commit", "dirty"].into());
    assert_eq!(rehearsal["base"]["commit"].as_str().unwrap().len(), 40);
    assert_eq!(rehearsal["base"]["dirty"], true, "the plan is untracked");
    let diff = rehearsal["diff"].as_str().unwrap();
    assert!(
        diff.starts_with("diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"),
        "{diff}"
    );
    assert_eq!(rehearsal["diffSha256"], cutonce_core::plan::sha256_hex(diff));
    let files = json!([
        {"path": "a.txt", "kind": "change", "added": 1, "removed": 1},
        {"path": "made/b.txt", "kind": "new", "added": 1, "removed": 0},
    ]);
    assert_eq!(rehearsal["files"], files);
    let report = &rehearsal["report"];
    for field in ["plan", "steps", "outside", "untouched", "outOfOrder", "checksNotRun", "claims", "drift", "costUsd"] {
        assert!(report.get(field).is_some(), "{field} in {report}");
    }
    let step = &report["steps"][0];
    assert_eq!(keys(step), ["id", "title", "state", "planned", "changed", "checks"].into());
    assert_eq!((&step["state"], &step["checks"][0]["exitCode"]), (&json!("checked"), &json!(0)));
    assert_eq!(rehearsal["denied"], json!([{"tool": "Write", "text": "/outside.txt"}]));
    assert_eq!(rehearsal["applied"], false);
    assert!(rehearsal["costUsd"].as_f64().unwrap() > 0.0 && rehearsal["seconds"].as_f64().unwrap() > 0.0);
}

fn work() -> Vec<Value> {
    let calls = json!({"calls": [
        {"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt; mkdir made; echo b > made/b.txt"}},
        {"name": "Write", "input": {"file_path": "/outside.txt", "content": "x"}},
    ]});
    vec![calls, said("done")]
}

/// Keeps no versions: the test looks at the disk.
struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

/// A program that has cutonce as a library, and the command on its PATH.
#[test]
fn rh_3_library_rehearses_and_applies() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for (layer, name) in [(RehearsalLayer::Auto, "auto"), (RehearsalLayer::Copy, "copy")] {
        let on = Rehearsed::new(name);
        let server = Stage::server(work()).unwrap();
        let ours = Path::new(env!("CARGO_BIN_EXE_cutonce")).parent().unwrap().display();
        let with_ours = |name: &str, value: String| if name == "PATH" { format!("{ours}:{value}") } else { value };
        let variables = on.stage.variables(&server).into_iter();
        let env = variables.map(|(name, value)| (name.into(), with_ours(name, value).into())).collect();
        let path = on.stage.ws.join("plan.md").display().to_string();
        let job = RehearsalJob {
            root: on.stage.ws.clone(),
            home: on.home.clone(),
            env,
            plan: RehearsedPlan { slug: None, sha256: cutonce_core::plan::sha256_hex(PLAN), path },
            text: PLAN.into(),
            step_ids: None,
            model: None,
            max_turns: None,
            budget: Some(RehearsalBudget { usd: 1.0, source: "--max-budget-usd" }),
            limits: RehearsalSettings { layer, ..RehearsalSettings::default() },
        };
        let mut finished = runtime.block_on(job.run(&CancellationToken::new(), &|_| {})).unwrap();
        assert!(finished.passed, "{name}: {:?}", finished.result);
        assert_form(&serde_json::to_value(&finished.result).unwrap());
        let read = |file: &str| fs::read_to_string(on.stage.ws.join(file)).ok();
        assert_eq!((read("a.txt").as_deref(), read("made/b.txt")), (Some("one\n"), None), "{name}");
        let disk = FileAccess::new(Arc::new(NoVersions));
        let choice = RehearsalChoice { without: vec!["made/b.txt".into()], ..RehearsalChoice::default() };
        fs::write(on.stage.ws.join("a.txt"), "mine\n").unwrap();
        let refused = finished.apply(&disk, &choice).unwrap_err();
        assert!(refused.is_stale() && refused.message().contains("a.txt"), "{name}: {refused}");
        assert_eq!(read("a.txt").as_deref(), Some("mine\n"), "{name}");
        fs::write(on.stage.ws.join("a.txt"), "one\n").unwrap();
        let taken_out = finished.apply(&disk, &choice).unwrap();
        assert_eq!((taken_out, finished.result.applied), (["made/b.txt".to_string()].into(), true), "{name}");
        assert_eq!((read("a.txt").as_deref(), read("made/b.txt")), (Some("two\n"), None), "{name}");
        drop(finished);
        assert_eq!(on.layers(), 0, "{name}");
    }
}

#[test]
fn rh_6_json_has_every_field() {
    for layer in LAYERS {
        let on = Rehearsed::new(layer);
        let ended = on.run(&work(), &["rehearse", "plan.md", "--json"]);
        assert_eq!(ended.status.code(), Some(0), "{layer}: {}", String::from_utf8_lossy(&ended.stderr));
        let printed: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert_form(&printed);
        assert_eq!(printed["plan"]["slug"], Value::Null);
        assert_eq!(printed["plan"]["sha256"], cutonce_core::plan::sha256_hex(PLAN));
        assert_eq!(fs::read_to_string(on.stage.ws.join("a.txt")).unwrap(), "one\n");
        assert_eq!(on.layers(), 0);
    }
}

#[test]
fn rh_6_plan_and_rehearsal_are_one_object() {
    for layer in LAYERS {
        let on = Rehearsed::new(layer);
        let plan = json!({"calls": [
            {"name": "Write", "input": {"file_path": "{plan}", "content": PLAN}}, {"name": "ExitPlanMode", "input": {}},
        ]});
        let turns: Vec<Value> = std::iter::once(plan).chain(work()).collect();
        let ended = on.run(&turns, &["plan", "--rehearse", "--output-format", "json", "make it"]);
        assert_eq!(ended.status.code(), Some(0), "{layer}: {}", String::from_utf8_lossy(&ended.stderr));
        let printed: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert_form(&printed["rehearsal"]);
        assert_eq!(printed["plan"].as_str().map(str::trim), Some(PLAN.trim()));
        assert_eq!(printed["slug"], printed["rehearsal"]["plan"]["slug"]);
        assert_eq!(printed["contract"]["steps"][0]["id"], "1");
        let failing = [bash("sed -i s/one/three/ a.txt; mkdir made; echo b > made/b.txt"), said("done")];
        let slug = printed["slug"].as_str().unwrap();
        assert_eq!(on.run(&failing, &["rehearse", slug, "--json"]).status.code(), Some(5));
    }
}

/// A host program on stream-json.
struct Host {
    child: Child,
    input: ChildStdin,
    frames: Lines<BufReader<ChildStdout>>,
    _server: cutonce_models::scripted::LoopbackServer,
}

impl Host {
    fn start(on: &Rehearsed, turns: &[Value]) -> Host {
        let args = "--output-format stream-json --input-format stream-json --verbose --permission-mode plan";
        let args: Vec<&str> = args.split(' ').chain(["--permission-prompt-tool", "stdio"]).collect();
        let (mut command, _server) = on.command(turns, &args);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (input, frames) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
        Host { child, input, frames, _server }
    }

    fn send(&mut self, frame: Value) {
        writeln!(self.input, "{frame}").unwrap();
    }

    fn order(&mut self, id: &str, request: Value) {
        self.send(json!({"type": "control_request", "request_id": id, "request": request}));
    }

    /// Reads on until a frame fits.
    fn wait_for(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let mut seen = Vec::new();
        for line in &mut self.frames {
            let frame: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if fits(&frame) {
                return frame;
            }
            seen.push(frame.to_string());
        }
        panic!("the program ended after {}", seen.join("\n"));
    }

    fn news(&mut self, id: &str, state: &str) -> Value {
        self.wait_for(|frame| frame["subtype"] == "plan.rehearsal" && frame["id"] == id && frame["state"] == state)
    }

    fn reply(&mut self, id: &str) -> Value {
        self.wait_for(|frame| frame["response"]["request_id"] == id)["response"].clone()
    }

    fn allow(&mut self, request: &Value, rehearsal: Value) {
        let mut input = request["request"]["input"].clone();
        input["rehearsal"] = rehearsal;
        let response = json!({"behavior": "allow", "updatedInput": input});
        let id = &request["request_id"];
        let response = json!({"subtype": "success", "request_id": id, "response": response});
        self.send(json!({"type": "control_response", "response": response}));
    }
}

#[test]
fn rh_1_host_on_stream_json_rehearses_and_applies() {
    LAYERS.into_iter().for_each(host_rehearses_and_applies);
}

fn host_rehearses_and_applies(layer: &str) {
    let on = Rehearsed::new(layer);
    let plan = json!({"calls": [
        {"name": "Write", "input": {"file_path": "{plan}", "content": PLAN}}, {"name": "ExitPlanMode", "input": {}},
    ]});
    let waits = [bash("until [ -e ~/never ]; do sleep 0.05; done")];
    let turns: Vec<Value> = [plan].into_iter().chain(work()).chain(waits).chain([said("applied")]).collect();
    let mut host = Host::start(&on, &turns);
    host.send(json!({"type": "user", "message": {"role": "user", "content": "make it"}}));
    let is_plan = |frame: &Value| frame["request"]["tool_name"] == "ExitPlanMode";
    let asked = host.wait_for(is_plan);
    host.order("a", json!({"subtype": "rehearse", "modell": "x"}));
    assert_eq!(host.reply("a")["subtype"], "error");
    host.order("b", json!({"subtype": "rehearse"}));
    host.news("r1", "started");
    assert!(host.news("r1", "progress")["text"].as_str().unwrap().starts_with("Bash sed -i"));
    let finished = host.news("r1", "finished");
    assert_form(&finished["result"]);
    assert_eq!((&finished["passed"], &finished["checks"][0]["output"]), (&json!(true), &json!("two")));
    host.order("c", json!({"subtype": "keep_rehearsal", "rehearsal_id": "r1", "name": "later"}));
    assert_eq!(host.news("r1", "kept")["name"], "later");
    host.order("d", json!({"subtype": "rehearse", "model": "haiku"}));
    host.news("r2", "progress");
    host.order("e", json!({"subtype": "cancel_rehearsal", "rehearsal_id": "r2"}));
    host.news("r2", "stopped");
    host.order("f", json!({"subtype": "cancel_rehearsal", "rehearsal_id": "r9"}));
    assert_eq!(host.reply("f")["error"], "there is no rehearsal r9");
    // Another diff than the one that was shown is not applied, and the plan still waits.
    host.allow(&asked, json!({"id": "r1", "diffSha256": "0".repeat(64)}));
    host.news("r1", "notApplied");
    let asked = host.wait_for(is_plan);
    assert_eq!(fs::read_to_string(on.stage.ws.join("a.txt")).unwrap(), "one\n");
    host.allow(&asked, json!({"id": "r1", "diffSha256": finished["result"]["diffSha256"]}));
    host.wait_for(|frame| frame["type"] == "result");
    drop(host.input);
    assert!(host.child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(on.stage.ws.join("a.txt")).unwrap(), "two\n");
    assert_eq!(fs::read_to_string(on.stage.ws.join("made/b.txt")).unwrap(), "b\n");
    assert_eq!(on.layers(), 0);
}

#[test]
fn rh_6_killed_apply_is_recovered_by_any_command() {
    LAYERS.into_iter().for_each(killed_apply_is_recovered);
}

fn killed_apply_is_recovered(layer: &str) {
    let many = format!("sed -i s/one/two/ a.txt; mkdir made; for n in $(seq {FILES}); do echo $n > made/$n; done");
    // A program that is faster than the kill is started again.
    for _ in 0..10 {
        let on = Rehearsed::new(layer);
        let journals = on.home.join("applying");
        let begun = || {
            let mut staged = entries(&on.stage.ws).into_iter().filter(|name| name.starts_with(".cutonce-apply"));
            staged.next().is_some_and(|_| !entries(&journals).is_empty())
        };
        let ran = on.killed(&[bash(&many), said("done")], &["rehearse", "plan.md", "--apply"], begun);
        if ran.is_none() || entries(&journals).is_empty() {
            continue;
        }
        // A command in a folder below recovers it, too.
        let (folder, place) = match layer {
            "copy" => (on.stage.ws.join("below"), format!("in {}", on.stage.ws.canonicalize().unwrap().display())),
            _ => (on.stage.ws.clone(), "here".to_string()),
        };
        fs::create_dir_all(&folder).unwrap();
        let (mut command, _server) = on.command(&[], &["plans", "list"]);
        let next = command.current_dir(&folder).output().unwrap();
        let told = String::from_utf8_lossy(&next.stderr);
        assert!(told.contains(&format!("applying a rehearsal was interrupted {place}; it is")), "{layer}: {told}");
        let (made, changed) = (entries(&on.stage.ws.join("made")).len(), fs::read_to_string(on.stage.ws.join("a.txt")));
        assert!(matches!((made, changed.unwrap().as_str()), (0, "one\n") | (FILES, "two\n")), "{made} files");
        assert!(entries(&journals).is_empty() && on.layers() == 0);
        assert!(!entries(&on.stage.ws).iter().any(|name| name.starts_with(".cutonce-apply")));
        return;
    }
    panic!("the program was never killed while it applied: {layer}");
}

/// A program was killed while it applied, and an agent on a layer over the same workspace applies what its command
/// changed there: it must not take the journal for its own.
#[test]
fn rh_3_agent_on_a_layer_leaves_the_journal() {
    let on = Rehearsed::new("auto");
    let go = on.stage.ws.with_file_name("go");
    let wait = format!("until [ -e {} ]; do sleep 0.05; done; sed -i s/one/two/ a.txt", go.display());
    let (mut command, _server) = on.command(&[bash(&wait), said("done"), said("done")], &["rehearse", "plan.md"]);
    let mut child = command.spawn().unwrap();
    while on.layers() == 0 {
        assert!(child.try_wait().unwrap().is_none());
    }
    let root = on.stage.ws.canonicalize().unwrap();
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let name = cutonce_core::plan::sha256_hex(root.to_str().unwrap());
    let file = on.home.join("applying").join(format!("{}.json", &name[..32]));
    let staging = root.join(".cutonce-apply-1-0").display().to_string();
    let (root, staging) = (hex(root.to_str().unwrap()), hex(&staging));
    let state = json!({"state": "Staging", "root": root, "staging": staging, "steps": []});
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("{state}\n")).unwrap();
    fs::write(&go, "").unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&ended.stdout).contains("+two"), "{ended:?}");
    assert!(file.exists());
    let told = on.run(&[], &["plans", "list"]).stderr;
    assert!(String::from_utf8_lossy(&told).contains("it is undone now"));
    assert!(!file.exists());
}

#[test]
fn rh_5_layers_of_killed_programs_are_swept() {
    for layer in LAYERS {
        let on = Rehearsed::new(layer);
        let waits = on.stage.ws.with_file_name("started");
        let command = format!("echo two > a.txt; until [ -e {} ]; do sleep 0.05; done", waits.display());
        let held = || on.layers() > 0;
        on.killed(&[bash(&command), said("done")], &["rehearse", "plan.md"], held).unwrap();
        assert!(held());
        // The kernel ends the program's command a moment after the program; until then the layer is in use.
        let began = std::time::Instant::now();
        while held() {
            assert!(began.elapsed() < std::time::Duration::from_secs(60), "never swept: {layer}");
            assert!(on.run(&[], &["plans", "list"]).status.success());
        }
        assert_eq!(fs::read_to_string(on.stage.ws.join("a.txt")).unwrap(), "one\n");
    }
}

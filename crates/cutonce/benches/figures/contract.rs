//! Reading the contract of a long plan, with its lint (PC-1, PC-6), its report (PC-35), and what it adds to an
//! implementation.

use crate::Bench;
use crate::model::Model;
use crate::process::Program;
use crate::table::{Row, median, number};
use anyhow::{Context, Result};
use cutonce_core::plan::contract::{FileFact, PlanContract, PlanFacts};
use cutonce_core::plan::progress::{ApprovedContract, CheckRunner, Evidence, PlanProgress};
use cutonce_core::plan::report::PlanReport;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// A disk on which every file exists, without reading one.
struct FullDisk;

impl PlanFacts for FullDisk {
    fn root(&self) -> &str {
        "/project"
    }
    fn file(&self, _: &str) -> FileFact {
        FileFact::File { lines: Some(500) }
    }
    fn has_match(&self, _: &str) -> bool {
        true
    }
    fn has_program(&self, _: &str) -> bool {
        true
    }
}

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let step = |n: usize| {
        format!(
            "{n}. Change part {n} of the parser, see `src/part{n}.rs:12`\n   - files: `src/part{n}.rs` (change), tests/part{n}.rs\n   - check: `cargo test part{n}`\n   - risk: callers of the old name\n"
        )
    };
    let text = "## Steps\n\n".to_string() + &(1..250).map(step).collect::<String>();
    let mut times = Vec::new();
    for _ in 0..bench.rounds(50) {
        let start = Instant::now();
        let contract = PlanContract::parse(&text, &FullDisk).context("a contract")?.with_findings(&text, &FullDisk);
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
        anyhow::ensure!(contract.steps.len() == 249 && contract.findings.is_empty(), "{:?}", contract.findings);
    }
    let lint = Row::limit("contract and lint of a plan of 1,000 lines", median(&times), "ms", 5.0);
    let (report, cost) = (report_time(bench, &text)?, cost_of_contract(bench)?);
    Ok([vec![lint, report], cost, cost_of_scope(bench)?].concat())
}

/// The report of 249 steps after 1,000 pieces of evidence (PC-35).
fn report_time(bench: &Bench, text: &str) -> Result<Row> {
    let contract = PlanContract::parse(text, &FullDisk).context("a contract")?;
    let approved = ApprovedContract::new("a-long-plan", 1, contract, BTreeMap::new())?;
    let mut progress = PlanProgress::new(approved, "/project");
    for n in 0..500 {
        let path = format!("src/part{}.rs", n % 249 + 1);
        progress.observe(Evidence::wrote(path, Some(n.to_string()), Some((n + 1).to_string())));
        let command = format!("cargo test part{}", n % 249 + 1);
        progress.observe(Evidence::Ran {
            command,
            exit_code: Some(0),
            stopped: None,
            by: CheckRunner::Model,
            at: String::new(),
            output: String::new(),
        });
    }
    let mut times = Vec::new();
    for _ in 0..bench.rounds(20) {
        let start = Instant::now();
        let report = PlanReport::new(&progress, "All checks pass.", 1.0, 60.0);
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
        anyhow::ensure!(report.steps.len() == 249 && report.text().len() > 1_000, "a report of all steps");
    }
    Ok(Row::known("report of 249 steps after 1,000 pieces of evidence", format!("{} ms", number(median(&times)))))
}

/// What the contract adds to an implementation of 30 calls: the same plan once as steps, once as plain text.
fn cost_of_contract(bench: &Bench) -> Result<Vec<Row>> {
    let line = |n: usize| {
        format!("Write part {n} of the list\n   - files: part{n}.txt (new)\n   - check: `test -f part{n}.txt`\n")
    };
    let steps: String = (1..=15).map(|n| format!("{n}. {}", line(n))).collect();
    let words: String =
        (1..=15).map(|n| format!("- {}", line(n).replace("files:", "about").replace("check:", "run"))).collect();
    let with = flow(bench, "with", &format!("# List\n\n## Steps\n\n{steps}"))?;
    let without = flow(bench, "without", &format!("# List\n\n## Parts\n\n{words}"))?;
    let bytes = |flow: &[usize]| flow.iter().sum::<usize>() as f64;
    let cells = [bytes(&with), bytes(&without)].map(|bytes| format!("{} KB", number(bytes / 1024.0)));
    let ratio = bytes(&with) / bytes(&without);
    let requests = format!("{} against {}", with.len(), without.len());
    Ok(vec![
        Row::ratio(
            "bytes of all requests of a plan with 30 calls, with its contract",
            (&cells[0], &cells[1]),
            ratio,
            1.03,
        ),
        Row::known("requests of the same", requests),
    ])
}

/// Bytes of each request while the plan is implemented: 15 writes and 15 checks, one call each.
fn flow(bench: &Bench, name: &str, plan: &str) -> Result<Vec<usize>> {
    let (room, workspace) = place(bench, &format!("contract-{name}"))?;
    std::fs::write(workspace.join("plan.md"), plan)?;
    let calls = |n: usize| {
        let write = json!({"name": "Write", "input": {"file_path": format!("part{n}.txt"), "content": "x\n"}});
        let check = json!({"name": "Bash", "input": {"command": format!("test -f part{n}.txt")}});
        [json!({"calls": [write]}), json!({"calls": [check]})]
    };
    let turns: Vec<Value> = (1..=15).flat_map(calls).chain([json!({"text": "Done."})]).collect();
    let model = Model::start(Value::from(turns))?;
    let args = ["implement", "plan.md", "-p", "--permission-mode", "acceptEdits"];
    let program = Program::cutonce(&workspace).args(args);
    let run = program.talks_to(model.address(), &room).run(&room)?;
    run.output()?;
    Ok(model.requests().iter().map(|request| request.body.len()).collect())
}

/// Milliseconds that the scope adds to a command, and to one that writes many ignored files (PC-21). The commands are
/// the same with and without a scope.
fn cost_of_scope(bench: &Bench) -> Result<Vec<Row>> {
    const COMMANDS: usize = 30;
    let small: Vec<String> = (0..COMMANDS).map(|n| format!("echo {n} >> a.txt")).collect();
    let many = |folder: &str| {
        format!(
            "echo 1 >> a.txt; mkdir -p {folder}/d && cd {folder}/d && for i in {{1..200}}; do : > f$i; done; cd .. && for i in {{1..99}}; do cp -r d d$i; done"
        )
    };
    let mut added = Vec::new();
    for round in 0..bench.rounds(10) {
        let run = |scope: &str| commands_wall(bench, &format!("{scope}-{round}-small"), scope, &small);
        added.push((run("enforce")? - run("off")?) / COMMANDS as f64);
    }
    let mut rows = vec![Row::limit(
        "scope: added to a command with a small change, comparison included",
        median(&added),
        "ms",
        6.0,
    )];
    let folders = [
        ("out", "an ignored folder", Some(1.2)),
        ("target", "a build's folder that does not exist", Some(1.2)),
        ("fresh", "another ignored folder that does not exist", None),
    ];
    for (folder, name, limit) in folders {
        let (mut ratios, mut walls) = (Vec::new(), Vec::new());
        for round in 0..bench.rounds(10) {
            let run = |scope: &str| commands_wall(bench, &format!("{scope}-{round}-{folder}"), scope, &[many(folder)]);
            let wall = (run("enforce")?, run("off")?);
            ratios.push(wall.0 / wall.1);
            walls.push(wall);
        }
        let cell =
            |of: fn(&(f64, f64)) -> f64| format!("{} ms", number(median(&walls.iter().map(of).collect::<Vec<_>>())));
        let (name, ratio) = (format!("scope: a command that writes 20,000 files into {name}"), median(&ratios));
        rows.push(match limit {
            Some(limit) => Row::ratio(&name, (&cell(|walls| walls.0), &cell(|walls| walls.1)), ratio, limit),
            // Through the layer: no file says that it is made by a build, and a command may expect it not to exist.
            None => Row::known(&name, format!("{} ×", number(ratio))),
        });
    }
    Ok(rows)
}

/// Wall time of an implementation that runs these commands, one per request, in a small repository.
fn commands_wall(bench: &Bench, name: &str, scope: &str, commands: &[String]) -> Result<f64> {
    let (room, workspace) = place(bench, &format!("scope-{name}"))?;
    let files = [
        (".gitignore", "/out\n/fresh\n/target\n"),
        ("Cargo.toml", ""),
        ("a.txt", "a\n"),
        ("plan.md", "# List\n\n## Steps\n\n1. Change it\n   - files: a.txt\n"),
    ];
    for (file, text) in files {
        std::fs::write(workspace.join(file), text)?;
    }
    std::fs::create_dir(workspace.join("out"))?;
    let setup = "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm one";
    anyhow::ensure!(
        std::process::Command::new("sh").args(["-c", setup]).current_dir(&workspace).status()?.success(),
        "git"
    );
    let call = |command: &String| json!({"calls": [{"name": "Bash", "input": {"command": command}}]});
    let turns: Vec<Value> = commands.iter().map(call).chain([json!({"text": "Done."})]).collect();
    let model = Model::forgetful(Value::from(turns))?;
    let settings = json!({"plan": {"scope": scope, "verify": "off", "remindEvery": 0}}).to_string();
    let args =
        ["implement", "plan.md", "-p", "--permission-mode", "acceptEdits", "--allowedTools", "Bash", "--settings"];
    let program = Program::cutonce(&workspace).args(args).args([settings]);
    let run = program.talks_to(model.address(), &room).run(&room)?;
    Ok(run.wall.as_secs_f64() * 1_000.0)
}

/// A folder for the program's home and output, and the workspace in it: layers are never inside a workspace.
fn place(bench: &Bench, name: &str) -> Result<(PathBuf, PathBuf)> {
    let room = bench.room(name)?;
    let workspace = room.join("workspace");
    std::fs::create_dir(&workspace)?;
    Ok((room, workspace))
}

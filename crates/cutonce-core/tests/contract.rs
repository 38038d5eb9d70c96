//! Plans as other programs and people write them, with the contract that a reader would list (PC-1, PC-2), and the
//! lint over seeded defects (PC-6). `UPDATE=1` rewrites the expectations; read the diff before you commit it.
#![allow(clippy::expect_used)]

use cutonce_core::plan::contract::{FileFact, PlanContract, PlanFacts, matches_path};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A workspace with a few files and the usual programs.
struct World {
    files: BTreeMap<String, u32>,
}

impl World {
    fn new() -> World {
        let text = std::fs::read_to_string(folder().join("world.txt")).expect("the list of files");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let files = lines.filter_map(|line| line.split_once(' '));
        World { files: files.map(|(path, lines)| (path.into(), lines.parse().expect("a number"))).collect() }
    }
}

impl PlanFacts for World {
    fn root(&self) -> &str {
        "/home/me/project"
    }
    fn file(&self, path: &str) -> FileFact {
        match self.files.get(path) {
            Some(lines) => FileFact::File { lines: Some(*lines) },
            None if self.files.keys().any(|file| file.starts_with(&format!("{path}/"))) => FileFact::Folder,
            None => FileFact::Missing,
        }
    }
    fn has_match(&self, glob: &str) -> bool {
        self.files.keys().any(|file| matches_path(glob, file))
    }
    fn has_program(&self, name: &str) -> bool {
        ["bundle", "cargo", "curl", "git", "go", "grep", "npm", "pytest", "rm", "ruff", "ls", "bash"].contains(&name)
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/plans")
}

/// (name, text) of each fixture.
fn plans() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder()).expect("fixtures").map(|entry| entry.expect("an entry").path());
    let mut plans: Vec<(String, String)> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a plan"))
        })
        .collect();
    plans.sort();
    plans
}

#[test]
fn pc_1_plans_are_read_as_a_reader_would() {
    let world = World::new();
    let plans = plans();
    assert_eq!(plans.len(), 40);
    let mut wrong = Vec::new();
    for (name, text) in &plans {
        let contract = PlanContract::parse(text, &world);
        let mut value = serde_json::to_value(&contract).expect("JSON");
        if let Some(fields) = value.as_object_mut() {
            fields.remove("sha256");
        }
        let path = folder().join(format!("{name}.json"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, format!("{}\n", compact(&value))).expect("written");
        }
        let expected: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("an expectation")).expect("JSON");
        if value != expected {
            wrong.push(format!("{name}:\n{}", compact(&value)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One line per step.
fn compact(contract: &Value) -> String {
    let Some(steps) = contract["steps"].as_array() else { return contract.to_string() };
    let steps: Vec<String> = steps.iter().map(|step| format!("    {step}")).collect();
    format!(
        "{{\n  \"steps\": [\n{}\n  ],\n  \"checks\": {},\n  \"findings\": {}\n}}",
        steps.join(",\n"),
        contract["checks"],
        contract["findings"]
    )
}

#[test]
fn pc_6_clean_plans_have_no_findings() {
    let world = World::new();
    for (name, text) in plans() {
        let Some(contract) = PlanContract::parse(&text, &world) else { continue };
        let findings = contract.with_findings(&text, &world).findings;
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}

/// (defect in a step of an otherwise clean plan, the kind of its finding)
const DEFECTS: &[(&str, &str)] = &[
    ("- files: src/gone.rs (change)", "missing-file"),
    ("- files: `src/gone.rs` (delete)", "missing-file"),
    ("- Modify: `src/gone.rs:12`", "missing-file"),
    ("- files: src/none/*.rs (change)", "missing-file"),
    ("- files to modify: `lib/x.ts`", "missing-file"),
    ("- files: src/lib.rs (new)", "file-exists"),
    ("- Create: `src/login.rs`", "file-exists"),
    ("- **Files**： `README.md` (new)", "file-exists"),
    ("- look at `src/lib.rs:41`", "bad-reference"),
    ("- see src/lib.rs:12-99 for the loop", "bad-reference"),
    ("- see `src/lib.rs#L400`", "bad-reference"),
    ("- files: ../../etc/passwd", "bad-reference"),
    ("- files: /etc/passwd", "bad-reference"),
    ("- files: `**/*`", "bad-reference"),
    ("- check: `cargo test 'unclosed`", "bad-check"),
    ("- check: `if true; then cargo test`", "bad-check"),
    ("- verify: `cargo test &&`", "bad-check"),
    ("- check: `rm -rf .`", "bad-check"),
    ("- check: `frobnicate --all`", "unknown-program"),
    ("- check: frobnicate all", "unknown-program"),
    ("- check: `cargo test | frobnicate`", "unknown-program"),
    ("- check: `./scripts/gone.sh`", "unknown-program"),
    ("- after: 9", "bad-after"),
    ("- after: the beginning", "bad-after"),
    ("- after: 1", "bad-after"),
    ("- after: 2", "bad-after"),
    ("- use the table TBD", "placeholder"),
    ("- TODO: choose a name", "placeholder"),
    ("- routes, models, etc.", "placeholder"),
    ("- files (TBD)", "placeholder"),
];

#[test]
fn pc_6_seeded_defects_are_found() {
    let world = World::new();
    assert_eq!(DEFECTS.len(), 30);
    for (defect, kind) in DEFECTS {
        let text = format!(
            "## Steps\n\n1. Change the library\n   {defect}\n2. Document it\n   - files: README.md\n   - after: 1\n"
        );
        let contract = PlanContract::parse(&text, &world).expect("a contract").with_findings(&text, &world);
        let found = serde_json::to_value(&contract.findings).expect("JSON");
        let found = found.as_array().expect("a list");
        assert!(found.iter().all(|finding| finding["kind"] == *kind) && !found.is_empty(), "{defect}: {found:?}");
        assert!(found.iter().any(|finding| finding["line"] == 4 && finding["step"] == "1"), "{defect}: {found:?}");
    }
    let text = "### 1. Model\n\ntext\n\n### 2. Deploy\n";
    let contract = PlanContract::parse(text, &world).expect("a contract").with_findings(text, &world);
    assert_eq!(serde_json::to_value(contract.findings[0].kind).expect("JSON"), "empty-step");
}

//! PC-35: implementers who follow a plan, and who deviate from it in six ways. The report must tell them apart.

#![allow(clippy::expect_used, clippy::panic)]

use cutonce_core::plan::contract::{FileFact, PlanContract, PlanFacts, PlanStep};
use cutonce_core::plan::progress::{ApprovedContract, CheckRunner, Evidence, PlanProgress};
use cutonce_core::plan::report::PlanReport;

const ROOT: &str = "/w";

struct Disk;

impl PlanFacts for Disk {
    fn root(&self) -> &str {
        ROOT
    }
    fn file(&self, _: &str) -> FileFact {
        FileFact::File { lines: Some(100) }
    }
    fn has_match(&self, _: &str) -> bool {
        true
    }
    fn has_program(&self, _: &str) -> bool {
        true
    }
}

/// Plans as different agents write them.
const PLANS: [&str; 10] = [
    "## Steps\n\n1. Model\n   - files: src/model.rs\n   - check: cargo test -p model\n2. Route\n   - files: src/route.rs\n   - check: cargo test -p route\n   - after: 1\n",
    "### Step 1: Model\n\n- Create: `src/model.rs`\n- verify: `make model`\n\n### Step 2: Route\n\n- Modify: `src/route.rs`\n- verify: `make route`\n- after: 1\n",
    "### Task 1: Schema\n\nfiles: `db/schema.sql`, `db/seed.sql`\ncheck: `npm test -- schema`\n\n### Task 2: API\n\nfiles: `api/index.ts`\ncheck: `npm test -- api`\nafter: 1\n",
    "## Implementation\n\n- [ ] Parser\n  - **Files:** `parse/lexer.py`\n  - **Check:** `pytest parse`\n- [ ] Printer\n  - **Files:** `print/out.py`\n  - **Check:** `pytest print`\n  - **After:** 1\n",
    "# Plan\n\n1. Add the flag\n   - files: cmd/main.go, cmd/flags.go\n   - check: go test ./cmd\n2. Document it\n   - files: docs/flags.md\n   - check: grep -q flag docs/flags.md\n   - after: 1\n",
    "## Schritte\n\n1. Modell\n   - files: src/modell.rs\n   - check: cargo test modell\n2. Seite\n   - files: src/seite.rs\n   - check: cargo test seite\n   - after: 1\n",
    "## Changes\n\n1. Store\n   - files: store/*.ts\n   - check: npm run store\n2. View\n   - files: view/page.tsx\n   - check: npm run view\n   - after: 1\n",
    "### 1. Queue\n\n- files: lib/queue.ex\n- check: mix test queue\n\n### 2. Worker\n\n- files: lib/worker.ex\n- check: mix test worker\n- after: 1\n",
    "## Tasks\n\n1. Config\n   - files: config/\n   - check: ./check config\n2. Loader\n   - files: load.rb\n   - check: ./check load\n   - after: 1\n",
    "## Steps\n\n1. Keys\n   - files: auth/keys.rs (new), auth/old.rs (delete)\n   - check: cargo test keys\n2. Login\n   - files: auth/login.rs\n   - check: cargo test login\n   - after: 1\n",
];

fn contract(text: &str) -> PlanContract {
    let contract = PlanContract::parse(text, &Disk).expect("a contract");
    assert_eq!(contract.steps.len(), 2, "{text}");
    contract
}

/// A file that the planned path stands for.
fn file(path: &str) -> String {
    if path.ends_with('/') { format!("{path}a.yml") } else { path.replace('*', "a") }
}

fn wrote(path: &str) -> Evidence {
    Evidence::wrote(file(path), Some("0".into()), Some("1".into()))
}

fn ran(command: &str, exit_code: i32) -> Evidence {
    Evidence::Ran {
        command: command.into(),
        exit_code: Some(exit_code),
        stopped: None,
        by: CheckRunner::Model,
        at: "t".into(),
        output: String::new(),
    }
}

fn writes(step: &PlanStep) -> Vec<Evidence> {
    step.files.iter().map(|file| wrote(&file.path)).collect()
}

fn done(step: &PlanStep) -> Vec<Evidence> {
    writes(step).into_iter().chain(step.checks.iter().map(|check| ran(check, 0))).collect()
}

fn report(contract: &PlanContract, evidence: Vec<Evidence>, message: &str) -> PlanReport {
    let approved = ApprovedContract::new("a-b-c", 1, contract.clone(), Default::default()).expect("approved");
    let mut progress = PlanProgress::new(approved, ROOT);
    evidence.into_iter().for_each(|piece| drop(progress.observe(piece)));
    PlanReport::new(&progress, message, 0.0, 0.0)
}

/// Six ways to deviate.
fn deviate(way: usize, contract: &PlanContract) -> (&'static str, Vec<Evidence>) {
    let [first, second] = contract.steps.as_slice() else { panic!("two steps") };
    match way {
        0 => ("skips a step", done(first)),
        1 => ("reorders", done(second).into_iter().chain(done(first)).collect()),
        2 => {
            let extra = [wrote("unplanned/file.txt")];
            ("changes an extra file", done(first).into_iter().chain(extra).chain(done(second)).collect())
        }
        3 => {
            let failed = second.checks.iter().map(|check| ran(check, 1));
            ("says done although a check failed", done(first).into_iter().chain(writes(second)).chain(failed).collect())
        }
        4 => {
            let early: Vec<Evidence> = second.checks.iter().map(|check| ran(check, 0)).collect();
            ("checks before the last write", done(first).into_iter().chain(early).chain(writes(second)).collect())
        }
        _ => {
            let other = [wrote("another/way.txt")];
            let checks = contract.steps.iter().flat_map(|step| step.checks.iter().map(|check| ran(check, 0)));
            ("takes another approach", other.into_iter().chain(checks).collect())
        }
    }
}

/// Six ways to follow a plan.
fn follow(way: usize, contract: &PlanContract) -> (&'static str, Vec<Evidence>) {
    let [first, second] = contract.steps.as_slice() else { panic!("two steps") };
    let plain: Vec<Evidence> = done(first).into_iter().chain(done(second)).collect();
    let checks = |around: &dyn Fn(&str) -> String| -> Vec<Evidence> {
        contract.steps.iter().flat_map(|step| &step.checks).map(|check| ran(&around(check), 0)).collect()
    };
    let all_writes = || contract.steps.iter().flat_map(writes);
    match way {
        0 => ("step by step", plain),
        1 => ("checks at the end", all_writes().chain(checks(&|check| check.to_string())).collect()),
        2 => {
            let spelled = checks(&|check| format!("cd /w && RUST_LOG=debug {check} > out.log 2>&1"));
            ("spells checks differently", all_writes().chain(spelled).collect())
        }
        3 => {
            let failed = first.checks.iter().map(|check| ran(check, 101));
            ("repairs what failed", writes(first).into_iter().chain(failed).chain(plain).collect())
        }
        4 => {
            let ignored = Evidence::Wrote {
                path: "target/x".into(),
                before: None,
                after: Some("1".into()),
                exempt: true,
                modes: None,
                together: false,
            };
            let undone = [wrote("notes.txt"), Evidence::wrote("notes.txt", Some("1".into()), Some("0".into()))];
            ("writes ignored files and takes a note back", [ignored].into_iter().chain(undone).chain(plain).collect())
        }
        _ => {
            let denied = [Evidence::Denied { path: "other.txt".into() }, ran("git status", 0), Evidence::Reminded];
            ("was denied an extra file", denied.into_iter().chain(plain).collect())
        }
    }
}

#[test]
fn rh_6_report_of_a_file_has_no_empty_name() {
    let mut report = PlanReport::default();
    assert!(report.text().starts_with("Plan\n") && report.summary().starts_with("Plan: "), "{}", report.text());
    (report.plan.slug, report.plan.revision) = ("a-b-c".into(), 2);
    assert!(report.text().starts_with("Plan a-b-c (revision 2)\n"), "{}", report.text());
}

#[test]
fn pc_35_drift_is_found_and_nothing_else() {
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    for text in PLANS {
        let contract = contract(text);
        for way in 0..6 {
            let (name, evidence) = deviate(way, &contract);
            if !report(&contract, evidence, "Done. All checks pass.").drift {
                missed.push(format!("{name}:\n{text}"));
            }
            let (name, evidence) = follow(way, &contract);
            let report = report(&contract, evidence, "Done. All checks pass.");
            if report.drift || !report.claims.is_empty() {
                wrong.push(format!("{name}:\n{text}\n{}", report.text()));
            }
        }
    }
    assert!(missed.is_empty(), "{} of 60 missed\n{}", missed.len(), missed.join("\n"));
    assert!(wrong.is_empty(), "{} of 60 wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn pc_37_false_claims_are_named() {
    let contract = contract(PLANS[0]);
    let (_, evidence) = deviate(3, &contract);
    let claims = report(&contract, evidence, "Done. All checks pass.").claims;
    assert!(claims.iter().any(|claim| claim.evidence.contains("exited 1")), "{claims:?}");
}

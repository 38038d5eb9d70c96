//! Reading the contract of a long plan, with its lint (PC-1, PC-6).

use crate::Bench;
use crate::table::Row;
use anyhow::{Context, Result};
use cutonce_core::plan::contract::{FileFact, PlanContract, PlanFacts};
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
    times.sort_by(f64::total_cmp);
    Ok(vec![Row::limit("contract and lint of a plan of 1,000 lines", times[times.len() / 2], "ms", 5.0)])
}

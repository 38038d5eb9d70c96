//! Resumes a session with a 200 MB transcript: fast, and without loading all of it into memory (SE-2, SE-3).

use crate::Bench;
use crate::model::Model;
use crate::process::{Program, Run};
use crate::table::{Row, median, spread, walls};
use crate::transcript::{self, Past};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::{Path, PathBuf};

const LARGE: u64 = 200_000_000;
const SMALL: u64 = 20_000_000;
const LIMIT_MS: f64 = 1000.0;
/// Memory limit: ten times the transcript may not need twice the memory.
const LIMIT_MEMORY: f64 = 2.0;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (past, words) in [(Past::Compacted, "compacted near its end"), (Past::Whole, "never compacted")] {
        let room = bench.room(&format!("resume-{past:?}"))?;
        let small = measure(bench, &room, past, SMALL, 1)?;
        let large = measure(bench, &room, past, LARGE, 2)?;
        let times = walls(&large);
        let figure = format!("resume of {} MB, {words}", size(bench, LARGE) / 1_000_000);
        let little = size(bench, SMALL) / 1_000_000;
        let beside = format!("{} for {little} MB", spread(&walls(&small)));
        rows.push(Row::limit(&figure, median(&times), "ms", LIMIT_MS).beside(beside));
        let (ours, least) = (peak(&large), peak(&small));
        let cells = (format!("{ours:.0} MB"), format!("{least:.0} MB for {little} MB"));
        rows.push(Row::ratio(&format!("{figure}: peak memory"), (&cells.0, &cells.1), ours / least, LIMIT_MEMORY));
    }
    Ok(rows)
}

fn size(bench: &Bench, bytes: u64) -> u64 {
    if bench.quick { bytes / 10 } else { bytes }
}

fn peak(runs: &[Run]) -> f64 {
    runs.iter().map(Run::peak_mb).fold(0.0, f64::max)
}

/// Resumes one transcript repeatedly; it grows by a few lines each time.
fn measure(bench: &Bench, room: &Path, past: Past, bytes: u64, number: u32) -> Result<Vec<Run>> {
    let session = format!("019a0000-0000-7000-8000-00000000000{number}");
    let model = Model::start(json!([{"text": "Hello again.", "repeat": 1000}]))?;
    let path = place(room, &session, &model)?;
    transcript::write(&path, &session, room, past, size(bench, bytes))?;
    let resume = Program::cutonce(room).args(["-p", "hi", "--resume", session.as_str()]);
    let resume = resume.talks_to(model.address(), room);
    let runs = (0..=bench.rounds(10)).map(|_| resume.run(room)).skip(1).collect();
    std::fs::remove_file(&path)?;
    runs
}

/// Path of this session's transcript. Asks the program itself, by creating one and removing it again.
pub fn place(room: &Path, session: &str, model: &Model) -> Result<PathBuf> {
    let first = Program::cutonce(room).args(["-p", "hi", "--session-id", session]);
    first.talks_to(model.address(), room).run(room)?;
    let path = find(room, &format!("{session}.jsonl")).context("the program wrote no transcript")?;
    std::fs::remove_file(&path)?;
    Ok(path)
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.into_iter().find_map(|path| match path.is_dir() {
        true => find(&path, name),
        false => (path.file_name()? == name).then_some(path),
    })
}

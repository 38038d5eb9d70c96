//! Startup cost: no work, one question, the first request.

use crate::Bench;
use crate::model::Model;
use crate::process::{Program, Run, in_turns};
use crate::table::{Row, compare, median, spread, walls};
use anyhow::{Context, Result};
use serde_json::json;

const VERSION: f64 = 3.0;
const ONE_SHOT_MS: f64 = 30.0;
const ONE_SHOT_MB: f64 = 25.0;
const FIRST_REQUEST_KB: f64 = 16.0;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("start")?;
    let version = Program::cutonce(&room).args(["--version"]);
    let nothing = Program::new("/bin/true", &room);
    let runs = in_turns(bench.rounds(200), &room, &version, &nothing)?;
    let mut rows = vec![compare("start of `--version`, against `/bin/true`", &runs, VERSION)];

    let model = Model::start(json!([{"text": "Hello.", "repeat": 1000}]))?;
    let hello = Program::cutonce(&room).args(["-p", "hi"]).talks_to(model.address(), &room);
    let (runs, _) = in_turns(bench.rounds(60), &room, &hello, &nothing)?;
    let peak = runs.iter().map(Run::peak_mb).fold(0.0, f64::max);
    let times = walls(&runs);
    rows.push(Row::limit("one-shot `-p hi`", median(&times), "ms", ONE_SHOT_MS).beside(spread(&times)));
    rows.push(Row::limit("one-shot `-p hi`: peak memory", peak, "MB", ONE_SHOT_MB));
    let first = model.requests().first().map(|request| request.body.len()).context("no request came")?;
    rows.push(Row::limit("first request, all of it", first as f64 / 1024.0, "KB", FIRST_REQUEST_KB));
    Ok(rows)
}

//! Startup cost: no work, one question, the first request.

use crate::Bench;
use crate::model::Model;
use crate::process::{Program, Run, in_turns};
use crate::table::{Row, compare, median, spread, walls};
use anyhow::{Context, Result};
use cutonce_fleet::remote_record::RemoteRecord;
use serde_json::json;
use std::path::Path;

const VERSION: f64 = 3.0;
const ONE_SHOT_MS: f64 = 30.0;
const ONE_SHOT_MB: f64 = 25.0;
const FIRST_REQUEST_KB: f64 = 16.0;
const UNUSED_REMOTE: f64 = 1.1;
const UNUSED_REMOTE_MB: f64 = 0.5;

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
    rows.extend(unused_remote(bench, &room, &model)?);
    Ok(rows)
}

/// A remote that is configured and not asked for must not cost anything (FL-1).
fn unused_remote(bench: &Bench, without: &Path, model: &Model) -> Result<Vec<Row>> {
    let room = bench.room("start-remote")?;
    let remote = RemoteRecord::found("team", vec!["nats://127.0.0.1:1".into()], "bench")?;
    remote.save(&room.join(".cutonce"))?;
    let hello = |room: &Path| Program::cutonce(room).args(["-p", "hi"]).talks_to(model.address(), room);
    let runs = in_turns(bench.rounds(60), &room, &hello(&room), &hello(without))?;
    let peak = |runs: &[Run]| median(&runs.iter().map(Run::peak_mb).collect::<Vec<_>>());
    let more = (peak(&runs.0) - peak(&runs.1)).max(0.0);
    Ok(vec![
        compare("one-shot with a remote that is not asked for, against without", &runs, UNUSED_REMOTE),
        Row::limit("one-shot with such a remote: more memory", more, "MB", UNUSED_REMOTE_MB),
    ])
}

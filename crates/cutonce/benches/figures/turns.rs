//! A long loop of tool turns: what a turn costs on top of the model's own time, and whether that grows (AG-2, AG-7).

use crate::Bench;
use crate::model::Model;
use crate::process::{Program, Run};
use crate::table::{Row, median, millis, number};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::path::Path;

const TURNS: usize = 300;
const FEW: usize = 50;
const LIMIT_MS: f64 = 1.5;
const LIMIT_GROWTH: f64 = 1.1;
const LIMIT_MB: f64 = 40.0;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("turns")?;
    std::fs::write(room.join("small.txt"), "one line\n".repeat(40))?;
    let rounds = (0..=bench.rounds(10)).map(|_| Round::play(&room)).skip(1).collect::<Result<Vec<_>>>()?;
    let of = |figure: fn(&Round) -> f64| median(&rounds.iter().map(figure).collect::<Vec<_>>());
    let (first, last) = (of(Round::first), of(Round::last));
    let growth = of(|round| round.last() / round.first());
    let cells = [first, last].map(|millis| format!("{} ms a turn", number(millis)));
    let server = of(|round| round.server);
    Ok(vec![
        Row::limit(&format!("a turn of {TURNS}, over the model's own time"), of(Round::turn), "ms", LIMIT_MS)
            .beside(format!("the model's own time: {server:.2} ms a turn")),
        Row::ratio(
            &format!("turns {}–{TURNS} against turns 1–{FEW}", TURNS - FEW + 1),
            (&cells[1], &cells[0]),
            growth,
            LIMIT_GROWTH,
        ),
        Row::limit(&format!("peak memory after {TURNS} turns"), of(|round| round.run.peak_mb()), "MB", LIMIT_MB),
        Row::known("processor time of a turn", format!("{} ms", number(of(Round::cpu)))),
    ])
}

/// One loop of the program.
struct Round {
    run: Run,
    /// The program's own milliseconds between one request and the next.
    turns: Vec<f64>,
    /// The model's own milliseconds a turn, on the average.
    server: f64,
}

impl Round {
    fn play(room: &Path) -> Result<Round> {
        let call = json!({"name": "Read", "input": {"file_path": room.join("small.txt")}});
        let loop_of_reads = json!({"text": "Step {n}.", "calls": [call], "repeat": TURNS});
        let model = Model::forgetful(json!([loop_of_reads, {"text": "Done."}]))?;
        let program = Program::cutonce(room).args(["-p", "Read it often.", "--output-format", "json"]);
        let run = program.talks_to(model.address(), room).run(room)?;
        let result: Value = serde_json::from_str(&run.output()?)?;
        let refused = result["permission_denials"].as_array().map_or(0, Vec::len);
        ensure!(result["is_error"] == false && refused == 0, "the reads were not done: {result}");
        let timed = model.server().times();
        ensure!(timed.len() == TURNS + 1, "{} requests instead of {}", timed.len(), TURNS + 1);
        let turns = timed.windows(2).map(|two| {
            let whole = two[1].received.duration_since(two[0].received);
            millis(whole.saturating_sub(two[0].own))
        });
        let server = timed.iter().map(|timed| millis(timed.own)).sum::<f64>() / timed.len() as f64;
        Ok(Round { run, turns: turns.collect(), server })
    }
    fn turn(&self) -> f64 {
        mean(&self.turns)
    }
    fn first(&self) -> f64 {
        median(&self.turns[..FEW])
    }
    fn last(&self) -> f64 {
        median(&self.turns[TURNS - FEW..])
    }
    fn cpu(&self) -> f64 {
        millis(self.run.cpu) / TURNS as f64
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

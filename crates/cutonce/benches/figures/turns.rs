//! A long loop of tool turns: the cost of a turn on top of the model's own time, and whether it grows (AG-2,
//! AG-7).

use crate::Bench;
use crate::bare::Bare;
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
    let bodies = Round::bodies(&room)?;
    let rounds = (0..bench.rounds(15)).map(|_| Round::play(&room, &bodies)).collect::<Result<Vec<_>>>()?;
    let of = |figure: &dyn Fn(&Round) -> f64| median(&rounds.iter().map(figure).collect::<Vec<_>>());
    let over = of(&|round| mean(&round.over_own()));
    let (own, bare) = (of(&|round| mean(&round.own)), of(&|round| mean(&round.bare)));
    let last_body = bodies.last().map_or(0, Vec::len) / 1024;
    let growth = |figure: &str, times: fn(&Round) -> Vec<f64>, limit: f64| {
        let ratio = of(&|round| last(&times(round)) / first(&times(round)));
        let cells = [of(&|round| last(&times(round))), of(&|round| first(&times(round)))];
        let cells = cells.map(|millis| format!("{} ms a turn", number(millis)));
        Row::ratio(figure, (&cells[0], &cells[1]), ratio, limit)
    };
    let name = format!("turns {}–{TURNS} against turns 1–{FEW}", TURNS - FEW + 1);
    let (carried, bare_alone) =
        (format!("{name}, with carrying the request ({last_body} KB at the end)"), |round: &Round| round.bare.clone());
    Ok(vec![
        Row::limit(&format!("a turn of {TURNS}, over the model's own time"), over, "ms", LIMIT_MS)
            .beside(format!("own time {own:.2} ms, bare exchange {bare:.2} ms")),
        // The target covers only our own time: no client can avoid the time of a plain socket.
        growth(&format!("{name}, over a bare exchange of the same bytes"), Round::over_bare, LIMIT_GROWTH),
        growth(&carried, Round::over_own, LIMIT_GROWTH).without_target(),
        growth("the same of the bare exchange alone", bare_alone, LIMIT_GROWTH).without_target(),
        Row::limit(&format!("peak memory after {TURNS} turns"), of(&|round| round.run.peak_mb()), "MB", LIMIT_MB),
        Row::known("processor time of a turn", format!("{} ms", number(of(&Round::cpu)))),
    ])
}

/// One loop of the program, and the same requests sent bare. All in milliseconds, one value per turn.
struct Round {
    run: Run,
    /// From one request to the next.
    whole: Vec<f64>,
    /// The model's own time.
    own: Vec<f64>,
    /// The next request sent bare: its transfer, the model's own time, and the transfer of the answer.
    bare: Vec<f64>,
}

impl Round {
    fn play(room: &Path, bodies: &[Vec<u8>]) -> Result<Round> {
        let model = Model::forgetful(story(room))?;
        let run = looped(room, &model)?;
        let times = model.server().times();
        ensure!(times.len() == TURNS + 1, "{} requests instead of {}", times.len(), TURNS + 1);
        let whole = times.windows(2).map(|two| millis(two[1].received.duration_since(two[0].received))).collect();
        let own = times[..TURNS].iter().map(|timed| millis(timed.own)).collect();
        let model = Model::forgetful(story(room))?;
        let mut bare = Bare::connect(model.address())?;
        bare.exchange(&bodies[0])?;
        let bare = bodies[1..].iter().map(|body| Ok(millis(bare.exchange(body)?))).collect::<Result<_>>()?;
        Ok(Round { run, whole, own, bare })
    }
    /// The request bodies that the program sends in such a loop.
    fn bodies(room: &Path) -> Result<Vec<Vec<u8>>> {
        let model = Model::start(story(room))?;
        looped(room, &model)?;
        Ok(model.requests().into_iter().map(|request| request.body.to_vec()).collect())
    }
    fn over_own(&self) -> Vec<f64> {
        self.whole.iter().zip(&self.own).map(|(whole, own)| whole - own).collect()
    }
    fn over_bare(&self) -> Vec<f64> {
        self.whole.iter().zip(&self.bare).map(|(whole, bare)| whole - bare).collect()
    }
    fn cpu(&self) -> f64 {
        millis(self.run.cpu) / TURNS as f64
    }
}

fn story(room: &Path) -> Value {
    let call = json!({"name": "Read", "input": {"file_path": room.join("small.txt")}});
    json!([{"text": "Step {n}.", "calls": [call], "repeat": TURNS}, {"text": "Done."}])
}

fn looped(room: &Path, model: &Model) -> Result<Run> {
    let program = Program::cutonce(room).args(["-p", "Read it often.", "--output-format", "json"]);
    let run = program.talks_to(model.address(), room).run(room)?;
    let result: Value = serde_json::from_str(&run.output()?)?;
    let refused = result["permission_denials"].as_array().map_or(0, Vec::len);
    ensure!(result["is_error"] == false && refused == 0, "the reads were not done: {result}");
    Ok(run)
}

fn first(turns: &[f64]) -> f64 {
    median(&turns[..FEW])
}

fn last(turns: &[f64]) -> f64 {
    median(&turns[TURNS - FEW..])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

//! The fleet on one NATS server (FL-7): jobs per second, the way of a plan to a reviewer, a long list of waiting plans,
//! and what publishing costs the session that does it.

use crate::Bench;
use crate::fleet_load::{WORKERS, request_reviews, review_latencies, submit_jobs, work_jobs};
use crate::mail::Server;
use crate::model::Model;
use crate::process::Program;
use crate::table::{Row, median, millis, number};
use anyhow::{Result, ensure};
use cutonce_fleet::FleetLink;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

const LIST_LIMIT_MS: f64 = 200.0;
/// Publishing may add two percent to a turn.
const PUBLISHING_LIMIT: f64 = 1.02;

pub fn figures(bench: &Bench) -> Result<Vec<Row>> {
    let room = bench.room("fleet")?;
    let server = Server::start(&room.join("nats"))?;
    let fleet = Fleet { home: room.join(".cutonce"), room };
    fleet.cutonce(["remote", "add", "team", &server.url, "--label", "ann"]).run(&fleet.room)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (jobs, plans) = if bench.quick { (100, 1_000) } else { (1_000, 10_000) };
    let mut rows = runtime.block_on(fleet.jobs(jobs))?;
    rows.extend(fleet.lists(bench, &runtime, plans)?);
    rows.push(runtime.block_on(fleet.latency(bench.rounds(200)))?);
    rows.extend(fleet.publishing(bench)?);
    Ok(rows)
}

/// A group with one member on one server.
struct Fleet {
    room: PathBuf,
    home: PathBuf,
}

impl Fleet {
    fn cutonce<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Program {
        Program::cutonce(&self.room).args(args).env("HOME", &self.room).env("CUTONCE_HOME", &self.home)
    }
    async fn link(&self) -> Result<FleetLink> {
        Ok(FleetLink::connect(&self.home, "team").await?)
    }

    /// Jobs without the model: submission, then start, result and confirmation by eight workers.
    async fn jobs(&self, jobs: usize) -> Result<Vec<Row>> {
        let submitted = submit_jobs(&self.link().await?, jobs).await?;
        let worked = work_jobs(&self.home, jobs).await?;
        let rate = |time: Duration| format!("{} jobs/s", number((jobs as f64 / time.as_secs_f64()).round()));
        Ok(vec![
            Row::known(&format!("{jobs} jobs submitted to one server"), rate(submitted)),
            Row::known(&format!("the same through {WORKERS} workers, without the model"), rate(worked))
                .beside("start, result, confirmation; each once"),
        ])
    }

    /// The list of waiting plans, from the start of the program to its first row and to its end. The first look of a
    /// machine verifies all of it.
    fn lists(&self, bench: &Bench, runtime: &tokio::runtime::Runtime, plans: usize) -> Result<Vec<Row>> {
        runtime.block_on(async { request_reviews(&self.link().await?, plans).await })?;
        let list = self.cutonce(["review", "--remote", "team", "--json"]);
        let mut looks =
            [("the first look of a machine", Vec::new(), Vec::new()), ("each further look", Vec::new(), Vec::new())];
        for _ in 0..bench.rounds(10) {
            // What this machine has verified.
            for name in ["reviews.json", "verified"] {
                let _ = std::fs::remove_file(self.home.join("remotes/team").join(name));
            }
            for (_, opened, complete) in &mut looks {
                let (first, all, text) = list.run_for_first_line()?;
                let rows: Vec<Value> = serde_json::from_str(&text)?;
                let count = rows.iter().filter(|row| row["kind"] == "session").count();
                ensure!(count == plans, "{count} of {plans} plans are listed");
                opened.push(millis(first));
                complete.push(millis(all));
            }
        }
        let row = |(look, opened, complete): &(&str, Vec<f64>, Vec<f64>)| {
            let figure = format!("`cutonce review` opens with {plans} waiting plans, {look}");
            let all = format!("complete after {} ms", number(median(complete)));
            Row::limit(&figure, median(opened), "ms", LIST_LIMIT_MS).beside(all)
        };
        Ok(looks.iter().map(row).collect())
    }

    /// From the publication of a plan to a reviewer who follows.
    async fn latency(&self, rounds: usize) -> Result<Row> {
        let times = review_latencies(&self.link().await?, &self.link().await?, rounds).await?;
        let times: Vec<f64> = times.into_iter().map(millis).collect();
        let worst = times.iter().copied().fold(0.0, f64::max);
        let row = Row::known("a plan, from its submission to a reviewer", format!("{} ms", number(median(&times))));
        Ok(row.beside(format!("longest of {rounds}: {} ms", number(worst))))
    }

    /// A loop of tool turns, with and without publishing, in alternation: once with a model that takes about as long as
    /// a quick real one, once with a model that takes no time, which shows the cost itself.
    fn publishing(&self, bench: &Bench) -> Result<Vec<Row>> {
        std::fs::write(self.room.join("small.txt"), "one line\n".repeat(40))?;
        self.turn(true, &BARE)?;
        let paced = self.turns(bench.rounds(6), &PACED)?;
        let bare = self.turns(bench.rounds(15), &BARE)?;
        let cells = paced.time.map(|time| format!("{} ms a turn", number(time)));
        let figure = "a turn of a session that is published, against one that is not";
        let added = |[with, without]: [f64; 2]| number(((with - without) * 1000.0).max(0.0).round());
        let cost = format!("{} µs a turn, {} µs of processor time", added(bare.time), added(bare.processor));
        let [with, without] = bare.time;
        Ok(vec![
            Row::ratio(figure, (&cells[0], &cells[1]), paced.time[0] / paced.time[1], PUBLISHING_LIMIT),
            Row::known("what publishing adds if the model takes no time", cost).beside(format!(
                "{} ms a turn without it, {} ×",
                number(without),
                number(with / without)
            )),
        ])
    }

    fn turns(&self, rounds: usize, pace: &ModelPace) -> Result<TurnCost> {
        let [mut with, mut without] = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            with.push(self.turn(true, pace)?);
            without.push(self.turn(false, pace)?);
        }
        let medians = |part: fn(&(f64, f64)) -> f64| {
            [&with, &without].map(|runs| median(&runs.iter().map(part).collect::<Vec<_>>()))
        };
        Ok(TurnCost { time: medians(|run| run.0), processor: medians(|run| run.1) })
    }

    /// The median time of a turn, from one request to the next, and the processor time of a turn, in milliseconds.
    fn turn(&self, published: bool, pace: &ModelPace) -> Result<(f64, f64)> {
        let call = json!({"name": "Read", "input": {"file_path": self.room.join("small.txt")}});
        let step = json!({"text": pace.text, "calls": [call], "repeat": pace.turns, "delay_ms": pace.delay_ms});
        let model = Model::forgetful(json!([step, {"text": "Done."}]))?;
        let program = self.cutonce(["-p", "Read it often.", "--output-format", "json"]);
        let program = program.args(if published { &["--remote", "team"][..] } else { &[] }.iter().copied());
        let run = program.talks_to(model.address(), &self.room).run(&self.room)?;
        let result: Value = serde_json::from_str(&run.output()?)?;
        ensure!(result["is_error"] == false, "the reads were not done: {result}");
        let times = model.server().times();
        let turns = times.windows(2).map(|two| millis(two[1].received.duration_since(two[0].received)));
        Ok((median(&turns.collect::<Vec<_>>()), millis(run.cpu) / pace.turns as f64))
    }
}

/// How a model answers.
struct ModelPace {
    turns: usize,
    text: &'static str,
    /// Between the parts of an answer.
    delay_ms: u64,
}

const BARE: ModelPace = ModelPace { turns: 100, text: "Step {n}.", delay_ms: 0 };
/// About a second for a sentence and a call. Real models seldom answer sooner.
const PACED: ModelPace = ModelPace { turns: 10, text: "I read the file once more, step {n}.", delay_ms: 100 };

/// Medians in milliseconds, with publishing and without it.
struct TurnCost {
    time: [f64; 2],
    processor: [f64; 2],
}

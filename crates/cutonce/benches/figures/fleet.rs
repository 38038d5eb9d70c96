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
const TURNS: usize = 100;
/// Between the parts of an answer.
const ANSWER_DELAY_MS: u64 = 1;

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

    /// The list of waiting plans, from the start of the program to its end.
    fn lists(&self, bench: &Bench, runtime: &tokio::runtime::Runtime, plans: usize) -> Result<Vec<Row>> {
        runtime.block_on(async { request_reviews(&self.link().await?, plans).await })?;
        let list = self.cutonce(["review", "--remote", "team", "--json"]);
        let first = millis(list.run(&self.room)?.wall);
        let mut times = Vec::new();
        for _ in 0..bench.rounds(20) {
            let run = list.run(&self.room)?;
            let listed: Value = serde_json::from_str(&run.output()?)?;
            let count = listed.as_array().map_or(0, |rows| rows.iter().filter(|row| row["kind"] == "session").count());
            ensure!(count == plans, "{count} of {plans} plans are listed");
            times.push(millis(run.wall));
        }
        let figure = format!("`cutonce review` with {plans} waiting plans");
        Ok(vec![
            Row::limit(&figure, median(&times), "ms", LIST_LIMIT_MS),
            Row::known("the same, the first look of a machine", format!("{} ms", number(first))),
        ])
    }

    /// From the publication of a plan to a reviewer who follows.
    async fn latency(&self, rounds: usize) -> Result<Row> {
        let times = review_latencies(&self.link().await?, &self.link().await?, rounds).await?;
        let times: Vec<f64> = times.into_iter().map(millis).collect();
        let worst = times.iter().copied().fold(0.0, f64::max);
        let row = Row::known("a plan, from its submission to a reviewer", format!("{} ms", number(median(&times))));
        Ok(row.beside(format!("longest of {rounds}: {} ms", number(worst))))
    }

    /// A loop of tool turns, with and without publishing, in alternation. The model takes a few milliseconds, much less
    /// than a real one; a second row shows the cost itself, with a model that takes none.
    fn publishing(&self, bench: &Bench) -> Result<Vec<Row>> {
        std::fs::write(self.room.join("small.txt"), "one line\n".repeat(40))?;
        self.turn(true, ANSWER_DELAY_MS)?;
        let (ours, reference) = self.turns(bench, ANSWER_DELAY_MS)?;
        let cells = [ours, reference].map(|time| format!("{} ms a turn", number(time)));
        let figure = "a turn of a session that is published, against one that is not";
        let (bare_ours, bare) = self.turns(bench, 0)?;
        let cost = format!("{} µs a turn", number(((bare_ours - bare) * 1000.0).max(0.0).round()));
        Ok(vec![
            Row::ratio(figure, (&cells[0], &cells[1]), ours / reference, PUBLISHING_LIMIT),
            Row::known("what publishing adds if the model takes no time", cost)
                .beside(format!("{} ms a turn without it", number(bare))),
        ])
    }

    /// Median times of a turn with and without publishing.
    fn turns(&self, bench: &Bench, delay_ms: u64) -> Result<(f64, f64)> {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for _ in 0..bench.rounds(15) {
            with.push(self.turn(true, delay_ms)?);
            without.push(self.turn(false, delay_ms)?);
        }
        Ok((median(&with), median(&without)))
    }

    /// The median time of a turn, from one request to the next.
    fn turn(&self, published: bool, delay_ms: u64) -> Result<f64> {
        let call = json!({"name": "Read", "input": {"file_path": self.room.join("small.txt")}});
        let model = Model::forgetful(
            json!([{"text": "Step {n}.", "calls": [call], "repeat": TURNS, "delay_ms": delay_ms}, {"text": "Done."}]),
        )?;
        let program = self.cutonce(["-p", "Read it often.", "--output-format", "json"]);
        let program = program.args(if published { &["--remote", "team"][..] } else { &[] }.iter().copied());
        let run = program.talks_to(model.address(), &self.room).run(&self.room)?;
        let result: Value = serde_json::from_str(&run.output()?)?;
        ensure!(result["is_error"] == false, "the reads were not done: {result}");
        let times = model.server().times();
        let turns = times.windows(2).map(|two| millis(two[1].received.duration_since(two[0].received)));
        Ok(median(&turns.collect::<Vec<_>>()))
    }
}

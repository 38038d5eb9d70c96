//! The fleet on one NATS server (FL-7): jobs per second, the way of a plan to a reviewer, a long list of waiting plans,
//! and what publishing costs the session that does it.

use crate::Bench;
use crate::mail::Server;
use crate::model::Model;
use crate::process::Program;
use crate::table::{Row, median, millis, number};
use anyhow::{Context, Result, ensure};
use cutonce_fleet::FleetLink;
use cutonce_fleet::blob::StoredText;
use cutonce_fleet::job::{JobEvent, JobKind, JobResult, JobSpec, JobState, RepoSource};
use cutonce_fleet::review::ReviewRecord;
use cutonce_fleet::streams::FleetStream;
use futures_util::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const WORKERS: usize = 8;
/// Publications under way at the same time.
const AT_ONCE: usize = 64;
const LIST_LIMIT_MS: f64 = 200.0;
/// Publishing may add two percent to a turn.
const PUBLISHING_LIMIT: f64 = 1.02;
const TURNS: usize = 200;

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
    rows.push(fleet.publishing(bench)?);
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
        let link = self.link().await?;
        let start = Instant::now();
        let submit = async |number| link.submit_job(&job_spec(number)).await;
        let all = futures_util::stream::iter((0..jobs).map(submit)).buffer_unordered(AT_ONCE);
        all.try_collect::<()>().await?;
        let submitted = start.elapsed();
        let (start, ended) = (Instant::now(), AtomicUsize::new(0));
        let workers = (0..WORKERS).map(|_| self.work(&ended, jobs));
        futures_util::future::try_join_all(workers).await?;
        let worked = start.elapsed();
        let board = link.job_board().await?;
        let once = board.jobs().filter(|job| job.state == JobState::Waiting && job.attempts == 1).count();
        ensure!(once == jobs, "{once} of {jobs} jobs have one result after one attempt");
        let rate = |time: Duration| format!("{} jobs/s", number((jobs as f64 / time.as_secs_f64()).round()));
        Ok(vec![
            Row::known(&format!("{jobs} jobs submitted to one server"), rate(submitted)),
            Row::known(&format!("the same through {WORKERS} workers, without the model"), rate(worked))
                .beside("start, result, confirmation; each once"),
        ])
    }

    async fn work(&self, ended: &AtomicUsize, jobs: usize) -> Result<()> {
        let link = self.link().await?;
        let queue = link.open_queue(Duration::from_secs(30)).await?;
        while ended.load(Ordering::Relaxed) < jobs {
            let Some(taken) = link.take_job(&queue, Duration::from_millis(200)).await? else { continue };
            let (id, generation) = (taken.queued.id.clone(), taken.queued.generation);
            let started = JobEvent::Started { generation, run: id.clone(), queued: taken.sequence() };
            link.publish_job_event(&id, &started).await?;
            ensure!(link.end_job(&id, generation, &job_result(&id)).await?, "{id} has two results");
            taken.confirm().await.map_err(anyhow::Error::msg)?;
            ended.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The list of waiting plans, from the start of the program to its end.
    fn lists(&self, bench: &Bench, runtime: &tokio::runtime::Runtime, plans: usize) -> Result<Vec<Row>> {
        runtime.block_on(async {
            let link = self.link().await?;
            let request = async |number: usize| request_review(&link, number).await;
            let all = futures_util::stream::iter((0..plans).map(request)).buffer_unordered(AT_ONCE);
            all.try_collect::<()>().await
        })?;
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
        let link = self.link().await?;
        let reviewer = self.link().await?;
        let start = reviewer.review_end().await? + 1;
        let mut news = reviewer.follow::<ReviewRecord>(FleetStream::Reviews, "*", start).await?;
        let mut times = Vec::new();
        for round in 0..rounds {
            let start = Instant::now();
            let (sent, received) = tokio::join!(request_review(&link, 1_000_000 + round), news.next());
            sent?;
            received?;
            times.push(millis(start.elapsed()));
        }
        let worst = times.iter().copied().fold(0.0, f64::max);
        let row = Row::known("a plan, from its submission to a reviewer", format!("{} ms", number(median(&times))));
        Ok(row.beside(format!("longest of {rounds}: {} ms", number(worst))))
    }

    /// A loop of tool turns, with and without publishing, in alternation.
    fn publishing(&self, bench: &Bench) -> Result<Row> {
        std::fs::write(self.room.join("small.txt"), "one line\n".repeat(40))?;
        let (mut with, mut without) = (Vec::new(), Vec::new());
        self.turn(true)?;
        for _ in 0..bench.rounds(15) {
            with.push(self.turn(true)?);
            without.push(self.turn(false)?);
        }
        let (ours, reference) = (median(&with), median(&without));
        let cells = [ours, reference].map(|time| format!("{} ms a turn", number(time)));
        let figure = "a turn of a session that is published, against one that is not";
        Ok(Row::ratio(figure, (&cells[0], &cells[1]), ours / reference, PUBLISHING_LIMIT))
    }

    /// The median time of a turn, from one request to the next.
    fn turn(&self, published: bool) -> Result<f64> {
        let call = json!({"name": "Read", "input": {"file_path": self.room.join("small.txt")}});
        let model =
            Model::forgetful(json!([{"text": "Step {n}.", "calls": [call], "repeat": TURNS}, {"text": "Done."}]))?;
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

async fn request_review(link: &FleetLink, number: usize) -> Result<()> {
    let record = ReviewRecord::Requested {
        session: format!("session-{number}"),
        project: "/home/ann/project".into(),
        text: StoredText::Inline("# Plan\n".repeat(100)),
        sha256: "0".repeat(64),
        request: None,
    };
    link.publish_review(&format!("ask-{number:07}"), &record).await.map(drop).context("storing a request")
}

fn job_spec(number: usize) -> JobSpec {
    JobSpec {
        id: format!("job-{number:06}"),
        kind: JobKind::Planning,
        repo: RepoSource::Url("https://host.invalid/repo.git".into()),
        task: Some("Sign the cookies".into()),
        text: None,
        sha256: None,
        then_implement: false,
        quorum: 1,
        model: None,
        budget_usd: None,
        push: None,
        follows: None,
    }
}

fn job_result(id: &str) -> JobResult {
    JobResult {
        state: JobState::Waiting,
        summary: "done".into(),
        session: id.into(),
        attempt: 1,
        text: Some(StoredText::Inline("# Plan\n".repeat(100))),
        text_name: None,
        sha256: None,
        patch: None,
        base: None,
        report: None,
        pushed: None,
        dead: false,
    }
}

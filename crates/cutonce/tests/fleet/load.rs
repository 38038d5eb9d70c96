//! Many jobs and waiting plans on one server, without a model (FL-7). The scale test and the benchmark share it.

use anyhow::{Context, Result, ensure};
use cutonce_fleet::FleetLink;
use cutonce_fleet::blob::StoredText;
use cutonce_fleet::job::{JobEvent, JobResult, JobSpec, JobState, RepoSource};
use cutonce_fleet::review::ReviewRecord;
use cutonce_fleet::streams::FleetStream;
use futures_util::{StreamExt, TryStreamExt};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub const WORKERS: usize = 8;
/// Publications under way at the same time.
const AT_ONCE: usize = 64;
/// The size of a usual plan.
fn plan() -> StoredText {
    StoredText::Inline("# Plan\n".repeat(100))
}

/// Submits jobs, and returns how long it took.
pub async fn submit_jobs(link: &FleetLink, jobs: usize) -> Result<Duration> {
    let start = Instant::now();
    let submit = async |number: usize| {
        let repo = RepoSource::Url("https://host.invalid/repo.git".into());
        link.submit_job(&JobSpec::planning(format!("job-{number:06}"), repo, "Sign the cookies".into())).await
    };
    let all = futures_util::stream::iter((0..jobs).map(submit)).buffer_unordered(AT_ONCE);
    all.try_collect::<()>().await?;
    Ok(start.elapsed())
}

/// Eight workers take and end these jobs: start, result, confirmation. Returns how long it took. Each job must have one
/// result after one attempt.
pub async fn work_jobs(home: &Path, jobs: usize) -> Result<Duration> {
    let (start, ended) = (Instant::now(), AtomicUsize::new(0));
    futures_util::future::try_join_all((0..WORKERS).map(|_| work(home, &ended, jobs))).await?;
    let worked = start.elapsed();
    let board = FleetLink::connect(home, "team").await?.job_board().await?;
    let once = board.jobs().filter(|job| job.state == JobState::Waiting && job.attempts == 1).count();
    ensure!(once == jobs, "{once} of {jobs} jobs have one result after one attempt");
    Ok(worked)
}

async fn work(home: &Path, ended: &AtomicUsize, jobs: usize) -> Result<()> {
    let link = FleetLink::connect(home, "team").await?;
    let queue = link.open_queue(Duration::from_secs(30)).await?;
    while ended.load(Ordering::Relaxed) < jobs {
        let Some(taken) = link.take_job(&queue, Duration::from_millis(200)).await? else { continue };
        let (id, generation) = (taken.queued.id.clone(), taken.queued.generation);
        let started = JobEvent::Started { generation, run: id.clone(), queued: taken.sequence() };
        link.publish_job_event(&id, &started).await?;
        let mut result = JobResult::new(JobState::Waiting, "done".into(), id.clone(), 1);
        result.text = Some(plan());
        ensure!(link.end_job(&id, generation, &result).await?, "{id} has two results");
        taken.confirm().await.map_err(anyhow::Error::msg)?;
        ended.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Publishes plans that wait.
pub async fn request_reviews(link: &FleetLink, plans: usize) -> Result<()> {
    let request = async |number: usize| request_review(link, number).await;
    let all = futures_util::stream::iter((0..plans).map(request)).buffer_unordered(AT_ONCE);
    all.try_collect::<()>().await
}

pub async fn request_review(link: &FleetLink, number: usize) -> Result<()> {
    let record = ReviewRecord::Requested {
        session: format!("session-{number}"),
        project: "/home/ann/project".into(),
        text: plan(),
        sha256: "0".repeat(64),
        request: None,
    };
    link.publish_review(&format!("ask-{number:07}"), &record).await.map(drop).context("storing a request")
}

/// From the publication of each plan to a reviewer who follows.
pub async fn review_latencies(link: &FleetLink, reviewer: &FleetLink, rounds: usize) -> Result<Vec<Duration>> {
    let start = reviewer.review_end().await? + 1;
    let mut news = reviewer.follow::<ReviewRecord>(FleetStream::Reviews, "*", start).await?;
    let mut times = Vec::new();
    for round in 0..rounds {
        let start = Instant::now();
        let (sent, received) = tokio::join!(request_review(link, 1_000_000 + round), news.next());
        sent?;
        received?;
        times.push(start.elapsed());
    }
    Ok(times)
}

//! FL-7: many jobs and many waiting plans. FLEET_JOBS and FLEET_PLANS set the numbers; the figures are printed.

use crate::stage::{Person, Running, Stage, block_on};
use cutonce_fleet::FleetLink;
use cutonce_fleet::blob::StoredText;
use cutonce_fleet::job::{JobEvent, JobKind, JobResult, JobSpec, JobState, RepoSource};
use cutonce_fleet::review::ReviewRecord;
use cutonce_fleet::streams::FleetStream;
use futures_util::{StreamExt, TryStreamExt};
use std::time::{Duration, Instant};

const WORKERS: usize = 8;
/// Publications under way at the same time.
const AT_ONCE: usize = 64;

fn number(name: &str, small: usize) -> usize {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(small)
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

/// What a worker does with a job, without the model: start, result, confirmation.
async fn work(ann: &Person, ended: &std::sync::atomic::AtomicUsize, jobs: usize) {
    use std::sync::atomic::Ordering;
    let link = FleetLink::connect(&ann.home, "team").await.unwrap();
    let queue = link.open_queue(Duration::from_secs(30)).await.unwrap();
    while ended.load(Ordering::Relaxed) < jobs {
        let Some(taken) = link.take_job(&queue, Duration::from_secs(1)).await.unwrap() else { continue };
        let (id, generation) = (taken.queued.id.clone(), taken.queued.generation);
        let started = JobEvent::Started { generation, run: id.clone(), queued: taken.sequence() };
        link.publish_job_event(&id, &started).await.unwrap();
        let result = JobResult {
            state: JobState::Waiting,
            summary: "done".into(),
            session: id.clone(),
            attempt: 1,
            text: Some(StoredText::Inline("# Plan\n".repeat(100))),
            text_name: None,
            sha256: None,
            patch: None,
            base: None,
            report: None,
            pushed: None,
            dead: false,
        };
        assert!(link.end_job(&id, generation, &result).await.unwrap(), "{id} has two results");
        taken.confirm().await.unwrap();
        ended.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn fl_7_eight_workers_share_the_queue() {
    let stage = Stage::new();
    let ann = stage.owner();
    let jobs = number("FLEET_JOBS", 64);
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        let began = Instant::now();
        let submit = async |number| link.submit_job(&job_spec(number)).await;
        futures_util::stream::iter((0..jobs).map(submit)).buffer_unordered(AT_ONCE).try_collect::<()>().await.unwrap();
        let submitted = began.elapsed();
        let (began, ended) = (Instant::now(), std::sync::atomic::AtomicUsize::new(0));
        futures_util::future::join_all((0..WORKERS).map(|_| work(&ann, &ended, jobs))).await;
        let worked = began.elapsed();
        let began = Instant::now();
        let board = link.job_board().await.unwrap();
        let listed = began.elapsed();
        let waiting = board.jobs().filter(|job| job.state == JobState::Waiting && job.attempts == 1).count();
        assert_eq!(waiting, jobs);
        let per_second = |time: Duration| jobs as f64 / time.as_secs_f64();
        println!(
            "{jobs} jobs: submitted {:.0}/s, {WORKERS} workers {:.0}/s, listed in {listed:?}",
            per_second(submitted),
            per_second(worked)
        );
    });
}

#[test]
fn fl_7_waiting_plans_are_listed() {
    let stage = Stage::new();
    let ann = stage.owner();
    let plans = number("FLEET_PLANS", 200);
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        let request = async |number: usize| {
            let record = ReviewRecord::Requested {
                session: format!("session-{number}"),
                project: "/home/ann/project".into(),
                text: StoredText::Inline("# Plan\n".repeat(100)),
                sha256: "0".repeat(64),
                request: None,
            };
            link.publish_review(&format!("ask-{number:06}"), &record).await
        };
        let all = futures_util::stream::iter((0..plans).map(request)).buffer_unordered(AT_ONCE);
        all.try_collect::<Vec<String>>().await.unwrap();
        let began = Instant::now();
        let board = link.review_board().await.unwrap();
        let first = began.elapsed();
        assert_eq!(board.open().count(), plans);
        // A new process of this machine knows the signatures.
        let began = Instant::now();
        let again = FleetLink::connect(&ann.home, "team").await.unwrap();
        assert_eq!(again.review_board().await.unwrap().open().count(), plans);
        println!("{plans} waiting plans: listed in {first:?}, then in {:?}", began.elapsed());
        // From a publication to a reviewer who follows.
        let start = link.review_end().await.unwrap() + 1;
        let mut news = link.follow::<ReviewRecord>(FleetStream::Reviews, "*", start).await.unwrap();
        let mut times = Vec::new();
        for number in plans..plans + 20 {
            let began = Instant::now();
            request(number).await.unwrap();
            news.next().await.unwrap();
            times.push(began.elapsed());
        }
        times.sort();
        println!("a plan reaches a reviewer in {:?} (median)", times[times.len() / 2]);
    });
}

/// Resident memory of a process in kilobytes.
fn memory(worker: &Running) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker.0.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Growth over all jobs, in kilobytes.
const GROWTH: u64 = 8 << 10;

#[test]
fn fl_7_workers_run_many_jobs_and_stay_small() {
    let stage = Stage::new();
    let ann = stage.owner();
    let jobs = number("FLEET_JOBS", 24);
    let began = Instant::now();
    let workers: Vec<Running> = (0..WORKERS).map(|_| ann.worker()).collect();
    let ids: Vec<String> = (0..jobs).map(|_| ann.submit_task(&[])).collect();
    // The first third fills caches and pools.
    ids[..jobs / 3].iter().for_each(|id| drop(ann.wait_for(id, "waiting")));
    let early: u64 = workers.iter().map(memory).max().unwrap();
    ids.iter().for_each(|id| drop(ann.wait_for(id, "waiting")));
    let late: u64 = workers.iter().map(memory).max().unwrap();
    let took = began.elapsed();
    println!(
        "{jobs} jobs with a scripted model on {WORKERS} workers: {took:?}; largest worker {early} KB, then {late} KB"
    );
    assert!(late < early + GROWTH, "{early} KB, then {late} KB");
    let board = block_on(async { FleetLink::connect(&ann.home, "team").await.unwrap().job_board().await.unwrap() });
    assert!(board.jobs().all(|job| job.attempts == 1 && job.state == JobState::Waiting));
}

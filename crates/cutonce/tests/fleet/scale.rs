//! FL-7: many jobs and many waiting plans. FLEET_JOBS and FLEET_PLANS set the numbers; the figures are printed.

use crate::load::{WORKERS, request_reviews, review_latencies, submit_jobs, work_jobs};
use crate::stage::{Running, Stage, block_on};
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::JobState;
use cutonce_fleet::review::ReviewRecord;
use std::time::{Duration, Instant};

fn number(name: &str, small: usize) -> usize {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(small)
}

#[test]
fn fl_7_eight_workers_share_the_queue() {
    let stage = Stage::new();
    let ann = stage.owner();
    let jobs = number("FLEET_JOBS", 64);
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        let submitted = submit_jobs(&link, jobs).await.unwrap();
        let worked = work_jobs(&ann.home, jobs).await.unwrap();
        let per_second = |time: Duration| jobs as f64 / time.as_secs_f64();
        let (submitted, worked) = (per_second(submitted), per_second(worked));
        println!("{jobs} jobs: submitted {submitted:.0}/s, {WORKERS} workers {worked:.0}/s");
    });
}

#[test]
fn fl_7_waiting_plans_are_listed() {
    let stage = Stage::new();
    let ann = stage.owner();
    let plans = number("FLEET_PLANS", 200);
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        request_reviews(&link, plans).await.unwrap();
        let mut looks = Vec::new();
        // A new process of this machine reads only what the first one has not read.
        for _ in 0..2 {
            let began = Instant::now();
            let link = FleetLink::connect(&ann.home, "team").await.unwrap();
            assert_eq!(link.list_reviews().await.unwrap().open().count(), plans);
            looks.push(began.elapsed());
        }
        // What happens later is in the list, too.
        let closed = ReviewRecord::Closed { by: Some("ann".into()), approved: true, choice: None };
        link.publish_review("ask-0000001", &closed).await.unwrap();
        let list = link.list_reviews().await.unwrap();
        assert!(list.open().count() == plans - 1 && list.find("ask-0000001").len() == 1);
        println!("{plans} waiting plans: listed in {:?}, then in {:?}", looks[0], looks[1]);
        let mut times = review_latencies(&link, &link, 20).await.unwrap();
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

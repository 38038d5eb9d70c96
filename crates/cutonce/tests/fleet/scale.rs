//! FL-7: many jobs and many waiting plans. FLEET_JOBS and FLEET_PLANS set the numbers; the figures are printed.

use crate::foreign::Foreigner;
use crate::load::{WORKERS, request_review, request_reviews, review_latencies, submit_jobs, work_jobs};
use crate::stage::{Running, Stage, block_on, text};
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::{JobEvent, JobState};
use cutonce_fleet::review::ReviewRecord;
use cutonce_fleet::streams::FleetStream;
use serde_json::{Value, json};
use std::collections::BTreeSet;
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
            assert_eq!(link.list_reviews().await.unwrap().open().len(), plans);
            looks.push(began.elapsed());
        }
        // What happens later is in the list, too.
        let closed = ReviewRecord::Closed { by: Some("ann".into()), approved: true, choice: None };
        link.publish_review("ask-0000001", &closed).await.unwrap();
        let list = link.list_reviews().await.unwrap();
        assert!(list.open().len() == plans - 1 && list.find("ask-0000001").len() == 1);
        println!("{plans} waiting plans: listed in {:?}, then in {:?}", looks[0], looks[1]);
        let mut times = review_latencies(&link, &link, 20).await.unwrap();
        times.sort();
        println!("a plan reaches a reviewer in {:?} (median)", times[times.len() / 2]);
    });
}

/// So many records take time: a list opens before all of them are read.
const MANY: usize = 1_200;

#[test]
fn fl_7_list_opens_with_the_newest_plans() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (bob, eve) = (stage.member(&ann, "bob", "approve"), stage.member(&ann, "eve", "approve"));
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        request_reviews(&link, MANY).await.unwrap();
        for number in [9_000_001, 9_000_002, 9_000_003] {
            request_review(&link, number).await.unwrap();
        }
        let closed = ReviewRecord::Closed { by: Some("ann".into()), approved: true, choice: None };
        link.publish_review("ask-9000002", &closed).await.unwrap();
        // Another client repeats the request that was answered, and puts nonsense beside another one.
        let foreigner = Foreigner::connect(&stage, &ann).await;
        let messages = foreigner.messages_from(FleetStream::Reviews, MANY as u64).await;
        let of = |id: &str| messages.iter().find(|(subject, _)| subject.ends_with(id)).unwrap().clone();
        let (subject, request) = of("ask-9000002");
        foreigner.publish(&subject, request).await;
        foreigner.publish(&of("ask-9000003").0, b"nonsense".to_vec()).await;

        let reader = FleetLink::connect(&bob.home, "team").await.unwrap();
        let stored = reader.stored_reviews().await.unwrap();
        let newest = reader.newest_listed(&stored).await.unwrap();
        let shown: Vec<&str> = newest.open().iter().map(|review| review.ask_id.as_str()).collect();
        assert_eq!(shown[..2], ["ask-9000003", "ask-9000001"], "{shown:?}");
        assert!(!shown.contains(&"ask-9000002") && shown.len() > 20 && shown.len() <= 40, "{shown:?}");
        let faults = reader.take_faults().len();
        let all = reader.complete_reviews(stored).await.unwrap();
        assert_eq!(all.open().len(), MANY + 2);
        assert!(newest.open().iter().all(|review| all.open().contains(review)));
        assert_eq!((faults, reader.take_faults().len()), (2, 0), "each is reported once");
        // A machine that knows the list reads what is new at once.
        let stored = reader.stored_reviews().await.unwrap();
        assert!(reader.newest_listed(&stored).await.unwrap().open().is_empty());
    });
    let listed = eve.run(&["review", "--remote", "team", "--json"]);
    let told = text(&listed.stderr);
    assert!(told.contains("these are the newest"), "{told}");
    let rows: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
    let ids: BTreeSet<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!((rows.len(), ids.len(), &rows[0]["id"]), (MANY + 2, MANY + 2, &json!("ask-9000003")));
    let lines = ann.ok(&["review", "--remote", "team"]);
    assert_eq!((lines.lines().count(), lines.contains("ask-9000002")), (MANY + 2, false));
}

#[test]
fn fl_7_newest_jobs_are_those_of_the_whole_list() {
    let stage = Stage::new();
    let ann = stage.owner();
    let jobs = MANY / 3;
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        submit_jobs(&link, jobs).await.unwrap();
        work_jobs(&ann.home, jobs).await.unwrap();
        // Two rounds of one job, and one that was never started.
        let answer = JobEvent::Answered { approve: false, sha256: None, feedback: Some("More.".into()) };
        link.publish_job_event("job-000001", &answer).await.unwrap();
        link.retry_job("job-000001").await.unwrap();
        link.publish_job_event("job-000002", &JobEvent::Cancelled).await.unwrap();
        let (newest, all) = (link.newest_jobs().await.unwrap(), link.job_board().await.unwrap());
        assert!(newest.jobs().count() > 20, "{}", newest.jobs().count());
        for job in newest.jobs() {
            assert_eq!(Some(job.details()), all.get(&job.spec.id).map(|job| job.details()));
        }
        assert_eq!(newest.get("job-000001").map(|job| job.generation), Some(2));
        assert_eq!(newest.get("job-000002").map(|job| job.state), Some(JobState::Cancelled));
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

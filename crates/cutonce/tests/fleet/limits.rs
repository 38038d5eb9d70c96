//! FL-5: limits of workers, users and repositories, budgets, retention.

use crate::stage::{HANGING, Stage, block_on, wait_until};
use async_nats::jetstream;
use async_nats::jetstream::stream::{DiscardPolicy, RetentionPolicy};
use cutonce_fleet::remote_record::RemoteRecord;
use cutonce_fleet::streams::FleetStream;
use serde_json::{Value, json};
use std::time::Duration;

/// When an event of this name happened.
fn time_of(job: &Value, event: &str) -> String {
    let events = job["events"].as_array().unwrap();
    events.iter().find(|one| one["event"] == event).unwrap()["at"].as_str().unwrap().to_string()
}

/// Three jobs, of which the setting allows two at once.
fn check_limit(setting: &str) {
    let stage = Stage::with_script(HANGING);
    let ann = stage.owner();
    let jobs: Vec<String> = (0..3).map(|_| ann.submit_task(&[])).collect();
    let settings = json!({"fleet": {"jobs": 3, setting: 2, "heartbeatSeconds": 1, "redeliverySeconds": 2}}).to_string();
    let _worker = ann.spawn(&["worker", "--remote", "team", "--settings", &settings]);
    let states = || jobs.iter().map(|id| ann.job(id)["state"].as_str().unwrap().to_string()).collect::<Vec<_>>();
    let running = |states: &[String]| states.iter().filter(|state| *state == "running").count();
    wait_until("two running jobs", || (running(&states()) == 2).then_some(()));
    let waiting = states().iter().position(|state| state == "queued").unwrap();
    let other = (0..3).find(|at| *at != waiting).unwrap();
    ann.ok(&["jobs", "cancel", &jobs[other], "--remote", "team"]);
    let last = ann.wait_for(&jobs[waiting], "running");
    assert_eq!(running(&states()), 2);
    let began = last["events"].as_array().unwrap().last().unwrap()["at"].as_str().unwrap().to_string();
    assert!(began >= time_of(&ann.job(&jobs[other]), "cancelled"), "{last}");
}

#[test]
fn fl_5_limit_of_a_user_holds() {
    check_limit("jobsPerUser");
}

#[test]
fn fl_5_limit_of_a_repository_holds() {
    check_limit("jobsPerRepository");
}

#[test]
fn fl_5_limit_of_a_worker_holds() {
    let stage = Stage::with_script(HANGING);
    let ann = stage.owner();
    let jobs = [ann.submit_task(&[]), ann.submit_task(&[])];
    let _worker = ann.worker();
    ann.wait_for(&jobs[0], "running");
    ann.ok(&["jobs", "cancel", &jobs[0], "--remote", "team"]);
    let second = ann.wait_for(&jobs[1], "running");
    assert!(time_of(&second, "started") >= time_of(&ann.job(&jobs[0]), "cancelled"), "{second}");
}

#[test]
fn fl_5_budgets_end_a_job() {
    let call = json!({"name": "Read", "input": {"file_path": "a.txt"}});
    let turn = json!({"calls": [call], "usage": {"input_tokens": 1_000_000, "output_tokens": 0}, "repeat": 20});
    let stage = Stage::with_script(&json!({"turns": [turn]}).to_string());
    let ann = stage.owner();
    // The job asks for less than the worker allows, and for more.
    let settings = r#"{"fleet": {"budgetUsd": 1.0}}"#;
    for asked in ["0.5", "1000"] {
        let id = ann.submit_task(&["--max-budget-usd", asked]);
        let before = stage.model.requests().len();
        ann.ok(&["worker", "--remote", "team", "--exit-when-idle", "--settings", settings]);
        let job = ann.job(&id);
        assert_eq!(job["state"], "failed", "{job}");
        assert!(job["result"]["summary"].as_str().unwrap().contains("budget"), "{job}");
        assert_eq!(stage.model.requests().len() - before, 1, "the first request uses the budget up");
    }
}

#[test]
fn fl_5_server_keeps_records_bounded_by_age_and_size() {
    let stage = Stage::new();
    let ann = stage.owner();
    let group = RemoteRecord::load(&ann.home, "team").unwrap().group;
    block_on(async {
        let context = jetstream::new(async_nats::connect(stage.nats.url()).await.unwrap());
        let names = FleetStream::ALL.map(|stream| stream.name(&group));
        for name in names.into_iter().chain([format!("OBJ_cutonce-fleet-{group}")]) {
            let stream = context.get_stream(&name).await.unwrap();
            let config = &stream.cached_info().config;
            assert!(config.max_bytes > 0, "{name}");
            let keeps_all = name.ends_with("_members") || name.ends_with("_queue");
            assert_eq!(config.max_age > Duration::ZERO, !keeps_all, "{name}");
            // What must not be lost is never dropped for something newer: the server refuses instead.
            assert_eq!(config.discard == DiscardPolicy::New, keeps_all || name.starts_with("OBJ"), "{name}");
            assert_eq!(config.retention == RetentionPolicy::WorkQueue, name.ends_with("_queue"), "{name}");
        }
    });
}

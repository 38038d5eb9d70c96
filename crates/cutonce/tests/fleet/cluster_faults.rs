//! FL-6: faults of a real cluster of three servers, while jobs and a session run.

use crate::cluster::NODES;
use crate::stage::{Person, Stage, block_on};
use cutonce_fleet::FleetLink;
use cutonce_fleet::remote_record::RemoteRecord;
use cutonce_fleet::session_log::{SessionUpload, UploadError};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A session that writes entries and publishes them through all faults.
struct BusySession {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
    file: PathBuf,
}

const SESSION: &str = "busy";

impl BusySession {
    fn start(person: &Person, root: &Path) -> BusySession {
        let (stop, file, home) = (Arc::new(AtomicBool::new(false)), root.join("busy.jsonl"), person.home.clone());
        let (stopped, path) = (stop.clone(), file.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                let link = FleetLink::connect(&home, "team").await.unwrap();
                let mut lines = std::fs::File::create(&path).unwrap();
                let mut upload = SessionUpload::open(&link, SESSION, &path, None).await.unwrap();
                let mut written = 0;
                while !stopped.load(Ordering::Relaxed) || upload.lines() < written {
                    if !stopped.load(Ordering::Relaxed) {
                        written += 1;
                        writeln!(lines, "entry {written}").unwrap();
                    }
                    match upload.push(&link, async || Ok(None)).await {
                        Ok(_) => {}
                        Err(UploadError::Fleet(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                upload.lines()
            })
        });
        BusySession { stop, thread, file }
    }

    /// Ends the session; the stream must have every confirmed entry, in order, once.
    fn check(self, person: &Person) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        let confirmed = self.thread.join().unwrap();
        let stored = block_on(async {
            let link = FleetLink::connect(&person.home, "team").await.unwrap();
            link.read_session(SESSION).await.unwrap().unwrap()
        });
        assert_eq!(stored.bytes(), std::fs::read(&self.file).unwrap());
        assert_eq!(stored.lines.len() as u64, confirmed);
        confirmed
    }
}

fn wait_for_results(ann: &Person, jobs: &[String]) {
    for (at, id) in jobs.iter().enumerate() {
        let job = ann.wait_for(id, if at % 2 == 0 { "waiting" } else { "done" });
        assert_eq!(count_events(&job, "ended"), 1, "{job}");
    }
}

fn count_events(job: &Value, name: &str) -> usize {
    job["events"].as_array().unwrap().iter().filter(|event| event["event"] == name).count()
}

/// Submits a planning job and an implementation.
fn submit_two(ann: &Person, jobs: &mut Vec<String>) {
    jobs.push(ann.submit_task(&[]));
    jobs.push(ann.submit_text("p.md", "# Plan\n\nAdd new.txt.\n"));
}

#[test]
fn fl_6_cluster_survives_kills_partitions_and_full_disk() {
    // It takes minutes on a busy machine: played by hand.
    if std::env::var_os("FLEET_CLUSTER").is_none() {
        return;
    }
    let mut stage = Stage::on_cluster();
    let ann = stage.owner();
    let bob = stage.member(&ann, "bob", "approve");
    let group = RemoteRecord::load(&ann.home, "team").unwrap().group;
    let session = BusySession::start(&ann, stage.root.path());
    let _workers = [ann.worker(), ann.worker()];
    let mut jobs = Vec::new();
    // The leader of the queue dies while jobs run.
    submit_two(&ann, &mut jobs);
    let leader = stage.cluster().leader(&format!("CUTONCE_FLEET_{group}_queue"));
    stage.cluster().kill(leader);
    submit_two(&ann, &mut jobs);
    wait_for_results(&ann, &jobs);
    println!("leader killed: {} jobs", jobs.len());
    stage.cluster().restart(leader);
    // The leader of the jobs, or each server in turn, is cut off from workers, members and the other servers.
    let all = std::env::var_os("FLEET_KILLS").is_some();
    let leader = stage.cluster().leader(&format!("CUTONCE_FLEET_{group}_jobs"));
    for at in (0..NODES).filter(|at| all || *at == leader) {
        stage.cluster().cut_off(at);
        submit_two(&ann, &mut jobs);
        wait_for_results(&ann, &jobs);
        stage.cluster().reconnect(at);
        println!("server {at} cut off: {} jobs", jobs.len());
    }
    fill_disk(&ann);
    submit_two(&ann, &mut jobs);
    wait_for_results(&ann, &jobs);
    println!("disk full: {} jobs", jobs.len());
    answer_twice_and_late(&ann, &bob, &jobs[0]);
    let entries = session.check(&ann);
    println!("{} jobs, {entries} entries", jobs.len());
}

/// Fills the small disk of one server; the others have room.
fn fill_disk(ann: &Person) {
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        for _ in 0..5 {
            let bytes: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(4 << 20).collect();
            let blob = link.put_blob(&bytes).await.unwrap();
            assert_eq!(link.get_blob(&blob).await.unwrap(), bytes);
        }
    });
}

/// Several answers at the same moment, and late ones: one decision.
fn answer_twice_and_late(ann: &Person, bob: &Person, id: &str) {
    let approve = ["review", id, "--remote", "team", "--approve"];
    let changes = ["review", id, "--remote", "team", "--changes", "no"];
    let mut racers = [bob.spawn(&approve), bob.spawn(&approve), ann.spawn(&changes), ann.spawn(&approve)];
    for racer in &mut racers {
        racer.end();
    }
    let decided = ann.job(id);
    assert!(decided["decision"]["approved"].is_boolean(), "{decided}");
    assert_eq!(count_events(&decided, "answered"), 1, "{decided}");
    assert!(bob.fails(&changes).contains("already"));
    assert_eq!(ann.job(id)["decision"], decided["decision"]);
    assert_eq!(decided["state"], json!("done"));
}

//! FL-6: faults of a real cluster of three servers, while jobs and a session run. FLEET_KILLS sets how many workers
//! die.

use crate::cluster::{Disks, NODES, SMALL, can_mount_small_disk};
use crate::proxy::Proxy;
use crate::stage::{PATIENCE, Person, Running, Stage, block_on, text};
use cutonce_fleet::job::JobEvent;
use cutonce_fleet::remote_record::RemoteRecord;
use cutonce_fleet::session_log::{SessionUpload, UploadError};
use cutonce_fleet::streams::FleetStream;
use cutonce_fleet::{FleetError, FleetLink};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const SESSION: &str = "busy";
/// Pause between two entries of the busy session.
const PACE: Duration = Duration::from_millis(20);
const PLAN: &str = "# Plan\n\nAdd new.txt.\n";

/// A session that writes entries and publishes them through all faults.
struct BusySession {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
    file: PathBuf,
}

impl BusySession {
    fn start(person: &Person, root: &Path) -> BusySession {
        let (stop, file, home) = (Arc::new(AtomicBool::new(false)), root.join("busy.jsonl"), person.home.clone());
        let (stopped, path) = (stop.clone(), file.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let publish = async move {
            let link = FleetLink::connect(&home, "team").await.unwrap();
            let mut lines = std::fs::File::create(&path).unwrap();
            let mut upload = SessionUpload::open(&link, SESSION, &path, None).await.unwrap();
            let (mut written, mut pace) = (0, tokio::time::interval(PACE));
            while !stopped.load(Ordering::Relaxed) || upload.lines() < written {
                pace.tick().await;
                if !stopped.load(Ordering::Relaxed) {
                    written += 1;
                    writeln!(lines, "entry {written}").unwrap();
                }
                match upload.push(&link, async || Ok(None)).await {
                    Ok(_) | Err(UploadError::Fleet(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            upload.lines()
        };
        let thread = std::thread::spawn(move || runtime.block_on(publish));
        BusySession { stop, thread, file }
    }

    /// Ends the session; the stream must have every confirmed entry, in order, once.
    fn check(self, person: &Person) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        let confirmed = self.thread.join().unwrap();
        let stored = block_on(async {
            let link = FleetLink::connect(&person.home, "team").await.unwrap();
            let stored = link.read_session(SESSION).await.unwrap().unwrap();
            assert_eq!(link.take_faults(), Vec::<String>::new());
            stored
        });
        assert_eq!(text(&stored.bytes()), std::fs::read_to_string(&self.file).unwrap());
        assert_eq!(stored.lines.len() as u64, confirmed);
        confirmed
    }
}

/// A cluster with members, a session that publishes, and jobs.
struct Play {
    stage: Stage,
    ann: Person,
    bob: Person,
    session: BusySession,
    jobs: Vec<String>,
    group: String,
}

impl Play {
    fn begin(disks: Disks) -> Play {
        let stage = Stage::on_cluster(disks);
        let ann = stage.owner();
        let bob = stage.member(&ann, "bob", "approve");
        let group = RemoteRecord::load(&ann.home, "team").unwrap().group;
        let session = BusySession::start(&ann, stage.root.path());
        Play { stage, ann, bob, session, jobs: Vec::new(), group }
    }

    fn leader(&mut self, stream: &str) -> usize {
        let stream = format!("CUTONCE_FLEET_{}_{stream}", self.group);
        self.stage.cluster().leader(&stream)
    }

    /// Only a cluster that is whole again may lose another server.
    fn wait_for_copies(&mut self) {
        if is_long() {
            self.stage.cluster().wait_for_copies(&self.group);
        }
    }

    /// Submits a planning job and an implementation.
    fn submit_two(&mut self) {
        self.jobs.push(self.ann.submit_task(&[]));
        self.jobs.push(self.ann.submit_text("p.md", PLAN));
    }

    /// Every job ends, with one result.
    fn wait_for_results(&self) {
        for (at, id) in self.jobs.iter().enumerate() {
            let job = self.ann.wait_for(id, if at % 2 == 0 { "waiting" } else { "done" });
            assert_eq!(count_events(&job, "ended"), 1, "{job}");
        }
        self.check_results();
    }

    /// The stream itself has one result per job, and each change was made once.
    fn check_results(&self) {
        let results = block_on(async {
            let link = FleetLink::connect(&self.ann.home, "team").await.unwrap();
            let mut results: BTreeMap<String, usize> = BTreeMap::new();
            for record in link.replay::<JobEvent>(FleetStream::Jobs, "*.result.*").await.unwrap() {
                let JobEvent::Ended { result, .. } = &record.body else { panic!("{record:?}") };
                *results.entry(record.subject.clone()).or_default() += 1;
                if let Some(patch) = &result.patch {
                    let patch = text(&link.get_blob(patch).await.unwrap());
                    assert_eq!(patch.matches("+new\n").count(), 1, "{patch}");
                }
            }
            assert_eq!(link.take_faults(), Vec::<String>::new());
            results
        });
        assert_eq!((results.len(), results.values().max()), (self.jobs.len(), Some(&1)), "{results:?}");
    }

    fn end(self, fault: &str) {
        self.wait_for_results();
        answer_twice_and_late(&self.ann, &self.bob, &self.jobs[0]);
        let entries = self.session.check(&self.ann);
        println!("{fault}: {} jobs, {entries} entries of a session", self.jobs.len());
    }
}

fn count_events(job: &Value, name: &str) -> usize {
    job["events"].as_array().unwrap().iter().filter(|event| event["event"] == name).count()
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

#[test]
fn fl_6_killed_leaders_lose_nothing() {
    let mut play = Play::begin(Disks::Large);
    let _workers = [play.ann.worker(), play.ann.worker()];
    let streams = if is_long() { &["queue", "jobs", "sessions"][..] } else { &["queue"] };
    for stream in streams {
        play.submit_two();
        let leader = play.leader(stream);
        play.stage.cluster().kill(leader);
        play.submit_two();
        play.wait_for_results();
        play.stage.cluster().restart(leader);
        play.wait_for_copies();
    }
    play.end("leaders killed");
}

#[test]
fn fl_6_servers_cut_off_lose_nothing() {
    let mut play = Play::begin(Disks::Large);
    let _workers = [play.ann.worker(), play.ann.worker()];
    let leader = play.leader("sessions");
    for at in (0..NODES).filter(|at| is_long() || *at == leader) {
        play.stage.cluster().cut_off(at);
        play.submit_two();
        play.wait_for_results();
        play.stage.cluster().reconnect(at);
        play.wait_for_copies();
    }
    play.end("servers cut off");
}

#[test]
fn fl_6_full_disk_of_one_server_loses_nothing() {
    if !can_mount_small_disk() {
        eprintln!("skipped: this user can't mount a file system in a namespace of its own");
        return;
    }
    let mut play = Play::begin(Disks::OneSmall);
    let _workers = [play.ann.worker(), play.ann.worker()];
    play.submit_two();
    play.stage.cluster().lead_elsewhere(&play.group, SMALL);
    block_on(fill_disk(&play.ann));
    let free = play.stage.cluster().free_kilobytes(SMALL);
    assert!(free < 4096, "{free} KB are free");
    // Clients connect to a server at random and leave the full one. It may keep the lead of a stream; then they wait.
    let led = play.stage.cluster().has_leaders(&play.group);
    let reached = block_on(read_often(&play.ann));
    assert!(reached.is_ok() || !led || !play.stage.cluster().has_leaders(&play.group), "{reached:?}");
    println!("full disk: all streams have leaders: {led}; clients reach another server: {}", reached.is_ok());
    // The operator stops the full server; the others continue.
    play.stage.cluster().kill(SMALL);
    play.submit_two();
    play.end("disk full");
}

/// Stores more than the small disk holds.
async fn fill_disk(person: &Person) {
    let link = FleetLink::connect(&person.home, "team").await.unwrap();
    for _ in 0..5 {
        let bytes: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(4 << 20).collect();
        // The stream may lose its leader with the full server.
        let Ok(blob) = link.put_blob(&bytes).await else { return };
        assert!(link.get_blob(&blob).await.map_or(true, |stored| stored == bytes));
    }
}

/// Reads with several new connections: some of them meet the full server.
async fn read_often(person: &Person) -> Result<(), FleetError> {
    for _ in 0..6 {
        let link = FleetLink::connect(&person.home, "team").await?;
        assert!(link.job_board().await?.jobs().next().is_some());
    }
    Ok(())
}

#[test]
fn fl_6_worker_cut_off_is_replaced_and_returns() {
    let mut play = Play::begin(Disks::Large);
    let wanda = play.stage.member(&play.ann, "wanda", "worker");
    let ways: Vec<Proxy> = play.stage.cluster().ports().map(Proxy::new).collect();
    let mut record = RemoteRecord::load(&wanda.home, "team").unwrap();
    record.urls = ways.iter().map(|way| format!("nats://127.0.0.1:{}", way.port)).collect();
    record.save(&wanda.home).unwrap();
    let log = std::fs::File::create(wanda.home.join("log")).unwrap();
    let mut command = wanda.command(&["worker", "--remote", "team"]);
    let _worker = Running(command.stdout(Stdio::null()).stderr(log).spawn().unwrap());
    // The model does not answer while the worker has the job; then the worker loses all servers.
    play.stage.model_hangs.store(true, Ordering::SeqCst);
    play.submit_two();
    play.ann.wait_for(&play.jobs[0], "running");
    assert!(play.stage.wait_for_request(PATIENCE));
    ways.iter().for_each(Proxy::cut);
    play.stage.model_hangs.store(false, Ordering::SeqCst);
    let replacement = play.ann.worker();
    play.wait_for_results();
    let by_ann = play.ann.job(&play.jobs[0]);
    assert_eq!((&by_ann["worker"], &by_ann["attempts"]), (&json!("ann"), &json!(2)), "{by_ann}");
    drop(replacement);
    ways.iter().for_each(Proxy::restore);
    play.submit_two();
    play.wait_for_results();
    assert_eq!(play.ann.job(&play.jobs[3])["worker"], "wanda");
    let mut told = String::new();
    std::fs::File::open(wanda.home.join("log")).unwrap().read_to_string(&mut told).unwrap();
    assert!(told.contains("no server answers"), "{told}");
    assert!(told.contains("another worker continues it") || told.contains("stopped: it is waiting"), "{told}");
    play.end("worker cut off");
}

/// Kills in CI.
const FEW: usize = 6;

/// Whether more than in CI is played.
fn is_long() -> bool {
    kills() > FEW
}

fn kills() -> usize {
    std::env::var("FLEET_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(FEW)
}

#[test]
fn fl_6_killed_workers_lose_no_job() {
    let mut play = Play::begin(Disks::Large);
    let mut random = fastrand::Rng::with_seed(kills() as u64);
    for kill in 0..kills() {
        // Three kills per job, at random points: after some requests to the model, a little later, or right away.
        if kill % 6 == 0 {
            play.submit_two();
        }
        let mut worker = play.ann.worker();
        for _ in 0..random.usize(0..5) {
            play.stage.wait_for_request(Duration::from_millis(1500));
        }
        play.stage.wait_for_request(Duration::from_millis(random.u64(0..400)));
        worker.0.kill().unwrap();
        worker.0.wait().unwrap();
        if kill % 50 == 49 {
            println!("{} workers killed", kill + 1);
        }
    }
    let _workers = [play.ann.worker(), play.ann.worker()];
    play.end(&format!("{} workers killed", kills()));
}

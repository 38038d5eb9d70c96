//! FL-2, FL-3: members and repositories that mean harm.

use crate::stage::{Person, Stage, block_on, text};
use cutonce_core::plan::sha256_hex;
use cutonce_fleet::FleetLink;
use cutonce_fleet::blob::StoredText;
use cutonce_fleet::job::{JobEvent, JobResult, JobSpec, JobState, RepoSource};
use cutonce_fleet::review::ReviewRecord;
use cutonce_fleet::streams::FleetStream;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PLAN: &str = "# Plan\n\nAdd new.txt.\n";

/// A worker takes the job and ends it with this text under another hash.
async fn end_with(worker: &Person, id: &str, shown: &str, sha256: String) {
    let link = FleetLink::connect(&worker.home, "team").await.unwrap();
    let queue = link.open_queue(Duration::from_secs(30)).await.unwrap();
    let taken = link.take_job(&queue, Duration::from_secs(10)).await.unwrap().unwrap();
    assert_eq!(taken.queued.id, id);
    let started = JobEvent::Started { generation: 1, run: id.into(), queued: taken.sequence() };
    link.publish_job_event(id, &started).await.unwrap();
    let mut result = JobResult::new(JobState::Waiting, "done".into(), id.into(), 1);
    (result.text, result.sha256) = (Some(StoredText::Inline(shown.into())), Some(sha256));
    assert!(link.end_job(id, 1, &result).await.unwrap());
    taken.confirm().await.unwrap();
}

#[test]
fn fl_2_reviewers_see_the_text_they_answer() {
    let stage = Stage::new();
    let ann = stage.owner();
    let (mallory, bob) = (stage.member(&ann, "mallory", "worker"), stage.member(&ann, "bob", "approve"));
    let hidden = sha256_hex("# Plan\n\nSteal the keys.\n");
    let job = ann.submit_task(&["--then", "implement"]);
    block_on(end_with(&mallory, &job, PLAN, hidden.clone()));
    let record = ReviewRecord::Requested {
        session: "s".into(),
        project: "/p".into(),
        text: StoredText::Inline(PLAN.into()),
        sha256: hidden,
        request: None,
    };
    let publish = async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        link.publish_review("ask-hidden", &record).await.unwrap();
    };
    block_on(publish);
    for id in [job.as_str(), "ask-hidden"] {
        for answer in [&["--approve"][..], &["--changes", "no"], &[]] {
            let why = bob.fails(&[&["review", id, "--remote", "team"][..], answer].concat());
            assert!(why.contains("is not the one that its author's hash names"), "{id} {answer:?}: {why}");
        }
    }
    assert_eq!(ann.job(&job)["state"], "waiting");
}

#[test]
fn fl_3_job_of_a_dead_submitter_is_queued() {
    let stage = Stage::new();
    let ann = stage.owner();
    let wanda = stage.member(&ann, "wanda", "worker");
    // The submitter died after it stored the job; the reviewer of another one after it stored the implementation.
    let spec = JobSpec::planning(
        "lost-job".into(),
        RepoSource::Url(format!("file://{}", stage.repo().display())),
        "PLANME".into(),
    );
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        let event = JobEvent::Submitted { spec: Box::new(spec) };
        link.publish(FleetStream::Jobs, "lost-job.event", "lost-job-submitted", &event).await.unwrap();
    });
    assert_eq!(ann.job("lost-job")["state"], "queued");
    let mut workers = [wanda.spawn(&["worker", "--remote", "team"]), ann.spawn(&["worker", "--remote", "team"])];
    let job = ann.wait_for("lost-job", "waiting");
    assert_eq!(job["attempts"], 1, "{job}");
    workers.iter().for_each(|worker| worker.signal("-TERM"));
    assert!(workers.iter_mut().all(|worker| worker.end().is_some()));
    let ended = job["events"].as_array().unwrap().iter().filter(|event| event["event"] == "ended").count();
    assert_eq!(ended, 1, "{job}");
}

fn git_input(folder: &Path, args: &[&str], input: &[u8]) -> String {
    let mut git = Command::new("git");
    git.args(args).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut git = git
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.invalid")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.invalid")])
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(input).unwrap();
    let output = git.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    text(&output.stdout).trim().to_string()
}

fn bytes_of(hash: &str) -> Vec<u8> {
    (0..hash.len()).step_by(2).map(|at| u8::from_str_radix(&hash[at..at + 2], 16).unwrap()).collect()
}

/// A repository whose only commit has one entry with this name, as git itself would not write it.
fn bundle_with_entry(stage: &Stage, number: usize, mode: &str, name: &str, content: &str) -> PathBuf {
    let folder = stage.root.path().join(format!("bad{number}"));
    std::fs::create_dir(&folder).unwrap();
    git_input(&folder, &["init", "-q", "-b", "main"], b"");
    let blob = git_input(&folder, &["hash-object", "-w", "--stdin"], content.as_bytes());
    let tree = |mode: &str, name: &str, hash: &str| {
        let entry = [format!("{mode} {name}\0").as_bytes(), &bytes_of(hash)].concat();
        git_input(&folder, &["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], &entry)
    };
    let top = match name.split_once('/') {
        Some((outer, inner)) => tree("40000", outer, &tree(mode, inner, &blob)),
        None => tree(mode, name, &blob),
    };
    let commit = git_input(&folder, &["commit-tree", &top, "-m", "x"], b"");
    git_input(&folder, &["update-ref", "refs/heads/main", &commit], b"");
    let bundle = stage.root.path().join(format!("bad{number}.bundle"));
    git_input(&folder, &["bundle", "create", "-q", &bundle.display().to_string(), "HEAD", "main"], b"");
    bundle
}

/// The bundle of the stage's repository, changed.
fn changed_bundle(stage: &Stage, name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> PathBuf {
    let bundle = stage.root.path().join(name);
    git_input(&stage.repo(), &["bundle", "create", "-q", &bundle.display().to_string(), "HEAD", "main"], b"");
    std::fs::write(&bundle, change(std::fs::read(&bundle).unwrap())).unwrap();
    bundle
}

/// Replaces the name of the branch in the bundle's header.
fn rename_branch(bytes: &[u8], name: &str) -> Vec<u8> {
    let end = bytes.windows(2).position(|two| two == b"\n\n").unwrap();
    let header = text(&bytes[..end]).replace(" HEAD", " refs/heads/x").replace("refs/heads/main", name);
    [header.as_bytes(), &bytes[end..]].concat()
}

#[test]
fn fl_3_bad_bundles_harm_no_worker() {
    let stage = Stage::new();
    let ann = stage.owner();
    let outside = stage.root.path().join("outside");
    let hook = format!("[core]\n\tfsmonitor = touch {}\n", outside.display());
    let submodule = format!("[submodule \"s\"]\n\tpath = s\n\turl = ext::touch {}\n", outside.display());
    let filter = "* filter=lfs diff=lfs merge=lfs -text\n";
    let fail = [
        changed_bundle(&stage, "cut.bundle", |bytes| bytes[..bytes.len() / 2].to_vec()),
        changed_bundle(&stage, "header.bundle", |_| b"# v2 git bundle\n".to_vec()),
        changed_bundle(&stage, "noise.bundle", |bytes| [&bytes[..bytes.len() - 40], &[7; 40]].concat()),
        changed_bundle(&stage, "version.bundle", |_| b"# v9 git bundle\nx\n\n".to_vec()),
        bundle_with_entry(&stage, 0, "100644", ".git/config", &hook),
        bundle_with_entry(&stage, 1, "100644", "../outside", "x"),
        bundle_with_entry(&stage, 2, "100755", ".GIT/hooks", &hook),
    ];
    let run = [
        changed_bundle(&stage, "up.bundle", |bytes| rename_branch(&bytes, "refs/heads/../../../../outside")),
        changed_bundle(&stage, "option.bundle", |bytes| rename_branch(&bytes, "refs/heads/--upload-pack=touch")),
        bundle_with_entry(&stage, 3, "120000", "link", &outside.display().to_string()),
        bundle_with_entry(&stage, 4, "100644", ".gitmodules", &submodule),
        bundle_with_entry(&stage, 5, "100644", ".gitattributes", filter),
    ];
    let file = ann.home.join("p.md");
    std::fs::write(&file, PLAN).unwrap();
    let (hash, file) = (sha256_hex(PLAN), file.display().to_string());
    let submit = |bundle: &PathBuf| {
        let repo = bundle.display().to_string();
        let args = ["submit", "implement", &file, "--sha256", &hash, "--remote", "team", "--repo", &repo];
        ann.ok(&args).trim().to_string()
    };
    let (failing, running): (Vec<String>, Vec<String>) =
        (fail.iter().map(submit).collect(), run.iter().map(submit).collect());
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    for (id, bundle) in failing.iter().zip(&fail) {
        let job = ann.job(id);
        let why = job["result"]["summary"].as_str().unwrap();
        let is_told = why.contains("git clone failed") || why == "the repository is empty";
        assert!(job["state"] == "failed" && is_told, "{}: {job}", bundle.display());
    }
    for (id, bundle) in running.iter().zip(&run) {
        assert_eq!(ann.job(id)["state"], "done", "{}: {}", bundle.display(), ann.job(id));
    }
    assert!(!outside.exists(), "a bundle wrote outside of its clone");
}

//! FL-3, FL-5: jobs from submission to result.

use crate::stage::{HANGING, Stage, block_on, git, text, wait_until};
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::{JobSpec, RepoSource};
use serde_json::json;
use std::io::BufRead;

#[test]
fn fl_3_worker_plans_then_implements() {
    let stage = Stage::new();
    let ann = stage.owner();
    let worker = stage.member(&ann, "bob", "worker");
    let planned = ann.submit_task(&[]);
    let listed = ann.json(&["jobs", "--remote", "team", "--json"]);
    let row = &listed[0];
    assert_eq!((&row["id"], &row["state"], &row["ended"]), (&json!(planned), &json!("queued"), &json!(null)));
    assert_eq!((&row["kind"], &row["worker"], &row["attempts"]), (&json!("plan"), &json!(null), &json!(0)));
    worker.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    let waiting = ann.job(&planned);
    assert_eq!((&waiting["state"], &waiting["worker"]), (&json!("waiting"), &json!("bob")), "{waiting}");
    let out = stage.root.path().join("out");
    let fetch = |id: &str| ann.ok(&["jobs", "fetch", id, "--out", &out.display().to_string(), "--remote", "team"]);
    fetch(&planned);
    let plan = std::fs::read_to_string(out.join("plan.md")).unwrap();
    assert_eq!(plan, "# Plan\n\nAdd new.txt.\n");
    // A wrong hash approves nothing.
    let (file, repo) = (out.join("plan.md").display().to_string(), stage.repo().display().to_string());
    let wrong = "0".repeat(64);
    let args = ["submit", "implement", &file, "--sha256", &wrong, "--remote", "team", "--repo", &repo];
    assert!(ann.fails(&args).contains("differs from the approved one"));
    let implemented = ann.submit_text("plan.md", &plan);
    worker.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    let done = ann.job(&implemented);
    assert_eq!((&done["state"], &done["attempts"]), (&json!("done"), &json!(1)), "{done}");
    assert_eq!(done["events"].as_array().unwrap().len(), 3, "{done}");
    fetch(&implemented);
    git(&stage.repo(), &["apply", "--index", &out.join("changes.patch").display().to_string()]);
    assert_eq!(std::fs::read_to_string(stage.repo().join("new.txt")).unwrap(), "new\n");
    let report = std::fs::read_to_string(out.join("report.json")).unwrap();
    assert!(report.contains("All done."), "{report}");
    let left = std::fs::read_dir(worker.home.join("cutonce-worker")).unwrap().count();
    assert_eq!(left, 0, "the worker removes its clones");
}

/// A member can send any job, whatever its own `submit` would refuse.
#[test]
fn fl_3_worker_refuses_hostile_addresses() {
    let stage = Stage::new();
    let ann = stage.owner();
    let mark = stage.root.path().join("mark");
    let hostile = [
        format!("ext::touch {}", mark.display()),
        format!("--upload-pack=touch {}", mark.display()),
        format!("ssh://-oProxyCommand=touch%20{}/x", mark.display()),
        stage.repo().display().to_string(),
        "https://host/\nrepo".to_string(),
    ];
    block_on(async {
        let link = FleetLink::connect(&ann.home, "team").await.unwrap();
        for (number, url) in hostile.iter().enumerate() {
            let repo = RepoSource::Url(url.clone());
            link.submit_job(&JobSpec::planning(format!("job-{number}"), repo, "PLANME".into())).await.unwrap();
        }
    });
    let settings = r#"{"fleet": {"attempts": 1}}"#;
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle", "--settings", settings]);
    for (number, url) in hostile.iter().enumerate() {
        let job = ann.job(&format!("job-{number}"));
        assert_eq!(job["state"], json!("failed"), "{url}: {job}");
    }
    assert!(!mark.exists());
}

#[test]
fn fl_3_bundles_and_addresses_are_cloned() {
    let stage = Stage::new();
    let ann = stage.owner();
    let bundle = stage.root.path().join("x.bundle").display().to_string();
    git(&stage.repo(), &["bundle", "create", "-q", &bundle, "main"]);
    let url = format!("file://{}", stage.repo().display());
    let mut jobs = Vec::new();
    for repo in [&bundle, &url] {
        let args = ["submit", "plan", "PLANME", "--remote", "team", "--repo", repo];
        jobs.push((ann.ok(&args).trim().to_string(), repo));
    }
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle", "--jobs", "2"]);
    for (id, repo) in jobs {
        let job = ann.job(&id);
        assert_eq!((&job["state"], &job["repo"]), (&json!("waiting"), &json!(repo)), "{job}");
    }
    let bad = ["submit", "plan", "PLANME", "--remote", "team", "--repo"];
    for repo in ["ext::sh -c true", "--upload-pack=x", "nowhere", "/etc/passwd"] {
        let given = format!("--repo={repo}");
        let error = ann.fails(&[&bad[..5], &[given.as_str()]].concat());
        assert!(error.contains("neither an address") || error.contains("not a git bundle"), "{repo}: {error}");
    }
}

#[test]
fn fl_5_jobs_are_cancelled_retried_and_buried() {
    // The model never answers.
    let stage = Stage::with_script(HANGING);
    let ann = stage.owner();
    let first = ann.submit_task(&[]);
    let _worker = ann.worker();
    ann.wait_for(&first, "running");
    ann.ok(&["jobs", "cancel", &first, "--remote", "team"]);
    let second = ann.submit_task(&[]);
    // The worker ended the cancelled job, else it could not take another one.
    ann.wait_for(&second, "running");
    assert_eq!(ann.job(&first)["state"], "cancelled");
    assert!(ann.fails(&["jobs", "cancel", &first, "--remote", "team"]).contains("it is cancelled"));
    ann.ok(&["jobs", "cancel", &second, "--remote", "team"]);
    ann.ok(&["jobs", "retry", &first, "--remote", "team"]);
    ann.wait_for(&first, "running");
    ann.ok(&["jobs", "cancel", &first, "--remote", "team"]);
    assert!(ann.fails(&["jobs", "show", "nothing", "--remote", "team"]).contains("no job"));
    assert_eq!(ann.ok(&["jobs", "--dead", "--remote", "team"]).trim(), "No job failed too often.");
}

#[test]
fn fl_5_dead_letters_are_listed_and_retried() {
    let stage = Stage::new();
    let ann = stage.owner();
    let id = ann.submit_task(&[]);
    let settings = r#"{"fleet": {"attempts": 1, "heartbeatSeconds": 1, "redeliverySeconds": 1}}"#;
    // A worker dies while it has the job.
    let stuck = Stage::with_script(HANGING);
    let mut command = ann.command(&["worker", "--remote", "team", "--settings", settings]);
    let child = command.env("ANTHROPIC_BASE_URL", format!("http://{}", stuck.model.addr())).spawn().unwrap();
    let mut dying = crate::stage::Running(child);
    ann.wait_for(&id, "running");
    dying.0.kill().unwrap();
    dying.0.wait().unwrap();
    let mut undertaker = ann.spawn(&["worker", "--remote", "team", "--settings", settings]);
    let job = ann.wait_for(&id, "failed");
    assert_eq!(job["result"]["dead"], true, "{job}");
    assert!(ann.ok(&["jobs", "--dead", "--remote", "team"]).contains(&id));
    undertaker.signal("-TERM");
    assert_eq!(undertaker.end(), Some(143), "an idle worker ends at the first signal");
    ann.ok(&["jobs", "retry", &id, "--remote", "team"]);
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    assert_eq!(ann.job(&id)["state"], "waiting");
}

#[test]
fn fl_3_first_signal_drains_second_returns_the_job() {
    let stage = Stage::with_script(HANGING);
    let ann = stage.owner();
    let id = ann.submit_task(&[]);
    let mut worker = ann.spawn(&["worker", "--remote", "team"]);
    ann.wait_for(&id, "running");
    let mut log = std::io::BufReader::new(worker.0.stderr.take().unwrap()).lines();
    let mut wait_for_line = |text: &str| log.by_ref().map(Result::unwrap).find(|line| line.contains(text)).unwrap();
    worker.signal("-TERM");
    wait_for_line("a second signal stops the running ones");
    assert!(worker.0.try_wait().unwrap().is_none(), "the job still runs");
    worker.signal("-TERM");
    wait_for_line("running jobs go back to the queue");
    assert_eq!(worker.end(), Some(143));
    let job = ann.wait_for(&id, "queued");
    assert_eq!(job["attempts"], 0, "a job that was given back has used no attempt: {job}");
}

#[test]
fn fl_3_worker_rehearses_an_approved_plan() {
    let stage = Stage::new();
    let ann = stage.owner();
    let id = ann.submit_text_for("rehearse", "p.md", "# Plan\n\nAdd new.txt.\n");
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    let job = ann.job(&id);
    assert_eq!((&job["kind"], &job["state"]), (&json!("rehearse"), &json!("done")), "{job}");
    let out = stage.root.path().join("out");
    ann.ok(&["jobs", "fetch", &id, "--out", &out.display().to_string(), "--remote", "team"]);
    let patch = std::fs::read_to_string(out.join("changes.patch")).unwrap();
    assert!(patch.contains("+new\n"), "{patch}");
    assert!(out.join("report.json").exists());
}

#[test]
fn fl_3_next_worker_resumes_from_the_transcript() {
    let write = json!({"calls": [{"name": "Write", "input": {"file_path": "new.txt", "content": "new\n"}}]});
    let turns = json!([write, {"fault": {"idle": 0}}, {"text": "All done.", "repeat": 100}]);
    let stage = Stage::with_script(&json!({ "turns": turns }).to_string());
    let ann = stage.owner();
    let id = ann.submit_text("p.md", "# Plan\n\nAdd new.txt.\n");
    let mut dying = ann.worker();
    // The result of the call is in the stream, and the model was asked again.
    wait_until("the transcript", || {
        block_on(async {
            let link = FleetLink::connect(&ann.home, "team").await.unwrap();
            let stored = link.read_job_session(&id).await.unwrap()?;
            (text(&stored.bytes()).contains("(1 line") && stage.model.requests().len() == 2).then_some(())
        })
    });
    dying.0.kill().unwrap();
    dying.0.wait().unwrap();
    ann.ok(&["worker", "--remote", "team", "--exit-when-idle"]);
    let requests = stage.model.requests();
    let resumed = text(&requests[2].body);
    assert!(resumed.contains("you continue on another one") && resumed.contains("(1 line"), "{resumed}");
    let job = ann.job(&id);
    let count = |name: &str| job["events"].as_array().unwrap().iter().filter(|one| one["event"] == name).count();
    assert_eq!((&job["state"], count("started"), count("ended")), (&json!("done"), 2, 1), "{job}");
    let out = stage.root.path().join("out");
    ann.ok(&["jobs", "fetch", &id, "--out", &out.display().to_string(), "--remote", "team"]);
    let patch = std::fs::read_to_string(out.join("changes.patch")).unwrap();
    assert_eq!(patch.matches("+new\n").count(), 1, "the dead worker's change: {patch}");
}

//! `cutonce jobs`: lists, shows, cancels, retries and fetches jobs (FL-5).

use super::remote_link::{connect, tell_faults};
use crate::cli::fleet_args::{JobsArgs, JobsCommand};
use anyhow::Context;
use cutonce_agent::storage::paths::write_private;
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::{FleetJob, JobBoard, JobEvent, JobState, time_text};
use serde_json::Value;
use std::path::Path;

pub async fn run(args: JobsArgs) -> anyhow::Result<u8> {
    let link = connect(args.remote.as_deref()).await?;
    let mut board = link.job_board().await?;
    queue_missing_followers(&link, &mut board).await?;
    tell_faults(&link);
    match args.command {
        None => list(&board, args.dead, args.json),
        Some(JobsCommand::Show { id }) => show(find(&board, &id)?, args.json)?,
        Some(JobsCommand::Cancel { id }) => {
            let job = find(&board, &id)?;
            println!("{}", cancel_job(&link, &job.spec.id).await?);
        }
        Some(JobsCommand::Retry { id }) => {
            let job = link.retry_job(&find(&board, &id)?.spec.id).await?;
            println!("Job {} is queued again.", job.spec.id);
        }
        Some(JobsCommand::Fetch { id, out }) => fetch(&link, find(&board, &id)?, &out).await?,
    }
    Ok(exit_code::SUCCESS)
}

/// Queues implementations whose approver was interrupted.
pub async fn queue_missing_followers(link: &FleetLink, board: &mut JobBoard) -> anyhow::Result<()> {
    let may_submit = link.require_member()?.role.may_submit();
    let missing: Vec<FleetJob> = board.missing_followers().into_iter().filter(|_| may_submit).cloned().collect();
    for job in &missing {
        link.queue_follower(job).await?;
    }
    if !missing.is_empty() {
        link.update_board(board).await?;
    }
    Ok(())
}

fn find<'a>(board: &'a JobBoard, id: &str) -> anyhow::Result<&'a FleetJob> {
    match board.find(id).as_slice() {
        [job] => Ok(*job),
        [] => anyhow::bail!("there is no job {id:?}; `cutonce jobs` lists them"),
        several => anyhow::bail!("{} jobs begin with {id:?}; give more of the id", several.len()),
    }
}

fn list(board: &JobBoard, dead: bool, as_json: bool) {
    let is_dead = |job: &&FleetJob| job.result.as_ref().is_some_and(|result| result.dead);
    let jobs: Vec<&FleetJob> = board.jobs().filter(|job| !dead || is_dead(job)).collect();
    if as_json {
        println!("{}", Value::from(jobs.iter().map(|job| job.row()).collect::<Vec<_>>()));
        return;
    }
    if jobs.is_empty() {
        println!("{}", if dead { "No job failed too often." } else { "No jobs." });
    }
    for job in jobs {
        let worker = job.worker.as_deref().unwrap_or("-");
        let (state, kind, repo) = (job.state.name(), job.spec.kind.name(), job.spec.repo.shown());
        println!("{}  {state:<9} {kind:<9} {}  {}", job.spec.id, sanitize(worker), sanitize(repo));
    }
}

fn show(job: &FleetJob, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        println!("{}", job.details());
        return Ok(());
    }
    println!("{}  {}  {}", job.spec.id, job.spec.kind.name(), job.state.name());
    println!("repository  {}", sanitize(job.spec.repo.shown()));
    println!("submitted   {} by {}", time_text(job.submitted), sanitize(&job.submitter_label));
    if let Some(task) = &job.spec.task {
        println!("task        {}", sanitize(task.lines().next().unwrap_or_default()));
    }
    if let Some(result) = &job.result {
        println!("result      {}", sanitize(&result.summary));
        println!("session     {}", sanitize(&result.session));
        if let Some(pushed) = &result.pushed {
            println!("pushed      {} {}", sanitize(&pushed.branch), sanitize(&pushed.commit));
        }
    }
    for line in &job.history {
        println!("  {}  {:<10} {}", line.at, line.event, sanitize(&line.by));
    }
    Ok(())
}

/// Cancels a job; returns what to tell.
pub async fn cancel_job(link: &FleetLink, id: &str) -> anyhow::Result<String> {
    let read = async || link.read_job(id).await?.context("the job is gone");
    let before = read().await?;
    if !before.state.is_over() {
        link.publish_job_event(id, &JobEvent::Cancelled).await?;
    }
    let job = read().await?;
    if before.state.is_over() || job.state != JobState::Cancelled {
        anyhow::bail!("job {id} can't be cancelled: it is {}", job.state.name());
    }
    Ok(format!("Cancelled job {id}."))
}

/// Writes what the job left: result.json, report.json, changes.patch, plan.md.
async fn fetch(link: &FleetLink, job: &FleetJob, out: &Path) -> anyhow::Result<()> {
    let Some(result) = &job.result else {
        anyhow::bail!("job {} has no result yet: it is {}", job.spec.id, job.state.name());
    };
    let mut written = Vec::new();
    let mut write = |name: &str, bytes: &[u8]| -> anyhow::Result<()> {
        let path = out.join(name);
        write_private(&path, bytes).with_context(|| format!("can't write {}", path.display()))?;
        written.push(path.display().to_string());
        Ok(())
    };
    write("result.json", serde_json::to_string_pretty(&job.details())?.as_bytes())?;
    if let Some(report) = &result.report {
        write("report.json", &link.get_blob(report).await?)?;
    }
    if let Some(patch) = &result.patch {
        write("changes.patch", &link.get_blob(patch).await?)?;
    }
    if let Some(text) = &result.text {
        write("plan.md", link.get_text(text).await?.as_bytes())?;
    }
    for path in written {
        println!("{path}");
    }
    Ok(())
}

//! `cutonce review --remote NAME`: reads and answers plans that wait on a remote, in the terminal (FL-2).

use super::jobs::queue_missing_followers;
use super::remote_link::{connect, tell_faults};
use super::review_listing::print_waiting;
use crate::cli::fleet_args::ReviewArgs;
use anyhow::Context;
use cutonce_agent::storage::paths::valid_id;
use cutonce_core::exit_code;
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_core::plan::report::PlanReport;
use cutonce_core::plan::{StepProgress, sha256_hex};
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::{FleetJob, JobEvent, JobState};
use cutonce_fleet::review::{ReviewRecord, SharedReview};
use cutonce_fleet::streams::FleetStream;
use serde_json::json;
use std::io::{BufRead, IsTerminal};
use std::time::Duration;

/// How long a session may take to confirm an answer.
const CONFIRMATION: Duration = Duration::from_secs(10);

pub async fn run(args: ReviewArgs) -> anyhow::Result<u8> {
    let link = connect(args.remote.as_deref()).await?;
    let Some(id) = &args.id else {
        print_waiting(&link, args.json).await?;
        return Ok(exit_code::SUCCESS);
    };
    // A whole id needs no list.
    if let Some(review) = if valid_id(id) { link.read_review(id).await? } else { None } {
        tell_faults(&link);
        return answer_session(&link, &review, &args).await;
    }
    let mut board = link.job_board().await?;
    queue_missing_followers(&link, &mut board).await?;
    tell_faults(&link);
    let reviews = link.list_reviews().await?;
    if let [listed] = reviews.find(id).as_slice() {
        let review = link.read_review(&listed.ask_id).await?.context("the request is no longer on the server")?;
        return answer_session(&link, &review, &args).await;
    }
    let job = match board.find(id).as_slice() {
        [job] => (*job).clone(),
        [] => anyhow::bail!("no request with the id {id:?} waits; `cutonce review` lists the waiting ones"),
        _ => anyhow::bail!("several ids begin with {id:?}; give more of it"),
    };
    require_waiting(&job)?;
    let result = job.result.as_ref().context("the job has no result")?;
    let text = match &result.text {
        Some(text) => link.get_text(text).await?,
        None => anyhow::bail!("job {} has no plan", job.spec.id),
    };
    let shown = result.sha256.clone();
    require_hash(&text, shown.as_deref())?;
    if let Some(wanted) = &args.sha256
        && shown.as_deref() != Some(wanted.trim().to_lowercase().as_str())
    {
        anyhow::bail!("the plan differs from the one you approve: its SHA-256 is {}", shown.unwrap_or_default());
    }
    let answer = match (args.approve, &args.changes) {
        (true, _) => ReviewAnswer::Approve,
        (false, Some(feedback)) => ReviewAnswer::Changes(feedback.clone()),
        (false, None) => match ask(job.spec.then_implement, &text)? {
            Some(answer) => answer,
            None => return Ok(exit_code::SUCCESS),
        },
    };
    println!("{}", answer_job(&link, &job, shown, answer).await?);
    Ok(exit_code::SUCCESS)
}

/// A member's answer to the plan of a job.
pub enum ReviewAnswer {
    Approve,
    /// The feedback for the next round.
    Changes(String),
}

/// Fails unless the plan of this job waits; says who answered.
pub fn require_waiting(job: &FleetJob) -> anyhow::Result<()> {
    if job.state == JobState::Waiting {
        return Ok(());
    }
    match &job.decision {
        Some(decision) => {
            let what = if decision.approved { "approved" } else { "sent back" };
            anyhow::bail!("the plan was already {what} by {}", sanitize(&decision.by.join(", ")))
        }
        None => anyhow::bail!("job {} does not wait for a review: it is {}", job.spec.id, job.state.name()),
    }
}

/// An answer names a hash: it must be that of the text that the reviewer sees.
fn require_hash(text: &str, sha256: Option<&str>) -> anyhow::Result<()> {
    let is = sha256_hex(text);
    anyhow::ensure!(
        sha256 == Some(is.as_str()),
        "the text of this plan is not the one that its author's hash names: its SHA-256 is {is}; don't answer it"
    );
    Ok(())
}

/// Shows the plan by source line and asks on the terminal.
fn ask(then_implement: bool, text: &str) -> anyhow::Result<Option<ReviewAnswer>> {
    for (number, line) in text.lines().enumerate() {
        println!("{:>5}  {}", number + 1, sanitize(line));
    }
    let then = if then_implement { "; a worker then implements it" } else { "" };
    if !std::io::stdin().is_terminal() {
        eprintln!("cutonce: answer with --approve or --changes TEXT{then}");
        return Ok(None);
    }
    println!("\n1. Approve{then}\n2. Keep planning, with feedback\n3. Decide later");
    let mut lines = std::io::stdin().lock().lines();
    loop {
        match lines.next().transpose()?.as_deref().map(str::trim) {
            Some("1") => return Ok(Some(ReviewAnswer::Approve)),
            Some("2") => {
                println!("Feedback:");
                let feedback = lines.next().transpose()?.unwrap_or_default();
                return Ok(Some(ReviewAnswer::Changes(feedback)));
            }
            Some("3") | None => return Ok(None),
            Some(_) => println!("Type 1, 2 or 3."),
        }
    }
}

/// Answers a plan of a running session, and waits until the session says what counted.
async fn answer_session(link: &FleetLink, review: &SharedReview, args: &ReviewArgs) -> anyhow::Result<u8> {
    if !args.approve && args.changes.is_none() && review.closed.as_ref().is_some_and(|(_, approved)| *approved) {
        return show_progress(link, review, args.json).await;
    }
    require_open(review.closed.as_ref())?;
    let text = link.get_text(&review.text).await?;
    require_hash(&text, Some(&review.sha256))?;
    if args.sha256.as_ref().is_some_and(|wanted| !wanted.trim().eq_ignore_ascii_case(&review.sha256)) {
        anyhow::bail!("the plan differs from the one you approve: its SHA-256 is {}", review.sha256);
    }
    let answer = match (args.approve, &args.changes) {
        (true, _) => Some(ReviewAnswer::Approve),
        (false, Some(feedback)) => Some(ReviewAnswer::Changes(feedback.clone())),
        (false, None) => ask(false, &text)?,
    };
    let mut plan_answer = PlanAnswer::new(&review.ask_id, ChoiceKey::Restore);
    let role = link.require_member()?.role;
    let allowed = match answer {
        None => return Ok(exit_code::SUCCESS),
        Some(ReviewAnswer::Approve) => role.may_approve(),
        Some(ReviewAnswer::Changes(feedback)) => {
            plan_answer.choice = ChoiceKey::KeepPlanning;
            plan_answer.feedback = Some(feedback);
            role.may_comment()
        }
    };
    anyhow::ensure!(allowed, "members with the role {} can't do this", role.name());
    let approve = plan_answer.choice == ChoiceKey::Restore;
    let start = link.review_end().await? + 1;
    let record = ReviewRecord::Answered { sha256: review.sha256.clone(), answer: Box::new(plan_answer) };
    let sent = link.publish_review(&review.ask_id, &record).await?;
    let mut news = link.follow::<ReviewRecord>(FleetStream::Reviews, &review.ask_id, start).await?;
    let closed = async {
        loop {
            let record = news.next().await?;
            match record.body {
                // Only the session that asks says what became of its plan.
                _ if !review.is_from_owner(&record) => {}
                ReviewRecord::Closed { by, approved, .. } => return anyhow::Ok((by, approved)),
                ReviewRecord::Refused { answer, why } if answer == sent => anyhow::bail!(why),
                _ => {}
            }
        }
    };
    let own = link.require_member()?.card.label;
    match tokio::time::timeout(CONFIRMATION, closed).await {
        Err(_) => println!("Sent; the session has not decided yet."),
        Ok(closed) => match closed? {
            (Some(by), approved) if by == own && approved == approve => {
                println!("{}", if approve { "Approved." } else { "Sent back with feedback." });
            }
            // Approvals of several people end together.
            (_, true) if approve => println!("Approved."),
            closed => require_open(Some(&closed))?,
        },
    }
    Ok(exit_code::SUCCESS)
}

/// Shows what became of an approved plan: the evidence for its steps so far, and the report.
async fn show_progress(link: &FleetLink, review: &SharedReview, as_json: bool) -> anyhow::Result<u8> {
    let report: Option<PlanReport> = match &review.report {
        Some(report) => serde_json::from_str(&link.get_text(report).await?).ok(),
        None => None,
    };
    let by = review.closed.as_ref().and_then(|(by, _)| by.as_deref());
    if as_json {
        let steps: Vec<&StepProgress> = review.steps.values().collect();
        println!("{}", json!({"id": review.ask_id, "approvedBy": by, "steps": steps, "report": report}));
        return Ok(exit_code::SUCCESS);
    }
    println!("Approved by {}.", sanitize(by.unwrap_or("its user")));
    for step in review.steps.values() {
        let exit = step.exit_code.map_or("did not end".into(), |code| format!("exited {code}"));
        let check = step.check.as_ref().map_or(String::new(), |check| format!("; `{check}` {exit}"));
        let text = format!("{} {}: {}{check}", step.step, step.state.name(), step.files.join(", "));
        println!("{}", sanitize(&text));
    }
    match report {
        Some(report) => println!("\n{}", sanitize(&report.text())),
        None => println!("It is not reported as implemented yet."),
    }
    Ok(exit_code::SUCCESS)
}

/// Fails if the request was closed; says by whom.
fn require_open(closed: Option<&(Option<String>, bool)>) -> anyhow::Result<()> {
    match closed {
        None => Ok(()),
        Some((Some(by), approved)) => {
            let what = if *approved { "approved" } else { "sent back" };
            anyhow::bail!("the plan was already {what} by {}", sanitize(by))
        }
        Some((None, _)) => anyhow::bail!("the plan was withdrawn; it needs no answer"),
    }
}

/// Stores the answer to a job's plan, then looks whether it counted: the first answers win (FL-2). Returns what to
/// tell.
pub async fn answer_job(
    link: &FleetLink,
    job: &FleetJob,
    sha256: Option<String>,
    answer: ReviewAnswer,
) -> anyhow::Result<String> {
    let (approve, feedback) = match answer {
        ReviewAnswer::Approve => (true, None),
        ReviewAnswer::Changes(text) => (false, Some(text)),
    };
    let role = link.require_member()?.role;
    if !(if approve { role.may_approve() } else { role.may_comment() }) {
        anyhow::bail!("members with the role {} can't do this", role.name());
    }
    let event = JobEvent::Answered { approve, sha256, feedback };
    link.publish_job_event(&job.spec.id, &event).await?;
    let now = link.read_job(&job.spec.id).await?.context("the job is gone")?;
    let own = link.require_member()?.card.label;
    match &now.decision {
        None if now.state == JobState::Waiting => {
            Ok(format!("Approved by {} of {}; it waits for more.", now.approvals(), now.spec.quorum))
        }
        Some(decision) if decision.approved == approve && decision.by.contains(&own) => {
            let told = if approve { "Approved." } else { "Sent back with feedback." };
            match approve && now.spec.then_implement && role.may_submit() {
                true => Ok(format!("{told}\nQueued the implementation: {}", link.queue_follower(&now).await?)),
                false => Ok(told.into()),
            }
        }
        _ => require_waiting(&now).map(|()| String::new()),
    }
}

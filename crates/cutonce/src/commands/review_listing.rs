//! The list of plans that wait on a remote (FL-7). It opens with the newest ones, and the others follow while they are
//! read and verified: nothing is listed before that.

use super::jobs::queue_missing_followers;
use super::remote_link::tell_faults;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::{FleetJob, JobBoard, JobState};
use cutonce_fleet::review_list::{ListedReview, ReviewList};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Prints what waits, newest first. JSON is an array with one row per line.
pub async fn print_waiting(link: &FleetLink, as_json: bool) -> anyhow::Result<()> {
    let stored = link.stored_reviews().await?;
    let mut rows = WaitingRows { as_json, listed: HashSet::new() };
    let (newest, newest_jobs) = tokio::join!(link.newest_listed(&stored), link.newest_jobs());
    rows.print(&newest?, &newest_jobs?);
    let is_long = !rows.listed.is_empty();
    if is_long {
        eprintln!("cutonce: these are the newest; the others follow as they are verified");
    }
    let (reviews, board) = tokio::join!(link.complete_reviews(stored), link.job_board());
    let (reviews, mut board) = (reviews?, board?);
    queue_missing_followers(link, &mut board).await?;
    tell_faults(link);
    rows.print(&reviews, &board);
    rows.end(is_long);
    Ok(())
}

/// The rows that were printed.
struct WaitingRows {
    as_json: bool,
    /// Their ids.
    listed: HashSet<String>,
}

impl WaitingRows {
    /// Prints what was not printed yet.
    fn print(&mut self, reviews: &ReviewList, board: &JobBoard) {
        let mut text = String::new();
        for review in reviews.open() {
            let separator = self.separator();
            if self.listed.insert(review.ask_id.clone()) {
                text += separator;
                text += &if self.as_json { review_row(review).to_string() } else { review_line(review) };
            }
        }
        let waiting: Vec<&FleetJob> = board.jobs().filter(|job| job.state == JobState::Waiting).collect();
        for job in waiting.into_iter().rev() {
            let separator = self.separator();
            if self.listed.insert(job.spec.id.clone()) {
                text += separator;
                text += &if self.as_json { job_row(job).to_string() } else { job_line(job) };
            }
        }
        print!("{text}");
        let _ = std::io::Write::flush(&mut std::io::stdout());
    }

    /// What comes before the next row.
    fn separator(&self) -> &'static str {
        match (self.as_json, self.listed.is_empty()) {
            (true, true) => "[",
            (true, false) => ",\n",
            (false, _) => "",
        }
    }

    fn end(&self, is_long: bool) {
        match (self.as_json, self.listed.len()) {
            (true, 0) => println!("[]"),
            (true, _) => println!("]"),
            (false, 0) => println!("Nothing waits for a review."),
            (false, all) if is_long => eprintln!("cutonce: the list is complete: {all} plans wait"),
            (false, _) => {}
        }
    }
}

fn review_row(review: &ListedReview) -> Value {
    json!({"id": review.ask_id, "kind": "session", "session": review.session, "repo": review.project,
        "by": review.author, "sha256": review.sha256})
}

fn review_line(review: &ListedReview) -> String {
    format!("{}  {}  session of {}\n", review.ask_id, sanitize(&review.project), sanitize(&review.author))
}

fn job_row(job: &FleetJob) -> Value {
    let result = job.result.as_ref();
    json!({"id": job.spec.id, "kind": "plan", "task": job.spec.task, "repo": job.spec.repo.shown(),
        "sha256": result.and_then(|result| result.sha256.clone()),
        "name": result.and_then(|result| result.text_name.clone()),
        "approvals": job.approvals(), "quorum": job.spec.quorum})
}

fn job_line(job: &FleetJob) -> String {
    let task = job.spec.task.as_deref().and_then(|task| task.lines().next()).unwrap_or_default();
    format!("{}  {}  {}\n", job.spec.id, sanitize(job.spec.repo.shown()), sanitize(task))
}

//! Plans and jobs of a remote on the review page (FL-2, FL-5): follows the records of members, and answers with sealed
//! ones.

use super::jobs::{cancel_job, queue_missing_followers};
use super::remote_link::tell_faults;
use super::review::{ReviewAnswer, answer_job, require_waiting};
use anyhow::Context;
use cutonce_agent::review_socket::SessionUpdate;
use cutonce_agent::storage::paths::valid_id;
use cutonce_core::plan::approval::{ChoiceKey, LineComment, PlanAnswer, PlanExitRequest};
use cutonce_core::plan::rehearsal::RehearsalOrder;
use cutonce_core::plan::{PlanEvent, StepProgress};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::review_request::{
    ReviewerAnswer, ReviewerMessage, SessionNews, WaitingRequest, WaitingSubject, describe_closed,
};
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_fleet::blob::StoredText;
use cutonce_fleet::job::{FleetJob, JobBoard, JobEvent, JobState};
use cutonce_fleet::member_keys::MemberId;
use cutonce_fleet::member_list::MemberRole;
use cutonce_fleet::review::{ReviewRecord, SharedReview, SharedReviews, approves};
use cutonce_fleet::streams::FleetStream;
use cutonce_fleet::{FleetLink, FleetRecord};
use cutonce_serve::{JOB_TOOL, JobChange, ListedJob, RefusedMessage, ReviewSource, SourceUpdate};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a session may take to confirm an answer.
const CONFIRMATION: Duration = Duration::from_secs(10);
/// How long a failed server is left alone.
const PAUSE: Duration = Duration::from_secs(2);
/// Begins the name under which the page knows a job.
const JOB_PREFIX: &str = "job-";

/// The sessions and jobs of one remote.
pub struct RemoteSource {
    link: Arc<FleetLink>,
    known: Arc<Mutex<KnownRemote>>,
    updates: tokio::sync::Mutex<mpsc::UnboundedReceiver<SourceUpdate>>,
}

/// What the records say so far.
#[derive(Default)]
struct KnownRemote {
    reviews: SharedReviews,
    last_review: u64,
    jobs: JobBoard,
    /// The request that the page has of a waiting job, by the job's id.
    asked: HashMap<String, String>,
}

impl RemoteSource {
    /// Follows a remote on the current tokio runtime.
    pub fn new(link: FleetLink) -> RemoteSource {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (link, known) = (Arc::new(link), Arc::new(Mutex::new(KnownRemote::default())));
        let follower = RemoteFollower { link: link.clone(), known: known.clone(), updates: sender };
        tokio::spawn(follower.run());
        RemoteSource { link, known, updates: tokio::sync::Mutex::new(receiver) }
    }

    async fn answer_session(&self, review: &SharedReview, answer: PlanAnswer) -> anyhow::Result<()> {
        let role = self.link.require_member()?.role;
        let allowed = if approves(&answer) { role.may_approve() } else { role.may_comment() };
        anyhow::ensure!(allowed, "Members with the role {} can't do this.", role.name());
        let start = self.link.review_end().await? + 1;
        let record = ReviewRecord::Answered { sha256: review.sha256.clone(), answer: Box::new(answer.clone()) };
        let sent = self.link.publish_review(&review.ask_id, &record).await?;
        let mut news = self.link.follow::<ReviewRecord>(FleetStream::Reviews, &review.ask_id, start).await?;
        let decided = async {
            loop {
                let record = news.next().await?;
                if !review.is_from_owner(&record) {
                    continue;
                }
                match record.body {
                    ReviewRecord::Closed { by, choice, .. } => return anyhow::Ok((by, choice)),
                    ReviewRecord::Refused { answer, why } if answer == sent => anyhow::bail!(why),
                    _ => {}
                }
            }
        };
        let late = "Sent; the session has not decided yet: it is offline, or the plan needs more approvals.";
        let (by, choice) = tokio::time::timeout(CONFIRMATION, decided).await.map_err(|_| anyhow::anyhow!(late))??;
        let own = self.link.require_member()?.card.label;
        // Approvals of several members end together.
        let counted = by.as_deref() == Some(&own) || choice == Some(answer.choice);
        anyhow::ensure!(counted, closed_text(by.as_deref(), choice));
        Ok(())
    }

    /// Orders a rehearsal of a session's plan; the session reports what comes of it.
    async fn order_rehearsal(&self, session: &str, order: RehearsalOrder) -> anyhow::Result<()> {
        anyhow::ensure!(self.can_rehearse(session), "This plan can't be rehearsed from here.");
        let own = self.link.member_id();
        let meant = |review: &&SharedReview| page_session(review, own).as_deref() == Some(session);
        let review = self.known.lock_unpoisoned().reviews.open().find(meant).cloned();
        let review = review.context("This request is not open any more.")?;
        let start = self.link.review_end().await? + 1;
        let record = ReviewRecord::Rehearse { sha256: review.sha256.clone(), order };
        let sent = self.link.publish_review(&review.ask_id, &record).await?;
        let mut news = self.link.follow::<ReviewRecord>(FleetStream::Reviews, &review.ask_id, start).await?;
        let taken = async {
            loop {
                let record = news.next().await?;
                match record.body {
                    _ if !review.is_from_owner(&record) => {}
                    ReviewRecord::Refused { answer, why } if answer == sent => anyhow::bail!(why),
                    ReviewRecord::Rehearsal { .. } | ReviewRecord::Closed { .. } => return anyhow::Ok(()),
                    _ => {}
                }
            }
        };
        let late = "Sent; the session has not answered yet: it may be offline.";
        tokio::time::timeout(CONFIRMATION, taken).await.map_err(|_| anyhow::anyhow!(late))?
    }

    async fn answer_job(&self, id: &str, sha256: Option<String>, answer: PlanAnswer) -> anyhow::Result<()> {
        let job = self.link.read_job(id).await?.context("The job is gone.")?;
        require_waiting(&job)?;
        let answer = match approves(&answer) {
            true => ReviewAnswer::Approve,
            false => ReviewAnswer::Changes(feedback_text(&answer)),
        };
        answer_job(&self.link, &job, sha256, answer).await.map(drop)
    }

    async fn carry_out(&self, session: &str, answer: ReviewerAnswer) -> anyhow::Result<()> {
        let ReviewerAnswer { ask_id, sha256, answer } = answer;
        let AskAnswer::Plan(plan) = answer else { anyhow::bail!("Only plans can be answered here.") };
        if let Some(id) = session.strip_prefix(JOB_PREFIX) {
            return self.answer_job(id, sha256, plan).await;
        }
        let review =
            self.known.lock_unpoisoned().reviews.get(&ask_id).cloned().context("This request is not open any more.")?;
        anyhow::ensure!(
            sha256.as_deref() == Some(&review.sha256),
            "The plan changed since this page showed it; look at it again, then answer."
        );
        self.answer_session(&review, plan).await
    }
}

#[async_trait::async_trait]
impl ReviewSource for RemoteSource {
    async fn next(&self) -> Option<SourceUpdate> {
        self.updates.lock().await.recv().await
    }

    async fn send(&self, session: &str, message: ReviewerMessage) -> Result<(), RefusedMessage> {
        let done = match message {
            ReviewerMessage::Answer(answer) => self.carry_out(session, *answer).await,
            ReviewerMessage::Rehearse { rehearse } => self.order_rehearsal(session, rehearse).await,
        };
        done.map_err(|error| refusal(&error))
    }

    fn can_rehearse(&self, session: &str) -> bool {
        // The plan of a job is rehearsed by a job.
        !session.starts_with(JOB_PREFIX) && self.link.require_member().is_ok_and(|member| member.role.may_approve())
    }

    async fn load(&self, session: &str, ask_id: &str) -> Option<WaitingRequest> {
        let role = self.link.require_member().ok()?.role;
        let (mut request, text, more) = {
            let known = self.known.lock_unpoisoned();
            match session.strip_prefix(JOB_PREFIX) {
                Some(id) => {
                    let job = known.jobs.get(id)?;
                    (job_request(job, role)?, job.result.as_ref()?.text.clone()?, None)
                }
                None => {
                    let review = known.reviews.get(ask_id)?;
                    (session_request(review, None, role), review.text.clone(), review.request.clone())
                }
            }
        };
        if let Some(more) = more {
            let review = self.known.lock_unpoisoned().reviews.get(ask_id).cloned()?;
            request = session_request(&review, self.link.get_text(&more).await.ok().as_deref(), role);
        }
        let text = self.link.get_text(&text).await.ok()?;
        set_text(&mut request, text);
        Some(request)
    }

    fn jobs(&self) -> Option<Vec<ListedJob>> {
        let may_submit = self.link.require_member().is_ok_and(|member| member.role.may_submit());
        let known = self.known.lock_unpoisoned();
        let mut jobs: Vec<ListedJob> = known.jobs.jobs().map(|job| listed_job(job, may_submit)).collect();
        jobs.reverse();
        Some(jobs)
    }

    async fn change_job(&self, id: &str, change: JobChange) -> Result<String, RefusedMessage> {
        let changed = match change {
            JobChange::Cancel => cancel_job(&self.link, id).await,
            JobChange::Retry => {
                let queued = self.link.retry_job(id).await;
                queued.map(|job| format!("Job {} is queued again.", job.spec.id)).map_err(anyhow::Error::from)
            }
        };
        changed.map_err(|error| refusal(&error))
    }
}

/// Reads the streams and reports what pages must know.
struct RemoteFollower {
    link: Arc<FleetLink>,
    known: Arc<Mutex<KnownRemote>>,
    updates: mpsc::UnboundedSender<SourceUpdate>,
}

impl RemoteFollower {
    async fn run(self) {
        while !self.updates.is_closed() {
            if let Err(error) = self.follow().await {
                let told = format!("The remote {} does not answer: {error:#}", self.link.name());
                self.tell(SourceUpdate::Trouble(Some(told)));
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    fn tell(&self, update: SourceUpdate) {
        // Nothing listens any more when the server ends.
        let _ = self.updates.send(update);
    }

    async fn follow(&self) -> anyhow::Result<()> {
        self.link.refresh_members().await?;
        self.link.require_member()?;
        let taken = self.take_newest().await?;
        let (review, job) = {
            let known = self.known.lock_unpoisoned();
            (known.last_review + 1, known.jobs.last_sequence + 1)
        };
        let reviews = self.link.replay_from::<ReviewRecord>(FleetStream::Reviews, ">", review).await?;
        for record in reviews.iter().filter(|record| !taken.contains(&record.sequence)) {
            self.take_review(record).await;
        }
        let jobs = self.link.replay_from::<JobEvent>(FleetStream::Jobs, ">", job).await?;
        jobs.iter().for_each(|record| self.take_job(record));
        let mut board = self.known.lock_unpoisoned().jobs.clone();
        queue_missing_followers(&self.link, &mut board).await?;
        self.tell(SourceUpdate::Trouble(None));
        self.tell(SourceUpdate::Reading(false));
        self.tell(SourceUpdate::Jobs);
        tell_faults(&self.link);
        let (review, job) = {
            let known = self.known.lock_unpoisoned();
            (known.last_review + 1, known.jobs.last_sequence + 1)
        };
        let mut reviews = self.link.follow::<ReviewRecord>(FleetStream::Reviews, ">", review).await?;
        let mut jobs = self.link.follow::<JobEvent>(FleetStream::Jobs, ">", job).await?;
        loop {
            tokio::select! {
                record = reviews.next() => self.take_review(&record?).await,
                record = jobs.next() => {
                    self.take_job(&record?);
                    self.tell(SourceUpdate::Jobs);
                }
                () = self.updates.closed() => return Ok(()),
            }
            tell_faults(&self.link);
        }
    }

    /// The first screen of a remote with many plans and jobs (FL-7). Returns the places of the records about plans.
    async fn take_newest(&self) -> anyhow::Result<HashSet<u64>> {
        if self.known.lock_unpoisoned().last_review > 0 {
            return Ok(HashSet::new());
        }
        self.tell(SourceUpdate::Reading(true));
        let (reviews, jobs) = tokio::join!(self.link.newest_reviews(0), self.link.newest_jobs());
        let reviews = reviews?;
        for record in &reviews {
            self.take_review(record).await;
        }
        let ids: Vec<String> = {
            let mut known = self.known.lock_unpoisoned();
            // All others are read next.
            known.last_review = 0;
            known.jobs = jobs?;
            known.jobs.jobs().map(|job| job.spec.id.clone()).collect()
        };
        ids.iter().for_each(|id| self.tell_job(id));
        self.tell(SourceUpdate::Jobs);
        Ok(reviews.iter().map(|record| record.sequence).collect())
    }

    fn tell_session(&self, session: String, news: SessionNews) {
        self.tell(SourceUpdate::Session(Box::new(SessionUpdate { session, news: Some(news) })));
    }

    async fn take_review(&self, record: &FleetRecord<ReviewRecord>) {
        match &record.body {
            ReviewRecord::Rehearsal { news } => self.take_rehearsal(record, news).await,
            ReviewRecord::Step { progress } => self.take_step(record, progress),
            _ => {}
        }
        self.fold_review(record);
    }

    /// The review that a record is about and its session on the page, if the session that asks wrote it.
    fn review_of_owner(&self, record: &FleetRecord<ReviewRecord>) -> Option<(SharedReview, String)> {
        let ask_id = record.subject.split('.').nth(4)?;
        let review =
            self.known.lock_unpoisoned().reviews.get(ask_id).cloned().filter(|review| review.is_from_owner(record))?;
        let session = page_session(&review, self.link.member_id())?;
        Some((review, session))
    }

    /// Evidence of the implementation, from the session that does it.
    fn take_step(&self, record: &FleetRecord<ReviewRecord>, progress: &StepProgress) {
        if let Some((_, session)) = self.review_of_owner(record) {
            let event = Box::new(PlanEvent::Step(progress.clone()));
            self.tell_session(session, SessionNews::Plan { event });
        }
    }

    /// News of a rehearsal, from the session that does it.
    async fn take_rehearsal(&self, record: &FleetRecord<ReviewRecord>, news: &StoredText) {
        let Some((_, session)) = self.review_of_owner(record).filter(|(review, _)| review.closed.is_none()) else {
            return;
        };
        let Ok(text) = self.link.get_text(news).await else { return };
        let Ok(event) = serde_json::from_str(&text) else { return };
        let event = Box::new(PlanEvent::Rehearsal(Box::new(event)));
        self.tell_session(session, SessionNews::Plan { event });
    }

    fn fold_review(&self, record: &FleetRecord<ReviewRecord>) {
        let role = self.link.require_member().map_or(MemberRole::Worker, |member| member.role);
        let mut known = self.known.lock_unpoisoned();
        known.last_review = known.last_review.max(record.sequence);
        let Some(ask_id) = record.subject.split('.').nth(4) else { return };
        let before = known.reviews.get(ask_id).is_some_and(|review| review.closed.is_some());
        known.reviews.apply(record);
        let Some(review) = known.reviews.get(ask_id) else { return };
        let Some(session) = page_session(review, self.link.member_id()) else { return };
        match &record.body {
            ReviewRecord::Requested { .. } if review.closed.is_none() => {
                let project = review.project.clone();
                self.tell_session(session.clone(), SessionNews::Hello { session: session.clone(), pid: 0, project });
                self.tell_session(session, SessionNews::Waiting(Box::new(inline_request(review, role))));
            }
            ReviewRecord::Closed { by, choice, approved } if review.closed.is_some() && !before => {
                let choice = choice.unwrap_or(if *approved { ChoiceKey::Restore } else { ChoiceKey::KeepPlanning });
                let news = closed_news(ask_id, by.clone(), Some(choice));
                self.tell_session(session, news);
            }
            _ => {}
        }
    }

    fn take_job(&self, record: &FleetRecord<JobEvent>) {
        let changed = self.known.lock_unpoisoned().jobs.apply(record, &self.link.members());
        if let Some(id) = record.subject.split('.').nth(4).filter(|_| changed) {
            self.tell_job(id);
        }
    }

    /// Tells pages whether the plan of a job waits.
    fn tell_job(&self, id: &str) {
        let role = self.link.require_member().map_or(MemberRole::Worker, |member| member.role);
        let mut known = self.known.lock_unpoisoned();
        let Some(job) = known.jobs.get(id).cloned() else { return };
        let session = format!("{JOB_PREFIX}{id}");
        let waits = job_request(&job, role);
        let asked = known.asked.get(id).cloned();
        match (asked, waits) {
            (None, Some(mut request)) => {
                known.asked.insert(id.to_string(), request.ask_id.clone());
                if let Some(StoredText::Inline(text)) = job.result.as_ref().and_then(|result| result.text.clone()) {
                    set_text(&mut request, text);
                }
                let project = job.spec.repo.shown().to_string();
                self.tell_session(session.clone(), SessionNews::Hello { session: session.clone(), pid: 0, project });
                self.tell_session(session, SessionNews::Waiting(Box::new(request)));
            }
            (Some(ask_id), None) => {
                known.asked.remove(id);
                let decision = job.decision.as_ref();
                let choice =
                    decision.map(|one| if one.approved { ChoiceKey::Restore } else { ChoiceKey::KeepPlanning });
                let by = decision.map(|decision| decision.by.join(", "));
                self.tell_session(session.clone(), closed_news(&ask_id, by, choice));
                // A job is not a session that continues.
                self.tell(SourceUpdate::Session(Box::new(SessionUpdate { session, news: None })));
            }
            _ => {}
        }
    }
}

/// The name under which the page knows a session. Members choose ids freely, so the id of another member's session
/// counts only together with that member. `None` for an id that could mean something else.
fn page_session(review: &SharedReview, own: &MemberId) -> Option<String> {
    let is_usable = valid_id(&review.session) && !review.session.starts_with(JOB_PREFIX);
    is_usable.then(|| match review.owner() == own {
        true => review.session.clone(),
        false => format!("{}~{}", review.session, review.owner()),
    })
}

fn closed_news(ask_id: &str, by: Option<String>, choice: Option<ChoiceKey>) -> SessionNews {
    let answer = choice.filter(|_| by.is_some()).map(|choice| AskAnswer::Plan(PlanAnswer::new(ask_id, choice)));
    SessionNews::Closed { ask_id: ask_id.into(), by: by.map(Answerer::named), answer }
}

fn closed_text(by: Option<&str>, choice: Option<ChoiceKey>) -> String {
    let by = by.map(Answerer::named);
    let answer = choice.map(|choice| AskAnswer::Plan(PlanAnswer::new("", choice)));
    describe_closed(by.as_ref(), answer.as_ref())
}

/// The request with everything that came with its records.
fn inline_request(review: &SharedReview, role: MemberRole) -> WaitingRequest {
    let inline = |text: &StoredText| match text {
        StoredText::Inline(text) => Some(text.clone()),
        StoredText::Blob(_) => None,
    };
    let more = review.request.as_ref().map(inline);
    let mut request = session_request(review, more.clone().flatten().as_deref(), role);
    // What is in the object store is loaded when the user opens the request.
    if let (Some(text), Some(Some(_)) | None) = (inline(&review.text), more) {
        set_text(&mut request, text);
    }
    request
}

/// A plan of a running session. `json` is the whole request, if it is known.
fn session_request(review: &SharedReview, json: Option<&str>, role: MemberRole) -> WaitingRequest {
    let parsed: Option<WaitingRequest> = json.and_then(|json| serde_json::from_str(json).ok());
    let own = || {
        let approve = role.may_approve().then_some("Approve");
        PlanExitRequest::for_job(review.ask_id.clone(), String::new(), Some(review.sha256.clone()), approve)
    };
    let (request, previous) = match parsed.map(|parsed| parsed.subject) {
        Some(WaitingSubject::Plan { request, previous, .. }) => (request, previous),
        _ => (Box::new(own()), None),
    };
    let mut request = *request;
    // The records are what counts, whatever the request says.
    (request.ask_id, request.sha256) = (review.ask_id.clone(), Some(review.sha256.clone()));
    if !role.may_approve() {
        request.choices.retain(|choice| choice.key == ChoiceKey::KeepPlanning);
    }
    WaitingRequest {
        ask_id: review.ask_id.clone(),
        tool: "ExitPlanMode".into(),
        asker: Some(format!("session of {}", review.author)),
        text: format!("A plan of {}", review.author),
        since: review.requested,
        subject: WaitingSubject::Plan { request: Box::new(request), previous, draft: None },
    }
}

/// The plan of a job that waits for reviewers.
fn job_request(job: &FleetJob, role: MemberRole) -> Option<WaitingRequest> {
    let result = job.result.as_ref().filter(|_| job.state == JobState::Waiting)?;
    let label = if job.spec.then_implement { "Approve; a worker then implements it" } else { "Approve" };
    let (ask_id, name) = (format!("{}-{}", job.spec.id, job.generation), result.text_name.clone().unwrap_or_default());
    let approve = role.may_approve().then_some(label);
    let mut request = PlanExitRequest::for_job(ask_id.clone(), name, result.sha256.clone(), approve);
    if job.spec.quorum > 1 {
        request.notice = Some(format!("{} of {} approvals so far.", job.approvals(), job.spec.quorum));
    }
    Some(WaitingRequest {
        ask_id,
        tool: JOB_TOOL.into(),
        asker: Some(format!("job of {}", job.submitter_label)),
        text: job.spec.task.clone().unwrap_or_else(|| format!("The plan of job {}", job.spec.id)),
        since: job.ended.unwrap_or(job.submitted),
        subject: WaitingSubject::Plan { request: Box::new(request), previous: None, draft: None },
    })
}

fn set_text(request: &mut WaitingRequest, text: String) {
    if let WaitingSubject::Plan { request, .. } = &mut request.subject
        && request.sha256.as_deref() == Some(&cutonce_core::plan::sha256_hex(&text))
    {
        request.plan = Some(text);
    }
}

fn listed_job(job: &FleetJob, may_submit: bool) -> ListedJob {
    let summary = job.result.as_ref().filter(|_| job.state.is_over()).map(|result| result.summary.clone());
    let rejected = job.decision.as_ref().is_some_and(|decision| !decision.approved);
    let retries = matches!(job.state, JobState::Failed | JobState::Cancelled) || rejected;
    ListedJob {
        id: job.spec.id.clone(),
        kind: job.spec.kind.name().into(),
        state: job.state.name().into(),
        repo: job.spec.repo.shown().into(),
        text: job.spec.task.clone().or(summary).unwrap_or_default(),
        by: job.submitter_label.clone(),
        worker: job.worker.clone(),
        attempts: job.attempts,
        submitted: job.submitted,
        ended: job.ended,
        can_cancel: may_submit && !job.state.is_over(),
        can_retry: may_submit && retries,
    }
}

/// The error as a sentence for the page.
fn refusal(error: &anyhow::Error) -> RefusedMessage {
    let text = format!("{error:#}");
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with('.') { "" } else { "." };
    RefusedMessage(format!("{first}{}{end}", letters.as_str()))
}

/// Feedback and comments as one text: a job has no lines to point at.
fn feedback_text(answer: &PlanAnswer) -> String {
    let comment = |comment: &LineComment| format!("Line {}: {}", comment.line, comment.text);
    let parts = answer.feedback.iter().cloned().chain(answer.comments.iter().map(comment));
    parts.collect::<Vec<_>>().join("\n")
}

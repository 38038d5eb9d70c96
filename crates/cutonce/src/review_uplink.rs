//! Publishes the plans of a session that wait for approval and what becomes of them, and takes the answers of members
//! (FL-1, FL-2).
//!
//! The session decides: an answer from the remote goes the same way as one of its own user, and the first one wins.

use crate::event_uplink::EventUplink;
use crate::reviewer_events::{UnpublishedEvents, is_approval};
use cutonce_agent::{EventStream, Session, SessionInbox};
use cutonce_core::plan::rehearsal::RehearsalNews;
use cutonce_core::plan::{PlanEvent, StepProgress};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::event::{AskView, EventKind};
use cutonce_core::protocol::review_request::{ReviewerAnswer, WaitingRequest, WaitingSubject};
use cutonce_core::protocol::submission::{AskAnswer, OnDone, Submission};
use cutonce_core::settings::Settings;
use cutonce_fleet::member_keys::MemberId;
use cutonce_fleet::review::{ReviewRecord, approves, is_allowed};
use cutonce_fleet::streams::FleetStream;
use cutonce_fleet::{FleetError, FleetLink, FleetRecord, MemberLogNews};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Mutex, Notify, mpsc};

/// Files of a step that a record names.
const MAX_FILES: usize = 200;
/// Bytes of a check's output in a record.
const MAX_OUTPUT: usize = 8 << 10;

/// The reviews of one session.
pub struct ReviewUplink {
    pub session: String,
    pub project: String,
    pub inbox: SessionInbox,
    /// Approvers that a plan needs.
    quorum: u32,
    events: Mutex<EventStream>,
    /// What members who watch the session see.
    pub all_events: EventUplink,
    /// Requests that wait: their hashes, and who approves.
    waiting: Mutex<HashMap<String, WaitingPlan>>,
    /// The last plan of the session itself: it can be rehearsed, and it is implemented after its approval.
    own_plan: Mutex<Option<String>>,
    /// Events that are not stored on the server yet, oldest first.
    unpublished: Mutex<UnpublishedEvents>,
    /// Told when an event came, or the session ended.
    news: Notify,
    ended: AtomicBool,
    /// Sequence of the next record to look at; 0 before the first connection.
    next_record: Mutex<u64>,
    /// Answers that the session did not take.
    refusals: (mpsc::UnboundedSender<RefusedAnswer>, Mutex<mpsc::UnboundedReceiver<RefusedAnswer>>),
}

struct WaitingPlan {
    sha256: String,
    approvals: BTreeSet<MemberId>,
}

/// An answer of a member that approves nothing, with the reason.
struct RefusedAnswer {
    ask_id: String,
    record: String,
    why: String,
}

impl ReviewUplink {
    pub fn new(session: &Session, project: String, settings: &Settings) -> ReviewUplink {
        let (inbox, events) = (session.inbox(), session.events_without_live_text());
        let (session, quorum) = (session.id().to_string(), settings.plan.quorum.max(1));
        let (refuse, refused) = mpsc::unbounded_channel();
        let refusals = (refuse, Mutex::new(refused));
        ReviewUplink {
            session,
            project,
            inbox,
            quorum,
            events: Mutex::new(events),
            all_events: EventUplink::default(),
            waiting: Mutex::default(),
            own_plan: Mutex::default(),
            unpublished: Mutex::default(),
            news: Notify::new(),
            ended: AtomicBool::new(false),
            next_record: Mutex::default(),
            refusals,
        }
    }

    /// Takes the session's events while it lasts, whether the server answers or not: unread ones would fill the memory.
    pub async fn collect(&self) {
        let mut events = self.events.lock().await;
        while let Some(event) = events.next().await {
            self.all_events.note(&event);
            match event.kind {
                EventKind::Closed => break,
                kind if is_published(&kind) => self.unpublished.lock().await.add(kind),
                _ => continue,
            }
            self.news.notify_one();
        }
        self.ended.store(true, Ordering::Release);
        self.news.notify_one();
    }

    /// Follows the session and the remote until the session ends or the server fails.
    pub async fn run(&self, link: &FleetLink) -> Result<(), FleetError> {
        // A connection after the first one continues where that one ended.
        let mut next_record = self.next_record.lock().await;
        if *next_record == 0 {
            *next_record = link.review_end().await? + 1;
        }
        let mut answers = link.follow::<ReviewRecord>(FleetStream::Reviews, "*", *next_record).await?;
        let mut member_log = match self.quorum > 1 {
            true => Some(link.follow_member_log().await?),
            false => None,
        };
        let mut refused = self.refusals.1.lock().await;
        loop {
            let ended = self.ended.load(Ordering::Acquire);
            self.publish_news(link).await?;
            if ended {
                return Ok(());
            }
            tokio::select! {
                () = self.news.notified() => {}
                answer = answers.next() => {
                    let answer = answer?;
                    *next_record = answer.sequence + 1;
                    self.take_answer(link, &answer).await;
                }
                Some(news) = wait_for_members(&mut member_log) => {
                    news?;
                    self.count_again(link).await;
                }
                Some(RefusedAnswer { ask_id, record, why }) = refused.recv() => {
                    link.publish_review(&ask_id, &ReviewRecord::Refused { answer: record, why }).await?;
                }
            }
        }
    }

    /// Stores what happened, oldest first. If the server fails, the rest is stored with the next connection.
    async fn publish_news(&self, link: &FleetLink) -> Result<(), FleetError> {
        loop {
            // Nothing is locked while the server is asked: the session's events must be taken meanwhile.
            let oldest = self.unpublished.lock().await.oldest();
            let Some(oldest) = oldest else { return Ok(()) };
            match self.publish_event(link, oldest).await {
                // Trying again would not help, and the events after it must not wait for ever.
                Err(error @ (FleetError::Refused(_) | FleetError::Key(_))) => {
                    tracing::warn!("the remote lacks an event of this session: {error}");
                }
                published => published?,
            }
            self.unpublished.lock().await.remove_oldest();
        }
    }

    async fn publish_event(&self, link: &FleetLink, event: EventKind) -> Result<(), FleetError> {
        match event {
            EventKind::Ask(ask) => self.publish_request(link, &ask).await,
            EventKind::AskClosed { ask_id, answer, by } => {
                self.publish_closed(link, &ask_id, answer.as_ref(), by).await
            }
            EventKind::Plan(event) => self.publish_progress(link, event).await,
            _ => Ok(()),
        }
    }

    async fn publish_request(&self, link: &FleetLink, ask: &AskView) -> Result<(), FleetError> {
        let Some(request) = ask.exit_request() else { return Ok(()) };
        let (Some(plan), Some(sha256)) = (&request.plan, &request.sha256) else { return Ok(()) };
        let record = ReviewRecord::Requested {
            session: self.session.clone(),
            project: self.project.clone(),
            text: link.put_text(plan).await?,
            sha256: sha256.clone(),
            request: Some(link.put_text(&without_text(ask)).await?),
        };
        if request.from.is_none() {
            *self.own_plan.lock().await = Some(ask.ask_id.clone());
        }
        let waits = WaitingPlan { sha256: sha256.clone(), approvals: BTreeSet::new() };
        self.waiting.lock().await.insert(ask.ask_id.clone(), waits);
        link.publish_review(&ask.ask_id, &record).await.map(drop)
    }

    /// Stores what happens to the session's own plan: rehearsals while it waits, then steps and the report.
    async fn publish_progress(&self, link: &FleetLink, event: PlanEvent) -> Result<(), FleetError> {
        let Some(ask_id) = self.own_plan.lock().await.clone() else { return Ok(()) };
        let waits = self.waiting.lock().await.contains_key(&ask_id);
        let record = match event {
            PlanEvent::Rehearsal(event) if waits => {
                let news = link.put_text(&serde_json::to_string(&event).unwrap_or_default()).await?;
                ReviewRecord::Rehearsal { news }
            }
            PlanEvent::Step(step) if !waits => ReviewRecord::Step { progress: Box::new(bounded_step(step)) },
            PlanEvent::Report(report) if !waits => {
                let report = link.put_text(&serde_json::to_string(&report).unwrap_or_default()).await?;
                ReviewRecord::Report { report }
            }
            _ => return Ok(()),
        };
        link.publish_review(&ask_id, &record).await.map(drop)
    }

    /// Reports to the member why the session did not take its answer or order.
    fn refusal_of(&self, ask_id: &str, record: &FleetRecord<ReviewRecord>) -> OnDone {
        let (refuse, told) = (self.refusals.0.clone(), (ask_id.to_string(), record.id.clone()));
        OnDone(Arc::new(move |taken: Result<(), String>| {
            if let Err(why) = taken {
                let (ask_id, record) = told.clone();
                let _ = refuse.send(RefusedAnswer { ask_id, record, why });
            }
        }))
    }

    async fn take_answer(&self, link: &FleetLink, record: &FleetRecord<ReviewRecord>) {
        let Some(ask_id) = record.subject.split('.').nth(4) else { return };
        let mut waiting = self.waiting.lock().await;
        let Some(plan) = waiting.get_mut(ask_id) else { return };
        if !is_allowed(record, &plan.sha256) {
            return;
        }
        let on_done = self.refusal_of(ask_id, record);
        let (answer, sha256) = match &record.body {
            ReviewRecord::Answered { answer, sha256 } => (answer, sha256),
            ReviewRecord::Rehearse { order, .. } => {
                let (order, on_done) = (order.clone(), Some(on_done));
                return self.inbox.submit(Submission::Rehearse { order, on_done });
            }
            _ => return,
        };
        let by = record.author.card.label.clone();
        // The user of this session is one approver, wherever the answer was given.
        let is_own = link.require_member().is_ok_and(|own| own.person() == record.author.person());
        if self.quorum > 1 && approves(answer) && !is_own {
            plan.approvals.insert(record.author.id.clone());
            return self.submit_votes(link, ask_id, plan);
        }
        let mut answer = (**answer).clone();
        answer.ask_id = ask_id.to_string();
        let (ask_id, sha256, answer) = (ask_id.to_string(), Some(sha256.clone()), AskAnswer::Plan(answer));
        let answer = Box::new(ReviewerAnswer { ask_id, sha256, answer });
        self.inbox.submit(Submission::AnswerFrom { answer, by: Answerer::named(by), on_done });
    }

    /// Counts again who approves: the member log changed.
    async fn count_again(&self, link: &FleetLink) {
        for (ask_id, plan) in self.waiting.lock().await.iter().filter(|(_, plan)| !plan.approvals.is_empty()) {
            self.submit_votes(link, ask_id, plan);
        }
    }

    /// Tells the session which people approve now. Members that were locked out, and replaced keys, do not count.
    fn submit_votes(&self, link: &FleetLink, ask_id: &str, plan: &WaitingPlan) {
        let list = link.members();
        let active = plan.approvals.iter().filter_map(|id| list.get(id)).filter(|member| member.revoked.is_none());
        let members = active.map(|member| member.person().to_string()).collect();
        self.inbox.submit(Submission::PlanVotes { ask_id: ask_id.to_string(), members });
    }

    async fn publish_closed(
        &self,
        link: &FleetLink,
        ask_id: &str,
        answer: Option<&AskAnswer>,
        by: Option<Answerer>,
    ) -> Result<(), FleetError> {
        if !self.waiting.lock().await.contains_key(ask_id) {
            return Ok(());
        }
        // Who answered at this machine is this member, wherever that was.
        let own = || link.require_member().map(|member| member.card.label).ok();
        let by = answer.and_then(|_| match by {
            Some(by) if !by.is_place() => Some(by.name().to_string()),
            _ => own(),
        });
        let choice = answer.and_then(|answer| match answer {
            AskAnswer::Plan(answer) => Some(answer.choice),
            _ => None,
        });
        let approved = is_approval(answer);
        link.publish_review(ask_id, &ReviewRecord::Closed { by, approved, choice }).await?;
        self.waiting.lock().await.remove(ask_id);
        Ok(())
    }
}

/// Waits for a change of the member log; never, if it is not followed.
async fn wait_for_members(news: &mut Option<MemberLogNews<'_>>) -> Option<Result<(), FleetError>> {
    match news {
        Some(news) => Some(news.next().await),
        None => std::future::pending().await,
    }
}

/// What a reviewer elsewhere needs; the transcript has the rest.
fn is_published(kind: &EventKind) -> bool {
    match kind {
        EventKind::Ask(ask) => ask.exit_request().is_some(),
        EventKind::AskClosed { .. } => true,
        // Each call of a rehearsal would be a record.
        EventKind::Plan(PlanEvent::Rehearsal(event)) => !matches!(event.news, RehearsalNews::Progress { .. }),
        EventKind::Plan(event) => matches!(event, PlanEvent::Step(_) | PlanEvent::Report(_)),
        _ => false,
    }
}

/// The evidence of a step, short enough for a record.
fn bounded_step(mut step: StepProgress) -> StepProgress {
    step.files.truncate(MAX_FILES);
    let start = step.output.len().saturating_sub(MAX_OUTPUT);
    step.output = step.output.split_off(step.output.ceil_char_boundary(start));
    step
}

/// The request as JSON, without the plan: that is stored on its own.
fn without_text(ask: &AskView) -> String {
    let mut request = WaitingRequest::new(ask, 0);
    if let WaitingSubject::Plan { request, draft, .. } = &mut request.subject {
        (request.plan, *draft) = (None, None);
    }
    serde_json::to_string(&request).unwrap_or_default()
}

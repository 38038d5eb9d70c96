//! Publishes the plans of a session that wait for approval, and takes the answers of members (FL-2).
//!
//! The session decides: an answer from the remote goes the same way as one of its own user, and the first one wins.

use cutonce_agent::{EventStream, Session, SessionInbox};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::event::{AskView, EventKind};
use cutonce_core::protocol::review_request::ReviewerAnswer;
use cutonce_core::protocol::submission::{AskAnswer, OnDone, Submission};
use cutonce_core::settings::Settings;
use cutonce_fleet::review::{ReviewRecord, approves, is_allowed};
use cutonce_fleet::streams::FleetStream;
use cutonce_fleet::{FleetError, FleetLink, FleetRecord};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The reviews of one session.
pub struct ReviewUplink {
    pub session: String,
    pub project: String,
    pub inbox: SessionInbox,
    /// Approvers that a plan needs.
    quorum: u32,
    events: Mutex<EventStream>,
    /// Requests that wait, with the hashes of their texts.
    waiting: Mutex<HashMap<String, String>>,
}

impl ReviewUplink {
    pub fn new(session: &Session, project: String, settings: &Settings) -> ReviewUplink {
        let (inbox, events) = (session.inbox(), session.events());
        let (session, quorum) = (session.id().to_string(), settings.plan.quorum.max(1));
        ReviewUplink { session, project, inbox, quorum, events: Mutex::new(events), waiting: Mutex::default() }
    }

    /// Follows the session and the remote until the session ends or the server fails.
    pub async fn run(&self, link: &FleetLink) -> Result<(), FleetError> {
        let start = link.review_end().await? + 1;
        let mut answers = link.follow::<ReviewRecord>(FleetStream::Reviews, "*", start).await?;
        let mut events = self.events.lock().await;
        loop {
            tokio::select! {
                event = events.next() => match event.map(|event| event.kind) {
                    None | Some(EventKind::Closed) => return Ok(()),
                    Some(EventKind::Ask(ask)) => self.publish_request(link, &ask).await?,
                    Some(EventKind::AskClosed { ask_id, answer, by }) => {
                        self.publish_closed(link, &ask_id, answer.as_ref(), by).await?;
                    }
                    Some(_) => {}
                },
                answer = answers.next() => self.take_answer(&answer?).await,
            }
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
        };
        self.waiting.lock().await.insert(ask.ask_id.clone(), sha256.clone());
        link.publish_review(&ask.ask_id, &record).await
    }

    async fn take_answer(&self, record: &FleetRecord<ReviewRecord>) {
        let Some(ask_id) = record.subject.split('.').nth(4) else { return };
        let waiting = self.waiting.lock().await;
        let Some(sha256) = waiting.get(ask_id).filter(|sha256| is_allowed(record, sha256)) else { return };
        let ReviewRecord::Answered { answer, .. } = &record.body else { return };
        let by = record.author.card.label.clone();
        if self.quorum > 1 && approves(answer) {
            let by = format!("{by} ({})", record.author.id);
            return self.inbox.submit(Submission::PlanVote { ask_id: ask_id.to_string(), by });
        }
        let mut answer = (**answer).clone();
        answer.ask_id = ask_id.to_string();
        let (ask_id, sha256) = (ask_id.to_string(), Some(sha256.clone()));
        let answer = Box::new(ReviewerAnswer { ask_id, sha256, answer: AskAnswer::Plan(answer) });
        // The member hears from the request's end what counted; a refused answer leaves it open.
        let on_done = OnDone(Arc::new(|taken| {
            if let Err(why) = taken {
                tracing::info!("an answer of a member was not taken: {why}");
            }
        }));
        self.inbox.submit(Submission::AnswerFrom { answer, by: Answerer::named(by), on_done });
    }

    async fn publish_closed(
        &self,
        link: &FleetLink,
        ask_id: &str,
        answer: Option<&AskAnswer>,
        by: Option<Answerer>,
    ) -> Result<(), FleetError> {
        if self.waiting.lock().await.remove(ask_id).is_none() {
            return Ok(());
        }
        let own = || link.require_member().map(|member| member.card.label).ok();
        let by = by.and_then(|by| if by.is_local() { own() } else { Some(by.name().to_string()) });
        let approved = matches!(answer, Some(AskAnswer::Plan(answer)) if approves(answer));
        link.publish_review(ask_id, &ReviewRecord::Closed { by, approved }).await
    }
}

//! Plans of running sessions that wait for approval, on the remote (FL-2). The session decides which answer counts: the
//! first one, whether it comes from its own user or from a member.

use crate::blob::StoredText;
use crate::link::FleetRecord;
use crate::streams::FleetStream;
use crate::{FleetError, FleetLink};
use cutonce_core::plan::StepProgress;
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_core::plan::rehearsal::RehearsalOrder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A record about one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "review", rename_all = "camelCase")]
pub enum ReviewRecord {
    Requested {
        session: String,
        project: String,
        text: StoredText,
        sha256: String,
        /// The whole request without the text, as JSON: choices, steps, findings, the last revision.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<StoredText>,
    },
    /// A member's answer, bound to the text that it saw.
    Answered { sha256: String, answer: Box<PlanAnswer> },
    /// The session closed the request; `by` answered it, unless it was withdrawn.
    Closed {
        by: Option<String>,
        approved: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        choice: Option<ChoiceKey>,
    },
    /// A member wants the plan to be rehearsed, or a rehearsal to end (RH-1); bound to the text that it saw.
    Rehearse { sha256: String, order: RehearsalOrder },
    /// The session's news of a rehearsal, as JSON.
    Rehearsal { news: StoredText },
    /// A step of the approved plan changed, with the evidence for it (PC-32).
    Step { progress: Box<StepProgress> },
    /// The report of the implementation, as JSON (PC-35).
    Report { report: StoredText },
    /// The session did not take an answer or an order; the request stays open.
    Refused {
        /// Id of the answer's or order's record.
        answer: String,
        why: String,
    },
}

/// A request as the fold of its records.
#[derive(Debug, Clone)]
pub struct SharedReview {
    pub ask_id: String,
    pub session: String,
    pub project: String,
    pub author: String,
    pub text: StoredText,
    pub sha256: String,
    pub requested: u64,
    /// The whole request without the text, as JSON.
    pub request: Option<StoredText>,
    /// Who closed it, and whether it was approved.
    pub closed: Option<(Option<String>, bool)>,
    /// The steps of the approved plan that changed, by their ids.
    pub steps: BTreeMap<String, StepProgress>,
    /// The report of the implementation, as JSON.
    pub report: Option<StoredText>,
    /// The member whose session asks; only it closes the request.
    owner: crate::member_keys::MemberId,
}

/// All requests of sessions.
#[derive(Debug, Clone, Default)]
pub struct SharedReviews(BTreeMap<String, SharedReview>);

impl SharedReviews {
    pub fn get(&self, ask_id: &str) -> Option<&SharedReview> {
        self.0.get(ask_id)
    }
    /// Open requests, oldest first.
    pub fn open(&self) -> impl Iterator<Item = &SharedReview> {
        self.0.values().filter(|review| review.closed.is_none())
    }

    pub fn apply(&mut self, record: &FleetRecord<ReviewRecord>) {
        let Some(ask_id) = record.subject.split('.').nth(4).map(str::to_string) else { return };
        match &record.body {
            ReviewRecord::Requested { session, project, text, sha256, request } => {
                self.0.entry(ask_id.clone()).or_insert_with(|| SharedReview {
                    ask_id,
                    session: session.clone(),
                    project: project.clone(),
                    author: record.author.card.label.clone(),
                    text: text.clone(),
                    sha256: sha256.clone(),
                    requested: record.published,
                    request: request.clone(),
                    closed: None,
                    steps: BTreeMap::new(),
                    report: None,
                    owner: record.author.id.clone(),
                });
            }
            // Only the session that asks reports what became of its plan.
            ReviewRecord::Closed { .. } | ReviewRecord::Step { .. } | ReviewRecord::Report { .. } => {
                if let Some(review) = self.0.get_mut(&ask_id).filter(|review| review.is_from_owner(record)) {
                    review.note(&record.body);
                }
            }
            ReviewRecord::Answered { .. }
            | ReviewRecord::Refused { .. }
            | ReviewRecord::Rehearse { .. }
            | ReviewRecord::Rehearsal { .. } => {}
        }
    }
}

impl SharedReview {
    fn note(&mut self, record: &ReviewRecord) {
        match record {
            ReviewRecord::Closed { by, approved, .. } => {
                self.closed.get_or_insert_with(|| (by.clone(), *approved));
            }
            ReviewRecord::Step { progress } => {
                self.steps.insert(progress.step.clone(), (**progress).clone());
            }
            ReviewRecord::Report { report } => self.report = Some(report.clone()),
            _ => {}
        }
    }
    /// The member whose session asks.
    pub fn owner(&self) -> &crate::member_keys::MemberId {
        &self.owner
    }
    /// True if the session that asks wrote this record: only it closes the request and refuses answers.
    pub fn is_from_owner(&self, record: &FleetRecord<ReviewRecord>) -> bool {
        self.owner == record.author.id
    }
}

/// Whether this answer lets the session change things.
pub fn approves(answer: &PlanAnswer) -> bool {
    !matches!(answer.choice, ChoiceKey::KeepPlanning | ChoiceKey::Leave)
}

/// Whether the author of an answer or an order may give it, for the text that waits.
pub fn is_allowed(record: &FleetRecord<ReviewRecord>, waiting: &str) -> bool {
    let role = record.author.role;
    let (allowed, sha256) = match &record.body {
        ReviewRecord::Answered { sha256, answer } if approves(answer) => (role.may_approve(), sha256),
        ReviewRecord::Answered { sha256, .. } => (role.may_comment(), sha256),
        // A rehearsal runs commands and costs money.
        ReviewRecord::Rehearse { sha256, .. } => (role.may_approve(), sha256),
        _ => return false,
    };
    allowed && sha256 == waiting
}

impl FleetLink {
    /// The sequence of the newest record about reviews.
    pub async fn review_end(&self) -> Result<u64, FleetError> {
        Ok(self.stream(FleetStream::Reviews).await?.cached_info().state.last_sequence)
    }

    /// Stores a record about a request; returns its id.
    pub async fn publish_review(&self, ask_id: &str, record: &ReviewRecord) -> Result<String, FleetError> {
        let id = cutonce_agent::new_id();
        self.publish(FleetStream::Reviews, ask_id, &id, record).await?;
        Ok(id)
    }
}

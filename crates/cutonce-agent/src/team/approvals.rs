//! Approval of teammates' plans by the lead (PM-132, PM-134): the requests that wait, and the one way to answer them.

use super::{Membership, TeamError, TeamHandle, TeamHistory};
use crate::sync::LockUnpoisoned;
use cutonce_core::mode::Mode;
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_core::protocol::submission::{AskAnswer, TeamUpdate};
use cutonce_core::team::{AnsweredBy, MessageContent, PendingPlanApprovals, PlanApprovalResponse};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::{Mutex, MutexGuard};

/// Plan requests of teammates, answered by the model's tool or by the user.
#[derive(Default)]
pub(crate) struct TeammateRequests(Mutex<PendingPlanApprovals>);

impl TeammateRequests {
    pub(crate) fn lock(&self) -> MutexGuard<'_, PendingPlanApprovals> {
        self.0.lock_unpoisoned()
    }
    pub(crate) fn clear(&self) {
        *self.lock() = PendingPlanApprovals::default();
    }
    /// Takes over the requests that were open before a restart.
    pub(crate) fn restore(&self, mut past: TeamHistory) -> TeamHistory {
        *self.lock() = std::mem::take(&mut past.plan_approvals);
        past
    }
}

// The lead's answer to a plan, as its model sends it. No doc comment: it would be part of the schema.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PlanApproval")]
pub(crate) struct ApprovalInput {
    request_id: String,
    approved: bool,
    feedback: Option<String>,
    // The description names the two valid modes; the enum would also offer modes that no lead can grant.
    #[schemars(with = "Option<String>")]
    mode: Option<Mode>,
}

impl TeamHandle {
    /// Answers a teammate's plan (PM-132, PM-134). The session is notified once the answer is in the teammate's
    /// mailbox; a crash before that leaves the request open.
    pub async fn answer_plan(
        &self,
        by: AnsweredBy,
        response: PlanApprovalResponse,
        answer: AskAnswer,
    ) -> Result<String, TeamError> {
        let Some(joined) = self.membership() else { return Err(TeamError::NoTeam) };
        let (request, response) = self.requests.lock().answer(by, self.mode(), response)?;
        let approved = response.approved;
        let id = format!("answer-{}", request.request_id);
        match joined.send_control(&request.from, id, MessageContent::PlanApprovalResponse(response)).await {
            Ok(()) => {
                let (request_id, from) = (request.request_id, request.from);
                self.send_news(TeamUpdate::Answered { request_id, from: from.clone(), by, answer, approved });
                Ok(from)
            }
            Err(error) => {
                let why = error.to_string();
                self.send_news(TeamUpdate::NotAnswered { request: Box::new(request), why });
                Err(error.into())
            }
        }
    }

    /// Answers a plan for the lead's model; never while the lead itself is in plan mode (PM-132).
    pub(crate) async fn answer_by_model(
        &self,
        joined: &Membership,
        to: &str,
        approval: ApprovalInput,
    ) -> Result<String, TeamError> {
        if !joined.is_lead() {
            return Err("only the lead can answer a plan".into());
        }
        let ApprovalInput { request_id, approved, feedback, mode } = approval;
        let waits = self.requests.lock().find(&request_id).map(|request| request.from.clone());
        if waits.is_some_and(|from| from != to) {
            return Err(format!("the request {request_id} is not from {to}").into());
        }
        let choice = if approved { ChoiceKey::Default } else { ChoiceKey::KeepPlanning };
        let given = PlanAnswer { feedback: feedback.clone(), mode, ..PlanAnswer::new(&request_id, choice) };
        let response = PlanApprovalResponse { request_id, approved, feedback, mode, plan_content: None };
        self.answer_plan(AnsweredBy::Model, response, AskAnswer::Plan(given)).await
    }
}

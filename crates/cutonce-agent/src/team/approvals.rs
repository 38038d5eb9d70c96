//! Approval of teammates' plans and calls by the lead (PM-132, PM-134, TM-1): the one way to answer them.

use super::mailbox::MailError;
use super::{Membership, TeamError, TeamHandle};
use cutonce_core::mode::Mode;
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_core::protocol::submission::{AskAnswer, TeamUpdate};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::team::{AnsweredBy, ControlMessage, PendingRequests, PlanApprovalResponse, TeamResponse};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::MutexGuard;

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
    pub(crate) fn pending(&self) -> MutexGuard<'_, PendingRequests> {
        self.requests.lock_unpoisoned()
    }

    /// Answers a teammate's request (PM-132, PM-134, TM-1). The session is notified once the answer is in the
    /// teammate's mailbox; a crash before that leaves the request open.
    pub(crate) async fn answer_request(
        &self,
        by: AnsweredBy,
        response: TeamResponse,
        answer: AskAnswer,
    ) -> Result<String, TeamError> {
        let Some(joined) = self.membership() else { return Err(TeamError::NoTeam) };
        let (request, response) = self.pending().answer(by, self.mode(), response)?;
        let from = request.sender().to_string();
        let sent = joined.send_response(&from, response.clone()).await;
        let (request, response, answer) = (Box::new(request), Box::new(response), Box::new(answer));
        let failed = sent.as_ref().err().map(ToString::to_string);
        self.send_news(TeamUpdate::Answered { request, by, response, answer, sent: failed.map_or(Ok(()), Err) });
        sent.map(|()| from).map_err(TeamError::from)
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
        let waits = self.pending().find(&request_id).map(|request| request.sender().to_string());
        if waits.is_some_and(|from| from != to) {
            return Err(format!("the request {request_id} is not from {to}").into());
        }
        let choice = if approved { ChoiceKey::Default } else { ChoiceKey::KeepPlanning };
        let given = PlanAnswer { feedback: feedback.clone(), mode, ..PlanAnswer::new(&request_id, choice) };
        let response = PlanApprovalResponse { request_id, approved, feedback, mode, plan_content: None };
        self.answer_request(AnsweredBy::Model, TeamResponse::Plan(response), AskAnswer::Plan(given)).await
    }
}

impl Membership {
    /// Sends an answer of the lead. Every attempt has the same id, so that a teammate gets it once.
    pub(crate) async fn send_response(&self, to: &str, response: TeamResponse) -> Result<(), MailError> {
        let id = format!("answer-{}", response.request_id());
        self.send_control(to, id, ControlMessage::Response(response)).await
    }
}

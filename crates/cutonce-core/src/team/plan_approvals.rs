//! The lead's side of plan approvals (PM-132, PM-134): open requests, and who may answer them.

use super::plan_lead_answer::LeadMode;
use super::plan_messages::{PlanApprovalRequest, PlanApprovalResponse};
use crate::mode::Mode;

/// Open requests, oldest first. A teammate has at most one; a newer one replaces it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PendingPlanApprovals {
    requests: Vec<PlanApprovalRequest>,
}

/// Result of adding a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestArrival {
    New,
    /// Replaces the request with this id, which can't be answered any more.
    Replaced(String),
    /// The request was already here.
    Duplicate,
}

/// The author of an answer: the lead's user or model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    User,
    Model,
}

impl PendingPlanApprovals {
    pub fn requests(&self) -> &[PlanApprovalRequest] {
        &self.requests
    }
    pub fn find(&self, request_id: &str) -> Option<&PlanApprovalRequest> {
        self.requests.iter().find(|request| request.request_id == request_id)
    }

    pub fn add_request(&mut self, request: PlanApprovalRequest) -> RequestArrival {
        if self.find(&request.request_id).is_some() {
            return RequestArrival::Duplicate;
        }
        let before = self.requests.iter().position(|open| open.from == request.from).map(|at| self.requests.remove(at));
        self.requests.push(request);
        before.map_or(RequestArrival::New, |before| RequestArrival::Replaced(before.request_id))
    }

    /// Answers a request. The first answer closes it and is sent to the teammate; the error says why an
    /// answer was refused.
    pub fn answer(
        &mut self,
        by: AnsweredBy,
        lead: LeadMode,
        mut response: PlanApprovalResponse,
    ) -> Result<(PlanApprovalRequest, PlanApprovalResponse), String> {
        let at = self.requests.iter().position(|open| open.request_id == response.request_id);
        let Some(at) = at else {
            return Err(format!(
                "no plan is waiting under the id {}: it was answered or replaced",
                response.request_id
            ));
        };
        if by == AnsweredBy::Model && response.approved && lead.mode == Mode::Plan {
            return Err("you are in plan mode yourself, so you can't approve a plan; the user can. You may reject it with feedback".into());
        }
        response.mode = response.approved.then(|| response.mode.unwrap_or_default().at_most(lead.gives));
        if response.mode == Some(Mode::Plan) {
            return Err("an approval leaves plan mode: name another mode, or reject the plan".into());
        }
        Ok((self.requests.remove(at), response))
    }

    /// Removes the requests of a teammate that is gone.
    pub fn remove_teammate(&mut self, from: &str) -> Vec<PlanApprovalRequest> {
        self.requests.extract_if(.., |open| open.from == from).collect()
    }
}

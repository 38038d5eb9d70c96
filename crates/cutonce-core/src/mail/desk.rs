//! The lead's side of approvals (PM-132, PM-134): which requests are open, and who may answer them with what.

use super::content::{PlanApprovalRequest, PlanApprovalResponse};
use super::waiting::LeadMode;
use crate::mode::Mode;

/// Requests that wait, oldest first. One a teammate: a newer one replaces it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Desk {
    open: Vec<PlanApprovalRequest>,
}

/// What became of a request that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    New,
    /// In place of this one, which nobody may answer any more.
    Instead(String),
    /// It was here before.
    Again,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    User,
    Model,
}

impl Desk {
    pub fn open(&self) -> &[PlanApprovalRequest] {
        &self.open
    }
    pub fn find(&self, request_id: &str) -> Option<&PlanApprovalRequest> {
        self.open.iter().find(|request| request.request_id == request_id)
    }

    pub fn asked(&mut self, request: PlanApprovalRequest) -> Asked {
        if self.find(&request.request_id).is_some() {
            return Asked::Again;
        }
        let before = self.open.iter().position(|open| open.from == request.from).map(|at| self.open.remove(at));
        self.open.push(request);
        before.map_or(Asked::New, |before| Asked::Instead(before.request_id))
    }

    /// The first answer counts: it closes the request, and the response goes to the teammate that asked. The error says why
    /// nothing was answered.
    pub fn answer(
        &mut self,
        by: Given,
        lead: LeadMode,
        mut response: PlanApprovalResponse,
    ) -> Result<(PlanApprovalRequest, PlanApprovalResponse), String> {
        let at = self.open.iter().position(|open| open.request_id == response.request_id);
        let Some(at) = at else {
            return Err(format!("no plan waits under the id {}: it was answered or replaced", response.request_id));
        };
        if by == Given::Model && response.approved && lead.mode == Mode::Plan {
            return Err("you are in plan mode yourself, so you can't approve a plan; the user can. You may reject it with feedback".into());
        }
        response.mode = response.approved.then(|| response.mode.unwrap_or_default().at_most(lead.gives));
        if response.mode == Some(Mode::Plan) {
            return Err("an approval leads out of plan mode: name another mode, or reject the plan".into());
        }
        Ok((self.open.remove(at), response))
    }

    /// The teammate is gone.
    pub fn forget(&mut self, from: &str) -> Vec<PlanApprovalRequest> {
        self.open.extract_if(.., |open| open.from == from).collect()
    }
}

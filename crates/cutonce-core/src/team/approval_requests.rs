//! The lead's side of teammates' requests (PM-132, PM-134, TM-1): what waits, who may answer, and that the first answer
//! wins. A plan waits for the lead's user or model, a call for its user.

use super::message::TeamMessage;
use super::permission_messages::{PermissionRequest, PermissionResponse};
use super::plan_lead_answer::LeadMode;
use super::plan_messages::{PlanApprovalRequest, PlanApprovalResponse};
use crate::mode::Mode;
use serde::{Deserialize, Serialize};

/// Maximum number of open calls per teammate.
const MAX_OPEN_CALLS: usize = 32;

/// A teammate's request that waits for its lead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum TeamRequest {
    #[serde(rename = "plan_approval_request")]
    Plan(PlanApprovalRequest),
    #[serde(rename = "permission_request")]
    Call(Box<PermissionRequest>),
}

impl TeamRequest {
    pub fn id(&self) -> &str {
        match self {
            TeamRequest::Plan(request) => &request.request_id,
            TeamRequest::Call(request) => &request.request_id,
        }
    }
    /// The teammate that asks.
    pub fn sender(&self) -> &str {
        match self {
            TeamRequest::Plan(request) => &request.from,
            TeamRequest::Call(request) => &request.from,
        }
    }
    pub fn is_plan(&self) -> bool {
        matches!(self, TeamRequest::Plan(_))
    }
    /// Checks what the sender claims.
    pub(super) fn check(&self, message: &TeamMessage) -> Result<(), &'static str> {
        match self {
            TeamRequest::Plan(request) => request.check(message),
            TeamRequest::Call(request) => request.check(message),
        }
    }
    pub(super) fn describe(&self) -> &'static str {
        match self {
            TeamRequest::Plan(_) => "asks for approval of its plan",
            TeamRequest::Call(_) => "asks for permission for a call",
        }
    }
}

/// The lead's answer to a [`TeamRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum TeamResponse {
    #[serde(rename = "plan_approval_response")]
    Plan(PlanApprovalResponse),
    #[serde(rename = "permission_response")]
    Call(PermissionResponse),
}

impl TeamResponse {
    pub fn request_id(&self) -> &str {
        match self {
            TeamResponse::Plan(response) => &response.request_id,
            TeamResponse::Call(response) => &response.request_id,
        }
    }
    pub(super) fn describe(&self) -> String {
        match self {
            TeamResponse::Plan(response) => response.describe(),
            TeamResponse::Call(_) => "answers a permission request".into(),
        }
    }
    /// Limits what an answer to a plan grants. The error says why the answer is refused.
    fn check_grant(&mut self, by: AnsweredBy, lead: LeadMode) -> Result<(), String> {
        let TeamResponse::Plan(response) = self else { return Ok(()) };
        if by == AnsweredBy::Model && response.approved && lead.mode == Mode::Plan {
            return Err("you are in plan mode yourself, so you can't approve a plan; the user can. You may reject it with feedback".into());
        }
        response.mode = response.approved.then(|| response.mode.unwrap_or_default().at_most(lead.gives));
        match response.mode {
            Some(Mode::Plan) => Err("an approval leaves plan mode: name another mode, or reject the plan".into()),
            _ => Ok(()),
        }
    }
}

/// Open requests, oldest first. A teammate has at most one open plan; a newer one replaces it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PendingRequests(Vec<TeamRequest>);

/// Result of adding a request.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestArrival {
    New,
    /// Replaces this plan, which can't be answered any more.
    Replaced(TeamRequest),
    /// The request was already here.
    Duplicate,
    /// The teammate has too many open calls: the request was not added.
    TooMany,
}

/// The author of an answer: the lead's user or model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    User,
    Model,
}

impl PendingRequests {
    pub fn requests(&self) -> &[TeamRequest] {
        &self.0
    }
    pub fn find(&self, request_id: &str) -> Option<&TeamRequest> {
        self.0.iter().find(|open| open.id() == request_id)
    }

    pub fn add(&mut self, request: TeamRequest) -> RequestArrival {
        if self.find(request.id()).is_some() {
            return RequestArrival::Duplicate;
        }
        let same = |open: &TeamRequest| open.sender() == request.sender() && open.is_plan() == request.is_plan();
        let replaced = match request.is_plan() {
            true => self.0.iter().position(same).map(|at| self.0.remove(at)),
            false if self.0.iter().filter(|open| same(open)).count() >= MAX_OPEN_CALLS => {
                return RequestArrival::TooMany;
            }
            false => None,
        };
        self.0.push(request);
        replaced.map_or(RequestArrival::New, RequestArrival::Replaced)
    }

    /// Answers a request. The first answer closes it and is sent to the teammate; the error says why an
    /// answer was refused.
    pub fn answer(
        &mut self,
        by: AnsweredBy,
        lead: LeadMode,
        mut response: TeamResponse,
    ) -> Result<(TeamRequest, TeamResponse), String> {
        let fits = |open: &TeamRequest| open.is_plan() == matches!(response, TeamResponse::Plan(_));
        let at = self.0.iter().position(|open| open.id() == response.request_id() && fits(open));
        let Some(at) = at else {
            let id = response.request_id();
            return Err(format!("no request is waiting under the id {id}: it was answered, replaced or withdrawn"));
        };
        response.check_grant(by, lead)?;
        Ok((self.0.remove(at), response))
    }

    /// Opens a request again whose answer could not be sent; false if a newer plan took its place meanwhile.
    pub fn put_back(&mut self, request: TeamRequest) -> bool {
        let newer = |open: &TeamRequest| open.is_plan() && open.sender() == request.sender();
        if request.is_plan() && self.0.iter().any(newer) {
            return false;
        }
        self.0.push(request);
        true
    }

    /// Removes a call that its sender withdrew; `None` removes all of that sender's calls. Plans and others' calls
    /// stay.
    pub fn withdraw_calls(&mut self, from: &str, request_id: Option<&str>) -> Vec<TeamRequest> {
        let meant = |open: &mut TeamRequest| {
            !open.is_plan() && open.sender() == from && request_id.is_none_or(|id| id == open.id())
        };
        self.0.extract_if(.., meant).collect()
    }

    /// Removes everything: the team is gone.
    pub fn take_all(&mut self) -> Vec<TeamRequest> {
        std::mem::take(&mut self.0)
    }
}

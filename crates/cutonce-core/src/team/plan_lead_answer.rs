//! The teammate's side of a plan approval (PM-131, PM-132): one open request and its one valid answer.

use super::plan_messages::PlanApprovalResponse;
use crate::mode::Mode;
use serde::{Deserialize, Serialize};

/// The request whose answer a teammate awaits. Stored in its transcript as an open ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingLeadAnswer {
    open_request: Option<OpenApprovalRequest>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OpenApprovalRequest {
    request_id: String,
    sha256: String,
}

/// The lead's current mode and what it can grant, as published by the lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeadMode {
    /// The lead's own mode: a teammate that leaves plan mode by its own choice gets at most this (PM-133).
    pub mode: Mode,
    /// The strongest mode it can grant: its own, or the earlier one while it is in plan mode.
    pub gives: Mode,
}

/// Meaning of the lead's answer. The caller has already checked the seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeadAnswer {
    Approved {
        mode: Mode,
        feedback: Option<String>,
        /// The plan as edited by the lead's user; write it before anything else.
        plan: Option<String>,
    },
    Rejected {
        feedback: Option<String>,
        plan: Option<String>,
    },
    /// The approved plan is not the current one any more: keep planning.
    Stale,
    /// Forged, late, for another request, or repeated: no effect.
    Ignored {
        why: &'static str,
    },
}

impl PendingLeadAnswer {
    /// Records a submitted plan; an earlier request becomes invalid.
    pub fn open_for(&mut self, request_id: impl Into<String>, sha256: impl Into<String>) {
        self.open_request = Some(OpenApprovalRequest { request_id: request_id.into(), sha256: sha256.into() });
    }
    pub fn open_request_id(&self) -> Option<&str> {
        self.open_request.as_ref().map(|open| open.request_id.as_str())
    }
    /// Withdraws the request because the mode changed; later answers are ignored.
    pub fn withdraw(&mut self) {
        self.open_request = None;
    }

    /// Evaluates an answer. `now`: the current hash of the plan file. `lead`: what the lead can grant.
    pub fn evaluate_answer(
        &mut self,
        from_lead: bool,
        response: PlanApprovalResponse,
        now: Option<&str>,
        lead: LeadMode,
    ) -> LeadAnswer {
        if !from_lead {
            return LeadAnswer::Ignored { why: "only the lead can answer a plan" };
        }
        let Some(open) = self.open_request.take_if(|open| open.request_id == response.request_id) else {
            return LeadAnswer::Ignored { why: "it answers no open request" };
        };
        let PlanApprovalResponse { approved, feedback, mode, plan_content, .. } = response;
        let feedback = feedback.filter(|words| !words.trim().is_empty());
        let plan = plan_content.filter(|text| crate::plan::has_content(text));
        if !approved {
            return LeadAnswer::Rejected { feedback, plan };
        }
        if now != Some(open.sha256.as_str()) {
            return LeadAnswer::Stale;
        }
        match mode.unwrap_or_default().at_most(lead.gives) {
            Mode::Plan => LeadAnswer::Rejected { feedback, plan },
            mode => LeadAnswer::Approved { mode, feedback, plan },
        }
    }
}

//! A teammate's side of an approval (PM-131, PM-132): one open request, and the one answer that may end it.

use super::content::PlanApprovalResponse;
use crate::mode::Mode;
use serde::{Deserialize, Serialize};

/// The request that a teammate waits for. Kept in its transcript as an open ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    open: Option<Open>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Open {
    request_id: String,
    sha256: String,
}

/// What the lead's modes allow at a moment, as the lead published it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeadMode {
    /// Its own mode: no teammate leaves plan mode for more by its own choice (PM-133).
    pub mode: Mode,
    /// What it can give by an approval: its mode, or, while it plans itself, the one that it came from.
    pub gives: Mode,
}

/// What an answer of the lead means. The message is authentic: that was looked at before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    Approved {
        mode: Mode,
        feedback: Option<String>,
        /// The plan as the lead's user edited it: to be written before anything else.
        plan: Option<String>,
    },
    Rejected {
        feedback: Option<String>,
        plan: Option<String>,
    },
    /// Approved was a plan that is not there any more: back to planning.
    Stale,
    /// Forged, late, for another request, or a second one: nothing changes.
    Ignored {
        why: &'static str,
    },
}

impl Waiting {
    /// A plan was submitted; an earlier request is void.
    pub fn submit(&mut self, request_id: impl Into<String>, sha256: impl Into<String>) {
        self.open = Some(Open { request_id: request_id.into(), sha256: sha256.into() });
    }
    pub fn open(&self) -> Option<&str> {
        self.open.as_ref().map(|open| open.request_id.as_str())
    }
    /// The mode was changed otherwise: no answer counts any more.
    pub fn withdraw(&mut self) {
        self.open = None;
    }

    /// `now`: the hash of the plan file as it is. `lead`: what its modes allow.
    pub fn hear(
        &mut self,
        from_lead: bool,
        response: PlanApprovalResponse,
        now: Option<&str>,
        lead: LeadMode,
    ) -> Heard {
        if !from_lead {
            return Heard::Ignored { why: "only the lead can answer a plan" };
        }
        let Some(open) = self.open.take_if(|open| open.request_id == response.request_id) else {
            return Heard::Ignored { why: "it answers no request that is open" };
        };
        let PlanApprovalResponse { approved, feedback, mode, plan_content, .. } = response;
        let feedback = feedback.filter(|words| !words.trim().is_empty());
        let plan = plan_content.filter(|text| crate::plan::exists(text));
        if !approved {
            return Heard::Rejected { feedback, plan };
        }
        if now != Some(open.sha256.as_str()) {
            return Heard::Stale;
        }
        match mode.unwrap_or_default().at_most(lead.gives) {
            Mode::Plan => Heard::Rejected { feedback, plan },
            mode => Heard::Approved { mode, feedback, plan },
        }
    }
}

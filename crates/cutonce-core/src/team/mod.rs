//! Team messages (TM-1), and what a teammate needs its lead for: the approval of a plan (PM-130 to PM-134) or of a
//! call. Message format, authentication, and the effect of requests and answers. Mailboxes are in the agent crate.
//!
//! Every message is external input, even if it claims to be from the lead. [`check_authenticity`] checks its
//! seal; [`PendingLeadAnswer`], [`RelayedAsks`] and [`PendingRequests`] accept only the first answer to an open
//! request.

mod approval_requests;
mod content;
mod message;
mod permission_messages;
mod plan_lead_answer;
mod plan_messages;
mod render;
mod seal;

pub use approval_requests::{AnsweredBy, PendingRequests, RequestArrival, TeamRequest, TeamResponse};
pub use content::{ControlMessage, MessageContent, TeammateState, parse_content};
pub use message::{
    LEAD_NAME, MAX_MEMBER_NAME_LEN, MAX_MESSAGE_BYTES, MessageKind, ReceivedMessage, TeamMessage, is_valid_name,
};
pub use permission_messages::{PermissionRequest, PermissionResponse, RelayedAsks};
pub use plan_lead_answer::{LeadAnswer, LeadMode, PendingLeadAnswer};
use plan_messages::request_for_model;
pub use plan_messages::{
    LeadScope, PlanApprovalRequest, PlanApprovalResponse, WorkEvidence, answered_by_user_message,
    lead_approved_message, lead_rejected_message, lead_still_plans_result, left_plan_mode_result, no_plan_file_error,
    stale_approval_message, wait_for_lead_result,
};
pub use render::{
    MESSAGE_TAG_START, render_for_model, render_for_user, rendered_message_id, team_prompt, wrap_in_message_tag,
};
pub use seal::{TeamKey, check_authenticity};

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

//! Team messages (TM-1) and the approval of a teammate's plan by its lead (PM-130 to PM-134): message format,
//! authentication, and the effect of requests and answers. Mailboxes are in the agent crate.
//!
//! Every message is external input, even if it claims to be from the lead. [`check_authenticity`] checks its
//! seal; [`PendingLeadAnswer`] and [`PendingPlanApprovals`] accept only the lead's first answer to the open
//! request.

mod call_approvals;
mod content;
mod message;
mod plan_approvals;
mod plan_lead_answer;
mod plan_messages;
mod render;
mod seal;

pub use call_approvals::{AddRequestOutcome, PendingCallApprovals, PermissionRequest, PermissionResponse, RelayedAsks};
pub use content::{MessageContent, TeammateState, parse_content};
pub use message::{
    LEAD_NAME, MAX_MEMBER_NAME_LEN, MAX_MESSAGE_BYTES, MessageKind, ReceivedMessage, TeamMessage, is_valid_name,
};
pub use plan_approvals::{AnsweredBy, PendingPlanApprovals, RequestArrival};
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

//! Team messages (TM-1) and the approval of a teammate's plan by its lead (PM-130 to PM-134): what a message is, whom to
//! believe, and what a request or an answer changes. Nothing here sends anything: mailboxes are in the agent.
//!
//! Every message comes from outside, also one that says it is the lead's. [`authentic`] looks at its seal; [`Waiting`] and
//! [`Desk`] let only the one answer count that the lead gave to the request that is open.

mod content;
mod desk;
mod message;
mod permission;
mod seal;
mod shown;
mod waiting;

pub use content::{Content, PlanApprovalRequest, PlanApprovalResponse, TeammateState, content};
pub use desk::{Asked, Desk, Given};
pub use message::{Delivered, LEAD, LONGEST_NAME, LONGEST_TEXT, Message, MessageKind, valid_name};
pub use permission::{PermissionRequest, PermissionResponse, Put, Relayed, Wanted};
pub use seal::{Key, authentic};
pub use shown::{
    OPENING, answered_by_user, approved, framed, free, no_plan_file, not_yet_free, rejected, shown, shown_id, stale,
    told, wait_for_lead, welcome,
};
pub use waiting::{Heard, LeadMode, Waiting};

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

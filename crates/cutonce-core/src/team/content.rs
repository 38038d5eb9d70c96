//! Content of a team message: text, or one of the control messages that the program itself sends (PM-131,
//! PM-132).

use super::call_approvals::{PermissionRequest, PermissionResponse};
use super::message::{MessageKind, TeamMessage};
use super::plan_messages::{LeadScope, PlanApprovalRequest, PlanApprovalResponse, WorkEvidence, check_plan_request};
use crate::protocol::usage_totals::UsageTotals;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq)]
pub enum MessageContent {
    Text,
    PlanApprovalRequest(PlanApprovalRequest),
    PlanApprovalResponse(PlanApprovalResponse),
    /// A teammate's call needs the approval of the lead's user.
    PermissionRequest(Box<PermissionRequest>),
    PermissionResponse(PermissionResponse),
    /// The teammate withdraws this request; `None` withdraws all of its requests.
    PermissionWithdrawn {
        request_id: Option<String>,
    },
    TeammateStatus {
        state: TeammateState,
        /// What it used since its last status (DU-3).
        used: UsageTotals,
    },
    /// The lead's scope; it is the teammate's too (PC-23).
    LeadScope {
        scope: Option<LeadScope>,
    },
    /// What a teammate did for the lead's plan (PC-30).
    WorkEvidence {
        evidence: Box<WorkEvidence>,
    },
    /// The team has ended: stop, keep everything.
    Shutdown,
    /// An invalid control message; it has no effect.
    Invalid {
        why: String,
    },
}

/// Current activity of a teammate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TeammateState {
    Working,
    Idle,
    /// The teammate's plan waits for the lead (PM-131).
    AwaitingApproval,
    /// The teammate's session has ended.
    Ended,
}

impl TeammateState {
    pub fn describe(self) -> &'static str {
        match self {
            TeammateState::Working => "working",
            TeammateState::Idle => "idle",
            TeammateState::AwaitingApproval => "waiting for your answer to its plan",
            TeammateState::Ended => "ended",
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ControlMessage {
    PlanApprovalRequest(PlanApprovalRequest),
    PlanApprovalResponse(PlanApprovalResponse),
    PermissionRequest(Box<PermissionRequest>),
    PermissionResponse(PermissionResponse),
    #[serde(rename_all = "camelCase")]
    PermissionWithdrawn {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    TeammateStatus {
        state: TeammateState,
        #[serde(default)]
        used: UsageTotals,
    },
    LeadScope {
        scope: Option<LeadScope>,
    },
    WorkEvidence {
        evidence: Box<WorkEvidence>,
    },
    Shutdown,
}

/// Parses a message. Only messages of kind control are parsed as more than text.
pub fn parse_content(message: &TeamMessage) -> MessageContent {
    match message.kind {
        MessageKind::Words | MessageKind::PlanningWords => MessageContent::Text,
        MessageKind::Control => match serde_json::from_str::<ControlMessage>(&message.text) {
            Ok(ControlMessage::PlanApprovalRequest(request)) => check_plan_request(message, request),
            Ok(ControlMessage::PlanApprovalResponse(response)) => MessageContent::PlanApprovalResponse(response),
            Ok(ControlMessage::PermissionRequest(request)) => match request.check_sender(message) {
                Ok(()) => MessageContent::PermissionRequest(request),
                Err(why) => MessageContent::Invalid { why: why.into() },
            },
            Ok(ControlMessage::PermissionResponse(response)) => MessageContent::PermissionResponse(response),
            Ok(ControlMessage::PermissionWithdrawn { request_id }) => {
                MessageContent::PermissionWithdrawn { request_id }
            }
            Ok(ControlMessage::TeammateStatus { used, .. }) if !used.is_plausible() => {
                MessageContent::Invalid { why: "its usage can't be right".into() }
            }
            Ok(ControlMessage::TeammateStatus { state, used }) => MessageContent::TeammateStatus { state, used },
            Ok(ControlMessage::LeadScope { scope }) => MessageContent::LeadScope { scope },
            Ok(ControlMessage::WorkEvidence { evidence }) => MessageContent::WorkEvidence { evidence },
            Ok(ControlMessage::Shutdown) => MessageContent::Shutdown,
            Err(error) => MessageContent::Invalid { why: error.to_string() },
        },
    }
}

impl MessageContent {
    /// Short description of a control message for a user; `None` for plain text.
    pub fn describe(&self) -> Option<String> {
        let about = match self {
            MessageContent::Text => return None,
            MessageContent::PlanApprovalRequest(_) => "asks for approval of its plan",
            MessageContent::PlanApprovalResponse(response) => return Some(response.describe()),
            MessageContent::PermissionRequest(_) => "asks for permission for a call",
            MessageContent::PermissionResponse(_) => "answers a permission request",
            MessageContent::PermissionWithdrawn { .. } => "withdraws its request",
            MessageContent::TeammateStatus { state, .. } => state.describe(),
            MessageContent::LeadScope { .. } => "shares the scope of its plan",
            MessageContent::WorkEvidence { .. } => "worked on the plan",
            MessageContent::Shutdown => "ends the team",
            MessageContent::Invalid { .. } => "sends an invalid message",
        };
        Some(about.to_string())
    }
    /// Serializes a control message; `None` for plain text and invalid messages.
    pub fn to_control_text(self) -> Option<String> {
        let form = match self {
            MessageContent::PlanApprovalRequest(request) => ControlMessage::PlanApprovalRequest(request),
            MessageContent::PlanApprovalResponse(response) => ControlMessage::PlanApprovalResponse(response),
            MessageContent::PermissionRequest(request) => ControlMessage::PermissionRequest(request),
            MessageContent::PermissionResponse(response) => ControlMessage::PermissionResponse(response),
            MessageContent::PermissionWithdrawn { request_id } => ControlMessage::PermissionWithdrawn { request_id },
            MessageContent::TeammateStatus { state, used } => ControlMessage::TeammateStatus { state, used },
            MessageContent::LeadScope { scope } => ControlMessage::LeadScope { scope },
            MessageContent::WorkEvidence { evidence } => ControlMessage::WorkEvidence { evidence },
            MessageContent::Shutdown => ControlMessage::Shutdown,
            MessageContent::Text | MessageContent::Invalid { .. } => return None,
        };
        serde_json::to_string(&form).ok()
    }
}

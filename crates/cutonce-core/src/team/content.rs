//! Content of a team message: text, or one of the control messages that the program itself sends (PM-131,
//! PM-132).

use super::approval_requests::{TeamRequest, TeamResponse};
use super::message::{MessageKind, TeamMessage};
use super::{LeadScope, WorkEvidence};
use crate::protocol::usage_totals::UsageTotals;
use serde::{Deserialize, Serialize};

/// What a received message means.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageContent {
    Text,
    Control(ControlMessage),
    /// An invalid control message; it has no effect.
    Invalid {
        why: String,
    },
}

/// A message that the program sends, as JSON with a `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ControlMessage {
    /// The teammate withdraws this request; `None` withdraws all of its calls.
    #[serde(rename_all = "camelCase")]
    PermissionWithdrawn {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
    },
    TeammateStatus {
        state: TeammateState,
        /// What it used since its last status (DU-3).
        #[serde(default)]
        used: UsageTotals,
    },
    /// The lead's scope; it is the teammate's too (PC-23).
    LeadScope { scope: Option<LeadScope> },
    /// What a teammate did for the lead's plan (PC-30).
    WorkEvidence { evidence: Box<WorkEvidence> },
    /// The team has ended: stop, keep everything.
    Shutdown,
    /// A teammate needs its lead for a plan or a call.
    #[serde(untagged)]
    Request(TeamRequest),
    #[serde(untagged)]
    Response(TeamResponse),
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

/// Parses a message. Only messages of kind control are parsed as more than text.
pub fn parse_content(message: &TeamMessage) -> MessageContent {
    match message.kind {
        MessageKind::Words | MessageKind::PlanningWords => MessageContent::Text,
        MessageKind::Control => match serde_json::from_str::<ControlMessage>(&message.text) {
            Ok(control) => match control.check(message) {
                Ok(()) => MessageContent::Control(control),
                Err(why) => MessageContent::Invalid { why: why.into() },
            },
            Err(error) => MessageContent::Invalid { why: error.to_string() },
        },
    }
}

impl ControlMessage {
    /// Checks what a sender could claim about itself.
    fn check(&self, message: &TeamMessage) -> Result<(), &'static str> {
        match self {
            ControlMessage::Request(request) => request.check(message),
            ControlMessage::TeammateStatus { used, .. } if !used.is_plausible() => Err("its usage can't be right"),
            ControlMessage::Response(_)
            | ControlMessage::PermissionWithdrawn { .. }
            | ControlMessage::TeammateStatus { .. }
            | ControlMessage::LeadScope { .. }
            | ControlMessage::WorkEvidence { .. }
            | ControlMessage::Shutdown => Ok(()),
        }
    }

    /// Short description for a user.
    pub fn describe(&self) -> String {
        let about = match self {
            ControlMessage::Request(request) => request.describe(),
            ControlMessage::Response(response) => return response.describe(),
            ControlMessage::PermissionWithdrawn { .. } => "withdraws its request",
            ControlMessage::TeammateStatus { state, .. } => state.describe(),
            ControlMessage::LeadScope { .. } => "shares the scope of its plan",
            ControlMessage::WorkEvidence { .. } => "worked on the plan",
            ControlMessage::Shutdown => "ends the team",
        };
        about.to_string()
    }

    /// The text of a message of kind control.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

impl MessageContent {
    /// Short description of a control message for a user; `None` for plain text.
    pub fn describe(&self) -> Option<String> {
        match self {
            MessageContent::Text => None,
            MessageContent::Control(control) => Some(control.describe()),
            MessageContent::Invalid { .. } => Some("sends an invalid message".into()),
        }
    }
}

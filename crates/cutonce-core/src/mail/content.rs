//! What a message says: words, or one of the few things that the program itself says to a lead or a teammate (PM-131, PM-132).

use super::message::{Message, MessageKind};
use super::permission::{PermissionRequest, PermissionResponse};
use crate::mode::Mode;
use crate::plan;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Words,
    PlanApprovalRequest(PlanApprovalRequest),
    PlanApprovalResponse(PlanApprovalResponse),
    /// A call of a teammate needs a yes of the lead's user.
    PermissionRequest(Box<PermissionRequest>),
    PermissionResponse(PermissionResponse),
    /// The teammate does not wait for this one any more; None: for none that it asked so far.
    PermissionWithdrawn {
        request_id: Option<String>,
    },
    TeammateStatus {
        state: TeammateState,
    },
    /// The team is over: end, keeping everything.
    Shutdown,
    /// A control message that can't be read changes nothing.
    Broken {
        why: String,
    },
}

/// PM-131.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanApprovalRequest {
    pub from: String,
    pub timestamp: String,
    pub plan_file_path: String,
    pub plan_content: String,
    pub sha256: String,
    pub request_id: String,
}

/// PM-132. `plan_content`: the plan as the lead's user edited it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanApprovalResponse {
    pub request_id: String,
    pub approved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_content: Option<String>,
}

/// What a teammate does, for whoever looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TeammateState {
    Working,
    Idle,
    /// Its plan waits for the lead (PM-131).
    AwaitingApproval,
    /// Its session is over.
    Ended,
}

impl TeammateState {
    pub fn describe(self) -> &'static str {
        match self {
            TeammateState::Working => "working",
            TeammateState::Idle => "idle",
            TeammateState::AwaitingApproval => "waits for your answer to its plan",
            TeammateState::Ended => "ended",
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Form {
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
    },
    Shutdown,
}

/// What this message says. Only what the program marked as its own is read as more than words.
pub fn content(message: &Message) -> Content {
    match message.kind {
        MessageKind::Words | MessageKind::PlanningWords => Content::Words,
        MessageKind::Control => match serde_json::from_str::<Form>(&message.text) {
            Ok(Form::PlanApprovalRequest(request)) => checked(message, request),
            Ok(Form::PlanApprovalResponse(response)) => Content::PlanApprovalResponse(response),
            Ok(Form::PermissionRequest(request)) => match request.check(message) {
                Ok(()) => Content::PermissionRequest(request),
                Err(why) => Content::Broken { why: why.into() },
            },
            Ok(Form::PermissionResponse(response)) => Content::PermissionResponse(response),
            Ok(Form::PermissionWithdrawn { request_id }) => Content::PermissionWithdrawn { request_id },
            Ok(Form::TeammateStatus { state }) => Content::TeammateStatus { state },
            Ok(Form::Shutdown) => Content::Shutdown,
            Err(error) => Content::Broken { why: error.to_string() },
        },
    }
}

/// A request is about the plan of its sender, and its hash is that plan's.
fn checked(message: &Message, request: PlanApprovalRequest) -> Content {
    let broken = |why: &str| Content::Broken { why: why.into() };
    if request.from != message.from {
        return broken("`from` is not the sender");
    }
    if !super::message::valid_id(&request.request_id) {
        return broken("`requestId` is no id");
    }
    if request.sha256 != plan::sha256(&request.plan_content) {
        return broken("`sha256` is not that of the plan");
    }
    if request.plan_file_path.len() > 4096 || !plan::exists(&request.plan_content) {
        return broken("there is no plan in it");
    }
    Content::PlanApprovalRequest(request)
}

impl Content {
    /// The text of a message with this content; None for what is not said by the program.
    pub fn text(self) -> Option<String> {
        let form = match self {
            Content::PlanApprovalRequest(request) => Form::PlanApprovalRequest(request),
            Content::PlanApprovalResponse(response) => Form::PlanApprovalResponse(response),
            Content::PermissionRequest(request) => Form::PermissionRequest(request),
            Content::PermissionResponse(response) => Form::PermissionResponse(response),
            Content::PermissionWithdrawn { request_id } => Form::PermissionWithdrawn { request_id },
            Content::TeammateStatus { state } => Form::TeammateStatus { state },
            Content::Shutdown => Form::Shutdown,
            Content::Words | Content::Broken { .. } => return None,
        };
        serde_json::to_string(&form).ok()
    }
}

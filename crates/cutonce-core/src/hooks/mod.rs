//! Hooks (HO-7): their events, input and answers. Commands and host callbacks give the same [`HookAnswer`]. A
//! reply can only block, ask, add context, or answer an ask of the mode.

mod answer;
mod matcher;

pub use answer::{HookAnswer, HookAnswerError, HookPermission, OnFailure};
pub use matcher::{HookMatcher, InvalidMatcher};

use crate::mode::Mode;
use serde::Serialize;
use serde_json::Value;

/// Events that run hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookEvent {
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    PermissionRequest,
    UserPromptSubmit,
    SessionStart,
    SessionEnd,
    Stop,
    SubagentStart,
    SubagentStop,
    PreCompact,
    Notification,
    PlanSubmitted,
    PlanDecided,
}

impl HookEvent {
    pub const ALL: [HookEvent; 14] = [
        HookEvent::PreToolUse,
        HookEvent::PostToolUse,
        HookEvent::PostToolUseFailure,
        HookEvent::PermissionRequest,
        HookEvent::UserPromptSubmit,
        HookEvent::SessionStart,
        HookEvent::SessionEnd,
        HookEvent::Stop,
        HookEvent::SubagentStart,
        HookEvent::SubagentStop,
        HookEvent::PreCompact,
        HookEvent::Notification,
        HookEvent::PlanSubmitted,
        HookEvent::PlanDecided,
    ];
    /// The name in settings and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            HookEvent::PreToolUse => "PreToolUse",
            HookEvent::PostToolUse => "PostToolUse",
            HookEvent::PostToolUseFailure => "PostToolUseFailure",
            HookEvent::PermissionRequest => "PermissionRequest",
            HookEvent::UserPromptSubmit => "UserPromptSubmit",
            HookEvent::SessionStart => "SessionStart",
            HookEvent::SessionEnd => "SessionEnd",
            HookEvent::Stop => "Stop",
            HookEvent::SubagentStart => "SubagentStart",
            HookEvent::SubagentStop => "SubagentStop",
            HookEvent::PreCompact => "PreCompact",
            HookEvent::Notification => "Notification",
            HookEvent::PlanSubmitted => "PlanSubmitted",
            HookEvent::PlanDecided => "PlanDecided",
        }
    }
    pub fn parse(name: &str) -> Option<HookEvent> {
        HookEvent::ALL.into_iter().find(|event| event.name() == name)
    }
}

/// The data of one hook event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "hook_event_name", rename_all_fields = "snake_case")]
pub enum HookPayload {
    /// A call of the model, before the permission decision.
    PreToolUse { tool_name: String, tool_input: Value, tool_use_id: String },
    /// A call that succeeded.
    PostToolUse { tool_name: String, tool_input: Value, tool_response: Value, tool_use_id: String, duration_ms: u64 },
    /// A call that ran and failed.
    PostToolUseFailure { tool_name: String, tool_input: Value, tool_use_id: String, error: String, duration_ms: u64 },
    /// The user is about to be asked whether a call may run. Plans have their own events.
    PermissionRequest { tool_name: String, tool_input: Value, tool_use_id: String, permission_suggestions: Vec<String> },
    /// A user message, before it is recorded or sent.
    UserPromptSubmit { prompt: String },
    /// A session starts; `source`: startup, resume, clear or compact.
    SessionStart { source: &'static str },
    /// A session ends; `reason`: clear or other.
    SessionEnd { reason: &'static str },
    /// The model wants to end its turn. `stop_hook_active`: a hook has already made it continue.
    Stop { stop_hook_active: bool, last_assistant_message: String },
    /// A subagent begins.
    SubagentStart { agent_id: String, agent_type: String },
    /// A subagent wants to end.
    SubagentStop { agent_id: String, agent_type: String, stop_hook_active: bool, last_assistant_message: String },
    /// The conversation is about to be compacted; `trigger`: manual or auto.
    PreCompact { trigger: &'static str, custom_instructions: String },
    /// Something waits for the user. `notification_type`: permission, question, enter_plan or plan.
    Notification { message: String, notification_type: &'static str },
    /// A plan is about to be shown to its approvers.
    PlanSubmitted { plan: Option<String>, plan_file_path: String, sha256: Option<String>, revision: u32 },
    /// A plan was decided. `decision`: approved, rejected, left or unanswered.
    PlanDecided {
        decision: &'static str,
        /// The mode after the decision.
        mode: Mode,
        #[serde(skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
        plan_file_path: String,
        sha256: Option<String>,
    },
}

impl HookPayload {
    pub fn event(&self) -> HookEvent {
        match self {
            HookPayload::PreToolUse { .. } => HookEvent::PreToolUse,
            HookPayload::PostToolUse { .. } => HookEvent::PostToolUse,
            HookPayload::PostToolUseFailure { .. } => HookEvent::PostToolUseFailure,
            HookPayload::PermissionRequest { .. } => HookEvent::PermissionRequest,
            HookPayload::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            HookPayload::SessionStart { .. } => HookEvent::SessionStart,
            HookPayload::SessionEnd { .. } => HookEvent::SessionEnd,
            HookPayload::Stop { .. } => HookEvent::Stop,
            HookPayload::SubagentStart { .. } => HookEvent::SubagentStart,
            HookPayload::SubagentStop { .. } => HookEvent::SubagentStop,
            HookPayload::PreCompact { .. } => HookEvent::PreCompact,
            HookPayload::Notification { .. } => HookEvent::Notification,
            HookPayload::PlanSubmitted { .. } => HookEvent::PlanSubmitted,
            HookPayload::PlanDecided { .. } => HookEvent::PlanDecided,
        }
    }
    /// The name that a matcher is compared with; `None` if the event has none.
    pub fn matcher_subject(&self) -> Option<&str> {
        match self {
            HookPayload::PreToolUse { tool_name, .. }
            | HookPayload::PostToolUse { tool_name, .. }
            | HookPayload::PostToolUseFailure { tool_name, .. }
            | HookPayload::PermissionRequest { tool_name, .. } => Some(tool_name),
            HookPayload::SessionStart { source } => Some(source),
            HookPayload::SessionEnd { reason } => Some(reason),
            HookPayload::SubagentStart { agent_type, .. } | HookPayload::SubagentStop { agent_type, .. } => {
                Some(agent_type)
            }
            HookPayload::PreCompact { trigger, .. } => Some(trigger),
            HookPayload::Notification { notification_type, .. } => Some(notification_type),
            HookPayload::PlanDecided { decision, .. } => Some(decision),
            HookPayload::UserPromptSubmit { .. } | HookPayload::Stop { .. } | HookPayload::PlanSubmitted { .. } => None,
        }
    }
    /// Id of the tool call, for hosts.
    pub fn tool_use_id(&self) -> Option<&str> {
        match self {
            HookPayload::PreToolUse { tool_use_id, .. }
            | HookPayload::PostToolUse { tool_use_id, .. }
            | HookPayload::PostToolUseFailure { tool_use_id, .. }
            | HookPayload::PermissionRequest { tool_use_id, .. } => Some(tool_use_id),
            HookPayload::UserPromptSubmit { .. }
            | HookPayload::SessionStart { .. }
            | HookPayload::SessionEnd { .. }
            | HookPayload::Stop { .. }
            | HookPayload::SubagentStart { .. }
            | HookPayload::SubagentStop { .. }
            | HookPayload::PreCompact { .. }
            | HookPayload::Notification { .. }
            | HookPayload::PlanSubmitted { .. }
            | HookPayload::PlanDecided { .. } => None,
        }
    }
}

/// Input of a hook: one JSON object.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HookInput {
    pub session_id: String,
    pub transcript_path: String,
    pub cwd: String,
    pub permission_mode: Mode,
    #[serde(flatten)]
    pub payload: HookPayload,
}

impl HookInput {
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;

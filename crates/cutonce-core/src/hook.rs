//! Hooks (HO-7): what a hook is told, when, and what its answer means. How it is reached (a command, a host) is not known
//! here; both give the same [`Reply`], and no reply can do more than block, ask, add words, or answer an ask of the mode.

mod matcher;
mod reply;

pub use matcher::Matcher;
pub use reply::{OnFailure, Permission, Reply};

use crate::mode::Mode;
use serde::Serialize;
use serde_json::Value;

/// The moments at which hooks run.
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

/// One moment, with what is to be known of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "hook_event_name", rename_all_fields = "snake_case")]
pub enum Moment {
    /// A call of the model, before anything is decided about it.
    PreToolUse { tool_name: String, tool_input: Value, tool_use_id: String },
    /// A call that ran and did not fail.
    PostToolUse { tool_name: String, tool_input: Value, tool_response: Value, tool_use_id: String, duration_ms: u64 },
    /// A call that ran and failed.
    PostToolUseFailure { tool_name: String, tool_input: Value, tool_use_id: String, error: String, duration_ms: u64 },
    /// Somebody is about to be asked whether a call may run. A plan is no such call: it has moments of its own.
    PermissionRequest { tool_name: String, tool_input: Value, tool_use_id: String, permission_suggestions: Vec<String> },
    /// The person's words, before they are recorded or sent.
    UserPromptSubmit { prompt: String },
    /// `source`: startup, resume, clear or compact.
    SessionStart { source: &'static str },
    /// `reason`: clear or other.
    SessionEnd { reason: &'static str },
    /// The model wants to end its turn. `stop_hook_active`: a hook has kept it going already.
    Stop { stop_hook_active: bool, last_assistant_message: String },
    /// A subagent begins.
    SubagentStart { agent_id: String, agent_type: String },
    /// A subagent wants to end.
    SubagentStop { agent_id: String, agent_type: String, stop_hook_active: bool, last_assistant_message: String },
    /// `trigger`: manual or auto.
    PreCompact { trigger: &'static str, custom_instructions: String },
    /// Something waits for the person. `notification_type`: permission, question, enter_plan or plan.
    Notification { message: String, notification_type: &'static str },
    /// A plan is about to be shown to whoever can approve it.
    PlanSubmitted { plan: Option<String>, plan_file_path: String, sha256: Option<String>, revision: u32 },
    /// What became of it. `decision`: approved, rejected, left or unanswered.
    PlanDecided {
        decision: &'static str,
        /// The mode from here on.
        mode: Mode,
        #[serde(skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
        plan_file_path: String,
        sha256: Option<String>,
    },
}

impl Moment {
    pub fn event(&self) -> HookEvent {
        match self {
            Moment::PreToolUse { .. } => HookEvent::PreToolUse,
            Moment::PostToolUse { .. } => HookEvent::PostToolUse,
            Moment::PostToolUseFailure { .. } => HookEvent::PostToolUseFailure,
            Moment::PermissionRequest { .. } => HookEvent::PermissionRequest,
            Moment::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            Moment::SessionStart { .. } => HookEvent::SessionStart,
            Moment::SessionEnd { .. } => HookEvent::SessionEnd,
            Moment::Stop { .. } => HookEvent::Stop,
            Moment::SubagentStart { .. } => HookEvent::SubagentStart,
            Moment::SubagentStop { .. } => HookEvent::SubagentStop,
            Moment::PreCompact { .. } => HookEvent::PreCompact,
            Moment::Notification { .. } => HookEvent::Notification,
            Moment::PlanSubmitted { .. } => HookEvent::PlanSubmitted,
            Moment::PlanDecided { .. } => HookEvent::PlanDecided,
        }
    }
    /// What a matcher is held against; None where there is nothing to choose from.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Moment::PreToolUse { tool_name, .. }
            | Moment::PostToolUse { tool_name, .. }
            | Moment::PostToolUseFailure { tool_name, .. }
            | Moment::PermissionRequest { tool_name, .. } => Some(tool_name),
            Moment::SessionStart { source } => Some(source),
            Moment::SessionEnd { reason } => Some(reason),
            Moment::SubagentStart { agent_type, .. } | Moment::SubagentStop { agent_type, .. } => Some(agent_type),
            Moment::PreCompact { trigger, .. } => Some(trigger),
            Moment::Notification { notification_type, .. } => Some(notification_type),
            Moment::PlanDecided { decision, .. } => Some(decision),
            Moment::UserPromptSubmit { .. } | Moment::Stop { .. } | Moment::PlanSubmitted { .. } => None,
        }
    }
    /// The call it is about, for hosts.
    pub fn tool_use_id(&self) -> Option<&str> {
        match self {
            Moment::PreToolUse { tool_use_id, .. }
            | Moment::PostToolUse { tool_use_id, .. }
            | Moment::PostToolUseFailure { tool_use_id, .. }
            | Moment::PermissionRequest { tool_use_id, .. } => Some(tool_use_id),
            Moment::UserPromptSubmit { .. }
            | Moment::SessionStart { .. }
            | Moment::SessionEnd { .. }
            | Moment::Stop { .. }
            | Moment::SubagentStart { .. }
            | Moment::SubagentStop { .. }
            | Moment::PreCompact { .. }
            | Moment::Notification { .. }
            | Moment::PlanSubmitted { .. }
            | Moment::PlanDecided { .. } => None,
        }
    }
}

/// What a hook reads: one JSON object.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HookInput {
    pub session_id: String,
    pub transcript_path: String,
    pub cwd: String,
    pub permission_mode: Mode,
    #[serde(flatten)]
    pub moment: Moment,
}

impl HookInput {
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;

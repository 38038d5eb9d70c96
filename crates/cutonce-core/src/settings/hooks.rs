//! Settings of hooks (HO-7), in the format of Claude Code.

use crate::hooks::{HookEvent, OnFailure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Commands by event; hooks of all settings files run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct HookSettings {
    /// Before a tool call is decided: may deny it, ask, change its input, or answer what the mode would ask.
    pub pre_tool_use: Vec<HookGroup>,
    /// After a successful tool call: may add text for the model or replace the output.
    pub post_tool_use: Vec<HookGroup>,
    /// After a failed tool call: may add text for the model.
    pub post_tool_use_failure: Vec<HookGroup>,
    /// Before you are asked whether a call may run: may deny it, or answer what only the mode asks, never in plan mode.
    pub permission_request: Vec<HookGroup>,
    /// Before your message is sent: may block it or add to it.
    pub user_prompt_submit: Vec<HookGroup>,
    /// At the start, and after /clear and a compaction: may add text for the model.
    pub session_start: Vec<HookGroup>,
    /// At the end, and before /clear.
    pub session_end: Vec<HookGroup>,
    /// Before a turn ends: may make it continue.
    pub stop: Vec<HookGroup>,
    /// When a subagent starts: may add text for it.
    pub subagent_start: Vec<HookGroup>,
    /// Before a subagent ends: may make it continue.
    pub subagent_stop: Vec<HookGroup>,
    /// Before the conversation is summarized: may block that or add to what the summary should keep.
    pub pre_compact: Vec<HookGroup>,
    /// When something is waiting for you.
    pub notification: Vec<HookGroup>,
    /// Before a plan is shown for approval: may send it back. It can't approve it.
    pub plan_submitted: Vec<HookGroup>,
    /// After you decided about a plan.
    pub plan_decided: Vec<HookGroup>,
}

impl HookSettings {
    pub fn groups_for(&self, event: HookEvent) -> &[HookGroup] {
        match event {
            HookEvent::PreToolUse => &self.pre_tool_use,
            HookEvent::PostToolUse => &self.post_tool_use,
            HookEvent::PostToolUseFailure => &self.post_tool_use_failure,
            HookEvent::PermissionRequest => &self.permission_request,
            HookEvent::UserPromptSubmit => &self.user_prompt_submit,
            HookEvent::SessionStart => &self.session_start,
            HookEvent::SessionEnd => &self.session_end,
            HookEvent::Stop => &self.stop,
            HookEvent::SubagentStart => &self.subagent_start,
            HookEvent::SubagentStop => &self.subagent_stop,
            HookEvent::PreCompact => &self.pre_compact,
            HookEvent::Notification => &self.notification,
            HookEvent::PlanSubmitted => &self.plan_submitted,
            HookEvent::PlanDecided => &self.plan_decided,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct HookGroup {
    /// Tools to match: names like `Edit|Write`, or a regular expression; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    pub hooks: Vec<HookCommand>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookCommand {
    #[serde(rename = "type", default)]
    pub kind: HookKind,
    /// A command line for `sh`; it gets JSON on standard input.
    pub command: String,
    /// Timeout in seconds; 60 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout: Option<u32>,
    /// What happens if the hook fails.
    #[serde(default)]
    pub on_failure: OnFailure,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HookKind {
    #[default]
    Command,
}

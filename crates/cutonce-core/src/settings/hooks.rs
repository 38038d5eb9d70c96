//! The settings of hooks (HO-7), in the shape that users of Claude Code know.

use crate::hook::{HookEvent, OnFailure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Commands by the moment at which they run; all sources together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct Hooks {
    /// Before a tool call is decided: may deny it, ask, change its input, or answer what the mode would ask.
    pub pre_tool_use: Vec<HookGroup>,
    /// After a tool call that did not fail: its words go to the model, beside the output or in its place.
    pub post_tool_use: Vec<HookGroup>,
    /// After a tool call that failed: its words go to the model.
    pub post_tool_use_failure: Vec<HookGroup>,
    /// Before you are asked whether a call may run: may deny it, or answer what only the mode asks, never in plan mode.
    pub permission_request: Vec<HookGroup>,
    /// Before your message is sent: may hold it back or add to it.
    pub user_prompt_submit: Vec<HookGroup>,
    /// At the start, and after /clear and a compaction: may add words.
    pub session_start: Vec<HookGroup>,
    /// At the end, and before /clear.
    pub session_end: Vec<HookGroup>,
    /// Before a turn ends: may keep it going.
    pub stop: Vec<HookGroup>,
    /// When a subagent begins: may add words for it.
    pub subagent_start: Vec<HookGroup>,
    /// Before a subagent ends: may keep it going.
    pub subagent_stop: Vec<HookGroup>,
    /// Before the conversation is summarised: may hold it off or add to what the summary should keep.
    pub pre_compact: Vec<HookGroup>,
    /// When something waits for you.
    pub notification: Vec<HookGroup>,
    /// Before a plan is shown for approval: may send it back. It can't approve it.
    pub plan_submitted: Vec<HookGroup>,
    /// After you decided about a plan.
    pub plan_decided: Vec<HookGroup>,
}

impl Hooks {
    pub fn of(&self, event: HookEvent) -> &[HookGroup] {
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
    /// Which tools: names like `Edit|Write`, or a regular expression; without it, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    pub hooks: Vec<HookCommand>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookCommand {
    #[serde(rename = "type", default)]
    pub kind: HookKind,
    /// A line for `sh`; it gets JSON on standard input.
    pub command: String,
    /// Seconds it may take; 60 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout: Option<u32>,
    /// What a failure of the hook means.
    #[serde(default)]
    pub on_failure: OnFailure,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HookKind {
    #[default]
    Command,
}

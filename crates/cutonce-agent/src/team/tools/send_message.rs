//! The SendMessage tool (TM-1), which also answers plans for the lead's model (PM-132).

use crate::team::{ApprovalInput, Membership, TeamError, TeamHandle};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::team::{LEAD_NAME, MAX_MESSAGE_BYTES, MessageKind};
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{Tool, ToolError, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) struct SendMessage(pub Arc<TeamHandle>);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SendMessageInput {
    to: String,
    text: Option<String>,
    #[serde(rename = "planApproval")]
    approval: Option<ApprovalInput>,
}

#[async_trait]
impl Tool for SendMessage {
    type Input = SendMessageInput;

    fn name(&self) -> &'static str {
        "SendMessage"
    }
    fn description(&self) -> &str {
        include_str!("send_message.md")
    }
    /// Sending changes nothing of the user's, but messages keep the order of the calls.
    fn read_only(&self, _input: &SendMessageInput) -> bool {
        true
    }
    fn parallel(&self, _input: &SendMessageInput) -> bool {
        false
    }
    fn access(&self, input: &SendMessageInput, _here: &ToolEnv) -> Result<Access, ToolError> {
        match (&input.text, &input.approval) {
            (Some(text), None) if text.trim().is_empty() || text.len() > MAX_MESSAGE_BYTES => Err(format!(
                "Invalid input: `text`: expected text of at most {MAX_MESSAGE_BYTES} bytes, got {}",
                text.len()
            )
            .into()),
            (None, None) => Err("Invalid input: expected `text` or `planApproval`".into()),
            (Some(_), Some(_)) => {
                Err("Invalid input: `text` and `planApproval` exclude each other; use `feedback` for text".into())
            }
            (Some(_), None) | (None, Some(_)) => Ok(Access::Internal),
        }
    }
    fn summary(&self, input: &SendMessageInput) -> String {
        format!("to {}", input.to)
    }
    async fn run(
        &self,
        input: SendMessageInput,
        _rights: CallRights,
        _here: &ToolEnv,
        _call: &CallContext,
    ) -> ToolOutcome {
        let Some(joined) = self.0.membership() else {
            return ToolOutcome::error("There is no team to send to. Create one with TeamCreate.");
        };
        let sent = match (input.approval, input.text) {
            (Some(approval), _) => self.0.answer_by_model(&joined, &input.to, approval).await,
            (None, text) => self.send_text(&joined, &input.to, text.unwrap_or_default()).await,
        };
        match sent {
            Ok(to) => ToolOutcome::text(format!("Sent to {to}.")),
            Err(why) => ToolOutcome::error(format!("Not sent: {why}.")),
        }
    }
}

impl SendMessage {
    async fn send_text(&self, joined: &Membership, to: &str, text: String) -> Result<String, TeamError> {
        let mut known: Vec<String> = match self.0.record() {
            Some(record) => record.members.into_iter().map(|member| member.name).collect(),
            None => joined.other_members().await.into_iter().chain([LEAD_NAME.to_string()]).collect(),
        };
        if to != "*" {
            if !known.iter().any(|name| name == to) {
                return Err(format!("the team has no member {to:?}; its members are {}", known.join(", ")).into());
            }
            known = vec![to.to_string()];
        }
        // PM-2: a lead in plan mode must not change anything through teammates either.
        let planning = joined.is_lead() && self.0.mode().mode.is_read_only();
        let kind = if planning { MessageKind::PlanningWords } else { MessageKind::Words };
        // What it asks for is done under the lead's scope (PC-23).
        self.0.share_scope().await?;
        for name in &known {
            joined.send_text(name, text.clone(), kind).await?;
        }
        Ok(known.join(", "))
    }
}

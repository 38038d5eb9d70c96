//! The SendMessage tool (TM-1), which also answers plans for the lead's model (PM-132).

use crate::team::{Membership, TeamError, TeamHandle};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_core::plan::mode::Mode;
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::team::{AnsweredBy, LEAD_NAME, MAX_MESSAGE_BYTES, MessageKind, PlanApprovalResponse};
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
    plan_approval: Option<PlanApproval>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PlanApproval {
    request_id: String,
    approved: bool,
    feedback: Option<String>,
    // The description names the two valid modes; the enum would also offer modes that no lead can grant.
    #[schemars(with = "Option<String>")]
    mode: Option<Mode>,
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
        match (&input.text, &input.plan_approval) {
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
        let sent = match (input.plan_approval, input.text) {
            (Some(approval), _) => self.answer_plan(&joined, &input.to, approval).await,
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
        let planning = joined.is_lead() && self.0.mode().mode == Mode::Plan;
        let kind = if planning { MessageKind::PlanningWords } else { MessageKind::Words };
        for name in &known {
            joined.send_text(name, text.clone(), kind).await?;
        }
        Ok(known.join(", "))
    }

    /// Answers a plan for the lead's model; never while the lead itself is in plan mode (PM-132).
    async fn answer_plan(&self, joined: &Membership, to: &str, approval: PlanApproval) -> Result<String, TeamError> {
        if !joined.is_lead() {
            return Err("only the lead can answer a plan".into());
        }
        let PlanApproval { request_id, approved, feedback, mode } = approval;
        let waits = crate::team::pending_plan_approvals(&self.0).find(&request_id).map(|request| request.from.clone());
        if waits.is_some_and(|from| from != to) {
            return Err(format!("the request {request_id} is not from {to}").into());
        }
        let choice = if approved { ChoiceKey::Default } else { ChoiceKey::KeepPlanning };
        let given = PlanAnswer { feedback: feedback.clone(), mode, ..PlanAnswer::new(&request_id, choice) };
        let response = PlanApprovalResponse { request_id, approved, feedback, mode, plan_content: None };
        self.0.answer_plan(AnsweredBy::Model, response, AskAnswer::Plan(given)).await
    }
}

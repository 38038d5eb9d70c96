//! SendMessage (TM-1), also the lead's model's answer to a plan (PM-132).

use crate::team::{Joined, Seat};
use async_trait::async_trait;
use cutonce_core::approval::{Answer as PlanAnswer, ChoiceKey};
use cutonce_core::mail::{Given, LEAD, LONGEST_TEXT, MessageKind, PlanApprovalResponse};
use cutonce_core::mode::Mode;
use cutonce_core::permission::{Access, Rights};
use cutonce_core::submission::Answer;
use cutonce_tools::tool::{CallContext, Here, Outcome, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) struct SendMessage(pub Arc<Seat>);

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
    // The description names the two that count; the enum would also offer what no lead can give.
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
    /// Nothing of the user's is changed; in the order of its calls all the same.
    fn read_only(&self, _input: &SendMessageInput) -> bool {
        true
    }
    fn parallel(&self, _input: &SendMessageInput) -> bool {
        false
    }
    fn touches(&self, input: &SendMessageInput, _here: &Here) -> Result<Access, String> {
        match (&input.text, &input.plan_approval) {
            (Some(text), None) if text.trim().is_empty() || text.len() > LONGEST_TEXT => {
                Err(format!("Invalid input: `text`: expected words, at most {LONGEST_TEXT} bytes, got {}", text.len()))
            }
            (None, None) => Err("Invalid input: expected `text` or `planApproval`".into()),
            (Some(_), Some(_)) => {
                Err("Invalid input: `text` and `planApproval` exclude each other; say it in `feedback`".into())
            }
            (Some(_), None) | (None, Some(_)) => Ok(Access::Internal),
        }
    }
    fn summary(&self, input: &SendMessageInput) -> String {
        format!("to {}", input.to)
    }
    async fn run(&self, input: SendMessageInput, _rights: Rights, _here: &Here, _call: &CallContext) -> Outcome {
        let Some(joined) = self.0.joined() else {
            return Outcome::error("There is no team to send to; TeamCreate makes one.");
        };
        let sent = match (input.plan_approval, input.text) {
            (Some(approval), _) => self.approve(&joined, &input.to, approval).await,
            (None, text) => self.say(&joined, &input.to, text.unwrap_or_default()).await,
        };
        match sent {
            Ok(to) => Outcome::text(format!("Sent to {to}.")),
            Err(why) => Outcome::error(format!("Not sent: {why}.")),
        }
    }
}

impl SendMessage {
    async fn say(&self, joined: &Joined, to: &str, text: String) -> Result<String, String> {
        let mut known: Vec<String> = match self.0.record() {
            Some(record) => record.members.into_iter().map(|member| member.name).collect(),
            None => joined.others().await.into_iter().chain([LEAD.to_string()]).collect(),
        };
        if to != "*" {
            if !known.iter().any(|name| name == to) {
                return Err(format!("the team has no {to:?}; there are {}", known.join(", ")));
            }
            known = vec![to.to_string()];
        }
        // PM-2: a lead that plans changes nothing through others either.
        let planning = joined.is_lead() && self.0.mode().mode == Mode::Plan;
        let kind = if planning { MessageKind::PlanningWords } else { MessageKind::Words };
        for name in &known {
            joined.say(name, text.clone(), kind).await.map_err(|error| error.to_string())?;
        }
        Ok(known.join(", "))
    }

    /// The lead's model answers a plan: never while the lead plans itself (PM-132).
    async fn approve(&self, joined: &Joined, to: &str, approval: PlanApproval) -> Result<String, String> {
        if !joined.is_lead() {
            return Err("only the lead can answer a plan".into());
        }
        let PlanApproval { request_id, approved, feedback, mode } = approval;
        let waits = crate::team::seat_desk(&self.0).find(&request_id).map(|request| request.from.clone());
        if waits.is_some_and(|from| from != to) {
            return Err(format!("the request {request_id} is not of {to}"));
        }
        let choice = if approved { ChoiceKey::Default } else { ChoiceKey::KeepPlanning };
        let given = PlanAnswer { feedback: feedback.clone(), mode, ..PlanAnswer::new(&request_id, choice) };
        let response = PlanApprovalResponse { request_id, approved, feedback, mode, plan_content: None };
        self.0.answer(Given::Model, response, Answer::Plan(given)).await
    }
}

//! Permission asks of teammates without a user of their own: the lead's user is asked, and the answer comes
//! back through the mailbox. The teammate then decides again under its current mode (PM-61).

use super::message::{TeamMessage, is_valid_id};
use crate::permission::{RuleSuggestion, Why};
use crate::protocol::event::AgentRef;
use crate::protocol::submission::AskAnswer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The call and the reason for asking, as shown to the lead's user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    pub from: String,
    pub timestamp: String,
    pub request_id: String,
    pub tool: String,
    pub input: Value,
    pub why: Why,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<RuleSuggestion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The teammate's subagent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
}

impl PermissionRequest {
    /// Checks that the request is of its sender and has a valid id and tool.
    pub(super) fn check(&self, message: &TeamMessage) -> Result<(), &'static str> {
        if self.from != message.from {
            return Err("`from` is not the sender");
        }
        if !is_valid_id(&self.request_id) {
            return Err("`requestId` is not a valid id");
        }
        if self.tool.is_empty() || self.tool.len() > 200 {
            return Err("it names no tool");
        }
        Ok(())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionResponse {
    pub request_id: String,
    pub answer: Box<AskAnswer>,
}

/// The teammate's side: asks that were sent to the lead and have no answer yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RelayedAsks(BTreeSet<String>);

impl RelayedAsks {
    pub fn add_ask(&mut self, request_id: &str) {
        self.0.insert(request_id.to_string());
    }
    /// Closes an ask without the lead's answer; false if it was not open.
    pub fn close_ask(&mut self, request_id: &str) -> bool {
        self.0.remove(request_id)
    }
    /// Applies the lead's answer; the caller has already checked the seal. Only the first answer to an open
    /// ask is accepted; the error says why an answer is ignored.
    pub fn accept_answer(&mut self, from_lead: bool, response: &PermissionResponse) -> Result<(), &'static str> {
        if !from_lead {
            return Err("only the lead can answer it");
        }
        if !matches!(*response.answer, AskAnswer::Permission(_) | AskAnswer::Host(_)) {
            return Err("it is neither allow nor deny");
        }
        match self.0.remove(&response.request_id) {
            true => Ok(()),
            false => Err("it answers no open request"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call_request, message};
    use super::super::{ControlMessage, LEAD_NAME, MessageContent, MessageKind, content::parse_content};
    use super::super::{TeamRequest, TeamResponse};
    use super::*;
    use crate::protocol::submission::PermissionAnswer;

    fn yes(id: &str) -> PermissionResponse {
        let answer = AskAnswer::Permission(PermissionAnswer::Allow { remember: Vec::new() });
        PermissionResponse { request_id: id.into(), answer: Box::new(answer) }
    }

    #[test]
    fn pm_61_only_the_leads_first_answer_is_accepted() {
        let mut relayed = RelayedAsks::default();
        relayed.add_ask("r-1");
        relayed.add_ask("r-2");
        assert!(relayed.accept_answer(false, &yes("r-1")).is_err(), "another teammate");
        assert!(relayed.accept_answer(true, &yes("r-9")).is_err(), "never asked");
        let no_answer =
            PermissionResponse { answer: Box::new(AskAnswer::Unusable { why: String::new() }), ..yes("r-1") };
        assert!(relayed.accept_answer(true, &no_answer).is_err());
        assert!(relayed.accept_answer(true, &yes("r-1")).is_ok());
        assert!(relayed.accept_answer(true, &yes("r-1")).is_err(), "repeated");
        assert!(relayed.close_ask("r-2") && !relayed.close_ask("r-2"));
        assert!(relayed.accept_answer(true, &yes("r-2")).is_err(), "stale");
    }

    #[test]
    fn tm_1_permission_messages_survive_a_round_trip() {
        let read = |from: &str, said: &ControlMessage| {
            parse_content(&message(from, LEAD_NAME, MessageKind::Control, &said.to_text().unwrap()))
        };
        let asked = |id: &str| ControlMessage::Request(TeamRequest::Call(Box::new(call_request("ann", id))));
        assert_eq!(read("ann", &asked("r-1")), MessageContent::Control(asked("r-1")));
        assert!(
            matches!(read("bob", &asked("r-1")), MessageContent::Invalid { .. }),
            "in the name of another teammate"
        );
        assert!(matches!(read("ann", &asked("../r")), MessageContent::Invalid { .. }));
        let given = ControlMessage::Response(TeamResponse::Call(yes("r-1")));
        assert_eq!(read(LEAD_NAME, &given), MessageContent::Control(given));
        let over = ControlMessage::PermissionWithdrawn { request_id: None };
        assert_eq!(read("ann", &over), MessageContent::Control(over));
    }
}

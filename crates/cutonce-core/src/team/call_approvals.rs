//! Permission asks of teammates without a user of their own: the lead's user is asked, and the answer comes
//! back through the mailbox. The teammate then decides again under its current mode (PM-61).

use super::message::{TeamMessage, is_valid_id};
use crate::permission::{RuleSuggestion, Why};
use crate::protocol::event::AgentRef;
use crate::protocol::submission::AskAnswer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum number of open requests per teammate.
const MAX_OPEN_REQUESTS: usize = 32;

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
    pub(super) fn check_sender(&self, message: &TeamMessage) -> Result<(), &'static str> {
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
    pub answer: AskAnswer,
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
        if !matches!(response.answer, AskAnswer::Permission(_) | AskAnswer::Host(_)) {
            return Err("it is neither allow nor deny");
        }
        match self.0.remove(&response.request_id) {
            true => Ok(()),
            false => Err("it answers no open request"),
        }
    }
}

/// The lead's side: open requests for its user, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PendingCallApprovals(Vec<PermissionRequest>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddRequestOutcome {
    New,
    /// The request was already here.
    Duplicate,
    TooMany,
}

impl PendingCallApprovals {
    pub fn requests(&self) -> &[PermissionRequest] {
        &self.0
    }
    pub fn find(&self, request_id: &str) -> Option<&PermissionRequest> {
        self.0.iter().find(|open| open.request_id == request_id)
    }
    pub fn add_request(&mut self, request: PermissionRequest) -> AddRequestOutcome {
        if self.find(&request.request_id).is_some() {
            return AddRequestOutcome::Duplicate;
        }
        if self.0.iter().filter(|open| open.from == request.from).count() >= MAX_OPEN_REQUESTS {
            return AddRequestOutcome::TooMany;
        }
        self.0.push(request);
        AddRequestOutcome::New
    }
    pub fn take_request(&mut self, request_id: &str) -> Option<PermissionRequest> {
        let at = self.0.iter().position(|open| open.request_id == request_id)?;
        Some(self.0.remove(at))
    }
    /// Removes a request that its sender withdrew; `None` removes all of that sender's. Others' requests
    /// stay.
    pub fn withdraw(&mut self, from: &str, request_id: Option<&str>) -> Vec<PermissionRequest> {
        let meant =
            |open: &mut PermissionRequest| open.from == from && request_id.is_none_or(|id| id == open.request_id);
        self.0.extract_if(.., meant).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LEAD_NAME, MessageContent, MessageKind, content::parse_content, tests::message};
    use super::*;
    use crate::protocol::submission::PermissionAnswer;

    fn request(from: &str, id: &str) -> PermissionRequest {
        PermissionRequest {
            from: from.into(),
            timestamp: String::new(),
            request_id: id.into(),
            tool: "Bash".into(),
            input: serde_json::json!({"command": "make"}),
            why: Why::from_reason("commands ask"),
            suggestions: Vec::new(),
            preview: Some("make".into()),
            agent: None,
        }
    }

    fn yes(id: &str) -> PermissionResponse {
        let answer = AskAnswer::Permission(PermissionAnswer::Allow { remember: Vec::new() });
        PermissionResponse { request_id: id.into(), answer }
    }

    #[test]
    fn pm_61_only_the_leads_first_answer_is_accepted() {
        let mut relayed = RelayedAsks::default();
        relayed.add_ask("r-1");
        relayed.add_ask("r-2");
        assert!(relayed.accept_answer(false, &yes("r-1")).is_err(), "another teammate");
        assert!(relayed.accept_answer(true, &yes("r-9")).is_err(), "never asked");
        let no_answer = PermissionResponse { answer: AskAnswer::Unusable { why: String::new() }, ..yes("r-1") };
        assert!(relayed.accept_answer(true, &no_answer).is_err());
        assert!(relayed.accept_answer(true, &yes("r-1")).is_ok());
        assert!(relayed.accept_answer(true, &yes("r-1")).is_err(), "repeated");
        assert!(relayed.close_ask("r-2") && !relayed.close_ask("r-2"));
        assert!(relayed.accept_answer(true, &yes("r-2")).is_err(), "stale");
    }

    #[test]
    fn tm_1_only_the_sender_withdraws_its_request() {
        let mut wanted = PendingCallApprovals::default();
        assert_eq!(
            [wanted.add_request(request("ann", "r-1")), wanted.add_request(request("ann", "r-1"))],
            [AddRequestOutcome::New, AddRequestOutcome::Duplicate]
        );
        wanted.add_request(request("bob", "r-2"));
        assert!(wanted.withdraw("bob", Some("r-1")).is_empty());
        assert_eq!(wanted.withdraw("bob", None), [request("bob", "r-2")]);
        assert_eq!(wanted.take_request("r-1"), Some(request("ann", "r-1")));
        for n in 0..MAX_OPEN_REQUESTS {
            assert_eq!(wanted.add_request(request("ann", &format!("f-{n}"))), AddRequestOutcome::New);
        }
        assert_eq!(
            [wanted.add_request(request("ann", "more")), wanted.add_request(request("bob", "one"))],
            [AddRequestOutcome::TooMany, AddRequestOutcome::New]
        );
    }

    #[test]
    fn tm_1_permission_messages_survive_a_round_trip() {
        let read = |from: &str, said: MessageContent| {
            let text = said.to_control_text().unwrap();
            parse_content(&message(from, LEAD_NAME, MessageKind::Control, &text))
        };
        let asked = MessageContent::PermissionRequest(Box::new(request("ann", "r-1")));
        assert_eq!(read("ann", asked.clone()), asked);
        assert!(matches!(read("bob", asked), MessageContent::Invalid { .. }), "in the name of another teammate");
        assert!(matches!(
            read("ann", MessageContent::PermissionRequest(Box::new(request("ann", "../r")))),
            MessageContent::Invalid { .. }
        ));
        let given = MessageContent::PermissionResponse(yes("r-1"));
        assert_eq!(read(LEAD_NAME, given.clone()), given);
        let over = MessageContent::PermissionWithdrawn { request_id: None };
        assert_eq!(read("ann", over.clone()), over);
    }
}

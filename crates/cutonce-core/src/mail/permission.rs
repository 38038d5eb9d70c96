//! A call of a teammate that needs a yes where nobody sits before it: the lead's user is asked, and the answer comes back through
//! the mailbox. It only answers: what it is worth is decided by the teammate anew, under its mode as of then (PM-61).

use super::message::{Message, valid_id};
use crate::event::AgentRef;
use crate::permission::{Suggestion, Why};
use crate::submission::Answer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// Open requests of one teammate at a time; a flood of them is no question.
const MOST: usize = 32;

/// What would run, and why it asks: all that the lead's user sees.
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
    pub suggestions: Vec<Suggestion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The teammate's subagent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
}

impl PermissionRequest {
    /// It is about a call of its sender, and can be answered.
    pub(super) fn check(&self, message: &Message) -> Result<(), &'static str> {
        if self.from != message.from {
            return Err("`from` is not the sender");
        }
        if !valid_id(&self.request_id) {
            return Err("`requestId` is no id");
        }
        if self.tool.is_empty() || self.tool.len() > 200 {
            return Err("there is no tool in it");
        }
        Ok(())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionResponse {
    pub request_id: String,
    pub answer: Answer,
}

/// The teammate's side: the asks that went to the lead and have no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relayed(BTreeSet<String>);

impl Relayed {
    pub fn asked(&mut self, request_id: &str) {
        self.0.insert(request_id.to_string());
    }
    /// It is over without the lead's answer. False: it was not open.
    pub fn closed(&mut self, request_id: &str) -> bool {
        self.0.remove(request_id)
    }
    /// The message is authentic: that was looked at before. The first answer of the lead to what is open counts; the error says
    /// why nothing changes.
    pub fn hear(&mut self, from_lead: bool, response: &PermissionResponse) -> Result<(), &'static str> {
        if !from_lead {
            return Err("only the lead can answer it");
        }
        match response.answer {
            Answer::Permission(_) | Answer::Host(_) => {}
            Answer::Questions(_) | Answer::Plan(_) | Answer::Unusable { .. } => return Err("it is no yes and no no"),
        }
        match self.0.remove(&response.request_id) {
            true => Ok(()),
            false => Err("it answers nothing that is open"),
        }
    }
}

/// The lead's side: what its user is asked, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wanted(Vec<PermissionRequest>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    New,
    /// It was here before.
    Again,
    TooMany,
}

impl Wanted {
    pub fn open(&self) -> &[PermissionRequest] {
        &self.0
    }
    pub fn find(&self, request_id: &str) -> Option<&PermissionRequest> {
        self.0.iter().find(|open| open.request_id == request_id)
    }
    pub fn put(&mut self, request: PermissionRequest) -> Put {
        if self.find(&request.request_id).is_some() {
            return Put::Again;
        }
        if self.0.iter().filter(|open| open.from == request.from).count() >= MOST {
            return Put::TooMany;
        }
        self.0.push(request);
        Put::New
    }
    pub fn take(&mut self, request_id: &str) -> Option<PermissionRequest> {
        let at = self.0.iter().position(|open| open.request_id == request_id)?;
        Some(self.0.remove(at))
    }
    /// Its sender does not wait for it any more; None: for none of its own. Nobody withdraws what another one asked.
    pub fn withdraw(&mut self, from: &str, request_id: Option<&str>) -> Vec<PermissionRequest> {
        let meant =
            |open: &mut PermissionRequest| open.from == from && request_id.is_none_or(|id| id == open.request_id);
        self.0.extract_if(.., meant).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Content, LEAD, MessageKind, content, tests::message};
    use super::*;
    use crate::submission::PermissionAnswer;

    fn request(from: &str, id: &str) -> PermissionRequest {
        PermissionRequest {
            from: from.into(),
            timestamp: String::new(),
            request_id: id.into(),
            tool: "Bash".into(),
            input: serde_json::json!({"command": "make"}),
            why: Why { reason: "commands ask".into(), rule: None, source: None },
            suggestions: Vec::new(),
            preview: Some("make".into()),
            agent: None,
        }
    }

    fn yes(id: &str) -> PermissionResponse {
        let answer = Answer::Permission(PermissionAnswer::Allow { remember: Vec::new() });
        PermissionResponse { request_id: id.into(), answer }
    }

    #[test]
    fn pm_61_only_the_leads_first_answer_to_what_is_open_counts() {
        let mut relayed = Relayed::default();
        relayed.asked("r-1");
        relayed.asked("r-2");
        assert!(relayed.hear(false, &yes("r-1")).is_err(), "another teammate");
        assert!(relayed.hear(true, &yes("r-9")).is_err(), "never asked");
        let no_answer = PermissionResponse { answer: Answer::Unusable { why: String::new() }, ..yes("r-1") };
        assert!(relayed.hear(true, &no_answer).is_err());
        assert!(relayed.hear(true, &yes("r-1")).is_ok());
        assert!(relayed.hear(true, &yes("r-1")).is_err(), "repeated");
        assert!(relayed.closed("r-2") && !relayed.closed("r-2"));
        assert!(relayed.hear(true, &yes("r-2")).is_err(), "stale");
    }

    #[test]
    fn tm_1_a_request_is_of_its_sender_once_and_withdrawn_by_it_only() {
        let mut wanted = Wanted::default();
        assert_eq!([wanted.put(request("ann", "r-1")), wanted.put(request("ann", "r-1"))], [Put::New, Put::Again]);
        wanted.put(request("bob", "r-2"));
        assert!(wanted.withdraw("bob", Some("r-1")).is_empty());
        assert_eq!(wanted.withdraw("bob", None), [request("bob", "r-2")]);
        assert_eq!(wanted.take("r-1"), Some(request("ann", "r-1")));
        for n in 0..MOST {
            assert_eq!(wanted.put(request("ann", &format!("f-{n}"))), Put::New);
        }
        assert_eq!([wanted.put(request("ann", "more")), wanted.put(request("bob", "one"))], [Put::TooMany, Put::New]);
    }

    #[test]
    fn tm_1_what_a_permission_message_says_survives_the_mailbox() {
        let read = |from: &str, said: Content| {
            let text = said.text().unwrap();
            content(&message(from, LEAD, MessageKind::Control, &text))
        };
        let asked = Content::PermissionRequest(Box::new(request("ann", "r-1")));
        assert_eq!(read("ann", asked.clone()), asked);
        assert!(matches!(read("bob", asked), Content::Broken { .. }), "in another one's name");
        assert!(matches!(
            read("ann", Content::PermissionRequest(Box::new(request("ann", "../r")))),
            Content::Broken { .. }
        ));
        let given = Content::PermissionResponse(yes("r-1"));
        assert_eq!(read(LEAD, given.clone()), given);
        let over = Content::PermissionWithdrawn { request_id: None };
        assert_eq!(read("ann", over.clone()), over);
    }
}

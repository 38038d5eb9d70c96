//! Restores a team's state from a transcript after a restart (TM-2): received messages, open and answered requests.

use cutonce_core::conversation::{Message, SharedMessage};
use cutonce_core::team::{PendingLeadAnswer, PendingRequests, TeamRequest, rendered_message_id};
use cutonce_core::transcript::EntryBody;
use std::collections::{BTreeMap, HashSet};

/// The kind of `ask` entries, and the key of `file_snapshot` entries, for a teammate's plan that waits for the lead.
/// The snapshot stores the request; its path is the request's id.
pub(crate) const TEAM_PLAN: &str = "team_plan";
/// Kind and key for a teammate's call that waits for the lead's user.
pub(crate) const TEAM_CALL: &str = "team_permission";

/// The kind of a request in the transcript.
pub(crate) fn entry_kind(request: &TeamRequest) -> &'static str {
    if request.is_plan() { TEAM_PLAN } else { TEAM_CALL }
}

/// The entries that store a request and that it is open.
pub(crate) fn request_entries(request: &TeamRequest) -> [EntryBody; 2] {
    let (key, path) = (entry_kind(request), request.id().to_string());
    let (content, sha256) = match request {
        TeamRequest::Plan(plan) => (serde_json::to_string(plan).ok(), Some(plan.sha256.clone())),
        TeamRequest::Call(call) => (serde_json::to_string(call).ok(), None),
    };
    let ask = EntryBody::Ask { ask_id: path.clone(), kind: key.into(), answer: None };
    [EntryBody::FileSnapshot { key: key.into(), path, content, sha256 }, ask]
}

fn stored_request(key: &str, content: &str) -> Option<TeamRequest> {
    match key {
        TEAM_PLAN => serde_json::from_str(content).ok().map(TeamRequest::Plan),
        TEAM_CALL => serde_json::from_str(content).ok().map(TeamRequest::Call),
        _ => None,
    }
}

/// The team state restored from a transcript, so that nothing is handled twice (TM-2).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TeamHistory {
    /// Ids of received messages.
    pub seen: HashSet<String>,
    /// Ids of answered asks.
    pub answered: HashSet<String>,
    /// Lead: requests without an answer. Teammate: its own plan without an answer.
    pub requests: PendingRequests,
    /// Teammate: the lead's answer it waits for.
    pub lead_answer: PendingLeadAnswer,
}

impl TeamHistory {
    /// Restores the state from transcript entries, oldest first.
    pub fn from_entries<'a>(entries: impl IntoIterator<Item = &'a EntryBody>) -> TeamHistory {
        let mut past = TeamHistory::default();
        let mut requests: BTreeMap<String, TeamRequest> = BTreeMap::new();
        let mut asked: Vec<String> = Vec::new();
        for body in entries {
            match body {
                EntryBody::User { text, meta: true, .. } => {
                    past.seen.extend(rendered_message_id(text).map(str::to_string))
                }
                EntryBody::FileSnapshot { key, content: Some(content), .. } => {
                    let stored = stored_request(key, content);
                    requests.extend(stored.map(|request| (request.id().to_string(), request)));
                }
                EntryBody::Ask { ask_id, kind, answer } if kind == TEAM_PLAN || kind == TEAM_CALL => match answer {
                    None => asked.push(ask_id.clone()),
                    Some(_) => {
                        past.answered.insert(ask_id.clone());
                    }
                },
                _ => {}
            }
        }
        for request in asked.iter().filter(|id| !past.answered.contains(*id)).filter_map(|id| requests.get(id)) {
            if let TeamRequest::Plan(plan) = request {
                past.lead_answer.open_for(&plan.request_id, &plan.sha256);
            }
            past.requests.add(request.clone());
        }
        past
    }
}

/// True if the conversation created a team and did not delete it.
pub(crate) fn led_a_team(conversation: &[SharedMessage]) -> bool {
    let mut calls: BTreeMap<&str, bool> = BTreeMap::new();
    let mut leads = false;
    for message in conversation {
        for call in message.tool_calls() {
            match call.name.as_str() {
                "TeamCreate" => calls.insert(&call.id, true),
                "TeamDelete" => calls.insert(&call.id, false),
                _ => None,
            };
        }
        if let Message::Tool(result) = &**message
            && let Some(created) = calls.get(result.call_id.as_str()).filter(|_| !result.is_error)
        {
            leads = *created;
        }
    }
    leads
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::protocol::submission::AskAnswer;
    use cutonce_core::team::PlanApprovalRequest;

    #[test]
    fn tm_2_restart_restores_messages_and_open_requests() {
        let kept = |id: &str, from: &str| {
            request_entries(&TeamRequest::Plan(PlanApprovalRequest {
                from: from.into(),
                timestamp: String::new(),
                plan_file_path: "/p".into(),
                plan_content: "# Plan".into(),
                sha256: "s".into(),
                request_id: id.into(),
            }))
        };
        let answer = Some(AskAnswer::Unusable { why: "for the test".into() });
        let answered = EntryBody::Ask { ask_id: "r-1".into(), kind: TEAM_PLAN.into(), answer };
        let text = "<teammate-message from=\"ann\" id=\"m-7\">\nhi\n</teammate-message>".to_string();
        let mail = EntryBody::User { text, images: Vec::new(), meta: true, plan_content: None };
        let mut entries = vec![mail];
        entries.extend(kept("r-1", "ann"));
        entries.push(answered);
        entries.extend(kept("r-2", "ann"));
        entries.extend(kept("r-3", "bob"));
        let past = TeamHistory::from_entries(&entries);
        assert!(past.seen.contains("m-7") && past.answered.contains("r-1"));
        assert_eq!(past.requests.requests().iter().map(TeamRequest::id).collect::<Vec<_>>(), ["r-2", "r-3"]);
        assert_eq!(past.lead_answer.open_request_id(), Some("r-3"));
    }
}

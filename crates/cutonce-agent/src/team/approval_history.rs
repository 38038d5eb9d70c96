//! Restores a team's state from a transcript after a restart (TM-2): received messages, open and answered requests.

use cutonce_core::conversation::{Message, SharedMessage};
use cutonce_core::team::{
    PendingCallApprovals, PendingLeadAnswer, PendingPlanApprovals, PermissionRequest, PlanApprovalRequest,
    rendered_message_id,
};
use cutonce_core::transcript::EntryBody;
use std::collections::{BTreeMap, HashSet};

/// The kind of `ask` entries for plans between lead and teammate.
pub(crate) const PLAN_ASK: &str = "team_plan";
/// The key of `file_snapshot` entries that store such a request; the path is the request's id.
pub(crate) const PLAN_REQUEST: &str = "team_plan";
/// The kind and key for a teammate's call that waits for the lead's user.
pub(crate) const CALL_REQUEST: &str = "team_permission";

/// The team state restored from a transcript, so that nothing is handled twice (TM-2).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TeamHistory {
    /// Ids of received messages.
    pub seen: HashSet<String>,
    /// Ids of answered asks.
    pub answered: HashSet<String>,
    /// Lead: plan requests without an answer.
    pub plan_approvals: PendingPlanApprovals,
    /// Lead: calls of teammates without an answer.
    pub call_approvals: PendingCallApprovals,
    /// Teammate: the lead's answer it waits for.
    pub lead_answer: PendingLeadAnswer,
}

impl TeamHistory {
    /// Restores the state from transcript entries, oldest first.
    pub fn from_entries<'a>(entries: impl IntoIterator<Item = &'a EntryBody>) -> TeamHistory {
        let mut past = TeamHistory::default();
        let mut requests: BTreeMap<String, PlanApprovalRequest> = BTreeMap::new();
        let mut calls: Vec<PermissionRequest> = Vec::new();
        let mut asked: Vec<String> = Vec::new();
        for body in entries {
            match body {
                EntryBody::User { text, meta: true, .. } => {
                    past.seen.extend(rendered_message_id(text).map(str::to_string))
                }
                EntryBody::FileSnapshot { key, content: Some(content), .. } if key == PLAN_REQUEST => {
                    if let Ok(request) = serde_json::from_str::<PlanApprovalRequest>(content) {
                        requests.insert(request.request_id.clone(), request);
                    }
                }
                EntryBody::FileSnapshot { key, content: Some(content), .. } if key == CALL_REQUEST => {
                    calls.extend(serde_json::from_str::<PermissionRequest>(content).ok());
                }
                EntryBody::Ask { ask_id, kind, answer: None } if kind == PLAN_ASK => asked.push(ask_id.clone()),
                EntryBody::Ask { ask_id, kind, answer: Some(_) } if kind == PLAN_ASK || kind == CALL_REQUEST => {
                    past.answered.insert(ask_id.clone());
                }
                _ => {}
            }
        }
        let open: Vec<_> = asked.iter().filter(|id| !past.answered.contains(*id)).collect();
        if let Some(last) = open.last().and_then(|id| requests.get(*id)) {
            past.lead_answer.open_for(&last.request_id, &last.sha256);
        }
        for request in open.into_iter().filter_map(|id| requests.get(id)) {
            past.plan_approvals.add_request(request.clone());
        }
        for call in calls.into_iter().filter(|call| !past.answered.contains(&call.request_id)) {
            past.call_approvals.add_request(call);
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

    #[test]
    fn tm_2_restart_restores_messages_and_open_requests() {
        let request = |id: &str, from: &str| PlanApprovalRequest {
            from: from.into(),
            timestamp: String::new(),
            plan_file_path: "/p".into(),
            plan_content: "# Plan".into(),
            sha256: "s".into(),
            request_id: id.into(),
        };
        let kept = |id: &str, from: &str| {
            let content = serde_json::to_string(&request(id, from)).ok();
            EntryBody::FileSnapshot { key: PLAN_REQUEST.into(), path: id.into(), content, sha256: None }
        };
        let ask = |id: &str, answered: bool| {
            let answer = answered.then(|| AskAnswer::Unusable { why: "for the test".into() });
            EntryBody::Ask { ask_id: id.into(), kind: PLAN_ASK.into(), answer }
        };
        let text = "<teammate-message from=\"ann\" id=\"m-7\">\nhi\n</teammate-message>".to_string();
        let mail = EntryBody::User { text, images: Vec::new(), meta: true, plan_content: None };
        let past = TeamHistory::from_entries(&[
            mail,
            kept("r-1", "ann"),
            ask("r-1", false),
            ask("r-1", true),
            kept("r-2", "ann"),
            ask("r-2", false),
            kept("r-3", "bob"),
            ask("r-3", false),
        ]);
        assert!(past.seen.contains("m-7") && past.answered.contains("r-1"));
        assert_eq!(
            past.plan_approvals.requests().iter().map(|open| open.request_id.as_str()).collect::<Vec<_>>(),
            ["r-2", "r-3"]
        );
        assert_eq!(past.lead_answer.open_request_id(), Some("r-3"));
    }
}

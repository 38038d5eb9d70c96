//! What a transcript tells a restarted lead or teammate (TM-2): which messages it has had, which plan waits, which was settled.

use cutonce_core::mail::{Desk, PermissionRequest, PlanApprovalRequest, Waiting, Wanted, shown_id};
use cutonce_core::transcript::Body;
use std::collections::{BTreeMap, HashSet};

/// The kind of an `ask` entry that is a plan between lead and teammate.
pub(crate) const ASK: &str = "team_plan";
/// The key of a `file_snapshot` entry that keeps such a request; its path is the request's id.
pub(crate) const REQUEST: &str = "team_plan";
/// Both for a call of a teammate that waits for the lead's user.
pub(crate) const CALL: &str = "team_permission";

/// What a transcript tells of a team: nothing is done twice (TM-2).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// Ids of messages that were taken in.
    pub seen: HashSet<String>,
    /// Ids of asks that were answered.
    pub settled: HashSet<String>,
    /// The lead's: requests that nobody answered.
    pub desk: Desk,
    /// The lead's: calls of teammates that nobody answered.
    pub wanted: Wanted,
    /// The teammate's: what it waits for.
    pub waiting: Waiting,
}

impl Past {
    /// From the entries of a transcript, oldest first.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a Body>) -> Past {
        let mut past = Past::default();
        let mut requests: BTreeMap<String, PlanApprovalRequest> = BTreeMap::new();
        let mut calls: Vec<PermissionRequest> = Vec::new();
        let mut asked: Vec<String> = Vec::new();
        for body in entries {
            match body {
                Body::User { text, meta: true, .. } => past.seen.extend(shown_id(text).map(str::to_string)),
                Body::FileSnapshot { key, content: Some(content), .. } if key == REQUEST => {
                    if let Ok(request) = serde_json::from_str::<PlanApprovalRequest>(content) {
                        requests.insert(request.request_id.clone(), request);
                    }
                }
                Body::FileSnapshot { key, content: Some(content), .. } if key == CALL => {
                    calls.extend(serde_json::from_str::<PermissionRequest>(content).ok());
                }
                Body::Ask { ask_id, kind, answer: None } if kind == ASK => asked.push(ask_id.clone()),
                Body::Ask { ask_id, kind, answer: Some(_) } if kind == ASK || kind == CALL => {
                    past.settled.insert(ask_id.clone());
                }
                _ => {}
            }
        }
        let open: Vec<_> = asked.iter().filter(|id| !past.settled.contains(*id)).collect();
        if let Some(last) = open.last().and_then(|id| requests.get(*id)) {
            past.waiting.submit(&last.request_id, &last.sha256);
        }
        for request in open.into_iter().filter_map(|id| requests.get(id)) {
            past.desk.asked(request.clone());
        }
        for call in calls.into_iter().filter(|call| !past.settled.contains(&call.request_id)) {
            past.wanted.put(call);
        }
        past
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::submission::Answer;

    #[test]
    fn tm_2_a_restarted_session_knows_what_it_had_and_what_is_open() {
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
            Body::FileSnapshot { key: REQUEST.into(), path: id.into(), content, sha256: None }
        };
        let ask = |id: &str, answered: bool| {
            let answer = answered.then(|| Answer::Unusable { why: "for the test".into() });
            Body::Ask { ask_id: id.into(), kind: ASK.into(), answer }
        };
        let text = "<teammate-message from=\"ann\" id=\"m-7\">\nhi\n</teammate-message>".to_string();
        let mail = Body::User { text, images: Vec::new(), meta: true, plan_content: None };
        let past = Past::of(&[
            mail,
            kept("r-1", "ann"),
            ask("r-1", false),
            ask("r-1", true),
            kept("r-2", "ann"),
            ask("r-2", false),
            kept("r-3", "bob"),
            ask("r-3", false),
        ]);
        assert!(past.seen.contains("m-7") && past.settled.contains("r-1"));
        assert_eq!(past.desk.open().iter().map(|open| open.request_id.as_str()).collect::<Vec<_>>(), ["r-2", "r-3"]);
        assert_eq!(past.waiting.open(), Some("r-3"));
    }
}

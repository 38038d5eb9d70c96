//! A waiting request in a form that leaves the process: for the review page and for other machines (RV-1, RV-3).

use crate::plan::PlanEvent;
use crate::plan::approval::{ChoiceKey, PlanAnswer, PlanExitRequest};
use crate::plan::rehearsal::RehearsalOrder;
use crate::protocol::answerer::Answerer;
use crate::protocol::event::{AskKind, AskView, Question};
use crate::protocol::rule_scopes::rule_scopes;
use crate::protocol::submission::{AskAnswer, PermissionAnswer, QuestionsAnswer, RememberedRule};
use serde::{Deserialize, Serialize};

/// A plan, a question or a call that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingRequest {
    pub ask_id: String,
    pub tool: String,
    /// The agent or teammate that asks; `None` for the session itself.
    pub asker: Option<String>,
    /// What would run or change.
    pub text: String,
    /// Milliseconds since 1970.
    pub since: u64,
    pub subject: WaitingSubject,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum WaitingSubject {
    Permission {
        /// Why the user is asked.
        why: String,
        /// What «don't ask again» can mean.
        scopes: Vec<RememberScope>,
    },
    Questions {
        questions: Vec<Question>,
    },
    EnterPlan,
    Plan {
        request: Box<PlanExitRequest>,
        /// The text of the last submission, for the diff.
        previous: Option<String>,
        draft: Option<PlanAnswer>,
    },
}

/// A scope of «don't ask again», with its label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RememberScope {
    pub label: String,
    pub remember: Vec<RememberedRule>,
}

impl WaitingRequest {
    pub fn new(ask: &AskView, since: u64) -> WaitingRequest {
        let subject = match &ask.kind {
            AskKind::Permission { why, suggestions, .. } => {
                let scopes = rule_scopes(suggestions).into_iter().map(|scope| RememberScope {
                    label: scope.label(&scope.rules.join(", ")),
                    remember: scope.remembered(),
                });
                WaitingSubject::Permission { why: why.reason.clone(), scopes: scopes.collect() }
            }
            AskKind::Questions(questions) => WaitingSubject::Questions { questions: questions.clone() },
            AskKind::EnterPlan => WaitingSubject::EnterPlan,
            AskKind::Plan { request, previous, draft } => {
                WaitingSubject::Plan { request: request.clone(), previous: previous.clone(), draft: draft.clone() }
            }
        };
        WaitingRequest {
            ask_id: ask.ask_id.clone(),
            tool: ask.tool.clone(),
            asker: ask.describe_asker(),
            // A plan is shown as such.
            text: if ask.exit_request().is_some() { String::new() } else { ask.request_text() },
            since,
            subject,
        }
    }

    /// The plan that waits, if the request is about one.
    pub fn plan(&self) -> Option<&PlanExitRequest> {
        match &self.subject {
            WaitingSubject::Plan { request, .. } => Some(request),
            WaitingSubject::Permission { .. } | WaitingSubject::Questions { .. } | WaitingSubject::EnterPlan => None,
        }
    }
}

/// What a session sends to programs that watch it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SessionNews {
    /// The first news.
    Hello {
        session: String,
        pid: u32,
        project: String,
    },
    Waiting(Box<WaitingRequest>),
    /// The request is closed: answered, or withdrawn (no answer).
    Closed {
        ask_id: String,
        by: Option<Answerer>,
        answer: Option<AskAnswer>,
    },
    /// Something happened to a plan.
    Plan {
        event: Box<PlanEvent>,
    },
    /// A turn began or ended.
    Working {
        working: bool,
    },
    /// The result of an answer from outside; `error` says why it was not taken.
    Taken {
        id: u64,
        error: Option<String>,
    },
}

/// An answer from outside of the session's process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewerAnswer {
    pub ask_id: String,
    /// Hash of the plan that the approver saw; an approval without it is refused.
    #[serde(default)]
    pub sha256: Option<String>,
    pub answer: AskAnswer,
}

/// What a reviewer outside of the process sends to a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReviewerMessage {
    /// Rehearse the plan that waits, or end a rehearsal (RH-1).
    Rehearse {
        rehearse: RehearsalOrder,
    },
    Answer(Box<ReviewerAnswer>),
}

/// Describes an answer briefly, for approvers that did not give it.
pub fn describe_answer(answer: Option<&AskAnswer>) -> String {
    match answer {
        None => "withdrawn".into(),
        Some(AskAnswer::Plan(answer)) => describe_plan_answer(answer).into(),
        Some(AskAnswer::Permission(PermissionAnswer::Allow { .. })) => "allowed".into(),
        Some(AskAnswer::Permission(PermissionAnswer::Deny { .. })) => "denied".into(),
        Some(AskAnswer::Questions(QuestionsAnswer::Answered { .. })) => "answered".into(),
        Some(AskAnswer::Questions(QuestionsAnswer::Skipped)) => "skipped".into(),
        Some(AskAnswer::Host(crate::protocol::host::HostAnswer::Allow { .. })) => "allowed".into(),
        Some(AskAnswer::Host(crate::protocol::host::HostAnswer::Deny { .. })) => "denied".into(),
        Some(AskAnswer::Unusable { why }) => format!("closed without an answer: {why}"),
    }
}

fn describe_plan_answer(answer: &PlanAnswer) -> &'static str {
    match answer.choice {
        ChoiceKey::AcceptEdits => "approved, edits are accepted automatically",
        ChoiceKey::Default => "approved, each edit is confirmed",
        ChoiceKey::Restore => "approved, back to the earlier mode",
        ChoiceKey::Clear => "approved, with a cleared context",
        ChoiceKey::KeepPlanning => "sent back, planning continues",
        ChoiceKey::Leave => "plan mode was left, the plan is kept",
    }
}

/// Says who answered and what (RV-3).
pub fn describe_closed(by: Option<&Answerer>, answer: Option<&AskAnswer>) -> String {
    match (by, answer) {
        (Some(by), Some(_)) => format!("Answered {}: {}.", by.describe(), describe_answer(answer)),
        (None, Some(_)) => format!("Already answered: {}.", describe_answer(answer)),
        (_, None) => "The request was withdrawn; it needs no answer.".into(),
    }
}

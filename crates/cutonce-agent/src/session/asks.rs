//! Open asks: what waits for a user or host, the first answer to each, and what happens without an approver.

use super::SessionState;
pub(super) use super::approval_asks::{OpenSubject, waiting_notice};
use super::parts::Approver;
use cutonce_core::call::{AskSubject, CallEvent, CallState, Refusal};
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::permission::{DeniedCall, PermissionAsk, Why, added_path};
use cutonce_core::protocol::event::{AskKind, AskView, EventKind, NoticeLevel, Question};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer, RememberedRule};
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::TurnEvent;
use serde_json::Value;
use std::sync::Arc;

/// The open asks of a session.
#[derive(Default)]
pub(super) struct Asks(pub(super) Vec<OpenAsk>, pub(super) super::review_answers::AnswerLog);

/// One ask.
pub(super) struct OpenAsk {
    pub id: String,
    /// The call of the batch that waits; `None` for a plan that waits after its turn (PM-80, PM-85), and for teammates.
    pub n: Option<usize>,
    pub subject: OpenSubject,
}

impl OpenAsk {
    /// An ask of a teammate: it does not belong to this session's turn, and none of its calls waits.
    pub fn of_team(id: &str, subject: OpenSubject) -> OpenAsk {
        OpenAsk { id: id.into(), n: None, subject }
    }
    fn is_of_team(&self) -> bool {
        self.subject.is_of_team()
    }
}

impl Asks {
    pub fn push(&mut self, ask: OpenAsk) {
        self.0.push(ask);
    }
    pub fn remove(&mut self, id: &str) {
        self.0.retain(|ask| ask.id != id);
    }
}

/// A call that waits, as front ends see it; `open_ask` adds the id.
pub(super) fn view(call_id: &str, tool: &str, input: &Value, kind: AskKind) -> AskView {
    let (call_id, tool, input) = (call_id.into(), tool.into(), input.clone());
    AskView { agent: None, ask_id: String::new(), call_id, tool, input, kind }
}

fn permission_kind(ask: &PermissionAsk, preview: Option<String>) -> AskKind {
    let (why, suggestions) = (ask.why.clone(), ask.suggestions.clone());
    AskKind::Permission { by: ask.cause.clone(), why, suggestions, preview, from: None }
}

fn questions_kind(input: &Value) -> AskKind {
    let questions = input.get("questions").cloned();
    let questions: Option<Vec<Question>> = questions.and_then(|value| serde_json::from_value(value).ok());
    AskKind::Questions(questions.unwrap_or_default())
}

impl SessionState {
    /// Asks about a call. Without an approver, the answer is no.
    pub(super) fn open_call_ask(&mut self, n: usize) {
        let Some(CallState::Asking { question, .. }) = self.calls.state(n) else { return };
        let (tool, input, call_id) = self.calls.facts(n);
        let (subject, kind, answerable) = match question {
            AskSubject::Permission(ask) => {
                let preview = self.calls.parsed(n).and_then(|call| call.preview(&self.context.env));
                let answerable = matches!(self.context.approver, Approver::Present | Approver::Lead);
                (OpenSubject::Permission, permission_kind(ask, preview), answerable)
            }
            AskSubject::Questions(allowed) => {
                let why = allowed.why.clone();
                self.record_decision(n, &why);
                self.question_asked();
                let answerable = self.context.approver == Approver::Present;
                (OpenSubject::Questions, questions_kind(&input), answerable)
            }
        };
        if !answerable || !self.closing.inbox_open {
            return self.step_call(n, CallEvent::Refused { by: Refusal::NoApprover, end_turn: false });
        }
        self.open_ask(n, subject, view(&call_id, &tool, &input, kind));
    }

    pub(super) fn open_ask(&mut self, n: usize, subject: OpenSubject, mut view: AskView) {
        // Not the call's id: some providers use ids more than once.
        view.ask_id = crate::new_id();
        self.append(EntryBody::Ask { ask_id: view.ask_id.clone(), kind: subject.kind().into(), answer: None });
        self.asks.push(OpenAsk { id: view.ask_id.clone(), n: Some(n), subject });
        let (kind, text) = waiting_notice(&view);
        self.emit(EventKind::Ask(Arc::new(view)));
        // The user of a teammate's asks is at the lead, and is notified there.
        if self.context.approver != Approver::Lead {
            self.notify_waiting(kind, text);
        }
    }

    /// Takes the first answer to an ask. A late answer, or one of the wrong kind, changes nothing.
    pub(super) fn answer(&mut self, ask_id: &str, answer: AskAnswer) {
        let Some(at) = self.asks.0.iter().position(|ask| ask.id == ask_id) else {
            if self.context.agents.as_ref().is_some_and(|agents| agents.forward_answer(ask_id, &answer)) {
                return;
            }
            return self.notice(NoticeLevel::Info, "That question is not open any more; the answer was ignored.");
        };
        if !self.asks.0[at].subject.accepts(&answer) {
            return self.notice(NoticeLevel::Warning, "The answer does not fit the question; the question stays open.");
        }
        let ask = self.asks.0.remove(at);
        // The answer to a plan may be void or stale: it is recorded when its meaning is known.
        let Some((ask, answer)) = self.review_answered(ask, answer) else { return };
        match answer {
            // Recorded when it is in the teammate's mailbox.
            answer if matches!(ask.subject, OpenSubject::TeamCall) => self.team_call_answered(ask, answer),
            answer => {
                let (id, kind) = (ask.id.clone(), ask.subject.kind().to_string());
                self.append(EntryBody::Ask { ask_id: id.clone(), kind, answer: Some(answer.clone()) });
                self.close_ask(id, Some(answer.clone()));
                self.ask_answered(ask, answer);
            }
        }
    }

    fn ask_answered(&mut self, ask: OpenAsk, answer: AskAnswer) {
        let Some((ask, answer)) = self.session_tool_answered(ask, answer) else { return };
        match (answer, ask.n) {
            (AskAnswer::Host(answer), Some(n)) => self.host_answered(n, answer),
            (AskAnswer::Permission(answer), Some(n)) => self.permission_answered(n, answer),
            (AskAnswer::Questions(answer), Some(n)) => self.step_call(n, CallEvent::QuestionsAnswered(answer)),
            (_, Some(n)) => self.step_call(n, CallEvent::Refused { by: Refusal::Unusable, end_turn: false }),
            (_, None) => {}
        }
    }

    fn permission_answered(&mut self, n: usize, answer: PermissionAnswer) {
        match answer {
            PermissionAnswer::Allow { remember } => {
                remember.iter().for_each(|remember| self.remember(remember));
                let now = self.call_now(n);
                self.step_call(n, CallEvent::Approved { now, by: "the user allowed it" });
            }
            PermissionAnswer::Deny { message, interrupt } => {
                self.call_refused(n);
                self.step_call(n, CallEvent::Refused { by: Refusal::User { message }, end_turn: interrupt });
            }
        }
    }

    fn remember(&mut self, remember: &RememberedRule) {
        if let Some(path) = added_path(&remember.rule) {
            return self.extend_scope(path);
        }
        self.store_rule(remember.where_to, RuleBehavior::Allow, &remember.rule);
        // The copy of the rules that hides files stays correct: no deny rule comes from here.
        if let Err(error) = self.share_rule(&remember.rule) {
            self.notice(NoticeLevel::Warning, &format!("The rule {} was not stored: {error}", remember.rule));
        }
    }

    /// The approver is gone: closes every ask but those of teammates.
    pub(super) fn withdraw_asks(&mut self, reason: &str) {
        // The ask of a teammate does not belong to this turn.
        let own = self.asks.0.extract_if(.., |ask| !ask.is_of_team()).collect();
        self.withdraw(own, reason);
    }

    /// The turn was interrupted: closes the asks of its calls and of servers that they called. A plan that survived a
    /// crash still waits (PM-85).
    pub(super) fn withdraw_call_asks(&mut self, reason: &str) {
        let of_turn = |ask: &mut OpenAsk| ask.n.is_some() || matches!(ask.subject, OpenSubject::Elicitation(_));
        let own = self.asks.0.extract_if(.., of_turn).collect();
        self.withdraw(own, reason);
    }

    /// What these asks asked for is denied.
    fn withdraw(&mut self, own: Vec<OpenAsk>, reason: &str) {
        // At the end of the session, a plan keeps waiting for the next one (PM-80, PM-85).
        let leaving = self.closing.requested || !self.closing.inbox_open;
        for ask in own {
            if !leaving {
                self.record_review_closed(&ask, reason);
            }
            self.close_ask(ask.id.clone(), None);
            let denied = self.withdraw_review(&ask.subject, reason);
            match (ask.n, denied) {
                (Some(n), Some(message)) => self.deny_call(n, DeniedCall { why: Why::from_reason(reason), message }),
                (Some(n), None) => self.step_call(n, CallEvent::Withdrawn { reason: reason.into() }),
                (None, _) if ask.subject.holds_turn() => self.pending.push_back(TurnEvent::EndConfirmed),
                (None, _) => {}
            }
        }
    }
}

//! Open asks: what waits for a user or host, the first answer to each, and what happens without an approver.

use super::SessionState;
use super::parts::Approver;
use cutonce_core::call::{AskSubject, CallEvent, CallState, Refusal};
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::permission::{DeniedCall, PermissionAsk, Why};
use cutonce_core::plan;
use cutonce_core::plan::approval::{self, NoAnswer};
use cutonce_core::protocol::event::{AskKind, AskView, EventKind, NoticeLevel, Question};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer, RememberedRule};
use cutonce_core::transcript::{EntryBody, PLAN_ASK};
use cutonce_tools::tool::ToolOutcome;
use serde_json::Value;
use std::sync::Arc;

/// The open asks of a session.
#[derive(Default)]
pub(super) struct Asks(Vec<OpenAsk>);

/// One ask.
pub(super) struct OpenAsk {
    pub id: String,
    /// The call of the batch that waits; `None` for a plan that waits after its turn (PM-80, PM-85), and for teammates.
    pub n: Option<usize>,
    pub subject: OpenSubject,
}

/// What is asked.
pub(super) enum OpenSubject {
    /// Whether a call may run; the question itself is in the call's state.
    Permission,
    /// The questions of AskUserQuestion.
    Questions,
    EnterPlan,
    Plan(Box<approval::PlanExitRequest>),
    /// A teammate's plan, for the lead's user (PM-134).
    TeamPlan(Box<approval::PlanExitRequest>),
    /// A teammate's call, for the lead's user.
    TeamCall,
}

impl OpenSubject {
    /// The name of this kind of ask in the transcript.
    fn kind(&self) -> &'static str {
        match self {
            OpenSubject::Permission => "permission",
            OpenSubject::Questions => "questions",
            OpenSubject::EnterPlan => "enter_plan",
            OpenSubject::Plan(_) => PLAN_ASK,
            OpenSubject::TeamPlan(_) => crate::team::history::PLAN_ASK,
            OpenSubject::TeamCall => crate::team::history::CALL_REQUEST,
        }
    }
    fn accepts(&self, answer: &AskAnswer) -> bool {
        use OpenSubject::{EnterPlan, Permission, Plan, Questions, TeamCall, TeamPlan};
        match (self, answer) {
            (TeamPlan(_), AskAnswer::Plan(_)) => true,
            // Anything else leaves a teammate's plan open.
            (TeamPlan(_), _) => false,
            (_, AskAnswer::Unusable { .. }) => true,
            (Permission | EnterPlan | TeamCall, AskAnswer::Permission(_)) => true,
            (Questions, AskAnswer::Questions(_)) | (Plan(_), AskAnswer::Plan(_)) => true,
            (Permission | Questions | EnterPlan | TeamCall, AskAnswer::Host(_)) => true,
            (_, AskAnswer::Permission(_) | AskAnswer::Questions(_) | AskAnswer::Plan(_) | AskAnswer::Host(_)) => false,
        }
    }
}

impl OpenAsk {
    /// An ask of a teammate: it does not belong to this session's turn, and none of its calls waits.
    pub fn of_team(id: &str, subject: OpenSubject) -> OpenAsk {
        OpenAsk { id: id.into(), n: None, subject }
    }
    fn is_of_team(&self) -> bool {
        matches!(self.subject, OpenSubject::TeamPlan(_) | OpenSubject::TeamCall)
    }
}

impl Asks {
    pub fn push(&mut self, ask: OpenAsk) {
        self.0.push(ask);
    }
    pub fn remove(&mut self, id: &str) {
        self.0.retain(|ask| ask.id != id);
    }
    /// The ids of teammates' plans that wait.
    pub fn team_plans(&self) -> Vec<String> {
        let waits = self.0.iter().filter(|ask| matches!(ask.subject, OpenSubject::TeamPlan(_)));
        waits.map(|ask| ask.id.clone()).collect()
    }
    /// The id of this session's plan that waits.
    pub fn plan_id(&self) -> Option<String> {
        self.0.iter().find(|ask| matches!(ask.subject, OpenSubject::Plan(_))).map(|ask| ask.id.clone())
    }
    /// Separates a plan from its call, which gets a result while the plan waits; returns the call.
    pub fn detach_plan(&mut self, id: &str) -> Option<usize> {
        let plan = |ask: &&mut OpenAsk| ask.id == id && matches!(ask.subject, OpenSubject::Plan(_));
        self.0.iter_mut().find(plan)?.n.take()
    }
    /// Removes and returns the plan requests of this session.
    pub fn take_plans(&mut self) -> Vec<OpenAsk> {
        self.0.extract_if(.., |ask| matches!(ask.subject, OpenSubject::Plan(_))).collect()
    }
}

/// A call that waits, as front ends see it; `open_ask` adds the id.
fn view(call_id: &str, tool: &str, input: &Value, kind: AskKind) -> AskView {
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

/// The kind and the text of the notification about an ask.
pub(super) fn waiting_notice(view: &AskView) -> (&'static str, String) {
    match &view.kind {
        AskKind::Permission { .. } => {
            let of = view.describe_asker().map(|who| format!(" of {who}")).unwrap_or_default();
            ("permission", format!("{}{of} waits for your permission.", view.tool))
        }
        AskKind::Questions(_) => ("question", "A question waits for your answer.".into()),
        AskKind::EnterPlan => ("enter_plan", "The model wants to enter plan mode.".into()),
        AskKind::Plan { .. } => ("plan", "A plan waits for your approval.".into()),
    }
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
                self.phase(plan::PhaseEvent::QuestionAsked);
                let answerable = self.context.approver == Approver::Present;
                (OpenSubject::Questions, questions_kind(&input), answerable)
            }
        };
        if !answerable || !self.closing.inbox_open {
            return self.step_call(n, CallEvent::Refused { by: Refusal::NoApprover, end_turn: false });
        }
        self.open_ask(n, subject, view(&call_id, &tool, &input, kind));
    }

    fn open_ask(&mut self, n: usize, subject: OpenSubject, mut view: AskView) {
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
        match answer {
            // The answer to a plan may be void or stale: it is recorded when its meaning is known.
            AskAnswer::Plan(answer) if matches!(ask.subject, OpenSubject::TeamPlan(_)) => {
                self.team_plan_answered(ask, answer);
            }
            AskAnswer::Plan(answer) => self.plan_answered(ask, answer),
            // Recorded when it is in the teammate's mailbox.
            answer if matches!(ask.subject, OpenSubject::TeamCall) => self.team_call_answered(&ask.id, answer),
            answer => {
                let (id, kind) = (ask.id.clone(), ask.subject.kind().to_string());
                self.append(EntryBody::Ask { ask_id: id.clone(), kind, answer: Some(answer.clone()) });
                self.emit(EventKind::AskClosed { ask_id: id, answer: Some(answer.clone()) });
                self.ask_answered(ask, answer);
            }
        }
    }

    fn ask_answered(&mut self, ask: OpenAsk, answer: AskAnswer) {
        let OpenAsk { n, subject, .. } = ask;
        match (subject, answer, n) {
            (OpenSubject::EnterPlan, answer, Some(n)) => self.enter_answered(n, answer),
            (OpenSubject::Plan(request), AskAnswer::Unusable { why }, n) => {
                self.planner.approval.close_unanswered(NoAnswer::Unreadable(why.clone()));
                self.not_approved(n, &NoAnswer::Unreadable(why), &request.plan_file_path);
            }
            (_, AskAnswer::Host(answer), Some(n)) => self.host_answered(n, answer),
            (_, AskAnswer::Permission(answer), Some(n)) => self.permission_answered(n, answer),
            (_, AskAnswer::Questions(answer), Some(n)) => self.step_call(n, CallEvent::QuestionsAnswered(answer)),
            (_, AskAnswer::Plan(_) | AskAnswer::Unusable { .. }, Some(n)) => {
                self.step_call(n, CallEvent::Refused { by: Refusal::Unusable, end_turn: false });
            }
            (_, _, None) => {}
        }
    }

    /// PM-4: the settings want the user to be asked before the model enters plan mode.
    pub(super) fn ask_to_enter(&mut self, n: usize) {
        if self.context.approver != Approver::Present || !self.closing.inbox_open {
            return self.complete_call(n, ToolOutcome::text(plan::enter_declined()));
        }
        let view = view(&self.calls.id(n), plan::ENTER_PLAN_MODE, &serde_json::json!({}), AskKind::EnterPlan);
        self.open_ask(n, OpenSubject::EnterPlan, view);
    }

    fn permission_answered(&mut self, n: usize, answer: PermissionAnswer) {
        match answer {
            PermissionAnswer::Allow { remember } => {
                remember.iter().for_each(|remember| self.remember(remember));
                let now = self.call_now(n);
                self.step_call(n, CallEvent::Approved { now, by: "the user allowed it" });
            }
            PermissionAnswer::Deny { message, interrupt } => {
                self.step_call(n, CallEvent::Refused { by: Refusal::User { message }, end_turn: interrupt });
            }
        }
    }

    fn remember(&mut self, remember: &RememberedRule) {
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

    /// The turn was interrupted: closes the asks of its calls. A plan that survived a crash still waits (PM-85).
    pub(super) fn withdraw_call_asks(&mut self, reason: &str) {
        let own = self.asks.0.extract_if(.., |ask| ask.n.is_some()).collect();
        self.withdraw(own, reason);
    }

    /// What these asks asked for is denied.
    fn withdraw(&mut self, own: Vec<OpenAsk>, reason: &str) {
        // At the end of the session, a plan keeps waiting for the next one (PM-80, PM-85).
        let leaving = self.closing.requested || !self.closing.inbox_open;
        for OpenAsk { id, n, subject } in own {
            if matches!(subject, OpenSubject::Plan(_)) && !leaving {
                self.record_plan_closed(id.clone(), reason.into());
            }
            self.emit(EventKind::AskClosed { ask_id: id, answer: None });
            let message = match &subject {
                OpenSubject::Plan(request) => {
                    self.planner.approval.close_unanswered(NoAnswer::Interrupted);
                    // Nothing waits any more: back to the review phase (PM-140).
                    self.phase(plan::PhaseEvent::Rejected);
                    approval::not_approved_result(&NoAnswer::Failed(reason.into()), &request.plan_file_path)
                }
                _ => format!("Not run: {reason} before it was allowed."),
            };
            match (n, subject) {
                (Some(n), OpenSubject::Plan(_) | OpenSubject::EnterPlan) => {
                    self.deny_call(n, DeniedCall { why: Why::from_reason(reason), message });
                }
                (Some(n), _) => self.step_call(n, CallEvent::Withdrawn { reason: reason.into() }),
                (None, _) => {}
            }
        }
    }
}

//! What waits for a person: open asks, the first answer to each, and what becomes of them when nobody is left.

use super::Hall;
use super::options::Approver;
use cutonce_core::approval::{self, NoAnswer};
use cutonce_core::event::{AskKind, AskView, EndReason, EventKind, Level, Question};
use cutonce_core::hook::Reply;
use cutonce_core::mode::Mode;
use cutonce_core::permission::{Allowed, Ask, Denied, Why};
use cutonce_core::plan;
use cutonce_core::rule::Behavior;
use cutonce_core::submission::{Answer, PermissionAnswer, Remember};
use cutonce_core::transcript::Body;
use cutonce_tools::tool::{Call, Outcome};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

#[derive(Default)]
pub(super) struct Asks(Vec<OpenAsk>);

pub(super) struct OpenAsk {
    pub id: String,
    /// Which call of the batch waits; None for a plan's request that survived a crash (PM-85).
    pub n: Option<usize>,
    pub call: Option<Box<dyn Call>>,
    pub open: Open,
    /// It was asked in plan mode.
    pub planning: bool,
}

pub(super) enum Open {
    Permission(Ask),
    Questions(Allowed),
    EnterPlan,
    Plan(Box<approval::Request>),
    /// A teammate's plan, before the lead's user (PM-134).
    TeamPlan(Box<approval::Request>),
    /// A teammate's call, before the lead's user.
    TeamCall,
}

impl Open {
    /// Its name in the transcript.
    fn kind(&self) -> &'static str {
        match self {
            Open::Permission(_) => "permission",
            Open::Questions(_) => "questions",
            Open::EnterPlan => "enter_plan",
            Open::Plan(_) => "plan",
            Open::TeamPlan(_) => crate::team::past::ASK,
            Open::TeamCall => crate::team::past::CALL,
        }
    }
    fn takes(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Open::TeamPlan(_), Answer::Plan(_)) => true,
            // Whatever is no answer leaves a teammate's plan open.
            (Open::TeamPlan(_), _) => false,
            (_, Answer::Unusable { .. }) => true,
            (Open::Permission(_) | Open::EnterPlan | Open::TeamCall, Answer::Permission(_)) => true,
            (Open::Questions(_), Answer::Questions(_)) | (Open::Plan(_), Answer::Plan(_)) => true,
            (Open::Permission(_) | Open::Questions(_) | Open::EnterPlan | Open::TeamCall, Answer::Host(_)) => true,
            (_, Answer::Permission(_) | Answer::Questions(_) | Answer::Plan(_) | Answer::Host(_)) => false,
        }
    }
}

/// A call that waits, as faces see it; its id comes with `open_ask`.
fn view(call_id: &str, tool: &str, input: &Value, kind: AskKind) -> AskView {
    let (call_id, tool, input) = (call_id.into(), tool.into(), input.clone());
    AskView { agent: None, ask_id: String::new(), call_id, tool, input, kind }
}

impl OpenAsk {
    /// Of a teammate: it does not belong to this session's turn, and no call of it waits.
    pub(crate) fn of_team(id: &str, open: Open) -> OpenAsk {
        OpenAsk { id: id.into(), n: None, call: None, open, planning: false }
    }
    fn is_of_team(&self) -> bool {
        matches!(self.open, Open::TeamPlan(_) | Open::TeamCall)
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
    pub(crate) fn team_plans(&self) -> Vec<String> {
        let waits = self.0.iter().filter(|ask| matches!(ask.open, Open::TeamPlan(_)));
        waits.map(|ask| ask.id.clone()).collect()
    }
    /// The plan's requests; they are open no longer.
    pub(crate) fn take_plans(&mut self) -> Vec<OpenAsk> {
        self.0.extract_if(.., |ask| matches!(ask.open, Open::Plan(_))).collect()
    }
}

pub(super) fn permission_view(call_id: &str, tool: &str, input: &Value, ask: &Ask, preview: Option<String>) -> AskView {
    let (why, suggestions) = (ask.why.clone(), ask.suggestions.clone());
    view(call_id, tool, input, AskKind::Permission { by: ask.by.clone(), why, suggestions, preview, from: None })
}

pub(super) fn questions_view(call_id: &str, tool: &str, input: &Value) -> AskView {
    let questions: Vec<Question> =
        input.get("questions").cloned().and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
    view(call_id, tool, input, AskKind::Questions(questions))
}

/// What a notification says of an ask: its kind and a line.
pub(super) fn waits(view: &AskView) -> (&'static str, String) {
    match &view.kind {
        AskKind::Permission { .. } => {
            let of = view.asker().map(|who| format!(" of {who}")).unwrap_or_default();
            ("permission", format!("{}{of} waits for your permission.", view.tool))
        }
        AskKind::Questions(_) => ("question", "A question waits for your answer.".into()),
        AskKind::EnterPlan => ("enter_plan", "The model wants to enter plan mode.".into()),
        AskKind::Plan { .. } => ("plan", "A plan waits for your approval.".into()),
    }
}

impl Hall {
    pub(super) fn open_ask(&mut self, n: usize, call: Option<Box<dyn Call>>, open: Open, mut view: AskView) {
        // Not the call's id: some providers use theirs again.
        view.ask_id = crate::new_id();
        self.append(Body::Ask { ask_id: view.ask_id.clone(), kind: open.kind().into(), answer: None });
        let planning = self.mode.in_plan();
        self.asks.push(OpenAsk { id: view.ask_id.clone(), n: Some(n), call, open, planning });
        let (kind, what) = waits(&view);
        self.hub.emit(EventKind::Ask(Arc::new(view)));
        // Of a teammate's the person hears where the person is: at the lead.
        if self.approver != Approver::Lead {
            self.notify_hooks(kind, what);
        }
    }

    /// The first answer counts; one to an ask that is not open any more, or of the wrong kind, changes nothing.
    pub(super) fn answer(&mut self, ask_id: &str, answer: Answer) {
        let Some(at) = self.asks.0.iter().position(|ask| ask.id == ask_id) else {
            if self.agents.as_ref().is_some_and(|agents| agents.answer(ask_id, &answer)) {
                return;
            }
            return self.notice(Level::Info, "That question is not open any more; the answer was ignored.");
        };
        if !self.asks.0[at].open.takes(&answer) {
            return self.notice(Level::Warning, "The answer does not fit the question; the question stays open.");
        }
        let ask = self.asks.0.remove(at);
        match answer {
            // A plan's answer may be void or stale: what it means is decided before it is recorded.
            Answer::Plan(answer) if matches!(ask.open, Open::TeamPlan(_)) => self.team_plan_answered(ask, answer),
            Answer::Plan(answer) => self.plan_answered(ask, answer),
            // Recorded when it is in the teammate's mailbox.
            answer if matches!(ask.open, Open::TeamCall) => self.team_call_answered(&ask.id, answer),
            answer => {
                let (id, kind) = (ask.id.clone(), ask.open.kind().to_string());
                self.append(Body::Ask { ask_id: id.clone(), kind, answer: Some(answer.clone()) });
                self.hub.emit(EventKind::AskClosed { ask_id: id, answer: Some(answer.clone()) });
                self.closed(ask, answer);
            }
        }
    }

    fn closed(&mut self, ask: OpenAsk, answer: Answer) {
        let answer = match answer {
            Answer::Host(answer) => return self.host_answered(ask, answer),
            other => other,
        };
        let OpenAsk { n, call, open, planning, .. } = ask;
        match (open, answer, n, call) {
            // PM-61: plan mode came meanwhile, and a yes does not lift it.
            (Open::Permission(_), Answer::Permission(PermissionAnswer::Allow { .. }), Some(n), Some(call))
                if !planning && self.mode_as_of_now() == Mode::Plan =>
            {
                self.decide_again(n, call);
            }
            (Open::Permission(ask), Answer::Permission(answer), Some(n), Some(call)) => {
                self.permission_answered(n, call, ask, answer);
            }
            (Open::Questions(allowed), Answer::Questions(answer), Some(n), Some(call)) => {
                self.run_call(n, call, allowed, Some(answer));
            }
            (Open::EnterPlan, Answer::Permission(PermissionAnswer::Allow { .. }), Some(n), _) => self.enter_plan(n),
            (Open::EnterPlan, Answer::Permission(PermissionAnswer::Deny { .. }), Some(n), _) => {
                self.finish(n, Outcome::text(plan::enter_declined()), Duration::ZERO);
            }
            (Open::Plan(request), Answer::Unusable { why }, n, _) => {
                self.planner.approval.close(NoAnswer::Unreadable(why.clone()));
                self.not_approved(n, &NoAnswer::Unreadable(why), &request.plan_file_path);
            }
            (_, _, Some(n), _) => {
                let why = Why { reason: "the answer could not be used".into(), rule: None, source: None };
                self.deny_call(
                    n,
                    Denied { why, message: "Not run: the answer to the question could not be used.".into() },
                );
            }
            (_, _, None, _) => {}
        }
    }

    /// PM-4: the settings want to be asked before the model enters plan mode.
    pub(super) fn ask_to_enter(&mut self, n: usize) {
        if self.approver != Approver::Present {
            return self.finish(n, Outcome::text(plan::enter_declined()), Duration::ZERO);
        }
        let view = view(&self.call_id(n), plan::ENTER, &serde_json::json!({}), AskKind::EnterPlan);
        self.open_ask(n, None, Open::EnterPlan, view);
    }

    pub(super) fn permission_answered(&mut self, n: usize, call: Box<dyn Call>, ask: Ask, answer: PermissionAnswer) {
        match answer {
            PermissionAnswer::Allow { remember } => {
                remember.iter().for_each(|remember| self.remember(remember));
                // The world may have moved while the person thought: the facts must be the same, and the mode and the
                // rules as of now must still let a yes count (PM-16).
                match self.still_true(&*call, ask) {
                    Ok(ask) => {
                        let who = ask.answered("the user allowed it");
                        self.judge_call(n, call, &Reply::default(), Some(&who));
                    }
                    Err(text) => self.finish(n, Outcome::error(text), Duration::ZERO),
                }
            }
            PermissionAnswer::Deny { message, interrupt } => {
                let who = ask.answered("the user refused it");
                self.deny_call(n, ask.deny(who, &message));
                if interrupt {
                    self.end_asked(EndReason::Interrupted { in_tools: true });
                }
            }
        }
    }

    /// PR-6: what was approved is what runs. A path that resolves elsewhere now is not what the person saw.
    pub(super) fn still_true(&self, call: &dyn Call, ask: Ask) -> Result<Ask, String> {
        let now = self.refine(call.touches(&self.here)?);
        if ask.facts.access == now {
            Ok(ask)
        } else {
            Err("Not run: what this call would touch changed while it waited for permission. Look again and call it anew.".into())
        }
    }

    fn remember(&mut self, remember: &Remember) {
        if let Err(error) = self.places.remember(remember.where_to, Behavior::Allow, &remember.rule) {
            self.notice(Level::Warning, &format!("The rule {} holds for this session only: {error}", remember.rule));
        }
        // The rules that hide files are a copy: deny rules never come from here, so it stays true.
        if let Err(error) = self.share_rule(&remember.rule) {
            self.notice(Level::Warning, &format!("The rule {} was not stored: {error}", remember.rule));
        }
    }

    /// Asks that can't be answered any more fail closed.
    pub(super) fn withdraw_asks(&mut self, reason: &str) {
        // What a teammate asks does not belong to this turn.
        let own = self.asks.0.extract_if(.., |ask| !ask.is_of_team()).collect::<Vec<_>>();
        for OpenAsk { id, n, open, .. } in own {
            self.hub.emit(EventKind::AskClosed { ask_id: id, answer: None });
            let why = Why { reason: reason.into(), rule: None, source: None };
            let message = match &open {
                Open::Permission(_) | Open::EnterPlan => format!("Not run: {reason} before it was allowed."),
                Open::Questions(_) | Open::TeamPlan(_) | Open::TeamCall => format!("Not answered: {reason}."),
                Open::Plan(request) => {
                    self.planner.approval.close(NoAnswer::Interrupted);
                    // Nothing waits any more: back to review (PM-140).
                    self.phase(plan::PhaseEvent::Rejected);
                    approval::not_approved(&NoAnswer::Failed(reason.into()), &request.plan_file_path)
                }
            };
            if let Some(n) = n {
                self.deny_call(n, Denied { why, message });
            }
        }
    }
}

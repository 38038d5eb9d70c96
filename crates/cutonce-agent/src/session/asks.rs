//! What waits for a person: open asks, the first answer to each, and what becomes of them when nobody is left.

use super::Hall;
use cutonce_core::event::{AskKind, AskView, EndReason, EventKind, Level, Question};
use cutonce_core::permission::{Allowed, Ask, Denied, Why};
use cutonce_core::rule::Behavior;
use cutonce_core::submission::{Answer, PermissionAnswer, Remember, RememberIn};
use cutonce_core::transcript::Body;
use cutonce_core::turn::Happened;
use cutonce_tools::tool::{Call, Outcome};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

#[derive(Default)]
pub(super) struct Asks(Vec<OpenAsk>);

struct OpenAsk {
    id: String,
    n: usize,
    call: Box<dyn Call>,
    open: Open,
}

pub(super) enum Open {
    Permission(Ask),
    Questions(Allowed),
}

pub(super) fn permission_view(call_id: &str, tool: &str, input: &Value, ask: &Ask, preview: Option<String>) -> AskView {
    let kind = AskKind::Permission { why: ask.why.clone(), suggestions: ask.suggestions.clone(), preview };
    AskView { ask_id: String::new(), call_id: call_id.into(), tool: tool.into(), input: input.clone(), kind }
}

pub(super) fn questions_view(call_id: &str, tool: &str, input: &Value) -> AskView {
    let questions: Vec<Question> =
        input.get("questions").cloned().and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
    let kind = AskKind::Questions(questions);
    AskView { ask_id: String::new(), call_id: call_id.into(), tool: tool.into(), input: input.clone(), kind }
}

impl Hall {
    pub(super) fn open_ask(&mut self, n: usize, call: Box<dyn Call>, open: Open, mut view: AskView) {
        let kind = match &open {
            Open::Permission(_) => "permission",
            Open::Questions(_) => "questions",
        };
        // Not the call's id: some providers use theirs again.
        view.ask_id = crate::new_id();
        self.append(Body::Ask { ask_id: view.ask_id.clone(), kind: kind.into(), answer: None });
        self.asks.0.push(OpenAsk { id: view.ask_id.clone(), n, call, open });
        self.hub.emit(EventKind::Ask(Arc::new(view)));
    }

    /// The first answer counts; one to an ask that is not open any more, or of the wrong kind, changes nothing.
    pub(super) fn answer(&mut self, ask_id: &str, answer: Answer) {
        let Some(at) = self.asks.0.iter().position(|ask| ask.id == ask_id) else {
            return self.notice(Level::Info, "That question is not open any more; the answer was ignored.");
        };
        let fits = matches!(
            (&self.asks.0[at].open, &answer),
            (Open::Permission(_), Answer::Permission(_)) | (Open::Questions(_), Answer::Questions(_))
        );
        if !fits {
            return self.notice(Level::Warning, "The answer does not fit the question; the question stays open.");
        }
        let OpenAsk { id, n, call, open } = self.asks.0.remove(at);
        let kind = match &answer {
            Answer::Permission(_) => "permission",
            Answer::Questions(_) => "questions",
        };
        self.append(Body::Ask { ask_id: id.clone(), kind: kind.into(), answer: Some(answer.clone()) });
        self.hub.emit(EventKind::AskClosed { ask_id: id, answer: Some(answer.clone()) });
        match (open, answer) {
            (Open::Permission(ask), Answer::Permission(answer)) => self.permission_answered(n, call, ask, answer),
            (Open::Questions(allowed), Answer::Questions(answer)) => self.run_call(n, call, allowed, Some(answer)),
            (Open::Permission(_), Answer::Questions(_)) | (Open::Questions(_), Answer::Permission(_)) => {}
        }
    }

    fn permission_answered(&mut self, n: usize, call: Box<dyn Call>, ask: Ask, answer: PermissionAnswer) {
        match answer {
            PermissionAnswer::Allow { remember } => {
                remember.iter().for_each(|remember| self.remember(remember));
                // The world may have moved while the person thought: state the facts again, and ask again if they differ.
                match self.still_true(&*call, ask) {
                    Ok(ask) => self.run_call(n, call, ask.approve("the user allowed it"), None),
                    Err(text) => self.finish(n, Outcome::error(text), Duration::ZERO),
                }
            }
            PermissionAnswer::Deny { message, interrupt } => {
                self.deny_call(n, ask.deny("the user refused it", &message));
                if interrupt {
                    self.pending.push_back(Happened::EndAsked(EndReason::Interrupted { in_tools: true }));
                }
            }
        }
    }

    /// PR-6: what was approved is what runs. A path that resolves elsewhere now is not what the person saw.
    fn still_true(&self, call: &dyn Call, ask: Ask) -> Result<Ask, String> {
        let now = call.touches(&self.here)?;
        if ask.facts.access == now {
            Ok(ask)
        } else {
            Err("Not run: what this call would touch changed while it waited for permission. Look again and call it anew.".into())
        }
    }

    fn remember(&mut self, remember: &Remember) {
        let stored = match remember.where_to {
            RememberIn::Session => Ok(()),
            RememberIn::Local | RememberIn::Project | RememberIn::User => match self.places.file(remember.where_to) {
                Some(file) => crate::settings::remember(&file, Behavior::Allow, &remember.rule),
                None => Ok(()),
            },
        };
        if let Err(error) = stored {
            self.notice(Level::Warning, &format!("The rule {} holds for this session only: {error}", remember.rule));
        }
        if let Err(error) = self.rules.add_for_session(Behavior::Allow, &remember.rule) {
            self.notice(Level::Warning, &format!("The rule {} was not stored: {error}", remember.rule));
        }
    }

    /// Asks that can't be answered any more fail closed.
    pub(super) fn withdraw_asks(&mut self, reason: &str) {
        for OpenAsk { id, n, open, .. } in std::mem::take(&mut self.asks.0) {
            self.hub.emit(EventKind::AskClosed { ask_id: id, answer: None });
            let why = Why { reason: reason.into(), rule: None, source: None };
            let message = match open {
                Open::Permission(_) => format!("Not run: {reason} before it was allowed."),
                Open::Questions(_) => format!("Not answered: {reason}."),
            };
            self.deny_call(n, Denied { why, message });
        }
    }
}

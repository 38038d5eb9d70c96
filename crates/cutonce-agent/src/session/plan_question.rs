//! Questions of the program itself about the plan that is implemented: its budget (PC-12) and its freshness (PC-13).

use super::SessionState;
use super::asks::{OpenAsk, OpenSubject};
use super::parts::Approver;
use cutonce_core::protocol::event::{AskKind, AskView, EventKind, NoticeLevel, Question, QuestionOption};
use cutonce_core::protocol::submission::{AskAnswer, QuestionsAnswer};
use cutonce_core::turn::{TurnEvent, UserInput};
use serde_json::json;
use std::sync::Arc;

/// What the user is asked.
pub(super) struct PlanQuestion {
    pub subject: OpenSubject,
    pub header: &'static str,
    /// What happened, as a sentence.
    pub what: String,
    /// The question after it.
    pub question: String,
    /// What the user can do if no one can be asked now.
    pub otherwise: &'static str,
    pub options: Vec<QuestionOption>,
}

impl SessionState {
    /// Asks the user. False if no one can be asked: then a notice says how to continue.
    pub(super) fn ask_about_plan(&mut self, asked: PlanQuestion) -> bool {
        let PlanQuestion { subject, header, what, question, otherwise, options } = asked;
        if self.context.approver != Approver::Present || !self.closing.inbox_open {
            self.notice(NoticeLevel::Warning, &format!("{what} {otherwise}"));
            return false;
        }
        let question = format!("{what} {question}");
        let questions = vec![Question { question, header: header.into(), options, multi_select: false }];
        let ask_id = crate::new_id();
        self.asks.push(OpenAsk { id: ask_id.clone(), n: None, subject });
        self.emit(EventKind::Ask(Arc::new(AskView {
            agent: None,
            ask_id,
            call_id: String::new(),
            tool: "AskUserQuestion".into(),
            input: json!({"questions": questions}),
            kind: AskKind::Questions(questions),
        })));
        self.notify_waiting("question", what);
        true
    }

    /// The work continues with this message, in the turn that waits or in a new one.
    pub(super) fn continue_turn(&mut self, message: String) {
        self.pending.push_back(match self.turn.idle() {
            true => TurnEvent::Input(UserInput::meta(message)),
            false => TurnEvent::EndRefused { message },
        });
    }

    /// The questions are closed without an answer. The next message of the user answers them.
    pub(super) fn close_implementation_asks(&mut self) {
        for ask in self.asks.take_implementation_asks() {
            if let (OpenSubject::Stale, Some(work)) = (&ask.subject, &mut self.planner.work) {
                work.told_stale = true;
            }
            self.close_ask(ask.id, None);
        }
    }

    /// A message of the user grants the plan's budget again and accepts what changed under its steps.
    pub(super) fn user_continues(&mut self) {
        self.close_implementation_asks();
        if self.planner.work.as_mut().is_some_and(|work| std::mem::take(&mut work.told_stale)) {
            self.accept_stale();
        }
        self.grant_budget();
    }
}

pub(super) fn option(label: &str, description: impl Into<String>, preview: Option<String>) -> QuestionOption {
    QuestionOption { label: label.into(), description: description.into(), preview }
}

/// The label that the user chose, if it is a clear answer.
pub(super) fn chosen_option(answer: &AskAnswer) -> Option<&str> {
    match answer {
        AskAnswer::Questions(QuestionsAnswer::Answered { answers }) => match answers.first()?.as_slice() {
            [label] => Some(label),
            _ => None,
        },
        _ => None,
    }
}

//! The budget of an implementation (PC-12): at the budget the turn stops, and the user is asked.

use super::SessionState;
use super::asks::OpenSubject;
use super::parts::Approver;
use cutonce_core::protocol::event::{EndReason, NoticeLevel, Question, QuestionOption};
use cutonce_core::protocol::submission::{AskAnswer, QuestionsAnswer};
use cutonce_core::turn::{TurnEvent, UserInput};

const CONTINUE: &str = "Continue";
const STOP: &str = "Stop here";

impl SessionState {
    /// A turn stopped at the plan's budget. Without an approver a notice says how to continue.
    pub(super) fn budget_reached(&mut self, reason: &EndReason) {
        // A session over its own budget can't continue.
        let stopped = *reason == EndReason::MaxBudget && !self.over_budget();
        let Some((budget, spent)) = self.plan_budget().filter(|_| stopped) else { return };
        let used_up = format!("The plan's budget of ${budget:.2} is used up (${spent:.2} spent).");
        if self.context.approver != Approver::Present || !self.closing.inbox_open {
            return self
                .notice(NoticeLevel::Warning, &format!("{used_up} Send a message to continue with as much again."));
        }
        let option =
            |label: &str, description: String| QuestionOption { label: label.into(), description, preview: None };
        let question = Question {
            question: format!("{used_up} Continue with ${budget:.2} more?"),
            header: "Budget".into(),
            options: vec![
                option(CONTINUE, format!("The agent continues and stops again at ${budget:.2} more.")),
                option(STOP, "Nothing more runs until you send a message.".into()),
            ],
            multi_select: false,
        };
        self.ask_about_implementation(OpenSubject::Budget, question, used_up);
    }

    /// Only a clear yes continues.
    pub(super) fn budget_answered(&mut self, answer: &AskAnswer) {
        let AskAnswer::Questions(QuestionsAnswer::Answered { answers }) = answer else { return };
        if !answers.first().is_some_and(|given| given.len() == 1 && given[0] == CONTINUE) {
            return;
        }
        let text = "The user granted the plan's budget once more. Continue with the plan.";
        self.pending.push_back(TurnEvent::Input(UserInput::meta(text.to_string())));
    }

    /// A turn begins: a message of the user answers the questions about budget and freshness too.
    pub(super) fn close_implementation_asks(&mut self) {
        for ask in self.asks.take_implementation_asks() {
            if matches!(ask.subject, OpenSubject::Stale) {
                self.accept_stale();
            }
            self.close_ask(ask.id, None);
        }
    }
}

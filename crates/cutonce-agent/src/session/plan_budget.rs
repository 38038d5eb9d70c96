//! The budget of an implementation (PC-12): at the budget the turn stops, and the user is asked.

use super::SessionState;
use super::asks::OpenSubject;
use super::plan_question::{PlanQuestion, chosen_option, option};
use cutonce_core::protocol::event::EndReason;
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::turn::{TurnEvent, UserInput};

const CONTINUE: &str = "Continue";
const STOP: &str = "Stop here";

impl SessionState {
    /// A turn stopped at the plan's budget.
    pub(super) fn budget_reached(&mut self, reason: &EndReason) {
        // A session over its own budget can't continue.
        let stopped = *reason == EndReason::MaxBudget && !self.over_budget();
        let Some((budget, spent)) = self.plan_budget().filter(|_| stopped) else { return };
        self.ask_about_plan(PlanQuestion {
            subject: OpenSubject::Budget,
            header: "Budget",
            what: format!("The plan's budget of ${budget:.2} is used up (${spent:.2} spent)."),
            question: format!("Continue with ${budget:.2} more?"),
            otherwise: "Send a message to continue with as much again.",
            options: vec![
                option(CONTINUE, format!("The agent continues and stops again at ${budget:.2} more."), None),
                option(STOP, "Nothing more runs until you send a message.", None),
            ],
        });
    }

    /// Only a clear yes continues.
    pub(super) fn budget_answered(&mut self, answer: &AskAnswer) {
        if chosen_option(answer) == Some(CONTINUE) {
            let text = "The user granted the plan's budget once more. Continue with the plan.";
            self.pending.push_back(TurnEvent::Input(UserInput::meta(text.to_string())));
        }
    }
}

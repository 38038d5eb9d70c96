//! The budget of an implementation (PC-12): at the budget the turn stops, and the user is asked.

use super::SessionState;
use super::asks::OpenSubject;
use super::plan_question::{PlanQuestion, chosen_option, option};
use cutonce_core::protocol::event::EndReason;
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::turn::TurnEvent;

const CONTINUE: &str = "Continue";
const STOP: &str = "Stop here";

impl SessionState {
    /// The turn must stop. What the user can decide is asked first, while the turn waits: a host then gets the question
    /// before the turn's result.
    pub(super) fn confirm_stop(&mut self, reason: &EndReason) {
        if !(self.ask_about_budget(reason) || self.ask_about_stale()) {
            self.pending.push_back(TurnEvent::EndConfirmed);
        }
    }

    /// A turn stopped at the plan's budget. False if there is nothing to ask.
    fn ask_about_budget(&mut self, reason: &EndReason) -> bool {
        // A session over its own budget can't continue.
        if *reason != EndReason::MaxBudget || self.over_budget() {
            return false;
        }
        // A kill must not give the money back.
        self.record_spending();
        let Some((budget, spent)) = self.plan_budget() else { return false };
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
        })
    }

    /// Only a clear yes continues.
    pub(super) fn budget_answered(&mut self, answer: &AskAnswer) {
        if chosen_option(answer) != Some(CONTINUE) {
            return self.pending.push_back(TurnEvent::EndConfirmed);
        }
        self.grant_budget();
        self.continue_turn("The user granted the plan's budget once more. Continue with the plan.".into());
    }

    /// The user continues after the budget was used up: the same amount again.
    pub(super) fn grant_budget(&mut self) {
        if !self.context.standing.spend(0.0) {
            return;
        }
        self.record_spending();
        if let Some((budget, spent)) = self.plan_budget() {
            let grants = (spent / budget).floor().max(0.0) + 1.0;
            self.context.standing.set_budget(Some(budget * grants), spent);
        }
    }
}

//! The budget of an implementation (PC-12): at the budget the turn stops, and the user is asked.

use super::SessionState;
use super::asks::OpenSubject;
use super::events::TaskResult;
use super::plan_question::{PlanQuestion, chosen_option, option};
use cutonce_core::conversation::TokenUsage;
use cutonce_core::protocol::event::EndReason;
use cutonce_core::protocol::submission::AskAnswer;
use cutonce_core::turn::TurnEvent;

const CONTINUE: &str = "Continue";
const STOP: &str = "Stop here";

impl SessionState {
    /// True if the session and its subagents used the plan's budget up.
    pub(super) fn budget_used_up(&self) -> bool {
        self.context.standing.budget.spend(0.0)
    }

    /// Reserves the cost of the next request. True if a task waits until other requests are done: together they could
    /// exceed the plan's budget.
    pub(super) fn await_budget(&mut self) -> bool {
        self.tasks.reservation = None;
        match self.context.standing.budget.reserve(self.highest_cost()) {
            Ok(reservation) => self.tasks.reservation = Some(reservation),
            Err(mut changed) => {
                self.start_task(async move {
                    let _ = changed.changed().await;
                    TaskResult::BudgetChanged
                });
                return true;
            }
        }
        false
    }

    /// The most that the next request can cost: all of its input is new, and the answer is as long as it may be.
    fn highest_cost(&self) -> f64 {
        let connected = &self.model.connected;
        let (sent, output_tokens) = (self.conversation.context(), connected.max_tokens().into());
        let plain = TokenUsage { input_tokens: sent, output_tokens, ..TokenUsage::default() };
        let cached = TokenUsage { cache_creation_input_tokens: sent, output_tokens, ..TokenUsage::default() };
        connected.info.cost(&plain).max(connected.info.cost(&cached))
    }

    /// A request that waited tries again.
    pub(super) fn budget_changed(&mut self) {
        match self.tasks.compaction.is_some() {
            true => self.start_summary(),
            false => self.prepare_request(),
        }
    }

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
        if !self.budget_used_up() {
            return;
        }
        self.record_spending();
        if let Some((budget, spent)) = self.plan_budget() {
            let grants = (spent / budget).floor().max(0.0) + 1.0;
            self.context.standing.budget.set_budget(Some(budget * grants), spent);
        }
    }
}

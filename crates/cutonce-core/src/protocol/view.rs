//! The state of a session as front ends show it, reduced from events (UI-8, UI-14). Status lines, reports, frames and
//! ACP updates read it, so that they agree.

use crate::conversation::TokenUsage;
use crate::mode::Mode;
use crate::plan::{LiveStep, PlanEvent, PlanPhase};
use crate::protocol::background_commands::BackgroundCommands;
use crate::protocol::event::{AgentActivity, AgentEvent, Event, EventKind, TodoItem};
use crate::protocol::usage_totals::UsageTotals;

#[derive(Debug, Clone, Default)]
pub struct SessionView {
    pub model: String,
    pub mode: Mode,
    /// The planning phase, while plan mode is on.
    pub phase: Option<PlanPhase>,
    pub tools: Vec<String>,
    /// Tokens of the conversation, as last reported.
    pub context: u64,
    /// Tokens of all requests and answers, with those of subagents.
    pub sent: u64,
    pub received: u64,
    /// Cost in dollars, as last reported.
    pub cost: f64,
    /// Tokens and cost per model, as last reported.
    pub totals: UsageTotals,
    pub todos: Vec<TodoItem>,
    /// Steps of the plan that is being implemented (PC-32).
    pub steps: Vec<LiveStep>,
    /// Running background commands.
    pub commands: BackgroundCommands,
}

impl SessionView {
    pub fn apply_event(&mut self, event: &Event) {
        self.commands.apply_event(event);
        match &event.kind {
            EventKind::Opened { model, mode, tools, totals, context, .. } => {
                (self.model, self.mode, self.tools) = (model.clone(), *mode, tools.clone());
                self.context = *context;
                self.set_totals(totals);
            }
            EventKind::ModelChanged { model } | EventKind::Requesting { model } => self.model.clone_from(model),
            EventKind::ModeChanged { to, .. } => {
                self.mode = *to;
                self.phase = self.phase.and_then(|phase| phase.in_mode(*to));
            }
            EventKind::Plan(PlanEvent::Phase { phase }) => self.phase = Some(*phase),
            EventKind::Plan(PlanEvent::Enter { .. }) => {
                self.phase.get_or_insert(PlanPhase::Understand);
            }
            EventKind::Assistant { usage, .. } => {
                self.context = usage.context_tokens();
                self.add_usage(usage);
            }
            // The usage of nested subagents is included in that of their parent.
            EventKind::Agent(AgentEvent { agent, activity: AgentActivity::Ended(end) }) if agent.parent.is_none() => {
                self.add_usage(&end.usage);
            }
            EventKind::Compacted { after, cost, .. } => (self.context, self.cost) = (*after, *cost),
            EventKind::Todos(todos) => self.todos.clone_from(todos),
            EventKind::Steps(steps) => self.steps.clone_from(steps),
            EventKind::Cleared => {
                self.context = 0;
                self.todos.clear();
            }
            EventKind::Totals(totals) => self.set_totals(totals),
            EventKind::TurnEnded(ended) => self.set_totals(&ended.totals),
            _ => {}
        }
    }

    fn set_totals(&mut self, totals: &UsageTotals) {
        (self.sent, self.received, self.cost) = (totals.sent(), totals.received(), totals.cost());
        self.totals.clone_from(totals);
    }

    fn add_usage(&mut self, usage: &TokenUsage) {
        self.sent += usage.sent_tokens();
        self.received += usage.output_tokens;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(view: &mut SessionView, kind: EventKind) {
        view.apply_event(&Event { session: "s".into(), at: 0, kind });
    }

    #[test]
    fn ui_8_view_follows_mode_and_phase() {
        let mut view = SessionView::default();
        let (model, tools, mut totals) = ("m".into(), vec!["Read".into()], UsageTotals::default());
        totals.add("m", TokenUsage { input_tokens: 5, output_tokens: 2, ..TokenUsage::default() }, 0.25);
        apply(&mut view, EventKind::Opened { model, mode: Mode::Plan, tools, resumed: 2, totals, context: 7 });
        assert_eq!((view.sent, view.received, view.cost), (5, 2, 0.25), "a resume continues the totals");
        assert_eq!(view.context, 7);
        apply(&mut view, EventKind::Plan(PlanEvent::Phase { phase: PlanPhase::Design }));
        assert_eq!((view.model.as_str(), view.mode, view.phase), ("m", Mode::Plan, Some(PlanPhase::Design)));
        let by = crate::protocol::submission::ChangedBy::User;
        apply(&mut view, EventKind::ModeChanged { from: Mode::Plan, to: Mode::Default, by });
        assert_eq!((view.mode, view.phase), (Mode::Default, None));
        apply(&mut view, EventKind::Requesting { model: "plan-model".into() });
        assert_eq!(view.model, "plan-model");
    }

    #[test]
    fn ui_8_view_adds_usage() {
        let mut view = SessionView::default();
        let usage = TokenUsage { input_tokens: 10, output_tokens: 3, ..TokenUsage::default() };
        for _ in 0..2 {
            view.add_usage(&usage);
        }
        assert_eq!((view.sent, view.received), (20, 6));
        apply(&mut view, EventKind::Compacted { before: 90, after: 9, automatic: true, cost: 0.5 });
        assert_eq!((view.context, view.cost), (9, 0.5));
        apply(&mut view, EventKind::Cleared);
        assert_eq!((view.context, view.received), (0, 6));
    }
}

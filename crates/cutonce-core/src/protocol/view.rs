//! The state of a session as front ends show it, reduced from events (UI-8, UI-14). Status lines, reports, frames and
//! ACP updates read it, so that they agree.

use crate::conversation::TokenUsage;
use crate::mode::Mode;
use crate::plan::{PlanEvent, PlanPhase};
use crate::protocol::background_commands::BackgroundCommands;
use crate::protocol::event::{AgentActivity, AgentEvent, Event, EventKind, TodoItem};

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
    pub todos: Vec<TodoItem>,
    /// Running background commands.
    pub commands: BackgroundCommands,
}

impl SessionView {
    pub fn apply_event(&mut self, event: &Event) {
        self.commands.apply_event(event);
        match &event.kind {
            EventKind::Opened { model, mode, tools, .. } => {
                (self.model, self.mode, self.tools) = (model.clone(), *mode, tools.clone());
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
            EventKind::Cleared => {
                self.context = 0;
                self.todos.clear();
            }
            EventKind::TurnEnded(ended) => self.cost = ended.cost,
            _ => {}
        }
    }

    fn add_usage(&mut self, usage: &TokenUsage) {
        self.sent += usage.context_tokens().saturating_sub(usage.output_tokens);
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
        let opened = EventKind::Opened { model: "m".into(), mode: Mode::Plan, tools: vec!["Read".into()], resumed: 0 };
        apply(&mut view, opened);
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

//! The planning phase for the status line (PM-140). For display only; nothing depends on it.

use crate::mode::Mode;
use crate::subagent::{EXPLORE_AGENT, PLAN_AGENT};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanPhase {
    #[default]
    Understand,
    Design,
    Review,
    Write,
    Exit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseEvent {
    Entered,
    ExploreAgentStarted,
    PlanAgentStarted,
    QuestionAsked,
    /// A file other than the plan was read while no Plan agent ran.
    FileRead,
    PlanWritten,
    /// The interview's first write: only headings, questions follow (PM-97).
    SkeletonWritten,
    Submitted,
    /// The submission ended without an approval.
    Rejected,
}

impl PhaseEvent {
    /// The event of an agent that starts.
    pub fn of_agent(name: &str) -> Option<PhaseEvent> {
        match name {
            EXPLORE_AGENT => Some(PhaseEvent::ExploreAgentStarted),
            PLAN_AGENT => Some(PhaseEvent::PlanAgentStarted),
            _ => None,
        }
    }

    /// The event of a finished call that did not write the plan.
    pub fn of_call(tool: &str, input: &Value) -> Option<PhaseEvent> {
        match tool {
            "Agent" => input.get("subagent_type").and_then(Value::as_str).and_then(PhaseEvent::of_agent),
            "AskUserQuestion" => Some(PhaseEvent::QuestionAsked),
            "Read" => Some(PhaseEvent::FileRead),
            _ => None,
        }
    }
}

impl PlanPhase {
    /// The phase after a change to this mode: only plan mode has phases.
    pub fn in_mode(self, mode: Mode) -> Option<PlanPhase> {
        (mode == Mode::Plan).then_some(self)
    }

    pub fn name(self) -> &'static str {
        match self {
            PlanPhase::Understand => "understand",
            PlanPhase::Design => "design",
            PlanPhase::Review => "review",
            PlanPhase::Write => "write",
            PlanPhase::Exit => "exit",
        }
    }

    /// The phase after an event. An action of an earlier phase moves it back.
    #[must_use]
    pub fn step(self, event: PhaseEvent) -> PlanPhase {
        match (event, self) {
            (PhaseEvent::Entered | PhaseEvent::ExploreAgentStarted, _) => PlanPhase::Understand,
            (PhaseEvent::PlanAgentStarted, _) => PlanPhase::Design,
            (PhaseEvent::QuestionAsked | PhaseEvent::Rejected, _) => PlanPhase::Review,
            // Reading belongs to every phase; after the design it is the review of the key files.
            (PhaseEvent::FileRead, PlanPhase::Design) => PlanPhase::Review,
            (PhaseEvent::PlanWritten, _) => PlanPhase::Write,
            (PhaseEvent::Submitted, _) => PlanPhase::Exit,
            (PhaseEvent::FileRead | PhaseEvent::SkeletonWritten, phase) => phase,
        }
    }
}

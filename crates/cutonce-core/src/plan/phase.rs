//! How far the planning is, for the status line (PM-140). It is shown, never obeyed.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    #[default]
    Explore,
    Design,
    Review,
    Finalize,
    Exit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseEvent {
    Entered,
    PlanAgentStarted,
    /// A Plan agent ended, and this many still run.
    PlanAgentEnded {
        running: usize,
    },
    PlanWritten,
    Submitted,
    /// The submission ended without an approval.
    Rejected,
}

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Phase::Explore => "explore",
            Phase::Design => "design",
            Phase::Review => "review",
            Phase::Finalize => "finalize",
            Phase::Exit => "exit",
        }
    }

    #[must_use]
    pub fn step(self, event: PhaseEvent) -> Phase {
        match (event, self) {
            (PhaseEvent::Entered, _) => Phase::Explore,
            (PhaseEvent::PlanAgentStarted, Phase::Explore) => Phase::Design,
            (PhaseEvent::PlanAgentEnded { running: 0 }, Phase::Design) => Phase::Review,
            (PhaseEvent::PlanWritten, _) => Phase::Finalize,
            (PhaseEvent::Submitted, _) => Phase::Exit,
            (PhaseEvent::Rejected, _) => Phase::Review,
            (PhaseEvent::PlanAgentStarted | PhaseEvent::PlanAgentEnded { .. }, phase) => phase,
        }
    }
}

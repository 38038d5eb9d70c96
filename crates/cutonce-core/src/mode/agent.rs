//! The mode of a subagent (PM-64): its own or the session's, until plan mode was on while it ran.

use super::Mode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentMode {
    own: Option<Mode>,
    /// Number of times the session had entered plan mode when the agent started.
    stays_at_start: u32,
    bound_to_plan: bool,
}

impl AgentMode {
    /// Creates the mode of a new agent. `own` is the mode of its definition; without it, the session's
    /// current mode applies at each decision. `session` is the mode of its parent; `stays` is how often the
    /// main session entered plan mode.
    pub fn start(own: Option<Mode>, session: Mode, stays: u32) -> AgentMode {
        AgentMode { own, stays_at_start: stays, bound_to_plan: session == Mode::Plan }
    }
    /// Returns the mode for the next decision, given the main session's current mode. Once plan mode was on,
    /// it applies until the agent ends, even if it was entered and left between two decisions.
    pub fn mode_for_decision(&mut self, session: Mode, stays: u32) -> Mode {
        self.bound_to_plan |= session == Mode::Plan || stays > self.stays_at_start;
        if self.bound_to_plan { Mode::Plan } else { self.own.unwrap_or(session) }
    }
}

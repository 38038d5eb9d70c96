//! The mode of a subagent (PM-64): its own, until plan mode has once been on while it ran.

use super::Mode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentMode {
    own: Mode,
    bound: bool,
}

impl AgentMode {
    /// `own` is what its definition says, else the mode of the session that starts it.
    pub fn start(own: Option<Mode>, session: Mode) -> AgentMode {
        AgentMode { own: own.unwrap_or(session), bound: session == Mode::Plan }
    }
    /// The main session's mode as of now; to be told before each decision. Plan mode binds until the agent ends.
    pub fn decide(&mut self, session: Mode) -> Mode {
        self.bound |= session == Mode::Plan;
        if self.bound { Mode::Plan } else { self.own }
    }
}

//! The mode of a subagent (PM-64): its own or the session's, until plan mode has once been on while it ran.

use super::Mode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentMode {
    own: Option<Mode>,
    /// Stays in plan mode that the session had begun when the agent started.
    stays: u32,
    bound: bool,
}

impl AgentMode {
    /// `own` is what its definition says; without it the session's mode counts, as it is at each decision. `session` is
    /// the mode of whoever starts it, and `stays` how often the main session has entered plan mode so far.
    pub fn start(own: Option<Mode>, session: Mode, stays: u32) -> AgentMode {
        AgentMode { own, stays, bound: session == Mode::Plan }
    }
    /// The main session's mode as of now; to be told before each decision. Plan mode binds until the agent ends, also a
    /// stay that began and ended between two decisions.
    pub fn decide(&mut self, session: Mode, stays: u32) -> Mode {
        self.bound |= session == Mode::Plan || stays > self.stays;
        if self.bound { Mode::Plan } else { self.own.unwrap_or(session) }
    }
}

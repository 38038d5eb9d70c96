//! Permission modes, and the one state machine for every mode change (PM-15).
//!
//! A [`ModeState`] has no public fields and changes only through [`step`], so no other code can leave plan mode.

mod agent;
mod order;
mod replay;
mod state;
mod step;

pub use agent::AgentMode;
pub use replay::replay_mode;
pub use state::{AutoModeGate, ModeSetup, ModeState, ModeUnavailable};
pub use step::{ModeEffect, ModeEvent, ReminderKind, step};

use serde::{Deserialize, Serialize};

/// A permission mode (PM-10).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Reads in the workspace run; everything else asks.
    #[default]
    Default,
    /// Edits inside the workspace and plain file commands run without asking.
    AcceptEdits,
    /// Read-only, except for the plan file.
    Plan,
    /// A classifier decides calls that default mode would ask about.
    Auto,
    /// Everything runs, except what deny rules and protected paths forbid.
    BypassPermissions,
}

impl Mode {
    pub const ALL: [Mode; 5] = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Auto, Mode::BypassPermissions];

    /// The mode that changes nothing but the plan file.
    pub const READ_ONLY: Mode = Mode::Plan;

    /// Short description of what runs and what asks without rules.
    pub fn describe_defaults(self) -> &'static str {
        match self {
            Mode::Default => "reads run, everything else asks",
            Mode::AcceptEdits => "reads and edits in the workspace run, everything else asks",
            Mode::Plan => "reads run, changes are refused until you approve a plan",
            Mode::Auto => "reads run, a classifier decides the rest",
            Mode::BypassPermissions => "everything runs except writes to protected places",
        }
    }
    /// How often Shift+Tab must be pressed to reach plan mode; `modes` are those that it goes through (ON-5).
    pub fn presses_to_planning(self, modes: &[Mode]) -> usize {
        let here = Mode::ALL.iter().position(|mode| *mode == self).unwrap_or_default();
        let ahead = Mode::ALL.iter().cycle().skip(here).take(Mode::ALL.len());
        ahead.take_while(|mode| **mode != Mode::Plan).filter(|mode| **mode == self || modes.contains(mode)).count()
    }
    /// True in plan mode: only the plan file may change, whatever the user answered in another mode.
    pub fn is_read_only(self) -> bool {
        self == Mode::Plan
    }
    /// True if a yes that was given in another mode is checked again in this one (PM-61).
    pub fn checks_answers_again(self) -> bool {
        self.is_read_only()
    }
    /// Name in settings, flags, host messages and the transcript.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::AcceptEdits => "acceptEdits",
            Mode::Plan => "plan",
            Mode::Auto => "auto",
            Mode::BypassPermissions => "bypassPermissions",
        }
    }
    pub fn parse(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;

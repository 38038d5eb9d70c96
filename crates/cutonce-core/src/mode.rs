//! Permission modes and, with plan mode, the one machine that owns every way in and out (PM-15).
//!
//! A [`State`] has no public fields: [`step`] is the only way to change it, so no part of the program can
//! leave plan mode on its own account.

mod agent;
mod order;
mod replay;
mod state;
mod step;

pub use agent::AgentMode;
pub use replay::replay;
pub use state::{AutoSettings, Setup, State};
pub use step::{Effect, Event, ReminderKind, step};

use serde::{Deserialize, Serialize};

/// PM-10.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Reads in the workspace run, the rest asks.
    #[default]
    Default,
    /// Edits inside the workspace and plain file commands run without asking.
    AcceptEdits,
    /// Read-only but for the plan file.
    Plan,
    /// A classifier judges what default mode would ask for.
    Auto,
    /// Everything runs but what deny rules and protected paths forbid.
    BypassPermissions,
}

impl Mode {
    pub const ALL: [Mode; 5] = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Auto, Mode::BypassPermissions];

    /// What runs and what asks where no rule says anything, in a few words.
    pub fn without_rules(self) -> &'static str {
        match self {
            Mode::Default => "what only reads runs, all else asks",
            Mode::AcceptEdits => "what only reads and what changes files of the workspace runs, all else asks",
            Mode::Plan => "what only reads runs, what changes anything is refused until a plan is approved",
            Mode::Auto => "what only reads runs, a classifier judges the rest",
            Mode::BypassPermissions => "everything runs unasked, but for writes to protected places",
        }
    }
    /// The name that settings, flags, hosts and the transcript use.
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

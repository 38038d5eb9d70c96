//! What a session knows about its mode (PM-12).

use super::Mode;
use serde::{Deserialize, Serialize};

/// What the settings, the flags and the environment say about modes in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Setup {
    pub auto: AutoSettings,
    /// bypassPermissions was made available when this process started.
    pub bypass_available: bool,
}

/// The three switches of auto mode (PM-122).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoSettings {
    pub opted_in: bool,
    pub gate_open: bool,
    /// `plan.useAuto`
    pub in_plan: bool,
}

/// Kept with the session and rebuilt by replaying its transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct State {
    pub(super) mode: Mode,
    pub(super) pre_plan_mode: Option<Mode>,
    pub(super) needs_exit_reminder: bool,
    pub(super) has_exited_plan: bool,
    /// Auto mode went off and the model has not been told yet (PM-123).
    pub(super) needs_auto_exit_reminder: bool,
    /// The conversation was compacted and the plan's text not given again yet (PM-50).
    pub(super) needs_plan_reference: bool,
    pub(super) stay: Stay,
    pub(super) auto_active: bool,
    pub(super) setup: Setup,
    pub(super) slug: Option<String>,
}

/// One stay in plan mode.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Stay {
    /// Which stay of the session this is, or was the last one; an approval belongs to one stay only (PM-80).
    pub number: u32,
    /// A plan_mode reminder was sent during this stay (PM-14).
    pub reminded: bool,
    /// plan_mode reminders that the model can still see: since entering, or since the conversation was cut.
    pub reminders: u32,
    /// Human turns since the last of them.
    pub turns: u32,
}

impl State {
    pub fn mode(&self) -> Mode {
        self.mode
    }
    /// The mode before plan mode; None outside it.
    pub fn pre_plan_mode(&self) -> Option<Mode> {
        self.pre_plan_mode
    }
    pub fn in_plan(&self) -> bool {
        self.mode == Mode::Plan
    }
    pub fn needs_exit_reminder(&self) -> bool {
        self.needs_exit_reminder
    }
    pub fn has_exited_plan(&self) -> bool {
        self.has_exited_plan
    }
    pub fn needs_auto_exit_reminder(&self) -> bool {
        self.needs_auto_exit_reminder
    }
    pub fn needs_plan_reference(&self) -> bool {
        self.needs_plan_reference
    }
    /// The classifier judges what default mode would ask for, and allow rules that would skip it are set
    /// aside. They stay in `Rules` and only do not count, so they come back exactly as they were (PM-123).
    pub fn auto_active(&self) -> bool {
        self.auto_active
    }
    /// Which stay in plan mode this is; 0 before the first.
    pub fn stay(&self) -> u32 {
        self.stay.number
    }
    /// Was a plan_mode reminder sent in this stay?
    pub fn reminded(&self) -> bool {
        self.stay.reminded
    }
    /// plan_mode reminders that the model can still see.
    pub fn reminders(&self) -> u32 {
        self.stay.reminders
    }
    /// Human turns since the last of them.
    pub fn turns_since_reminder(&self) -> u32 {
        self.stay.turns
    }
    /// The plan's name, once it was needed (PM-41).
    pub fn slug(&self) -> Option<&str> {
        self.slug.as_deref()
    }
    pub fn setup(&self) -> Setup {
        self.setup
    }

    /// May this mode be entered in this run? If not: why, and what to do.
    pub fn available(&self, mode: Mode) -> Result<(), String> {
        let auto = self.setup.auto;
        match mode {
            Mode::Default | Mode::AcceptEdits | Mode::Plan => Ok(()),
            Mode::Auto if !auto.opted_in => Err("auto mode is not enabled: set `auto.enabled` in the settings".into()),
            Mode::Auto if !auto.gate_open => Err(
                "auto mode's gate is closed (`auto.gate`, CUTONCE_AUTO_GATE, or a classifier that failed too often)"
                    .into(),
            ),
            Mode::BypassPermissions if !self.setup.bypass_available => {
                Err("bypassPermissions is not available in this run: it must be made available at the start".into())
            }
            Mode::Auto | Mode::BypassPermissions => Ok(()),
        }
    }

    /// The mode that leaving plan mode leads back to, and why it is not the earlier one if it is not (PM-83).
    pub fn way_back(&self) -> (Mode, Option<String>) {
        let earlier = self.pre_plan_mode.unwrap_or_default();
        match self.available(earlier) {
            Ok(()) => (earlier, None),
            Err(why) => (Mode::Default, Some(format!("Back in default mode instead of {earlier}: {why}."))),
        }
    }

    /// PM-11: where Shift+Tab leads.
    pub fn next_in_cycle(&self) -> Mode {
        let here = Mode::ALL.iter().position(|mode| *mode == self.mode).unwrap_or_default();
        let around = Mode::ALL.iter().cycle().skip(here + 1).take(Mode::ALL.len());
        around.copied().find(|mode| self.available(*mode).is_ok()).unwrap_or_default()
    }

    /// PM-122: opted in, gate open and `plan.useAuto`; never where everything was allowed before.
    pub(super) fn plan_uses_auto(&self) -> bool {
        let auto = self.setup.auto;
        auto.opted_in && auto.gate_open && auto.in_plan && self.pre_plan_mode != Some(Mode::BypassPermissions)
    }
}

//! The mode state of a session (PM-12).

use super::Mode;
use crate::plan::scope::PlanScope;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};

/// Modes available in this run, from settings, flags and environment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModeSetup {
    pub auto: AutoModeGate,
    /// True if bypassPermissions was made available at start.
    pub bypass_available: bool,
}

/// The three switches of auto mode (PM-122).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoModeGate {
    pub opted_in: bool,
    pub gate_open: bool,
    /// The setting `plan.useAuto`.
    pub in_plan: bool,
}

impl AutoModeGate {
    pub fn from_settings(settings: &Settings, gate_open: bool) -> AutoModeGate {
        AutoModeGate { opted_in: settings.auto.enabled, gate_open, in_plan: settings.plan.use_auto }
    }
}

/// Mode state of a session, rebuilt by replaying its transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModeState {
    pub(super) mode: Mode,
    pub(super) pre_plan_mode: Option<Mode>,
    pub(super) needs_exit_reminder: bool,
    pub(super) has_exited_plan: bool,
    /// Plan mode was left without an approval, and no user turn followed yet (PM-14).
    pub(super) left_unapproved: bool,
    /// Auto mode was turned off and the model has no reminder about it yet (PM-123).
    pub(super) needs_auto_exit_reminder: bool,
    /// The conversation was compacted and the plan's text was not repeated yet (PM-50).
    pub(super) needs_plan_reference: bool,
    pub(super) stay: PlanVisit,
    pub(super) auto_active: bool,
    pub(super) setup: ModeSetup,
    pub(super) slug: Option<String>,
    /// Scope of the plan that is being implemented (PC-20).
    pub(super) scope: Option<PlanScope>,
}

/// One stay in plan mode.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PlanVisit {
    /// Number of the current or last stay; an approval belongs to one stay only (PM-80).
    pub number: u32,
    /// A plan_mode reminder was sent during this stay (PM-14).
    pub reminded: bool,
    /// Number of plan_mode reminders that the model can still see: since entering, or since the last
    /// compaction.
    pub reminders: u32,
    /// Human turns since the last reminder.
    pub turns: u32,
}

/// Why a mode can't be entered in this run, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ModeUnavailable {
    #[error("auto mode is not enabled: set `auto.enabled` in the settings")]
    AutoNotEnabled,
    #[error("auto mode's gate is closed (`auto.gate`, CUTONCE_AUTO_GATE, or a classifier that failed too often)")]
    AutoGateClosed,
    #[error("bypassPermissions is not available in this run: start with --allow-dangerously-skip-permissions")]
    BypassNotAllowed,
}

impl ModeState {
    pub fn mode(&self) -> Mode {
        self.mode
    }
    /// The mode before plan mode; `None` outside it.
    pub fn pre_plan_mode(&self) -> Option<Mode> {
        self.pre_plan_mode
    }
    /// True in plan mode.
    pub fn is_planning(&self) -> bool {
        self.mode.is_read_only()
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
    /// True while the classifier decides what default mode would ask about. Allow rules that would skip it
    /// are suspended but stay in `Rules`, so that they come back exactly as they were (PM-123).
    pub fn auto_active(&self) -> bool {
        self.auto_active
    }
    /// Number of the stay in plan mode; 0 before the first.
    pub fn visit_number(&self) -> u32 {
        self.stay.number
    }
    /// True if a plan_mode reminder was sent in this stay.
    pub fn was_reminded(&self) -> bool {
        self.stay.reminded
    }
    /// Number of plan_mode reminders that the model can still see.
    pub fn reminder_count(&self) -> u32 {
        self.stay.reminders
    }
    /// Human turns since the last reminder.
    pub fn turns_since_reminder(&self) -> u32 {
        self.stay.turns
    }
    /// The plan's name; `None` until it is first needed (PM-41).
    pub fn slug(&self) -> Option<&str> {
        self.slug.as_deref()
    }
    /// Files that the approved plan may change, while it is being implemented; `None` in plan mode.
    pub fn scope(&self) -> Option<&PlanScope> {
        self.scope.as_ref().filter(|_| !self.is_planning())
    }
    /// Files that the approved plan may change, in plan mode too: an amendment does not end the implementation.
    pub fn whole_scope(&self) -> Option<&PlanScope> {
        self.scope.as_ref()
    }
    pub fn setup(&self) -> ModeSetup {
        self.setup
    }

    /// Checks that the mode can be entered in this run; the error says why not and what to do.
    pub fn check_available(&self, mode: Mode) -> Result<(), ModeUnavailable> {
        let auto = self.setup.auto;
        match mode {
            Mode::Default | Mode::AcceptEdits | Mode::Plan => Ok(()),
            Mode::Auto if !auto.opted_in => Err(ModeUnavailable::AutoNotEnabled),
            Mode::Auto if !auto.gate_open => Err(ModeUnavailable::AutoGateClosed),
            Mode::BypassPermissions if !self.setup.bypass_available => Err(ModeUnavailable::BypassNotAllowed),
            Mode::Auto | Mode::BypassPermissions => Ok(()),
        }
    }

    /// The mode after leaving plan mode, and a notice if it is not the earlier one (PM-83).
    pub fn mode_after_leaving(&self) -> (Mode, Option<String>) {
        let earlier = self.pre_plan_mode.unwrap_or_default();
        match self.check_available(earlier) {
            Ok(()) => (earlier, None),
            Err(why) => (Mode::Default, Some(format!("Back in default mode instead of {earlier}: {why}."))),
        }
    }

    /// The next mode for Shift+Tab (PM-11).
    pub fn next_in_cycle(&self) -> Mode {
        let here = Mode::ALL.iter().position(|mode| *mode == self.mode).unwrap_or_default();
        let around = Mode::ALL.iter().cycle().skip(here + 1).take(Mode::ALL.len());
        around.copied().find(|mode| self.check_available(*mode).is_ok()).unwrap_or_default()
    }

    /// True if opted in, gate open and `plan.useAuto` (PM-122); never if the earlier mode is
    /// bypassPermissions.
    pub(super) fn plan_uses_auto(&self) -> bool {
        let auto = self.setup.auto;
        auto.opted_in && auto.gate_open && auto.in_plan && self.pre_plan_mode != Some(Mode::BypassPermissions)
    }
}

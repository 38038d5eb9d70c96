//! The transition `(state, event) → (state, effects)` (PM-15). Every mode change is an event here.

use super::Mode;
use super::state::{AutoModeGate, ModeSetup, ModeState, PlanVisit};
use crate::plan::scope::PlanScope;
use crate::protocol::submission::ChangedBy;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeEvent {
    /// `/mode X`, `/plan`, a host's set_permission_mode, or EnterPlanMode (by the model, and to plan mode
    /// only).
    Set { to: Mode, by: ChangedBy },
    /// Shift+Tab.
    Cycle,
    /// `/plan off`: restores the earlier mode. The choice to leave and keep the plan: `to` is the mode that the user
    /// was shown (PM-83).
    Leave { to: Option<Mode>, by: ChangedBy },
    /// An ExitPlanMode of the current stay was approved (see `approval`).
    Approved { mode: Mode, by: ChangedBy },
    /// A user message started a turn. Meta messages and tool results do not (PM-91).
    UserTurn,
    /// A reminder was written to the transcript.
    ReminderSent(ReminderKind),
    /// A summary replaced the beginning of the conversation.
    Compacted,
    /// The conversation was restarted; the model sees nothing from before, and the plan has no name any more
    /// (PM-49).
    Cleared,
    /// An auto mode setting changed (PM-122).
    AutoChanged(AutoModeGate),
    /// Another process resumed the session; its available modes apply.
    Resumed(ModeSetup),
    /// The plan got its name, or a new one after a fork (PM-49).
    PlanNamed(String),
    /// The implementation of a plan with this scope started or changed; `None`: it ended (PC-20).
    ScopeSet(Option<PlanScope>),
}

/// Kinds of reminders (PM-90).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderKind {
    PlanMode,
    PlanModeReentry,
    PlanModeExit,
    PlanFileReference,
    AutoModeExit,
}

impl ReminderKind {
    pub const ALL: [ReminderKind; 5] = [
        ReminderKind::PlanMode,
        ReminderKind::PlanModeReentry,
        ReminderKind::PlanModeExit,
        ReminderKind::PlanFileReference,
        ReminderKind::AutoModeExit,
    ];
    /// Name in the transcript.
    pub fn name(self) -> &'static str {
        match self {
            ReminderKind::PlanMode => "plan_mode",
            ReminderKind::PlanModeReentry => "plan_mode_reentry",
            ReminderKind::PlanModeExit => "plan_mode_exit",
            ReminderKind::PlanFileReference => "plan_file_reference",
            ReminderKind::AutoModeExit => "auto_mode_exit",
        }
    }
    pub fn parse(name: &str) -> Option<ReminderKind> {
        ReminderKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Actions for the session to perform, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeEffect {
    /// The mode changed: write a `mode` entry, then send `mode.changed`. The new mode applies from here on
    /// (PM-16).
    RecordChange {
        from: Mode,
        to: Mode,
        by: ChangedBy,
    },
    PlanEntered,
    PlanLeft,
    /// Withdraw an open ExitPlanMode request and notify its approvers (PM-80).
    WithdrawApproval,
    /// Suspend allow rules that would skip the classifier.
    SuspendRules,
    RestoreRules,
    /// Show a notice to the user and log it.
    Notice {
        text: String,
    },
    /// The mode stays unchanged; `why` is the reason (PM-100).
    Refused {
        why: String,
    },
}

impl ModeState {
    /// State of a new session. `base` is the mode it would start in without the request for `asked` (PM-26).
    pub fn start(setup: ModeSetup, base: Mode, asked: Mode) -> (ModeState, Vec<ModeEffect>) {
        let mut state = ModeState { setup, ..ModeState::default() };
        let mut effects = Vec::new();
        // If both are plan, the earlier mode is default.
        if base != Mode::Plan && asked == Mode::Plan {
            state.change_mode_or_default(base, ChangedBy::Start, &mut effects);
            // The session was never in that mode; the next entry names it as `from`.
            effects.retain(|effect| !matches!(effect, ModeEffect::RecordChange { .. }));
        }
        state.change_mode_or_default(asked, ChangedBy::Start, &mut effects);
        (state, effects)
    }
}

pub fn step(mut state: ModeState, event: ModeEvent) -> (ModeState, Vec<ModeEffect>) {
    let mut effects = Vec::new();
    match event {
        ModeEvent::Set { to, by } => state.set_mode(to, by, &mut effects),
        ModeEvent::Cycle => state.change_mode(state.next_in_cycle(), ChangedBy::User, &mut effects),
        ModeEvent::Leave { to, by } => state.leave_plan(to, by, &mut effects),
        ModeEvent::Approved { mode, by } => state.apply_approval(mode, by, &mut effects),
        ModeEvent::UserTurn if state.is_planning() => state.stay.turns += 1,
        ModeEvent::UserTurn => state.confirm_exit(),
        ModeEvent::ReminderSent(kind) => state.reminder_sent(kind),
        ModeEvent::Compacted => state.reset_reminders(true),
        ModeEvent::Cleared => {
            state.reset_reminders(false);
            state.slug = None;
        }
        ModeEvent::AutoChanged(auto) => state.apply_auto_gate(auto, &mut effects),
        ModeEvent::Resumed(setup) => state.apply_resume(setup, &mut effects),
        ModeEvent::PlanNamed(slug) => state.set_slug(slug),
        ModeEvent::ScopeSet(scope) => state.scope = scope,
    }
    (state, effects)
}

impl ModeState {
    fn set_mode(&mut self, to: Mode, by: ChangedBy, effects: &mut Vec<ModeEffect>) {
        // PM-17: the model may give up rights, never gain them.
        if by == ChangedBy::Model && to != Mode::Plan {
            let why =
                format!("the model can't change the mode to {to}: only an approved ExitPlanMode leaves plan mode");
            return effects.push(ModeEffect::Refused { why });
        }
        match self.check_available(to) {
            Ok(()) => self.change_mode(to, by, effects),
            Err(why) => effects.push(ModeEffect::Refused { why: why.to_string() }),
        }
    }

    fn leave_plan(&mut self, to: Option<Mode>, by: ChangedBy, effects: &mut Vec<ModeEffect>) {
        if !self.is_planning() {
            return effects.push(ModeEffect::Refused { why: "not in plan mode".into() });
        }
        if by == ChangedBy::Model {
            let why = "the model can't leave plan mode: only an approved ExitPlanMode does".into();
            return effects.push(ModeEffect::Refused { why });
        }
        let (earlier, notice) = self.mode_after_leaving();
        let shown = to.filter(|mode| *mode != Mode::Plan && self.check_available(*mode).is_ok());
        self.change_mode(shown.unwrap_or(earlier), by, effects);
        effects.extend(notice.map(|text| ModeEffect::Notice { text }));
    }

    fn apply_approval(&mut self, mode: Mode, by: ChangedBy, effects: &mut Vec<ModeEffect>) {
        // A late approval must not re-enter plan mode or change the mode that the user chose meanwhile.
        if !self.is_planning() || mode == Mode::Plan || by == ChangedBy::Model {
            return effects
                .push(ModeEffect::Refused { why: "this approval does not apply: plan mode is not on".into() });
        }
        let notice =
            self.mode_after_leaving().1.filter(|_| mode == Mode::Default || self.check_available(mode).is_err());
        let to = if self.check_available(mode).is_ok() { mode } else { Mode::Default };
        self.change_mode(to, by, effects);
        self.confirm_exit();
        effects.extend(notice.map(|text| ModeEffect::Notice { text }));
    }

    /// Notes that the last stay has ended for good: it was approved, or a user turn followed it (PM-14).
    pub(super) fn confirm_exit(&mut self) {
        self.has_exited_plan |= std::mem::take(&mut self.left_unapproved);
    }

    /// Changes to `to`, or to default with a notice if `to` is not available.
    fn change_mode_or_default(&mut self, to: Mode, by: ChangedBy, effects: &mut Vec<ModeEffect>) {
        match self.check_available(to) {
            Ok(()) => self.change_mode(to, by, effects),
            Err(why) => {
                self.change_mode(Mode::Default, by, effects);
                let text = format!("Starting in default mode instead of {to}: {why}.");
                effects.push(ModeEffect::Notice { text });
            }
        }
    }

    /// The one place where the mode changes (PM-13, PM-14). No effect if the mode stays the same.
    pub(super) fn change_mode(&mut self, to: Mode, by: ChangedBy, effects: &mut Vec<ModeEffect>) {
        let from = self.mode;
        if from == to {
            return;
        }
        if from == Mode::Plan {
            self.needs_exit_reminder |= self.stay.reminded;
            self.left_unapproved |= self.stay.reminded;
            self.pre_plan_mode = None;
            self.stay = PlanVisit { number: self.stay.number, ..PlanVisit::default() };
        }
        if to == Mode::Plan {
            self.pre_plan_mode = Some(from);
            self.needs_exit_reminder = false;
            self.stay = PlanVisit { number: self.stay.number + 1, ..PlanVisit::default() };
        }
        self.mode = to;
        effects.push(ModeEffect::RecordChange { from, to, by });
        if from == Mode::Plan {
            effects.extend([ModeEffect::WithdrawApproval, ModeEffect::PlanLeft]);
        }
        if to == Mode::Plan {
            effects.push(ModeEffect::PlanEntered);
        }
        self.update_auto(to == Mode::Auto, effects);
    }

    /// Turns auto on or off as the mode requires (PM-121 to PM-123). `again`: suspend rules even if they
    /// already are.
    fn update_auto(&mut self, again: bool, effects: &mut Vec<ModeEffect>) {
        let wanted = match self.mode {
            Mode::Auto => true,
            Mode::Plan => self.plan_uses_auto(),
            Mode::Default | Mode::AcceptEdits | Mode::BypassPermissions => false,
        };
        match (self.auto_active, wanted) {
            (false, false) => {}
            (true, true) if again => effects.push(ModeEffect::SuspendRules),
            (true, true) => {}
            (false, true) => {
                self.needs_auto_exit_reminder = false;
                effects.push(ModeEffect::SuspendRules);
            }
            (true, false) => {
                self.needs_auto_exit_reminder = true;
                effects.push(ModeEffect::RestoreRules);
            }
        }
        self.auto_active = wanted;
    }

    fn apply_auto_gate(&mut self, auto: AutoModeGate, effects: &mut Vec<ModeEffect>) {
        self.setup.auto = auto;
        if self.mode == Mode::Auto {
            return self.leave_unavailable_mode(effects);
        }
        self.update_auto(true, effects);
    }

    fn apply_resume(&mut self, setup: ModeSetup, effects: &mut Vec<ModeEffect>) {
        self.setup = setup;
        self.leave_unavailable_mode(effects);
        // In this process, no rules are suspended yet.
        self.update_auto(true, effects);
    }

    fn leave_unavailable_mode(&mut self, effects: &mut Vec<ModeEffect>) {
        if let Err(why) = self.check_available(self.mode) {
            let text = format!("Back in default mode instead of {}: {why}.", self.mode);
            self.change_mode(Mode::Default, ChangedBy::Start, effects);
            effects.push(ModeEffect::Notice { text });
        }
    }

    fn reminder_sent(&mut self, kind: ReminderKind) {
        match kind {
            ReminderKind::PlanMode => {
                self.stay.reminded = true;
                self.stay.reminders += 1;
                self.stay.turns = 0;
                // The re-entry reminder was sent before this one, or there was no plan.
                (self.has_exited_plan, self.left_unapproved) = (false, false);
            }
            ReminderKind::PlanModeReentry => self.has_exited_plan = false,
            ReminderKind::PlanModeExit => self.needs_exit_reminder = false,
            ReminderKind::PlanFileReference => self.needs_plan_reference = false,
            ReminderKind::AutoModeExit => self.needs_auto_exit_reminder = false,
        }
    }

    /// Sets the plan's name. A fork has its own plan file (PM-49), but earlier reminders name the other one.
    fn set_slug(&mut self, slug: String) {
        if self.slug.as_ref().is_some_and(|known| *known != slug) {
            self.reset_reminders(self.needs_plan_reference);
        }
        self.slug = Some(slug);
    }

    /// The model can't see earlier reminders any more: the next one is due now and full (PM-50).
    fn reset_reminders(&mut self, compacted: bool) {
        self.stay.reminders = 0;
        self.stay.turns = 0;
        self.needs_plan_reference = compacted;
    }
}

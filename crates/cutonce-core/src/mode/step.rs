//! The transition: `(state, event) → (state, effects)` (PM-15). Every way in and out of a mode is an event here.

use super::Mode;
use super::state::{AutoSettings, Setup, State, Stay};
use crate::submission::By;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// `/mode X`, a host's set_permission_mode, `/plan`, EnterPlanMode (by the model, and to plan mode only).
    Set { to: Mode, by: By },
    /// Shift+Tab.
    Cycle,
    /// `/plan off`, or the choice to leave and keep the plan: back to the earlier mode.
    Leave { by: By },
    /// An ExitPlanMode was approved in the stay that is on (see `approval`).
    Approved { mode: Mode, by: By },
    /// A message of the person started a turn. Meta messages and tool results do not (PM-91).
    HumanTurn,
    /// A reminder is in the transcript.
    ReminderSent(ReminderKind),
    /// The conversation's beginning was replaced by a summary.
    Compacted,
    /// The conversation starts over: nothing that was said before reaches the model.
    Cleared,
    /// A switch of auto mode changed (PM-122).
    AutoChanged(AutoSettings),
    /// Another process goes on with the session: what is available now counts.
    Resumed(Setup),
    /// The plan got its name, or, after a fork, a new one (PM-49).
    Named(String),
}

/// PM-90.
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
    /// The name in the transcript.
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

/// What the session does about it, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The mode changed: a `mode` entry, then the event `mode.changed`. From here on it decides (PM-16).
    Record {
        from: Mode,
        to: Mode,
        by: By,
    },
    PlanEntered,
    PlanLeft,
    /// An open ExitPlanMode request is void; its approvers are told (PM-80).
    WithdrawApproval,
    /// Allow rules that would skip the classifier do not count from now on.
    SetRulesAside,
    GiveRulesBack,
    /// For the user, for this many seconds and in the log.
    Notice {
        text: String,
        seconds: u32,
    },
    /// The mode stays as it was, and this is why (PM-100).
    Refused {
        why: String,
    },
}

/// How long a notice about the mode stays in view (PM-83).
const NOTICE_SECONDS: u32 = 10;

impl State {
    /// A new session. `base` is the mode it would start in if nothing asked for `asked` (PM-26).
    pub fn start(setup: Setup, base: Mode, asked: Mode) -> (State, Vec<Effect>) {
        let mut state = State { setup, ..State::default() };
        let mut effects = Vec::new();
        // Both may say plan: then the earlier mode is default.
        if base != Mode::Plan && asked == Mode::Plan {
            state.go_or_default(base, By::Start, &mut effects);
            // The session never was in that mode; the entry that follows names it as its `from`.
            effects.retain(|effect| !matches!(effect, Effect::Record { .. }));
        }
        state.go_or_default(asked, By::Start, &mut effects);
        (state, effects)
    }
}

pub fn step(mut state: State, event: Event) -> (State, Vec<Effect>) {
    let mut effects = Vec::new();
    match event {
        Event::Set { to, by } => state.set(to, by, &mut effects),
        Event::Cycle => state.go(state.next_in_cycle(), By::User, &mut effects),
        Event::Leave { by } => state.leave(by, &mut effects),
        Event::Approved { mode, by } => state.approved(mode, by, &mut effects),
        Event::HumanTurn => state.stay.turns += u32::from(state.in_plan()),
        Event::ReminderSent(kind) => state.reminder_sent(kind),
        Event::Compacted => state.cut(true),
        Event::Cleared => state.cut(false),
        Event::AutoChanged(auto) => state.auto_changed(auto, &mut effects),
        Event::Resumed(setup) => state.resumed(setup, &mut effects),
        Event::Named(slug) => state.named(slug),
    }
    (state, effects)
}

impl State {
    fn set(&mut self, to: Mode, by: By, effects: &mut Vec<Effect>) {
        // PM-17: the model may give rights away, never take them.
        if by == By::Model && to != Mode::Plan {
            let why =
                format!("the model can't change the mode to {to}: only an approved ExitPlanMode leaves plan mode");
            return effects.push(Effect::Refused { why });
        }
        match self.available(to) {
            Ok(()) => self.go(to, by, effects),
            Err(why) => effects.push(Effect::Refused { why }),
        }
    }

    fn leave(&mut self, by: By, effects: &mut Vec<Effect>) {
        if !self.in_plan() {
            return effects.push(Effect::Refused { why: "not in plan mode".into() });
        }
        if by == By::Model {
            let why = "the model can't leave plan mode: only an approved ExitPlanMode does".into();
            return effects.push(Effect::Refused { why });
        }
        let (mode, notice) = self.way_back();
        self.go(mode, by, effects);
        effects.extend(notice.map(|text| Effect::Notice { text, seconds: NOTICE_SECONDS }));
    }

    fn approved(&mut self, mode: Mode, by: By, effects: &mut Vec<Effect>) {
        // A late approval must not turn plan mode on again, or change the mode the user chose meanwhile.
        if !self.in_plan() || mode == Mode::Plan || by == By::Model {
            return effects.push(Effect::Refused { why: "there is no plan mode to leave by this approval".into() });
        }
        let notice = self.way_back().1.filter(|_| mode == Mode::Default || self.available(mode).is_err());
        let to = if self.available(mode).is_ok() { mode } else { Mode::Default };
        self.go(to, by, effects);
        effects.extend(notice.map(|text| Effect::Notice { text, seconds: NOTICE_SECONDS }));
    }

    /// To `to`, or to default with a notice where that is not available.
    fn go_or_default(&mut self, to: Mode, by: By, effects: &mut Vec<Effect>) {
        match self.available(to) {
            Ok(()) => self.go(to, by, effects),
            Err(why) => {
                self.go(Mode::Default, by, effects);
                let text = format!("Starting in default mode instead of {to}: {why}.");
                effects.push(Effect::Notice { text, seconds: NOTICE_SECONDS });
            }
        }
    }

    /// The one place where the mode changes (PM-13, PM-14). Nothing to change is nothing done.
    pub(super) fn go(&mut self, to: Mode, by: By, effects: &mut Vec<Effect>) {
        let from = self.mode;
        if from == to {
            return;
        }
        if from == Mode::Plan {
            self.needs_exit_reminder |= self.stay.reminded;
            self.has_exited_plan |= self.stay.reminded;
            self.pre_plan_mode = None;
            self.stay = Stay { number: self.stay.number, ..Stay::default() };
        }
        if to == Mode::Plan {
            self.pre_plan_mode = Some(from);
            self.needs_exit_reminder = false;
            self.stay = Stay { number: self.stay.number + 1, ..Stay::default() };
        }
        self.mode = to;
        effects.push(Effect::Record { from, to, by });
        if from == Mode::Plan {
            effects.extend([Effect::WithdrawApproval, Effect::PlanLeft]);
        }
        if to == Mode::Plan {
            effects.push(Effect::PlanEntered);
        }
        self.settle_auto(to == Mode::Auto, effects);
    }

    /// PM-121 to PM-123: brings auto to what the mode wants. `again`: rules are set aside even if they are already.
    fn settle_auto(&mut self, again: bool, effects: &mut Vec<Effect>) {
        let wanted = match self.mode {
            Mode::Auto => true,
            Mode::Plan => self.plan_uses_auto(),
            Mode::Default | Mode::AcceptEdits | Mode::BypassPermissions => false,
        };
        match (self.auto_active, wanted) {
            (false, false) => {}
            (true, true) if again => effects.push(Effect::SetRulesAside),
            (true, true) => {}
            (false, true) => {
                self.needs_auto_exit_reminder = false;
                effects.push(Effect::SetRulesAside);
            }
            (true, false) => {
                self.needs_auto_exit_reminder = true;
                effects.push(Effect::GiveRulesBack);
            }
        }
        self.auto_active = wanted;
    }

    fn auto_changed(&mut self, auto: AutoSettings, effects: &mut Vec<Effect>) {
        self.setup.auto = auto;
        if self.mode == Mode::Auto {
            return self.hold_what_is_available(effects);
        }
        self.settle_auto(true, effects);
    }

    fn resumed(&mut self, setup: Setup, effects: &mut Vec<Effect>) {
        self.setup = setup;
        self.hold_what_is_available(effects);
        // The rules of this process know nothing yet of what an earlier one set aside.
        self.settle_auto(true, effects);
    }

    fn hold_what_is_available(&mut self, effects: &mut Vec<Effect>) {
        if let Err(why) = self.available(self.mode) {
            let text = format!("Back in default mode instead of {}: {why}.", self.mode);
            self.go(Mode::Default, By::Start, effects);
            effects.push(Effect::Notice { text, seconds: NOTICE_SECONDS });
        }
    }

    fn reminder_sent(&mut self, kind: ReminderKind) {
        match kind {
            ReminderKind::PlanMode => {
                self.stay.reminded = true;
                self.stay.reminders += 1;
                self.stay.turns = 0;
                // Whatever was to be said about coming back was said before this one, or there was no plan.
                self.has_exited_plan = false;
            }
            ReminderKind::PlanModeReentry => self.has_exited_plan = false,
            ReminderKind::PlanModeExit => self.needs_exit_reminder = false,
            ReminderKind::PlanFileReference => self.needs_plan_reference = false,
            ReminderKind::AutoModeExit => self.needs_auto_exit_reminder = false,
        }
    }

    /// A fork goes on with a plan file of its own (PM-49): what the model was told names the other one.
    fn named(&mut self, slug: String) {
        if self.slug.as_ref().is_some_and(|known| *known != slug) {
            self.cut(self.needs_plan_reference);
        }
        self.slug = Some(slug);
    }

    /// The model can't see earlier reminders any more: the next one is full, and at once (PM-50).
    fn cut(&mut self, compacted: bool) {
        self.stay.reminders = 0;
        self.stay.turns = 0;
        self.needs_plan_reference = compacted;
    }
}

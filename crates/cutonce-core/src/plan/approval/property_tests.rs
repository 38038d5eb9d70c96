//! PM-15, PM-17, PM-80: the mode machine and the approval under any sequence of events. A small independent
//! oracle tracks whether plan mode must be on and which mode came before.

use super::*;
use crate::mode::{AutoModeGate, Mode, ModeEffect, ModeEvent, ModeSetup, ModeState, ReminderKind, replay_mode, step};
use crate::plan::reminder::{self, PlanAgentLimits, PlanInstructions};
use crate::protocol::submission::ChangedBy;
use crate::settings::plan::{PlanLength, PlanWorkflow};
use crate::transcript::EntryBody;
use proptest::prelude::*;

/// One thing that happens to a session.
#[derive(Debug, Clone)]
enum Op {
    Set(Mode, ChangedBy),
    Cycle,
    Leave(ChangedBy),
    /// The model claims an approval that no approver gave.
    Forge(Mode),
    Submit,
    /// The plan on disk becomes this one, out of four.
    WritePlan(u8),
    Answer {
        ask: u8,
        choice: ChoiceKey,
        mode: Option<Mode>,
        edit: bool,
    },
    Close(u8),
    UserMessage,
    Request,
    Compacted,
    Cleared,
    Auto(AutoModeGate),
    Resume(ModeSetup),
    Fork,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let mode = || prop::sample::select(Mode::ALL.to_vec());
    let by = || prop::sample::select(vec![ChangedBy::User, ChangedBy::Host, ChangedBy::Model]);
    let choice = || {
        use ChoiceKey::{AcceptEdits, Clear, Default, KeepPlanning, Leave, Restore};
        prop::sample::select(vec![AcceptEdits, Default, Restore, Clear, KeepPlanning, Leave])
    };
    let answer = (0..4u8, choice(), prop::option::weighted(0.3, mode()), any::<bool>());
    let op = prop_oneof![
        4 => (mode(), by()).prop_map(|(mode, by)| Op::Set(mode, by)),
        3 => Just(Op::Set(Mode::Plan, ChangedBy::User)),
        2 => Just(Op::Cycle),
        1 => by().prop_map(Op::Leave),
        1 => mode().prop_map(Op::Forge),
        6 => Just(Op::Submit),
        3 => (0..4u8).prop_map(Op::WritePlan),
        8 => answer.prop_map(|(ask, choice, mode, edit)| Op::Answer { ask, choice, mode, edit }),
        1 => (0..5u8).prop_map(Op::Close),
        2 => Just(Op::UserMessage),
        3 => Just(Op::Request),
        1 => Just(Op::Compacted),
        1 => Just(Op::Cleared),
        2 => switches().prop_map(Op::Auto),
        1 => setup().prop_map(Op::Resume),
        1 => Just(Op::Fork),
    ];
    prop::collection::vec(op, 0..60)
}

fn switches() -> impl Strategy<Value = AutoModeGate> {
    any::<(bool, bool, bool)>().prop_map(|(opted_in, gate_open, in_plan)| AutoModeGate { opted_in, gate_open, in_plan })
}

fn setup() -> impl Strategy<Value = ModeSetup> {
    (switches(), any::<bool>()).prop_map(|(auto, bypass_available)| ModeSetup { auto, bypass_available })
}

struct World {
    state: ModeState,
    approval: PlanApprovalState,
    /// All asks of this session, oldest first.
    asks: Vec<String>,
    plan: PlanContent,
    transcript: Vec<EntryBody>,
    rules_aside: bool,
    /// The oracle: `Some(mode before)` while plan mode must be on.
    held: Option<Mode>,
}

impl World {
    fn new(setup: ModeSetup) -> World {
        let (state, effects) = ModeState::start(setup, Mode::Default, Mode::Default);
        assert!(effects.is_empty());
        World {
            state,
            approval: PlanApprovalState::default(),
            asks: vec![],
            plan: PlanContent::Missing,
            transcript: vec![],
            rules_aside: false,
            held: None,
        }
    }

    fn event(&mut self, event: ModeEvent) -> Vec<ModeEffect> {
        let (state, effects) = step(self.state.clone(), event);
        self.apply(state, &effects);
        effects
    }

    fn apply(&mut self, state: ModeState, effects: &[ModeEffect]) {
        let mut records = 0;
        for effect in effects {
            match effect {
                ModeEffect::RecordChange { from, to, by } => {
                    records += 1;
                    assert_eq!((*from, *to), (self.state.mode(), state.mode()));
                    assert!(from != to);
                    self.transcript.push(EntryBody::Mode { from: *from, to: *to, by: *by });
                }
                ModeEffect::WithdrawApproval => drop(self.approval.withdraw()),
                ModeEffect::SuspendRules => self.rules_aside = true,
                ModeEffect::RestoreRules => {
                    assert!(self.rules_aside, "nothing was set aside");
                    self.rules_aside = false;
                }
                ModeEffect::PlanEntered
                | ModeEffect::PlanLeft
                | ModeEffect::Notice { .. }
                | ModeEffect::Refused { .. } => {}
            }
        }
        assert_eq!(records, usize::from(self.state.mode() != state.mode()), "each change is recorded once");
        self.state = state;
    }

    /// Updates the oracle after a mode change by the user.
    fn by_hand(&mut self, to: Mode, before: Mode) {
        if to == Mode::Plan {
            self.held = self.held.or(Some(before));
        } else {
            self.held = None;
        }
    }

    fn op(&mut self, op: Op) {
        let before = self.state.mode();
        match op {
            Op::Set(to, by) => {
                let allowed = self.state.check_available(to).is_ok() && (by != ChangedBy::Model || to == Mode::Plan);
                self.event(ModeEvent::Set { to, by });
                if allowed {
                    self.by_hand(to, before);
                }
            }
            Op::Cycle => {
                let to = self.state.next_in_cycle();
                self.event(ModeEvent::Cycle);
                self.by_hand(to, before);
            }
            Op::Leave(by) => self.leave(None, by),
            Op::Forge(mode) => drop(self.event(ModeEvent::Approved { mode, by: ChangedBy::Model })),
            Op::Submit => self.submit(),
            Op::WritePlan(which) => self.plan = plan(which),
            Op::Answer { ask, choice, mode, edit } => self.answer(ask, choice, mode, edit),
            Op::Close(why) => self.close(why),
            Op::UserMessage => {
                self.approval.note_user_message();
                self.transcript.push(EntryBody::User {
                    text: "x".into(),
                    images: vec![],
                    meta: false,
                    plan_content: None,
                });
                self.event(ModeEvent::UserTurn);
            }
            Op::Request => self.request(),
            Op::Compacted => {
                self.transcript.push(EntryBody::Compaction { summary: "x".into(), kept: String::new() });
                self.event(ModeEvent::Compacted);
            }
            Op::Cleared => {
                self.transcript.push(EntryBody::Clear { plan_content: None });
                self.event(ModeEvent::Cleared);
            }
            Op::Auto(auto) => drop(self.event(ModeEvent::AutoChanged(auto))),
            Op::Resume(setup) => self.resume(setup),
            Op::Fork => drop(self.event(ModeEvent::PlanNamed("calm-running-otter".into()))),
        }
    }

    fn leave(&mut self, shown: Option<Mode>, by: ChangedBy) {
        let back = shown.unwrap_or(self.state.mode_after_leaving().0);
        let inside = self.state.is_planning();
        self.event(ModeEvent::Leave { to: shown, by });
        if inside && by != ChangedBy::Model {
            assert_eq!(self.state.mode(), back);
            let earlier = self.held.take().expect("plan mode was on");
            let lost = shown.is_some() || self.state.check_available(earlier).is_err();
            assert!(back == earlier || (back == Mode::Default && lost));
        }
    }

    fn submit(&mut self) {
        let ask_id = format!("ask{}", self.asks.len());
        let submission = super::tests::submission(&ask_id, self.plan.clone());
        match self.approval.submit(&self.state, submission) {
            SubmitOutcome::Ask(request) => {
                assert!(self.held.is_some());
                assert!(request.choices.iter().all(|choice| self.state.check_available(choice.mode).is_ok()));
                self.asks.push(ask_id);
            }
            SubmitOutcome::Refused { .. } => {
                assert!(self.held.is_none() || matches!(self.plan, PlanContent::Unreadable(_)));
            }
            SubmitOutcome::EndTurn { .. } => assert!(self.held.is_some()),
        }
    }

    fn answer(&mut self, ask: u8, choice: ChoiceKey, mode: Option<Mode>, edit: bool) {
        let ask_id = self.asks.iter().rev().nth(ask as usize).cloned().unwrap_or_default();
        let open = self.approval.open_request().cloned();
        let edit = edit.then(|| "# Edited\n".to_string());
        let answer = PlanAnswer { mode, plan: edit, ..PlanAnswer::new(ask_id.clone(), choice) };
        match self.approval.answer(&self.state, answer, &self.plan, None) {
            PlanVerdict::Approved(approved) => {
                let request = open.expect("an approval of something");
                assert_eq!(request.ask_id, ask_id);
                assert_eq!(request.sha256, self.plan.sha256(), "what was approved is what was shown");
                assert!(self.held.take().is_some() && approved.mode != Mode::Plan);
                assert!(!matches!(choice, ChoiceKey::KeepPlanning | ChoiceKey::Leave));
                self.event(ModeEvent::Approved { mode: approved.mode, by: ChangedBy::User });
                assert_eq!(self.state.mode(), approved.mode);
                let (slug, sha256) = ("calm-running-otter".into(), String::new());
                self.transcript.push(EntryBody::Plan { slug, revision: 1, sha256, outcome: "approved".into() });
            }
            PlanVerdict::Leave { mode, .. } => {
                assert_eq!(choice, ChoiceKey::Leave);
                self.leave(Some(mode), ChangedBy::User);
                assert_eq!(self.state.mode(), mode);
            }
            PlanVerdict::KeepPlanning { .. } => assert!(choice == ChoiceKey::KeepPlanning && self.held.is_some()),
            PlanVerdict::AskAgain { .. } | PlanVerdict::NotApproved { .. } => assert!(self.held.is_some()),
            PlanVerdict::Ignored { .. } => assert!(open.is_none_or(|open| open.ask_id != ask_id)),
        }
        assert!(self.approval.open_request().is_none_or(|open| open.ask_id != ask_id), "an answer applies once");
    }

    fn close(&mut self, why: u8) {
        let why = match why {
            0 => NoAnswer::Interrupted,
            1 => NoAnswer::Unreadable("x".into()),
            _ => NoAnswer::Failed("x".into()),
        };
        self.approval.close_unanswered(why);
        assert!(self.approval.open_request().is_none());
    }

    /// Sends a request to the model with the reminders that are due.
    fn request(&mut self) {
        let counts = PlanAgentLimits { explore_agents: 3, plan_agents: 1, warnings: vec![] };
        let instructions = PlanInstructions::new(PlanWorkflow::Phases, PlanLength::Full, &counts);
        let found = self.plan.clone();
        let context = reminder::ReminderContext { path: "/p.md", content: &found, instructions: &instructions };
        let due = reminder::due_reminders(&self.state, &context);
        let kinds: Vec<_> = due.reminders.iter().map(|reminder| reminder.kind).collect();
        assert!(!kinds.contains(&ReminderKind::PlanMode) || self.held.is_some());
        assert!(!kinds.contains(&ReminderKind::PlanModeExit) || self.held.is_none());
        for reminder in due.reminders {
            self.transcript.push(reminder.to_entry());
            self.event(ModeEvent::ReminderSent(reminder.kind));
        }
        assert!(self.held.is_none() || self.state.was_reminded(), "no request in plan mode without a reminder");
        let again = reminder::due_reminders(&self.state, &context).reminders;
        assert!(again.is_empty(), "the next request repeats nothing: {again:?}");
    }

    /// The process ends and another one resumes the session.
    fn resume(&mut self, setup: ModeSetup) {
        let old = self.state.clone();
        let (state, effects) = replay_mode(setup, &self.transcript);
        assert!(!old.is_planning() || state.is_planning(), "a resume never leaves plan mode");
        assert_eq!(old.pre_plan_mode(), state.pre_plan_mode());
        assert_eq!(old.has_exited_plan(), state.has_exited_plan());
        assert_eq!(old.needs_exit_reminder(), state.needs_exit_reminder());
        self.approval = PlanApprovalState::default();
        self.rules_aside = false;
        for effect in effects {
            match effect {
                ModeEffect::RecordChange { from, to, by } => self.transcript.push(EntryBody::Mode { from, to, by }),
                ModeEffect::SuspendRules => self.rules_aside = true,
                ModeEffect::RestoreRules => self.rules_aside = false,
                ModeEffect::PlanEntered
                | ModeEffect::PlanLeft
                | ModeEffect::WithdrawApproval
                | ModeEffect::Notice { .. }
                | ModeEffect::Refused { .. } => {}
            }
        }
        self.state = state;
    }

    fn check(&self) {
        // Plan mode must be on exactly while the oracle says so.
        assert_eq!(self.state.is_planning(), self.held.is_some());
        assert_eq!(self.state.pre_plan_mode(), self.held, "the earlier mode is kept, and only in plan mode");
        assert!(self.held != Some(Mode::Plan));
        assert_eq!(self.rules_aside, self.state.auto_active());
        assert!(self.state.check_available(self.state.mode()).is_ok());
        assert!(self.approval.open_request().is_none() || self.state.is_planning(), "a request outlived plan mode");
        assert!(!(self.state.is_planning() && self.state.needs_exit_reminder()));
        // The user can always leave by each of the three ways.
        if self.state.is_planning() {
            let default = ModeEvent::Set { to: Mode::Default, by: ChangedBy::User };
            for event in [ModeEvent::Leave { to: None, by: ChangedBy::User }, default, ModeEvent::Cycle] {
                assert!(!step(self.state.clone(), event).0.is_planning());
            }
        }
    }
}

fn plan(which: u8) -> PlanContent {
    match which {
        0 => PlanContent::Missing,
        1 => PlanContent::Text("# One\n".into()),
        2 => PlanContent::Text("# Two\n".into()),
        _ => PlanContent::Unreadable("not UTF-8".into()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn pm_15_no_event_sequence_breaks_plan_mode(setup in setup(), ops in ops()) {
        let mut world = World::new(setup);
        world.check();
        for op in ops {
            world.op(op);
            world.check();
        }
    }
}

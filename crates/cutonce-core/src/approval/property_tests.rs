//! PM-15, PM-17, PM-80: a session as the mode machine and the approval see it, under any sequence of events. The
//! oracle beside it is a few lines that know nothing of the machine: is plan mode on, and what was before.

use super::*;
use crate::mode::{AutoSettings, Effect, Event, Mode, ReminderKind, Setup, State, replay, step};
use crate::reminder::{self, Counts, Instructions};
use crate::settings::plan::{Length, Workflow};
use crate::submission::By;
use crate::transcript::Body;
use proptest::prelude::*;

/// One thing that happens to a session.
#[derive(Debug, Clone)]
enum Op {
    Set(Mode, By),
    Cycle,
    Leave(By),
    /// The model claims an approval that nobody gave.
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
    Auto(AutoSettings),
    Resume(Setup),
    Fork,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let mode = || prop::sample::select(Mode::ALL.to_vec());
    let by = || prop::sample::select(vec![By::User, By::Host, By::Model]);
    let choice = || {
        use ChoiceKey::{AcceptEdits, Clear, Default, KeepPlanning, Leave, Restore};
        prop::sample::select(vec![AcceptEdits, Default, Restore, Clear, KeepPlanning, Leave])
    };
    let answer = (0..4u8, choice(), prop::option::weighted(0.3, mode()), any::<bool>());
    let op = prop_oneof![
        4 => (mode(), by()).prop_map(|(mode, by)| Op::Set(mode, by)),
        3 => Just(Op::Set(Mode::Plan, By::User)),
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

fn switches() -> impl Strategy<Value = AutoSettings> {
    any::<(bool, bool, bool)>().prop_map(|(opted_in, gate_open, in_plan)| AutoSettings { opted_in, gate_open, in_plan })
}

fn setup() -> impl Strategy<Value = Setup> {
    (switches(), any::<bool>()).prop_map(|(auto, bypass_available)| Setup { auto, bypass_available })
}

struct World {
    state: State,
    approval: Approval,
    /// All asks of this session, oldest first.
    asks: Vec<String>,
    plan: Found,
    transcript: Vec<Body>,
    rules_aside: bool,
    /// The oracle: Some(mode before) while plan mode must hold.
    held: Option<Mode>,
}

impl World {
    fn new(setup: Setup) -> World {
        let (state, effects) = State::start(setup, Mode::Default, Mode::Default);
        assert!(effects.is_empty());
        World {
            state,
            approval: Approval::default(),
            asks: vec![],
            plan: Found::Nothing,
            transcript: vec![],
            rules_aside: false,
            held: None,
        }
    }

    fn event(&mut self, event: Event) -> Vec<Effect> {
        let (state, effects) = step(self.state.clone(), event);
        self.apply(state, &effects);
        effects
    }

    fn apply(&mut self, state: State, effects: &[Effect]) {
        let mut records = 0;
        for effect in effects {
            match effect {
                Effect::Record { from, to, by } => {
                    records += 1;
                    assert_eq!((*from, *to), (self.state.mode(), state.mode()));
                    assert!(from != to);
                    self.transcript.push(Body::Mode { from: *from, to: *to, by: *by });
                }
                Effect::WithdrawApproval => drop(self.approval.withdraw()),
                Effect::SetRulesAside => self.rules_aside = true,
                Effect::GiveRulesBack => {
                    assert!(self.rules_aside, "nothing was set aside");
                    self.rules_aside = false;
                }
                Effect::PlanEntered | Effect::PlanLeft | Effect::Notice { .. } | Effect::Refused { .. } => {}
            }
        }
        assert_eq!(records, usize::from(self.state.mode() != state.mode()), "each change is recorded once");
        self.state = state;
    }

    /// What the oracle expects of a change by hand.
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
                let allowed = self.state.available(to).is_ok() && (by != By::Model || to == Mode::Plan);
                self.event(Event::Set { to, by });
                if allowed {
                    self.by_hand(to, before);
                }
            }
            Op::Cycle => {
                let to = self.state.next_in_cycle();
                self.event(Event::Cycle);
                self.by_hand(to, before);
            }
            Op::Leave(by) => self.leave(by),
            Op::Forge(mode) => drop(self.event(Event::Approved { mode, by: By::Model })),
            Op::Submit => self.submit(),
            Op::WritePlan(which) => self.plan = plan(which),
            Op::Answer { ask, choice, mode, edit } => self.answer(ask, choice, mode, edit),
            Op::Close(why) => self.close(why),
            Op::UserMessage => {
                self.approval.user_message();
                self.transcript.push(Body::User { text: "x".into(), images: vec![], meta: false, plan_content: None });
                self.event(Event::HumanTurn);
            }
            Op::Request => self.request(),
            Op::Compacted => {
                self.transcript.push(Body::Compaction { summary: "x".into(), kept: String::new() });
                self.event(Event::Compacted);
            }
            Op::Cleared => {
                self.transcript.push(Body::Clear { plan_content: None });
                self.event(Event::Cleared);
            }
            Op::Auto(auto) => drop(self.event(Event::AutoChanged(auto))),
            Op::Resume(setup) => self.resume(setup),
            Op::Fork => drop(self.event(Event::Named("calm-running-otter".into()))),
        }
    }

    fn leave(&mut self, by: By) {
        let back = self.state.way_back().0;
        let inside = self.state.in_plan();
        self.event(Event::Leave { by });
        if inside && by != By::Model {
            assert_eq!(self.state.mode(), back);
            let earlier = self.held.take().expect("plan mode was on");
            assert!(back == earlier || (back == Mode::Default && self.state.available(earlier).is_err()));
        }
    }

    fn submit(&mut self) {
        let ask_id = format!("ask{}", self.asks.len());
        let submission = super::tests::submission(&ask_id, self.plan.clone());
        match self.approval.submit(&self.state, submission) {
            Submitted::Ask(request) => {
                assert!(self.held.is_some());
                assert!(request.choices.iter().all(|choice| self.state.available(choice.mode).is_ok()));
                self.asks.push(ask_id);
            }
            Submitted::Refused { .. } => {
                assert!(self.held.is_none() || matches!(self.plan, Found::Unreadable(_)));
            }
            Submitted::EndTurn { .. } => assert!(self.held.is_some()),
        }
    }

    fn answer(&mut self, ask: u8, choice: ChoiceKey, mode: Option<Mode>, edit: bool) {
        let ask_id = self.asks.iter().rev().nth(ask as usize).cloned().unwrap_or_default();
        let open = self.approval.open().cloned();
        let edit = edit.then(|| "# Edited\n".to_string());
        let answer = Answer { mode, plan: edit, ..Answer::new(ask_id.clone(), choice) };
        match self.approval.answer(&self.state, answer, &self.plan) {
            Verdict::Approved(approved) => {
                let request = open.expect("an approval of something");
                assert_eq!(request.ask_id, ask_id);
                assert_eq!(request.sha256, self.plan.sha256(), "what was approved is what was shown");
                assert!(self.held.take().is_some() && approved.mode != Mode::Plan);
                assert!(!matches!(choice, ChoiceKey::KeepPlanning | ChoiceKey::Leave));
                self.event(Event::Approved { mode: approved.mode, by: By::User });
                assert_eq!(self.state.mode(), approved.mode);
            }
            Verdict::Leave { mode, .. } => {
                assert_eq!(choice, ChoiceKey::Leave);
                self.leave(By::User);
                assert_eq!(self.state.mode(), mode);
            }
            Verdict::KeepPlanning { .. } => assert!(choice == ChoiceKey::KeepPlanning && self.held.is_some()),
            Verdict::AskAgain { .. } | Verdict::NotApproved { .. } => assert!(self.held.is_some()),
            Verdict::Ignored { .. } => assert!(open.is_none_or(|open| open.ask_id != ask_id)),
        }
        assert!(self.approval.open().is_none_or(|open| open.ask_id != ask_id), "an answer counts once");
    }

    fn close(&mut self, why: u8) {
        let why = match why {
            0 => NoAnswer::Escape,
            1 => NoAnswer::Interrupted,
            2 => NoAnswer::HostGone,
            3 => NoAnswer::TimedOut,
            _ => NoAnswer::Failed("x".into()),
        };
        self.approval.close(why);
        assert!(self.approval.open().is_none());
    }

    /// A request to the model leaves, with what is due.
    fn request(&mut self) {
        let counts = Counts { explore_agents: 3, plan_agents: 1, warnings: vec![] };
        let instructions = Instructions::new(Workflow::Phases, Length::Full, &counts);
        let found = self.plan.clone();
        let context = reminder::Context { path: "/p.md", found: &found, instructions: &instructions };
        let due = reminder::due(&self.state, &context);
        let kinds: Vec<_> = due.reminders.iter().map(|reminder| reminder.kind).collect();
        assert!(!kinds.contains(&ReminderKind::PlanMode) || self.held.is_some());
        assert!(!kinds.contains(&ReminderKind::PlanModeExit) || self.held.is_none());
        for reminder in due.reminders {
            self.transcript.push(reminder.entry());
            self.event(Event::ReminderSent(reminder.kind));
        }
        assert!(self.held.is_none() || self.state.reminded(), "no request in plan mode before the model was told");
        let again = reminder::due(&self.state, &context).reminders;
        assert!(again.is_empty(), "the next request repeats nothing: {again:?}");
    }

    /// The process ends and another one goes on.
    fn resume(&mut self, setup: Setup) {
        let old = self.state.clone();
        let (state, effects) = replay(setup, &self.transcript);
        assert!(!old.in_plan() || state.in_plan(), "a resume never leaves plan mode");
        assert_eq!(old.pre_plan_mode(), state.pre_plan_mode());
        assert_eq!(old.has_exited_plan(), state.has_exited_plan());
        assert_eq!(old.needs_exit_reminder(), state.needs_exit_reminder());
        self.approval = Approval::default();
        self.rules_aside = false;
        for effect in effects {
            match effect {
                Effect::Record { from, to, by } => self.transcript.push(Body::Mode { from, to, by }),
                Effect::SetRulesAside => self.rules_aside = true,
                Effect::GiveRulesBack => self.rules_aside = false,
                Effect::PlanEntered
                | Effect::PlanLeft
                | Effect::WithdrawApproval
                | Effect::Notice { .. }
                | Effect::Refused { .. } => {}
            }
        }
        self.state = state;
    }

    fn check(&self) {
        // Only the plan file can be written exactly while the mode is plan: that is what decides.
        assert_eq!(self.state.in_plan(), self.held.is_some());
        assert_eq!(self.state.pre_plan_mode(), self.held, "the earlier mode is kept, and only in plan mode");
        assert!(self.held != Some(Mode::Plan));
        assert_eq!(self.rules_aside, self.state.auto_active());
        assert!(self.state.available(self.state.mode()).is_ok());
        assert!(self.approval.open().is_none() || self.state.in_plan(), "a request outlived plan mode");
        assert!(!(self.state.in_plan() && self.state.needs_exit_reminder()));
        // Whatever happened, the user gets out by each of the three ways.
        if self.state.in_plan() {
            let default = Event::Set { to: Mode::Default, by: By::User };
            for event in [Event::Leave { by: By::User }, default, Event::Cycle] {
                assert!(!step(self.state.clone(), event).0.in_plan());
            }
        }
    }
}

fn plan(which: u8) -> Found {
    match which {
        0 => Found::Nothing,
        1 => Found::Plan("# One\n".into()),
        2 => Found::Plan("# Two\n".into()),
        _ => Found::Unreadable("not UTF-8".into()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn pm_15_no_sequence_of_events_breaks_plan_mode(setup in setup(), ops in ops()) {
        let mut world = World::new(setup);
        world.check();
        for op in ops {
            world.op(op);
            world.check();
        }
    }
}

//! PM-121 to PM-123: no order of mode events, resumes and settings changes loses, duplicates or leaves suspended a
//! rule.

mod world;

use cutonce_core::mode::{
    AutoModeGate, Mode, ModeEffect, ModeEvent, ModeSetup, ModeState, ReminderKind, replay_mode, step,
};
use cutonce_core::permission::rules::{ConfigSource, RuleBehavior, RuleSet};
use cutonce_core::protocol::submission::ChangedBy;
use cutonce_core::transcript::EntryBody;
use proptest::prelude::*;
use world::*;

const HARMLESS: [&str; 4] =
    ["allow Bash(npm test)", "allow Edit(src/**)", "ask Bash(git push:*)", "deny Bash(python:*)"];
const DANGEROUS: [&str; 5] = [
    "allow Bash(npm run:*)",
    "allow Bash(git * main)",
    "allow Bash(python3 tool.py)",
    "allow Agent",
    "allow Agent(Explore)",
];

#[test]
fn pm_120_rules_that_bypass_the_classifier() {
    let skips = |text: &str| rules(&[text]).rules()[0].bypasses_classifier();
    for text in DANGEROUS {
        assert!(skips(text), "{text}");
    }
    for text in ["allow Bash", "allow Bash(*)", "allow Bash(/usr/bin/python3.12 x)", "allow Bash(sudo make install)"] {
        assert!(skips(text), "{text}");
    }
    for text in HARMLESS {
        assert!(!skips(text), "{text}");
    }
    for text in [
        "allow Write",
        "allow WebFetch(domain:example.org)",
        "allow mcp__files",
        "deny Bash",
        "ask Agent",
        "allow Read",
    ] {
        assert!(!skips(text), "{text}");
    }
}

#[test]
fn pm_120_suspended_rules_do_not_allow() {
    let mut held = rules(&["allow Bash(npm run:*)", "allow Bash(npm test)", "allow Edit(src/**)"]);
    let outcomes = |rules: &RuleSet| {
        [bash("npm run build"), bash("npm test"), write("src/a")].map(|facts| outcome(Mode::Auto, rules, facts))
    };
    assert_eq!(outcomes(&held), ["run", "run", "run"]);
    held.set_suspended(true);
    held.set_suspended(true);
    assert_eq!(outcomes(&held), ["ask", "run", "run"]);
    assert_eq!(held.suspended_rules().map(|rule| rule.text.as_str()).collect::<Vec<_>>(), ["Bash(npm run:*)"]);
    // "Don't ask again" offers no rule that would be suspended immediately.
    let offered = |command: &str| match cutonce_core::permission::decide(Mode::Auto, &held, bash(command)) {
        cutonce_core::permission::Decision::Ask(ask) => {
            ask.suggestions.into_iter().flat_map(|one| one.rules).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(offered("npm run build"), ["Bash(npm run build)"]);
    assert_eq!(offered("python3 x.py"), [] as [&str; 0]);
    assert_eq!(outcomes(&held.clone().without_suspension()), ["run", "run", "run"], "another session has its own mode");
    held.set_suspended(false);
    assert_eq!(outcomes(&held), ["run", "run", "run"]);
}

#[derive(Debug, Clone)]
enum Step {
    Mode(ModeEvent),
    /// Another process resumes with these switches.
    Resume(ModeSetup),
    Remember(&'static str),
    Forget(&'static str),
}

fn modes() -> impl Strategy<Value = Mode> {
    proptest::sample::select(Mode::ALL.to_vec())
}

fn switches() -> impl Strategy<Value = AutoModeGate> {
    let often = proptest::bool::weighted(0.8);
    (often, often, often).prop_map(|(opted_in, gate_open, in_plan)| AutoModeGate { opted_in, gate_open, in_plan })
}

fn setups() -> impl Strategy<Value = ModeSetup> {
    (switches(), any::<bool>()).prop_map(|(auto, bypass_available)| ModeSetup { auto, bypass_available })
}

fn steps() -> impl Strategy<Value = Step> {
    let by = || proptest::sample::select(vec![ChangedBy::User, ChangedBy::Host, ChangedBy::Model]);
    let text = || proptest::sample::select(vec!["Bash(cargo:*)", "Agent(Plan)", "Write", "Bash(npm test)"]);
    prop_oneof![
        4 => (modes(), by()).prop_map(|(to, by)| Step::Mode(ModeEvent::Set { to, by })),
        2 => Just(Step::Mode(ModeEvent::Cycle)),
        2 => by().prop_map(|by| Step::Mode(ModeEvent::Leave { to: None, by })),
        2 => (modes(), by()).prop_map(|(mode, by)| Step::Mode(ModeEvent::Approved { mode, by })),
        3 => switches().prop_map(|auto| Step::Mode(ModeEvent::AutoChanged(auto))),
        1 => Just(Step::Mode(ModeEvent::UserTurn)),
        1 => Just(Step::Mode(ModeEvent::ReminderSent(ReminderKind::PlanMode))),
        1 => Just(Step::Mode(ModeEvent::ReminderSent(ReminderKind::AutoModeExit))),
        1 => Just(Step::Mode(ModeEvent::Compacted)),
        1 => Just(Step::Mode(ModeEvent::Cleared)),
        2 => setups().prop_map(Step::Resume),
        1 => text().prop_map(Step::Remember),
        1 => text().prop_map(Step::Forget),
    ]
}

/// The rules of a new process: the user's and the project's.
fn fresh() -> RuleSet {
    let user = HARMLESS.iter().chain(&DANGEROUS).map(|line| (line, ConfigSource::User));
    let project = ["allow Bash(make:*)", "deny Write(secret)"].iter().map(|line| (line, ConfigSource::Project));
    let written = user.chain(project).map(|(line, source)| {
        let (behavior, text) = line.split_once(' ').unwrap_or((line, ""));
        let behavior = match behavior {
            "allow" => RuleBehavior::Allow,
            "ask" => RuleBehavior::Ask,
            _ => RuleBehavior::Deny,
        };
        written(behavior, text, source)
    });
    rules_from(written.collect())
}

/// Every rule as written.
fn all(rules: &RuleSet) -> Vec<String> {
    let one =
        |rule: &cutonce_core::permission::rules::Rule| format!("{:?} {} {:?}", rule.behavior, rule.text, rule.source);
    let mut all: Vec<String> = rules.rules().iter().map(one).collect();
    all.sort();
    all
}

fn apply(effects: &[ModeEffect], rules: &mut RuleSet, transcript: &mut Vec<EntryBody>) {
    for effect in effects {
        match effect {
            ModeEffect::SuspendRules => rules.set_suspended(true),
            ModeEffect::RestoreRules => rules.set_suspended(false),
            ModeEffect::RecordChange { from, to, by } => {
                transcript.push(EntryBody::Mode { from: *from, to: *to, by: *by })
            }
            ModeEffect::PlanEntered
            | ModeEffect::PlanLeft
            | ModeEffect::WithdrawApproval
            | ModeEffect::Notice { .. }
            | ModeEffect::Refused { .. } => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn pm_123_rules_are_never_lost_or_duplicated(setup in setups(), mode in modes(), steps in proptest::collection::vec(steps(), 0..40)) {
        let (mut rules, mut transcript) = (fresh(), Vec::new());
        let mut plain = fresh();
        let (mut state, effects) = ModeState::start(setup, Mode::Default, mode);
        apply(&effects, &mut rules, &mut transcript);
        for one in steps {
            let was_active = state.auto_active();
            match one {
                Step::Mode(event) => {
                    if let ModeEvent::ReminderSent(kind) = &event {
                        // Only due reminders are sent, and they are in the transcript.
                        let due = match kind {
                            ReminderKind::AutoModeExit => state.needs_auto_exit_reminder(),
                            _ => state.is_planning(),
                        };
                        if !due { continue; }
                        transcript.push(EntryBody::Reminder { kind: kind.name().into(), form: None, path: None, exists: None, text: String::new() });
                    }
                    let told = matches!(event, ModeEvent::ReminderSent(ReminderKind::AutoModeExit));
                    let (next, effects) = step(state, event);
                    state = next;
                    apply(&effects, &mut rules, &mut transcript);
                    // PM-123: when auto mode ends, the model gets one reminder.
                    if was_active && !state.auto_active() { prop_assert!(state.needs_auto_exit_reminder()); }
                    if told { prop_assert!(!state.needs_auto_exit_reminder()); }
                }
                Step::Resume(setup) => {
                    (rules, plain) = (fresh(), fresh());
                    let (next, effects) = replay_mode(setup, &transcript);
                    state = next;
                    apply(&effects, &mut rules, &mut transcript);
                }
                Step::Remember(text) => {
                    prop_assert!(rules.add_for_session(RuleBehavior::Allow, text).is_ok());
                    prop_assert!(plain.add_for_session(RuleBehavior::Allow, text).is_ok());
                }
                Step::Forget(text) => {
                    prop_assert_eq!(rules.remove_for_session(RuleBehavior::Allow, text), plain.remove_for_session(RuleBehavior::Allow, text));
                }
            }
            // Never lost or duplicated: the same rules as without auto mode.
            prop_assert_eq!(all(&rules), all(&plain));
            // Suspended exactly while auto mode is active.
            let aside = rules.suspended_rules().count();
            let dangerous = rules.rules().iter().filter(|rule| rule.bypasses_classifier()).count();
            prop_assert_eq!(aside, if state.auto_active() { dangerous } else { 0 });
            // PM-121, PM-122: when auto mode may be active.
            let auto = state.setup().auto;
            let wanted = match state.mode() {
                Mode::Auto => true,
                Mode::Plan => auto.opted_in && auto.gate_open && auto.in_plan && state.pre_plan_mode() != Some(Mode::BypassPermissions),
                Mode::Default | Mode::AcceptEdits | Mode::BypassPermissions => false,
            };
            prop_assert_eq!(state.auto_active(), wanted);
            if state.mode() == Mode::Auto { prop_assert!(auto.opted_in && auto.gate_open); }
            if state.auto_active() { prop_assert!(!state.needs_auto_exit_reminder()); }
        }
    }
}

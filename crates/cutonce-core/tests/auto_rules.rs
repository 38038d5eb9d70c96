//! PM-121 to PM-123: through any order of mode events, resumes and changes of settings, no rule is ever lost, doubled or left aside.

mod world;

use cutonce_core::mode::{AutoSettings, Effect, Event, Mode, ReminderKind, Setup, State, replay, step};
use cutonce_core::rule::{Behavior, Rules, Source};
use cutonce_core::submission::By;
use cutonce_core::transcript::Body;
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
fn pm_120_which_rules_would_skip_the_judgement() {
    let skips = |text: &str| rules(&[text]).rules()[0].skips_judgement();
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
fn pm_120_what_is_set_aside_does_not_allow_and_what_is_given_back_does() {
    let mut held = rules(&["allow Bash(npm run:*)", "allow Bash(npm test)", "allow Edit(src/**)"]);
    let outcomes = |rules: &Rules| {
        [bash("npm run build"), bash("npm test"), write("src/a")].map(|facts| outcome(Mode::Auto, rules, facts))
    };
    assert_eq!(outcomes(&held), ["run", "run", "run"]);
    held.set_judged(true);
    held.set_judged(true);
    assert_eq!(outcomes(&held), ["ask", "run", "run"]);
    assert_eq!(held.aside_for_judgement().map(|rule| rule.text.as_str()).collect::<Vec<_>>(), ["Bash(npm run:*)"]);
    // What would be set aside at once is not offered as «don't ask again»; what would count is.
    let offered = |command: &str| match cutonce_core::permission::decide(Mode::Auto, &held, bash(command)) {
        cutonce_core::permission::Decision::Ask(ask) => {
            ask.suggestions.into_iter().flat_map(|one| one.rules).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(offered("npm run build"), ["Bash(npm run build)"]);
    assert_eq!(offered("python3 x.py"), [] as [&str; 0]);
    assert_eq!(outcomes(&held.clone().unjudged()), ["run", "run", "run"], "another session has its own mode");
    held.set_judged(false);
    assert_eq!(outcomes(&held), ["run", "run", "run"]);
}

#[derive(Debug, Clone)]
enum Step {
    Mode(Event),
    /// Another process goes on, with these switches.
    Resume(Setup),
    Remember(&'static str),
    Forget(&'static str),
}

fn modes() -> impl Strategy<Value = Mode> {
    proptest::sample::select(Mode::ALL.to_vec())
}

fn switches() -> impl Strategy<Value = AutoSettings> {
    let often = proptest::bool::weighted(0.8);
    (often, often, often).prop_map(|(opted_in, gate_open, in_plan)| AutoSettings { opted_in, gate_open, in_plan })
}

fn setups() -> impl Strategy<Value = Setup> {
    (switches(), any::<bool>()).prop_map(|(auto, bypass_available)| Setup { auto, bypass_available })
}

fn steps() -> impl Strategy<Value = Step> {
    let by = || proptest::sample::select(vec![By::User, By::Host, By::Model]);
    let text = || proptest::sample::select(vec!["Bash(cargo:*)", "Agent(Plan)", "Write", "Bash(npm test)"]);
    prop_oneof![
        4 => (modes(), by()).prop_map(|(to, by)| Step::Mode(Event::Set { to, by })),
        2 => Just(Step::Mode(Event::Cycle)),
        2 => by().prop_map(|by| Step::Mode(Event::Leave { by })),
        2 => (modes(), by()).prop_map(|(mode, by)| Step::Mode(Event::Approved { mode, by })),
        3 => switches().prop_map(|auto| Step::Mode(Event::AutoChanged(auto))),
        1 => Just(Step::Mode(Event::HumanTurn)),
        1 => Just(Step::Mode(Event::ReminderSent(ReminderKind::PlanMode))),
        1 => Just(Step::Mode(Event::ReminderSent(ReminderKind::AutoModeExit))),
        1 => Just(Step::Mode(Event::Compacted)),
        1 => Just(Step::Mode(Event::Cleared)),
        2 => setups().prop_map(Step::Resume),
        1 => text().prop_map(Step::Remember),
        1 => text().prop_map(Step::Forget),
    ]
}

/// The rules of a process that begins: the user's and the project's.
fn fresh() -> Rules {
    let user = HARMLESS.iter().chain(&DANGEROUS).map(|line| (line, Source::User));
    let project = ["allow Bash(make:*)", "deny Write(secret)"].iter().map(|line| (line, Source::Project));
    let written = user.chain(project).map(|(line, source)| {
        let (behavior, text) = line.split_once(' ').unwrap_or((line, ""));
        let behavior = match behavior {
            "allow" => Behavior::Allow,
            "ask" => Behavior::Ask,
            _ => Behavior::Deny,
        };
        written(behavior, text, source)
    });
    rules_from(written.collect())
}

/// Every rule as somebody wrote it.
fn all(rules: &Rules) -> Vec<String> {
    let one = |rule: &cutonce_core::rule::Rule| format!("{:?} {} {:?}", rule.behavior, rule.text, rule.source);
    let mut all: Vec<String> = rules.rules().iter().map(one).collect();
    all.sort();
    all
}

fn apply(effects: &[Effect], rules: &mut Rules, transcript: &mut Vec<Body>) {
    for effect in effects {
        match effect {
            Effect::SetRulesAside => rules.set_judged(true),
            Effect::GiveRulesBack => rules.set_judged(false),
            Effect::Record { from, to, by } => transcript.push(Body::Mode { from: *from, to: *to, by: *by }),
            Effect::PlanEntered
            | Effect::PlanLeft
            | Effect::WithdrawApproval
            | Effect::Notice { .. }
            | Effect::Refused { .. } => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn pm_123_rules_are_never_lost_or_doubled(setup in setups(), mode in modes(), steps in proptest::collection::vec(steps(), 0..40)) {
        let (mut rules, mut transcript) = (fresh(), Vec::new());
        let mut plain = fresh();
        let (mut state, effects) = State::start(setup, Mode::Default, mode);
        apply(&effects, &mut rules, &mut transcript);
        for one in steps {
            let was_active = state.auto_active();
            match one {
                Step::Mode(event) => {
                    if let Event::ReminderSent(kind) = &event {
                        // Only what is due is sent, and it is in the transcript.
                        let due = match kind {
                            ReminderKind::AutoModeExit => state.needs_auto_exit_reminder(),
                            _ => state.in_plan(),
                        };
                        if !due { continue; }
                        transcript.push(Body::Reminder { kind: kind.name().into(), form: None, path: None, exists: None, text: String::new() });
                    }
                    let told = matches!(event, Event::ReminderSent(ReminderKind::AutoModeExit));
                    let (next, effects) = step(state, event);
                    state = next;
                    apply(&effects, &mut rules, &mut transcript);
                    // PM-123: what was on and is not any more is told, once.
                    if was_active && !state.auto_active() { prop_assert!(state.needs_auto_exit_reminder()); }
                    if told { prop_assert!(!state.needs_auto_exit_reminder()); }
                }
                Step::Resume(setup) => {
                    (rules, plain) = (fresh(), fresh());
                    let (next, effects) = replay(setup, &transcript);
                    state = next;
                    apply(&effects, &mut rules, &mut transcript);
                }
                Step::Remember(text) => {
                    prop_assert!(rules.add_for_session(Behavior::Allow, text).is_ok());
                    prop_assert!(plain.add_for_session(Behavior::Allow, text).is_ok());
                }
                Step::Forget(text) => {
                    prop_assert_eq!(rules.remove_for_session(Behavior::Allow, text), plain.remove_for_session(Behavior::Allow, text));
                }
            }
            // Never lost, never doubled: the same rules as where nobody ever heard of auto mode.
            prop_assert_eq!(all(&rules), all(&plain));
            // Aside exactly while auto is active.
            let aside = rules.aside_for_judgement().count();
            let dangerous = rules.rules().iter().filter(|rule| rule.skips_judgement()).count();
            prop_assert_eq!(aside, if state.auto_active() { dangerous } else { 0 });
            // PM-121, PM-122: when it may be active at all.
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

//! Section 8 of the contract: what is due when, and what it says.

use super::*;
use crate::mode::{AutoSettings, Event, Mode, Setup, step};
use crate::settings::Plan;
use crate::settings::plan::{Length, Workflow};
use crate::submission::By;
use crate::template::placeholders;
use serde_json::json;

const PATH: &str = "/home/somebody/.cutonce/plans/peaceful-dancing-firefly.md";

fn instructions() -> Instructions {
    Instructions::new(Workflow::Phases, Length::Full, &counts(None, None, &Plan::default()))
}

fn plan() -> Found {
    Found::Plan("# Plan\n".into())
}

/// A session that is only reminded.
struct Session {
    state: State,
    found: Found,
}

impl Session {
    fn new(mode: Mode) -> Session {
        Session { state: State::start(Setup::default(), Mode::Default, mode).0, found: Found::Nothing }
    }
    fn event(&mut self, event: Event) {
        self.state = step(self.state.clone(), event).0;
    }
    fn set(&mut self, to: Mode) {
        self.event(Event::Set { to, by: By::User });
    }
    /// A request leaves; the names of what it carried.
    fn request(&mut self) -> Vec<String> {
        let instructions = instructions();
        let due = due(&self.state, &Context { path: PATH, found: &self.found, instructions: &instructions });
        assert_eq!(due.trouble, Vec::<String>::new());
        let name = |reminder: &Reminder| match reminder.form {
            Some(form) => form.name().to_string(),
            None => reminder.kind.name().to_string(),
        };
        let names = due.reminders.iter().map(name).collect();
        for reminder in due.reminders {
            self.event(Event::ReminderSent(reminder.kind));
        }
        names
    }
    /// A human turn with a tool loop behind it.
    fn turn(&mut self) -> Vec<String> {
        self.event(Event::HumanTurn);
        let first = self.request();
        for _ in 0..20 {
            assert_eq!(self.request(), [""; 0], "a tool loop repeats nothing");
        }
        first
    }
}

#[test]
fn pm_90_a_reminder_becomes_an_entry() {
    let state = Session::new(Mode::Plan).state;
    let due = due(&state, &Context { path: PATH, found: &plan(), instructions: &instructions() });
    let entry = serde_json::to_value(due.reminders[0].entry()).unwrap();
    assert_eq!(entry["type"], "reminder");
    assert_eq!((&entry["kind"], &entry["form"]), (&json!("plan_mode"), &json!("full")));
    assert_eq!((&entry["path"], &entry["exists"]), (&json!(PATH), &json!(true)));
    let agent = subagent("/p-agent-1.md", false);
    assert_eq!((agent.kind, agent.form), (ReminderKind::PlanMode, Some(Form::Subagent)));
    assert!(agent.text.contains("/p-agent-1.md") && agent.text.contains("change nothing"));
}

#[test]
fn pm_91_human_turns_1_6_11_and_nothing_in_between() {
    let mut session = Session::new(Mode::Plan);
    let carried: Vec<usize> = (1..=16).filter(|_| !session.turn().is_empty()).collect();
    assert_eq!(carried, [1, 6, 11, 16]);
}

#[test]
fn pm_91_entered_in_the_middle_of_a_turn() {
    let mut session = Session::new(Mode::Default);
    assert_eq!(session.turn(), [""; 0]);
    session.event(Event::Set { to: Mode::Plan, by: By::Model });
    assert_eq!(session.request(), ["full"], "with the next request of the same turn");
    assert_eq!(session.request(), [""; 0]);
    // That turn was the first of the stay.
    let carried: Vec<usize> = (2..=11).filter(|_| !session.turn().is_empty()).collect();
    assert_eq!(carried, [6, 11]);
}

#[test]
fn pm_91_human_turns_outside_plan_mode_do_not_count() {
    let mut session = Session::new(Mode::Plan);
    session.turn();
    session.set(Mode::Default);
    for _ in 0..7 {
        session.turn();
    }
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["full"]);
    assert_eq!(session.turn(), [""; 0]);
}

#[test]
fn pm_92_every_fifth_reminder_is_full() {
    let mut session = Session::new(Mode::Plan);
    let forms: Vec<String> = (0..51).flat_map(|_| session.turn()).collect();
    let full: Vec<usize> =
        forms.iter().zip(1..).filter(|(form, _)| *form == "full").map(|(_, number)| number).collect();
    assert_eq!((full, forms.len()), (vec![1, 6, 11], 11));
    assert!(forms.iter().all(|form| form == "full" || form == "sparse"));
}

#[test]
fn pm_93_coming_back_to_a_plan_is_said_first_and_once() {
    let mut session = Session::new(Mode::Plan);
    assert_eq!(session.turn(), ["full"]);
    session.found = plan();
    session.set(Mode::Default);
    session.turn();
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["plan_mode_reentry", "full"]);
    for _ in 0..20 {
        assert!(!session.turn().contains(&"plan_mode_reentry".to_string()));
    }
    // And again after the next exit.
    session.set(Mode::Default);
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["plan_mode_reentry", "full"]);
}

#[test]
fn pm_93_without_an_old_plan_nothing_is_said_even_when_one_is_written_later() {
    let mut session = Session::new(Mode::Plan);
    session.turn();
    session.set(Mode::Default);
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["full"]);
    session.found = plan();
    let all: Vec<String> = (0..20).flat_map(|_| session.turn()).collect();
    assert!(!all.contains(&"plan_mode_reentry".to_string()), "{all:?}");
    // Left before the model was ever told: there is nothing to come back to.
    let mut session = Session::new(Mode::Plan);
    session.found = plan();
    session.set(Mode::Default);
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["full"]);
}

#[test]
fn pm_93_the_text() {
    let text = reentry(PATH).text;
    for part in
        [PATH, "read it", "compare", "Another task: start over", "same task", "revise", "before you call ExitPlanMode"]
    {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn pm_94_after_leaving_one_exit_reminder() {
    let mut session = Session::new(Mode::Plan);
    session.turn();
    session.set(Mode::AcceptEdits);
    assert_eq!(session.request(), ["plan_mode_exit"]);
    assert_eq!(session.turn(), [""; 0]);
    // Entered again meanwhile: none.
    session.set(Mode::Plan);
    session.turn();
    session.set(Mode::Default);
    session.set(Mode::Plan);
    assert!(!session.request().contains(&"plan_mode_exit".to_string()));
    // In and out without a word to the model: none.
    let mut session = Session::new(Mode::Default);
    session.set(Mode::Plan);
    session.set(Mode::Default);
    assert_eq!(session.turn(), [""; 0]);
    assert!(exit(PATH, true).text.contains(PATH) && !exit(PATH, false).text.contains(PATH));
}

#[test]
fn pm_50_after_a_compaction_the_plan_and_the_full_text_come_again() {
    let mut session = Session::new(Mode::Plan);
    session.turn();
    session.found = Found::Plan("# Plan\n\nmarker-word {path}\n".into());
    session.event(Event::Compacted);
    assert_eq!(session.request(), ["plan_file_reference", "full"]);
    assert_eq!(session.turn(), [""; 0]);
    let text = plan_file_reference(PATH, "# Plan\n\nmarker-word {path}\n").text;
    assert!(text.contains(PATH) && text.contains("marker-word {path}"));
    assert_eq!(referenced_plan(&text), Some("# Plan\n\nmarker-word {path}\n"));
    // Outside plan mode the plan comes too, but no instructions; without a plan nothing does.
    session.set(Mode::Default);
    session.request();
    session.event(Event::Compacted);
    assert_eq!(session.request(), ["plan_file_reference"]);
    session.found = Found::Nothing;
    session.event(Event::Compacted);
    assert_eq!(session.request(), [""; 0]);
    // A cleared conversation has no plan to refer to; plan mode is explained anew.
    session.set(Mode::Plan);
    session.turn();
    session.event(Event::Cleared);
    assert_eq!(session.turn(), ["full"]);
}

/// A cautious guess: 3.5 characters a token.
fn tokens(text: &str) -> usize {
    (text.chars().count() * 2).div_ceil(7)
}

fn all_instructions() -> Vec<Instructions> {
    let counts = Counts { explore_agents: 10, plan_agents: 10, warnings: vec![] };
    let lengths = [Length::Full, Length::Trim, Length::Cut, Length::Cap];
    let all = lengths.into_iter().flat_map(|length| [(Workflow::Phases, length), (Workflow::Interview, length)]);
    all.map(|(workflow, length)| Instructions::new(workflow, length, &counts)).collect()
}

#[test]
fn pm_95_the_full_text_holds_what_it_must_within_its_bounds() {
    for instructions in all_instructions() {
        for exists in [false, true] {
            let text = instructions.full(PATH, exists).unwrap();
            let parts = [
                "Change nothing",
                "The one exception is the plan file",
                "overrules every other instruction",
                PATH,
                "only with AskUserQuestion",
                "or with ExitPlanMode",
                "Research questions",
                "Never ask for approval in your text or by AskUserQuestion",
            ];
            for part in parts {
                assert!(text.contains(part), "{part}");
            }
            assert_eq!(text.contains("Create it at"), !exists);
            assert_eq!(text.contains("change it with the Edit tool"), exists);
            assert!(tokens(&text) < 900, "{} tokens", tokens(&text));
            assert_eq!(placeholders(&text), [""; 0]);
        }
        let sparse = instructions.sparse(PATH);
        assert!(sparse.contains(PATH) && sparse.contains("ExitPlanMode") && sparse.contains("AskUserQuestion"));
        assert!(tokens(&sparse) < 120, "{} tokens", tokens(&sparse));
        assert_eq!(placeholders(&sparse), [""; 0]);
    }
    let others =
        [short(PATH), subagent(PATH, true), reentry(PATH), exit(PATH, true), exit(PATH, false), auto_mode_exit()];
    for reminder in others.iter().chain([&plan_file_reference(PATH, "# P")]) {
        assert_eq!(placeholders(&reminder.text), [""; 0], "{:?}", reminder.kind);
    }
}

#[test]
fn pm_96_five_phases_with_their_agents() {
    let counts = Counts { explore_agents: 4, plan_agents: 2, warnings: vec![] };
    let text = Instructions::new(Workflow::Phases, Length::Full, &counts).full(PATH, false).unwrap();
    let headings = ["1. Understand.", "2. Design.", "3. Review.", "4. Write the plan.", "5. Exit."];
    let places: Vec<_> = headings.iter().map(|heading| text.find(heading).unwrap()).collect();
    assert!(places.is_sorted());
    let parts = [
        "only Explore agents",
        "as few as serve, at most 4",
        "one by default, at most 2",
        "Skip this for trivial work",
        "all you found",
        "Read the key files",
        "against the request",
        "Ask the user",
        "why the change is made",
        "one recommended way in ordered steps",
        "files to change",
        "what to reuse and where it is",
        "risks",
        "verify it end to end",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn pm_97_the_interview_replaces_the_phases_and_the_variable_wins() {
    let counts = counts(None, None, &Plan::default());
    let text = Instructions::new(Workflow::Interview, Length::Full, &counts).full(PATH, false).unwrap();
    for part in ["Scan a few files", "skeleton", "first questions early", "until nothing is open"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("Explore agents") && !text.contains("1. Understand"));
    let check =
        |variable: Option<&str>, setting, expected| assert_eq!(workflow(variable, setting), expected, "{variable:?}");
    for word in ["1", "true", "YES", " on "] {
        check(Some(word), Workflow::Phases, Workflow::Interview);
    }
    for word in ["0", "false", "No", "off"] {
        check(Some(word), Workflow::Interview, Workflow::Phases);
    }
    for word in [None, Some(""), Some("maybe"), Some("2")] {
        check(word, Workflow::Interview, Workflow::Interview);
        check(word, Workflow::Phases, Workflow::Phases);
    }
}

#[test]
fn pm_98_length_changes_what_the_fourth_phase_asks_for() {
    let texts: Vec<String> = all_instructions().iter().map(|each| each.full(PATH, false).unwrap()).collect();
    let distinct: std::collections::BTreeSet<_> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len());
    assert_eq!(texts.iter().filter(|text| text.contains("At most 40 lines")).count(), 2, "cap, in both workflows");
}

#[test]
fn pm_99_counts_from_variables_then_settings_then_defaults() {
    let settings: Plan = serde_json::from_value(json!({ "exploreAgents": 7, "planAgents": 2 })).unwrap();
    let check = |variable: Option<&str>, explore: u8, plan: u8, warnings: usize| {
        let counts = counts(variable, variable, &settings);
        assert_eq!((counts.explore_agents, counts.plan_agents), (explore, plan), "{variable:?}");
        assert_eq!(counts.warnings.len(), warnings, "{variable:?}: {:?}", counts.warnings);
    };
    check(None, 7, 2, 0);
    check(Some("1"), 1, 1, 0);
    check(Some("10"), 10, 10, 0);
    for bad in ["0", "11", "-1", "+3", "3.0", "x", "", " 3", "99999999999"] {
        check(Some(bad), 7, 2, 2);
    }
    let defaults = counts(None, None, &Plan::default());
    assert_eq!((defaults.explore_agents, defaults.plan_agents), (3, 1));
    let warning = &counts(Some("x"), None, &Plan::default()).warnings[0];
    assert!(warning.contains("CUTONCE_PLAN_EXPLORE_AGENTS") && warning.contains("`x`"), "{warning}");
}

#[test]
fn pm_100_where_no_reminder_can_be_made_a_short_one_goes_out_and_somebody_is_told() {
    let state = Session::new(Mode::Plan).state;
    let check = |found: Found, instead: Option<Result<String, String>>, cause: &str| {
        let instructions = Instructions { instead, ..instructions() };
        let due = due(&state, &Context { path: PATH, found: &found, instructions: &instructions });
        assert_eq!(due.reminders.iter().map(|each| each.form).collect::<Vec<_>>(), [Some(Form::Short)]);
        let text = &due.reminders[0].text;
        assert!(text.contains(PATH) && text.contains("change nothing but the plan file"), "{text}");
        assert!(due.trouble.len() == 1 && due.trouble[0].contains(cause), "{:?}", due.trouble);
    };
    check(Found::Unreadable("permission denied".into()), None, "permission denied");
    check(Found::Nothing, Some(Err("no such file".into())), "no such file");
    check(Found::Nothing, Some(Ok(" \n".into())), "empty");
    // A text of one's own replaces the workflow, never the rules.
    let own = Instructions { instead: Some(Ok("Ask the elders. Use {explore_agents}.".into())), ..instructions() };
    let text = own.full(PATH, false).unwrap();
    assert!(text.contains("Ask the elders. Use 3.") && text.contains("overrules") && !text.contains("1. Understand"));
}

#[test]
fn pm_123_the_model_is_told_once_that_auto_mode_is_off() {
    let auto = AutoSettings { opted_in: true, gate_open: true, in_plan: false };
    let mut session = Session::new(Mode::Default);
    session.event(Event::AutoChanged(auto));
    session.set(Mode::Auto);
    assert_eq!(session.turn(), [""; 0]);
    session.set(Mode::Default);
    assert_eq!(session.turn(), ["auto_mode_exit"]);
    assert_eq!(session.turn(), [""; 0]);
}

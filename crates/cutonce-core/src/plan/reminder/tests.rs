//! Section 8 of the contract: when reminders are due, and their texts.

use super::*;
use crate::mode::{AutoModeGate, Mode, ModeEvent, ModeSetup, step};
use crate::plan::PlanningTools;
use crate::protocol::submission::ChangedBy;
use crate::settings::PlanSettings;
use crate::settings::plan::{PlanLength, PlanWorkflow};
use crate::text::template::placeholders;
use serde_json::json;

const PATH: &str = "/home/user/.cutonce/plans/peaceful-dancing-firefly.md";

fn instructions() -> PlanInstructions {
    PlanInstructions::new(
        PlanWorkflow::Phases,
        PlanLength::Full,
        &plan_agent_limits(None, None, &PlanSettings::default()),
    )
}

fn plan() -> PlanContent {
    PlanContent::Text("# Plan\n".into())
}

/// A session that only gets reminders.
struct Session {
    state: ModeState,
    found: PlanContent,
}

impl Session {
    fn new(mode: Mode) -> Session {
        Session { state: ModeState::start(ModeSetup::default(), Mode::Default, mode).0, found: PlanContent::Missing }
    }
    fn event(&mut self, event: ModeEvent) {
        self.state = step(self.state.clone(), event).0;
    }
    fn set(&mut self, to: Mode) {
        self.event(ModeEvent::Set { to, by: ChangedBy::User });
    }
    /// Sends a request; returns the names of its reminders.
    fn request(&mut self) -> Vec<String> {
        let instructions = instructions();
        let due = due_reminders(
            &self.state,
            &ReminderContext { path: PATH, content: &self.found, instructions: &instructions },
        );
        assert_eq!(due.problems, Vec::<String>::new());
        let name = |reminder: &Reminder| match reminder.form {
            Some(form) => form.name().to_string(),
            None => reminder.kind.name().to_string(),
        };
        let names = due.reminders.iter().map(name).collect();
        for reminder in due.reminders {
            self.event(ModeEvent::ReminderSent(reminder.kind));
        }
        names
    }
    /// Runs a human turn with a tool loop.
    fn turn(&mut self) -> Vec<String> {
        self.event(ModeEvent::UserTurn);
        let first = self.request();
        for _ in 0..20 {
            assert_eq!(self.request(), [""; 0], "a tool loop repeats nothing");
        }
        first
    }
}

#[test]
fn pm_90_reminder_becomes_an_entry() {
    let state = Session::new(Mode::Plan).state;
    let due = due_reminders(&state, &ReminderContext { path: PATH, content: &plan(), instructions: &instructions() });
    let entry = serde_json::to_value(due.reminders[0].to_entry()).unwrap();
    assert_eq!(entry["type"], "reminder");
    assert_eq!((&entry["kind"], &entry["form"]), (&json!("plan_mode"), &json!("full")));
    assert_eq!((&entry["path"], &entry["exists"]), (&json!(PATH), &json!(true)));
    let agent = subagent_reminder("/p-agent-1.md", false);
    assert_eq!((agent.kind, agent.form), (ReminderKind::PlanMode, Some(ReminderForm::Subagent)));
    assert!(agent.text.contains("/p-agent-1.md") && agent.text.contains("change nothing"));
}

#[test]
fn pm_91_reminders_at_human_turns_1_6_11() {
    let mut session = Session::new(Mode::Plan);
    let carried: Vec<usize> = (1..=16).filter(|_| !session.turn().is_empty()).collect();
    assert_eq!(carried, [1, 6, 11, 16]);
}

#[test]
fn pm_91_entering_in_the_middle_of_a_turn() {
    let mut session = Session::new(Mode::Default);
    assert_eq!(session.turn(), [""; 0]);
    session.event(ModeEvent::Set { to: Mode::Plan, by: ChangedBy::Model });
    assert_eq!(session.request(), ["full"], "with the next request of the same turn");
    assert_eq!(session.request(), [""; 0]);
    // That turn is the first of the stay.
    let carried: Vec<usize> = (2..=11).filter(|_| !session.turn().is_empty()).collect();
    assert_eq!(carried, [6, 11]);
}

#[test]
fn pm_91_turns_outside_plan_mode_are_ignored() {
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
fn pm_93_reentry_reminder_comes_first_and_once() {
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
    // And again after the next exit, unless the user only cycled through the modes.
    session.set(Mode::Default);
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["full"]);
    session.event(ModeEvent::Approved { mode: Mode::Default, by: ChangedBy::User });
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["plan_mode_reentry", "full"]);
}

#[test]
fn pm_93_no_reentry_reminder_without_an_old_plan() {
    let mut session = Session::new(Mode::Plan);
    session.turn();
    session.set(Mode::Default);
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["full"]);
    session.found = plan();
    let all: Vec<String> = (0..20).flat_map(|_| session.turn()).collect();
    assert!(!all.contains(&"plan_mode_reentry".to_string()), "{all:?}");
    // Left before the first reminder: no re-entry reminder.
    let mut session = Session::new(Mode::Plan);
    session.found = plan();
    session.set(Mode::Default);
    session.set(Mode::Plan);
    assert_eq!(session.turn(), ["full"]);
}

#[test]
fn pm_93_reentry_text() {
    let text = reentry_reminder(PATH).text;
    for part in
        [PATH, "read it", "compare", "Another task: start over", "same task", "revise", "before you call ExitPlanMode"]
    {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn pm_94_one_exit_reminder_after_leaving() {
    let mut session = Session::new(Mode::Plan);
    session.turn();
    session.set(Mode::AcceptEdits);
    assert_eq!(session.request(), ["plan_mode_exit"]);
    assert_eq!(session.turn(), [""; 0]);
    // None if plan mode was entered again meanwhile.
    session.set(Mode::Plan);
    session.turn();
    session.set(Mode::Default);
    session.set(Mode::Plan);
    assert!(!session.request().contains(&"plan_mode_exit".to_string()));
    // None if plan mode was left before the first reminder.
    let mut session = Session::new(Mode::Default);
    session.set(Mode::Plan);
    session.set(Mode::Default);
    assert_eq!(session.turn(), [""; 0]);
    assert!(exit_reminder(PATH, true).text.contains(PATH) && !exit_reminder(PATH, false).text.contains(PATH));
}

#[test]
fn pm_50_compaction_repeats_plan_and_full_reminder() {
    let mut session = Session::new(Mode::Plan);
    session.turn();
    session.found = PlanContent::Text("# Plan\n\nmarker-word {path}\n".into());
    session.event(ModeEvent::Compacted);
    assert_eq!(session.request(), ["plan_file_reference", "full"]);
    assert_eq!(session.turn(), [""; 0]);
    let text = plan_file_reference_reminder(PATH, "# Plan\n\nmarker-word {path}\n").text;
    assert!(text.contains(PATH) && text.contains("marker-word {path}"));
    assert_eq!(plan_in_reference(&text), Some("# Plan\n\nmarker-word {path}\n"));
    // Outside plan mode, only the plan is repeated; without a plan, nothing.
    session.set(Mode::Default);
    session.request();
    session.event(ModeEvent::Compacted);
    assert_eq!(session.request(), ["plan_file_reference"]);
    session.found = PlanContent::Missing;
    session.event(ModeEvent::Compacted);
    assert_eq!(session.request(), [""; 0]);
    // After a clear, the full reminder is sent again, without a plan reference.
    session.set(Mode::Plan);
    session.turn();
    session.event(ModeEvent::Cleared);
    assert_eq!(session.turn(), ["full"]);
}

/// A conservative estimate: 3.5 characters per token.
fn tokens(text: &str) -> usize {
    (text.chars().count() * 2).div_ceil(7)
}

fn all_instructions() -> Vec<PlanInstructions> {
    let counts = PlanAgentLimits { explore_agents: 10, plan_agents: 10, warnings: vec![] };
    let lengths = [PlanLength::Full, PlanLength::Trim, PlanLength::Cut, PlanLength::Cap];
    let all =
        lengths.into_iter().flat_map(|length| [(PlanWorkflow::Phases, length), (PlanWorkflow::Interview, length)]);
    all.map(|(workflow, length)| PlanInstructions::new(workflow, length, &counts)).collect()
}

#[test]
fn pm_95_full_text_is_complete_and_limited() {
    for instructions in all_instructions() {
        for exists in [false, true] {
            let text = instructions.full_text(PATH, exists).unwrap();
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
        let sparse = instructions.sparse_text(PATH);
        assert!(sparse.contains(PATH) && sparse.contains("ExitPlanMode") && sparse.contains("AskUserQuestion"));
        assert!(tokens(&sparse) < 120, "{} tokens", tokens(&sparse));
        assert_eq!(placeholders(&sparse), [""; 0]);
    }
    let others = [
        short_reminder(PATH, "ExitPlanMode"),
        subagent_reminder(PATH, true),
        reentry_reminder(PATH),
        exit_reminder(PATH, true),
        exit_reminder(PATH, false),
        auto_mode_exit_reminder(),
    ];
    for reminder in others.iter().chain([&plan_file_reference_reminder(PATH, "# P")]) {
        assert_eq!(placeholders(&reminder.text), [""; 0], "{:?}", reminder.kind);
    }
}

#[test]
fn pm_90_texts_name_only_offered_tools() {
    for instructions in all_instructions() {
        let alone = PlanInstructions { tools: PlanningTools::NONE, ..instructions };
        let texts =
            [alone.full_text(PATH, false).unwrap(), alone.full_text(PATH, true).unwrap(), alone.sparse_text(PATH)];
        for text in texts.iter().chain([&short_reminder(PATH, alone.ending_tools()).text]) {
            for name in ["AskUserQuestion", "agent", "the Write tool", "the Edit tool", "⟦"] {
                assert!(!text.contains(name), "{name}: {text}");
            }
            assert!(text.contains("only with ExitPlanMode"), "{text}");
            assert_eq!(placeholders(text), [""; 0]);
        }
    }
}

#[test]
fn pm_96_one_agent_is_not_contradicted() {
    let counts = PlanAgentLimits { explore_agents: 1, plan_agents: 1, warnings: vec![] };
    let text = PlanInstructions::new(PlanWorkflow::Phases, PlanLength::Full, &counts).full_text(PATH, false).unwrap();
    assert!(text.contains("one Plan agent") && text.contains("an Explore agent here, one at a time"), "{text}");
    assert!(!text.contains("at most 1") && !text.contains("by default"), "{text}");
}

#[test]
fn pm_96_five_phases_with_their_agents() {
    let counts = PlanAgentLimits { explore_agents: 4, plan_agents: 2, warnings: vec![] };
    let text = PlanInstructions::new(PlanWorkflow::Phases, PlanLength::Full, &counts).full_text(PATH, false).unwrap();
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
fn pm_97_interview_replaces_phases_and_variable_wins() {
    let counts = plan_agent_limits(None, None, &PlanSettings::default());
    let text =
        PlanInstructions::new(PlanWorkflow::Interview, PlanLength::Full, &counts).full_text(PATH, false).unwrap();
    for part in ["Scan a few files", "skeleton", "first questions early", "until nothing is open"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("Explore agents") && !text.contains("1. Understand"));
    let check = |variable: Option<&str>, setting, expected| {
        assert_eq!(effective_workflow(variable, setting), expected, "{variable:?}")
    };
    for word in ["1", "true", "YES", " on "] {
        check(Some(word), PlanWorkflow::Phases, PlanWorkflow::Interview);
    }
    for word in ["0", "false", "No", "off"] {
        check(Some(word), PlanWorkflow::Interview, PlanWorkflow::Phases);
    }
    for word in [None, Some(""), Some("maybe"), Some("2")] {
        check(word, PlanWorkflow::Interview, PlanWorkflow::Interview);
        check(word, PlanWorkflow::Phases, PlanWorkflow::Phases);
    }
}

#[test]
fn pm_98_length_changes_the_fourth_phase() {
    let texts: Vec<String> = all_instructions().iter().map(|each| each.full_text(PATH, false).unwrap()).collect();
    let distinct: std::collections::BTreeSet<_> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len());
    assert_eq!(texts.iter().filter(|text| text.contains("At most 40 lines")).count(), 2, "cap, in both workflows");
}

#[test]
fn pm_99_limits_from_variables_settings_defaults() {
    let settings: PlanSettings = serde_json::from_value(json!({ "exploreAgents": 7, "planAgents": 2 })).unwrap();
    let check = |variable: Option<&str>, explore: u8, plan: u8, warnings: usize| {
        let counts = plan_agent_limits(variable, variable, &settings);
        assert_eq!((counts.explore_agents, counts.plan_agents), (explore, plan), "{variable:?}");
        assert_eq!(counts.warnings.len(), warnings, "{variable:?}: {:?}", counts.warnings);
    };
    check(None, 7, 2, 0);
    check(Some("1"), 1, 1, 0);
    check(Some("10"), 10, 10, 0);
    for bad in ["0", "11", "-1", "+3", "3.0", "x", "", " 3", "99999999999"] {
        check(Some(bad), 7, 2, 2);
    }
    let defaults = plan_agent_limits(None, None, &PlanSettings::default());
    assert_eq!((defaults.explore_agents, defaults.plan_agents), (3, 1));
    let warning = &plan_agent_limits(Some("x"), None, &PlanSettings::default()).warnings[0];
    assert!(warning.contains("CUTONCE_PLAN_EXPLORE_AGENTS") && warning.contains("`x`"), "{warning}");
}

#[test]
fn pm_100_short_reminder_if_no_other_can_be_built() {
    let state = Session::new(Mode::Plan).state;
    let check = |found: PlanContent, instead: Option<Result<String, String>>, cause: &str| {
        let instructions = PlanInstructions { custom_text: instead, ..instructions() };
        let due = due_reminders(&state, &ReminderContext { path: PATH, content: &found, instructions: &instructions });
        assert_eq!(due.reminders.iter().map(|each| each.form).collect::<Vec<_>>(), [Some(ReminderForm::Short)]);
        let text = &due.reminders[0].text;
        assert!(text.contains(PATH) && text.contains("change nothing but the plan file"), "{text}");
        assert!(due.problems.len() == 1 && due.problems[0].contains(cause), "{:?}", due.problems);
    };
    check(PlanContent::Unreadable("permission denied".into()), None, "permission denied");
    check(PlanContent::Missing, Some(Err("no such file".into())), "no such file");
    check(PlanContent::Missing, Some(Ok(" \n".into())), "empty");
    // A custom text replaces the workflow, never the rules.
    let own =
        PlanInstructions { custom_text: Some(Ok("Ask the elders. Use {explore_agents}.".into())), ..instructions() };
    let text = own.full_text(PATH, false).unwrap();
    assert!(text.contains("Ask the elders. Use 3.") && text.contains("overrules") && !text.contains("1. Understand"));
}

#[test]
fn pm_123_one_reminder_that_auto_mode_is_off() {
    let auto = AutoModeGate { opted_in: true, gate_open: true, in_plan: false };
    let mut session = Session::new(Mode::Default);
    session.event(ModeEvent::AutoChanged(auto));
    session.set(Mode::Auto);
    assert_eq!(session.turn(), [""; 0]);
    session.set(Mode::Default);
    assert_eq!(session.turn(), ["auto_mode_exit"]);
    assert_eq!(session.turn(), [""; 0]);
}

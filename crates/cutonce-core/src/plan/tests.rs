//! Section 5 of the contract, as far as it is decided without files.

use super::*;
use crate::mode::{Mode, ReminderKind};
use crate::settings::plan::{Eagerness, Entry, Workflow};
use crate::submission::By;
use crate::transcript::Body;
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;
use std::path::Path;

/// Reserves names as a folder would: each only once.
fn reserving(taken: &mut HashSet<String>) -> impl FnMut(&str) -> Result<bool, Infallible> + '_ {
    |name| Ok(taken.insert(name.to_string()))
}

#[test]
fn pm_40_where_plans_directory_may_lead() {
    let check = |given: &str, resolved: &str, allowed: bool| {
        let result = check_directory(given, Path::new("/p"), Path::new(resolved));
        assert_eq!(result.is_ok(), allowed, "{given} → {resolved}: {result:?}");
        assert!(result.err().is_none_or(|error| error.to_string().contains("default folder")));
    };
    check("plans", "/p/plans", true);
    check("docs/plans/2026", "/p/docs/plans/2026", true);
    check("a/../plans", "/p/plans", true);
    check(".claude/plans", "/p/.claude/plans", true);
    check(".cutonce/plans", "/p/.cutonce/plans", true);
    check(".cutonce/plans/old", "/p/.cutonce/plans/old", true);
    check(".gitignored", "/p/.gitignored", true);
    check("", "/p", false);
    check(".", "/p", false);
    check("/p/plans", "/p/plans", false);
    check("~/plans", "/p/~/plans", false);
    check("..", "/", false);
    check("../q", "/q", false);
    // A string prefix is not a parent.
    check("plans", "/plans-elsewhere", false);
    check("../p2/plans", "/p2/plans", false);
    // A symlink leads out, or into a protected folder.
    check("plans", "/etc", false);
    check("plans", "/p/.git/hooks", false);
    check(".git", "/p/.git", false);
    check(".git/hooks", "/p/.git/hooks", false);
    check(".cutonce", "/p/.cutonce", false);
    check(".claude/agents", "/p/.claude/agents", false);
    check(".CLAUDE/agents", "/p/.CLAUDE/agents", false);
    check("sub/.git/hooks", "/p/sub/.git/hooks", false);
    check(".claude/plans/.git", "/p/.claude/plans/.git", false);
    check("plans/../../etc", "/p/plans/../../etc", false);
}

#[test]
fn pm_41_the_word_lists_are_long_clean_and_without_doubles() {
    let lists = [
        (include_str!("words/adjectives.txt"), 200),
        (include_str!("words/verbs.txt"), 100),
        (include_str!("words/nouns.txt"), 200),
    ];
    for (list, least) in lists {
        let words: Vec<&str> = list.lines().collect();
        assert!(words.len() >= least, "{} words", words.len());
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len(), "a word twice");
        for word in words {
            let plain = word.chars().all(|c| c.is_ascii_lowercase()) && (3..=13).contains(&word.len());
            assert!(plain, "{word}");
        }
    }
}

#[test]
fn pm_41_a_name_is_adjective_verb_noun() {
    for numbers in [[0, 0, 0], [1, 2, 3], [u64::MAX, u64::MAX, u64::MAX]] {
        let name = word_name(numbers);
        assert_eq!(name.split('-').count(), 3, "{name}");
        assert!(is_name(&name));
    }
    assert_ne!(word_name([0, 0, 0]), word_name([1, 0, 0]));
    assert_ne!(word_name([0, 0, 0]), word_name([0, 1, 0]));
    assert_ne!(word_name([0, 0, 0]), word_name([0, 0, 1]));
}

#[test]
fn pm_41_a_taken_name_is_tried_again_ten_times_then_numbered() {
    let mut number = 0;
    let mut count = || {
        number += 1;
        [number, 0, 0]
    };
    let mut taken: HashSet<String> = (1..=9).map(|n| word_name([n, 0, 0])).collect();
    let tenth = word_name([10, 0, 0]);
    assert_eq!(free_word_name(&mut count, reserving(&mut taken)), Ok(tenth.clone()));
    // All ten are taken now, and so is the first number.
    taken.insert(format!("{tenth}-2"));
    number = 0;
    let mut count = || {
        number += 1;
        [number, 0, 0]
    };
    assert_eq!(free_word_name(&mut count, reserving(&mut taken)), Ok(format!("{tenth}-3")));
    assert_eq!(number, 10);
    // A folder that can't be written is an error, not a loop.
    assert_eq!(free_word_name(|| [0, 0, 0], |_| Err("read-only")), Err("read-only"));
}

#[test]
fn pm_41_names_from_outside_are_checked() {
    for good in ["calm-running-otter", "2026-11-15-migrate-auth", "calm-running-otter-2"] {
        assert!(is_name(good), "{good}");
    }
    let long = "a".repeat(101);
    for bad in ["", ".", "..", "../x", "a/b", "a\\b", "A", "a.md", "-rf", "a b", "ä", "a\0", &long] {
        assert!(!is_name(bad), "{bad}");
    }
    assert_eq!(file_name("calm-running-otter"), "calm-running-otter.md");
}

#[test]
fn pm_42_a_subagent_has_a_file_of_its_own() {
    let check = |id: &str, expected: Option<&str>| assert_eq!(agent_file("a-b-c", id).as_deref(), expected);
    check("7f3", Some("a-b-c-agent-7f3.md"));
    check("Explore_1", Some("a-b-c-agent-Explore_1.md"));
    check("", None);
    check("../x", None);
    check("a/b", None);
}

#[test]
fn pm_43_a_plan_exists_when_it_has_a_non_blank_character() {
    let check = |bytes: Option<&[u8]>, expected: Found| assert_eq!(Found::of(bytes.map(<[u8]>::to_vec)), expected);
    check(None, Found::Nothing);
    check(Some(b""), Found::Nothing);
    check(Some(b" \n\t\r\n"), Found::Nothing);
    check(Some("\u{feff}\n".as_bytes()), Found::Nothing);
    check(Some("\u{a0}\u{2003}".as_bytes()), Found::Nothing);
    check(Some(b"\n.\n"), Found::Plan("\n.\n".into()));
    let broken = Found::of(Some(b"# Plan\n\xff".to_vec()));
    assert_eq!(broken, Found::Unreadable("not UTF-8 after byte 7".into()));
    assert_eq!((broken.text(), broken.sha256()), (None, None));
}

#[test]
fn pm_46_titles() {
    let check = |text: &str, expected: Option<&str>| assert_eq!(title(text).as_deref(), expected, "{text:?}");
    check("# Add login\n\ntext", Some("Add login"));
    check("intro\n\n## Second level ##\n", Some("Second level"));
    check("```sh\n# a comment\n```\n# Real", Some("Real"));
    check("#nothing\nmore", Some("#nothing"));
    check("####### seven", Some("####### seven"));
    check("#\n\nwords", Some("#"));
    check("just words\nmore", Some("just words"));
    check(" \n", None);
    check("# a\u{1b}[31mb\u{1b}]0;t\u{7}c", Some("a\\u{1b}[31mb\\u{1b}]0;t\\u{7}c"));
    let long = format!("# {}", "x".repeat(200));
    assert_eq!(title(&long).map(|title| title.chars().count()), Some(80));
}

#[test]
fn pm_46_every_submitted_version_is_on_record() {
    let mut index = Index::default();
    let submit = |index: &mut Index, text: &str| index.submit(text, "2026-11-15T10:00:00Z", "/p", "s1").number;
    assert_eq!(index.status(None), Status::Draft);
    assert_eq!(submit(&mut index, "# One"), 1);
    assert_eq!(index.status(Some(&sha256("# One"))), Status::Submitted);
    assert!(index.settle(1, Outcome::Rejected) && !index.settle(7, Outcome::Rejected));
    assert_eq!(index.status(Some(&sha256("# One"))), Status::Rejected);
    assert_eq!(index.status(Some(&sha256("# Changed"))), Status::Draft);
    // The same text again is no new version; another one is.
    assert_eq!(submit(&mut index, "# One"), 1);
    assert_eq!(submit(&mut index, "# Two"), 2);
    index.settle(2, Outcome::Approved);
    // What was approved stays on record, whatever comes.
    assert_eq!(submit(&mut index, "# Two"), 3);
    assert_eq!(submit(&mut index, "# Another task"), 4);
    index.settle(4, Outcome::Left);
    assert_eq!(index.approved().map(|revision| revision.number), Some(2));
    assert_eq!(index.status(Some(&sha256("# Another task"))), Status::Left);
    let json = serde_json::to_value(&index.revisions[1]).unwrap();
    let expected = json!({
        "number": 2, "sha256": sha256("# Two"), "time": "2026-11-15T10:00:00Z", "outcome": "approved",
        "project": "/p", "session": "s1", "title": "Two",
    });
    assert_eq!(json, expected);
    let files: Vec<_> = index.revisions.iter().map(Revision::file).collect();
    assert_eq!(files, ["0001.md", "0002.md", "0003.md", "0004.md"]);
}

#[test]
fn pm_48_a_lost_plan_comes_back_from_the_best_source() {
    let snapshot = |text: &str| Body::FileSnapshot {
        key: "plan".into(),
        path: "/p.md".into(),
        content: Some(text.into()),
        sha256: None,
    };
    let exit = |text: &str| Body::Tool {
        call_id: "c".into(),
        name: "ExitPlanMode".into(),
        input: json!({ "plan": text, "planFilePath": "/p.md" }),
        output: vec![],
        is_error: false,
        decision: serde_json::from_value(json!({ "behavior": "allow", "reason": "x" })).unwrap(),
    };
    let user =
        |text: &str| Body::User { text: "x".into(), images: vec![], meta: false, plan_content: Some(text.into()) };
    let reference = |text: &str| {
        let state = crate::mode::replay(Default::default(), &[compaction()]).0;
        let found = Found::Plan(text.into());
        let counts = crate::reminder::counts(None, None, &Default::default());
        let instructions = crate::reminder::Instructions::new(Workflow::Phases, Default::default(), &counts);
        let context = crate::reminder::Context { path: "/p.md", found: &found, instructions: &instructions };
        crate::reminder::due(&state, &context).reminders[0].entry()
    };
    let check = |entries: &[Body], expected: Option<(&str, RestoredFrom)>| {
        let found = restore(entries);
        assert_eq!(found.as_ref().map(|found| (found.text.as_str(), found.from)), expected);
    };
    check(&[], None);
    check(&[reference("# R\n\n1. x\n")], Some(("# R\n\n1. x\n", RestoredFrom::PlanFileReference)));
    check(&[user("# U"), reference("# R")], Some(("# U", RestoredFrom::PlanContent)));
    check(&[exit("# 1"), exit("# 2"), user("# U")], Some(("# 2", RestoredFrom::ExitPlanMode)));
    check(&[snapshot("# 1"), snapshot("# 2"), exit("# E"), user("# U")], Some(("# 2", RestoredFrom::FileSnapshot)));
    // Blank ones are none, and other files are not the plan.
    let other = Body::FileSnapshot { key: "before".into(), path: "/a".into(), content: Some("x".into()), sha256: None };
    check(&[exit("# E"), snapshot(" \n"), other], Some(("# E", RestoredFrom::ExitPlanMode)));
}

fn compaction() -> Body {
    Body::Compaction { summary: "s".into(), kept: String::new() }
}

#[test]
fn pm_51_names_from_the_task() {
    let check = |request: &str, expected: &str| assert_eq!(task_name("2026-11-15", request), expected, "{request:?}");
    check("migrate auth", "2026-11-15-migrate-auth");
    check("  Migrate AUTH!  ", "2026-11-15-migrate-auth");
    check("don't use ../../etc/passwd", "2026-11-15-dont-use-etc-passwd");
    check("one two three four five six seven eight", "2026-11-15-one-two-three-four-five-six");
    check("", "2026-11-15-plan");
    check("日本語だけ", "2026-11-15-plan");
    check(&"x".repeat(300), "2026-11-15-plan");
    let mut taken = HashSet::new();
    let mut next = || free_task_name("2026-11-15", "migrate auth", reserving(&mut taken)).unwrap();
    assert_eq!(
        [next(), next(), next()],
        ["2026-11-15-migrate-auth", "2026-11-15-migrate-auth-2", "2026-11-15-migrate-auth-3"]
    );
    assert!(is_name(&next()));
}

#[test]
fn pm_140_phases_row_by_row() {
    use Phase::{Design, Exit, Explore, Finalize, Review};
    use PhaseEvent::{Entered, PlanAgentEnded, PlanAgentStarted, PlanWritten, Rejected, Submitted};
    let check = |events: &[(PhaseEvent, Phase)]| {
        let mut phase = Exit;
        for (event, expected) in events {
            phase = phase.step(*event);
            assert_eq!(phase, *expected, "{event:?}");
        }
    };
    check(&[
        (Entered, Explore),
        (PlanAgentStarted, Design),
        (PlanAgentStarted, Design),
        (PlanAgentEnded { running: 1 }, Design),
        (PlanAgentEnded { running: 0 }, Review),
        (PlanWritten, Finalize),
        (PlanWritten, Finalize),
        (Submitted, Exit),
        (Rejected, Review),
        (PlanWritten, Finalize),
        (Submitted, Exit),
        (Entered, Explore),
    ]);
    // Agents that end late do not turn the clock back; without Plan agents there is no design.
    check(&[(Entered, Explore), (PlanAgentStarted, Design), (PlanWritten, Finalize)]);
    check(&[(Entered, Explore), (PlanWritten, Finalize), (PlanAgentEnded { running: 0 }, Finalize)]);
    check(&[(Entered, Explore), (PlanWritten, Finalize), (PlanAgentStarted, Finalize)]);
    assert_eq!(serde_json::to_value(Finalize).unwrap(), Finalize.name());
}

#[test]
fn pm_143_events_have_the_contracts_names_and_fields() {
    let check = |event: PlanEvent, expected: serde_json::Value| {
        assert_eq!(serde_json::to_value(&event).unwrap(), expected);
        assert_eq!(serde_json::from_value::<PlanEvent>(expected).unwrap(), event);
    };
    let (from, to, by) = (Mode::Default, Mode::Plan, By::User);
    check(
        PlanEvent::ModeChanged { from, to, by },
        json!({ "type": "mode.changed", "from": "default", "to": "plan", "by": "user" }),
    );
    let path = || "/p.md".to_string();
    check(
        PlanEvent::Enter { plan_file_path: path(), plan_exists: false },
        json!({ "type": "plan.enter", "planFilePath": "/p.md", "planExists": false }),
    );
    check(PlanEvent::Phase { phase: Phase::Review }, json!({ "type": "plan.phase", "phase": "review" }));
    check(PlanEvent::File { sha256: "ab".into() }, json!({ "type": "plan.file", "sha256": "ab" }));
    check(
        PlanEvent::Approved { choice: crate::approval::ChoiceKey::AcceptEdits, mode: Mode::AcceptEdits, edited: true },
        json!({ "type": "plan.approved", "choice": "acceptEdits", "mode": "acceptEdits", "edited": true }),
    );
    let comment = crate::approval::QuotedComment { line: 1, quote: Some("# P".into()), text: "t".into() };
    check(
        PlanEvent::Denied { feedback: Some("f".into()), comments: vec![comment] },
        json!({ "type": "plan.denied", "feedback": "f", "comments": [{ "line": 1, "quote": "# P", "text": "t" }] }),
    );
    check(
        PlanEvent::Implement { plan_file_path: path(), plan_content: "# P".into() },
        json!({ "type": "plan.implement", "planFilePath": "/p.md", "planContent": "# P" }),
    );
}

#[test]
fn pm_4_entry_decides_whether_the_model_may_enter() {
    // PM-32 too: where nobody could approve the exit, it is not offered.
    let check = |entry, approver, away, expected| assert_eq!(enter_offered(entry, approver, away), expected);
    check(Entry::Allow, true, false, true);
    check(Entry::Ask, true, false, true);
    check(Entry::Never, true, false, false);
    check(Entry::Allow, false, false, false);
    check(Entry::Allow, true, true, false);
    check(Entry::Ask, false, true, false);
    assert!(enter_declined().contains("go on without planning"));
}

#[test]
fn pm_27_the_model_enters_by_a_tool() {
    let state = crate::mode::State::start(Default::default(), Mode::Default, Mode::AcceptEdits).0;
    let (state, _) = crate::mode::step(state, crate::mode::Event::Set { to: Mode::Plan, by: By::Model });
    assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(Mode::AcceptEdits)));
}

#[test]
fn pm_30_the_input_is_the_strict_empty_object() {
    assert_eq!(no_input(ENTER, &json!({})), Ok(()));
    for (input, part) in
        [(json!({ "why": 1 }), "`why`"), (json!(null), "null"), (json!([]), "[]"), (json!("x"), "\"x\"")]
    {
        let error = no_input(ENTER, &input).unwrap_err();
        assert!(error.contains(ENTER) && error.contains(part), "{error}");
    }
    assert_eq!(no_input_schema()["additionalProperties"], false);
}

#[test]
fn pm_31_a_barrier_and_not_for_subagents() {
    assert!(is_barrier(ENTER));
    assert_eq!(ENTER_IN_AGENT, "EnterPlanMode tool cannot be used in agent contexts");
}

#[test]
fn pm_32_offered_only_where_somebody_can_approve() {
    assert!(enter_offered(Entry::Allow, true, false));
    assert!(!enter_offered(Entry::Allow, false, false) && !enter_offered(Entry::Allow, true, true));
}

#[test]
fn pm_33_the_result_is_short_and_says_what_to_do() {
    let phases = enter_result(Workflow::Phases, false);
    for part in ["Plan mode is on", "Explore", "design", "edit nothing yet", "ExitPlanMode"] {
        assert!(phases.contains(part), "{part}");
    }
    let interview = enter_result(Workflow::Interview, false);
    assert!(interview.contains("nothing but the plan file") && interview.contains("instructions follow"));
    assert!(enter_result(Workflow::Phases, true).contains("no effect"));
    assert!([phases, interview].iter().all(|text| text.len() < 200));
}

#[test]
fn pm_34_the_description_steers_by_stance() {
    let eager = enter_description(Eagerness::Eager);
    let reserved = enter_description(Eagerness::Reserved);
    let both = ["feature", "several valid approaches", "behaviour", "architecture decision", "two or three files"];
    for part in both.into_iter().chain(["requirements", "preferences", "typos", "exact instructions", "research"]) {
        assert!(eager.contains(part) && reserved.contains(part), "{part}");
    }
    assert!(
        eager.contains("add a delete button") && eager.contains("Prefer planning") && eager.contains("unsure, plan")
    );
    assert!(reserved.contains("genuinely ambiguous") && reserved.contains("When in doubt, start, and ask"));
    assert!(eager.len() < 1200 && reserved.len() < 1200, "every request carries it");
}

#[test]
fn pm_89_the_description_of_exit_plan_mode() {
    let text = exit_description();
    for part in [
        "changing code",
        "written and clear",
        "Not after research",
        "AskUserQuestion first",
        "Never use AskUserQuestion",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.len() < 1200);
}

#[test]
fn pm_90_reminder_kinds_have_the_transcripts_names() {
    let names: Vec<_> = ReminderKind::ALL.into_iter().map(ReminderKind::name).collect();
    let expected = ["plan_mode", "plan_mode_reentry", "plan_mode_exit", "plan_file_reference", "auto_mode_exit"];
    assert_eq!(names, expected);
    for kind in ReminderKind::ALL {
        assert_eq!(ReminderKind::parse(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
}

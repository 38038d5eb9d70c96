//! Section 5 of the contract, as far as it needs no files.

use super::*;
use crate::mode::{Mode, ReminderKind};
use crate::protocol::answerer::Answerer;
use crate::protocol::submission::ChangedBy;
use crate::settings::plan::{PlanEagerness, PlanEntry, PlanWorkflow};
use crate::transcript::EntryBody;
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;
use std::path::Path;

/// Reserves each name only once, like a folder.
fn reserving(taken: &mut HashSet<String>) -> impl FnMut(&str) -> Result<bool, Infallible> + '_ {
    |name| Ok(taken.insert(name.to_string()))
}

#[test]
fn pm_40_plans_directory_must_be_inside_the_project() {
    let check = |given: &str, resolved: &str, allowed: bool| {
        let result = check_plans_directory(given, Path::new("/p"), Path::new(resolved));
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
    // A symlink that leads out or into a protected folder.
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
fn pm_41_word_lists_are_long_and_unique() {
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
fn pm_41_name_is_adjective_verb_noun() {
    for numbers in [[0, 0, 0], [1, 2, 3], [u64::MAX, u64::MAX, u64::MAX]] {
        let name = word_name(numbers);
        assert_eq!(name.split('-').count(), 3, "{name}");
        assert!(is_plan_name(&name));
    }
    assert_ne!(word_name([0, 0, 0]), word_name([1, 0, 0]));
    assert_ne!(word_name([0, 0, 0]), word_name([0, 1, 0]));
    assert_ne!(word_name([0, 0, 0]), word_name([0, 0, 1]));
}

#[test]
fn pm_41_taken_names_are_retried_then_numbered() {
    let mut number = 0;
    let mut count = || {
        number += 1;
        [number, 0, 0]
    };
    let mut taken: HashSet<String> = (1..=9).map(|n| word_name([n, 0, 0])).collect();
    let tenth = word_name([10, 0, 0]);
    assert_eq!(free_word_name(&mut count, reserving(&mut taken)), Ok(tenth.clone()));
    // Now all ten and the first number are taken.
    taken.insert(format!("{tenth}-2"));
    number = 0;
    let mut count = || {
        number += 1;
        [number, 0, 0]
    };
    assert_eq!(free_word_name(&mut count, reserving(&mut taken)), Ok(format!("{tenth}-3")));
    assert_eq!(number, 10);
    // An unwritable folder is an error, not an endless loop.
    assert_eq!(free_word_name(|| [0, 0, 0], |_| Err("read-only")), Err("read-only"));
}

#[test]
fn pm_41_names_from_outside_are_checked() {
    for good in ["calm-running-otter", "2026-11-15-migrate-auth", "calm-running-otter-2", "ä"] {
        assert!(is_plan_name(good), "{good}");
    }
    let long = "a".repeat(101);
    for bad in ["", ".", "..", "../x", "a/b", "a\\b", "A", "a.md", "-rf", "a b", "Ä", "a\0", &long] {
        assert!(!is_plan_name(bad), "{bad}");
    }
    assert_eq!(plan_file_name("calm-running-otter"), "calm-running-otter.md");
}

#[test]
fn pm_42_subagent_has_its_own_file() {
    let check = |id: &str, expected: Option<&str>| assert_eq!(agent_plan_file_name("a-b-c", id).as_deref(), expected);
    check("7f3", Some("a-b-c-agent-7f3.md"));
    check("Explore_1", Some("a-b-c-agent-Explore_1.md"));
    check("", None);
    check("../x", None);
    check("a/b", None);
}

#[test]
fn pm_43_plan_exists_with_a_non_blank_character() {
    let check = |bytes: Option<&[u8]>, expected: PlanContent| {
        assert_eq!(PlanContent::from_bytes(bytes.map(<[u8]>::to_vec)), expected)
    };
    check(None, PlanContent::Missing);
    check(Some(b""), PlanContent::Missing);
    check(Some(b" \n\t\r\n"), PlanContent::Missing);
    check(Some("\u{feff}\n".as_bytes()), PlanContent::Missing);
    check(Some("\u{a0}\u{2003}".as_bytes()), PlanContent::Missing);
    check(Some(b"\n.\n"), PlanContent::Text("\n.\n".into()));
    let broken = PlanContent::from_bytes(Some(b"# Plan\n\xff".to_vec()));
    assert_eq!(broken, PlanContent::Unreadable("not UTF-8 after byte 7".into()));
    assert_eq!((broken.text(), broken.sha256()), (None, None));
}

#[test]
fn pm_46_titles() {
    let check = |text: &str, expected: Option<&str>| assert_eq!(plan_title(text).as_deref(), expected, "{text:?}");
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
    assert_eq!(plan_title(&long).map(|title| title.chars().count()), Some(80));
}

#[test]
fn pm_46_every_submitted_version_is_recorded() {
    let mut index = RevisionIndex::default();
    let submit = |index: &mut RevisionIndex, text: &str| index.submit(text, "2026-11-15T10:00:00Z", "/p", "s1").number;
    assert_eq!(index.status(None), PlanStatus::Draft);
    assert_eq!(submit(&mut index, "# One"), 1);
    assert_eq!(index.status(Some(&sha256_hex("# One"))), PlanStatus::Submitted);
    assert!(index.set_outcome(1, RevisionOutcome::Rejected) && !index.set_outcome(7, RevisionOutcome::Rejected));
    assert_eq!(index.status(Some(&sha256_hex("# One"))), PlanStatus::Rejected);
    assert_eq!(index.status(Some(&sha256_hex("# Changed"))), PlanStatus::Draft);
    // The same text is not a new version; another text is.
    assert_eq!(submit(&mut index, "# One"), 1);
    assert_eq!(submit(&mut index, "# Two"), 2);
    index.set_outcome(2, RevisionOutcome::Approved);
    // An approved version always stays on record.
    assert_eq!(submit(&mut index, "# Two"), 3);
    assert_eq!(submit(&mut index, "# Another task"), 4);
    index.set_outcome(4, RevisionOutcome::Left);
    assert_eq!(index.last_approved().map(|revision| revision.number), Some(2));
    assert_eq!(index.status(Some(&sha256_hex("# Another task"))), PlanStatus::Left);
    let json = serde_json::to_value(&index.revisions[1]).unwrap();
    let expected = json!({
        "number": 2, "sha256": sha256_hex("# Two"), "time": "2026-11-15T10:00:00Z", "outcome": "approved",
        "project": "/p", "session": "s1", "title": "Two",
    });
    assert_eq!(json, expected);
    let files: Vec<_> = index.revisions.iter().map(Revision::file_name).collect();
    assert_eq!(files, ["0001.md", "0002.md", "0003.md", "0004.md"]);
}

#[test]
fn pm_46_number_shown_is_the_number_kept() {
    let mut index = RevisionIndex::default();
    let mut submit = |text: &str, session: &str, outcome: RevisionOutcome| {
        let shown = index.number_for(text, session);
        assert_eq!(index.submit(text, "t", "/p", session).number, shown);
        index.set_outcome(shown, outcome);
        shown
    };
    assert_eq!(submit("# A", "s", RevisionOutcome::Rejected), 1);
    assert_eq!(submit("# A", "s", RevisionOutcome::Approved), 1);
    // An approved revision stays on record, and another session has its own.
    assert_eq!(submit("# A", "s", RevisionOutcome::Rejected), 2);
    assert_eq!(submit("# A", "other", RevisionOutcome::Rejected), 3);
    assert_eq!(submit("# B", "other", RevisionOutcome::Left), 4);
}

#[test]
fn pm_48_lost_plan_is_restored_from_the_best_source() {
    let snapshot = |text: &str| EntryBody::FileSnapshot {
        key: "plan".into(),
        path: "/p.md".into(),
        content: Some(text.into()),
        sha256: None,
    };
    let exit = |text: &str| EntryBody::Tool {
        call_id: "c".into(),
        name: "ExitPlanMode".into(),
        input: json!({ "plan": text, "planFilePath": "/p.md" }),
        output: vec![],
        is_error: false,
        decision: serde_json::from_value(json!({ "behavior": "allow", "reason": "x" })).unwrap(),
        seen: vec![],
    };
    let user =
        |text: &str| EntryBody::User { text: "x".into(), images: vec![], meta: false, plan_content: Some(text.into()) };
    let reference = |text: &str| {
        let state = crate::mode::replay_mode(Default::default(), &[compaction()]).0;
        let found = PlanContent::Text(text.into());
        let counts = crate::plan::reminder::plan_agent_limits(None, None, &Default::default());
        let instructions =
            crate::plan::reminder::PlanInstructions::new(PlanWorkflow::Phases, Default::default(), &counts);
        let context =
            crate::plan::reminder::ReminderContext { path: "/p.md", content: &found, instructions: &instructions };
        crate::plan::reminder::due_reminders(&state, &context).reminders[0].to_entry()
    };
    let check = |entries: &[EntryBody], expected: Option<(&str, RestoredFrom)>| {
        let found = restore_plan(entries);
        assert_eq!(found.as_ref().map(|found| (found.text.as_str(), found.from)), expected);
    };
    check(&[], None);
    check(&[reference("# R\n\n1. x\n")], Some(("# R\n\n1. x\n", RestoredFrom::PlanFileReference)));
    check(&[user("# U"), reference("# R")], Some(("# U", RestoredFrom::PlanContent)));
    check(&[exit("# 1"), exit("# 2"), user("# U")], Some(("# 2", RestoredFrom::ExitPlanMode)));
    check(&[snapshot("# 1"), snapshot("# 2"), exit("# E"), user("# U")], Some(("# 2", RestoredFrom::FileSnapshot)));
    // Blank plans and other files are ignored.
    let other =
        EntryBody::FileSnapshot { key: "before".into(), path: "/a".into(), content: Some("x".into()), sha256: None };
    check(&[exit("# E"), snapshot(" \n"), other], Some(("# E", RestoredFrom::ExitPlanMode)));
    // PM-49: a plan from before a clear is not this one.
    let clear = || EntryBody::Clear { plan_content: None };
    check(&[snapshot("# 1"), exit("# E"), clear()], None);
    check(&[snapshot("# 1"), clear(), user("# U")], Some(("# U", RestoredFrom::PlanContent)));
}

fn compaction() -> EntryBody {
    EntryBody::Compaction { summary: "s".into(), kept: String::new() }
}

#[test]
fn pm_51_names_from_the_task() {
    let check = |request: &str, expected: &str| assert_eq!(task_name("2026-11-15", request), expected, "{request:?}");
    check("migrate auth", "2026-11-15-migrate-auth");
    check("  Migrate AUTH!  ", "2026-11-15-migrate-auth");
    check("don't use ../../etc/passwd", "2026-11-15-dont-use-etc-passwd");
    check("one two three four five six seven eight", "2026-11-15-one-two-three-four-five-six");
    check("", "2026-11-15-plan");
    check("  !? ", "2026-11-15-plan");
    check("Перенести Auth на OAuth", "2026-11-15-перенести-auth-на-oauth");
    check("ログインを直す", "2026-11-15-ログインを直す");
    check("Straße und İstanbul’da", "2026-11-15-straße-und-istanbulda");
    check(&"x".repeat(300), &format!("2026-11-15-{}", "x".repeat(49)));
    check(&"語".repeat(99), &format!("2026-11-15-{}", "語".repeat(16)));
    for hostile in ["a\u{202e}b", "a/b", "A", "a.b", "a\u{0}", "-a", "a\u{200b}b", ""] {
        assert!(!is_plan_name(hostile), "{hostile:?}");
    }
    for request in ["İ", "ǅ", "ﬁ ẞ", "x\u{301}", "٣ ๓ Ⅷ"] {
        assert!(is_plan_name(&task_name("2026-11-15", request)), "{request}");
    }
    let mut taken = HashSet::new();
    let mut next = || free_task_name("2026-11-15", "migrate auth", reserving(&mut taken)).unwrap();
    assert_eq!(
        [next(), next(), next()],
        ["2026-11-15-migrate-auth", "2026-11-15-migrate-auth-2", "2026-11-15-migrate-auth-3"]
    );
    assert!(is_plan_name(&next()));
}

#[test]
fn pm_140_phases_row_by_row() {
    use PhaseEvent::{
        Entered, ExploreAgentStarted, FileRead, PlanAgentStarted, PlanWritten, QuestionAsked, Rejected,
        SkeletonWritten, Submitted,
    };
    use PlanPhase::{Design, Exit, Review, Understand, Write};
    let check = |events: &[(PhaseEvent, PlanPhase)]| {
        let mut phase = Exit;
        for (event, expected) in events {
            phase = phase.step(*event);
            assert_eq!(phase, *expected, "{event:?}");
        }
    };
    check(&[
        (Entered, Understand),
        (FileRead, Understand),
        (PlanAgentStarted, Design),
        (FileRead, Review),
        (PlanWritten, Write),
        (FileRead, Write),
        (Submitted, Exit),
        (Rejected, Review),
        (PlanWritten, Write),
        (Submitted, Exit),
        (Entered, Understand),
    ]);
    // An action of an earlier phase moves it back.
    check(&[(Entered, Understand), (PlanWritten, Write), (ExploreAgentStarted, Understand)]);
    check(&[(PlanWritten, Write), (PlanAgentStarted, Design), (QuestionAsked, Review), (PlanWritten, Write)]);
    // The interview: a skeleton, questions, then the plan.
    check(&[(Entered, Understand), (SkeletonWritten, Understand), (QuestionAsked, Review), (PlanWritten, Write)]);
    assert_eq!(serde_json::to_value(Understand).unwrap(), Understand.name());
    let of = |tool: &str, input| PhaseEvent::of_call(tool, &input);
    assert_eq!(of("Agent", json!({ "subagent_type": "Plan" })), Some(PlanAgentStarted));
    assert_eq!(of("Agent", json!({ "subagent_type": "Explore" })), Some(ExploreAgentStarted));
    assert_eq!((of("Agent", json!({})), of("Grep", json!({}))), (None, None));
}

#[test]
fn pm_143_event_names_and_fields_match_the_contract() {
    let check = |event: PlanEvent, expected: serde_json::Value| {
        assert_eq!(serde_json::to_value(&event).unwrap(), expected);
        assert_eq!(serde_json::from_value::<PlanEvent>(expected).unwrap(), event);
    };
    let (from, to, by) = (Mode::Default, Mode::Plan, ChangedBy::User);
    check(
        PlanEvent::ModeChanged { from, to, by },
        json!({ "type": "mode.changed", "from": "default", "to": "plan", "by": "user" }),
    );
    let path = || "/p.md".to_string();
    check(
        PlanEvent::Enter { plan_file_path: path(), plan_exists: false },
        json!({ "type": "plan.enter", "planFilePath": "/p.md", "planExists": false }),
    );
    check(PlanEvent::Phase { phase: PlanPhase::Review }, json!({ "type": "plan.phase", "phase": "review" }));
    check(PlanEvent::File { sha256: "ab".into() }, json!({ "type": "plan.file", "sha256": "ab" }));
    check(
        PlanEvent::Approved {
            choice: crate::plan::approval::ChoiceKey::AcceptEdits,
            mode: Mode::AcceptEdits,
            edited: true,
            by: Answerer::TERMINAL,
        },
        json!({ "type": "plan.approved", "choice": "acceptEdits", "mode": "acceptEdits", "edited": true, "by": "terminal" }),
    );
    let comment = crate::plan::approval::QuotedComment { line: 1, quote: Some("# P".into()), text: "t".into() };
    check(
        PlanEvent::Denied { feedback: Some("f".into()), comments: vec![comment], by: Answerer::BROWSER },
        json!({ "type": "plan.denied", "feedback": "f", "comments": [{ "line": 1, "quote": "# P", "text": "t" }], "by": "browser" }),
    );
    check(
        PlanEvent::Implement { plan_file_path: path(), plan_content: "# P".into() },
        json!({ "type": "plan.implement", "planFilePath": "/p.md", "planContent": "# P" }),
    );
}

#[test]
fn pm_4_entry_setting_controls_enter_plan_mode() {
    // PM-32: not offered without an approver.
    let check = |entry, approver, away, expected| assert_eq!(is_enter_offered(entry, approver, away), expected);
    check(PlanEntry::Allow, true, false, true);
    check(PlanEntry::Ask, true, false, true);
    check(PlanEntry::Never, true, false, false);
    check(PlanEntry::Allow, false, false, false);
    check(PlanEntry::Allow, true, true, false);
    check(PlanEntry::Ask, false, true, false);
    assert!(enter_declined().contains("continue without planning"));
}

#[test]
fn pm_27_model_enters_with_a_tool() {
    let state = crate::mode::ModeState::start(Default::default(), Mode::Default, Mode::AcceptEdits).0;
    let (state, _) = crate::mode::step(state, crate::mode::ModeEvent::Set { to: Mode::Plan, by: ChangedBy::Model });
    assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(Mode::AcceptEdits)));
}

#[test]
fn pm_30_input_is_the_strict_empty_object() {
    assert_eq!(check_no_input(ENTER_PLAN_MODE, &json!({})), Ok(()));
    for (input, part) in
        [(json!({ "why": 1 }), "`why`"), (json!(null), "null"), (json!([]), "[]"), (json!("x"), "\"x\"")]
    {
        let error = check_no_input(ENTER_PLAN_MODE, &input).unwrap_err();
        assert!(error.contains(ENTER_PLAN_MODE) && error.contains(part), "{error}");
    }
    assert_eq!(empty_input_schema()["additionalProperties"], false);
}

#[test]
fn pm_31_barrier_and_not_for_subagents() {
    assert!(is_barrier(ENTER_PLAN_MODE));
    assert_eq!(ENTER_IN_AGENT_ERROR, "EnterPlanMode tool cannot be used in agent contexts");
}

#[test]
fn pm_32_offered_only_with_an_approver() {
    assert!(is_enter_offered(PlanEntry::Allow, true, false));
    assert!(!is_enter_offered(PlanEntry::Allow, false, false) && !is_enter_offered(PlanEntry::Allow, true, true));
}

#[test]
fn pm_33_result_is_short_and_says_what_to_do() {
    let phases = enter_result(PlanWorkflow::Phases, false);
    for part in ["Plan mode is on", "Explore", "design", "edit nothing yet", "ExitPlanMode"] {
        assert!(phases.contains(part), "{part}");
    }
    let interview = enter_result(PlanWorkflow::Interview, false);
    assert!(interview.contains("nothing but the plan file") && interview.contains("instructions follow"));
    assert!(enter_result(PlanWorkflow::Phases, true).contains("no effect"));
    assert!([phases, interview].iter().all(|text| text.len() < 200));
}

#[test]
fn pm_142_entering_is_a_sentence() {
    for workflow in [PlanWorkflow::Phases, PlanWorkflow::Interview] {
        assert_eq!(describe_enter(enter_result(workflow, false)), "Entered plan mode");
        assert_eq!(describe_enter(enter_result(workflow, true)), "Plan mode was already on");
    }
    assert_eq!(describe_enter(&format!("{} Not now.", enter_declined())), "You declined plan mode");
}

#[test]
fn pm_70_plan_in_the_input_gets_a_hint() {
    let told = plan_in_exit_input(&json!({ "plan": "# P" }), "/p.md").unwrap();
    assert!(told.contains("Write the plan to /p.md first") && told.ends_with("call ExitPlanMode with {}."), "{told}");
    assert_eq!(plan_in_exit_input(&json!({}), "/p.md"), None);
}

#[test]
fn pm_34_description_follows_eagerness() {
    let eager = enter_description(PlanEagerness::Eager, PlanningTools::ALL);
    let reserved = enter_description(PlanEagerness::Reserved, PlanningTools::ALL);
    let both = ["feature", "several valid approaches", "behaviour", "architecture decision", "two or three files"];
    for part in both.into_iter().chain(["requirements", "preferences", "typos", "exact instructions", "research"]) {
        assert!(eager.contains(part) && reserved.contains(part), "{part}");
    }
    assert!(
        eager.contains("add a delete button") && eager.contains("Prefer planning") && eager.contains("unsure, plan")
    );
    assert!(reserved.contains("genuinely ambiguous") && reserved.contains("When in doubt, start, and ask"));
    assert!(eager.len() < 1200 && reserved.len() < 1200, "every request carries it");
    // A task to plan and one to just do.
    assert!(eager.contains("\"add a delete button\"") && eager.contains("\"rename getUser to loadUser\""));
    assert!(reserved.contains("\"make it faster\"") && reserved.contains("next to an edit button"));
    // PM-90: only what is offered.
    for eagerness in [PlanEagerness::Eager, PlanEagerness::Reserved] {
        let text = enter_description(eagerness, PlanningTools::NONE);
        assert!(!text.contains("agent") && !text.contains("AskUserQuestion") && !text.contains('{'), "{text}");
    }
}

#[test]
fn pm_89_description_of_exit_plan_mode() {
    assert!(!exit_description(PlanningTools::NONE).contains("AskUserQuestion"));
    let text = exit_description(PlanningTools::ALL);
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
fn pm_90_reminder_kind_names() {
    let names: Vec<_> = ReminderKind::ALL.into_iter().map(ReminderKind::name).collect();
    let expected = ["plan_mode", "plan_mode_reentry", "plan_mode_exit", "plan_file_reference", "auto_mode_exit"];
    assert_eq!(names, expected);
    for kind in ReminderKind::ALL {
        assert_eq!(ReminderKind::parse(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
}

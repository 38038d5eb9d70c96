use super::*;
use crate::plan::contract::{PlanContract, PlannedFile, PlannedKind, matches_path};
use crate::plan::implementation::replay_implementation;
use crate::plan::report::PlanReport;
use crate::transcript::EntryBody;
use proptest::prelude::*;

const ROOT: &str = "/home/me/project";

fn step(id: &str, files: &[&str], checks: &[&str], after: &[&str]) -> PlanStep {
    let owned = |list: &[&str]| list.iter().map(|text| text.to_string()).collect();
    PlanStep {
        id: id.into(),
        title: format!("Step {id}"),
        files: files.iter().map(|path| PlannedFile::new(*path, PlannedKind::Any)).collect(),
        checks: owned(checks),
        after: owned(after),
        ..PlanStep::default()
    }
}

fn progress(steps: Vec<PlanStep>) -> PlanProgress {
    let contract = PlanContract { steps, ..PlanContract::default() };
    PlanProgress::new(ApprovedContract::new("a-b-c", 1, contract, BTreeMap::new()).expect("a plan"), ROOT)
}

/// Two steps in order, each with a file and a check.
fn two_steps() -> PlanProgress {
    progress(vec![step("1", &["a"], &["check a"], &[]), step("2", &["b"], &["check b"], &["1"])])
}

fn wrote(path: &str, before: &str, after: &str) -> Evidence {
    let hash = |text: &str| (!text.is_empty()).then(|| text.to_string());
    Evidence::wrote(path, hash(before), hash(after))
}

fn ran(command: &str, exit_code: i32) -> Evidence {
    Evidence::Ran {
        command: command.into(),
        exit_code: Some(exit_code),
        stopped: None,
        by: CheckRunner::Model,
        at: "t".into(),
        output: String::new(),
    }
}

fn run(mut progress: PlanProgress, evidence: Vec<Evidence>) -> PlanProgress {
    evidence.into_iter().for_each(|piece| drop(progress.observe(piece)));
    progress
}

fn states(progress: &PlanProgress) -> Vec<&'static str> {
    progress.states().into_iter().map(|(_, state)| state.name()).collect()
}

fn report(progress: &PlanProgress, message: &str) -> PlanReport {
    PlanReport::new(progress, message, 0.5, 2.0)
}

/// An implementer who follows the plan.
fn faithful() -> Vec<Evidence> {
    vec![wrote("a", "", "1"), ran("check a", 0), wrote("b", "0", "1"), ran("cd . && check b 2>&1", 0)]
}

#[test]
fn pc_30_states_follow_the_evidence() {
    let mut progress = two_steps();
    assert_eq!(states(&progress), ["open", "open"]);
    assert_eq!(progress.observe(wrote("a", "0", "1")), [("1".to_string(), StepState::Changed)]);
    assert_eq!(progress.observe(ran("check a", 1)), [("1".to_string(), StepState::Failed)]);
    assert_eq!(progress.observe(wrote("a", "1", "2")), []);
    assert_eq!(progress.observe(ran("check a", 0)), [("1".to_string(), StepState::Checked)]);
    assert_eq!(progress.observe(wrote("a", "2", "3")), [("1".to_string(), StepState::Changed)]);
    // Back to the content from before: nothing of the step is left.
    assert_eq!(progress.observe(wrote("a", "3", "0")), [("1".to_string(), StepState::Open)]);
    assert_eq!(progress.observe(wrote("b", "0", "0")), []);
    // A passed check does not make up for a step that was not written.
    assert_eq!(progress.observe(ran("check b", 0)), []);
}

#[test]
fn pc_30_steps_without_files_or_checks() {
    let steps = vec![step("1", &["a"], &[], &[]), step("2", &[], &["check"], &[])];
    let progress = run(progress(steps), vec![wrote("a", "0", "1"), ran("check", 0)]);
    assert_eq!(states(&progress), ["changed", "checked"]);
    assert!(report(&progress, "").is_complete());
}

#[test]
fn pc_11_answers_exclude_steps() {
    let contract = two_steps().plan().contract.clone();
    let answers = BTreeMap::from([("2".to_string(), StepAnswer::Park)]);
    let plan = ApprovedContract::new("x", 1, contract.clone(), answers).expect("a plan");
    let scope = plan.scope(crate::settings::plan::ScopeMode::Ask).expect("a scope");
    assert_eq!(scope.files, ["a"]);
    let progress = run(PlanProgress::new(plan, ROOT), vec![wrote("a", "0", "1"), ran("check a", 0)]);
    assert_eq!(states(&progress), ["checked", "parked"]);
    assert!(report(&progress, "").is_complete());
    let unknown = BTreeMap::from([("7".to_string(), StepAnswer::Drop)]);
    assert_eq!(ApprovedContract::new("x", 1, contract, unknown), Err(UnknownStep("7".into())));
}

#[test]
fn pc_35_faithful_work_has_no_drift() {
    let progress = run(two_steps(), faithful());
    let report = report(&progress, "Both steps are done and all checks pass.");
    assert!(report.is_complete() && report.claims.is_empty(), "{report:?}");
    assert!(report.text().contains("No drift"));
    assert_eq!((progress.reminder(), progress.pending_checks()), (None, vec![]));
}

#[test]
fn pc_35_six_ways_to_drift_are_found() {
    let drifts = |evidence: Vec<Evidence>, message: &str| {
        let report = report(&run(two_steps(), evidence), message);
        assert!(report.drift && !report.is_complete(), "{report:?}");
        report
    };
    // A skipped step.
    let skipped = drifts(vec![wrote("a", "", "1"), ran("check a", 0), ran("check b", 0)], "");
    assert_eq!((skipped.steps[1].state, skipped.untouched), (StepState::Open, vec!["b".to_string()]));
    // Another order.
    let order = vec![wrote("b", "0", "1"), ran("check b", 0), wrote("a", "", "1"), ran("check a", 0)];
    assert_eq!(drifts(order, "").out_of_order, ["2"]);
    // An extra file.
    let extra = faithful().into_iter().chain([wrote("c", "", "1")]).collect();
    assert_eq!(drifts(extra, "").outside, ["c"]);
    // A false "done".
    let claim = drifts(vec![wrote("a", "", "1")], "All steps are done. All checks pass.");
    assert_eq!(claim.claims.len(), 2);
    // A check that was skipped, or run before the last write.
    let skipped = vec![wrote("a", "", "1"), ran("check a", 0), wrote("b", "0", "1")];
    assert_eq!(drifts(skipped, "").checks_not_run[0].command, "check b");
    let early = faithful().into_iter().chain([wrote("a", "1", "2")]).collect();
    assert_eq!(drifts(early, "").checks_not_run[0].step.as_deref(), Some("1"));
    // Another approach.
    let other = drifts(vec![wrote("x", "", "1"), ran("check a", 0), ran("check b", 0)], "");
    assert_eq!((other.outside, other.untouched.len()), (vec!["x".to_string()], 2));
}

/// What one command wrote has no order; its modes count as changes.
#[test]
fn pc_35_one_command_may_do_two_steps() {
    let by = |path: &str, modes: Option<[u32; 2]>, together| Evidence::Wrote {
        path: path.into(),
        before: Some("0".into()),
        after: Some(if modes.is_none() { "1".into() } else { "0".into() }),
        exempt: false,
        modes,
        together,
    };
    let checks = || [ran("check a", 0), ran("check b", 0)];
    let one = |together| [by("b", None, false), by("a", None, together)].into_iter().chain(checks()).collect();
    assert!(report(&run(two_steps(), one(true)), "").is_complete());
    assert_eq!(report(&run(two_steps(), one(false)), "").out_of_order, ["2"]);
    let moded = |modes: Vec<[u32; 2]>| {
        let writes = modes.into_iter().map(|modes| by("a", Some(modes), false)).chain([by("b", None, false)]);
        states(&run(two_steps(), writes.chain(checks()).collect()))
    };
    assert_eq!(moded(vec![[0o644, 0o755]]), ["checked", "checked"]);
    assert_eq!(moded(vec![[0o644, 0o755], [0o755, 0o644]]), ["open", "checked"]);
}

/// A check may write ignored files; the checks of the whole plan before it still count.
#[test]
fn pc_35_ignored_files_of_checks_are_no_changes() {
    let contract =
        PlanContract { checks: vec!["lint".into(), "coverage".into()], ..two_steps().plan().contract.clone() };
    let plan = || ApprovedContract::new("x", 1, contract.clone(), BTreeMap::new()).expect("a plan");
    let ignored = Evidence::Wrote {
        path: "coverage.xml".into(),
        before: None,
        after: Some("1".into()),
        exempt: true,
        modes: None,
        together: false,
    };
    let work = |wrote| faithful().into_iter().chain([ran("lint", 0), wrote, ran("coverage", 0)]).collect();
    let progress = run(PlanProgress::new(plan(), ROOT), work(ignored));
    assert!(report(&progress, "All checks pass.").is_complete() && progress.pending_checks().is_empty());
    let outside = run(PlanProgress::new(plan(), ROOT), work(wrote("coverage.xml", "", "1")));
    assert_eq!(outside.pending_checks(), ["lint"]);
}

/// The program can't see whether a step without files and checks was done.
#[test]
fn pc_35_bare_steps_are_open_without_drift() {
    let bare = || step("2", &[], &[], &[]);
    let mixed = || progress(vec![step("1", &["a"], &["check a"], &[]), bare()]);
    let done = report(&run(mixed(), vec![wrote("a", "", "1"), ran("check a", 0)]), "All steps are done.");
    assert!(done.is_complete() && done.claims.is_empty(), "{done:?}");
    assert_eq!(done.steps[1].state, StepState::Open);
    assert!(done.text().contains("nothing to observe: no files, no checks\n"), "{}", done.text());
    let unchecked = report(&run(progress(vec![step("1", &[], &["check a"], &[])]), vec![]), "");
    assert!(unchecked.drift && !unchecked.is_unobservable(&unchecked.steps[0]));
    let nothing = report(&run(progress(vec![bare()]), vec![]), "Done.");
    assert!(nothing.drift && nothing.text().contains("Nothing was written"), "{}", nothing.text());
    assert!(report(&run(progress(vec![bare()]), vec![wrote("x", "", "1")]), "Done.").is_complete());
}

#[test]
fn pc_37_claims_are_compared_with_evidence() {
    let plan = || progress(vec![step("1", &["a"], &["cargo test -p a"], &[])]);
    let claims = |evidence: Vec<Evidence>, message: &str| {
        let claims = run(plan(), evidence).unproven_claims(message);
        claims.into_iter().map(|claim| claim.evidence).collect::<Vec<_>>()
    };
    assert_eq!(claims(vec![wrote("a", "", "1")], "All tests pass."), ["`cargo test -p a` did not run"]);
    let failed = vec![wrote("a", "", "1"), ran("cargo test -p a", 101)];
    assert_eq!(claims(failed, "`cargo test -p a` passed"), ["`cargo test -p a` exited 101"]);
    let early = vec![wrote("a", "", "1"), ran("cargo test -p a", 0), wrote("a", "1", "2")];
    assert_eq!(
        claims(early, "Alle Tests sind grün, tests erfolgreich"),
        ["`cargo test -p a` ran before the last change"]
    );
    assert_eq!(claims(vec![wrote("a", "", "1")], "测试全部通过"), ["`cargo test -p a` did not run"]);
    for honest in [
        "The tests do not pass yet.",
        "I did not run the tests.",
        "Pass the key as an argument.",
        "The tests should pass.",
    ] {
        assert_eq!(claims(vec![wrote("a", "", "1")], honest), [""; 0], "{honest}");
    }
    assert_eq!(claims(vec![wrote("a", "", "1"), ran("cargo test -p a", 0)], "All tests pass."), [""; 0]);
}

#[test]
fn pc_36_a_rewind_takes_evidence_back() {
    // The file of step 2 has its old content again.
    let mut progress = run(two_steps(), faithful());
    progress.observe(wrote("b", "1", "0"));
    assert_eq!(states(&progress), ["checked", "open"]);
    assert_eq!(report(&progress, "").untouched, ["b"]);
    let stored = serde_json::to_string(&faithful()).expect("JSON");
    assert_eq!(serde_json::from_str::<Vec<Evidence>>(&stored).expect("evidence"), faithful());
}

#[test]
fn pc_40_only_changed_and_new_steps_are_asked_about() {
    let lines = |step: PlanStep, lines: [u32; 2]| PlanStep { lines, ..step };
    let contract = |first: u32| PlanContract {
        steps: vec![
            lines(step("1", &["a"], &[], &[]), [first, first + 1]),
            lines(step("2", &["b"], &[], &[]), [first + 2, first + 3]),
        ],
        ..PlanContract::default()
    };
    let answers = BTreeMap::from([("2".to_string(), StepAnswer::Park)]);
    let plan = ApprovedContract::new("a-b-c", 1, contract(1), answers).expect("a plan");
    let progress = PlanProgress::new(plan, ROOT);
    let states = |now: &str, first: u32| {
        let mut amended = contract(first);
        progress.mark_known(&mut amended, Some(("1. one\n   Use x.\n2. two\n   Use y.\n", now)));
        amended.steps.iter().map(|step| step.state).collect::<Vec<_>>()
    };
    let kept = [Some(StepState::Open), Some(StepState::Parked)];
    assert_eq!(states("# Now\n1. one\n\tUse x.\n2. two\n   Use y.\n", 2), kept);
    assert_eq!(states("1. one\n   Use z.\n2. two\n   Use y.\n", 1), [None, kept[1]]);
}

#[test]
fn pc_40_checked_steps_are_locked() {
    let mut progress = run(two_steps(), faithful()[..3].to_vec());
    progress.observe(Evidence::Reminded);
    progress.observe(Evidence::Spent { micro_usd: 500_000, millis: 1_000 });
    let mut amended = PlanContract {
        steps: vec![step("1", &["a"], &[], &[]), step("2", &["b"], &[], &[])],
        ..PlanContract::default()
    };
    progress.mark_known(&mut amended, None);
    assert_eq!((amended.steps[0].state, amended.steps[1].state), (Some(StepState::Checked), None));
    assert_eq!((progress.end_reminders(), progress.spent_of_budget()), (1, 0.5));
    progress.amend(ApprovedContract::new("a-b-c", 2, amended, BTreeMap::new()).expect("a plan"));
    assert_eq!((progress.end_reminders(), progress.spent_of_budget(), progress.spent().0), (0, 0.0, 0.5));
    assert_eq!(states(&progress)[0], "checked");
}

#[test]
fn pc_40_amendments_keep_done_steps() {
    let mut progress = run(two_steps(), faithful()[..2].to_vec());
    let mut first = step("1", &["z"], &["other"], &[]);
    first.title = "New first step".into();
    let mut second = step("2", &["a", "b"], &["check all"], &[]);
    second.title = "Step 1".into();
    let third = step("3", &["a"], &["check a"], &["2"]);
    let contract = PlanContract { steps: vec![first, second, third], ..PlanContract::default() };
    progress.amend(ApprovedContract::new("a-b-c", 2, contract, BTreeMap::new()).expect("a plan"));
    // The checked step is locked; the new ones start now, although their file was written before.
    assert_eq!(states(&progress), ["open", "checked", "open"]);
    assert_eq!(progress.plan().contract.steps[1].checks, ["check a"]);
    assert_eq!(report(&progress, "").outside, [""; 0]);
}

#[test]
fn pc_34_reminders_are_short() {
    let progress = progress((1..=100).map(|n| step(&n.to_string(), &["a"], &[], &[])).collect());
    let titles: usize =
        progress.unfinished().iter().take(20).map(|(step, _)| step.title.len() + step.id.len() + 3).sum();
    for text in [progress.reminder(), progress.end_of_turn_reminder()] {
        let text = text.expect("open steps");
        assert!(text.len() <= titles + 300, "{} bytes for {titles}", text.len());
        assert!(text.contains("and 80 more") || text.contains("and 97 more"), "{text}");
    }
}

#[test]
fn pc_38_reports_have_the_agreed_form() {
    let progress =
        run(two_steps(), vec![wrote("c", "", "1"), Evidence::Denied { path: "d".into() }, ran("check a", 0)]);
    let value = serde_json::to_value(report(&progress, "all checks pass")).expect("JSON");
    let keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "plan",
            "steps",
            "outside",
            "untouched",
            "outOfOrder",
            "checksNotRun",
            "claims",
            "drift",
            "costUsd",
            "seconds",
            "denied"
        ]
    );
    let step = serde_json::json!({"id": "1", "title": "Step 1", "state": "open", "planned": ["a"], "changed": [],
        "checks": [{"command": "check a", "exitCode": 0, "by": "model", "at": "t"}]});
    assert_eq!(value["steps"][0], step);
    assert_eq!(value["checksNotRun"], serde_json::json!([{"step": "2", "command": "check b"}]));
    assert_eq!(value["claims"][0]["text"], "all checks pass");
}

fn any_evidence() -> impl Strategy<Value = Evidence> {
    let path = prop_oneof![Just("a"), Just("b"), Just("c")];
    let hash = prop_oneof![Just(""), Just("0"), Just("1"), Just("2")];
    let command = prop_oneof![Just("check a"), Just("check b"), Just("check c"), Just("A=1 check a > x")];
    prop_oneof![
        (path, hash.clone(), hash).prop_map(|(path, before, after)| wrote(path, before, after)),
        (command, prop_oneof![Just(Some(0)), Just(Some(1)), Just(None)]).prop_map(|(command, exit_code)| {
            Evidence::Ran {
                command: command.into(),
                exit_code,
                stopped: None,
                by: CheckRunner::Program,
                at: String::new(),
                output: String::new(),
            }
        }),
        Just(Evidence::Reminded),
        (0u64..10).prop_map(|n| Evidence::Spent { micro_usd: n, millis: n }),
        Just(Evidence::Denied { path: "c".into() }),
    ]
}

proptest! {
    #[test]
    fn pc_30_nothing_is_checked_without_exit_0(evidence in proptest::collection::vec(any_evidence(), 0..25)) {
        let steps = vec![step("1", &["a"], &["check a"], &[]), step("2", &["a", "b"], &["check a", "check b"], &["1"])];
        let progress = run(progress(steps), evidence);
        for step in &progress.plan().contract.steps {
            if progress.state(step) == StepState::Checked {
                let last_write = progress.evidence().iter().rposition(|piece| matches!(piece, Evidence::Wrote { path, .. } if step.files.iter().any(|file| matches_path(&file.path, path))));
                for check in &step.checks {
                    let after = progress.evidence().iter().skip(last_write.map_or(0, |at| at + 1));
                    let mut passed = after.filter(|piece| matches!(piece, Evidence::Ran { command, exit_code: Some(0), .. } if is_same_command(check, command, ROOT)));
                    prop_assert!(passed.next().is_some(), "{check}: {:?}", progress.evidence());
                }
            }
        }
        let report = report(&progress, "");
        let stored = serde_json::to_string(&report).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<PlanReport>(&stored).expect("a report"), report);
    }
}

proptest! {
    /// Evidence is compared with the steps that it is about; no other step can change.
    #[test]
    fn pc_32_observed_steps_are_those_that_changed(evidence in proptest::collection::vec(any_evidence(), 0..25)) {
        let steps = vec![
            step("1", &["a"], &["check a"], &[]),
            step("2", &["?", "b"], &["check a", "check b"], &[]),
            step("3", &["."], &[], &[]),
        ];
        let mut progress = progress(steps);
        for piece in evidence {
            let before = progress.states();
            let fails = |id: &str| match &piece {
                Evidence::Ran { command, exit_code, .. } if *exit_code != Some(0) => {
                    let step = progress.plan().contract.step(id).expect("a step");
                    step.checks.iter().any(|check| is_same_command(check, command, ROOT))
                }
                _ => false,
            };
            let failing: Vec<bool> = before.iter().map(|(id, _)| fails(id)).collect();
            let told = progress.observe(piece);
            let now = progress.states().into_iter().zip(before).zip(failing);
            let by_hand: Vec<_> = now.filter(|((now, old), fails)| now != old || *fails).map(|((now, _), _)| now).collect();
            prop_assert_eq!(told, by_hand);
        }
        for amended in [false, true] {
            for step in &progress.plan().contract.steps {
                let counted = progress.written.get(&step.id).copied().unwrap_or_default();
                prop_assert_eq!(counted, progress.counted_writes(step), "{}, amended: {}", step.id, amended);
            }
            let mut plan = progress.plan().clone();
            plan.contract.steps[1].files.truncate(1);
            progress.amend(plan);
        }
    }
}

/// The work for a write does not grow with the plan.
#[test]
fn pc_32_one_write_reads_one_of_many_steps() {
    let steps: Vec<PlanStep> = (0..1_000)
        .map(|n| step(&n.to_string(), &[&format!("src/f{n}.rs"), &format!("docs/{n}/")], &[&format!("test {n}")], &[]))
        .collect();
    let index = StepIndex::new(&steps, ROOT);
    for evidence in [wrote("src/f7.rs", "", "1"), wrote("docs/7/deep/a.md", "", "1"), ran("A=1 test 7 > x", 1)] {
        assert_eq!(index.steps_of(&evidence, ROOT), [7].into(), "{evidence:?}");
    }
    for evidence in [wrote("src/f7.rs.bak", "", "1"), wrote("docs/7", "", "1"), ran("test", 1), Evidence::Reminded] {
        assert_eq!(index.steps_of(&evidence, ROOT), [].into(), "{evidence:?}");
    }
}

/// A transcript with these pieces of evidence.
fn entries(plan: &PlanProgress, evidence: &[Evidence]) -> Vec<EntryBody> {
    let contract = EntryBody::Contract {
        approved: Some(Box::new(plan.plan().clone())),
        scope: None,
        budget_usd: None,
        amends: false,
    };
    let pieces = evidence.iter().map(|evidence| EntryBody::Evidence { evidence: evidence.clone() });
    std::iter::once(contract).chain(pieces).collect()
}

#[test]
fn pc_36_interrupted_writes_are_found_again() {
    let mut all = entries(&two_steps(), &faithful()[..1]);
    let snapshot = |path: &str| EntryBody::FileSnapshot {
        key: "before".into(),
        path: format!("{ROOT}/{path}"),
        content: None,
        sha256: Some("0".into()),
    };
    all.insert(1, snapshot("a"));
    all.push(snapshot("b"));
    let found = replay_implementation(&all, ROOT).expect("an implementation");
    let unproven: Vec<_> = found.unproven_writes.into_iter().collect();
    assert_eq!(unproven, [(format!("{ROOT}/b"), Some("0".to_string()))]);
    all.push(EntryBody::Contract { approved: None, scope: None, budget_usd: None, amends: false });
    assert_eq!(replay_implementation(&all, ROOT), None);
}

proptest! {
    #[test]
    fn pc_36_replayed_progress_is_the_same(evidence in proptest::collection::vec(any_evidence(), 0..25)) {
        let live = run(two_steps(), evidence.clone());
        let lines: Vec<String> = entries(&two_steps(), &evidence).iter().map(|body| serde_json::to_string(body).expect("JSON")).collect();
        let read: Vec<EntryBody> = lines.iter().map(|line| serde_json::from_str(line).expect("an entry")).collect();
        let replayed = replay_implementation(&read, ROOT).expect("an implementation").progress;
        prop_assert_eq!(report(&replayed, ""), report(&live, ""));
        prop_assert_eq!(replayed.states(), live.states());
    }
}

proptest! {
    #[test]
    fn pc_30_writes_are_found_like_planned_paths(
        planned in "[ab./*]{0,5}",
        paths in prop::collection::vec("[ab./*-]{1,5}", 0..8),
        since in 0usize..8,
    ) {
        let mut evidence = ObservedEvidence::default();
        paths.iter().for_each(|path| evidence.push(wrote(path, "0", "1"), ROOT));
        let found = evidence.writes_of(&step("1", &[&planned], &[], &[]), since);
        let matching = |(at, path): &(usize, &String)| *at >= since && matches_path(&planned, path);
        let by_hand: Vec<(usize, &String)> = paths.iter().enumerate().filter(matching).collect();
        let names: std::collections::BTreeSet<&str> = by_hand.iter().map(|(_, path)| path.as_str()).collect();
        prop_assert_eq!(found.changed().collect::<Vec<_>>(), names.into_iter().collect::<Vec<_>>());
        let mut index = crate::plan::contract::PlannedPaths::default();
        index.add(&planned, 0);
        for path in &paths {
            prop_assert_eq!(index.covering(path).next().is_some(), matches_path(&planned, path), "{} {}", planned, path);
        }
        let ends = by_hand.first().zip(by_hand.last()).map(|(first, last)| (first.0, last.0));
        prop_assert_eq!(found.first().zip(found.last()), ends);
    }
}

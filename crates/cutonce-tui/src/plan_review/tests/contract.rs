//! The contract in the review (PC-4, PC-6, PC-10 to PC-13), as a user sees and answers it.

use super::*;
use cutonce_agent::plan::read_contract;
use cutonce_core::model_request::Effort;
use cutonce_core::plan::progress::{StepAnswer, StepState};
use cutonce_core::plan::{CostEstimate, PlanFreshness, StaleFile};
use cutonce_core::settings::plan::PlanLint;
use std::collections::BTreeMap;

const PLAN: &str = "# Add a login page\n\nUsers sign in with a password.\n\n## Steps\n\n\
1. Add the form\n   - files: src/form.rs (new), src/main.rs (change)\n   - check: `cargo test form`\n\
2. Store sessions\n   - files: src/session.rs\n   - check: `no-such-program-here --all`\n   - after: 1\n\
3. Remove the old page\n   - files: src/old.rs (delete)\n\n## Verification\n\n- `cargo test`\n";

/// A review of the plan in a project where some of its files exist.
fn contract_subject(project: &std::path::Path) -> ReviewSubject {
    std::fs::create_dir_all(project.join("src")).unwrap();
    for path in ["src/main.rs", "src/session.rs", "src/old.rs"] {
        std::fs::write(project.join(path), "one\n").unwrap();
    }
    let mut subject = subject(Some(PLAN), None);
    subject.request.contract = read_contract(project, PLAN, PlanLint::Show);
    subject.project = Some(project.into());
    let model = |name: &str, price: &str| ModelChoice { name: name.into(), price: price.into() };
    subject.models =
        vec![model("sonnet", "$3 in, $15 out per million tokens"), model("opus", "$5 in, $25 out per million tokens")];
    subject
}

fn person(width: u16, height: u16) -> (Person, tempfile::TempDir) {
    let project = tempfile::tempdir().unwrap();
    (Person::at(contract_subject(project.path()), width, height), project)
}

#[test]
fn pc_10_contract_line_at_three_sizes() {
    for (width, height) in [(120, 40), (80, 24), (40, 15)] {
        let (mut person, _project) = person(width, height);
        check(&format!("contract-{width}x{height}.txt"), &person.screen());
    }
}

#[test]
fn pc_10_approving_takes_the_same_two_keys() {
    let (mut person, _project) = person(80, 24);
    let answer = person.answer("1⏎");
    assert_eq!(answer, PlanAnswer::new("ask-1", ChoiceKey::AcceptEdits));
}

#[test]
fn pc_11_steps_are_parked_and_dropped_by_key() {
    for (width, height) in [(120, 40), (80, 24), (40, 15)] {
        let (mut person, _project) = person(width, height);
        person.keys("s▼p▼x");
        check(&format!("steps-{width}x{height}.txt"), &person.screen());
        let steps = BTreeMap::from([("2".to_string(), StepAnswer::Park), ("3".to_string(), StepAnswer::Drop)]);
        person.keys("1");
        let armed = person.screen();
        assert!(armed.contains("Step 2 parked."), "{armed}");
        assert_eq!(person.answer("⏎").steps, steps);
    }
}

#[test]
fn pc_11_tall_steps_are_scrolled_on_low_screens() {
    let files: Vec<String> = (1..=9).map(|at| format!("src/part_{at}_of_the_module.rs (new)")).collect();
    let plan =
        format!("## Steps\n\n1. A tall one\n   - files: {}\n   - check: `test -f last`\n2. Next\n", files.join(", "));
    let project = tempfile::tempdir().unwrap();
    let mut subject = subject(Some(&plan), None);
    subject.request.contract = read_contract(project.path(), &plan, PlanLint::Show);
    let mut person = Person::at(subject, 40, 15);
    person.keys("s");
    let (mut seen, mut before) = (person.screen(), 0);
    assert!(seen.contains("› [x] 1. A tall one") && !seen.contains("check: test -f last"), "{seen}");
    while person.screen().contains("PgDn more") {
        before += 1;
        assert!(before < 10, "{seen}");
        person.press(KeyCode::PageDown, KeyModifiers::NONE);
        seen.push_str(&person.screen());
    }
    assert!(before > 0 && seen.contains("check: test -f last"), "{seen}");
    for file in files {
        assert!(seen.contains(file.trim_end_matches(" (new)")), "{file}: {seen}");
    }
    person.keys("▼");
    assert!(person.screen().contains("› [x] 2. Next"), "{}", person.screen());
}

#[test]
fn pc_11_space_cycles_and_enter_shows_the_step() {
    let (mut person, _project) = person(80, 24);
    person.keys("s  ");
    assert_eq!(person.review.reply.terms.steps["1"], StepAnswer::Drop);
    person.keys(" ▼⏎");
    assert!(person.review.reply.terms.steps.is_empty());
    assert_eq!((person.review.viewport.cursor, matches!(person.review.focus, ReviewFocus::Plan)), (9, true));
}

#[test]
fn pc_11_answers_follow_steps_through_edits() {
    let (mut person, _project) = person(80, 24);
    person.keys("s▼▼p⎋e");
    let without_first: String =
        PLAN.lines().filter(|line| !line.contains("Add the form")).map(|l| format!("{l}\n")).collect();
    let edited = without_first.replace("2. Store", "1. Store").replace("3. Remove", "2. Remove");
    person.review.on_editor_closed(Ok(edited), person.now);
    assert_eq!(person.review.reply.terms.steps, BTreeMap::from([("2".to_string(), StepAnswer::Park)]));
    person.keys("u");
    assert_eq!(person.review.reply.terms.steps, BTreeMap::from([("3".to_string(), StepAnswer::Park)]));
}

#[test]
fn pc_40_done_steps_are_locked() {
    let project = tempfile::tempdir().unwrap();
    let mut subject = contract_subject(project.path());
    subject.request.contract.as_mut().unwrap().steps[0].state = Some(StepState::Checked);
    let mut person = Person::at(subject, 80, 24);
    person.keys("sgx");
    let screen = person.screen();
    assert!(screen.contains("[=] 1. Add the form  done") && screen.contains("step 1 is done"), "{screen}");
    assert!(person.review.reply.terms.steps.is_empty());
}

#[test]
fn pc_12_model_effort_and_budget_take_two_keys() {
    let (mut first, _project) = person(80, 24);
    first.keys("m");
    check("models-80x24.txt", &first.screen());
    let (mut second, _project) = person(40, 15);
    second.keys("b");
    check("budgets-40x15.txt", &second.screen());
    second.keys("⎋");
    for person in [&mut first, &mut second] {
        person.keys("⎋m2f4b33");
        person.keys("⎋1");
        let armed = person.screen();
        let words = armed.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = "Model opus ($5 in, $25 out per million tokens). Effort high. Budget $1.00.";
        assert!(words.contains(told), "{armed}");
        let answer = person.answer("⏎");
        assert_eq!((answer.model.as_deref(), answer.effort), (Some("opus"), Some(Effort::High)));
        assert_eq!(answer.budget_usd, Some(1.0));
    }
}

#[test]
fn pc_12_budgets_show_the_estimate() {
    let project = tempfile::tempdir().unwrap();
    let mut subject = contract_subject(project.path());
    subject.request.estimate = Some(CostEstimate { plans: 5, low_usd: 0.4, high_usd: 1.2 });
    for (width, height) in [(80, 24), (40, 15)] {
        let mut person = Person::at(subject.clone(), width, height);
        assert!(!person.screen().contains("plans here"));
        person.keys("b93.25⏎b");
        let screen = person.screen();
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        for shown in ["last 5 plans here: $0.40–1.20 for this many steps", "8 $50.00", "9 another amount … now $3.25"]
        {
            assert!(words.contains(shown), "{screen}");
        }
        check(&format!("estimate-{width}x{height}.txt"), &screen);
    }
}

#[test]
fn pc_12_nine_models_fit_on_a_low_screen() {
    let project = tempfile::tempdir().unwrap();
    let mut subject = contract_subject(project.path());
    let model =
        |at| ModelChoice { name: format!("claude-model-{at}"), price: "$15 in, $75 out per million tokens".into() };
    subject.models = (1..=9).map(model).collect();
    let mut person = Person::at(subject, 40, 15);
    person.keys("m");
    check("models-40x15.txt", &person.screen());
}

#[test]
fn pc_12_confirmation_of_many_terms_fits() {
    let steps: String = (1..=30).map(|at| format!("{at}. Step {at}\n   - files: src/{at}.rs\n")).collect();
    let plan = format!("# Many\n\n## Steps\n\n{steps}");
    let project = tempfile::tempdir().unwrap();
    let mut subject = contract_subject(project.path());
    subject.request = super::subject(Some(&plan), None).request;
    subject.request.contract = read_contract(project.path(), &plan, PlanLint::Show);
    let mut person = Person::at(subject, 40, 15);
    person.keys("sg");
    (0..20).for_each(|_| _ = person.keys("p▼"));
    person.keys("⎋m2f4b341");
    check("terms-40x15.txt", &person.screen());
}

#[test]
fn pc_12_another_amount_is_typed() {
    let (mut person, _project) = person(80, 24);
    person.keys("b92.25⏎");
    assert_eq!(person.review.reply.terms.budget_usd, Some(2.25));
    person.keys("b9much⏎");
    assert!(person.screen().contains("write the budget as an amount above 0"));
    person.keys("b1");
    assert_eq!(person.answer("1⏎").budget_usd, None);
}

#[test]
fn pc_12_terms_survive_a_closed_review() {
    let (project, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut subject = contract_subject(project.path());
    subject.home = Some(home.path().into());
    let mut person = Person::at(subject.clone(), 80, 24);
    person.keys("s▼p⎋m2b2⎋");
    let again = Person::at(subject, 80, 24);
    let terms = &again.review.reply.terms;
    assert_eq!((terms.steps["2"], terms.model.as_deref()), (StepAnswer::Park, Some("opus")));
    assert_eq!(terms.budget_usd, Some(0.5));
}

#[test]
fn pc_11_approval_without_a_step_is_not_offered() {
    for (width, height) in [(80, 24), (40, 15)] {
        let (mut person, _project) = person(width, height);
        person.keys("sx▼x▼p1");
        let screen = person.screen();
        assert!(screen.contains("No step is approved"), "{screen}");
        assert!(!screen.contains("enter confirm"), "{screen}");
        let answer = person.answer("sa1⏎");
        assert_eq!(answer.choice, ChoiceKey::AcceptEdits);
        assert!(!answer.steps.contains_key("1") && answer.steps.len() == 2, "{answer:?}");
    }
}

#[test]
fn pc_13_stale_files_are_named_with_a_diff() {
    let project = tempfile::tempdir().unwrap();
    let mut subject = contract_subject(project.path());
    let diff = Some("--- src/session.rs\n+++ src/session.rs\n@@ -1 +1 @@\n-one\n+two\u{1b}[2J\n".to_string());
    let file = StaleFile { step: "2".into(), path: "src/session.rs".into(), diff };
    subject.request.freshness = Some(PlanFreshness::new(vec![file], true));
    let mut person = Person::at(subject, 80, 24);
    let screen = person.screen();
    assert!(screen.contains("changed under step 2: src/session.rs · i diff"), "{screen}");
    person.keys("i");
    let details = person.screen();
    assert!(details.contains("-one") && details.contains("+two") && !details.contains('\u{1b}'), "{details}");
}

#[test]
fn pc_3_plan_without_steps_stays_as_it_was() {
    let mut person = Person::at(subject(Some("# Words\n\nOnly words.\n"), None), 80, 24);
    let before = person.screen();
    person.keys("s");
    assert!(person.screen().contains("the plan has no steps"));
    person.keys("b");
    assert!(person.screen().contains("a budget needs a plan with steps"));
    assert!(!before.contains("steps"), "{before}");
}

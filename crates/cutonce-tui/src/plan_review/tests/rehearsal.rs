//! Rehearsals in the review (RH-1 to RH-3, RH-7), as a user sees and answers them.

use super::*;
use cutonce_agent::plan::read_contract;
use cutonce_core::plan::progress::{CheckRun, CheckRunner, StepAnswer, StepState};
use cutonce_core::plan::rehearsal::{
    DeniedAttempt, RehearsalChoice, RehearsalEvent, RehearsalNews, RehearsalOrder, RehearsalResult, RehearsalStart,
    RehearsedCheck, RehearsedFile, RehearsedKind,
};
use cutonce_core::plan::report::{PlanReport, ReportedStep};
use cutonce_core::settings::plan::PlanLint;

const PLAN: &str = "# Add a greeting\n\n## Steps\n\n1. Write the greeting\n   - files: src/greet.rs (new), src/main.rs (change)\n   - check: `cargo test greet`\n2. Remove the old one\n   - files: old.txt (delete)\n\n## Verification\n\n- `cargo test`\n";
const DIFF: &str = "diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\
diff --git a/src/greet.rs b/src/greet.rs\nnew file mode 100644\n--- /dev/null\n+++ b/src/greet.rs\n@@ -0,0 +1,3 @@\n+pub fn greet() -> &'static str {\n+    \"hello\"\n+}\n\
diff --git a/src/main.rs b/src/main.rs\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    println!(\"start\");\n+    println!(\"{}\", greet());\n }\n";
const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 15)];

fn event(id: &str, news: RehearsalNews) -> RehearsalEvent {
    RehearsalEvent { id: id.into(), news }
}

fn started(id: &str, model: &str) -> RehearsalEvent {
    event(id, RehearsalNews::Started { model: Some(model.into()), revision: None })
}

fn progress(id: &str, text: &str, calls: u32) -> RehearsalEvent {
    event(id, RehearsalNews::Progress { text: text.into(), calls })
}

fn result() -> RehearsalResult {
    let file = |path: &str, kind, added, removed| RehearsedFile { path: path.into(), kind, added, removed };
    let check = |command: &str| CheckRun {
        command: command.into(),
        exit_code: Some(0),
        by: CheckRunner::Program,
        at: "2026-11-18T07:00:00Z".into(),
        output: String::new(),
    };
    let step = |id: &str, title: &str, state, changed: &[&str], checks| ReportedStep {
        id: id.into(),
        title: title.into(),
        state,
        changed: changed.iter().map(|path| path.to_string()).collect(),
        checks,
        ..ReportedStep::default()
    };
    let steps = vec![
        step(
            "1",
            "Write the greeting",
            StepState::Checked,
            &["src/greet.rs", "src/main.rs"],
            vec![check("cargo test greet")],
        ),
        step("2", "Remove the old one", StepState::Changed, &["old.txt"], Vec::new()),
    ];
    RehearsalResult {
        diff: DIFF.into(),
        diff_sha256: cutonce_core::plan::sha256_hex(DIFF),
        files: vec![
            file("old.txt", RehearsedKind::Delete, 0, 1),
            file("src/greet.rs", RehearsedKind::New, 3, 0),
            file("src/main.rs", RehearsedKind::Change, 1, 1),
        ],
        report: Some(PlanReport { steps, ..PlanReport::default() }),
        denied: vec![DeniedAttempt { tool: "WebFetch".into(), text: "https://example.org/\u{1b}[2J".into() }],
        cost_usd: 0.0213,
        seconds: 14.2,
        ..RehearsalResult::default()
    }
}

fn finished(id: &str) -> RehearsalEvent {
    let check = |step: Option<&str>, command: &str, output: &str| RehearsedCheck {
        step: step.map(str::to_string),
        command: command.into(),
        exit_code: Some(0),
        output: output.into(),
    };
    let checks = vec![
        check(Some("1"), "cargo test greet", "running 1 test\ntest greet ... \u{1b}[32mok\u{1b}[0m\n"),
        check(None, "cargo test", "running 7 tests\n"),
    ];
    event(id, RehearsalNews::Finished { passed: true, result: Box::new(result()), checks, failure: None })
}

fn person(width: u16, height: u16) -> Person {
    let project = tempfile::tempdir().unwrap();
    let mut subject = subject(Some(PLAN), None);
    subject.request.contract = read_contract(project.path(), PLAN, PlanLint::Off);
    Person::at(subject, width, height)
}

impl Person {
    fn hears(&mut self, events: &[RehearsalEvent]) {
        let list = self.review.subject.rehearsals.clone();
        events.iter().for_each(|event| drop(list.borrow_mut().apply(event)));
    }

    /// A review with a finished rehearsal, on its page.
    fn with_result(width: u16, height: u16) -> Person {
        let mut person = person(width, height);
        person.keys("r");
        person.hears(&[started("r1", "anthropic/claude-sonnet-5-5"), progress("r1", "Bash cargo test greet", 3)]);
        person.hears(&[finished("r1")]);
        person.keys("r");
        person
    }
}

#[test]
fn rh_1_r_rehearses_with_the_chosen_terms() {
    let mut person = person(80, 24);
    person.keys("s▼p⎋b3");
    let start = RehearsalStart {
        steps: [("2".to_string(), StepAnswer::Park)].into(),
        model: None,
        budget_usd: Some(1.0),
        revision: None,
    };
    assert_eq!(person.keys("r"), OverlayOutcome::Rehearse(RehearsalOrder::Start(start)));
    assert_eq!(person.keys("r"), OverlayOutcome::Nothing, "one order at a time");
    person.review.subject.rehearsals.borrow_mut().refused("the session's budget is used up");
    assert!(person.screen().contains("no rehearsal: the session's budget is used up"));
    assert!(matches!(person.keys("r"), OverlayOutcome::Rehearse(_)));
}

#[test]
fn rh_1_progress_is_shown_while_the_user_reads() {
    for (width, height) in SIZES {
        let mut person = person(width, height);
        person.keys("r");
        person.hears(&[started("r1", "anthropic/claude-sonnet-5-5"), progress("r1", "Write src/greet.rs", 1)]);
        person.hears(&[progress("r1", "Bash cargo test greet", 2)]);
        check(&format!("rehearsing-{width}x{height}.txt"), &person.screen());
        person.keys("▼▼r");
        check(&format!("rehearsal-watched-{width}x{height}.txt"), &person.screen());
        let cancel = RehearsalOrder::Cancel { id: Some("r1".into()) };
        assert_eq!(person.keys("x"), OverlayOutcome::Rehearse(cancel));
        person.hears(&[event("r1", RehearsalNews::Stopped { why: "it was cancelled".into() })]);
        assert!(person.screen().contains("Ended: it was cancelled."));
    }
}

#[test]
fn rh_2_result_page_at_three_sizes() {
    for (width, height) in SIZES {
        let mut person = Person::with_result(width, height);
        person.keys("▼");
        let screen = person.screen();
        assert!(!screen.contains('\u{1b}'), "{screen}");
        check(&format!("rehearsal-result-{width}x{height}.txt"), &screen);
        person.keys("▼⏎");
        check(&format!("rehearsal-diff-{width}x{height}.txt"), &person.screen());
        person.keys("]");
        let output = person.screen();
        assert!(output.contains("$ cargo test greet") && output.contains("test greet ... ok"), "{output}");
        person.keys("⎋⎋");
        assert!(matches!(person.review.focus, ReviewFocus::Plan));
    }
}

#[test]
fn du_7_question_mark_shows_the_pages_keys() {
    for (width, height) in SIZES {
        let mut person = Person::with_result(width, height);
        person.keys("▼?");
        check(&format!("rehearsal-keys-{width}x{height}.txt"), &person.screen());
        person.keys("G");
        assert!(person.screen().contains("one step back"), "{}", person.screen());
        person.keys("?");
        assert!(person.screen().contains("›  [x] src/greet.rs"), "the same row: {}", person.screen());
        person.keys("r");
        person.hears(&[started("r2", "anthropic/claude-opus-5-5")]);
        person.press(KeyCode::Tab, KeyModifiers::NONE);
        person.keys("?");
        assert!(person.screen().contains("cancel it; your files"), "{}", person.screen());
    }
    for list in ["s", "m", "f", "b"] {
        let mut person = person(80, 24);
        person.keys(&format!("{list}?"));
        assert!(person.screen().contains("All keys"), "{list}: {}", person.screen());
    }
}

#[test]
fn rh_2_cut_rows_open_whole() {
    let mut person = Person::with_result(40, 15);
    person.keys("G⏎");
    let screen = person.screen();
    assert!(screen.contains("WebFetch https://example.org/") && !screen.contains('\u{1b}'), "{screen}");
    person.keys("⎋kk⏎");
    let screen = person.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(screen.contains("No drift: the result follows the plan."), "{screen}");
}

#[test]
fn rh_3_file_is_taken_out_and_the_rest_applied() {
    for (width, height) in SIZES {
        let mut person = Person::with_result(width, height);
        // The first file, then all files of the second step, which is put back again.
        person.keys("▼x▼▼▼  ");
        check(&format!("rehearsal-without-{width}x{height}.txt"), &person.screen());
        person.keys("a");
        check(&format!("rehearsal-armed-{width}x{height}.txt"), &person.screen());
        let choice = RehearsalChoice {
            id: "r1".into(),
            diff_sha256: cutonce_core::plan::sha256_hex(DIFF),
            without: vec!["src/greet.rs".into()],
            without_steps: Vec::new(),
        };
        let answer = person.answer("⏎");
        assert_eq!((answer.choice, answer.rehearsal), (ChoiceKey::Restore, Some(Box::new(choice))));
    }
}

#[test]
fn rh_3_paste_and_held_keys_apply_nothing() {
    let mut person = Person::with_result(80, 24);
    let now = person.now;
    let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
    person.review.on_key(key(KeyCode::Char('a')), now);
    assert_eq!(person.review.on_key(key(KeyCode::Enter), now), OverlayOutcome::Nothing);
    assert_eq!(person.review.on_paste("a\n", now), OverlayOutcome::Nothing);
    person.keys("⎋");
    assert!(person.review.arming.choice.is_none());
    let held = KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, KeyEventKind::Repeat);
    person.review.on_key(held, person.now);
    assert!(person.review.arming.choice.is_none());
}

#[test]
fn rh_3_letter_disarms_apply_and_the_page_shows_it() {
    let mut person = Person::with_result(80, 24);
    person.keys("a");
    assert!(person.screen().contains("enter confirm"));
    assert_eq!(person.keys("y"), OverlayOutcome::Redraw);
    assert!(!person.screen().contains("enter confirm"), "{}", person.screen());
}

#[test]
fn rh_3_only_what_was_rehearsed_is_applied() {
    let mut person = Person::with_result(80, 24);
    person.keys("⎋s▼p⎋ra");
    assert!(person.screen().contains("you chose other steps meanwhile"));
    person.keys("⎋s▼a⎋");
    person.review.on_editor_closed(Ok(String::new()), person.now);
    person.keys("x");
    assert!(person.review.edited.is_some());
    person.keys("ra");
    assert!(person.screen().contains("your edit was not rehearsed"));
    person.keys("⎋ur");
    person.keys("x▼▼▼▼xa");
    assert!(person.screen().contains("nothing is left to apply"), "{}", person.screen());
}

#[test]
fn rh_3_refusal_is_shown_when_the_review_opens_again() {
    let mut person = Person::with_result(80, 24);
    person.hears(&[event("r1", RehearsalNews::NotApplied { why: "these files changed: old.txt".into() })]);
    assert!(person.screen().contains("nothing was applied: these files changed: old.txt"));
    let discard = RehearsalOrder::Cancel { id: Some("r1".into()) };
    assert_eq!(person.keys("d"), OverlayOutcome::Rehearse(discard));
    assert!(person.screen().contains("rehearsal r1 discarded"));
}

#[test]
fn rh_7_rehearsals_are_compared_side_by_side() {
    for (width, height) in SIZES {
        let mut person = Person::with_result(width, height);
        assert!(matches!(person.keys("r"), OverlayOutcome::Rehearse(RehearsalOrder::Start(_))));
        person.hears(&[started("r2", "anthropic/claude-opus-5-5"), progress("r2", "Bash ls", 1)]);
        person.keys("c");
        check(&format!("rehearsals-{width}x{height}.txt"), &person.screen());
        person.keys("▼⏎");
        let second = person.screen();
        assert!(second.contains("Rehearsal r2"), "{second}");
        person.press(KeyCode::Tab, KeyModifiers::NONE);
        assert!(person.screen().contains("Rehearsal r1"));
    }
}

#[test]
fn rh_7_earlier_revision_is_rehearsed_and_compared() {
    let mut person = Person::with_result(80, 24);
    person.keys("v");
    assert!(person.screen().contains("there is no earlier revision"), "{}", person.screen());
    person.review.subject.request.revision = 3;
    let start = RehearsalStart { revision: Some(2), ..RehearsalStart::default() };
    assert_eq!(person.keys("v"), OverlayOutcome::Rehearse(RehearsalOrder::Start(start)));
    let model = Some("anthropic/claude-sonnet-5-5".to_string());
    person.hears(&[event("r2", RehearsalNews::Started { model, revision: Some(2) }), finished("r2")]);
    let start = RehearsalStart { revision: Some(1), ..RehearsalStart::default() };
    assert_eq!(person.keys("v"), OverlayOutcome::Rehearse(RehearsalOrder::Start(start)));
    person.press(KeyCode::Tab, KeyModifiers::NONE);
    assert!(person.screen().contains("Rehearsal r2 of rev 2 passed"), "{}", person.screen());
    person.keys("a");
    assert!(person.screen().contains("it rehearsed an earlier revision"), "{}", person.screen());
    person.keys("c");
    let table = person.screen();
    assert!(table.contains("rev 3 waits for approval") && table.contains("r2 rev 2  passed"), "{table}");
}

#[test]
fn rh_5_result_is_kept_by_name() {
    let mut person = Person::with_result(80, 24);
    let keep = RehearsalOrder::Keep { id: "r1".into(), name: None };
    assert_eq!(person.keys("s"), OverlayOutcome::Rehearse(keep));
    person.hears(&[event("r1", RehearsalNews::NotKept { why: "8 rehearsals are kept already".into() })]);
    assert!(person.screen().contains("not kept: 8 rehearsals are kept already"));
    person.hears(&[event("r1", RehearsalNews::Kept { name: "a-b-c-r1".into() })]);
    assert!(person.screen().contains("kept for `cutonce rehearsals` as a-b-c-r1"), "{}", person.screen());
    person.keys("s");
    assert!(person.screen().contains("it is kept as a-b-c-r1 already"));
    person.keys("d");
    assert!(person.screen().contains("it stays kept as a-b-c-r1"), "{}", person.screen());
}

#[test]
fn rh_2_diff_has_syntax_colours() {
    let mut person = Person::with_result(80, 24);
    person.review.highlighter = Some(crate::render::highlight::Highlighter::new(|| {}));
    person.keys("▼▼⏎");
    // A frame does not wait long for colours; later frames have them.
    let rows = loop {
        person.screen();
        if let Some(rows) = person.review.rehearsals.coloured_rows() {
            break rows;
        }
    };
    let code = rows.iter().find(|row| row.to_string().contains("fn ")).unwrap();
    let colours: std::collections::BTreeSet<String> =
        code.spans.iter().map(|span| format!("{:?}", span.style.fg)).collect();
    assert!(colours.len() > 2, "{code:?}");
}

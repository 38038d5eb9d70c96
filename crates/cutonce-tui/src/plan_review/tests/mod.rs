//! The review as a user sees it: keys in, screens out. The screens are text files in `screens/`; `UPDATE=1` rewrites
//! them.

mod contract;
mod docs;
mod properties;
mod rehearsal;

use super::arming::MIN_CONFIRM_DELAY;
use super::*;
use crate::overlays::picker_list::tests::key_code;
use cutonce_core::plan::approval::ChoiceKey;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;
use std::time::Duration;

pub(super) struct Person {
    pub review: PlanReview,
    pub now: Instant,
    pub width: u16,
    pub height: u16,
}

pub(super) fn request(plan: Option<&str>, revision: u32, back: &str) -> PlanExitRequest {
    let choice = |key: &str, mode: &str| json!({ "key": key, "label": format!("{key} → {mode}"), "mode": mode });
    let mut choices = vec![choice("acceptEdits", "acceptEdits"), choice("default", "default")];
    if back == "auto" {
        choices.push(choice("restore", "auto"));
    }
    choices.extend([choice("clear", "default"), choice("keepPlanning", "plan"), choice("leave", back)]);
    if plan.is_none() {
        choices = vec![choice("restore", back), choice("keepPlanning", "plan")];
    }
    let request = json!({
        "askId": "ask-1", "plan": plan, "planFilePath": "/home/u/.cutonce/plans/brave-sorting-otter.md",
        "sha256": plan.map(cutonce_core::plan::sha256_hex), "revision": revision, "choices": choices, "layer": "sandbox",
        "changedFiles": [], "shells": [], "stay": 1,
    });
    serde_json::from_value(request).unwrap()
}

pub(super) fn subject(plan: Option<&str>, previous: Option<&str>) -> ReviewSubject {
    ReviewSubject {
        request: request(plan, if previous.is_some() { 2 } else { 1 }, "auto"),
        previous: previous.map(str::to_string),
        draft: None,
        home: None,
        context: Some(38),
        cost: Some("$0.42".into()),
        project: None,
        models: Vec::new(),
        rehearsals: SharedRehearsals::default(),
    }
}

impl Person {
    pub fn at(subject: ReviewSubject, width: u16, height: u16) -> Person {
        let review = PlanReview::open(subject, Theme::default(), None);
        let mut person = Person { review, now: Instant::now(), width, height };
        person.screen();
        person.now += Duration::from_secs(2);
        person
    }

    pub fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) -> OverlayOutcome {
        self.now += Duration::from_millis(100);
        self.review.on_key(KeyEvent::new(code, modifiers), self.now)
    }

    /// Types characters of [`key_code`].
    pub fn keys(&mut self, keys: &str) -> OverlayOutcome {
        let mut last = OverlayOutcome::Nothing;
        for key in keys.chars() {
            // Users pause before they choose.
            self.now += if key.is_ascii_digit() { crate::dialogs::QUIET_TIME } else { Duration::ZERO };
            last = self.press(key_code(key), KeyModifiers::NONE);
        }
        last
    }

    pub fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(self.width, self.height)).unwrap();
        // Wait until the keys that the frame names are active.
        self.now += MIN_CONFIRM_DELAY;
        terminal.draw(|frame| self.review.draw(frame, frame.area(), self.now)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        // A wide character also takes the next cell.
        let row = |y: u16| {
            let (mut x, mut row) = (0, String::new());
            while x < self.width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                x += (crate::render::text::width(symbol) as u16).max(1);
            }
            row
        };
        (0..self.height).map(|y| format!("{}\n", row(y).trim_end())).collect()
    }

    pub fn answer(&mut self, keys: &str) -> PlanAnswer {
        match self.keys(keys) {
            OverlayOutcome::Answer(answer) => *answer,
            other => panic!("{other:?}"),
        }
    }
}

fn check(name: &str, screen: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/plan_review/screens").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, screen).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == screen, "{name} changed (UPDATE=1 rewrites it):\n{screen}");
}

/// A plan of 1,004 lines and its previous revision.
fn plans() -> (String, String) {
    let section = |n: usize| {
        format!(
            "## {n} Part {n}\n\nIt does **one** thing, see `src/part{n}.rs:4`.\n\n- first\n- second\n  1. inner\n\n```rust\nfn part() {{}}\n```\n"
        )
    };
    let before: String = (1..=10).map(section).collect();
    let after: String = (12..=92).map(section).collect();
    let storage = |keys: &str| format!("## 2 Storage\n\n### 2.1 Key rotation\n\n{keys}\n### 2.2 Migration\n");
    let old_keys = "Cookies signed with an unknown key are dropped and logged.\nFiles: src/session.rs, src/config/keys.rs, tests/rotate.rs\n";
    let new_keys = "- Keep two keys, current and previous (config/keys.rs:41)\n- Rotate on deploy; previous stays valid for 24 h\n\nCookies signed with an unknown key are dropped; the user signs in again.\nFiles: src/session.rs, src/config/keys.rs, tests/rotate.rs\n";
    let old_end = "The old table sessions_v1 stays until support agrees.\nBoth are written for one month.\nA cron job compares them.\n\nRollback: feature flag cookie_sessions\n\n";
    let new_end = "1. Ship reading of both formats\n2. Write only cookies\n3. Drop the table one release later\n\nRollback: feature flag cookie_sessions\n\n";
    let title = "# Move sessions to signed cookies\n\n";
    let old = format!("{title}{before}{}{old_end}{after}", storage(old_keys));
    let new = format!("{title}{before}{}{new_end}{after}", storage(new_keys));
    (old, new)
}

#[test]
fn ui_6_plan_tables_render_and_hide_nothing() {
    let plan = "# P\n\n| reader | keys |\n|---|---:|\n| web | 2 |\n| mobile **gateway** | 1 |\n\nafter | it\n";
    let mut person = Person::at(subject(Some(plan), None), 80, 24);
    let screen = person.screen();
    for row in [
        "3   reader         │ keys",
        "4   ───────────────┼─────",
        "5   web            │    2",
        "6   mobile gateway │    1",
        "8   after | it",
    ] {
        assert!(screen.contains(row), "{row} in\n{screen}");
    }
    // Rendering would drop a cell without a header, so such a table is shown as source.
    let hidden = "| a | b |\n|---|---|\n| 1 | 2 | and rm -rf |\n";
    let screen = Person::at(subject(Some(hidden), None), 80, 24).screen();
    assert!(screen.contains("| 1 | 2 | and rm -rf |"), "{screen}");
    // A table that does not fit is shown as source too.
    let wide = format!("| {} |\n|{}|\n", vec!["column"; 20].join(" | "), vec!["---"; 20].join("|"));
    let screen = Person::at(subject(Some(&wide), None), 60, 24).screen();
    assert!(screen.contains("| column | column"), "{screen}");
}

#[test]
fn pm_74_thousand_line_plan_on_80x24() {
    let (old, new) = plans();
    assert!(new.lines().count() >= 1_000);
    let mut person = Person::at(subject(Some(&new), Some(&old)), 80, 24);
    check("opening-80x24.txt", &person.screen());
    person.keys("/unknown key⏎⎋clog it at warn with the key id, never the cookie⏎▼");
    check("commented-80x24.txt", &person.screen());
    person.keys("d");
    check("words-80x24.txt", &person.screen());
    person.keys("1");
    check("armed-80x24.txt", &person.screen());
    let answer = person.answer("⏎");
    assert_eq!(answer.choice, ChoiceKey::AcceptEdits);
    assert_eq!(answer.comments.len(), 1);
    assert_eq!(answer.plan, None);
}

#[test]
fn ui_12_redraw_cost_depends_on_visible_rows() {
    let (old, new) = plans();
    let mut person = Person::at(subject(Some(&new), Some(&old)), 80, 24);
    for keys in ["⇟", "G", "g", "/part92⏎", "⎋⎋"] {
        person.keys(keys);
        person.screen();
        assert!(person.review.viewport.row_cache.len() < 300, "{}", person.review.viewport.row_cache.len());
    }
}

#[test]
fn ui_6_outline_and_field_at_120x40() {
    let (old, new) = plans();
    let mut person = Person::at(subject(Some(&new), Some(&old)), 120, 40);
    person.keys("/unknown key⏎⎋clog it at warn with the key id, never the cookie⏎▼csplit keys.rs: parsing and rotation do not belong together");
    check("field-120x40.txt", &person.screen());
    person.keys("⎋ddd4n5 words⏎3");
    check("armed-120x40.txt", &person.screen());
    let answer = person.answer("⏎");
    assert_eq!((answer.choice, answer.mode), (ChoiceKey::Clear, Some(cutonce_core::mode::Mode::Auto)));
    assert_eq!(answer.notes.as_deref(), Some("5 words"));
    // The draft comment was not sent.
    assert_eq!(answer.comments.len(), 1);
}

#[test]
fn ui_11_review_works_at_40x15() {
    let (old, new) = plans();
    let mut person = Person::at(subject(Some(&new), Some(&old)), 40, 15);
    check("opening-40x15.txt", &person.screen());
    person.keys("o");
    check("outline-40x15.txt", &person.screen());
    person.keys("▼▼⏎ca word⎋6");
    check("armed-40x15.txt", &person.screen());
    assert_eq!(person.answer("⏎").choice, ChoiceKey::Leave);
}

#[test]
fn pm_73_without_a_plan_only_exit_is_offered() {
    let mut person = Person::at(subject(None, None), 80, 24);
    check("no-plan-80x24.txt", &person.screen());
    assert_eq!(person.keys("3⏎"), OverlayOutcome::Nothing);
    assert_eq!(person.keys("cexdn⎋"), OverlayOutcome::Redraw);
    assert_eq!(person.answer("1⏎").choice, ChoiceKey::Restore);
}

#[test]
fn pm_87_files_shells_and_missing_sandbox_are_shown() {
    let mut subject = subject(Some("# A\n\ntext\n"), None);
    subject.request.changed_files = vec!["src/a.rs".into(), "evil\u{1b}]0;x\u{7}\u{202e}".into()];
    subject.request.shells = vec!["sleep 1000".into()];
    subject.request.layer = cutonce_core::plan::approval::EnforcementLevel::Readonly;
    let mut person = Person::at(subject, 80, 24);
    person.keys("i");
    check("about-80x24.txt", &person.screen());
    person.keys("⎋?");
    check("help-80x24.txt", &person.screen());
    assert_eq!(person.keys("⎋"), OverlayOutcome::Redraw);
    assert_eq!(person.keys("⎋"), OverlayOutcome::Dismiss);
}

#[test]
fn pm_74_keys_typed_ahead_never_choose() {
    let subject = subject(Some("# A\n\nb\n"), None);
    let start = Instant::now();
    let mut review = PlanReview::open(subject, Theme::default(), None);
    let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
    assert_eq!(review.on_key(key(KeyCode::Esc), start), OverlayOutcome::Nothing);
    let mut person = Person { review, now: start, width: 80, height: 24 };
    person.screen();
    for _ in 0..4 {
        for code in [KeyCode::Char('1'), KeyCode::Enter, KeyCode::Char('c'), KeyCode::Char('e')] {
            assert_eq!(person.press(code, KeyModifiers::NONE), OverlayOutcome::Nothing);
        }
        person.now -= Duration::from_millis(100);
    }
    assert_eq!(person.press(KeyCode::Down, KeyModifiers::NONE), OverlayOutcome::Redraw);
    person.now += Duration::from_millis(400);
    assert_eq!(person.press(KeyCode::Char('1'), KeyModifiers::NONE), OverlayOutcome::Redraw);
    // As fast as a paste that arrives as keys.
    assert_eq!(
        person.review.on_key(key(KeyCode::Enter), person.now + Duration::from_millis(1)),
        OverlayOutcome::Nothing
    );
    assert!(matches!(person.keys("⏎"), OverlayOutcome::Answer(_)));
}

#[test]
fn ui_6_unchanged_or_failed_edits_are_ignored() {
    let plan = "# A\n\none\ntwo\nthree\n";
    let mut person = Person::at(subject(Some(plan), None), 80, 24);
    person.keys("Gcon three⏎");
    assert_eq!(person.keys("e"), OverlayOutcome::Editor { text: plan.into(), suffix: ".md" });
    person.review.on_editor_closed(Ok(plan.into()), person.now);
    assert_eq!(person.review.edited, None);
    person.keys("e");
    person.review.on_editor_closed(Err(ExternalEditError::Editor("the editor crashed".into())), person.now);
    assert_eq!(person.review.edited, None);
    person.keys("e");
    person.review.on_editor_closed(Ok(" \n".into()), person.now);
    assert_eq!(person.review.edited, None);
    person.keys("e");
    person.review.on_editor_closed(Ok("# A\n\none\nmore\nand\ntwo\nthree\n".into()), person.now);
    check("edited-80x24.txt", &person.screen());
    // The comment moved down with its line.
    assert_eq!(comments::to_answer_comments(&person.review.reply.comments)[0].line, 7);
    person.keys("gvjx");
    assert_eq!(person.review.plan_text(), "one\nmore\nand\ntwo\nthree\n");
    person.keys("u");
    let answer = person.answer("2⏎");
    assert_eq!(answer.plan.as_deref(), Some("# A\n\none\nmore\nand\ntwo\nthree\n"));
    assert_eq!((answer.comments[0].line, answer.choice), (7, ChoiceKey::Default));
}

#[test]
fn ui_6_feedback_notes_and_ranges_are_sent() {
    let mut person = Person::at(subject(Some("# A\n\none\ntwo\nthree\n"), None), 80, 24);
    person.keys("▼▼vjcboth of these⏎nmind the tests⏎5");
    person.review.on_paste("1\n2\n", person.now);
    person.keys("6");
    check("feedback-80x24.txt", &person.screen());
    let answer = person.answer("⏎");
    assert_eq!(answer.choice, ChoiceKey::KeepPlanning);
    assert_eq!(answer.feedback.as_deref(), Some("1\n2\n6\n\nmind the tests"));
    assert_eq!((answer.comments[0].line, answer.comments[0].text.as_str()), (3, "(lines 3 to 4) both of these"));
    assert_eq!(person.keys("y"), OverlayOutcome::Copy("two".into()));
}

#[test]
fn ui_6_comments_shrink_and_vanish_with_their_lines() {
    let mut person = Person::at(subject(Some("# A\n\n1. one\n2. two\n3. three\n"), None), 80, 24);
    // A comment on lines 3 and 4, then line 4 is dropped.
    person.keys("▼▼vjcboth⏎x");
    let lines = |person: &Person| {
        person.review.reply.comments.iter().map(|remark| (remark.first, remark.last)).collect::<Vec<_>>()
    };
    assert_eq!(lines(&person), [(2, 2)]);
    assert!(person.screen().contains("1 line dropped · u undoes"), "{}", person.screen());
    // Drop a line above it, then its last line.
    person.keys("gjx");
    assert_eq!(lines(&person), [(1, 1)]);
    person.keys("gjx");
    assert!(person.screen().contains("1 line dropped, with the comment on it · u undoes"), "{}", person.screen());
    assert_eq!(lines(&person), []);
    person.keys("u");
    assert_eq!(lines(&person), [(1, 1)]);
    let answer = person.answer("1⏎");
    assert_eq!((answer.comments[0].line, answer.comments[0].text.as_str()), (2, "both"));
    // The same in the editor.
    let mut person = Person::at(subject(Some("# A\n\none\ntwo\n"), None), 80, 24);
    person.keys("▼▼cgone?⏎e");
    person.review.on_editor_closed(Ok("# A\n\ntwo\n".into()), person.now);
    assert!(person.review.reply.comments.is_empty());
    assert!(person.screen().contains("comments on removed lines were deleted · u undoes"), "{}", person.screen());
}

#[test]
fn ui_11_resize_fills_the_screen_around_the_cursor() {
    let lines: String = (1..=300).map(|n| format!("line {n}\n")).collect();
    let mut person = Person::at(subject(Some(&lines), None), 40, 15);
    person.keys("G");
    assert!(person.screen().contains("line 300"));
    (person.width, person.height) = (120, 40);
    let screen = person.screen();
    assert!(screen.contains("line 300") && screen.contains("line 275"), "{screen}");
    // The end of a line with many rows is visible. On a wider screen it has few rows.
    let long = format!("# A\n\n{}\nafter\n", "many words ".repeat(120));
    let mut person = Person::at(subject(Some(&long), None), 40, 15);
    person.keys("▼▼");
    (0..30).for_each(|_| drop(person.keys("▼")));
    person.keys("▲");
    (person.width, person.height) = (200, 30);
    let screen = person.screen();
    assert!(screen.contains("› ") && screen.contains("many words") && screen.contains("after"), "{screen}");
}

#[test]
fn ui_6_comments_survive_crash_and_new_revision() {
    let home = tempfile::tempdir().unwrap();
    let (old, new) = ("# A\n\nfirst line\nsecond line\n", "# A\n\nnew\nfirst line\nsecond row\n");
    let at = |plan: &str, previous: Option<&str>| ReviewSubject {
        home: Some(home.path().into()),
        ..subject(Some(plan), previous)
    };
    let mut person = Person::at(at(old, None), 80, 24);
    // The program crashes in the middle of a word.
    person.keys("▼▼cwhy thi");
    drop(person);
    let mut person = Person::at(at(old, None), 80, 24);
    assert_eq!(
        person.review.reply.comments,
        [ReviewComment { first: 2, last: 2, text: "why thi".into(), draft: true, edit: None }]
    );
    person.keys("▼▼cs?⏎▼cand this?⏎");
    assert_eq!(person.answer("5⏎").comments.len(), 2);
    // The next revision shows the earlier comments.
    keep_revisions(home.path(), &[old, new]);
    let mut person = Person::at(at(new, Some(old)), 80, 24);
    assert!(person.review.reply.comments.is_empty());
    check("earlier-80x24.txt", &person.screen());
}

#[test]
fn ui_6_esc_keeps_the_saved_comment_text() {
    let home = tempfile::tempdir().unwrap();
    let at = || ReviewSubject { home: Some(home.path().into()), ..subject(Some("# A\n\none\n"), None) };
    let mut person = Person::at(at(), 80, 24);
    person.keys("Gcas saved⏎c, but more⎋");
    assert_eq!(person.answer("1⏎").comments[0].text, "as saved");
    // The unsaved text survives a crash. Once saved, it is sent.
    let mut person = Person::at(at(), 80, 24);
    person.keys("Gcas saved⏎c, but more");
    drop(person);
    let mut person = Person::at(at(), 80, 24);
    assert!(person.screen().contains("unsaved changes"), "{}", person.screen());
    person.keys("Gc!⏎");
    assert_eq!(person.answer("1⏎").comments[0].text, "as saved, but more!");
}

#[test]
fn ui_11_labels_get_shorter_but_never_disappear() {
    let plan = "# A\n\none\n";
    for (width, wanted) in [
        (
            40,
            &["1 approve → accept edits", "0 files changed", "esc decide later", "? all keys", "c comment", "d diff"][..],
        ),
        (
            60,
            &["1 yes → accept edits", "2 yes → ask each edit", "4 [ ] clear first", "5 revise → plan", "6 exit → auto"],
        ),
        (60, &["n note", "e edit", "c comment", "d diff", "esc decide later", "? keys"]),
        (70, &["1 approve → accept edits", "d diff", "esc decide later"]),
        (79, &["1 approve → accept edits", "n note", "d diff", "5 request changes → plan", "esc decide later"]),
        (100, &["1 approve → accept edits", "4 [ ] clear context first", "esc decide later", "? all keys", "u undo"]),
        (
            112,
            &["1 approve → accept edits", "6 exit plan mode → auto, start nothing", "esc decide later", "? all keys"],
        ),
        (120, &["files change without asking", "esc decide later", "? all keys"]),
    ] {
        let height = if width == 40 { 15 } else { 24 };
        let screen = Person::at(subject(Some(plan), None), width, height).screen();
        for words in wanted {
            assert!(screen.contains(words), "{words} at {width} in\n{screen}");
        }
        let foot: Vec<&str> = screen.lines().rev().take(if width < 60 { 7 } else { 5 }).collect();
        assert!(foot.iter().all(|row| !row.contains('…')), "{screen}");
    }
}

fn keep_revisions(home: &std::path::Path, texts: &[&str]) {
    for text in texts {
        cutonce_agent::plan::record_approval(home, "brave-sorting-otter", text).unwrap();
    }
}

#[test]
fn ui_6_unsent_comments_move_to_the_next_revision() {
    let home = tempfile::tempdir().unwrap();
    let (old, new) = ("# A\n\none\n", "# A\n\nzero\none\n");
    keep_revisions(home.path(), &[old, new]);
    let at = |plan: &str, previous: Option<&str>| ReviewSubject {
        home: Some(home.path().into()),
        ..subject(Some(plan), previous)
    };
    let mut person = Person::at(at(old, None), 80, 24);
    assert_eq!(person.keys("Gcnot sent yet⏎⎋"), OverlayOutcome::Dismiss);
    let mut person = Person::at(at(new, Some(old)), 80, 24);
    assert_eq!(
        person.review.reply.comments,
        [ReviewComment { first: 3, last: 3, text: "not sent yet".into(), draft: false, edit: None }]
    );
    person.keys("r");
    assert_eq!(person.answer("1⏎").comments[0].line, 4);
}

#[test]
fn pm_84_changed_plan_keeps_the_users_draft() {
    let mut again = subject(Some("# A\n\nnew\none\n"), Some("# A\n\none\n"));
    let mut draft = PlanAnswer::new("ask-0", ChoiceKey::AcceptEdits);
    draft.comments = vec![cutonce_core::plan::approval::LineComment { line: 3, text: "on one".into() }];
    draft.notes = Some("a note".into());
    again.draft = Some(draft);
    let mut person = Person::at(again, 80, 24);
    assert!(person.review.arming.choice.is_none());
    check("again-80x24.txt", &person.screen());
    let answer = person.answer("1⏎");
    assert_eq!((answer.comments[0].line, answer.notes.as_deref()), (4, Some("a note")));
}

/// PM-74, PM-80: a sentence typed into the review by mistake approves nothing.
#[test]
fn pm_80_typed_sentence_with_digits_approves_nothing() {
    for words in ["1 abm⏎", "2 bugs are left⏎", "fix bug 1⏎", "1m⏎"] {
        let mut person = Person::at(subject(Some("# P\n\n1. one\n"), None), 80, 24);
        for c in words.chars() {
            person.now += Duration::from_millis(90);
            let code = if c == '⏎' { KeyCode::Enter } else { KeyCode::Char(c) };
            let outcome = person.review.on_key(KeyEvent::new(code, KeyModifiers::NONE), person.now);
            assert!(!matches!(outcome, OverlayOutcome::Answer(_)), "{words} approved at {c}");
        }
    }
    let mut person = Person::at(subject(Some("# P\n\n1. one\n"), None), 80, 24);
    assert!(matches!(person.keys("1▼⏎"), OverlayOutcome::Answer(_)), "arrow keys disarm nothing");
}

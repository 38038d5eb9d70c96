//! The review as a person sees it: keys in, screens out. The screens are text files in `screens/`; `UPDATE=1` rewrites them.

mod docs;
mod properties;

use super::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;
use std::time::Duration;

pub(super) struct Person {
    pub review: Review,
    pub now: Instant,
    pub width: u16,
    pub height: u16,
}

pub(super) fn request(plan: Option<&str>, revision: u32, back: &str) -> Request {
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
        "sha256": plan.map(cutonce_core::plan::sha256), "revision": revision, "choices": choices, "layer": "sandbox",
        "changedFiles": [], "shells": [], "stay": 1,
    });
    serde_json::from_value(request).unwrap()
}

pub(super) fn subject(plan: Option<&str>, previous: Option<&str>) -> Subject {
    Subject {
        request: request(plan, if previous.is_some() { 2 } else { 1 }, "auto"),
        previous: previous.map(str::to_string),
        draft: None,
        home: None,
        context: Some(38),
        cost: Some("$0.42".into()),
    }
}

impl Person {
    pub fn at(subject: Subject, width: u16, height: u16) -> Person {
        let review = Review::open(subject, Theme::default(), None);
        let mut person = Person { review, now: Instant::now(), width, height };
        person.screen();
        person.now += Duration::from_secs(2);
        person
    }

    pub fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Outcome {
        self.now += Duration::from_millis(100);
        self.review.key(KeyEvent::new(code, modifiers), self.now)
    }

    /// Characters as they are typed; ⏎ is Enter, ⎋ Esc, ▼ ▲ the arrows, ⇟ PgDn.
    pub fn keys(&mut self, keys: &str) -> Outcome {
        let mut last = Outcome::Nothing;
        for key in keys.chars() {
            let code = match key {
                '⏎' => KeyCode::Enter,
                '⎋' => KeyCode::Esc,
                '▼' => KeyCode::Down,
                '▲' => KeyCode::Up,
                '⇟' => KeyCode::PageDown,
                c => KeyCode::Char(c),
            };
            // A choice is made with a pause before it.
            self.now += if key.is_ascii_digit() { crate::dialog::QUIET } else { Duration::ZERO };
            last = self.press(code, KeyModifiers::NONE);
        }
        last
    }

    pub fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(self.width, self.height)).unwrap();
        // A person looks at it when what it says of its keys is true.
        self.now += PASTED;
        terminal.draw(|frame| self.review.draw(frame, self.now)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        // A wide character takes the cell behind it, too.
        let row = |y: u16| {
            let (mut x, mut row) = (0, String::new());
            while x < self.width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                x += (crate::text::width(symbol) as u16).max(1);
            }
            row
        };
        (0..self.height).map(|y| format!("{}\n", row(y).trim_end())).collect()
    }

    pub fn answer(&mut self, keys: &str) -> Answer {
        match self.keys(keys) {
            Outcome::Answer(answer) => *answer,
            other => panic!("{other:?}"),
        }
    }
}

fn check(name: &str, screen: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/review/screens").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, screen).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == screen, "{name} is not as it was (UPDATE=1 rewrites it):\n{screen}");
}

/// A plan of 1,004 lines and the revision before it.
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
    let new_keys = "- Keep two keys, current and previous (config/keys.rs:41)\n- Rotate on deploy; previous stays valid for 24 h\n\nCookies signed with an unknown key are dropped; the user signs in anew.\nFiles: src/session.rs, src/config/keys.rs, tests/rotate.rs\n";
    let old_end = "The old table sessions_v1 stays until support agrees.\nBoth are written for one month.\nA cron job compares them.\n\nRollback: feature flag cookie_sessions\n\n";
    let new_end = "1. Ship reading of both formats\n2. Write only cookies\n3. Drop the table one release later\n\nRollback: feature flag cookie_sessions\n\n";
    let title = "# Move sessions to signed cookies\n\n";
    let old = format!("{title}{before}{}{old_end}{after}", storage(old_keys));
    let new = format!("{title}{before}{}{new_end}{after}", storage(new_keys));
    (old, new)
}

#[test]
fn ui_6_tables_of_the_plan_are_drawn_and_hide_nothing() {
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
    // A cell that the head has no column for would vanish: such a table is shown as it is written.
    let hidden = "| a | b |\n|---|---|\n| 1 | 2 | and rm -rf |\n";
    let screen = Person::at(subject(Some(hidden), None), 80, 24).screen();
    assert!(screen.contains("| 1 | 2 | and rm -rf |"), "{screen}");
    // Where it does not fit it is shown as it is written, too.
    let wide = format!("| {} |\n|{}|\n", vec!["column"; 20].join(" | "), vec!["---"; 20].join("|"));
    let screen = Person::at(subject(Some(&wide), None), 60, 24).screen();
    assert!(screen.contains("| column | column"), "{screen}");
}

#[test]
fn pm_74_a_plan_of_a_thousand_lines_on_80x24() {
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
fn ui_12_a_redraw_costs_the_rows_on_the_screen_not_the_plan() {
    let (old, new) = plans();
    let mut person = Person::at(subject(Some(&new), Some(&old)), 80, 24);
    for keys in ["⇟", "G", "g", "/part92⏎", "⎋⎋"] {
        person.keys(keys);
        person.screen();
        assert!(person.review.view.drawn.len() < 300, "{}", person.review.view.drawn.len());
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
    // The draft was not sent.
    assert_eq!(answer.comments.len(), 1);
}

#[test]
fn ui_11_forty_columns_and_fifteen_rows_are_enough() {
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
fn pm_73_without_a_plan_only_whether_to_leave_is_asked() {
    let mut person = Person::at(subject(None, None), 80, 24);
    check("no-plan-80x24.txt", &person.screen());
    assert_eq!(person.keys("3⏎"), Outcome::Nothing);
    assert_eq!(person.keys("cexdn⎋"), Outcome::Redraw);
    assert_eq!(person.answer("1⏎").choice, ChoiceKey::Restore);
}

#[test]
fn pm_87_files_shells_and_the_missing_sandbox_are_told() {
    let mut subject = subject(Some("# A\n\ntext\n"), None);
    subject.request.changed_files = vec!["src/a.rs".into(), "evil\u{1b}]0;x\u{7}\u{202e}".into()];
    subject.request.shells = vec!["sleep 1000".into()];
    subject.request.layer = cutonce_core::approval::Layer::Readonly;
    let mut person = Person::at(subject, 80, 24);
    person.keys("i");
    check("about-80x24.txt", &person.screen());
    person.keys("⎋?");
    check("help-80x24.txt", &person.screen());
    assert_eq!(person.keys("⎋"), Outcome::Redraw);
    assert_eq!(person.keys("⎋"), Outcome::Escape);
}

#[test]
fn pm_74_keys_before_it_was_drawn_or_typed_ahead_never_choose() {
    let subject = subject(Some("# A\n\nb\n"), None);
    let start = Instant::now();
    let mut review = Review::open(subject, Theme::default(), None);
    let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
    assert_eq!(review.key(key(KeyCode::Esc), start), Outcome::Nothing);
    let mut person = Person { review, now: start, width: 80, height: 24 };
    person.screen();
    for _ in 0..4 {
        for code in [KeyCode::Char('1'), KeyCode::Enter, KeyCode::Char('c'), KeyCode::Char('e')] {
            assert_eq!(person.press(code, KeyModifiers::NONE), Outcome::Nothing);
        }
        person.now -= Duration::from_millis(100);
    }
    assert_eq!(person.press(KeyCode::Down, KeyModifiers::NONE), Outcome::Redraw);
    person.now += Duration::from_millis(400);
    assert_eq!(person.press(KeyCode::Char('1'), KeyModifiers::NONE), Outcome::Redraw);
    // As quick as a paste that came as keys.
    assert_eq!(person.review.key(key(KeyCode::Enter), person.now + Duration::from_millis(1)), Outcome::Nothing);
    assert!(matches!(person.keys("⏎"), Outcome::Answer(_)));
}

#[test]
fn ui_6_editing_changes_the_plan_only_if_it_was_changed() {
    let plan = "# A\n\none\ntwo\nthree\n";
    let mut person = Person::at(subject(Some(plan), None), 80, 24);
    person.keys("Gcon three⏎");
    assert_eq!(person.keys("e"), Outcome::Editor { text: plan.into(), suffix: ".md" });
    person.review.edited(Ok(plan.into()), person.now);
    assert_eq!(person.review.edited, None);
    person.keys("e");
    person.review.edited(Err("the editor crashed".into()), person.now);
    assert_eq!(person.review.edited, None);
    person.keys("e");
    person.review.edited(Ok(" \n".into()), person.now);
    assert_eq!(person.review.edited, None);
    person.keys("e");
    person.review.edited(Ok("# A\n\none\nmore\nand\ntwo\nthree\n".into()), person.now);
    check("edited-80x24.txt", &person.screen());
    // The comment went down with its line.
    assert_eq!(remarks::comments(&person.review.remarks)[0].line, 7);
    person.keys("gvjx");
    assert_eq!(person.review.text(), "one\nmore\nand\ntwo\nthree\n");
    person.keys("u");
    let answer = person.answer("2⏎");
    assert_eq!(answer.plan.as_deref(), Some("# A\n\none\nmore\nand\ntwo\nthree\n"));
    assert_eq!((answer.comments[0].line, answer.choice), (7, ChoiceKey::Default));
}

#[test]
fn ui_6_feedback_notes_and_ranges_ride_along() {
    let mut person = Person::at(subject(Some("# A\n\none\ntwo\nthree\n"), None), 80, 24);
    person.keys("▼▼vjcboth of these⏎nmind the tests⏎5");
    person.review.paste("1\n2\n", person.now);
    person.keys("6");
    check("feedback-80x24.txt", &person.screen());
    let answer = person.answer("⏎");
    assert_eq!(answer.choice, ChoiceKey::KeepPlanning);
    assert_eq!(answer.feedback.as_deref(), Some("1\n2\n6\n\nmind the tests"));
    assert_eq!((answer.comments[0].line, answer.comments[0].text.as_str()), (3, "(lines 3 to 4) both of these"));
    assert_eq!(person.keys("y"), Outcome::Copy("two".into()));
}

#[test]
fn ui_6_a_comment_shrinks_with_its_lines_and_goes_with_the_last_of_them() {
    let mut person = Person::at(subject(Some("# A\n\n1. one\n2. two\n3. three\n"), None), 80, 24);
    // On lines 3 and 4; the second of them goes.
    person.keys("▼▼vjcboth⏎x");
    let lines =
        |person: &Person| person.review.remarks.iter().map(|remark| (remark.first, remark.last)).collect::<Vec<_>>();
    assert_eq!(lines(&person), [(2, 2)]);
    assert!(person.screen().contains("1 line dropped · u undoes"), "{}", person.screen());
    // One above it goes, then its last one.
    person.keys("gjx");
    assert_eq!(lines(&person), [(1, 1)]);
    person.keys("gjx");
    assert!(person.screen().contains("1 line dropped, with the comment on it · u undoes"), "{}", person.screen());
    assert_eq!(lines(&person), []);
    person.keys("u");
    assert_eq!(lines(&person), [(1, 1)]);
    let answer = person.answer("1⏎");
    assert_eq!((answer.comments[0].line, answer.comments[0].text.as_str()), (2, "both"));
    // In the editor, too.
    let mut person = Person::at(subject(Some("# A\n\none\ntwo\n"), None), 80, 24);
    person.keys("▼▼cgone?⏎e");
    person.review.edited(Ok("# A\n\ntwo\n".into()), person.now);
    assert!(person.review.remarks.is_empty());
    assert!(person.screen().contains("comments on removed lines are gone, too · u undoes"), "{}", person.screen());
}

#[test]
fn ui_11_a_larger_screen_is_filled_and_the_cursors_line_stays_in_view() {
    let lines: String = (1..=300).map(|n| format!("line {n}\n")).collect();
    let mut person = Person::at(subject(Some(&lines), None), 40, 15);
    person.keys("G");
    assert!(person.screen().contains("line 300"));
    (person.width, person.height) = (120, 40);
    let screen = person.screen();
    assert!(screen.contains("line 300") && screen.contains("line 275"), "{screen}");
    // A line of many rows, its end on the screen; wider, it has few of them.
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
fn ui_6_comments_survive_esc_a_crash_and_a_new_revision() {
    let home = tempfile::tempdir().unwrap();
    let (old, new) = ("# A\n\nfirst line\nsecond line\n", "# A\n\nnew\nfirst line\nsecond row\n");
    let at = |plan: &str, previous: Option<&str>| Subject {
        home: Some(home.path().into()),
        ..subject(Some(plan), previous)
    };
    let mut person = Person::at(at(old, None), 80, 24);
    // In the middle of a word the program dies.
    person.keys("▼▼cwhy thi");
    drop(person);
    let mut person = Person::at(at(old, None), 80, 24);
    assert_eq!(person.review.remarks, [Remark { first: 2, last: 2, text: "why thi".into(), draft: true, edit: None }]);
    person.keys("▼▼cs?⏎▼cand this?⏎");
    assert_eq!(person.answer("5⏎").comments.len(), 2);
    // The next revision knows what was said to the last one.
    keep_revisions(home.path(), &[old, new]);
    let mut person = Person::at(at(new, Some(old)), 80, 24);
    assert!(person.review.remarks.is_empty());
    check("earlier-80x24.txt", &person.screen());
}

#[test]
fn ui_6_a_saved_comment_that_is_left_with_esc_is_sent_as_it_was() {
    let home = tempfile::tempdir().unwrap();
    let at = || Subject { home: Some(home.path().into()), ..subject(Some("# A\n\none\n"), None) };
    let mut person = Person::at(at(), 80, 24);
    person.keys("Gcas saved⏎c, but more⎋");
    assert_eq!(person.answer("1⏎").comments[0].text, "as saved");
    // The other words are there again, also after a crash; saved, they are what is sent.
    let mut person = Person::at(at(), 80, 24);
    person.keys("Gcas saved⏎c, but more");
    drop(person);
    let mut person = Person::at(at(), 80, 24);
    assert!(person.screen().contains("other words, not saved"), "{}", person.screen());
    person.keys("Gc!⏎");
    assert_eq!(person.answer("1⏎").comments[0].text, "as saved, but more!");
}

#[test]
fn ui_11_labels_get_shorter_and_never_disappear() {
    let plan = "# A\n\none\n";
    for (width, wanted) in [
        (
            40,
            &[
                "1 approve → accept edits",
                "0 files changed",
                "esc back to planning",
                "? all keys",
                "c comment",
                "d diff",
            ][..],
        ),
        (
            60,
            &[
                "1 yes → accept edits",
                "2 yes → ask each edit",
                "4 [ ] clear first",
                "5 keep planning",
                "6 leave → auto",
            ],
        ),
        (60, &["n note", "e edit", "c comment", "d diff", "esc back to plan", "? keys"]),
        (70, &["1 approve → accept edits", "d diff", "esc back to plan"]),
        (79, &["1 approve → accept edits", "n note", "d diff", "esc back to planning"]),
        (
            100,
            &["1 approve → accept edits", "4 [ ] clear context first", "esc back to planning", "? all keys", "u undo"],
        ),
        (112, &["1 approve → accept edits", "6 leave", "esc back to planning", "? all keys"]),
        (120, &["files change without asking", "esc back to planning", "? all keys"]),
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
        cutonce_agent::plan_files::approve(home, "brave-sorting-otter", text).unwrap();
    }
}

#[test]
fn ui_6_what_was_never_sent_goes_on_with_the_next_revision() {
    let home = tempfile::tempdir().unwrap();
    let (old, new) = ("# A\n\none\n", "# A\n\nzero\none\n");
    keep_revisions(home.path(), &[old, new]);
    let at = |plan: &str, previous: Option<&str>| Subject {
        home: Some(home.path().into()),
        ..subject(Some(plan), previous)
    };
    let mut person = Person::at(at(old, None), 80, 24);
    assert_eq!(person.keys("Gcnot sent yet⏎⎋"), Outcome::Escape);
    let mut person = Person::at(at(new, Some(old)), 80, 24);
    assert_eq!(
        person.review.remarks,
        [Remark { first: 3, last: 3, text: "not sent yet".into(), draft: false, edit: None }]
    );
    person.keys("r");
    assert_eq!(person.answer("1⏎").comments[0].line, 4);
}

#[test]
fn pm_84_a_plan_that_changed_while_it_was_shown_comes_with_what_was_written() {
    let mut again = subject(Some("# A\n\nnew\none\n"), Some("# A\n\none\n"));
    let mut draft = Answer::new("ask-0", ChoiceKey::AcceptEdits);
    draft.comments = vec![cutonce_core::approval::Comment { line: 3, text: "on one".into() }];
    draft.notes = Some("a note".into());
    again.draft = Some(draft);
    let mut person = Person::at(again, 80, 24);
    assert!(person.review.armed.is_none());
    check("again-80x24.txt", &person.screen());
    let answer = person.answer("1⏎");
    assert_eq!((answer.comments[0].line, answer.notes.as_deref()), (4, Some("a note")));
}

/// PM-74, PM-80: whoever begins a sentence in the wrong place approves nothing by it.
#[test]
fn pm_80_a_sentence_with_a_digit_in_it_approves_nothing() {
    for words in ["1 abm⏎", "2 bugs are left⏎", "fix bug 1⏎", "1m⏎"] {
        let mut person = Person::at(subject(Some("# P\n\n1. one\n"), None), 80, 24);
        for c in words.chars() {
            person.now += Duration::from_millis(90);
            let code = if c == '⏎' { KeyCode::Enter } else { KeyCode::Char(c) };
            let outcome = person.review.key(KeyEvent::new(code, KeyModifiers::NONE), person.now);
            assert!(!matches!(outcome, Outcome::Answer(_)), "{words} approved at {c}");
        }
    }
    let mut person = Person::at(subject(Some("# P\n\n1. one\n"), None), 80, 24);
    assert!(matches!(person.keys("1▼⏎"), Outcome::Answer(_)), "looking around takes nothing back");
}

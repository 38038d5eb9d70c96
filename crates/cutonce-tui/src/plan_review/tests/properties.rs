//! Property tests: no input panics, and only a digit followed by Enter makes a choice.

use super::*;
use crate::render::text;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Op {
    Key(KeyCode, KeyModifiers, u64),
    Paste(String),
    Edited(Option<String>),
    Size(u16, u16),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let char_key = prop::sample::select("123456789cnedxuvyYorgG?/ij{}[] kN\u{e9}".chars().collect::<Vec<_>>());
    let named = prop::sample::select(vec![
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::Left,
        KeyCode::Tab,
    ]);
    let code = prop_oneof![4 => char_key.prop_map(KeyCode::Char), 3 => named];
    let modifiers =
        prop::sample::select(vec![KeyModifiers::NONE, KeyModifiers::NONE, KeyModifiers::SHIFT, KeyModifiers::CONTROL]);
    let op = prop_oneof![
        20 => (code, modifiers, prop::sample::select(vec![1u64, 30, 120, 500])).prop_map(|(code, modifiers, ms)| Op::Key(code, modifiers, ms)),
        2 => prop_oneof![Just("1\r\n".to_string()), Just("5\n\n".to_string()), any::<String>()].prop_map(Op::Paste),
        1 => prop_oneof![any::<String>().prop_map(Some), Just(None)].prop_map(Op::Edited),
        1 => (1u16..140, 1u16..50).prop_map(|(width, height)| Op::Size(width, height)),
    ];
    prop::collection::vec(op, 0..60)
}

fn plan() -> impl Strategy<Value = Option<String>> {
    let line = prop_oneof![
        "[a-z#*`|> -]{0,30}",
        prop::sample::select(vec![
            "# h",
            "## two",
            "```rust",
            "```",
            "- a",
            "\x1b[2J",
            "\u{202e}x",
            "\u{200b}",
            "一二三四五六七八九十",
            "",
            "[x]: y"
        ])
        .prop_map(str::to_string),
        any::<String>(),
        Just("long ".repeat(300)),
    ];
    prop::option::weighted(0.9, prop::collection::vec(line, 1..30).prop_map(|lines| lines.join("\n")))
        .prop_map(|plan| plan.filter(|plan| cutonce_core::plan::has_content(plan)))
}

/// True if a field is open, so that typed keys are text.
fn in_field(review: &PlanReview) -> bool {
    matches!(review.focus, ReviewFocus::Field { .. })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn ui_6_only_arm_and_enter_choose(plan in plan(), previous in plan(), ops in ops()) {
        let subject = subject(plan.as_deref(), previous.as_deref());
        let mut person = Person { review: PlanReview::open(subject, Theme::default(), None), now: Instant::now(), width: 80, height: 24 };
        prop_assert!(person.review.arming.choice.is_none(), "armed at opening");
        person.screen();
        for op in ops {
            let (armed, field) = (person.review.arming.choice, in_field(&person.review));
            let outcome = match &op {
                Op::Key(code, modifiers, ms) => {
                    person.now += Duration::from_millis(*ms);
                    person.review.on_key(KeyEvent::new(*code, *modifiers), person.now)
                }
                Op::Paste(text) => person.review.on_paste(text, person.now),
                Op::Edited(text) => {
                    let edited = text.clone().ok_or_else(|| ExternalEditError::Editor("crashed".into()));
                    person.review.on_editor_closed(edited, person.now)
                },
                Op::Size(width, height) => {
                    (person.width, person.height) = (*width, *height);
                    OverlayOutcome::Nothing
                }
            };
            if let OverlayOutcome::Answer(answer) = &outcome {
                prop_assert!(matches!(op, Op::Key(KeyCode::Enter, KeyModifiers::NONE, _)), "{op:?}");
                prop_assert!(armed.is_some(), "an answer without an armed choice");
                prop_assert_eq!(&answer.ask_id, "ask-1");
                let chosen = person.review.subject.request.find_choice(answer.choice);
                prop_assert!(chosen.is_some(), "{answer:?} was not offered");
            }
            if person.review.arming.choice != armed && person.review.arming.choice.is_some() {
                prop_assert!(matches!(op, Op::Key(KeyCode::Char('1'..='6'), ..)) && !field, "{op:?} armed a choice");
            }
            if matches!(outcome, OverlayOutcome::Answer(_) | OverlayOutcome::Dismiss) {
                break;
            }
            let screen = person.screen();
            prop_assert!(!screen.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{screen}");
            prop_assert!(screen.lines().all(|row| text::width(row) <= usize::from(person.width)), "{screen}");
        }
    }
}

#[test]
fn tl_10_plan_with_megabyte_line_scrolls_to_its_end() {
    let plan = format!("# A\n{}\nend", "word ".repeat(200_000));
    let mut person = Person::at(subject(Some(&plan), None), 80, 24);
    person.keys("▼⇟⇟▼▼");
    assert_eq!(person.review.viewport.cursor, 1);
    person.keys("G");
    assert!(person.screen().contains("end"));
}

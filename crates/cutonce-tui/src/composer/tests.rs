use super::*;
use crate::keymap::{Action, action};

fn files() -> Files {
    Files::new(std::path::Path::new("/nowhere"), Box::new(|| ()))
}

fn command(name: &str, takes: bool) -> Offer {
    Offer { name: name.into(), words: String::new(), takes }
}

fn shown(composer: &mut Composer) -> Vec<String> {
    let (lines, _) = composer.draw(40, 10, &Theme::default());
    lines.iter().map(|line| crate::text::plain(line).trim_end().to_string()).collect()
}

fn type_in(composer: &mut Composer, text: &str) {
    text.chars().for_each(|c| composer.typed(c));
}

#[test]
fn ui_3_enter_sends_and_a_backslash_before_it_breaks_the_line() {
    let (mut composer, mut files) = (Composer::new(Recall::default()), files());
    type_in(&mut composer, "one\\");
    assert_eq!(composer.act(Action::Send, &mut files), Did::Changed);
    type_in(&mut composer, "two");
    composer.act(Action::NewLine, &mut files);
    type_in(&mut composer, "three");
    assert_eq!(shown(&mut composer), ["› one", "  two", "  three"]);
    assert_eq!(composer.act(Action::Send, &mut files), Did::Send);
    assert_eq!(composer.take().text, "one\ntwo\nthree");
    assert!(composer.is_empty());
}

#[test]
fn ui_3_slash_lists_commands_and_enter_runs_the_chosen_one() {
    let (mut composer, mut files) = (Composer::new(Recall::default()), files());
    composer.set_commands(vec![command("/clear", false), command("/compact", true), command("/plan", true)]);
    type_in(&mut composer, "/c");
    assert_eq!(shown(&mut composer), ["› /c", "  › /clear", "    /compact"]);
    composer.act(Action::Down, &mut files);
    assert_eq!(composer.act(Action::Send, &mut files), Did::Changed);
    assert_eq!(composer.text(), "/compact ");
    assert_eq!(composer.act(Action::Send, &mut files), Did::Send);
    composer.clear();
    type_in(&mut composer, "/cl");
    assert_eq!(composer.act(Action::Send, &mut files), Did::Send);
    assert_eq!(composer.text(), "/clear ");
    composer.clear();
    type_in(&mut composer, "/pl");
    composer.act(Action::Escape, &mut files);
    assert!(!composer.is_choosing());
}

#[test]
fn ui_3_search_finds_by_words_and_esc_gives_the_draft_back() {
    let mut recall = Recall::default();
    ["fix the tests", "write docs", "fix the build"].iter().for_each(|text| recall.sent(text));
    let (mut composer, mut files) = (Composer::new(recall), files());
    type_in(&mut composer, "my draft");
    composer.act(Action::Search, &mut files);
    type_in(&mut composer, "fix");
    assert_eq!(composer.text(), "fix the build");
    composer.act(Action::Search, &mut files);
    assert_eq!(composer.text(), "fix the tests");
    composer.act(Action::Search, &mut files);
    assert_eq!(composer.text(), "fix the tests");
    composer.act(Action::Escape, &mut files);
    assert_eq!(composer.text(), "my draft");
    composer.act(Action::Search, &mut files);
    type_in(&mut composer, "docs");
    assert_eq!(composer.act(Action::Send, &mut files), Did::Changed);
    assert_eq!((composer.text(), composer.is_choosing()), ("write docs", false));
}

#[test]
fn ui_3_a_tag_goes_as_a_whole() {
    let (mut composer, mut files) = (Composer::new(Recall::default()), files());
    composer.paste(&"x\n".repeat(30));
    assert_eq!(composer.text(), "[Pasted text #1: 30 lines]");
    composer.act(Action::Backspace, &mut files);
    assert_eq!(composer.text(), "");
    assert_eq!(action(crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Backspace)), Some(Action::Backspace));
}

#[test]
fn ui_3_undo_brings_a_paste_back_with_its_text() {
    let (mut composer, mut files) = (Composer::new(Recall::default()), files());
    let long = "line\n".repeat(40);
    composer.paste(&long);
    composer.clear();
    assert!(composer.is_empty());
    composer.act(Action::Undo, &mut files);
    assert_eq!(composer.take().text, long);
    composer.paste(&long);
    assert_eq!(shown(&mut composer), ["› [Pasted text #1: 40 lines]"], "what was sent is over");
}

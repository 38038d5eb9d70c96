use super::*;
use crate::input::keymap::{KeyAction, action_for};

fn files() -> FileCompleter {
    FileCompleter::new(std::path::Path::new("/nowhere"), Box::new(|| ()))
}

fn command(name: &str, takes: bool) -> CompletionItem {
    CompletionItem { name: name.into(), description: String::new(), takes_arguments: takes }
}

fn shown(composer: &mut Composer) -> Vec<String> {
    let (lines, _) = composer.draw(40, 10, &Theme::default());
    lines.iter().map(|line| crate::render::text::plain_text(line).trim_end().to_string()).collect()
}

fn type_in(composer: &mut Composer, text: &str) {
    text.chars().for_each(|c| composer.type_char(c));
}

#[test]
fn ui_3_enter_sends_unless_after_a_backslash() {
    let (mut composer, mut files) = (Composer::new(MessageHistory::default()), files());
    type_in(&mut composer, "one\\");
    assert_eq!(composer.handle_action(KeyAction::Send, &mut files), ComposerResult::Changed);
    type_in(&mut composer, "two");
    composer.handle_action(KeyAction::NewLine, &mut files);
    type_in(&mut composer, "three");
    assert_eq!(shown(&mut composer), ["› one", "  two", "  three"]);
    assert_eq!(composer.handle_action(KeyAction::Send, &mut files), ComposerResult::Send);
    assert_eq!(composer.take_message().text, "one\ntwo\nthree");
    assert!(composer.is_empty());
}

#[test]
fn ui_3_slash_lists_commands_and_enter_runs_one() {
    let (mut composer, mut files) = (Composer::new(MessageHistory::default()), files());
    composer.set_commands(vec![command("/clear", false), command("/compact", true), command("/plan", true)]);
    type_in(&mut composer, "/c");
    assert_eq!(shown(&mut composer), ["› /c", "  › /clear", "    /compact"]);
    composer.handle_action(KeyAction::Down, &mut files);
    assert_eq!(composer.handle_action(KeyAction::Send, &mut files), ComposerResult::Changed);
    assert_eq!(composer.text(), "/compact ");
    assert_eq!(composer.handle_action(KeyAction::Send, &mut files), ComposerResult::Send);
    composer.clear();
    type_in(&mut composer, "/cl");
    assert_eq!(composer.handle_action(KeyAction::Send, &mut files), ComposerResult::Send);
    assert_eq!(composer.text(), "/clear ");
    composer.clear();
    type_in(&mut composer, "/pl");
    composer.handle_action(KeyAction::Escape, &mut files);
    assert!(!composer.is_choosing());
}

#[test]
fn ui_3_search_finds_messages_and_esc_restores() {
    let mut recall = MessageHistory::default();
    ["fix the tests", "write docs", "fix the build"].iter().for_each(|text| recall.add_sent(text));
    let (mut composer, mut files) = (Composer::new(recall), files());
    type_in(&mut composer, "my draft");
    composer.handle_action(KeyAction::SearchHistory, &mut files);
    type_in(&mut composer, "fix");
    assert_eq!(composer.text(), "fix the build");
    composer.handle_action(KeyAction::SearchHistory, &mut files);
    assert_eq!(composer.text(), "fix the tests");
    composer.handle_action(KeyAction::SearchHistory, &mut files);
    assert_eq!(composer.text(), "fix the tests");
    composer.handle_action(KeyAction::Escape, &mut files);
    assert_eq!(composer.text(), "my draft");
    composer.handle_action(KeyAction::SearchHistory, &mut files);
    type_in(&mut composer, "docs");
    assert_eq!(composer.handle_action(KeyAction::Send, &mut files), ComposerResult::Changed);
    assert_eq!((composer.text(), composer.is_choosing()), ("write docs", false));
}

#[test]
fn ui_3_backspace_deletes_a_whole_tag() {
    let (mut composer, mut files) = (Composer::new(MessageHistory::default()), files());
    composer.paste(&"x\n".repeat(30));
    assert_eq!(composer.text(), "[Pasted text #1: 30 lines]");
    composer.handle_action(KeyAction::Backspace, &mut files);
    assert_eq!(composer.text(), "");
    assert_eq!(
        action_for(crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Backspace)),
        Some(KeyAction::Backspace)
    );
}

#[test]
fn ui_3_undo_restores_a_paste() {
    let (mut composer, mut files) = (Composer::new(MessageHistory::default()), files());
    let long = "line\n".repeat(40);
    composer.paste(&long);
    composer.clear();
    assert!(composer.is_empty());
    composer.handle_action(KeyAction::Undo, &mut files);
    assert_eq!(composer.take_message().text, long);
    composer.paste(&long);
    assert_eq!(shown(&mut composer), ["› [Pasted text #1: 40 lines]"], "sent attachments are gone");
}

//! Key bindings of the main screen: one table used by the main loop and by `/help`. Overlays and dialogs
//! define their own keys.

use super::remapped_keys;
use crate::render::text::{self, RowPrefix};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::{Line, Span};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    Send,
    NewLine,
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    Backspace,
    Delete,
    DeleteWordBack,
    DeleteWordForward,
    KillToEnd,
    KillToStart,
    Yank,
    Undo,
    Redo,
    Complete,
    SearchHistory,
    OpenEditor,
    PasteImage,
    CycleMode,
    OpenReview,
    ShowDetails,
    ToggleTasks,
    StopTask,
    Background,
    Escape,
    Quit,
    QuitIfEmpty,
    Suspend,
    Redraw,
}

/// Key names, action and help text. An empty help text marks an alias that `/help` does not list.
pub const KEY_BINDINGS: &[(&[&str], KeyAction, &str)] = &[
    (&["enter"], KeyAction::Send, "send; queued for the next step while the agent works"),
    (&["shift+enter", "ctrl+j", "alt+enter"], KeyAction::NewLine, "new line (so does \\ before enter)"),
    (&["shift+tab"], KeyAction::CycleMode, "cycle the mode: default, accept edits, plan, …"),
    (&["esc"], KeyAction::Escape, "interrupt; close a list; twice on an empty line: rewind"),
    (&["ctrl+c"], KeyAction::Quit, "clear the line; twice: quit"),
    (&["ctrl+d"], KeyAction::QuitIfEmpty, "quit, on an empty line"),
    (&["ctrl+p"], KeyAction::OpenReview, "open the plan waiting for your review, or the last report"),
    (&["ctrl+o"], KeyAction::ShowDetails, "show the whole conversation with tool output"),
    (&["ctrl+t"], KeyAction::ToggleTasks, "show or fold todos, agents, teammates, background commands"),
    (&["ctrl+x"], KeyAction::StopTask, "stop a background command"),
    (&["ctrl+b"], KeyAction::Background, "put the running command into the background; else left"),
    (&["ctrl+r"], KeyAction::SearchHistory, "search messages sent from this folder"),
    (&["ctrl+g"], KeyAction::OpenEditor, "edit the message in $EDITOR"),
    (&["ctrl+v"], KeyAction::PasteImage, "paste an image, or its path"),
    (&["tab"], KeyAction::Complete, "complete a file after @ or a command after /"),
    (&["ctrl+_", "ctrl+7", "ctrl+-", "ctrl+/"], KeyAction::Undo, "undo"),
    (&["alt+_", "ctrl+shift+z"], KeyAction::Redo, "redo"),
    (&["alt+left", "alt+b", "ctrl+left"], KeyAction::WordLeft, "word to the left"),
    (&["alt+right", "alt+f", "ctrl+right"], KeyAction::WordRight, "word to the right"),
    (&["ctrl+w", "alt+backspace", "ctrl+backspace"], KeyAction::DeleteWordBack, "delete the word before the cursor"),
    (&["alt+d", "ctrl+del", "alt+del"], KeyAction::DeleteWordForward, "delete the word after the cursor"),
    (&["ctrl+k"], KeyAction::KillToEnd, "delete to the end of the line"),
    (&["ctrl+u"], KeyAction::KillToStart, "delete to the start of the line"),
    (&["ctrl+y"], KeyAction::Yank, "paste the last deleted text"),
    (&["ctrl+a", "home"], KeyAction::LineStart, "start of the line"),
    (&["ctrl+e", "end"], KeyAction::LineEnd, "end of the line"),
    (&["ctrl+z"], KeyAction::Suspend, "suspend; `fg` resumes"),
    (&["ctrl+l"], KeyAction::Redraw, "redraw the screen"),
    (&["up", "ctrl+up"], KeyAction::Up, "up; on the first line: earlier messages"),
    (&["down", "ctrl+n", "ctrl+down"], KeyAction::Down, "down; on the last line: later messages"),
    (&["left"], KeyAction::Left, ""),
    (&["right", "ctrl+f"], KeyAction::Right, ""),
    (&["backspace", "ctrl+h", "shift+backspace"], KeyAction::Backspace, ""),
    (&["del"], KeyAction::Delete, ""),
];

pub fn action_for(key: KeyEvent) -> Option<KeyAction> {
    let name = key_name(key);
    match remapped_keys::current().get(&name) {
        Some(remapped) => *remapped,
        None => built_in_action(&name),
    }
}

/// The action of a key before the user's settings.
pub fn built_in_action(name: &str) -> Option<KeyAction> {
    KEY_BINDINGS.iter().find(|(names, ..)| names.contains(&name)).map(|(_, action, _)| *action)
}

/// The keys of the main screen with the user's settings: names and help text.
pub fn listed_keys() -> Vec<(Vec<String>, &'static str)> {
    let remapped = remapped_keys::current();
    let listed = KEY_BINDINGS.iter().filter(|(_, _, words)| !words.is_empty());
    let row = |(names, action, words): &(&[&str], KeyAction, &'static str)| {
        let own = remapped.iter().filter(|(_, to)| **to == Some(*action)).map(|(name, _)| name.clone());
        let built_in = names.iter().filter(|name| !remapped.contains_key(**name)).map(|name| name.to_string());
        (own.chain(built_in).collect::<Vec<_>>(), *words)
    };
    listed.map(row).filter(|(names, _)| !names.is_empty()).collect()
}

/// Name of a key as written in the table, such as `ctrl+shift+x`.
pub fn key_name(key: KeyEvent) -> String {
    let code = match key.code {
        KeyCode::Char(' ') => "space".to_string(),
        KeyCode::Char(c) if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            c.to_lowercase().to_string()
        }
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "enter".into(),
        KeyCode::Esc => "esc".into(),
        KeyCode::Tab => "tab".into(),
        KeyCode::BackTab => "tab".into(),
        KeyCode::Backspace => "backspace".into(),
        KeyCode::Delete => "del".into(),
        KeyCode::Insert => "ins".into(),
        KeyCode::Home => "home".into(),
        KeyCode::End => "end".into(),
        KeyCode::PageUp => "pgup".into(),
        KeyCode::PageDown => "pgdn".into(),
        KeyCode::Up => "up".into(),
        KeyCode::Down => "down".into(),
        KeyCode::Left => "left".into(),
        KeyCode::Right => "right".into(),
        KeyCode::F(n) => format!("f{n}"),
        other => format!("{other:?}").to_lowercase(),
    };
    let plain = matches!(key.code, KeyCode::Char(_));
    let mut name = String::new();
    for (modifier, word) in
        [(KeyModifiers::CONTROL, "ctrl+"), (KeyModifiers::ALT, "alt+"), (KeyModifiers::SHIFT, "shift+")]
    {
        let told = modifier != KeyModifiers::SHIFT || !plain || key.modifiers.contains(KeyModifiers::CONTROL);
        if key.modifiers.contains(modifier) && told {
            name.push_str(word);
        }
    }
    name + &code
}

/// The character that the key types, if it types one.
pub fn typed_char(key: KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => Some(c),
        _ => None,
    }
}

/// Widest column of key names; a longer name has a row of its own.
const KEY_COLUMN: usize = 28;

/// Keys and their help as rows of at most `columns`. Help that is too long continues below itself (DU-7).
pub(crate) fn key_rows(keys: &[(String, String)], columns: usize) -> Vec<String> {
    let widest = keys.iter().map(|(key, _)| text::width(key)).filter(|wide| *wide <= KEY_COLUMN).max();
    let column = widest.unwrap_or(KEY_COLUMN) + 2;
    let rows = keys.iter().flat_map(|(key, help)| {
        let mut prefix = RowPrefix::spaces(column);
        let fits = text::width(key) < column;
        if fits {
            prefix.first = vec![Span::raw(text::pad_to(key, column))];
        }
        let help = text::wrap(&Line::raw(help.clone()), columns, &prefix);
        let alone = (!fits).then(|| key.clone());
        alone.into_iter().chain(help.into_iter().map(|row| text::plain_text(&row)))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_7_long_help_continues_below_itself() {
        let keys = [("enter", "send; queued for the next step"), ("a key with a name that is very long", "x")];
        let rows = key_rows(&keys.map(|(key, help)| (key.to_string(), help.to_string())), 24);
        let expected =
            ["enter  send; queued for", "       the next step", "a key with a name that is very long", "       x"];
        assert_eq!(rows, expected);
    }

    #[test]
    fn ui_3_each_key_has_one_meaning() {
        let mut seen = std::collections::BTreeSet::new();
        for name in KEY_BINDINGS.iter().flat_map(|(names, ..)| names.iter()) {
            assert!(seen.insert(name), "{name} twice");
        }
    }

    #[test]
    fn ui_3_docs_list_every_key() {
        let mut table = String::from("| key | what it does |\n|---|---|\n");
        for (names, _, words) in KEY_BINDINGS.iter().filter(|(_, _, words)| !words.is_empty()) {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            table.push_str(&format!("| {} | {words} |\n", names.join(" ")));
        }
        crate::doc_tables::assert_table("keys", &table);
    }
}

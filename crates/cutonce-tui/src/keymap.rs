//! The keys of the main screen: one table, read by the loop and by `/help`. Overlays and dialogs name theirs themselves.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
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
    Search,
    Editor,
    PasteImage,
    CycleMode,
    OpenWaiting,
    Details,
    Tasks,
    EndTask,
    Escape,
    Quit,
    End,
    Stop,
    Redraw,
}

/// Keys, what they do, and the words of the help; without words the key is a second name for a line above.
pub const KEYS: &[(&[&str], Action, &str)] = &[
    (&["enter"], Action::Send, "send; while the agent works the message joins at its next step"),
    (&["shift+enter", "ctrl+j", "alt+enter"], Action::NewLine, "new line (so does \\ before enter)"),
    (&["shift+tab"], Action::CycleMode, "cycle the mode: default, accept edits, plan, …"),
    (&["esc"], Action::Escape, "interrupt; close a list; twice on an empty line: rewind"),
    (&["ctrl+c"], Action::Quit, "clear the line; twice: quit"),
    (&["ctrl+d"], Action::End, "quit, on an empty line"),
    (&["ctrl+p"], Action::OpenWaiting, "open the plan that waits for you"),
    (&["ctrl+o"], Action::Details, "all of the conversation and its tool output"),
    (&["ctrl+t"], Action::Tasks, "show or fold todos, agents, teammates, background commands"),
    (&["ctrl+x"], Action::EndTask, "end a command in the background"),
    (&["ctrl+r"], Action::Search, "search what you sent from this folder"),
    (&["ctrl+g"], Action::Editor, "edit the message in $EDITOR"),
    (&["ctrl+v"], Action::PasteImage, "paste an image, or its path"),
    (&["tab"], Action::Complete, "complete a file after @ or a command after /"),
    (&["ctrl+_", "ctrl+7", "ctrl+-", "ctrl+/"], Action::Undo, "undo"),
    (&["alt+_", "ctrl+shift+z"], Action::Redo, "redo"),
    (&["alt+left", "alt+b", "ctrl+left"], Action::WordLeft, "word to the left"),
    (&["alt+right", "alt+f", "ctrl+right"], Action::WordRight, "word to the right"),
    (&["ctrl+w", "alt+backspace", "ctrl+backspace"], Action::DeleteWordBack, "delete the word before the cursor"),
    (&["alt+d", "ctrl+del", "alt+del"], Action::DeleteWordForward, "delete the word after the cursor"),
    (&["ctrl+k"], Action::KillToEnd, "delete to the end of the line"),
    (&["ctrl+u"], Action::KillToStart, "delete to the start of the line"),
    (&["ctrl+y"], Action::Yank, "put back what was deleted"),
    (&["ctrl+a", "home"], Action::LineStart, "start of the line"),
    (&["ctrl+e", "end"], Action::LineEnd, "end of the line"),
    (&["ctrl+z"], Action::Stop, "stop; `fg` comes back"),
    (&["ctrl+l"], Action::Redraw, "draw the screen anew"),
    (&["up", "ctrl+up"], Action::Up, "up; on the first line: earlier messages"),
    (&["down", "ctrl+n", "ctrl+down"], Action::Down, "down; on the last line: later messages"),
    (&["left", "ctrl+b"], Action::Left, ""),
    (&["right", "ctrl+f"], Action::Right, ""),
    (&["backspace", "ctrl+h", "shift+backspace"], Action::Backspace, ""),
    (&["del"], Action::Delete, ""),
];

pub fn action(key: KeyEvent) -> Option<Action> {
    let name = name_of(key);
    KEYS.iter().find(|(names, ..)| names.contains(&name.as_str())).map(|(_, action, _)| *action)
}

/// `ctrl+shift+x`, as the table writes it.
pub fn name_of(key: KeyEvent) -> String {
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

/// A key that types a character.
pub fn typed(key: KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => Some(c),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_each_key_has_one_meaning() {
        let mut seen = std::collections::BTreeSet::new();
        for name in KEYS.iter().flat_map(|(names, ..)| names.iter()) {
            assert!(seen.insert(name), "{name} twice");
        }
    }

    #[test]
    fn ui_3_the_docs_name_every_key() {
        let mut table = String::from("| key | what it does |\n|---|---|\n");
        for (names, _, words) in KEYS.iter().filter(|(_, _, words)| !words.is_empty()) {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            table.push_str(&format!("| {} | {words} |\n", names.join(" ")));
        }
        crate::docs::held("keys", &table);
    }
}

//! The keys of the plan review: one table makes what they do and what the help says.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    HeadingBack,
    HeadingNext,
    ChangeBack,
    ChangeNext,
    Outline,
    Find,
    Comment,
    Select,
    Note,
    Edit,
    Drop,
    Undo,
    Diff,
    Base,
    Copy,
    CopyAll,
    About,
    Help,
    Confirm,
    Escape,
    Choose(char),
}

pub struct Row {
    pub action: Action,
    keys: &'static [(KeyCode, KeyModifiers)],
    /// As the help names them.
    pub named: &'static str,
    pub does: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

const fn plain(c: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(c), NONE)
}

const fn row(action: Action, keys: &'static [(KeyCode, KeyModifiers)], named: &'static str, does: &'static str) -> Row {
    Row { action, keys, named, does }
}

/// Digits and what n and N mean during a search are not in it.
pub const KEYS: &[Row] = &[
    row(Action::Up, &[(KeyCode::Up, NONE), plain('k'), (KeyCode::Char('p'), CTRL)], "↑ k", "a line up"),
    row(Action::Down, &[(KeyCode::Down, NONE), plain('j'), (KeyCode::Char('n'), CTRL)], "↓ j", "a line down"),
    row(Action::PageUp, &[(KeyCode::PageUp, NONE), (KeyCode::Char('b'), CTRL)], "PgUp ctrl+b", "a page up"),
    row(
        Action::PageDown,
        &[(KeyCode::PageDown, NONE), (KeyCode::Char('f'), CTRL), plain(' ')],
        "PgDn space",
        "a page down",
    ),
    row(Action::First, &[plain('g'), (KeyCode::Home, NONE)], "g Home", "the first line"),
    row(Action::Last, &[plain('G'), (KeyCode::End, NONE)], "G End", "the last line"),
    row(Action::HeadingBack, &[plain('{')], "{", "the heading before"),
    row(Action::HeadingNext, &[plain('}')], "}", "the next heading"),
    row(Action::ChangeBack, &[plain('[')], "[", "the change or comment before"),
    row(Action::ChangeNext, &[plain(']')], "]", "the next change or comment"),
    row(Action::Outline, &[plain('o')], "o", "outline: go to a heading"),
    row(Action::Find, &[plain('/')], "/", "find; then n and N for the next and the one before, esc ends it"),
    row(Action::Comment, &[plain('c')], "c", "comment on this line, or on the selected ones; again: change it"),
    row(Action::Select, &[plain('v'), plain('V')], "v", "select lines"),
    row(Action::Note, &[plain('n')], "n", "a note to the agent"),
    row(Action::Edit, &[plain('e')], "e", "edit the plan in $EDITOR"),
    row(Action::Drop, &[plain('x')], "x", "drop this line, or the selected ones, from the plan"),
    row(Action::Undo, &[plain('u')], "u", "undo the last edit, drop or comment"),
    row(Action::Diff, &[plain('d')], "d", "changes: bars, words with removed lines, off"),
    row(Action::Base, &[plain('r')], "r", "which revision to compare with"),
    row(Action::Copy, &[plain('y')], "y", "copy this line, or the selected ones"),
    row(Action::CopyAll, &[plain('Y')], "Y", "copy the whole plan"),
    row(Action::About, &[plain('i')], "i", "changed files, shells that run, what held the commands"),
    row(Action::Help, &[plain('?'), (KeyCode::F(1), NONE)], "?", "all keys"),
    row(Action::Confirm, &[(KeyCode::Enter, NONE)], "enter", "confirm the choice that is armed"),
    row(
        Action::Escape,
        &[(KeyCode::Esc, NONE), (KeyCode::Char('c'), CTRL)],
        "esc",
        "one step back; at last: back to planning",
    ),
];

pub fn action(key: KeyEvent) -> Option<Action> {
    // Shift is part of the character that it made.
    let modifiers = match key.code {
        KeyCode::Char(_) => key.modifiers - KeyModifiers::SHIFT,
        _ => key.modifiers,
    };
    if let KeyCode::Char(digit @ '1'..='9') = key.code
        && modifiers == NONE
    {
        return Some(Action::Choose(digit));
    }
    KEYS.iter().find(|row| row.keys.contains(&(key.code, modifiers))).map(|row| row.action)
}

impl Action {
    /// Works from the first moment on: it can't answer.
    pub fn moves(self) -> bool {
        use Action::{ChangeBack, ChangeNext, Down, First, HeadingBack, HeadingNext, Last, PageDown, PageUp, Up};
        matches!(
            self,
            Up | Down
                | PageUp
                | PageDown
                | First
                | Last
                | HeadingBack
                | HeadingNext
                | ChangeBack
                | ChangeNext
                | Action::Escape
        )
    }
}

//! Key bindings of the plan review. One table defines both the actions and the help text.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewAction {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    PreviousHeading,
    NextHeading,
    PreviousChange,
    NextChange,
    Outline,
    Find,
    Comment,
    Select,
    Note,
    Edit,
    DropLines,
    Undo,
    Diff,
    Base,
    Rehearse,
    Copy,
    CopyAll,
    Details,
    Steps,
    Model,
    Effort,
    Budget,
    Browser,
    Help,
    Confirm,
    Escape,
    Choose(char),
}

pub struct ReviewKeyBinding {
    pub action: ReviewAction,
    keys: &'static [(KeyCode, KeyModifiers)],
    /// Key names as shown in the help.
    pub key_names: &'static str,
    pub help: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

const fn char_key(c: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(c), NONE)
}

const fn binding(
    action: ReviewAction,
    keys: &'static [(KeyCode, KeyModifiers)],
    named: &'static str,
    does: &'static str,
) -> ReviewKeyBinding {
    ReviewKeyBinding { action, keys, key_names: named, help: does }
}

/// All key bindings except the digits, and n and N during a search.
pub const REVIEW_KEYS: &[ReviewKeyBinding] = &[
    binding(ReviewAction::Up, &[(KeyCode::Up, NONE), char_key('k'), (KeyCode::Char('p'), CTRL)], "↑ k", "a line up"),
    binding(
        ReviewAction::Down,
        &[(KeyCode::Down, NONE), char_key('j'), (KeyCode::Char('n'), CTRL)],
        "↓ j",
        "a line down",
    ),
    binding(ReviewAction::PageUp, &[(KeyCode::PageUp, NONE), (KeyCode::Char('b'), CTRL)], "PgUp ctrl+b", "a page up"),
    binding(
        ReviewAction::PageDown,
        &[(KeyCode::PageDown, NONE), (KeyCode::Char('f'), CTRL), char_key(' ')],
        "PgDn space",
        "a page down",
    ),
    binding(ReviewAction::First, &[char_key('g'), (KeyCode::Home, NONE)], "g Home", "the first line"),
    binding(ReviewAction::Last, &[char_key('G'), (KeyCode::End, NONE)], "G End", "the last line"),
    binding(ReviewAction::PreviousHeading, &[char_key('{')], "{", "the previous heading"),
    binding(ReviewAction::NextHeading, &[char_key('}')], "}", "the next heading"),
    binding(ReviewAction::PreviousChange, &[char_key('[')], "[", "the previous change or comment"),
    binding(ReviewAction::NextChange, &[char_key(']')], "]", "the next change or comment"),
    binding(ReviewAction::Outline, &[char_key('o')], "o", "outline: jump to a heading"),
    binding(
        ReviewAction::Find,
        &[char_key('/')],
        "/",
        "find; then n and N for the next and previous match, esc ends the search",
    ),
    binding(
        ReviewAction::Comment,
        &[char_key('c')],
        "c",
        "comment on this line or the selected lines; again: edit the comment",
    ),
    binding(ReviewAction::Select, &[char_key('v'), char_key('V')], "v", "select lines"),
    binding(ReviewAction::Note, &[char_key('n')], "n", "a note to the agent"),
    binding(ReviewAction::Edit, &[char_key('e')], "e", "edit the plan in $EDITOR"),
    binding(ReviewAction::DropLines, &[char_key('x')], "x", "drop this line or the selected lines from the plan"),
    binding(ReviewAction::Undo, &[char_key('u')], "u", "undo the last edit, drop or comment"),
    binding(ReviewAction::Diff, &[char_key('d')], "d", "changes: bars, changed words and removed lines, off"),
    binding(ReviewAction::Base, &[char_key('D')], "D", "switch the revision to compare with"),
    binding(
        ReviewAction::Rehearse,
        &[char_key('r')],
        "r",
        "rehearse the plan on a copy, watch it, see the result and apply exactly that",
    ),
    binding(ReviewAction::Copy, &[char_key('y')], "y", "copy this line or the selected lines"),
    binding(ReviewAction::CopyAll, &[char_key('Y')], "Y", "copy the whole plan"),
    binding(ReviewAction::Details, &[char_key('i')], "i", "changed files, running shells, how commands were confined"),
    binding(ReviewAction::Steps, &[char_key('s')], "s", "steps: approve, park or drop each one"),
    binding(ReviewAction::Model, &[char_key('m')], "m", "model of the implementation, with its price"),
    binding(ReviewAction::Effort, &[char_key('f')], "f", "effort of the implementation"),
    binding(ReviewAction::Budget, &[char_key('b')], "b", "budget of the implementation in US dollars"),
    binding(ReviewAction::Browser, &[char_key('w')], "w", "open this plan in your browser"),
    binding(ReviewAction::Help, &[char_key('?'), (KeyCode::F(1), NONE)], "?", "all keys"),
    binding(ReviewAction::Confirm, &[(KeyCode::Enter, NONE)], "enter", "confirm the armed choice"),
    binding(
        ReviewAction::Escape,
        &[(KeyCode::Esc, NONE), (KeyCode::Char('c'), CTRL)],
        "esc",
        "one step back; then close the review and decide later",
    ),
];

pub fn action_for_key(key: KeyEvent) -> Option<ReviewAction> {
    // For characters, Shift is already part of the character.
    let modifiers = match key.code {
        KeyCode::Char(_) => key.modifiers - KeyModifiers::SHIFT,
        _ => key.modifiers,
    };
    if let KeyCode::Char(digit @ '1'..='9') = key.code
        && modifiers == NONE
    {
        return Some(ReviewAction::Choose(digit));
    }
    REVIEW_KEYS.iter().find(|row| row.keys.contains(&(key.code, modifiers))).map(|row| row.action)
}

impl ReviewAction {
    /// True for actions that work at once because they can't answer the request.
    pub fn allowed_before_ready(self) -> bool {
        use ReviewAction::{
            Down, First, Last, NextChange, NextHeading, PageDown, PageUp, PreviousChange, PreviousHeading, Up,
        };
        matches!(
            self,
            Up | Down
                | PageUp
                | PageDown
                | First
                | Last
                | PreviousHeading
                | NextHeading
                | PreviousChange
                | NextChange
                | ReviewAction::Escape
        )
    }
}

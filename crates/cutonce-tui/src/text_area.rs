//! The text editor of the composer, the dialogs and the plan review: a grapheme cursor, word movement, a kill
//! buffer and undo.
//!
//! Why no crate: the composer draws its own rows (wrapping, pasted blocks, completion), and text area widgets bring
//! their own drawing.

use crate::input::keymap::{self, KeyAction};
use crate::render::text;
use crate::render::text::wrapped_rows::WrappedRows;
use crossterm::event::KeyEvent;
use ratatui::style::Style;
use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;

/// Maximum number of undo steps.
const MAX_UNDO: usize = 200;
/// Maximum size of a text field in bytes. Longer pastes are truncated.
const MAX_FIELD_TEXT: usize = 100_000;

/// Effect of an action on the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEdit {
    Moved,
    Changed,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextArea {
    text: String,
    /// Byte offset at a grapheme boundary.
    cursor: usize,
    undo: Vec<(String, usize)>,
    redo: Vec<(String, usize)>,
    /// End of the last inserted character; the next one joins its undo step.
    typing_end: Option<usize>,
    killed: String,
}

impl TextArea {
    pub fn new(text: impl Into<String>) -> TextArea {
        let text = text.into();
        TextArea { cursor: text.len(), text, ..TextArea::default() }
    }
    pub fn text(&self) -> &str {
        &self.text
    }
    pub fn cursor(&self) -> usize {
        self.cursor
    }
    pub fn set_cursor(&mut self, at: usize) {
        self.cursor = self.text.floor_char_boundary(at.min(self.text.len()));
        self.typing_end = None;
    }

    /// Replaces the whole text as one undo step.
    pub fn replace(&mut self, text: impl Into<String>) {
        self.push_undo();
        self.text = text.into();
        self.cursor = self.text.len();
        self.typing_end = None;
    }

    /// Replaces a range and puts the cursor behind it.
    pub fn splice(&mut self, from: usize, to: usize, with: &str) {
        if from > to || !self.text.is_char_boundary(from) || !self.text.is_char_boundary(to) {
            return;
        }
        self.push_undo();
        self.text.replace_range(from..to, with);
        self.cursor = from + with.len();
        self.typing_end = None;
    }

    pub fn insert(&mut self, text: &str) {
        let joins =
            self.typing_end == Some(self.cursor) && text.chars().count() == 1 && !text.contains(char::is_whitespace);
        if !joins {
            self.push_undo();
        }
        self.redo.clear();
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        self.typing_end = Some(self.cursor);
    }

    /// Inserts text into a text field: line breaks are normalized, and the size is limited.
    pub fn insert_limited(&mut self, words: &str) {
        let words = words.replace("\r\n", "\n").replace('\r', "\n");
        let room = MAX_FIELD_TEXT.saturating_sub(self.text.len());
        self.insert(&words[..words.floor_char_boundary(room.min(words.len()))]);
    }

    /// Performs an editing action of the key table. Returns `None` if the action does not edit text, or if it
    /// depends on the view, as up and down do.
    pub fn apply_action(&mut self, action: KeyAction) -> Option<TextEdit> {
        match action {
            KeyAction::Left | KeyAction::Background => self.move_left(),
            KeyAction::Right => self.move_right(),
            KeyAction::WordLeft => self.word_left(),
            KeyAction::WordRight => self.word_right(),
            KeyAction::LineStart => self.go_line_start(),
            KeyAction::LineEnd => self.go_line_end(),
            _ => return self.change_text(action).then_some(TextEdit::Changed),
        }
        Some(TextEdit::Moved)
    }

    fn change_text(&mut self, action: KeyAction) -> bool {
        match action {
            KeyAction::NewLine => self.insert("\n"),
            KeyAction::Backspace => self.backspace(),
            KeyAction::Delete => self.delete(),
            KeyAction::DeleteWordBack => self.delete_word_back(),
            KeyAction::DeleteWordForward => self.delete_word_forward(),
            KeyAction::KillToEnd => self.kill_to_end(),
            KeyAction::KillToStart => self.kill_to_start(),
            KeyAction::Yank => self.yank(),
            KeyAction::Undo => self.undo(),
            KeyAction::Redo => self.redo(),
            _ => return false,
        }
        true
    }

    /// Handles a key of a text field. Returns false if the field does not use it, as for Enter and Esc.
    pub fn handle_key(&mut self, key: KeyEvent) -> bool {
        if let Some(c) = keymap::typed_char(key) {
            self.insert_limited(c.encode_utf8(&mut [0; 4]));
            return true;
        }
        match keymap::action_for(key) {
            Some(KeyAction::Complete) => self.insert_limited("  "),
            Some(KeyAction::Up) => self.move_vertically(false),
            Some(KeyAction::Down) => self.move_vertically(true),
            Some(action) => return self.apply_action(action).is_some(),
            None => return false,
        }
        true
    }

    /// Wrapped rows and the cursor position (row, column). There is always at least one row.
    pub fn wrapped_rows(&self, columns: usize, style: Style) -> (Vec<Line<'static>>, (usize, usize)) {
        let rows = WrappedRows::wrap(&self.text, columns);
        let lines = rows.iter().map(|(from, to)| Line::styled(drawn_text(&self.text[from..to]), style)).collect();
        (lines, rows.locate(&self.text, self.cursor))
    }

    pub fn backspace(&mut self) {
        let from = self.previous_boundary(self.cursor);
        self.delete_range(from, self.cursor, false);
    }
    pub fn delete(&mut self) {
        let to = self.next_boundary(self.cursor);
        self.delete_range(self.cursor, to, false);
    }
    pub fn delete_word_back(&mut self) {
        self.delete_range(self.word_before(), self.cursor, true);
    }
    pub fn delete_word_forward(&mut self) {
        self.delete_range(self.cursor, self.word_after(), true);
    }
    pub fn kill_to_end(&mut self) {
        let end = self.line_end();
        // At the end of a line, delete the newline.
        let end = if end == self.cursor { self.next_boundary(end) } else { end };
        self.delete_range(self.cursor, end, true);
    }
    pub fn kill_to_start(&mut self) {
        let start = self.line_start();
        let start = if start == self.cursor { self.previous_boundary(start) } else { start };
        self.delete_range(start, self.cursor, true);
    }
    pub fn yank(&mut self) {
        let killed = self.killed.clone();
        self.typing_end = None;
        self.insert(&killed);
    }

    pub fn move_left(&mut self) {
        let at = self.previous_boundary(self.cursor);
        self.set_cursor(at);
    }
    pub fn move_right(&mut self) {
        let at = self.next_boundary(self.cursor);
        self.set_cursor(at);
    }
    pub fn word_left(&mut self) {
        let at = self.word_before();
        self.set_cursor(at);
    }
    pub fn word_right(&mut self) {
        let at = self.word_after();
        self.set_cursor(at);
    }
    pub fn go_line_start(&mut self) {
        let at = self.line_start();
        self.set_cursor(at);
    }
    pub fn go_line_end(&mut self) {
        let at = self.line_end();
        self.set_cursor(at);
    }

    pub fn undo(&mut self) {
        if let Some((text, cursor)) = self.undo.pop() {
            self.redo.push((std::mem::replace(&mut self.text, text), self.cursor));
            self.set_cursor(cursor);
        }
    }
    pub fn redo(&mut self) {
        if let Some((text, cursor)) = self.redo.pop() {
            self.undo.push((std::mem::replace(&mut self.text, text), self.cursor));
            self.set_cursor(cursor);
        }
    }

    /// Moves to the same column of the previous or next line, or to the start or end of the text.
    fn move_vertically(&mut self, down: bool) {
        let start = self.line_start();
        let column = self.text[start..self.cursor].chars().count();
        let target = match down {
            true => Some(self.line_end() + 1).filter(|at| *at <= self.text.len()),
            false => start.checked_sub(1).map(|end| self.text[..end].rfind('\n').map_or(0, |at| at + 1)),
        };
        let Some(line) = target else {
            return self.set_cursor(if down { self.text.len() } else { 0 });
        };
        let end = self.text[line..].find('\n').map_or(self.text.len(), |at| line + at);
        let at = self.text[line..end].char_indices().nth(column).map_or(end, |(at, _)| line + at);
        self.set_cursor(at);
    }

    fn push_undo(&mut self) {
        if self.undo.len() == MAX_UNDO {
            self.undo.remove(0);
        }
        self.undo.push((self.text.clone(), self.cursor));
        self.redo.clear();
    }

    fn delete_range(&mut self, from: usize, to: usize, keep: bool) {
        if from >= to {
            return;
        }
        self.push_undo();
        let gone: String = self.text.drain(from..to).collect();
        if keep {
            self.killed = gone;
        }
        self.cursor = from;
        self.typing_end = None;
    }

    fn previous_boundary(&self, at: usize) -> usize {
        self.text[..at].grapheme_indices(true).next_back().map_or(0, |(start, _)| start)
    }
    fn next_boundary(&self, at: usize) -> usize {
        self.text[at..].graphemes(true).next().map_or(at, |grapheme| at + grapheme.len())
    }
    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }
    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }
    fn word_before(&self) -> usize {
        let before = self.text[..self.cursor].trim_end_matches(|c: char| !is_word(c));
        before.trim_end_matches(is_word).len()
    }
    fn word_after(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let trimmed = rest.trim_start_matches(|c: char| !is_word(c)).trim_start_matches(is_word);
        self.cursor + rest.len() - trimmed.len()
    }
}

/// Text as it is drawn: tabs expanded, invisible characters escaped.
pub fn drawn_text(part: &str) -> String {
    text::expand_tabs(&text::visible(part), 0).into_owned()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};

    /// Runs `work`; `|` marks the cursor before and after.
    fn check(before: &str, work: impl Fn(&mut TextArea), after: &str) {
        let cursor = before.find('|').unwrap();
        let mut buffer = TextArea::new(before.replace('|', ""));
        buffer.set_cursor(cursor);
        work(&mut buffer);
        let mut shown = buffer.text().to_string();
        shown.insert(buffer.cursor(), '|');
        assert_eq!(shown, after);
    }

    #[test]
    fn ui_3_editing_by_grapheme_word_and_line() {
        check("a👨\u{200d}👩\u{200d}👧|b", TextArea::backspace, "a|b");
        check("e\u{301}|", TextArea::backspace, "|");
        check("|日本", TextArea::delete, "|本");
        check("one two_3 |x", TextArea::delete_word_back, "one |x");
        check("a.|b c", TextArea::delete_word_forward, "a.| c");
        check("one\ntw|o\nthree", TextArea::kill_to_end, "one\ntw|\nthree");
        check("one\ntwo|\nthree", TextArea::kill_to_end, "one\ntwo|three");
        check("one\ntw|o", TextArea::kill_to_start, "one\n|o");
        check("one\n|two", TextArea::kill_to_start, "one|two");
        check("foo bar|", TextArea::word_left, "foo |bar");
        check("|foo bar", TextArea::word_right, "foo| bar");
        check("a\nbc|d\ne", TextArea::go_line_start, "a\n|bcd\ne");
        check("a\n|bcd\ne", TextArea::go_line_end, "a\nbcd|\ne");
    }

    #[test]
    fn ui_3_undo_and_redo_work_by_word() {
        let mut buffer = TextArea::default();
        "hello brave".chars().for_each(|c| buffer.insert(&c.to_string()));
        buffer.delete_word_back();
        assert_eq!(buffer.text(), "hello ");
        buffer.undo();
        assert_eq!(buffer.text(), "hello brave");
        buffer.undo();
        assert_eq!(buffer.text(), "hello");
        buffer.undo();
        assert_eq!(buffer.text(), "");
        buffer.redo();
        buffer.redo();
        assert_eq!(buffer.text(), "hello brave");
        buffer.kill_to_start();
        buffer.yank();
        buffer.yank();
        assert_eq!(buffer.text(), "hello bravehello brave");
    }

    proptest::proptest! {
        #[test]
        fn ui_3_cursor_stays_on_a_char_boundary(steps in proptest::collection::vec(0u8..16, 0..60)) {
            let mut buffer = TextArea::new("é 日本\n👨\u{200d}👩\u{200d}👧 x_1\n");
            for step in steps {
                match step {
                    0 => buffer.insert("ö"),
                    1 => buffer.insert("\n"),
                    2 => buffer.backspace(),
                    3 => buffer.delete(),
                    4 => buffer.delete_word_back(),
                    5 => buffer.delete_word_forward(),
                    6 => buffer.kill_to_end(),
                    7 => buffer.kill_to_start(),
                    8 => buffer.yank(),
                    9 => buffer.move_left(),
                    10 => buffer.move_right(),
                    11 => buffer.word_left(),
                    12 => buffer.word_right(),
                    13 => buffer.undo(),
                    14 => buffer.redo(),
                    _ => buffer.go_line_start(),
                }
                proptest::prop_assert!(buffer.text().is_char_boundary(buffer.cursor()));
            }
        }
    }

    fn press(field: &mut TextArea, keys: &[(KeyCode, KeyModifiers)]) {
        for (code, modifiers) in keys {
            field.handle_key(KeyEvent::new(*code, *modifiers));
        }
    }

    #[test]
    fn ui_3_field_supports_the_usual_edit_keys() {
        let mut field = TextArea::new("one two");
        let (none, control) = (KeyModifiers::NONE, KeyModifiers::CONTROL);
        press(&mut field, &[(KeyCode::Char('w'), control), (KeyCode::Char('5'), none), (KeyCode::Char('j'), control)]);
        field.insert_limited("x\r\ny");
        assert_eq!(field.text(), "one 5\nx\ny");
        press(&mut field, &[(KeyCode::Up, none), (KeyCode::Up, none), (KeyCode::Char('k'), control)]);
        assert_eq!(field.text(), "o\nx\ny");
        press(&mut field, &[(KeyCode::Backspace, none), (KeyCode::Backspace, none), (KeyCode::Delete, none)]);
        assert_eq!(field.text(), "x\ny");
        press(&mut field, &[(KeyCode::Char('_'), control), (KeyCode::Char('y'), control)]);
        assert_eq!(field.text(), "ne 5\nx\ny");
        let (rows, place) = TextArea::new("一二三").wrapped_rows(4, Style::default());
        assert_eq!((rows.len(), place), (2, (1, 2)));
    }

    proptest::proptest! {
        #[test]
        fn ui_3_no_key_sequence_breaks_a_field(text in proptest::prelude::any::<String>(), codes in proptest::collection::vec((0usize..14, proptest::prelude::any::<bool>(), proptest::prelude::any::<char>()), 0..40)) {
            let mut field = TextArea::new(text);
            for (which, control, c) in codes {
                let code = [
                    KeyCode::Char(c), KeyCode::Backspace, KeyCode::Delete, KeyCode::Left, KeyCode::Right, KeyCode::Up, KeyCode::Down,
                    KeyCode::Home, KeyCode::End, KeyCode::Char('w'), KeyCode::Char('k'), KeyCode::Char('u'), KeyCode::Tab, KeyCode::Char('j'),
                ][which];
                let modifiers = if control { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
                field.handle_key(KeyEvent::new(code, modifiers));
                let (rows, (row, column)) = field.wrapped_rows(7, Style::default());
                proptest::prop_assert!(row < rows.len() && column <= 12, "{field:?}");
                proptest::prop_assert!(rows.iter().all(|row| !text::plain_text(row).chars().any(char::is_control)));
            }
        }
    }
}

//! A small text field of several lines, for comments, notes and searches. Whatever is typed or pasted into it is text.

use crate::text;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;
use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;

/// Longer pastes are cut: nobody reads them under a line.
const LONGEST: usize = 100_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    text: String,
    /// A byte between two characters.
    cursor: usize,
}

impl Field {
    pub fn new(text: impl Into<String>) -> Field {
        let text = text.into();
        Field { cursor: text.len(), text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn insert(&mut self, words: &str) {
        let words = words.replace("\r\n", "\n").replace('\r', "\n");
        let room = LONGEST.saturating_sub(self.text.len());
        let words = &words[..words.floor_char_boundary(room.min(words.len()))];
        self.text.insert_str(self.cursor, words);
        self.cursor += words.len();
    }

    /// True if the key was one of a field's; Enter and Esc are not.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let word = control || key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char('j') if control => self.insert("\n"),
            KeyCode::Enter if key.modifiers.intersects(KeyModifiers::SHIFT | KeyModifiers::ALT) => self.insert("\n"),
            KeyCode::Char('a') if control => self.cursor = self.line_start(),
            KeyCode::Char('e') if control => self.cursor = self.line_end(),
            KeyCode::Char('w') if control => self.remove(self.word_back(), self.cursor),
            KeyCode::Char('u') if control => self.remove(self.line_start(), self.cursor),
            KeyCode::Char('k') if control => self.remove(self.cursor, self.line_end()),
            KeyCode::Char('b') if word => self.cursor = self.word_back(),
            KeyCode::Char('f') if word => self.cursor = self.word_forth(),
            KeyCode::Char(c) if !word => self.insert(c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if word => self.remove(self.word_back(), self.cursor),
            KeyCode::Backspace => self.remove(self.back(), self.cursor),
            KeyCode::Delete => self.remove(self.cursor, self.forth()),
            KeyCode::Left if word => self.cursor = self.word_back(),
            KeyCode::Right if word => self.cursor = self.word_forth(),
            KeyCode::Left => self.cursor = self.back(),
            KeyCode::Right => self.cursor = self.forth(),
            KeyCode::Home => self.cursor = self.line_start(),
            KeyCode::End => self.cursor = self.line_end(),
            KeyCode::Up => self.vertical(false),
            KeyCode::Down => self.vertical(true),
            KeyCode::Tab => self.insert("  "),
            _ => return false,
        }
        true
    }

    /// Its rows, and where the cursor is among them (row, column). A field always has a row.
    pub fn rows(&self, columns: usize, style: Style) -> (Vec<Line<'static>>, (usize, usize)) {
        let mut rows = Vec::new();
        let mut place = (0, 0);
        let mut start = 0;
        for line in self.text.split('\n') {
            let end = start + line.len();
            let broken = broken(line, columns.max(2));
            for (number, row) in broken.iter().enumerate() {
                let from = start + row.start;
                let last = number + 1 == broken.len();
                if self.cursor >= from && (self.cursor < start + row.end || (last && self.cursor <= end)) {
                    let before = self.text.get(from..self.cursor).unwrap_or_default();
                    place = (rows.len(), text::width(&shown(before)));
                }
                rows.push(Line::styled(shown(line.get(row.clone()).unwrap_or_default()), style));
            }
            start = end + 1;
        }
        (rows, place)
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.drain(from..to);
        self.cursor = from;
    }
    fn back(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }
    fn forth(&self) -> usize {
        self.text[self.cursor..].graphemes(true).next().map_or(self.cursor, |grapheme| self.cursor + grapheme.len())
    }
    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }
    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }
    fn word_back(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        before.rfind(char::is_whitespace).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))
    }
    fn word_forth(&self) -> usize {
        let after = &self.text[self.cursor..];
        let gap = after.len() - after.trim_start().len();
        after[gap..].find(char::is_whitespace).map_or(self.text.len(), |at| self.cursor + gap + at)
    }

    fn vertical(&mut self, down: bool) {
        let start = self.line_start();
        let column = self.text[start..self.cursor].chars().count();
        let target = match down {
            true => Some(self.line_end() + 1).filter(|at| *at <= self.text.len()),
            false => start.checked_sub(1).map(|end| self.text[..end].rfind('\n').map_or(0, |at| at + 1)),
        };
        let Some(line) = target else {
            self.cursor = if down { self.text.len() } else { 0 };
            return;
        };
        let end = self.text[line..].find('\n').map_or(self.text.len(), |at| line + at);
        self.cursor = self.text[line..end].char_indices().nth(column).map_or(end, |(at, _)| line + at);
    }
}

/// Where a line is broken, by what it takes on the screen.
fn broken(line: &str, columns: usize) -> Vec<std::ops::Range<usize>> {
    let (mut rows, mut from, mut used) = (Vec::new(), 0, 0);
    for (at, grapheme) in line.grapheme_indices(true) {
        let width = text::width(&shown(grapheme));
        if used + width > columns && at > from {
            rows.push(from..at);
            (from, used) = (at, 0);
        }
        used += width;
    }
    rows.push(from..line.len());
    rows
}

fn shown(words: &str) -> String {
    text::visible(words).replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn press(field: &mut Field, keys: &[(KeyCode, KeyModifiers)]) {
        for (code, modifiers) in keys {
            field.key(KeyEvent::new(*code, *modifiers));
        }
    }

    #[test]
    fn ui_3_a_field_is_edited_with_the_usual_keys() {
        let mut field = Field::new("one two");
        let (none, control) = (KeyModifiers::NONE, KeyModifiers::CONTROL);
        press(&mut field, &[(KeyCode::Char('w'), control), (KeyCode::Char('5'), none), (KeyCode::Char('j'), control)]);
        field.insert("x\r\ny");
        assert_eq!(field.text(), "one 5\nx\ny");
        press(&mut field, &[(KeyCode::Up, none), (KeyCode::Up, none), (KeyCode::Char('k'), control)]);
        assert_eq!(field.text(), "o\nx\ny");
        press(&mut field, &[(KeyCode::Backspace, none), (KeyCode::Backspace, none), (KeyCode::Delete, none)]);
        assert_eq!(field.text(), "x\ny");
        let (rows, place) = Field::new("一二三").rows(4, Style::default());
        assert_eq!((rows.len(), place), (2, (1, 2)));
    }

    proptest! {
        #[test]
        fn ui_3_no_keys_break_a_field(text in any::<String>(), codes in prop::collection::vec((0usize..14, any::<bool>(), any::<char>()), 0..40)) {
            let mut field = Field::new(text);
            for (which, control, c) in codes {
                let code = [
                    KeyCode::Char(c), KeyCode::Backspace, KeyCode::Delete, KeyCode::Left, KeyCode::Right, KeyCode::Up, KeyCode::Down,
                    KeyCode::Home, KeyCode::End, KeyCode::Char('w'), KeyCode::Char('k'), KeyCode::Char('u'), KeyCode::Tab, KeyCode::Char('j'),
                ][which];
                let modifiers = if control { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
                field.key(KeyEvent::new(code, modifiers));
                let (rows, (row, column)) = field.rows(7, Style::default());
                prop_assert!(row < rows.len() && column <= 12, "{field:?}");
                prop_assert!(rows.iter().all(|row| !text::plain(row).chars().any(char::is_control)));
            }
        }
    }
}

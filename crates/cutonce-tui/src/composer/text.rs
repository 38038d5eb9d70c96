//! A text that is being written: a cursor between graphemes, words, undo. It knows no screen.

use unicode_segmentation::UnicodeSegmentation;

/// Steps back that are kept.
const UNDO: usize = 200;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buffer {
    text: String,
    /// A border between graphemes.
    cursor: usize,
    undo: Vec<(String, usize)>,
    redo: Vec<(String, usize)>,
    /// The last change was a letter at this place: the next one joins it.
    run: Option<usize>,
    killed: String,
}

impl Buffer {
    pub fn new(text: impl Into<String>) -> Buffer {
        let text = text.into();
        Buffer { cursor: text.len(), text, ..Buffer::default() }
    }
    pub fn text(&self) -> &str {
        &self.text
    }
    pub fn cursor(&self) -> usize {
        self.cursor
    }
    pub fn set_cursor(&mut self, at: usize) {
        self.cursor = self.text.floor_char_boundary(at.min(self.text.len()));
        self.run = None;
    }

    /// Everything replaced, as one step.
    pub fn replace(&mut self, text: impl Into<String>) {
        self.remember();
        self.text = text.into();
        self.cursor = self.text.len();
        self.run = None;
    }

    /// A range replaced; the cursor stands behind it.
    pub fn splice(&mut self, from: usize, to: usize, with: &str) {
        if from > to || !self.text.is_char_boundary(from) || !self.text.is_char_boundary(to) {
            return;
        }
        self.remember();
        self.text.replace_range(from..to, with);
        self.cursor = from + with.len();
        self.run = None;
    }

    pub fn insert(&mut self, text: &str) {
        let joins = self.run == Some(self.cursor) && text.chars().count() == 1 && !text.contains(char::is_whitespace);
        if !joins {
            self.remember();
        }
        self.redo.clear();
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        self.run = Some(self.cursor);
    }

    pub fn backspace(&mut self) {
        let from = self.before(self.cursor);
        self.cut(from, self.cursor, false);
    }
    pub fn delete(&mut self) {
        let to = self.after(self.cursor);
        self.cut(self.cursor, to, false);
    }
    pub fn delete_word_back(&mut self) {
        self.cut(self.word_before(), self.cursor, true);
    }
    pub fn delete_word_forward(&mut self) {
        self.cut(self.cursor, self.word_after(), true);
    }
    pub fn kill_to_end(&mut self) {
        let end = self.line_end();
        // At the end of a line its newline goes.
        let end = if end == self.cursor { self.after(end) } else { end };
        self.cut(self.cursor, end, true);
    }
    pub fn kill_to_start(&mut self) {
        let start = self.line_start();
        let start = if start == self.cursor { self.before(start) } else { start };
        self.cut(start, self.cursor, true);
    }
    pub fn yank(&mut self) {
        let killed = self.killed.clone();
        self.run = None;
        self.insert(&killed);
    }

    pub fn left(&mut self) {
        let at = self.before(self.cursor);
        self.set_cursor(at);
    }
    pub fn right(&mut self) {
        let at = self.after(self.cursor);
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

    fn remember(&mut self) {
        if self.undo.len() == UNDO {
            self.undo.remove(0);
        }
        self.undo.push((self.text.clone(), self.cursor));
        self.redo.clear();
    }

    fn cut(&mut self, from: usize, to: usize, keep: bool) {
        if from >= to {
            return;
        }
        self.remember();
        let gone: String = self.text.drain(from..to).collect();
        if keep {
            self.killed = gone;
        }
        self.cursor = from;
        self.run = None;
    }

    fn before(&self, at: usize) -> usize {
        self.text[..at].grapheme_indices(true).next_back().map_or(0, |(start, _)| start)
    }
    fn after(&self, at: usize) -> usize {
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

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` is the cursor, before and after.
    fn check(before: &str, work: impl Fn(&mut Buffer), after: &str) {
        let cursor = before.find('|').unwrap();
        let mut buffer = Buffer::new(before.replace('|', ""));
        buffer.set_cursor(cursor);
        work(&mut buffer);
        let mut shown = buffer.text().to_string();
        shown.insert(buffer.cursor(), '|');
        assert_eq!(shown, after);
    }

    #[test]
    fn ui_3_editing_by_grapheme_word_and_line() {
        check("a👨\u{200d}👩\u{200d}👧|b", Buffer::backspace, "a|b");
        check("e\u{301}|", Buffer::backspace, "|");
        check("|日本", Buffer::delete, "|本");
        check("one two_3 |x", Buffer::delete_word_back, "one |x");
        check("a.|b c", Buffer::delete_word_forward, "a.| c");
        check("one\ntw|o\nthree", Buffer::kill_to_end, "one\ntw|\nthree");
        check("one\ntwo|\nthree", Buffer::kill_to_end, "one\ntwo|three");
        check("one\ntw|o", Buffer::kill_to_start, "one\n|o");
        check("one\n|two", Buffer::kill_to_start, "one|two");
        check("foo bar|", Buffer::word_left, "foo |bar");
        check("|foo bar", Buffer::word_right, "foo| bar");
        check("a\nbc|d\ne", Buffer::go_line_start, "a\n|bcd\ne");
        check("a\n|bcd\ne", Buffer::go_line_end, "a\nbcd|\ne");
    }

    #[test]
    fn ui_3_undo_takes_back_a_word_at_a_time_and_redo_brings_it_back() {
        let mut buffer = Buffer::default();
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
        fn ui_3_no_keys_break_it(steps in proptest::collection::vec(0u8..16, 0..60)) {
            let mut buffer = Buffer::new("é 日本\n👨\u{200d}👩\u{200d}👧 x_1\n");
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
                    9 => buffer.left(),
                    10 => buffer.right(),
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
}

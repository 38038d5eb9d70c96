//! Vim's keys for a text area (DU-7): insert and normal mode, motions with counts, the operators d, c and y, and undo.

use crate::text_area::{TextArea, TextEdit};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Largest count before a command.
const MAX_COUNT: usize = 999;

/// The mode and a command that is not complete yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VimState {
    normal: bool,
    count: usize,
    /// `d`, `c`, `y`, `g` or `r` that waits for its next key.
    pending: Option<char>,
    /// The last deleted or copied text; whole lines end with a newline.
    register: String,
}

impl VimState {
    pub fn is_normal(&self) -> bool {
        self.normal
    }

    /// Handles a key. `None`: the key has its usual meaning.
    pub fn on_key(&mut self, key: KeyEvent, text: &mut TextArea) -> Option<TextEdit> {
        if !self.normal {
            return (key.code == KeyCode::Esc).then(|| self.leave_insert(text));
        }
        match key.code {
            KeyCode::Esc if self.pending.is_some() || self.count > 0 => self.reset(),
            KeyCode::Char('r') if key.modifiers == KeyModifiers::CONTROL => {
                text.redo();
                return Some(TextEdit::Changed);
            }
            KeyCode::Backspace => self.repeat(text, TextArea::move_left),
            KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                let edit = self.on_char(c, text);
                self.stay_in_line(text);
                return Some(edit);
            }
            _ => return None,
        }
        Some(TextEdit::Moved)
    }

    fn leave_insert(&mut self, text: &mut TextArea) -> TextEdit {
        self.normal = true;
        self.reset();
        if text.cursor() > line_bounds(text).0 {
            text.move_left();
        }
        TextEdit::Moved
    }

    /// In normal mode the cursor is on a character, unless the line is empty.
    fn stay_in_line(&self, text: &mut TextArea) {
        let (start, end) = line_bounds(text);
        if self.normal && text.cursor() == end && start < end {
            text.set_cursor(previous_char(text.text(), end));
        }
    }

    fn reset(&mut self) {
        (self.count, self.pending) = (0, None);
    }

    fn on_char(&mut self, c: char, text: &mut TextArea) -> TextEdit {
        let edit = match (self.pending, c) {
            (Some('r'), c) => replace_char(text, c),
            (None, '1'..='9') | (None | Some('d' | 'c' | 'y'), '0'..='9') if c != '0' || self.count > 0 => {
                self.count = (self.count * 10 + c as usize - '0' as usize).min(MAX_COUNT);
                return TextEdit::Moved;
            }
            (Some('g'), 'g') => {
                text.set_cursor(0);
                TextEdit::Moved
            }
            (Some(operator @ ('d' | 'c' | 'y')), c) => self.operate(operator, c, text),
            (None, 'd' | 'c' | 'y' | 'g' | 'r') => {
                self.pending = Some(c);
                return TextEdit::Moved;
            }
            (None, c) => self.command(c, text),
            (Some(_), _) => TextEdit::Moved,
        };
        self.reset();
        edit
    }

    fn command(&mut self, c: char, text: &mut TextArea) -> TextEdit {
        match c {
            'i' | 'a' | 'I' | 'A' | 'o' | 'O' => return self.insert(c, text),
            'x' => return self.delete_chars(text, 'l'),
            'X' => return self.delete_chars(text, 'h'),
            'D' => return self.operate('d', '$', text),
            'C' => return self.operate('c', '$', text),
            's' => return self.operate('c', 'l', text),
            'S' => return self.operate('c', 'c', text),
            'p' | 'P' => return self.put(c == 'p', text),
            'u' => {
                self.repeat(text, TextArea::undo);
                return TextEdit::Changed;
            }
            'G' => text.set_cursor(text.text().len()),
            'j' | 'k' => self.repeat(text, if c == 'j' { line_down } else { line_up }),
            c => {
                if let Some(to) = self.motion(c, text) {
                    text.set_cursor(to);
                }
            }
        }
        TextEdit::Moved
    }

    fn insert(&mut self, c: char, text: &mut TextArea) -> TextEdit {
        self.normal = false;
        let (start, end) = line_bounds(text);
        match c {
            'a' if text.cursor() < end => text.move_right(),
            'I' => text.set_cursor(start),
            'A' => text.set_cursor(end),
            'o' => text.splice(end, end, "\n"),
            'O' => {
                text.splice(start, start, "\n");
                text.set_cursor(start);
            }
            _ => {}
        }
        if matches!(c, 'o' | 'O') { TextEdit::Changed } else { TextEdit::Moved }
    }

    fn delete_chars(&mut self, text: &mut TextArea, motion: char) -> TextEdit {
        self.operate('d', motion, text)
    }

    /// An operator with its motion, or doubled for whole lines.
    fn operate(&mut self, operator: char, motion: char, text: &mut TextArea) -> TextEdit {
        let lines = operator == motion;
        let range = if lines { Some(self.lines(text)) } else { self.motion_range(operator, motion, text) };
        let Some((from, to)) = range.filter(|(from, to)| from < to || operator == 'c') else { return TextEdit::Moved };
        self.register = text.text()[from..to].to_string();
        if lines && !self.register.ends_with('\n') {
            self.register.push('\n');
        }
        match operator {
            'y' => {
                text.set_cursor(from);
                return TextEdit::Moved;
            }
            'c' => {
                let keeps_break = lines && text.text()[from..to].ends_with('\n');
                text.splice(from, to - usize::from(keeps_break), "");
                self.normal = false;
            }
            _ => {
                // The last line takes the break before it along.
                let from = if lines && to == text.text().len() { from.saturating_sub(1) } else { from };
                text.splice(from, to, "");
                if lines {
                    text.go_line_start();
                }
            }
        }
        TextEdit::Changed
    }

    fn motion_range(&mut self, operator: char, motion: char, text: &TextArea) -> Option<(usize, usize)> {
        // As in vim, `cw` on a word ends with the word.
        let motion = if operator == 'c' && motion == 'w' { 'e' } else { motion };
        let (at, to) = (text.cursor(), self.motion(motion, text)?);
        let end = if motion == 'e' { next_char(text.text(), to) } else { to };
        Some((at.min(end), at.max(end)))
    }

    /// Where a motion leads from the cursor.
    fn motion(&self, motion: char, text: &TextArea) -> Option<usize> {
        let (start, end) = line_bounds(text);
        let all = text.text();
        let mut at = text.cursor();
        match motion {
            '0' => return Some(start),
            '^' => return Some(start + all[start..end].len() - all[start..end].trim_start().len()),
            '$' => return Some(end),
            'G' => return Some(all.len()),
            _ => {}
        }
        for _ in 0..self.count.max(1) {
            at = match motion {
                'h' if at > start => previous_char(all, at),
                'l' if at < end => next_char(all, at),
                'h' | 'l' => at,
                'w' => next_word(all, at),
                'b' => previous_word(all, at),
                'e' => word_end(all, at),
                _ => return None,
            };
        }
        Some(at)
    }

    /// The current line, or as many as the count says, with their line breaks.
    fn lines(&self, text: &TextArea) -> (usize, usize) {
        let (from, mut end) = line_bounds(text);
        for _ in 1..self.count.max(1) {
            match text.text()[end..].strip_prefix('\n') {
                Some(rest) => end += 1 + rest.find('\n').unwrap_or(rest.len()),
                None => break,
            }
        }
        (from, (end + 1).min(text.text().len()))
    }

    fn put(&mut self, after: bool, text: &mut TextArea) -> TextEdit {
        let (start, end) = line_bounds(text);
        let register = self.register.clone();
        match (register.strip_suffix('\n'), after) {
            (Some(lines), true) => {
                text.splice(end, end, &format!("\n{lines}"));
                text.set_cursor(end + 1);
            }
            (Some(lines), false) => {
                text.splice(start, start, &format!("{lines}\n"));
                text.set_cursor(start);
            }
            (None, true) if text.cursor() < end => {
                let at = next_char(text.text(), text.cursor());
                text.splice(at, at, &register);
            }
            (None, _) => text.splice(text.cursor(), text.cursor(), &register),
        }
        TextEdit::Changed
    }

    fn repeat(&mut self, text: &mut TextArea, action: fn(&mut TextArea)) {
        for _ in 0..self.count.max(1) {
            action(text);
        }
        self.reset();
    }
}

fn replace_char(text: &mut TextArea, c: char) -> TextEdit {
    let at = text.cursor();
    let end = next_char(text.text(), at);
    if at == line_bounds(text).1 {
        return TextEdit::Moved;
    }
    text.splice(at, end, c.encode_utf8(&mut [0; 4]));
    text.set_cursor(at);
    TextEdit::Changed
}

/// Start and end of the cursor's line, without its line break.
fn line_bounds(text: &TextArea) -> (usize, usize) {
    let (all, at) = (text.text(), text.cursor());
    let start = all[..at].rfind('\n').map_or(0, |found| found + 1);
    let end = all[at..].find('\n').map_or(all.len(), |found| at + found);
    (start, end)
}

fn line_down(text: &mut TextArea) {
    let (start, end) = line_bounds(text);
    if end < text.text().len() {
        set_column(text, end + 1, text.text()[start..text.cursor()].chars().count());
    }
}

fn line_up(text: &mut TextArea) {
    let start = line_bounds(text).0;
    let column = text.text()[start..text.cursor()].chars().count();
    if let Some(before) = start.checked_sub(1) {
        set_column(text, text.text()[..before].rfind('\n').map_or(0, |found| found + 1), column);
    }
}

/// Moves to this column of the line that starts at `start`, or to its end.
fn set_column(text: &mut TextArea, start: usize, column: usize) {
    let line = text.text()[start..].split('\n').next().unwrap_or_default();
    let at = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    text.set_cursor(start + at);
}

fn next_char(all: &str, at: usize) -> usize {
    use unicode_segmentation::UnicodeSegmentation;
    all[at..].graphemes(true).next().map_or(at, |one| at + one.len())
}

fn previous_char(all: &str, at: usize) -> usize {
    use unicode_segmentation::UnicodeSegmentation;
    all[..at].grapheme_indices(true).next_back().map_or(0, |(start, _)| start)
}

/// Blank, word or other characters: vim's words are runs of one kind.
fn kind(c: char) -> u8 {
    match c {
        c if c.is_whitespace() => 0,
        c if c.is_alphanumeric() || c == '_' => 1,
        _ => 2,
    }
}

fn next_word(all: &str, at: usize) -> usize {
    let rest = &all[at..];
    let Some(first) = rest.chars().next().map(kind) else { return at };
    let rest = if first == 0 { rest } else { rest.trim_start_matches(|c| kind(c) == first) };
    all.len() - rest.trim_start().len()
}

fn previous_word(all: &str, at: usize) -> usize {
    let before = all[..at].trim_end();
    let Some(last) = before.chars().next_back().map(kind) else { return 0 };
    before.trim_end_matches(|c| kind(c) == last).len()
}

/// The last character of this word, or of the next one if the cursor is on it.
fn word_end(all: &str, at: usize) -> usize {
    let from = next_char(all, at);
    let rest = all[from..].trim_start();
    let Some(first) = rest.chars().next().map(kind) else { return at.max(previous_char(all, all.len())) };
    let end = all.len() - rest.trim_start_matches(|c| kind(c) == first).len();
    previous_char(all, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types keys in normal mode; `|` marks the cursor before and after, `⎋` is Esc.
    fn check(before: &str, keys: &str, after: &str) {
        let cursor = before.find('|').unwrap();
        let mut text = TextArea::new(before.replace('|', ""));
        text.set_cursor(cursor);
        let mut vim = VimState { normal: true, ..VimState::default() };
        for c in keys.chars() {
            let code = if c == '⎋' { KeyCode::Esc } else { KeyCode::Char(c) };
            if vim.on_key(KeyEvent::new(code, KeyModifiers::NONE), &mut text).is_none() && c != '⎋' {
                text.insert(c.encode_utf8(&mut [0; 4]));
            }
        }
        let mut shown = text.text().to_string();
        shown.insert(text.cursor(), '|');
        assert_eq!(shown, after, "{before} {keys}");
    }

    #[test]
    fn du_7_vim_motions() {
        check("one t|wo", "0", "|one two");
        check("|one two three", "2w", "one two |three");
        check("one two| three", "b", "one |two three");
        check("|one two", "e", "on|e two");
        check("|a.b c", "w", "a|.b c");
        check("  o|ne", "^", "  |one");
        check("ab|c\nb", "$", "ab|c\nb");
        check("|abc", "$x", "a|b");
        check("|abc", "$ad⎋", "abc|d");
        check("|", "$x", "|");
        check("a\nb|", "gg", "|a\nb");
        check("|a\nb", "G", "a\n|b");
        check("abc\nde|f\n\ngh", "k", "ab|c\ndef\n\ngh");
        check("ab|c\nd\n\ngh", "j", "abc\n|d\n\ngh");
        check("ab|c\nd\n\ngh", "2j", "abc\nd\n|\ngh");
        check("a|b", "jk", "a|b");
        check("|日本", "ll", "日|本");
        check("|", "hlwbe$0", "|");
    }

    #[test]
    fn du_7_vim_operators() {
        check("|one two", "dw", "|two");
        check("|one two three", "d2w", "|three");
        check("one |two", "D", "one| ");
        check("on|e two", "x", "on| two");
        check("a\nb|b\nc", "dd", "a\n|c");
        check("a\n|b", "dd", "|a");
        check("a|\nb\nc", "2dd", "|c");
        check("|one two", "cwnew⎋", "ne|w two");
        check("a|b\nc", "ccx⎋", "|x\nc");
        check("|one two", "yww", "one |two");
        check("|a\nb", "yyp", "a\n|a\nb");
        check("|ab", "xp", "b|a");
        check("|ab", "rx", "|xb");
        check("|one two", "dwu", "|one two");
        check("a|b", "d⎋x", "|a");
    }

    #[test]
    fn du_7_vim_insert_and_escape() {
        check("a|b", "ix⎋", "a|xb");
        check("a|b", "ax⎋", "ab|x");
        check("a|b\nc", "ox⎋", "ab\n|x\nc");
        check("a|b", "Ox⎋", "|x\nab");
        check("a|b", "Ix⎋Ay⎋", "xab|y");
    }
}

//! A text as rows of a width, with the cursor among them; and from a row and column back to the text.

use crate::text;
use unicode_segmentation::UnicodeSegmentation;

/// The rows of a text: where each begins and ends in it, without the newline.
#[derive(Debug, PartialEq, Eq)]
pub struct Rows(Vec<(usize, usize)>);

impl Rows {
    /// Broken after a space where there is one, so that words stay whole.
    pub fn of(given: &str, width: usize) -> Rows {
        let width = width.max(2);
        let mut rows = Vec::new();
        let mut start = 0;
        for line in given.split('\n') {
            let end = start + line.len();
            let (mut row, mut used, mut space) = (start, 0, None);
            for (at, grapheme) in line.grapheme_indices(true) {
                let at = start + at;
                let columns = columns(grapheme);
                if used + columns > width {
                    let cut = space.filter(|space| *space > row).unwrap_or(at);
                    rows.push((row, cut));
                    (row, space) = (cut, None);
                    used = text::width(&given[cut..at]);
                }
                used += columns;
                if grapheme == " " {
                    space = Some(at + 1);
                }
            }
            rows.push((row, end));
            start = end + 1;
        }
        Rows(rows)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.0.iter().copied()
    }

    /// Row and column of a place in the text.
    pub fn locate(&self, given: &str, at: usize) -> (usize, usize) {
        let row = self.0.iter().rposition(|(start, _)| *start <= at).unwrap_or(0);
        let start = self.0.get(row).map_or(0, |(start, _)| *start);
        (row, text::width(&given[start..at.max(start)]))
    }

    /// The place in the text at a row and column, or the nearest before it.
    pub fn place(&self, given: &str, row: usize, column: usize) -> usize {
        let Some((start, end)) = self.0.get(row).copied() else { return given.len() };
        let mut used = 0;
        for (at, grapheme) in given[start..end].grapheme_indices(true) {
            used += columns(grapheme);
            if used > column {
                return start + at;
            }
        }
        // The end of a broken row is the beginning of the next one; stay on this one.
        let next_starts_here = self.0.get(row + 1).is_some_and(|(next, _)| *next == end);
        match given[start..end].grapheme_indices(true).next_back() {
            Some((last, _)) if next_starts_here => start + last,
            Some(_) | None => end,
        }
    }
}

fn columns(grapheme: &str) -> usize {
    text::width(grapheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_rows_by_display_width_with_words_whole() {
        let rows =
            |text: &str, width| Rows::of(text, width).iter().map(|(a, b)| text[a..b].to_string()).collect::<Vec<_>>();
        assert_eq!(rows("one two three", 8), ["one two ", "three"]);
        assert_eq!(rows("日本語です", 4), ["日本", "語で", "す"]);
        assert_eq!(rows("a\n\nb", 8), ["a", "", "b"]);
        assert_eq!(rows("", 8), [""]);
        assert_eq!(rows("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    }

    #[test]
    fn ui_3_the_cursor_goes_up_and_down_by_what_is_seen() {
        let text = "one two three\n日本";
        let rows = Rows::of(text, 8);
        assert_eq!(rows.locate(text, 9), (1, 1));
        assert_eq!(rows.locate(text, text.len()), (2, 4));
        assert_eq!(rows.place(text, 0, 1), 1);
        assert_eq!(rows.place(text, 2, 3), text.find('本').unwrap());
        assert_eq!(rows.locate(text, rows.place(text, 0, 20)).0, 0);
    }
}

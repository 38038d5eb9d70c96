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
                if used + columns(grapheme, used) > width && at > row {
                    let cut = space.filter(|space| *space > row).unwrap_or(at);
                    rows.push((row, cut));
                    (row, space) = (cut, None);
                    used = shown_width(&given[cut..at]);
                }
                used += columns(grapheme, used);
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
        (row, shown_width(&given[start..at.max(start)]))
    }

    /// The place in the text at a row and column, or the nearest before it.
    pub fn place(&self, given: &str, row: usize, column: usize) -> usize {
        let Some((start, end)) = self.0.get(row).copied() else { return given.len() };
        let mut used = 0;
        for (at, grapheme) in given[start..end].grapheme_indices(true) {
            used += columns(grapheme, used);
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

/// Columns that a character takes as it is drawn: a tab reaches to its stop, what is invisible is spelled out.
fn columns(grapheme: &str, used: usize) -> usize {
    match grapheme {
        "\t" => text::width(&text::expand_tabs("\t", used)),
        _ => text::width(&text::visible(grapheme)),
    }
}

fn shown_width(part: &str) -> usize {
    part.graphemes(true).fold(0, |used, grapheme| used + columns(grapheme, used))
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
    fn ui_3_tabs_and_control_characters_are_measured_as_they_are_drawn() {
        let (tabs, steers) = ("a\tb\tc", "x\x1b[31my");
        assert_eq!(Rows::of(tabs, 40).locate(tabs, tabs.len()), (0, 9));
        assert_eq!(Rows::of(steers, 40).locate(steers, steers.len()), (0, text::width("x\\u{1b}[31my")));
        for given in [tabs.repeat(9), steers.repeat(9)] {
            for (from, to) in Rows::of(&given, 20).iter() {
                let drawn = text::expand_tabs(&text::visible(&given[from..to]), 0).into_owned();
                assert!(text::width(&drawn) <= 20, "{drawn:?}");
                assert_eq!(text::width(&drawn), shown_width(&given[from..to]));
            }
        }
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

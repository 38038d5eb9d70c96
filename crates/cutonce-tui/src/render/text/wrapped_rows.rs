//! Wraps text into rows and maps between text offsets and screen positions.

use crate::render::text;
use unicode_segmentation::UnicodeSegmentation;

/// Start and end offset of each row, without the newline.
#[derive(Debug, PartialEq, Eq)]
pub struct WrappedRows(Vec<(usize, usize)>);

#[expect(clippy::len_without_is_empty, reason = "wrapped text has at least one row")]
impl WrappedRows {
    /// Wraps text, preferably after a space.
    pub fn wrap(given: &str, width: usize) -> WrappedRows {
        let width = width.max(2);
        let mut rows = Vec::new();
        let mut start = 0;
        for line in given.split('\n') {
            let end = start + line.len();
            let (mut row, mut used, mut space) = (start, 0, None);
            for (at, grapheme) in line.grapheme_indices(true) {
                let at = start + at;
                while used + grapheme_width(grapheme, used) > width && at > row {
                    let cut = space.take().filter(|space| *space > row).unwrap_or(at);
                    rows.push((row, cut));
                    row = cut;
                    used = shown_width(&given[cut..at]);
                }
                used += grapheme_width(grapheme, used);
                if grapheme == " " {
                    space = Some(at + 1);
                }
            }
            rows.push((row, end));
            start = end + 1;
        }
        WrappedRows(rows)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.0.iter().copied()
    }

    /// Row and column of a text offset.
    pub fn locate(&self, given: &str, at: usize) -> (usize, usize) {
        let row = self.0.iter().rposition(|(start, _)| *start <= at).unwrap_or(0);
        let start = self.0.get(row).map_or(0, |(start, _)| *start);
        (row, shown_width(&given[start..at.max(start)]))
    }

    /// Text offset at a row and column, or the nearest one before it.
    pub fn offset_at(&self, given: &str, row: usize, column: usize) -> usize {
        let Some((start, end)) = self.0.get(row).copied() else { return given.len() };
        let mut used = 0;
        for (at, grapheme) in given[start..end].grapheme_indices(true) {
            used += grapheme_width(grapheme, used);
            if used > column {
                return start + at;
            }
        }
        // The end of a wrapped row is the start of the next one; stay on this row.
        let next_starts_here = self.0.get(row + 1).is_some_and(|(next, _)| *next == end);
        match given[start..end].grapheme_indices(true).next_back() {
            Some((last, _)) if next_starts_here => start + last,
            Some(_) | None => end,
        }
    }
}

/// Drawn width of a grapheme: a tab extends to its stop, invisible characters are escaped.
fn grapheme_width(grapheme: &str, used: usize) -> usize {
    match grapheme {
        "\t" => text::width(&text::expand_tabs("\t", used)),
        _ => text::width(&text::visible(grapheme)),
    }
}

fn shown_width(part: &str) -> usize {
    part.graphemes(true).fold(0, |used, grapheme| used + grapheme_width(grapheme, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_rows_wrap_by_display_width() {
        let rows = |text: &str, width| {
            WrappedRows::wrap(text, width).iter().map(|(a, b)| text[a..b].to_string()).collect::<Vec<_>>()
        };
        assert_eq!(rows("one two three", 8), ["one two ", "three"]);
        assert_eq!(rows("日本語です", 4), ["日本", "語で", "す"]);
        assert_eq!(rows("a\n\nb", 8), ["a", "", "b"]);
        assert_eq!(rows("", 8), [""]);
        assert_eq!(rows("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        // The rest after a space is cut again if the next character does not fit.
        assert_eq!(rows("a bcdef\u{202e}", 8), ["a ", "bcdef", "\u{202e}"]);
    }

    #[test]
    fn ui_3_tabs_and_controls_have_their_drawn_width() {
        let (tabs, steers) = ("a\tb\tc", "x\x1b[31my");
        assert_eq!(WrappedRows::wrap(tabs, 40).locate(tabs, tabs.len()), (0, 9));
        assert_eq!(WrappedRows::wrap(steers, 40).locate(steers, steers.len()), (0, text::width("x\\u{1b}[31my")));
        for given in [tabs.repeat(9), steers.repeat(9)] {
            for (from, to) in WrappedRows::wrap(&given, 20).iter() {
                let drawn = text::expand_tabs(&text::visible(&given[from..to]), 0).into_owned();
                assert!(text::width(&drawn) <= 20, "{drawn:?}");
                assert_eq!(text::width(&drawn), shown_width(&given[from..to]));
            }
        }
    }

    #[test]
    fn ui_3_cursor_moves_by_visible_rows() {
        let text = "one two three\n日本";
        let rows = WrappedRows::wrap(text, 8);
        assert_eq!(rows.locate(text, 9), (1, 1));
        assert_eq!(rows.locate(text, text.len()), (2, 4));
        assert_eq!(rows.offset_at(text, 0, 1), 1);
        assert_eq!(rows.offset_at(text, 2, 3), text.find('本').unwrap());
        assert_eq!(rows.locate(text, rows.offset_at(text, 0, 20)).0, 0);
    }
}

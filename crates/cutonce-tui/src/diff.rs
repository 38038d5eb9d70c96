//! Differences on a screen (UI-4, UI-5, PM-74): line numbers, signs, and the words that changed within a changed line.

use crate::text::{self, Prefix};
use crate::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use similar::{ChangeTag, DiffTag, TextDiff};
use std::time::Duration;

/// Comparing very different large texts exactly would take longer than anybody waits.
const PATIENCE: Duration = Duration::from_millis(200);
/// Longer lines get no word diff.
const LONGEST_LINE: usize = 2_000;
/// Characters of a line in the conversation and in a dialog; the whole screen has all of it.
const SHOWN_OF_LINE: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Same,
    Added,
    Removed,
}

/// A line of a diff, its words marked where they changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub sign: Sign,
    /// Its number: of an added or unchanged line in the new text, of a removed one in the old text.
    pub number: usize,
    /// Pieces of the line; true: this changed.
    pub words: Vec<(bool, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Row(Row),
    /// Lines that are the same and not shown.
    Gap,
    /// A name or a remark that came with the diff.
    Head(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub added: usize,
    pub removed: usize,
}

/// A line ends at a line feed; a carriage return alone is a character of it.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The parts of a diff between two texts, with this many unchanged lines around each change.
pub fn between(old: &str, new: &str, context: usize) -> Vec<Part> {
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&old, &new);
    let mut parts = Vec::new();
    for (number, group) in diff.grouped_ops(context).iter().enumerate() {
        if number > 0 {
            parts.push(Part::Gap);
        }
        for op in group {
            let mut rows = Vec::new();
            for change in diff.iter_changes(op) {
                let (sign, at) = match change.tag() {
                    ChangeTag::Equal => (Sign::Same, change.new_index()),
                    ChangeTag::Insert => (Sign::Added, change.new_index()),
                    ChangeTag::Delete => (Sign::Removed, change.old_index()),
                };
                let line = change.value().trim_end_matches('\n').trim_end_matches('\r').to_string();
                rows.push(Row { sign, number: at.unwrap_or_default() + 1, words: vec![(false, line)] });
            }
            mark_words(&mut rows);
            parts.extend(rows.into_iter().map(Part::Row));
        }
    }
    parts
}

/// A diff in unified form, without names.
pub fn text(old: &str, new: &str) -> String {
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&old, &new);
    let mut out = String::new();
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        out.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Insert => '+',
                ChangeTag::Delete => '-',
                ChangeTag::Equal => ' ',
            };
            out.push_str(&format!("{sign}{}\n", change.value().trim_end_matches('\n')));
        }
    }
    out
}

/// The parts of a diff in unified form, as tools report it.
pub fn parse(unified: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    let (mut old, mut new) = (0usize, 0usize);
    let mut within = false;
    for line in unified.lines() {
        let (mark, rest) = line.split_at(line.len().min(usize::from(line.is_char_boundary(1))));
        if let Some((from, to)) = hunk(line) {
            settle(&mut rows, &mut parts);
            if within {
                parts.push(Part::Gap);
            }
            (old, new, within) = (from, to, true);
            continue;
        }
        let (sign, number) = match mark {
            "+" if within => (Sign::Added, step(&mut new)),
            "-" if within => (Sign::Removed, step(&mut old)),
            " " | "" if within && (mark == " " || line.is_empty()) => {
                step(&mut old);
                (Sign::Same, step(&mut new))
            }
            _ => {
                settle(&mut rows, &mut parts);
                if !line.starts_with("--- ") && !line.starts_with("+++ ") {
                    parts.push(Part::Head(line.to_string()));
                }
                continue;
            }
        };
        if sign == Sign::Same || (sign == Sign::Removed && rows.iter().any(|row| row.sign == Sign::Added)) {
            settle(&mut rows, &mut parts);
        }
        rows.push(Row { sign, number, words: vec![(false, rest.to_string())] });
        if sign == Sign::Same {
            settle(&mut rows, &mut parts);
        }
    }
    settle(&mut rows, &mut parts);
    parts
}

pub fn counts(old: &str, new: &str) -> Counts {
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&old, &new);
    diff.ops().iter().fold(Counts::default(), |all, op| match op.tag() {
        DiffTag::Equal => all,
        DiffTag::Insert | DiffTag::Delete | DiffTag::Replace => {
            Counts { added: all.added + op.new_range().len(), removed: all.removed + op.old_range().len() }
        }
    })
}

/// The pieces of two versions of a line; true: this changed. None if they have too little in common to compare by word.
pub fn words(old: &str, new: &str) -> Option<[Vec<(bool, String)>; 2]> {
    if old.len().max(new.len()) > LONGEST_LINE {
        return None;
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(old, new);
    let mut sides = [Vec::new(), Vec::new()];
    for change in diff.iter_all_changes() {
        let piece = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                for side in &mut sides {
                    add(side, false, piece);
                }
            }
            ChangeTag::Delete => add(&mut sides[0], true, piece),
            ChangeTag::Insert => add(&mut sides[1], true, piece),
        }
    }
    // Spaces are everywhere and say nothing about likeness.
    let letters = |words: &str| words.chars().filter(|c| !c.is_whitespace()).count();
    let same: usize = sides[0].iter().filter(|(changed, _)| !changed).map(|(_, words)| letters(words)).sum();
    let alike = 4 * same >= letters(old) + letters(new);
    alike.then_some(sides)
}

/// Rows for the screen; `most` bounds them, with a count of what is left.
pub fn rows(parts: &[Part], width: usize, theme: &Theme, most: usize) -> Vec<Line<'static>> {
    rows_with(parts, width, theme, most, |_| None)
}

/// The same with other spans for some of the parts, by their place: colours of the language.
pub fn rows_with(
    parts: &[Part],
    width: usize,
    theme: &Theme,
    most: usize,
    coloured: impl Fn(usize) -> Option<Vec<Span<'static>>>,
) -> Vec<Line<'static>> {
    let highest =
        parts.iter().map(|part| if let Part::Row(row) = part { row.number } else { 0 }).max().unwrap_or_default();
    let digits = highest.to_string().len().max(3);
    let mut out = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if out.len() >= most {
            let left = parts.len() - at + parts.last().map_or(0, missing);
            let told = format!("{:digits$} … {}", "", text::counted(left, "more line"));
            out.push(Line::styled(text::fit(&told, width).into_owned(), theme.dim));
            break;
        }
        match part {
            Part::Row(row) => {
                let words = coloured(at).unwrap_or_else(|| spans(&row.words, row.sign, theme));
                out.extend(draw(row, words, digits, width, theme));
            }
            Part::Gap => out.push(Line::styled(text::fit(&format!("{:>digits$}", "⋮"), width).into_owned(), theme.dim)),
            Part::Head(words) => out.extend(text::wrap_plain(words, width, theme.dim)),
        }
    }
    out
}

/// Lines that a diff lacks, by the remark at its end.
fn missing(last: &Part) -> usize {
    let Part::Head(words) = last else { return 0 };
    let count = words.strip_prefix("… ").and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    // The remark itself counts as one of those that are there.
    count.map_or(0, |count| count.saturating_sub(1))
}

/// A diff in unified form, drawn; long lines are cut, with a count: they must not hide what follows them.
pub fn unified(diff: &str, width: usize, theme: &Theme, most: usize) -> Vec<Line<'static>> {
    let shortened = |part: Part| match part {
        Part::Row(row) if row.words.iter().map(|(_, words)| words.len()).sum::<usize>() > SHOWN_OF_LINE => {
            let line: String = row.words.iter().map(|(_, words)| words.as_str()).collect();
            Part::Row(Row { words: vec![(false, text::bounded(&line, SHOWN_OF_LINE).into_owned())], ..row })
        }
        Part::Row(_) | Part::Gap | Part::Head(_) => part,
    };
    let parts: Vec<Part> = parse(diff).into_iter().map(shortened).collect();
    rows(&parts, width, theme, most)
}

/// The styles of a line and of what changed in it.
pub fn styles(sign: Sign, theme: &Theme) -> (Style, Style) {
    match sign {
        Sign::Same => (theme.text, theme.text),
        Sign::Added => (theme.added, theme.added_word),
        Sign::Removed => (theme.removed, theme.removed_word),
    }
}

/// The pieces of a line as spans, harmless.
pub fn spans(words: &[(bool, String)], sign: Sign, theme: &Theme) -> Vec<Span<'static>> {
    let (style, changed) = styles(sign, theme);
    let mut column = 0;
    let mut out = Vec::with_capacity(words.len());
    for (differs, piece) in words {
        let shown = text::visible(piece);
        let shown = text::expand_tabs(&shown, column).replace('\n', " ");
        column += text::width(&shown);
        out.push(Span::styled(shown, if *differs { changed } else { style }));
    }
    out
}

fn draw(row: &Row, words: Vec<Span<'static>>, digits: usize, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (style, _) = styles(row.sign, theme);
    let sign = match row.sign {
        Sign::Same => " ",
        Sign::Added => "+",
        Sign::Removed => "-",
    };
    let number = Span::styled(format!("{:>digits$} ", row.number), theme.line_number);
    let prefix = Prefix {
        first: vec![number, Span::styled(format!("{sign} "), style)],
        next: vec![Span::raw(" ".repeat(digits + 3))],
    };
    text::wrap(&Line::from(words), width, &prefix)
}

/// `@@ -3,7 +3,8 @@`
fn hunk(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.strip_prefix("@@ -")?.split(' ');
    let first = |field: &str| field.split(',').next().and_then(|number| number.parse().ok());
    let old = fields.next().and_then(first)?;
    let new = fields.next().and_then(|field| field.strip_prefix('+')).and_then(first)?;
    Some((old, new))
}

fn step(number: &mut usize) -> usize {
    let now = *number;
    *number = number.saturating_add(1);
    now
}

fn settle(rows: &mut Vec<Row>, parts: &mut Vec<Part>) {
    mark_words(rows);
    parts.extend(rows.drain(..).map(Part::Row));
}

/// As many removed lines as added ones: each is compared with the one that took its place.
fn mark_words(rows: &mut [Row]) {
    let removed = rows.iter().take_while(|row| row.sign == Sign::Removed).count();
    let (old, new) = rows.split_at_mut(removed);
    if removed == 0 || removed != new.len() || new.iter().any(|row| row.sign != Sign::Added) {
        return;
    }
    for (old, new) in old.iter_mut().zip(new) {
        let whole = |row: &Row| row.words.first().map(|(_, line)| line.clone()).unwrap_or_default();
        if let Some([before, after]) = words(&whole(old), &whole(new)) {
            (old.words, new.words) = (before, after);
        }
    }
}

fn add(side: &mut Vec<(bool, String)>, changed: bool, piece: &str) {
    match side.last_mut() {
        Some((last, words)) if *last == changed => words.push_str(piece),
        Some(_) | None => side.push((changed, piece.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[Line<'_>]) -> String {
        lines.iter().map(|line| text::plain(line).trim_end().to_string()).collect::<Vec<_>>().join("\n")
    }

    const UNIFIED: &str =
        "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-let x = 1;\n+let x = 2;\n three\n@@ -40 +40,2 @@\n forty\n+new\n";

    #[test]
    fn ui_4_a_diff_has_line_numbers_and_marks_words() {
        let theme = Theme::default();
        let drawn = unified(UNIFIED, 40, &theme, 100);
        let wanted = "  1   one\n  2 - let x = 1;\n  2 + let x = 2;\n  3   three\n  ⋮\n 40   forty\n 41 + new";
        assert_eq!(shown(&drawn), wanted);
        let marked: Vec<_> = drawn[2].spans.iter().filter(|span| span.style == theme.added_word).collect();
        assert_eq!(marked.len(), 1);
        assert_eq!(marked[0].content, "2;");
        assert!(shown(&unified(UNIFIED, 40, &theme, 2)).ends_with("5 more lines"));
    }

    #[test]
    fn ui_4_texts_are_compared_with_a_few_lines_around() {
        let old: String = (1..=30).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 3\n", "line three\n").replace("line 28\n", "");
        let drawn = rows(&between(&old, &new, 1), 40, &Theme::default(), 100);
        let wanted = "  2   line 2\n  3 - line 3\n  3 + line three\n  4   line 4\n  ⋮\n 27   line 27\n 28 - line 28\n 28   line 29";
        assert_eq!(shown(&drawn), wanted);
        assert_eq!(counts(&old, &new), Counts { added: 1, removed: 2 });
    }

    #[test]
    fn ui_5_a_long_line_is_cut_with_a_count_and_a_remark_is_no_line() {
        let diff = format!("@@ -1 +1,3 @@\n+{}\n+one\rmore\n+evil\n… 3 more lines\n", "x".repeat(70_000));
        let drawn = shown(&unified(&diff, 60, &Theme::default(), 500));
        assert!(shown(&unified(&diff, 60, &Theme::default(), 1)).ends_with("… 5 more lines"));
        assert!(drawn.contains("69,000 more characters\n  2 + one\\u{d}more\n  3 + evil\n… 3 more lines"), "{drawn}");
        let both = rows(&between("a\rb\nc\n", "a\rb\nd\n", 1), 60, &Theme::default(), 9);
        assert_eq!(shown(&both), "  1   a\\u{d}b\n  2 - c\n  2 + d");
    }

    #[test]
    fn tl_10_a_hostile_diff_is_shown_harmless() {
        let drawn =
            unified("@@ -1 +1 @@\n-a\x1b[2J\n+\u{202e}b\tc\n\\ No newline\nnoise\x07\n", 30, &Theme::default(), 9);
        let wanted = "  1 - a\\u{1b}[2J\n  1 + \\u{202e}b   c\n\\ No newline\nnoise\\u{7}";
        assert_eq!(shown(&drawn), wanted);
    }

    proptest::proptest! {
        #[test]
        fn tl_10_no_diff_panics_or_is_too_wide(diff in "(\\PC{0,5}|@@ -1 \\+1 @@\n|[+ -]\\PC{0,30}\n|\x1b|\t){0,8}", width in 1usize..60) {
            for line in unified(&diff, width, &Theme::default(), 50) {
                proptest::prop_assert!(text::line_width(&line) <= width, "{line:?}");
                proptest::prop_assert!(!text::plain(&line).chars().any(char::is_control));
            }
        }
    }
}

//! Diff rendering (UI-4, UI-5, PM-74): line numbers, signs, and highlighted changed words.

use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use similar::{ChangeTag, DiffTag, TextDiff};
use std::time::Duration;

/// Time limit for one comparison. An exact diff of large, very different texts would take too long.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);
/// Maximum bytes of a line with a word diff.
const MAX_WORD_DIFF_LINE: usize = 2_000;
/// Maximum characters of a line in the conversation and in dialogs. The pager shows all of it.
const MAX_SHOWN_LINE: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffSign {
    Same,
    Added,
    Removed,
}

/// A line of a diff, with its changed words marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRow {
    pub sign: DiffSign,
    /// Line number: in the old text for a removed line, else in the new text.
    pub number: usize,
    /// Pieces of the line; true marks a changed piece.
    pub words: Vec<(bool, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffPart {
    Row(DiffRow),
    /// Hidden unchanged lines.
    Gap,
    /// A file name or remark in the diff.
    Head(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiffCounts {
    pub added: usize,
    pub removed: usize,
}

/// Splits at line feeds only. A lone carriage return is part of its line.
fn split_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Compares two texts, with `context` unchanged lines around each change.
pub fn diff_parts(old: &str, new: &str, context: usize) -> Vec<DiffPart> {
    let (old, new) = (split_lines(old), split_lines(new));
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&old, &new);
    let mut parts = Vec::new();
    for (number, group) in diff.grouped_ops(context).iter().enumerate() {
        if number > 0 {
            parts.push(DiffPart::Gap);
        }
        for op in group {
            let mut rows = Vec::new();
            for change in diff.iter_changes(op) {
                let (sign, at) = match change.tag() {
                    ChangeTag::Equal => (DiffSign::Same, change.new_index()),
                    ChangeTag::Insert => (DiffSign::Added, change.new_index()),
                    ChangeTag::Delete => (DiffSign::Removed, change.old_index()),
                };
                let line = change.value().trim_end_matches('\n').trim_end_matches('\r').to_string();
                rows.push(DiffRow { sign, number: at.unwrap_or_default() + 1, words: vec![(false, line)] });
            }
            mark_words(&mut rows);
            parts.extend(rows.into_iter().map(DiffPart::Row));
        }
    }
    parts
}

/// Creates a unified diff without file names.
pub fn unified_text(old: &str, new: &str) -> String {
    let (old, new) = (split_lines(old), split_lines(new));
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&old, &new);
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

/// Parses a unified diff, as tools report it.
pub fn parse(unified: &str) -> Vec<DiffPart> {
    let mut parts = Vec::new();
    let mut rows: Vec<DiffRow> = Vec::new();
    let (mut old, mut new) = (0usize, 0usize);
    let mut within = false;
    for line in unified.lines() {
        let (mark, rest) = line.split_at(line.len().min(usize::from(line.is_char_boundary(1))));
        if let Some((from, to)) = parse_hunk(line) {
            flush_rows(&mut rows, &mut parts);
            if within {
                parts.push(DiffPart::Gap);
            }
            (old, new, within) = (from, to, true);
            continue;
        }
        let (sign, number) = match mark {
            "+" if within => (DiffSign::Added, next_number(&mut new)),
            "-" if within => (DiffSign::Removed, next_number(&mut old)),
            " " | "" if within && (mark == " " || line.is_empty()) => {
                next_number(&mut old);
                (DiffSign::Same, next_number(&mut new))
            }
            _ => {
                flush_rows(&mut rows, &mut parts);
                if !line.starts_with("--- ") && !line.starts_with("+++ ") {
                    parts.push(DiffPart::Head(line.to_string()));
                }
                continue;
            }
        };
        if sign == DiffSign::Same || (sign == DiffSign::Removed && rows.iter().any(|row| row.sign == DiffSign::Added)) {
            flush_rows(&mut rows, &mut parts);
        }
        rows.push(DiffRow { sign, number, words: vec![(false, rest.to_string())] });
        if sign == DiffSign::Same {
            flush_rows(&mut rows, &mut parts);
        }
    }
    flush_rows(&mut rows, &mut parts);
    parts
}

pub fn count_changes(old: &str, new: &str) -> DiffCounts {
    let (old, new) = (split_lines(old), split_lines(new));
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&old, &new);
    diff.ops().iter().fold(DiffCounts::default(), |all, op| match op.tag() {
        DiffTag::Equal => all,
        DiffTag::Insert | DiffTag::Delete | DiffTag::Replace => {
            DiffCounts { added: all.added + op.new_range().len(), removed: all.removed + op.old_range().len() }
        }
    })
}

/// The words of a line of code: names and numbers, runs of spaces, and every other character by itself.
fn code_words(line: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut from = 0;
    let mut last = None;
    for (at, c) in line.char_indices() {
        if last.is_some_and(|last| last != kind(c) || last == 2) {
            words.push(&line[from..at]);
            from = at;
        }
        last = Some(kind(c));
    }
    if from < line.len() {
        words.push(&line[from..]);
    }
    words
}

/// Compares two versions of a line by word; true marks a changed piece. None if they have too little in common.
pub fn word_diff(old: &str, new: &str) -> Option<[Vec<(bool, String)>; 2]> {
    if old.len().max(new.len()) > MAX_WORD_DIFF_LINE {
        return None;
    }
    let (before, after) = (code_words(old), code_words(new));
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_slices(&before, &after);
    let mut sides = [Vec::new(), Vec::new()];
    for change in diff.iter_all_changes() {
        let piece = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                for side in &mut sides {
                    push_piece(side, false, piece);
                }
            }
            ChangeTag::Delete => push_piece(&mut sides[0], true, piece),
            ChangeTag::Insert => push_piece(&mut sides[1], true, piece),
        }
    }
    // Spaces and brackets say nothing about similarity.
    let letters = |words: &str| words.chars().filter(|c| c.is_alphanumeric()).count();
    let same: usize = sides[0].iter().filter(|(changed, _)| !changed).map(|(_, words)| letters(words)).sum();
    let alike = 4 * same >= letters(old) + letters(new);
    alike.then_some(sides)
}

/// Draws at most about `most` rows, then a count of the remaining lines.
pub fn render_rows(parts: &[DiffPart], width: usize, theme: &Theme, most: usize) -> Vec<Line<'static>> {
    render_rows_with(parts, width, theme, most, |_| None)
}

/// Like `rows`, with highlighted spans for some parts, looked up by index.
pub fn render_rows_with(
    parts: &[DiffPart],
    width: usize,
    theme: &Theme,
    most: usize,
    coloured: impl Fn(usize) -> Option<Vec<Span<'static>>>,
) -> Vec<Line<'static>> {
    let highest =
        parts.iter().map(|part| if let DiffPart::Row(row) = part { row.number } else { 0 }).max().unwrap_or_default();
    let digits = highest.to_string().len().max(3);
    let mut out = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if out.len() >= most {
            let left = parts.len() - at + parts.last().map_or(0, hidden_lines);
            let told = format!("{:digits$} … {}", "", text::count_noun(left, "more line"));
            out.push(Line::styled(text::fit(&told, width).into_owned(), theme.dim));
            break;
        }
        match part {
            DiffPart::Row(row) => {
                let words = coloured(at).unwrap_or_else(|| line_spans(&row.words, row.sign, theme));
                out.extend(draw_row(row, words, digits, width, theme));
            }
            DiffPart::Gap => {
                out.push(Line::styled(text::fit(&format!("{:>digits$}", "⋮"), width).into_owned(), theme.dim))
            }
            DiffPart::Head(words) => out.extend(text::wrap_plain(words, width, theme.dim)),
        }
    }
    out
}

/// Number of lines that the diff leaves out, according to its last remark.
fn hidden_lines(last: &DiffPart) -> usize {
    let DiffPart::Head(words) = last else { return 0 };
    let count = words.strip_prefix("… ").and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    // The caller already includes the remark as one line.
    count.map_or(0, |count| count.saturating_sub(1))
}

/// Draws a unified diff. Long lines are truncated with a count, so that they can't push later lines out of view.
pub fn render_unified(diff: &str, width: usize, theme: &Theme, most: usize) -> Vec<Line<'static>> {
    render_rows(&shortened_parts(diff), width, theme, most)
}

/// The parts of a unified diff, with long lines truncated.
pub fn shortened_parts(diff: &str) -> Vec<DiffPart> {
    let shortened = |part: DiffPart| match part {
        DiffPart::Row(row) if row.words.iter().map(|(_, words)| words.len()).sum::<usize>() > MAX_SHOWN_LINE => {
            let line: String = row.words.iter().map(|(_, words)| words.as_str()).collect();
            DiffPart::Row(DiffRow {
                words: vec![(false, text::truncate_chars(&line, MAX_SHOWN_LINE).into_owned())],
                ..row
            })
        }
        DiffPart::Row(_) | DiffPart::Gap | DiffPart::Head(_) => part,
    };
    parse(diff).into_iter().map(shortened).collect()
}

/// Styles of a line and of its changed words.
pub fn line_styles(sign: DiffSign, theme: &Theme) -> (Style, Style) {
    match sign {
        DiffSign::Same => (theme.text, theme.text),
        DiffSign::Added => (theme.added, theme.added_word),
        DiffSign::Removed => (theme.removed, theme.removed_word),
    }
}

/// Styled spans of a line, with control characters escaped.
pub fn line_spans(words: &[(bool, String)], sign: DiffSign, theme: &Theme) -> Vec<Span<'static>> {
    let (style, changed) = line_styles(sign, theme);
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

fn draw_row(
    row: &DiffRow,
    words: Vec<Span<'static>>,
    digits: usize,
    width: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let (style, _) = line_styles(row.sign, theme);
    let sign = match row.sign {
        DiffSign::Same => " ",
        DiffSign::Added => "+",
        DiffSign::Removed => "-",
    };
    let number = Span::styled(format!("{:>digits$} ", row.number), theme.line_number);
    let prefix = RowPrefix {
        first: vec![number, Span::styled(format!("{sign} "), style)],
        next: vec![Span::raw(" ".repeat(digits + 3))],
    };
    text::wrap(&Line::from(words), width, &prefix)
}

/// Parses the start lines of a hunk header such as `@@ -3,7 +3,8 @@`.
fn parse_hunk(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.strip_prefix("@@ -")?.split(' ');
    let first = |field: &str| field.split(',').next().and_then(|number| number.parse().ok());
    let old = fields.next().and_then(first)?;
    let new = fields.next().and_then(|field| field.strip_prefix('+')).and_then(first)?;
    Some((old, new))
}

fn next_number(number: &mut usize) -> usize {
    let now = *number;
    *number = number.saturating_add(1);
    now
}

fn flush_rows(rows: &mut Vec<DiffRow>, parts: &mut Vec<DiffPart>) {
    mark_words(rows);
    parts.extend(rows.drain(..).map(DiffPart::Row));
}

/// Marks changed words if there are as many removed lines as added ones, pair by pair.
fn mark_words(rows: &mut [DiffRow]) {
    let removed = rows.iter().take_while(|row| row.sign == DiffSign::Removed).count();
    let (old, new) = rows.split_at_mut(removed);
    if removed == 0 || removed != new.len() || new.iter().any(|row| row.sign != DiffSign::Added) {
        return;
    }
    for (old, new) in old.iter_mut().zip(new) {
        let whole = |row: &DiffRow| row.words.first().map(|(_, line)| line.clone()).unwrap_or_default();
        if let Some([before, after]) = word_diff(&whole(old), &whole(new)) {
            (old.words, new.words) = (before, after);
        }
    }
}

fn push_piece(side: &mut Vec<(bool, String)>, changed: bool, piece: &str) {
    match side.last_mut() {
        Some((last, words)) if *last == changed => words.push_str(piece),
        Some(_) | None => side.push((changed, piece.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[Line<'_>]) -> String {
        lines.iter().map(|line| text::plain_text(line).trim_end().to_string()).collect::<Vec<_>>().join("\n")
    }

    const UNIFIED: &str =
        "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-let x = 1;\n+let x = 2;\n three\n@@ -40 +40,2 @@\n forty\n+new\n";

    #[test]
    fn du_6_changed_words_are_found_inside_code() {
        let [old, new] = word_diff("    sum(prices[1:])", "    sum(prices[0:])  # é").unwrap();
        let marked = |side: Vec<(bool, String)>| side.into_iter().filter(|(changed, _)| *changed).collect::<Vec<_>>();
        assert_eq!(marked(old), [(true, "1".to_string())]);
        assert_eq!(marked(new), [(true, "0".to_string()), (true, "  # é".to_string())]);
        assert_eq!(word_diff("(alpha)", "(beta)"), None, "brackets alone are not alike");
    }

    #[test]
    fn ui_4_diff_has_line_numbers_and_word_marks() {
        let theme = Theme::default();
        let drawn = render_unified(UNIFIED, 40, &theme, 100);
        let wanted = "  1   one\n  2 - let x = 1;\n  2 + let x = 2;\n  3   three\n  ⋮\n 40   forty\n 41 + new";
        assert_eq!(shown(&drawn), wanted);
        let marked: Vec<_> = drawn[2].spans.iter().filter(|span| span.style == theme.added_word).collect();
        assert_eq!(marked.len(), 1);
        assert_eq!(marked[0].content, "2");
        assert!(shown(&render_unified(UNIFIED, 40, &theme, 2)).ends_with("5 more lines"));
    }

    #[test]
    fn ui_4_diff_shows_context_lines() {
        let old: String = (1..=30).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 3\n", "line three\n").replace("line 28\n", "");
        let drawn = render_rows(&diff_parts(&old, &new, 1), 40, &Theme::default(), 100);
        let wanted = "  2   line 2\n  3 - line 3\n  3 + line three\n  4   line 4\n  ⋮\n 27   line 27\n 28 - line 28\n 28   line 29";
        assert_eq!(shown(&drawn), wanted);
        assert_eq!(count_changes(&old, &new), DiffCounts { added: 1, removed: 2 });
    }

    #[test]
    fn ui_5_long_diff_lines_are_cut_with_count() {
        let diff = format!("@@ -1 +1,3 @@\n+{}\n+one\rmore\n+evil\n… 3 more lines\n", "x".repeat(70_000));
        let drawn = shown(&render_unified(&diff, 60, &Theme::default(), 500));
        assert!(shown(&render_unified(&diff, 60, &Theme::default(), 1)).ends_with("… 5 more lines"));
        assert!(drawn.contains("69,000 more characters\n  2 + one\\u{d}more\n  3 + evil\n… 3 more lines"), "{drawn}");
        let both = render_rows(&diff_parts("a\rb\nc\n", "a\rb\nd\n", 1), 60, &Theme::default(), 9);
        assert_eq!(shown(&both), "  1   a\\u{d}b\n  2 - c\n  2 + d");
    }

    #[test]
    fn tl_10_hostile_diff_is_escaped() {
        let drawn = render_unified(
            "@@ -1 +1 @@\n-a\x1b[2J\n+\u{202e}b\tc\n\\ No newline\nnoise\x07\n",
            30,
            &Theme::default(),
            9,
        );
        let wanted = "  1 - a\\u{1b}[2J\n  1 + \\u{202e}b   c\n\\ No newline\nnoise\\u{7}";
        assert_eq!(shown(&drawn), wanted);
    }

    proptest::proptest! {
        #[test]
        fn tl_10_any_diff_renders_within_width(diff in "(\\PC{0,5}|@@ -1 \\+1 @@\n|[+ -]\\PC{0,30}\n|\x1b|\t){0,8}", width in 1usize..60) {
            for line in render_unified(&diff, width, &Theme::default(), 50) {
                proptest::prop_assert!(text::line_width(&line) <= width, "{line:?}");
                proptest::prop_assert!(!text::plain_text(&line).chars().any(char::is_control));
            }
        }
    }
}

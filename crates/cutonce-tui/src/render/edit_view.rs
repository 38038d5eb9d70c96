//! An edit in the conversation (DU-6): line numbers, syntax colours and changed words; a new file without signs.

use super::diff::{self, DiffPart, DiffRow, DiffSign};
use super::markdown::CodeHighlighting;
use super::text;
use super::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The room for a diff: columns, and rows before it is cut.
#[derive(Debug, Clone, Copy)]
pub struct DiffRoom {
    pub width: usize,
    pub rows: usize,
}

/// True if the diff creates its file.
pub fn is_new_file(unified: &str) -> bool {
    unified.starts_with("--- /dev/null\n")
}

/// Draws the diff of an edit. Without a highlighter, or when it is late, the code is plain.
pub fn render_edit(
    unified: &str,
    language: &str,
    room: DiffRoom,
    theme: &Theme,
    highlighting: Option<CodeHighlighting<'_>>,
) -> Vec<Line<'static>> {
    let new_file = is_new_file(unified);
    let plain = |part: DiffPart| match part {
        DiffPart::Row(row) if new_file => DiffPart::Row(DiffRow { sign: DiffSign::Same, ..row }),
        other => other,
    };
    let parts: Vec<DiffPart> = diff::shortened_parts(unified).into_iter().map(plain).collect();
    let coloured = highlighting.map(|colours| colour_rows(&parts, language, room.rows, theme, colours));
    diff::render_rows_with(&parts, room.width, theme, room.rows, |at| coloured.as_ref()?.get(at)?.clone())
}

/// The coloured spans of the first parts; `None` where a part has no colours.
fn colour_rows(
    parts: &[DiffPart],
    language: &str,
    most: usize,
    theme: &Theme,
    colours: CodeHighlighting<'_>,
) -> Vec<Option<Vec<Span<'static>>>> {
    // Old and new lines are two texts, each with its own syntax state.
    let blocks = [colours.highlighter.open_block(language, theme), colours.highlighter.open_block(language, theme)];
    let [Some(old), Some(new)] = blocks else { return Vec::new() };
    let mut counts = [0, 0];
    let places: Vec<Option<(usize, usize)>> = parts
        .iter()
        .take(most)
        .map(|part| {
            let DiffPart::Row(row) = part else { return None };
            let side = usize::from(row.sign != DiffSign::Removed);
            let line: String = row.words.iter().map(|(_, words)| words.as_str()).collect();
            [&old, &new][side].push_line(&text::visible(&line));
            counts[side] += 1;
            Some((side, counts[side] - 1))
        })
        .collect();
    colours.highlighter.wait_idle_until(colours.deadline);
    let spans = |(part, place): (&DiffPart, Option<(usize, usize)>)| {
        let (DiffPart::Row(row), Some((side, number))) = (part, place) else { return None };
        let code = [&old, &new][side].line(number)?;
        mark_changes(code, row, theme).map(text::expand_span_tabs)
    };
    parts.iter().zip(places).map(spans).collect()
}

/// Puts the background of changed words under the syntax colours. `None` if the theme has no backgrounds: then the line
/// keeps the colour of its sign.
fn mark_changes(code: Vec<Span<'static>>, row: &DiffRow, theme: &Theme) -> Option<Vec<Span<'static>>> {
    let (_, changed) = diff::line_styles(row.sign, theme);
    if row.sign == DiffSign::Same {
        return Some(code);
    }
    let under = Style { bg: Some(changed.bg?), ..Style::default() };
    // The byte ranges of changed words in the shown line.
    let mut at = 0;
    let ranges: Vec<(usize, usize)> = row
        .words
        .iter()
        .filter_map(|(differs, piece)| {
            let from = at;
            at += text::visible(piece).len();
            differs.then_some((from, at))
        })
        .collect();
    let (mut out, mut place) = (Vec::new(), 0);
    for span in code {
        for c in span.content.chars() {
            let marked = ranges.iter().any(|(from, to)| (*from..*to).contains(&place));
            let style = if marked { span.style.patch(under) } else { span.style };
            place += c.len_utf8();
            match out.last_mut() {
                Some((last, text)) if *last == style => String::push(text, c),
                _ => out.push((style, c.to_string())),
            }
        }
    }
    Some(out.into_iter().map(|(style, text)| Span::styled(text, style)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::highlight::Highlighter;
    use crate::render::theme::{ColourDepth, ThemeName};
    use std::time::{Duration, Instant};

    const EDIT: &str =
        "--- a.rs\n+++ a.rs\n@@ -1,2 +1,2 @@\n fn main() {\n-    let count = seven;\n+    let count = eight;\n";

    fn rendered(name: ThemeName) -> (Vec<Line<'static>>, Theme) {
        let theme = Theme::new(name, ColourDepth::True);
        let highlighter = Highlighter::new(|| {});
        let colours =
            CodeHighlighting { highlighter: &highlighter, deadline: Instant::now() + Duration::from_secs(20) };
        (render_edit(EDIT, "rs", DiffRoom { width: 60, rows: 40 }, &theme, Some(colours)), theme)
    }

    #[test]
    fn du_6_edits_have_numbers_colours_and_changed_words() {
        let (lines, theme) = rendered(ThemeName::Dark);
        let plain: Vec<String> = lines.iter().map(text::plain_text).collect();
        assert_eq!(plain, ["  1   fn main() {", "  2 -     let count = seven;", "  2 +     let count = eight;"]);
        let of = |line: &Line<'static>, word: &str| {
            line.spans.iter().find(|span| span.content.contains(word)).map(|span| span.style).unwrap()
        };
        assert_ne!(of(&lines[2], "let").fg, of(&lines[2], "count").fg, "syntax colours");
        assert_eq!(of(&lines[2], "eight").bg, theme.added_word.bg, "{:?}", lines[2]);
        assert_eq!(of(&lines[2], "let").bg, None);
    }

    #[test]
    fn du_6_sixteen_colours_keep_the_sign() {
        let (lines, theme) = rendered(ThemeName::Ansi);
        assert!(lines[2].spans.iter().any(|span| span.style == theme.added || span.style == theme.added_word));
    }
}

//! Syntax highlighting for pager items (UI-2, UI-4): fenced code in Markdown, files that were read, and
//! context lines of diffs. A background thread computes the colours. Until then the item is drawn plain with
//! the same rows.

use super::pager::PagerContent;
use crate::render::diff::{self, DiffPart, DiffSign};
use crate::render::highlight::{HighlightedBlock, Highlighter};
use crate::render::markdown::MarkdownStream;
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

#[derive(Debug)]
pub enum HighlightedItem {
    Markdown(Box<MarkdownStream>),
    /// Lines of a file, each with its line number column.
    Code {
        block: HighlightedBlock,
        lines: Vec<(String, String)>,
    },
    Diff {
        block: HighlightedBlock,
        /// Diff parts with their line number in the highlighted block, if they are part of it.
        parts: Vec<(DiffPart, Option<usize>)>,
    },
}

impl HighlightedItem {
    /// Starts highlighting an item. `None` if it has no highlighting.
    pub fn start(
        body: &PagerContent,
        shown: &str,
        width: usize,
        theme: &Theme,
        highlighter: &Highlighter,
    ) -> Option<HighlightedItem> {
        match body {
            PagerContent::Markdown(_) => {
                let mut stream = MarkdownStream::new(width, *theme).with_highlighter(highlighter.clone());
                stream.push(shown);
                stream.end();
                Some(HighlightedItem::Markdown(Box::new(stream)))
            }
            PagerContent::Plain(_) => None,
            PagerContent::Code { language, .. } => {
                let block = highlighter.open_block(language, theme)?;
                let lines: Vec<(String, String)> = shown.lines().map(split_line_number).collect();
                lines.iter().for_each(|(_, code)| block.push_line(code));
                Some(HighlightedItem::Code { block, lines })
            }
            PagerContent::Diff { language, .. } => {
                let block = highlighter.open_block(language, theme)?;
                let mut number = 0;
                let mut counted = |part: DiffPart| {
                    let new = matches!(&part, DiffPart::Row(row) if row.sign != DiffSign::Removed);
                    if let (true, DiffPart::Row(row)) = (new, &part) {
                        let line: String = row.words.iter().map(|(_, words)| words.as_str()).collect();
                        block.push_line(&text::visible(&line));
                        number += 1;
                    }
                    (part, new.then(|| number - 1))
                };
                let parts = diff::parse(shown).into_iter().map(&mut counted).collect();
                Some(HighlightedItem::Diff { block, parts })
            }
        }
    }

    /// True while highlighting is not finished.
    pub fn is_pending(&self) -> bool {
        match self {
            HighlightedItem::Markdown(stream) => stream.is_waiting(),
            HighlightedItem::Code { block, lines } => !block.is_abandoned() && block.finished_lines() < lines.len(),
            HighlightedItem::Diff { block, parts } => {
                !block.is_abandoned()
                    && block.finished_lines() < parts.iter().filter(|(_, number)| number.is_some()).count()
            }
        }
    }

    /// Renders the rows with the colours that are ready.
    pub fn rows(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        match self {
            HighlightedItem::Markdown(stream) => stream.tail(usize::MAX),
            HighlightedItem::Code { block, lines } => {
                let row = |(number, (before, code)): (usize, &(String, String))| {
                    let spans =
                        block.line(number).unwrap_or_else(|| vec![Span::styled(code.clone(), theme.code_block)]);
                    let first = vec![Span::styled(before.clone(), theme.line_number)];
                    let next = vec![Span::raw(" ".repeat(text::width(before)))];
                    text::wrap(&Line::from(text::expand_span_tabs(spans)), width, &RowPrefix { first, next })
                };
                lines.iter().enumerate().flat_map(row).collect()
            }
            HighlightedItem::Diff { block, parts } => {
                let plain: Vec<DiffPart> = parts.iter().map(|(part, _)| part.clone()).collect();
                diff::render_rows_with(&plain, width, theme, usize::MAX, |at| {
                    let (part, number) = parts.get(at)?;
                    let same = matches!(part, DiffPart::Row(row) if row.sign == DiffSign::Same);
                    number.filter(|_| same).and_then(|number| block.line(number)).map(text::expand_span_tabs)
                })
            }
        }
    }
}

/// Splits a line of Read output into its number and the code.
fn split_line_number(line: &str) -> (String, String) {
    match line.split_once('\t') {
        Some((number, code)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            (format!("{number:>5} "), text::visible(code).into_owned())
        }
        Some(_) | None => (String::new(), text::visible(line).into_owned()),
    }
}

/// Renders numbered code without colours, with the same rows.
pub fn plain_code(shown: &str, width: usize, style: Style, theme: &Theme) -> Vec<Line<'static>> {
    let row = |line: &str| {
        let (before, code) = split_line_number(line);
        let next = vec![Span::raw(" ".repeat(text::width(&before)))];
        let first = vec![Span::styled(before, theme.line_number)];
        text::wrap(
            &Line::from(text::expand_span_tabs(vec![Span::styled(code, style)])),
            width,
            &RowPrefix { first, next },
        )
    };
    shown.lines().flat_map(row).collect()
}

/// Language of a file, by its extension.
pub fn language_of_file(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let end = name.rsplit_once('.').map_or(name, |(_, end)| end);
    if end.len() <= 20 { end.to_lowercase() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn check(body: &PagerContent, wanted: &[&str]) {
        let (highlighter, theme) = (Highlighter::new(|| {}), Theme::default());
        let coloured = HighlightedItem::start(body, body.text(), 60, &theme, &highlighter).unwrap();
        while coloured.is_pending() && highlighter.wait_idle() {}
        let rows = coloured.rows(60, &theme);
        let shown: Vec<String> = rows.iter().map(|row| text::plain_text(row).trim_end().to_string()).collect();
        assert_eq!(shown, wanted);
        let colours: HashSet<_> = rows.iter().flat_map(|row| row.spans.iter()).map(|span| span.style.fg).collect();
        assert!(colours.len() > 2, "{colours:?}");
    }

    #[test]
    fn ui_4_highlighting_keeps_the_pager_rows() {
        let code = "1\tfn main() {\n12\t\tlet x = \"a\"; // why\x1b[2J\n}";
        let body = PagerContent::Code { language: "rs".into(), text: code.into() };
        check(&body, &["    1 fn main() {", "   12     let x = \"a\"; // why\\u{1b}[2J", "}"]);
        let theme = Theme::default();
        let plain: Vec<String> = plain_code(code, 60, theme.text, &theme).iter().map(text::plain_text).collect();
        assert_eq!(plain[1], "   12     let x = \"a\"; // why\\u{1b}[2J");
        check(&PagerContent::Markdown("```rust\nlet x = \"a\"; // why\n```".into()), &["  let x = \"a\"; // why"]);
    }

    #[test]
    fn ui_4_diff_context_is_highlighted() {
        let unified = "@@ -1,3 +1,3 @@\n let a = \"one\"; // why\n-let x = 1;\n+let x = 2;\n fn three() {}\n";
        let body = PagerContent::Diff { language: language_of_file("src/a.rs"), text: unified.into() };
        check(&body, &["  1   let a = \"one\"; // why", "  2 - let x = 1;", "  2 + let x = 2;", "  3   fn three() {}"]);
        assert_eq!(
            (language_of_file("Makefile").as_str(), language_of_file("x/.gitignore").as_str()),
            ("makefile", "gitignore")
        );
    }
}

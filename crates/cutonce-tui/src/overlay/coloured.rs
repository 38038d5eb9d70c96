//! An item of the pager whose code gets its colours (UI-2, UI-4): fenced code of markdown, files that were read, the lines around a
//! change. They come from another thread: until they are there the item is drawn plain, and its rows are the same then.

use super::pager::Body;
use crate::diff::{self, Part, Sign};
use crate::highlight::{Block, Highlighter};
use crate::markdown::Stream;
use crate::text::{self, Prefix};
use crate::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

#[derive(Debug)]
pub enum Coloured {
    Markdown(Box<Stream>),
    /// Lines of a file, each behind what stands before it.
    Code {
        block: Block,
        lines: Vec<(String, String)>,
    },
    Diff {
        block: Block,
        /// With the number of the line in the block, where it has one.
        parts: Vec<(Part, Option<usize>)>,
    },
}

impl Coloured {
    /// None where there will be no colours.
    pub fn of(body: &Body, shown: &str, width: usize, theme: &Theme, highlighter: &Highlighter) -> Option<Coloured> {
        match body {
            Body::Markdown(_) => {
                let mut stream = Stream::new(width, *theme).highlighted(highlighter.clone());
                stream.push(shown);
                stream.end();
                Some(Coloured::Markdown(Box::new(stream)))
            }
            Body::Plain(_) => None,
            Body::Code { language, .. } => {
                let block = highlighter.open(language, theme)?;
                let lines: Vec<(String, String)> = shown.lines().map(numbered).collect();
                lines.iter().for_each(|(_, code)| block.push(code));
                Some(Coloured::Code { block, lines })
            }
            Body::Diff { language, .. } => {
                let block = highlighter.open(language, theme)?;
                let mut number = 0;
                let mut counted = |part: Part| {
                    let new = matches!(&part, Part::Row(row) if row.sign != Sign::Removed);
                    if let (true, Part::Row(row)) = (new, &part) {
                        let line: String = row.words.iter().map(|(_, words)| words.as_str()).collect();
                        block.push(&text::visible(&line));
                        number += 1;
                    }
                    (part, new.then(|| number - 1))
                };
                let parts = diff::parse(shown).into_iter().map(&mut counted).collect();
                Some(Coloured::Diff { block, parts })
            }
        }
    }

    /// Are colours still to come?
    pub fn waits(&self) -> bool {
        match self {
            Coloured::Markdown(stream) => stream.waits(),
            Coloured::Code { block, lines } => !block.lost() && block.done() < lines.len(),
            Coloured::Diff { block, parts } => {
                !block.lost() && block.done() < parts.iter().filter(|(_, number)| number.is_some()).count()
            }
        }
    }

    /// Its rows, with the colours that are there.
    pub fn rows(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        match self {
            Coloured::Markdown(stream) => stream.tail(usize::MAX),
            Coloured::Code { block, lines } => {
                let row = |(number, (before, code)): (usize, &(String, String))| {
                    let spans =
                        block.line(number).unwrap_or_else(|| vec![Span::styled(code.clone(), theme.code_block)]);
                    let first = vec![Span::styled(before.clone(), theme.line_number)];
                    let next = vec![Span::raw(" ".repeat(text::width(before)))];
                    text::wrap(&Line::from(text::expanded(spans)), width, &Prefix { first, next })
                };
                lines.iter().enumerate().flat_map(row).collect()
            }
            Coloured::Diff { block, parts } => {
                let plain: Vec<Part> = parts.iter().map(|(part, _)| part.clone()).collect();
                diff::rows_with(&plain, width, theme, usize::MAX, |at| {
                    let (part, number) = parts.get(at)?;
                    let same = matches!(part, Part::Row(row) if row.sign == Sign::Same);
                    number.filter(|_| same).and_then(|number| block.line(number)).map(text::expanded)
                })
            }
        }
    }
}

/// What Read shows: a number, a tab, the line.
fn numbered(line: &str) -> (String, String) {
    match line.split_once('\t') {
        Some((number, code)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            (format!("{number:>5} "), text::visible(code).into_owned())
        }
        Some(_) | None => (String::new(), text::visible(line).into_owned()),
    }
}

/// The same rows without colours.
pub fn plain_code(shown: &str, width: usize, style: Style, theme: &Theme) -> Vec<Line<'static>> {
    let row = |line: &str| {
        let (before, code) = numbered(line);
        let next = vec![Span::raw(" ".repeat(text::width(&before)))];
        let first = vec![Span::styled(before, theme.line_number)];
        text::wrap(&Line::from(text::expanded(vec![Span::styled(code, style)])), width, &Prefix { first, next })
    };
    shown.lines().flat_map(row).collect()
}

/// The language of a file, by the end of its name.
pub fn language(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let end = name.rsplit_once('.').map_or(name, |(_, end)| end);
    if end.len() <= 20 { end.to_lowercase() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn check(body: &Body, wanted: &[&str]) {
        let (highlighter, theme) = (Highlighter::new(|| {}), Theme::default());
        let coloured = Coloured::of(body, body.text(), 60, &theme, &highlighter).unwrap();
        while coloured.waits() && highlighter.wait() {}
        let rows = coloured.rows(60, &theme);
        let shown: Vec<String> = rows.iter().map(|row| text::plain(row).trim_end().to_string()).collect();
        assert_eq!(shown, wanted);
        let colours: HashSet<_> = rows.iter().flat_map(|row| row.spans.iter()).map(|span| span.style.fg).collect();
        assert!(colours.len() > 2, "{colours:?}");
    }

    #[test]
    fn ui_4_code_in_the_pager_has_colours_and_the_same_rows() {
        let code = "1\tfn main() {\n12\t\tlet x = \"a\"; // why\x1b[2J\n}";
        let body = Body::Code { language: "rs".into(), text: code.into() };
        check(&body, &["    1 fn main() {", "   12     let x = \"a\"; // why\\u{1b}[2J", "}"]);
        let theme = Theme::default();
        let plain: Vec<String> = plain_code(code, 60, theme.text, &theme).iter().map(text::plain).collect();
        assert_eq!(plain[1], "   12     let x = \"a\"; // why\\u{1b}[2J");
        check(&Body::Markdown("```rust\nlet x = \"a\"; // why\n```".into()), &["  let x = \"a\"; // why"]);
    }

    #[test]
    fn ui_4_the_lines_around_a_change_have_colours_in_the_pager() {
        let unified = "@@ -1,3 +1,3 @@\n let a = \"one\"; // why\n-let x = 1;\n+let x = 2;\n fn three() {}\n";
        let body = Body::Diff { language: language("src/a.rs"), text: unified.into() };
        check(&body, &["  1   let a = \"one\"; // why", "  2 - let x = 1;", "  2 + let x = 2;", "  3   fn three() {}"]);
        assert_eq!((language("Makefile").as_str(), language("x/.gitignore").as_str()), ("makefile", "gitignore"));
    }
}

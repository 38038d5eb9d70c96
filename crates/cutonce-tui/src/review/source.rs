//! The plan line by line: what is commented on and edited is the source, so each of its lines is drawn on its own, and nothing
//! that it says is left out.

use crate::highlight::{Block, Highlighter};
use crate::markdown;
use crate::text;
use crate::theme::Theme;
use ratatui::text::Span;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Words,
    /// The line that opens or closes a block of code.
    Fence,
    Code {
        block: usize,
        number: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The first line is 0.
    pub line: usize,
    pub level: u8,
    pub words: String,
}

#[derive(Debug)]
pub struct Source {
    lines: Vec<(String, Kind)>,
    headings: Vec<Heading>,
    languages: Vec<String>,
    blocks: Vec<Option<Block>>,
    /// First line, and the line behind the last.
    tables: Vec<Range<usize>>,
}

/// A longer table is shown as it is written.
const LONGEST_TABLE: usize = 200;

impl Source {
    pub fn new(text: &str) -> Source {
        let mut source = Source {
            lines: Vec::new(),
            headings: Vec::new(),
            languages: Vec::new(),
            blocks: Vec::new(),
            tables: Vec::new(),
        };
        let mut fence: Option<(markdown::Fence, usize)> = None;
        for line in text.lines() {
            let kind = match &mut fence {
                Some((open, _)) if open.closed_by(line) => {
                    fence = None;
                    Kind::Fence
                }
                Some((_, number)) => {
                    *number += 1;
                    Kind::Code { block: source.languages.len() - 1, number: *number - 1 }
                }
                None => match (markdown::Fence::opened_by(line), heading(line)) {
                    (Some(open), _) => {
                        source.languages.push(open.language.clone());
                        fence = Some((open, 0));
                        Kind::Fence
                    }
                    (None, Some((level, words))) => {
                        let words = text::one_line(words);
                        source.headings.push(Heading { line: source.lines.len(), level, words });
                        Kind::Words
                    }
                    (None, None) => Kind::Words,
                },
            };
            source.lines.push((line.to_string(), kind));
        }
        source.tables = tables(&source.lines);
        source
    }

    /// The lines of the table that this line is in, and their text.
    pub fn table(&self, line: usize) -> Option<(Range<usize>, String)> {
        let range = self.tables.iter().find(|table| table.contains(&line))?.clone();
        let text: Vec<&str> = range.clone().map(|line| self.line(line)).collect();
        Some((range, text.join("\n")))
    }

    /// Colours for the code, as they come.
    pub fn colour(&mut self, highlighter: &Highlighter, theme: &Theme) {
        self.blocks = self.languages.iter().map(|language| highlighter.open(language, theme)).collect();
        for (line, kind) in &self.lines {
            if let Kind::Code { block, .. } = kind
                && let Some(Some(block)) = self.blocks.get(*block)
            {
                block.push(&text::visible(line));
            }
        }
    }

    /// How many lines have their colours; more than before: draw again.
    pub fn coloured(&self) -> usize {
        self.blocks.iter().flatten().map(Block::done).sum()
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn line(&self, line: usize) -> &str {
        self.lines.get(line).map(|(text, _)| text.as_str()).unwrap_or_default()
    }

    pub fn headings(&self) -> &[Heading] {
        &self.headings
    }

    /// The headings that this line is under, outermost first.
    pub fn path(&self, line: usize) -> Vec<&Heading> {
        let mut path: Vec<&Heading> = Vec::new();
        for heading in self.headings.iter().take_while(|heading| heading.line <= line) {
            path.retain(|above| above.level < heading.level);
            path.push(heading);
        }
        path
    }

    /// A line with its marks drawn instead of spelled.
    pub fn spans(&self, line: usize, theme: &Theme) -> Vec<Span<'static>> {
        let Some((source, kind)) = self.lines.get(line) else { return Vec::new() };
        match kind {
            Kind::Words => words(source, theme),
            Kind::Fence => vec![Span::styled(flat(source), theme.dim)],
            Kind::Code { block, number } => {
                let coloured = self.blocks.get(*block).and_then(|block| block.as_ref()?.line(*number));
                let spans = coloured
                    .unwrap_or_else(|| vec![Span::styled(text::visible(source).into_owned(), theme.code_block)]);
                text::expanded(spans)
            }
        }
    }
}

/// A head, a line of dashes below it, and all rows until something else comes.
fn tables(lines: &[(String, Kind)]) -> Vec<Range<usize>> {
    let row = |at: usize| {
        lines.get(at).is_some_and(|(line, kind)| {
            let indent = line.len() - line.trim_start().len();
            *kind == Kind::Words && line.contains('|') && indent <= 3
        })
    };
    let dashes = |at: usize| {
        let line = lines.get(at).map(|(line, _)| line.trim()).unwrap_or_default();
        line.contains('-') && line.chars().all(|c| "|-: ".contains(c))
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        if !(row(at) && !dashes(at) && row(at + 1) && dashes(at + 1)) {
            at += 1;
            continue;
        }
        let end = (at + 2..).find(|next| !row(*next)).unwrap_or(lines.len());
        if end - at <= LONGEST_TABLE {
            found.push(at..end);
        }
        at = end;
    }
    found
}

fn words(source: &str, theme: &Theme) -> Vec<Span<'static>> {
    let trimmed = source.trim_start();
    let indent = &source[..source.len() - trimmed.len()];
    let plain = trimmed.is_empty() || trimmed.starts_with('|') || indent.len() > 24;
    let drawn = if plain { Vec::new() } else { markdown::one_line(trimmed, theme) };
    // A definition of a link, and whatever else draws as nothing, is shown as it is written.
    if drawn.iter().all(|span| span.content.trim().is_empty()) {
        return vec![Span::styled(flat(source), theme.text)];
    }
    let mut spans = vec![Span::raw(flat(indent))];
    spans.extend(drawn);
    spans
}

fn flat(source: &str) -> String {
    text::expand_tabs(&text::visible(source), 0).into_owned()
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let trimmed = line.trim_start();
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    let rest = trimmed.get(level..)?;
    let fits = (1..=6).contains(&level)
        && line.len() - trimmed.len() <= 3
        && (rest.is_empty() || rest.starts_with([' ', '\t']));
    fits.then(|| (level as u8, rest.trim().trim_end_matches('#').trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &Source, line: usize) -> String {
        source.spans(line, &Theme::default()).iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn pm_74_the_title_of_a_link_is_seen() {
        let source = Source::new("[x](http://y \"then rm -rf home\") ![](http://i/a.png \"only title\")");
        let line = shown(&source, 0);
        assert!(line.contains("then rm -rf home") && line.contains("only title"), "{line}");
    }

    #[test]
    fn ui_6_each_line_of_the_source_is_drawn_and_nothing_vanishes() {
        let text = "# Title\n\n  - inner **bold** `code`\n3. third\n[x]: http://hidden.example\n| a | b |\n<!-- do evil -->\n```sh\n# no heading\n```\n## Two ##\n&#27;[2J \x1b[2J\n---";
        let source = Source::new(text);
        let lines: Vec<String> = (0..source.len()).map(|line| shown(&source, line)).collect();
        let wanted = [
            "Title",
            "",
            "  • inner bold code",
            "3. third",
            "[x]: http://hidden.example",
            "| a | b |",
            "<!-- do evil -->",
            "```sh",
            "# no heading",
            "```",
            "Two",
            "\\u{1b}[2J \\u{1b}[2J",
        ];
        assert_eq!(lines[..12], wanted);
        assert!(lines[12].starts_with("───"));
        let told: Vec<_> = source.headings().iter().map(|heading| (heading.line, heading.words.as_str())).collect();
        assert_eq!(told, [(0, "Title"), (10, "Two")]);
        assert_eq!(source.path(11).iter().map(|heading| heading.words.as_str()).collect::<Vec<_>>(), ["Title", "Two"]);
    }
}

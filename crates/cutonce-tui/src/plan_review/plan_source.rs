//! The plan's source, line by line. Users comment on and edit source lines, so each line is drawn on its own and
//! nothing is left out.

use crate::render::highlight::{HighlightedBlock, Highlighter};
use crate::render::markdown;
use crate::render::text;
use crate::render::theme::Theme;
use ratatui::text::Span;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceLineKind {
    Text,
    /// Line that opens or closes a code block.
    Fence,
    Code {
        block: usize,
        number: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanHeading {
    /// Zero-based line number.
    pub line: usize,
    pub level: u8,
    pub text: String,
}

#[derive(Debug)]
pub struct PlanSource {
    lines: Vec<(String, SourceLineKind)>,
    headings: Vec<PlanHeading>,
    languages: Vec<String>,
    blocks: Vec<Option<HighlightedBlock>>,
    /// Line ranges of tables, end exclusive.
    tables: Vec<Range<usize>>,
}

/// Maximum lines of a rendered table. Longer tables are shown as source.
const MAX_TABLE_LINES: usize = 200;

impl PlanSource {
    pub fn new(text: &str) -> PlanSource {
        let mut source = PlanSource {
            lines: Vec::new(),
            headings: Vec::new(),
            languages: Vec::new(),
            blocks: Vec::new(),
            tables: Vec::new(),
        };
        let mut fence: Option<(markdown::CodeFence, usize)> = None;
        for line in text.lines() {
            let kind = match &mut fence {
                Some((open, _)) if open.is_closed_by(line) => {
                    fence = None;
                    SourceLineKind::Fence
                }
                Some((_, number)) => {
                    *number += 1;
                    SourceLineKind::Code { block: source.languages.len() - 1, number: *number - 1 }
                }
                None => match (markdown::CodeFence::parse(line), parse_heading(line)) {
                    (Some(open), _) => {
                        source.languages.push(open.language.clone());
                        fence = Some((open, 0));
                        SourceLineKind::Fence
                    }
                    (None, Some((level, words))) => {
                        let words = text::one_line(words);
                        source.headings.push(PlanHeading { line: source.lines.len(), level, text: words });
                        SourceLineKind::Text
                    }
                    (None, None) => SourceLineKind::Text,
                },
            };
            source.lines.push((line.to_string(), kind));
        }
        source.tables = find_tables(&source.lines);
        source
    }

    /// Line range and text of the table that contains this line.
    pub fn table_at(&self, line: usize) -> Option<(Range<usize>, String)> {
        let range = self.tables.iter().find(|table| table.contains(&line))?.clone();
        let text: Vec<&str> = range.clone().map(|line| self.line(line)).collect();
        Some((range, text.join("\n")))
    }

    /// Starts highlighting the code blocks; colours arrive later.
    pub fn start_highlighting(&mut self, highlighter: &Highlighter, theme: &Theme) {
        self.blocks = self.languages.iter().map(|language| highlighter.open_block(language, theme)).collect();
        for (line, kind) in &self.lines {
            if let SourceLineKind::Code { block, .. } = kind
                && let Some(Some(block)) = self.blocks.get(*block)
            {
                block.push_line(&text::visible(line));
            }
        }
    }

    /// Number of highlighted lines. A higher number than before means: redraw.
    pub fn highlighted_lines(&self) -> usize {
        self.blocks.iter().flatten().map(HighlightedBlock::finished_lines).sum()
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn line(&self, line: usize) -> &str {
        self.lines.get(line).map(|(text, _)| text.as_str()).unwrap_or_default()
    }

    pub fn headings(&self) -> &[PlanHeading] {
        &self.headings
    }

    /// Headings above this line in the outline, outermost first.
    pub fn heading_path(&self, line: usize) -> Vec<&PlanHeading> {
        let mut path: Vec<&PlanHeading> = Vec::new();
        for heading in self.headings.iter().take_while(|heading| heading.line <= line) {
            path.retain(|above| above.level < heading.level);
            path.push(heading);
        }
        path
    }

    /// Renders a line: markdown marks become styles.
    pub fn line_spans(&self, line: usize, theme: &Theme) -> Vec<Span<'static>> {
        let Some((source, kind)) = self.lines.get(line) else { return Vec::new() };
        match kind {
            SourceLineKind::Text => text_spans(source, theme),
            SourceLineKind::Fence => vec![Span::styled(sanitize_line(source), theme.dim)],
            SourceLineKind::Code { block, number } => {
                let coloured = self.blocks.get(*block).and_then(|block| block.as_ref()?.line(*number));
                let spans = coloured
                    .unwrap_or_else(|| vec![Span::styled(text::visible(source).into_owned(), theme.code_block)]);
                text::expand_span_tabs(spans)
            }
        }
    }
}

/// Finds tables: a header, a line of dashes below it, and all rows that follow.
fn find_tables(lines: &[(String, SourceLineKind)]) -> Vec<Range<usize>> {
    let row = |at: usize| {
        lines.get(at).is_some_and(|(line, kind)| {
            let indent = line.len() - line.trim_start().len();
            *kind == SourceLineKind::Text && line.contains('|') && indent <= 3
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
        if end - at <= MAX_TABLE_LINES {
            found.push(at..end);
        }
        at = end;
    }
    found
}

fn text_spans(source: &str, theme: &Theme) -> Vec<Span<'static>> {
    let trimmed = source.trim_start();
    let indent = &source[..source.len() - trimmed.len()];
    let plain = trimmed.is_empty() || trimmed.starts_with('|') || indent.len() > 24;
    let drawn = if plain { Vec::new() } else { markdown::render_one_line(trimmed, theme) };
    // Link definitions, and anything else that renders as nothing, are shown as source.
    if drawn.iter().all(|span| span.content.trim().is_empty()) {
        return vec![Span::styled(sanitize_line(source), theme.text)];
    }
    let mut spans = vec![Span::raw(sanitize_line(indent))];
    spans.extend(drawn);
    spans
}

fn sanitize_line(source: &str) -> String {
    text::expand_tabs(&text::visible(source), 0).into_owned()
}

fn parse_heading(line: &str) -> Option<(u8, &str)> {
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

    fn shown(source: &PlanSource, line: usize) -> String {
        source.line_spans(line, &Theme::default()).iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn pm_74_link_titles_are_shown() {
        let source = PlanSource::new("[x](http://y \"then rm -rf home\") ![](http://i/a.png \"only title\")");
        let line = shown(&source, 0);
        assert!(line.contains("then rm -rf home") && line.contains("only title"), "{line}");
    }

    #[test]
    fn ui_6_every_source_line_is_drawn() {
        let text = "# Title\n\n  - inner **bold** `code`\n3. third\n[x]: http://hidden.example\n| a | b |\n<!-- do evil -->\n```sh\n# no heading\n```\n## Two ##\n&#27;[2J \x1b[2J\n---";
        let source = PlanSource::new(text);
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
        let told: Vec<_> = source.headings().iter().map(|heading| (heading.line, heading.text.as_str())).collect();
        assert_eq!(told, [(0, "Title"), (10, "Two")]);
        assert_eq!(
            source.heading_path(11).iter().map(|heading| heading.text.as_str()).collect::<Vec<_>>(),
            ["Title", "Two"]
        );
    }
}

//! Rows of one plan line: lines removed before it, the line itself, its comments, and the open comment field.

use crate::plan_review::changes::LineChange;
use crate::plan_review::{DiffDisplay, FieldPurpose, PlanReview, ReviewFocus};
use crate::render::diff::{self, DiffSign};
use crate::render::markdown;
use crate::render::text::{self, RowPrefix};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Maximum width of the comment field, for readability.
const MAX_FIELD_WIDTH: usize = 76;

#[derive(Debug, Default)]
pub struct LineRows {
    pub rows: Vec<Line<'static>>,
    /// Cursor position (row, column) in the open field.
    pub cursor: Option<(usize, usize)>,
}

/// Columns before the text: cursor, sign, line number, comment dot.
pub fn gutter_width(review: &PlanReview) -> usize {
    number_width(review) + 6
}

fn number_width(review: &PlanReview) -> usize {
    review.source.len().to_string().len().max(3)
}

pub fn line_height(review: &mut PlanReview, line: usize) -> usize {
    line_rows(review, line).rows.len()
}

pub fn line_rows(review: &mut PlanReview, line: usize) -> LineRows {
    let mut drawn = LineRows::default();
    push_removed(review, line, &mut drawn.rows);
    if line >= review.source.len() {
        return drawn;
    }
    if let (DiffDisplay::ChangedWords, LineChange::Changed { old, number, .. }) =
        (review.comparison.display, review.comparison.changes.line_change(line))
    {
        drawn.rows.extend(old_line_rows(review, *number, old));
    }
    let text = content_rows(review, line);
    let selected = review.anchor.is_some() && (review.selected_lines().0..=review.selected_lines().1).contains(&line);
    for (number, mut row) in text.into_iter().enumerate() {
        let mut spans =
            if number == 0 { gutter_spans(review, line) } else { vec![Span::raw(" ".repeat(gutter_width(review)))] };
        spans.append(&mut row.spans);
        let style = if selected { review.theme.selection } else { Style::default() };
        drawn.rows.push(Line::from(spans).style(style));
    }
    push_findings(review, line, &mut drawn.rows);
    push_comments(review, line, &mut drawn.rows);
    push_field(review, line, &mut drawn);
    drawn
}

/// Wrapped text of the line, cached until something changes.
fn content_rows(review: &mut PlanReview, line: usize) -> Vec<Line<'static>> {
    if let Some(rows) = review.viewport.row_cache.get(&line) {
        return rows.clone();
    }
    let width = review.viewport.width.saturating_sub(gutter_width(review)).max(1);
    if let Some(rows) = table_rows(review, line, width) {
        return rows;
    }
    let spans = match (review.comparison.display, review.comparison.changes.line_change(line)) {
        (DiffDisplay::ChangedWords, LineChange::Changed { new, .. }) => {
            diff::line_spans(new, DiffSign::Added, &review.theme)
        }
        _ => review.source.line_spans(line, &review.theme),
    };
    let line_shown = Line::from(spans);
    let next = vec![Span::raw(" ".repeat(hanging_indent(&text::plain_text(&line_shown)).min(width / 3)))];
    let rows = text::wrap(&line_shown, width, &RowPrefix { first: Vec::new(), next });
    review.viewport.row_cache.insert(line, rows.clone());
    rows
}

/// Rows of a line in a rendered table. All lines of the table are rendered and cached at once. A line with a word diff
/// is shown as source.
fn table_rows(review: &mut PlanReview, line: usize, width: usize) -> Option<Vec<Line<'static>>> {
    let compared = |review: &PlanReview, at: usize| {
        review.comparison.display == DiffDisplay::ChangedWords
            && matches!(review.comparison.changes.line_change(at), LineChange::Changed { .. })
    };
    if compared(review, line) {
        return None;
    }
    let (range, source) = review.source.table_at(line)?;
    let drawn = markdown::render_table_lines(&source, width, &review.theme)?;
    for (at, rows) in range.zip(drawn) {
        if !compared(review, at) {
            review.viewport.row_cache.insert(at, rows);
        }
    }
    review.viewport.row_cache.get(&line).cloned()
}

/// Column where the text starts, after indentation and list marker.
fn hanging_indent(line: &str) -> usize {
    let words = line.trim_start_matches(' ');
    let indent = line.len() - words.len();
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match words.get(digits..) {
        Some(rest) if digits > 0 && rest.starts_with(". ") => digits + 2,
        Some(rest) if digits == 0 && (rest.starts_with("• ") || rest.starts_with("│ ")) => 2,
        Some(_) | None => 0,
    };
    indent + mark
}

fn gutter_spans(review: &PlanReview, line: usize) -> Vec<Span<'static>> {
    let theme = &review.theme;
    let here = review.viewport.cursor == line;
    let (sign, style) = match (review.comparison.display, review.comparison.changes.line_change(line)) {
        (DiffDisplay::Off, _) | (_, LineChange::Same) => (" ", theme.dim),
        (DiffDisplay::Bars | DiffDisplay::ChangedWords, LineChange::Added) => ("+", theme.added),
        (DiffDisplay::Bars | DiffDisplay::ChangedWords, LineChange::Changed { .. }) => ("~", theme.changed),
    };
    let said = review.reply.comments.iter().any(|remark| (remark.first..=remark.last).contains(&line))
        || review.reply.earlier_comments.iter().any(|earlier| earlier.line == line);
    let digits = number_width(review);
    vec![
        Span::styled(if here { "›" } else { " " }, theme.accent),
        Span::styled(sign, style),
        Span::styled(format!(" {:>digits$}", line + 1), if here { theme.strong } else { theme.line_number }),
        match (said, review.findings_on(line).next()) {
            (true, _) => Span::styled(" ● ", theme.comment),
            (false, Some(_)) => Span::styled(" ! ", theme.warning),
            (false, None) => Span::styled("   ", theme.comment),
        },
    ]
}

fn old_line_rows(review: &PlanReview, number: usize, words: &[(bool, String)]) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let digits = number_width(review);
    let first =
        vec![Span::styled(" - ", theme.removed), Span::styled(format!("{number:>digits$}   "), theme.line_number)];
    let next = vec![Span::raw(" ".repeat(digits + 6))];
    text::wrap(
        &Line::from(diff::line_spans(words, DiffSign::Removed, theme)),
        review.viewport.width,
        &RowPrefix { first, next },
    )
}

fn push_removed(review: &PlanReview, line: usize, rows: &mut Vec<Line<'static>>) {
    let Some(gone) = review.comparison.changes.removed.get(&line) else { return };
    match review.comparison.display {
        DiffDisplay::Off => {}
        DiffDisplay::ChangedWords => {
            for (number, words) in gone {
                rows.extend(old_line_rows(review, *number, &[(false, words.clone())]));
            }
        }
        DiffDisplay::Bars => {
            let told =
                format!(" -{}{} removed", " ".repeat(gutter_width(review) - 2), text::count_noun(gone.len(), "line"));
            let hint = "d shows them ";
            let free = review.viewport.width.saturating_sub(text::width(&told) + text::width(hint));
            let hint = if free > 1 { format!("{}{hint}", " ".repeat(free)) } else { String::new() };
            rows.push(Line::from(vec![Span::styled(told, review.theme.removed), Span::styled(hint, review.theme.dim)]));
        }
    }
}

/// What the lint found on this line (PC-6).
fn push_findings(review: &PlanReview, line: usize, rows: &mut Vec<Line<'static>>) {
    let indent = gutter_width(review) - 2;
    for finding in review.findings_on(line) {
        let first = vec![Span::raw(" ".repeat(indent)), Span::styled("! ", review.theme.warning)];
        let prefix = RowPrefix { first, next: vec![Span::raw(" ".repeat(indent + 2))] };
        let words = Line::styled(text::one_line(&finding.text), review.theme.warning);
        rows.extend(text::wrap(&words, review.viewport.width, &prefix));
    }
}

fn push_comments(review: &PlanReview, line: usize, rows: &mut Vec<Line<'static>>) {
    let theme = &review.theme;
    let indent = gutter_width(review) - 2;
    let prefix = RowPrefix {
        first: vec![Span::raw(" ".repeat(indent)), Span::styled("┃ ", theme.comment)],
        next: vec![Span::raw(" ".repeat(indent)), Span::styled("┃ ", theme.comment)],
    };
    let mut say = |who: String, words: &str, hint: &str| {
        let shown = text::truncate_chars(words, 4_000);
        for (number, words) in text::visible(&shown).lines().enumerate() {
            let who = if number == 0 { who.clone() } else { " ".repeat(text::width(&who)) };
            let mut spans = vec![
                Span::styled(who, theme.dim),
                Span::styled(text::expand_tabs(words, 0).into_owned(), theme.comment),
            ];
            if number == 0 && !hint.is_empty() {
                spans.push(Span::styled(format!("   {hint}"), theme.dim));
            }
            rows.extend(text::wrap(&Line::from(spans), review.viewport.width, &prefix));
        }
    };
    for earlier in review.reply.earlier_comments.iter().filter(|earlier| earlier.line == line) {
        let hint = if earlier.unchanged { "line unchanged since you asked" } else { "line changed since" };
        say(format!("you, rev {}: ", earlier.revision), &earlier.text, hint);
    }
    let open = match &review.focus {
        ReviewFocus::Field { what: FieldPurpose::Comment { first, last }, .. } => Some((*first, *last)),
        _ => None,
    };
    for remark in
        review.reply.comments.iter().filter(|remark| remark.last == line && open != Some((remark.first, remark.last)))
    {
        let lines = if remark.first == remark.last {
            String::new()
        } else {
            format!(" ({}–{})", remark.first + 1, remark.last + 1)
        };
        let who = if remark.draft { format!("draft{lines}: ") } else { format!("you{lines}: ") };
        let told = match (remark.draft, &remark.edit) {
            (true, _) => "not sent",
            (false, Some(_)) => "c: unsaved changes",
            (false, None) => "",
        };
        say(who, &remark.text, told);
    }
}

fn push_field(review: &PlanReview, line: usize, drawn: &mut LineRows) {
    let ReviewFocus::Field { what: FieldPurpose::Comment { first, last }, field } = &review.focus else { return };
    if *last != line {
        return;
    }
    let theme = &review.theme;
    let indent = (gutter_width(review) - 2).min(review.viewport.width / 4);
    let width = review.viewport.width.saturating_sub(indent + 1).min(MAX_FIELD_WIDTH);
    let room = width.saturating_sub(4).max(1);
    let on = if first == last { format!("{}", first + 1) } else { format!("{} to {}", first + 1, last + 1) };
    let keys = "enter save · ctrl+j new line · ctrl+g editor · esc keep as draft";
    let (words, (row, column)) = field.wrapped_rows(room, theme.text);
    let edge = |start: &str, told: &str, end: &str| {
        let told = text::fit(told, width.saturating_sub(5)).into_owned();
        let fill = "─".repeat(width.saturating_sub(text::width(&told) + 4));
        Line::styled(format!("{}{start} {told} {fill}{end}", " ".repeat(indent)), theme.border)
    };
    drawn.rows.push(edge("╭", &format!("comment on {on}"), "╮"));
    drawn.cursor = Some((drawn.rows.len() + row, indent + 2 + column));
    for words in words {
        let fill = " ".repeat(room.saturating_sub(text::line_width(&words)));
        let mut spans = vec![Span::raw(" ".repeat(indent)), Span::styled("│ ", theme.border)];
        spans.extend(words.spans);
        spans.push(Span::styled(format!("{fill} │"), theme.border));
        drawn.rows.push(Line::from(spans));
    }
    drawn.rows.push(edge("╰", keys, "╯"));
}

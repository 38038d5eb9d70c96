//! The rows of one line of the plan: what was removed before it, the line itself, the comments under it, the field for one.

use crate::diff::{self, Sign};
use crate::markdown;
use crate::review::changes::Mark;
use crate::review::{Focus, Review, Show, What};
use crate::text::{self, Prefix};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The field for a comment is not wider than what reads well.
const WIDEST_FIELD: usize = 76;

#[derive(Debug, Default)]
pub struct Drawn {
    pub rows: Vec<Line<'static>>,
    /// Row and column of the cursor of the field that is open here.
    pub cursor: Option<(usize, usize)>,
}

/// Columns before the text: cursor, sign, number, dot.
pub fn gutter(review: &Review) -> usize {
    digits(review) + 6
}

fn digits(review: &Review) -> usize {
    review.source.len().to_string().len().max(3)
}

pub fn height(review: &mut Review, line: usize) -> usize {
    of(review, line).rows.len()
}

pub fn of(review: &mut Review, line: usize) -> Drawn {
    let mut drawn = Drawn::default();
    removed(review, line, &mut drawn.rows);
    if line >= review.source.len() {
        return drawn;
    }
    if let (Show::Words, Mark::Changed { old, number, .. }) = (review.show, review.changes.mark(line)) {
        drawn.rows.extend(old_line(review, *number, old));
    }
    let text = content(review, line);
    let selected = review.anchor.is_some() && (review.selected().0..=review.selected().1).contains(&line);
    for (number, mut row) in text.into_iter().enumerate() {
        let mut spans =
            if number == 0 { first_gutter(review, line) } else { vec![Span::raw(" ".repeat(gutter(review)))] };
        spans.append(&mut row.spans);
        let style = if selected { review.theme.selection } else { Style::default() };
        drawn.rows.push(Line::from(spans).style(style));
    }
    remarks(review, line, &mut drawn.rows);
    field(review, line, &mut drawn);
    drawn
}

/// The line's own text, wrapped; kept until something changes.
fn content(review: &mut Review, line: usize) -> Vec<Line<'static>> {
    if let Some(rows) = review.view.drawn.get(&line) {
        return rows.clone();
    }
    let width = review.view.width.saturating_sub(gutter(review)).max(1);
    if let Some(rows) = table(review, line, width) {
        return rows;
    }
    let spans = match (review.show, review.changes.mark(line)) {
        (Show::Words, Mark::Changed { new, .. }) => diff::spans(new, Sign::Added, &review.theme),
        _ => review.source.spans(line, &review.theme),
    };
    let line_shown = Line::from(spans);
    let next = vec![Span::raw(" ".repeat(hanging(&text::plain(&line_shown)).min(width / 3)))];
    let rows = text::wrap(&line_shown, width, &Prefix { first: Vec::new(), next });
    review.view.drawn.insert(line, rows.clone());
    rows
}

/// The rows of a line of a table that is drawn as one; all lines of it are made at once. A line whose words are compared is
/// shown as it is written.
fn table(review: &mut Review, line: usize, width: usize) -> Option<Vec<Line<'static>>> {
    let compared = |review: &Review, at: usize| {
        review.show == Show::Words && matches!(review.changes.mark(at), Mark::Changed { .. })
    };
    if compared(review, line) {
        return None;
    }
    let (range, source) = review.source.table(line)?;
    let drawn = markdown::table_lines(&source, width, &review.theme)?;
    for (at, rows) in range.zip(drawn) {
        if !compared(review, at) {
            review.view.drawn.insert(at, rows);
        }
    }
    review.view.drawn.get(&line).cloned()
}

/// Where the words of a line begin, behind its indentation and the mark of a list.
fn hanging(line: &str) -> usize {
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

fn first_gutter(review: &Review, line: usize) -> Vec<Span<'static>> {
    let theme = &review.theme;
    let here = review.view.cursor == line;
    let (sign, style) = match (review.show, review.changes.mark(line)) {
        (Show::Off, _) | (_, Mark::Same) => (" ", theme.dim),
        (Show::Bars | Show::Words, Mark::Added) => ("+", theme.added),
        (Show::Bars | Show::Words, Mark::Changed { .. }) => ("~", theme.changed),
    };
    let said = review.remarks.iter().any(|remark| (remark.first..=remark.last).contains(&line))
        || review.earlier.iter().any(|earlier| earlier.line == line);
    let digits = digits(review);
    vec![
        Span::styled(if here { "›" } else { " " }, theme.accent),
        Span::styled(sign, style),
        Span::styled(format!(" {:>digits$}", line + 1), if here { theme.strong } else { theme.line_number }),
        Span::styled(if said { " ● " } else { "   " }, theme.comment),
    ]
}

fn old_line(review: &Review, number: usize, words: &[(bool, String)]) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let digits = digits(review);
    let first =
        vec![Span::styled(" - ", theme.removed), Span::styled(format!("{number:>digits$}   "), theme.line_number)];
    let next = vec![Span::raw(" ".repeat(digits + 6))];
    text::wrap(&Line::from(diff::spans(words, Sign::Removed, theme)), review.view.width, &Prefix { first, next })
}

fn removed(review: &Review, line: usize, rows: &mut Vec<Line<'static>>) {
    let Some(gone) = review.changes.removed.get(&line) else { return };
    match review.show {
        Show::Off => {}
        Show::Words => {
            for (number, words) in gone {
                rows.extend(old_line(review, *number, &[(false, words.clone())]));
            }
        }
        Show::Bars => {
            let told = format!(" -{}{} removed", " ".repeat(gutter(review) - 2), text::counted(gone.len(), "line"));
            let hint = "d shows them ";
            let free = review.view.width.saturating_sub(text::width(&told) + text::width(hint));
            let hint = if free > 1 { format!("{}{hint}", " ".repeat(free)) } else { String::new() };
            rows.push(Line::from(vec![Span::styled(told, review.theme.removed), Span::styled(hint, review.theme.dim)]));
        }
    }
}

fn remarks(review: &Review, line: usize, rows: &mut Vec<Line<'static>>) {
    let theme = &review.theme;
    let indent = gutter(review) - 2;
    let prefix = Prefix {
        first: vec![Span::raw(" ".repeat(indent)), Span::styled("┃ ", theme.comment)],
        next: vec![Span::raw(" ".repeat(indent)), Span::styled("┃ ", theme.comment)],
    };
    let mut say = |who: String, words: &str, hint: &str| {
        let shown = text::bounded(words, 4_000);
        for (number, words) in text::visible(&shown).lines().enumerate() {
            let who = if number == 0 { who.clone() } else { " ".repeat(text::width(&who)) };
            let mut spans = vec![
                Span::styled(who, theme.dim),
                Span::styled(text::expand_tabs(words, 0).into_owned(), theme.comment),
            ];
            if number == 0 && !hint.is_empty() {
                spans.push(Span::styled(format!("   {hint}"), theme.dim));
            }
            rows.extend(text::wrap(&Line::from(spans), review.view.width, &prefix));
        }
    };
    for earlier in review.earlier.iter().filter(|earlier| earlier.line == line) {
        let hint = if earlier.unchanged { "line unchanged since you asked" } else { "line changed since" };
        say(format!("you, rev {}: ", earlier.revision), &earlier.text, hint);
    }
    let open = match &review.focus {
        Focus::Field { what: What::Comment { first, last }, .. } => Some((*first, *last)),
        _ => None,
    };
    for remark in
        review.remarks.iter().filter(|remark| remark.last == line && open != Some((remark.first, remark.last)))
    {
        let lines = if remark.first == remark.last {
            String::new()
        } else {
            format!(" ({}–{})", remark.first + 1, remark.last + 1)
        };
        let who = if remark.draft { format!("draft{lines}: ") } else { format!("you{lines}: ") };
        let told = match (remark.draft, &remark.edit) {
            (true, _) => "not sent",
            (false, Some(_)) => "c: other words, not saved",
            (false, None) => "",
        };
        say(who, &remark.text, told);
    }
}

fn field(review: &Review, line: usize, drawn: &mut Drawn) {
    let Focus::Field { what: What::Comment { first, last }, field } = &review.focus else { return };
    if *last != line {
        return;
    }
    let theme = &review.theme;
    let indent = (gutter(review) - 2).min(review.view.width / 4);
    let width = review.view.width.saturating_sub(indent + 1).min(WIDEST_FIELD);
    let room = width.saturating_sub(4).max(1);
    let on = if first == last { format!("{}", first + 1) } else { format!("{} to {}", first + 1, last + 1) };
    let keys = "enter save · ctrl+j new line · ctrl+g editor · esc keep as draft";
    let (words, (row, column)) = field.rows(room, theme.text);
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

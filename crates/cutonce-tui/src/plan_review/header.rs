//! Header of the review: title, revision, changes, path, and files that changed since entry (PM-74, PM-87).

use super::layout::{COLUMNS_MIN_WIDTH, OUTLINE_MIN_WIDTH, ReviewLayout, draw_rule};
use super::{DiffDisplay, PlanReview, contract_line};
use crate::render::text;
use cutonce_core::plan::approval::{EXIT_QUESTION, EnforcementLevel};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::path::Path;

pub fn draw(review: &PlanReview, places: &ReviewLayout, buffer: &mut Buffer) {
    let wide = places.header.width >= OUTLINE_MIN_WIDTH;
    let (facts_area, contract_area) = contract_line::split(review, places.header);
    contract_line::draw(review, contract_area, buffer);
    let mut rows = facts_area.rows();
    if let Some(area) = rows.next() {
        draw_two_sided(
            area,
            buffer,
            title_spans(review),
            count_spans(review, wide, places.header.width < COLUMNS_MIN_WIDTH),
        );
    }
    if let Some(area) = rows.next() {
        let facts = fact_spans(review, wide);
        let taken: usize = facts.iter().map(|span| text::width(&span.content)).sum();
        let room = usize::from(area.width).saturating_sub(taken + 4);
        draw_two_sided(area, buffer, path_spans(review, room, wide), facts);
    }
    let all = review.source.len();
    let at = if all == 0 { 0 } else { review.viewport.cursor + 1 };
    let share = (at * 100).checked_div(all).unwrap_or_default();
    let path: Vec<String> =
        review.source.heading_path(review.viewport.cursor).iter().map(|heading| heading.text.clone()).collect();
    // The title is shown above, so the heading path starts below it.
    let from = usize::from(path.len() > 1 && review.source.headings().first().is_some_and(|first| first.level == 1));
    let path = path.get(from..).unwrap_or_default().join(" › ");
    let left = if path.is_empty() { Vec::new() } else { vec![Span::styled(path, review.theme.heading)] };
    let mut place = places.rule;
    if let Some(outline) = places.outline {
        let beside = Rect { width: outline.width + 1, ..place };
        Line::styled("─".repeat(usize::from(beside.width)), review.theme.border).render(beside, buffer);
        place = Rect { x: place.x + beside.width, width: place.width - beside.width, ..place };
    }
    draw_rule(place, buffer, left, &format!("{at}/{all} · {share}%"), review.theme.border);
}

/// Draws text on both sides of a row. The right side is kept whole if it leaves room for the left.
pub fn draw_two_sided(area: Rect, buffer: &mut Buffer, left: Vec<Span<'static>>, right: Vec<Span<'static>>) {
    let width = usize::from(area.width);
    let right = text::fit_line(Line::from(right), (width * 2 / 3).max(width.saturating_sub(18)));
    let room = width.saturating_sub(text::line_width(&right) + 4);
    let left = text::fit_line(Line::from(left), room);
    let gap = width.saturating_sub(text::line_width(&left) + text::line_width(&right) + 2);
    let mut spans = vec![Span::raw(" ")];
    spans.extend(left.spans);
    spans.push(Span::raw(" ".repeat(gap)));
    spans.extend(right.spans);
    Line::from(spans).render(area, buffer);
}

fn title_spans(review: &PlanReview) -> Vec<Span<'static>> {
    let theme = &review.theme;
    let request = &review.subject.request;
    if request.plan.is_none() {
        return vec![Span::styled(EXIT_QUESTION, theme.planning)];
    }
    let edited = if review.edited.is_some() { ", edited by you" } else { "" };
    let title = cutonce_core::plan::plan_title(review.plan_text()).unwrap_or_default();
    let what = match &request.from {
        Some(name) => format!("Plan of {}{edited}: ", text::one_line(name)),
        None => format!("Plan rev {}{edited}: ", request.revision),
    };
    vec![Span::styled(what, theme.planning), Span::styled(text::one_line(&title), theme.strong)]
}

fn count_spans(review: &PlanReview, wide: bool, narrow: bool) -> Vec<Span<'static>> {
    let theme = &review.theme;
    let mut spans = Vec::new();
    if let (Some((label, _)), true) = (review.current_base(), review.comparison.display != DiffDisplay::Off) {
        let changes = &review.comparison.changes;
        let parts = [
            (format!("+{}", changes.added_lines), theme.added),
            (format!(" -{}", changes.removed_lines), theme.removed),
            (format!(" ~{}", changes.changed_lines), theme.changed),
            (if narrow { "   ".to_string() } else { format!(" since {label}   ") }, theme.dim),
        ];
        spans.extend(parts.into_iter().map(|(words, style)| Span::styled(words, style)));
    }
    let sent = review.reply.comments.iter().filter(|remark| !remark.draft).count();
    let drafts = review.reply.comments.len() - sent;
    if sent > 0 {
        spans.push(Span::styled(format!("{} ", text::count_noun(sent, "comment")), theme.comment));
    }
    if drafts > 0 && (wide || sent == 0) {
        spans.push(Span::styled(format!("  {} ", text::count_noun(drafts, "draft")), theme.warning));
    }
    if !review.reply.note.trim().is_empty() && wide {
        spans.push(Span::styled("  1 note ", theme.comment));
    }
    spans
}

fn path_spans(review: &PlanReview, room: usize, wide: bool) -> Vec<Span<'static>> {
    let request = &review.subject.request;
    let path = text::one_line(&request.plan_file_path);
    // Shorten to `~` if the cutonce home is in its default place.
    let home = review.subject.home.as_deref().filter(|home| home.ends_with(".cutonce")).and_then(Path::parent);
    let short_path = home.and_then(|home| path.strip_prefix(&*home.to_string_lossy()).map(|rest| format!("~{rest}")));
    let path = short_path.unwrap_or(path);
    let room = if wide { room.saturating_sub(14) } else { room };
    let mut spans = vec![Span::styled(text::fit_end(&path, room).into_owned(), review.theme.dim)];
    if let (true, Some(sha)) = (wide, &request.sha256) {
        spans.push(Span::styled(format!("   sha {}", short_sha(sha)), review.theme.dim));
    }
    spans
}

/// Number of changed files, with a warning if shells run or there was no sandbox (PM-87).
fn fact_spans(review: &PlanReview, wide: bool) -> Vec<Span<'static>> {
    let request = &review.subject.request;
    let theme = &review.theme;
    if request.from.is_some() {
        // The lead does not know how a teammate was confined or which files changed in its folder.
        return vec![Span::styled("a teammate's plan ", theme.dim)];
    }
    let (changed, shells) = (request.changed_files.len(), request.shells.len());
    let since = if wide { "since plan mode was entered" } else { "since entry" };
    let also = [shells > 0, request.layer == EnforcementLevel::Readonly].into_iter().filter(|so| *so).count();
    let crowded = !wide && also + usize::from(changed > 0) > 1;
    let files = format!("{} changed {}", text::count_noun(changed, "file"), if crowded { "" } else { since });
    let mut spans = match changed {
        0 => vec![Span::styled(format!("{}, checked ", files.trim_end()), theme.dim)],
        _ => vec![Span::styled(format!("{}, i lists them ", files.trim_end()), theme.warning)],
    };
    if shells > 0 {
        let words = format!("{} running · ", text::count_noun(shells, "shell"));
        spans.insert(0, Span::styled(words, theme.warning));
    }
    if request.layer == EnforcementLevel::Readonly {
        spans.insert(0, Span::styled("no sandbox · ", theme.warning));
    }
    spans
}

pub fn short_sha(sha: &str) -> String {
    sha.chars().take(6).collect()
}

//! Screen layout of the review: header, outline, plan, choices. The choices get their rows before the plan does.

pub mod line_rows;

use super::{
    FieldPurpose, PlanReview, ReviewFocus, contract_line, footer, header, panels, rehearsals, steps_view, terms_menu,
};
use crate::overlays::pager;
use crate::render::text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Minimum width for showing the outline next to the plan.
pub const OUTLINE_MIN_WIDTH: u16 = 100;
/// Below this width each choice gets its own row.
pub const COLUMNS_MIN_WIDTH: u16 = 60;
const OUTLINE_WIDTH: u16 = 30;

/// Screen areas of the review.
#[derive(Debug, Clone, Copy)]
pub struct ReviewLayout {
    pub header: Rect,
    pub rule: Rect,
    pub outline: Option<Rect>,
    pub plan: Rect,
    pub footer_rule: Rect,
    pub footer: Rect,
}

impl ReviewLayout {
    pub fn compute(review: &PlanReview, area: Rect) -> ReviewLayout {
        let head_rows = if area.height < 18 { 1 } else { 2 } + contract_line::height(review);
        // Leave at least three rows for the plan if the screen is tall enough.
        let foot_rows = footer::height(review, area).min(area.height.saturating_sub(head_rows + 5));
        let (head, rest) = split_top(area, head_rows);
        let (rule, rest) = split_top(rest, 1);
        let (body, rest) = split_top(rest, rest.height.saturating_sub(foot_rows + 1));
        let (foot_rule, foot) = split_top(rest, 1);
        let wide = area.width >= OUTLINE_MIN_WIDTH;
        let outline = wide.then_some(Rect { width: OUTLINE_WIDTH, ..body });
        let beside = if wide { OUTLINE_WIDTH + 1 } else { 0 };
        let plan = Rect { x: body.x + beside, width: body.width - beside, ..body };
        ReviewLayout { header: head, rule, outline, plan, footer_rule: foot_rule, footer: foot }
    }
}

pub fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (Rect { height: rows, ..area }, below)
}

pub fn draw(review: &mut PlanReview, frame: &mut ratatui::Frame<'_>, area: Rect) {
    if area.width < 4 || area.height < 4 {
        return;
    }
    if let ReviewFocus::Rehearsal(page) = review.focus {
        rehearsals::draw(review, page, frame.buffer_mut(), area);
        if matches!(review.focus, ReviewFocus::Rehearsal(_)) {
            return;
        }
    }
    let places = ReviewLayout::compute(review, area);
    let coloured = review.source.highlighted_lines();
    if coloured != review.viewport.highlighted_lines {
        review.viewport.highlighted_lines = coloured;
        review.viewport.clear_cache();
    }
    if review.viewport.resize(usize::from(places.plan.height), usize::from(places.plan.width)) {
        review.fill_page();
    }
    review.follow_cursor();
    let buffer = frame.buffer_mut();
    header::draw(review, &places, buffer);
    let cursor = match &review.focus {
        ReviewFocus::Help { .. } | ReviewFocus::Details { .. } => {
            panels::draw_panel(review, body_area(&places), buffer);
            None
        }
        ReviewFocus::Steps { at, skip } => {
            steps_view::draw(review, (*at, *skip), body_area(&places), buffer);
            None
        }
        ReviewFocus::Terms(menu) => {
            terms_menu::draw(review, *menu, body_area(&places), buffer);
            None
        }
        ReviewFocus::Outline { .. } if places.outline.is_none() => {
            panels::draw_outline(review, places.plan, buffer);
            None
        }
        ReviewFocus::Plan | ReviewFocus::Field { .. } | ReviewFocus::Outline { .. } | ReviewFocus::Rehearsal(_) => {
            if let Some(area) = places.outline {
                panels::draw_outline(review, area, buffer);
                draw_divider(&places, buffer, review.theme.border);
            }
            draw_plan(review, places.plan, buffer)
        }
    };
    let in_foot = footer::draw(review, &places, buffer);
    if let Some(position) = cursor.or(in_foot) {
        frame.set_cursor_position(position);
    }
}

fn body_area(places: &ReviewLayout) -> Rect {
    match places.outline {
        Some(outline) => Rect { width: outline.width + 1 + places.plan.width, ..outline },
        None => places.plan,
    }
}

/// Draws the line between outline and plan.
fn draw_divider(places: &ReviewLayout, buffer: &mut Buffer, style: Style) {
    let x = places.plan.x - 1;
    for y in places.plan.top()..places.plan.bottom() {
        buffer[(x, y)].set_symbol("│").set_style(style);
    }
    for (rect, symbol) in [(places.rule, "┬"), (places.footer_rule, "┴")] {
        if rect.height > 0 && buffer[(x, rect.y)].symbol() == "─" {
            buffer[(x, rect.y)].set_symbol(symbol);
        }
    }
}

fn draw_plan(review: &mut PlanReview, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if review.source.len() == 0 {
        let words = format!("There is no plan in {}.", text::one_line(&review.subject.request.plan_file_path));
        let rows = text::wrap_plain(&words, usize::from(area.width.saturating_sub(2)), review.theme.text);
        let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        rows.into_iter().zip(inner.rows()).for_each(|(row, area)| row.render(area, buffer));
        return None;
    }
    let (mut line, mut skip) = review.viewport.top;
    let mut y = area.top();
    let mut cursor = None;
    while y < area.bottom() && line <= review.source.len() {
        let drawn = line_rows::line_rows(review, line);
        if let Some((row, column)) = drawn.cursor
            && row >= skip
            && y + ((row - skip) as u16) < area.bottom()
        {
            let x = (area.x + column as u16).min(area.right().saturating_sub(1));
            cursor = Some(Position::new(x, y + (row - skip) as u16));
        }
        for row in drawn.rows.into_iter().skip(skip) {
            if y >= area.bottom() {
                break;
            }
            let place = Rect { y, height: 1, ..area };
            row.render(place, buffer);
            highlight_matches(review, place, buffer);
            y += 1;
        }
        (line, skip) = (line + 1, 0);
    }
    cursor
}

/// Highlights search matches on this row.
fn highlight_matches(review: &PlanReview, area: Rect, buffer: &mut Buffer) {
    let gutter = (line_rows::gutter_width(review) as u16).min(area.width);
    let words = Rect { x: area.x + gutter, width: area.width - gutter, ..area };
    pager::highlight_matches(review.search.as_deref(), words, buffer, &review.theme);
}

/// Draws `── left ───────── right ──` over the whole width.
pub fn draw_rule(area: Rect, buffer: &mut Buffer, left: Vec<Span<'static>>, right: &str, style: Style) {
    if area.height == 0 {
        return;
    }
    let width = usize::from(area.width);
    let right = if right.is_empty() { String::new() } else { format!(" {} ", text::fit(right, width / 2)) };
    let room = width.saturating_sub(text::width(&right) + 7);
    let left = text::fit_line(Line::from(left), room);
    let mut spans = vec![Span::styled("──", style)];
    let mut used = 2 + text::width(&right) + 2;
    if text::line_width(&left) > 0 {
        used += text::line_width(&left) + 2;
        spans.push(Span::raw(" "));
        spans.extend(left.spans);
        spans.push(Span::raw(" "));
    }
    spans.push(Span::styled("─".repeat(width.saturating_sub(used)), style));
    spans.push(Span::styled(right, style));
    spans.push(Span::styled("──", style));
    Line::from(spans).render(area, buffer);
}

/// True if the focused field is drawn in the footer.
pub fn field_in_footer(review: &PlanReview) -> bool {
    matches!(
        review.focus,
        ReviewFocus::Field {
            what: FieldPurpose::Note | FieldPurpose::Feedback | FieldPurpose::Find | FieldPurpose::Budget,
            ..
        }
    )
}

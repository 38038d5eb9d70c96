//! The review on a screen: head, outline, plan, choices. The choices are taken off the height before the plan gets its rows.

pub mod rows;

use super::{Focus, Review, What, foot, head, panel};
use crate::overlay::pager;
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// From this width on the outline stands beside the plan.
pub const WIDE: u16 = 100;
/// Below this width each choice has a row.
pub const NARROW: u16 = 60;
const OUTLINE: u16 = 30;

/// Where everything goes.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    pub head: Rect,
    pub rule: Rect,
    pub outline: Option<Rect>,
    pub plan: Rect,
    pub foot_rule: Rect,
    pub foot: Rect,
}

impl Places {
    pub fn of(review: &Review, area: Rect) -> Places {
        let head_rows = if area.height < 18 { 1 } else { 2 };
        // At least three rows of the plan, as long as there are so many.
        let foot_rows = foot::height(review, area).min(area.height.saturating_sub(head_rows + 5));
        let (head, rest) = cut(area, head_rows);
        let (rule, rest) = cut(rest, 1);
        let (body, rest) = cut(rest, rest.height.saturating_sub(foot_rows + 1));
        let (foot_rule, foot) = cut(rest, 1);
        let wide = area.width >= WIDE;
        let outline = wide.then_some(Rect { width: OUTLINE, ..body });
        let beside = if wide { OUTLINE + 1 } else { 0 };
        let plan = Rect { x: body.x + beside, width: body.width - beside, ..body };
        Places { head, rule, outline, plan, foot_rule, foot }
    }
}

fn cut(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (Rect { height: rows, ..area }, below)
}

pub fn draw(review: &mut Review, frame: &mut ratatui::Frame<'_>) {
    let area = frame.area();
    if area.width < 4 || area.height < 4 {
        return;
    }
    let places = Places::of(review, area);
    let coloured = review.source.coloured();
    if coloured != review.view.coloured {
        review.view.coloured = coloured;
        review.view.forget();
    }
    if review.view.resize(usize::from(places.plan.height), usize::from(places.plan.width)) {
        review.refill();
    }
    review.settle();
    let buffer = frame.buffer_mut();
    head::draw(review, &places, buffer);
    let cursor = match &review.focus {
        Focus::Help { .. } | Focus::About { .. } => {
            panel::draw_text(review, body(&places), buffer);
            None
        }
        Focus::Outline { .. } if places.outline.is_none() => {
            panel::draw_outline(review, places.plan, buffer);
            None
        }
        Focus::Plan | Focus::Field { .. } | Focus::Outline { .. } => {
            if let Some(area) = places.outline {
                panel::draw_outline(review, area, buffer);
                edge(&places, buffer, review.theme.border);
            }
            draw_plan(review, places.plan, buffer)
        }
    };
    let in_foot = foot::draw(review, &places, buffer);
    if let Some(position) = cursor.or(in_foot) {
        frame.set_cursor_position(position);
    }
}

fn body(places: &Places) -> Rect {
    match places.outline {
        Some(outline) => Rect { width: outline.width + 1 + places.plan.width, ..outline },
        None => places.plan,
    }
}

/// The line between outline and plan.
fn edge(places: &Places, buffer: &mut Buffer, style: Style) {
    let x = places.plan.x - 1;
    for y in places.plan.top()..places.plan.bottom() {
        buffer[(x, y)].set_symbol("│").set_style(style);
    }
    for (rect, symbol) in [(places.rule, "┬"), (places.foot_rule, "┴")] {
        if rect.height > 0 && buffer[(x, rect.y)].symbol() == "─" {
            buffer[(x, rect.y)].set_symbol(symbol);
        }
    }
}

fn draw_plan(review: &mut Review, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if review.source.len() == 0 {
        let words = format!("There is no plan in {}.", text::one_line(&review.subject.request.plan_file_path));
        let rows = text::wrap_plain(&words, usize::from(area.width.saturating_sub(2)), review.theme.text);
        let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        rows.into_iter().zip(inner.rows()).for_each(|(row, area)| row.render(area, buffer));
        return None;
    }
    let (mut line, mut skip) = review.view.top;
    let mut y = area.top();
    let mut cursor = None;
    while y < area.bottom() && line <= review.source.len() {
        let drawn = rows::of(review, line);
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
            mark_found(review, place, buffer);
            y += 1;
        }
        (line, skip) = (line + 1, 0);
    }
    cursor
}

/// The words that are looked for, where they are on this row.
fn mark_found(review: &Review, area: Rect, buffer: &mut Buffer) {
    let gutter = (rows::gutter(review) as u16).min(area.width);
    let words = Rect { x: area.x + gutter, width: area.width - gutter, ..area };
    pager::mark(review.find.as_deref(), words, buffer, &review.theme);
}

/// `── left ───────── right ──` over the whole width.
pub fn rule(area: Rect, buffer: &mut Buffer, left: Vec<Span<'static>>, right: &str, style: Style) {
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

/// Is the field that has the focus drawn in the foot?
pub fn field_in_foot(review: &Review) -> bool {
    matches!(review.focus, Focus::Field { what: What::Note | What::Feedback | What::Find, .. })
}

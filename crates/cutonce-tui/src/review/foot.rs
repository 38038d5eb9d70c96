//! The choices, each with the mode it leads to (PM-74); the line that says what Enter would do; the fields for words.

use super::choices::{Pick, mode_words};
use super::draw::{NARROW, Places, WIDE, field_in_foot, rule};
use super::head::short;
use super::{Focus, Review, What, remarks};
use crate::text;
use cutonce_core::approval::ChoiceKey;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

pub fn height(review: &Review, area: Rect) -> u16 {
    let choices = review.slots.len() as u16;
    match area.width {
        ..NARROW => choices + 2,
        NARROW..WIDE => 4,
        WIDE.. => 5,
    }
}

pub fn draw(review: &Review, places: &Places, buffer: &mut Buffer) -> Option<Position> {
    let theme = &review.theme;
    if let (Focus::Field { what: What::Find, field }, area) = (&review.focus, places.foot_rule) {
        let (rows, (_, column)) = field.rows(usize::from(area.width).saturating_sub(30).max(4), theme.text);
        let shown = rows.last().map(text::plain).unwrap_or_default();
        let left = vec![Span::styled("find ", theme.plan), Span::styled(shown, theme.text)];
        rule(area, buffer, left, &hits(review), theme.border);
        draw_choices(review, places.foot, buffer);
        return Some(Position::new((area.x + 8 + column as u16).min(area.right().saturating_sub(1)), area.y));
    }
    match review.armed {
        Some(key) => draw_confirm(review, key, places, buffer),
        None if field_in_foot(review) => {
            let told = vec![Span::styled("note to the agent", theme.plan)];
            rule(places.foot_rule, buffer, told, "enter save · ctrl+j new line · esc back", theme.border);
            draw_field(review, places.foot, buffer)
        }
        None => {
            let low = places.head.height < 2;
            let told = said(review, low);
            rule(places.foot_rule, buffer, told, &meters(review, low), theme.border);
            draw_choices(review, places.foot, buffer);
            None
        }
    }
}

/// What the rule above the choices says.
fn said(review: &Review, low: bool) -> Vec<Span<'static>> {
    let theme = &review.theme;
    if let Some(notice) = &review.notice {
        return vec![Span::styled(text::one_line(notice), theme.warning)];
    }
    if let Some(words) = &review.find {
        let told = format!("“{}” {} · n N, esc ends", text::fit(&text::one_line(words), 20), hits(review));
        return vec![Span::styled(told, theme.plan)];
    }
    if let Some(notice) = &review.subject.request.notice {
        return vec![Span::styled(text::one_line(notice), theme.warning)];
    }
    let comments = review.remarks.iter().filter(|remark| !remark.draft).count();
    // Where the head has no row for it (PM-87).
    let changed = review.subject.request.changed_files.len();
    if low && review.subject.request.from.is_none() && (changed > 0 || (comments == 0 && review.edited.is_none())) {
        let (told, style) = match changed {
            0 => ("0 files changed".to_string(), theme.dim),
            _ => (format!("{} changed · i", text::counted(changed, "file")), theme.warning),
        };
        return vec![Span::styled(told, style)];
    }
    let told = match comments {
        0 if review.edited.is_some() => "your edit goes with whatever you choose".to_string(),
        0 => return Vec::new(),
        1 => "your comment goes with whatever you choose".to_string(),
        many => format!("your {many} comments go with whatever you choose"),
    };
    vec![Span::styled(told, theme.comment)]
}

fn hits(review: &Review) -> String {
    review.found().map(|(at, all)| format!("{at} of {all}")).unwrap_or_default()
}

/// `low`: there is room for the context only.
fn meters(review: &Review, low: bool) -> String {
    if !review.shown.chooses {
        return "keys choose in a moment".into();
    }
    let context = review.subject.context.map(|share| format!("context {share}%"));
    let parts: Vec<String> = [context, review.subject.cost.clone().filter(|_| !low)].into_iter().flatten().collect();
    parts.join(" · ")
}

/// The words of a choice, for the width there is.
fn label(review: &Review, digit: char, long: bool) -> Option<String> {
    let slot = review.slots.iter().find(|slot| slot.digit == digit)?;
    let mode = mode_words(slot.mode);
    let share = review.subject.context;
    let plan = review.subject.request.plan.is_some();
    let words = match (slot.pick, long) {
        (Pick::Switch, _) => {
            let mark = if review.clear { "[x]" } else { "[ ]" };
            match (long, share) {
                (true, Some(share)) => format!("{mark} clear context first, {share}% is in use"),
                (false, _) | (true, None) => format!("{mark} clear context first"),
            }
        }
        (Pick::Choice(ChoiceKey::AcceptEdits), true) => "approve → accept edits (files change without asking)".into(),
        (Pick::Choice(ChoiceKey::AcceptEdits), false) => "approve → accept edits".into(),
        (Pick::Choice(ChoiceKey::Default), _) => "approve → ask at each edit".into(),
        (Pick::Choice(ChoiceKey::Restore), true) if plan => format!("approve → back to {mode}, as before plan mode"),
        (Pick::Choice(ChoiceKey::Restore), false) if plan => format!("approve → back to {mode}"),
        (Pick::Choice(ChoiceKey::Restore), _) => format!("leave plan mode → {mode}"),
        (Pick::Choice(ChoiceKey::KeepPlanning), true) => {
            "keep planning → plan, with your comments and your words".into()
        }
        (Pick::Choice(ChoiceKey::KeepPlanning), false) => "keep planning → plan".into(),
        (Pick::Choice(ChoiceKey::Leave), true) => format!("leave plan mode → {mode}, keep the plan, start nothing"),
        (Pick::Choice(ChoiceKey::Leave), false) => format!("leave → {mode}"),
        (Pick::Choice(ChoiceKey::Clear), _) => "clear".into(),
    };
    Some(format!("{digit} {words}"))
}

fn draw_choices(review: &Review, area: Rect, buffer: &mut Buffer) {
    match area.width {
        ..NARROW => draw_stacked(review, area, buffer),
        NARROW..WIDE => draw_three(review, area, buffer),
        WIDE.. => draw_two(review, area, buffer),
    }
}

fn draw_stacked(review: &Review, area: Rect, buffer: &mut Buffer) {
    let labels = review.slots.iter().filter_map(|slot| label(review, slot.digit, false));
    let keys = [format!("{} · ? all keys", esc(review)), "c comment  e edit  d diff  n note".to_string()];
    // Where not all fit, the keys go before a choice does.
    let rows: Vec<String> = labels.chain(keys).collect();
    for (row, place) in rows.iter().zip(area.rows()) {
        put(place, buffer, 1, row, review.theme.text);
    }
}

/// The first of these that fits, or the last: the shortest.
fn fitting(wordings: Vec<String>, room: u16) -> String {
    let fits = |words: &&String| text::width(words) <= usize::from(room);
    wordings.iter().find(fits).or(wordings.last()).cloned().unwrap_or_default()
}

/// A choice in fewer and fewer words; that it approves, and the mode that follows, stay (PM-74).
fn wordings(review: &Review, digit: char) -> Vec<String> {
    let short = label(review, digit, false).unwrap_or_default();
    let shorter = short
        .replace("approve → ask at each", "yes → ask each")
        .replace("approve →", "yes →")
        .replace(" context first", " first")
        .replace("keep planning → plan", "keep planning");
    let shortest = shorter.replace("accept edits", "edits").replace(" back to ", " ");
    [label(review, digit, true).unwrap_or_default(), short, shorter, shortest].into()
}

fn draw_three(review: &Review, area: Rect, buffer: &mut Buffer) {
    let wide = area.width >= 80;
    let (second, third) = if wide { (31, 58) } else { (area.width * 2 / 5, area.width * 7 / 10) };
    let words = |choices: &[&str]| choices.iter().map(|words| words.to_string()).collect::<Vec<_>>();
    // The long forms are for a screen with two columns.
    let choice = |digit: char| wordings(review, digit).split_off(1);
    let escape = words(&[esc(review), "esc back to plan", "esc back"]);
    let rows: [[Vec<String>; 3]; 3] = match review.subject.request.plan {
        Some(_) if wide => [
            [choice('1'), choice('4'), choice('5')],
            [choice('2'), words(&["n note to the agent"]), choice('6')],
            [choice('3'), words(&["c comment  e edit  d diff"]), escape],
        ],
        Some(_) => [
            [choice('1'), choice('4'), choice('5')],
            [choice('2'), words(&["n note  e edit"]), choice('6')],
            [choice('3'), words(&["c comment  d diff"]), escape],
        ],
        None => [[choice('1'), vec![], escape], [choice('2'), vec![], vec![]], [vec![], vec![], vec![]]],
    };
    for (row, place) in rows.into_iter().zip(area.rows()) {
        let ends = [second - 1, third - 1, area.width];
        for ((words, start), end) in row.into_iter().zip([1, second, third]).zip(ends) {
            let cell = Rect { width: end.min(place.width), ..place };
            put(cell, buffer, start, &fitting(words, cell.width.saturating_sub(start)), review.theme.text);
        }
    }
    if let Some(place) = area.rows().nth(3).filter(|_| review.subject.request.plan.is_some()) {
        let keys = words(&[
            "↑↓ PgUp PgDn  { } heading  [ ] change or comment  o outline  / find  y copy  ?",
            "↑↓ PgUp PgDn  { }  [ ]  o outline  / find  y copy  ? keys",
        ]);
        put(place, buffer, 1, &fitting(keys, place.width - 1), review.theme.dim);
    }
}

fn draw_two(review: &Review, area: Rect, buffer: &mut Buffer) {
    let half = area.width / 2;
    let pairs = match review.subject.request.plan {
        Some(_) => [("1", "4"), ("2", "5"), ("3", "6")],
        None => [("1", ""), ("2", ""), ("", "")],
    };
    let find = |digit: &str, room: u16| {
        fitting(digit.chars().next().map(|digit| wordings(review, digit)).unwrap_or_default(), room)
    };
    for ((left, right), place) in pairs.into_iter().zip(area.rows()) {
        put(Rect { width: half, ..place }, buffer, 1, &find(left, half.saturating_sub(2)), review.theme.text);
        put(place, buffer, half, &find(right, area.width - half), review.theme.text);
    }
    let first = |words: &str| format!("{words}   {}", esc(review));
    let keys = [
        vec![
            first("n note to the agent   c comment   x drop this line   e edit in $EDITOR   d diff   u undo"),
            first("n note   c comment   x drop line   e edit   d diff   u undo"),
        ],
        vec![
            "↑↓ PgUp PgDn g G   { } heading   [ ] change or comment   o outline   / find n N   v select   y copy   ? all keys".into(),
            "↑↓ PgUp PgDn g G  { } heading  [ ] change  o outline  / find n N  v select  y copy  ? all keys".into(),
        ],
    ];
    for (keys, place) in keys.into_iter().zip(area.rows().skip(3)) {
        put(place, buffer, 1, &fitting(keys, place.width - 1), review.theme.dim);
    }
}

/// What Esc does: a teammate's request waits on, the own turn ends (PM-80, PM-134).
fn esc(review: &Review) -> &'static str {
    match review.subject.request.from {
        Some(_) => "esc answer later",
        None => "esc back to planning",
    }
}

fn put(area: Rect, buffer: &mut Buffer, start: u16, words: &str, style: Style) {
    let Some(room) = area.width.checked_sub(start) else { return };
    let words = text::fit(words, usize::from(room));
    buffer.set_stringn(area.x + start, area.y, &words, usize::from(room), style);
}

/// Exactly what Enter will do.
fn draw_confirm(review: &Review, key: ChoiceKey, places: &Places, buffer: &mut Buffer) -> Option<Position> {
    let theme = &review.theme;
    let room = usize::from(places.foot_rule.width).saturating_sub(7);
    rule(places.foot_rule, buffer, vec![Span::styled(title(review, key, room), theme.armed)], "", theme.border);
    let along = along(review);
    let words = match key {
        ChoiceKey::KeepPlanning if field_in_foot(review) => {
            let (short, whole) =
                (" Say what is to change (or nothing).", format!(" Say what is to change (or nothing). {along}"));
            let fits = text::width(&whole) <= usize::from(places.foot.width);
            Line::styled(if fits { whole } else { short.into() }, theme.text).render(first(places.foot), buffer);
            let below = Rect { y: places.foot.y + 1, height: places.foot.height.saturating_sub(2), ..places.foot };
            let cursor = draw_field(review, below, buffer);
            last_row(review, places.foot, buffer, "enter send and keep planning · ctrl+j new line");
            return cursor;
        }
        ChoiceKey::KeepPlanning => format!("The agent goes on planning. {along}"),
        ChoiceKey::Leave => format!("Nothing runs, the turn ends, the plan stays in its file. {along}"),
        ChoiceKey::Restore if review.subject.request.plan.is_none() => "Plan mode ends; there is no plan.".to_string(),
        ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear => {
            let context = match (review.clear, review.subject.context) {
                (false, _) => "Context is kept.".to_string(),
                (true, Some(share)) => format!("The context ({share}% in use) is cleared, only the plan stays."),
                (true, None) => "The context is cleared, only the plan stays.".to_string(),
            };
            match &review.subject.request.from {
                Some(name) => format!("{along} {} starts at once.", text::one_line(name)),
                None => format!("{along} {context} The agent starts at once."),
            }
        }
    };
    let width = usize::from(places.foot.width).saturating_sub(2);
    let rows = text::wrap_plain(words.trim(), width, theme.text);
    let inner = Rect { x: places.foot.x + 1, width: places.foot.width.saturating_sub(2), ..places.foot };
    let room = usize::from(inner.height.saturating_sub(1));
    rows.into_iter().take(room).zip(inner.rows()).for_each(|(row, place)| row.render(place, buffer));
    last_row(review, places.foot, buffer, "enter confirm");
    None
}

/// Which plan and which mode; the hash goes where there is no room, the mode never does.
fn title(review: &Review, key: ChoiceKey, room: usize) -> String {
    let whole = title_with(review, key, true);
    if text::width(&whole) <= room { whole } else { title_with(review, key, false) }
}

fn title_with(review: &Review, key: ChoiceKey, hash: bool) -> String {
    let request = &review.subject.request;
    let slot = review.slots.iter().find(|slot| slot.pick == Pick::Choice(key));
    let mode = slot.map_or("default", |slot| mode_words(slot.mode));
    let what = match &request.from {
        Some(name) => format!("the plan of {}", text::one_line(name)),
        None => format!("rev {}", request.revision),
    };
    let sha = match &review.edited {
        _ if !hash => what,
        Some(text) => format!("{what} with your edit (sha {})", short(&cutonce_core::plan::sha256(text))),
        None => format!("{what} (sha {})", short(request.sha256.as_deref().unwrap_or("none"))),
    };
    match key {
        ChoiceKey::AcceptEdits => format!(" Approve {sha} → accept edits "),
        ChoiceKey::Default => format!(" Approve {sha} → ask at each edit "),
        ChoiceKey::Restore if request.plan.is_none() => format!(" Leave plan mode → {mode} "),
        ChoiceKey::Restore | ChoiceKey::Clear => format!(" Approve {sha} → back to {mode} "),
        ChoiceKey::KeepPlanning => " Keep planning → plan ".to_string(),
        ChoiceKey::Leave => format!(" Leave plan mode → {mode}, keep rev {} ", request.revision),
    }
}

fn along(review: &Review) -> String {
    let comments = remarks::comments(&review.remarks).len();
    let drafts = review.remarks.iter().filter(|remark| remark.draft).count();
    let mut parts = Vec::new();
    if comments > 0 {
        parts.push(text::counted(comments, "comment"));
    }
    if !review.note.trim().is_empty() {
        parts.push("1 note".to_string());
    }
    if review.edited.is_some() {
        parts.push("your edit".to_string());
    }
    let stays = if drafts > 0 { format!(" {} not sent.", text::counted(drafts, "draft")) } else { String::new() };
    match parts.is_empty() {
        true => format!("Nothing is sent along.{stays}"),
        false => format!("Sent along: {}.{stays}", parts.join(", ")),
    }
}

/// What Enter does stands there once it does it.
fn last_row(review: &Review, area: Rect, buffer: &mut Buffer, left: &str) {
    let Some(place) = area.rows().next_back() else { return };
    let left = if review.shown.confirms { left } else { "" };
    put(place, buffer, 1, left, review.theme.plan);
    let right = "esc back";
    if usize::from(place.width) > text::width(left) + text::width(right) + 4 {
        put(place, buffer, place.width - 1 - right.len() as u16, right, review.theme.dim);
    }
}

fn first(area: Rect) -> Rect {
    Rect { height: area.height.min(1), ..area }
}

fn draw_field(review: &Review, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let Focus::Field { field, .. } = &review.focus else { return None };
    if area.height == 0 {
        return None;
    }
    let room = usize::from(area.width.saturating_sub(4)).max(1);
    let (rows, (row, column)) = field.rows(room, review.theme.text);
    let height = usize::from(area.height);
    let from = (row + 1).saturating_sub(height);
    for (line, place) in rows.into_iter().skip(from).zip(area.rows()) {
        let mut spans = vec![Span::styled(" › ", review.theme.plan)];
        spans.extend(line.spans);
        Line::from(spans).render(place, buffer);
    }
    let (x, y) = (area.x + 3 + column as u16, area.y + (row - from) as u16);
    Some(Position::new(x.min(area.right().saturating_sub(1)), y.min(area.bottom().saturating_sub(1))))
}

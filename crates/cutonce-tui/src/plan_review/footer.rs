//! Footer of the review: the choices with the mode each leads to (PM-74), the confirmation text, and the text fields.

use super::choices::{SlotAction, mode_label};
use super::header::short_sha;
use super::layout::{COLUMNS_MIN_WIDTH, OUTLINE_MIN_WIDTH, ReviewLayout, draw_rule, field_in_footer};
use super::steps_view::STEPS_KEYS;
use super::{FieldPurpose, PlanReview, ReviewFocus, comments, contract_line, rehearsals};
use crate::render::text;
use cutonce_core::plan::approval::ChoiceKey;
use cutonce_core::plan::progress::StepAnswer;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Most steps that a confirmation names one by one; it must fit on a low screen.
const MAX_NAMED_STEPS: usize = 6;

pub fn height(review: &PlanReview, area: Rect) -> u16 {
    // A list needs the rows, and its own keys replace the choices.
    if list_keys(review).is_some() {
        return 1;
    }
    let choices = review.slots.len() as u16;
    match area.width {
        ..COLUMNS_MIN_WIDTH => choices + 2,
        COLUMNS_MIN_WIDTH..OUTLINE_MIN_WIDTH => 4,
        OUTLINE_MIN_WIDTH.. => 5,
    }
}

pub fn draw(review: &PlanReview, places: &ReviewLayout, buffer: &mut Buffer) -> Option<Position> {
    let theme = &review.theme;
    if let (ReviewFocus::Field { what: FieldPurpose::Find, field }, area) = (&review.focus, places.footer_rule) {
        let (rows, (_, column)) = field.wrapped_rows(usize::from(area.width).saturating_sub(30).max(4), theme.text);
        let shown = rows.last().map(text::plain_text).unwrap_or_default();
        let left = vec![Span::styled("find ", theme.planning), Span::styled(shown, theme.text)];
        draw_rule(area, buffer, left, &match_count_text(review), theme.border);
        draw_choices(review, places.footer, buffer);
        return Some(Position::new((area.x + 8 + column as u16).min(area.right().saturating_sub(1)), area.y));
    }
    if let Some(keys) = list_keys(review) {
        let told = rule_text(review, false);
        let below = matches!(review.focus, ReviewFocus::Steps { at, skip } if skip < review.hidden_rows(at));
        draw_rule(places.footer_rule, buffer, told, if below { "PgDn more" } else { "" }, theme.border);
        put_text(places.footer, buffer, 1, &first_fitting(keys, places.footer.width.saturating_sub(2)), theme.dim);
        return None;
    }
    match review.arming.choice {
        Some(key) => draw_confirm(review, key, places, buffer),
        None if field_in_footer(review) => {
            let budget = matches!(review.focus, ReviewFocus::Field { what: FieldPurpose::Budget, .. });
            let title = if budget { "budget in US dollars" } else { "note to the agent" };
            let told = vec![Span::styled(title, theme.planning)];
            draw_rule(places.footer_rule, buffer, told, "enter save · ctrl+j new line · esc back", theme.border);
            draw_field(review, places.footer, buffer)
        }
        None => {
            let low = places.header.height < 2 + contract_line::height(review);
            let told = rule_text(review, low);
            draw_rule(places.footer_rule, buffer, told, &status_text(review, low), theme.border);
            draw_choices(review, places.footer, buffer);
            None
        }
    }
}

/// Keys of an open list, long and short.
fn list_keys(review: &PlanReview) -> Option<Vec<String>> {
    let keys: &[&str] = match review.focus {
        ReviewFocus::Steps { .. } => &STEPS_KEYS,
        ReviewFocus::Terms(_) => &["a digit chooses · esc back"],
        ReviewFocus::Help { .. } | ReviewFocus::Details { .. } => &["↑↓ PgUp PgDn scroll · esc back"],
        _ => return None,
    };
    Some(keys.iter().map(|keys| keys.to_string()).collect())
}

/// Text in the rule above the choices.
fn rule_text(review: &PlanReview, low: bool) -> Vec<Span<'static>> {
    let theme = &review.theme;
    if let Some(notice) = &review.notice {
        return vec![Span::styled(text::one_line(notice), theme.warning)];
    }
    if let Some(words) = &review.search {
        let told = format!("“{}” {} · n N, esc ends", text::fit(&text::one_line(words), 20), match_count_text(review));
        return vec![Span::styled(told, theme.planning)];
    }
    if let Some(told) = rehearsals::status_text(review) {
        return told;
    }
    if let Some(stale) = review.stale() {
        return vec![Span::styled(format!("{} · i diff", stale.text()), theme.warning)];
    }
    if let Some(notice) = &review.subject.request.notice {
        return vec![Span::styled(text::one_line(notice), theme.warning)];
    }
    let comments = review.reply.comments.iter().filter(|remark| !remark.draft).count();
    // A low screen has no header row for the changed files, so they are named here (PM-87).
    let changed = review.subject.request.changed_files.len();
    if low && review.subject.request.from.is_none() && (changed > 0 || (comments == 0 && review.edited.is_none())) {
        let (told, style) = match changed {
            0 => ("0 files changed".to_string(), theme.dim),
            _ => (format!("{} changed · i", text::count_noun(changed, "file")), theme.warning),
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

fn match_count_text(review: &PlanReview) -> String {
    review.match_position().map(|(at, all)| format!("{at} of {all}")).unwrap_or_default()
}

/// Context share and session cost. With `low` there is only room for the context.
fn status_text(review: &PlanReview, low: bool) -> String {
    if !review.arming.active_keys.digits_arm {
        return "keys choose in a moment".into();
    }
    let context = review.subject.context.map(|share| format!("context {share}%"));
    let parts: Vec<String> = [context, review.subject.cost.clone().filter(|_| !low)].into_iter().flatten().collect();
    parts.join(" · ")
}

/// Label of a choice, in a long or a short form.
fn choice_label(review: &PlanReview, digit: char, long: bool) -> Option<String> {
    let slot = review.slots.iter().find(|slot| slot.digit == digit)?;
    let mode = mode_label(slot.mode);
    let share = review.subject.context;
    let plan = review.subject.request.plan.is_some();
    let words = match (slot.action, long) {
        (SlotAction::ClearContext, _) => {
            let mark = if review.reply.clear_context { "[x]" } else { "[ ]" };
            match (long, share) {
                (true, Some(share)) => format!("{mark} clear context first, {share}% in use"),
                (false, _) | (true, None) => format!("{mark} clear context first"),
            }
        }
        (SlotAction::Choice(ChoiceKey::AcceptEdits), true) => {
            "approve → accept edits (files change without asking)".into()
        }
        (SlotAction::Choice(ChoiceKey::AcceptEdits), false) => "approve → accept edits".into(),
        (SlotAction::Choice(ChoiceKey::Default), true) => "approve → ask at each edit".into(),
        (SlotAction::Choice(ChoiceKey::Default), false) => "approve → ask each edit".into(),
        (SlotAction::Choice(ChoiceKey::Restore), true) if plan => {
            format!("approve → back to {mode}, as before plan mode")
        }
        (SlotAction::Choice(ChoiceKey::Restore), false) if plan => format!("approve → back to {mode}"),
        (SlotAction::Choice(ChoiceKey::Restore), _) => format!("exit plan mode → {mode}"),
        (SlotAction::Choice(ChoiceKey::KeepPlanning), true) => "request changes → plan, with your comments".into(),
        (SlotAction::Choice(ChoiceKey::KeepPlanning), false) => "request changes → plan".into(),
        (SlotAction::Choice(ChoiceKey::Leave), true) => format!("exit plan mode → {mode}, start nothing"),
        (SlotAction::Choice(ChoiceKey::Leave), false) => format!("exit plan mode → {mode}"),
        (SlotAction::Choice(ChoiceKey::Clear), _) => "clear".into(),
    };
    Some(format!("{digit} {words}"))
}

fn draw_choices(review: &PlanReview, area: Rect, buffer: &mut Buffer) {
    match area.width {
        ..COLUMNS_MIN_WIDTH => draw_stacked(review, area, buffer),
        COLUMNS_MIN_WIDTH..OUTLINE_MIN_WIDTH => draw_three_columns(review, area, buffer),
        OUTLINE_MIN_WIDTH.. => draw_two_columns(review, area, buffer),
    }
}

fn draw_stacked(review: &PlanReview, area: Rect, buffer: &mut Buffer) {
    let labels = review.slots.iter().filter_map(|slot| choice_label(review, slot.digit, false));
    let more = match review.contract {
        Some(_) => "r rehearse  s steps  m model  b budget",
        None => "c comment  e edit  d diff  r rehearse",
    };
    let keys = [format!("{} · ? all keys", escape_label(review)), offered(review, more)];
    // If not all rows fit, the key hints are left out first.
    let rows: Vec<String> = labels.chain(keys).collect();
    for (row, place) in rows.iter().zip(area.rows()) {
        put_text(place, buffer, 1, row, review.theme.text);
    }
}

/// The keys, without the one for a rehearsal if the plan can't be rehearsed here.
fn offered(review: &PlanReview, keys: &str) -> String {
    match review.subject.request.from {
        Some(_) => keys.replace("r rehearse", "").trim().to_string(),
        None => keys.to_string(),
    }
}

/// First wording that fits, or else the last, which is the shortest.
pub fn first_fitting(wordings: Vec<String>, room: u16) -> String {
    let fits = |words: &&String| text::width(words) <= usize::from(room);
    wordings.iter().find(fits).or(wordings.last()).cloned().unwrap_or_default()
}

/// Labels of a choice, each shorter than the one before. All name the approval and the mode that follows (PM-74).
fn label_variants(review: &PlanReview, digit: char) -> Vec<String> {
    let short = choice_label(review, digit, false).unwrap_or_default();
    let shorter = short
        .replace("approve →", "yes →")
        .replace(" context first", " first")
        .replace("request changes →", "revise →")
        .replace("exit plan mode →", "exit →");
    let shortest = shorter.replace("accept edits", "edits").replace(" back to ", " ");
    [choice_label(review, digit, true).unwrap_or_default(), short, shorter, shortest].into()
}

fn draw_three_columns(review: &PlanReview, area: Rect, buffer: &mut Buffer) {
    let wide = area.width >= 80;
    let (second, third) = if wide { (29, 56) } else { (area.width * 2 / 5, area.width * 7 / 10) };
    let words = |choices: &[&str]| choices.iter().map(|words| words.to_string()).collect::<Vec<_>>();
    // The long labels are only for the layout with two columns.
    let choice = |digit: char| label_variants(review, digit).split_off(1);
    let escape = words(&[escape_label(review), "esc later"]);
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
            put_text(cell, buffer, start, &first_fitting(words, cell.width.saturating_sub(start)), review.theme.text);
        }
    }
    if let Some(place) = area.rows().nth(3).filter(|_| review.subject.request.plan.is_some()) {
        let of_contract = words(&[
            "r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?",
            "r rehearse  s steps  m model  b budget  o outline  / find  ?",
        ]);
        let keys = words(&[
            "r rehearse  { } heading  [ ] change or comment  o outline  / find  y copy  ?",
            "r rehearse  { }  [ ]  o outline  / find  y copy  ? keys",
        ]);
        let keys = if review.contract.is_some() { of_contract } else { keys };
        let keys = keys.iter().map(|keys| offered(review, keys)).collect();
        put_text(place, buffer, 1, &first_fitting(keys, place.width - 1), review.theme.dim);
    }
}

fn draw_two_columns(review: &PlanReview, area: Rect, buffer: &mut Buffer) {
    let half = area.width / 2;
    let pairs = match review.subject.request.plan {
        Some(_) => [("1", "4"), ("2", "5"), ("3", "6")],
        None => [("1", ""), ("2", ""), ("", "")],
    };
    let find = |digit: &str, room: u16| {
        first_fitting(digit.chars().next().map(|digit| label_variants(review, digit)).unwrap_or_default(), room)
    };
    for ((left, right), place) in pairs.into_iter().zip(area.rows()) {
        put_text(Rect { width: half, ..place }, buffer, 1, &find(left, half.saturating_sub(2)), review.theme.text);
        put_text(place, buffer, half, &find(right, area.width - half), review.theme.text);
    }
    let first = |words: &str| format!("{words}   {}", escape_label(review));
    let reading = match review.contract {
        Some(_) => vec![
            "r rehearse   s steps   m model   f effort   b budget   { } heading   [ ] change   o outline   / find   y copy   ?".into(),
            "r rehearse  s steps  m model  f effort  b budget  { } heading  o outline  / find  ? all keys".into(),
        ],
        None => vec![
            "r rehearse   { } heading   [ ] change or comment   o outline   / find n N   v select   y copy   ? all keys".into(),
            "r rehearse  { } heading  [ ] change  o outline  / find n N  v select  y copy  ? all keys".into(),
        ],
    };
    let keys = [
        vec![
            first("n note to the agent   c comment   x drop this line   e edit in $EDITOR   d diff   u undo"),
            first("n note   c comment   x drop line   e edit   d diff   u undo"),
        ],
        reading,
    ];
    for (keys, place) in keys.into_iter().zip(area.rows().skip(3)) {
        let keys = keys.iter().map(|keys: &String| offered(review, keys)).collect();
        put_text(place, buffer, 1, &first_fitting(keys, place.width - 1), review.theme.dim);
    }
}

/// Label of Esc, for the session's own plan and for a teammate's plan (PM-80, PM-134).
fn escape_label(review: &PlanReview) -> &'static str {
    match review.subject.request.from {
        Some(_) => "esc answer later",
        None => "esc decide later",
    }
}

pub fn put_text(area: Rect, buffer: &mut Buffer, start: u16, words: &str, style: Style) {
    let Some(room) = area.width.checked_sub(start).filter(|_| area.height > 0) else { return };
    let words = text::fit(words, usize::from(room));
    buffer.set_stringn(area.x + start, area.y, &words, usize::from(room), style);
}

/// Draws a text that says exactly what Enter will do.
fn draw_confirm(review: &PlanReview, key: ChoiceKey, places: &ReviewLayout, buffer: &mut Buffer) -> Option<Position> {
    let theme = &review.theme;
    let room = usize::from(places.footer_rule.width).saturating_sub(7);
    draw_rule(
        places.footer_rule,
        buffer,
        vec![Span::styled(confirm_title(review, key, room), theme.armed)],
        "",
        theme.border,
    );
    let along = attachments_text(review);
    let words = match key {
        ChoiceKey::KeepPlanning if field_in_footer(review) => {
            let (short, whole) =
                (" What should change? (optional)", format!(" What should change? (optional) {along}"));
            let fits = text::width(&whole) <= usize::from(places.footer.width);
            Line::styled(if fits { whole } else { short.into() }, theme.text).render(first_row(places.footer), buffer);
            let below =
                Rect { y: places.footer.y + 1, height: places.footer.height.saturating_sub(2), ..places.footer };
            let cursor = draw_field(review, below, buffer);
            draw_bottom_row(review, places.footer, buffer, "enter send and keep planning · ctrl+j new line");
            return cursor;
        }
        ChoiceKey::KeepPlanning => format!("The agent keeps planning. {along}"),
        ChoiceKey::Leave => format!("Nothing runs, the turn ends, the plan stays in its file. {along}"),
        ChoiceKey::Restore if review.subject.request.plan.is_none() => "Plan mode ends; there is no plan.".to_string(),
        ChoiceKey::AcceptEdits | ChoiceKey::Default | ChoiceKey::Restore | ChoiceKey::Clear => {
            let context = match (review.reply.clear_context, review.subject.context) {
                (false, _) => "Context is kept.".to_string(),
                (true, Some(share)) => format!("The context ({share}% in use) is cleared, only the plan stays."),
                (true, None) => "The context is cleared, only the plan stays.".to_string(),
            };
            match &review.subject.request.from {
                Some(name) => format!("{along} {} starts at once.", text::one_line(name)),
                None => format!("{along} {}{context} The agent starts at once.", terms_text(review)),
            }
        }
    };
    let width = usize::from(places.footer.width).saturating_sub(2);
    let rows = text::wrap_plain(words.trim(), width, theme.text);
    let inner = Rect { x: places.footer.x + 1, width: places.footer.width.saturating_sub(2), ..places.footer };
    let room = usize::from(inner.height.saturating_sub(1));
    rows.into_iter().take(room).zip(inner.rows()).for_each(|(row, place)| row.render(place, buffer));
    draw_bottom_row(review, places.footer, buffer, "enter confirm");
    None
}

/// Steps that are left out, and model, effort and budget (PC-11, PC-12); empty if all is as usual.
fn terms_text(review: &PlanReview) -> String {
    let terms = &review.reply.terms;
    let mut words = String::new();
    for (answer, name) in [(StepAnswer::Park, "parked"), (StepAnswer::Drop, "dropped")] {
        let steps: Vec<&str> =
            terms.steps.iter().filter(|(_, given)| **given == answer).map(|(id, _)| id.as_str()).collect();
        words.push_str(&match steps.len() {
            0 => String::new(),
            1 => format!("Step {} {name}. ", steps[0]),
            2..=MAX_NAMED_STEPS => format!("Steps {} {name}. ", steps.join(", ")),
            many => format!("{many} steps {name}. "),
        });
    }
    if let Some(model) = review.chosen_model() {
        words.push_str(&format!("Model {model}. "));
    }
    if let Some(effort) = terms.effort {
        words.push_str(&format!("Effort {}. ", effort.name()));
    }
    if let Some(budget) = terms.budget_usd {
        words.push_str(&format!("Budget ${budget:.2}. "));
    }
    words
}

/// Title with plan and mode. If space is short the hash is left out, never the mode.
fn confirm_title(review: &PlanReview, key: ChoiceKey, room: usize) -> String {
    let whole = confirm_title_with(review, key, true);
    if text::width(&whole) <= room { whole } else { confirm_title_with(review, key, false) }
}

fn confirm_title_with(review: &PlanReview, key: ChoiceKey, hash: bool) -> String {
    let request = &review.subject.request;
    let slot = review.slots.iter().find(|slot| slot.action == SlotAction::Choice(key));
    let mode = slot.map_or("default", |slot| mode_label(slot.mode));
    let what = match &request.from {
        Some(name) => format!("the plan of {}", text::one_line(name)),
        None => format!("rev {}", request.revision),
    };
    let sha = match &review.edited {
        _ if !hash => what,
        Some(text) => format!("{what} with your edit (sha {})", short_sha(&cutonce_core::plan::sha256_hex(text))),
        None => format!("{what} (sha {})", short_sha(request.sha256.as_deref().unwrap_or("none"))),
    };
    match key {
        ChoiceKey::AcceptEdits => format!(" Approve {sha} → accept edits "),
        ChoiceKey::Default => format!(" Approve {sha} → ask at each edit "),
        ChoiceKey::Restore if request.plan.is_none() => format!(" Exit plan mode → {mode} "),
        ChoiceKey::Restore | ChoiceKey::Clear => format!(" Approve {sha} → back to {mode} "),
        ChoiceKey::KeepPlanning => " Request changes → plan ".to_string(),
        ChoiceKey::Leave => format!(" Exit plan mode → {mode}, keep rev {} ", request.revision),
    }
}

fn attachments_text(review: &PlanReview) -> String {
    let comments = comments::to_answer_comments(&review.reply.comments).len();
    let drafts = review.reply.comments.iter().filter(|remark| remark.draft).count();
    let mut parts = Vec::new();
    if comments > 0 {
        parts.push(text::count_noun(comments, "comment"));
    }
    if !review.reply.note.trim().is_empty() {
        parts.push("1 note".to_string());
    }
    if review.edited.is_some() {
        parts.push("your edit".to_string());
    }
    let stays = if drafts > 0 { format!(" {} not sent.", text::count_noun(drafts, "draft")) } else { String::new() };
    match parts.is_empty() {
        true => format!("Nothing is sent along.{stays}"),
        false => format!("Sent along: {}.{stays}", parts.join(", ")),
    }
}

/// Draws the bottom row. It names the Enter key only once Enter is active.
pub fn draw_bottom_row(review: &PlanReview, area: Rect, buffer: &mut Buffer, left: &str) {
    let Some(place) = area.rows().next_back() else { return };
    let left = if review.arming.active_keys.enter_confirms { left } else { "" };
    put_text(place, buffer, 1, left, review.theme.planning);
    let right = "esc back";
    if usize::from(place.width) > text::width(left) + text::width(right) + 4 {
        put_text(place, buffer, place.width - 1 - right.len() as u16, right, review.theme.dim);
    }
}

fn first_row(area: Rect) -> Rect {
    Rect { height: area.height.min(1), ..area }
}

fn draw_field(review: &PlanReview, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let ReviewFocus::Field { field, .. } = &review.focus else { return None };
    if area.height == 0 {
        return None;
    }
    let room = usize::from(area.width.saturating_sub(4)).max(1);
    let (rows, (row, column)) = field.wrapped_rows(room, review.theme.text);
    let height = usize::from(area.height);
    let from = (row + 1).saturating_sub(height);
    for (line, place) in rows.into_iter().skip(from).zip(area.rows()) {
        let mut spans = vec![Span::styled(" › ", review.theme.planning)];
        spans.extend(line.spans);
        Line::from(spans).render(place, buffer);
    }
    let (x, y) = (area.x + 3 + column as u16, area.y + (row - from) as u16);
    Some(Position::new(x.min(area.right().saturating_sub(1)), y.min(area.bottom().saturating_sub(1))))
}

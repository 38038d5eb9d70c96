//! Draws the page of a rehearsal: header, list, diff or output, keys.

use super::page_keys::{help_rows, key_texts, other_keys};
use super::page_rows::{self, RowTarget};
use super::run_list::{FinishedRun, RehearsalRun, RunState};
use super::{PageRoom, PageView, RehearsalPage, ShownPart};
use crate::overlays::highlighted_item::language_of_file;
use crate::plan_review::choices::mode_label;
use crate::plan_review::footer::{draw_bottom_row, first_fitting, put_text};
use crate::plan_review::header::{draw_two_sided, short_sha};
use crate::plan_review::layout::{COLUMNS_MIN_WIDTH, OUTLINE_MIN_WIDTH, draw_rule, split_top};
use crate::plan_review::{PlanReview, ReviewFocus};
use crate::render::edit_view::{DiffRoom, render_edit};
use crate::render::markdown::CodeHighlighting;
use crate::render::text;
use cutonce_core::plan::rehearsal::{RehearsalResult, RehearsedFile};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::time::{Duration, Instant};

/// Rows of a diff that are drawn; the file itself shows the rest.
const MAX_DIFF_ROWS: usize = 5_000;
/// How long drawing waits for colours. Later ones come with the next frame.
const COLOUR_WAIT: Duration = Duration::from_millis(40);

/// One line about the rehearsals, for a user who reads the plan. `None` if there are none.
pub fn status_text(review: &PlanReview) -> Option<Vec<Span<'static>>> {
    let list = review.rehearsals.list.borrow();
    let theme = &review.theme;
    if list.starting {
        return Some(vec![Span::styled("the rehearsal starts; your files do not change", theme.planning)]);
    }
    let run = list.runs.iter().find(|run| run.is_running()).or(list.runs.last())?;
    let id = text::one_line(&run.id);
    let (words, style) = match &run.state {
        RunState::Running => {
            let last = run.calls.last().map_or("starts".to_string(), |call| text::one_line(call));
            (format!("r watches rehearsal {id}: {last}"), theme.planning)
        }
        RunState::Finished(finished) if finished.passed => {
            (format!("rehearsal {id} passed · r shows it"), theme.success)
        }
        RunState::Finished(_) => (format!("rehearsal {id} did not pass · r shows it"), theme.warning),
        RunState::Stopped(why) => (format!("rehearsal {id} ended · r · {}", text::one_line(why)), theme.warning),
    };
    Some(vec![Span::styled(words, style)])
}

pub fn draw(review: &mut PlanReview, page: RehearsalPage, buffer: &mut Buffer, area: Rect) {
    let count = review.rehearsals.list.borrow().runs.len();
    let run = page.run.min(count.saturating_sub(1));
    let Some(run) = review.rehearsals.list.borrow().runs.get(run).cloned() else {
        review.focus = ReviewFocus::Plan;
        return;
    };
    let armed = review.arming.choice.is_some();
    let armed_rows = if area.width < COLUMNS_MIN_WIDTH { 5 } else { 4 };
    let foot_rows = if armed { armed_rows } else { 1 }.min(area.height.saturating_sub(6));
    let (head, rest) = split_top(area, 2);
    let (rule, rest) = split_top(rest, 1);
    let (body, rest) = split_top(rest, rest.height.saturating_sub(foot_rows + 1));
    let (foot_rule, foot) = split_top(rest, 1);
    draw_header(review, &run, page, count, head, buffer);
    let place = match page.view {
        PageView::Table { at } => {
            draw_table(review, at, body, buffer);
            format!("{}/{count}", at + 1)
        }
        PageView::Rows { at, top } => draw_rows(review, &run, (at, top), body, buffer),
        PageView::Part { at, top } => draw_part(review, &run, (at, top), body, buffer),
        PageView::Keys { top, .. } => {
            let inner = Rect { x: body.x + 1, width: body.width.saturating_sub(2), ..body };
            let rows = help_rows(&run, usize::from(inner.width), &review.theme);
            review.rehearsals.room = draw_scrolled(&rows, top, inner, buffer);
            position_text(review.rehearsals.room, top)
        }
    };
    draw_rule(rule, buffer, rule_spans(review, &run, page), &place, review.theme.border);
    if armed {
        return draw_confirm(review, &run, (foot_rule, foot), buffer);
    }
    let told = match (&review.notice, taken_out_text(&run, foot.width)) {
        (Some(notice), _) => vec![Span::styled(text::one_line(notice), review.theme.warning)],
        (None, Some(words)) => vec![Span::styled(words, review.theme.warning)],
        (None, None) if review.rehearsals.list.borrow().starting => {
            vec![Span::styled("another rehearsal starts", review.theme.planning)]
        }
        (None, None) => Vec::new(),
    };
    draw_rule(foot_rule, buffer, told, "", review.theme.border);
    let more = other_keys(review, count);
    put_text(foot, buffer, 1, &first_fitting(key_texts(&run, page, &more), foot.width - 2), review.theme.dim);
}

fn taken_out_text(run: &RehearsalRun, width: u16) -> Option<String> {
    let RunState::Finished(finished) = &run.state else { return None };
    let (out, all) = (run.taken_out.len(), finished.result.files.len());
    let told = match width < COLUMNS_MIN_WIDTH {
        true => format!("{out} of {all} out: checks not run"),
        false => format!("{out} of {all} taken out: the checks have not run on this result"),
    };
    (out > 0).then_some(told)
}

fn rule_spans(review: &PlanReview, run: &RehearsalRun, page: RehearsalPage) -> Vec<Span<'static>> {
    let theme = &review.theme;
    let words = match (page.view, &run.state) {
        (PageView::Table { .. }, _) => "All rehearsals".to_string(),
        (PageView::Keys { .. }, _) => "All keys of this page".to_string(),
        (PageView::Part { at, .. }, RunState::Finished(finished)) => match page_rows::targets(run).get(at) {
            Some(RowTarget::File(index)) => {
                finished.result.files.get(*index).map_or(String::new(), |file| text::one_line(&file.path))
            }
            Some(RowTarget::Step(id)) => format!("Step {}", text::one_line(id)),
            Some(RowTarget::Check(_)) => "Output of the check".to_string(),
            Some(RowTarget::Text(_)) | None => String::new(),
        },
        (_, RunState::Running) => "What it does".to_string(),
        (_, RunState::Finished(_)) => "Result".to_string(),
        (_, RunState::Stopped(_)) => "No result".to_string(),
    };
    vec![Span::styled(words, theme.heading)]
}

fn draw_header(
    review: &PlanReview,
    run: &RehearsalRun,
    page: RehearsalPage,
    count: usize,
    area: Rect,
    buffer: &mut Buffer,
) {
    let theme = &review.theme;
    let (state, style) = match &run.state {
        RunState::Running => ("running", theme.planning),
        RunState::Finished(finished) if finished.passed => ("passed", theme.success),
        RunState::Finished(_) => ("did not pass", theme.warning),
        RunState::Stopped(_) => ("ended", theme.warning),
    };
    let id = text::one_line(&run.id);
    let title = match area.width < COLUMNS_MIN_WIDTH {
        true => format!("Rehearsal {id} "),
        false => format!("Rehearsal {id} of rev {} ", run.revision.unwrap_or(review.subject.request.revision)),
    };
    let mut left = vec![Span::styled(title, theme.strong), Span::styled(state, style)];
    let mut right = model_name(run);
    if let PageView::Table { .. } = page.view {
        let waits = if area.width < COLUMNS_MIN_WIDTH { "waits" } else { "waits for approval" };
        let title = format!("{count} rehearsals; rev {} {waits}", review.subject.request.revision);
        left = vec![Span::styled(title, theme.strong)];
        right.clear();
    } else if count > 1 {
        right = format!("{right} · {} of {count}", page.run + 1);
    }
    if area.width < COLUMNS_MIN_WIDTH {
        right = if count > 1 && !matches!(page.view, PageView::Table { .. }) {
            format!("{} of {count}", page.run + 1)
        } else {
            String::new()
        };
    }
    // The model's name is no use without its end.
    let right = text::fit_end(&right, usize::from(area.width) / 2).into_owned();
    let mut rows = area.rows();
    if let Some(row) = rows.next() {
        draw_two_sided(row, buffer, left, vec![Span::styled(format!("{right} "), theme.dim)]);
    }
    if let Some(row) = rows.next() {
        let (left, right) = match &run.state {
            _ if matches!(page.view, PageView::Table { .. }) => return draw_selected(review, page, row, buffer),
            RunState::Finished(finished) => figures_text(run, finished, row.width),
            RunState::Running => (format!("{} · your files do not change", calls_text(run)), String::new()),
            RunState::Stopped(_) => ("Your files did not change.".to_string(), String::new()),
        };
        let drifted = matches!(&run.state, RunState::Finished(finished) if !finished.passed);
        let style = if drifted { theme.warning } else { theme.dim };
        draw_two_sided(row, buffer, vec![Span::styled(left, theme.text)], vec![Span::styled(right, style)]);
    }
}

/// Above a table that is too narrow for them: model, lines and time of the selected rehearsal.
fn draw_selected(review: &PlanReview, page: RehearsalPage, area: Rect, buffer: &mut Buffer) {
    let PageView::Table { at } = page.view else { return };
    let list = review.rehearsals.list.borrow();
    let (Some(run), true) = (list.runs.get(at), area.width < COLUMNS_MIN_WIDTH) else { return };
    let [.., lines, _, time] = table_row(run);
    let model = model_name(run);
    let name = model.rsplit('/').next().unwrap_or_default().to_string();
    let (left, right) =
        (Span::styled(name, review.theme.text), Span::styled(format!("{lines} {time} "), review.theme.dim));
    draw_two_sided(area, buffer, vec![left], vec![right]);
}

/// The model's name; that of a scripted one is the path of its script.
fn model_name(run: &RehearsalRun) -> String {
    match run.model.as_deref() {
        Some(name) if name.starts_with("scripted/") => "scripted model".to_string(),
        name => name.map(text::one_line).unwrap_or_default(),
    }
}

fn calls_text(run: &RehearsalRun) -> String {
    text::count_noun(run.call_count as usize, "call")
}

fn figures_text(run: &RehearsalRun, finished: &FinishedRun, width: u16) -> (String, String) {
    let figures = finished.result.figures(&finished.checks);
    let narrow = width < COLUMNS_MIN_WIDTH;
    let checks = match run.taken_out.is_empty() {
        true => format!("checks {}/{}", figures.checks_passed, figures.checks),
        false => "checks not run".to_string(),
    };
    let files = format!("{} +{} -{}", text::count_noun(figures.files, "file"), figures.added, figures.removed);
    let denied = if figures.denied > 0 { format!(" · {} denied", figures.denied) } else { String::new() };
    if narrow {
        return (format!("{checks} · {files} · ${:.2}", figures.cost_usd), String::new());
    }
    let left = format!("{checks} · {files}{denied}");
    let spent = format!("${:.2} · {:.0}s ", figures.cost_usd, figures.seconds);
    let drift = match &finished.result.report {
        Some(report) if report.drift => "drift · ",
        Some(_) => "no drift · ",
        None => "",
    };
    (left, format!("{drift}{spent}"))
}

/// Draws the list, and on a wide screen the diff of the selected row next to it. Returns the position for the rule.
fn draw_rows(
    review: &mut PlanReview,
    run: &RehearsalRun,
    (at, top): (usize, usize),
    area: Rect,
    buffer: &mut Buffer,
) -> String {
    let targets = page_rows::targets(run);
    // While it works, the newest call is in view.
    let at = if run.is_running() && at == 0 { targets.len().saturating_sub(1) } else { at };
    let two_panes = area.width >= OUTLINE_MIN_WIDTH && matches!(run.state, RunState::Finished(_));
    let list_width = if two_panes { (area.width * 2 / 5).clamp(44, 64) } else { area.width };
    let list = Rect { width: list_width, ..area };
    review.rehearsals.room = PageRoom { rows: usize::from(area.height), all_rows: 0, two_panes };
    let rows = page_rows::rows(run, at, usize::from(list_width), &review.theme);
    let height = usize::from(area.height);
    let from = at.saturating_sub(height / 2).min(rows.len().saturating_sub(height));
    rows.into_iter().skip(from).zip(list.rows()).for_each(|(row, place)| row.render(place, buffer));
    if two_panes {
        let x = area.x + list_width;
        for y in area.top()..area.bottom() {
            buffer[(x, y)].set_symbol("│").set_style(review.theme.border);
        }
        let pane = Rect { x: x + 2, width: area.width - list_width - 2, ..area };
        let rows = part_rows(review, run, targets.get(at), usize::from(pane.width));
        let all_rows = draw_scrolled(rows, top, pane, buffer).all_rows;
        review.rehearsals.room.all_rows = all_rows;
    }
    format!("{}/{}", (at + 1).min(targets.len()), targets.len())
}

fn draw_part(
    review: &mut PlanReview,
    run: &RehearsalRun,
    (at, top): (usize, usize),
    area: Rect,
    buffer: &mut Buffer,
) -> String {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let targets = page_rows::targets(run);
    let room = draw_scrolled(part_rows(review, run, targets.get(at), usize::from(inner.width)), top, inner, buffer);
    review.rehearsals.room = room;
    position_text(room, top)
}

/// Draws rows from `top` on.
fn draw_scrolled(shown: &[Line<'static>], top: usize, area: Rect, buffer: &mut Buffer) -> PageRoom {
    shown.iter().skip(top).zip(area.rows()).for_each(|(row, place)| row.clone().render(place, buffer));
    PageRoom { rows: usize::from(area.height), all_rows: shown.len(), two_panes: false }
}

/// The last row in view, and how many there are.
fn position_text(room: PageRoom, top: usize) -> String {
    format!("{}/{}", (top + room.rows).min(room.all_rows), room.all_rows)
}

/// The rows of a diff or an output; kept until another one is shown.
fn part_rows<'a>(
    review: &'a mut PlanReview,
    run: &RehearsalRun,
    target: Option<&RowTarget>,
    width: usize,
) -> &'a [Line<'static>] {
    let Some(target) = target else { return &[] };
    let known = review.rehearsals.shown.as_ref();
    if !known.is_some_and(|part| part.complete && (&part.run, &part.target, part.width) == (&run.id, target, width)) {
        let deadline = Instant::now() + COLOUR_WAIT;
        let rows = match (target, &run.state) {
            (RowTarget::Text(words), _) => page_rows::text_rows(words, width, &review.theme),
            (_, RunState::Running | RunState::Stopped(_)) => Vec::new(),
            (RowTarget::File(index), RunState::Finished(finished)) => finished
                .result
                .files
                .get(*index)
                .map_or(Vec::new(), |file| diff_rows(review, &finished.result, file, width, deadline)),
            (RowTarget::Step(id), RunState::Finished(finished)) => {
                step_diff_rows(review, finished, id, width, deadline)
            }
            (RowTarget::Check(index), RunState::Finished(finished)) => finished
                .checks
                .get(*index)
                .map_or(Vec::new(), |check| page_rows::output_rows(check, width, &review.theme)),
        };
        let complete = Instant::now() < deadline;
        let (run, target) = (run.id.clone(), target.clone());
        review.rehearsals.shown = Some(ShownPart { run, target, width, rows, complete });
    }
    review.rehearsals.shown.as_ref().map_or(&[], |part| &part.rows)
}

fn step_diff_rows(
    review: &PlanReview,
    finished: &FinishedRun,
    id: &str,
    width: usize,
    deadline: Instant,
) -> Vec<Line<'static>> {
    let files = finished.result.files.iter().filter(|file| finished.result.steps_of(file).contains(&id));
    let mut rows = Vec::new();
    for file in files {
        if !rows.is_empty() {
            rows.push(Line::default());
        }
        rows.push(Line::styled(text::fit(&text::one_line(&file.path), width).into_owned(), review.theme.heading));
        rows.extend(diff_rows(review, &finished.result, file, width, deadline));
    }
    if rows.is_empty() {
        rows.push(Line::styled("This step changed no file.", review.theme.dim));
    }
    rows
}

fn diff_rows(
    review: &PlanReview,
    result: &RehearsalResult,
    file: &RehearsedFile,
    width: usize,
    deadline: Instant,
) -> Vec<Line<'static>> {
    let usual = |line: &&str| {
        !(line.starts_with("diff --git ") || *line == "new file mode 100644" || *line == "deleted file mode 100644")
    };
    let diff = result.diff_of(file);
    let lines: String = diff.split('\n').filter(usual).map(|line| format!("{line}\n")).collect();
    let highlighting = review.highlighter.as_ref().map(|highlighter| CodeHighlighting { highlighter, deadline });
    let language = language_of_file(&file.path);
    let room = DiffRoom { width, rows: MAX_DIFF_ROWS };
    let rows = render_edit(lines.trim_end_matches('\n'), &language, room, &review.theme, highlighting);
    match rows.is_empty() {
        true => vec![Line::styled("(an empty file)", review.theme.dim)],
        false => rows,
    }
}

/// Draws all rehearsals as a table (RH-7).
fn draw_table(review: &PlanReview, at: usize, area: Rect, buffer: &mut Buffer) {
    let theme = &review.theme;
    let list = review.rehearsals.list.borrow();
    let narrow = area.width < COLUMNS_MIN_WIDTH;
    let mut rows: Vec<[String; 7]> =
        vec![["", "result", "checks", "files", "lines", "cost", "time"].map(str::to_string)];
    rows.extend(list.runs.iter().map(table_row));
    let columns: &[usize] = if narrow { &[0, 1, 2, 3, 5] } else { &[0, 1, 2, 3, 4, 5, 6] };
    let widths: Vec<usize> =
        columns.iter().map(|column| rows.iter().map(|row| text::width(&row[*column])).max().unwrap_or(0)).collect();
    let models = list.runs.iter().map(model_name);
    let models: Vec<String> = std::iter::once("model".to_string()).chain(models).collect();
    for (number, ((row, model), place)) in rows.iter().zip(models).zip(area.rows()).enumerate() {
        let cells = columns.iter().zip(&widths).map(|(column, width)| text::pad_to(&row[*column], *width));
        let words = cells.collect::<Vec<_>>().join("  ");
        let room = usize::from(place.width).saturating_sub(text::width(&words) + 5);
        let selected = number == at + 1;
        let style = match (number, selected) {
            (0, _) => theme.dim,
            (_, true) => theme.strong,
            (_, false) => theme.text,
        };
        let mark = if selected { "› " } else { "  " };
        let line = vec![
            Span::styled(mark, theme.accent),
            Span::styled(words, style),
            Span::styled(if narrow { String::new() } else { format!("  {}", text::fit_end(&model, room)) }, theme.dim),
        ];
        Line::from(line).render(place, buffer);
    }
}

fn table_row(run: &RehearsalRun) -> [String; 7] {
    let revision = run.revision.map(|revision| format!(" rev {revision}")).unwrap_or_default();
    let id = format!("{}{revision}", text::one_line(&run.id));
    match &run.state {
        RunState::Running => {
            [id, "running".into(), calls_text(run), String::new(), String::new(), String::new(), String::new()]
        }
        RunState::Stopped(_) => {
            [id, "ended".into(), String::new(), String::new(), String::new(), String::new(), String::new()]
        }
        RunState::Finished(finished) => {
            let figures = finished.result.figures(&finished.checks);
            [
                id,
                if finished.passed { "passed" } else { "not passed" }.into(),
                format!("{}/{}", figures.checks_passed, figures.checks),
                figures.files.to_string(),
                format!("+{} -{}", figures.added, figures.removed),
                format!("${:.2}", figures.cost_usd),
                format!("{:.0}s", figures.seconds),
            ]
        }
    }
}

/// Draws a text that says exactly what Enter will do.
fn draw_confirm(review: &PlanReview, run: &RehearsalRun, (rule, area): (Rect, Rect), buffer: &mut Buffer) {
    let theme = &review.theme;
    let RunState::Finished(finished) = &run.state else { return };
    let mode = review.applying_choice().map_or("default", |choice| mode_label(choice.mode));
    let id = text::one_line(&run.id);
    let whole = format!(" Apply exactly {id} (diff {}) → {mode} ", short_sha(&finished.result.diff_sha256));
    let short = format!(" Apply exactly {id} → {mode} ");
    let title = first_fitting(vec![whole, short], rule.width.saturating_sub(7));
    draw_rule(rule, buffer, vec![Span::styled(title, theme.armed)], "", theme.border);
    let (all, out) = (finished.result.files.len(), run.taken_out.len());
    let what = match out {
        0 => format!("Approves rev {} and writes {}", review.subject.request.revision, text::count_noun(all, "file")),
        _ => format!("Approves rev {} and writes {} of {all} files", review.subject.request.revision, all - out),
    };
    let checks = match (out, finished.passed) {
        (0, true) => "",
        (0, false) => " It did not pass.",
        (_, _) => " The checks have not run on this result.",
    };
    let words = format!("{what} as shown, all or none.{checks} /rewind undoes it.");
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let rows = text::wrap_plain(&words, usize::from(inner.width), theme.text);
    let room = usize::from(inner.height.saturating_sub(1));
    rows.into_iter().take(room).zip(inner.rows()).for_each(|(row, place)| row.render(place, buffer));
    draw_bottom_row(review, area, buffer, "enter confirm");
}

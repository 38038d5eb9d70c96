//! The rows of a rehearsal's page: files and checks by step, drift, and what was denied (RH-2).

use super::run_list::{FinishedRun, RehearsalRun, RunState};
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use cutonce_core::plan::rehearsal::{RehearsalResult, RehearsedCheck, RehearsedFile, RehearsedKind};
use cutonce_core::plan::report::ended_text;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// A check of a result from which files are taken out.
const NOT_RUN: &str = "not run on this result";
/// Below this width the list says it shorter.
const NARROW: usize = 60;

/// What a row is about. Enter opens it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowTarget {
    /// The whole text of a row that may be cut.
    Text(String),
    Step(String),
    /// Index of the file.
    File(usize),
    /// Index of the check.
    Check(usize),
}

/// A row before it is laid out.
struct PageRow {
    target: RowTarget,
    left: Vec<Span<'static>>,
    right: Vec<Span<'static>>,
}

/// The targets of all rows, in order.
pub(super) fn targets(run: &RehearsalRun) -> Vec<RowTarget> {
    list_rows(run, &Theme::default()).into_iter().map(|row| row.target).collect()
}

/// The rows of the list, the selected one marked.
pub(super) fn rows(run: &RehearsalRun, selected: usize, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let rows = list_rows(run, theme).into_iter().enumerate();
    rows.map(|(at, row)| laid_out(row, at == selected, width, theme)).collect()
}

fn laid_out(row: PageRow, selected: bool, width: usize, theme: &Theme) -> Line<'static> {
    let shorter = |span: Span<'static>| match span.content.trim_end() == NOT_RUN && width < NARROW {
        true => Span::styled("not run ", span.style),
        false => span,
    };
    let right = Line::from(row.right.into_iter().map(shorter).collect::<Vec<_>>());
    let right = text::fit_line(right, width / 2);
    let room = width.saturating_sub(text::line_width(&right) + 3);
    let left = text::fit_line(Line::from(row.left), room);
    let gap = width.saturating_sub(text::line_width(&left) + text::line_width(&right) + 2);
    let mark = if selected { Span::styled("›", theme.accent) } else { Span::raw(" ") };
    let mut spans = vec![mark];
    spans.extend(left.spans.into_iter().map(|span| match selected {
        true => Span::styled(span.content, span.style.patch(theme.strong)),
        false => span,
    }));
    spans.push(Span::raw(" ".repeat(gap)));
    spans.extend(right.spans);
    Line::from(spans)
}

fn list_rows(run: &RehearsalRun, theme: &Theme) -> Vec<PageRow> {
    match &run.state {
        RunState::Running => {
            let first = (run.calls.is_empty()).then(|| text_row("The agent reads the plan …", theme.dim));
            first.into_iter().chain(run.calls.iter().map(|call| text_row(&format!("● {call}"), theme.text))).collect()
        }
        RunState::Stopped(why) => {
            let calls = run.calls.iter().map(|call| text_row(&format!("● {call}"), theme.dim));
            std::iter::once(text_row(&format!("Ended: {why}."), theme.warning)).chain(calls).collect()
        }
        RunState::Finished(finished) => result_rows(run, finished, theme),
    }
}

fn text_row(words: &str, style: Style) -> PageRow {
    let left = vec![Span::styled(format!(" {}", text::one_line(words)), style)];
    PageRow { target: RowTarget::Text(words.trim().to_string()), left, right: Vec::new() }
}

fn heading(words: &str, theme: &Theme) -> PageRow {
    text_row(words, theme.heading)
}

fn result_rows(run: &RehearsalRun, finished: &FinishedRun, theme: &Theme) -> Vec<PageRow> {
    let result = &finished.result;
    let mut rows = Vec::new();
    rows.extend(result.failure.iter().map(|why| text_row(&format!("Failed: {why}"), theme.warning)));
    let steps = result.report.as_ref().map(|report| report.steps.as_slice()).unwrap_or_default();
    for step in steps {
        let title = format!(" {}. {}", step.id, text::one_line(&step.title));
        rows.push(PageRow {
            target: RowTarget::Step(step.id.clone()),
            left: vec![Span::styled(title, theme.heading)],
            right: vec![Span::styled(format!("{} ", step.state.name()), theme.dim)],
        });
        let own = |file: &RehearsedFile| result.steps_of(file).first() == Some(&step.id.as_str());
        rows.extend(file_rows(run, result, own, theme));
        let of_step = |check: &RehearsedCheck| check.step.as_ref() == Some(&step.id);
        rows.extend(check_rows(run, finished, of_step, theme));
    }
    let other: Vec<PageRow> = file_rows(run, result, |file| result.steps_of(file).is_empty(), theme).collect();
    if !other.is_empty() {
        rows.push(heading(if steps.is_empty() { "Files" } else { "Other files" }, theme));
        rows.extend(other);
    }
    if result.files.is_empty() {
        rows.push(text_row("No file changed.", theme.dim));
    }
    let of_plan: Vec<PageRow> = check_rows(run, finished, |check| check.step.is_none(), theme).collect();
    if !of_plan.is_empty() {
        rows.push(heading("Checks of the whole plan", theme));
        rows.extend(of_plan);
    }
    rows.extend(drift_rows(result, theme));
    if !result.denied.is_empty() {
        rows.push(heading("Denied: this would have asked you", theme));
        let denied = result.denied.iter().map(|denied| format!("  {} {}", denied.tool, denied.text));
        rows.extend(denied.map(|words| text_row(&words, theme.warning)));
    }
    rows
}

fn file_rows<'a>(
    run: &'a RehearsalRun,
    result: &'a RehearsalResult,
    wanted: impl Fn(&RehearsedFile) -> bool + 'a,
    theme: &'a Theme,
) -> impl Iterator<Item = PageRow> + 'a {
    let files = result.files.iter().enumerate().filter(move |(_, file)| wanted(file));
    files.map(move |(index, file)| {
        let out = run.taken_out.contains(&file.path);
        let (mark, style) = if out { ("[ ]", theme.dim) } else { ("[x]", theme.text) };
        let kind = match file.kind {
            RehearsedKind::New => "new",
            RehearsedKind::Change => "",
            RehearsedKind::Delete => "deleted",
        };
        let right = match out {
            true => vec![Span::styled("taken out ", theme.warning)],
            false => vec![
                Span::styled(format!("{kind} "), theme.dim),
                Span::styled(counted('+', file.added), theme.added),
                Span::styled(counted('-', file.removed), theme.removed),
            ],
        };
        let left = vec![Span::styled(format!("  {mark} {}", text::one_line(&file.path)), style)];
        PageRow { target: RowTarget::File(index), left, right }
    })
}

fn counted(sign: char, count: usize) -> String {
    if count == 0 { String::new() } else { format!("{sign}{count} ") }
}

fn check_rows<'a>(
    run: &'a RehearsalRun,
    finished: &'a FinishedRun,
    wanted: impl Fn(&RehearsedCheck) -> bool + 'a,
    theme: &'a Theme,
) -> impl Iterator<Item = PageRow> + 'a {
    let checks = finished.checks.iter().enumerate().filter(move |(_, check)| wanted(check));
    checks.flat_map(move |(index, check)| {
        let (mark, style, told) = match check.exit_code {
            _ if !run.taken_out.is_empty() => ("–", theme.dim, NOT_RUN.to_string()),
            Some(0) => ("✓", theme.success, "exit 0".to_string()),
            Some(code) => ("✗", theme.error, format!("exit {code}")),
            None => ("–", theme.warning, "stopped".to_string()),
        };
        let row = PageRow {
            target: RowTarget::Check(index),
            left: vec![
                Span::styled(format!("  {mark}   "), style),
                Span::styled(text::one_line(&check.command), theme.text),
            ],
            right: vec![Span::styled(format!("{told} "), style)],
        };
        let stopped = check.stopped.as_ref().filter(|_| run.taken_out.is_empty());
        let why = stopped.map(|why| text_row(&format!("     {why}"), theme.warning));
        std::iter::once(row).chain(why)
    })
}

/// What differs from the plan; a line that says so if nothing does.
fn drift_rows(result: &RehearsalResult, theme: &Theme) -> Vec<PageRow> {
    let Some(report) = &result.report else { return Vec::new() };
    let mut report = report.clone();
    // They are listed with the other denied attempts.
    report.denied.clear();
    if !report.drift {
        return vec![text_row("No drift: the result follows the plan.", theme.dim)];
    }
    let told = report.drift_text();
    let lines = told.lines().map(|line| text_row(line, theme.warning));
    std::iter::once(heading("Drift", theme)).chain(lines).collect()
}

/// Files that a step changed and no other step did.
pub(super) fn files_of_step<'a>(result: &'a RehearsalResult, id: &str) -> Vec<&'a RehearsedFile> {
    result.files.iter().filter(|file| result.steps_of(file) == [id]).collect()
}

/// A text that the list shows in one row, whole.
pub(super) fn text_rows(words: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let lines =
        words.lines().map(|line| Line::styled(text::expand_tabs(&text::visible(line), 0).into_owned(), theme.text));
    lines.flat_map(|line| text::wrap(&line, width, &RowPrefix::spaces(0))).collect()
}

/// The output of a check.
pub(super) fn output_rows(check: &RehearsedCheck, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let code = ended_text(check.exit_code, check.stopped.as_deref());
    let mut rows = text::wrap_plain(&format!("$ {}", text::one_line(&check.command)), width, theme.strong);
    rows.extend(text::wrap_plain(&code, width, if check.exit_code == Some(0) { theme.success } else { theme.error }));
    let output = text::strip_colours(check.output.trim_end()).into_owned();
    if output.is_empty() {
        rows.push(Line::styled("(no output)", theme.dim));
    }
    rows.extend(text_rows(&output, width, theme));
    rows
}

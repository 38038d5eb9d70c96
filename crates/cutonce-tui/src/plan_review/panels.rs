//! Panels next to the plan or in its place: the outline, all keys, and details of the request (PM-87).

use super::changes::LineChange;
use super::keys::ReviewAction;
use super::{PlanReview, REVIEW_KEYS, ReviewFocus};
use crate::overlays::OverlayOutcome;
use crate::render::text::{self, RowPrefix};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

impl PlanReview {
    pub(super) fn open_outline(&mut self) {
        let headings = self.source.headings();
        if headings.is_empty() {
            self.notice = Some("the plan has no headings".into());
            return;
        }
        let at = headings.iter().rposition(|heading| heading.line <= self.viewport.cursor).unwrap_or_default();
        self.focus = ReviewFocus::Outline { at };
    }

    pub(super) fn panel_key(&mut self, action: ReviewAction) -> OverlayOutcome {
        let last = self.source.headings().len().saturating_sub(1);
        let page = usize::from(u8::MAX).min(self.viewport.height.max(1));
        let lines = panel_rows(self, self.viewport.width).len();
        let step = |from: usize, last: usize| match action {
            ReviewAction::Up => from.saturating_sub(1),
            ReviewAction::Down => (from + 1).min(last),
            ReviewAction::PageUp => from.saturating_sub(page),
            ReviewAction::PageDown => (from + page).min(last),
            ReviewAction::First => 0,
            ReviewAction::Last => last,
            _ => from,
        };
        match &mut self.focus {
            ReviewFocus::Outline { at } => match action {
                ReviewAction::Confirm => {
                    let line = self.source.headings().get(*at).map_or(0, |heading| heading.line);
                    self.focus = ReviewFocus::Plan;
                    self.viewport.top = (line, 0);
                    self.go_to_line(line);
                }
                ReviewAction::Outline | ReviewAction::Escape => self.focus = ReviewFocus::Plan,
                _ => *at = step(*at, last),
            },
            ReviewFocus::Help { top } | ReviewFocus::Details { top } => match action {
                ReviewAction::Escape | ReviewAction::Help | ReviewAction::Details | ReviewAction::Confirm => {
                    self.focus = ReviewFocus::Plan
                }
                _ => *top = step(*top, lines.saturating_sub(page)),
            },
            ReviewFocus::Plan
            | ReviewFocus::Field { .. }
            | ReviewFocus::Steps { .. }
            | ReviewFocus::Terms(_)
            | ReviewFocus::Rehearsal(_) => {
                return OverlayOutcome::Nothing;
            }
        }
        OverlayOutcome::Redraw
    }
}

/// Summarizes a section: whether it has comments, and a sign for its changes.
fn section_status(review: &PlanReview, at: usize) -> (bool, &'static str) {
    let headings = review.source.headings();
    let from = headings.get(at).map_or(0, |heading| heading.line);
    let to = headings.get(at + 1).map_or(review.source.len(), |heading| heading.line);
    let within = |line: usize| (from..to).contains(&line);
    let said = review.reply.comments.iter().any(|remark| within(remark.last))
        || review.reply.earlier_comments.iter().any(|one| within(one.line));
    let added = (from..to).any(|line| *review.comparison.changes.line_change(line) != LineChange::Same);
    let removed = review.comparison.changes.removed.keys().any(|line| within(*line));
    let changed = match (added, removed) {
        (true, true) => "±",
        (true, false) => "+",
        (false, true) => "-",
        (false, false) => " ",
    };
    (said, changed)
}

pub fn draw_outline(review: &PlanReview, area: Rect, buffer: &mut Buffer) {
    let theme = &review.theme;
    let headings = review.source.headings();
    let here = headings.iter().rposition(|heading| heading.line <= review.viewport.cursor);
    let (chosen, focused) = match review.focus {
        ReviewFocus::Outline { at } => (Some(at), true),
        _ => (here, false),
    };
    let top_level = headings.iter().map(|heading| heading.level).min().unwrap_or(1);
    // A single top-level title would indent every other heading.
    let titled = headings.iter().filter(|heading| heading.level == top_level).count() == 1 && headings.len() > 1;
    let width = usize::from(area.width);
    let height = usize::from(area.height);
    let rest = if height < 12 { Vec::new() } else { summary_rows(review, width) };
    let room = height.saturating_sub(if headings.len() + rest.len() > height {
        rest.len().min(height / 3)
    } else {
        rest.len()
    });
    // Keep the chosen heading in the middle.
    let from = chosen.unwrap_or_default().saturating_sub(room / 2).min(headings.len().saturating_sub(room));
    let mut rows: Vec<Line<'static>> = Vec::new();
    for (at, heading) in headings.iter().enumerate().skip(from).take(room.max(1)) {
        let depth = usize::from(heading.level - top_level).saturating_sub(usize::from(titled));
        let (said, changed) = section_status(review, at);
        let mark = if chosen == Some(at) { "› " } else { "  " };
        let words = format!("{mark}{}{}", "  ".repeat(depth.min(6)), heading.text);
        let style = match (chosen == Some(at), focused) {
            (true, true) => theme.armed,
            (true, false) => theme.strong,
            (false, _) => theme.text,
        };
        rows.push(Line::from(vec![
            Span::styled(text::pad_to(&words, width.saturating_sub(5)), style),
            Span::styled(if said { " ● " } else { "   " }, theme.comment),
            Span::styled(format!(" {changed}"), theme.changed),
        ]));
    }
    rows.extend(rest);
    for (row, place) in rows.into_iter().zip(area.rows()) {
        row.render(place, buffer);
    }
}

/// Numbers of comments and changes, then the list of comments.
fn summary_rows(review: &PlanReview, width: usize) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let mut rows = Vec::new();
    let changed = review.comparison.changes.added_lines
        + review.comparison.changes.changed_lines
        + review.comparison.changes.removed_lines;
    if review.reply.comments.is_empty() && review.reply.earlier_comments.is_empty() && changed == 0 {
        return rows;
    }
    rows.push(Line::default());
    if !review.reply.comments.is_empty() {
        rows.push(Line::styled(
            format!("  ● {}", text::count_noun(review.reply.comments.len(), "comment")),
            theme.comment,
        ));
    }
    if changed > 0 {
        rows.push(Line::styled(format!("  ± {}", text::count_noun(changed, "changed line")), theme.changed));
    }
    let mut said: Vec<(usize, String, &str)> = Vec::new();
    said.extend(
        review
            .reply
            .comments
            .iter()
            .map(|one| (one.last, text::one_line(&one.text), if one.draft { "draft" } else { "" })),
    );
    let since = |unchanged: bool| if unchanged { "unchanged" } else { "changed" };
    said.extend(
        review.reply.earlier_comments.iter().map(|one| (one.line, text::one_line(&one.text), since(one.unchanged))),
    );
    said.sort();
    if !said.is_empty() {
        rows.push(Line::default());
        rows.push(Line::styled("  Comments", theme.strong));
    }
    for (line, words, hint) in said {
        let room = width.saturating_sub(text::width(hint) + 2);
        let words = text::pad_to(&format!("  {} {words}", line + 1), room);
        rows.push(Line::from(vec![Span::styled(words, theme.text), Span::styled(format!(" {hint}"), theme.dim)]));
    }
    rows
}

fn panel_rows(review: &PlanReview, width: usize) -> Vec<Line<'static>> {
    match review.focus {
        ReviewFocus::Help { .. } => help_rows(review, width),
        ReviewFocus::Details { .. } => details_rows(review, width),
        _ => Vec::new(),
    }
}

pub fn draw_panel(review: &PlanReview, area: Rect, buffer: &mut Buffer) {
    let rows = panel_rows(review, usize::from(area.width));
    let top = match review.focus {
        ReviewFocus::Help { top } | ReviewFocus::Details { top } => top,
        _ => 0,
    };
    for (row, place) in rows.into_iter().skip(top).zip(area.rows()) {
        row.render(place, buffer);
    }
}

fn help_rows(review: &PlanReview, width: usize) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let mut rows = vec![Line::styled(" All keys (esc closes)", theme.heading)];
    let mut tell = |keys: &str, does: &str| {
        let first = vec![Span::styled(format!(" {} ", text::pad_to(keys, 12)), theme.strong)];
        let next = vec![Span::raw(" ".repeat(14))];
        rows.extend(text::wrap(&Line::styled(does.to_string(), theme.text), width, &RowPrefix { first, next }));
    };
    for row in REVIEW_KEYS {
        tell(row.key_names, row.help);
    }
    tell("1 to 6", "arm a choice; 4 toggles clearing the context");
    tell("shift+tab", "cycle the mode; this withdraws the plan");
    tell("ctrl+z", "suspend; `fg` resumes");
    tell("in the steps", "a approves, p parks, x drops, space changes the answer; enter shows the step in the plan");
    tell("in a list", "a digit chooses: model, effort or budget");
    tell("in a field", "enter saves, ctrl+j or shift+enter adds a line, ctrl+g opens the editor, esc keeps a draft");
    rows
}

/// Shell confinement, changed files, and running shells (PM-87).
fn details_rows(review: &PlanReview, width: usize) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let request = &review.subject.request;
    let mut rows = vec![Line::styled(" About this plan (esc closes)", theme.heading)];
    let mut tell = |words: String, style: Style| {
        rows.extend(text::wrap(&Line::styled(words, style), width, &RowPrefix::spaces(1)))
    };
    tell(format!("file: {}", text::one_line(&request.plan_file_path)), theme.text);
    tell(format!("sha256: {}", request.sha256.as_deref().unwrap_or("none")), theme.text);
    if request.from.is_none() {
        let style = if request.layer == cutonce_core::plan::approval::EnforcementLevel::Readonly {
            theme.warning
        } else {
            theme.text
        };
        tell(format!("shell: {}", request.layer.describe()), style);
    }
    if let Some(method) = request.scope_method {
        tell(format!("scope: {}", method.describe()), theme.text);
    }
    if let Some(notice) = &request.notice {
        tell(text::one_line(notice), theme.warning);
    }
    match request.changed_files.len() {
        0 if request.from.is_some() => tell("Changes in the teammate's folder are not known here.".into(), theme.text),
        0 => tell("0 files changed since plan mode was entered".into(), theme.text),
        many => tell(format!("{} changed since plan mode was entered:", text::count_noun(many, "file")), theme.warning),
    }
    for file in &request.changed_files {
        tell(format!("  {}", text::one_line(file)), theme.text);
    }
    for shell in &request.shells {
        tell(format!("still running: {}", text::one_line(shell)), theme.warning);
    }
    for file in review.contract_files_changed() {
        tell(file, theme.warning);
    }
    if !request.contacted_hosts.is_empty() {
        tell(format!("contacted: {}", text::one_line(&request.contacted_hosts.join(", "))), theme.warning);
    }
    rows
}

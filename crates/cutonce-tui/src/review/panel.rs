//! What stands beside the plan or for a moment in its place: the outline, all keys, the facts of the request (PM-87).

use super::changes::Mark;
use super::keys::Action;
use super::{Focus, KEYS, Review};
use crate::overlay::Outcome;
use crate::text::{self, Prefix};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

impl Review {
    pub(super) fn open_outline(&mut self) {
        let headings = self.source.headings();
        if headings.is_empty() {
            self.notice = Some("the plan has no headings".into());
            return;
        }
        let at = headings.iter().rposition(|heading| heading.line <= self.view.cursor).unwrap_or_default();
        self.focus = Focus::Outline { at };
    }

    pub(super) fn panel_key(&mut self, action: Action) -> Outcome {
        let last = self.source.headings().len().saturating_sub(1);
        let page = usize::from(u8::MAX).min(self.view.height.max(1));
        let lines = text_rows(self, self.view.width).len();
        let step = |from: usize, last: usize| match action {
            Action::Up => from.saturating_sub(1),
            Action::Down => (from + 1).min(last),
            Action::PageUp => from.saturating_sub(page),
            Action::PageDown => (from + page).min(last),
            Action::First => 0,
            Action::Last => last,
            _ => from,
        };
        match &mut self.focus {
            Focus::Outline { at } => match action {
                Action::Confirm => {
                    let line = self.source.headings().get(*at).map_or(0, |heading| heading.line);
                    self.focus = Focus::Plan;
                    self.view.top = (line, 0);
                    self.go(line);
                }
                Action::Outline | Action::Escape => self.focus = Focus::Plan,
                _ => *at = step(*at, last),
            },
            Focus::Help { top } | Focus::About { top } => match action {
                Action::Escape | Action::Help | Action::About | Action::Confirm => self.focus = Focus::Plan,
                _ => *top = step(*top, lines.saturating_sub(page)),
            },
            Focus::Plan | Focus::Field { .. } => return Outcome::Nothing,
        }
        Outcome::Redraw
    }
}

/// The lines from one heading to the next of its kind: what is said there, and what changed.
fn section(review: &Review, at: usize) -> (bool, &'static str) {
    let headings = review.source.headings();
    let from = headings.get(at).map_or(0, |heading| heading.line);
    let to = headings.get(at + 1).map_or(review.source.len(), |heading| heading.line);
    let within = |line: usize| (from..to).contains(&line);
    let said =
        review.remarks.iter().any(|remark| within(remark.last)) || review.earlier.iter().any(|one| within(one.line));
    let added = (from..to).any(|line| *review.changes.mark(line) != Mark::Same);
    let removed = review.changes.removed.keys().any(|line| within(*line));
    let changed = match (added, removed) {
        (true, true) => "±",
        (true, false) => "+",
        (false, true) => "-",
        (false, false) => " ",
    };
    (said, changed)
}

pub fn draw_outline(review: &Review, area: Rect, buffer: &mut Buffer) {
    let theme = &review.theme;
    let headings = review.source.headings();
    let here = headings.iter().rposition(|heading| heading.line <= review.view.cursor);
    let (chosen, focused) = match review.focus {
        Focus::Outline { at } => (Some(at), true),
        Focus::Plan | Focus::Field { .. } | Focus::Help { .. } | Focus::About { .. } => (here, false),
    };
    let top_level = headings.iter().map(|heading| heading.level).min().unwrap_or(1);
    // A single title over all would push everything to the right.
    let titled = headings.iter().filter(|heading| heading.level == top_level).count() == 1 && headings.len() > 1;
    let width = usize::from(area.width);
    let height = usize::from(area.height);
    let rest = if height < 12 { Vec::new() } else { summary(review, width) };
    let room = height.saturating_sub(if headings.len() + rest.len() > height {
        rest.len().min(height / 3)
    } else {
        rest.len()
    });
    // The heading that is meant stands in the middle.
    let from = chosen.unwrap_or_default().saturating_sub(room / 2).min(headings.len().saturating_sub(room));
    let mut rows: Vec<Line<'static>> = Vec::new();
    for (at, heading) in headings.iter().enumerate().skip(from).take(room.max(1)) {
        let depth = usize::from(heading.level - top_level).saturating_sub(usize::from(titled));
        let (said, changed) = section(review, at);
        let mark = if chosen == Some(at) { "› " } else { "  " };
        let words = format!("{mark}{}{}", "  ".repeat(depth.min(6)), heading.words);
        let style = match (chosen == Some(at), focused) {
            (true, true) => theme.armed,
            (true, false) => theme.strong,
            (false, _) => theme.text,
        };
        rows.push(Line::from(vec![
            Span::styled(text::padded(&words, width.saturating_sub(5)), style),
            Span::styled(if said { " ● " } else { "   " }, theme.comment),
            Span::styled(format!(" {changed}"), theme.changed),
        ]));
    }
    rows.extend(rest);
    for (row, place) in rows.into_iter().zip(area.rows()) {
        row.render(place, buffer);
    }
}

/// Counts, and the comments one by one.
fn summary(review: &Review, width: usize) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let mut rows = Vec::new();
    let changed = review.changes.added_lines + review.changes.changed_lines + review.changes.removed_lines;
    if review.remarks.is_empty() && review.earlier.is_empty() && changed == 0 {
        return rows;
    }
    rows.push(Line::default());
    if !review.remarks.is_empty() {
        rows.push(Line::styled(format!("  ● {}", text::counted(review.remarks.len(), "comment")), theme.comment));
    }
    if changed > 0 {
        rows.push(Line::styled(format!("  ± {}", text::counted(changed, "changed line")), theme.changed));
    }
    let mut said: Vec<(usize, String, &str)> = Vec::new();
    said.extend(
        review.remarks.iter().map(|one| (one.last, text::one_line(&one.text), if one.draft { "draft" } else { "" })),
    );
    let since = |unchanged: bool| if unchanged { "unchanged" } else { "changed" };
    said.extend(review.earlier.iter().map(|one| (one.line, text::one_line(&one.text), since(one.unchanged))));
    said.sort();
    if !said.is_empty() {
        rows.push(Line::default());
        rows.push(Line::styled("  Comments", theme.strong));
    }
    for (line, words, hint) in said {
        let room = width.saturating_sub(text::width(hint) + 2);
        let words = text::padded(&format!("  {} {words}", line + 1), room);
        rows.push(Line::from(vec![Span::styled(words, theme.text), Span::styled(format!(" {hint}"), theme.dim)]));
    }
    rows
}

fn text_rows(review: &Review, width: usize) -> Vec<Line<'static>> {
    match review.focus {
        Focus::Help { .. } => help(review, width),
        Focus::About { .. } => about(review, width),
        Focus::Plan | Focus::Field { .. } | Focus::Outline { .. } => Vec::new(),
    }
}

pub fn draw_text(review: &Review, area: Rect, buffer: &mut Buffer) {
    let rows = text_rows(review, usize::from(area.width));
    let top = match review.focus {
        Focus::Help { top } | Focus::About { top } => top,
        Focus::Plan | Focus::Field { .. } | Focus::Outline { .. } => 0,
    };
    for (row, place) in rows.into_iter().skip(top).zip(area.rows()) {
        row.render(place, buffer);
    }
}

fn help(review: &Review, width: usize) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let mut rows = vec![Line::styled(" All keys (esc closes)", theme.heading)];
    let mut tell = |keys: &str, does: &str| {
        let first = vec![Span::styled(format!(" {} ", text::padded(keys, 12)), theme.strong)];
        let next = vec![Span::raw(" ".repeat(14))];
        rows.extend(text::wrap(&Line::styled(does.to_string(), theme.text), width, &Prefix { first, next }));
    };
    for row in KEYS {
        tell(row.named, row.does);
    }
    tell("1 to 6", "arm a choice; 4 switches clearing the context on and off");
    tell("shift+tab", "cycle the mode, as anywhere; the plan is withdrawn then");
    tell("ctrl+z", "stop; `fg` comes back");
    tell("in a field", "enter saves, ctrl+j or shift+enter a new line, ctrl+g the editor, esc keeps it as a draft");
    rows
}

/// Which layer held the shell, what changed, what still runs (PM-87).
fn about(review: &Review, width: usize) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let request = &review.subject.request;
    let mut rows = vec![Line::styled(" About this plan (esc closes)", theme.heading)];
    let mut tell =
        |words: String, style: Style| rows.extend(text::wrap(&Line::styled(words, style), width, &Prefix::spaces(1)));
    tell(format!("file: {}", text::one_line(&request.plan_file_path)), theme.text);
    tell(format!("sha256: {}", request.sha256.as_deref().unwrap_or("none")), theme.text);
    if request.from.is_none() {
        let style = if request.layer == cutonce_core::approval::Layer::Readonly { theme.warning } else { theme.text };
        tell(format!("shell: {}", request.layer.describe()), style);
    }
    if let Some(notice) = &request.notice {
        tell(text::one_line(notice), theme.warning);
    }
    match request.changed_files.len() {
        0 if request.from.is_some() => {
            tell("What changed where the teammate works is not known here.".into(), theme.text)
        }
        0 => tell("0 files changed since plan mode was entered".into(), theme.text),
        many => tell(format!("{} changed since plan mode was entered:", text::counted(many, "file")), theme.warning),
    }
    for file in &request.changed_files {
        tell(format!("  {}", text::one_line(file)), theme.text);
    }
    for shell in &request.shells {
        tell(format!("still running: {}", text::one_line(shell)), theme.warning);
    }
    rows
}

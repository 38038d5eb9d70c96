//! The steps of the plan as the program understood them (PC-4), each approved, parked or dropped by key (PC-11).

use super::keys::{self, ReviewAction};
use super::{PlanReview, ReviewFocus};
use crate::overlays::OverlayOutcome;
use crate::render::text::{self, RowPrefix};
use cutonce_core::plan::approval::{is_locked, is_settled};
use cutonce_core::plan::contract::{PlanStep, PlannedFile, PlannedKind};
use cutonce_core::plan::progress::StepAnswer;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::time::Instant;

/// Keys of the steps view, long and short.
pub const STEPS_KEYS: [&str; 3] = [
    "a approve  p park  x drop  enter shows it in the plan  1 to 6 choose  esc back",
    "a approve  p park  x drop  enter plan  esc back",
    "a approve p park x drop esc back",
];

impl PlanReview {
    pub(super) fn open_steps(&mut self) {
        let Some(contract) = &self.contract else {
            self.notice = Some("the plan has no steps that the program can follow".into());
            return;
        };
        let line = self.viewport.cursor as u32 + 1;
        let at = contract.steps.iter().rposition(|step| step.lines[0] <= line).unwrap_or_default();
        self.focus = ReviewFocus::Steps { at, skip: 0 };
    }

    /// Handles a key in the steps view. A digit leaves it and arms the choice, as in the plan.
    pub(super) fn steps_key(
        &mut self,
        (at, skip): (usize, usize),
        key: KeyEvent,
        may_answer: bool,
        now: Instant,
    ) -> OverlayOutcome {
        self.arming.last_letter_at = None;
        let last = self.contract.as_ref().map_or(0, |contract| contract.steps.len().saturating_sub(1));
        let plain = key.modifiers - KeyModifiers::SHIFT == KeyModifiers::NONE;
        let answer = match key.code {
            KeyCode::Char('a') if plain => Some(StepAnswer::Approve),
            KeyCode::Char('p') if plain => Some(StepAnswer::Park),
            KeyCode::Char('x') if plain => Some(StepAnswer::Drop),
            KeyCode::Char(' ') if plain => Some(self.next_answer(at)),
            _ => None,
        };
        if let Some(answer) = answer {
            return self.answer_step(at, answer);
        }
        let page = self.viewport.height.max(4) / 3;
        // A step that is taller than the screen is scrolled first.
        let hidden = self.hidden_rows(at);
        let to = match keys::action_for_key(key) {
            Some(ReviewAction::PageUp) if skip > 0 => return self.show_step(at, skip.saturating_sub(page)),
            Some(ReviewAction::PageDown) if skip < hidden => return self.show_step(at, (skip + page).min(hidden)),
            Some(ReviewAction::Up) => at.saturating_sub(1),
            Some(ReviewAction::Down) => (at + 1).min(last),
            Some(ReviewAction::PageUp) => at.saturating_sub(page),
            Some(ReviewAction::PageDown) => (at + page).min(last),
            Some(ReviewAction::First) => 0,
            Some(ReviewAction::Last) => last,
            Some(ReviewAction::Confirm) => return self.show_step_in_plan(at),
            Some(ReviewAction::Steps | ReviewAction::Escape) => {
                self.focus = ReviewFocus::Plan;
                return OverlayOutcome::Redraw;
            }
            Some(ReviewAction::Help) => {
                self.focus = ReviewFocus::Help { top: 0 };
                return OverlayOutcome::Redraw;
            }
            Some(ReviewAction::Choose(digit)) if may_answer && key.kind != KeyEventKind::Repeat => {
                self.focus = ReviewFocus::Plan;
                return self.arm_choice(digit, now);
            }
            _ => return OverlayOutcome::Nothing,
        };
        self.show_step(to, 0)
    }

    fn show_step(&mut self, at: usize, skip: usize) -> OverlayOutcome {
        self.focus = ReviewFocus::Steps { at, skip };
        OverlayOutcome::Redraw
    }

    /// Rows of a step that do not fit on the screen.
    pub(super) fn hidden_rows(&self, at: usize) -> usize {
        let step = self.contract.as_ref().and_then(|contract| contract.steps.get(at));
        let rows = step.map_or(0, |step| step_rows(self, step, true, self.viewport.width).len());
        rows.saturating_sub(self.viewport.height)
    }

    fn next_answer(&self, at: usize) -> StepAnswer {
        let step = self.contract.as_ref().and_then(|contract| contract.steps.get(at));
        match step.map(|step| self.reply.terms.answer_about(step)).unwrap_or_default() {
            StepAnswer::Approve => StepAnswer::Park,
            StepAnswer::Park => StepAnswer::Drop,
            StepAnswer::Drop => StepAnswer::Approve,
        }
    }

    fn answer_step(&mut self, at: usize, answer: StepAnswer) -> OverlayOutcome {
        let Some(contract) = &self.contract else { return OverlayOutcome::Nothing };
        let Some(step) = contract.steps.get(at) else { return OverlayOutcome::Nothing };
        if let Err(why) = self.reply.terms.set_step(contract, &step.id, answer) {
            self.notice = Some(why.to_string());
        }
        self.save_draft(true);
        OverlayOutcome::Redraw
    }

    fn show_step_in_plan(&mut self, at: usize) -> OverlayOutcome {
        let step = self.contract.as_ref().and_then(|contract| contract.steps.get(at));
        let line = step.map_or(0, |step| step.lines[0].saturating_sub(1) as usize);
        self.focus = ReviewFocus::Plan;
        self.go_to_line(line);
        OverlayOutcome::Redraw
    }
}

/// Draws the steps so that the selected one is visible as a whole, or at least from its start.
pub fn draw(review: &PlanReview, (at, skip): (usize, usize), area: Rect, buffer: &mut Buffer) {
    let Some(contract) = &review.contract else { return };
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let mut rows: Vec<Line<'static>> = Vec::new();
    let mut selected = (0, 0);
    for (number, step) in contract.steps.iter().enumerate() {
        let first = rows.len();
        rows.extend(step_rows(review, step, number == at, width));
        if number == at {
            selected = (first, rows.len());
        }
    }
    for check in &contract.checks {
        let words = format!("  whole plan: {}", text::one_line(check));
        rows.extend(text::wrap(&Line::styled(words, review.theme.dim), width, &RowPrefix::spaces(0)));
    }
    let middle = selected.0.saturating_sub(height / 3);
    let top = middle.max(selected.1.saturating_sub(height)).min(selected.0).min(rows.len().saturating_sub(height));
    let top = if skip > 0 { selected.0 + skip } else { top };
    for (row, place) in rows.into_iter().skip(top).zip(area.rows()) {
        row.render(place, buffer);
    }
}

fn step_rows(review: &PlanReview, step: &PlanStep, selected: bool, width: usize) -> Vec<Line<'static>> {
    let theme = &review.theme;
    let (mark, state, style) = match review.reply.terms.answer_about(step) {
        _ if is_locked(step) => ("[=]", "done", theme.success),
        StepAnswer::Approve if is_settled(step) => ("[x]", "as approved", theme.dim),
        StepAnswer::Approve if review.subject.request.amends.is_some() => ("[x]", "changed or new", theme.text),
        StepAnswer::Approve => ("[x]", "", theme.text),
        StepAnswer::Park => ("[p]", "parked", theme.warning),
        StepAnswer::Drop => ("[ ]", "dropped", theme.dim),
    };
    let style = if selected { theme.strong } else { style };
    let first =
        vec![Span::styled(if selected { "› " } else { "  " }, theme.accent), Span::styled(format!("{mark} "), style)];
    let title = format!("{}. {}", step.id, text::one_line(&step.title));
    let mut words = vec![Span::styled(title, style)];
    if !state.is_empty() {
        words.push(Span::styled(format!("  {state}"), theme.warning));
    }
    let mut rows = text::wrap(&Line::from(words), width, &RowPrefix { first, next: vec![Span::raw(" ".repeat(6))] });
    let mut tell = |name: &str, words: String, style| {
        let first = vec![Span::styled(format!("      {name}"), theme.dim)];
        let prefix = RowPrefix { first, next: vec![Span::raw(" ".repeat(8))] };
        rows.extend(text::wrap(&Line::styled(text::one_line(&words), style), width, &prefix));
    };
    if !step.files.is_empty() {
        tell("files: ", step.files.iter().map(file_text).collect::<Vec<_>>().join(", "), theme.text);
    }
    step.checks.iter().for_each(|check| tell("check: ", check.clone(), theme.text));
    if !step.after.is_empty() {
        tell("after: ", step.after.join(", "), theme.dim);
    }
    let findings = review.contract.iter().flat_map(|contract| &contract.findings);
    for finding in findings.filter(|finding| finding.step.as_ref() == Some(&step.id)) {
        tell("! ", finding.text.clone(), theme.warning);
    }
    for file in review.stale().into_iter().flat_map(|stale| &stale.files).filter(|file| file.step == step.id) {
        tell("! ", format!("{} changed since the plan was submitted (i shows the diff)", file.path), theme.warning);
    }
    rows
}

fn file_text(file: &PlannedFile) -> String {
    match file.kind {
        PlannedKind::Any => file.path.clone(),
        PlannedKind::Change => format!("{} (change)", file.path),
        PlannedKind::New => format!("{} (new)", file.path),
        PlannedKind::Delete => format!("{} (delete)", file.path),
    }
}

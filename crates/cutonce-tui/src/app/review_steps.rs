//! The steps of the approved plan, live above the composer (PC-32): one line on small screens, else one per step.

use super::App;
use crate::render::text;
use crate::render::theme::Theme;
use crate::terminal;
use cutonce_core::plan::LiveStep;
use cutonce_core::plan::progress::StepState;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Below this height the steps are folded to one line.
const UNFOLDED_MIN_HEIGHT: u16 = 30;
const MAX_STEP_ROWS: usize = 8;

impl App {
    pub(super) fn step_lines(&self, width: usize) -> Vec<Line<'static>> {
        let unfolded = self.activity.expanded || terminal::size().1 >= UNFOLDED_MIN_HEIGHT;
        step_lines(&self.status.view.steps, unfolded, width, &self.theme)
    }
}

fn step_lines(steps: &[LiveStep], unfolded: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    if steps.is_empty() {
        return Vec::new();
    }
    let done = |step: &&LiveStep| matches!(step.state, StepState::Checked | StepState::Changed);
    let excluded = |step: &&LiveStep| matches!(step.state, StepState::Parked | StepState::Dropped);
    let wanted = steps.iter().filter(|step| !excluded(step)).count();
    let count = step_count(steps, wanted);
    // The step to watch: the first that is not done, or the last one.
    let at = steps.iter().position(|step| !done(&step) && !excluded(&step)).unwrap_or(steps.len() - 1);
    if !unfolded {
        let (mark, style) = state_mark(steps[at].state, theme);
        let words = format!("{}. {} · {count}", steps[at].id, text::one_line(&steps[at].title));
        let words = text::fit(&words, width.saturating_sub(4)).into_owned();
        return vec![Line::from(vec![Span::styled(format!("  {mark} "), style), Span::styled(words, theme.dim)])];
    }
    let from = at.saturating_sub(MAX_STEP_ROWS / 2).min(steps.len().saturating_sub(MAX_STEP_ROWS));
    let row = |step: &LiveStep| {
        let (mark, style) = state_mark(step.state, theme);
        let state = step.state.name();
        let room = width.saturating_sub(text::width(state) + 8);
        let words = text::fit(&format!("{}. {}", step.id, text::one_line(&step.title)), room).into_owned();
        Line::from(vec![
            Span::styled(format!("  {mark} "), style),
            Span::styled(words, theme.text),
            Span::styled(format!("  {state}"), style),
        ])
    };
    let mut lines: Vec<Line<'static>> = steps.iter().skip(from).take(MAX_STEP_ROWS).map(row).collect();
    if steps.len() > MAX_STEP_ROWS {
        lines.push(Line::styled(format!("  {count}"), theme.dim));
    }
    lines
}

/// Counts steps by evidence: a changed step is not called done, because its check may still fail (PC-30).
fn step_count(steps: &[LiveStep], wanted: usize) -> String {
    let count = |state: StepState| steps.iter().filter(|step| step.state == state).count();
    let changed = match count(StepState::Changed) {
        0 => String::new(),
        changed => format!(", {changed} changed"),
    };
    format!("{} of {wanted} checked{changed}", count(StepState::Checked))
}

fn state_mark(state: StepState, theme: &Theme) -> (&'static str, Style) {
    match state {
        StepState::Open => ("☐", theme.text),
        StepState::Changed => ("~", theme.changed),
        StepState::Checked => ("✓", theme.success),
        StepState::Failed => ("✗", theme.error),
        StepState::Parked | StepState::Dropped => ("–", theme.dim),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(states: &[StepState], unfolded: bool, width: usize) -> Vec<String> {
        let step = |(at, state): (usize, &StepState)| LiveStep {
            id: (at + 1).to_string(),
            title: "Do it\u{1b}[2J properly".into(),
            state: *state,
        };
        let steps: Vec<LiveStep> = states.iter().enumerate().map(step).collect();
        step_lines(&steps, unfolded, width, &Theme::default()).iter().map(text::plain_text).collect()
    }

    #[test]
    fn pc_32_small_screens_fold_steps_to_one_line() {
        use StepState::{Changed, Checked, Failed, Open, Parked};
        let states = [Checked, Failed, Open, Parked];
        let folded = shown(&states, false, 60);
        assert_eq!(folded.len(), 1);
        assert!(folded[0].starts_with("  ✗ 2. Do it") && folded[0].ends_with("1 of 3 checked"), "{folded:?}");
        assert!(shown(&[Changed, Open], false, 60)[0].ends_with("0 of 2 checked, 1 changed"));
        let all = shown(&states, true, 60);
        assert_eq!(all.len(), 4);
        assert!(all[0].starts_with("  ✓ 1.") && all[0].ends_with("checked") && all[3].ends_with("parked"), "{all:?}");
        let many = shown(&[Changed; 30], true, 30);
        assert_eq!(many.len(), MAX_STEP_ROWS + 1);
        assert!(many.iter().chain(&folded).all(|line| !line.contains('\u{1b}') && text::width(line) <= 60), "{many:?}");
        assert!(shown(&[], true, 60).is_empty());
    }
}

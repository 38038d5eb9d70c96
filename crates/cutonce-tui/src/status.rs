//! The status line and the line of work (UI-8, PM-140): what is so now, in as few columns as there are.

use crate::entry::{short_count, took};
use crate::text;
use crate::theme::Theme;
use cutonce_core::mode::Mode;
use cutonce_core::plan::Phase;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// PM-140, word for word.
pub const PLAN_ON: &str = "⏸ plan mode on (shift+tab to cycle)";
/// How far to the right the right side goes, unless it needs more.
const WIDEST: usize = 79;
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

#[derive(Debug, Clone, Default)]
pub struct Status {
    pub mode: Mode,
    pub phase: Option<Phase>,
    pub model: String,
    /// Tokens in the context, and how many the model's window holds.
    pub context: u64,
    pub window: u64,
    pub tokens: (u64, u64),
    pub cost: f64,
    pub branch: Option<String>,
    /// Commands that run in the background.
    pub tasks: usize,
    /// Shown in place of the mode's hint for a moment: «press again to quit».
    pub hint: Option<String>,
}

impl Status {
    /// One line, or two where the terminal is narrow.
    pub fn lines(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let (left, style) = self.left(theme);
        let mut right = self.right();
        let joined = |right: &[String]| right.join(" · ");
        // What matters least goes first; model, context and what runs in the background stay.
        let stays = 2 + usize::from(self.tasks > 0);
        while right.len() > stays && text::width(&left) + text::width(&joined(&right)) + 2 > width {
            let at = if right.len() > stays + 2 { right.len() - 1 } else { stays };
            right.remove(at);
        }
        let one = joined(&right);
        if text::width(&left) + text::width(&one) + 2 <= width {
            // Not to the edge of a wide window: a line as wide as that takes many rows when the window gets narrow, and those
            // above it go to the scrollback (UI-1).
            let gap = width.min(WIDEST).saturating_sub(text::width(&left) + text::width(&one)).max(2);
            return vec![Line::from(vec![
                Span::styled(left, style),
                Span::raw(" ".repeat(gap)),
                Span::styled(one, theme.dim),
            ])];
        }
        let left = text::wrap(&Line::styled(left, style), width, &text::Prefix::default());
        let mut right = self.right();
        while right.len() > stays && text::width(&joined(&right)) > width {
            right.pop();
        }
        let second = Line::styled(text::fit(&joined(&right), width).into_owned(), theme.dim);
        left.into_iter().chain([second]).collect()
    }

    fn left(&self, theme: &Theme) -> (String, Style) {
        if let Some(hint) = &self.hint {
            return (hint.clone(), theme.warning);
        }
        match self.mode {
            Mode::Plan => {
                let phase = self.phase.map(|phase| format!(" · {}", phase.name())).unwrap_or_default();
                (format!("{PLAN_ON}{phase}"), theme.plan)
            }
            Mode::Default => ("/help".into(), theme.dim),
            Mode::AcceptEdits => ("⏵⏵ accept edits on (shift+tab to cycle)".into(), theme.accent),
            Mode::Auto => ("⏵⏵ auto mode on (shift+tab to cycle)".into(), theme.warning),
            Mode::BypassPermissions => ("⚠ bypass permissions on (shift+tab to cycle)".into(), theme.error),
        }
    }

    fn right(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.model.is_empty() {
            parts.push(short_model(&self.model));
        }
        if self.window > 0 && self.context > 0 {
            parts.push(format!("{}%", (self.context * 100 / self.window).min(100)));
        }
        if self.tasks > 0 {
            parts.push(text::counted(self.tasks, "task"));
        }
        if self.cost >= 0.005 {
            parts.push(format!("${:.2}", self.cost));
        }
        if self.tokens.0 + self.tokens.1 > 0 {
            parts.push(format!("{} tokens", short_count(self.tokens.0 + self.tokens.1)));
        }
        parts.extend(self.branch.as_deref().map(text::one_line));
        parts
    }
}

/// What the agent is at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Work {
    pub what: String,
    pub seconds: u64,
    pub sent: u64,
    pub received: u64,
}

impl Work {
    pub fn line(&self, frame: usize, width: usize, theme: &Theme) -> Line<'static> {
        let mut parts = vec![self.what.clone(), took(self.seconds)];
        if self.sent + self.received > 0 {
            parts.push(format!("↑ {} ↓ {} tokens", short_count(self.sent), short_count(self.received)));
        }
        parts.push("esc to interrupt".into());
        while parts.len() > 2 && text::width(&parts.join(" · ")) + 2 > width {
            parts.remove(parts.len() - 2);
        }
        Line::from(vec![
            Span::styled(format!("{} ", spinner(frame)), theme.accent),
            Span::styled(text::fit(&parts.join(" · "), width.saturating_sub(2)).into_owned(), theme.dim),
        ])
    }
}

pub fn spinner(frame: usize) -> &'static str {
    SPINNER[frame % SPINNER.len()]
}

/// `anthropic/claude-opus-4-1-20250805` → `claude-opus-4-1`.
fn short_model(model: &str) -> String {
    let name = text::one_line(model.rsplit('/').next().unwrap_or(model));
    match name.rsplit_once('-') {
        Some((front, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => front.to_string(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(status: &Status, width: usize) -> Vec<String> {
        status.lines(width, &Theme::default()).iter().map(text::plain).collect()
    }

    #[test]
    fn pm_140_the_status_line_names_plan_mode_word_for_word_with_its_phase() {
        let status = Status {
            mode: Mode::Plan,
            phase: Some(Phase::Finalize),
            model: "anthropic/claude-opus-4-1-20250805".into(),
            context: 76_000,
            window: 200_000,
            cost: 0.42,
            branch: Some("main".into()),
            ..Status::default()
        };
        assert!(shown(&status, 100)[0].starts_with("⏸ plan mode on (shift+tab to cycle) · finalize "));
        assert!(shown(&status, 100)[0].ends_with("claude-opus-4-1 · 38% · $0.42 · main"));
        for width in [40, 50, 60, 80] {
            let lines = shown(&status, width);
            assert!(lines.iter().all(|line| text::width(line) <= width), "{lines:?}");
            assert!(lines.join(" ").contains("38%") && lines.join(" ").contains("finalize"), "{lines:?}");
        }
    }

    #[test]
    fn ui_8_what_runs_in_the_background_is_told_before_money_and_branch() {
        let status = Status {
            mode: Mode::BypassPermissions,
            model: "claude-sonnet-4-6".into(),
            context: 10,
            window: 1_000,
            cost: 0.04,
            tokens: (6_000, 300),
            tasks: 1,
            branch: Some("main".into()),
            ..Status::default()
        };
        for width in [40, 79] {
            assert!(shown(&status, width).join(" ").contains("1 task"), "{:?}", shown(&status, width));
        }
    }

    #[test]
    fn ui_8_work_says_what_how_long_tokens_and_how_to_stop_it() {
        let work = Work { what: "Finalizing".into(), seconds: 64, sent: 41_000, received: 3_100 };
        let line = text::plain(&work.line(2, 80, &Theme::default()));
        assert_eq!(line, "⠹ Finalizing · 1m 04s · ↑ 41k ↓ 3.1k tokens · esc to interrupt");
        assert!(text::plain(&work.line(2, 40, &Theme::default())).ends_with("esc to interrupt"));
    }
}

//! The status line and the progress line (UI-8, PM-140), fitted to the available width.

use crate::entries::{format_count, format_duration};
use crate::mode_text;
use crate::render::text;
use crate::render::theme::Theme;
use cutonce_core::protocol::view::SessionView;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Maximum column of the right-hand side, unless it needs more room.
const MAX_RIGHT_COLUMN: usize = 79;
const SPINNER_FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

#[derive(Debug, Clone, Default)]
pub struct StatusLine {
    pub view: SessionView,
    /// Size of the context window.
    pub window: u64,
    pub branch: Option<String>,
    /// The effort that the user chose; `None` is the default.
    pub effort: Option<cutonce_core::model_request::Effort>,
    /// The line that the user's own command printed (DU-7).
    pub own_text: Option<String>,
    /// Temporary hint shown instead of the mode, such as "press again to quit".
    pub hint: Option<String>,
}

impl StatusLine {
    /// Renders one line, or two on a narrow terminal.
    pub fn render(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let (left, style) = self.mode_text(theme);
        let mut right = self.detail_parts();
        let joined = |right: &[String]| right.join(" · ");
        // Drop the least important parts first; model, context and background tasks stay.
        let stays = 2 + usize::from(self.tasks() > 0);
        while right.len() > stays && text::width(&left) + text::width(&joined(&right)) + 2 > width {
            let at = if right.len() > stays + 2 { right.len() - 1 } else { stays };
            right.remove(at);
        }
        let one = joined(&right);
        if text::width(&left) + text::width(&one) + 2 <= width {
            // Stay away from the right edge of a wide window: when the window shrinks, such a line would wrap
            // into many rows and push the rows above it into the scrollback (UI-1).
            let gap = width.min(MAX_RIGHT_COLUMN).saturating_sub(text::width(&left) + text::width(&one)).max(2);
            return vec![Line::from(vec![
                Span::styled(left, style),
                Span::raw(" ".repeat(gap)),
                Span::styled(one, theme.dim),
            ])];
        }
        let left = text::wrap(&Line::styled(left, style), width, &text::RowPrefix::default());
        let mut right = self.detail_parts();
        while right.len() > stays && text::width(&joined(&right)) > width {
            right.pop();
        }
        let second = Line::styled(text::fit(&joined(&right), width).into_owned(), theme.dim);
        left.into_iter().chain([second]).collect()
    }

    /// The row of the user's own status line.
    pub fn own_line(&self, width: usize, theme: &Theme) -> Option<Line<'static>> {
        let text = text::one_line(self.own_text.as_deref()?);
        Some(Line::styled(text::fit(&text, width).into_owned(), theme.dim))
    }

    /// Number of running background commands.
    fn tasks(&self) -> usize {
        self.view.commands.running().len()
    }

    fn mode_text(&self, theme: &Theme) -> (String, Style) {
        if let Some(hint) = &self.hint {
            return (hint.clone(), theme.warning);
        }
        mode_text::status(&self.view, theme)
    }

    fn detail_parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.view.model.is_empty() {
            parts.push(short_model(&self.view.model));
        }
        if self.window > 0 && self.view.context > 0 {
            parts.push(format!("{}%", (self.view.context * 100 / self.window).min(100)));
        }
        if self.tasks() > 0 {
            parts.push(text::count_noun(self.tasks(), "task"));
        }
        if self.view.cost >= 0.005 {
            parts.push(format!("${:.2}", self.view.cost));
        }
        let tokens = self.view.sent + self.view.received;
        if tokens > 0 {
            parts.push(format!("{} tokens", format_count(tokens)));
        }
        parts.extend(self.branch.as_deref().map(text::one_line));
        parts
    }
}

/// Current activity of the agent, for the progress line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProgressLine {
    pub activity: String,
    pub seconds: u64,
    pub sent: u64,
    pub received: u64,
}

impl ProgressLine {
    pub fn render(&self, frame: usize, width: usize, theme: &Theme) -> Line<'static> {
        let mut parts = vec![self.activity.clone(), format_duration(self.seconds)];
        if self.sent + self.received > 0 {
            parts.push(format!("↑ {} ↓ {} tokens", format_count(self.sent), format_count(self.received)));
        }
        parts.push("esc to interrupt".into());
        while parts.len() > 2 && text::width(&parts.join(" · ")) + 2 > width {
            parts.remove(parts.len() - 2);
        }
        Line::from(vec![
            Span::styled(format!("{} ", spinner_frame(frame)), theme.accent),
            Span::styled(text::fit(&parts.join(" · "), width.saturating_sub(2)).into_owned(), theme.dim),
        ])
    }
}

pub fn spinner_frame(frame: usize) -> &'static str {
    SPINNER_FRAMES[frame % SPINNER_FRAMES.len()]
}

/// Shortens a model id: `anthropic/claude-opus-4-1-20250805` → `claude-opus-4-1`.
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
    use cutonce_core::mode::Mode;
    use cutonce_core::permission::Why;
    use cutonce_core::permission::rules::RuleBehavior;
    use cutonce_core::plan::PlanPhase;
    use cutonce_core::protocol::event::{DecisionRecord, Event, EventKind, FinishedCall};
    use serde_json::json;
    use std::sync::Arc;

    fn shown(status: &StatusLine, width: usize) -> Vec<String> {
        status.render(width, &Theme::default()).iter().map(text::plain_text).collect()
    }

    #[test]
    fn pm_140_status_line_shows_plan_mode_and_phase() {
        let status = StatusLine {
            view: SessionView {
                mode: Mode::Plan,
                phase: Some(PlanPhase::Write),
                model: "anthropic/claude-opus-4-1-20250805".into(),
                context: 76_000,
                cost: 0.42,
                ..SessionView::default()
            },
            window: 200_000,
            branch: Some("main".into()),
            ..StatusLine::default()
        };
        assert!(shown(&status, 100)[0].starts_with("⏸ plan mode on (shift+tab to cycle) · write "));
        assert!(shown(&status, 100)[0].ends_with("claude-opus-4-1 · 38% · $0.42 · main"));
        for width in [40, 50, 60, 80] {
            let lines = shown(&status, width);
            assert!(lines.iter().all(|line| text::width(line) <= width), "{lines:?}");
            assert!(lines.join(" ").contains("38%") && lines.join(" ").contains("write"), "{lines:?}");
        }
    }

    #[test]
    fn ui_8_background_tasks_outrank_cost_and_branch() {
        let mut view = SessionView {
            mode: Mode::BypassPermissions,
            model: "claude-sonnet-4-6".into(),
            context: 10,
            cost: 0.04,
            sent: 6_000,
            received: 300,
            ..SessionView::default()
        };
        let done = FinishedCall {
            call_id: "c".into(),
            name: "Bash".into(),
            input: json!({"command": "sleep 9"}),
            content: vec![],
            is_error: false,
            decision: DecisionRecord { behavior: RuleBehavior::Allow, why: Why::from_reason("") },
            duration_ms: 0,
            display: Some(json!({"background": "bash_1"})),
        };
        view.apply_event(&Event { session: "s".into(), at: 0, kind: EventKind::ToolFinished(Arc::new(done)) });
        let status = StatusLine { view, window: 1_000, branch: Some("main".into()), ..StatusLine::default() };
        for width in [40, 79] {
            assert!(shown(&status, width).join(" ").contains("1 task"), "{:?}", shown(&status, width));
        }
    }

    #[test]
    fn ui_8_progress_line_shows_activity_time_and_tokens() {
        let work = ProgressLine { activity: "Finalizing".into(), seconds: 64, sent: 41_000, received: 3_100 };
        let line = text::plain_text(&work.render(2, 80, &Theme::default()));
        assert_eq!(line, "⠹ Finalizing · 1m 04s · ↑ 41k ↓ 3.1k tokens · esc to interrupt");
        assert!(text::plain_text(&work.render(2, 40, &Theme::default())).ends_with("esc to interrupt"));
    }
}

//! What the terminal shows about the permission mode: its text in the status line, and what the agent does in plan
//! mode (PM-140).

use crate::render::theme::Theme;
use cutonce_core::mode::Mode;
use cutonce_core::plan::PlanPhase;
use cutonce_core::protocol::view::SessionView;
use ratatui::style::Style;

/// Status text of plan mode, verbatim from PM-140.
const PLAN_MODE_STATUS: &str = "⏸ plan mode on (shift+tab to cycle)";

/// Text and style of the mode in the status line.
pub fn status(view: &SessionView, theme: &Theme) -> (String, Style) {
    match view.mode {
        Mode::Plan => {
            let phase = view.phase.map(|phase| format!(" · {}", phase.name())).unwrap_or_default();
            (format!("{PLAN_MODE_STATUS}{phase}"), theme.planning)
        }
        Mode::Default => ("/help".into(), theme.dim),
        Mode::AcceptEdits => ("⏵⏵ accept edits on (shift+tab to cycle)".into(), theme.accent),
        Mode::Auto => ("⏵⏵ auto mode on (shift+tab to cycle)".into(), theme.warning),
        Mode::BypassPermissions => ("⚠ bypass permissions on (shift+tab to cycle)".into(), theme.error),
    }
}

/// The activity for the progress line: in plan mode the phase says more than "Working".
pub fn activity<'a>(view: &SessionView, activity: &'a str) -> &'a str {
    match (view.mode, view.phase, activity) {
        (Mode::Plan, Some(phase), "Working" | "Writing" | "Thinking") => match phase {
            PlanPhase::Understand => "Exploring",
            PlanPhase::Design => "Designing",
            PlanPhase::Review => "Reviewing",
            PlanPhase::Write => "Writing the plan",
            PlanPhase::Exit => "Submitting",
        },
        (_, _, activity) => activity,
    }
}

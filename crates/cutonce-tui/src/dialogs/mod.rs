//! Dialogs in the live area: permission asks (UI-5), the model's questions (UI-7) and entering plan mode
//! (PM-4).
//! A dialog is pure state: keys go in, a reply comes out. The key guard decides whether it accepts keys yet.

mod key_guard;
mod permission;
mod questions;

pub use key_guard::{KeyGuard, QUIET_TIME};

use crate::overlays::pager::PagerItem;
use crate::render::text;
use crate::render::theme::Theme;
use crate::text_area::TextArea;
use crossterm::event::KeyEvent;
use cutonce_core::mode::Mode;
use cutonce_core::protocol::event::{AskKind, AskView};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer};
use permission::PermissionDialog;
use questions::QuestionsDialog;
use ratatui::text::{Line, Span};

#[derive(Debug)]
pub enum Dialog {
    Permission(Box<PermissionDialog>),
    Questions(QuestionsDialog),
    EnterPlan(EnterPlanDialog),
}

/// Result of a key press in a dialog.
#[derive(Debug, PartialEq)]
pub enum DialogReply {
    Nothing,
    Redraw,
    Answer(AskAnswer),
    /// Show the full request on the whole screen.
    Details,
}

/// A rendered dialog: its lines, and the cursor if a text field is active.
pub struct RenderedDialog {
    pub lines: Vec<Line<'static>>,
    pub cursor: Option<(usize, usize)>,
}

impl Dialog {
    /// Creates the dialog for an ask; `None` for a plan, which has its own screen.
    /// `who` names the subagent or teammate that asks, if it is not the session itself; `mode` is the mode in which it
    /// asked.
    pub fn for_ask(ask: &AskView, who: Option<&str>, mode: Mode) -> Option<Dialog> {
        match &ask.kind {
            AskKind::Permission { why, suggestions, .. } => {
                Some(Dialog::Permission(Box::new(PermissionDialog::new(ask, who, why, suggestions, mode))))
            }
            AskKind::Questions(questions) => Some(Dialog::Questions(QuestionsDialog::new(questions.clone(), who))),
            AskKind::EnterPlan => Some(Dialog::EnterPlan(EnterPlanDialog::default())),
            AskKind::Plan { .. } => None,
        }
    }

    pub fn on_key(&mut self, key: KeyEvent) -> DialogReply {
        match self {
            Dialog::Permission(dialog) => dialog.on_key(key),
            Dialog::Questions(dialog) => dialog.on_key(key),
            Dialog::EnterPlan(dialog) => dialog.on_key(key),
        }
    }

    /// The user changed the mode while the dialog is open.
    pub fn set_mode(&mut self, mode: Mode) {
        match self {
            Dialog::Permission(dialog) => dialog.set_mode(mode),
            Dialog::Questions(_) | Dialog::EnterPlan(_) => {}
        }
    }

    /// Inserts pasted text into a text field. A paste never answers a dialog.
    pub fn paste(&mut self, text: &str) {
        match self {
            Dialog::Permission(dialog) => dialog.paste(text),
            Dialog::Questions(dialog) => dialog.paste(text),
            Dialog::EnterPlan(_) => {}
        }
    }

    pub fn draw(&self, width: usize, most: usize, ready: bool, theme: &Theme) -> RenderedDialog {
        let mut drawn = match self {
            Dialog::Permission(dialog) => dialog.draw(width, most.saturating_sub(2), theme),
            Dialog::Questions(dialog) => dialog.draw(width, most.saturating_sub(2), theme),
            Dialog::EnterPlan(dialog) => dialog.draw(width, theme),
        };
        // The dialog accepts keys once this line is visible, so that typed-ahead keys never answer.
        let hint = crate::render::text::wrap(
            &Line::styled(self.hint(), theme.dim),
            width,
            &crate::render::text::RowPrefix::spaces(2),
        );
        // Until then, reserve the same rows so that the layout does not change.
        let place = |row: Line<'static>| if ready { row } else { Line::raw(" ".repeat(text::line_width(&row))) };
        drawn.lines.extend(hint.into_iter().map(place));
        drawn
    }

    /// The keys of the dialog and what they do (DU-7).
    pub fn keys(&self) -> Vec<(String, String)> {
        let own: &[(&str, &str)] = match self {
            Dialog::Permission(_) => &[
                ("1", "yes, once"),
                ("2", "yes, and don't ask again for the rule that is shown"),
                ("← →", "another scope for 2"),
                ("3", "no, and tell the agent what to do instead; the turn continues"),
                ("esc", "no, and stop the turn"),
                ("pgup pgdn", "scroll the request"),
                ("ctrl+o", "the whole request"),
            ],
            Dialog::Questions(_) => &[
                ("1 to 9", "choose an answer"),
                ("space", "mark or unmark, where several answers are possible"),
                ("tab", "the next question"),
                ("ctrl+o", "the whole question"),
                ("esc", "skip the questions"),
            ],
            Dialog::EnterPlan(_) => &[("1", "yes"), ("2", "no"), ("esc", "no")],
        };
        let always = [
            ("↑ ↓ enter", "move and choose"),
            ("shift+tab", "cycle the mode"),
            ("ctrl+t", "show or fold todos and agents"),
            ("ctrl+c", "interrupt; twice: quit"),
        ];
        own.iter().copied().chain(always).map(|(key, help)| (key.to_string(), help.to_string())).collect()
    }

    fn hint(&self) -> String {
        match self {
            Dialog::Permission(dialog) => dialog.hint(),
            Dialog::Questions(dialog) => dialog.hint().to_string(),
            Dialog::EnterPlan(_) => "enter or a digit chooses · esc no".to_string(),
        }
    }

    /// The full request, for the pager.
    pub fn details(&self) -> Option<Vec<PagerItem>> {
        match self {
            Dialog::Permission(dialog) => Some(dialog.full_request()),
            Dialog::Questions(dialog) => Some(dialog.full_questions()),
            Dialog::EnterPlan(_) => None,
        }
    }
}

/// Zero-based index for a digit key.
fn digit_index(key: KeyEvent) -> Option<usize> {
    crate::input::keymap::typed_char(key).and_then(|c| c.to_digit(10)).and_then(|n| (n as usize).checked_sub(1))
}

fn option_line(n: usize, words: String, focused: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let style = if focused { theme.accent } else { theme.text };
    let mark = if focused { "› " } else { "  " };
    let prefix = crate::render::text::RowPrefix {
        first: vec![Span::styled(mark, theme.accent), Span::styled(format!("{} ", n + 1), theme.dim)],
        next: vec![Span::raw("    ")],
    };
    crate::render::text::wrap(&Line::styled(words, style), width, &prefix)
}

/// Cuts rows to a maximum and marks that there is more.
fn bounded_rows(mut rows: Vec<Line<'static>>, most: usize, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    if rows.len() > most.max(1) {
        rows.truncate(most.max(1));
        if let Some(last) = rows.last_mut() {
            let whole = text::line_width(last);
            *last = text::fit_line(std::mem::take(last), width.saturating_sub(9));
            let cut = text::line_width(last) < whole;
            last.spans.push(Span::styled(if cut { " ctrl+o" } else { " … ctrl+o" }, theme.dim));
        }
    }
    rows
}

/// Draws a text field behind a label, scrolled to the cursor. Returns the rows and the cursor position.
fn draw_text_field(
    label: &'static str,
    field: &TextArea,
    width: usize,
    most: usize,
    theme: &Theme,
) -> (Vec<Line<'static>>, (usize, usize)) {
    let margin = text::width(label);
    let (rows, (row, column)) = field.wrapped_rows(width.saturating_sub(margin + 1).max(2), theme.text);
    let top = (row + 1).saturating_sub(most.max(1));
    let begun = |(n, mut line): (usize, Line<'static>)| {
        let begin = if n == 0 { Span::styled(label, theme.dim) } else { Span::raw(" ".repeat(margin)) };
        line.spans.insert(0, begin);
        line
    };
    let shown = rows.into_iter().skip(top).take(most.max(1)).enumerate().map(begun).collect();
    (shown, (row - top, margin + column))
}

/// Asks before the model enters plan mode, if the settings require it (PM-4). As in every dialog, here and in
/// the plain front end, 1 is yes and 3 is no.
#[derive(Debug, Default)]
pub struct EnterPlanDialog {
    selected: usize,
}

impl EnterPlanDialog {
    fn on_key(&mut self, key: KeyEvent) -> DialogReply {
        use crossterm::event::KeyCode;
        let no = || {
            DialogReply::Answer(AskAnswer::Permission(PermissionAnswer::Deny {
                message: String::new(),
                interrupt: false,
            }))
        };
        let yes = || DialogReply::Answer(AskAnswer::Permission(PermissionAnswer::Allow { remember: vec![] }));
        match (key.code, digit_index(key)) {
            (_, Some(0)) => yes(),
            (_, Some(2)) => no(),
            (KeyCode::Esc, _) => no(),
            (KeyCode::Enter, _) if self.selected == 0 => yes(),
            (KeyCode::Enter, _) => no(),
            (KeyCode::Up | KeyCode::Down, _) => {
                self.selected = 1 - self.selected;
                DialogReply::Redraw
            }
            _ => DialogReply::Nothing,
        }
    }

    fn draw(&self, width: usize, theme: &Theme) -> RenderedDialog {
        let asked = Line::styled("The agent wants to plan before it changes anything.", theme.planning);
        let prefix = crate::render::text::RowPrefix {
            first: vec![Span::styled("? ", theme.planning)],
            next: vec![Span::raw("  ")],
        };
        let mut lines = crate::render::text::wrap(&asked, width, &prefix);
        lines.push(Line::raw(""));
        for (n, (place, words)) in [(0, "yes, plan first"), (2, "no, continue without a plan")].into_iter().enumerate()
        {
            lines.extend(option_line(place, words.into(), n == self.selected, width, theme));
        }
        RenderedDialog { lines, cursor: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyCode;

    #[test]
    fn pm_4_enter_plan_dialog_uses_the_usual_digits() {
        let shown = EnterPlanDialog::default().draw(60, &Theme::default()).lines;
        let shown: Vec<String> = shown.iter().map(text::plain_text).collect();
        assert_eq!(&shown[2..], ["› 1 yes, plan first", "  3 no, continue without a plan"]);
        let press = |c: char| EnterPlanDialog::default().on_key(KeyEvent::from(KeyCode::Char(c)));
        let answer = |answer| DialogReply::Answer(AskAnswer::Permission(answer));
        assert_eq!(press('1'), answer(PermissionAnswer::Allow { remember: vec![] }));
        assert_eq!(press('2'), DialogReply::Nothing);
        assert_eq!(press('3'), answer(PermissionAnswer::Deny { message: String::new(), interrupt: false }));
    }
}

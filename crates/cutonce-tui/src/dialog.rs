//! Questions to the person, drawn in the live area: permission (UI-5), choices of the model (UI-7), entering plan mode (PM-4).
//! Pure state: keys come in, a reply goes out. Whether keys count yet is decided in [`Guard`].

mod guard;
mod permission;
mod questions;

pub use guard::{Guard, QUIET};

use crate::overlay::pager::Item;
use crate::review::field::Field;
use crate::text;
use crate::theme::Theme;
use crossterm::event::KeyEvent;
use cutonce_core::event::{AskKind, AskView};
use cutonce_core::submission::{Answer, PermissionAnswer};
use permission::Permission;
use questions::Questions;
use ratatui::text::{Line, Span};

#[derive(Debug)]
pub enum Dialog {
    Permission(Box<Permission>),
    Questions(Questions),
    Enter(Enter),
}

/// What a key came to.
#[derive(Debug, PartialEq)]
pub enum Reply {
    Nothing,
    Redraw,
    Answer(Answer),
    /// All of what is asked about, on the whole screen.
    Details,
}

/// A drawn dialog: its lines, and the cursor where something is being written.
pub struct Drawn {
    pub lines: Vec<Line<'static>>,
    pub cursor: Option<(usize, usize)>,
}

impl Dialog {
    /// The dialog for an ask; a plan has a screen of its own.
    /// `who` wants it, where that is not the session itself.
    pub fn of(ask: &AskView, who: Option<&str>) -> Option<Dialog> {
        match &ask.kind {
            AskKind::Permission { why, suggestions, preview, .. } => {
                Some(Dialog::Permission(Box::new(Permission::new(ask, who, why, suggestions, preview.as_deref()))))
            }
            AskKind::Questions(questions) => Some(Dialog::Questions(Questions::new(questions.clone(), who))),
            AskKind::EnterPlan => Some(Dialog::Enter(Enter::default())),
            AskKind::Plan { .. } => None,
        }
    }

    pub fn key(&mut self, key: KeyEvent) -> Reply {
        match self {
            Dialog::Permission(dialog) => dialog.key(key),
            Dialog::Questions(dialog) => dialog.key(key),
            Dialog::Enter(dialog) => dialog.key(key),
        }
    }

    /// Pasted text may fill a field; it never answers.
    pub fn paste(&mut self, text: &str) {
        match self {
            Dialog::Permission(dialog) => dialog.paste(text),
            Dialog::Questions(dialog) => dialog.paste(text),
            Dialog::Enter(_) => {}
        }
    }

    pub fn draw(&self, width: usize, most: usize, ready: bool, theme: &Theme) -> Drawn {
        let mut drawn = match self {
            Dialog::Permission(dialog) => dialog.draw(width, most.saturating_sub(2), theme),
            Dialog::Questions(dialog) => dialog.draw(width, most.saturating_sub(2), theme),
            Dialog::Enter(dialog) => dialog.draw(width, theme),
        };
        // Keys count once this line is there: what was typed ahead never answers.
        let hint = crate::text::wrap(&Line::styled(self.hint(), theme.dim), width, &crate::text::Prefix::spaces(2));
        // Until then its place is kept, as wide as it will be: whether all fits does not change.
        let place = |row: Line<'static>| if ready { row } else { Line::raw(" ".repeat(text::line_width(&row))) };
        drawn.lines.extend(hint.into_iter().map(place));
        drawn
    }

    fn hint(&self) -> &'static str {
        match self {
            Dialog::Permission(dialog) => dialog.hint(),
            Dialog::Questions(dialog) => dialog.hint(),
            Dialog::Enter(_) => "enter or a digit chooses · esc no",
        }
    }

    /// All of what is asked about, for the whole screen.
    pub fn details(&self) -> Option<Vec<Item>> {
        match self {
            Dialog::Permission(dialog) => Some(dialog.whole()),
            Dialog::Questions(dialog) => Some(dialog.whole()),
            Dialog::Enter(_) => None,
        }
    }
}

/// A digit as the place in a list.
fn digit(key: KeyEvent) -> Option<usize> {
    crate::keymap::typed(key).and_then(|c| c.to_digit(10)).and_then(|n| (n as usize).checked_sub(1))
}

fn option_line(n: usize, words: String, focused: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let style = if focused { theme.accent } else { theme.text };
    let mark = if focused { "› " } else { "  " };
    let prefix = crate::text::Prefix {
        first: vec![Span::styled(mark, theme.accent), Span::styled(format!("{} ", n + 1), theme.dim)],
        next: vec![Span::raw("    ")],
    };
    crate::text::wrap(&Line::styled(words, style), width, &prefix)
}

/// The first rows of something; that there is more is said.
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

/// Own words behind a label, as many rows around the cursor as fit; and where the cursor is among them.
fn written(
    label: &'static str,
    field: &Field,
    width: usize,
    most: usize,
    theme: &Theme,
) -> (Vec<Line<'static>>, (usize, usize)) {
    let margin = text::width(label);
    let (rows, (row, column)) = field.rows(width.saturating_sub(margin + 1).max(2), theme.text);
    let top = (row + 1).saturating_sub(most.max(1));
    let begun = |(n, mut line): (usize, Line<'static>)| {
        let begin = if n == 0 { Span::styled(label, theme.dim) } else { Span::raw(" ".repeat(margin)) };
        line.spans.insert(0, begin);
        line
    };
    let shown = rows.into_iter().skip(top).take(most.max(1)).enumerate().map(begun).collect();
    (shown, (row - top, margin + column))
}

/// PM-4: the settings want to be asked before the model plans. The digits are those of every dialog, here and in plain lines:
/// 1 is yes, 3 is no.
#[derive(Debug, Default)]
pub struct Enter {
    at: usize,
}

impl Enter {
    fn key(&mut self, key: KeyEvent) -> Reply {
        use crossterm::event::KeyCode;
        let no =
            || Reply::Answer(Answer::Permission(PermissionAnswer::Deny { message: String::new(), interrupt: false }));
        let yes = || Reply::Answer(Answer::Permission(PermissionAnswer::Allow { remember: vec![] }));
        match (key.code, digit(key)) {
            (_, Some(0)) => yes(),
            (_, Some(2)) => no(),
            (KeyCode::Esc, _) => no(),
            (KeyCode::Enter, _) if self.at == 0 => yes(),
            (KeyCode::Enter, _) => no(),
            (KeyCode::Up | KeyCode::Down, _) => {
                self.at = 1 - self.at;
                Reply::Redraw
            }
            _ => Reply::Nothing,
        }
    }

    fn draw(&self, width: usize, theme: &Theme) -> Drawn {
        let asked = Line::styled("The agent wants to plan before it changes anything.", theme.plan);
        let prefix = crate::text::Prefix { first: vec![Span::styled("? ", theme.plan)], next: vec![Span::raw("  ")] };
        let mut lines = crate::text::wrap(&asked, width, &prefix);
        lines.push(Line::raw(""));
        for (n, (place, words)) in [(0, "yes, plan first"), (2, "no, go on without a plan")].into_iter().enumerate() {
            lines.extend(option_line(place, words.into(), n == self.at, width, theme));
        }
        Drawn { lines, cursor: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyCode;

    #[test]
    fn pm_4_entering_plan_mode_has_the_digits_of_every_dialog() {
        let shown = Enter::default().draw(60, &Theme::default()).lines;
        let shown: Vec<String> = shown.iter().map(text::plain).collect();
        assert_eq!(&shown[2..], ["› 1 yes, plan first", "  3 no, go on without a plan"]);
        let press = |c: char| Enter::default().key(KeyEvent::from(KeyCode::Char(c)));
        let answer = |answer| Reply::Answer(Answer::Permission(answer));
        assert_eq!(press('1'), answer(PermissionAnswer::Allow { remember: vec![] }));
        assert_eq!(press('2'), Reply::Nothing);
        assert_eq!(press('3'), answer(PermissionAnswer::Deny { message: String::new(), interrupt: false }));
    }
}

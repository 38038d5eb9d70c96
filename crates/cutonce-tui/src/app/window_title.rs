//! The window title (DU-7): the session and its state. It is written only when it changes.

use super::App;
use crate::render::text;
use crate::terminal;
use std::io;

/// Longest session name in the title.
const MAX_NAME: usize = 40;

impl App {
    /// Sets the window title if it has changed.
    pub(super) fn update_title(&mut self) -> io::Result<()> {
        let folder = self.environment.cwd.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = self.log.first_user_message().map(str::to_string).or(folder).unwrap_or_default();
        let state = match (self.asks.has_dialog() || self.asks.reviews.is_pending(), self.turn.is_some()) {
            (true, _) => TitleState::Waiting,
            (false, true) => TitleState::Working,
            (false, false) => TitleState::Idle,
        };
        let Some(shown) = &mut self.screen.title else { return Ok(()) };
        let title = title_text(&name, state);
        if *shown == title {
            return Ok(());
        }
        *shown = title;
        terminal::write(format!("\x1b]0;{shown}\x07").as_bytes())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TitleState {
    Idle,
    Working,
    Waiting,
}

/// The title; outside text can't end the sequence or hide in it.
fn title_text(name: &str, state: TitleState) -> String {
    let name = text::one_line(name.lines().next().unwrap_or_default().trim());
    let name: String = name.chars().take(MAX_NAME).collect();
    let mark = match state {
        TitleState::Idle => "",
        TitleState::Working => "● ",
        TitleState::Waiting => "? ",
    };
    format!("{mark}cutonce: {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_7_title_names_session_and_state() {
        assert_eq!(title_text("fix the tests\nplease", TitleState::Working), "● cutonce: fix the tests");
        assert_eq!(title_text("project", TitleState::Idle), "cutonce: project");
        assert!(title_text("a", TitleState::Waiting).starts_with("? "));
        let hostile = title_text("a\x07\x1b]52;c;x\x07b", TitleState::Idle);
        assert!(!hostile.contains(['\x07', '\x1b']), "{hostile:?}");
        assert!(title_text(&"x".repeat(500), TitleState::Idle).chars().count() < 60);
    }
}

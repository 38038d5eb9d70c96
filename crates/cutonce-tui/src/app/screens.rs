//! What takes the whole screen, made from what the app knows: the review of a plan, the pager, the pickers.

use super::App;
use crate::overlay::Overlay;
use crate::theme::Name;
use cutonce_core::approval::{Answer, Request};
use cutonce_core::settings::Theme;
use ratatui::text::Line;

impl App {
    pub(super) fn theme_name(&self) -> Name {
        match self.settings.theme {
            Theme::Auto | Theme::Dark => Name::Dark,
            Theme::Light => Name::Light,
            Theme::Plain => Name::Ansi,
        }
    }

    /// The branch of the folder, from git's own file: no program is started for it.
    pub(super) fn branch(&self) -> Option<String> {
        let mut folder = self.around.cwd.as_path();
        loop {
            let git = folder.join(".git");
            if let Ok(head) = std::fs::read_to_string(git.join("HEAD")) {
                let head = head.trim();
                return Some(head.strip_prefix("ref: refs/heads/").unwrap_or(head.get(..8)?).to_string());
            }
            folder = folder.parent()?;
        }
    }
}

impl App {
    pub(super) fn review(
        &mut self,
        request: &Request,
        _previous: Option<&str>,
        _draft: Option<&Answer>,
    ) -> Box<dyn Overlay> {
        let plan = request.plan.clone().unwrap_or_default();
        Box::new(Page { lines: crate::markdown::render(&plan, self.width(), &self.theme), top: 0 })
    }
    pub(super) fn show_lines(&mut self, _title: &str, lines: Vec<Line<'static>>) {
        self.cover(Box::new(Page { lines, top: 0 }), None);
    }
    pub(super) fn pick_session(&mut self) {}
    pub(super) fn rewind(&mut self) {}
}

struct Page {
    lines: Vec<Line<'static>>,
    top: usize,
}

impl Overlay for Page {
    fn key(&mut self, key: crossterm::event::KeyEvent, _now: std::time::Instant) -> crate::overlay::Outcome {
        match crate::keymap::name_of(key).as_str() {
            "esc" | "q" => return crate::overlay::Outcome::Close,
            "down" => self.top += 1,
            "up" => self.top = self.top.saturating_sub(1),
            _ => {}
        }
        crate::overlay::Outcome::Redraw
    }
    fn paste(&mut self, _text: &str, _now: std::time::Instant) -> crate::overlay::Outcome {
        crate::overlay::Outcome::Nothing
    }
    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, _now: std::time::Instant) {
        let area = frame.area();
        for (n, line) in self.lines.iter().skip(self.top).take(area.height as usize).enumerate() {
            frame.buffer_mut().set_line(0, n as u16, line, area.width);
        }
    }
}

//! What the pickers have in common: a list with a chosen row, words that narrow it, a preview beside or below.

use crate::text;
use crate::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// From this width on the preview stands beside the list.
const WIDE: u16 = 100;

#[derive(Debug, Default)]
pub struct List {
    pub chosen: usize,
    top: usize,
    page: usize,
    pub words: String,
}

impl List {
    /// A key that moves within `count` rows; true if it was one.
    pub fn moves(&mut self, key: KeyEvent, count: usize) -> bool {
        let last = count.saturating_sub(1);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        self.chosen = match key.code {
            KeyCode::Up => self.chosen.saturating_sub(1),
            KeyCode::Down => self.chosen + 1,
            KeyCode::Char('p') if control => self.chosen.saturating_sub(1),
            KeyCode::Char('n') if control => self.chosen + 1,
            KeyCode::PageUp => self.chosen.saturating_sub(self.page.max(1)),
            KeyCode::PageDown => self.chosen + self.page.max(1),
            KeyCode::Home => 0,
            KeyCode::End => last,
            _ => return false,
        }
        .min(last);
        true
    }

    /// A key that changes the words; true if it was one.
    pub fn types(&mut self, key: KeyEvent) -> bool {
        match key.code {
            KeyCode::Char('u' | 'w') if key.modifiers.contains(KeyModifiers::CONTROL) => self.words.clear(),
            KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                self.words.push(c)
            }
            KeyCode::Backspace => drop(self.words.pop()),
            _ => return false,
        }
        (self.chosen, self.top) = (0, 0);
        true
    }

    /// The rows that are on the screen; the chosen one is marked.
    pub fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        count: usize,
        theme: &Theme,
        row: impl Fn(usize, usize) -> Line<'static>,
    ) {
        self.page = usize::from(area.height);
        self.chosen = self.chosen.min(count.saturating_sub(1));
        self.top = self.top.min(self.chosen).max((self.chosen + 1).saturating_sub(self.page));
        for (at, place) in (self.top..count).zip(area.rows()) {
            let width = usize::from(place.width).saturating_sub(2);
            let mut line = text::fit_line(row(at, width), width);
            line.spans.insert(0, if at == self.chosen { "› ".into() } else { "  ".into() });
            let line = if at == self.chosen { line.patch_style(theme.strong) } else { line };
            line.render(place, buffer);
            if at == self.chosen {
                buffer.set_style(place, theme.selection);
            }
        }
    }
}

/// Title row, list, preview, keys.
pub struct Places {
    pub title: Rect,
    pub list: Rect,
    pub preview: Rect,
    pub keys: Rect,
}

impl Places {
    /// `keys`: rows that the keys need.
    pub fn of(area: Rect, rows: usize, keys: usize) -> Option<Places> {
        if area.height < 4 || area.width < 8 {
            return None;
        }
        let title = Rect { height: 1, ..area };
        let keys = u16::try_from(keys.max(1)).unwrap_or(u16::MAX).min(area.height - 3);
        let body = Rect { y: area.y + 1, height: area.height - 1 - keys, ..area };
        let keys = Rect { y: body.bottom(), height: keys, ..area };
        let (list, preview) = if area.width >= WIDE {
            let left = area.width * 11 / 20;
            (Rect { width: left - 1, ..body }, Rect { x: body.x + left, width: body.width - left, ..body })
        } else {
            let most = body.height.saturating_sub(body.height / 2);
            let high = most.min(u16::try_from(rows.max(1)).unwrap_or(u16::MAX));
            let below = body.height - high;
            let gap = u16::from(below > 2);
            (Rect { height: high, ..body }, Rect { y: body.y + high + gap, height: below - gap, ..body })
        };
        Some(Places { title, list, preview, keys })
    }
}

pub fn bar(area: Rect, buffer: &mut Buffer, words: &str, style: ratatui::style::Style) {
    Line::styled(text::padded(&format!(" {words}"), usize::from(area.width)), style).render(area, buffer);
}

/// Keys as rows of a width: on a narrow screen they take more rows, and none of them disappears (UI-11).
pub fn key_rows(keys: &[&str], width: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for key in keys.iter().filter(|key| !key.is_empty()) {
        match rows.last_mut() {
            Some(row) if text::width(row) + 3 + text::width(key) < width => row.push_str(&format!(" · {key}")),
            Some(_) | None => rows.push(key.to_string()),
        }
    }
    rows
}

pub fn draw_keys(area: Rect, buffer: &mut Buffer, rows: &[String], style: ratatui::style::Style) {
    rows.iter().zip(area.rows()).for_each(|(row, place)| bar(place, buffer, row, style));
}

/// `now`, `5 min`, `3 h`, `12 d` before `now`, both in seconds since 1970.
pub fn ago(then: u64, now: u64) -> String {
    match now.saturating_sub(then) {
        0..60 => "now".into(),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h", seconds / 3_600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
pub mod tests {
    use crate::overlay::{Outcome, Overlay};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use std::time::Instant;

    pub fn screen(overlay: &mut dyn Overlay, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| overlay.draw(frame, Instant::now())).unwrap();
        let buffer = terminal.backend().buffer().clone();
        // A wide character takes the cell behind it, too.
        let row = |y: u16| {
            let (mut x, mut row) = (0, String::new());
            while x < width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                x += (crate::text::width(symbol) as u16).max(1);
            }
            row
        };
        (0..height).map(|y| format!("{}\n", row(y).trim_end())).collect()
    }

    /// Characters as they are typed; ⏎ is Enter, ⎋ Esc, ▼ ▲ the arrows, ⇟ ⇞ pages, ⇥ Tab.
    pub fn press(overlay: &mut dyn Overlay, keys: &str) -> Outcome {
        let mut last = Outcome::Nothing;
        for key in keys.chars() {
            let code = match key {
                '⏎' => KeyCode::Enter,
                '⎋' => KeyCode::Esc,
                '▼' => KeyCode::Down,
                '▲' => KeyCode::Up,
                '⇟' => KeyCode::PageDown,
                '⇞' => KeyCode::PageUp,
                '⇥' => KeyCode::Tab,
                c => KeyCode::Char(c),
            };
            last = overlay.key(KeyEvent::new(code, KeyModifiers::NONE), Instant::now());
        }
        last
    }
}

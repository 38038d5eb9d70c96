//! Parts shared by the pickers: a list with a selected row, a search text, and a preview next to or below the
//! list.

use crate::render::text;
use crate::render::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// From this width on, the preview is placed to the right of the list.
const MIN_WIDE_WIDTH: u16 = 100;

#[derive(Debug, Default)]
pub struct PickerList {
    pub selected: usize,
    top: usize,
    page: usize,
    pub search: String,
}

impl PickerList {
    /// Moves the selection if the key is a movement. Returns true if it was.
    pub fn handle_move(&mut self, key: KeyEvent, count: usize) -> bool {
        let last = count.saturating_sub(1);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        self.selected = match key.code {
            KeyCode::Up => self.selected.saturating_sub(1),
            KeyCode::Down => self.selected + 1,
            KeyCode::Char('p') if control => self.selected.saturating_sub(1),
            KeyCode::Char('n') if control => self.selected + 1,
            KeyCode::PageUp => self.selected.saturating_sub(self.page.max(1)),
            KeyCode::PageDown => self.selected + self.page.max(1),
            KeyCode::Home => 0,
            KeyCode::End => last,
            _ => return false,
        }
        .min(last);
        true
    }

    /// Edits the search text. Returns true if the key was handled.
    pub fn edit_search(&mut self, key: KeyEvent) -> bool {
        match key.code {
            KeyCode::Char('u' | 'w') if key.modifiers.contains(KeyModifiers::CONTROL) => self.search.clear(),
            KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                self.search.push(c)
            }
            KeyCode::Backspace => drop(self.search.pop()),
            _ => return false,
        }
        (self.selected, self.top) = (0, 0);
        true
    }

    /// Draws the visible rows and highlights the selected one.
    pub fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        count: usize,
        theme: &Theme,
        row: impl Fn(usize, usize) -> Line<'static>,
    ) {
        self.page = usize::from(area.height);
        self.selected = self.selected.min(count.saturating_sub(1));
        self.top = self.top.min(self.selected).max((self.selected + 1).saturating_sub(self.page));
        for (at, place) in (self.top..count).zip(area.rows()) {
            let width = usize::from(place.width).saturating_sub(2);
            let mut line = text::fit_line(row(at, width), width);
            line.spans.insert(0, if at == self.selected { "› ".into() } else { "  ".into() });
            let line = if at == self.selected { line.patch_style(theme.strong) } else { line };
            line.render(place, buffer);
            if at == self.selected {
                buffer.set_style(place, theme.selection);
            }
        }
    }
}

/// Screen areas of a picker: title, list, preview and keys.
pub struct PickerLayout {
    pub title: Rect,
    pub list: Rect,
    pub preview: Rect,
    pub keys: Rect,
}

impl PickerLayout {
    /// Splits the screen. `keys` is the number of rows for the key hints.
    pub fn split(area: Rect, rows: usize, keys: usize) -> Option<PickerLayout> {
        if area.height < 4 || area.width < 8 {
            return None;
        }
        let title = Rect { height: 1, ..area };
        let keys = u16::try_from(keys.max(1)).unwrap_or(u16::MAX).min(area.height - 3);
        let body = Rect { y: area.y + 1, height: area.height - 1 - keys, ..area };
        let keys = Rect { y: body.bottom(), height: keys, ..area };
        let (list, preview) = if area.width >= MIN_WIDE_WIDTH {
            let left = area.width * 11 / 20;
            (Rect { width: left - 1, ..body }, Rect { x: body.x + left, width: body.width - left, ..body })
        } else {
            let most = body.height.saturating_sub(body.height / 2);
            let high = most.min(u16::try_from(rows.max(1)).unwrap_or(u16::MAX));
            let below = body.height - high;
            let gap = u16::from(below > 2);
            (Rect { height: high, ..body }, Rect { y: body.y + high + gap, height: below - gap, ..body })
        };
        Some(PickerLayout { title, list, preview, keys })
    }
}

pub fn draw_bar(area: Rect, buffer: &mut Buffer, words: &str, style: ratatui::style::Style) {
    Line::styled(text::pad_to(&format!(" {words}"), usize::from(area.width)), style).render(area, buffer);
}

/// Wraps key hints into rows, so that a narrow screen shows all of them (UI-11).
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
    rows.iter().zip(area.rows()).for_each(|(row, place)| draw_bar(place, buffer, row, style));
}

/// Formats an age as `now`, `5 min`, `3 h` or `12 d`; both times are seconds since 1970.
pub fn format_age(then: u64, now: u64) -> String {
    match now.saturating_sub(then) {
        0..60 => "now".into(),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h", seconds / 3_600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
pub mod tests {
    use crate::overlays::{Overlay, OverlayOutcome};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use std::time::Instant;

    pub fn screen(overlay: &mut dyn Overlay, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| overlay.draw(frame, frame.area(), Instant::now())).unwrap();
        let buffer = terminal.backend().buffer().clone();
        // A wide character also occupies the next cell.
        let row = |y: u16| {
            let (mut x, mut row) = (0, String::new());
            while x < width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                x += (crate::render::text::width(symbol) as u16).max(1);
            }
            row
        };
        (0..height).map(|y| format!("{}\n", row(y).trim_end())).collect()
    }

    /// The key of a character: ⏎ is Enter, ⎋ Esc, ▼ ▲ the arrows, ⇟ ⇞ pages, ⇥ Tab.
    pub fn key_code(key: char) -> KeyCode {
        match key {
            '⏎' => KeyCode::Enter,
            '⎋' => KeyCode::Esc,
            '▼' => KeyCode::Down,
            '▲' => KeyCode::Up,
            '⇟' => KeyCode::PageDown,
            '⇞' => KeyCode::PageUp,
            '⇥' => KeyCode::Tab,
            c => KeyCode::Char(c),
        }
    }

    /// Presses keys given as characters of [`key_code`].
    pub fn press(overlay: &mut dyn Overlay, keys: &str) -> OverlayOutcome {
        let mut last = OverlayOutcome::Nothing;
        for key in keys.chars() {
            last = overlay.on_key(KeyEvent::new(key_code(key), KeyModifiers::NONE), Instant::now());
        }
        last
    }
}

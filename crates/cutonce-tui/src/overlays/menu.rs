//! A menu of items with actions (UI-9): agents, MCP servers, rules, files. The app performs the action of a
//! key and shows the updated menu. Keys without an action on the selected row do nothing.

use super::pager::{self, PagerItem};
use super::picker_list::{PickerLayout, PickerList, draw_bar, draw_keys, key_rows};
use super::{Overlay, OverlayOutcome};
use crate::render::text;
use crate::render::theme::Theme;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::time::{Duration, Instant};

/// Refresh interval while an item is changing its state.
const RELOAD_INTERVAL: Duration = Duration::from_millis(300);
const MAX_TEXT_LEN: usize = 300;
/// Columns of the mark before each row.
const MARK_WIDTH: usize = 2;

/// Identifies the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuKind {
    Agents,
    Mcp,
    Permissions,
    Memory,
    Config,
    Tasks,
    Submissions,
    Trust,
    Model,
    Effort,
    Mode,
    Theme,
}

#[derive(Debug, Clone, Default)]
pub struct MenuRow {
    /// Identifies the row for the app.
    pub id: String,
    pub name: String,
    /// Text after the name.
    pub note: String,
    /// Draw the note as a warning.
    pub is_warning: bool,
    /// The item is changing its state, so the menu refreshes.
    pub is_changing: bool,
    pub preview: Vec<PagerItem>,
    /// Menu keys that apply to this row.
    pub keys: &'static str,
}

/// A menu key and its action; `⏎` is Enter.
#[derive(Debug, Clone, Copy)]
pub struct MenuKey {
    pub key: char,
    pub label: &'static str,
    /// Prompt for a text that the action needs.
    pub prompt: Option<&'static str>,
    /// The key works without a selected row.
    pub needs_no_row: bool,
}

impl MenuKey {
    pub const fn new(key: char, words: &'static str) -> MenuKey {
        MenuKey { key, label: words, prompt: None, needs_no_row: false }
    }
    /// A key that works without a row.
    pub const fn without_row(key: char, words: &'static str) -> MenuKey {
        MenuKey { key, label: words, prompt: None, needs_no_row: true }
    }
    pub const fn with_prompt(key: char, words: &'static str, asks: &'static str) -> MenuKey {
        MenuKey { key, label: words, prompt: Some(asks), needs_no_row: true }
    }
}

type RowLoader = Box<dyn FnMut() -> Vec<MenuRow>>;

pub struct Menu {
    kind: MenuKind,
    title: String,
    rows: Vec<MenuRow>,
    keys: &'static [MenuKey],
    theme: Theme,
    list: PickerList,
    /// The key whose text is being entered, and the text so far.
    asking: Option<(MenuKey, String)>,
    notice: Option<String>,
    loader: Option<RowLoader>,
    next_reload: Option<Instant>,
    /// Text shown if the menu has no rows.
    empty: String,
    /// What Esc does.
    esc_label: &'static str,
}

impl Menu {
    pub fn new(
        which: MenuKind,
        title: impl Into<String>,
        rows: Vec<MenuRow>,
        keys: &'static [MenuKey],
        theme: Theme,
    ) -> Menu {
        Menu {
            kind: which,
            title: title.into(),
            rows,
            keys,
            theme,
            list: PickerList::default(),
            asking: None,
            notice: None,
            loader: None,
            next_reload: None,
            empty: String::new(),
            esc_label: "back",
        }
    }
    /// Sets the text for a menu without rows.
    pub fn with_empty_text(mut self, words: impl Into<String>) -> Menu {
        self.empty = words.into();
        self
    }
    /// Says what Esc does.
    pub fn with_esc_label(mut self, label: &'static str) -> Menu {
        self.esc_label = label;
        self
    }
    /// Selects the row with this id.
    pub fn with_selected(mut self, id: &str) -> Menu {
        self.list.selected = self.rows.iter().position(|row| row.id == id).unwrap_or_default();
        self
    }
    /// Shows a notice instead of the keys until a key is pressed.
    pub fn with_notice(mut self, notice: Option<String>) -> Menu {
        self.notice = notice;
        self
    }
    /// Sets a function that reloads the rows while one of them is changing.
    pub fn with_loader(mut self, look: RowLoader) -> Menu {
        self.loader = Some(look);
        self
    }

    fn selected_row(&self) -> Option<&MenuRow> {
        self.rows.get(self.list.selected)
    }

    fn accepts_key(&self, key: &MenuKey) -> bool {
        key.needs_no_row || self.selected_row().is_some_and(|row| row.keys.contains(key.key))
    }

    fn press_key(&mut self, pressed: char) -> OverlayOutcome {
        let Some(key) = self.keys.iter().find(|key| key.key == pressed).copied().filter(|key| self.accepts_key(key))
        else {
            return OverlayOutcome::Nothing;
        };
        if key.prompt.is_some() {
            self.asking = Some((key, String::new()));
            return OverlayOutcome::Redraw;
        }
        self.pick_row(pressed, String::new())
    }

    fn pick_row(&self, key: char, words: String) -> OverlayOutcome {
        let id = self.selected_row().map(|row| row.id.clone()).unwrap_or_default();
        OverlayOutcome::MenuKeyPressed { which: self.kind, id, key, words }
    }

    fn on_text_key(&mut self, pressed: KeyEvent) -> OverlayOutcome {
        let Some((key, words)) = &mut self.asking else { return OverlayOutcome::Nothing };
        match pressed.code {
            KeyCode::Esc => self.asking = None,
            KeyCode::Char('c') if pressed.modifiers.contains(KeyModifiers::CONTROL) => self.asking = None,
            KeyCode::Char('u') if pressed.modifiers.contains(KeyModifiers::CONTROL) => words.clear(),
            KeyCode::Backspace => drop(words.pop()),
            KeyCode::Enter if words.trim().is_empty() => return OverlayOutcome::Nothing,
            KeyCode::Enter => {
                let (key, words) = (key.key, words.trim().to_string());
                self.asking = None;
                return self.pick_row(key, words);
            }
            KeyCode::Char(c) if !pressed.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                if words.len() < MAX_TEXT_LEN {
                    words.push(c);
                }
            }
            _ => return OverlayOutcome::Nothing,
        }
        OverlayOutcome::Redraw
    }

    /// Hints for the keys of the selected row and for closing the menu.
    fn key_rows(&self, width: usize) -> Vec<String> {
        let fitting = self.keys.iter().filter(|key| self.accepts_key(key));
        let told = fitting
            .map(|key| format!("{} {}", if key.key == '⏎' { "enter".into() } else { key.key.to_string() }, key.label));
        let told: Vec<String> = told.chain([format!("esc {}", self.esc_label)]).collect();
        key_rows(&told.iter().map(String::as_str).collect::<Vec<_>>(), width)
    }

    /// The preview of the selected row: its own, or all of a note that has more than `room` columns.
    fn preview_lines(&self, room: usize, width: usize) -> Vec<Line<'static>> {
        let Some(row) = self.selected_row() else { return Vec::new() };
        let note = text::one_line(&row.note);
        if row.preview.is_empty() && text::width(&note) > room {
            let lines = text::wrap_plain(&note, width.saturating_sub(MARK_WIDTH), self.theme.dim);
            let indented = |mut line: Line<'static>| {
                line.spans.insert(0, Span::raw(" ".repeat(MARK_WIDTH)));
                line
            };
            return lines.into_iter().map(indented).collect();
        }
        row.preview.iter().flat_map(|item| pager::render_plain(item, width, &self.theme)).collect()
    }

    fn draw_foot(&self, area: Rect, buffer: &mut ratatui::buffer::Buffer) -> Option<u16> {
        let width = usize::from(area.width);
        match (&self.asking, &self.notice) {
            (Some((key, words)), _) => {
                let asked = format!(" {}: ", key.prompt.unwrap_or_default());
                let room = width.saturating_sub(text::width(&asked) + 1);
                let shown = text::fit_end(&text::one_line(words), room).into_owned();
                let column = text::width(&asked) + text::width(&shown);
                Line::from(vec![Span::styled(asked, self.theme.planning), Span::raw(shown)]).render(area, buffer);
                Some(u16::try_from(column).unwrap_or(u16::MAX).min(area.width.saturating_sub(1)))
            }
            (None, Some(notice)) => {
                let told = format!(" {}", text::one_line(notice));
                Line::styled(text::fit(&told, width).into_owned(), self.theme.warning).render(area, buffer);
                None
            }
            (None, None) => {
                draw_keys(area, buffer, &self.key_rows(width), self.theme.dim);
                None
            }
        }
    }
}

impl Overlay for Menu {
    fn on_key(&mut self, key: KeyEvent, _now: Instant) -> OverlayOutcome {
        if key.kind == KeyEventKind::Release {
            return OverlayOutcome::Nothing;
        }
        if self.asking.is_some() {
            return self.on_text_key(key);
        }
        self.notice = None;
        if self.list.handle_move(key, self.rows.len()) {
            return OverlayOutcome::Redraw;
        }
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => OverlayOutcome::Close,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => OverlayOutcome::Close,
            KeyCode::Enter => self.press_key('⏎'),
            KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                self.press_key(c)
            }
            _ => OverlayOutcome::Nothing,
        }
    }

    /// Pastes into the text field, if one is open.
    fn on_paste(&mut self, text: &str, _now: Instant) -> OverlayOutcome {
        let Some((_, words)) = &mut self.asking else { return OverlayOutcome::Nothing };
        let line = text.lines().next().unwrap_or_default();
        words.extend(line.chars().filter(|c| !c.is_control()).take(MAX_TEXT_LEN.saturating_sub(words.len())));
        OverlayOutcome::Redraw
    }

    fn keys(&self) -> Vec<(String, String)> {
        let name = |key: &MenuKey| if key.key == '⏎' { "enter".to_string() } else { key.key.to_string() };
        let own = self.keys.iter().map(|key| (name(key), key.label.to_string()));
        let moves = [("↑ ↓ j k", "another row"), ("esc q", self.esc_label)]
            .map(|(key, help)| (key.to_string(), help.to_string()));
        own.chain(moves).collect()
    }

    fn on_tick(&mut self, now: Instant) -> OverlayOutcome {
        self.next_reload = Some(now + RELOAD_INTERVAL);
        if let Some(look) = &mut self.loader {
            self.rows = look();
        }
        OverlayOutcome::Redraw
    }

    fn next_tick(&self) -> Option<Instant> {
        self.next_reload.filter(|_| self.loader.is_some() && self.rows.iter().any(|row| row.is_changing))
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, area: ratatui::layout::Rect, now: Instant) {
        self.next_reload = Some(self.next_reload.unwrap_or(now + RELOAD_INTERVAL));
        let keys = match (&self.asking, &self.notice) {
            (None, None) => self.key_rows(usize::from(area.width)).len(),
            (Some(_), _) | (_, Some(_)) => 1,
        };
        let Some(places) = PickerLayout::split(area, self.rows.len(), keys) else { return };
        let (theme, rows) = (self.theme, &self.rows);
        let buffer = frame.buffer_mut();
        draw_bar(places.title, buffer, &text::one_line(&self.title), theme.title());
        let most = usize::from(places.list.width) * 2 / 3;
        let widest = rows.iter().map(|row| text::width(&text::one_line(&row.name))).max().unwrap_or_default();
        let column = (widest + 2).min(most);
        self.list.draw(places.list, buffer, rows.len(), &theme, |at, _| {
            let Some(row) = rows.get(at) else { return Line::default() };
            let style = if row.is_warning { theme.warning } else { theme.dim };
            let name = text::one_line(&row.name);
            // Keep the end of a path visible, and the distance to the note.
            let room = column.saturating_sub(2);
            let name = if name.starts_with('/') { text::fit_end(&name, room) } else { text::fit(&name, room) };
            Line::from(vec![Span::raw(text::pad_to(&name, column)), Span::styled(text::one_line(&row.note), style)])
        });
        let room = usize::from(places.list.width).saturating_sub(column + MARK_WIDTH);
        let lines = self.preview_lines(room, usize::from(places.preview.width));
        lines.into_iter().zip(places.preview.rows()).for_each(|(line, place)| line.render(place, buffer));
        if self.rows.is_empty() {
            let rows = text::wrap_plain(&self.empty, usize::from(places.list.width).saturating_sub(2), theme.text);
            let below = Rect { height: places.list.height + places.preview.height, ..places.list };
            let inner = Rect { x: below.x + 1, width: below.width.saturating_sub(2), ..below };
            rows.into_iter().zip(inner.rows()).for_each(|(line, place)| line.render(place, buffer));
        }
        if let Some(x) = self.draw_foot(places.keys, buffer) {
            frame.set_cursor_position((places.keys.x + x, places.keys.y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlays::pager::PagerContent;
    use crate::overlays::picker_list::tests::{press, screen};

    const KEYS: &[MenuKey] =
        &[MenuKey::new('⏎', "edit"), MenuKey::with_prompt('n', "new", "name"), MenuKey::new('x', "remove")];

    fn menu() -> Menu {
        let row = |id: &str, keys: &'static str, warns: bool| MenuRow {
            id: id.into(),
            name: format!("agent {id}\x1b"),
            note: "user".into(),
            is_warning: warns,
            preview: vec![PagerItem { title: String::new(), body: PagerContent::Plain(format!("about {id}").into()) }],
            keys,
            ..MenuRow::default()
        };
        Menu::new(MenuKind::Agents, "Agents", vec![row("a", "⏎", false), row("b", "⏎x", true)], KEYS, Theme::default())
    }

    #[test]
    fn ui_9_menu_offers_only_keys_of_the_row() {
        let mut menu = menu();
        let first = screen(&mut menu, 40, 10);
        assert!(first.contains("› agent a\\u{1b}") && first.contains("about a"), "{first}");
        assert!(first.contains("enter edit · n new · esc back"), "{first}");
        assert!(screen(&mut menu, 20, 10).ends_with(" enter edit · n new\n esc back\n"));
        assert_eq!(press(&mut menu, "x"), OverlayOutcome::Nothing);
        press(&mut menu, "▼");
        assert!(screen(&mut menu, 50, 10).contains("x remove"));
        let picked = |key: char, words: &str| OverlayOutcome::MenuKeyPressed {
            which: MenuKind::Agents,
            id: "b".into(),
            key,
            words: words.into(),
        };
        assert_eq!(press(&mut menu, "x"), picked('x', ""));
        assert_eq!(press(&mut menu, "⏎"), picked('⏎', ""));
        assert_eq!(press(&mut menu, "⎋"), OverlayOutcome::Close);
    }

    #[test]
    fn ui_9_long_names_do_not_touch_the_note() {
        let row = |name: &str| MenuRow { name: name.into(), note: "not there yet".into(), ..MenuRow::default() };
        let rows = vec![row(&format!("/{}/settings.json", "x".repeat(60))), row(&"y".repeat(60))];
        let shown = screen(&mut Menu::new(MenuKind::Config, "Settings", rows, KEYS, Theme::default()), 60, 10);
        assert!(shown.contains("/settings.json  not there yet") && shown.contains("y…  not there yet"), "{shown}");
    }

    #[test]
    fn ui_11_selected_row_shows_all_of_its_note() {
        let row = |name: &str, note: &str| MenuRow { name: name.into(), note: note.into(), ..MenuRow::default() };
        let rows = vec![row("sonnet", "1M window · $2 in, $10 out per million tokens"), row("local", "32k window")];
        let mut menu = Menu::new(MenuKind::Model, "Model", rows, KEYS, Theme::default());
        let shown = screen(&mut menu, 40, 10);
        let whole = "\n  1M window · $2 in, $10 out per million\n  tokens\n";
        assert!(shown.contains("$10 out pe…\n") && shown.contains(whole), "{shown}");
        assert!(!screen(&mut menu, 120, 10).contains("\n  tokens"), "all of it fits");
        press(&mut menu, "▼");
        assert_eq!(screen(&mut menu, 40, 10).matches("32k window").count(), 1);
    }

    #[test]
    fn ui_9_menu_field_accepts_a_paste() {
        let mut menu = menu();
        press(&mut menu, "nfast x");
        menu.on_paste("er\nmore\n", Instant::now());
        assert!(screen(&mut menu, 40, 10).contains(" name: fast xer"));
        let OverlayOutcome::MenuKeyPressed { key: 'n', words, .. } = press(&mut menu, "⏎") else { panic!() };
        assert_eq!(words, "fast xer");
        press(&mut menu, "n");
        assert_eq!(press(&mut menu, "⏎"), OverlayOutcome::Nothing, "an empty name is not accepted");
        assert_eq!(press(&mut menu, "⎋⎋"), OverlayOutcome::Close);
    }

    #[test]
    fn ui_12_menu_reloads_only_while_a_row_changes() {
        let mut menu = menu();
        menu.rows[0].is_changing = true;
        let mut menu = menu.with_loader(Box::new(|| vec![MenuRow { name: "settled".into(), ..MenuRow::default() }]));
        screen(&mut menu, 40, 10);
        let due = menu.next_tick().unwrap();
        menu.on_tick(due);
        assert!(screen(&mut menu, 40, 10).contains("settled"));
        assert_eq!(menu.next_tick(), None);
    }
}

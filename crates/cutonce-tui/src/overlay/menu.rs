//! A list of things with what can be done to each (UI-9): agents, MCP servers, rules, files. What a key means is carried out by
//! the app, which then shows the list anew. Nothing here happens by typing ahead: letters that no row takes do nothing.

use super::list::{List, Places, bar, draw_keys, key_rows};
use super::pager::{self, Item};
use super::{Outcome, Overlay};
use crate::text;
use crate::theme::Theme;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::time::{Duration, Instant};

/// While something in the list is on its way it is looked at this often.
const LOOK: Duration = Duration::from_millis(300);
const LONGEST_WORDS: usize = 300;

/// Which list it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Agents,
    Mcp,
    Permissions,
    Memory,
    Config,
    Tasks,
}

#[derive(Debug, Clone, Default)]
pub struct Row {
    /// For the app.
    pub id: String,
    pub name: String,
    /// Beside the name.
    pub note: String,
    /// The note is a warning.
    pub warns: bool,
    /// It is on its way to another state.
    pub moving: bool,
    pub preview: Vec<Item>,
    /// The keys of the menu that this row takes.
    pub keys: &'static str,
}

/// A key and what it does; `⏎` is Enter.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub key: char,
    pub words: &'static str,
    /// It asks for words first.
    pub asks: Option<&'static str>,
    /// It needs no row.
    pub always: bool,
}

impl Key {
    pub const fn of(key: char, words: &'static str) -> Key {
        Key { key, words, asks: None, always: false }
    }
    pub const fn asking(key: char, words: &'static str, asks: &'static str) -> Key {
        Key { key, words, asks: Some(asks), always: true }
    }
}

type Look = Box<dyn FnMut() -> Vec<Row>>;

pub struct Menu {
    which: Which,
    title: String,
    rows: Vec<Row>,
    keys: &'static [Key],
    theme: Theme,
    list: List,
    /// The key that asked, and the words so far.
    asking: Option<(Key, String)>,
    notice: Option<String>,
    look: Option<Look>,
    due: Option<Instant>,
    /// Where there are no rows.
    empty: String,
}

impl Menu {
    pub fn new(which: Which, title: impl Into<String>, rows: Vec<Row>, keys: &'static [Key], theme: Theme) -> Menu {
        Menu {
            which,
            title: title.into(),
            rows,
            keys,
            theme,
            list: List::default(),
            asking: None,
            notice: None,
            look: None,
            due: None,
            empty: String::new(),
        }
    }
    /// What is said where there is nothing.
    pub fn empty(mut self, words: impl Into<String>) -> Menu {
        self.empty = words.into();
        self
    }
    /// Begins with this row.
    pub fn at(mut self, id: &str) -> Menu {
        self.list.chosen = self.rows.iter().position(|row| row.id == id).unwrap_or_default();
        self
    }
    /// Said above the keys until one is pressed.
    pub fn notice(mut self, notice: Option<String>) -> Menu {
        self.notice = notice;
        self
    }
    /// How the rows are, asked anew while one of them is on its way.
    pub fn looking(mut self, look: Look) -> Menu {
        self.look = Some(look);
        self
    }

    fn chosen(&self) -> Option<&Row> {
        self.rows.get(self.list.chosen)
    }

    fn takes(&self, key: &Key) -> bool {
        key.always || self.chosen().is_some_and(|row| row.keys.contains(key.key))
    }

    fn press(&mut self, pressed: char) -> Outcome {
        let Some(key) = self.keys.iter().find(|key| key.key == pressed).copied().filter(|key| self.takes(key)) else {
            return Outcome::Nothing;
        };
        if key.asks.is_some() {
            self.asking = Some((key, String::new()));
            return Outcome::Redraw;
        }
        self.picked(pressed, String::new())
    }

    fn picked(&self, key: char, words: String) -> Outcome {
        let id = self.chosen().map(|row| row.id.clone()).unwrap_or_default();
        Outcome::Picked { which: self.which, id, key, words }
    }

    fn typed(&mut self, pressed: KeyEvent) -> Outcome {
        let Some((key, words)) = &mut self.asking else { return Outcome::Nothing };
        match pressed.code {
            KeyCode::Esc => self.asking = None,
            KeyCode::Char('c') if pressed.modifiers.contains(KeyModifiers::CONTROL) => self.asking = None,
            KeyCode::Char('u') if pressed.modifiers.contains(KeyModifiers::CONTROL) => words.clear(),
            KeyCode::Backspace => drop(words.pop()),
            KeyCode::Enter if words.trim().is_empty() => return Outcome::Nothing,
            KeyCode::Enter => {
                let (key, words) = (key.key, words.trim().to_string());
                self.asking = None;
                return self.picked(key, words);
            }
            KeyCode::Char(c) if !pressed.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                if words.len() < LONGEST_WORDS {
                    words.push(c);
                }
            }
            _ => return Outcome::Nothing,
        }
        Outcome::Redraw
    }

    /// What the chosen row takes, and the way back.
    fn key_rows(&self, width: usize) -> Vec<String> {
        let fitting = self.keys.iter().filter(|key| self.takes(key));
        let told = fitting
            .map(|key| format!("{} {}", if key.key == '⏎' { "enter".into() } else { key.key.to_string() }, key.words));
        let told: Vec<String> = told.chain(["esc back".to_string()]).collect();
        key_rows(&told.iter().map(String::as_str).collect::<Vec<_>>(), width)
    }

    fn draw_foot(&self, area: Rect, buffer: &mut ratatui::buffer::Buffer) -> Option<u16> {
        let width = usize::from(area.width);
        match (&self.asking, &self.notice) {
            (Some((key, words)), _) => {
                let asked = format!(" {}: ", key.asks.unwrap_or_default());
                let room = width.saturating_sub(text::width(&asked) + 1);
                let shown = text::fit_end(&text::one_line(words), room).into_owned();
                let column = text::width(&asked) + text::width(&shown);
                Line::from(vec![Span::styled(asked, self.theme.plan), Span::raw(shown)]).render(area, buffer);
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
    fn key(&mut self, key: KeyEvent, _now: Instant) -> Outcome {
        if key.kind == KeyEventKind::Release {
            return Outcome::Nothing;
        }
        if self.asking.is_some() {
            return self.typed(key);
        }
        self.notice = None;
        if self.list.moves(key, self.rows.len()) {
            return Outcome::Redraw;
        }
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => Outcome::Close,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Outcome::Close,
            KeyCode::Enter => self.press('⏎'),
            KeyCode::Char(c) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => self.press(c),
            _ => Outcome::Nothing,
        }
    }

    /// Into the field, if one is open.
    fn paste(&mut self, text: &str, _now: Instant) -> Outcome {
        let Some((_, words)) = &mut self.asking else { return Outcome::Nothing };
        let line = text.lines().next().unwrap_or_default();
        words.extend(line.chars().filter(|c| !c.is_control()).take(LONGEST_WORDS.saturating_sub(words.len())));
        Outcome::Redraw
    }

    fn tick(&mut self, now: Instant) -> Outcome {
        self.due = Some(now + LOOK);
        if let Some(look) = &mut self.look {
            self.rows = look();
        }
        Outcome::Redraw
    }

    fn deadline(&self) -> Option<Instant> {
        self.due.filter(|_| self.look.is_some() && self.rows.iter().any(|row| row.moving))
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, now: Instant) {
        self.due = Some(self.due.unwrap_or(now + LOOK));
        let keys = match (&self.asking, &self.notice) {
            (None, None) => self.key_rows(usize::from(frame.area().width)).len(),
            (Some(_), _) | (_, Some(_)) => 1,
        };
        let Some(places) = Places::of(frame.area(), self.rows.len(), keys) else { return };
        let (theme, rows) = (self.theme, &self.rows);
        let buffer = frame.buffer_mut();
        bar(places.title, buffer, &text::one_line(&self.title), theme.selection);
        let most = usize::from(places.list.width) * 2 / 3;
        let widest = rows.iter().map(|row| text::width(&text::one_line(&row.name))).max().unwrap_or_default();
        let column = (widest + 2).min(most);
        self.list.draw(places.list, buffer, rows.len(), &theme, |at, _| {
            let Some(row) = rows.get(at) else { return Line::default() };
            let style = if row.warns { theme.warning } else { theme.dim };
            let name = text::one_line(&row.name);
            // Of a path the end says more, and what follows keeps its distance.
            let room = column.saturating_sub(2);
            let name = if name.starts_with('/') { text::fit_end(&name, room) } else { text::fit(&name, room) };
            Line::from(vec![Span::raw(text::padded(&name, column)), Span::styled(text::one_line(&row.note), style)])
        });
        let preview = self.rows.get(self.list.chosen).map(|row| row.preview.as_slice()).unwrap_or_default();
        let width = usize::from(places.preview.width);
        let lines = preview.iter().flat_map(|item| pager::render(item, width, &theme));
        lines.zip(places.preview.rows()).for_each(|(line, place)| line.render(place, buffer));
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
    use crate::overlay::list::tests::{press, screen};
    use crate::overlay::pager::Body;

    const KEYS: &[Key] = &[Key::of('⏎', "edit"), Key::asking('n', "new", "name"), Key::of('x', "remove")];

    fn menu() -> Menu {
        let row = |id: &str, keys: &'static str, warns: bool| Row {
            id: id.into(),
            name: format!("agent {id}\x1b"),
            note: "user".into(),
            warns,
            preview: vec![Item { title: String::new(), body: Body::Plain(format!("about {id}").into()) }],
            keys,
            ..Row::default()
        };
        Menu::new(Which::Agents, "Agents", vec![row("a", "⏎", false), row("b", "⏎x", true)], KEYS, Theme::default())
    }

    #[test]
    fn ui_9_a_menu_shows_what_each_row_takes_and_only_that_is_done() {
        let mut menu = menu();
        let first = screen(&mut menu, 40, 10);
        assert!(first.contains("› agent a\\u{1b}") && first.contains("about a"), "{first}");
        assert!(first.contains("enter edit · n new · esc back"), "{first}");
        assert!(screen(&mut menu, 20, 10).ends_with(" enter edit · n new\n esc back\n"));
        assert_eq!(press(&mut menu, "x"), Outcome::Nothing);
        press(&mut menu, "▼");
        assert!(screen(&mut menu, 50, 10).contains("x remove"));
        let picked =
            |key: char, words: &str| Outcome::Picked { which: Which::Agents, id: "b".into(), key, words: words.into() };
        assert_eq!(press(&mut menu, "x"), picked('x', ""));
        assert_eq!(press(&mut menu, "⏎"), picked('⏎', ""));
        assert_eq!(press(&mut menu, "⎋"), Outcome::Close);
    }

    #[test]
    fn ui_9_a_long_name_keeps_its_distance_from_the_note() {
        let row = |name: &str| Row { name: name.into(), note: "not there yet".into(), ..Row::default() };
        let rows = vec![row(&format!("/{}/settings.json", "x".repeat(60))), row(&"y".repeat(60))];
        let shown = screen(&mut Menu::new(Which::Config, "Settings", rows, KEYS, Theme::default()), 60, 10);
        assert!(shown.contains("/settings.json  not there yet") && shown.contains("y…  not there yet"), "{shown}");
    }

    #[test]
    fn ui_9_a_field_takes_words_and_a_paste_never_answers() {
        let mut menu = menu();
        press(&mut menu, "nfast x");
        menu.paste("er\nmore\n", Instant::now());
        assert!(screen(&mut menu, 40, 10).contains(" name: fast xer"));
        let Outcome::Picked { key: 'n', words, .. } = press(&mut menu, "⏎") else { panic!() };
        assert_eq!(words, "fast xer");
        press(&mut menu, "n");
        assert_eq!(press(&mut menu, "⏎"), Outcome::Nothing, "an empty name is none");
        assert_eq!(press(&mut menu, "⎋⎋"), Outcome::Close);
    }

    #[test]
    fn ui_12_rows_are_looked_at_again_only_while_one_is_on_its_way() {
        let mut menu = menu();
        menu.rows[0].moving = true;
        let mut menu = menu.looking(Box::new(|| vec![Row { name: "settled".into(), ..Row::default() }]));
        screen(&mut menu, 40, 10);
        let due = menu.deadline().unwrap();
        menu.tick(due);
        assert!(screen(&mut menu, 40, 10).contains("settled"));
        assert_eq!(menu.deadline(), None);
    }
}

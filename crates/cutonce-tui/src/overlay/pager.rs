//! Everything of something (UI-4): a tool call with all of its output, the thinking, the whole conversation. Only what is on the
//! screen is rendered, so ten thousand entries open as quickly as ten.

use super::coloured::{self, Coloured};
use super::{Outcome, Overlay};
use crate::diff;
use crate::highlight::Highlighter;
use crate::markdown;
use crate::text::{self, Prefix};
use crate::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// Rendered items that are kept; they are made again when they are needed.
const MOST_KEPT: usize = 64;
/// One item shows at most so many characters; a copy has all of them.
const LONGEST: usize = 4 << 20;
/// Below this width only the keys that one can't guess are named.
const NARROW: usize = 76;

/// Begins the title of what failed, in place of the mark of all others.
pub const FAILED: &str = "✗ ";

/// A part of what is shown.
#[derive(Debug, Clone)]
pub struct Item {
    /// On a line of its own above it.
    pub title: String,
    pub body: Body,
}

#[derive(Debug, Clone)]
pub enum Body {
    Markdown(Arc<str>),
    Plain(Arc<str>),
    /// Of a file; its lines may have numbers before them.
    Code {
        language: String,
        text: Arc<str>,
    },
    /// In unified form.
    Diff {
        language: String,
        text: Arc<str>,
    },
}

impl Body {
    pub fn text(&self) -> &str {
        match self {
            Body::Markdown(text) | Body::Plain(text) | Body::Code { text, .. } | Body::Diff { text, .. } => text,
        }
    }
}

#[derive(Debug)]
pub struct Pager {
    title: String,
    items: Vec<Item>,
    theme: Theme,
    /// The first item on the screen, and how many of its rows are above it.
    top: (usize, usize),
    size: (usize, usize),
    rendered: HashMap<usize, Vec<Line<'static>>>,
    highlighter: Option<Highlighter>,
    /// Items that were rendered before all their colours were there.
    waiting: HashMap<usize, Coloured>,
    find: Option<String>,
    typing: bool,
    notice: Option<String>,
    /// Begin at the end, once the size is known.
    at_end: bool,
}

impl Pager {
    pub fn new(title: impl Into<String>, items: Vec<Item>, theme: Theme) -> Pager {
        Pager {
            title: title.into(),
            items,
            theme,
            top: (0, 0),
            size: (1, 1),
            rendered: HashMap::new(),
            highlighter: None,
            waiting: HashMap::new(),
            find: None,
            typing: false,
            notice: None,
            at_end: false,
        }
    }

    /// Begins with this item.
    pub fn at(mut self, item: usize) -> Pager {
        self.top = (item.min(self.items.len().saturating_sub(1)), 0);
        self
    }

    /// Begins with the last rows.
    pub fn at_end(mut self) -> Pager {
        self.at_end = true;
        self
    }

    /// Code gets colours, from another thread.
    pub fn highlighted(mut self, highlighter: Highlighter) -> Pager {
        self.highlighter = Some(highlighter);
        self
    }

    fn rows(&mut self, item: usize) -> &[Line<'static>] {
        let coloured = self.waiting.get(&item).is_some_and(|waiting| !waiting.waits());
        if coloured || !self.rendered.contains_key(&item) {
            if self.rendered.len() >= MOST_KEPT {
                self.forget();
            }
            let rows = self.made(item);
            self.rendered.insert(item, rows);
        }
        self.rendered.get(&item).map(Vec::as_slice).unwrap_or_default()
    }

    fn forget(&mut self) {
        self.rendered.clear();
        self.waiting.clear();
    }

    fn made(&mut self, at: usize) -> Vec<Line<'static>> {
        let Some(item) = self.items.get(at) else { return Vec::new() };
        let (width, theme) = (self.size.1, self.theme);
        let waited = self.waiting.remove(&at);
        let coloured = waited.or_else(|| {
            let shown = text::bounded(item.body.text(), LONGEST);
            Coloured::of(&item.body, &shown, inner(width), &theme, self.highlighter.as_ref()?)
        });
        let Some(coloured) = coloured else { return render(item, width, &theme) };
        let rows = framed(item, coloured.rows(inner(width), &theme), width, &theme);
        if coloured.waits() {
            self.waiting.insert(at, coloured);
        }
        rows
    }

    fn forward(&mut self, rows: usize) {
        let (mut item, mut above) = (self.top.0, self.top.1 + rows);
        while item + 1 < self.items.len() && above >= self.rows(item).len() {
            above -= self.rows(item).len();
            item += 1;
        }
        above = above.min(self.rows(item).len().saturating_sub(1));
        self.top = (item, above).min(self.last_top().max(self.top));
    }

    fn back(&mut self, rows: usize) {
        let mut left = rows;
        while left > 0 && self.top != (0, 0) {
            if self.top.1 == 0 {
                self.top = (self.top.0 - 1, self.rows(self.top.0 - 1).len());
            }
            let step = self.top.1.min(left);
            self.top.1 -= step;
            left -= step;
        }
    }

    /// Where the screen begins when it shows the end.
    fn last_top(&mut self) -> (usize, usize) {
        let mut room = self.size.0;
        for item in (0..self.items.len()).rev() {
            let rows = self.rows(item).len();
            if rows >= room {
                return (item, rows - room);
            }
            room -= rows;
        }
        (0, 0)
    }

    /// The next row with the words, from the one below the first on the screen.
    fn find_next(&mut self, forth: bool) {
        let Some(words) = self.find.clone().filter(|words| !words.is_empty()).map(|words| words.to_lowercase()) else {
            return;
        };
        let has = |line: &Line<'_>| text::plain(line).to_lowercase().contains(&words);
        let all = self.items.len();
        for step in 0..=all {
            let item = if forth { self.top.0 + step } else { self.top.0.wrapping_sub(step) };
            if item >= all {
                break;
            }
            // What is not rendered yet is asked for its words first: rendering all would take long.
            let said = self.items.get(item).is_some_and(|item| {
                item.title.to_lowercase().contains(&words) || item.body.text().to_lowercase().contains(&words)
            });
            if !said {
                continue;
            }
            let top = if step == 0 { Some(self.top.1) } else { None };
            let rows = self.rows(item);
            let found = match (forth, top) {
                (true, top) => (top.map_or(0, |top| top + 1)..rows.len()).find(|at| has(&rows[*at])),
                (false, top) => (0..top.unwrap_or(rows.len())).rev().find(|at| has(&rows[*at])),
            };
            if let Some(row) = found {
                self.top = (item, row);
                return;
            }
        }
        self.notice = Some("no more in this direction".into());
    }

    fn typed(&mut self, key: KeyEvent) -> Outcome {
        let words = self.find.get_or_insert_default();
        match key.code {
            KeyCode::Esc => (self.typing, self.find) = (false, None),
            KeyCode::Enter => {
                self.typing = false;
                self.find_next(true);
            }
            KeyCode::Backspace => drop(words.pop()),
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => words.push(c),
            _ => return Outcome::Nothing,
        }
        Outcome::Redraw
    }

    fn status(&self) -> String {
        if let (true, Some(words)) = (self.typing, &self.find) {
            return format!("find {}▏", text::one_line(words));
        }
        if let Some(notice) = &self.notice {
            return notice.clone();
        }
        let share = (self.top.0 + 1) * 100 / self.items.len().max(1);
        let keys = match self.size.1 {
            ..NARROW => "↑↓ / find y copy q back",
            NARROW.. => "↑↓ PgUp PgDn g G  { } entry  / find n N  y copy  q back",
        };
        match (self.items.len(), self.size.1) {
            (0 | 1, _) => keys.into(),
            (many, ..NARROW) => format!("{} of {many}  {keys}", self.top.0 + 1),
            (many, _) => format!("{} of {many} · {share}%   {keys}", self.top.0 + 1),
        }
    }
}

impl Overlay for Pager {
    fn key(&mut self, key: KeyEvent, _now: Instant) -> Outcome {
        if key.kind == KeyEventKind::Release {
            return Outcome::Nothing;
        }
        self.notice = None;
        if self.typing {
            return self.typed(key);
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let page = self.size.0.saturating_sub(1).max(1);
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return Outcome::Close,
            KeyCode::Char('c' | 'o') if control => return Outcome::Close,
            KeyCode::Char('b') if control => self.back(page),
            KeyCode::Char('f') if control => self.forward(page),
            KeyCode::Char(_) if control => return Outcome::Nothing,
            KeyCode::Up | KeyCode::Char('k') => self.back(1),
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => self.forward(1),
            KeyCode::PageUp | KeyCode::Char('b') => self.back(page),
            KeyCode::PageDown | KeyCode::Char(' ') => self.forward(page),
            KeyCode::Home | KeyCode::Char('g') => self.top = (0, 0),
            KeyCode::End | KeyCode::Char('G') => self.top = self.last_top(),
            KeyCode::Char('{') => {
                let before = if self.top.1 > 0 { self.top.0 } else { self.top.0.saturating_sub(1) };
                self.top = (before, 0);
            }
            KeyCode::Char('}') => self.top = ((self.top.0 + 1).min(self.items.len().saturating_sub(1)), 0),
            KeyCode::Char('/') => (self.typing, self.find) = (true, Some(String::new())),
            KeyCode::Char('n') => self.find_next(true),
            KeyCode::Char('N') => self.find_next(false),
            KeyCode::Char('y') => {
                self.notice = Some("copied".into());
                return self
                    .items
                    .get(self.top.0)
                    .map_or(Outcome::Nothing, |item| Outcome::Copy(item.body.text().to_string()));
            }
            _ => return Outcome::Nothing,
        }
        Outcome::Redraw
    }

    fn paste(&mut self, text: &str, _now: Instant) -> Outcome {
        if !self.typing {
            return Outcome::Nothing;
        }
        self.find.get_or_insert_default().push_str(text.lines().next().unwrap_or_default());
        Outcome::Redraw
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, _now: Instant) {
        let area = frame.area();
        if area.height < 3 || area.width == 0 {
            return;
        }
        let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
        if self.size.1 != usize::from(body.width) {
            self.forget();
        }
        self.size = (usize::from(body.height), usize::from(body.width));
        if std::mem::take(&mut self.at_end) {
            self.top = self.last_top();
        }
        let buffer = frame.buffer_mut();
        let bar = |words: &str| text::padded(&format!(" {words}"), usize::from(area.width));
        Line::styled(bar(&text::one_line(&self.title)), self.theme.selection)
            .render(Rect { height: 1, ..area }, buffer);
        let last = Rect { y: area.bottom() - 1, height: 1, ..area };
        Line::styled(bar(&self.status()), self.theme.dim).render(last, buffer);
        let (mut item, mut skip) = self.top;
        let mut places = body.rows();
        while item < self.items.len() {
            let rows: Vec<Line<'static>> =
                self.rows(item).iter().skip(skip).take(usize::from(body.height)).cloned().collect();
            for row in rows {
                let Some(place) = places.next() else { return };
                row.render(place, buffer);
                mark(self.find.as_deref(), place, buffer, &self.theme);
            }
            (item, skip) = (item + 1, 0);
        }
    }
}

/// The words that are looked for, where they are on this row.
pub fn mark(words: Option<&str>, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let Some(words) = words.filter(|words| !words.is_empty()) else { return };
    let wanted: Vec<String> = words.chars().map(|c| c.to_lowercase().to_string()).collect();
    let cells: Vec<(u16, String)> =
        (area.left()..area.right()).map(|x| (x, buffer[(x, area.y)].symbol().to_lowercase())).collect();
    for window in cells.windows(wanted.len().max(1)) {
        if window.iter().zip(&wanted).all(|((_, symbol), wanted)| symbol == wanted) {
            for (x, _) in window {
                buffer[(*x, area.y)].set_style(theme.found);
            }
        }
    }
}

/// Without colours of languages.
pub fn render(item: &Item, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let body = text::bounded(item.body.text(), LONGEST);
    let drawn = match item.body {
        Body::Markdown(_) => markdown::render(&body, inner(width), theme),
        Body::Plain(_) => text::wrap_plain(&body, inner(width), theme.text),
        Body::Code { .. } => coloured::plain_code(&body, inner(width), theme.text, theme),
        Body::Diff { .. } => diff::rows(&diff::parse(&body), inner(width), theme, usize::MAX),
    };
    framed(item, drawn, width, theme)
}

fn inner(width: usize) -> usize {
    width.saturating_sub(2).max(1)
}

/// Its title above it, a blank row below.
fn framed(item: &Item, drawn: Vec<Line<'static>>, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    if !item.title.is_empty() {
        let (mark, style, title) = match item.title.strip_prefix(FAILED) {
            Some(title) => (FAILED.to_string(), theme.error, title),
            None => (format!("{} ", crate::entry::MARK), theme.accent, item.title.as_str()),
        };
        let title = Line::from(vec![Span::styled(mark, style), Span::styled(text::one_line(title), theme.strong)]);
        rows.extend(text::wrap(&title, width, &Prefix { first: Vec::new(), next: vec![Span::raw("  ")] }));
    }
    rows.extend(drawn.into_iter().map(|mut row| {
        row.spans.insert(0, Span::raw("  "));
        row
    }));
    rows.push(Line::default());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay::list::tests::{press, screen};

    fn items(count: usize) -> Vec<Item> {
        let item = |n: usize| Item {
            title: format!("Bash command {n}"),
            body: match n % 3 {
                0 => Body::Plain(format!("line {n}\n\x1b]0;evil\x07\ttab\n").into()),
                1 => Body::Markdown(format!("Some **words** {n}\n\n- a\n- b\n").into()),
                _ => Body::Diff { language: String::new(), text: "@@ -1 +1 @@\n-old line\n+new line\n".into() },
            },
        };
        (0..count).map(item).collect()
    }

    #[test]
    fn ui_4_the_pager_shows_everything_harmless_and_finds_words() {
        let mut pager = Pager::new("Transcript", items(3), Theme::default());
        let wanted = " Transcript
● Bash command 0
  line 0
  \\u{1b}]0;evil\\u{7}  tab

● Bash command 1
  Some words 1

  • a
  • b

● Bash command 2
    1 - old line
 1 of 3  ↑↓ / find y copy q back
";
        assert_eq!(screen(&mut pager, 41, 14), wanted);
        press(&mut pager, "/NEW⏎");
        assert!(screen(&mut pager, 41, 14).lines().nth(1).unwrap().contains("+ new line"));
        assert!(matches!(press(&mut pager, "gy"), Outcome::Copy(text) if text.starts_with("line 0")));
        assert_eq!(press(&mut pager, "⎋"), Outcome::Close);
    }

    #[test]
    fn ui_12_ten_thousand_entries_open_without_rendering_them() {
        let mut pager = Pager::new("Transcript", items(10_000), Theme::default()).at_end();
        assert!(screen(&mut pager, 80, 24).contains("Bash command 9999"));
        assert!(pager.rendered.len() < 24);
        press(&mut pager, "g");
        assert!(screen(&mut pager, 80, 24).contains("Bash command 0"));
        press(&mut pager, "/command 5000⏎");
        assert!(screen(&mut pager, 80, 24).contains("Bash command 5000"));
        assert!(pager.rendered.len() <= MOST_KEPT);
    }

    proptest::proptest! {
        #[test]
        fn ui_4_no_keys_break_the_pager(keys in "[jkgGnNy{} /ab⏎⇟⇞]{0,40}", count in 0usize..8, width in 1u16..60, height in 1u16..20) {
            let mut pager = Pager::new("T", items(count), Theme::default());
            for key in keys.chars() {
                press(&mut pager, &key.to_string());
                screen(&mut pager, width, height);
            }
        }
    }
}

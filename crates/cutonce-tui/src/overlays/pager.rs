//! The pager (UI-4): shows a tool call with all of its output, the thinking, or the whole conversation. Only
//! visible items are rendered, so ten thousand entries open as fast as ten.

use super::highlighted_item::{self, HighlightedItem};
use super::{Overlay, OverlayOutcome};
use crate::render::diff;
use crate::render::highlight::Highlighter;
use crate::render::markdown;
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// Maximum number of cached rendered items.
const MAX_CACHED: usize = 64;
/// Maximum number of characters shown per item; a copy contains all of them.
const MAX_ITEM_CHARS: usize = 4 << 20;
/// Below this width only the less obvious keys are listed.
const NARROW_WIDTH: usize = 76;

/// Title prefix of a failed item, instead of the usual mark.
pub const FAILED_MARK: &str = "✗ ";

/// One entry of the pager.
#[derive(Debug, Clone)]
pub struct PagerItem {
    /// Title on its own line above the body.
    pub title: String,
    pub body: PagerContent,
}

#[derive(Debug, Clone)]
pub enum PagerContent {
    Markdown(Arc<str>),
    Plain(Arc<str>),
    /// Content of a file; lines may start with numbers.
    Code {
        language: String,
        text: Arc<str>,
    },
    /// A unified diff.
    Diff {
        language: String,
        text: Arc<str>,
    },
}

impl PagerContent {
    pub fn text(&self) -> &str {
        match self {
            PagerContent::Markdown(text)
            | PagerContent::Plain(text)
            | PagerContent::Code { text, .. }
            | PagerContent::Diff { text, .. } => text,
        }
    }
}

#[derive(Debug)]
pub struct Pager {
    title: String,
    items: Vec<PagerItem>,
    theme: Theme,
    /// Scroll position: index of the first visible item, and the number of its hidden rows.
    top: (usize, usize),
    size: (usize, usize),
    rendered: HashMap<usize, Vec<Line<'static>>>,
    highlighter: Option<Highlighter>,
    /// Items rendered before their highlighting was finished.
    highlighting: HashMap<usize, HighlightedItem>,
    search: Option<String>,
    typing: bool,
    notice: Option<String>,
    /// Scroll to the end once the size is known.
    at_end: bool,
    /// The pager lists the keys of another screen: `?` closes it.
    is_key_list: bool,
}

/// Keys of the pager, for `?` (DU-7).
const PAGER_KEYS: [(&str, &str); 8] = [
    ("↑ ↓ k j", "a line up or down"),
    ("PgUp PgDn", "a page up or down; so do b and space"),
    ("g G", "the start, the end"),
    ("{ }", "the previous or next entry"),
    ("/", "find; enter goes to the first match"),
    ("n N", "the next or previous match"),
    ("y", "copy the entry at the top"),
    ("esc q", "back"),
];

impl Pager {
    pub fn new(title: impl Into<String>, items: Vec<PagerItem>, theme: Theme) -> Pager {
        Pager {
            title: title.into(),
            items,
            theme,
            top: (0, 0),
            size: (1, 1),
            rendered: HashMap::new(),
            highlighter: None,
            highlighting: HashMap::new(),
            search: None,
            typing: false,
            notice: None,
            at_end: false,
            is_key_list: false,
        }
    }

    /// Marks this pager as the list of another screen's keys.
    pub fn as_key_list(mut self) -> Pager {
        self.is_key_list = true;
        self
    }

    /// Starts at the end.
    pub fn at_end(mut self) -> Pager {
        self.at_end = true;
        self
    }

    /// Enables syntax highlighting, which runs on another thread.
    pub fn with_highlighter(mut self, highlighter: Highlighter) -> Pager {
        self.highlighter = Some(highlighter);
        self
    }

    fn item_rows(&mut self, item: usize) -> &[Line<'static>] {
        let coloured = self.highlighting.get(&item).is_some_and(|waiting| !waiting.is_pending());
        if coloured || !self.rendered.contains_key(&item) {
            if self.rendered.len() >= MAX_CACHED {
                self.clear_cache();
            }
            let rows = self.render_item(item);
            self.rendered.insert(item, rows);
        }
        self.rendered.get(&item).map(Vec::as_slice).unwrap_or_default()
    }

    fn clear_cache(&mut self) {
        self.rendered.clear();
        self.highlighting.clear();
    }

    fn render_item(&mut self, at: usize) -> Vec<Line<'static>> {
        let Some(item) = self.items.get(at) else { return Vec::new() };
        let (width, theme) = (self.size.1, self.theme);
        let waited = self.highlighting.remove(&at);
        let coloured = waited.or_else(|| {
            let shown = text::truncate_chars(item.body.text(), MAX_ITEM_CHARS);
            HighlightedItem::start(&item.body, &shown, inner_width(width), &theme, self.highlighter.as_ref()?)
        });
        let Some(coloured) = coloured else { return render_plain(item, width, &theme) };
        let rows = add_frame(item, coloured.rows(inner_width(width), &theme), width, &theme);
        if coloured.is_pending() {
            self.highlighting.insert(at, coloured);
        }
        rows
    }

    fn scroll_down(&mut self, rows: usize) {
        let (mut item, mut above) = (self.top.0, self.top.1 + rows);
        while item + 1 < self.items.len() && above >= self.item_rows(item).len() {
            above -= self.item_rows(item).len();
            item += 1;
        }
        above = above.min(self.item_rows(item).len().saturating_sub(1));
        self.top = (item, above).min(self.last_top().max(self.top));
    }

    fn scroll_up(&mut self, rows: usize) {
        let mut left = rows;
        while left > 0 && self.top != (0, 0) {
            if self.top.1 == 0 {
                self.top = (self.top.0 - 1, self.item_rows(self.top.0 - 1).len());
            }
            let step = self.top.1.min(left);
            self.top.1 -= step;
            left -= step;
        }
    }

    /// Scroll position that shows the end.
    fn last_top(&mut self) -> (usize, usize) {
        let mut room = self.size.0;
        for item in (0..self.items.len()).rev() {
            let rows = self.item_rows(item).len();
            if rows >= room {
                return (item, rows - room);
            }
            room -= rows;
        }
        (0, 0)
    }

    /// Scrolls to the next match of the search text.
    fn find_next(&mut self, forth: bool) {
        let Some(words) = self.search.clone().filter(|words| !words.is_empty()).map(|words| words.to_lowercase())
        else {
            return;
        };
        let has = |line: &Line<'_>| text::plain_text(line).to_lowercase().contains(&words);
        let all = self.items.len();
        for step in 0..=all {
            let item = if forth { self.top.0 + step } else { self.top.0.wrapping_sub(step) };
            if item >= all {
                break;
            }
            // Search the source text first: rendering every item would be slow.
            let said = self.items.get(item).is_some_and(|item| {
                item.title.to_lowercase().contains(&words) || item.body.text().to_lowercase().contains(&words)
            });
            if !said {
                continue;
            }
            let top = if step == 0 { Some(self.top.1) } else { None };
            let rows = self.item_rows(item);
            let found = match (forth, top) {
                (true, top) => (top.map_or(0, |top| top + 1)..rows.len()).find(|at| has(&rows[*at])),
                (false, top) => (0..top.unwrap_or(rows.len())).rev().find(|at| has(&rows[*at])),
            };
            if let Some(row) = found {
                self.top = (item, row);
                return;
            }
        }
        self.notice = Some("no more matches".into());
    }

    fn on_search_key(&mut self, key: KeyEvent) -> OverlayOutcome {
        let words = self.search.get_or_insert_default();
        match key.code {
            KeyCode::Esc => (self.typing, self.search) = (false, None),
            KeyCode::Enter => {
                self.typing = false;
                self.find_next(true);
            }
            KeyCode::Backspace => drop(words.pop()),
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => words.push(c),
            _ => return OverlayOutcome::Nothing,
        }
        OverlayOutcome::Redraw
    }

    fn status_text(&self) -> String {
        if let (true, Some(words)) = (self.typing, &self.search) {
            return format!("find {}▏", text::one_line(words));
        }
        if let Some(notice) = &self.notice {
            return notice.clone();
        }
        let share = (self.top.0 + 1) * 100 / self.items.len().max(1);
        let keys = match self.size.1 {
            ..NARROW_WIDTH => "↑↓ / find y copy q back",
            NARROW_WIDTH.. => "↑↓ PgUp PgDn g G  { } entry  / find n N  y copy  q back",
        };
        match (self.items.len(), self.size.1) {
            (0 | 1, _) => keys.into(),
            (many, ..NARROW_WIDTH) => format!("{} of {many}  {keys}", self.top.0 + 1),
            (many, _) => format!("{} of {many} · {share}%   {keys}", self.top.0 + 1),
        }
    }
}

impl Overlay for Pager {
    fn on_key(&mut self, key: KeyEvent, _now: Instant) -> OverlayOutcome {
        if key.kind == KeyEventKind::Release {
            return OverlayOutcome::Nothing;
        }
        self.notice = None;
        if self.typing {
            return self.on_search_key(key);
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let page = self.size.0.saturating_sub(1).max(1);
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return OverlayOutcome::Close,
            KeyCode::Char('c' | 'o') if control => return OverlayOutcome::Close,
            KeyCode::Char('?') if self.is_key_list => return OverlayOutcome::Close,
            KeyCode::Char('b') if control => self.scroll_up(page),
            KeyCode::Char('f') if control => self.scroll_down(page),
            KeyCode::Char(_) if control => return OverlayOutcome::Nothing,
            KeyCode::Up | KeyCode::Char('k') => self.scroll_up(1),
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => self.scroll_down(1),
            KeyCode::PageUp | KeyCode::Char('b') => self.scroll_up(page),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll_down(page),
            KeyCode::Home | KeyCode::Char('g') => self.top = (0, 0),
            KeyCode::End | KeyCode::Char('G') => self.top = self.last_top(),
            KeyCode::Char('{') => {
                let before = if self.top.1 > 0 { self.top.0 } else { self.top.0.saturating_sub(1) };
                self.top = (before, 0);
            }
            KeyCode::Char('}') => self.top = ((self.top.0 + 1).min(self.items.len().saturating_sub(1)), 0),
            KeyCode::Char('/') => (self.typing, self.search) = (true, Some(String::new())),
            KeyCode::Char('n') => self.find_next(true),
            KeyCode::Char('N') => self.find_next(false),
            KeyCode::Char('y') => {
                self.notice = Some("copied".into());
                return self
                    .items
                    .get(self.top.0)
                    .map_or(OverlayOutcome::Nothing, |item| OverlayOutcome::Copy(item.body.text().to_string()));
            }
            _ => return OverlayOutcome::Nothing,
        }
        OverlayOutcome::Redraw
    }

    fn keys(&self) -> Vec<(String, String)> {
        let own = if self.is_key_list { &[][..] } else { &PAGER_KEYS };
        super::owned_keys(own)
    }

    fn on_paste(&mut self, text: &str, _now: Instant) -> OverlayOutcome {
        if !self.typing {
            return OverlayOutcome::Nothing;
        }
        self.search.get_or_insert_default().push_str(text.lines().next().unwrap_or_default());
        OverlayOutcome::Redraw
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, area: ratatui::layout::Rect, _now: Instant) {
        if area.height < 3 || area.width == 0 {
            return;
        }
        let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
        if self.size.1 != usize::from(body.width) {
            self.clear_cache();
        }
        self.size = (usize::from(body.height), usize::from(body.width));
        if std::mem::take(&mut self.at_end) {
            self.top = self.last_top();
        }
        let buffer = frame.buffer_mut();
        let bar = |words: &str| text::pad_to(&format!(" {words}"), usize::from(area.width));
        Line::styled(bar(&text::one_line(&self.title)), self.theme.title()).render(Rect { height: 1, ..area }, buffer);
        let last = Rect { y: area.bottom() - 1, height: 1, ..area };
        Line::styled(bar(&self.status_text()), self.theme.dim).render(last, buffer);
        let (mut item, mut skip) = self.top;
        let mut places = body.rows();
        while item < self.items.len() {
            let rows: Vec<Line<'static>> =
                self.item_rows(item).iter().skip(skip).take(usize::from(body.height)).cloned().collect();
            for row in rows {
                let Some(place) = places.next() else { return };
                row.render(place, buffer);
                highlight_matches(self.search.as_deref(), place, buffer, &self.theme);
            }
            (item, skip) = (item + 1, 0);
        }
    }
}

/// Highlights matches of the search text on a row.
pub fn highlight_matches(words: Option<&str>, area: Rect, buffer: &mut Buffer, theme: &Theme) {
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

/// Renders an item without syntax highlighting.
pub fn render_plain(item: &PagerItem, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let body = text::truncate_chars(item.body.text(), MAX_ITEM_CHARS);
    let drawn = match item.body {
        PagerContent::Markdown(_) => markdown::render(&body, inner_width(width), theme),
        PagerContent::Plain(_) => text::wrap_plain(&body, inner_width(width), theme.text),
        PagerContent::Code { .. } => highlighted_item::plain_code(&body, inner_width(width), theme.text, theme),
        PagerContent::Diff { .. } => diff::render_rows(&diff::parse(&body), inner_width(width), theme, usize::MAX),
    };
    add_frame(item, drawn, width, theme)
}

fn inner_width(width: usize) -> usize {
    width.saturating_sub(2).max(1)
}

/// Adds the title above and a blank row below.
fn add_frame(item: &PagerItem, drawn: Vec<Line<'static>>, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    if !item.title.is_empty() {
        let (mark, style, title) = match item.title.strip_prefix(FAILED_MARK) {
            Some(title) => (FAILED_MARK.to_string(), theme.error, title),
            None => (format!("{} ", crate::entries::AGENT_MARK), theme.accent, item.title.as_str()),
        };
        let title = Line::from(vec![Span::styled(mark, style), Span::styled(text::one_line(title), theme.strong)]);
        rows.extend(text::wrap(&title, width, &RowPrefix { first: Vec::new(), next: vec![Span::raw("  ")] }));
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
    use crate::overlays::picker_list::tests::{press, screen};

    fn items(count: usize) -> Vec<PagerItem> {
        let item = |n: usize| PagerItem {
            title: format!("Bash command {n}"),
            body: match n % 3 {
                0 => PagerContent::Plain(format!("line {n}\n\x1b]0;evil\x07\ttab\n").into()),
                1 => PagerContent::Markdown(format!("Some **words** {n}\n\n- a\n- b\n").into()),
                _ => PagerContent::Diff { language: String::new(), text: "@@ -1 +1 @@\n-old line\n+new line\n".into() },
            },
        };
        (0..count).map(item).collect()
    }

    #[test]
    fn ui_4_pager_sanitizes_text_and_finds_matches() {
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
        assert!(matches!(press(&mut pager, "gy"), OverlayOutcome::Copy(text) if text.starts_with("line 0")));
        assert_eq!(press(&mut pager, "⎋"), OverlayOutcome::Close);
    }

    #[test]
    fn ui_12_pager_renders_only_visible_entries() {
        let mut pager = Pager::new("Transcript", items(10_000), Theme::default()).at_end();
        assert!(screen(&mut pager, 80, 24).contains("Bash command 9999"));
        assert!(pager.rendered.len() < 24);
        press(&mut pager, "g");
        assert!(screen(&mut pager, 80, 24).contains("Bash command 0"));
        press(&mut pager, "/command 5000⏎");
        assert!(screen(&mut pager, 80, 24).contains("Bash command 5000"));
        assert!(pager.rendered.len() <= MAX_CACHED);
    }

    proptest::proptest! {
        #[test]
        fn ui_4_pager_survives_any_keys(keys in "[jkgGnNy{} /ab⏎⇟⇞]{0,40}", count in 0usize..8, width in 1u16..60, height in 1u16..20) {
            let mut pager = Pager::new("T", items(count), Theme::default());
            for key in keys.chars() {
                press(&mut pager, &key.to_string());
                screen(&mut pager, width, height);
            }
        }
    }
}

//! The rewind picker (SE-5): the points a session can be put back to, messages and approvals of plans, with the files that would
//! change, before anything does.

use super::list::{List, Places, bar, draw_keys, key_rows};
use super::{Outcome, Overlay};
use crate::diff;
use crate::text;
use crate::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::collections::HashMap;
use std::time::Instant;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    pub id: String,
    /// As it is shown: `14:02`.
    pub time: String,
    pub what: What,
    /// The files that would be put back.
    pub files: Vec<String>,
    /// Commands that ran since: what they changed is not put back.
    pub commands: usize,
    pub last_commands: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// To before this message.
    Message(String),
    /// To right after this plan was approved.
    Approval(String),
}

/// What a file holds now and would hold then; None: no file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    pub now: Option<String>,
    pub then: Option<String>,
    /// Why it can't be told.
    pub failed: Option<String>,
}

/// Of a file at a point.
pub type Look = Box<dyn Fn(&Point, &str) -> Change>;

pub struct RewindPicker {
    points: Vec<Point>,
    look: Look,
    seen: HashMap<(usize, usize), Change>,
    list: List,
    /// A point is chosen; what of it goes back is asked.
    asks: bool,
    theme: Theme,
}

impl RewindPicker {
    /// The latest point first.
    pub fn new(points: Vec<Point>, look: Look, theme: Theme) -> RewindPicker {
        RewindPicker { points, look, seen: HashMap::new(), list: List::default(), asks: false, theme }
    }

    fn row(&self, point: &Point) -> Line<'static> {
        let theme = &self.theme;
        let time = self.points.iter().map(|point| point.time.len()).max().unwrap_or_default();
        let files = match point.files.len() {
            0 => String::new(),
            many => format!("  {}", text::counted(many, "file")),
        };
        let words = match &point.what {
            What::Message(words) => Span::styled(text::one_line(words), theme.text),
            What::Approval(words) => Span::styled(format!("⏸ plan approved: {}", text::one_line(words)), theme.plan),
        };
        let words = Span::styled(text::fit(&words.content, 200).into_owned(), words.style);
        Line::from(vec![
            Span::styled(format!("{:>time$}  ", point.time), theme.dim),
            words,
            Span::styled(files, theme.warning),
        ])
    }

    fn answer(&self, files: bool, conversation: bool) -> Outcome {
        let point = self.points.get(self.list.chosen);
        point.map_or(Outcome::Nothing, |point| Outcome::Rewind { point: point.id.clone(), files, conversation })
    }

    fn choose(&mut self, key: KeyEvent) -> Outcome {
        let files = self.points.get(self.list.chosen).is_some_and(|point| !point.files.is_empty());
        match key.code {
            KeyCode::Char('1') => self.answer(files, true),
            KeyCode::Char('2') => self.answer(false, true),
            KeyCode::Char('3') if files => self.answer(true, false),
            KeyCode::Esc => {
                self.asks = false;
                Outcome::Redraw
            }
            _ => Outcome::Nothing,
        }
    }

    fn draw_files(&mut self, area: Rect, buffer: &mut Buffer) {
        let (theme, chosen, width) = (self.theme, self.list.chosen, usize::from(area.width));
        let Some(point) = self.points.get(chosen).cloned() else { return };
        let mut rows: Vec<Line<'static>> = Vec::new();
        if point.files.is_empty() {
            rows.push(Line::styled("no file would change", theme.dim));
        } else {
            rows.push(Line::styled(
                format!("{} would be put back:", text::counted(point.files.len(), "file")),
                theme.warning,
            ));
        }
        for (at, path) in point.files.iter().enumerate() {
            if rows.len() >= usize::from(area.height) {
                break;
            }
            let change = self.seen.entry((chosen, at)).or_insert_with(|| (self.look)(&point, path));
            let shown = text::fit_end(&text::one_line(path), width.saturating_sub(14)).into_owned();
            let (told, style) = match (&change.failed, &change.now, &change.then) {
                (Some(why), ..) => (text::one_line(why), theme.error),
                (None, None, None) => ("stays away".to_string(), theme.dim),
                (None, Some(_), None) => ("is deleted".to_string(), theme.removed),
                (None, None, Some(_)) => ("comes back".to_string(), theme.added),
                (None, Some(now), Some(then)) => {
                    let counts = diff::counts(now, then);
                    (format!("+{} -{}", counts.added, counts.removed), theme.changed)
                }
            };
            rows.push(Line::from(vec![Span::styled(format!("  {shown}  "), theme.text), Span::styled(told, style)]));
            if let (None, Some(now), Some(then)) = (&change.failed, &change.now, &change.then) {
                rows.extend(diff::rows(&diff::between(now, then, 1), width, &theme, 12));
            }
        }
        if point.commands > 0 {
            let head = format!("not put back: what {} changed", text::counted(point.commands, "command"));
            let named = point.last_commands.iter().map(|command| format!("  {}", text::one_line(command)));
            let told =
                [Line::styled(head, theme.warning)].into_iter().chain(named.map(|row| Line::styled(row, theme.dim)));
            // Before the differences, which may be long.
            rows.splice(1..1, told);
        }
        rows.into_iter().zip(area.rows()).for_each(|(row, place)| text::fit_line(row, width).render(place, buffer));
    }
}

impl Overlay for RewindPicker {
    fn key(&mut self, key: KeyEvent, _now: Instant) -> Outcome {
        if key.kind == KeyEventKind::Release {
            return Outcome::Nothing;
        }
        if self.asks {
            return self.choose(key);
        }
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return Outcome::Close,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Outcome::Close,
            KeyCode::Char('k') => self.list.chosen = self.list.chosen.saturating_sub(1),
            KeyCode::Char('j') => self.list.chosen = (self.list.chosen + 1).min(self.points.len().saturating_sub(1)),
            KeyCode::Enter => self.asks = !self.points.is_empty(),
            _ if self.list.moves(key, self.points.len()) => {}
            _ => return Outcome::Nothing,
        }
        Outcome::Redraw
    }

    fn paste(&mut self, _text: &str, _now: Instant) -> Outcome {
        Outcome::Nothing
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, _now: Instant) {
        let files = self.points.get(self.list.chosen).is_some_and(|point| !point.files.is_empty());
        let keys: &[&str] = match (self.asks, files) {
            (true, true) => &["1 conversation and files", "2 conversation only", "3 files only", "esc back"],
            (true, false) => &["1 conversation", "esc back"],
            (false, _) => &["↑↓", "enter choose", "esc back"],
        };
        let keys = key_rows(keys, usize::from(frame.area().width));
        let Some(places) = Places::of(frame.area(), self.points.len(), keys.len()) else { return };
        let buffer = frame.buffer_mut();
        bar(places.title, buffer, "Rewind to …", self.theme.selection);
        let mut list = std::mem::take(&mut self.list);
        list.draw(places.list, buffer, self.points.len(), &self.theme, |at, _| {
            self.points.get(at).map(|point| self.row(point)).unwrap_or_default()
        });
        self.list = list;
        if self.points.is_empty() {
            Line::styled("  nothing was said yet", self.theme.dim).render(places.list, buffer);
        }
        self.draw_files(places.preview, buffer);
        let style = if self.asks { self.theme.armed } else { self.theme.dim };
        draw_keys(places.keys, buffer, &keys, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay::list::tests::{press, screen};

    fn picker() -> RewindPicker {
        let point = |id: &str, what: What, files: &[&str]| Point {
            id: id.into(),
            time: "14:02".into(),
            what,
            files: files.iter().map(|file| file.to_string()).collect(),
            commands: usize::from(id == "a"),
            last_commands: if id == "a" { vec!["rm\x1b x".into()] } else { vec![] },
        };
        let points = vec![
            point("c", What::Message("and the docs".into()), &[]),
            point("b", What::Approval("Signed cookies".into()), &["src/a.rs", "src/new\x1b.rs"]),
            point("a", What::Message("start\nhere".into()), &["src/a.rs", "src/new.rs"]),
        ];
        let look = |_: &Point, path: &str| match path {
            "src/a.rs" => Change { now: Some("one\ntwo\n".into()), then: Some("one\n2\n".into()), failed: None },
            _ => Change { now: Some("x".into()), ..Change::default() },
        };
        RewindPicker::new(points, Box::new(look), Theme::default())
    }

    #[test]
    fn se_5_the_picker_shows_which_files_would_be_put_back() {
        let mut rewind = picker();
        assert!(screen(&mut rewind, 80, 14).contains("no file would change"));
        press(&mut rewind, "▼");
        let wanted = " Rewind to …
  14:02  and the docs
› 14:02  ⏸ plan approved: Signed cookies  2 files
  14:02  start ⏎ here  2 files

2 files would be put back:
  src/a.rs  +1 -1
  1   one
  2 - two
  2 + 2
  src/new\\u{1b}.rs  is deleted


 ↑↓ · enter choose · esc back
";
        assert_eq!(screen(&mut rewind, 80, 14), wanted);
        press(&mut rewind, "▼");
        let shown = screen(&mut rewind, 80, 14);
        assert!(shown.contains("not put back: what 1 command changed\n  rm\\u{1b} x\n"), "{shown}");
        press(&mut rewind, "▲");
        press(&mut rewind, "⏎");
        assert!(screen(&mut rewind, 80, 14).contains("1 conversation and files · 2 conversation only · 3 files only"));
        let narrow = screen(&mut rewind, 40, 15);
        assert!(
            narrow.ends_with(" 1 conversation and files\n 2 conversation only · 3 files only\n esc back\n"),
            "{narrow}"
        );
        assert_eq!(press(&mut rewind, "⏎"), Outcome::Nothing);
        assert_eq!(press(&mut rewind, "3"), Outcome::Rewind { point: "b".into(), files: true, conversation: false });
        assert_eq!(press(&mut rewind, "1"), Outcome::Rewind { point: "b".into(), files: true, conversation: true });
        assert_eq!(press(&mut rewind, "⎋⎋"), Outcome::Close);
        press(&mut rewind, "▲⏎");
        assert_eq!(press(&mut rewind, "3"), Outcome::Nothing);
        assert_eq!(press(&mut rewind, "1"), Outcome::Rewind { point: "c".into(), files: false, conversation: true });
    }
}

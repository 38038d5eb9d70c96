//! The rewind picker (SE-5): lists the points a session can be rewound to (messages and plan approvals), and
//! previews the files that would change.

use super::picker_list::{PickerLayout, PickerList, draw_bar, draw_keys, key_rows};
use super::{Overlay, OverlayOutcome};
use crate::render::diff;
use crate::render::text;
use crate::render::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::collections::HashMap;
use std::time::Instant;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindEntry {
    pub id: String,
    /// Formatted time, such as `14:02`.
    pub time: String,
    pub kind: RewindEntryKind,
    /// Files that would be restored.
    pub files: Vec<String>,
    /// Number of commands run since; their changes are not restored.
    pub commands: usize,
    pub last_commands: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewindEntryKind {
    /// Rewind to before this message.
    Message(String),
    /// Rewind to right after this plan was approved.
    Approval(String),
}

/// Content of a file now and at the rewind point; `None` means no file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileComparison {
    pub now: Option<String>,
    pub then: Option<String>,
    /// Reason why the contents can't be compared.
    pub failed: Option<String>,
}

/// Compares a file with its version at a rewind point.
pub type FileComparer = Box<dyn Fn(&RewindEntry, &str) -> FileComparison>;

pub struct RewindPicker {
    points: Vec<RewindEntry>,
    comparer: FileComparer,
    compared: HashMap<(usize, usize), FileComparison>,
    list: PickerList,
    /// A point is selected; the picker asks what to restore.
    choosing: bool,
    theme: Theme,
}

impl RewindPicker {
    /// Creates the picker. `points` are sorted with the latest first.
    pub fn new(points: Vec<RewindEntry>, look: FileComparer, theme: Theme) -> RewindPicker {
        RewindPicker {
            points,
            comparer: look,
            compared: HashMap::new(),
            list: PickerList::default(),
            choosing: false,
            theme,
        }
    }

    fn entry_row(&self, point: &RewindEntry) -> Line<'static> {
        let theme = &self.theme;
        let time = self.points.iter().map(|point| point.time.len()).max().unwrap_or_default();
        let files = match point.files.len() {
            0 => String::new(),
            many => format!("  {}", text::count_noun(many, "file")),
        };
        let words = match &point.kind {
            RewindEntryKind::Message(words) => Span::styled(text::one_line(words), theme.text),
            RewindEntryKind::Approval(words) => {
                Span::styled(format!("⏸ plan approved: {}", text::one_line(words)), theme.planning)
            }
        };
        let words = Span::styled(text::fit(&words.content, 200).into_owned(), words.style);
        Line::from(vec![
            Span::styled(format!("{:>time$}  ", point.time), theme.dim),
            words,
            Span::styled(files, theme.warning),
        ])
    }

    fn rewind_outcome(&self, files: bool, conversation: bool) -> OverlayOutcome {
        let point = self.points.get(self.list.selected);
        point.map_or(OverlayOutcome::Nothing, |point| OverlayOutcome::Rewind {
            point: point.id.clone(),
            files,
            conversation,
        })
    }

    fn on_choice_key(&mut self, key: KeyEvent) -> OverlayOutcome {
        let files = self.points.get(self.list.selected).is_some_and(|point| !point.files.is_empty());
        match key.code {
            KeyCode::Char('1') => self.rewind_outcome(files, true),
            KeyCode::Char('2') => self.rewind_outcome(false, true),
            KeyCode::Char('3') if files => self.rewind_outcome(true, false),
            KeyCode::Esc => {
                self.choosing = false;
                OverlayOutcome::Redraw
            }
            _ => OverlayOutcome::Nothing,
        }
    }

    fn draw_files(&mut self, area: Rect, buffer: &mut Buffer) {
        let (theme, chosen, width) = (self.theme, self.list.selected, usize::from(area.width));
        let Some(point) = self.points.get(chosen).cloned() else { return };
        let mut rows: Vec<Line<'static>> = Vec::new();
        if point.files.is_empty() {
            rows.push(Line::styled("no file would change", theme.dim));
        } else {
            rows.push(Line::styled(
                format!("{} would be restored:", text::count_noun(point.files.len(), "file")),
                theme.warning,
            ));
        }
        for (at, path) in point.files.iter().enumerate() {
            if rows.len() >= usize::from(area.height) {
                break;
            }
            let change = self.compared.entry((chosen, at)).or_insert_with(|| (self.comparer)(&point, path));
            let shown = text::fit_end(&text::one_line(path), width.saturating_sub(14)).into_owned();
            let (told, style) = match (&change.failed, &change.now, &change.then) {
                (Some(why), ..) => (text::one_line(why), theme.error),
                (None, None, None) => ("stays deleted".to_string(), theme.dim),
                (None, Some(_), None) => ("is deleted".to_string(), theme.removed),
                (None, None, Some(_)) => ("is restored".to_string(), theme.added),
                (None, Some(now), Some(then)) => {
                    let counts = diff::count_changes(now, then);
                    (format!("+{} -{}", counts.added, counts.removed), theme.changed)
                }
            };
            rows.push(Line::from(vec![Span::styled(format!("  {shown}  "), theme.text), Span::styled(told, style)]));
            if let (None, Some(now), Some(then)) = (&change.failed, &change.now, &change.then) {
                rows.extend(diff::render_rows(&diff::diff_parts(now, then, 1), width, &theme, 12));
            }
        }
        if point.commands > 0 {
            let head = format!("not restored: changes by {}", text::count_noun(point.commands, "command"));
            let named = point.last_commands.iter().map(|command| format!("  {}", text::one_line(command)));
            let told =
                [Line::styled(head, theme.warning)].into_iter().chain(named.map(|row| Line::styled(row, theme.dim)));
            // Insert before the diffs, which may be long.
            rows.splice(1..1, told);
        }
        rows.into_iter().zip(area.rows()).for_each(|(row, place)| text::fit_line(row, width).render(place, buffer));
    }
}

impl Overlay for RewindPicker {
    fn on_key(&mut self, key: KeyEvent, _now: Instant) -> OverlayOutcome {
        if key.kind == KeyEventKind::Release {
            return OverlayOutcome::Nothing;
        }
        if self.choosing {
            return self.on_choice_key(key);
        }
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return OverlayOutcome::Close,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return OverlayOutcome::Close,
            KeyCode::Char('k') => self.list.selected = self.list.selected.saturating_sub(1),
            KeyCode::Char('j') => {
                self.list.selected = (self.list.selected + 1).min(self.points.len().saturating_sub(1))
            }
            KeyCode::Enter => self.choosing = !self.points.is_empty(),
            _ if self.list.handle_move(key, self.points.len()) => {}
            _ => return OverlayOutcome::Nothing,
        }
        OverlayOutcome::Redraw
    }

    fn keys(&self) -> Vec<(String, String)> {
        super::owned_keys(&[
            ("↑ ↓ k j", "another point"),
            ("enter", "choose it; then"),
            ("1", "go back to it: conversation and files"),
            ("2", "conversation only; the files stay"),
            ("3", "files only; the conversation stays"),
            ("esc q", "back"),
        ])
    }

    fn on_paste(&mut self, _text: &str, _now: Instant) -> OverlayOutcome {
        OverlayOutcome::Nothing
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, area: ratatui::layout::Rect, _now: Instant) {
        let files = self.points.get(self.list.selected).is_some_and(|point| !point.files.is_empty());
        let keys: &[&str] = match (self.choosing, files) {
            (true, true) => &["1 conversation and files", "2 conversation only", "3 files only", "esc back"],
            (true, false) => &["1 conversation", "esc back"],
            (false, _) => &["↑↓", "enter choose", "esc back"],
        };
        let keys = key_rows(keys, usize::from(area.width));
        let Some(places) = PickerLayout::split(area, self.points.len(), keys.len()) else { return };
        let buffer = frame.buffer_mut();
        draw_bar(places.title, buffer, "Rewind to …", self.theme.title());
        let mut list = std::mem::take(&mut self.list);
        list.draw(places.list, buffer, self.points.len(), &self.theme, |at, _| {
            self.points.get(at).map(|point| self.entry_row(point)).unwrap_or_default()
        });
        self.list = list;
        if self.points.is_empty() {
            Line::styled("  the conversation is empty", self.theme.dim).render(places.list, buffer);
        }
        self.draw_files(places.preview, buffer);
        let style = if self.choosing { self.theme.armed } else { self.theme.dim };
        draw_keys(places.keys, buffer, &keys, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlays::picker_list::tests::{press, screen};

    fn picker() -> RewindPicker {
        let point = |id: &str, what: RewindEntryKind, files: &[&str]| RewindEntry {
            id: id.into(),
            time: "14:02".into(),
            kind: what,
            files: files.iter().map(|file| file.to_string()).collect(),
            commands: usize::from(id == "a"),
            last_commands: if id == "a" { vec!["rm\x1b x".into()] } else { vec![] },
        };
        let points = vec![
            point("c", RewindEntryKind::Message("and the docs".into()), &[]),
            point("b", RewindEntryKind::Approval("Signed cookies".into()), &["src/a.rs", "src/new\x1b.rs"]),
            point("a", RewindEntryKind::Message("start\nhere".into()), &["src/a.rs", "src/new.rs"]),
        ];
        let look = |_: &RewindEntry, path: &str| match path {
            "src/a.rs" => {
                FileComparison { now: Some("one\ntwo\n".into()), then: Some("one\n2\n".into()), failed: None }
            }
            _ => FileComparison { now: Some("x".into()), ..FileComparison::default() },
        };
        RewindPicker::new(points, Box::new(look), Theme::default())
    }

    #[test]
    fn se_5_picker_previews_the_restored_files() {
        let mut rewind = picker();
        assert!(screen(&mut rewind, 80, 14).contains("no file would change"));
        press(&mut rewind, "▼");
        let wanted = " Rewind to …
  14:02  and the docs
› 14:02  ⏸ plan approved: Signed cookies  2 files
  14:02  start ⏎ here  2 files

2 files would be restored:
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
        assert!(shown.contains("not restored: changes by 1 command\n  rm\\u{1b} x\n"), "{shown}");
        press(&mut rewind, "▲");
        press(&mut rewind, "⏎");
        assert!(screen(&mut rewind, 80, 14).contains("1 conversation and files · 2 conversation only · 3 files only"));
        let narrow = screen(&mut rewind, 40, 15);
        assert!(
            narrow.ends_with(" 1 conversation and files\n 2 conversation only · 3 files only\n esc back\n"),
            "{narrow}"
        );
        assert_eq!(press(&mut rewind, "⏎"), OverlayOutcome::Nothing);
        assert_eq!(
            press(&mut rewind, "3"),
            OverlayOutcome::Rewind { point: "b".into(), files: true, conversation: false }
        );
        assert_eq!(
            press(&mut rewind, "1"),
            OverlayOutcome::Rewind { point: "b".into(), files: true, conversation: true }
        );
        assert_eq!(press(&mut rewind, "⎋⎋"), OverlayOutcome::Close);
        press(&mut rewind, "▲⏎");
        assert_eq!(press(&mut rewind, "3"), OverlayOutcome::Nothing);
        assert_eq!(
            press(&mut rewind, "1"),
            OverlayOutcome::Rewind { point: "c".into(), files: false, conversation: true }
        );
    }
}

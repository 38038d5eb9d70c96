//! The session picker (UI-15, SE-3): first message, time, branch, mode and the plan's title of each session, words that narrow the
//! list, and the end of the chosen one as a preview.

use super::list::{List, Places, ago, bar, draw_keys, key_rows};
use super::pager::{self, Item};
use super::{Outcome, Overlay};
use crate::text;
use crate::theme::Theme;
use cutonce_agent::store::Listed;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::collections::HashMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Below this width the title gives way to the words that are typed.
const NARROW: usize = 60;

/// Reads the last few entries of a session.
pub type Preview = Box<dyn Fn(&Listed) -> Vec<Item>>;
/// The sessions of this project (false) or of all (true).
pub type Source = Box<dyn Fn(bool) -> Vec<Listed>>;

pub struct SessionPicker {
    source: Source,
    preview: Preview,
    sessions: Vec<Listed>,
    everywhere: bool,
    list: List,
    previews: HashMap<String, Vec<Item>>,
    theme: Theme,
    now: SystemTime,
}

impl SessionPicker {
    /// `now` is what times are told from.
    pub fn new(source: Source, preview: Preview, theme: Theme, now: SystemTime) -> SessionPicker {
        let sessions = source(false);
        let (list, previews) = (List::default(), HashMap::new());
        SessionPicker { source, preview, sessions, everywhere: false, list, previews, theme, now }
    }

    /// With these words typed in already; where none of this folder fits, in all folders.
    pub fn asked(mut self, words: &str) -> SessionPicker {
        self.list.words = words.to_string();
        if !words.is_empty() && self.matching().is_empty() {
            (self.everywhere, self.sessions) = (true, (self.source)(true));
        }
        self
    }

    /// Every word is somewhere in what is known of the session.
    fn matching(&self) -> Vec<usize> {
        let words: Vec<String> = self.list.words.split_whitespace().map(str::to_lowercase).collect();
        let fits = |session: &Listed| {
            let cwd = session.cwd.as_ref().filter(|_| self.everywhere);
            let parts = [
                Some(&session.id),
                session.first_message.as_ref(),
                session.plan_title.as_ref(),
                session.branch.as_ref(),
            ];
            let told: Vec<String> = parts
                .into_iter()
                .chain([session.slug.as_ref(), cwd])
                .flatten()
                .map(|part| part.to_lowercase())
                .collect();
            words.iter().all(|word| told.iter().any(|part| part.contains(word)))
        };
        (0..self.sessions.len()).filter(|at| self.sessions.get(*at).is_some_and(fits)).collect()
    }

    fn chosen(&self) -> Option<&Listed> {
        self.matching().get(self.list.chosen).and_then(|at| self.sessions.get(*at))
    }

    fn row(&self, session: &Listed, width: usize) -> Line<'static> {
        let theme = &self.theme;
        let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let time = ago(seconds(session.modified), seconds(self.now));
        let said = session.first_message.as_deref().unwrap_or("(nothing said)");
        let branch = session.branch.as_deref().unwrap_or("-");
        let mode = session.mode.map_or("", |mode| mode.name());
        let mut spans = vec![Span::styled(format!("{time:>6}  "), theme.dim)];
        if width >= 60 {
            spans.push(Span::styled(format!("{} ", text::padded(&text::one_line(branch), 10)), theme.accent));
            spans.push(Span::styled(format!("{} ", text::padded(mode, 11)), theme.dim));
        }
        if let Some(title) = &session.plan_title {
            spans.push(Span::styled(format!("⏸ {}  ", text::one_line(title)), theme.plan));
        }
        spans.push(Span::styled(text::one_line(said), theme.text));
        Line::from(spans)
    }

    fn draw_preview(&mut self, area: Rect, buffer: &mut ratatui::buffer::Buffer) {
        let Some(session) = self.chosen().cloned() else { return };
        let items = self.previews.entry(session.id.clone()).or_insert_with(|| (self.preview)(&session));
        let theme = self.theme;
        let mut rows = vec![Line::styled(text::fit(&session.id, usize::from(area.width)).into_owned(), theme.dim)];
        let about = |name: &str, value: Option<&str>| value.map(|value| format!("{name}: {}", text::one_line(value)));
        let mode = session.mode.map(|mode| mode.name());
        for words in [
            about("folder", session.cwd.as_deref()),
            about("branch", session.branch.as_deref()),
            about("mode", mode),
            about("plan", session.plan_title.as_deref()),
        ] {
            rows.extend(
                words
                    .into_iter()
                    .map(|words| Line::styled(text::fit(&words, usize::from(area.width)).into_owned(), theme.dim)),
            );
        }
        rows.push(Line::default());
        let said: Vec<Line<'static>> =
            items.iter().flat_map(|item| pager::render(item, usize::from(area.width), &theme)).collect();
        // The end of the conversation is what tells where it stands.
        let room = usize::from(area.height).saturating_sub(rows.len());
        let from = said.len().saturating_sub(room);
        rows.extend(said.into_iter().skip(from));
        rows.into_iter().zip(area.rows()).for_each(|(row, place)| row.render(place, buffer));
    }
}

impl Overlay for SessionPicker {
    fn key(&mut self, key: KeyEvent, _now: Instant) -> Outcome {
        if key.kind == KeyEventKind::Release {
            return Outcome::Nothing;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc if !self.list.words.is_empty() => self.list.words.clear(),
            KeyCode::Esc => return Outcome::Close,
            KeyCode::Char('c') if control => return Outcome::Close,
            KeyCode::Enter => {
                return self
                    .chosen()
                    .map_or(Outcome::Nothing, |one| Outcome::Resume { id: one.id.clone(), fork: false });
            }
            KeyCode::Char('f') if control => {
                return self
                    .chosen()
                    .map_or(Outcome::Nothing, |one| Outcome::Resume { id: one.id.clone(), fork: true });
            }
            KeyCode::Char('y') if control => {
                return self.chosen().map_or(Outcome::Nothing, |one| Outcome::Copy(one.id.clone()));
            }
            KeyCode::Tab => {
                self.everywhere = !self.everywhere;
                self.sessions = (self.source)(self.everywhere);
                self.list.chosen = 0;
            }
            _ => {
                let count = self.matching().len();
                if !self.list.moves(key, count) && !self.list.types(key) {
                    return Outcome::Nothing;
                }
            }
        }
        Outcome::Redraw
    }

    fn paste(&mut self, text: &str, _now: Instant) -> Outcome {
        self.list.words.push_str(&text::one_line(text.lines().next().unwrap_or_default()));
        self.list.chosen = 0;
        Outcome::Redraw
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, _now: Instant) {
        let matching = self.matching();
        let width = usize::from(frame.area().width);
        let keys = ["type to search", "↑↓", "enter resume", "ctrl+f fork", "tab all folders", "esc back"];
        let keys = key_rows(&keys, width);
        let Some(places) = Places::of(frame.area(), matching.len(), keys.len()) else { return };
        let buffer = frame.buffer_mut();
        let whose = if self.everywhere { "all folders" } else { "this folder" };
        let (words, count) =
            (text::one_line(&self.list.words), format!("{} of {}", matching.len(), self.sessions.len()));
        // What is typed is in sight on every screen.
        let title = match width {
            ..NARROW => {
                format!("{}▏ · {count} · {whose}", text::fit_end(&words, width.saturating_sub(4 + count.len())))
            }
            NARROW.. => format!("Resume a session · {whose} · {count}   {words}▏"),
        };
        bar(places.title, buffer, &title, self.theme.selection);
        let mut list = std::mem::take(&mut self.list);
        list.draw(places.list, buffer, matching.len(), &self.theme, |at, width| {
            matching
                .get(at)
                .and_then(|at| self.sessions.get(*at))
                .map(|session| self.row(session, width))
                .unwrap_or_default()
        });
        self.list = list;
        if matching.is_empty() {
            let told =
                if self.everywhere { "no such session" } else { "no such session here; tab looks in all folders" };
            Line::styled(format!("  {told}"), self.theme.dim).render(places.list, buffer);
        }
        self.draw_preview(places.preview, buffer);
        draw_keys(places.keys, buffer, &keys, self.theme.dim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay::list::tests::{press, screen};
    use crate::overlay::pager::Body;
    use std::time::Duration;

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_000_000)
    }

    fn listed(id: &str, said: &str, plan: Option<&str>, minutes: u64) -> Listed {
        Listed {
            id: id.into(),
            path: "x".into(),
            cwd: Some("/home/u/app".into()),
            cwds: Vec::new(),
            first_message: Some(said.into()),
            last_at: None,
            modified: now() - Duration::from_secs(60 * minutes),
            branch: Some("main".into()),
            mode: Some(cutonce_core::mode::Mode::Plan),
            slug: None,
            plan_title: plan.map(str::to_string),
            entries: 3,
            exact: true,
            bytes: 10,
        }
    }

    fn picker() -> SessionPicker {
        let source = |all: bool| {
            let mut found = vec![
                listed("0192-a", "move sessions to cookies", Some("Signed cookies"), 5),
                listed("0192-b", "fix the\x1b[2J build\nnow", None, 200),
            ];
            if all {
                found.push(listed("0192-c", "elsewhere", None, 5_000));
            }
            found
        };
        let preview = |one: &Listed| {
            vec![Item { title: "you".into(), body: Body::Markdown(format!("the end of **{}**", one.id).into()) }]
        };
        SessionPicker::new(Box::new(source), Box::new(preview), Theme::default(), now())
    }

    #[test]
    fn ui_15_sessions_with_preview_search_and_the_plans_title() {
        let mut sessions = picker();
        let wanted = " Resume a session · this folder · 2 of 2   ▏
›  5 min  main       plan        ⏸ Signed cookies  move sessions to cookies
    3 h   main       plan        fix the\\u{1b}[2J build ⏎ now

0192-a
folder: /home/u/app
branch: main
mode: plan
plan: Signed cookies

● you
  the end of 0192-a


 type to search · ↑↓ · enter resume · ctrl+f fork · tab all folders · esc back
"
        .replace("    3 h   main", "     3 h  main");
        assert_eq!(screen(&mut sessions, 80, 15), wanted);
        press(&mut sessions, "BUILD");
        assert!(screen(&mut sessions, 120, 15).contains("1 of 2"));
        let narrow = screen(&mut sessions, 40, 15);
        assert!(narrow.starts_with(" BUILD▏ · 1 of 2 · this folder\n"), "{narrow}");
        assert!(narrow.ends_with(" ctrl+f fork · tab all folders\n esc back\n"), "{narrow}");
        assert_eq!(press(&mut sessions, "⏎"), Outcome::Resume { id: "0192-b".into(), fork: false });
        press(&mut sessions, "⎋⇥▼▼");
        assert_eq!(press(&mut sessions, "⏎"), Outcome::Resume { id: "0192-c".into(), fork: false });
        press(&mut sessions, "nothing like it");
        assert_eq!(press(&mut sessions, "⏎"), Outcome::Nothing);
        assert!(screen(&mut sessions, 40, 15).contains("no such session"));
        assert_eq!(press(&mut sessions, "⎋⎋"), Outcome::Close);
    }
}

//! The session picker (UI-15, SE-3): lists sessions with first message, time, branch, mode and plan title;
//! filters them by search text; previews the end of the selected one.

use super::pager::{self, PagerItem};
use super::picker_list::{PickerLayout, PickerList, draw_bar, draw_keys, format_age, key_rows};
use super::{Overlay, OverlayOutcome};
use crate::render::text;
use crate::render::theme::Theme;
use cutonce_agent::storage::ListedSession;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::collections::HashMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Below this width the title is dropped in favour of the search text.
const NARROW_WIDTH: usize = 60;

/// Loads the last entries of a session.
pub type PreviewLoader = Box<dyn Fn(&ListedSession) -> Vec<PagerItem>>;
/// Lists the sessions of this project (`false`) or of all projects (`true`).
pub type SessionLister = Box<dyn Fn(bool) -> Vec<ListedSession>>;

pub struct SessionPicker {
    lister: SessionLister,
    preview_loader: PreviewLoader,
    sessions: Vec<ListedSession>,
    all_folders: bool,
    list: PickerList,
    previews: HashMap<String, Vec<PagerItem>>,
    theme: Theme,
    now: SystemTime,
}

impl SessionPicker {
    /// Creates the picker. Ages are relative to `now`.
    pub fn new(source: SessionLister, preview: PreviewLoader, theme: Theme, now: SystemTime) -> SessionPicker {
        let sessions = source(false);
        let (list, previews) = (PickerList::default(), HashMap::new());
        SessionPicker {
            lister: source,
            preview_loader: preview,
            sessions,
            all_folders: false,
            list,
            previews,
            theme,
            now,
        }
    }

    /// Sets the search text. Searches all folders if nothing matches in this one.
    pub fn with_search(mut self, words: &str) -> SessionPicker {
        self.list.search = words.to_string();
        if !words.is_empty() && self.matching_indexes().is_empty() {
            (self.all_folders, self.sessions) = (true, (self.lister)(true));
        }
        self
    }

    /// Indexes of the sessions that contain every search word.
    fn matching_indexes(&self) -> Vec<usize> {
        let words: Vec<String> = self.list.search.split_whitespace().map(str::to_lowercase).collect();
        let fits = |session: &ListedSession| {
            let cwd = session.cwd.as_ref().filter(|_| self.all_folders);
            let parts =
                [Some(&session.id), session.first_message.as_ref(), session.title.as_ref(), session.branch.as_ref()];
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

    fn selected_session(&self) -> Option<&ListedSession> {
        self.matching_indexes().get(self.list.selected).and_then(|at| self.sessions.get(*at))
    }

    fn session_row(&self, session: &ListedSession, width: usize) -> Line<'static> {
        let theme = &self.theme;
        let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let time = format_age(seconds(session.modified), seconds(self.now));
        let said = session.first_message.as_deref().unwrap_or("(no message)");
        let branch = session.branch.as_deref().unwrap_or("-");
        let mode = session.mode.map_or("", |mode| mode.name());
        let mut spans = vec![Span::styled(format!("{time:>6}  "), theme.dim)];
        if width >= 60 {
            spans.push(Span::styled(format!("{} ", text::pad_to(&text::one_line(branch), 10)), theme.accent));
            spans.push(Span::styled(format!("{} ", text::pad_to(mode, 11)), theme.dim));
        }
        if let Some(title) = &session.title {
            spans.push(Span::styled(format!("⏸ {}  ", text::one_line(title)), theme.planning));
        }
        spans.push(Span::styled(text::one_line(said), theme.text));
        Line::from(spans)
    }

    fn draw_preview(&mut self, area: Rect, buffer: &mut ratatui::buffer::Buffer) {
        let Some(session) = self.selected_session().cloned() else { return };
        let items = self.previews.entry(session.id.clone()).or_insert_with(|| (self.preview_loader)(&session));
        let theme = self.theme;
        let mut rows = vec![Line::styled(text::fit(&session.id, usize::from(area.width)).into_owned(), theme.dim)];
        let about = |name: &str, value: Option<&str>| value.map(|value| format!("{name}: {}", text::one_line(value)));
        let mode = session.mode.map(|mode| mode.name());
        for words in [
            about("folder", session.cwd.as_deref()),
            about("branch", session.branch.as_deref()),
            about("mode", mode),
            about("plan", session.title.as_deref()),
        ] {
            rows.extend(
                words
                    .into_iter()
                    .map(|words| Line::styled(text::fit(&words, usize::from(area.width)).into_owned(), theme.dim)),
            );
        }
        rows.push(Line::default());
        let said: Vec<Line<'static>> =
            items.iter().flat_map(|item| pager::render_plain(item, usize::from(area.width), &theme)).collect();
        // Show the end of the conversation: it tells the current state.
        let room = usize::from(area.height).saturating_sub(rows.len());
        let from = said.len().saturating_sub(room);
        rows.extend(said.into_iter().skip(from));
        rows.into_iter().zip(area.rows()).for_each(|(row, place)| row.render(place, buffer));
    }
}

impl Overlay for SessionPicker {
    fn on_key(&mut self, key: KeyEvent, _now: Instant) -> OverlayOutcome {
        if key.kind == KeyEventKind::Release {
            return OverlayOutcome::Nothing;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc if !self.list.search.is_empty() => self.list.search.clear(),
            KeyCode::Esc => return OverlayOutcome::Close,
            KeyCode::Char('c') if control => return OverlayOutcome::Close,
            KeyCode::Enter => {
                return self
                    .selected_session()
                    .map_or(OverlayOutcome::Nothing, |one| OverlayOutcome::Resume { id: one.id.clone(), fork: false });
            }
            KeyCode::Char('f') if control => {
                return self
                    .selected_session()
                    .map_or(OverlayOutcome::Nothing, |one| OverlayOutcome::Resume { id: one.id.clone(), fork: true });
            }
            KeyCode::Char('y') if control => {
                return self
                    .selected_session()
                    .map_or(OverlayOutcome::Nothing, |one| OverlayOutcome::Copy(one.id.clone()));
            }
            KeyCode::Char('?') if self.list.search.is_empty() => return OverlayOutcome::Nothing,
            KeyCode::Tab => {
                self.all_folders = !self.all_folders;
                self.sessions = (self.lister)(self.all_folders);
                self.list.selected = 0;
            }
            _ => {
                let count = self.matching_indexes().len();
                if !self.list.handle_move(key, count) && !self.list.edit_search(key) {
                    return OverlayOutcome::Nothing;
                }
            }
        }
        OverlayOutcome::Redraw
    }

    fn keys(&self) -> Vec<(String, String)> {
        super::owned_keys(&[
            ("letters", "search; `?` only after another letter"),
            ("↑ ↓", "another session"),
            ("enter", "resume it"),
            ("ctrl+f", "continue in a copy"),
            ("ctrl+y", "copy its id"),
            ("tab", "this folder or all folders"),
            ("esc", "clear the search; then back"),
        ])
    }

    fn on_paste(&mut self, text: &str, _now: Instant) -> OverlayOutcome {
        self.list.search.push_str(&text::one_line(text.lines().next().unwrap_or_default()));
        self.list.selected = 0;
        OverlayOutcome::Redraw
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, area: ratatui::layout::Rect, _now: Instant) {
        let matching = self.matching_indexes();
        let width = usize::from(area.width);
        let keys = ["type to search", "↑↓", "enter resume", "ctrl+f fork", "tab all folders", "esc back"];
        let keys = key_rows(&keys, width);
        let Some(places) = PickerLayout::split(area, matching.len(), keys.len()) else { return };
        let buffer = frame.buffer_mut();
        let whose = if self.all_folders { "all folders" } else { "this folder" };
        let (words, count) =
            (text::one_line(&self.list.search), format!("{} of {}", matching.len(), self.sessions.len()));
        // The search text is visible on every screen.
        let title = match width {
            ..NARROW_WIDTH => {
                format!("{}▏ · {count} · {whose}", text::fit_end(&words, width.saturating_sub(4 + count.len())))
            }
            NARROW_WIDTH.. => format!("Resume a session · {whose} · {count}   {words}▏"),
        };
        draw_bar(places.title, buffer, &title, self.theme.title());
        let mut list = std::mem::take(&mut self.list);
        list.draw(places.list, buffer, matching.len(), &self.theme, |at, width| {
            matching
                .get(at)
                .and_then(|at| self.sessions.get(*at))
                .map(|session| self.session_row(session, width))
                .unwrap_or_default()
        });
        self.list = list;
        if matching.is_empty() {
            let told = if self.all_folders {
                "no matching session"
            } else {
                "no matching session here; tab searches all folders"
            };
            Line::styled(format!("  {told}"), self.theme.dim).render(places.list, buffer);
        }
        self.draw_preview(places.preview, buffer);
        draw_keys(places.keys, buffer, &keys, self.theme.dim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlays::pager::PagerContent;
    use crate::overlays::picker_list::tests::{press, screen};
    use std::time::Duration;

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_000_000)
    }

    fn listed(id: &str, said: &str, plan: Option<&str>, minutes: u64) -> ListedSession {
        ListedSession {
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
            title: plan.map(str::to_string),
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
        let preview = |one: &ListedSession| {
            vec![PagerItem {
                title: "you".into(),
                body: PagerContent::Markdown(format!("the end of **{}**", one.id).into()),
            }]
        };
        SessionPicker::new(Box::new(source), Box::new(preview), Theme::default(), now())
    }

    #[test]
    fn ui_15_picker_shows_preview_search_and_plan_title() {
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
        assert_eq!(press(&mut sessions, "⏎"), OverlayOutcome::Resume { id: "0192-b".into(), fork: false });
        press(&mut sessions, "⎋⇥▼▼");
        assert_eq!(press(&mut sessions, "⏎"), OverlayOutcome::Resume { id: "0192-c".into(), fork: false });
        press(&mut sessions, "nothing like it");
        assert_eq!(press(&mut sessions, "⏎"), OverlayOutcome::Nothing);
        assert!(screen(&mut sessions, 40, 15).contains("no matching session"));
        assert_eq!(press(&mut sessions, "⎋⎋"), OverlayOutcome::Close);
    }
}

//! What is on the screen: the live area from top to bottom, or an overlay that covers it.

use super::App;
use super::stage::{most_rows, narrow, narrow_rows};
use crate::entry::Kind;
use crate::history::Live;
use crate::status::{Work, spinner};
use crate::terminal;
use crate::text;
use cutonce_core::event::TodoStatus;
use ratatui::text::{Line, Span};
use std::io;
use std::time::Instant;

/// Rows of running tools and of queued messages that are shown.
const MOST_RUNNING: usize = 6;
const MOST_QUEUED: usize = 3;
const MOST_TODOS: usize = 8;
const LEAST_COMPOSED: usize = 3;
/// Below this height a dialog may have all of the screen.
const SMALL: usize = 20;

impl App {
    pub(super) fn draw(&mut self, now: Instant) -> io::Result<()> {
        self.continued();
        self.history.resized(terminal::size(), now);
        let staged = self.stage.is_on() && self.asks.asks();
        let held = self.history.held(now).filter(|_| !self.asks.covers() && !staged);
        if let Some(until) = held {
            // A terminal may have wrapped its lines for another size than it has told us yet: what is drawn now could
            // erase what it should not.
            (self.dirty, self.urgent, self.drawn_at) = (true, false, until.checked_sub(super::FRAME).unwrap_or(now));
            return Ok(());
        }
        (self.dirty, self.urgent, self.drawn_at) = (false, false, now);
        if std::mem::take(&mut self.bell) {
            terminal::write(self.sign().as_bytes())?;
        }
        if self.asks.covers() {
            return self.draw_overlay(now);
        }
        self.flow();
        let live = self.live(now, true);
        if self.needs_stage(&live) {
            self.draw_on_stage(live, now)?;
            self.asks.drawn(Instant::now());
            return Ok(());
        }
        self.leave_stage()?;
        let commits = std::mem::take(&mut self.commits);
        self.stage.printed(&commits);
        if self.history.differs(&commits, &live) {
            let out = self.history.write(&commits, live);
            terminal::write(out.as_bytes())?;
        }
        self.asks.drawn(Instant::now());
        Ok(())
    }

    /// `dialog`: with the one that is open, if one is.
    pub(super) fn live(&mut self, now: Instant, dialog: bool) -> Live {
        let (width, height) = (self.width(), usize::from(terminal::size().1));
        let dialog = dialog && self.asks.asks();
        // Some of the conversation stays in sight, but for a dialog on a small screen.
        let most = match (dialog, height) {
            (false, _) => most_rows(height),
            (true, ..SMALL) => height.max(4),
            (true, SMALL..) => height - 2,
        };
        let theme = self.theme;
        let status = self.status.lines(width, &theme);
        let (mut below, mut cursor) =
            if dialog { self.asked(width, most.saturating_sub(status.len()), now) } else { Default::default() };
        if below.is_empty() {
            let rows = most.saturating_sub(status.len() + 4).min((height / 3).max(3));
            let (drawn, at) = self.composed(width, rows, most.saturating_sub(narrow_rows(&status, width) + 2));
            (below, cursor) = (drawn, Some(at));
        }
        let taken = narrow_rows(&below, width) + narrow_rows(&status, width);
        let mut lines = self.working(now, width, most.saturating_sub(taken + 1));
        if self.tip {
            lines.extend(text::wrap(&Line::styled(super::tip::TIP, theme.dim), width, &text::Prefix::spaces(2)));
        }
        // Space around it, where there is some.
        let spare = most.saturating_sub(lines.len() + below.len() + status.len());
        if spare > 0 && (!lines.is_empty() || self.last != Kind::Start) {
            lines.push(Line::raw(""));
        }
        let above = lines.len();
        lines.extend(below);
        if spare > 1 && height >= 12 {
            lines.push(Line::raw(""));
        }
        lines.extend(status);
        let cut = lines.len().saturating_sub(most);
        let cursor = cursor.map(|(row, column)| ((row + above).saturating_sub(cut), column));
        Live { lines: lines.split_off(cut), cursor }
    }

    /// The composer in at most so many rows, also (`narrow`) when the terminal has wrapped them in a narrower window: what would
    /// find no room there would go to the scrollback for good.
    fn composed(&mut self, width: usize, most: usize, narrow: usize) -> (Vec<Line<'static>>, (usize, usize)) {
        let drawn = self.composer.draw(width, most, &self.theme);
        match narrow_rows(&drawn.0, width) {
            rows if rows > narrow => {
                let fewer = (drawn.0.len() * narrow / rows).max(LEAST_COMPOSED);
                self.composer.draw(width, fewer.min(most), &self.theme)
            }
            _ => drawn,
        }
    }

    /// The dialog that is open, if one is.
    fn asked(&mut self, width: usize, most: usize, now: Instant) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        match self.asks.dialog() {
            Some((dialog, guard)) => {
                let ready = guard.ready_at().is_some_and(|ready| now >= ready);
                let mut drawn = dialog.draw(width, most, ready, &self.theme);
                if let (behind @ 1.., true) = (self.asks.behind(), drawn.lines.len() < most) {
                    let told = format!("  {} waits behind this one", text::counted(behind, "more question"));
                    let told = if behind == 1 { told } else { told.replace("waits", "wait") };
                    drawn.lines.push(Line::styled(told, self.theme.dim));
                }
                (drawn.lines, drawn.cursor)
            }
            None => (Vec::new(), None),
        }
    }

    /// What still changes above the composer: the tail of the answer, running tools, todos, the line of work.
    fn working(&mut self, now: Instant, width: usize, most: usize) -> Vec<Line<'static>> {
        let theme = self.theme;
        let frame = self.turn.as_ref().map_or(0, |turn| now.duration_since(turn.since).as_millis() / 250) as usize;
        let mut below = self.at_work(now, frame, width);
        if narrow_rows(&below, width) > most.max(MOST_RUNNING) {
            // So many that a narrower window would have no room for two rows of each.
            below = self.at_work(now, frame, narrow(width).min(width));
        }
        if let Some(turn) = self.turn.as_ref().filter(|_| !self.asks.waits()) {
            let seconds = now.saturating_duration_since(turn.since).as_secs();
            let received = turn.received + cutonce_core::conversation::estimate_tokens(turn.coming);
            let work = Work { what: self.activity(turn), seconds, sent: turn.sent, received };
            below.push(work.line(frame, width, &theme));
        }
        below.extend(self.todo_lines(width));
        for said in self.queued.iter().take(MOST_QUEUED) {
            below.extend(crate::entry::queued(said, width, &theme));
        }
        if let Some(line) = self.asks.waiting_line(self.composer.is_empty(), self.turn.is_some(), &theme) {
            below.push(line);
        }
        let room = most.saturating_sub(narrow_rows(&below, width) + 1);
        let mut lines = self.tail(room);
        if !lines.is_empty() && self.last.apart(Kind::Text) {
            lines.insert(0, Line::raw(""));
        }
        if !below.is_empty()
            && (!lines.is_empty() || self.last != Kind::Tool || self.running.is_empty())
            && self.last != Kind::Start
        {
            lines.push(Line::raw(""));
        }
        lines.extend(below);
        lines
    }

    /// Calls that run, agents, commands in the background.
    fn at_work(&self, now: Instant, frame: usize, width: usize) -> Vec<Line<'static>> {
        let theme = &self.theme;
        let mut lines = Vec::new();
        let running: Vec<_> = self.running.iter().filter(|tool| !self.crew.shows(&tool.call_id)).collect();
        for tool in running.iter().take(MOST_RUNNING) {
            let seconds = now.saturating_duration_since(tool.since).as_secs();
            lines.extend(tool.lines(spinner(frame), seconds, width, theme));
        }
        if let more @ 1.. = running.len().saturating_sub(MOST_RUNNING) {
            lines.push(Line::styled(format!("  … {}", text::counted(more, "more call")), theme.dim));
        }
        lines.extend(self.crew.lines(frame, now, self.unfolded, width, theme));
        lines.extend(self.task_lines(width));
        lines
    }

    /// The todo list: folded to what is being done, or all of it (UI-14).
    fn todo_lines(&self, width: usize) -> Vec<Line<'static>> {
        let theme = &self.theme;
        let done = self.todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count();
        if self.todos.is_empty() || (done == self.todos.len() && !self.unfolded) {
            return Vec::new();
        }
        let of = format!("{done} of {} done", self.todos.len());
        if !self.unfolded {
            let now = self.todos.iter().find(|todo| todo.status == TodoStatus::InProgress);
            let now = now.map_or("todos".to_string(), |todo| text::one_line(&todo.active_form));
            let (short, whole) = (format!("  ☐ {now} · {of}"), format!("  ☐ {now} · {of} · ctrl+t shows all"));
            let line = if text::width(&whole) <= width { whole } else { text::fit(&short, width).into_owned() };
            return vec![Line::styled(line, theme.dim)];
        }
        let from = done.saturating_sub(2).min(self.todos.len().saturating_sub(MOST_TODOS));
        let mut lines: Vec<Line<'static>> = self
            .todos
            .iter()
            .skip(from)
            .take(MOST_TODOS)
            .map(|todo| {
                let (mark, style) = match todo.status {
                    TodoStatus::Completed => ("☒ ", theme.dim),
                    TodoStatus::InProgress => ("▸ ", theme.accent),
                    TodoStatus::Pending => ("☐ ", theme.text),
                };
                let words = text::one_line(&todo.content);
                let words = text::fit(&words, width.saturating_sub(4)).into_owned();
                Line::from(vec![Span::raw("  "), Span::styled(mark, style), Span::styled(words, style)])
            })
            .collect();
        lines.push(Line::styled(format!("  {of} · ctrl+t folds"), theme.dim));
        lines
    }
}

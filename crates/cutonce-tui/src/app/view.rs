//! Drawing: the live area from top to bottom, or an overlay that covers it.

use super::App;
use super::agents_panel::MAX_RECENT_CALLS;
use super::dialog_screen::{max_live_rows, narrow_rows, narrow_width};
use crate::entries::ConversationEntryKind;
use crate::entries::tool_call::LIVE_WIDTH;
use crate::render::text;
use crate::status_line::{ProgressLine, spinner_frame};
use crate::terminal;
use crate::terminal::scrollback::LiveArea;
use cutonce_core::protocol::event::TodoStatus;
use ratatui::text::{Line, Span};
use std::io;
use std::time::Instant;

/// Maximum number of rows for running tools and for queued messages.
const MAX_RUNNING_ROWS: usize = 6;
const MAX_QUEUED_ROWS: usize = 3;
const MAX_TODO_ROWS: usize = 8;
const MIN_COMPOSER_ROWS: usize = 3;
/// Below this height a dialog may use the whole screen.
const SMALL_HEIGHT: usize = 20;

impl App {
    pub(super) fn draw(&mut self, now: Instant) -> io::Result<()> {
        self.restore_after_suspend();
        self.screen.scrollback.set_size(terminal::size(), now);
        let staged = self.dialog_screen.is_active() && self.asks.has_dialog();
        let held = self.screen.scrollback.pause_end(now).filter(|_| !self.asks.has_overlay() && !staged);
        if let Some(until) = held {
            // The terminal may already have wrapped its lines for a new size that it has not reported yet:
            // drawing now could erase the wrong rows.
            (self.redraw.dirty, self.redraw.urgent, self.redraw.drawn_at) =
                (true, false, until.checked_sub(super::FRAME_INTERVAL).unwrap_or(now));
            return Ok(());
        }
        (self.redraw.dirty, self.redraw.urgent, self.redraw.drawn_at) = (false, false, now);
        if let Some(words) = self.redraw.bell.take() {
            terminal::write(self.notification_sequence(words).as_bytes())?;
        }
        self.update_title()?;
        if self.asks.has_overlay() {
            return self.draw_overlay(now);
        }
        self.print_finished_rows();
        let live = self.build_live_area(now, true);
        if self.needs_dialog_screen(&live) {
            self.draw_dialog_screen(live, now)?;
            self.asks.mark_drawn(Instant::now());
            return Ok(());
        }
        self.leave_dialog_screen()?;
        let commits = std::mem::take(&mut self.screen.pending_rows);
        self.dialog_screen.remember_rows(&commits);
        if self.screen.scrollback.needs_write(&commits, &live) {
            let out = self.screen.scrollback.write(&commits, live);
            terminal::write(out.as_bytes())?;
        }
        self.asks.mark_drawn(Instant::now());
        Ok(())
    }

    /// Builds the live area. `dialog`: include the open dialog, if any.
    pub(super) fn build_live_area(&mut self, now: Instant, dialog: bool) -> LiveArea {
        let (width, height) = (self.content_width(), usize::from(terminal::size().1));
        let dialog = dialog && self.asks.has_dialog();
        // Keep some of the conversation visible, except for a dialog on a small screen.
        let most = match (dialog, height) {
            (false, _) => max_live_rows(height),
            (true, ..SMALL_HEIGHT) => height.max(4),
            (true, SMALL_HEIGHT..) => height - 2,
        };
        let theme = self.theme;
        let mut status = self.status.render(width, &theme);
        status.extend(self.status.own_line(width, &theme));
        status.extend(self.guide_line());
        let (mut below, mut cursor) =
            if dialog { self.draw_dialog(width, most.saturating_sub(status.len()), now) } else { Default::default() };
        if below.is_empty() {
            let rows = most.saturating_sub(status.len() + 4).min((height / 3).max(3));
            let (drawn, at) = self.draw_composer(width, rows, most.saturating_sub(narrow_rows(&status, width) + 2));
            (below, cursor) = (drawn, Some(at));
        }
        let taken = narrow_rows(&below, width) + narrow_rows(&status, width);
        let mut lines = self.draw_activity(now, width, most.saturating_sub(taken + 1));
        if let Some(tip) = &self.tip {
            lines.extend(text::wrap(&Line::styled(tip.clone(), theme.dim), width, &text::RowPrefix::spaces(2)));
        }
        // Add blank rows around it if there is room.
        let spare = most.saturating_sub(lines.len() + below.len() + status.len());
        if spare > 0 && (!lines.is_empty() || self.screen.last_kind != ConversationEntryKind::Start) {
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
        LiveArea { lines: lines.split_off(cut), cursor }
    }

    /// Draws the composer in at most `most` rows, and at most `narrow` rows after the terminal has wrapped
    /// them in a narrower window. Rows without room there would be lost to the scrollback.
    fn draw_composer(&mut self, width: usize, most: usize, narrow: usize) -> (Vec<Line<'static>>, (usize, usize)) {
        let drawn = self.prompt.composer.draw(width, most, &self.theme);
        match narrow_rows(&drawn.0, width) {
            rows if rows > narrow => {
                let fewer = (drawn.0.len() * narrow / rows).max(MIN_COMPOSER_ROWS);
                self.prompt.composer.draw(width, fewer.min(most), &self.theme)
            }
            _ => drawn,
        }
    }

    /// Draws the open dialog, if any.
    fn draw_dialog(&mut self, width: usize, most: usize, now: Instant) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        match self.asks.open_dialog() {
            Some((dialog, guard)) => {
                let ready = guard.ready_at().is_some_and(|ready| now >= ready);
                let mut drawn = dialog.draw(width, most, ready, &self.theme);
                if let (behind @ 1.., true) = (self.asks.queued_count(), drawn.lines.len() < most) {
                    let told = format!("  {} in the queue", text::count_noun(behind, "more question"));
                    drawn.lines.push(Line::styled(told, self.theme.dim));
                }
                (drawn.lines, drawn.cursor)
            }
            None => (Vec::new(), None),
        }
    }

    /// Draws what still changes above the composer: the end of the answer, running tools, todos and progress.
    fn draw_activity(&mut self, now: Instant, width: usize, most: usize) -> Vec<Line<'static>> {
        let theme = self.theme;
        let frame = self.turn.as_ref().map_or(0, |turn| now.duration_since(turn.started).as_millis() / 250) as usize;
        let room = most.max(MAX_RUNNING_ROWS);
        // Too many rows for a narrower window: show fewer earlier calls of agents, then less of each row, then fit the
        // rows to that width.
        let widths = [width, width.min(LIVE_WIDTH)].into_iter();
        let fewer = widths.flat_map(|width| (0..=MAX_RECENT_CALLS).rev().map(move |calls| (width, calls)));
        let mut below = fewer
            .map(|(width, calls)| self.activity_rows(now, frame, width, calls))
            .find(|rows| narrow_rows(rows, width) <= room)
            .unwrap_or_else(|| self.activity_rows(now, frame, narrow_width(width).min(width), MAX_RECENT_CALLS));
        if let Some(turn) = self.turn.as_ref().filter(|_| !self.asks.blocks_agent()) {
            let seconds = now.saturating_duration_since(turn.started).as_secs();
            let received = turn.received + cutonce_core::conversation::estimate_tokens(turn.streamed_bytes);
            let work = ProgressLine { activity: self.current_activity(turn), seconds, sent: turn.sent, received };
            below.push(work.render(frame, width, &theme));
        }
        below.extend(self.step_lines(width));
        below.extend(self.todo_lines(width));
        for said in self.queue.messages.iter().take(MAX_QUEUED_ROWS) {
            below.extend(crate::entries::queued_lines(said, width, &theme));
        }
        if !self.queue.messages.is_empty() && self.prompt.composer.is_empty() {
            below.push(Line::styled("  up edits the last one, esc removes it", theme.dim));
        }
        if let Some(line) = self.asks.waiting_line(self.prompt.composer.is_empty(), self.turn.is_some(), &theme) {
            below.push(line);
        }
        let room = most.saturating_sub(narrow_rows(&below, width) + 1);
        let mut lines = self.unfinished_rows(room);
        if !lines.is_empty() && self.screen.last_kind.needs_gap_before(ConversationEntryKind::Text) {
            lines.insert(0, Line::raw(""));
        }
        if !below.is_empty()
            && (!lines.is_empty()
                || self.screen.last_kind != ConversationEntryKind::Tool
                || self.activity.calls.is_empty())
            && self.screen.last_kind != ConversationEntryKind::Start
        {
            lines.push(Line::raw(""));
        }
        lines.extend(below);
        lines
    }

    /// Rows for running calls, agents and background commands. `calls`: earlier calls to show per agent, if unfolded.
    fn activity_rows(&self, now: Instant, frame: usize, width: usize, calls: usize) -> Vec<Line<'static>> {
        let theme = &self.theme;
        let mut lines = Vec::new();
        let running: Vec<_> =
            self.activity.calls.iter().filter(|tool| !self.activity.agents.shows_call(&tool.call_id)).collect();
        for tool in running.iter().take(MAX_RUNNING_ROWS) {
            let seconds = now.saturating_duration_since(tool.since).as_secs();
            lines.extend(tool.lines(spinner_frame(frame), seconds, width, theme));
        }
        if let more @ 1.. = running.len().saturating_sub(MAX_RUNNING_ROWS) {
            lines.push(Line::styled(format!("  … {}", text::count_noun(more, "more call")), theme.dim));
        }
        lines.extend(self.activity.agents.render(frame, now, self.activity.expanded.then_some(calls), width, theme));
        lines.extend(self.task_lines(width));
        lines
    }

    /// The todo list: only the current item when folded, otherwise all (UI-14).
    fn todo_lines(&self, width: usize) -> Vec<Line<'static>> {
        let theme = &self.theme;
        let done = self.status.view.todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count();
        if self.status.view.todos.is_empty() || (done == self.status.view.todos.len() && !self.activity.expanded) {
            return Vec::new();
        }
        let of = format!("{done} of {} done", self.status.view.todos.len());
        if !self.activity.expanded {
            let now = self.status.view.todos.iter().find(|todo| todo.status == TodoStatus::InProgress);
            let now = now.map_or("todos".to_string(), |todo| text::one_line(&todo.active_form));
            let (short, whole) = (format!("  ☐ {now} · {of}"), format!("  ☐ {now} · {of} · ctrl+t shows all"));
            let line = if text::width(&whole) <= width { whole } else { text::fit(&short, width).into_owned() };
            return vec![Line::styled(line, theme.dim)];
        }
        let from = done.saturating_sub(2).min(self.status.view.todos.len().saturating_sub(MAX_TODO_ROWS));
        let mut lines: Vec<Line<'static>> = self
            .status
            .view
            .todos
            .iter()
            .skip(from)
            .take(MAX_TODO_ROWS)
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

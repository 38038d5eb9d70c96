//! Pending asks: dialogs in the live area, the full-screen plan review, and the rules for when each one
//! opens. A dialog never opens over a draft or while the user types (UI-5, UI-6).

use super::reviews::PendingReviews;
use super::{App, GuidePlace};
use crate::dialogs::{Dialog, DialogReply, KeyGuard};
use crate::input::keymap::{self, KeyAction};
use crate::overlays::pager::{Pager, PagerContent, PagerItem};
use crate::overlays::{Overlay, OverlayOutcome};
use crate::render::text;
use crate::render::theme::Theme;
use crate::terminal;
use crossterm::event::KeyEvent;
use cutonce_core::exit_code;
use cutonce_core::mode::Mode;
use cutonce_core::protocol::event::{AskView, NoticeLevel};
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer, Submission};
use cutonce_core::settings::NotificationMethod;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A plan opens by itself after this long without a key press.
const AUTO_OPEN_DELAY: Duration = Duration::from_secs(1);
/// Maximum length of a subagent's task in the title of its ask.
const MAX_TASK_CHARS: usize = 60;
/// Banner shown on an overlay while an ask is pending behind it.
const WAITING_BANNER: &str = " waiting for your answer: press esc ";
pub const SYNC_UPDATE: [&[u8]; 2] = [b"\x1b[?2026h", b"\x1b[?2026l"];

pub type AltScreen = ratatui::Terminal<CrosstermBackend<io::Stdout>>;

/// An overlay on the alternate screen.
struct OverlayHost {
    overlay: Box<dyn Overlay>,
    screen: AltScreen,
    /// Id of the plan ask that this overlay answers.
    ask_id: Option<String>,
    /// The view that comes back when this one closes, with its plan ask: the list of keys covers it.
    below: Option<(Box<dyn Overlay>, Option<String>)>,
}

#[derive(Default)]
pub struct PendingAsks {
    /// Asks behind the open one, each with the mode in which it asked.
    queue: VecDeque<(Arc<AskView>, Mode)>,
    active: Option<(Arc<AskView>, Dialog, KeyGuard)>,
    /// The hint line that appears once the dialog accepts keys was drawn.
    hint_drawn: bool,
    pub reviews: PendingReviews,
    overlay_host: Option<OverlayHost>,
    /// The overlay shows the details of the open dialog.
    shows_details: bool,
}

impl PendingAsks {
    pub fn has_overlay(&self) -> bool {
        self.overlay_host.is_some()
    }
    /// The place that the demo's line explains, if the open overlay is one.
    pub fn guide_place(&self) -> Option<GuidePlace> {
        self.overlay_host.as_ref().and_then(|host| host.overlay.guide_place())
    }
    pub fn has_dialog(&self) -> bool {
        self.active.is_some()
    }
    /// Number of dialogs queued after the open one.
    pub fn queued_count(&self) -> usize {
        self.queue.len()
    }
    /// True if the agent is blocked until the user answers.
    pub fn blocks_agent(&self) -> bool {
        self.active.is_some() || self.overlay_host.is_some() || self.reviews.blocks_agent()
    }
    /// True if the first pending review may open by itself.
    pub fn review_may_open(&self, empty: bool, working: bool) -> bool {
        empty && self.overlay_host.is_none() && self.active.is_none() && self.reviews.first_may_open(working)
    }
    pub fn open_dialog(&self) -> Option<(&Dialog, KeyGuard)> {
        self.active.as_ref().map(|(_, dialog, guard)| (dialog, *guard))
    }

    /// The mode changed: the open question says that its reason is from before.
    pub fn set_mode(&mut self, mode: Mode) {
        if let Some((_, dialog, _)) = &mut self.active {
            dialog.set_mode(mode);
        }
    }

    /// Notes that the dialog is on the screen.
    pub fn mark_drawn(&mut self, now: Instant) {
        if let Some((_, _, guard)) = &mut self.active {
            guard.mark_drawn(now);
            self.hint_drawn |= guard.ready_at().is_some_and(|ready| now >= ready);
        }
    }

    pub fn next_deadline(&self, now: Instant, last_key: Instant, empty: bool, working: bool) -> Option<Instant> {
        let dialog = self.active.as_ref().filter(|_| !self.hint_drawn).and_then(|(_, _, guard)| guard.ready_at());
        let overlay = self.overlay_host.as_ref().and_then(|cover| cover.overlay.next_tick());
        let opens = self.review_may_open(empty, working).then_some(last_key + AUTO_OPEN_DELAY);
        [dialog, overlay, opens].into_iter().flatten().min().map(|at| at.max(now))
    }

    /// Line above the composer while a review is pending and not open.
    pub fn waiting_line(&self, empty: bool, working: bool, theme: &Theme) -> Option<Line<'static>> {
        let waits = self.overlay_host.is_none() && !self.review_may_open(empty, working);
        self.reviews.waiting_line(theme).filter(|_| waits)
    }
    /// Id of the ask that the open overlay answers.
    pub fn overlay_ask(&self) -> Option<&str> {
        self.overlay_host.as_ref().and_then(|host| host.ask_id.as_deref())
    }
}

/// Creates a ratatui screen with an empty buffer, so that everything is redrawn. Clearing an existing one
/// would query the cursor position, and the terminal's answer would be read as keys.
pub fn new_screen() -> io::Result<AltScreen> {
    AltScreen::new(CrosstermBackend::new(io::stdout()))
}

impl App {
    /// Queues an ask and opens its dialog if none is open.
    pub(super) fn add_ask(&mut self, ask: Arc<AskView>) {
        self.redraw.bell = Some("cutonce is waiting for you");
        if ask.exit_request().is_some() {
            self.asks.reviews.add(ask, !self.prompt.composer.is_empty(), self.turn.is_some());
        } else {
            self.asks.queue.push_back((ask, self.status.view.mode));
            self.next_dialog();
        }
        self.request_redraw();
    }

    /// Removes an ask that was answered, here or elsewhere, or withdrawn.
    pub(super) fn ask_closed(&mut self, ask_id: &str, answer: Option<AskAnswer>) {
        self.asks.queue.retain(|(ask, _)| ask.ask_id != ask_id);
        if self.asks.active.as_ref().is_some_and(|(ask, ..)| ask.ask_id == ask_id) {
            self.asks.active = None;
            self.next_dialog();
        }
        self.review_closed(ask_id, answer);
        if self.asks.overlay_ask() == Some(ask_id) {
            self.close_overlay();
        }
        self.request_redraw();
    }

    fn next_dialog(&mut self) {
        while self.asks.active.is_none()
            && let Some((ask, mode)) = self.asks.queue.pop_front()
        {
            let who = ask.describe_asker().map(|who| {
                match ask.agent.as_ref().and_then(|agent| self.activity.agents.task_of(&agent.id)) {
                    Some(task) => format!("{who}: {}", text::truncate_chars(&task, MAX_TASK_CHARS)),
                    None => who,
                }
            });
            if let Some(mut dialog) = Dialog::for_ask(&ask, who.as_deref(), mode) {
                dialog.set_mode(self.status.view.mode);
                self.asks.active = Some((ask, dialog, KeyGuard::default()));
                self.asks.hint_drawn = false;
            }
        }
    }

    /// Handles expired deadlines of dialogs and overlays.
    pub(super) fn handle_ask_deadlines(&mut self, now: Instant) {
        let ready =
            self.asks.active.as_ref().and_then(|(_, _, guard)| guard.ready_at()).is_some_and(|ready| now >= ready);
        if ready && !self.asks.hint_drawn {
            self.redraw_now();
        }
        if let Some(cover) = &mut self.asks.overlay_host
            && cover.overlay.next_tick().is_some_and(|at| at <= now)
        {
            let outcome = cover.overlay.on_tick(now);
            self.perform_outcome(outcome);
        }
        if self.asks.review_may_open(self.prompt.composer.is_empty(), self.turn.is_some())
            && now >= self.key_times.last_key + AUTO_OPEN_DELAY
        {
            self.open_review();
        }
    }

    /// Passes a key to the open dialog. Returns true if the dialog consumed it.
    pub(super) fn dialog_key(&mut self, key: KeyEvent, at: Instant) -> bool {
        let Some((ask, dialog, guard)) = &mut self.asks.active else { return false };
        // Esc denies, which is safe: accept it as soon as the dialog is drawn.
        let esc = key.code == crossterm::event::KeyCode::Esc && guard.is_drawn();
        if !guard.accept_key(at) && !esc {
            return false;
        }
        // The user was typing when the dialog opened: Enter ends that sentence and is not an answer.
        let writes = guard.is_typing();
        if writes && key.code == crossterm::event::KeyCode::Enter {
            return false;
        }
        let ask_id = ask.ask_id.clone();
        let reply = dialog.on_key(key);
        if reply == DialogReply::Nothing && keymap::typed_char(key) == Some('?') {
            let keys = dialog.keys();
            self.show_keys(keys);
            self.asks.shows_details = true;
            return true;
        }
        match (&reply, crate::input::keymap::typed_char(key)) {
            (DialogReply::Nothing, Some(_)) => {
                guard.on_stray_letter(at);
                self.asks.hint_drawn = false;
                self.redraw_now();
                return false;
            }
            (DialogReply::Redraw, None) => guard.on_dialog_key(),
            (_, _) => {}
        }
        match reply {
            DialogReply::Nothing => {}
            DialogReply::Redraw => self.redraw_now(),
            DialogReply::Answer(answer) => {
                self.guide.refused |= matches!(answer, AskAnswer::Permission(PermissionAnswer::Deny { .. }));
                // The answer ends the turn of the subagent that asked; this ends the turn that started it.
                let stops = matches!(answer, AskAnswer::Permission(PermissionAnswer::Deny { interrupt: true, .. }));
                let asked_by_agent = ask.agent.is_some();
                self.submit(Submission::Answer { ask_id, answer });
                if stops && asked_by_agent {
                    self.submit(Submission::Interrupt);
                }
                self.redraw_now();
            }
            DialogReply::Details => {
                if let Some(items) = dialog.details() {
                    self.show_items("Request details", items);
                    self.asks.shows_details = true;
                }
            }
        }
        true
    }

    pub(super) fn dialog_paste(&mut self, text: &str, at: Instant) -> bool {
        let Some((_, dialog, guard)) = &mut self.asks.active else { return false };
        if !guard.accept_key(at) {
            return false;
        }
        dialog.paste(text);
        self.redraw_now();
        true
    }

    pub(super) fn open_overlay(&mut self, overlay: Box<dyn Overlay>, ask_id: Option<String>) {
        // The buffer of an open view knows what is on the screen, so that nothing of it stays.
        if let Some(host) = &mut self.asks.overlay_host {
            (host.overlay, host.ask_id, host.below) = (overlay, ask_id, None);
            return self.redraw_now();
        }
        let begun = self
            .leave_dialog_screen()
            .and_then(|()| self.screen.terminal.set_alternate(true))
            .and_then(|()| new_screen());
        match begun {
            Ok(screen) => {
                self.asks.overlay_host = Some(OverlayHost { overlay, screen, ask_id, below: None });
            }
            Err(_) => self.exit = Some(exit_code::FAILED),
        }
        self.redraw_now();
    }

    /// Shows the keys of the screen that the user is on (DU-7); closing the list returns there.
    pub(super) fn show_keys(&mut self, keys: Vec<(String, String)>) {
        // The pager indents by two columns.
        let rows = keymap::key_rows(&keys, self.content_width().saturating_sub(2));
        let body = PagerContent::Plain(rows.join("\n").into());
        let list = vec![PagerItem { title: String::new(), body }];
        let list: Box<dyn Overlay> = Box::new(Pager::new("Keys of this screen", list, self.theme).as_key_list());
        match &mut self.asks.overlay_host {
            Some(host) => {
                host.below = Some((std::mem::replace(&mut host.overlay, list), host.ask_id.take()));
                self.redraw_now();
            }
            None => self.open_overlay(list, None),
        }
    }

    pub(super) fn close_overlay(&mut self) {
        if let Some(host) = &mut self.asks.overlay_host
            && let Some((overlay, ask_id)) = host.below.take()
        {
            (host.overlay, host.ask_id) = (overlay, ask_id);
            return self.redraw_now();
        }
        (self.asks.overlay_host, self.asks.shows_details) = (None, false);
        if self.screen.terminal.set_alternate(false).is_err() {
            self.exit = Some(exit_code::FAILED);
        }
        self.redraw_now();
    }

    pub(super) fn draw_overlay(&mut self, now: Instant) -> io::Result<()> {
        let waits = (self.asks.active.is_some() || self.asks.reviews.is_pending()) && !self.asks.shows_details;
        let (style, guide) = (self.theme.planning, self.guide_line());
        let Some(OverlayHost { overlay, screen, ask_id, .. }) = &mut self.asks.overlay_host else { return Ok(()) };
        // Show the banner only on overlays other than the plan itself.
        let waits = waits && ask_id.is_none();
        terminal::write(SYNC_UPDATE[0])?;
        screen.draw(|frame| {
            let mut area = frame.area();
            if let Some(line) = guide {
                area.height = area.height.saturating_sub(1);
                let row = Rect { y: area.bottom(), height: 1, ..area };
                text::fit_line(line, usize::from(row.width)).render(row, frame.buffer_mut());
            }
            overlay.draw(frame, area, now);
            if let Some(row) = area.rows().next().filter(|_| waits) {
                let told = text::fit(WAITING_BANNER, usize::from(row.width)).into_owned();
                let columns = u16::try_from(text::width(&told)).unwrap_or(row.width);
                let place = Rect { x: row.right().saturating_sub(columns), width: columns, ..row };
                Line::styled(told, style).render(place, frame.buffer_mut());
            }
        })?;
        terminal::write(SYNC_UPDATE[1])
    }

    /// Discards the overlay's screen buffer so that the next frame redraws everything.
    pub(super) fn reset_overlay_screen(&mut self) -> io::Result<()> {
        if let Some(cover) = &mut self.asks.overlay_host {
            cover.screen = new_screen()?;
        }
        Ok(())
    }

    pub(super) fn overlay_key(&mut self, key: KeyEvent, at: Instant) {
        match crate::input::keymap::action_for(key) {
            // Clear output of other programs and redraw everything.
            Some(KeyAction::Redraw) => {
                let _ = terminal::write(b"\x1b[2J").and_then(|()| self.reset_overlay_screen());
                return self.redraw_now();
            }
            Some(KeyAction::Suspend) => return self.suspend(),
            // The mode can change at any time (PM-17), which withdraws the open plan (PM-80). Lists and
            // teammates' plans do not show the mode.
            Some(KeyAction::CycleMode) if self.shows_own_review() => return self.submit(Submission::CycleMode),
            _ => {}
        }
        if let Some(cover) = &mut self.asks.overlay_host {
            let outcome = cover.overlay.on_key(key, at);
            let keys = cover.overlay.keys();
            if outcome == OverlayOutcome::Nothing && keymap::typed_char(key) == Some('?') && !keys.is_empty() {
                return self.show_keys(keys);
            }
            self.perform_outcome(outcome);
        }
    }
    pub(super) fn overlay_paste(&mut self, text: &str, at: Instant) {
        if let Some(cover) = &mut self.asks.overlay_host {
            let outcome = cover.overlay.on_paste(text, at);
            self.perform_outcome(outcome);
        }
    }

    fn perform_outcome(&mut self, outcome: OverlayOutcome) {
        match outcome {
            OverlayOutcome::Nothing => return,
            OverlayOutcome::Redraw => {}
            OverlayOutcome::Close if self.asks.overlay_host.as_ref().is_some_and(|host| host.below.is_some()) => {
                self.close_overlay();
            }
            OverlayOutcome::Close => {
                // A plan stays pending; now it opens only by its key.
                self.asks.reviews.opens_by_key_only = true;
                self.close_overlay();
                if self.session.handle.is_none() && !self.session.thread.is_requested() {
                    self.exit = Some(exit_code::SUCCESS);
                }
            }
            OverlayOutcome::Dismiss => {
                let looked_at = self.asks.overlay_ask().map(str::to_string);
                self.close_overlay();
                self.dismiss_review(looked_at.as_deref());
            }
            OverlayOutcome::Answer(answer) => {
                self.close_overlay();
                self.answer_review(*answer);
            }
            OverlayOutcome::Editor { text, suffix } => {
                let edited = self.edit_text(&text, suffix);
                if let Some(cover) = &mut self.asks.overlay_host {
                    let outcome = cover.overlay.on_editor_closed(edited, Instant::now());
                    self.perform_outcome(outcome);
                }
            }
            OverlayOutcome::OpenBrowser => self.open_review_in_browser(),
            OverlayOutcome::Rehearse(order) => self.order_rehearsal(order),
            OverlayOutcome::Copy(text) => self.copy_to_clipboard(&text),
            OverlayOutcome::Resume { id, fork: false }
                if self.session.handle.as_ref().is_some_and(|own| own.id() == id) =>
            {
                self.close_overlay();
                self.print_notice(NoticeLevel::Info, "You are already in this session.");
            }
            OverlayOutcome::Resume { id, fork } => {
                // `--fork-session` applies to the first session that the user picks.
                let fork = fork || (self.session.handle.is_none() && self.environment.fork);
                self.close_overlay();
                self.switch_session(cutonce_agent::builder::SessionSelector::Find(id), fork);
            }
            OverlayOutcome::MenuKeyPressed { which, id, key, words } => {
                self.close_overlay();
                self.on_menu_key(which, &id, key, &words);
            }
            OverlayOutcome::Rewind { point, files, conversation } => {
                self.close_overlay();
                if !self.restore_message(&point, conversation) {
                    self.submit(Submission::Rewind { to: point, files, conversation });
                }
            }
        }
        self.redraw_now();
    }

    /// Terminal sequence that notifies the user of a new ask (PM-88) or of the end of a turn (DU-7).
    pub(super) fn notification_sequence(&self, words: &'static str) -> String {
        match self.session.settings.notifications {
            NotificationMethod::Bell => "\x07".into(),
            NotificationMethod::Osc9 => format!("\x1b]9;{words}\x07"),
            NotificationMethod::Off => String::new(),
        }
    }
}

//! Pending asks: dialogs in the live area, the full-screen plan review, and the rules for when each one
//! opens. A dialog never opens over a draft or while the user types (UI-5, UI-6).

use super::App;
use crate::dialogs::{Dialog, DialogReply, KeyGuard};
use crate::entries::{self, ConversationEntryKind};
use crate::input::keymap::KeyAction;
use crate::overlays::{Overlay, OverlayOutcome};
use crate::render::text;
use crate::render::theme::Theme;
use crate::terminal;
use crossterm::event::KeyEvent;
use cutonce_core::exit_code;
use cutonce_core::plan::approval;
use cutonce_core::plan::mode::Mode;
use cutonce_core::protocol::event::{AskKind, AskView, NoticeLevel};
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
}

#[derive(Default)]
pub struct PendingAsks {
    /// Asks behind the open one, each with the mode in which it asked.
    queue: VecDeque<(Arc<AskView>, Mode)>,
    active: Option<(Arc<AskView>, Dialog, KeyGuard)>,
    /// The hint line that appears once the dialog accepts keys was drawn.
    hint_drawn: bool,
    /// Plans pending review: the session's own first, then those of teammates in order of arrival.
    pending_plans: VecDeque<Arc<AskView>>,
    /// The user closed the review or started typing: it now opens only by its key.
    opens_by_key_only: bool,
    overlay_host: Option<OverlayHost>,
    /// The overlay shows the details of the open dialog.
    shows_details: bool,
    /// The session's own plan waits after its turn: the user decides later (PM-80).
    postponed: bool,
    /// Feedback that the conversation shows with its plan; the message with the same words is not repeated.
    pub shown_feedback: Option<String>,
    /// The plan that was just answered, with the answer. Both are needed to report the decision (PM-142).
    pub decided_plan: Option<(Arc<AskView>, approval::PlanAnswer)>,
}

impl PendingAsks {
    pub fn has_overlay(&self) -> bool {
        self.overlay_host.is_some()
    }
    pub fn has_dialog(&self) -> bool {
        self.active.is_some()
    }
    /// True if a plan of this session waits for an answer.
    pub fn own_plan_pending(&self) -> bool {
        self.pending_plans.iter().any(|ask| plan_teammate(ask).is_none())
    }
    /// Number of dialogs queued after the open one.
    pub fn queued_count(&self) -> usize {
        self.queue.len()
    }
    /// True if the agent is blocked until the user answers.
    pub fn blocks_agent(&self) -> bool {
        self.active.is_some() || self.overlay_host.is_some() || (self.own_plan_pending() && !self.postponed)
    }
    pub fn plan_pending(&self) -> bool {
        !self.pending_plans.is_empty()
    }
    /// True if the first pending plan may open by itself. A teammate's plan does not interrupt a running
    /// turn.
    fn plan_may_open(&self, empty: bool, working: bool) -> bool {
        let free = empty && !self.opens_by_key_only && self.overlay_host.is_none() && self.active.is_none();
        free && self.pending_plans.front().is_some_and(|ask| !working || plan_teammate(ask).is_none())
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
        let opens = self.plan_may_open(empty, working).then_some(last_key + AUTO_OPEN_DELAY);
        [dialog, overlay, opens].into_iter().flatten().min().map(|at| at.max(now))
    }

    /// Line above the composer while a plan is pending and not open.
    pub fn waiting_line(&self, empty: bool, working: bool, theme: &Theme) -> Option<Line<'static>> {
        let first = self
            .pending_plans
            .front()
            .filter(|_| self.overlay_host.is_none() && !self.plan_may_open(empty, working))?;
        let whose = plan_teammate(first).map_or("A".to_string(), |name| format!("{}'s", text::one_line(name)));
        let more = match self.pending_plans.len() - 1 {
            0 => String::new(),
            more => format!(" ({more} more)"),
        };
        Some(Line::styled(format!("  {whose} plan is ready for your review{more}: ctrl+p opens it"), theme.plan))
    }
}

/// Name of the teammate whose plan this ask is about, if any.
pub fn plan_teammate(ask: &AskView) -> Option<&str> {
    match &ask.kind {
        AskKind::Plan { request, .. } => request.from.as_deref(),
        AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => None,
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
        self.redraw.bell = true;
        match &ask.kind {
            AskKind::Plan { .. } => {
                if self.asks.pending_plans.is_empty() || plan_teammate(&ask).is_none() {
                    self.asks.opens_by_key_only = !self.prompt.composer.is_empty();
                }
                match plan_teammate(&ask) {
                    Some(_) => self.asks.pending_plans.push_back(ask),
                    None => {
                        self.asks.postponed = self.turn.is_none();
                        self.asks.pending_plans.push_front(ask);
                    }
                }
            }
            AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => {
                self.asks.queue.push_back((ask, self.status.view.mode));
                self.next_dialog();
            }
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
        let plan = self.asks.pending_plans.iter().position(|ask| ask.ask_id == ask_id);
        if let Some(ask) = plan.and_then(|at| self.asks.pending_plans.remove(at)) {
            match (plan_teammate(&ask), answer) {
                (None, Some(AskAnswer::Plan(answer))) => self.asks.decided_plan = Some((ask, answer)),
                (None, _) => self.plan_withdrawn(&ask),
                (Some(_), answer) => self.teammate_answered(&ask, answer),
            }
        }
        if self.asks.overlay_host.as_ref().is_some_and(|cover| cover.ask_id.as_deref() == Some(ask_id)) {
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
        if self.asks.plan_may_open(self.prompt.composer.is_empty(), self.turn.is_some())
            && now >= self.key_times.last_key + AUTO_OPEN_DELAY
        {
            self.open_plan();
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
                self.submit(Submission::Answer { ask_id, answer });
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

    /// Opens the first pending plan on the whole screen.
    pub(super) fn open_plan(&mut self) {
        let Some(ask) = self.asks.pending_plans.front().cloned() else { return };
        let AskKind::Plan { request, previous, draft } = &ask.kind else { return };
        let overlay = self.plan_review(request, previous.as_deref(), draft.as_ref());
        self.open_overlay(overlay, Some(ask.ask_id.clone()));
    }

    pub(super) fn open_overlay(&mut self, overlay: Box<dyn Overlay>, ask_id: Option<String>) {
        let begun = self
            .leave_dialog_screen()
            .and_then(|()| self.screen.terminal.set_alternate(true))
            .and_then(|()| new_screen());
        match begun {
            Ok(screen) => self.asks.overlay_host = Some(OverlayHost { overlay, screen, ask_id }),
            Err(_) => self.exit = Some(exit_code::FAILED),
        }
        self.redraw_now();
    }

    pub(super) fn close_overlay(&mut self) {
        (self.asks.overlay_host, self.asks.shows_details) = (None, false);
        if self.screen.terminal.set_alternate(false).is_err() {
            self.exit = Some(exit_code::FAILED);
        }
        self.redraw_now();
    }

    pub(super) fn draw_overlay(&mut self, now: Instant) -> io::Result<()> {
        let waits = (self.asks.active.is_some() || !self.asks.pending_plans.is_empty()) && !self.asks.shows_details;
        let (style, guide) = (self.theme.plan, self.guide_line());
        let Some(OverlayHost { overlay, screen, ask_id }) = &mut self.asks.overlay_host else { return Ok(()) };
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
            Some(KeyAction::CycleMode) if self.shows_own_plan() => return self.submit(Submission::CycleMode),
            _ => {}
        }
        if let Some(cover) = &mut self.asks.overlay_host {
            let outcome = cover.overlay.on_key(key, at);
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
            OverlayOutcome::Close => {
                // The plan stays pending; now it opens only by its key.
                self.asks.opens_by_key_only = true;
                self.close_overlay();
                if self.session.handle.is_none() && !self.session.thread.is_requested() {
                    self.exit = Some(exit_code::SUCCESS);
                }
            }
            OverlayOutcome::LeavePlan => {
                let looked_at = self.asks.overlay_host.as_ref().and_then(|cover| cover.ask_id.clone());
                self.close_overlay();
                self.dismiss_plan(looked_at.as_deref());
            }
            OverlayOutcome::Answer(answer) => {
                self.close_overlay();
                let ask_id = answer.ask_id.clone();
                self.guide.choice = Some(answer.choice);
                self.submit(Submission::Answer { ask_id, answer: AskAnswer::Plan(*answer) });
            }
            OverlayOutcome::Editor { text, suffix } => {
                let edited = self.edit_text(&text, suffix);
                if let Some(cover) = &mut self.asks.overlay_host {
                    let outcome = cover.overlay.on_editor_closed(edited, Instant::now());
                    self.perform_outcome(outcome);
                }
            }
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

    /// Handles Esc on a plan: nothing is decided, the turn ends, and the plan waits (PM-80).
    fn dismiss_plan(&mut self, looked_at: Option<&str>) {
        let at = self.asks.pending_plans.iter().position(|ask| Some(ask.ask_id.as_str()) == looked_at);
        let Some((at, ask)) = at.and_then(|at| Some((at, self.asks.pending_plans.get(at)?))) else { return };
        if plan_teammate(ask).is_some() {
            // A teammate's plan stays pending behind the others; only an answer resolves it (PM-132).
            self.asks.opens_by_key_only = !self.asks.own_plan_pending();
            let ask = self.asks.pending_plans.remove(at);
            return self.asks.pending_plans.extend(ask);
        }
        let ask = ask.clone();
        self.asks.opens_by_key_only = true;
        if std::mem::replace(&mut self.asks.postponed, true) {
            return;
        }
        self.print_waiting_plan(&ask);
        self.submit(Submission::PostponePlan { ask_id: ask.ask_id.clone() });
    }

    fn print_waiting_plan(&mut self, ask: &AskView) {
        let AskKind::Plan { request, .. } = &ask.kind else { return };
        let plan = request.plan.as_deref().unwrap_or_default();
        let lines = entries::plan::open_lines(entries::plan::WAITING_TITLE, plan, &self.entry_context());
        self.print_entry(ConversationEntryKind::Plan, lines);
        // It replaces the line of the call.
        self.plan_decision_shown = true;
    }

    /// Reports that the session's own plan needs no answer any more: it was not approved (PM-142).
    fn plan_withdrawn(&mut self, ask: &AskView) {
        let AskKind::Plan { request, .. } = &ask.kind else { return };
        let shown = std::mem::take(&mut self.asks.postponed);
        let Some(plan) = request.plan.as_deref().filter(|_| self.exit.is_none()) else { return };
        // A plan that was shown while it waited is not repeated.
        let plan = if shown { "" } else { plan };
        let lines = entries::plan::open_lines(entries::plan::WITHDRAWN_TITLE, plan, &self.entry_context());
        self.print_entry(ConversationEntryKind::Plan, lines);
        self.plan_decision_shown = !shown;
    }

    fn shows_own_plan(&self) -> bool {
        let looked_at = self.asks.overlay_host.as_ref().and_then(|cover| cover.ask_id.as_deref());
        self.asks.pending_plans.iter().any(|ask| Some(ask.ask_id.as_str()) == looked_at && plan_teammate(ask).is_none())
    }

    /// Terminal sequence that notifies the user of a new ask (PM-88).
    pub(super) fn notification_sequence(&self) -> String {
        match self.session.settings.notifications {
            NotificationMethod::Bell => "\x07".into(),
            NotificationMethod::Osc9 => "\x1b]9;cutonce is waiting for you\x07".into(),
            NotificationMethod::Off => String::new(),
        }
    }

    pub(super) fn require_plan_key(&mut self) {
        let opens = self.asks.plan_may_open(true, self.turn.is_some());
        if opens && !self.prompt.composer.is_empty() {
            self.asks.opens_by_key_only = true;
        }
    }
}

//! The main loop of the terminal app. It receives keys, session events, signals and deadlines, and draws each
//! change once.
//! While idle it blocks until one of these arrives and does nothing else (UI-12).

mod agents_panel;
mod background_tasks;
mod commands;
mod dialog_screen;
mod entry_context;
mod external_programs;
mod fullscreen_views;
mod guide;
mod keys;
mod menus;
mod paste;
mod pending_asks;
mod review_steps;
mod reviews;
mod session_thread;
mod state;
mod status_command;
mod stream_view;
mod tip;
mod update;
mod view;
mod window_title;

use crate::composer::ComposerDraft;
use crate::entries::{self, ConversationEntryKind};
use crate::status_line::StatusLine;
use crate::terminal;
use crate::{FirstSubmission, TuiOptions};
pub use commands::{ExportError, INIT_PROMPT, export_transcript};
pub use external_programs::clipboard_sequence;
pub use guide::{Guide, GuidePlace, GuideText, GuideView};

use cutonce_agent::EventStream;
use cutonce_agent::builder::SessionSelector;
use cutonce_agent::config::commands as custom;
use cutonce_core::exit_code;
use cutonce_core::protocol::event::{EventKind, NoticeLevel};
use cutonce_core::protocol::submission::Submission;
use cutonce_core::text::sanitize::without_os_codes;
use futures_util::FutureExt;
use pending_asks::PendingAsks;
use ratatui::text::Line;
use session_thread::OpenResult;
use state::{App, TurnProgress};
use std::io;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Minimum time between two frames while text streams. A key press is drawn at once.
const FRAME_INTERVAL: Duration = Duration::from_millis(33);
/// Redraw interval of the progress line while the agent works.
const TICK_INTERVAL: Duration = Duration::from_millis(250);
/// Redraw interval while only background agents or commands run.
const SLOW_TICK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a second press of Ctrl+C or Esc is accepted.
const REPEAT_WINDOW: Duration = Duration::from_millis(1500);
/// How long to wait at exit for the session to stop its tools, save, and run SessionEnd hooks.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);
/// How long after a signal the session may take to close, once its turn is recorded (DU-1).
const SIGNAL_GRACE: Duration = Duration::from_millis(200);

/// Messages from background tasks and threads to the app.
#[derive(Debug)]
pub enum AppMessage {
    /// The file list for `@` mentions is ready.
    FilesListed,
    /// Syntax highlighting of a code block is ready.
    HighlightReady,
    ClipboardRead(cutonce_agent::clipboard::ClipboardContent),
    /// Text to show to the user, such as the result of stopping a background command.
    Notice(NoticeLevel, String),
    /// Whether a model that the user named can be used.
    ModelChecked {
        name: String,
        checked: Result<(), cutonce_agent::models::ModelError>,
    },
    /// A rehearsal that the user ordered did not start.
    RehearsalRefused(String),
    /// The user's status line command has ended (DU-7).
    StatusText(Result<String, String>),
    /// Prompts and resources offered by the MCP servers (HO-6).
    McpOffers {
        prompts: Vec<cutonce_agent::mcp::McpPrompt>,
        resources: Vec<cutonce_agent::mcp::McpResource>,
    },
}

pub async fn run(options: TuiOptions) -> io::Result<u8> {
    let (notes, mut told) = mpsc::unbounded_channel();
    let (mut app, first, mut arrived) = App::start(options, notes)?;
    app.draw(Instant::now())?;
    let mut opened = app.session.thread.spawn(first.selector);
    let mut events: Option<EventStream> = None;
    let mut window = signal(SignalKind::window_change())?;
    let mut continued = signal(SignalKind::from_raw(libc::SIGCONT))?;
    let mut stops = signal(SignalKind::from_raw(libc::SIGTSTP))?;
    let mut ends = [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?];
    let [term, hangup, interrupt] = &mut ends;
    if !app.session.thread.is_requested() {
        app.pick_session(&first.search_text);
    }
    if let Some(FirstSubmission::Message(words)) = first.first_submission {
        app.send_first_message(words);
    } else if let Some(FirstSubmission::Implement(chosen)) = first.first_submission {
        app.submit(Submission::Implement(chosen));
    }
    while app.exit.is_none() {
        if app.prompt.unsaved {
            app.save_draft();
        }
        let now = Instant::now();
        if app.redraw.dirty && (app.redraw.urgent || now >= app.redraw.drawn_at + FRAME_INTERVAL) {
            app.draw(now)?;
        }
        let deadline = app.next_deadline(now);
        tokio::select! {
            biased;
            Some(one) = arrived.recv() => {
                app.on_input(one);
                while app.exit.is_none() && let Ok(one) = arrived.try_recv() {
                    app.on_input(one);
                }
            }
            _ = term.recv() => app.exit = Some(exit_code::TERMINATED),
            _ = hangup.recv() => app.exit = Some(exit_code::HUNG_UP),
            _ = interrupt.recv() => app.exit = Some(exit_code::INTERRUPTED),
            _ = window.recv() => app.on_resize(),
            _ = continued.recv() => app.restore_after_suspend(),
            _ = stops.recv() => app.suspend(),
            Some(one) = opened.recv() => events = app.on_session_opened(one).or(events),
            Some(note) = told.recv() => app.on_message(note),
            event = next_event(&mut events) => app.take_events(event, &mut events),
            () = wait_until(deadline), if deadline.is_some() => app.on_deadline(Instant::now()),
        }
    }
    app.shut_down(events).await
}

/// Sends a message to the app. Errors are ignored: the receiver is gone when the app has exited.
fn send_to_app(notes: &mpsc::UnboundedSender<AppMessage>, note: AppMessage) {
    let _ = notes.send(note);
}

async fn next_event(events: &mut Option<EventStream>) -> Option<cutonce_core::protocol::event::Event> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}

/// Waits for the session's end: after a signal only until the running turn is recorded and the grace is over.
async fn wait_for_close(events: &mut EventStream, code: u8, turn_runs: bool) {
    let by_signal = code != exit_code::SUCCESS;
    if by_signal && turn_runs {
        let recorded = async {
            while let Some(event) = events.next().await
                && !matches!(event.kind, EventKind::TurnEnded(_))
            {}
        };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, recorded).await;
    }
    let limit = if by_signal { SIGNAL_GRACE } else { SHUTDOWN_TIMEOUT };
    let _ = tokio::time::timeout(limit, async { while events.next().await.is_some() {} }).await;
}

async fn wait_until(deadline: Option<Instant>) {
    if let Some(deadline) = deadline {
        tokio::time::sleep_until(deadline.into()).await;
    }
}

impl App {
    /// Sends a submission to the session. While the session is opening, queues it.
    fn submit(&mut self, submission: Submission) {
        match &self.session.handle {
            Some(session) => session.submit(submission),
            // Do not queue it for a session the user may pick later: it was not meant for that one.
            None if self.session.open_failed || !self.session.thread.is_requested() => {
                self.print_notice(NoticeLevel::Warning, self.session.thread.no_session_help())
            }
            None => self.session.early_submissions.push(submission),
        }
    }

    /// Sends the prompt of the command line; one that begins with a slash is a command, as in the composer.
    fn send_first_message(&mut self, text: String) {
        // The session, which loads them too, is not open yet.
        self.session.custom_commands = self.environment.find_commands(self.folder_is_trusted());
        if !self.run_command(&text, &[]) {
            let images = self.mentioned_images(&text);
            self.send_user_message(text, images);
        }
    }

    fn send_user_message(&mut self, text: String, images: Vec<cutonce_core::conversation::Image>) {
        if let Some(session) = &self.session.handle {
            self.prompt.drafts.assign_to(session.id(), &self.current_draft());
        }
        self.tip = None;
        self.submit(Submission::User { text, images });
    }

    /// Handles the result of opening a session. Returns its events on success.
    fn on_session_opened(&mut self, opened: OpenResult) -> Option<EventStream> {
        let opened = match opened {
            Ok(opened) => opened,
            Err(why) if why.needs_setup && !self.session.setup_shown && self.run_setup() => return None,
            Err(why) => {
                self.print_notice(NoticeLevel::Error, &why.to_string());
                self.print_notice(NoticeLevel::Info, self.session.thread.no_session_help());
                (self.session.open_failed, self.queue.messages) = (true, Vec::new());
                // Put unsent messages back into the composer.
                let said: Vec<String> = std::mem::take(&mut self.session.early_submissions)
                    .into_iter()
                    .filter_map(|one| if let Submission::User { text, .. } = one { Some(text) } else { None })
                    .collect();
                if !said.is_empty() && self.prompt.composer.is_empty() {
                    self.prompt.composer.set_text(&said.join("\n"));
                }
                return None;
            }
        };
        self.session.open_failed = false;
        self.session.settings = opened.settings.clone();
        self.theme = self.chosen_theme();
        self.session.transcript = Some(opened.transcript.clone());
        self.session.modes = opened.modes.clone();
        self.status.branch = self.current_branch();
        let keys = crate::input::remapped_keys::use_settings(&opened.settings.keys);
        for notice in opened.notices.iter().chain(&keys) {
            self.print_notice(NoticeLevel::Warning, notice);
        }
        self.session.handle = Some(opened.session.clone());
        self.session.custom_commands = self.environment.find_commands(self.folder_is_trusted());
        self.prompt.composer.set_commands(commands::completion_items(&self.session.custom_commands, &[]));
        // Refresh the completion list if the user already typed a slash.
        self.prompt.composer.refresh_with(&mut self.prompt.files);
        self.load_mcp_offers();
        self.show_resumed(&opened);
        self.ask_for_trust();
        for submission in std::mem::take(&mut self.session.early_submissions) {
            if matches!(submission, Submission::User { .. }) {
                self.prompt.drafts.assign_to(opened.session.id(), &self.current_draft());
            }
            opened.session.submit(submission);
        }
        self.request_redraw();
        Some(opened.events)
    }

    /// Handles an event and all others that are ready, so that one frame shows them all.
    fn take_events(&mut self, event: Option<cutonce_core::protocol::event::Event>, events: &mut Option<EventStream>) {
        const AT_ONCE: usize = 2_000;
        let Some(event) = event else {
            *events = None;
            return self.on_session_lost();
        };
        self.on_event(event);
        for _ in 0..AT_ONCE {
            let Some(ready) = events.as_mut().and_then(|events| events.next().now_or_never()) else { return };
            match ready {
                Some(event) => self.on_event(event),
                None => *events = None,
            }
        }
    }

    /// Reports a crash of the session. Its conversation is on disk and can be resumed.
    fn on_session_lost(&mut self) {
        if let Some(why) = terminal::take_thread_panic().filter(|_| self.session.handle.take().is_some()) {
            (self.session.open_failed, self.turn) = (true, None);
            self.print_notice(NoticeLevel::Error, &format!("The session crashed: {why}"));
            self.print_notice(NoticeLevel::Info, "The conversation is saved. Use /resume to continue it.");
        }
    }

    fn on_message(&mut self, note: AppMessage) {
        match note {
            AppMessage::FilesListed => {
                self.prompt.composer.refresh_with(&mut self.prompt.files);
                self.redraw_now();
            }
            AppMessage::HighlightReady => self.request_redraw(),
            AppMessage::ClipboardRead(found) => self.on_clipboard(found),
            AppMessage::Notice(level, text) => {
                self.print_notice(level, &text);
                self.redraw_now();
            }
            AppMessage::ModelChecked { name, checked } => {
                self.on_model_checked(name, checked);
                self.redraw_now();
            }
            AppMessage::StatusText(text) => self.on_status_text(text),
            AppMessage::RehearsalRefused(why) => {
                self.rehearsal_refused(&why);
                self.request_redraw();
            }
            AppMessage::McpOffers { prompts, resources } => {
                self.prompt.composer.set_commands(commands::completion_items(&self.session.custom_commands, &prompts));
                self.prompt
                    .composer
                    .set_mentions(resources.iter().map(|one| (one.mention(), one.name.clone())).collect());
            }
        }
    }

    fn on_resize(&mut self) {
        let size = terminal::size();
        if self.screen.scrollback.set_size(size, Instant::now()) {
            let width = self.content_width();
            if let Some(speech) = &mut self.answer.text {
                speech.resize(width);
            }
            self.request_redraw();
        }
    }

    /// Next time the loop has to wake up on its own. `None` while idle.
    fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let frame = self.redraw.dirty.then(|| self.redraw.drawn_at + FRAME_INTERVAL);
        let tick = self.redraw_interval().map(|tick| self.redraw.drawn_at + tick);
        let held = self.screen.scrollback.pause_end(now);
        let again = self.key_times.repeat_press.map(|(_, until)| until);
        let asks =
            self.asks.next_deadline(now, self.key_times.last_key, self.prompt.composer.is_empty(), self.turn.is_some());
        [frame, tick, held, again, asks].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant) {
        if self.key_times.repeat_press.is_some_and(|(_, until)| until <= now) {
            self.key_times.repeat_press = None;
            self.status.hint = None;
            self.request_redraw();
        }
        if self.redraw_interval().is_some()
            || (self.screen.scrollback.pause_end(now).is_none() && !self.screen.pending_rows.is_empty())
        {
            self.request_redraw();
        }
        self.handle_ask_deadlines(now);
    }

    /// Redraw interval for running work. `None` if nothing runs or the agent waits for the user (UI-12).
    fn redraw_interval(&self) -> Option<Duration> {
        match (
            self.asks.blocks_agent(),
            self.turn.is_some(),
            self.activity.agents.is_active() || self.shows_task_times(),
        ) {
            (true, ..) | (false, false, false) => None,
            (false, true, _) => Some(TICK_INTERVAL),
            (false, false, true) => Some(SLOW_TICK_INTERVAL),
        }
    }

    fn request_redraw(&mut self) {
        self.redraw.dirty = true;
    }
    /// Requests a redraw without waiting for the next frame, for example after a key press.
    fn redraw_now(&mut self) {
        (self.redraw.dirty, self.redraw.urgent) = (true, true);
    }

    /// Usable width. The last column stays free because some terminals wrap there.
    fn content_width(&self) -> usize {
        usize::from(terminal::size().0).saturating_sub(1).max(10)
    }

    fn print_entry(&mut self, kind: ConversationEntryKind, lines: Vec<Line<'static>>) {
        if lines.is_empty() {
            return;
        }
        if self.screen.last_kind.needs_gap_before(kind) {
            self.screen.pending_rows.push(Line::raw(""));
        }
        self.screen.pending_rows.extend(lines);
        self.screen.last_kind = kind;
        self.request_redraw();
    }

    fn print_notice(&mut self, level: NoticeLevel, text: &str) {
        let text = &*without_os_codes(text);
        let lines = entries::notice_lines(level, text, self.content_width(), &self.theme);
        self.log.push(entries::conversation_log::LogRecord::Notice(text.to_string()));
        self.print_entry(ConversationEntryKind::Notice, lines);
    }

    /// Shuts the session down, restores the terminal and prints how to resume.
    async fn shut_down(mut self, events: Option<EventStream>) -> io::Result<u8> {
        let code = self.exit.unwrap_or(0);
        self.restore_queued();
        self.prompt.drafts.save(&self.current_draft());
        let _ = self.screen.terminal.set_alternate(false);
        let _ = terminal::write(self.screen.scrollback.erase_live_area().as_bytes());
        let resumable =
            self.log.has_user_message() && self.session.transcript.as_ref().is_some_and(|path| path.exists());
        if let (Some(session), Some(mut events)) = (self.session.handle.take(), events) {
            session.submit(Submission::Shutdown);
            let id = session.id().to_string();
            wait_for_close(&mut events, code, self.turn.is_some()).await;
            if resumable && code == 0 && self.guide.guide.is_none() {
                let _ = terminal::write(format!("Resume with: cutonce --resume {id}\r\n").as_bytes());
            }
        }
        drop(self.screen.terminal);
        Ok(code)
    }

    /// Moves queued messages back into the draft so that no text is lost.
    fn restore_queued(&mut self) {
        if !self.queue.messages.is_empty() {
            let words = std::mem::take(&mut self.queue.messages).join("\n");
            let draft = self.prompt.composer.text();
            let both = if draft.is_empty() { words } else { format!("{words}\n{draft}") };
            self.prompt.composer.set_text(&both);
        }
    }

    /// Leaves the current session and opens another one.
    fn switch_session(&mut self, which: SessionSelector, fork: bool) {
        if let Some(session) = self.session.handle.take() {
            session.submit(Submission::Shutdown);
        }
        self.prompt.drafts.save(&self.current_draft());
        if self.prompt.drafts.detach() {
            // The draft is restored when the user returns to that session.
            self.prompt.composer.restore(ComposerDraft::default());
        }
        self.asks = PendingAsks::default();
        (self.turn, self.answer.text, self.activity.calls) = (None, None, Vec::new());
        self.report_stopped_tasks();
        self.queue.messages.clear();
        self.session.early_submissions.clear();
        self.activity.agents = agents_panel::AgentsPanel::default();
        self.log.clear();
        self.status = StatusLine::default();
        self.session.open_failed = false;
        self.session.thread.request_open(which, fork);
        self.redraw_now();
    }
}

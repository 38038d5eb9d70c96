//! Handles session events: updates the state and prints what the user should see.

use super::tip::{self, StartHints};
use super::{App, TurnProgress};
use crate::composer::ComposerDraft;
use crate::entries::conversation_log::LogRecord;
use crate::entries::tool_call::{self, RunningCall};
use crate::entries::{self, ConversationEntryKind, replay};
use crate::mode_text;
use crate::render::text::RowPrefix;
use cutonce_agent::builder::{OpenedSession, ResumedState};
use cutonce_core::conversation::TokenUsage;
use cutonce_core::mode::Mode;
use cutonce_core::protocol::event::{EndReason, Event, EventKind, FinishedCall, NoticeLevel, TurnSummary};
use cutonce_core::protocol::submission::Submission;
use cutonce_core::text::number::count_noun;
use cutonce_core::text::sanitize::drop_overwritten;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum length of a running tool's last output line.
const MAX_LAST_LINE: usize = 400;
/// The user is away if no key came for this long (DU-7).
const UNATTENDED: Duration = Duration::from_secs(20);
/// Columns of the progress line that the reason of a retry leaves free.
const RETRY_MARGIN: usize = 56;
/// Columns without which the reason of a retry says nothing.
const RETRY_REASON: usize = 10;
/// Activity shown while the conversation is compacted between turns.
const COMPACTING_ACTIVITY: &str = "Compacting";
/// Maximum number of entries that Ctrl+O shows after a rewind.
const MAX_REWIND_LOG: usize = 2_000;

/// Says that a turn has ended if the user is away and no queued message starts the next one (DU-7).
fn end_notification(without_key: Duration, queued: usize) -> Option<&'static str> {
    (without_key >= UNATTENDED && queued == 0).then_some("cutonce has finished")
}

/// The last line of output that shows something. Carriage returns overwrite the start of a line, as on a terminal.
fn last_output_line(text: &str) -> Option<String> {
    let shown = drop_overwritten(text);
    let line = shown.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.chars().take(MAX_LAST_LINE).collect())
}

impl App {
    pub(super) fn on_event(&mut self, event: Event) {
        let prints = matches!(event.kind, EventKind::TaskOutput { .. });
        self.status.view.apply_event(&event);
        // Output that is not visible needs no redraw.
        if !prints || self.activity.expanded {
            self.request_redraw();
        }
        self.apply_event(event.kind);
    }

    fn apply_event(&mut self, kind: EventKind) {
        match kind {
            EventKind::Opened { model, mode, resumed, .. } => {
                self.status.window = self.session.settings.model_info(&model).context;
                self.show_start_hints(mode, resumed == 0);
                self.refresh_status_text();
            }
            EventKind::User { text, meta, .. } => self.on_user_message(text, meta),
            EventKind::Queued { text } => self.on_queued(&text),
            EventKind::Unqueued { text, images } => self.on_unqueued(&text, images),
            EventKind::TurnStarted => self.turn_started(),
            EventKind::Requesting { model } => self.on_request(model),
            EventKind::Delta(delta) => self.on_delta(delta),
            EventKind::RequestUsage(usage) => self.on_request_usage(&usage),
            EventKind::Waiting { host, seconds } => self.on_silence(host, seconds),
            EventKind::Retry { attempt, max, delay_ms, reason, .. } => {
                self.on_retry(&format!("{reason} (retry {attempt} of {max})"), Duration::from_millis(delay_ms));
            }
            EventKind::Assistant { blocks, usage, .. } => {
                self.on_answer(&blocks);
                self.record_usage(&usage);
            }
            EventKind::ToolStarted { call_id, name, summary } => self.tool_started(call_id, name, &summary),
            EventKind::ToolOutput { call_id, text } => self.on_tool_output(&call_id, &text),
            EventKind::ToolFinished(done) => self.tool_finished(done),
            EventKind::Ask(ask) => {
                self.finish_text();
                self.add_ask(ask);
            }
            EventKind::AskClosed { ask_id, answer, .. } => self.ask_closed(&ask_id, answer),
            EventKind::ModeChanged { to, .. } => {
                self.asks.set_mode(to);
                self.refresh_status_text();
            }
            EventKind::ModelChanged { model } => {
                self.model_changed(&model);
                self.refresh_status_text();
            }
            EventKind::Todos(_) => self.finish_rewind(),
            EventKind::Steps(_) | EventKind::Totals(_) => {}
            EventKind::Plan(event) => self.plan_event(event),
            EventKind::CurrentPlan { path, plan, hint } => self.show_current_plan(&path, &plan, hint.as_deref()),
            EventKind::Aside { heading, text } => self.show_aside(&heading, &text),
            EventKind::TaskOutput { .. } | EventKind::TaskEnded { .. } => {}
            EventKind::OpenPlan { path } => self.open_plan_in_editor(&path),
            EventKind::Compacted { before, after, .. } => {
                self.end_compaction();
                self.print_notice(NoticeLevel::Info, &format!("Compacted: {before} → {after} tokens"));
            }
            EventKind::Cleared => {
                self.log.clear();
                self.print_notice(NoticeLevel::Info, "Conversation cleared.");
            }
            EventKind::Agent(event) => self.on_agent_event(event),
            EventKind::Team(event) => self.on_team_event(event),
            EventKind::Notice { level, text } => {
                self.end_compaction();
                self.print_notice(level, &text);
            }
            EventKind::TurnEnded(ended) => self.turn_ended(&ended),
            EventKind::Closed => self.on_closed(),
        }
    }

    /// Greets in the first session (ON-3), and shows the tip about plan mode from time to time (ON-5).
    fn show_start_hints(&mut self, mode: Mode, is_new: bool) {
        let fits = StartHints {
            greeting: is_new && !self.log.has_user_message(),
            tip: mode.presses_to_planning(&self.session.modes) > 0,
        };
        let hints = tip::take_hints(&self.environment.home, fits);
        if hints.greeting {
            let folder = self.path_shortener.short_path(&self.environment.cwd.display().to_string());
            let greeting = tip::GreetingText {
                version: self.environment.version,
                folder: &crate::render::text::one_line(&folder),
                model: &crate::render::text::one_line(&self.status.view.model),
                mode,
                modes: &self.session.modes,
            };
            let width = self.content_width();
            let lines = greeting.lines(&self.theme);
            let wrapped = lines.iter().flat_map(|line| crate::render::text::wrap(line, width, &RowPrefix::default()));
            self.print_entry(ConversationEntryKind::Block, wrapped.collect());
        }
        self.tip = hints.tip.then(|| tip::tip_text(mode, &self.session.modes));
    }

    fn tool_started(&mut self, call_id: String, name: String, summary: &str) {
        self.finish_text();
        let summary = self.path_shortener.short_summary(&name, summary);
        let call = RunningCall { call_id, name, summary, since: Instant::now(), last_output: String::new() };
        self.activity.calls.push(call);
    }

    fn record_usage(&mut self, usage: &TokenUsage) {
        if let Some(turn) = &mut self.turn {
            turn.sent = usage.sent_tokens();
            (turn.received, turn.streamed_bytes) = (turn.received + usage.output_tokens, 0);
        }
    }

    /// Shows what the provider has counted of the request while its answer streams (DU-3).
    fn on_request_usage(&mut self, usage: &TokenUsage) {
        if let Some(turn) = &mut self.turn {
            (turn.sent, turn.silent, turn.retry) = (usage.sent_tokens(), None, None);
        }
    }

    /// The provider has been silent for a while: the progress line says whom it waits for (MO-3).
    fn on_silence(&mut self, host: String, seconds: u64) {
        let since = Instant::now().checked_sub(Duration::from_secs(seconds));
        if let (Some(turn), Some(since)) = (&mut self.turn, since) {
            turn.silent = Some((host, since));
        }
    }

    /// Shows the end of the conversation of a resumed session.
    pub(super) fn show_resumed(&mut self, opened: &OpenedSession) {
        let ResumedState { todos, phase } = opened.resumed.clone();
        (self.status.view.todos, self.status.view.phase) = (todos, phase);
        let shown =
            replay::replay_tail(&opened.transcript, replay::MAX_ENTRIES, &self.path_shortener, &self.entry_context());
        if shown.lines.iter().all(|(kind, _)| *kind == ConversationEntryKind::Notice) {
            return;
        }
        // The session's own draft comes first; text typed while it was opening is appended (UI-3).
        if let Some(draft) = self.prompt.drafts.load(opened.session.id()) {
            self.prompt.composer.restore_before(draft);
        }
        self.prompt.drafts.assign_to(opened.session.id(), &self.current_draft());
        for (kind, lines) in shown.lines {
            self.print_entry(kind, lines);
        }
        shown.records.into_iter().for_each(|record| self.log.push(record));
    }

    /// Finishes a rewind (SE-5): restores the log for Ctrl+O and the context size of that point.
    fn finish_rewind(&mut self) {
        if !std::mem::take(&mut self.rewind.in_progress) {
            return;
        }
        let Some(transcript) = self.session.transcript.clone() else { return };
        let page = entries::EntryContext { highlighting: None, ..self.entry_context() };
        let then = replay::replay_tail(&transcript, MAX_REWIND_LOG, &self.path_shortener, &page);
        self.log.clear();
        then.records.into_iter().for_each(|record| self.log.push(record));
        self.status.view.context = then.context.unwrap_or_default();
    }

    /// Queues a message. It is saved with the draft until the agent receives it.
    fn on_queued(&mut self, text: &str) {
        self.queue.messages.push(text.trim().to_string());
        self.prompt.unsaved = true;
    }

    /// A queued message came back: into the composer, before what was typed meanwhile, unless the user dropped it.
    fn on_unqueued(&mut self, text: &str, images: Vec<cutonce_core::conversation::Image>) {
        if let Some(at) = self.queue.messages.iter().rposition(|queued| *queued == text.trim()) {
            self.queue.messages.remove(at);
        }
        if std::mem::take(&mut self.queue.dropping) {
            self.print_notice(NoticeLevel::Info, "Removed from the queue. Press Up to get the text back.");
        } else {
            self.prompt.composer.restore_before(ComposerDraft::unsent(text, images));
        }
        self.draft_changed();
    }

    fn on_user_message(&mut self, text: String, meta: bool) {
        if meta {
            return;
        }
        if let Some(at) = self.queue.messages.iter().position(|queued| *queued == text.trim()) {
            self.queue.messages.remove(at);
            self.prompt.unsaved = true;
        }
        self.finish_text();
        let shown = self.asks.reviews.take_shown_feedback(&text);
        if !shown {
            let lines = entries::user_lines(&text, self.content_width(), &self.theme);
            self.print_entry(ConversationEntryKind::User, lines);
        }
        self.log.push(LogRecord::User(text));
        self.prompt.files.invalidate();
    }

    /// Compacts the conversation. Only between turns; shows progress, and Esc cancels it.
    pub(super) fn compact(&mut self, focus: Option<String>) {
        if self.turn.is_some() {
            return self
                .print_notice(NoticeLevel::Warning, "The agent is working. Press Esc to stop it, then compact.");
        }
        if !self.session.open_failed {
            let what = COMPACTING_ACTIVITY.to_string();
            self.turn = Some(TurnProgress::new(what));
        }
        self.submit(Submission::Compact { focus, on_done: None });
        self.redraw_now();
    }

    /// Clears the compaction progress, if any.
    pub(super) fn end_compaction(&mut self) {
        self.turn.take_if(|turn| turn.activity == COMPACTING_ACTIVITY);
    }

    fn turn_started(&mut self) {
        (self.guide.started, self.guide.interrupted) = (true, false);
        let what = "Working".to_string();
        self.turn = Some(TurnProgress::new(what));
    }

    /// Prints a text that is not part of the conversation (DU-5).
    fn show_aside(&mut self, heading: &str, text: &str) {
        let lines = entries::aside_lines(heading, text, &self.entry_context());
        self.print_entry(ConversationEntryKind::Block, lines);
        self.log.push(LogRecord::Notice(format!("{heading}\n{text}")));
    }

    pub(super) fn model_changed(&mut self, model: &str) {
        self.status.window = self.session.settings.model_info(model).context;
    }

    pub(super) fn set_activity(&mut self, what: &str) {
        if let Some(turn) = &mut self.turn {
            turn.activity = what.into();
        }
    }

    fn on_tool_output(&mut self, call_id: &str, text: &str) {
        let Some(tool) = self.activity.calls.iter_mut().find(|tool| tool.call_id == call_id) else { return };
        if let Some(line) = last_output_line(text) {
            tool.last_output = line;
        }
    }

    fn tool_finished(&mut self, done: Arc<FinishedCall>) {
        self.finish_text();
        let at = self.activity.calls.iter().position(|tool| tool.call_id == done.call_id);
        let summary = at.map(|at| self.activity.calls.remove(at).summary);
        let told = self.shows_decision(&done) || self.activity.agents.take_shown_call(&done.call_id);
        if !told && (done.name != "TodoWrite" || done.is_error) {
            let told = summary.clone().unwrap_or_else(|| {
                self.path_shortener.short_summary(&done.name, &tool_call::summarize_input(&done.input))
            });
            let lines = tool_call::finished_lines(&done, Some(&told), &self.entry_context());
            self.print_entry(ConversationEntryKind::Tool, lines);
        }
        let summary = summary.unwrap_or_else(|| tool_call::summarize_input(&done.input));
        self.log.push(LogRecord::Tool { done, summary, who: None });
    }

    fn turn_ended(&mut self, ended: &TurnSummary) {
        self.finish_text();
        self.turn = None;
        self.asks.reviews.turn_ended(self.status.view.mode);
        self.activity.calls.clear();
        self.status.branch = self.current_branch();
        self.redraw.bell =
            end_notification(self.key_times.last_key.elapsed(), self.queue.messages.len()).or(self.redraw.bell);
        self.refresh_status_text();
        self.guide.interrupted = ended.reason != EndReason::Completed;
        self.guide.stopped_write = ended.report.as_ref().is_some_and(|report| !report.denied.is_empty());
        match &ended.reason {
            EndReason::Completed => {}
            EndReason::Interrupted { .. } => {
                self.print_notice(NoticeLevel::Info, "Interrupted. Tell the agent what to do instead.")
            }
            EndReason::MaxTurns(n) => {
                let requests = count_noun(*n as usize, "request");
                self.print_notice(NoticeLevel::Warning, &format!("Stopped after {requests}."))
            }
            EndReason::MaxBudget => self.print_notice(NoticeLevel::Warning, "Stopped: the budget is used up."),
            EndReason::Failed { message, .. } => self.print_notice(NoticeLevel::Error, message),
        }
    }

    fn on_closed(&mut self) {
        self.turn = None;
    }

    /// Name of the current activity for the progress line.
    pub(super) fn current_activity(&self, turn: &TurnProgress) -> String {
        if let agents @ 2.. = self.activity.agents.agent_count() {
            return format!("Running {agents} agents");
        }
        if let Some(tool) = self.activity.calls.first() {
            return format!("Running {}", crate::render::text::one_line(&tool.name));
        }
        if let Some((reason, until)) = &turn.retry {
            let left = until.saturating_duration_since(Instant::now()).as_secs_f64().ceil();
            // The time and the key that interrupts stay visible.
            let room = self.content_width().saturating_sub(RETRY_MARGIN);
            if room < RETRY_REASON {
                return format!("Trying again in {left} s");
            }
            let reason = crate::render::text::one_line(reason);
            return format!("Trying again in {left} s: {}", crate::render::text::fit(&reason, room));
        }
        if let Some((host, since)) = &turn.silent {
            return format!("Waiting for {}, {} s", crate::render::text::one_line(host), since.elapsed().as_secs());
        }
        mode_text::activity(&self.status.view, &turn.activity).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{UNATTENDED, end_notification, last_output_line};
    use std::time::Duration;

    #[test]
    fn du_7_turn_that_ends_unattended_notifies() {
        assert_eq!(end_notification(UNATTENDED, 0), Some("cutonce has finished"));
        assert_eq!(end_notification(UNATTENDED, 1), None, "a queued message follows");
        assert_eq!(end_notification(Duration::from_secs(1), 0), None, "the user is there");
    }

    #[test]
    fn du_8_live_output_follows_carriage_returns() {
        let line = |text: &str| last_output_line(text).unwrap_or_default();
        assert_eq!(line("a\n 10%\r 20%\r 30%"), " 30%");
        assert_eq!(line("one\r\ntwo\r\n"), "two");
        assert_eq!(line(" 10%\r 20%\r\n\r\n"), " 20%");
        assert_eq!(last_output_line("\r\n \r"), None);
    }
}

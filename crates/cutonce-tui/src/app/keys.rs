//! Routes keys and pastes to an overlay, to the open dialog, or to the composer.

use super::{App, REPEAT_WINDOW};
use crate::composer::{ComposerDraft, ComposerResult};
use crate::input::TerminalInput;
use crate::input::keymap::{self, KeyAction};
use crate::terminal::TimedInput;
use crossterm::event::KeyEvent;
use cutonce_core::exit_code;
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::protocol::submission::Submission;
use cutonce_core::settings::EditorMode;
use std::time::Instant;

impl App {
    pub(super) fn on_input(&mut self, arrived: TimedInput) {
        let at = arrived.at;
        match arrived.input {
            // The terminal was closed.
            None => self.exit = Some(exit_code::HUNG_UP),
            Some(TerminalInput::Focus) => {}
            Some(TerminalInput::Paste(text)) => self.on_paste(&text, at),
            Some(TerminalInput::Key(key)) => self.on_key(key, at),
        }
        self.key_times.last_key = at;
    }

    fn on_paste(&mut self, text: &str, at: Instant) {
        if self.asks.has_overlay() {
            return self.overlay_paste(text, at);
        }
        if self.dialog_paste(text, at) {
            return;
        }
        self.insert_paste(text);
    }

    fn on_key(&mut self, key: KeyEvent, at: Instant) {
        if self.asks.has_overlay() {
            return self.overlay_key(key, at);
        }
        let action = keymap::action_for(key);
        // The user can change the mode (PM-17) or quit at any time, also while a dialog is open.
        match action {
            Some(KeyAction::CycleMode) => {
                self.tip = None;
                return self.submit(Submission::CycleMode);
            }
            Some(KeyAction::Quit) => return self.on_quit(),
            Some(KeyAction::Redraw) if self.dialog_screen.is_active() => return self.clear_dialog_screen(),
            // The user may look around before answering (UI-13, UI-14).
            Some(action @ (KeyAction::Redraw | KeyAction::Suspend | KeyAction::ToggleTasks))
                if self.asks.has_dialog() =>
            {
                return self.perform_action(action);
            }
            Some(KeyAction::OpenReview) if self.asks.has_dialog() && self.asks.reviews.is_pending() => {
                return self.open_review();
            }
            _ => {}
        }
        if self.dialog_key(key, at) {
            return;
        }
        if self.key_times.repeat_press.take_if(|(pressed, _)| action != Some(*pressed)).is_some() {
            self.status.hint = None;
        }
        if !self.asks.has_dialog() && self.vim_key(key) {
            return;
        }
        match (action, keymap::typed_char(key)) {
            // The dialog does not accept keys yet: typed text goes to the draft, and nothing is sent.
            (Some(KeyAction::Send), _) if self.asks.has_dialog() => {}
            (Some(action), _) => self.perform_action(action),
            (None, Some('?')) if self.prompt.composer.text().is_empty() && !self.prompt.composer.is_choosing() => {
                let keys = keymap::listed_keys();
                self.show_keys(keys.into_iter().map(|(names, help)| (names.join(" "), help.to_string())).collect());
            }
            (None, Some(c)) => {
                self.prompt.composer.type_char(c);
                self.prompt.composer.refresh_with(&mut self.prompt.files);
                self.draft_changed();
            }
            (None, None) => {}
        }
    }

    /// Passes a key to the vim commands of the composer (DU-7). Returns true if they used it.
    fn vim_key(&mut self, key: KeyEvent) -> bool {
        if self.session.settings.editor_mode != EditorMode::Vim {
            return false;
        }
        match self.prompt.composer.vim_key(key) {
            None => return false,
            Some(ComposerResult::Changed) => {
                self.prompt.composer.refresh_with(&mut self.prompt.files);
                self.draft_changed();
            }
            Some(_) => self.redraw_now(),
        }
        true
    }

    /// Handles a change of the draft. It is saved before the next frame, once for all keys that arrived
    /// together.
    pub(super) fn draft_changed(&mut self) {
        self.prompt.unsaved = true;
        self.require_review_key();
        self.redraw_now();
    }

    pub(super) fn save_draft(&mut self) {
        self.prompt.unsaved = false;
        self.prompt.drafts.save(&self.current_draft());
        #[cfg(debug_assertions)]
        self.panic_if_tested();
    }

    /// Panics once the draft has the text in `CUTONCE_TEST_PANIC_AT`: a test checks that the terminal and the
    /// draft survive a panic (UI-13). Release builds do not contain this.
    #[cfg(debug_assertions)]
    fn panic_if_tested(&self) {
        let text = self.environment.env_var("CUTONCE_TEST_PANIC_AT");
        assert!(text.as_deref() != Some(self.prompt.composer.text()), "asked for by CUTONCE_TEST_PANIC_AT");
    }

    /// The draft including queued messages: neither is in the transcript yet.
    pub(super) fn current_draft(&self) -> ComposerDraft {
        self.prompt.composer.draft().with_queued(&self.queue.messages)
    }

    fn perform_action(&mut self, action: KeyAction) {
        if action == KeyAction::Background && self.activity.calls.iter().any(|call| call.name == "Bash") {
            return self.submit(Submission::Background);
        }
        if action == KeyAction::Up && self.prompt.composer.is_empty() && self.unqueue() {
            return;
        }
        match self.prompt.composer.handle_action(action, &mut self.prompt.files) {
            ComposerResult::Changed => return self.draft_changed(),
            ComposerResult::Moved => return self.redraw_now(),
            ComposerResult::Send => return self.send_message(),
            ComposerResult::Nothing => {}
        }
        match action {
            KeyAction::Escape => self.on_escape(),
            KeyAction::QuitIfEmpty if self.prompt.composer.text().is_empty() => self.exit = Some(exit_code::SUCCESS),
            KeyAction::OpenReview => self.open_review_or_report(),
            KeyAction::ShowDetails => self.show_details(),
            KeyAction::ToggleTasks => {
                self.activity.expanded = !self.activity.expanded;
                self.redraw_now();
            }
            KeyAction::StopTask => self.show_tasks(),
            KeyAction::OpenEditor => self.edit_message(),
            KeyAction::PasteImage => self.paste_clipboard(),
            KeyAction::Suspend => self.suspend(),
            KeyAction::Redraw => {
                self.screen.scrollback.force_redraw();
                self.redraw_now();
            }
            _ => {}
        }
    }

    /// Takes the last queued message back (DU-4). Returns false if none waits.
    fn unqueue(&mut self) -> bool {
        if self.queue.messages.is_empty() || self.session.handle.is_none() {
            return false;
        }
        self.submit(Submission::Unqueue);
        true
    }

    fn on_escape(&mut self) {
        // A queued message is removed before the turn is interrupted.
        if self.turn.is_some() && self.unqueue() {
            self.queue.dropping = true;
            return self.redraw_now();
        }
        if self.turn.is_some() {
            self.submit(Submission::Interrupt);
            self.end_compaction();
            return self.redraw_now();
        }
        if self.prompt.composer.is_empty() && self.pressed_again(KeyAction::Escape) {
            self.key_times.repeat_press = None;
            return self.open_rewind_picker();
        }
        if self.prompt.composer.is_empty() {
            self.key_times.repeat_press = Some((KeyAction::Escape, Instant::now() + REPEAT_WINDOW));
        }
    }

    /// Ctrl+C: interrupts the turn or clears the composer; pressed twice, quits (UI-13).
    fn on_quit(&mut self) {
        if self.pressed_again(KeyAction::Quit) {
            self.exit = Some(exit_code::SUCCESS);
            return;
        }
        if self.prompt.composer.is_choosing() {
            self.prompt.composer.handle_action(KeyAction::Escape, &mut self.prompt.files);
        } else if self.turn.is_some() {
            // Queued messages come back into the composer; an interrupt must not send them.
            for _ in 0..self.queue.messages.len() {
                self.unqueue();
            }
            self.submit(Submission::Interrupt);
            self.end_compaction();
        } else if !self.prompt.composer.is_empty() {
            self.prompt.composer.clear();
            self.save_draft();
        }
        self.key_times.repeat_press = Some((KeyAction::Quit, Instant::now() + REPEAT_WINDOW));
        self.status.hint = Some("press ctrl+c again to quit".into());
        self.redraw_now();
    }

    fn pressed_again(&self, action: KeyAction) -> bool {
        self.key_times.repeat_press.is_some_and(|(pressed, until)| pressed == action && Instant::now() < until)
    }

    fn send_message(&mut self) {
        if self.prompt.composer.is_empty() {
            return;
        }
        if self.session.open_failed && !self.prompt.composer.text().starts_with(['/', '!']) {
            return self.print_notice(
                NoticeLevel::Warning,
                &format!("Not sent; your text is kept. {}", self.session.thread.no_session_help()),
            );
        }
        // Decide by the visible text: the beginning of a folded paste was never typed as a command.
        let given = self.prompt.composer.text();
        let (shell, command) = (given.starts_with('!'), given.trim_start().starts_with('/'));
        let mut message = self.prompt.composer.take_message();
        self.save_draft();
        self.redraw_now();
        let text = message.text.trim().to_string();
        if let Some(line) = text.strip_prefix('!').filter(|_| shell) {
            return self.run_shell_line(line.trim());
        }
        if command && self.run_command(&text, &message.images) {
            return;
        }
        message.images.extend(self.mentioned_images(&text));
        if self.session.handle.is_none() {
            self.queue.messages.push(text.clone());
        }
        self.send_user_message(message.text.trim_end().to_string(), message.images);
    }
}

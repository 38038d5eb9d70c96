//! Keys and pastes, to whom they belong: an overlay, a dialog that may be answered, or the composer.

use super::{AGAIN, App};
use crate::composer::{Did, Draft};
use crate::input::Input;
use crate::keymap::{self, Action};
use crate::terminal::Arrived;
use crossterm::event::KeyEvent;
use cutonce_core::event::Level;
use cutonce_core::submission::Submission;
use std::time::Instant;

impl App {
    pub(super) fn arrived(&mut self, arrived: Arrived) {
        let at = arrived.at;
        match arrived.input {
            // The terminal is gone: nobody is there any more.
            None => self.exit = Some(129),
            Some(Input::Focus) => {}
            Some(Input::Paste(text)) => self.pasted(&text, at),
            Some(Input::Key(key)) => self.key(key, at),
        }
        self.last_key = at;
    }

    fn pasted(&mut self, text: &str, at: Instant) {
        if self.asks.covers() {
            return self.overlay_paste(text, at);
        }
        if self.dialog_paste(text, at) {
            return;
        }
        self.paste_words(text);
    }

    fn key(&mut self, key: KeyEvent, at: Instant) {
        if self.asks.covers() {
            return self.overlay_key(key, at);
        }
        let action = keymap::action(key);
        // The mode can be changed at any time (PM-17), also with a question open; so can one leave.
        match action {
            Some(Action::CycleMode) => {
                self.tip = false;
                return self.submit(Submission::CycleMode);
            }
            Some(Action::Quit) => return self.quit(),
            Some(Action::Redraw) if self.stage.is_on() => return self.clear_stage(),
            // A question keeps nobody from looking around first (UI-13, UI-14).
            Some(action @ (Action::Redraw | Action::Stop | Action::Tasks)) if self.asks.asks() => {
                return self.act(action);
            }
            Some(Action::OpenWaiting) if self.asks.asks() && self.asks.plan_waits() => return self.open_plan(),
            _ => {}
        }
        if self.dialog_key(key, at) {
            return;
        }
        if self.again.take_if(|(pressed, _)| action != Some(*pressed)).is_some() {
            self.status.hint = None;
        }
        match (action, keymap::typed(key)) {
            // A dialog that can't be answered yet: what is typed goes to the draft, and nothing is sent.
            (Some(Action::Send), _) if self.asks.asks() => {}
            (Some(action), _) => self.act(action),
            (None, Some(c)) => {
                self.composer.typed(c);
                self.composer.refresh_with(&mut self.files);
                self.changed();
            }
            (None, None) => {}
        }
    }

    /// The text changed: it is on disk before it is on the screen, once for all keys that came together.
    pub(super) fn changed(&mut self) {
        self.unsaved = true;
        self.wait_for_key();
        self.now();
    }

    pub(super) fn keep_draft(&mut self) {
        self.unsaved = false;
        self.drafts.save(&self.draft());
    }

    /// What is written, and what waits: neither is in the transcript yet.
    pub(super) fn draft(&self) -> Draft {
        self.composer.draft().with_queued(&self.queued)
    }

    fn act(&mut self, action: Action) {
        match self.composer.act(action, &mut self.files) {
            Did::Changed => return self.changed(),
            Did::Moved => return self.now(),
            Did::Send => return self.send(),
            Did::Nothing => {}
        }
        match action {
            Action::Escape => self.escape(),
            Action::End if self.composer.text().is_empty() => self.exit = Some(0),
            Action::OpenWaiting if self.asks.plan_waits() => self.open_plan(),
            Action::Details => self.show_details(),
            Action::Tasks => {
                self.unfolded = !self.unfolded;
                self.now();
            }
            Action::EndTask => self.show_tasks(),
            Action::Editor => self.edit_message(),
            Action::PasteImage => self.paste_clipboard(),
            Action::Stop => self.stop(),
            Action::Redraw => {
                self.history.draw_again();
                self.now();
            }
            _ => {}
        }
    }

    fn escape(&mut self) {
        if self.turn.is_some() {
            self.submit(Submission::Interrupt);
            self.compacted();
            return self.now();
        }
        if self.composer.is_empty() && self.pressed_again(Action::Escape) {
            self.again = None;
            return self.rewind();
        }
        if self.composer.is_empty() {
            self.again = Some((Action::Escape, Instant::now() + AGAIN));
        }
    }

    /// Ctrl+C: stops what runs, clears what is written, and twice in a row leaves (UI-13).
    fn quit(&mut self) {
        if self.pressed_again(Action::Quit) {
            self.exit = Some(0);
            return;
        }
        if self.composer.is_choosing() {
            self.composer.act(Action::Escape, &mut self.files);
        } else if self.turn.is_some() {
            self.submit(Submission::Interrupt);
            self.compacted();
        } else if !self.composer.is_empty() {
            self.composer.clear();
            self.keep_draft();
        }
        self.again = Some((Action::Quit, Instant::now() + AGAIN));
        self.status.hint = Some("press ctrl+c again to quit".into());
        self.now();
    }

    fn pressed_again(&self, action: Action) -> bool {
        self.again.is_some_and(|(pressed, until)| pressed == action && Instant::now() < until)
    }

    fn send(&mut self) {
        if self.composer.is_empty() {
            return;
        }
        if self.failed && !self.composer.text().starts_with(['/', '!']) {
            return self.notice(Level::Warning, &format!("Not sent, your words stay here. {}", self.home.way_out()));
        }
        // What is seen decides: the beginning of a folded paste was never typed as a command.
        let given = self.composer.text();
        let (shell, command) = (given.starts_with('!'), given.trim_start().starts_with('/'));
        let mut message = self.composer.take();
        self.keep_draft();
        self.now();
        let text = message.text.trim().to_string();
        if let Some(line) = text.strip_prefix('!').filter(|_| shell) {
            return self.shell(line.trim());
        }
        if command && self.command(&text, &message.images) {
            return;
        }
        message.images.extend(self.images_named(&text));
        if self.session.is_none() {
            self.queued.push(text.clone());
        }
        self.say(message.text.trim_end().to_string(), message.images);
    }
}

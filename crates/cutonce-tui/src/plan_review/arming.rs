//! The two key presses that make a choice: a digit arms it, Enter confirms it (PM-74, PM-80).

use super::choices::{self, SlotAction};
use super::{FieldPurpose, PlanReview, ReviewFocus};
use crate::dialogs::{KeyGuard, QUIET_TIME};
use crate::overlays::OverlayOutcome;
use crate::text_area::TextArea;
use cutonce_core::plan::approval::ChoiceKey;
use ratatui::crossterm::event::KeyEvent;
use std::time::{Duration, Instant};

/// A digit and Enter closer together than this come from a paste, not from a user.
pub(super) const MIN_CONFIRM_DELAY: Duration = Duration::from_millis(50);

/// Guards the two key presses that make a choice: a digit arms it, Enter confirms it.
#[derive(Debug)]
pub(super) struct ChoiceArming {
    pub(super) choice: Option<ChoiceKey>,
    pub(super) since: Option<Instant>,
    /// Time of the last typed letter.
    pub(super) last_letter_at: Option<Instant>,
    /// Time of the last key.
    pub(super) key_at: Option<Instant>,
    pub(super) guard: KeyGuard,
    pub(super) active_keys: ActiveKeys,
}

/// Which keys the last frame showed as active, so that neither a user nor a test has to guess (PM-74).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ActiveKeys {
    /// A digit arms a choice.
    pub(super) digits_arm: bool,
    /// Enter confirms the armed choice.
    pub(super) enter_confirms: bool,
}

impl PlanReview {
    pub(super) fn arm_choice(&mut self, digit: char, now: Instant) -> OverlayOutcome {
        if self.arming.last_letter_at.is_some_and(|letter| now < letter + QUIET_TIME) {
            self.notice = Some(format!("Too soon after another key: press {digit} again"));
            return OverlayOutcome::Redraw;
        }
        let Some(slot) = self.slots.iter().find(|slot| slot.digit == digit) else { return OverlayOutcome::Nothing };
        match slot.action {
            SlotAction::ClearContext => self.reply.clear_context = !self.reply.clear_context,
            SlotAction::Choice(key) => {
                (self.arming.choice, self.arming.since, self.arming.active_keys.enter_confirms) =
                    (Some(key), Some(now), false);
                if key == ChoiceKey::KeepPlanning {
                    self.focus = ReviewFocus::Field {
                        what: FieldPurpose::Feedback,
                        field: TextArea::new(self.reply.feedback.clone()),
                    };
                }
            }
        }
        OverlayOutcome::Redraw
    }

    pub(super) fn confirm_choice(&mut self, now: Instant) -> OverlayOutcome {
        let Some(key) = self.arming.choice else { return OverlayOutcome::Nothing };
        // Terminals without bracketed paste send a paste as keys. No user types that fast.
        if self.confirm_ready_at().is_some_and(|at| now < at) {
            return OverlayOutcome::Nothing;
        }
        let answer = choices::build_answer(&self.subject.request, key, self.attachments());
        self.send_answer(answer)
    }

    /// Earliest time at which Enter confirms the armed choice.
    pub(super) fn confirm_ready_at(&self) -> Option<Instant> {
        self.arming.choice.and(self.arming.since).map(|armed| armed + MIN_CONFIRM_DELAY)
    }

    /// Handles a user who types a sentence into the review by mistake. A letter disarms the choice that a digit armed,
    /// and a digit right after a letter arms nothing. Arrow and page keys do neither. Returns true if a choice was
    /// disarmed.
    pub(super) fn disarm_on_letter(&mut self, key: KeyEvent, now: Instant) -> bool {
        let typed = crate::input::keymap::typed_char(key).is_some_and(|c| !c.is_ascii_digit());
        if typed {
            self.arming.last_letter_at = Some(now);
        }
        typed && self.arming.choice.take().is_some()
    }
}

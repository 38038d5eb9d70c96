//! Decides when a dialog or the plan review starts to accept keys (UI-5, PM-74): after it was drawn, and
//! after a pause in typing, so that text being typed never answers. The review limits the wait, because no
//! key there approves directly. A dialog waits for a pause, because Enter means yes.

use std::time::{Duration, Instant};

pub const QUIET_TIME: Duration = Duration::from_millis(400);
const MAX_REVIEW_WAIT: Duration = Duration::from_millis(1500);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyGuard {
    drawn: Option<Instant>,
    last_key: Option<Instant>,
    max_wait: Option<Duration>,
    /// The user kept typing: Enter ends a sentence until a key is pressed that only the dialog uses.
    typing: bool,
}

impl KeyGuard {
    /// Guard for the plan review, which waits at most 1.5 seconds.
    pub fn for_review() -> KeyGuard {
        KeyGuard { max_wait: Some(MAX_REVIEW_WAIT), ..KeyGuard::default() }
    }

    /// Notes when the dialog was first drawn.
    pub fn mark_drawn(&mut self, now: Instant) {
        self.drawn.get_or_insert(now);
    }
    pub fn is_drawn(&self) -> bool {
        self.drawn.is_some()
    }

    /// True if a key pressed at this time may answer. A key that comes too early restarts the wait.
    pub fn accept_key(&mut self, at: Instant) -> bool {
        let ready = self.ready_at().is_some_and(|ready| at >= ready);
        if !ready {
            self.last_key = Some(at);
        }
        ready
    }

    /// Notes a letter that has no meaning in the dialog: the user is still typing text.
    pub fn on_stray_letter(&mut self, at: Instant) {
        (self.last_key, self.typing) = (Some(at), true);
    }
    /// Notes a key that moves within the dialog: the user is looking at it.
    pub fn on_dialog_key(&mut self) {
        self.typing = false;
    }
    /// True if Enter would end a sentence instead of answering.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// Time from which keys are accepted.
    pub fn ready_at(&self) -> Option<Instant> {
        let drawn = self.drawn?;
        let quiet = self.last_key.filter(|key| *key > drawn).unwrap_or(drawn) + QUIET_TIME;
        Some(self.max_wait.map_or(quiet, |longest| quiet.min(drawn + longest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_5_pm_74_typed_ahead_keys_never_answer() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut guard = KeyGuard::default();
        assert!(!guard.accept_key(at(0)), "not drawn yet");
        guard.mark_drawn(at(100));
        assert!(!guard.accept_key(at(90)), "pressed before the draw");
        assert!(!guard.accept_key(at(300)), "too early");
        assert!(!guard.accept_key(at(650)), "still typing");
        assert!(guard.accept_key(at(1051)), "a pause");
        let first = |mut guard: KeyGuard| {
            guard.mark_drawn(at(0));
            (0..100).map(|n| n * 100).find(|ms| guard.accept_key(at(*ms)))
        };
        assert_eq!(first(KeyGuard::default()), None, "continuous typing never answers");
        assert_eq!(first(KeyGuard::for_review()), Some(1500), "the review limits the wait");
    }
}

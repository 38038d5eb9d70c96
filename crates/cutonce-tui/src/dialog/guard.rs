//! When keys begin to count, in dialogs and in the plan review (UI-5, PM-74): only what comes after it was drawn, and after a
//! moment without keys, so that a sentence that is being typed never answers. In the review, where nothing is armed and
//! nobody writes, the wait has an end; a dialog waits until the hand rests, since there Enter is yes.

use std::time::{Duration, Instant};

pub const QUIET: Duration = Duration::from_millis(400);
const LONGEST: Duration = Duration::from_millis(1500);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Guard {
    drawn: Option<Instant>,
    last_key: Option<Instant>,
    longest: Option<Duration>,
    /// Somebody went on writing: Enter ends a sentence, until a key that only a dialog knows was pressed.
    writes: bool,
}

impl Guard {
    /// For the review: nobody waits longer than a second and a half.
    pub fn of_review() -> Guard {
        Guard { longest: Some(LONGEST), ..Guard::default() }
    }

    /// The dialog is on the screen since now.
    pub fn drawn(&mut self, now: Instant) {
        self.drawn.get_or_insert(now);
    }
    pub fn is_drawn(&self) -> bool {
        self.drawn.is_some()
    }

    /// May a key that came at this moment answer? One that may not starts the wait anew.
    pub fn counts(&mut self, at: Instant) -> bool {
        let ready = self.ready_at().is_some_and(|ready| at >= ready);
        if !ready {
            self.last_key = Some(at);
        }
        ready
    }

    /// Letters that mean nothing here came: a sentence goes on, whatever pause there was in it.
    pub fn disturbed(&mut self, at: Instant) {
        (self.last_key, self.writes) = (Some(at), true);
    }
    /// A key that moves within the dialog: the person looks at it.
    pub fn looked_at(&mut self) {
        self.writes = false;
    }
    /// Would Enter be the end of a sentence?
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// From when on keys count, as things are.
    pub fn ready_at(&self) -> Option<Instant> {
        let drawn = self.drawn?;
        let quiet = self.last_key.filter(|key| *key > drawn).unwrap_or(drawn) + QUIET;
        Some(self.longest.map_or(quiet, |longest| quiet.min(drawn + longest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_5_pm_74_keys_from_before_and_keys_of_a_sentence_do_not_count() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut guard = Guard::default();
        assert!(!guard.counts(at(0)), "not drawn yet");
        guard.drawn(at(100));
        assert!(!guard.counts(at(90)), "came before");
        assert!(!guard.counts(at(300)), "too early");
        assert!(!guard.counts(at(650)), "a sentence goes on");
        assert!(guard.counts(at(1051)), "a pause");
        let first = |mut guard: Guard| {
            guard.drawn(at(0));
            (0..100).map(|n| n * 100).find(|ms| guard.counts(at(*ms)))
        };
        assert_eq!(first(Guard::default()), None, "a hand that never rests never answers");
        assert_eq!(first(Guard::of_review()), Some(1500), "in the review nobody waits for ever");
    }
}

//! When keys begin to count (UI-5): only what comes after a dialog was drawn, and after a moment without keys, so that a
//! sentence that is being typed never answers, however long it is: what is typed goes to the draft meanwhile.

use std::time::{Duration, Instant};

pub const QUIET: Duration = Duration::from_millis(400);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Guard {
    drawn: Option<Instant>,
    last_key: Option<Instant>,
}

impl Guard {
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

    /// From when on keys count, as things are.
    pub fn ready_at(&self) -> Option<Instant> {
        let drawn = self.drawn?;
        Some(self.last_key.filter(|key| *key > drawn).unwrap_or(drawn) + QUIET)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_5_keys_from_before_and_keys_of_a_sentence_do_not_count() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut guard = Guard::default();
        assert!(!guard.counts(at(0)), "not drawn yet");
        guard.drawn(at(100));
        assert!(!guard.counts(at(90)), "came before");
        assert!(!guard.counts(at(300)), "too early");
        assert!(!guard.counts(at(650)), "a sentence goes on");
        assert!(guard.counts(at(1051)), "a pause");
        let mut guard = Guard::default();
        guard.drawn(at(0));
        let answers = (0..100).map(|n| n * 100).filter(|ms| guard.counts(at(*ms))).count();
        assert_eq!(answers, 0, "a hand that does not rest never answers");
        assert!(guard.counts(at(9_900 + 400)));
    }
}

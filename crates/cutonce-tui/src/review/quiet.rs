//! Keys that were meant for something else never choose (PM-74): answers count only once the keyboard was quiet.

use std::time::{Duration, Instant};

const QUIET: Duration = Duration::from_millis(400);
const LONGEST: Duration = Duration::from_millis(1_500);

#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet {
    drawn: Option<Instant>,
    last: Option<Instant>,
    over: bool,
}

impl Quiet {
    /// It is on the screen: from now on the person may mean it.
    pub fn drawn(&mut self, now: Instant) {
        self.drawn.get_or_insert(now);
    }

    pub fn is_drawn(&self) -> bool {
        self.drawn.is_some()
    }

    /// A key came: may it answer?
    pub fn key(&mut self, now: Instant) -> bool {
        let Some(drawn) = self.drawn else { return false };
        let last = self.last.replace(now).unwrap_or(drawn).max(drawn);
        let since = |then: Instant| now.saturating_duration_since(then);
        self.over |= since(last) >= QUIET || since(drawn) >= LONGEST;
        self.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_74_keys_count_after_400_ms_of_quiet_or_a_second_and_a_half() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut quiet = Quiet::default();
        assert!(!quiet.key(at(0)));
        quiet.drawn(at(10));
        assert!(!quiet.key(at(11)));
        assert!(!quiet.key(at(300)));
        assert!(!quiet.key(at(600)));
        assert!(quiet.key(at(1_000)));
        assert!(quiet.key(at(1_001)));
        let mut typing = Quiet::default();
        typing.drawn(at(0));
        let first = (1..100).map(|n| n * 100).find(|ms| typing.key(at(*ms)));
        assert_eq!(first, Some(1_500));
    }
}
